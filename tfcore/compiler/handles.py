"""Handles of objects that outlive steps (queues, barriers, accumulators, tables, readers).

TensorFlow 1.0's ops give them out as references to strings, later ones as resources. Their kernels are the same and
make resources, so the compiler replaces the former kind. It also replaces what selects one of several handles by an
index, as a tensor can't have more than one handle. Handles of tensors that a session keeps are texts.
"""

import numpy as np

from tfcore.compiler.ir import Node
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.types import dtypes

_MAKERS = frozenset(
    [
        "Barrier",
        "ConditionalAccumulator",
        "FIFOQueue",
        "FakeQueue",
        "FixedLengthRecordReader",
        "HashTable",
        "IdentityReader",
        "LMDBReader",
        "MutableDenseHashTable",
        "MutableHashTable",
        "MutableHashTableOfTensors",
        "PaddingFIFOQueue",
        "PriorityQueue",
        "RandomShuffleQueue",
        "SparseConditionalAccumulator",
        "TFRecordReader",
        "TextLineReader",
        "WholeFileReader",
    ]
)
_GATHERS = frozenset(["Gather", "GatherV2"])


def replace_handles(program):
    """Makes all handles resources, selections of handles `_SelectHandle` ops, and handles of kept tensors texts."""
    for node in program.nodes:
        if node.type == "GetSessionHandleV2":
            _replace_session_handle(program, node)
    old = [n for n in program.nodes if n.type in _MAKERS]
    if old:
        _replace_references(program, old)
    packs = [n for n in program.nodes if n.type == "Pack" and all(_is_handle(p) for p in n.inputs)]
    if packs:
        _replace_selections(program, set(packs))


def output_types(op_type, types):
    """The types of a node's outputs once handles are resources. types: those of the op."""
    return [dtypes.resource] if op_type in _MAKERS else types


def name_devices(program):
    """Tells operations that make handles of kept tensors where they have been placed: a handle names the device."""
    for node in program.nodes:
        if node.type == "GetSessionHandle":
            node.attrs = {**node.attrs, "_device": node.device.encode()}


def _is_handle(pair):
    return pair[0].dtypes[pair[1]] is dtypes.resource


def _replace_session_handle(program, node):
    """A session returns the text for it; nothing in a graph takes such a resource."""
    used = [consumer for consumer in program.consumers().get((node, 0), ()) if consumer is not None]
    if used:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"The handle that '{node.name}' makes is the input of '{used[0].name}', but can only be fetched.",
        )
    _become(node, "GetSessionHandle", [dtypes.string])


def _become(node, op_type, out):
    node.type, node.op_def, node.dtypes = op_type, get_op_def(op_type), out


def _replace_references(program, todo):
    consumers = program.consumers()
    for node in todo:
        node.dtypes, node.dims = output_types(node.type, node.dtypes), [()]
    seen = set(todo)
    while todo:
        source = todo.pop()
        for i in range(len(source.dtypes)):
            for node in consumers.get((source, i), ()) if _is_handle((source, i)) else ():
                if node is None or node in seen or not node.type.startswith("Ref") or node.type[3:] not in HANDS_ON:
                    continue
                seen.add(node)
                node.attrs = {**node.attrs, "T": dtypes.resource}
                _become(node, node.type[3:], [dtypes.resource if t._is_ref_dtype else t for t in node.dtypes])
                todo.append(node)
    program.fetches = [_names_of(p) if p[0] in seen and _is_handle(p) else p for p in program.fetches]
    program.prune()


def _names_of(pair):
    """What TensorFlow returns for a fetched reference: the container and the name of the object."""
    node = pair[0]
    while node.type in HANDS_ON and node.inputs:
        node = node.inputs[0][0]
    attrs = node.attrs
    names = [attrs.get("container") or b"localhost", attrs.get("shared_name") or node.name.encode()]
    value = {"value": np.array(names, object), "dtype": dtypes.string}
    made = Node.derived(
        node.op, f"{node.name}/names", get_op_def("Const"), node.device, value, [], [dtypes.string], [(2,)], [pair[0]]
    )
    return made, 0


def _replace_selections(program, packs):
    for node in program.nodes:
        if node.type in _GATHERS and node.inputs[0][0] in packs:
            index, handles = node.inputs[1], node.inputs[0][0].inputs
            if index[0].dtypes[index[1]].base_dtype is not dtypes.int32:
                index = _as_int32(node, index)
            node.attrs = {"N": len(handles)}
            node.controls = list(dict.fromkeys([*node.controls, *node.inputs[0][0].controls]))
            node.inputs = [index, *handles]
            _become(node, "_SelectHandle", [dtypes.resource])
            node.dims = [()]
    program.prune()


def _as_int32(node, index):
    source = index[0].dtypes[index[1]].base_dtype
    attrs = {"SrcT": source, "DstT": dtypes.int32, "Truncate": False}
    name = f"{node.name}/index"
    return Node.derived(node.op, name, get_op_def("Cast"), node.device, attrs, [index], [dtypes.int32], [()]), 0
