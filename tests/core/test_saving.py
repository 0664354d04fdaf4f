"""Variables that are saved while steps update them: the saved values are of one instant."""

import contextlib
import os
import sys
import threading
import time

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.core import slow_reader

pytestmark = pytest.mark.cpu

ROWS, WIDTH = 1 << 12, 1 << 8
BYTES = 4 * ROWS * WIDTH
START = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH) % 1000
ONES = np.ones((ROWS, WIDTH), np.float32)
PLACES = [3, 700, 700, 4090]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return slow_reader.build(tmp_path_factory.mktemp("reader"))


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


class Reading:
    """A thread that holds the value of a variable; `result` lets it read that value."""

    def __init__(self, library, sess, variable):
        self._library = library
        sess.run(variable.assign_add(tf.zeros(variable.shape)).op)  # its memory is not the constant's any more
        library.reader_allow(0)
        self._thread = threading.Thread(target=self._run, args=(sess, slow_reader.Read(variable)))
        self._thread.start()
        library.reader_wait()

    def _run(self, sess, op):
        self._value = sess.run(op)

    def result(self):
        self._library.reader_allow(1)
        self._thread.join()
        return self._value


def _scattered():
    result = START.copy()
    np.add.at(result, PLACES, 1)
    return result


UPDATES = {
    "assign_add": (lambda v: tf.assign_add(v, ONES), START + 1),
    "assign_sub": (lambda v: tf.assign_sub(v, ONES), START - 1),
    "assign": (lambda v: tf.assign(v, ONES), ONES),
    "scatter_add": (lambda v: tf.scatter_add(v, PLACES, ONES[:4]), _scattered()),
    "scatter_nd_add": (lambda v: tf.scatter_nd_add(v, [[p] for p in PLACES], ONES[:4]), _scattered()),
    "slice": (lambda v: v[5:7].assign(ONES[:2]), np.concatenate([START[:5], ONES[:2], START[7:]])),
    "descent": (lambda v: tf.train.GradientDescentOptimizer(1.0).apply_gradients([(-ONES, v)]), START + 1),
    "momentum": (lambda v: tf.train.MomentumOptimizer(1.0, 0.5).apply_gradients([(-ONES, v)]), START + 1),
    "sparse": (
        lambda v: tf.train.MomentumOptimizer(1.0, 0.0).apply_gradients(
            [(tf.IndexedSlices(-ONES[:4], tf.constant(PLACES)), v)]
        ),
        _scattered(),
    ),
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", UPDATES)
def test_an_update_of_a_variable_that_a_step_holds(name, use_resource, library, sess):
    update, after = UPDATES[name]
    v = tf.Variable(START, use_resource=use_resource)
    op = update(v)
    sess.run(tf.global_variables_initializer())
    reading = Reading(library, sess, v)
    sess.run(op)
    now = sess.run(v)
    assert (reading.result() == START).all()
    assert (now == after).all() and (sess.run(v) == after).all()


def test_only_the_first_update_copies_the_variable(library, sess):
    v = tf.Variable(START)
    update = tf.scatter_add(v, [4000], ONES[:1]).op
    sess.run(v.initializer)
    reading = Reading(library, sess, v)
    before = memory_stats()["bytes_in_use"]
    for _ in range(3):
        sess.run(update)
        assert BYTES <= memory_stats()["bytes_in_use"] - before < BYTES + (1 << 16)
    assert (reading.result() == START).all() and (sess.run(v)[4000] == START[4000] + 3).all()
    del reading
    assert memory_stats()["bytes_in_use"] - before < 1 << 16


SHAPES = {
    "tiny": ("float32", [3]),
    "bytes": ("int8", [1_300_007]),
    "large": ("float32", [700_001]),
    "resource": ("int64", [1 << 17]),
}


@pytest.mark.parametrize("in_background", [False, True])
@pytest.mark.parametrize("threads", [1, 4])
def test_what_is_saved_is_one_state_of_each_variable(threads, in_background, tmp_path, sess):
    """Many saves while threads train: the elements of each saved variable are equal, and never older than before."""
    variables = {
        name: tf.Variable(tf.zeros(shape, dtype), name=name, use_resource=name == "resource")
        for name, (dtype, shape) in SHAPES.items()
    }
    rows = tf.Variable(tf.zeros([1 << 18, 2]), name="rows", use_resource=False)
    text = tf.Variable([b"some", b"text"], name="text")
    updates = [v.assign_add(tf.ones(v.shape, v.dtype.base_dtype)).op for v in variables.values()]
    updates.append(tf.scatter_add(rows, tf.range(1 << 18), tf.ones([1 << 18, 2])).op)
    saver = tf.train.Saver([*variables.values(), rows, text])
    sess.run(tf.global_variables_initializer())
    with training(sess, updates, threads):
        last = -1
        for i in range(5):
            path = saver.save(sess, str(tmp_path / "m"), i, write_meta_graph=False, in_background=in_background)
            reader = tf.train.NewCheckpointReader(path)  # which compares the checksums
            values = {name: reader.get_tensor(name) for name in [*SHAPES, "rows"]}
            for name, value in values.items():
                assert (value == value.flat[0]).all(), (name, np.unique(value))
            assert reader.get_tensor("text").tolist() == [b"some", b"text"]
            assert values["rows"][0, 0] >= last
            last = values["rows"][0, 0]


@contextlib.contextmanager
def training(sess, step, threads=1):
    """Runs steps on threads meanwhile."""
    over, errors = threading.Event(), []

    def train():
        try:
            while not over.is_set():
                sess.run(step)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    running = [threading.Thread(target=train) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in running:
            thread.join()
    assert not errors


def niced_threads():
    found = set()
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/comm") as file:
            if file.read() == "tfcore-niced\n":
                found.add(os.getpriority(os.PRIO_PROCESS, int(thread)))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system has no such threads")
@pytest.mark.parametrize("sharded", [False, True])
def test_saves_in_the_background_have_the_lowest_priority(sharded, tmp_path, sess):
    """Kernels of the save run on niced threads, which end with them."""
    v = tf.Variable(tf.zeros([4 << 20]))
    saver = tf.train.Saver([v], sharded=sharded)
    sess.run(v.initializer)

    def priorities(**how):
        seen = set()
        save = threading.Thread(target=saver.save, args=(sess, str(tmp_path / "m")), kwargs=how)
        save.start()
        while save.is_alive():
            seen |= niced_threads()
            save.join(0.001)
        return seen

    assert 19 in set().union(*[priorities(in_background=True) for _ in range(5)])
    while niced_threads():
        time.sleep(0.001)
    assert not priorities()
