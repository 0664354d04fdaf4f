"""Batches of examples of the same bucket."""

import numpy as np
import pytest

import tfcore as tf
from tests.train.input.test_producers import run_all

training = tf.contrib.training


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def numbers(n):
    return tf.train.range_input_producer(n, num_epochs=1, shuffle=False).dequeue()


@pytest.mark.parametrize("smaller", [False, True])
def test_each_batch_is_of_one_bucket(smaller):
    x = numbers(20)
    which, batch = training.bucket([x], x % 3, 4, 3, num_threads=2, allow_smaller_final_batch=smaller)
    assert which.shape.as_list() == [] and batch.shape.as_list() == [None if smaller else 4]
    found = run_all([which, batch])
    assert all((values % 3 == number).all() for number, values in found)
    values = np.concatenate([values for _, values in found]).tolist()
    assert len(set(values)) == len(values)
    if smaller:
        assert sorted(values) == list(range(20))
    else:
        assert [len(values) for _, values in found] == [4] * 3


def test_sizes_of_batches():
    x = numbers(12)
    which, batch = training.bucket({"x": x, "y": tf.cast(x, tf.float32)}, x % 2, [2, 3], 2, bucket_capacities=[9, 5])
    found = run_all([which, batch])
    assert sorted((int(number), len(each["x"])) for number, each in found) == [(0, 2)] * 3 + [(1, 3)] * 2
    assert all(each["y"].tolist() == each["x"].tolist() for _, each in found)


def test_some_are_kept():
    x = numbers(12)
    _, batch = training.bucket([x], 0, 2, 1, keep_input=tf.equal(x % 3, 0))
    assert [b.tolist() for b in run_all(batch)] == [[0, 3], [6, 9]]


def test_sparse_tensors():
    x = numbers(4)
    t = tf.SparseTensor([[0], [2]], tf.stack([x, x + 10]), [4])
    number, batch = training.bucket([t, x], x % 2, 2, 2)
    found = run_all([number, batch])
    assert {int(n): each[0].values.tolist() for n, each in found} == {0: [0, 10, 2, 12], 1: [1, 11, 3, 13]}


def test_lengths():
    n = numbers(10)
    lengths, batch = training.bucket_by_sequence_length(
        n, {"x": tf.range(n)}, 2, [3, 6], shapes=[[None]], dynamic_pad=True
    )
    found = run_all([lengths, batch])
    buckets = [sorted({(length >= 3) + (length >= 6) for length in each.tolist()}) for each, _ in found]
    assert sorted(buckets) == [[0], [1], [2], [2]]
    for each, values in found:
        assert values["x"].shape == (2, each.max())
        for length, row in zip(each, values["x"]):
            assert row.tolist() == list(range(length)) + [0] * (each.max() - length)


def test_wrong_arguments():
    x = tf.constant(1)
    for wrong, error, text in (
        (lambda: training.bucket([x], 0, [1, 2], 3), ValueError, "batch_size is a list it must have num_buckets"),
        (
            lambda: training.bucket([x], 0, 1, 3, bucket_capacities=[1]),
            ValueError,
            r"\(\[1\]\) must have exactly num_b",
        ),
        (lambda: training.bucket([], 0, 1, 3), ValueError, r"Expected at least one tensor in bucket\(\)."),
        (lambda: training.bucket_by_sequence_length(x, [x], 1, 5), TypeError, "must be a list or tuple"),
        (lambda: training.bucket_by_sequence_length(x, [x], 1, []), ValueError, "must not be empty"),
        (lambda: training.bucket_by_sequence_length(x, [x], 1, [1, 2.0]), TypeError, "boundaries must be integers"),
        (lambda: training.bucket_by_sequence_length(x, [x], 1, [2, 2]), ValueError, "sequential increasing lengths"),
    ):
        with pytest.raises(error, match=text):
            wrong()
