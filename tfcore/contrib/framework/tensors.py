"""Checks and sums of tensors, names in scopes, and `py_func` for nested arguments."""

import re

import numpy as np

from tfcore.composed.confusion_matrix import may_squeeze_last, squeeze_last_if
from tfcore.framework.graph.graph import Graph, control_dependencies, get_default_graph, graph_of, name_scope
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.tensor_kinds import is_tensor
from tfcore.ops.array import array
from tfcore.ops.cwise.compare import equal, logical_and, logical_or
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.debugging.check import Assert, assert_scalar
from tfcore.ops.functions.py_func import py_func as plain_py_func
from tfcore.ops.reduce.reduce import reduce_all, reduce_sum


def assert_scalar_int(tensor, name=None):
    """Checks that a tensor is a scalar of an integer type, by its static shape.

    Args:
      tensor: A `Tensor` or a value.
      name: Prefix of the names of the operations (optional).

    Returns:
      The `Tensor`.

    Raises:
      ValueError: It is not a scalar, or not of an integer type.
    """
    with name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
        return assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors, name=None):
    """The sum of all elements of all tensors.

    Args:
      tensors: A list of `Tensor`s of the same numeric type.
      name: Prefix of the names of the operations (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The list is empty.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [reduce_sum(t, name=f"{t.op.name}/sum") for t in tensors]
        return sums[0] if len(sums) == 1 else add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions, labels, name=None):
    """Squeezes the last dimension of the one that has one dimension more than the other.

    Args:
      predictions: A `Tensor`.
      labels: A `Tensor`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A pair of `Tensor`s: predictions and labels.

    Raises:
      ValueError: The last dimension is not of size 1.
    """
    with name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        if predictions.shape.ndims is not None and labels.shape.ndims is not None:
            excess = predictions.shape.ndims - labels.shape.ndims
            if excess == 1:
                predictions = array.squeeze(predictions, [-1])
            elif excess == -1:
                labels = array.squeeze(labels, [-1])
            return predictions, labels
        excess = array.rank(predictions) - array.rank(labels)
        if may_squeeze_last(predictions):
            predictions = squeeze_last_if(equal(excess, 1), predictions)
        if may_squeeze_last(labels):
            labels = squeeze_last_if(equal(excess, -1), labels)
        return predictions, labels


# ---- Shapes


def with_same_shape(expected_tensor, tensor):
    """Checks that a tensor has the shape of another.

    Args:
      expected_tensor: A `Tensor` of the expected shape.
      tensor: The `Tensor` to check.

    Returns:
      `tensor`, with a check if the shapes are not fully known.

    Raises:
      ValueError: The shapes differ.
      tf.errors.InvalidArgumentError: When run: the shapes differ.
    """
    with name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        shape = expected_tensor.shape
        if shape.is_fully_defined():
            return with_shape(shape.as_list(), tensor)
        return with_shape(array.shape(expected_tensor, name="expected_shape"), tensor)


def with_shape(expected_shape, tensor):
    """Checks that a tensor has the expected shape. A tensor with one element may become a scalar.

    Args:
      expected_shape: A list of ints, an int32 array or vector `Tensor`, or a `TensorShape`.
      tensor: The `Tensor` to check.

    Returns:
      `tensor`, with a check if its shape is not fully known.

    Raises:
      ValueError: The shapes differ, or `expected_shape` is not a vector of int32.
      tf.errors.InvalidArgumentError: When run: the shapes differ.
    """
    if isinstance(tensor, SparseTensor):
        raise ValueError("SparseTensor not supported.")
    known = not is_tensor(expected_shape)
    expected_shape = _checked_shape(expected_shape, tensor)
    to_scalar = known and not isinstance(expected_shape, TensorShape) and len(expected_shape) == 0
    if not tensor.shape.is_fully_defined() or not known:
        with name_scope(f"{tensor.op.name}/", values=[tensor]):
            if to_scalar:
                return array.reshape(tensor, [])
            with control_dependencies([_assert_shape(expected_shape, tensor)]):
                result = array.identity(tensor)
            if known:
                result.set_shape(expected_shape)
            return result
    if not tensor.shape.is_compatible_with(expected_shape):
        if to_scalar and tensor.shape.is_compatible_with([1]):
            with name_scope(f"{tensor.op.name}/", values=[tensor]):
                return array.reshape(tensor, [])
        raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {expected_shape}, got {tensor.shape}.")
    return tensor


def _checked_shape(shape, tensor):
    """A shape as an int32 array, Tensor or TensorShape."""
    of = f"for shape {shape} expected of tensor {tensor.name}."
    if is_tensor(shape):
        if shape.dtype.base_dtype != dtypes.int32:
            raise ValueError(f"Invalid dtype {shape.dtype} {of}")
        return shape
    if isinstance(shape, (list, tuple)):
        shape = np.asarray(shape, np.int32) if not shape else np.asarray(shape)
        shape = shape.astype(np.int32) if shape.dtype == np.int64 else shape
    if isinstance(shape, np.ndarray):
        if shape.ndim > 1:
            raise ValueError(f"Invalid rank {shape.ndim} {of}")
        if shape.dtype != np.int32:
            raise ValueError(f"Invalid dtype {shape.dtype} {of}")
    return shape


def _assert_shape(expected, tensor):
    with name_scope("assert_shape", values=[tensor]) as scope:
        actual = array.shape(tensor, name="actual")
        if isinstance(expected, TensorShape):
            expected = [-1 if d is None else d for d in expected.as_list()]
        expected = convert_to_tensor(expected, dtype=dtypes.int32)
        same_rank = equal(array.size(expected), array.rank(tensor))
        same_sizes = reduce_all(logical_or(equal(expected, -1), equal(expected, actual)))
        fits = logical_and(same_rank, same_sizes)
        text = f"Wrong shape for {tensor.name} [expected] [actual]."
        return Assert(fits, [text, expected, actual], name=scope)


# ---- Graphs and names


def get_graph_from_inputs(op_input_list, graph=None):
    """The graph that all inputs belong to.

    Args:
      op_input_list: A list of graph elements.
      graph: The `Graph` that they must belong to (optional).

    Returns:
      A `Graph`; the default graph if there are no inputs.

    Raises:
      ValueError: The inputs belong to different graphs.
      TypeError: `graph` is not a graph.
    """
    if graph is not None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Input graph needs to be a Graph: {graph}")
        for element in op_input_list:
            if graph_of([element]) not in (None, graph):
                raise ValueError(f"{element!r} is not from the passed-in graph.")
        return graph
    return graph_of(list(op_input_list)) or get_default_graph()


def get_name_scope():
    """The current name scope.

    Returns:
      A string.
    """
    return get_default_graph().get_name_scope()


def get_placeholders(graph):
    """The placeholders of a graph.

    Args:
      graph: A `Graph`.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: `graph` is not a graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def strip_name_scope(name, export_scope):
    """Removes a name scope from the beginning of a name.

    Args:
      name: A name of a node, also with "^" or "loc:@" before it.
      export_scope: The name scope.

    Returns:
      A string.

    Raises:
      TypeError: `name` is not a string.
    """
    if not export_scope:
        return name
    return re.sub(rf"^(\^|loc:@|){re.escape(export_scope.removesuffix('/'))}/+", r"\1", name)


def prepend_name_scope(name, import_scope):
    """Puts a name scope before a name.

    Args:
      name: A name of a node, also with "^" or "loc:@" before it.
      import_scope: The name scope.

    Returns:
      A string.

    Raises:
      TypeError: `name` is not a string.
    """
    if not import_scope:
        return name
    prefix = re.match(r"\^|loc:@|", name)[0]
    return f"{prefix}{import_scope.removesuffix('/')}/{name.removeprefix(prefix)}"


def py_func(func, args=(), kwargs=None, output_types=None, output_shapes=None, stateful=True, name=None):
    """Calls a Python function with arrays; arguments and results may be nested.

    Args:
      func: The function.
      args: A list of `Tensor`s or nests of them.
      kwargs: A dict of `Tensor`s or nests of them.
      output_types: A `DType` or a nest of them, or a function of the arguments that returns it.
      output_shapes: The shapes, nested in the same way, or a function of the arguments that returns them (optional).
      stateful: Whether the function has side effects or may return different values for the same arguments.
      name: Name of the operation (optional).

    Returns:
      `Tensor`s in the structure of `output_types`.

    Raises:
      TypeError: `args` is not a list or `kwargs` not a dict.
    """
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be list and not {type(args)}. args: {args}")
    if not isinstance(kwargs, dict):
        raise TypeError(f"kwargs must be dict and not {type(kwargs)}. args: {kwargs}")
    types = output_types(*args, **kwargs) if callable(output_types) else output_types
    shapes = output_shapes(*args, **kwargs) if callable(output_shapes) else output_shapes
    inputs = (args, kwargs)

    def flat_function(*values):
        given, named = nest.pack_sequence_as(inputs, values)
        result = func(*given, **named)
        nest.assert_shallow_structure(types, result)
        return nest.flatten(result)

    results = plain_py_func(flat_function, nest.flatten(inputs), nest.flatten(types), stateful=stateful, name=name)
    if shapes is not None:
        for result, shape in zip(results, nest.flatten_up_to(types, shapes)):
            result.set_shape(shape)
    return nest.pack_sequence_as(types, results)
