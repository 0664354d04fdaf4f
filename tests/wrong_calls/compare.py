"""tfcore's outcomes beside TensorFlow's, and the list of known differences, differences.txt.

The list has a paragraph for each function: its name, then a line for each case, `argument: damage: theirs -> ours`.
Lines above the name that begin with "#" give reasons.
"""

import json
import os
import warnings

from tests.wrong_calls.calls import CALLS
from tests.wrong_calls.damages import find, outcomes

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "differences.txt")
TYPES = ("int32", "float32", "float64", "complex64", "bool", "uint8", "strings")  # damages that change the type only
CRASH = "crash"  # the outcome of a call that ends TensorFlow's process: not compared

with open(os.path.join(HERE, "tensorflow.json"), encoding="utf-8") as _file:
    RECORD = json.load(_file)


def exists(tf, name):
    """Whether tfcore has a function."""
    try:
        find(tf, name)
    except AttributeError:
        return False
    return True


def compare(tf, name):
    """{case: (theirs, ours)} of the cases of a function that differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both libraries warn about some of the values
        ours = outcomes(tf, name, CALLS[name])
    theirs = RECORD[name]
    if ours.keys() != theirs.keys():
        raise AssertionError(
            f"tensorflow.json is not of the calls of tf.{name}: python -m tests.wrong_calls.record {name}"
        )
    return {case: (theirs[case], ours[case]) for case in ours if theirs[case] not in (CRASH, ours[case])}


def compared(name):
    """The number of a function's cases that are compared."""
    return sum(outcome != CRASH for outcome in RECORD[name].values())


def does_more(case, theirs, ours):
    """Whether tfcore computes with a type for which TensorFlow has no kernel, or which its op's definition excludes."""
    return ours == "ok" and theirs != "ok" and case.rsplit(": ", 1)[-1] in TYPES


def read_list():
    """({name: {case: (theirs, ours)}}, {name: comment lines}) as in differences.txt."""
    known, comments, name, pending = {}, {}, None, []
    if not os.path.exists(LIST):
        return known, comments
    with open(LIST, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#"):
                pending.append(line)
            elif line.startswith("    "):
                case, theirs_and_ours = line.strip().rsplit(": ", 1)
                known[name][case] = tuple(theirs_and_ours.split(" -> "))
            elif line:
                name = line
                known[name] = {}
                comments[name] = pending
                pending = []
    return known, comments


def write_list(known):
    """Writes differences.txt, with the comments that it has."""
    comments = read_list()[1]
    paragraphs = []
    for name in sorted(known):
        if known[name]:
            lines = [f"    {case}: {theirs} -> {ours}" for case, (theirs, ours) in sorted(known[name].items())]
            paragraphs.append("\n".join([*comments.get(name, ()), name, *lines]))
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("\n\n".join(paragraphs) + "\n")


def rates(differences):
    """(cases, share that agrees, share that agrees or does more) of the functions in {name: {case: (theirs, ours)}}."""
    cases = sum(map(compared, differences))
    found = [(case, *both) for of_one in differences.values() for case, both in of_one.items()]
    more = sum(does_more(*difference) for difference in found)
    return cases, 1 - len(found) / cases, 1 - (len(found) - more) / cases
