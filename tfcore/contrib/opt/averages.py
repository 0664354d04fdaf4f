"""An optimizer that keeps moving averages of what it trains."""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.ops.control_flow.control import group
from tfcore.train.checkpoints.saver import Saver
from tfcore.train.optimizers.moving_averages import ExponentialMovingAverage
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.variables.variable_collections import global_variables


class MovingAverageOptimizer(Optimizer):
    """Runs another optimizer, and keeps moving averages of the variables that it updates.

    Checkpoints of `swapping_saver` have the averages under the names of the variables, for evaluation.

    Args:
      opt: The `Optimizer`.
      average_decay: Share of the average that a step keeps, a float.
      num_updates: The number of updates so far, for a smaller share at first; see `tf.train.ExponentialMovingAverage`.
      sequential_update: Whether averages are updated after the variables; at the same time if False.

    Example:

    >>> w = tf.Variable(2.0, name="w")
    >>> optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1))
    >>> train = optimizer.minimize(w**2)
    >>> saver = optimizer.swapping_saver()
    """

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        super().__init__(False, opt.get_name())
        self._optimizer = opt
        self._average = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped = None  # the name of each variable for that of its average, and the other way round
        self._sequential_update = sequential_update

    def compute_gradients(self, *args, **kwargs):
        """`compute_gradients` of the optimizer.

        Args:
          *args: Its arguments.
          **kwargs: Its arguments by name.

        Returns:
          A list of pairs (gradient, variable).
        """
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies gradients, and updates the averages.

        Args:
          grads_and_vars: A list of pairs (gradient, variable).
          global_step: A variable to increment after the update (optional).
          name: Name of the training operation (optional).

        Returns:
          The `Operation` that does both.
        """
        grads_and_vars = list(grads_and_vars)
        train = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        variables = [var for grad, var in grads_and_vars if grad is not None]
        with control_dependencies([train] if self._sequential_update else []):
            averages = self._average.apply(variables)
        self._swapped = {}
        for var in variables:
            average = self._average.average(var)
            self._swapped[var.op.name] = average.op.name
            self._swapped[average.op.name] = var.op.name
        return group(train, averages, name="train_with_avg")

    def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs):
        """A saver that stores averages under the names of their variables, and variables under those of averages.

        Args:
          var_list: The variables to save, a list or a dict by names; all that there are by default.
          name: Name of the saver.
          **kwargs: Arguments of `tf.train.Saver`.

        Returns:
          A `tf.train.Saver`.

        Raises:
          RuntimeError: No gradients have been applied before.
          ValueError: A variable is to be saved without its average, or the other way round.
        """
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = global_variables()
        if not isinstance(var_list, dict):
            var_list = {var.op.name: var for var in var_list}
        by_name = {var.op.name: var for var in var_list.values()}
        return Saver({key: self._swap(var, by_name) for key, var in var_list.items()}, name=name, **kwargs)

    def _swap(self, var, by_name):
        other = self._swapped.get(var.op.name)
        if other is None:
            return var
        if other not in by_name:
            raise ValueError(f"Variable to swap {other} is not in variables to save.")
        return by_name[other]
