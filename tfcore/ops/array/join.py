"""Ops that join tensors and take them apart: concat, split, stack, unstack."""

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import merge, normalize_axis
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor


def _concat_dims(axis, values):
    dims = None
    for t in values:
        if t.dims is not None:
            dims = (None,) * len(t.dims)
            break
    if dims is None:
        return None
    rank = len(dims)
    if axis is None:
        return dims
    if rank == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    axis = normalize_axis(int(axis.item()), rank)
    total, merged = 0, None
    for t in values:
        d = t.dims
        if d is None:
            total = None
            continue
        if len(d) != rank:
            raise ValueError(f"Shapes must be equal rank, but are {rank} and {len(d)}")
        total = None if total is None or d[axis] is None else total + d[axis]
        merged = merge(merged, (*d[:axis], *d[axis + 1 :]))
    return (*merged[:axis], total, *merged[axis:])


def _concat_shape(op):
    return [_concat_dims(constant_value(op.inputs[0]), op.inputs[1:])]


def _concat_v2_shape(op):
    return [_concat_dims(constant_value(op.inputs[-1]), op.inputs[:-1])]


Concat = define_op(
    "Concat",
    inputs=["concat_dim: int32", "values: N * T"],
    outputs=["output: T"],
    attrs=["N: int >= 2", "T: type"],
    shape=_concat_shape,
    doc="Joins tensors along a dimension.",
)


ConcatV2 = define_op(
    "ConcatV2",
    inputs=["values: N * T", "axis: Tidx"],
    outputs=["output: T"],
    attrs=["N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"],
    shape=_concat_v2_shape,
    doc="Joins tensors along a dimension.",
)


ConcatOffset = define_op(
    "ConcatOffset",
    inputs=["concat_dim: int32", "shape: N * shape_type"],
    outputs=["offset: N * shape_type"],
    attrs=["N: int >= 2", "shape_type: {int32, int64} = DT_INT32"],
    shape=lambda op: [t.dims for t in op.inputs[1:]],
    doc="The offset of each tensor in the concatenation of tensors of these shapes.",
)


not_differentiable("ConcatOffset")


def _concat_grads(axis, values, grad):
    """The pieces of the gradient of a concatenation."""
    from tfcore.framework.values.indexed_slices import IndexedSlices

    if isinstance(grad, IndexedSlices):
        grad = convert_to_tensor(grad)
    known = constant_value(axis)
    first = next((t.dims for t in values if t.dims is not None), None)
    if known is not None and first is not None:
        at = normalize_axis(int(known.item()), len(first))
        sizes = [None if t.dims is None else t.dims[at] for t in values]
        if None not in sizes:
            return SplitV(grad, np.array(sizes, np.int64), at, num_split=len(sizes))
    import tfcore.ops.array.slice as array_slice

    if known is not None and int(known.item()) < 0 or known is None:
        n = array_ops.rank(values[0])
        axis = get_op_def("FloorMod")(
            axis if axis.dtype is dtypes.int32 else get_op_def("Cast")(axis, DstT=dtypes.int32), n
        )
    elif axis.dtype is not dtypes.int32:
        axis = constant(int(known.item()))
    sizes = array_ops.ShapeN(values)
    offsets = ConcatOffset(axis, sizes)
    return [array_slice.Slice(grad, begin, extent) for begin, extent in zip(offsets, sizes)]


@gradient("Concat")
def _concat_grad(op, grad):
    return [None, *_concat_grads(op.inputs[0], op.inputs[1:], grad)]


@gradient("ConcatV2")
def _concat_v2_grad(op, grad):
    return [*_concat_grads(op.inputs[-1], op.inputs[:-1], grad), None]


def concat(values, axis, name="concat"):
    """Joins tensors along an existing dimension.

    Args:
      values: A list of `Tensor`s of one type, whose shapes agree in all dimensions but `axis`; or one `Tensor`.
      axis: The dimension, an int32 scalar in [-rank, rank).
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of the values; its size along `axis` is the sum of theirs.

    Raises:
      TypeError: The types differ.
      ValueError: The shapes don't fit together, the values are scalars, or `axis` is out of range.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0)))
    [[1 2]
     [3 4]
     [5 6]]
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name) as scope:
            where = convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
            if where.dims:
                raise ValueError(f"Shape must be rank 0 but is rank {len(where.dims)} for 'concat_dim'")
            return array_ops.identity(values[0], name=scope)
    return ConcatV2(values, axis, name=name)


def _split_dims(dims, axis, sizes):
    """Dims of the pieces, given the size of each (None if unknown)."""
    if dims is None:
        return [None] * len(sizes)
    if axis is None:
        return [(None,) * len(dims)] * len(sizes)
    axis = normalize_axis(int(axis.item()), len(dims))
    return [(*dims[:axis], s, *dims[axis + 1 :]) for s in sizes]


def _split_shape(op):
    n = op.attrs["num_split"]
    axis, dims = constant_value(op.inputs[0]), op.inputs[1].dims
    piece = None
    if dims is not None and axis is not None:
        whole = dims[normalize_axis(int(axis.item()), len(dims))]
        if whole is not None:
            if whole % n:
                raise ValueError(f"Dimension size must be evenly divisible by {n} but is {whole}")
            piece = whole // n
    return _split_dims(dims, axis, [piece] * n)


Split = define_op(
    "Split",
    inputs=["split_dim: int32", "value: T"],
    outputs=["output: num_split * T"],
    attrs=["num_split: int >= 1", "T: type"],
    shape=_split_shape,
    doc="Cuts a tensor into equal pieces along a dimension.",
)


def _split_v_shape(op):
    n = op.attrs["num_split"]
    dims, sizes, axis = op.inputs[0].dims, constant_value(op.inputs[1]), constant_value(op.inputs[2])
    if sizes is None:
        return _split_dims(dims, axis, [None] * n)
    sizes = [int(s) for s in sizes]
    if len(sizes) != n:
        raise ValueError(f"Length of size_splits should be equal to num_outputs, {len(sizes)} != {n}")
    whole = None if dims is None or axis is None else dims[normalize_axis(int(axis.item()), len(dims))]
    if -1 in sizes:
        rest = None if whole is None else whole - sum(s for s in sizes if s != -1)
        if rest is not None and rest < 0:
            raise ValueError(
                f"Sum of output sizes must match the size of the original Tensor along the split dimension: {whole}"
            )
        sizes = [rest if s == -1 else s for s in sizes]
    elif whole is not None and sum(sizes) != whole:
        raise ValueError(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
            f"than the size of the input along split_dim if not fully specified.  Got: {sum(sizes)} and {whole}"
        )
    return _split_dims(dims, axis, sizes)


SplitV = define_op(
    "SplitV",
    inputs=["value: T", "size_splits: Tlen", "split_dim: int32"],
    outputs=["output: num_split * T"],
    attrs=["num_split: int >= 1", "T: type", "Tlen: {int32, int64} = DT_INT64"],
    shape=_split_v_shape,
    doc="Cuts a tensor into pieces of the given sizes along a dimension; one size may be -1.",
)


@gradient("Split")
def _split_grad(op, *grads):
    return None, concat(list(grads), op.inputs[0])


@gradient("SplitV")
def _split_v_grad(op, *grads):
    return concat(list(grads), op.inputs[2]), None, None


def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Cuts a tensor into pieces along a dimension.

    Args:
      value: A `Tensor` of any type.
      num_or_size_splits: The number of equal pieces, an int that divides the size; or their sizes, a list or a vector
        of type int32 or int64; one may be -1 for the rest.
      axis: The dimension, an int32 scalar in [-rank, rank).
      num: The number of pieces, needed only where the length of a vector of sizes is not known statically.
      name: Name of the operation (optional).

    Returns:
      A list of `Tensor`s of the type of `value`.

    Raises:
      ValueError: The sizes don't fit `value`, or the number of pieces can't be inferred.
      tf.errors.InvalidArgumentError: The sizes don't fit `value` at run time.

    Example:

    >>> first, second = tf.split([1, 2, 3, 4], 2)
    >>> print(sess.run(first), sess.run(second))
    [1 2] [3 4]
    >>> first, second = tf.split([1, 2, 3, 4], [1, -1])
    >>> print(sess.run(first), sess.run(second))
    [1] [2 3 4]
    """
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)) and not isinstance(num_or_size_splits, bool):
        return Split(axis, value, num_split=int(num_or_size_splits), name=name)
    value = convert_to_tensor(value)
    sizes = num_or_size_splits
    if not isinstance(sizes, Tensor):
        sizes = convert_to_tensor(sizes, dtype=None)
    if sizes.dims == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = sizes.dims[0] if sizes.dims else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return SplitV(value, sizes, axis, num_split=num, name=name)


def _pack_shape(op):
    dims = None
    for t in op.inputs:
        dims = merge(dims, t.dims)
    if dims is None:
        return [None]
    axis, n = op.attrs["axis"], len(dims) + 1
    if not -n <= axis < n:
        raise ValueError(f"axis = {axis} not in [{-n}, {n})")
    axis = axis + n if axis < 0 else axis
    return [(*dims[:axis], len(op.inputs), *dims[axis:])]


Pack = define_op(
    "Pack",
    inputs=["values: N * T"],
    outputs=["output: T"],
    attrs=["N: int >= 1", "T: type", "axis: int = 0"],
    shape=_pack_shape,
    doc="Joins tensors of one shape along a new dimension.",
)


def _unpack_shape(op):
    dims, num, axis = op.inputs[0].dims, op.attrs["num"], op.attrs["axis"]
    if dims is None:
        return [None] * num
    n = len(dims)
    if not -n <= axis < n:
        raise ValueError(f"axis = {axis} not in [{-n}, {n})")
    axis = axis + n if axis < 0 else axis
    if dims[axis] not in (None, num):
        raise ValueError(f"Dimension must be {num} but is {dims[axis]}")
    return [(*dims[:axis], *dims[axis + 1 :])] * num


Unpack = define_op(
    "Unpack",
    inputs=["value: T"],
    outputs=["output: num * T"],
    attrs=["num: int >= 0", "T: type", "axis: int = 0"],
    shape=_unpack_shape,
    doc="Takes a tensor apart along a dimension, which disappears.",
)


@gradient("Pack")
def _pack_grad(op, grad):
    return Unpack(grad, num=op.attrs["N"], axis=op.attrs["axis"])


@gradient("Unpack")
def _unpack_grad(op, *grads):
    return Pack(list(grads), axis=op.attrs["axis"])


def _parallel_shape(op):
    dims = op.attrs["shape"]
    if dims is None or None in dims:
        raise ValueError("shape attr must be fully defined.")
    row = (1, *dims[1:])
    for i, value in enumerate(op.inputs):
        if value.dims is None or None in value.dims:
            raise ValueError("All input shapes must be fully defined.")
        if not value.dims:
            raise ValueError(
                f"The rank of all input shapes must be greater than 0, but input {i} had rank {len(value.dims)}."
            )
        if value.dims[0] != 1:
            raise ValueError("Size of first dimension must be 1.")
        merge(value.dims, row)
    return [dims]


ParallelConcat = define_op(
    "ParallelConcat",
    inputs=["values: N * T"],
    outputs=["output: T"],
    attrs=["N: int >= 1", "T: type", "shape: shape"],
    shape=_parallel_shape,
    doc="Joins tensors of one row along the first dimension.",
)
undefined_gradient("ParallelConcat")


def stack(values, axis=0, name="stack"):
    """Joins tensors of one shape along a new dimension.

    Args:
      values: A list of `Tensor`s of one type and shape.
      axis: Position of the new dimension, an int in [-rank - 1, rank].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of the values with one more dimension.

    Raises:
      TypeError: The types differ.
      ValueError: The shapes differ or `axis` is out of range.

    Example:

    >>> print(sess.run(tf.stack([[1, 2], [3, 4]])))
    [[1 2]
     [3 4]]
    >>> print(sess.run(tf.stack([[1, 2], [3, 4]], axis=1)))
    [[1 3]
     [2 4]]
    """
    if axis == 0:
        if hasattr(values, "_as_graph_element"):
            return convert_to_tensor(values)  # it is stacked already
        if not any(hasattr(v, "_as_graph_element") for v in values):
            try:
                return convert_to_tensor(values, name=name)
            except (TypeError, ValueError):
                pass  # nested lists that hold tensors
    else:
        first = convert_to_tensor(values[0])
        if first.dims is not None:
            n = len(first.dims) + 1
            if not -n <= axis < n:
                raise ValueError(f"axis = {axis} not in [{-n}, {n})")
    return Pack(list(values), axis=axis, name=name)


def parallel_stack(values, name="parallel_stack"):
    """`stack` along a new first dimension.

    Args:
      values: A list of `Tensor`s of one type and shape.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of the values with a new first dimension.

    Raises:
      TypeError: The types differ.
      ValueError: The shapes differ.
    """
    convert_to_tensor(values[0])
    return stack(values, 0, name)


def unstack(value, num=None, axis=0, name="unstack"):
    """Takes a tensor apart along a dimension, which disappears: the inverse of `stack`.

    Args:
      value: A `Tensor` of any type.
      num: The size of `value` along `axis`; needed only where it is not known statically.
      axis: The dimension to take apart, an int in [-rank, rank).
      name: Name of the operation (optional).

    Returns:
      A list of `Tensor`s of the type of `value`, each without that dimension.

    Raises:
      ValueError: The size can't be inferred or is not `num`, or `axis` is out of range.

    Example:

    >>> a, b = tf.unstack([[1, 2], [3, 4]])
    >>> print(sess.run(a), sess.run(b))
    [1 2] [3 4]
    """
    if num is None:
        value = convert_to_tensor(value)
        if value.dims is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        n = len(value.dims)
        if not -n <= axis < n:
            raise ValueError(f"axis = {axis} not in [{-n}, {n})")
        num = value.dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return Unpack(value, num=num, axis=axis, name=name)
