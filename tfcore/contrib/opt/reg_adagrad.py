"""Adagrad for losses whose regularization must not make the rates smaller."""

import contextlib

from tfcore.train.optimizers.update_rules import AdagradOptimizer


class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad that can leave its sums of squares as they are.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      initial_accumulator_value: First value of the sums of squares, a float > 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "RegAdagrad" by default.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    Example:

    >>> w = tf.Variable(2.0)
    >>> optimizer = tf.contrib.opt.RegAdagradOptimizer(0.1)
    >>> by_loss = optimizer.minimize((w - 1.0) ** 2)
    >>> with optimizer.avoid_updating_slots():
    ...     by_size = optimizer.minimize(0.1 * w**2)
    >>> train = tf.group(by_loss, by_size)
    """

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="RegAdagrad"):
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._update_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self):
        """A context in which updates are made that leave the sums of squares as they are.

        Yields:
          None.
        """
        before, self._update_slots = self._update_slots, False
        try:
            yield
        finally:
            self._update_slots = before

    def _attrs(self):
        return {"update_slots": self._update_slots}
