"""What all datasets have: elements and iterators."""

from tfcore.data import elements
from tfcore.data.functions import make_factory
from tfcore.data.iterator import iterator_of
from tfcore.data.spec import dataset_of
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.cwise.select import where
from tfcore.ops.random.random import MAX_SEED, get_seed

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def derived(dataset, op_type, *inputs, spec=None, name=None, **attrs):
    """The Dataset that an op makes of another one; spec: of its elements, if they have another one."""
    spec = dataset.element_spec if spec is None else spec
    attrs = {**attrs, **elements.attributes_of(spec)}
    return dataset_of(get_op_def(op_type)(dataset.variant_tensor, *inputs, name=name, **attrs), spec, (dataset,))


def int64(value, name):
    """A Tensor for an argument of an op; None: -1."""
    return convert_to_tensor(-1 if value is None else value, dtypes.int64, name=name)


def seeds_of(seed):
    """The inputs seed and seed2 of ops, of an int, None or a tensor."""
    if isinstance(seed, Tensor):
        return _seeds_of_tensor(seed)
    seeds = get_seed(seed)
    seeds = (0, 0) if seeds == (None, None) else seeds
    return int64(seeds[0], "seed"), int64(seeds[1], "seed2")


def _seeds_of_tensor(seed):
    """As for an int of that value."""
    first, most = get_seed(0)
    second = cast(seed, dtypes.int64) % MAX_SEED
    if first == 0:  # with 0, ops would not be repeatable
        second = where(equal(second, 0), int64(most, "seed2"), second)
    return int64(first, "seed"), second


def rows_of_batch(size, drop):
    """The static number of rows of batches: known only if no batch is smaller."""
    known = constant_value(size), constant_value(drop)
    return int(known[0]) if known[0] is not None and known[1] else None


class DatasetBase:
    """What all datasets have.

    Attributes:
      variant_tensor: the Tensor that stands for the dataset.
    """

    _options = None

    def _define(self, variant_tensor, spec, inputs=()):
        """Sets what the dataset is, see `dataset_of`."""
        self.variant_tensor, self._spec, self._inputs = variant_tensor, spec, inputs

    def __repr__(self):
        return f"<Dataset shapes: {self.output_shapes}, types: {self.output_types}>"

    __str__ = __repr__

    def __bool__(self):
        return True

    def __iter__(self):
        raise RuntimeError("A dataset is iterated over in a graph: use make_one_shot_iterator().get_next().")

    @property
    def element_spec(self):
        """The structure of an element, with `TensorSpec`s as leaves; `DatasetSpec`s for datasets."""
        return self._spec

    @property
    def output_types(self):
        """The structure of an element, with `DType`s as leaves."""
        return elements.types_of(self._spec)

    @property
    def output_shapes(self):
        """The structure of an element, with `TensorShape`s as leaves."""
        return elements.shapes_of(self._spec)

    @property
    def output_classes(self):
        """The structure of an element, with classes of values as leaves."""
        return elements.classes_of(self._spec)

    # ---- Options

    def options(self):
        """What `with_options` has set, here and for the datasets that this one is made from.

        Args:
          None.

        Returns:
          A `tf.data.Options` that can't be changed.

        Raises:
          Nothing.
        """
        from tfcore.data.options import options_of

        return options_of(self._options, self._inputs)

    def with_options(self, options, name=None):
        """The same dataset with options. They have no effect, but `options` returns them.

        Args:
          options: A `tf.data.Options`.
          name: Accepted for compatibility; has no effect.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: `options` is something else.
        """
        from tfcore.data.options import Options

        made = dataset_of(self.variant_tensor, self._spec, (self,))
        made._options = Options().merge(options)
        return made

    # ---- Iterators

    def make_one_shot_iterator(self):
        """An iterator that needs no initialization.

        Args:
          None.

        Returns:
          An `Iterator`.

        Raises:
          ValueError: The dataset depends on state or a placeholder: use `make_initializable_iterator`.
        """
        try:
            factory = make_factory(lambda: self.variant_tensor)
        except ValueError as error:
            raise ValueError(
                f"A one-shot iterator can't be made of this dataset: {error} If it depends on a placeholder or on "
                "state, use Dataset.make_initializable_iterator()."
            ) from None
        handle = get_op_def("OneShotIterator")(dataset_factory=factory, **elements.attributes_of(self._spec))
        return iterator_of(handle, None, self._spec)

    def make_initializable_iterator(self, shared_name=None):
        """An iterator that has elements once its initializer has run.

        Args:
          shared_name: Name by which sessions of one task share it.

        Returns:
          An `Iterator`.

        Raises:
          Nothing.
        """
        handle = get_op_def("IteratorV2")(
            shared_name=shared_name or "", container="", **elements.attributes_of(self._spec)
        )
        initializer = get_op_def("MakeIterator")(self.variant_tensor, handle)
        return iterator_of(handle, initializer, self._spec)
