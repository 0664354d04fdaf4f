"""Ops on ragged tensors, against lists of lists."""

import itertools
import random

import numpy as np
import pytest

import tfcore as tf

ops = tf.raw_ops
I64 = np.int64


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def rows_of(rng, levels, n):
    """n random nested lists of numbers."""
    if not levels:
        return [rng.randrange(100) for _ in range(n)]
    return [rows_of(rng, levels - 1, rng.choice([0, 1, 2, 4])) for _ in range(n)]


def splits_of(rows, levels):
    """The splits of each level, and the values."""
    result = []
    for _ in range(levels):
        result.append(np.cumsum([0, *map(len, rows)], dtype=I64))
        rows = list(itertools.chain(*rows))
    return result, rows


def nested(splits, values):
    """The lists that splits and values stand for."""
    rows = np.asarray(values).tolist()
    for level in reversed(splits):
        rows = [rows[a:b] for a, b in itertools.pairwise(np.asarray(level).tolist())]
    return rows


def padded(rows, shape, default):
    """Nested lists as an array of that shape."""
    result = np.full(shape, default)
    for place in np.ndindex(*shape):
        value = rows
        try:
            for i in place:
                value = value[i]
        except IndexError:
            continue
        result[place] = value
    return result


def longest(rows, levels):
    if not levels:
        return [len(rows)]
    below = [longest(row, levels - 1) for row in rows]
    return [len(rows), *(max(sizes) for sizes in zip(*below))] if below else [0] * (levels + 1)


# ---- Values


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.int64])
@pytest.mark.parametrize("splits", [tf.int32, tf.int64])
def test_ranges(session, dtype, splits):
    starts, limits, deltas = [0, 5, 5, 3], [2, 0, 9, 3], [1, -2, 2, 1]
    found = session.run(ops.RaggedRange(starts=tf.cast(starts, dtype), limits=tf.cast(limits, dtype),
                                        deltas=tf.cast(deltas, dtype), Tsplits=splits))  # fmt: skip
    assert nested([found[0]], found[1]) == [[0, 1], [5, 3, 1], [5, 7], []]
    assert found[0].dtype == splits.as_numpy_dtype and found[1].dtype == dtype.as_numpy_dtype
    scalars = ops.RaggedRange(starts=tf.cast(1, dtype), limits=tf.cast([4, 2], dtype), deltas=tf.cast(2, dtype))
    assert nested([session.run(scalars[0])], session.run(scalars[1])) == [[1, 3], [1]]


def test_ranges_at_the_limits(session):
    low, high = tf.constant(-(2**63), tf.int64), tf.constant(2**63 - 1, tf.int64)
    found = session.run(ops.RaggedRange(starts=low, limits=high, deltas=tf.constant(2**62, tf.int64)))
    assert found[1].tolist() == [-(2**63), -(2**62), 0, 2**62]
    found = session.run(ops.RaggedRange(starts=high, limits=low, deltas=low))
    assert found[1].tolist() == [2**63 - 1, -1]
    found = session.run(ops.RaggedRange(starts=tf.constant(0.5), limits=[2.5], deltas=0.75))
    assert found[1].tolist() == [0.5, 1.25, 2.0]


@pytest.mark.parametrize("seed", range(8))
def test_gather(session, seed):
    rng = random.Random(seed)
    levels = rng.choice([1, 2, 3])
    rows = rows_of(rng, levels, 5)
    splits, values = splits_of(rows, levels)
    shape = rng.choice([(), (3,), (2, 3), (0,)])
    indices = np.random.default_rng(seed).integers(0, 5, shape)
    found = session.run(
        ops.RaggedGather(
            params_nested_splits=splits,
            params_dense_values=np.array(values, np.float32),
            indices=indices,
            OUTPUT_RAGGED_RANK=levels - 1 + len(shape),
        )
    )

    def pick(indices):
        return [pick(i) for i in indices] if isinstance(indices, list) else rows[indices]

    assert nested(*found) == pick(indices.tolist())


@pytest.mark.parametrize("seed", range(8))
def test_sparse(session, seed):
    rng = random.Random(seed)
    levels = rng.choice([1, 2, 3])
    rows = rows_of(rng, levels, rng.choice([0, 1, 4]))
    splits, values = splits_of(rows, levels)
    inner = rng.choice([(), (2,), (2, 3)])
    values = np.array(values, I64).reshape(-1, *[1] * len(inner)) + np.arange(int(np.prod(inner))).reshape(inner)
    indices, found, shape = session.run(ops.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=values))
    assert shape.tolist() == [*longest(rows, levels), *inner]
    expected = list(_places(rows, levels))
    expected = [(*place, *rest) for place in expected for rest in np.ndindex(*inner)]
    assert list(map(tuple, indices.tolist())) == expected and found.tolist() == values.ravel().tolist()


def _places(rows, levels):
    for i, row in enumerate(rows):
        if levels:
            for place in _places(row, levels - 1):
                yield (i, *place)
        else:
            yield (i,)


def _partitions(rng, splits):
    """The same partitions as tensors of both kinds, and their types."""
    tensors, kinds = [], []
    for level, split in enumerate(splits):
        by_id = rng.random() < 0.5
        if by_id and not level:
            tensors.append(I64(len(split) - 1))
            kinds.append("FIRST_DIM_SIZE")
        tensors.append(np.repeat(np.arange(len(split) - 1), np.diff(split)) if by_id else split)
        kinds.append("VALUE_ROWIDS" if by_id else "ROW_SPLITS")
    return tensors, kinds


def dense(values, default, splits, shape=-1, kinds=None):
    kinds = kinds or ["ROW_SPLITS"] * len(splits)
    return ops.RaggedTensorToTensor(
        shape=np.array(shape, I64) if not isinstance(shape, tf.Tensor) else shape,
        values=values,
        default_value=default,
        row_partition_tensors=splits,
        row_partition_types=kinds,
    )


@pytest.mark.parametrize("seed", range(12))
def test_dense(session, seed):
    rng = random.Random(seed)
    levels = rng.choice([1, 2, 3])
    rows = rows_of(rng, levels, rng.choice([0, 1, 4]))
    splits, values = splits_of(rows, levels)
    tensors, kinds = _partitions(rng, splits)
    sizes = longest(rows, levels)
    shape = [rng.choice([-1, max(d - 1, 0), d + 1]) for d in sizes]
    values = np.array(values, I64)
    found = session.run([dense(values, I64(-1), tensors, -1, kinds), dense(values, I64(-1), tensors, shape, kinds)])
    np.testing.assert_array_equal(found[0], padded(rows, sizes, -1))
    sizes = [d if s < 0 else s for s, d in zip(shape, sizes)]
    np.testing.assert_array_equal(found[1], padded(rows, sizes, -1))


def test_dense_rows_of_several_dimensions(session):
    values = np.float32([[1, 2], [3, 4], [5, 6]])
    splits = I64([0, 2, 2, 3])
    for default, filled in [(0.0, [0, 0]), ([7.0, 8.0], [7, 8]), ([9.0], [9, 9])]:
        found = session.run(dense(values, np.float32(default), [splits]))
        assert found.tolist() == [[[1, 2], [3, 4]], [filled, filled], [[5, 6], filled]]
    words = dense(np.array([b"a", b"bc", b""], object), b"-", [splits])
    assert session.run(words).tolist() == [[b"a", b"bc"], [b"-", b"-"], [b"", b"-"]]
    assert words.shape.as_list() == [3, None] and dense(values, 0.0, [splits], [2, -1, 2]).shape.as_list() == [
        2,
        None,
        2,
    ]


# ---- Gradients


def test_gradients(session):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    default = tf.constant([10.0])
    y = dense(x, default, [I64([0, 2, 2, 3])], [4, 1, 2])
    weights = tf.reshape(tf.range(1.0, 9.0), [4, 1, 2])
    grads = session.run(tf.gradients(tf.reduce_sum(y * weights), [x, default]))
    assert grads[0].tolist() == [[1, 2], [0, 0], [5, 6]] and grads[1].tolist() == [3 + 4 + 7 + 8]

    v = tf.constant([1.0, 2.0, 3.0])
    picked = ops.RaggedGather(
        params_nested_splits=[I64([0, 2, 3])], params_dense_values=v, indices=[1, 0, 1], OUTPUT_RAGGED_RANK=1
    )
    (grad,) = tf.gradients(tf.reduce_sum(picked[-1] * [1.0, 2.0, 3.0, 4.0]), v)
    assert session.run(tf.convert_to_tensor(grad)).tolist() == [2, 3, 5]

    sparse = ops.RaggedTensorToSparse(rt_nested_splits=[I64([0, 1, 3])], rt_dense_values=x)
    (grad,) = tf.gradients(tf.reduce_sum(sparse[1] * tf.range(6.0)), x)
    assert session.run(grad).tolist() == [[0, 1], [2, 3], [4, 5]]


# ---- Errors


def _late(value):
    return tf.placeholder_with_default(np.array(value), None)


def _ragged(starts, limits, deltas, **attrs):
    return ops.RaggedRange(starts=_late(starts), limits=_late(limits), deltas=_late(deltas), **attrs)[1]


def _gather(splits, values, indices, rank=1):
    splits = [_late(I64(s)) for s in splits]
    return ops.RaggedGather(
        params_nested_splits=splits, params_dense_values=_late(values), indices=indices, OUTPUT_RAGGED_RANK=rank
    )[-1]


def _sparse(splits, values):
    splits = [_late(I64(s)) for s in splits]
    return ops.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=_late(values))[0]


def _dense(shape, values, default, partitions, kinds):
    tensors = [_late(I64(p)) for p in partitions]
    return dense(_late(values), _late(default), tensors, _late(I64(shape)), kinds)


RS, FS, VR = "ROW_SPLITS", "FIRST_DIM_SIZE", "VALUE_ROWIDS"
ERRORS = [
    (lambda: _ragged(0, 3, 0), "Requires delta != 0"),
    (lambda: _ragged([0, 1], [1, 2, 3], 1), "starts, limits, and deltas must have the same shape"),
    (lambda: _ragged([[0]], 1, 1), "starts must be a scalar or vector"),
    (lambda: _ragged(0, 1, [[1]]), "deltas must be a scalar or vector"),
    (lambda: _ragged(np.float32(0), np.float32(np.nan), np.float32(1)), r"Requires \(\(limit - start\) / delta\) <="),
    (lambda: _ragged(np.float32(0), np.float32(np.inf), np.float32(1)), r"Requires \(\(limit - start\) / delta\) <="),
    (
        lambda: _ragged(np.int32(0), np.int32([2**31 - 1] * 2), np.int32(1), Tsplits=tf.int32),
        "The total range size overflowed. Consider using int64 instead of int32 for row_splits_dtype.",
    ),
    (lambda: _gather([[0, 2, 3]], [1, 2, 3], [2]), r"indices\[0\] = 2 is not in \[0, 2\)"),
    (lambda: _gather([[0, 2, 3]], [1, 2, 3], [0, -1]), r"indices\[1\] = -1 is not in \[0, 2\)"),
    (lambda: _gather([[0, 2, 9]], [1, 2, 3], [1]), "Ragged splits must not point past values"),
    (lambda: _gather([[0, 2, 1]], [1, 2, 3], [1]), "Ragged splits must be sorted"),
    (lambda: _gather([[-1, 2, 3]], [1, 2, 3], [0]), "Ragged splits must be non-negative"),
    (lambda: _gather([[0, 2, 5], [0, 1, 3]], [1, 2, 3], [1], 2), "Ragged splits must not point past values"),
    (lambda: _gather([[]], [1, 2, 3], [1]), r"indices\[0\] = 1 is not in \[0, -1\)"),
    (lambda: _gather([[0, 1]], 1, [0]), "params.rank must be nonzero"),
    (lambda: _gather([[0, 1]], [1], _late([0]), 2), "OUTPUT_RAGGED_RANK must be 1"),
    (lambda: _sparse([[0, 2]], [1, 2, 3]), "Final value of ragged splits must match the length the corresponding"),
    (lambda: _sparse([[1, 3]], [1, 2, 3]), "First value of ragged splits must be 0."),
    (lambda: _sparse([[0, 2, 1]], [1]), "Ragged splits should be non decreasing, but we got 2 followed by 1"),
    (lambda: _sparse([[]], [1]), "ragged splits may not be empty."),
    (lambda: _sparse([[0, 1]], 1), "Final value of ragged splits must match the length the corresponding"),
    (lambda: _sparse([[0, 3], [0, 1, 3]], [1, 2, 3]), "Final value of ragged splits must match the length the"),
    (lambda: _dense([2], [1, 2, 3], 0, [[0, 2, 3]], [RS]), r"shape=\[2\] are .* rt_input.rank = 2 but shape.rank = 1"),
    (lambda: _dense([-1, -1, 3], [[1, 2]], 0, [[0, 1]], [RS]), r"rt_input.shape\[2\] = 2 but shape\[2\] = 3"),
    (lambda: _dense(-1, [[1, 2]], [7, 8, 9], [[0, 1]], [RS]), r"default_value.shape\[-1\] = 3 but .*\[-1\] = 2"),
    (lambda: _dense(-1, [1, 2], [[7]], [[0, 2]], [RS]), "default_value.rank = 2  must be less than .*rank = 1"),
    (lambda: _dense(-1, 1, 0, [[0, 1]], [RS]), "default_value.rank = 0  must be less than .*rank = 0"),
    (lambda: _dense(-1, [1, 2, 3], 0, [[1, 2, 3]], [RS]), "Invalid row split size."),
    (lambda: _dense(-1, [1, 2, 3], 0, [[0, 2, 1]], [RS]), "Invalid row split size."),
    (lambda: _dense(-1, [1, 2, 3], 0, [[0, 2, 9]], [RS]), "Invalid row split size."),
    (lambda: _dense(-1, [1], 0, [[0, 2, 3]], [RS]), "Invalid row split size."),
    (lambda: _dense(-1, [1, 2, 3], 0, [[0, 2, 7], [0, 1, 3]], [RS, RS]), "Invalid row split size."),
    (lambda: _dense(-1, [1, 2, 3], 0, [2, [0, 0, 2]], [FS, VR]), "Got next_value_rowid=2 which is not less than 2"),
    (lambda: _dense(-1, [1], 0, [3, [-1]], [FS, VR]), "Got current_value_rowid=-1 which is not less than 3"),
    (lambda: _dense(-1, [1, 2, 3], 0, [3, [0, 0]], [FS, VR]), "row partitions have 2 values, but there are 3"),
    (lambda: _dense(-1, [1], 0, [[[0, 1]]], [RS]), r"must be a vector, but has shape \[1,2\]|Invalid row split size"),
    (lambda: _dense(-1, [1], 0, [[]], [RS]), "Invalid first partition input. Tensor requires at least one element."),
    (lambda: _dense(3, [1], 0, [[0, 1]], [RS]), "The only valid scalar shape tensor is the fully unknown shape"),
    (lambda: _dense([-2, 3], [1], 0, [[0, 1]], [RS]), "Dimension -2 must be >= -1"),
    (lambda: _dense(-1, [1], 0, [-1, [0]], [FS, VR]), "The first dimension must be >= 0, but is -1"),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(session, case):
    build, message = ERRORS[case]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(build())


def test_sizes_that_memory_does_not_hold(session):
    with pytest.raises(tf.errors.ResourceExhaustedError):
        session.run(dense([1], 0, [I64([0, 1])], [2**40, 2**20]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="too many elements"):
        session.run(dense([1], 0, [I64([0, 1])], [2**40, 2**40]))


def test_gather_refuses_empty_splits(session):
    splits = tf.placeholder(tf.int64, [None])
    gathered = ops.RaggedGather(
        params_nested_splits=[splits], params_dense_values=[1.0], indices=np.zeros(0, np.int64), OUTPUT_RAGGED_RANK=1
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Ragged splits may not be empty"):
        session.run(gathered.output_dense_values, {splits: []})


def test_parts_of_a_vector_of_variants_are_refused(session):
    rows = ops.RaggedTensorToVariant(
        rt_nested_splits=[np.int64([0, 1, 3])], rt_dense_values=[1.0, 2.0, 3.0], batched_input=True
    )
    with pytest.raises(tf.errors.UnimplementedError, match="Parts of a tensor of type variant with 2 elements"):
        session.run(
            ops.RaggedTensorFromVariant(
                encoded_ragged=rows[1], input_ragged_rank=-1, output_ragged_rank=0, Tvalues=tf.float32, Tsplits=tf.int64
            ).output_dense_values
        )


def _fed_dense(shape, kinds, values=(5,), splits=(3,)):
    return tf.raw_ops.RaggedTensorToTensor(
        shape=shape,
        values=tf.placeholder(tf.float32, values),
        default_value=0.0,
        row_partition_tensors=[tf.placeholder(tf.int64, splits)],
        row_partition_types=kinds,
    )


@pytest.mark.parametrize(
    "shape, kinds, values, text",
    [
        ([-1, -1], [], (5,), "Partition info types should not be empty"),
        ([-1, -1], [], None, "Partition info types should not be empty"),
        ([-1, -1], ["ROWS"], (5,), "Unknown string for partition info type: ROWS"),
        ([-1, -1], ["ROW_SPLITS"] * 2, (5,), r"tensors \(1\) does not equal the number of row partition types\(2\)"),
        ([-1, -1], ["VALUE_ROWIDS"], (5,), "VALUE_ROWIDS cannot be first"),
        ([-1, -1], ["FIRST_DIM_SIZE"], (5,), "FIRST_DIM_SIZE must be followed by VALUE_ROWIDS"),
        ([-1], ["ROW_SPLITS"], (5,), r"shape=\[\?\] are incompatible: rt_input.rank = 2 but shape.rank = 1"),
        ([-1, -1, 2], ["ROW_SPLITS"], (5,), r"\[\?,\?,2\] are incompatible: rt_input.rank = 2 but shape.rank = 3"),
        ([-1, -1, 3], ["ROW_SPLITS"], (5, 2), "must be equal, but are 2 and 3"),
    ],
)
def test_dense_tensors_are_refused_when_built(shape, kinds, values, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        _fed_dense(shape, kinds, values)


def test_static_shapes_without_splits():
    with tf.Graph().as_default():
        assert _fed_dense([-1, -1], ["ROW_SPLITS"], splits=(0,)).shape.as_list() == [None, None]
        assert _fed_dense([-1, 4], ["ROW_SPLITS"]).shape.as_list() == [2, 4]
        counts = tf.raw_ops.RaggedBincount(splits=tf.placeholder(tf.int64, [0]), values=[1], size=4, weights=[1.0])
        assert counts.shape.as_list() == [None, 4]
