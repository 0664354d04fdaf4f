"""Python functions as operations: py_func, numpy_function."""

from tfcore.core.py_func import PyFunction
from tfcore.framework import dtypes
from tfcore.framework.op_def import define_op, not_differentiable

__all__ = ["numpy_function", "py_func"]

_PY_FUNC = dict(
    inputs=["input: Tin"],
    outputs=["output: Tout"],
    attrs=["token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"],
)
PyFunc = define_op("PyFunc", stateful=True, doc="Calls the Python function registered as `token`.", **_PY_FUNC)
PyFuncStateless = define_op(
    "PyFuncStateless", doc="Calls the Python function registered as `token`, which has no side effects.", **_PY_FUNC
)
not_differentiable("PyFunc", "PyFuncStateless")


def py_func(func, inp, Tout, stateful=True, name=None):  # noqa: N803  TensorFlow's names
    """Calls `func` with the values of `inp` in every step that needs the result.

    The function gets a NumPy array for each tensor, a NumPy scalar for one of rank 0, bytes or arrays of bytes for strings;
    it may keep them and write to them. It returns one value, or a list or tuple with a value for each type in `Tout`; values
    must have exactly these types (a Python float is float64, an int int64). It runs with the GIL on any thread, possibly at
    the same time as itself, and may run steps of this or another session. It must not wait for another function of the same
    step, which may be next on the same thread. The graph keeps it alive.

    Args:
      func: a callable. inp: a list of Tensors or what can be made one. Tout: a type, or a list of types.
      stateful: False says that equal inputs give equal outputs and nothing else happens: then calls with the same inputs
        may be merged, and calls whose result nobody needs are left out.

    Returns: a Tensor of unknown shape; a list of them if `Tout` is a list; the Operation if that list is empty.

    Raises:
      ValueError: `func` can't be called.
      When run: what `func` raises as InvalidArgumentError (ValueError, TypeError, wrong results), OutOfRangeError
      (StopIteration), ResourceExhaustedError (MemoryError), UnimplementedError (NotImplementedError), the same class (errors of
      tf.errors) or UnknownError, with the traceback in its text and the original exception as `__cause__`;
      KeyboardInterrupt and SystemExit unchanged.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    function = PyFunction(func)
    op_type = PyFunc if stateful else PyFuncStateless
    result = op_type(list(inp), token=function.token, Tout=types, name=name)
    graph = result[0].graph if types else result.graph
    graph._py_functions.append(function)
    return result if is_list else result[0]


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # noqa: N803
    """`py_func` under the name that it has in later versions."""
    return py_func(func, inp, Tout, stateful, name)
