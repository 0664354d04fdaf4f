"""Objects that `tf.train.Checkpoint` saves. Both libraries run these functions with their namespace of version 1, in a
graph or (TensorFlow) eagerly. Each returns the objects by name, and a function that trains."""

import collections

import numpy as np

Pair = collections.namedtuple("Pair", "left right")


def _nothing():
    pass


def types(tf):
    names = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool"
    variables = {name: tf.Variable(np.arange(3).astype(name), name=name, trainable=False) for name in names.split()}
    variables["half"] = tf.Variable(tf.cast([1.0, -2.5], tf.bfloat16), name="half")
    variables["string"] = tf.Variable(np.array([b"", b"\0\xff", b"x" * 300], object), name="string", trainable=False)
    variables["empty"] = tf.Variable(np.zeros((2, 0)), name="empty")
    return {"types": variables}, _nothing


def containers(tf):
    def v(value):
        return tf.Variable(float(value), name="v")

    pair = Pair(v(1), [v(2), "text", (v(3), [v(4)])])
    return {"pair": pair, "table": {"a/b": v(5), "a.b": v(6), ".S": v(7), "": v(8)}, "none": [], "v": v(9)}, _nothing


def shared_and_cyclic(tf):
    parent, child = tf.Module("parent"), tf.Module("child")
    parent.child, child.parent = child, parent
    child.v = parent.same = tf.Variable([1.0, 2.0], name="v")
    return {"first": child.v, "parent": parent, "child": child}, _nothing


def _trained(tf, optimizers):
    module = tf.Module("model")
    module.w = tf.Variable([[1.0, -2.0], [3.0, 4.0]], name="w")
    module.rest = [tf.Variable(0.5, name="b"), tf.Variable([3.0], name="fixed", trainable=False)]
    variables = [module.w, module.rest[0]]

    def loss():
        return tf.reduce_sum(tf.square(variables[0])) * variables[1]

    def train():
        return [optimizer.minimize(loss, var_list=variables) for optimizer in optimizers]

    names = [f"optimizer{i}" for i in range(len(optimizers))]
    return {"model": module, **dict(zip(names, optimizers))}, train


def adam_and_momentum(tf):
    return _trained(tf, [tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)])


def two_of_a_kind(tf):
    return _trained(tf, [tf.train.AdamOptimizer(0.1, name="One"), tf.train.AdamOptimizer(0.01, beta1=0.5, name="Two")])


def other_optimizers(tf):
    return _trained(
        tf,
        [
            tf.train.AdagradOptimizer(0.1),
            tf.train.AdadeltaOptimizer(0.1),
            tf.train.FtrlOptimizer(0.1),
            tf.train.RMSPropOptimizer(0.1, centered=True),
            tf.train.GradientDescentOptimizer(0.1),
        ],
    )


PROGRAMS = [types, containers, shared_and_cyclic, adam_and_momentum, two_of_a_kind, other_optimizers]
