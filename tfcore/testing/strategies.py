"""Strategies for examples: element types, shapes, axes, arrays with difficult values, whole calls of an op."""

from tfcore.testing.arrays import (
    TYPES,
    arrays,
    axis,
    axis_sets,
    broadcastable_shapes,
    dtypes,
    shapes,
    sizes,
    special_values,
)
from tfcore.testing.calls import op_calls

__all__ = [
    "TYPES", "arrays", "axis", "axis_sets", "broadcastable_shapes", "dtypes", "op_calls", "shapes", "sizes",
    "special_values",
]  # fmt: skip
