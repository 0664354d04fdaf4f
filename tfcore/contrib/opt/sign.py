"""AddSign and PowerSign: larger steps where gradient and running mean have the same sign.

Source: I. Bello et al., "Neural Optimizer Search with Reinforcement Learning", ICML 2017.
"""

import math

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.constants import constant, zeros_like
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.binary import maximum, minimum, mod
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import cos, exp, sign
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.training import training
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.optimizers.update_rules import fused

_SCALARS = {
    "lr": ("_lr", "_lr_t", "learning_rate"),
    "beta": ("_beta", "_beta_t", "beta"),
    "sign_decay": ("_sign_decay", "_sign_decay_t", "sign_decay"),
}


class _BySigns(Optimizer):
    """What both share: a running mean of gradients, and a weight of the signs that may depend on the global step."""

    def __init__(self, learning_rate, beta, sign_decay_fn, use_locking, name):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn
        self._sign_decay = 1.0

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        if self._sign_decay_fn is not None:
            self._sign_decay = convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def _sparse_update(self, grad, var, factor):
        """The mean decays in all rows; `factor` is a function of the type and of sign(grad) * sign(mean)."""
        dtype, lock = var.dtype.base_dtype, self._use_locking
        m, beta = self.get_slot(var, "m"), self._scalar("beta", dtype)
        with control_dependencies([m.assign(m.read_value() * beta, use_locking=lock)]):
            added = m.scatter_add(IndexedSlices(grad.values * (1 - beta), grad.indices), use_locking=lock)
        with control_dependencies([added]):
            signs = sign(gather(m.read_value(), grad.indices)) * sign(grad.values)
        delta = self._scalar("lr", dtype) * factor(dtype, signs) * grad.values
        return group(var.scatter_sub(IndexedSlices(delta, grad.indices), use_locking=lock))


@fused
class AddSignOptimizer(_BySigns):
    """`m = beta * m + (1 - beta) * grad; var -= learning_rate * (alpha + sign_decay * sign(grad) * sign(m)) * grad`.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      alpha: The part of the factor that does not depend on the signs, a float.
      beta: Decay of the running mean of gradients.
      sign_decay_fn: A function of the global step that returns the weight of the signs, such as
        `get_cosine_decay_fn` makes; 1 by default.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "AddSignOptimizer" by default.
    """

    _dense = training.ApplyAddSign
    _slot_names = ("m",)
    _scalars = {**_SCALARS, "alpha": ("_alpha", "_alpha_t", "alpha")}

    def __init__(
        self,
        learning_rate=0.1,
        alpha=1.0,
        beta=0.9,
        sign_decay_fn=None,
        use_locking=False,
        name="AddSignOptimizer",
    ):
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _apply_sparse(self, grad, var):
        return self._sparse_update(
            grad, var, lambda dtype, s: self._scalar("alpha", dtype) + self._scalar("sign_decay", dtype) * s
        )


@fused
class PowerSignOptimizer(_BySigns):
    """`m = beta * m + (1 - beta) * grad; var -= learning_rate * base ** (sign_decay * sign(grad) * sign(m)) * grad`.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      base: The base of the power, a float.
      beta: Decay of the running mean of gradients.
      sign_decay_fn: A function of the global step that returns the weight of the signs, such as
        `get_cosine_decay_fn` makes; 1 by default.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "PowerSignOptimizer" by default.
    """

    _dense = training.ApplyPowerSign
    _slot_names = ("m",)
    _scalars = {**_SCALARS, "logbase": ("_logbase", "_logbase_t", "logbase")}

    def __init__(
        self,
        learning_rate=0.1,
        base=math.e,
        beta=0.9,
        sign_decay_fn=None,
        use_locking=False,
        name="PowerSignOptimizer",
    ):
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = math.log(base)

    def _apply_sparse(self, grad, var):
        return self._sparse_update(
            grad, var, lambda dtype, s: exp(self._scalar("logbase", dtype) * self._scalar("sign_decay", dtype) * s)
        )


# ---- Schedules for the weight of the signs


def _float_step(global_step, decay_steps, name):
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")
    return cast(minimum(global_step, decay_steps), dtypes.float32)


def get_linear_decay_fn(decay_steps):
    """A function of the global step that falls linearly from 1 to 0.

    Args:
      decay_steps: An int: the step at which it is 0.

    Returns:
      A function, which raises ValueError without a global step.

    Raises:
      ValueError: Never; the function that is returned may.
    """

    def linear_decay_fn(global_step):
        left = float(decay_steps) - _float_step(global_step, decay_steps, "linear_decay")
        return maximum(0.0, left / float(decay_steps))

    return linear_decay_fn


def get_cosine_decay_fn(decay_steps, num_periods=0.5, zero_after=None):
    """A function of the global step that follows a cosine between 1 and 0.

    Args:
      decay_steps: An int: the last step.
      num_periods: How many periods the cosine has until then.
      zero_after: The number of periods after which the function is 0 (optional).

    Returns:
      A function, which raises ValueError without a global step.

    Raises:
      ValueError: Never; the function that is returned may.
    """

    def cosine_decay_fn(global_step):
        step = _float_step(global_step, decay_steps, "cosine_decay")
        periods = 2.0 * num_periods * (step / float(decay_steps))
        return _cosine(periods, periods, None if zero_after is None else 2 * zero_after)

    return cosine_decay_fn


def get_restart_decay_fn(decay_steps, num_periods=1, zero_after=None):
    """A function of the global step that falls from 1 to 0 along half a cosine, `num_periods` times.

    Source: I. Loshchilov and F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.

    Args:
      decay_steps: An int: the last step.
      num_periods: How many times it falls until then.
      zero_after: The number of times after which the function is 0 (optional).

    Returns:
      A function, which raises ValueError without a global step.

    Raises:
      ValueError: Never; the function that is returned may.
    """

    def restart_decay_fn(global_step):
        steps = num_periods * _float_step(global_step, decay_steps, "cosine_decay")
        return _cosine(mod(steps, float(decay_steps)) / float(decay_steps), steps / float(decay_steps), zero_after)

    return restart_decay_fn


def _cosine(fraction, progress, end):
    """(1 + cos(pi * fraction)) / 2, and 0 where the progress has reached the end."""
    value = 0.5 * (1.0 + cos(constant(math.pi) * fraction))
    return value if end is None else where(greater_equal(progress, float(end)), zeros_like(value), value)
