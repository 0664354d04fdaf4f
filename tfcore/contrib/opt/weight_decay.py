"""Weight decay beside the gradient, not in it.

Source: I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.
"""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.indexing.unique import unique
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.optimizers.update_rules import AdamOptimizer, MomentumOptimizer


class DecoupledWeightDecayExtension:
    """Makes an optimizer subtract `weight_decay * var` before its update. It is the first base class.

    A sparse gradient decays only its rows. The step itself must not depend on the value of the variable.

    Args:
      weight_decay: A float, a scalar `Tensor`, or a callable without arguments that returns one.
      *args: Arguments of the optimizer.
      **kwargs: Its arguments by name.

    Example:

    >>> class FtrlW(tf.contrib.opt.DecoupledWeightDecayExtension, tf.train.FtrlOptimizer):
    ...     def __init__(self, weight_decay, *args, **kwargs):
    ...         super().__init__(weight_decay, *args, **kwargs)
    """

    def __init__(self, weight_decay, *args, **kwargs):
        self._weight_decay = weight_decay
        self._weight_decay_tensor = None
        self._decay_var_list = None
        self._decays = True
        super().__init__(*args, **kwargs)

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=Optimizer.GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
        decay_var_list=None,
    ):
        """`Optimizer.minimize` with weight decay.

        Args:
          loss: The `Tensor` to minimize.
          global_step: A variable to increment after the update (optional).
          var_list: A list of variables to update; the trainable ones by default.
          gate_gradients: How gradients are gated.
          aggregation_method: How the terms of a gradient are summed.
          colocate_gradients_with_ops: Whether gradients are placed with the operations that they belong to.
          name: Name of the training operation (optional).
          grad_loss: A `Tensor`: the gradient with respect to `loss`; ones by default.
          decay_var_list: The variables that decay; all that are updated by default.

        Returns:
          The `Operation` that updates the variables.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        return self.apply_gradients(pairs, global_step=global_step, name=name, decay_var_list=decay_var_list)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        """`Optimizer.apply_gradients` with weight decay.

        Args:
          grads_and_vars: A list of pairs (gradient, variable).
          global_step: A variable to increment after the update (optional).
          name: Name of the training operation (optional).
          decay_var_list: The variables that decay; all that are updated by default.

        Returns:
          The `Operation` that updates the variables.
        """
        self._decay_var_list = {id(var) for var in decay_var_list} if decay_var_list else None
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _prepare(self):
        self._weight_decay_tensor = convert_to_tensor(self._call_if_callable(self._weight_decay), name="weight_decay")
        super()._prepare()

    def _decayed(self, grad, var, indices, update):
        """What `update` returns, after the decay. Updates of one kind may be made by methods for another kind."""
        if not self._decays:
            return update()
        self._decays = False
        try:
            with control_dependencies([self._decay(grad, var, indices)]):
                return update()
        finally:
            self._decays = True

    def _decay(self, grad, var, indices):
        if self._decay_var_list is not None and id(var) not in self._decay_var_list:
            return no_op()
        factor = cast(self._weight_decay_tensor, var.dtype.base_dtype)
        with control_dependencies([grad]):  # gradients are those at the value before
            value = var.read_value()
            if indices is None:
                return var.assign_sub(factor * value, use_locking=self._use_locking)
            rows = unique(indices)[0]
            return var.scatter_sub(IndexedSlices(factor * gather(value, rows), rows), use_locking=self._use_locking)

    def _apply_dense(self, grad, var):
        return self._decayed(
            grad, var, None, lambda: super(DecoupledWeightDecayExtension, self)._apply_dense(grad, var)
        )

    def _resource_apply_dense(self, grad, var):
        update = super()._resource_apply_dense
        return self._decayed(grad, var, None, lambda: update(grad, var))

    def _apply_sparse_duplicate_indices(self, grad, var):
        update = super()._apply_sparse_duplicate_indices
        return self._decayed(grad.values, var, grad.indices, lambda: update(grad, var))

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices):
        update = super()._resource_apply_sparse_duplicate_indices
        return self._decayed(grad, var, indices, lambda: update(grad, var, indices))


def extend_with_decoupled_weight_decay(base_optimizer):
    """A class of optimizers with weight decay.

    Args:
      base_optimizer: A subclass of `Optimizer`.

    Returns:
      A subclass of it, whose first argument is `weight_decay`, and whose `minimize` and `apply_gradients` have the
      argument `decay_var_list`.

    Raises:
      TypeError: `base_optimizer` is not a class.

    Example:

    >>> FtrlW = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.FtrlOptimizer)
    >>> train = FtrlW(weight_decay=1e-4, learning_rate=0.1).minimize(tf.Variable(1.0) ** 2)
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        def __init__(self, weight_decay, *args, **kwargs):
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weight decay.

    Args:
      weight_decay: The share of each variable that a step subtracts: a float, a scalar `Tensor` or a callable.
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      momentum: Share of the previous update that is kept: a float, a scalar `Tensor` or a callable.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "MomentumW" by default.
      use_nesterov: Whether the gradient is applied as if the next momentum step had already been taken.
    """

    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False, name="MomentumW", use_nesterov=False):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weight decay.

    Args:
      weight_decay: The share of each variable that a step subtracts: a float, a scalar `Tensor` or a callable.
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      beta1: Decay of the running mean of gradients.
      beta2: Decay of the running mean of squared gradients.
      epsilon: Added to the root.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "AdamW" by default.

    Example:

    >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
    >>> optimizer = tf.contrib.opt.AdamWOptimizer(weight_decay=1e-4, learning_rate=0.001)
    >>> train = optimizer.minimize((w + b) ** 2, decay_var_list=[w])
    """

    def __init__(
        self,
        weight_decay,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="AdamW",
    ):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
