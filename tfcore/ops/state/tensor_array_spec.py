"""TensorArraySpec: what is known of a TensorArray."""

from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.type_spec import TensorSpec, TypeSpec
from tfcore.ops.state.tensor_array import TensorArray


class TensorArraySpec(TypeSpec):
    """What is known of a `TensorArray`.

    Args:
      element_shape: The known part of the shape of the elements; converts to a `TensorShape`.
      dtype: The type of the elements; converts to a `DType`.
      dynamic_size: Whether writes past the end make the array larger.
      infer_shape: Whether all elements have the same shape.
    """

    def __init__(self, element_shape=None, dtype=dtypes.float32, dynamic_size=False, infer_shape=True):
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @classmethod
    def from_value(cls, value):
        """The specification of an array.

        Args:
          value: A `TensorArray`.

        Returns:
          A `TensorArraySpec`.

        Raises:
          TypeError: It is not a `TensorArray`.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: {type(value)}")
        return value._type_spec

    value_type = property(lambda self: TensorArray, doc="`TensorArray`.")

    def _serialize(self):
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self):
        return [TensorSpec([], dtypes.resource), TensorSpec([], dtypes.float32)]

    def _to_components(self, value):
        return [value.handle, value.flow]

    def _from_components(self, components):
        handle, flow = components
        array = TensorArray(self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape)
        array._element_shape[0] = self._element_shape
        array._dynamic_size = self._dynamic_size
        return array
