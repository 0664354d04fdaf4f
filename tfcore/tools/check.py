"""Runs a program and lists what its graph leaves open:

    python -m tfcore.tools.check program.py [arguments of the program]

Two operations of a step use one variable, at least one of them assigns to it, and no path of the graph says which one
runs first. TensorFlow may run them in either order. tfcore runs assignments in the order of their creation, and reads
before them; a control dependency makes the order that is meant explicit. Ends with status 1 if there are such pairs.

Pairs of two iterations are not listed. Only `parallel_iterations=1` orders the iterations of a loop.
"""

import argparse
import contextlib
import os
import runpy
import sys
from typing import NamedTuple

from tfcore.client.session import Session
from tfcore.compiler.access_order import find_frames, unordered_pairs
from tfcore.compiler.compile import program_checks


class OpenOrder(NamedTuple):
    """Two operations whose order is open; tfcore runs the first one first.

    variable: its name. first, second: `tf.Operation`s; for a read, perhaps the one that uses the value. assigns:
    whether the first one assigns, too.
    """

    variable: str
    first: object
    second: object
    assigns: bool

    def __str__(self):
        does = "assigns" if self.assigns else "reads"
        return (
            f"variable {self.variable!r}:\n"
            f"  {does} in {self.first.name!r} at {self.first.creation_line}\n"
            f"  assigns in {self.second.name!r} at {self.second.creation_line}"
        )


def open_orders(fetches, feeds=(), graph=None):
    """The pairs of operations whose order a step leaves open.

    Args:
      fetches: What a `Session.run` would fetch.
      feeds: The `Tensor`s that it would feed.
      graph: The `Graph` (default: the default graph).

    Returns:
      A list of `OpenOrder`s.
    """
    with watching() as found, Session(graph=graph) as sess:
        sess.make_callable(fetches, list(feeds))
    return list(found)


@contextlib.contextmanager
def watching():
    """Within the block, all steps that are run are checked: gives a dict to whose keys their `OpenOrder`s are added."""
    found = {}

    def check(compiler, fetches, feeds, targets):
        program = compiler.program(fetches, feeds, targets, rewritten=False, ordered=False)
        find_frames(program)
        consumers = program.consumers()
        for first, second, variable in unordered_pairs(program):
            assigns = first.writes()
            if first.op.creation_line == variable.op.creation_line:  # the Identity of a tf.Variable, whatever uses it
                users = [user for user in consumers.get((first, 0), ()) if user is not None]
                first = users[0] if users else first
            found[OpenOrder(variable.op.name, first.op, second.op, assigns)] = None

    program_checks.append(check)
    try:
        yield found
    finally:
        program_checks.remove(check)


def main(args=None):
    parser = argparse.ArgumentParser(
        "python -m tfcore.tools.check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="path of a Python program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(args)
    if not os.path.exists(options.program):
        parser.error(f"there is no program {options.program!r}")
    sys.argv = [options.program, *options.arguments]
    if not getattr(sys.flags, "safe_path", False):  # of Python 3.11: the path has no entry for the program
        sys.path[0] = os.path.dirname(os.path.realpath(options.program))
    with watching() as found:
        try:
            runpy.run_path(options.program, run_name="__main__")
        except SystemExit as end:
            if end.code:
                raise
    for pair in found:
        print(pair)
    count = len(found)
    print(f"{count} pair{'' if count == 1 else 's'} of operations whose order the graph leaves open")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
