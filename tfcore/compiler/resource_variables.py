"""Turns handles of resource variables into references, so that plans have one kind of variables.

A VarHandleOp becomes a `_ResourceVariable`, whose output is a reference; what hands the handle on hands on the
reference; and what uses it becomes the op that does the same by reference. A ReadVariableOp becomes an Identity: it
takes a snapshot when it runs, and writers copy what others still hold (`core/memory/variable.c`).
"""

import types

import numpy as np

from tfcore.compiler.ir import Node
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.types import dtypes
from tfcore.ops.state.resource_variable import handle_data
from tfcore.ops.training.resource_variable import by_handles
from tfcore.ops.training.training import UPDATES

_MAKER = "VarHandleOp"
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def replace_resource_variables(program, merge_reads=True):
    """Replaces all handles of variables by references, and all operations on them.

    merge_reads: let reads of a variable that wait for the same operations be one.

    Raises:
      InvalidArgumentError: a handle goes where none can, or the types of an operation and its variable differ.
      UnimplementedError: a slice assignment is to ignore wrong indices.
    """
    todo = [n for n in program.nodes if n.type == _MAKER]
    if not todo:
        return
    consumers = program.consumers()
    handles, users = set(todo), {}
    for node in todo:
        _make_variable(node)
    while todo:
        source = todo.pop()
        for i, dtype in enumerate(source.dtypes):
            for node in consumers.get((source, i), ()) if dtype._is_ref_dtype else ():
                if node is None or node in handles:
                    continue
                if node.type in HANDS_ON:
                    handles.add(node)
                    _hand_on(node, dtype)
                    todo.append(node)
                else:
                    users[node] = None
    for node in handles:
        _check_merged(node)
    added = [extra for node in users for extra in _use(node)]
    if added:
        program.nodes += added
        program.prune()
    if merge_reads:
        _merge_reads(program, users)


def by_reference(op):
    """A Node as `replace_resource_variables` leaves it, for an operation of the graph, and the types of its inputs."""
    node, taken = Node(op), [t.dtype for t in op.inputs]
    if op.type == _MAKER:
        _make_variable(node)
    elif dtypes.resource in taken:
        known = [handle_data(t)[0] if t.dtype is dtypes.resource else None for t in op.inputs]
        taken = [t if k is None else k._as_ref for t, k in zip(taken, known)]
        if taken[0]._is_ref_dtype:
            if op.type in HANDS_ON:
                _hand_on(node, taken[0])
            elif op.type in _FORMS:
                _become(node, *_FORMS[op.type](node, taken[0].base_dtype))
    return node, taken


def form_by_reference(op_type, attrs, dtype):
    """The op type, and its attributes, that an op on the handle of a variable of type `dtype` becomes.

    op_type: one of REPLACED. attrs: the attributes of the operation, all of them.
    """
    node = types.SimpleNamespace(type=op_type, name=op_type, attrs=attrs, op=None)
    return _variable(node) if op_type == _MAKER else _FORMS[op_type](node, dtype)


def _become(node, op_type, attrs):
    node.type, node.op_def = op_type, get_op_def(op_type)
    node.attrs = {**{k: v for k, v in node.attrs.items() if k[0] == "_"}, **attrs}
    if any(arg.is_ref for arg in node.op_def.outputs):  # an update; the other form has no output
        dtype = attrs["T"] if "T" in attrs else attrs["dtype"]
        node.dtypes, node.dims = [dtype._as_ref], [node.dims[0] if node.dims else None]


def _make_variable(node):
    node.dims = [node.attrs["shape"]]
    _become(node, *_variable(node))


def _hand_on(node, dtype):
    node.attrs = {**node.attrs, "T": dtype.base_dtype}
    node.type = "Ref" + node.type
    node.op_def = get_op_def(node.type)
    node.dtypes = [dtype if t is dtypes.resource else t for t in node.dtypes]


def _check_merged(node):
    """Raises if handles of different kinds meet: what comes out must have one type."""
    types = {source.dtypes[i] for source, i in node.inputs} if node.type == "RefMerge" else ()
    if len(types) > 1:
        names = ", ".join(sorted(t.name for t in types))
        text = f"{node.name} merges handles of variables of different types, or of other objects: {names}"
        raise errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))


def _use(node):
    """Makes a node that takes references the op that does so; returns nodes that it needs in addition."""
    source, index = node.inputs[0]
    dtype = source.dtypes[index]
    if not dtype._is_ref_dtype or node.type not in _FORMS:
        at = next(i for i, (s, k) in enumerate(node.inputs) if s.dtypes[k]._is_ref_dtype)
        raise errors.InvalidArgumentError(
            None,
            node.op,
            f"Input {at} of {node.name} ({node.op.type}) is the handle of the variable {node.inputs[at][0].name}, "
            f"which operations of this type do not take.{errors.location(node.op)}",
        )
    _check_types(node, dtype.base_dtype)
    axis = node.attrs.get("batch_dims", 0)
    _become(node, *_FORMS[node.type](node, dtype.base_dtype))
    if node.type != "GatherV2":
        return []
    value = {"value": np.array(axis, np.int32), "dtype": dtypes.int32}
    made = Node.derived(
        node.op, f"{node.name}/axis", get_op_def("Const"), node.device, value, [], [dtypes.int32], [()], [source]
    )
    node.inputs.append((made, 0))
    return [made]


def _check_types(node, dtype):
    """Raises if the type of the operation is not that of the variables."""
    wanted = node.attrs.get("dtype", node.attrs.get("T", dtype))
    others = [s.dtypes[i].base_dtype for s, i in node.inputs if s.dtypes[i]._is_ref_dtype]
    wrong = next((t for t in others if t is not wanted), None)
    if wrong is None:
        return
    text = f"Trying to read variable with wrong dtype. Expected {wanted.name} got {wrong.name}"
    if node.type == "AssignVariableOp":
        text = f"Variable and value dtypes don't match; respectively, {wrong.name} and {wanted.name}"
    raise errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))


def _merge_reads(program, users):
    """Keeps one of several reads of a variable that wait for the same operations: no order among them is told."""
    kept, nodes, values = {}, {}, {}
    targets = set(program.targets)
    for node in users:
        if node.op.type != "ReadVariableOp" or node in targets:
            continue
        first = kept.setdefault((node.inputs[0], frozenset(node.controls)), node)
        if first is not node:
            nodes[node], values[node, 0] = first, (first, 0)
    if nodes:
        program.replace(values, nodes)
        program.prune()


# ---- What each op becomes: (node, the variable's type) -> (op type, attributes)


def _variable(node):
    return "_ResourceVariable", {key: node.attrs[key] for key in ("container", "dtype", "shape", "shared_name")}


def _assign(node, dtype):
    validate = node.attrs["validate_shape"]
    return "Assign", {"T": dtype, "validate_shape": validate, "use_locking": True}


def _update(op_type):
    return lambda node, dtype: (op_type, {"T": dtype, "use_locking": True})


def _gather(node, dtype):
    attrs = {"Tparams": dtype, "Tindices": node.attrs["Tindices"]}
    if node.attrs["batch_dims"]:
        return "GatherV2", {**attrs, "Taxis": dtypes.int32, "batch_dims": node.attrs["batch_dims"]}
    return "Gather", {**attrs, "validate_indices": node.attrs["validate_indices"]}


def _gather_nd(node, dtype):
    return "GatherNd", {"Tparams": dtype, "Tindices": node.attrs["Tindices"], "bad_indices_policy": b""}


def _scatter(node, dtype):
    if node.attrs.get("bad_indices_policy") == b"IGNORE":
        text = f"{node.name} ({node.type}) can't ignore wrong indices: bad_indices_policy"
        raise errors.UnimplementedError(None, node.op, text + errors.location(node.op))
    return node.type[len("Resource") :], {"T": dtype, "Tindices": node.attrs["Tindices"], "use_locking": True}


def _generator(node, dtype):
    if dtype is not dtypes.int64:
        text = f"dtype of RNG state variable must be int64, not {dtype.name}"
        raise errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))
    return "_" + node.type, {}


def _apply_of(update):
    return lambda node, dtype: (update.name, {k: v for k, v in node.attrs.items() if k[0] != "_"})


def _forms():
    """The form by reference of each op."""
    slices = [f"{nd}{action}" for nd in ("", "Nd") for action in ("Update", "Add", "Sub", "Min", "Max")]
    return {
        "ReadVariableOp": lambda node, dtype: ("Identity", {"T": dtype}),
        "AssignVariableOp": _assign,
        "AssignAddVariableOp": _update("AssignAdd"),
        "AssignSubVariableOp": _update("AssignSub"),
        "VarIsInitializedOp": lambda node, dtype: ("IsVariableInitialized", {"dtype": dtype}),
        "DestroyResourceOp": lambda node, dtype: (
            "_DestroyVariable",
            {"dtype": dtype, "ignore_lookup_error": node.attrs["ignore_lookup_error"]},
        ),
        "DisableCopyOnRead": lambda node, dtype: ("RefIdentity", {"T": dtype}),
        "VariableShape": lambda node, dtype: ("Shape", {"T": dtype, "out_type": node.attrs["out_type"]}),
        "ResourceGather": _gather,
        "ResourceGatherNd": _gather_nd,
        "ResourceCountUpTo": lambda node, dtype: ("CountUpTo", {"T": dtype, "limit": node.attrs["limit"]}),
        "ResourceStridedSliceAssign": lambda node, dtype: (
            "StridedSliceAssign",
            {"T": dtype, "Index": node.attrs["Index"], **{m: node.attrs[m] for m in _MASKS}},
        ),
        "RngReadAndSkip": _generator,
        "RngSkip": _generator,
        **{f"ResourceScatter{s}": _scatter for s in (*slices, "Mul", "Div")},
        **{by_handles(update).name: _apply_of(update) for update in UPDATES},
    }


_FORMS = _forms()
REPLACED = frozenset([_MAKER, *_FORMS])  # no plan has operations of these types
