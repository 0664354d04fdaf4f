"""The page docs/libraries.md."""

import datetime
import platform

HEAD = """# Libraries

Libraries that were written for TensorFlow 1 and run unmodified by `python -m tfcore.as_tensorflow --old-code`. `python
-m tests.libraries` makes an environment for each, runs its own tests and for some a program that trains, and writes
this page ([tests/libraries](../tests/libraries/README.md)).

"""

TAIL = """

Of Keras, tests that load data or weights from the network, start processes or read its own documentation do not run:
processes that are spawned import TensorFlow, and do not find tfcore. Of t3f's tests the line that enables eager
execution is removed, which they do not need. Of tensorflow-estimator, tests of TPUs, of tf.distribute and of boosted
trees do not run.
"""


def page(outcomes):
    """The page.

    Args:
      outcomes: A list of (Library, Outcome).
    """
    lines = [
        f"Written {datetime.date.today()}, with Python {platform.python_version()}.\n",
        "| library | version | what ran | passed | skipped | failed |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for library, outcome in outcomes:
        ran = "its tests"
        if library.parts:
            ran += " of " + " and ".join(f"`{part}`" for part in library.parts)
        if library.program:
            ran += f", [a program](../tests/libraries/programs/{library.program}.py)"
        failed = sum(map(len, outcome.failed.values()))
        lines.append(
            f"| {library.name} | {library.version} | {ran} | {outcome.passed} | {outcome.skipped} | {failed} |"
        )
    lines += ["", "## Why tests fail", "", "| library | tests | reason |", "| --- | --- | --- |"]
    for library, outcome in outcomes:
        for reason, names in outcome.failed.items():
            tests = ", ".join(f"`{name}`" for name in names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")
            lines.append(f"| {library.name} {library.version} | {tests} | {reason or 'not known yet'} |")
    return HEAD + "\n".join(lines) + TAIL
