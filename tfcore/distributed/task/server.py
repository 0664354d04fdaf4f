"""Server: this process as a task of a cluster."""

from tfcore.distributed.cluster import world
from tfcore.distributed.cluster.cluster import ClusterSpec, ServerDef, device_name
from tfcore.distributed.task import task
from tfcore.framework import errors
from tfcore.framework.of_this_process import OfThisProcess

PROTOCOLS = ("mpi", "grpc", "grpc+mpi", "grpc+verbs", "grpc+gdr")  # TensorFlow's names all mean "mpi"


class Server(OfThisProcess):
    """This process as a task of a cluster: serves other tasks' sessions and has a `target` for its own.

    All processes of a cluster make a server each. If `tfcore.run` or `mpirun` has started them, `start` returns when
    all have. If they were started separately it returns at once, and a session waits for the tasks that it needs: all,
    or those that its `device_filters` name. A process is one task, so a second server of the same task is the same one.

    Args:
      server_or_cluster_def: the cluster, as anything that `tf.train.ClusterSpec` accepts; or a `tf.train.ServerDef`.
      job_name, task_index: this process's task. None: that of the ServerDef, else the task with this process's rank.
      protocol: None, "mpi", or one of TensorFlow's ("grpc", ...), which means the same.
      config: ConfigProto for sessions without one. Its `device_count` and `gpu_options` say which devices the task has,
        for all sessions of the cluster.
      start: whether to start the server.

    Raises:
      TypeError, ValueError: an argument is wrong, or the processes disagree about the cluster.
      NotFoundError: there is no such protocol.
      DeadlineExceededError: not all processes have started a server in time (TFCORE_START_TIMEOUT seconds, 300); or
        hosts of processes that are started separately do not answer, so that their cluster may run there.
      UnavailableError: a process that comes back finds no task of its cluster; or one that was started separately can't
        listen at its address.
      FailedPreconditionError: the others refuse a process that comes back; or processes on several hosts that were
        started separately have no TFCORE_TOKEN.
      PermissionDeniedError: processes that were started separately have different TFCORE_TOKENs.
    """

    _instead = ", which is a task of the cluster. Another process is a task of its own, with a server of its own"

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self._def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        self._named = job_name is not None or bool(getattr(server_or_cluster_def, "job_name", None))
        self._alone = False
        self._task = None
        if start:
            self.start()

    @staticmethod
    def create_local_server(config=None, start=True):
        """A server in a cluster with just one task, /job:localhost/task:0, whatever other processes there are.

        Args:
          config: A ConfigProto (optional).
          start: Whether to start it.

        Returns:
          A `Server`.
        """
        server = Server({"localhost": ["localhost:0"]}, "localhost", 0, config=config, start=False)
        server._alone = True
        if start:
            server.start()
        return server

    def start(self):
        """Connects this process with the others. No effect on a running server.

        Raises what the constructor raises.
        """
        if self._task is None:
            self._task = task.start(self._def, self._alone, self._named)

    def join(self):
        """Serves the other tasks until the job ends, and then ends this process. It never returns.

        The job has ended when all other tasks have ended, failed or joined too, so nobody has to stop a parameter
        server. One that was started separately also waits for each task that has not started yet, or that has failed:
        it may be started later. The process ends as by `sys.exit(0)`: `finally` clauses and atexit handlers run. On a
        thread other than the main thread only that thread ends.

        Raises:
          SystemExit: the job has ended.
          AbortedError: the other tasks have excluded this one, because it gave no sign of life for too long.
        """
        self.start()
        self._task.join()
        raise SystemExit(0)

    def status(self, timeout_s=1.0):
        """What the tasks of the cluster do at this moment; `python -m tfcore.tools.cluster` shows it as a table.

        Args:
          timeout_s: how long the other tasks have for their answers, in seconds.

        Returns:
          A dict of "job" (a name), "asked" (the rank of this task) and "tasks", a list of dicts by rank.

        The dict of a task has

          task, rank, host, pid: "/job:ps/task:0", its number, and its process.
          state: "running"; "silent" (no answer in time: it may be frozen, or busy with long Python calls); "left",
            "failed", or "excluded" (the others have taken it for dead); "not started" (a place for a process that may
            join; its host and pid are None). reason: a text for "silent", "left", "failed".

        and, if it has answered:

          incarnation: a number that tells it from other processes that had its place.
          uptime_s: seconds since its server started.
          steps: "run" and "running", partitions for other tasks' sessions included; "running_for_others": only these.
          partitions: those that masters have "registered", the number of "plans" that run them, since equal ones share
            a plan, and the number of plans that were "compiled" since the server started.
          memory: "bytes_in_use" (by tensors), "bytes_limit", "arena_bytes_in_use" (shared with the tasks of its host),
            "resident_bytes" (of the process).
          sent, received, queued: "messages" and "bytes", with all tasks together. What is queued found no room at its
            receiver, or in the network.
          replicas: of a parameter server with `ps_replicas=2`; None otherwise. "state" of the replicas of its
            variables: "on" (steps wait for them), "copying" (a new backup gets them) or "off" (there are none). How
            many "variables" it has, the number of the last of their "changes", and of the last that is safe in the
            memory of the backup ("acknowledged").
            What it keeps for another task: how many "replicas", whether they are "complete", the last change "applied".
            What was sent: "sent_bytes", values that were sent "whole", and "row_parts".
          flow_control: values that wait for room at their receivers (`queued`), and those that others want to send to
            this task (`waiting`, `cleared`, `reserved_bytes`, `peak_reserved_bytes`, `forced`).
          queues: dicts of "name", "type", "elements", "capacity", and the "dequeues" and "enqueues" that wait.
          pipelines: the datasets of iterators; those of one are neighbours, and begin with what it gives: dicts of
            "iterator" (its number), "iterator_name", "taken" (elements) and "taking_ns" (how long steps took for that),
            "name", "kind" and "depth" of the dataset, and "counts": None, or what the stage has counted. A stage with
            threads of its own: "capacity", "filled", "workers", "calling" (threads in its function), "elements",
            "empty" (how often a step or stage had to wait for an element), and nanoseconds: "consumer_ns" (waiting for
            elements), "room_ns" (its threads waited for room), "input_ns" (they were in the input) and "function_ns"
            (in the function). Files and `ignore_errors`: "damaged", the records or elements that were left out; the
            rest is 0.
          peers: the same counts for each task that it has exchanged messages with, as dicts of "rank", "state",
            "sent", "received", "queued", "ring_full" (it does not read fast enough) and "outstanding" (tensors of this
            task that it reads in place).
          waits: the operations of running steps that have waited for TFCORE_WAIT_REPORT seconds or more: dicts of
            "step", "op", "type", "line", "iteration", "tensor", "ranks" and "waits_for" (the tasks it waits for),
            "seconds".

        Raises:
          FailedPreconditionError: the server has not started, or has ended.
        """
        if self._task is None:
            raise errors.FailedPreconditionError(None, None, "The server has not started: it has no status.")
        return self._task.status.of_cluster(timeout_s)

    @property
    def server_def(self):
        """The `tf.train.ServerDef` of this server."""
        return self._def

    @property
    def target(self):
        """The target for a `tf.Session` of this process on the cluster."""
        return f"mpi://{0 if self._alone else world.rank()}"

    @property
    def cluster_spec(self):
        """The `tf.train.ClusterSpec` of this server."""
        return self._def.cluster_spec


def _server_def(server_or_cluster_def, job_name, task_index, protocol, config):
    """The complete ServerDef for a server's arguments."""
    given = server_or_cluster_def if isinstance(server_or_cluster_def, ServerDef) else ServerDef()
    if given is server_or_cluster_def:
        spec = given.cluster_spec
        job_name = job_name if job_name is not None else given.job_name or None
        task_index = task_index if task_index is not None or job_name is None else given.task_index
    else:
        try:
            spec = ClusterSpec(server_or_cluster_def)
        except TypeError as error:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`: "
                f"{error}"
            ) from None
    job_name, task_index = _own_task(spec, job_name, task_index)
    spec.task_address(job_name, task_index)  # raises if there is no such task
    protocol = protocol or given.protocol or "mpi"
    if protocol not in PROTOCOLS:
        raise errors.NotFoundError(None, None, f"No server factory registered for the given protocol: {protocol!r}")
    config = config if config is not None else given.default_session_config
    return ServerDef(spec, job_name, task_index, config, protocol)


def _own_task(spec, job_name, task_index):
    """The task of this process: as given, or that of its rank."""
    if job_name is not None and task_index is not None:
        return job_name, int(task_index)
    if job_name is None and len(spec.jobs) == 1:
        job_name = spec.jobs[0]
    if job_name is not None and spec.num_tasks(job_name) == 1:
        return job_name, spec.task_indices(job_name)[0]
    job, index = spec.task_of_rank(world.rank())
    if job_name not in (None, job):
        raise ValueError(
            f"Must specify an explicit `task_index`: rank {world.rank()} is {device_name(job, index)}, "
            f"not of job {job_name!r}."
        )
    return job, index


def create_local_cluster(num_workers, num_ps, protocol="grpc", worker_config=None, ps_config=None):
    """Starts a cluster of one task in this process, for tests: /job:worker/task:0 or /job:ps/task:0.

    A process is one task, so that a cluster with more of them needs as many processes: `python -m tfcore.run` or
    `mpirun` starts them.

    Args:
      num_workers, num_ps: One and zero, or zero and one.
      protocol: As in `tf.train.Server`.
      worker_config, ps_config: ConfigProtos for the server (optional).

    Returns:
      Two lists of `Server`s: the workers and the parameter servers. A later call gives the same task with its variables
      and other resources cleared; sessions that are open then must not be used any more.

    Raises:
      UnimplementedError: There would be several tasks, or none.
      AlreadyExistsError: This process is another task, such as that of a call with the other numbers.
    """
    if {num_workers, num_ps} != {0, 1}:
        raise errors.UnimplementedError(
            None,
            None,
            f"A process is one task, so that it can't be {num_workers} workers and {num_ps} parameter servers: start "
            "a process for each with python -m tfcore.run, or mpirun.",
        )
    job, config = ("worker", worker_config) if num_workers else ("ps", ps_config)
    server = Server({job: ["localhost:0"]}, job, 0, protocol, config, start=False)
    server._alone = True
    server.start()
    server._task.reset(None)
    return ([server], []) if num_workers else ([], [server])
