"""Rewrites nodes that take references to frozen variables, so that they take values.

In a frozen graph a variable is a constant, so that Switch takes the place of RefSwitch, and a new value that of an
assignment: what used the reference that the assignment returned uses that value.
"""

import collections
import itertools

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def, is_registered
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.tensor_proto import array_to_proto
from tfcore.framework.types import dtypes

_HAND_ON = frozenset("Ref" + kind for kind in HANDS_ON)
_SUMS = {"AssignAdd": "Add", "AssignSub": "Sub"}
_SCATTERS = {f"Scatter{kind}": f"TensorScatter{kind}" for kind in ("Update", "Add", "Sub", "Min", "Max")}
_SCATTERS_ND = {f"ScatterNd{kind}": f"TensorScatter{kind}" for kind in ("Update", "Add", "Sub", "Min", "Max")}
_PRODUCTS = {"ScatterMul": "Mul", "ScatterDiv": "Div"}
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_WRITES_ONLY = "Assign"


def replace_references(graph_def, frozen):
    """Changes the nodes of a GraphDef that take references of variables.

    Args:
      graph_def: A GraphDef.
      frozen: The names of the variables that become constants.

    Raises:
      ValueError: A node changes a variable in a way that has no such form, is reached also by the reference of a
        variable that is not frozen, or reads a variable after it was changed, perhaps in an earlier iteration, other
        than through the reference that the assignment returned; or nothing orders two assignments.
    """
    references = _References(graph_def, frozen)
    if not references.users:
        return
    references.check_order()
    names = set(references.nodes)
    for node in references.users:
        _replace(node, references.taken(node)[0], _Additions(graph_def, names, node), references.text(node))


class _References:
    """Where the references of frozen variables go.

    behind: {output that is such a reference: names of the variables}. users: the nodes that take references, in order
    of the graph; nodes that read values are not among them.
    """

    def __init__(self, graph_def, frozen):
        self.nodes = {node.name: node for node in graph_def.node}
        self.consumers = collections.defaultdict(list)  # name -> nodes that wait for it
        for node in graph_def.node:
            for name in dict.fromkeys(node_of(text) for text in node.input):
                self.consumers[name].append(node)
        self.behind = {name: {name} for name in frozen}
        self.came_from = {name: set() for name in frozen}  # the nodes through which a reference came
        todo, found = list(frozen), set()
        while todo:
            name = todo.pop()
            for node in self.consumers[name]:
                taken = [text for text in self.taken(node) if node_of(text) in self.behind]
                if not taken:
                    continue
                found.add(node.name)
                if not _returns_reference(node):
                    continue
                variables, way = self.behind.setdefault(node.name, set()), self.came_from.setdefault(node.name, set())
                before = len(variables), len(way)
                for source in map(node_of, taken):
                    variables |= self.behind[source]
                    way |= self.came_from[source] | {node.name}
                if (len(variables), len(way)) != before:
                    todo.append(node.name)
        self.users = [node for node in graph_def.node if node.name in found]
        for node in self.users:
            strange = [text for text in self.taken(node) if node_of(text) not in self.behind]
            if strange:
                raise ValueError(f"{self.text(node)} also takes {strange[0]}, which is not frozen")

    def text(self, node):
        """What an error says first."""
        return _text(set().union(*(self.behind.get(node_of(text), ()) for text in self.taken(node))), node)

    def taken(self, node):
        """The inputs that the node takes as references."""
        if not is_registered(node.op):
            return []
        found, first = [], 0
        for arg in get_op_def(node.op).inputs:
            count = 1
            if arg.number_attr is not None:
                count = node.attr[arg.number_attr].i
            elif arg.type_list_attr is not None:
                count = len(node.attr[arg.type_list_attr].list.type)
            found += node.input[first : first + count] if arg.is_ref else ()
            first += count
        return found

    def check_order(self):
        """Refuses what reads a variable after an assignment through another reference than that which it returned, and
        assignments that nothing orders.
        """
        writers = [node for node in self.users if node.op not in _HAND_ON and _returns_reference(node)]
        after = {writer.name: self._after(writer.name) for writer in writers}
        for writer in writers:
            self._check_readers(writer, after[writer.name])
        for first, second in itertools.combinations(writers, 2):
            same = self.behind[first.name] & self.behind[second.name]
            is_open = second.name not in after[first.name] and first.name not in after[second.name]
            if same and is_open and not self._exclude_each_other(first, second):
                raise ValueError(
                    f"{_text(same, second)} changes it, as does {first.name} ({first.op}), and nothing orders them"
                )

    def _check_readers(self, writer, after):
        loops = self._loops(writer.name)
        for node in self.nodes.values():
            for text in self._read(node):
                source = node_of(text)
                same = self.behind[source] & self.behind[writer.name]
                if not same or writer.name in self.came_from[source]:
                    continue
                # A Merge does not wait for the writer where it reads another input.
                is_after = node.name in after and (node.op != "Merge" or source in after)
                if is_after or loops and loops & self._loops(node.name):
                    when = "" if is_after else " in an earlier iteration"
                    raise ValueError(
                        f"{_text(same, node)} reads it after {writer.name} ({writer.op}) has changed it{when}"
                    )

    def _loops(self, name):
        """The frames of the loops around a node."""
        found, depths, todo = set(), {name: 0}, [name]
        while todo:
            node = self.nodes[todo.pop()]
            depth = depths[node.name]
            if node.op in ("Enter", "RefEnter"):
                depth -= 1
                if depth < 0:
                    found.add(node.attr["frame_name"].s)
            elif node.op in ("Exit", "RefExit"):
                depth += 1
            for source in map(node_of, node.input):
                if source not in depths:
                    depths[source] = depth
                    todo.append(source)
        return found

    def _exclude_each_other(self, first, second):
        """Whether two nodes take their references in different branches of a conditional."""
        return any((predicate, not side) in self._branches(second) for predicate, side in self._branches(first))

    def _branches(self, node):
        """The (predicate, whether it is true) that a node's reference needs, from the last RefMerge on its way."""
        found = set()
        while node.op != "RefMerge" and (taken := self.taken(node)):
            node = self.nodes[node_of(taken[0])]
            if node.op == "RefSwitch":
                found.add((node.input[1], taken[0].endswith(":1")))
        return found

    def _after(self, name):
        """The names of the nodes that wait for a node."""
        seen, todo = set(), [name]
        while todo:
            for node in self.consumers[todo.pop()]:
                if node.name not in seen:
                    seen.add(node.name)
                    todo.append(node.name)
        return seen

    def _read(self, node):
        """The inputs that are references whose values the node reads."""
        if node.op == "Enter" and node.attr["is_constant"].b:
            value = self.nodes[node_of(node.input[0])]
            if value.op == "Identity" and len(value.input) == 1:
                node = value  # a loop that assigns to the variable reads it in each iteration (compiler/live_reads.py)
        unread = self.taken(node) if node.op in _HAND_ON or node.op == _WRITES_ONLY else ()
        found = [text for text in node.input if not text.startswith("^") and text not in unread]
        return [text for text in found if node_of(text) in self.behind and not self._is_index(text)]

    def _is_index(self, text):
        """Whether an input is not a reference, but the index of the one that a RefMerge forwards."""
        return text.endswith(":1") and self.nodes[node_of(text)].op == "RefMerge"


def node_of(text):
    """The name of the node that a NodeDef's input refers to."""
    return text[1:] if text.startswith("^") else text.partition(":")[0]


def _returns_reference(node):
    return any(arg.is_ref for arg in get_op_def(node.op).outputs)


def _text(variables, node):
    return f"Can't freeze the variable {min(variables)}: {node.name} ({node.op})"


def _replace(node, ref, made, text):
    """Changes a node that takes the reference `ref`. made: the _Additions for it. text: what an error says first."""
    if node.op in _HAND_ON:
        node.op = node.op.removeprefix("Ref")
    elif node.op == _WRITES_ONLY:
        _become(node, "Identity", [node.input[1]], "T")
        node.input.append(f"^{made.node('Identity', [ref], T='T')}")  # runs only where there is a reference
    elif node.op in _SUMS:
        _become(node, _SUMS[node.op], node.input[:2], "T")
    elif node.op in _SCATTERS_ND:
        _become(node, _SCATTERS_ND[node.op], node.input[:3], "T", "Tindices")
    elif node.op in _SCATTERS:
        flat, updates = _rows(ref, *node.input[1:3], made)
        positions = made.node("ExpandDims", [flat, made.constant(-1, after=flat)], T="Tindices")
        _become(node, _SCATTERS[node.op], [ref, positions, updates], "T", "Tindices")
    elif node.op in _PRODUCTS:
        flat, updates = _rows(ref, *node.input[1:3], made)
        int32 = dtypes.int32.as_datatype_enum
        sizes = made.node("Shape", [ref], T="T")
        size = made.node("Gather", [sizes, made.constant(0, after=flat)], Tparams=int32, Tindices=int32)
        types = {"T": "T", "Tindices": "Tindices", "Tnumsegments": int32}
        product = made.node("UnsortedSegmentProd", [updates, flat, size], **types)  # 1 where nothing is updated
        _become(node, _PRODUCTS[node.op], [ref, product], "T")
    elif node.op == "StridedSliceAssign":
        _become(node, "Select", _assigned_slice(ref, node.input[1:4], node.input[4], made), "T")
    elif node.op == "IsVariableInitialized":
        alive = made.node("Identity", [ref], T="dtype")
        _become(node, "Const", [f"^{alive}"])
        _set_value(node, np.array(True))
    else:
        raise ValueError(f"{text} has no form that takes values")


def _rows(ref, indices, updates, made):
    """(the indices as a vector, a row of updates for each)"""
    flat = made.node("Reshape", [indices, made.constant([-1], after=indices)], T="Tindices")
    shapes = []
    for rows in (indices, flat):
        rows = made.node("Gather", [ref, rows], Tparams="T", Tindices="Tindices")
        shapes.append(made.node("Shape", [rows], T="T"))
    updates = made.node("BroadcastTo", [updates, shapes[0]], T="T")  # one value may stand for all
    return flat, made.node("Reshape", [updates, shapes[1]], T="T")


def _assigned_slice(ref, where, value, made):
    """[which elements of a variable are in the slice, the value in their places, the variable]"""
    size = made.node("Shape", [made.sliced("StridedSlice", [ref, *where], "T")], T="T")
    shape = made.node("Shape", [ref], T="T", out_type="Index")
    inputs = []
    for part, dtype in ((made.constant(True, after=ref, dtype="T"), dtypes.bool.as_datatype_enum), (value, "T")):
        part = made.node("BroadcastTo", [part, size], T=dtype)
        inputs.append(made.sliced("StridedSliceGrad", [shape, *where, part], dtype))
    return [*inputs, ref]


def _set_value(constant, value):
    value = array_to_proto(value)
    constant.attr["dtype"].type = value.dtype
    constant.attr["value"].tensor.CopyFrom(value)


def _become(node, op, inputs, *kept):
    """Makes a node one of another type, with these inputs, its control inputs, and some of its attributes."""
    controls = [text for text in node.input if text.startswith("^")]
    for key in node.attr.keys() - {*kept, "_class"}:
        del node.attr[key]
    node.op = op
    node.ClearField("input")
    node.input.extend([*inputs, *controls])


class _Additions:
    """Adds nodes to a GraphDef on behalf of one of its nodes."""

    def __init__(self, graph_def, names, of):
        self._graph_def, self._names, self._of = graph_def, names, of

    def _new(self, op):
        number, name = 0, f"{self._of.name}/{op}"
        while name in self._names:
            number += 1
            name = f"{self._of.name}/{op}_{number}"
        self._names.add(name)
        return self._graph_def.node.add(name=name, op=op, device=self._of.device)

    def node(self, op, inputs, **types):
        """The name of a new node.

        types: {its attribute: a type, or the attribute of the node on whose behalf it is made}.
        """
        new = self._new(op)
        new.input.extend(inputs)
        for key, source in types.items():
            new.attr[key].type = self._of.attr[source].type if isinstance(source, str) else source
        return new.name

    def sliced(self, op, inputs, dtype):
        """The name of a new node with the masks of the slice that the node assigns to."""
        name = self.node(op, inputs, T=dtype, Index="Index")
        for mask in _MASKS:
            self._graph_def.node[-1].attr[mask].i = self._of.attr[mask].i
        return name

    def constant(self, value, after, dtype="Tindices"):
        """The name of a constant, True or of type int32, in the frame of the value `after`.

        dtype: the attribute with the type of `after`, or this type.
        """
        alive = self.node("Identity", [after], T=dtype)
        new = self._new("Const")
        new.input.append(f"^{alive}")
        _set_value(new, np.array(value, bool if value is True else np.int32))
        return new.name
