# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
import enum
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore.distribute import cluster_resolver as cluster_resolver
from tfcore.distribute import experimental as experimental
from typing import Any as _Any

__all__ = [
'CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'InputReplicationMode', 'MirroredStrategy',
'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext', 'RunOptions', 'Server',
'Strategy', 'StrategyExtended', 'cluster_resolver', 'experimental', 'experimental_set_strategy', 'get_loss_reduction',
'get_replica_context', 'get_strategy', 'has_strategy', 'in_cross_replica_context'
]

class CrossDeviceOps:
    """Combines values of replicas and copies values to devices."""
    def batch_reduce(self, reduce_op: _Any, value_destination_pairs: _Any, options: _Any = None) -> _Any:
        """Combines the values of the replicas, for several values."""
    def batch_reduce_implementation(self, reduce_op: _Any, value_destination_pairs: _Any, options: _Any) -> _Any:
        """What `batch_reduce` does."""
    def broadcast(self, tensor: _Any, destinations: _Any) -> Tensor:
        """Copies a value to devices."""
    def broadcast_implementation(self, tensor: _Any, destinations: _Any) -> Tensor:
        """What `broadcast` does."""
    def reduce(self, reduce_op: _Any, per_replica_value: _Any, destinations: _Any, options: _Any = None) -> _Any:
        """Combines the values of the replicas."""
    def reduce_implementation(self, reduce_op: _Any, per_replica_value: _Any, destinations: _Any, options: _Any) -> _Any:
        """What `reduce` does."""

class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Combines values as `CrossDeviceOps` does, on the device of the destination."""
    def __init__(self, num_packs: _Any = 1) -> None: ...

class InputContext:
    """What an input function is told of its place among input pipelines."""
    def __init__(self, num_input_pipelines: _Any = 1, input_pipeline_id: _Any = 0, num_replicas_in_sync: _Any = 1) -> None: ...
    def get_per_replica_batch_size(self, global_batch_size: _Any) -> int:
        """The size of the batches of one replica."""
    @property
    def input_pipeline_id(self) -> _Any:
        """The number of this pipeline."""
    @property
    def num_input_pipelines(self) -> _Any:
        """The number of pipelines."""
    @property
    def num_replicas_in_sync(self) -> _Any:
        """The number of replicas that the pipelines feed."""

class InputReplicationMode(enum.Enum):
    """How often `make_input_fn_iterator` calls its function: `PER_WORKER`, once for each process."""
    PER_REPLICA = 'PER_REPLICA'
    PER_WORKER = 'PER_WORKER'
    def __new__(cls, value: _Any) -> InputReplicationMode: ...

class MirroredStrategy(Strategy):
    """Trains a replica of a model on each device of this process, and sums their gradients."""
    def __init__(self, devices: _Any = None, cross_device_ops: _Any = None) -> None: ...

class NcclAllReduce(CrossDeviceOps):
    """Combines values as `CrossDeviceOps` does, on the device of the destination."""
    def __init__(self, num_packs: _Any = 1) -> None: ...

class OneDeviceStrategy(Strategy):
    """Trains one replica, on one device."""
    def __init__(self, device: _Any) -> None: ...

class ReduceOp(enum.Enum):
    """How the values of replicas are combined."""
    MEAN = 'MEAN'
    SUM = 'SUM'
    def __new__(cls, value: _Any) -> ReduceOp: ...
    @staticmethod
    def of(value: _Any) -> _Any:
        """The ReduceOp that an argument means: one, or its name in any case."""

class ReductionToOneDevice(CrossDeviceOps):
    """Combines values on one device."""
    def __init__(self, reduce_to_device: _Any = None, accumulation_fn: _Any = None) -> None: ...
    accumulation_fn: _Any
    def reduce_implementation(self, reduce_op: _Any, per_replica_value: _Any, destinations: _Any, options: _Any) -> _Any: ...
    reduce_to_device: _Any

class ReplicaContext:
    """One of the replicas of a strategy. `tf.distribute.get_replica_context` returns it."""
    def __init__(self, strategy: _Any, replica_id_in_sync_group: _Any) -> None: ...
    def all_reduce(self, reduce_op: _Any, value: _Any, options: _Any = None) -> _Any:
        """Combines a value over all replicas, with a gradient that combines theirs."""
    @property
    def devices(self) -> _Any:
        """The device of this replica, in a tuple."""
    def merge_call(self, merge_fn: _Any, args: _Any = (), kwargs: _Any = None) -> _Any:
        """Calls a function once for all replicas, when each has come to this call."""
    @property
    def num_replicas_in_sync(self) -> _Any:
        """The number of replicas."""
    @property
    def replica_id_in_sync_group(self) -> _Any:
        """The number of this replica: a constant `Tensor` in the graph, the int 0 outside of strategies."""
    @property
    def strategy(self) -> _Any:
        """The strategy."""

class RunOptions(builtins.tuple):
    """Options of `Strategy.run`, for TPUs: accepted, and without effect."""
    def __new__(_cls, experimental_enable_dynamic_batch_size: _Any = True, experimental_bucketizing_dynamic_shape: _Any = False, experimental_xla_options: _Any = None) -> RunOptions:
        """Create new instance of RunOptions(experimental_enable_dynamic_batch_size, experimental_bucketizing_dynamic_shape, experimental_xla_options)"""
    experimental_bucketizing_dynamic_shape: _Any
    experimental_enable_dynamic_batch_size: _Any
    experimental_xla_options: _Any

class Server:
    """This process as a task of a cluster: serves other tasks' sessions and has a `target` for its own."""
    def __init__(self, server_or_cluster_def: _Any, job_name: _Any = None, task_index: _Any = None, protocol: _Any = None, config: _Any = None, start: _Any = True) -> None: ...
    @property
    def cluster_spec(self) -> _Any:
        """The `tf.train.ClusterSpec` of this server."""
    @staticmethod
    def create_local_server(config: _Any = None, start: _Any = True) -> _Any:
        """A server in a cluster with just one task, /job:localhost/task:0, whatever other processes there are."""
    def join(self) -> _Any:
        """Serves the other tasks until the job ends, and then ends this process. It never returns."""
    @property
    def server_def(self) -> _Any:
        """The `tf.train.ServerDef` of this server."""
    def start(self) -> _Any:
        """Connects this process with the others. No effect on a running server."""
    def status(self, timeout_s: _Any = 1.0) -> _Any:
        """What the tasks of the cluster do at this moment; `python -m tfcore.tools.cluster` shows it as a table."""
    @property
    def target(self) -> _Any:
        """The target for a `tf.Session` of this process on the cluster."""

class Strategy:
    """How a program is spread over devices: what is in `scope()` belongs to the strategy, `run()` calls a function for
    each replica."""
    def __init__(self, extended: _Any) -> None: ...
    @property
    def cluster_resolver(self) -> _Any:
        """None: the strategy is for one process."""
    def colocate_vars_with(self, colocate_with_variable: _Any) -> _Any:
        """A context manager that places new variables with another one."""
    def configure(self, session_config: _Any = None, cluster_spec: _Any = None, task_type: _Any = None, task_id: _Any = None) -> _Any:
        """Refuses clusters: the strategy is for one process."""
    def distribute_datasets_from_function(self, dataset_fn: _Any, options: _Any = None) -> _Any:
        """A dataset whose elements replicas take in turn."""
    def experimental_distribute_dataset(self, dataset: _Any, options: _Any = None) -> _Any:
        """A dataset that gives each replica its part of each batch."""
    def experimental_distribute_datasets_from_function(self, dataset_fn: _Any, options: _Any = None) -> _Any:
        """The same as `distribute_datasets_from_function`."""
    def experimental_local_results(self, value: _Any) -> _Any:
        """The values of the replicas."""
    def experimental_make_numpy_dataset(self, numpy_input: _Any, session: _Any = None) -> _Any:
        """A dataset of the rows of arrays."""
    def experimental_run(self, fn: _Any, input_iterator: _Any = None) -> _Any:
        """Calls a function for each replica, on the next elements of an iterator."""
    @property
    def extended(self) -> _Any:
        """The `tf.distribute.StrategyExtended`."""
    def group(self, value: _Any, name: str | None = None) -> Operation:
        """An operation that runs what all replicas have returned."""
    def make_dataset_iterator(self, dataset: _Any) -> _Any:
        """An iterator that gives each replica its part of each batch of a dataset."""
    def make_input_fn_iterator(self, input_fn: _Any, replication_mode: _Any = ...) -> _Any:
        """An iterator that gives each replica an element of a dataset of its own."""
    @property
    def num_replicas_in_sync(self) -> _Any:
        """The number of replicas whose gradients are summed."""
    def reduce(self, reduce_op: _Any, value: _Any, axis: _Any = None) -> Tensor:
        """Combines the values of the replicas."""
    def run(self, fn: _Any, args: _Any = (), kwargs: _Any = None, options: _Any = None) -> _Any:
        """Calls a function for each replica."""
    def scope(self) -> _Any:
        """A context manager in which variables belong to the strategy."""
    def unwrap(self, value: _Any) -> _Any:
        """The values of the replicas."""
    def update_config_proto(self, config_proto: _Any) -> _Any:
        """The configuration for sessions that run the strategy's graph."""

class StrategyExtended:
    """What a strategy is made of: its devices, its variables, and how values are combined."""
    def __init__(self, container_strategy: _Any) -> None: ...
    def batch_reduce_to(self, reduce_op: _Any, value_destination_pairs: _Any, options: _Any = None) -> _Any:
        """Combines the values of the replicas, for several values."""
    def broadcast_to(self, tensor: _Any, destinations: _Any) -> Tensor:
        """Copies a value to devices."""
    def call_for_each_replica(self, fn: _Any, args: _Any = (), kwargs: _Any = None) -> _Any:
        """Calls a function for each replica, see `Strategy.run`."""
    def colocate_vars_with(self, colocate_with_variable: _Any) -> _Any:
        """A context manager that places new variables with another one."""
    def create_variable(self, next_creator: _Any, **kwargs: _Any) -> _Any:
        """Creates a variable of the strategy, see `tf.variable_creator_scope`."""
    cross_device_ops: _Any
    device_names: _Any
    @property
    def experimental_between_graph(self) -> builtins.bool:
        """Whether each process has a graph: there is one process."""
    def experimental_make_numpy_dataset(self, numpy_input: _Any, session: _Any = None) -> _Any:
        """A dataset of the rows of arrays."""
    @property
    def experimental_require_static_shapes(self) -> builtins.bool:
        """Whether shapes must be static: they need not."""
    def experimental_run_steps_on_iterator(self, fn: _Any, iterator: _Any, iterations: _Any = 1, initial_loop_values: _Any = None) -> _Any:
        """Raises an error: a session runs the steps."""
    @property
    def experimental_should_init(self) -> builtins.bool:
        """Whether this process initializes variables: it does."""
    has_scope: _Any
    is_updating: _Any
    last_loss_reduction: _Any
    @property
    def loss_reduction(self) -> _Any:
        """How the losses of replicas become that of the whole batch, a `tf.distribute.ReduceOp`."""
    def merge(self, context: _Any, merge_fn: _Any, args: _Any, kwargs: _Any) -> _Any:
        """What `ReplicaContext.merge_call` does."""
    def non_slot_devices(self, var_list: _Any) -> _Any:
        """The devices of what an optimizer has besides slots."""
    parameter_device: _Any
    @property
    def parameter_devices(self) -> _Any:
        """The devices of the variables, a tuple of one name."""
    def read_var(self, v: _Any) -> Tensor:
        """The value of a variable outside of replicas."""
    def reduce_to(self, reduce_op: _Any, value: _Any, destinations: _Any, options: _Any = None) -> _Any:
        """Combines the values of the replicas."""
    def require_no_replica(self) -> _Any:
        """Raises an error in replicas."""
    scales_loss: _Any
    def scaling_loss(self) -> _Any:
        """A context manager in which optimizers scale losses, for estimators."""
    @property
    def should_checkpoint(self) -> builtins.bool:
        """Whether this process saves checkpoints: it does."""
    @property
    def should_save_summary(self) -> builtins.bool:
        """Whether this process writes summaries: it does."""
    def update(self, var: _Any, fn: _Any, args: _Any = (), kwargs: _Any = None, group: _Any = True) -> Operation:
        """Calls a function that updates a variable, on its device."""
    def update_non_slot(self, colocate_with: _Any, fn: _Any, args: _Any = (), kwargs: _Any = None, group: _Any = True) -> Operation:
        """Calls a function that updates what an optimizer has besides slots."""
    def updating(self) -> _Any:
        """A context manager in which optimizers apply gradients as they are."""
    def use_devices(self, devices: _Any, parameter_device: _Any = None, cross_device_ops: _Any = None) -> _Any:
        """Sets the devices of the replicas and that of the variables."""
    def value_container(self, value: _Any) -> _Any:
        """What a value is a part of: itself, as replicas share variables."""
    def variable_created_in_scope(self, v: _Any) -> builtins.bool:
        """Whether a variable belongs to the strategy."""
    @property
    def worker_devices(self) -> _Any:
        """The devices of the replicas, a tuple of names."""

def experimental_set_strategy(strategy: _Any) -> _Any:
    """Enters the scope of a strategy, for the rest of the program, in this thread and the default graph."""

def get_loss_reduction() -> _Any:
    """How the losses of replicas become that of the whole batch."""

def get_replica_context() -> _Any:
    """The replica that the program is in."""

def get_strategy() -> _Any:
    """The strategy that the program is inside."""

def has_strategy() -> builtins.bool:
    """Whether the program is inside a strategy: in its scope, or in one of its replicas."""

def in_cross_replica_context() -> builtins.bool:
    """Whether the program is in the scope of a strategy, but in none of its replicas."""
