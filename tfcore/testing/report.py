"""Failure messages: the call, what went wrong, and a program that reproduces it."""

import contextlib
import functools
import os
import tempfile

import numpy as np

from tfcore.framework.errors import OpError
from tfcore.testing.records import Const

INLINE = 64  # the largest number of elements that are written out in a program


@contextlib.contextmanager
def explained(what, level=None):
    """Adds to the message of an AssertionError: a text, or a call and how to reproduce it."""
    try:
        yield
    except AssertionError as error:
        if isinstance(what, str):
            raise AssertionError(f"{error}\n{what}") from None
        raise AssertionError(_explanation(what, level, f": {error}")) from None
    except OpError as error:
        if isinstance(what, str):
            raise
        text = _explanation(what, level, f" fails with {type(error).__name__}: {error.message}")
        raise AssertionError(text) from error


def _explanation(call, level, what_happened):
    where = f" at level {level}" if level else ""
    return f"{call.op} [{call.case}]{where}{what_happened}\nin the call {call!r}\n{_program(call, level)}"


def _program(call, level):
    if call.case.record.build is not None:
        return "(built by the record's `build`: no program reproduces it)"
    files = []
    inputs = ", ".join(literal(value, files, call.op) for value in call.inputs)
    attrs = "".join(f", {name}={_attr(v)}" for name, v in {**call.explicit_types(), **call.attrs}.items())
    at = f", at_levels=[{level!r}]" if level else ""
    lines = ["import ml_dtypes, numpy as np, tfcore as tf", "from tfcore.testing import evaluate"]
    lines += [f"{name} = np.load({path!r}, allow_pickle=True){view}" for name, path, view in files]
    lines += [f"print(evaluate({call.op!r}, {inputs}{attrs}{at}))"]
    return "repeat it (after loading the library of your kernel) with\n" + "\n".join(f"    {line}" for line in lines)


def literal(value, files, op):
    """Python for an array. A large one is saved: `files` gets (its name in the program, its path, what follows it)."""
    if isinstance(value, list):
        return f"[{', '.join(literal(v, files, op) for v in value)}]"
    value = value.value if isinstance(value, Const) else value
    if value.size <= INLINE:
        name = "object" if value.dtype.kind == "O" else _type_name(value.dtype)
        items = repr(value.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
        return f"np.array({items}, {name}).reshape({value.shape})"
    return _saved(value, files, op)


def _saved(value, files, op):
    """Saves a large array to a file; returns its name in the program, which loads it.

    Shrinking fails many times: only the last example of each op is kept.
    """
    bits = value if value.dtype.name != "bfloat16" else value.view(np.uint16)
    name = f"x{len(files)}"
    path = os.path.join(_folder(), f"{op}_{name}.npy")
    np.save(path, bits, allow_pickle=True)
    files.append((name, path, "" if bits is value else ".view(ml_dtypes.bfloat16)"))
    return name


@functools.cache
def _folder():
    """The folder for this process. It is not deleted, as the programs are run later."""
    return tempfile.mkdtemp(prefix="tfcore_examples_")


def _type_name(dtype):
    return "ml_dtypes.bfloat16" if dtype.name == "bfloat16" else f"np.{dtype.name}"


def _attr(value):
    return f"tf.{value.name}" if hasattr(value, "as_datatype_enum") else repr(value)
