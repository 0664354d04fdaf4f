"""_TakeShard: who gets which shard; `tests/data/test_dynamic_shards.py` has datasets of it."""

import collections

import numpy as np
import pytest

import tfcore as tf
from tfcore.ops.state.shards import TakeShard

NOTHING = (-1, 0)
JOB = 7
FREE = [0, 0, -1, 0]


class Table:
    """A table of shards, and tasks that ask for them."""

    def __init__(self, rows, epochs=1, tasks=3):
        self.table = tf.Variable(np.array(rows, np.int64).reshape(-1, 4))
        self.asked = [tf.placeholder(tf.int64, [n]) for n in (3, None, 2)]
        self.op = TakeShard(self.table, *self.asked, np.int64(epochs))
        self.numbers = [0] * tasks
        self.sess = tf.Session()
        self.sess.run(self.table.initializer)

    def take(self, rank, finished=NOTHING, job=JOB, number=None):
        asker = job, rank, self.numbers[rank] if number is None else number
        return tuple(self.sess.run(self.op, dict(zip(self.asked, (asker, self.numbers, finished)))).tolist())

    def rows(self):
        return self.sess.run(self.table).tolist()


def test_first_come_first_served():
    table = Table([FREE] * 3)
    assert [table.take(rank) for rank in (2, 0, 1)] == [(0, 0), (1, 0), (2, 0)]
    assert table.rows() == [[0, JOB, 2, 0], [0, JOB, 0, 0], [0, JOB, 1, 0]]
    assert table.take(0, (1, 0)) == (-1, 0)  # the others have the rest
    assert table.take(0) == (-1, 0)
    assert table.take(1, (2, 0)) == (-1, 0)
    assert table.take(2, (0, 0)) == (-2, 0)
    assert [row[0] for row in table.rows()] == [1, 1, 1]


def test_a_lost_answer_is_given_again():
    table = Table([FREE] * 2, epochs=2)
    assert table.take(0) == table.take(0) == (0, 0)
    assert table.take(0, (0, 0)) == table.take(0, (0, 0)) == (1, 0)
    assert table.take(0, (1, 0)) == (0, 1)
    alone = Table([FREE], epochs=2)
    assert alone.take(0) == (0, 0)
    assert alone.take(0, (0, 0)) == alone.take(0, (0, 0)) == (0, 1)  # finished once, however often it is said


def test_a_dead_task_s_shard_goes_to_another():
    table = Table([FREE] * 2)
    assert table.take(0) == (0, 0) and table.take(1) == (1, 0)
    table.numbers[1] = 1
    assert table.take(0, (0, 0)) == (1, 0)
    assert table.take(2) == (-1, 0)
    assert table.take(0, (1, 0)) == (-2, 0)


def test_a_successor_gets_its_predecessor_s_shard():
    table = Table([FREE] * 3)
    assert table.take(0) == (0, 0) and table.take(1) == (1, 0)
    table.numbers[1] = 2
    assert table.take(1, (1, 0)) == (1, 0)  # what its predecessor held is not finished, whatever it says
    assert table.take(1, (1, 0)) == (2, 0)


def test_a_task_that_has_not_heard_of_a_newcomer_leaves_it_its_shard():
    table = Table([FREE])
    assert table.take(1, number=4) == (0, 0)
    table.numbers[1] = 3
    assert table.take(0) == (-1, 0)
    table.numbers[1] = 5
    assert table.take(0) == (0, 0)


def test_what_another_task_has_got_meanwhile_is_not_finished_by_the_first():
    table = Table([FREE])
    assert table.take(0) == (0, 0)
    table.numbers[0] = 1
    assert table.take(1) == (0, 0)
    table.numbers[0] = 2
    assert table.take(0, (0, 0), number=0) == (-1, 0)
    assert table.take(1, (0, 0)) == (-2, 0)


@pytest.mark.parametrize("row", [[0, JOB + 1, 1, 8], [0, JOB + 1, 0, 0], [0, JOB, 3, 0], [0, JOB, -1, 9]])
def test_holders_of_an_earlier_job_hold_nothing(row):
    assert Table([row, FREE]).take(0) == (0, 0)


def test_epochs_follow_each_other_without_waiting():
    table = Table([FREE] * 2, epochs=-1)
    assert table.take(0) == (0, 0) and table.take(1) == (1, 0)
    assert table.take(1, (1, 0)) == (1, 1)  # while the other still reads
    assert table.take(1, (1, 1)) == (1, 2)
    assert table.take(0, (0, 0)) == (0, 1)
    assert table.take(1, (1, 2)) == (1, 3)
    assert table.take(2) == (-1, 0)


@pytest.mark.parametrize("finished", [(2, 0), (-2, 0), (2**62, 0), (-(2**63), 0), (0, 5)])
def test_a_shard_that_there_is_not_is_ignored(finished):
    table = Table([FREE] * 2)
    assert table.take(0) == table.take(0, finished) == (0, 0)


def test_no_shards():
    assert Table([]).take(0) == (-2, 0)


@pytest.mark.parametrize("seed", range(20))
def test_random_deaths(seed):
    """Whoever dies when: each shard is finished once in each epoch, by the one that holds it."""
    rng = np.random.default_rng(seed)
    shards, epochs, tasks = rng.integers(1, 6), rng.integers(1, 4), 3
    table = Table([FREE] * shards, epochs, tasks)
    held, finished = [NOTHING] * tasks, collections.Counter()
    for _ in range(10000):
        rank = int(rng.integers(tasks))
        if rng.random() < 0.1:  # another process takes its place, or none for a while
            table.numbers[rank] += int(rng.integers(1, 3))
            held[rank] = NOTHING
        elif table.numbers[rank] % 2 == 0:
            done, held[rank] = held[rank], table.take(rank, held[rank])
            finished[done] += done != NOTHING
            if held[rank][0] == -2:
                break
            held[rank] = held[rank] if held[rank][0] >= 0 else NOTHING
            now = [h for h in held if h != NOTHING]
            assert len({shard for shard, _ in now}) == len(now)
    del finished[NOTHING]
    assert finished == {(s, e): 1 for s in range(shards) for e in range(epochs)}


def test_wrong_shapes():
    good = [np.zeros((2, 4), np.int64), [0, 0, 0], [0], [-1, 0], 1]
    for i, bad in enumerate([np.zeros((2, 3), np.int64), [0, 0], None, [0], [1, 1]]):
        if bad is None:
            continue
        values = [*good[:i], bad, *good[i + 1 :]]
        with pytest.raises(ValueError):
            TakeShard(tf.Variable(values[0]), *[np.array(v, np.int64) for v in values[1:]])
        table = tf.Variable(values[0], validate_shape=False)
        fed = [tf.placeholder(tf.int64) for _ in values[1:]]
        op = TakeShard(table, *fed)
        with tf.Session() as sess:
            sess.run(table.initializer)
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"The table must have shape \[n,4\]"):
                sess.run(op, dict(zip(fed, values[1:])))


def test_uninitialized():
    table = Table([FREE])
    other = tf.Variable(np.zeros((1, 4), np.int64), name="other")
    op = TakeShard(other, *table.asked, np.int64(1))
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value other"):
        table.sess.run(op, dict(zip(table.asked, ([0, 0, 0], [0], [-1, 0]))))
