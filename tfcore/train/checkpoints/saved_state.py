"""What a saver saves besides variables: the generators of random operations, and the elements of queues.

They are in a checkpoint under names that begin with "_tfcore/", which other readers need not ask for. Only what a graph
and a checkpoint both have is restored; the rest stays as it is.
"""

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.graph import control_dependencies, device, name_scope
from tfcore.framework.types import dtypes
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.array.constants import placeholder, placeholder_with_default
from tfcore.ops.checkpoint.checkpoint import RestoreV2
from tfcore.ops.random.state import GetRandomState, SetRandomState

_RANDOM = "_tfcore/random/"
_QUEUE = "_tfcore/queue/"
_QUEUES = tuple(f"{kind}Queue{v}" for kind in ("FIFO", "PaddingFIFO", "RandomShuffle", "Priority") for v in ("", "V2"))
_STAYS = (0, 0, -1)  # for _SetRandomState


def is_random(op):
    """Whether an operation has random numbers of its own in each session."""
    return op.op_def.stateful and {"seed", "seed2"} <= op.op_def.attrs.keys() and op.type not in _QUEUES


def _cpu_of_task(op):
    spec = DeviceSpec.from_string(op.device or "")
    return DeviceSpec(spec.job, spec.replica, spec.task, "CPU", 0).to_string()


class _Generators:
    """The random operations of one task. Their numbers go through the client, so that no operation of other programs'
    graphs depends on operations that only this library has."""

    def __init__(self, where, ops):
        self.names = [op.name for op in ops]
        seeds = [seed for op in ops for seed in (op.get_attr("seed"), op.get_attr("seed2"))]
        with device(where):
            self.states = GetRandomState(names=self.names, seeds=seeds)
            self.fed = placeholder(dtypes.int64, [len(ops), 3])
            self.set = SetRandomState(self.fed, names=self.names, seeds=seeds)


class _RandomState:
    """All random operations of a graph: a vector of names, and for each a generator."""

    def __init__(self, ops):
        by_task = {}
        for op in ops:
            by_task.setdefault(_cpu_of_task(op), []).append(op)
        self._generators = [_Generators(where, mine) for where, mine in sorted(by_task.items())]
        self._names = placeholder_with_default(np.array([], object), [None], name="random_names")
        self._states = placeholder_with_default(np.zeros([0, 3], np.int64), [None, 3], name="random_states")
        specs = [SaveSpec(self._names, "", f"{_RANDOM}names"), SaveSpec(self._states, "", f"{_RANDOM}states")]
        self.saveable = SaveableObject(self._names, specs, f"{_RANDOM}names")

    def feeds(self, sess):
        states = sess.run([g.states for g in self._generators])
        names = [name.encode() for g in self._generators for name in g.names]
        return {self._names: np.array(names, object), self._states: np.concatenate(states)}

    def restore(self, sess, reader):
        if not reader.has_tensor(f"{_RANDOM}names"):
            return
        names = [name.decode() for name in reader.get_tensor(f"{_RANDOM}names").tolist()]
        found = dict(zip(names, reader.get_tensor(f"{_RANDOM}states")))
        for g in self._generators:
            sess.run(g.set, {g.fed: np.array([found.get(name, _STAYS) for name in g.names], np.int64)})


class _QueueState:
    """A queue and its elements."""

    def __init__(self, op):
        self._name = op.name
        priority = [dtypes.int64] if op.type.startswith("Priority") else []
        self._types = priority + list(op.get_attr("component_types"))
        with device(op.device or None):
            layout, components = get_op_def("_SaveQueue")(op.outputs[0], component_types=self._types)
            self._prefix = placeholder(dtypes.string, [])
            with device(_cpu_of_task(op)):
                saved = RestoreV2(self._prefix, self._keys, [""] * len(self._keys), dtypes=[dtypes.int64, *self._types])
            self._load = get_op_def("_LoadQueue")(op.outputs[0], saved[0], saved[1:], component_types=self._types)
        specs = [SaveSpec(t, "", key) for t, key in zip([layout, *components], self._keys)]
        self.saveable = SaveableObject(op, specs, self._keys[0])

    @property
    def _keys(self):
        return [f"{_QUEUE}{self._name}/{part}" for part in ("layout", *range(len(self._types)))]

    def restore(self, sess, reader, prefix):
        if reader.has_tensor(self._keys[0]):
            sess.run(self._load, {self._prefix: prefix})


class SavedState:
    """What is saved of a graph, as it is now, besides variables.

    Args:
      graph: The graph.
      random: Whether random operations are saved.
      queues: Whether queues are.
    """

    def __init__(self, graph, random, queues):
        ops = graph.get_operations()
        with name_scope("saved_state"), control_dependencies(None):
            generators = [op for op in ops if is_random(op)] if random else []
            self._random = _RandomState(generators) if generators else None
            self._queues = [_QueueState(op) for op in _one_by_name(ops)] if queues else []

    @property
    def saveables(self):
        """The objects to save."""
        return ([self._random.saveable] if self._random else []) + [q.saveable for q in self._queues]

    def feeds(self, sess):
        """What a step that saves has to be fed.

        Args:
          sess: The session.
        """
        return self._random.feeds(sess) if self._random else {}

    def restore(self, sess, prefix):
        """Restores what the checkpoint has.

        Args:
          sess: The session.
          prefix: That of the checkpoint.
        """
        reader = NewCheckpointReader(prefix)
        if self._random:
            self._random.restore(sess, reader)
        for queue in self._queues:
            queue.restore(sess, reader, prefix)


def _one_by_name(ops):
    """The operations that make queues, one of those that share one."""
    found = {}
    for op in ops:
        if op.type in _QUEUES:
            found.setdefault((op.get_attr("shared_name").decode() or op.name, op.device), op)
    return list(found.values())
