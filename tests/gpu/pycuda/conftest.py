"""These tests run on emulated GPUs: `tests/gpu/test_devices.py` runs them in processes that have them."""

import importlib.util
import os

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
GPUS = os.environ.get("TFCORE_EMULATE_GPUS", "0")
if importlib.util.find_spec("pycuda") is None:
    REASON = "PyCUDA is not installed"
else:
    REASON = "run by tests/gpu/test_devices.py" if GPUS == "0" else ""
if REASON:
    collect_ignore_glob = ["test_*.py"]  # most import PyCUDA


def pytest_configure(config):
    config.addinivalue_line("markers", "two_gpus: needs a second GPU")


def pytest_collection_modifyitems(items):
    for item in items:
        if os.path.dirname(item.path) == HERE and GPUS == "1" and item.get_closest_marker("two_gpus"):
            item.add_marker(pytest.mark.skip(reason="needs a second GPU"))


@pytest.fixture(autouse=True)
def graph():
    import tfcore as tf

    with tf.Graph().as_default() as graph:
        yield graph
