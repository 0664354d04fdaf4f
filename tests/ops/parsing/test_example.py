"""Examples to tensors: random ones against Python, the wire format, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.parsing.examples import KEYS, TYPES, assert_equal, fill, padded, sparse, values


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def example(**features):
    """A serialized example; the types follow from the values."""
    message = tf.train.Example()
    for key, given_values in features.items():
        first = given_values[0]
        dtype = tf.string if isinstance(first, bytes) else tf.float32 if isinstance(first, float) else tf.int64
        fill(message.features.feature[key], dtype, given_values)
    return message.SerializeToString()


def _draw_examples(draw):
    """Features, values by key of each example (None: it lacks the key), serialized examples."""
    kinds, types = {}, {}
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, min_size=1)):
        kinds[key] = draw(st.sampled_from(["sparse", "fixed", "rows"]))
        types[key] = draw(st.sampled_from(list(values)))
    features, rows = {}, []
    for key, kind in kinds.items():
        if kind == "sparse":
            features[key] = tf.VarLenFeature(types[key])
        elif kind == "fixed":
            features[key] = tf.FixedLenFeature([2], types[key], [draw(values[types[key]]) for _ in range(2)])
        else:
            features[key] = tf.FixedLenSequenceFeature([2], types[key], True, draw(values[types[key]]))
    for _ in range(draw(st.integers(0, 4))):
        row = {}
        for key, kind in kinds.items():
            count = 2 if kind == "fixed" else 2 * draw(st.integers(0, 3)) if kind == "rows" else draw(st.integers(0, 4))
            row[key] = draw(st.none() | st.lists(values[types[key]], min_size=count, max_size=count))
        rows.append(row)
    serialized = []
    for row in rows:
        message = tf.train.Example()
        for key, given_values in row.items():
            if given_values is not None or draw(st.booleans()):
                fill(message.features.feature[key], types[key], given_values)
        if draw(st.booleans()):
            fill(message.features.feature["not asked for"], tf.string, [b"x"])
        serialized.append(message.SerializeToString())
    return features, rows, serialized


def _expected(features, rows):
    out = {}
    for key, feature in features.items():
        dtype = feature.dtype
        column = [row[key] for row in rows]
        if isinstance(feature, tf.VarLenFeature):
            out[key] = sparse([v or [] for v in column], dtype)
        elif isinstance(feature, tf.FixedLenFeature):
            filled = [feature.default_value if v is None else v for v in column]
            out[key] = np.array(filled, TYPES[dtype]).reshape(-1, 2)
        else:
            out[key] = padded([v or [] for v in column], dtype, (2,), feature.default_value)
    return out


@settings(max_examples=60)
@given(st.data())
def test_batches(data):
    features, rows, serialized = _draw_examples(data.draw)
    with tf.Graph().as_default():
        assert_equal(run(tf.parse_example(np.array(serialized, object), features)), _expected(features, rows))


@settings(max_examples=20)
@given(st.data())
def test_single_examples(data):
    features, rows, serialized = _draw_examples(data.draw)
    expected = _expected(features, rows)
    for e, message in enumerate(serialized):
        with tf.Graph().as_default():
            parsed = run(tf.parse_single_example(message, features))
        for key, feature in features.items():
            given_values = rows[e][key] or []
            if isinstance(feature, tf.VarLenFeature):
                places = np.arange(len(given_values))[:, None]
                assert_equal(parsed[key].indices, places)
                assert_equal(parsed[key].values, np.array(given_values, TYPES[feature.dtype]))
                assert_equal(parsed[key].dense_shape, np.array([len(given_values)]))
            elif isinstance(feature, tf.FixedLenFeature):
                assert_equal(parsed[key], expected[key][e])
            else:
                assert_equal(parsed[key], padded([given_values], feature.dtype, (2,))[0])


def test_old_op_types():
    batch = [example(n=[1, 2], x=[0.5]), example(x=[1.5])]
    old = tf.raw_ops.ParseExample(
        serialized=batch,
        names=[],
        sparse_keys=["n"],
        dense_keys=["x"],
        dense_defaults=[tf.constant([], tf.float32)],
        sparse_types=[tf.int64],
        dense_shapes=[[]],
    )
    assert old.sparse_indices[0].shape.as_list() == [None, 2]
    indices, found, shape, dense = run([old[0][0], old[1][0], old[2][0], old[3][0]])
    assert_equal((indices, found, shape), tuple(sparse([[1, 2], []], tf.int64)))
    assert dense.tolist() == [0.5, 1.5]
    single = tf.raw_ops.ParseSingleExample(
        serialized=batch[0],
        dense_defaults=[tf.constant([], tf.float32)],
        num_sparse=1,
        sparse_keys=["n"],
        dense_keys=["x"],
        sparse_types=[tf.int64],
        dense_shapes=[[]],
    )
    indices, found, shape, dense = run([single[0][0], single[1][0], single[2][0], single[3][0]])
    assert (indices.tolist(), found.tolist(), shape.tolist(), dense) == ([[0], [1]], [1, 2], [2], 0.5)


def test_ragged_outputs():
    def parse(serialized, splits):
        return tf.raw_ops.ParseExampleV2(
            serialized=serialized,
            names=[],
            sparse_keys=tf.constant([], tf.string),
            dense_keys=tf.constant([], tf.string),
            ragged_keys=["n"],
            dense_defaults=[],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[tf.int64],
            ragged_split_types=[splits],
            dense_shapes=[],
        )[4:]

    batch = [example(n=[1, 2]), example(x=[1.0]), example(n=[3])]
    for splits in tf.int32, tf.int64:
        (found,), (rows,) = run(parse(batch, splits))
        assert_equal((found, rows), (np.array([1, 2, 3]), np.array([0, 2, 2, 3], splits.as_numpy_dtype)))
    (found,), (rows,) = run(parse(batch[0], tf.int64))
    assert (found.tolist(), rows.tolist()) == ([1, 2], [])


def test_sparse_features():
    batch = [example(i=[3, 1], j=[0, 1], v=[1.0, 2.0]), example(i=[2], j=[1], v=[3.0])]
    one = tf.SparseFeature("i", "v", tf.float32, 5)
    two = tf.SparseFeature(["i", "j"], "v", tf.float32, [5, 2])
    parsed = run(tf.parse_example(batch, {"one": one, "two": two}))
    assert parsed["one"].indices.tolist() == [[0, 1], [0, 3], [1, 2]]
    assert parsed["one"].values.tolist() == [2, 1, 3]
    assert parsed["two"].indices.tolist() == [[0, 1, 1], [0, 3, 0], [1, 2, 1]]
    assert parsed["two"].dense_shape.tolist() == [2, 5, 2]


def test_wire_format():
    """Unpacked numbers, mixtures, unknown fields, repeated keys and maps: as protocol buffers define them."""

    def entry(key, feature):
        body = b"\x0a" + bytes([len(key)]) + key + b"\x12" + bytes([len(feature)]) + feature
        return b"\x0a" + bytes([len(body)]) + body

    def message(*entries):
        body = b"".join(entries)
        return b"\x0a" + bytes([len(body)]) + body

    unpacked = entry(b"n", b"\x1a\x05\x08\x01\x08\x96\x01")
    mixed = entry(b"n", b"\x1a\x06\x08\x01\x0a\x02\x02\x03")
    unknown = entry(b"n", b"\x28\x07\x1a\x05\x10\x09\x0a\x01\x04")
    swapped = b"\x0a\x0a\x12\x05\x1a\x03\x0a\x01\x09\x0a\x01n"
    batch = [
        message(unpacked),
        message(mixed),
        message(unknown) + b"\x50\x01",  # field 10 of Example
        message(entry(b"n", b"\x1a\x03\x0a\x01\x05"), unpacked),  # the last one counts
        message(unpacked) + message(swapped),
        b"",
    ]
    parsed = run(tf.parse_example(batch, {"n": tf.VarLenFeature(tf.int64)}))["n"]
    assert_equal(parsed, tuple(sparse([[1, 150], [1, 2, 3], [4], [1, 150], [9], []], tf.int64)))


F = {"x": tf.FixedLenFeature([2], tf.float32), "n": tf.VarLenFeature(tf.int64)}
GOOD = example(x=[1.0, 2.0])
WRONG = [
    (example(x=[1.0]), "Number of float values != expected.  Values size: 1 but output shape: [2]"),
    (example(x=[1.0, 2.0, 3.0]), "Number of float values != expected.  Values size: 3 but output shape: [2]"),
    (example(x=[1, 2]), "Data types don't match. Data type: int64 but expected type: float"),
    (example(x=[1.0, 2.0], n=[b"a"]), "Data types don't match. Expected type: int64, Actual type: string"),
]


@pytest.mark.parametrize(("message", "text"), WRONG, ids=["too few", "too many", "int64", "string"])
def test_wrong_features(message, text):
    key = "n" if "Expected type" in text else "x"
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_example([GOOD, message], F))
    assert f"Name: <unknown>, Key: {key}, Index: 1.  {text}" in str(error.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_example([GOOD, message], F, example_names=["first", "second"]))
    assert f"Name: second, Key: {key}, Index: 1.  {text}" in str(error.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_single_example(message, F))
    assert f"Key: {key}.  {text}" in str(error.value)


def test_missing_features_and_broken_messages():
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_example([GOOD, b""], F))
    assert "Name: <unknown>, Feature: x (data type: float) is required but could not be found." in str(error.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_example([GOOD, GOOD[:-1], b"\x01"], F))
    assert "Could not parse example input, value: '" in str(error.value)
    assert "index: 1" in str(error.value)
    rows = {"r": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)}
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.parse_example([example(r=[1])], rows))
    assert "Number of int64 values is not a multiple of stride length. Saw 1 values but output shape is: [?,2]" in str(
        error.value
    )


def test_the_first_wrong_example_is_named():
    batch = [GOOD] * 5000
    batch[4000] = batch[1234] = example(x=[1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index: 1234"):
        run(tf.parse_example(np.array(batch, object), F))


def test_wrong_arguments():
    for features, text in (
        ({}, "cannot be None or falsy"),
        ({"a": tf.FixedLenFeature(None, tf.int64)}, "Missing shape for feature a"),
        ({"a": tf.FixedLenFeature([None], tf.int64)}, "Consider using FixedLenSequenceFeature"),
        ({"a": tf.VarLenFeature(None)}, "Missing type for feature a"),
        ({"a": tf.FixedLenSequenceFeature([], tf.int64)}, "requires allow_missing to be True"),
        ({"a": tf.SparseFeature("i", "", tf.int64, 1)}, "Missing value_key"),
        ({"a": 1}, "Unsupported int 1 for key 'a'"),
        (
            {"a": tf.VarLenFeature(tf.float32), "b": tf.SparseFeature("i", "a", tf.int64, 1)},
            "Conflicting type .* for feature a",
        ),
        (
            {"a": tf.FixedLenFeature([], tf.int64), "b": tf.SparseFeature("i", "a", tf.int64, 1)},
            "Dense and sparse keys must not intersect",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            tf.parse_example([b""], features)
    with pytest.raises(ValueError, match="Input serialized must be a scalar"):
        tf.parse_single_example([b""], F)
    unknown = tf.placeholder(tf.string)
    parsed = tf.parse_single_example(unknown, F)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        session.run(parsed, {unknown: [GOOD]})


def test_shapes():
    parsed = tf.parse_example(tf.placeholder(tf.string, [None]), F)
    assert parsed["x"].shape.as_list() == [None, 2]
    assert parsed["n"].indices.shape.as_list() == [None, 2]
    parsed = tf.parse_single_example(tf.placeholder(tf.string, []), F)
    assert parsed["x"].shape.as_list() == [2]
    assert parsed["n"].dense_shape.shape.as_list() == [1]
