"""TensorArrays from before TensorFlow 1.0, whose handles are strings or references to strings, become TensorArrayV3.

Kernels are registered under the old names too, so that the ops count as supported; none of them ever runs.
"""

import numpy as np

from tfcore.compiler.ir import Node
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.types import dtypes

_KINDS = "Write Read Gather Scatter Concat Split Size Close".split()
_MAKERS = {"TensorArray" + kind + version for kind in ("", "Grad") for version in ("", "V2")}
_USERS = {"TensorArray" + kind + version for kind in _KINDS for version in ("", "V2")}
_STRING_USERS = frozenset(kind for kind in _USERS if kind.endswith("V2")) | {"TensorArrayGradV2"}
_OF_ALL = {"TensorArrayPack": "TensorArrayGatherV3", "TensorArrayUnpack": "TensorArrayScatterV3"}


def replace_legacy_tensor_arrays(program):
    """Rewrites the program if it has legacy TensorArrays.

    Raises:
      InvalidArgumentError: a handle is used as a string.
    """
    todo = [n for n in program.nodes if n.type in _MAKERS]
    if not todo:
        return
    consumers = program.consumers()
    seen = set(todo)
    for node in todo:
        node.dtypes, node.dims = [dtypes.resource, dtypes.float32], [(), ()]
        if "Grad" not in node.type:
            node.attrs = {**node.attrs, "identical_element_shapes": False}
        _become(node, _modern(node.type))
    while todo:
        source = todo.pop()
        for i in range(len(source.dtypes)):
            for user in consumers.get((source, i), ()) if source.dtypes[i] is dtypes.resource else ():
                if user in seen:
                    continue
                seen.add(user)
                if _take_handle(user, source):
                    todo.append(user)
    program.prune()


def handle_edges(op):
    """The edges (maker, taker), both Operations, over which the string handle that `op` takes has come, if any.

    As handles of type string look like any other string, their edges are found from the operations that use them.
    """
    if op.type not in _STRING_USERS:
        return []
    edges, todo, seen = [], [(op, op.inputs[0].op)], set()
    while todo:
        taker, maker = todo.pop()
        edges.append((maker, taker))
        if maker.type in HANDS_ON and maker not in seen:
            seen.add(maker)
            todo += [(maker, t.op) for t in maker.inputs if t.dtype is dtypes.string]
    return edges


def _take_handle(node, source):
    """Rewrites a user of a handle. Returns whether the node passes the handle on."""
    kind = None if node is None else node.type.removeprefix("Ref")
    if kind in HANDS_ON:
        node.dtypes = [dtypes.resource if t.base_dtype is dtypes.string else t for t in node.dtypes]
        node.attrs = {**node.attrs, "T": dtypes.resource}
        _become(node, kind)
        return True
    if kind in _OF_ALL:
        flow = node.inputs[-1]
        node.inputs.insert(1, _all_indices(node, node.inputs[0], flow) if kind.endswith("Pack") else _rows(node, flow))
        _become(node, _OF_ALL[kind])
    elif kind in _USERS:
        _become(node, _modern(kind))
    elif kind is None or not kind.endswith("V3"):
        raise errors.InvalidArgumentError(
            None,
            source.op if node is None else node.op,
            f"The handle of a TensorArray, {source.name}, can only be used by operations of TensorArrays"
            + ("." if node is None else f", not by {node.name} ({node.type})."),
        )
    return False


def _modern(kind):
    return kind.removesuffix("V2") + "V3"


def _become(node, kind):
    node.type, node.op_def = kind, get_op_def(kind)


def _derived(node, name, kind, attrs, inputs, dtype=dtypes.int32, dims=(), controls=()):
    new = Node.derived(
        node.op, f"{node.name}/{name}", get_op_def(kind), node.device, attrs, inputs, [dtype], [dims], controls
    )
    return new, 0


def _range(node, n, flow):
    def number(name, value):
        attrs = {"value": np.array(value, np.int32), "dtype": dtypes.int32}
        return _derived(node, name, "Const", attrs, [], controls=[flow[0]])

    inputs = [number("start", 0), n, number("delta", 1)]
    return _derived(node, "indices", "Range", {"Tidx": dtypes.int32}, inputs, dims=(None,))


def _all_indices(node, handle, flow):
    return _range(node, _derived(node, "size", "TensorArraySizeV3", {}, [handle, flow]), flow)


def _rows(node, flow):
    """The indices of the rows of an unpacked value."""
    value = node.inputs[1]
    attrs = {"T": node.attrs["T"], "out_type": dtypes.int32}
    shape = _derived(node, "shape", "Shape", attrs, [value], dims=(None,))

    def number(name, values):
        attrs = {"value": np.array(values, np.int32), "dtype": dtypes.int32}
        return _derived(node, name, "Const", attrs, [], dims=(1,), controls=[flow[0]])

    attrs = {"T": dtypes.int32, "Index": dtypes.int32, "shrink_axis_mask": 1}
    attrs |= dict.fromkeys(["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask"], 0)
    ends = [number("first", [0]), number("behind", [1]), number("step", [1])]
    return _range(node, _derived(node, "rows", "StridedSlice", attrs, [shape, *ends]), flow)
