"""Learning-rate schedules: Tensors computed from the global step, to be passed to an optimizer as learning rate."""

import math

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.cwise import binary as cwise_binary
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import ceil, cos, exp, floor, log, negative, sqrt
from tfcore.ops.random.random import random_normal


def _start(learning_rate, global_step, *others):
    """The learning rate as a Tensor, and the step and other arguments converted to its type."""
    if global_step is None:
        raise ValueError("global_step is required.")
    rate = convert_to_tensor(learning_rate, name="learning_rate")
    dtype = rate.dtype.base_dtype
    return (rate, *[cast(value, dtype) for value in (global_step, *others)])


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Exponential decay of the learning rate: `learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      decay_rate: The factor by which the rate falls within `decay_steps`: a float or scalar `Tensor`.
      staircase: Whether `global_step / decay_steps` is rounded down, so that the rate falls in steps.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.

    Example:

    >>> step = tf.placeholder(tf.int64, [])
    >>> rate = tf.train.exponential_decay(0.1, step, decay_steps=100, decay_rate=0.5)
    >>> [round(float(sess.run(rate, {step: n})), 4) for n in (0, 100, 200)]
    [0.1, 0.05, 0.025]
    """
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate, step, steps, decay = _start(learning_rate, global_step, decay_steps, decay_rate)
        p = step / steps
        if staircase:
            p = floor(p)
        return cwise_binary.multiply(rate, cwise_binary.pow(decay, p), name=scope)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Exponential decay with base e: `learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      decay_rate: The exponent reached after `decay_steps`: a float or scalar `Tensor`.
      staircase: Whether `global_step / decay_steps` is rounded down, so that the rate falls in steps.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "NaturalExpDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate, step, steps, decay = _start(learning_rate, global_step, decay_steps, decay_rate)
        p = step / steps
        if staircase:
            p = floor(p)
        return cwise_binary.multiply(rate, exp(cwise_binary.multiply(negative(decay), p)), name=scope)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Inverse time decay: `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      decay_rate: The decay rate: a float or scalar `Tensor`.
      staircase: Whether `global_step / decay_steps` is rounded down, so that the rate falls in steps.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate, step, steps, decay = _start(learning_rate, global_step, decay_steps, decay_rate)
        p = step / steps
        if staircase:
            p = floor(p)
        return cwise_binary.divide(rate, 1 + decay * p, name=scope)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                     name=None):  # fmt: skip
    """Polynomial decay from `learning_rate` to `end_learning_rate` within `decay_steps`.

    The rate is `(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate`, where
    `step = min(global_step, decay_steps)`.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      end_learning_rate: The final learning rate: a float or scalar `Tensor`.
      power: Exponent of the polynomial; 1.0 is linear decay.
      cycle: Whether the decay restarts when it has reached the end: `decay_steps` is then multiplied by
        `ceil(global_step / decay_steps)`.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(
        name, "PolynomialDecay", [learning_rate, global_step, decay_steps, end_learning_rate, power]
    ) as scope:
        rate, step, steps, end, exponent = _start(learning_rate, global_step, decay_steps, end_learning_rate, power)
        if cycle:
            one = ones_like(step)
            periods = where(equal(step, zeros_like(step)), one, ceil(step / steps))
            steps = cwise_binary.multiply(steps, periods)
        else:
            step = cwise_binary.minimum(step, steps)
        p = cwise_binary.divide(step, steps)
        return cwise_binary.add(cwise_binary.multiply(rate - end, cwise_binary.pow(1 - p, exponent)), end, name=scope)


def _cosine(fraction):
    """Half a cosine, which falls from 1 to 0."""
    return 0.5 * (1.0 + cos(math.pi * fraction))


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Cosine decay from `learning_rate` to `alpha * learning_rate` within `decay_steps`.

    The rate is `learning_rate * ((1 - alpha) * 0.5 * (1 + cos(pi * step / decay_steps)) + alpha)`, where
    `step = min(global_step, decay_steps)`.

    Source: I. Loshchilov and F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      alpha: The final learning rate as a fraction of `learning_rate`, a float.
      name: Prefix of the names of the operations (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate, step, steps = _start(learning_rate, global_step, decay_steps)
        fraction = cwise_binary.minimum(step, steps) / steps
        return cwise_binary.multiply(rate, (1 - alpha) * _cosine(fraction) + alpha)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """Cosine decay with warm restarts. Each period is `t_mul` times as long and `m_mul` times as high as the last.

    Source: I. Loshchilov and F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      first_decay_steps: Number of steps in the first period: a number or scalar `Tensor`.
      t_mul: Ratio of the lengths of successive periods: a float or scalar `Tensor`.
      m_mul: Ratio of the initial rates of successive periods: a float or scalar `Tensor`.
      alpha: The lowest learning rate as a fraction of `learning_rate`: a float or scalar `Tensor`.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate, step, first, longer, higher, low = _start(
            learning_rate, global_step, first_decay_steps, t_mul, m_mul, alpha
        )
        fraction = step / first
        if not isinstance(t_mul, (int, float)) or t_mul != 1.0:
            # After r restarts, first * (longer ** r - 1) / (longer - 1) steps are over.
            restart = floor(log(1.0 - fraction * (1.0 - longer)) / log(longer))
            before = (1.0 - longer**restart) / (1.0 - longer)
            fraction = (fraction - before) / longer**restart
        else:
            restart = floor(fraction)
            fraction = fraction - restart
        decayed = (1 - low) * (higher**restart * _cosine(fraction)) + low
        return cwise_binary.multiply(rate, decayed, name=scope)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """Linear cosine decay: `learning_rate * ((alpha + linear) * cosine + beta)`.

    With `step = min(global_step, decay_steps)`, `linear = (decay_steps - step) / decay_steps` and
    `cosine = 0.5 * (1 + cos(2 * pi * num_periods * step / decay_steps))`.

    Source: I. Bello et al., "Neural Optimizer Search with Reinforcement Learning", ICML 2017.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      num_periods: Number of periods of the cosine within `decay_steps`.
      alpha: Offset of the linear term, see the formula.
      beta: Offset of the product, see the formula.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate, step, steps, periods, a, b = _start(learning_rate, global_step, decay_steps, num_periods, alpha, beta)
        step = cwise_binary.minimum(step, steps)
        linear = (steps - step) / steps
        return cwise_binary.multiply(rate, (a + linear) * _cosine(2.0 * periods * (step / steps)) + b, name=scope)


def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0, variance_decay=0.55,
                              num_periods=0.5, alpha=0.0, beta=0.001, name=None):  # fmt: skip
    """`linear_cosine_decay` with Gaussian noise added to its linear term.

    The noise has mean 0 and variance `initial_variance / (1 + step) ** variance_decay` and is drawn at each evaluation.

    Source: I. Bello et al., "Neural Optimizer Search with Reinforcement Learning", ICML 2017.

    Args:
      learning_rate: The initial learning rate: a float or a scalar `Tensor` of a floating-point type.
      global_step: The global step: a scalar integer variable, `Tensor` or int.
      decay_steps: Number of steps in one period of decay: a number or scalar `Tensor`.
      initial_variance: Variance of the noise at step 0.
      variance_decay: Exponent with which the variance decays.
      num_periods: Number of periods of the cosine within `decay_steps`.
      alpha: Offset of the linear term, see `linear_cosine_decay`.
      beta: Offset of the product, see `linear_cosine_decay`.
      name: Name of the operation that computes the rate (optional).

    Returns:
      A scalar `Tensor` of the type of `learning_rate`.

    Raises:
      ValueError: `global_step` is None.
    """
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate, step, steps, variance, power, periods, a, b = _start(
            learning_rate, global_step, decay_steps, initial_variance, variance_decay, num_periods, alpha, beta
        )
        step = cwise_binary.minimum(step, steps)
        linear = (steps - step) / steps
        deviation = sqrt(variance / cwise_binary.pow(1.0 + step, power))
        noisy = linear + random_normal(linear.shape, dtype=linear.dtype) * deviation
        return cwise_binary.multiply(rate, (a + noisy) * _cosine(2.0 * periods * (step / steps)) + b, name=scope)


def piecewise_constant(x, boundaries, values, name=None):
    """A piecewise constant function of `x`, such as a learning rate that drops at given steps.

    It is `values[0]` for `x <= boundaries[0]`, `values[i]` for `boundaries[i - 1] < x <= boundaries[i]`, and
    `values[-1]` beyond the last boundary.

    Args:
      x: A scalar `Tensor` or variable, usually the global step.
      boundaries: A list of numbers or scalar `Tensor`s of the type of `x`, strictly increasing.
      values: A list of numbers or `Tensor`s of one type, one more than `boundaries`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A scalar `Tensor` of the type of `values`.

    Raises:
      ValueError: The number of values is not one more than the number of boundaries, or types differ.

    Example:

    >>> step = tf.placeholder(tf.int32, [])
    >>> rate = tf.train.piecewise_constant(step, [100, 200], [1.0, 0.5, 0.1])
    >>> [round(float(sess.run(rate, {step: n})), 4) for n in (100, 101, 500)]
    [1.0, 0.5, 0.1]
    """
    if not all(hasattr(v, "__len__") for v in (boundaries, values)) or len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with name_scope(name, "PiecewiseConstant", [x, boundaries, values, name]):
        x = convert_to_tensor(x)
        boundaries = [_boundary(b, x.dtype.base_dtype) for b in boundaries]
        values = [convert_to_tensor(v) for v in values]
        for v in values[1:]:
            if v.dtype.base_dtype is not values[0].dtype.base_dtype:
                types = f"{values[0].dtype.base_dtype} vs {v.dtype.base_dtype}"
                raise ValueError(f"Values must have elements all with the same dtype ({types}).")
        result = values[-1]
        for boundary, value in zip(reversed(boundaries), reversed(values[:-1])):
            result = where(x <= boundary, value, result)
        return result


piecewise_constant_decay = piecewise_constant


def _boundary(boundary, dtype):
    if isinstance(boundary, (int, float)):
        if isinstance(boundary, float) and dtype.is_integer:
            raise ValueError(f"Boundaries ({dtypes.float32}) must have the same dtype as x ({dtype}).")
        return convert_to_tensor(boundary, dtype=dtype)
    boundary = convert_to_tensor(boundary)
    if boundary.dtype.base_dtype is dtype:
        return boundary
    if boundary.dtype.base_dtype is dtypes.int32 and dtype is dtypes.int64:
        return cast(boundary, dtype)
    raise ValueError(f"Boundaries ({boundary.dtype.base_dtype}) must have the same dtype as x ({dtype}).")
