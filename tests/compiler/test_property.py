"""Random graphs give the same bits with every subset of the rewrites, and with nodes run in parallel."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.compiler.plans import REWRITES, session
from tfcore.compiler import fuse_cwise

SHAPES = [(3, 4), (4, 3), (4,), (), (1, 4), (3, 1)]
SUBSETS = [s for n in range(len(REWRITES) + 1) for s in itertools.combinations(REWRITES, n)]
UNARY = {
    "neg": tf.negative,
    "abs": tf.abs,
    "square": tf.square,
    "tanh": tf.tanh,
    "exp": lambda x: tf.exp(tf.minimum(x, 5.0)),
    "relu": tf.nn.relu,
    "identity": tf.identity,
    "stop": tf.stop_gradient,
    "times one": lambda x: x * 1.0,
    "one times": lambda x: tf.constant(1.0) * x,
    "by one": lambda x: x / 1.0,
    "minus zero": lambda x: x - 0.0,
    "plus zero": lambda x: x + 0.0,
    "round trip": lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
    "same cast": lambda x: tf.cast(x, tf.float32),
    "transpose": lambda x: tf.transpose(x),
    "flat and back": lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
    "runtime shape": lambda x: tf.reshape(x, tf.raw_ops.Shape(input=x)),
    "expand": lambda x: tf.squeeze(tf.expand_dims(x, 0), [0]),
    "sum": lambda x: tf.reduce_sum(x),
    "mean": lambda x: tf.reduce_mean(x, -1, keepdims=True) if x.shape.ndims else x,
    "size": lambda x: x * tf.cast(tf.raw_ops.Size(input=x), tf.float32),
    "parts": lambda x: tf.add_n(tf.split(x, 2, -1)) if x.shape.ndims and x.shape[-1] == 4 else x,
    "stack": lambda x: tf.unstack(tf.stack([x, x * 2.0]))[1],
    "one addend": lambda x: tf.add_n([x]),
}
BINARY = {
    "add": tf.add,
    "sub": tf.subtract,
    "mul": tf.multiply,
    "maximum": tf.maximum,
    "add_n": lambda a, b: tf.add_n([a, b, a]) if a.shape == b.shape else a + b,
    "select": lambda a, b: tf.where(a > b, a, b) if a.shape == b.shape else a - b,
    "product": lambda a, b: tf.matmul(a, b),
    "turned product": lambda a, b: tf.matmul(tf.transpose(b), tf.transpose(a)),
    "layer": lambda a, b: tf.nn.relu(tf.matmul(a, b) + tf.constant([0.5] * b.shape[1].value)),
    "join": lambda a, b: tf.concat([a, b], 0)[: a.shape[0].value] if a.shape == b.shape and a.shape.ndims else a * b,
}
STATE = ("read", "assign", "assign_add", "plain read")

instruction = st.one_of(
    st.tuples(st.sampled_from(sorted(UNARY)), st.integers(0, 99)),
    st.tuples(st.sampled_from(sorted(BINARY)), st.integers(0, 99), st.integers(0, 99)),
    st.tuples(st.sampled_from(STATE), st.integers(0, 99), st.integers(0, 1)),
)


class Builder:
    """Follows a list of instructions; state is touched in program order, by control dependencies."""

    def __init__(self, program):
        self.feeds = [tf.placeholder(tf.float32, shape) for shape in SHAPES]
        self.values = [
            *self.feeds,
            *[tf.constant(np.linspace(-2, 2, int(np.prod(s))).reshape(s), tf.float32) for s in SHAPES],
        ]
        self.variables = [tf.Variable(tf.ones([3, 4]) * float(i)) for i in range(2)]
        self.reads = [v.value() for v in self.variables]
        self.last = None
        for name, *operands in program:
            self.step(name, operands)

    def step(self, name, operands):
        if name in STATE:
            self.touch(name, *operands)
            return
        function = UNARY.get(name) or BINARY[name]
        arguments = [self.values[i % len(self.values)] for i in operands]
        try:
            result = function(*arguments)
        except (ValueError, TypeError):  # shapes that do not fit
            return
        if result.shape.num_elements() is not None and result.shape.num_elements() <= 64:
            self.values.append(result)

    def touch(self, name, operand, which):
        v, value = self.variables[which], self.values[operand % len(self.values)]
        with tf.control_dependencies([self.last] if self.last is not None else None):
            if name == "assign" and value.shape.as_list() == [3, 4]:
                change = tf.assign(v, value)
            elif name in ("assign", "assign_add"):
                change = tf.assign_add(v, tf.ones([3, 4]) * 0.25)
            else:
                change = None
        with tf.control_dependencies(
            [change if change is not None else self.last] if change is not None or self.last is not None else None
        ):
            read = tf.identity(v._ref()) + 0.0
        # Later changes wait for this read, so that its value is the same in every order.
        self.last = read.op
        self.values.append(read)


def bits(values):
    """Comparable bits; all NaNs are one."""
    return [np.where(np.isnan(v), np.float32(np.nan), v).astype(np.float32).tobytes() for v in values]


@pytest.fixture
def small_tensors_fuse():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuse_cwise, "LEAST_SIZE", 1)
        yield


@pytest.mark.usefixtures("small_tensors_fuse")
@settings(max_examples=int(40 * float(os.environ.get("TFCORE_TEST_EFFORT", 1))))
@given(st.lists(instruction, min_size=1, max_size=25), st.data())
def test_rewrites_change_no_bit(program, data):
    with tf.Graph().as_default():
        built = Builder(program)
        wanted = data.draw(st.lists(st.integers(0, len(built.values) - 1), min_size=1, max_size=6), label="fetched")
        fetches = [built.values[-1], *[built.values[i] for i in wanted]]
        rng = np.random.RandomState(len(program))
        feeds = [{p: np.asarray(rng.randn(*p.shape.as_list()), np.float32) for p in built.feeds} for _ in range(3)]
        init = tf.global_variables_initializer()
        results = {}
        for on in SUBSETS:
            with session(*on, graph=tf.get_default_graph()) as s:
                s.run(init)
                got = [s.run(fetches, f) for f in feeds[:2]]
                for signature in s._signatures.values():
                    signature.plan.verify()
                    signature.plan.dynamic = True
                got.append(s.run(fetches, feeds[2]))
                results[on] = [bits(g) for g in got] + [bits(s.run(built.variables))]
        for on, got in results.items():
            assert got == results[()], f"{on} changes a result"
