"""Random programs of nested conditionals and loops in TensorFlow: tfcore's GraphDefs with its gradients give the same,
and the gradients that TensorFlow makes of an exported MetaGraphDef, contexts and all, are the same."""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.programs.check import check_in
from tests.programs.language import programs

EXAMPLES = round(15 * float(os.environ.get("TFCORE_TEST_EFFORT", "1")))


@pytest.mark.parametrize("part", range(2))
def test_programs(peer, part):
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @seed(part)
    @given(programs())
    def each(program):
        check_in(peer, program)

    each()
