"""The structure of elements: nested tuples, named tuples and dictionaries. Lists are tensors, unlike in tf.nest."""

from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.type_spec import TensorSpec


def flatten(structure):
    """The leaves, dictionaries in the order of their sorted keys."""
    if isinstance(structure, tuple):
        return [leaf for item in structure for leaf in flatten(item)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    return [structure]


def pack(structure, leaves):
    """The structure with other leaves."""
    return _take(structure, iter(leaves))


def _take(structure, leaves):
    if isinstance(structure, tuple):
        items = [_take(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    if isinstance(structure, dict):
        found = {key: _take(structure[key], leaves) for key in sorted(structure)}
        made = {key: found[key] for key in structure}
        return made if type(structure) is dict else type(structure)(made)
    return next(leaves)


def map_leaves(function, structure, *others):
    """The structure with function(leaf, leaves of the others in the same place) as leaves.

    Raises:
      ValueError: another structure has another number of leaves.
    """
    flat = flatten(structure)
    more = [flatten(other) for other in others]
    if any(len(leaves) != len(flat) for leaves in more):
        raise ValueError(f"The two structures don't have the same number of elements: {structure!r} and {others!r}")
    return pack(structure, map(function, flat, *more))


def to_tensors(structure):
    """The structure with Tensors as leaves.

    Raises:
      TypeError: a leaf is a SparseTensor, or has no type. ValueError: a leaf is None.
    """
    return map_leaves(_to_tensor, structure)


def _to_tensor(leaf):
    if leaf is None:
        raise ValueError("None is not a component of an element of a dataset.")
    if isinstance(leaf, SparseTensor):
        raise TypeError(
            "Elements of a dataset can't have SparseTensors as components: return its indices, values and dense_shape."
        )
    return convert_to_tensor(leaf)


def spec_of(structure):
    """The TensorSpecs of Tensors."""
    return map_leaves(lambda t: TensorSpec(t.shape, t.dtype.base_dtype), structure)


def make_spec(types, shapes=None):
    """TensorSpecs from a structure of types and one of shapes, or one shape for all; None: unknown shapes."""
    if shapes is None:
        return map_leaves(lambda t: TensorSpec(None, t), types)
    return pack(types, [TensorSpec(s, t) for s, t in zip(_shapes(types, shapes), flatten(types))])


def _shapes(types, shapes):
    """The shapes that stand where a structure has leaves."""
    if isinstance(types, tuple):
        if len(types) != len(shapes):
            raise ValueError(f"There are {len(types)} types, but {len(shapes)} shapes: {types!r} and {shapes!r}")
        return [leaf for t, s in zip(types, shapes) for leaf in _shapes(t, s)]
    if isinstance(types, dict):
        if types.keys() != shapes.keys():
            raise ValueError(f"Types and shapes have different keys: {sorted(types)} and {sorted(shapes)}")
        return [leaf for key in sorted(types) for leaf in _shapes(types[key], shapes[key])]
    return [TensorShape(shapes)]


def shapes_like(spec, shapes):
    """The shapes, one for each leaf of a spec."""
    return _shapes(spec, shapes)


def types_of(spec):
    return map_leaves(lambda s: s.dtype, spec)


def shapes_of(spec):
    return map_leaves(lambda s: s.shape, spec)


def attributes_of(spec):
    """The attributes output_types and output_shapes of ops."""
    flat = flatten(spec)
    return {"output_types": [s.dtype for s in flat], "output_shapes": [s.shape for s in flat]}


def check_same_types(one, other, text):
    """Raises TypeError unless two specs have the same types in the same structure."""
    if types_of(one) != types_of(other):
        raise TypeError(f"{text} have different types {types_of(one)} and {types_of(other)}")


def common_spec(one, other):
    """A spec for elements of either spec: shapes are known where both agree."""

    def merge(a, b):
        if a.shape.rank is None or a.shape.rank != b.shape.rank:
            return TensorSpec(None, a.dtype)
        return TensorSpec([x if x == y else None for x, y in zip(a.shape.as_list(), b.shape.as_list())], a.dtype)

    return map_leaves(merge, one, other)


def is_scalar(spec, dtype):
    return isinstance(spec, TensorSpec) and spec.dtype is dtype and spec.shape.rank in (0, None)


INT64 = TensorSpec([], dtypes.int64)
