"""Public functions that only add one operation; their docstrings come from its definition."""

import sys

from tfcore.framework.definitions.op_docs import describe


def wrapper(op_def, name, example=None):
    """Creates the public function for an element-wise op of `x`, or of `x` and `y`: `wrapper(Exp, "exp")` is `tf.exp`.

    Args:
      op_def: The `OpDef`, whose inputs are named x, or x and y.
      name: Name of the function.
      example: Lines of a doctest for the docstring.
    """
    if len(op_def.inputs) == 1:

        def function(x, name=None):
            return op_def(x, name=name)
    else:

        def function(x, y, name=None):
            return op_def(x, y, name=name)

    function.__name__ = function.__qualname__ = name
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    function.__doc__ = describe(op_def, example=example)
    return function


def described(op_def, example=None, shapes=None):
    """Decorator: adds the arguments and results of the op's definition to a docstring of one paragraph."""

    def complete(function):
        function.__doc__ = describe(op_def, function.__doc__, example, shapes)
        return function

    return complete
