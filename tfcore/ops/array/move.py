"""Padding, repeating, broadcasting, reversing and rotating; grids."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.array.slice as array_slice
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import (
    add,
    merge,
    merge_dim,
    multiply,
    normalize_axis,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.constant import constant_of_array, constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor

# ---- Pad


def _pad_dims(op, sign):
    dims, given = op.inputs[0].dims, op.inputs[1].dims
    if given is not None and (len(given) != 2 or given[1] not in (None, 2)):
        raise ValueError(f"Shape of paddings must be [n, 2] but is {list(given)}")
    if dims is None:
        return [None if given is None or given[0] is None else (None,) * given[0]]
    if given is not None and given[0] not in (None, len(dims)):
        raise ValueError(f"Shape must be rank {given[0]} but is rank {len(dims)}")
    paddings = constant_value(op.inputs[1])
    if paddings is None:
        return [(None,) * len(dims)]
    if (paddings < 0).any():
        raise ValueError(f"Paddings must be non-negative: {paddings.min()}")
    total = [add(before, after) for before, after in paddings.tolist()]
    out = tuple([add(d, sign * t) for d, t in zip(dims, total)])
    if any(d is not None and d < 0 for d in out):
        raise ValueError(f"Paddings {paddings.tolist()} are greater than the shape {list(dims)}")
    return [out]


def _padded_shape(op):
    return _pad_dims(op, 1)


def _unpadded_shape(op):
    return _pad_dims(op, -1)


_PADDINGS = "Tpaddings: {int32, int64} = DT_INT32"

Pad = define_op(
    "Pad",
    inputs=["input: T", "paddings: Tpaddings"],
    outputs=["output: T"],
    attrs=["T: type", _PADDINGS],
    shape=_padded_shape,
    doc="Adds paddings[d, 0] zeros before and paddings[d, 1] after, in each dimension d.",
)
PadV2 = define_op(
    "PadV2",
    inputs=["input: T", "paddings: Tpaddings", "constant_values: T"],
    outputs=["output: T"],
    attrs=["T: type", _PADDINGS],
    shape=_padded_shape,
    doc="Like Pad, with a given scalar instead of zero.",
)
MirrorPad = define_op(
    "MirrorPad",
    inputs=["input: T", "paddings: Tpaddings"],
    outputs=["output: T"],
    attrs=["T: type", _PADDINGS, "mode: {'REFLECT', 'SYMMETRIC'}"],
    shape=_padded_shape,
    doc="Pads with mirrored elements, including (SYMMETRIC) or excluding (REFLECT) the edge.",
)
MirrorPadGrad = define_op(
    "MirrorPadGrad",
    inputs=["input: T", "paddings: Tpaddings"],
    outputs=["output: T"],
    attrs=["T: type", _PADDINGS, "mode: {'REFLECT', 'SYMMETRIC'}"],
    shape=_unpadded_shape,
    doc="The gradient of MirrorPad: adds the mirrored elements to their sources.",
)


@gradient("Pad", "PadV2")
def _pad_grad(op, grad):
    x, paddings = op.inputs[:2]
    known = constant_value(paddings)
    if known is not None:
        begin = constant_of_array(known[:, 0].copy())
    else:
        column = array_slice.slice(paddings, [0, 0], array_join.stack([array_ops.rank(x), 1]))
        begin = array_ops.reshape(column, [-1])
    size = array_ops.shape(x, out_type=begin.dtype)
    return [array_slice.Slice(grad, begin, size)] + [None] * (len(op.inputs) - 1)


@gradient("MirrorPad")
def _mirror_pad_grad(op, grad):
    return MirrorPadGrad(grad, op.inputs[1], mode=op.attrs["mode"]), None


@gradient("MirrorPadGrad")
def _mirror_pad_grad_grad(op, grad):
    return MirrorPad(grad, op.inputs[1], mode=op.attrs["mode"]), None


def pad(tensor, paddings, mode="CONSTANT", name=None, constant_values=0):
    """Adds elements before and after a tensor in each dimension.

    Args:
      tensor: A `Tensor` of any type.
      paddings: A `Tensor` of type int32 or int64 and shape [rank, 2]: how many elements to add before and after, in
        each dimension.
      mode: "CONSTANT" adds `constant_values`; "REFLECT" mirrors without repeating the edge, "SYMMETRIC" with it. Case
        doesn't matter.
      name: Name of the operation (optional).
      constant_values: A scalar of the type of `tensor`, for the mode "CONSTANT".

    Returns:
      A `Tensor` of the type of `tensor`.

    Raises:
      ValueError: The mode is unknown, or `paddings` has the wrong shape or negative elements.
      tf.errors.InvalidArgumentError: The same, or more mirrored elements than there are, found at run time.

    Example:

    >>> print(sess.run(tf.pad([[1, 2]], [[1, 0], [0, 2]])))
    [[0 0 0 0]
     [1 2 0 0]]
    >>> print(sess.run(tf.pad([1, 2, 3], [[2, 0]], "REFLECT")))
    [3 2 1 2 3]
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if isinstance(constant_values, Tensor) or np.ndim(constant_values) or constant_values != 0:
            return PadV2(tensor, paddings, constant_values, name=name)
        return Pad(tensor, paddings, name=name)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}")
    return MirrorPad(tensor, paddings, mode=mode, name=name)


# ---- Tile and BroadcastTo


def _tile_shape(op):
    dims = op.inputs[0].dims
    multiples = constant_value_as_shape(op.inputs[1])
    if dims is None:
        return [None if multiples is None else (None,) * len(multiples)]
    if multiples is None:
        return [(None,) * len(dims)]
    if len(multiples) != len(dims):
        raise ValueError(f"Shape must be rank {len(multiples)} but is rank {len(dims)}")
    return [tuple(map(multiply, dims, multiples))]


Tile = define_op(
    "Tile",
    inputs=["input: T", "multiples: Tmultiples"],
    outputs=["output: T"],
    attrs=["T: type", "Tmultiples: {int32, int64} = DT_INT32"],
    shape=_tile_shape,
    doc="Repeats a tensor multiples[d] times in each dimension d.",
)


def _entries(vector, n):
    """The elements of a vector of known length: ints where known, else scalar tensors."""
    known = constant_value_as_shape(vector)
    return [vector[i] if known is None or known[i] is None else known[i] for i in range(n)]


def _product(sizes):
    total = 1
    for size in sizes:
        total = size if isinstance(total, int) and total == 1 else total * size
    return total


@gradient("Tile")
def _tile_grad(op, grad):
    """Sums over the copies, one dimension at a time, viewed as [before, copies, size, after]."""
    import tfcore.ops.reduce.reduce as reduce_ops
    import tfcore.ops.reduce.segment as segment

    x, multiples = op.inputs
    sizes = array_ops.shape(x, out_type=multiples.dtype)
    n = multiples.dims[0] if x.dims is None and multiples.dims else None if x.dims is None else len(x.dims)
    if n is None:  # add every copy to the element it came from
        count = array_ops.size(x)
        places = Tile(array_ops.reshape(constants.range(0, count), sizes), multiples)
        total = segment.UnsortedSegmentSum(array_ops.reshape(grad, [-1]), array_ops.reshape(places, [-1]), count)
        return array_ops.reshape(total, sizes), None
    copies, parts = _entries(multiples, n), _entries(sizes, n)
    result, whole = grad, [c * p for c, p in zip(copies, parts)]
    for i, copied in enumerate(copies):
        if isinstance(copied, int) and copied == 1:
            continue
        shape = [_product(whole[:i]), copied, parts[i], _product(whole[i + 1 :])]
        if not all(isinstance(d, int) for d in shape):
            shape = array_join.stack([convert_to_tensor(d, multiples.dtype) for d in shape])
        result = reduce_ops.Sum(array_ops.reshape(result, shape), 1)
        whole[i] = parts[i]
    return result if result is grad else array_ops.reshape(result, sizes), None


def _tile_grad_shape(op):
    dims, known = op.inputs[0].dims, constant_value_as_shape(op.inputs[1])
    with_rank(op.inputs[1].dims, 1)
    if dims is None or known is None:
        return [None if dims is None else (None,) * len(dims)]
    if len(known) != len(dims):
        raise ValueError(f"Shape must be rank {len(known)} but is rank {len(dims)}")
    return [tuple(d // n if d is not None and n else None for d, n in zip(dims, known))]


TileGrad = define_op(
    "TileGrad",
    inputs=["input: T", "multiples: int32"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_tile_grad_shape,
    doc="The gradient of Tile, in graphs of TensorFlow before 1.0: the sum of the copies.",
)
undefined_gradient("TileGrad")


@described(
    Tile,
    example="""
>>> print(sess.run(tf.tile([[1, 2]], [2, 2])))
[[1 2 1 2]
 [1 2 1 2]]
""",
    shapes={
        "input": "of any shape",
        "multiples": "a vector with one number for each dimension",
        "output": "whose size is multiples[d] times that of `input` in dimension d",
    },
)
def tile(input, multiples, name=None):
    """Repeats a tensor multiples[d] times in each dimension d."""
    return Tile(input, multiples, name=name)


def _broadcast_to_shape(op):
    wanted = constant_value_as_shape(op.inputs[1])
    dims = op.inputs[0].dims
    if wanted is None or dims is None:
        return [wanted]
    if len(dims) > len(wanted):
        raise ValueError(f"Rank of input ({len(dims)}) must be no greater than rank of output shape ({len(wanted)}).")
    # A size of 0 is left to the run, as in TensorFlow. Unknown sizes remain unknown, as a 1 may become any size.
    for d, w in zip(dims[::-1], wanted[::-1]):
        if d is not None and d > 1:
            merge_dim(w, d)
    return [wanted]


BroadcastTo = define_op(
    "BroadcastTo",
    inputs=["input: T", "shape: Tidx"],
    outputs=["output: T"],
    attrs=["T: type", "Tidx: {int32, int64} = DT_INT32"],
    shape=_broadcast_to_shape,
    doc="Repeats dimensions of size 1 and adds leading dimensions to reach `shape`.",
)


@gradient("BroadcastTo")
def _broadcast_to_grad(op, grad):
    import tfcore.ops.reduce.reduce as reduce_ops

    x, y = op.inputs[0], op.outputs[0]
    if x.dims is not None and y.dims is not None and None not in x.dims and None not in y.dims:
        lead = len(y.dims) - len(x.dims)
        axes = list(range(lead))
        axes += [lead + i for i, d in enumerate(x.dims) if d == 1 and y.dims[lead + i] != 1]
        if not axes:
            return array_ops.reshape(grad, array_ops.shape(x)), None
        result = reduce_ops.Sum(grad, np.array(axes, np.int32))
        return (result if result.dims == x.dims else array_ops.reshape(result, array_ops.shape(x))), None
    shape = array_ops.shape(x)
    axes, _ = get_op_def("BroadcastGradientArgs")(shape, array_ops.shape(y))
    return array_ops.reshape(reduce_ops.Sum(grad, axes), shape), None


@described(
    BroadcastTo,
    example="""
>>> print(sess.run(tf.broadcast_to([1, 2, 3], [2, 3])))
[[1 2 3]
 [1 2 3]]
""",
    shapes={
        "input": "of a shape that broadcasts to `shape`",
        "shape": "a vector",
        "output": "of shape `shape`",
    },
)
def broadcast_to(input, shape, name=None):
    """Repeats dimensions of size 1 and adds leading dimensions to reach a shape, by NumPy's rules."""
    return BroadcastTo(input, shape, name=name)


# ---- Reverse, ReverseSequence, Roll

_REVERSIBLE = (
    "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, "
    "complex128, string}"
)


def _reverse_shape(op):
    dims, given = op.inputs[0].dims, op.inputs[1].dims
    if dims is not None and given and given[0] not in (None, len(dims)):
        raise ValueError(f"Shape must be rank {given[0]} but is rank {len(dims)}")
    return [dims]


Reverse = define_op(
    "Reverse",
    inputs=["tensor: T", "dims: bool"],
    outputs=["output: T"],
    attrs=[_REVERSIBLE],
    shape=_reverse_shape,
    doc="Reverses the dimensions for which `dims` is true.",
)


def _reverse_v2_shape(op):
    dims, axes = op.inputs[0].dims, constant_value(op.inputs[1])
    with_rank(op.inputs[1].dims, 1)
    if dims is not None and axes is not None:
        seen = set()
        for axis in axes.tolist():
            axis = normalize_axis(axis, len(dims))
            if axis in seen:
                raise ValueError(f"axis {axis} specified more than once.")
            seen.add(axis)
    return [dims]


ReverseV2 = define_op(
    "ReverseV2",
    inputs=["tensor: T", "axis: Tidx"],
    outputs=["output: T"],
    attrs=["Tidx: {int32, int64} = DT_INT32", _REVERSIBLE],
    shape=_reverse_v2_shape,
    doc="Reverses the dimensions listed in `axis`.",
)


def _reverse_sequence_shape(op):
    dims, lengths = op.inputs[0].dims, with_rank(op.inputs[1].dims, 1)
    if dims is None:
        return [None]
    seq, batch = op.attrs["seq_dim"], op.attrs["batch_dim"]
    if batch < 0:
        raise ValueError(f"batch_dim must be >= 0: {batch}")
    for name, axis in (("batch_dim", batch), ("seq_dim", seq)):  # the run refuses a negative seq_dim
        if axis >= len(dims):
            raise ValueError(f"{name} must be < input rank: {axis} vs. {len(dims)}")
    size = merge_dim(dims[batch], lengths[0])
    return [(*dims[:batch], size, *dims[batch + 1 :])]


ReverseSequence = define_op(
    "ReverseSequence",
    inputs=["input: T", "seq_lengths: Tlen"],
    outputs=["output: T"],
    attrs=["seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = DT_INT64"],
    shape=_reverse_sequence_shape,
    doc="Reverses the first seq_lengths[i] elements along seq_dim for each index i of batch_dim.",
)


def _roll_shape(op):
    shift, axis = (with_rank_at_most(t.dims, 1) for t in op.inputs[1:])
    merge(shift, axis)
    return [with_rank_at_least(op.inputs[0].dims, 1)]


Roll = define_op(
    "Roll",
    inputs=["input: T", "shift: Tshift", "axis: Taxis"],
    outputs=["output: T"],
    attrs=["T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"],
    shape=_roll_shape,
    doc="Rotates elements along axes; those that leave at the end enter at the start.",
)


@gradient("Reverse")
def _reverse_grad(op, grad):
    return Reverse(grad, op.inputs[1]), None


@gradient("ReverseV2")
def _reverse_v2_grad(op, grad):
    return ReverseV2(grad, op.inputs[1]), None


@gradient("ReverseSequence")
def _reverse_sequence_grad(op, grad):
    attrs = {name: op.attrs[name] for name in ("seq_dim", "batch_dim")}
    return ReverseSequence(grad, op.inputs[1], **attrs), None


@gradient("Roll")
def _roll_grad(op, grad):
    return Roll(grad, -op.inputs[1], op.inputs[2]), None, None


@described(
    ReverseV2,
    example="""
>>> print(sess.run(tf.reverse([[1, 2, 3], [4, 5, 6]], [1])))
[[3 2 1]
 [6 5 4]]
""",
    shapes={
        "tensor": "of any shape",
        "axis": "a vector of dimensions, each at most once; negative ones count from the end",
        "output": "of the shape of `tensor`",
    },
)
def reverse(tensor, axis, name=None):
    """Reverses the order of elements along the given dimensions."""
    return ReverseV2(tensor, axis, name=name)


reverse_v2 = reverse


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    """Reverses the first seq_lengths[i] elements along `seq_axis`, for each index i along `batch_axis`.

    The elements after them stay where they are, so that padding remains at the end.

    Args:
      input: A `Tensor` of any type.
      seq_lengths: A vector of type int32 or int64, a length for each index along `batch_axis`.
      seq_axis: The dimension to reverse along, an int of at least 0.
      batch_axis: The dimension of the batch, an int of at least 0; 0 by default.
      name: Name of the operation (optional).
      seq_dim: Old name of `seq_axis`.
      batch_dim: Old name of `batch_axis`.

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      ValueError: A dimension is out of range, the number of lengths is wrong, or both names of an argument are given.
      tf.errors.InvalidArgumentError: A length is greater than the size along `seq_axis` at run time.

    Example:

    >>> print(sess.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)))
    [[2 1 3]
     [6 5 4]]
    """
    seq = array_ops.alias(seq_axis, seq_dim, "seq_axis", "seq_dim")
    batch = array_ops.alias(batch_axis, batch_dim, "batch_axis", "batch_dim")
    return ReverseSequence(input, seq_lengths, seq_dim=seq, batch_dim=batch or 0, name=name)


@described(
    Roll,
    example="""
>>> print(sess.run(tf.roll([1, 2, 3, 4], 1, 0)))
[4 1 2 3]
""",
    shapes={
        "input": "of rank 1 or more",
        "shift": "a scalar, or a vector with one number for each of `axis`",
        "axis": "a scalar or a vector",
        "output": "of the shape of `input`",
    },
)
def roll(input, shift, axis, name=None):
    """Rotates elements by `shift` places along `axis`; those that leave at the end enter at the start."""
    return Roll(input, shift, axis, name=name)


def meshgrid(*args, **kwargs):
    """Coordinate grids of vectors, as in NumPy.

    Args:
      *args: Vectors of one type.
      **kwargs: `indexing`: "xy" (default), where the first two dimensions of the grids are exchanged, or "ij"; `name`:
        name of the scope.

    Returns:
      A list of `Tensor`s, one for each vector, of rank `len(args)`.

    Raises:
      ValueError: `indexing` is neither "xy" nor "ij", or the types differ.
      TypeError: There is another keyword argument.

    Example:

    >>> x, y = tf.meshgrid([1, 2, 3], [10, 20])
    >>> print(sess.run(x))
    [[1 2 3]
     [1 2 3]]
    >>> print(sess.run(y))
    [[10 10 10]
     [20 20 20]]
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", args):
        n = len(args)
        if n == 0:
            return []
        rows = [array_ops.reshape(x, [1] * i + [-1] + [1] * (n - 1 - i)) for i, x in enumerate(args)]
        sizes = [array_ops.size(x) for x in args]
        kind = rows[0].dtype.base_dtype
        if indexing == "xy" and n > 1:
            rows[0] = array_ops.reshape(rows[0], [1, -1] + [1] * (n - 2))
            rows[1] = array_ops.reshape(rows[1], [-1, 1] + [1] * (n - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        if all(constant_value(s) is not None for s in sizes):
            shape = np.array([int(constant_value(s)) for s in sizes], np.int32)
        else:
            shape = array_join.stack(sizes)
        if any(r.dtype.base_dtype is not kind for r in rows):
            raise ValueError("All arguments of meshgrid must have the same type")
        return [BroadcastTo(row, shape) for row in rows]
