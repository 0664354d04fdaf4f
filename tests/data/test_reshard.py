"""Inputs that workers continue in another number than they began in."""

import collections

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import Input, check_every_position, same
from tests.distributed import mpi

Dataset = tf.data.Dataset
N = 60
WHOLE = {
    "range": lambda n, i: Dataset.range(N).shard(n, i),
    "shuffled, with threads": lambda n, i: Dataset.range(N).map(lambda x: x, 3).shard(n, i).shuffle(9, 3).prefetch(4),
    "shared order": lambda n, i: Dataset.range(N).shuffle(30, 5).shard(n, i).batch(4).unbatch(),
    "interleaved": lambda n, i: (
        Dataset.range(12).shard(n, i).interleave(lambda x: Dataset.range(x * 5, x * 5 + 5), 3, 2, 2)
    ),
}


def nested(make, counts):
    """`make` for workers that were counts[0] at first, then counts[1], and so on; without positions."""
    for n in counts:
        make = lambda now, i, old=make, n=n: tf.contrib.data.reshard(old, [""] * n, now, i)  # noqa: E731
    return make


def read(make, count, takes):
    """(Elements of each worker, which takes so many, their positions)."""
    found, positions = [], []
    for i in range(count):
        one = Input(lambda i=i: make(count, i))
        with one.session() as sess:
            sess.run(one.iterator.initializer)
            taken = []
            while len(taken) < takes[i]:
                try:
                    taken.append(sess.run(one.value))
                except tf.errors.OutOfRangeError:
                    break
            found.append(taken)
            positions.append(sess.run(one.saved))
    return found, positions


def continued(make, counts, positions):
    """`make` for those who come after the workers with these positions."""
    old = nested(make, counts[:-1])
    return lambda n, i: tf.contrib.data.reshard(old, positions, n, i)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("counts", [(1, 3), (3, 1), (2, 3, 2), (4, 2, 1, 3)])
def test_every_element_is_read_once(name, counts):
    rng = np.random.default_rng(len(name))
    seen, make = [], WHOLE[name]
    for at, count in enumerate(counts):
        last = at == len(counts) - 1
        takes = [N] * count if last else rng.integers(0, 9, count)
        found, positions = read(make, count, takes)
        seen += [x for taken in found for x in taken]
        make = continued(WHOLE[name], counts[: at + 1], positions)
    assert sorted(seen) == list(range(N))


def test_shares_are_even():
    _, positions = read(WHOLE["range"], 4, [9, 0, 3, 6])
    found, _ = read(continued(WHOLE["range"], (4,), positions), 3, [N] * 3)
    assert [len(taken) for taken in found] == [14, 14, 14]


def test_epochs_go_on_for_all():
    """What is left of this epoch comes first, then the others."""

    def make(n, i):
        return Dataset.range(8).shard(n, i).repeat(3)

    seen, positions = read(make, 2, [3, 3])
    found, _ = read(continued(make, (2,), positions), 4, [99] * 4)
    counts = collections.Counter(int(x) for taken in seen + found for x in taken)
    assert counts == dict.fromkeys(range(8), 3)
    assert {int(taken[0]) for taken in found} <= {6, 7, 0, 1}


def test_positions_of_the_new_shares():
    """They fit the dataset that is made again without the old ones."""
    _, positions = read(WHOLE["shuffled, with threads"], 3, [2, 7, 5])
    check_every_position(lambda: continued(WHOLE["shuffled, with threads"], (3,), positions)(2, 1))
    first = Input(lambda: continued(WHOLE["shuffled, with threads"], (3,), positions)(2, 1))
    again = Input(lambda: nested(WHOLE["shuffled, with threads"], (3,))(2, 1))
    with first.session() as sess, again.session() as other:
        sess.run(first.iterator.initializer)
        for _ in range(4):
            sess.run(first.value)
        other.run(again.restore, {again.fed: sess.run(first.saved)})
        other.run(again.iterator.initializer)
        same(rest(other, again.value), rest(sess, first.value))


def test_wrong_arguments():
    reshard = tf.contrib.data.reshard
    _, (one,) = read(WHOLE["range"], 1, [3])
    with pytest.raises(ValueError, match="`positions` must have the position of each old share"):
        reshard(WHOLE["range"], [], 2, 0)
    with pytest.raises(TypeError, match="`make` must return a `tf.data.Dataset` but returned <class 'int'>"):
        reshard(lambda n, i: n, [one], 2, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Index must be between 0 and 1"):
        reshard(WHOLE["range"], [one], 2, 2)
    for make, text in (
        (lambda n, i: Dataset.range(N), "it has a stage Shard where the dataset has Range"),
        (WHOLE["interleaved"], "does not fit the iterator's dataset"),
    ):
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(reshard(make, [one], 2, 0).make_one_shot_iterator().get_next())
    for broken in (b"nonsense", one[:-3], tf.io.serialize_tensor(tf.constant(1.0))):
        with tf.Session() as sess, pytest.raises(tf.errors.OpError):
            sess.run(reshard(WHOLE["range"], [broken], 2, 0).make_one_shot_iterator().get_next())


PROGRAM = """
    import os, sys
    import tfcore as tf

    folder, take, *counts = sys.argv[1], *map(int, sys.argv[2:])
    cluster = tf.train.ClusterSpec.from_mpi(ps=0)
    server = tf.train.Server(cluster)
    index, count = cluster.task_index, cluster.num_tasks("worker")

    def records(n, i):
        return tf.data.TFRecordDataset(os.path.join(folder, "records")).shard(n, i).shuffle(10, seed=3).prefetch(2)

    def make(n, i, before=tuple(counts), positions=None):
        if not before:
            return records(n, i)
        old = positions or [""] * before[-1]
        return tf.contrib.data.reshard(lambda n, i: make(n, i, before[:-1]), old, n, i)

    def path(generation, worker):
        return os.path.join(folder, f"{generation}-of-{worker}")

    positions = None
    if counts:
        saved = [tf.train.load_checkpoint(path(len(counts) - 1, i)) for i in range(counts[-1])]
        positions = [c.get_tensor(*c.get_variable_to_shape_map()) for c in saved]  # there is nothing else
    with tf.device(f"/job:worker/task:{index}"):
        iterator = make(count, index, positions=positions).make_initializable_iterator()
        value = iterator.get_next()
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
    with tf.Session(server.target) as sess:
        sess.run(iterator.initializer)
        for _ in range(take if take >= 0 else 1000):
            try:
                print("took", sess.run(value).decode(), flush=True)
            except tf.errors.OutOfRangeError:
                break
        saver.save(sess, path(len(counts), index), write_meta_graph=False)
        sess.run(tf.distributed.barrier())
"""


def test_processes_of_a_job_that_starts_again_with_others(tmp_path):
    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for i in range(N):
            writer.write(b"%d" % i)
    seen, counts = [], []
    for ranks, take in ((3, 5), (2, 7), (4, -1)):
        job = mpi.run(PROGRAM, ranks, args=[tmp_path, take, *counts])
        assert job.code == 0, job.text
        seen += [int(line.split()[1]) for line in job.lines("took")]
        counts.append(ranks)
    assert sorted(seen) == list(range(N))
