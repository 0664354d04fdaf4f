"""The table of labels against predictions, and the removal of a last dimension of size 1 from either."""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.join import stack
from tfcore.ops.control_flow import cond, control
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.debugging import check
from tfcore.ops.indexing import indexing
from tfcore.ops.reduce.reduce import reduce_max


def may_squeeze_last(tensor):
    """Whether the tensor may have a last dimension of size 1, by its static shape."""
    return tensor.dims is None or tensor.dims[-1:] in ((None,), (1,))


def squeeze_last_if(condition, tensor):
    """The tensor, without its last dimension if the condition, which the step computes, is true."""
    return cond.cond(condition, lambda: array.squeeze(tensor, [-1]), lambda: tensor)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """Removes a last dimension of size 1 from the tensor that has one dimension more than expected.

    If a rank is unknown, the step decides.

    Args:
      labels: A `Tensor` of any type.
      predictions: A `Tensor` of any type.
      expected_rank_diff: How many dimensions more than `labels` `predictions` should have.
      name: Name of the scope (optional).

    Returns:
      A pair of `Tensor`s, `labels` and `predictions`.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the dimension to remove has another size.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        if None not in (labels.dims, predictions.dims):
            extra = len(predictions.dims) - len(labels.dims) - expected_rank_diff
            if extra == 1 and may_squeeze_last(predictions):
                predictions = array.squeeze(predictions, [-1])
            elif extra == -1 and may_squeeze_last(labels):
                labels = array.squeeze(labels, [-1])
            return labels, predictions
        difference = array.rank(predictions) - array.rank(labels)
        if may_squeeze_last(predictions):
            predictions = squeeze_last_if(equal(expected_rank_diff + 1, difference), predictions)
        if may_squeeze_last(labels):
            labels = squeeze_last_if(equal(expected_rank_diff - 1, difference), labels)
        return labels, predictions


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None):
    """How often each class was predicted for each true class.

    Args:
      labels: A vector of the true classes, a `Tensor` of an integer type.
      predictions: A vector of the predicted classes, a `Tensor` of an integer type.
      num_classes: The number of classes, an integer or a scalar; one more than the greatest class by default.
      dtype: The `DType` of the result.
      name: Name of the scope (optional).
      weights: What each prediction counts, a `Tensor` of the shape of `predictions`; 1 by default.

    Returns:
      A `Tensor` of type `dtype` and shape [num_classes, num_classes]: the element at [i, j] counts predictions of class
      j where i was true.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a class is negative or not below `num_classes`.

    Example:

    >>> print(sess.run(tf.confusion_matrix(labels=[0, 1, 1], predictions=[0, 0, 1])))
    [[1 0]
     [1 1]]
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"), convert_to_tensor(predictions, name="predictions")
        )
        predictions, labels = cast(predictions, dtypes.int64), cast(labels, dtypes.int64)
        if num_classes is not None:
            num_classes = cast(num_classes, dtypes.int64)
        labels = _checked(labels, "labels", num_classes)
        predictions = _checked(predictions, "predictions", num_classes)
        if num_classes is None:
            num_classes = maximum(reduce_max(predictions), reduce_max(labels)) + 1
        if weights is None:
            values = ones_like(predictions, dtype)
        else:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            values = cast(weights, dtype)
        return indexing.scatter_nd(stack([labels, predictions], 1), values, stack([num_classes, num_classes]))


def _checked(classes, name, num_classes):
    """The classes, after checks that none is negative or too great."""
    checks = [check.assert_non_negative(classes, message=f"`{name}` contains negative values")]
    if num_classes is not None:
        checks.append(check.assert_less(classes, num_classes, message=f"`{name}` out of bound"))
    return control.with_dependencies(checks, classes)
