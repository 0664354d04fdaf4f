"""Settings for all tests: Hypothesis without deadlines, the same examples at each run (unless TFCORE_TEST_EFFORT is
above 1), poisoned memory.

Tests marked `alone` come last, and no other test runs at the same time, in any process: these tests start processes, or
wait, and have limits that a busy machine would break. Those marked `processes` come before them. They wait most of the
time, and their limits leave room for another test beside them. A test of either kind that fails runs once more, as a
machine may stall for longer than any limit; the run ends with the first failure's text (`tests/reruns.py`).
"""

import collections
import contextlib
import fcntl
import gc
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import reruns, skips

# Before tfcore is imported: outputs that a kernel does not write are NaN, not what was there before.
os.environ.setdefault("TFCORE_POISON", "1")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# CUDA kernels that tests compile stay in the tree.
os.environ.setdefault("TFCORE_CACHE", os.path.join(ROOT, "build", "cache"))

settings.register_profile(
    "tfcore",
    deadline=None,
    max_examples=50,
    database=None,
    derandomize=float(os.environ.get("TFCORE_TEST_EFFORT", "1")) <= 1,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tfcore")
# Hypothesis also draws constants of the modules that are loaded: other ones in each process, even if derandomized.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

# Folders and files of ops/ whose tests run with the compiler's rewrites and without.
AT_BOTH_LEVELS = ("control_flow/", "gradients/", "state/test_stack.py", "state/test_tensor_array")
ALONE = ("distributed/transport", "stress")  # these folders as a whole
PROCESSES = ("distributed",)  # the rest of it
# `pytest -m quick`: the first and then every 50th test of each file, without those that are `slow` or `alone`; of the
# latter, only tests of clusters that start no processes. So there is something from every room, in two minutes on two
# cores.
QUICK_STEP = 50
QUICK_ALTHOUGH_ALONE = (
    "cluster/test_cluster.py",
    "collectives/test_collective_tree.py",
    "fabric/test_payload.py",
    "membership/test_detector.py",
    "partitions/test_receive_budget.py",
    "replicas/test_replica_order.py",
    "transport/test_transport.py",
)


def pytest_addoption(parser):
    parser.addoption(
        "--check-skips", action="store_true", help="list what was skipped; fail where a reason is not good"
    )
    parser.addoption("--may-skip", action="append", default=[], help="the beginning of one more accepted reason")


def pytest_configure(config):
    if config.getoption("check_skips") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(skips.Table(config))
    config.pluginmanager.register(reruns.FirstFailures())
    build_missing_levels(config)


def build_missing_levels(config):
    """Kernels are tested at every level that this processor runs. An editable install has built only the best one."""
    from tfcore.core.registry import registry

    if hasattr(config, "workerinput") or "TFCORE_LEVELS" in os.environ or not in_this_tree(registry):
        return
    if missing := set(registry.supported_levels()) - set(registry.available_levels()):
        print(f"building the kernels for {' and '.join(sorted(missing))}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "setup.py", "-q", "build_levels"], cwd=ROOT, check=True)


def pytest_sessionstart(session):
    """Says before a run of all tests how long it takes. (`-q` hides what `pytest_report_header` returns.)"""
    config = session.config
    if not hasattr(config, "workerinput") and config.args_source is not config.ArgsSource.ARGS:
        reporter = config.pluginmanager.getplugin("terminalreporter")
        reporter.write_line("all tests: about 35 minutes on 2 cores; -m quick: 2 minutes")


def in_this_tree(module):
    return os.path.samefile(os.path.dirname(module.__file__), os.path.join(ROOT, "tfcore", "core", "registry"))


def pytest_collection_modifyitems(items):
    for item in items:
        folder = os.path.relpath(item.path.parent, os.path.join(ROOT, "tests")).replace(os.sep, "/") + "/"
        if folder.startswith(tuple(f"{f}/" for f in ALONE)):
            item.add_marker(pytest.mark.alone)
        elif folder.startswith(tuple(f"{f}/" for f in PROCESSES)):
            item.add_marker(pytest.mark.processes)
        if when(item):
            item.add_marker(pytest.mark.flaky(reruns=1))
    mark_quick(items)
    items.sort(key=when)


def mark_quick(items):
    seen = collections.Counter()
    for item in items:
        path = os.path.relpath(item.path, os.path.join(ROOT, "tests", "distributed")).replace(os.sep, "/")
        if when(item) and path not in QUICK_ALTHOUGH_ALONE or item.get_closest_marker("slow"):
            continue
        if seen[item.path] % QUICK_STEP == 0:
            item.add_marker(pytest.mark.quick)
        seen[item.path] += 1


def pytest_collection_finish():
    """Tests collect garbage thousands of times, and need not look each time at all tests and what they imported."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc):
    path = os.path.relpath(metafunc.definition.path, os.path.join(ROOT, "tests", "ops")).replace(os.sep, "/")
    if path.startswith(AT_BOTH_LEVELS):
        metafunc.fixturenames.append("rewrites")
        metafunc.parametrize("rewrites", ["", "unoptimized"], indirect=True)


@pytest.fixture
def rewrites(request):
    from tests.unoptimized import unoptimized  # here: it imports tfcore

    with unoptimized() if request.param else contextlib.nullcontext():
        yield


@pytest.fixture(autouse=True)
def hide_gpus(request, monkeypatch):
    if request.node.get_closest_marker("cpu") is not None:
        monkeypatch.setenv("TFCORE_EMULATE_GPUS", "0")


def when(item):
    """0: first; 1: after the tests that compute; 2: last."""
    return 2 if is_alone(item) else 1 if item.get_closest_marker("processes") else 0


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
