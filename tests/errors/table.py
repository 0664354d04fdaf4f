"""The notation of the table of wrong programs.

A program is a function of (tf, sess): `sess` is a session on the default graph. It raises at the line that is marked
`# <- wrong`, or returns a function without arguments that does, any number of times, whose error tells of the
marked line (the statement that made the operation at fault). Programs use `tf` only, so that they also run under
`tensorflow.compat.v1`, to compare.
"""

import inspect

PROGRAMS = {}


class Program:
    """A wrong program, and what its error must be."""

    def __init__(self, function, cls, parts, op):
        self.function = function
        self.cls = cls
        self.parts = parts
        self.op = op
        lines, first = inspect.getsourcelines(function)
        marked = [first + i for i, text in enumerate(lines) if "# <- wrong" in text]
        assert len(marked) == 1, f"{function.__name__}: one line is marked as wrong, not {len(marked)}"
        self.file, self.line = inspect.getsourcefile(function), marked[0]


def wrong(cls, *parts, op=None):
    """Enters a program: the name of its error's class, regular expressions for parts of the text, the operation."""

    def enter(function):
        theme = function.__module__.rpartition(".")[2]
        key = f"{theme}/{function.__name__}"
        assert key not in PROGRAMS, f"two programs are called {key}"
        PROGRAMS[key] = Program(function, cls, parts, op)
        return function

    return enter
