"""py_func: values, errors, lifetimes, threads."""

import ctypes
import functools
import gc
import os
import queue
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework import errors


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def plan_kinds(sess, run):
    """Runs a step serially and with the ready list."""
    for dynamic in (False, True):
        yield run()
        for signature in sess._signatures.values():
            signature.plan.dynamic = dynamic


# ---- What goes in and comes out


def test_arguments_as_tensorflow_passes_them(sess):
    seen = []
    x = tf.placeholder(tf.float32, [2])
    y = tf.py_func(lambda *args: seen.extend(args), [1.5, x, "a", ["b", "cé"], True, np.int8(3)], [])
    assert isinstance(y, tf.Operation) and sess.run(y, {x: [1, 2]}) is None
    kinds = [(type(a), getattr(a, "dtype", None), getattr(a, "shape", None)) for a in seen]
    assert kinds == [
        (np.float32, np.float32, ()),
        (np.ndarray, np.float32, (2,)),
        (bytes, None, None),
        (np.ndarray, np.dtype(object), (2,)),
        (np.bool_, np.bool_, ()),
        (np.int8, np.int8, ()),
    ]
    assert seen[3].tolist() == [b"b", "cé".encode()]


@pytest.mark.parametrize(
    "name",
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 half float double bfloat16 complex64 complex128".split(),
)
def test_every_type(sess, name):
    dtype = tf.as_dtype(name)
    value = np.array([[0, 1], [2, 3]]).astype(dtype.as_numpy_dtype)
    y = tf.py_func(lambda a: (a.T, a), [tf.constant(value)], [dtype, dtype])
    out = sess.run(y)
    assert [o.dtype for o in out] == [value.dtype] * 2
    np.testing.assert_array_equal(out[0], value.T)
    np.testing.assert_array_equal(out[1], value)


def test_strings(sess):
    def f(a):
        assert a.tolist() == [b"x\0", b""]
        return "é", b"z\0", np.array(["a", "bcé"]), np.array([b"a\0", b"b"], object), np.array([b"ab", b"c"]), a

    out = sess.run(tf.py_func(f, [np.array([b"x\0", b""], object)], [tf.string] * 6))
    assert out[:2] == ["é".encode(), b"z\0"]
    assert [o.tolist() for o in out[2:]] == [[b"a", "bcé".encode()], [b"a\0", b"b"], [b"ab", b"c"], [b"x\0", b""]]


def test_structure_of_the_result(sess):
    assert isinstance(tf.py_func(lambda: 1.0, [], tf.float64), tf.Tensor)
    (y,) = tf.py_func(lambda: [1.0], [], [tf.float64], name="mine")
    assert y.op.name == "mine" and y.op.type == "PyFunc" and y.shape.ndims is None and sess.run(y) == 1
    assert tf.py_func(lambda: 1.0, [], tf.float64, stateful=False).op.type == "PyFuncStateless"
    assert sess.run(tf.numpy_function(lambda a, b: a + b, [1, 2], tf.int32)) == 3
    empty, strided = tf.py_func(lambda: (np.zeros((0, 3)), np.arange(6.0)[::-2]), [], [tf.float64] * 2)
    assert sess.run(empty).shape == (0, 3) and sess.run(strided).tolist() == [5, 3, 1]
    swapped = tf.py_func(lambda: np.arange(3, dtype=">i4"), [], tf.int32)
    assert sess.run(swapped).tolist() == [0, 1, 2]


def test_arguments_may_be_kept_and_written(sess):
    kept = []

    def f(a):
        a += 1
        kept.append(a)
        return a

    v = tf.Variable(np.zeros(1000))
    x = tf.placeholder(tf.float64, [1000])
    fed = np.zeros(1000)
    twice = x * 2
    outs = [tf.py_func(f, [t], tf.float64) for t in (v, x, twice, twice)]
    sess.run(v.initializer)
    for _ in plan_kinds(sess, lambda: [np.testing.assert_array_equal(o, 1) for o in sess.run(outs, {x: fed})]):
        assert not fed.any() and not sess.run(v).any()
    assert len(kept) == 8 and all((a == 1).all() for a in kept)


def test_results_may_be_reused_by_the_function(sess):
    buffer = np.zeros(1000)

    def f():
        buffer[:] += 1
        return buffer

    outs = [tf.py_func(f, [], tf.float64) for _ in range(3)]
    assert sorted(o[0] for o in sess.run(outs)) == [1, 2, 3]


def test_stateless_functions_are_merged_and_stateful_ones_are_not(sess):
    calls = []
    x = tf.placeholder(tf.float32)
    for stateful, wanted in ((True, 2), (False, 1)):
        calls.clear()
        function = lambda a: calls.append(1) or a  # noqa: E731
        first = tf.py_func(function, [x], tf.float32, stateful=stateful)
        op_def = first.op.op_def
        second = op_def([x], token=first.op.get_attr("token"), Tout=[tf.float32])[0]
        sess.run([first, second], {x: 1})
        assert len(calls) == wanted


def test_no_gradient(sess):
    x = tf.constant(1.0)
    assert tf.gradients(tf.py_func(lambda a: a, [x], tf.float32), x) == [None]


# ---- Errors


@pytest.mark.parametrize(
    "function, types, kind, text",
    [
        (lambda: 1.0, tf.float32, "InvalidArgument", r"0-th value returned by pyfunc_\d+ is double, but expects float"),
        (
            lambda: (1.0, 1),
            [tf.float64, tf.int32],
            "InvalidArgument",
            "1-th value returned by .* is int64, but expects int32",
        ),
        (lambda: "a", tf.int32, "InvalidArgument", "is string, but expects int32"),
        (
            lambda: (1.0, 2.0),
            [tf.float64],
            "InvalidArgument",
            r"pyfunc_\d+ returns 2 values, but expects to see 1 values.",
        ),
        (lambda: None, tf.float64, "InvalidArgument", "returns 0 values, but expects to see 1 values"),
        (lambda: 3, [], "InvalidArgument", "returns 1 values, but expects to see 0 values"),
        (lambda: object(), tf.float64, "Internal", "Unsupported object type object"),
        (lambda: {}, tf.float64, "Internal", "Unsupported object type dict"),
        (lambda: np.datetime64("2020"), tf.float64, "InvalidArgument", "Cannot convert value dtype"),
        (lambda: np.zeros((1,) * 21), tf.float64, "Unimplemented", "rank 21"),
    ],
)
def test_wrong_results(sess, function, types, kind, text):
    y = tf.py_func(function, [], types)
    op = y if isinstance(y, tf.Operation) else y[0].op if isinstance(y, list) else y.op
    with pytest.raises(getattr(tf.errors, kind + "Error"), match=text) as caught:
        sess.run(op)
    assert caught.value.op is op and __file__ in str(caught.value)


class StrangeError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "error, kind",
    [
        (ValueError("v"), "InvalidArgument"),
        (TypeError("v"), "InvalidArgument"),
        (UnicodeDecodeError("utf-8", b"v", 0, 1, "v"), "InvalidArgument"),
        (StopIteration("v"), "OutOfRange"),
        (MemoryError("v"), "ResourceExhausted"),
        (NotImplementedError("v"), "Unimplemented"),
        (RuntimeError("v"), "Unknown"),
        (KeyError("v"), "Unknown"),
        (tf.errors.DataLossError(None, None, "v"), "DataLoss"),
        (RuntimeError("v%s%n\0v\ud800"), "Unknown"),
        (RuntimeError("v" * 100000), "Unknown"),
        (StrangeError(), "Unknown"),
    ],
)
def test_exceptions(sess, error, kind):
    def function_of_mine():
        raise error

    y = tf.py_func(function_of_mine, [], tf.float32)
    for caught in plan_kinds(sess, lambda: pytest.raises(tf.errors.OpError, sess.run, y)):
        assert type(caught.value) is getattr(tf.errors, kind + "Error")
        text = str(caught.value)
        assert type(error).__name__ in text and "in function_of_mine" in text and "Traceback" in text
        assert caught.value.op is y.op and caught.value.__cause__ is error and __file__ in text
    assert not errors._causes


def test_one_of_several_failing_functions_is_the_cause(sess):
    x = tf.placeholder(tf.float32)

    def failing(i):
        def f(a):
            raise ValueError(f"number {i}")

        return tf.py_func(f, [x], tf.float32)

    ys = [failing(i) for i in range(8)]
    for caught in plan_kinds(sess, lambda: pytest.raises(tf.errors.InvalidArgumentError, sess.run, ys, {x: 1})):
        assert str(caught.value.__cause__) in str(caught.value)
        assert ys[int(str(caught.value.__cause__).split()[-1])].op is caught.value.op
    assert not errors._causes


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_error_goes_through(sess, kind):
    def f():
        raise kind("now")

    y = tf.py_func(f, [], tf.float32)
    with pytest.raises(kind, match="now"):
        sess.run(y)
    assert sess.run(tf.constant(1)) == 1 and not errors._causes


def test_wrong_calls(sess):
    with pytest.raises(ValueError, match="Expected func to be callable. Received func=nofunc of type <class 'str'>."):
        tf.py_func("nofunc", [], tf.float32)
    with pytest.raises(TypeError):
        tf.py_func(lambda x: x, 1.0, tf.float32)
    with pytest.raises(TypeError):
        tf.py_func(lambda x: x, [1.0], "no type")
    y = tf.py_func(lambda x, y: x, [1.0], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="missing 1 required positional argument"):
        sess.run(y)
    (orphan,) = y.op.op_def([], token="pyfunc_no", Tout=[tf.float32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="callback pyfunc_no is not found"):
        sess.run(orphan)


# ---- Lifetimes


class Payload:
    """Something a function refers to."""


def test_functions_live_as_long_as_their_graph():
    def program():
        payload = Payload()
        with tf.Graph().as_default() as graph:
            y = tf.py_func(lambda: float(payload is not None), [], tf.float64)
        return graph, y, weakref.ref(payload)

    graph, y, alive = program()
    with tf.Session(graph=graph) as sess:
        gc.collect()
        assert sess.run(y) == 1 and alive() is not None
    del graph, y, sess
    gc.collect()
    assert alive() is None


def test_functions_that_use_their_own_session_are_released():
    def program():
        payload = Payload()
        with tf.Graph().as_default():
            sess = tf.Session()
            inner = tf.constant(2.0) * 3
            y = tf.py_func(lambda: (sess.run(inner), payload)[0], [], tf.float32)
            assert sess.run(y) == 6
        return weakref.ref(payload)

    gc.collect()
    references = [program() for _ in range(20)]
    gc.collect()
    assert [r() for r in references] == [None] * 20


# ---- Threads


def test_functions_run_steps_themselves(sess):
    v = tf.Variable(1.0)
    sess.run(v.initializer)
    double = tf.assign(v, v * 2)
    other = tf.Session(graph=tf.Graph())
    with other.graph.as_default():
        seven = tf.constant(7.0)

    def f(depth):
        if depth:
            return np.float32(sess.run(y, {x: depth - 1}) + 1)
        sess.run(double)
        return np.float32(other.run(seven))

    x = tf.placeholder(tf.int32)
    y = tf.py_func(f, [x], tf.float32)
    for i, value in enumerate(plan_kinds(sess, lambda: sess.run(y, {x: 5}))):
        assert value == 12 and sess.run(v) == 2.0 ** (i + 1)


def test_stateless_functions_do_not_run_while_their_step_is_compiled(sess):
    def f(a):
        return sess.run(tf.add(inner, 0)) + a

    inner = tf.constant(2.0) + 1
    y = tf.py_func(f, [tf.constant(1.0)], tf.float32, stateful=False)
    y.set_shape([])
    assert sess.run(y + 1) == 5


def test_many_threads(sess):
    """Steps of many functions, under a lock that the clients hold, too: nobody waits for ever."""
    x = tf.placeholder(tf.float32, [64])
    inner = tf.reduce_sum(x * 2)
    lock = threading.Lock()

    def f(a):
        with lock:
            pass
        return np.float32(sess.run(inner, {x: a}))

    ys = [tf.py_func(f, [x + i], tf.float32) for i in range(6)]
    total = tf.add_n(ys)
    wanted = sum(2 * 64 * (1 + i) for i in range(6))
    assert sess.run(total, {x: np.ones(64)}) == wanted
    for signature in sess._signatures.values():
        signature.plan.dynamic = True
    wrong = []

    def client(i):
        for _ in range(20):
            if sess.run(total, {x: np.ones(64)}) != wanted:
                wrong.append(i)
            with lock:
                sess.run(inner, {x: np.ones(64)})

    threads = [threading.Thread(target=client, args=(i,), daemon=True) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not wrong and not any(t.is_alive() for t in threads)


def test_interrupt_from_the_keyboard():
    """Ctrl-C while a function sleeps ends the step with KeyboardInterrupt."""
    code = """
import os, signal, threading, time
import tfcore as tf
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
started = threading.Event()
def sleep():
    started.set()
    for _ in range(600):  # a signal may come just before a call that sleeps
        time.sleep(0.1)
def interrupt():
    started.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
sess = tf.Session()
try:
    sess.run(tf.py_func(sleep, [], []))
except KeyboardInterrupt:
    print("interrupted", sess.run(tf.constant(1)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout == "interrupted 1\n", done.stderr


def test_a_stateless_function_without_results_gives_an_empty_list():
    assert tf.py_func(lambda a: None, [1.0], [], stateful=False) == []
    assert isinstance(tf.py_func(lambda a: None, [1.0], [], stateful=True), tf.Operation)


# ---- Functions that wait


def finish(call, seconds=30):
    """What `call` returns or raises, from a thread; fails if it does not return."""
    out = []

    def target():
        try:
            out.append(call())
        except BaseException as error:
            out.append(error)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join(seconds)
    assert out, "the call did not return"
    if isinstance(out[0], BaseException):
        raise out[0]
    return out[0]


def pair():
    """Two functions, the first of which waits for the second, in both orders of creation."""
    q = queue.Queue()

    def wait(x):
        return np.float32(x + q.get(timeout=20))

    def give(x):
        q.put(x)
        return np.float32(x)

    return wait, give


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("stateful", [True, False])
def test_functions_of_a_step_wait_for_each_other(sess, first, stateful):
    functions = pair()
    made = [tf.py_func(functions[i ^ first], [2.0 + (i ^ first)], tf.float32, stateful) for i in range(2)]
    wait, give = made[first], made[1 - first]
    for _ in range(20):
        assert finish(lambda: sess.run([wait, give, wait + give])) == [5.0, 3.0, 8.0]


def test_a_function_waits_for_one_behind_another(sess):
    wait, give = pair()
    waits = tf.py_func(wait, [1.0], tf.float32)
    gives = tf.py_func(give, [tf.py_func(lambda: np.float32(4), [], tf.float32) * 2], tf.float32)
    assert finish(lambda: sess.run(waits + gives)) == 17.0


def test_a_function_waits_for_a_queue(sess):
    """What it waits for comes from another thread, after an enqueue that no path orders with the function."""
    q, got = tf.FIFOQueue(1, [tf.float32]), queue.Queue()
    enqueue, dequeue = q.enqueue([7.0]), q.dequeue()
    waits = tf.py_func(lambda: got.get(timeout=20), [], tf.float32)
    for order in ([waits, enqueue], [enqueue, waits]):
        thread = threading.Thread(target=lambda: got.put(sess.run(dequeue)), daemon=True)
        thread.start()
        assert [v for v in finish(lambda: sess.run(order)) if v is not None] == [7.0]  # noqa: B023
        thread.join()


def test_functions_wait_for_each_other_in_a_loop(sess):
    wait, give = pair()

    def body(i, total):
        waits = tf.py_func(wait, [tf.cast(i, tf.float32)], tf.float32)
        gives = tf.py_func(give, [tf.constant(1.0)], tf.float32)
        total += waits + gives
        total.set_shape([])
        return i + 1, total

    loop = tf.while_loop(lambda i, _: i < 5, body, [0, 0.0], parallel_iterations=1)
    assert finish(lambda: sess.run(loop)) == (5, 10.0 + 5 + 5)


def meets(barrier):
    def meet(i):
        barrier.wait(20)
        return i

    return lambda i: tf.ensure_shape(tf.py_func(meet, [i], tf.int32), [])


def test_iterations_of_a_loop_wait_for_each_other(sess):
    meet = meets(threading.Barrier(2))
    out = tf.map_fn(meet, tf.constant([3, 4]))
    for _ in range(3):
        assert finish(lambda: sess.run(out)).tolist() == [3, 4]


def test_loops_in_two_iterations_of_a_loop_wait_for_each_other(sess):
    """The iterations of the inner loop come one after the other."""
    meet = meets(threading.Barrier(2))

    def inner(x):
        return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y + meet(x)), [0, 0], parallel_iterations=1)[1]

    out = tf.map_fn(inner, tf.constant([3, 4]))
    for _ in range(3):
        assert finish(lambda: sess.run(out)).tolist() == [6, 8]


@pytest.mark.cpu
def test_a_function_waits_for_another_one_although_there_was_no_thread_at_first():
    """While the first one runs there are no addresses for the stack of a thread."""
    done = subprocess.run([sys.executable, "-c", NO_THREAD], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "[1.0, 2.0]\n", done.stdout + done.stderr


NO_THREAD = """
import resource, threading, time
import tfcore as tf

came = threading.Event()

def wait():
    with open("/proc/self/status") as f:
        addresses = int(next(line for line in f if line.startswith("VmSize")).split()[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (addresses + (1 << 20), -1))
    time.sleep(0.3)
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    assert came.wait(20)
    return 1.0

def come():
    came.set()
    return 2.0

sess = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
print([float(v) for v in sess.run([tf.py_func(f, [], tf.float64) for f in (wait, come)])])
"""


def test_functions_wait_for_each_other_in_a_child_that_was_forked_in_a_function():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == "0\n", done.stdout + done.stderr


FORK = """
import os, threading
import numpy as np
import tfcore as tf
from tfcore.distributed.status.waits import count_steps

children, came = [], threading.Event()

def fork(x):
    children.append(os.fork())
    return np.float32(x + 1)

def wait():
    assert came.wait(20)
    return 1.0

def come():
    came.set()
    return 2.0

def body(x):
    return [tf.ensure_shape(tf.py_func(fork, [x], tf.float32), [])]

sess = tf.Session()
assert sess.run(tf.while_loop(lambda x: x < 1, body, [0.0])) == 1
if children == [0]:
    begun, ended = count_steps()
    assert begun == ended
    sess = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
    assert sess.run([tf.py_func(f, [], tf.float64) for f in (wait, come)]) == [1, 2]
else:
    print(os.waitpid(children[0], 0)[1])
"""


def test_ordered_functions_stay_on_the_thread_of_the_step(sess):
    seen = []
    first = tf.py_func(lambda: seen.append(threading.get_ident()), [], [])
    with tf.control_dependencies([first]):
        second = tf.py_func(lambda: seen.append(threading.get_ident()), [], [])
    sess.run(second)
    assert seen == [threading.get_ident()] * 2


def test_waiting_functions_leave_the_pool_to_others(sess):
    """Threads that wait in functions, as those of input pipelines do, do not count among the steps that compute."""
    pool = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "lib", "libtfcore.so"))
    computing = pool.tfc_pool_computing()
    entered, leave = threading.Semaphore(0), threading.Event()

    def wait(x):
        entered.release()
        leave.wait(20)
        return x

    y = tf.py_func(wait, [tf.random.uniform([3]) * 2], tf.float32)
    threads = [threading.Thread(target=sess.run, args=(y,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert entered.acquire(timeout=20)
    try:
        assert pool.tfc_pool_computing() == computing
    finally:
        leave.set()
        for thread in threads:
            thread.join()


def test_a_session_whose_function_never_returns_can_be_closed(caplog):
    leave, entered, errors_seen = threading.Event(), threading.Event(), []

    def stuck():
        entered.set()
        leave.wait(60)
        return np.float32(1)

    with tf.Graph().as_default():
        sess = tf.Session()
        v = tf.Variable(3.0)
        sess.run(v.initializer)
        y = v + tf.py_func(stuck, [], tf.float32)

    def run():
        try:
            sess.run(y)
        except tf.errors.CancelledError as error:
            errors_seen.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert entered.wait(20)
    finish(sess.close)
    assert "stuck" in caplog.text and f"{__file__}:{stuck.__code__.co_firstlineno}" in caplog.text
    leave.set()
    thread.join(20)
    assert len(errors_seen) == 1


def test_a_function_on_its_own_thread_closes_the_session():
    with tf.Graph().as_default():
        sess = tf.Session()
        closes = tf.py_func(lambda: sess.close(), [], [])
        other = tf.py_func(lambda: np.float32(1), [], tf.float32)
        start = time.monotonic()
        with pytest.raises(tf.errors.CancelledError):
            finish(lambda: sess.run([closes, other]))
        assert time.monotonic() - start < 2


INTERRUPTED = """
import os, signal, threading, time
import tfcore as tf

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
running = []  # no lock, which an interrupt might leave locked
def interrupt_when(functions, before=lambda: None):
    def interrupt():
        while len(running) < functions:
            time.sleep(0.01)
        before()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
"""


def test_an_interrupt_reaches_functions_on_their_own_threads(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        INTERRUPTED
        + """
def forever():
    running.append(None)
    while True:
        time.sleep(0.01)
interrupt_when(2)
with tf.Session() as sess:
    try:
        sess.run([tf.py_func(forever, [], []), tf.py_func(forever, [], [])])
    except KeyboardInterrupt:
        print("interrupted")
"""
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "interrupted\n"
    assert "Interrupted. The step ends when forever" in ended.stderr


def test_functions_are_interrupted_once(tmp_path):
    """And what they do afterwards, to clean up, is left alone."""
    program = tmp_path / "program.py"
    program.write_text(
        INTERRUPTED
        + """
cleaned = []
def function(i):
    def forever():
        running.append(i)
        try:
            while True:
                time.sleep(0.01)
        finally:
            for _ in range(10 * i):
                time.sleep(0.01)
            cleaned.append(i)
    forever.__qualname__ = f"f{i}"
    return forever
interrupt_when(5)
with tf.Session() as sess:
    try:
        sess.run([tf.py_func(function(i), [], []) for i in range(5)])
    except KeyboardInterrupt:
        print(sorted(cleaned))
"""
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "[0, 1, 2, 3, 4]\n", ended.stderr
    assert ended.stderr.count("\n") == ended.stderr.count("Interrupted. ") == 1, ended.stderr
    assert sum(f"f{i} (" in ended.stderr for i in range(5)) == 4  # not the one on the main thread


def test_ctrl_c_when_nobody_reads_standard_error(tmp_path):
    """As when Ctrl-C also ends the other command of a pipe."""
    program = tmp_path / "program.py"
    program.write_text(
        INTERRUPTED
        + """
def function(_):
    running.append(1)
    try:
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        if threading.current_thread() is threading.main_thread():
            raise
    return 1.0
def end_the_reader():
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 2)
interrupt_when(2, end_the_reader)
waits = tf.FIFOQueue(1, [tf.float32]).dequeue()
with tf.Session() as sess:
    try:
        sess.run([*[tf.py_func(function, [float(i)], tf.float64) for i in range(2)], waits])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
os._exit(0)  # nothing can be written any more
"""
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "interrupted\n", ended.stderr


@pytest.mark.parametrize("first", [0, 1])
def test_an_interrupt_that_a_function_does_not_notice_ends_with_it(sess, first):
    """One in C returns before it would look: nothing is raised afterwards, where the step makes its error."""

    def fail():
        time.sleep(0.2)
        raise KeyboardInterrupt("by fail")

    functions = [functools.partial(time.sleep, 0.6), fail]
    made = [tf.py_func(functions[i ^ first], [], []) for i in range(2)]
    with pytest.raises(KeyboardInterrupt, match="by fail"):
        finish(lambda: sess.run(made))


UNNOTICED = """
import functools, sys, threading, time
import tfcore as tf

def fail():
    time.sleep(0.2)
    raise KeyboardInterrupt

with tf.Session() as sess:
    try:
        sess.run([tf.py_func(functools.partial(time.sleep, 0.6), [], []), tf.py_func(fail, [], [])])
    except KeyboardInterrupt:
        pass

def traced():
    sys.settrace(lambda *_: None)
    (lambda: None)()

thread = threading.Thread(target=traced, daemon=True)
thread.start()
thread.join(20)
print("ended" if not thread.is_alive() else "spins")
"""


def test_an_interrupt_that_is_not_noticed_leaves_no_flag_in_the_interpreter(tmp_path):
    """With the flag, which makes all threads look for exceptions, a traced thread of Python 3.11 never ends."""
    program = tmp_path / "program.py"
    program.write_text(UNNOTICED)
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "ended\n", ended.stderr
