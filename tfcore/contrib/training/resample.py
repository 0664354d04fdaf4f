"""Resampling of a batch: each example is repeated or left out at random."""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.random.sample import random_poisson
from tfcore.ops.reduce.reduce import reduce_max, reduce_mean
from tfcore.train.optimizers.moving_averages import assign_moving_average
from tfcore.variables.variable_scope import get_local_variable, variable_scope


def resample_at_rate(inputs, rates, scope=None, seed=None, back_prop=False):
    """Repeats each example a random number of times, drawn from a Poisson distribution.

    Args:
      inputs: A list of `Tensor`s of shape [batch, ...].
      rates: A `Tensor` of shape [batch] of a floating-point type: the mean number of times.
      scope: Prefix of the names of the operations.
      seed: An int, the seed for drawing.
      back_prop: Accepted for compatibility: the numbers have no gradient.

    Returns:
      A list of `Tensor`s, with another size of the batch.

    Raises:
      TypeError: `rates` is not of a floating-point type.
    """
    with name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates, name="rates")
        counts = cast(random_poisson(rates, (), rates.dtype, seed=seed), dtypes.int32)
        positions = _repeated_range(counts)
        return [gather(x, positions) for x in inputs]


def _repeated_range(counts):
    """0 counts[0] times, then 1 counts[1] times, and so on."""
    count, most = array.size(counts), reduce_max(concat([counts, [0]], 0))
    table = array.expand_dims(range_of(count), 1) + zeros([1, most], dtypes.int32)
    return boolean_mask(table, array.expand_dims(range_of(most), 0) < array.expand_dims(counts, 1))


def weighted_resample(inputs, weights, overall_rate, scope=None, mean_decay=0.999, seed=None):
    """Repeats each example a random number of times, in proportion to its weight.

    Args:
      inputs: A list of `Tensor`s of shape [batch, ...].
      weights: A `Tensor` of shape [batch] of a floating-point type.
      overall_rate: A float: the mean number of times.
      scope: A variable scope or its name, for the local variable `estimated_mean`.
      mean_decay: A float: the decay of the moving average of the weights.
      seed: An int, the seed for drawing.

    Returns:
      The list of `Tensor`s, with another size of the batch, and the rates that their examples had.

    Raises:
      TypeError: `weights` is not of a floating-point type.
    """
    with name_scope(scope, "weighted_resample", inputs) as name:
        with variable_scope(scope, "estimate_mean", inputs):
            estimate = get_local_variable("estimated_mean", initializer=cast(0, weights.dtype), dtype=weights.dtype)
            mean = assign_moving_average(estimate, reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        found = resample_at_rate([rates, *inputs], rates, scope=name, seed=seed)
        return found[1:], found[0]
