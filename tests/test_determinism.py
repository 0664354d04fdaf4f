"""Results do not depend on threads, rewrites, the way a plan is run, or the plan cache: bit for bit at each level.

That every operation with a record gives the same bits when its loops are cut anywhere is part of check_kernel.
"""

import functools

import numpy as np
import pytest
from tfcore.core.runtime import cut_loops

import tfcore as tf
from tests.compiler.plans import REWRITES, session
from tfcore.testing import cpu_level, cpu_levels

LEVELS = cpu_levels()
STEPS = 10


def bits(values):
    return [np.asarray(v).tobytes() for v in values]


# ---- Whole training programs. Each makes its graph and returns (placeholders with their arrays, loss, train op).


def _batch(shape, classes, rows=96):
    rng = np.random.RandomState(sum(shape) + classes)
    return rng.randn(rows, *shape).astype(np.float32), rng.randint(classes, size=rows)


def _weights(*shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def _cross_entropy(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def softmax_regression():
    data, labels = _batch((784,), 10)
    x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    logits = tf.matmul(x, _weights(784, 10)) + tf.Variable(tf.zeros([10]))
    loss = _cross_entropy(logits, y)
    return {x: data, y: labels}, loss, tf.train.GradientDescentOptimizer(0.5).minimize(loss)


def perceptron_with_dropout(optimizer=None):
    data, labels = _batch((300,), 10)
    x, y = tf.placeholder(tf.float32, [None, 300]), tf.placeholder(tf.int32, [None])
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, _weights(300, 130)), tf.Variable(tf.zeros([130]))))
    hidden = tf.nn.dropout(hidden, keep_prob=0.7, seed=4)
    hidden = tf.nn.relu(tf.matmul(hidden, _weights(130, 67)) + tf.Variable(tf.ones([67]) * 0.1)) * 1.0
    logits = tf.matmul(hidden, _weights(67, 10)) / 1.0
    decay = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    loss = _cross_entropy(logits, y) + 1e-3 * decay
    return {x: data, y: labels}, loss, (optimizer or tf.train.AdamOptimizer(0.01)).minimize(loss)


def convolutions_with_momentum():
    data, labels = _batch((20, 20, 1), 10, rows=24)
    x, y = tf.placeholder(tf.float32, [None, 20, 20, 1]), tf.placeholder(tf.int64, [None])
    net = x
    for size, (before, after) in [(5, (1, 16)), (3, (16, 24))]:
        net = tf.nn.conv2d(net, _weights(size, size, before, after), strides=[1, 1, 1, 1], padding="SAME")
        net = tf.nn.relu(tf.nn.bias_add(net, tf.Variable(tf.constant(0.1, shape=[after]))))
        net = tf.nn.max_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    flat = tf.reshape(net, [-1, 5 * 5 * 24])
    loss = _cross_entropy(tf.matmul(flat, _weights(5 * 5 * 24, 10)), y)
    rate = tf.train.exponential_decay(0.05, tf.train.get_or_create_global_step(), 3, 0.9, staircase=True)
    train = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True)
    return {x: data, y: labels}, loss, train.minimize(loss, global_step=tf.train.get_global_step())


def batch_normalization():
    data, labels = _batch((14, 14, 3), 5, rows=32)
    x, y = tf.placeholder(tf.float32, [None, 14, 14, 3]), tf.placeholder(tf.int32, [None])
    net = tf.layers.conv2d(x, 8, 3, strides=2, padding="same", use_bias=False)
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=True, momentum=0.9))
    net = tf.layers.average_pooling2d(net, 2, 2)
    loss = _cross_entropy(tf.layers.dense(tf.reshape(net, [-1, 3 * 3 * 8]), 5), y)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return {x: data, y: labels}, loss, tf.train.RMSPropOptimizer(0.01, momentum=0.5).minimize(loss)


def embeddings(optimizer=None):
    rng = np.random.RandomState(1)
    words, labels = tf.placeholder(tf.int32, [None, 40]), tf.placeholder(tf.float32, [None])
    looked_up = tf.nn.embedding_lookup(_weights(200, 48), words)  # many duplicates
    score = tf.reduce_sum(tf.tanh(tf.reduce_mean(looked_up, 1)), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=score))
    feeds = {words: rng.randint(200, size=(100, 40)), labels: rng.randint(2, size=100).astype(np.float32)}
    return feeds, loss, (optimizer or tf.train.GradientDescentOptimizer(0.5)).minimize(loss)


def sparse_adagrad():
    return embeddings(tf.train.AdagradOptimizer(0.1))


def sparse_adam():
    return embeddings(tf.train.AdamOptimizer(0.01))


def perceptron_with_ftrl():
    return perceptron_with_dropout(tf.train.FtrlOptimizer(0.05, l1_regularization_strength=0.001))


def perceptron_with_adadelta():
    return perceptron_with_dropout(tf.train.AdadeltaOptimizer(0.5))


PROGRAMS = (
    softmax_regression,
    perceptron_with_dropout,
    convolutions_with_momentum,
    batch_normalization,
    embeddings,
    sparse_adagrad,
    sparse_adam,
    perceptron_with_ftrl,
    perceptron_with_adadelta,
)


@functools.cache
def graph_of(program):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        feeds, loss, train = program()
        return graph, feeds, loss, train, tf.global_variables_initializer(), tf.global_variables()


def train(program, on=REWRITES, dynamic=None, as_callable=False, cut=0, **threads):
    """Trains in a new session; the bits of all losses and of all variables at the end."""
    graph, feeds, loss, train_op, init, variables = graph_of(program)
    cut_loops(cut)
    try:
        with session(*on, graph=graph, **threads) as sess:
            sess.run(init)
            call = sess.make_callable([loss, train_op], list(feeds)) if as_callable else None
            losses = []
            for _ in range(STEPS):
                value, _ = call(*feeds.values()) if as_callable else sess.run([loss, train_op], feeds)
                losses.append(value)
                for signature in sess._signatures.values() if dynamic is not None else ():
                    signature.plan.dynamic = dynamic
            assert losses[0] != losses[-1] and np.isfinite(losses).all()
            return bits(losses) + bits(sess.run(variables))
    finally:
        cut_loops(0)


def alone(threads):
    return {"intra_op_parallelism_threads": threads, "inter_op_parallelism_threads": 1}


WAYS = {
    "again": {},
    "no rewrites": {"on": ()},
    "optimizer level L0": {
        "graph_options": tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0))
    },
    **{f"only {name}": {"on": (name,)} for name in REWRITES},
    **{f"without {name}": {"on": tuple(r for r in REWRITES if r != name)} for name in REWRITES},
    **{f"{n} threads": {"intra_op_parallelism_threads": n} for n in (1, 2, 3, 4, 8, 16)},
    "serial": alone(1),
    "dynamic": {"dynamic": True},
    "dynamic, 4 threads, no rewrites": {"dynamic": True, "on": (), "intra_op_parallelism_threads": 4},
    "dynamic, 16 threads": {"dynamic": True, "intra_op_parallelism_threads": 16},
    "never dynamic, 3 threads": {"dynamic": False, "intra_op_parallelism_threads": 3},
    "callable": {"as_callable": True},
    "loops in pieces of 1": {"cut": 1},
    "loops in pieces of 7": {"cut": 7},
}
FEW = ("no rewrites", "3 threads", "dynamic, 4 threads, no rewrites", "loops in pieces of 1")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("level", LEVELS)
def test_training_gives_the_same_bits_in_every_way(program, level):
    with cpu_level(level):
        expected = train(program, **alone(1))
        for name in WAYS if level == LEVELS[-1] else FEW:
            assert train(program, **WAYS[name]) == expected, f"{name}: other bits"


# ---- Single operations on values large enough to be split, also into odd parts.


def _random(*shape, seed=0, dtype=np.float32):
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def _indices(n, most, seed=0):
    return np.random.RandomState(seed).randint(most, size=n).astype(np.int32)


def _with_gradients(output, *inputs):
    """The output, and the gradients of a sum of it with uneven weights."""
    weights = tf.constant(np.random.RandomState(5).rand(*output.shape.as_list()).astype(np.float32))
    return [output, *tf.gradients(output * weights, list(inputs))]


def _on(*arrays):
    """Makes a case from a function of tensors: the arrays are fed."""

    def wrap(function):
        def build():
            places = [tf.placeholder(a.dtype, a.shape) for a in arrays]
            outputs = function(*places)
            return outputs if isinstance(outputs, (list, tuple)) else [outputs], dict(zip(places, arrays))

        return build

    return wrap


def _norm(x, axis):
    return tf.raw_ops.EuclideanNorm(input=x, reduction_indices=[0, 1, 2] if axis is None else axis)


def _reductions(x):
    kinds = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, _norm, tf.reduce_logsumexp)
    return [kind(x, axis=axis) for kind in kinds for axis in (None, 0, 1, 2, [0, 2], [1, 2])]


def _image_ops(x, w):
    outputs = []
    for stride, padding in ((1, "SAME"), (2, "VALID")):
        conv = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding=padding)
        outputs += _with_gradients(conv, x, w)
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        outputs += _with_gradients(pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"), x)
    outputs += _with_gradients(tf.nn.lrn(x), x)
    return outputs


def _rows(x, labels):
    classes = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    outputs = (
        _with_gradients(tf.nn.softmax(x), x) + _with_gradients(tf.nn.log_softmax(x), x) + _with_gradients(classes, x)
    )
    return [
        *outputs,
        tf.argmax(tf.round(x), 0),
        tf.argmin(tf.round(x), 1),
        *tf.nn.top_k(x, 7),
        tf.cumsum(x, 0),
        tf.cumsum(x, 1),
    ]


def _segments(x, ids):
    ordered = tf.constant(np.sort(_indices(3000, 70)))
    sums = [tf.segment_sum(x, ordered), tf.segment_mean(x, ordered), tf.segment_prod(x, ordered)]
    rows = tf.gather(x, tf.constant(_indices(5000, 3000)))
    return [*sums, tf.unsorted_segment_sum(x, ids, 70), rows, tf.gradients(rows * rows, x)[0].values, tf.bincount(ids)]


def _scatters():
    ids, rows = tf.constant(_indices(4000, 90)), tf.constant(_random(4000, 33))
    outputs = []
    for scatter in (tf.scatter_add, tf.scatter_sub, tf.scatter_mul, tf.scatter_update):
        v = tf.Variable(tf.ones([90, 33]))
        start = tf.assign(v, tf.ones([90, 33]) * 0.5)  # a run does not see what runs before it left
        with tf.control_dependencies([start]):
            outputs.append(tf.identity(scatter(v._ref(), ids, rows)))
    return outputs, {}


def _training_step():
    """The update rules on big dense tensors: element by element, with products and sums that processors may fuse."""
    outputs = []
    shape = [211, 507]
    grad = tf.constant(_random(*shape))
    for make in (
        lambda: tf.train.AdamOptimizer(0.01),
        lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.9, centered=True),
        lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01),
        lambda: tf.train.AdadeltaOptimizer(0.5),
        lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda: tf.train.AdagradOptimizer(0.1),
    ):
        v = tf.Variable(_random(*shape, seed=1))
        with tf.control_dependencies([make().apply_gradients([(grad, v)])]):
            outputs.append(tf.identity(v._ref()))
    return outputs, {}


def _random_ops():
    big = [123, 457]
    return [
        tf.random_uniform(big, seed=1),
        tf.random_normal(big, seed=2, dtype=tf.float64),
        tf.truncated_normal(big, seed=3),
        tf.random_uniform(big, maxval=1000, dtype=tf.int32, seed=4),
        tf.random_shuffle(tf.range(5000), seed=5),
        tf.multinomial(tf.constant(_random(40, 30)), 500, seed=6),
        tf.nn.dropout(tf.ones(big), keep_prob=0.5, seed=7),
    ], {}


def _elementwise(x, y):
    wide = tf.constant(_random(501))
    kinds = (tf.exp, tf.log1p, tf.tanh, tf.sigmoid, tf.rsqrt, tf.nn.elu, tf.nn.softplus, tf.sin, tf.erf, tf.lgamma)
    outputs = [kind(tf.abs(x)) for kind in kinds]
    outputs += [
        x * y + wide,
        tf.where(x > y, x, y),
        tf.pow(tf.abs(x), y),
        tf.add_n([x, y, x, y, x]),
        tf.squared_difference(x, wide),
    ]
    return [
        *outputs,
        tf.transpose(x),
        tf.concat([x, y], 1),
        tf.tile(x, [2, 1]),
        tf.cast(x, tf.bfloat16),
        tf.matrix_band_part(x, 3, 4),
    ]


def _moved(array):
    """The same values where no vector register would like them to be."""
    moved = np.empty(array.size + 1, array.dtype)[1:].reshape(array.shape)
    moved[...] = array
    return moved


LARGE = {
    "reductions": _on(_random(37, 129, 83))(_reductions),
    "reductions of doubles": _on(_random(5, 3001, 7, dtype=np.float64))(_reductions),
    "reductions of halves": _on((_random(67, 129, 13) * 0.1).astype(np.float16))(_reductions),
    "short lines": _on(_random(5001, 7, dtype=np.float64))(lambda x: [_norm(x, [1]), tf.reduce_prod(x, 1)]),
    "product": _on(_random(131, 257), _random(257, 515))(lambda a, b: _with_gradients(tf.matmul(a, b), a, b)),
    "long product": _on(_random(17, 20001), _random(20001, 13))(lambda a, b: _with_gradients(tf.matmul(a, b), a, b)),
    "row": _on(_random(1, 3001), _random(3001, 701))(lambda a, b: _with_gradients(tf.matmul(a, b), a, b)),
    "column": _on(_random(3001, 701), _random(701, 1))(lambda a, b: _with_gradients(tf.matmul(a, b), a, b)),
    "double product": _on(_random(120, 333, dtype=np.float64), _random(333, 77, dtype=np.float64))(tf.matmul),
    "whole numbers": _on(_indices((150, 211), 99), _indices((211, 177), 99))(tf.matmul),
    "batches": _on(_random(13, 65, 70), _random(13, 70, 33))(lambda a, b: _with_gradients(tf.matmul(a, b), a, b)),
    "fused layer": _on(_random(301, 257), _random(257, 130), _random(130))(
        lambda x, w, b: tf.nn.relu(tf.matmul(x, w) + b)
    ),
    "bias": _on(_random(701, 130), _random(130))(lambda x, b: _with_gradients(tf.nn.bias_add(x, b), x, b)),
    "images": _on(_random(5, 33, 29, 17), _random(3, 3, 17, 31))(_image_ops),
    "one image": _on(_random(1, 65, 63, 3), _random(5, 5, 3, 20))(_image_ops),
    "rows": _on(_random(517, 301), _indices(517, 301))(_rows),
    "segments": _on(_random(3000, 37), _indices(3000, 70))(_segments),
    "element by element": _on(_random(203, 501), _random(203, 501, seed=1))(_elementwise),
    "scatters": _scatters,
    "updates": _training_step,
    "random numbers": _random_ops,
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("level", LEVELS)
def test_large_operations_give_the_same_bits_however_they_are_split(name, level):
    with cpu_level(level), tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        outputs, feeds = LARGE[name]()
        init = tf.global_variables_initializer()

        def run(cut=0, feeds=feeds, **threads):
            cut_loops(cut)
            try:
                with session(graph=graph, **threads) as sess:
                    sess.run(init)
                    return bits(sess.run(outputs, feeds))
            finally:
                cut_loops(0)

        expected = run(**alone(1))
        assert run(feeds={place: _moved(array) for place, array in feeds.items()}, **alone(1)) == expected
        for cut, threads in [(0, 2), (0, 3), (0, 5), (0, 16), (1, 1), (5, 3), (1000, 1)]:
            got = run(cut, intra_op_parallelism_threads=threads)
            other = [t.name for t, a, b in zip(outputs, got, expected) if a != b]
            assert not other, f"{threads} threads, pieces of {cut}: {other}"


STATELESS = [name for name in LARGE if name not in ("scatters", "updates", "random numbers")]


@pytest.mark.parametrize("name", STATELESS)
def test_the_first_run_and_the_fiftieth_are_the_same(name):
    """The first runs of a plan are timed, later ones may be dynamic; each session compiles its own plan."""
    with tf.Graph().as_default() as graph:
        outputs, feeds = LARGE[name]()
        outputs = outputs[:8]
        with session(*REWRITES, graph=graph) as first, session(*REWRITES, graph=graph) as second:
            expected = bits(first.run(outputs, feeds))
            runs = {tuple(bits(first.run(outputs, feeds))) for _ in range(49)}
            call = second.make_callable(outputs, list(feeds))
            runs |= {tuple(bits(call(*feeds.values()))), tuple(bits(second.run(outputs, feeds)))}
            handle = second.partial_run_setup(outputs, list(feeds))
            second.partial_run(handle, [], feeds)
            runs.add(tuple(b for output in outputs for b in bits([second.partial_run(handle, output)])))
        assert runs == {tuple(expected)}
