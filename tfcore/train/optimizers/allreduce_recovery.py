"""Recovery of jobs that train with `AllreduceOptimizer`: after a loss, all workers continue from the newest state."""

import tfcore.ops.collective.collective as collective
from tfcore.framework import errors
from tfcore.framework.graph.graph import control_dependencies, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.array.constants import placeholder
from tfcore.ops.cwise.cast import bitcast, cast
from tfcore.ops.state.state import is_variable_initialized
from tfcore.platform import tf_logging
from tfcore.train import training_util
from tfcore.train.session_run_hook import SessionRunHook
from tfcore.variables.variable_collections import global_variables

_BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.int32, 8: dtypes.int64, 16: dtypes.int64}  # by bytes


class AllreduceRecoveryHook(SessionRunHook):
    """Gives all workers equal variables when training begins, and again after each loss or return of a worker.

    The state is that of the worker with the greatest global step, of several of them the first one. So a worker that
    comes back gets the state from one that has survived. One whose last step failed while it changed variables is
    passed over.

    A session is for the workers that it was made for: when others take part, its steps fail with AbortedError or
    UnavailableError, and a monitored session makes a new one, and calls this hook. Runs without collectives continue: a
    worker can end when others have ended already.

    name: prefix of the names of the operations. group: of the workers. waits: whether all of them have to live.
    updating: an int32 variable, 1 while variables are being changed.
    """

    def __init__(self, name, group, waits, updating):
        self._name = name
        self._group = group
        self._waits = waits
        self._updating = updating
        self._agreed = None  # the workers that have had equal variables, and in which epoch

    def begin(self):
        from tfcore.distributed.collectives import collective as runs  # with its kernels, when they are first needed

        step = training_util.get_global_step()
        if step is None:
            raise RuntimeError("Global step should be created to recover: its value says which worker is ahead.")
        if self._updating.op.graph is not get_default_graph():
            raise RuntimeError("The hook's graph is not that of the optimizer's training operation.")
        variables = global_variables()
        for v in variables:
            if v.dtype.base_dtype.size not in _BITS or v.dtype.base_dtype == dtypes.string:
                raise TypeError(f"Variable '{v.op.name}' of type {v.dtype.base_dtype.name} can't be sent to a worker.")
        self._cluster_size = runs.cluster_size()
        with control_dependencies(None), name_scope(f"{self._name}/recovery/"):
            self._has_marker = is_variable_initialized(self._updating)
            is_whole = cast(1 - self._updating.read_value(), dtypes.int64)
            step = cast(step.read_value(), dtypes.int64)
            self._score = score_of(step, is_whole, runs.cluster_rank(), self._cluster_size)
            self._best = collective.allreduce(self._score, "max", self._group, name="best")
            self._is_root = placeholder(dtypes.bool, [], name="is_root")
            self._copy = self._copy_of(variables)

    def _copy_of(self, variables):
        """The operation that gives all workers the variables of the one whose `is_root` is true.

        The others add zeros to its bits. Nobody's variables change before all of the sums are there, so that a worker
        that is lost meanwhile leaves each of the others with its own state, or the new one.
        """
        bits = [_bits_of(v.read_value()) for v in variables]
        mine = [b * cast(self._is_root, b.dtype) for b in bits]
        sums = collective.allreduce(mine, "sum", self._group, name="copy")
        with control_dependencies(sums):
            begun = self._updating.assign(1 - cast(self._is_root, dtypes.int32))  # the root's do not change
        with control_dependencies([begun]):
            copies = [v.assign(_value_of(s, v.dtype.base_dtype)).op for v, s in zip(variables, sums)]
        with control_dependencies(copies):
            return self._updating.assign(0).op

    def after_create_session(self, session, coord):
        workers = self._workers()

        def check():
            if self._workers() != workers:
                raise errors.AbortedError(None, None, "The workers have changed since the session was made.")

        # A plan is for the workers of the moment, and those of a session must agree.
        session._on_collectives = check
        if not session.run(self._has_marker):
            session.run(self._updating.initializer)
        if workers == self._agreed:
            return
        score, best = session.run([self._score, self._best])
        if best < 0:
            raise errors.DataLossError(
                None, None, "The steps of all workers have failed while they changed variables: restore a checkpoint."
            )
        session.run(self._copy, {self._is_root: score == best})
        step, rank = step_and_rank_of(best, self._cluster_size)
        tf_logging.info("All %d workers continue at step %d, from the state of rank %d.", len(workers[1]), step, rank)
        self._agreed = workers

    def _workers(self):
        """(membership epoch, ranks that take part)

        Raises:
          UnavailableError: One is missing that training waits for.
        """
        from tfcore.distributed.collectives import collective as runs
        from tfcore.distributed.fabric import fabric

        ranks = runs.members(self._group)
        if self._waits:
            for rank in ranks:
                if rank != runs.cluster_rank() and not fabric.alive(rank):
                    raise errors.UnavailableError(
                        None, None, f"Training waits for {fabric.description(rank)}: {fabric.failure(rank)}"
                    )
        return runs.epoch(), ranks


def score_of(step, is_whole, rank, size):
    """The score of a worker; training continues from the state of the worker with the largest one.

    Largest for the greatest step, then the lowest rank; -1 if an update was interrupted.

    step: the global step. is_whole: 1, or 0 if an update was interrupted. rank, size: those of the cluster, room
      included. All workers have to use the same size, and the number of workers grows.
    """
    return (step * size + (size - 1 - rank)) * is_whole + (is_whole - 1)


def step_and_rank_of(score, size):
    """The inverse of `score_of`, for a score that is not -1."""
    return score // size, size - 1 - score % size


def _bits_of(value):
    """A value as integers, whose sums with zeros are exact."""
    dtype = value.dtype.base_dtype
    integer = _BITS[dtype.size]
    if dtype == dtypes.bool or dtype == integer:
        return cast(value, integer)
    return bitcast(value, integer)


def _value_of(bits, dtype):
    if dtype == dtypes.bool or dtype == bits.dtype:
        return cast(bits, dtype)
    return bitcast(bits, dtype)
