"""Type specifications: what is known of a value before it exists. TensorSpec, SparseTensorSpec and others."""

import abc

import numpy as np

from tfcore.framework.definitions.shapes import broadcast_dims
from tfcore.framework.graph.operation import Tensor, is_dense_tensor_like
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape, as_dims
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue


class TypeSpec(abc.ABC):
    """Base class: what is known of the type of a value.

    A subclass has `value_type` (the class of the values), `_serialize()` (a tuple of what makes specs equal, also the
    arguments of the constructor), and for values made of tensors `_component_specs`, `_to_components(value)` and
    `_from_components(components)`.
    """

    @property
    @abc.abstractmethod
    def value_type(self):
        """The class of the values that the specification describes."""

    @abc.abstractmethod
    def _serialize(self):
        """The constructor's arguments, as a tuple."""

    @property
    @abc.abstractmethod
    def _component_specs(self):
        """A nested structure of `TensorSpec`s: those of the tensors that a value consists of."""

    @abc.abstractmethod
    def _to_components(self, value):
        """The tensors of a value, nested as `_component_specs`."""

    @abc.abstractmethod
    def _from_components(self, components):
        """The value made of these tensors."""

    def is_compatible_with(self, spec_or_value):
        """Whether a value, or the values of another specification, may be of this type.

        Args:
          spec_or_value: A `TypeSpec`, or a value.

        Returns:
          A bool.
        """
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            try:
                other = type_spec_from_value(other)
            except TypeError:
                return False
        return type(self) is type(other) and _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other):
        """Whether all values of this type are of the other type, too.

        Args:
          other: A `TypeSpec`.

        Returns:
          A bool.
        """
        return type(self) is type(other) and _subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others):
        """The narrowest type that has the values of this type and of others.

        Args:
          others: A sequence of `TypeSpec`s.

        Returns:
          A `TypeSpec`, or None if there is no such type.
        """
        if any(type(other) is not type(self) for other in others):
            return None
        parts = self._serialize()
        for other in others:
            try:
                parts = _common(parts, other._serialize())
            except ValueError:
                return None
        return self._deserialize(parts)

    def most_specific_compatible_type(self, other):
        """The narrowest type that has the values of both types. Old form of `most_specific_common_supertype`.

        Args:
          other: A `TypeSpec`.

        Returns:
          A `TypeSpec`.

        Raises:
          ValueError: There is no such type.
        """
        result = self.most_specific_common_supertype([other])
        if result is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return result

    @classmethod
    def _deserialize(cls, parts):
        return cls(*parts)

    def flatten(self):
        """The specifications of the tensors that a value consists of.

        Returns:
          A list of `TensorSpec`s.
        """
        return [part for spec in nest.flatten(self._component_specs) for part in spec.flatten()]

    def to_tensors(self, value):
        """The tensors that a value consists of.

        Args:
          value: A value of this type.

        Returns:
          A list of `Tensor`s, in the order of `flatten`.
        """
        return nest.flatten(self._to_components(value))

    def from_tensors(self, tensors):
        """The value made of tensors.

        Args:
          tensors: An iterable of `Tensor`s, in the order of `flatten`.

        Returns:
          A value of this type.
        """
        return self._from_components(nest.pack_sequence_as(self._component_specs, list(tensors)))

    def __eq__(self, other):
        return type(self) is type(other) and _comparable(self._serialize()) == _comparable(other._serialize())

    def __hash__(self):
        return hash((type(self), _comparable(self._serialize())))

    def __reduce__(self):
        return type(self)._deserialize, (self._serialize(),)

    def __repr__(self):
        return f"{type(self).__name__}{self._serialize()!r}"


class TensorSpec(TypeSpec):
    """What is known of a `Tensor`: its shape and type, and a name.

    Args:
      shape: Converts to a `TensorShape`.
      dtype: Converts to a `DType`.
      name: A name (optional).

    Raises:
      TypeError: `shape` or `dtype` does not convert.

    Example:

    >>> spec = tf.TensorSpec([None, 3], tf.float32)
    >>> spec.is_compatible_with(tf.zeros([2, 3])), spec.is_compatible_with(tf.zeros([2, 4]))
    (True, False)
    """

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        """A specification with the shape and type of another one.

        Args:
          spec: A `TypeSpec` with a shape and a type.
          name: The name; that of `spec` by default.

        Returns:
          A `TensorSpec`.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The specification of a tensor.

        Args:
          tensor: A `Tensor`.
          name: The name; that of the tensor's operation by default.

        Returns:
          A `TensorSpec`.

        Raises:
          ValueError: It is not a `Tensor`.
        """
        if not is_dense_tensor_like(tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    value_type = property(lambda self: Tensor, doc="`Tensor`.")

    @property
    def shape(self):
        """The static shape, a `TensorShape`."""
        return self._shape

    @property
    def dtype(self):
        """The `DType` of the elements."""
        return self._dtype

    @property
    def name(self):
        """The name, or None."""
        return self._name

    def is_compatible_with(self, spec_or_tensor):
        """Whether a tensor, or those of another specification, may have this type and shape.

        Args:
          spec_or_tensor: A `TensorSpec` or `Tensor`. All else is not compatible.

        Returns:
          A bool.
        """
        return (
            isinstance(spec_or_tensor, (TensorSpec, Tensor))
            and self._dtype.is_compatible_with(spec_or_tensor.dtype)
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other):
        """Whether all tensors of this type are of the other type, too; a name must be the other's.

        Args:
          other: A `TypeSpec`.

        Returns:
          A bool.
        """
        return (
            isinstance(other, TensorSpec)
            and (not self._name or self._name == other.name)
            and _subtype((self._shape, self._dtype), (other.shape, other.dtype))
        )

    def flatten(self):
        """The specification itself.

        Returns:
          A list with this `TensorSpec`.
        """
        return [self]

    def cast(self, value, casting_context=None):
        """Converts a value to a tensor of this type.

        Args:
          value: A value that converts to a `Tensor`.
          casting_context: Accepted for compatibility.

        Returns:
          A `Tensor`.

        Raises:
          TypeError: The value converts to a tensor of another type or shape.
        """
        tensor = convert_to_tensor(value, self._dtype if not is_dense_tensor_like(value) else None)
        if not self.is_compatible_with(tensor):
            raise TypeError(f"Can not cast {tensor} to {self!r}")
        return tensor

    def _serialize(self):
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self):
        return self

    def _to_components(self, value):
        return self.cast(value)

    def _from_components(self, components):
        return components

    def __repr__(self):
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """A `TensorSpec` with the least and greatest value of each element.

    Args:
      shape: Converts to a `TensorShape`.
      dtype: Converts to a `DType`.
      minimum: A number or array that broadcasts to the shape. It is itself allowed.
      maximum: A number or array that broadcasts to the shape. It is itself allowed.
      name: A name (optional).

    Raises:
      ValueError: A bound is None, or does not broadcast to the shape.
    """

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which, value):
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        try:
            broadcast_dims(np.shape(value), as_dims(self._shape))
        except ValueError as error:
            raise ValueError(f"`{which}` {value} is not compatible with shape {self._shape}.") from error
        bound = np.array(value, self._dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec):
        """A specification with the shape and type of another one; the bounds are its own, or those of the type.

        Args:
          spec: A `TensorSpec`.

        Returns:
          A `BoundedTensorSpec`.
        """
        minimum = getattr(spec, "minimum", spec.dtype.min)
        return cls(spec.shape, spec.dtype, minimum, getattr(spec, "maximum", spec.dtype.max), spec.name)

    @property
    def minimum(self):
        """The least values, a read-only NumPy array."""
        return self._minimum

    @property
    def maximum(self):
        """The greatest values, a read-only NumPy array."""
        return self._maximum

    def _serialize(self):
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __repr__(self):
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


class SparseTensorSpec(TypeSpec):
    """What is known of a `SparseTensor`.

    Args:
      shape: The dense shape; converts to a `TensorShape`.
      dtype: The type of the values; converts to a `DType`.
    """

    def __init__(self, shape=None, dtype=dtypes.float32):
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value):
        """The specification of a value.

        Args:
          value: A `SparseTensor` or `SparseTensorValue`.

        Returns:
          A `SparseTensorSpec`.

        Raises:
          TypeError: The value is neither.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            return cls(np.asarray(value.dense_shape).tolist(), np.asarray(value.values).dtype)
        raise TypeError(
            f"Expected SparseTensor or SparseTensorValue. Received: {value} of type {type(value).__name__}."
        )

    value_type = property(lambda self: SparseTensor, doc="`SparseTensor`.")

    @property
    def shape(self):
        """The dense shape, a `TensorShape`."""
        return self._shape

    @property
    def dtype(self):
        """The `DType` of the values."""
        return self._dtype

    def _serialize(self):
        return self._shape, self._dtype

    @property
    def _component_specs(self):
        rank = self._shape.ndims
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value):
        value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components):
        result = SparseTensor(*components)
        result.set_shape(self._shape)
        return result


class IndexedSlicesSpec(TypeSpec):
    """What is known of an `IndexedSlices`.

    Args:
      shape: The dense shape; converts to a `TensorShape`.
      dtype: The type of the values.
      indices_dtype: The type of the indices, `tf.int32` or `tf.int64`.
      dense_shape_dtype: The type of `dense_shape`, `tf.int32` or `tf.int64`; None if there is no `dense_shape`.
      indices_shape: The shape of the indices, of one dimension (optional).
    """

    def __init__(
        self, shape=None, dtype=dtypes.float32, indices_dtype=dtypes.int64, dense_shape_dtype=None, indices_shape=None
    ):
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @classmethod
    def from_value(cls, value):
        """The specification of a value.

        Args:
          value: An `IndexedSlices`.

        Returns:
          An `IndexedSlicesSpec`.
        """
        if value.dense_shape is None:
            shape, shape_dtype = TensorShape([None]).concatenate(value.values.shape[1:]), None
        else:
            shape, shape_dtype = value.shape, value.dense_shape.dtype
        return cls(shape, value.dtype, value.indices.dtype, shape_dtype, value.indices.shape)

    value_type = property(lambda self: IndexedSlices, doc="`IndexedSlices`.")

    def _serialize(self):
        return self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self):
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = [TensorSpec(values, self._dtype), TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.ndims], self._dense_shape_dtype))
        return specs

    def _to_components(self, value):
        return list(value.components())

    def _from_components(self, components):
        return IndexedSlices(*components)


class NoneTensorSpec(TypeSpec):
    """The type of None."""

    value_type = property(lambda self: type(None), doc="The class of None.")

    @classmethod
    def from_value(cls, value):
        """The specification of None.

        Args:
          value: None.

        Returns:
          A `NoneTensorSpec`.
        """
        return cls()

    def is_compatible_with(self, spec_or_value):
        """Whether a value is None, or a specification that of None.

        Args:
          spec_or_value: A `TypeSpec`, or a value.

        Returns:
          A bool.
        """
        return spec_or_value is None or self == spec_or_value

    def _serialize(self):
        return ()

    @property
    def _component_specs(self):
        return []

    def _to_components(self, value):
        return []

    def _from_components(self, components):
        return None


def type_spec_from_value(value):
    """The specification of a value.

    Args:
      value: A `Tensor`, `Variable`, `SparseTensor`, `IndexedSlices` or `TensorArray`, None, or a number or array that
        converts to a `Tensor`.

    Returns:
      A `TypeSpec`.

    Raises:
      TypeError: The value is of another kind.

    Example:

    >>> tf.type_spec_from_value(tf.constant([1, 2], name="x"))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if value is None:
        return NoneTensorSpec()
    if is_dense_tensor_like(value):
        return TensorSpec(value.shape, value.dtype.base_dtype)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, IndexedSlices):
        return IndexedSlicesSpec.from_value(value)
    spec = getattr(value, "_type_spec", None)  # other classes say it themselves
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)):
        try:
            array = np.asarray(value)
            return TensorSpec(array.shape, convert_to_tensor(value).dtype)
        except (ValueError, TypeError):
            pass
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")


def _compatible(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_compatible, a, b))
    if isinstance(a, (TensorShape, dtypes.DType, TypeSpec)):
        return type(a) is type(b) and a.is_compatible_with(b)
    return _comparable(a) == _comparable(b)


def _subtype(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_subtype, a, b))
    if isinstance(a, TensorShape):
        if as_dims(b) is None:
            return True
        return a.ndims == b.ndims and all(n in (None, m) for m, n in zip(as_dims(a), as_dims(b)))
    if isinstance(a, TypeSpec):
        return a.is_subtype_of(b)
    return _comparable(a) == _comparable(b)


def _common(a, b):
    """The parts of the narrowest common supertype. Raises ValueError if there is none."""
    if isinstance(a, (tuple, list)):
        if len(a) != len(b):
            raise ValueError
        return type(a)(map(_common, a, b))
    if isinstance(a, TensorShape):
        return a.most_specific_compatible_shape(b)
    if isinstance(a, TypeSpec):
        return a.most_specific_compatible_type(b)
    if _comparable(a) != _comparable(b):
        raise ValueError
    return a


def _comparable(value):
    """A value that can be compared and hashed."""
    if isinstance(value, (tuple, list)):
        return tuple(map(_comparable, value))
    if isinstance(value, TensorShape):
        return as_dims(value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value
