"""Static methods of `Dataset` that choose between datasets, and random numbers."""

import functools

from tfcore.data import elements
from tfcore.data.base import seeds_of
from tfcore.data.spec import dataset_of, is_dataset
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


class Choices:
    """Static methods of `Dataset` that choose between datasets, and random numbers."""

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None):
        """Random numbers from 0 to 2**32 - 1, without an end.

        Args:
          seed: An int; with `tf.set_random_seed` it makes the numbers repeatable. They are those of TensorFlow.
          rerandomize_each_iteration: Whether each iteration has different numbers.
          name: Name of the operation.

        Returns:
          A `Dataset` of scalars of type int64.

        Raises:
          Nothing.
        """
        spec = elements.INT64
        arguments = {"name": name, **elements.attributes_of(spec)}
        if rerandomize_each_iteration:
            generator = get_op_def("DummySeedGenerator")()
            arguments["rerandomize_each_iteration"] = True
            return dataset_of(get_op_def("RandomDatasetV2")(*seeds_of(seed), generator, **arguments), spec)
        return dataset_of(get_op_def("RandomDataset")(*seeds_of(seed), **arguments), spec)

    @staticmethod
    def sample_from_datasets(
        datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None
    ):
        """Elements of datasets that are chosen at random.

        Args:
          datasets: A list of `Dataset`s whose elements have the same types.
          weights: The probability of each dataset: a list or `Tensor` of floats, or a `Dataset` of such vectors, one
            for each element. All are the same by default.
          seed: An int; with `tf.set_random_seed` it makes the choices repeatable. They are those of TensorFlow.
          stop_on_empty_dataset: Whether it ends when a dataset that has ended is chosen; otherwise such choices are
            left out.
          rerandomize_each_iteration: Whether each iteration makes different choices.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: There are no datasets, or another number of weights.
          TypeError: The datasets' types differ, or weights are neither float32 nor float64.
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        datasets = list(datasets)
        seeds = Choices.random(seed, rerandomize_each_iteration).batch(2)
        if is_dataset(weights):
            pairs = datasets[0].zip((weights.map(lambda p: _row(get_op_def("Log")(p))), seeds))
            return _directed(pairs.map(_draw), datasets, stop_on_empty_dataset)
        if weights is None:
            logits = convert_to_tensor([[1.0] * len(datasets)])
        else:
            datasets, weights = _checked_weights(datasets, weights)
            logits = _row(get_op_def("Log")(weights))
        if len(datasets) == 1:
            return datasets[0]
        return _directed(seeds.map(functools.partial(_draw, logits)), datasets, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        """Elements of datasets that a dataset of numbers chooses.

        Args:
          datasets: A list of `Dataset`s whose elements have the same types.
          choice_dataset: A `Dataset` of int64 scalars: the dataset that is next, from 0.
          stop_on_empty_dataset: Whether it ends when a dataset that has ended is chosen; otherwise such choices are
            left out.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: There are no datasets.
          TypeError: The datasets' types differ, or `choice_dataset` has other elements.
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not is_dataset(choice_dataset):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        if not elements.is_scalar(choice_dataset.element_spec, dtypes.int64):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choice_dataset.element_spec}."
            )
        return _directed(choice_dataset, list(datasets), stop_on_empty_dataset)


def _row(vector):
    return get_op_def("ExpandDims")(vector, convert_to_tensor(0))


def _draw(logits, seed):
    """The number of a dataset, by the logits of all."""
    drawn = get_op_def("StatelessMultinomial")(logits, convert_to_tensor(1), seed)
    return get_op_def("Squeeze")(drawn, axis=[0, 1])


def _checked_weights(datasets, weights):
    """(datasets, Tensor), without those whose known weight is 0."""
    if isinstance(weights, Tensor):
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                f"{weights.shape}."
            )
    else:
        if len(datasets) != len(weights):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got `len(weights)="
                f"{len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        chosen = [(dataset, weight) for dataset, weight in zip(datasets, weights) if weight > 0]
        datasets, weights = zip(*chosen) if chosen else ([datasets[0].take(0)], [1.0])
        weights = convert_to_tensor(list(weights), name="weights")
    if weights.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {weights.dtype}."
        )
    return list(datasets), weights


def _directed(choice, datasets, stop_on_empty_dataset):
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:], 1):
        try:
            elements.check_same_types(spec, dataset.element_spec, "The datasets")
        except TypeError as error:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                f"{datasets[0].element_spec}.\nDataset {i} element_spec={dataset.element_spec}."
            ) from error
        spec = elements.common_spec(spec, dataset.element_spec)
    variant = get_op_def("DirectedInterleaveDataset")(
        choice.variant_tensor,
        [d.variant_tensor for d in datasets],
        stop_on_empty_dataset=bool(stop_on_empty_dataset),
        **elements.attributes_of(spec),
    )
    return dataset_of(variant, spec, (choice, *datasets))
