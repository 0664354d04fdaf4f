"""t3f: a matrix in the tensor-train format is fitted to another one."""

import numpy as np
import t3f
import tensorflow as tf

tf.set_random_seed(0)
shape = ((4, 7), (4, 7))
target = t3f.full(t3f.random_matrix(shape, tt_rank=2))
fitted = t3f.get_variable("fitted", initializer=t3f.random_matrix(shape, tt_rank=4))
goal = tf.Variable(target, trainable=False)
loss = tf.reduce_mean(tf.squared_difference(t3f.full(fitted), goal))
train = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first = session.run(loss)
    for _ in range(300):
        session.run(train)
    assert session.run(loss) < first / 10
    dense = session.run(t3f.full(t3f.round(fitted, max_tt_rank=2)))
    assert np.isfinite(dense).all() and dense.shape == (28, 28)
