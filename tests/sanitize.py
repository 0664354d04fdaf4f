"""Builds a copy of the tree with sanitizers and runs tests in it: python -m tests.sanitize address,undefined|thread

The copy lies in build/sanitize-<which> and is built again only where files changed. A report is a failure, whatever the
tests say; reports and the tests' stderr stay in reports/ of the copy. Options:

  --levels baseline,avx2   instruction-set levels to build (default: all; for `thread`: baseline)
  --effort 0.3             of the tests that draw examples (TFCORE_TEST_EFFORT)
  --build-only             leaves the tests out
  paths and other arguments after -- go to pytest instead of the usual tests

Needs GCC and its sanitizer libraries.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ("tfcore", "tests", "kernels_c", "bench", "setup.py", "pyproject.toml", "README.md")
PRODUCTS = shutil.ignore_patterns("__pycache__", "*.so", "*.o", ".*", "build")

# What each sanitizer is loaded with, told, and asked to look at. Pieces, so that results come early.
CORE = ["tests/stress/test_core.py", "tests/stress/test_session.py", "tests/core", "tests/client", "tests/compiler"]
# GCC 12's ThreadSanitizer ends a child that starts threads after a fork ("dup thread"); the other sanitizers run these.
FORKS = [
    "tests/stress/test_session.py::test_forks_while_steps_run",
    "tests/client/test_threads.py::test_a_forked_child_runs_sessions",
    "tests/client/test_threads.py::test_a_child_forked_while_threads_run",
    "tests/distributed/test_fabric_failures.py::test_fork",
]
# tfcore.run starts mpirun with the sanitizer, and GCC 12's ThreadSanitizer ends one that starts daemons on other hosts. With
# it, tasks that train the convolutional network are too slow to give a sign of life in time.
HOSTS = [
    "tests/distributed/test_launch.py::test_hosts",
    "tests/distributed/test_hosts.py::test_digits_are_learnt_across_hosts[4-4-200-options4]",
]
# Processes that these tests start inherit what the sanitizer needs.
CLUSTER = ["tests/distributed"]
# Processes wait for each other this many times longer before a test says that they hang.
PATIENCE = {"TFCORE_TEST_PATIENCE": "10"}
# What a test demands of the time that something takes, or of the processor time, is not for programs so slow.
TIMED = [
    "tests/distributed/test_fabric.py::test_waiting_costs_no_core",
    "tests/distributed/test_link.py::test_waiting_takes_no_processor_time",
    "tests/distributed/test_failure.py::test_a_killed_process_is_noticed",
    "tests/distributed/test_failure.py::test_a_frozen_process_is_noticed_and_not_left_behind",
]


def deselected(tests):
    return [f"--deselect={test}" for test in tests]


KINDS = {
    "address,undefined": {
        "libraries": ("libasan.so", "libubsan.so"),
        # Python's own allocator hides its objects, and what they hold from the search for leaks.
        "environment": {"PYTHONMALLOC": "malloc", **PATIENCE},
        # A size beyond all memory is an error that the tests want to see, not a report. Leaks alone do not change the
        # exit status, as the interpreter has some of its own.
        "options": {
            "ASAN_OPTIONS": "allocator_may_return_null=1,detect_stack_use_after_return=1,abort_on_error=1,exitcode=0",
            # Ends the process as AddressSanitizer does: a test that catches what a child writes still sees its exit status.
            "UBSAN_OPTIONS": "print_stacktrace=1,halt_on_error=1",
        },
        "pieces": [
            CORE,
            [*CLUSTER, *deselected(TIMED)],
            [
                "tests/ops",
                "tests/train",
                "tests/layers",
                "tests/framework",
                "tests/errors",
                "tests/test_errors_table.py",
                "tests/test_errors_dangerous.py",
            ],
            ["tests/test_fuzz.py"],
            ["tests/test_records.py"],
        ],
        "levels": "",
    },
    "thread": {
        "libraries": ("libtsan.so",),
        # Shared memory of Open MPI wants addresses that ThreadSanitizer has taken; UCX watches madvise, which a thread
        # calls at its very end, where ThreadSanitizer crashes.
        "environment": {"PMIX_MCA_gds": "hash", "UCX_MEM_EVENTS": "n", **PATIENCE},
        "options": {"TSAN_OPTIONS": "die_after_fork=0,history_size=5,exitcode=0"},
        # Open MPI takes two of its own locks in either order; what it and UCX do in signal handlers is theirs.
        "suppressions": [
            "deadlock:libopen-pal.so",
            "deadlock:libmpi.so",
            "signal:libprrte.so",
            "signal:libpmix.so",
            "signal:libucs.so",
        ],
        "pieces": [[*CORE, *deselected(FORKS)], [*CLUSTER, *deselected(FORKS + TIMED + HOSTS)]],
        "levels": "baseline",
    },
}

# What AddressSanitizer remarks where malloc returns NULL, as allocator_may_return_null asks for. No report.
REFUSED = "WARNING: AddressSanitizer failed to allocate"
LEAKS = "ERROR: LeakSanitizer: detected memory leaks"
OURS = re.compile(r"#1 .* in .*(kernels_c|tfcore/core|tfcore/distributed|build/generated)/")  # called malloc


def mirror(target):
    """Copies what changed, so that the build of the copy stays incremental; removes what is no longer there."""
    for name in COPIED:
        source = os.path.join(ROOT, name)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(target, name), ignore=PRODUCTS, copy_function=copy, dirs_exist_ok=True)
            for folder, _, files in os.walk(os.path.join(target, name)):
                origin = os.path.join(ROOT, os.path.relpath(folder, target))
                for file in set(files) - PRODUCTS(folder, files):
                    if not os.path.exists(os.path.join(origin, file)):
                        os.remove(os.path.join(folder, file))
        elif os.path.exists(source):
            copy(source, os.path.join(target, name))


def copy(source, target):
    if not os.path.exists(target) or os.path.getmtime(source) != os.path.getmtime(target):
        shutil.copy2(source, target)


def runtime_library(name):
    path = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(path):
        raise SystemExit(f"gcc has no {name}: install its sanitizer libraries")
    return path


def environment(which, reports):
    """For processes that load the sanitized libraries: reports/report.<process> is what each of them finds."""
    kind = KINDS[which]
    env = {**os.environ, "LD_PRELOAD": " ".join(runtime_library(name) for name in kind["libraries"])}
    env.update(kind["environment"])
    for variable, options in kind["options"].items():
        env[variable] = f"{options},log_path={reports}/report"
    if kind.get("suppressions") and os.path.isdir(reports):
        path = os.path.join(reports, "suppressions")
        with open(path, "w") as f:
            f.write("\n".join(kind["suppressions"]) + "\n")
        env["TSAN_OPTIONS"] += f",suppressions={path}"
    return env


def build(which, target, levels):
    mirror(target)
    env = {**os.environ, "TFCORE_SANITIZE": which, "TFCORE_LEVELS": levels}
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=target, env=env, check=True)


def test(which, target, pieces, effort):
    """Runs the pieces; returns whether tests failed or anything was reported."""
    reports = os.path.join(target, "reports")
    shutil.rmtree(reports, ignore_errors=True)
    os.makedirs(reports)
    env = environment(which, reports)
    if effort:
        env["TFCORE_TEST_EFFORT"] = effort
    failed = False
    for number, piece in enumerate(pieces):
        print("pytest", *piece, flush=True)
        workers = ["-n", "0"] if which == "thread" else []  # the threads of one process need the cores
        # UBSan writes to stderr, where pytest must not catch it.
        with open(os.path.join(reports, f"stderr.{number}"), "wb") as stderr:
            command = [sys.executable, "-m", "pytest", "-s", *workers, *piece]
            failed |= subprocess.run(command, cwd=target, env=env, stderr=stderr).returncode != 0
    for path in sorted(glob.glob(os.path.join(reports, "[rs]*.*"))):
        failed |= show(path)
    return failed


def show(path):
    """Prints what a sanitizer wrote to a file, the same place once; returns whether there was anything."""
    with open(path, errors="replace") as f:
        lines = [line for line in f.read().splitlines() if REFUSED not in line]
    if os.path.basename(path).startswith("report."):
        text = without_the_interpreters_leaks("\n".join(lines))
        print(text, end="\n" if text else "")
        return bool(text)
    found = {}
    for line in lines:
        if ": runtime error: " in line:
            found.setdefault(line.split(": runtime error: ")[0], line)
    print("\n".join(found.values()), end="\n" if found else "")
    return bool(found)


def without_the_interpreters_leaks(text):
    """A report; of one about leaks, only those that code of ours has allocated."""
    if LEAKS not in text:
        return text
    before, _, leaks = text.partition(LEAKS)
    errors = before if "ERROR: " in before else ""
    return errors + "\n\n".join(leak for leak in leaks.split("\n\n") if OURS.search(leak))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=sorted(KINDS))
    parser.add_argument("--levels")
    parser.add_argument("--effort")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("arguments", nargs="*", help="for pytest")
    args = parser.parse_args()
    target = os.path.join(ROOT, "build", "sanitize-" + args.which.replace(",", "-"))
    os.makedirs(target, exist_ok=True)
    build(args.which, target, KINDS[args.which]["levels"] if args.levels is None else args.levels)
    if args.build_only:
        return 0
    pieces = [args.arguments] if args.arguments else KINDS[args.which]["pieces"]
    failed = test(args.which, target, pieces, args.effort)
    print("FAILED" if failed else "nothing found")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
