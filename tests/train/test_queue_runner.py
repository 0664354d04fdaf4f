"""Queue runners: the end of the input, coordinators, errors, several sessions, graphs that are exported."""

import gc
import threading
import weakref

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def counter(name="counter"):
    """An operation that counts to 3 and then fails, as readers do at the end of their input."""
    v = tf.Variable(0, name=name)
    return v, v.count_up_to(3)


def initialized():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def run_all(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_the_end_of_the_input_closes_the_queue():
    queue = tf.FIFOQueue(10, tf.float32)
    v, count = counter()
    with tf.control_dependencies([count]):
        add = queue.enqueue(10.0)
    runner = tf.train.QueueRunner(queue, [add])
    dequeue = queue.dequeue()
    with initialized() as sess:
        run_all(runner.create_threads(sess))
        assert [sess.run(dequeue) for _ in range(3)] == [10.0] * 3
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            sess.run(dequeue)
        assert sess.run(v) == 3 and runner.exceptions_raised == []


def test_the_last_thread_closes_the_queue():
    queue = tf.FIFOQueue(10, tf.int32)
    (first, count_first), (second, count_second) = counter("first"), counter("second")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(count_first), queue.enqueue(count_second)])
    closed, size = queue.is_closed(), queue.size()
    with initialized() as sess:
        threads = runner.create_threads(sess)
        assert len(threads) == 2
        run_all(threads[:1])
        assert not sess.run(closed) and sess.run(size) == 3
        run_all(threads[1:])
        assert sess.run(closed) and sess.run([first, second]) == [3, 3]


def test_elements_after_the_end_by_a_coordinator_that_knows_it():
    """The end of the input is not an error for a coordinator, and those who take elements get all of them."""
    queue = tf.FIFOQueue(2, tf.int32)
    _, count = counter()
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(count)]))
    dequeue, coord, taken = queue.dequeue(), tf.train.Coordinator(), []
    with initialized() as sess:
        threads = tf.train.start_queue_runners(sess, coord)
        with coord.stop_on_exception():
            while not coord.should_stop():
                taken.append(sess.run(dequeue))
        coord.join(threads)
    assert taken == [0, 1, 2]


def test_a_stop_ends_threads_that_wait_for_room():
    queue = tf.FIFOQueue(1, tf.int32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)] * 3)
    size = queue.size()
    with initialized() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        assert len(threads) == 4
        while sess.run(size) < 1:
            pass
        coord.request_stop()
        coord.join(stop_grace_period_secs=60)
        assert not any(t.is_alive() for t in threads)


def test_a_closed_session_ends_threads_that_wait_for_room():
    queue = tf.FIFOQueue(1, tf.int32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
    size, coord = queue.size(), tf.train.Coordinator()
    with initialized() as sess:
        threads = runner.create_threads(sess, coord, start=True)
        while sess.run(size) < 1:
            pass
    with pytest.raises((tf.errors.CancelledError, RuntimeError)):
        coord.join(threads, stop_grace_period_secs=60)


def test_an_error_stops_the_coordinator():
    queue = tf.FIFOQueue(10, tf.int32)
    fed = tf.placeholder(tf.int32, [])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(fed), queue.enqueue(1)])
    with initialized() as sess:
        coord = tf.train.Coordinator()
        runner.create_threads(sess, coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
            coord.join(stop_grace_period_secs=60)
        assert runner.exceptions_raised == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_without_a_coordinator_is_kept():
    queue = tf.FIFOQueue(10, tf.int32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.placeholder(tf.int32, []))])
    with initialized() as sess:
        for _ in range(2):  # the second time for new threads
            run_all(runner.create_threads(sess))
            (error,) = runner.exceptions_raised
            assert isinstance(error, tf.errors.InvalidArgumentError)


def test_errors_that_mean_the_end():
    queue = tf.FIFOQueue(10, tf.int32)
    fed = tf.placeholder(tf.int32, [])
    ends = (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(fed)], queue_closed_exception_types=ends)
    assert runner.queue_closed_exception_types == ends
    closed = queue.is_closed()
    with initialized() as sess:
        run_all(runner.create_threads(sess))
        assert sess.run(closed) and runner.exceptions_raised == []


def test_one_set_of_threads_for_each_session():
    queue = tf.FIFOQueue(10, tf.int32)
    _, count = counter()
    runner = tf.train.QueueRunner(queue, [queue.enqueue(count)])
    with initialized() as one, initialized() as other:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(one, coord, start=True)
        threads += runner.create_threads(other, coord, start=True)
        assert len(threads) == 4
        coord.request_stop()
        coord.join(threads)
        waiting = runner.create_threads(one)
        assert len(waiting) == 1 and runner.create_threads(one) == []
        run_all(waiting)
        assert len(runner.create_threads(one)) == 1


def test_runners_keep_no_session():
    queue = tf.FIFOQueue(10, tf.int32)
    _, count = counter()
    runner = tf.train.QueueRunner(queue, [queue.enqueue(count)])
    sess = initialized()
    threads = runner.create_threads(sess)
    run_all(threads)
    gone = weakref.ref(sess)
    sess.close()
    del sess, threads
    gc.collect()
    assert gone() is None


def test_names_and_kinds_of_threads():
    with tf.name_scope("input"):
        queue = tf.FIFOQueue(10, tf.int32, name="numbers")
        add = queue.enqueue(1, name="add")
    runner = tf.train.QueueRunner(queue, [add])
    assert runner.name == "input/numbers" and runner.queue is queue and runner.enqueue_ops == [add]
    for daemon in (False, True):
        with initialized() as sess:
            threads = runner.create_threads(sess, tf.train.Coordinator(), daemon=daemon)
            assert [t.name for t in threads] == [
                "QueueRunnerThread-input/numbers-input/add",
                "QueueRunnerThread-input/numbers-close_on_stop",
            ]
            assert all(t.daemon is daemon and not t.is_alive() for t in threads)


def test_operations_that_close_may_be_given():
    queue = tf.FIFOQueue(10, tf.int32)
    add, close, cancel = queue.enqueue(1), tf.no_op(), tf.no_op()
    runner = tf.train.QueueRunner(queue, [add], close, cancel)
    assert runner.close_op is close and runner.cancel_op is cancel
    runner = tf.train.QueueRunner(queue, [add])
    assert runner.close_op.get_attr("cancel_pending_enqueues") is False
    assert runner.cancel_op.get_attr("cancel_pending_enqueues") is True


def test_wrong_arguments():
    queue = tf.FIFOQueue(10, tf.int32)
    add = queue.enqueue(1)
    for given in ((), (queue,), (queue, []), (None, [add])):
        with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
            tf.train.QueueRunner(*given)
    for types in (tf.errors.OutOfRangeError, (), [tf.errors.OutOfRangeError], (ValueError,), (3,)):
        with pytest.raises(TypeError, match="must be a tuple of tf.error types, but saw"):
            tf.train.QueueRunner(queue, [add], queue_closed_exception_types=types)
    definition = tf.train.QueueRunner(queue, [add]).to_proto()
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.train.QueueRunner(queue, [add], queue_runner_def=definition)
    with pytest.raises(TypeError, match="must be a QueueRunnerDef"):
        tf.train.QueueRunner(queue_runner_def="text")
    definition.cancel_op_name = "missing"
    with pytest.raises(KeyError, match="missing"):
        tf.train.QueueRunner.from_proto(definition)


# ---- start_queue_runners


def test_start_all_of_a_collection():
    queue = tf.FIFOQueue(10, tf.int32)
    _, count = counter()
    runner = tf.train.QueueRunner(queue, [queue.enqueue(count)])
    tf.train.add_queue_runner(runner)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [tf.no_op()]), collection="others")
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == [runner]
    size = queue.size()
    with initialized() as sess:  # the default session
        threads = tf.train.start_queue_runners()
        assert len(threads) == 1 and threads[0].daemon
        threads[0].join(60)
        assert sess.run(size) == 3
        assert not any(t.is_alive() for t in tf.train.start_queue_runners(start=False))
        coord = tf.train.Coordinator()
        assert len(tf.train.start_queue_runners(coord=coord, collection="others", daemon=False)) == 2
        coord.request_stop()
        coord.join()


def test_nothing_to_start(monkeypatch):
    lines = []
    monkeypatch.setattr(tf.logging, "warning", lines.append)
    with tf.Session() as sess:
        assert tf.train.start_queue_runners(sess) == []
    assert "no queue runners were defined" in lines[0]


def test_sessions_that_are_none():
    with pytest.raises(ValueError, match="No default session is registered"):
        tf.train.start_queue_runners()
    with pytest.raises(TypeError, match=r"sess must be a `tf.Session` object. Given class: <class 'str'>"):
        tf.train.start_queue_runners("session")


# ---- Protocol buffers


def test_to_and_from_protocol_buffers(graph):
    with tf.name_scope("outer"):
        queue = tf.FIFOQueue(10, tf.int32, name="queue")
        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1), queue.enqueue(2)], queue_closed_exception_types=ends)
    definition = runner.to_proto()
    assert definition.queue_name == "outer/queue"
    assert list(definition.enqueue_op_name) == [op.name for op in runner.enqueue_ops]
    assert list(definition.queue_closed_exception_types) == [tf.errors.OUT_OF_RANGE, tf.errors.CANCELLED]
    for scope in ("outer", "outer/"):
        stripped = runner.to_proto(scope)
        assert stripped.queue_name == "queue" and stripped.close_op_name == runner.close_op.name[6:]
    assert runner.to_proto("out") is None
    made = tf.train.QueueRunner.from_proto(type(definition).FromString(definition.SerializeToString()))
    assert made.name == "outer/queue" and made.enqueue_ops == runner.enqueue_ops
    assert (made.close_op, made.cancel_op) == (runner.close_op, runner.cancel_op)
    assert made.queue_closed_exception_types == ends
    again = tf.train.QueueRunner.from_proto(stripped, import_scope="outer")
    assert again.enqueue_ops == runner.enqueue_ops and again.to_proto() == definition
    del definition.queue_closed_exception_types[:]
    assert tf.train.QueueRunner.from_proto(definition).queue_closed_exception_types == (tf.errors.OutOfRangeError,)


@pytest.mark.parametrize("scope", [None, "imported"])
def test_graphs_have_their_queue_runners(scope):
    with tf.name_scope("input"):
        queue = tf.FIFOQueue(10, tf.int32)
        _, count = counter()
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(count)]))
        queue.dequeue(name="take")
    exported = tf.train.export_meta_graph()
    with tf.Graph().as_default() as imported:
        tf.train.import_meta_graph(exported, import_scope=scope)
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert isinstance(runner, tf.train.QueueRunner)
        take = imported.get_tensor_by_name(f"{scope}/input/take:0" if scope else "input/take:0")
        with initialized() as sess:
            coord = tf.train.Coordinator()
            tf.train.start_queue_runners(sess, coord)
            assert [sess.run(take) for _ in range(3)] == [0, 1, 2]
            coord.request_stop()
            coord.join()


def test_many_threads_start_a_runner_once():
    queue = tf.FIFOQueue(10, tf.int32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)] * 2)
    with initialized() as sess:
        made = []
        askers = [threading.Thread(target=lambda: made.append(runner.create_threads(sess))) for _ in range(8)]
        run_all(askers)
        assert sorted(len(threads) for threads in made) == [0] * 7 + [2]


def test_the_runners_are_those_of_the_sessions_graph():
    with tf.Graph().as_default() as other:
        queue = tf.FIFOQueue(10, tf.float32)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
        dequeue = queue.dequeue()
    coord = tf.train.Coordinator()
    with tf.Session(graph=other) as sess:
        assert len(tf.train.start_queue_runners(sess, coord)) == 3  # one closes the queue at the end
        assert sess.run(dequeue) == 1.0
        coord.request_stop()
        coord.join()
