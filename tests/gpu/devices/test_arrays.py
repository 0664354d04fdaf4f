"""Arrays on GPUs that are shared with other libraries, and values that stay there."""

import gc
import subprocess
import sys
import time

import numpy as np
import pytest
from tfcore.core.device.device_tensor import DeviceTensor

import tfcore as tf
from tests.gpu.devices.other_library import Consumer, InterfaceOnly, Library
from tfcore.core.device import gpu

SECOND = pytest.param(1, marks=pytest.mark.two_gpus, id="GPU:1")
TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(scope="module", params=[pytest.param(0, id="GPU:0"), SECOND])
def library(request):
    return Library(request.param)


@pytest.fixture(scope="module")
def first():
    return Library(0)


def given_back(array):
    """Whether an array is back at its owner, now or soon."""
    for _ in range(500):
        if not array.lent:
            return True
        time.sleep(0.01)
    return False


def bytes_in_use(index=0):
    return gpu.gpu(index).memory_stats()["bytes_in_use"]


def keeps(session, fetch, feeds=(), device="/gpu:0"):
    return session.make_callable(fetch, list(feeds), fetch_devices=device)


# ---- Feeds


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0", pytest.param("/gpu:1", marks=pytest.mark.two_gpus)])
@pytest.mark.parametrize("how", ["plain", "versioned", "interface"])
def test_a_fed_array_has_its_value_everywhere(library, device, how):
    x = tf.placeholder(tf.float32, [None, 3])
    with tf.device(device):
        y = x * 2.0 + 1.0
    with tf.Session() as session:
        for n in (4, 1, 2000):
            value = np.arange(3.0 * n, dtype=np.float32).reshape(n, 3)
            array = library.array(value, versioned=how == "versioned")
            fed = InterfaceOnly(array) if how == "interface" else array
            np.testing.assert_array_equal(session.run(y, {x: fed}), value * 2 + 1)
            assert given_back(array)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 0, 3), (2, 3, 4)])
def test_types_and_shapes(first, name, shape):
    rng = np.random.default_rng(len(shape))
    value = (rng.random(shape) * 100).astype(name)
    x = tf.placeholder(name, shape)
    with tf.device("/gpu:0"):
        y = tf.reshape(x, [-1])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        for array in (first.array(value), first.array(value, offset=16, versioned=True)):
            got = session.run([x, y], {x: array})
            np.testing.assert_array_equal(got[0], value)
            np.testing.assert_array_equal(got[1], value.ravel())
        fed = InterfaceOnly(first.array(value, offset=16))
        np.testing.assert_array_equal(session.run(y, {x: fed}), value.ravel())


def test_bfloat16(first):
    x = tf.placeholder(tf.bfloat16, [3])
    bits = np.array([0x3F80, 0x4000, 0xC040], np.uint16)  # 1, 2, -3
    with tf.device("/gpu:0"):
        y = tf.cast(x, tf.float32)
    with tf.Session() as session:
        assert session.run(y, {x: first.array(bits, code=4)}).tolist() == [1, 2, -3]
        kept = keeps(session, tf.identity(x), [x])(first.array(bits, code=4))
        assert kept.dtype is tf.bfloat16 and not hasattr(kept, "__cuda_array_interface__")
        assert session.run(y, {x: kept}).tolist() == [1, 2, -3]


def test_an_array_is_used_in_place(first):
    """Its consumers on the same GPU get its very memory; nothing else is allocated."""
    n = 1 << 16
    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        y = tf.identity(x)
        z = tf.reduce_sum(y)

    def allocations(value):
        before = gpu.gpu(0).memory_stats()["num_allocs"]
        assert session.run(z, {x: value}) == n
        return gpu.gpu(0).memory_stats()["num_allocs"] - before

    with tf.Session() as session:
        session.run(z, {x: np.ones(n)})
        there, here = allocations(first.array(np.ones(n, np.float32))), allocations(np.ones(n, np.float32))
        assert there == here - 1  # the copy of what is on the host
        assert session.run(z, {x: first.array(np.ones(n))}) == n  # of float64: converted on the host


def test_the_producer_may_use_its_memory_again(library):
    """Each array is spoilt in its owner's stream as soon as it is given back, and a step reads it late."""
    x = tf.placeholder(tf.float32, [None])
    results, wanted = [], []
    with tf.device(f"/gpu:{library.ordinal}"):
        v = tf.Variable(tf.zeros([1000]))
        update = tf.assign_add(v, x).op
    with tf.Session() as session:
        session.run(v.initializer)
        total = np.zeros(1000, np.float32)
        for i in range(20):
            value = np.full(1000, float(i), np.float32)
            session.run(update, {x: library.array(value)})
            total += value
        results.append(session.run(v))
        wanted.append(total)
    np.testing.assert_array_equal(results, wanted)


@pytest.mark.two_gpus
def test_the_current_device_of_the_caller_stays(first):
    """Steps, arrays that come and go, and sessions that end leave the thread's context as it was."""
    second = Library(1)
    x = tf.placeholder(tf.float32, [1000])
    with tf.device("/gpu:0"):
        y = tf.reduce_sum(tf.exp(x) * x) + tf.reduce_mean(x)
    with tf.Session() as session:
        second.use()
        for i in range(20):
            array = first.array(np.full(1000, float(i % 3), np.float32))
            second.use()
            session.run(y, {x: array})
            assert second.driver.current_device() == 1
            session.run(y, {x: np.ones(1000)})
            del array
            assert second.driver.current_device() == 1
    del session
    gc.collect()
    assert second.driver.current_device() == 1


@pytest.mark.parametrize("how", ["plain", "interface"])
def test_state_is_a_copy(first, how):
    x = tf.placeholder(tf.float32, [1000])
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([1000]))
        assign = tf.assign(v, x).op
        kept = tf.identity(x)
    with tf.Session() as session:
        session.run(v.initializer)
        array = first.array(np.full(1000, 3, np.float32))
        session.run(assign, {x: InterfaceOnly(array) if how == "interface" else array})
        fetched = keeps(session, kept, [x])(first.array(np.full(1000, 4, np.float32)))
        array.spoil()
        gc.collect()
        assert (session.run(v) == 3).all()
        assert (fetched.numpy() == 4).all()


def test_partial_runs_keep_a_copy(first):
    a, b = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [])
    with tf.device("/gpu:0"):
        c, d = a * 2.0, a * b
    with tf.Session() as session:
        handle = session.partial_run_setup([c, d], [a, b])
        array = first.array(np.full(100, 3, np.float32))
        assert (session.partial_run(handle, c, {a: array}) == 6).all()
        array.spoil()
        assert (session.partial_run(handle, d, {b: 4}) == 12).all()


def test_loops_take_fed_arrays(first):
    x = tf.placeholder(tf.float32, [10])
    with tf.device("/gpu:0"):
        _, y = tf.while_loop(lambda i, _: i < 5, lambda i, y: (i + 1, y + x), [tf.constant(0), tf.zeros([10])])
        z = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1.0, lambda: x)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        array = first.array(np.full(10, 2, np.float32))
        got = session.run([y, z], {x: array})
        assert (got[0] == 10).all() and (got[1] == 3).all()


def random_views():
    """(shape of the memory, shape, strides, elements to skip) of arrays that are not dense."""
    return [
        ((4, 6), (6, 4), (1, 6), 0),  # transposed
        ((40,), (10,), (4,), 3),  # each fourth element
        ((5, 8), (5, 3), (8, 2), 1),  # columns
        ((24,), (4, 6), (0, 1), 2),  # broadcast
        ((2, 3, 4), (4, 1, 3, 2), (1, 77, 4, 12), 0),
        ((12,), (12,), (-1,), 11),  # reversed
    ]


@pytest.mark.parametrize("view", random_views(), ids=str)
@pytest.mark.parametrize("name", ["uint8", "float16", "float32", "complex128"])
@pytest.mark.parametrize("how", ["dlpack", "interface"])
def test_strides(first, view, name, how):
    whole, shape, strides, skip = view
    value = np.arange(np.prod(whole)).astype(name)
    wanted = np.lib.stride_tricks.as_strided(
        value[skip:], shape, [s * value.itemsize for s in strides], writeable=False
    ).copy()
    x = tf.placeholder(name, shape)
    with tf.device("/gpu:0"):
        y = tf.identity(x)
    array = first.array(value).view(shape, strides, skip)
    with tf.Session() as session:
        got = session.run(y, {x: array if how == "dlpack" else InterfaceOnly(array)})
    np.testing.assert_array_equal(got, wanted)


def test_an_address_that_is_not_aligned(first):
    x = tf.placeholder(tf.float32, [50])
    with tf.device("/gpu:0"):
        y = x + 1.0
    value = np.arange(50, dtype=np.float32)
    with tf.Session() as session:
        for offset in (1, 2, 3):
            np.testing.assert_array_equal(session.run(y, {x: first.array(value, offset=offset)}), value + 1)


def test_several_threads_feed_arrays(first):
    import threading

    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = tf.reduce_sum(x * x)
    wrong = []
    with tf.Session() as session:

        def run(seed):
            mine = Library(0)
            for n in range(1, 15):
                value = np.full(100 * n, seed + 1, np.float32)
                if session.run(y, {x: mine.array(value)}) != 100 * n * (seed + 1) ** 2:
                    wrong.append((seed, n))

        threads = [threading.Thread(target=run, args=[i]) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


# ---- Values that stay on the device


@pytest.mark.parametrize("index", [0, SECOND])
def test_a_fetched_value_stays_on_its_device(index):
    library = Library(index)
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = x * 3.0
    value = np.arange(5000, dtype=np.float32)
    with tf.Session() as session:
        run = keeps(session, y, [x], f"/gpu:{index}")
        kept = run(value)
        assert isinstance(kept, DeviceTensor) and kept.device.endswith(f"GPU:{index}")
        assert kept.dtype is tf.float32 and kept.shape == (5000,) and kept.nbytes == 20000
        assert kept.__dlpack_device__() == (2, index) and "GPU" in repr(kept)
        later = run(value + 1)
    np.testing.assert_array_equal(kept.numpy(), value * 3)  # the session is closed
    np.testing.assert_array_equal(np.asarray(later), (value + 1) * 3)
    for version in (None, (1, 0)):
        view = Consumer(library, kept, version)
        np.testing.assert_array_equal(library.read(view), value * 3)
        if version:
            assert view.managed.flags & 1  # read-only
        view.delete()


def test_structures_and_defaults():
    with tf.device("/gpu:0"):
        a = tf.placeholder(tf.float32, [2], name="a")
        b, c = tf.identity(a * 2.0, name="b"), tf.identity(a * 3.0, name="c")
    with tf.device("/cpu:0"):
        d = tf.identity(a * 4.0, name="d")
    with tf.Session() as session:
        run = session.make_callable({"b": b, "rest": [c, d, b]}, [a], fetch_devices={"b:0": "/gpu:0", c: "/cpu:0"})
        got = run([1, 2])
        assert isinstance(got["b"], DeviceTensor) and got["b"] is got["rest"][2]
        assert isinstance(got["rest"][0], np.ndarray) and got["rest"][1].tolist() == [4, 8]
        last = gpu.count() - 1
        everything = keeps(session, [a, b, d, b + 1.0], [a], f"/gpu:{last}")([1, 2])
        assert [v.numpy().tolist() for v in everything] == [[1, 2], [2, 4], [4, 8], [3, 5]]
        assert {v.device[-5:] for v in everything} == {f"GPU:{last}"}


def test_traces_and_checks(first):
    x = tf.placeholder(tf.float32, [1000], name="x")
    with tf.device("/gpu:0"):
        y = tf.exp(x * 2.0, name="y")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        run = keeps(session, y, [x])
        kept = run(first.array(np.zeros(1000, np.float32)), options=options, run_metadata=metadata)
        assert isinstance(kept, DeviceTensor) and (kept.numpy() == 1).all()
        nodes = {d.device[-5:]: [n.node_name for n in d.node_stats] for d in metadata.step_stats.dev_stats}
        assert "y" in nodes["GPU:0"]
        with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 : Tensor had Inf values"):
            run(first.array(np.full(1000, 99, np.float32)), options=tf.RunOptions(check_numerics=True))


def test_variables_are_kept_as_they_are_now():
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.ones([500]))
        more = tf.assign_add(v, tf.ones([500]))
    with tf.Session() as session:
        session.run(v.initializer)
        run, read = keeps(session, more), keeps(session, v)
        values = [read(), run(), run(), read()]
        session.run(more.op)
        assert [float(value.numpy()[7]) for value in values] == [1, 2, 3, 3]
        assert session.run(v)[0] == 4


def test_feeding_a_kept_value_back_costs_no_copy():
    n = 1 << 18
    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        y = x + 1.0
        total = tf.reduce_sum(x)
    with tf.Session() as session:
        run, add = keeps(session, y, [x]), session.make_callable(total, [x])
        value = run(np.zeros(n))
        for _ in range(5):
            value = run(value)
        assert add(value) == 6 * n
        before = bytes_in_use()
        peaks = gpu.gpu(0).memory_stats()["peak_bytes_in_use"]
        assert add(value) == 6 * n
        assert bytes_in_use() == before and gpu.gpu(0).memory_stats()["peak_bytes_in_use"] == peaks
        for device in ("/cpu:0", f"/gpu:{gpu.count() - 1}"):
            with tf.device(device):
                elsewhere = tf.reduce_sum(x) * 2.0
            assert session.run(elsewhere, {x: value}) == 12 * n


def test_kept_memory_is_counted_and_let_go():
    n = 1 << 20
    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        y = x + 1.0
    with tf.Session() as session:
        run = keeps(session, y, [x])
        run(np.zeros(n))
        before = bytes_in_use()
        values = [run(np.full(n, i)) for i in range(3)]
        assert bytes_in_use() - before >= 3 * 4 * n
        del values[1]
        assert 2 * 4 * n <= bytes_in_use() - before < 3 * 4 * n
        assert values[1].numpy()[5] == 3
        values.clear()
        assert bytes_in_use() == before


def test_memory_that_a_consumer_reads_late_is_not_used_again(first):
    """The consumer lets go of the tensor while its own stream has not yet read it."""
    n = 5000
    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        y = x + 1.0
    size = 4 * n
    with tf.Session() as session:
        run = keeps(session, y, [x])
        pending = []
        for i in range(10):
            view = Consumer(first, run(np.full(n, i)))
            address, memory = first.pinned(size)
            first.call("cuMemcpyDtoHAsync_v2", address, view.address, size, first.stream)
            view.delete()
            session.run(y, {x: np.full(n, -5)})
            pending.append(memory)
        first.call("cuStreamSynchronize", first.stream)
        for i, memory in enumerate(pending):
            np.testing.assert_array_equal(np.frombuffer(memory.raw, np.float32), np.full(n, i + 1))


def test_the_array_interface_of_a_kept_value(first):
    x = tf.placeholder(tf.float64, [None, 2])
    with tf.device("/gpu:0"):
        y = tf.identity(x * 2.0)
    with tf.Session() as session:
        run = keeps(session, y, [x])
        kept = run([[1, 2], [3, 4]])
        interface = kept.__cuda_array_interface__
        assert interface["shape"] == (2, 2) and interface["typestr"] == "<f8" and interface["version"] == 3
        assert interface["stream"] is None and interface["strides"] is None
        view = tf.TensorValue.from_dlpack(type("Other", (), {"__cuda_array_interface__": interface, "kept": kept})())
        assert isinstance(view, DeviceTensor) and view.numpy().tolist() == [[2, 4], [6, 8]]
        assert run(np.zeros([0, 2])).__cuda_array_interface__["data"] == (0, False)
        assert session.run(y, {x: run(np.zeros([0, 2]))}).shape == (0, 2)


def test_what_a_consumer_may_ask_for(first):
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/gpu:0"):
        y = x + 1.0
    with tf.Session() as session:
        kept = keeps(session, y, [x])([1, 2, 3])
    with pytest.raises(ValueError, match="Stream 0"):
        kept.__dlpack__(stream=0)
    with pytest.raises(BufferError, match="without a copy"):
        kept.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"\(2, 1\)"):
        kept.__dlpack__(dl_device=(2, 1))
    assert np.from_dlpack(kept, device="cpu").tolist() == [2, 3, 4]
    for stream in (None, 1, -1):
        again = tf.TensorValue.from_dlpack(
            type(
                "Other",
                (),
                {
                    "__dlpack_device__": kept.__dlpack_device__,
                    "__dlpack__": lambda self, stream, s=stream: kept.__dlpack__(stream=s),
                },
            )()
        )
        assert again.numpy().tolist() == [2, 3, 4]
    kept.__dlpack__()  # a capsule that nobody takes
    copy = Consumer(
        first,
        type(
            "Copy",
            (),
            {
                "__dlpack_device__": kept.__dlpack_device__,
                "__dlpack__": lambda self, stream: kept.__dlpack__(stream=stream, copy=True),
            },
        )(),
    )
    assert copy.address != kept.__cuda_array_interface__["data"][0]
    assert first.read(copy).tolist() == [2, 3, 4]
    copy.delete()


@pytest.mark.two_gpus
def test_another_thread_context_is_no_trouble():
    """Between steps the program makes another GPU the current one."""
    x = tf.placeholder(tf.float32, [100])
    with tf.device("/gpu:0"):
        y = x + 1.0
    other = Library(1)
    with tf.Session() as session:
        for i in range(5):
            other.use()
            assert (session.run(y, {x: np.full(100, i)}) == i + 1).all()
            kept = keeps(session, y, [x])(np.full(100, i))
            other.use()
            assert (kept.numpy() == i + 1).all()


# ---- Errors


def test_a_device_that_is_not_there(first):
    x = tf.placeholder(tf.float32, [3], name="x")
    array = first.array(np.zeros(3, np.float32))
    array.__class__ = type("Elsewhere", (type(array),), {"__dlpack_device__": lambda self: (2, 5)})
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as error:
        session.run(x + 1.0, {x: array})
    assert "Cannot feed x:0" in error.value.message and "CUDA device 5" in error.value.message


def test_wrong_arrays(first):
    x = tf.placeholder(tf.float32, [3], name="x")
    with tf.device("/gpu:0"):
        y = x + 1.0
    value = np.arange(3, dtype=np.float32)
    array = first.array(value)
    with tf.Session() as session:
        for changes, kind, text in [
            ({"mask": array}, ValueError, "mask"),
            ({"stream": 0}, ValueError, "stream 0"),
            ({"typestr": ">f4"}, ValueError, "no tensor has"),
            ({"typestr": "|O"}, ValueError, "no tensor has"),
            ({"strides": (3,)}, ValueError, "whole elements"),
            ({"strides": (4, 4)}, ValueError, "strides"),
            ({"shape": (-3,)}, ValueError, "shape"),
            ({"shape": (1 << 40, 1 << 40)}, ValueError, "impossible"),
            ({"data": (0x1234, False)}, tf.errors.InvalidArgumentError, "0x1234"),
            ({"shape": (1, 3)}, ValueError, "Cannot feed value of shape"),
        ]:
            with pytest.raises(kind, match=text):
                session.run(y, {x: InterfaceOnly(array, **changes)})
        with pytest.raises(ValueError, match="without a counterpart"):
            session.run(y, {x: first.array(value, code=9)})
        array = first.array(value)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(y, {x: array.view((1, 3), None)})
        assert given_back(array)
        assert (session.run(y, {x: first.array(value)}) == value + 1).all()

        class Dead:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, stream=None):
                raise RuntimeError("the array is gone")

        with pytest.raises(RuntimeError, match="the array is gone"):
            session.run(y, {x: Dead()})


@pytest.mark.emulated_gpu
def test_a_wrong_stream(first):
    """For the driver of a card a stream is an address, where it looks at once."""
    x = tf.placeholder(tf.float32, [3], name="x")
    with tf.device("/gpu:0"):
        y = x + 1.0
    with tf.Session() as session:
        with pytest.raises(tf.errors.OpError, match="stream"):
            session.run(y, {x: InterfaceOnly(first.array(np.zeros(3, np.float32)), stream=0x77777)})
        assert (session.run(y, {x: first.array(np.zeros(3, np.float32))}) == 1).all()


def test_fetches_that_can_not_stay():
    x = tf.placeholder(tf.float32, [3], name="x")
    text = tf.as_string(x)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="of type string"):
            keeps(session, text, [x])
        with pytest.raises(tf.errors.InvalidArgumentError, match="available devices"):
            keeps(session, x + 1.0, [x], "/gpu:7")
        with pytest.raises(ValueError, match="is not fetched"):
            session.make_callable(x + 1.0, [x], fetch_devices={"x:0": "/gpu:0"})


LOST = """
import numpy as np
import tfcore as tf
from tests.gpu.devices.other_library import Library

x = tf.placeholder(tf.float32, [4])
with tf.device("/gpu:0"):
    y = x + 1.0
library = Library(0)
with tf.Session() as session:
    run = session.make_callable(y, [x], fetch_devices="/gpu:0")
    kept = run(np.zeros(4))
    other = kept.__dlpack__(stream=library.stream)
    wrong = library.array(np.zeros(4, np.float32))
    wrong.memory = 4096
    try:
        session.run(y, {x: wrong})
        print("no failure")
    except tf.errors.OpError:
        pass
    for attempt in [lambda: run(np.zeros(4)), lambda: run(kept), lambda: kept.numpy(),
                    lambda: kept.__dlpack__(), lambda: kept.__cuda_array_interface__]:
        try:
            attempt()
            print("no error")
        except tf.errors.OpError as error:
            print(type(error).__name__)
    del kept, other
"""


def test_a_lost_device():
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["UnavailableError"] * 5, done.stdout + done.stderr


WITHOUT = """
import numpy as np
import tfcore as tf

class Array:
    def __dlpack_device__(self):
        return (2, 0)

x = tf.placeholder(tf.float32, [3])
for attributes in ({"__dlpack__": None}, {"__dlpack__": None}, {}):
    array = type("Array", (Array,), attributes)()
    if not attributes:
        array.__cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3}
    with tf.Session() as session:
        try:
            session.run(x, {x: array})
        except tf.errors.InvalidArgumentError as error:
            print("no GPU" in error.message and "to the host" in error.message)
"""


def test_a_process_without_gpus(monkeypatch):
    monkeypatch.setenv("TFCORE_EMULATE_GPUS", "0")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True"] * 3, done.stdout + done.stderr


def test_a_session_without_gpus_takes_arrays(first):
    x = tf.placeholder(tf.float32, [3])
    with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as session:
        assert session.run(x + 1.0, {x: first.array(np.ones(3, np.float32))}).tolist() == [2, 2, 2]


@pytest.mark.two_gpus
def test_arrays_of_hidden_devices():
    program = """
import numpy as np
import tfcore as tf
from tests.gpu.devices.other_library import Library

config = tf.ConfigProto()
config.gpu_options.visible_device_list = "1"
x = tf.placeholder(tf.float32, [3])
with tf.device("/gpu:0"):
    y = x + 1.0
with tf.Session(config=config) as session:
    print(session.run(y, {x: Library(1).array(np.ones(3, np.float32))})[0])
    print(session.make_callable(y, [x], fetch_devices="/gpu:0")(np.zeros(3)).__dlpack_device__())
    try:
        session.run(y, {x: Library(0).array(np.ones(3, np.float32))})
    except tf.errors.InvalidArgumentError as error:
        print("CUDA device 0" in error.message and "have 1" in error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == ["2.0", "(2, 1)", "True"], done.stdout + done.stderr


def test_pinned_memory_is_the_hosts():
    x = tf.placeholder(tf.float32, [3])
    value = np.arange(3, dtype=np.float32)

    class Pinned:
        def __dlpack_device__(self):
            return (3, 0)

        def __dlpack__(self, **arguments):
            return value.__dlpack__(**arguments)

    with tf.Session() as session:
        assert session.run(x + 1.0, {x: Pinned()}).tolist() == [1, 2, 3]
        assert session.run(x + 1.0, {x: tf.TensorValue.from_dlpack(Pinned())}).tolist() == [1, 2, 3]
