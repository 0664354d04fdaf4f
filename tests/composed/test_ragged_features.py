"""tf.io.RaggedFeature: values of examples divided into rows, as TensorFlow 2.21 divides them."""

import pytest

import tfcore as tf

RF = tf.io.RaggedFeature
V = "v"


def example(**features):
    message = tf.train.Example()
    for key, values in features.items():
        message.features.feature[key].int64_list.value.extend(values)
    return message.SerializeToString()


FIRST = example(v=[1, 2, 3, 4], s=[0, 1, 4], l=[1, 3], b=[0, 1], e=[1, 4], i=[0, 1, 1, 1], o=[1, 1])
LAST = example(v=[5, 6], s=[0, 0, 2], l=[0, 2], b=[0, 0], e=[0, 2], i=[1, 1], o=[2])
ROWS = [[[1], [2, 3, 4]], [], [[], [5, 6]]]


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def parsed(feature, *serialized):
    out = run(lambda: tf.io.parse_example(list(serialized), {"a": feature}))["a"]
    alone = run(lambda: tf.io.parse_single_example(serialized[0], {"a": feature}))["a"]
    alone = alone.to_list() if hasattr(alone, "to_list") else alone.tolist()
    assert alone == out.to_list()[0]
    return out


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize(
    "partitions, rows",
    [
        ([], [[1, 2, 3, 4], [], [5, 6]]),
        ([RF.RowSplits("s")], ROWS),
        ([RF.RowLengths("l")], ROWS),
        ([RF.RowStarts("b")], ROWS),
        ([RF.RowLimits("e")], ROWS),
        ([RF.ValueRowIds("i")], ROWS),
        ([RF.UniformRowLength(2)], [[[1, 2], [3, 4]], [], [[5, 6]]]),
        ([RF.UniformRowLength(2), RF.RowLengths("l")], [[row] if row else [] for row in ROWS]),
        ([RF.RowLengths("o"), RF.RowLengths("l")], [[[[1]], [[2, 3, 4]]], [], [[[], [5, 6]]]]),
        ([RF.RowLengths("l"), RF.UniformRowLength(1)], [[[[1]], [[2], [3], [4]]], [], [[], [[5], [6]]]]),
    ],
)
def test_partitions(partitions, rows, validate):
    for splits in tf.int32, tf.int64:
        found = parsed(RF(tf.int64, V, partitions, splits, validate), FIRST, example(), LAST)
        assert found.to_list() == rows and found.row_splits.dtype == splits.as_numpy_dtype


def test_a_wrong_partition():
    with pytest.raises(tf.errors.InvalidArgumentError):
        parsed(RF(tf.int64, V, [RF.RowLengths("s")], validate=True), FIRST)


def test_beside_other_features():
    features = {V: RF(tf.int64), "n": tf.FixedLenFeature([], tf.int64, 7), "o": tf.VarLenFeature(tf.int64)}
    out = run(lambda: tf.io.parse_example([FIRST, LAST], features))
    assert out[V].to_list() == [[1, 2, 3, 4], [5, 6]] and out["n"].tolist() == [7, 7]
    assert out["o"].values.tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "features",
    [
        {V: RF(tf.int64), "a": RF(tf.float32, V)},
        {V: RF(tf.int64), "a": RF(tf.int64, V, row_splits_dtype=tf.int64)},
        {"a": RF(tf.int64, V), V: tf.VarLenFeature(tf.int64)},
        {"a": RF(tf.int64, V), V: tf.FixedLenFeature([], tf.int64)},
    ],
)
def test_conflicts(features):
    with pytest.raises(ValueError, match="Conflicting|must not intersect"):
        run(lambda: tf.io.parse_example([FIRST], features))


def test_unknown_rank():
    with pytest.raises(ValueError, match="statically-known rank"):
        run(lambda: tf.io.parse_example(tf.placeholder(tf.string), {V: RF(tf.int64)}))


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"dtype": tf.int32}, ValueError),
        ({"dtype": tf.int64, "value_key": ""}, ValueError),
        ({"dtype": tf.int64, "value_key": 3}, ValueError),
        ({"dtype": tf.int64, "row_splits_dtype": tf.float32}, ValueError),
        ({"dtype": tf.int64, "partitions": 3}, TypeError),
        ({"dtype": tf.int64, "partitions": [3]}, TypeError),
        ({"dtype": tf.int64, "validate": 1}, TypeError),
    ],
)
def test_wrong_arguments(arguments, error):
    with pytest.raises(error):
        RF(**arguments)
