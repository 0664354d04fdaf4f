"""map_fn, scan, foldl and foldr: against plain Python, with nests, gradients, shapes and errors."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def _run(make, **feeds):
    """make: function of placeholders, one for each array, of unknown length, to a nest; its value."""
    with tf.Graph().as_default(), tf.Session() as session:
        places = {name: tf.placeholder(value.dtype, None) for name, value in feeds.items()}
        for name, value in feeds.items():
            places[name].set_shape([None, *value.shape[1:]])
        return session.run(make(**places), {places[name]: value for name, value in feeds.items()})


def _fold(fn, xs, initializer, reverse):
    """All intermediate values, in the order of the elements."""
    order = list(range(len(xs)))[:: -1 if reverse else 1]
    results = [None] * len(xs)
    value = initializer
    for i in order:
        value = xs[i] if value is None else fn(value, xs[i])
        results[i] = value
    return value, results


FUNCTIONS = {
    "sum": lambda a, x: a + x,
    "difference": lambda a, x: a - x,  # the order matters
    "affine": lambda a, x: 2 * a + 3 * x + 1,
    "second": lambda a, x: x,
}
arrays = st.builds(
    lambda shape, seed: np.random.default_rng(seed).integers(-9, 9, shape).astype(np.float64),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(0, 100),
)


@given(arrays, st.sampled_from(sorted(FUNCTIONS)), st.booleans(), st.booleans(), st.sampled_from([1, 2, 10]))
def test_folds_and_scans_are_pythons(x, name, reverse, initialized, parallel):
    fn = FUNCTIONS[name]
    start = np.full(x.shape[1:], 5.0) if initialized else None
    last, between = _fold(fn, x, start, reverse)
    fold = tf.foldr if reverse else tf.foldl
    got = _run(lambda x: fold(fn, x, initializer=start, parallel_iterations=parallel), x=x)
    np.testing.assert_array_equal(got, last)
    scanned = _run(lambda x: tf.scan(fn, x, initializer=start, reverse=reverse, parallel_iterations=parallel), x=x)
    np.testing.assert_array_equal(scanned, np.stack(between))


@given(arrays, st.sampled_from([None, 1, 32]))
def test_map_fn_is_pythons(x, parallel):
    fn = lambda e: (e * e, {"sum": tf.reduce_sum(e), "odd": tf.cast(e, tf.int32) % 2})  # noqa: E731
    dtype = (tf.float64, {"sum": tf.float64, "odd": tf.int32})
    squares, rest = _run(lambda x: tf.map_fn(fn, x, dtype=dtype, parallel_iterations=parallel), x=x)
    np.testing.assert_array_equal(squares, x * x)
    np.testing.assert_array_equal(rest["sum"], [e.sum() for e in x])
    np.testing.assert_array_equal(rest["odd"], x.astype(np.int32) % 2)


def test_nested_elements_and_initializers():
    a, b = np.arange(4.0), np.arange(8, dtype=np.int64).reshape(4, 2)

    def step(state, elem):
        total, (last, count) = state
        return total + elem[0], (elem[1]["b"], count + 1)

    start = (np.float64(0), (np.zeros(2, np.int64), 0))
    total, (last, count) = _run(lambda a, b: tf.scan(step, (a, {"b": b}), initializer=start), a=a, b=b)
    np.testing.assert_array_equal(total, np.cumsum(a))
    np.testing.assert_array_equal(last, b)
    np.testing.assert_array_equal(count, [1, 2, 3, 4])
    assert count.dtype == np.int32
    total, (last, count) = _run(lambda a, b: tf.foldr(step, (a, {"b": b}), initializer=start), a=a, b=b)
    assert total == 6 and count == 4
    np.testing.assert_array_equal(last, b[0])


def test_fibonacci_numbers():
    one, two = _run(
        lambda x: tf.scan(lambda a, _: (a[1], a[0] + a[1]), x, initializer=(np.array(0), np.array(1))), x=np.zeros(6)
    )
    assert one.tolist() == [1, 1, 2, 3, 5, 8] and two.tolist() == [1, 2, 3, 5, 8, 13]


def test_nothing_to_do():
    x = np.zeros((0, 3), np.float32)
    assert _run(lambda x: tf.scan(lambda a, e: a + e, x, initializer=tf.ones([3])), x=x).shape == (0, 3)
    assert _run(lambda x: tf.map_fn(lambda e: e[:2], x), x=x).shape == (0, 2)
    np.testing.assert_array_equal(
        _run(lambda x: tf.foldl(lambda a, e: a + e, x, initializer=tf.ones([3])), x=x), [1, 1, 1]
    )
    for make in (tf.foldl, tf.foldr, tf.scan):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Tried to read from index (0|-1) but array size is: 0"
        ):
            _run(lambda x: make(lambda a, e: a + e, x), x=x)  # noqa: B023


def test_static_shapes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [5, 2, 3])
        assert tf.map_fn(lambda e: e[0], x).shape.as_list() == [5, 3]
        assert tf.scan(lambda a, e: a + e, x).shape.as_list() == [5, 2, 3]
        assert tf.scan(lambda a, e: a + tf.reduce_sum(e), x, initializer=0.0).shape.as_list() == [5]
        assert tf.foldl(lambda a, e: a + e, x).shape.as_list() == [2, 3]
        seen = []
        tf.map_fn(lambda e: seen.append(e.shape.as_list()) or e, x)
        assert seen == [[2, 3]]
        some = tf.placeholder(tf.float32, [None, 4])
        assert tf.map_fn(tf.reduce_sum, some).shape.as_list() == [None]
        both = tf.map_fn(lambda e: e[0], (some, tf.zeros([7, 2])), dtype=tf.float32)
        assert both.shape.as_list() == [7, 4]


def test_rows_of_different_shapes():
    with tf.Graph().as_default(), tf.Session() as session:
        ragged = tf.map_fn(tf.range, tf.constant([3, 3, 3]), infer_shape=False)
        assert session.run(ragged).tolist() == [[0, 1, 2]] * 3
        uneven = tf.map_fn(tf.range, tf.constant([1, 2]), infer_shape=False)
        with pytest.raises(tf.errors.InvalidArgumentError, match="TensorArray has inconsistent shapes"):
            session.run(uneven)
        with pytest.raises(tf.errors.InvalidArgumentError, match="consider setting infer_shape=False"):
            session.run(tf.map_fn(tf.range, tf.constant([1, 2])))


def test_values_from_outside_and_variables():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=[[2.0, 0.0], [0.0, 3.0]])
        x = tf.constant([[1.0, 1.0], [2.0, 2.0]])
        y = tf.map_fn(lambda e: tf.squeeze(tf.matmul(w, e[:, None]), 1), x)
        made = tf.map_fn(lambda e: e * tf.get_variable("scale", initializer=10.0), x)
        dw = tf.gradients(y, w)[0]
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[2, 3], [4, 6]]
        assert session.run(made).tolist() == [[10, 10], [20, 20]]
        np.testing.assert_array_equal(session.run(dw), [[3, 3], [3, 3]])


def test_strings():
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.constant(["a", "b", "c"])
        joined = tf.scan(lambda a, e: tf.string_join([a, e]), words)
        assert session.run(joined).tolist() == [b"a", b"ab", b"abc"]
        assert session.run(tf.foldr(lambda a, e: tf.string_join([a, e]), words)) == b"cba"


def test_inside_of_each_other():
    x = np.arange(12.0).reshape(3, 4)
    got = _run(lambda x: tf.map_fn(lambda row: tf.foldl(lambda a, e: 2 * a + e, row), x), x=x)
    np.testing.assert_array_equal(got, [functools.reduce(lambda a, e: 2 * a + e, row) for row in x])
    got = _run(lambda x: tf.map_fn(lambda row: tf.map_fn(lambda e: e * e, row), x), x=x)
    np.testing.assert_array_equal(got, x * x)
    got = _run(lambda x: tf.scan(lambda a, row: tf.scan(lambda b, e: b + e, row) + a, x), x=x)
    expected = [x[0]]
    for row in x[1:]:
        expected.append(np.cumsum(row) + expected[-1])
    np.testing.assert_array_equal(got, expected)


def test_examples_of_sequences_in_a_graph_definition():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [None], name="x")
        y = tf.scan(lambda a, e: a * e, x)
        tf.identity(tf.gradients(y, x)[0], name="dx")
        tf.identity(y, name="y")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        y, dx = session.run(["y:0", "dx:0"], {"x:0": [1.0, 2.0, 3.0]})
        assert y.tolist() == [1, 2, 6] and dx.tolist() == [9, 4, 2]


# ---- Gradients, against those of the same program without a loop


def _unrolled(fn, x, n, start, reverse):
    xs = tf.unstack(x, n)
    last, between = _fold(fn, xs, start, reverse)
    return last, tf.stack(between)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("initialized", [False, True])
@pytest.mark.parametrize("kind", ["scan", "fold"])
def test_gradients(kind, initialized, reverse):
    fn = lambda a, e: tf.tanh(a) * e + tf.sin(e)  # noqa: E731
    x = np.random.default_rng(0).normal(size=(5, 3))
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [5, 3])
        start = tf.constant([0.1, 0.2, 0.3], tf.float64)
        initializer = start if initialized else None
        last, between = _unrolled(fn, p, 5, initializer, reverse)
        if kind == "scan":
            looped, plain = tf.scan(fn, p, initializer=initializer, reverse=reverse), between
        else:
            looped, plain = (tf.foldr if reverse else tf.foldl)(fn, p, initializer=initializer), last
        weights = tf.cos(tf.cast(tf.reshape(tf.range(tf.size(plain)), tf.shape(plain)), tf.float64))
        xs = [p, start] if initialized else [p]
        got = tf.gradients(looped * weights, xs)
        expected = tf.gradients(plain * weights, xs)
        for a, b in zip(*session.run([got, expected], {p: x})):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("swap", [False, True])
def test_gradients_of_map_fn(swap):
    x = np.random.default_rng(1).normal(size=(6, 4))
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [None, 4])
        shared = tf.constant(2.0, tf.float64)
        y = tf.map_fn(
            lambda e: (e**3 * shared, tf.exp(tf.reduce_sum(e))), p, (tf.float64, tf.float64), swap_memory=swap
        )
        dx, dshared = session.run(tf.gradients(y, [p, shared]), {p: x})
        np.testing.assert_allclose(dx, 6 * x**2 + np.exp(x.sum(1, keepdims=True)))
        np.testing.assert_allclose(dshared, (x**3).sum())


def test_gradients_of_loops_in_loops():
    x = np.random.default_rng(2).normal(size=(3, 4))
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [3, 4])
        looped = tf.map_fn(lambda row: tf.foldl(lambda a, e: tf.sin(a) + a * e, row), p)
        plain = [_fold(lambda a, e: tf.sin(a) + a * e, tf.unstack(row), None, False)[0] for row in tf.unstack(p)]
        a, b = session.run([tf.gradients(looped, p)[0], tf.gradients(plain, p)[0]], {p: x})
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_no_gradient_through_a_loop_without_back_prop():
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        y = tf.map_fn(lambda e: e * e, x, back_prop=False)
        gradient = tf.gradients(y, x)[0]
        assert gradient is None


# ---- Errors


@pytest.mark.parametrize("make", [tf.map_fn, tf.scan, tf.foldl, tf.foldr])
def test_bad_arguments(make):
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="fn must be callable"):
            make(3, tf.ones([2]))
        error = ValueError if make is tf.map_fn else IndexError
        with pytest.raises(error, match="1\\+ dimensional Tensors, not scalars"):
            make(lambda *a: a[0], tf.constant(1.0))
        with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
            make(lambda *a: a[0], (tf.ones([2]), tf.ones([3])))


def test_wrong_structures():
    with tf.Graph().as_default():
        x = tf.ones([3])
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            tf.map_fn(lambda e: (e, e), x)
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            tf.scan(lambda a, e: (a, e), x)
        with pytest.raises(TypeError, match="don't have the same sequence type"):
            tf.scan(lambda a, e: [a[0], a[1]], x, initializer=(0.0, 0.0))
        with pytest.raises(ValueError, match="does not contain any Tensors"):
            tf.map_fn(lambda e: e, [])
        sparse = tf.SparseTensor(indices=[[0]], values=[1.0], dense_shape=[2])
        with pytest.raises(TypeError, match="To perform a map over the values of a sparse tensor"):
            tf.map_fn(lambda e: e, sparse)


def test_a_wrong_dtype_names_both():
    with tf.Graph().as_default(), tf.Session() as session:
        wrong = tf.map_fn(lambda e: tf.cast(e, tf.int32), tf.ones([2]))
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="dtype is float but Op is trying to write dtype int32"
        ):
            session.run(wrong)
