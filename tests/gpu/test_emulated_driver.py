"""The emulated CUDA driver: copies, memory, streams, events, errors, capture."""

import ctypes
import os
import random
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gpu import emulated
from tests.gpu.emulated import FOLDER, MEMORY, Gpu, Vector
from tfcore.gpu import driver, host_build

pytestmark = pytest.mark.skipif(not os.path.exists(driver.EMULATOR), reason="the emulator is not built")
POISON = b"\xcb"
INVALID_VALUE, OUT_OF_MEMORY, INVALID_HANDLE, NOT_SUPPORTED = 1, 2, 400, 801
SEEDS = range(12)


@pytest.fixture
def gpu():
    device = Gpu()
    yield device
    device.close()


@pytest.fixture(scope="module")
def kernels():
    return host_build.compile_family("basic", checked=True, sources=FOLDER)


# ---- Copies and memory


@given(st.sampled_from([1, 5, 1024, 1025, 5000, (4 << 20) + 3, 9 << 20]), st.booleans(), st.booleans(), st.booleans())
def test_copies_arrive(count, pinned_in, pinned_out, now):
    gpu = Gpu(seed=count)
    data = random.Random(count).randbytes(count)
    a, b, stream = gpu.allocate(count), gpu.allocate(count), gpu.stream()
    source, source_bytes = gpu.pinned(count)
    target, target_bytes = gpu.pinned(count)
    pageable = ctypes.create_string_buffer(count)
    source_bytes.raw = data
    gpu.call(
        "cuMemcpyHtoDAsync_v2", a, source if pinned_in else ctypes.create_string_buffer(data, count), count, stream
    )
    gpu.call("cuMemcpyDtoDAsync_v2", b, a, count, stream)
    gpu.synchronize()
    copy = ("cuMemcpyDtoH_v2",) if now else ("cuMemcpyDtoHAsync_v2",)
    gpu.call(*copy, target if pinned_out else pageable, b, count, *(() if now else (stream,)))
    if not now and pinned_out:
        gpu.call("cuStreamSynchronize", stream)
    assert (target_bytes.raw if pinned_out else pageable.raw) == data
    for pointer in (source, target):
        gpu.call("cuMemFreeHost", pointer)
    gpu.close()


@pytest.mark.parametrize("width, name", [(1, "cuMemsetD8_v2"), (2, "cuMemsetD16_v2"), (4, "cuMemsetD32_v2")])
def test_fills(gpu, width, name):
    p = gpu.allocate(64)
    gpu.call(name, p + 8, 0x01020304 % 256**width, 5)
    expected = (0x01020304 % 256**width).to_bytes(width, "little") * 5
    assert gpu.read(p, 64) == POISON * 8 + expected + POISON * (56 - 5 * width)
    if width > 1:
        assert gpu.code(name, p + 1, 0, 1) == INVALID_VALUE


def test_memory_is_limited_and_poisoned(gpu):
    result = ctypes.c_uint64()
    assert gpu.code("cuMemAlloc_v2", ctypes.byref(result), MEMORY + 1) == OUT_OF_MEMORY
    p = gpu.allocate(MEMORY)
    assert gpu.code("cuMemAlloc_v2", ctypes.byref(result), 1) == OUT_OF_MEMORY
    assert gpu.read(p, 100) == POISON * 100
    gpu.call("cuMemFree_v2", p)
    assert gpu.code("cuMemFree_v2", p) == INVALID_VALUE
    assert gpu.allocate(MEMORY) != p


def test_a_freed_address_is_not_used_again_soon(gpu):
    seen = set()
    for _ in range(100):
        p = gpu.allocate(1 << 20)
        assert p not in seen and p % 256 == 0
        seen.add(p)
        gpu.call("cuMemFree_v2", p)
        assert gpu.code("cuMemsetD8_v2", p, 0, 1) == INVALID_VALUE
    assert gpu.get("cuPointerGetAttribute", 2, gpu.allocate(1), kind=ctypes.c_uint) == 2


def test_dead_parts_of_an_allocation_are_poisoned_and_refused(gpu):
    p, stream = gpu.allocate(4096), gpu.stream()
    gpu.fill(p, 1, 4096, stream)
    gpu.call("tfcEmulatedAllow", p + 1024, 1024, 0, stream)
    gpu.call("tfcEmulatedAllow", p + 1024, 512, 1, stream)
    gpu.call("cuStreamSynchronize", stream)
    assert gpu.read(p + 1024, 512) == POISON * 512
    gpu.fill(p + 1024, 7, 513, stream)
    assert gpu.code("cuStreamSynchronize", stream) == 700
    assert "513 bytes at" in gpu.driver.report()
    assert gpu.code("cuMemFree_v2", p) == 700  # the error stays


BLOCK = 64


PARTS = st.tuples(st.integers(0, BLOCK - 1), st.integers(1, BLOCK))


@given(st.lists(st.tuples(PARTS, st.booleans()), max_size=12), st.lists(PARTS, min_size=5, max_size=5))
def test_live_parts_are_as_a_model_says(changes, accesses):
    """Each byte has the number of the call that made it live; an access is right within one of them."""
    gpu = Gpu()
    p, owner = gpu.allocate(BLOCK), [1] * BLOCK
    for number, ((start, count), on) in enumerate(changes, 2):
        count = min(count, BLOCK - start)
        gpu.call("tfcEmulatedAllow", p + start, count, int(on), 0)
        owner[start : start + count] = [number if on else 0] * count
    for start, count in accesses:
        count = min(count, BLOCK - start)
        touched = owner[start : start + count]
        gpu.fill(p + start, 1, count)
        code = gpu.code("cuCtxSynchronize")
        assert code == (0 if len(set(touched)) == 1 and touched[0] else 700)
        if code:
            break
    gpu.close()


@given(st.lists(st.integers(1, 20_000), max_size=40), st.integers(0, 100))
def test_allocations_are_apart(sizes, seed):
    gpu, rng = Gpu(), random.Random(seed)
    live = []
    for number, size in enumerate(sizes):
        live.append((gpu.allocate(size), size, number % 256))
        gpu.fill(*[live[-1][i] for i in (0, 2, 1)])
        if rng.random() < 0.4:
            p, freed, value = live.pop(rng.randrange(len(live)))
            assert gpu.read(p, freed) == bytes([value]) * freed
            gpu.call("cuMemFree_v2", p)
    for p, size, value in live:
        assert gpu.read(p, size) == bytes([value]) * size
        assert gpu.code("cuMemsetD8_v2", p, 0, size + 1) == INVALID_VALUE
        assert gpu.code("cuMemsetD8_v2", p - 1, 0, 1) == INVALID_VALUE
    gpu.close()


@pytest.mark.parametrize(
    "function, arguments, code",
    [
        ("cuMemcpyDtoD_v2", (0x1234, 0x5678, 4), INVALID_VALUE),
        ("cuMemFree_v2", (0x1234,), INVALID_VALUE),
        ("cuMemFreeHost", (0x1234,), INVALID_VALUE),
        ("cuStreamSynchronize", (0x1234,), INVALID_HANDLE),
        ("cuStreamDestroy_v2", (0xFFFFFFFFFFFF,), INVALID_HANDLE),
        ("cuEventQuery", (0x1234,), INVALID_HANDLE),
        ("cuEventRecord", (0x1234, 0), INVALID_HANDLE),
        ("cuModuleUnload", (1 << 63,), INVALID_HANDLE),
        ("cuGraphLaunch", (0, 0), INVALID_HANDLE),
        ("cuGraphDestroy", (0x1234,), INVALID_HANDLE),
        ("cuLaunchKernel", (0x1234, 1, 1, 1, 1, 1, 1, 0, 0, None, None), INVALID_HANDLE),
        ("cuCtxSetCurrent", (0x1234,), 201),
        ("cuDevicePrimaryCtxReset_v2", (9,), 101),
        ("cuModuleLoad", (ctypes.byref(ctypes.c_uint64()), b"/no/such/file"), 301),
        ("cuModuleLoad", (ctypes.byref(ctypes.c_uint64()), os.path.abspath(__file__).encode()), 200),
        ("cuModuleLoadData", (ctypes.byref(ctypes.c_uint64()), b"no image" * 20), 200),
    ],
)
def test_bad_arguments_are_refused(gpu, function, arguments, code):
    assert gpu.code(function, *arguments) == code
    gpu.synchronize()


def test_closed_handles_are_refused(gpu):
    stream, event = gpu.stream(), gpu.event()
    gpu.call("cuEventDestroy_v2", event)
    gpu.call("cuStreamDestroy_v2", stream)
    other = gpu.stream()
    assert gpu.code("cuStreamQuery", stream) == INVALID_HANDLE
    assert gpu.code("cuStreamQuery", event) == INVALID_HANDLE
    assert gpu.code("cuEventRecord", event, other) == INVALID_HANDLE


# ---- Order


def race(seed, wait):
    """What a copy in one stream reads while another stream fills."""
    gpu = Gpu(seed)
    p, q, one, two, done = gpu.allocate(16), gpu.allocate(16), gpu.stream(), gpu.stream(), gpu.event()
    gpu.fill(p, 1, 16, one)
    gpu.synchronize()
    gpu.fill(p, 2, 16, one)
    gpu.call("cuEventRecord", done, one)
    if wait:
        gpu.call("cuStreamWaitEvent", two, done, 0)
    gpu.call("cuMemcpyDtoDAsync_v2", q, p, 16, two)
    gpu.synchronize()
    result = gpu.read(q, 16)[0]
    gpu.close()
    return result


def test_a_missing_wait_shows_for_some_seed():
    """A device waits for some milliseconds at most, so on a slow host it takes more seeds."""
    found = set()
    for seed in range(50 * len(SEEDS)):
        found.add(race(seed, wait=False))
        if found == {1, 2}:
            break
    assert found == {1, 2}


def test_with_the_wait_no_seed_differs():
    assert {race(seed, wait=True) for seed in SEEDS} == {2}


def test_an_asynchronous_copy_is_late_for_some_seed():
    late = 0
    for seed in range(50 * len(SEEDS)):
        if late:
            break
        gpu = Gpu(seed)
        p, stream = gpu.allocate(16), gpu.stream()
        pointer, data = gpu.pinned(16)
        gpu.fill(p, 5, 16, stream)
        gpu.call("cuMemcpyDtoHAsync_v2", pointer, p, 16, stream)
        late += data.raw != b"\5" * 16
        gpu.call("cuStreamSynchronize", stream)
        assert data.raw == b"\5" * 16
        gpu.call("cuMemFreeHost", pointer)
        gpu.close()
    assert late


def test_everything_happens_without_a_call_of_the_host(gpu):
    p, stream = gpu.allocate(16), gpu.stream()
    pointer, data = gpu.pinned(16)
    for i in range(20):
        gpu.fill(p, i, 16, stream)
        gpu.call("cuMemcpyDtoHAsync_v2", pointer, p, 16, stream)
        while data.raw != bytes([i]) * 16:
            time.sleep(0.001)
    assert gpu.code("cuStreamQuery", stream) in (0, 600)
    gpu.call("cuMemFreeHost", pointer)


def test_the_legacy_stream_is_ordered_with_blocking_streams():
    for seed in SEEDS:
        gpu = Gpu(seed)
        p, q, blocking = gpu.allocate(16), gpu.allocate(16), gpu.get("cuStreamCreate", 0)
        gpu.fill(p, 1, 16, blocking)
        gpu.call("cuMemcpyDtoDAsync_v2", q, p, 16, 0)
        gpu.fill(p, 2, 16, blocking)
        gpu.call("cuStreamSynchronize", blocking)
        assert gpu.read(q, 1) == b"\1" and gpu.read(p, 1) == b"\2"
        gpu.close()


@given(st.integers(0, 1000), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_random_programs_with_events(seed, program):
    """Each step adds to a cell; events order the steps of all streams, so the result is that of one stream."""
    gpu = Gpu(seed)
    streams = [gpu.stream() for _ in range(4)]
    cells = gpu.allocate(16)
    gpu.call("cuMemsetD8_v2", cells, 0, 16)
    gpu.synchronize()
    last, expected = None, [0] * 4
    for number, (stream, cell) in enumerate(program):
        if last is not None:
            gpu.call("cuStreamWaitEvent", streams[stream], last, 0)
        if number % 3 == 2:
            gpu.call("cuMemcpyDtoDAsync_v2", cells + cell, cells + (cell + 1) % 4, 1, streams[stream])
            expected[cell] = expected[(cell + 1) % 4]
        else:
            gpu.fill(cells + cell, number, 1, streams[stream])
            expected[cell] = number
        last = gpu.event()
        gpu.call("cuEventRecord", last, streams[stream])
    gpu.synchronize()
    assert list(gpu.read(cells, 4)) == expected
    gpu.close()


def test_events_measure_time(gpu):
    p, stream, first, last = gpu.allocate(4 << 20), gpu.stream(), gpu.event(0), gpu.event(0)
    gpu.call("cuEventRecord", first, stream)
    gpu.fill(p, 1, 4 << 20, stream)
    gpu.call("cuEventRecord", last, stream)
    gpu.call("cuEventSynchronize", last)
    assert gpu.get("cuEventElapsedTime", first, last, kind=ctypes.c_float) > 0
    untimed = gpu.event()
    gpu.call("cuEventRecord", untimed, stream)
    assert gpu.code("cuEventElapsedTime", ctypes.byref(ctypes.c_float()), first, untimed) == INVALID_HANDLE


def test_host_functions_run_in_the_order_of_the_stream(gpu):
    p, stream, seen = gpu.allocate(16), gpu.stream(), []
    pointer, data = gpu.pinned(16)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def look(_):
        seen.append((data.raw[0], gpu.code("cuCtxSynchronize")))

    for i in range(5):
        gpu.fill(p, i, 16, stream)
        gpu.call("cuMemcpyDtoHAsync_v2", pointer, p, 16, stream)
        gpu.call("cuLaunchHostFunc", stream, look, None)
    gpu.call("cuStreamSynchronize", stream)
    assert seen == [(i, 800) for i in range(5)]  # the API is not for host functions
    gpu.call("cuMemFreeHost", pointer)


def test_a_long_queue_does_not_overflow(gpu):
    p, stream = gpu.allocate(5000), gpu.stream()
    for i in range(5000):
        gpu.fill(p + i, i % 251, 1, stream)
    gpu.call("cuStreamSynchronize", stream)
    assert gpu.read(p, 5000) == bytes(i % 251 for i in range(5000))


def test_many_threads(gpu):
    failures = []

    def work(number):
        try:
            gpu.use()
            stream, p = gpu.stream(), gpu.allocate(256)
            for i in range(100):
                gpu.fill(p, (number + i) % 256, 256, stream)
                target = ctypes.create_string_buffer(256)
                gpu.call("cuMemcpyDtoHAsync_v2", target, p, 256, stream)
                assert target.raw == bytes([(number + i) % 256]) * 256
            gpu.call("cuMemFree_v2", p)
            gpu.call("cuStreamDestroy_v2", stream)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---- Two devices


def test_copies_between_devices():
    for seed in SEEDS:
        second, first = Gpu(seed, 1), Gpu(seed, 0)
        p, one, done = first.allocate(1 << 16), first.stream(), first.event()
        first.fill(p, seed + 1, 1 << 16, one)
        first.call("cuEventRecord", done, one)
        second.use()
        q, two = second.allocate(1 << 16), second.stream()
        second.call("cuStreamWaitEvent", two, done, 0)
        second.call("cuMemcpyPeerAsync", q, second.context, p, first.context, 1 << 16, two)
        second.call("cuStreamSynchronize", two)
        assert second.read(q, 1 << 16) == bytes([seed + 1]) * (1 << 16)
        assert second.code("cuMemcpyPeerAsync", p, second.context, q, first.context, 1, two) == INVALID_VALUE
        assert second.code("cuStreamSynchronize", one) == INVALID_HANDLE  # a stream of the other device
        first.close()
        second.close()


def test_an_error_is_told_with_the_report_of_its_device():
    first, second = Gpu(0, 0), Gpu(0, 1)
    p = second.allocate(64)
    second.call("tfcEmulatedAllow", p, 64, 0, 0)
    second.fill(p, 1, 1)
    with pytest.raises(driver.DriverError, match="0x.* of emulated GPU 1"):
        second.synchronize()
    first.use()
    first.synchronize()
    second.close()
    first.close()


def test_the_report_of_a_module_that_cannot_be_loaded_is_told_once(gpu):
    with pytest.raises(driver.DriverError, match="INVALID_IMAGE.*invalid ELF header"):
        gpu.get("cuModuleLoad", os.path.abspath(__file__).encode())
    with pytest.raises(driver.DriverError, match=r"\(invalid argument\)$"):
        gpu.call("cuMemFree_v2", 0)
    assert gpu.driver.report() == ""


# ---- Kernels


def test_a_kernel_runs(gpu, kernels):
    function = gpu.function(kernels, "scale_int8")
    p, q, stream = gpu.allocate(1000), gpu.allocate(1000), gpu.stream()
    gpu.fill(p, 3, 1000, stream)
    gpu.driver.launch(function, (2,), (64,), Vector(p, q, 1000), stream)
    gpu.call("cuStreamSynchronize", stream)
    assert gpu.read(q, 1000) == b"\7" * 1000
    assert gpu.code("cuModuleGetFunction", ctypes.byref(ctypes.c_uint64()), 0, b"x") == INVALID_HANDLE
    geometry = (1, 1, 1, 2000, 1, 1)
    assert gpu.code("cuLaunchKernel", function, *geometry, 0, stream, None, None) == INVALID_VALUE
    parameters = (ctypes.c_void_p * 1)()
    assert gpu.code("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, None) == NOT_SUPPORTED
    assert gpu.code("cuLaunchKernelEx", None, function, None, None) == INVALID_VALUE


def test_an_image_in_memory_is_a_module(gpu, kernels):
    with open(kernels, "rb") as file:
        module = gpu.get("cuModuleLoadData", file.read())
    assert gpu.get("cuModuleGetFunction", module, b"scale_float")
    assert gpu.code("cuModuleGetFunction", ctypes.byref(ctypes.c_uint64()), module, b"malloc") == 500
    gpu.call("cuModuleUnload", module)
    assert gpu.code("cuModuleUnload", module) == INVALID_HANDLE


def test_an_access_out_of_bounds_fails_the_device_until_it_is_reset(gpu, kernels):
    function = gpu.function(kernels, "scale_int8")
    p, q = gpu.allocate(1000), gpu.allocate(1000)
    gpu.driver.launch(function, (2,), (64,), Vector(p, q, 1001))
    assert gpu.code("cuCtxSynchronize") == 700
    assert "scale_int8" in gpu.driver.report()
    for name, arguments in [("cuMemFree_v2", (p,)), ("cuStreamQuery", (0,)), ("cuMemsetD8_v2", (p, 0, 1))]:
        assert gpu.code(name, *arguments) == 700
    gpu.call("cuDevicePrimaryCtxReset_v2", 0)
    assert gpu.driver.report() == ""
    assert gpu.code("cuMemFree_v2", p) == INVALID_VALUE
    assert gpu.read(gpu.allocate(4), 4) == POISON * 4


def test_callbacks_hear_of_errors(gpu, kernels):
    function = gpu.function(kernels, "scale_int8")
    stream, seen, called, all_there = gpu.stream(), [], threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def wait(_):
        all_there.wait(60)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    def callback(of, status, argument):
        seen.append((of, status, argument))
        called.set()

    gpu.call("cuLaunchHostFunc", stream, wait, None)
    gpu.driver.launch(function, (1,), (1,), Vector(0, 0, 1), stream)
    gpu.call("cuStreamAddCallback", stream, callback, 7, 0)
    all_there.set()
    assert gpu.code("cuStreamSynchronize", stream) == 700
    assert called.wait(60)
    assert seen == [(stream, 700, 7)]


# ---- Capture


def capture(gpu, stream, work):
    gpu.call("cuStreamBeginCapture_v2", stream, 1)
    work()
    graph = ctypes.c_uint64()
    gpu.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return graph.value


def diamond(gpu, one, two, p):
    """Two fills in different streams, then one that needs both."""
    fork, join = gpu.event(), gpu.event()
    gpu.fill(p, 1, 4, one)
    gpu.call("cuEventRecord", fork, one)
    gpu.call("cuStreamWaitEvent", two, fork, 0)
    gpu.call("cuMemcpyDtoDAsync_v2", p + 4, p, 4, two)
    gpu.call("cuMemcpyDtoDAsync_v2", p + 8, p, 4, one)
    gpu.call("cuEventRecord", join, two)
    gpu.call("cuStreamWaitEvent", one, join, 0)
    gpu.call("cuMemcpyDtoDAsync_v2", p + 12, p + 4, 4, one)


def test_a_captured_graph_replays():
    for seed in SEEDS:
        gpu = Gpu(seed)
        one, two, p = gpu.stream(), gpu.stream(), gpu.allocate(16)
        graph = capture(gpu, one, lambda g=gpu, a=one, b=two, c=p: diamond(g, a, b, c))
        gpu.synchronize()
        assert gpu.read(p, 16) == POISON * 16  # nothing has run
        run = gpu.get("cuGraphInstantiateWithFlags", graph, 0)
        gpu.call("cuGraphDestroy", graph)
        for _ in range(3):
            gpu.fill(p, 9, 16, one)
            gpu.call("cuGraphLaunch", run, one)
            gpu.call("cuStreamSynchronize", one)
            assert gpu.read(p, 16) == b"\1" * 16
        gpu.call("cuGraphLaunch", run, two)
        gpu.call("cuGraphExecDestroy", run)
        gpu.close()


def fork_without_join_order(gpu, one, two, p, ordered):
    """Two streams write and read the same bytes of a graph; an event between them may be left out."""
    fork, join, written = gpu.event(), gpu.event(), gpu.event()
    gpu.call("cuEventRecord", fork, one)
    gpu.call("cuStreamWaitEvent", two, fork, 0)
    gpu.fill(p, 2, 4, one)
    gpu.call("cuEventRecord", written, one)
    if ordered:
        gpu.call("cuStreamWaitEvent", two, written, 0)
    gpu.call("cuMemcpyDtoDAsync_v2", p + 4, p, 4, two)
    gpu.call("cuEventRecord", join, two)
    gpu.call("cuStreamWaitEvent", one, join, 0)


@pytest.mark.parametrize("ordered, values", [(True, {2}), (False, {1, 2})])
def test_nodes_that_no_event_orders_run_in_any_order(ordered, values):
    seen = set()
    for seed in SEEDS:
        gpu = Gpu(seed)
        one, two, p = gpu.stream(), gpu.stream(), gpu.allocate(16)
        graph = capture(gpu, one, lambda g=gpu, a=one, b=two, c=p: fork_without_join_order(g, a, b, c, ordered))
        run = gpu.get("cuGraphInstantiateWithFlags", graph, 0)
        gpu.fill(p, 1, 16, one)
        gpu.call("cuGraphLaunch", run, one)
        gpu.call("cuStreamSynchronize", one)
        seen.add(gpu.read(p + 4, 1)[0])
        gpu.close()
    assert seen == values


def test_kernels_and_host_functions_are_captured(gpu, kernels):
    function, stream, seen = gpu.function(kernels, "scale_int8"), gpu.stream(), []
    p, q = gpu.allocate(100), gpu.allocate(100)
    pointer, data = gpu.pinned(100)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def look(argument):
        seen.append((argument, data.raw))

    def work():
        gpu.driver.launch(function, (1,), (32,), Vector(p, q, 100), stream)
        gpu.call("cuMemcpyDtoHAsync_v2", pointer, q, 100, stream)
        gpu.call("cuLaunchHostFunc", stream, look, 5)
        gpu.call("cuMemcpyDtoDAsync_v2", p, q, 100, stream)

    run = gpu.get("cuGraphInstantiateWithFlags", capture(gpu, stream, work), 0)
    gpu.fill(p, 1, 100, stream)
    for _ in range(3):
        gpu.call("cuGraphLaunch", run, stream)
    gpu.call("cuStreamSynchronize", stream)
    assert seen == [(5, bytes([value]) * 100) for value in (3, 7, 15)]
    gpu.call("cuMemFreeHost", pointer)


def test_what_a_capture_refuses(gpu):
    one, two, p = gpu.stream(), gpu.stream(), gpu.allocate(16)
    status, graph = ctypes.c_int(), ctypes.c_uint64()
    gpu.call("cuStreamBeginCapture_v2", one, 1)
    assert gpu.code("cuStreamSynchronize", one) == 900
    gpu.call("cuStreamIsCapturing", one, ctypes.byref(status))
    assert status.value == 2
    assert gpu.code("cuStreamEndCapture", one, ctypes.byref(graph)) == 901
    gpu.call("cuStreamBeginCapture_v2", one, 1)
    assert gpu.code("cuMemAlloc_v2", ctypes.byref(graph), 8) == 900
    assert gpu.code("cuStreamEndCapture", one, ctypes.byref(graph)) == 901
    gpu.call("cuStreamBeginCapture_v2", one, 1)
    fork = gpu.event()
    gpu.call("cuEventRecord", fork, one)
    gpu.call("cuStreamWaitEvent", two, fork, 0)
    gpu.fill(p, 1, 16, two)
    assert gpu.code("cuStreamEndCapture", two, ctypes.byref(graph)) == 903
    gpu.code("cuStreamEndCapture", one, ctypes.byref(graph))
    assert gpu.code("cuStreamEndCapture", one, ctypes.byref(graph)) == 401
    gpu.call("cuStreamBeginCapture_v2", one, 1)
    gpu.call("cuEventRecord", fork, one)
    gpu.call("cuStreamWaitEvent", two, fork, 0)
    gpu.fill(p, 1, 16, two)
    assert gpu.code("cuStreamEndCapture", one, ctypes.byref(graph)) == 904
    gpu.fill(p, 1, 16, two)  # both streams work again
    gpu.call("cuStreamSynchronize", two)


def test_all_functions_of_the_header_exist():
    library = emulated.the_driver().library
    with open(os.path.join(os.path.dirname(driver.__file__), "driver_api.h"), encoding="utf-8") as file:
        names = [line.split("(")[1].split(",")[0] for line in file if line.startswith("  F(cu") and "CUDA_" not in line]
    assert len(names) > 60
    assert all(hasattr(library, name) for name in names)
