"""The compiler's own copy of the part of a graph that one run needs: light nodes that passes may rewrite freely."""

from tfcore.compiler.frames import CONTROL_FLOW, MERGE, NEXT_ITERATION, before
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.definitions.random_ops import draws_random_numbers
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.types import dtypes

_READ_ONLY = CONTROL_FLOW | {"IsVariableInitialized", "RefIdentity", "RefSelect"}  # of those that take references
_READS_FILES = frozenset(["ImmutableConst", "MatchingFiles", "ReadFile"])  # files may change between runs


def each_argument(args, attrs):
    """For each input or output, the ArgDef to which it belongs; args: those of the op definition."""
    found = []
    for arg in args:
        count = 1
        if arg.number_attr is not None:
            count = attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(attrs[arg.type_list_attr])
        found.extend([arg] * count)
    return found


def takes_references(op_def, attrs):
    """For each input, whether the op takes a reference to a variable there (otherwise it takes the value)."""
    return [arg.is_ref for arg in each_argument(op_def.inputs, attrs)]


def _has_state(dtype):
    """Whether a value of this type refers to a variable or an object of a kernel, which may change."""
    return dtype in (dtypes.resource, dtypes.variant) or dtype._is_ref_dtype


class Node:
    """An operation in a program under compilation.

    Attributes:
      op: the user's Operation it comes from (errors name it). type, attrs, op_def, name, device: as in the graph.
      inputs: list of (Node, output index); controls: list of Nodes. Both may be replaced by passes.
      dtypes: DType of each output; dims: static shape of each output.
      frame, out_frame: see `frames.assign_frames`; not set in programs without control flow.
    """

    __slots__ = (
        "op",
        "type",
        "op_def",
        "name",
        "device",
        "attrs",
        "inputs",
        "controls",
        "dtypes",
        "dims",
        "index",
        "kernel",
        "frame",
        "out_frame",
    )

    def __init__(self, op):
        self.op = op
        self.type = op.type
        self.op_def = op.op_def
        self.name = op.name
        self.device = op.device
        self.attrs = op.attrs
        self.inputs = []
        self.controls = []
        self.dtypes = [t.dtype for t in op.outputs]
        self.dims = [t.dims for t in op.outputs]
        self.kernel = None

    @classmethod
    def derived(cls, op, name, op_def, device, attrs, inputs, dtypes, dims, controls=()):
        """A node that the compiler adds on behalf of the user's operation `op`."""
        node = cls.__new__(cls)
        node.op, node.name, node.device = op, name, device
        node.type, node.op_def, node.attrs = op_def.name, op_def, attrs
        node.inputs, node.controls = list(inputs), list(controls)
        node.dtypes, node.dims = dtypes, dims
        node.kernel = node.frame = node.out_frame = None
        return node

    @property
    def original(self):
        return self.op

    @property
    def creation_line(self):
        return self.op.creation_line

    @property
    def is_feed(self):
        return False

    def reads_reference(self):
        """Whether some input is a reference to a variable, so that it matters when the node runs."""
        return any(node.dtypes[index]._is_ref_dtype for node, index in self.inputs)

    def takes_references(self):
        """For each input, whether the op takes a reference to a variable there (otherwise it takes the value)."""
        return takes_references(self.op_def, self.attrs)

    def may_write(self):
        """Whether it takes a reference to a variable, whose value it may change."""
        return any(arg.is_ref for arg in self.op_def.inputs)

    def writes(self):
        """Whether it may change the variables behind the references that it takes: it does more than hand them on."""
        if not self.may_write() or self.type in _READ_ONLY:
            return False
        return any(  # `handles.py` has replaced references to queues
            is_ref and source.dtypes[index]._is_ref_dtype
            for (source, index), is_ref in zip(self.inputs, self.takes_references())
        )

    def is_pure(self):
        """Whether it is a function of its inputs alone: it may be folded, merged with an equal node, or dropped."""
        return not (
            self.type in CONTROL_FLOW
            or self.type in _READS_FILES
            or draws_random_numbers(self.type)
            or self.op_def.stateful
            or self.is_feed
            or any(_has_state(node.dtypes[index]) for node, index in self.inputs)
            or any(_has_state(t) for t in self.dtypes)
        )

    def __repr__(self):
        return f"<{self.type} {self.name}>"


def variables_behind(node):
    """The nodes that created the references that a node takes; itself, if it takes none."""
    variables, seen, todo = set(), {node}, [node]
    while todo:
        node = todo.pop()
        sources = [source for (source, _), is_ref in zip(node.inputs, node.takes_references()) if is_ref]
        if not sources:
            variables.add(node)
        todo += [s for s in sources if s not in seen]
        seen.update(sources)
    return variables


class Feed(Node):
    """Stands for one fed tensor."""

    __slots__ = ()

    def __init__(self, tensor):
        self.op = tensor.op
        self.type = "_Feed"
        self.op_def = None
        self.name = tensor.name
        self.device = ""
        self.attrs = {}
        self.inputs = []
        self.controls = []
        self.dtypes = [tensor.dtype.base_dtype]
        self.dims = [tensor.dims]
        self.kernel = None

    @property
    def is_feed(self):
        return True

    def takes_references(self):
        return []


class Program:
    """Nodes in topological order, with inputs and outputs.

    Attributes:
      nodes: every Node after its inputs and controls. feeds: list of Feed.
      fetches: list of (Node, index) whose values the run returns. targets: Nodes that must run.
      fuses_loops: whether `lower` may fuse loops (`fused_loops.py`).
      fetch_devices: for each fetch the full name of the device in whose memory its value stays, or None; or empty.
    """

    fuses_loops = False
    fetch_devices = ()

    def __init__(self, nodes, feeds, fetches, targets):
        self.nodes = nodes
        self.feeds = feeds
        self.fetches = fetches
        self.targets = targets

    def replace(self, values=None, nodes=None):
        """Redirects uses: `values` maps pairs (node, index), `nodes` control sources and targets."""
        values = values or {}
        nodes = nodes or {}

        def value(pair):
            while pair in values:
                pair = values[pair]
            return pair

        def node(n):
            while n in nodes:
                n = nodes[n]
            return n

        for n in self.nodes:
            n.inputs = [value(p) for p in n.inputs]
            if n.controls:
                n.controls = [c for c in dict.fromkeys(map(node, n.controls)) if c is not n]
        self.fetches = [value(p) for p in self.fetches]
        self.targets = [node(t) for t in self.targets]

    def prune(self):
        """Drops nodes that are no longer needed and restores a topological order."""
        roots = [n for n, _ in self.fetches] + self.targets
        self.nodes = [n for n in topological_order(roots) if not n.is_feed]

    def consumers(self):
        """Maps each (node, index) to the nodes that use it; a fetch counts as None."""
        found = {}
        for n in self.nodes:
            for pair in n.inputs:
                found.setdefault(pair, []).append(n)
        for pair in self.fetches:
            found.setdefault(pair, []).append(None)
        return found


def _cycle_text(child, node):
    locations = errors.location(child) + errors.location(node)
    return f"The graph has a cycle through {child.name} and {node.name}.{locations}"


def topological_order(roots):
    """All nodes that `roots` need, each after its inputs and controls, except that a Merge may precede a
    NextIteration that it takes a value from. Iterative, since graphs can be deep.

    Raises:
      InvalidArgumentError: there is a cycle.
    """
    order, state = [], {}  # state: 1 while on the path, 2 when done
    roots = list(roots)
    for root in roots:  # grows meanwhile
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(before(root)))]
        while stack:
            node, rest = stack[-1]
            for child in rest:
                seen = state.get(child)
                if seen is None:
                    state[child] = 1
                    stack.append((child, iter(before(child))))
                    break
                if seen == 1:
                    raise errors.InvalidArgumentError(None, child.op, _cycle_text(child, node))
            else:
                state[node] = 2
                order.append(node)
                if node.type in MERGE:
                    roots += [n for n, _ in node.inputs if n.type in NEXT_ITERATION]
                stack.pop()
    return order


# Ops that are stateful only to prevent merging and folding: they can be dropped if their value is not used.
_ONLY_VALUES = frozenset(["Variable", "VariableV2", "_ResourceVariable"])  # and ops that draw random numbers


def effect_free(nodes):
    """The nodes (topologically ordered) that can be dropped, with all they need, if their value is known otherwise."""
    free = set()
    for n in nodes:
        if n.type in CONTROL_FLOW or n.attrs.get("_may_be_dead"):
            continue
        if n.op_def.stateful and n.type not in _ONLY_VALUES and not draws_random_numbers(n.type):
            continue
        if n.may_write():
            continue
        if all(source in free or source.is_feed for source, _ in n.inputs) and all(c in free for c in n.controls):
            free.add(n)
    return free


def build(fetches, feeds, targets):
    """The Program that fetches the Tensors `fetches` and runs the Operations `targets`, given the Tensors `feeds`.

    It contains only what is needed: not what would have computed a fed tensor.
    """
    feed_nodes = {t: Feed(t) for t in feeds}
    given = {t.op for t in feeds if t.op.type in ("Placeholder", "PlaceholderV2")}  # nothing waits for these
    nodes = {}
    todo = [t.op for t in fetches if t not in feed_nodes] + list(targets)
    seen = set(todo)
    while todo:
        op = todo.pop()
        nodes[op] = Node(op)
        for t in op.inputs:
            if t not in feed_nodes and t.op not in seen:
                seen.add(t.op)
                todo.append(t.op)
        for c in op.controls:
            if c not in seen and c not in given:
                seen.add(c)
                todo.append(c)

    incomplete = next((op.graph.incomplete_ops.intersection(nodes) for op in nodes), None)
    if incomplete:
        op = min(incomplete, key=lambda op: op._id)
        text = f"Operation '{op.name}' (op: '{op.type}') has only {len(op.inputs)} of its inputs: "
        text += f"add the others with Operation._add_input{errors.location(op)}"
        raise errors.InvalidArgumentError(None, op, text)

    def value(tensor):
        feed = feed_nodes.get(tensor)
        return (nodes[tensor.op], tensor.value_index) if feed is None else (feed, 0)

    for op, node in nodes.items():
        node.inputs = [value(t) for t in op.inputs]
        node.controls = [nodes[c] for c in op.controls if c not in given]
    program = Program([], list(feed_nodes.values()), [value(t) for t in fetches], [nodes[t] for t in targets])
    program.prune()
    if any(t.dtype._is_ref_dtype for t in feeds):
        _hand_on_fed_values(program)
    return program


def _hand_on_fed_values(program):
    """Lets control flow hand on the value that is fed for a variable, where it would hand on a reference."""
    for node in program.nodes:
        if node.type.startswith("Ref") and node.type[3:] in HANDS_ON:
            source, index = node.inputs[0]
            if not source.dtypes[index]._is_ref_dtype:
                node.type = node.type[3:]
                node.op_def = get_op_def(node.type)
                node.dtypes = [t.base_dtype for t in node.dtypes]
