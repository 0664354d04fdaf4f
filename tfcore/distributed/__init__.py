"""The namespace tf.distributed: collectives."""

from tfcore.framework.lazy import lazy_names as _lazy_names

_COLLECTIVES = "allgather allreduce barrier broadcast broadcast_variables rank reduce_scatter size".split()

__getattr__, __dir__ = _lazy_names(globals(), dict.fromkeys(_COLLECTIVES, "tfcore.ops.collective"))
