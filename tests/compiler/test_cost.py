"""Placement by cost."""

import numpy as np
import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from tfcore.compiler.compile import Compiler
from tfcore.compiler.cost import CostModel, CostPlacer
from tfcore.compiler.devices import Devices, device_name


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def devices_of(fetches, feeds=(), count=2, model=None, devices=None, targets=()):
    """Operation name -> device number or task."""
    devices = devices or Devices(count=count)
    compiler = Compiler(ResourceManager(), (), devices, cost=CostPlacer(model))
    program = compiler.program(fetches, list(feeds), list(targets))
    return {node.name: node.device for node in program.nodes}


def heavy(x, name):
    with tf.name_scope(name):
        for _ in range(4):
            x = tf.matmul(x, x, name="product")
    return x


def test_two_heavy_branches_are_spread():
    x = tf.placeholder(tf.float32, [300, 300])
    a, b = heavy(x, "a"), heavy(x, "b")
    found = devices_of([tf.add(a, b, name="join")], [x])
    first = {found[name] for name in found if name.startswith("a/")}
    second = {found[name] for name in found if name.startswith("b/")}
    assert len(first) == len(second) == 1 and first != second


def test_chatty_operations_stay_together():
    x = tf.placeholder(tf.float32, [4])
    values = [x * float(i) for i in range(4)]
    for _ in range(10):
        values = [values[i] + values[i - 1] for i in range(4)]
    assert len(set(devices_of([tf.add_n(values)], [x], count=4).values())) == 1


def test_slow_messages_keep_work_in_its_task():
    x = tf.placeholder(tf.float32, [300, 300])
    y = heavy(x, "a") + heavy(x, "b")
    names = [device_name(("worker", 0, i)) for i in range(2)]
    for model, tasks in ((CostModel(message_ns=1e12), 1), (CostModel(message_ns=10.0, ns_per_byte=0.0), 2)):
        found = devices_of([y], [x], model=model, devices=Devices(names, ("worker", 0, 0)))
        assert len(set(found.values())) == tasks


def test_measured_times_decide():
    x = tf.placeholder(tf.float32, [2])
    a, b = tf.exp(x, name="a"), tf.log(x, name="b")
    y = tf.add(a, b, name="y")
    assert len(set(devices_of([y], [x]).values())) == 1  # guessed to be small
    model = CostModel()
    model.measured = {"a": 5e6, "b": 5e6}
    found = devices_of([y], [x], model=model)
    assert found["a"] != found["b"]


def test_state_and_functions_stay_in_their_task():
    v = tf.Variable(np.ones([300, 300], np.float32), name="v")
    f = tf.py_func(np.sin, [v], tf.float32, stateful=False, name="f")
    f.set_shape([300, 300])
    y = tf.add(heavy(v, "a"), heavy(f, "b"))
    names = [device_name(("worker", 0, i)) for i in range(3)]
    model = CostModel(message_ns=10.0, ns_per_byte=0.0)
    found = devices_of([y, v.initializer.outputs[0]], model=model, devices=Devices(names, ("worker", 0, 1)))
    assert found["v"] == found["v/Assign"] == found["f"] == names[1] and len(set(found.values())) == 2


def test_constraints_hold():
    x = tf.placeholder(tf.float32, [300, 300])
    with tf.device("/cpu:1"):
        v = tf.Variable(np.zeros([300, 300], np.float32), name="v")
        a = heavy(x, "a")
        b = heavy(x, "b")
    found = devices_of([a + b, tf.assign(v, a * 1.0).op.outputs[0]], [x])
    assert {found[n][-1] for n in found if n.startswith(("a/", "b/", "v", "Assign"))} == {"1"}


def test_a_session_learns_and_state_stays():
    config = tf.ConfigProto(device_count={"CPU": 2})
    config.graph_options.build_cost_model = 4
    v = tf.Variable(np.zeros([4], np.float32), name="v")
    w = tf.Variable(np.ones([4], np.float32), name="w")
    steps = [tf.assign_add(v, tf.exp(w) - np.float32(np.e) + 1.0), tf.assign_add(w, v * 0.0)]
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        homes = dict(sess._compiler.cost._homes)
        for _ in range(12):
            got = sess.run(steps)
        assert np.allclose(got[0], 12.0) and np.allclose(sess.run(w), 1.0)
        assert {name: sess._compiler.cost._homes[name] for name in homes} == homes
        assert sess._compiler.cost.model.measured
    with pytest.raises(RuntimeError, match="closed"):
        sess.run(v)
