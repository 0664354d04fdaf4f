"""Random programs of nested conditionals and loops: values, variables and gradients are those of plain Python.

TFCORE_TEST_EFFORT=10 draws ten times as many; `python -m tests.programs` as many as one likes.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.programs.check import check, check_imported, check_second_order
from tests.programs.language import Call, Choice, Loop, programs

EXAMPLES = round(60 * float(os.environ.get("TFCORE_TEST_EFFORT", "1")))


def draws(count):
    """Settings; `python -m tests.programs` also makes what fails simpler, which can take minutes."""
    checks = list(HealthCheck)
    return settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=checks
    )


@pytest.mark.parametrize("part", range(4))  # so that processes share them
def test_programs_do_what_python_does(part):
    @draws(EXAMPLES)
    @seed(part)
    @given(programs())
    def each(program):
        check(program)

    each()


@pytest.mark.parametrize("part", range(2))
def test_gradients_of_imported_programs(part):
    @draws(EXAMPLES)
    @seed(part)
    @given(programs())
    def each(program):
        check_imported(program)

    each()


@pytest.mark.parametrize("part", range(2))
def test_gradients_of_second_order(part):
    answers = []

    @draws(EXAMPLES // 3)
    @seed(part)
    @given(programs(2))
    def each(program):
        answers.append(check_second_order(program))

    each()
    assert sum(answers) > len(answers) // 2


def depth(block):
    """How deep conditionals and loops are in each other, and what there is."""
    deepest, found = 0, set()
    for statement in block.statements:
        for part in statement if isinstance(statement, list) else [statement]:
            found.add(type(part))
            if isinstance(part, Call):
                found.add(part.operation)
            for inner in [
                getattr(part, name) for name in ("body", "then", "otherwise", "block") if hasattr(part, name)
            ]:
                below, more = depth(inner)
                deepest, found = max(deepest, 1 + below), found | more
    return deepest, found


def test_programs_are_deep_and_have_everything():
    depths, seen = [], set()

    @draws(150)
    @seed(0)
    @given(programs())
    def each(program):
        deepest, found = depth(program.block)
        depths.append(deepest)
        seen.update(found)

    each()
    assert max(depths) == 3 and {Choice, Loop, "matmul", "row"} <= seen
