"""The strategy and the replica that a program is in."""

import weakref

from tfcore.distribute.replica_context import ReplicaContext, current_mode
from tfcore.distribute.strategy import default_strategy
from tfcore.framework.graph.graph import get_default_graph


def get_strategy():
    """The strategy that the program is inside.

    Returns:
      A `tf.distribute.Strategy`; outside of all, one that has a single replica and changes nothing.
    """
    here = current_mode()
    return default_strategy() if here is None else here.strategy


def get_replica_context():
    """The replica that the program is in.

    Returns:
      A `tf.distribute.ReplicaContext`. Outside of strategies there is one replica; None in the scope of a strategy and
      in functions that `merge_call` calls.
    """
    here = current_mode()
    return ReplicaContext(get_strategy(), 0) if here is None else here.replica


def get_loss_reduction():
    """How the losses of replicas become that of the whole batch.

    Returns:
      A `tf.distribute.ReduceOp`: MEAN in estimators, unless the last loss was a sum; SUM otherwise.
    """
    return get_strategy().extended.loss_reduction


_set_scopes = weakref.WeakKeyDictionary()  # graph -> the open scope of experimental_set_strategy


def experimental_set_strategy(strategy):
    """Enters the scope of a strategy, for the rest of the program, in this thread and the default graph.

    Args:
      strategy: A `tf.distribute.Strategy`, or None: leaves the strategy that was set before.

    Raises:
      RuntimeError: The program is inside the scope of a strategy that it has entered by `with`.
    """
    graph = get_default_graph()
    before = _set_scopes.pop(graph, None)
    if before is not None:
        before.__exit__(None, None, None)
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _set_scopes[graph] = scope
