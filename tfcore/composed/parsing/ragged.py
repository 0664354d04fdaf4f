"""Ragged tensors of features: values, and features that divide them into rows."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.arrays import repeat
from tfcore.composed.parsing.features import RaggedFeature
from tfcore.composed.ragged import math
from tfcore.composed.ragged.parts import getitem
from tfcore.composed.ragged.tensor import RaggedTensor
from tfcore.framework.values.constant import constant
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.reduce.scan import cumsum

_MAKERS = {
    RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
    RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
    RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
    RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
    RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
}


def rows_of_examples(values, row_splits, ndims):
    """What was parsed of a key: the values of one example, or rows of the values of each."""
    if ndims == 0:
        return values
    return RaggedTensor.from_row_splits(values, row_splits, validate=False)


def composed_feature(key, feature, parsed):
    """The ragged tensor of a RaggedFeature, from what was parsed of its keys."""
    result = parsed[feature.value_key or key]
    divide = _divided_rows if isinstance(result, RaggedTensor) else _divided
    for partition in reversed(feature.partitions):
        result = divide(result, partition, parsed, feature)
    return result


def _divided(values, partition, parsed, feature):
    """The values of one example in the rows of a partition."""
    dtype = feature.row_splits_dtype
    if not isinstance(partition, RaggedFeature.UniformRowLength):
        rows = cast(parsed[partition.key], dtype)
        return _MAKERS[type(partition)](values, rows, validate=feature.validate)
    if isinstance(values, RaggedTensor):
        length = constant(partition.length, dtype)
        return RaggedTensor.from_uniform_row_length(values, length, validate=feature.validate)
    return _in_blocks(values, partition.length)


def _in_blocks(values, length):
    return array_ops.reshape(values, concat([[-1, length], array_ops.shape(values)[1:]], 0))


def _divided_rows(batch, partition, parsed, feature):
    """The values of each example in the rows of a partition."""
    validate, values, splits = feature.validate, batch.values, batch.row_splits
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if isinstance(values, RaggedTensor):
            length = constant(partition.length, splits.dtype)
            values = RaggedTensor.from_uniform_row_length(values, length, validate=validate)
        else:
            values = _in_blocks(values, partition.length)
        return RaggedTensor.from_row_splits(values, splits // partition.length, validate=validate)
    rows = parsed[partition.key]
    rows = rows.with_values(cast(rows.values, splits.dtype))
    if isinstance(partition, RaggedFeature.RowSplits):
        rows = getitem(rows, (slice(None), slice(1, None)))
    maker = _MAKERS[type(partition)]
    if isinstance(partition, RaggedFeature.RowLengths):
        return rows.with_values(maker(values, rows.values, validate=validate))
    if isinstance(partition, RaggedFeature.ValueRowIds):
        counts = maximum(math.greatest(rows.with_values(rows.values + 1), axis=1), 0)
        ids = rows.values + repeat(cumsum(counts, exclusive=True), rows.row_lengths(), axis=0)
        return RaggedTensor.from_row_lengths(maker(values, ids, validate=validate), counts, validate=validate)
    if isinstance(partition, RaggedFeature.RowSplits):
        maker = RaggedTensor.from_row_limits
    places = rows.values + repeat(batch.row_starts(), rows.row_lengths(), axis=0)
    return rows.with_values(maker(values, places, validate=validate))
