"""Session.run: fetch structures, feeds, what may be done with fetched values, default sessions, closing."""

import collections
import pickle
import re

import ml_dtypes
import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def sess(graph):
    with tf.Session(graph=graph) as s:
        yield s


# ---- Fetches


def test_one_tensor(sess):
    assert sess.run(tf.constant(3)) == 3
    assert isinstance(sess.run(tf.constant(3)), np.int32)
    got = sess.run(tf.constant([1.0, 2.0]))
    assert isinstance(got, np.ndarray) and got.dtype == np.float32 and got.tolist() == [1, 2]


def test_operations_give_none(sess):
    v = tf.Variable(1.0)
    assert sess.run(v.initializer) is None
    assert sess.run([v.initializer, tf.no_op()]) == [None, None]


def test_names(sess):
    tf.constant(5, name="x")
    assert sess.run("x:0") == 5
    assert sess.run("x") is None
    assert sess.run(["x:0", "x", b"x:0"]) == [5, None, 5]


def test_lists_and_tuples(sess):
    a, b = tf.constant(1), tf.constant(2)
    assert sess.run([a, b]) == [1, 2]
    assert sess.run((a, b)) == (1, 2)
    assert sess.run([]) == []
    assert sess.run(()) == ()
    assert sess.run([a, [b, (a, [])], ()]) == [1, [2, (1, [])], ()]
    assert sess.run([[a]]) == [[1]]


def test_dicts(sess):
    a, b = tf.constant(1), tf.constant(2)
    assert sess.run({}) == {}
    assert sess.run({"a": a, 7: [b, {"c": a}]}) == {"a": 1, 7: [2, {"c": 1}]}
    ordered = sess.run(collections.OrderedDict([("z", a), ("a", b)]))
    assert type(ordered) is collections.OrderedDict and list(ordered.items()) == [("z", 1), ("a", 2)]
    default = collections.defaultdict(list, x=a)
    got = sess.run(default)
    assert got == {"x": 1} and type(got) is collections.defaultdict and got["new"] == []


def test_namedtuples(sess):
    Pair = collections.namedtuple("Pair", ["first", "second"])
    got = sess.run(Pair(tf.constant(1), [tf.constant(2)]))
    assert type(got) is Pair and got.first == 1 and got.second == [2]
    assert sess.run([Pair(tf.constant(1), tf.constant(2))]) == [Pair(1, 2)]


def test_equal_structures_of_different_kinds_are_told_apart(sess):
    a, b = tf.constant(1), tf.constant(2)
    Pair = collections.namedtuple("Pair", ["first", "second"])
    for _ in range(2):  # the second time from the cache
        assert type(sess.run([a, b])) is list
        assert type(sess.run((a, b))) is tuple
        assert type(sess.run(Pair(a, b))) is Pair
        assert sess.run([[a], b]) == [[1], 2]
        assert sess.run([a, [b]]) == [1, [2]]
        assert sess.run({"x": a}) == {"x": 1}
        assert sess.run({"x": b}) == {"x": 2}
        assert sess.run([a, b], {a: 7}) == [7, 2]
        assert sess.run([a, b], {b: 7}) == [1, 7]


def test_a_structure_that_changes_between_runs(sess):
    fetches = [tf.constant(1)]
    assert sess.run(fetches) == [1]
    fetches.append(tf.constant(2))
    assert sess.run(fetches) == [1, 2]
    named = {"a": fetches[0]}
    assert sess.run(named) == {"a": 1}
    named["a"] = fetches[1]
    assert sess.run(named) == {"a": 2}


def test_variables_and_slices(sess):
    v = tf.Variable([1.0, 2.0])
    sess.run(v.initializer)
    assert sess.run(v).tolist() == [1, 2]
    assert [x.tolist() for x in sess.run([v, v.value()])] == [[1, 2], [1, 2]]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([3]), tf.constant([5]))
    got = sess.run({"s": slices})["s"]
    assert isinstance(got, tf.IndexedSlicesValue)
    assert repr(got).startswith("IndexedSlicesValue(values=array([1.]")
    assert pickle.loads(pickle.dumps(got)) == got
    assert (got.values.tolist(), got.indices.tolist(), got.dense_shape.tolist()) == ([1.0], [3], [5])
    assert sess.run(tf.IndexedSlices(tf.constant([1.0]), tf.constant([3]))).dense_shape is None


def test_duplicates(sess):
    a = tf.constant([1.0, 2.0])
    b = a * 2
    got = sess.run([b, b, [b]])
    assert [x.tolist() for x in (got[0], got[1], got[2][0])] == [[2, 4]] * 3
    got = sess.run({"x": b, "y": b})
    got["x"][0] = 99
    assert sess.run(b).tolist() == [2, 4]


@pytest.mark.parametrize("bad", [None, 3, 1.5, object(), [None], {"a": None}, [[3]], np.float32(1)])
def test_fetches_of_bad_type(sess, bad):
    tf.no_op()
    with pytest.raises(TypeError, match="Fetch argument .* has invalid type"):
        sess.run(bad)


@pytest.mark.parametrize("bad", ["nope", "nope:0", "x:7", "a:b:c", ["nope"], {"k": "nope"}])
def test_fetches_of_bad_names(sess, bad):
    tf.constant(1, name="x")
    with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
        sess.run(bad)


def test_elements_of_another_graph(sess):
    tf.no_op()
    with tf.Graph().as_default():
        x = tf.constant(1)
    for foreign in (x, x.op, [x]):
        with pytest.raises(ValueError, match="cannot be interpreted as a Tensor.*is not an element of this graph"):
            sess.run(foreign)
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: .*is not an element of this graph"):
        sess.run("NoOp", {x: 1})


def test_elements_of_another_graph_are_located(sess, graph):
    tf.no_op()
    with tf.Graph().as_default() as other:
        tf.constant(0)
        x = tf.placeholder(tf.float32, name="x")
    where = (
        rf"{re.escape(repr(graph))}: it belongs to {re.escape(repr(other))}.\s+'x' is defined at .*test_session.py:\d+"
    )
    for run in (lambda: sess.run(x), lambda: sess.run(x.op), lambda: sess.run("NoOp", {x: 1.0})):
        with pytest.raises((TypeError, ValueError), match=where):
            run()
    assert repr(other).startswith("<tf.Graph of 2 operations at 0x")


def test_structured_feed_keys(sess):
    State = collections.namedtuple("State", ["c", "h"])
    a, b, c = tf.placeholder(tf.float32), tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total = a + 10.0 * b + 100.0 * c
    sparse = tf.sparse_placeholder(tf.float32)
    assert sess.run(a + b, {((a,), (b,)): ((1.0,), (2.0,))}) == 3
    for options in (None, tf.RunOptions()):
        assert sess.run(total, {(State(a, b), c): (State(1.0, 2.0), 3.0)}, options=options) == 321
        assert sess.run(total, {(a, (b, (c,))): [1.0, (2.0, [3.0])]}, options=options) == 321
        assert sess.run(total, {State(a, b): np.array([1.0, 2.0]), c: 3.0}, options=options) == 321
        assert sess.run(a, {(a,): (5.0,)}, options=options).shape == ()
        assert sess.run([a, sparse.values], {(a, sparse): (1.0, ([[0]], [7.0], [1]))}, options=options)[1] == [7.0]
    for key, value, counts in [
        ((a, b), (1.0, 2.0, 3.0), (2, 3)),
        ((a, b), 1.0, (2, 1)),
        ((a, (b, c)), (1.0, (2.0,)), (2, 1)),
    ]:
        with pytest.raises(ValueError, match=r"Key had {} elements, but value had {} elements".format(*counts)):
            sess.run(total, {key: value})
    with pytest.raises(ValueError, match="fed twice"):
        sess.run(total, {(a, b): (1.0, 2.0), (c, (a,)): (3.0, (4.0,))})
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
        sess.run(total, {(a, (1,)): (1.0, (2.0,))})


def test_structured_feeds_of_partial_runs(sess):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    total = a + b
    handle = sess.partial_run_setup([a * 2.0, total], [((a,), (b,))])
    assert sess.partial_run(handle, total, {((a,), (b,)): ((1.0,), (2.0,))}) == 3


def test_unfetchable(sess, graph):
    x = tf.constant(1)
    graph.prevent_fetching(x.op)
    with pytest.raises(ValueError, match="has been marked as not fetchable"):
        sess.run(x)


# ---- Feeds


def test_feeds_by_every_kind_of_key(sess):
    x = tf.placeholder(tf.float32, name="x")
    v = tf.Variable(1.0)
    y = x + v
    sess.run(v.initializer)
    assert sess.run(y, {x: 2}) == 3
    assert sess.run(y, {"x:0": 2}) == 3
    assert sess.run(y, feed_dict={x: 2, v: 5}) == 7
    assert sess.run(v) == 1.0  # feeding is not assigning
    assert sess.run(y * 2, {y: 10}) == 20  # an intermediate tensor: what computes it does not run
    assert sess.run(y, {y: 4}) == 4
    assert sess.run([x, y], {x: 1, y: 5}) == [1, 5]


def test_a_fed_constant_wins_over_its_value(sess):
    c = tf.constant(1.0)
    d = c * 2
    assert sess.run(d) == 2 and sess.run(d, {c: 5}) == 10 and sess.run(d) == 2


def test_feeding_slices(sess):
    values, indices = tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    slices = tf.IndexedSlices(values, indices)
    got = sess.run([values * 2, indices], {slices: tf.IndexedSlicesValue([1.0, 2.0], [3, 4], None)})
    assert got[0].tolist() == [2, 4] and got[1].tolist() == [3, 4]


FED = [
    ("float32", 1, 1.0), ("float32", 2.5, 2.5), ("float32", True, 1.0), ("float32", [1, 2], [1, 2]),
    ("float32", (1, 2.5), [1, 2.5]),
    ("float32", np.float64(1.5), 1.5), ("float32", np.array([1, 2]), [1, 2]), ("float32", [[1], [2]], [[1], [2]]),
    ("float32", [], []),
    ("float32", np.float64(1e300), np.inf), ("float32", [np.float32(1), 2], [1, 2]), ("float16", 0.1, np.float16(0.1)),
    ("bfloat16", 1.5, 1.5), ("bfloat16", [1, 2], [1, 2]), ("int32", 7, 7), ("int32", np.int64(7), 7),
    ("int32", 1.9, 1), ("uint8", 255, 255),
    ("int64", 2**62, 2**62), ("uint64", 2**64 - 1, 2**64 - 1), ("bool", True, True), ("bool", [1, 0], [True, False]),
    ("bool", 1, True),
    ("complex64", 1 + 2j, 1 + 2j), ("complex128", 3, 3), ("string", "é", "é".encode()), ("string", b"\0x", b"\0x"),
    ("string", ["a", b"b"], [b"a", b"b"]), ("string", np.array(["ab", "c"]), [b"ab", b"c"]),
    ("string", np.array([b"x"]), [b"x"]),
    ("string", [], []), ("int8", np.array([1, 2], ">i4"), [1, 2]),
    ("float32", np.arange(6.0).reshape(2, 3).T, [[0, 3], [1, 4], [2, 5]]),
    ("float32", np.arange(6, dtype=np.float32)[::-2], [5, 3, 1]), ("float64", range(3), [0, 1, 2]),
]  # fmt: skip


@pytest.mark.parametrize("dtype, value, expected", FED)
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:Numbers of type")
def test_fed_values(sess, dtype, value, expected):
    dtype = getattr(tf, dtype)
    x = tf.placeholder(dtype)
    for got in (sess.run(x, {x: value}), sess.run(tf.identity(x), {x: value})):
        if dtype is tf.string:
            assert np.array(got, dtype=object).tolist() == expected
        else:
            assert got.dtype == dtype.as_numpy_dtype
            np.testing.assert_array_equal(got, np.array(expected).astype(got.dtype))


@pytest.mark.parametrize(
    "dtype, value",
    [
        ("int8", 300),
        ("uint8", -1),
        ("int32", 2**31),
        ("int64", 2**63),
        ("uint64", -1),
        ("bool", 2),
        ("int32", [1, 2**40]),
        ("int16", [-(2**20)]),
    ],
)
def test_integers_that_overflow(sess, dtype, value):
    x = tf.placeholder(dtype)
    with pytest.raises(TypeError, match="not compatible with Tensor type|do not fit into the Tensor's type"):
        sess.run(x, {x: value})


@pytest.mark.parametrize(
    "dtype, value",
    [
        ("float32", "a"),
        ("float32", ["a"]),
        ("string", 3),
        ("string", [1.5]),
        ("int32", [[1], [2, 3]]),
        ("int32", None),
        ("float32", object()),
        ("string", None),
        ("float32", {}),
        ("float32", 1j),
    ],
)
def test_values_that_do_not_convert(sess, dtype, value):
    x = tf.placeholder(dtype)
    with pytest.raises((TypeError, ValueError)):
        sess.run(tf.identity(x), {x: value})
    assert sess.run(tf.constant(1)) == 1


@pytest.mark.parametrize("shape, value, text", [
    ([2], [1, 2, 3], r"Cannot feed value of shape \(3,\) for Tensor 'x:0', which has shape '\(2,\)'"),
    ([2], 1, r"value of shape \(\) for Tensor 'x:0', which has shape '\(2,\)'"),
    ([], [1], r"value of shape \(1,\) for Tensor 'x:0', which has shape '\(\)'"),
    ([None, 3], [[1, 2]], r"value of shape \(1, 2\) for Tensor 'x:0', which has shape '\(\?, 3\)'"),
    ([None, None], [1], r"value of shape \(1,\) for Tensor 'x:0', which has shape '\(\?, \?\)'"),
])  # fmt: skip
def test_values_of_wrong_shape(sess, shape, value, text):
    x = tf.placeholder(tf.float32, shape, name="x")
    with pytest.raises(ValueError, match=text):
        sess.run(x, {x: value})


def test_partial_shapes_accept(sess):
    x = tf.placeholder(tf.float32, [None, 3])
    for n in (0, 1, 5):
        assert sess.run(x, {x: np.zeros([n, 3])}).shape == (n, 3)


def test_a_tensor_is_no_value(sess):
    x = tf.placeholder(tf.float32)
    v = tf.Variable(1.0)
    for value in (tf.constant(1.0), v, x):
        with pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object."):
            sess.run(x, {x: value})


def test_bad_keys(sess):
    x = tf.placeholder(tf.float32, name="x")
    for key in (3, "nope:0", "x", None, x.op, "a:b:c", 1.5):
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
            sess.run(x, {key: 1})
    for feed in ([1], "x:0", 3):
        with pytest.raises(TypeError, match="feed_dict must be a dictionary|iterable"):
            sess.run(x, feed)


def test_unfeedable(sess, graph):
    x = tf.constant(1.0)
    graph.prevent_feeding(x)
    assert not graph.is_feedable(x)
    with pytest.raises(ValueError, match=r'Tensor Tensor\("Const:0".* may not be fed.'):
        sess.run(x, {x: 2})


def test_feeding_one_tensor_twice(sess):
    x = tf.placeholder(tf.float32, name="x")
    with pytest.raises(ValueError, match="x:0 is fed twice"):
        sess.run(x, {x: 1, "x:0": 2})


def test_feeds_that_nothing_needs(sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    assert sess.run(x, {x: 1, y: 2}) == 1
    assert sess.run(tf.constant(5), {x: 1}) == 5


def test_the_order_of_feeds_does_not_matter(sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = x - y
    for _ in range(2):
        assert sess.run(z, {x: 5, y: 2}) == 3
        assert sess.run(z, {y: 2, x: 5}) == 3


def test_tensor_values_as_feeds(sess):
    from tfcore.core.memory.tensor import TensorValue

    x = tf.placeholder(tf.float32)
    value = TensorValue.from_numpy(np.array([1, 2], np.float32))
    assert sess.run(x * 2, {x: value}).tolist() == [2, 4]
    assert value.numpy().tolist() == [1, 2]
    assert sess.run(x, {x: TensorValue.from_numpy(np.array([1]))}).tolist() == [1.0]


# ---- Fetched and fed memory


@pytest.mark.parametrize("size", [3, 100_000])
def test_fetched_values_are_the_callers(sess, size):
    v = tf.Variable(np.arange(size, dtype=np.float32))
    sess.run(v.initializer)
    held = sess.run(v)
    read = sess.run(v.value())
    doubled = sess.run(v * 2)
    before = [a.copy() for a in (held, read, doubled)]
    sess.run(tf.assign_add(v, np.ones(size, np.float32)))
    sess.run(tf.assign(v, v * v))
    for _ in range(3):
        sess.run(v * 2)
    for got, old in zip((held, read, doubled), before):
        np.testing.assert_array_equal(got, old)
        assert got.flags.writeable
        got[:] = -1
    assert sess.run(v)[1] == 4.0
    assert sess.run(v * 2)[1] == 8.0


@pytest.mark.parametrize("size", [3, 100_000])
def test_fetched_constants_may_be_written(sess, size):
    c = tf.constant(np.arange(size, dtype=np.float32))
    d = tf.reshape(c, [-1, 1])
    for fetch in (c, d, tf.identity(c), [c, d]):
        got = sess.run(fetch)
        for g in got if isinstance(fetch, list) else [got]:
            g[:] = 7
        again = sess.run(c)
        assert again[2] == 2


@pytest.mark.parametrize("size", [3, 100_000])
def test_fed_arrays_are_only_read(sess, size):
    x = tf.placeholder(tf.float32, [size])
    v = tf.Variable(tf.zeros([size]))
    array = np.arange(size, dtype=np.float32)
    original = array.copy()
    fetched = sess.run(
        [x, tf.identity(x), tf.reshape(x, [1, size]), tf.negative(x), x + 1, tf.assign(v, x)], {x: array}
    )
    np.testing.assert_array_equal(array, original)
    array[:] = -5
    expected = [original, original, original[None], -original, original + 1, original]
    for got, want in zip(fetched, expected):
        np.testing.assert_array_equal(got, want)
        got[...] = 3
    assert (array == -5).all()
    np.testing.assert_array_equal(sess.run(v), original)


def test_read_only_arrays_can_be_fed(sess):
    x = tf.placeholder(tf.float32)
    array = np.arange(1000, dtype=np.float32)
    array.flags.writeable = False
    got = sess.run([x + 1, tf.identity(x)], {x: array})
    assert got[0][999] == 1000
    got[1][0] = 5
    assert array[0] == 0


def test_fed_arrays_are_let_go(sess):
    import weakref

    class Array(np.ndarray):
        pass

    x = tf.placeholder(tf.float32)
    array = np.zeros(1000, np.float32).view(Array)
    ref = weakref.ref(array)
    result = sess.run(x + 1, {x: array})
    del array
    assert ref() is None and result[0] == 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint32", "bool", "complex64", "string"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1,) * 8])
def test_every_type_goes_in_and_out(sess, dtype, shape):
    dtype = getattr(tf, dtype)
    x = tf.placeholder(dtype, shape)
    value = (
        np.ones(shape, bool).astype(dtype.as_numpy_dtype) if dtype is not tf.string else np.full(shape, b"a", object)
    )
    got = sess.run(tf.identity(x), {x: value})
    assert np.shape(got) == shape
    if dtype is not tf.string:
        assert got.dtype == (ml_dtypes.bfloat16 if dtype is tf.bfloat16 else dtype.as_numpy_dtype)
    assert np.array(got, dtype=value.dtype).tolist() == value.tolist()


# ---- Default sessions


def test_eval_and_run(sess):
    v = tf.Variable(2.0)
    v.initializer.run()
    x = tf.placeholder(tf.float32)
    assert (v * x).eval({x: 3}) == 6
    assert (v * x).eval(feed_dict={x: 3}, session=sess) == 6
    assert v.eval() == 2
    tf.assign(v, x).op.run({x: 9})
    assert v.eval(session=sess) == 9


def test_without_a_default_session():
    x = tf.constant(1)
    with pytest.raises(ValueError, match=r"Cannot evaluate tensor using `eval\(\)`: No default session is registered"):
        x.eval()
    with pytest.raises(ValueError, match=r"Cannot execute operation using `run\(\)`: No default session is registered"):
        x.op.run()
    assert tf.get_default_session() is None


def test_a_session_of_another_graph(sess):
    tf.no_op()
    with tf.Graph().as_default():
        x = tf.constant(1)
        with pytest.raises(ValueError, match="Cannot use the default session to evaluate tensor"):
            x.eval()
        with pytest.raises(ValueError, match="Cannot use the given session to evaluate tensor"):
            x.eval(session=sess)
        with pytest.raises(ValueError, match="Cannot use the given session to execute operation"):
            x.op.run(session=sess)


def test_the_stack_of_default_sessions(graph):
    first, second = tf.Session(graph=graph), tf.Session(graph=graph)
    with first.as_default() as entered:
        assert entered is first is tf.get_default_session()
        with second.as_default():
            assert tf.get_default_session() is second
        assert tf.get_default_session() is first
    assert tf.get_default_session() is None
    assert first.run(tf.constant(1)) == 1  # as_default does not close


def test_with_closes_and_sets_the_graph():
    g = tf.Graph()
    with tf.Session(graph=g) as session:
        assert tf.get_default_graph() is g and tf.get_default_session() is session
        x = tf.constant(1)
        assert session.run(x) == 1
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
        session.run(x)


def test_interactive_session():
    with tf.Graph().as_default():
        session = tf.InteractiveSession()
        assert tf.get_default_session() is session
        assert tf.constant(4).eval() == 4
        session.close()
        assert tf.get_default_session() is None
        session.close()
    g = tf.Graph()
    session = tf.InteractiveSession(graph=g)
    try:
        assert tf.get_default_graph() is g
        assert tf.constant(4).eval() == 4
    finally:
        session.close()
    assert tf.get_default_graph() is not g


# ---- Life


def test_use_after_close(graph):
    x = tf.constant(1)
    session = tf.Session()
    call = session.make_callable(x)
    assert session.run(x) == 1 == call()
    session.close()
    session.close()
    for use in (
        lambda: session.run(x),
        lambda: session.run([]),
        call,
        lambda: x.eval(session=session),
        lambda: session.make_callable(x),
    ):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
            use()


def test_an_empty_graph():
    with tf.Graph().as_default(), tf.Session() as session:
        for fetch in ("x", []):
            with pytest.raises(
                RuntimeError, match="The Session graph is empty.  Add operations to the graph before calling run"
            ):
                session.run(fetch)


def test_sessions_have_their_own_variables(graph):
    v = tf.Variable(1.0)
    first, second = tf.Session(), tf.Session()
    first.run(v.initializer)
    first.run(tf.assign(v, 5.0))
    with pytest.raises(tf.errors.FailedPreconditionError):
        second.run(v)
    second.run(v.initializer)
    assert (first.run(v), second.run(v)) == (5.0, 1.0)


def test_bad_arguments(graph):
    with pytest.raises(TypeError, match="graph must be a tf.Graph"):
        tf.Session(graph=3)
    with pytest.raises(TypeError, match="config must be a tf.ConfigProto"):
        tf.Session(config=3)
    with pytest.raises(tf.errors.NotFoundError, match=r"registered .*'nonsense'.*server\.target"):
        tf.Session("nonsense")


def test_the_tasks_of_a_cluster_need_its_target(sess):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.Session\(server\.target\) uses the tasks"):
        sess.run(v.initializer)


def test_properties(sess, graph):
    assert sess.graph is graph
    assert [d for d in sess.list_devices() if "CPU:0" in str(d)]


def test_the_graph_may_grow_between_runs(sess):
    total = tf.constant(0)
    for i in range(20):
        total = total + i
        assert sess.run(total) == sum(range(i + 1))


def test_changes_of_the_graph_reach_cached_plans(sess):
    a, b = tf.constant(1.0), tf.constant(2.0)
    c = tf.identity(a)
    v = tf.Variable(0.0)
    sess.run(v.initializer)
    bump = tf.assign_add(v, 1.0)
    call = sess.make_callable(c)
    assert sess.run(c) == 1 == call()
    c.op._update_input(0, b)
    assert sess.run(c) == 2 == call()
    c.op._add_control_input(bump.op)
    sess.run(c)
    assert sess.run(v) == 1


def test_random_state_goes_on_over_signatures(sess):
    x = tf.random_uniform([4], seed=1)
    first, second = sess.run(x), sess.run([x])[0]
    assert not np.array_equal(first, second)
    with tf.Session() as other:
        np.testing.assert_array_equal(other.run(x), first)
        np.testing.assert_array_equal(other.run({"a": x})["a"], second)


# ---- Callables


def test_make_callable(sess):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32)
    z = x - y
    call = sess.make_callable(z, [x, y])
    assert call(5, 2) == 3 and call([1.0], [2.0]).tolist() == [-1]
    assert sess.make_callable({"z": z, "op": z.op}, feed_list=["x:0", y])(5, 2) == {"z": 3, "op": None}
    assert sess.make_callable([])() == []
    assert sess.make_callable(tf.constant(1), accept_options=True)(options=None, run_metadata=None) == 1
    with pytest.raises(ValueError, match="Expected 2 feed values"):
        call(1)
    with pytest.raises(ValueError, match="Expected 2 feed values"):
        call(1, 2, 3)
    with pytest.raises(TypeError, match="`feed_list` must be a list or tuple"):
        sess.make_callable(z, x)
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
        sess.make_callable(z, [3])
    with pytest.raises(TypeError):
        call(z, 1)


# ---- Options


def test_config():
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.constant_folding = 2
    other = tf.ConfigProto()
    other.CopyFrom(config)
    assert other == config and other.intra_op_parallelism_threads == 1
    with pytest.raises(AttributeError):
        config.nonsense = 1
    with pytest.raises(ValueError, match='has no "nonsense" field'):
        tf.ConfigProto(nonsense=1)
    assert "intra_op_parallelism_threads: 1" in repr(config)


@pytest.mark.parametrize("intra", [0, 1, 2, 7])
@pytest.mark.parametrize("inter", [0, 1, 3])
def test_thread_counts_do_not_change_results(intra, inter):
    config = tf.ConfigProto(intra_op_parallelism_threads=intra, inter_op_parallelism_threads=inter)
    x = np.linspace(-1, 1, 200_000, dtype=np.float32).reshape(400, 500)
    with tf.Session(config=config) as session:
        y = tf.reduce_sum(tf.exp(tf.constant(x)) * 2, 1)
        z = tf.matmul(x, x, transpose_b=True)
        w = tf.random_normal([1000], seed=3)
        got = [session.run([y, z, w]) for _ in range(3)]
    with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as session:
        want = [session.run([y, z, w]) for _ in range(3)]
    for g, w in zip(got, want):
        for a, b in zip(g, w):
            np.testing.assert_array_equal(a, b)


def test_run_options_are_accepted(sess):
    options = tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE, timeout_in_ms=1000)
    assert sess.run(tf.constant(1), options=options) == 1
