"""tf.case and tf.switch_case."""

import collections
import re

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def conditions(n):
    return [tf.placeholder(tf.bool, [], name=f"p{i}") for i in range(n)]


def values(result, predicates, cases):
    with tf.Session() as sess:
        return [sess.run(result, dict(zip(predicates, case))) for case in cases]


def test_the_first_that_holds():
    a, b = conditions(2)
    x = tf.constant(10)
    result = tf.case([(a, lambda: x + 1), (b, lambda: x + 2)], default=lambda: x)
    assert result.name == "case/cond/Merge:0"
    assert values(result, (a, b), [(1, 1), (1, 0), (0, 1), (0, 0)]) == [11, 11, 12, 10]


def test_dictionaries():
    a, b = conditions(2)
    result = tf.case({b: lambda: 2, a: lambda: 1}, default=lambda: 3, exclusive=True)
    assert values(result, (a, b), [(1, 0), (0, 1), (0, 0)]) == [1, 2, 3]
    with pytest.warns(UserWarning, match="unordered dictionary of predicate/fn pairs"):
        tf.case({b: lambda: 2, a: lambda: 1}, default=lambda: 3)
    ordered = tf.case(collections.OrderedDict([(b, lambda: 2), (a, lambda: 1)]), default=lambda: 3)
    assert values(ordered, (a, b), [(1, 1)]) == [2]


def test_more_than_one_of_exclusive_conditions():
    a, b = conditions(2)
    result = tf.case([(a, lambda: 1), (b, lambda: 2)], default=lambda: 3, exclusive=True)
    text = "Input error: exclusive=True: more than 1 conditions .p0:0, p1:0. evaluated as True"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        values(result, (a, b), [(1, 1)])


def test_without_default():
    a, b = conditions(2)
    result = tf.case([(a, lambda: 1), (b, lambda: 2)])
    assert values(result, (a, b), [(1, 0), (0, 1)]) == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated as True"):
        values(result, (a, b), [(0, 0)])
    only = tf.case([(a, lambda: tf.constant(7))])
    assert values(only, (a,), [(1,)]) == [7]


def test_structures():
    (a,) = conditions(1)
    result = tf.case([(a, lambda: [1, {"x": 2}])], default=lambda: [3, {"x": 4}])
    assert values(result, (a,), [(1,), (0,)]) == [[1, {"x": 2}], [3, {"x": 4}]]
    (strict,) = tf.case([(a, lambda: [1])], default=lambda: [2], strict=True)
    assert values(strict, (a,), [(1,)]) == [1]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("with_default", [False, True])
def test_switch_case(n, with_default):
    index = tf.placeholder(tf.int32, [])
    functions = [lambda i=i: tf.constant(10 * i) for i in range(n)]
    result = tf.switch_case(index, functions, default=(lambda: tf.constant(-1)) if with_default else None)
    other = -1 if with_default else 10 * (n - 1)
    with tf.Session() as sess:
        found = [sess.run(result, {index: i}) for i in range(-2, n + 2)]
    assert found == [other] * 2 + [10 * i for i in range(n)] + [other] * 2


def test_switch_case_with_numbers():
    index = tf.placeholder(tf.int64, [])
    for branches in ({1: lambda: [2, 3], 0: lambda: [0, 1]}, [(1, lambda: [2, 3]), (0, lambda: [0, 1])]):
        result = tf.switch_case(index, branches)
        with tf.Session() as sess:
            assert [sess.run(result, {index: i}) for i in (0, 1)] == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    "build, error, text",
    [
        (lambda p: tf.case(3), TypeError, "must be a list, tuple, or dict. Received: <class 'int'>"),
        (lambda p: tf.case([3]), TypeError, "must be a 2-tuple. Received 3."),
        (lambda p: tf.case([(True, int)]), TypeError, "pred must be a Tensor, got: True"),
        (lambda p: tf.case([(tf.constant(1), int)]), TypeError, "pred must be Tensor of type bool: Const:0"),
        (lambda p: tf.case([(p, 1)]), TypeError, "fn for pred p0:0 must be callable."),
        (lambda p: tf.case([(p, int)], default=3), TypeError, "'false_fn' must be callable."),
        (lambda p: tf.case([]), ValueError, "must have at least one pair"),
        (lambda p: tf.switch_case(3, [int]), TypeError, "'branch_index' must be a Tensor, got <class 'int'>"),
        (
            lambda p: tf.switch_case(tf.constant(1.0), [int]),
            TypeError,
            "must be an integer Tensor, got <dtype: 'float32'>",
        ),
        (lambda p: tf.switch_case(tf.constant(1), []), ValueError, "at least one item in 'branch_fns'"),
        (lambda p: tf.switch_case(tf.constant(1), 3), TypeError, "'branch_fns' must be a list, tuple, or dict"),
        (
            lambda p: tf.switch_case(tf.constant(1), {0: int, 2: int}),
            ValueError,
            r"range of \[0 to 2\) but found {0,2}",
        ),
        (lambda p: tf.switch_case(tf.constant(1), {0: int, 1: 3}), TypeError, "fn for key 1 must be callable."),
        (
            lambda p: tf.switch_case(tf.constant(1), {"a": int}),
            TypeError,
            "key must be a Python `int`, got <class 'str'>",
        ),
        (lambda p: tf.switch_case(tf.constant(1), [int, 3]), TypeError, "must be a 2-tuple"),
        (lambda p: tf.switch_case(tf.constant(1), [int], default=3), TypeError, "'default' must be callable."),
    ],
)
def test_wrong_arguments(build, error, text):
    with pytest.raises(error) as caught:
        build(conditions(1)[0])
    assert re.search(text, str(caught.value), re.S), caught.value
