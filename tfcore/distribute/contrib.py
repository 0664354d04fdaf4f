"""tf.contrib.distribute: the older names of tf.distribute."""

import collections

from tfcore.distribute import strategies
from tfcore.distribute.strategies import MultiWorkerMirroredStrategy


class MirroredStrategy(strategies.MirroredStrategy):
    """`tf.distribute.MirroredStrategy` with the arguments that it had in tf.contrib.

    Args:
      devices: A list of names of devices; by default the first `num_gpus` GPUs; without `num_gpus` all GPUs, or the
        CPU.
      num_gpus: How many GPUs are used.
      num_gpus_per_worker: The older name of `num_gpus`.
      cross_device_ops: How values are combined (optional).
      auto_shard_dataset: Accepted for compatibility; has no effect, as there is one process.

    Raises:
      ValueError: Devices and a number of GPUs are given, or two numbers.
    """

    def __init__(
        self,
        devices=None,
        num_gpus=None,
        num_gpus_per_worker=None,
        cross_device_ops=None,
        auto_shard_dataset=False,
    ):
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        number = num_gpus_per_worker if num_gpus is None else num_gpus
        if number is not None:
            if devices is not None:
                raise ValueError("Must only specify one of `devices` and `num_gpus`.")
            devices = [f"/device:GPU:{i}" for i in range(number)] or ["/device:CPU:0"]
        super().__init__(devices, cross_device_ops)


class OneDeviceStrategy(strategies.OneDeviceStrategy):
    """`tf.distribute.OneDeviceStrategy`.

    Args:
      device: Its name.
    """


class CollectiveAllReduceStrategy(MultiWorkerMirroredStrategy):
    """Refuses to be made: `tf.train.AllreduceOptimizer` trains like this.

    Args:
      num_gpus_per_worker: How many GPUs are used.
      communication: How processes would send values.

    Raises:
      UnimplementedError: In any case.
    """

    _public_name = "tf.contrib.distribute.CollectiveAllReduceStrategy"

    def __init__(self, num_gpus_per_worker=0, communication=strategies.CommunicationImplementation.AUTO):
        super().__init__(communication)


class ParameterServerStrategy(strategies.ParameterServerStrategy):
    """Refuses to be made: `tf.train.replica_device_setter` puts variables on parameter servers.

    Args:
      num_gpus_per_worker: How many GPUs are used.

    Raises:
      UnimplementedError: In any case.
    """

    _public_name = "tf.contrib.distribute.ParameterServerStrategy"

    def __init__(self, num_gpus_per_worker=0):
        super().__init__()


class DistributeConfig(
    collections.namedtuple("DistributeConfig", ["train_distribute", "eval_distribute", "remote_cluster"])
):
    """The strategies of an estimator, for its RunConfig.

    Args:
      train_distribute: The strategy for training (optional).
      eval_distribute: The strategy for evaluation (optional).
      remote_cluster: The addresses of a cluster that runs both (optional).
    """

    def __new__(cls, train_distribute=None, eval_distribute=None, remote_cluster=None):
        return super().__new__(cls, train_distribute, eval_distribute, remote_cluster)
