"""Ops on shapes, and ops that give the same elements another shape or order."""

import numpy as np

from tfcore.framework import dtypes
from tfcore.framework.constant import (
    constant,
    constant_of_array,
    constant_value,
    constant_value_as_shape,
    sizes_array,
)
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.op_def import define_op, get_op_def, gradient, not_differentiable, undefined_gradient
from tfcore.framework.op_wrappers import described
from tfcore.framework.operation import Tensor
from tfcore.framework.shapes import merge, normalize_axis, num_elements

__all__ = [
    "ensure_shape", "expand_dims", "identity", "identity_n", "invert_permutation", "rank", "reshape", "shape", "shape_n",
    "size", "squeeze", "stop_gradient", "transpose",
]  # fmt: skip
__math__ = ["invert_permutation"]


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
    doc="The same value; gradients do not pass.",
)
PreventGradient = define_op(
    "PreventGradient",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "message: string = ''"],
    shape=_same_shapes,
    doc="The same value; asking for a gradient through it is an error with this message.",
)
DeepCopy = define_op(
    "DeepCopy",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: type"],
    stateful=True,
    shape=_same_shapes,
    doc="The same value in memory of its own.",
)
for _name in ("Copy", "CopyHost"):
    define_op(
        _name,
        inputs=["input: T"],
        outputs=["output: T"],
        attrs=["T: type", "tensor_name: string = ''", "debug_ops_spec: list(string) = []"],
        shape=_same_shapes,
        doc="The same value in memory of its own, for debuggers.",
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
    return [merge(op.inputs[0].dims, op._attrs["shape"])]


EnsureShape = define_op(
    "EnsureShape",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["shape: shape", "T: type"],
    shape=_ensure_shape_shape,
    doc="The same value; an error when its shape does not fit `shape`.",
)
not_differentiable("StopGradient")
undefined_gradient("DeepCopy", "Copy", "CopyHost")


@gradient("Identity", "Snapshot", "EnsureShape")
def _identity_grad(op, grad):
    return grad


@gradient("IdentityN")
def _identity_n_grad(op, *grads):
    return grads


@gradient("PreventGradient")
def _prevent_gradient_grad(op, grad):
    message = op._attrs["message"].decode()
    raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")


def identity(input, name=None):
    """A tensor with the same value."""
    return Identity(input, name=name)


@described(IdentityN)
def identity_n(input, name=None):
    """Tensors with the same values."""
    return IdentityN(input, name=name)


@described(StopGradient)
def stop_gradient(input, name=None):
    """The same value, treated as a constant when gradients are computed."""
    return StopGradient(input, name=name)


def ensure_shape(x, shape, name=None):
    """The same value, checked when it is run to have the (partially known) shape."""
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
    """The tensor for a value; for sparse tensors None."""
    if type(value) is Tensor:
        return value
    if hasattr(value, "dense_shape") and type(value).__name__ in ("SparseTensor", "SparseTensorValue"):
        return None
    return convert_to_tensor(value, name="input")


def shape(input, name=None, out_type=dtypes.int32):
    """The shape of a tensor, as a vector; a constant where it is known statically and `out_type` can hold it."""
    tensor = _dense(input)
    if tensor is None:
        return get_op_def("Cast")(input.dense_shape, DstT=out_type, name=name)
    dims = tensor.dims
    if dims is not None and None not in dims:
        known = sizes_array(dims, dtypes.as_dtype(out_type))
        if known is not None:
            return constant_of_array(known, name or "Shape")
    return Shape(tensor, out_type=out_type, name=name)


def shape_n(input, out_type=dtypes.int32, name=None):
    """The shapes of several tensors."""
    return ShapeN(input, out_type=out_type, name=name)


def size(input, name=None, out_type=dtypes.int32):
    """The number of elements of a tensor; a constant where it is known statically and `out_type` can hold it."""
    tensor = _dense(input)
    if tensor is None:
        import tfcore.ops.reduce as reduce_ops

        return reduce_ops.reduce_prod(get_op_def("Cast")(input.dense_shape, DstT=out_type), 0, name=name)
    count = num_elements(tensor.dims)
    known = None if count is None else sizes_array(count, dtypes.as_dtype(out_type))
    if known is not None:
        return constant_of_array(known, name or "Size")
    return Size(tensor, out_type=out_type, name=name)


def rank(input, name=None):
    """The number of dimensions of a tensor; a constant where it is known statically."""
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
                f"Cannot reshape a tensor with {count} elements to shape [{','.join(map(str, dims))}] ({wanted} elements)"
            )
        return [dims]
    if count is None or dims.count(None) > 1:
        return [dims]
    known = num_elements([d for d in dims if d is not None])
    if known == 0 and count == 0:
        if constant_value(op.inputs[1]) is None:  # any size may come where none is known
            return [dims]
        # Where it is to be found (-1), zeros are left out on both sides.
        known = num_elements([d for d in dims if d])
        count = num_elements([d for d in op.inputs[0].dims if d])
    if known == 0 or count % known:
        text = ",".join("?" if d is None else str(d) for d in dims)
        raise ValueError(f"Dimension size must be evenly divisible by {known} but is {count} for reshape to [{text}]")
    return [tuple(count // known if d is None else d for d in dims)]


Reshape = define_op(
    "Reshape",
    inputs=["tensor: T", "shape: Tshape"],
    outputs=["output: T"],
    attrs=["T: type", "Tshape: {int32, int64} = DT_INT32"],
    shape=_reshape_shape,
    doc="The same elements in another shape; one size may be -1, which is computed.",
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
    drop = op._attrs["squeeze_dims"]
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
    """The same elements in another shape; one size may be -1, which is computed."""
    return Reshape(tensor, shape, name=name)


def expand_dims(input, axis=None, name=None, dim=None):
    """Inserts a dimension of size 1 at `axis`; -1 appends one."""
    axis = _alias(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return ExpandDims(input, axis, name=name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Removes dimensions of size 1: those in `axis`, or all."""
    axis = _alias(axis, squeeze_dims, "axis", "squeeze_dims")
    if axis is None:
        axis = []
    elif np.ndim(axis) == 0:
        axis = [axis]
    return Squeeze(input, squeeze_dims=axis, name=name)


def _alias(value, old, name, old_name):
    """The value of an argument that has an older name too."""
    if old is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'")
    return old


# ---- Transpose


def _transpose_shape(op):
    dims, perm = op.inputs[0].dims, constant_value(op.inputs[1])
    if perm is None:
        if dims is None:
            n = op.inputs[1].dims
            return [None if not n or n[0] is None else (None,) * n[0]]
        return [(None,) * len(dims)]
    perm = perm.ravel().tolist()
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
    doc="y[x[i]] = i.",
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
    """Permutes dimensions (default: reverses their order), with `conjugate` also conjugates elements."""
    op_def = ConjugateTranspose if conjugate else Transpose
    if perm is not None:
        return op_def(a, perm, name=name)
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a")
        if a.dims is None:
            import tfcore.ops.constants as constants

            n = Rank(a)
            perm = (n - 1) - constants.Range(0, n, 1)
        else:
            perm = constant_of_array(np.arange(len(a.dims) - 1, -1, -1, dtype=np.int32), "perm")
        return op_def(a, perm, name=scope)


@described(InvertPermutation)
def invert_permutation(x, name=None):
    """y[x[i]] = i; `x` must hold each of 0 .. len(x) - 1 once."""
    return InvertPermutation(x, name=name)


# ---- Concat


# ---- Split


# ---- Pack and Unpack
