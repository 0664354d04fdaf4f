"""The loss of sequences."""

from tfcore.framework.graph.graph import name_scope
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.cwise.cast import cast
from tfcore.ops.nn.softmax import sparse_softmax_cross_entropy_with_logits
from tfcore.ops.reduce.reduce import count_nonzero, reduce_sum


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    sum_over_timesteps=False,
    sum_over_batch=False,
    softmax_loss_function=None,
    name=None,
):
    """Weighted cross entropy of sequences.

    Args:
      logits: A `Tensor` of shape [batch, time, classes], of a floating-point type.
      targets: An int32 or int64 `Tensor` of shape [batch, time].
      weights: A `Tensor` of shape [batch, time], 0 where there is only padding.
      average_across_timesteps: Whether to sum over time and divide by the sum of the weights.
      average_across_batch: Whether to sum over the batch and divide by the sum of the weights.
      sum_over_timesteps: Whether to sum over time and divide by the number of weights that are not 0.
      sum_over_batch: Whether to sum over the batch and divide by the number of weights that are not 0.
      softmax_loss_function: A function of `labels` and `logits`, given by name, instead of the softmax cross entropy.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `logits`: a scalar, or of shape [batch], [time] or [batch, time], depending on what is
      averaged.

    Raises:
      ValueError: An argument has the wrong rank, or a dimension is to be both averaged and summed.
    """
    if len(logits.shape) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if len(targets.shape) != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if len(weights.shape) != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("average_across_timesteps and sum_over_timesteps cannot be set to True at same time.")
    if average_across_batch and sum_over_batch:
        raise ValueError("average_across_batch and sum_over_batch cannot be set to True at same time.")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = shape(logits)[2]
        loss = (softmax_loss_function or sparse_softmax_cross_entropy_with_logits)(
            labels=reshape(targets, [-1]), logits=reshape(logits, [-1, classes])
        )
        loss = reshape(loss * reshape(weights, [-1]), shape(logits)[:2])
        over_time, over_batch = average_across_timesteps or sum_over_timesteps, average_across_batch or sum_over_batch
        axes = [axis for axis, wanted in ((0, over_batch), (1, over_time)) if wanted]
        if not axes:
            return loss
        if sum_over_timesteps or sum_over_batch:
            total = cast(count_nonzero(weights, axis=axes), loss.dtype)
        else:
            total = reduce_sum(weights, axis=axes)
        return reduce_sum(loss, axis=axes) / (total + 1e-12)  # the loss is 0 if all weights are 0
