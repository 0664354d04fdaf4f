"""Reductions of rows by segment: sorted, unsorted and sparse."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.indexing.indexing as indexing
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

# ---- Definitions


def _segment_shape(op):
    data, ids = op.inputs[0].dims, op.inputs[1].dims
    if ids is not None and len(ids) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(ids)}")
    if data is None:
        return [None]
    if not data:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [(None, *data[1:])]


def _define_sorted(name, types, doc):
    return define_op(
        name,
        inputs=["data: T", "segment_ids: Tindices"],
        outputs=["output: T"],
        attrs=[f"T: {types}", "Tindices: {int32, int64}"],
        shape=_segment_shape,
        doc=f"{doc} of the rows of each segment; segment_ids must be sorted.",
    )


SegmentSum = _define_sorted("SegmentSum", "numbertype", "Sum")
SegmentMean = _define_sorted("SegmentMean", "numbertype", "Mean")
SegmentProd = _define_sorted("SegmentProd", "numbertype", "Product")
SegmentMax = _define_sorted("SegmentMax", "realnumbertype", "Maximum")
SegmentMin = _define_sorted("SegmentMin", "realnumbertype", "Minimum")


def _unsorted_shape(op):
    data, ids = op.inputs[0].dims, op.inputs[1].dims
    number = constant_value(op.inputs[2])
    if number is not None and number < 0:
        raise ValueError(f"Dimension size, given by scalar input 2 must be non-negative but is {number}")
    if data is None or ids is None:
        return [None]
    if len(ids) > len(data):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    merge(data[: len(ids)], ids)
    return [(None if number is None else int(number), *data[len(ids) :])]


def _define_unsorted(name, types, doc):
    return define_op(
        name,
        inputs=["data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"],
        outputs=["output: T"],
        attrs=[f"T: {types}", "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = DT_INT32"],
        shape=_unsorted_shape,
        doc=f"{doc} of the slices of each segment; negative ids are left out.",
    )


UnsortedSegmentSum = _define_unsorted("UnsortedSegmentSum", "numbertype", "Sum")
UnsortedSegmentProd = _define_unsorted("UnsortedSegmentProd", "numbertype", "Product")
UnsortedSegmentMax = _define_unsorted("UnsortedSegmentMax", "realnumbertype", "Maximum")
UnsortedSegmentMin = _define_unsorted("UnsortedSegmentMin", "realnumbertype", "Minimum")


def _sparse_shape(op):
    data, indices, ids = (t.dims for t in op.inputs[:3])
    for dims in (indices, ids):
        if dims is not None and len(dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    merge(indices, ids)
    if data is None:
        return [None]
    if not data:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    rows = constant_value(op.inputs[3]) if len(op.inputs) == 4 else None
    if rows is not None and rows < 0:
        raise ValueError(f"Cannot specify a negative value: {rows}")
    return [(None if rows is None else int(rows), *data[1:])]


_FLOATS = "{bfloat16, half, float, double}"
_SPARSE_ATTRS = ["Tidx: {int32, int64} = DT_INT32", "Tsegmentids: {int32, int64} = DT_INT32"]


def _define_sparse(name, types, doc):
    inputs = ["data: T", "indices: Tidx", "segment_ids: Tsegmentids"]
    attrs = [f"T: {types}", *_SPARSE_ATTRS, "sparse_gradient: bool = false"]
    doc = f"{doc} of the rows of `data` that `indices` names for each segment."
    counted = [*attrs, "Tnumsegments: {int32, int64} = DT_INT32"]
    plain = define_op(name, inputs, ["output: T"], attrs, _sparse_shape, doc=doc)
    with_number = define_op(
        f"{name}WithNumSegments",
        [*inputs, "num_segments: Tnumsegments"],
        ["output: T"],
        counted,
        _sparse_shape,
        doc=doc,
    )
    grad = define_op(
        f"{name}Grad",
        ["grad: T", "indices: Tidx", "segment_ids: Tsegmentids", "output_dim0: int32"],
        ["output: T"],
        [f"T: {_FLOATS}", *_SPARSE_ATTRS],
        _sparse_shape,
        doc=f"The gradient of {name} for its data.",
    )
    return plain, with_number, grad


SparseSegmentSum, SparseSegmentSumWithNumSegments, SparseSegmentSumGrad = _define_sparse(
    "SparseSegmentSum", "realnumbertype", "Sum"
)
SparseSegmentMean, SparseSegmentMeanWithNumSegments, SparseSegmentMeanGrad = _define_sparse(
    "SparseSegmentMean", _FLOATS, "Mean"
)
SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments, SparseSegmentSqrtNGrad = _define_sparse(
    "SparseSegmentSqrtN", _FLOATS, "Sum, divided by the square root of the number,"
)


# ---- Gradients


def _gather(rows, ids):
    return indexing.GatherV2(rows, ids, 0)


def _cast(x, dtype):
    return get_op_def("Cast")(x, DstT=dtype)


@gradient("SegmentSum")
def _segment_sum_grad(op, grad):
    return _gather(grad, op.inputs[1]), None


@gradient("SegmentMean")
def _segment_mean_grad(op, grad):
    ids = op.inputs[1]
    counts = SegmentSum(constants.ones_like(ids, dtype=grad.dtype), ids)
    # Empty segments divide by zero, but no row gathers from them.
    return _gather(grad, ids) / _as_columns(_gather(counts, ids), grad), None


def _as_columns(vector, like):
    """A vector with dimensions of size 1 appended, so that it broadcasts against the rows of `like`."""
    if like.dims is not None:
        return array_ops.reshape(vector, [-1] + [1] * (len(like.dims) - 1))
    ones = constants.Fill(array_ops.reshape(array_ops.rank(like) - 1, [1]), 1)
    return array_ops.reshape(vector, array_join.concat([[-1], ones], 0))


@gradient("SegmentMax", "SegmentMin")
def _segment_extreme_grad(op, grad):
    data, ids = op.inputs
    chosen = _cast(get_op_def("Equal")(data, _gather(op.outputs[0], ids)), grad.dtype)
    number = SegmentSum(chosen, ids)
    return _gather(grad, ids) / _gather(number, ids) * chosen, None


def _gather_valid(rows, ids):
    """Rows by id; zeros for negative ids."""
    known = constant_value(ids)
    if known is not None and (known >= 0).all():
        return _gather(rows, ids)
    gathered = _gather(rows, get_op_def("Maximum")(ids, convert_to_tensor(0, ids.dtype)))
    valid = _cast(get_op_def("GreaterEqual")(ids, convert_to_tensor(0, ids.dtype)), rows.dtype)
    return gathered * _as_slices(valid, ids, gathered)


def _as_slices(mask, ids, like):
    """A mask of the shape of `ids` with dimensions of size 1 up to the rank of `like`."""
    if ids.dims is not None and like.dims is not None:
        extra = len(like.dims) - len(ids.dims)
        for _ in range(extra):
            mask = array_ops.expand_dims(mask, -1)
        return mask
    extra = array_ops.reshape(array_ops.rank(like) - array_ops.rank(ids), [1])
    return array_ops.reshape(mask, array_join.concat([array_ops.shape(ids), constants.Fill(extra, 1)], 0))


@gradient("UnsortedSegmentSum")
def _unsorted_sum_grad(op, grad):
    return _gather_valid(grad, op.inputs[1]), None, None


@gradient("UnsortedSegmentMax", "UnsortedSegmentMin")
def _unsorted_extreme_grad(op, grad):
    data, ids, number = op.inputs
    chosen = _cast(get_op_def("Equal")(data, _gather_valid(op.outputs[0], ids)), grad.dtype)
    count = UnsortedSegmentSum(chosen, ids, number)
    one = convert_to_tensor(1, grad.dtype)
    shared = grad / get_op_def("Maximum")(count, one)
    return _gather_valid(shared, ids) * chosen, None, None


def _product_grad(data, grad, total, product, take):
    """grad times the product of the others: product / x without zeros; with one zero only that one has a gradient.

    total, product: functions from slices to segments; take: from segments to slices.
    """
    raw = get_op_def
    is_zero = raw("Equal")(data, convert_to_tensor(0, data.dtype))
    zero = _cast(is_zero, grad.dtype)
    without_zeros = raw("Select")(is_zero, raw("OnesLike")(data), data)
    others = take(product(without_zeros)) / without_zeros
    # The number of zeros among the other elements: if there are any, their product is zero.
    other_zeros = take(total(zero)) - zero
    none = _cast(raw("Equal")(other_zeros, raw("ZerosLike")(other_zeros)), grad.dtype)
    if grad.dtype.is_complex:
        others = raw("Conj")(others)
    return take(grad) * others * none


@gradient("SegmentProd")
def _segment_prod_grad(op, grad):
    data, ids = op.inputs
    return _product_grad(
        data, grad, lambda x: SegmentSum(x, ids), lambda x: SegmentProd(x, ids), lambda y: _gather(y, ids)
    ), None


@gradient("UnsortedSegmentProd")
def _unsorted_prod_grad(op, grad):
    data, ids, number = op.inputs
    return (
        _product_grad(
            data,
            grad,
            lambda x: UnsortedSegmentSum(x, ids, number),
            lambda x: UnsortedSegmentProd(x, ids, number),
            lambda y: _gather_valid(y, ids),
        ),
        None,
        None,
    )


def _rows_of(data):
    if data.dims is not None and data.dims[0] is not None:
        return data.dims[0]
    return array_ops.shape(data)[0]


@gradient("SparseSegmentSum", "SparseSegmentSumWithNumSegments")
def _sparse_sum_grad(op, grad):
    return _sparse_data_grad(op, grad, SparseSegmentSumGrad)


@gradient("SparseSegmentMean", "SparseSegmentMeanWithNumSegments")
def _sparse_mean_grad(op, grad):
    return _sparse_data_grad(op, grad, SparseSegmentMeanGrad)


@gradient("SparseSegmentSqrtN", "SparseSegmentSqrtNWithNumSegments")
def _sparse_sqrt_n_grad(op, grad):
    return _sparse_data_grad(op, grad, SparseSegmentSqrtNGrad)


def _sparse_data_grad(op, grad, grad_op):
    data, indices, ids = op.inputs[:3]
    if op.attrs["sparse_gradient"]:  # only the rows that were used
        rows, positions = get_op_def("Unique")(indices)
        values = grad_op(grad, positions, ids, array_ops.size(rows))
        result = IndexedSlices(values, rows, array_ops.shape(data))
    else:
        result = grad_op(grad, indices, ids, _rows_of(data))
    return [result] + [None] * (len(op.inputs) - 1)


@gradient("SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad")
def _sparse_grad_grad(op, grad):
    """The gradient is linear in its first input: its own gradient is the forward op."""
    forward = get_op_def(op.type[: -len("Grad")] + "WithNumSegments")
    _, indices, ids, _ = op.inputs
    return forward(grad, indices, ids, _rows_of(op.inputs[0])), None, None, None


# ---- Public functions


@described(
    SegmentSum,
    example="""
>>> print(sess.run(tf.segment_sum([1, 2, 3], [0, 0, 1])))
[3 3]
""",
    shapes={
        "data": "[n, ...]",
        "segment_ids": "[n], sorted, not negative",
        "output": "[last segment + 1, ...]",
    },
)
def segment_sum(data, segment_ids, name=None):
    """The sum of the rows of each segment; 0 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `segment_ids` is not sorted or has a negative element.
    """
    return SegmentSum(data, segment_ids, name=name)


@described(
    SegmentMean,
    shapes={
        "data": "[n, ...]",
        "segment_ids": "[n], sorted, not negative",
        "output": "[last segment + 1, ...]",
    },
)
def segment_mean(data, segment_ids, name=None):
    """The mean of the rows of each segment; 0 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `segment_ids` is not sorted or has a negative element.
    """
    return SegmentMean(data, segment_ids, name=name)


@described(
    SegmentProd,
    shapes={
        "data": "[n, ...]",
        "segment_ids": "[n], sorted, not negative",
        "output": "[last segment + 1, ...]",
    },
)
def segment_prod(data, segment_ids, name=None):
    """The product of the rows of each segment; 1 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `segment_ids` is not sorted or has a negative element.
    """
    return SegmentProd(data, segment_ids, name=name)


@described(
    SegmentMax,
    shapes={
        "data": "[n, ...]",
        "segment_ids": "[n], sorted, not negative",
        "output": "[last segment + 1, ...]",
    },
)
def segment_max(data, segment_ids, name=None):
    """The maximum of the rows of each segment; 0 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `segment_ids` is not sorted or has a negative element.
    """
    return SegmentMax(data, segment_ids, name=name)


@described(
    SegmentMin,
    shapes={
        "data": "[n, ...]",
        "segment_ids": "[n], sorted, not negative",
        "output": "[last segment + 1, ...]",
    },
)
def segment_min(data, segment_ids, name=None):
    """The minimum of the rows of each segment; 0 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `segment_ids` is not sorted or has a negative element.
    """
    return SegmentMin(data, segment_ids, name=name)


@described(
    UnsortedSegmentSum,
    example="""
>>> print(sess.run(tf.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 3)))
[2 4 0]
""",
    shapes={
        "data": "segment_ids.shape + the shape of a slice",
        "segment_ids": "of any shape; slices with a negative id are left out",
        "num_segments": "a scalar",
        "output": "[num_segments, ...]",
    },
)
def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """The sum of the slices of each segment; 0 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    return UnsortedSegmentSum(data, segment_ids, num_segments, name=name)


@described(
    UnsortedSegmentProd,
    shapes={
        "data": "segment_ids.shape + the shape of a slice",
        "segment_ids": "of any shape; slices with a negative id are left out",
        "num_segments": "a scalar",
        "output": "[num_segments, ...]",
    },
)
def unsorted_segment_prod(data, segment_ids, num_segments, name=None):
    """The product of the slices of each segment; 1 for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    return UnsortedSegmentProd(data, segment_ids, num_segments, name=name)


@described(
    UnsortedSegmentMax,
    shapes={
        "data": "segment_ids.shape + the shape of a slice",
        "segment_ids": "of any shape; slices with a negative id are left out",
        "num_segments": "a scalar",
        "output": "[num_segments, ...]",
    },
)
def unsorted_segment_max(data, segment_ids, num_segments, name=None):
    """The maximum of the slices of each segment; the lowest value of the type for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    return UnsortedSegmentMax(data, segment_ids, num_segments, name=name)


@described(
    UnsortedSegmentMin,
    shapes={
        "data": "segment_ids.shape + the shape of a slice",
        "segment_ids": "of any shape; slices with a negative id are left out",
        "num_segments": "a scalar",
        "output": "[num_segments, ...]",
    },
)
def unsorted_segment_min(data, segment_ids, num_segments, name=None):
    """The minimum of the slices of each segment; the highest value of the type for empty segments.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    return UnsortedSegmentMin(data, segment_ids, num_segments, name=name)


def _segment_counts(data, ids, number):
    """Number of slices of each segment (at least 1), shaped to divide the sums."""
    ones = constants.ones_like(ids, dtype=data.dtype)
    counts = get_op_def("Maximum")(UnsortedSegmentSum(ones, ids, number), convert_to_tensor(1, data.dtype))
    if data.dims is None or ids.dims is None:
        extra = constants.ones([array_ops.rank(data) - array_ops.rank(ids)], dtypes.int32)
        return array_ops.reshape(counts, array_join.concat([array_ops.shape(counts), extra], 0))
    for _ in range(len(data.dims) - len(ids.dims)):
        counts = array_ops.expand_dims(counts, -1)
    return counts


def _unsorted_divided(data, segment_ids, num_segments, name, default, divisor):
    with name_scope(name, default):
        data = convert_to_tensor(data)
        ids = convert_to_tensor(segment_ids)
        num_segments = convert_to_tensor(num_segments)
        total = UnsortedSegmentSum(data, ids, num_segments)
        return total / divisor(_segment_counts(data, ids, num_segments))


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of the slices of each segment; 0 for empty segments.

    Args:
      data: A `Tensor` of a floating-point or complex type and shape segment_ids.shape + the shape of a slice.
      segment_ids: A `Tensor` of type int32 or int64; slices with a negative id are left out.
      num_segments: Number of segments, an int32 or int64 scalar.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `data` and shape [num_segments, ...].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    return _unsorted_divided(data, segment_ids, num_segments, name, "UnsortedSegmentMean", lambda n: n)


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of the slices of each segment, divided by the square root of their number; 0 for empty segments.

    Args:
      data: A `Tensor` of a floating-point or complex type and shape segment_ids.shape + the shape of a slice.
      segment_ids: A `Tensor` of type int32 or int64; slices with a negative id are left out.
      num_segments: Number of segments, an int32 or int64 scalar.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `data` and shape [num_segments, ...].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a segment is not less than `num_segments`.
    """
    root = get_op_def("Sqrt")
    return _unsorted_divided(data, segment_ids, num_segments, name, "UnsortedSegmentSqrtN", root)


def _sparse(plain, counted, data, indices, segment_ids, name, num_segments, sparse_gradient):
    if num_segments is None:
        return plain(data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name)
    return counted(data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient, name=name)


def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False):
    """The sum of rows for each segment, where indices choose the rows.

    Args:
      data: A `Tensor` of shape [rows, ...].
      indices: Rows of `data`, an int32 or int64 vector.
      segment_ids: The segment of each index, a sorted int32 vector of the length of `indices`.
      name: Name of the operation (optional).
      num_segments: Number of segments, a scalar; by default the last segment + 1.
      sparse_gradient: Whether the gradient of `data` is `IndexedSlices` of the rows that were used.

    Returns:
      A `Tensor` of the type of `data` and shape [segments, ...]; empty segments are 0.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range, or the segments are not sorted.

    Example:

    >>> data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> print(sess.run(tf.sparse_segment_sum(data, [0, 2, 1], [0, 0, 1])))
    [[6. 8.]
     [3. 4.]]
    """
    ops = SparseSegmentSum, SparseSegmentSumWithNumSegments
    return _sparse(*ops, data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False):
    """The mean of rows for each segment, where indices choose the rows.

    Args:
      data: A `Tensor` of shape [rows, ...].
      indices: Rows of `data`, an int32 or int64 vector.
      segment_ids: The segment of each index, a sorted int32 vector of the length of `indices`.
      name: Name of the operation (optional).
      num_segments: Number of segments, a scalar; by default the last segment + 1.
      sparse_gradient: Whether the gradient of `data` is `IndexedSlices` of the rows that were used.

    Returns:
      A `Tensor` of the type of `data` and shape [segments, ...]; empty segments are 0.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range, or the segments are not sorted.
    """
    ops = SparseSegmentMean, SparseSegmentMeanWithNumSegments
    return _sparse(*ops, data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False):
    """The sum of rows for each segment, divided by the square root of their number, where indices choose the rows.

    Args:
      data: A `Tensor` of shape [rows, ...].
      indices: Rows of `data`, an int32 or int64 vector.
      segment_ids: The segment of each index, a sorted int32 vector of the length of `indices`.
      name: Name of the operation (optional).
      num_segments: Number of segments, a scalar; by default the last segment + 1.
      sparse_gradient: Whether the gradient of `data` is `IndexedSlices` of the rows that were used.

    Returns:
      A `Tensor` of the type of `data` and shape [segments, ...]; empty segments are 0.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range, or the segments are not sorted.
    """
    ops = SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments
    return _sparse(*ops, data, indices, segment_ids, name, num_segments, sparse_gradient)
