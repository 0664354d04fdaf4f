"""Large uploads: they overtake work in the queue, but not the work that used their memory before."""

import ctypes
import gc
import os
import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.core.device import gpu
from tfcore.gpu import driver

LARGE = 100_000  # elements of a float tensor that is not sent through the queue
MANY = 2 << 20  # more than the stages hold
LIMIT = tf.RunOptions(timeout_in_ms=60_000)


def in_thread(function):
    """The result of a function that makes a context this thread's, which tfcore need not know of."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def enter(cuda):
    device = cuda.get("cuDeviceGet", 0, kind=ctypes.c_int)
    cuda.call("cuCtxSetCurrent", cuda.get("cuDevicePrimaryCtxRetain", device))


class Hold:
    """Holds up the queue of the first GPU from `begin` to `end`."""

    def __init__(self):
        self.over = threading.Event()
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: self.over.wait(300))

    def begin(self):
        if os.environ.get("TFCORE_GPU_SYNC", "0") != "0":
            pytest.skip("launches wait for the queue")
        queue = ctypes.c_uint64.from_address(gpu.gpu(0).pointer + 2 * ctypes.sizeof(ctypes.c_void_p)).value
        cuda = driver.load()

        def submit():
            enter(cuda)
            cuda.call("cuLaunchHostFunc", queue, self.function, None)

        in_thread(submit)

    def end(self):
        self.over.set()


def pass_a_mark(session):
    """Finishes a step that releases no memory: what was released before may be written at once."""
    with tf.device("/gpu:0"):
        counter = tf.Variable(tf.zeros([]), use_resource=False)
    count = tf.assign_add(counter, 1.0).op
    session.run(counter.initializer)
    for _ in range(2):
        session.run(count)


@pytest.fixture
def hold():
    """Nothing is collected meanwhile: uploads would wait where memory of earlier tests is released now."""
    gc.collect()
    gc.disable()
    hold = Hold()
    yield hold
    hold.end()
    gc.enable()
    with tf.Graph().as_default(), tf.device("/gpu:0"), tf.Session() as session:
        session.run(tf.exp(tf.fill([2], 0.0)).op)  # the function has returned


def after(y, call):
    """An operation that calls `call` once the kernel of y has put its work into the queue."""

    def run():
        call()
        return np.float32(0)

    with tf.control_dependencies([y]), tf.device("/cpu:0"):
        return tf.py_func(run, [], tf.float32)


def test_an_upload_does_not_wait_for_work_in_the_queue(hold):
    x = tf.placeholder(tf.float32, [MANY])
    with tf.device("/gpu:0"):
        y = x * 2.0
    goes_on = after(y, hold.end)
    value = np.arange(MANY, dtype=np.float32)
    with tf.Session() as session:
        session.run(y.op, {x: value})
        pass_a_mark(session)
        hold.begin()
        np.testing.assert_array_equal(session.run([y, goes_on], {x: value}, options=LIMIT)[0], 2 * value)


def test_memory_that_a_loop_uses_again_and_again():
    def body(i, total):
        with tf.device("/cpu:0"):
            value = tf.fill([LARGE], tf.cast(i, tf.float32))
        with tf.device("/gpu:0"):
            return i + 1, total + tf.reduce_max(tf.exp(tf.log(value + 1.0)))

    _, total = tf.while_loop(lambda i, _: i < 25, body, [tf.constant(0), tf.constant(0.0)])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        for _ in range(3):
            assert abs(session.run(total) - 25 * 26 / 2) < 0.01


def test_steps_of_several_threads():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = tf.reduce_max(x * 2.0) + tf.reduce_min(x + 1.0)
    wrong = []
    with tf.Session() as session:

        def run(number):
            for i in range(10):
                value = np.full(LARGE + 1000 * number, 10 * number + i, np.float32)
                found = session.run(y, {x: value})
                if found != 3 * value[0] + 1:
                    wrong.append((number, i, found))

        threads = [threading.Thread(target=run, args=[i]) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_pinned_memory_may_change_when_the_kernel_is_done(hold):
    def allocate():
        cuda = driver.load()
        enter(cuda)
        return cuda.get("cuMemHostAlloc", 4 * LARGE, 1)

    value = np.frombuffer((ctypes.c_float * LARGE).from_address(in_thread(allocate)), np.float32)
    expected = np.arange(LARGE, dtype=np.float32)
    x = tf.placeholder(tf.float32, [LARGE])
    with tf.device("/gpu:0"):
        y = x * 2.0

    def change():
        value.fill(-1)
        hold.end()

    goes_on = after(y, change)
    with tf.Session() as session:
        session.run(y.op, {x: value})
        pass_a_mark(session)
        for _ in range(5):  # a copy may be fast by chance
            value[:] = expected
            hold.begin()
            found = session.run([y, goes_on], {x: value}, options=LIMIT)[0]
            np.testing.assert_array_equal(found, 2 * expected)


def test_a_time_limit_ends_an_upload_that_waits(hold):
    with tf.device("/gpu:0"):
        x = tf.constant(np.arange(MANY, dtype=np.float32))  # uploaded in the order of the queue
        y = tf.reduce_max(x + tf.placeholder(tf.float32, [], name="p"))
    with tf.Session() as session:
        session.run(tf.exp(tf.fill([2], 0.0)).op)
        hold.begin()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(y, {"p:0": 0}, options=tf.RunOptions(timeout_in_ms=500))
        hold.end()
        assert session.run(y, {"p:0": 0}) == MANY - 1


def test_a_time_limit_ends_an_upload_that_waits_for_its_memory(hold):
    """A loop's values come to memory that work in the queue still uses."""

    def body(i, total):
        with tf.device("/cpu:0"):
            value = tf.fill([MANY], tf.cast(i, tf.float32))
        with tf.device("/gpu:0"):
            return i + 1, total + tf.reduce_max(value)

    _, total = tf.while_loop(lambda i, _: i < 5, body, [tf.constant(0), tf.constant(0.0)])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(total) == 10
        hold.begin()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(total, options=tf.RunOptions(timeout_in_ms=1000))
        hold.end()
        assert session.run(total) == 10
