"""Resource variables on a parameter server: handles stay there; workers read, gather and update by them."""

from tests.distributed.cluster.test_session import cluster


def test_workers_train_on_a_parameter_server():
    """Dense and sparse updates of all workers count; loops and conditionals read on the server; the rest is local."""
    cluster(
        """
    me, workers, steps = cluster.task_index, 2, 20
    with tf.device(tf.train.replica_device_setter(cluster=cluster)), tf.variable_scope("m", use_resource=True):
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        table = tf.get_variable("table", [6, 2], initializer=tf.zeros_initializer())
        count = tf.get_variable("count", initializer=tf.constant(0), trainable=False)
        ready = tf.get_variable("ready", initializer=tf.constant(0), trainable=False)
        ids = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(w) + tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        _, sums = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + w), [0, tf.zeros([3])])
        chosen = tf.cond(ids[0] > 2, lambda: w * 2, lambda: w.read_value())
        train = tf.train.GradientDescentOptimizer(-1.0).minimize(loss, global_step=count)
        arrived = ready.assign_add(1)
        begun = tf.Variable(1, name="begun", collections=[])
    assert w.op.type == "VarHandleOp" and w.device == "/job:ps/task:0", w.device
    with tf.Session(server.target) as sess:
        if me == 0:
            error = fails(tf.errors.FailedPreconditionError, lambda: sess.run(begun))
            assert "Error while reading resource variable m/begun from Container: localhost" in str(error), error
            sess.run(tf.global_variables_initializer())
            sess.run(begun.initializer)
        while not sess.run(begun.is_initialized()):
            time.sleep(0.01)
        for _ in range(steps):
            sess.run(train, {ids: [me, 5, me]})
        sess.run(arrived)
        while sess.run(ready) < workers:
            time.sleep(0.01)
        total = workers * steps
        expected = np.zeros([6, 2])
        expected[:workers], expected[5] = 2 * steps, total
        np.testing.assert_array_equal(sess.run(table), expected)
        assert sess.run(w).tolist() == [total] * 3 and sess.run(count) == total
        assert sess.run(sums).tolist() == [3 * total] * 3
        assert sess.run(chosen, {ids: [3]}).tolist() == [2 * total] * 3
        assert sess.run(chosen, {ids: [0]}).tolist() == [total] * 3
        metadata, options = tf.RunMetadata(), tf.RunOptions(output_partition_graphs=True)
        sess.run([loss, sums], {ids: [0]}, options=options, run_metadata=metadata)
        where = {n.name: n.device for g in metadata.partition_graphs for n in g.node}
        assert "/job:ps" in where["m/w"] and "/job:ps" in where["m/table"], where
        """,
        ranks=3,
    )
