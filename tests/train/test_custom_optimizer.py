"""The documented example of an optimizer in plain graph code."""

import numpy as np

import tfcore as tf
from tfcore.examples import custom_optimizer


def _lion(var, m, grad, rate, beta1, beta2, decay):
    new_var = var - rate * (np.sign(beta1 * m + (1 - beta1) * grad) + decay * var)
    return new_var, beta2 * m + (1 - beta2) * grad


def test_dense_trajectory():
    rng = np.random.default_rng(0)
    var, m = rng.normal(size=(3, 2)), np.zeros((3, 2))
    with tf.Graph().as_default():
        x = tf.Variable(var)
        grad = tf.placeholder(tf.float64, [3, 2])
        optimizer = custom_optimizer.LionOptimizer(0.125, 0.75, 0.875, 0.0625)
        train = optimizer.apply_gradients([(grad, x)])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(6):
                g = rng.normal(size=(3, 2))
                sess.run(train, {grad: g})
                var, m = _lion(var, m, g, 0.125, 0.75, 0.875, 0.0625)
                np.testing.assert_allclose(sess.run(x), var, rtol=1e-12)
                np.testing.assert_allclose(sess.run(optimizer.get_slot(x, "m")), m, rtol=1e-12)


def test_sparse_changes_only_its_rows():
    var, m = np.arange(8.0).reshape(4, 2), np.zeros((4, 2))
    grad = np.array([[1.0, -1.0], [2.0, 0.5], [-3.0, 1.0]])
    with tf.Graph().as_default():
        x = tf.Variable(var)
        slices = tf.IndexedSlices(tf.constant(grad), tf.constant([2, 0, 2]), tf.constant([4, 2]))
        optimizer = custom_optimizer.LionOptimizer(0.125)
        train = optimizer.apply_gradients([(slices, x)])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            value, slot = sess.run([x, optimizer.get_slot(x, "m")])
    summed = {0: grad[1], 2: grad[0] + grad[2]}
    for row, g in summed.items():
        var[row], m[row] = _lion(var[row], m[row], g, 0.125, 0.9, 0.99, 0.0)
    np.testing.assert_allclose(value, var)
    np.testing.assert_allclose(slot, m)


def test_the_program_learns(capsys):
    with tf.Graph().as_default():
        custom_optimizer.main()
    last = capsys.readouterr().out.splitlines()[-1]
    loss = float(last.split("loss ")[1].split(",")[0])
    assert last.startswith("step 200") and loss < 0.01
