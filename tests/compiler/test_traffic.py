"""What travels between tasks in the steps of parameter-server training: no more than has to."""

import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from bench.distributed import nullstep
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, device_name
from tfcore.compiler.partition import partition
from tfcore.examples import mnist

WORKER = ("worker", 0, 0)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def parts_of(servers, targets, feeds=(), fetches=()):
    """Partitions of a run by job and task index."""
    tasks = [*[("ps", 0, i) for i in range(servers)], WORKER]
    devices = Devices([device_name(t) for t in tasks], WORKER)
    program = Compiler(ResourceManager(), devices=devices).program(list(fetches), list(feeds), list(targets))
    return {(p.task[0], p.task[2]): p for p in partition(program, devices.default)}


def sent(part):
    """(name of what is sent, job that gets it), sorted."""
    result = []
    for node in part.sends:
        ((source, _),) = node.inputs
        result.append((source.name, node.attrs["recv_device"].decode().split("/")[1][4:]))
    return sorted(result)


@pytest.mark.parametrize("servers", [1, 2])
def test_scalars(servers):
    """Values to the worker, updates back, and nothing else: that a server is done is known when its part ends."""
    null = nullstep.NullStep(tf, "scalar", servers, "/job:worker/task:0")
    parts = parts_of(servers, [null.step])
    for i in range(servers):
        assert sent(parts["ps", i]) == [(f"scalar/v{i}/read", "worker")]
    assert [job for _, job in sent(parts["worker", 0])] == ["ps"] * servers


@pytest.mark.parametrize("servers", [1, 2])
def test_rows_of_a_table(servers):
    """Ids to the servers, rows to the worker, updates of rows back."""
    null = nullstep.NullStep(tf, "sparse", servers, "/job:worker/task:0")
    parts = parts_of(servers, [null.step])
    for i in range(servers):
        ((name, job),) = sent(parts["ps", i])
        assert job == "worker" and "GatherV2" in name
    assert len(sent(parts["worker", 0])) == 2 * servers


def test_training():
    """The worker gets variables and the count, and sends gradients and the rate; server 2 reports to server 1."""
    with tf.device(tf.train.replica_device_setter(2, worker_device="/job:worker/task:0")):
        model = mnist.softmax(100)
    parts = parts_of(2, [model.train_step], [model.x, model.y_])
    w, b, step = tf.global_variables()
    assert sent(parts["ps", 0]) == sorted([(f"{v.op.name}/read", "worker") for v in (w, step)])
    assert [job for _, job in sent(parts["ps", 1])] == ["ps", "worker"]
    assert len(sent(parts["worker", 0])) == 4


def test_targets_that_join_others_are_kept_where_something_uses_them():
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(0.0)
        first = v.assign_add(1.0).op
    with tf.device("/job:worker/task:0"):
        with tf.control_dependencies([first]):
            join = tf.no_op(name="join")
        with tf.control_dependencies([join]):
            after = tf.constant(1.0) + tf.placeholder_with_default(2.0, [])
    alone = parts_of(1, [join])
    assert not alone["ps", 0].sends and not alone["worker", 0].program.nodes
    assert [n.name for n in alone["ps", 0].program.targets] == [first.name]
    used = parts_of(1, [join], fetches=[after])
    assert len(used["ps", 0].sends) == 1
    assert "join" in {n.name for n in used["worker", 0].program.nodes}


def test_joins_of_joins_and_targets_given_twice():
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(0.0)
        steps = [v.assign_add(1.0).op for _ in range(3)]
    with tf.device("/job:worker/task:0"):
        inner = tf.group(*steps[:2])
        outer = tf.group(inner, steps[1], steps[2])
    parts = parts_of(1, [outer, inner, steps[0]])
    assert sorted(n.name for n in parts["ps", 0].program.targets) == sorted(op.name for op in steps)
    assert not parts["ps", 0].sends
