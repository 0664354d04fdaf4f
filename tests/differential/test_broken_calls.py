"""Wrong calls raise the class of error that they raise in TensorFlow."""

import pytest

from tests.differential import broken_calls, runs

CALLS_OF_AN_OP = 4
N_GROUPS = 10


@pytest.mark.parametrize("group", range(N_GROUPS))
def test_broken_calls(peer, group):
    choice = runs.choices(peer)[False]

    def visit(broken):
        if broken is not None:
            _, _, deviation = broken_calls.compare(broken, peer)
            assert deviation is None, repr(deviation)

    for op in broken_calls.ops(choice)[group::N_GROUPS]:
        runs.visit_all(broken_calls.broken_calls(choice, op), CALLS_OF_AN_OP, 0, visit)
