"""Loops and conditionals that several tasks share: their analysis for `partition.py`, and the nodes that drive a frame.

Every task that has something to receive inside a frame gets a small control loop there:

    Const -> Enter -> Merge -> Switch -> NextIteration -> Merge     (Switch steered by the loop's LoopCond)

So the frame has the same iterations in all tasks. The predicate comes from the task that has the `LoopCond`, like any
other value; there is no coordinator, and no task waits for another one's iteration to end. A value of an iteration is
received when the `Merge` fires, also in the last iteration, which gets dead tokens. An inner loop starts when one of
the initial values of the user's loop is available, and is dead if that is dead.

Source: Yu et al., "Dynamic control flow in large-scale machine learning", EuroSys 2018, section 4.4.
"""

import numpy as np

from tfcore.compiler.devices import cpu_of, task_of
from tfcore.compiler.frames import ENTER, EXIT, NEXT_ITERATION, SWITCH, assign_frames, has_control_flow, may_be_dead
from tfcore.compiler.ir import Node
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes


class Flow:
    """The control flow of a program before it is cut.

    Attributes:
      any: whether there is any. root: the outermost Frame. uncertain: nodes that may be dead.
      starts: dict from Frames to their Enter nodes: a list of (node, its input, list of its control inputs).
      repeating: the Frames that have more than one iteration.
      pivots: nodes that are live exactly in the iterations for which the condition of their frame is true.
    """

    def __init__(self, program):
        self.any = has_control_flow(program.nodes)
        self.root = None
        self.uncertain, self.pivots, self.repeating, self.starts = set(), set(), set(), {}
        if not self.any:
            return
        self.root = assign_frames(program)[0]
        self.uncertain = may_be_dead(program.nodes)
        for node in program.nodes:
            if node.type in ENTER:
                self.starts.setdefault(node.out_frame, []).append((node, node.inputs[0], list(node.controls)))
            elif node.type in NEXT_ITERATION:
                self.repeating.add(node.frame)
            elif _is_pivot(node):
                self.pivots.add(node)

    def is_inside(self, node):
        """Whether a node's outputs are inside of some frame."""
        return self.any and node.out_frame is not self.root

    def condition(self, frame):
        """The LoopCond of a frame; None: it has only one iteration.

        Raises:
          InvalidArgumentError: it has more iterations, but no LoopCond.
        """
        if frame in self.repeating and frame.loop_cond is None:
            op = self.starts[frame][0][0].op
            text = f"A cross-device loop must have a pivot predicate: {frame.name}{errors.location(op)}"
            raise errors.InvalidArgumentError(None, op, text)
        return frame.loop_cond if frame in self.repeating else None


def _is_pivot(node):
    frame = node.frame
    while node.type == "Identity":
        source, index = node.inputs[0]
        if source.type == "Switch" and index == 1:
            return source.inputs[0][0].type == "Merge" and source.inputs[1][0] is frame.loop_cond
        node = source
    return False


class ControlLoop:
    """The nodes that drive a frame in one task.

    Attributes:
      trigger: a node that is live as soon as an iteration has begun.
      again: its NextIteration; None: there is only one iteration.

    Args:
      example: attributes of an Enter of the frame.
      add: function(type, attrs, inputs, controls, frame, frame of the outputs) that makes nodes for it.
      start: nodes that must run before the frame starts.
    """

    def __init__(self, frame, repeats, example, add, start):
        self._frame, self._add = frame, add
        outside = frame.parent
        first = add("Const", {"dtype": dtypes.bool, "value": np.zeros([], bool)}, [], start, outside, outside)
        attrs = {**example, "T": dtypes.bool, "is_constant": False}
        self.trigger = add("Enter", attrs, [(first, 0)], [], outside, frame)
        self._switch = self._pivot = self.again = None
        if repeats:
            self.trigger = self._node("Merge", [(self.trigger, 0)], N=2)

    def _node(self, op_type, inputs, controls=(), **attrs):
        return self._add(op_type, {"T": dtypes.bool, **attrs}, inputs, controls, self._frame, self._frame)

    def close(self, predicate):
        """Sets the predicate, a pair (node, index) of its task, which must not become available before the trigger."""
        self._switch = self._node("Switch", [(self.trigger, 0), predicate])
        self.again = self._node("NextIteration", [(self._switch, 1)])
        self.trigger.inputs.append((self.again, 0))

    @property
    def pivot(self):
        """A node that is live in the iterations for which the condition is true."""
        if self._switch is None:
            return self.trigger
        if self._pivot is None:
            self._pivot = self._node("Identity", [(self._switch, 1)])
        return self._pivot

    def after(self, nodes):
        """An Exit that runs when `nodes` of this task have run, or were dead, in all iterations."""
        done = self._add("ControlTrigger", {}, [], list(nodes), self._frame, self._frame)
        last = (self.trigger, 0)
        if self.again is not None:
            self.again.inputs = [(self._node("Identity", self.again.inputs, [done]), 0)]
            last = (self._switch, 0)
        last = self._node("Identity", [last], [done])
        return self._add("Exit", {"T": dtypes.bool}, [(last, 0)], [], self._frame, self._frame.parent)


_OUTPUTS = {
    "Switch": ([dtypes.bool] * 2, [()] * 2),
    "Merge": ([dtypes.bool, dtypes.int32], [()] * 2),
    "ControlTrigger": ([], []),
}


def steering_node(op, name, device, op_type, attrs, inputs, controls, frame, out_frame):
    """A control-flow node for booleans, made on behalf of the user's operation `op`."""
    types, dims = _OUTPUTS.get(op_type, ([dtypes.bool], [()]))
    node = Node.derived(op, name, get_op_def(op_type), device, attrs, inputs, list(types), list(dims), controls)
    node.frame, node.out_frame = frame, out_frame
    return node


class Loops:
    """The control loops of a program that is being cut. cut: the _Cut of `partition.py`."""

    def __init__(self, cut, flow):
        self._cut = cut
        self._flow = flow
        self._loops = {}  # (frame, task) -> ControlLoop
        self._ways = {}  # frame -> {(task, task)}: pairs between which values pass in each of its iterations

    def at(self, frame, cpu):
        """The ControlLoop of a frame in the task of a device. It runs on the CPU there."""
        cpu = cpu_of(cpu)
        key = frame, task_of(cpu)
        found = self._loops.get(key)
        if found is None:
            condition, example = self._flow.condition(frame), self._flow.starts[frame][0][0]
            op = (condition or example).op

            def add(*what):
                return steering_node(op, self._cut.name_of(op), cpu, *what)

            repeats = frame in self._flow.repeating
            found = self._loops[key] = ControlLoop(frame, repeats, example.attrs, add, self._start(frame, cpu))
            if repeats:  # from here on the predicate can be received in its own iteration
                is_here = not self._cut.is_remote(condition, cpu)
                found.close((condition, 0) if is_here else self._cut.arrival((condition, 0), cpu))
        return found

    def cross(self, frame, sender, receiver):
        """Notes that a value passes from one task to another in each iteration of a frame."""
        self._ways.setdefault(frame, set()).add((sender, receiver))

    def complete(self, parts):
        """Adds what the parts turned out to need; returns False if that is nothing.

        A frame is driven in each task that has nodes of it. Each participating task reports its progress to the task
        with the condition, by a value in each iteration.
        """
        before = len(self._loops), sum(map(len, self._ways.values()))
        for part in parts:
            for node in part.program.nodes:
                frame = node.frame
                if frame not in self._flow.repeating or (frame, part.task) in self._loops:
                    continue
                if task_of(self._flow.condition(frame).device) != part.task:
                    part.program.targets.append(self.at(frame, cpu_of(node.device)).again)
        for (frame, task), loop in list(self._loops.items()):
            condition = self._flow.condition(frame)
            if condition is not None and not self._reaches(frame, task, task_of(condition.device)):
                home = cpu_of(condition.device)
                self._cut.part_of(home).program.targets.append(self._cut.join(loop.trigger, 0, home, []))
        return (len(self._loops), sum(map(len, self._ways.values()))) != before

    def after(self, nodes, cpu):
        """A node on a device that runs after the nodes' last run, in any frame of its task, even if they never run."""
        waiting = {}
        for node in nodes:
            waiting.setdefault(node.frame, []).append(node)
        while inner := [f for f in waiting if f.parent is not None]:
            frame = max(inner, key=lambda f: f.index)  # parents have lower indices than children
            done = self.at(frame, cpu).after(waiting.pop(frame))
            waiting.setdefault(frame.parent, []).append(done)
        root, op = self._flow.root, nodes[0].op
        return steering_node(op, self._cut.name_of(op), cpu, "ControlTrigger", {}, [], waiting[root], root, root)

    def _start(self, frame, cpu):
        """Control inputs that tell a task that a frame starts there; none if it starts in any case."""
        starts = self._flow.starts[frame]
        starts = [s for s in starts if not s[0].attrs["is_constant"]] or starts
        if any(not controls and self._is_certain(source) for _, (source, _), controls in starts):
            return []
        enter, (source, index), controls = next((s for s in starts if self._cut.cpu(s[1][0]) == cpu), starts[0])
        if source.type in SWITCH:  # it has run even if one of its outputs is dead
            source = self._identity(source, index)
        waits = [n for n in dict.fromkeys([source, *controls]) if not n.is_feed]
        return [self._cut.control(node, cpu, enter) for node in waits]

    def _is_certain(self, source):
        return source.is_feed or (source.type == "Const" and source.frame is self._flow.root and not source.controls)

    def _identity(self, source, index):
        """A node that follows another one's output and does not run if that output is dead."""
        dtype, name = source.dtypes[index].base_dtype, self._cut.name_of(source.op)
        home = self._cut.memories.of_output(source, index)
        attrs, dims = {"T": dtype}, [source.dims[index]]
        found = Node.derived(source.op, name, get_op_def("Identity"), home, attrs, [(source, index)], [dtype], dims)
        found.frame = found.out_frame = source.out_frame
        self._flow.uncertain.add(found)
        return found

    def _reaches(self, frame, task, home):
        """Whether in each iteration some value of one task reaches the other, directly or not."""
        seen, todo = {task}, [task]
        while todo:
            at = todo.pop()
            new = {b for a, b in self._ways.get(frame, ()) if a == at} - seen
            seen |= new
            todo += new
        return home in seen


def move_steering(program, memories):
    """Copies the nodes that enter a frame, or its next iteration, to each memory where they are used; moves exits to
    their values.

    Raises:
      InvalidArgumentError: a reference would have to be copied.
    """
    copies = {}
    nodes = list(program.nodes)

    def value_of(source):
        return memories.of_output(source, 0)

    def host_of(source):
        return cpu_of(source.device)

    def at(source, cpu, here):
        if source.is_feed or source.type not in ENTER | NEXT_ITERATION or here(source) == cpu:
            return source
        if source.dtypes[0]._is_ref_dtype:
            if source.attrs.get("is_constant"):
                return source  # the variable is read in each iteration
            text = f"The reference that {source.name} on {source.device} forwards can't be used on {cpu}."
            raise errors.InvalidArgumentError(None, source.op, text)
        found = copies.get((source, cpu))
        if found is None:
            found = copies[source, cpu] = Node.derived(
                source.op,
                f"{source.op.name}/_here_{len(copies)}",
                source.op_def,
                cpu,
                source.attrs,
                source.inputs,
                list(source.dtypes),
                list(source.dims),
                source.controls,
            )
            nodes.append(found)
        return found

    for node in nodes:  # grows meanwhile
        if node.type in EXIT or node.type == "LoopCond":
            memory = memories.of_output(*node.inputs[0])
            memory = cpu_of(memory) if node.type == "LoopCond" else memory
            if memory != memories.of_output(node, 0):
                node.device = memory
                memories.forget(node)
        inputs = enumerate(node.inputs)
        node.inputs = [(at(source, memories.of_input(node, i), value_of), index) for i, (source, index) in inputs]
        node.controls = [at(source, cpu_of(node.device), host_of) for source in node.controls]
    if copies:
        program.prune()
