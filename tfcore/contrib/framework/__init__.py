"""tf.contrib.framework: arg_scope, variables of models, checks of tensors."""

from tfcore.contrib.framework import arguments, tensors, variables
from tfcore.contrib.framework.arguments import *  # noqa: F403
from tfcore.contrib.framework.tensors import *  # noqa: F403
from tfcore.contrib.framework.variables import *  # noqa: F403
from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.framework.types import nest
from tfcore.framework.values.tensor_kinds import convert_to_tensor_or_sparse_tensor, is_tensor
from tfcore.ops.control_flow.smart_cond import smart_case, smart_cond, smart_constant_value
from tfcore.ops.debugging.check import (
    assert_same_float_dtype,
    assert_scalar,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from tfcore.ops.reduce.sort import argsort, sort
from tfcore.platform.deprecation import deprecated, deprecated_arg_values, deprecated_args

__all__ = [
    *arguments.__all__,
    *tensors.__all__,
    *variables.__all__,
    "argsort",
    "assert_same_float_dtype",
    "assert_scalar",
    "convert_to_tensor_or_sparse_tensor",
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_tensor",
    "nest",
    "smart_case",
    "smart_cond",
    "smart_constant_value",
    "sort",
]

_CONVOLUTION_INITIALIZERS = (
    "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d",
    "convolutional_orthogonal_2d",
    "convolutional_orthogonal_3d",
)
__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        **dict.fromkeys(("BoundedTensorSpec", "TensorSpec"), "tfcore.framework.values.type_spec"),
        **dict.fromkeys(_CONVOLUTION_INITIALIZERS, "tfcore.variables.convolution_initializers"),
    },
)
