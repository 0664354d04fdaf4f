"""Counting values: bincount and histograms."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor


def _vector_of(op, index):
    with_rank(op.inputs[index].dims, 0)
    size = constant_value(op.inputs[index])
    if size is not None and size < 0:
        raise ValueError(f"size ({size}) must be non-negative")
    return [(None if size is None else int(size),)]


Bincount = define_op(
    "Bincount",
    inputs=["arr: int32", "size: int32", "weights: T"],
    outputs=["bins: T"],
    attrs=["T: {int32, int64, float, double}"],
    shape=lambda op: _vector_of(op, 1),
    doc="The count, or total weight, of each number below `size`.",
)


def _histogram_shape(op):
    (size,) = with_rank(op.inputs[1].dims, 1)
    if size not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size}")
    return _vector_of(op, 2)


HistogramFixedWidth = define_op(
    "HistogramFixedWidth",
    inputs=["values: T", "value_range: T", "nbins: int32"],
    outputs=["out: dtype"],
    attrs=["T: {int32, int64, float, double}", "dtype: {int32, int64} = DT_INT32"],
    shape=_histogram_shape,
    doc="Number of values in each of `nbins` equal bins; values outside count for the outer bins.",
)
undefined_gradient("Bincount", "HistogramFixedWidth")


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32):
    """Counts how often each integer occurs.

    Args:
      arr: A `Tensor` of type int32, without negative elements.
      weights: What each occurrence counts, a `Tensor` of the shape of `arr`; 1 by default.
      minlength: The least length of the result.
      maxlength: The greatest length of the result; greater numbers are left out.
      dtype: The `DType` of the counts, if there are no weights.

    Returns:
      A `Tensor`, a vector as long as the greatest number needs, of type `dtype` or that of `weights`.

    Raises:
      TypeError: A type is not allowed.
      tf.errors.InvalidArgumentError: At run time, an element is negative, or the shapes differ.

    Example:

    >>> print(sess.run(tf.bincount([1, 1, 3])))
    [0 2 0 1]
    """
    import tfcore.ops.reduce.reduce as reduce_ops

    raw = get_op_def
    with name_scope("bincount"):
        arr = convert_to_tensor(arr, name="arr", dtype=dtypes.int32)
        any_there = raw("Cast")(raw("Greater")(array_ops.size(arr), 0), DstT=dtypes.int32)
        size = any_there * (reduce_ops.reduce_max(arr) + 1)
        if minlength is not None:
            size = raw("Maximum")(convert_to_tensor(minlength, dtypes.int32), size)
        if maxlength is not None:
            size = raw("Minimum")(convert_to_tensor(maxlength, dtypes.int32), size)
        weights = constant([], dtype) if weights is None else weights
        return Bincount(arr, size, weights)


def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """Counts the values in each of `nbins` equal bins of a range.

    Args:
      values: A `Tensor` of type int32, int64, float32 or float64.
      value_range: The range, a `Tensor` of the type of `values` and shape [2]. Values outside of it count for the first
        or last bin.
      nbins: Number of bins, an int32 scalar.
      dtype: Type of the result, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [nbins].

    Raises:
      TypeError: A type is not allowed.
      tf.errors.InvalidArgumentError: At run time, the range is empty or `nbins` is not positive.

    Example:

    >>> print(sess.run(tf.histogram_fixed_width([-1.0, 0.1, 0.2, 0.9, 5.0], [0.0, 1.0], nbins=2)))
    [3 2]
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return HistogramFixedWidth(values, value_range, nbins, dtype=dtype, name=scope)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """The bin of each value, where a range is cut into `nbins` equal bins.

    Args:
      values: A `Tensor` of a numeric type.
      value_range: The range, a `Tensor` of the type of `values` and shape [2]. Values outside of it count for the first
        or last bin.
      nbins: Number of bins, an int32 scalar.
      dtype: Type of the result, int32 or int64.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of type `dtype` and the shape of `values`.

    Raises:
      TypeError: A type is not allowed.

    Example:

    >>> print(sess.run(tf.histogram_fixed_width_bins([-1.0, 0.1, 0.2, 0.9, 5.0], [0.0, 1.0], nbins=2)))
    [0 0 0 1 1]
    """
    raw = get_op_def
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        limits = convert_to_tensor(value_range, name="value_range")
        width = raw("Cast")(limits[1] - limits[0], DstT=dtypes.float64)
        at = raw("Cast")(values - limits[0], DstT=dtypes.float64) / width
        nbins = convert_to_tensor(nbins, dtypes.int32)
        count = raw("Cast")(nbins, DstT=dtypes.float64)
        bins = raw("Minimum")(
            raw("Maximum")(raw("Floor")(at * count), convert_to_tensor(0.0, dtypes.float64)), count - 1.0
        )
        return raw("Cast")(bins, DstT=dtype)
