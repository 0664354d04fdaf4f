# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore import Variable as Variable
from tfcore.train import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from tfcore.train import SessionRunHook as SessionRunHook
from tfcore.train import byte_size_load_fn as byte_size_load_fn
from tfcore.train import checkpoints_iterator as checkpoints_iterator
from typing import Any as _Any

__all__ = [
'FailureTolerator', 'GreedyLoadBalancingStrategy', 'HParams', 'NextQueuedSequenceBatch', 'RandomStrategy',
'SequenceQueueingStateSaver', 'StopAfterNEvalsHook', 'SummaryAtEndHook', 'add_gradients_summaries',
'batch_sequences_with_states', 'bucket', 'bucket_by_sequence_length', 'byte_size_load_fn', 'checkpoints_iterator',
'clip_gradient_norms', 'clip_gradient_norms_fn', 'create_train_op', 'evaluate_once', 'evaluate_repeatedly',
'get_or_create_eval_step', 'multiply_gradients', 'parse_values', 'rejection_sample', 'resample_at_rate',
'stratified_sample', 'train', 'wait_for_new_checkpoint', 'weighted_resample'
]

class FailureTolerator:
    """Forgives errors, and waits after each of them before it lets the program try again."""
    def __init__(self, limit: _Any = 5, init_delay: _Any = 5.0, backoff_factor: _Any = 2.0, forgive_after_seconds: _Any = 6000, handled_exceptions: _Any = None) -> None: ...
    def forgive(self) -> _Any:
        """A context whose errors are forgiven. It begins with the wait for those before."""

class HParams:
    """A set of hyperparameters: attributes that keep the type of their first value."""
    def __contains__(self, key: _Any) -> _Any: ...
    def __init__(self, hparam_def: _Any = None, model_structure: _Any = None, **kwargs: _Any) -> None: ...
    def add_hparam(self, name: _Any, value: _Any) -> _Any:
        """Adds a hyperparameter."""
    def del_hparam(self, name: _Any) -> _Any:
        """Removes a hyperparameter, if it is there."""
    def get(self, key: _Any, default: _Any = None) -> _Any:
        """The value of a hyperparameter."""
    def get_model_structure(self) -> _Any:
        """The object given as model structure."""
    def override_from_dict(self, values_dict: _Any) -> _Any:
        """Sets hyperparameters from a dict."""
    def parse(self, values: _Any) -> _Any:
        """Sets hyperparameters from text such as "rate=0.1,layers=[16,32]"."""
    def parse_json(self, values_json: _Any) -> _Any:
        """Sets hyperparameters from JSON."""
    def set_from_map(self, values_map: _Any) -> _Any:
        """Old name of `override_from_dict`."""
    def set_hparam(self, name: _Any, value: _Any) -> _Any:
        """Sets a hyperparameter."""
    def set_model_structure(self, model_structure: _Any) -> _Any:
        """Sets the object that `get_model_structure` returns."""
    def to_json(self, indent: _Any = None, separators: _Any = None, sort_keys: _Any = False) -> str:
        """The hyperparameters as JSON."""
    def values(self) -> _Any:
        """The hyperparameters as a dict."""

class NextQueuedSequenceBatch:
    """A batch of segments of sequences, which a `SequenceQueueingStateSaver` makes."""
    def __init__(self, state_saver: _Any) -> None: ...
    @property
    def batch_size(self) -> _Any:
        """The number of segments, a scalar int32 `Tensor`."""
    @property
    def context(self) -> _Any:
        """A dictionary of what is the same for all segments of a sequence: `Tensor`s of shape [batch, ...]."""
    @property
    def insertion_index(self) -> _Any:
        """Numbers of the segments, an int64 vector: those that were read first have the smallest ones."""
    @property
    def key(self) -> _Any:
        """The keys of the segments, "00001_of_00003:KEY" for the second of three of the sequence KEY."""
    @property
    def length(self) -> _Any:
        """How many steps of each segment are not padding, an int32 vector."""
    @property
    def next_key(self) -> _Any:
        """The keys of the segments after these; "STOP:KEY" after the last one of a sequence."""
    def save_state(self, state_name: _Any, value: _Any, name: str | None = None) -> Operation:
        """Saves the state for the segments after these."""
    @property
    def sequence(self) -> _Any:
        """The numbers of the segments in their sequences, from 0, an int32 vector."""
    @property
    def sequence_count(self) -> _Any:
        """How many segments the sequences have, an int32 vector."""
    @property
    def sequences(self) -> _Any:
        """A dictionary of the steps of the segments: `Tensor`s of shape [batch, num_unroll, ...]."""
    def state(self, state_name: _Any) -> Tensor:
        """The state in which the segments before these were left; the initial state for first segments."""
    @property
    def total_length(self) -> _Any:
        """The lengths of the sequences, an int32 vector."""

class RandomStrategy:
    """Chooses a pseudo-random task by a hash of the operation's name."""
    def __call__(self, op: _Any) -> _Any: ...
    def __init__(self, num_ps_tasks: _Any, seed: _Any = 0) -> None: ...

class SequenceQueueingStateSaver:
    """Divides sequences into segments of a fixed number of steps, and hands the state from each to the next."""
    def __init__(self, batch_size: _Any, num_unroll: _Any, input_length: _Any, input_key: _Any, input_sequences: _Any, input_context: _Any, initial_states: _Any, capacity: _Any = None, allow_small_batch: _Any = False, name: str | None = None) -> None: ...
    @property
    def barrier(self) -> _Any:
        """The barrier that has the segments."""
    @property
    def batch_size(self) -> _Any:
        """The number of segments in a batch, a scalar `Tensor`."""
    def close(self, cancel_pending_enqueues: _Any = False, name: str | None = None) -> Operation:
        """Says that no more sequences will be read. Those that were read can be used to their ends."""
    @property
    def name(self) -> _Any:
        """The name scope of the operations."""
    @property
    def next_batch(self) -> _Any:
        """The `NextQueuedSequenceBatch`."""
    @property
    def num_unroll(self) -> _Any:
        """The number of steps of a segment."""
    @property
    def prefetch_op(self) -> Operation:
        """The `Operation` that reads a sequence."""

class StopAfterNEvalsHook(SessionRunHook):
    """A hook that ends the loop after a number of steps of an evaluation."""
    def __init__(self, num_evals: _Any, log_progress: _Any = True) -> None: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...

class SummaryAtEndHook(SessionRunHook):
    """A hook that writes summaries at the end of a session, such as an evaluation."""
    def __init__(self, log_dir: _Any = None, summary_writer: _Any = None, summary_op: _Any = None, feed_dict: _Any = None) -> None: ...
    def after_create_session(self, session: _Any, coord: _Any) -> _Any:
        """Opens the event file."""
    def begin(self) -> _Any:
        """Finds the summaries and the global step of the graph, which may be another one for each session."""
    def end(self, session: _Any) -> _Any:
        """Writes the summaries."""

def add_gradients_summaries(grads_and_vars: _Any) -> _Any:
    """Adds a histogram and the norm of each gradient to the summaries."""

def batch_sequences_with_states(input_key: _Any, input_sequences: _Any, input_context: _Any, input_length: _Any, initial_states: _Any, num_unroll: _Any, batch_size: _Any, num_threads: _Any = 3, capacity: _Any = 1000, allow_small_batch: _Any = True, pad: _Any = True, make_keys_unique: _Any = False, make_keys_unique_seed: _Any = None, name: str | None = None) -> _Any:
    """Batches of segments of sequences, each with the state in which the segment before it was left."""

def bucket(tensors: _Any, which_bucket: _Any, batch_size: _Any, num_buckets: _Any, num_threads: _Any = 1, capacity: _Any = 32, bucket_capacities: _Any = None, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, keep_input: _Any = True, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of examples of the same bucket."""

def bucket_by_sequence_length(input_length: _Any, tensors: _Any, batch_size: _Any, bucket_boundaries: _Any, num_threads: _Any = 1, capacity: _Any = 32, bucket_capacities: _Any = None, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, keep_input: _Any = True, shared_name: _Any = None, name: str | None = None) -> _Any:
    """Batches of examples of similar length; see `tf.contrib.training.bucket`."""

def clip_gradient_norms(gradients_to_variables: _Any, max_norm: _Any) -> _Any:
    """Shortens each gradient whose norm is larger."""

def clip_gradient_norms_fn(max_norm: _Any) -> _Any:
    """A function that shortens gradients, for the argument `transform_grads_fn` of `create_train_op`."""

def create_train_op(total_loss: _Any, optimizer: _Any, global_step: _Any = 0, update_ops: _Any = None, variables_to_train: _Any = None, transform_grads_fn: _Any = None, summarize_gradients: _Any = False, gate_gradients: _Any = 1, aggregation_method: _Any = None, colocate_gradients_with_ops: _Any = False, check_numerics: _Any = True) -> Tensor:
    """A training step: runs the updates of UPDATE_OPS, minimizes the loss, and returns it."""

def evaluate_once(checkpoint_path: _Any, master: _Any = '', scaffold: _Any = None, eval_ops: _Any = None, feed_dict: _Any = None, final_ops: _Any = None, final_ops_feed_dict: _Any = None, hooks: _Any = None, config: _Any = None) -> _Any:
    """Evaluates a checkpoint: runs `eval_ops` until a hook, or the end of the input, ends the loop."""

def evaluate_repeatedly(checkpoint_dir: _Any, master: _Any = '', scaffold: _Any = None, eval_ops: _Any = None, feed_dict: _Any = None, final_ops: _Any = None, final_ops_feed_dict: _Any = None, eval_interval_secs: _Any = 60, hooks: _Any = None, config: _Any = None, max_number_of_evaluations: _Any = None, timeout: _Any = None, timeout_fn: _Any = None) -> _Any:
    """Evaluates each new latest checkpoint of a folder, as `evaluate_once` does."""

def get_or_create_eval_step() -> Variable:
    """The local variable that counts the steps of an evaluation, created if there is none."""

def multiply_gradients(grads_and_vars: _Any, gradient_multipliers: _Any) -> _Any:
    """Multiplies the gradients of some variables."""

def parse_values(values: _Any, type_map: _Any, ignore_unknown: _Any = False) -> _Any:
    """Reads assignments such as "rate=0.1,layers=[16,32],names[1]=b"."""

def rejection_sample(tensors: _Any, accept_prob_fn: _Any, batch_size: _Any, queue_threads: _Any = 1, enqueue_many: _Any = False, prebatch_capacity: _Any = 16, prebatch_threads: _Any = 1, runtime_checks: _Any = False, name: str | None = None) -> list[Tensor]:
    """Batches of the examples that are accepted, each at random."""

def resample_at_rate(inputs: _Any, rates: _Any, scope: _Any = None, seed: _Any = None, back_prop: _Any = False) -> list[Tensor]:
    """Repeats each example a random number of times, drawn from a Poisson distribution."""

def stratified_sample(tensors: _Any, labels: _Any, target_probs: _Any, batch_size: _Any, init_probs: _Any = None, enqueue_many: _Any = False, queue_capacity: _Any = 16, threads_per_queue: _Any = 1, name: str | None = None) -> list[Tensor]:
    """Batches in which classes have given frequencies: examples of classes that are too frequent are left out."""

def train(train_op: _Any, logdir: _Any, master: _Any = '', is_chief: _Any = True, scaffold: _Any = None, hooks: _Any = None, chief_only_hooks: _Any = None, save_checkpoint_secs: _Any = 600, save_summaries_steps: _Any = 100, config: _Any = None, max_wait_secs: _Any = 7200, run_metadata: _Any = None) -> _Any:
    """Runs a training step until a hook, or the end of the input, ends the loop."""

def wait_for_new_checkpoint(checkpoint_dir: _Any, last_checkpoint: _Any = None, seconds_to_sleep: _Any = 1, timeout: _Any = None) -> _Any:
    """Waits until a folder has another latest checkpoint."""

def weighted_resample(inputs: _Any, weights: _Any, overall_rate: _Any, scope: _Any = None, mean_decay: _Any = 0.999, seed: _Any = None) -> list[Tensor]:
    """Repeats each example a random number of times, in proportion to its weight."""
