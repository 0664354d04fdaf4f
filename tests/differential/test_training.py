"""Training programs, exported with their update operations, train the same in TensorFlow."""

import pytest

from tests.differential import training


@pytest.mark.parametrize("name", training.PROGRAMS)
def test_training(peer, name):
    deviations, _ = training.compare(name, peer)
    assert not deviations, "\n".join(map(repr, deviations))
