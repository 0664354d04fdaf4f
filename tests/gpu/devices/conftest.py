"""These tests need two emulated GPUs: `tests/gpu/test_devices.py` runs them in a process that has them.

With TFCORE_TEST_CARD=1 they run on a card instead.
"""

import os

import pytest


def pytest_collection_modifyitems(config, items):
    if os.environ.get("TFCORE_EMULATE_GPUS", "0") in ("0", "1") and os.environ.get("TFCORE_TEST_CARD", "0") == "0":
        for item in items:
            if os.path.dirname(item.path) == os.path.dirname(__file__):
                item.add_marker(pytest.mark.skip(reason="run by tests/gpu/test_devices.py"))


@pytest.fixture(autouse=True)
def graph():
    import tfcore as tf

    with tf.Graph().as_default() as graph:
        yield graph
