"""Dimension and TensorShape: the version-1 behaviour of TensorFlow, by cases worked out by hand."""

import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcore.framework.types.tensor_shape import Dimension, TensorShape, as_dims, as_shape, shape_of, unknown_shape

SIZES = st.one_of(st.none(), st.integers(0, 5))
SHAPES = st.one_of(st.none(), st.lists(SIZES, max_size=4)).map(TensorShape)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (0, 0), (None, None), (Dimension(7), 7), (np.int64(4), 4), (3.0, 3), ("12", 12)],
)
def test_dimension_value(value, expected):
    assert Dimension(value).value == expected


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (-1, ValueError, "Dimension -1 must be >= 0"),
        (2.5, TypeError, "Dimension value must be integer or None .* got value '2.5'"),
        (object(), TypeError, "Dimension value must be integer or None"),
        ("x", TypeError, "got value"),
    ],
)
def test_dimension_rejects(value, error, text):
    with pytest.raises(error, match=text):
        Dimension(value)


def test_dimension_text():
    assert repr(Dimension(2)) == "Dimension(2)"
    assert repr(Dimension(None)) == "Dimension(None)"
    assert (str(Dimension(2)), str(Dimension(None))) == ("2", "?")


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul])
def test_dimension_arithmetic(function):
    seven, two = Dimension(7), Dimension(2)
    assert function(seven, two).value == function(7, 2)
    assert function(seven, 2).value == function(7, 2)
    assert function(7, two).value == function(7, 2)
    assert function(seven, None).value is None
    assert function(None, seven).value is None
    assert function(Dimension(None), 3).value is None


def test_dimension_division():
    assert (Dimension(7) // 2).value == 3
    assert (7 // Dimension(2)).value == 3
    assert (Dimension(7) % 4).value == 3
    assert (7 % Dimension(4)).value == 3
    assert (Dimension(7) // None).value is None
    with pytest.raises(TypeError, match="please use // instead"):
        Dimension(7) / 2
    with pytest.raises(TypeError, match="please use // instead"):
        7 / Dimension(2)
    with pytest.raises(ValueError, match="must be >= 0"):
        Dimension(1) - 2


def test_dimension_comparison_with_unknown_is_none():
    assert (Dimension(3) == 3) is True
    assert (Dimension(3) != 3) is False
    assert (Dimension(3) < 4) is True
    assert (Dimension(3) >= Dimension(4)) is False
    for function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert function(Dimension(None), 3) is None
        assert function(Dimension(3), Dimension(None)) is None
    assert (Dimension(3) == "three") is False


def test_dimension_as_python_integer():
    assert [10, 11, 12][Dimension(1)] == 11
    assert int(Dimension(4)) == 4
    assert list(range(Dimension(3))) == [0, 1, 2]
    assert bool(Dimension(0)) is False
    assert bool(Dimension(None)) is False
    with pytest.raises(TypeError):
        int(Dimension(None))
    with pytest.raises(TypeError):
        hash(Dimension(1))


def test_dimension_merge():
    assert Dimension(None).merge_with(3).value == 3
    assert Dimension(3).merge_with(None).value == 3
    assert Dimension(None).merge_with(None).value is None
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        Dimension(3).merge_with(4)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([2, None, 3], [2, None, 3]),
        ((), []),
        (5, [5]),
        (np.array([4, 2]), [4, 2]),
        (range(3), [0, 1, 2]),
        ([Dimension(2), np.int32(3)], [2, 3]),
        (Dimension(4), [4]),
        (TensorShape([1]), [1]),
    ],
)
def test_shape_construction(value, expected):
    assert TensorShape(value).as_list() == expected


def test_shape_rejects():
    with pytest.raises(ValueError, match="Dimension -2 must be >= 0"):
        TensorShape([3, -2])
    with pytest.raises(TypeError):
        TensorShape(["x"])
    with pytest.raises(TypeError, match="Failed to convert"):
        TensorShape({1: 2}.keys() | {"a"})


@pytest.mark.parametrize(
    ("dims", "text", "representation"),
    [
        (None, "<unknown>", "TensorShape(None)"),
        ([], "()", "TensorShape([])"),
        ([3], "(3,)", "TensorShape([Dimension(3)])"),
        ([None, 2], "(?, 2)", "TensorShape([Dimension(None), Dimension(2)])"),
    ],
)
def test_shape_text(dims, text, representation):
    assert str(TensorShape(dims)) == text
    assert repr(TensorShape(dims)) == representation


def test_shape_parts():
    shape = TensorShape([2, None, 3])
    assert (shape.rank, shape.ndims, len(shape), bool(shape)) == (3, 3, 3, True)
    assert shape[0].value == 2
    assert shape[-1].value == 3
    assert shape[1:].as_list() == [None, 3]
    assert [d.value for d in shape] == [2, None, 3]
    assert all(isinstance(d, Dimension) for d in shape.dims)
    assert shape.num_elements() is None
    assert TensorShape([2, 3]).num_elements() == 6
    assert TensorShape([]).num_elements() == 1
    with pytest.raises(IndexError):
        shape[3]


def test_unknown_shape():
    shape = TensorShape(None)
    assert (shape.rank, shape.ndims, shape.dims, shape.num_elements()) == (None, None, None, None)
    assert not shape
    assert shape[5].value is None
    assert shape[1:3].as_list() == [None, None]
    assert shape[2:].rank is None
    with pytest.raises(ValueError, match="Cannot take the length"):
        len(shape)
    with pytest.raises(ValueError, match="Cannot iterate"):
        list(shape)
    with pytest.raises(ValueError, match="as_list"):
        shape.as_list()
    with pytest.raises(ValueError, match="Steps are not yet handled"):
        shape[::2]
    assert unknown_shape(2).as_list() == [None, None]
    assert unknown_shape(ndims=1).as_list() == [None]


def test_shape_equality():
    assert TensorShape([1, None]) == TensorShape([1, None])
    assert TensorShape([1, 2]) == [1, 2]
    assert (TensorShape([1, 2]) == [1, None]) is False
    assert TensorShape(None) == TensorShape(None)
    assert TensorShape([1, 2]) != (1, 3)
    assert (TensorShape([1]) == "words") is False
    assert len({TensorShape([1]), TensorShape([1]), TensorShape([2])}) == 2
    with pytest.raises(ValueError, match="inequality of unknown"):
        TensorShape(None) != TensorShape([1])  # noqa: B015


@given(SHAPES, SHAPES)
def test_merge_agrees_with_compatibility(a, b):
    if not a.is_compatible_with(b):
        with pytest.raises(ValueError, match="are not compatible"):
            a.merge_with(b)
        with pytest.raises(ValueError, match="are incompatible"):
            a.assert_is_compatible_with(b)
        return
    merged = a.merge_with(b)
    assert merged == b.merge_with(a)
    assert merged.is_compatible_with(a)
    assert merged.is_compatible_with(b)
    if a.is_fully_defined():
        assert merged == a
    common = a.most_specific_compatible_shape(b)
    assert common.is_compatible_with(a)
    assert common.is_compatible_with(b)


def test_merge_fills_unknown_sizes():
    assert TensorShape([None, 2]).merge_with([3, None]).as_list() == [3, 2]
    assert TensorShape([2, 3]).most_specific_compatible_shape([5, 3]).as_list() == [None, 3]
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(4,\) are not compatible"):
        TensorShape([3]).merge_with([4])


def test_concatenate():
    assert TensorShape([1]).concatenate([None, 2]).as_list() == [1, None, 2]
    assert (TensorShape([1]) + [2]).as_list() == [1, 2]
    assert ([1] + TensorShape([2])).as_list() == [1, 2]
    assert TensorShape([1]).concatenate(None).rank is None


def test_rank_assertions():
    shape = TensorShape([2, None])
    assert shape.with_rank(2) == shape
    assert TensorShape(None).with_rank(2).as_list() == [None, None]
    assert shape.with_rank_at_least(1) is shape
    assert shape.with_rank_at_most(2) is shape
    for call in (
        lambda: shape.with_rank(3),
        lambda: shape.assert_has_rank(1),
        lambda: shape.with_rank_at_least(3),
        lambda: shape.with_rank_at_most(1),
        lambda: shape.assert_same_rank([1]),
    ):
        with pytest.raises(ValueError, match="rank"):
            call()
    with pytest.raises(ValueError, match=r"Shape \(2, \?\) is not fully defined"):
        shape.assert_is_fully_defined()


@given(SHAPES)
def test_shape_survives_conversions(shape):
    assert as_shape(shape) is shape
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert shape_of(as_dims(shape)) == shape
    assert TensorShape(shape.dims) == shape


@given(SHAPES)
def test_shape_proto(shape):
    pytest.importorskip("tensorboard")
    assert TensorShape(shape.as_proto()) == shape
