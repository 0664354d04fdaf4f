"""The op type of users' CUDA kernels; tf.gpu.cuda_kernel makes such operations.

The kernels are compiled by `tfcore/gpu/user_source.py`, not through the PyCUDA package, so that neither the session nor
another task needs that. A node has all of its kernel in attributes, and `kernels_cuda/functions/cuda_kernel.c` launches
it without Python.
"""

import math
import operator

from tfcore.framework.definitions.op_def import define_op, undefined_gradient

_OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
    "cdiv": lambda a, b: -(-a // b),
}


def evaluate(text, shapes):
    """What a program for sizes computes.

    Args:
      text: in the notation of `kernels_cuda/functions/size_program.h`.
      shapes: of the inputs: tuples of int and None, or None for an unknown rank.

    Returns:
      A list of sizes, None where they are not known; None if it is not known how many there are.

    Raises:
      ValueError: there is no such dimension, or the text is not a program.
    """
    try:
        return _evaluate(text, shapes)
    except IndexError:
        raise ValueError(f"'{text}' is not a program for sizes of {len(shapes)} inputs") from None


def _evaluate(text, shapes):
    stack = []
    for word in text.split():
        if word in _OPERATIONS:
            b, a = stack.pop(), stack.pop()
            known = None not in (a, b) and (b or word not in ("//", "%", "cdiv"))  # a step says that it divides by zero
            stack.append(_OPERATIONS[word](a, b) if known else None)
        elif word[0] != "i":
            stack.append(int(word))
        else:
            found = _property(word, shapes)
            if found is None:
                return None
            stack += found
    return stack


def _property(word, shapes):
    number, _, what = word[1:].partition(".")
    dims = shapes[int(number)]
    if ":" in what:
        first, _, end = what.partition(":")
        return None if dims is None else dims[int(first) : int(end) if end else None]
    if dims is None:
        return [None]
    if what == "size":
        return [0 if 0 in dims else None if None in dims else math.prod(dims)]
    if what == "ndim":
        return [len(dims)]
    if not -len(dims) <= int(what) < len(dims):
        raise ValueError(f"input {number} has no dimension {what}: its rank is {len(dims)}")
    return [dims[int(what)]]


def _shapes(op):
    shapes = [t.dims for t in op.inputs]
    found = [evaluate(text.decode(), shapes) for text in op.attrs["shapes"]]
    for dims in found:
        if any(size is not None and size < 0 for size in dims or ()):
            raise ValueError(f"an output of {op.attrs['function'].decode()} would have the shape {tuple(dims)}")
    return [None if dims is None else tuple(dims) for dims in found]


CudaKernel = define_op(
    "CudaKernel",
    inputs=["inputs: Tin"],
    outputs=["outputs: Tout"],
    attrs=[
        "source: string",
        "function: string",
        "shapes: list(string)",
        "grid: string",
        "block: string",
        "shared: string = '0'",
        "scalars: list(string) = []",
        "scalar_types: list(type) = []",
        "in_place: list(int) = []",
        "options: list(string) = []",
        "Tin: list(type) >= 0",
        "Tout: list(type) >= 1",
    ],
    shape=_shapes,
    doc="""Launches `function`, a kernel in the CUDA C++ of `source`.

    Sizes are programs (kernels_cuda/functions/size_program.h): the shapes of the outputs, grid, block and shared
    memory. A scalar is "=" and its bits as a number, or a program. Output i takes the place of input in_place[i], if
    that is not negative. The options are those of nvcc.""",
)
undefined_gradient("CudaKernel")
