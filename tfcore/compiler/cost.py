"""Placement by cost: a simulation of the step places each operation on the device where it would finish first.

This is list scheduling as in HEFT (heterogeneous earliest finish time): operations are ordered by the length of the
longest path from them to the end of the step. Device requests, colocation and the location of existing state are
respected. Times are those that the executor measured in earlier runs of the session, or estimates from static shapes;
transfers have a model with two parameters.
"""

import math

from tfcore.compiler.devices import device_type, task_of
from tfcore.compiler.python_functions import PYTHON

_UNKNOWN_DIM = 32
_OVERHEAD_NS = 300.0
_BYTES_PER_NS = 8.0  # bandwidth of element-wise kernels
_FLOPS_PER_NS = 50.0


class CostModel:
    """The cost of operations and transfers, in ns.

    Args:
      handover_ns: time to pass a value between two devices of a process, by reference.
      message_ns, ns_per_byte: time to send a value between two tasks.
    """

    def __init__(self, handover_ns=2000.0, message_ns=20000.0, ns_per_byte=0.2):
        self.handover_ns = handover_ns
        self.message_ns = message_ns
        self.ns_per_byte = ns_per_byte
        self.measured = {}  # name of an operation -> ns

    def learn(self, plan):
        """Stores the measured times of a plan's nodes. Nodes that the compiler added belong to no operation."""
        for node, ns in zip(plan.ops, plan.times()):
            if ns > 0 and node.name == node.original.name:
                self.measured[node.name] = ns

    def compute_ns(self, node):
        found = self.measured.get(node.name)
        return _guess_ns(node) if found is None else found

    def transfer_ns(self, n_bytes, source, target):
        if source == target:
            return 0.0
        if task_of(source) == task_of(target):
            return self.handover_ns
        return self.message_ns + n_bytes * self.ns_per_byte


def bytes_of(node, index):
    """The size of a value by its static shape; an unknown dimension counts as a small batch."""
    dims = node.dims[index]
    size = max(1, node.dtypes[index].size or 1)
    for d in (_UNKNOWN_DIM,) if dims is None else dims:
        size *= _UNKNOWN_DIM if d is None else d
    return size


def _guess_ns(node):
    if not node.inputs:
        return 1.0
    moved = sum(bytes_of(s, i) for s, i in node.inputs) + sum(bytes_of(node, i) for i in range(len(node.dtypes)))
    return _OVERHEAD_NS + moved / _BYTES_PER_NS + _flops(node) / _FLOPS_PER_NS


def _flops(node):
    """Those of matrix products and convolutions: two per term of each output element's sum."""
    if not node.dtypes or len(node.inputs) < 2:
        return 0.0
    elements = bytes_of(node, 0) / max(1, node.dtypes[0].size or 1)
    (a, i), (b, j) = node.inputs[:2]
    if node.type in ("MatMul", "BatchMatMul", "BatchMatMulV2"):
        dims = a.dims[i] or (None,)
        summed = dims[-2 if node.attrs.get("transpose_a") or node.attrs.get("adj_x") else -1]
        return 2.0 * elements * (summed or _UNKNOWN_DIM)
    if node.type in ("Conv2D", "Conv3D"):
        filters = b.dims[j] or (3, 3, _UNKNOWN_DIM, 1)
        return 2.0 * elements * math.prod(d or _UNKNOWN_DIM for d in filters[:-1])
    return 0.0


class CostPlacer:
    """Places the programs of one session by a CostModel. State stays where it was first placed."""

    def __init__(self, model=None):
        self.model = model or CostModel()
        self._homes = {}  # name of an operation with state -> device

    def place(self, program, allowed, groups, client):
        """Sets the device of every node; nodes that cost nothing, such as constants, get their first choice.

        Args:
          allowed: for each node the full names of the devices it may be on, the preferred one first.
          groups: lists of nodes that must share a device. client: the device of feeds and fetches.
        """
        group_of = {node: group for group in groups for node in group}
        homes = {id(g): d for g in groups for d in [self._home(g, allowed[g[0]])] if d is not None}
        costs = {node: max(1.0, self.model.compute_ns(node)) for node in program.nodes}
        fetched = {node for node, _ in program.fetches}
        finish, free = {}, {}
        for node in self._by_rank(program, costs):
            group = group_of[node]
            if _is_free(node) and len(group) == 1:
                node.device = allowed[node][0]
                continue
            home = homes.get(id(group))
            best = None
            for device in [home] if home else _choices(group, allowed[node]):
                end = max(free.get(device, 0.0), self._ready(node, device, finish, client)) + costs[node]
                total = end
                if node in fetched:
                    total += self.model.transfer_ns(
                        sum(bytes_of(node, i) for i in range(len(node.dtypes))), device, client
                    )
                if best is None or total < best[0]:
                    best = total, end, device
            _, finish[node], node.device = best
            homes[id(group)] = node.device
            free[node.device] = finish[node]
        for node in program.nodes:
            if _has_state(node):
                self._homes[node.name] = node.device

    def _home(self, group, allowed):
        found = next((self._homes[n.name] for n in group if n.name in self._homes), None)
        return found if found in allowed else None

    def _by_rank(self, program, costs):
        """The nodes by the length of the path to the end, longest first: an order in which they could run."""
        rank = dict.fromkeys(program.nodes, 0.0)
        position = {}
        for i, node in reversed(list(enumerate(program.nodes))):
            position[node] = i
            rank[node] += costs[node]
            for source, _ in node.inputs:
                if not source.is_feed:
                    rank[source] = max(rank[source], rank[node])
            for source in node.controls:
                rank[source] = max(rank[source], rank[node])
        return sorted(program.nodes, key=lambda n: (-rank[n], position[n]))

    def _ready(self, node, device, finish, client):
        """The time at which all inputs of a node would be available on a device."""
        ready = 0.0
        for source, index in node.inputs:
            if not source.is_feed and source not in finish:
                continue  # free: it is copied to where it is used
            home = client if source.is_feed else source.device
            way = self.model.transfer_ns(bytes_of(source, index), home, device)
            ready = max(ready, finish.get(source, 0.0) + way)
        for source in node.controls:
            ready = max(ready, finish.get(source, 0.0) + self.model.transfer_ns(0, source.device, device))
        return ready


def _choices(group, devices):
    """The devices for a group. Devices of users' types are only for nodes that ask for them or have no other kernel.
    State stays in the task of the first choice, where other sessions find it.
    """
    found = [d for d in devices if device_type(d) == "CPU"] or devices
    if any(map(_has_state, group)):
        found = [d for d in found if task_of(d) == task_of(devices[0])]
    return found


def _is_free(node):
    return not (node.inputs or node.controls or _has_state(node))


def _has_state(node):
    """Whether its location matters: it has state or effects, or calls a Python function, which lives in one process."""
    return node.op_def.stateful or node.type in PYTHON or any(t._is_ref_dtype for t in node.dtypes)
