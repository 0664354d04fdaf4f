"""Runs what takes too long for CI: python -m tests.everything [PART ...]

Without names all parts run, one after the other, for many hours; --list shows them. Each part writes its log to
build/everything, and its result, with date and commit, to docs/everything.md. What a part needs and this machine lacks
is skipped by its tests, and its result says so.
"""

import argparse
import datetime
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build", "everything")
PAGE = os.path.join(ROOT, "docs", "everything.md")
TENSORFLOW = os.path.join(ROOT, "build", "tensorflow-venv", "bin", "python")
# Part -> the arguments of python, with variables of the environment before them.
PARTS = {
    "tensorflow": f"TFCORE_TENSORFLOW={TENSORFLOW} TFCORE_TEST_EFFORT=4 -m pytest tests/differential",
    "slurm": "-m pytest tests/distributed/cluster/test_slurm.py",
    "mpich": "-m pytest tests/distributed/cluster/test_mpich.py",
    "checkpoint files": "TFCORE_TEST_EFFORT=50 -m pytest tests/fuzz/test_checkpoint_files.py",
    "calls": "-X faulthandler -m tests.fuzz.ops --rounds 2000 --go-on",
    "large models": "TFCORE_TEST_EFFORT=3 -m pytest tests/onnx/test_models.py tests/saved_model/test_saved_model.py",
    "faults in tests": "TFCORE_TEST_EFFORT=5 TFCORE_TEST_FAULTS=20 -m pytest tests/distributed/membership "
    "tests/distributed/train",
    "errors of jobs": "TFCORE_TEST_EFFORT=2 -m pytest tests/distributed/cluster/test_last_error.py",
    "faults": "-m tests.distributed.membership.random_faults --faults 300",
    "kills": "-m tests.distributed.replicas.random_kills --kills 500",
    "kills with replicas": "-m tests.distributed.replicas.random_kills --kills 100 --replicas 2",
    "addresses": "-m tests.sanitize address,undefined",
    "threads": "-m tests.sanitize thread",
    "emulated GPU": "-m tests.emulated_gpu",
}
_ROW = re.compile(r"^\| ([^|]+) \| [^|]* \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.M)


def run(part):
    """Runs a part; returns whether it passed, and the last line that it printed."""
    os.makedirs(LOGS, exist_ok=True)
    path = os.path.join(LOGS, part.replace(" ", "-") + ".log")
    words = PARTS[part].split()
    variables = [word for word in words if re.match(r"TFCORE_\w+=", word)]
    environment = {**os.environ, **dict(word.split("=", 1) for word in variables)}
    with open(path, "w+", encoding="utf-8", errors="replace") as log:
        command = [sys.executable, *words[len(variables) :]]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        log.seek(0)
        lines = log.read().split("\n")
    return done.returncode == 0, next((line.strip() for line in reversed(lines) if line.strip()), "")


def commit():
    """The commit of this tree, with "+" where the tree differs from it."""
    command = ["git", "describe", "--always", "--abbrev=8", "--dirty=+", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def results(text):
    """{part: (result, time, date, commit)} of the table of a page."""
    return {part: tuple(rest) for part, *rest in _ROW.findall(text) if part in PARTS}


def table(known):
    """The lines of the table for such results; a part that never ran says so."""
    lines = ["| part | command | result | time | date | commit |", "| --- | --- | --- | --- | --- | --- |"]
    for part, command in PARTS.items():
        row = known.get(part, ("not run yet", "", "", ""))
        lines.append(f"| {part} | `{command.replace(ROOT + os.sep, '')}` | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def write(part, row):
    """Puts the result of a part into the page."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    known = results(text) | {part: row}
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text[: text.index("| part |")] + table(known))


def main():
    parser = argparse.ArgumentParser("python -m tests.everything", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="only these")
    parser.add_argument("--list", action="store_true", help="show the parts and end")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{part:20} {command}" for part, command in PARTS.items()))
        return
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    tree, failed = commit(), []  # before the page changes
    for part in options.parts or PARTS:
        print(f"== {part}", flush=True)
        start = time.monotonic()
        passed, said = run(part)
        minutes = (time.monotonic() - start) / 60
        verdict = "FAILED" if not passed else "skipped" if re.match(r"\d+ skipped", said) else "passed"
        result = f"{verdict}: {said}".replace("|", "/")
        write(part, (result, f"{minutes:.1f} min", datetime.date.today().isoformat(), tree))
        print(f"== {part}: {result}", flush=True)
        failed += [] if passed else [part]
    raise SystemExit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
