"""The strategies: over the devices of this process, and those that other means replace."""

import enum
from typing import NamedTuple

from tfcore.client.physical_devices import list_logical_devices
from tfcore.distribute.cross_device_ops import CrossDeviceOps
from tfcore.distribute.strategy import Strategy, StrategyExtended
from tfcore.framework import errors


class MirroredStrategy(Strategy):
    """Trains a replica of a model on each device of this process, and sums their gradients.

    Replicas share one variable where TensorFlow keeps equal copies, so values are the same. It is on the device of the
    first replica; the others read it once in each step.

    Args:
      devices: A list of names of devices; by default all GPUs, or the CPU.
      cross_device_ops: How values are combined (optional).

    Raises:
      AssertionError: A device is named twice.
      ValueError: `cross_device_ops` is not a `tf.distribute.CrossDeviceOps`.
    """

    def __init__(self, devices=None, cross_device_ops=None):
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise ValueError(f"cross_device_ops must be a tf.distribute.CrossDeviceOps, but got {cross_device_ops!r}")
        super().__init__(StrategyExtended(self))
        self.extended.use_devices(devices or _local_devices(), cross_device_ops=cross_device_ops)


class OneDeviceStrategy(Strategy):
    """Trains one replica, on one device.

    Args:
      device: Its name.
    """

    def __init__(self, device):
        super().__init__(StrategyExtended(self))
        self.extended.use_devices([device])


class CentralStorageStrategy(Strategy):
    """Trains a replica of a model on each device of this process, with all variables on one of them.

    Args:
      compute_devices: A list of names of devices; by default all GPUs, or the CPU.
      parameter_device: The name of the variables' device; by default the GPU if there is one, else the CPU.

    Raises:
      AssertionError: A device is named twice.
    """

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__(StrategyExtended(self))
        devices = compute_devices or _local_devices()
        if parameter_device is None:
            parameter_device = devices[0] if len(devices) == 1 else "/device:CPU:0"
        self.extended.use_devices(devices, parameter_device)


def _local_devices():
    gpus = [device.name for device in list_logical_devices("GPU")]
    return gpus or ["/device:CPU:0"]


# ---- Strategies over several processes


class CommunicationImplementation(enum.Enum):
    """How processes would send values."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How processes would send values. Accepted, and without effect: strategies are for one process.

    Args:
      bytes_per_pack: Bytes that are sent together; 0: the runtime chooses.
      timeout_seconds: After how many seconds a step fails; None: never.
      implementation: A `CommunicationImplementation`.

    Raises:
      ValueError: An argument is not valid.
    """

    def __init__(self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO):
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if not isinstance(implementation, CommunicationImplementation):
            implementation = CommunicationImplementation(str(implementation).upper())
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class CollectiveHints(CommunicationOptions):
    """The older name of `CommunicationOptions`.

    Args:
      bytes_per_pack: Bytes that are sent together; 0: the runtime chooses.
      timeout_seconds: After how many seconds a step fails; None: never.
    """

    def __init__(self, bytes_per_pack=0, timeout_seconds=None):
        super().__init__(bytes_per_pack, timeout_seconds)


class RunOptions(NamedTuple):
    """Options of `Strategy.run`, for TPUs: accepted, and without effect.

    Args:
      experimental_enable_dynamic_batch_size: For TPUs.
      experimental_bucketizing_dynamic_shape: For TPUs.
      experimental_xla_options: For TPUs.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


def _refuse(strategy, instead):
    raise errors.UnimplementedError(None, None, f"{strategy._public_name} is not implemented: {instead}")


class MultiWorkerMirroredStrategy(Strategy):
    """Refuses to be made: `tf.train.AllreduceOptimizer` trains like this.

    Args:
      communication: How processes would send values.
      cluster_resolver: Where the processes are.

    Raises:
      UnimplementedError: In any case.
    """

    _public_name = "tf.distribute.experimental.MultiWorkerMirroredStrategy"

    def __init__(self, communication=CommunicationImplementation.AUTO, cluster_resolver=None):
        _refuse(
            self,
            "wrap the optimizer in tf.train.AllreduceOptimizer, make a tf.train.Server in each task, and run "
            "tf.train.MonitoredTrainingSession with the optimizer's make_session_run_hook().",
        )


class ParameterServerStrategy(Strategy):
    """Refuses to be made: `tf.train.replica_device_setter` puts variables on parameter servers.

    Args:
      cluster_resolver: Where the processes are.

    Raises:
      UnimplementedError: In any case.
    """

    _public_name = "tf.distribute.experimental.ParameterServerStrategy"

    def __init__(self, cluster_resolver=None):
        _refuse(
            self,
            "build the graph in tf.device(tf.train.replica_device_setter(cluster=cluster)), make a tf.train.Server in "
            "each task, and run tf.train.MonitoredTrainingSession(server.target, is_chief=...).",
        )


class TPUStrategy(Strategy):
    """Refuses to be made: there are no TPUs.

    Args:
      tpu_cluster_resolver: Where the TPUs are.
      steps_per_run: Steps per run.
      device_assignment: Which cores compute what.

    Raises:
      UnimplementedError: In any case.
    """

    _public_name = "tf.distribute.experimental.TPUStrategy"

    def __init__(self, tpu_cluster_resolver=None, steps_per_run=None, device_assignment=None):
        _refuse(self, "there are no TPUs; tf.distribute.MirroredStrategy trains on the GPUs of this process.")

    @property
    def steps_per_run(self):
        """Never read: there are no objects of this class."""
        raise NotImplementedError
