"""Paragraphs that docstrings of many functions share."""

import inspect
import re


def documented_with(paragraphs):
    """Makes a decorator of functions and classes that fills shared paragraphs into their docstrings.

    Args:
      paragraphs: {name: text}; `{name}` on a line of its own in a docstring stands for the text, whose lines are
        indented as that line is.
    """
    texts = {name: inspect.cleandoc(text).split("\n") for name, text in paragraphs.items()}

    def paragraph(match):
        return "\n".join(match[1] + line for line in texts[match[2]])

    def documented(function):
        if function.__doc__:  # python -OO has none
            function.__doc__ = re.sub(r"^( *)\{(\w+)\}$", paragraph, function.__doc__, flags=re.M)
        return function

    return documented
