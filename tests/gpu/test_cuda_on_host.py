"""CUDA on the host: correct kernels give NumPy's results and no report, and each kind of mistake is found."""

import concurrent.futures
import ctypes
import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gpu import on_host
from tests.gpu.on_host import Device, KernelError, params
from tfcore.gpu import build, host_build

ROOT = os.path.dirname(os.path.dirname(on_host.HERE))
SEEDS = range(50)
seeds = st.integers(0, 2**64 - 1)
BUILDS = pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])


@pytest.fixture(scope="module")
def memory():
    try:
        host_build.find_compiler("c++")
        host_build.find_compiler("c")
    except host_build.BuildError as e:
        pytest.skip(str(e))
    return Device()


@pytest.fixture
def device(memory):
    memory.reset()
    return memory


def basic(checked=True):
    return on_host.load("basic", checked, sources=on_host.HERE)


def wrong(checked=True):
    return on_host.load("wrong", checked, sources=on_host.HERE)


def floats(*shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 8, shape).astype(np.float32)


# ---- correct kernels


@BUILDS
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int8", "int64"])
@given(count=st.integers(0, 700), grid=st.integers(1, 5), block=st.integers(1, 1024), seed=seeds)
def test_elements_of_any_type(memory, checked, dtype, count, grid, block, seed):
    memory.reset()
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    names = {"float32": "float", "float64": "double", "float16": "half"}
    a = memory.array(np.random.default_rng(seed).integers(-60, 60, count).astype(dtype))
    out = memory.empty(count, dtype)
    kernel = getattr(basic(checked), f"scale_{names.get(dtype.name, dtype.name)}")
    memory.launch(kernel, grid, block, params(a=a, out=out, count=count), seed=seed)
    np.testing.assert_array_equal(out.numpy(), a.numpy() * dtype.type(2) + dtype.type(1))


@BUILDS
@given(count=st.integers(0, 5000), grid=st.integers(1, 6), log=st.integers(5, 8), seed=seeds)
def test_sums(memory, checked, count, grid, log, seed):
    memory.reset()
    a = memory.array(floats(count, seed=seed % 1000))
    for name in ("sum_by_tree", "sum_by_shuffles"):
        out = memory.empty(1)
        memory.launch(getattr(basic(checked), name), grid, 2**log, params(a=a, out=out, count=count), seed=seed)
        assert out.numpy()[0] == a.numpy().sum()
    out = memory.empty(2 + grid)
    struct = params(a=a, out=out, count=count)
    for _ in range(2):  # the counter wraps around for the next launch
        memory.launch(basic(checked).sum_by_last_block, grid, 2**log, struct, shared=4 * 2**log, seed=seed)
        assert out.numpy()[0] == a.numpy().sum()


@BUILDS
@given(m=st.integers(1, 50), n=st.integers(1, 50), k=st.integers(0, 50), seed=seeds)
def test_matmul(memory, checked, m, n, k, seed):
    memory.reset()
    a, b = memory.array(floats(m, k, seed=1)), memory.array(floats(k, n, seed=2))
    c = memory.empty((m, n))
    grid = ((n + 15) // 16, (m + 15) // 16)
    memory.launch(basic(checked).matmul, grid, (16, 16), params(a=a, b=b, c=c, m=m, n=n, k=k), seed=seed)
    np.testing.assert_array_equal(c.numpy(), a.numpy() @ b.numpy())


def warp_reference(values, s):
    """What warp_operations writes, from CUDA's definitions."""
    lane, warp = np.arange(32), values.reshape(-1, 32)
    out = np.zeros((*warp.shape, 10), np.int32)
    sources = {
        0: s % 32,
        1: lane // 8 * 8 + s % 8,
        2: np.where(lane % 16 >= s, lane - s, lane),
        3: np.where(lane + s < 32, lane + s, lane),
        4: lane ^ (s & 15),
        8: s % 32,
        9: np.where(lane < 16, 3, 21),
    }
    for column, source in sources.items():
        out[:, :, column] = warp[:, np.broadcast_to(source, 32)]
    same_half = lane[:, None] // 16 == lane[None] // 16
    odd = (warp & 1)[:, None, :] * same_half
    bits = np.uint32(1) << lane.astype(np.uint32)
    out[:, :, 5] = (odd * bits).sum(-1).astype(np.uint32).view(np.int32)
    out[:, :, 6] = ((warp == s).any(1) | (warp < 1000).all(1) << 1)[:, None]
    equal = warp[:, :, None] == warp[:, None, :]
    out[:, :, 7] = (equal * bits).sum(-1).astype(np.uint32).view(np.int32)
    return out.reshape(-1, 10)


@BUILDS
@given(warps=st.integers(1, 4), s=st.integers(0, 31), large=st.booleans(), seed=seeds)
def test_operations_of_a_warp(memory, checked, warps, s, large, seed):
    memory.reset()
    values = np.random.default_rng(seed).integers(0, 2000 if large else 40, 32 * warps).astype(np.int32)
    out = memory.empty((32 * warps, 10), np.int32)
    memory.launch(
        basic(checked).warp_operations, 1, 32 * warps, params(a=memory.array(values), out=out, s=s), seed=seed
    )
    np.testing.assert_array_equal(out.numpy(), warp_reference(values, s))


@BUILDS
@given(values=st.lists(st.integers(0, 2), min_size=1, max_size=100), seed=seeds)
def test_votes_of_a_block(memory, checked, values, seed):
    memory.reset()
    a = memory.array(np.array(values, np.int32))
    out = memory.empty((len(values), 10), np.int32)
    memory.launch(basic(checked).votes, 1, len(values), params(a=a, out=out, s=1), seed=seed)
    ones = values.count(1)
    assert (out.numpy()[:, :3] == [ones, ones > 0, ones == len(values)]).all()


@BUILDS
def test_the_largest_block(device, checked):
    values = np.arange(1024, dtype=np.int32) % 3
    out = device.empty((1024, 10), np.int32)
    for seed in range(10):
        device.launch(basic(checked).votes, 1, 1024, params(a=device.array(values), out=out, s=1), seed=seed)
        assert (out.numpy()[:, :3] == [341, 1, 0]).all()


@BUILDS
@given(
    values=st.lists(st.integers(-500, 500), min_size=1, max_size=300),
    grid=st.integers(1, 4),
    block=st.integers(1, 70),
    seed=seeds,
)
def test_atomic_functions(memory, checked, values, grid, block, seed):
    memory.reset()
    values = np.array(values, np.int32)
    ints = memory.array(np.array([0, 2**31 - 1, -(2**31), 0, -1, 0], np.int32))
    counter, largest = memory.empty(1, np.uint32), memory.empty(1, np.uint64)
    doubles, halves = memory.empty(1, np.float64), memory.empty(2, np.float16)
    struct = params(
        a=memory.array(values), ints=ints, counter=counter, max=largest, doubles=doubles, halves=halves, n=len(values)
    )
    memory.launch(basic(checked).atomics, grid, block, struct, seed=seed)
    operations = (np.add, np.minimum, np.maximum, np.bitwise_or, np.bitwise_and, np.bitwise_xor)
    assert list(ints.numpy()) == [operation.reduce(values) for operation in operations]
    assert counter.numpy()[0] == len(values) % 10
    assert largest.numpy()[0] == values.max() + 1000
    assert doubles.numpy()[0] == values.sum()
    assert list(halves.numpy()) == [(len(values) + 1) // 2, len(values) // 2]


@pytest.mark.parametrize("name", ["reverse_in_warp", "turns", "two_buffers", "vectors", "sum_by_last_block"])
def test_right_patterns_give_no_report(device, name):
    count, block = 512, 64
    a = device.array(floats(count))
    results = []
    for seed in SEEDS:
        out = device.empty(count)
        blocks = 3 if name == "sum_by_last_block" else 1
        struct = params(a=a, out=out, count=count)
        device.launch(getattr(basic(), name), blocks, block, struct, shared=4 * block, seed=seed)
        results.append(out.numpy().copy())
    first = a.numpy()[:block]
    expected = {
        "reverse_in_warp": first.reshape(-1, 32)[:, ::-1].ravel(),
        "turns": np.full(block, first.sum()),
        "two_buffers": np.full(block, a.numpy().sum()),
        "vectors": (a.numpy().reshape(-1, 4)[:, [1, 2, 3, 1]] * [1, 2, 3, 4]).ravel(),
        "sum_by_last_block": a.numpy().sum(keepdims=True),
    }[name]
    for result in results:
        np.testing.assert_array_equal(result[: len(expected)], expected)


@BUILDS
@given(grid=st.tuples(*[st.integers(1, 4)] * 3), block=st.tuples(*[st.integers(1, 8)] * 3), seed=seeds)
def test_every_thread_runs_once(memory, checked, grid, block, seed):
    memory.reset()
    count = int(np.prod(grid) * np.prod(block))
    out = memory.array(np.full(count, -1))
    memory.launch(basic(checked).numbers, grid, block, params(a=0, out=out, count=count), seed=seed)
    np.testing.assert_array_equal(out.numpy(), np.arange(count))


def test_the_seed_decides_the_order(device):
    """Sums of floating-point numbers tell orders of blocks apart."""
    a = device.array(np.random.default_rng(0).standard_normal(4096).astype(np.float32))

    def total(seed):
        out = device.empty(1)
        device.launch(basic(False).sum_by_tree, 16, 256, params(a=a, out=out, count=4096), seed=seed)
        return out.numpy()[0]

    assert len({total(seed) for seed in range(20)}) > 1
    assert all(total(seed) == total(seed) for seed in range(20))


# ---- 16 bits


def test_all_halves_become_floats(device):
    bits = np.arange(65536, dtype=np.uint16)
    out = device.empty((65536, 2), np.float32)
    device.launch(basic(False).from_halves, 8, 128, params(a=device.array(bits), out=out, count=65536))
    np.testing.assert_array_equal(out.numpy()[:, 0], bits.view(np.float16).astype(np.float32))
    np.testing.assert_array_equal(out.numpy()[:, 1], bits.view(ml_dtypes.bfloat16).astype(np.float32))


def round_by_search(values, dtype):
    """The nearest value of a type of 16 bits, ties to even: from the table of all."""
    table = np.arange(0x8000, dtype=np.uint16)
    with np.errstate(invalid="ignore"):  # NaNs of bfloat16
        sizes = table.view(dtype).astype(np.float64)
    infinity = int(np.argmax(np.isinf(sizes)))
    # Numbers beyond the largest round as if the next one were finite.
    sizes[infinity] = 2 * sizes[infinity - 1] - sizes[infinity - 2]
    sizes, size = sizes[: infinity + 1], np.abs(values)
    low = np.clip(np.searchsorted(sizes, size, "right") - 1, 0, infinity - 1)
    below, above = size - sizes[low], sizes[low + 1] - size
    result = np.where((above < below) | ((above == below) & (low % 2 == 1)), low + 1, low)
    return (result | np.signbit(values).astype(np.int64) << 15).astype(np.uint16)


@pytest.mark.parametrize("column, dtype", [(0, np.float16), (1, ml_dtypes.bfloat16)])
def test_numbers_round_to_the_nearest_half(device, column, dtype):
    rng = np.random.default_rng(0)
    table = np.arange(0x7F80, dtype=np.uint16).view(dtype).astype(np.float64)
    table = table[np.isfinite(table)]
    middles = (table[1:] + table[:-1]) / 2
    values = [table, middles, np.nextafter(middles, 0), np.nextafter(middles, np.inf), [np.inf, 1e300, 1e-300, 5e-324]]
    values.append(rng.standard_normal(5000) * 10.0 ** rng.integers(-45, 40, 5000))
    values = np.concatenate(values)
    values = np.concatenate([values, -values])
    out = device.empty((len(values), 4), np.uint16)
    device.launch(basic(False).to_halves, 8, 128, params(a=device.array(values), out=out, count=len(values)))
    np.testing.assert_array_equal(out.numpy()[:, column], round_by_search(values, dtype))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(
            out.numpy()[:, column + 2], values.astype(np.float32).astype(dtype).view(np.uint16)
        )


# ---- mistakes


class Wrong:
    """Launches the kernels of wrong.cu with arrays `a` and `b` of 64 floats between dead memory."""

    def __init__(self, device):
        self.device = device
        self.a, self.b = device.empty(64), device.empty(64)

    def run(self, name, which=0, grid=1, block=32, seed=0, checked=True, shared=0, a=None):
        struct = params(a=self.a if a is None else a, b=self.b, count=64, which=which)
        self.device.launch(getattr(wrong(checked), name), grid, block, struct, seed=seed, shared=shared)

    def error(self, *args, **options):
        with pytest.raises(KernelError) as caught:
            self.run(*args, **options)
        assert "\n" not in str(caught.value)
        return caught.value


@pytest.fixture
def mistakes(device):
    return Wrong(device)


BOUNDS = {
    "read_at": 64,
    "write_at": 64,
    "add_at": 64,
    "write_half_at": 128,
    "write_byte_at": 256,
    "write_double_at": 32,
    "read_vector_at": 16,
    "write_shared_at": 16,
    "write_shared_float_at": 15,
    "write_shared_int_at": 15,
    "write_dynamic_at": 24,
}


@pytest.mark.parametrize("name", BOUNDS)
def test_one_element_out_of_bounds(mistakes, name):
    count = BOUNDS[name]
    options = {"shared": 96, "block": 1}
    mistakes.run(name, 0, **options)
    mistakes.run(name, count - 1, **options)
    for which in (count, -1, count + 5, -100000000):
        error = mistakes.error(name, which, **options)
        assert error.kind == on_host.BOUNDS
        assert f"{name}, block (0, 0, 0), thread (0, 0, 0): " in str(error)
    if not name.startswith("write_shared"):
        assert "0 bytes past the end" in str(mistakes.error(name, count, **options))


def test_the_report_names_the_line(mistakes):
    line = [i for i, text in enumerate(open(os.path.join(on_host.HERE, "wrong.cu")), 1) if "p.a[p.which] = 1" in text]
    assert f"wrong.cu:{line[0]}" in str(mistakes.error("write_at", 64))


def test_a_copy_is_checked_at_both_ends(mistakes):
    mistakes.run("copy_all", 256, block=1)
    assert mistakes.error("copy_all", 257, block=1).kind == on_host.BOUNDS
    small = mistakes.device.empty(3)
    assert mistakes.error("copy_all", 16, block=1, a=small).kind == on_host.BOUNDS


def test_a_vector_that_is_live_in_part(mistakes):
    assert mistakes.error("read_vector_at", 1, a=mistakes.device.empty(7)).kind == on_host.BOUNDS
    mistakes.run("read_vector_at", 1, a=mistakes.device.empty(8), block=1)


def test_dead_memory(mistakes):
    mistakes.run("read_at", 5)
    mistakes.a.free()
    assert mistakes.error("read_at", 5).kind == on_host.BOUNDS


@given(first=st.integers(0, 60), count=st.integers(0, 60), at=st.integers(0, 90))
def test_live_ranges_are_exact_to_the_byte(memory, first, count, at):
    memory.reset()
    base = memory.base + 512
    memory.allow(base + first, count, True)
    struct = params(a=ctypes.c_void_p(base), b=0, count=0, which=at)
    try:
        memory.launch(wrong().write_byte_at, 1, 1, struct)
        found = on_host.OK
    except KernelError as e:
        found = e.kind
    assert found == (on_host.OK if first <= at < first + count else on_host.BOUNDS)
    memory.allow(base + first + count // 2, count, False)
    left = first + count // 2
    if at >= left:
        with pytest.raises(KernelError):
            memory.launch(wrong().write_byte_at, 1, 1, struct)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_the_history_of_dead_memory_is_given_back(device):
    count = 4 << 20
    a = device.empty(count)
    before = resident_bytes()
    device.launch(basic().scale_float, 64, 256, params(a=a, out=a, count=count))
    assert resident_bytes() > before + 7 * a.bytes
    a.free()
    assert resident_bytes() < before + a.bytes


@given(first=st.integers(0, 20), size=st.integers(1, 5000), seed=st.integers(0, 3))
def test_memory_may_begin_anywhere(memory, first, size, seed):
    """Another range of memory, to the byte."""
    base = memory.base + first
    runtime = memory.runtime
    assert runtime.tfc_host_memory(base, size) == 0
    try:
        runtime.tfc_host_allow(base, size, 1)
        runtime.tfc_host_allow(base, size + 1, 0)  # is not within the range
        for which, kind in ((0, None), (size - 1, None), (-1, on_host.BOUNDS), (size, on_host.BOUNDS)):
            struct = params(a=ctypes.c_void_p(base), b=0, count=0, which=which)
            try:
                memory.launch(wrong().write_byte_at, 1, 1, struct)
                assert kind is None
            except KernelError as e:
                assert e.kind == kind
    finally:
        assert runtime.tfc_host_memory(memory.base, len(memory.memory)) == 0


def test_other_memory_than_the_devices(mistakes):
    own = np.zeros(4, np.float32)
    for address in (own.ctypes.data, 0, 8, 0x7FF000000000):
        struct = params(a=ctypes.c_void_p(address), b=mistakes.b, count=0, which=0)
        with pytest.raises(KernelError) as caught:
            mistakes.device.launch(wrong().read_at, 1, 1, struct)
        assert caught.value.kind == on_host.BOUNDS and "not the device's memory" in str(caught.value)
    assert mistakes.error("write_constant", 1).kind == on_host.BOUNDS
    assert mistakes.error("read_stack_of_another").kind == on_host.BOUNDS


def test_misaligned(mistakes):
    mistakes.run("read_misaligned", 4, block=1)
    for offset in (1, 2, 3, 5):
        assert mistakes.error("read_misaligned", offset, block=1).kind == on_host.MISALIGNED


RACES = [
    ("no_barrier", {"block": 64}),
    ("no_second_barrier", {"block": 16}),
    ("no_warp_barrier", {}),
    ("only_warp_barrier", {"block": 64}),
    ("read_then_write", {"which": 3, "block": 64}),
    ("same_value", {"block": 2}),
    ("bytes_overlap", {"which": 8}),
    ("blocks_overlap", {"grid": 2, "block": 4}),
    ("blocks_read", {"grid": 3}),
    ("blocks_read_first", {"grid": 3, "which": 1}),
    ("atomic_and_plain", {"which": 5}),
    ("volatile_and_plain", {"grid": 2, "block": 1}),
    ("no_second_warp_barrier", {}),
    ("plain_volatile_atomic", {}),
    ("plain_volatile_atomic_blocks", {"grid": 3, "block": 1}),
    ("read_then_write", {"which": 1, "block": 2}),
    ("read_then_write", {"which": 32, "block": 33}),
]


@pytest.mark.parametrize("name, options", RACES)
def test_races(mistakes, name, options):
    """In whatever order threads and blocks run."""
    for seed in SEEDS:
        error = mistakes.error(name, seed=seed, **options)
        assert error.kind == on_host.RACE and "is not ordered after" in str(error)


def test_the_report_of_a_race_names_the_other_thread(mistakes):
    orders = set()
    for seed in SEEDS:
        error = str(mistakes.error("same_value", grid=1, block=2, seed=seed))
        assert ("thread (0, 0, 0): race" in error) == ("by thread (1, 0, 0)" in error)
        # Thread 3 of the first block and thread 0 of the second write the same element.
        error = str(mistakes.error("blocks_overlap", grid=2, block=4, seed=seed))
        ends = ["block (0, 0, 0), thread (3, 0, 0): race", "block (1, 0, 0), thread (0, 0, 0): race"]
        others = ["by thread (0, 0, 0) of block (1, 0, 0)", "by thread (3, 0, 0) of block (0, 0, 0)"]
        assert [end in error for end in ends] == [other in error for other in others]
        orders.add(ends[0] in error)
        assert "a thread of another block" in str(mistakes.error("blocks_read_first", 2, grid=3, block=1))
    assert orders == {False, True}


def test_what_is_almost_a_race(mistakes):
    for seed in SEEDS:
        mistakes.run("bytes_overlap", 9, seed=seed)
        mistakes.run("same_value", grid=1, block=1, seed=seed)
        mistakes.run("same_value", grid=1, block=1, seed=seed)  # the next launch may write again
        mistakes.run("no_second_barrier", block=1, seed=seed)
        mistakes.run("blocks_read", grid=3, block=1, seed=seed)


def test_the_time_of_the_checks_begins_anew(mistakes):
    """Within a launch and between launches, also of another family: races are found, and no false ones."""
    many = mistakes.device.empty(1 << 20)
    count = 300000  # more blocks than there are times
    a, out = mistakes.device.array(floats(512)), mistakes.device.empty(1)
    for _ in range(2):
        mistakes.device.launch(basic().scale_float, count // 2, 1, params(a=many, out=many, count=count))
        mistakes.device.launch(basic().sum_by_tree, 2, 256, params(a=a, out=out, count=512))
        mistakes.run("write_own", a=many, grid=count, block=1)
        assert mistakes.error("no_barrier", block=64).kind == on_host.RACE
        mistakes.device.launch(basic().sum_by_tree, 2, 256, params(a=a, out=out, count=512))
        mistakes.device.launch(basic().scale_float, count, 1, params(a=many, out=many, count=count))


DIVERGENT = {
    "two_barriers": {"which": 7},
    "return_before_barrier": {"which": 3, "block": 48},
    "barrier_in_loop": {"which": 16},
    "barriers_of_two_kinds": {"which": 8},
}


@BUILDS
@pytest.mark.parametrize("name", DIVERGENT)
def test_divergent_barriers(mistakes, name, checked):
    for seed in SEEDS:
        error = mistakes.error(name, seed=seed, checked=checked, **DIVERGENT[name])
        assert error.kind == on_host.DIVERGENT and "wrong.cu:" in str(error)


MASKS = {
    "whole_mask_in_branch": {"which": 16},
    "mask_without_caller": {"which": 0x7FFFFFFF},
    "two_masks": {},
    "shuffle_beside_barrier": {"block": 64},
}


@BUILDS
@pytest.mark.parametrize("name", MASKS)
def test_wrong_masks(mistakes, name, checked):
    for seed in SEEDS:
        error = mistakes.error(name, seed=seed, checked=checked, **MASKS[name])
        assert error.kind == on_host.MASK and "wrong.cu:" in str(error)


def test_a_mask_may_name_lanes_that_the_block_has_not(mistakes):
    mistakes.b.numpy()[...] = 0
    mistakes.run("mask_without_caller", 0xFFFFFFFF, block=20)
    mistakes.run("whole_mask_in_branch", 20, block=20)
    poison = np.frombuffer(b"\xcb\xcb\xcb\xcb", np.float32)[0]
    assert (mistakes.b.numpy()[12:20] == poison).all() and (mistakes.b.numpy()[:12] == 0).all()


@BUILDS
def test_a_full_stack(mistakes, checked):
    mistakes.run("deep_recursion", 20, block=3, checked=checked)
    error = mistakes.error("deep_recursion", 100000, block=3, checked=checked)
    assert error.kind == on_host.STACK and "stack" in str(error)
    mistakes.run("deep_recursion", 20, block=3, checked=checked)


@BUILDS
@pytest.mark.parametrize(
    "name, which, kind",
    [
        ("divide", 0, on_host.ARITHMETIC),
        ("trap", 3, on_host.TRAP),
        ("assertion", 3, on_host.TRAP),
    ],
)
def test_what_stops_a_kernel(mistakes, name, which, kind, checked):
    error = mistakes.error(name, which, checked=checked)
    assert error.kind == kind
    if kind == on_host.TRAP:
        assert "thread (3, 0, 0)" in str(error) and "wrong.cu:" in str(error)
    mistakes.run(name, 1000, block=1, checked=checked)


def test_a_fault_in_the_fast_build(mistakes):
    struct = params(a=0, b=mistakes.b, count=0, which=0)
    with pytest.raises(KernelError) as caught:
        mistakes.device.launch(wrong(False).write_at, 1, 1, struct)
    assert caught.value.kind == on_host.FAULT
    mistakes.run("write_at", 0, checked=False)


@BUILDS
def test_a_block_does_not_see_what_another_has_left(mistakes, checked):
    for seed in SEEDS:
        mistakes.b.numpy()[...] = 0
        mistakes.run("previous_block", grid=32, block=1, shared=4, seed=seed, checked=checked)
        assert (mistakes.b.numpy().view(np.uint32) == 0xCBCBCBCB).all()


@BUILDS
def test_launches_go_on_after_errors(mistakes, checked):
    for seed in SEEDS:
        mistakes.error("return_before_barrier", 3, block=1024, seed=seed, checked=checked)
        a, out = mistakes.device.array(floats(512)), mistakes.device.empty(1)
        mistakes.device.launch(basic(checked).sum_by_tree, 2, 256, params(a=a, out=out, count=512), seed=seed)
        assert out.numpy()[0] == a.numpy().sum()


@pytest.mark.parametrize(
    "grid, block, shared",
    [
        (0, 1, 0),
        (1, 0, 0),
        (1, 1025, 0),
        (1, (32, 33), 0),
        (1, (1, 1, 65), 0),
        ((1, 65536), 1, 0),
        ((2**31,), 1, 0),
        (1, 1, 2**20),
    ],
)
def test_launches_that_cuda_refuses(mistakes, grid, block, shared):
    assert mistakes.error("same_value", grid=grid, block=block, shared=shared).kind == on_host.INVALID


def test_more_threads_than_a_kernel_is_made_for(device):
    a = device.empty(1024)
    struct = params(a=a, b=a, c=a, m=1, n=1, k=1)
    with pytest.raises(KernelError, match="more than 256 threads"):
        device.launch(basic().matmul, 1, (16, 17), struct)


def test_a_kernel_of_no_family(device):
    with pytest.raises(KernelError) as caught:
        device.launch(ctypes.CDLL(None).puts, 1, 1, params(a=0))
    assert caught.value.kind == on_host.INVALID


@BUILDS
def test_launches_of_several_threads(device, checked):
    a = device.array(floats(4096))
    outs = [device.empty(1) for _ in range(8)]

    def add(out):
        for seed in range(20):
            out.numpy()[0] = 0
            device.launch(basic(checked).sum_by_tree, 4, 256, params(a=a, out=out, count=4096), seed=seed)
            assert out.numpy()[0] == a.numpy().sum()
            with pytest.raises(KernelError):
                device.launch(wrong(checked).trap, 1, 4, params(a=a, b=a, count=1, which=3))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(add, outs))


PORTABLE = """
from tests.gpu.on_host import *
runtime = host_build.load_runtime("-DTFC_PORTABLE_FIBERS")
d = Device(1 << 20, runtime)
a, out = d.array(np.ones(1000, np.float32)), d.empty(1)
for checked in (False, True):
    out.numpy()[0] = 0
    d.launch(load("basic", checked, sources=HERE).sum_by_tree, 3, 256, params(a=a, out=out, count=1000))
    assert out.numpy()[0] == 1000
    try:
        d.launch(load("wrong", checked, sources=HERE).return_before_barrier, 3, 8, params(a=a, b=a, count=1, which=3))
        raise SystemExit("no error")
    except KernelError as e:
        assert e.kind == DIVERGENT
    try:
        d.launch(load("wrong", checked, sources=HERE).deep_recursion, 3, 8, params(a=a, b=a, count=1, which=10000))
        raise SystemExit("no error")
    except KernelError as e:
        assert e.kind == STACK
"""


def test_fibers_of_the_c_library(memory):
    done = subprocess.run([sys.executable, "-c", PORTABLE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- faults of others, and compilation


def test_a_fault_outside_of_kernels_ends_the_process():
    code = (
        "from tests.gpu.on_host import *\n"
        "d = Device(1 << 20)\n"
        "a = d.empty(4)\n"
        "d.launch(load('basic', False, sources=HERE).scale_float, 1, 4, params(a=a, out=a, count=4))\n"
        "ctypes.string_at(8)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT)
    assert done.returncode == -11


@pytest.mark.parametrize("family", ["basic", "wrong"])
def test_nvcc_accepts_the_same_sources(family, tmp_path):
    try:
        nvcc = build.find_nvcc()
    except build.BuildError as e:
        pytest.skip(str(e))
    source = os.path.join(on_host.HERE, family + ".cu")
    flags = [f"-I{os.path.dirname(build.SOURCES)}", "-cubin", "-arch=sm_90", "-std=c++17"]
    command = [nvcc, *flags, "-o", str(tmp_path / "cubin"), source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
