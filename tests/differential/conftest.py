"""TensorFlow's process, one for all tests of this folder."""

import pytest

from tests.differential.peer import VARIABLE, TensorFlow, python


@pytest.fixture(scope="session")
def peer():
    if python() is None:
        pytest.skip(f"TensorFlow is not installed: {VARIABLE} names no Python interpreter that has it")
    with TensorFlow(python()) as process:
        yield process
