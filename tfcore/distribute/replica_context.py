"""Whether a thread is in no strategy, in its scope, or in one of its replicas."""

from tfcore.distribute.values import ReduceOp, select
from tfcore.framework.functions.func_graph import shares_with_bodies
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import nest
from tfcore.framework.values.constant import constant
from tfcore.ops.functions.custom_gradient import custom_gradient


class ThreadMode:
    """The strategy and the replica that a thread is in: `Scopes.strategy_mode`.

    Attributes:
      strategy: The `Strategy`.
      replica: The `ReplicaContext`, None outside of replicas.
    """

    def __init__(self, strategy, replica=None):
        self.strategy = strategy
        self.replica = replica

    # ---- What optimizers, losses and metrics call

    def scale_loss(self, loss):
        """A loss for the gradients: an estimator's mean over a replica becomes part of the mean over all."""
        if self.strategy.extended.loss_reduction is ReduceOp.SUM or self.strategy.num_replicas_in_sync == 1:
            return loss
        get_default_graph()._is_loss_scaled_by_optimizer = True  # estimators read it
        return loss * (1.0 / self.strategy.num_replicas_in_sync)

    def note_reduction(self, reduction):
        """Notes how the last loss was reduced."""
        self.strategy.extended.last_loss_reduction = reduction

    def value_of_first_replica(self, value):
        """The value that the first replica has."""
        if self.replica is None:
            return value
        return self.replica.merge_call(lambda strategy, value: select(0, value), (value,))

    def apply_gradients(self, optimizer, apply_gradients, pairs, global_step, name):
        """The operation that applies the sums of all replicas' gradients.

        Args:
          optimizer: The optimizer.
          apply_gradients: Its function that applies them, with these arguments.
          pairs: Pairs (gradient, variable), passed to `apply_gradients`.
          global_step: Passed to `apply_gradients`.
          name: Passed to `apply_gradients`.

        Raises:
          RuntimeError: The program is in no replica.
        """
        if self.replica is None:
            raise RuntimeError(
                "Optimizer.apply_gradients is called in a cross-replica context. Call it in the function that "
                "strategy.run() calls for each replica."
            )

        def merged(strategy, pairs, global_step):
            summed = strategy.extended.batch_reduce_to(ReduceOp.SUM, pairs)
            with strategy.extended.updating():
                pairs = [(g, v) for g, (_, v) in zip(summed, pairs)]
                return apply_gradients(optimizer, pairs, global_step=global_step, name=name)

        pairs = [(g, v) for g, v in pairs if g is not None]
        return self.replica.merge_call(merged, (pairs, global_step))

    def updated_with_mean(self, update, value, variable):
        """What a function returns of the mean of the replicas' values: it is called once, for all of them."""
        if self.replica is None or self.strategy.num_replicas_in_sync == 1:
            return update(value)

        def merged(strategy, value):
            return update(strategy.extended.reduce_to(ReduceOp.MEAN, value, variable))

        return self.replica.merge_call(merged, (value,))

    def slot(self, primary, name, make):
        """The variable that accompanies another one, or a tensor: in a replica, the one that the first replica makes.

        Args:
          primary: The variable or tensor.
          name: The name of the slot.
          make: A function that makes it.
        """
        if self.replica is None or self.strategy.num_replicas_in_sync == 1:
            return make()
        return self.replica.thread.slot(primary, name, make)

    @property
    def merges_gradients(self):
        """Whether `apply_gradients` is to be called: not in what it calls itself."""
        return self.replica is not None or not self.strategy.extended.is_updating


@shares_with_bodies
def _share_mode(graph, outer):
    """Functions are in the replica in which they are defined."""
    graph.scopes.strategy_mode = outer.scopes.strategy_mode


def current_mode():
    """The ThreadMode of the calling thread, None outside of strategies."""
    return get_default_graph().scopes.strategy_mode


def has_strategy():
    """Whether the program is inside a strategy: in its scope, or in one of its replicas.

    Returns:
      A bool.
    """
    return current_mode() is not None


def in_cross_replica_context():
    """Whether the program is in the scope of a strategy, but in none of its replicas.

    Returns:
      A bool.
    """
    here = current_mode()
    return here is not None and here.replica is None


def require_replica_context(context):
    """Raises an error unless a context is that of the calling thread.

    Args:
      context: A `tf.distribute.ReplicaContext`.

    Raises:
      RuntimeError: It is another one.
    """
    here = current_mode()
    if here.replica is not context if here is not None else context.strategy.extended.has_scope:
        raise RuntimeError("Need to be inside `with` block of the context that the method is called on.")


class ReplicaContext:
    """One of the replicas of a strategy. `tf.distribute.get_replica_context` returns it.

    Args:
      strategy: The `tf.distribute.Strategy`.
      replica_id_in_sync_group: The number of the replica.
    """

    def __init__(self, strategy, replica_id_in_sync_group):
        self._strategy = strategy
        self._number = replica_id_in_sync_group
        self._id = None

    @property
    def strategy(self):
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self):
        """The number of replicas."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self):
        """The number of this replica: a constant `Tensor` in the graph, the int 0 outside of strategies."""
        if self._id is None:
            self._id = constant(self._number, name="replica_id_in_sync_group") if has_strategy() else self._number
        return self._id

    @property
    def devices(self):
        """The device of this replica, in a tuple."""
        return (self._strategy.extended.worker_devices[self._number] if has_strategy() else "",)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Calls a function once for all replicas, when each has come to this call.

        Args:
          merge_fn: A function of the strategy and of the arguments; where these differ between replicas, it gets
            `PerReplica` values.
          args: Positional arguments.
          kwargs: Keyword arguments.

        Returns:
          What the function returns; of `PerReplica` values in it, those of this replica.

        Raises:
          RuntimeError: This replica is not the one that the program is in.
        """
        require_replica_context(self)
        return self._strategy.extended.merge(self, merge_fn, args, kwargs or {})

    def all_reduce(self, reduce_op, value, options=None):
        """Combines a value over all replicas, with a gradient that combines theirs.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          value: A `Tensor` or a nested structure of them.
          options: Ignored: nothing is sent to other processes.

        Returns:
          The same structure, with the combined values.

        Raises:
          RuntimeError: This replica is not the one that the program is in.
        """
        reduce_op = ReduceOp.of(reduce_op)

        @custom_gradient
        def reduced(*values):
            found = self.merge_call(_batch_reduce, (reduce_op, list(values)))
            return found, lambda *grads: self.all_reduce(reduce_op, list(grads))

        flat = nest.flatten(value)
        return nest.pack_sequence_as(value, nest.flatten(reduced(*flat)))


def _batch_reduce(strategy, reduce_op, values):
    return strategy.extended.batch_reduce_to(reduce_op, [(value, value) for value in values])
