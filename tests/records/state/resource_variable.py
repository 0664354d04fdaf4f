"""Records of the ops on handles of variables: none, as the compiler replaces them by those on references."""

RECORDS = []

_OPS = "tests/ops/state/test_resource_variable.py::"
_VARIABLES = "tests/variables/test_resource_variable.py::"

EXPLICIT = {
    "AssignAddVariableOp": _VARIABLES + "test_assignments_return_the_variable_after_them",
    "AssignSubVariableOp": _VARIABLES + "test_assignments_return_the_variable_after_them",
    "AssignVariableOp": _OPS + "test_every_type_is_assigned_and_read",
    "DestroyResourceOp": _VARIABLES + "test_destroyed_variables_are_uninitialized",
    "DisableCopyOnRead": _OPS + "test_copies_on_read_are_never_made",
    "ReadVariableOp": _OPS + "test_every_type_is_assigned_and_read",
    "ResourceCountUpTo": _VARIABLES + "test_counters",
    "ResourceGather": _VARIABLES + "test_slices_are_read_and_updated_by_handle",
    "ResourceGatherNd": _VARIABLES + "test_slices_are_read_and_updated_by_handle",
    "ResourceStridedSliceAssign": _OPS + "test_strided_slices_are_assigned",
    "VarHandleOp": _OPS + "test_variables_are_known_by_shared_name_and_container",
    "VarIsInitializedOp": _OPS + "test_every_type_is_assigned_and_read",
    "VariableShape": _OPS + "test_every_type_is_assigned_and_read",
}
EXPLICIT_GRADIENTS = {
    "ReadVariableOp": _VARIABLES + "test_gradients_by_the_variable_and_by_its_handle",
    "ResourceGather": _VARIABLES + "test_gathered_rows_have_sparse_gradients",
    "ResourceGatherNd": _VARIABLES + "test_gathered_rows_have_sparse_gradients",
}
