"""Statistics of samples, and moving averages of mean and variance."""

from tfcore.distributions import util
from tfcore.framework.graph.default_graph import GraphKeys, colocate_with
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, shape, transpose
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import complex as complex_of
from tfcore.ops.cwise.complex import conj, real
from tfcore.ops.cwise.unary import ceil, floor, log, log1p, square
from tfcore.ops.cwise.unary import round as round_of
from tfcore.ops.debugging import check
from tfcore.ops.linalg.fft import fft, ifft
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_mean
from tfcore.ops.reduce.sort import top_k
from tfcore.ops.state.state import assign_add, assign_sub
from tfcore.variables.initializers import zeros_initializer
from tfcore.variables.variable_scope import get_variable, variable_scope

# ---- Samples


def auto_correlation(x, axis=-1, max_lags=None, center=True, normalize=True, name="auto_correlation"):
    """The means of the products of elements of a series with those some steps later.

    Args:
      x: A `Tensor` of floating-point or complex numbers, of a known rank.
      axis: The dimension of the series.
      max_lags: The greatest number of steps, an int; by default the length of the series less 1.
      center: Whether the mean is subtracted first.
      normalize: Whether results are divided by that of 0 steps.
      name: Name of the scope.

    Returns:
      A `Tensor` of the shape of `x`, with max_lags + 1 elements along `axis`.

    Raises:
      TypeError: `x` has another type.

    Example:

    >>> print(sess.run(tf.contrib.distributions.auto_correlation([1.0, -1.0, 1.0, -1.0])).round(3))
    [ 1. -1.  1. -1.]
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if not (x.dtype.is_floating or x.dtype.is_complex):
            raise TypeError(f"auto_correlation takes floating-point or complex numbers, not {x.dtype.name}")
        rank = x.shape.ndims
        axis %= rank
        order = [*(i for i in range(rank) if i != axis), axis]
        x = transpose(x, order)
        x = x - reduce_mean(x, -1, keepdims=True) if center else x
        known = x.shape.as_list()[-1]
        n = shape(x)[-1] if known is None else known
        count = n if max_lags is None else max_lags + 1
        padded = concat([x, zeros_like(x)], -1)
        spectrum = fft(padded if x.dtype.is_complex else complex_of(padded, zeros_like(padded)))
        product = ifft(spectrum * conj(spectrum))
        product = product if x.dtype.is_complex else real(product)
        terms = n - range_of(count)
        result = product[..., :count] / cast(terms, x.dtype)
        result = result / result[..., :1] if normalize else result
        result = transpose(result, [order.index(i) for i in range(rank)])
        sizes = [x.shape.as_list()[order.index(i)] for i in range(rank)]
        sizes[axis] = count if isinstance(count, int) else None
        result.set_shape(sizes)
        return result


_INDEX = {"lower": ceil, "higher": floor, "nearest": round_of}


def percentile(x, q, axis=None, interpolation=None, keep_dims=False, validate_args=False, name=None):
    """The element below which a percentage of all elements is.

    Args:
      x: A floating-point `Tensor` with at least one dimension.
      q: The percentage, a scalar from 0 to 100.
      axis: The dimensions over which it is taken, an int or a list; by default all.
      interpolation: "lower", "higher" or "nearest" (the default): which one if it is between two elements.
      keep_dims: Whether these dimensions are kept, with size 1.
      validate_args: Whether `q` is checked in each run.
      name: Name of the scope.

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      ValueError: `interpolation` is another string, `axis` is out of range or not known, or a rank does not fit.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `q` is not from 0 to 100.

    Example:

    >>> print(sess.run(tf.contrib.distributions.percentile([1.0, 2.0, 3.0, 4.0], 30.0)))
    2.0
    """
    interpolation = "nearest" if interpolation is None else interpolation
    if interpolation not in _INDEX:
        raise ValueError(f"Argument 'interpolation' must be in {set(_INDEX)}.  Found {interpolation}")
    with name_scope(name, "percentile", values=[x, q]):
        x, q = convert_to_tensor(x, name="x"), cast(q, dtypes.float32, name="q")
        if q.shape.ndims not in (None, 0):
            raise ValueError(f"Expected argument 'q' to have ndims 0.  Found tensor {q}")
        if validate_args:
            q = with_dependencies([check.assert_greater_equal(q, 0.0), check.assert_less_equal(q, 100.0)], q)
        axes = None if axis is None else _static_axes(axis, x)
        values = reshape(x, [-1]) if axes is None else _moved_to_end(x, axes)
        last = cast(shape(values)[-1], dtypes.float32) - 1
        index = cast(_INDEX[interpolation](last * (1.0 - q / 100.0)), dtypes.int32)
        descending = top_k(values, k=shape(values)[-1])[0]
        result = descending[..., index]
        result.set_shape(values.shape[:-1])
        if not keep_dims:
            return result
        if axes is None:
            return reshape(result, ones_like(shape(x)))
        for i in sorted(axes):
            result = expand_dims(result, i)
        return result


def _static_axes(axis, x):
    known = util.constant_value_of(axis)
    if known is None:
        raise ValueError(f"Expected argument 'axis' to be statically available.  Found: {axis}")
    rank = x.shape.ndims
    if rank is None:
        raise ValueError(f"Expected argument 'x' to have statically defined 'ndims'.  Found: {x}")
    if rank < 1:
        raise ValueError(f"Expected argument 'x' to have ndims >= 1.  Found tensor {x}")
    axes = [int(one) for one in known.reshape(-1)]
    for one in axes:
        if not -rank <= one < rank:
            raise ValueError(f"dim {one} not in the interval [{-rank}, {rank - 1}].")
    return [one % rank for one in axes]


def _moved_to_end(x, axes):
    """The tensor with some dimensions made one, the last one."""
    rest = [i for i in range(x.shape.ndims) if i not in axes]
    moved = transpose(x, rest + axes)
    result = reshape(moved, concat([shape(moved)[: len(rest)], [-1]], 0))
    result.set_shape([*(x.shape.as_list()[i] for i in rest), None])
    return result


# ---- Moving averages


def assign_moving_mean_variance(mean_var, variance_var, value, decay, name=None):
    """Updates moving averages of mean and variance.

    variance = decay * (variance + (1 - decay) * (value - mean) ** 2), with the mean from before;
    mean = decay * mean + (1 - decay) * value.

    Args:
      mean_var: A floating-point `Variable`: the mean.
      variance_var: A `Variable` of the same shape and type: the variance.
      value: A `Tensor` of the same shape and type.
      decay: A scalar, typically close to 1.
      name: Name of the scope.

    Returns:
      A tuple of the updated mean and variance.

    Raises:
      TypeError: The types differ, or are not floating-point types.
    """
    with name_scope(name, "assign_moving_mean_variance", values=[variance_var, mean_var, value, decay]):
        with colocate_with(variance_var), colocate_with(mean_var):
            kind, other = mean_var.dtype.base_dtype, variance_var.dtype.base_dtype
            if not kind.is_floating:
                raise TypeError(f"mean_var.base_dtype({kind.name}) is not a floating-type.")
            if kind != other:
                raise TypeError(f"mean_var.base_dtype({kind.name}) != variance_var.base_dtype({other.name})")
            value = convert_to_tensor(value, dtype=kind, name="value")
            decay = convert_to_tensor(decay, dtype=kind, name="decay")
            delta = value - mean_var
            with control_dependencies([delta]):
                mean = assign_add(mean_var, (1.0 - decay) * delta)
                variance = assign_sub(variance_var, (1.0 - decay) * (variance_var - decay * square(delta)))
            return mean, variance


def assign_log_moving_mean_exp(log_mean_exp_var, log_value, decay, name=None):
    """Updates the logarithm of a moving average, given logarithms of values.

    Args:
      log_mean_exp_var: A floating-point `Variable`: the logarithm of the average.
      log_value: A `Tensor` of the same shape and type: the logarithm of a value.
      decay: A scalar, typically close to 1.
      name: Name of the scope.

    Returns:
      The updated variable.

    Raises:
      TypeError: The type is not a floating-point type.
    """
    with name_scope(name, "assign_log_moving_mean_exp", values=[log_mean_exp_var, log_value, decay]):
        with colocate_with(log_mean_exp_var):
            kind = log_mean_exp_var.dtype.base_dtype
            if not kind.is_floating:
                raise TypeError(f"log_mean_exp_var.base_dtype({kind.name}) is not a floating-type.")
            log_value = convert_to_tensor(log_value, dtype=kind, name="log_value")
            decay = convert_to_tensor(decay, dtype=kind, name="decay")
            delta = expand_dims(log_value - log_mean_exp_var, 0)
            terms = concat([log(decay) * ones_like(delta), delta + log1p(-decay)], 0)
            return assign_add(log_mean_exp_var, reduce_logsumexp(terms, 0))


def moving_mean_variance(value, decay, collections=None, name=None):
    """Moving averages of mean and variance in variables of their own, see `assign_moving_mean_variance`.

    Args:
      value: A floating-point `Tensor`.
      decay: A scalar, typically close to 1.
      collections: The collections of the variables; `[tf.GraphKeys.GLOBAL_VARIABLES]` by default.
      name: Name of the scope.

    Returns:
      A tuple of the updated mean and variance.

    Raises:
      TypeError: The type is not a floating-point type.
    """
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "moving_mean_variance", [value, decay]):
        value = convert_to_tensor(value, name="value")
        kind = value.dtype.base_dtype
        if not kind.is_floating:
            raise TypeError(f"value.base_dtype({kind.name}) is not a floating-type.")
        made = {
            own: get_variable(
                own,
                shape=value.shape,
                dtype=kind,
                initializer=zeros_initializer(),
                trainable=False,
                collections=collections,
            )
            for own in ("moving_variance", "moving_mean")
        }
        return assign_moving_mean_variance(made["moving_mean"], made["moving_variance"], value, decay)
