"""Synchronous training without parameter servers: gradients are combined over the workers before they are applied."""

import tfcore.ops.collective as collective
from tfcore.distributed import groups
from tfcore.framework.graph import control_dependencies, name_scope
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.ops import control
from tfcore.train.optimizer import Optimizer
from tfcore.variables.variables import Variable

__all__ = ["AllreduceOptimizer"]


class AllreduceOptimizer(Optimizer):
    """Wraps an optimizer: each worker computes gradients of its own part of the batch, all apply their mean.

    All workers must start from the same values: run `broadcast_variables()` after the initializer. The variables then stay
    equal, bit by bit. A loss that is a mean over the batch, given equal shares of a batch, trains as one process does with
    the whole batch.

    Each step compares the variables and slots of all workers before it changes them, at next to no cost: all of a small
    variable, another part of a large one each time. Where they differ, all workers get an InvalidArgumentError that names the
    variable. So neither different initial values nor a learning rate that is fed differently goes unnoticed.

    Dense gradients travel in buckets, in the order in which backpropagation makes them: a bucket starts as soon as its
    gradients are there, while the others are still being computed. Sparse ones (IndexedSlices) are put together.
    """

    def __init__(self, opt, op="mean", bucket_bytes=8 << 20, group=None, name=None, use_locking=False):
        """
        Args:
          opt: an Optimizer. op: "mean", "sum"; "min", "max" for dense gradients only.
          bucket_bytes: gradients are gathered up to this size, larger ones are buckets by themselves; 0: each by itself.
          group: a list of ranks or the name of a job; None: all workers.
          name: default: "Allreduce" and that of `opt`.

        Raises:
          TypeError: opt is no optimizer. ValueError: another op, a negative size.
        """
        if not isinstance(opt, Optimizer):
            raise TypeError(f"opt must be an Optimizer, not {opt!r}.")
        collective._merge_attrs(op, ("mean", "sum", "min", "max"))
        if bucket_bytes < 0:
            raise ValueError(f"bucket_bytes can't be negative: {bucket_bytes}.")
        super().__init__(use_locking, name or "Allreduce" + opt.get_name())
        self._opt = opt
        self._op = op
        self._bucket_bytes = bucket_bytes
        self._group = group

    def compute_gradients(self, loss, var_list=None, gate_gradients=Optimizer.GATE_OP, *args, **kwargs):
        """The combined gradients; arguments and result as those of the wrapped optimizer.

        With GATE_GRAPH no gradient is used before all have been combined.
        """
        gate_all = gate_gradients == self.GATE_GRAPH
        gate = self.GATE_NONE if gate_all else gate_gradients
        pairs = self._opt.compute_gradients(loss, var_list, gate, *args, **kwargs)
        reduced = self._reduce([g for g, _ in pairs])
        if gate_all:
            reduced = control.tuple(reduced)
        return [(g, v) for g, (_, v) in zip(reduced, pairs)]

    def _reduce(self, grads):
        result = list(grads)
        with name_scope(self._name):
            for bucket in buckets(grads, self._bucket_bytes):
                reduced = collective.allreduce([grads[i] for i in bucket], self._op, self._group, name="bucket")
                for i, g in zip(bucket, reduced):
                    result[i] = g
            for i, g in enumerate(grads):
                if isinstance(g, IndexedSlices):
                    result[i] = collective.allreduce(g, self._op, self._group, name="sparse")
        return result

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """As the wrapped optimizer's: the gradients are taken as they are.

        When run: InvalidArgumentError: a variable or slot has different values on the workers; none has been changed.
        """
        grads_and_vars = list(grads_and_vars)
        variables = [v for g, v in grads_and_vars if g is not None and isinstance(v, Variable)]
        if not variables:
            return self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        graph = variables[0].op.graph
        with graph.as_default():
            with control_dependencies(None):
                self._opt._create_slots(variables)
                check = collective.check_equal([*variables, *self._opt.variables()], self._group, f"{self._name}/equal")
            with control_dependencies([check]):
                return self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def broadcast_variables(self, variables=None, root=0):
        """`tf.distributed.broadcast_variables` for this optimizer's group: to be run after the initializer."""
        return groups.broadcast_variables(variables, root, self._group)

    def get_slot(self, var, name):
        return self._opt.get_slot(var, name)

    def get_slot_names(self):
        return self._opt.get_slot_names()

    def variables(self):
        return self._opt.variables()


def buckets(grads, most_bytes):
    """Indices of the dense gradients in lists of one type, in the order in which the graph makes them."""
    order = sorted((g.op._id, i) for i, g in enumerate(grads) if g is not None and not isinstance(g, IndexedSlices))
    filling, full = {}, []  # by type: (indices, bytes)
    for _, i in order:
        dtype, dims = grads[i].dtype.base_dtype, grads[i].dims
        known = dims is not None and None not in dims
        size = most_bytes
        if known:
            size = dtype.size
            for d in dims:
                size *= d
        indices, filled = filling.pop(dtype, ([], 0))
        if indices and filled + size > most_bytes:
            full.append(indices)
            indices, filled = [], 0
        filling[dtype] = ([*indices, i], filled + size)
    return full + [indices for indices, _ in filling.values()]
