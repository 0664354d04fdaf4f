"""Resampling of datasets, so that classes have other frequencies."""

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.random.random import random_uniform
from tfcore.ops.reduce.reduce import reduce_max, reduce_min, reduce_sum

_ELEMENTS_PER_ESTIMATE = 32
_SEEN_AT_FIRST = 10  # of each class


def resampled(dataset, class_func, target_dist, initial_dist, seed):
    """See `Dataset.rejection_resample`.

    Elements come from the dataset itself, with a probability that is as large as can be, or from one in which elements
    are rejected, with a probability for each class.
    """
    target = _floats(target_dist)
    if initial_dist is None:
        classes = dataset.map(class_func)
        initial_ds, original = _estimates(classes, target), None
        ds = initial_ds.map(lambda initial: _acceptance(initial, target))
        acceptance_ds, original_ds = ds.map(lambda a, _: a), ds.map(lambda _, m: m)
    else:
        initial = _floats(initial_dist)
        known = constant_value(initial), constant_value(target)
        original = None if any(values is None for values in known) else np.min(known[1] / known[0])
        acceptance, m = _acceptance(initial, target)
        acceptance_ds = dataset.from_tensors(acceptance).repeat()
        original_ds = dataset.from_tensors(m).repeat()

    def with_class(*parts):
        return class_func(*parts), parts[0] if len(parts) == 1 else parts

    unchanged = dataset.map(with_class)
    if original == 1:
        return unchanged
    accepted = _accepted(dataset, acceptance_ds, with_class, seed).prefetch(3)
    if original == 0:
        return accepted
    weights = original_ds.map(lambda m: get_op_def("Pack")([m, 1 - m]))
    return dataset.sample_from_datasets([unchanged, accepted], weights, seed, stop_on_empty_dataset=True)


def _floats(values):
    return get_op_def("Cast")(convert_to_tensor(values), DstT=dtypes.float32)


def _acceptance(initial, target):
    """(the probability that an element is accepted, by class; the probability of one that need not be)."""
    ratio = target / (initial + np.finfo(np.float32).tiny)
    least = reduce_min(ratio)
    return (ratio - least) / (reduce_max(ratio) - least), least


def _estimates(classes, target):
    """The frequencies of classes so far, for each element."""

    def count(seen, batch):
        found = get_op_def("OneHot")(
            batch, get_op_def("Size")(target), convert_to_tensor(1, dtypes.int64), convert_to_tensor(0, dtypes.int64)
        )
        seen = seen + reduce_sum(found, 0)
        total = get_op_def("Cast")(reduce_sum(seen), DstT=dtypes.float64)
        share = get_op_def("Cast")(get_op_def("Cast")(seen, DstT=dtypes.float64) / total, DstT=dtypes.float32)
        rows = get_op_def("Tile")(
            get_op_def("ExpandDims")(share, convert_to_tensor(0)), convert_to_tensor([_ELEMENTS_PER_ESTIMATE, 1])
        )
        return seen, rows

    first = get_op_def("Fill")(get_op_def("Shape")(target), convert_to_tensor(_SEEN_AT_FIRST, dtypes.int64))
    return classes.batch(_ELEMENTS_PER_ESTIMATE).scan(first, count).unbatch()


def _accepted(dataset, acceptance_ds, with_class, seed):
    """Pairs of a class and an element, without those that are rejected."""

    def look_up(acceptance, element):
        number, element = with_class(*element) if type(element) is tuple else with_class(element)
        return number, gather(acceptance, number), element

    pairs = dataset.zip((acceptance_ds, dataset)).map(look_up)
    kept = pairs.filter(lambda _, p, element: random_uniform([], seed=seed, dtype=p.dtype) < p)
    return kept.map(lambda number, _, element: (number, element))
