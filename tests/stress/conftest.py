"""What stress tests share."""

import pytest
from tfcore.core.runtime import set_num_threads


@pytest.fixture
def many_threads():
    """Helpers take part though the machine may have few cores."""
    before = set_num_threads(6)
    yield
    set_num_threads(before)
