# Written by python -m tfcore.tools.stubs: do not edit.

import enum
from tfcore.distribute import Strategy as Strategy
from typing import Any as _Any

__all__ = [
'CentralStorageStrategy', 'CollectiveCommunication', 'CollectiveHints', 'CommunicationImplementation',
'CommunicationOptions', 'MultiWorkerMirroredStrategy', 'ParameterServerStrategy', 'TPUStrategy'
]

class CentralStorageStrategy(Strategy):
    """Trains a replica of a model on each device of this process, with all variables on one of them."""
    def __init__(self, compute_devices: _Any = None, parameter_device: _Any = None) -> None: ...

class CollectiveCommunication(enum.Enum):
    """How processes would send values."""
    AUTO = 'AUTO'
    NCCL = 'NCCL'
    RING = 'RING'
    def __new__(cls, value: _Any) -> CollectiveCommunication: ...

class CollectiveHints(CommunicationOptions):
    """The older name of `CommunicationOptions`."""
    def __init__(self, bytes_per_pack: _Any = 0, timeout_seconds: _Any = None) -> None: ...

CommunicationImplementation = CollectiveCommunication

class CommunicationOptions:
    """How processes would send values. Accepted, and without effect: strategies are for one process."""
    def __init__(self, bytes_per_pack: _Any = 0, timeout_seconds: _Any = None, implementation: _Any = ...) -> None: ...
    bytes_per_pack: _Any
    implementation: _Any
    timeout_seconds: _Any

class MultiWorkerMirroredStrategy(Strategy):
    """Refuses to be made: `tf.train.AllreduceOptimizer` trains like this."""
    def __init__(self, communication: _Any = ..., cluster_resolver: _Any = None) -> None: ...

class ParameterServerStrategy(Strategy):
    """Refuses to be made: `tf.train.replica_device_setter` puts variables on parameter servers."""
    def __init__(self, cluster_resolver: _Any = None) -> None: ...

class TPUStrategy(Strategy):
    """Refuses to be made: there are no TPUs."""
    def __init__(self, tpu_cluster_resolver: _Any = None, steps_per_run: _Any = None, device_assignment: _Any = None) -> None: ...
    @property
    def steps_per_run(self) -> _Any:
        """Never read: there are no objects of this class."""
