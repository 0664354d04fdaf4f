"""From single examples to batches: a queue in between, filled by threads of a queue runner."""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.control_flow.smart_cond import smart_cond
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.select import dynamic_partition
from tfcore.ops.queues.queue import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tfcore.summary.summaries import scalar
from tfcore.train.input.stored_sparse import restore, store
from tfcore.train.threads.queue_runner import QueueRunner, add_queue_runner

# ---- Arguments


def as_list(tensors):
    """The components of an example as a list: those of a dictionary in the order of their keys."""
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else list(tensors)


def as_given(tensors, found):
    """Components, a list, or the only one, as the example had them."""
    if not isinstance(tensors, dict):
        return found
    found = [found] if len(tensors) == 1 else found
    return dict(zip(sorted(tensors, key=str), found))


def converted(tensors):
    """A list of `Tensor`s and `SparseTensor`s."""
    return [t if isinstance(t, SparseTensor) else convert_to_tensor(t) for t in tensors]


def checked_keep_input(keep_input, enqueue_many):
    """`keep_input` as a `Tensor`: a scalar, or a vector if there are rows to keep."""
    keep_input = convert_to_tensor(keep_input)
    rank = keep_input.shape.ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if rank == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep_input


def common_types(lists):
    """The types of the components, which all examples have in common."""
    types = [t.dtype.base_dtype for t in lists[0]]
    for tensors in lists[1:]:
        other = [t.dtype.base_dtype for t in tensors]
        if other != types:
            shown = [", ".join(t.name for t in each) for each in (types, other)]
            raise TypeError(f"Expected types to be consistent: {shown[0]} vs. {shown[1]}.")
    return types


def common_shapes(lists, shapes, enqueue_many):
    """The shapes of the components: `shapes`, or what all examples say together."""
    if shapes is not None:
        return shapes
    found = []
    for same in zip(*lists):
        for t in same:
            if t.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {t}")
        merged = as_shape(None)
        for t in same:
            shape = t.shape.with_rank_at_least(1)[1:] if enqueue_many else t.shape
            merged = merged.merge_with(shape)
        found.append(merged)
    return found


def _lists_of(tensors_list):
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    first = tensors_list[0]
    if isinstance(first, dict) and any(set(tensors) != set(first) for tensors in tensors_list):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [as_list(tensors) for tensors in tensors_list]


# ---- The queue


def _enqueue(queue, tensors, keep_input, enqueue_many):
    """An operation that adds an example, or its rows, or those that are to be kept."""
    if keep_input.shape.ndims == 1:
        chosen = cast(keep_input, dtypes.int32)
        return queue.enqueue_many([dynamic_partition(t, chosen, num_partitions=2)[1] for t in tensors])
    add = queue.enqueue_many if enqueue_many else queue.enqueue
    return smart_cond(keep_input, lambda: add(tensors), no_op)


def _batches(
    what,
    tensors_list,
    batch_size,
    keep_input,
    make_queue,
    summarize,
    threads=1,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    name=None,
):
    """Batches of examples that operations, or threads with one operation, add to a queue."""
    lists = _lists_of(tensors_list)
    with name_scope(name, what, [*(t for tensors in lists for t in tensors), keep_input]) as scope:
        lists = [converted(tensors) for tensors in lists]
        if not lists[0]:
            raise ValueError(f"Expected at least one tensor in {what}().")
        keep_input = checked_keep_input(keep_input, enqueue_many)
        lists, sparse = store(lists, enqueue_many, keep_input)
        queue = make_queue(common_types(lists), common_shapes(lists, shapes, enqueue_many))
        enqueue_ops = [_enqueue(queue, tensors, keep_input, enqueue_many) for tensors in lists] * threads
        add_queue_runner(QueueRunner(queue, enqueue_ops))
        summarize(queue)
        dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return as_given(tensors_list[0], restore(dequeue(batch_size, name=scope), sparse))


def _in_order(capacity, dynamic_pad, shared_name):
    """How to make a queue that keeps the order, and its summary."""

    def make(types, shapes):
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        return kind(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)

    def summarize(queue):
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes.float32) * (1.0 / capacity))

    return make, summarize


def _shuffled(capacity, min_after_dequeue, seed, shared_name):
    """How to make a queue that shuffles, and its summary."""
    if capacity <= min_after_dequeue:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.")

    def make(types, shapes):
        return RandomShuffleQueue(
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed,
            dtypes=types,
            shapes=shapes,
            shared_name=shared_name,
        )

    def summarize(queue):
        room = capacity - min_after_dequeue
        over = cast(maximum(0, queue.size() - min_after_dequeue), dtypes.float32) * (1.0 / room)
        scalar(f"fraction_over_{min_after_dequeue}_of_{room}_full", over)

    return make, summarize


# ---- Public functions


def batch(
    tensors,
    batch_size,
    num_threads=1,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of examples, in order.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      num_threads: How many threads add examples. With several their order is not determined.
      capacity: The most examples in the queue.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough.

    Example:

    >>> x = tf.train.range_input_producer(5, shuffle=False, num_epochs=1).dequeue()
    >>> batch = tf.train.batch([x], 3, allow_smaller_final_batch=True)
    >>> with tf.train.MonitoredSession() as sess:
    ...     while not sess.should_stop():
    ...         print(sess.run(batch))
    [0 1 2]
    [3 4]
    """
    return _batches(
        "batch",
        [tensors],
        batch_size,
        True,
        *_in_order(capacity, dynamic_pad, shared_name),
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def maybe_batch(
    tensors,
    keep_input,
    batch_size,
    num_threads=1,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of the examples that are to be kept, in order; see `tf.train.batch`.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      keep_input: A bool `Tensor`: whether the example is added. With `enqueue_many` it may be a vector: which rows.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      num_threads: How many threads add examples. With several their order is not determined.
      capacity: The most examples in the queue.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough.
    """
    return _batches(
        "batch",
        [tensors],
        batch_size,
        keep_input,
        *_in_order(capacity, dynamic_pad, shared_name),
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def batch_join(
    tensors_list,
    batch_size,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of examples from several sources, in the order in which they come.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors_list: List of examples: lists or dictionaries of `Tensor`s and `SparseTensor`s. Each gets a thread.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough.
      TypeError: The examples differ in their types.
    """
    return _batches(
        "batch_join",
        tensors_list,
        batch_size,
        True,
        *_in_order(capacity, dynamic_pad, shared_name),
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def maybe_batch_join(
    tensors_list,
    keep_input,
    batch_size,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of the examples of several sources that are to be kept; see `tf.train.batch_join`.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors_list: List of examples: lists or dictionaries of `Tensor`s and `SparseTensor`s. Each gets a thread.
      keep_input: A bool `Tensor`: whether the example is added. With `enqueue_many` it may be a vector: which rows.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough.
      TypeError: The examples differ in their types.
    """
    return _batches(
        "batch_join",
        tensors_list,
        batch_size,
        keep_input,
        *_in_order(capacity, dynamic_pad, shared_name),
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    num_threads=1,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of shuffled examples.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      min_after_dequeue: The least number of examples that stay in the queue, for good mixing.
      num_threads: How many threads add examples. With several their order is not determined.
      seed: Python integer, see `tf.set_random_seed`.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough, or `capacity` is not larger than
        `min_after_dequeue`.
    """
    return _batches(
        "shuffle_batch",
        [tensors],
        batch_size,
        True,
        *_shuffled(capacity, min_after_dequeue, seed, shared_name),
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def maybe_shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    num_threads=1,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of the examples that are to be kept, shuffled; see `tf.train.shuffle_batch`.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      min_after_dequeue: The least number of examples that stay in the queue, for good mixing.
      keep_input: A bool `Tensor`: whether the example is added. With `enqueue_many` it may be a vector: which rows.
      num_threads: How many threads add examples. With several their order is not determined.
      seed: Python integer, see `tf.set_random_seed`.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough, or `capacity` is not larger than
        `min_after_dequeue`.
    """
    return _batches(
        "shuffle_batch",
        [tensors],
        batch_size,
        keep_input,
        *_shuffled(capacity, min_after_dequeue, seed, shared_name),
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of shuffled examples from several sources.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors_list: List of examples: lists or dictionaries of `Tensor`s and `SparseTensor`s. Each gets a thread.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      min_after_dequeue: The least number of examples that stay in the queue, for good mixing.
      seed: Python integer, see `tf.set_random_seed`.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough, or `capacity` is not larger than
        `min_after_dequeue`.
      TypeError: The examples differ in their types.
    """
    return _batches(
        "shuffle_batch_join",
        tensors_list,
        batch_size,
        True,
        *_shuffled(capacity, min_after_dequeue, seed, shared_name),
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of the examples of several sources that are to be kept, shuffled; see
    `tf.train.shuffle_batch_join`.

    The examples go through a queue that a queue runner fills. Reading fails with OutOfRangeError when the input has
    ended.

    Args:
      tensors_list: List of examples: lists or dictionaries of `Tensor`s and `SparseTensor`s. Each gets a thread.
      batch_size: How many examples a batch has, an integer or scalar `Tensor`.
      capacity: The most examples in the queue.
      min_after_dequeue: The least number of examples that stay in the queue, for good mixing.
      keep_input: A bool `Tensor`: whether the example is added. With `enqueue_many` it may be a vector: which rows.
      seed: Python integer, see `tf.set_random_seed`.
      enqueue_many: Whether the rows of the tensors are examples.
      shapes: Shapes of an example's components, if they are not known from the tensors.
      allow_smaller_final_batch: Whether the last batch may have fewer examples; otherwise they are dropped.
      shared_name: Name under which sessions share the queue (optional).
      name: A name for the operations (optional).

    Returns:
      The batch: `Tensor`s with one more dimension, in a list or dictionary as the example's; a single one for a list of
      one.

    Raises:
      ValueError: There is no tensor, or the shape of one is not known well enough, or `capacity` is not larger than
        `min_after_dequeue`.
      TypeError: The examples differ in their types.
    """
    return _batches(
        "shuffle_batch_join",
        tensors_list,
        batch_size,
        keep_input,
        *_shuffled(capacity, min_after_dequeue, seed, shared_name),
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
    )
