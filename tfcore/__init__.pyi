# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
import enum
from tfcore import bitwise as bitwise
from tfcore import contrib as contrib
from tfcore import debugging as debugging
from tfcore import distributed as distributed
from tfcore import dtypes as dtypes
from tfcore import errors as errors
from tfcore import initializers as initializers
from tfcore import io as io
from tfcore import layers as layers
from tfcore import linalg as linalg
from tfcore import math as math
from tfcore import nest as nest
from tfcore import nn as nn
from tfcore import random as random
from tfcore import raw_ops as raw_ops
from tfcore import signal as signal
from tfcore import spectral as spectral
from tfcore import strings as strings
from tfcore import sysconfig as sysconfig
from tfcore import test as test
from tfcore import train as train
from tfcore.client import timeline as timeline
from tfcore.framework import graph_util as graph_util

AUTO_REUSE: Any

class AggregationMethod:
    """How gradients from several users of a tensor are added. All choices give the sum; the default is AddN."""
    ADD_N: Any
    DEFAULT: Any
    EXPERIMENTAL_ACCUMULATE_N: Any
    EXPERIMENTAL_TREE: Any

def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> Operation:
    """An operation that fails with InvalidArgumentError unless `condition` is true."""

AttrValue: Any

ClusterDef: Any

CollectionDef: Any

class ConfigProto:
    """Options of a Session."""
    def CopyFrom(self, other: Any) -> Any: ...
    def __init__(self, **values: Any) -> None: ...
    allow_soft_placement: Any
    device_count: Any
    device_filters: Any
    gpu_options: Any
    graph_options: Any
    inter_op_parallelism_threads: Any
    intra_op_parallelism_threads: Any
    isolate_session_state: Any
    log_device_placement: Any
    memory_limit_in_bytes: Any
    operation_timeout_in_ms: Any
    placement_period: Any
    use_per_session_threads: Any

class DType:
    """The type of the elements of a tensor, or of a reference to a variable (`_ref` types)."""
    def __init__(self, enum: Any, name: Any, np_type: Any, size: Any) -> None: ...
    def __int__(self) -> int: ...
    @property
    def as_datatype_enum(self) -> Any:
        """Number of the type in TensorFlow's DataType enumeration."""
    as_numpy_dtype: Any
    @property
    def base_dtype(self) -> Any:
        """The type of the elements: this type, or for a `_ref` type the type that it refers to."""
    @property
    def is_bool(self) -> builtins.bool:
        """Whether it is the boolean type."""
    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether a tensor of another type may be used where this type is expected."""
    @property
    def is_complex(self) -> builtins.bool:
        """Whether it is a complex type."""
    @property
    def is_floating(self) -> builtins.bool:
        """Whether it is a real floating-point type."""
    @property
    def is_integer(self) -> builtins.bool:
        """Whether it is a (non-quantized) integer type."""
    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy has an equivalent type."""
    @property
    def is_quantized(self) -> builtins.bool:
        """Whether it is a quantized integer type."""
    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether it is an unsigned integer type."""
    @property
    def limits(self) -> Any:
        """The range of values of an image of this type: (0, 1) for floating-point, else (0, largest)."""
    @property
    def max(self) -> Any:
        """The largest representable value."""
    @property
    def min(self) -> Any:
        """The smallest representable value."""
    name: Any
    @property
    def real_dtype(self) -> Any:
        """The type of the real part: float32 for complex64, float64 for complex128, else itself."""
    size: Any

class Declare:
    """A function that is defined later, by `Defun` with this name; functions that call each other need it."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As of functions made by Defun."""
    def __init__(self, func_name: Any, inputs: Any, outputs: Any) -> None: ...
    @property
    def name(self) -> Any:
        """The name of the function."""
    @property
    def op_def(self) -> Any:
        """The definition of its calls."""

class Defun:
    """Decorator: makes a graph function of a Python function that adds operations to the default graph."""
    def __call__(self, func: Any) -> Any: ...
    def __init__(self, *input_types: Any, **kwargs: Any) -> None: ...

class DeviceSpec:
    """A device name, possibly partial, such as `/job:worker/replica:0/task:1/device:CPU:0`. Parts left open are None."""
    def __init__(self, job: Any = None, replica: Any = None, task: Any = None, device_type: Any = None, device_index: Any = None) -> None: ...
    @property
    def device_index(self) -> Any:
        """The index of the device among those of its type."""
    @device_index.setter
    def device_index(self, value: Any) -> None: ...
    @property
    def device_type(self) -> Any:
        """The type of the device."""
    @device_type.setter
    def device_type(self, value: Any) -> None: ...
    @classmethod
    def from_string(cls, spec: Any) -> Any:
        """Parses a device name."""
    @property
    def job(self) -> Any:
        """The name of the job."""
    @job.setter
    def job(self, value: Any) -> None: ...
    def make_merged_spec(self, dev: Any) -> Any:
        """A copy, overridden by the parts that another spec gives."""
    def merge_from(self, dev: Any) -> Any:
        """Overrides the parts that another spec gives; the others stay."""
    def parse_from_string(self, spec: Any) -> Any:
        """Sets all parts from a device name."""
    def replace(self, **parts: Any) -> Any:
        """A copy with some parts replaced."""
    @property
    def replica(self) -> Any:
        """The index of the replica."""
    @replica.setter
    def replica(self, value: Any) -> None: ...
    @property
    def task(self) -> Any:
        """The index of the task."""
    @task.setter
    def task(self, value: Any) -> None: ...
    def to_string(self) -> str:
        """The canonical name."""

class Dimension:
    """The size of one dimension of a tensor: a non-negative int, or None if it is unknown."""
    def __add__(self, other: Any) -> Any: ...
    def __floordiv__(self, other: Any) -> Any: ...
    def __ge__(self, other: Any) -> Any: ...
    def __gt__(self, other: Any) -> Any: ...
    def __init__(self, value: Any) -> None: ...
    def __int__(self) -> int: ...
    def __le__(self, other: Any) -> Any: ...
    def __lt__(self, other: Any) -> Any: ...
    def __mod__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __rfloordiv__(self, other: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def assert_is_compatible_with(self, other: Any) -> Any:
        """Checks that two sizes are compatible."""
    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether two sizes are equal or at least one is unknown."""
    def merge_with(self, other: Any) -> Any:
        """Combines what is known about two compatible sizes."""
    @property
    def value(self) -> Any:
        """The size as an int, or None if it is unknown."""

Event: Any

FunctionDef: Any

FunctionDefLibrary: Any

class GPUOptions:
    """Options of GPUs, accepted for compatibility."""
    def CopyFrom(self, other: Any) -> Any: ...
    def __init__(self, **values: Any) -> None: ...
    allocator_type: Any
    allow_growth: Any
    per_process_gpu_memory_fraction: Any
    visible_device_list: Any

GRAPH_DEF_VERSION: int

GRAPH_DEF_VERSION_MIN_CONSUMER: int

GRAPH_DEF_VERSION_MIN_PRODUCER: int

class Graph:
    """A dataflow graph: operations as nodes, the tensors that flow between them as edges."""
    def __init__(self) -> None: ...
    def add_operation(self, op_def: Any, inputs: Any, attrs: Any, output_dtypes: Any, name: str | None = None) -> Operation:
        """Adds an operation whose inputs and attributes are final. Most callers call an `OpDef` instead."""
    def add_to_collection(self, name: Any, value: Any) -> Any:
        """Adds a value to a collection."""
    def add_to_collections(self, names: Any, value: Any) -> Any:
        """Adds a value to several collections."""
    def as_default(self) -> Any:
        """A context manager that makes this graph the thread's default graph."""
    def as_graph_def(self, from_version: Any = None, add_shapes: Any = False) -> Any:
        """Serialises the graph as a GraphDef protocol buffer (needs the `tensorboard` package)."""
    def as_graph_element(self, obj: Any, allow_tensor: Any = True, allow_operation: Any = True) -> Any:
        """The `Tensor` or `Operation` that an object is, stands for, or names."""
    @property
    def building_function(self) -> builtins.bool:
        """Whether this is the body of a function: then values of outer graphs may be used in it."""
    def clear_collection(self, name: Any) -> Any:
        """Removes all items of a collection."""
    @property
    def collections(self) -> Any:
        """The names of all collections."""
    def colocate_with(self, op: Any, ignore_existing: Any = False) -> Any:
        """A context manager that places new operations on the device of another."""
    def container(self, container_name: Any) -> Any:
        """A context manager: new stateful operations keep their state in the given container of their device."""
    def control_dependencies(self, control_inputs: Any) -> Any:
        """A context manager that makes new operations run after others."""
    def device(self, device_name_or_function: Any) -> Any:
        """A context manager that requests a device for new operations."""
    def finalize(self) -> Any:
        """Makes the graph read-only: every attempt to add to it raises RuntimeError."""
    @property
    def finalized(self) -> builtins.bool:
        """Whether the graph is read-only."""
    def get_all_collection_keys(self) -> Any:
        """The names of all collections."""
    def get_collection(self, name: Any, scope: Any = None) -> Any:
        """A copy of a collection."""
    def get_collection_ref(self, name: Any) -> Any:
        """The list that holds a collection, created if there is none. Changes to it change the collection."""
    def get_name_scope(self) -> str:
        """The current name scope of this thread."""
    def get_operation_by_name(self, name: Any) -> Operation:
        """Finds an operation by name."""
    def get_operations(self) -> Any:
        """The operations of the graph in the order of their creation."""
    def get_tensor_by_name(self, name: Any) -> Tensor:
        """Finds a tensor by name."""
    def gradient_override_map(self, op_type_map: Any) -> Any:
        """A context manager that replaces the gradient functions of new operations."""
    @property
    def graph_def_versions(self) -> Any:
        """The VersionDef of the GraphDef that `as_graph_def` makes (needs the `tensorboard` package)."""
    def is_feedable(self, tensor: Any) -> builtins.bool:
        """Whether sessions accept values for a tensor."""
    def is_fetchable(self, tensor_or_op: Any) -> builtins.bool:
        """Whether sessions may fetch a tensor or run an operation."""
    mutation_version: Any
    def name_scope(self, name: Any) -> Any:
        """A context manager that prefixes the names of operations."""
    def prevent_feeding(self, tensor: Any) -> Any:
        """Marks a tensor as not feedable."""
    def prevent_fetching(self, op: Any) -> Any:
        """Marks an operation as not fetchable."""
    seed: Any
    def unique_name(self, name: Any, mark_as_used: Any = True) -> str:
        """Makes a name unique within the current name scope by a suffix `_1`, `_2`, ..."""
    @property
    def version(self) -> Any:
        """The number of operations: it grows whenever an operation is added."""

GraphDef: Any

class GraphGrowthWarning(builtins.UserWarning):
    """A loop adds operations to a graph that a session runs."""

class GraphKeys:
    """Names of the standard collections."""
    ACTIVATIONS: Any
    ASSET_FILEPATHS: Any
    BIASES: Any
    CONCATENATED_VARIABLES: Any
    COND_CONTEXT: Any
    EVAL_STEP: Any
    GLOBAL_STEP: Any
    GLOBAL_VARIABLES: Any
    INIT_OP: Any
    LOCAL_INIT_OP: Any
    LOCAL_RESOURCES: Any
    LOCAL_VARIABLES: Any
    LOSSES: Any
    METRIC_VARIABLES: Any
    MODEL_VARIABLES: Any
    MOVING_AVERAGE_VARIABLES: Any
    QUEUE_RUNNERS: Any
    READY_FOR_LOCAL_INIT_OP: Any
    READY_OP: Any
    REGULARIZATION_LOSSES: Any
    RESOURCES: Any
    SAVEABLE_OBJECTS: Any
    SAVERS: Any
    SUMMARIES: Any
    SUMMARY_OP: Any
    TABLE_INITIALIZERS: Any
    TRAINABLE_VARIABLES: Any
    TRAIN_OP: Any
    UPDATE_OPS: Any
    VARIABLES: Any
    WEIGHTS: Any
    WHILE_CONTEXT: Any

class GraphOptions:
    """Options of how graphs are rewritten and placed: see `OptimizerOptions`, `RewriterConfig` and `ConfigProto`."""
    def CopyFrom(self, other: Any) -> Any: ...
    def __init__(self, **values: Any) -> None: ...
    build_cost_model: Any
    build_cost_model_after: Any
    enable_recv_scheduling: Any
    infer_shapes: Any
    optimizer_options: Any
    place_pruned_graph: Any
    rewrite_options: Any

HistogramProto: Any

class IndexedSlices:
    """Slices of a larger dense tensor: slice `indices[i]` of it is `values[i]`."""
    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None: ...
    def __neg__(self) -> Any: ...
    @property
    def dense_shape(self) -> Any:
        """The shape of the dense tensor, a `Tensor` or None."""
    @property
    def device(self) -> Any:
        """The device of `values`."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def indices(self) -> Any:
        """The indices of the slices, a `Tensor` of shape [n]."""
    @property
    def name(self) -> Any:
        """The name of `values`."""
    @property
    def op(self) -> Operation:
        """The `Operation` that computes `values`."""
    @property
    def shape(self) -> Any:
        """The static shape of the dense tensor, a `TensorShape`."""
    @property
    def values(self) -> Any:
        """The slices, a `Tensor` of shape [n, ...]."""

class IndexedSlicesValue(builtins.tuple):
    """The value of an `IndexedSlices`, as sessions return it."""
    def __new__(cls, values: Any, indices: Any, dense_shape: Any) -> IndexedSlicesValue: ...
    @property
    def dense_shape(self) -> Any:
        """The shape of the dense tensor, or None."""
    @property
    def indices(self) -> Any:
        """Their indices."""
    @property
    def values(self) -> Any:
        """The slices."""

class InteractiveSession:
    """A session that makes itself the default, for use in a shell."""
    def __init__(self, target: Any = '', graph: Any = None, config: Any = None) -> None: ...
    def as_default(self) -> Any:
        """Within the `with` block this is the thread's default session; it stays open afterwards."""
    def close(self) -> Any: ...
    @property
    def graph(self) -> Any: ...
    @property
    def graph_def(self) -> Any: ...
    def list_devices(self) -> Any:
        """The devices that operations can be placed on: objects with `name`, `device_type`, `memory_limit_bytes`."""
    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: Any = False) -> Any:
        """A function that runs `fetches`; its arguments are the values for the tensors of `feed_list`, in order."""
    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a partial run: takes more feeds and computes more fetches, both once each."""
    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Prepares a step that partial_run() then runs in pieces; see tfcore.client.partial."""
    @staticmethod
    def reset(target: Any, containers: Any = None, config: Any = None) -> Any:
        """Clears containers (all, if none is named) of all tasks of a cluster. State in this process ends with its
        Session."""
    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Computes `fetches` and returns their values in the same structure."""
    @property
    def sess_str(self) -> Any: ...

JobDef: Any

LogMessage: Any

MetaGraphDef: Any

NameAttrList: Any

def NoGradient(op_type: Any) -> Any:
    """Declares that an op type has no gradient: `tf.gradients` stops at such operations."""

NodeDef: Any

NotDifferentiable = NoGradient

OpDef: Any

OpList: Any

class Operation:
    """A node of a graph. Programs add operations by calling functions such as `tf.matmul`."""
    def __init__(self, graph: Any, op_def: Any, name: Any, inputs: Any, attrs: Any, output_dtypes: Any, controls: Any = (), frames: Any = (), context: Any = None, device: Any = '') -> None:
        """Creates an operation that is not in the graph yet: `Graph._insert` puts it there."""
    def colocation_groups(self) -> Any:
        """The colocation groups of the operation."""
    @property
    def control_inputs(self) -> Any:
        """The list of `Operation`s that run before this one."""
    @property
    def creation_line(self) -> Any:
        """The user's line that created the operation, as "file:line in function"; "" if unknown."""
    @property
    def device(self) -> Any:
        """The requested device, "" for none."""
    def get_attr(self, name: Any) -> Any:
        """The value of an attribute."""
    graph: Any
    inputs: Any
    name: Any
    @property
    def node_def(self) -> Any:
        """The operation as a NodeDef (needs the `tensorboard` package)."""
    op_def: Any
    outputs: Any
    def run(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Runs the operation: short for `session.run(op, feed_dict)`."""
    @property
    def traceback(self) -> Any:
        """The user's frames in which it was created: (file, line, function, None) tuples, outermost first."""
    type: Any
    def values(self) -> Any:
        """The outputs."""

class OptimizerOptions:
    """Whole-graph switches: `opt_level=L0` turns every rewrite off."""
    def CopyFrom(self, other: Any) -> Any: ...
    DEFAULT: Any
    L0: Any
    L1: Any
    OFF: Any
    ON_1: Any
    ON_2: Any
    def __init__(self, **values: Any) -> None: ...
    do_common_subexpression_elimination: Any
    do_constant_folding: Any
    do_function_inlining: Any
    global_jit_level: Any
    max_folded_constant_in_bytes: Any
    opt_level: Any

def Print(input_: Any, data: Any, message: Any = None, first_n: Any = None, summarize: Any = None, name: str | None = None) -> Tensor:
    """Passes `input_` on; when it is evaluated, prints `message` and `data` to standard error."""

class RegisterGradient:
    """Decorator: registers the gradient function of an op type."""
    def __call__(self, f: Any) -> Any:
        """Registers `f` and returns it."""
    def __init__(self, op_type: Any) -> None: ...

def RegisterShape(op_type: Any) -> Any:
    """Decorator: sets the shape function of an op type that a library defines."""

class RunMetadata:
    """Filled by `Session.run(..., options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=...)`."""
    def SerializeToString(self) -> Any:
        """The protocol buffer in binary format."""
    def __init__(self) -> None: ...
    @property
    def cost_graph(self) -> Any:
        """CostGraphDef: operations with their sizes and times, as edges of the graph that ran."""
    @property
    def function_graphs(self) -> Any:
        """The graphs of functions; empty, as calls are inlined."""
    def memory_report(self) -> Any:
        """Which operations allocated how much memory, and what was live at the peak."""
    @property
    def partition_graphs(self) -> Any:
        """List of GraphDef: what ran on each device, if RunOptions.output_partition_graphs asked for it."""
    @property
    def step_stats(self) -> Any:
        """StepStats: when and on which thread each operation ran, and the memory it used."""
    def to_proto(self) -> Any:
        """The metadata as a protocol buffer of the `tensorboard` package."""
    def write_timeline(self, path: Any, show_dataflow: Any = True, show_memory: Any = True) -> Any:
        """Writes the step to a file for ui.perfetto.dev or chrome://tracing."""

class RunOptions:
    """Options of one run."""
    def CopyFrom(self, other: Any) -> Any: ...
    FULL_TRACE: Any
    HARDWARE_TRACE: Any
    NO_TRACE: Any
    SOFTWARE_TRACE: Any
    def __init__(self, **values: Any) -> None: ...
    check_numerics: Any
    inter_op_thread_pool: Any
    output_partition_graphs: Any
    report_tensor_allocations_upon_oom: Any
    timeout_in_ms: Any
    trace_level: Any

SaveSliceInfoDef: Any

SaverDef: Any

class Session:
    """Runs operations of a graph. As a context manager it is the default session, and closes at the end."""
    def __enter__(self) -> Session: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __init__(self, target: Any = '', graph: Any = None, config: Any = None) -> None: ...
    def as_default(self) -> Any:
        """Within the `with` block this is the thread's default session; it stays open afterwards."""
    def close(self) -> Any:
        """Releases the session's variables and plans. Running it afterwards is an error."""
    @property
    def graph(self) -> Any: ...
    @property
    def graph_def(self) -> Any: ...
    def list_devices(self) -> Any:
        """The devices that operations can be placed on: objects with `name`, `device_type`, `memory_limit_bytes`."""
    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: Any = False) -> Any:
        """A function that runs `fetches`; its arguments are the values for the tensors of `feed_list`, in order."""
    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a partial run: takes more feeds and computes more fetches, both once each."""
    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Prepares a step that partial_run() then runs in pieces; see tfcore.client.partial."""
    @staticmethod
    def reset(target: Any, containers: Any = None, config: Any = None) -> Any:
        """Clears containers (all, if none is named) of all tasks of a cluster. State in this process ends with its
        Session."""
    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Computes `fetches` and returns their values in the same structure."""
    @property
    def sess_str(self) -> Any: ...

SessionLog: Any

SignatureDef: Any

class SparseTensor:
    """A sparse tensor: the element at `indices[i]` is `values[i]`, all others are zero or missing."""
    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None: ...
    def consumers(self) -> Any:
        """The operations that take one of the three tensors as an input."""
    @property
    def dense_shape(self) -> Any:
        """The shape, a `Tensor` of shape [rank]."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Computes the tensor in a session."""
    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Converts a `SparseTensorValue` to a `SparseTensor`."""
    def get_shape(self) -> TensorShape:
        """The static shape."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def indices(self) -> Any:
        """The indices of the elements, a `Tensor` of shape [n, rank]."""
    @property
    def op(self) -> Operation:
        """The `Operation` that computes `values`."""
    @property
    def shape(self) -> Any:
        """The static shape, a `TensorShape`."""
    @property
    def values(self) -> Any:
        """The elements, a `Tensor` of shape [n]."""

class SparseTensorValue(builtins.tuple):
    """SparseTensorValue(indices, values, dense_shape)"""
    def __new__(_cls, indices: Any, values: Any, dense_shape: Any) -> SparseTensorValue:
        """Create new instance of SparseTensorValue(indices, values, dense_shape)"""
    dense_shape: Any
    indices: Any
    values: Any

Summary: Any

SummaryMetadata: Any

class Tensor:
    """A symbolic value: output `value_index` of an operation, computed when a session runs it."""
    def __abs__(x) -> Tensor: ...
    def __add__(x, y: Any) -> Tensor: ...
    def __and__(x, y: Any) -> Tensor: ...
    def __floordiv__(x, y: Any) -> Tensor: ...
    def __ge__(x, y: Any, op_def: Any = ...) -> Tensor: ...
    def __getitem__(tensor, key: Any) -> Tensor: ...
    def __gt__(x, y: Any, op_def: Any = ...) -> Tensor: ...
    def __init__(self, op: Any, value_index: Any, dtype: Any, dims: Any) -> None: ...
    def __invert__(x) -> Tensor: ...
    def __iter__(self) -> Any: ...
    def __le__(x, y: Any, op_def: Any = ...) -> Tensor: ...
    def __len__(self) -> int: ...
    def __lt__(x, y: Any, op_def: Any = ...) -> Tensor: ...
    def __matmul__(x, y: Any) -> Tensor: ...
    def __mod__(x, y: Any) -> Tensor: ...
    def __mul__(x, y: Any) -> Tensor: ...
    def __neg__(x) -> Tensor: ...
    def __or__(x, y: Any) -> Tensor: ...
    def __pow__(x, y: Any) -> Tensor: ...
    def __radd__(y, x: Any) -> Tensor: ...
    def __rand__(y, x: Any) -> Tensor: ...
    def __rfloordiv__(y, x: Any) -> Tensor: ...
    def __rmatmul__(y, x: Any) -> Tensor: ...
    def __rmod__(y, x: Any) -> Tensor: ...
    def __rmul__(y, x: Any) -> Tensor: ...
    def __ror__(y, x: Any) -> Tensor: ...
    def __rpow__(y, x: Any) -> Tensor: ...
    def __rsub__(y, x: Any) -> Tensor: ...
    def __rtruediv__(y, x: Any) -> Tensor: ...
    def __rxor__(y, x: Any) -> Tensor: ...
    def __sub__(x, y: Any) -> Tensor: ...
    def __truediv__(x, y: Any) -> Tensor: ...
    def __xor__(x, y: Any) -> Tensor: ...
    def consumers(self) -> Any:
        """The operations that take this tensor as an input, once for each such input."""
    @property
    def device(self) -> Any:
        """The device that its operation was requested to run on, "" for none."""
    dims: Any
    dtype: Any
    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Computes the tensor: short for `session.run(tensor, feed_dict)`."""
    def get_shape(self) -> TensorShape:
        """The static shape as far as it is known."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def name(self) -> Any:
        """The name: "operation:index"."""
    op: Any
    def set_shape(self, shape: Any) -> Any:
        """Merges what is known about the shape into the static shape."""
    @property
    def shape(self) -> Any:
        """The static shape as far as it is known, a `TensorShape`."""
    value_index: Any

class TensorArray:
    """A vector of tensors of one type that is written and read element by element, mostly in a loop."""
    def __init__(self, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None, tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: Any = True, element_shape: Any = None, colocate_with_first_write_call: Any = True, name: str | None = None) -> None: ...
    def close(self, name: str | None = None) -> Operation:
        """Frees all elements; the array cannot be used afterwards."""
    def concat(self, name: str | None = None) -> Tensor:
        """Concatenates all elements along their first dimension, in which they may differ."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    @property
    def dynamic_size(self) -> builtins.bool:
        """Whether writes behind the end make the array larger."""
    @property
    def element_shape(self) -> Any:
        """The TensorShape that all elements have; of unknown rank if none is known."""
    @property
    def flow(self) -> Any:
        """The float32 scalar `Tensor` that orders reads after the writes made so far."""
    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Stacks some elements, which must be written and have the same shape."""
    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> TensorArray:
        """Returns the array for the gradients of the elements, and makes it where there is none."""
    @property
    def handle(self) -> Tensor:
        """The `Tensor` that refers to the array."""
    def identity(self) -> TensorArray:
        """Passes the flow through an identity operation."""
    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Reads an element."""
    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the elements at `indices`."""
    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements."""
    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Writes consecutive pieces of a tensor to the elements."""
    def stack(self, name: str | None = None) -> Tensor:
        """Stacks all elements, which must be written and have the same shape."""
    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the elements 0, 1, and so on."""
    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes an element."""

TensorInfo: Any

TensorProto: Any

class TensorShape:
    """What is known about the shape of a tensor before it is computed."""
    def __add__(self, other: Any) -> TensorShape: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __init__(self, dims: Any) -> None: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...
    def __radd__(self, other: Any) -> Any: ...
    def as_list(self) -> Any:
        """The sizes as a list."""
    def as_proto(self) -> Any:
        """This shape as a protocol buffer."""
    def assert_has_rank(self, rank: Any) -> Any:
        """Checks the rank as far as it is known."""
    def assert_is_compatible_with(self, other: Any) -> Any:
        """Checks that some fully known shape agrees with both shapes."""
    def assert_is_fully_defined(self) -> Any:
        """Checks that every dimension is known."""
    def assert_same_rank(self, other: Any) -> Any:
        """Checks that two ranks agree as far as they are known."""
    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape followed by those of another."""
    @property
    def dims(self) -> Any:
        """A list of Dimension objects, or None if the rank is unknown."""
    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether some fully known shape agrees with both shapes."""
    def is_fully_defined(self) -> builtins.bool:
        """Whether every dimension is known."""
    def merge_with(self, other: Any) -> TensorShape:
        """Combines what is known about two compatible shapes."""
    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The most specific shape that is compatible with all tensors of either shape."""
    @property
    def ndims(self) -> Any:
        """The number of dimensions, or None if it is unknown."""
    def num_elements(self) -> int:
        """The number of elements."""
    @property
    def rank(self) -> Any:
        """The number of dimensions, or None if it is unknown."""
    def with_rank(self, rank: Any) -> TensorShape:
        """This shape with a given rank."""
    def with_rank_at_least(self, rank: Any) -> TensorShape:
        """This shape, checked to have at least a given rank."""
    def with_rank_at_most(self, rank: Any) -> TensorShape:
        """This shape, checked to have at most a given rank."""

TensorShapeProto: Any

class TensorValue:
    """A tensor with a value: type, shape and reference-counted memory. Immutable."""
    def __new__(*args, **kwargs: Any) -> TensorValue:
        """Create and return a new object.  See help(type) for accurate signature."""
    dtype: Any
    @staticmethod
    def from_dlpack(source: Any) -> Any:
        """A tensor that shares the memory of an object with `__dlpack__` on the CPU."""
    @staticmethod
    def from_numpy(array: Any, dtype: Any = None) -> Any:
        """A tensor with a copy of the array's elements, converted to `dtype` if given."""
    nbytes: Any
    def numpy(self) -> Any:
        """A copy as an array."""
    shape: Any

class UnconnectedGradients:
    """What `gradients` returns for an x on which no y depends: None, or zeros."""
    NONE: Any
    ZERO: Any

VERSION: str

class Variable:
    """A tensor that keeps its value between steps. Assignments change it, optimizers train it."""
    SaveSliceInfo: Any
    def __abs__(self, *args: Any) -> Tensor: ...
    def __add__(self, *args: Any) -> Tensor: ...
    def __and__(self, *args: Any) -> Tensor: ...
    def __floordiv__(self, *args: Any) -> Tensor: ...
    def __ge__(self, *args: Any) -> Tensor: ...
    def __getitem__(self, *args: Any) -> Tensor: ...
    def __gt__(self, *args: Any) -> Tensor: ...
    def __init__(self, initial_value: Any = None, trainable: Any = None, collections: Any = None, validate_shape: Any = True, caching_device: Any = None, name: str | None = None, variable_def: Any = None, dtype: Any = None, expected_shape: Any = None, import_scope: Any = None, constraint: Any = None, use_resource: Any = None, synchronization: Any = ..., aggregation: Any = ..., shape: Any = None) -> None:
        """Adds a variable, the assignment of its initial value and a read to the graph."""
    def __invert__(self, *args: Any) -> Tensor: ...
    def __iter__(self) -> Any: ...
    def __le__(self, *args: Any) -> Tensor: ...
    def __lt__(self, *args: Any) -> Tensor: ...
    def __matmul__(self, *args: Any) -> Tensor: ...
    def __mod__(self, *args: Any) -> Tensor: ...
    def __mul__(self, *args: Any) -> Tensor: ...
    def __neg__(self, *args: Any) -> Tensor: ...
    def __or__(self, *args: Any) -> Tensor: ...
    def __pow__(self, *args: Any) -> Tensor: ...
    def __radd__(self, *args: Any) -> Tensor: ...
    def __rand__(self, *args: Any) -> Tensor: ...
    def __rfloordiv__(self, *args: Any) -> Tensor: ...
    def __rmatmul__(self, *args: Any) -> Tensor: ...
    def __rmod__(self, *args: Any) -> Tensor: ...
    def __rmul__(self, *args: Any) -> Tensor: ...
    def __ror__(self, *args: Any) -> Tensor: ...
    def __rpow__(self, *args: Any) -> Tensor: ...
    def __rsub__(self, *args: Any) -> Tensor: ...
    def __rtruediv__(self, *args: Any) -> Tensor: ...
    def __rxor__(self, *args: Any) -> Tensor: ...
    def __sub__(self, *args: Any) -> Tensor: ...
    def __truediv__(self, *args: Any) -> Tensor: ...
    def __xor__(self, *args: Any) -> Tensor: ...
    @property
    def aggregation(self) -> Any:
        """The `VariableAggregation`."""
    def assign(self, value: Any, use_locking: Any = False, name: str | None = None, read_value: Any = True) -> Tensor:
        """Assigns a value."""
    def assign_add(self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: Any = True) -> Tensor:
        """Adds to the variable."""
    def assign_sub(self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: Any = True) -> Tensor:
        """Subtracts from the variable."""
    @property
    def constraint(self) -> Any:
        """The constraint, or None."""
    def count_up_to(self, limit: Any) -> Tensor:
        """Increments a scalar integer variable."""
    @property
    def device(self) -> Any:
        """The requested device, "" for none."""
    @property
    def dtype(self) -> Any:
        """A reference type; `dtype.base_dtype` is the type of the elements."""
    def eval(self, session: Any = None) -> Any:
        """Reads the variable in a session."""
    def experimental_ref(self) -> Any:
        """A hashable reference to the variable, for sets and dicts; its `deref()` returns the variable."""
    @staticmethod
    def from_proto(variable_def: Any, import_scope: Any = None) -> Variable:
        """Recreates the variable of a VariableDef whose operations are in the default graph."""
    full_name: Any
    full_shape: Any
    def get_shape(self) -> TensorShape:
        """The static shape."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def initial_value(self) -> Any:
        """The Tensor that the initializer assigns."""
    def initialized_value(self) -> Tensor:
        """The value if the variable is initialized, else its initial value: for initial values of other variables."""
    @property
    def initializer(self) -> Any:
        """The operation that assigns the initial value."""
    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value."""
    def load(self, value: Any, session: Any = None) -> Any:
        """Assigns a value in a session without adding to the graph."""
    @property
    def name(self) -> Any:
        """The name, such as "layer/w:0"."""
    @property
    def op(self) -> Any:
        """The operation that refers to the variable."""
    def read_value(self) -> Tensor:
        """Adds a new read, which honours the current control dependencies."""
    def ref(self) -> Any:
        """A hashable reference to the variable, for sets and dicts; its `deref()` returns the variable."""
    def scatter_add(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Adds slices to rows of the variable."""
    def scatter_div(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Divides rows of the variable by slices."""
    def scatter_max(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Takes the maximum of rows of the variable and slices."""
    def scatter_min(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Takes the minimum of rows of the variable and slices."""
    def scatter_mul(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Multiplies rows of the variable by slices."""
    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Adds updates to slices of the variable."""
    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Subtracts updates from slices of the variable."""
    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Assigns updates to slices of the variable."""
    def scatter_sub(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Subtracts slices from rows of the variable."""
    def scatter_update(self, sparse_delta: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
        """Assigns slices to rows of the variable."""
    def set_shape(self, shape: Any) -> Any:
        """Merges what is known about the shape into the static shape."""
    @property
    def shape(self) -> Any:
        """The static shape, a `TensorShape`."""
    @property
    def synchronization(self) -> Any:
        """The `VariableSynchronization`."""
    def to_proto(self, export_scope: Any = None) -> Any:
        """Describes the variable as a protocol buffer."""
    @property
    def trainable(self) -> builtins.bool:
        """Whether optimizers train it by default."""
    def value(self) -> Tensor:
        """The value as read once for all users of the variable. Control dependencies do not affect it."""
    var_offset: Any
    var_shape: Any

class VariableAggregation(enum.Enum):
    """How updates of copies of a variable are combined."""
    MEAN = 2
    NONE = 0
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3
    SUM = 1
    def __new__(cls, value: Any) -> VariableAggregation: ...

VariableDef: Any

class VariableScope:
    """The current name prefix and defaults for variables that `tf.get_variable` creates. `tf.variable_scope` makes these."""
    def __init__(self, reuse: Any, name: str | None = '', initializer: Any = None, regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, name_scope: Any = '', dtype: Any = ..., use_resource: Any = None, constraint: Any = None) -> None: ...
    @property
    def caching_device(self) -> Any:
        """The default caching device."""
    @property
    def constraint(self) -> Any:
        """The default constraint."""
    @property
    def custom_getter(self) -> Any:
        """The default custom getter."""
    @property
    def dtype(self) -> Any:
        """The default `DType`."""
    def get_collection(self, name: Any) -> Any:
        """The items of a collection whose names begin with the name of this scope."""
    def get_variable(self, var_store: Any, name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None, reuse: Any = None, trainable: Any = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None, validate_shape: Any = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None, synchronization: Any = ..., aggregation: Any = ...) -> Any:
        """The variable `name` under this scope: an existing one or a new one. Arguments that are None have the scope's defaults."""
    def global_variables(self) -> Any:
        """The global variables of this scope."""
    @property
    def initializer(self) -> Any:
        """The default initializer."""
    def local_variables(self) -> Any:
        """The local variables of this scope."""
    @property
    def name(self) -> Any:
        """Prefix of the names of variables, without a trailing "/"."""
    @property
    def original_name_scope(self) -> Any:
        """The name scope that was opened with this scope."""
    @property
    def partitioner(self) -> Any:
        """The default partitioner."""
    @property
    def regularizer(self) -> Any:
        """The default regularizer."""
    @property
    def reuse(self) -> builtins.bool:
        """Whether variables must exist (True), must not (False) or may (`tf.AUTO_REUSE`)."""
    def reuse_variables(self) -> Any:
        """From now on, `get_variable` in this scope only returns existing variables."""
    def set_caching_device(self, caching_device: Any) -> Any:
        """Sets the default caching device."""
    def set_custom_getter(self, custom_getter: Any) -> Any:
        """Sets the default custom getter."""
    def set_dtype(self, dtype: Any) -> Any:
        """Sets the default `DType`."""
    def set_initializer(self, initializer: Any) -> Any:
        """Sets the default initializer."""
    def set_partitioner(self, partitioner: Any) -> Any:
        """Sets the default partitioner."""
    def set_regularizer(self, regularizer: Any) -> Any:
        """Sets the default regularizer."""
    def set_use_resource(self, use_resource: Any) -> Any:
        """Accepted for compatibility; it has no effect."""
    def trainable_variables(self) -> Any:
        """The trainable variables of this scope."""
    @property
    def use_resource(self) -> Any:
        """Accepted for compatibility."""

class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are combined."""
    AUTO = 0
    NONE = 1
    ON_READ = 3
    ON_WRITE = 2
    def __new__(cls, value: Any) -> VariableSynchronization: ...

VersionDef: Any

__version__: str

def abs(x: Any, name: str | None = None) -> Tensor:
    """Absolute value; the modulus of complex numbers."""

def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of a list of tensors, whose shape and type may be stated."""

def acos(x: Any, name: str | None = None) -> Tensor:
    """Inverse cosine."""

def acosh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y, element by element with broadcasting; also concatenates strings."""

def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating-point tensor of the default graph, in the order of computation."""

def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors."""

def add_to_collection(name: Any, value: Any) -> Any:
    """Adds a value to a collection of the default graph."""

def add_to_collections(names: Any, value: Any) -> Any:
    """Adds a value to several collections of the default graph."""

def all_variables() -> Any:
    """Old name of `tf.global_variables`."""

def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of complex numbers, in (-pi, pi]."""

def approximate_equal(x: Any, y: Any, tolerance: Any = 1e-05, name: str | None = None) -> Tensor:
    """Where |x - y| <= tolerance."""

def argmax(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = ...) -> Tensor:
    """The index of the first maximum along a dimension."""

def argmin(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = ...) -> Tensor:
    """The index of the first minimum along a dimension."""

def argsort(values: Any, axis: Any = -1, direction: Any = 'ASCENDING', stable: Any = False, name: str | None = None) -> Tensor:
    """The indices that sort a tensor along a dimension."""

def as_dtype(value: Any) -> DType:
    """Converts a value to a `DType`."""

def asin(x: Any, name: str | None = None) -> Tensor:
    """Inverse sine."""

def asinh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def assert_equal(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x == y` holds for all elements."""

def assert_greater(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x > y` holds for all elements."""

def assert_greater_equal(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x >= y` holds for all elements."""

def assert_integer(x: Any, message: Any = None, name: str | None = None) -> Operation:
    """Checks that a tensor is of an integer type when the graph is built."""

def assert_less(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x < y` holds for all elements."""

def assert_less_equal(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x <= y` holds for all elements."""

def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless |x - y| < atol + rtol * |y| holds for all elements."""

def assert_negative(x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are negative."""

def assert_non_negative(x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless no element is negative."""

def assert_non_positive(x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless no element is positive."""

def assert_none_equal(x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x != y` holds for all elements."""

def assert_positive(x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are positive."""

def assert_proper_iterable(values: Any) -> Any:
    """Checks that an argument is a list of values, not a single one that happens to be iterable."""

def assert_rank(x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x` has the given rank."""

def assert_rank_at_least(x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x` has the given rank or a higher one."""

def assert_rank_in(x: Any, ranks: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless the rank of `x` is one of `ranks`."""

def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """Checks that tensors have one floating-point type."""

def assert_scalar(tensor: Any, name: str | None = None, message: Any = None) -> Tensor:
    """Checks that a tensor is a scalar, by its static shape."""

def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> Operation:
    """Checks the type of a tensor when the graph is built."""

def assert_variables_initialized(var_list: Any = None) -> Operation:
    """Checks that variables are initialized. Deprecated: use `report_uninitialized_variables`."""

def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None) -> Any:
    """Sets the value of a variable."""

def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Adds to the value of a variable."""

def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from the value of a variable."""

def atan(x: Any, name: str | None = None) -> Tensor:
    """Inverse tangent."""

def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) in (-pi, pi]."""

def atanh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""

def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Gathers along the last dimension of `indices`, within each batch."""

def batch_to_space(input: Any, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None) -> Tensor:
    """`batch_to_space_nd` for images and square blocks."""

def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Moves the batch dimension back into blocks, then crops: the inverse of `space_to_batch_nd`."""

def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Regularised incomplete beta function I_x(a, b)."""

bfloat16: DType

def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = ..., name: str | None = None) -> Tensor:
    """Counts how often each integer occurs."""

def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bytes of `input` read as another type."""

bool: DType

def boolean_mask(tensor: Any, mask: Any, name: str | None = 'boolean_mask', axis: Any = None) -> Tensor:
    """The elements, or slices, of a tensor where a mask is true."""

def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that tensors of two shapes broadcast to, computed at run time."""

def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that tensors of two static shapes broadcast to."""

def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeats dimensions of size 1 and adds leading dimensions to reach a shape, by NumPy's rules."""

def case(pred_fn_pairs: Any, default: Any = None, exclusive: Any = False, strict: Any = False, name: str | None = 'case') -> Any:
    """Returns the result of the first function whose condition holds, otherwise that of `default`."""

def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Converts to another type; gives `x` itself if it has that type."""

def ceil(x: Any, name: str | None = None) -> Tensor:
    """Smallest integer not below x."""

def check_numerics(tensor: Any, message: Any, name: str | None = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The Cholesky factors of matrices: L with L adjoint(L) = input."""

def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Solves A x = rhs, given the Cholesky factors of A."""

def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Scales a tensor so that its L2 norm divided by its number of elements is at most `clip_norm`."""

def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None) -> Any:
    """Scales tensors together so that their global norm is at most `clip_norm`."""

def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scales a tensor so that its L2 norm is at most `clip_norm`."""

def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Clamps elements to a range."""

def colocate_with(op: Any, ignore_existing: Any = False) -> Any:
    """A context manager that places new operations on the device of another. See `tf.Graph.colocate_with`."""

def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts."""

complex128: DType

complex64: DType

def concat(values: Any, axis: Any, name: str | None = 'concat') -> Tensor:
    """Joins tensors along an existing dimension."""

def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, strict: Any = False, name: str | None = None, fn1: Any = None, fn2: Any = None) -> Any:
    """Returns the result of `true_fn()` in steps where `pred` is true, otherwise that of `false_fn()`."""

def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate."""

def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = 'Const', verify_shape: Any = False) -> Tensor:
    """A constant tensor."""

class constant_initializer:
    """Initializes with given values."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: Any = None) -> Any: ...
    def __init__(self, value: Any = 0, dtype: Any = ..., verify_shape: Any = False) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    value: Any

def container(container_name: Any) -> Any:
    """A context manager: new stateful operations keep their state in the given container of their device."""

def control_dependencies(control_inputs: Any) -> Any:
    """A context manager that makes new operations run after others. See `tf.Graph.control_dependencies`."""

def convert_n_to_tensor(values: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None) -> list[Tensor]:
    """Converts each value of a list to a `Tensor`."""

def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, as_ref: Any = False, dtype_hint: Any = None) -> Tensor:
    """Converts a value to a `Tensor`."""

def cos(x: Any, name: str | None = None) -> Tensor:
    """Cosine."""

def cosh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic cosine."""

def count_nonzero(input_tensor: Any = None, axis: Any = None, keepdims: Any = None, dtype: Any = ..., name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None, input: Any = None) -> Tensor:
    """Counts the elements that are not zero (not False, not empty strings)."""

def count_up_to(ref: Any, limit: Any, name: str | None = None) -> Tensor:
    """Increments a scalar integer variable and returns its value before."""

def create_partitioned_variables(shape: Any, slicing: Any, initializer: Any, dtype: Any = ..., trainable: Any = True, collections: Any = None, name: str | None = None, reuse: Any = None) -> Any:
    """Deprecated form of `tf.get_variable` with a partitioner."""

def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Cross products of the vectors along the last dimension, which has size 3."""

def cumprod(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Tensor:
    """Cumulative products: of all elements up to each along `axis`."""

def cumsum(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Tensor:
    """Cumulative sums: of all elements up to each along `axis`."""

def custom_gradient(f: Any = None) -> Any:
    """Decorator of a function that also returns its own gradient."""

def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Decodes strings that `encode_base64` made, with or without padding."""

def depth_to_space(input: Any, block_size: Any, name: str | None = None, data_format: Any = 'NHWC') -> Tensor:
    """Moves channels into blocks of block_size x block_size pixels: the inverse of `space_to_depth`."""

def device(device_name_or_function: Any) -> Any:
    """A context manager that requests a device for new operations. See `tf.Graph.device`."""

def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with the given diagonal, zero elsewhere."""

def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of even rank: result[i...] = input[i..., i...]."""

def digamma(x: Any, name: str | None = None) -> Tensor:
    """Derivative of lgamma."""

def disable_strict_broadcasting() -> Any:
    """Allows all broadcasts again, for operations made from now on."""

def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python 2 divides: integers are rounded towards negative infinity."""

def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0."""

def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python 3 divides: integers are converted to floating point first."""

double: DType

def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Tensor]:
    """Distributes slices of a tensor to several tensors: slice i goes to output partitions[i]."""

def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Merges slices of several tensors into one: slice data[m][i] goes to place indices[m][i]."""

def einsum(equation: Any, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products of elements, in Einstein's notation."""

def enable_strict_broadcasting() -> Any:
    """From now on operations that would repeat both of two operands of different ranks are refused."""

def encode_base64(input: Any, pad: Any = False, name: str | None = None) -> Tensor:
    """Encodes strings in base 64 for web addresses, padded with = if `pad` is true."""

def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Checks the shape of a tensor at run time, and makes it known statically."""

def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x == y."""

def erf(x: Any, name: str | None = None) -> Tensor:
    """Gauss error function."""

def erfc(x: Any, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate for large x."""

def exp(x: Any, name: str | None = None) -> Tensor:
    """e to the power x."""

def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Inserts a dimension of size 1."""

def expm1(x: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate near 0."""

def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = ..., name: str | None = None) -> Tensor:
    """An identity matrix, or a batch of them."""

def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last dimension."""

def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last two dimensions."""

def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last three dimensions."""

def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` with `value` everywhere."""

def fixed_size_partitioner(num_shards: Any, axis: Any = 0) -> Any:
    """A partitioner that splits into a fixed number of parts along one axis."""

float16: DType

float32: DType

float64: DType

def floor(x: Any, name: str | None = None) -> Tensor:
    """Largest integer not above x."""

def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x // y as in Python: rounded towards negative infinity."""

def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x // y as in Python: rounded towards negative infinity."""

def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x % y as in Python: the result has the sign of y."""

def foldl(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True, swap_memory: Any = False, name: str | None = None) -> Any:
    """Combines the elements of `elems` from the first to the last: a = fn(a, elems[i]) for each i."""

def foldr(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True, swap_memory: Any = False, name: str | None = None) -> Any:
    """Combines the elements of `elems` from the last to the first: a = fn(a, elems[i]) for each i."""

def function(func: Any = None, input_signature: Any = None, name: str | None = None, **options: Any) -> Any:
    """Decorator: makes calls of a Python function calls of graph functions, one function for each kind of arguments."""

def gather(params: Any, indices: Any, validate_indices: Any = None, name: str | None = None, axis: Any = None, batch_dims: Any = 0) -> Tensor:
    """Slices of a tensor along a dimension, chosen by index."""

def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: Any = 0) -> Tensor:
    """Elements or slices of a tensor, each chosen by a vector of indices."""

def get_collection(key: Any, scope: Any = None) -> Any:
    """A copy of a collection of the default graph."""

def get_collection_ref(key: Any) -> Any:
    """The list that holds a collection of the default graph. Changes to it change the collection."""

def get_default_graph() -> Graph:
    """The graph that new operations are added to."""

def get_default_session() -> Any:
    """The innermost default session of this thread: the one that `Tensor.eval` and `Operation.run` use."""

def get_local_variable(name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: Any = False, collections: Any = None, **kwargs: Any) -> Variable:
    """`tf.get_variable` for a variable of this process alone: not trained, in the collection LOCAL_VARIABLES."""

def get_variable(name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: Any = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None, validate_shape: Any = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None, synchronization: Any = ..., aggregation: Any = ...) -> Variable:
    """The variable of a given name in the current variable scope: an existing one or a new one."""

def get_variable_scope() -> Any:
    """The current variable scope."""

def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The L2 norm of all tensors taken together: sqrt(sum of squares)."""

def global_variables(scope: Any = None) -> Any:
    """The global variables of the default graph: the collection GLOBAL_VARIABLES, shared by all tasks of a cluster."""

def global_variables_initializer() -> Operation:
    """An operation that initializes all global variables."""

class glorot_normal_initializer(variance_scaling_initializer):
    """Initializes with a truncated normal distribution of variance `2 / (fan_in + fan_out)`."""
    def __init__(self, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    seed: Any

class glorot_uniform_initializer(variance_scaling_initializer):
    """Initializes uniformly within `sqrt(6 / (fan_in + fan_out))`: `get_variable`'s default."""
    def __init__(self, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    seed: Any

def grad_pass_through(f: Any) -> Any:
    """Wraps a function so that its gradient is that of the identity."""

def gradients(ys: Any, xs: Any, grad_ys: Any = None, name: str | None = 'gradients', colocate_gradients_with_ops: Any = False, gate_gradients: Any = False, aggregation_method: Any = None, stop_gradients: Any = None, unconnected_gradients: Any = 'none') -> Any:
    """Adds operations that compute the gradient of the sum of `ys` with respect to each of `xs`."""

def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x > y."""

def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x >= y."""

def group(*inputs: Any, **kwargs: Any) -> Operation:
    """Makes an operation that runs after all `inputs`."""

half: DType

def hessians(ys: Any, xs: Any, name: str | None = 'hessians', colocate_gradients_with_ops: Any = False, gate_gradients: Any = False, aggregation_method: Any = None) -> Any:
    """Computes the Hessian of the sum of `ys` with respect to each of `xs`."""

def histogram_fixed_width(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None) -> Tensor:
    """Counts the values in each of `nbins` equal bins of a range."""

def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = ..., name: str | None = None) -> Tensor:
    """The bin of each value, where a range is cut into `nbins` equal bins."""

def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor with the same value."""

def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """Tensors with the same values."""

def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last dimension, scaled by 1 / size."""

def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last two dimensions, scaled by 1 / size."""

def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last three dimensions, scaled by 1 / size."""

def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Lower regularised incomplete gamma function P(a, x)."""

def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Upper regularised incomplete gamma function Q(a, x)."""

def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of complex numbers."""

def import_graph_def(graph_def: Any, input_map: Any = None, return_elements: Any = None, name: str | None = None, op_dict: Any = None, producer_op_list: Any = None) -> Any:
    """Adds the operations of a GraphDef to the default graph."""

def init_scope() -> Any:
    """A context manager that leaves functions, conditionals and loops that are being built."""

def initialize_all_variables() -> Operation:
    """Old name of `tf.global_variables_initializer`."""

def initialize_local_variables() -> Operation:
    """Old name of `tf.local_variables_initializer`."""

def initialize_variables(var_list: Any, name: str | None = 'init') -> Operation:
    """Old name of `tf.variables_initializer`."""

int16: DType

int32: DType

int64: DType

int8: DType

def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The inverse of a permutation: y[x[i]] = i."""

def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Which elements are finite."""

def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Which elements are infinite."""

def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Which elements are NaN."""

def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element, in row-major order, is less than the one before it."""

def is_numeric_tensor(tensor: Any) -> builtins.bool:
    """Whether an object is a `Tensor` of numbers."""

def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, exceeds the one before it."""

def is_variable_initialized(ref: Any, name: str | None = None) -> Tensor:
    """Whether a variable has a value."""

def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x < y."""

def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x <= y."""

def lgamma(x: Any, name: str | None = None) -> Tensor:
    """log(|gamma(x)|)."""

def lin_space(start: Any, stop: Any, num: Any, name: str | None = None) -> Tensor:
    """Evenly spaced values from `start` to `stop`, both included."""

linspace = lin_space

def load_op_library(library_filename: Any) -> Any:
    """Loads a library of op types and kernels that was built against `tfcore/kernel.h` (see `tf.sysconfig`)."""

def local_variables(scope: Any = None) -> Any:
    """The variables of this process alone: the collection LOCAL_VARIABLES."""

def local_variables_initializer() -> Operation:
    """An operation that initializes all local variables."""

def log(x: Any, name: str | None = None) -> Tensor:
    """Natural logarithm."""

def log1p(x: Any, name: str | None = None) -> Tensor:
    """log(1 + x), accurate near 0."""

def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where both are true."""

def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Logical not."""

def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where either is true."""

def logical_xor(x: Any, y: Any, name: str | None = 'LogicalXor') -> Tensor:
    """Where exactly one of x and y is true."""

def make_ndarray(tensor: Any) -> Any:
    """Converts a TensorProto to an array."""

def make_tensor_proto(values: Any, dtype: Any = None, shape: Any = None, verify_shape: Any = False, allow_broadcast: Any = False) -> Any:
    """Converts a value to a TensorProto, as a Const operation holds."""

def map_fn(fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: Any = True, swap_memory: Any = False, infer_shape: Any = True, name: str | None = None, fn_output_signature: Any = None) -> Any:
    """Applies `fn` to each element of `elems` along the first dimension and stacks the results."""

def matmul(a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, adjoint_a: Any = False, adjoint_b: Any = False, a_is_sparse: Any = False, b_is_sparse: Any = False, name: str | None = None) -> Tensor:
    """The product of two matrices, or of batches of them, whose leading dimensions broadcast."""

def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with zeros outside a band around the main diagonal."""

def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinants of matrices."""

def matrix_diag(diagonal: Any, name: str | None = 'diag', k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: Any = 'RIGHT_LEFT') -> Tensor:
    """Matrices with the given diagonals."""

def matrix_diag_part(input: Any, name: str | None = 'diag_part', k: Any = 0, padding_value: Any = 0, align: Any = 'RIGHT_LEFT') -> Tensor:
    """Diagonals of matrices."""

def matrix_inverse(input: Any, adjoint: Any = False, name: str | None = None) -> Tensor:
    """The inverses of matrices, or of their adjoints."""

def matrix_set_diag(input: Any, diagonal: Any, name: str | None = 'set_diag', k: Any = 0, align: Any = 'RIGHT_LEFT') -> Tensor:
    """Matrices with some of their diagonals replaced."""

def matrix_solve(matrix: Any, rhs: Any, adjoint: Any = False, name: str | None = None) -> Tensor:
    """Solves matrix x = rhs, or with `adjoint` adjoint(matrix) x = rhs."""

def matrix_transpose(a: Any, name: str | None = 'matrix_transpose', conjugate: Any = False) -> Tensor:
    """Transposes matrices: exchanges the last two dimensions."""

def matrix_triangular_solve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: str | None = None) -> Tensor:
    """Solves matrix x = rhs for triangular matrices, by substitution."""

def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element; NaN if either is."""

def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Coordinate grids of vectors, as in NumPy."""

def min_max_variable_partitioner(max_partitions: Any = 1, axis: Any = 0, min_slice_size: Any = 262144, bytes_per_string_element: Any = 16) -> Any:
    """A partitioner that splits into as many parts as possible, up to a number, each of at least a given size."""

def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element; NaN if either is."""

mod = floormod

def model_variables(scope: Any = None) -> Any:
    """The variables of the collection MODEL_VARIABLES."""

def moving_average_variables(scope: Any = None) -> Any:
    """The variables that a `tf.train.ExponentialMovingAverage` follows."""

def multinomial(logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities."""

def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, element by element with broadcasting."""

class name_scope:
    """A context manager that prefixes the names of new operations. See `tf.Graph.name_scope`."""
    def __enter__(self) -> name_scope: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None: ...
    @property
    def name(self) -> Any:
        """The name that was asked for, before it is made unique."""

def negative(x: Any, name: str | None = None) -> Tensor:
    """Numerical negative value."""

newaxis: Any

def no_op(name: str | None = None) -> Operation:
    """Does nothing: a target that stands for its own control inputs."""

def no_regularizer(_: Any) -> Any:
    """A regularizer that adds no loss: it disables the regularizer of an outer scope."""

def norm(tensor: Any, ord: Any = 'euclidean', axis: Any = None, keepdims: Any = None, name: str | None = None, keep_dims: Any = None) -> Tensor:
    """The norm of vectors or matrices."""

def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where x != y."""

def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: Any = True, name: str | None = None) -> Tensor:
    """`py_func` under the name that it has in later versions."""

def one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """One-hot vectors: `on_value` at each index, `off_value` elsewhere."""

def ones(shape: Any, dtype: Any = ..., name: str | None = None) -> Tensor:
    """A tensor of ones (True)."""

class ones_initializer:
    """Initializes with ones; True for bool."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, dtype: Any = ...) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""

def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: Any = True) -> Tensor:
    """A tensor of ones (True) with the shape of another."""

class orthogonal_initializer:
    """Initializes with a random matrix that has orthonormal rows or columns, times `gain`."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    gain: Any
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    seed: Any

def pad(tensor: Any, paddings: Any, mode: Any = 'CONSTANT', name: str | None = None, constant_values: Any = 0) -> Tensor:
    """Adds elements before and after a tensor in each dimension."""

def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Like `dynamic_stitch`, for indices that are all different."""

def parallel_stack(values: Any, name: str | None = 'parallel_stack') -> Tensor:
    """`stack` along a new first dimension."""

def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value is fed to each run with `feed_dict`."""

def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that has the value of `input` unless another one is fed."""

def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The a-th derivative of digamma."""

def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ** y, element by element with broadcasting."""

def print(*inputs: Any, **kwargs: Any) -> Operation:
    """Makes an operation that prints tensors, strings and nests of them when it runs."""

def py_func(func: Any, inp: Any, Tout: Any, stateful: Any = True, name: str | None = None) -> Tensor:
    """Calls a Python function with the values of tensors in every step that needs the result."""

qint16: DType

qint32: DType

qint8: DType

quint16: DType

quint8: DType

def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of a tensor from a random place."""

def random_gamma(shape: Any, alpha: Any, beta: Any = None, dtype: Any = ..., seed: Any = None, name: str | None = None) -> Tensor:
    """Samples of gamma distributions."""

def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = ..., seed: Any = None, name: str | None = None) -> Tensor:
    """Normally distributed numbers."""

class random_normal_initializer:
    """Initializes with normally distributed values."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    mean: Any
    seed: Any
    stddev: Any

def random_poisson(lam: Any, shape: Any, dtype: Any = ..., seed: Any = None, name: str | None = None) -> Tensor:
    """Samples of Poisson distributions."""

def random_shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows of a tensor, along its first dimension, in random order."""

def random_uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = ..., seed: Any = None, name: str | None = None) -> Tensor:
    """Uniformly distributed numbers in [minval, maxval)."""

class random_uniform_initializer:
    """Initializes with uniformly distributed values in [minval, maxval)."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    maxval: Any
    minval: Any
    seed: Any

def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = 'range') -> Tensor:
    """The sequence start, start + delta, ..., which stops before `limit`."""

def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor."""

def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of complex numbers."""

def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, element by element with broadcasting."""

def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """1 / x."""

def reduce_all(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """Whether all elements along dimensions are true."""

def reduce_any(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """Whether any element along dimensions is true."""

def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """log(sum(exp(x))) along dimensions, computed without overflow."""

def reduce_max(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """The largest elements along dimensions; NaN where there is one."""

def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """Averages elements along dimensions. Integer types round towards zero, as in TensorFlow."""

def reduce_min(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """The smallest elements along dimensions; NaN where there is one."""

def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """Multiplies elements along dimensions."""

def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None) -> Tensor:
    """Sums elements along dimensions."""

def register_tensor_conversion_function(base_type: Any, conversion_func: Any, priority: Any = 100) -> Any:
    """Registers a function that converts objects of a type to `Tensor`s."""

def report_uninitialized_variables(var_list: Any = None, name: str | None = 'report_uninitialized_variables') -> Tensor:
    """The names of the variables that are not initialized."""

def required_space_to_batch_paddings(input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None) -> Any:
    """The paddings that make sizes multiples of block sizes, for `space_to_batch_nd` and `batch_to_space_nd`."""

def reset_default_graph() -> Any:
    """Replaces the shared default graph by an empty one. Sessions and tensors of the old one must not be used with the new one."""

def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Gives the elements of a tensor another shape, in row-major order."""

resource: DType

def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reverses the order of elements along the given dimensions."""

def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: str | None = None, seq_dim: Any = None, batch_dim: Any = None) -> Tensor:
    """Reverses the first seq_lengths[i] elements along `seq_axis`, for each index i along `batch_axis`."""

reverse_v2 = reverse

def rint(x: Any, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Rotates elements by `shift` places along `axis`; those that leave at the end enter at the start."""

def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest integer; halves go to the even one."""

def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 / sqrt(x)."""

def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Casts after clamping to the range of `dtype`, so that nothing wraps around."""

def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor; sparse gradients remain sparse."""

def scan(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True, swap_memory: Any = False, infer_shape: Any = True, reverse: Any = False, name: str | None = None) -> Any:
    """Folds `elems` from the first to the last and returns all intermediate values."""

def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Adds to rows of a variable: ref[indices] += updates; duplicate indices add up."""

def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Divides rows of a variable: ref[indices] /= updates; duplicate indices divide again."""

def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Takes the maximum of rows of a variable and updates."""

def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Takes the minimum of rows of a variable and updates."""

def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Multiplies rows of a variable: ref[indices] *= updates; duplicate indices multiply."""

def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Adds updates at indices of a tensor of zeros."""

def scatter_nd_add(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Adds to elements or slices of a variable; duplicate indices add up."""

def scatter_nd_sub(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Subtracts from elements or slices of a variable; duplicate indices add up."""

def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: Any = True, name: str | None = None) -> Tensor:
    """Assigns elements or slices of a variable."""

def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None) -> Tensor:
    """Subtracts from rows of a variable: ref[indices] -= updates; duplicate indices add up."""

def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: Any = True, name: str | None = None) -> Tensor:
    """Assigns rows of a variable: ref[indices] = updates."""

def searchsorted(sorted_sequence: Any, values: Any, side: Any = 'left', out_type: Any = ..., name: str | None = None) -> Tensor:
    """Where values would be inserted in sorted rows to keep them sorted."""

def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The maximum of the rows of each segment; 0 for empty segments."""

def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment; 0 for empty segments."""

def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The minimum of the rows of each segment; 0 for empty segments."""

def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; 1 for empty segments."""

def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; 0 for empty segments."""

def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = ..., name: str | None = None) -> Tensor:
    """Masks of the first `lengths` positions: mask[..., j] = j < lengths[...]."""

def set_random_seed(seed: Any) -> Any:
    """Sets the seed of the default graph."""

def setdiff1d(x: Any, y: Any, index_dtype: Any = ..., name: str | None = None) -> Any:
    """The elements of a vector that are not in another, in their order."""

def shape(input: Any, name: str | None = None, out_type: Any = ...) -> Tensor:
    """The shape of a tensor as a vector."""

def shape_n(input: Any, out_type: Any = ..., name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors as vectors."""

def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x))."""

def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN; x / |x| for complex numbers."""

def sin(x: Any, name: str | None = None) -> Tensor:
    """Sine."""

def sinh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic sine."""

def size(input: Any, name: str | None = None, out_type: Any = ...) -> Tensor:
    """The number of elements of a tensor."""

def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A box of a tensor, given by where it starts and its size."""

def sort(values: Any, axis: Any = -1, direction: Any = 'ASCENDING', name: str | None = None) -> Tensor:
    """Sorts a tensor along a dimension."""

def space_to_batch(input: Any, paddings: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None) -> Tensor:
    """`space_to_batch_nd` for images and square blocks."""

def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Pads with zeros, then moves the positions within each block into the batch dimension."""

def space_to_depth(input: Any, block_size: Any, name: str | None = None, data_format: Any = 'NHWC') -> Tensor:
    """Moves blocks of block_size x block_size pixels into the channels."""

def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose value is fed to each run, as a `SparseTensorValue`."""

def sparse_segment_mean(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None) -> Tensor:
    """The mean of rows for each segment, where indices choose the rows."""

def sparse_segment_sqrt_n(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None) -> Tensor:
    """The sum of rows for each segment, divided by the square root of their number, where indices choose the rows."""

def sparse_segment_sum(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None) -> Tensor:
    """The sum of rows for each segment, where indices choose the rows."""

def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0, validate_indices: Any = True, name: str | None = None) -> Tensor:
    """A dense tensor from its elements."""

def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str | None = 'split') -> list[Tensor]:
    """Cuts a tensor into pieces along a dimension."""

def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Square root."""

def square(x: Any, name: str | None = None) -> Tensor:
    """x * x."""

def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x - y) ** 2, element by element; complex numbers: (x - y) conj(x - y)."""

def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """Removes dimensions of size 1."""

def stack(values: Any, axis: Any = 0, name: str | None = 'stack') -> Tensor:
    """Joins tensors of one shape along a new dimension."""

def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The value of `input`, which gradients treat as a constant."""

class strict_broadcasting:
    """A context manager that turns strict broadcasting on or off for operations added by this thread. See `tf.enable_strict_broadcasting`."""
    def __enter__(self) -> strict_broadcasting: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __init__(self, enabled: Any = True) -> None: ...

def strided_slice(input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, var: Any = None, name: str | None = None) -> Tensor:
    """A slice with steps, as `tensor[begin:end:stride, ...]` makes it."""

string: DType

def string_join(inputs: Any, separator: Any = '', name: str | None = None) -> Tensor:
    """Joins strings element by element."""

def string_to_number(string_tensor: Any = None, out_type: Any = ..., name: str | None = None, input: Any = None) -> Tensor:
    """The numbers that strings spell."""

def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: Any = 'BYTE') -> Tensor:
    """Up to `len` bytes of each string from byte `pos` on; a negative `pos` counts from the end."""

def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y, element by element with broadcasting."""

def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str | None = 'switch_case') -> Any:
    """Returns the result of function number `branch_index`, or of `default` for any other number."""

def tan(x: Any, name: str | None = None) -> Tensor:
    """Tangent."""

def tanh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic tangent."""

def tensor_scatter_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with updates added at indices."""

def tensor_scatter_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with the maximum of the old value and the updates at indices."""

def tensor_scatter_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with the minimum of the old value and the updates at indices."""

tensor_scatter_nd_add = tensor_scatter_add

def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with updates subtracted at indices."""

def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with updates at indices; of several for one place the last counts."""

tensor_scatter_sub = tensor_scatter_nd_sub

tensor_scatter_update = tensor_scatter_nd_update

def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums products of elements over some dimensions of two tensors."""

def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeats a tensor multiples[d] times in each dimension d."""

def to_bfloat16(x: Any, name: str | None = 'ToBFloat16') -> Tensor:
    """Casts to bfloat16."""

def to_complex128(x: Any, name: str | None = 'ToComplex128') -> Tensor:
    """Casts to complex128."""

def to_complex64(x: Any, name: str | None = 'ToComplex64') -> Tensor:
    """Casts to complex64."""

def to_double(x: Any, name: str | None = 'ToDouble') -> Tensor:
    """Casts to float64."""

def to_float(x: Any, name: str | None = 'ToFloat') -> Tensor:
    """Casts to float32."""

def to_int32(x: Any, name: str | None = 'ToInt32') -> Tensor:
    """Casts to int32."""

def to_int64(x: Any, name: str | None = 'ToInt64') -> Tensor:
    """Casts to int64."""

def trainable_variables(scope: Any = None) -> Any:
    """The variables that optimizers train: those created with `trainable=True`."""

def transpose(a: Any, perm: Any = None, name: str | None = 'transpose', conjugate: Any = False) -> Tensor:
    """Permutes the dimensions of a tensor."""

def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python 3 divides: integers are converted to floating point first."""

def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = ..., seed: Any = None, name: str | None = None) -> Tensor:
    """Normally distributed numbers, redrawn where they are more than two standard deviations from the mean."""

class truncated_normal_initializer(random_normal_initializer):
    """Initializes with normally distributed values; those more than two standard deviations from the mean are drawn again."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...

def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, rounded towards zero as in C."""

def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`, with the sign of x."""

def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """Passes tensors on once all of them, and all of `control_inputs`, are computed."""

uint16: DType

uint32: DType

uint64: DType

uint8: DType

class uniform_unit_scaling_initializer:
    """Initializes uniformly within `factor * sqrt(3 / n)`, where n is the product of all dimensions but the last."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = ...) -> None: ...
    dtype: Any
    factor: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    seed: Any

def unique(x: Any, out_idx: Any = ..., name: str | None = None) -> Any:
    """The distinct values of a vector in order of first appearance."""

def unique_with_counts(x: Any, out_idx: Any = ..., name: str | None = None) -> Any:
    """The distinct values of a vector in order of first appearance, and their counts."""

def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The maximum of the slices of each segment; the lowest value of the type for empty segments."""

def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of the slices of each segment; 0 for empty segments."""

def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The minimum of the slices of each segment; the highest value of the type for empty segments."""

def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The product of the slices of each segment; 1 for empty segments."""

def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the slices of each segment, divided by the square root of their number; 0 for empty segments."""

def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the slices of each segment; 0 for empty segments."""

def unstack(value: Any, num: Any = None, axis: Any = 0, name: str | None = 'unstack') -> list[Tensor]:
    """Takes a tensor apart along a dimension, which disappears: the inverse of `stack`."""

def variable_axis_size_partitioner(max_shard_bytes: Any, axis: Any = 0, bytes_per_string_element: Any = 16, max_shards: Any = None) -> Any:
    """A partitioner that keeps each part below a size, by splitting along one axis."""

def variable_op_scope(values: Any, name_or_scope: Any, default_name: Any = None, **kwargs: Any) -> Any:
    """Deprecated form of `tf.variable_scope`."""

class variable_scope:
    """A context manager for variables: sets the prefix of their names and their defaults."""
    def __enter__(self) -> variable_scope: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
    def __init__(self, name_or_scope: Any, default_name: Any = None, values: Any = None, initializer: Any = None, regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, reuse: Any = None, dtype: Any = None, use_resource: Any = None, constraint: Any = None, auxiliary_name_scope: Any = True) -> None: ...

def variables_initializer(var_list: Any, name: str | None = 'init') -> Operation:
    """An operation that initializes variables."""

class variance_scaling_initializer:
    """Initializes with random values of variance `scale / n`, so that activations or gradients keep their scale."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, scale: Any = 1.0, mode: Any = 'fan_in', distribution: Any = 'truncated_normal', seed: Any = None, dtype: Any = ...) -> None: ...
    distribution: Any
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""
    mode: Any
    scale: Any
    seed: Any

variant: DType

def verify_tensor_all_finite(t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where the condition is true, else of `y`; without them the coordinates of the true elements."""

def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Like `where`, but `condition`, `x` and `y` broadcast."""

def while_loop(cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, parallel_iterations: Any = 10, back_prop: Any = True, swap_memory: Any = False, name: str | None = None, maximum_iterations: Any = None, return_same_structure: Any = False) -> Any:
    """Repeats `body` while `cond` is true."""

def zeros(shape: Any, dtype: Any = ..., name: str | None = None) -> Tensor:
    """A tensor of zeros (False, empty strings)."""

class zeros_initializer:
    """Initializes with zeros; empty strings or False for those types."""
    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any: ...
    def __init__(self, dtype: Any = ...) -> None: ...
    dtype: Any
    @classmethod
    def from_config(cls, config: Any) -> Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> Any:
        """The arguments that recreate the initializer."""

def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: Any = True) -> Tensor:
    """A tensor of zeros (False, empty strings) with the shape of another."""

def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x over k = 0, 1, ..."""
