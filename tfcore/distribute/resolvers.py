"""tf.distribute.cluster_resolver: where the tasks of a cluster are, from arguments or the environment."""

import abc
import collections
import enum
import json
import os

from tfcore.client.session import Session
from tfcore.distributed.cluster.cluster import ClusterSpec
from tfcore.framework import errors
from tfcore.framework.graph.graph import Graph


class ClusterResolver(abc.ABC):
    """Says where the tasks of a cluster are. Derived classes define `cluster_spec` and `master`."""

    _task_type = _task_id = None

    @abc.abstractmethod
    def cluster_spec(self):
        """The cluster.

        Returns:
          A `tf.train.ClusterSpec`.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, as TensorFlow's sessions take it.

        Args:
          task_type: Name of a job (optional).
          task_id: Number of a task in it (optional).
          rpc_layer: Name of a protocol, put before the address (optional).

        Returns:
          A string.

        Raises:
          ValueError: There is no such task.
        """
        raise NotImplementedError

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """The number of devices of each type that this process has.

        Args:
          task_type: Name of a job: counts only its devices.
          task_id: Number of a task in it.
          config_proto: A `tf.ConfigProto` for the session that counts them.

        Returns:
          A dict from types of devices, but for the CPU, to numbers.

        Raises:
          Nothing.
        """
        with Session(graph=Graph(), config=config_proto) as session:
            devices = session.list_devices()
        return collections.Counter(device.device_type for device in devices if device.device_type != "CPU")

    @property
    def environment(self):
        """Always empty outside of Google."""
        return ""

    @property
    def task_type(self):
        """The job of this process, None if that is not known."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        """The number of this process in its job, None if that is not known."""
        return self._task_id

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id


def _url(address, rpc_layer):
    return f"{rpc_layer}://{address}" if rpc_layer else address


class _WithProtocol(ClusterResolver):
    _rpc_layer = None

    @property
    def rpc_layer(self):
        """Name of a protocol, put before addresses; None for none."""
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer


class SimpleClusterResolver(_WithProtocol):
    """A cluster that is given as an argument.

    Args:
      cluster_spec: A `tf.train.ClusterSpec`.
      master: What `master()` returns.
      task_type: The job of this process.
      task_id: The number of this process in its job.
      environment: What `environment` is.
      num_accelerators: What `num_accelerators()` returns.
      rpc_layer: Name of a protocol, put before addresses.

    Raises:
      TypeError: `cluster_spec` is not a ClusterSpec, or `master` is not a string.
    """

    def __init__(
        self,
        cluster_spec,
        master="",
        task_type=None,
        task_id=None,
        environment="",
        num_accelerators=None,
        rpc_layer=None,
    ):
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec = cluster_spec
        self._master = master
        self._task_type, self._task_id = task_type, task_id
        self._environment = environment
        self._num_accelerators = num_accelerators
        self._rpc_layer = rpc_layer

    def cluster_spec(self):
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        given = task_type is not None and task_id is not None
        address = self._cluster_spec.task_address(task_type, task_id) if given else self._master
        return _url(address, rpc_layer or self._rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._num_accelerators or {}

    @property
    def environment(self):
        return self._environment


class UnionResolver(_WithProtocol):
    """Several clusters as one. Where it can't have the facts of all, it has those of the first.

    Args:
      *args: `ClusterResolver`s.
      **kwargs: `rpc_layer`, `task_type` and `task_id`, instead of the first resolver's.

    Raises:
      TypeError: An argument is not a ClusterResolver.
      ValueError: There are none, or an unknown keyword.
    """

    def __init__(self, *args, **kwargs):
        self._rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type = kwargs.pop("task_type", None)
        self._task_id = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args

    def cluster_spec(self):
        """All jobs. Lists of tasks of one job are joined; where some are dicts, these are merged.

        Returns:
          A `tf.train.ClusterSpec`.

        Raises:
          KeyError: Two clusters have a task of the same number.
        """
        clusters = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        merged = {}
        for job in dict.fromkeys(job for cluster in clusters for job in cluster):
            parts = [cluster[job] for cluster in clusters if job in cluster]
            if all(isinstance(part, list) for part in parts):
                merged[job] = [address for part in parts for address in part]
            else:
                merged[job] = _merged_tasks(dict(enumerate(p)) if isinstance(p, list) else p for p in parts)
        return ClusterSpec(merged)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            return _url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)

    @property
    def environment(self):
        return self._resolvers[0].environment

    @property
    def task_type(self):
        return self._resolvers[0].task_type if self._task_type is None else self._task_type

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        return self._resolvers[0].task_id if self._task_id is None else self._task_id

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        return self._rpc_layer or self._resolvers[0].rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer


def _merged_tasks(parts):
    found = {}
    for part in parts:
        if twice := found.keys() & part.keys():
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice}")
        found.update(part)
    return found


class TFConfigClusterResolver(_WithProtocol):
    """The cluster that the environment variable TF_CONFIG describes.

    Args:
      task_type: The job of this process, instead of TF_CONFIG's.
      task_id: The number of this process in its job, instead of TF_CONFIG's.
      rpc_layer: Name of a protocol, instead of TF_CONFIG's.
      environment: What `environment` is.
    """

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer = rpc_layer
        self._environment = environment

    def cluster_spec(self):
        return ClusterSpec(_tf_config().get("cluster", {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        config, cluster = _tf_config(), self.cluster_spec()
        if "session_master" in config:
            return config["session_master"]
        if not cluster.jobs or (len(cluster.jobs) == 1 and cluster.num_tasks(cluster.jobs[0]) == 1):
            return ""
        address = cluster.task_address(
            self.task_type if task_type is None else task_type, self.task_id if task_id is None else task_id
        )
        return _url(address, self.rpc_layer if rpc_layer is None else rpc_layer)

    @property
    def environment(self):
        return self._environment

    @property
    def task_type(self):
        found = _tf_config().get("task", {}).get("type") if self._task_type is None else self._task_type
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        found = _tf_config().get("task", {}).get("index") if self._task_id is None else self._task_id
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        return _tf_config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer


def _tf_config():
    return json.loads(os.environ.get("TF_CONFIG", "{}"))


# ---- Clusters in clouds


class KubernetesExecutableLocation(enum.Enum):
    """Where a program would run that asks Kubernetes."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class _Refused(ClusterResolver):
    def __init__(self):
        raise errors.UnimplementedError(
            None,
            None,
            f"tf.distribute.cluster_resolver.{type(self).__name__} is not implemented: nothing here asks clouds. Use "
            "TFConfigClusterResolver, SlurmClusterResolver, or tf.train.ClusterSpec.from_mpi() under mpirun.",
        )

    def cluster_spec(self):
        raise NotImplementedError

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        raise NotImplementedError


class GCEClusterResolver(_Refused):
    """Refuses to be made: nothing here asks the Google Compute Engine.

    Args:
      project: Name of a project.
      zone: Name of a zone.
      instance_group: Name of a group.
      port: Port of all tasks.
      task_type: Name of the job.
      task_id: Number of this process.
      rpc_layer: Name of a protocol.
      credentials: Credentials.
      service: A client.

    Raises:
      UnimplementedError: In any case.
    """

    def __init__(
        self,
        project,
        zone,
        instance_group,
        port,
        task_type="worker",
        task_id=0,
        rpc_layer="grpc",
        credentials="default",
        service=None,
    ):
        super().__init__()

    @property
    def rpc_layer(self):
        """Never read: there are no objects of this class."""
        raise NotImplementedError


class KubernetesClusterResolver(_Refused):
    """Refuses to be made: nothing here asks Kubernetes.

    Args:
      job_to_label_mapping: Labels of pods, by job.
      tf_server_port: Port of all tasks.
      rpc_layer: Name of a protocol.
      override_client: A client.
      executable_location: A `KubernetesExecutableLocation`.

    Raises:
      UnimplementedError: In any case.
    """

    def __init__(
        self,
        job_to_label_mapping=None,
        tf_server_port=8470,
        rpc_layer="grpc",
        override_client=None,
        executable_location=KubernetesExecutableLocation.WITHIN_CLUSTER,
    ):
        super().__init__()


class TPUClusterResolver(_Refused):
    """Refuses to be made: there are no TPUs.

    Args:
      tpu: Name or address of a TPU.
      zone: Name of a zone.
      project: Name of a project.
      job_name: Name of the TPUs' job.
      coordinator_name: Name of this process's job.
      coordinator_address: Address of this process.
      credentials: Credentials.
      service: A client.
      discovery_url: Where the client finds its service.

    Raises:
      UnimplementedError: In any case.
    """

    def __init__(
        self,
        tpu=None,
        zone=None,
        project=None,
        job_name="worker",
        coordinator_name=None,
        coordinator_address=None,
        credentials="default",
        service=None,
        discovery_url=None,
    ):
        super().__init__()
