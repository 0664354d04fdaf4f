"""Placement: the device of each node.

The user's requests decide: full or partial device names, and colocation groups (`colocation.py`). Of the devices that
match and have kernels for all of a group, the first is taken: the client's task before others, GPUs before CPUs and
these before other types, CPU:0 before CPU:1. A GPU must also be able to hold the values (`argument_memory.py`). As in
TensorFlow, a constant without a request goes where its only consumers are, and an op that only reads a shape goes where
the value is. Control-flow ops go where the values that they forward are produced. Costs (`cost.py`) decide only if
`ConfigProto.graph_options.build_cost_model` is set; otherwise placement is the same in every run.
"""

import sys

from tfcore.compiler.argument_memory import can_hold
from tfcore.compiler.colocation import ColocationGroups, listing
from tfcore.compiler.devices import device_type, has_own_memory
from tfcore.compiler.frames import CONTROL_FLOW, MERGE, NEXT_ITERATION, SWITCH, has_control_flow
from tfcore.compiler.python_functions import PYTHON_ON_GPUS
from tfcore.compiler.resource_variables import by_reference
from tfcore.core.registry.registry import find_kernel, has_user_kernels
from tfcore.framework import errors
from tfcore.framework.device import parse

# Ops that only forward values: a device without kernels for them uses the CPU's, since it shares the CPU's memory.
_ANYWHERE = frozenset(
    "Const ExpandDims Identity IdentityN NoOp Placeholder PlaceholderV2 PlaceholderWithDefault"
    " PreventGradient Rank Reshape Shape ShapeN Size Snapshot Squeeze StopGradient Variable VariableV2"
    " _ResourceVariable".split()
).union(CONTROL_FLOW)
# Ops that have kernels for GPUs only. All others have one for CPUs.
_ON_GPUS_ONLY = PYTHON_ON_GPUS.union(["CudaKernel"])
_LOOKS_AT_SHAPES = frozenset(["Shape", "ShapeN", "Size", "Rank"])


def kernel_for(node):
    """The entry of the kernel registry that runs a placed node.

    Raises:
      InvalidArgumentError: there is none. UnimplementedError: there is none for a Cast.
    """
    wanted = device_type(node.device)
    try:
        return find_kernel(node.type, wanted, node.attrs)
    except errors.NotFoundError as error:
        if wanted != "CPU" and node.type in _ANYWHERE and not has_own_memory(node.device):
            return find_kernel(node.type, "CPU", node.attrs)
        raise _no_kernel(node, error.message) from None


def _no_kernel(node, reason):
    """The error of TensorFlow's placer; its Cast has a kernel for all types, which refuses some."""
    if node.type == "Cast":
        source, target = (node.attrs[name].name for name in ("SrcT", "DstT"))
        return errors.UnimplementedError(None, node.op, f"Cast {source} to {target} is not supported. {reason}")
    if node.type in _ON_GPUS_ONLY:
        reason = _only_on_gpus(node)
    text = f"No OpKernel was registered to support Op '{node.type}' used by {{{{node {node.name}}}}}. {reason}"
    return errors.InvalidArgumentError(None, node.op, text)


def _only_on_gpus(node):
    return (
        f"{node.type} runs on GPUs only, but {node.name} is placed on {node.device}. Without a card, "
        "TFCORE_EMULATE_GPUS=1 in the environment emulates one."
    )


def _device_mapping(devices):
    gpus = [name for name in devices.names() if has_own_memory(name)]
    if not gpus:
        return ["Device mapping: no known devices."]
    return ["Device mapping:", *[f"{name} -> {devices.description(name)}" for name in gpus]]


class Placer:
    """Places the programs of one session.

    soft: a request that can't be met is replaced by the nearest that can, within the requested task. log: print
    TensorFlow's line about each operation to stderr. cost: a `cost.CostPlacer` for what is not decided otherwise.
    """

    def __init__(self, devices, soft=False, log=False, cost=None):
        self._devices = devices
        self._soft = soft
        self._cost = cost
        self._groups = None
        self._logged = set() if log else None
        if log:
            print("\n".join(_device_mapping(devices)), file=sys.stderr)

    def place(self, program):
        """Sets `node.device` of every node to the full name of a device.

        Raises:
          InvalidArgumentError: a node asks for a device that does not exist or has no kernel for it, or nodes that
            must share a device ask for different ones.
        """
        nodes = program.nodes
        if not nodes or len(self._devices.names()) == 1 and not any(n.device for n in nodes):
            for node in nodes:
                node.device = self._devices.default
        else:
            self._place(program)
        if self._logged is not None:
            self._log(nodes)

    def _place(self, program):
        groups = self._current_groups(program)
        by_root = {}
        for node in program.nodes:
            by_root.setdefault(groups.root(node.op), []).append(node)
        allowed = {root: self._allowed(nodes, groups) for root, nodes in by_root.items()}
        if self._cost is not None:
            by_node = {n: allowed[r] for r, nodes in by_root.items() for n in nodes}
            self._cost.place(program, by_node, by_root.values(), self._devices.default)
        else:
            for root, nodes in by_root.items():
                for node in nodes:
                    node.device = allowed[root][0]
            if has_control_flow(program.nodes):
                _Steering(program, groups, by_root, allowed).follow()
        _follow_neighbours(program, {nodes[0]: allowed[root] for root, nodes in by_root.items() if len(nodes) == 1})

    def _current_groups(self, program):
        graph = program.nodes[0].op.graph if program.nodes else None
        # A signal handler that compiles a plan during the update makes its own; an error leaves no half of an update.
        groups, self._groups = self._groups, None
        if groups is None or groups.graph is not graph or groups.version != graph.mutation_version:
            groups = ColocationGroups(graph, self._soft)
        groups.update()
        self._groups = groups
        return groups

    def _allowed(self, nodes, groups):
        """The devices on which a group of nodes may be, the preferred one first."""
        parts = groups.parts(nodes[0].op)
        found = self._devices.matching(parts)
        if not found and self._soft:
            for fewer in ((*parts[:4], None), (*parts[:3], None, None)):
                found = found or self._devices.matching(fewer)
        if not found:
            raise self._no_device(nodes, groups)
        members = groups.of(nodes[0].op)
        holders = self._that_hold(found, members)
        if not holders and self._soft:  # not where this run could be: others would have the group elsewhere
            holders = self._that_hold(self._devices.matching((*parts[:3], None, None)), members)
        found = holders or found
        served = [d for d in found if self._serves(d, nodes)]
        if not served and self._soft:
            served = [d for d in self._devices.matching((*parts[:3], None, None)) if self._serves(d, nodes)]
        if not served:
            raise self._no_kernel(nodes, found, groups)
        return served

    def _that_hold(self, devices, members):
        return [d for d in devices if not has_own_memory(d) or self._holds_all(d, members)]

    @staticmethod
    def _holds_all(device, members):
        """Whether a device can run all operations of a group, also those that this run does not need: a variable must
        not be in two places."""
        if len(members) == 1:
            return True
        return all(can_hold(node, taken, node.dtypes, device) for node, taken in map(by_reference, members))

    def _serves(self, device, nodes):
        """Whether a device has kernels for all nodes. The CPU lacks only those of ops for other devices."""
        kind = device_type(device)
        if kind == "CPU":
            nodes = [node for node in nodes if has_user_kernels(node.type) or node.type in _ON_GPUS_ONLY]
        return kind == "NULL" or all(_has_kernel(node, device) for node in nodes)

    def _no_device(self, nodes, groups):
        members = groups.of(nodes[0].op)
        asks = next((n for n in nodes if n.device), nodes[0])
        wanted = asks.device or next(op.device for op in members if op.device)
        text = (
            f"Cannot assign a device for operation {asks.name}: Operation was explicitly assigned to {wanted} but "
            f"available devices are [ {', '.join(self._devices.names())} ]. Make sure the device specification refers "
            "to a valid device."
        )
        more = listing(members) if len(members) > 1 else ""
        why = self._devices.why_no_device(parse(wanted))
        return errors.InvalidArgumentError(None, asks.op, text + why + more + errors.location(asks.op))

    def _no_kernel(self, nodes, found, groups):
        lacking = [n for n in nodes if not _has_kernel(n, found[0])]
        node, kind = lacking[0], device_type(found[0])
        if len(nodes) > 1 and not node.device:
            other = next(n for n in nodes if n is not node)
            text = (
                f"Cannot assign a device for operation {node.name}: Cannot colocate nodes "
                f"{{{{colocation_node {node.name}}}}} and {{{{colocation_node {other.name}}}}} because no device type "
                f"supports both of those nodes and the other nodes colocated with them: no supported kernel of "
                f"{node.type} for {kind} devices is available."
            )
            return errors.InvalidArgumentError(
                None, node.op, text + listing(groups.of(node.op)) + errors.location(node.op)
            )
        try:
            find_kernel(node.type, kind, node.attrs)
            reason = f"Values of its types can't be in the memory of a {kind}."
        except errors.NotFoundError as error:
            reason = _only_on_gpus(node) if node.type in _ON_GPUS_ONLY else error.message
        text = (
            f"Cannot assign a device for operation {node.name}: Could not satisfy explicit device specification "
            f"'{node.device}' because no supported kernel for {kind} devices is available. {reason}"
        )
        return errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))

    def _log(self, nodes):
        for node in nodes:
            if node.name not in self._logged:
                self._logged.add(node.name)
                print(f"{node.name}: ({node.type}): {node.device}", file=sys.stderr)


def _has_kernel(node, device):
    if has_own_memory(device):
        return can_hold(node, [source.dtypes[index] for source, index in node.inputs], node.dtypes, device)
    try:
        find_kernel(node.type, device_type(device), node.attrs)
    except errors.NotFoundError:
        return node.type in _ANYWHERE
    return True


class _Steering:
    """Moves control-flow nodes without a request to where their values are.

    A loop variable goes where its next value is computed, if that has a device request: it would have to come from
    there in each iteration, and mostly go back.
    """

    def __init__(self, program, groups, by_root, allowed):
        self._program, self._groups, self._by_root, self._allowed = program, groups, by_root, allowed
        self._users = program.consumers()

    def follow(self):
        for node in self._program.nodes:
            if node.type in MERGE:
                self._follow_next(node)
        for node in self._program.nodes:
            sources = [s for s, _ in node.inputs if not s.is_feed]
            if node.type in MERGE and not any(s.type in NEXT_ITERATION for s in sources):
                self._move(node, sources)
            elif node.type in SWITCH or (node.type == "Identity" and sources and sources[0].type in CONTROL_FLOW):
                self._move(node, sources[:1])

    def _is_free(self, node):
        return all(part is None for part in self._groups.parts(node.op))

    def _move(self, node, sources):
        devices = {s.device for s in sources}
        root = self._groups.root(node.op)
        if len(devices) == 1 and self._is_free(node) and devices <= set(self._allowed[root]):
            for member in self._by_root[root]:
                (member.device,) = devices

    def _follow_next(self, merge):
        made = [n.inputs[0][0] for n, _ in merge.inputs if n.type in NEXT_ITERATION]
        if not made or any(s.is_feed or self._is_free(s) for s in made):
            return
        switches = [n for n in self._users.get((merge, 0), ()) if n is not None and n.type in SWITCH]
        exits = [n for s in switches for n in self._users.get((s, 0), ()) if n is not None and n.type in CONTROL_FLOW]
        entries = [n for n, _ in merge.inputs if not n.is_feed and n.type in CONTROL_FLOW]
        for node in [merge, *switches, *exits, *entries]:
            self._move(node, made)


def _follow_neighbours(program, free):
    """Moves nodes without a colocation group; `free` maps them to the devices they may be on."""
    users = {}
    for node in program.nodes:
        for source, _ in node.inputs:
            users.setdefault(source, []).append(node)
    for node in program.nodes:
        source = node.inputs[0][0] if node.inputs else None
        if node.type in _LOOKS_AT_SHAPES and source is not None and not source.is_feed:
            _move(node, source.device, free)
    for node in reversed(program.nodes):  # users first
        if node.inputs or len(node.dtypes) != 1 or node.op_def.stateful or node.dtypes[0]._is_ref_dtype:
            continue
        devices = {user.device for user in users.get(node, ())}
        if len(devices) == 1 and not any(source is node for source, _ in program.fetches):
            _move(node, devices.pop(), free)


def _move(node, device, free):
    if device in free.get(node, ()):
        node.device = device
