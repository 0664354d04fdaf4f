"""Kernels of users as operations: tf.gpu.cuda_kernel."""

import hashlib
import itertools
import numbers

import numpy as np

from tfcore.composed.cuda import sizes
from tfcore.composed.cuda import source as cuda_source
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.functions.cuda_kernel import CudaKernel

_count = itertools.count()
# Types of scalars that sizes convert to.
_SIZES = frozenset([dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64, dtypes.float32, dtypes.float64])


def cuda_kernel(
    source, name, inputs, outputs, grid, block, shared=0, constants=None, scalars=(), in_place=None, gradient=None,
    op_name=None, options=(),
):  # fmt: skip
    """Launches a kernel of your own, written in CUDA C++, as an operation of the graph.

    The source is compiled for the GPU on which the operation is placed, when a session first runs it; the result is
    kept in `TFCORE_CACHE`. A step launches the kernel without Python, as it does tfcore's own kernels: it appears in
    traces, is replayed in CUDA graphs, and runs on GPUs of other tasks, which get its source with the graph.

    The kernel's parameters are, in this order: a pointer for each input, `const` as others may read the same memory; a
    pointer for each output, whose memory is not initialised; the scalars. They are compared with the source when the
    operation is made. Unknown pointer types, such as your own structs, accept any tensor. Tensors are dense, and
    aligned to their elements only: check the alignment before reading float4.

    Sizes may depend on the shapes of the inputs: each is an int, a tuple, or a function that gets an object with
    `shape`, `size` (the number of elements) and `ndim` for each input. The function is called once, and what it
    computes is evaluated again in each step. It computes with + - * // % and the methods `ceil_div(n)`, `min(n)` and
    `max(n)` of sizes; it can't compare sizes.

    Args:
      source: CUDA C++, or the path of a file whose name ends in .cu. What it includes by quotes, from its own folder or
        by a full path, becomes part of the source.
      name: Name of the kernel, a `__global__` function with its declaration written out. Templates have no name: call
        them from such a function.
      inputs: A list of `Tensor`s, or values that convert to them. They may have all types but strings and resources.
      outputs: A list of pairs (type, shape), or one such pair.
      grid: Number of blocks: up to three sizes. If any is 0, nothing is launched.
      block: Number of threads of a block: up to three sizes.
      shared: Bytes of dynamic shared memory of a block.
      constants: A dict: macros that are defined before the source, with a number, a bool or a string. A
        Python float is a double in C, an `np.float32` a float.
      scalars: Values of the parameters after the pointers: numbers, which get the parameter's type, or functions as
        above. NumPy's numbers must have exactly that type.
      in_place: A dict {output: input} of positions. The output starts with the input's value and shares its pointer;
        the input is copied first if something else still reads it.
      gradient: A function that gets the `Operation` and a gradient for each output, and returns one, or None, for each
        input. Without it there is none, unless `tf.custom_gradient` gives one.
      op_name: Name of the operation (optional; the kernel's by default).
      options: A list of nvcc's options for the code: -DNAME=VALUE, --use_fast_math, --fmad=false, --maxrregcount=32,
        --std=c++20 and the like; C++17 is the default. An emulated GPU heeds macros and the standard.

    Returns:
      A `Tensor`, or a list of them if `outputs` is a list.

    Raises:
      OSError: The file can't be read.
      TypeError: A size can't be computed from shapes alone.
      ValueError: The source has no such kernel, or its parameters don't match, or there is no such option.
      tf.errors.InvalidArgumentError: At run time, the source can't be compiled, a size is out of range, or the
        operation is placed on a device other than a GPU.

    Example:

        source = '''
        __global__ void scale(const float* x, float* y, float by, long n) {
          long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
          if (i < n) y[i] = by * x[i];
        }'''
        y = tf.gpu.cuda_kernel(
            source,
            "scale",
            [x],
            (tf.float32, lambda x: x.shape),
            grid=lambda x: x.size.ceil_div(256),
            block=256,
            scalars=[0.5, lambda x: x.size],
        )
    """
    from tfcore.gpu import user_source  # here: it takes long to import

    inputs = [convert_to_tensor(value) for value in inputs]
    is_list = isinstance(outputs, list)
    pairs = [_output(pair, name) for pair in (outputs if is_list else [outputs])]
    user_source.check_options(options)
    source, label = cuda_source.read(source, name)
    call = _Call(name, inputs, [dtype for dtype, _ in pairs])
    given = call.check(cuda_source.parameters(source, name, constants), list(scalars))
    results = CudaKernel(
        inputs,
        source=cuda_source.complete(source, label, name, constants),
        function=name,
        shapes=[call.program(f"the shape of output {i}", shape) for i, (_, shape) in enumerate(pairs)],
        grid=call.program("grid", grid),
        block=call.program("block", block),
        shared=call.program("shared", shared),
        scalars=[text for text, _ in given],
        scalar_types=[dtype for _, dtype in given],
        in_place=call.in_place(in_place or {}),
        options=list(options),
        Tout=[dtype for dtype, _ in pairs],
        name=op_name or name.lstrip("_") or "CudaKernel",
    )
    if gradient is not None:
        _set_gradient(results[0].op, gradient)
    return results if is_list else results[0]


def _output(pair, name):
    try:
        dtype, shape = pair
        return dtypes.as_dtype(dtype), shape.as_list() if isinstance(shape, TensorShape) else shape
    except (TypeError, ValueError) as error:
        raise type(error)(f"cuda_kernel {name}: an output is a pair (type, shape), but got {pair!r}: {error}") from None


def _set_gradient(op, gradient):
    """As gradient_override_map: the graph owns the function.

    A graph of another process may be imported into this one: a kernel has the gradient of no other kernel.
    """
    kernel = [op.attrs[name] for name in ("source", "function", "options", "scalars")]
    digest = hashlib.sha256(repr(kernel).encode()).hexdigest()[:12]
    key = f"CudaKernel-{digest}-{next(_count)}"
    op.graph.gradient_functions[key] = gradient
    op.attrs = {**op.attrs, "_gradient_op_type": key.encode()}


class _Call:
    """The arguments of a call, beside the parameters of its kernel."""

    def __init__(self, name, inputs, types):
        self._name, self._inputs, self._types = name, inputs, types

    def program(self, what, value):
        try:
            return sizes.trace(value, [None if t.dims is None else len(t.dims) for t in self._inputs])
        except Exception as error:
            raise TypeError(f"cuda_kernel {self._name}: {what}: {error}") from error

    def in_place(self, pairs):
        """The attribute: an input for each output, or -1."""
        found = [-1] * len(self._types)
        for output, source in pairs.items():
            if not (0 <= output < len(found) and 0 <= source < len(self._inputs)) or source in found:
                raise ValueError(
                    f"cuda_kernel {self._name}: in_place is {pairs}, but there are {len(self._inputs)} inputs, and "
                    f"{len(found)} outputs, each of which can take the place of one"
                )
            if self._inputs[source].dtype.base_dtype != self._types[output]:
                raise ValueError(f"cuda_kernel {self._name}: output {output} and input {source} differ in their types")
            found[output] = source
        return found if pairs else []

    def check(self, declarations, scalars):
        """[(text, DType)] of the scalars.

        Raises:
          ValueError: the arguments fit none of the kernel's declarations.
        """
        for parameters in declarations:
            problem = self._problem(parameters, scalars)
            if problem is None:
                rest = parameters[len(self._inputs) + len(self._types) :]
                return [self._scalar(i, value, p) for i, (value, p) in enumerate(zip(scalars, rest))]
        listing = ", ".join(p.text for p in declarations[-1])
        given = ", ".join(self._described(scalars))
        raise ValueError(
            f"cuda_kernel {self._name}: {problem}.\n  The kernel is {self._name}({listing})\n  and gets {given}"
        )

    def _described(self, scalars):
        inputs = [f"input {t.name} of {t.dtype.base_dtype.name}" for t in self._inputs]
        outputs = [f"output {i} of {dtype.name}" for i, dtype in enumerate(self._types)]
        return [*inputs, *outputs, *(f"scalar {i}, {value!r}" for i, value in enumerate(scalars))]

    def _problem(self, parameters, scalars):
        """What is wrong, or None."""
        count = len(self._inputs) + len(self._types) + len(scalars)
        if len(parameters) != count:
            return f"it has {len(parameters)} parameters, but {count} arguments"
        given = self._described(scalars)
        types = [*(t.dtype.base_dtype for t in self._inputs), *self._types]
        for i, (p, dtype) in enumerate(zip(parameters, types)):
            if not p.is_pointer or p.types is not None and dtype not in p.types:
                return f"parameter {i}, '{p.text}', does not fit {given[i]}"
            if not p.is_const and i < len(self._inputs):
                return f"parameter {i}, '{p.text}', must be const, as others may read {given[i]}"
        for i, p in enumerate(parameters[len(types) :], len(types)):
            if p.is_pointer or p.types == ():
                return f"parameter {i}, '{p.text}', does not fit {given[i]}"
        return None

    def _scalar(self, i, value, p):
        """The text of a scalar, and its type."""
        dtype = p.types[0] if p.types else None
        if isinstance(value, np.generic):
            own = dtypes.as_dtype(value.dtype)
            if dtype not in (None, own):
                raise ValueError(f"cuda_kernel {self._name}: scalar {i} is a {own.name}, but '{p.text}' a {dtype.name}")
            dtype = own
        if dtype is None or dtype.size > 8:
            raise ValueError(f"cuda_kernel {self._name}: scalar {i} for '{p.text}' has no type that can be passed")
        if callable(value):
            if dtype not in _SIZES:
                raise ValueError(f"cuda_kernel {self._name}: scalar {i}, a size, can't be a {dtype.name}, '{p.text}'")
            return self.program(f"scalar {i}", value), dtype
        return f"={self._bits(i, value, dtype, p)}", dtype

    def _bits(self, i, value, dtype, p):
        """A number's bytes, as an integer."""
        kind = numbers.Number if dtype.is_complex else numbers.Real
        fits = isinstance(value, (kind, np.generic)) and isinstance(value, (bool, np.bool_)) == dtype.is_bool
        if fits and dtype.is_integer:
            fits = dtype.min <= value <= dtype.max and value == int(value)
        if not fits:
            raise ValueError(f"cuda_kernel {self._name}: scalar {i} is {value!r}, which '{p.text}' can't hold")
        with np.errstate(over="ignore"):
            return int.from_bytes(np.array(value).astype(dtype.as_numpy_dtype).tobytes(), "little")
