"""Datasets that take turns, with threads that make their elements. What threads do is forced by functions that wait."""

import threading

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_statistics import LIMIT_S, python, reaches

Dataset = tf.data.Dataset
KIND = "ParallelInterleave"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as new:
        yield new


def run(dataset):
    with tf.Session() as sess:
        return rest(sess, dataset.make_one_shot_iterator().get_next())


def lengths(n, make_length, *args, **kwargs):
    return Dataset.range(n).interleave(lambda x: Dataset.range(10 * x, 10 * x + make_length(x)), *args, **kwargs)


@pytest.mark.parametrize("calls", [1, 2, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("block", [1, 2, 7])
def test_the_order_is_that_of_one_thread(calls, block):
    for make_length in (lambda x: x % 4, lambda x: 3 - x % 4, lambda x: 0 * x, lambda x: 0 * x + 9):
        wanted = run(lengths(11, make_length, 3, block))
        assert run(lengths(11, make_length, 3, block, num_parallel_calls=calls)) == wanted


@pytest.mark.parametrize("calls", [None, 1, 3])
def test_errors_are_those_of_single_elements(calls):
    """In a dataset, and in the function that makes datasets: the lane gets the next one."""

    def make(x):
        with tf.control_dependencies([tf.assert_none_equal(x, np.int64(1))]):
            x = tf.identity(x)
        return Dataset.range(10 * x, 10 * x + 4).map(lambda y: y // (y - 22) * 0 + y)

    dataset = Dataset.range(5).interleave(make, 3, 2, num_parallel_calls=calls)
    values, failed, value = [], [], dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        while True:
            try:
                values.append(sess.run(value))
            except tf.errors.OutOfRangeError:
                break
            except tf.errors.InvalidArgumentError as error:
                failed.append((len(values), error.op.name if error.op else None))
    assert values == [0, 1, 20, 21, 30, 31, 2, 3, 23, 32, 33, 40, 41, 42, 43]
    assert [at for at, _ in failed] == [2, 8]


@pytest.mark.parametrize("calls", [None, 1, 3])
@pytest.mark.parametrize("bad", [(3,), (2, 3), (0, 1, 2, 3)])
def test_errors_before_the_end_are_not_lost(calls, bad):
    def make(x):
        with tf.control_dependencies([tf.assert_none_equal(x, np.array(bad))]):
            return Dataset.from_tensors(tf.identity(x))

    value = Dataset.range(4).interleave(make, 3, num_parallel_calls=calls).make_one_shot_iterator().get_next()
    values, failed = [], 0
    with tf.Session() as sess:
        for _ in range(4):
            try:
                values.append(sess.run(value))
            except tf.errors.InvalidArgumentError:
                failed += 1
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value)
    assert failed == len(bad) and values == [x for x in range(4) if x not in bad]


def test_datasets_make_elements_at_the_same_time():
    barrier = threading.Barrier(3)

    def meet(value):
        barrier.wait(LIMIT_S)
        return value

    dataset = Dataset.range(3).interleave(
        lambda x: Dataset.range(4).map(lambda y: python(meet, x + y)), 3, num_parallel_calls=3
    )
    assert sorted(run(dataset)) == sorted(x + y for x in range(3) for y in range(4))


def test_as_many_threads_as_are_needed():
    """A tuned stage begins with one thread, and gets another while all are busy."""
    n = 2
    barrier = threading.Barrier(n)

    def meet(value):
        barrier.wait(LIMIT_S)
        return value

    dataset = Dataset.range(2).interleave(
        lambda x: Dataset.range(4).map(lambda y: python(meet, x + y)), 2, num_parallel_calls=tf.data.AUTOTUNE
    )
    config = tf.ConfigProto(intra_op_parallelism_threads=n)
    value = dataset.make_one_shot_iterator().get_next()
    with tf.Session(config=config) as sess:
        assert rest(sess, value) == [0, 1, 1, 2, 2, 3, 3, 4]


def slow_first(gate, order):
    """Two datasets in turn, of which the first one waits at a gate."""

    def wait(value):
        if value < 10:
            assert gate.wait(LIMIT_S)
        return value

    return Dataset.range(2).interleave(
        lambda x: Dataset.range(10 * x, 10 * x + 3).map(lambda y: python(wait, y)),
        2,
        num_parallel_calls=2,
        deterministic=order,
    )


def test_a_sloppy_one_passes_over_what_is_not_there():
    gate = threading.Event()
    value = slow_first(gate, False).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(value) for _ in range(3)] == [10, 11, 12]
        gate.set()
        assert rest(sess, value) == [0, 1, 2]


@pytest.mark.parametrize("order", [None, True])
def test_the_others_wait_for_their_turn(order):
    gate = threading.Event()
    value = slow_first(gate, order).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        found = []
        thread = threading.Thread(target=lambda: found.append(sess.run(value)))
        thread.start()
        assert reaches(KIND, "filled", 2)  # the second dataset's buffer is full
        assert not found
        gate.set()
        thread.join()
        assert found + rest(sess, value) == [0, 10, 1, 11, 2, 12]


def test_an_end_and_a_new_beginning_while_threads_work():
    iterator = lengths(1000, lambda x: 0 * x + 1000, 4, num_parallel_calls=4).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        for _ in range(20):
            sess.run(iterator.initializer)
            assert [sess.run(value) for _ in range(5)] == [0, 10, 20, 30, 1]


def test_a_time_limit_ends_the_wait():
    value = slow_first(threading.Event(), True).make_one_shot_iterator().get_next()
    with tf.Session() as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(value, options=tf.RunOptions(timeout_in_ms=50))


def made(op, **numbers):
    form = Dataset.range(1).flat_map(lambda x: Dataset.range(x, x + 2)).variant_tensor.op
    given = {"cycle_length": 2, "block_length": 1, "num_parallel_calls": 2}
    if op.endswith("4"):
        given.update(buffer_output_elements=3, prefetch_input_elements=0)
    attrs = {name: numbers.pop(name) for name in ("sloppy", "deterministic") if name in numbers}
    return getattr(tf.raw_ops, op)(
        input_dataset=Dataset.range(3).variant_tensor,
        other_arguments=[],
        f=form.get_attr("f"),
        output_types=[tf.int64],
        output_shapes=[[]],
        **{name: np.int64(value) for name, value in {**given, **numbers}.items()},
        **attrs,
    )


@pytest.mark.parametrize("op", ["ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3"])
def test_older_forms(op):
    element = {"output_types": [tf.int64], "output_shapes": [[]]}
    handle = tf.raw_ops.IteratorV2(shared_name="", container="", **element)
    begin = tf.raw_ops.MakeIterator(dataset=made(op), iterator=handle)
    value = tf.raw_ops.IteratorGetNext(iterator=handle, **element)[0]
    with tf.Session() as sess:
        sess.run(begin)
        assert rest(sess, value) == [0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ({"cycle_length": 0}, "`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is 0"),
        ({"block_length": 0}, "`block_length` must be > 0"),
        ({"num_parallel_calls": 0}, "num_parallel_calls must be greater than zero"),
        ({"num_parallel_calls": 5}, "`num_parallel_calls` is 5 and `cycle_length` is 2"),
        ({"buffer_output_elements": 0}, "`buffer_output_elements` must be `tf.data.AUTOTUNE` or > 0 but is 0"),
        ({"prefetch_input_elements": -2}, "`prefetch_input_elements` must be `tf.data.AUTOTUNE` or >= 0 but is -2"),
        ({"cycle_length": 1 << 40}, "but may be at most"),
        ({"buffer_output_elements": 1 << 40}, "but may be at most"),
        ({"deterministic": "maybe"}, "maybe"),
    ],
)
def test_numbers_that_are_refused(numbers, text):
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(made("ParallelInterleaveDatasetV4", **numbers).op)
