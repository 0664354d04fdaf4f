# Written by python -m tfcore.tools.stubs: do not edit.

import abc
import builtins
import threading
from tfcore import ClusterDef as ClusterDef
from tfcore import JobDef as JobDef
from tfcore import Operation as Operation
from tfcore import SaverDef as SaverDef
from tfcore import Tensor as Tensor
from tfcore import Variable as Variable
from tfcore import _Message as _Message
from tfcore.distribute import Server as Server
from tfcore.io import match_filenames_once as match_filenames_once
from tfcore.io import read_graph as read_graph
from tfcore.io import write_graph as write_graph
from tfcore.train.threads import queue_runner as queue_runner
from typing import Any as _Any

__all__ = [
'AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer', 'AllreduceOptimizer', 'BytesList',
'Checkpoint', 'CheckpointManager', 'CheckpointOptions', 'CheckpointSaverHook', 'CheckpointSaverListener',
'ChiefSessionCreator', 'ClusterDef', 'ClusterSpec', 'Coordinator', 'Example', 'ExponentialMovingAverage', 'Feature',
'FeatureList', 'FeatureLists', 'Features', 'FeedFnHook', 'FinalOpsHook', 'FloatList', 'FtrlOptimizer',
'GlobalStepWaiterHook', 'GradientDescentOptimizer', 'GreedyLoadBalancingStrategy', 'Int64List', 'JobDef',
'LoggingTensorHook', 'LooperThread', 'MomentumOptimizer', 'MonitoredSession', 'MonitoredTrainingSession',
'NanLossDuringTrainingError', 'NanTensorHook', 'NeverTriggerTimer', 'NewCheckpointReader', 'Optimizer', 'ProfilerHook',
'ProgressBarHook', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer', 'QueueRunner', 'RMSPropOptimizer',
'Saver', 'SaverDef', 'Scaffold', 'SecondOrStepTimer', 'SequenceExample', 'Server', 'ServerDef', 'SessionCreator',
'SessionManager', 'SessionRunArgs', 'SessionRunContext', 'SessionRunHook', 'SessionRunValues',
'SingularMonitoredSession', 'StepCounterHook', 'StopAtStepHook', 'SummarySaverHook', 'Supervisor',
'SyncReplicasOptimizer', 'TimeReport', 'TimeReportHook', 'VocabInfo', 'WorkerSessionCreator', 'add_queue_runner',
'assert_global_step', 'basic_train_loop', 'batch', 'batch_join', 'byte_size_load_fn', 'checkpoint_exists',
'checkpoint_to_safetensors', 'checkpoints_iterator', 'cosine_decay', 'cosine_decay_restarts', 'create_global_step',
'exponential_decay', 'export_meta_graph', 'generate_checkpoint_state_proto', 'get_checkpoint_mtimes',
'get_checkpoint_state', 'get_global_step', 'get_or_create_global_step', 'global_step', 'import_meta_graph',
'init_from_checkpoint', 'input_producer', 'inverse_time_decay', 'latest_checkpoint', 'limit_epochs',
'linear_cosine_decay', 'list_variables', 'load_checkpoint', 'load_variable', 'match_filenames_once', 'maybe_batch',
'maybe_batch_join', 'maybe_shuffle_batch', 'maybe_shuffle_batch_join', 'natural_exp_decay', 'noisy_linear_cosine_decay',
'piecewise_constant', 'piecewise_constant_decay', 'polynomial_decay', 'queue_runner', 'range_input_producer',
'read_graph', 'remove_checkpoint', 'replica_device_setter', 'safetensors_to_checkpoint', 'sdca_fprint',
'sdca_shrink_l1', 'shuffle_batch', 'shuffle_batch_join', 'slice_input_producer', 'start_queue_runners',
'string_input_producer', 'summary_iterator', 'update_checkpoint_state', 'warm_start', 'write_graph'
]

class AdadeltaOptimizer(Optimizer):
    """Adadelta: steps in proportion to the running size of previous updates over that of gradients."""
    def __init__(self, learning_rate: _Any = 0.001, rho: _Any = 0.95, epsilon: _Any = 1e-08, use_locking: _Any = False, name: str | None = 'Adadelta') -> None: ...

class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging: each step solves for the variable from the sums of gradients and of their squares."""
    def __init__(self, learning_rate: _Any, global_step: _Any, initial_gradient_squared_accumulator_value: _Any = 0.1, l1_regularization_strength: _Any = 0.0, l2_regularization_strength: _Any = 0.0, use_locking: _Any = False, name: str | None = 'AdagradDA') -> None: ...

class AdagradOptimizer(Optimizer):
    """Adagrad: `accum += grad ** 2; var -= learning_rate * grad / sqrt(accum)`."""
    def __init__(self, learning_rate: _Any, initial_accumulator_value: _Any = 0.1, use_locking: _Any = False, name: str | None = 'Adagrad') -> None: ...

class AdamOptimizer(Optimizer):
    """Adam: momentum and RMSProp with bias correction."""
    def __init__(self, learning_rate: _Any = 0.001, beta1: _Any = 0.9, beta2: _Any = 0.999, epsilon: _Any = 1e-08, use_locking: _Any = False, name: str | None = 'Adam', use_own_namescope_for_non_slot_vars: _Any = False) -> None: ...

class AllreduceOptimizer(Optimizer):
    """Synchronous data-parallel training: wraps an optimizer and averages gradients over all workers."""
    def __init__(self, opt: _Any, op: _Any = 'mean', bucket_bytes: _Any = 8388608, group: _Any = None, name: str | None = None, use_locking: _Any = False, lost_workers: _Any = None) -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None, skip_gradients_aggregation: _Any = False) -> Operation:
        """Applies gradients with the wrapped optimizer, after checking that all workers have equal variables."""
    def broadcast_variables(self, variables: _Any = None, root: _Any = 0) -> Operation:
        """Sets the variables of all workers to the values of one, see `tf.distributed.broadcast_variables`."""
    def compute_gradients(self, loss: _Any, var_list: _Any = None, gate_gradients: _Any = 1, *args: _Any, **kwargs: _Any) -> _Any:
        """Computes the gradients on this worker and combines them with those of the others."""
    def get_slot(self, var: _Any, name: _Any) -> _Any: ...
    def get_slot_names(self) -> _Any: ...
    def make_session_run_hook(self) -> _Any:
        """The hook that gives all workers equal variables, at the start and whenever workers are lost or come back."""
    def variables(self) -> _Any: ...

class BytesList(_Message):
    """message BytesList {
      repeated bytes value = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    value: _Any

class Checkpoint:
    """Groups objects, whose variables it saves and restores."""
    def __init__(self, **kwargs: _Any) -> None:
        """Makes a checkpoint of some objects."""
    def restore(self, save_path: _Any) -> _Any:
        """Finds the variables of a checkpoint, and adds the operations that restore them; the result runs these."""
    def save(self, file_prefix: _Any, session: _Any = None) -> _Any:
        """Writes a checkpoint with the next number, and makes it the latest one of its folder."""
    @property
    def save_counter(self) -> _Any:
        """A variable that `save` increments; it starts at 0."""
    def write(self, file_prefix: _Any, session: _Any = None) -> _Any:
        """Writes a checkpoint, without a number; `tf.train.latest_checkpoint` does not find it."""

class CheckpointManager:
    """Saves a `Checkpoint` again and again to one folder, and deletes old ones."""
    def __init__(self, checkpoint: _Any, directory: _Any, max_to_keep: _Any, keep_checkpoint_every_n_hours: _Any = None, checkpoint_name: _Any = 'ckpt', step_counter: _Any = None, checkpoint_interval: _Any = None, init_fn: _Any = None, last_checkpoint_step: _Any = None) -> None:
        """Takes over the checkpoints of the folder, if there are any."""
    @property
    def checkpoint(self) -> _Any:
        """The `Checkpoint`."""
    @property
    def checkpoint_interval(self) -> _Any:
        """How many steps there are between two checkpoints at least; None for any number."""
    @property
    def checkpoints(self) -> _Any:
        """List of the prefixes of checkpoints, from oldest to newest, without those that are kept for good."""
    @property
    def directory(self) -> _Any:
        """The folder."""
    @property
    def latest_checkpoint(self) -> _Any:
        """Prefix of the last checkpoint of the folder; None if there is none."""
    def restore_or_initialize(self) -> _Any:
        """Restores the latest checkpoint, and initializes variables that it lacks; without one, calls `init_fn`."""
    def save(self, checkpoint_number: _Any = None, check_interval: _Any = True) -> _Any:
        """Writes a checkpoint, and then deletes what is too old."""

class CheckpointOptions:
    """Options of object-based checkpoints in TensorFlow 2. The ones that would change what is written are refused."""
    def __init__(self, experimental_io_device: _Any = None, experimental_enable_async_checkpoint: _Any = False, experimental_write_callbacks: _Any = None, enable_async: _Any = False, experimental_skip_slot_variables: _Any = False, experimental_sharding_callback: _Any = None) -> None: ...
    enable_async: _Any
    experimental_enable_async_checkpoint: _Any
    experimental_io_device: _Any
    experimental_sharding_callback: _Any
    experimental_skip_slot_variables: _Any
    experimental_write_callbacks: _Any

class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints: when a session is created, every so many steps or seconds, and at the end."""
    def __init__(self, checkpoint_dir: _Any, save_secs: _Any = None, save_steps: _Any = None, saver: _Any = None, checkpoint_basename: _Any = 'model.ckpt', scaffold: _Any = None, listeners: _Any = None, save_graph_def: _Any = True, in_background: _Any = False, mean_time_between_failures: _Any = None) -> None: ...
    def after_create_session(self, session: _Any, coord: _Any) -> _Any: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def end(self, session: _Any) -> _Any: ...

class CheckpointSaverListener:
    """Base class of what a `CheckpointSaverHook` tells about its work. The methods do nothing here."""
    def after_save(self, session: _Any, global_step_value: _Any) -> _Any:
        """Called when a checkpoint has been saved."""
    def before_save(self, session: _Any, global_step_value: _Any) -> _Any:
        """Called before a checkpoint is saved."""
    def begin(self) -> _Any:
        """Called once, before there is a session."""
    def end(self, session: _Any, global_step_value: _Any) -> _Any:
        """Called at the end of the session."""

class ChiefSessionCreator(SessionCreator):
    """Makes the sessions of the task that initializes or restores the variables."""
    def __init__(self, scaffold: _Any = None, master: _Any = '', config: _Any = None, checkpoint_dir: _Any = None, checkpoint_filename_with_path: _Any = None) -> None: ...
    def create_session(self) -> _Any:
        """Makes a session whose variables are restored, or else initialized."""

class ClusterSpec:
    """The tasks of a cluster, by job."""
    def __init__(self, cluster: _Any, at_least: _Any = None, ps_replicas: _Any = None) -> None: ...
    def as_cluster_def(self) -> _Any:
        """This cluster as a protocol buffer."""
    def as_dict(self) -> _Any:
        """The addresses of all tasks."""
    def as_ranges(self) -> _Any:
        """This spec for other processes, as short as it can be."""
    @property
    def at_least(self) -> _Any:
        """Dict from the jobs that have room for tasks that join later to the number of tasks that they start with."""
    @classmethod
    def from_mpi(cls, ps: _Any = None, workers: _Any = None, ps_replicas: _Any = None) -> _Any:
        """The cluster of all processes that a launcher started: the first `ps` ranks are job "ps", the others "worker"."""
    @classmethod
    def from_ranges(cls, ranges: _Any, at_least: _Any = None, ps_replicas: _Any = None) -> _Any:
        """The ClusterSpec that `as_ranges` has described."""
    @property
    def job_name(self) -> _Any:
        """The job of the calling process."""
    def job_tasks(self, job_name: _Any) -> _Any:
        """The addresses of a job's tasks."""
    @property
    def jobs(self) -> _Any:
        """List of the names of the jobs."""
    def lacks(self, tasks: _Any) -> _Any:
        """The tasks that keep the cluster from starting."""
    def num_tasks(self, job_name: _Any) -> int:
        """Number of tasks of a job."""
    @property
    def ps_replicas(self) -> _Any:
        """How many tasks have each variable of job "ps"."""
    def rank(self, job_name: _Any, task_index: _Any) -> int:
        """The rank of a task, as this spec gives it."""
    def task_address(self, job_name: _Any, task_index: _Any) -> str:
        """The address of a task."""
    @property
    def task_index(self) -> _Any:
        """The task index of the calling process in its job."""
    def task_indices(self, job_name: _Any) -> _Any:
        """The task indices of a job."""
    def task_of_rank(self, rank: _Any) -> _Any:
        """The task of a rank, as this spec gives it."""

class Coordinator:
    """Stops the threads of a program together."""
    def __init__(self, clean_stop_exception_types: _Any = None) -> None: ...
    def clear_stop(self) -> _Any:
        """Forgets that a stop was requested, and the error, so that the coordinator can be used again."""
    def join(self, threads: _Any = None, stop_grace_period_secs: _Any = 120, ignore_live_threads: _Any = False) -> _Any:
        """Waits until all threads have ended, or a stop was requested and the grace period is over."""
    @property
    def joined(self) -> builtins.bool:
        """Whether `join` has returned."""
    def raise_requested_exception(self) -> _Any:
        """Raises the error that was passed to `request_stop`, if there was one."""
    def register_thread(self, thread: _Any) -> _Any:
        """Has `join` wait for a thread."""
    def request_stop(self, ex: _Any = None) -> _Any:
        """Asks all threads to stop. `join` raises the error of the first request; errors of later requests are dropped."""
    def should_stop(self) -> builtins.bool:
        """Whether a stop was requested."""
    def stop_on_exception(self) -> _Any:
        """Passes any exception in a `with` block to `request_stop`; the program continues after the block."""
    def wait_for_stop(self, timeout: _Any = None) -> builtins.bool:
        """Waits until a stop is requested."""

class Example(_Message):
    """Features by name."""
    def __init__(self, **fields: _Any) -> None: ...
    features: _Any

class ExponentialMovingAverage:
    """Exponential moving averages of variables: `average = decay * average + (1 - decay) * variable`."""
    def __init__(self, decay: _Any, num_updates: _Any = None, zero_debias: _Any = False, name: str | None = 'ExponentialMovingAverage') -> None: ...
    def apply(self, var_list: _Any = None) -> Operation:
        """Creates the averages and the operation that updates them."""
    def average(self, var: _Any) -> Variable:
        """The average of a variable."""
    def average_name(self, var: _Any) -> str:
        """The name that the average of a variable has, or would have."""
    @property
    def name(self) -> _Any:
        """The suffix of the names of the averages."""
    def variables_to_restore(self, moving_avg_variables: _Any = None) -> _Any:
        """Maps names in a checkpoint to variables, such that a `Saver` loads averages into the variables themselves."""

class Feature(_Message):
    """A list of bytes, floats or integers."""
    def __init__(self, **fields: _Any) -> None: ...
    bytes_list: _Any
    float_list: _Any
    int64_list: _Any

class FeatureList(_Message):
    """message FeatureList {
      repeated Feature feature = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    feature: _Any

class FeatureLists(_Message):
    """message FeatureLists {
      map<string, FeatureList> feature_list = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    feature_list: _Any

class Features(_Message):
    """message Features {
      map<string, Feature> feature = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    feature: _Any

class FeedFnHook(SessionRunHook):
    """Feeds each step what a function returns."""
    def __init__(self, feed_fn: _Any) -> None: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    feed_fn: _Any

class FinalOpsHook(SessionRunHook):
    """Computes something at the end."""
    def __init__(self, final_ops: _Any, final_ops_feed_dict: _Any = None) -> None: ...
    def end(self, session: _Any) -> _Any: ...
    @property
    def final_ops_values(self) -> _Any:
        """The values, after the end; None before."""

class FloatList(_Message):
    """message FloatList {
      repeated float value = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    value: _Any

class FtrlOptimizer(Optimizer):
    """FTRL-Proximal: follow the regularized leader, for sparse linear models."""
    def __init__(self, learning_rate: _Any, learning_rate_power: _Any = -0.5, initial_accumulator_value: _Any = 0.1, l1_regularization_strength: _Any = 0.0, l2_regularization_strength: _Any = 0.0, use_locking: _Any = False, name: str | None = 'Ftrl', accum_name: _Any = None, linear_name: _Any = None, l2_shrinkage_regularization_strength: _Any = 0.0, beta: _Any = None) -> None: ...

class GlobalStepWaiterHook(SessionRunHook):
    """Waits, before the first step, until the global step reaches `wait_until_step`, so that workers start one by one."""
    def __init__(self, wait_until_step: _Any) -> None: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...

class GradientDescentOptimizer(Optimizer):
    """Gradient descent: `var -= learning_rate * grad`."""
    def __init__(self, learning_rate: _Any, use_locking: _Any = False, name: str | None = 'GradientDescent') -> None: ...

class GreedyLoadBalancingStrategy:
    """Chooses the task with the least total load so far; the first one in case of a tie."""
    def __call__(self, op: _Any) -> _Any: ...
    def __init__(self, num_tasks: _Any, load_fn: _Any) -> None: ...

class Int64List(_Message):
    """message Int64List {
      repeated int64 value = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    value: _Any

class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors."""
    def __init__(self, tensors: _Any, every_n_iter: _Any = None, every_n_secs: _Any = None, at_end: _Any = False, formatter: _Any = None) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def end(self, session: _Any) -> _Any: ...

class LooperThread(threading.Thread):
    """A thread that calls a function again and again until a stop is requested."""
    def __init__(self, coord: _Any, timer_interval_secs: _Any, target: _Any = None, args: _Any = None, kwargs: _Any = None) -> None: ...
    @staticmethod
    def loop(coord: _Any, timer_interval_secs: _Any, target: _Any, args: _Any = None, kwargs: _Any = None) -> _Any:
        """Starts a thread that calls a function; see the class for the arguments."""
    def run(self) -> _Any:
        """What the thread does."""
    def run_loop(self) -> _Any:
        """Called again and again: calls `target`."""
    def start_loop(self) -> _Any:
        """Called once, before the first `run_loop`."""
    def stop_loop(self) -> _Any:
        """Called once, after the last `run_loop`, unless there was an exception."""

class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: `accum = momentum * accum + grad; var -= learning_rate * accum`."""
    def __init__(self, learning_rate: _Any, momentum: _Any, use_locking: _Any = False, name: str | None = 'Momentum', use_nesterov: _Any = False) -> None: ...

class MonitoredSession:
    """A session that calls hooks around each step, starts queue runners, and recovers from the loss of tasks."""
    StepContext: _Any
    def __enter__(self) -> MonitoredSession: ...
    def __exit__(self, exception_type: _Any, exception_value: _Any, traceback: _Any) -> None: ...
    def __init__(self, session_creator: _Any = None, hooks: _Any = None, stop_grace_period_secs: _Any = 120) -> None: ...
    def close(self) -> _Any:
        """Calls the hooks' `end`, stops the threads, and closes the session."""
    @property
    def graph(self) -> _Any:
        """The graph; None if the session is closed."""
    def run(self, fetches: _Any, feed_dict: _Any = None, options: _Any = None, run_metadata: _Any = None) -> _Any:
        """Runs a step, with what the hooks add to it."""
    def run_step_fn(self, step_fn: _Any) -> _Any:
        """Runs a function that may run several steps, with and without hooks."""
    def should_stop(self) -> _Any:
        """Whether the loop shall end: a hook or a thread has asked for it, or the session is closed."""

def MonitoredTrainingSession(master: _Any = '', is_chief: _Any = True, checkpoint_dir: _Any = None, scaffold: _Any = None, hooks: _Any = None, chief_only_hooks: _Any = None, save_checkpoint_secs: _Any = ..., save_summaries_steps: _Any = ..., save_summaries_secs: _Any = ..., config: _Any = None, stop_grace_period_secs: _Any = 120, log_step_count_steps: _Any = 100, max_wait_secs: _Any = 7200, save_checkpoint_steps: _Any = ..., summary_dir: _Any = None, save_graph_def: _Any = True, save_in_background: _Any = False, mean_time_between_failures: _Any = None, progress_bar: _Any = None, time_report: _Any = None) -> _Any:
    """Makes a `MonitoredSession` for training."""

class NanLossDuringTrainingError(builtins.RuntimeError):
    """The loss is NaN."""

class NanTensorHook(SessionRunHook):
    """Ends the loop when the loss is NaN."""
    def __init__(self, loss_tensor: _Any, fail_on_nan_loss: _Any = True) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...

class NeverTriggerTimer:
    """Never triggers."""
    def last_triggered_step(self) -> _Any: ...
    def reset(self) -> _Any:
        """Forgets when it last triggered."""
    def should_trigger_for_step(self, step: _Any) -> _Any: ...
    def update_last_triggered_step(self, step: _Any) -> _Any: ...

def NewCheckpointReader(filepattern: _Any) -> _Any:
    """Opens a checkpoint."""

class Optimizer:
    """Base class of optimizers: `minimize(loss)` adds the operations that compute gradients and update variables."""
    GATE_GRAPH: _Any
    GATE_NONE: _Any
    GATE_OP: _Any
    def __init__(self, use_locking: _Any, name: _Any, use_own_namescope_for_non_slot_vars: _Any = False) -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None, skip_gradients_aggregation: _Any = False) -> Operation:
        """Applies gradients to variables: the second part of `minimize`."""
    def compute_gradients(self, loss: _Any, var_list: _Any = None, gate_gradients: _Any = 1, aggregation_method: _Any = None, colocate_gradients_with_ops: _Any = False, grad_loss: _Any = None) -> _Any:
        """Computes the gradients of `loss` with respect to variables: the first part of `minimize`."""
    def get_name(self) -> str:
        """The name given to the constructor."""
    def get_slot(self, var: _Any, name: _Any) -> Variable:
        """The slot that the optimizer keeps for a variable."""
    def get_slot_names(self) -> _Any:
        """The names of the slots that the optimizer has created."""
    def minimize(self, loss: _Any, global_step: _Any = None, var_list: _Any = None, gate_gradients: _Any = 1, aggregation_method: _Any = None, colocate_gradients_with_ops: _Any = False, name: str | None = None, grad_loss: _Any = None) -> Operation:
        """Adds one training step: computes the gradients of `loss` and applies them."""
    def variables(self) -> _Any:
        """The slots and other variables that the optimizer has in the default graph."""

class ProfilerHook(SessionRunHook):
    """Traces a step now and then: writes `timeline-STEP.json`, for a browser, and an event for TensorBoard."""
    def __init__(self, save_steps: _Any = None, save_secs: _Any = None, output_dir: _Any = '', show_dataflow: _Any = True, show_memory: _Any = False) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...

class ProgressBarHook(SessionRunHook):
    """Shows the step, the loss, the steps per second and the time left on standard error."""
    def __init__(self, loss: _Any = None, last_step: _Any = None) -> None: ...
    def after_create_session(self, session: _Any, coord: _Any) -> _Any: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def clean_up(self) -> _Any: ...
    def end(self, session: _Any) -> _Any: ...

class ProximalAdagradOptimizer(Optimizer):
    """Adagrad followed by a proximal step for L1 and L2 penalties."""
    def __init__(self, learning_rate: _Any, initial_accumulator_value: _Any = 0.1, l1_regularization_strength: _Any = 0.0, l2_regularization_strength: _Any = 0.0, use_locking: _Any = False, name: str | None = 'ProximalAdagrad') -> None: ...

class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent followed by a proximal step for L1 and L2 penalties."""
    def __init__(self, learning_rate: _Any, l1_regularization_strength: _Any = 0.0, l2_regularization_strength: _Any = 0.0, use_locking: _Any = False, name: str | None = 'ProximalGradientDescent') -> None: ...

class QueueRunner:
    """Fills a queue: for each of some operations, a thread that runs it again and again."""
    def __init__(self, queue: _Any = None, enqueue_ops: _Any = None, close_op: _Any = None, cancel_op: _Any = None, queue_closed_exception_types: _Any = None, queue_runner_def: _Any = None, import_scope: _Any = None) -> None: ...
    @property
    def cancel_op(self) -> _Any:
        """The operation that closes the queue and cancels those that wait for room."""
    @property
    def close_op(self) -> _Any:
        """The operation that closes the queue."""
    def create_threads(self, sess: _Any, coord: _Any = None, daemon: _Any = False, start: _Any = False) -> _Any:
        """Makes the threads that fill the queue, unless there are some for the session."""
    @property
    def enqueue_ops(self) -> _Any:
        """The operations that add elements."""
    @property
    def exceptions_raised(self) -> _Any:
        """The errors of threads that had no coordinator to report them to."""
    @staticmethod
    def from_proto(queue_runner_def: _Any, import_scope: _Any = None) -> _Any:
        """Makes a runner for operations that are in the default graph."""
    @property
    def name(self) -> _Any:
        """Name of the queue."""
    @property
    def queue(self) -> _Any:
        """The queue; of a runner that was imported, the operation that makes its handle."""
    @property
    def queue_closed_exception_types(self) -> _Any:
        """The errors that mean that the input has ended."""
    def to_proto(self, export_scope: _Any = None) -> _Any:
        """Describes the runner as a protocol buffer."""

class RMSPropOptimizer(Optimizer):
    """RMSProp: steps in proportion to the gradient over its running root mean square."""
    def __init__(self, learning_rate: _Any, decay: _Any = 0.9, momentum: _Any = 0.0, epsilon: _Any = 1e-10, use_locking: _Any = False, centered: _Any = False, name: str | None = 'RMSProp') -> None: ...

class Saver:
    """Saves variables to checkpoints, which TensorFlow can read, and restores them."""
    def __init__(self, var_list: _Any = None, reshape: _Any = False, sharded: _Any = False, max_to_keep: _Any = 5, keep_checkpoint_every_n_hours: _Any = 10000.0, name: str | None = None, restore_sequentially: _Any = False, saver_def: _Any = None, builder: _Any = None, defer_build: _Any = False, allow_empty: _Any = False, write_version: _Any = 2, pad_step_number: _Any = False, save_relative_paths: _Any = False, filename: _Any = None, save_random_state: _Any = False, save_queues: _Any = False) -> None:
        """Adds the operations that save and restore to the default graph."""
    def as_saver_def(self) -> _Any:
        """The names of the saver's operations."""
    def build(self) -> _Any:
        """Adds the operations that save and restore, unless they are there."""
    def export_meta_graph(self, filename: _Any = None, collection_list: _Any = None, as_text: _Any = False, export_scope: _Any = None, clear_devices: _Any = False, clear_extraneous_savers: _Any = False, strip_default_attrs: _Any = False, save_debug_info: _Any = False) -> _Any:
        """The MetaGraphDef of the default graph, with this saver; see `tf.train.export_meta_graph`."""
    @staticmethod
    def from_proto(saver_def: _Any, import_scope: _Any = None) -> _Any:
        """Makes a saver for operations that are in the graph."""
    @property
    def last_checkpoints(self) -> _Any:
        """The prefixes of the checkpoints that `save` wrote and has not deleted, from oldest to newest."""
    def recover_last_checkpoints(self, checkpoint_paths: _Any) -> _Any:
        """Takes over the checkpoints of an earlier process, so that they are deleted in their turn."""
    def restore(self, sess: _Any, save_path: _Any) -> _Any:
        """Restores the variables, which need not be initialized."""
    def save(self, sess: _Any, save_path: _Any, global_step: _Any = None, latest_filename: _Any = None, meta_graph_suffix: _Any = 'meta', write_meta_graph: _Any = True, write_state: _Any = True, strip_default_attrs: _Any = False, save_debug_info: _Any = False, in_background: _Any = False) -> _Any:
        """Saves the variables of a session."""
    saver_def: _Any
    def set_last_checkpoints(self, last_checkpoints: _Any) -> _Any:
        """Sets the list of checkpoints; see `set_last_checkpoints_with_time`."""
    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: _Any) -> _Any:
        """Sets the list of checkpoints that `save` will delete in their turn."""
    def snapshots_per_save(self, graph: _Any) -> int:
        """How many operations save values, each of a snapshot that is then written while others train."""
    def to_proto(self, export_scope: _Any = None) -> _Any:
        """Describes the saver as a protocol buffer."""

class Scaffold:
    """The operations that initialize, check, save and summarize a model."""
    def __init__(self, init_op: _Any = None, init_feed_dict: _Any = None, init_fn: _Any = None, ready_op: _Any = None, ready_for_local_init_op: _Any = None, local_init_op: _Any = None, summary_op: _Any = None, saver: _Any = None, copy_from_scaffold: _Any = None, local_init_feed_dict: _Any = None) -> None: ...
    @staticmethod
    def default_local_init_op() -> Operation:
        """Initializes the local variables and the tables of the default graph."""
    def finalize(self) -> _Any:
        """Makes what is missing, in the default graph, and finalizes the graph."""
    @staticmethod
    def get_or_default(arg_name: _Any, collection_key: _Any, default_constructor: _Any) -> _Any:
        """The item of a collection of the default graph; if there is none, it is made and added."""
    @property
    def init_feed_dict(self) -> _Any:
        """Values that `init_op` is fed, or None."""
    @property
    def init_fn(self) -> _Any:
        """Function of a session, to be called after `init_op`; None if there is none."""
    @property
    def init_op(self) -> _Any:
        """Operation that initializes the model."""
    @property
    def local_init_feed_dict(self) -> _Any:
        """Values that `local_init_op` is fed, or None."""
    @property
    def local_init_op(self) -> _Any:
        """Operation that runs in each new session."""
    @property
    def ready_for_local_init_op(self) -> _Any:
        """`Tensor` with the names of variables that `local_init_op` needs and that are not initialized."""
    @property
    def ready_op(self) -> _Any:
        """`Tensor` with the names of variables that are not initialized."""
    @property
    def saver(self) -> _Any:
        """The `Saver`."""
    @property
    def summary_op(self) -> _Any:
        """Scalar `Tensor` of type string, a Summary; None if there are no summaries."""

class SecondOrStepTimer:
    """Triggers every so many seconds, or every so many steps, and the first time."""
    def __init__(self, every_secs: _Any = None, every_steps: _Any = None) -> None: ...
    def last_triggered_step(self) -> _Any: ...
    def reset(self) -> _Any: ...
    def should_trigger_for_step(self, step: _Any) -> _Any: ...
    def update_last_triggered_step(self, step: _Any) -> _Any: ...

class SequenceExample(_Message):
    """Features of the whole, and lists of features, one for each step of a sequence."""
    def __init__(self, **fields: _Any) -> None: ...
    context: _Any
    feature_lists: _Any

class ServerDef:
    """The arguments of a server."""
    def __init__(self, cluster: _Any = None, job_name: _Any = '', task_index: _Any = 0, default_session_config: _Any = None, protocol: _Any = '') -> None: ...
    @property
    def cluster(self) -> _Any:
        """The cluster, a `tf.train.ClusterDef`."""
    cluster_spec: _Any
    default_session_config: _Any
    job_name: _Any
    protocol: _Any
    task_index: _Any

class SessionCreator(abc.ABC):
    """Base class of what makes the sessions of a `MonitoredSession`."""
    def create_session(self) -> _Any:
        """Makes a session; called again when one has failed."""

class SessionManager:
    """Makes sessions that are ready for training."""
    def __init__(self, local_init_op: _Any = None, ready_op: _Any = None, ready_for_local_init_op: _Any = None, graph: _Any = None, recovery_wait_secs: _Any = 30, local_init_run_options: _Any = None, local_init_feed_dict: _Any = None) -> None: ...
    def prepare_session(self, master: _Any, init_op: _Any = None, saver: _Any = None, checkpoint_dir: _Any = None, checkpoint_filename_with_path: _Any = None, wait_for_checkpoint: _Any = False, max_wait_secs: _Any = 7200, config: _Any = None, init_feed_dict: _Any = None, init_fn: _Any = None) -> _Any:
        """Makes a session, and restores its variables or else initializes them, unless they have outlived a loss."""
    def recover_session(self, master: _Any, saver: _Any = None, checkpoint_dir: _Any = None, checkpoint_filename_with_path: _Any = None, wait_for_checkpoint: _Any = False, max_wait_secs: _Any = 7200, config: _Any = None) -> _Any:
        """Makes a session, and restores its variables if there is a checkpoint."""
    def wait_for_session(self, master: _Any, config: _Any = None, max_wait_secs: _Any = ...) -> _Any:
        """Makes a session when the model is ready, that is, when another task has initialized or restored it."""

class SessionRunArgs(builtins.tuple):
    """What a step computes: the arguments of `Session.run`."""
    def __new__(_cls, fetches: _Any, feed_dict: _Any = None, options: _Any = None) -> SessionRunArgs:
        """Create new instance of SessionRunArgs(fetches, feed_dict, options)"""
    feed_dict: _Any
    fetches: _Any
    options: _Any

class SessionRunContext:
    """What a hook learns about a step."""
    def __init__(self, original_args: _Any, session: _Any) -> None: ...
    @property
    def original_args(self) -> _Any:
        """The `SessionRunArgs` that the program passed to `run`, without what hooks have added."""
    def request_stop(self) -> _Any:
        """Asks for the end of the loop after this step."""
    @property
    def session(self) -> _Any:
        """The `Session` that runs the step."""
    @property
    def stop_requested(self) -> builtins.bool:
        """Whether a hook has asked for the end of the loop."""

class SessionRunHook:
    """Base class of hooks, whose methods are called around the steps of a session. Here they do nothing."""
    def after_create_session(self, session: _Any, coord: _Any) -> _Any:
        """Called when a session has been created, also when one has replaced a session that failed."""
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any:
        """Called after each step, unless it raised an error."""
    def before_run(self, run_context: _Any) -> _Any:
        """Called before each step."""
    def begin(self) -> _Any:
        """Called once, before there is a session. Operations may be added to the default graph only here."""
    def end(self, session: _Any) -> _Any:
        """Called before the session is closed, unless a step raised an error other than one for the end of the input."""

class SessionRunValues(builtins.tuple):
    """What a step has computed for a hook."""
    def __new__(_cls, results: _Any, options: _Any, run_metadata: _Any) -> SessionRunValues:
        """Create new instance of SessionRunValues(results, options, run_metadata)"""
    options: _Any
    results: _Any
    run_metadata: _Any

class SingularMonitoredSession:
    """A `MonitoredSession` that does not recover: errors of lost tasks are raised."""
    StepContext: _Any
    def __enter__(self) -> SingularMonitoredSession: ...
    def __exit__(self, exception_type: _Any, exception_value: _Any, traceback: _Any) -> None: ...
    def __init__(self, hooks: _Any = None, scaffold: _Any = None, master: _Any = '', config: _Any = None, checkpoint_dir: _Any = None, stop_grace_period_secs: _Any = 120, checkpoint_filename_with_path: _Any = None) -> None: ...
    def close(self) -> _Any:
        """Calls the hooks' `end`, stops the threads, and closes the session."""
    @property
    def graph(self) -> _Any:
        """The graph; None if the session is closed."""
    def raw_session(self) -> _Any:
        """The underlying `Session`."""
    def run(self, fetches: _Any, feed_dict: _Any = None, options: _Any = None, run_metadata: _Any = None) -> _Any:
        """Runs a step, with what the hooks add to it."""
    def run_step_fn(self, step_fn: _Any) -> _Any:
        """Runs a function that may run several steps, with and without hooks."""
    def should_stop(self) -> _Any:
        """Whether the loop shall end: a hook or a thread has asked for it, or the session is closed."""

class StepCounterHook(SessionRunHook):
    """Logs the number of global steps per second, and writes it as a summary."""
    def __init__(self, every_n_steps: _Any = 100, every_n_secs: _Any = None, output_dir: _Any = None, summary_writer: _Any = None) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...

class StopAtStepHook(SessionRunHook):
    """Ends the loop at a step."""
    def __init__(self, num_steps: _Any = None, last_step: _Any = None) -> None: ...
    def after_create_session(self, session: _Any, coord: _Any) -> _Any: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    @property
    def last_step(self) -> _Any:
        """The global step at which the loop ends; None: it is not known before the session is made."""

class SummarySaverHook(SessionRunHook):
    """Writes summaries."""
    def __init__(self, save_steps: _Any = None, save_secs: _Any = None, output_dir: _Any = None, summary_writer: _Any = None, scaffold: _Any = None, summary_op: _Any = None) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def end(self, session: _Any = None) -> _Any: ...

class Supervisor:
    """Prepares sessions for training, and runs services in threads: checkpoints, summaries, queue runners."""
    def Loop(self, timer_interval_secs: _Any, target: _Any, args: _Any = None, kwargs: _Any = None) -> _Any:
        """Starts a thread that calls a function until the supervisor stops."""
    def PrepareSession(self, master: _Any = '', config: _Any = None, wait_for_checkpoint: _Any = False, max_wait_secs: _Any = 7200, start_standard_services: _Any = True) -> _Any:
        """Makes a session that is ready: the chief restores or initializes, the others wait for the chief."""
    def RequestStop(self, ex: _Any = None) -> _Any:
        """Asks all threads to stop."""
    def ShouldStop(self) -> builtins.bool:
        """Whether a stop was requested."""
    def StartQueueRunners(self, sess: _Any, queue_runners: _Any = None) -> _Any:
        """Starts the threads of queue runners."""
    def StartStandardServices(self, sess: _Any) -> _Any:
        """Starts the threads that save checkpoints, write summaries and count steps."""
    def Stop(self, threads: _Any = None, close_summary_writer: _Any = True, ignore_live_threads: _Any = False) -> _Any:
        """Stops the threads, and closes the summary writer."""
    def StopOnException(self) -> _Any:
        """Passes any exception in a `with` block to `request_stop`; the program continues after the block."""
    def SummaryComputed(self, sess: _Any, summary: _Any, global_step: _Any = None) -> _Any:
        """Writes a summary that the program has computed."""
    USE_DEFAULT: _Any
    def WaitForStop(self) -> _Any:
        """Waits until a stop is requested."""
    def __init__(self, graph: _Any = None, ready_op: _Any = 0, ready_for_local_init_op: _Any = 0, is_chief: _Any = True, init_op: _Any = 0, init_feed_dict: _Any = None, local_init_op: _Any = 0, logdir: _Any = None, summary_op: _Any = 0, saver: _Any = 0, global_step: _Any = 0, save_summaries_secs: _Any = 120, save_model_secs: _Any = 600, recovery_wait_secs: _Any = 30, stop_grace_secs: _Any = 120, checkpoint_basename: _Any = 'model.ckpt', session_manager: _Any = None, summary_writer: _Any = 0, init_fn: _Any = None, local_init_run_options: _Any = None) -> None: ...
    @property
    def coord(self) -> _Any:
        """The `Coordinator` of the threads."""
    @property
    def global_step(self) -> _Any:
        """The global step, or None."""
    @property
    def init_feed_dict(self) -> _Any:
        """Values that `init_op` is fed, or None."""
    @property
    def init_op(self) -> _Any:
        """Operation that initializes the model, or None."""
    @property
    def is_chief(self) -> builtins.bool:
        """Whether this task is the chief."""
    def loop(self, timer_interval_secs: _Any, target: _Any, args: _Any = None, kwargs: _Any = None) -> _Any:
        """Starts a thread that calls a function until the supervisor stops."""
    def managed_session(self, master: _Any = '', config: _Any = None, start_standard_services: _Any = True, close_summary_writer: _Any = True) -> _Any:
        """A `with` block with a session, in which threads run; at its end they are stopped and the session is closed."""
    def prepare_or_wait_for_session(self, master: _Any = '', config: _Any = None, wait_for_checkpoint: _Any = False, max_wait_secs: _Any = 7200, start_standard_services: _Any = True) -> _Any:
        """Makes a session that is ready: the chief restores or initializes, the others wait for the chief."""
    @property
    def ready_for_local_init_op(self) -> _Any:
        """`Tensor` with the names of variables that `local_init_op` needs and that are not initialized, or None."""
    @property
    def ready_op(self) -> _Any:
        """`Tensor` with the names of variables that are not initialized, or None."""
    def request_stop(self, ex: _Any = None) -> _Any:
        """Asks all threads to stop."""
    @property
    def save_model_secs(self) -> _Any:
        """Seconds from checkpoint to checkpoint; None in tasks that are not the chief."""
    @property
    def save_path(self) -> _Any:
        """Beginning of the paths of checkpoints, or None."""
    @property
    def save_summaries_secs(self) -> _Any:
        """Seconds from summary to summary; None in tasks that are not the chief."""
    @property
    def saver(self) -> _Any:
        """The `Saver`, or None."""
    @property
    def session_manager(self) -> _Any:
        """The `SessionManager`."""
    def should_stop(self) -> builtins.bool:
        """Whether a stop was requested."""
    def start_queue_runners(self, sess: _Any, queue_runners: _Any = None) -> _Any:
        """Starts the threads of queue runners."""
    def start_standard_services(self, sess: _Any) -> _Any:
        """Starts the threads that save checkpoints, write summaries and count steps."""
    def stop(self, threads: _Any = None, close_summary_writer: _Any = True, ignore_live_threads: _Any = False) -> _Any:
        """Stops the threads, and closes the summary writer."""
    def stop_on_exception(self) -> _Any:
        """Passes any exception in a `with` block to `request_stop`; the program continues after the block."""
    def summary_computed(self, sess: _Any, summary: _Any, global_step: _Any = None) -> _Any:
        """Writes a summary that the program has computed."""
    @property
    def summary_op(self) -> _Any:
        """Scalar `Tensor` of type string, a Summary, or None."""
    @property
    def summary_writer(self) -> _Any:
        """The `FileWriter` of the chief, or None."""
    def wait_for_stop(self) -> _Any:
        """Waits until a stop is requested."""

class SyncReplicasOptimizer(Optimizer):
    """Synchronous data-parallel training: wraps an optimizer, and applies the mean of the gradients of several workers."""
    def __init__(self, opt: _Any, replicas_to_aggregate: _Any, total_num_replicas: _Any = None, variable_averages: _Any = None, variables_to_average: _Any = None, use_locking: _Any = False, name: str | None = 'sync_replicas') -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> _Any:
        """Adds the accumulators, the queue, and all operations of workers and chief."""
    chief_init_op: _Any
    def compute_gradients(self, *args: _Any, **kwargs: _Any) -> _Any:
        """Computes the gradients of this worker, see `Optimizer.compute_gradients`."""
    def get_chief_queue_runner(self) -> _Any:
        """The queue runner that aggregates gradients, for the chief."""
    def get_init_tokens_op(self, num_tokens: _Any = -1) -> Operation:
        """The operation that puts the first tokens into the queue. The chief runs it before its first step."""
    def get_slot(self, *args: _Any, **kwargs: _Any) -> _Any: ...
    def get_slot_names(self, *args: _Any, **kwargs: _Any) -> _Any: ...
    local_step_init_op: _Any
    def make_session_run_hook(self, is_chief: _Any, num_tokens: _Any = -1) -> _Any:
        """A hook that initializes the local step, and, for the chief, accumulators and tokens, and starts its thread."""
    ready_for_local_init_op: _Any
    def variables(self) -> _Any: ...

class TimeReport:
    """Where the time of traced steps went. str() is a text."""
    def __init__(self, steps: _Any, graph: _Any = None) -> None: ...
    bottlenecks: _Any
    def bound_by_input(self) -> _Any:
        """How much of the time of the steps the master's task did nothing but wait for its input."""
    def by_line(self) -> _Any:
        """The time by the line of the program that made the operations."""
    def by_type(self) -> _Any:
        """The time by type of operation."""
    operations: _Any
    shares: _Any
    def text(self, rows: _Any = 10) -> str:
        """The report as a text."""
    walls: _Any

class TimeReportHook(SessionRunHook):
    """Traces all steps. When training ends, also by an error, it writes a `TimeReport` of the last ones to stderr."""
    def __init__(self, steps: _Any = 100) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def clean_up(self) -> _Any: ...

class VocabInfo(builtins.tuple):
    """Vocabularies of a variable, whose rows (or columns) belong to words: files with a word a line."""
    def __new__(cls, new_vocab: _Any, new_vocab_size: _Any, num_oov_buckets: _Any, old_vocab: _Any, old_vocab_size: _Any = -1, backup_initializer: _Any = None, axis: _Any = 0) -> VocabInfo: ...
    axis: _Any
    backup_initializer: _Any
    new_vocab: _Any
    new_vocab_size: _Any
    num_oov_buckets: _Any
    old_vocab: _Any
    old_vocab_size: _Any

class WorkerSessionCreator(SessionCreator):
    """Makes the sessions of the other tasks, which wait for the chief."""
    def __init__(self, scaffold: _Any = None, master: _Any = '', config: _Any = None, max_wait_secs: _Any = 1800) -> None: ...
    def create_session(self) -> _Any:
        """Makes a session when the variables are initialized."""

def add_queue_runner(qr: _Any, collection: _Any = 'queue_runners') -> _Any:
    """Adds a queue runner to a collection of the default graph, for `start_queue_runners`."""

def assert_global_step(global_step_tensor: _Any) -> _Any:
    """Checks that a value can serve as a global step."""

def basic_train_loop(supervisor: _Any, train_step_fn: _Any, args: _Any = None, kwargs: _Any = None, master: _Any = '') -> _Any:
    """Calls a function until the supervisor stops; again with a new session after AbortedError."""

def batch(tensors: _Any, batch_size: _Any, num_threads: _Any = 1, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of examples, in order."""

def batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of examples from several sources, in the order in which they come."""

def byte_size_load_fn(op: _Any) -> int:
    """The size in bytes of an operation's only output, such as a variable."""

def checkpoint_exists(checkpoint_prefix: _Any) -> builtins.bool:
    """Whether there is a checkpoint of either format."""

def checkpoint_to_safetensors(ckpt_dir_or_file: _Any, path: _Any, names: _Any = None) -> _Any:
    """Writes the tensors of a checkpoint to a safetensors file."""

def checkpoints_iterator(checkpoint_dir: _Any, min_interval_secs: _Any = 0, timeout: _Any = None, timeout_fn: _Any = None) -> _Any:
    """Yields each new latest checkpoint of a folder as it appears."""

def cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, alpha: _Any = 0.0, name: str | None = None) -> Tensor:
    """Cosine decay from `learning_rate` to `alpha * learning_rate` within `decay_steps`."""

def cosine_decay_restarts(learning_rate: _Any, global_step: _Any, first_decay_steps: _Any, t_mul: _Any = 2.0, m_mul: _Any = 1.0, alpha: _Any = 0.0, name: str | None = None) -> Tensor:
    """Cosine decay with warm restarts. Each period is `t_mul` times as long and `m_mul` times as high as the last."""

def create_global_step(graph: _Any = None) -> Variable:
    """Creates the global step of a graph: a non-trainable scalar int64 variable, initially 0."""

def exponential_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: str | None = None) -> Tensor:
    """Exponential decay of the learning rate: `learning_rate * decay_rate ** (global_step / decay_steps)`."""

def export_meta_graph(filename: _Any = None, meta_info_def: _Any = None, graph_def: _Any = None, saver_def: _Any = None, collection_list: _Any = None, as_text: _Any = False, graph: _Any = None, export_scope: _Any = None, clear_devices: _Any = False, clear_extraneous_savers: _Any = False, strip_default_attrs: _Any = False, save_debug_info: _Any = False, **kwargs: _Any) -> _Any:
    """The MetaGraphDef of a graph: its operations, the definitions of their types, and its collections."""

def generate_checkpoint_state_proto(save_dir: _Any, model_checkpoint_path: _Any, all_model_checkpoint_paths: _Any = None, all_model_checkpoint_timestamps: _Any = None, last_preserved_timestamp: _Any = None) -> _Any:
    """Makes a CheckpointState, which lists the checkpoints of a folder."""

def get_checkpoint_mtimes(checkpoint_prefixes: _Any) -> _Any:
    """When checkpoints were written."""

def get_checkpoint_state(checkpoint_dir: _Any, latest_filename: _Any = None) -> _Any:
    """Reads the file "checkpoint" of a folder."""

def get_global_step(graph: _Any = None) -> _Any:
    """Finds the global step of a graph."""

def get_or_create_global_step(graph: _Any = None) -> _Any:
    """The global step of a graph, created if there is none."""

def global_step(sess: _Any, global_step_tensor: _Any) -> _Any:
    """The value of the global step in a session."""

def import_meta_graph(meta_graph_or_file: _Any, clear_devices: _Any = False, import_scope: _Any = None, **kwargs: _Any) -> _Any:
    """Adds the operations and collections of a MetaGraphDef to the default graph, and makes a saver for its variables."""

def init_from_checkpoint(ckpt_dir_or_file: _Any, assignment_map: _Any) -> _Any:
    """Makes the initializers of variables read a checkpoint."""

def input_producer(input_tensor: _Any, element_shape: _Any = None, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, summary_name: _Any = None, name: str | None = None, cancel_op: _Any = None) -> _Any:
    """A queue with the rows of a tensor, and a queue runner that fills it."""

def inverse_time_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: str | None = None) -> Tensor:
    """Inverse time decay: `learning_rate / (1 + decay_rate * global_step / decay_steps)`."""

def latest_checkpoint(checkpoint_dir: _Any, latest_filename: _Any = None) -> _Any:
    """Finds the latest checkpoint of a folder, by its file "checkpoint"."""

def limit_epochs(tensor: _Any, num_epochs: _Any = None, name: str | None = None) -> Tensor:
    """A tensor that can be used `num_epochs` times, and then fails with OutOfRangeError."""

def linear_cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, num_periods: _Any = 0.5, alpha: _Any = 0.0, beta: _Any = 0.001, name: str | None = None) -> Tensor:
    """Linear cosine decay: `learning_rate * ((alpha + linear) * cosine + beta)`."""

def list_variables(ckpt_dir_or_file: _Any) -> _Any:
    """Lists the variables of a checkpoint."""

def load_checkpoint(ckpt_dir_or_file: _Any) -> _Any:
    """Opens a checkpoint."""

def load_variable(ckpt_dir_or_file: _Any, name: _Any) -> _Any:
    """Reads a variable."""

def maybe_batch(tensors: _Any, keep_input: _Any, batch_size: _Any, num_threads: _Any = 1, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of the examples that are to be kept, in order; see `tf.train.batch`."""

def maybe_batch_join(tensors_list: _Any, keep_input: _Any, batch_size: _Any, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of the examples of several sources that are to be kept; see `tf.train.batch_join`."""

def maybe_shuffle_batch(tensors: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, keep_input: _Any, num_threads: _Any = 1, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of the examples that are to be kept, shuffled; see `tf.train.shuffle_batch`."""

def maybe_shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, keep_input: _Any, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of the examples of several sources that are to be kept, shuffled; see
    `tf.train.shuffle_batch_join`."""

def natural_exp_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: str | None = None) -> Tensor:
    """Exponential decay with base e: `learning_rate * exp(-decay_rate * global_step / decay_steps)`."""

def noisy_linear_cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, initial_variance: _Any = 1.0, variance_decay: _Any = 0.55, num_periods: _Any = 0.5, alpha: _Any = 0.0, beta: _Any = 0.001, name: str | None = None) -> Tensor:
    """`linear_cosine_decay` with Gaussian noise added to its linear term."""

def piecewise_constant(x: _Any, boundaries: _Any, values: _Any, name: str | None = None) -> Tensor:
    """A piecewise constant function of `x`, such as a learning rate that drops at given steps."""

piecewise_constant_decay = piecewise_constant

def polynomial_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, end_learning_rate: _Any = 0.0001, power: _Any = 1.0, cycle: _Any = False, name: str | None = None) -> Tensor:
    """Polynomial decay from `learning_rate` to `end_learning_rate` within `decay_steps`."""

def range_input_producer(limit: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: str | None = None) -> _Any:
    """A queue of the integers from 0 to `limit - 1`, and a queue runner that fills it."""

def remove_checkpoint(checkpoint_prefix: _Any, checkpoint_format_version: _Any = 2, meta_graph_suffix: _Any = 'meta') -> _Any:
    """Deletes the files of a checkpoint: the graph, the index, and then the data, which nothing names any more."""

def replica_device_setter(ps_tasks: _Any = 0, ps_device: _Any = '/job:ps', worker_device: _Any = '/job:worker', merge_devices: _Any = True, cluster: _Any = None, ps_ops: _Any = None, ps_strategy: _Any = None) -> _Any:
    """A device function for between-graph replication: variables go to the tasks of job `ps`, all else to the worker."""

def safetensors_to_checkpoint(path: _Any, prefix: _Any, names: _Any = None) -> _Any:
    """Writes the tensors of a safetensors file as a checkpoint."""

def sdca_fprint(input: _Any, name: str | None = None) -> Tensor:
    """Fingerprints of strings: FarmHash's Fingerprint128 in two words, of which the first is neither 0 nor 1."""

def sdca_shrink_l1(weights: _Any, l1: _Any, l2: _Any, name: str | None = None) -> Operation:
    """Moves weights towards 0 by L1 regularization: each by l1 / l2, at most to 0."""

def shuffle_batch(tensors: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, num_threads: _Any = 1, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of shuffled examples."""

def shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of shuffled examples from several sources."""

def slice_input_producer(tensor_list: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: str | None = None) -> list[Tensor]:
    """Rows of tensors, the same one of each, chosen by a queue of their numbers."""

def start_queue_runners(sess: _Any = None, coord: _Any = None, daemon: _Any = True, start: _Any = True, collection: _Any = 'queue_runners') -> _Any:
    """Starts the threads of all queue runners of the session's graph."""

def string_input_producer(string_tensor: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: str | None = None, cancel_op: _Any = None) -> _Any:
    """A queue of strings, such as names of files, and a queue runner that fills it."""

def summary_iterator(path: _Any) -> _Any:
    """Iterates over the events of a file."""

def update_checkpoint_state(save_dir: _Any, model_checkpoint_path: _Any, all_model_checkpoint_paths: _Any = None, latest_filename: _Any = None, all_model_checkpoint_timestamps: _Any = None, last_preserved_timestamp: _Any = None) -> _Any:
    """Writes the file "checkpoint" of a folder; a crash leaves the old file or the new one."""

def warm_start(ckpt_to_initialize_from: _Any, vars_to_warm_start: _Any = '.*', var_name_to_vocab_info: _Any = None, var_name_to_prev_var_name: _Any = None) -> _Any:
    """Makes the initializers of variables read a checkpoint."""
