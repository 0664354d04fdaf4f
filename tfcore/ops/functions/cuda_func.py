"""Python functions that work on GPUs as operations: tf.gpu.cuda_func."""

import inspect

from tfcore.core.registry.py_func import PyFunction, functions
from tfcore.core.registry.registry import kernels_are_in
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.types import dtypes
from tfcore.ops.functions.py_func import SIGNATURE, add_call

CudaFunc = define_op(
    "CudaFunc", stateful=True, doc="Calls the Python function registered as `token`, for work on a GPU.", **SIGNATURE
)
CudaFuncStateless = define_op(
    "CudaFuncStateless",
    doc="Calls the Python function registered as `token`, which has no side effects, for work on a GPU.",
    **SIGNATURE,
)
kernels_are_in("tfcore.core.device.cuda_func", ["CudaFunc", "CudaFuncStateless"])


class _CudaFunction(PyFunction):
    """gradient: a gradient function for the op, or None. takes_stream: the function has a parameter `stream`."""

    def __init__(self, func, gradient):
        super().__init__(func)
        self.gradient = gradient
        self.takes_stream = _has_parameter(func, "stream")


def _has_parameter(func, name):
    try:
        return name in inspect.signature(func).parameters
    except ValueError:  # of some functions written in C
        return False


@gradient("CudaFunc", "CudaFuncStateless")
def _cuda_func_grad(op, *grads):
    function = functions.get(op.get_attr("token").decode())
    if function is None or function.gradient is None:
        return [None] * len(op.inputs)
    return function.gradient(op, *grads)


def cuda_func(function, inputs, Tout, stateful=True, name=None, shapes=None, gradient=None):  # noqa: N803
    """Calls a Python function that works on a GPU with PyCUDA, in every step that needs the result.

    It is `tf.py_func` for GPUs: values stay in the GPU's memory, and nothing waits for the GPU. The function puts
    kernels into the default stream, as gpuarray arithmetic does, or into the `stream` that it may ask for. Both come
    after the work that computes the inputs, and before what uses the results. Streams of its own must be blocking ones,
    as `pycuda.driver.Stream()` makes them.

    The function holds the GIL and runs on any thread, with the primary context of the GPU as PyCUDA's current one,
    possibly concurrently with itself. The graph keeps it alive, but it isn't saved with the graph. The operation is not
    part of what is replayed as a CUDA graph.

    Args:
      function: A callable. It gets a `pycuda.gpuarray.GPUArray` for each input: read-only, over the input's memory,
        which it may keep. If it has a parameter `stream`, that is a `pycuda.driver.Stream` of the GPU. It returns a
        GPUArray, or a list or tuple with one for each type of `Tout`. An array in memory of `tf.gpu.allocator` is
        handed over without a copy, as are inputs and results of arithmetic with them; other memory of PyCUDA is
        borrowed until the work that uses it is done. Arrays that are not contiguous are copied on the GPU. The function
        must not change what it has returned.
      inputs: A list of `Tensor`s, or values that convert to them.
      Tout: A `DType` or a list of them: the exact types of the results.
      stateful: False says that `function` has no side effects and that equal inputs give equal outputs: calls with the
        same inputs may then be merged, and calls whose results are not needed may be dropped.
      name: Name of the operation (optional).
      shapes: The static shape of the result, or a list of shapes if `Tout` is a list (optional; default: unknown).
      gradient: A function of the `Operation` and a gradient for each result, which returns a gradient, or None, for
        each input (optional; by default there is no gradient through the operation).

    Returns:
      A `Tensor`; a list of `Tensor`s if `Tout` is a list. If that list is empty: the `Operation`, or [] if the function
      is stateless.

    Raises:
      ValueError: `function` can't be called, or `shapes` doesn't have one shape per type.
      tf.errors.InvalidArgumentError: At run time, the operation is not on a GPU; `function` returns arrays of another
        type, number or GPU, or what is not a GPUArray, or raises ValueError or TypeError. Other exceptions become
        errors as those of `tf.py_func` do, `pycuda.driver.MemoryError` becomes ResourceExhaustedError. `__cause__` is
        the original exception.

    Example:

    ```python
    def scaled(x):
        return 2 * x + 1  # on the GPU

    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(scaled, [x], tf.float32, shapes=x.shape)
    ```
    """
    if not callable(function):
        raise ValueError(f"Expected function to be callable. Received function={function} of type {type(function)}.")
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    if shapes is not None:
        shapes = list(shapes) if is_list else [shapes]
        if len(shapes) != len(types):
            raise ValueError(f"cuda_func has {len(types)} results, but {len(shapes)} shapes.")
    op_type = CudaFunc if stateful else CudaFuncStateless
    result = add_call(op_type, _CudaFunction(function, gradient), inputs, types, name)
    for tensor, shape in zip(result if types else (), shapes or ()):
        tensor.set_shape(shape)
    return result if is_list else result[0]
