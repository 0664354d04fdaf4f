"""Moving blocks of space into depth or into the batch, and back."""

import math

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import multiply, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.arrays import make_array
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor


def _places(op):
    """Positions of channels, rows and columns."""
    return (1, 2, 3) if op.attrs["data_format"] == b"NCHW" else (3, 1, 2)


def _divide(size, by):
    if size is None:
        return None
    if size % by:
        raise ValueError(f"Dimension size must be evenly divisible by {by} but is {size}")
    return size // by


def _times(size, by):
    return multiply(size, by)


def _depth_to_space_shape(op):
    dims, block = list(with_rank(op.inputs[0].dims, 4)), op.attrs["block_size"]
    c, h, w = _places(op)
    dims[c], dims[h], dims[w] = _divide(dims[c], block * block), _times(dims[h], block), _times(dims[w], block)
    return [tuple(dims)]


def _space_to_depth_shape(op):
    dims, block = list(with_rank(op.inputs[0].dims, 4)), op.attrs["block_size"]
    c, h, w = _places(op)
    dims[c], dims[h], dims[w] = _times(dims[c], block * block), _divide(dims[h], block), _divide(dims[w], block)
    return [tuple(dims)]


_FORMAT = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"

DepthToSpace = define_op(
    "DepthToSpace",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "block_size: int >= 2", _FORMAT],
    shape=_depth_to_space_shape,
    doc="Moves channels into blocks of block_size x block_size pixels.",
)
SpaceToDepth = define_op(
    "SpaceToDepth",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "block_size: int >= 2", _FORMAT],
    shape=_space_to_depth_shape,
    doc="Moves blocks of block_size x block_size pixels into the channels.",
)


@gradient("DepthToSpace")
def _depth_to_space_grad(op, grad):
    return SpaceToDepth(grad, block_size=op.attrs["block_size"], data_format=op.attrs["data_format"])


@gradient("SpaceToDepth")
def _space_to_depth_grad(op, grad):
    return DepthToSpace(grad, block_size=op.attrs["block_size"], data_format=op.attrs["data_format"])


@described(
    DepthToSpace,
    shapes={
        "input": "[batch, height, width, channels]",
        "output": "[batch, height * block_size, width * block_size, channels / block_size ** 2]",
    },
)
def depth_to_space(input, block_size, name=None, data_format="NHWC"):
    """Moves channels into blocks of block_size x block_size pixels: the inverse of `space_to_depth`."""
    return DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)


@described(
    SpaceToDepth,
    example="""
>>> images = tf.reshape(tf.range(16), [1, 4, 4, 1])
>>> print(sess.run(tf.space_to_depth(images, 2))[0, 0])
[[0 1 4 5]
 [2 3 6 7]]
""",
    shapes={
        "input": "[batch, height, width, channels]",
        "output": "[batch, height / block_size, width / block_size, channels * block_size ** 2]",
    },
)
def space_to_depth(input, block_size, name=None, data_format="NHWC"):
    """Moves blocks of block_size x block_size pixels into the channels."""
    return SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


# ---- Batch


def _batch_dims(dims, blocks, pads, to_batch):
    """Dims after moving blocks into the batch or back; pads are the paddings or crops."""
    if dims is None:
        return None
    if blocks is None:
        return (None,) * len(dims)
    if len(dims) < len(blocks) + 1:
        raise ValueError(f"Shape must be at least rank {len(blocks) + 1} but is rank {len(dims)}")
    if any(b < 1 for b in blocks):
        raise ValueError(f"block_shape must be positive: {list(blocks)}")
    if pads is not None and len(pads) != len(blocks):
        raise ValueError(f"{len(blocks)} block sizes, but {len(pads)} rows of {'paddings' if to_batch else 'crops'}")
    product = math.prod(blocks)
    out = list(dims)
    out[0] = _times(dims[0], product) if to_batch else _divide(dims[0], product)
    for i, block in enumerate(blocks):
        if pads is None or dims[i + 1] is None:
            out[i + 1] = None
            continue
        before, after = pads[i]
        if before < 0 or after < 0:
            raise ValueError(f"{'paddings' if to_batch else 'crops'} must be non-negative")
        if to_batch:
            out[i + 1] = _divide(dims[i + 1] + before + after, block)
        else:
            out[i + 1] = dims[i + 1] * block - before - after
            if out[i + 1] < 0:
                raise ValueError(
                    f"Negative dimension size caused by subtracting {before + after} from {dims[i + 1] * block}"
                )
    return tuple(out)


def _pairs(tensor):
    """The rows [before, after] of a matrix, or None where unknown."""
    if with_rank(tensor.dims, 2)[1] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {tensor.dims[1]}")
    value = constant_value(tensor)
    return None if value is None else value.tolist()


def _batch_nd_shape(op, to_batch):
    with_rank(op.inputs[1].dims, 1)
    blocks = constant_value(op.inputs[1])
    return [_batch_dims(op.inputs[0].dims, None if blocks is None else blocks.tolist(), _pairs(op.inputs[2]), to_batch)]


_BLOCK = "Tblock_shape: {int32, int64} = DT_INT32"

SpaceToBatchND = define_op(
    "SpaceToBatchND",
    inputs=["input: T", "block_shape: Tblock_shape", "paddings: Tpaddings"],
    outputs=["output: T"],
    attrs=["T: type", _BLOCK, "Tpaddings: {int32, int64} = DT_INT32"],
    shape=lambda op: _batch_nd_shape(op, True),
    doc="Pads with zeros, then moves the positions within each block into the batch dimension.",
)
BatchToSpaceND = define_op(
    "BatchToSpaceND",
    inputs=["input: T", "block_shape: Tblock_shape", "crops: Tcrops"],
    outputs=["output: T"],
    attrs=["T: type", _BLOCK, "Tcrops: {int32, int64} = DT_INT32"],
    shape=lambda op: _batch_nd_shape(op, False),
    doc="Moves the batch dimension back into blocks, then crops.",
)


def _square(op, to_batch):
    block = op.attrs["block_size"]
    return [_batch_dims(with_rank(op.inputs[0].dims, 4), [block, block], _pairs(op.inputs[1]), to_batch)]


SpaceToBatch = define_op(
    "SpaceToBatch",
    inputs=["input: T", "paddings: Tpaddings"],
    outputs=["output: T"],
    attrs=["T: type", "Tpaddings: {int32, int64} = DT_INT32", "block_size: int >= 2"],
    shape=lambda op: _square(op, True),
    doc="SpaceToBatchND for images and square blocks.",
)
BatchToSpace = define_op(
    "BatchToSpace",
    inputs=["input: T", "crops: Tidx"],
    outputs=["output: T"],
    attrs=["T: type", "block_size: int >= 2", "Tidx: {int32, int64} = DT_INT32"],
    shape=lambda op: _square(op, False),
    doc="BatchToSpaceND for images and square blocks.",
)


@gradient("SpaceToBatchND")
def _space_to_batch_nd_grad(op, grad):
    return BatchToSpaceND(grad, op.inputs[1], op.inputs[2]), None, None


@gradient("BatchToSpaceND")
def _batch_to_space_nd_grad(op, grad):
    return SpaceToBatchND(grad, op.inputs[1], op.inputs[2]), None, None


@gradient("SpaceToBatch")
def _space_to_batch_grad(op, grad):
    return BatchToSpace(grad, op.inputs[1], block_size=op.attrs["block_size"]), None


@gradient("BatchToSpace")
def _batch_to_space_grad(op, grad):
    return SpaceToBatch(grad, op.inputs[1], block_size=op.attrs["block_size"]), None


@described(
    SpaceToBatchND,
    shapes={
        "input": "[batch, ...]",
        "block_shape": "one size for each of the n dimensions after the first",
        "paddings": "[n, 2], zeros to add before and after each of them",
    },
)
def space_to_batch_nd(input, block_shape, paddings, name=None):
    """Pads with zeros, then moves the positions within each block into the batch dimension."""
    return SpaceToBatchND(input, block_shape, paddings, name=name)


@described(
    BatchToSpaceND,
    shapes={
        "input": "[batch, ...]",
        "block_shape": "one size for each of the n dimensions after the first",
        "crops": "[n, 2], what to cut off before and after each of them",
    },
)
def batch_to_space_nd(input, block_shape, crops, name=None):
    """Moves the batch dimension back into blocks, then crops: the inverse of `space_to_batch_nd`."""
    return BatchToSpaceND(input, block_shape, crops, name=name)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """`space_to_batch_nd` for images and square blocks.

    Args:
      input: A `Tensor` of any type and shape [batch, height, width, channels].
      paddings: Zeros to add, [[top, bottom], [left, right]], type int32 or int64.
      block_size: Height and width of a block, an int of at least 1.
      name: Name of the operation (optional).
      block_shape: Another name of `block_size`.

    Returns:
      A `Tensor` of the type of `input` and shape [batch * block_size ** 2, height / block_size, width / block_size,
      channels], with the padded height and width.

    Raises:
      ValueError: The static shapes don't fit, or both names of an argument are given.
      tf.errors.InvalidArgumentError: The padded sizes are not multiples of the block size at run time.
    """
    block = array_ops.alias(block_size, block_shape, "block_size", "block_shape")
    result = SpaceToBatchND(input, make_array([block, block], dtypes.int32), paddings, name=name)
    return _with_rank_4(result)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """`batch_to_space_nd` for images and square blocks.

    Args:
      input: A `Tensor` of any type and shape [batch, height, width, channels].
      crops: What to cut off, [[top, bottom], [left, right]], type int32 or int64.
      block_size: Height and width of a block, an int of at least 1.
      name: Name of the operation (optional).
      block_shape: Another name of `block_size`.

    Returns:
      A `Tensor` of the type of `input` and shape [batch / block_size ** 2, height * block_size - crops, width *
      block_size - crops, channels].

    Raises:
      ValueError: The static shapes don't fit, or both names of an argument are given.
      tf.errors.InvalidArgumentError: The same, found at run time.
    """
    block = array_ops.alias(block_size, block_shape, "block_size", "block_shape")
    result = BatchToSpaceND(input, make_array([block, block], dtypes.int32), crops, name=name)
    return _with_rank_4(result)


def _with_rank_4(tensor):
    tensor.dims = with_rank(tensor.dims, 4)
    return tensor


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make sizes multiples of block sizes, for `space_to_batch_nd` and `batch_to_space_nd`.

    Args:
      input_shape: Sizes of the n spatial dimensions, an int32 vector.
      block_shape: Block sizes, an int32 vector of n elements.
      base_paddings: The least paddings, int32 of shape [n, 2]; zeros by default.
      name: Name of the scope (optional).

    Returns:
      A pair of int32 `Tensor`s of shape [n, 2]: the paddings, and the crops that undo the added part of them. Both are
      constants where all arguments are.

    Raises:
      TypeError: An argument is not of type int32.
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        sizes = convert_to_tensor(input_shape, dtype=dtypes.int32)
        blocks = convert_to_tensor(block_shape, dtype=dtypes.int32)
        blocks.shape.assert_is_fully_defined()
        blocks.shape.assert_has_rank(1)
        if not blocks.dims[0]:
            return constant(np.zeros([0, 2], np.int32)), constant(np.zeros([0, 2], np.int32))
        sizes.shape.assert_is_compatible_with(blocks.shape)
        base = np.zeros((blocks.dims[0], 2), np.int32) if base_paddings is None else base_paddings
        base = convert_to_tensor(base, dtype=dtypes.int32)
        known = [constant_value(t) for t in (sizes, blocks, base)]
        if all(v is not None for v in known):
            size, block, pads = known
            extra = -(size + pads.sum(1)) % block
            paddings = np.stack([pads[:, 0], pads[:, 1] + extra], 1)
            crops = np.stack([np.zeros_like(extra), extra], 1)
            return constant(paddings, name="paddings"), constant(crops, name="crops")
        start, end = base[:, 0], base[:, 1]
        extra = (blocks - (sizes + start + end) % blocks) % blocks
        paddings = array_join.stack([start, end + extra], 1, name="paddings")
        return paddings, array_join.stack([extra * 0, extra], 1, name="crops")
