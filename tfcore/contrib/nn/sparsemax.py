"""Sparsemax, the nearest probabilities to given numbers, and the loss whose gradient it is.

A. F. T. Martins and R. F. Astudillo, "From Softmax to Sparsemax: A Sparse Model of Attention and Multi-Label
Classification", ICML 2016.
"""

from tfcore.framework.graph.default_graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import stack
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where
from tfcore.ops.indexing.indexing import gather_nd
from tfcore.ops.reduce.reduce import reduce_mean, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.sort import top_k


def sparsemax(logits, name=None):
    """Probabilities of which most are 0: max(logits - threshold, 0), with the threshold that makes their sum 1.

    Args:
      logits: A floating-point `Tensor` of shape [batch, classes].
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `logits`.

    Raises:
      ValueError: `logits` does not have rank 2.
    """
    with name_scope(name, "sparsemax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        logits.shape.assert_has_rank(2)
        batch, classes = shape(logits)[0], shape(logits)[1]
        z = logits - reduce_mean(logits, axis=1, keepdims=True)
        ordered, _ = top_k(z, k=classes)
        sums = cumsum(ordered, axis=1)
        count = cast(range_of(1, classes + 1), logits.dtype)
        used = reduce_sum(cast(1 + count * ordered > sums, dtypes.int32), axis=1)
        total = gather_nd(sums, stack([range_of(batch), used - 1], axis=1))
        threshold = (total - 1) / cast(used, logits.dtype)
        return maximum(z - threshold[:, None], 0)


def sparsemax_loss(logits, sparsemax, labels, name=None):
    """The loss of sparsemax: 0 if its probabilities are those of the labels.

    Args:
      logits: A floating-point `Tensor` of shape [batch, classes].
      sparsemax: What the function `sparsemax` returns for them.
      labels: A `Tensor` of this shape: probabilities.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits, probabilities, labels = (
            convert_to_tensor(x, name=n) for x, n in ((logits, "logits"), (sparsemax, "sparsemax"), (labels, "labels"))
        )
        z = logits - reduce_mean(logits, axis=1, keepdims=True)
        chosen = where(probabilities > 0, probabilities * (z - 0.5 * probabilities), zeros_like(probabilities))
        return reduce_sum(chosen + labels * (0.5 * labels - z), axis=1)
