"""Frozen graphs with assignments give in TensorFlow what the graphs with variables give in tfcore."""

import numpy as np
import pytest

from tests.framework.assigning_graphs import GRAPHS, X, frozen


@pytest.mark.parametrize("name", GRAPHS)
def test_frozen_assignments(peer, name):
    graph_def, expected = frozen(GRAPHS[name])
    steps = [{"feeds": {"x:0": x}, "fetches": ["out:0"]} for x in X]
    answer = peer.ask(graph=graph_def.SerializeToString(), steps=steps)
    assert "error" not in answer, answer["error"]
    np.testing.assert_allclose([values["out:0"] for values in answer["values"]], expected, rtol=1e-6)
