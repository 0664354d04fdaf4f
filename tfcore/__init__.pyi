# Written by python -m tfcore.tools.stubs: do not edit.

import abc
import builtins
import enum
from tfcore import audio as audio
from tfcore import bitwise as bitwise
from tfcore import compat as compat
from tfcore import config as config
from tfcore import contrib as contrib
from tfcore import data as data
from tfcore import debugging as debugging
from tfcore import distribute as distribute
from tfcore import distributed as distributed
from tfcore import distributions as distributions
from tfcore import dtypes as dtypes
from tfcore import errors as errors
from tfcore import feature_column as feature_column
from tfcore import gpu as gpu
from tfcore import image as image
from tfcore import initializers as initializers
from tfcore import io as io
from tfcore import layers as layers
from tfcore import linalg as linalg
from tfcore import lookup as lookup
from tfcore import losses as losses
from tfcore import manip as manip
from tfcore import math as math
from tfcore import metrics as metrics
from tfcore import nest as nest
from tfcore import nn as nn
from tfcore import profiler as profiler
from tfcore import python_io as python_io
from tfcore import quantization as quantization
from tfcore import queue as queue
from tfcore import ragged as ragged
from tfcore import random as random
from tfcore import raw_ops as raw_ops
from tfcore import saved_model as saved_model
from tfcore import sets as sets
from tfcore import signal as signal
from tfcore import sparse as sparse
from tfcore import spectral as spectral
from tfcore import strings as strings
from tfcore import summary as summary
from tfcore import sysconfig as sysconfig
from tfcore import test as test
from tfcore import train as train
from tfcore.client import timeline as timeline
from tfcore.framework.exchange import graph_util as graph_util
from tfcore.platform import app as app
from tfcore.platform import flags as flags
from tfcore.platform import gfile as gfile
from tfcore.platform import resource_loader as resource_loader
from tfcore.platform import tf_logging as logging
from tfcore.platform import version as version
from typing import Any as _Any

__all__ = [
'AUTO_REUSE', 'AggregationMethod', 'Assert', 'AttrValue', 'COMPILER_VERSION', 'CXX11_ABI_FLAG', 'CXX_VERSION',
'ClusterDef', 'CollectionDef', 'ConditionalAccumulator', 'ConditionalAccumulatorBase', 'ConfigProto', 'DType',
'Declare', 'Defun', 'DeviceSpec', 'Dimension', 'Event', 'FIFOQueue', 'FixedLenFeature', 'FixedLenSequenceFeature',
'FixedLengthRecordReader', 'FunctionDef', 'FunctionDefLibrary', 'GIT_VERSION', 'GPUOptions', 'GRAPH_DEF_VERSION',
'GRAPH_DEF_VERSION_MIN_CONSUMER', 'GRAPH_DEF_VERSION_MIN_PRODUCER', 'GradientTape', 'Graph', 'GraphDef',
'GraphGrowthWarning', 'GraphKeys', 'GraphOptions', 'HistogramProto', 'IdentityReader', 'IndexedSlices',
'IndexedSlicesSpec', 'IndexedSlicesValue', 'InteractiveSession', 'JobDef', 'LMDBReader', 'LogMessage',
'MONOLITHIC_BUILD', 'MetaGraphDef', 'Module', 'NameAttrList', 'NoGradient', 'NodeDef', 'NoneTensorSpec',
'NotDifferentiable', 'OpDef', 'OpError', 'OpList', 'Operation', 'OptimizerOptions', 'OptionalSpec', 'PaddingFIFOQueue',
'Print', 'PriorityQueue', 'QUANTIZED_DTYPES', 'QueueBase', 'RaggedTensor', 'RaggedTensorSpec', 'RandomShuffleQueue',
'ReaderBase', 'RegisterGradient', 'RegisterShape', 'RunMetadata', 'RunOptions', 'SaveSliceInfoDef', 'SaverDef',
'Session', 'SessionLog', 'SignatureDef', 'SparseConditionalAccumulator', 'SparseFeature', 'SparseTensor',
'SparseTensorSpec', 'SparseTensorValue', 'Summary', 'SummaryMetadata', 'TFRecordReader', 'Tensor', 'TensorArray',
'TensorArraySpec', 'TensorInfo', 'TensorProto', 'TensorShape', 'TensorShapeProto', 'TensorSpec', 'TensorValue',
'TextLineReader', 'TypeSpec', 'UnconnectedGradients', 'VERSION', 'VarLenFeature', 'Variable', 'VariableAggregation',
'VariableDef', 'VariableScope', 'VariableSynchronization', 'VersionDef', 'WholeFileReader', '__version__', 'abs',
'accumulate_n', 'acos', 'acosh', 'add', 'add_check_numerics_ops', 'add_n', 'add_to_collection', 'add_to_collections',
'all_variables', 'angle', 'app', 'approx_top_k', 'approximate_equal', 'arg_max', 'arg_min', 'argmax', 'argmin',
'argsort', 'as_dtype', 'as_string', 'asin', 'asinh', 'assert_equal', 'assert_greater', 'assert_greater_equal',
'assert_integer', 'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative',
'assert_non_positive', 'assert_none_equal', 'assert_positive', 'assert_proper_iterable', 'assert_rank',
'assert_rank_at_least', 'assert_rank_in', 'assert_same_float_dtype', 'assert_scalar', 'assert_type',
'assert_variables_initialized', 'assign', 'assign_add', 'assign_sub', 'atan', 'atan2', 'atanh', 'audio', 'batch_gather',
'batch_scatter_update', 'batch_to_space', 'batch_to_space_nd', 'betainc', 'bfloat16', 'bincount', 'bitcast', 'bitwise',
'bool', 'boolean_mask', 'broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'case', 'cast', 'ceil',
'check_numerics', 'cholesky', 'cholesky_solve', 'clip_by_average_norm', 'clip_by_global_norm', 'clip_by_norm',
'clip_by_value', 'colocate_with', 'compat', 'complex', 'complex128', 'complex64', 'concat', 'cond', 'config',
'confusion_matrix', 'conj', 'constant', 'constant_initializer', 'container', 'contrib', 'control_dependencies',
'control_flow_v2_enabled', 'convert_n_to_tensor', 'convert_to_tensor', 'convert_to_tensor_or_indexed_slices',
'convert_to_tensor_or_sparse_tensor', 'cos', 'cosh', 'count_nonzero', 'count_up_to', 'create_partitioned_variables',
'cross', 'cumprod', 'cumsum', 'custom_gradient', 'data', 'debugging', 'decode_base64', 'decode_compressed',
'decode_csv', 'decode_json_example', 'decode_raw', 'delete_session_tensor', 'depth_to_space', 'dequantize',
'deserialize_many_sparse', 'device', 'diag', 'diag_part', 'digamma', 'dimension_at_index', 'dimension_value',
'disable_control_flow_v2', 'disable_eager_execution', 'disable_resource_variables', 'disable_strict_broadcasting',
'disable_tensor_equality', 'disable_v2_behavior', 'disable_v2_tensorshape', 'distribute', 'distributed',
'distributions', 'div', 'div_no_nan', 'divide', 'double', 'dtypes', 'dynamic_partition', 'dynamic_stitch',
'edit_distance', 'einsum', 'enable_control_flow_v2', 'enable_eager_execution', 'enable_resource_variables',
'enable_strict_broadcasting', 'enable_tensor_equality', 'enable_v2_behavior', 'enable_v2_tensorshape', 'encode_base64',
'ensure_shape', 'equal', 'erf', 'erfc', 'errors', 'executing_eagerly', 'executing_eagerly_outside_functions', 'exp',
'expand_dims', 'expm1', 'extract_image_patches', 'extract_volume_patches', 'eye', 'fake_quant_with_min_max_args',
'fake_quant_with_min_max_args_gradient', 'fake_quant_with_min_max_vars', 'fake_quant_with_min_max_vars_gradient',
'fake_quant_with_min_max_vars_per_channel', 'fake_quant_with_min_max_vars_per_channel_gradient', 'feature_column',
'fft', 'fft2d', 'fft3d', 'fftnd', 'fill', 'fingerprint', 'fixed_size_partitioner', 'flags', 'float16', 'float32',
'float64', 'floor', 'floor_div', 'floordiv', 'floormod', 'foldl', 'foldr', 'function', 'gather', 'gather_nd',
'get_collection', 'get_collection_ref', 'get_default_graph', 'get_default_session', 'get_local_variable', 'get_logger',
'get_seed', 'get_session_handle', 'get_session_tensor', 'get_static_value', 'get_variable', 'get_variable_scope',
'gfile', 'global_norm', 'global_variables', 'global_variables_initializer', 'glorot_normal_initializer',
'glorot_uniform_initializer', 'gpu', 'grad_pass_through', 'gradients', 'graph_util', 'greater', 'greater_equal',
'group', 'guarantee_const', 'half', 'hessians', 'histogram_fixed_width', 'histogram_fixed_width_bins', 'identity',
'identity_n', 'ifft', 'ifft2d', 'ifft3d', 'ifftnd', 'igamma', 'igammac', 'imag', 'image', 'import_graph_def',
'init_scope', 'initialize_all_tables', 'initialize_all_variables', 'initialize_local_variables', 'initialize_variables',
'initializers', 'int16', 'int32', 'int64', 'int8', 'invert_permutation', 'io', 'irfftnd', 'is_finite', 'is_inf',
'is_nan', 'is_non_decreasing', 'is_numeric_tensor', 'is_strictly_increasing', 'is_symbolic_tensor', 'is_tensor',
'is_variable_initialized', 'layers', 'lbeta', 'less', 'less_equal', 'lgamma', 'lin_space', 'linalg', 'linspace',
'load_library', 'load_op_library', 'local_variables', 'local_variables_initializer', 'log', 'log1p', 'log_sigmoid',
'logging', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'lookup', 'losses', 'make_ndarray',
'make_template', 'make_tensor_proto', 'manip', 'map_fn', 'matching_files', 'math', 'matmul', 'matrix_band_part',
'matrix_determinant', 'matrix_diag', 'matrix_diag_part', 'matrix_inverse', 'matrix_set_diag', 'matrix_solve',
'matrix_solve_ls', 'matrix_square_root', 'matrix_transpose', 'matrix_triangular_solve', 'maximum', 'meshgrid',
'metrics', 'min_max_variable_partitioner', 'minimum', 'mod', 'model_variables', 'moving_average_variables',
'multinomial', 'multiply', 'name_scope', 'negative', 'nest', 'newaxis', 'nn', 'no_gradient', 'no_op', 'no_regularizer',
'norm', 'not_equal', 'numpy_function', 'one_hot', 'ones', 'ones_initializer', 'ones_like', 'op_scope',
'orthogonal_initializer', 'pad', 'parallel_dynamic_stitch', 'parallel_stack', 'parse_example', 'parse_single_example',
'parse_single_sequence_example', 'parse_tensor', 'placeholder', 'placeholder_with_default', 'polygamma', 'pow', 'print',
'profiler', 'py_func', 'py_function', 'python_io', 'qint16', 'qint32', 'qint8', 'qr', 'quantization', 'quantize',
'quantize_v2', 'quantized_concat', 'queue', 'quint16', 'quint8', 'ragged', 'ragged_fill_empty_rows',
'ragged_fill_empty_rows_grad', 'random', 'random_crop', 'random_gamma', 'random_index_shuffle', 'random_normal',
'random_normal_initializer', 'random_poisson', 'random_shuffle', 'random_uniform', 'random_uniform_initializer',
'range', 'rank', 'raw_ops', 'read_file', 'real', 'realdiv', 'reciprocal', 'recompute_grad', 'reduce_all', 'reduce_any',
'reduce_join', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_sum',
'regex_replace', 'register_tensor_conversion_function', 'repeat', 'report_uninitialized_variables',
'required_space_to_batch_paddings', 'reset_default_graph', 'reshape', 'resource', 'resource_loader',
'resource_variables_enabled', 'reverse', 'reverse_sequence', 'reverse_v2', 'rfftnd', 'rint', 'roll', 'round', 'rsqrt',
'saturate_cast', 'saved_model', 'scalar_mul', 'scan', 'scatter_add', 'scatter_div', 'scatter_max', 'scatter_min',
'scatter_mul', 'scatter_nd', 'scatter_nd_add', 'scatter_nd_sub', 'scatter_nd_update', 'scatter_sub', 'scatter_update',
'searchsorted', 'segment_max', 'segment_mean', 'segment_min', 'segment_prod', 'segment_sum', 'self_adjoint_eig',
'self_adjoint_eigvals', 'sequence_mask', 'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor',
'set_random_seed', 'setdiff1d', 'sets', 'shape', 'shape_n', 'sigmoid', 'sign', 'signal', 'sin', 'sinh', 'size', 'slice',
'sort', 'space_to_batch', 'space_to_batch_nd', 'space_to_depth', 'sparse', 'sparse_add', 'sparse_concat',
'sparse_fill_empty_rows', 'sparse_mask', 'sparse_matmul', 'sparse_maximum', 'sparse_merge', 'sparse_minimum',
'sparse_placeholder', 'sparse_reduce_max', 'sparse_reduce_max_sparse', 'sparse_reduce_sum', 'sparse_reduce_sum_sparse',
'sparse_reorder', 'sparse_reset_shape', 'sparse_reshape', 'sparse_retain', 'sparse_segment_mean',
'sparse_segment_sqrt_n', 'sparse_segment_sum', 'sparse_slice', 'sparse_softmax', 'sparse_split',
'sparse_tensor_dense_matmul', 'sparse_tensor_to_dense', 'sparse_to_dense', 'sparse_to_indicator', 'sparse_transpose',
'spectral', 'split', 'sqrt', 'square', 'squared_difference', 'squeeze', 'stack', 'stop_gradient', 'strict_broadcasting',
'strided_slice', 'string', 'string_join', 'string_split', 'string_strip', 'string_to_hash_bucket',
'string_to_hash_bucket_fast', 'string_to_hash_bucket_strong', 'string_to_number', 'strings', 'substr', 'subtract',
'summary', 'svd', 'switch_case', 'sysconfig', 'tables_initializer', 'tan', 'tanh', 'tensor_scatter_add',
'tensor_scatter_max', 'tensor_scatter_min', 'tensor_scatter_nd_add', 'tensor_scatter_nd_max', 'tensor_scatter_nd_min',
'tensor_scatter_nd_sub', 'tensor_scatter_nd_update', 'tensor_scatter_sub', 'tensor_scatter_update', 'tensordot', 'test',
'tile', 'timeline', 'timestamp', 'to_bfloat16', 'to_complex128', 'to_complex64', 'to_double', 'to_float', 'to_int32',
'to_int64', 'trace', 'train', 'trainable_variables', 'transpose', 'truediv', 'truncated_normal',
'truncated_normal_initializer', 'truncatediv', 'truncatemod', 'tuple', 'type_spec_from_value', 'uint16', 'uint32',
'uint64', 'uint8', 'uniform_unit_scaling_initializer', 'unique', 'unique_with_counts', 'unravel_index',
'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min', 'unsorted_segment_prod',
'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'unstack', 'variable_axis_size_partitioner',
'variable_creator_scope', 'variable_op_scope', 'variable_scope', 'variables_initializer',
'variance_scaling_initializer', 'variant', 'vectorized_map', 'verify_tensor_all_finite', 'version', 'where', 'where_v2',
'while_loop', 'write_file', 'zeros', 'zeros_initializer', 'zeros_like', 'zeta'
]

class _Message:
    """A protocol buffer."""
    DESCRIPTOR: _Any
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self, other_msg: _Any) -> None: ...
    def DiscardUnknownFields(self) -> None: ...
    @classmethod
    def FromString(cls, s: bytes) -> _Any: ...
    def HasField(self, field_name: str) -> builtins.bool: ...
    def IsInitialized(self) -> builtins.bool: ...
    def ListFields(self) -> list[_Any]: ...
    def MergeFrom(self, other_msg: _Any) -> None: ...
    def MergeFromString(self, serialized: bytes) -> int: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializePartialToString(self, *, deterministic: _Any = None) -> bytes: ...
    def SerializeToString(self, *, deterministic: _Any = None) -> bytes: ...
    def SetInParent(self) -> None: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...

AUTO_REUSE: _Any

class AggregationMethod:
    """How gradients from several users of a tensor are added. Accepted for compatibility: all methods add with AddN."""
    ADD_N: _Any
    DEFAULT: _Any
    EXPERIMENTAL_ACCUMULATE_N: _Any
    EXPERIMENTAL_TREE: _Any

def Assert(condition: _Any, data: _Any, summarize: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails with InvalidArgumentError unless `condition` is true."""

class AttrValue(_Message):
    """What an attribute is."""
    def __init__(self, **fields: _Any) -> None: ...
    ListValue: _Any
    b: builtins.bool
    f: float
    func: _Any
    i: int
    list: _Any
    placeholder: str
    s: bytes
    shape: _Any
    tensor: _Any
    type: int

COMPILER_VERSION: str

CXX11_ABI_FLAG: int

CXX_VERSION: int

class ClusterDef(_Message):
    """The jobs of a cluster."""
    def __init__(self, **fields: _Any) -> None: ...
    job: _Any

class CollectionDef(_Message):
    """A collection of a graph: names of nodes, numbers, or serialized messages."""
    def __init__(self, **fields: _Any) -> None: ...
    AnyList: _Any
    BytesList: _Any
    FloatList: _Any
    Int64List: _Any
    NodeList: _Any
    any_list: _Any
    bytes_list: _Any
    float_list: _Any
    int64_list: _Any
    node_list: _Any

class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients."""
    def __init__(self, dtype: _Any, shape: _Any = None, shared_name: _Any = None, name: str | None = 'conditional_accumulator', reduction_type: _Any = 'MEAN') -> None: ...
    def apply_grad(self, grad: _Any, local_step: _Any = 0, name: str | None = None) -> Operation:
        """Adds a gradient, or drops it if it is stale."""
    def take_grad(self, num_required: _Any, name: str | None = None) -> Tensor:
        """Waits for gradients, and removes and returns their mean or sum."""

class ConditionalAccumulatorBase:
    """Base class of accumulators."""
    def __init__(self, dtype: _Any, shape: _Any, accumulator_ref: _Any) -> None: ...
    @property
    def accumulator_ref(self) -> _Any:
        """The handle."""
    @property
    def dtype(self) -> _Any:
        """Type of the gradients."""
    @property
    def name(self) -> _Any:
        """The last part of the name of the operation that makes the handle."""
    def num_accumulated(self, name: str | None = None) -> Tensor:
        """The number of gradients in the sum."""
    def set_global_step(self, new_global_step: _Any, name: str | None = None) -> Operation:
        """Sets the accumulator's step."""

class ConfigProto(_Message):
    """Options of a Session."""
    def __init__(self, **fields: _Any) -> None: ...
    Experimental: _Any
    allow_soft_placement: builtins.bool
    cluster_def: _Any
    device_count: _Any
    device_filters: _Any
    experimental: _Any
    gpu_options: _Any
    graph_options: _Any
    inter_op_parallelism_threads: int
    intra_op_parallelism_threads: int
    isolate_session_state: builtins.bool
    log_device_placement: builtins.bool
    memory_limit_in_bytes: int
    operation_timeout_in_ms: int
    placement_period: int
    pluggable_device_options: _Any
    rpc_options: _Any
    session_inter_op_thread_pool: _Any
    share_cluster_devices_in_session: builtins.bool
    use_per_session_threads: builtins.bool

class DType:
    """The type of the elements of a tensor, or of a reference to a variable (`_ref` types)."""
    def __int__(self) -> int: ...
    def __new__(cls, type_enum: _Any, handle_data: _Any = None) -> DType: ...
    as_datatype_enum: _Any
    as_numpy_dtype: _Any
    base_dtype: _Any
    @property
    def is_bool(self) -> builtins.bool:
        """Whether it is the boolean type."""
    def is_compatible_with(self, other: _Any) -> builtins.bool:
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
    def is_numeric(self) -> builtins.bool:
        """Whether it is a type of numbers: not boolean, string, resource or variant."""
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
    def limits(self) -> _Any:
        """The range of values of an image of this type: (0, 1) for floating-point, else (0, largest)."""
    @property
    def max(self) -> _Any:
        """The largest representable value."""
    @property
    def min(self) -> _Any:
        """The smallest representable value."""
    name: _Any
    @property
    def real_dtype(self) -> _Any:
        """The type of the real part: float32 for complex64, float64 for complex128, else itself."""
    size: _Any

class Declare:
    """A function that is defined later by `Defun` with the same name; needed for mutual recursion."""
    def __call__(self, *args: _Any, **kwargs: _Any) -> _Any:
        """Adds a call to the default graph, like a function made by `Defun`."""
    def __init__(self, func_name: _Any, inputs: _Any, outputs: _Any) -> None: ...
    @property
    def name(self) -> _Any:
        """The name of the function."""
    @property
    def op_def(self) -> _Any:
        """The definition of its calls."""

class Defun:
    """Decorator: makes a graph function of a Python function that adds operations to the default graph."""
    def __call__(self, func: _Any) -> _Any: ...
    def __init__(self, *input_types: _Any, **kwargs: _Any) -> None: ...

class DeviceSpec:
    """A device name, possibly partial, such as `/job:worker/replica:0/task:1/device:CPU:0`. Missing parts are None."""
    def __init__(self, job: _Any = None, replica: _Any = None, task: _Any = None, device_type: _Any = None, device_index: _Any = None) -> None: ...
    @property
    def device_index(self) -> _Any:
        """The index of the device among those of its type."""
    @device_index.setter
    def device_index(self, value: _Any) -> None: ...
    @property
    def device_type(self) -> _Any:
        """The type of the device."""
    @device_type.setter
    def device_type(self, value: _Any) -> None: ...
    @classmethod
    def from_string(cls, spec: _Any) -> _Any:
        """Parses a device name."""
    @property
    def job(self) -> _Any:
        """The name of the job."""
    @job.setter
    def job(self, value: _Any) -> None: ...
    def make_merged_spec(self, dev: _Any) -> _Any:
        """A copy, overridden by the parts that another spec sets."""
    def merge_from(self, dev: _Any) -> _Any:
        """Overrides the parts that another spec sets."""
    def parse_from_string(self, spec: _Any) -> _Any:
        """Sets all parts from a device name."""
    def replace(self, **kwargs: _Any) -> _Any:
        """A copy with some parts replaced."""
    @property
    def replica(self) -> _Any:
        """The index of the replica."""
    @replica.setter
    def replica(self, value: _Any) -> None: ...
    @property
    def task(self) -> _Any:
        """The index of the task."""
    @task.setter
    def task(self, value: _Any) -> None: ...
    def to_string(self) -> str:
        """The canonical name."""

class Dimension:
    """The size of one dimension of a tensor: a non-negative int, or None if it is unknown."""
    def __add__(self, other: _Any) -> _Any: ...
    def __floordiv__(self, other: _Any) -> _Any: ...
    def __ge__(self, other: _Any) -> _Any: ...
    def __gt__(self, other: _Any) -> _Any: ...
    def __init__(self, value: _Any) -> None: ...
    def __int__(self) -> int: ...
    def __le__(self, other: _Any) -> _Any: ...
    def __lt__(self, other: _Any) -> _Any: ...
    def __mod__(self, other: _Any) -> _Any: ...
    def __mul__(self, other: _Any) -> _Any: ...
    def __radd__(self, other: _Any) -> _Any: ...
    def __rfloordiv__(self, other: _Any) -> _Any: ...
    def __rmod__(self, other: _Any) -> _Any: ...
    def __rmul__(self, other: _Any) -> _Any: ...
    def __rsub__(self, other: _Any) -> _Any: ...
    def __rtruediv__(self, other: _Any) -> _Any: ...
    def __sub__(self, other: _Any) -> _Any: ...
    def __truediv__(self, other: _Any) -> _Any: ...
    def assert_is_compatible_with(self, other: _Any) -> _Any:
        """Checks that two sizes are compatible."""
    def is_compatible_with(self, other: _Any) -> builtins.bool:
        """Whether two sizes are equal or at least one is unknown."""
    def merge_with(self, other: _Any) -> _Any:
        """Combines what is known about two compatible sizes."""
    @property
    def value(self) -> _Any:
        """The size as an int, or None if it is unknown."""

class Event(_Message):
    """A record of an event file. `graph_def`, `meta_graph_def` and `run_metadata` are serialized messages."""
    def __init__(self, **fields: _Any) -> None: ...
    file_version: str
    graph_def: bytes
    log_message: _Any
    meta_graph_def: bytes
    session_log: _Any
    source_metadata: _Any
    step: int
    summary: _Any
    tagged_run_metadata: _Any
    wall_time: float

class FIFOQueue(QueueBase):
    """A queue that elements leave in the order in which they came."""
    def __init__(self, capacity: _Any, dtypes: _Any, shapes: _Any = None, names: _Any = None, shared_name: _Any = None, name: str | None = 'fifo_queue') -> None: ...

class FixedLenFeature(builtins.tuple):
    """A feature with a fixed number of values, which becomes a `Tensor`."""
    def __new__(_cls, shape: _Any, dtype: _Any, default_value: _Any = None) -> FixedLenFeature:
        """Create new instance of FixedLenFeature(shape, dtype, default_value)"""
    default_value: _Any
    dtype: _Any
    shape: _Any

class FixedLenSequenceFeature(builtins.tuple):
    """A feature with any number of rows of one shape, which becomes a `Tensor`, padded to the longest example."""
    def __new__(_cls, shape: _Any, dtype: _Any, allow_missing: _Any = False, default_value: _Any = None) -> FixedLenSequenceFeature:
        """Create new instance of FixedLenSequenceFeature(shape, dtype, allow_missing, default_value)"""
    allow_missing: _Any
    default_value: _Any
    dtype: _Any
    shape: _Any

class FixedLengthRecordReader(ReaderBase):
    """A reader whose records have a fixed number of bytes. Keys are "file:number", from 0."""
    def __init__(self, record_bytes: _Any, header_bytes: _Any = None, footer_bytes: _Any = None, hop_bytes: _Any = None, name: str | None = None, encoding: _Any = None) -> None: ...

class FunctionDef(_Message):
    """A function: its signature, its nodes, and which of their outputs it returns."""
    def __init__(self, **fields: _Any) -> None: ...
    ArgAttrs: _Any
    arg_attr: _Any
    attr: _Any
    control_ret: _Any
    node_def: _Any
    resource_arg_unique_id: _Any
    ret: _Any
    signature: _Any

class FunctionDefLibrary(_Message):
    """The functions of a graph, and those that compute gradients of others."""
    def __init__(self, **fields: _Any) -> None: ...
    function: _Any
    gradient: _Any
    registered_gradients: _Any

GIT_VERSION: str

class GPUOptions(_Message):
    """Options for GPUs; those of the first session that uses one, or of the server, hold for the process."""
    def __init__(self, **fields: _Any) -> None: ...
    Experimental: _Any
    allocator_type: str
    allow_growth: builtins.bool
    deferred_deletion_bytes: int
    disable_cuda_graphs: builtins.bool
    experimental: _Any
    force_gpu_compatible: builtins.bool
    per_process_gpu_memory_fraction: float
    polling_active_delay_usecs: int
    polling_inactive_delay_msecs: int
    visible_device_list: str

GRAPH_DEF_VERSION: int

GRAPH_DEF_VERSION_MIN_CONSUMER: int

GRAPH_DEF_VERSION_MIN_PRODUCER: int

class GradientTape:
    """Records operations, for gradients through them and no others."""
    def __enter__(self) -> GradientTape: ...
    def __exit__(self, kind: _Any, error: _Any, traceback: _Any) -> None: ...
    def __init__(self, persistent: _Any = False, watch_accessed_variables: _Any = True) -> None: ...
    def batch_jacobian(self, target: _Any, source: _Any, unconnected_gradients: _Any = ..., parallel_iterations: _Any = None, experimental_use_pfor: _Any = True) -> Tensor:
        """Adds operations that compute the gradients of each example's targets by the same example's sources."""
    def gradient(self, target: _Any, sources: _Any, output_gradients: _Any = None, unconnected_gradients: _Any = ...) -> Tensor:
        """Adds operations that compute the gradient of the sum of `target`."""
    def jacobian(self, target: _Any, sources: _Any, unconnected_gradients: _Any = ..., parallel_iterations: _Any = None, experimental_use_pfor: _Any = True) -> Tensor:
        """Adds operations that compute the gradient of each element of `target`, in a loop."""
    def reset(self) -> _Any:
        """Forgets all that was recorded and watched."""
    def stop_recording(self) -> _Any:
        """A `with` block whose operations are not recorded."""
    def watch(self, tensor: _Any) -> _Any:
        """Watches tensors from now on."""
    def watched_variables(self) -> _Any:
        """The variables that are watched, each once."""

class Graph:
    """A dataflow graph: operations as nodes, the tensors that flow between them as edges."""
    def __init__(self) -> None: ...
    def add_operation(self, op_def: _Any, inputs: _Any, attrs: _Any, output_dtypes: _Any, name: str | None = None) -> Operation:
        """Adds an operation whose inputs and attributes are final. Most callers call an `OpDef` instead."""
    def add_to_collection(self, name: _Any, value: _Any) -> _Any:
        """Adds a value to a collection."""
    def add_to_collections(self, names: _Any, value: _Any) -> _Any:
        """Adds a value to several collections."""
    def as_default(self) -> _Any:
        """A context manager that makes this graph the thread's default graph."""
    def as_graph_def(self, from_version: _Any = None, add_shapes: _Any = False, use_pybind11_proto: _Any = False) -> _Any:
        """Serialises the graph as a GraphDef protocol buffer."""
    def as_graph_element(self, obj: _Any, allow_tensor: _Any = True, allow_operation: _Any = True) -> _Any:
        """The `Tensor` or `Operation` that an object is, stands for, or names."""
    @property
    def building_function(self) -> builtins.bool:
        """Whether this is the body of a function, in which values of outer graphs may be used."""
    def clear_collection(self, name: _Any) -> _Any:
        """Removes all items of a collection."""
    @property
    def collections(self) -> _Any:
        """The names of all collections."""
    def colocate_with(self, op: _Any, ignore_existing: _Any = False) -> _Any:
        """A context manager that places new operations on the device of another."""
    def container(self, container_name: _Any) -> _Any:
        """A context manager: new stateful operations keep their state in the given container of their device."""
    def control_dependencies(self, control_inputs: _Any) -> _Any:
        """A context manager that makes new operations run after others."""
    def create_op(self, op_type: _Any, inputs: _Any, dtypes: _Any = None, input_types: _Any = None, name: str | None = None, attrs: _Any = None, op_def: _Any = None, compute_shapes: _Any = True, compute_device: _Any = True) -> Operation:
        """Adds an operation of any registered type. Calling `tf.raw_ops` is simpler."""
    def device(self, device_name_or_function: _Any) -> _Any:
        """A context manager that requests a device for new operations."""
    def finalize(self) -> _Any:
        """Makes the graph read-only: every attempt to add to it raises RuntimeError."""
    @property
    def finalized(self) -> builtins.bool:
        """Whether the graph is read-only."""
    def get_all_collection_keys(self) -> _Any:
        """The names of all collections."""
    def get_collection(self, name: _Any, scope: _Any = None) -> _Any:
        """A copy of a collection."""
    def get_collection_ref(self, name: _Any) -> _Any:
        """The list that holds a collection, created if there is none. Changes to it change the collection."""
    def get_name_scope(self) -> str:
        """The current name scope of this thread."""
    def get_operation_by_name(self, name: _Any) -> Operation:
        """Finds an operation by name."""
    def get_operations(self) -> _Any:
        """The operations of the graph in the order of their creation."""
    def get_tensor_by_name(self, name: _Any) -> Tensor:
        """Finds a tensor by name."""
    gradient_functions: _Any
    def gradient_override_map(self, op_type_map: _Any) -> _Any:
        """A context manager that replaces the gradient functions of new operations."""
    @property
    def graph_def_versions(self) -> _Any:
        """The VersionDef of the GraphDef that `as_graph_def` makes."""
    imported_versions: _Any
    incomplete_ops: _Any
    inlined_bodies: _Any
    def is_feedable(self, tensor: _Any) -> builtins.bool:
        """Whether sessions accept values for a tensor."""
    def is_fetchable(self, tensor_or_op: _Any) -> builtins.bool:
        """Whether sessions may fetch a tensor or run an operation."""
    kinds_of_functions: _Any
    def modified(self) -> _Any:
        """Says that existing operations have changed, so that plans are compiled again."""
    mutation_version: _Any
    def name_scope(self, name: _Any) -> _Any:
        """A context manager that prefixes the names of operations."""
    ops: _Any
    def prevent_feeding(self, tensor: _Any) -> _Any:
        """Marks a tensor as not feedable."""
    def prevent_fetching(self, op: _Any) -> _Any:
        """Marks an operation as not fetchable."""
    py_functions: _Any
    @property
    def scopes(self) -> _Any:
        """The scopes that this thread has open on the graph."""
    seed: _Any
    def unique_name(self, name: _Any, mark_as_used: _Any = True) -> str:
        """Makes a name unique within the current name scope by a suffix `_1`, `_2`, ..."""
    @property
    def version(self) -> _Any:
        """The number of operations: it grows whenever an operation is added."""

class GraphDef(_Message):
    """A graph: nodes in any order, the functions that they call, and versions."""
    def __init__(self, **fields: _Any) -> None: ...
    debug_info: _Any
    library: _Any
    node: _Any
    version: int
    versions: _Any

class GraphGrowthWarning(builtins.UserWarning):
    """A loop adds operations to a graph that a session runs."""

class GraphKeys:
    """Names of the standard collections."""
    ACTIVATIONS: _Any
    ASSET_FILEPATHS: _Any
    BIASES: _Any
    CONCATENATED_VARIABLES: _Any
    COND_CONTEXT: _Any
    EVAL_STEP: _Any
    GLOBAL_STEP: _Any
    GLOBAL_VARIABLES: _Any
    INIT_OP: _Any
    LOCAL_INIT_OP: _Any
    LOCAL_RESOURCES: _Any
    LOCAL_VARIABLES: _Any
    LOSSES: _Any
    METRIC_VARIABLES: _Any
    MODEL_VARIABLES: _Any
    MOVING_AVERAGE_VARIABLES: _Any
    QUEUE_RUNNERS: _Any
    READY_FOR_LOCAL_INIT_OP: _Any
    READY_OP: _Any
    REGULARIZATION_LOSSES: _Any
    RESOURCES: _Any
    SAVEABLE_OBJECTS: _Any
    SAVERS: _Any
    SUMMARIES: _Any
    SUMMARY_OP: _Any
    TABLE_INITIALIZERS: _Any
    TRAINABLE_VARIABLES: _Any
    TRAIN_OP: _Any
    UPDATE_OPS: _Any
    VARIABLES: _Any
    WEIGHTS: _Any
    WHILE_CONTEXT: _Any

class GraphOptions(_Message):
    """Options for rewriting and placing graphs: see OptimizerOptions, RewriterConfig and ConfigProto."""
    def __init__(self, **fields: _Any) -> None: ...
    build_cost_model: int
    build_cost_model_after: int
    enable_bfloat16_sendrecv: builtins.bool
    enable_recv_scheduling: builtins.bool
    infer_shapes: builtins.bool
    optimizer_options: _Any
    place_pruned_graph: builtins.bool
    rewrite_options: _Any
    timeline_step: int

class HistogramProto(_Message):
    """A histogram: bucket[i] values are at most bucket_limit[i], and more than the limit before."""
    def __init__(self, **fields: _Any) -> None: ...
    bucket: _Any
    bucket_limit: _Any
    max: float
    min: float
    num: float
    sum: float
    sum_squares: float

class IdentityReader(ReaderBase):
    """A reader that gives out what the queue has, as key and as value."""
    def __init__(self, name: str | None = None) -> None: ...

class IndexedSlices:
    """Slices of a larger dense tensor: slice `indices[i]` of it is `values[i]`."""
    def __init__(self, values: _Any, indices: _Any, dense_shape: _Any = None) -> None: ...
    def __neg__(self) -> _Any: ...
    def components(self) -> _Any:
        """The tensors that it consists of."""
    def consumers(self) -> _Any:
        """The operations that take the values as an input."""
    @property
    def dense_shape(self) -> _Any:
        """The shape of the dense tensor, a `Tensor` or None."""
    @property
    def device(self) -> _Any:
        """The device of `values`."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def indices(self) -> _Any:
        """The indices of the slices, a `Tensor` of shape [n]."""
    @property
    def name(self) -> _Any:
        """The name of `values`."""
    @property
    def op(self) -> Operation:
        """The `Operation` that computes `values`."""
    @property
    def shape(self) -> _Any:
        """The static shape of the dense tensor, a `TensorShape`."""
    @property
    def values(self) -> _Any:
        """The slices, a `Tensor` of shape [n, ...]."""
    def with_components(self, tensors: _Any) -> IndexedSlices:
        """One of other tensors."""

class IndexedSlicesSpec(TypeSpec):
    """What is known of an `IndexedSlices`."""
    def __init__(self, shape: _Any = None, dtype: _Any = ..., indices_dtype: _Any = ..., dense_shape_dtype: _Any = None, indices_shape: _Any = None) -> None: ...
    @classmethod
    def from_value(cls, value: _Any) -> _Any:
        """The specification of a value."""
    @property
    def value_type(self) -> _Any:
        """`IndexedSlices`."""

class IndexedSlicesValue(builtins.tuple):
    """The value of an `IndexedSlices`, as returned by sessions. `dense_shape` may be None."""
    def __new__(_cls, values: _Any, indices: _Any, dense_shape: _Any) -> IndexedSlicesValue:
        """Create new instance of IndexedSlicesValue(values, indices, dense_shape)"""
    dense_shape: _Any
    indices: _Any
    values: _Any

class InteractiveSession:
    """A session that makes itself the default, for use in a shell."""
    def __init__(self, target: _Any = '', graph: _Any = None, config: _Any = None) -> None: ...
    def as_default(self) -> _Any:
        """Within the `with` block this is the thread's default session; it stays open afterwards."""
    checks_numerics: _Any
    def close(self) -> _Any: ...
    @property
    def graph(self) -> _Any: ...
    @property
    def graph_def(self) -> _Any: ...
    def list_devices(self) -> _Any:
        """The devices for operations: objects with `name`, `device_type`, `memory_limit_bytes`."""
    def make_callable(self, fetches: _Any, feed_list: _Any = None, accept_options: _Any = False, fetch_devices: _Any = None) -> _Any:
        """A function that runs `fetches`; its arguments are the values for the tensors of `feed_list`, in order."""
    def note_end(self, queue: _Any, why: _Any) -> _Any:
        """Notes why nothing more comes into a queue, for the errors of those who take from it."""
    def partial_run(self, handle: _Any, fetches: _Any, feed_dict: _Any = None) -> _Any:
        """Continues a partial run: takes more feeds and computes more fetches, each only once."""
    def partial_run_setup(self, fetches: _Any, feeds: _Any = None) -> _Any:
        """Prepares a step that partial_run() then runs in pieces; see tfcore.client.partial."""
    @staticmethod
    def reset(target: _Any, containers: _Any = None, config: _Any = None) -> _Any:
        """Clears containers (all by default) in all tasks of a cluster. State in this process ends with its Session."""
    def run(self, fetches: _Any, feed_dict: _Any = None, options: _Any = None, run_metadata: _Any = None) -> _Any:
        """Computes `fetches` and returns their values in the same structure."""
    @property
    def sess_str(self) -> _Any: ...

class JobDef(_Message):
    """The tasks of a job: number -> address."""
    def __init__(self, **fields: _Any) -> None: ...
    name: str
    tasks: _Any

class LMDBReader(ReaderBase):
    """A reader of LMDB databases: files, or folders with a file "data.mdb". Keys and values are those of the database."""
    def __init__(self, name: str | None = None, options: _Any = None) -> None: ...

class LogMessage(_Message):
    """message LogMessage {
      enum Level {
        UNKNOWN = 0;
        DEBUGGING = 10;
        INFO = 20;
        WARN = 30;
        ERROR = 40;
        FATAL = 50;
      }"""
    def __init__(self, **fields: _Any) -> None: ...
    DEBUGGING: int
    ERROR: int
    FATAL: int
    INFO: int
    Level: _Any
    UNKNOWN: int
    WARN: int
    level: int
    message: str

MONOLITHIC_BUILD: int

class MetaGraphDef(_Message):
    """A graph, and what is needed to use it."""
    def __init__(self, **fields: _Any) -> None: ...
    MetaInfoDef: _Any
    asset_file_def: _Any
    collection_def: _Any
    graph_def: _Any
    meta_info_def: _Any
    object_graph_def: _Any
    saver_def: _Any
    signature_def: _Any

class Module:
    """Base class of objects that have variables and other modules as attributes, also in lists, tuples and dicts."""
    def __init__(self, name: str | None = None) -> None: ...
    @property
    def name(self) -> _Any:
        """The name given to the constructor."""
    @property
    def name_scope(self) -> _Any:
        """The name scope of the module, for a `with` statement."""
    @property
    def non_trainable_variables(self) -> _Any:
        """The variables that are not trained, a tuple."""
    @property
    def submodules(self) -> _Any:
        """All modules below this one, a tuple."""
    @property
    def trainable_variables(self) -> _Any:
        """The variables that are trained, a tuple."""
    @property
    def variables(self) -> _Any:
        """All variables of the module and the modules below it, a tuple."""
    @classmethod
    def with_name_scope(cls, method: _Any) -> _Any:
        """Decorator: a method runs in the name scope of its module."""

class NameAttrList(_Message):
    """A function with values for its attributes."""
    def __init__(self, **fields: _Any) -> None: ...
    attr: _Any
    name: str

def NoGradient(op_type: _Any) -> _Any:
    """Declares that an op type has no gradient: `tf.gradients` stops at such operations."""

class NodeDef(_Message):
    """A node. An input is "node", "node:output" or "^node", a control input; these come last."""
    def __init__(self, **fields: _Any) -> None: ...
    ExperimentalDebugInfo: _Any
    attr: _Any
    device: str
    experimental_debug_info: _Any
    experimental_type: _Any
    input: _Any
    name: str
    op: str

class NoneTensorSpec(TypeSpec):
    """The type of None."""
    @classmethod
    def from_value(cls, value: _Any) -> _Any:
        """The specification of None."""
    def is_compatible_with(self, spec_or_value: _Any) -> builtins.bool:
        """Whether a value is None, or a specification that of None."""
    @property
    def value_type(self) -> _Any:
        """The class of None."""

NotDifferentiable = NoGradient

class OpDef(_Message):
    """The definition of an operation type: its inputs, outputs and attributes."""
    def __init__(self, **fields: _Any) -> None: ...
    ArgDef: _Any
    AttrDef: _Any
    allows_uninitialized_input: builtins.bool
    attr: _Any
    control_output: _Any
    deprecation: _Any
    description: str
    input_arg: _Any
    is_aggregate: builtins.bool
    is_commutative: builtins.bool
    is_distributed_communication: builtins.bool
    is_stateful: builtins.bool
    name: str
    output_arg: _Any
    summary: str

class OpError(builtins.Exception):
    """A step failed. Subclasses say why."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any, *args: _Any) -> None: ...
    @property
    def error_code(self) -> _Any:
        """The status code, an int."""
    @property
    def experimental_payloads(self) -> _Any:
        """A dict of further details, empty by default."""
    @property
    def message(self) -> _Any:
        """The text of the error."""
    @property
    def node_def(self) -> _Any:
        """The NodeDef of the operation that failed, or None."""
    @property
    def op(self) -> Operation:
        """The `Operation` that failed, or None."""

class OpList(_Message):
    """message OpList {
      repeated OpDef op = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    op: _Any

class Operation:
    """A node of a graph. Programs add operations by calling functions such as `tf.matmul`."""
    def __init__(self, node_def: _Any, g: _Any, inputs: _Any = None, output_types: _Any = None, control_inputs: _Any = None, input_types: _Any = None, original_op: _Any = None, op_def: _Any = None) -> None: ...
    attrs: _Any
    def colocation_groups(self) -> _Any:
        """The colocation groups of the operation."""
    @property
    def control_inputs(self) -> _Any:
        """The list of `Operation`s that run before this one."""
    controls: _Any
    @property
    def creation_line(self) -> _Any:
        """The user's line that created the operation, as "file:line in function"; "" if unknown."""
    @property
    def device(self) -> _Any:
        """The requested device, "" for none."""
    frames: _Any
    def get_attr(self, name: _Any) -> _Any:
        """The value of an attribute."""
    graph: _Any
    inputs: _Any
    name: _Any
    @property
    def node_def(self) -> _Any:
        """The operation as a NodeDef."""
    op_def: _Any
    outputs: _Any
    requested_device: _Any
    def run(self, feed_dict: _Any = None, session: _Any = None) -> _Any:
        """Runs the operation: short for `session.run(op, feed_dict)`."""
    @property
    def traceback(self) -> _Any:
        """The user's frames in which it was created: (file, line, function, None) tuples, outermost first."""
    type: _Any
    def values(self) -> _Any:
        """The outputs."""

class OptimizerOptions(_Message):
    """Whole-graph switches: `opt_level=L0` turns every rewrite off."""
    def __init__(self, **fields: _Any) -> None: ...
    DEFAULT: int
    GlobalJitLevel: _Any
    L0: int
    L1: int
    Level: _Any
    OFF: int
    ON_1: int
    ON_2: int
    cpu_global_jit: builtins.bool
    do_common_subexpression_elimination: builtins.bool
    do_constant_folding: builtins.bool
    do_function_inlining: builtins.bool
    global_jit_level: int
    max_folded_constant_in_bytes: int
    opt_level: int

class OptionalSpec(TypeSpec):
    """What is known of an `Optional`: the structure of its value."""
    def __init__(self, element_spec: _Any) -> None: ...
    @staticmethod
    def from_value(value: _Any) -> _Any:
        """The specification of an `Optional`."""
    @property
    def value_type(self) -> _Any:
        """`tf.data.experimental.Optional`."""

class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue of elements that differ in size. Batches are padded with zeros."""
    def __init__(self, capacity: _Any, dtypes: _Any, shapes: _Any, names: _Any = None, shared_name: _Any = None, name: str | None = 'padding_fifo_queue') -> None: ...

def Print(input_: _Any, data: _Any, message: _Any = None, first_n: _Any = None, summarize: _Any = None, name: str | None = None) -> Tensor:
    """Passes `input_` on; when it is evaluated, prints `message` and `data` to standard error."""

class PriorityQueue(QueueBase):
    """A queue that elements leave in the order of their priorities, the least first; equal ones as they came."""
    def __init__(self, capacity: _Any, types: _Any, shapes: _Any = None, names: _Any = None, shared_name: _Any = None, name: str | None = 'priority_queue') -> None: ...

QUANTIZED_DTYPES: _Any

class QueueBase:
    """Base class of queues, and a queue whose kind is not known."""
    def __init__(self, dtypes: _Any, shapes: _Any, names: _Any, queue_ref: _Any) -> None: ...
    def close(self, cancel_pending_enqueues: _Any = False, name: str | None = None) -> Operation:
        """Closes the queue: afterwards nothing can be added, and a wait for elements that can't come fails."""
    def dequeue(self, name: str | None = None) -> _Any:
        """Removes and returns an element; waits while there is none."""
    def dequeue_many(self, n: _Any, name: str | None = None) -> _Any:
        """Removes and returns several elements; waits until there are enough."""
    def dequeue_up_to(self, n: _Any, name: str | None = None) -> _Any:
        """Like `dequeue_many`, but once the queue is closed fewer elements than `n` will do, though at least one."""
    @property
    def dtypes(self) -> _Any:
        """List of the components' types."""
    def enqueue(self, vals: _Any, name: str | None = None) -> Operation:
        """Adds an element; waits while the queue is full."""
    def enqueue_many(self, vals: _Any, name: str | None = None) -> Operation:
        """Adds several elements, which are the rows of the components; waits while the queue is full."""
    @staticmethod
    def from_list(index: _Any, queues: _Any) -> _Any:
        """The queue that an index selects when an operation runs."""
    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed."""
    @property
    def name(self) -> _Any:
        """Name of the operation that makes the handle."""
    @property
    def names(self) -> _Any:
        """List of the components' names, or None."""
    @property
    def queue_ref(self) -> _Any:
        """The handle."""
    @property
    def shapes(self) -> _Any:
        """List of the components' shapes."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""

class RaggedTensor:
    """A tensor with one or more ragged dimensions: its rows have different lengths."""
    def __abs__(self, *args: _Any, **kwargs: _Any) -> _Any: ...
    def __add__(x, y: _Any) -> _Any: ...
    def __and__(x, y: _Any) -> _Any: ...
    def __floordiv__(x, y: _Any) -> _Any: ...
    def __ge__(x, y: _Any) -> _Any: ...
    def __getitem__(x, key: _Any) -> _Any: ...
    def __gt__(x, y: _Any) -> _Any: ...
    def __init__(self, values: _Any, row_partition: _Any, internal: _Any = False) -> None: ...
    def __invert__(self, *args: _Any, **kwargs: _Any) -> _Any: ...
    def __iter__(self) -> _Any: ...
    def __le__(x, y: _Any) -> _Any: ...
    def __lt__(x, y: _Any) -> _Any: ...
    def __mod__(x, y: _Any) -> _Any: ...
    def __mul__(x, y: _Any) -> _Any: ...
    def __neg__(self, *args: _Any, **kwargs: _Any) -> _Any: ...
    def __or__(x, y: _Any) -> _Any: ...
    def __pow__(x, y: _Any) -> _Any: ...
    def __radd__(x, y: _Any) -> _Any: ...
    def __rand__(x, y: _Any) -> _Any: ...
    def __rfloordiv__(x, y: _Any) -> _Any: ...
    def __rmod__(x, y: _Any) -> _Any: ...
    def __rmul__(x, y: _Any) -> _Any: ...
    def __ror__(x, y: _Any) -> _Any: ...
    def __rpow__(x, y: _Any) -> _Any: ...
    def __rsub__(x, y: _Any) -> _Any: ...
    def __rtruediv__(x, y: _Any) -> _Any: ...
    def __rxor__(x, y: _Any) -> _Any: ...
    def __sub__(x, y: _Any) -> _Any: ...
    def __truediv__(x, y: _Any) -> _Any: ...
    def __xor__(x, y: _Any) -> _Any: ...
    def bounding_shape(self, axis: _Any = None, name: str | None = None, out_type: _Any = None) -> _Any:
        """The shape of the smallest dense tensor that has room for all values."""
    def components(self) -> _Any:
        """The tensors that it consists of."""
    def consumers(self) -> _Any:
        """The operations that take one of its tensors as an input."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the values."""
    @property
    def flat_values(self) -> _Any:
        """The innermost values, a `Tensor`."""
    @classmethod
    def from_nested_row_lengths(cls, flat_values: _Any, nested_row_lengths: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values and the row lengths of several ragged dimensions."""
    @classmethod
    def from_nested_row_splits(cls, flat_values: _Any, nested_row_splits: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values and the row splits of several ragged dimensions."""
    @classmethod
    def from_nested_value_rowids(cls, flat_values: _Any, nested_value_rowids: _Any, nested_nrows: _Any = None, name: str | None = None, validate: _Any = True) -> _Any:
        """Values and the row ids of several ragged dimensions."""
    @classmethod
    def from_row_lengths(cls, values: _Any, row_lengths: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values, and how many of them each row has."""
    @classmethod
    def from_row_limits(cls, values: _Any, row_limits: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values, and where rows end."""
    @classmethod
    def from_row_splits(cls, values: _Any, row_splits: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values, and where rows begin and end."""
    @classmethod
    def from_row_starts(cls, values: _Any, row_starts: _Any, name: str | None = None, validate: _Any = True) -> _Any:
        """Values, and where rows begin."""
    @classmethod
    def from_sparse(cls, st_input: _Any, name: str | None = None, row_splits_dtype: _Any = ...) -> _Any:
        """A sparse matrix whose rows have values at their beginnings only, as a ragged one."""
    @classmethod
    def from_tensor(cls, tensor: _Any, lengths: _Any = None, padding: _Any = None, ragged_rank: _Any = 1, name: str | None = None, row_splits_dtype: _Any = ...) -> _Any:
        """A dense tensor as a ragged one, with or without what fills its rows."""
    @classmethod
    def from_uniform_row_length(cls, values: _Any, uniform_row_length: _Any, nrows: _Any = None, validate: _Any = True, name: str | None = None) -> _Any:
        """Values in rows of the same length: a dimension that is not ragged, outside of ragged ones."""
    @classmethod
    def from_value_rowids(cls, values: _Any, value_rowids: _Any, nrows: _Any = None, name: str | None = None, validate: _Any = True) -> _Any:
        """Values and, for each of them, the number of its row."""
    def get_shape(self) -> TensorShape:
        """The static shape."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    def merge_dims(self, outer_axis: _Any, inner_axis: _Any) -> _Any:
        """Joins neighbouring dimensions to one."""
    def nested_row_lengths(self, name: str | None = None) -> _Any:
        """The lengths of the rows of all ragged dimensions."""
    @property
    def nested_row_splits(self) -> _Any:
        """The splits of all ragged dimensions, a tuple of vectors, the outermost first."""
    def nested_value_rowids(self, name: str | None = None) -> _Any:
        """The row ids of all ragged dimensions."""
    def nrows(self, out_type: _Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
    def numpy(self) -> _Any:
        """Not in graphs: sessions return values."""
    @classmethod
    def of_partition(cls, values: _Any, partition: _Any, validate: _Any = False) -> _Any:
        """Values in the rows of a partition."""
    @property
    def partition(self) -> _Any:
        """The `RowPartition` of the outermost ragged dimension."""
    @property
    def partitions(self) -> _Any:
        """The partitions of all ragged dimensions, the outermost first."""
    @property
    def ragged_rank(self) -> _Any:
        """The number of ragged dimensions, an int."""
    def row_lengths(self, axis: _Any = 1, name: str | None = None) -> _Any:
        """The lengths of rows."""
    def row_limits(self, name: str | None = None) -> _Any:
        """Where rows end."""
    @property
    def row_splits(self) -> _Any:
        """Where rows begin and end, a vector `Tensor`."""
    def row_starts(self, name: str | None = None) -> _Any:
        """Where rows begin."""
    def set_static_shape(self, shape: _Any) -> _Any:
        """Notes what is known of the shape."""
    @property
    def shape(self) -> _Any:
        """The static shape, a `TensorShape`; None for ragged dimensions."""
    def to_list(self) -> _Any:
        """Not in graphs: sessions return values that have this method."""
    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A sparse tensor with the same values."""
    def to_tensor(self, default_value: _Any = None, name: str | None = None, shape: _Any = None) -> Tensor:
        """A dense tensor, in which `default_value` fills short rows."""
    @property
    def uniform_row_length(self) -> _Any:
        """The length of all rows, a scalar `Tensor`, or None if they differ."""
    def value_rowids(self, name: str | None = None) -> _Any:
        """For each value the number of its row."""
    @property
    def values(self) -> _Any:
        """The values of all rows, a `Tensor` or `RaggedTensor`."""
    def with_components(self, tensors: _Any) -> _Any:
        """One of other tensors."""
    def with_flat_values(self, new_values: _Any) -> _Any:
        """One with the same ragged dimensions, and other innermost values."""
    def with_row_splits_dtype(self, dtype: _Any) -> _Any:
        """The same ragged tensor, with row splits of another type."""
    def with_values(self, new_values: _Any) -> _Any:
        """One with the same rows, and other values."""

class RaggedTensorSpec(TypeSpec):
    """What is known of a `RaggedTensor`."""
    def __init__(self, shape: _Any = None, dtype: _Any = ..., ragged_rank: _Any = None, row_splits_dtype: _Any = ..., flat_values_spec: _Any = None) -> None: ...
    @property
    def dtype(self) -> DType:
        """The `DType` of the values."""
    @property
    def flat_values_spec(self) -> _Any:
        """The specification of the flat values, or None."""
    @classmethod
    def from_value(cls, value: _Any) -> _Any:
        """The specification of a value."""
    def from_variants(self, variants: _Any) -> _Any:
        """The values that a vector of variants holds, as rows of one ragged tensor."""
    def is_compatible_with(self, spec_or_value: _Any) -> builtins.bool:
        """Whether a value, or the values of another specification, may be of this type."""
    @property
    def ragged_rank(self) -> _Any:
        """The number of ragged dimensions, an int."""
    @property
    def row_splits_dtype(self) -> DType:
        """The `DType` of the row splits."""
    @property
    def shape(self) -> _Any:
        """The static shape, a `TensorShape`."""
    def to_variant(self, value: _Any) -> Tensor:
        """A value as a scalar variant, which `from_variants` makes it of again."""
    @property
    def value_type(self) -> _Any:
        """`RaggedTensor`, or `Tensor` if there are no ragged dimensions."""

class RandomShuffleQueue(QueueBase):
    """A queue that elements leave in random order; with seeds, in the same one as in TensorFlow."""
    def __init__(self, capacity: _Any, min_after_dequeue: _Any, dtypes: _Any, shapes: _Any = None, names: _Any = None, seed: _Any = None, shared_name: _Any = None, name: str | None = 'random_shuffle_queue') -> None: ...

class ReaderBase:
    """Base class of readers, which give out the records of files, as pairs (key, value)."""
    def __init__(self, reader_ref: _Any, supports_serialize: _Any = False) -> None: ...
    def num_records_produced(self, name: str | None = None) -> _Any:
        """How many records were read."""
    def num_work_units_completed(self, name: str | None = None) -> _Any:
        """How many files were read to their ends."""
    def read(self, queue: _Any, name: str | None = None) -> _Any:
        """The next record."""
    def read_up_to(self, queue: _Any, num_records: _Any, name: str | None = None) -> _Any:
        """The next records, all of one file: `num_records` of them, or those that are left."""
    @property
    def reader_ref(self) -> _Any:
        """The handle of the reader, a `Tensor`."""
    def reset(self, name: str | None = None) -> Operation:
        """Makes the reader forget its file and all counts."""
    def restore_state(self, state: _Any, name: str | None = None) -> Operation:
        """Gives the reader a state."""
    def serialize_state(self, name: str | None = None) -> _Any:
        """The state of the reader. The operation fails with UnimplementedError unless `supports_serialize`."""
    @property
    def supports_serialize(self) -> builtins.bool:
        """Whether the state of the reader can be saved."""

class RegisterGradient:
    """Decorator: registers the gradient function of an op type."""
    def __call__(self, f: _Any) -> _Any:
        """Registers `f` and returns it."""
    def __init__(self, op_type: _Any) -> None: ...

def RegisterShape(op_type: _Any) -> _Any:
    """Decorator: sets the shape function of an op type that a library defines."""

class RunMetadata:
    """Filled by `Session.run(..., options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=...)`."""
    def Clear(self) -> _Any:
        """Resets all fields, and forgets the trace."""
    def ClearField(self, field_name: _Any) -> _Any:
        """Resets a field to its default."""
    def CopyFrom(self, other_msg: _Any) -> _Any:
        """Becomes equal to another message."""
    @classmethod
    def FromString(cls, s: _Any) -> _Any:
        """The message that bytes stand for."""
    def MergeFrom(self, other_msg: _Any) -> _Any:
        """Takes over the fields that are set in another message; lists are appended."""
    def ParseFromString(self, serialized: _Any) -> _Any:
        """Becomes the message that bytes stand for."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self, **values: _Any) -> None: ...
    def memory_report(self) -> _Any:
        """Which operations allocated how much memory, and what was live at the peak."""
    def time_report(self) -> _Any:
        """Which operations, types and lines took how much time, and what the step waited for."""
    def to_proto(self) -> _Any:
        """The metadata as a plain message."""
    trace: _Any
    def write_timeline(self, path: _Any, show_dataflow: _Any = True, show_memory: _Any = True) -> _Any:
        """Writes the step to a file for ui.perfetto.dev or chrome://tracing."""

class RunOptions(_Message):
    """Options of one run."""
    def __init__(self, **fields: _Any) -> None: ...
    Experimental: _Any
    FULL_TRACE: int
    HARDWARE_TRACE: int
    NO_TRACE: int
    SOFTWARE_TRACE: int
    TraceLevel: _Any
    check_numerics: builtins.bool
    debug_options: _Any
    experimental: _Any
    inter_op_thread_pool: int
    output_partition_graphs: builtins.bool
    report_tensor_allocations_upon_oom: builtins.bool
    timeout_in_ms: int
    trace_level: int

class SaveSliceInfoDef(_Message):
    """The part of a partitioned variable that a variable is."""
    def __init__(self, **fields: _Any) -> None: ...
    full_name: str
    full_shape: _Any
    var_offset: _Any
    var_shape: _Any

class SaverDef(_Message):
    """The operations and tensors of a saver, and which checkpoints it keeps."""
    def __init__(self, **fields: _Any) -> None: ...
    CheckpointFormatVersion: _Any
    LEGACY: int
    V1: int
    V2: int
    filename_tensor_name: str
    keep_checkpoint_every_n_hours: float
    max_to_keep: int
    restore_op_name: str
    save_tensor_name: str
    sharded: builtins.bool
    version: int

class Session:
    """Runs operations of a graph. As a context manager it is the default session, and closes at the end."""
    def __enter__(self) -> Session: ...
    def __exit__(self, *exc: _Any) -> None: ...
    def __init__(self, target: _Any = '', graph: _Any = None, config: _Any = None) -> None: ...
    def as_default(self) -> _Any:
        """Within the `with` block this is the thread's default session; it stays open afterwards."""
    checks_numerics: _Any
    def close(self) -> _Any:
        """Releases the session's variables and plans. Running it afterwards is an error."""
    @property
    def graph(self) -> _Any: ...
    @property
    def graph_def(self) -> _Any: ...
    def list_devices(self) -> _Any:
        """The devices for operations: objects with `name`, `device_type`, `memory_limit_bytes`."""
    def make_callable(self, fetches: _Any, feed_list: _Any = None, accept_options: _Any = False, fetch_devices: _Any = None) -> _Any:
        """A function that runs `fetches`; its arguments are the values for the tensors of `feed_list`, in order."""
    def note_end(self, queue: _Any, why: _Any) -> _Any:
        """Notes why nothing more comes into a queue, for the errors of those who take from it."""
    def partial_run(self, handle: _Any, fetches: _Any, feed_dict: _Any = None) -> _Any:
        """Continues a partial run: takes more feeds and computes more fetches, each only once."""
    def partial_run_setup(self, fetches: _Any, feeds: _Any = None) -> _Any:
        """Prepares a step that partial_run() then runs in pieces; see tfcore.client.partial."""
    @staticmethod
    def reset(target: _Any, containers: _Any = None, config: _Any = None) -> _Any:
        """Clears containers (all by default) in all tasks of a cluster. State in this process ends with its Session."""
    def run(self, fetches: _Any, feed_dict: _Any = None, options: _Any = None, run_metadata: _Any = None) -> _Any:
        """Computes `fetches` and returns their values in the same structure."""
    @property
    def sess_str(self) -> _Any: ...

class SessionLog(_Message):
    """What happened to a session."""
    def __init__(self, **fields: _Any) -> None: ...
    CHECKPOINT: int
    START: int
    STATUS_UNSPECIFIED: int
    STOP: int
    SessionStatus: _Any
    checkpoint_path: str
    msg: str
    status: int

class SignatureDef(_Message):
    """A computation of a graph, by the names that its callers use."""
    def __init__(self, **fields: _Any) -> None: ...
    defaults: _Any
    inputs: _Any
    method_name: str
    outputs: _Any

class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of sparse gradients, which are rows and their indices."""
    def __init__(self, dtype: _Any, shape: _Any = None, shared_name: _Any = None, name: str | None = 'sparse_conditional_accumulator', reduction_type: _Any = 'MEAN') -> None: ...
    def apply_grad(self, grad_indices: _Any, grad_values: _Any, grad_shape: _Any = None, local_step: _Any = 0, name: str | None = None) -> Operation:
        """Adds a gradient, or drops it if it is stale."""
    def apply_indexed_slices_grad(self, grad: _Any, local_step: _Any = 0, name: str | None = None) -> Operation:
        """Adds a gradient, or drops it if it is stale."""
    def take_grad(self, num_required: _Any, name: str | None = None) -> _Any:
        """Waits for gradients, and removes and returns the mean or sum of each row."""
    def take_indexed_slices_grad(self, num_required: _Any, name: str | None = None) -> IndexedSlices:
        """Like `take_grad`."""

class SparseFeature(builtins.tuple):
    """A sparse tensor in two or more features: one has its values, the others the indices of its elements."""
    def __new__(_cls, index_key: _Any, value_key: _Any, dtype: _Any, size: _Any, already_sorted: _Any = False) -> SparseFeature:
        """Create new instance of SparseFeature(index_key, value_key, dtype, size, already_sorted)"""
    already_sorted: _Any
    dtype: _Any
    index_key: _Any
    size: _Any
    value_key: _Any

class SparseTensor:
    """A sparse tensor: the element at `indices[i]` is `values[i]`, all others are zero or missing."""
    def __init__(self, indices: _Any, values: _Any, dense_shape: _Any) -> None: ...
    def __mul__(x, y: _Any) -> _Any: ...
    def __rmul__(y, x: _Any) -> _Any: ...
    def __truediv__(x, y: _Any) -> _Any: ...
    def components(self) -> _Any:
        """The tensors that it consists of."""
    def consumers(self) -> _Any:
        """The operations that take one of the three tensors as an input."""
    @property
    def dense_shape(self) -> _Any:
        """The shape, a `Tensor` of shape [rank]."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    def eval(self, feed_dict: _Any = None, session: _Any = None) -> _Any:
        """Computes the tensor in a session."""
    @classmethod
    def from_value(cls, sparse_tensor_value: _Any) -> SparseTensor:
        """Converts a `SparseTensorValue` to a `SparseTensor`."""
    def get_shape(self) -> TensorShape:
        """The static shape."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def indices(self) -> _Any:
        """The indices of the elements, a `Tensor` of shape [n, rank]."""
    @property
    def op(self) -> Operation:
        """The `Operation` that computes `values`."""
    def set_shape(self, shape: _Any) -> _Any:
        """Merges what is known about the shape into the static shape."""
    @property
    def shape(self) -> _Any:
        """The static shape, a `TensorShape`."""
    @property
    def values(self) -> _Any:
        """The elements, a `Tensor` of shape [n]."""
    def with_components(self, tensors: _Any) -> SparseTensor:
        """One of other tensors."""
    def with_values(self, new_values: _Any) -> SparseTensor:
        """A sparse tensor with the same indices and shape, and other values."""

class SparseTensorSpec(TypeSpec):
    """What is known of a `SparseTensor`."""
    def __init__(self, shape: _Any = None, dtype: _Any = ...) -> None: ...
    @property
    def dtype(self) -> DType:
        """The `DType` of the values."""
    @classmethod
    def from_value(cls, value: _Any) -> _Any:
        """The specification of a value."""
    @property
    def shape(self) -> _Any:
        """The dense shape, a `TensorShape`."""
    @property
    def value_type(self) -> _Any:
        """`SparseTensor`."""

class SparseTensorValue(builtins.tuple):
    """SparseTensorValue(indices, values, dense_shape)"""
    def __new__(_cls, indices: _Any, values: _Any, dense_shape: _Any) -> SparseTensorValue:
        """Create new instance of SparseTensorValue(indices, values, dense_shape)"""
    dense_shape: _Any
    indices: _Any
    values: _Any

class Summary(_Message):
    """Values for TensorBoard, each under its tag."""
    def __init__(self, **fields: _Any) -> None: ...
    Audio: _Any
    Image: _Any
    Value: _Any
    value: _Any

class SummaryMetadata(_Message):
    """How TensorBoard shows a value: the plugin that does, and texts."""
    def __init__(self, **fields: _Any) -> None: ...
    PluginData: _Any
    data_class: int
    display_name: str
    plugin_data: _Any
    summary_description: str

class TFRecordReader(ReaderBase):
    """A reader of files of TensorFlow's records. Keys are "file:offset"."""
    def __init__(self, name: str | None = None, options: _Any = None, *, skip_damaged: _Any = False) -> None: ...
    def num_records_damaged(self, name: str | None = None) -> _Any:
        """How many damaged records were left out."""

class Tensor:
    """A symbolic value: output `value_index` of an operation, computed when a session runs it."""
    OVERLOADABLE_OPERATORS: _Any
    def __abs__(x) -> Tensor: ...
    def __add__(x, y: _Any) -> Tensor: ...
    def __and__(x, y: _Any) -> Tensor: ...
    def __floordiv__(x, y: _Any) -> Tensor: ...
    def __ge__(x, y: _Any) -> Tensor: ...
    def __getitem__(tensor, key: _Any) -> Tensor: ...
    def __gt__(x, y: _Any) -> Tensor: ...
    def __init__(self, op: _Any, value_index: _Any, dtype: _Any, dims: _Any) -> None: ...
    def __invert__(x) -> Tensor: ...
    def __iter__(self) -> _Any: ...
    def __le__(x, y: _Any) -> Tensor: ...
    def __len__(self) -> int: ...
    def __lt__(x, y: _Any) -> Tensor: ...
    def __matmul__(x, y: _Any) -> Tensor: ...
    def __mod__(x, y: _Any) -> Tensor: ...
    def __mul__(x, y: _Any) -> Tensor: ...
    def __neg__(x) -> Tensor: ...
    def __or__(x, y: _Any) -> Tensor: ...
    def __pow__(x, y: _Any) -> Tensor: ...
    def __radd__(y, x: _Any) -> Tensor: ...
    def __rand__(y, x: _Any) -> Tensor: ...
    def __rfloordiv__(y, x: _Any) -> Tensor: ...
    def __rmatmul__(y, x: _Any) -> Tensor: ...
    def __rmod__(y, x: _Any) -> Tensor: ...
    def __rmul__(y, x: _Any) -> Tensor: ...
    def __ror__(y, x: _Any) -> Tensor: ...
    def __rpow__(y, x: _Any) -> Tensor: ...
    def __rsub__(y, x: _Any) -> Tensor: ...
    def __rtruediv__(y, x: _Any) -> Tensor: ...
    def __rxor__(y, x: _Any) -> Tensor: ...
    def __sub__(x, y: _Any) -> Tensor: ...
    def __truediv__(x, y: _Any) -> Tensor: ...
    def __xor__(x, y: _Any) -> Tensor: ...
    def consumers(self) -> _Any:
        """The operations that take this tensor as an input, once for each such input."""
    @property
    def device(self) -> _Any:
        """The device that its operation was requested to run on, "" for none."""
    dims: _Any
    dtype: _Any
    def eval(self, feed_dict: _Any = None, session: _Any = None) -> _Any:
        """Computes the tensor: short for `session.run(tensor, feed_dict)`."""
    def get_shape(self) -> TensorShape:
        """The static shape as far as it is known."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def name(self) -> str:
        """The name: "operation:index"."""
    @property
    def ndim(self) -> _Any:
        """The number of dimensions, None if it is not known."""
    op: _Any
    def set_shape(self, shape: _Any) -> _Any:
        """Merges what is known about the shape into the static shape."""
    @property
    def shape(self) -> TensorShape:
        """The static shape as far as it is known, a `TensorShape`."""
    value_index: _Any

class TensorArray:
    """A vector of tensors of one type that is written and read element by element, mostly in a loop."""
    def __init__(self, dtype: _Any, size: _Any = None, dynamic_size: _Any = None, clear_after_read: _Any = None, tensor_array_name: _Any = None, handle: _Any = None, flow: _Any = None, infer_shape: _Any = True, element_shape: _Any = None, colocate_with_first_write_call: _Any = True, name: str | None = None) -> None: ...
    def close(self, name: str | None = None) -> Operation:
        """Frees all elements; the array cannot be used afterwards."""
    def concat(self, name: str | None = None) -> Tensor:
        """Concatenates all elements along their first dimension, in which they may differ."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    @property
    def dynamic_size(self) -> builtins.bool:
        """Whether writes past the end make the array larger."""
    @property
    def element_shape(self) -> _Any:
        """The TensorShape that all elements have; of unknown rank if none is known."""
    @property
    def flow(self) -> _Any:
        """The float32 scalar `Tensor` that orders reads after the writes made so far."""
    def gather(self, indices: _Any, name: str | None = None) -> Tensor:
        """Stacks some elements, which must be written and have the same shape."""
    def grad(self, source: _Any, flow: _Any = None, name: str | None = None) -> TensorArray:
        """Returns the array for the gradients of the elements; makes it if there is none."""
    @property
    def handle(self) -> Tensor:
        """The `Tensor` that refers to the array."""
    def identity(self) -> TensorArray:
        """Passes the flow through an identity operation."""
    def read(self, index: _Any, name: str | None = None) -> Tensor:
        """Reads an element."""
    def scatter(self, indices: _Any, value: _Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the elements at `indices`."""
    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements."""
    def split(self, value: _Any, lengths: _Any, name: str | None = None) -> TensorArray:
        """Writes consecutive pieces of a tensor to the elements."""
    def stack(self, name: str | None = None) -> Tensor:
        """Stacks all elements, which must be written and have the same shape."""
    def unstack(self, value: _Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the elements 0, 1, and so on."""
    def write(self, index: _Any, value: _Any, name: str | None = None) -> TensorArray:
        """Writes an element."""

class TensorArraySpec(TypeSpec):
    """What is known of a `TensorArray`."""
    def __init__(self, element_shape: _Any = None, dtype: _Any = ..., dynamic_size: _Any = False, infer_shape: _Any = True) -> None: ...
    @classmethod
    def from_value(cls, value: _Any) -> _Any:
        """The specification of an array."""
    @property
    def value_type(self) -> _Any:
        """`TensorArray`."""

class TensorInfo(_Message):
    """A tensor of a signature."""
    def __init__(self, **fields: _Any) -> None: ...
    CompositeTensor: _Any
    CooSparse: _Any
    composite_tensor: _Any
    coo_sparse: _Any
    dtype: int
    name: str
    tensor_shape: _Any

class TensorProto(_Message):
    """A tensor: its bytes in `tensor_content`, or its elements in the field of its type. If there are fewer elements than
    the shape has, the last one stands for the rest."""
    def __init__(self, **fields: _Any) -> None: ...
    bool_val: _Any
    dcomplex_val: _Any
    double_val: _Any
    dtype: int
    float8_val: bytes
    float_val: _Any
    half_val: _Any
    int64_val: _Any
    int_val: _Any
    resource_handle_val: _Any
    scomplex_val: _Any
    string_val: _Any
    tensor_content: bytes
    tensor_shape: _Any
    uint32_val: _Any
    uint64_val: _Any
    variant_val: _Any
    version_number: int

class TensorShape:
    """What is known about the shape of a tensor before it is computed."""
    def __add__(self, other: _Any) -> TensorShape: ...
    def __getitem__(self, key: _Any) -> _Any: ...
    def __init__(self, dims: _Any) -> None: ...
    def __iter__(self) -> _Any: ...
    def __len__(self) -> int: ...
    def __radd__(self, other: _Any) -> _Any: ...
    def as_list(self) -> _Any:
        """The sizes as a list."""
    def as_proto(self) -> _Any:
        """This shape as a protocol buffer."""
    def assert_has_rank(self, rank: _Any) -> _Any:
        """Checks the rank as far as it is known."""
    def assert_is_compatible_with(self, other: _Any) -> _Any:
        """Checks that some fully known shape agrees with both shapes."""
    def assert_is_fully_defined(self) -> _Any:
        """Checks that every dimension is known."""
    def assert_same_rank(self, other: _Any) -> _Any:
        """Checks that two ranks agree as far as they are known."""
    def concatenate(self, other: _Any) -> TensorShape:
        """The dimensions of this shape followed by those of another."""
    @property
    def dims(self) -> _Any:
        """A list of Dimension objects, or None if the rank is unknown."""
    def is_compatible_with(self, other: _Any) -> builtins.bool:
        """Whether some fully known shape agrees with both shapes."""
    def is_fully_defined(self) -> builtins.bool:
        """Whether every dimension is known."""
    def merge_with(self, other: _Any) -> TensorShape:
        """Combines what is known about two compatible shapes."""
    def most_specific_compatible_shape(self, other: _Any) -> TensorShape:
        """The most specific shape that is compatible with all tensors of either shape."""
    @property
    def ndims(self) -> _Any:
        """The number of dimensions, or None if it is unknown."""
    def num_elements(self) -> int:
        """The number of elements."""
    @property
    def rank(self) -> _Any:
        """The number of dimensions, or None if it is unknown."""
    def with_rank(self, rank: _Any) -> TensorShape:
        """This shape with a given rank."""
    def with_rank_at_least(self, rank: _Any) -> TensorShape:
        """This shape, checked to have at least a given rank."""
    def with_rank_at_most(self, rank: _Any) -> TensorShape:
        """This shape, checked to have at most a given rank."""

class TensorShapeProto(_Message):
    """A shape; a size of -1 is unknown."""
    def __init__(self, **fields: _Any) -> None: ...
    Dim: _Any
    dim: _Any
    unknown_rank: builtins.bool

class TensorSpec(TypeSpec):
    """What is known of a `Tensor`: its shape and type, and a name."""
    def __init__(self, shape: _Any, dtype: _Any = ..., name: str | None = None) -> None: ...
    def cast(self, value: _Any, casting_context: _Any = None) -> Tensor:
        """Converts a value to a tensor of this type."""
    @property
    def dtype(self) -> DType:
        """The `DType` of the elements."""
    def flatten(self) -> _Any:
        """The specification itself."""
    @classmethod
    def from_spec(cls, spec: _Any, name: str | None = None) -> _Any:
        """A specification with the shape and type of another one."""
    @classmethod
    def from_tensor(cls, tensor: _Any, name: str | None = None) -> _Any:
        """The specification of a tensor."""
    def is_compatible_with(self, spec_or_tensor: _Any) -> builtins.bool:
        """Whether a tensor, or those of another specification, may have this type and shape."""
    def is_subtype_of(self, other: _Any) -> builtins.bool:
        """Whether all tensors of this type are of the other type, too; a name must be the other's."""
    @property
    def name(self) -> _Any:
        """The name, or None."""
    @property
    def shape(self) -> _Any:
        """The static shape, a `TensorShape`."""
    @property
    def value_type(self) -> _Any:
        """`Tensor`."""

class TensorValue:
    """A tensor with a value: type, shape and reference-counted memory. Immutable."""
    def __new__(*args, **kwargs: _Any) -> TensorValue:
        """Create and return a new object.  See help(type) for accurate signature."""
    device: _Any
    dtype: _Any
    @staticmethod
    def from_dlpack(source: _Any) -> _Any:
        """A tensor that shares the memory of an array on the CPU or on a GPU, by `__dlpack__` or, on a GPU,
        `__cuda_array_interface__`."""
    @staticmethod
    def from_numpy(array: _Any, dtype: _Any = None) -> _Any:
        """A tensor with a copy of the array's elements, converted to `dtype` if given."""
    nbytes: _Any
    def numpy(self) -> _Any:
        """A copy as an array."""
    shape: _Any

class TextLineReader(ReaderBase):
    """A reader whose records are lines, without their ends, "\\n" or "\\r\\n". Keys are "file:number", from 1."""
    def __init__(self, skip_header_lines: _Any = None, name: str | None = None) -> None: ...

class TypeSpec(abc.ABC):
    """Base class: what is known of the type of a value."""
    def flatten(self) -> _Any:
        """The specifications of the tensors that a value consists of."""
    def from_tensors(self, tensors: _Any) -> _Any:
        """The value made of tensors."""
    def is_compatible_with(self, spec_or_value: _Any) -> builtins.bool:
        """Whether a value, or the values of another specification, may be of this type."""
    def is_subtype_of(self, other: _Any) -> builtins.bool:
        """Whether all values of this type are of the other type, too."""
    def most_specific_common_supertype(self, others: _Any) -> _Any:
        """The narrowest type that has the values of this type and of others."""
    def most_specific_compatible_type(self, other: _Any) -> _Any:
        """The narrowest type that has the values of both types. Old form of `most_specific_common_supertype`."""
    def to_tensors(self, value: _Any) -> list[Tensor]:
        """The tensors that a value consists of."""
    @property
    def value_type(self) -> _Any:
        """The class of the values that the specification describes."""

class UnconnectedGradients(enum.Enum):
    """The result of `gradients` for an x on which no y depends: None, or zeros."""
    NONE = 'none'
    ZERO = 'zero'
    def __new__(cls, value: _Any) -> UnconnectedGradients: ...

VERSION: str

class VarLenFeature(builtins.tuple):
    """A feature with any number of values, which becomes a `SparseTensor`."""
    def __new__(_cls, dtype: _Any) -> VarLenFeature:
        """Create new instance of VarLenFeature(dtype,)"""
    dtype: _Any

class Variable:
    """A tensor that keeps its value between steps. Assignments change it, optimizers train it."""
    SaveSliceInfo: _Any
    def __abs__(self, *args: _Any) -> Tensor: ...
    def __add__(self, *args: _Any) -> Tensor: ...
    def __and__(self, *args: _Any) -> Tensor: ...
    def __floordiv__(self, *args: _Any) -> Tensor: ...
    def __ge__(self, *args: _Any) -> Tensor: ...
    def __getitem__(variable, key: _Any) -> Tensor: ...
    def __gt__(self, *args: _Any) -> Tensor: ...
    def __init__(self, initial_value: _Any = None, trainable: _Any = None, collections: _Any = None, validate_shape: _Any = True, caching_device: _Any = None, name: str | None = None, variable_def: _Any = None, dtype: _Any = None, expected_shape: _Any = None, import_scope: _Any = None, constraint: _Any = None, use_resource: _Any = None, synchronization: _Any = ..., aggregation: _Any = ..., shape: _Any = None) -> None:
        """Adds a variable, the assignment of its initial value and a read to the graph."""
    def __invert__(self, *args: _Any) -> Tensor: ...
    def __iter__(self) -> _Any: ...
    def __le__(self, *args: _Any) -> Tensor: ...
    def __lt__(self, *args: _Any) -> Tensor: ...
    def __matmul__(self, *args: _Any) -> Tensor: ...
    def __mod__(self, *args: _Any) -> Tensor: ...
    def __mul__(self, *args: _Any) -> Tensor: ...
    def __neg__(self, *args: _Any) -> Tensor: ...
    def __new__(cls, *args: _Any, **kwargs: _Any) -> Variable: ...
    def __or__(self, *args: _Any) -> Tensor: ...
    def __pow__(self, *args: _Any) -> Tensor: ...
    def __radd__(self, *args: _Any) -> Tensor: ...
    def __rand__(self, *args: _Any) -> Tensor: ...
    def __rfloordiv__(self, *args: _Any) -> Tensor: ...
    def __rmatmul__(self, *args: _Any) -> Tensor: ...
    def __rmod__(self, *args: _Any) -> Tensor: ...
    def __rmul__(self, *args: _Any) -> Tensor: ...
    def __ror__(self, *args: _Any) -> Tensor: ...
    def __rpow__(self, *args: _Any) -> Tensor: ...
    def __rsub__(self, *args: _Any) -> Tensor: ...
    def __rtruediv__(self, *args: _Any) -> Tensor: ...
    def __rxor__(self, *args: _Any) -> Tensor: ...
    def __sub__(self, *args: _Any) -> Tensor: ...
    def __truediv__(self, *args: _Any) -> Tensor: ...
    def __xor__(self, *args: _Any) -> Tensor: ...
    @property
    def aggregation(self) -> _Any:
        """The `VariableAggregation`."""
    def assign(self, value: _Any, use_locking: _Any = False, name: str | None = None, read_value: _Any = True) -> Tensor:
        """Assigns a value."""
    def assign_add(self, delta: _Any, use_locking: _Any = False, name: str | None = None, read_value: _Any = True) -> Tensor:
        """Adds to the variable."""
    def assign_sub(self, delta: _Any, use_locking: _Any = False, name: str | None = None, read_value: _Any = True) -> Tensor:
        """Subtracts from the variable."""
    def batch_scatter_update(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Assigns elements for each batch: variable[b, indices[b, i]] = values[b, i]."""
    @property
    def constraint(self) -> _Any:
        """The constraint, or None."""
    def count_up_to(self, limit: _Any) -> Tensor:
        """Increments a scalar integer variable."""
    @property
    def device(self) -> _Any:
        """The requested device, "" for none."""
    @property
    def dtype(self) -> DType:
        """A reference type; `dtype.base_dtype` is the type of the elements."""
    def eval(self, session: _Any = None) -> _Any:
        """Reads the variable in a session."""
    def experimental_ref(self) -> _Any:
        """A hashable reference to the variable, for sets and dicts; its `deref()` returns the variable."""
    @staticmethod
    def from_proto(variable_def: _Any, import_scope: _Any = None) -> Variable:
        """Recreates the variable of a VariableDef whose operations are in the default graph."""
    full_name: _Any
    full_shape: _Any
    def get_shape(self) -> TensorShape:
        """The static shape."""
    @property
    def graph(self) -> Graph:
        """The `Graph` it belongs to."""
    @property
    def initial_value(self) -> _Any:
        """The Tensor that the initializer assigns."""
    def initialized_value(self) -> Tensor:
        """The value if the variable is initialized, else its initial value. For initial values of other variables."""
    @property
    def initializer(self) -> _Any:
        """The operation that assigns the initial value."""
    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value."""
    def load(self, value: _Any, session: _Any = None) -> _Any:
        """Assigns a value in a session without adding to the graph."""
    @property
    def name(self) -> str:
        """The name, such as "layer/w:0"."""
    @property
    def op(self) -> Operation:
        """The operation that holds the variable."""
    def read_value(self) -> Tensor:
        """Adds a new read, which honours the current control dependencies."""
    def ref(self) -> _Any:
        """A hashable reference to the variable, for sets and dicts; its `deref()` returns the variable."""
    def scatter_add(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Adds slices to rows of the variable."""
    def scatter_div(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Divides rows of the variable by slices."""
    def scatter_max(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Takes the maximum of rows of the variable and slices."""
    def scatter_min(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Takes the minimum of rows of the variable and slices."""
    def scatter_mul(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Multiplies rows of the variable by slices."""
    def scatter_nd_add(self, indices: _Any, updates: _Any, name: str | None = None) -> _Any:
        """Adds updates to slices of the variable."""
    def scatter_nd_sub(self, indices: _Any, updates: _Any, name: str | None = None) -> _Any:
        """Subtracts updates from slices of the variable."""
    def scatter_nd_update(self, indices: _Any, updates: _Any, name: str | None = None) -> _Any:
        """Assigns updates to slices of the variable."""
    def scatter_sub(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Subtracts slices from rows of the variable."""
    def scatter_update(self, sparse_delta: _Any, use_locking: _Any = False, name: str | None = None) -> _Any:
        """Assigns slices to rows of the variable."""
    def set_shape(self, shape: _Any) -> _Any:
        """Merges what is known about the shape into the static shape."""
    @property
    def shape(self) -> TensorShape:
        """The static shape, a `TensorShape`."""
    @property
    def synchronization(self) -> _Any:
        """The `VariableSynchronization`."""
    def to_proto(self, export_scope: _Any = None) -> _Any:
        """Describes the variable as a protocol buffer."""
    @property
    def trainable(self) -> builtins.bool:
        """Whether optimizers train it by default."""
    def value(self) -> Tensor:
        """The value, as operations that take the variable get it."""
    var_offset: _Any
    var_shape: _Any

class VariableAggregation(enum.Enum):
    """How updates of copies of a variable are combined."""
    MEAN = 2
    NONE = 0
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3
    SUM = 1
    def __new__(cls, value: _Any) -> VariableAggregation: ...

class VariableDef(_Message):
    """A variable: the names of its operations."""
    def __init__(self, **fields: _Any) -> None: ...
    aggregation: int
    initial_value_name: str
    initializer_name: str
    is_resource: builtins.bool
    save_slice_info_def: _Any
    snapshot_name: str
    synchronization: int
    trainable: builtins.bool
    variable_name: str

class VariableScope:
    """The name prefix and defaults for variables that `tf.get_variable` creates. Created by `tf.variable_scope`."""
    def __init__(self, reuse: _Any, name: str | None = '', initializer: _Any = None, regularizer: _Any = None, caching_device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, name_scope: _Any = '', dtype: _Any = ..., use_resource: _Any = None, constraint: _Any = None) -> None: ...
    @property
    def caching_device(self) -> _Any:
        """The default caching device."""
    @property
    def constraint(self) -> _Any:
        """The default constraint."""
    @property
    def custom_getter(self) -> _Any:
        """The default custom getter."""
    @property
    def dtype(self) -> _Any:
        """The default `DType`."""
    def get_collection(self, name: _Any) -> _Any:
        """The items of a collection whose names begin with the name of this scope."""
    def get_variable(self, var_store: _Any, name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, reuse: _Any = None, trainable: _Any = None, collections: _Any = None, caching_device: _Any = None, partitioner: _Any = None, validate_shape: _Any = True, use_resource: _Any = None, custom_getter: _Any = None, constraint: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> _Any:
        """The variable `name` in this scope: an existing one or a new one. None means the scope's default."""
    def global_variables(self) -> _Any:
        """The global variables of this scope."""
    @property
    def initializer(self) -> _Any:
        """The default initializer."""
    def local_variables(self) -> _Any:
        """The local variables of this scope."""
    @property
    def name(self) -> _Any:
        """Prefix of the names of variables, without a trailing "/"."""
    @property
    def original_name_scope(self) -> _Any:
        """The name scope that was opened with this scope."""
    @property
    def partitioner(self) -> _Any:
        """The default partitioner."""
    @property
    def regularizer(self) -> _Any:
        """The default regularizer."""
    @property
    def reuse(self) -> builtins.bool:
        """Whether variables must exist (True), must not (False) or may (`tf.AUTO_REUSE`)."""
    def reuse_variables(self) -> _Any:
        """From now on, `get_variable` in this scope only returns existing variables."""
    def set_caching_device(self, caching_device: _Any) -> _Any:
        """Sets the default caching device."""
    def set_custom_getter(self, custom_getter: _Any) -> _Any:
        """Sets the default custom getter."""
    def set_dtype(self, dtype: _Any) -> _Any:
        """Sets the default `DType`."""
    def set_initializer(self, initializer: _Any) -> _Any:
        """Sets the default initializer."""
    def set_partitioner(self, partitioner: _Any) -> _Any:
        """Sets the default partitioner."""
    def set_regularizer(self, regularizer: _Any) -> _Any:
        """Sets the default regularizer."""
    def set_use_resource(self, use_resource: _Any) -> _Any:
        """Sets whether variables are resource variables by default."""
    def trainable_variables(self) -> _Any:
        """The trainable variables of this scope."""
    @property
    def use_resource(self) -> builtins.bool:
        """Whether variables are resource variables by default; None: as `tf.enable_resource_variables` says."""

class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are combined."""
    AUTO = 0
    NONE = 1
    ON_READ = 3
    ON_WRITE = 2
    def __new__(cls, value: _Any) -> VariableSynchronization: ...

class VersionDef(_Message):
    """A consumer of version C reads what a producer of version P wrote if C >= min_consumer, P is not older than what C
    reads, and C is not among bad_consumers."""
    def __init__(self, **fields: _Any) -> None: ...
    bad_consumers: _Any
    min_consumer: int
    producer: int

class WholeFileReader(ReaderBase):
    """A reader whose records are whole files: the key is the name of the file, the value what it has."""
    def __init__(self, name: str | None = None) -> None: ...

__version__: str

def abs(x: _Any, name: str | None = None) -> Tensor:
    """Absolute value; the modulus of complex numbers."""

def accumulate_n(inputs: _Any, shape: _Any = None, tensor_dtype: _Any = None, name: str | None = None) -> Tensor:
    """The sum of a list of tensors, whose shape and type may be stated."""

def acos(x: _Any, name: str | None = None) -> Tensor:
    """Inverse cosine."""

def acosh(x: _Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def add(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x + y, element by element with broadcasting; also concatenates strings."""

def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating-point tensor of the default graph, in the order of computation."""

def add_n(inputs: _Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors."""

def add_to_collection(name: _Any, value: _Any) -> _Any:
    """Adds a value to a collection of the default graph."""

def add_to_collections(names: _Any, value: _Any) -> _Any:
    """Adds a value to several collections of the default graph."""

def all_variables() -> _Any:
    """Old name of `tf.global_variables`."""

def angle(input: _Any, name: str | None = None) -> Tensor:
    """The argument of complex numbers, in (-pi, pi]."""

def approx_top_k(input: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = 0.95, is_max_k: _Any = True, reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: str | None = None) -> _Any:
    """The k greatest or least elements along a dimension, and their indices, in order."""

def approximate_equal(x: _Any, y: _Any, tolerance: _Any = 1e-05, name: str | None = None) -> Tensor:
    """Where |x - y| <= tolerance."""

def arg_max(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> Tensor:
    """The index of the largest element along a dimension; `tf.argmax` with another order of arguments."""

def arg_min(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> Tensor:
    """The index of the smallest element along a dimension; `tf.argmin` with another order of arguments."""

def argmax(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> Tensor:
    """The index of the first maximum along a dimension."""

def argmin(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> Tensor:
    """The index of the first minimum along a dimension."""

def argsort(values: _Any, axis: _Any = -1, direction: _Any = 'ASCENDING', stable: _Any = False, name: str | None = None) -> Tensor:
    """The indices that sort a tensor along a dimension."""

def as_dtype(type_value: _Any) -> DType:
    """Converts a value to a `DType`."""

def as_string(input: _Any, precision: _Any = -1, scientific: _Any = False, shortest: _Any = False, width: _Any = -1, fill: _Any = '', name: str | None = None) -> Tensor:
    """Numbers as text, in printf's formats; truth values as "true" and "false"."""

def asin(x: _Any, name: str | None = None) -> Tensor:
    """Inverse sine."""

def asinh(x: _Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def assert_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x == y` holds for all elements."""

def assert_greater(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x > y` holds for all elements."""

def assert_greater_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x >= y` holds for all elements."""

def assert_integer(x: _Any, message: _Any = None, name: str | None = None) -> Operation:
    """Checks that a tensor is of an integer type when the graph is built."""

def assert_less(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x < y` holds for all elements."""

def assert_less_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x <= y` holds for all elements."""

def assert_near(x: _Any, y: _Any, rtol: _Any = None, atol: _Any = None, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless |x - y| < atol + rtol * |y| holds for all elements."""

def assert_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are negative."""

def assert_non_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are >= 0."""

def assert_non_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are <= 0."""

def assert_none_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x != y` holds for all elements."""

def assert_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless all elements are positive."""

def assert_proper_iterable(values: _Any) -> _Any:
    """Checks that an argument is a list of values, not a single one that happens to be iterable."""

def assert_rank(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x` has the given rank."""

def assert_rank_at_least(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless `x` has the given rank or a higher one."""

def assert_rank_in(x: _Any, ranks: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """An operation that fails unless the rank of `x` is one of `ranks`."""

def assert_same_float_dtype(tensors: _Any = None, dtype: _Any = None) -> DType:
    """Checks that tensors have one floating-point type."""

def assert_scalar(tensor: _Any, name: str | None = None, message: _Any = None) -> Tensor:
    """Checks that a tensor is a scalar, by its static shape."""

def assert_type(tensor: _Any, tf_type: _Any, message: _Any = None, name: str | None = None) -> Operation:
    """Checks the type of a tensor when the graph is built."""

def assert_variables_initialized(var_list: _Any = None) -> Operation:
    """Checks that variables are initialized. Deprecated: use `report_uninitialized_variables`."""

def assign(ref: _Any, value: _Any, validate_shape: _Any = None, use_locking: _Any = None, name: str | None = None) -> _Any:
    """Sets the value of a variable."""

def assign_add(ref: _Any, value: _Any, use_locking: _Any = None, name: str | None = None) -> _Any:
    """Adds to the value of a variable."""

def assign_sub(ref: _Any, value: _Any, use_locking: _Any = None, name: str | None = None) -> _Any:
    """Subtracts from the value of a variable."""

def atan(x: _Any, name: str | None = None) -> Tensor:
    """Inverse tangent."""

def atan2(y: _Any, x: _Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) in (-pi, pi]."""

def atanh(x: _Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""

def batch_gather(params: _Any, indices: _Any, name: str | None = None) -> Tensor:
    """Gathers along the last dimension of `indices`, within each batch."""

def batch_scatter_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: str | None = None) -> Tensor:
    """Assigns elements of a variable for each batch: ref[b, indices[b, i]] = updates[b, i]."""

def batch_to_space(input: _Any, crops: _Any, block_size: _Any, name: str | None = None, block_shape: _Any = None) -> Tensor:
    """`batch_to_space_nd` for images and square blocks."""

def batch_to_space_nd(input: _Any, block_shape: _Any, crops: _Any, name: str | None = None) -> Tensor:
    """Moves the batch dimension back into blocks, then crops: the inverse of `space_to_batch_nd`."""

def betainc(a: _Any, b: _Any, x: _Any, name: str | None = None) -> Tensor:
    """Regularised incomplete beta function I_x(a, b)."""

bfloat16: DType

def bincount(arr: _Any, weights: _Any = None, minlength: _Any = None, maxlength: _Any = None, dtype: _Any = ...) -> Tensor:
    """Counts how often each integer occurs."""

def bitcast(input: _Any, type: _Any, name: str | None = None) -> Tensor:
    """The bytes of `input` read as another type."""

bool: DType

def boolean_mask(tensor: _Any, mask: _Any, name: str | None = 'boolean_mask', axis: _Any = None) -> Tensor:
    """The elements, or slices, of a tensor where a mask is true."""

def broadcast_dynamic_shape(shape_x: _Any, shape_y: _Any) -> Tensor:
    """The shape that tensors of two shapes broadcast to, computed at run time."""

def broadcast_static_shape(shape_x: _Any, shape_y: _Any) -> TensorShape:
    """The shape that tensors of two static shapes broadcast to."""

def broadcast_to(input: _Any, shape: _Any, name: str | None = None) -> Tensor:
    """Repeats dimensions of size 1 and adds leading dimensions to reach a shape, by NumPy's rules."""

def case(pred_fn_pairs: _Any, default: _Any = None, exclusive: _Any = False, strict: _Any = False, name: str | None = 'case') -> _Any:
    """Returns the result of the first function whose condition holds, otherwise that of `default`."""

def cast(x: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """Converts to another type; gives `x` itself if it has that type."""

def ceil(x: _Any, name: str | None = None) -> Tensor:
    """Smallest integer not below x."""

def check_numerics(tensor: _Any, message: _Any, name: str | None = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def cholesky(input: _Any, name: str | None = None) -> Tensor:
    """The Cholesky factors of matrices: L with L adjoint(L) = input."""

def cholesky_solve(chol: _Any, rhs: _Any, name: str | None = None) -> Tensor:
    """Solves A x = rhs, given the Cholesky factors of A."""

def clip_by_average_norm(t: _Any, clip_norm: _Any, name: str | None = None) -> Tensor:
    """Scales a tensor so that its L2 norm divided by its number of elements is at most `clip_norm`."""

def clip_by_global_norm(t_list: _Any, clip_norm: _Any, use_norm: _Any = None, name: str | None = None) -> _Any:
    """Scales tensors together so that their global norm is at most `clip_norm`."""

def clip_by_norm(t: _Any, clip_norm: _Any, axes: _Any = None, name: str | None = None) -> _Any:
    """Scales a tensor so that its L2 norm is at most `clip_norm`."""

def clip_by_value(t: _Any, clip_value_min: _Any, clip_value_max: _Any, name: str | None = None) -> _Any:
    """Clamps elements to a range."""

def colocate_with(op: _Any, ignore_existing: _Any = False) -> _Any:
    """A context manager that places new operations on the device of another. See `tf.Graph.colocate_with`."""

def complex(real: _Any, imag: _Any, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts."""

complex128: DType

complex64: DType

def concat(values: _Any, axis: _Any, name: str | None = 'concat') -> Tensor:
    """Joins tensors along an existing dimension."""

def cond(pred: _Any, true_fn: _Any = None, false_fn: _Any = None, strict: _Any = False, name: str | None = None, fn1: _Any = None, fn2: _Any = None) -> _Any:
    """Returns the result of `true_fn()` in steps where `pred` is true, otherwise that of `false_fn()`."""

def confusion_matrix(labels: _Any, predictions: _Any, num_classes: _Any = None, dtype: _Any = ..., name: str | None = None, weights: _Any = None) -> Tensor:
    """How often each class was predicted for each true class."""

def conj(x: _Any, name: str | None = None) -> Tensor:
    """The complex conjugate."""

def constant(value: _Any, dtype: _Any = None, shape: _Any = None, name: str | None = 'Const', verify_shape: _Any = False) -> Tensor:
    """A constant tensor."""

class constant_initializer:
    """Initializes with given values."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None, verify_shape: _Any = None) -> _Any: ...
    def __init__(self, value: _Any = 0, dtype: _Any = ..., verify_shape: _Any = False) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    value: _Any

def container(container_name: _Any) -> _Any:
    """A context manager: new stateful operations keep their state in the given container of their device."""

def control_dependencies(control_inputs: _Any) -> _Any:
    """A context manager that makes new operations run after others. See `tf.Graph.control_dependencies`."""

def control_flow_v2_enabled() -> builtins.bool:
    """Whether `tf.cond` and `tf.while_loop` add functional operations; they never do."""

def convert_n_to_tensor(values: _Any, dtype: _Any = None, name: str | None = None, preferred_dtype: _Any = None) -> list[Tensor]:
    """Converts each value of a list to a `Tensor`."""

def convert_to_tensor(value: _Any, dtype: _Any = None, name: str | None = None, preferred_dtype: _Any = None, dtype_hint: _Any = None) -> Tensor:
    """Converts a value to a `Tensor`."""

def convert_to_tensor_or_indexed_slices(value: _Any, dtype: _Any = None, name: str | None = None) -> Tensor:
    """Converts a value to a `Tensor`, unless it is made of several."""

def convert_to_tensor_or_sparse_tensor(value: _Any, dtype: _Any = None, name: str | None = None) -> _Any:
    """Converts a value to a `Tensor`, or to a `SparseTensor` if it is a sparse one."""

def cos(x: _Any, name: str | None = None) -> Tensor:
    """Cosine."""

def cosh(x: _Any, name: str | None = None) -> Tensor:
    """Hyperbolic cosine."""

def count_nonzero(input_tensor: _Any = None, axis: _Any = None, keepdims: _Any = None, dtype: _Any = ..., name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None, input: _Any = None) -> Tensor:
    """Counts the elements that are not zero (not False, not empty strings)."""

def count_up_to(ref: _Any, limit: _Any, name: str | None = None) -> Tensor:
    """Increments a scalar integer variable and returns its value before."""

def create_partitioned_variables(shape: _Any, slicing: _Any, initializer: _Any, dtype: _Any = ..., trainable: _Any = True, collections: _Any = None, name: str | None = None, reuse: _Any = None) -> _Any:
    """Deprecated form of `tf.get_variable` with a partitioner."""

def cross(a: _Any, b: _Any, name: str | None = None) -> Tensor:
    """Cross products of the vectors along the last dimension, which has size 3."""

def cumprod(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: str | None = None) -> Tensor:
    """Cumulative products: of all elements up to each along `axis`."""

def cumsum(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: str | None = None) -> Tensor:
    """Cumulative sums: of all elements up to each along `axis`."""

def custom_gradient(f: _Any = None) -> _Any:
    """Decorator of a function that also returns its own gradient."""

def decode_base64(input: _Any, name: str | None = None) -> Tensor:
    """Decodes strings that `encode_base64` made, with or without padding."""

def decode_compressed(bytes: _Any, compression_type: _Any = '', name: str | None = None) -> Tensor:
    """Expands strings that were compressed: `compression_type` is "ZLIB", "GZIP", or "" if they were not."""

def decode_csv(records: _Any, record_defaults: _Any, field_delim: _Any = ',', use_quote_delim: _Any = True, name: str | None = None, na_value: _Any = '', select_cols: _Any = None) -> list[Tensor]:
    """Converts records of comma-separated values to one tensor for each column."""

def decode_json_example(json_examples: _Any, name: str | None = None) -> Tensor:
    """Converts messages tf.train.Example from JSON, as protocol buffers write it, to serialized messages."""

def decode_raw(input_bytes: _Any = None, out_type: _Any = None, little_endian: _Any = True, name: str | None = None, bytes: _Any = None) -> Tensor:
    """The bytes of strings as numbers."""

def delete_session_tensor(handle: _Any, name: str | None = None) -> _Any:
    """Forgets a tensor that was kept in an earlier run."""

def depth_to_space(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = 'NHWC') -> Tensor:
    """Moves channels into blocks of block_size x block_size pixels: the inverse of `space_to_depth`."""

def dequantize(input: _Any, min_range: _Any, max_range: _Any, mode: _Any = 'MIN_COMBINED', name: str | None = None, axis: _Any = None, narrow_range: _Any = False, dtype: _Any = ...) -> Tensor:
    """The numbers that quantized integers stand for: the inverse of `tf.quantization.quantize`."""

def deserialize_many_sparse(serialized_sparse: _Any, dtype: _Any, rank: _Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose rows are those that `serialize_many_sparse` or `serialize_sparse` wrote."""

def device(device_name_or_function: _Any) -> _Any:
    """A context manager that requests a device for new operations. See `tf.Graph.device`."""

def diag(diagonal: _Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with the given diagonal, zero elsewhere."""

def diag_part(input: _Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of even rank: result[i...] = input[i..., i...]."""

def digamma(x: _Any, name: str | None = None) -> Tensor:
    """Derivative of lgamma."""

def dimension_at_index(shape: _Any, index: _Any) -> _Any:
    """The `Dimension` at an index of a shape, which may be of unknown rank."""

def dimension_value(dimension: _Any) -> int:
    """The size in a `Dimension`; anything else is returned as it is. For programs that may get either."""

def disable_control_flow_v2() -> _Any:
    """Does nothing: `tf.cond` and `tf.while_loop` add the operations of TensorFlow 1 in any case."""

def disable_eager_execution() -> _Any:
    """Does nothing: operations are added to a graph in any case."""

def disable_resource_variables() -> _Any:
    """Makes `tf.Variable` and `tf.get_variable` create references again unless `use_resource` says otherwise."""

def disable_strict_broadcasting() -> _Any:
    """Allows all broadcasts again, for operations created from now on."""

def disable_tensor_equality() -> _Any:
    """Does nothing: `==` compares the identity of tensors in any case."""

def disable_v2_behavior() -> _Any:
    """Does nothing: programs are those of TensorFlow 1 in any case."""

def disable_v2_tensorshape() -> _Any:
    """Does nothing: the elements of a `TensorShape` are of class `Dimension` in any case."""

def div(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y as Python 2 divides: integers are rounded towards negative infinity."""

def div_no_nan(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0."""

def divide(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y as Python 3 divides: integers are converted to floating point first."""

double: DType

def dynamic_partition(data: _Any, partitions: _Any, num_partitions: _Any, name: str | None = None) -> list[Tensor]:
    """Distributes slices of a tensor to several tensors: slice i goes to output partitions[i]."""

def dynamic_stitch(indices: _Any, data: _Any, name: str | None = None) -> Tensor:
    """Merges slices of several tensors into one: slice data[m][i] goes to place indices[m][i]."""

def edit_distance(hypothesis: _Any, truth: _Any, normalize: _Any = True, name: str | None = 'edit_distance') -> _Any:
    """The Levenshtein distances between sequences."""

def einsum(equation: _Any, *inputs: _Any, **kwargs: _Any) -> Tensor:
    """Sums of products of elements, in Einstein's notation."""

def enable_control_flow_v2() -> _Any:
    """Raises an error: `tf.cond` and `tf.while_loop` add the operations of TensorFlow 1."""

def enable_eager_execution(config: _Any = None, device_policy: _Any = None, execution_mode: _Any = None) -> _Any:
    """Raises an error: programs build a graph and run it in a session."""

def enable_resource_variables() -> _Any:
    """Makes `tf.Variable` and `tf.get_variable` create resource variables unless `use_resource` says otherwise."""

def enable_strict_broadcasting() -> _Any:
    """From now on, rejects element-wise operations that would repeat both of two operands of different ranks."""

def enable_tensor_equality() -> _Any:
    """Raises an error: `==` compares the identity of tensors."""

def enable_v2_behavior() -> _Any:
    """Raises an error: programs are written for TensorFlow 1."""

def enable_v2_tensorshape() -> _Any:
    """Raises an error: the elements of a `TensorShape` are of class `Dimension`."""

def encode_base64(input: _Any, pad: _Any = False, name: str | None = None) -> Tensor:
    """Encodes strings in base 64 for web addresses, padded with = if `pad` is true."""

def ensure_shape(x: _Any, shape: _Any, name: str | None = None) -> Tensor:
    """Checks the shape of a tensor at run time, and makes it known statically."""

def equal(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x == y."""

def erf(x: _Any, name: str | None = None) -> Tensor:
    """Gauss error function."""

def erfc(x: _Any, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate for large x."""

def executing_eagerly() -> builtins.bool:
    """Whether operations run as soon as they are called; they never do."""

def executing_eagerly_outside_functions() -> builtins.bool:
    """Whether operations outside of functions run as soon as they are called; they never do."""

def exp(x: _Any, name: str | None = None) -> Tensor:
    """e to the power x."""

def expand_dims(input: _Any, axis: _Any = None, name: str | None = None, dim: _Any = None) -> Tensor:
    """Inserts a dimension of size 1."""

def expm1(x: _Any, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate near 0."""

def extract_image_patches(images: _Any, ksizes: _Any = None, strides: _Any = None, rates: _Any = None, padding: _Any = None, name: str | None = None, sizes: _Any = None) -> Tensor:
    """The patches of images around each position, with their elements in the last dimension."""

def extract_volume_patches(input: _Any, ksizes: _Any, strides: _Any, padding: _Any, name: str | None = None) -> Tensor:
    """The patches of volumes around each position, with their elements in the last dimension."""

def eye(num_rows: _Any, num_columns: _Any = None, batch_shape: _Any = None, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """An identity matrix, or a batch of them."""

def fake_quant_with_min_max_args(inputs: _Any, min: _Any = -6, max: _Any = 6, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """Rounds numbers to the levels of a range, as quantization does, and clips them to it."""

def fake_quant_with_min_max_args_gradient(gradients: _Any, inputs: _Any, min: _Any = -6, max: _Any = 6, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`: that of its output where inputs are in the range, 0 elsewhere."""

def fake_quant_with_min_max_vars(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """`fake_quant_with_min_max_args` with a range that can be trained."""

def fake_quant_with_min_max_vars_gradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Any:
    """The gradients of `fake_quant_with_min_max_vars`: for the inputs, and for both ends of the range."""

def fake_quant_with_min_max_vars_per_channel(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """`fake_quant_with_min_max_vars` with a range for each element of the last dimension."""

def fake_quant_with_min_max_vars_per_channel_gradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Any:
    """The gradients of `fake_quant_with_min_max_vars_per_channel`, as `fake_quant_with_min_max_vars_gradient` has them."""

def fft(input: _Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last dimension."""

def fft2d(input: _Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last two dimensions."""

def fft3d(input: _Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last three dimensions."""

def fftnd(input: _Any, fft_length: _Any, axes: _Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over any dimensions."""

def fill(dims: _Any, value: _Any, name: str | None = None, layout: _Any = None) -> Tensor:
    """A tensor of shape `dims` with `value` everywhere."""

def fingerprint(data: _Any, method: _Any = 'farmhash64', name: str | None = None) -> Tensor:
    """A fingerprint of each slice of the first dimension: FarmHash's Fingerprint64 of its bytes."""

def fixed_size_partitioner(num_shards: _Any, axis: _Any = 0) -> _Any:
    """A partitioner that splits into a fixed number of parts along one axis."""

float16: DType

float32: DType

float64: DType

def floor(x: _Any, name: str | None = None) -> Tensor:
    """Largest integer not above x."""

def floor_div(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x // y as in Python: rounded towards negative infinity."""

def floordiv(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x // y as in Python: rounded towards negative infinity."""

def floormod(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x % y as in Python: the result has the sign of y."""

def foldl(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: str | None = None) -> _Any:
    """Combines the elements of `elems` from the first to the last: a = fn(a, elems[i]) for each i."""

def foldr(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: str | None = None) -> _Any:
    """Combines the elements of `elems` from the last to the first: a = fn(a, elems[i]) for each i."""

def function(func: _Any = None, input_signature: _Any = None, autograph: _Any = True, jit_compile: _Any = None, reduce_retracing: _Any = False, experimental_implements: _Any = None, experimental_autograph_options: _Any = None, experimental_attributes: _Any = None, experimental_relax_shapes: _Any = None, experimental_compile: _Any = None, experimental_follow_type_hints: _Any = None) -> _Any:
    """Decorator: turns a Python function into graph functions, one for each signature of its arguments."""

def gather(params: _Any, indices: _Any, validate_indices: _Any = None, name: str | None = None, axis: _Any = None, batch_dims: _Any = 0) -> Tensor:
    """Slices of a tensor along a dimension, chosen by index."""

def gather_nd(params: _Any, indices: _Any, name: str | None = None, batch_dims: _Any = 0, bad_indices_policy: _Any = '') -> Tensor:
    """Elements or slices of a tensor, each chosen by a vector of indices."""

def get_collection(key: _Any, scope: _Any = None) -> _Any:
    """A copy of a collection of the default graph."""

def get_collection_ref(key: _Any) -> _Any:
    """The list that holds a collection of the default graph. Changes to it change the collection."""

def get_default_graph() -> Graph:
    """The graph that new operations are added to."""

def get_default_session() -> _Any:
    """The innermost default session of this thread: the one that `Tensor.eval` and `Operation.run` use."""

def get_local_variable(name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = False, collections: _Any = None, caching_device: _Any = None, partitioner: _Any = None, validate_shape: _Any = True, use_resource: _Any = None, custom_getter: _Any = None, constraint: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> Variable:
    """`tf.get_variable` for a variable that is local to this process: not trained, in the collection LOCAL_VARIABLES."""

def get_logger() -> _Any:
    """The logger that all functions of `tf.logging` write to."""

def get_seed(op_seed: _Any) -> _Any:
    """The seeds for a new random op, made from the graph's and its own."""

def get_session_handle(data: _Any, name: str | None = None) -> Tensor:
    """Keeps a tensor in the session that runs this."""

def get_session_tensor(handle: _Any, dtype: _Any, name: str | None = None) -> _Any:
    """A tensor that was kept in an earlier run."""

def get_static_value(tensor: _Any, partial: _Any = False) -> _Any:
    """The value of a tensor, if it follows from the graph alone."""

def get_variable(name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = None, collections: _Any = None, caching_device: _Any = None, partitioner: _Any = None, validate_shape: _Any = True, use_resource: _Any = None, custom_getter: _Any = None, constraint: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> Variable:
    """The variable of a given name in the current variable scope: an existing one or a new one."""

def get_variable_scope() -> _Any:
    """The current variable scope."""

def global_norm(t_list: _Any, name: str | None = None) -> Tensor:
    """The L2 norm of all tensors taken together: sqrt(sum of squares)."""

def global_variables(scope: _Any = None) -> _Any:
    """The global variables of the default graph: the collection GLOBAL_VARIABLES, shared by all tasks of a cluster."""

def global_variables_initializer() -> Operation:
    """An operation that initializes all global variables."""

class glorot_normal_initializer(variance_scaling_initializer):
    """Initializes with a truncated normal distribution of variance `2 / (fan_in + fan_out)`."""
    def __init__(self, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    seed: _Any

class glorot_uniform_initializer(variance_scaling_initializer):
    """Initializes uniformly within `sqrt(6 / (fan_in + fan_out))`: `get_variable`'s default."""
    def __init__(self, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    seed: _Any

def grad_pass_through(f: _Any) -> _Any:
    """Wraps a function so that its gradient is that of the identity."""

def gradients(ys: _Any, xs: _Any, grad_ys: _Any = None, name: str | None = 'gradients', colocate_gradients_with_ops: _Any = False, gate_gradients: _Any = False, aggregation_method: _Any = None, stop_gradients: _Any = None, unconnected_gradients: _Any = ...) -> _Any:
    """Adds operations that compute the gradient of the sum of `ys` with respect to each of `xs`."""

def greater(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x > y."""

def greater_equal(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x >= y."""

def group(*inputs: _Any, **kwargs: _Any) -> Operation:
    """Makes an operation that runs after all `inputs`."""

def guarantee_const(input: _Any, name: str | None = None) -> Tensor:
    """The same value, with the promise that it is the same in all runs, as of a trained variable."""

half: DType

def hessians(ys: _Any, xs: _Any, name: str | None = 'hessians', colocate_gradients_with_ops: _Any = False, gate_gradients: _Any = False, aggregation_method: _Any = None) -> _Any:
    """Computes the Hessian of the sum of `ys` with respect to each of `xs`."""

def histogram_fixed_width(values: _Any, value_range: _Any, nbins: _Any = 100, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Counts the values in each of `nbins` equal bins of a range."""

def histogram_fixed_width_bins(values: _Any, value_range: _Any, nbins: _Any = 100, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The bin of each value, where a range is cut into `nbins` equal bins."""

def identity(input: _Any, name: str | None = None) -> Tensor:
    """A tensor with the same value."""

def identity_n(input: _Any, name: str | None = None) -> list[Tensor]:
    """Tensors with the same values."""

def ifft(input: _Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last dimension, scaled by 1 / size."""

def ifft2d(input: _Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last two dimensions, scaled by 1 / size."""

def ifft3d(input: _Any, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over the last three dimensions, scaled by 1 / size."""

def ifftnd(input: _Any, fft_length: _Any, axes: _Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.fftnd`."""

def igamma(a: _Any, x: _Any, name: str | None = None) -> Tensor:
    """Lower regularised incomplete gamma function P(a, x)."""

def igammac(a: _Any, x: _Any, name: str | None = None) -> Tensor:
    """Upper regularised incomplete gamma function Q(a, x)."""

def imag(input: _Any, name: str | None = None) -> Tensor:
    """The imaginary part of complex numbers."""

def import_graph_def(graph_def: _Any, input_map: _Any = None, return_elements: _Any = None, name: str | None = None, op_dict: _Any = None, producer_op_list: _Any = None) -> _Any:
    """Adds the operations of a GraphDef to the default graph."""

def init_scope() -> _Any:
    """A context manager that leaves functions, conditionals and loops that are being built."""

def initialize_all_tables(name: str | None = 'init_all_tables') -> Operation:
    """Old name of `tf.tables_initializer`."""

def initialize_all_variables() -> Operation:
    """Old name of `tf.global_variables_initializer`."""

def initialize_local_variables() -> Operation:
    """Old name of `tf.local_variables_initializer`."""

def initialize_variables(var_list: _Any, name: str | None = 'init') -> Operation:
    """Old name of `tf.variables_initializer`."""

int16: DType

int32: DType

int64: DType

int8: DType

def invert_permutation(x: _Any, name: str | None = None) -> Tensor:
    """The inverse of a permutation: y[x[i]] = i."""

def irfftnd(input: _Any, fft_length: _Any, axes: _Any, Treal: _Any = ..., name: str | None = None) -> Tensor:
    """The inverse of `tf.rfftnd`."""

def is_finite(x: _Any, name: str | None = None) -> Tensor:
    """Which elements are finite."""

def is_inf(x: _Any, name: str | None = None) -> Tensor:
    """Which elements are infinite."""

def is_nan(x: _Any, name: str | None = None) -> Tensor:
    """Which elements are NaN."""

def is_non_decreasing(x: _Any, name: str | None = None) -> Tensor:
    """Whether no element, in row-major order, is less than the one before it."""

def is_numeric_tensor(tensor: _Any) -> builtins.bool:
    """Whether an object is a `Tensor` of numbers."""

def is_strictly_increasing(x: _Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, exceeds the one before it."""

def is_symbolic_tensor(tensor: _Any) -> builtins.bool:
    """Whether a value is a `Tensor`."""

def is_tensor(x: _Any) -> builtins.bool:
    """Whether a value is part of a graph and may be passed to operations."""

def is_variable_initialized(variable: _Any) -> Tensor:
    """Whether a variable has a value."""

def lbeta(x: _Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the last dimension."""

def less(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x < y."""

def less_equal(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x <= y."""

def lgamma(x: _Any, name: str | None = None) -> Tensor:
    """log(|gamma(x)|)."""

def lin_space(start: _Any, stop: _Any, num: _Any, name: str | None = None, axis: _Any = 0) -> Tensor:
    """Evenly spaced values from `start` to `stop`, both included."""

linspace = lin_space

def load_library(library_location: _Any) -> _Any:
    """Loads a library as `tf.load_op_library` does, or all libraries of a folder."""

def load_op_library(library_filename: _Any) -> _Any:
    """Loads a library of op types and kernels that was built against `tfcore/kernel.h` (see `tf.sysconfig`)."""

def local_variables(scope: _Any = None) -> _Any:
    """The variables that are local to this process: the collection LOCAL_VARIABLES."""

def local_variables_initializer() -> Operation:
    """An operation that initializes all local variables."""

def log(x: _Any, name: str | None = None) -> Tensor:
    """Natural logarithm."""

def log1p(x: _Any, name: str | None = None) -> Tensor:
    """log(1 + x), accurate near 0."""

def log_sigmoid(x: _Any, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, log(1 / (1 + exp(-x))), without overflow."""

def logical_and(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where both are true."""

def logical_not(x: _Any, name: str | None = None) -> Tensor:
    """Logical not."""

def logical_or(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where either is true."""

def logical_xor(x: _Any, y: _Any, name: str | None = 'LogicalXor') -> Tensor:
    """Where exactly one of x and y is true."""

def make_ndarray(tensor: _Any) -> _Any:
    """Converts a TensorProto to an array."""

def make_template(name_: _Any, func_: _Any, create_scope_now_: _Any = False, unique_name_: _Any = None, custom_getter_: _Any = None, **kwargs: _Any) -> _Any:
    """A function that creates its variables in the first call and shares them in all others."""

def make_tensor_proto(values: _Any, dtype: _Any = None, shape: _Any = None, verify_shape: _Any = False, allow_broadcast: _Any = False) -> _Any:
    """Converts a value to a TensorProto, as stored in a Const operation."""

def map_fn(fn: _Any, elems: _Any, dtype: _Any = None, parallel_iterations: _Any = None, back_prop: _Any = True, swap_memory: _Any = False, infer_shape: _Any = True, name: str | None = None, fn_output_signature: _Any = None) -> _Any:
    """Applies `fn` to each element of `elems` along the first dimension and stacks the results."""

def matching_files(pattern: _Any, name: str | None = None) -> Tensor:
    """The names of files that match a pattern, or any pattern of a vector, in alphabetical order."""

def matmul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, adjoint_a: _Any = False, adjoint_b: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, output_type: _Any = None, grad_a: _Any = False, grad_b: _Any = False, name: str | None = None) -> Tensor:
    """The product of two matrices, or of batches of them, whose leading dimensions broadcast."""

def matrix_band_part(input: _Any, num_lower: _Any, num_upper: _Any, name: str | None = None) -> Tensor:
    """Matrices with zeros outside a band around the main diagonal."""

def matrix_determinant(input: _Any, name: str | None = None) -> Tensor:
    """The determinants of matrices."""

def matrix_diag(diagonal: _Any, name: str | None = 'diag', k: _Any = 0, num_rows: _Any = -1, num_cols: _Any = -1, padding_value: _Any = 0, align: _Any = 'RIGHT_LEFT') -> Tensor:
    """Matrices with the given diagonals."""

def matrix_diag_part(input: _Any, name: str | None = 'diag_part', k: _Any = 0, padding_value: _Any = 0, align: _Any = 'RIGHT_LEFT') -> Tensor:
    """Diagonals of matrices."""

def matrix_inverse(input: _Any, adjoint: _Any = False, name: str | None = None) -> Tensor:
    """The inverses of matrices, or of their adjoints."""

def matrix_set_diag(input: _Any, diagonal: _Any, name: str | None = 'set_diag', k: _Any = 0, align: _Any = 'RIGHT_LEFT') -> Tensor:
    """Matrices with some of their diagonals replaced."""

def matrix_solve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: str | None = None) -> Tensor:
    """Solves matrix x = rhs, or with `adjoint` adjoint(matrix) x = rhs."""

def matrix_solve_ls(matrix: _Any, rhs: _Any, l2_regularizer: _Any = 0.0, fast: _Any = True, name: str | None = None) -> Tensor:
    """Solves least-squares problems: x for which the sum of squares of matrix x - rhs is least."""

def matrix_square_root(input: _Any, name: str | None = None) -> Tensor:
    """The principal square roots of matrices: x with matmul(x, x) = input."""

def matrix_transpose(a: _Any, name: str | None = 'matrix_transpose', conjugate: _Any = False) -> Tensor:
    """Transposes matrices: exchanges the last two dimensions."""

def matrix_triangular_solve(matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: str | None = None) -> Tensor:
    """Solves matrix x = rhs for triangular matrices, by substitution."""

def maximum(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element; NaN if either is."""

def meshgrid(*args: _Any, **kwargs: _Any) -> list[Tensor]:
    """Coordinate grids of vectors, as in NumPy."""

def min_max_variable_partitioner(max_partitions: _Any = 1, axis: _Any = 0, min_slice_size: _Any = 262144, bytes_per_string_element: _Any = 16) -> _Any:
    """A partitioner that splits into as many parts as possible, up to a number, each of at least a given size."""

def minimum(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element; NaN if either is."""

mod = floormod

def model_variables(scope: _Any = None) -> _Any:
    """The variables of the collection MODEL_VARIABLES."""

def moving_average_variables(scope: _Any = None) -> _Any:
    """The variables that a `tf.train.ExponentialMovingAverage` follows."""

def multinomial(logits: _Any, num_samples: _Any, seed: _Any = None, name: str | None = None, output_dtype: _Any = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities."""

def multiply(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x * y, element by element with broadcasting."""

class name_scope:
    """A context manager that prefixes the names of new operations. See `tf.Graph.name_scope`."""
    def __enter__(self) -> name_scope: ...
    def __exit__(self, *exc: _Any) -> None: ...
    def __init__(self, name: _Any, default_name: _Any = None, values: _Any = None) -> None: ...
    @property
    def name(self) -> _Any:
        """The requested name, before it is made unique."""

def negative(x: _Any, name: str | None = None) -> Tensor:
    """Numerical negative value."""

newaxis: _Any

no_gradient = NoGradient

def no_op(name: str | None = None) -> Operation:
    """Does nothing: a target that runs its control inputs."""

def no_regularizer(_: _Any) -> _Any:
    """A regularizer that adds no loss: it disables the regularizer of an outer scope."""

def norm(tensor: _Any, ord: _Any = 'euclidean', axis: _Any = None, keepdims: _Any = None, name: str | None = None, keep_dims: _Any = None) -> Tensor:
    """The norm of vectors or matrices."""

def not_equal(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where x != y."""

def numpy_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, stateful: _Any = True, name: str | None = None) -> Tensor:
    """`py_func` under the name that it has in later versions."""

def one_hot(indices: _Any, depth: _Any, on_value: _Any = None, off_value: _Any = None, axis: _Any = None, dtype: _Any = None, name: str | None = None) -> Tensor:
    """One-hot vectors: `on_value` at each index, `off_value` elsewhere."""

def ones(shape: _Any, dtype: _Any = ..., name: str | None = None, layout: _Any = None) -> Tensor:
    """A tensor of ones (True)."""

class ones_initializer:
    """Initializes with ones; True for bool."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""

def ones_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> Tensor:
    """A tensor of ones (True) with the shape of another."""

def op_scope(values: _Any, name: _Any, default_name: _Any = None) -> _Any:
    """A context manager that prefixes the names of operations: `tf.name_scope` with another order of arguments."""

class orthogonal_initializer:
    """Initializes with a random matrix that has orthonormal rows or columns, times `gain`."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, gain: _Any = 1.0, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    gain: _Any
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    seed: _Any

def pad(tensor: _Any, paddings: _Any, mode: _Any = 'CONSTANT', name: str | None = None, constant_values: _Any = 0) -> Tensor:
    """Adds elements before and after a tensor in each dimension."""

def parallel_dynamic_stitch(indices: _Any, data: _Any, name: str | None = None) -> Tensor:
    """Like `dynamic_stitch`, for indices that are all different."""

def parallel_stack(values: _Any, name: str | None = 'parallel_stack') -> Tensor:
    """`stack` along a new first dimension."""

def parse_example(serialized: _Any, features: _Any, name: str | None = None, example_names: _Any = None) -> _Any:
    """Parses a batch of serialized messages `tf.train.Example`."""

def parse_single_example(serialized: _Any, features: _Any, name: str | None = None, example_names: _Any = None) -> _Any:
    """Parses one serialized message `tf.train.Example`."""

def parse_single_sequence_example(serialized: _Any, context_features: _Any = None, sequence_features: _Any = None, example_name: _Any = None, name: str | None = None) -> _Any:
    """Parses one serialized message `tf.train.SequenceExample`."""

def parse_tensor(serialized: _Any, out_type: _Any, name: str | None = None) -> Tensor:
    """The tensor in a serialized message TensorProto, which must be of type `out_type`."""

def placeholder(dtype: _Any, shape: _Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value is fed to each run with `feed_dict`."""

def placeholder_with_default(input: _Any, shape: _Any, name: str | None = None) -> Tensor:
    """A tensor that has the value of `input` unless another one is fed."""

def polygamma(a: _Any, x: _Any, name: str | None = None) -> Tensor:
    """The a-th derivative of digamma."""

def pow(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x ** y, element by element with broadcasting."""

def print(*inputs: _Any, **kwargs: _Any) -> Operation:
    """Makes an operation that prints tensors, strings and nests of them when it runs."""

def py_func(func: _Any, inp: _Any, Tout: _Any, stateful: _Any = True, name: str | None = None) -> Tensor:
    """Calls a Python function with the values of tensors in every step that needs the result."""

def py_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, name: str | None = None) -> Tensor:
    """`py_func` for functions that are written for eager tensors, as far as they use their values."""

qint16: DType

qint32: DType

qint8: DType

def qr(input: _Any, full_matrices: _Any = False, name: str | None = None) -> _Any:
    """The QR decompositions of matrices: input = matmul(q, r)."""

def quantize(input: _Any, min_range: _Any, max_range: _Any, T: _Any, mode: _Any = 'MIN_COMBINED', round_mode: _Any = 'HALF_AWAY_FROM_ZERO', name: str | None = None, narrow_range: _Any = False, axis: _Any = None, ensure_minimum_range: _Any = 0.01) -> _Any:
    """Rounds numbers to integers that stand for evenly spaced numbers of a range."""

def quantize_v2(input: _Any, min_range: _Any, max_range: _Any, T: _Any, mode: _Any = 'MIN_COMBINED', name: str | None = None, round_mode: _Any = 'HALF_AWAY_FROM_ZERO', narrow_range: _Any = False, axis: _Any = None, ensure_minimum_range: _Any = 0.01) -> _Any:
    """`tf.quantization.quantize` with another order of arguments; deprecated, as in TensorFlow."""

def quantized_concat(concat_dim: _Any, values: _Any, input_mins: _Any, input_maxes: _Any, name: str | None = None) -> _Any:
    """Joins quantized tensors along a dimension, in a range for all of them."""

quint16: DType

quint8: DType

def ragged_fill_empty_rows(value_rowids: _Any, values: _Any, nrows: _Any, default_value: _Any, name: str | None = None) -> _Any:
    """Gives each row without a value a default one."""

def ragged_fill_empty_rows_grad(reverse_index_map: _Any, grad_values: _Any, name: str | None = None) -> _Any:
    """The gradient of `ragged_fill_empty_rows`."""

def random_crop(value: _Any, size: _Any, seed: _Any = None, name: str | None = None) -> Tensor:
    """A part of a tensor from a random place."""

def random_gamma(shape: _Any, alpha: _Any, beta: _Any = None, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> Tensor:
    """Samples of gamma distributions."""

def random_index_shuffle(index: _Any, seed: _Any, max_index: _Any, rounds: _Any = 4, name: str | None = None) -> Tensor:
    """The element at an index of a random permutation of [0, max_index], which the seed determines."""

def random_normal(shape: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> Tensor:
    """Normally distributed numbers."""

class random_normal_initializer:
    """Initializes with normally distributed values."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, mean: _Any = 0.0, stddev: _Any = 1.0, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    mean: _Any
    seed: _Any
    stddev: _Any

def random_poisson(lam: _Any, shape: _Any, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> Tensor:
    """Samples of Poisson distributions."""

def random_shuffle(value: _Any, seed: _Any = None, name: str | None = None) -> Tensor:
    """The rows of a tensor, along its first dimension, in random order."""

def random_uniform(shape: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> Tensor:
    """Uniformly distributed numbers in [minval, maxval)."""

class random_uniform_initializer:
    """Initializes with uniformly distributed values in [minval, maxval)."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, minval: _Any = 0.0, maxval: _Any = None, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    maxval: _Any
    minval: _Any
    seed: _Any

def range(start: _Any, limit: _Any = None, delta: _Any = 1, dtype: _Any = None, name: str | None = 'range') -> Tensor:
    """The sequence start, start + delta, ..., which stops before `limit`."""

def rank(input: _Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor."""

def read_file(filename: _Any, name: str | None = None) -> Tensor:
    """The bytes of a file. It is read each time the operation runs."""

def real(input: _Any, name: str | None = None) -> Tensor:
    """The real part of complex numbers."""

def realdiv(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y, element by element with broadcasting."""

def reciprocal(x: _Any, name: str | None = None) -> Tensor:
    """1 / x."""

def recompute_grad(f: _Any) -> _Any:
    """Wraps a function: its gradient computes it again, instead of keeping the tensors inside until then."""

def reduce_all(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """Whether all elements along dimensions are true."""

def reduce_any(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """Whether any element along dimensions is true."""

def reduce_join(inputs: _Any, axis: _Any = None, keep_dims: _Any = None, separator: _Any = '', name: str | None = None, reduction_indices: _Any = None, keepdims: _Any = None) -> Tensor:
    """Joins strings along dimensions."""

def reduce_logsumexp(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """log(sum(exp(x))) along dimensions, computed without overflow."""

def reduce_max(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """The largest elements along dimensions; NaN where there is one."""

def reduce_mean(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """Averages elements along dimensions. Integer types round towards zero, as in TensorFlow."""

def reduce_min(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """The smallest elements along dimensions; NaN where there is one."""

def reduce_prod(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """Multiplies elements along dimensions."""

def reduce_sum(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> Tensor:
    """Sums elements along dimensions."""

def regex_replace(input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: str | None = None) -> Tensor:
    """Strings in which the matches of a regular expression are replaced."""

def register_tensor_conversion_function(base_type: _Any, conversion_func: _Any, priority: _Any = 100) -> _Any:
    """Registers a function that converts objects of a type to `Tensor`s."""

def repeat(input: _Any, repeats: _Any, axis: _Any = None, name: str | None = None) -> Tensor:
    """Repeats each element of a tensor along a dimension."""

def report_uninitialized_variables(var_list: _Any = None, name: str | None = 'report_uninitialized_variables') -> Tensor:
    """The names of the variables that are not initialized."""

def required_space_to_batch_paddings(input_shape: _Any, block_shape: _Any, base_paddings: _Any = None, name: str | None = None) -> _Any:
    """The paddings that make sizes multiples of block sizes, for `space_to_batch_nd` and `batch_to_space_nd`."""

def reset_default_graph() -> _Any:
    """Replaces the shared default graph by an empty one. Sessions and tensors of the old graph stay with the old one."""

def reshape(tensor: _Any, shape: _Any, name: str | None = None) -> Tensor:
    """Gives the elements of a tensor another shape, in row-major order."""

resource: DType

def resource_variables_enabled() -> builtins.bool:
    """Whether the program has asked for resource variables by `tf.enable_resource_variables`."""

def reverse(tensor: _Any, axis: _Any, name: str | None = None) -> Tensor:
    """Reverses the order of elements along the given dimensions."""

def reverse_sequence(input: _Any, seq_lengths: _Any, seq_axis: _Any = None, batch_axis: _Any = None, name: str | None = None, seq_dim: _Any = None, batch_dim: _Any = None) -> Tensor:
    """Reverses the first seq_lengths[i] elements along `seq_axis`, for each index i along `batch_axis`."""

reverse_v2 = reverse

def rfftnd(input: _Any, fft_length: _Any, axes: _Any, Tcomplex: _Any = ..., name: str | None = None) -> Tensor:
    """The Fourier transform of real values over any dimensions."""

def rint(x: _Any, name: str | None = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def roll(input: _Any, shift: _Any, axis: _Any, name: str | None = None) -> Tensor:
    """Rotates elements by `shift` places along `axis`; those that leave at the end enter at the start."""

def round(x: _Any, name: str | None = None) -> Tensor:
    """The nearest integer; halves go to the even one."""

def rsqrt(x: _Any, name: str | None = None) -> Tensor:
    """1 / sqrt(x)."""

def saturate_cast(value: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """Casts after clamping to the range of `dtype`, so that nothing wraps around."""

def scalar_mul(scalar: _Any, x: _Any, name: str | None = None) -> _Any:
    """A scalar times a tensor; sparse gradients remain sparse."""

def scan(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, infer_shape: _Any = True, reverse: _Any = False, name: str | None = None) -> _Any:
    """Folds `elems` from the first to the last and returns all intermediate values."""

def scatter_add(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Adds to rows of a variable: ref[indices] += updates; duplicate indices add up."""

def scatter_div(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Divides rows of a variable: ref[indices] /= updates; duplicate indices divide again."""

def scatter_max(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Takes the maximum of rows of a variable and updates."""

def scatter_min(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Takes the minimum of rows of a variable and updates."""

def scatter_mul(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Multiplies rows of a variable: ref[indices] *= updates; duplicate indices multiply."""

def scatter_nd(indices: _Any, updates: _Any, shape: _Any, bad_indices_policy: _Any = '', name: str | None = None) -> Tensor:
    """Adds updates at indices of a tensor of zeros."""

def scatter_nd_add(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Adds to elements or slices of a variable; duplicate indices add up."""

def scatter_nd_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Subtracts from elements or slices of a variable; duplicate indices add up."""

def scatter_nd_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: str | None = None) -> Tensor:
    """Assigns elements or slices of a variable."""

def scatter_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None) -> Tensor:
    """Subtracts from rows of a variable: ref[indices] -= updates; duplicate indices add up."""

def scatter_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: str | None = None) -> Tensor:
    """Assigns rows of a variable: ref[indices] = updates."""

def searchsorted(sorted_sequence: _Any, values: _Any, side: _Any = 'left', out_type: _Any = ..., name: str | None = None) -> Tensor:
    """Where values would be inserted in sorted rows to keep them sorted."""

def segment_max(data: _Any, segment_ids: _Any, name: str | None = None) -> Tensor:
    """The maximum of the rows of each segment; 0 for empty segments."""

def segment_mean(data: _Any, segment_ids: _Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment; 0 for empty segments."""

def segment_min(data: _Any, segment_ids: _Any, name: str | None = None) -> Tensor:
    """The minimum of the rows of each segment; 0 for empty segments."""

def segment_prod(data: _Any, segment_ids: _Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; 1 for empty segments."""

def segment_sum(data: _Any, segment_ids: _Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; 0 for empty segments."""

def self_adjoint_eig(tensor: _Any, name: str | None = None) -> _Any:
    """The eigenvalues and eigenvectors of self-adjoint matrices."""

def self_adjoint_eigvals(tensor: _Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, in ascending order."""

def sequence_mask(lengths: _Any, maxlen: _Any = None, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Masks of the first `lengths` positions: mask[..., j] = j < lengths[...]."""

def serialize_many_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> Tensor:
    """The rows of a sparse tensor, each as three serialized messages TensorProto, to be put into a queue for example."""

def serialize_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> Tensor:
    """A sparse tensor as three serialized messages TensorProto: its indices, values and shape."""

def serialize_tensor(tensor: _Any, name: str | None = None) -> Tensor:
    """A tensor as a serialized message TensorProto, which `parse_tensor` reads."""

def set_random_seed(seed: _Any) -> _Any:
    """Sets the seed of the default graph."""

def setdiff1d(x: _Any, y: _Any, index_dtype: _Any = ..., name: str | None = None) -> _Any:
    """The elements of a vector that are not in another, in their order."""

def shape(input: _Any, name: str | None = None, out_type: _Any = None) -> Tensor:
    """The shape of a tensor as a vector."""

def shape_n(input: _Any, out_type: _Any = ..., name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors as vectors."""

def sigmoid(x: _Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x))."""

def sign(x: _Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN; x / |x| for complex numbers."""

def sin(x: _Any, name: str | None = None) -> Tensor:
    """Sine."""

def sinh(x: _Any, name: str | None = None) -> Tensor:
    """Hyperbolic sine."""

def size(input: _Any, name: str | None = None, out_type: _Any = None) -> Tensor:
    """The number of elements of a tensor."""

def slice(input_: _Any, begin: _Any, size: _Any, name: str | None = None) -> Tensor:
    """A box of a tensor, given by where it starts and its size."""

def sort(values: _Any, axis: _Any = -1, direction: _Any = 'ASCENDING', name: str | None = None) -> Tensor:
    """Sorts a tensor along a dimension."""

def space_to_batch(input: _Any, paddings: _Any, block_size: _Any = None, name: str | None = None, block_shape: _Any = None) -> Tensor:
    """`space_to_batch_nd` for images and square blocks."""

def space_to_batch_nd(input: _Any, block_shape: _Any, paddings: _Any, name: str | None = None) -> Tensor:
    """Pads with zeros, then moves the positions within each block into the batch dimension."""

def space_to_depth(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = 'NHWC') -> Tensor:
    """Moves blocks of block_size x block_size pixels into the channels."""

def sparse_add(a: _Any, b: _Any, threshold: _Any = None, thresh: _Any = None) -> SparseTensor:
    """The sum of two sparse tensors, or of a sparse and a dense one."""

def sparse_concat(axis: _Any, sp_inputs: _Any, name: str | None = None, expand_nonconcat_dim: _Any = False, concat_dim: _Any = None, expand_nonconcat_dims: _Any = None) -> SparseTensor:
    """Sparse tensors joined along a dimension."""

def sparse_fill_empty_rows(sp_input: _Any, default_value: _Any, name: str | None = None) -> _Any:
    """A sparse tensor in which each row has an element."""

def sparse_mask(a: _Any, mask_indices: _Any, name: str | None = None) -> IndexedSlices:
    """The slices of an `IndexedSlices` but for some."""

def sparse_matmul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, name: str | None = None) -> Tensor:
    """The product of two dense matrices, which may have many zeros; the hints that they do have no effect here."""

def sparse_maximum(sp_a: _Any, sp_b: _Any, name: str | None = None) -> SparseTensor:
    """The maximum of two sparse tensors, element by element; what only one of them has is compared with 0."""

def sparse_merge(sp_ids: _Any, sp_values: _Any, vocab_size: _Any, name: str | None = None, already_sorted: _Any = False) -> SparseTensor:
    """A sparse tensor whose last index is an id: values of features, given by the ids of the features."""

def sparse_minimum(sp_a: _Any, sp_b: _Any, name: str | None = None) -> SparseTensor:
    """The minimum of two sparse tensors, element by element; what only one of them has is compared with 0."""

def sparse_placeholder(dtype: _Any, shape: _Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose value is fed to each run, as a `SparseTensorValue`."""

def sparse_reduce_max(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> Tensor:
    """The greatest of a sparse tensor's elements along axes, as a dense tensor."""

def sparse_reduce_max_sparse(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> SparseTensor:
    """The greatest of a sparse tensor's elements along axes, as a sparse tensor."""

def sparse_reduce_sum(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> Tensor:
    """The sum of a sparse tensor's elements along axes, as a dense tensor."""

def sparse_reduce_sum_sparse(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> SparseTensor:
    """The sum of a sparse tensor's elements along axes, as a sparse tensor."""

def sparse_reorder(sp_input: _Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose elements are in row-major order, the order that most operations need."""

def sparse_reset_shape(sp_input: _Any, new_shape: _Any = None) -> SparseTensor:
    """A sparse tensor with the same elements in a larger shape, or in the smallest that holds them."""

def sparse_reshape(sp_input: _Any, shape: _Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor with another shape and the same elements, as `tf.reshape` does it for dense ones."""

def sparse_retain(sp_input: _Any, to_retain: _Any) -> SparseTensor:
    """A sparse tensor with some of the elements."""

def sparse_segment_mean(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: _Any = False) -> Tensor:
    """The mean of rows for each segment, where indices choose the rows."""

def sparse_segment_sqrt_n(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: _Any = False) -> Tensor:
    """The sum of rows for each segment, divided by the square root of their number, where indices choose the rows."""

def sparse_segment_sum(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: _Any = False) -> Tensor:
    """The sum of rows for each segment, where indices choose the rows."""

def sparse_slice(sp_input: _Any, start: _Any, size: _Any, name: str | None = None) -> SparseTensor:
    """The part of a sparse tensor from one index on."""

def sparse_softmax(sp_input: _Any, name: str | None = None) -> SparseTensor:
    """Softmax along the last dimension of a sparse tensor; elements that are not given take no part."""

def sparse_split(keyword_required: _Any = ..., sp_input: _Any = None, num_split: _Any = None, axis: _Any = None, name: str | None = None, split_dim: _Any = None) -> _Any:
    """The parts of a sparse tensor along a dimension."""

def sparse_tensor_dense_matmul(sp_a: _Any, b: _Any, adjoint_a: _Any = False, adjoint_b: _Any = False, name: str | None = None) -> Tensor:
    """The product of a sparse and a dense matrix."""

def sparse_tensor_to_dense(sp_input: _Any, default_value: _Any = None, validate_indices: _Any = True, name: str | None = None) -> Tensor:
    """A dense tensor with the elements of a sparse one."""

def sparse_to_dense(sparse_indices: _Any, output_shape: _Any, sparse_values: _Any, default_value: _Any = 0, validate_indices: _Any = True, name: str | None = None) -> Tensor:
    """A dense tensor from its elements."""

def sparse_to_indicator(sp_input: _Any, vocab_size: _Any, name: str | None = None) -> builtins.bool:
    """Which ids each row has, as a dense tensor of bools."""

def sparse_transpose(sp_input: _Any, perm: _Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its dimensions in another order."""

def split(value: _Any, num_or_size_splits: _Any, axis: _Any = 0, num: _Any = None, name: str | None = 'split') -> list[Tensor]:
    """Cuts a tensor into pieces along a dimension."""

def sqrt(x: _Any, name: str | None = None) -> Tensor:
    """Square root."""

def square(x: _Any, name: str | None = None) -> Tensor:
    """x * x."""

def squared_difference(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """(x - y) ** 2, element by element; complex numbers: (x - y) conj(x - y)."""

def squeeze(input: _Any, axis: _Any = None, name: str | None = None, squeeze_dims: _Any = None) -> Tensor:
    """Removes dimensions of size 1."""

def stack(values: _Any, axis: _Any = 0, name: str | None = 'stack') -> Tensor:
    """Joins tensors of one shape along a new dimension."""

def stop_gradient(input: _Any, name: str | None = None) -> Tensor:
    """The value of `input`, which gradients treat as a constant."""

class strict_broadcasting:
    """A context manager that turns strict broadcasting on or off for operations added by this thread."""
    def __enter__(self) -> strict_broadcasting: ...
    def __exit__(self, *exc: _Any) -> None: ...
    def __init__(self, enabled: _Any = True) -> None: ...

def strided_slice(input_: _Any, begin: _Any, end: _Any, strides: _Any = None, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, var: _Any = None, name: str | None = None) -> Tensor:
    """A slice with steps, as `tensor[begin:end:stride, ...]` makes it."""

string: DType

def string_join(inputs: _Any, separator: _Any = '', name: str | None = None) -> Tensor:
    """Joins strings element by element."""

def string_split(source: _Any, sep: _Any = None, skip_empty: _Any = True, delimiter: _Any = None, result_type: _Any = 'SparseTensor', name: str | None = None) -> _Any:
    """Splits strings at certain bytes."""

def string_strip(input: _Any, name: str | None = None) -> Tensor:
    """Strings without the white space (spaces, tabs, line ends) at both ends."""

def string_to_hash_bucket(string_tensor: _Any = None, num_buckets: _Any = None, name: str | None = None, input: _Any = None) -> Tensor:
    """Assigns strings to buckets by a hash value (MurmurHash64A)."""

def string_to_hash_bucket_fast(input: _Any, num_buckets: _Any, name: str | None = None) -> Tensor:
    """Assigns strings to buckets by their fingerprint (FarmHash's Fingerprint64)."""

def string_to_hash_bucket_strong(input: _Any, num_buckets: _Any, key: _Any, name: str | None = None) -> Tensor:
    """Assigns strings to buckets by a keyed hash value (SipHash-2-4)."""

def string_to_number(string_tensor: _Any = None, out_type: _Any = ..., name: str | None = None, input: _Any = None) -> Tensor:
    """The numbers that strings spell."""

def substr(input: _Any, pos: _Any, len: _Any, name: str | None = None, unit: _Any = 'BYTE') -> Tensor:
    """Up to `len` bytes of each string from byte `pos` on; a negative `pos` counts from the end."""

def subtract(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x - y, element by element with broadcasting."""

def svd(tensor: _Any, full_matrices: _Any = False, compute_uv: _Any = True, name: str | None = None) -> _Any:
    """The singular value decompositions of matrices: tensor = u diag(s) adjoint(v)."""

def switch_case(branch_index: _Any, branch_fns: _Any, default: _Any = None, name: str | None = 'switch_case') -> _Any:
    """Returns the result of function number `branch_index`, or of `default` for any other number."""

def tables_initializer(name: str | None = 'init_all_tables') -> Operation:
    """An operation that runs the initializers of all lookup tables: the collection TABLE_INITIALIZERS."""

def tan(x: _Any, name: str | None = None) -> Tensor:
    """Tangent."""

def tanh(x: _Any, name: str | None = None) -> Tensor:
    """Hyperbolic tangent."""

def tensor_scatter_add(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: str | None = None) -> Tensor:
    """A copy of a tensor with updates added at indices."""

def tensor_scatter_max(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: str | None = None) -> Tensor:
    """A copy of a tensor with the maximum of the old value and the updates at indices."""

def tensor_scatter_min(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: str | None = None) -> Tensor:
    """A copy of a tensor with the minimum of the old value and the updates at indices."""

tensor_scatter_nd_add = tensor_scatter_add

tensor_scatter_nd_max = tensor_scatter_max

tensor_scatter_nd_min = tensor_scatter_min

def tensor_scatter_nd_sub(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: str | None = None) -> Tensor:
    """A copy of a tensor with updates subtracted at indices."""

def tensor_scatter_nd_update(tensor: _Any, indices: _Any, updates: _Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with updates at indices; of several for one place the last counts."""

tensor_scatter_sub = tensor_scatter_nd_sub

tensor_scatter_update = tensor_scatter_nd_update

def tensordot(a: _Any, b: _Any, axes: _Any, name: str | None = None) -> Tensor:
    """Sums products of elements over some dimensions of two tensors."""

def tile(input: _Any, multiples: _Any, name: str | None = None) -> Tensor:
    """Repeats a tensor multiples[d] times in each dimension d."""

def timestamp(name: str | None = None) -> Tensor:
    """Seconds since the start of 1970 (UTC) when the operation runs, with microseconds."""

def to_bfloat16(x: _Any, name: str | None = 'ToBFloat16') -> Tensor:
    """Casts to bfloat16."""

def to_complex128(x: _Any, name: str | None = 'ToComplex128') -> Tensor:
    """Casts to complex128."""

def to_complex64(x: _Any, name: str | None = 'ToComplex64') -> Tensor:
    """Casts to complex64."""

def to_double(x: _Any, name: str | None = 'ToDouble') -> Tensor:
    """Casts to float64."""

def to_float(x: _Any, name: str | None = 'ToFloat') -> Tensor:
    """Casts to float32."""

def to_int32(x: _Any, name: str | None = 'ToInt32') -> Tensor:
    """Casts to int32."""

def to_int64(x: _Any, name: str | None = 'ToInt64') -> Tensor:
    """Casts to int64."""

def trace(x: _Any, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices."""

def trainable_variables(scope: _Any = None) -> _Any:
    """The variables that optimizers train: those created with `trainable=True`."""

def transpose(a: _Any, perm: _Any = None, name: str | None = 'transpose', conjugate: _Any = False) -> Tensor:
    """Permutes the dimensions of a tensor."""

def truediv(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y as Python 3 divides: integers are converted to floating point first."""

def truncated_normal(shape: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> Tensor:
    """Normally distributed numbers, redrawn where they are more than two standard deviations from the mean."""

class truncated_normal_initializer(random_normal_initializer):
    """Initializes from a normal distribution; values beyond two standard deviations from the mean are drawn again."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...

def truncatediv(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y, rounded towards zero as in C."""

def truncatemod(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`, with the sign of x."""

def tuple(tensors: _Any, name: str | None = None, control_inputs: _Any = None) -> _Any:
    """Passes tensors on once all of them, and all of `control_inputs`, are computed."""

def type_spec_from_value(value: _Any) -> _Any:
    """The specification of a value."""

uint16: DType

uint32: DType

uint64: DType

uint8: DType

class uniform_unit_scaling_initializer:
    """Initializes uniformly within `factor * sqrt(3 / n)`, where n is the product of all dimensions but the last."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, factor: _Any = 1.0, seed: _Any = None, dtype: _Any = ...) -> None: ...
    dtype: _Any
    factor: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    seed: _Any

def unique(x: _Any, out_idx: _Any = ..., name: str | None = None) -> _Any:
    """The distinct values of a vector in order of first appearance."""

def unique_with_counts(x: _Any, out_idx: _Any = ..., name: str | None = None) -> _Any:
    """The distinct values of a vector in order of first appearance, and their counts."""

def unravel_index(indices: _Any, dims: _Any, name: str | None = None) -> Tensor:
    """The positions of flat indices in an array of a given shape."""

def unsorted_segment_max(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The maximum of the slices of each segment; the lowest value of the type for empty segments."""

def unsorted_segment_mean(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The mean of the slices of each segment; 0 for empty segments."""

def unsorted_segment_min(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The minimum of the slices of each segment; the highest value of the type for empty segments."""

def unsorted_segment_prod(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The product of the slices of each segment; 1 for empty segments."""

def unsorted_segment_sqrt_n(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The sum of the slices of each segment, divided by the square root of their number; 0 for empty segments."""

def unsorted_segment_sum(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None) -> Tensor:
    """The sum of the slices of each segment; 0 for empty segments."""

def unstack(value: _Any, num: _Any = None, axis: _Any = 0, name: str | None = 'unstack') -> list[Tensor]:
    """Takes a tensor apart along a dimension, which disappears: the inverse of `stack`."""

def variable_axis_size_partitioner(max_shard_bytes: _Any, axis: _Any = 0, bytes_per_string_element: _Any = 16, max_shards: _Any = None) -> _Any:
    """A partitioner that keeps each part below a size, by splitting along one axis."""

def variable_creator_scope(variable_creator: _Any) -> _Any:
    """A context manager in which a function creates the variables."""

def variable_op_scope(values: _Any, name_or_scope: _Any, default_name: _Any = None, initializer: _Any = None, regularizer: _Any = None, caching_device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, reuse: _Any = None, dtype: _Any = None, use_resource: _Any = None, constraint: _Any = None) -> _Any:
    """Deprecated form of `tf.variable_scope`."""

class variable_scope:
    """A context manager for variables: sets the prefix of their names and their defaults."""
    def __enter__(self) -> variable_scope: ...
    def __exit__(self, kind: _Any, value: _Any, trace: _Any) -> None: ...
    def __init__(self, name_or_scope: _Any, default_name: _Any = None, values: _Any = None, initializer: _Any = None, regularizer: _Any = None, caching_device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, reuse: _Any = None, dtype: _Any = None, use_resource: _Any = None, constraint: _Any = None, auxiliary_name_scope: _Any = True) -> None: ...

def variables_initializer(var_list: _Any, name: str | None = 'init') -> Operation:
    """An operation that initializes variables."""

class variance_scaling_initializer:
    """Initializes with random values of variance `scale / n`, so that activations or gradients keep their scale."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, scale: _Any = 1.0, mode: _Any = 'fan_in', distribution: _Any = 'truncated_normal', seed: _Any = None, dtype: _Any = ...) -> None: ...
    distribution: _Any
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""
    mode: _Any
    scale: _Any
    seed: _Any

variant: DType

def vectorized_map(fn: _Any, elems: _Any, fallback_to_while_loop: _Any = True, warn: _Any = True) -> _Any:
    """Applies `fn` to each slice of `elems` along the first dimension and stacks the results."""

def verify_tensor_all_finite(t: _Any = None, msg: _Any = None, name: str | None = None, x: _Any = None, message: _Any = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def where(condition: _Any, x: _Any = None, y: _Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where the condition is true, else of `y`; without them the coordinates of the true elements."""

def where_v2(condition: _Any, x: _Any = None, y: _Any = None, name: str | None = None) -> Tensor:
    """Like `where`, but `condition`, `x` and `y` broadcast."""

def while_loop(cond: _Any, body: _Any, loop_vars: _Any, shape_invariants: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: str | None = None, maximum_iterations: _Any = None, return_same_structure: _Any = False) -> _Any:
    """Repeats `body` while `cond` is true."""

def write_file(filename: _Any, contents: _Any, name: str | None = None) -> Operation:
    """Writes a file, and makes the folders that it needs. What the file had before is lost."""

def zeros(shape: _Any, dtype: _Any = ..., name: str | None = None, layout: _Any = None) -> Tensor:
    """A tensor of zeros (False, empty strings)."""

class zeros_initializer:
    """Initializes with zeros; empty strings or False for those types."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""

def zeros_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> Tensor:
    """A tensor of zeros (False, empty strings) with the shape of another."""

def zeta(x: _Any, q: _Any, name: str | None = None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x over k = 0, 1, ..."""
