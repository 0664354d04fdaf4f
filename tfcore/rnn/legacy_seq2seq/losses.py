"""The loss of sequences that are lists of steps."""

from tfcore.framework.graph.graph import name_scope
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.nn.softmax import sparse_softmax_cross_entropy_with_logits
from tfcore.ops.reduce.reduce import reduce_sum


def sequence_loss_by_example(
    logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None
):
    """Weighted cross entropy of each sequence.

    Args:
      logits: A list of `Tensor`s of shape [batch, classes], one for each step.
      targets: A list of int32 or int64 `Tensor`s of shape [batch].
      weights: A list of `Tensor`s of shape [batch], of the type of `logits`; 0 where there is only padding.
      average_across_timesteps: Whether to divide by the sum of a sequence's weights.
      softmax_loss_function: A function of `labels` and `logits`, given by name, instead of the softmax cross entropy.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                loss = sparse_softmax_cross_entropy_with_logits(labels=reshape(target, [-1]), logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = add_n(losses)
        # 1e-12: a sequence whose weights are all 0 has the loss 0.
        return total / (add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    softmax_loss_function=None,
    name=None,
):
    """Weighted cross entropy of all sequences together.

    Args:
      logits: A list of `Tensor`s of shape [batch, classes], one for each step.
      targets: A list of int32 or int64 `Tensor`s of shape [batch].
      weights: A list of `Tensor`s of shape [batch], of the type of `logits`; 0 where there is only padding.
      average_across_timesteps: Whether to divide by the sum of a sequence's weights.
      average_across_batch: Whether to divide by the number of sequences.
      softmax_loss_function: A function of `labels` and `logits`, given by name, instead of the softmax cross entropy.
      name: Prefix of the names of the operations (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The lists have different lengths.
    """
    with name_scope(name, "sequence_loss", logits + targets + weights):
        losses = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function=softmax_loss_function
        )
        total = reduce_sum(losses)
        return total / cast(shape(targets[0])[0], total.dtype) if average_across_batch else total
