# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore.distribute import CrossDeviceOps as CrossDeviceOps
from tfcore.distribute import MirroredStrategy as MirroredStrategy
from tfcore.distribute import OneDeviceStrategy as OneDeviceStrategy
from tfcore.distribute import ReductionToOneDevice as ReductionToOneDeviceCrossDeviceOps
from tfcore.distribute import ReplicaContext as ReplicaContext
from tfcore.distribute import Strategy as DistributionStrategy
from tfcore.distribute import get_loss_reduction as get_loss_reduction
from tfcore.distribute import get_replica_context as get_replica_context
from tfcore.distribute import get_strategy as get_distribution_strategy
from tfcore.distribute import get_strategy as get_strategy
from tfcore.distribute import has_strategy as has_distribution_strategy
from tfcore.distribute import has_strategy as has_strategy
from tfcore.distribute import in_cross_replica_context as in_cross_replica_context
from tfcore.distribute.experimental import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcore.distribute.experimental import ParameterServerStrategy as ParameterServerStrategy
from tfcore.distribute.experimental import TPUStrategy as TPUStrategy
from typing import Any as _Any

__all__ = [
'CollectiveAllReduceStrategy', 'CrossDeviceOps', 'DistributeConfig', 'DistributionStrategy', 'MirroredStrategy',
'OneDeviceStrategy', 'ParameterServerStrategy', 'ReductionToOneDeviceCrossDeviceOps', 'ReplicaContext', 'TPUStrategy',
'get_distribution_strategy', 'get_loss_reduction', 'get_replica_context', 'get_strategy', 'has_distribution_strategy',
'has_strategy', 'in_cross_replica_context', 'require_replica_context'
]

class CollectiveAllReduceStrategy(MultiWorkerMirroredStrategy):
    """Refuses to be made: `tf.train.AllreduceOptimizer` trains like this."""
    def __init__(self, num_gpus_per_worker: _Any = 0, communication: _Any = ...) -> None: ...

class DistributeConfig(builtins.tuple):
    """The strategies of an estimator, for its RunConfig."""
    def __new__(cls, train_distribute: _Any = None, eval_distribute: _Any = None, remote_cluster: _Any = None) -> DistributeConfig: ...
    eval_distribute: _Any
    remote_cluster: _Any
    train_distribute: _Any

class MirroredStrategy(MirroredStrategy):
    """`tf.distribute.MirroredStrategy` with the arguments that it had in tf.contrib."""
    def __init__(self, devices: _Any = None, num_gpus: _Any = None, num_gpus_per_worker: _Any = None, cross_device_ops: _Any = None, auto_shard_dataset: _Any = False) -> None: ...

class OneDeviceStrategy(OneDeviceStrategy):
    """`tf.distribute.OneDeviceStrategy`."""

class ParameterServerStrategy(ParameterServerStrategy):
    """Refuses to be made: `tf.train.replica_device_setter` puts variables on parameter servers."""
    def __init__(self, num_gpus_per_worker: _Any = 0) -> None: ...

def require_replica_context(context: _Any) -> _Any:
    """Raises an error unless a context is that of the calling thread."""
