"""Random graphs of the primitives give what passing tokens one by one gives, in every way to run them."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfcore.core.runtime import set_num_threads

import tfcore as tf
from tests.core.token_machine import DEAD, TokenMachine

ops = tf.raw_ops
_WITHOUT_FUSED_LOOPS = tf.ConfigProto()
_WITHOUT_FUSED_LOOPS.graph_options.rewrite_options.loop_optimization = 2


class Builder:
    """Draws a graph. Values of one frame are kept together: only they can meet in an operation."""

    def __init__(self, draw):
        self.random = random.Random(draw)
        self.loops = 0
        self.n_ops = 0

    def root(self, feeds):
        values = list(feeds)
        for _ in range(self.random.randint(2, 7)):
            values += self.make(values, 0)
        return values

    def make(self, values, depth):
        kinds = ["sum", "difference", "product", "held", "switch", "conditional", "merge"]
        if depth == 0:  # elsewhere it would make both inputs of a Merge alive
            kinds.append("trigger")
        if depth < 2 and self.loops < 4:
            kinds += ["loop", "loop"]
        return getattr(self, self.random.choice(kinds))(values, depth)

    def pick(self, values):
        return self.random.choice(values[-6:])

    def sum(self, values, _):
        return [self.pick(values) + self.pick(values)]

    def difference(self, values, _):
        return [self.pick(values) - self.pick(values)]

    def product(self, values, _):
        return [self.pick(values) * self.pick(values)]

    def held(self, values, _):
        with tf.control_dependencies([_holder(self.pick(values)), _holder(self.pick(values))]):
            return [tf.identity(self.pick(values)), tf.constant(self.random.randint(-3, 3))]

    def trigger(self, values, _):
        with tf.control_dependencies([self.pick(values)]):
            trigger = ops.ControlTrigger()
        with tf.control_dependencies([trigger]):
            return [tf.constant(self.random.randint(-3, 3))]

    def switch(self, values, _):
        return list(ops.Switch(data=self.pick(values), pred=self.pick(values) > self.pick(values)))

    def conditional(self, values, depth):
        pred = self.pick(values) < self.pick(values)
        no, yes = ops.Switch(data=self.pick(values), pred=pred)
        no, yes = [no], [yes]
        for branch in (no, yes):
            for _ in range(self.random.randint(0, 2)):
                branch += self.make(branch, depth + 1)
        merged = ops.Merge(inputs=[no[-1], yes[-1]])
        return list(merged)

    def merge(self, values, _):
        x = self.pick(values)
        dead = ops.Switch(data=x, pred=x < x).output_true
        inputs = [dead + x, tf.identity(x), dead]
        self.random.shuffle(inputs)
        with tf.control_dependencies([self.pick(values)] if self.random.random() < 0.5 else []):
            return [ops.Merge(inputs=inputs).output]

    def loop(self, values, depth):
        self.loops += 1
        enter = {"frame_name": f"frame{self.loops}", "parallel_iterations": self.random.choice([1, 2, 10])}
        n = self.random.randint(0, 4)
        base = self.pick(values)
        start = ops.Enter(data=base - base, **enter)  # 0, dead if the values are
        entered = [start] + [ops.Enter(data=self.pick(values), **enter) for _ in range(self.random.randint(1, 2))]
        step, limit = base - base + _held_constant(1, base), base - base + _held_constant(n, base)
        fixed = [ops.Enter(data=x, is_constant=True, **enter) for x in (step, limit, self.pick(values))]
        merged = [ops.Merge(inputs=[e, e]).output for e in entered]
        going = ops.LoopCond(input=merged[0] < fixed[1])
        switched = [ops.Switch(data=m, pred=going) for m in merged]
        inside = [s.output_true for s in switched] + fixed
        inside = inside[1:] + inside[:1]
        for _ in range(self.random.randint(0, 3)):
            inside += self.make(inside, depth + 1)
        following = [switched[0].output_true + fixed[0]]
        # May be dead: then its variable ends. Without the Switch a constant would never end.
        following += [self.pick(inside) + (s.output_true - s.output_true) for s in switched[1:]]
        for m, x in zip(merged, following):
            m.op._update_input(1, ops.NextIteration(data=x))
        return [ops.Exit(data=s.output_false) for s in switched]


def _held_constant(value, pivot):
    with tf.control_dependencies([_holder(pivot)]):
        return tf.constant(value)


def _holder(value):
    """To wait for: a Switch is alive whichever way it goes, and a Merge of both would get two values."""
    return tf.identity(value) if value.op.type == "Switch" else value


@pytest.fixture(scope="module", autouse=True)
def many_threads():
    before = set_num_threads(4)
    yield
    set_num_threads(before)


def run(session, t, feed):
    try:
        return session.run(t, feed)
    except tf.errors.InvalidArgumentError as error:
        assert "does not have value" in str(error)
        return DEAD


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(-3, 3), st.integers(-3, 3))
def test_random_graphs(seed, a, b):
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = [tf.placeholder(tf.int32, []) for _ in range(2)]
        values = Builder(seed).root(feeds)
        wanted = [t for t in values[2:] if t.dtype is tf.int32][-5:]
        feed = dict(zip(feeds, (np.int32(a), np.int32(b))))
        results = [TokenMachine([t], feed, random.Random(seed)).run()[0] for t in wanted]
        whole = tf.Session(config=_WITHOUT_FUSED_LOOPS)
        for t, want in zip(wanted, results):
            for one in (session, whole):
                got = run(one, t, feed)
                assert (got is DEAD) == (want is DEAD), t.name
                assert got is DEAD or got == want, t.name
        alive = [(t, want) for t, want in zip(wanted, results) if want is not DEAD]
        fetches = [t for t, _ in alive]
        for one in (session, whole) * 2:  # the caller alone, then with helpers
            for _ in range(2):
                assert one.run(fetches, feed) == [want for _, want in alive]
            for signature in one._signatures.values():
                signature.plan.verify()
                signature.plan.offers = True
        whole.close()
