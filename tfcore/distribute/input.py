"""The input of replicas: parts of batches, or elements in turn."""

import enum

from tfcore.data.dataset import Dataset
from tfcore.data.iterator import make_initializable_iterator
from tfcore.distribute.values import regroup
from tfcore.framework import errors
from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import nest
from tfcore.ops.array import array
from tfcore.ops.array.join import split, stack


class InputReplicationMode(enum.Enum):
    """How often `make_input_fn_iterator` calls its function: `PER_WORKER`, once for each process."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """What an input function is told of its place among input pipelines.

    Args:
      num_input_pipelines: The number of pipelines.
      input_pipeline_id: The number of this pipeline.
      num_replicas_in_sync: The number of replicas that they feed.
    """

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self):
        """The number of replicas that the pipelines feed."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self):
        """The number of this pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self):
        """The number of pipelines."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size):
        """The size of the batches of one replica.

        Args:
          global_batch_size: The size of the batches of all replicas together.

        Returns:
          An int.

        Raises:
          ValueError: The number of replicas does not divide it.
        """
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync} "
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self):
        return (
            f"tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, "
            f"total: {self._num_input_pipelines})"
        )


class DistributedDataset:
    """A dataset that a strategy distributes; it makes iterators.

    Args:
      make: A function that makes an iterator.
    """

    def __init__(self, make):
        self._make = make

    def make_initializable_iterator(self):
        """An iterator over the elements for all replicas.

        Returns:
          An object with `initialize()` and `get_next()`.
        """
        return self._make()

    def make_one_shot_iterator(self):
        """Raises an error: the iterator has to be initialized.

        Raises:
          UnimplementedError: In any case.
        """
        raise errors.UnimplementedError(
            None, None, "make_one_shot_iterator of a strategy's dataset is not implemented: make_initializable_iterator"
        )

    def __iter__(self):
        raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")


class _Iterator:
    def __init__(self, strategy, dataset):
        self._strategy = strategy
        self._iterator = make_initializable_iterator(dataset)

    def initialize(self):
        """The operations that set the iterator to the beginning.

        Returns:
          A list of `Operation`s.
        """
        return [self._iterator.initializer]

    @property
    def initializer(self):
        """What `initialize` returns."""
        return self.initialize()


class SplittingIterator(_Iterator):
    """Gives each replica its part of each batch: rows in order, the first replicas one more if they can't be equal."""

    def get_next(self):
        """The next batch, as the parts of the replicas.

        Returns:
          The structure of an element, with `PerReplica` values.

        Raises:
          ValueError: A component has no batch dimension.
          UnimplementedError: A component is sparse or ragged.
        """
        element, number = self._iterator.get_next(), self._strategy.num_replicas_in_sync
        if number == 1:
            return element
        parts = [_parts(component, number) for component in nest.flatten(element)]
        return regroup([nest.pack_sequence_as(element, list(values)) for values in zip(*parts)])


def _parts(component, number):
    if not isinstance(component, Tensor):
        raise errors.UnimplementedError(
            None,
            None,
            f"Splitting {component} between replicas is not implemented: use strategy.make_input_fn_iterator, where "
            "each replica takes batches of its own.",
        )
    if component.dims == ():
        raise ValueError(f"Batches are split between replicas, but {component} of the dataset has no batch dimension")
    rows = None if component.dims is None else component.dims[0]
    if rows is not None:
        return split(component, [rows // number + (i < rows % number) for i in range(number)])
    rows = array.shape(component)[0]
    sizes = stack([(rows + number - 1 - i) // number for i in range(number)])
    return split(component, sizes, num=number)


class PerReplicaIterator(_Iterator):
    """Gives each replica an element of its own, in turn."""

    def get_next(self):
        """The next elements: one for each replica.

        Returns:
          The structure of an element, with `PerReplica` values.

        Raises:
          tf.errors.OutOfRangeError: When run: there are fewer elements left than replicas.
        """
        found, before = [], []
        for _ in range(self._strategy.num_replicas_in_sync):
            with control_dependencies(before):
                found.append(self._iterator.get_next())
            before = [nest.flatten(found[-1], expand_composites=True)[0]]
        return found[0] if len(found) == 1 else regroup(found)


class _CallingIterator:
    """Gives each replica what a function returns."""

    def __init__(self, strategy, function):
        self._strategy = strategy
        self._function = function

    def initialize(self):
        return []

    def get_next(self):
        return regroup([self._function() for _ in range(self._strategy.num_replicas_in_sync)])


def iterator_of_function(strategy, input_fn):
    """The iterator of a function of an InputContext that returns a dataset, or a function that returns elements.

    Raises:
      ValueError: It returns something else.
    """
    made = input_fn(InputContext(num_replicas_in_sync=strategy.num_replicas_in_sync))
    if isinstance(made, Dataset):
        return PerReplicaIterator(strategy, made)
    if callable(made):
        return _CallingIterator(strategy, made)
    raise ValueError("input_fn must return a tf.data.Dataset or a callable.")


def dataset_of_arrays(numpy_input):
    """A dataset of the rows of arrays."""
    return Dataset.from_tensor_slices(numpy_input)
