"""An optimizer that limits the norms of variables."""

import contextlib

from tfcore.framework.graph.graph import colocate_with, control_dependencies, name_scope
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.clip import clip_by_norm
from tfcore.ops.indexing.indexing import gather
from tfcore.platform import tf_logging as logging
from tfcore.train.optimizers.optimizer import Optimizer


class VariableClippingOptimizer(Optimizer):
    """Runs another optimizer, then limits the norms of variables along given dimensions.

    After a sparse gradient, only its rows are limited, unless dimension 0 is one of the dimensions.

    Args:
      opt: The `Optimizer`.
      vars_to_clip_dims: A dict from variables to the lists of dimensions along which norms are taken.
      max_norm: The largest norm, a float.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      colocate_clip_ops_with_vars: Whether norms are computed where the variables are.
      name: Prefix of the names of operations; "VariableClipping" by default.
    """

    def __init__(
        self,
        opt,
        vars_to_clip_dims,
        max_norm,
        use_locking=False,
        colocate_clip_ops_with_vars=False,
        name="VariableClipping",
    ):
        super().__init__(use_locking, name)
        self._opt = opt
        self._dims = {id(var): (var, list(dims)) for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate = colocate_clip_ops_with_vars

    def compute_gradients(self, *args, **kwargs):
        """`compute_gradients` of the optimizer.

        Args:
          *args: Its arguments.
          **kwargs: Its arguments by name.

        Returns:
          A list of pairs (gradient, variable).
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        """`get_slot` of the optimizer.

        Args:
          *args: Its arguments.
          **kwargs: Its arguments by name.

        Returns:
          A `Variable`, or None.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """`get_slot_names` of the optimizer.

        Args:
          *args: Its arguments.
          **kwargs: Its arguments by name.

        Returns:
          A list of strings.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies gradients, and limits the norms.

        Args:
          grads_and_vars: A list of pairs (gradient, variable).
          global_step: A variable to increment after the update (optional).
          name: Name of the training operation (optional).

        Returns:
          The `Operation` that does both.
        """
        grads_and_vars = list(grads_and_vars)
        with name_scope(name, self._name) as scope:
            updates = [self._opt.apply_gradients(grads_and_vars, global_step=global_step)]
            with control_dependencies(updates[:1]):
                for grad, var in grads_and_vars:
                    if grad is not None and id(var) in self._dims:
                        with name_scope(f"clip_{var.op.name}"):
                            updates.append(self._clip(grad, var, self._dims[id(var)][1]))
            return group(*updates, name=scope)

    def _clip(self, grad, var, dims):
        rows = isinstance(grad, IndexedSlices)
        if rows and 0 in dims:
            logging.warning(
                "Clipping norm across dims %s for %s is inefficient when including sparse dimension 0.",
                dims,
                var.op.name,
            )
            rows = False
        with colocate_with(var.op):
            value = var.read_value()
            value = gather(value, grad.indices) if rows else value
        with colocate_with(var.op) if self._colocate else contextlib.nullcontext():
            excess = value - clip_by_norm(value, self._max_norm, dims)
        with colocate_with(var.op):
            if not rows:
                return var.assign_sub(excess, use_locking=self._use_locking)
            # A row that occurs twice is set twice to the same value, not shortened twice.
            update = IndexedSlices(value - excess, grad.indices)
            return var.scatter_update(update, use_locking=self._use_locking)
