"""Inputs whose shards workers take; `tests/distributed/train/test_dynamic_shards.py` has real workers."""

import collections

import numpy as np
import pytest

import tfcore as tf
import tfcore.data.dynamic_shards

Dataset = tf.data.Dataset
dynamic_shards = tf.contrib.data.dynamic_shards


@pytest.fixture(scope="module")
def server():
    return tf.train.Server.create_local_server()


@pytest.fixture(autouse=True)
def empty(server):
    """An empty graph, and no variables of tests before."""
    with tf.Graph().as_default():
        yield
    tf.Session.reset(server.target)


def numbers(n, i):
    return Dataset.range(20).shard(n, i).shuffle(3).batch(2)


class Reader:
    """An iterator, in a session that has run its initializer and that of the table."""

    def __init__(self, server, dataset):
        self.iterator = dataset.make_initializable_iterator()
        self.value = self.iterator.get_next()
        (self.table,) = tf.global_variables()
        self.sess = tf.Session(server.target)
        self.sess.run(self.table.initializer)
        self.sess.run(self.iterator.initializer)

    def take(self, n):
        return [x for _ in range(n) for x in np.ravel(self.sess.run(self.value)).tolist()]

    def rest(self):
        found = []
        while True:
            try:
                found += self.take(1)
            except tf.errors.OutOfRangeError:
                return found

    def finished(self):
        return self.sess.run(self.table)[:, 0].tolist()


@pytest.mark.parametrize("shards", [1, 3, 20, 25])
@pytest.mark.parametrize("epochs", [1, 3])
def test_one_worker_reads_everything(server, shards, epochs):
    reader = Reader(server, dynamic_shards(numbers, shards, server, epochs))
    assert collections.Counter(reader.rest()) == dict.fromkeys(range(20), epochs)
    assert reader.finished() == [epochs] * shards
    assert reader.rest() == []


def test_files(server, tmp_path):
    names = [str(tmp_path / f"{i}.txt") for i in range(4)]
    for i, name in enumerate(names):
        with open(name, "w") as file:
            file.writelines(f"{i} {line}\n" for line in range(i))
    read = dynamic_shards(lambda n, i: tf.data.TextLineDataset(tf.gather(names, i)), len(names), server)
    lines = Reader(server, read).rest()
    assert lines == [f"{i} {line}".encode() for i in range(4) for line in range(i)]


def test_without_an_end(server):
    reader = Reader(server, dynamic_shards(numbers, 4, server, num_epochs=None))
    assert collections.Counter(reader.take(12 * 5)) == dict.fromkeys(range(20), 5)  # 4 shards of 3 batches


def test_an_iterator_that_begins_again_reads_the_shard_again(server):
    reader = Reader(server, dynamic_shards(lambda n, i: Dataset.range(20).shard(n, i), 4, server))
    assert reader.take(7) == [0, 4, 8, 12, 16, 1, 5]
    reader.sess.run(reader.iterator.initializer)
    assert reader.take(6) == [1, 5, 9, 13, 17, 2]
    assert reader.finished() == [1, 1, 0, 0]


def test_training_goes_on_from_a_checkpoint(server, tmp_path):
    """Also as another job, with tasks of other numbers."""
    reader = Reader(server, dynamic_shards(lambda n, i: Dataset.range(20).shard(n, i), 4, server))
    saver = tf.train.Saver()
    assert reader.take(8) == [0, 4, 8, 12, 16, 1, 5, 9]
    path = saver.save(reader.sess, str(tmp_path / "saved"))
    reader.take(9)
    for holder in ([], [[5, 0, 8]], [[5, 7, 0]]):
        saver.restore(reader.sess, path)
        for one in holder:
            row = [0, *one]
            reader.sess.run(tf.scatter_update(reader.table, [1], [row]))
        reader.sess.run(reader.iterator.initializer)
        assert sorted(reader.rest()) == [x for x in range(20) if x % 4]
        assert reader.finished() == [1] * 4


def test_an_error_of_an_element_is_not_the_end(server):
    def make(n, i):
        return Dataset.range(8).shard(n, i).map(lambda x: tf.check_numerics(8 / tf.cast(x - 3, tf.float32), "x"))

    reader = Reader(server, dynamic_shards(make, 2, server))
    assert len(reader.take(5)) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor had Inf"):
        reader.take(1)
    assert reader.rest() == [4.0, 2.0]  # for 5 and 7


def test_a_table_that_is_not_initialized_is_an_error_and_not_the_end(server):
    iterator = dynamic_shards(numbers, 4, server, name="never").make_initializable_iterator()
    value = iterator.get_next()
    (table,) = tf.global_variables()
    with tf.Session(server.target) as sess:
        sess.run(iterator.initializer)
        for _ in range(2):
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value never"):
                sess.run(value)
        sess.run(table.initializer)
        assert len(sess.run(value)) == 2


def test_waiting_for_others_can_be_cancelled(server, monkeypatch):
    monkeypatch.setattr(tfcore.data.dynamic_shards._Taking, "take", lambda *arguments: (-1, 0))  # others have them all
    reader = Reader(server, dynamic_shards(numbers, 2, server))
    with pytest.raises(tf.errors.DeadlineExceededError):
        reader.sess.run(reader.value, options=tf.RunOptions(timeout_in_ms=50))


def test_where_variables_are_resources(server):
    with tf.variable_scope("scope", use_resource=True):
        assert len(Reader(server, dynamic_shards(numbers, 3, server)).rest()) == 20


@pytest.mark.parametrize("shards, epochs", [(0, 1), (-1, 1), (1, 0), (3, -1)])
def test_numbers_that_are_too_small(server, shards, epochs):
    with pytest.raises(ValueError, match=f"must be at least 1, but are {shards} and {epochs}"):
        dynamic_shards(numbers, shards, server, epochs)


def test_what_is_no_server():
    with pytest.raises(TypeError, match="`server` must be a started tf.train.Server, but is 'grpc://x'"):
        dynamic_shards(numbers, 2, "grpc://x")


def test_what_is_no_dataset(server):
    with pytest.raises(TypeError, match="`make` must return a `tf.data.Dataset` but returned <class 'list'>"):
        dynamic_shards(lambda n, i: [1], 2, server)


def test_the_index_is_a_scalar(server):
    seen = []

    def make(n, i):
        seen.append((n, i.dtype, i.shape.as_list()))
        return numbers(n, i)

    dynamic_shards(make, np.int64(3), server)
    assert seen == [(3, tf.int64, [])]
