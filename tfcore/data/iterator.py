"""tf.data.Iterator: gives the elements of a dataset to steps."""

from tfcore.data import elements
from tfcore.data.optional import Optional
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor

ITERATORS = "iterators"  # the collection of the handles of a graph's iterators


class Iterator:
    """Gives the elements of a dataset, one with each step.

    Args:
      iterator_resource: The handle, a `Tensor` of type `tf.resource`.
      initializer: The `Operation` that sets it to the beginning of a dataset, or None.
      output_types: The structure of an element, with `DType`s as leaves.
      output_shapes: The same with shapes.
      output_classes: The same with classes.

    Raises:
      Nothing.
    """

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
        self._handle, self._initializer = iterator_resource, initializer
        self._element_spec = elements.make_spec(output_types, output_shapes, output_classes)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator without a dataset: `make_initializer` gives it one.

        Args:
          output_types: The structure of an element, with `DType`s as leaves.
          output_shapes: The same with shapes; unknown by default.
          shared_name: Name by which sessions of one task share it.
          output_classes: The same with `tf.Tensor` and `tf.SparseTensor`; all are tensors by default.

        Returns:
          An `Iterator`.

        Raises:
          ValueError: Types and shapes have different structures.
        """
        spec = elements.make_spec(output_types, output_shapes, output_classes)
        handle = get_op_def("IteratorV2")(shared_name=shared_name or "", container="", **elements.attributes_of(spec))
        return iterator_of(handle, None, spec)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator that a string stands for, which may be fed.

        Args:
          string_handle: A scalar string, from `string_handle`.
          output_types: The structure of an element, with `DType`s as leaves.
          output_shapes: The same with shapes; unknown by default.
          output_classes: The same with `tf.Tensor` and `tf.SparseTensor`; all are tensors by default.

        Returns:
          An `Iterator`.

        Raises:
          ValueError: Types and shapes have different structures.
        """
        spec = elements.make_spec(output_types, output_shapes, output_classes)
        handle = get_op_def("IteratorFromStringHandleV2")(
            convert_to_tensor(string_handle, dtypes.string), **elements.attributes_of(spec)
        )
        return iterator_of(handle, None, spec)

    @property
    def initializer(self):
        """The `Operation` that sets the iterator to the beginning of its dataset.

        Raises:
          ValueError: It needs no initializer, or has no dataset of its own.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """The operation that sets the iterator to the beginning of a dataset.

        Args:
          dataset: A `Dataset` whose elements have the iterator's types, and shapes that fit.
          name: Name of the operation.

        Returns:
          An `Operation`.

        Raises:
          TypeError: The types, or shapes, do not fit.
        """
        elements.check_same_types(self._element_spec, dataset.element_spec, "The iterator and the dataset")
        for own, other in zip(elements.flatten(self._element_spec), elements.flatten(dataset.element_spec)):
            if not own.shape.is_compatible_with(other.shape):
                raise TypeError(
                    f"Expected output shapes compatible with {self.output_shapes} but got dataset with output shapes "
                    f"{dataset.output_shapes}."
                )
        return get_op_def("MakeIterator")(dataset.variant_tensor, self._handle, name=name)

    def get_next(self, name=None):
        """The next element. Each run of its tensors takes one. After the last, runs fail with `OutOfRangeError`.

        Args:
          name: Name of the operation.

        Returns:
          A structure of `Tensor`s, `SparseTensor`s and `Dataset`s.

        Raises:
          Nothing.
        """
        op = get_op_def("IteratorGetNext")(self._handle, name=name, **elements.attributes_of(self._element_spec))
        return elements.of_tensors(self._element_spec, op)

    def get_next_as_optional(self, name=None):
        """The next element as a `tf.data.experimental.Optional`, which has no value after the last one.

        Args:
          name: Name of the operation.

        Returns:
          An `Optional`.

        Raises:
          Nothing.
        """
        attrs = elements.attributes_of(self._element_spec)
        optional = get_op_def("IteratorGetNextAsOptional")(self._handle, name=name, **attrs)
        return Optional(optional, self._element_spec)

    def string_handle(self, name=None):
        """A string that stands for the iterator, to be fed to `from_string_handle`.

        Args:
          name: Name of the operation.

        Returns:
          A scalar `Tensor` of type string.

        Raises:
          Nothing.
        """
        return get_op_def("IteratorToStringHandle")(self._handle, name=name)

    def statistics(self, name=None):
        """How full the pipeline is, see `tf.summary.input_pipeline`.

        Args:
          name: Name of the operation.

        Returns:
          Two scalar `Tensor`s of type float32: how full the buffer of the last stage with threads of its own is, from
          0 to 1, and the total time in seconds that steps have spent getting elements.

        Raises:
          Nothing.
        """
        return get_op_def("_IteratorStatistics")(self._handle, name=name)

    @property
    def element_spec(self):
        """The structure of an element, with `TensorSpec`s as leaves."""
        return self._element_spec

    @property
    def output_types(self):
        """The structure of an element, with `DType`s as leaves."""
        return elements.types_of(self._element_spec)

    @property
    def output_shapes(self):
        """The structure of an element, with `TensorShape`s as leaves."""
        return elements.shapes_of(self._element_spec)

    @property
    def output_classes(self):
        """The structure of an element, with classes of values as leaves."""
        return elements.classes_of(self._element_spec)


def iterator_of(handle, initializer, spec):
    """The Iterator of a handle, whose elements have a spec; initializer: its Operation, or None."""
    if handle.op.type != "IteratorFromStringHandleV2":  # that is another one's
        handle.graph.add_to_collection(ITERATORS, handle)
    made = Iterator.__new__(Iterator)
    made._handle, made._initializer, made._element_spec = handle, initializer, spec
    return made


def make_one_shot_iterator(dataset):
    """An iterator that needs no initialization, see `Dataset.make_one_shot_iterator`.

    Args:
      dataset: A `Dataset`.

    Returns:
      An `Iterator`.

    Raises:
      ValueError: The dataset depends on state or a placeholder.
    """
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that has elements once its initializer has run.

    Args:
      dataset: A `Dataset`.
      shared_name: Name by which sessions of one task share it.

    Returns:
      An `Iterator`.

    Raises:
      Nothing.
    """
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    """The structure of an element, with `DType`s as leaves.

    Args:
      dataset_or_iterator: A `Dataset` or `Iterator`.

    Returns:
      A structure of `DType`s.

    Raises:
      Nothing.
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    """The structure of an element, with `TensorShape`s as leaves.

    Args:
      dataset_or_iterator: A `Dataset` or `Iterator`.

    Returns:
      A structure of `TensorShape`s.

    Raises:
      Nothing.
    """
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    """The structure of an element, with classes of values as leaves.

    Args:
      dataset_or_iterator: A `Dataset` or `Iterator`.

    Returns:
      A structure of classes.

    Raises:
      Nothing.
    """
    return dataset_or_iterator.output_classes
