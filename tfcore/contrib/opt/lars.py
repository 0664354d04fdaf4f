"""LARS: a learning rate for each layer."""

from tfcore.composed.norms import norm
from tfcore.ops.array.constants import ones_like
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater, logical_and
from tfcore.ops.cwise.select import where
from tfcore.train.optimizers.update_rules import MomentumOptimizer


class LARSOptimizer(MomentumOptimizer):
    """Momentum with the rate `learning_rate * eeta * |var| / (|grad| + weight_decay * |var| + epsilon)`.

    Variables with sparse gradients, and those whose value or gradient is 0, have the rate `learning_rate`.
    Source: Y. You et al., "Large Batch Training of Convolutional Networks", arXiv 1708.03888, 2017.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      momentum: Share of the previous update that is kept, a float.
      weight_decay: The weight of |var|, a float.
      eeta: The factor of all rates, a float.
      epsilon: Added to the norm of the gradient.
      name: Prefix of the names of slots and update operations; "LARSOptimizer" by default.
      skip_list: A list of strings: variables whose name contains one have the rate `learning_rate` (optional).
      use_nesterov: Whether the gradient is applied as if the next momentum step had already been taken.

    Raises:
      ValueError: `momentum` or `weight_decay` is negative.
    """

    def __init__(
        self,
        learning_rate,
        momentum=0.9,
        weight_decay=0.0001,
        eeta=0.001,
        epsilon=0.0,
        name="LARSOptimizer",
        skip_list=None,
        use_nesterov=False,
    ):
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(learning_rate, momentum, name=name, use_nesterov=use_nesterov)
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list = skip_list
        self._rate_of_layer = None

    def compute_lr(self, grad, var):
        """The learning rate of a variable.

        Args:
          grad: Its gradient, a `Tensor`.
          var: The `Variable`.

        Returns:
          A scalar `Tensor`.
        """
        rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return rate
        w_norm, g_norm = norm(var.read_value(), ord=2), norm(grad, ord=2)
        ratio = self._eeta * w_norm / (g_norm + self._weight_decay * w_norm + self._epsilon)
        return rate * where(logical_and(greater(w_norm, 0), greater(g_norm, 0)), ratio, ones_like(ratio))

    def _apply_dense(self, grad, var):
        self._rate_of_layer = self.compute_lr(grad, var)
        try:
            return super()._apply_dense(grad, var)
        finally:
            self._rate_of_layer = None

    def _scalar(self, arg, dtype):
        if arg == "lr" and self._rate_of_layer is not None:
            return self._rate_of_layer
        return super()._scalar(arg, dtype)
