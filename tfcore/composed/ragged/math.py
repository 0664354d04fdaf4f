"""Reductions of ragged tensors, sums of segments, softmax, products and running sums."""

import functools

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.arguments import map_flat_values, match_splits
from tfcore.composed.ragged.arrange import expand_dims
from tfcore.composed.ragged.broadcast import binary
from tfcore.composed.ragged.make import range as ragged_range
from tfcore.composed.ragged.partition import RowPartition
from tfcore.composed.ragged.segments import SPLITS_TYPES, positive_axis
from tfcore.composed.ragged.tensor import RaggedTensor, convert
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.move import tile as dense_tile
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.nary import add_n as dense_add_n
from tfcore.ops.cwise.unary import exp, sqrt, square
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.linalg.matmul import matmul as dense_matmul
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum
from tfcore.ops.reduce.reduce import reduce_min as dense_reduce_min
from tfcore.ops.reduce.reduce import reduce_prod as dense_reduce_prod
from tfcore.ops.reduce.scan import cumsum as dense_cumsum
from tfcore.ops.reduce.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from tfcore.ops.strings.join import reduce_join as dense_reduce_join
from tfcore.ops.strings.join import unsorted_segment_join

# ---- Segments


def segments(op):
    """The ragged form of an unsorted segment function, such as `tf.unsorted_segment_sum`."""

    def aggregate(data, segment_ids, num_segments, name=None):
        with name_scope(name, "RaggedSegment", []):
            data, segment_ids = convert(data, name="data"), convert(segment_ids, name="segment_ids")
            match_splits(data, segment_ids)
            if segment_ids.dtype not in SPLITS_TYPES:
                raise ValueError("segment_ids must have dtype int32 or int64.")
            return _aggregate(op, data, segment_ids, num_segments)

    return aggregate


def _aggregate(op, data, ids, count):
    if isinstance(ids, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not."
            )
        message = "segment_ids.shape must be a prefix of data.shape"
        with control_dependencies([assert_equal(ids.row_splits, data.row_splits, message=message)]):
            return _aggregate(op, data.values, ids.values, count)
    if not isinstance(data, RaggedTensor):
        return op(data, ids, count)
    if ids.shape.ndims not in (None, 1):  # all dimensions of ids are dimensions of data
        data = data.merge_dims(0, ids.shape.ndims - 1)
        ids = array_ops.reshape(ids, [-1])
        return _aggregate(op, data, ids, count)
    lengths = maximum(unsorted_segment_max(data.row_lengths(), ids, count), 0)
    target = RowPartition.from_lengths(lengths, validate=False)
    starts = dense_gather(target.splits, ids)
    places = ragged_range(starts, starts + data.row_lengths(), row_splits_dtype=target.dtype).values
    return RaggedTensor.of_partition(_aggregate(op, data.values, places, target.count()), target)


def _ones_like(x):
    return x.with_flat_values(ones_like(x.flat_values)) if isinstance(x, RaggedTensor) else ones_like(x)


def segment_mean(data, segment_ids, num_segments, name=None):
    """`tf.math.unsorted_segment_mean` for ragged tensors."""
    return _divided(data, segment_ids, num_segments, name, lambda count: count)


def segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """`tf.math.unsorted_segment_sqrt_n` for ragged tensors."""
    return _divided(data, segment_ids, num_segments, name, sqrt)


def _divided(data, segment_ids, num_segments, name, divisor):
    with name_scope(name, "RaggedSegmentMean", []):
        data, total = convert(data), segments(unsorted_segment_sum)
        sums, counts = total(data, segment_ids, num_segments), total(_ones_like(data), segment_ids, num_segments)
        return map_flat_values(lambda x, n: x / divisor(n), sums, counts)


# ---- Reductions


def reduction(reduce, segment, **options):
    """The ragged form of a reduction.

    Args:
      reduce: The reduction of a dense tensor: a function of a tensor, `axis` and `keepdims`.
      segment: The unsorted segment function that does the same.
      **options: Further arguments of both.
    """
    segment = functools.partial(segment, **options) if options else segment

    def reduced(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = array_ops.alias(axis, reduction_indices, "axis", "reduction_indices")
        keepdims = array_ops.alias(keepdims, keep_dims, "keepdims", "keep_dims")
        with name_scope(name, "RaggedReduce", []):
            x = convert(input_tensor)
            axis = _static_axis(axis)
            if axis is None:
                result = reduce(x.flat_values, None, keepdims=keepdims, **options)
                for _ in range(x.ragged_rank if keepdims else 0):
                    result = array_ops.expand_dims(result, 0)
                return result
            axes = [axis] if isinstance(axis, int) else list(axis)
            ndims, several = x.shape.ndims, len(axes) > 1
            names = [f"axis[{i}]" if several else "axis" for i in range(len(axes))]
            axes = [positive_axis(a, ndims, n, "rank(input_tensor)") for a, n in zip(axes, names)]
            for each in sorted(axes, reverse=True):
                x = _reduced(x, each, keepdims, reduce, segment, options)
            return x

    return reduced


def _static_axis(axis):
    if isinstance(axis, Tensor):
        axis = constant_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
    return axis.tolist() if isinstance(axis, (np.ndarray, np.generic)) else axis


def _reduced(x, axis, keepdims, reduce, segment, options):
    if not isinstance(x, RaggedTensor):
        return reduce(x, axis, keepdims=keepdims, **options)
    if axis > 1:
        return x.with_values(_reduced(x.values, axis - 1, keepdims, reduce, segment, options))
    if axis == 0:
        lengths = x.row_lengths()
        count = _longest(x, lengths)
        ids = ragged_range(lengths, row_splits_dtype=lengths.dtype).values
    else:
        count, ids = x.nrows(), x.value_rowids()
    result = _aggregate(segment, x.values, ids, count)
    if axis == 1 and isinstance(result, Tensor):
        result.set_shape(TensorShape([x.partition.known_rows]).concatenate(result.shape[1:]))
    return expand_dims(result, axis) if keepdims else result


def _longest(x, lengths):
    """The length of the longest row; a constant, for the shape of what has that size, if the splits are known."""
    splits = constant_value(x.row_splits)
    if splits is None:
        return maximum(reduce_max(lengths), 0)
    return constant(np.diff(splits).max(initial=0), lengths.dtype)


total = reduction(reduce_sum, unsorted_segment_sum)
product = reduction(dense_reduce_prod, unsorted_segment_prod)
least = reduction(dense_reduce_min, unsorted_segment_min)
greatest = reduction(reduce_max, unsorted_segment_max)


def joined(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    """`tf.strings.reduce_join` for ragged tensors."""
    join = reduction(dense_reduce_join, unsorted_segment_join, separator=separator)
    return join(inputs, axis, keepdims, name, reduction_indices, keep_dims)


def mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """`tf.reduce_mean` for ragged tensors."""
    with name_scope(name, "RaggedReduceMean", []):
        x = convert(input_tensor)
        rest = axis, keepdims, None, reduction_indices, keep_dims
        return map_flat_values(lambda a, b: a / b, total(x, *rest), total(_ones_like(x), *rest))


def variance(input_tensor, axis=None, keepdims=False, name=None):
    """`tf.math.reduce_variance` for ragged tensors."""
    with name_scope(name, "RaggedReduceVariance", []):
        x = convert(input_tensor)
        if x.dtype.is_complex:
            raise ValueError("reduce_variance is not supported for RaggedTensors with complex dtypes.")
        means, squares = mean(x, axis, keepdims), mean(x.with_flat_values(square(x.flat_values)), axis, keepdims)
        return map_flat_values(lambda a, b: maximum(a - square(b), 0), squares, means)


def deviation(input_tensor, axis=None, keepdims=False, name=None):
    """`tf.math.reduce_std` for ragged tensors."""
    with name_scope(name, "RaggedReduceStd", []):
        return map_flat_values(sqrt, variance(input_tensor, axis, keepdims))


def _of_numbers(function):
    """A reduction of bools, by one of numbers."""

    def reduced(input_tensor, *args, **kwargs):
        x = convert(input_tensor)
        result = function(x.with_flat_values(cast(x.flat_values, dtypes.int32)), *args, **kwargs)
        return map_flat_values(cast, result, dtypes.bool)

    return reduced


all_of, any_of = _of_numbers(product), _of_numbers(total)


# ---- Others


def softmax(logits, axis=None, name=None, dim=None):
    """`tf.nn.softmax` for ragged tensors."""
    axis = array_ops.alias(axis, dim, "axis", "dim")
    with name_scope(name, "RaggedSoftmax", []):
        logits, axis = convert(logits), -1 if axis is None else axis
        powers = binary(lambda x, y: exp(x - y), logits, greatest(logits, axis, keepdims=True))
        return binary(lambda x, y: x / y, powers, total(powers, axis, keepdims=True))


def add_n(inputs, name=None):
    """`tf.add_n` for ragged tensors with the same rows."""
    with name_scope(name, "RaggedAddN", []):
        return map_flat_values(dense_add_n, list(inputs))


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """`tf.cumsum` for ragged tensors, along a dimension of rows or inside of them."""
    with name_scope(name, "RaggedCumSum", []):
        x = convert(x)
        axis = positive_axis(axis, x.shape.ndims, ndims_name="rank")
        if axis == x.ragged_rank:
            return x.with_flat_values(_running_sums(x.partitions[-1], x.flat_values, exclusive, reverse))
        if axis > x.ragged_rank:
            inner = axis - x.ragged_rank
            return x.with_flat_values(dense_cumsum(x.flat_values, inner, exclusive, reverse))
        dense = x.to_tensor()
        sums = dense_cumsum(dense, axis, exclusive, reverse)
        return RaggedTensor.from_tensor(sums, lengths=x.nested_row_lengths(), row_splits_dtype=x.partition.dtype)


def _running_sums(partition, values, exclusive, reverse):
    """The sums of all values so far, without those of earlier rows."""
    sums = dense_cumsum(values, 0, True, reverse)
    ids = partition.ids()
    edges = dense_gather(partition.splits, ids + 1) - 1 if reverse else dense_gather(partition.splits, ids)
    result = sums - dense_gather(sums, edges)
    return result if exclusive else result + values


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, **options):
    """`tf.matmul` for ragged tensors: batches of matrices of different sizes."""
    name = options.pop("name", None)
    if transpose_a and adjoint_a:
        raise ValueError("Only one of transpose_a and adjoint_a can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of transpose_b and adjoint_b can be True.")
    options.update(transpose_a=transpose_a, transpose_b=transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
    with name_scope(name, "RaggedMatMul", []):
        a, b = convert(a, name="a"), convert(b, name="b")
        dtype = match_splits(a, b)
        if a.dtype != b.dtype:
            raise ValueError("`a` and `b` must have the same dtype.")
        ranks = {x.shape.ndims for x in (a, b)} - {None}
        if not ranks:
            raise ValueError("matmul requires at least one input to have known rank if either input is ragged.")
        if len(ranks) > 1 or min(ranks) < 2:
            raise ValueError("`a` and `b` must have the same rank.")
        return _product(a, b, ranks.pop(), dtype, options)


def _product(a, b, ndims, dtype, options):
    if not (isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor)):
        return dense_matmul(a, b, **options)
    if ndims == 2:
        return _product_of_matrices(a, b, options)
    a, b = (x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x, row_splits_dtype=dtype) for x in (a, b))
    if ndims > 3:
        message = "Batch dimensions of `a` and `b` do not have the same size."
        with control_dependencies([assert_equal(a.row_splits, b.row_splits, message=message)]):
            return a.with_values(_product(a.values, b.values, ndims - 1, dtype, options))
    return _product_of_batches(a, b, options)


def _product_of_matrices(a, b, options):
    """The product of matrices that are ragged only in name: their rows have the same length."""
    message = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    dense, checks = [], []
    for x in (a, b):
        dense.append(x.to_tensor() if isinstance(x, RaggedTensor) else x)
        if dense[-1] is not x:
            sizes = array_ops.size(x.flat_values), array_ops.size(dense[-1])
            checks.append(assert_equal(*sizes, message=message))
    with control_dependencies(checks):
        return dense_matmul(*(array_ops.identity(x) for x in dense), **options)


def _product_of_batches(a, b, options):
    """The products of matrices of different sizes: of matrices filled up with zeros, cut to what they have."""
    rows = _sizes(a, 1 if options["transpose_a"] or options["adjoint_a"] else 0)
    inner = _sizes(a, 0 if options["transpose_a"] or options["adjoint_a"] else 1)
    turned = options["transpose_b"] or options["adjoint_b"]
    message = "Matrix sizes of `a` and `b` do not fit in a batch."
    with control_dependencies([assert_equal(inner, _sizes(b, 1 if turned else 0), message=message)]):
        products = dense_matmul(a.to_tensor(), b.to_tensor(), **options)
    columns = _sizes(b, 0 if turned else 1)
    if b.ragged_rank == 1 and not turned:
        return RaggedTensor.from_tensor(products, lengths=rows, row_splits_dtype=a.partition.dtype)
    lengths = RowPartition.from_lengths(rows, validate=False)
    return RaggedTensor.from_tensor(products, lengths=(rows, dense_gather(columns, lengths.ids())))


def _sizes(x, axis):
    """The numbers of rows, or of columns, of the matrices in a batch; a matrix whose rows differ is refused."""
    if axis == 0:
        return x.row_lengths()
    if not isinstance(x.values, RaggedTensor):
        size = array_ops.shape(x.values, out_type=x.partition.dtype)[1:2]
        return dense_tile(size, array_ops.reshape(x.nrows(), [1]))
    lengths, ids = x.values.row_lengths(), x.value_rowids()
    longest = maximum(unsorted_segment_max(lengths, ids, x.nrows()), 0)
    message = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    return with_dependencies([assert_equal(lengths, dense_gather(longest, ids), message=message)], longest)
