"""Random programs with random placements over two CPU devices and two GPUs give the values of the CPU."""

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.compiler import nested
from tests.compiler.test_property import Builder, instruction
from tfcore.core.device import gpu
from tfcore.core.rendezvous import rendezvous

PLACES = ["/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"]  # without a second GPU its operations are on the first
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 0.1))  # of the 300 programs that a release runs


def session():
    options = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    return tf.Session(config=options)


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left():
    before = rendezvous.count()
    yield
    assert rendezvous.count() == before
    assert all(gpu.gpu(i).memory_stats()["bytes_in_use"] < 1 << 20 for i in range(gpu.count()))


def place_at_random(graph, rng):
    for op in graph.get_operations():
        grouped = any(group != b"loc:@" + op.name.encode() for group in op.colocation_groups())
        if not grouped and rng.random() < 0.8:
            op._set_device(rng.choice(PLACES))


def results(fetches, feeds, init, variables):
    with session() as s:
        s.run(init)
        return [v for f in feeds for v in s.run(fetches, f)] + s.run(variables)


@settings(max_examples=int(150 * EFFORT))
@given(st.lists(instruction, min_size=1, max_size=25), st.integers(0, 2**32))
def test_straight_programs(program, seed):
    rng = random.Random(seed)
    with tf.Graph().as_default() as graph:
        built = Builder(program)
        fetches = [built.values[-1], *rng.choices(built.values, k=3)]
        init, variables = tf.global_variables_initializer(), [v._ref() for v in built.variables]
        values = np.random.RandomState(len(program))
        feeds = [{p: np.asarray(values.randn(*p.shape.as_list()), np.float32) for p in built.feeds} for _ in range(2)]
        with tf.device("/cpu:0"):
            for op in graph.get_operations():
                op._set_device("/cpu:0")
        expected = results(fetches, feeds, init, variables)
        place_at_random(graph, rng)
        for a, b in zip(results(fetches, feeds, init, variables), expected):
            scale = np.abs(b[np.isfinite(b)]).max(initial=1e-3) if np.size(b) else 1
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * scale)


@pytest.mark.parametrize("seed", range(int(150 * EFFORT)))
def test_loops_and_conditionals(seed):
    rng = random.Random(seed)
    block, numbers = nested.random_block(rng, 5, 2), [float(rng.randint(-3, 3)) for _ in range(3)]
    expected = nested.evaluate(block, numbers)
    with tf.Graph().as_default() as graph:
        first = [tf.placeholder(tf.float32, []) for _ in numbers]
        values = nested.with_api(block, first)
        place_at_random(graph, rng)
        with session() as s:
            for _ in range(2):
                found = s.run(values, dict(zip(first, numbers)))
                np.testing.assert_array_equal(found, expected)
