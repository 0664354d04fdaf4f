"""These tests run on two emulated GPUs: `tests/gpu/test_devices.py` runs them in a process that has them.

With TFCORE_TEST_CARD=1 they run on the GPUs of the machine instead, but for those that need what it has not.
"""

import os

import pytest

from tfcore.gpu import driver

MARKS = {
    "two_gpus": "needs a second GPU",
    "emulated_gpu": "needs what only an emulated GPU has: its process, its small memory, its checks of handles",
}
ON_CARD = os.environ.get("TFCORE_TEST_CARD", "0") != "0" and not driver.emulation_is_wanted()


def pytest_configure(config):
    for name, why in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {why}")


def reason_to_skip(item):
    """Why a test of this folder can't run in this process, or None."""
    if not ON_CARD:
        wanted = os.environ.get("TFCORE_EMULATE_GPUS", "0") not in ("0", "1")
        return None if wanted else "run by tests/gpu/test_devices.py"
    from tfcore.core.device import gpu

    lacking = {"two_gpus": gpu.count() < 2, "emulated_gpu": True}
    return next((why for name, why in MARKS.items() if lacking[name] and item.get_closest_marker(name)), None)


def pytest_collection_modifyitems(config, items):
    for item in items:
        if os.path.dirname(item.path) == os.path.dirname(__file__):
            if reason := reason_to_skip(item):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def graph():
    import tfcore as tf

    with tf.Graph().as_default() as graph:
        yield graph
