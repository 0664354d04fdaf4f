"""The devices of a cluster's tasks. Each task describes its own to the others when the cluster starts, so that masters
can place operations on all of them.

The ConfigProto of a server decides which devices its task has, as that of a session does in a process without a
cluster.
"""

from tfcore.client.config import SessionOptions, number_of_gpus
from tfcore.compiler.devices import Devices, device_name, device_type, has_own_memory, task_of, why_no_gpu
from tfcore.distributed.fabric import fabric
from tfcore.framework import errors

ANSWER_S = 5.0  # for a task to say why it has no GPU


def own_devices(task, config):
    """This process's description of its devices, for all tasks.

    Args:
      task: (job, replica, index) of this process.
      config: the ConfigProto of its server, or None.

    Returns: a list of [type, memory limit in bytes, description of a GPU or ""], for CPUs and GPUs.

    Raises:
      InvalidArgumentError: the ConfigProto asks for GPUs that are not there.
      UnavailableError: emulated GPUs were asked for, and can't be had.
    """
    options = SessionOptions.of(config)
    gpus = number_of_gpus(options)
    if gpus:
        from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

        gpu.set_task(device_name(task).rpartition("/")[0])
    devices = Devices(client=task, count=options.cpus, gpus=gpus)
    return [
        [device_type(name), devices.memory_limit(name), devices.description(name) if has_own_memory(name) else ""]
        for name in devices.names()
        if device_type(name) in ("CPU", "GPU")
    ]


def serve():
    """Answers masters that ask why this task has no GPU."""
    fabric.serve("why_no_gpu", lambda source, payload: why_no_gpu().encode())


class ClusterDevices(Devices):
    """The devices of all tasks, for the master of a session.

    told: by rank, the task as (job, index) and its `own_devices`. client: the rank of this process. target: that of the
    task for operations whose device names none.
    """

    def __init__(self, told, client, target):
        self._tasks = [(job, 0, index) for (job, index), _ in told]
        self._facts = {}
        for task, (_, devices) in zip(self._tasks, told):
            kinds = [kind for kind, _, _ in devices]
            for i, (kind, limit, text) in enumerate(devices):
                self._facts[device_name(task, kind, i - kinds.index(kind))] = limit, text
        super().__init__(list(self._facts), self._tasks[client], home=self._tasks[target])
        if any(device_type(name) == "GPU" for name in self._facts):
            from tfcore.core.device import gpu

            gpu.load_kernels()  # this process needs to know them, even without a GPU

    def ranks(self):
        """Dict from tasks (job, replica, index) to their ranks."""
        return {task: rank for rank, task in enumerate(self._tasks)}

    def memory_limit(self, name):
        return self._facts[name][0] if name in self._facts else super().memory_limit(name)

    def description(self, name):
        return self._facts[name][1]

    def why_no_device(self, wanted):
        asked = [task for task in self._tasks if all(w in (None, part) for w, part in zip(wanted, task))]
        if wanted[3] != "GPU" or not asked or any(self._has_gpu(task) for task in asked):
            return ""
        task = self._home if self._home in asked else asked[0]
        try:
            missing = self._ask(task)
        except errors.OpError as error:
            missing = error.message.rstrip(".")
        return f" There is no GPU in {device_name(task).rpartition('/')[0]}: {missing}." if missing else ""

    def _has_gpu(self, task):
        return any(task_of(name) == task and device_type(name) == "GPU" for name in self._facts)

    def _ask(self, task):
        if task == self.client:
            return why_no_gpu()
        return bytes(fabric.call(self.ranks()[task], "why_no_gpu", timeout_s=ANSWER_S)).decode()
