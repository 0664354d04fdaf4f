"""Metrics of several tasks: each has its own totals, unless they are placed on a parameter server."""

from tests.distributed.cluster.test_session import cluster


def test_totals_are_local_to_a_task():
    cluster(
        """
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        x = tf.placeholder(tf.float32, [None])
        own, add = tf.metrics.mean(x * w)
        _, counted = tf.metrics.true_positives(x > 2.0, x > 1.0)
    assert all("/job:worker" in v.device for v in tf.local_variables()), [v.device for v in tf.local_variables()]
    with tf.device("/job:ps/task:0"):
        total, add_everywhere = tf.metrics.mean(x, name="shared")
    mine = [v for v in tf.local_variables() if not v.name.startswith("shared")]
    with tf.Session(server.target) as sess:
        if cluster.task_index == 0:
            sess.run([w.initializer, *(v.initializer for v in tf.local_variables("shared"))])
        while sess.run(tf.report_uninitialized_variables([w, *tf.local_variables("shared")])).size:
            time.sleep(0.01)
        sess.run(tf.variables_initializer(mine))
        first = float(cluster.task_index + 2)
        for step in range(3):
            np.testing.assert_allclose(sess.run(add, {x: [first, first + 2]}), first + 1)
        assert sess.run(counted, {x: [first, first + 2]}) == 1 + cluster.task_index
        assert sess.run(own) == first + 1
        sess.run(add_everywhere, {x: [first]})
        while sess.run(tf.local_variables("shared/count")[0]) < 2:
            time.sleep(0.01)
        assert sess.run(total) == 2.5
    """,
        ranks=3,
    )
