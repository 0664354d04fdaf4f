"""Conversion of Python values, arrays, variables and lists of these to Tensors."""

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.operation import Tensor, capture_user_frames, definition, line_of
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension, TensorShape, as_dims
from tfcore.framework.values.constant import constant

_functions = []  # (priority, order, types, function), sorted
_by_type = {}  # cache: exact type -> functions to try


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Registers a function that converts objects of a type to `Tensor`s.

    Args:
      base_type: The type, or a tuple of types; subclasses count.
      conversion_func: A function of (value, dtype, name, as_ref) that returns a `Tensor`, or NotImplemented to let the
        next function try.
      priority: Functions with lower numbers are tried first; in order of registration among equals.

    Raises:
      TypeError: `base_type` is neither a type nor a tuple of types, or `conversion_func` is not callable.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(f"base_type must be a type or a tuple of types, not {base_type!r}")
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable, but is {conversion_func!r}")
    _functions.append((priority, len(_functions), types, conversion_func))
    _functions.sort(key=lambda entry: entry[:2])
    _by_type.clear()


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
    """Converts a value to a `Tensor`.

    Accepted are `Tensor`s, `Variable`s, `IndexedSlices`, arrays, Python numbers and strings, nested lists of these, and
    types registered with `tf.register_tensor_conversion_function`.

    Args:
      value: The value.
      dtype: The `DType` that the result must have (optional).
      name: Name of the operation if one is added (optional).
      preferred_dtype: The `DType` to prefer if `dtype` is None and the conversion to it succeeds.
      dtype_hint: Newer name of `preferred_dtype`.

    Returns:
      A `Tensor`.

    Raises:
      TypeError: There is no conversion for the type of the value.
      ValueError: A `Tensor` has another dtype or belongs to another graph.

    Example:

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.convert_to_tensor(x) is x
    True
    >>> sess.run(tf.convert_to_tensor([x, [3.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if type(value) is Tensor:
        if dtype is not None and value.dtype.base_dtype is not dtypes.as_dtype(dtype).base_dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype "
                f"{value.dtype.name}: {str(value)!r}"
            )
        if value.op.graph is not (graph := get_default_graph()):
            if graph.building_function:
                return graph.capture(value)
            code, offset = capture_user_frames()[0]
            raise ValueError(
                f"{value!r} must be from the same graph as the operation that uses it, the default graph {graph!r}."
                f"{definition(value)}\n  It is used at {code.co_filename}:{line_of(code, offset)} in {code.co_name}"
            )
        return value
    return _converted(value, dtype, name, preferred_dtype or dtype_hint)


def as_reference(value, name=None):
    """The value as a `Tensor`; for a variable its reference."""
    return convert_to_tensor(value) if type(value) is Tensor else _converted(value, name=name, as_ref=True)


def _converted(value, dtype=None, name=None, preferred=None, as_ref=False):
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    for function in _functions_for(type(value)):
        result = NotImplemented
        if dtype is None and preferred is not None:
            try:
                result = function(value, dtype=dtypes.as_dtype(preferred), name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result
    raise TypeError(f"Cannot convert {value!r} with type {type(value)} to Tensor: no conversion function registered.")


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    """Converts each value of a list to a `Tensor`.

    Args:
      values: A list of values.
      dtype: The `DType` that all results must have (optional).
      name: Prefix of the names of the operations: they get the suffixes _0, _1, ... (optional)
      preferred_dtype: The `DType` to prefer if `dtype` is None and the conversion to it succeeds.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: There is no conversion for the type of a value.
      ValueError: A `Tensor` has another dtype or belongs to another graph.
    """
    return [
        convert_to_tensor(v, dtype, None if name is None else f"{name}_{i}", preferred_dtype)
        for i, v in enumerate(values)
    ]


def _functions_for(kind):
    found = _by_type.get(kind)
    if found is None:
        found = [f for _, _, types, f in _functions if issubclass(kind, types)]
        _by_type[kind] = found
    return found


def _convert_constant(value, dtype=None, name=None, as_ref=False):
    return constant(value, dtype, name=name or "Const")


def _contains_tensor(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            if _contains_tensor(item):
                return True
        elif hasattr(item, "_as_graph_element"):
            return True
    return False


def _convert_sequence(value, dtype=None, name=None, as_ref=False):
    """Converts lists that hold Tensors to (nested) Pack operations."""
    if not _contains_tensor(value):
        return constant(value, dtype, name=name or "Const")
    if dtype is None:
        dtype = _first_tensor_dtype(value)
    items = [convert_to_tensor(v, dtype=dtype) for v in value]
    return get_op_def("Pack")(items, name=name or "packed")


def _first_tensor_dtype(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            found = _first_tensor_dtype(item)
            if found is not None:
                return found
        elif hasattr(item, "_as_graph_element"):
            if not hasattr(item, "dtype"):
                raise TypeError(f"Can't convert {item!r} to a Tensor.")
            return item.dtype.base_dtype
    return None


def _convert_shape(value, dtype=None, name=None, as_ref=False):
    dims = as_dims(value)
    if dims is None or None in dims:
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    large = any(d > 0x7FFFFFFF for d in dims)
    if dtype is None:
        dtype = dtypes.int64 if large else dtypes.int32
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype.name}")
    elif large and dtype is dtypes.int32:
        raise ValueError(
            f"Cannot convert TensorShape {value} to dtype int32; a dimension is too large. Consider using tf.int64."
        )
    return constant(np.array(dims, dtype.as_numpy_dtype), dtype, name=name or "shape_as_tensor")


def _convert_dimension(value, dtype=None, name=None, as_ref=False):
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a Dimension to dtype: {dtype.name}")
    return constant(value.value, dtype, name=name or "shape_as_tensor")


def _register_builtin():
    register_tensor_conversion_function(TensorShape, _convert_shape, 50)
    register_tensor_conversion_function(Dimension, _convert_dimension, 50)
    register_tensor_conversion_function((list, tuple), _convert_sequence, 90)
    register_tensor_conversion_function(
        (int, float, complex, bool, str, bytes, np.ndarray, np.generic), _convert_constant, 100
    )
    register_tensor_conversion_function(object, _convert_anything, 200)


def _convert_anything(value, dtype=None, name=None, as_ref=False):
    if value is None:
        raise ValueError("None values not supported.")
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return constant(np.asarray(value), dtype, name=name or "Const")
    if isinstance(value, range):
        return constant(list(value), dtype, name=name or "Const")
    return NotImplemented


_register_builtin()
