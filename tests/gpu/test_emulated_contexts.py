"""What the emulated driver serves for PyCUDA: more contexts, copies of boxes, variables, registered memory."""

import ctypes
import os
import random
import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gpu import emulated
from tests.gpu.emulated import Gpu
from tfcore.gpu import driver, host_build

pytestmark = pytest.mark.skipif(not os.path.exists(driver.EMULATOR), reason="the emulator is not built")
POISON = 0xCB
INVALID_VALUE, INVALID_DEVICE, INVALID_CONTEXT, INVALID_HANDLE = 1, 101, 201, 400
NOT_FOUND, DESTROYED, NOT_SUPPORTED = 500, 709, 801
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
CONTEXT, RANGE_START = 1, 11  # CU_POINTER_ATTRIBUTE_*


@pytest.fixture
def gpu():
    device = Gpu()
    yield device
    device.close()


def count(gpu, what, device=0):
    found = ctypes.c_size_t()
    gpu.call("tfcEmulatedCount", device, what.encode(), ctypes.byref(found))
    return found.value


def create(gpu, device=0):
    """A context that is created, and current."""
    return gpu.get("cuCtxCreate_v4", None, 0, device)


def current(gpu):
    return gpu.get("cuCtxGetCurrent")


# ---- Contexts


def test_contexts_are_stacked_and_end(gpu):
    first = create(gpu)
    second = gpu.get("cuCtxCreate_v2", 0, 1)
    assert len({gpu.context, first, second}) == 3 and current(gpu) == second
    assert gpu.get("cuCtxGetDevice", kind=ctypes.c_int) == 1
    assert gpu.get("cuCtxPopCurrent_v2") == second and current(gpu) == first
    assert [count(gpu, "contexts", device) for device in (0, 1)] == [2, 1]
    gpu.call("cuCtxDestroy_v2", first)  # pops itself, as it is current
    assert current(gpu) == gpu.context
    assert gpu.code("cuCtxPushCurrent_v2", first) == INVALID_CONTEXT
    gpu.call("cuCtxDestroy_v2", second)
    assert gpu.code("cuCtxDestroy_v2", second) == INVALID_CONTEXT
    assert gpu.code("cuCtxDestroy_v2", gpu.context) == INVALID_CONTEXT  # is given back, not destroyed
    assert [count(gpu, "contexts", device) for device in (0, 1)] == [1, 0]


def test_a_context_is_attached_and_detached(gpu):
    context = create(gpu)
    assert gpu.get("cuCtxAttach", 0) == context
    gpu.call("cuCtxDetach", context)
    gpu.synchronize()
    gpu.call("cuCtxDetach", context)
    assert current(gpu) == gpu.context and count(gpu, "contexts") == 1
    gpu.get("cuDevicePrimaryCtxRetain", 0)
    gpu.call("cuCtxDetach", gpu.context)  # as PyCUDA does
    gpu.synchronize()


def test_what_is_made_in_a_context_ends_with_it(gpu):
    kept, stream = gpu.allocate(100), gpu.stream()
    gpu.fill(kept, 3, 100, stream)
    context = create(gpu)
    inside, of_it, event = gpu.allocate(100), gpu.stream(), gpu.event()
    gpu.fill(inside, 1, 100, of_it)
    gpu.call("cuEventRecord", event, of_it)
    assert gpu.get("cuPointerGetAttribute", CONTEXT, kept) == gpu.context
    assert gpu.get("cuPointerGetAttribute", CONTEXT, inside) == context
    assert gpu.code("cuStreamSynchronize", stream) == INVALID_HANDLE  # of another context
    names = ("contexts", "allocations", "streams", "events")
    assert [count(gpu, name) for name in names] == [2, 2, 2, 1]
    gpu.call("cuCtxDestroy_v2", context)
    assert [count(gpu, name) for name in names] == [1, 1, 1, 0]
    assert gpu.read(kept, 100) == b"\3" * 100
    assert gpu.code("cuMemFree_v2", inside) == INVALID_VALUE
    assert gpu.code("cuStreamSynchronize", of_it) == INVALID_HANDLE
    assert gpu.code("cuEventQuery", event) == INVALID_HANDLE


def test_the_primary_context_ends_alone(gpu):
    inside = gpu.allocate(10)
    context = create(gpu)
    kept = gpu.allocate(10)
    gpu.fill(kept, 5, 10)
    gpu.call("cuDevicePrimaryCtxRelease_v2", 0)
    assert gpu.code("cuMemFree_v2", inside) == INVALID_VALUE
    assert gpu.read(kept, 10) == b"\5" * 10
    gpu.call("cuCtxDestroy_v2", context)
    assert gpu.code("cuCtxSynchronize") == DESTROYED  # below it is the one that was given back
    gpu.get("cuDevicePrimaryCtxRetain", 0)


def test_a_context_that_another_thread_destroys_is_gone(gpu):
    context = create(gpu)
    thread = threading.Thread(target=gpu.call, args=("cuCtxDestroy_v2", context))
    thread.start()
    thread.join()
    assert gpu.code("cuCtxSynchronize") == DESTROYED
    gpu.call("cuCtxPopCurrent_v2", None)
    gpu.synchronize()


def test_contexts_end_while_other_threads_work(gpu):
    failures = []

    def work(number):
        try:
            for _ in range(20):
                context = create(gpu)
                p, stream = gpu.allocate(64), gpu.stream()
                gpu.fill(p, number, 64, stream)
                gpu.call("cuStreamSynchronize", stream)
                assert gpu.read(p, 64) == bytes([number]) * 64
                gpu.call("cuCtxDestroy_v2", context)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [count(gpu, name) for name in ("contexts", "allocations", "streams")] == [1, 0, 0]


def test_limits_and_configurations_are_kept(gpu):
    assert gpu.get("cuCtxGetLimit", 0) == 1024
    gpu.call("cuCtxSetLimit", 0, 4096)
    assert gpu.get("cuCtxGetLimit", 0) == 4096
    assert gpu.code("cuCtxSetLimit", 7, 1) == 215
    gpu.call("cuCtxSetCacheConfig", 2)
    assert gpu.get("cuCtxGetCacheConfig", kind=ctypes.c_int) == 2
    gpu.call("cuCtxSetCacheConfig", 0)
    gpu.call("cuCtxSetLimit", 0, 1024)
    gpu.call("cuCtxSetSharedMemConfig", 2)
    assert gpu.get("cuCtxGetSharedMemConfig", kind=ctypes.c_int) == 1
    assert gpu.code("cuCtxSetCacheConfig", 9) == INVALID_VALUE
    version = ctypes.c_uint()
    gpu.call("cuCtxGetApiVersion", None, ctypes.byref(version))
    assert version.value == 3020
    gpu.call("cuProfilerStart")
    gpu.call("cuProfilerStop")


# ---- Devices


@pytest.mark.parametrize("name", ["0000:00:01.0", "0000:00:01", "00:01.0", "0:0:1.0"])
def test_devices_have_bus_ids(gpu, name):
    text = ctypes.create_string_buffer(16)
    gpu.call("cuDeviceGetPCIBusId", text, 16, 1)
    assert text.value == b"0000:00:01.0"
    assert gpu.code("cuDeviceGetPCIBusId", text, 5, 1) == INVALID_VALUE
    assert gpu.get("cuDeviceGetByPCIBusId", name.encode(), kind=ctypes.c_int) == 1


def test_what_is_said_of_devices(gpu):
    major, minor = ctypes.c_int(), ctypes.c_int()
    gpu.call("cuDeviceComputeCapability", ctypes.byref(major), ctypes.byref(minor), 0)
    assert (major.value, minor.value) == (9, 0)
    assert gpu.get("cuDeviceCanAccessPeer", 0, 1, kind=ctypes.c_int) == 0
    assert gpu.code("cuDeviceGetByPCIBusId", ctypes.byref(major), b"0000:01:00.0") == INVALID_DEVICE
    assert gpu.code("cuDeviceGetByPCIBusId", ctypes.byref(major), b"what") == INVALID_VALUE
    assert gpu.get("cuDeviceGetAttribute", 14, 0, kind=ctypes.c_int) == 0  # the alignment of textures
    assert gpu.code("cuDeviceGetAttribute", ctypes.byref(major), 1000, 0) == INVALID_VALUE
    other = Gpu(device=1)
    gpu.use()
    assert gpu.code("cuCtxEnablePeerAccess", other.context, 0) == 217
    assert gpu.code("cuCtxDisablePeerAccess", other.context) == 705
    assert gpu.code("cuCtxEnablePeerAccess", 0x1234, 0) == INVALID_CONTEXT
    other.close()


# ---- Boxes


class End(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("x", "y", "z", "level")]
    _fields_ += [("type", ctypes.c_int)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("host", "device", "array", "context", "pitch", "height")]


class Box(ctypes.Structure):
    _fields_ = [("source", End), ("target", End)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("width", "rows", "depth")]


class FlatEnd(ctypes.Structure):
    _fields_ = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("type", ctypes.c_int)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("host", "device", "array", "pitch")]


class FlatBox(ctypes.Structure):
    _fields_ = [("source", FlatEnd), ("target", FlatEnd), ("width", ctypes.c_size_t), ("rows", ctypes.c_size_t)]


KINDS = st.sampled_from(["device", "host", "pinned", "unified"])


class Side:
    """Bytes of a shape somewhere, and what a copy is told about them."""

    def __init__(self, gpu, kind, shape, values):
        self.gpu, self.kind, self.shape = gpu, kind, shape
        size = len(values)
        if kind in ("device", "unified"):
            self.at = gpu.allocate(size)
            gpu.write(self.at, values)
        elif kind == "pinned":
            self.at, self.bytes = gpu.pinned(size)
            self.bytes.raw = values
        else:
            self.bytes = (ctypes.c_char * size).from_buffer_copy(values)
            self.at = ctypes.addressof(self.bytes)

    def describe(self, end, start):
        end.z, end.y, end.x = start
        end.type = {"device": DEVICE, "unified": UNIFIED}.get(self.kind, HOST)
        setattr(end, "host" if end.type == HOST else "device", self.at)
        end.pitch, end.height, end.context = self.shape[2], self.shape[1], self.gpu.context

    def read(self):
        size = int(np.prod(self.shape))
        data = self.gpu.read(self.at, size) if self.kind in ("device", "unified") else self.bytes.raw
        if self.kind == "pinned":
            self.gpu.call("cuMemFreeHost", self.at)
        return np.frombuffer(data, np.uint8).reshape(self.shape)


@given(KINDS, KINDS, st.sampled_from(["cuMemcpy3D_v2", "cuMemcpy3DAsync_v2", "cuMemcpy3DPeer"]), st.integers(0, 1000))
def test_boxes_are_copied(source_kind, target_kind, function, seed):
    gpu, rng = Gpu(seed), random.Random(seed)
    extent = [rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 1500)]
    shapes = [[n + rng.randint(0, 3) for n in extent] for _ in range(2)]
    starts = [[rng.randint(0, m - n) for n, m in zip(extent, shape)] for shape in shapes]
    source, target = (
        Side(gpu, kind, shape, rng.randbytes(int(np.prod(shape))))
        for kind, shape in zip((source_kind, target_kind), shapes)
    )
    box = Box(width=extent[2], rows=extent[1], depth=extent[0])
    source.describe(box.source, starts[0])
    target.describe(box.target, starts[1])
    both_on_host = source_kind in ("host", "pinned") and target_kind in ("host", "pinned")
    if function.startswith("cuMemcpy3D_") or "Async" in function:
        box.source.context = box.target.context = 0
    code = gpu.code(function, ctypes.byref(box), *((0,) if "Async" in function else ()))
    gpu.synchronize()
    parts = [tuple(slice(a, a + n) for a, n in zip(start, extent)) for start in starts]
    values = source.read()[parts[0]]
    if both_on_host:
        assert code == NOT_SUPPORTED
        target.read()
    else:
        assert code == 0
        assert np.array_equal(target.read()[parts[1]], values)
    gpu.close()


def flat(gpu, p, q):
    end = {"type": DEVICE, "pitch": 16}
    return FlatBox(FlatEnd(device=p, x=2, y=1, **end), FlatEnd(device=q, **end), width=8, rows=3)


@pytest.mark.parametrize("function", ["cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2", "cuMemcpy2DAsync_v2"])
def test_rows_are_copied(gpu, function):
    p, q = gpu.allocate(64), gpu.allocate(64)
    gpu.write(p, bytes(range(64)))
    box = flat(gpu, p, q)
    gpu.call(function, ctypes.byref(box), *((0,) if "Async" in function else ()))
    found = np.frombuffer(gpu.read(q, 64), np.uint8).reshape(4, 16)
    expected = np.full((4, 16), POISON, np.uint8)
    expected[:3, :8] = np.arange(64, dtype=np.uint8).reshape(4, 16)[1:, 2:10]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "field, value, code",
    [("pitch", 7, INVALID_VALUE), ("type", ARRAY, NOT_SUPPORTED), ("type", 9, INVALID_VALUE), ("y", 2, INVALID_VALUE)],
)
def test_wrong_boxes_are_refused_as_a_whole(gpu, field, value, code):
    p, q = gpu.allocate(64), gpu.allocate(64)
    gpu.write(p, bytes(64))
    box = flat(gpu, p, q)
    setattr(box.source, field, value)
    assert gpu.code("cuMemcpy2D_v2", ctypes.byref(box)) == code
    assert gpu.read(q, 64) == bytes([POISON]) * 64


@pytest.mark.parametrize("width, name", [(1, "cuMemsetD2D8"), (2, "cuMemsetD2D16"), (4, "cuMemsetD2D32")])
@pytest.mark.parametrize("now", [False, True])
def test_rows_are_filled(gpu, width, name, now):
    p = gpu.allocate(64)
    value = 0x01020304 % 256**width
    name, more = (name + "_v2", ()) if now else (name + "Async", (0,))
    gpu.call(name, p, 16, value, 3, 4, *more)
    gpu.synchronize()
    row = value.to_bytes(width, "little") * 3
    assert gpu.read(p, 64) == (row + bytes([POISON]) * (16 - len(row))) * 4
    assert gpu.code(name, p, 16, value, 3, 5, *more) == INVALID_VALUE


def test_a_copy_between_devices(gpu):
    other = Gpu(device=1)
    q = other.allocate(16)
    gpu.use()
    p = gpu.allocate(16)
    gpu.write(p, b"0123456789abcdef")
    gpu.call("cuMemcpyPeer", q, other.context, p, gpu.context, 16)
    other.use()
    assert other.read(q, 16) == b"0123456789abcdef"
    assert gpu.code("cuMemcpyPeer", q, 0x1234, p, gpu.context, 16) == INVALID_CONTEXT
    other.close()
    gpu.use()


# ---- Memory


def test_rows_of_an_allocation_are_aligned(gpu):
    pitch = ctypes.c_size_t()
    p = gpu.get("cuMemAllocPitch_v2", ctypes.byref(pitch), 700, 3, 4)
    assert pitch.value == 1024
    start, size = ctypes.c_uint64(), ctypes.c_size_t()
    gpu.call("cuMemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), p + 5)
    assert (start.value, size.value) == (p, 3 * 1024)
    assert gpu.code("cuMemGetAddressRange_v2", None, None, 0x1234) == NOT_FOUND
    assert gpu.code("cuMemAllocPitch_v2", ctypes.byref(start), ctypes.byref(pitch), 700, 3, 5) == INVALID_VALUE


def test_memory_is_registered(gpu):
    data = ctypes.create_string_buffer(b"x" * 4096)
    at, flags = ctypes.addressof(data), ctypes.c_uint()
    gpu.call("cuMemHostRegister_v2", at, 4096, 1)
    assert gpu.code("cuMemHostRegister_v2", at + 4095, 1, 0) == 712
    gpu.call("cuMemHostGetFlags", ctypes.byref(flags), at + 7)
    assert flags.value == 1
    pointer = ctypes.c_uint64()
    assert gpu.code("cuMemHostGetDevicePointer_v2", ctypes.byref(pointer), at, 0) == NOT_SUPPORTED
    p = gpu.allocate(4096)
    gpu.call("cuMemcpyHtoDAsync_v2", p, at, 4096, 0)
    assert gpu.read(p, 4096) == b"x" * 4096
    assert gpu.code("cuMemHostUnregister", at + 1) == 713
    gpu.call("cuMemHostUnregister", at)
    assert gpu.code("cuMemHostUnregister", at) == 713
    assert gpu.code("cuMemHostGetFlags", ctypes.byref(flags), at) == INVALID_VALUE
    pinned = gpu.get("cuMemHostAlloc", 10, 4)
    gpu.call("cuMemHostGetFlags", ctypes.byref(flags), pinned)
    assert flags.value == 4 and count(gpu, "pinned") == 1
    assert gpu.code("cuMemHostRegister_v2", pinned, 10, 0) == INVALID_VALUE
    gpu.call("cuMemFreeHost", pinned)


# ---- Modules

SOURCE = """
__constant__ float factors[4];
__device__ int calls = 5;
static int hidden = 3;
extern "C" __global__ void conj(float* p) {
  p[threadIdx.x] *= factors[threadIdx.x];
  if (threadIdx.x == 0) calls += hidden;
}
"""


def find(gpu, module, name):
    size = ctypes.c_size_t()
    return gpu.get("cuModuleGetGlobal_v2", ctypes.byref(size), module, name.encode()), size.value


@pytest.mark.parametrize("checked", [False, True])
def test_variables_of_a_module(gpu, checked):
    path = host_build.compile_source(SOURCE, checked=checked)
    module = gpu.get("cuModuleLoad", path.encode())
    factors, size = find(gpu, module, "factors")
    assert size == 16 and find(gpu, module, "factors") == (factors, size)
    calls, size = find(gpu, module, "calls")
    assert size == 4 and gpu.read(calls, 4) == (5).to_bytes(4, "little")
    gpu.write(factors, np.arange(4, dtype=np.float32).tobytes())
    p = gpu.allocate(16)
    gpu.write(p, np.full(4, 3, np.float32).tobytes())
    function = gpu.get("cuModuleGetFunction", module, b"conj")  # the name of a function of libm, too
    gpu.call("cuFuncSetBlockShape", function, 4, 1, 1)
    assert gpu.code("cuFuncSetBlockShape", function, 0, 1, 1) == INVALID_VALUE
    gpu.call("cuFuncSetCacheConfig", function, 1)
    gpu.driver.launch(function, (1,), (4,), p.to_bytes(8, "little"))
    assert np.frombuffer(gpu.read(p, 16), np.float32).tolist() == [0, 3, 6, 9]
    assert gpu.read(calls, 4) == (8).to_bytes(4, "little")
    assert gpu.code("cuMemcpyDtoD_v2", p, factors, 17) == INVALID_VALUE
    wanted = ctypes.c_uint64()
    for name in ("conj", "malloc", "nothing"):
        code = gpu.code("cuModuleGetGlobal_v2", ctypes.byref(wanted), None, module, name.encode())
        assert code == NOT_FOUND, name
    gpu.call("cuModuleUnload", module)
    assert gpu.code("cuMemcpyDtoD_v2", p, factors, 4) == INVALID_VALUE
    assert count(gpu, "modules") == 0


def test_a_module_belongs_to_its_context(gpu):
    path = host_build.compile_source(SOURCE)
    module = gpu.get("cuModuleLoad", path.encode())
    context = create(gpu)
    found = ctypes.c_uint64()
    assert gpu.code("cuModuleGetFunction", ctypes.byref(found), module, b"conj") == INVALID_HANDLE
    assert gpu.code("cuModuleGetGlobal_v2", ctypes.byref(found), None, module, b"calls") == INVALID_HANDLE
    gpu.call("cuCtxDestroy_v2", context)
    gpu.call("cuModuleUnload", module)


# ---- The library


def test_events_have_the_newer_name(gpu):
    first, last = gpu.event(0), gpu.event(0)
    gpu.call("cuEventRecord", first, 0)
    gpu.call("cuEventRecord", last, 0)
    gpu.synchronize()
    assert gpu.get("cuEventElapsedTime_v2", first, last, kind=ctypes.c_float) >= 0


def test_what_is_counted_has_a_name(gpu):
    found = ctypes.c_size_t()
    assert gpu.code("tfcEmulatedCount", 0, b"cats", ctypes.byref(found)) == INVALID_VALUE
    assert gpu.code("tfcEmulatedCount", 9, b"streams", ctypes.byref(found)) == INVALID_DEVICE


def test_the_library_stands_in_for_the_driver():
    """It is found by the driver's name, and has all functions of the list; what it has not, it says."""
    library = emulated.the_driver().library
    assert ctypes.CDLL("libcuda.so.1")._handle == library._handle
    folder = os.path.join(os.path.dirname(driver.__file__), "emulator")
    with open(os.path.join(folder, "pycuda_api.h"), encoding="utf-8") as file:
        names = re.findall(r"^  F\((cu\w+)", file.read(), re.M)
    with open(os.path.join(folder, "refused.c"), encoding="utf-8") as file:
        refused = re.findall(r"^REFUSE\((cu\w+)\)", file.read(), re.M)
    assert len(names) > 40 and len(refused) > 40
    assert all(hasattr(library, name) for name in names)
    assert all(getattr(library, name)() == NOT_SUPPORTED for name in refused)
