"""Methods of `Dataset` that choose, order and keep elements."""

import numpy as np

from tfcore.data import elements
from tfcore.data.base import derived, int64, seeds_of
from tfcore.data.spec import dataset_of
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor


class Selection:
    """Methods of `Dataset` that choose, order and keep elements."""

    def concatenate(self, dataset, name=None):
        """The elements of this dataset, then those of another one.

        Args:
          dataset: A `Dataset` of elements of the same types.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The types differ.
        """
        elements.check_same_types(self.element_spec, dataset.element_spec, "Two datasets to concatenate")
        spec = elements.common_spec(self.element_spec, dataset.element_spec)
        variant = get_op_def("ConcatenateDataset")(
            self.variant_tensor, dataset.variant_tensor, name=name, **elements.attributes_of(spec)
        )
        return dataset_of(variant, spec, (self, dataset))

    def repeat(self, count=None, name=None):
        """The elements, several times.

        Args:
          count: How often; without an end if it is None or -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return derived(self, "RepeatDataset", int64(count, "count"), name=name)

    def take(self, count, name=None):
        """The first elements.

        Args:
          count: How many; all if it is -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return derived(self, "TakeDataset", int64(count, "count"), name=name)

    def skip(self, count, name=None):
        """All but the first elements.

        Args:
          count: How many are left out; all if it is -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return derived(self, "SkipDataset", int64(count, "count"), name=name)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`-th element, beginning with element `index`: one worker's part.

        Args:
          num_shards: The number of parts.
          index: Which part, from 0.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          InvalidArgumentError: `index` is not one of the parts. (If the values are only known when the graph runs, it
            is raised then.)
        """
        shards, at = int64(num_shards, "num_shards"), int64(index, "index")
        known = constant_value(shards), constant_value(at)
        if known[0] is not None and known[0] < 1:
            raise errors.InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = {known[0]})."
            )
        if None not in known and not 0 <= known[1] < known[0]:
            raise errors.InvalidArgumentError(
                None, None, f"Index must be between 0 and {known[0] - 1} (currently index = {known[1]})."
            )
        return derived(self, "ShardDataset", shards, at, name=name)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """The elements in random order: each is taken from a buffer of the next ones.

        Args:
          buffer_size: Size of the buffer. For a uniform order it has to be as large as the dataset.
          seed: An int, or an int64 tensor; with `tf.set_random_seed` it makes the order repeatable. The order for given
            seeds is that of TensorFlow. In a function of `flat_map` or `interleave`, a random tensor gives each call an
            order of its own.
          reshuffle_each_iteration: Whether each repetition by `repeat` has an order of its own.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        reshuffles = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        return derived(
            self,
            "ShuffleDataset",
            int64(buffer_size, "buffer_size"),
            *seeds_of(seed),
            reshuffle_each_iteration=reshuffles,
            name=name,
        )

    def cache(self, filename="", name=None):
        """The elements, which are computed once and then kept in memory or in a file.

        Args:
          filename: If given, the first iterator writes them to the file `filename` + ".cache", from which later ones
            read, also in other processes. Only a whole pass leaves a file.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          AlreadyExistsError: Another iterator is writing the file (when the graph runs).
          DataLossError: The file is damaged.
        """
        return derived(self, "CacheDataset", convert_to_tensor(filename, dtypes.string, name="filename"), name=name)

    def prefetch(self, buffer_size, name=None):
        """The elements, of which some are made ahead of time by another thread.

        Args:
          buffer_size: How many are made ahead at most; -1 (`tf.data.AUTOTUNE`): as many as are needed because elements
            come in bursts, within a budget of memory (TFCORE_AUTOTUNE_BYTES).
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return derived(self, "PrefetchDataset", int64(buffer_size, "buffer_size"), name=name)

    def ignore_errors(self, log_warning=False, name=None):
        """The elements without those at which the dataset fails, for example because a file is damaged.

        Args:
          log_warning: Whether their errors are shown on standard error, numbered: the first ones, then fewer and fewer.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return derived(self, "IgnoreErrorsDataset", log_warning=log_warning, name=name)

    def enumerate(self, start=0, name=None):
        """Pairs of a number and an element.

        Args:
          start: The first number.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self.zip((self.range(start, np.iinfo(np.int64).max), self), name=name)

    def unique(self, name=None):
        """The distinct elements, in the order in which each first occurs.

        Args:
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The elements are of another type than int32, int64 and string.
        """
        for spec in elements.flatten(self.element_spec):
            if spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {spec.dtype} -- only `tf.int32`, `tf.int64`, "
                    "and `tf.string` are supported."
                )
        return derived(self, "UniqueDataset", name=name)

    def get_single_element(self, name=None):
        """The only element, without an iterator.

        Args:
          name: Name of the operation.

        Returns:
          A structure of `Tensor`s and `Dataset`s.

        Raises:
          InvalidArgumentError: There is none, or more than one (when the graph runs).
        """
        spec = self.element_spec
        found = get_op_def("DatasetToSingleElement")(self.variant_tensor, name=name, **elements.attributes_of(spec))
        return elements.of_tensors(spec, found)

    def cardinality(self, name=None):
        """The number of elements, as far as it is known without making them.

        Args:
          name: Name of the operation.

        Returns:
          A scalar `Tensor` of type int64; `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.

        Raises:
          Nothing.
        """
        return get_op_def("DatasetCardinality")(self.variant_tensor, name=name)
