"""Settings for all tests: Hypothesis without deadlines, the same examples at each run, poisoned memory.

Tests marked `alone` come last, and no other test runs beside one of them, in whichever process: they start processes,
or wait, and have limits that a busy machine would break.
"""

import fcntl
import os

import pytest
from hypothesis import HealthCheck, settings

# Before tfcore is imported: outputs that a kernel does not write are NaN, not what was there before.
os.environ.setdefault("TFCORE_POISON", "1")

settings.register_profile(
    "tfcore",
    deadline=None,
    max_examples=50,
    database=None,
    derandomize="TFCORE_TEST_EFFORT" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tfcore")

ALONE = ("distributed", "stress")  # these folders as a whole


def pytest_collection_modifyitems(items):
    for item in items:
        if os.path.basename(os.path.dirname(item.path)) in ALONE:
            item.add_marker(pytest.mark.alone)
    items.sort(key=is_alone)


def is_alone(item):
    return item.get_closest_marker("alone") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with open(__file__) as file:  # any file that the processes of a run have in common
        fcntl.flock(file, fcntl.LOCK_EX if is_alone(item) else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # a forked child that is left has the file open, too
