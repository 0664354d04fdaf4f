"""Queues with the rows of a tensor, again and again: names of files, ranges, slices."""

from tfcore.framework.graph.graph import GraphKeys, control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater
from tfcore.ops.debugging.check import Assert
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.queues.queue import FIFOQueue
from tfcore.ops.random.random import random_shuffle
from tfcore.summary.summaries import scalar
from tfcore.train.threads.queue_runner import QueueRunner, add_queue_runner
from tfcore.variables.variables import Variable


def limit_epochs(tensor, num_epochs=None, name=None):
    """A tensor that can be used `num_epochs` times, and then fails with OutOfRangeError.

    A local variable counts: `tf.local_variables_initializer()` initializes it.

    Args:
      tensor: A `Tensor`.
      num_epochs: How many times, a Python integer; None: without end.
      name: A name for the operations (optional).

    Returns:
      A `Tensor`.

    Raises:
      ValueError: `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = convert_to_tensor(0, dtype=dtypes.int64)
        epochs = Variable(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return array.identity(tensor, name=scope)


def input_producer(
    input_tensor,
    element_shape=None,
    num_epochs=None,
    shuffle=True,
    seed=None,
    capacity=32,
    shared_name=None,
    summary_name=None,
    name=None,
    cancel_op=None,
):
    """A queue with the rows of a tensor, and a queue runner that fills it.

    With `num_epochs` a local variable counts: `tf.local_variables_initializer()` initializes it.

    Args:
      input_tensor: A `Tensor` with the rows.
      element_shape: The shape of a row, if it is not known from `input_tensor`.
      num_epochs: How many times each row comes; then the queue is closed. None: without end.
      shuffle: Whether the rows are shuffled in each epoch.
      seed: Python integer, see `tf.set_random_seed`.
      capacity: The most elements in the queue.
      shared_name: Name under which sessions share the queue (optional).
      summary_name: Tag of a summary of how full the queue is (optional).
      name: A name for the operations (optional).
      cancel_op: Operation that the queue runner runs when a stop is requested (optional).

    Returns:
      The queue.

    Raises:
      ValueError: The shape of the rows is not known, or `num_epochs` is not positive.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name="input_tensor")
        element_shape = input_tensor.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            input_tensor = random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[input_tensor.dtype.base_dtype],
            shapes=[element_shape],
            shared_name=shared_name,
            name=name or "fifo_queue",
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([input_tensor])], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def _fraction(capacity):
    return f"fraction_of_{capacity}_full"


def string_input_producer(
    string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None, cancel_op=None
):
    """A queue of strings, such as names of files, and a queue runner that fills it.

    With `num_epochs` a local variable counts: `tf.local_variables_initializer()` initializes it.

    Args:
      string_tensor: A vector of strings. The queue runner fails with InvalidArgumentError if it is empty.
      num_epochs: How many times each string comes; then the queue is closed. None: without end.
      shuffle: Whether the strings are shuffled in each epoch.
      seed: Python integer, see `tf.set_random_seed`.
      capacity: The most elements in the queue.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).
      cancel_op: Operation that the queue runner runs when a stop is requested (optional).

    Returns:
      The queue.

    Raises:
      ValueError: `string_tensor` is an empty list, or `num_epochs` is not positive.
    """
    empty = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):
        raise ValueError(empty)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        string_tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with control_dependencies([Assert(greater(array.size(string_tensor), 0), [empty])]):
            string_tensor = array.identity(string_tensor)
        return input_producer(
            string_tensor,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=_fraction(capacity),
            cancel_op=cancel_op,
        )


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the integers from 0 to `limit - 1`, and a queue runner that fills it.

    With `num_epochs` a local variable counts: `tf.local_variables_initializer()` initializes it.

    Args:
      limit: A scalar int32 `Tensor`.
      num_epochs: How many times each integer comes; then the queue is closed. None: without end.
      shuffle: Whether the integers are shuffled in each epoch.
      seed: Python integer, see `tf.set_random_seed`.
      capacity: The most elements in the queue.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The queue.

    Raises:
      ValueError: `num_epochs` is not positive.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        numbers = range_of(limit)
        return input_producer(numbers, [], num_epochs, shuffle, seed, capacity, shared_name, _fraction(capacity), scope)


def slice_input_producer(
    tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None
):
    """Rows of tensors, the same one of each, chosen by a queue of their numbers.

    With `num_epochs` a local variable counts: `tf.local_variables_initializer()` initializes it.

    Args:
      tensor_list: List of `Tensor`s with equally many rows.
      num_epochs: How many times each row comes; then reading fails with OutOfRangeError. None: without end.
      shuffle: Whether the rows are shuffled in each epoch.
      seed: Python integer, see `tf.set_random_seed`.
      capacity: The most elements in the queue.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      A list of `Tensor`s, the rows.

    Raises:
      ValueError: `tensor_list` is empty, or `num_epochs` is not positive.

    Example:

    >>> x, y = tf.train.slice_input_producer([[1, 2, 3], [10, 20, 30]], num_epochs=1, shuffle=False)
    >>> batch = tf.train.batch([x, y], 2)
    >>> with tf.train.MonitoredSession() as sess:
    ...     print(*sess.run(batch))
    [1 2] [10 20]
    """
    with name_scope(name, "input_producer", tensor_list):
        tensor_list = [convert_to_tensor(t) for t in tensor_list]
        if not tensor_list:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        rows = array.shape(tensor_list[0])[0]
        queue = range_input_producer(
            rows, num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity, shared_name=shared_name
        )
        index = queue.dequeue()
        return [gather(t, index) for t in tensor_list]
