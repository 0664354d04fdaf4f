"""The leaves of elements: Tensors, SparseTensors and Datasets, each of which one Tensor stands for.

A SparseTensor travels as the three strings of SerializeSparse: kernels batch, shuffle and save them like any tensor.
"""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.type_spec import SparseTensorSpec, TensorSpec, TypeSpec

_class_of_datasets = []  # of those that `dataset_of` makes; `dataset.py` appends it


def makes_datasets(cls):
    """A decorator of the class of the datasets that `dataset_of` makes."""
    _class_of_datasets.append(cls)
    return cls


def dataset_of(variant_tensor, spec, inputs=()):
    """The Dataset that a Tensor of type variant stands for.

    Args:
      spec: of its elements. inputs: the Datasets that it is made from, whose options it has.
    """
    cls = _class_of_datasets[0]
    made = cls.__new__(cls)
    made._define(variant_tensor, spec, inputs)
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
    """The TypeSpec of a leaf."""
    if is_dataset(value):
        return DatasetSpec(value.element_spec)
    kind = SparseTensorSpec if isinstance(value, SparseTensor) else TensorSpec
    return kind(value.shape, value.dtype.base_dtype)


def tensor_of(leaf):
    """The Tensor that stands for a leaf."""
    if is_dataset(leaf):
        return leaf.variant_tensor
    if isinstance(leaf, SparseTensor):
        return get_op_def("SerializeSparse")(leaf.indices, leaf.values, leaf.dense_shape)
    return leaf


def rows_of(leaf):
    """The same for a leaf whose rows are going to be elements: the first dimension is the number of rows."""
    if isinstance(leaf, SparseTensor):
        return get_op_def("SerializeManySparse")(leaf.indices, leaf.values, leaf.dense_shape)
    return tensor_of(leaf)


def leaf_of(spec, tensor):
    """The leaf that a Tensor stands for."""
    if not isinstance(spec, SparseTensorSpec):
        return spec.from_tensors([tensor])
    indices, values, dense_shape = get_op_def("DeserializeSparse")(tensor, dtype=spec.dtype)
    rank = spec.shape.rank
    indices.set_shape([None, rank])
    dense_shape.set_shape([rank])
    made = SparseTensor(indices, values, dense_shape)
    made.set_shape(spec.shape)
    return made


def tensor_spec_of(spec):
    """The TensorSpec of the Tensor that stands for a leaf."""
    if isinstance(spec, SparseTensorSpec):
        return TensorSpec(None, dtypes.string)  # [3] in an element, [rows, 3] in a batch
    return TensorSpec(spec.shape, spec.dtype)
