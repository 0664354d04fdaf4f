"""tf.distribute, as far as a program without a strategy uses it: there is one replica."""


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
