"""Records of moving blocks of space into depth or into the batch, and back."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _to_channels_last(x, data_format):
    return x if data_format == "NHWC" else np.moveaxis(x, 1, -1)


def _from_channels_last(x, data_format):
    return x if data_format == "NHWC" else np.moveaxis(x, -1, 1)


def _depth_to_space(x, block_size, data_format):
    x = _to_channels_last(x, data_format)
    n, h, w, c = x.shape
    b = block_size
    x = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return _from_channels_last(x.reshape(n, h * b, w * b, c // (b * b)), data_format)


def _space_to_depth(x, block_size, data_format):
    x = _to_channels_last(x, data_format)
    n, h, w, c = x.shape
    b = block_size
    x = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return _from_channels_last(x.reshape(n, h // b, w // b, b * b * c), data_format)


def _image(deep):
    def inputs(draw, case):
        n, h, w, c = (draw(st.integers(0, 3)), *(draw(st.integers(1, 4)) for _ in range(3)))
        b = draw(st.integers(2, 3))
        data_format = draw(st.sampled_from(["NHWC", "NCHW"]))
        shape = (n, h, w, c * b * b) if deep else (n, h * b, w * b, c)
        if data_format == "NCHW":
            shape = (shape[0], shape[3], shape[1], shape[2])
        return [draw(case.array(shape))], {"block_size": b, "data_format": data_format}

    return inputs


def _blocks_reference(x, blocks, paddings):
    m = len(blocks)
    paddings = [(0, 0), *map(tuple, paddings), *[(0, 0)] * (x.ndim - m - 1)]
    padded = np.empty([d + b + a for d, (b, a) in zip(x.shape, paddings)], x.dtype)
    padded[...] = b"" if x.dtype.kind == "O" else 0
    padded[tuple(slice(b, b + d) for d, (b, a) in zip(x.shape, paddings))] = x
    rest = padded.shape[m + 1 :]
    split = [n for i in range(m) for n in (padded.shape[i + 1] // blocks[i], blocks[i])]
    order = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m, 2), *range(2 * m + 1, 2 * m + 1 + len(rest))]
    moved = padded.reshape(x.shape[0], *split, *rest).transpose(order)
    return moved.reshape(x.shape[0] * int(np.prod(blocks)), *split[::2], *rest)


def _batches_reference(x, blocks, crops):
    m = len(blocks)
    n = x.shape[0] // int(np.prod(blocks))
    rest = x.shape[m + 1 :]
    order = [m, *(k for i in range(m) for k in (m + 1 + i, i)), *range(2 * m + 1, 2 * m + 1 + len(rest))]
    moved = x.reshape(*blocks, n, *x.shape[1:]).transpose(order)
    whole = moved.reshape(n, *(x.shape[i + 1] * blocks[i] for i in range(m)), *rest)
    return whole[(slice(None), *(slice(b, d - a) for d, (b, a) in zip(whole.shape[1:], crops)))]


def _plan(draw, m, low=1):
    blocks = [draw(st.integers(low, 3)) for _ in range(m)]
    sizes = [draw(st.integers(1, 4)) for _ in range(m)]  # in blocks
    pads = []
    for b, s in zip(blocks, sizes):
        before = draw(st.integers(0, min(3, b * s)))
        pads.append([before, draw(st.integers(0, min(3, b * s - before)))])
    return blocks, sizes, pads


def _to_batch(draw, case):
    m = draw(st.integers(1, 3))
    blocks, sizes, pads = _plan(draw, m)
    space = [b * s - sum(p) for b, s, p in zip(blocks, sizes, pads)]
    shape = (draw(st.integers(0, 2)), *space, *(draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, 2)))))
    x = draw(case.array(shape))
    return [x, np.array(blocks, case.Tblock_shape), np.array(pads, case.Tpaddings)], {}


def _from_batch(draw, case):
    m = draw(st.integers(1, 3))
    blocks, sizes, crops = _plan(draw, m)
    batch = draw(st.integers(0, 2)) * int(np.prod(blocks))
    shape = (batch, *sizes, *(draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, 2)))))
    x = draw(case.array(shape))
    return [x, np.array(blocks, case.Tblock_shape), np.array(crops, case.Tcrops)], {}


def _square(draw, case, index_type, to_batch):
    blocks, sizes, pads = _plan(draw, 1, low=2)
    block, (before, after) = blocks[0], pads[0]
    side = block * sizes[0] - before - after if to_batch else sizes[0]
    n = draw(st.integers(1, 2)) * (1 if to_batch else block * block)
    x = draw(case.array((n, side, side, draw(st.integers(1, 3)))))
    return [x, np.array([[before, after]] * 2, index_type)], {"block_size": block}


RECORDS = [
    OpRecord("DepthToSpace", _depth_to_space, _image(True), special=True),
    OpRecord("SpaceToDepth", _space_to_depth, _image(False), special=True),
    OpRecord("SpaceToBatchND", _blocks_reference, _to_batch, special=True, examples=3),
    OpRecord("BatchToSpaceND", _batches_reference, _from_batch, special=True, examples=3),
    OpRecord(
        "SpaceToBatch",
        lambda x, paddings, block_size: _blocks_reference(x, [block_size] * 2, paddings),
        lambda draw, case: _square(draw, case, case.Tpaddings, True),
        examples=3,
    ),
    OpRecord(
        "BatchToSpace",
        lambda x, crops, block_size: _batches_reference(x, [block_size] * 2, crops),
        lambda draw, case: _square(draw, case, case.Tidx, False),
        examples=3,
    ),
]
