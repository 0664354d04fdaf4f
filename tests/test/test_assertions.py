"""tf.test.TestCase: assertions."""

import collections

import ml_dtypes
import numpy as np
import pytest
from absl.testing import parameterized
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tfcore as tf

Point = collections.namedtuple("Point", "x y")


@pytest.fixture
def case():
    made = tf.test.TestCase()
    with tf.Graph().as_default():
        yield made
    made.tearDown()


HOLD = {
    "close": lambda t: t.assertAllClose([1.0, 2.0], [1.0 + 1e-7, 2.0]),
    "close tensors": lambda t: t.assertAllClose(tf.constant([1.0, np.nan]), tf.constant([1.0, np.nan])),
    "close dicts": lambda t: t.assertAllClose({"a": [1, (2.0, 3)], "b": np.ones(2)}, {"a": [1, (2.0, 3)], "b": [1, 1]}),
    "close tuples": lambda t: t.assertAllClose(Point(1, [2, 3]), {"x": 1, "y": [2, 3]}),
    "close ragged": lambda t: t.assertAllClose([[1.0], [2.0, 3.0], {"c": 1}], [[1.0], [2.0, 3.0], {"c": 1}]),
    "close halves": lambda t: t.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.0005])),
    "close bfloats": lambda t: t.assertAllCloseAccordingToType(np.array([1.0], ml_dtypes.bfloat16), [1.005]),
    "not close": lambda t: t.assertNotAllClose([1.0, 2.0], [1.0, 2.1]),
    "equal": lambda t: t.assertAllEqual([[1, 2]], tf.constant([[1, 2]])),
    "equal NaN": lambda t: t.assertAllEqual([1.0, np.nan], [1.0, np.nan]),
    "equal text": lambda t: t.assertAllEqual(["a", "b"], np.array([b"a", b"b"], object)),
    "not equal": lambda t: t.assertNotAllEqual([1, 2], [1, 3]),
    "dicts": lambda t: t.assertDictEqual({"a": np.ones(2), "b": 1}, {"a": np.ones(2) + 1e-8, "b": 1}),
    "near": lambda t: t.assertNear(1.0, 1.05, 0.1),
    "array near": lambda t: t.assertArrayNear([1, 2], [1.05, 2], 0.1),
    "norm near": lambda t: t.assertNDArrayNear(np.ones(3), np.ones(3) + 0.01, 0.1),
    "greater": lambda t: t.assertAllGreater([2, 3], 1),
    "less": lambda t: t.assertAllLess(tf.constant([2, 3]), 4),
    "at least": lambda t: t.assertAllGreaterEqual([2, 3], 2),
    "at most": lambda t: t.assertAllLessEqual([2, 3], 3),
    "range": lambda t: t.assertAllInRange([1, 2, 3], 1, 3),
    "open range": lambda t: t.assertAllInRange([1.5], 1, 2, open_lower_bound=True, open_upper_bound=True),
    "set": lambda t: t.assertAllInSet([[1, 2], [2, 1]], {1, 2, 5}),
    "type": lambda t: t.assertDTypeEqual(tf.constant([1.0]), np.float32),
    "shape": lambda t: t.assertShapeEqual(np.ones([2, 3]), tf.zeros([2, 3])),
    "device": lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    "message": lambda t: t.assertProtoEquals("name: 'a' op: 'b'", tf.NodeDef(name="a", op="b")),
    "message close": lambda t: t.assertProtoEquals(
        tf.AttrValue(f=1.0), tf.AttrValue(f=1.0 + 1e-6), relative_tolerance=1e-5
    ),
    "versions": lambda t: t.assertProtoEqualsVersion("node { name: 'c' op: 'NoOp' }", no_op("c")),
    "start": lambda t: t.assertStartsWith("abc", "ab"),
    "empty": lambda t: t.assertEmpty([]),
}

FAIL = {
    "close": (lambda t: t.assertAllClose([1.0, 2.0], [1.0, 2.1], msg="why"), "not close where = (array([1]),)"),
    "close shape": (lambda t: t.assertAllClose([1.0], [[1.0]]), "Shape mismatch: expected (1,), got (1, 1)"),
    "close dict": (lambda t: t.assertAllClose({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}), "a[a][1][b] is different"),
    "close keys": (lambda t: t.assertAllClose({"a": 1}, {"b": 1}), "mismatched keys: a has keys"),
    "not close": (lambda t: t.assertNotAllClose([1.0], [1.0]), "The two values are close at all elements."),
    "equal": (lambda t: t.assertAllEqual([[1, 2]], [[1, 3]]), "not equal where = (array([0]), array([1]))"),
    "equal shape": (lambda t: t.assertAllEqual([1], [1, 2]), "Shape mismatch: expected (1,), got (2,)."),
    "equal text": (lambda t: t.assertAllEqual(["a"], [b"b"]), "not equal lhs"),
    "not equal": (lambda t: t.assertNotAllEqual([1], [1]), "The two values are equal at all elements."),
    "dicts": (lambda t: t.assertDictEqual({"a": np.ones(2)}, {"a": np.zeros(2)}), "not close"),
    "near": (lambda t: t.assertNear(1.0, 1.2, 0.1, "why"), "1.000000 != 1.200000 +/- 0.100000 (difference: 0.2) (why)"),
    "array near": (lambda t: t.assertArrayNear([1], [1, 2], 0.1), "1 != 2"),
    "norm near": (lambda t: t.assertNDArrayNear(np.ones(3), np.zeros(3), 0.1), "is not true"),
    "greater": (lambda t: t.assertAllGreater([1, 3], 1), "not greater than"),
    "less": (lambda t: t.assertAllLess([2, 4], 4), "not less than"),
    "at least": (lambda t: t.assertAllGreaterEqual([1, 3], 2), "not greater than or equal"),
    "at most": (lambda t: t.assertAllLessEqual([2, 4], 3), "not less than or equal"),
    "range": (
        lambda t: t.assertAllInRange([[1, 5]], 1, 3),
        "1 of the 2 element(s) are outside the range [1, 3]. Subscript(s) and value(s) of the offending elements:\n"
        "  [0 1] : 5",
    ),
    "open range": (lambda t: t.assertAllInRange([1], 1, 3, open_lower_bound=True), "outside the range (1, 3]"),
    "range NaN": (lambda t: t.assertAllInRange([np.nan, 1.0], 0, 3), "1 of the 2 element(s) are NaN."),
    "range text": (lambda t: t.assertAllInRange(["a"], 0, 3), "does not have an ordered numeric type"),
    "range scalar": (lambda t: t.assertAllInRange(7, 0, 3), "[0] : 7"),
    "set": (lambda t: t.assertAllInSet([1, 7], [1, 2]), "1 unique element(s) are not in the set [1, 2]: [7]"),
    "type": (lambda t: t.assertDTypeEqual([1.0], np.float32), "float64"),
    "shape": (lambda t: t.assertShapeEqual(np.ones([2]), tf.zeros([3])), "not equal"),
    "device": (
        lambda t: t.assertDeviceEqual("/cpu:0", "/cpu:1"),
        "Devices /device:CPU:0 and /device:CPU:1 are not equal",
    ),
    "message": (lambda t: t.assertProtoEquals("name: 'a'", tf.NodeDef(name="b")), 'name: "b"'),
    "message kinds": (lambda t: t.assertProtoEquals(3, tf.NodeDef()), "Can't compare protos of type"),
    "start": (lambda t: t.assertStartsWith("abc", "b"), "'abc' does not start with 'b'"),
}


def no_op(name):
    with tf.Graph().as_default() as graph:
        tf.no_op(name=name)
    return graph.as_graph_def()


@pytest.mark.parametrize("name", HOLD)
def test_holds(case, name):
    assert HOLD[name](case) is None


@pytest.mark.parametrize("name", FAIL)
def test_fails(case, name):
    assertion, text = FAIL[name]
    with pytest.raises(AssertionError) as caught:
        assertion(case)
    assert text in str(caught.value)


def test_structures_that_cannot_be_compared(case):
    with pytest.raises(ValueError, match="Can't compare dict to non-dict, a.1. vs b.1."):
        case.assertAllClose([1, {"a": 1}, [2]], [1, 2, [2]])
    pair = [tf.constant(1.0), tf.constant([1.0])]
    with pytest.raises(ValueError, match="Mismatched length: a.0. has 2 items, but b.0. has 3 items"):
        case.assertAllClose([pair], [[*pair, 1.0]])
    with pytest.raises(TypeError, match="input_b must be a Numpy ndarray"):
        case.assertShapeEqual(np.ones(1), [1])


numbers = arrays.arrays(np.float64, arrays.array_shapes(max_dims=2, max_side=3), elements=st.floats(-9, 9))


@given(numbers, st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_closeness_is_that_of_numpy(a, rtol, atol):
    case = tf.test.TestCase()
    b = a + (atol + rtol * np.abs(a)) * 0.9
    if np.allclose(a, b, rtol, atol):
        case.assertAllClose(a, b, rtol, atol)
    else:
        case.assertNotAllClose(a, b, rtol, atol)


# ---- Errors


def test_errors_of_operations(case):
    x = tf.placeholder(tf.float32, name="input")
    with case.session() as session:
        with case.assertRaisesOpError("must feed a value"):
            session.run(tf.identity(x, name="out"))
        with case.assertRaisesOpError(lambda error: error.error_code == tf.errors.INVALID_ARGUMENT):
            session.run(x)
        with case.assertRaisesIncompatibleShapesError():
            session.run(x + tf.ones([2]), {x: np.ones(3)})


def test_the_original_operation_is_named(case):
    op = tf.identity(tf.constant(1.0), name="forward").op
    with tf.get_default_graph()._original_op(op):
        made = tf.identity(tf.constant(2.0), name="backward").op
    with case.assertRaisesWithPredicateMatch(tf.errors.OpError, "Caused by: backward\nCaused by: forward"):
        raise tf.errors.InternalError(None, made, "broken")


def test_errors_that_are_missing_or_wrong(case):
    with pytest.raises(AssertionError, match="ValueError not raised"):
        with case.assertRaisesWithPredicateMatch(ValueError, ""):
            pass
    with pytest.raises(AssertionError, match="Exception of type <class 'KeyError'>"):
        with case.assertRaisesWithPredicateMatch(ValueError, ""):
            raise KeyError("x")
    with pytest.raises(AssertionError, match="this"):
        with case.assertRaisesWithPredicateMatch(ValueError, "that"):
            raise ValueError("this")
    with pytest.raises(KeyboardInterrupt):
        with case.assertRaisesWithPredicateMatch(ValueError, "that"):
            raise KeyboardInterrupt


class Parameters(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters((1.0, 1.0), (2.0, 4.0))
    def test_square(self, x, square):
        with self.cached_session():
            self.assertAllClose(tf.square(x), square)

    @parameterized.named_parameters(("zero", 0), ("one", 1))
    def test_identity(self, value):
        self.assertEqual(self.evaluate(tf.identity(value)), value)
