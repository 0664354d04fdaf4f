"""Moving blocks of space into depth or into the batch, and back."""

import math

import numpy as np

import tfcore.ops.array as array_ops
import tfcore.ops.array_join as array_join
from tfcore.framework import dtypes
from tfcore.framework.constant import constant, constant_value, make_array
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.op_def import define_op, gradient
from tfcore.framework.op_wrappers import described
from tfcore.framework.shapes import multiply, with_rank

__all__ = [
    "batch_to_space", "batch_to_space_nd", "depth_to_space", "required_space_to_batch_paddings", "space_to_batch",
    "space_to_batch_nd", "space_to_depth",
]  # fmt: skip
__nn__ = ["depth_to_space", "space_to_batch", "space_to_depth"]


def _places(op):
    """Positions of channels, rows and columns."""
    return (1, 2, 3) if op._attrs["data_format"] == b"NCHW" else (3, 1, 2)


def _divide(size, by):
    if size is None:
        return None
    if size % by:
        raise ValueError(f"Dimension size must be evenly divisible by {by} but is {size}")
    return size // by


def _times(size, by):
    return multiply(size, by)


def _depth_to_space_shape(op):
    dims, block = list(with_rank(op.inputs[0].dims, 4)), op._attrs["block_size"]
    c, h, w = _places(op)
    dims[c], dims[h], dims[w] = _divide(dims[c], block * block), _times(dims[h], block), _times(dims[w], block)
    return [tuple(dims)]


def _space_to_depth_shape(op):
    dims, block = list(with_rank(op.inputs[0].dims, 4)), op._attrs["block_size"]
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
    doc="Turns channels into blocks of block_size x block_size places.",
)
SpaceToDepth = define_op(
    "SpaceToDepth",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "block_size: int >= 2", _FORMAT],
    shape=_space_to_depth_shape,
    doc="Turns blocks of block_size x block_size places into channels.",
)


@gradient("DepthToSpace")
def _depth_to_space_grad(op, grad):
    return SpaceToDepth(grad, block_size=op._attrs["block_size"], data_format=op._attrs["data_format"])


@gradient("SpaceToDepth")
def _space_to_depth_grad(op, grad):
    return DepthToSpace(grad, block_size=op._attrs["block_size"], data_format=op._attrs["data_format"])


@described(DepthToSpace)
def depth_to_space(input, block_size, name=None, data_format="NHWC"):
    """Turns channels into blocks of block_size x block_size places."""
    return DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)


@described(SpaceToDepth)
def space_to_depth(input, block_size, name=None, data_format="NHWC"):
    """Turns blocks of block_size x block_size places into channels."""
    return SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


# ---- Batch


def _batch_dims(dims, blocks, pads, to_batch):
    """Dims after moving blocks of the dimensions 1 ... into the batch, or back; pads: paddings or crops."""
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
    """The rows [before, after] of a matrix, None if they are not known."""
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
    doc="Pads, then moves places within blocks of the dimensions after the first into the batch.",
)
BatchToSpaceND = define_op(
    "BatchToSpaceND",
    inputs=["input: T", "block_shape: Tblock_shape", "crops: Tcrops"],
    outputs=["output: T"],
    attrs=["T: type", _BLOCK, "Tcrops: {int32, int64} = DT_INT32"],
    shape=lambda op: _batch_nd_shape(op, False),
    doc="Moves parts of the batch into blocks of the dimensions after the first, then crops.",
)


def _square(op, to_batch):
    block = op._attrs["block_size"]
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
    return BatchToSpace(grad, op.inputs[1], block_size=op._attrs["block_size"]), None


@gradient("BatchToSpace")
def _batch_to_space_grad(op, grad):
    return SpaceToBatch(grad, op.inputs[1], block_size=op._attrs["block_size"]), None


@described(SpaceToBatchND)
def space_to_batch_nd(input, block_shape, paddings, name=None):
    """Pads, then moves places within blocks of the dimensions after the first into the batch."""
    return SpaceToBatchND(input, block_shape, paddings, name=name)


@described(BatchToSpaceND)
def batch_to_space_nd(input, block_shape, crops, name=None):
    """Moves parts of the batch into blocks of the dimensions after the first, then crops."""
    return BatchToSpaceND(input, block_shape, crops, name=name)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """`space_to_batch_nd` for images and square blocks."""
    block = array_ops._alias(block_size, block_shape, "block_size", "block_shape")
    result = SpaceToBatchND(input, make_array([block, block], dtypes.int32), paddings, name=name)
    return _with_rank_4(result)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """`batch_to_space_nd` for images and square blocks."""
    block = array_ops._alias(block_size, block_shape, "block_size", "block_shape")
    result = BatchToSpaceND(input, make_array([block, block], dtypes.int32), crops, name=name)
    return _with_rank_4(result)


def _with_rank_4(tensor):
    tensor.dims = with_rank(tensor.dims, 4)
    return tensor


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """Paddings that make block_shape divide input_shape, and the crops that undo them; both [n, 2] tensors."""
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        sizes = convert_to_tensor(input_shape, dtype=dtypes.int32)
        blocks = convert_to_tensor(block_shape, dtype=dtypes.int32)
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
