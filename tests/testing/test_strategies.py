"""What the strategies draw."""

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfcore.testing import strategies
from tfcore.testing.drawing import example_settings

CODES = ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u2", "u8", "c8", "c16", "?", "O")
DTYPES = [*map(np.dtype, CODES), np.dtype(ml_dtypes.bfloat16)]


@given(st.data(), st.sampled_from(DTYPES), strategies.shapes(max_rank=8))
def test_arrays_have_type_and_shape(data, dtype, shape):
    array = data.draw(strategies.arrays(dtype, shape, special=True))
    assert array.dtype == dtype
    assert array.shape == shape
    assert array.size <= 3000


@given(st.data(), st.sampled_from([d for d in DTYPES if d.kind in "fiu"]))
def test_domain_is_kept(data, dtype):
    array = data.draw(strategies.arrays(dtype, (20,), domain=(1, 9), nonzero=True))
    assert np.all(array >= 1)
    assert np.all(array <= 9)


@given(strategies.broadcastable_shapes(3))
def test_broadcastable_shapes_broadcast(shapes):
    assert np.broadcast_shapes(*shapes) in shapes


@given(st.data(), st.integers(0, 6))
def test_axis_sets_are_distinct(data, rank):
    axes = data.draw(strategies.axis_sets(rank))
    assert len({a % rank for a in axes}) == len(axes)


def test_strategies_reach_the_difficult_cases():
    """Zero-size, rank 0, high rank, sizes at vector widths, views and special values all occur."""
    seen = set()

    @example_settings(400)
    @given(st.data())
    def collect(data):
        shape = data.draw(strategies.shapes(max_rank=8))
        array = data.draw(strategies.arrays(np.float32, shape, special=True))
        seen.update(f"size {d}" for d in shape)
        seen.add(f"rank {len(shape)}")
        seen.add("view" if not array.flags.c_contiguous else "dense")
        seen.add("aligned" if array.flags.aligned else "unaligned")
        seen.update(["nan"] if np.isnan(array).any() else [])
        seen.update(["inf"] if np.isinf(array).any() else [])

    collect()
    wanted = {f"size {d}" for d in (0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65)}
    wanted |= {f"rank {r}" for r in (0, 1, 2, 3, 4, 5, 8)}
    assert wanted | {"view", "unaligned", "nan", "inf"} <= seen
