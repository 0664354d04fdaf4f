"""Session: runs parts of a graph.

A run signature (the fetches and feeds) is compiled once; later runs cost one dictionary look-up and one call into the
core.
"""

import functools
import threading

from tfcore.client import control, growth, lone_sessions, plan_cache, process_options
from tfcore.client.config import SessionOptions, cost_placer_of, number_of_gpus
from tfcore.client.fetches import FetchPlan, feed_pairs, fetch_places, is_structured
from tfcore.compiler.compile import Compiler, has_collectives
from tfcore.compiler.devices import Devices
from tfcore.core.registry.kernel import ResourceManager
from tfcore.core.step.executor import RunControl, run_plan
from tfcore.core.threads import progress
from tfcore.framework import errors
from tfcore.framework.behavior import get_log_device_placement
from tfcore.framework.fork_safety import abandon_in_child, fork_safe
from tfcore.framework.graph.default_session import DefaultSession, default_sessions
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.of_this_process import OfThisProcess
from tfcore.framework.values.run_conversions import FetchKey, conversion_of, conversions


class _Signature:
    """A compiled run signature: the plan, and how to make the result from its values."""

    __slots__ = ("plan", "rebuild", "version", "plain_feeds", "held", "runs_seen", "__weakref__")

    def __init__(self, plan, rebuild, version, plain_feeds, held):
        self.plan = plan
        self.rebuild = rebuild
        self.version = version
        self.plain_feeds = plain_feeds  # the keys of the feed dictionary are the fed tensors, one each
        self.held = held  # keys are compared by identity, so their objects must live


class BaseSession(OfThisProcess):
    """Base class of Session and InteractiveSession."""

    _instead = (
        ", and so do its variables. Make one in the other process; send values as the arrays that run() returns, and "
        "variables by a tf.train.Saver"
    )

    def __init__(self, target="", graph=None, config=None):
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f"Argument `target` must be a string, but got {target!r} of type {type(target).__name__}")
        task = _task_of(target)
        if task is None:
            lone_sessions.watch()
        if graph is not None and not hasattr(graph, "as_graph_element"):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        self._graph = graph or get_default_graph()
        options = SessionOptions.of(config)
        if config is None:
            set_by_config = process_options.state.of_new_session()
            options = options._replace(log_device_placement=get_log_device_placement(), **set_by_config)
        self._options = options
        self._closed = False
        self._forked = False
        self._on_collectives = None  # called when a plan with collectives was compiled; what it raises ends the run
        self._lock = fork_safe(threading.RLock())  # a signal handler that runs while it is held may run the session
        self._signatures = {}
        self._partial = None
        self._dead_handles = []  # of tensors that it keeps and nothing refers to
        self._resources = ResourceManager() if task is None else task.resources
        self._compiler = self._make_compiler() if task is None else task.make_compiler(target, options)
        self._threads = options.intra_op_parallelism_threads
        self._inter_op = options.inter_op_parallelism_threads
        replays = not options.disable_cuda_graphs
        self._control = RunControl(self._resources.variables, self._graph._nodes_by_name.get, replays)
        self._timeout_ms = options.operation_timeout_in_ms
        self.checks_numerics = process_options.state.checks_numerics
        if self._timeout_ms > 0 or self.checks_numerics:
            self.run = self._run_controlled  # so that runs without a limit don't check for one
        if options.build_cost_model > 0:
            self._learned = set()  # keys of signatures that are placed by measured times
            self.run = functools.partial(self._run_and_learn, self.run)
        limit = options.memory_limit_in_bytes
        self._unlimit = control.limit_memory(self, limit) if limit > 0 else None
        control.remember(self)
        abandon_in_child(self, BaseSession._abandon)

    @property
    def graph(self):
        return self._graph

    @property
    def graph_def(self):
        return self._graph.as_graph_def()

    @property
    def sess_str(self):
        return ""

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Computes `fetches` and returns their values in the same structure.

        Args:
          fetches: a Tensor, Operation, Variable or name, or nested lists, tuples, dicts and namedtuples of these.
          feed_dict: values for tensors (any tensor of the graph), by Tensor, Variable or name.
          options: a RunOptions: time limit, tracing, checks.
          run_metadata: a RunMetadata to fill as the options say.

        Returns: arrays for tensors, NumPy scalars for tensors of rank 0, None for operations.

        Raises:
          RuntimeError: the session is closed, or the graph is empty.
          TypeError, ValueError: an invalid fetch or feed.
          tf.errors.OpError: an operation failed; its class says how, its text names the operation and its line.
          DeadlineExceededError after the time limit; CancelledError when the session is closed meanwhile.
          KeyboardInterrupt, or another exception of a signal handler: the step has ended.
        """
        if options is not run_metadata:  # that is, unless both are None
            return self._run_controlled(fetches, feed_dict, options, run_metadata)
        kind = type(fetches)  # the commonest fetches, without a call
        key = fetches if kind is Tensor or kind is Operation else _structure_key(fetches)
        if feed_dict:
            if conversions:
                feed_dict = self._converted(feed_dict)
            key = (key, *feed_dict)
        signature = self._signatures.get(key)
        if signature is None or signature.version != self._graph.mutation_version or self._closed:
            return self._first_run(key, fetches, feed_dict)
        if not feed_dict:
            values = ()
        elif signature.plain_feeds:
            values = feed_dict.values()
        else:
            values = [v for _, v in feed_pairs(self._graph, feed_dict)]
        return signature.rebuild(run_plan(signature.plan, values, self._threads, self._inter_op, self._control))

    def _converted(self, feed_dict):
        """A feed dictionary with tensors as keys: what an object of another library stands for may change."""
        return dict(feed_pairs(self._graph, feed_dict)) if hasattr(feed_dict, "items") else feed_dict

    def _first_run(self, key, fetches, feed_dict):  # a closure in run() itself would make every run slower
        with progress.work("compiling a plan"):
            signature = self._signature(self._signatures, key, lambda: self._parse(fetches, feed_dict))
            progress.phase(f"running {signature.plan.num_nodes:,} operations for the first time")
            return BaseSession.run(self, fetches, feed_dict)

    def _run_controlled(self, fetches, feed_dict=None, options=None, run_metadata=None):
        controls = control.Controls(self, options, run_metadata)
        key = _structure_key(fetches)
        if feed_dict:
            if conversions:
                feed_dict = self._converted(feed_dict)
            key = (key, *feed_dict)
        signature = self._signature(self._signatures, key, lambda: self._parse(fetches, feed_dict), controls)
        values = [v for _, v in feed_pairs(self._graph, feed_dict)] if feed_dict else ()
        return control.run_controlled(self, controls, signature, values)

    def _run_and_learn(self, run, *args, **kwargs):
        """run() with placement by cost: after `build_cost_model` runs, places a signature again by measured times."""
        result = run(*args, **kwargs)
        for key, signature in list(self._signatures.items()):
            if key not in self._learned and signature.plan.runs > max(2, self._options.build_cost_model):
                if len(self._learned) >= plan_cache.MAX_PLANS:
                    self._learned.clear()
                self._learned.add(key)
                self._compiler.cost.model.learn(signature.plan)
                self._signatures.pop(key, None)
        return result

    def _abandon(self):
        """In the child of a fork: steps of threads that don't exist here may hold locks of variables for ever."""
        self._closed = self._forked = True
        self._signatures = {}

    def _make_compiler(self):
        options = self._options
        devices = Devices(count=options.cpus, gpus=number_of_gpus(options))
        soft, log = options.allow_soft_placement, options.log_device_placement
        return Compiler(self._resources, options.rewrites, devices, soft, log, cost_placer_of(options))

    def _cluster_changes(self):
        """How often tasks of the cluster were replaced by new processes, which have no variables yet."""
        return self._compiler.changes()

    def note_end(self, queue, why):
        """Notes why nothing more comes into a queue, for the errors of those who take from it.

        Args:
          queue: Name of the operation that makes the queue.
          why: A text, or None: something comes again.
        """
        if why is None:
            self._control.ends.pop(queue, None)
        else:
            self._control.ends[queue] = why

    def _cancel_steps(self):
        """Ends the steps that run now, of any thread, with CancelledError."""
        self._control.cancel()

    def _check_open(self):
        if self._forked:
            raise RuntimeError(
                "This Session belongs to the process that forked this one, and cannot run here. Make a tf.Session in "
                "each process after the fork."
            )
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._graph.version == 0:
            raise RuntimeError("The Session graph is empty.  Add operations to the graph before calling run().")

    def _signature(self, signatures, key, parse, controls=None):
        """The signature of `key` among `signatures`, compiled as the controls require.

        parse: function that returns the arguments of `_make_signature`, called if it has to be compiled.
        """
        if controls is not None and controls.as_written:
            return self._current(signatures, (key, "as written"), parse, rewritten=False)
        signature = self._current(signatures, key, parse)
        if controls is not None and controls.traces and control.has_fused_loops(signature.plan):
            # A trace shows each operation of each iteration.
            return self._current(signatures, (key, "each iteration"), parse, fused_loops=False)
        return signature

    def _current(self, signatures, key, parse, **how):
        found = signatures.get(key)
        if found is None or found.version != self._graph.mutation_version or self._closed:
            self._check_open()
            found = self._make_signature(*parse(), **how)
            plan_cache.keep(signatures, key, found)
        return found

    def _parse(self, fetches, feed_dict):
        """The arguments of `_make_signature` for the arguments of run()."""
        if feed_dict is not None and not hasattr(feed_dict, "items"):
            raise TypeError(f"feed_dict must be a dictionary, not {type(feed_dict).__name__}.")
        fetch = FetchPlan(self._graph, fetches, self)
        feeds = [t for t, _ in feed_pairs(self._graph, feed_dict)] if feed_dict else []
        plain = not any(is_structured(key) for key in feed_dict or ())
        rebuild = fetch.rebuild
        if not fetch.as_is:
            pass
        elif isinstance(fetches, Tensor):
            rebuild = _first
        elif (
            isinstance(fetches, list) and all(type(f) is Tensor for f in fetches) and len(fetch.tensors) == len(fetches)
        ):
            rebuild = _as_is
        return fetch, rebuild, feeds, plain, (fetches, list(feed_dict or ()))

    def _make_signature(self, fetch, rebuild, feeds, plain, held, fetch_devices=(), **how):
        """Compiles a signature. rebuild, plain, held: its attributes; how: options of Compiler.program."""
        if any(fetch_devices):  # only of this process's devices
            how["fetch_devices"] = fetch_devices
        growth.watch(self._graph)
        with self._lock, progress.work("compiling a plan"):
            version, changes = self._graph.mutation_version, self._compiler.changes()
            plan = self._compiler.compile(fetch.tensors, feeds, fetch.targets, **how)
            signature = _Signature(plan, rebuild, version, plain, held)
            self._compiler.keep_current(signature, changes)
        if self._on_collectives is not None and has_collectives(plan):
            self._on_collectives()
        return signature

    def make_callable(self, fetches, feed_list=None, accept_options=False, fetch_devices=None):
        """A function that runs `fetches`; its arguments are the values for the tensors of `feed_list`, in order.

        Args:
          fetches: as for run().
          feed_list: list of the tensors that will be fed.
          accept_options: has no effect: the function takes `options` and `run_metadata` as run() does.
          fetch_devices: dict from fetched tensors, or their names, to the GPUs in whose memory their values stay, as
            `CallableOptions.fetch_devices` of TensorFlow; or one device for all. The function returns such a value as
            a `DeviceTensor`, which other libraries can use in place by DLPack or `__cuda_array_interface__`.

        Returns: the function.

        Raises:
          RuntimeError: the session is closed.
          TypeError, ValueError: an invalid fetch or feed, or a device for what is not fetched.
          InvalidArgumentError: the session has no such device, or its memory can't have such a value.
        """
        self._check_open()
        fetch = FetchPlan(self._graph, fetches, self)
        kept = fetch_places(fetch, fetch_devices, self._graph, self._compiler.devices) if fetch_devices else ()
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("`feed_list` must be a list or tuple.")
        for feed in feed_list or () if conversions else ():
            if conversion_of(feed) is not None:
                kind = type(feed).__name__
                raise TypeError(f"The feeds of a callable must be tensors, not a {kind}: list its components instead.")
        feeds = [t for t, _ in feed_pairs(self._graph, dict.fromkeys(feed_list or ()))]
        signatures = {}
        parsed = fetch, fetch.rebuild, feeds, True, (fetches, feed_list), kept
        find = functools.partial(self._signature, signatures, "callable", lambda: parsed)
        signature = find()

        def call(*values, options=None, run_metadata=None):
            nonlocal signature
            if self._closed or signature.version != self._graph.mutation_version:
                signature = find()
            if len(values) != len(feeds):
                raise ValueError(f"Expected {len(feeds)} feed values, got {len(values)}.")
            if options is run_metadata is None and self._timeout_ms <= 0 and not self.checks_numerics:
                return signature.rebuild(run_plan(signature.plan, values, self._threads, self._inter_op, self._control))
            controls = control.Controls(self, options, run_metadata)
            return control.run_controlled(self, controls, find(controls), values)

        return call

    def partial_run_setup(self, fetches, feeds=None):
        """Prepares a step that partial_run() then runs in pieces; see tfcore.client.partial.

        Args:
          fetches: all that will be fetched, as for run(); operations run as soon as their feeds are given.
          feeds: list of all the tensors that will be fed.

        Returns: a handle. The step's values are freed when all is fed and fetched, or the handle is deleted.
        """
        self._check_open()
        if self.checks_numerics:
            process_options.refuse("partial_run_setup with tf.debugging.enable_check_numerics", "use run().")
        return self._partial_runs().setup(_structure_key(fetches), fetches, feeds)

    def partial_run(self, handle, fetches, feed_dict=None):
        """Continues a partial run: takes more feeds and computes more fetches, each only once.

        Every operation runs at most once over all calls with the handle.

        Raises:
          InvalidArgumentError: the handle is unknown or its run is over; a feed or fetch is not in partial_run_setup,
            or was already fed or fetched; a fetch needs feeds that are still missing.
          RuntimeError: an operation among the fetches. Otherwise as run(); a failing operation ends the partial run.
        """
        self._check_open()
        return self._partial_runs().run(handle, fetches, feed_dict)

    def _partial_runs(self):
        if self._partial is None:
            from tfcore.client.partial import PartialRuns

            with self._lock:
                self._partial = self._partial or PartialRuns(self)
        return self._partial

    def close(self):
        """Releases the session's variables and plans. Running it afterwards is an error.

        Steps that other threads run are cancelled (CancelledError there); returns when they have ended. A step whose
        Python function has not returned after 3 s ends later; a warning names the function.
        """
        if self._forked:
            return
        self._closed = True
        for function in self._control.close():
            from tfcore.platform import tf_logging  # here: few programs need absl

            tf_logging.warning("The session is closed, but one of its steps waits for %s to return.", function)
        if self._unlimit is not None:
            self._unlimit()
        with self._lock:
            self._signatures = {}
            partial, self._partial = self._partial, None
            self._compiler.close()
        if partial is not None:
            partial.close()

    def list_devices(self):
        """The devices for operations: objects with `name`, `device_type`, `memory_limit_bytes`."""
        from tfcore.client.device_attributes import DeviceAttributes

        if self._closed:
            raise errors.CancelledError(None, None, "Session has been closed.")
        devices = self._compiler.devices
        return [DeviceAttributes(name, 1, devices.memory_limit(name)) for name in devices.names()]

    def as_default(self):
        """Within the `with` block this is the thread's default session; it stays open afterwards."""
        return DefaultSession(self)

    @staticmethod
    def reset(target, containers=None, config=None):
        """Clears containers (all by default) in all tasks of a cluster. State in this process ends with its Session.

        Open sessions on the cluster must not be used any more: their steps end with AbortedError.
        """
        task = _task_of(target)
        if task is not None:
            task.reset(containers)


_clusters = {}  # scheme of a target -> function that finds its task


def register_target(scheme, find_task):
    """Registers `find_task(target)`: the task through which sessions reach `scheme://...`, or None for an unknown
    target.

    tfcore.distributed registers "mpi".
    """
    _clusters[scheme] = find_task


def _task_of(target):
    """The task of a cluster through which a target is reached; None for sessions of this process alone.

    Raises:
      NotFoundError: there is no such target.
    """
    if target in ("", b"", "local", None):
        return None
    if isinstance(target, bytes):
        target = target.decode()
    find_task = _clusters.get(target.partition("://")[0])
    task = find_task and find_task(target)
    if task is None:
        raise errors.NotFoundError(
            None,
            None,
            f"No session factory registered for the given session options: {{target: {target!r}}}. A target is '', or "
            "that of the tf.train.Server that this process has made (server.target)",
        )
    return task


class Session(BaseSession):
    """Runs operations of a graph. As a context manager it is the default session, and closes at the end.

    Each combination of fetches and feeds is compiled to a plan once. A session keeps at most 1,024 plans with at most a
    million operations together; beyond that the least recently run ones are dropped, and compiled again when needed. A
    callable of make_callable() keeps its plan.

    Args:
      target: "" for this process, or the target of a `tf.train.Server`, such as `server.target`.
      graph: The `Graph` to run; the default graph by default.
      config: A `tf.ConfigProto` (optional).

    Raises:
      TypeError: An argument is of the wrong type.

    Example:

    >>> x = tf.placeholder(tf.float32, [])
    >>> y = x * x
    >>> with tf.Session() as session:
    ...     print(session.run(y, feed_dict={x: 3.0}))
    9.0
    """

    def __enter__(self):
        self._graph_context = self._graph.as_default()
        self._graph_context.__enter__()
        self._session_context = self.as_default()
        self._session_context.__enter__()
        return self

    def __exit__(self, *exc):
        self._session_context.__exit__(*exc)
        self._graph_context.__exit__(*exc)
        self.close()


class InteractiveSession(BaseSession):
    """A session that makes itself the default, for use in a shell.

    Args:
      target: "" for this process, or the target of a `tf.train.Server`, such as `server.target`.
      graph: The `Graph` to run; the default graph by default.
      config: A `tf.ConfigProto` (optional).

    Raises:
      TypeError: An argument is of the wrong type.

    Example:

    >>> session = tf.InteractiveSession()
    >>> print(tf.constant(2.0).eval())
    2.0
    >>> session.close()
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        default_sessions().append(self)
        self._explicit_graph = graph
        if graph is not None:
            self._graph_context = graph.as_default()
            self._graph_context.__enter__()

    def close(self):
        if self._closed:
            return
        super().close()
        if self in default_sessions():
            default_sessions().remove(self)
        if self._explicit_graph is not None:
            self._graph_context.__exit__(None, None, None)


def _first(values):
    return values[0]


def _as_is(values):
    return values


def _structure_key(fetches):
    """A hashable key for a fetch structure: equal for the same elements in the same places."""
    kind = type(fetches)
    if kind is Tensor or kind is Operation:
        return fetches
    if kind is list or kind is tuple:
        return (kind, *map(_structure_key, fetches))
    if isinstance(fetches, dict):
        return (kind, *[(k, _structure_key(v)) for k, v in fetches.items()])
    if isinstance(fetches, (list, tuple)):
        return (kind, *map(_structure_key, fetches))
    conversion = conversion_of(fetches) if conversions else None
    if conversion is not None:
        return FetchKey(fetches, conversion.fetch(fetches)[0])
    try:
        hash(fetches)
    except TypeError:
        raise TypeError(f"Fetch argument {fetches!r} has invalid type {kind}, must be a string or Tensor.") from None
    return fetches
