"""Batches of examples that are alike: a queue for each bucket, and one of whole batches."""

from tfcore.framework import errors
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import constant
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.control import group, no_op
from tfcore.ops.control_flow.smart_cond import smart_cond
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less, less_equal, logical_and
from tfcore.ops.cwise.select import where
from tfcore.ops.queues.queue import FIFOQueue, PaddingFIFOQueue
from tfcore.ops.reduce.reduce import reduce_min
from tfcore.summary.summaries import scalar
from tfcore.train.input.batching import as_given, as_list, checked_keep_input, common_shapes, common_types, converted
from tfcore.train.input.stored_sparse import restore, store
from tfcore.train.threads.queue_runner import QueueRunner, add_queue_runner

_ENDS = (errors.OutOfRangeError, errors.CancelledError)


def _for_each(value, count, complaint):
    """A list of as many values as buckets."""
    values = list(value) if isinstance(value, (list, tuple)) else [value] * count
    if len(values) != count:
        raise ValueError(complaint)
    return values


def bucket(
    tensors,
    which_bucket,
    batch_size,
    num_buckets,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Batches of examples of the same bucket.

    Each example goes to the queue of its bucket; whole batches go to a second queue. Queue runners fill both.

    Args:
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      which_bucket: A scalar int32 `Tensor`: the number of the example's bucket.
      batch_size: How many examples a batch has, or a list with a number for each bucket.
      num_buckets: How many buckets there are, a Python integer.
      num_threads: How many threads add examples.
      capacity: The most batches in the second queue, and the most examples in that of a bucket.
      bucket_capacities: List of the most examples in the queues of buckets (optional).
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch of a bucket may have fewer examples; otherwise they are dropped.
      keep_input: A scalar bool `Tensor`: whether the example is added.
      shared_name: Name under which sessions share the queues (optional).
      name: A name for the operations (optional).

    Returns:
      The number of the bucket, and the batch: `Tensor`s in a list or dictionary as the example's.

    Raises:
      ValueError: A list has not as many elements as there are buckets, or the shape of a tensor is not known.
    """
    sizes = _for_each(batch_size, num_buckets, "If batch_size is a list it must have num_buckets elements")
    complaint = (
        f"The list bucket_capacities ({bucket_capacities}) must have exactly num_buckets ({num_buckets}) elements."
    )
    capacities = _for_each(capacity if bucket_capacities is None else bucket_capacities, num_buckets, complaint)
    components = as_list(tensors)
    with name_scope(name, "bucket", components):
        components = converted(components)
        if not components:
            raise ValueError("Expected at least one tensor in bucket().")
        keep_input = checked_keep_input(keep_input, enqueue_many=False)
        (components,), sparse = store([components], False, keep_input)
        types, shapes = common_types([components]), common_shapes([components], shapes, False)
        which_bucket = convert_to_tensor(which_bucket, dtype=dtypes.int32, name="which_bucket")
        queues = [
            (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
                capacity=most,
                dtypes=types,
                shapes=shapes,
                shared_name=None if shared_name is None else f"{shared_name}_{i}",
                name=f"bucket_queue_{i}",
            )
            for i, most in enumerate(capacities)
        ]
        sizes = [convert_to_tensor(size, dtype=dtypes.int32, name="batch_size") for size in sizes]
        known = {None if (size := constant_value(t)) is None else int(size) for t in sizes}
        known = known.pop() if len(known) == 1 and not allow_smaller_final_batch else None
        rows = TensorShape([known])
        # Batches are of a PaddingFIFOQueue even if examples are not: their number of rows may be unknown.
        top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *types],
            shapes=[TensorShape([]), *(rows.concatenate(shape) for shape in queues[0].shapes)],
            shared_name=shared_name,
            name="top_queue",
        )
        _fill_buckets(queues, components, which_bucket, keep_input, num_threads)
        _fill_top(top, queues, sizes, allow_smaller_final_batch)
        for queue in queues:
            scalar(f"bucket/{queue.name}/size", cast(queue.size(), dtypes.float32))
        fraction = cast(top.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", fraction)
        number, *batch = top.dequeue(name="dequeue_top")
        return number, as_given(tensors, restore(batch[0] if len(batch) == 1 else batch, sparse))


def _fill_buckets(queues, components, which_bucket, keep_input, num_threads):
    """A queue runner that adds examples to the queues of their buckets."""

    def add():
        adds = [
            cond(equal(which_bucket, i), lambda queue=queue: queue.enqueue(components), no_op)
            for i, queue in enumerate(queues)
        ]
        return group(*adds, name="group_enqueues")

    add_queue_runner(
        QueueRunner(
            queues[0],
            [smart_cond(keep_input, add, no_op)] * num_threads,
            close_op=group(*(queue.close() for queue in queues)),
            cancel_op=group(*(queue.close(cancel_pending_enqueues=True) for queue in queues)),
            queue_closed_exception_types=_ENDS,
        )
    )


def _fill_top(top, queues, sizes, allow_smaller_final_batch):
    """A queue runner that makes batches of the examples of each bucket."""
    enqueue_ops = []
    for i, (queue, size) in enumerate(zip(queues, sizes)):
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        batch = take(size, name=f"read_bucket_{i}")
        batch = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        enqueue_ops.append(top.enqueue([constant(i), *batch], name=f"enqueue_from_bucket_{i}"))
    add_queue_runner(
        QueueRunner(
            top,
            enqueue_ops,
            close_op=top.close(),
            cancel_op=top.close(cancel_pending_enqueues=True),
            queue_closed_exception_types=_ENDS,
        )
    )


def bucket_by_sequence_length(
    input_length,
    tensors,
    batch_size,
    bucket_boundaries,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Batches of examples of similar length; see `tf.contrib.training.bucket`.

    Args:
      input_length: A scalar int32 `Tensor`: the length of the example.
      tensors: The example: a list or dictionary of `Tensor`s and `SparseTensor`s.
      batch_size: How many examples a batch has, or a list with a number for each bucket.
      bucket_boundaries: Increasing list of Python integers: the lengths at which buckets begin, but for the first one.
      num_threads: How many threads add examples.
      capacity: The most batches in the second queue, and the most examples in that of a bucket.
      bucket_capacities: List of the most examples in the queues of buckets (optional).
      shapes: Shapes of an example's components, if they are not known from the tensors.
      dynamic_pad: Whether components may differ in size; batches are padded with zeros.
      allow_smaller_final_batch: Whether the last batch of a bucket may have fewer examples; otherwise they are dropped.
      keep_input: A scalar bool `Tensor`: whether the example is added.
      shared_name: Name under which sessions share the queues (optional).
      name: A name for the operations (optional).

    Returns:
      The lengths of the examples of a batch, and the batch: `Tensor`s in a list or dictionary as the example's.

    Raises:
      TypeError: `bucket_boundaries` is not a list of integers.
      ValueError: It is empty or does not increase.

    Example:

    >>> n = tf.train.range_input_producer(4, shuffle=False, num_epochs=1).dequeue()
    >>> lengths, batch = tf.contrib.training.bucket_by_sequence_length(
    ...     n, [tf.range(n)], 2, [2], shapes=[[None]], dynamic_pad=True)
    >>> with tf.train.MonitoredSession() as sess:
    ...     print(sorted(sess.run(lengths).tolist() for _ in range(2)))
    [[0, 1], [2, 3]]
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for before, after in zip(bucket_boundaries, bucket_boundaries[1:]):
        if not isinstance(before, int) or not isinstance(after, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {before} and {after}")
        if before >= after:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {before} before {after}")
    with name_scope(name, "bucket_by_sequence_length", [input_length, *as_list(tensors)]) as scope:
        input_length = convert_to_tensor(input_length, dtype=dtypes.int32, name="input_length")
        limits = list(bucket_boundaries)
        least = constant([dtypes.int32.min, *limits], dtype=dtypes.int32, name="bucket_boundaries")
        most = constant([*limits, dtypes.int32.max], dtype=dtypes.int32)
        is_in = logical_and(less_equal(least, input_length), less(input_length, most))
        which_bucket = cast(reduce_min(where(is_in)), dtypes.int32)
        if shapes is not None:
            shapes = [[], *shapes]
        _, batch = bucket(
            [input_length, *as_list(tensors)],
            which_bucket,
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=shapes,
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
            name=scope,
        )
        lengths, *rest = batch
        return lengths, dict(zip(sorted(tensors, key=str), rest)) if isinstance(tensors, dict) else rest
