"""tf.data.experimental.Optional: an element that may be there or not."""

from tfcore.data import elements
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.type_spec import TensorSpec, TypeSpec


class Optional:
    """A value that may be there or not, such as the next element of an iterator that may have ended.

    Args:
      variant_tensor: The `Tensor` that stands for it.
      element_spec: The structure of the value, with `TypeSpec`s as leaves.

    Example:

    >>> iterator = tf.data.Dataset.range(1).make_one_shot_iterator()
    >>> following = tf.data.experimental.get_next_as_optional(iterator)
    >>> value = tf.cond(following.has_value(), following.get_value, lambda: tf.constant(-1, tf.int64))
    >>> with tf.Session() as sess:
    ...     print(sess.run(value), sess.run(value))
    0 -1
    """

    def __init__(self, variant_tensor, element_spec):
        self._variant_tensor, self._element_spec = variant_tensor, element_spec

    @property
    def element_spec(self):
        """The structure of the value, with `TypeSpec`s as leaves."""
        return self._element_spec

    value_structure = element_spec

    @property
    def variant_tensor(self):
        """The `Tensor` that stands for it."""
        return self._variant_tensor

    def has_value(self, name=None):
        """Whether the value is there.

        Args:
          name: A name for the operation (optional).

        Returns:
          A scalar `Tensor` of type bool.
        """
        return get_op_def("OptionalHasValue")(self._variant_tensor, name=name)

    def get_value(self, name=None):
        """The value. Running it fails with InvalidArgumentError if it is not there.

        Args:
          name: A name for the operation (optional).

        Returns:
          A structure of `Tensor`s, `SparseTensor`s and `Dataset`s.
        """
        attrs = elements.attributes_of(self._element_spec)
        op = get_op_def("OptionalGetValue")(self._variant_tensor, name=name, **attrs)
        return elements.of_tensors(self._element_spec, op)

    @staticmethod
    def from_value(value):
        """An `Optional` that has a value.

        Args:
          value: A structure of tensors, `SparseTensor`s and `Dataset`s.

        Returns:
          An `Optional`.
        """
        value = elements.to_tensors(value)
        return Optional(get_op_def("OptionalFromValue")(elements.flat_tensors(value)), elements.spec_of(value))

    @staticmethod
    def empty(element_spec):
        """An `Optional` that has no value.

        Args:
          element_spec: The structure that a value would have, with `TypeSpec`s as leaves.

        Returns:
          An `Optional`.
        """
        return Optional(get_op_def("OptionalNone")(), element_spec)

    none_from_structure = empty


class OptionalSpec(TypeSpec):
    """What is known of an `Optional`: the structure of its value.

    Args:
      element_spec: The structure, with `TypeSpec`s as leaves.
    """

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self):
        """`tf.data.experimental.Optional`."""
        return Optional

    def _serialize(self):
        return (self._element_spec,)

    @property
    def _component_specs(self):
        return TensorSpec(TensorShape([]), dtypes.variant)

    def _to_components(self, value):
        return value.variant_tensor

    def _from_components(self, components):
        return Optional(components, self._element_spec)

    @staticmethod
    def from_value(value):
        """The specification of an `Optional`.

        Args:
          value: An `Optional`.

        Returns:
          An `OptionalSpec`.
        """
        return OptionalSpec(value.element_spec)


def get_next_as_optional(iterator):
    """The next element of an iterator; there is none after the last one, instead of an error.

    Args:
      iterator: A `tf.data.Iterator`.

    Returns:
      An `Optional`.

    Raises:
      Nothing.
    """
    return iterator.get_next_as_optional()
