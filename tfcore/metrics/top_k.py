"""Precision and recall of the k best predictions, where several labels may be true.

Labels and predictions are sets of class numbers, one in each row along the last dimension; labels may be sparse.
"""

from tfcore.composed.weights_broadcast import assert_broadcastable, broadcast_weights
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import fill, ones, ones_like, range, zeros, zeros_like
from tfcore.ops.array.join import concat, split, stack
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.control_flow import cond
from tfcore.ops.cwise.binary import add, div_no_nan, divide, minimum, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.sort import top_k
from tfcore.ops.sparse import sets
from tfcore.ops.state.state import assign_add


def at_k_name(name, k=None, class_id=None):
    """The default name of a metric: `recall_at_5_class3`."""
    name = f"{name}_at_k" if k is None else f"{name}_at_{k}"
    return name if class_id is None else f"{name}_class{class_id}"


# ---- Sets of classes


def _labels_tensor(labels):
    if isinstance(labels, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(labels)
    return convert_to_tensor(labels)


def _expand_labels(labels, predictions):
    """The labels, with a last dimension of size 1 if they have one dimension less than the predictions."""
    with name_scope(None, "expand_labels", [labels, predictions]) as scope:
        labels = _labels_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _expand_sparse_labels(labels, predictions)
        if None not in (labels.dims, predictions.dims):
            missing = len(predictions.dims) - len(labels.dims)
            if missing not in (0, 1):
                raise ValueError(
                    f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. Predictions "
                    "rank should be the same rank as labels rank or labels rank plus one."
                )
            return array.expand_dims(labels, -1, name=scope) if missing else labels
        missing = _one_missing(array.rank(predictions) - array.rank(labels))
        return array.reshape(labels, concat([array.shape(labels), ones([missing], dtypes.int32)], 0), name=scope)


def _one_missing(difference):
    """1 if the difference of two ranks is 1, else 0."""
    return cast(equal(difference, 1), dtypes.int32)


def _expand_sparse_labels(labels, predictions):
    rank = labels.shape.ndims
    if None not in (rank, predictions.dims) and rank + 1 != len(predictions.dims):
        return labels
    missing = _one_missing(array.rank(predictions) - array.size(labels.dense_shape))
    last = zeros(stack([array.shape(labels.indices)[0], missing]), dtypes.int64)
    shape = concat([labels.dense_shape, ones([missing], dtypes.int64)], 0)
    return SparseTensor(concat([labels.indices, last], 1), labels.values, shape)


def _only(ids, class_id):
    """The sets of class numbers, without all others than `class_id`; sparse."""
    ids = _labels_tensor(ids)
    if isinstance(ids, SparseTensor):
        kept = equal(ids.values, class_id)
        return SparseTensor(boolean_mask(ids.indices, kept), boolean_mask(ids.values, kept), ids.dense_shape)
    shape = array.shape(ids, out_type=dtypes.int64)
    wanted = fill(concat([shape[:-1], [1]], 0), cast(class_id, dtypes.int64))
    found = sets.set_intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, shape)


def _set_sizes(operation, labels, predictions, class_id, weights):
    """The weighted sizes of the sets that an operation of predictions and labels gives, as float64."""
    if class_id is not None:
        labels, predictions = _only(labels, class_id), _only(predictions, class_id)
    sizes = cast(sets.set_size(operation(predictions, labels)), dtypes.float64)
    if weights is None:
        return sizes
    with control_dependencies([assert_broadcastable(weights, sizes)]):
        return multiply(sizes, cast(weights, dtypes.float64))


def _missed(predictions, labels):
    return sets.set_difference(predictions, labels, aminusb=False)


# Which classes count, by the name of the count.
_COUNTED = {
    "true_positive": sets.set_intersection,
    "false_positive": sets.set_difference,
    "false_negative": _missed,
}


def _streaming_count(kind, labels, predictions, k, class_id, weights):
    """A count over all batches, as a variable, and its update."""
    with name_scope(None, at_k_name(kind, k, class_id), [predictions, labels, weights]) as scope:
        total = reduce_sum(_set_sizes(_COUNTED[kind], labels, predictions, class_id, weights))
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, assign_add(variable, total, name="update")


def _share_at_k(
    metric, rest, labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
):
    """tp / (tp + rest) of the given predictions, as a value and its update."""
    with name_scope(name, at_k_name(metric, k, class_id), [predictions, labels, weights]) as scope:
        predictions = cast(predictions, dtypes.int64)
        labels = _expand_labels(labels, predictions)
        tp, update_tp = _streaming_count("true_positive", labels, predictions, k, class_id, weights)
        rest, update_rest = _streaming_count(rest, labels, predictions, k, class_id, weights)
        value = divide(tp, add(tp, rest), name=scope)
        update = divide(update_tp, add(update_tp, update_rest), name="update")
        return published(value, update, metrics_collections, updates_collections)


# ---- Precision and recall


@documented
def recall_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The recall of the k best predictions: how many of the labels are among them.

    Args:
      {k_labels}
      predictions: A `Tensor` of a floating-point type and shape [..., classes]: scores.
      k: How many of the best predictions count, an integer.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the recall so far; `update` adds this batch and returns the new recall.
      NaN without labels.

    Raises:
      {row_errors}
    """
    with name_scope(name, at_k_name("recall", k, class_id), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@documented
def recall_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The recall of given predictions: how many of the labels are among them.

    Args:
      {k_labels}
      predictions_idx: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      k: An integer, for the default name only.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the recall so far; `update` adds this batch and returns the new recall.
      NaN without labels.

    Raises:
      {row_errors}
    """
    return _share_at_k(
        "recall",
        "false_negative",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@documented
def precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The precision of the k best predictions: how many of them are among the labels.

    Args:
      {k_labels}
      predictions: A `Tensor` of a floating-point type and shape [..., classes]: scores.
      k: How many of the best predictions count, an integer.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the precision so far; `update` adds this batch and returns the new
      precision. NaN without predictions.

    Raises:
      {row_errors}

    Example:

    >>> labels = tf.constant([[0, 2]], tf.int64)
    >>> value, update = tf.metrics.precision_at_k(labels, predictions=[[0.5, 0.3, 0.2]], k=2)
    >>> sess.run(tf.local_variables_initializer())
    >>> print(sess.run(update))
    0.5
    """
    with name_scope(name, at_k_name("precision", k, class_id), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@documented
def sparse_precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Old name of `tf.metrics.precision_at_k`.

    Args:
      {k_labels}
      predictions: A `Tensor` of a floating-point type and shape [..., classes]: scores.
      k: How many of the best predictions count, an integer.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the precision so far; `update` adds this batch and returns the new
      precision.

    Raises:
      {row_errors}
    """
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


@documented
def precision_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The precision of given predictions: how many of them are among the labels.

    Args:
      {k_labels}
      predictions_idx: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      k: An integer, for the default name only.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the precision so far; `update` adds this batch and returns the new
      precision. NaN without predictions.

    Raises:
      {row_errors}
    """
    return _share_at_k(
        "precision",
        "false_positive",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


# ---- Average precision


def _number_of_relevant(labels, k):
    """How many labels could be among k predictions; negative labels mean none."""
    with name_scope(None, "num_relevant", [labels]) as scope:
        if isinstance(labels, SparseTensor):
            return minimum(sets.set_size(labels), k, name=scope)
        valid = where(greater_equal(labels, 0), ones_like(labels), zeros_like(labels))
        return minimum(reduce_sum(valid, axis=-1), k, name=scope)


def _average_precision(labels, predictions):
    """The average precision of each row: the mean of the precisions up to each relevant prediction."""
    with name_scope(None, "average_precision", [predictions, labels]) as scope:
        predictions = cast(predictions, dtypes.int64, name="predictions_idx")
        if predictions.dims == ():
            raise ValueError("The rank of `predictions_idx` must be at least 1.")
        k = predictions.shape.as_list()[-1]
        if k is None:
            raise ValueError("The last dimension of predictions_idx must be set. Currently, it is None.")
        labels = _expand_labels(labels, predictions)
        each = split(predictions, k, axis=-1)
        relevant = stack([_set_sizes(sets.set_intersection, labels, one, None, None) for one in each], axis=-1)
        precisions = divide(cumsum(relevant, axis=-1), cast(range(1, k + 1), dtypes.float64))
        total = reduce_sum(multiply(precisions, relevant), axis=(-1,), name="precision_sum")
        return divide(total, cast(_number_of_relevant(labels, k), dtypes.float64), name=scope)


def _streaming_total(name, batch_total):
    """The sum over all batches, as a variable, and its update."""
    with name_scope(None, name) as scope:
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, assign_add(variable, batch_total, name="update")


@documented
def average_precision_at_top_k(
    labels, predictions_idx, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The average precision of given predictions, the best first.

    Args:
      {k_labels}
      predictions_idx: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the mean average precision so far; `update` adds this batch and returns
      the new mean average precision.

    Raises:
      ValueError: The static shapes don't fit together, or k is not known.
    """
    with name_scope(name, "average_precision_at_top_k", [predictions_idx, labels, weights]) as scope:
        precisions = _average_precision(_labels_tensor(labels), predictions_idx)
        if weights is None:
            most = cast(array.size(precisions), dtypes.float64)
        else:
            weights = broadcast_weights(cast(weights, dtypes.float64), precisions)
            precisions = multiply(precisions, weights)
            most = reduce_sum(weights)
        most, update_most = _streaming_total("max", most)
        total, update_total = _streaming_total("total", reduce_sum(precisions))
        value = div_no_nan(total, most, name="mean")
        update = div_no_nan(update_total, update_most, name=scope)
        return published(value, update, metrics_collections, updates_collections)


def _without_unknown(labels, number):
    """The labels, with -1 instead of those outside of the `number` classes."""
    labels = _labels_tensor(labels)
    if isinstance(labels, SparseTensor):
        return SparseTensor(labels.indices, _without_unknown(labels.values, number), labels.dense_shape)

    def known():
        return where(greater_equal(labels, number), -ones_like(labels), labels)

    return cond.cond(greater_equal(reduce_max(labels), number), known, lambda: labels)


@documented
def average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The average precision of the k best predictions, which also depends on their order.

    For each row: the mean of the precisions of the i best predictions over the i at which the prediction is right
    (https://en.wikipedia.org/wiki/Evaluation_measures_(information_retrieval)#Average_precision). Then the weighted
    mean over rows.

    Args:
      {k_labels}
      predictions: A `Tensor` of a floating-point type and shape [..., classes]: scores.
      k: How many of the best predictions count, an integer.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the mean average precision so far; `update` adds this batch and returns
      the new mean average precision.

    Raises:
      ValueError: The static shapes don't fit together, or `k` is less than 1.
      TypeError: The labels are not int64.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with name_scope(name, at_k_name("average_precision", k), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        labels = _without_unknown(labels, cast(array.shape(predictions)[-1], dtypes.int64))
        return average_precision_at_top_k(labels, best, weights, metrics_collections, updates_collections, scope)


@documented
def sparse_average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Old name of `tf.metrics.average_precision_at_k`.

    Args:
      {k_labels}
      predictions: A `Tensor` of a floating-point type and shape [..., classes]: scores.
      k: How many of the best predictions count, an integer.
      {weights_of_rows}
      {names}

    Returns:
      A pair (value, update) of float64 scalars: the mean average precision so far; `update` adds this batch and returns
      the new mean average precision.

    Raises:
      ValueError: The static shapes don't fit together, or `k` is less than 1.
      TypeError: The labels are not int64.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together.
    """
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
