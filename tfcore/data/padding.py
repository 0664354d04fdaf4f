"""The inputs of padded batches."""

import numpy as np

from tfcore.data import elements
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec


def padded_inputs(spec, padded_shapes, padding_values, rows):
    """(int64 vectors, scalars, spec of a batch) for the components of an element.

    Raises:
      ValueError: a rank is unknown, or shapes or values do not fit the components.
      TypeError: a padding value has another type than its component, or a component is sparse.
    """
    flat = elements.flatten(spec)
    if elements.has_sparse(spec):
        raise TypeError("Batching of padded sparse tensors is not currently supported")
    elements.map_leaves(lambda s: elements.batch_of(s, rows), spec)  # refuses datasets
    shapes = [s.shape for s in flat] if padded_shapes is None else _leaves(spec, padded_shapes)
    values = _padding_values(spec, padding_values, len(flat))
    vectors, known = zip(*[_vector(shape, s) for shape, s in zip(shapes, flat)])
    scalars = [_scalar(value, s.dtype) for value, s in zip(values, flat)]
    batch = [TensorSpec(TensorShape([rows]).concatenate(shape), s.dtype) for shape, s in zip(known, flat)]
    return list(vectors), scalars, elements.pack(spec, batch)


def _leaves(spec, shapes):
    """The shapes that stand where a spec has leaves. Lists and tuples may be shapes."""
    if isinstance(spec, tuple):
        if not isinstance(shapes, (tuple, list)) or len(shapes) != len(spec):
            raise ValueError(f"{shapes!r} does not have a shape for each of {len(spec)} components")
        return [leaf for s, shape in zip(spec, shapes) for leaf in _leaves(s, shape)]
    if isinstance(spec, dict):
        if not isinstance(shapes, dict) or shapes.keys() != spec.keys():
            raise ValueError(f"{shapes!r} does not have a shape for each of the keys {sorted(spec)}")
        return [leaf for key in sorted(spec) for leaf in _leaves(spec[key], shapes[key])]
    return [shapes]


def _padding_values(spec, values, n):
    if values is None:
        return [None] * n
    if not isinstance(values, (tuple, dict)):
        return [values] * n
    if isinstance(spec, (tuple, dict)) and len(elements.flatten(values)) == n:
        return elements.flatten(values)
    raise ValueError(f"{values!r} does not have a padding value for each component")


def _vector(shape, spec):
    """(the Tensor, the static shape) for a padded shape."""
    tensor = _shape_tensor(shape)
    sizes = constant_value(tensor)
    known = TensorShape(None) if sizes is None else TensorShape([None if d < 0 else int(d) for d in sizes])
    if spec.shape.rank is not None:
        if known.rank is not None and known.rank != spec.shape.rank:
            raise ValueError(
                f"The padded shape {known} is not compatible with the shape {spec.shape} of the corresponding input "
                "component."
            )
        for wanted, given in zip(known.as_list() if known.rank is not None else (), spec.shape.as_list()):
            if wanted is not None and given is not None and wanted < given:
                raise ValueError(
                    f"The padded shape {known} is not compatible with the shape {spec.shape} of the corresponding "
                    "input component."
                )
    return tensor, known


def _shape_tensor(shape):
    try:
        as_shape = TensorShape(shape)
    except (TypeError, ValueError):
        return convert_to_tensor(shape, preferred_dtype=dtypes.int64)
    if as_shape.rank is None:
        raise ValueError("A padded shape must have a known rank")
    return convert_to_tensor(np.array([-1 if d is None else d for d in as_shape.as_list()], np.int64))


def _scalar(value, dtype):
    if value is None:
        value = "" if dtype is dtypes.string else np.zeros((), dtype.as_numpy_dtype)
        return convert_to_tensor(value, dtype)
    tensor = convert_to_tensor(value) if hasattr(value, "dtype") else convert_to_tensor(value, dtype)
    if tensor.dtype.base_dtype is not dtype:
        raise TypeError(f"A padding value of type {tensor.dtype.name} does not match a component of type {dtype.name}")
    if tensor.shape.rank not in (0, None):
        raise ValueError(f"A padding value must be a scalar, but has shape {tensor.shape}")
    return tensor
