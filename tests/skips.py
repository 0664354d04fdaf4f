"""`pytest --check-skips`: ends with a table of what was skipped and why, and fails where a reason is not accepted here.

CI runs the tests with it: what is skipped there for want of a package is never run, and rots.
"""

import collections
import re

import pytest

# What a machine may lack, and what takes too long: `python -m tests.everything` runs it where it can.
ACCEPTED = [
    r"needs nvcc|.*\bnvcc\b.*",  # the compiler of CUDA
    r"there may be a GPU",
    r"needs \d+ cores",
    r"only root may become another user",
    r"hosts are made of network namespaces, .*",  # as root, with the system's command `ip`
    r"\w+ is not installed \(Debian: slurmctld, .*\)",
    r"srun --mpi=pmix needs .*",
    r"MPICH is not in this environment, .*",
    r"takes (\d+ GB of memory|seconds for each kill: .*)",
    r"set TFCORE_TEST_FAULTS to 20 or more",
    r"run by tests/gpu/test_devices\.py",  # in the processes that it starts
    r"got empty parameter set for \(case\)",  # tests/gpu/test_launch_records.py, in the process that it starts
    r"Not a test\.",  # TestCase.test_session, which pytest takes for one
]


def reason_of(report):
    """Why a test, or all of a file, was skipped."""
    return report.longrepr[2].removeprefix("Skipped: ")


def is_accepted(reason, more=()):
    """Whether CI may skip a test for this reason. `more`: beginnings of further accepted reasons."""
    return reason.startswith(tuple(more)) or any(re.fullmatch(pattern, reason, re.S) for pattern in ACCEPTED)


class Table:
    """The plugin of `--check-skips`."""

    def __init__(self, config):
        self._config = config
        self._reasons = collections.Counter()

    def _refused(self):
        return [r for r in self._reasons if not is_accepted(r, self._config.getoption("may_skip"))]

    def pytest_runtest_logreport(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            self._reasons[reason_of(report)] += 1

    pytest_collectreport = pytest_runtest_logreport

    def pytest_sessionfinish(self, session):
        if self._refused() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("skipped")
        for reason, count in self._reasons.most_common():
            terminalreporter.write_line(f"{count:6}  {reason}")
        for reason in self._refused():
            terminalreporter.write_line(f"not accepted by tests/skips.py: {reason}", red=True)
