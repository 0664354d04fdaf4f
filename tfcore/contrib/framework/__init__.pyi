# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Graph as Graph
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore import TensorSpec as TensorSpec
from tfcore import argsort as argsort
from tfcore import assert_same_float_dtype as assert_same_float_dtype
from tfcore import assert_scalar as assert_scalar
from tfcore import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from tfcore import is_non_decreasing as is_non_decreasing
from tfcore import is_numeric_tensor as is_numeric_tensor
from tfcore import is_strictly_increasing as is_strictly_increasing
from tfcore import is_tensor as is_tensor
from tfcore import orthogonal_initializer as orthogonal_initializer
from tfcore import sort as sort
from tfcore.framework.types import nest as nest
from tfcore.train import assert_global_step as assert_global_step
from tfcore.train import create_global_step as create_global_step
from tfcore.train import get_global_step as get_global_step
from tfcore.train import get_or_create_global_step as get_or_create_global_step
from typing import Any as _Any

__all__ = [
'BoundedTensorSpec', 'TensorSpec', 'VariableDeviceChooser', 'add_arg_scope', 'add_model_variable', 'arg_scope',
'arg_scoped_arguments', 'argsort', 'assert_global_step', 'assert_or_get_global_step', 'assert_same_float_dtype',
'assert_scalar', 'assert_scalar_int', 'assign_from_checkpoint', 'assign_from_checkpoint_fn', 'assign_from_values',
'assign_from_values_fn', 'convert_to_tensor_or_sparse_tensor', 'convolutional_delta_orthogonal',
'convolutional_orthogonal_1d', 'convolutional_orthogonal_2d', 'convolutional_orthogonal_3d', 'create_global_step',
'current_arg_scope', 'deprecated', 'deprecated_arg_values', 'deprecated_args', 'filter_variables', 'get_global_step',
'get_graph_from_inputs', 'get_local_variables', 'get_model_variables', 'get_name_scope', 'get_or_create_global_step',
'get_placeholders', 'get_trainable_variables', 'get_unique_variable', 'get_variable_full_name', 'get_variables',
'get_variables_by_name', 'get_variables_by_suffix', 'get_variables_to_restore', 'global_variable', 'has_arg_scope',
'init_from_checkpoint', 'is_non_decreasing', 'is_numeric_tensor', 'is_strictly_increasing', 'is_tensor',
'list_variables', 'load_checkpoint', 'load_variable', 'local_variable', 'model_variable', 'nest', 'prepend_name_scope',
'py_func', 'reduce_sum_n', 'remove_squeezable_dimensions', 'smart_case', 'smart_cond', 'smart_constant_value', 'sort',
'strip_name_scope', 'variable', 'with_same_shape', 'with_shape', 'zero_initializer'
]

class BoundedTensorSpec(TensorSpec):
    """A `TensorSpec` with the least and greatest value of each element."""
    def __init__(self, shape: _Any, dtype: _Any, minimum: _Any, maximum: _Any, name: str | None = None) -> None: ...
    @classmethod
    def from_spec(cls, spec: _Any) -> _Any:
        """A specification with the shape and type of another one; the bounds are its own, or those of the type."""
    @property
    def maximum(self) -> _Any:
        """The greatest values, a read-only NumPy array."""
    @property
    def minimum(self) -> _Any:
        """The least values, a read-only NumPy array."""

class VariableDeviceChooser:
    """A device function that deals operations out to the tasks of a job in turn."""
    def __call__(self, op: _Any) -> _Any: ...
    def __init__(self, num_tasks: _Any = 0, job_name: _Any = 'ps', device_type: _Any = 'CPU', device_index: _Any = 0, replica: _Any = None) -> None: ...

def add_arg_scope(func: _Any) -> _Any:
    """Decorator: lets `arg_scope` set default arguments of a function."""

def add_model_variable(var: _Any) -> _Any:
    """Adds a variable to the collection MODEL_VARIABLES, once."""

def arg_scope(list_ops_or_scope: _Any, **kwargs: _Any) -> _Any:
    """Sets default arguments of functions within a block. Inner blocks override outer ones, and calls override both."""

def arg_scoped_arguments(func: _Any) -> _Any:
    """The arguments of a decorated function that `arg_scope` can set."""

def assert_or_get_global_step(graph: _Any = None, global_step_tensor: _Any = None) -> _Any:
    """The given global step, after a check, or else that of the graph."""

def assert_scalar_int(tensor: _Any, name: str | None = None) -> Tensor:
    """Checks that a tensor is a scalar of an integer type, by its static shape."""

def assign_from_checkpoint(model_path: _Any, var_list: _Any, ignore_missing_vars: _Any = False) -> Operation:
    """An operation that sets variables to the values of a checkpoint, which are read now."""

def assign_from_checkpoint_fn(model_path: _Any, var_list: _Any, ignore_missing_vars: _Any = False, reshape_variables: _Any = False) -> _Any:
    """A function of a session that sets variables to the values of a checkpoint."""

def assign_from_values(var_names_to_values: _Any) -> Operation:
    """An operation that sets variables to the values of a dict."""

def assign_from_values_fn(var_names_to_values: _Any) -> _Any:
    """A function of a session that sets variables to the values of a dict."""

class convolutional_delta_orthogonal(orthogonal_initializer):
    """Initializes a convolution kernel with an orthogonal matrix in its centre, times `gain`, and zeros elsewhere."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...

class convolutional_orthogonal_1d(orthogonal_initializer):
    """Initializes a kernel [size, in, out] of a 1-D convolution that keeps norms, times `gain`."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...

class convolutional_orthogonal_2d(orthogonal_initializer):
    """Initializes a kernel [size, size, in, out] of a 2-D convolution that keeps norms, times `gain`."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...

class convolutional_orthogonal_3d(orthogonal_initializer):
    """Initializes a kernel [size, size, size, in, out] of a 3-D convolution that keeps norms, times `gain`."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...

def current_arg_scope() -> _Any:
    """The default arguments that are in force."""

def deprecated(date: _Any, instructions: _Any, warn_once: _Any = True) -> _Any:
    """Decorator: calls of a function, or of a class's constructor, log a warning."""

def deprecated_arg_values(date: _Any, instructions: _Any, warn_once: _Any = True, **deprecated_kwargs: _Any) -> _Any:
    """Decorator: calls that pass certain values of arguments, also by default, log a warning."""

def deprecated_args(date: _Any, instructions: _Any, *deprecated_arg_names_or_tuples: _Any, **kwargs: _Any) -> _Any:
    """Decorator: calls that pass certain arguments log a warning."""

def filter_variables(var_list: _Any, include_patterns: _Any = None, exclude_patterns: _Any = None, reg_search: _Any = True) -> _Any:
    """The variables whose names match one pattern and none of the others."""

def get_graph_from_inputs(op_input_list: _Any, graph: _Any = None) -> Graph:
    """The graph that all inputs belong to."""

def get_local_variables(scope: _Any = None, suffix: _Any = None) -> _Any:
    """The variables of the collection LOCAL_VARIABLES by scope and end of the name."""

def get_model_variables(scope: _Any = None, suffix: _Any = None) -> _Any:
    """The variables of the collection MODEL_VARIABLES by scope and end of the name."""

def get_name_scope() -> str:
    """The current name scope."""

def get_placeholders(graph: _Any) -> list[Tensor]:
    """The placeholders of a graph."""

def get_trainable_variables(scope: _Any = None, suffix: _Any = None) -> _Any:
    """The trainable variables by scope and end of the name."""

def get_unique_variable(var_op_name: _Any) -> Variable:
    """The variable of this full name."""

def get_variable_full_name(var: _Any) -> str:
    """The name of a variable in checkpoints: for a part of a partitioned variable that of the whole."""

def get_variables(scope: _Any = None, suffix: _Any = None, collection: _Any = 'variables') -> _Any:
    """The variables of a collection by scope and end of the name."""

def get_variables_by_name(given_name: _Any, scope: _Any = None) -> _Any:
    """The variables of this name in any scope."""

def get_variables_by_suffix(suffix: _Any, scope: _Any = None) -> _Any:
    """The variables whose names end in `suffix`."""

def get_variables_to_restore(include: _Any = None, exclude: _Any = None) -> _Any:
    """The variables of some scopes, without those of others."""

def global_variable(initial_value: _Any, validate_shape: _Any = True, name: str | None = None, use_resource: _Any = None) -> Variable:
    """A variable that is not trained, in the collection GLOBAL_VARIABLES."""

def has_arg_scope(func: _Any) -> builtins.bool:
    """Whether a function is decorated with `add_arg_scope`."""

def init_from_checkpoint(checkpoint_dir: _Any, assignment_map: _Any) -> _Any:
    """`tf.train.init_from_checkpoint`."""

def list_variables(checkpoint_dir: _Any) -> _Any:
    """`tf.train.list_variables`."""

def load_checkpoint(filepattern: _Any) -> _Any:
    """`tf.train.load_checkpoint`."""

def load_variable(checkpoint_dir: _Any, name: _Any) -> _Any:
    """`tf.train.load_variable`."""

def local_variable(initial_value: _Any, validate_shape: _Any = True, name: str | None = None, use_resource: _Any = None) -> Variable:
    """A variable that is local to this process: not trained, in the collection LOCAL_VARIABLES."""

def model_variable(name: _Any, shape: _Any = None, dtype: _Any = ..., initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, collections: _Any = None, caching_device: _Any = None, device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, use_resource: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> _Any:
    """A variable of the model: `variable` in the collections GLOBAL_VARIABLES and MODEL_VARIABLES."""

def prepend_name_scope(name: _Any, import_scope: _Any) -> str:
    """Puts a name scope before a name."""

def py_func(func: _Any, args: _Any = (), kwargs: _Any = None, output_types: _Any = None, output_shapes: _Any = None, stateful: _Any = True, name: str | None = None) -> _Any:
    """Calls a Python function with arrays; arguments and results may be nested."""

def reduce_sum_n(tensors: _Any, name: str | None = None) -> Tensor:
    """The sum of all elements of all tensors."""

def remove_squeezable_dimensions(predictions: _Any, labels: _Any, name: str | None = None) -> _Any:
    """Squeezes the last dimension of the one that has one dimension more than the other."""

def smart_case(pred_fn_pairs: _Any, default: _Any = None, exclusive: _Any = False, name: str | None = 'smart_case') -> _Any:
    """`tf.case`, or only one of the functions if the conditions are known while the graph is built."""

def smart_cond(pred: _Any, true_fn: _Any = None, false_fn: _Any = None, name: str | None = None) -> _Any:
    """`tf.cond`, or only one of the functions if the condition is known while the graph is built."""

def smart_constant_value(pred: _Any) -> builtins.bool:
    """The value of a condition, if it is known while the graph is built."""

def strip_name_scope(name: _Any, export_scope: _Any) -> str:
    """Removes a name scope from the beginning of a name."""

def variable(name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, collections: _Any = None, caching_device: _Any = None, device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, use_resource: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> _Any:
    """`tf.get_variable` with a device."""

def with_same_shape(expected_tensor: _Any, tensor: _Any) -> _Any:
    """Checks that a tensor has the shape of another."""

def with_shape(expected_shape: _Any, tensor: _Any) -> _Any:
    """Checks that a tensor has the expected shape. A tensor with one element may become a scalar."""

def zero_initializer(ref: _Any, use_locking: _Any = True, name: str | None = 'zero_initializer') -> _Any:
    """Sets a variable to zeros."""
