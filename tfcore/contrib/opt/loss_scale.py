"""`tf.contrib.mixed_precision`: scaled losses, so that gradients in half precision do not become 0.

The method is that of P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
"""

import abc

from tfcore.contrib.training.gradients import change_values
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.join import stack
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.control import group, no_op
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import is_finite
from tfcore.ops.reduce.reduce import reduce_all
from tfcore.ops.state.state import assign
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.variables.variables import Variable


class LossScaleManager(abc.ABC):
    """Decides by which factor losses are multiplied. A subclass defines both methods."""

    @abc.abstractmethod
    def get_loss_scale(self):
        """The factor.

        Returns:
          A scalar float32 `Tensor`.
        """

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads):
        """Updates the factor after a step.

        Args:
          finite_grads: A scalar bool `Tensor`: whether all gradients of the step were finite.

        Returns:
          An `Operation`.
        """


class FixedLossScaleManager(LossScaleManager):
    """A factor that never changes.

    Args:
      loss_scale: A number of at least 1.

    Raises:
      ValueError: `loss_scale` is less than 1.
    """

    def __init__(self, loss_scale):
        if loss_scale < 1:
            raise ValueError(f"loss scale must be at least 1, but got {loss_scale}")
        self._loss_scale = convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self):
        """The factor.

        Returns:
          A scalar float32 `Tensor`.
        """
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Does nothing.

        Args:
          finite_grads: Accepted for compatibility; has no effect.

        Returns:
          An `Operation`.
        """
        return no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A factor that grows after many steps with finite gradients, and shrinks after some without.

    Args:
      init_loss_scale: The first factor, a number.
      incr_every_n_steps: After how many steps with finite gradients it grows.
      decr_every_n_nan_or_inf: After how many steps with a gradient that is not finite it shrinks.
      incr_ratio: By what it is multiplied when it grows; it never becomes infinite.
      decr_ratio: By what it is multiplied when it shrinks; it never becomes less than 1.
    """

    def __init__(self, init_loss_scale, incr_every_n_steps, decr_every_n_nan_or_inf=2, incr_ratio=2, decr_ratio=0.8):
        self._every = incr_every_n_steps, decr_every_n_nan_or_inf
        self._ratios = incr_ratio, decr_ratio
        self._loss_scale = Variable(float(init_loss_scale), trainable=False, name="loss_scale")
        self._good_steps = Variable(0, trainable=False, name="good_steps")
        self._bad_steps = Variable(0, trainable=False, name="bad_steps")

    def get_loss_scale(self):
        """The factor.

        Returns:
          A scalar float32 `Variable`.
        """
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Counts the step, and changes the factor if it is time.

        Args:
          finite_grads: A scalar bool `Tensor`: whether all gradients of the step were finite.

        Returns:
          An `Operation`.
        """
        return cond(finite_grads, self._grow, self._shrink).op

    def _grow(self):
        grown = self._loss_scale * float(self._ratios[0])
        scale = where_v2(is_finite(grown), grown, self._loss_scale)
        steps = self._good_steps + 1
        return self._counted(steps, self._every[0], scale, good=steps, bad=self._bad_steps)

    def _shrink(self):
        scale = maximum(self._loss_scale * float(self._ratios[1]), 1.0)
        steps = self._bad_steps + 1
        return self._counted(steps, self._every[1], scale, good=0, bad=steps)

    def _counted(self, steps, every, scale, good, bad):
        is_due = steps >= every
        values = (scale, self._loss_scale), (0, good), (0, bad)
        variables = self._loss_scale, self._good_steps, self._bad_steps
        return group(*(assign(v, where_v2(is_due, new, old)) for v, (new, old) in zip(variables, values)))


class LossScaleOptimizer(Optimizer):
    """Multiplies the loss of another optimizer by a factor, and divides its gradients by it.

    A step with a gradient that is not finite does not change the variables.

    Args:
      opt: The `Optimizer`.
      loss_scale_manager: A `LossScaleManager`, which decides the factor.

    Raises:
      ValueError: `opt` is not an `Optimizer`.
    """

    def __init__(self, opt, loss_scale_manager):
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(False, "LossScaleOptimizer")
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(self, loss, *args, **kwargs):
        """The gradients of the optimizer, computed with the scaled loss.

        Args:
          loss: A floating-point `Tensor`, or a function that returns one.
          *args: Other arguments of the optimizer's method.
          **kwargs: The same by name.

        Returns:
          A list of pairs (gradient, variable).
        """
        loss = convert_to_tensor(loss() if callable(loss) else loss)
        scale = self._loss_scale_manager.get_loss_scale()
        pairs = self._opt.compute_gradients(loss * cast(scale, loss.dtype.base_dtype), *args, **kwargs)
        factor = 1.0 / convert_to_tensor(scale)

        def unscale(values):
            return values * cast(factor, values.dtype)

        return [(None if g is None else change_values(g, unscale), v) for g, v in pairs]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies the gradients if all are finite, and updates the factor.

        Args:
          grads_and_vars: A list of pairs (gradient, variable).
          global_step: A `Variable` that counts the applied steps (optional).
          name: Prefix of the names of the operations (optional).

        Returns:
          An `Operation`.
        """
        pairs = list(grads_and_vars)
        values = [g.values if isinstance(g, IndexedSlices) else g for g, _ in pairs if g is not None]
        finite = reduce_all(stack([reduce_all(is_finite(value)) for value in values]))

        def apply():
            return self._opt.apply_gradients(pairs, global_step=global_step, name=name)

        return group(cond(finite, apply, no_op), self._loss_scale_manager.update_loss_scale(finite))

    def variables(self):
        """The variables of the optimizer.

        Returns:
          A list of `Variable`s.
        """
        return self._opt.variables()

    def get_slot(self, *args, **kwargs):
        """`get_slot` of the optimizer.

        Args:
          *args: Its arguments.
          **kwargs: Its arguments by name.

        Returns:
          A `Variable`, or None.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self):
        """The names of the optimizer's slots.

        Returns:
          A list of strings.
        """
        return self._opt.get_slot_names()
