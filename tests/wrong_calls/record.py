"""Writes tensorflow.json, what TensorFlow makes of each wrong call: PYTHON -m tests.wrong_calls.record [NAME ...]

PYTHON has TensorFlow 2.21, which is told to behave as version 1. The calls run in other processes, as some wrong calls
end TensorFlow's: such a call's outcome is "crash", and the next process continues after it. With names, only those
functions are asked again.
"""

import json
import os
import subprocess
import sys

from tests.wrong_calls.calls import CALLS

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "tensorflow.json")
BATCH = 40
LIMIT_S = 900  # for the calls of a batch; one that hangs counts as one that crashes


def ask(names):
    """{name: {case: outcome}}"""
    found = {name: {} for name in names}
    while True:
        started = None
        for line in _answers(found):
            name, case, outcome = json.loads(line)
            started = None if outcome else (name, case)
            found[name][case] = outcome
        if started is None:
            return found
        print("crash:", *started, flush=True)
        found[started[0]][started[1]] = "crash"


def _answers(known):
    """The lines of a new process that runs the cases that are not known yet."""
    command = [sys.executable, "-m", "tests.wrong_calls.record", "--run"]
    env = {
        **os.environ,
        "TF_USE_LEGACY_KERAS": "1",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }
    known = json.dumps({name: list(cases) for name, cases in known.items()})
    try:
        done = subprocess.run(
            command, input=known, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, timeout=LIMIT_S, text=True
        )
        output = done.stdout
        assert _MARK in output or done.returncode == 0, f"{command} ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        output = error.stdout.decode()
    return [line[len(_MARK) :] for line in output.splitlines() if line.startswith(_MARK)]


_MARK = "@case "  # before the lines that are not the functions' own output


def answer(known):
    """Prints a line when a case begins and one with its outcome."""
    import tensorflow.compat.v1 as tf

    from tests.wrong_calls.damages import case_name, plan, run

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    for name, done in known.items():
        for case in plan(tf, CALLS[name]):
            if case_name(*case) not in done:
                print(_MARK + json.dumps([name, case_name(*case), None]), flush=True)
                outcome = run(tf, name, CALLS[name], *case)
                print("\n" + _MARK + json.dumps([name, case_name(*case), outcome]), flush=True)


def main(names):
    found = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as file:
            found = {name: value for name, value in json.load(file).items() if name in CALLS}
    names = names or [name for name in CALLS if name not in found]
    for first in range(0, len(names), BATCH):
        found.update(ask(names[first : first + BATCH]))
        with open(RECORD, "w", encoding="utf-8") as file:
            lines = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
            file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        answer(json.load(sys.stdin))
    else:
        main(sys.argv[1:])
