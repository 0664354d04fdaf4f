"""Paragraphs that docstrings of many functions share."""

import inspect
import re
import textwrap


def documented_with(paragraphs):
    """Makes a decorator of functions and classes that fills shared paragraphs into their docstrings.

    Args:
      paragraphs: {name: text}; `{name}` on a line of its own, in a docstring or in another paragraph, stands for the
        text, whose lines are indented as that line is.
    """
    texts = {name: inspect.cleandoc(text) for name, text in paragraphs.items()}

    def fill(text):
        return re.sub(r"^( *)\{(\w+)\}$", lambda m: textwrap.indent(fill(texts[m[2]]), m[1]), text, flags=re.M)

    def documented(function):
        if function.__doc__:  # python -OO has none
            function.__doc__ = fill(function.__doc__)
        return function

    return documented
