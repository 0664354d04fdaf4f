"""Errors of steps: class, and a text with the op's name and type, the values involved and the user's file and line."""

# fmt: off  (expected lines are counted from the call)
import copy
import inspect
import pickle
import re
import warnings

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def line():
    return inspect.currentframe().f_back.f_lineno


def expect(sess, cls, tensor, feed, parts, where):
    """`sess.run(tensor)` fails with `cls`; the text has all `parts`, op name and type and the line `where`."""
    with pytest.raises(cls) as caught:
        sess.run(tensor, feed)
    text = str(caught.value)
    op = tensor if isinstance(tensor, tf.Operation) else tensor.op
    for part in [*parts, f"[[node {op.name} (op: {op.type})", f"{__file__}:{where} in"]:
        assert part in text, text
    assert len(text.split("\n\nCurrent usage")[0].splitlines()) <= 6, text  # the holders of memory come on top
    assert caught.value.op is op and type(caught.value) is cls
    assert sess.run(tf.constant(1)) == 1  # the session still works
    return text


def test_missing_feed(sess):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    where = line() - 1
    parts = ["You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]"]
    expect(sess, tf.errors.InvalidArgumentError, x, None, parts, where)
    with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'x'"):
        sess.run(x * 2)
    y = tf.placeholder(tf.string, name="y")
    with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'y' with dtype string"):
        sess.run(y)


def test_uninitialized_variable(sess):
    v = tf.Variable(1.0, name="v")
    where = line() - 1
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        sess.run(v * 2)
    assert "Attempting to use uninitialized value v" in str(caught.value) and f"{__file__}:{where}" in str(caught.value)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"):
        sess.run(v)
    add = tf.assign_add(v, 1.0)
    where = line() - 1
    expect(sess, tf.errors.FailedPreconditionError, add.op, None, ["Attempting to use uninitialized value v"], where)


def test_integer_division_by_zero(sess):
    x = tf.placeholder(tf.int32, [None])
    for make in (lambda: x // [1, 0], lambda: x % [1, 0], lambda: tf.div(x, [1, 0]), lambda: tf.truncatediv(x, [1, 0])):
        z = make()
        expect(sess, tf.errors.InvalidArgumentError, z, {x: [3, 4]}, ["ivision by zero"], line() - 2)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(z, {x: np.ones([2], np.int32)})


def test_index_out_of_range(sess):
    params, i = tf.constant([1.0, 2.0, 3.0]), tf.placeholder(tf.int32)
    row = tf.gather(params, i, name="pick")
    where = line() - 1
    expect(sess, tf.errors.InvalidArgumentError, row, {i: 5}, ["indices", "5", "[0, 3)"], where)
    expect(sess, tf.errors.InvalidArgumentError, row, {i: [0, -1]}, ["indices", "-1", "[0, 3)"], where)
    assert sess.run(row, {i: [2]}).tolist() == [3.0]


def test_scatter_out_of_range(sess):
    v, i = tf.Variable([1.0, 2.0]), tf.placeholder(tf.int32)
    sess.run(v.initializer)
    update = tf.scatter_add(v, i, 1.0)
    expect(sess, tf.errors.InvalidArgumentError, update.op, {i: 2}, ["2", "[0, 2)"], line() - 1)
    assert sess.run(v).tolist() == [1.0, 2.0]


def test_shapes_that_do_not_fit_at_run_time(sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    add = x + y
    where = line() - 1
    parts = ["Incompatible shapes: [2] vs. [3]"]
    expect(sess, tf.errors.InvalidArgumentError, add, {x: [1, 2], y: [1, 2, 3]}, parts, where)
    product = tf.matmul(x, y)
    where = line() - 1
    expect(sess, tf.errors.InvalidArgumentError, product, {x: np.ones([2, 3]), y: np.ones([2, 3])}, ["[2,3]"], where)
    reshaped = tf.reshape(x, [4])
    expect(sess, tf.errors.InvalidArgumentError, reshaped, {x: [1, 2, 3]}, ["3", "4"], line() - 1)


def test_shapes_that_do_not_fit_in_the_graph(sess):
    where = line() + 2
    with pytest.raises(ValueError) as caught:
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]), name="product")
    text = str(caught.value)
    assert (
        "Dimensions must be equal, but are 3 and 2 for 'product' (op: 'MatMul') with input shapes: [2,3], [2,3]" in text
    )
    assert f"{__file__}:{where}" in text
    with pytest.raises(ValueError, match=re.escape("Dimensions must be equal, but are 2 and 3")):
        tf.zeros([2]) + tf.zeros([3])


def test_wrong_dtype():
    with tf.Graph().as_default():
        with pytest.raises(
            TypeError, match="type int32 that does not match type float32|type float32 that does not match type int32"
        ):
            tf.add(tf.constant(1.0), tf.constant(1))
        with pytest.raises(TypeError, match="not in list of allowed values"):
            tf.exp(tf.constant(1))


def test_a_kernel_that_is_missing_for_a_type(sess):
    from tfcore.framework.definitions.op_def import define_op, get_op_def

    try:
        op_def = get_op_def("TestNoKernel")
    except KeyError:
        op_def = define_op("TestNoKernel", inputs=["x: T"], outputs=["y: T"], attrs=["T: type"])
    x = tf.constant(1.0)
    y = op_def(x)
    where = line() - 1
    parts = [
        "No OpKernel was registered to support Op 'TestNoKernel' used by {{node TestNoKernel",
        "No registered 'TestNoKernel' OpKernel for CPU devices compatible with attributes {T=float}",
        "<no registered kernels>",
    ]
    expect(sess, tf.errors.InvalidArgumentError, y, None, parts, where)


def test_a_missing_kernel_lists_those_there_are(sess):
    from tfcore.core.registry.registry import find_kernel

    with pytest.raises(tf.errors.NotFoundError) as caught:
        find_kernel("MatMul", "CPU", {"T": tf.string})
    text = str(caught.value)
    assert "No registered 'MatMul' OpKernel for CPU devices compatible with attributes {T=string}. Registered:" in text
    assert "device='CPU'" in text and "float" in text


def test_assertions(sess):
    x = tf.placeholder(tf.int32)
    check = tf.Assert(x > 0, ["x is", x])
    expect(sess, tf.errors.InvalidArgumentError, check, {x: -7}, ["assertion failed: [x is] [-7]"], line() - 1)
    sess.run(check, {x: 1})


def test_check_numerics(sess):
    x = tf.placeholder(tf.float32)
    y = tf.check_numerics(x, "my message")
    expect(sess, tf.errors.InvalidArgumentError, y, {x: [1, np.nan]}, ["my message", "NaN"], line() - 1)


def test_negative_sizes(sess):
    n = tf.placeholder(tf.int32)
    filled = tf.fill(n, 1.0)
    expect(sess, tf.errors.InvalidArgumentError, filled, {n: [2, -1]}, ["-1"], line() - 1)


def test_out_of_memory(sess):
    n = tf.placeholder(tf.int64)
    big = tf.fill(n, 1.0)
    where = line() - 1
    expect(
        sess,
        tf.errors.ResourceExhaustedError,
        big,
        {n: [2**44]},
        ["OOM when allocating tensor with shape[17592186044416]"],
        where,
    )
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
        sess.run(big, {n: [2**40, 2**40]})


@pytest.mark.cpu
def test_a_device_that_does_not_exist():
    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            x = tf.constant(1.0, name="x")
        where = line() - 1
        with tf.Session() as session:
            text = expect_placement(session, x, where)
        assert "/device:GPU:0" in text
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            assert session.run(x) == 1.0


def expect_placement(session, x, where):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(x)
    text = str(caught.value)
    assert "Cannot assign a device for operation x" in text and f"{__file__}:{where}" in text
    return text


def test_the_first_error_wins_and_names_its_op(sess):
    x = tf.placeholder(tf.int32, name="x")
    bad = tf.floordiv(1, x, name="bad")
    after = tf.identity(bad + 1, name="after")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run([after, bad], {x: 0})
    assert caught.value.op is bad.op and "[[node bad " in str(caught.value)


def test_a_cycle_is_an_error(sess):
    a = tf.no_op(name="a")
    b = tf.group(a, name="b")
    a._add_control_input(b)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cycle"):
        sess.run(b)


@pytest.mark.parametrize(
    "dtype, value, cls",
    [
        (tf.float32, "two", ValueError),
        (tf.float32, [[1.0, 2.0], [3.0]], ValueError),
        (tf.float32, None, TypeError),
        (tf.float32, {"a": 1}, TypeError),
        (tf.float32, np.zeros([3]), ValueError),
        (tf.uint8, -1, TypeError),
        (tf.int32, [2**40], TypeError),
        (tf.int32, float("nan"), ValueError),
        (tf.int32, "a", ValueError),
        (tf.string, 1, TypeError),
        (tf.string, "\udcff", ValueError),
        (tf.bool, 2, TypeError),
    ],
)
def test_a_refused_feed_names_its_placeholder(sess, dtype, value, cls):
    x, where = tf.placeholder(dtype, [2], name="images"), line()
    y = tf.identity(x)
    runs = [
        lambda: sess.run(x, {x: value}),
        lambda: sess.make_callable(y, [x])(value),
        lambda: sess.partial_run(sess.partial_run_setup([y], [x]), y, {x: value}),
    ]
    for run in runs:
        with pytest.raises(cls) as caught:
            run()
        text = str(caught.value)
        assert "'images:0'" in text and f"[[node images (op: Placeholder) (defined at {__file__}:{where} in" in text


@pytest.mark.parametrize(
    "dtype, value, change",
    [
        (tf.int32, [2, 1.5], "float64 that were fed to 'x:0' have changed, as its type is int32: 1.5 became 1"),
        (tf.int32, 2.5, "2.5 became 2"),
        (tf.int64, np.float32([[1, 0.25]]), "0.25 became 0"),
        (tf.int32, np.array([7, 2**40 + 1]), "int64 that were fed to 'x:0' have changed, as its type is int32"),
        (tf.uint8, np.array([-1], np.int8), "-1 became 255"),
        (tf.int64, np.uint64(2**64 - 1), "became -1"),
    ],
)
def test_changed_feeds_warn_once(sess, dtype, value, change):
    x = tf.placeholder(dtype, name="x")
    with pytest.warns(RuntimeWarning, match=re.escape(change)) as caught:
        sess.run(x, {x: value})
        first = line()
        sess.run(tf.identity(x), {x: value})
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, first - 1)]


@pytest.mark.parametrize(
    "dtype, value",
    [
        (tf.int32, [1.0, 2.0]),
        (tf.int32, np.arange(3)),
        (tf.uint8, [255]),
        (tf.float32, [1, 0.1]),
        (tf.int64, np.int8([1])),
        (tf.int32, np.zeros([0])),
        (tf.int32, True),
        (tf.float16, np.array([0.1])),
    ],
)
def test_equal_feeds_do_not_warn(sess, dtype, value):
    x = tf.placeholder(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(sess.run(x, {x: value}), np.asarray(value, dtype.as_numpy_dtype))


@pytest.mark.parametrize("spread", [pickle.dumps, copy.deepcopy])
def test_what_belongs_to_a_process(sess, spread):
    v = tf.Variable(1.0)
    for element in (sess.graph, v, v.op, v + 1.0, tf.train.Saver([v])):
        with pytest.raises(TypeError, match=r"cannot pickle a tf.Graph.*graph.as_graph_def\(\)"):
            spread(element)
    for session in (sess, {"session": tf.Session()}):
        with pytest.raises(TypeError, match=r"cannot pickle a Session: .*Make one in the other process"):
            spread(session)


@pytest.mark.parametrize("spread", [pickle.dumps, copy.deepcopy, copy.copy])
def test_what_has_threads_or_files_of_a_process(tmp_path, sess, spread):
    v = tf.Variable(1.0)
    sess.run(v.initializer)
    path = tf.train.Saver([v]).save(sess, str(tmp_path / "model"))
    coordinator = tf.train.Coordinator()
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for element, advice in [
            (writer, "Make one for the same folder"),
            (coordinator, "a multiprocessing.Event can tell both"),
            (tf.train.LooperThread(coordinator, 1), "Start one in the other process"),
            (tf.train.load_checkpoint(path), "tf.train.load_checkpoint in the other process"),
        ]:
            with pytest.raises(TypeError, match=f"cannot pickle a {type(element).__name__}: .*{advice}"):
                spread(element)


def test_graphs_are_mixed():
    with tf.Graph().as_default():
        a, first = tf.constant(1.0, name="a"), line()
    with tf.Graph().as_default():
        b, second = tf.Variable(1.0, name="b"), line()
        c = tf.placeholder(tf.bool, [], name="c")
        for mix in (lambda: a + b, lambda: b + a, lambda: b.assign(a)):
            with pytest.raises(ValueError, match="must be from the same graph as") as caught:
                mix()
            text = str(caught.value)
            assert f"\n  'a' is defined at {__file__}:{first} in" in text
            assert re.search(rf"\n  'b(/read)?' is defined at {__file__}:{second} in", text)
        use = line() + 1
        for mix in (lambda: tf.cond(c, lambda: a, lambda: a), lambda: tf.add_n([b, a]), lambda: tf.gradients(b, a)):
            with pytest.raises(ValueError, match="must be from the same graph as") as caught:
                mix()
            assert f"\n  'a' is defined at {__file__}:{first} in" in str(caught.value)
            assert re.search(rf"\n  (It is used|'b' is defined) at {__file__}:({use}|{second}) in", str(caught.value))
