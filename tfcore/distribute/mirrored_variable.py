"""Variables of strategies: one for all replicas, which takes their updates combined."""

from tfcore.distribute.replica_context import current_mode
from tfcore.distribute.values import PerReplica, ReduceOp
from tfcore.framework import errors
from tfcore.variables.copies import VariableAggregation, VariableSynchronization
from tfcore.variables.resource_variable import ResourceVariable


class MirroredVariable(ResourceVariable):
    """A variable that replicas share. An update in a replica context waits for those of all, and is made once.

    The value is then that of TensorFlow's copies of the variable: their common value, or what reading them outside of
    replicas gives. Without an aggregation it is the first replica's, as TensorFlow reads and saves that one.
    """

    def _updated(self, op_def, *inputs, **kwargs):
        here = self._replica()
        if here is not None:
            raise errors.UnimplementedError(
                None,
                None,
                f"{op_def.name} of the variable {self.name} in a replica context is not implemented: replicas share "
                "the variable. Call strategy.extended.update in a function that merge_call calls.",
            )
        return super()._updated(op_def, *inputs, **kwargs)

    def _assigned(self, op_def, value, name, read_value):
        here = self._replica()
        if here is None:
            return super()._assigned(op_def, value, name, read_value)
        if self.aggregation is VariableAggregation.NONE and self.synchronization is VariableSynchronization.ON_READ:
            self._refuse()
        assign = super()._assigned

        def merged(strategy, value):
            return assign(op_def, self._combined(strategy, value), name, read_value)

        return here.merge_call(merged, (value,))

    def _replica(self):
        """The ReplicaContext that the program is in, if there are others."""
        here = current_mode()
        return here.replica if here is not None and here.strategy.num_replicas_in_sync > 1 else None

    def _combined(self, strategy, value):
        if self.aggregation in (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA):
            return value.values[0] if isinstance(value, PerReplica) else value
        reduce_op = ReduceOp.of(self.aggregation)
        if not isinstance(value, PerReplica) and reduce_op is ReduceOp.SUM:  # one object for all replicas
            value = PerReplica([value] * strategy.num_replicas_in_sync)
        return strategy.extended.reduce_to(reduce_op, value, self)

    def _refuse(self):
        raise errors.UnimplementedError(
            None,
            None,
            f"The variable {self.name} would have another value in each replica (ON_READ, without an aggregation). "
            "Replicas share their variables here: give it an aggregation.",
        )
