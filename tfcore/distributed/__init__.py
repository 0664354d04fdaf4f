"""The namespace tf.distributed: collectives."""

from tfcore.framework.lazy import lazy_names as _lazy_names

__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        **dict.fromkeys(
            "allgather allreduce barrier broadcast reduce_scatter survivors".split(), "tfcore.ops.collective.collective"
        ),
        **dict.fromkeys("broadcast_variables rank size".split(), "tfcore.distributed.collectives.groups"),
    },
)
