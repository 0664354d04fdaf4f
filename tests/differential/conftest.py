"""TensorFlow's process, one for all tests of this folder."""

import pytest

from tests.differential.peer import NOT_INSTALLED, TensorFlow, python


@pytest.fixture(scope="session")
def peer():
    if python() is None:
        pytest.skip(NOT_INSTALLED)
    with TensorFlow(python()) as process:
        yield process
