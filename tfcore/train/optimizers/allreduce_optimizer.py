"""Synchronous training without parameter servers: gradients are combined over the workers before they are applied."""

import tfcore.ops.collective.collective as collective
from tfcore.distributed.collectives import groups
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow import control
from tfcore.train.optimizers.allreduce_recovery import AllreduceRecoveryHook
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.variables.variables import Variable


class AllreduceOptimizer(Optimizer):
    """Synchronous data-parallel training: wraps an optimizer and averages gradients over all workers.

    Each worker computes the gradients of its share of the batch; all apply the same mean. All workers must start from
    equal values: run `broadcast_variables()` after the initializer; with `lost_workers` the hook does it. The variables
    then stay bitwise equal. If the loss is a mean over the batch and the shares are of equal size, training matches
    that of a single process on the whole batch.

    Before each update the workers compare their variables and slots, at almost no cost: small variables as a whole,
    large ones a different part each time. If they differ, all workers get an error that names the variable: an
    InvalidArgumentError, or an AbortedError that quotes the worker that detected it first. This catches different
    initial values as well as, say, different learning rates.

    Dense gradients are sent in buckets, in the order in which backpropagation computes them: a bucket is sent as soon
    as its gradients are ready, while others are still being computed. Sparse gradients (`IndexedSlices`) are
    concatenated.

    With `lost_workers`, training outlives the loss of workers (under `tfcore.run --restart`). Each worker runs a
    `MonitoredSession` as a chief, with the hook of `make_session_run_hook`, which must come before hooks that save.
    Updates begin when all gradients have been combined, so that a step that fails leaves its worker's variables as they
    were. Other collectives of the step need the group `tf.distributed.survivors()` for training to outlive a loss.

    Args:
      opt: The `Optimizer` to wrap.
      op: How gradients are combined: "mean", "sum", or, for dense gradients only, "min" or "max".
      bucket_bytes: Size up to which gradients share a bucket; larger ones get a separate one. 0: one bucket for each
        gradient.
      group: A list of ranks or the name of a job; all workers by default.
      name: Prefix of the names of the operations; "Allreduce" and the name of `opt` by default.
      use_locking: Accepted for compatibility; `opt` decides.
      lost_workers: What happens when workers are lost: "wait" for those that replace them, "continue" with those that
        are left until others replace them, or None: steps fail.

    Raises:
      TypeError: `opt` is not an `Optimizer`.
      ValueError: `op` or `lost_workers` is invalid, or `bucket_bytes` is negative.

    Example:

    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(3.0)
    ...     optimizer = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(0.25), lost_workers="continue")
    ...     train = optimizer.minimize(w * w, global_step=tf.train.get_or_create_global_step())
    ...     hooks = [optimizer.make_session_run_hook()]
    ...     # Each worker is a chief; chief_only_hooks come before the hooks that save.
    ...     with tf.train.MonitoredTrainingSession(chief_only_hooks=hooks) as sess:
    ...         _, value = sess.run([train, w])
    """

    def __init__(
        self, opt, op="mean", bucket_bytes=8 << 20, group=None, name=None, use_locking=False, lost_workers=None
    ):
        if not isinstance(opt, Optimizer):
            raise TypeError(f"opt must be an Optimizer, not {opt!r}.")
        collective.merge_attrs(op, ("mean", "sum", "min", "max"))
        if bucket_bytes < 0:
            raise ValueError(f"bucket_bytes can't be negative: {bucket_bytes}.")
        if lost_workers not in (None, "wait", "continue"):
            raise ValueError(f"lost_workers must be None, 'wait' or 'continue', not {lost_workers!r}.")
        super().__init__(use_locking, name or "Allreduce" + opt.get_name())
        self._opt = opt
        self._op = op
        self._bucket_bytes = bucket_bytes
        self._group = collective.survivors(group) if lost_workers == "continue" else group
        self._lost_workers = lost_workers
        self._updating = None  # a variable: 1 while variables are being changed

    def compute_gradients(self, loss, var_list=None, gate_gradients=Optimizer.GATE_OP, *args, **kwargs):
        """Computes the gradients on this worker and combines them with those of the others.

        With GATE_GRAPH, no gradient is used before all have been combined.

        Args:
          loss: The `Tensor` to minimize, or a function without arguments that returns it.
          var_list: A list of variables to update; by default those of the collection TRAINABLE_VARIABLES.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH, see `Optimizer.minimize`.
          *args, **kwargs: Further arguments of the wrapped optimizer's `compute_gradients`.

        Returns:
          A list of pairs (combined gradient, variable).

        Raises:
          ValueError: See `Optimizer.compute_gradients`.
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

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, skip_gradients_aggregation=False):
        """Applies gradients with the wrapped optimizer, after checking that all workers have equal variables.

        Args:
          grads_and_vars: A list of pairs (gradient, variable), as `compute_gradients` returns.
          global_step: A variable to increment after the update (optional).
          name: Name of the training operation (optional).
          skip_gradients_aggregation: Ignored: `compute_gradients` aggregates.

        Returns:
          The `Operation` that updates the variables and increments `global_step`.

        Raises:
          ValueError: `lost_workers` is set and there is no `global_step`; see `Optimizer.apply_gradients`.
          tf.errors.InvalidArgumentError: When run: a variable or slot differs between workers. No variable has been
            changed then.
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
            if self._lost_workers is not None:
                return self._apply_whole(grads_and_vars, check, global_step, name)
            with control_dependencies([check]):
                return self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _apply_whole(self, grads_and_vars, check, global_step, name):
        """Applies the gradients when all are there; a variable says that it is being done."""
        if global_step is None:
            raise ValueError("lost_workers needs a global_step: its value says which worker is ahead.")
        if self._updating is None:
            with control_dependencies(None):
                self._updating = Variable(0, trainable=False, collections=[], name=f"{self._name}/updating")
        grads = control.tuple([g for g, _ in grads_and_vars], control_inputs=[check])
        with control_dependencies([g.op for g in grads if g is not None]):
            begun = self._updating.assign(1)
        with control_dependencies([begun]):
            update = self._opt.apply_gradients(
                [(g, v) for g, (_, v) in zip(grads, grads_and_vars)], global_step=global_step
            )
        with control_dependencies([update]):
            return control.group(self._updating.assign(0).op, name=name)

    def make_session_run_hook(self):
        """The hook that gives all workers equal variables, at the start and whenever workers are lost or come back.

        Make it after the training operation. Pass it as one of `chief_only_hooks` to `MonitoredTrainingSession`, which
        calls these before it saves; each worker is the chief of its own variables, and one of them has a
        `checkpoint_dir`.

        Returns:
          A `SessionRunHook`.

        Raises:
          ValueError: The optimizer was made without `lost_workers`.
          RuntimeError: There is no training operation yet.
        """
        if self._lost_workers is None:
            raise ValueError("Only an AllreduceOptimizer with lost_workers recovers.")
        if self._updating is None:
            raise RuntimeError("make_session_run_hook should be called after apply_gradients.")
        return AllreduceRecoveryHook(self._name, self._group, self._lost_workers == "wait", self._updating)

    def broadcast_variables(self, variables=None, root=0):
        """Sets the variables of all workers to the values of one, see `tf.distributed.broadcast_variables`.

        Run the operation after the initializer.

        Args:
          variables: A list of `Variable`s; all global variables by default.
          root: Rank of the worker whose values are taken.

        Returns:
          The `Operation` that assigns the values.
        """
        return groups.broadcast_variables(variables, root, self._group)

    def get_slot(self, var, name):
        return self._opt.get_slot(var, name)

    def get_slot_names(self):
        return self._opt.get_slot_names()

    def variables(self):
        return self._opt.variables()


def buckets(grads, most_bytes):
    """Groups the indices of dense gradients into buckets of one type, in the order in which the graph computes them."""
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
