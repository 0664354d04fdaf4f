"""Sums of many tensors, and the cross product."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types.dtypes import as_dtype
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_n_to_tensor, convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

AddN = define_op(
    "AddN",
    inputs=["inputs: N * T"],
    outputs=["sum: T"],
    attrs=["N: int >= 1", "T: {numbertype, variant}"],
    shape=shapes.merge_all,
    commutative=True,
    doc="""Sum of tensors of one shape.""",
)
AccumulateNV2 = define_op(
    "AccumulateNV2",
    inputs=["inputs: N * T"],
    outputs=["sum: T"],
    attrs=["N: int >= 1", "T: numbertype", "shape: shape"],
    shape=shapes.merge_all,
    commutative=True,
    doc="""Sum of tensors of one shape.""",
)


def _cross_shape(op):
    dims = shapes.merge(op.inputs[0].dims, op.inputs[1].dims)
    if dims is not None:
        shapes.with_rank_at_least(dims, 1)
        dims = (*dims[:-1], shapes.merge_dim(dims[-1], 3))
    return [dims]


Cross = define_op(
    "Cross",
    inputs=["a: T", "b: T"],
    outputs=["product: T"],
    attrs=["T: realnumbertype"],
    shape=_cross_shape,
    doc="""Cross products of the vectors along the last dimension, of size 3.""",
)


@gradient("AddN", "AccumulateNV2")
def _add_n_grad(op, grad):
    return [grad] * len(op.inputs)


@gradient("Cross")
def _cross_grad(op, grad):
    a, b = op.inputs
    return Cross(b, grad), Cross(grad, a)


def _tensors_of_one_type(inputs, message):
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(message)
    tensors = [convert_to_tensor(x) if isinstance(x, IndexedSlices) else x for x in inputs]
    tensors = convert_n_to_tensor(tensors)
    if any(t.dtype.base_dtype is not tensors[0].dtype.base_dtype for t in tensors):
        found = ", ".join(t.dtype.base_dtype.name for t in tensors)
        raise TypeError(f"Tensors in list passed to 'inputs' of 'AddN' Op have types [{found}] that don't all match.")
    return tensors


def add_n(inputs, name=None):
    """The sum of a list of tensors.

    Args:
      inputs: A list of `Tensor`s and `IndexedSlices` of one numeric type and shape.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of their type and shape.

    Raises:
      ValueError: The list is empty or the shapes differ.
      TypeError: The types differ.

    Example:

    >>> print(sess.run(tf.add_n([[1, 2], [3, 4], [5, 6]])))
    [ 9 12]
    """
    message = "inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape"
    if not isinstance(inputs, (list, tuple, str, Tensor, IndexedSlices)):
        inputs = list(inputs)
    tensors = _tensors_of_one_type(inputs, message)
    if len(tensors) == 1:
        return get_op_def("Identity")(tensors[0], name=name) if name else tensors[0]
    return AddN(tensors, name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of a list of tensors, whose shape and type may be stated.

    Args:
      inputs: A list of `Tensor`s of one numeric type and shape.
      shape: Expected shape, which completes the static shape.
      tensor_dtype: Expected type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of their type and shape.

    Raises:
      ValueError: The list is empty or the shapes differ.
      TypeError: The types differ, or `tensor_dtype` is not their type.

    Example:

    >>> print(sess.run(tf.accumulate_n([[1, 2], [3, 4], [5, 6]])))
    [ 9 12]
    """
    message = "inputs must be a list of at least one Tensor with the same dtype and shape"
    tensors = _tensors_of_one_type(inputs, message)
    if not all(tensors[0].shape.is_compatible_with(t.shape) for t in tensors):
        raise ValueError(message)
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not tensors[0].dtype.base_dtype:
        raise TypeError(f"tensor_dtype is {tensor_dtype}, but input is of type {tensors[0].dtype.base_dtype}")
    known = TensorShape(shape) if shape is not None else TensorShape(None)
    for t in tensors:
        known = known.merge_with(t.shape)
    if len(tensors) == 1:
        return get_op_def("Identity")(tensors[0], name=name) if name else tensors[0]
    return AccumulateNV2(tensors, shape=known, name=name)


@described(
    Cross,
    example="""
>>> print(sess.run(tf.cross([1, 0, 0], [0, 1, 0])))
[0 0 1]
""",
    shapes={
        "a": "[..., 3]",
        "b": "[..., 3], of the shape of `a`",
        "product": "of the shape of `a`",
    },
)
def cross(a, b, name=None):
    """Cross products of the vectors along the last dimension, which has size 3.

    Raises:
      tf.errors.FailedPreconditionError: At run time, the last dimension has another size.
    """
    return Cross(a, b, name=name)
