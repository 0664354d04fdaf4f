"""Partial runs: texts and life of a handle, and random sequences of calls against whole runs."""

import gc
import threading

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tfcore.core.runtime import memory_stats

import tfcore as tf

SIZE = 300  # more bytes than a feed or fetch that is copied anyway


class Model:
    """A small graph with all that partial runs must get right: shared values, views, state, random numbers."""

    def __init__(self):
        self.a, self.b = (tf.placeholder(tf.float32, [SIZE], name=n) for n in "ab")
        self.total = tf.add(self.a, self.b, name="total")
        self.double = tf.multiply(self.total, 2.0, name="double")
        self.counter = tf.Variable(0, name="counter")
        self.count = tf.identity(tf.assign_add(self.counter, 1), name="count")
        self.noise = tf.random_uniform([SIZE], name="noise")
        self.noisy = tf.add(self.noise, self.a, name="noisy")
        self.noisier = tf.add(self.noise, self.b, name="noisier")


@pytest.fixture
def model():
    with tf.Graph().as_default(), tf.Session() as sess:
        m = Model()
        m.sess = sess
        sess.run(tf.global_variables_initializer())
        yield m


ONE, TWO = np.full(SIZE, 1, np.float32), np.full(SIZE, 2, np.float32)


def test_values_come_in_pieces(model):
    m, sess = model, model.sess
    handle = sess.partial_run_setup([m.noise, m.total, m.noisy, m.noisier, m.count], [m.a, m.b])
    assert isinstance(handle, str)
    noise = sess.partial_run(handle, m.noise)
    assert sess.run(m.counter) == 0  # nobody has asked for it
    noisy, count = sess.partial_run(handle, [m.noisy, m.count], {m.a: ONE})
    assert count == 1
    rest = sess.partial_run(handle, {"noisier": m.noisier, "total": [m.total]}, {m.b: TWO})
    np.testing.assert_array_equal(noisy, noise + ONE)
    np.testing.assert_array_equal(rest["noisier"], noise + TWO)
    np.testing.assert_array_equal(rest["total"][0], ONE + TWO)
    assert sess.run(m.counter) == 1


def test_a_fed_array_may_change_between_the_calls(model):
    m, sess = model, model.sess
    flat = tf.reshape(m.a, [2, -1])  # a view of the fed memory
    handle = sess.partial_run_setup([m.total, flat, flat + 1.0], [m.a, m.b])
    fed = ONE.copy()
    view = sess.partial_run(handle, flat, {m.a: fed})
    fed[:] = 77
    np.testing.assert_array_equal(view, ONE.reshape(2, -1))
    np.testing.assert_array_equal(sess.partial_run(handle, m.total, {m.b: TWO}), ONE + TWO)


def test_a_fetched_array_stays_as_it_is(model):
    m, sess = model, model.sess
    handle = sess.partial_run_setup([m.total, m.double], [m.a, m.b])
    total = sess.partial_run(handle, m.total, {m.a: ONE, m.b: TWO})
    total[:] = -1  # the user's own copy
    np.testing.assert_array_equal(sess.partial_run(handle, m.double), 2 * (ONE + TWO))
    np.testing.assert_array_equal(total, -ONE)


def test_targets_run_once_as_soon_as_their_feeds_are_there(model):
    m, sess = model, model.sess
    late = tf.assign_add(m.counter, tf.cast(m.a[0], tf.int32)).op
    handle = sess.partial_run_setup([late, m.double], [m.a, m.b])
    assert sess.run(m.counter) == 0
    sess.partial_run(handle, [], {m.a: TWO})
    assert sess.run(m.counter) == 2
    sess.partial_run(handle, m.double, {m.b: TWO})
    assert sess.run(m.counter) == 2
    sess.partial_run_setup([m.count.op])
    assert sess.run(m.counter) == 3


def test_what_nobody_fetched_runs_with_the_last_feed(model):
    m, sess = model, model.sess
    with tf.control_dependencies([m.count]):
        twin_a, twin_b = tf.square(m.a), tf.square(m.a)
    handle = sess.partial_run_setup([twin_a.op, twin_b.op, m.total], [m.a, m.b])
    sess.partial_run(handle, m.total, {m.a: ONE, m.b: ONE})
    assert sess.run(m.counter) == 1


def test_references_are_read_when_they_are_fetched(model):
    m, sess = model, model.sess
    handle = sess.partial_run_setup([m.counter._ref(), m.total], [m.a, m.b])
    sess.run(m.count)
    assert sess.partial_run(handle, m.counter._ref()) == 1


def test_many_at_once_do_not_mix(model):
    m, sess = model, model.sess
    handles = [sess.partial_run_setup([m.total, m.double], [m.a, m.b]) for _ in range(5)]
    assert len(set(handles)) == 5
    for i, handle in enumerate(handles):
        sess.partial_run(handle, [], {m.a: ONE * i})
    for i, handle in reversed(list(enumerate(handles))):
        np.testing.assert_array_equal(sess.partial_run(handle, m.double, {m.b: ONE}), 2 * (ONE * i + 1))


def refused(model, text, handle, fetches, feeds=None, error=tf.errors.InvalidArgumentError):
    with pytest.raises(error) as caught:
        model.sess.partial_run(handle, fetches, feeds)
    assert text in str(caught.value)


def test_calls_out_of_turn_are_refused_and_change_nothing(model):
    m, sess = model, model.sess
    handle = sess.partial_run_setup([m.total, m.double], [m.a, m.b])
    refused(
        m,
        "Fetch double:0 can't be computed from the feeds that have been fed so far. Missing: b:0",
        handle,
        m.double,
        {m.a: ONE},
    )
    refused(m, "The fetch noise/RandomUniform:0 was not specified in partial_run_setup.", handle, m.noise)
    refused(
        m, "The feed noise/RandomUniform:0 was not specified in partial_run_setup.", handle, m.total, {m.noise: ONE}
    )
    refused(m, "Cannot feed value of shape (2,) for Tensor 'a:0'", handle, [], {m.b: ONE, m.a: [1, 2]}, ValueError)
    refused(m, "partial_run() requires empty `target_list`", handle, m.total.op, None, RuntimeError)
    refused(m, "has invalid type", handle, None, None, TypeError)
    refused(m, "Cannot interpret feed_dict key as Tensor", handle, [], {3: 3}, TypeError)
    np.testing.assert_array_equal(sess.partial_run(handle, m.total, {m.a: ONE, m.b: TWO}), ONE + TWO)
    refused(m, "The feed a:0 has already been fed.", handle, m.double, {m.a: TWO})
    refused(m, "The fetch total:0 has already been fetched.", handle, m.total)
    assert sess.partial_run(handle, []) == []
    np.testing.assert_array_equal(sess.partial_run(handle, m.double), 2 * (ONE + TWO))


SETUP = "Must run 'setup' before performing partial runs!"


def test_handles_that_are_none(model):
    m, sess = model, model.sess
    for wrong in ("nothing", None, 3, b"x", [], m.total):
        refused(m, SETUP, wrong, m.total)
    handle = sess.partial_run_setup(m.noise)
    sess.partial_run(handle, m.noise)
    refused(m, SETUP, handle, m.noise)  # all is fetched
    with tf.Session() as other:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
            other.partial_run(sess.partial_run_setup(m.noise), m.noise)


def test_an_error_ends_the_partial_run(model):
    m, sess = model, model.sess
    checked = tf.check_numerics(tf.log(m.a), "bad", name="checked")
    handle = sess.partial_run_setup([checked, m.total], [m.a, m.b])
    refused(m, "bad : Tensor had NaN", handle, checked, {m.a: -ONE})
    refused(m, SETUP, handle, m.total, {m.b: ONE})
    missing = sess.partial_run_setup([m.total], [m.a])
    refused(m, "You must feed a value for placeholder tensor 'b'", missing, m.total, {m.a: ONE})
    refused(m, SETUP, missing, [])


def test_impossible_set_ups(model):
    m, sess = model, model.sess
    for fetches, feeds, error, text in [
        (m.total, [m.a, m.a], tf.errors.InvalidArgumentError, 'Endpoint "a:0" fed more than once.'),
        ([m.a], [m.a], tf.errors.InvalidArgumentError, "a:0 is both fed and fetched."),
        ([], [m.a], tf.errors.InvalidArgumentError, "Must specify at least one target to fetch or execute."),
        (None, [m.a], TypeError, "has invalid type"),
        (m.total, [m.a.op], TypeError, "Cannot interpret feed_dict key as Tensor"),
        (m.total, [[1]], TypeError, "Cannot interpret feed_dict key as Tensor"),
        (m.total, "nothing:0", TypeError, "Cannot interpret feed_dict key as Tensor"),
    ]:
        with pytest.raises(error) as caught:
            sess.partial_run_setup(fetches, feeds)
        assert text in str(caught.value)
    one = sess.partial_run_setup("total:0", ("a:0", m.b))  # names will do
    np.testing.assert_array_equal(sess.partial_run(one, m.total, {"a:0": ONE, "b:0": ONE}), TWO)
    assert sess.partial_run_setup(m.noise, None)


def test_a_closed_session_refuses_and_frees():
    with tf.Graph().as_default():
        m = Model()
        before = memory_in_use()
        m.sess = tf.Session()
        handle = m.sess.partial_run_setup([m.total, m.double], [m.a, m.b])
        m.sess.partial_run(handle, m.total, {m.a: ONE, m.b: ONE})
        m.sess.close()
        refused(m, "Attempted to use a closed Session.", handle, m.double, None, RuntimeError)
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
            m.sess.partial_run_setup(m.noise)
        assert memory_in_use() - before < 4 * SIZE  # what is left are the plan's constants
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(RuntimeError, match="The Session graph is empty"):
            sess.partial_run_setup([])


def memory_in_use():
    gc.collect()
    return memory_stats()["bytes_in_use"]


def test_abandoned_handles_are_freed(model):
    m, sess = model, model.sess
    big = tf.identity(tf.fill([200_000], m.a[0]) + 1.0)
    handle = sess.partial_run_setup([big, m.total], [m.a, m.b])
    sess.partial_run(handle, [], {m.a: ONE})
    del handle
    before = memory_in_use()
    for _ in range(20):
        handle = sess.partial_run_setup([big, big * 2.0], [m.a])
        sess.partial_run(handle, big, {m.a: ONE})
        text = str(handle)
        del handle
        refused(m, SETUP, text, big)
    assert memory_in_use() - before < 4 * 200_000
    assert len(sess._partial._running) == 0


def test_the_graph_may_grow_and_change(model):
    m, sess = model, model.sess
    handle = sess.partial_run_setup([m.total, m.double], [m.a, m.b])
    tf.square(m.a)
    m.double.op._update_input(0, m.noise)  # handles keep what was set up; new ones see the change
    np.testing.assert_array_equal(sess.partial_run(handle, [m.double], {m.a: ONE, m.b: ONE})[0], 2 * TWO)
    again = sess.partial_run_setup([m.noise, m.double], [m.a])
    np.testing.assert_array_equal(sess.partial_run(again, m.double), 2 * sess.partial_run(again, m.noise))


def test_threads_share_a_handle(model):
    m, sess = model, model.sess
    values = [m.noise + float(i) for i in range(16)]
    handle = sess.partial_run_setup(values)
    got, errors = {}, []

    def fetch(i):
        try:
            got[i] = sess.partial_run(handle, values[i])
            sess.partial_run(handle, values[i])
        except tf.errors.InvalidArgumentError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=fetch, args=(i,)) for i in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive()
    for i in range(16):
        np.testing.assert_array_equal(got[i], got[0] + np.float32(i))
    assert len(errors) == 16  # each second fetch; the last one finds the run over


# ---- Random sequences

UNARY = (
    tf.negative,
    tf.square,
    tf.tanh,
    lambda x: tf.reshape(tf.reshape(x, [3, -1]), [-1]),
    tf.identity,
    lambda x: x * 1.0,
)
BINARY = (tf.add, tf.multiply, tf.maximum, lambda x, y: tf.nn.relu(x - y))
instruction = st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 40), st.integers(0, 40))
PLACEHOLDERS = 3


class Machine(RuleBasedStateMachine):
    """Several partial runs of a random graph, against one whole run with the same feeds."""

    @initialize(program=st.lists(instruction, min_size=4, max_size=20), rewrites=st.booleans())
    def build(self, program, rewrites):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.feeds = [tf.placeholder(tf.float32, [SIZE], name=f"x{i}") for i in range(PLACEHOLDERS)]
            self.needs = [{i} for i in range(PLACEHOLDERS)]
            self.values = list(self.feeds)
            for unary, kind, x, y in program:
                x, y = x % len(self.values), y % len(self.values)
                if unary:
                    self.add(UNARY[kind](self.values[x]), self.needs[x])
                else:
                    self.add(BINARY[kind % 4](self.values[x], self.values[y]), self.needs[x] | self.needs[y])
            self.counter = tf.Variable(0)
            with tf.control_dependencies([self.values[-1]]):
                self.add(tf.cast(tf.fill([SIZE], tf.assign_add(self.counter, 1)), tf.float32) * 0.0, self.needs[-1])
            init = tf.global_variables_initializer()
        config = tf.ConfigProto()
        if not rewrites:
            config.graph_options.optimizer_options.opt_level = -1
        self.sess = tf.Session(graph=self.graph, config=config)
        self.sess.run(init)
        self.counted = 0
        rng = np.random.RandomState(0)
        self.arrays = [rng.randn(SIZE).astype(np.float32) for _ in range(PLACEHOLDERS)]
        wanted = self.values[PLACEHOLDERS:]
        self.expected = [*self.arrays, *self.sess.run(wanted, dict(zip(self.feeds, self.arrays)))]
        self.sess.run(init)
        self.runs = []

    def add(self, value, needs):
        self.values.append(value)
        self.needs.append(needs)

    @rule(data=st.data())
    def set_up(self, data):
        count = len(self.values) - PLACEHOLDERS
        picked = data.draw(st.lists(st.integers(PLACEHOLDERS, count + PLACEHOLDERS - 1), min_size=1, unique=True))
        needed = sorted(set().union(*[self.needs[i] for i in picked]))
        handle = self.sess.partial_run_setup([self.values[i] for i in picked], [self.feeds[i] for i in needed])
        self.runs.append({"handle": handle, "fetches": picked, "feeds": needed, "fed": set()})

    @rule(data=st.data())
    def advance(self, data):
        if not self.runs:
            return
        run = data.draw(st.sampled_from(self.runs))
        fed = data.draw(st.lists(st.sampled_from(run["feeds"]), unique=True)) if run["feeds"] else []
        known = run["fed"] | set(fed)
        possible = [i for i in run["fetches"] if self.needs[i] <= known]
        asked = data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
        arrays = [self.arrays[i].copy() for i in fed]
        got = self.sess.partial_run(
            run["handle"], [self.values[i] for i in asked], {self.feeds[i]: a for i, a in zip(fed, arrays)}
        )
        for array in arrays:
            array[:] = np.nan  # the partial run must not look at them any more
        for i, value in zip(asked, got):
            np.testing.assert_array_equal(value, self.expected[i])
            value[:] = np.nan
        run["fed"] = known
        run["feeds"] = [i for i in run["feeds"] if i not in fed]
        run["fetches"] = [i for i in run["fetches"] if i not in asked]
        last = len(self.values) - 1
        if last in asked:
            self.counted += 1
        if not run["feeds"] and not run["fetches"]:
            self.runs.remove(run)

    @rule(data=st.data())
    def abandon(self, data):
        if self.runs:
            run = data.draw(st.sampled_from(self.runs))
            self.runs.remove(run)
            del run["handle"]  # Hypothesis keeps what was drawn

    @rule(data=st.data())
    def ask_too_early(self, data):
        for run in self.runs:
            early = [i for i in run["fetches"] if not self.needs[i] <= run["fed"]]
            if early:
                with pytest.raises(tf.errors.InvalidArgumentError, match="can't be computed from the feeds"):
                    self.sess.partial_run(run["handle"], self.values[data.draw(st.sampled_from(early))])

    @invariant()
    def every_op_ran_at_most_once(self):
        if hasattr(self, "counted"):
            assert self.sess.run(self.counter) == self.counted
            assert len(self.sess._partial._running if self.sess._partial else ()) == len(self.runs)

    def teardown(self):
        if hasattr(self, "sess"):
            self.sess.close()


TestSequences = Machine.TestCase
TestSequences.settings = settings(max_examples=60, stateful_step_count=25)


def test_loops_are_refused():
    with tf.Graph().as_default(), tf.Session() as sess:
        n = tf.placeholder(tf.int32, [])
        out = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
        with pytest.raises(tf.errors.UnimplementedError, match="partial_run does not support loops"):
            sess.partial_run_setup([out], [n])
