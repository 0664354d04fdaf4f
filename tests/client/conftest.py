import pytest

from tests.client import slow_kernels


@pytest.fixture(scope="session")
def slow(tmp_path_factory):
    return slow_kernels.build(tmp_path_factory.mktemp("slow"))
