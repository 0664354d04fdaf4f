"""Programs with conditionals and loops over several tasks: run token by token in random orders they do what one task does."""

import os
import random

import pytest
from tfcore.core.executor import run_plan
from tfcore.core.kernel import ResourceManager

import tfcore as tf
from tests.compiler import nested
from tests.compiler.tokens import Machine
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, device_name
from tfcore.compiler.ir import build
from tfcore.compiler.partition import partition
from tfcore.compiler.place import Placer
from tfcore.compiler.program_def import from_graph_def, to_graph_def
from tfcore.core import edges

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
    """Runs the partitions of three tasks, which this process plays: their programs travel as bytes and meet in one plan."""
    compiler = Compiler(ResourceManager(), devices=Devices(NAMES, TASKS[1]))
    own, *others = partition(compiler.program(fetches, [], []), HOME)
    for part in others:
        own.program.nodes += from_graph_def(to_graph_def(part.program)).nodes
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
    before = edges.count()
    for got in results_of_tasks(fetches):
        assert got == expected
    for op in tf.get_default_graph().get_operations():
        op._set_device(f"/cpu:{rng.randrange(3)}")
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
        for _ in range(2):
            assert sess.run(fetches) == expected
    assert edges.count() == before
