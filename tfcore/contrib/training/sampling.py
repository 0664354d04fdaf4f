"""Batches of examples that are drawn from a stream, each with a probability of its own."""

from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.graph.graph import GraphKeys, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import constant, ones
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import divide_no_nan
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less, less_equal, logical_or
from tfcore.ops.debugging.check import Assert, assert_non_negative
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.random.random import random_uniform
from tfcore.ops.reduce.reduce import reduce_all, reduce_max, reduce_sum
from tfcore.train.input.batching import batch, maybe_batch
from tfcore.variables.variables import Variable


def rejection_sample(
    tensors,
    accept_prob_fn,
    batch_size,
    queue_threads=1,
    enqueue_many=False,
    prebatch_capacity=16,
    prebatch_threads=1,
    runtime_checks=False,
    name=None,
):
    """Batches of the examples that are accepted, each at random.

    Args:
      tensors: List of `Tensor`s: an example, or several with `enqueue_many`.
      accept_prob_fn: A function from the list of `Tensor`s of one example to the probability that it is accepted, a
        scalar from 0 to 1.
      batch_size: The size of the batches.
      queue_threads: How many threads make batches.
      enqueue_many: Whether `tensors` are several examples, along their first dimension.
      prebatch_capacity: The most examples that wait for being accepted, with `enqueue_many`.
      prebatch_threads: How many threads read examples, with `enqueue_many`.
      runtime_checks: Whether probabilities outside of 0 to 1 are errors.
      name: A name for the operations (optional).

    Returns:
      A list of `Tensor`s, the batches.

    Raises:
      ValueError: `enqueue_many` is set and an example has no first dimension.

    Example:

    >>> numbers = tf.data.Dataset.range(100).make_one_shot_iterator().get_next()
    >>> accept = lambda example: 1.0 - tf.cast(example[0] % 2, tf.float32)
    >>> (even,) = tf.contrib.training.rejection_sample([numbers], accept, 4)
    >>> with tf.train.MonitoredSession() as sess:
    ...     print(sess.run(even))
    [0 2 4 6]
    """
    with name_scope(name, "rejection_sample", tensors):
        example = [convert_to_tensor(value) for value in tensors]
        if enqueue_many:
            example = _one_at_a_time(example, prebatch_threads, prebatch_capacity)
        probability = convert_to_tensor(accept_prob_fn(example))
        if runtime_checks:
            probability = with_dependencies(_checks(probability), probability)
        keep = less(random_uniform([], dtype=probability.dtype), probability)
        return _as_list(maybe_batch(example, keep, batch_size, num_threads=queue_threads))


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _one_at_a_time(tensors, threads, capacity):
    """Single examples of several, through a queue."""
    rows = batch(tensors, 1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [array.squeeze(value, [0]) for value in _as_list(rows)]


def _checks(probability):
    inside = less_equal(probability, constant(1, probability.dtype))
    return [
        assert_non_negative(probability, message="A probability of acceptance is negative"),
        Assert(reduce_all(inside), ["A probability of acceptance is above 1:", probability]),
    ]


def stratified_sample(
    tensors,
    labels,
    target_probs,
    batch_size,
    init_probs=None,
    enqueue_many=False,
    queue_capacity=16,
    threads_per_queue=1,
    name=None,
):
    """Batches in which classes have given frequencies: examples of classes that are too frequent are left out.

    Args:
      tensors: List of `Tensor`s: an example, or several with `enqueue_many`.
      labels: The class of the example, or of each: an integer `Tensor`.
      target_probs: A vector of floats: the frequencies wanted.
      batch_size: The size of the batches.
      init_probs: The frequencies in the input; estimated from the examples so far, in local variables, by default.
      enqueue_many: Whether `tensors` are several examples, along their first dimension.
      queue_capacity: The most examples that wait in the queue of the input.
      threads_per_queue: How many threads fill each queue.
      name: A name for the operations (optional).

    Returns:
      A list of `Tensor`s, the batches, and a batch of labels.

    Raises:
      ValueError: `labels` are not a scalar, or with `enqueue_many` a vector; or frequencies are not probabilities that
        fit.
      tf.errors.InvalidArgumentError: When it runs: a class that is wanted does not occur, or a label is not one.
    """
    with name_scope(name, "stratified_sample", [*tensors, labels]):
        example = [convert_to_tensor(value) for value in tensors]
        labels = convert_to_tensor(labels)
        if labels.shape.rank not in (None, 1 if enqueue_many else 0):
            wanted = "a vector, one for each example" if enqueue_many else "a scalar"
            raise ValueError(f"`labels` must be {wanted}, but has shape {labels.shape}")
        target = _probabilities(target_probs, "target_probs", None)
        if init_probs is None:
            initial, counted = _estimate(labels, target.shape.num_elements())
        else:
            initial, counted = _probabilities(init_probs, "init_probs", target.shape.num_elements()), []
        accept = _acceptance(initial, target)
        with control_dependencies(counted):
            example = [array.identity(value) for value in (*example, labels)]
        if not enqueue_many:
            example = [array.expand_dims(value, 0) for value in example]
        example = _one_at_a_time(example, threads_per_queue, queue_capacity)
        keep = less(random_uniform([]), gather(accept, example[-1]))
        *batches, label_batch = _as_list(maybe_batch(example, keep, batch_size, num_threads=threads_per_queue))
        return batches, label_batch


def _probabilities(values, name, n):
    """A vector of float32. What is known of it is checked."""
    given = cast(convert_to_tensor(values, name=name), dtypes.float32)
    if given.shape.rank != 1 or given.shape[0].value is None:
        raise ValueError(f"`{name}` must be a vector of known size, but has shape {given.shape}")
    if n is not None and given.shape[0] != n:
        raise ValueError(f"`{name}` must have the size of target_probs, {n}, but has {given.shape[0]}")
    known = constant_value(convert_to_tensor(values))
    if known is not None and ((known < 0).any() or abs(known.sum() - 1) > 0.01):
        raise ValueError(f"`{name}` must be probabilities with the sum 1, but is {known}")
    return given


def _estimate(labels, n):
    """(the frequencies so far, the operations that count these labels); each class counts as seen once at first.

    Reading the frequencies does not read from the input: they are used where examples leave a queue.
    """
    local = [GraphKeys.LOCAL_VARIABLES]
    seen = Variable(ones([n], dtypes.int64), trainable=False, name="classes_seen", collections=local)
    found = one_hot(array.reshape(labels, [-1]), n, dtype=dtypes.int64)
    counted = seen.assign_add(reduce_sum(found, 0))
    counts = cast(seen, dtypes.float32)
    return counts / reduce_sum(counts), [counted]


def _acceptance(initial, target):
    """The largest probabilities of acceptance, by class, that give the target."""
    nothing = constant(0, dtypes.float32)
    there = reduce_all(logical_or(equal(target, nothing), less(nothing, initial)))
    text = "A class in target_probs does not occur in the input:"
    with control_dependencies([Assert(there, [text, initial, target])]):
        ratio = divide_no_nan(target, initial)
    return ratio / reduce_max(ratio)
