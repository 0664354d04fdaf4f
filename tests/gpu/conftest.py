"""These tests reset the emulated GPUs of their process, so that process must have no others, but for the one in which
test_launch_records.py runs records.
"""

import os

import pytest


def pytest_collection_modifyitems(items):
    if os.environ.get("TFCORE_EMULATE_GPUS", "0") == "0" or os.environ.get("TFCORE_TEST_RECORDS_ON_GPU"):
        return
    for item in items:
        if os.path.dirname(item.path) == os.path.dirname(__file__):
            item.add_marker(pytest.mark.skip(reason="needs a process without GPUs of its own"))
