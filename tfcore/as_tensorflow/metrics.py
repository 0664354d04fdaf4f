"""tensorflow.python.ops.metrics_impl: what metrics outside of TensorFlow use of it."""

from tfcore.metrics.parts import add_to
from tfcore.metrics.thresholds import count_probabilities
from tfcore.ops.array.array import identity


def aggregate_variable(v, collections):
    """The value of a variable, which joins collections. Here there is only one replica."""
    value = identity(v)
    add_to(collections, value)
    return value


def confusion_matrix_at_thresholds(labels, predictions, thresholds, weights=None, includes=None):
    """Variables with the counts "tp", "fn", "tn", "fp" at each threshold, and their updates, as two dicts."""
    known = ("tp", "fn", "tn", "fp")
    for include in includes or ():
        if include not in known:
            raise ValueError(f"Invalid key: {include}")
    return count_probabilities(labels, predictions, thresholds, weights, tuple(includes or known))
