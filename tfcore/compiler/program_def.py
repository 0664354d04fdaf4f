"""Programs as GraphDefs, for other tasks to run and for people to read.

For another task a program is one block of bytes: the length of a GraphDef, the GraphDef, and the values of its larger
constants. So these are copied only once, as whole blocks, and may exceed the 2 GB limit of a protocol buffer. A NodeDef
has some attributes beyond TensorFlow's: `_at` and `_shape` (of a value outside the GraphDef), `_value` (its number, by
which a later program of the same session refers to it instead of sending it again), `_name` (if another node has the
same name), and `_line`, `_op` and `_type` of the user's operation, for errors.
"""

import hashlib
import struct
from typing import NamedTuple

import numpy as np

from tfcore.compiler.handles import output_types
from tfcore.compiler.ir import Node, Program
from tfcore.framework import errors, protos
from tfcore.framework.attr_proto import decode_attr, decode_shape, encode_attr, encode_shape
from tfcore.framework.definitions.op_call import output_dtypes
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.exchange.graph_def import GRAPH_DEF_VERSION

_MIN_BESIDE = 1 << 10  # bytes of a constant from which its value is outside the GraphDef
_ALIGN = 64
_OWN = frozenset(["_at", "_line", "_name", "_op", "_shape", "_type", "_value"])
_LENGTH = struct.Struct("<q")


class UserOperation:
    """The user's operation that a node comes from, as known in another task."""

    __slots__ = ("name", "type", "creation_line")

    def __init__(self, name, op_type, creation_line):
        self.name = name
        self.type = op_type
        self.creation_line = creation_line

    def __repr__(self):
        return f"<operation {self.name!r} type={self.type}>"


def nodes_to_graph_def(nodes):
    """A GraphDef of program nodes, for people: it also names inputs that it does not contain."""
    graph = protos.GraphDef()
    graph.versions.producer = GRAPH_DEF_VERSION
    for node, name in _named(nodes).items():
        _fill(graph.node.add(), node, name, lambda source: source.name, node.attrs)
    return graph


def to_graph_def(program, sent=None):
    """The nodes of a program (in an order in which they can run) as bytes. There are no feeds and fetches.

    sent: dict of the larger constants that the reader has from earlier programs: id of the array -> (number, array).
      This function adds those of this program.
    """
    assert not program.feeds and not program.fetches, "feeds and fetches are the client's"
    graph, values, at = protos.GraphDef(), [], 0
    number = 1 + max([number for number, _ in (sent or {}).values()], default=-1)
    names = _named(program.nodes)
    for node, name in names.items():
        entry = graph.node.add()
        attrs = dict(node.attrs)
        value = _value_beside(node)
        if value is not None:
            del attrs["value"]
            known = sent is not None and id(value) in sent
            if sent is not None:
                # The array is kept, so that no other one gets its id.
                entry.attr["_value"].i = sent.setdefault(id(value), (number, value))[0]
                number += not known
            if not known:
                at += -at % _ALIGN
                entry.attr["_at"].i = at
                encode_shape(value.shape, entry.attr["_shape"].shape)
                values.append((at, np.ascontiguousarray(value)))
                at += value.nbytes
        _fill(entry, node, name, names.__getitem__, attrs)
        _describe(entry, node)
    text = graph.SerializeToString()
    parts, end = [_LENGTH.pack(len(text)), text, bytes(-(_LENGTH.size + len(text)) % _ALIGN)], 0
    for at, value in values:
        parts += [bytes(at - end), value.reshape(-1).view(np.uint8).data]
        end = at + value.nbytes
    return b"".join(parts)


class Constant(NamedTuple):
    """A larger constant that has been received: its value, and a digest of that."""

    value: np.ndarray
    digest: bytes


class ProgramDef:
    """What `to_graph_def` has written, as another task reads it.

    digest: of all that it says, with the values of constants. Programs with equal digests are equal, whoever sent them
    and whatever was sent before.

    Args:
      data: bytes-like; lives as long as the program, since constants use its memory.
      received: dict from numbers to Constants, updated here: the larger ones of earlier programs of the same sender.
      known: mapping of digests to values of constants, updated here. Of equal values one is kept.

    Raises:
      AbortedError: `received` lacks a constant of an earlier program, as its session has ended here.
    """

    def __init__(self, data, received=None, known=None):
        view = memoryview(data)
        (length,) = _LENGTH.unpack_from(view)
        end = _LENGTH.size + length
        self._graph = protos.GraphDef.FromString(bytes(view[_LENGTH.size : end]))
        self._values = {}  # name of a node -> its value, if that lies outside the GraphDef
        beside = view[end + -end % _ALIGN :]
        for entry in self._graph.node:
            if "_at" in entry.attr or "_value" in entry.attr:
                constant = _constant(
                    entry, beside, {} if received is None else received, {} if known is None else known
                )
                self._values[entry.name] = constant.value
                for own in ("_at", "_shape"):
                    entry.attr.pop(own, None)
                entry.attr["_value"].s = constant.digest
        self.digest = hashlib.sha256(self._graph.SerializeToString(deterministic=True)).digest()

    def program(self):
        """The Program. Its targets are all nodes that no other node needs.

        Raises:
          NotFoundError: an op type that this process does not have.
        """
        nodes, operations = {}, {}
        needed = set()
        for entry in self._graph.node:
            nodes[entry.name] = _node(entry, self._values.get(entry.name), operations)
        for entry in self._graph.node:  # loops refer back to earlier nodes
            node = nodes[entry.name]
            for text in entry.input:
                if text[0] == "^":
                    source = nodes[text[1:]]
                    node.controls.append(source)
                else:
                    name, _, index = text.partition(":")
                    source = nodes[name]
                    node.inputs.append((source, int(index or 0)))
                needed.add(source)
        found = list(nodes.values())
        return Program(found, [], [], [n for n in found if n not in needed])


# ---- Writing


def _named(nodes):
    """Each node with a unique name: nodes added by the compiler have the name of the operation they serve."""
    names, used = {}, set()
    for node in nodes:
        name, count = node.name, 0
        while name in used:
            count += 1
            name = f"{node.name}/_copy{count}"
        used.add(name)
        names[node] = name
    return names


def _fill(entry, node, name, name_of, attrs):
    entry.name, entry.op, entry.device = name, node.type, node.device
    inputs = [(s.name if s.is_feed else name_of(s), i) for s, i in node.inputs]
    entry.input.extend([source if i == 0 else f"{source}:{i}" for source, i in inputs])
    entry.input.extend(sorted(["^" + name_of(c) for c in node.controls]))
    for key, value in attrs.items():
        attr = node.op_def.attrs.get(key)
        encode_attr(value, None if attr is None else attr.type, entry.attr[key])


def _describe(entry, node):
    """Adds the user's operation where the NodeDef does not show it."""
    if node.creation_line:
        entry.attr["_line"].s = node.creation_line.encode(errors="surrogateescape")
    if node.op.name != entry.name:
        entry.attr["_op"].s = node.op.name.encode()
    if node.op.type != node.type:
        entry.attr["_type"].s = node.op.type.encode()
    if node.name != entry.name:
        entry.attr["_name"].s = node.name.encode()


def larger_constants(program):
    """The ids of the arrays that `to_graph_def` adds to `sent`, or finds there."""
    return {id(value) for node in program.nodes if (value := _value_beside(node)) is not None}


def _value_beside(node):
    """The value of a larger constant, which lies beside the GraphDef; else None."""
    value = node.attrs.get("value") if node.type == "Const" else None
    if value is None or value.nbytes < _MIN_BESIDE or value.dtype.kind == "O":
        return None
    return value if value.size == 1 or any(value.strides) else None


# ---- Reading


def _constant(entry, beside, received, known):
    """The larger constant of a NodeDef. beside: the values that came with the GraphDef."""
    if "_at" in entry.attr:
        dims = decode_shape(entry.attr["_shape"].shape)
        dtype = decode_attr(entry.attr["dtype"], "type").as_numpy_dtype
        count = int(np.prod(dims, dtype=np.int64))
        value = np.frombuffer(beside, dtype, count, entry.attr["_at"].i).reshape(dims)
        digest = _digest(entry.attr["dtype"].type, value)
        found = Constant(known.setdefault(digest, value), digest)
        if "_value" in entry.attr:
            received[entry.attr["_value"].i] = found
        return found
    found = received.get(entry.attr["_value"].i)
    if found is None:
        raise errors.AbortedError(
            None, None, f"The value of {entry.name} is lost: the session was closed, or its containers were cleared."
        )
    return found


def _digest(dtype, value):
    content = hashlib.sha256(value.reshape(-1).view(np.uint8).data).digest()
    return hashlib.sha256(f"{dtype} {value.shape} ".encode() + content).digest()


def _node(entry, beside, operations):
    """beside: the value of a constant that lies outside the GraphDef, or None."""
    try:
        op_def = get_op_def(entry.op)
    except KeyError:
        raise errors.NotFoundError(
            None, None, f"Op type not registered '{entry.op}' in the process that runs {entry.name} on {entry.device}"
        ) from None
    attrs, own = {}, {}
    for key, value in entry.attr.items():
        attr = op_def.attrs.get(key)
        if attr is None and key in _OWN:
            own[key] = value
        else:
            attrs[key] = decode_attr(value, None if attr is None else attr.type)
    if beside is not None:
        attrs["value"] = beside
    line, name, op_type = (
        own[k].s.decode(errors="surrogateescape") if k in own else "" for k in ("_line", "_op", "_type")
    )
    name = name or entry.name
    op = operations.get(name)
    if op is None:
        op = operations[name] = UserOperation(name, op_type or entry.op, line)
    node_name = own["_name"].s.decode() if "_name" in own else entry.name
    types = output_types(entry.op, output_dtypes(op_def, attrs))
    return Node.derived(op, node_name, op_def, entry.device, attrs, [], types, [None] * len(types))
