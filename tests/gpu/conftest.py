"""These tests reset the emulated GPUs of their process, so that process must have no others, but for those in which
test_launch_records.py runs records and test_on_card.py launches kernels.
"""

import os

import pytest


def pytest_collection_modifyitems(items):
    has_gpus = os.environ.get("TFCORE_EMULATE_GPUS", "0") != "0"
    if not has_gpus or any(map(os.environ.get, ("TFCORE_TEST_RECORDS_ON_GPU", "TFCORE_TEST_CARD"))):
        return
    for item in items:
        if os.path.dirname(item.path) == os.path.dirname(__file__):
            item.add_marker(pytest.mark.skip(reason="needs a process without GPUs of its own"))
