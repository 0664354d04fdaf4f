# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import TensorShape as TensorShape
from typing import Any as _Any

class AveragePooling2D(Layer):
    """Computes the mean of each window of a batch of images."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    data_format: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

class BatchNormalization(Layer):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""
    def __init__(self, axis: _Any = -1, momentum: _Any = 0.99, epsilon: _Any = 0.001, center: _Any = True, scale: _Any = True, beta_initializer: _Any = ..., gamma_initializer: _Any = ..., moving_mean_initializer: _Any = ..., moving_variance_initializer: _Any = ..., beta_regularizer: _Any = None, gamma_regularizer: _Any = None, beta_constraint: _Any = None, gamma_constraint: _Any = None, renorm: _Any = False, trainable: _Any = True, name: str | None = None, fused: _Any = None, **kwargs: _Any) -> None: ...
    axis: _Any
    beta: _Any
    beta_constraint: _Any
    beta_initializer: _Any
    beta_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    def call(self, inputs: _Any, training: _Any = False) -> _Any: ...
    center: _Any
    epsilon: _Any
    gamma: _Any
    gamma_constraint: _Any
    gamma_initializer: _Any
    gamma_regularizer: _Any
    momentum: _Any
    moving_mean: _Any
    moving_mean_initializer: _Any
    moving_variance: _Any
    moving_variance_initializer: _Any
    scale: _Any

class Conv2D(Layer):
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""
    def __init__(self, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    activation: _Any
    bias: _Any
    bias_constraint: _Any
    bias_initializer: _Any
    bias_regularizer: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    def call(self, inputs: _Any) -> _Any: ...
    data_format: _Any
    dilation_rate: _Any
    filters: _Any
    kernel: _Any
    kernel_constraint: _Any
    kernel_initializer: _Any
    kernel_regularizer: _Any
    kernel_size: _Any
    padding: _Any
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
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
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
    noise_shape: _Any
    rate: _Any
    seed: _Any

class Flatten(Layer):
    """Flattens all dimensions but the first."""
    def __init__(self, data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    data_format: _Any

class Layer:
    """Base class of layers: a function of tensors with variables."""
    def __call__(self, inputs: _Any, *args: _Any, scope: _Any = None, **kwargs: _Any) -> _Any:
        """Calls the layer; the first call creates its variables."""
    def __init__(self, trainable: _Any = True, name: str | None = None, dtype: _Any = None, _reuse: _Any = None, _scope: _Any = None, activity_regularizer: _Any = None) -> None: ...
    def add_loss(self, loss: _Any) -> _Any:
        """Adds a loss to those of the layer and to the collection REGULARIZATION_LOSSES."""
    def add_update(self, *updates: _Any) -> _Any:
        """Adds operations that each training step must run to those of the layer and to the collection UPDATE_OPS."""
    def add_variable(self, name: _Any, shape: _Any, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, constraint: _Any = None, partitioner: _Any = None) -> _Any:
        """Creates a variable of this layer, or returns the existing one if the layer reuses variables."""
    def add_weight(self, name: _Any, shape: _Any, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, constraint: _Any = None, partitioner: _Any = None) -> _Any:
        """Creates a variable of this layer, or returns the existing one if the layer reuses variables."""
    def apply(self, inputs: _Any, *args: _Any, scope: _Any = None, **kwargs: _Any) -> _Any:
        """Calls the layer; the first call creates its variables."""
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variables."""
    built: _Any
    def call(self, inputs: _Any) -> _Any:
        """Computes the output."""
    def compute_output_shape(self, input_shape: _Any) -> TensorShape:
        """Computes the shape of the output."""
    @property
    def dtype(self) -> _Any:
        """Name of the type of the variables; None if it is not known yet."""
    @property
    def losses(self) -> _Any:
        """List of the losses that the layer added."""
    @property
    def name(self) -> _Any:
        """Name of the layer; that of its variable scope once it has been called."""
    @property
    def non_trainable_variables(self) -> _Any:
        """List of the variables that are not trainable."""
    @property
    def non_trainable_weights(self) -> _Any:
        """List of the variables that are not trainable."""
    @property
    def scope_name(self) -> _Any:
        """Name of the variable scope; ValueError before the first call."""
    trainable: _Any
    @property
    def trainable_variables(self) -> _Any:
        """List of the trainable variables."""
    @property
    def trainable_weights(self) -> _Any:
        """List of the trainable variables."""
    @property
    def updates(self) -> _Any:
        """List of the operations that each training step must run."""
    @property
    def variables(self) -> _Any:
        """List of the variables, the trainable ones first."""
    @property
    def weights(self) -> _Any:
        """List of the variables, the trainable ones first."""

class MaxPooling2D(Layer):
    """Computes the maximum of each window of a batch of images."""
    def __init__(self, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None, **kwargs: _Any) -> None: ...
    def call(self, inputs: _Any) -> _Any: ...
    data_format: _Any
    padding: _Any
    pool_size: _Any
    strides: _Any

def average_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def batch_norm(inputs: _Any, axis: _Any = -1, momentum: _Any = 0.99, epsilon: _Any = 0.001, center: _Any = True, scale: _Any = True, beta_initializer: _Any = ..., gamma_initializer: _Any = ..., moving_mean_initializer: _Any = ..., moving_variance_initializer: _Any = ..., beta_regularizer: _Any = None, gamma_regularizer: _Any = None, beta_constraint: _Any = None, gamma_constraint: _Any = None, training: _Any = False, trainable: _Any = True, name: str | None = None, reuse: _Any = None, renorm: _Any = False, renorm_clipping: _Any = None, renorm_momentum: _Any = 0.99, fused: _Any = None, virtual_batch_size: _Any = None, adjustment: _Any = None) -> Tensor:
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""

batch_normalization = batch_norm

def conv2d(inputs: _Any, filters: _Any, kernel_size: _Any, strides: _Any = (1, 1), padding: _Any = 'valid', data_format: _Any = 'channels_last', dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""

def dense(inputs: _Any, units: _Any, activation: _Any = None, use_bias: _Any = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension."""

def dropout(inputs: _Any, rate: _Any = 0.5, noise_shape: _Any = None, seed: _Any = None, training: _Any = False, name: str | None = None) -> Tensor:
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate."""

def flatten(inputs: _Any, name: str | None = None, data_format: _Any = 'channels_last') -> Tensor:
    """Flattens all dimensions but the first."""

fully_connected = dense

def max_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: _Any = 'valid', data_format: _Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""
