"""Builds a copy of the tree with sanitizers and runs tests in it: python -m tests.sanitize address,undefined|thread

The copy is build/sanitize-<which>; files that did not change are not built again. A report is a failure, whatever the
tests say. Reports and the tests' stderr are kept in reports/ of the copy. Options:

  --quick                  what a change is most likely to break, at one level and low effort
  --levels baseline,avx2   instruction-set levels to build (default: all; for `thread`: baseline)
  --effort 0.3             share of the usual examples and rounds (TFCORE_TEST_EFFORT)
  --build-only             don't run tests
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

from tfcore.core.registry.registry import supported_levels

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ("tfcore", "tests", "kernels_c", "kernels_cuda", "bench", "setup.py", "pyproject.toml", "README.md")
# What Cython made of the tree need not be made again; like any build, one of a copy looks which modules have changed.
COPIED += ("build/cython",)
PRODUCTS = shutil.ignore_patterns("__pycache__", "*.so", "*.o", ".*", "build")

# The tests each sanitizer runs, in pieces, so that results come early.
CORE = ["tests/stress/test_core.py", "tests/stress/test_session.py", "tests/core", "tests/client", "tests/compiler"]
IMPORTERS = [
    "tests/io",
    *[f"tests/framework/test_{name}.py" for name in ("importer", "importer_fuzz", "graph_def", "frozen")],
]
# Device processes are not sanitized: they define the callbacks of ThreadSanitizer themselves.
EMULATOR = [f"tests/gpu/test_emulated_{name}.py" for name in ("driver", "contexts", "process")]
# A sanitizer reports the fault and ends the process with a status of its own. Its own memory is more than the last test
# allows.
UNSANITIZED = [
    f"tests/gpu/test_emulated_process.py::{name}"
    for name in (
        "test_host_code_that_touches_device_memory_faults",
        "test_a_host_function_that_touches_device_memory_faults",
        "test_freed_pinned_memory_faults",
        "test_a_system_that_does_not_overcommit_is_enough",
    )
]
# Of the core, what starts threads, cancels, waits or shares memory.
THREADS = [
    "tests/stress/test_core.py",
    *[
        f"tests/core/test_{name}.py"
        for name in ("executor", "frames", "frames_random", "memory", "rendezvous", "progress")
    ],
    *[f"tests/client/test_{name}.py" for name in ("threads", "cancel", "run_options", "plan_cache", "partial")],
    *[f"tests/ops/queues/test_{name}.py" for name in ("queue", "barrier", "queue_model", "accumulator", "stage")],
    "tests/data",
    "tests/ops/io/test_reader.py",
    "tests/ops/state/test_lookup.py",
    "tests/variables/test_resource_variable.py",
]
# GCC 12's ThreadSanitizer kills a child that starts threads after a fork ("dup thread"). The others run these.
FORKS = [
    "tests/stress/test_session.py::test_forks_while_steps_run",
    "tests/client/test_threads.py::test_a_forked_child_runs_sessions",
    "tests/client/test_threads.py::test_a_child_forked_while_threads_run",
    "tests/data/test_iterator.py::test_a_forked_child_drops_an_iterator_whose_threads_it_has_not",
    "tests/distributed/fabric/test_fabric_failures.py::test_fork",
    "tests/ops/queues/test_queue.py::test_a_child_uses_queues_of_its_own",
    "tests/ops/functions/test_py_func.py::test_functions_wait_for_each_other_in_a_child_that_was_forked_in_a_function",
]
# tfcore.run passes the sanitizer on to mpirun, which GCC 12's ThreadSanitizer kills when it starts daemons on other
# hosts. Tasks that train the convolutional network under it are too slow to send their heartbeats in time.
HOSTS = [
    "tests/distributed/cluster/test_launch.py::test_hosts",
    "tests/distributed/membership/test_restart_hosts.py",
    "tests/distributed/cluster/test_hosts.py::test_digits_are_learnt_across_hosts[4-4-200-options4]",
]
# Slurm's daemons and MPICH would run with the sanitizer. What these tests launch is tested without them, too.
LAUNCHERS = ["tests/distributed/cluster/test_slurm.py", "tests/distributed/cluster/test_mpich.py"]
# Processes that these tests start inherit the sanitizer.
CLUSTER = ["tests/distributed"]
# Messages between tasks, of which a quick run has time for these.
MESSAGES = ["tests/distributed/fabric/test_fabric.py", "tests/distributed/fabric/test_fabric_calls.py"]
# Time limits are this many times longer.
PATIENCE = {"TFCORE_TEST_PATIENCE": "10"}
# These demand how long something takes, or how much processor time, which does not hold for programs so slow.
TIMED = [
    "tests/distributed/fabric/test_fabric.py::test_waiting_costs_no_core",
    "tests/distributed/transport/test_transport_mpi.py::test_waiting_takes_no_processor_time",
    "tests/distributed/membership/test_failure.py::test_a_killed_process_is_noticed",
    "tests/distributed/membership/test_failure.py::test_a_frozen_process_is_noticed_and_not_left_behind",
]
# Sanitizers take terabytes of addresses before a limit on them can be set.
ADDRESSES = [
    "tests/distributed/fabric/test_fabric_failures.py::test_fork_with_few_addresses",
    "tests/distributed/fabric/test_fabric_calls.py::test_who_has_no_memory_for_an_answer_says_so",
]
# GCC 12's ThreadSanitizer takes a thread that could not be started for one that is there ("dup thread").
NO_THREAD = [
    "tests/client/test_cancel.py::test_signals_reach_steps_although_the_watcher_had_no_thread_at_first",
    "tests/ops/functions/test_py_func.py::test_a_function_waits_for_another_one_although_there_was_no_thread_at_first",
]
# Sanitizers keep freed memory for a while, and the allocator keeps none: how much is resident then says nothing.
RESIDENT = ["tests/core/test_memory_varying.py", "tests/ops/state/test_lookup.py::test_removed_entries_take_no_memory"]


def deselected(tests):
    return [f"--deselect={test}" for test in tests]


KINDS = {
    "address,undefined": {
        "libraries": ("libasan.so", "libubsan.so"),
        # Python's allocator would hide its objects from AddressSanitizer, and what they refer to from LeakSanitizer.
        "environment": {"PYTHONMALLOC": "malloc", **PATIENCE},
        # Tests ask for more memory than there is and expect an error, not a report. Leaks alone don't change the exit
        # status: the interpreter has some of its own.
        "options": {
            "ASAN_OPTIONS": "allocator_may_return_null=1,detect_stack_use_after_return=1,abort_on_error=1,exitcode=0",
            # Ends the process, as AddressSanitizer does: tests that capture a child's output still see its exit status.
            "UBSAN_OPTIONS": "print_stacktrace=1,halt_on_error=1",
        },
        "pieces": [
            [*CORE, *EMULATOR, *deselected(UNSANITIZED + RESIDENT)],
            [*CLUSTER, *deselected(TIMED + ADDRESSES + LAUNCHERS)],
            [
                "tests/data",
                "tests/ops",
                "tests/train",
                "tests/variables",
                "tests/layers",
                "tests/framework",
                "tests/errors",
                "tests/test_errors_table.py",
                "tests/test_errors_dangerous.py",
                *deselected(RESIDENT),
            ],
            ["tests/test_fuzz.py"],
            ["tests/test_records.py"],
        ],
        "quick": [
            ["tests/core", "tests/data", *IMPORTERS, *EMULATOR, *deselected(UNSANITIZED + RESIDENT)],
            [*MESSAGES, *deselected(TIMED + ADDRESSES)],
            ["tests/test_records.py"],
        ],
        "levels": "",
    },
    "thread": {
        "libraries": ("libtsan.so",),
        # Open MPI wants shared memory at addresses that ThreadSanitizer has taken. UCX intercepts madvise, which a
        # thread calls as it ends, where ThreadSanitizer crashes.
        "environment": {"PMIX_MCA_gds": "hash", "UCX_MEM_EVENTS": "n", **PATIENCE},
        "options": {"TSAN_OPTIONS": "die_after_fork=0,history_size=5,exitcode=0"},
        # Not our code: Open MPI takes two of its own locks in either order; it and UCX do much in signal handlers. A
        # thread that ends frees the stacks of others that ended before, under a lock of glibc that ThreadSanitizer
        # does not see.
        "suppressions": [
            "deadlock:libopen-pal.so",
            "deadlock:libmpi.so",
            "signal:libprrte.so",
            "signal:libpmix.so",
            "signal:libucs.so",
            "race:_dl_deallocate_tls",
        ],
        "pieces": [
            [*CORE, *EMULATOR, *deselected(UNSANITIZED + FORKS + NO_THREAD + RESIDENT)],
            [*CLUSTER, *deselected(FORKS + TIMED + HOSTS + ADDRESSES + LAUNCHERS)],
        ],
        "quick": [
            [*THREADS, *EMULATOR, *deselected(UNSANITIZED + FORKS + NO_THREAD)],
            [*MESSAGES, *deselected(FORKS + TIMED + ADDRESSES)],
        ],
        "levels": "baseline",
    },
}

# A remark, not a report: malloc returned NULL, as allocator_may_return_null asks for.
REFUSED = "WARNING: AddressSanitizer failed to allocate"
LEAKS = "ERROR: LeakSanitizer: detected memory leaks"
# GCC 12: it may crash at the end of a process in which a thread ends meanwhile. What that process leaks is not known.
CRASH = "LeakSanitizer has encountered a fatal error"
OURS = re.compile(r"#1 .* in .*(kernels_c|tfcore/core|tfcore/distributed|tfcore/gpu|build/cython)/")  # called malloc


def mirror(target):
    """Copies the files that changed, so that the copy is built incrementally, and removes those that are gone."""
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


def environment(which, reports, levels):
    """Environment of processes that load the sanitized libraries: each writes what it finds to reports/report.<pid>."""
    kind = KINDS[which]
    env = {
        **os.environ,
        "TFCORE_LEVELS": levels,
        "TFCORE_TEST_SANITIZE": which,  # for what tests compile themselves
        "LD_PRELOAD": " ".join(runtime_library(name) for name in kind["libraries"]),
    }
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


def test(which, target, levels, pieces, effort):
    """Runs the pieces; returns whether tests failed or anything was reported."""
    reports = os.path.join(target, "reports")
    shutil.rmtree(reports, ignore_errors=True)
    os.makedirs(reports)
    env = environment(which, reports, levels)
    if effort:
        env["TFCORE_TEST_EFFORT"] = effort
    failed = False
    for number, piece in enumerate(pieces):
        print("pytest", *piece, flush=True)
        workers = ["-n", "0"] if which == "thread" else []  # the threads of one process need the cores
        # UBSan writes to stderr, where pytest must not catch it.
        with open(os.path.join(reports, f"stderr.{number}"), "wb") as stderr:
            command = [sys.executable, "-m", "pytest", "-s", *workers, *piece]
            if not workers:  # the process that only waits for the workers: LeakSanitizer may crash at its end
                command[1:3] = [
                    "-c",
                    "import os, pytest; code = pytest.main(); print(end='', flush=True); os._exit(code)",
                ]
            failed |= subprocess.run(command, cwd=target, env=env, stderr=stderr).returncode != 0
    for path in sorted(glob.glob(os.path.join(reports, "[rs]*.*"))):
        failed |= show(path)
    return failed


def show(path):
    """Prints what a sanitizer wrote to a file, each place in the source once; returns whether there was anything."""
    with open(path, errors="replace") as f:
        lines = [line for line in f.read().splitlines() if REFUSED not in line]
    if os.path.basename(path).startswith("report."):
        text = without_the_interpreters_leaks("\n".join(lines))
        if CRASH in text and "ERROR: " not in text:
            print(f"{os.path.basename(path)}: LeakSanitizer crashed; the leaks of this process are not known")
            return False
        print(text, end="\n" if text else "")
        return bool(text)
    found = {}
    for line in lines:
        if ": runtime error: " in line:
            found.setdefault(line.split(": runtime error: ")[0], line)
    print("\n".join(found.values()), end="\n" if found else "")
    return bool(found)


def without_the_interpreters_leaks(text):
    """The report; of leaks, only those of memory that our code allocated."""
    if LEAKS not in text:
        return text
    before, _, leaks = text.partition(LEAKS)
    errors = before if "ERROR: " in before else ""
    return errors + "\n\n".join(leak for leak in leaks.split("\n\n") if OURS.search(leak))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=sorted(KINDS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--levels")
    parser.add_argument("--effort")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("arguments", nargs="*", help="for pytest")
    args = parser.parse_intermixed_args()  # options may stand on both sides of `which`
    kind = KINDS[args.which]
    target = os.path.join(ROOT, "build", "sanitize-" + args.which.replace(",", "-"))
    os.makedirs(target, exist_ok=True)
    levels = args.levels if args.levels is not None else supported_levels()[-1] if args.quick else kind["levels"]
    build(args.which, target, levels)
    if args.build_only:
        return 0
    pieces = [args.arguments] if args.arguments else kind["quick" if args.quick else "pieces"]
    failed = test(args.which, target, levels, pieces, args.effort or ("0.1" if args.quick else ""))
    print("FAILED" if failed else "nothing found")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
