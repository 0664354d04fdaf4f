"""tf.distribute.cluster_resolver.SlurmClusterResolver: the tasks of a step of Slurm."""

import glob
import itertools
import os

from tfcore.distribute.resolvers import ClusterResolver
from tfcore.distributed.cluster import slurm
from tfcore.distributed.cluster.cluster import ClusterSpec


class SlurmClusterResolver(ClusterResolver):
    """The cluster of a step of Slurm, from the environment variables that `srun` sets.

    Args:
      jobs: A dict from names of jobs to numbers of tasks; by default all tasks are of the job "worker".
      port_base: Port of the first task of each node; each further one has the next.
      gpus_per_node: Number of GPUs of each node; by default those that this process sees.
      gpus_per_task: Number of GPUs of each task; by default those of the node, divided equally.
      tasks_per_node: Number of tasks of each node, or a dict from names of nodes to numbers.
      auto_set_gpu: Whether `cluster_spec` sets CUDA_VISIBLE_DEVICES to the GPUs of this task, of those that it names.
      rpc_layer: Name of a protocol, put before addresses.

    Raises:
      RuntimeError: This is not a step of Slurm, or it has fewer tasks or GPUs than are asked for.
      ValueError: A variable can't be read.
    """

    def __init__(
        self,
        jobs=None,
        port_base=8888,
        gpus_per_node=None,
        gpus_per_task=None,
        tasks_per_node=None,
        auto_set_gpu=True,
        rpc_layer="grpc",
    ):
        self._rank = int(_variable("PROCID"))
        self._jobs = {"worker": int(_variable("STEP_NUM_TASKS"))} if jobs is None else jobs
        self._port_base = port_base
        self._tasks = _tasks_of_nodes(tasks_per_node)
        self._visible = _visible_gpus()  # None: all
        if gpus_per_node is None:  # without the driver, which reads CUDA_VISIBLE_DEVICES only once
            gpus_per_node = len(glob.glob("/proc/driver/nvidia/gpus/*") if self._visible is None else self._visible)
        self._gpus_per_node = gpus_per_node
        most = max(self._tasks.values())
        self._gpus_per_task = self._gpus_per_node // most if gpus_per_task is None else gpus_per_task
        self._auto_set_gpu = auto_set_gpu
        self.rpc_layer = rpc_layer
        if most * self._gpus_per_task > self._gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        wanted, assigned = sum(self._jobs.values()), sum(self._tasks.values())
        if wanted != assigned:
            raise RuntimeError(f"Requested {wanted} tasks but only {assigned} were assigned.")

    def cluster_spec(self):
        """The cluster. Sets `task_type` and `task_id`, and CUDA_VISIBLE_DEVICES if the constructor was asked to.

        Returns:
          A `tf.train.ClusterSpec`.
        """
        places = [(host, i) for host, number in sorted(self._tasks.items()) for i in range(number)]
        cluster, first = {}, 0
        for job, number in sorted(self._jobs.items()):
            cluster[job] = [f"{host}:{self._port_base + i}" for host, i in places[first : first + number]]
            if first <= self._rank < first + number:
                self.task_type, self.task_id = job, self._rank - first
            first += number
        if self._auto_set_gpu and self._gpus_per_task:
            self._show_gpus(places[self._rank][1] * self._gpus_per_task)
        return ClusterSpec(cluster)

    def _show_gpus(self, begin):
        end = begin + self._gpus_per_task
        visible = [str(i) for i in range(end)] if self._visible is None else self._visible
        if self._visible is not None and len(visible) in (0, self._gpus_per_task):
            return  # the user has hidden all, or Slurm has left this task its own
        if end > len(visible):
            raise RuntimeError(
                f"Requested more GPUs per node than available: CUDA_VISIBLE_DEVICES={','.join(visible)}, and this task "
                f"needs numbers {begin} to {end - 1} of the list."
            )
        os.environ["CUDA_VISIBLE_DEVICES"] = shown = ",".join(visible[begin:end])
        _lists[shown] = self._visible

    def get_task_info(self):
        """What this process is, once `cluster_spec` was called.

        Returns:
          A pair: the name of its job, and its number.
        """
        return self.task_type, self.task_id

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        rpc_layer = rpc_layer or self.rpc_layer
        address = self.cluster_spec().task_address(task_type, task_id)
        return f"{rpc_layer}://{address}" if rpc_layer else address

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return {"GPU": self._gpus_per_task}


def _variable(name):
    try:
        return os.environ[f"SLURM_{name}"]
    except KeyError:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?") from None


def _tasks_of_nodes(tasks_per_node):
    """{node: number of tasks}"""
    if isinstance(tasks_per_node, dict):
        return tasks_per_node
    hosts = slurm.expand_hostlist(_variable("STEP_NODELIST"))
    if tasks_per_node is not None:
        return {host: int(tasks_per_node) for host in hosts}
    return dict(zip(hosts, slurm.tasks_per_node(_variable("STEP_TASKS_PER_NODE"))))


def _visible_gpus():
    """The names in CUDA_VISIBLE_DEVICES before a resolver has shortened it; None if it is not set.

    As for the driver, the list ends before the first "-1" or "".
    """
    text = os.environ.get("CUDA_VISIBLE_DEVICES")
    if text is None or text in _lists:
        return _lists.get(text)
    return list(itertools.takewhile(lambda name: name not in ("", "-1"), map(str.strip, text.split(","))))


_lists = {}  # what cluster_spec() has set CUDA_VISIBLE_DEVICES to -> the list before, for the next resolver
