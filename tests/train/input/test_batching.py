"""Batches of examples through queues."""

import numpy as np
import pytest

import tfcore as tf
from tests.train.input.test_producers import run_all


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def numbers(n=7):
    return tf.train.range_input_producer(n, num_epochs=1, shuffle=False).dequeue()


def lists(batches):
    return [b.tolist() for b in batches]


def test_batches_in_order():
    batch = tf.train.batch([numbers()], 3)
    assert batch.op.name == "batch" and batch.shape.as_list() == [3]
    assert lists(run_all(batch)) == [[0, 1, 2], [3, 4, 5]]
    assert tf.get_collection(tf.GraphKeys.SUMMARIES)[-1].op.name == "batch/fraction_of_32_full"


def test_a_smaller_last_batch():
    x = numbers()
    batch = tf.train.batch({"x": x, "a": tf.stack([x, -x])}, 3, allow_smaller_final_batch=True, capacity=5)
    assert sorted(batch) == ["a", "x"] and batch["a"].shape.as_list() == [None, 2]
    found = run_all(batch)
    assert lists(each["x"] for each in found) == [[0, 1, 2], [3, 4, 5], [6]]
    assert found[-1]["a"].tolist() == [[6, -6]]


def test_rows_of_tensors():
    """With `enqueue_many` each row is an example."""
    batch = tf.train.batch([numbers(4) + [0, 10], [[True], [False]]], 4, enqueue_many=True)
    assert [t.shape.as_list() for t in batch] == [[4], [4, 1]]
    found = run_all(batch)
    assert lists(each[0] for each in found) == [[0, 10, 1, 11], [2, 12, 3, 13]]
    assert found[0][1].tolist() == [[True], [False]] * 2


def test_padding():
    batch = tf.train.batch([tf.range(numbers(5))], 2, dynamic_pad=True, shapes=[[None]])
    assert lists(run_all(batch)) == [[[0], [0]], [[0, 1, 0], [0, 1, 2]]]


def test_shuffled():
    batch = tf.train.shuffle_batch([numbers(50)], 5, capacity=40, min_after_dequeue=20, seed=1)
    assert batch.op.name == "shuffle_batch"
    names = [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert "shuffle_batch/fraction_over_20_of_20_full" in names
    found = np.concatenate(run_all(batch)).tolist()
    assert sorted(found) == list(range(50)) and found != list(range(50))


@pytest.mark.parametrize("shuffle", [False, True])
def test_several_sources(shuffle):
    sources = [{"x": numbers(6)}, {"x": numbers(9) + 100}]
    if shuffle:
        batch = tf.train.shuffle_batch_join(sources, 5, 20, 4)["x"]
    else:
        batch = tf.train.batch_join(sources, 5)["x"]
    assert batch.op.name == ("shuffle_batch_join" if shuffle else "batch_join")
    found = np.concatenate(run_all(batch)).tolist()
    assert sorted(found) == [*range(6), *range(100, 109)]
    if not shuffle:  # those of one source stay in order
        assert [x for x in found if x < 100] == list(range(6))


def test_some_are_kept():
    x, alone = numbers(10), numbers(10)  # all queue runners start: those of `x` share its numbers
    kept = {
        "scalar": tf.train.maybe_batch([alone], tf.equal(alone % 3, 0), 2),
        "rows": tf.train.maybe_batch([[7, 8, 9]], [True, False, True], 2, enqueue_many=True),
        "join": tf.train.maybe_batch_join([[x], [x]], tf.equal(x % 3, 0), 2),
        "never": tf.train.maybe_shuffle_batch([x], 2, 10, 2, tf.constant(True)),
        "join shuffled": tf.train.maybe_shuffle_batch_join([[x]], 2, 10, 2, True),
    }
    assert lists(run_all(kept["scalar"])) == [[0, 3], [6, 9]]
    with tf.train.MonitoredSession() as sess:
        assert sess.run(kept["rows"]).tolist() == [7, 9]


def sparse(x, shape=(4,)):
    return tf.SparseTensor([[0], [2]], tf.stack([x, x + 10]), list(shape))


def test_sparse_tensors():
    x = numbers()
    found = run_all(tf.train.batch([sparse(x), x], 2))
    assert [t.dense_shape.tolist() for t, _ in found] == [[2, 4]] * 3
    for i, (t, number) in enumerate(found):
        assert t.indices.tolist() == [[0, 0], [0, 2], [1, 0], [1, 2]]
        assert number.tolist() == [2 * i, 2 * i + 1]
        assert t.values.tolist() == [2 * i, 2 * i + 10, 2 * i + 1, 2 * i + 11]


def test_sparse_tensors_that_are_kept():
    x = numbers()
    found = run_all(tf.train.maybe_batch([sparse(x)], tf.equal(x % 2, 0), 2))
    assert [t.values.tolist() for t in found] == [[0, 10, 2, 12], [4, 14, 6, 16]]


def test_rows_of_sparse_tensors():
    x = numbers(6)
    t = tf.SparseTensor([[0, 1], [2, 0]], tf.stack([x, x + 10]), [3, 2])
    found = run_all(tf.train.maybe_batch([t], [True, False, True], 2, enqueue_many=True))
    assert [t.dense_shape.tolist() for t in found] == [[2, 2]] * 6
    assert [t.indices.tolist() for t in found] == [[[0, 1], [1, 0]]] * 6
    assert [t.values.tolist() for t in found] == [[i, i + 10] for i in range(6)]


def test_sparse_tensors_of_several_sources():
    batch = tf.train.batch_join([[sparse(numbers(3))], [sparse(numbers(3) + 100)]], 6)
    (found,) = run_all(batch)
    assert sorted(found.values.tolist()) == [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112]
    with pytest.raises(ValueError, match="Inconsistent SparseTensors list"):
        tf.train.batch_join([[sparse(1)], [tf.constant(1)]], 6)
    with pytest.raises(ValueError, match="Inconsistent SparseTensors list"):
        tf.train.batch_join([[sparse(1)], [tf.SparseTensor([[0, 0]], [1], [1, 1])]], 6)


def test_wrong_arguments():
    x = tf.constant(1)
    train = tf.train
    for wrong, error, text in (
        (lambda: train.batch([], 3), ValueError, r"Expected at least one tensor in batch\(\)."),
        (lambda: train.batch_join([], 3), ValueError, "Expected at least one set of tensors"),
        (lambda: train.batch_join([{"a": x}, {"b": x}], 3), ValueError, "must have the same keys"),
        (lambda: train.batch_join([[x], [1.0]], 3), TypeError, "consistent: int32 vs. float32."),
        (lambda: train.batch([tf.placeholder(tf.int32)], 3), ValueError, "Cannot infer Tensor's rank"),
        (lambda: train.batch([tf.placeholder(tf.int32, [None])], 3), ValueError, "must be fully defined"),
        (lambda: train.shuffle_batch([x], 3, 5, 5), ValueError, "capacity 5 must be bigger than min_after_dequeue 5."),
        (lambda: train.maybe_batch([x], [True], 3), ValueError, "cannot be a vector when `enqueue_many=False`"),
        (lambda: train.maybe_batch([x], [[True]], 3, enqueue_many=True), ValueError, "must be 0 or 1 dimensions"),
        (lambda: train.maybe_batch([x], tf.placeholder(tf.bool), 3), ValueError, "must be known at graph constr"),
    ):
        with pytest.raises(error, match=text):
            wrong()


def test_a_graph_that_is_saved_runs_again():
    """Queue runners are in MetaGraphDefs; maps of sparse tensors are found by their names."""
    x = numbers(4)
    batch = tf.train.batch([sparse(x), x], 2)
    tf.add_to_collection("batch", batch[0].values)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta)
        (values,) = tf.get_collection("batch")
        assert lists(run_all(values)) == [[0, 10, 1, 11], [2, 12, 3, 13]]
