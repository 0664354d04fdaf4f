"""Batches of segments of long sequences; each begins with the recurrent state that the one before it ended with.

A barrier has an element for each segment, under its key. All its components but the states are inserted when the
sequence is read; the states of the first segment, too; those of the others when the segment before them has been used.
So a segment can be taken as soon as its states are known.
"""

from tfcore.framework import errors
from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import constant, fill
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import pad, tile
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.binary import floordiv, maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.queues.barrier import Barrier
from tfcore.ops.queues.queue import FIFOQueue
from tfcore.ops.random.random import random_uniform
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.ops.strings.convert import as_string
from tfcore.ops.strings.strings import string_join
from tfcore.train.threads.queue_runner import QueueRunner, add_queue_runner

_COUNTS = ("length", "total_length", "sequence", "sequence_count")  # int32 components of each segment


class NextQueuedSequenceBatch:
    """A batch of segments of sequences, which a `SequenceQueueingStateSaver` makes.

    All its tensors are of the same segments in one step. A step must save all states, or the sequences never continue.

    Args:
      state_saver: The `SequenceQueueingStateSaver`.
    """

    def __init__(self, state_saver):
        self._saver = state_saver
        self._indices, self._key, self._values, self._next_key = state_saver._take()

    def _component(self, kind, name=None):
        return self._values[self._saver._components[kind, name]]

    @property
    def batch_size(self):
        """The number of segments, a scalar int32 `Tensor`."""
        return array.shape(self._key)[0]

    @property
    def key(self):
        """The keys of the segments, "00001_of_00003:KEY" for the second of three of the sequence KEY."""
        return self._key

    @property
    def next_key(self):
        """The keys of the segments after these; "STOP:KEY" after the last one of a sequence."""
        return self._next_key

    @property
    def insertion_index(self):
        """Numbers of the segments, an int64 vector: those that were read first have the smallest ones."""
        return self._indices

    @property
    def length(self):
        """How many steps of each segment are not padding, an int32 vector."""
        return self._component("count", "length")

    @property
    def total_length(self):
        """The lengths of the sequences, an int32 vector."""
        return self._component("count", "total_length")

    @property
    def sequence(self):
        """The numbers of the segments in their sequences, from 0, an int32 vector."""
        return self._component("count", "sequence")

    @property
    def sequence_count(self):
        """How many segments the sequences have, an int32 vector."""
        return self._component("count", "sequence_count")

    @property
    def sequences(self):
        """A dictionary of the steps of the segments: `Tensor`s of shape [batch, num_unroll, ...]."""
        return {name: self._component("sequence", name) for name in self._saver._names["sequence"]}

    @property
    def context(self):
        """A dictionary of what is the same for all segments of a sequence: `Tensor`s of shape [batch, ...]."""
        return {name: self._component("context", name) for name in self._saver._names["context"]}

    def state(self, state_name):
        """The state in which the segments before these were left; the initial state for first segments.

        Args:
          state_name: A key of `initial_states`.

        Returns:
          A `Tensor` of shape [batch, ...].

        Raises:
          KeyError: There is no such state.
        """
        self._check(state_name)
        return self._component("state", state_name)

    def save_state(self, state_name, value, name=None):
        """Saves the state for the segments after these.

        Args:
          state_name: A key of `initial_states`.
          value: A `Tensor` of shape [batch, ...].
          name: A name for the operations (optional).

        Returns:
          The `Operation` that saves it.

        Raises:
          KeyError: There is no such state.
          ValueError: `value` has another shape.
          TypeError: `value` has another type.
        """
        self._check(state_name)
        component = self._saver._components["state", state_name]
        with name_scope(name, "save_state", [value]):
            value = convert_to_tensor(value, self._saver._types[component], name=state_name)
            if not value.shape[1:].is_compatible_with(self._saver._shapes[component]):
                raise ValueError(
                    f"State {state_name} has shape {self._saver._shapes[component]}, but its new value is of shape "
                    f"{value.shape[1:]}"
                )
            following = less(self.sequence + 1, self.sequence_count)
            rows = array.reshape(where(following), [-1])
            return self._saver.barrier.insert_many(component, gather(self._next_key, rows), gather(value, rows))

    def _check(self, state_name):
        if state_name not in self._saver._names["state"]:
            raise KeyError(f"state was not declared: {state_name}")


class SequenceQueueingStateSaver:
    """Divides sequences into segments of a fixed number of steps, and hands the state from each to the next.

    `prefetch_op` reads a sequence; a queue runner, or several threads, run it again and again. `next_batch` has
    segments of different sequences.

    Args:
      batch_size: The number of segments in a batch.
      num_unroll: The number of steps of a segment, an integer.
      input_length: A scalar int32 `Tensor`: the length of the sequence, without padding.
      input_key: A scalar string `Tensor`, which no other sequence that is in use may have.
      input_sequences: A dictionary of `Tensor`s of shape [padded length, ...]; the padded length is a multiple of
        `num_unroll`.
      input_context: A dictionary of `Tensor`s: what is the same for all segments.
      initial_states: A dictionary of `Tensor`s: the states before the first segment.
      capacity: The most sequences that are in use (optional).
      allow_small_batch: Whether batches may be smaller once all sequences have been read.
      name: A name for the operations (optional).

    Raises:
      TypeError: One of the dictionaries is not one, or `input_length` or `input_key` has another type.
      ValueError: A shape is not known, or there are no sequences or states; or `input_length` or `input_key` is not a
        scalar.
    """

    def __init__(
        self,
        batch_size,
        num_unroll,
        input_length,
        input_key,
        input_sequences,
        input_context,
        initial_states,
        capacity=None,
        allow_small_batch=False,
        name=None,
    ):
        given = {"sequence": input_sequences, "context": input_context, "state": initial_states}
        for what, values in given.items():
            if not isinstance(values, dict):
                raise TypeError(f"The {what}s must be a dictionary, not a {type(values).__name__}")
            if not values and what != "context":
                raise ValueError(f"There are no {what}s")
        self._num_unroll = _positive(num_unroll, "num_unroll")
        self._allow_small_batch = allow_small_batch
        with name_scope(name, "InputQueueingStateSaver", [input_length, input_key]) as scope:
            self._name = scope.rstrip("/")
            self._batch_size = convert_to_tensor(batch_size, dtypes.int32, name="batch_size")
            self._length = _scalar(input_length, dtypes.int32, "input_length")
            self._key = _scalar(input_key, dtypes.string, "input_key")
            given = {
                what: {key: convert_to_tensor(values[key], name=key) for key in sorted(values)}
                for what, values in given.items()
            }
            self._define(given)
            self._capacity_queue = None if capacity is None else FIFOQueue(capacity, dtypes.bool, [[]], name="capacity")
            self._prefetch_op = self._make_prefetch_op(given)
            self._next_batch = NextQueuedSequenceBatch(self)

    def _define(self, given):
        """Makes the barrier, whose components have numbers in `_components`."""
        self._names = {what: list(values) for what, values in given.items()}
        self._components, self._types, self._shapes = {}, [], []
        for what, values in given.items():
            for name, value in values.items():
                shape = value.shape
                if what == "sequence":
                    if value.shape.rank == 0:
                        raise ValueError(f"Sequence {name} must have at least one dimension, but is a scalar")
                    shape = [self._num_unroll, *(shape[1:] if shape.rank else [None])]
                self._add(what, name, value.dtype, shape)
        for name in _COUNTS:
            self._add("count", name, dtypes.int32, [])
        self._add("key", "next", dtypes.string, [])
        self._barrier = Barrier(self._types, self._shapes, name="barrier")

    def _add(self, what, name, dtype, shape):
        shape = TensorShape(shape)
        if not shape.is_fully_defined():
            raise ValueError(f"The shape of {what} {name} must be fully known, but is {shape}")
        self._components[what, name] = len(self._types)
        self._types.append(dtype)
        self._shapes.append(shape)

    @property
    def name(self):
        """The name scope of the operations."""
        return self._name

    @property
    def barrier(self):
        """The barrier that has the segments."""
        return self._barrier

    @property
    def batch_size(self):
        """The number of segments in a batch, a scalar `Tensor`."""
        return self._batch_size

    @property
    def num_unroll(self):
        """The number of steps of a segment."""
        return self._num_unroll

    @property
    def prefetch_op(self):
        """The `Operation` that reads a sequence."""
        return self._prefetch_op

    @property
    def next_batch(self):
        """The `NextQueuedSequenceBatch`."""
        return self._next_batch

    def close(self, cancel_pending_enqueues=False, name=None):
        """Says that no more sequences will be read. Those that were read can be used to their ends.

        Args:
          cancel_pending_enqueues: Whether they are dropped, and reading that waits for room is cancelled.
          name: A name for the operation (optional).

        Returns:
          The `Operation`.
        """
        with name_scope(name, "SQSSClose", []) as scope:
            closing = [self._barrier.close(cancel_pending_enqueues)]
            if self._capacity_queue is not None:
                closing.append(self._capacity_queue.close(cancel_pending_enqueues))
            return group(*closing, name=scope)

    def _make_prefetch_op(self, given):
        first = array.shape(next(iter(given["sequence"].values())))[0]
        checks = [
            assert_equal(array.shape(value)[0], first, message=f"Sequence {name} has another length than the first one")
            for name, value in given["sequence"].items()
        ]
        checks.append(
            assert_equal(
                first % self._num_unroll, 0, message=f"Sequences must have a multiple of {self._num_unroll} steps"
            )
        )
        with control_dependencies(checks):
            count = floordiv(first, self._num_unroll)
        if self._capacity_queue is not None:  # an empty sequence has no segments and takes no room
            room = self._capacity_queue.enqueue_many([fill([minimum(count, 1)], True)])
            with control_dependencies([room]):
                count = array.identity(count)
        numbers = range_of(count)
        keys = self._keys(numbers, count)
        following = concat([keys[1:], [string_join(["STOP:", self._key])]], 0)[:count]
        values = {("key", "next"): following}
        for name, value in given["sequence"].items():
            rest = array.shape(value)[1:]
            values["sequence", name] = array.reshape(value, concat([[count, self._num_unroll], rest], 0))
        for name, value in given["context"].items():
            values["context", name] = _repeat(value, count)
        left = self._length - numbers * self._num_unroll
        values["count", "length"] = maximum(minimum(left, self._num_unroll), 0)
        values["count", "total_length"] = fill([count], self._length)
        values["count", "sequence"] = numbers
        values["count", "sequence_count"] = fill([count], count)
        inserts = [self._barrier.insert_many(self._components[what], keys, value) for what, value in values.items()]
        for name, value in given["state"].items():
            component = self._components["state", name]
            inserts.append(self._barrier.insert_many(component, keys[:1], _repeat(value, minimum(count, 1))))
        return group(*inserts, name="prefetch")

    def _keys(self, numbers, count):
        of = fill([count], string_join(["_of_", as_string(count, width=5, fill="0"), ":", self._key]))
        return string_join([as_string(numbers, width=5, fill="0"), of])

    def _take(self):
        """(indices, keys, values, keys of the next segments), once the ends of sequences have made room."""
        taken = self._barrier.take_many(self._batch_size, self._allow_small_batch, name="next_batch")
        indices, keys, values = taken.indices, taken.keys, list(taken.values)
        if self._capacity_queue is not None:
            number, count = (values[self._components["count", name]] for name in ("sequence", "sequence_count"))
            ended = reduce_sum(cast(equal(number + 1, count), dtypes.int32))
            with control_dependencies([self._capacity_queue.dequeue_many(ended)]):
                indices, keys, *values = [array.identity(value) for value in (indices, keys, *values)]
        return indices, keys, values, values[self._components["key", "next"]]


def _scalar(value, dtype, name):
    value = convert_to_tensor(value, dtype, name=name)
    if value.shape.rank not in (0, None):
        raise ValueError(f"{name} must be a scalar, but has shape {value.shape}")
    return value


def _positive(value, name):
    number = constant_value(convert_to_tensor(value, dtypes.int32, name=name))
    if number is None or number.ndim or number <= 0:
        raise ValueError(f"{name} must be a positive integer, but is {value}")
    return int(number)


def _repeat(value, count):
    return tile(array.expand_dims(value, 0), concat([[count], fill([array.rank(value)], 1)], 0))


def batch_sequences_with_states(
    input_key,
    input_sequences,
    input_context,
    input_length,
    initial_states,
    num_unroll,
    batch_size,
    num_threads=3,
    capacity=1000,
    allow_small_batch=True,
    pad=True,
    make_keys_unique=False,
    make_keys_unique_seed=None,
    name=None,
):
    """Batches of segments of sequences, each with the state in which the segment before it was left.

    A queue runner reads the sequences.

    Args:
      input_key: A scalar string `Tensor`, the key of a sequence.
      input_sequences: A dictionary of `Tensor`s of shape [length, ...].
      input_context: A dictionary of `Tensor`s: what is the same for all segments.
      input_length: A scalar int32 `Tensor`, the length of the sequence; None: that of the first of `input_sequences`.
      initial_states: A dictionary of `Tensor`s: the states before the first segment.
      num_unroll: The number of steps of a segment, an integer.
      batch_size: The number of segments in a batch.
      num_threads: How many threads read sequences.
      capacity: How many sequences may be in progress at once.
      allow_small_batch: Whether batches may be smaller once all sequences have been read.
      pad: Whether sequences are padded with zeros to a multiple of `num_unroll` steps. If not, others are errors.
      make_keys_unique: Whether a random number is added to the keys.
      make_keys_unique_seed: The seed for it.
      name: A name for the operations (optional).

    Returns:
      A `NextQueuedSequenceBatch`.

    Raises:
      TypeError: A value has another type.
      ValueError: A shape is not known, or `batch_size` is larger than `capacity`.
    """
    most = constant_value(convert_to_tensor(batch_size, dtypes.int32))
    if most is not None and most > capacity:
        raise ValueError(f"capacity needs to be >= batch_size, but they are {capacity} and {batch_size}")
    with name_scope(name, "batch_sequences_with_states", [input_key]):
        if not isinstance(input_sequences, dict):
            raise TypeError(f"The sequences must be a dictionary, not a {type(input_sequences).__name__}")
        sequences = {key: convert_to_tensor(value, name=key) for key, value in input_sequences.items()}
        if input_length is None and sequences:
            input_length = array.shape(sequences[min(sequences)])[0]
        if pad:
            sequences = {key: _padded(value, num_unroll) for key, value in sequences.items()}
        if make_keys_unique:
            number = random_uniform([], maxval=dtypes.int64.max, dtype=dtypes.int64, seed=make_keys_unique_seed)
            input_key = string_join([input_key, "/", as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length,
            input_key,
            sequences,
            input_context,
            initial_states,
            capacity,
            allow_small_batch,
        )
        runner = QueueRunner(
            saver.barrier,
            [saver.prefetch_op] * num_threads,
            saver.close(),
            saver.close(cancel_pending_enqueues=True),
            (errors.OutOfRangeError, errors.CancelledError),
        )
        add_queue_runner(runner)
        return saver.next_batch


def _padded(value, num_unroll):
    if value.shape.rank is None:
        raise ValueError("The rank of a sequence must be known")
    more = -array.shape(value)[0] % num_unroll
    others = constant(0, dtypes.int32, [value.shape.rank - 1, 2])
    sizes = concat([[[0, more]], others], 0)
    made = pad(value, sizes)
    made.set_shape([None, *value.shape[1:]])
    return made
