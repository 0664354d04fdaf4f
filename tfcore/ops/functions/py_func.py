"""Python functions as operations: py_func, numpy_function."""

import numpy as np

from tfcore.core.registry.py_func import PyFunction
from tfcore.framework.definitions.op_def import RegisterGradient, define_op, not_differentiable
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes

# Of the op types that call a Python function.
SIGNATURE = dict(
    inputs=["input: Tin"],
    outputs=["output: Tout"],
    attrs=["token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"],
)
PyFunc = define_op("PyFunc", stateful=True, doc="Calls the Python function registered as `token`.", **SIGNATURE)
PyFuncStateless = define_op(
    "PyFuncStateless", doc="Calls the Python function registered as `token`, which has no side effects.", **SIGNATURE
)
not_differentiable("PyFunc", "PyFuncStateless")


def add_call(op_type, function, inputs, types, name):
    """Adds an operation that calls a PyFunction, which its graph then owns.

    Returns: a list of tensors. Without types: the operation, or [] if it is stateless, as it has nothing to run for.
    """
    result = op_type(list(inputs), token=function.token, Tout=types, name=name)
    op = result[0].op if types else result
    op.graph.py_functions.append(function)
    return result if types or op.op_def.stateful else []


def py_func(func, inp, Tout, stateful=True, name=None):  # noqa: N803  TensorFlow's names
    """Calls a Python function with the values of tensors in every step that needs the result.

    The function holds the GIL and runs on any thread, possibly concurrently with itself. It may run steps of this or
    another session, and wait for another function of the same step. Where no other node of the step can wait for it, it
    runs on the thread that runs the step, so that Ctrl-C reaches it. The graph keeps the function alive, but it isn't
    saved with the graph. There is no gradient through it.

    Args:
      func: A callable. It gets a NumPy array for each tensor, a NumPy scalar for one of rank 0, bytes or arrays of
        bytes for strings; it may keep them and write to them.
      inp: A list of `Tensor`s, or values that convert to them.
      Tout: A `DType` or a list of them. `func` returns one value, or a list or tuple with a value for each type; the
        values must have exactly these types (a Python float is float64, an int int64).
      stateful: False says that `func` has no side effects and that equal inputs give equal outputs: calls with the same
        inputs may then be merged, and calls whose results are not needed may be dropped.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of unknown shape; a list of `Tensor`s if `Tout` is a list. If that list is empty: the `Operation`,
      or [] if the function is stateless.

    Raises:
      ValueError: `func` can't be called.
      tf.errors.InvalidArgumentError: At run time, `func` raises ValueError or TypeError, or returns wrong values.
      tf.errors.OutOfRangeError: At run time, it raises StopIteration.
      tf.errors.ResourceExhaustedError: At run time, it raises MemoryError.
      tf.errors.UnimplementedError: At run time, it raises NotImplementedError.
      tf.errors.UnknownError: At run time, it raises another exception. Errors of `tf.errors` keep their class;
        KeyboardInterrupt and SystemExit pass unchanged. `__cause__` is the original exception.

    Example:

    >>> y = tf.py_func(lambda x: x[::-1].copy(), [tf.constant([1, 2, 3])], tf.int32)
    >>> print(sess.run(y))
    [3 2 1]
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    result = add_call(PyFunc if stateful else PyFuncStateless, PyFunction(func), inp, types, name)
    return result if is_list else result[0]


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # noqa: N803
    """`py_func` under the name that it has in later versions.

    Args:
      func: As for `py_func`.
      inp: As for `py_func`.
      Tout: As for `py_func`.
      stateful: As for `py_func`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`, a list of `Tensor`s or an `Operation`, as for `py_func`.

    Raises:
      ValueError: `func` can't be called.
      tf.errors.InvalidArgumentError: At run time, `func` raises ValueError or TypeError, or gives wrong results.
    """
    return py_func(func, inp, Tout, stateful, name)


class _Value(np.ndarray):
    """An array with the methods by which functions for `tf.py_function` get at the value of an eager tensor."""

    def numpy(self):
        return self[()] if self.ndim == 0 else np.asarray(self)


def py_function(func=None, inp=None, Tout=None, name=None):  # noqa: N803  TensorFlow's names
    """`py_func` for functions that are written for eager tensors, as far as they use their values.

    The function gets NumPy arrays that also have a method `numpy()`. Its results are converted to `Tout`. It can't call
    operations, as none are executed eagerly, and there is no gradient through it.

    Args:
      func: A callable.
      inp: A list of `Tensor`s, or values that convert to them.
      Tout: A `DType` or a `TensorSpec`, or a list of them; [] if `func` returns nothing.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`; a list of `Tensor`s if `Tout` is a list. If that list is empty: the `Operation`.

    Raises:
      ValueError: `func` can't be called.
      LookupError: When `tf.gradients` goes through it.
      tf.errors.InvalidArgumentError: At run time, `func` raises ValueError or TypeError, or returns wrong values. Other
        errors are those of `py_func`.

    Example:

    >>> y = tf.py_function(lambda x: x.numpy()[::-1] * 2, [tf.constant([1, 2, 3])], tf.float32)
    >>> print(sess.run(y))
    [6. 4. 2.]
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    is_list = isinstance(Tout, list | tuple)
    specs = list(Tout) if is_list else [Tout]
    types = [dtypes.as_dtype(getattr(spec, "dtype", spec)) for spec in specs]

    def call(*values):
        found = func(*[np.asarray(value).view(_Value) for value in values])
        if not types:
            return []
        found = found if is_list and isinstance(found, list | tuple) else [found]
        if len(found) != len(types):
            raise ValueError(f"The function returns {len(found)} values, but Tout has {len(types)} types")
        return [_converted(value, dtype) for value, dtype in zip(found, types)]

    with get_default_graph().gradient_override_map({"PyFunc": "PyFunctionWithoutGradient"}):
        result = add_call(PyFunc, PyFunction(call), inp, types, name or "EagerPyFunc")
    for tensor, spec in zip(result if types else (), specs):
        tensor.set_shape(getattr(spec, "shape", None))
    return result if is_list else result[0]


def _converted(value, dtype):
    if isinstance(value, Tensor | Operation):
        raise TypeError(f"The function returns {value}: operations are not executed eagerly, so use NumPy in it")
    if dtype == dtypes.string:
        return np.asarray(value, dtype=object)
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"The function returns {value!r}, which does not convert to a tensor of {dtype.name}")
    return array.astype(dtype.as_numpy_dtype)


@RegisterGradient("PyFunctionWithoutGradient")
def _no_gradient(op, *grads):
    raise LookupError(
        f"No gradient defined for operation '{op.name}' (op type: EagerPyFunc): tf.py_function does not record what "
        "its function does. Give it a gradient by tf.custom_gradient, or write the function with operations."
    )
