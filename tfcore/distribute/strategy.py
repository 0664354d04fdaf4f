"""tf.distribute.Strategy and what it delegates to, StrategyExtended. All replicas are in one graph and one process."""

import contextlib
import copy
import functools

from tfcore.distribute import input as inputs
from tfcore.distribute.cross_device_ops import CrossDeviceOps, mean_over, reduce_same_value, reduce_values
from tfcore.distribute.mirrored_variable import MirroredVariable
from tfcore.distribute.replica_context import ReplicaContext, ThreadMode, current_mode
from tfcore.distribute.replica_threads import call_for_each_replica
from tfcore.distribute.values import PerReplica, ReduceOp, regroup, select
from tfcore.framework import errors
from tfcore.framework.device import canonical_name
from tfcore.framework.graph.graph import colocate_with, get_default_graph
from tfcore.framework.types import nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.losses.reduction import Reduction
from tfcore.ops.control_flow import control
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.variables.resource_variable import ResourceVariable


class Strategy:
    """How a program is spread over devices: what is in `scope()` belongs to the strategy, `run()` calls a function for
    each replica.

    Args:
      extended: The `StrategyExtended` that says which devices there are.

    Example:

    >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    >>> with strategy.scope():
    ...     w = tf.get_variable("weight", initializer=2.0)
    ...     total = strategy.reduce("SUM", strategy.run(lambda: w * 3.0), axis=None)
    >>> sess.run(w.initializer)
    >>> print(sess.run(total))
    6.0
    """

    def __init__(self, extended):
        self._extended = extended

    @property
    def extended(self):
        """The `tf.distribute.StrategyExtended`."""
        return self._extended

    @property
    def num_replicas_in_sync(self):
        """The number of replicas whose gradients are summed."""
        return len(self._extended.device_names)

    @property
    def cluster_resolver(self):
        """None: the strategy is for one process."""
        return None

    @contextlib.contextmanager
    def scope(self):
        """A context manager in which variables belong to the strategy.

        Yields:
          The strategy.

        Raises:
          RuntimeError: The program is inside another strategy.
        """
        here = current_mode()
        if here is not None and here.strategy is not self:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {self} is not {here.strategy}")
        if here is not None or not self._extended.has_scope:
            yield self
            return
        scopes = get_default_graph().scopes
        creators = (*scopes.creators, self._extended.create_variable)
        with scopes.replaced(strategy_mode=ThreadMode(self), creators=creators):
            yield self

    def colocate_vars_with(self, colocate_with_variable):
        """A context manager that places new variables with another one.

        Args:
          colocate_with_variable: A variable.

        Returns:
          The context manager.

        Raises:
          Nothing.
        """
        return self._extended.colocate_vars_with(colocate_with_variable)

    # ---- Input

    def make_dataset_iterator(self, dataset):
        """An iterator that gives each replica its part of each batch of a dataset.

        Args:
          dataset: A `tf.data.Dataset` of batches for all replicas together.

        Returns:
          An object with `initialize()` and `get_next()`.

        Raises:
          ValueError: When `get_next` is called: elements have no batch dimension.
        """
        return inputs.SplittingIterator(self, dataset)

    def make_input_fn_iterator(self, input_fn, replication_mode=inputs.InputReplicationMode.PER_WORKER):
        """An iterator that gives each replica an element of a dataset of its own.

        Args:
          input_fn: A function of a `tf.distribute.InputContext` that returns a dataset, or a function that returns
            elements.
          replication_mode: `tf.distribute.InputReplicationMode.PER_WORKER`.

        Returns:
          An object with `initialize()` and `get_next()`.

        Raises:
          ValueError: Another mode is given.
        """
        if replication_mode != inputs.InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode!r}")
        return inputs.iterator_of_function(self, input_fn)

    def experimental_distribute_dataset(self, dataset, options=None):
        """A dataset that gives each replica its part of each batch.

        Args:
          dataset: A `tf.data.Dataset` of batches for all replicas together.
          options: Ignored.

        Returns:
          An object with `make_initializable_iterator()`.

        Raises:
          Nothing.
        """
        return inputs.DistributedDataset(functools.partial(inputs.SplittingIterator, self, dataset))

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """A dataset whose elements replicas take in turn.

        Args:
          dataset_fn: A function of a `tf.distribute.InputContext` that returns a dataset of batches for one replica.
          options: Ignored.

        Returns:
          An object with `make_initializable_iterator()`.

        Raises:
          Nothing.
        """
        return inputs.DistributedDataset(functools.partial(inputs.iterator_of_function, self, dataset_fn))

    def experimental_distribute_datasets_from_function(self, dataset_fn, options=None):
        """The same as `distribute_datasets_from_function`.

        Args:
          dataset_fn: A function of a `tf.distribute.InputContext` that returns a dataset of batches for one replica.
          options: Ignored.

        Returns:
          An object with `make_initializable_iterator()`.

        Raises:
          Nothing.
        """
        return self.distribute_datasets_from_function(dataset_fn, options)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of arrays.

        Args:
          numpy_input: A nested structure of arrays with the same number of rows.
          session: Ignored.

        Returns:
          A `tf.data.Dataset`.

        Raises:
          ValueError: The numbers of rows differ.
        """
        return self._extended.experimental_make_numpy_dataset(numpy_input, session)

    # ---- Replicas

    def run(self, fn, args=(), kwargs=None, options=None):
        """Calls a function for each replica.

        Args:
          fn: The function.
          args: Its arguments; of `PerReplica` values each call gets its part.
          kwargs: Its keyword arguments.
          options: A `tf.distribute.RunOptions`, without effect.

        Returns:
          What the function returns, with `PerReplica` values where that differs between replicas.

        Raises:
          RuntimeError: The program is in a replica; or replicas differ in how often they call `merge_call`.
        """
        with self.scope():
            return self._extended.call_for_each_replica(fn, args, kwargs)

    def experimental_run(self, fn, input_iterator=None):
        """Calls a function for each replica, on the next elements of an iterator.

        Args:
          fn: The function.
          input_iterator: An iterator of this strategy (optional).

        Returns:
          What the function returns, as `run` does.

        Raises:
          RuntimeError: See `run`.
        """
        with self.scope():
            return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    def reduce(self, reduce_op, value, axis=None):
        """Combines the values of the replicas.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`, or its name.
          value: What `run` has returned, or a structure of such values.
          axis: A dimension over which each value is reduced as well: with MEAN, each row counts the same.

        Returns:
          A `Tensor`, or the structure of them.

        Raises:
          RuntimeError: The program is in a replica.
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        self._extended.require_no_replica()
        reduce_op = ReduceOp.of(reduce_op)
        reduced = [self._reduce(reduce_op, part, axis) for part in nest.flatten(value)]
        return nest.pack_sequence_as(value, reduced)

    def _reduce(self, reduce_op, value, axis):
        if axis is None:
            if not isinstance(value, PerReplica):
                return reduce_same_value(reduce_op, value, self.num_replicas_in_sync)
            return reduce_values(reduce_op, value)
        replicas = range(self.num_replicas_in_sync)
        values = [convert_to_tensor(select(i, value)) for i in replicas]
        if reduce_op is ReduceOp.MEAN:
            return mean_over(values, axis)
        return reduce_values(reduce_op, PerReplica([reduce_sum(v, axis) for v in values]))

    def unwrap(self, value):
        """The values of the replicas.

        Args:
          value: What `run` has returned.

        Returns:
          A tuple of values.

        Raises:
          Nothing.
        """
        return self.experimental_local_results(value)

    def experimental_local_results(self, value):
        """The values of the replicas.

        Args:
          value: What `run` has returned.

        Returns:
          A tuple of values: one for each replica, or the only one.

        Raises:
          Nothing.
        """
        if isinstance(value, PerReplica):
            return value.values
        if _has_parts(value):
            return tuple(select(i, value) for i in range(self.num_replicas_in_sync))
        return (value,)

    def group(self, value, name=None):
        """An operation that runs what all replicas have returned.

        Args:
          value: Operations or tensors that `run` has returned.
          name: Name of the operation (optional).

        Returns:
          An `Operation`.

        Raises:
          Nothing.
        """
        flat = nest.flatten(self.experimental_local_results(value))
        if len(flat) != 1 or name is not None:
            return control.group(*flat, name=name)
        return getattr(flat[0], "op", flat[0])

    # ---- Sessions

    def _scale_loss_for_estimator_enabled(self):
        """A context manager in which optimizers scale losses; tensorflow-estimator calls it by this name."""
        return self._extended.scaling_loss()

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        """Refuses clusters: the strategy is for one process.

        Args:
          session_config: A `tf.ConfigProto`, which stays as it is.
          cluster_spec: Must be None.
          task_type: Name of this process's job.
          task_id: Its number.

        Raises:
          UnimplementedError: A cluster is given.
        """
        if cluster_spec:
            raise errors.UnimplementedError(
                None,
                None,
                f"{type(self).__name__} over the tasks of a cluster is not implemented: use "
                "tf.train.AllreduceOptimizer in each task, with tf.train.MonitoredTrainingSession.",
            )

    def update_config_proto(self, config_proto):
        """The configuration for sessions that run the strategy's graph.

        Args:
          config_proto: A `tf.ConfigProto`.

        Returns:
          A copy of it.

        Raises:
          Nothing.
        """
        return copy.deepcopy(config_proto)


class StrategyExtended:
    """What a strategy is made of: its devices, its variables, and how values are combined.

    Args:
      container_strategy: The `tf.distribute.Strategy`.
    """

    has_scope = True  # whether programs are inside the strategy, or in none

    def __init__(self, container_strategy):
        self._strategy = container_strategy
        self.device_names = ("",)
        self.parameter_device = ""
        self.cross_device_ops = CrossDeviceOps()
        self.scales_loss = False
        self.last_loss_reduction = None
        self.is_updating = False

    # ---- Devices

    def use_devices(self, devices, parameter_device=None, cross_device_ops=None):
        """Sets the devices of the replicas and that of the variables.

        Args:
          devices: A list of names.
          parameter_device: The name of the variables' device; by default that of the first replica.
          cross_device_ops: A `tf.distribute.CrossDeviceOps` (optional).

        Raises:
          AssertionError: A device is named twice.
          ValueError: A name is not valid.
        """
        names = tuple(canonical_name(device) for device in devices)
        if len(set(names)) != len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {tuple(map(_full_name, names))}")
        self.device_names = names
        self.parameter_device = names[0] if parameter_device is None else canonical_name(parameter_device)
        if cross_device_ops is not None:
            self.cross_device_ops = cross_device_ops

    @property
    def worker_devices(self):
        """The devices of the replicas, a tuple of names."""
        if not self.has_scope:
            raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")
        return tuple(map(_full_name, self.device_names))

    @property
    def parameter_devices(self):
        """The devices of the variables, a tuple of one name."""
        if not self.has_scope:
            raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")
        return (_full_name(self.parameter_device),)

    def non_slot_devices(self, var_list):
        """The devices of what an optimizer has besides slots.

        Args:
          var_list: The variables that it updates.

        Returns:
          A tuple of names.

        Raises:
          Nothing.
        """
        return self.parameter_devices

    @property
    def loss_reduction(self):
        """How the losses of replicas become that of the whole batch, a `tf.distribute.ReduceOp`."""
        summed = not self.scales_loss or self.last_loss_reduction in (Reduction.SUM, "sum")
        return ReduceOp.SUM if summed else ReduceOp.MEAN

    # ---- Facts

    @property
    def experimental_require_static_shapes(self):
        """Whether shapes must be static: they need not."""
        return False

    @property
    def experimental_between_graph(self):
        """Whether each process has a graph: there is one process."""
        return False

    @property
    def experimental_should_init(self):
        """Whether this process initializes variables: it does."""
        return True

    @property
    def should_checkpoint(self):
        """Whether this process saves checkpoints: it does."""
        return True

    @property
    def should_save_summary(self):
        """Whether this process writes summaries: it does."""
        return True

    def require_no_replica(self):
        """Raises an error in replicas.

        Raises:
          RuntimeError: The program is in a replica.
        """
        here = current_mode()
        if here is not None and here.replica is not None:
            raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")

    # ---- Variables

    def create_variable(self, next_creator, **kwargs):
        """Creates a variable of the strategy, see `tf.variable_creator_scope`.

        Args:
          next_creator: What creates it.
          **kwargs: The arguments of `tf.Variable`.

        Returns:
          The variable.

        Raises:
          ValueError: The arguments are not valid.
        """
        if kwargs.get("variable_def") is not None:
            return next_creator(**kwargs)
        with get_default_graph().device(self.parameter_device or None):
            variable = next_creator(**{**kwargs, "use_resource": True})
        if type(variable) is ResourceVariable:
            variable.__class__ = MirroredVariable
        return variable

    def variable_created_in_scope(self, v):
        """Whether a variable belongs to the strategy.

        Args:
          v: A variable.

        Returns:
          A bool.

        Raises:
          Nothing.
        """
        return isinstance(v, MirroredVariable) == self.has_scope

    @contextlib.contextmanager
    def colocate_vars_with(self, colocate_with_variable):
        """A context manager that places new variables with another one.

        Args:
          colocate_with_variable: A variable.

        Yields:
          None.

        Raises:
          Nothing.
        """
        before, self.parameter_device = self.parameter_device, colocate_with_variable.device
        try:
            with colocate_with(colocate_with_variable):
                yield
        finally:
            self.parameter_device = before

    def read_var(self, v):
        """The value of a variable outside of replicas.

        Args:
          v: A variable.

        Returns:
          A `Tensor`.

        Raises:
          Nothing.
        """
        return v.read_value()

    def value_container(self, value):
        """What a value is a part of: itself, as replicas share variables.

        Args:
          value: A value.

        Returns:
          The value.

        Raises:
          Nothing.
        """
        return value

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """Calls a function that updates a variable, on its device.

        Args:
          var: The variable.
          fn: A function of the variable and of the arguments.
          args: Further arguments.
          kwargs: Keyword arguments.
          group: Whether the result is one operation.

        Returns:
          An `Operation`, or what the function returns, in a tuple.

        Raises:
          RuntimeError: The program is in a replica.
        """
        return self._update(var.device, fn, (var, *args), kwargs, group)

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """Calls a function that updates what an optimizer has besides slots.

        Args:
          colocate_with: What `non_slot_devices` returned, or a variable.
          fn: The function.
          args: Its arguments.
          kwargs: Its keyword arguments.
          group: Whether the result is one operation.

        Returns:
          An `Operation`, or what the function returns, in a tuple.

        Raises:
          RuntimeError: The program is in a replica.
        """
        return self._update(self.parameter_device, fn, args, kwargs, group)

    def _update(self, device, fn, args, kwargs, group):
        self.require_no_replica()
        with get_default_graph().device(device or None), self.updating():
            result = fn(*select(0, args), **select(0, kwargs or {}))
        return self._strategy.group(result) if group else (result,)

    @contextlib.contextmanager
    def scaling_loss(self):
        """A context manager in which optimizers scale losses, for estimators.

        Yields:
          None.
        """
        self.scales_loss, self.last_loss_reduction = True, None
        try:
            yield
        finally:
            self.scales_loss = False

    @contextlib.contextmanager
    def updating(self):
        """A context manager in which optimizers apply gradients as they are.

        Yields:
          None.
        """
        before, self.is_updating = self.is_updating, True
        try:
            yield
        finally:
            self.is_updating = before

    # ---- Values

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """Combines the values of the replicas.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          value: A value for each replica, or one that is the same in all.
          destinations: Where the result goes: a variable, a tensor, a device or several devices.
          options: Ignored.

        Returns:
          A `Tensor` or `IndexedSlices`.

        Raises:
          RuntimeError: The program is in a replica.
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        return self.batch_reduce_to(reduce_op, [(value, destinations)], options)[0]

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None):
        """Combines the values of the replicas, for several values.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          value_destination_pairs: A list of pairs (value, destinations), see `reduce_to`.
          options: Ignored.

        Returns:
          A list of results.

        Raises:
          RuntimeError: The program is in a replica.
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        self.require_no_replica()
        reduce_op = ReduceOp.of(reduce_op)
        if len(self.device_names) == 1:
            return [select(0, value) for value, _ in value_destination_pairs]
        return self.cross_device_ops.batch_reduce(reduce_op, value_destination_pairs, options)

    def broadcast_to(self, tensor, destinations):
        """Copies a value to devices.

        Args:
          tensor: The value.
          destinations: A variable, a tensor, a device or several devices.

        Returns:
          A `Tensor`, or one for each of several devices.

        Raises:
          RuntimeError: The program is in a replica.
        """
        self.require_no_replica()
        return self.cross_device_ops.broadcast(tensor, destinations)

    # ---- Calls

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """Calls a function for each replica, see `Strategy.run`.

        Args:
          fn: The function.
          args: Its arguments.
          kwargs: Its keyword arguments.

        Returns:
          What the function returns, with `PerReplica` values where that differs between replicas.

        Raises:
          RuntimeError: The program is in a replica; or replicas differ in how often they call `merge_call`.
        """
        self.require_no_replica()
        with self._strategy.scope():
            if len(self.device_names) > 1:
                return call_for_each_replica(self._strategy, self.device_names, fn, args, kwargs or {})
            graph, device = get_default_graph(), self.device_names[0]
            inside = ThreadMode(self._strategy, ReplicaContext(self._strategy, 0)) if self.has_scope else None
            with graph.scopes.replaced(strategy_mode=inside), graph.device(device or None):
                return fn(*select(0, args), **select(0, kwargs or {}))

    def merge(self, context, merge_fn, args, kwargs):
        """What `ReplicaContext.merge_call` does.

        Args:
          context: The `ReplicaContext`.
          merge_fn: The function.
          args: Its arguments.
          kwargs: Its keyword arguments.

        Returns:
          What the function returns, for this replica.

        Raises:
          RuntimeError: The replica is in a conditional, a loop or a function.
        """
        if len(self.device_names) > 1:
            return context.thread.merge(merge_fn, args, kwargs)
        outside = ThreadMode(self._strategy) if self.has_scope else None
        with get_default_graph().scopes.replaced(strategy_mode=outside):
            return select(0, merge_fn(self._strategy, *regroup([args]), **kwargs))

    def experimental_run_steps_on_iterator(self, fn, iterator, iterations=1, initial_loop_values=None):
        """Raises an error: a session runs the steps.

        Args:
          fn: A function of a step.
          iterator: An iterator of the strategy.
          iterations: The number of steps.
          initial_loop_values: Initial values.

        Raises:
          UnimplementedError: In any case.
        """
        raise errors.UnimplementedError(
            None,
            None,
            "experimental_run_steps_on_iterator is not implemented: run the operation of one step several times, or "
            "write a tf.while_loop.",
        )

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of arrays.

        Args:
          numpy_input: A nested structure of arrays with the same number of rows.
          session: Ignored.

        Returns:
          A `tf.data.Dataset`.

        Raises:
          ValueError: The numbers of rows differ.
        """
        return inputs.dataset_of_arrays(numpy_input)


class _DefaultExtended(StrategyExtended):
    has_scope = False


class _DefaultStrategy(Strategy):
    def __init__(self):
        super().__init__(_DefaultExtended(self))


@functools.cache
def default_strategy():
    """The strategy of programs that are in none."""
    return _DefaultStrategy()


def _full_name(name):
    """The name of a local device, as TensorFlow's strategies write it."""
    return f"/replica:0/task:0{name}" if name.startswith("/device") else name


def _has_parts(value):
    """Whether a PerReplica is somewhere in a structure."""
    return any(isinstance(part, PerReplica) for part in nest.flatten(value))
