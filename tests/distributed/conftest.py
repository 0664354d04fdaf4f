"""Fixtures of several files."""

import pytest

from tests.distributed.transport import simulated_mpi


@pytest.fixture
def three():
    """A simulated network, and the transport's endpoints of ranks 0, 1 and 2."""
    network, ends = simulated_mpi.endpoints(3)
    yield network, *ends
    network.check()


@pytest.fixture
def script(tmp_path):
    """A function that writes a program's source to a file and returns its path."""

    def write(source):
        path = tmp_path / "script.py"
        path.write_text(source)
        return str(path)

    return write
