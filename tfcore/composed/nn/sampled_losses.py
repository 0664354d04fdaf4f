"""Losses of classifiers with very many classes: true classes against a few sampled ones."""

import tfcore.composed.nn.embedding as embedding
import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
import tfcore.ops.random.candidate_sampling as candidate_sampling
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


def nce_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    partition_strategy="mod",
    name="nce_loss",
):
    """Noise-contrastive estimation: logistic regression tells the true classes from sampled ones.

    For training only: to evaluate a model, use the sigmoid cross entropy over all classes. The gradient of the weights
    is sparse (`IndexedSlices`), shard by shard. With `remove_accidental_hits` the method is Sampled Logistic instead.

    Source: M. Gutmann and A. Hyvärinen, "Noise-contrastive estimation: A new estimation principle for unnormalized
    statistical models", AISTATS 2010.

    Args:
      weights: A `Tensor` of shape [num_classes, dim], the vector of each class; or a list of shards, or a partitioned
        variable.
      biases: A `Tensor` of shape [num_classes], sharded like `weights`.
      labels: A `Tensor` of integers of shape [batch, num_true]: the true classes, each with probability 1 / num_true.
      inputs: A `Tensor` of shape [batch, dim]: the activations of the last layer.
      num_sampled: An int: how many classes to draw for the whole batch.
      num_classes: An int: the number of classes.
      num_true: An int: how many true classes an example has.
      sampled_values: What a candidate sampler returned. By default the classes are drawn without repetition by
        `tf.nn.log_uniform_candidate_sampler`, which suits classes in the order of decreasing frequency.
      remove_accidental_hits: Whether to ignore sampled classes that are true classes of the example.
      partition_strategy: How the classes are spread over shards, "mod" or "div", as for `tf.nn.embedding_lookup`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `inputs`, shape [batch]: the loss of each example.

    Raises:
      ValueError: The shapes don't fit together, or a number is below 1.
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: When run: a label is out of range.

    Example:

    >>> weights, biases = tf.ones([4, 2]), tf.zeros([4])
    >>> inputs, labels = tf.ones([1, 2]), tf.constant([[2]], tf.int64)
    >>> classes = tf.nn.all_candidate_sampler(labels, num_true=1, num_sampled=4, unique=True)
    >>> loss = tf.nn.nce_loss(weights, biases, labels, inputs, num_sampled=4, num_classes=4, sampled_values=classes)
    >>> print(np.round(sess.run(loss), 3))
    [8.635]
    """
    logits, labels = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        None,
    )
    import tfcore.ops.nn.softmax as softmax
    import tfcore.ops.reduce.reduce as reduce_ops

    losses = softmax.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="sampled_losses")
    return reduce_ops.reduce_sum(losses, 1)


def sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    partition_strategy="mod",
    name="sampled_softmax_loss",
    seed=None,
):
    """Softmax cross entropy over the true classes and sampled ones, an estimate of that over all classes.

    For training only: to evaluate a model, use the softmax cross entropy over all classes. The gradient of the weights
    is sparse (`IndexedSlices`), shard by shard.

    Source: S. Jean et al., "On Using Very Large Target Vocabulary for Neural Machine Translation", ACL 2015.

    Args:
      weights: A `Tensor` of shape [num_classes, dim], the vector of each class; or a list of shards, or a partitioned
        variable.
      biases: A `Tensor` of shape [num_classes], sharded like `weights`.
      labels: A `Tensor` of integers of shape [batch, num_true]: the true classes, each with probability 1 / num_true.
      inputs: A `Tensor` of shape [batch, dim]: the activations of the last layer.
      num_sampled: An int: how many classes to draw for the whole batch.
      num_classes: An int: the number of classes.
      num_true: An int: how many true classes an example has.
      sampled_values: What a candidate sampler returned. By default the classes are drawn without repetition by
        `tf.nn.log_uniform_candidate_sampler`, which suits classes in the order of decreasing frequency.
      remove_accidental_hits: Whether to ignore sampled classes that are true classes of the example.
      partition_strategy: How the classes are spread over shards, "mod" or "div", as for `tf.nn.embedding_lookup`.
      name: Prefix of the names of the operations (optional).
      seed: An int, the seed for drawing the classes.

    Returns:
      A `Tensor` of the type of `inputs`, shape [batch]: the loss of each example.

    Raises:
      ValueError: The shapes don't fit together, or a number is below 1.
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: When run: a label is out of range.

    Example:

    >>> weights, biases = tf.ones([4, 2]), tf.zeros([4])
    >>> inputs, labels = tf.ones([1, 2]), tf.constant([[2]], tf.int64)
    >>> classes = tf.nn.all_candidate_sampler(labels, num_true=1, num_sampled=4, unique=True)
    >>> loss = tf.nn.sampled_softmax_loss(
    ...     weights, biases, labels, inputs, num_sampled=4, num_classes=4, sampled_values=classes
    ... )
    >>> print(np.round(sess.run(loss), 3))  # log 4
    [1.386]
    """
    logits, labels = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
    )
    import tfcore.ops.nn.softmax as softmax

    labels = array_ops.stop_gradient(labels, name="labels_stop_gradient")
    return softmax.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)


def _sampled_logits(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true,
    sampled_values,
    remove_accidental_hits,
    partition_strategy,
    name,
    seed,
):
    """Logits and labels of the true and the sampled classes, both [batch, num_true + num_sampled]."""
    shards = embedding.shards_of(weights)
    with name_scope(name, "compute_sampled_logits", [*shards, biases, inputs, labels]):
        labels = _cast(convert_to_tensor(labels, labels.dtype, name="labels"), dtypes.int64)
        inputs = convert_to_tensor(inputs, inputs.dtype, name="inputs")
        if sampled_values is None:
            sampled_values = candidate_sampling.log_uniform_candidate_sampler(
                labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed
            )
        sampled, true_expected, sampled_expected = map(array_ops.stop_gradient, sampled_values)
        sampled = _cast(sampled, dtypes.int64)
        (true_w, true_b), (sampled_w, sampled_b) = _rows(
            shards, biases, array_ops.reshape(labels, [-1]), sampled, partition_strategy, inputs.dtype.base_dtype
        )
        true_logits = _true_logits(inputs, true_w, true_b, num_true)
        sampled_logits = get_op_def("MatMul")(inputs, sampled_w, transpose_b=True) + sampled_b
        if remove_accidental_hits:
            sampled_logits = _without_hits(sampled_logits, labels, sampled, num_true)
        true_logits -= _log(true_expected, true_logits)
        sampled_logits -= _log(sampled_expected, sampled_logits)
        logits = array_join.concat([true_logits, sampled_logits], 1)
        import tfcore.ops.array.constants as constants

        targets = [constants.ones_like(true_logits) / num_true, constants.zeros_like(sampled_logits)]
        return logits, array_join.concat(targets, 1)


def _rows(shards, biases, true, sampled, partition_strategy, dtype):
    """(weights, biases) of the true and of the sampled classes. One look-up for both: one message per shard."""
    ids = array_join.concat([true, sampled], 0)
    count = array_ops.shape(true)
    tables = [
        _cast(embedding.embedding_lookup(table, ids, partition_strategy=partition_strategy), dtype)
        for table in (shards, biases)
    ]
    here, there = zip(
        *(array_join.split(rows, array_join.concat([count, array_ops.shape(sampled)], 0)) for rows in tables)
    )
    return here, there


def _true_logits(inputs, weights, biases, num_true):
    """inputs [batch, dim], weights [batch * num_true, dim], biases [batch * num_true] -> [batch, num_true]"""
    import tfcore.ops.reduce.reduce as reduce_ops

    shape = array_join.concat([[-1, num_true], array_ops.shape(weights)[1:]], 0)
    products = array_ops.expand_dims(inputs, 1) * array_ops.reshape(weights, shape)
    return reduce_ops.reduce_sum(products, 2) + array_ops.reshape(biases, [-1, num_true])


def _without_hits(logits, labels, sampled, num_true):
    """Sampled logits, with the lowest number where the sampled class is a true class of the row."""
    rows, places, weights = candidate_sampling.compute_accidental_hits(labels, sampled, num_true)
    kind = logits.dtype.base_dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        # In shorter types the lowest float32 is infinite, and the type's lowest number becomes so in the sum.
        weights = weights * 0 + float(kind.min) / 2
    indices = array_join.concat([_column(rows), _column(_cast(places, dtypes.int32))], 1, "sparse_indices")
    import tfcore.ops.sparse.sparse as sparse

    return logits + sparse.sparse_to_dense(
        indices, array_ops.shape(logits), _cast(weights, kind), default_value=0, validate_indices=False
    )


def _column(x):
    return array_ops.reshape(x, [-1, 1])


def _log(expected, logits):
    return get_op_def("Log")(_cast(expected, logits.dtype.base_dtype))


def _cast(x, dtype):
    return x if x.dtype.base_dtype is dtype else get_op_def("Cast")(x, DstT=dtype)
