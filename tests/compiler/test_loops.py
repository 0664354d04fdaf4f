"""Programs with control flow over several tasks, run in random orders, give the same results as one task."""

import os
import random

import numpy as np
import pytest
from tfcore.core.registry.kernel import ResourceManager
from tfcore.core.step.executor import run_plan

import tfcore as tf
from tests.compiler import nested
from tests.compiler.tokens import Machine
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, device_name
from tfcore.compiler.ir import build
from tfcore.compiler.partition import partition
from tfcore.compiler.place import Placer
from tfcore.compiler.program_def import ProgramDef, to_graph_def
from tfcore.core.rendezvous import rendezvous

EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 1))
TASKS = [("worker", 0, i) for i in range(3)]
NAMES = [device_name(task, index=i) for task in TASKS for i in range(2)]
RANKS = {task: i for i, task in enumerate(TASKS)}
HOME = device_name(TASKS[1])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def program_of(fetches, feeds=(), targets=()):
    program = build(list(fetches), list(feeds), list(targets))
    Placer(Devices(NAMES, TASKS[1])).place(program)
    return program


def parts_of(fetches, feeds=()):
    program = program_of(fetches, feeds)
    return partition(program, HOME, RANKS)


@pytest.mark.parametrize("seed", range(int(150 * EFFORT)))
def test_random_programs(seed):
    rng = random.Random(seed)
    block = nested.random_block(rng, 5, 2)
    numbers = [float(rng.randint(-4, 4)) for _ in range(3)]
    expected = nested.evaluate(block, numbers)
    window = rng.choice([1, 2, 10])
    several = rng.choice([1, 2])
    places = [n for n in NAMES if n.endswith(("CPU:0", f"CPU:{several - 1}"))]
    builder = nested.Builder(lambda: rng.choice(places), window)
    with tf.device(rng.choice(NAMES)):
        first = [(tf.constant(x), builder.root) for x in numbers]
    fetches = [tf.identity(t) for t, _ in builder.block(block, first, builder.root)]
    alone = program_of(fetches)
    assert Machine([alone], rng, window=window).run(alone.fetches) == expected
    for skips in (False, True):
        parts = parts_of(fetches)
        machine = Machine([p.program for p in parts], rng, skips, window)
        assert machine.run(parts[0].program.fetches) == expected


def results_of_tasks(fetches):
    """Runs the partitions of three tasks in this process, from one plan; their programs are sent as bytes."""
    compiler = Compiler(ResourceManager(), devices=Devices(NAMES, TASKS[1]))
    own, *others = partition(compiler.program(fetches, [], []), HOME)
    for part in others:
        own.program.nodes += ProgramDef(to_graph_def(part.program)).program().nodes
    plan = compiler.lower(own.program)
    plan.verify()
    return [run_plan(plan, []) for _ in range(2)]


@pytest.mark.parametrize("seed", range(int(60 * EFFORT)))
def test_the_executor_runs_them(seed):
    rng = random.Random(seed)
    block = nested.random_block(rng, 5, 2)
    numbers = [float(rng.randint(-4, 4)) for _ in range(3)]
    expected = nested.evaluate(block, numbers)
    builder = nested.Builder(lambda: rng.choice(NAMES), rng.choice([1, 2, 10]))
    with tf.device(rng.choice(NAMES)):
        first = [(tf.constant(x), builder.root) for x in numbers]
    fetches = [tf.identity(t) for t, _ in builder.block(block, first, builder.root)]
    before = rendezvous.count()
    for got in results_of_tasks(fetches):
        assert got == expected
    for op in tf.get_default_graph().get_operations():
        op._set_device(f"/cpu:{rng.randrange(3)}")
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
        for _ in range(2):
            assert sess.run(fetches) == expected
    assert rendezvous.count() == before


# ---- What crosses


def on(task):
    return tf.device(f"/job:worker/task:{task}")


def edges_of(parts):
    """(name of what is sent, sender, receiver, whether in each iteration) for each pair."""
    found = {}
    for part in parts:
        for node in part.program.nodes:
            if node.type in ("_Send", "_Recv"):
                end = found.setdefault(node.attrs["_edge"], {})
                end[node.type] = part.task[2], bool(node.controls)
                end["name"] = node.attrs["tensor_name"].decode().split("_", 2)[2]
    return sorted((e["name"], e["_Send"][0], e["_Recv"][0], e["_Recv"][1]) for e in found.values())


def test_what_crosses_in_each_iteration():
    x = tf.placeholder(tf.float32, [100], name="x")

    def body(i, y):
        with on(2):
            z = tf.add(y, tf.reduce_sum(x) * 2.0, name="z")
        return i + 1, z * 3.0

    with on(1):
        out = tf.while_loop(lambda i, _: i < 5, body, [0, 1.0], name="w")[1]
    found = edges_of(parts_of([out], [x]))
    assert found == [
        ("w/Identity_1", 1, 2, True),
        ("w/LoopCond", 1, 2, True),  # which drives the loop there
        ("w/z", 2, 1, True),
        ("x:0", 1, 2, False),  # the same in all iterations; constants do not cross at all
    ]


def test_who_only_takes_values_tells_how_far_it_is():
    def body(i, y, kept):
        with on(0):
            kept = tf.add(kept, y, name="kept")
        return i + 1, tf.exp(y), kept

    out = tf.while_loop(lambda i, *_: i < 5, body, [0, 1.0, 1.0], name="k")[2]
    found = edges_of(parts_of([out]))
    there = [name for name, a, b, inside in found if (a, b, inside) == (1, 0, True)]
    back = [name for name, a, b, inside in found if (a, b, inside) == (0, 1, True)]
    assert there == ["k/Identity_1", "k/LoopCond"]
    assert len(back) == 1 and back[0].startswith("k/LoopCond/_")


def test_conditionals_in_one_task_cross_as_values_do():
    p, x = tf.placeholder(tf.bool, [], name="p"), tf.placeholder(tf.float32, [], name="x")

    def far():
        with on(2):
            return tf.exp(x + 1.0, name="e")

    with on(1):
        out = tf.cond(p, far, lambda: x * 2.0, name="c")
    found = edges_of(parts_of([out], [p, x]))
    assert [(name, a, b) for name, a, b, _ in found if a == 2] == [("c/e", 2, 1)]
    assert not any(inside for *_, inside in found)
    marks = [
        n.attrs["_may_be_dead"] for part in parts_of([out], [p, x]) for n in part.program.nodes if n.type == "_Recv"
    ]
    assert any(marks)


def test_a_loop_without_a_predicate_can_not_be_shared():
    enter = {"frame_name": "f", "parallel_iterations": 10}
    ops = tf.raw_ops
    with on(1):
        merge = ops.Merge(inputs=[ops.Enter(data=tf.constant(0), **enter)] * 2).output
    with on(2):
        more = merge + merge
    with on(1):
        switch = ops.Switch(data=more, pred=tf.equal(more, more))
        merge.op._update_input(1, ops.NextIteration(data=switch.output_true))
        out = ops.Exit(data=switch.output_false)
    with pytest.raises(tf.errors.InvalidArgumentError, match="A cross-device loop must have a pivot predicate: f"):
        parts_of([out])


def test_devices_of_one_process_change_no_bit():
    """Programs with variables, and gradients of programs without."""

    def results(fetches):
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
            sess.run(tf.global_variables_initializer())
            return [[np.float32(x).tobytes() for x in sess.run(fetches)] for _ in range(2)]

    for seed in range(int(30 * EFFORT)):
        rng = random.Random(seed)
        with tf.Graph().as_default() as graph:
            first = [tf.constant(float(rng.randint(-4, 4))) for _ in range(3)]
            if seed % 2:
                variables = [tf.Variable(float(i)) for i in range(2)]
                values = nested.with_api(
                    nested.random_block(rng, 5, 2, variables=2), first, nested.State(variables, first[0])
                )
                more = [v._ref() for v in variables]
            else:
                values = nested.with_api(nested.random_block(rng, 5, 2), first)
                more = [g for g in tf.gradients(values[3:], first) if g is not None]
            fetches = [*[tf.identity(v) for v in values], *more]
            expected = results(fetches)
            for op in graph.get_operations():
                if op.colocation_groups() == [b"loc:@" + op.name.encode()] and op.type != "VariableV2":
                    op._set_device(f"/cpu:{rng.randrange(3)}")
            assert results(fetches) == expected, seed
