"""Sequence examples to tensors: random ones against Python, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.parsing.examples import TYPES, assert_equal, fill, values


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def sequence(context, lists):
    """A serialized message; arguments: key -> (type, values), key -> (type, values of each step or None)."""
    message = tf.train.SequenceExample()
    for key, (dtype, given_values) in context.items():
        fill(message.context.feature[key], dtype, given_values)
    for key, (dtype, steps) in lists.items():
        message.feature_lists.feature_list[key].SetInParent()
        for step in steps:
            fill(message.feature_lists.feature_list[key].feature.add(), dtype, step)
    return message.SerializeToString()


def _draw_steps(draw, dtype):
    """Steps of a dense field, whose steps have two values, and of a sparse one."""
    pair = st.lists(values[dtype], min_size=2, max_size=2)
    return draw(st.lists(pair, max_size=3)), draw(st.lists(st.none() | st.lists(values[dtype], max_size=3), max_size=3))


def _sparse_steps(rows, dtype):
    rows = [[step or [] for step in steps] for steps in rows]
    indices = [(i, k, v) for i, steps in enumerate(rows) for k, step in enumerate(steps) for v in range(len(step))]
    flat = np.array([v for steps in rows for step in steps for v in step], TYPES[dtype])
    width = max((len(step) for steps in rows for step in steps), default=0)
    shape = np.array([len(rows), max(map(len, rows), default=0), width])
    return tf.SparseTensorValue(np.array(indices, np.int64).reshape(-1, 3), flat, shape)


def _dense_steps(rows, dtype):
    out = np.full((len(rows), max(map(len, rows), default=0), 2), b"" if dtype == tf.string else 0, TYPES[dtype])
    for i, steps in enumerate(rows):
        if steps:
            out[i, : len(steps)] = steps
    return out


@settings(max_examples=40)
@given(st.data())
def test_batches(data):
    dtype = data.draw(st.sampled_from(list(values)))
    drawn = [_draw_steps(data.draw, dtype) for _ in range(data.draw(st.integers(1, 3)))]
    dense, ragged = [d for d, _ in drawn], [s for _, s in drawn]
    numbers = [data.draw(st.lists(values[tf.int64], max_size=2)) for _ in drawn]
    batch = [
        sequence({"n": (tf.int64, n)}, {"d": (dtype, d), "s": (dtype, s)}) for n, d, s in zip(numbers, dense, ragged)
    ]
    context = {"n": tf.VarLenFeature(tf.int64), "c": tf.FixedLenFeature([], tf.float32, 0.5)}
    lists = {"d": tf.FixedLenSequenceFeature([2], dtype), "s": tf.VarLenFeature(dtype)}
    with tf.Graph().as_default():
        found, parsed, lengths = run(tf.io.parse_sequence_example(batch, context, lists))
        first = run(tf.parse_single_sequence_example(batch[0], context, lists))
    assert found["n"].values.tolist() == [v for n in numbers for v in n]
    assert_equal(found["c"], np.full(len(batch), 0.5, np.float32))
    assert_equal(parsed, {"d": _dense_steps(dense, dtype), "s": _sparse_steps(ragged, dtype)})
    assert_equal(lengths, {"d": np.array([len(steps) for steps in dense])})
    assert_equal(first[0]["c"], np.float32(0.5))
    assert_equal(first[1]["d"], _dense_steps(dense[:1], dtype)[0])
    indices, flat, shape = _sparse_steps(ragged[:1], dtype)
    assert_equal(first[1]["s"], tf.SparseTensorValue(indices[:, 1:], flat, shape[1:]))


def _old(op, serialized, **others):
    keys = {
        "context_sparse_keys": ["n"],
        "context_dense_keys": ["c"],
        "feature_list_sparse_keys": ["s"],
        "feature_list_dense_keys": ["d"],
    }
    return op(
        serialized=serialized,
        debug_name=tf.constant([], tf.string) if "debug_name" not in others else others.pop("debug_name"),
        feature_list_dense_missing_assumed_empty=["d"],
        context_dense_defaults=[tf.constant([], tf.float32)],
        context_sparse_types=[tf.int64],
        context_dense_shapes=[[]],
        feature_list_sparse_types=[tf.string],
        feature_list_dense_types=[tf.int64],
        feature_list_dense_shapes=[[1]],
        **keys,
        **others,
    )


def test_old_op_types():
    message = sequence({"n": (tf.int64, [7]), "c": (tf.float32, [2.5])}, {"s": (tf.string, [[b"a"], None, [b"b"]])})
    batch = _old(
        tf.raw_ops.ParseSequenceExample,
        [message, message],
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
    )
    out = run([part[0] for part in batch])
    assert [x.tolist() for x in out[:4]] == [[[0, 0], [1, 0]], [7, 7], [2, 1], [2.5, 2.5]]
    assert out[4].tolist() == [[0, 0, 0], [0, 2, 0], [1, 0, 0], [1, 2, 0]]
    assert (out[5].tolist(), out[6].tolist()) == ([b"a", b"b"] * 2, [2, 3, 1])
    assert (out[7].shape, out[8].tolist()) == ((2, 0, 1), [0, 0])
    single = _old(tf.raw_ops.ParseSingleSequenceExample, message, debug_name="name")
    out = run([part[0] for part in single])
    assert [x.tolist() for x in out[:4]] == [[[0]], [7], [1], 2.5]
    assert [x.tolist() for x in out[4:7]] == [[[0, 0], [2, 0]], [b"a", b"b"], [3, 1]]
    assert out[7].shape == (0, 1)


def test_ragged_outputs():
    messages = [
        sequence({"n": (tf.int64, [7, 8])}, {"s": (tf.string, [[b"a"], None, [b"b", b"c"]])}),
        sequence({}, {}),
        sequence({"n": (tf.int64, [9])}, {"s": (tf.string, [[b"d"]])}),
    ]
    nothing = tf.constant([], tf.string)
    parsed = tf.raw_ops.ParseSequenceExampleV2(
        serialized=messages,
        debug_name=nothing,
        context_sparse_keys=nothing,
        context_dense_keys=nothing,
        context_ragged_keys=["n"],
        feature_list_sparse_keys=nothing,
        feature_list_dense_keys=nothing,
        feature_list_ragged_keys=["s"],
        feature_list_dense_missing_assumed_empty=tf.constant([], tf.bool),
        context_dense_defaults=[],
        context_ragged_value_types=[tf.int64],
        context_ragged_split_types=[tf.int64],
        feature_list_ragged_value_types=[tf.string],
        feature_list_ragged_split_types=[tf.int32],
    )
    context, splits, found, outer, inner = run([part[0] for part in parsed if part])
    assert (context.tolist(), splits.tolist()) == ([7, 8, 9], [0, 2, 2, 3])
    assert (found.tolist(), outer.tolist(), inner.tolist()) == ([b"a", b"b", b"c", b"d"], [0, 3, 3, 4], [0, 1, 1, 3, 4])


LISTS = {"d": tf.FixedLenSequenceFeature([2], tf.int64)}
GOOD = sequence({}, {"d": (tf.int64, [[1, 2]])})


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (sequence({}, {}), "Name: <unknown>, Feature list 'd' is required but could not be found."),
        (
            sequence({}, {"d": (tf.int64, [[1, 2], [3]])}),
            "Feature list: d, Index: 1.  Number of values != expected.  values size: 1 but output shape: [2]",
        ),
        (
            sequence({}, {"d": (tf.float32, [[1.0, 2.0]])}),
            "Feature list: d, Index: 0.  Data types don't match. Expected type: int64, Actual type: float",
        ),
        (GOOD[:-1], "Invalid protocol message input, example id: <unknown>, index: 1"),
    ],
)
def test_wrong_lists(message, text):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.io.parse_sequence_example([GOOD, message], sequence_features=LISTS))
    assert text in str(error.value)


def test_wrong_contexts():
    context = {"c": tf.FixedLenFeature([2], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Number of int64 values != expected"):
        run(tf.parse_single_sequence_example(sequence({"c": (tf.int64, [1])}, {}), context))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Feature: c \(data type: int64\) is required"):
        run(tf.parse_single_sequence_example(sequence({}, {}), context))
    with pytest.raises(ValueError, match="at least one should have values"):
        tf.parse_single_sequence_example(b"")
    with pytest.raises(ValueError, match="must be None"):
        tf.io.parse_sequence_example([b""], sequence_features={"d": tf.FixedLenSequenceFeature([], tf.int64, True, 1)})
