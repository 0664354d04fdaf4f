"""The structure of elements: nested tuples, named tuples and dictionaries. Lists are tensors, unlike in tf.nest.

A leaf is a Tensor, SparseTensor or Dataset; in a spec, a TensorSpec, SparseTensorSpec or DatasetSpec (`spec.py`).
"""

from tfcore.data.spec import DatasetSpec, is_dataset, leaf_of, rows_of, spec_of_value, tensor_of, tensor_spec_of
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.framework.values.type_spec import SparseTensorSpec, TensorSpec


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
    """The structure with Tensors, SparseTensors and Datasets as leaves.

    Raises:
      TypeError: a leaf has no type. ValueError: a leaf is None.
    """
    return map_leaves(_to_tensor, structure)


def _to_tensor(leaf):
    if leaf is None:
        raise ValueError("None is not a component of an element of a dataset.")
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor(*leaf)
    return leaf if is_dataset(leaf) or isinstance(leaf, SparseTensor) else convert_to_tensor(leaf)


def flat_tensors(structure):
    """The Tensors that stand for the leaves."""
    return [tensor_of(leaf) for leaf in flatten(structure)]


def flat_rows(structure):
    """The same for leaves whose rows are going to be elements."""
    return [rows_of(leaf) for leaf in flatten(structure)]


def of_tensors(spec, tensors):
    """The structure of a spec with the leaves that Tensors stand for. A single one needs no list."""
    tensors = tuple(tensors) if isinstance(tensors, (list, tuple)) else (tensors,)
    return map_leaves(leaf_of, spec, tensors)


def spec_of(structure):
    """The specs of the leaves."""
    return map_leaves(spec_of_value, structure)


def make_spec(types, shapes=None, classes=None):
    """A spec from a structure of types and one of shapes, or one shape for all; None: unknown shapes. classes: the same
    structure with Tensor and SparseTensor; None: all are Tensors."""
    flat_types = flatten(types)
    flat_shapes = [None] * len(flat_types) if shapes is None else _shapes(types, shapes)
    flat_classes = [Tensor] * len(flat_types) if classes is None else flatten(classes)
    if len(flat_classes) != len(flat_types):
        raise ValueError(f"Types and classes have different structures: {types!r} and {classes!r}")
    return pack(types, map(_spec, flat_types, flat_shapes, flat_classes))


def _spec(dtype, shape, cls):
    if isinstance(dtype, DatasetSpec):
        return dtype
    return SparseTensorSpec(shape, dtype) if cls is SparseTensor else TensorSpec(shape, dtype)


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
    return [None if isinstance(types, DatasetSpec) else TensorShape(shapes)]


def shapes_like(spec, shapes):
    """The shapes, one for each leaf of a spec."""
    return _shapes(spec, shapes)


def types_of(spec):
    """The types of the leaves; of a dataset, its DatasetSpec."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpec) else s.dtype, spec)


def shapes_of(spec):
    """The shapes of the leaves; of a dataset, its DatasetSpec."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpec) else s.shape, spec)


def classes_of(spec):
    """The classes of the leaves; of a dataset, its DatasetSpec."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpec) else s.value_type, spec)


def flat_specs(spec):
    """The TensorSpecs of the Tensors that stand for the leaves."""
    return [tensor_spec_of(s) for s in flatten(spec)]


def attributes_of(spec):
    """The attributes output_types and output_shapes of ops."""
    flat = flat_specs(spec)
    return {"output_types": [s.dtype for s in flat], "output_shapes": [s.shape for s in flat]}


def check_same_types(one, other, text):
    """Raises TypeError unless two specs have the same types in the same structure."""
    if _inner_types(one) != _inner_types(other):
        raise TypeError(f"{text} have different types {types_of(one)} and {types_of(other)}")


def _inner_types(spec):
    """The types without shapes, also those of elements of datasets that are leaves."""
    return map_leaves(
        lambda s: [_inner_types(s.element_spec)] if isinstance(s, DatasetSpec) else (s.dtype, s.value_type), spec
    )


def common_spec(one, other):
    """A spec for elements of either spec: shapes are known where both agree."""

    def merge(a, b):
        if isinstance(a, DatasetSpec):
            return DatasetSpec(common_spec(a.element_spec, b.element_spec))
        if a.shape.rank is None or a.shape.rank != b.shape.rank:
            return type(a)(None, a.dtype)
        return type(a)([x if x == y else None for x, y in zip(a.shape.as_list(), b.shape.as_list())], a.dtype)

    return map_leaves(merge, one, other)


def row_of(spec):
    """The spec of a row of a leaf of a batch."""
    return type(spec)(None if spec.shape.rank is None else spec.shape[1:], spec.dtype)


def batch_of(spec, rows):
    """The spec of a leaf of a batch.

    Raises:
      NotImplementedError: the leaf is a dataset.
    """
    if isinstance(spec, DatasetSpec):
        raise NotImplementedError("Batching for `tf.data.Dataset` objects")
    return type(spec)(TensorShape([rows]).concatenate(spec.shape), spec.dtype)


def has_sparse(spec):
    return any(isinstance(s, SparseTensorSpec) for s in flatten(spec))


def is_scalar(spec, dtype):
    return isinstance(spec, TensorSpec) and spec.dtype is dtype and spec.shape.rank in (0, None)


INT64 = TensorSpec([], dtypes.int64)
