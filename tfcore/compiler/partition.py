"""Cuts a placed program into one program per task, joined by `_Send` and `_Recv`.

A memory is named by a device (`argument_memory.py`): a CPU stands for the host's memory as that device sees it. A value
goes from a GPU to one of another task by a single pair: the `_Send` copies it to the host, the `_Recv` to the other
GPU.

What crosses from one memory to another:
 - A value: one pair per destination, however many nodes use it there. The `_Send` takes the snapshot of a variable; it
   waits for every node that may change the variable before the reader runs. A fetched variable is read last.
 - A control edge: the `_Send` of an empty dummy that waits for the source; no dummy if a value of the source crosses
   anyway.
 - Constants of up to MAX_COPY do not cross: they are copied to their users, since keeping one costs less than sending
   it in every step. Larger ones are mostly initial values, used once, which would take a task's memory for ever.
   Between CPUs of a process they are passed by reference.
 - References do not cross: every node that takes a reference is placed with the variable.

When a `_Recv` is posted: producers push, so a value takes memory at its destination as soon as it exists, whether or
not a `_Recv` waits for it, and a waiting `_Recv` costs a hundred bytes. A `_Recv` from another task is therefore posted
when the step begins; posting it later would save no memory and could only stall. To keep other tasks from waiting, what
they need is computed first (`Partition.program.targets` begins with its sends). Within a process a control edge makes a
`_Recv` run after its `_Send`: it finds the value and never waits, and readers of the graph (partial runs, dumps) see
why the `_Send` is there.

Dead tokens cross like values: the `_Send` of a dead value runs and sends that fact, and a `_Recv` runs even if its
control input is dead.

Frames: a control edge puts a `_Recv` from another task into the frame and iteration of its control loop there
(`loops.py`). A value that enters a frame, or moves to the next iteration, does so in every place where it is used. So
a loop invariant crosses once, and no edge has a value in some iterations only. An `Exit` is where its value is. A task
that only receives values from a loop reports its progress, so that the others run no further ahead than the loop
allows.
"""

from collections import Counter

import numpy as np

from tfcore.compiler.argument_memory import Memories
from tfcore.compiler.devices import cpu_of, has_own_memory, task_of
from tfcore.compiler.frames import ENTER, MERGE, NEXT_ITERATION, SWITCH, has_control_flow
from tfcore.compiler.gates import VARIABLES
from tfcore.compiler.ir import Node, Program, topological_order, variables_behind
from tfcore.compiler.loops import Flow, Loops, move_steering
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes

THIS_PROCESS, MASTER = -1, -2  # what `_peer` of a transfer may be instead of a rank: see send_recv.c
_TIMELESS = ENTER | {"Const"}  # it matters only whether they run, not when
MAX_COPY = 1 << 20  # bytes of a constant
MAX_COPIED_STRINGS = 1 << 14


class Partition:
    """The part of a program that one task runs.

    Attributes:
      task: (job, replica, task index). rank: its number, -1 if ranks were not given.
      program: a Program; only the client's has feeds and fetches. Its targets are what the task must run: every node is
        needed by a target or a fetch.
      sends, recvs: its `_Send` nodes to and `_Recv` nodes from other tasks.
    """

    def __init__(self, task, rank, fuses_loops):
        self.task = task
        self.rank = rank
        self.program = Program([], [], [], [])
        self.program.fuses_loops = fuses_loops
        self.sends, self.recvs = [], []

    def share(self):
        """The task's part of a step, for error texts."""
        variables = [node for node in self.program.nodes if node.type in VARIABLES]
        op = variables[0].op if variables else self.program.targets[0].op
        what, count = ("variable", len(variables)) if variables else ("operation", len(self.program.nodes))
        text = f"{count} {what}s of the step, among them" if count > 1 else f"one {what} of the step:"
        return f"It has {text}{errors.location(op)}"

    def __repr__(self):
        job, _, index = self.task
        counts = f"{len(self.program.nodes)} nodes, {len(self.sends)} sends, {len(self.recvs)} recvs"
        return f"<Partition /job:{job}/task:{index}: {counts}>"


def is_spread(program, client):
    """Whether some nodes of a placed program use another memory than the client's."""
    home = cpu_of(client)
    return any(program.fetch_devices) or any(
        cpu_of(device) != home or has_own_memory(device) for device in {n.device for n in program.nodes}
    )


def partition(program, client, ranks=None):
    """Cuts a placed program, whose nodes are reused.

    Args:
      client: full name of the device to which feeds and fetches belong.
      ranks: dict from tasks to ranks, for tasks other than the client's.

    Returns: list of Partitions: the client's, which may be empty, then the others in order of appearance.
    """
    _spread_targets(program)
    return _Cut(program, client, ranks or {}).run()


def _spread_targets(program):
    """Replaces targets that only wait for other nodes by those nodes: each task reports when it has run its part."""
    uses = Counter([n for n, _ in program.fetches])
    for node in program.nodes:
        uses.update([source for source, _ in node.inputs])
        uses.update(node.controls)
    todo, targets, gone = list(program.targets), {}, set()
    while todo:
        node = todo.pop(0)
        if node.type == "NoOp" and node.controls and not uses[node] and node not in gone:
            gone.add(node)
            uses.subtract(node.controls)
            todo += node.controls
        elif node not in gone:
            targets[node] = None
    program.targets = list(targets)
    program.nodes = [n for n in program.nodes if n not in gone]


class _Cut:
    def __init__(self, program, client, ranks):
        self.program = program
        self.client = cpu_of(client)
        self.memories = Memories(self.client)
        self.ranks = ranks
        self.parts = {}  # task -> Partition, the client's first
        self.part_of(self.client)
        self.count = 0  # number of added nodes, for their names
        self.edges = 0
        self.pairs = []  # each `_Send` to another task, with its `_Recv`
        self.values = {}  # (source, index, memory, identity of the snapshot) -> _Recv or copy
        self.arrived = {}  # (node, cpu) -> a _Recv there that shows that the node has run
        self.dummies = {}  # cpu -> an empty constant there
        self.changes = {}  # reference -> the nodes that may change a variable behind it
        self.targets = {}  # node -> the variables that it may change
        self.written = {}  # reference -> for each node, which of `changes` run before it
        if has_control_flow(program.nodes):
            move_steering(program, self.memories)
        self.flow = Flow(program)
        self.loops = Loops(self, self.flow)
        self.before = {
            n: {*(s for s, _ in n.inputs), *n.controls} for n in program.nodes
        }  # dependencies before the cut

    def run(self):
        for node in self.program.nodes:
            inputs = zip(node.inputs, node.takes_references())
            node.inputs = [self.input(node, i, pair, is_ref) for i, (pair, is_ref) in enumerate(inputs)]
        kept = self.program.fetch_devices or [None] * len(self.program.fetches)
        fetches = [self.fetch(pair, device or self.client) for pair, device in zip(self.program.fetches, kept)]
        for node in self.program.nodes:  # now it is known which values cross
            if node.controls:
                cpu = cpu_of(node.device)
                node.controls = list(dict.fromkeys([self.control(c, cpu, node) for c in node.controls]))
        mine = self.part_of(self.client).program
        mine.feeds, mine.fetches, mine.fetch_devices = self.program.feeds, fetches, self.program.fetch_devices
        for target in self.program.targets:
            self.part_of(target.device).program.targets.append(target)
        self.prune()
        while self.flow.any and self.loops.complete(self.parts.values()):
            self.prune()
        while self.drop_unused_pairs():
            self.prune()
        for part in self.parts.values():
            part.program.targets[:0] = part.sends
        return list(self.parts.values())

    def prune(self):
        """Gives each part the nodes that it needs, in an order in which they can run."""
        for part in self.parts.values():
            roots = [*part.sends, *part.program.targets, *[n for n, _ in part.program.fetches]]
            part.program.nodes = [n for n in topological_order(roots) if not n.is_feed]

    def drop_unused_pairs(self):
        """Removes each `_Send` whose value no node of the other task needs; whether there were any. Such a value would
        wait there for a `_Recv` until the step ends.
        """
        needed = {n for part in self.parts.values() for n in part.program.nodes}
        unused = [pair for pair in self.pairs if pair[1] not in needed]
        for send, recv in unused:
            self.part_of(send.device).sends.remove(send)
            self.part_of(recv.device).recvs.remove(recv)
        self.pairs = [pair for pair in self.pairs if pair[1] in needed]
        return bool(unused)

    def part_of(self, device):
        task = task_of(device)
        part = self.parts.get(task)
        if part is None:
            part = self.parts[task] = Partition(task, self.ranks.get(task, -1), self.program.fuses_loops)
        return part

    def cpu(self, node):
        """The CPU that stands for the host's part of a node: control edges lead from there."""
        return self.client if node.is_feed else cpu_of(node.device)

    def is_remote(self, node, cpu):
        return task_of(self.cpu(node)) != task_of(cpu)

    # ---- Values

    def input(self, node, i, pair, is_ref):
        source, index = pair
        cpu = self.memories.of_input(node, i)
        if self.memories.of_output(source, index) == cpu or (is_ref and source.device == node.device):
            return pair
        if is_ref or source.dtypes[index] is dtypes.resource:
            raise errors.InternalError(
                None, node.op, f"{node.name} on {node.device} takes a reference to {source.name} on {source.device}"
            )
        if not source.dtypes[index]._is_ref_dtype:
            return self.arrival(pair, cpu)
        if self.flow.any and not self.flow.uncertain.isdisjoint([node, source, *self.writers(source)]):
            return self.read_for(node, pair, cpu)
        return self.arrival(pair, cpu, self.writers_before(source, node))

    def fetch(self, pair, memory):
        source, index = pair
        if self.memories.of_output(source, index) == memory:
            return pair
        if source.dtypes[index]._is_ref_dtype:  # fetched as it is at the end of the step
            writers = self.writers(source)
            if not self.flow.uncertain.isdisjoint(writers):
                writers = [self.loops.after(writers, self.cpu(source))]
            return self.arrival(pair, memory, frozenset(writers))
        return self.arrival(pair, memory)

    def arrival(self, pair, cpu, waits=frozenset()):
        """A value in another memory: a `_Recv` or a copy of a constant. waits: nodes that write the variable first."""
        key = (*pair, cpu, waits)
        self.drive(pair[0], cpu)
        found = self.values.get(key)
        if found is None:
            source, index = pair
            if self.is_copied(source) and self.copies_lie_in(source, cpu):
                found = self.copy(source, cpu)
            elif self.goes_along(source, cpu):
                found = self.copy(source, cpu, [self.loops.at(source.frame, cpu).pivot])
            else:
                controls = sorted((w for w in waits if w is not source), key=lambda n: n.name)
                found = self.join(source, index, cpu, controls)
                if not waits and source.type not in SWITCH:  # a writer might wait for the signalled nodes
                    self.arrived[source, cpu_of(cpu)] = found
            self.values[key] = found
        return found, 0

    @staticmethod
    def is_copied(node, controls=frozenset()):
        """Whether a node is a constant, without further control inputs, that is copied to where it is used."""
        if node.type != "Const" or not controls.issuperset(node.controls):
            return False
        value = node.attrs["value"]
        return value.size <= MAX_COPIED_STRINGS if value.dtype.kind == "O" else value.nbytes <= MAX_COPY

    def goes_along(self, source, memory):
        """Whether a constant inside a frame is copied to another task."""
        there = self.is_remote(source, memory) and self.is_copied(source, self.flow.pivots)
        return there and self.copies_lie_in(source, memory)

    def copies_lie_in(self, node, memory):
        """Whether a constant on a device is in its memory, not in the host's."""
        return not has_own_memory(memory) or self.memories.of_output(self.copy(node, memory), 0) == memory

    def copy(self, node, cpu, controls=()):
        return Node.derived(
            node.op,
            self.name_of(node.op),
            node.op_def,
            cpu,
            node.attrs,
            node.inputs,
            list(node.dtypes),
            list(node.dims),
            controls,
        )

    def name_of(self, op):
        """A name for a node that is added for an operation."""
        self.count += 1
        return f"{op.name}/_{self.count}"

    def join(self, source, index, cpu, controls, value=None):
        """The `_Recv` of a new pair for output `index` of `source`, or for a `value` created on its behalf."""
        value = value or (source, index)
        home = self.memories.of_output(*value)
        sender, receiver = self.part_of(home), self.part_of(cpu)
        remote = sender is not receiver
        self.edges += 1
        dtype = value[0].dtypes[value[1]].base_dtype
        attrs = {
            "tensor_name": f"edge_{self.edges}_{source.name}".encode(),
            "send_device_incarnation": 1,
            "client_terminated": False,
            "_edge": self.edges,
            "_to_device": has_own_memory(cpu) and not remote,
            "_may_be_dead": not self.flow.uncertain.isdisjoint([source, *controls]) or self.flow.is_inside(source),
        }
        send = Node.derived(
            source.op,
            self.name_of(source.op),
            get_op_def("_Send"),
            home,
            {"T": dtype, **attrs, **self.ends(sender, receiver, home, cpu)},
            [value],
            [],
            [],
            controls,
        )
        recv = Node.derived(
            source.op,
            self.name_of(source.op),
            get_op_def("_Recv"),
            cpu,
            {"tensor_type": dtype, **attrs, **self.ends(receiver, sender, home, cpu)},
            [],
            [dtype],
            [value[0].dims[value[1]]],
            () if remote else (send,),
        )
        if attrs["_may_be_dead"]:
            self.flow.uncertain.add(recv)
        if remote:
            sender.sends.append(send)
            receiver.recvs.append(recv)
            self.pairs.append((send, recv))
            if self.flow.is_inside(source):
                recv.controls = [self.loops.at(source.out_frame, cpu).trigger]
                self.loops.cross(source.out_frame, sender.task, receiver.task)
        return recv

    def ends(self, part, other, home, cpu):
        """What a `_Send` or `_Recv` of `part` says about an edge from `home` to `cpu`, where `other` has the other end.

        Another task knows the master's only as that. So masters with equal graphs have equal partitions there, which
        share a plan (`distributed/partitions/worker.py`).
        """
        peer = THIS_PROCESS if other is part else other.rank
        if peer >= 0 and other is self.part_of(self.client):
            peer = MASTER
            home, cpu = [_without_task(d) if task_of(d) == other.task else d for d in (home, cpu)]
        return {"send_device": home.encode(), "recv_device": cpu.encode(), "_peer": peer}

    def drive(self, source, cpu):
        """Ensures that the frame of a value to be received is driven in the task; that may need the same value."""
        if self.flow.is_inside(source) and self.is_remote(source, cpu):
            self.loops.at(source.out_frame, cpu)

    # ---- Control edges

    def control(self, node, cpu, waiter=None):
        """The node that represents a control input on another device, for the node `waiter` or for any node."""
        if self.cpu(node) == cpu:
            return node
        timeless = waiter is not None and waiter.type in _TIMELESS
        if timeless and node in self.flow.pivots and self.is_remote(node, cpu):
            return self.loops.at(node.out_frame, cpu).pivot
        self.drive(node, cpu)
        found = self.arrived.get((node, cpu))
        if found is None:
            dummy = (self.dummy(self.cpu(node), node), 0)
            controls = [] if dummy[0].controls else [node]
            found = self.arrived[node, cpu] = self.join(node, 0, cpu, controls, dummy)
        return found

    def dummy(self, cpu, node):
        """An empty constant. Inside a frame it waits for the node, to be in the node's iteration."""
        inside = self.flow.is_inside(node)
        found = None if inside else self.dummies.get(cpu)
        if found is None:
            attrs = {"dtype": dtypes.float32, "value": np.zeros([0], np.float32)}
            controls = [node] if inside else ()
            name = self.name_of(node.op)
            found = Node.derived(node.op, name, get_op_def("Const"), cpu, attrs, [], [dtypes.float32], [(0,)], controls)
            if not inside:
                self.dummies[cpu] = found
        return found

    # ---- When a variable is read

    def read_for(self, node, pair, cpu):
        """Reads a variable for one node, in a program with control flow, once the node's other inputs are available."""
        source, index = pair
        others = [] if node.type in MERGE else [*[s for s, _ in node.inputs if s is not source], *node.controls]
        waits = dict.fromkeys([s for s in others if not s.is_feed and s.type not in ENTER | NEXT_ITERATION])
        controls = [self.control(s, self.cpu(source)) for s in waits]
        self.drive(source, cpu)
        return self.join(source, index, cpu, controls), 0

    def writers(self, source):
        """The nodes that may change the variable behind the reference `source`, or one of several; on its device."""
        found = self.changes.get(source)
        if found is None:
            variables = variables_behind(source)
            found = self.changes[source] = [
                n for n in self.program.nodes if n.writes() and not variables.isdisjoint(self.written_by(n))
            ]
        return found

    def written_by(self, node):
        found = self.targets.get(node)
        if found is None:
            found = self.targets[node] = variables_behind(node)
        return found

    def writers_before(self, source, node):
        """The writers of what is behind `source` that `node`, which reads it, waits for."""
        writers = self.writers(source)
        if not writers:
            return frozenset()
        before = self.written.get(source)
        if before is None:
            before = self.written[source] = self.spread({w: 1 << i for i, w in enumerate(writers)})
        return frozenset([w for i, w in enumerate(writers) if before[node] >> i & 1])

    def spread(self, bits):
        """For each node the `bits` of all nodes that it waits for, as one number."""
        before = {}
        for node in self.program.nodes:
            mask = 0
            for source in self.before[node]:
                mask |= before.get(source, 0) | bits.get(source, 0)
            before[node] = mask
        return before


def _without_task(device):
    return device[device.index("/device:") :]
