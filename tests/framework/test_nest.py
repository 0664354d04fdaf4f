"""Nested structures: `tf.nest` and its kin."""

import collections
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.framework.types import nest

Point = collections.namedtuple("Point", "x y")
SameName = collections.namedtuple("Point", "x y")
Other = collections.namedtuple("Other", "x y")
Wrapped = type("Wrapped", (list,), {})

atoms = st.none() | st.integers() | st.text(max_size=3)
structures = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.tuples(inner, inner).map(lambda xy: Point(*xy)),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.dictionaries(st.text(max_size=2), inner, max_size=3).map(collections.OrderedDict),
    ),
)


@given(structures)
def test_flatten_and_pack_are_inverse(structure):
    flat = nest.flatten(structure)
    assert not any(nest.is_nested(atom) for atom in flat)
    packed = nest.pack_sequence_as(structure, flat)
    assert packed == structure and type(packed) is type(structure)
    nest.assert_same_structure(structure, nest.map_structure(lambda _: 7, structure))
    assert nest.flatten(nest.map_structure(lambda a, b: (a, b), structure, structure)) == [
        a for a in flat for _ in (0, 1)
    ]


def test_public_names():
    assert tf.nest.__all__ == ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
    assert tf.nest.flatten({"b": (1, [2]), "a": Point(3, 4)}) == [3, 4, 1, 2]
    assert [tf.nest.is_nested(v) for v in ([], (), {}, Point(1, 2), "ab", 3, None)] == [True] * 4 + [False] * 3


def test_dictionaries_keep_their_kind_and_order():
    ordered = collections.OrderedDict([("b", 1), ("a", 2)])
    assert list(tf.nest.map_structure(lambda v: v + 1, ordered).items()) == [("b", 2), ("a", 3)]
    default = tf.nest.map_structure(str, collections.defaultdict(list, x=1))
    assert default == {"x": "1"} and default.default_factory is list
    counts = collections.Counter(b=1, a=2)
    doubled = tf.nest.map_structure(lambda v: v * 2, counts)
    assert list(doubled.items()) == [("b", 2), ("a", 4)] and type(doubled) is collections.Counter and counts["a"] == 2


@pytest.mark.parametrize(
    "first, second, error, text",
    [
        ([1, 2], [1], ValueError, r"don't have the same number of elements. First structure: type=list str=\[1, 2\]"),
        ([1], 5, ValueError, r'"type=list str=\[1\]" is a sequence, while substructure "type=int str=5" is not'),
        ([1], (1,), TypeError, "First structure type=list .* has type list, while second structure .* has type tuple"),
        (Point(1, 2), (1, 2), TypeError, "has type Point, while second .* has type tuple"),
        (Point(1, 2), Other(1, 2), TypeError, "has type Point, while second .* has type Other"),
        (
            {"a": 1},
            {"b": 1},
            ValueError,
            r"keys type=list str=\['a'\], while second structure has keys type=list str=\['b'\]",
        ),
        (
            [1, (2, 3)],
            [1, (2, 3, 4)],
            ValueError,
            r"Entire first structure:\n\[., \(., .\)\]\nEntire second structure:\n",
        ),
    ],
)
def test_differences(first, second, error, text):
    with pytest.raises(error, match="The two structures don't have the same nested structure.") as caught:
        tf.nest.assert_same_structure(first, second)
    assert re.search(text, str(caught.value), re.S), caught.value


def test_same_structures():
    for first, second in [
        (Point(1, 2), SameName(3, 4)),
        ([1], Wrapped([2])),
        ({"a": 1}, collections.OrderedDict(a=2)),
        (None, 3),
    ]:
        tf.nest.assert_same_structure(first, second)
    tf.nest.assert_same_structure([1], (2,), check_types=False)


def test_composites():
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert nest.flatten([sparse, slices]) == [sparse, slices]
    flat = nest.flatten([sparse, slices], expand_composites=True)
    assert flat == [sparse.indices, sparse.values, sparse.dense_shape, slices.values, slices.indices]
    packed = nest.pack_sequence_as([sparse, slices], flat, expand_composites=True)
    assert [type(p) for p in packed] == [tf.SparseTensor, tf.IndexedSlices] and packed[1].values is slices.values
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        nest.assert_same_structure(sparse, slices, expand_composites=True)
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        nest.assert_same_structure(sparse, sparse.values, expand_composites=True)
    nest.assert_same_structure(sparse, sparse.values)


@pytest.mark.parametrize(
    "structure, flat, error, text",
    [
        ([1, 2], [1], ValueError, "Structure had 2 atoms, but flat_sequence had 1 items."),
        (1, [1, 2], ValueError, "However the input is a sequence .* of length 2"),
        ([1], 5, TypeError, "into a structure, but found incompatible type `<class 'int'>`"),
        ({"a": 1, 2: 3}, [1, 2], TypeError, "nest only supports dicts with sortable keys."),
    ],
)
def test_what_cannot_be_packed(structure, flat, error, text):
    with pytest.raises(error, match=text):
        tf.nest.pack_sequence_as(structure, flat)


def test_wrong_maps():
    with pytest.raises(TypeError, match="func must be callable, got: 3"):
        tf.nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="Must provide at least one structure"):
        tf.nest.map_structure(len)
    with pytest.raises(ValueError, match="Cannot map over no sequences"):
        nest.map_structure_up_to([1], len)


def test_up_to():
    assert nest.flatten_up_to([1, {"a": 2}], [[3, 4], {"a": (5,)}]) == [[3, 4], (5,)]
    assert nest.map_structure_up_to((0, 0), lambda a, b: (a, b), (1, [2]), (3, 4)) == ((1, 3), ([2], 4))
    for shallow, tree, error, text in [
        ([1, [2]], 5, TypeError, "input must also be a sequence. Input has type: <class 'int'>"),
        ([1], [1, 2], ValueError, "Input structure has length 2, while shallow structure has length 1"),
        (
            [1],
            (1,),
            TypeError,
            "Input structure has type <class 'tuple'>, while shallow structure has type <class 'list'>",
        ),
        ({"a": 1}, {"b": 1}, ValueError, r"not in the input_tree: \['a'\]"),
    ]:
        with pytest.raises(error, match=text):
            nest.flatten_up_to(shallow, tree)


def test_views_of_dictionaries_count_as_lists():
    d = {"b": 1, "a": [2, 3]}
    assert nest.is_nested(d.values()) and nest.flatten(d.values()) == [1, 2, 3] and nest.flatten(d.keys()) == ["b", "a"]
    assert nest.map_structure(lambda x: 2 * x, d.values()) == [2, [4, 6]]
    assert nest.pack_sequence_as(d.values(), [7, 8, 9]) == [7, [8, 9]]
    nest.assert_same_structure(d.values(), {"c": 0, "d": [0, 0]}.values())
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.assert_same_structure(d.values(), [1, [2, 3]])
    with pytest.raises(ValueError, match="Structure had 3 atoms"):
        nest.pack_sequence_as(d.values(), [7, 8])
