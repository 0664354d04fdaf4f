# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Tensor as Tensor
from tfcore import TensorShape as TensorShape
from tfcore.layers import experimental as experimental
from typing import Any as _Any

__all__ = [
'AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'BatchNormalization', 'Conv1D', 'Conv2D', 'Conv2DTranspose',
'Conv3D', 'Conv3DTranspose', 'Dense', 'Dropout', 'Flatten', 'InputSpec', 'Layer', 'MaxPooling1D', 'MaxPooling2D',
'MaxPooling3D', 'SeparableConv1D', 'SeparableConv2D', 'average_pooling1d', 'average_pooling2d', 'average_pooling3d',
'batch_norm', 'batch_normalization', 'conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'dense',
'dropout', 'experimental', 'flatten', 'fully_connected', 'max_pooling1d', 'max_pooling2d', 'max_pooling3d',
'separable_conv1d', 'separable_conv2d'
]

class AveragePooling1D(Layer):
    """Computes the mean of each window of a batch of sequences."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class AveragePooling2D(Layer):
    """Computes the mean of each window of a batch of images."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class AveragePooling3D(Layer):
    """Computes the mean of each window of a batch of volumes."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class BatchNormalization(Layer):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""
    def __init__(self, axis: _Any = -1, momentum: _Any = 0.99, epsilon: _Any = 0.001, center: _Any = True, scale: _Any = True, beta_initializer: _Any = ..., gamma_initializer: _Any = ..., moving_mean_initializer: _Any = ..., moving_variance_initializer: _Any = ..., beta_regularizer: _Any = None, gamma_regularizer: _Any = None, beta_constraint: _Any = None, gamma_constraint: _Any = None, renorm: _Any = False, renorm_clipping: _Any = None, renorm_momentum: _Any = 0.99, fused: _Any = None, trainable: _Any = True, virtual_batch_size: _Any = None, adjustment: _Any = None, name: str | None = None, **kwargs: _Any) -> None: ...
    adjustment: _Any
    axis: _Any
    beta: _Any
    beta_constraint: _Any
    beta_initializer: _Any
    beta_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any, training: _Any = False, mask: _Any = None) -> _Any: ...
    center: _Any
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    epsilon: _Any
    fused: _Any
    gamma: _Any
    gamma_constraint: _Any
    gamma_initializer: _Any
    gamma_regularizer: _Any
    input_spec: _Any
    momentum: _Any
    moving_mean: _Any
    moving_mean_initializer: _Any
    moving_stddev: _Any
    moving_variance: _Any
    moving_variance_initializer: _Any
    renorm: _Any
    renorm_clipping: _Any
    renorm_mean: _Any
    renorm_momentum: _Any
    renorm_stddev: _Any
    scale: _Any
    virtual_batch_size: _Any

class Conv1D(Layer):
    """1-D convolution layer: activation(convolution(inputs, kernel) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = 1, padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = 1, activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> Tensor:
        """The convolution itself."""
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class Conv2D(Layer):
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> Tensor:
        """The convolution itself."""
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class Conv2DTranspose(Layer):
    """The transpose of the 2-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> _Any: ...
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class Conv3D(Layer):
    """3-D convolution layer: activation(convolution(inputs, kernel) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> Tensor:
        """The convolution itself."""
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class Conv3DTranspose(Layer):
    """The transpose of the 3-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> _Any: ...
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class Dense(Layer):
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension."""
    def __init__(self, units: _Any, activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    units: _Any
    use_bias: _Any

class Dropout(Layer):
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate."""
    def __init__(self, rate: _Any = 0.5, noise_shape: _Any = None, seed: _Any = None, name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any, training: _Any = False) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    noise_shape: _Any
    rate: _Any
    seed: _Any

class Flatten(Layer):
    """Flattens all dimensions but the first."""
    def __init__(self, data_format: _Any = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any

class InputSpec:
    """Type, rank and sizes that a layer demands of an input. Set `layer.input_spec` to have them checked in each call."""
    def __init__(self, dtype: _Any = None, shape: _Any = None, ndim: _Any = None, max_ndim: _Any = None, min_ndim: _Any = None, axes: _Any = None, allow_last_axis_squeeze: _Any = False, name: str | None = None, optional: _Any = False) -> None: ...
    allow_last_axis_squeeze: _Any
    axes: _Any
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an InputSpec from the result of `get_config`."""
    def get_config(self) -> _Any:
        """The demands as a dict."""
    max_ndim: _Any
    min_ndim: _Any
    name: _Any
    ndim: _Any
    optional: _Any
    shape: _Any

class Layer:
    """Base class of layers: a function of tensors with variables."""
    def __call__(self, inputs: _Any, *args: _Any, **kwargs: _Any) -> _Any:
        """Calls the layer; the first call creates its variables."""
    def __init__(self, trainable: _Any = True, name: str | None = None, dtype: _Any = None, **kwargs: _Any) -> None: ...
    @property
    def activity_regularizer(self) -> _Any:
        """The function of the output that returns a loss."""
    @activity_regularizer.setter
    def activity_regularizer(self, value: _Any) -> None: ...
    def add_loss(self, losses: _Any, inputs: _Any = None) -> _Any:
        """Adds losses to those of the layer and to the collection REGULARIZATION_LOSSES."""
    def add_update(self, updates: _Any) -> _Any:
        """Adds operations that each training step must run to those of the layer; calls add them to UPDATE_OPS."""
    def add_variable(self, *args: _Any, **kwargs: _Any) -> _Any:
        """Old name of `add_weight`."""
    def add_weight(self, name: _Any, shape: _Any, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = None, constraint: _Any = None, use_resource: _Any = None, synchronization: _Any = ..., aggregation: _Any = ..., partitioner: _Any = None, **kwargs: _Any) -> _Any:
        """Creates a variable of this layer, or returns the existing one if the layer reuses variables."""
    def apply(self, *args: _Any, **kwargs: _Any) -> _Any:
        """Calls the layer."""
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variables."""
    built: _Any
    def call(self, inputs: _Any, **kwargs: _Any) -> _Any:
        """Computes the output."""
    def compute_mask(self, inputs: _Any, mask: _Any = None) -> _Any:
        """The mask of the outputs."""
    def compute_output_shape(self, input_shape: _Any) -> TensorShape:
        """Computes the shape of the output."""
    def count_params(self) -> int:
        """The number of all elements of the variables."""
    @property
    def dtype(self) -> _Any:
        """Name of the type of the variables; None if it is not known yet."""
    dynamic: _Any
    def get_losses_for(self, inputs: _Any) -> list[Tensor]:
        """The losses that depend on these inputs."""
    def get_updates_for(self, inputs: _Any) -> _Any:
        """The updates that depend on these inputs."""
    def get_weights(self) -> _Any:
        """The values of the variables in the default session."""
    @property
    def graph(self) -> _Any:
        """The graph of the first call; None before it."""
    @property
    def input_spec(self) -> _Any:
        """What the layer demands of its inputs: an `InputSpec`, a nest of them, or None."""
    @input_spec.setter
    def input_spec(self, value: _Any) -> None: ...
    @property
    def losses(self) -> _Any:
        """List of the losses that the layer added."""
    @property
    def name(self) -> _Any:
        """Name of the layer: the given one, or one made from the class."""
    @property
    def non_trainable_variables(self) -> _Any:
        """List of the other variables."""
    @property
    def non_trainable_weights(self) -> _Any:
        """List of the other variables."""
    @property
    def scope_name(self) -> _Any:
        """Name of the variable scope; ValueError before the first call."""
    def set_weights(self, weights: _Any) -> _Any:
        """Sets the variables in the default session."""
    stateful: _Any
    supports_masking: _Any
    @property
    def trainable(self) -> builtins.bool:
        """Whether the layer's variables are trainable. Setting it does not change the collection of the graph."""
    @trainable.setter
    def trainable(self, value: _Any) -> None: ...
    @property
    def trainable_variables(self) -> _Any:
        """List of the trainable variables; empty if the layer is not trainable."""
    @property
    def trainable_weights(self) -> _Any:
        """List of the trainable variables; empty if the layer is not trainable."""
    @property
    def updates(self) -> _Any:
        """List of the operations that each training step must run; empty if the layer is not trainable."""
    @property
    def variables(self) -> _Any:
        """List of the variables, the trainable ones first."""
    @property
    def weights(self) -> _Any:
        """List of the variables, the trainable ones first."""

class MaxPooling1D(Layer):
    """Computes the maximum of each window of a batch of sequences."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class MaxPooling2D(Layer):
    """Computes the maximum of each window of a batch of images."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class MaxPooling3D(Layer):
    """Computes the maximum of each window of a batch of volumes."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    input_spec: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class SeparableConv1D(Layer):
    """Separable 1-D convolution layer: a convolution of each channel by itself, then one that mixes the channels."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = 1, padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = 1, depth_multiplier: _Any = 1, activation: _Any = None, use_bias: _Any = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> Tensor:
        """The convolution itself."""
    data_format: _Any
    depth_multiplier: _Any
    depthwise_constraint: _Any
    depthwise_initializer: _Any
    depthwise_kernel: _Any
    depthwise_regularizer: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    pointwise_constraint: _Any
    pointwise_initializer: _Any
    pointwise_kernel: _Any
    pointwise_regularizer: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

class SeparableConv2D(Layer):
    """Separable 2-D convolution layer: a convolution of each channel by itself, then one that mixes the channels."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), depth_multiplier: _Any = 1, activation: _Any = None, use_bias: _Any = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    def convolution_op(self, inputs: _Any, kernel: _Any) -> Tensor:
        """The convolution itself."""
    data_format: _Any
    depth_multiplier: _Any
    depthwise_constraint: _Any
    depthwise_initializer: _Any
    depthwise_kernel: _Any
    depthwise_regularizer: _Any
    dilation_rate: _Any
    filters: _Any
    input_spec: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
    pointwise_constraint: _Any
    pointwise_initializer: _Any
    pointwise_kernel: _Any
    pointwise_regularizer: _Any
    rank: _Any
    strides: _Any
    use_bias: _Any

def average_pooling1d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of sequences."""

def average_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def average_pooling3d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of volumes."""

def batch_norm(inputs: _Any, axis: _Any = -1, momentum: _Any = 0.99, epsilon: _Any = 0.001, center: _Any = True, scale: _Any = True, beta_initializer: _Any = ..., gamma_initializer: _Any = ..., moving_mean_initializer: _Any = ..., moving_variance_initializer: _Any = ..., beta_regularizer: _Any = None, gamma_regularizer: _Any = None, beta_constraint: _Any = None, gamma_constraint: _Any = None, training: _Any = False, trainable: _Any = True, name: str | None = None, reuse: _Any = None, renorm: _Any = False, renorm_clipping: _Any = None, renorm_momentum: _Any = 0.99, fused: _Any = None, virtual_batch_size: _Any = None, adjustment: _Any = None) -> Tensor:
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""

batch_normalization = batch_norm

def conv1d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = 1, padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = 1, activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """1-D convolution layer: activation(convolution(inputs, kernel) + bias)."""

def conv2d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""

def conv2d_transpose(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """The transpose of the 2-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias)."""

def conv3d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """3-D convolution layer: activation(convolution(inputs, kernel) + bias)."""

def conv3d_transpose(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """The transpose of the 3-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias)."""

def dense(inputs: _Any, units: _Any, activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension."""

def dropout(inputs: _Any, rate: _Any = 0.5, noise_shape: _Any = None, seed: _Any = None, training: _Any = False, name: str | None = None) -> Tensor:
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate."""

def flatten(inputs: _Any, name: str | None = None, data_format: _Any = 'channels_last') -> Tensor:
    """Flattens all dimensions but the first."""

fully_connected = dense

def max_pooling1d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of sequences."""

def max_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pooling3d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of volumes."""

def separable_conv1d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = 1, padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = 1, depth_multiplier: _Any = 1, activation: _Any = None, use_bias: _Any = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """Separable 1-D convolution layer: a convolution of each channel by itself, then one that mixes the channels."""

def separable_conv2d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), depth_multiplier: _Any = 1, activation: _Any = None, use_bias: _Any = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """Separable 2-D convolution layer: a convolution of each channel by itself, then one that mixes the channels."""
