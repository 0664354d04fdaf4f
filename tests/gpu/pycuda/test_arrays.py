"""Arrays that sessions and PyCUDA share: feeds, fetches, streams, contexts, memory."""

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.pycuda.memory import in_use, settles
from tfcore.core.device import gpu
from tfcore.gpu import pycuda

pycuda.load()
import pycuda.autoprimaryctx  # noqa: E402
import pycuda.driver as drv  # noqa: E402
from pycuda import gpuarray  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

from tfcore.core.device import gpuarrays, loans  # noqa: E402

TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
SECOND = pytest.param("/gpu:1", marks=pytest.mark.two_gpus)
SLOW = """
__global__ void slow(float *x, int n) {
  for (int turn = 0; turn < 200; turn++)
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1.0f;
}
"""


@pytest.fixture(scope="module")
def slow():
    """A function that adds 200 to an array, in a stream; it takes long."""
    function = SourceModule(SLOW).get_function("slow")
    return lambda a, stream=None: function(a.gpudata, np.int32(a.size), block=(32, 1, 1), stream=stream)


def keeps(session, fetch, feeds=(), device="/gpu:0"):
    return session.make_callable(fetch, list(feeds), fetch_devices=device)


# ---- Feeds


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0", SECOND])
@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype, device):
    value = (np.arange(12).reshape(3, 4) % 2 if dtype == "bool" else np.arange(12).reshape(3, 4)).astype(dtype)
    x = tf.placeholder(dtype, [None, 4])
    with tf.device(device):
        y = tf.concat([x, x], 0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        got = session.run(y, {x: gpuarray.to_gpu(value)})
        np.testing.assert_array_equal(got, np.concatenate([value, value]))


VIEWS = {
    "every second": lambda a: a[::2],
    "backwards": lambda a: a[::-1],
    "columns": lambda a: a[:, 1:4:2],
    "a row": lambda a: a[2],
    "a part": lambda a: a[1:, 2:],
    "transposed": lambda a: a.T,
    "no rows": lambda a: a[3:3] if isinstance(a, np.ndarray) else gpuarray.empty((0, 6), a.dtype),
}


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0", SECOND])
@pytest.mark.parametrize("view", VIEWS)
def test_views(view, device):
    value = np.arange(30, dtype=np.float32).reshape(5, 6)
    x = tf.placeholder(tf.float32)
    with tf.device(device):
        y = x + 1.0
    with tf.Session() as session:
        got = session.run(y, {x: VIEWS[view](gpuarray.to_gpu(value))})
    wanted = VIEWS[view](value) + 1
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got, wanted)


def test_a_fed_array_is_not_copied():
    n = 1 << 16
    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        total = tf.reduce_sum(x)
    array = gpuarray.to_gpu(np.ones(n, np.float32))
    with tf.Session() as session:
        session.run(total, {x: array})
        before = gpu.gpu(0).memory_stats()["num_allocs"]
        assert session.run(total, {x: array}) == n
        there = gpu.gpu(0).memory_stats()["num_allocs"] - before
        session.run(total, {x: np.ones(n)})
        here = gpu.gpu(0).memory_stats()["num_allocs"] - before - there
        assert there == here - 1


@pytest.mark.parametrize("how", ["default", "ours", "own"])
def test_a_step_waits_for_what_fills_the_array(slow, how):
    x = tf.placeholder(tf.float32, [4096])
    with tf.device("/gpu:0"):
        y = x * 2.0
    with tf.Session() as session:
        streams = {"default": None, "ours": tf.gpu.stream(session), "own": drv.Stream()}
        array = gpuarray.zeros(4096, np.float32)
        for turn in range(1, 4):
            slow(array, streams[how])
            np.testing.assert_array_equal(session.run(y, {x: array}), np.full(4096, 400.0 * turn))


def test_arrays_of_another_thread():
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/gpu:0"):
        y = x + 1.0
    session = tf.Session()
    context = drv.Context.get_current()
    results = []

    def work():
        context.push()
        results.append(session.run(y, {x: gpuarray.to_gpu(np.ones(3, np.float32))}).tolist())
        context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [[2, 2, 2]] * 4
    session.close()


# ---- Memory


@pytest.mark.filterwarnings("error")
def test_a_thread_without_a_context_gives_back_what_it_was_lent():
    gc.collect()  # what other tests have left would be given back meanwhile
    gpuarray.zeros(1 << 18, np.float32)
    free, arrays, lent = drv.mem_get_info()[0], [gpuarray.zeros(1 << 18, np.float32)], []

    def work():
        assert drv.Context.get_current() is None
        lent.append(loans.lender(arrays.pop(), gpu.gpu(0)))

    for function in (work, lent.clear):
        assert drv.mem_get_info()[0] < free
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()
    assert drv.mem_get_info()[0] == free


def test_options_of_the_first_session_hold_after_the_allocator():
    program = """
import numpy as np
import tfcore as tf

tf.gpu.load_pycuda()
import pycuda.autoprimaryctx
from pycuda import gpuarray

array = gpuarray.empty(5, np.float32, allocator=tf.gpu.allocator)
config = tf.ConfigProto()
config.gpu_options.visible_device_list = "0"
config.gpu_options.per_process_gpu_memory_fraction = 0.25
with tf.Session(config=config) as session:
    (gpu,) = [device for device in session.list_devices() if device.device_type == "GPU"]
    print(gpu.memory_limit_bytes)
"""
    environment = {**os.environ, "TFCORE_EMULATED_GPU_MEMORY": str(64 << 20)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout == f"{16 << 20}\n", done.stdout + done.stderr


def test_what_pycuda_keeps_ends_in_its_context():
    """Also in a program that only feeds arrays."""
    program = """
import numpy as np
import tfcore as tf

tf.gpu.load_pycuda()
from pycuda import driver, gpuarray, tools


class Kept:
    def __del__(self):
        print(driver.Context.get_current() is not None)


@tools.context_dependent_memoize
def kept():
    return Kept()


context = driver.Device(0).retain_primary_context()
context.push()
kept()
array = gpuarray.to_gpu(np.ones(3, np.float32))
driver.Context.pop()
with tf.device("/gpu:0"), tf.Session() as session:
    x = tf.placeholder(tf.float32)
    print(session.run(tf.identity(x), {x: array}))
del array
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[1. 1. 1.]\nTrue\n", done.stdout + done.stderr


@pytest.mark.two_gpus
def test_devices_that_are_in_use_keep_their_numbers():
    program = """
import numpy as np
import tfcore as tf

tf.gpu.load_pycuda()
import pycuda.autoprimaryctx
from pycuda import gpuarray

array = gpuarray.empty(5, np.float32, allocator=tf.gpu.allocator)
config = tf.ConfigProto()
config.gpu_options.visible_device_list = "1"
try:
    tf.Session(config=config)
except tf.errors.InvalidArgumentError as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("visible_device_list is '1', but tf.gpu.allocator"), done.stdout + done.stderr


@pytest.mark.filterwarnings("error")
def test_fed_arrays_are_freed(slow):
    """Also where the step, on a thread of its own, is the last to let go of one."""
    x = tf.placeholder(tf.float32, [1 << 18])
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([1 << 18]), use_resource=False)
        update = tf.assign_add(v, x * 2.0).op
    with tf.Session() as session:
        session.run(v.initializer)

        def step():
            array = gpuarray.zeros(1 << 18, np.float32)
            slow(array)
            session.run(update, {x: array})

        step()
        drv.Context.synchronize()
        gc.collect()
        free, used = drv.mem_get_info()[0], in_use()
        for _ in range(20):
            step()
        assert settles(lambda: drv.mem_get_info()[0] >= free and in_use() <= used)
        np.testing.assert_array_equal(session.run(v), np.full(1 << 18, 21 * 400.0))


def test_the_allocator_gives_the_sessions_memory():
    before = in_use()
    array = gpuarray.empty((1 << 10, 1 << 8), np.float32, allocator=tf.gpu.allocator)
    assert in_use() == before + (1 << 20)
    array.fill(3)
    assert array.get().min() == 3
    view = array[10:20]
    del array
    assert view.get().max() == 3
    del view
    assert settles(lambda: in_use() <= before)


def test_no_memory_for_the_allocator():
    device = gpu.gpu(0)
    held = drv.mem_alloc(1 << 20)
    with pytest.raises(
        drv.MemoryError, match=r"no memory for \d+ bytes on .*GPU:0: sessions hold .* others hold \d{7}"
    ):
        gpuarray.empty(1 << 44, np.uint8, allocator=tf.gpu.allocator)
    assert device.bytes_of_others() >= 1 << 20
    held.free()


def test_an_error_of_memory_names_what_others_hold():
    held = drv.mem_alloc(3 << 20)
    with tf.device("/gpu:0"):
        y = tf.ones([1 << 40])
    with tf.Session() as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"PyCUDA's pools\), .* hold \d+\.\d\dMiB more"):
            session.run(y)
    held.free()


# ---- Fetches


@pytest.mark.parametrize("dtype", TYPES)
def test_a_fetched_value_as_an_array(dtype):
    value = (np.arange(12).reshape(3, 4) % 2 if dtype == "bool" else np.arange(12).reshape(3, 4)).astype(dtype)
    x = tf.placeholder(dtype)
    with tf.device("/gpu:0"):
        y = tf.concat([x, x], 0)
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as session:
        run = keeps(session, y, [x])
        array = tf.gpu.as_gpuarray(run(value))
        empty = tf.gpu.as_gpuarray(run(value[:0]))
    assert array.dtype == value.dtype and array.shape == (6, 4)
    np.testing.assert_array_equal(array.get(), np.concatenate([value, value]))
    assert empty.shape == (0, 4) and empty.get().shape == (0, 4)


def test_a_view_outlives_the_session():
    with tf.device("/gpu:0"):
        y = tf.reshape(tf.range(100000.0), [100, 1000])
    before = in_use()
    with tf.Session() as session:
        view = tf.gpu.as_gpuarray(keeps(session, y)())[10:20, 5:90].T
    gc.collect()
    np.testing.assert_array_equal(view.get(), np.arange(100000.0).reshape(100, 1000)[10:20, 5:90].T)
    del view
    assert settles(lambda: in_use() <= before)


def test_a_fetched_value_is_read_only():
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.ones([4, 4]), use_resource=False)
    with tf.Session() as session:
        session.run(v.initializer)
        array = tf.gpu.as_gpuarray(keeps(session, v)())

        def add(a):
            a += 1

        def subtract(a):
            a -= a

        def multiply(a):
            a *= 2

        def divide(a):
            a /= 2

        def power(a):
            a **= 2

        changes = [
            lambda a: a.fill(3),
            lambda a: a.set(np.zeros(a.shape, np.float32)),
            lambda a: a.set_async(np.zeros(a.shape, np.float32)),
            lambda a: a.__setitem__(0, 3),
            *[add, subtract, multiply, divide, power],
        ]
        for view in [
            array,
            array[1],
            array.T,
            array.reshape(16),
            array.ravel(),
            array.view(np.int32),
            array[:1].squeeze(),
        ]:
            for change in changes:
                with pytest.raises(ValueError, match=r"read-only.*array\.copy\(\)"):
                    change(view)
        changed = array.copy()
        changed += 1
        assert (2 * array - changed).get().max() == 0
        result = array + array
        result.fill(5)
        assert (session.run(v) == 1).all()


def test_work_comes_after_the_step(slow):
    """What PyCUDA reads is there, and what it reads late is not used again before."""
    x = tf.placeholder(tf.float32, [4096])
    with tf.device("/gpu:0"):
        y = x * 2.0
    with tf.Session() as session:
        run = keeps(session, y, [x])
        mine = tf.gpu.stream(session, "/gpu:0")
        busy = gpuarray.zeros(4096, np.float32)
        results = []
        for turn in range(10):
            value = tf.gpu.as_gpuarray(run(np.full(4096, turn, np.float32)))
            slow(busy, mine)
            result = gpuarray.empty(4096, np.float32)
            drv.memcpy_dtod_async(result.gpudata, value.gpudata, value.nbytes, mine)
            del value
            results.append(result)
        for turn, result in enumerate(results):
            np.testing.assert_array_equal(result.get(), np.full(4096, 2.0 * turn))


def test_an_array_of_a_fetched_value_is_fed():
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/gpu:0"):
        y = x + 1.0
    with tf.Session() as session:
        array = tf.gpu.as_gpuarray(keeps(session, y, [x])(np.zeros(3)))
        for _ in range(3):
            assert session.run(y, {x: array}).tolist() == [2, 2, 2]
            assert session.run(y, {x: array + array}).tolist() == [3, 3, 3]


def test_what_has_no_array():
    with pytest.raises(TypeError, match="fetch_devices"):
        tf.gpu.as_gpuarray(np.zeros(3))
    with tf.device("/gpu:0"):
        y = tf.cast(tf.ones([3]), tf.bfloat16)
    with tf.Session() as session:
        with pytest.raises(TypeError, match="bfloat16"):
            tf.gpu.as_gpuarray(keeps(session, y)())


@pytest.mark.two_gpus
def test_a_value_on_another_gpu_than_the_current():
    with tf.device("/gpu:1"):
        y = tf.ones([3]) + 1.0
    with tf.Session() as session:
        value = keeps(session, y, device="/gpu:1")()
        with pytest.raises(tf.errors.InvalidArgumentError, match="is on .*GPU:1, but the current context .*GPU:0"):
            tf.gpu.as_gpuarray(value)
        with gpuarrays.active(gpu.gpu(1)):
            assert tf.gpu.as_gpuarray(value).get().tolist() == [2, 2, 2]


# ---- Streams and contexts


def test_a_stream_is_one_of_the_device():
    with tf.Session() as session:
        first = tf.gpu.stream(session, "/gpu:0")
        assert isinstance(first, drv.Stream) and tf.gpu.stream(session, "/device:GPU:0") is first
        for wrong in ["/gpu:7", "/cpu:0"]:
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not a GPU of the session, which has"):
                tf.gpu.stream(session, wrong)


def test_nothing_waits_on_the_host(slow):
    """Calls return while work that was there before them is not done."""
    x = tf.placeholder(tf.float32, [1 << 16])
    with tf.device("/gpu:0"):
        y = x * 2.0
    with tf.Session() as session:
        value = keeps(session, y, [x])(np.zeros(1 << 16))
        array = gpuarray.zeros(1 << 16, np.float32)
        drv.Context.synchronize()
        end = drv.Event()
        for _ in range(5):
            slow(array)
        end.record()
        kept = tf.gpu.as_gpuarray(value)
        mine = tf.gpu.stream(session)
        memory = gpuarray.empty(100, np.float32, allocator=tf.gpu.allocator)
        assert not end.query()
        del memory, kept
        assert mine is tf.gpu.stream(session) and not end.query()


FOREIGN = """
import numpy as np
import tfcore as tf
from tfcore.gpu import pycuda

pycuda.load()
import pycuda.driver as drv
from pycuda import gpuarray

context = drv.Device(0).make_context()
array = gpuarray.to_gpu(np.ones((2, 3), np.float32))
x = tf.placeholder(tf.float32)
with tf.Session() as session:
    try:
        session.run(x, {x: array})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.splitlines()[0])
    try:
        gpuarray.empty(3, np.float32, allocator=tf.gpu.allocator)
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
context.pop()
import pycuda.autoprimaryctx
with tf.Session() as session:
    print(session.run(x, {x: gpuarray.to_gpu(np.ones(3, np.float32))}))
"""


def test_a_context_of_its_own_is_refused():
    done = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True, timeout=300)
    first, second, third = done.stdout.splitlines() or ["", "", done.stderr]
    assert "pycuda.gpuarray.GPUArray of shape (2, 3) and type float32" in first and "not the primary one" in first
    assert "import pycuda.autoprimaryctx" in first
    assert "primary context" in second and third == "[1. 1. 1.]"
    assert not done.stderr and not done.returncode


ORDERS = """
import numpy as np
import tfcore as tf
{first}
x = tf.placeholder(tf.float32, [3])
with tf.device("/gpu:0"):
    y = x + 1.0
session = tf.Session()
{then}
print(session.run(y, {{x: gpuarray.to_gpu(np.ones(3, np.float32))}}))
session.close()
"""
IMPORT = """
from tfcore.gpu import pycuda
pycuda.load()
import pycuda.autoprimaryctx
from pycuda import gpuarray
"""


@pytest.mark.parametrize("order", ["PyCUDA first", "session first"])
def test_either_may_come_first(order):
    parts = (IMPORT, "") if order == "PyCUDA first" else ("", f"session.run(y, {{x: np.ones(3)}}){IMPORT}")
    program = ORDERS.format(first=parts[0], then=parts[1])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr, done.returncode) == ("[2. 2. 2.]\n", "", 0)


MISSING = """
import sys
sys.modules["pycuda"] = None
import tfcore as tf
for call in [lambda: tf.gpu.allocator(4), lambda: tf.gpu.stream(tf.Session())]:
    try:
        call()
    except ImportError as error:
        print(error)
with tf.device("/gpu:0"):
    y = tf.gpu.cuda_func(lambda: None, [], tf.float32)
try:
    tf.Session().run(y)
except tf.errors.OpError as error:
    print("install_pycuda" in error.message and type(error.__cause__).__name__)
"""


def test_without_pycuda():
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and all("python -m tfcore.gpu.install_pycuda" in line for line in lines[:2]), done.stderr
    assert lines[2] == "ImportError"
