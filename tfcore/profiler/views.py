"""The views of a profile: by name scopes, by inputs, by lines of the program, by op types."""

import os

from tfcore.framework import protos
from tfcore.profiler.nodes import MEMORY, TIMES, Group, Node, saturated
from tfcore.profiler.options import matches
from tfcore.profiler.texts import FIELDS, code_line, legend, op_line, tree_line

ROOT = "_TFProfRoot"
_GRADIENT = " (gradient)"
_TOTALS = (*TIMES, *MEMORY, "parameters", "float_ops")


class _Shown:
    """A node as a view has it.

    Attributes:
      node: a Node or Group. message: what is known of it. children: below it; shown: those of them that are shown.
      is_counted: whether the options count it. members: of a Group, those that are counted.
    """

    counted = _TOTALS

    def __init__(self, node):
        self.node, self.name = node, node.name
        self.children, self.shown = [], []
        self.message, self.members, self.is_counted, self.text = None, [], False, ""

    def begin(self):
        """The totals are those of the node itself."""
        for name in self.counted:
            setattr(self.message, f"total_{name}", getattr(self.message, name))

    def add(self, other):
        """Adds the totals of another node."""
        for name in self.counted:
            total = f"total_{name}"
            setattr(self.message, total, saturated(getattr(self.message, total) + getattr(other.message, total)))

    def take(self, options, nodes):
        """Gets the numbers of a step, and whether the options count the node. nodes: {name: Node}"""
        self.members = self.node.chosen(options)
        self.message = self.node.message(self.members, options.step, nodes)
        self.is_counted = bool(self.members) or options.matches_everything("account_type_regexes")


class _ShownNode(_Shown):
    """A node of the views scope and graph."""

    counted = ("run_count", *_TOTALS)

    def begin(self):
        super().begin()
        self.message.total_definition_count = 1

    def add(self, other):
        super().add(other)
        self.message.total_definition_count += other.message.total_definition_count

    def take(self, options, nodes):
        self.message = self.node.message(options.step, nodes)
        patterns = options.account_type_regexes
        self.is_counted = options.matches_everything("account_type_regexes") or any(
            matches(patterns, type_) for type_ in self.node.types
        )


def _run(call):
    """The result of a generator that yields the calls it makes, without the limit of Python's own recursion."""
    stack, value = [call], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as end:
            stack.pop()
            value = end.value
    return value


class _Tree:
    """A view with nodes below nodes. Each is shown once, although a graph may reach it on several paths."""

    keeps_parents = True  # whether a node that isn't counted stays if something below it is
    _root_type = "_kTFScopeParent"
    is_code = False

    def __init__(self, profile):
        self.nodes = profile.nodes
        self.root = self._make_root()
        self._build()

    def _make_root(self):
        return _ShownNode(Node(-1, protos.NodeDef(name=ROOT, op=self._root_type)))

    def show(self, options):
        """(message, text) of what the options ask for."""
        root = self.root
        root.take(options, self.nodes)
        root.is_counted = False
        top = _run(self._count(root.children, options, set()))
        for node in top:
            root.add(node)
        if not options.matches_everything("start_name_regexes"):
            top = _run(self._starts(top, options, set()))
        root.shown = top
        _run(self._choose([root], options, 1, 0, set()))
        lines = [legend(options, not self.is_code)]
        message = type(root.message)()
        _run(_fill(root, message, lines))
        return message, "".join(lines)

    def _count(self, nodes, options, seen):
        """The nodes that count, with their totals; without those that don't, unless they hold some that do."""
        counted = []
        for node in nodes:
            if node in seen:
                continue
            seen.add(node)
            below = yield self._count(node.children, options, seen)
            node.take(options, self.nodes)
            if node.is_counted or (below and self.keeps_parents):
                node.begin()
                for child in below:
                    node.add(child)
                node.shown = below
                counted.append(node)
            else:
                counted += below
        return counted

    def _starts(self, nodes, options, seen):
        """The first node on each path that is a start."""
        found = []
        for node in nodes:
            if node in seen:
                continue
            seen.add(node)
            if matches(options.start_name_regexes, node.name):
                found.append(node)
            else:
                found += yield self._starts(node.shown, options, seen)
        return found

    def _choose(self, nodes, options, depth, indent, seen):
        """The nodes to show; those below a node that isn't shown take its place."""
        chosen = []
        for node in nodes:
            if node in seen:
                continue
            seen.add(node)
            ends = matches(options.trim_name_regexes, node.name) or depth > options.max_depth
            if ends and self.is_code:
                continue
            shows = self._shows(node, options, depth)
            below = []
            if not ends:
                below = yield self._choose(node.shown, options, depth + 1, indent + 2 * shows, seen)
            if not shows:
                chosen += below
                continue
            node.shown = sort(below, options)
            if options.account_displayed_op_only and not self.is_code:
                node.begin()
                for child in node.shown:
                    node.add(child)
            line = code_line if self.is_code else tree_line
            node.text = f"{' ' * indent}{line(node, options)}\n"
            chosen.append(node)
        return chosen

    def _shows(self, node, options, depth):
        if node is self.root:
            return True
        prefix = "total_" if self.is_code else ""
        message = node.message
        return (
            reaches_minimum(message, options)
            and getattr(message, f"{prefix}parameters") >= options.min_params
            and getattr(message, f"{prefix}float_ops") >= options.min_float_ops
            and (self.is_code or message.run_count >= options.min_occurrence)
            and depth <= options.max_depth
            and is_named(node, options)
        )


def _fill(node, message, lines):
    """Fills the message of a node and those below it, and appends their texts to `lines`."""
    lines.append(node.text)
    message.MergeFrom(node.message)
    for child in node.shown:
        yield _fill(child, message.children.add(), lines)


def reaches_minimum(message, options):
    """Whether time and memory are as large as the options ask for."""
    names = [name for name in FIELDS if name.endswith(("bytes", "micros"))]
    return all(getattr(message, f"total_{FIELDS[name]}") >= getattr(options, f"min_{name}") for name in names)


def is_named(node, options):
    """Whether the options show a node of this name."""
    shown = options.matches_everything("show_name_regexes") or matches(options.show_name_regexes, node.name)
    return shown and not matches(options.hide_name_regexes, node.name)


def sort(nodes, options):
    """The nodes in the order that the options ask for."""
    if options.order_by in FIELDS:
        field = f"total_{FIELDS[options.order_by]}"
        return sorted(nodes, key=lambda node: -getattr(node.message, field))
    if options.order_by == "occurrence":
        return sorted(nodes, key=lambda node: (-len(node.members), node.name))
    return sorted(nodes, key=lambda node: node.name) if options.order_by else nodes


class ScopeView(_Tree):
    """By name scopes."""

    def _build(self):
        shown = {name: _ShownNode(node) for name, node in self.nodes.items()}
        for name in list(shown):
            while "/" in name:
                name = name.rpartition("/")[0]
                if name not in shown:
                    shown[name] = _ShownNode(Node(-1, protos.NodeDef(name=name, op="_kTFScopeParent")))
        for name in sorted(shown):
            scope = name.rpartition("/")[0]
            (shown[scope] if "/" in name else self.root).children.append(shown[name])


class GraphView(_Tree):
    """By inputs: the inputs of a node are below it."""

    keeps_parents = False
    _root_type = "_TFGraphParent"

    def _build(self):
        shown = {name: _ShownNode(self.nodes[name]) for name in sorted(self.nodes)}
        used = set()
        for node in shown.values():
            for name, _ in node.node.inputs:
                used.add(name)
                if name in shown:
                    node.children.append(shown[name])
        self.root.children = [node for name, node in shown.items() if name not in used]


class CodeView(_Tree):
    """By lines of the program: what a line calls is below it. Gradients count for the line of their operation."""

    is_code = True

    def _make_root(self):
        return _Shown(Group(ROOT))

    def _build(self):
        self._below = {}  # (node, name) -> the node of that name below it
        gradients = {}
        for name in sorted(self.nodes):
            node = self.nodes[name]
            if forward := _forward_name(name):
                if node.traces:
                    gradients.setdefault(forward, []).append(node)
            elif node.traces:
                self._leaf(node.traces, "").members[name] = node
        for forward in sorted(gradients):
            if forward in self.nodes and self.nodes[forward].traces:
                leaf = self._leaf(self.nodes[forward].traces, _GRADIENT)
                leaf.members.update((node.name, node) for node in gradients[forward])

    def _leaf(self, traces, suffix):
        """The Group of the innermost frame."""
        at = self.root
        for file, line, function in traces:
            function = function if len(function) < 20 else f"{function[:17]}..."
            name = f"{os.path.basename(file)}:{line}:{function}{suffix}"
            if (at, name) not in self._below:
                self._below[at, name] = _Shown(Group(name))
                at.children.append(self._below[at, name])
            at = self._below[at, name]
        return at.node


def _forward_name(name):
    """The operation whose gradient a node is part of, from its name; "" if it is none."""
    start, end = name.find("gradients/"), name.find("_grad/")
    return name[start + len("gradients/") : end] if 0 <= start < end else ""


class OpView:
    """By op types: a list, each with the total of those after it."""

    def __init__(self, profile):
        self.nodes = profile.nodes
        groups = {}
        for node in profile.nodes.values():
            groups.setdefault(node.op, Group(node.op)).members[node.name] = node
        self._groups = [groups[op] for op in sorted(groups)]

    def show(self, options):
        """(message, text) of what the options ask for."""
        root = _Shown(Group(ROOT))
        root.take(options, self.nodes)
        found = [_Shown(group) for group in self._groups]
        for node in found:
            node.take(options, self.nodes)
            node.begin()
        counted = [node for node in sort(found, options) if node.is_counted]
        _add_up(root, counted)
        shown = []
        for depth, node in enumerate(counted[self._start(counted, options) :]):
            if matches(options.trim_name_regexes, node.name) or depth > options.max_depth:
                break
            if self._shows(node, options):
                shown.append(node)
        if options.account_displayed_op_only:
            for node in shown:
                node.begin()
            root.begin()
            _add_up(root, shown)
        text = legend(options, False) + "".join(op_line(node, root.message, options) for node in shown)
        at = root.message
        for node in shown:
            at = at.children.add()
            at.MergeFrom(node.message)
        return root.message, text

    @staticmethod
    def _start(nodes, options):
        if not options.start_name_regexes or options.matches_everything("start_name_regexes"):
            return 0
        return next((i for i, n in enumerate(nodes) if matches(options.start_name_regexes, n.name)), len(nodes))

    @staticmethod
    def _shows(node, options):
        message = node.message
        return (
            reaches_minimum(message, options)
            and message.total_parameters >= options.min_params
            and message.total_float_ops >= options.min_float_ops
            and len(node.members) >= options.min_occurrence
            and is_named(node, options)
        )


def _add_up(root, nodes):
    """Each node gets the totals of those after it, and the root those of all."""
    after = None
    for node in reversed(nodes):
        if after is not None:
            node.add(after)
        after = node
    if after is not None:
        root.add(after)


VIEWS = {"scope": ScopeView, "graph": GraphView, "code": CodeView, "op": OpView}
