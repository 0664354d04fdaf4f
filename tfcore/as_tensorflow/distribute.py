"""tf.distribute, as far as a program without a strategy uses it: there is one replica."""

import enum


class ReduceOp(enum.Enum):
    """How the values of replicas are combined."""

    SUM = "SUM"
    MEAN = "MEAN"


class ReplicaContext:
    """The context of the one replica."""

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Calls a function once for all replicas. Its first argument, the strategy, is None."""
        return merge_fn(None, *args, **(kwargs or {}))


_context = ReplicaContext()


def get_replica_context():
    """The one ReplicaContext."""
    return _context


def has_strategy():
    """False: no program can enter a strategy."""
    return False


def in_cross_replica_context():
    """False: all code runs in the one replica."""
    return False


# ---- estimator_training


def should_run_distribute_coordinator(config):
    """False: the configuration of an estimator has no strategy."""
    return False


def init_run_config(config, tf_config):
    """Raises NotImplementedError: the configuration of an estimator has a strategy."""
    raise NotImplementedError("RunConfig: tfcore does not have tf.distribute yet. Leave out the strategy.")
