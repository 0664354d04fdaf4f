"""Losses that bring embeddings of the same class close together: `tf.contrib.losses.metric_learning`."""

from tfcore.composed.sparse.values import sparse_tensor_to_dense
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array.array import expand_dims, reshape
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.array.diag import matrix_set_diag, matrix_transpose
from tfcore.ops.array.join import stack
from tfcore.ops.cwise.binary import maximum, squared_difference
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater, logical_and
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import logical_not, sqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.softmax import softmax_cross_entropy_with_logits_v2
from tfcore.ops.reduce.reduce import (
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_sum,
)

_NONE = -1e30  # in place of the logarithm of 0, whose gradient is NaN


def contrastive_loss(labels, embeddings_anchor, embeddings_positive, margin=1.0):
    """The contrastive loss of pairs: the squared distance of those alike, and of others what it lacks to the margin.

    The method is that of R. Hadsell, S. Chopra and Y. LeCun, "Dimensionality Reduction by Learning an Invariant
    Mapping", CVPR 2006.

    Args:
      labels: A 1-D `Tensor` of 1 for pairs that are alike and 0 for others, or bools.
      embeddings_anchor: A float `Tensor` of shape [pairs, size]. Embeddings should have length 1.
      embeddings_positive: The other halves of the pairs, a `Tensor` of the same type and shape.
      margin: The distance beyond which pairs that differ have no loss.

    Returns:
      The mean loss, a scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(None, "contrastive_loss"):
        distances = sqrt(reduce_sum(squared_difference(embeddings_anchor, embeddings_positive), 1))
        labels = cast(labels, distances.dtype)
        return reduce_mean(labels * square(distances) + (1.0 - labels) * square(maximum(margin - distances, 0.0)))


def triplet_semihard_loss(labels, embeddings, margin=1.0):
    """The triplet loss of each pair of the same class with the nearest other one that is farther apart.

    If there is none, the farthest of another class takes its place. Distances are squared. The method is that of F.
    Schroff, D. Kalenichenko and J. Philbin, "FaceNet: A Unified Embedding for Face Recognition and Clustering", CVPR
    2015.

    Args:
      labels: A 1-D int `Tensor`, the class of each embedding.
      embeddings: A float `Tensor` of shape [batch, size]. Embeddings should have length 1.
      margin: By how much a distance between classes should exceed one within a class.

    Returns:
      The mean over the pairs of the same class, a scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(None, "triplet_semihard_loss"):
        distances = _pairwise_distances(embeddings, squared=True)
        alike = _alike(labels)
        differs = logical_not(alike)
        others = expand_dims(distances, 1)  # [anchor, 1, other]
        farther = logical_and(expand_dims(differs, 1), greater(others, expand_dims(distances, 2)))
        farthest = reduce_max(others, 2, keepdims=True)
        nearest_farther = reduce_min(where_v2(farther, others, farthest), 2)  # [anchor, positive]
        nearest = reduce_min(distances, 1, keepdims=True)
        farthest_other = reduce_max(where_v2(differs, distances, nearest), 1, keepdims=True)
        negative = where_v2(reduce_any(farther, 2), nearest_farther, farthest_other)
        positives = _without_diagonal(alike, distances.dtype)
        return reduce_sum(maximum((margin + distances - negative) * positives, 0.0)) / reduce_sum(positives)


def npairs_loss(labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002, print_losses=False):
    """The N-pairs loss: the softmax over the products of an anchor with all positives, and the length of embeddings.

    The method is that of K. Sohn, "Improved Deep Metric Learning with Multi-class N-pair Loss Objective", NIPS 2016.

    Args:
      labels: A 1-D int `Tensor`, the class of each pair.
      embeddings_anchor: A float `Tensor` of shape [batch, size]. Embeddings should not be normalized.
      embeddings_positive: The positives of the anchors, a `Tensor` of the same type and shape.
      reg_lambda: Weight of the mean squared length of the embeddings.
      print_losses: Whether both parts are printed in each run.

    Returns:
      The loss, a scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(None, "npairs_loss"):
        anchors = convert_to_tensor(embeddings_anchor)
        return _npairs(cast(_alike(labels), anchors.dtype), anchors, embeddings_positive, reg_lambda, print_losses)


def npairs_loss_multilabel(sparse_labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002, print_losses=False):
    """The N-pairs loss of pairs that belong to several classes: a target is the number of classes in common.

    Args:
      sparse_labels: A list of `SparseTensor`s of shape [classes], one for each pair, with the classes as its values.
      embeddings_anchor: A float `Tensor` of shape [batch, size]. Embeddings should not be normalized.
      embeddings_positive: The positives of the anchors, a `Tensor` of the same type and shape.
      reg_lambda: Weight of the mean squared length of the embeddings.
      print_losses: Whether both parts are printed in each run.

    Returns:
      The loss, a scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(None, "npairs_loss_multilabel"):
        anchors = convert_to_tensor(embeddings_anchor)
        classes = stack([sparse_tensor_to_dense(_membership(labels, anchors.dtype)) for labels in sparse_labels])
        targets = matmul(classes, classes, transpose_b=True)
        return _npairs(targets, anchors, embeddings_positive, reg_lambda, print_losses)


def lifted_struct_loss(labels, embeddings, margin=1.0):
    """The lifted structured loss: each pair of a class against all other embeddings of both its halves.

    The method is that of H. O. Song, Y. Xiang, S. Jegelka and S. Savarese, "Deep Metric Learning via Lifted Structured
    Feature Embedding", CVPR 2016.

    Args:
      labels: A 1-D int `Tensor`, the class of each embedding.
      embeddings: A float `Tensor` of shape [batch, size]. Embeddings should not be normalized.
      margin: By how much a distance between classes should exceed one within a class.

    Returns:
      The loss, a scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(None, "lifted_struct_loss"):
        distances = _pairwise_distances(embeddings)
        alike = _alike(labels)
        negatives = reduce_logsumexp(where_v2(alike, zeros_like(distances) + _NONE, margin - distances), 1)
        both = zeros_like(distances) + negatives
        losses = reduce_logsumexp(stack([both, matrix_transpose(both)]), 0) + distances
        positives = _without_diagonal(alike, distances.dtype)
        pairs = reduce_sum(positives) / 2.0
        return 0.25 * reduce_sum(square(maximum(losses * positives, 0.0))) / pairs


def _pairwise_distances(embeddings, squared=False):
    """The Euclidean distances of all rows from all others, [batch, batch], with a gradient of 0 where they are 0."""
    embeddings = convert_to_tensor(embeddings, name="embeddings")
    lengths = reduce_sum(square(embeddings), 1, keepdims=True)
    products = matmul(embeddings, embeddings, transpose_b=True)
    squares = maximum(lengths + matrix_transpose(lengths) - 2.0 * products, 0.0)
    if not squared:
        apart = greater(squares, 0.0)
        squares = where_v2(apart, sqrt(where_v2(apart, squares, ones_like(squares))), zeros_like(squares))
    return matrix_set_diag(squares, zeros_like(squares[0]))


def _alike(labels):
    """Whether two embeddings are of the same class, [batch, batch]."""
    labels = reshape(labels, [-1, 1])
    return equal(labels, matrix_transpose(labels))


def _without_diagonal(alike, dtype):
    positives = cast(alike, dtype)
    return matrix_set_diag(positives, zeros_like(positives[0]))


def _membership(labels, dtype):
    """A SparseTensor of ones at the classes that a SparseTensor lists."""
    ones = ones_like(labels.values, dtype=dtype)
    indices = expand_dims(cast(labels.values, dtypes.int64), 1)
    return SparseTensor(indices, ones, labels.dense_shape)


def _npairs(targets, anchors, positives, reg_lambda, print_losses):
    lengths = reduce_mean(reduce_sum(square(anchors), 1)) + reduce_mean(reduce_sum(square(positives), 1))
    length_loss = 0.25 * reg_lambda * lengths
    similarity = matmul(anchors, positives, transpose_b=True)
    targets = targets / reduce_sum(targets, 1, keepdims=True)
    cross_entropy = reduce_mean(softmax_cross_entropy_with_logits_v2(labels=targets, logits=similarity))
    if print_losses:
        cross_entropy = check.Print(cross_entropy, ["cross entropy:", cross_entropy, "l2loss:", length_loss])
    return length_loss + cross_entropy
