"""Datasets as values: what is known of a dataset that is a component of an element."""

from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.type_spec import TensorSpec, TypeSpec

_class_of_datasets = []  # of those that `dataset_of` makes; `dataset.py` appends it


def makes_datasets(cls):
    """A decorator of the class of the datasets that `dataset_of` makes."""
    _class_of_datasets.append(cls)
    return cls


def dataset_of(variant_tensor, spec):
    """The Dataset that a Tensor of type variant stands for; spec: of its elements."""
    cls = _class_of_datasets[0]
    made = cls.__new__(cls)
    made.become(variant_tensor, spec)
    return made


class DatasetSpec(TypeSpec):
    """What is known of a `tf.data.Dataset`: the structure of its elements.

    Args:
      element_spec: The structure of an element, with `TypeSpec`s as leaves.
      dataset_shape: The shape of a `Tensor` of datasets: a scalar.

    Raises:
      NotImplementedError: It is another shape.

    Example:

    >>> tf.data.Dataset.range(6).window(2).element_spec
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec, self._shape = element_spec, TensorShape(dataset_shape)
        if self._shape.rank != 0:
            raise NotImplementedError("Batching for `tf.data.Dataset` objects")

    @property
    def element_spec(self):
        """The structure of an element of the dataset."""
        return self._element_spec

    @property
    def shape(self):
        """That of the `Tensor` that stands for the dataset."""
        return self._shape

    @property
    def dtype(self):
        """That of the `Tensor` that stands for the dataset."""
        return dtypes.variant

    @property
    def value_type(self):
        """`tf.data.Dataset`."""
        return _class_of_datasets[0]

    def _serialize(self):
        return self._element_spec, self._shape

    @property
    def _component_specs(self):
        return TensorSpec(self._shape, dtypes.variant)

    def _to_components(self, value):
        return value.variant_tensor

    def _from_components(self, components):
        return dataset_of(components, self._element_spec)


def is_dataset(value):
    """Whether a value is a dataset."""
    return isinstance(value, _class_of_datasets[0])


def spec_of_value(value):
    """The TypeSpec of a Tensor or Dataset."""
    return DatasetSpec(value.element_spec) if is_dataset(value) else TensorSpec(value.shape, value.dtype.base_dtype)
