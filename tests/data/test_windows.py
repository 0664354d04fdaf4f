"""Windows and groups: datasets as components of elements."""

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.data.test_pipelines import rest

Dataset = tf.data.Dataset


def run(dataset):
    with tf.Session() as sess:
        return rest(sess, dataset.make_one_shot_iterator().get_next())


def values(dataset):
    return [x.tolist() for x in run(dataset)]


def attempts(dataset):
    """The elements, None for those that fail."""
    found, value = [], dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(value).tolist())
            except tf.errors.InvalidArgumentError:
                found.append(None)
            except tf.errors.OutOfRangeError:
                return found


# ---- Windows. The values are TensorFlow 2.21's.


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ((4,), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]),
        ((4, 3), [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9], [9]]),
        ((3, 2, 2), [[0, 2, 4], [2, 4, 6], [4, 6, 8], [6, 8], [8]]),
        ((2, 5), [[0, 1], [5, 6]]),
        ((2, 2, 6), [[0, 6], [2, 8], [4], [6], [8]]),
        ((4, 2, 1, True), [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [6, 7, 8, 9]]),
        ((2, 3, 3, True), [[0, 3], [3, 6], [6, 9]]),
        ((2**62, 2**62, 2**62), [[0]]),
    ],
)
def test_windows_are_tensorflows(arguments, wanted):
    assert values(Dataset.range(10).window(*arguments).flat_map(lambda w: w.batch(10))) == wanted


def test_each_component_has_a_window():
    rows = Dataset.from_tensor_slices({"a": [1, 2, 3], "b": (["x", "y", "z"], [[1], [2], [3]])}).window(2)
    spec = rows.element_spec
    assert spec["a"] == tf.data.DatasetSpec(tf.TensorSpec([], tf.int32))
    assert spec["b"][1].element_spec.shape.as_list() == [1] and rows.output_classes["a"] == spec["a"]
    pairs = rows.flat_map(lambda w: Dataset.zip((w["a"].batch(2), w["b"][0], w["b"][1].skip(1))))
    found = run(pairs)
    assert [(a.tolist(), b, c.tolist()) for a, b, c in found] == [([1, 2], b"x", [2])]
    inner = Dataset.range(6).window(4).flat_map(lambda w: w.window(2)).flat_map(lambda w: w.batch(2))
    assert values(inner) == [[0, 1], [2, 3], [4, 5]]


def test_a_window_may_be_kept_repeated_and_go_to_an_iterator():
    window = Dataset.range(4).window(3).prefetch(2).shuffle(1).cache().repeat(2)
    assert values(window.flat_map(lambda w: w.repeat(2).batch(9))) == 2 * [[0, 1, 2, 0, 1, 2], [3, 3]]
    got = Dataset.range(4).window(3).make_one_shot_iterator().get_next()
    assert isinstance(got, Dataset) and got.element_spec == tf.TensorSpec([], tf.int64)
    inner = got.batch(5).make_initializable_iterator()
    value = inner.get_next()
    with tf.Session() as sess:
        for wanted in ([0, 1, 2], [3]):
            sess.run(inner.initializer)
            assert [x.tolist() for x in rest(sess, value)] == [wanted]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(inner.initializer)


def test_functions_take_and_return_datasets():
    numbers = Dataset.range(4).map(lambda x: (x, Dataset.range(x)))
    assert numbers.output_types == (tf.int64, tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)))
    assert run(numbers.map(lambda x, d: d.reduce(x, lambda s, y: s + y))) == [0, 1, 3, 6]
    assert run(numbers.filter(lambda x, d: x > 1).flat_map(lambda x, d: d)) == [0, 1, 0, 1, 2]
    assert run(Dataset.from_tensors(Dataset.range(3)).flat_map(lambda d: d)) == [0, 1, 2]
    both = Dataset.range(2).window(1).concatenate(Dataset.from_tensors(Dataset.range(5, 7)))
    assert run(both.interleave(lambda w: w, cycle_length=3)) == [0, 1, 5, 6]
    with pytest.raises(TypeError, match="different types"):
        Dataset.range(2).window(1).concatenate(Dataset.from_tensors(Dataset.from_tensors(1.0)))


def test_datasets_are_not_batched():
    for change in (lambda d: d.batch(2), lambda d: d.padded_batch(2)):
        with pytest.raises(NotImplementedError, match="Batching for `tf.data.Dataset` objects"):
            change(Dataset.range(3).window(2))
    with pytest.raises(ValueError, match="scalar components"):
        Dataset.range(3).window(2).unbatch()
    spec = tf.data.experimental.DatasetStructure(tf.TensorSpec([], tf.int64))
    assert spec.value_type is Dataset and spec.is_compatible_with(Dataset.range(2).window(1).element_spec)
    assert not spec.is_compatible_with(Dataset.from_tensors(Dataset.from_tensors(1.0)).element_spec)
    with pytest.raises(NotImplementedError):
        tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [2])


def test_an_element_that_fails_is_the_error_of_its_windows():
    failing = Dataset.range(6).map(lambda x: 12 // (x - 2))
    assert attempts(failing.window(3).flat_map(lambda w: w.batch(5))) == [None, [12, 6, 4]]
    assert attempts(failing.window(3, 1).flat_map(lambda w: w.batch(5))) == [
        *(None, None, None),
        *([12, 6, 4], [6, 4], [4]),
    ]
    assert attempts(failing.window(1, 3).flat_map(lambda w: w.batch(5))) == [[-6], [12]]


@pytest.mark.parametrize("place, name", [(0, "size"), (1, "shift"), (2, "stride")])
def test_what_describes_a_window_is_above_zero(place, name):
    arguments = [1, 1, 1]
    arguments[place] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Window {name} must be greater than zero"):
        run(Dataset.range(3).window(*arguments).flat_map(lambda w: w))


def test_a_time_limit_reaches_elements_between_windows():
    iterator = Dataset.range(2**62).window(1, 2**61).flat_map(lambda w: w).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert sess.run(value) == 0
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(value, options=tf.RunOptions(timeout_in_ms=100))


def test_windows_leave_no_memory():
    data = np.zeros([60, 100_000], np.float32)
    dataset = Dataset.from_tensor_slices(tf.placeholder_with_default(data, data.shape)).map(lambda x: x + 1)
    iterator = dataset.window(4, 2).flat_map(lambda w: w.batch(4)).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        for _ in range(4):
            sess.run(iterator.initializer)
            assert len(rest(sess, value)) == 30
        assert memory_stats()["bytes_in_use"] < 60e6  # 4 iterations have 96 MB of elements


# ---- Groups


def rest_of_3(x):
    return x % 3


def test_groups_are_windows_of_elements_with_one_key():
    """The order is TensorFlow 2.21's."""

    def batch(key, window):
        return window.batch(10).map(lambda v: (key, v))

    pairs = Dataset.range(10).group_by_window(lambda x: -x % 3, batch, window_size_func=lambda key: key + 1)
    assert [(k, v.tolist()) for k, v in run(pairs)] == [
        *((0, [0]), (0, [3]), (1, [2, 5]), (0, [6]), (2, [1, 4, 7]), (0, [9]), (1, [8])),
    ]
    offset = tf.constant(100, tf.int64)
    several = (
        Dataset.range(5)
        .map(lambda x: (x, [x, x]))
        .group_by_window(lambda x, _: x % 2, lambda key, w: w.map(lambda x, row: x + row + key + offset), 2)
    )
    assert values(several) == [[100, 100], [104, 104], [103, 103], [107, 107], [108, 108]]
    apply = tf.data.experimental.group_by_window(rest_of_3, lambda key, w: w.take(1), 3)
    assert run(Dataset.range(12).apply(apply)) == [0, 1, 2, 9, 10, 11]


def test_many_groups():
    keys = np.random.default_rng(1).permutation(3000)
    found = values(
        Dataset.from_tensor_slices(np.tile(keys, 3)).group_by_window(lambda x: x, lambda k, w: w.batch(9), 2)
    )
    assert [row[0] for row in found[:3000]] == keys.tolist() and all(len(row) == 2 for row in found[:3000])
    assert found[3000:] == [[key] for key in range(3000)]


def test_functions_of_groups_return_what_they_should():
    numbers, same = Dataset.range(3), lambda key, window: window
    with pytest.raises(ValueError, match="`window_size_func` argument must be specified"):
        numbers.group_by_window(rest_of_3, same)
    with pytest.raises(ValueError, match="Invalid `key_func`.*scalar tensor but its return type is"):
        numbers.group_by_window(lambda x: [x], same, 1)
    with pytest.raises(TypeError, match="Invalid `reduce_func`"):
        numbers.group_by_window(rest_of_3, lambda key, window: key, 1)
    with pytest.raises(ValueError, match="Invalid `window_size_func`"):
        numbers.group_by_window(rest_of_3, same, window_size_func=lambda key: [key])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than zero, but got 0"):
        run(numbers.group_by_window(rest_of_3, same, 0))
    unknown = tf.placeholder_with_default(np.ones([1], np.int64), None)
    iterator = numbers.group_by_window(lambda x: unknown, same, 1).make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="`key_func` must return a scalar int64"):
            sess.run(iterator.get_next())


def test_an_element_without_a_key_is_left_out_after_its_error():
    failing = Dataset.range(5).group_by_window(lambda x: 12 // (x - 2), lambda key, w: w.batch(2), 1)
    assert attempts(failing) == [[0], [1], None, [3], [4]]


def test_groups_are_reduced():
    reducer = tf.data.experimental.Reducer(
        lambda key: (np.int64(0), np.float32(0)),
        lambda state, x: (state[0] + x, state[1] + 1),
        lambda total, n: tf.cast(total, tf.float32) / n,
    )
    by_rest = tf.data.experimental.group_by_reducer(lambda x: -x % 3, reducer)
    assert run(Dataset.range(9).apply(by_rest)) == [3, 5, 4]
    assert run(Dataset.range(0).apply(by_rest)) == []
    growing = tf.data.experimental.Reducer(
        lambda key: tf.fill([1], key), lambda rows, x: tf.concat([rows, [x]], 0), lambda rows: rows
    )
    grown = Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, growing))
    assert grown.output_shapes.as_list() == [None] and values(grown) == [[0, 0, 2, 4], [1, 1, 3]]
    assert (growing.init_func, growing.reduce_func, growing.finalize_func)[2]("last") == "last"


# ---- Buckets


ROWS = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]


def rows_of_lengths():
    return Dataset.from_generator(lambda: iter(ROWS), tf.int64, [None])


def length(row):
    return tf.shape(row)[0]


def test_buckets_have_rows_of_similar_length():
    """The example of TensorFlow's documentation."""
    rows = rows_of_lengths()
    assert values(rows.bucket_by_sequence_length(length, [3, 5], [2, 2, 2])) == [
        [[1, 2, 3, 4], [5, 6, 7, 0]],
        [[7, 8, 9, 10, 11, 0], [13, 14, 15, 16, 19, 20]],
        [[0, 0], [21, 22]],
    ]
    to_boundary = tf.data.experimental.bucket_by_sequence_length(
        length, [3, 7], [2, 3, 1], padding_values=np.int64(-1), pad_to_bucket_boundary=True, drop_remainder=True
    )
    assert values(rows.apply(to_boundary)) == [
        [[1, 2, 3, 4, -1, -1], [5, 6, 7, -1, -1, -1], [7, 8, 9, 10, 11, -1]],
        [[0, -1], [21, 22]],
    ]
    named = rows.map(lambda r: {"row": r, "n": length(r)}).bucket_by_sequence_length(
        lambda d: d["n"], [4], [9, 9], padded_shapes={"row": [8], "n": []}
    )
    assert [d["row"].shape for d in run(named)] == [(3, 8), (3, 8)]
    even = rows.map(lambda r: r[:1]).bucket_by_sequence_length(length, [1], [1, 4], no_padding=True)
    assert values(even) == [[[0], [1], [5], [7]], [[13], [21]]]


def test_a_row_as_long_as_the_last_boundary_cannot_be_padded_to_it():
    failing = rows_of_lengths().bucket_by_sequence_length(length, [3, 5], [1, 1, 1], pad_to_bucket_boundary=True)
    assert attempts(failing) == [[[0, 0]], [[1, 2, 3, 4]], [[5, 6, 7, 0]], None, None, [[21, 22]]]
    with pytest.raises(ValueError, match=r"must equal `len\(bucket_boundaries\) \+ 1`"):
        rows_of_lengths().bucket_by_sequence_length(length, [3], [1])
