"""Cross entropies of tf.contrib.nn."""

from tfcore.composed.nn.sampled_losses import sampled_softmax_loss
from tfcore.ops.nn import softmax


def deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
    """`tf.nn.softmax_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0.

    Args:
      logits: A floating-point `Tensor` of shape [..., classes].
      labels: A `Tensor` like it: probabilities.
      dim: The dimension of the classes.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of shape [...].

    Raises:
      ValueError: The shapes don't fit together.
    """
    return softmax.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0.

    Args:
      logits: A floating-point `Tensor` of shape [..., classes].
      labels: An integer `Tensor` of shape [...].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of shape [...].

    Raises:
      ValueError: The shapes don't fit together.
    """
    return softmax.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets, name=None):
    """`tf.nn.sigmoid_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0.

    Args:
      logits: A floating-point `Tensor`.
      targets: A `Tensor` like it.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` like them.

    Raises:
      ValueError: The shapes differ.
    """
    return softmax.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def sampled_sparse_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    sampled_values=None,
    remove_accidental_hits=True,
    partition_strategy="mod",
    name="sampled_sparse_softmax_loss",
):
    """`tf.nn.sampled_softmax_loss` of examples with one class each.

    Args:
      weights: A `Tensor` of shape [classes, depth], or a list of its shards.
      biases: A `Tensor` of shape [classes].
      labels: An int64 `Tensor` of shape [batch, 1].
      inputs: A `Tensor` of shape [batch, depth].
      num_sampled: The number of classes that are drawn for a batch.
      num_classes: The number of classes.
      sampled_values: What a sampler has returned; by default `log_uniform_candidate_sampler` draws.
      remove_accidental_hits: Whether drawn classes that are the label of an example do not count for it.
      partition_strategy: How the classes are spread over shards, "mod" or "div".
      name: Prefix of the names of the operations.

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    return sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true=1,
        sampled_values=sampled_values,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )
