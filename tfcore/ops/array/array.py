"""Shapes, and ops that rearrange the elements of one tensor."""

import numpy as np

from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, normalize_axis, num_elements, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import (
    constant,
    constant_of_array,
    constant_value,
    constant_value_as_shape,
    sizes_array,
)
from tfcore.framework.values.conversion import convert_to_tensor


def _same_shapes(op):
    return [t.dims for t in op.inputs]


# ---- Identity and relatives

Identity = define_op(
    "Identity",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_same_shapes,
    doc="The same value.",
)
Snapshot = define_op(
    "Snapshot",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_same_shapes,
    doc="The value that the input has when this op runs.",
)
StopGradient = define_op(
    "StopGradient",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_same_shapes,
    doc="The same value; gradients don't flow through it.",
)
GuaranteeConst = define_op(
    "GuaranteeConst",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_same_shapes,
    stateful=True,
    doc="The same value; the program promises that it never changes.",
)
PreventGradient = define_op(
    "PreventGradient",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "message: string = ''"],
    shape=_same_shapes,
    doc="The same value; differentiating through it is an error with this message.",
)
DeepCopy = define_op(
    "DeepCopy",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: type"],
    stateful=True,
    shape=_same_shapes,
    doc="A copy in separate memory.",
)
for _name in ("Copy", "CopyHost"):
    define_op(
        _name,
        inputs=["input: T"],
        outputs=["output: T"],
        attrs=["T: type", "tensor_name: string = ''", "debug_ops_spec: list(string) = []"],
        shape=_same_shapes,
        doc="A copy in separate memory, for debuggers.",
    )
IdentityN = define_op(
    "IdentityN",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: list(type) >= 1"],
    shape=_same_shapes,
    doc="The same values.",
)


def _ensure_shape_shape(op):
    return [merge(op.inputs[0].dims, op.attrs["shape"])]


EnsureShape = define_op(
    "EnsureShape",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["shape: shape", "T: type"],
    shape=_ensure_shape_shape,
    doc="The same value, after a check that it has the given shape.",
)
not_differentiable("StopGradient")
undefined_gradient("DeepCopy", "Copy", "CopyHost")


@gradient("Identity", "Snapshot", "EnsureShape")
def _identity_grad(op, grad):
    return grad


undefined_gradient("GuaranteeConst")


@gradient("IdentityN")
def _identity_n_grad(op, *grads):
    return grads


@gradient("PreventGradient")
def _prevent_gradient_grad(op, grad):
    message = op.attrs["message"].decode()
    raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")


def identity(input, name=None):
    """A tensor with the same value.

    Control dependencies and devices can be attached to the new operation without touching the one that made `input`.

    Args:
      input: A `Tensor` of any type, or a value that converts to one.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` with the value, type and shape of `input`.

    Raises:
      TypeError: `input` doesn't convert to a tensor.

    Example:

    >>> print(sess.run(tf.identity([1, 2])))
    [1 2]
    """
    return Identity(input, name=name)


@described(GuaranteeConst)
def guarantee_const(input, name=None):
    """The same value, with the promise that it is the same in all runs, as of a trained variable."""
    return GuaranteeConst(input, name=name)


@described(IdentityN)
def identity_n(input, name=None):
    """Tensors with the same values."""
    return IdentityN(input, name=name)


@described(
    StopGradient,
    example="""
>>> x = tf.constant(3.0)
>>> [gradient] = tf.gradients(x * tf.stop_gradient(x), [x])
>>> print(sess.run(gradient))
3.0
""",
    shapes={
        "input": "of any shape",
        "output": "of the shape of `input`",
    },
)
def stop_gradient(input, name=None):
    """The value of `input`, which gradients treat as a constant."""
    return StopGradient(input, name=name)


def ensure_shape(x, shape, name=None):
    """Checks the shape of a tensor at run time, and makes it known statically.

    Unlike `Tensor.set_shape`, which only tells the graph, this adds an operation that verifies the value.

    Args:
      x: A `Tensor` of any type.
      shape: A `TensorShape` or list of ints; None stands for any size.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` with the value of `x` and the static shape that `x` and `shape` give together.

    Raises:
      ValueError: The static shape of `x` is incompatible with `shape`.
      tf.errors.InvalidArgumentError: At run time, the value doesn't have the shape.

    Example:

    >>> x = tf.placeholder(tf.float32)
    >>> print(tf.ensure_shape(x, [None, 3]).shape)
    (?, 3)
    """
    return EnsureShape(x, shape=shape, name=name)


# ---- Shape, Size, Rank


def _shape_shape(op):
    dims = op.inputs[0].dims
    return [(None if dims is None else len(dims),)]


def _shape_n_shape(op):
    return [(None if t.dims is None else len(t.dims),) for t in op.inputs]


def _scalar_shape(op):
    return [()]


Shape = define_op(
    "Shape",
    inputs=["input: T"],
    outputs=["output: out_type"],
    attrs=["T: type", "out_type: {int32, int64} = DT_INT32"],
    shape=_shape_shape,
    doc="The shape of a tensor, as a vector.",
)
ShapeN = define_op(
    "ShapeN",
    inputs=["input: N * T"],
    outputs=["output: N * out_type"],
    attrs=["N: int >= 1", "T: type", "out_type: {int32, int64} = DT_INT32"],
    shape=_shape_n_shape,
    doc="The shapes of several tensors.",
)
Size = define_op(
    "Size",
    inputs=["input: T"],
    outputs=["output: out_type"],
    attrs=["T: type", "out_type: {int32, int64} = DT_INT32"],
    shape=_scalar_shape,
    doc="The number of elements.",
)
Rank = define_op(
    "Rank",
    inputs=["input: T"],
    outputs=["output: int32"],
    attrs=["T: type"],
    shape=_scalar_shape,
    doc="The number of dimensions.",
)
not_differentiable("Shape", "ShapeN", "Size", "Rank")


def _dense(value):
    """The value as a tensor; None for sparse tensors."""
    if type(value) is Tensor:
        return value
    if hasattr(value, "dense_shape") and type(value).__name__ in ("SparseTensor", "SparseTensorValue"):
        return None
    return convert_to_tensor(value, name="input")


def shape(input, name=None, out_type=None):
    """The shape of a tensor as a vector.

    It is a constant where the static shape is fully known and fits `out_type`.

    Args:
      input: A `Tensor` or `SparseTensor` of any type.
      name: Name of the operation (optional).
      out_type: Type of the result, int32 (by default) or int64.

    Returns:
      A `Tensor` of type `out_type` and shape [rank of `input`].

    Raises:
      TypeError: `out_type` is not int32 or int64.

    Example:

    >>> print(sess.run(tf.shape([[1, 2, 3], [4, 5, 6]])))
    [2 3]
    """
    tensor, out_type = _dense(input), out_type or dtypes.int32
    if tensor is None:
        return get_op_def("Cast")(input.dense_shape, DstT=out_type, name=name)
    dims = tensor.dims
    if dims is not None and None not in dims:
        known = sizes_array(dims, dtypes.as_dtype(out_type))
        if known is not None:
            return constant_of_array(known, name or "Shape")
    return Shape(tensor, out_type=out_type, name=name)


def shape_n(input, out_type=dtypes.int32, name=None):
    """The shapes of several tensors as vectors.

    Args:
      input: A list of `Tensor`s of one type.
      out_type: Type of the results, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A list of `Tensor`s of type `out_type`, the shape of each input as a vector.

    Raises:
      TypeError: The inputs have different types, or `out_type` is not int32 or int64.
      ValueError: `input` is empty.
    """
    return ShapeN(input, out_type=out_type, name=name)


def size(input, name=None, out_type=None):
    """The number of elements of a tensor.

    It is a constant where the static shape is fully known and the number fits `out_type`.

    Args:
      input: A `Tensor` or `SparseTensor` of any type.
      name: Name of the operation (optional).
      out_type: Type of the result, int32 (by default) or int64.

    Returns:
      A `Tensor` of type `out_type`, a scalar.

    Raises:
      TypeError: `out_type` is not int32 or int64.

    Example:

    >>> print(sess.run(tf.size([[1, 2, 3], [4, 5, 6]])))
    6
    """
    tensor, out_type = _dense(input), out_type or dtypes.int32
    if tensor is None:
        import tfcore.ops.reduce.reduce as reduce_ops

        return reduce_ops.reduce_prod(get_op_def("Cast")(input.dense_shape, DstT=out_type), 0, name=name)
    count = num_elements(tensor.dims)
    known = None if count is None else sizes_array(count, dtypes.as_dtype(out_type))
    if known is not None:
        return constant_of_array(known, name or "Size")
    return Size(tensor, out_type=out_type, name=name)


def rank(input, name=None):
    """The number of dimensions of a tensor.

    It is a constant where the rank is known statically.

    Args:
      input: A `Tensor` or `SparseTensor` of any type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int32, a scalar.

    Raises:
      TypeError: `input` doesn't convert to a tensor.

    Example:

    >>> print(sess.run(tf.rank([[1, 2, 3], [4, 5, 6]])))
    2
    """
    tensor = _dense(input)
    if tensor is None:
        return size(input.dense_shape, name=name)
    if tensor.dims is not None:
        return constant(len(tensor.dims), dtypes.int32, name=name or "Rank")
    return Rank(tensor, name=name)


# ---- Reshape, ExpandDims, Squeeze


def _reshape_shape(op):
    sizes = op.inputs[1].dims
    if sizes is not None and len(sizes) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(sizes)}")
    dims = constant_value_as_shape(op.inputs[1])
    if dims is None:
        return [None]
    count = num_elements(op.inputs[0].dims)
    if None not in dims:
        wanted = num_elements(dims)
        if count is not None and wanted != count:
            raise ValueError(
                f"Cannot reshape a tensor with {count} elements to shape "
                f"[{','.join(map(str, dims))}] ({wanted} elements)"
            )
        return [dims]
    if count is None or dims.count(None) > 1:
        return [dims]
    known = num_elements([d for d in dims if d is not None])
    if known == 0 and count == 0:
        if constant_value(op.inputs[1]) is None:  # an unknown size may turn out to be anything
            return [dims]
        # With a size of -1, zeros are ignored on both sides, as in the kernel.
        known = num_elements([d for d in dims if d])
        count = num_elements([d for d in op.inputs[0].dims if d])
    if known == 0 or count % known:
        text = ",".join("?" if d is None else str(d) for d in dims)
        raise ValueError(f"Dimension size must be evenly divisible by {known} but is {count} for reshape to [{text}]")
    return [tuple(count // known if d is None else d for d in dims)]


def _quantized_reshape_shape(op):
    for end in op.inputs[2:]:
        with_rank(end.dims, 0)
    return [*_reshape_shape(op), (), ()]


Reshape = define_op(
    "Reshape",
    inputs=["tensor: T", "shape: Tshape"],
    outputs=["output: T"],
    attrs=["T: type", "Tshape: {int32, int64} = DT_INT32"],
    shape=_reshape_shape,
    doc="Gives the elements another shape; a size of -1 is computed.",
)


def _expand_dims_shape(op):
    dims = op.inputs[0].dims
    axis = constant_value(op.inputs[1])
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) + 1)]
    if axis.size != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    axis, n = int(axis.item()), len(dims)
    if not -n - 1 <= axis <= n:
        raise ValueError(f"dim {axis} not in the interval [{-n - 1}, {n}].")
    axis = axis + n + 1 if axis < 0 else axis
    return [(*dims[:axis], 1, *dims[axis:])]


ExpandDims = define_op(
    "ExpandDims",
    inputs=["input: T", "dim: Tdim"],
    outputs=["output: T"],
    attrs=["T: type", "Tdim: {int32, int64} = DT_INT32"],
    shape=_expand_dims_shape,
    doc="Inserts a dimension of size 1 before dimension `dim`.",
)


def _squeeze_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    drop = op.attrs["squeeze_dims"]
    if not drop:
        return [None if None in dims else tuple(d for d in dims if d != 1)]
    drop = {normalize_axis(d, len(dims)) for d in drop}
    for i in drop:
        if dims[i] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{i}], expected a dimension of 1, got {dims[i]}")
    return [tuple(d for i, d in enumerate(dims) if i not in drop)]


Squeeze = define_op(
    "Squeeze",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "squeeze_dims: list(int) >= 0 = []"],
    shape=_squeeze_shape,
    doc="Removes dimensions of size 1: those of `squeeze_dims`, or all.",
)


def _reshape_to_input(op, grad):
    return reshape(grad, shape(op.inputs[0]))


QuantizedReshape = define_op(
    "QuantizedReshape",
    inputs=["tensor: T", "shape: Tshape", "input_min: float", "input_max: float"],
    outputs=["output: T", "output_min: float", "output_max: float"],
    attrs=["T: type", "Tshape: {int32, int64} = DT_INT32"],
    shape=_quantized_reshape_shape,
    doc="Reshape of quantized numbers, whose range stays.",
)
undefined_gradient("QuantizedReshape")


@gradient("Reshape")
def _reshape_grad(op, grad):
    return _reshape_to_input(op, grad), None


@gradient("ExpandDims")
def _expand_dims_grad(op, grad):
    return _reshape_to_input(op, grad), None


@gradient("Squeeze")
def _squeeze_grad(op, grad):
    return _reshape_to_input(op, grad)


def reshape(tensor, shape, name=None):
    """Gives the elements of a tensor another shape, in row-major order.

    A size of -1 is computed from the number of elements.

    Args:
      tensor: A `Tensor` of any type.
      shape: The new shape, a list of ints or a vector of type int32 or int64; at most one size may be -1.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `tensor` and the given shape.

    Raises:
      ValueError: The static shapes show that the numbers of elements differ.
      tf.errors.InvalidArgumentError: At run time, the numbers of elements differ, or more than one size is -1.

    Example:

    >>> print(sess.run(tf.reshape([1, 2, 3, 4, 5, 6], [2, -1])))
    [[1 2 3]
     [4 5 6]]
    """
    return Reshape(tensor, shape, name=name)


def expand_dims(input, axis=None, name=None, dim=None):
    """Inserts a dimension of size 1.

    Args:
      input: A `Tensor` of any type.
      axis: Position of the new dimension, an int in [-rank - 1, rank]; -1 appends it.
      name: Name of the operation (optional).
      dim: Old name of `axis`.

    Returns:
      A `Tensor` of the type of `input` with one more dimension.

    Raises:
      ValueError: `axis` is missing or out of range, or both `axis` and `dim` are given.

    Example:

    >>> print(tf.expand_dims(tf.zeros([2, 3]), -1).shape)
    (2, 3, 1)
    """
    axis = alias(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return ExpandDims(input, axis, name=name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Removes dimensions of size 1.

    Args:
      input: A `Tensor` of any type.
      axis: An int or list of ints, the dimensions to remove; negative ones count from the end. None removes every
        dimension of size 1.
      name: Name of the operation (optional).
      squeeze_dims: Old name of `axis`.

    Returns:
      A `Tensor` of the type of `input` with the same elements.

    Raises:
      ValueError: A listed dimension is out of range or its size isn't 1, or both `axis` and `squeeze_dims` are given.
      tf.errors.InvalidArgumentError: The same for sizes known only at run time.

    Example:

    >>> print(tf.squeeze(tf.zeros([1, 2, 1, 3])).shape)
    (2, 3)
    >>> print(tf.squeeze(tf.zeros([1, 2, 1, 3]), [0]).shape)
    (2, 1, 3)
    """
    axis = alias(axis, squeeze_dims, "axis", "squeeze_dims")
    if axis is None:
        axis = []
    elif np.ndim(axis) == 0:
        axis = [axis]
    return Squeeze(input, squeeze_dims=axis, name=name)


def alias(value, old, name, old_name):
    """The value of an argument that also has an old name."""
    if old is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'")
    return old


# ---- Transpose


def _transpose_shape(op):
    dims, perm = op.inputs[0].dims, constant_value(op.inputs[1])
    with_rank(op.inputs[1].dims, 1)
    if perm is None:
        if dims is None:
            n = op.inputs[1].dims
            return [None if not n or n[0] is None else (None,) * n[0]]
        return [(None,) * len(dims)]
    perm = perm.tolist()
    if dims is None:
        return [(None,) * len(perm)]
    if len(perm) != len(dims):
        raise ValueError(f"Dimension must be {len(dims)} but is {len(perm)}")
    perm = [normalize_axis(p, len(dims)) for p in perm]
    if len(set(perm)) != len(perm):
        missing = min(set(range(len(dims))) - set(perm))
        raise ValueError(f"{missing} is missing from {{{','.join(map(str, perm))}}}.")
    return [tuple([dims[p] for p in perm])]


Transpose = define_op(
    "Transpose",
    inputs=["x: T", "perm: Tperm"],
    outputs=["y: T"],
    attrs=["T: type", "Tperm: {int32, int64} = DT_INT32"],
    shape=_transpose_shape,
    doc="Permutes dimensions: dimension i of the output is dimension perm[i] of the input.",
)
ConjugateTranspose = define_op(
    "ConjugateTranspose",
    inputs=["x: T", "perm: Tperm"],
    outputs=["y: T"],
    attrs=["T: type", "Tperm: {int32, int64} = DT_INT32"],
    shape=_transpose_shape,
    doc="Permutes dimensions and conjugates complex elements.",
)


def _invert_permutation_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    return [dims]


InvertPermutation = define_op(
    "InvertPermutation",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: {int32, int64} = DT_INT32"],
    shape=_invert_permutation_shape,
    doc="The inverse of a permutation: y[x[i]] = i.",
)
not_differentiable("InvertPermutation")


def _inverse(perm):
    known = constant_value(perm)
    if known is None:
        return InvertPermutation(get_op_def("FloorMod")(perm, size(perm, out_type=perm.dtype)))  # may be negative
    return constant_of_array(np.argsort(known % max(len(known), 1)).astype(known.dtype))


@gradient("Transpose")
def _transpose_grad(op, grad):
    return Transpose(grad, _inverse(op.inputs[1])), None


@gradient("ConjugateTranspose")
def _conjugate_transpose_grad(op, grad):
    return ConjugateTranspose(grad, _inverse(op.inputs[1])), None


def transpose(a, perm=None, name="transpose", conjugate=False):
    """Permutes the dimensions of a tensor.

    Args:
      a: A `Tensor` of any type.
      perm: A permutation of the dimensions, type int32 or int64; by default it reverses them.
      name: Name of the operation (optional).
      conjugate: Whether to conjugate complex elements too.

    Returns:
      A `Tensor` of the type of `a`, whose dimension i is dimension perm[i] of `a`.

    Raises:
      ValueError: `perm` is not a permutation of the dimensions of `a`.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.transpose([[1, 2, 3], [4, 5, 6]])))
    [[1 4]
     [2 5]
     [3 6]]
    >>> print(tf.transpose(tf.zeros([2, 3, 4]), [0, 2, 1]).shape)
    (2, 4, 3)
    """
    op_def = ConjugateTranspose if conjugate else Transpose
    if perm is not None:
        return op_def(a, perm, name=name)
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a")
        if a.dims is None:
            import tfcore.ops.array.constants as constants

            n = Rank(a)
            perm = (n - 1) - constants.Range(0, n, 1)
        else:
            perm = constant_of_array(np.arange(len(a.dims) - 1, -1, -1, dtype=np.int32), "perm")
        return op_def(a, perm, name=scope)


@described(
    InvertPermutation,
    example="""
>>> print(sess.run(tf.invert_permutation([2, 0, 1])))
[1 2 0]
""",
    shapes={
        "x": "a vector that holds each of 0 .. len(x) - 1 once",
        "y": "a vector",
    },
)
def invert_permutation(x, name=None):
    """The inverse of a permutation: y[x[i]] = i.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `x` is not a permutation.
    """
    return InvertPermutation(x, name=name)


# ---- Concat


# ---- Split


# ---- Pack and Unpack
