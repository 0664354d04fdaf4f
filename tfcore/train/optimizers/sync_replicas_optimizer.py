"""Synchronous training with parameter servers and backup workers: graph code over accumulators and a queue."""

import contextlib

import tfcore.ops.reduce.sort as sort
from tfcore.framework import errors
from tfcore.framework.graph.default_graph import get_default_graph
from tfcore.framework.graph.graph import GraphKeys, colocate_with, control_dependencies, device, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array import array, constants
from tfcore.ops.control_flow import control
from tfcore.ops.indexing import indexing
from tfcore.ops.indexing import unique as indexing_unique
from tfcore.ops.queues.accumulator import ConditionalAccumulator, SparseConditionalAccumulator
from tfcore.ops.queues.queue import FIFOQueue
from tfcore.ops.reduce.segment import unsorted_segment_sum
from tfcore.ops.state.state import assign
from tfcore.platform import tf_logging
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.session_run_hook import SessionRunHook
from tfcore.train.threads.queue_runner import QueueRunner
from tfcore.variables.variable_collections import global_variables, report_uninitialized_variables
from tfcore.variables.variables import Variable

_TOKENS = "sync_token_q"  # name of the queue of tokens of a graph's first optimizer


class SyncReplicasOptimizer(Optimizer):
    """Synchronous data-parallel training: wraps an optimizer, and applies the mean of the gradients of several workers.

    Each worker runs the training operation as if it were alone. A step of a worker adds its gradients to accumulators,
    one for each variable and on its device, and then waits for a token. A thread of the chief waits until each
    accumulator has `replicas_to_aggregate` gradients, applies their mean, increments the global step and puts
    `total_num_replicas` tokens into a queue. A token carries a global step: the worker that takes it computes its next
    gradients from the variables of that step. If the step is over when they arrive, they are stale and dropped.

    With `total_num_replicas > replicas_to_aggregate`, the others are backup workers: the first gradients win, and
    workers that are slow, stopped or dead do not delay the others, except for the chief, which applies the updates.
    Without backup workers, the tokens of a worker that does not take them go to others, which then compute several
    batches in a step. A worker that has no more data gives back the token that it holds when its session ends (the
    hook does), so that the others can complete the step without it.

    A graph may have several of these optimizers: each has tokens and accumulators of its own. Workers find those of an
    optimizer by its place in the order in which the graph's optimizers were applied, so it must be the same in all.

    A worker that comes back, or whose step failed, first runs `local_step_init_op` (the hook does): it then makes a
    step without a token, so that those that it has taken with it are replaced. A chief that comes back runs
    `chief_init_op` and `get_init_tokens_op()` (the hook does): the others continue from the step that the servers have.

    Example:

    ```python
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 50, total_num_replicas=52)
    train_op = opt.minimize(loss, global_step=tf.train.get_or_create_global_step())
    hook = opt.make_session_run_hook(is_chief)
    ```

    Args:
      opt: The `Optimizer` to wrap.
      replicas_to_aggregate: How many gradients make a step.
      total_num_replicas: Number of workers; `replicas_to_aggregate` by default. If it is less, workers compute several
        batches for each step.
      variable_averages: An `ExponentialMovingAverage` to update after each step (optional).
      variables_to_average: A list of variables that it averages; needed with `variable_averages`.
      use_locking: Accepted for compatibility; `opt` decides.
      name: Name scope of the operations.
    """

    def __init__(
        self,
        opt,
        replicas_to_aggregate,
        total_num_replicas=None,
        variable_averages=None,
        variables_to_average=None,
        use_locking=False,
        name="sync_replicas",
    ):
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        super().__init__(use_locking, name)
        tf_logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s", replicas_to_aggregate, total_num_replicas
        )
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step = None
        self._local_step = None
        self._tokens = None  # the queue of tokens
        self._chief_queue_runner = None

    def compute_gradients(self, *args, **kwargs):
        """Computes the gradients of this worker, see `Optimizer.compute_gradients`.

        Args:
          *args, **kwargs: Arguments of the wrapped optimizer's `compute_gradients`.

        Returns:
          A list of pairs (gradient, variable). They may be changed, for example clipped, before `apply_gradients`.
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Adds the accumulators, the queue, and all operations of workers and chief.

        Afterwards `local_step_init_op`, `chief_init_op` and `ready_for_local_init_op` are what workers and chief run
        before their first step, and what tells which variables must be initialized before that.

        Args:
          grads_and_vars: A list of pairs (gradient, variable), as `compute_gradients` returns.
          global_step: The variable that counts steps. It decides which gradients are stale.
          name: Name of the training operation (optional).

        Returns:
          The training operation of a worker: it adds the gradients, waits for a token and returns its step, a `Tensor`.

        Raises:
          ValueError: There are no pairs, there is no global step, or a gradient is neither a `Tensor` nor an
            `IndexedSlices` nor None.
        """
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        self._local_step = _local_step(global_step)
        self.local_step_init_op = assign(self._local_step, global_step)
        suffix = _unique_suffix()
        with name_scope(None, self._name):
            accumulators, added, means = self._accumulate(grads_and_vars, suffix)
            with device(global_step.device), name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
                self._tokens = _token_queue(-1, global_step.dtype.base_dtype, _TOKENS + suffix)
                train_op = self._worker_step(added, name)
                chief_step = self._chief_step(update)
                # Runners close their queue in the end, and the queue of tokens must stay open for a chief that returns.
                dummy = _token_queue(1, dtypes.int32, f"dummy_queue{suffix}")
                self._chief_queue_runner = QueueRunner(dummy, [chief_step])
            self.chief_init_op = self._chief_init(accumulators)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        self._gradients_applied = True
        return train_op

    def _accumulate(self, grads_and_vars, suffix):
        """(Pairs of an accumulator and its device, operations that add gradients, pairs of a mean and its variable)."""
        accumulators, added, means = [], [], []
        for grad, var in grads_and_vars:
            if grad is None:
                means.append((None, var))
                continue
            if isinstance(grad, IndexedSlices):
                grad = _sorted_slices(grad)  # where it was computed: fewer rows are sent
            elif not isinstance(grad, Tensor):
                raise ValueError("Unknown grad type!")
            with device(var.device):
                shared_name = f"{var.name}/grad_accum{suffix}"
                if isinstance(grad, IndexedSlices):
                    accumulator = SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=shared_name)
                    added.append(accumulator.apply_indexed_slices_grad(grad, self._local_step))
                    mean = accumulator.take_indexed_slices_grad(self._replicas_to_aggregate)
                else:
                    accumulator = ConditionalAccumulator(grad.dtype, shape=var.shape, shared_name=shared_name)
                    added.append(accumulator.apply_grad(grad, self._local_step))
                    mean = accumulator.take_grad(self._replicas_to_aggregate)
            accumulators.append((accumulator, var.device))
            means.append((mean, var))
        return accumulators, added, means

    def _worker_step(self, added, name):
        with control_dependencies(added):
            token = self._tokens.dequeue()
        return assign(self._local_step, token, name=name)

    def _chief_step(self, update):
        with control_dependencies([update]):
            step = self._put_tokens(self._tokens_per_step)
        if self._variable_averages is not None:
            with control_dependencies([step]):
                step = self._variable_averages.apply(self._variables_to_average)
        return step

    def _put_tokens(self, count):
        """The operation that puts `count` tokens of the current step into the queue."""
        return self._tokens.enqueue_many((constants.fill([count], self._global_step.read_value()),))

    def _chief_init(self, accumulators):
        init_ops = [self.local_step_init_op]
        for accumulator, place in accumulators:
            with device(place):
                init_ops.append(accumulator.set_global_step(self._global_step, name="SetGlobalStep"))
        return control.group(*init_ops)

    def get_chief_queue_runner(self):
        """The queue runner that aggregates gradients, for the chief.

        Returns:
          A `QueueRunner`.

        Raises:
          ValueError: `apply_gradients` has not been called.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens=-1):
        """The operation that puts the first tokens into the queue. The chief runs it before its first step.

        They let workers that have added gradients continue before an update. So workers can compute several batches
        for a step, and continue after the chief was lost in the middle of an update.

        Args:
          num_tokens: Number of tokens, at least `replicas_to_aggregate - total_num_replicas`; -1:
            `replicas_to_aggregate`.

        Returns:
          The `Operation`.

        Raises:
          ValueError: `apply_gradients` has not been called, or there are too few tokens.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return control.no_op(name="no_init_tokens")
        return self._tokens_op(num_tokens)

    def _tokens_op(self, count):
        with device(self._global_step.device), name_scope(""):
            return self._put_tokens(count)

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """A hook that initializes the local step, and, for the chief, accumulators and tokens, and starts its thread.

        When the chief's session ends without an error, the hook lets all that wait for a token continue, so that
        they see that training is over; a worker that makes more steps than the chief waits for ever. Other workers give
        back their token.

        Args:
          is_chief: Whether this worker is the chief.
          num_tokens: Number of the first tokens, see `get_init_tokens_op`.

        Returns:
          A `SessionRunHook`. Its `begin` raises ValueError if `apply_gradients` has not been called.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._opt.variables()


def _local_step(global_step):
    """A variable of this worker: the step of the variables that its gradients are computed from."""
    anchor = control.no_op()  # on the worker, whatever the device of variables
    with colocate_with(anchor):
        return Variable(
            initial_value=0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype,
            name="sync_rep_local_step",
        )


def _unique_suffix():
    """What tells the shared names of this optimizer from those of the graph's others, the same in all workers."""
    with name_scope(""):  # a worker may build its model in a name scope of its own
        return get_default_graph().unique_name(_TOKENS, mark_as_used=False).removeprefix(_TOKENS)


def _token_queue(capacity, dtype, name):
    return FIFOQueue(capacity, dtype, shapes=(), name=name, shared_name=name)


def _sorted_slices(grad):
    """The same gradient with each index once and in order, as accumulators need it to find equal ones."""
    indices = convert_to_tensor(grad.indices)
    unique, positions = indexing_unique.unique(indices)
    order = sort.argsort(unique)
    places = indexing.gather(array.invert_permutation(order), positions)
    values = unsorted_segment_sum(grad.values, places, array.shape(unique)[0])
    return IndexedSlices(values, indexing.gather(unique, order), grad.dense_shape)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Initializes what the optimizer needs in a session."""

    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self):
        optimizer = self._optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._ready_op = optimizer.ready_for_local_init_op
        self._init_op = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        self._last_tokens_op = optimizer._tokens_op(optimizer._tokens_per_step if self._is_chief else 1)
        if self._is_chief:
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session, coord):
        missing = session.run(self._ready_op)
        if missing.size:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._init_op.name}, error: Variables not initialized: "
                f"{', '.join(name.decode() for name in missing)}"
            )
        session.run(self._init_op)
        if self._is_chief:
            session.run(self._init_tokens_op)
            runner = self._optimizer.get_chief_queue_runner()
            coord = _Unjoined(coord, lambda: session.run(self._last_tokens_op))
            runner.create_threads(session, coord=coord, daemon=True, start=True)

    def end(self, session):
        with contextlib.suppress(errors.UnavailableError, errors.AbortedError):  # then nobody waits for a token
            session.run(self._last_tokens_op)


class _Unjoined:
    """A coordinator that does not wait for threads: the chief's waits for gradients until its session is closed.

    release: called after an error: no more tokens come, and those who wait for one have to see that it is over.
    """

    def __init__(self, coord, release):
        self._coord, self._release = coord, release
        self.should_stop, self.wait_for_stop = coord.should_stop, coord.wait_for_stop
        self._wait_for_end = coord._wait_for_end

    def register_thread(self, thread):
        pass

    def request_stop(self, error):
        if not self._coord.should_stop():  # otherwise it is the end of the session
            self._coord.request_stop(error)
            with contextlib.suppress(errors.OpError, RuntimeError):  # the session may be closed
                self._release()
