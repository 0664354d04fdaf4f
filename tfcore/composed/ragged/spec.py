"""RaggedTensorSpec: what is known of a ragged tensor before it exists."""

import numpy as np

from tfcore.composed.ragged.tensor import RaggedTensor, convert
from tfcore.composed.ragged.value import RaggedTensorValue
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.type_spec import TensorSpec, TypeSpec
from tfcore.ops.ragged.variant import RaggedTensorFromVariant, RaggedTensorToVariant


class RaggedTensorSpec(TypeSpec):
    """What is known of a `RaggedTensor`.

    Args:
      shape: Converts to a `TensorShape`; None for ragged dimensions.
      dtype: The type of the values; converts to a `DType`. None is that of `flat_values_spec`.
      ragged_rank: The number of ragged dimensions; by default all but the first one.
      row_splits_dtype: int32 or int64.
      flat_values_spec: The specification of the flat values (optional).

    Raises:
      ValueError: Neither `ragged_rank` nor the rank is known, they contradict each other, or types do.
      TypeError: `ragged_rank` is not an int.
    """

    def __init__(
        self, shape=None, dtype=dtypes.float32, ragged_rank=None, row_splits_dtype=dtypes.int64, flat_values_spec=None
    ):
        self._shape = as_shape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if flat_values_spec is None and dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        if flat_values_spec is not None and dtype not in (None, flat_values_spec.dtype):
            raise ValueError("dtype must be the same as flat_values_spec.dtype")
        self._dtype = dtypes.as_dtype(flat_values_spec.dtype if dtype is None else dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value):
        """The specification of a value.

        Args:
          value: A `RaggedTensor` or `RaggedTensorValue`.

        Returns:
          A `RaggedTensorSpec`.
        """
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def value_type(self):
        """`RaggedTensor`, or `Tensor` if there are no ragged dimensions."""
        return RaggedTensor if self._ragged_rank else Tensor

    @property
    def shape(self):
        """The static shape, a `TensorShape`."""
        return self._shape

    @property
    def dtype(self):
        """The `DType` of the values."""
        return self._dtype

    @property
    def ragged_rank(self):
        """The number of ragged dimensions, an int."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self):
        """The `DType` of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self):
        """The specification of the flat values, or None."""
        return self._flat_values_spec

    def is_compatible_with(self, spec_or_value):
        """Whether a value, or the values of another specification, may be of this type.

        Args:
          spec_or_value: A `TypeSpec`, or a value.

        Returns:
          A bool.
        """
        if self._ragged_rank == 0 and isinstance(spec_or_value, (Tensor, TensorSpec)):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self):
        parts = self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        return parts if self._flat_values_spec is None else (*parts, self._flat_values_spec)

    @property
    def _component_specs(self):
        if self._ragged_rank == 0:
            return [self._flat_values_spec or TensorSpec(self._shape, self._dtype)]
        flat = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
        rows = self._shape.as_list()[0] if self._shape.ndims else None
        outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
        inner = [TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [self._flat_values_spec or TensorSpec(flat, self._dtype), outer, *inner]

    def _to_components(self, value):
        return list(value.components()) if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components):
        flat, *splits = components
        if isinstance(flat, np.ndarray):
            return RaggedTensorValue.from_components(flat, splits)
        result = RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
        (result.set_static_shape if splits else result.set_shape)(self._shape)
        return result

    def to_variant(self, value):
        """A value as a scalar variant, which `from_variants` makes it of again.

        Args:
          value: A value of this type.

        Returns:
          A `Tensor` of type variant.

        Raises:
          ValueError: The value has another number of ragged dimensions.
        """
        value = convert(value, self._dtype)
        own = value.ragged_rank if isinstance(value, RaggedTensor) else 0
        if own != self._ragged_rank:
            raise ValueError(f"Ragged rank of value {own} does not match ragged rank of type {self._ragged_rank}.")
        splits, flat = (value.nested_row_splits, value.flat_values) if own else ([], value)
        return RaggedTensorToVariant(splits, flat, batched_input=False, Tsplits=self._row_splits_dtype)

    def from_variants(self, variants):
        """The values that a vector of variants holds, as rows of one ragged tensor.

        Args:
          variants: A vector `Tensor` of type variant.

        Returns:
          A `RaggedTensor` of one dimension more; a `Tensor` if there are no ragged dimensions in the values.
        """
        levels = self._ragged_rank + 1 if self._shape.ndims != 0 else 0
        return values_of_variants(variants, self._dtype, levels, self._row_splits_dtype)


def values_of_variants(variants, dtype, ragged_rank, row_splits_dtype, input_ragged_rank=-1):
    """The ragged tensor that a variant holds, or whose rows a vector of variants holds."""
    splits, flat = RaggedTensorFromVariant(
        variants,
        input_ragged_rank=input_ragged_rank,
        output_ragged_rank=ragged_rank,
        Tvalues=dtype,
        Tsplits=row_splits_dtype,
    )
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)
RaggedTensorValue._type_spec = property(RaggedTensorSpec.from_value)
