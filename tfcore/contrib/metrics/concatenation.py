"""All values of a stream in one tensor."""

import math

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.slice import assign_slice
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.control import group, no_op
from tfcore.ops.cwise.binary import maximum, minimum, pow
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import ceil, log
from tfcore.ops.state.state import assign
from tfcore.variables.variable_scope import variable_scope

_GROWTH = 1.5


def _next_size(required):
    """The least power of the growth factor that is enough, so that all growing together takes linear time."""
    exponent = ceil(log(cast(required, dtypes.float32)) / math.log(_GROWTH))
    return maximum(cast(ceil(pow(_GROWTH, exponent)), dtypes.int32), required)


def _fixed_sizes(values, axis):
    """The axis as a number that is not negative, and the sizes of all other dimensions."""
    if values.dims is None:
        raise ValueError("`values` must have known statically known rank")
    rank = len(values.dims)
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis < rank:
        raise ValueError(f"axis = {axis!r} not in [0, {rank!r})")
    fixed = [size for n, size in enumerate(values.dims) if n != axis]
    if None in fixed:
        raise ValueError(
            "all dimensions of `values` other than the dimension to concatenate along must have statically known size"
        )
    return axis, fixed


@documented
def streaming_concat(values, axis=0, max_size=None, metrics_collections=None, updates_collections=None, name=None):
    """Joins the values of all batches along an axis.

    Args:
      values: A `Tensor` of any type; all dimensions but `axis` must be known.
      axis: The axis to join along.
      max_size: How many values to keep at most along the axis, the first ones; None for all.
      {names}

    Returns:
      A pair: the values so far, a `Tensor` of the type and rank of `values`; an operation that adds a batch and returns
      how many there are along the axis now.

    Raises:
      ValueError: The rank or another dimension than `axis` is not known, or `axis` is out of range.
    """
    with variable_scope(name, "streaming_concat", (values,)):
        axis, fixed = _fixed_sizes(values, axis)
        rank = len(fixed) + 1
        # The axis comes first in the variable. Only its first `size` rows are in use.
        stored = metric_variable([max_size or 0, *fixed], values.dtype, validate_shape=False, name="array")
        size = metric_variable([], dtypes.int32, name="size")
        used = stored[:size]
        used.set_shape([None, *fixed])
        back = [0 if n == axis else n + 1 if n < axis else n for n in range(rank)]
        value = array.transpose(used, back, name="concat")

        added = array.shape(values)[axis]
        if max_size is not None:
            added = minimum(added, max_size - size)
        batch = array.transpose(values, [axis, *(n for n in range(rank) if n != axis)])[:added]
        new_size = size + added

        def grow():
            free = zeros(stack([_next_size(new_size) - size, *fixed]), values.dtype)
            return group(assign(stored, concat([used, free], 0), validate_shape=False))

        grown = cond(new_size > array.shape(stored)[0], grow, no_op)
        with control_dependencies([grown]):
            appended = assign_slice(stored, slice(size, new_size), batch)
        with control_dependencies([appended]):
            update = size.assign(new_size)
        return published(value, update, metrics_collections, updates_collections)
