"""tf.gpu.cuda_func: values, memory, order, errors, threads, gradients."""

import gc
import threading
import time
import traceback
import weakref

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
from pycuda.elementwise import ElementwiseKernel  # noqa: E402
from pycuda.reduction import ReductionKernel  # noqa: E402

DEVICES = ["/gpu:0", pytest.param("/gpu:1", marks=pytest.mark.two_gpus)]
TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
SCALE = """
__global__ void scale(float *y, const float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
__global__ void slow(float *x, int n) {
  for (int turn = 0; turn < 200; turn++)
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1.0f;
}
"""
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def empty_like(x, shape=None, dtype=None):
    return gpuarray.empty(x.shape if shape is None else shape, dtype or x.dtype, allocator=tf.gpu.allocator)


def run(function, Tout=tf.float32, value=X, device="/gpu:0", **how):  # noqa: N803
    """What a function makes of an array that a node on the GPU has computed."""
    x = tf.placeholder(value.dtype, value.shape)
    with tf.device(device):
        y = tf.gpu.cuda_func(function, [tf.identity(x)], Tout, **how)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        return session.run(y, {x: value})


@pytest.fixture(scope="module")
def module():
    return SourceModule(SCALE)


# ---- Ways to compute


@pytest.mark.parametrize("device", DEVICES)
def test_arithmetic(device):
    x = tf.placeholder(tf.float32, [None])
    with tf.device(device):
        y = tf.gpu.cuda_func(lambda a, b: (a * b + 1, a - b), [x, x + 1.0], [tf.float32, tf.float32])
        z = y[0] + y[1]
    with tf.Session() as session:
        for n in (5, 1, 1000):
            value = np.arange(n, dtype=np.float32)
            np.testing.assert_array_equal(session.run(z, {x: value}), value * (value + 1))


@pytest.mark.parametrize("device", DEVICES)
def test_an_elementwise_kernel(device):
    def function(x):
        kernel = ElementwiseKernel("float *y, float *x, float a", "y[i] = a * x[i] + i", "axpi")
        y = empty_like(x)
        kernel(y, x, 3.0)
        return y

    np.testing.assert_array_equal(run(function, device=device), 4 * X)


@pytest.mark.parametrize("device", DEVICES)
def test_a_reduction_kernel(device):
    def function(x, stream):
        kernel = ReductionKernel(np.float32, "0", "a + b", "x[i] * x[i]", "float *x")
        return kernel(x, stream=stream), gpuarray.sum(x)

    squares, total = run(function, [tf.float32, tf.float32], device=device)
    assert (squares, total) == ((X**2).sum(), X.sum()) and squares.shape == ()


@pytest.mark.parametrize("device", DEVICES)
def test_a_source_module_in_the_stream(device):
    def function(x, stream):
        y = empty_like(x)
        scale = SourceModule(SCALE).get_function("scale")
        scale(y, x, np.float32(5), np.int32(x.size), block=(32, 1, 1), grid=(1, 1), stream=stream)
        return y

    np.testing.assert_array_equal(run(function, device=device), 5 * X)


def test_the_stream_is_the_sessions():
    streams = []
    run(lambda x, *, stream: streams.append(stream) or x)
    with tf.Session() as session:
        assert streams == [tf.gpu.stream(session)]


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    value = (X % 2 if dtype == "bool" else X).astype(dtype)
    seen = []

    def function(x):
        seen.append((x.dtype, x.shape))
        y = empty_like(x)
        drv.memcpy_dtod_async(y.gpudata, x.gpudata, x.nbytes)
        return y

    got = run(function, dtype, value)
    assert got.dtype == value.dtype and seen == [(value.dtype, value.shape)]
    np.testing.assert_array_equal(got, value)


# ---- Results


RESULTS = {
    "an input": (lambda x: x, X),
    "a part of it": (lambda x: x[1:, 1:3], X[1:, 1:3]),
    "a row": (lambda x: x[1], X[1]),
    "transposed": (lambda x: x.T, X.T),
    "backwards": (lambda x: (x + 0)[::-1], X[::-1]),
    "other shape": (lambda x: x.reshape(2, 6), X.reshape(2, 6)),
    "memory of PyCUDA": (lambda x: gpuarray.to_gpu(2 * X), 2 * X),
    "a part of that": (lambda x: gpuarray.to_gpu(2 * X)[:, 1::2], 2 * X[:, 1::2]),
    "a scalar": (lambda x: gpuarray.max(x), X.max()),
    "empty": (lambda x: gpuarray.empty((0, 3), np.float32), np.empty((0, 3))),
    "in a tuple": (lambda x: (x,), X),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", RESULTS)
def test_results(name, device):
    function, wanted = RESULTS[name]
    got = run(function, device=device)
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got, wanted)


def test_empty_arrays():
    shapes = []
    got = run(lambda x: shapes.append(x.shape) or empty_like(x, (2, 0)), value=np.zeros((0, 4), np.float32))
    assert got.shape == (2, 0) and shapes == [(0, 4)]


def test_no_results():
    calls = []
    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        op = tf.gpu.cuda_func(lambda x: calls.append(float(gpuarray.sum(x).get())), [x], [])
        assert tf.gpu.cuda_func(print, [x], [], stateful=False) == []
    assert isinstance(op, tf.Operation)
    with tf.Session() as session:
        assert session.run(op, {x: X}) is None
    assert calls == [X.sum()]


WRONG = {
    "number": (lambda x: (x, x), r"pyfunc_\d+ returns 2 values, but expects to see 1 values"),
    "nothing": (lambda x: None, r"pyfunc_\d+ returns 0 values, but expects to see 1 values"),
    "type": (lambda x: x.astype(np.float64), r"0-th value returned by pyfunc_\d+ is double, but expects float"),
    "NumPy": (lambda x: x.get(), r"0-th value returned by pyfunc_\d+ is of type ndarray, but expects a GPUArray"),
    "no array": (lambda x: 3.0, r"0-th value returned by pyfunc_\d+ is of type float, but expects a GPUArray"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_results(name):
    function, text = WRONG[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        run(function)
    assert "test_cuda_func.py" in caught.value.message


@pytest.mark.two_gpus
def test_a_result_on_another_gpu():
    held = gpuarray.to_gpu(X)  # on the first
    with pytest.raises(tf.errors.InvalidArgumentError, match="in the memory of .*GPU:0, but expects that of .*GPU:1"):
        run(lambda x: held, device="/gpu:1")


# ---- Memory


def test_memory_of_the_allocator_is_handed_over():
    n, addresses = 1 << 18, []

    def function(x):
        y = 2 * x  # in memory of the same allocator as x
        addresses.append(int(y.gpudata))
        return y

    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(function, [x], tf.float32)
    with tf.Session() as session:
        call = session.make_callable(y, [x], fetch_devices="/gpu:0")
        before = in_use()
        kept = call(gpuarray.to_gpu(np.ones(n, np.float32)))
        assert int(tf.gpu.as_gpuarray(kept).gpudata) == addresses[0]
        assert in_use() == before + 4 * n
        assert (kept.numpy() == 2).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("where", ["allocator", "PyCUDA"])
def test_nothing_is_left_after_200_steps(where, module):
    """The memory of results stays until the work that reads them is done, and no longer."""
    n = 1 << 14
    slow = module.get_function("slow")

    def function(x):
        y = empty_like(x) if where == "allocator" else gpuarray.empty(x.shape, x.dtype)
        y.fill(0)
        slow(y, np.int32(n), block=(32, 1, 1))
        return y[::2], y

    x = tf.placeholder(tf.float32, [n])
    with tf.device("/gpu:0"):
        half, full = tf.gpu.cuda_func(function, [x + 1.0], [tf.float32, tf.float32])
        total = tf.reduce_sum(half) + tf.reduce_sum(full)
    with tf.Session() as session:
        for _ in range(40):  # what is replayed keeps its memory
            session.run(total, {x: np.zeros(n)})
        drv.Context.synchronize()
        gc.collect()
        free, used = drv.mem_get_info()[0], in_use()
        for _ in range(200):
            assert session.run(total, {x: np.zeros(n)}) == 300 * n
        assert settles(lambda: in_use() <= used and drv.mem_get_info()[0] >= free)


def test_kept_inputs_stay():
    kept = []
    x = tf.placeholder(tf.float32, [3, 4])
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(lambda a: kept.append(a) or a, [x * 2.0], tf.float32) + 1.0
    with tf.Session() as session:
        for turn in range(5):
            session.run(y, {x: X + turn})
    for turn, array in enumerate(kept):
        np.testing.assert_array_equal(array.get(), 2 * (X + turn))
        with pytest.raises(ValueError, match="read-only"):
            array.fill(0)


def test_a_variable_keeps_what_the_function_returns():
    arrays = [gpuarray.to_gpu(X + i) for i in range(3)]
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([3, 4]), use_resource=False)
        assign = tf.assign(v, tf.gpu.cuda_func(arrays.pop, [], tf.float32, shapes=[3, 4])).op
    with tf.Session() as session:
        session.run(assign)
        gc.collect()
        for other in arrays:
            other.fill(7)
        np.testing.assert_array_equal(session.run(v), X + 2)


def test_an_error_of_memory():
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"tf.gpu.allocator has no memory for \d+ bytes"):
        run(lambda x: empty_like(x, (1 << 44,)))


# ---- Order


@pytest.mark.parametrize("which", ["default", "ours", "own"])
def test_the_queue_waits_for_the_function(module, which):
    """Its work is slow, in any stream that PyCUDA makes; what reads the results comes at once."""
    slow = module.get_function("slow")
    streams = {"default": None, "own": drv.Stream()}

    def function(x, stream):
        y = x.copy()
        slow(y, np.int32(y.size), block=(32, 1, 1), stream=streams.get(which, stream))
        return y

    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = x
        for _ in range(5):
            y = tf.gpu.cuda_func(function, [y * 1.0], tf.float32)
    with tf.Session() as session:
        for _ in range(3):
            np.testing.assert_array_equal(session.run(y, {x: np.arange(1000.0)}), np.arange(1000) + 1000)


def test_steps_are_not_replayed_but_right():
    """The nodes around the function may be; there are steps enough for that."""
    turn = [0]

    def function(x):
        turn[0] += 1
        return x + turn[0]

    x = tf.placeholder(tf.float32, [64])
    with tf.device("/gpu:0"):
        before = tf.tanh(tf.sin(tf.exp(x * 0.5) + 1.0) * 2.0) + 1.0
        after = tf.gpu.cuda_func(function, [before], tf.float32, shapes=[64])
        y = [before, tf.sqrt(tf.square(after * 2.0) + 1.0) - after + tf.abs(after)]
    with tf.Session() as session:
        for i in range(1, 40):
            b, got = session.run(y, {x: np.arange(64)})
            a = b + i
            np.testing.assert_allclose(got, np.sqrt((a * 2) ** 2 + 1) - a + np.abs(a), rtol=1e-5)
    assert turn[0] == 39


def test_threads():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        first = tf.gpu.cuda_func(lambda a: a + 1, [x], tf.float32)
        second = tf.gpu.cuda_func(lambda a: a * 2, [x], tf.float32)
        y = tf.gpu.cuda_func(lambda a, b: a + b, [first, second], tf.float32)
    wrong = []
    with tf.Session() as session:

        def work(number):
            for turn in range(10):
                value = np.arange(100, dtype=np.float32) + number + turn
                if not np.array_equal(session.run(y, {x: value}), 3 * value + 1):
                    wrong.append((number, turn))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.two_gpus
def test_between_two_gpus():
    x = tf.placeholder(tf.float32, [None])
    y = x
    for i in range(6):
        with tf.device(f"/gpu:{i % 2}"):
            y = tf.gpu.cuda_func(lambda a, i=i: 2 * a + i, [y], tf.float32)
    with tf.Session() as session:
        value = wanted = np.arange(100, dtype=np.float32)
        for i in range(6):
            wanted = 2 * wanted + i
        for _ in range(5):
            np.testing.assert_array_equal(session.run(y, {x: value}), wanted)


def test_in_a_loop_and_a_conditional():
    with tf.device("/gpu:0"):
        start = tf.constant([1.0, 2.0])

        def body(i, a):
            return i + 1, tf.gpu.cuda_func(lambda b: 2 * b, [a], tf.float32, shapes=[2])

        _, y = tf.while_loop(lambda i, a: i < 10, body, [0, start])
        z = tf.cond(y[0] > 5, lambda: tf.gpu.cuda_func(lambda b: b + 1, [y], tf.float32), lambda: y)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(z).tolist() == [1025, 2049]


# ---- Failures


class OddError(Exception):
    pass


@pytest.mark.parametrize(
    "raised, error",
    [
        (ValueError, tf.errors.InvalidArgumentError),
        (StopIteration, tf.errors.OutOfRangeError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (drv.MemoryError, tf.errors.ResourceExhaustedError),
        (OddError, tf.errors.UnknownError),
    ],
)
def test_exceptions(raised, error):
    def fails(x):
        y = 2 * x
        raise raised(f"planted {y.shape}")

    with pytest.raises(error, match=r"planted \(3, 4\)") as caught:
        run(fails, name="mine")
    assert isinstance(caught.value.__cause__, raised)
    assert "fails" in "".join(traceback.format_tb(caught.value.__cause__.__traceback__))
    assert 'raise raised(f"planted' in caught.value.message  # its traceback
    assert "node mine" in caught.value.message and "test_cuda_func.py" in caught.value.message


def test_a_failed_step_leaves_nothing():
    x = tf.placeholder(tf.float32, [1 << 14])

    def fails(a):
        b = a + 1
        raise ValueError(str(b.shape))

    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(fails, [x * 2.0], tf.float32)
        z = tf.gpu.cuda_func(lambda a: a, [x * 2.0], tf.float32)
    with tf.Session() as session:
        used = []
        for _ in range(10):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(y, {x: np.zeros(1 << 14)})
            assert session.run(z, {x: np.ones(1 << 14)})[0] == 2
            used.append(gc.collect() and 0 or in_use())
        assert settles(lambda: in_use() <= used[1])
    assert drv.Context.get_current() == pycuda.autoprimaryctx.context


def test_a_closed_session_waits_for_its_function():
    entered, leave = threading.Event(), threading.Event()

    def function(x):
        entered.set()
        leave.wait(20)
        return x + 1

    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(function, [x * 1.0], tf.float32) + 1.0
    session = tf.Session()
    outcome = []

    def work():
        try:
            outcome.append(session.run(y, {x: X}))
        except tf.errors.OpError as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert entered.wait(20)
    closing = threading.Thread(target=session.close)
    closing.start()
    time.sleep(0.1)
    leave.set()
    thread.join(30)
    closing.join(30)
    assert len(outcome) == 1 and isinstance(outcome[0], tf.errors.CancelledError)


def test_a_timeout():
    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(lambda a: time.sleep(0.5) or a, [x * 1.0], tf.float32) + 1.0
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(y, {x: X}, options=tf.RunOptions(timeout_in_ms=100))
        np.testing.assert_array_equal(session.run(y, {x: X}), X + 1)


def test_functions_go_with_their_graph():
    def function(x):
        return x

    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            tf.gpu.cuda_func(function, [tf.ones([3])], tf.float32)
        seen = weakref.ref(function)
        del function
        gc.collect()
        assert seen() is not None
    gc.collect()
    assert settles(lambda: seen() is None)


@pytest.mark.parametrize("soft", [False, True])
def test_a_cpu(soft):
    x = tf.placeholder(tf.float32)
    with tf.device("/cpu:0"):
        y = tf.gpu.cuda_func(lambda a: a, [x], tf.float32, name="mine")
    config = tf.ConfigProto(allow_soft_placement=soft, device_count={"GPU": 0})
    with tf.Session(config=config) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="CudaFunc runs on GPUs only, but mine is placed on"):
            session.run(y, {x: X})


# ---- Graphs


def test_static_shapes_and_wrong_calls():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.gpu.cuda_func(lambda a: a, [x], tf.float32)
    assert y.shape.ndims is None
    y.set_shape([None, 4])
    assert tf.gpu.cuda_func(lambda a: a, [x], tf.float32, shapes=x.shape).shape.as_list() == [None, 4]
    a, b = tf.gpu.cuda_func(lambda a: a, [x], [tf.float32, tf.int32], shapes=[[2], []])
    assert (a.shape.as_list(), b.shape.as_list()) == ([2], [])
    with pytest.raises(ValueError, match="1 results, but 2 shapes"):
        tf.gpu.cuda_func(lambda a: a, [x], [tf.float32], shapes=[[2], [3]])
    with pytest.raises(ValueError, match="callable"):
        tf.gpu.cuda_func(3, [x], tf.float32)


def test_stateless_calls_are_merged_and_dropped():
    calls = []

    def function(x):
        calls.append(x.shape)
        return x + 1

    x = tf.placeholder(tf.float32)
    token = None
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(function, [x], tf.float32, stateful=False)
        token = y.op.get_attr("token")
        again = tf.raw_ops.CudaFuncStateless(input=[x], token=token, Tout=[tf.float32])[0]
    with tf.Session() as session:
        one, two = session.run([y, again], {x: X})
    np.testing.assert_array_equal(one, two)
    assert len(calls) == 1


def square(x):
    return x * x


def test_a_gradient_function():
    def grad(op, dy):
        return tf.gpu.cuda_func(lambda x, d: 2 * x * d, [op.inputs[0], dy], tf.float32, shapes=op.inputs[0].shape)

    x = tf.placeholder(tf.float32, [3, 4])
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(square, [x], tf.float32, shapes=[3, 4], gradient=grad)
        (dx,) = tf.gradients(y * 3.0, x)
        without = tf.gpu.cuda_func(square, [x], tf.float32, shapes=[3, 4])
    assert tf.gradients(without, x) == [None]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(dx, {x: X}), 6 * X)


def test_a_custom_gradient():
    @tf.custom_gradient
    def squared(x):
        y = tf.gpu.cuda_func(square, [x], tf.float32, shapes=x.shape)
        return y, lambda dy: 2.0 * x * dy

    with tf.device("/gpu:0"):
        v = tf.Variable(tf.constant(X), use_resource=False)
        loss = tf.reduce_sum(squared(v))
        train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        np.testing.assert_array_equal(session.run(v), X / 8)


@pytest.mark.parametrize("fails", ["with a wrong type", "by an exception"])
def test_a_failed_step_of_another_thread_frees_memory_of_pycuda(fails):
    """PyCUDA frees memory only where its context is current, which it is on no other thread than this."""
    size = 1 << 20

    def function(x):
        made = gpuarray.empty(size, np.int8)  # not in memory of the session
        if fails == "by an exception":
            raise ValueError(str(made.shape))
        return made

    x = tf.placeholder(tf.float32, [4])
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_func(function, [x * 2.0], tf.float32)
    with tf.Session() as session:

        def steps():
            for _ in range(8):
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(y, {x: np.zeros(4)})

        def others():
            return gpu.gpu(0).bytes_of_others()

        thread = threading.Thread(target=steps)
        thread.start()
        thread.join()
        before = others()
        thread = threading.Thread(target=steps)
        thread.start()
        thread.join()
        assert settles(lambda: others() <= before), (others() - before) / size
