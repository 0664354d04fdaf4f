"""Models of many kinds, whose checkpoints go to TensorFlow and back. Each function adds variables to the default graph,
and may return operations to run before they are saved."""

import numpy as np

import tfcore as tf


def scalars():
    tf.Variable(1.5)
    tf.Variable(-3, name="named/with/scopes")
    tf.Variable(True)


def all_types():
    for name in "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 complex64 complex128 bool".split():
        tf.Variable(np.arange(-3, 3).astype(name), name=name, trainable=False)
    tf.Variable(np.array([1, 2**32 - 1], np.uint32), name="uint32", trainable=False)
    tf.Variable(np.array([1, 2**64 - 1], np.uint64), name="uint64", trainable=False)


def bfloat16():
    tf.Variable(tf.cast([1.0, -2.5, 3e38], tf.bfloat16), name="b")


def strings():
    tf.Variable(np.array([[b"", b"abc"], [b"\0\xff", b"x" * 1000]], object), name="matrix", trainable=False)
    tf.Variable(b"one", name="one", trainable=False)


def empty():
    tf.Variable(tf.zeros([0, 4]), name="none")
    tf.Variable(tf.zeros([3, 0, 2], tf.int64), name="none_either", trainable=False)


def special_values():
    tf.Variable([np.inf, -np.inf, np.nan, -0.0, 1e-45], name="v")


def high_rank():
    tf.Variable(np.arange(256.0).reshape([2] * 8), name="v")


def large():
    tf.Variable(tf.random_normal([1500, 1000], seed=1), name="v")


def many():
    for i in range(300):
        tf.get_variable(f"block_{i % 7}/layer_{i}/kernel", initializer=float(i))


def rows_in_parts():
    tf.get_variable("v", [11, 3], partitioner=tf.fixed_size_partitioner(4))


def columns_in_parts():
    tf.get_variable("v", [3, 10], partitioner=tf.fixed_size_partitioner(3, axis=1))


def _trained(optimizer, partitioner=None):
    w = tf.get_variable("w", [6, 4], initializer=tf.random_normal_initializer(seed=3), partitioner=partitioner)
    b = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones([2, 6]), w) + b - 1.0))
    return [optimizer.minimize(loss, global_step=step)] * 3


def adam():
    return _trained(tf.train.AdamOptimizer(0.1))


def momentum_in_parts():
    return _trained(tf.train.MomentumOptimizer(0.1, 0.9), tf.fixed_size_partitioner(2))


def adagrad():
    return _trained(tf.train.AdagradOptimizer(0.1))


def rmsprop():
    return _trained(tf.train.RMSPropOptimizer(0.1, momentum=0.5))


def ftrl():
    return _trained(tf.train.FtrlOptimizer(0.1))


def moving_averages():
    v = tf.Variable([1.0, 2.0])
    average = tf.train.ExponentialMovingAverage(0.5)
    apply = average.apply([v])
    return [v.assign_add([1.0, 1.0]), apply]


def layers():
    x = tf.ones([2, 8, 8, 3])
    x = tf.layers.batch_normalization(tf.layers.conv2d(x, 4, 3), training=True)
    tf.layers.dense(tf.layers.flatten(x), 5)


PROGRAMS = [
    scalars, all_types, bfloat16, strings, empty, special_values, high_rank, large, many, rows_in_parts,
    columns_in_parts, adam, momentum_in_parts, adagrad, rmsprop, ftrl, moving_averages, layers,
]  # fmt: skip
