"""Pipelines that several threads use, cancel, restore, begin again and close at random; for sanitizers most of all."""

import contextlib
import random
import threading

import pytest

import tfcore as tf
from tests.data.test_positions import Input
from tfcore.testing.drawing import EFFORT

ROUNDS = max(1, int(3 * EFFORT))
OPERATIONS = 150  # of each thread
ALLOWED = (
    tf.errors.OutOfRangeError,
    tf.errors.DeadlineExceededError,
    tf.errors.CancelledError,
    tf.errors.FailedPreconditionError,
)


def pipeline():
    numbers = tf.data.Dataset.range(200).shuffle(20, seed=1).cache()
    parts = numbers.interleave(lambda x: tf.data.Dataset.range(x, x + 3), 3, 2, num_parallel_calls=2)
    halves = parts.map(lambda x: x // 2, tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    choices = tf.data.Dataset.range(2).repeat()
    mixed = tf.data.experimental.choose_from_datasets([halves, tf.data.Dataset.range(50).repeat()], choices)
    return mixed.window(4, shift=2).flat_map(lambda w: w.batch(4)).map(lambda b: b + 1, 2).batch(2).prefetch(2)


class User(threading.Thread):
    """Does things with an iterator at random."""

    def __init__(self, made, sess, seed):
        super().__init__()
        self.made, self.sess, self.random, self.error, self.taken = made, sess, random.Random(seed), None, 0

    def run(self):
        position = None
        try:
            for _ in range(OPERATIONS):
                with contextlib.suppress(*ALLOWED):
                    position = self.act(position)
        except Exception as error:
            self.error = error

    def act(self, position):
        what = self.random.random()
        limit = tf.RunOptions(timeout_in_ms=self.random.choice([1, 5, 2000]))
        if what < 0.7:
            self.sess.run(self.made.value, options=limit)
            self.taken += 1
        elif what < 0.8:
            self.sess.run(self.made.iterator.initializer, options=limit)
        elif what < 0.9:
            return self.sess.run(self.made.saved, options=limit)
        elif position:
            self.sess.run(self.made.restore, {self.made.fed: position}, options=limit)
        return position


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_random_use(seed):
    made = Input(pipeline)
    sess = made.session()
    sess.run(made.iterator.initializer)
    users = [User(made, sess, 100 * seed + i) for i in range(4)]
    for user in users:
        user.start()
    if seed % 3 == 2:  # closed while they use it: later calls are refused
        users[0].join()
        sess.close()
    for user in users:
        user.join()
        assert user.error is None or "closed" in str(user.error), user.error
    assert sum(user.taken for user in users) > 0
    sess.close()
