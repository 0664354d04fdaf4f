"""Functions whose bodies run on several tasks: real processes under mpirun."""

from tests.distributed.cluster.test_session import cluster


def test_bodies_are_placed_operation_by_operation():
    cluster("""
    with tf.device("/job:ps/task:0"):
        w = tf.Variable([2.0, 3.0], name="w")
        steps = tf.Variable(0, name="steps")

    @tf.Defun(tf.float32)
    def layer(x):
        with tf.device("/job:ps/task:0"):
            inside = tf.tanh(x * w, name="inside")
        with tf.control_dependencies([tf.assign_add(steps, 1)]):
            return inside + x

    @tf.Defun(tf.float32)
    def looped(x):
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, layer(a)), [0, x])[1]

    x = tf.placeholder(tf.float32, [2])
    y = layer(layer(x), name="call")
    z = looped(x)
    grads = tf.gradients(y, [x, w])
    train = w.assign_sub(0.1 * grads[1])

    def f(x, w):
        return np.tanh(x * w) + x

    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        at, weights = np.array([0.1, 0.2]), np.array([2.0, 3.0])
        np.testing.assert_allclose(sess.run(y, {x: at}), f(f(at, weights), weights), rtol=1e-5)
        assert sess.run(steps) == 2
        np.testing.assert_allclose(sess.run(z, {x: at}), f(f(f(at, weights), weights), weights), rtol=1e-5)
        assert sess.run(steps) == 5
        h, got = 1e-5, sess.run(grads, {x: at})
        by_x = (f(f(at + h, weights), weights) - f(f(at - h, weights), weights)) / (2 * h)
        by_w = (f(f(at, weights + h), weights + h) - f(f(at, weights - h), weights - h)) / (2 * h)
        np.testing.assert_allclose(got, [by_x, by_w], rtol=1e-4)
        sess.run(train, {x: at})
        np.testing.assert_allclose(sess.run(w), weights - 0.1 * by_w, rtol=1e-4)
        metadata = tf.RunMetadata()
        sess.run(y, {x: at}, tf.RunOptions(output_partition_graphs=True), metadata)
        where = {n.name: n.device for part in metadata.partition_graphs for n in part.node}
        inside = [device for name, device in where.items() if name.endswith("/inside")]
        assert len(inside) == 2 and all("/job:ps/" in device for device in inside), where
        bad = tf.Defun(tf.float32)(lambda x: tf.check_numerics(x / (w - w), "broken"))
        with tf.device("/job:ps/task:0"):
            wrong = bad(x, name="wrong")
        parts = "broken", "wrong/CheckNumerics", "called at"
        fails(tf.errors.InvalidArgumentError, lambda: sess.run(wrong, {x: at}), *parts)
    """)
