"""Runs a program written for TensorFlow 1 in tfcore and in TensorFlow, and compares what its sessions return.

    python -m tests.differential.programs --tf PYTHON [--runs 200] [--cwd FOLDER] PROGRAM [ARGUMENT ...]

PYTHON is the interpreter of an environment that has TensorFlow. The program runs in each library as it is, in a process
of its own, from FOLDER (its own by default), with the same seeds and the same initial values of its variables, until
it ends or has called `Session.run` so many times. Compared are the values of these calls, in order, and the last values
of the variables of open sessions. Exit status: 0 if no difference is above the tolerance, else 1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from tests.differential.peer import python

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program_runner.py")


def run_both(interpreter, command, runs=200, cwd=None, timeout=600):
    """Runs a program in both libraries.

    Args:
      interpreter: The Python that has TensorFlow.
      command: The program's path and arguments.
      runs: After how many calls of `Session.run` it is stopped.
      cwd: Where it runs; its own folder by default.
      timeout: Seconds for each library.

    Returns:
      A pair of dicts from names to arrays, tfcore's and TensorFlow's, and the seconds that each took.

    Raises:
      subprocess.CalledProcessError: The program failed.
    """
    program = os.path.abspath(command[0])
    results, seconds = [], []
    with tempfile.TemporaryDirectory() as folder:
        settings = {"runs": runs, "initial": os.path.join(folder, "initial.npz")}
        for library, executable in (("tfcore", sys.executable), ("tensorflow", interpreter)):
            settings |= {"library": library, "first": not results, "out": os.path.join(folder, f"{library}.npz")}
            path = os.path.join(folder, "settings.json")
            with open(path, "w") as file:
                json.dump(settings, file)
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([_ROOT, os.environ.get("PYTHONPATH", "")])}
            start = time.monotonic()
            subprocess.run(
                [executable, _RUNNER, path, program, *command[1:]],
                cwd=cwd or os.path.dirname(program),
                env=environment,
                stdout=subprocess.DEVNULL,
                check=True,
                timeout=timeout,
            )
            seconds.append(time.monotonic() - start)
            with np.load(settings["out"]) as file:
                results.append(dict(file))
    return results, seconds


def difference(ours, theirs):
    """The largest difference of two arrays, relative to TensorFlow's largest value; infinite for other shapes."""
    if ours.shape != theirs.shape:
        return float("inf")
    if ours.size == 0:
        return 0.0
    ours, theirs = (np.asarray(x, np.complex128 if x.dtype.kind == "c" else np.float64) for x in (ours, theirs))
    if not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
        return float("inf")
    finite = np.isfinite(theirs)
    if not finite.any():
        return 0.0
    return float(np.abs(ours - theirs)[finite].max() / max(1e-3, np.abs(theirs[finite]).max()))


def compare(ours, theirs):
    """All differences, as a dict from names; infinite for values that only one of the two has."""
    return {
        name: difference(ours[name], theirs[name]) if name in ours and name in theirs else float("inf")
        for name in {**ours, **theirs}
    }


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.differential.programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", metavar="PYTHON", default=python(), help="interpreter that has TensorFlow")
    parser.add_argument("--runs", type=int, default=200, help="calls of Session.run to compare")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--cwd", metavar="FOLDER")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each library")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM [ARGUMENT ...]")
    arguments = parser.parse_args()
    if not arguments.tf or not arguments.command:
        parser.error("--tf PYTHON and a PROGRAM are needed")
    results, seconds = run_both(arguments.tf, arguments.command, arguments.runs, arguments.cwd, arguments.timeout)
    differences = compare(*results)
    wrong = {name: value for name, value in differences.items() if not value <= arguments.tolerance}
    for name in list(wrong)[:10]:
        print(f"{name}: {wrong[name]:.3g}")
    calls = len({name.partition(",")[0] for name in differences if name.startswith("run ")})
    variables = sum(name.startswith("session ") for name in differences)
    print(
        f"{len(differences)} values of {calls} calls and {variables} variables, largest difference "
        f"{max(differences.values(), default=0.0):.2g}; tfcore {seconds[0]:.1f} s, TensorFlow {seconds[1]:.1f} s"
    )
    return 1 if wrong or not differences else 0


if __name__ == "__main__":
    sys.exit(main())
