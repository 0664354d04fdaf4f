"""Random graphs with random placements over four devices of one process give the same bits as unplaced ones."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfcore.core.registry.kernel import ResourceManager
from tfcore.core.step.executor import run_plan

import tfcore as tf
from tests.compiler.test_property import Builder, bits, instruction
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, device_name
from tfcore.compiler.partition import partition
from tfcore.compiler.program_def import ProgramDef, to_graph_def
from tfcore.core.rendezvous import rendezvous

pytestmark = pytest.mark.cpu

DEVICES = 4
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 1))


def place_at_random(graph, data, device="/cpu:{}"):
    """Gives operations random devices; wrong ones for references or colocated operations are ignored."""
    ops = graph.get_operations()
    places = data.draw(st.lists(st.integers(-1, DEVICES - 1), min_size=len(ops), max_size=len(ops)), label="devices")
    for op, place in zip(ops, places):
        grouped = any(group != b"loc:@" + op.name.encode() for group in op.colocation_groups())
        if place >= 0 and not grouped:
            op._set_device(device.format(place))


def results_of_tasks(fetches, feeds, init, variables, times=2):
    """As `results`, over four tasks that this process plays: their programs travel as bytes and meet in one plan."""
    names = [device_name(("worker", 0, i)) for i in range(DEVICES)]
    compiler = Compiler(ResourceManager(), devices=Devices(names, ("worker", 0, 1)))

    def run(fetches, feed, targets=()):
        program = compiler.program(fetches, list(feed), list(targets))
        own, *others = partition(program, compiler.devices.default)
        for part in others:
            theirs = ProgramDef(to_graph_def(part.program)).program()
            own.program.nodes += theirs.nodes
        plan = compiler.lower(own.program)
        plan.verify()
        return [run_plan(plan, feed.values()) for _ in range(1 if targets else times)]

    run([], {}, [init])
    got = [bits(values) for f in feeds[:1] for values in run(fetches, f)]
    return got + [bits(run(variables, {})[0])]


def session():
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": DEVICES}))


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left():
    before = rendezvous.count()
    yield
    assert rendezvous.count() == before


def results(fetches, feeds, init, variables):
    with session() as s:
        s.run(init)
        got = [bits(v for v in s.run(fetches, f) if v is not None) for f in feeds]
        for signature in s._signatures.values():
            signature.plan.verify()
        return got + [bits(s.run(variables))]


@settings(max_examples=int(200 * EFFORT), deadline=None)
@given(st.lists(instruction, min_size=1, max_size=25), st.data())
def test_placement_changes_no_bit(program, data):
    with tf.Graph().as_default() as graph:
        built = Builder(program)
        wanted = data.draw(st.lists(st.integers(0, len(built.values) - 1), min_size=1, max_size=6), label="fetched")
        fetches = [built.values[-1], *[built.values[i] for i in wanted]]
        if data.draw(st.booleans(), label="fetches references"):
            fetches += [v._ref() for v in built.variables]
        rng = np.random.RandomState(len(program))
        feeds = [{p: np.asarray(rng.randn(*p.shape.as_list()), np.float32) for p in built.feeds} for _ in range(3)]
        init = tf.global_variables_initializer()
        expected = results(fetches, feeds, init, built.variables)
        place_at_random(graph, data)
        assert results(fetches, feeds, init, built.variables) == expected


@settings(max_examples=int(100 * EFFORT), deadline=None)
@given(st.lists(instruction, min_size=1, max_size=25), st.data())
def test_tasks_change_no_bit(program, data):
    with tf.Graph().as_default() as graph:
        built = Builder(program)
        fetches = [*built.values[-3:], *[v._ref() for v in built.variables]]
        rng = np.random.RandomState(len(program))
        feed = {p: np.asarray(rng.randn(*p.shape.as_list()), np.float32) for p in built.feeds}
        init = tf.global_variables_initializer()
        variables = [v._ref() for v in built.variables]
        expected = results(fetches, [feed, feed], init, variables)
        place_at_random(graph, data, "/task:{}")
        assert results_of_tasks(fetches, [feed], init, variables) == expected


@settings(max_examples=int(25 * EFFORT), deadline=None)
@given(st.data())
def test_training_over_devices(data):
    kind = data.draw(st.sampled_from(["sgd", "momentum", "adam"]), label="optimizer")
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [8, 5])
        w = tf.Variable(np.linspace(-1, 1, 20).reshape(5, 4), dtype=tf.float32)
        b = tf.Variable(np.zeros(4, np.float32))
        hidden = tf.tanh(tf.matmul(x, w) + b)
        u = tf.Variable(np.linspace(1, -1, 12).reshape(4, 3), dtype=tf.float32)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2] * 2 + [0, 1], logits=tf.matmul(hidden, u))
        )
        optimizer = {
            "sgd": tf.train.GradientDescentOptimizer(0.1),
            "momentum": tf.train.MomentumOptimizer(0.1, 0.9),
            "adam": tf.train.AdamOptimizer(0.01),
        }[kind]
        train = optimizer.minimize(loss, colocate_gradients_with_ops=data.draw(st.booleans(), label="colocated"))
        init = tf.global_variables_initializer()
        rng = np.random.RandomState(0)
        feeds = [{x: np.asarray(rng.randn(8, 5), np.float32)} for _ in range(4)]
        expected = results([loss, train], feeds, init, tf.global_variables())
        place_at_random(graph, data)
        assert results([loss, train], feeds, init, tf.global_variables()) == expected


@settings(max_examples=int(40 * EFFORT), deadline=None)
@given(st.lists(instruction, min_size=1, max_size=12), st.data())
def test_errors_end_the_step_on_all_devices(program, data):
    with tf.Graph().as_default() as graph:
        built = Builder(program)
        bad = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.Assert(bad > 0, ["bad"])]):
            checked = tf.identity(built.values[-1])
        later = tf.negative(checked)
        init = tf.global_variables_initializer()
        place_at_random(graph, data)
        with session() as s:
            s.run(init)
            feed = {p: np.ones(p.shape.as_list(), np.float32) for p in built.feeds}
            for _n in range(3):
                with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed") as caught:
                    s.run([later, built.values], {**feed, bad: -1.0})
                assert caught.value.op.type == "Assert"
                s.run([later, built.values], {**feed, bad: 1.0})
