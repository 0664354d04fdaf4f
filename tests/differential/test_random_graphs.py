"""Random graphs give the same in TensorFlow: values, gradients, and what comes back from there."""

import functools
import os

import pytest

from tests.differential import examine, runs

# TFCORE_TEST_EFFORT=4 draws four times as many.
GRAPHS_IN_A_GROUP = round(3 * float(os.environ.get("TFCORE_TEST_EFFORT", "1")))


@functools.cache
def _choices(peer):
    return runs.choices(peer)


def _check(peer, ops, smooth):
    def visit(graph):
        deviations = examine.examine(graph, peer, examine.Tally())
        assert not deviations, "\n".join(map(repr, deviations))

    runs.visit(_choices(peer)[smooth], ops, GRAPHS_IN_A_GROUP, 0, smooth, visit)


@pytest.mark.parametrize("smooth", [False, True], ids=["values", "gradients"])
@pytest.mark.parametrize("group", range(runs.N_GROUPS))
def test_random_graphs(peer, group, smooth):
    _check(peer, runs.groups(_choices(peer)[smooth])[group], smooth)


def test_every_op_is_drawn_or_excused(peer):
    reasons = runs.not_drawn(_choices(peer)[False])
    unexplained = [op for op, reason in reasons.items() if reason is None]
    assert not unexplained, f"ops without a record, which no graph has: {unexplained}"
