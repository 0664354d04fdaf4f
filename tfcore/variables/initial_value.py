"""Initial values of variables: the placement of their operations, and their dependencies on other variables."""

from tfcore.framework.graph.graph import GraphKeys
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.indexing import indexing


def call_initializer(graph, function, scope, dtype, colocate_with):
    """Calls the function in the name scope SCOPE/Initializer, colocating its operations with the variable."""
    first = graph.version
    prefix = graph.unique_name("Initializer")
    with graph.scopes.replaced(name=prefix, devices=()):
        initial = convert_to_tensor(function(), dtype=dtype, name="initial_value")
    prefix += "/"
    where = [b"loc:@" + scope.encode()] if colocate_with is None else colocate_with.colocation_groups()
    for op in graph.ops[first:]:  # includes operations that other threads added meanwhile
        if op.name.startswith(prefix):
            op.attrs.setdefault("_class", where)
            if colocate_with is not None:
                op.requested_device = colocate_with.device
    return initial


def with_initialized_variables(graph, tensor, scope):
    """The tensor, recomputed from the initialized values of the variables it depends on.

    This lets one operation initialize all variables, in whatever order they depend on each other.
    """
    ancestors = _unguarded_ancestors(tensor.op)
    if not any(op.type in _VARIABLE_OPS for op in ancestors):
        return tensor
    variables = {
        v.op: v
        for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        for v in graph.get_collection(key)
        if hasattr(v, "initialized_value")
    }
    new_outputs = {}
    for op in sorted(ancestors, key=lambda op: op._id):  # inputs first
        outputs = _rebuild(graph, op, scope, variables, new_outputs)
        if outputs is not None:
            new_outputs[op] = outputs
    outputs = new_outputs.get(tensor.op)
    return tensor if outputs is None else outputs[tensor.value_index]


_GUARDED = ("IsVariableInitialized", "VarIsInitializedOp", "Merge", "If", "Placeholder")
_VARIABLE_OPS = ("VariableV2", "Variable", "VarHandleOp")
_OF_VALUES = {  # reads of handles, and what makes the same of the value
    "ReadVariableOp": lambda op, value, name: value,
    "ResourceGather": lambda op, value, indices, name: indexing.gather(
        value, indices, batch_dims=op.attrs["batch_dims"], name=name
    ),
    "ResourceGatherNd": lambda op, value, indices, name: indexing.gather_nd(value, indices, name=name),
    "VariableShape": lambda op, value, name: array.shape(value, out_type=op.attrs["out_type"], name=name),
}


def _unguarded_ancestors(op):
    """Operations that `op` is computed from, except those behind a test for initialization."""
    seen, stack = {op}, [op]
    while stack:
        op = stack.pop()
        if op.type in _GUARDED:
            continue
        for t in op.inputs:
            if t.op not in seen:
                seen.add(t.op)
                stack.append(t.op)
    return seen


def _rebuild(graph, op, scope, variables, new_outputs):
    """The outputs that replace those of `op`; None if none of its inputs was replaced."""
    if op.type in _VARIABLE_OPS:
        variable = variables.get(op)
        return None if variable is None else [variable.initialized_value()]
    if op.type in _GUARDED or not any(t.op in new_outputs for t in op.inputs):
        return None
    inputs = [new_outputs[t.op][t.value_index] if t.op in new_outputs else t for t in op.inputs]
    if op.type == "Identity":
        return inputs
    name = f"{op.name.replace('/', '_')}_{scope.replace('/', '_')}"
    with graph.control_dependencies(op.controls):
        if op.type in _OF_VALUES:
            return [_OF_VALUES[op.type](op, *inputs, name=name)]
        if any(t.dtype is dtypes.resource and t.op in new_outputs for t in op.inputs):
            return None  # needs the handle itself
        dtypes_ = [t.dtype for t in op.outputs]
        return graph.add_operation(op.op_def, inputs, dict(op.attrs), dtypes_, name).outputs
