"""A reference for control flow: runs a graph by passing tokens one by one, in a random order, as simply as possible."""

from collections import defaultdict

import numpy as np

DEAD = object()


class TokenMachine:
    """One run of the ops for `fetches`. A token is a value or DEAD; a tag is a tuple of (frame, iteration) pairs."""

    def __init__(self, fetches, feeds, random):
        self.feeds = {t.op: v for t, v in feeds.items()}
        self.random = random
        self.fetched = {}
        self.ops = _needed([t.op for t in fetches])
        self.consumers = defaultdict(list)  # op -> (consumer, index of its input or None, index of the output or None)
        for op in self.ops:
            for i, t in enumerate(op.inputs):
                self.consumers[t.op].append((op, i, t.value_index))
            for c in op.control_inputs:
                self.consumers[c].append((op, None, None))
        self.arrived = defaultdict(dict)  # (op, tag) -> input index or ("control", op) -> token
        self.done = set()
        self.queue = []
        self.constants = defaultdict(list)  # tag of a frame's parent + name -> (Enter, token)
        self.iterations = defaultdict(lambda: {0})
        self.fetches = fetches

    def run(self):
        for op in self.ops:
            if not op.inputs and not op.control_inputs:
                self.queue.append((op, (), False))
        while self.queue:
            op, tag, dead = self.queue.pop(self.random.randrange(len(self.queue)))
            self._fire(op, tag, dead)
        self._end_frames()
        return [self.fetched.get(t, DEAD) for t in self.fetches]

    def _end_frames(self):
        """Dead Exits: an Exit from which nothing alive came, though its loop has run."""
        while True:
            for op, tag in list(self.arrived):
                if op.type == "Exit" and (op, tag, "exit") in self.done and (op, tag[:-1], "sent") not in self.done:
                    if tag[-1][1] == max(self.iterations[tag[:-1], tag[-1][0]]):
                        self.done.add((op, tag[:-1], "sent"))
                        self._send(op, tag[:-1], [DEAD])
            if not self.queue:
                return
            while self.queue:
                self._fire(*self.queue.pop(self.random.randrange(len(self.queue))))

    def _fire(self, op, tag, dead):
        got = self.arrived[op, tag]
        values = [got.get(i) for i in range(len(op.inputs))]
        if op.type == "Enter":
            self._enter(op, tag, DEAD if dead else values[0])
        elif op.type == "NextIteration":
            if not dead:
                self._start(tag[:-1], tag[-1][0], tag[-1][1] + 1)
                self._send(op, (*tag[:-1], (tag[-1][0], tag[-1][1] + 1)), values)
        elif op.type == "Exit":
            if dead:
                self.done.add((op, tag, "exit"))
            else:
                self.done.add((op, tag[:-1], "sent"))
                self._send(op, tag[:-1], values)
        else:
            self._send(op, tag, [DEAD] * max(1, len(op.outputs)) if dead else self._compute(op, values, got))

    def _enter(self, op, tag, token):
        name = op.get_attr("frame_name")
        if not op.get_attr("is_constant"):
            self._send(op, (*tag, (name, 0)), [token])
            return
        self.constants[tag, name].append((op, token))
        for i in sorted(self.iterations[tag, name]):
            self._send(op, (*tag, (name, i)), [token])

    def _start(self, outer, name, number):
        if number in self.iterations[outer, name]:
            return
        self.iterations[outer, name].add(number)
        for op, token in self.constants[outer, name]:
            self._send(op, (*outer, (name, number)), [token])

    def _send(self, op, tag, outputs):
        if () == tag:
            for t, value in zip(op.outputs, outputs):
                if value is not DEAD:
                    self.fetched[t] = value
        controlled = not op.outputs and outputs[0] is DEAD or op.outputs and all(v is DEAD for v in outputs)
        for consumer, index, output in self.consumers[op]:
            token = outputs[output] if index is not None else DEAD if controlled else None
            self._receive(consumer, tag, ("control", op) if index is None else index, token)

    def _receive(self, op, tag, key, token):
        if (op, tag) in self.done:
            return
        got = self.arrived[op, tag]
        assert key not in got, f"{op.name} gets input {key} twice in {tag}"
        got[key] = token
        controls = sum(isinstance(k, tuple) for k in got)
        if controls < len(op.control_inputs):
            return
        dead = any(v is DEAD for v in got.values())
        if op.type == "Merge":
            inputs = {k: v for k, v in got.items() if not isinstance(k, tuple)}
            dead = all(v is DEAD for v in inputs.values())
            first = not tag or tag[-1][1] == 0
            possible = [t for t in op.inputs if _may_come(t.op, first)]
            if not inputs or dead and len(inputs) < len(possible):
                return
        elif len(got) < len(op.inputs) + len(op.control_inputs):
            return
        self.done.add((op, tag))
        self.queue.append((op, tag, dead and op.type != "ControlTrigger"))

    def _compute(self, op, values, got):
        with np.errstate(over="ignore"):
            return self._value(op, values, got)

    def _value(self, op, v, got):
        if op.type == "Placeholder":
            return [self.feeds[op]]
        if op.type == "Const":
            return [op.get_attr("value").item()]
        if op.type == "Switch":
            return [DEAD, v[0]] if v[1] else [v[0], DEAD]
        if op.type == "Merge":
            return next([x, i] for i, x in enumerate(v) if i in got and x is not DEAD)
        if op.type in ("NoOp", "ControlTrigger"):
            return [None]
        return [_FUNCTIONS[op.type](*map(np.int32, v))]


def _may_come(op, first):
    """Whether a Merge may get a token from `op` in the first iteration, or in others."""
    if op.type == "NextIteration":
        return not first
    return first or op.type != "Enter" or op.get_attr("is_constant")


_FUNCTIONS = {
    "Add": lambda a, b: np.int32(a + b),
    "AddV2": lambda a, b: np.int32(a + b),
    "Sub": lambda a, b: np.int32(a - b),
    "Mul": lambda a, b: np.int32(a * b),
    "Less": lambda a, b: bool(a < b),
    "Greater": lambda a, b: bool(a > b),
    "Identity": lambda a: a,
    "LoopCond": bool,
}


def _needed(roots):
    found, todo = set(roots), list(roots)
    while todo:
        op = todo.pop()
        for source in [t.op for t in op.inputs] + list(op.control_inputs):
            if source not in found:
                found.add(source)
                todo.append(source)
    return sorted(found, key=lambda o: o.name)
