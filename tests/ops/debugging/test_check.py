"""Assertions and Print: texts, static checks, errors."""

import numpy as np
import pytest

import tfcore as tf

InvalidArgument = tf.errors.InvalidArgumentError


def message_of(build, feed=None):
    """The message with which the op made by build(placeholder) fails."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        op = build(x)
        with tf.Session() as session:
            with pytest.raises(InvalidArgument) as caught:
                session.run(op, {x: [2.0, 3.0] if feed is None else feed})
    return str(caught.value)


def failing(data, **options):
    def build(x):
        return tf.Assert(tf.reduce_all(tf.less(x, 0.0)), data, **options)

    return message_of(build)


@pytest.mark.parametrize(
    ("value", "summarize", "text"),
    [
        (np.float32(1 / 3), None, "[0.333333343]"),
        (np.float32(0.1), None, "[0.1]"),
        (np.float32(1e10), None, "[1e+10]"),
        (np.float32(123456789), None, "[123456792]"),
        (np.float64(1 / 3), None, "[0.33333333333333331]"),
        (np.float64(1e300), None, "[1e+300]"),
        (np.float16(0.1), None, "[0.0999755859]"),
        (np.float32(np.nan), None, "[nan]"),
        (np.float32(-np.inf), None, "[-inf]"),
        (np.float32(-0.0), None, "[-0]"),
        (np.int8(-3), None, "[-3]"),
        (np.uint64(2**64 - 1), None, "[18446744073709551615]"),
        (np.int64(-(2**63)), None, "[-9223372036854775808]"),
        (np.array([True, False]), None, "[1 0]"),
        (np.complex64(1.5 - 2j), None, "[(1.5,-2)]"),
        (np.array([1.5, 2, 3, 4]), None, "[1.5 2 3...]"),
        (np.array([1.5, 2, 3, 4]), 5, "[1.5 2 3 4]"),
        (np.arange(12).reshape(3, 4), 3, "[[0 1 2...]...]"),
        (np.arange(12).reshape(3, 4), 5, "[[0 1 2 3][4...]...]"),
        (np.arange(12).reshape(3, 4), -1, "[[0 1 2 3][4 5 6 7][8 9 10 11]]"),
        (np.arange(8).reshape(2, 2, 2), 3, "[[[0 1][2...]]...]"),
        (np.array([b"a\n\"\x00\xffq'", b"b"], object), 3, "[a\\n\\\"\\000\\377q\\' b]"),
        (np.zeros([0]), None, "[]"),
        (np.zeros([3, 0]), None, "[]"),
    ],
    ids=str,
)
def test_assert_shows_its_data(value, summarize, text):
    message = failing([value, "end"], summarize=summarize)
    assert message.splitlines()[0] == f"assertion failed: {text} [end]"


def test_assert_names_op_and_line():
    message = failing(["why"], name="guard")
    assert "guard" in message
    assert "test_check.py" in message


def test_assert_holds():
    with tf.Graph().as_default():
        op = tf.Assert(tf.placeholder(tf.bool), [1])
        with tf.Session() as session:
            assert session.run(op, {op.inputs[0]: True}) is None
            with pytest.raises(InvalidArgument, match=r"In\[0\] should be a scalar: \[2\]"):
                session.run(op, {op.inputs[0]: [True, True]})


def test_assert_data_is_a_list():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="values must be a sequence"):
            tf.Assert(True, 3)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda x: tf.assert_equal(x, 1.0),
            "[Condition x == y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_equal/y:0) = ] [1]",
        ),
        (
            lambda x: tf.assert_equal(x, 1.0, message="mm"),
            "[mm] [Condition x == y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_equal/y:0) = ] [1]",
        ),
        (
            lambda x: tf.assert_less(x, 0.0),
            "[Condition x < y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_less/y:0) = ] [0]",
        ),
        (
            lambda x: tf.assert_none_equal(x, 2.0),
            "[Condition x != y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_none_equal/y:0) = ] [2]",
        ),
        (
            lambda x: tf.assert_greater(x, 5.0),
            "[Condition x > y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_greater/y:0) = ] [5]",
        ),
        (
            lambda x: tf.assert_greater_equal(x, 5.0),
            "[Condition x >= y did not hold element-wise:] [x (x:0) = ] [2 3] [y (assert_greater_equal/y:0) = ] [5]",
        ),
        (lambda x: tf.assert_less_equal(x, 0.0, data=["d", x]), "[d] [2 3]"),
        (
            lambda x: tf.assert_positive(-x, message="q"),
            "[q] [Condition x > 0 did not hold element-wise:] [x (Neg:0) = ] [-2 -3]",
        ),
        (
            lambda x: tf.assert_negative(x),
            "[] [Condition x < 0 did not hold element-wise:] [x (x:0) = ] [2 3]",
        ),
        (
            lambda x: tf.assert_non_negative(-x),
            "[] [Condition x >= 0 did not hold element-wise:] [x (Neg:0) = ] [-2 -3]",
        ),
        (
            lambda x: tf.assert_non_positive(x),
            "[] [Condition x <= 0 did not hold element-wise:] [x (x:0) = ] [2 3]",
        ),
        (lambda x: tf.assert_rank(x, 2), "[] [Tensor x:0 must have rank] [2] [Received shape: ] [2]"),
        (
            lambda x: tf.assert_rank_at_least(x, 2, message="m"),
            "[m.  ] [Tensor x:0 must have rank at least] [2] [Received shape: ] [2]",
        ),
        (
            lambda x: tf.assert_rank_in(x, [0, 2]),
            "[] [Tensor x:0 must have rank in] [0] [2] [Received shape: ] [2]",
        ),
    ],
)
def test_failing_assertion(build, text):
    assert message_of(build).splitlines()[0] == f"assertion failed: {text}"


@pytest.mark.parametrize(
    "build",
    [
        lambda x: tf.assert_equal(x, [2.0, 3.0]),
        lambda x: tf.assert_equal(2.0, x[:1]),
        lambda x: tf.assert_none_equal(x, 4.0),
        lambda x: tf.assert_less(x, 4.0),
        lambda x: tf.assert_less_equal(x, 3.0),
        lambda x: tf.assert_greater(x, 1.0),
        lambda x: tf.assert_greater_equal(x, 2.0),
        lambda x: tf.assert_positive(x),
        lambda x: tf.assert_negative(-x),
        lambda x: tf.assert_non_negative(x - 2.0),
        lambda x: tf.assert_non_positive(2.0 - x),
        lambda x: tf.assert_near(x, x + 1e-7),
        lambda x: tf.assert_near(x, x + 0.1, atol=0.2),
        lambda x: tf.assert_rank(x, 1),
        lambda x: tf.assert_rank_at_least(x, 1),
        lambda x: tf.assert_rank_in(x, [0, 1]),
        lambda x: tf.assert_less(tf.zeros([0]), tf.zeros([0])),
    ],
)
def test_assertion_that_holds(build):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        op = build(x)
        with tf.Session() as session:
            assert session.run(op, {x: [2.0, 3.0]}) is None


def test_assert_near_fails():
    message = message_of(lambda x: tf.assert_near(x, x + 0.01))
    assert "x and y not equal to tolerance rtol = " in message


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (
            lambda: tf.assert_equal(1, 2),
            InvalidArgument,
            "Condition x == y did not hold element-wise:\nx (assert_equal/x:0) = \n1\ny (assert_equal/y:0) = \n2",
        ),
        (lambda: tf.assert_less(3, 2, message="mm"), InvalidArgument, "mm\nCondition x < y did not hold"),
        (lambda: tf.assert_positive([-1, 2]), InvalidArgument, "\nCondition x > 0 did not hold element-wise:\n"),
        (
            lambda: tf.assert_rank(tf.zeros([2]), 2),
            ValueError,
            "Tensor zeros:0 must have rank 2.  Received rank 1, shape (2,)",
        ),
        (
            lambda: tf.assert_rank_at_least(tf.zeros([2]), 2, message="oo"),
            ValueError,
            "oo.  Tensor zeros:0 must have rank at least 2.  Received rank 1, shape (2,)",
        ),
        (
            lambda: tf.assert_rank_in(tf.zeros([2]), [0, 2]),
            ValueError,
            "Tensor zeros:0 must have rank in (0, 2).  Received rank 1, shape (2,)",
        ),
        (lambda: tf.assert_rank(tf.zeros([2]), [2]), ValueError, "Rank must be a scalar."),
        (
            lambda: tf.assert_rank(tf.zeros([2]), 2.5),
            TypeError,
            "assert_rank/rank:0 must be of type tf.int32; got tf.float32",
        ),
        (
            lambda: tf.assert_type(tf.zeros([1]), tf.int32),
            TypeError,
            "zeros:0 must be of type tf.int32; got tf.float32",
        ),
        (
            lambda: tf.assert_integer(tf.zeros([1])),
            TypeError,
            'Expected "x" to be integer type.  Found: zeros:0 of dtype',
        ),
        (
            lambda: tf.assert_scalar(tf.zeros([1])),
            ValueError,
            "Expected scalar shape for zeros:0, saw shape: (1,).",
        ),
        (lambda: tf.assert_proper_iterable(3), TypeError, 'Expected argument "values" to be iterable.'),
        (lambda: tf.assert_proper_iterable("ab"), TypeError, 'to be a "proper" iterable'),
        (
            lambda: tf.assert_same_float_dtype([tf.zeros([]), tf.zeros([], tf.float64)]),
            ValueError,
            "type=float64, must be of the same type (float32)",
        ),
        (
            lambda: tf.assert_same_float_dtype([tf.zeros([], tf.int32)]),
            ValueError,
            "Expected floating point type, got int32.",
        ),
    ],
)
def test_known_when_the_graph_is_built(build, error, text):
    with tf.Graph().as_default():
        with pytest.raises(error) as caught:
            build()
    assert text in str(caught.value)


def test_checks_that_pass_when_the_graph_is_built():
    with tf.Graph().as_default():
        ops = [
            tf.assert_rank(tf.zeros([2]), 1),
            tf.assert_type(tf.zeros([2]), tf.float32),
            tf.assert_integer(tf.zeros([2], tf.int64)),
        ]
        assert [op.type for op in ops] == ["NoOp"] * 3
        assert tf.assert_same_float_dtype([tf.zeros([], tf.float64)]) == tf.float64
        assert tf.assert_same_float_dtype() == tf.float32
        tf.assert_proper_iterable([1])
        assert tf.is_numeric_tensor(tf.zeros([]))
        assert not tf.is_numeric_tensor(tf.constant("x"))
        assert not tf.is_numeric_tensor(3)


@pytest.mark.parametrize(
    ("value", "non_decreasing", "strictly"),
    [([], True, True), ([1], True, True), ([1, 2, 3], True, True), ([1, 1, 2], True, False), ([2, 1], False, False)],
)
def test_monotony(value, non_decreasing, strictly):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        ops = [tf.is_non_decreasing(x), tf.is_strictly_increasing(x)]
        with tf.Session() as session:
            assert session.run(ops, {x: value}) == [non_decreasing, strictly]


# ---- Print.


def test_print_goes_to_standard_error(capfd):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = tf.Print(x, [x, tf.constant("q")], message="hey: ")
        with tf.Session() as session:
            assert session.run(y, {x: [1, 2, 3, 4]}).tolist() == [1, 2, 3, 4]
    assert capfd.readouterr().err == "hey: [1 2 3...][q]\n"


def test_print_first_n(capfd):
    with tf.Graph().as_default():
        y = tf.Print(tf.placeholder(tf.int32), [7], first_n=2, summarize=1)
        with tf.Session() as session:
            for i in range(4):
                assert session.run(y, {y.op.inputs[0]: i}) == i
    assert capfd.readouterr().err == "[7]\n[7]\n"
