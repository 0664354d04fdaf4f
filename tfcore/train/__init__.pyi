# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import ClusterDef as ClusterDef
from tfcore import JobDef as JobDef
from tfcore import SaverDef as SaverDef

class AdadeltaOptimizer(Optimizer):
    """Adadelta: steps in proportion to the running size of previous updates over that of gradients."""
    def __init__(self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-08, use_locking: Any = False, name: str | None = 'Adadelta') -> None: ...

class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging: each step solves for the variable from the sums of gradients and of their squares."""
    def __init__(self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: Any = 0.1, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False, name: str | None = 'AdagradDA') -> None: ...

class AdagradOptimizer(Optimizer):
    """Adagrad: `accum += grad ** 2; var -= learning_rate * grad / sqrt(accum)`."""
    def __init__(self, learning_rate: Any, initial_accumulator_value: Any = 0.1, use_locking: Any = False, name: str | None = 'Adagrad') -> None: ...

class AdamOptimizer(Optimizer):
    """Adam: momentum and RMSProp with the bias of the first steps corrected."""
    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-08, use_locking: Any = False, name: str | None = 'Adam') -> None: ...

class AllreduceOptimizer(Optimizer):
    """Wraps an optimizer: each worker computes gradients of its own part of the batch, all apply their mean."""
    def __init__(self, opt: Any, op: Any = 'mean', bucket_bytes: Any = 8388608, group: Any = None, name: str | None = None, use_locking: Any = False) -> None:
        """Args:
          opt: an Optimizer. op: "mean", "sum"; "min", "max" for dense gradients only.
          bucket_bytes: gradients are gathered up to this size, larger ones are buckets by themselves; 0: each by itself.
          group: a list of ranks or the name of a job; None: all workers.
          name: default: "Allreduce" and that of `opt`."""
    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """As the wrapped optimizer's: the gradients are taken as they are."""
    def broadcast_variables(self, variables: Any = None, root: Any = 0) -> Any:
        """`tf.distributed.broadcast_variables` for this optimizer's group: to be run after the initializer."""
    def compute_gradients(self, loss: Any, var_list: Any = None, gate_gradients: Any = 1, *args: Any, **kwargs: Any) -> Any:
        """The combined gradients; arguments and result as those of the wrapped optimizer."""
    def get_slot(self, var: Any, name: Any) -> Any: ...
    def get_slot_names(self) -> Any: ...
    def variables(self) -> Any: ...

class ClusterSpec:
    """The tasks of a cluster, by job."""
    def __init__(self, cluster: Any) -> None: ...
    def as_cluster_def(self) -> Any:
        """This cluster as a `tf.train.ClusterDef` protocol buffer, with its jobs in the order of this spec."""
    def as_dict(self) -> Any:
        """Dict from job names to lists of addresses, or, where indices are missing, to dicts from index to address."""
    @classmethod
    def from_mpi(cls, ps: Any = None) -> Any:
        """The cluster of all processes that `mpirun` started: the first `ps` ranks are job "ps", the others "worker"."""
    @property
    def job_name(self) -> Any:
        """The job of the calling process."""
    def job_tasks(self, job_name: Any) -> Any:
        """List of a job's addresses by task index, None where an index is missing. ValueError: there is no such job."""
    @property
    def jobs(self) -> Any:
        """List of the names of the jobs."""
    def num_tasks(self, job_name: Any) -> Any:
        """Number of tasks of a job. ValueError: there is no such job."""
    def rank(self, job_name: Any, task_index: Any) -> Any:
        """The rank of a task, as this spec gives it. ValueError: there is no such job or task."""
    def task_address(self, job_name: Any, task_index: Any) -> Any:
        """The address of a task. ValueError: there is no such job or task."""
    @property
    def task_index(self) -> Any:
        """The task index of the calling process in its job."""
    def task_indices(self, job_name: Any) -> Any:
        """Sorted list of the task indices of a job. ValueError: there is no such job."""
    def task_of_rank(self, rank: Any) -> Any:
        """(job name, task index) of a rank, as this spec gives it. ValueError: none has it."""

class ExponentialMovingAverage:
    """Keeps averages of variables: average = decay * average + (1 - decay) * variable at every `apply` that runs."""
    def __init__(self, decay: Any, num_updates: Any = None, zero_debias: Any = False, name: str | None = 'ExponentialMovingAverage') -> None:
        """Args:
          decay: close to 1.0.
          num_updates: count of updates; the decay is then at most (1 + n) / (10 + n), for a quick start.
          zero_debias: correct averages of tensors for their start at zero.
          name: of the averages: variable/name."""
    def apply(self, var_list: Any = None) -> Any:
        """Makes the averages (of trainable variables by default) and returns the operation that updates them."""
    def average(self, var: Any) -> Any:
        """The variable that holds the average, None if `apply` was not called for `var`."""
    def average_name(self, var: Any) -> Any:
        """The name that the average of `var` has or would have."""
    @property
    def name(self) -> Any: ...
    def variables_to_restore(self, moving_avg_variables: Any = None) -> Any:
        """A dictionary for a Saver that loads averages into the variables themselves: name in checkpoint -> variable."""

class FtrlOptimizer(Optimizer):
    """FTRL-Proximal: follow the regularized leader, for sparse linear models."""
    def __init__(self, learning_rate: Any, learning_rate_power: Any = -0.5, initial_accumulator_value: Any = 0.1, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False, name: str | None = 'Ftrl', accum_name: Any = None, linear_name: Any = None, l2_shrinkage_regularization_strength: Any = 0.0, beta: Any = None) -> None: ...

class GradientDescentOptimizer(Optimizer):
    """Gradient descent: `var -= learning_rate * grad`."""
    def __init__(self, learning_rate: Any, use_locking: Any = False, name: str | None = 'GradientDescent') -> None: ...

class GreedyLoadBalancingStrategy:
    """The task with the least load so far, the first of equals."""
    def __call__(self, op: Any) -> Any: ...
    def __init__(self, num_tasks: Any, load_fn: Any) -> None: ...

class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: `accum = momentum * accum + grad; var -= learning_rate * accum`."""
    def __init__(self, learning_rate: Any, momentum: Any, use_locking: Any = False, name: str | None = 'Momentum', use_nesterov: Any = False) -> None: ...

class Optimizer:
    """Base of optimizers: `minimize(loss)` adds the operations that compute gradients and update variables."""
    GATE_GRAPH: Any
    GATE_NONE: Any
    GATE_OP: Any
    def __init__(self, use_locking: Any, name: Any) -> None:
        """To be called by subclasses."""
    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """The operation that applies gradients (as `compute_gradients` gives them) to their variables."""
    def compute_gradients(self, loss: Any, var_list: Any = None, gate_gradients: Any = 1, aggregation_method: Any = None, colocate_gradients_with_ops: Any = False, grad_loss: Any = None) -> Any:
        """A list of (gradient, variable); the gradient is a Tensor, IndexedSlices, or None. Arguments as `minimize`."""
    def get_name(self) -> Any: ...
    def get_slot(self, var: Any, name: Any) -> Any:
        """The slot `name` that accompanies `var`, None if there is none."""
    def get_slot_names(self) -> Any: ...
    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: Any = 1, aggregation_method: Any = None, colocate_gradients_with_ops: Any = False, name: str | None = None, grad_loss: Any = None) -> Any:
        """The operation that makes one training step."""
    def variables(self) -> Any:
        """Slots and other variables that this optimizer has in the default graph, by name."""

class ProximalAdagradOptimizer(Optimizer):
    """Adagrad followed by a proximal step for L1 and L2 penalties."""
    def __init__(self, learning_rate: Any, initial_accumulator_value: Any = 0.1, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False, name: str | None = 'ProximalAdagrad') -> None: ...

class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent followed by a proximal step for L1 and L2 penalties."""
    def __init__(self, learning_rate: Any, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0, use_locking: Any = False, name: str | None = 'ProximalGradientDescent') -> None: ...

class RMSPropOptimizer(Optimizer):
    """RMSProp: steps in proportion to the gradient over its running root mean square."""
    def __init__(self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0, epsilon: Any = 1e-10, use_locking: Any = False, centered: Any = False, name: str | None = 'RMSProp') -> None: ...

class Server:
    """This process as a task of a cluster, for other tasks' sessions and with a target for its own."""
    def __init__(self, server_or_cluster_def: Any, job_name: Any = None, task_index: Any = None, protocol: Any = None, config: Any = None, start: Any = True) -> None: ...
    @property
    def cluster_spec(self) -> Any:
        """The `tf.train.ClusterSpec` of this server."""
    @staticmethod
    def create_local_server(config: Any = None, start: Any = True) -> Any:
        """A server that is a cluster of its own, whatever other processes there are: /job:localhost/task:0."""
    def join(self) -> Any:
        """Serves the other tasks until the job ends, and then ends this process. It never returns."""
    @property
    def server_def(self) -> Any:
        """The `tf.train.ServerDef` of this server."""
    def start(self) -> Any:
        """Connects this process with the others; returns when all have started. No effect on a server that runs."""
    @property
    def target(self) -> Any:
        """What a `tf.Session` of this process is given to run on the cluster."""

class ServerDef:
    """What a server is made of; `cluster` is anything that ClusterSpec accepts, and reads as a `tf.train.ClusterDef`."""
    def __init__(self, cluster: Any = None, job_name: Any = '', task_index: Any = 0, default_session_config: Any = None, protocol: Any = '') -> None: ...
    @property
    def cluster(self) -> Any: ...
    cluster_spec: Any
    default_session_config: Any
    job_name: Any
    protocol: Any
    task_index: Any

def assert_global_step(global_step_tensor: Any) -> Any:
    """TypeError unless it is a scalar integer variable or tensor."""

def byte_size_load_fn(op: Any) -> Any:
    """The size in bytes of the only output of an operation, such as a variable."""

def cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None) -> Any:
    """Along half a cosine from `learning_rate` to alpha * learning_rate within `decay_steps`."""

def cosine_decay_restarts(learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: Any = 2.0, m_mul: Any = 1.0, alpha: Any = 0.0, name: str | None = None) -> Any:
    """Cosine decay that starts again when it has ended: each time `t_mul` as long and from `m_mul` of the height."""

def create_global_step(graph: Any = None) -> Any:
    """Makes the global step, an int64 variable; ValueError if there is one."""

def exponential_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: Any = False, name: str | None = None) -> Any:
    """learning_rate * decay_rate ** (global_step / decay_steps); `staircase`: the exponent is a whole number."""

def export_meta_graph(filename: Any = None, meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None, collection_list: Any = None, as_text: Any = False, graph: Any = None, export_scope: Any = None, clear_devices: Any = False, clear_extraneous_savers: Any = False, strip_default_attrs: Any = False, save_debug_info: Any = False, unbound_inputs_col_name: Any = 'unbound_inputs') -> Any:
    """The MetaGraphDef of a graph: its operations, the definitions of their types, and its collections."""

def get_global_step(graph: Any = None) -> Any:
    """The global step of the graph: what is in the collection GLOBAL_STEP, or the tensor "global_step:0"; or None."""

def get_or_create_global_step(graph: Any = None) -> Any:
    """The global step of the graph, made if there is none."""

def global_step(sess: Any, global_step_tensor: Any) -> Any:
    """The value of the global step in a session, a Python int."""

def import_meta_graph(meta_graph_or_file: Any, clear_devices: Any = False, import_scope: Any = None, graph: Any = None, input_map: Any = None, unbound_inputs_col_name: Any = 'unbound_inputs', restore_collections_predicate: Any = ..., return_elements: Any = None) -> Any:
    """Adds the operations and collections of a MetaGraphDef to the default graph."""

def inverse_time_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: Any = False, name: str | None = None) -> Any:
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""

def linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None) -> Any:
    """learning_rate * ((alpha + linear) * cosine + beta), where linear falls from 1 to 0 and cosine has `num_periods`."""

def natural_exp_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: Any = False, name: str | None = None) -> Any:
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""

def noisy_linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, initial_variance: Any = 1.0, variance_decay: Any = 0.55, num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None) -> Any:
    """`linear_cosine_decay` with normal noise of variance initial_variance / (1 + global_step) ** variance_decay."""

def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """values[i], where i is the number of boundaries that `x` is above: values[0] up to and with boundaries[0]."""

piecewise_constant_decay = piecewise_constant

def polynomial_decay(learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0, cycle: Any = False, name: str | None = None) -> Any:
    """From `learning_rate` to `end_learning_rate` within `decay_steps`, along a polynomial."""

def read_graph(path: Any) -> Any:
    """The GraphDef in a file that `write_graph` or TensorFlow wrote, text or binary, with all constants in it."""

def replica_device_setter(ps_tasks: Any = 0, ps_device: Any = '/job:ps', worker_device: Any = '/job:worker', merge_devices: Any = True, cluster: Any = None, ps_ops: Any = None, ps_strategy: Any = None) -> Any:
    """A device function for between-graph replication: variables to the tasks of job `ps`, all else to the worker."""

def write_graph(graph_or_graph_def: Any, logdir: Any, name: Any, as_text: Any = True) -> Any:
    """Writes a graph to the file `name` in the folder `logdir`, which is made if need be."""
