"""Queues, accumulators and tables of other tasks: operations of several sessions meet at them."""

import pytest

from tests.distributed.cluster.test_session import cluster

pytestmark = pytest.mark.cpu


def test_a_queue_between_workers():
    """Each worker puts its share in; all together take everything out. A full queue holds no thread of the server."""
    cluster(
        """
    me, workers, count = cluster.task_index, 3, 60
    with tf.device("/job:ps/task:0"):
        q = tf.FIFOQueue(4, [tf.int64, tf.string], shapes=[[], []], shared_name="q")
        done = tf.FIFOQueue(-1, tf.int64, shapes=[[]], shared_name="done")
        values = tf.FIFOQueue(-1, tf.int64, shapes=[[]], shared_name="values")
    fed = tf.placeholder(tf.int64, [None])
    put = q.enqueue_many([fed, tf.as_string(fed)])
    number, text = q.dequeue()
    with tf.Session(server.target) as sess, tf.Session(server.target) as other:
        mine = np.arange(count) * workers + me
        thread = threading.Thread(target=lambda: other.run(put, {fed: mine}))
        thread.start()
        for _ in range(count):
            n, s = sess.run([number, text])
            assert int(s) == n
            sess.run(values.enqueue(n))
        thread.join(60)
        assert not thread.is_alive()
        sess.run(done.enqueue(0))
        if me == 0:
            sess.run(done.dequeue_many(workers))
            got = sess.run(values.dequeue_many(workers * count))
            assert sorted(got) == list(range(workers * count)), got
            assert sess.run([q.size(), q.is_closed()]) == [0, False]
        """,
        ranks=4,
    )


def test_waiting_operations_end():
    """By a time limit, by closing the session, and by closing the queue from another session."""
    cluster(
        """
    with tf.device("/job:ps/task:0"):
        q = tf.FIFOQueue(1, tf.int64, shapes=[[]], shared_name="q")
    get, size, close = q.dequeue(), q.size(), q.close()
    with tf.Session(server.target) as sess:
        fails(tf.errors.DeadlineExceededError, lambda: sess.run(get, options=tf.RunOptions(timeout_in_ms=200)))
        failed = []
        def wait(session, kind):
            failed.append(fails(kind, lambda: session.run(get)))
        closed = tf.Session(server.target)
        for session, kind, end in (
            (closed, tf.errors.CancelledError, closed.close),
            (sess, tf.errors.OutOfRangeError, lambda: sess.run(close)),
        ):
            thread = threading.Thread(target=wait, args=(session, kind))
            thread.start()
            time.sleep(0.3)
            end()
            thread.join(60)
            assert not thread.is_alive()
        assert len(failed) == 2 and sess.run(size) == 0
        fails(tf.errors.CancelledError, lambda: sess.run(q.enqueue(np.int64(1))), "is closed")
        """
    )


def test_backup_workers_by_an_accumulator_and_a_queue():
    """Figure 5's synchronous replication with a backup worker, as graph code: the first two of three gradients win."""
    cluster(
        """
    me, workers, needed, steps = cluster.task_index, 3, 2, 20
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(10.0, name="w")
        step = tf.Variable(np.int64(0), name="step")
        sums = tf.ConditionalAccumulator(tf.float32, [], shared_name="sums")
        tokens = tf.FIFOQueue(-1, tf.int64, shapes=[[]], shared_name="tokens")
    local = tf.placeholder(tf.int64, [])
    put = sums.apply_grad(2 * w, local)
    with tf.device("/job:ps/task:0"):
        with tf.control_dependencies([w.assign_sub(0.1 * sums.take_grad(needed))]):
            update = step.assign_add(1)
        with tf.control_dependencies([update]):
            hand_out = tokens.enqueue_many(tf.fill([workers], step))
    with tf.Session(server.target) as sess:
        if me == 0:
            sess.run(tf.global_variables_initializer())
            sess.run(sums.set_global_step(0))
            sess.run(tokens.enqueue_many(np.zeros(workers, np.int64)))
            chief = tf.Session(server.target)
            thread = threading.Thread(target=lambda: [chief.run(hand_out) for _ in range(steps)])
            thread.start()
        now = 0
        while now < steps:
            now = sess.run(tokens.dequeue())
            if now < steps:
                sess.run(put, {local: now})
            if me == 2:
                time.sleep(0.01)
        if me == 0:
            thread.join(60)
            assert not thread.is_alive()
            np.testing.assert_allclose(sess.run(w), 10 * 0.8 ** steps, rtol=1e-4)
        """,
        ranks=4,
    )


def test_tables_of_another_task(tmp_path):
    (tmp_path / "words.txt").write_text("one\ntwo\n")
    cluster(
        """
    with tf.device("/job:ps/task:0"):
        words = tf.contrib.lookup.index_table_from_file(PATH)
        seen = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, 0, shared_name="seen")
    with tf.Session(server.target) as sess:
        sess.run(tf.tables_initializer())
        assert sess.run(words.lookup(tf.constant(["two", "three"]))).tolist() == [1, -1]
        mine = "worker %d" % cluster.task_index
        sess.run(seen.insert([mine], np.int64([5])))
        with tf.Session(server.target) as other:
            assert other.run(seen.lookup([mine, "nobody"])).tolist() == [5, 0]
        """.replace("PATH", repr(str(tmp_path / "words.txt"))),
        ranks=3,
    )
