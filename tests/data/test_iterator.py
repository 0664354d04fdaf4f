"""The kinds of iterators; what goes wrong in them."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.distributed import PATIENCE


def test_a_reinitializable_iterator_changes_datasets():
    one, other = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    iterator = tf.data.Iterator.from_structure(one.output_types, one.output_shapes)
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.make_initializer(one))
        assert sess.run(value) == 0
        sess.run(iterator.make_initializer(other))
        assert rest(sess, value) == [10, 11]
        with pytest.raises(TypeError, match="different types"):
            iterator.make_initializer(tf.data.Dataset.from_tensors(1.0))


def test_a_string_chooses_between_iterators():
    handle = tf.placeholder(tf.string, [])
    one = tf.data.Dataset.range(2).make_one_shot_iterator()
    other = tf.data.Dataset.range(5, 7).make_initializable_iterator()
    value = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    with tf.Session() as sess:
        first, second = sess.run([one.string_handle(), other.string_handle()])
        sess.run(other.initializer)
        assert [sess.run(value, {handle: h}) for h in (first, second, first, second)] == [0, 5, 1, 6]
        with pytest.raises(tf.errors.InvalidArgumentError, match="'nonsense' is not the handle of an iterator"):
            sess.run(value, {handle: "nonsense"})


def test_an_iterator_has_to_be_initialized():
    iterator = tf.data.Dataset.range(3).make_initializable_iterator()
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        sess.run(iterator.get_next())


def test_a_one_shot_iterator_cannot_depend_on_a_placeholder():
    dataset = tf.data.Dataset.range(tf.placeholder(tf.int64, []))
    with pytest.raises(ValueError, match="use Dataset.make_initializable_iterator"):
        dataset.make_one_shot_iterator()


def test_an_initializer_can_be_fed_and_functions_capture_what_was_fed():
    n, k = tf.placeholder(tf.int64, []), tf.placeholder(tf.int64, [])
    iterator = tf.data.Dataset.range(n).map(lambda x: x * k).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        for scale in (2, 5):
            sess.run(iterator.initializer, {n: 3, k: scale})
            assert rest(sess, value) == [0, scale, 2 * scale]


@pytest.mark.parametrize("use_resource", [False, True])
def test_functions_see_a_variable(use_resource):
    """A resource variable as it is now; another one, as in TensorFlow, as it was when the iterator began."""
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=np.int64(1), use_resource=use_resource)
        iterator = tf.data.Dataset.range(1, 9).map(lambda x: x * v).make_initializable_iterator()
        value = iterator.get_next()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(iterator.initializer)
            assert sess.run(value) == 1
            sess.run(v.assign(10))
            assert sess.run(value) == (20 if use_resource else 2)


@pytest.mark.parametrize("calls", [None, 3])
def test_an_error_in_a_function_is_that_of_one_element(calls):
    dataset = tf.data.Dataset.range(5).map(lambda x: 12 // (x - 2), calls)
    value = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        for _ in range(5):
            try:
                found.append(int(sess.run(value)))
            except tf.errors.InvalidArgumentError as error:
                assert "Integer division by zero" in error.message and "test_iterator.py" in error.message
                found.append(None)
        assert found == [-6, -12, None, 12, 6] and rest(sess, value) == []


def test_shapes_that_are_not_as_stated_are_errors():
    dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    op = tf.raw_ops.IteratorV2(
        shared_name="", container="", output_types=[tf.int32], output_shapes=[tf.TensorShape([3])]
    )
    make = tf.raw_ops.MakeIterator(dataset=dataset.variant_tensor, iterator=op)
    value = tf.raw_ops.IteratorGetNext(iterator=op, output_types=[tf.int32], output_shapes=[tf.TensorShape([3])])
    with tf.Session() as sess:
        sess.run(make)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[2\], but \[3\] is expected"):
            sess.run(value)


@pytest.mark.parametrize(
    "stated, text",
    [
        ({"output_types": [tf.float32], "output_shapes": [tf.TensorShape([2])]}, "is a int32, but a float is expected"),
        ({"output_types": [tf.int32], "output_shapes": [tf.TensorShape([3])]}, r"has the shape \[2\], which is not"),
    ],
    ids=["type", "shape"],
)
def test_a_function_refuses_elements_that_are_not_as_stated(stated, text):
    """As in a GraphDef that states something else."""
    function = tf.data.Dataset.from_tensors(tf.zeros(stated["output_shapes"][0], stated["output_types"][0])).map(
        lambda x: x + 1
    )
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).variant_tensor
    f = function.variant_tensor.op.get_attr("f")
    mapped = tf.raw_ops.MapDataset(input_dataset=rows, other_arguments=[], f=f, Targuments=[], **stated)
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **stated)
    value = tf.raw_ops.IteratorGetNext(iterator=iterator, **stated)
    with tf.Session() as sess:
        sess.run(tf.raw_ops.MakeIterator(dataset=mapped, iterator=iterator))
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(value)


def test_a_value_that_is_no_dataset_is_refused():
    iterator = tf.data.Dataset.range(3).make_initializable_iterator()
    other = tf.data.Iterator.from_structure((tf.int64, tf.int64), ([], []))
    with tf.Session() as sess:
        make = tf.raw_ops.MakeIterator(dataset=tf.data.Dataset.range(2).variant_tensor, iterator=other._handle)
        with pytest.raises(tf.errors.InvalidArgumentError, match="have 1"):
            sess.run(make)
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(iterator.get_next())


def test_threads_share_an_iterator():
    value = tf.data.Dataset.range(400).map(lambda x: x * 2, 2).prefetch(3).make_one_shot_iterator().get_next()
    found, lock = [], threading.Lock()
    with tf.Session() as sess:

        def take():
            mine = rest(sess, value)
            with lock:
                found.extend(mine)

        threads = [threading.Thread(target=take) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert sorted(found) == list(range(0, 800, 2))


def waiting_dataset():
    """Its elements never come."""
    queue = tf.FIFOQueue(1, [tf.int64], [[]])
    return tf.data.Dataset.range(3).map(lambda x: x + queue.dequeue())


def interleaved(dataset):
    return tf.data.Dataset.range(2).interleave(lambda x: dataset, 2, num_parallel_calls=2)


@pytest.mark.parametrize(
    "change", [lambda d: d, lambda d: d.prefetch(2), lambda d: d.batch(2).prefetch(1), lambda d: interleaved(d)]
)
def test_a_time_limit_reaches_a_function_that_waits(change):
    iterator = change(waiting_dataset()).make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(iterator.get_next(), options=tf.RunOptions(timeout_in_ms=100))


@pytest.mark.parametrize("change", [lambda d: d, lambda d: d.prefetch(2), lambda d: interleaved(d).prefetch(-1)])
def test_closing_the_session_ends_the_wait(change):
    iterator = change(waiting_dataset()).make_initializable_iterator()
    value = iterator.get_next()
    sess = tf.Session()
    sess.run(iterator.initializer)
    errors = []

    def take():
        try:
            sess.run(value)
        except tf.errors.CancelledError as error:
            errors.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    time.sleep(0.1)
    sess.close()
    thread.join()
    assert len(errors) == 1


@pytest.fixture
def interruptible():
    """A shell starts what runs in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("change", [lambda d: d, lambda d: d.prefetch(1)], ids=["here", "thread"])
def test_ctrl_c_ends_the_wait(change, interruptible):
    iterator = change(waiting_dataset()).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(value, options=tf.RunOptions(timeout_in_ms=50))
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            sess.run(value)
        timer.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_drops_an_iterator_whose_threads_it_has_not():
    value = tf.data.Dataset.range(9).prefetch(2).make_one_shot_iterator().get_next()
    sess = tf.Session()
    assert sess.run(value) == 0
    child = os.fork()
    if not child:
        status = 1
        try:
            sess.close()
            del sess
            with tf.Session() as own:
                status = 0 if own.run(value) == 0 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sess.run(value) == 1
    sess.close()


@pytest.mark.parametrize("calls", [2, tf.data.AUTOTUNE])
def test_iterators_that_are_begun_again_leave_no_memory(calls):
    data = np.zeros([50, 100_000], np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(tf.placeholder_with_default(data, data.shape))
    dataset = dataset.interleave(lambda x: tf.data.Dataset.from_tensors(x), 2, num_parallel_calls=calls)
    dataset = dataset.map(lambda x: x + 1, calls).shuffle(20).batch(5).prefetch(3)
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:

        def begin():
            sess.run(iterator.initializer)
            sess.run(value)

        begin()
        until = time.monotonic() + 60 * PATIENCE
        for _ in range(20):
            begin()
        # The threads of the last one may still work. 21 pipelines would hold more than 200 MB.
        while memory_stats()["bytes_in_use"] > 120e6 and time.monotonic() < until:
            time.sleep(0.05)
        assert memory_stats()["bytes_in_use"] < 120e6
