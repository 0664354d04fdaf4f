"""ClusterSpec: the jobs and tasks of a cluster, and which process each task is."""

import os

from tfcore.distributed.cluster import world
from tfcore.run.workers import parse

_NOT_A_CLUSTER = (
    "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
    "or a `ClusterDef` protocol buffer"
)


class ClusterSpec:
    """The tasks of a cluster, by job.

    A task is a process. Its address says which: "mpi:3" or the int 3 is rank 3 of those that a launcher started. With
    other addresses, such as the "host:port" of programs written for TensorFlow, ranks are given to tasks in the order
    in which jobs and tasks are listed, except that a process that passes another job and task to `tf.train.Server`
    becomes that task. Processes that no launcher started, and that pass their job and task, meet at addresses of the
    form "host:port".

    A cluster may have room for tasks that join while it runs: sessions start as soon as the tasks are there that must
    be. An operation of a task that has not started fails with an UnavailableError, and groups of collectives are
    without it.

    With `ps_replicas=2` the variables of each task of job "ps" are kept by the next one of them, too, and a step that
    changes variables ends when both have the change. So the death of one process loses no change: the one that takes
    its place (`python -m tfcore.run --restart`) continues with its variables, without a checkpoint. Queues, tables,
    accumulators and random generators have no replicas.

    Args:
      cluster: dict from job names to lists of addresses, or to dicts from task indices to addresses; or a
        `tf.train.ClusterDef`; or a ClusterSpec.
      at_least: dict from names of jobs to the number of their tasks, one or more, that must be there when the cluster
        starts; of other jobs it is all, and rank 0 always is. None: that of the ClusterSpec `cluster`, or all tasks.
        Not stored in a ClusterDef.
      ps_replicas: how many tasks have each variable of job "ps": 1 or 2. None: that of the ClusterSpec `cluster`, or 1.
        Not stored in a ClusterDef.

    Raises:
      TypeError: `cluster` is of another type.
      ValueError: two tasks have the same rank, or only some addresses give a rank; or `at_least` names no job, or a
        number that is not one of its tasks; or `ps_replicas` is more than 2, or than there are tasks in job "ps".

    Example:

    >>> cluster = tf.train.ClusterSpec({"ps": ["mpi:0"], "worker": ["mpi:1", "mpi:2"]})
    >>> cluster.jobs, cluster.num_tasks("worker")
    (['ps', 'worker'], 2)
    """

    def __init__(self, cluster, at_least=None, ps_replicas=None):
        if at_least is None:
            at_least = cluster.at_least if isinstance(cluster, ClusterSpec) else {}
        if ps_replicas is None:
            ps_replicas = cluster.ps_replicas if isinstance(cluster, ClusterSpec) else 1
        if isinstance(cluster, ClusterSpec):
            self._spec = {job: dict(tasks) for job, tasks in cluster._spec.items()}
        elif isinstance(cluster, dict):
            self._spec = {job: _tasks(job, tasks) for job, tasks in cluster.items()}
        elif hasattr(cluster, "job") and hasattr(cluster, "SerializeToString"):
            self._spec = {job.name: {int(i): str(job.tasks[i]) for i in sorted(job.tasks)} for job in cluster.job}
        else:
            raise TypeError(_NOT_A_CLUSTER)
        self._ranks = _ranks(self._spec)
        self._tasks = {rank: task for task, rank in self._ranks.items()}
        self._at_least = dict(at_least)
        for job, number in self._at_least.items():
            if not 1 <= number <= self.num_tasks(job):
                raise ValueError(f"at_least[{job!r}] is {number}, but must be from 1 to {self.num_tasks(job)}")
        self._ps_replicas = ps_replicas
        servers = len(self._spec.get("ps", ()))
        if ps_replicas not in (1, 2):
            raise ValueError(f"ps_replicas is {ps_replicas!r}, but must be 1 or 2")
        if servers < ps_replicas > 1:
            raise ValueError(f"ps_replicas=2 needs at least 2 tasks in job 'ps', but the cluster has {servers}")

    @classmethod
    def from_mpi(cls, ps=None, workers=None, ps_replicas=None):
        """The cluster of all processes that a launcher started: the first `ps` ranks are job "ps", the others "worker".

        Args:
          ps: number of parameter servers. None: the `--ps` of `python -m tfcore.run`, else 0.
          workers: "2..8": there is room for 8 workers, and at least 2 must be there at the start. None: what
            `--workers` of `python -m tfcore.run` says, else a worker for each rank that is left.
          ps_replicas: how many parameter servers have each variable, 1 or 2. None: the `--ps-replicas` of
            `python -m tfcore.run`, else 1.

        Returns:
          A ClusterSpec.

        Raises:
          ValueError: this leaves no rank for a worker, or there are fewer or more processes than `workers` says; or
            there are not 2 parameter servers for `ps_replicas=2`.
        """
        if ps is None:
            ps = int(os.environ.get("TFCORE_PS", 0))
        if ps_replicas is None:
            ps_replicas = int(os.environ.get("TFCORE_PS_REPLICAS", 1))
        workers = workers or os.environ.get("TFCORE_WORKERS")
        size = world.size()
        started = f"this job has {size} process{'es' * (size > 1)}"
        if not 0 <= ps < size:
            how = "" if world.is_launched() else f"; start it with: mpirun -n {max(ps, 0) + 1} python ..."
            raise ValueError(f"ps={ps} must be at least 0 and leave a rank for a worker, but {started}{how}")
        at_least = None
        if workers:
            least, most = parse(workers)
            if not ps + least <= size <= ps + most:
                wanted = f"from {ps + least} to {ps + most}" if least < most else f"{ps + most}"
                raise ValueError(f"ps={ps} and workers={workers!r} need {wanted} processes, but {started}")
            size, at_least = ps + most, {"worker": least} if least < most else None
        jobs = {"ps": range(ps), "worker": range(ps, size)}
        spec = {job: [f"mpi:{r}" for r in ranks] for job, ranks in jobs.items() if ranks}
        return cls(spec, at_least, ps_replicas)

    def __bool__(self):
        return bool(self._spec)

    def __eq__(self, other):
        if isinstance(other, ClusterSpec):
            mine = self._spec, self._at_least, self._ps_replicas
            return mine == (other._spec, other._at_least, other._ps_replicas)
        return self._spec == other

    __hash__ = None

    def __repr__(self):
        jobs = self.as_dict()
        more = f", at_least={self._at_least!r}" if self._at_least else ""
        more += f", ps_replicas={self._ps_replicas}" if self._ps_replicas > 1 else ""
        return "ClusterSpec({" + ", ".join(f"{job!r}: {jobs[job]!r}" for job in sorted(jobs)) + "}" + more + ")"

    def as_dict(self):
        """The addresses of all tasks.

        Returns:
          A dict from job names to lists of addresses, or, where indices are missing, to dicts from index to address.
        """
        found = {}
        for job, tasks in self._spec.items():
            dense = tasks and max(tasks) + 1 == len(tasks)
            found[job] = self.job_tasks(job) if dense else {i: tasks[i] for i in sorted(tasks)}
        return found

    def as_ranges(self):
        """This spec for other processes, as short as it can be.

        Returns:
          A dict from jobs to lists of [first index, number of tasks, address of the first one]. Further addresses are
          "mpi:RANK" with the ranks that follow; where they are not, the number is 1.
        """
        ranges = {}
        for job, tasks in self._spec.items():
            found = ranges[job] = []
            following = None  # the index and address that would lengthen the last range
            for index in sorted(tasks):
                address = tasks[index]
                if (index, address) == following:
                    found[-1][1] += 1
                else:
                    found.append([index, 1, address])
                rank = explicit_rank(address)
                following = None if rank is None else (index + 1, f"mpi:{rank + 1}")
        return ranges

    @classmethod
    def from_ranges(cls, ranges, at_least=None, ps_replicas=None):
        """The ClusterSpec that `as_ranges` has described.

        Args:
          ranges: What `as_ranges` has returned.
          at_least: How many workers must be there at the start (optional).
          ps_replicas: How many parameter servers have each variable (optional).

        Returns:
          A ClusterSpec.
        """
        spec = {}
        for job, parts in ranges.items():
            tasks = spec[job] = {}
            for index, number, address in parts:
                tasks[index] = address
                for i in range(1, number):
                    tasks[index + i] = f"mpi:{explicit_rank(address) + i}"
        return cls(spec, at_least, ps_replicas)

    def as_cluster_def(self):
        """This cluster as a protocol buffer.

        Returns:
          A `tf.train.ClusterDef`, with its jobs in the order of this spec.
        """
        from tfcore.framework import protos

        cluster_def = protos.ClusterDef()
        for job, tasks in self._spec.items():
            job_def = cluster_def.job.add(name=job)
            for index, address in tasks.items():
                job_def.tasks[index] = address
        return cluster_def

    @property
    def at_least(self):
        """Dict from the jobs that have room for tasks that join later to the number of tasks that they start with."""
        return dict(self._at_least)

    @property
    def ps_replicas(self):
        """How many tasks have each variable of job "ps"."""
        return self._ps_replicas

    def lacks(self, tasks):
        """The tasks that keep the cluster from starting.

        Args:
          tasks: the (job name, task index) that are there.

        Returns:
          A sorted list of (job name, task index).
        """
        missing = []
        for job in self._spec:
            absent = [(job, index) for index in self.task_indices(job) if (job, index) not in tasks]
            if len(self._spec[job]) - len(absent) < self._at_least.get(job, len(self._spec[job])):
                missing += absent
        first = self._tasks.get(min(self._tasks, default=None))
        if self._at_least and first not in tasks:
            missing.append(first)
        return sorted(set(missing), key=lambda task: self._ranks[task])

    @property
    def jobs(self):
        """List of the names of the jobs."""
        return list(self._spec)

    def _job(self, job_name):
        try:
            return self._spec[job_name]
        except (KeyError, TypeError):
            raise ValueError(f"No such job in cluster: {job_name!r}") from None

    def num_tasks(self, job_name):
        """Number of tasks of a job.

        Args:
          job_name: A string.

        Returns:
          An int.

        Raises:
          ValueError: There is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name):
        """The task indices of a job.

        Args:
          job_name: A string.

        Returns:
          A sorted list of ints.

        Raises:
          ValueError: There is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name, task_index):
        """The address of a task.

        Args:
          job_name: A string.
          task_index: An int.

        Returns:
          A string.

        Raises:
          ValueError: There is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name):
        """The addresses of a job's tasks.

        Args:
          job_name: A string.

        Returns:
          A list of strings by task index; None where an index is missing.

        Raises:
          ValueError: There is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def rank(self, job_name, task_index):
        """The rank of a task, as this spec gives it.

        Args:
          job_name: A string.
          task_index: An int.

        Returns:
          An int.

        Raises:
          ValueError: There is no such job or task.
        """
        self.task_address(job_name, task_index)
        return self._ranks[job_name, task_index]

    def task_of_rank(self, rank):
        """The task of a rank, as this spec gives it.

        Args:
          rank: An int.

        Returns:
          (job name, task index).

        Raises:
          ValueError: No task has this rank.
        """
        task = self._tasks.get(rank)
        if task is not None:
            return task
        tasks = f"{len(self._ranks)} task{'s' * (len(self._ranks) != 1)}"
        run = f"{world.size()} processes run" if world.size() > 1 else "1 process runs"
        raise ValueError(f"No task has rank {rank}: the cluster has {tasks}, but {run}: {self!r}")

    @property
    def job_name(self):
        """The job of the calling process."""
        return self.task_of_rank(world.rank())[0]

    @property
    def task_index(self):
        """The task index of the calling process in its job."""
        return self.task_of_rank(world.rank())[1]


def _tasks(job, tasks):
    """Dict from index to address of one job."""
    if not isinstance(job, (str, bytes)):
        raise TypeError(f"Job name {job!r} must be bytes or unicode")
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, dict):
        text = f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
        if isinstance(tasks, int):
            number = f"ps={tasks}" if job == "ps" else ""
            text += f" tf.train.ClusterSpec.from_mpi({number}) makes the cluster of all processes of a launcher"
        raise TypeError(text)
    return {int(i): _address(address) for i, address in tasks.items()}


def _address(address):
    if isinstance(address, bytes):
        return address.decode()
    if isinstance(address, int) and not isinstance(address, bool):
        return f"mpi:{address}"
    if not isinstance(address, str):
        raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return address


def explicit_rank(address):
    """The rank that an address names, or None."""
    prefix, _, number = address.partition(":")
    number = number.removeprefix("//")  # a server's target is an address too
    return int(number) if prefix == "mpi" and number.isdecimal() else None


def _ranks(spec):
    """Dict from (job name, task index) to rank."""
    tasks = [(job, index) for job, tasks in spec.items() for index in tasks]
    said = [explicit_rank(spec[job][index]) for job, index in tasks]
    if all(rank is None for rank in said):
        return {task: rank for rank, task in enumerate(tasks)}
    found = {}  # rank -> task
    for (job, index), rank in zip(tasks, said):
        if rank is None:
            raise ValueError(
                f"The address {spec[job][index]!r} of {device_name(job, index)} gives no rank, but others of the "
                "cluster do; give all of them as 'mpi:RANK' or none"
            )
        other = found.setdefault(rank, (job, index))
        if other != (job, index):
            raise ValueError(f"{device_name(*other)} and {device_name(job, index)} have the same rank {rank}")
    return {task: rank for rank, task in found.items()}


def device_name(job, index):
    """The name of a task in messages."""
    return f"/job:{job}/task:{index}"


class ServerDef:
    """The arguments of a server.

    Args:
      cluster: Anything that ClusterSpec accepts.
      job_name: The job of the server's task, a string.
      task_index: The index of the task in the job.
      default_session_config: A ConfigProto, or None.
      protocol: A string; it has no effect.
    """

    def __init__(self, cluster=None, job_name="", task_index=0, default_session_config=None, protocol=""):
        self.cluster_spec = ClusterSpec({} if cluster is None else cluster)
        self.job_name = job_name
        self.task_index = task_index
        self.default_session_config = default_session_config
        self.protocol = protocol

    @property
    def cluster(self):
        """The cluster, a `tf.train.ClusterDef`."""
        return self.cluster_spec.as_cluster_def()

    def __repr__(self):
        return f"ServerDef({self.cluster_spec!r}, job_name={self.job_name!r}, task_index={self.task_index})"
