# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Tensor as Tensor
from tfcore import TensorShape as TensorShape

class AveragePooling2D(Layer):
    """Computes the mean of each window of a batch of images."""
    def __init__(self, pool_size: Any, strides: Any, padding: Any = 'valid', data_format: Any = 'channels_last', name: str | None = None, **kwargs: Any) -> None: ...
    def call(self, inputs: Any) -> Any: ...
    data_format: Any
    padding: Any
    pool_size: Any
    strides: Any

class BatchNormalization(Layer):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""
    def __init__(self, axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 0.001, center: Any = True, scale: Any = True, beta_initializer: Any = ..., gamma_initializer: Any = ..., moving_mean_initializer: Any = ..., moving_variance_initializer: Any = ..., beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, renorm: Any = False, trainable: Any = True, name: str | None = None, fused: Any = None, **kwargs: Any) -> None: ...
    axis: Any
    beta: Any
    beta_constraint: Any
    beta_initializer: Any
    beta_regularizer: Any
    def build(self, input_shape: Any) -> Any: ...
    def call(self, inputs: Any, training: Any = False) -> Any: ...
    center: Any
    epsilon: Any
    gamma: Any
    gamma_constraint: Any
    gamma_initializer: Any
    gamma_regularizer: Any
    momentum: Any
    moving_mean: Any
    moving_mean_initializer: Any
    moving_variance: Any
    moving_variance_initializer: Any
    scale: Any

class Conv2D(Layer):
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""
    def __init__(self, filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = 'valid', data_format: Any = 'channels_last', dilation_rate: Any = (1, 1), activation: Any = None, use_bias: Any = True, kernel_initializer: Any = None, bias_initializer: Any = ..., kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: Any = True, name: str | None = None, **kwargs: Any) -> None: ...
    activation: Any
    bias: Any
    bias_constraint: Any
    bias_initializer: Any
    bias_regularizer: Any
    def build(self, input_shape: Any) -> Any: ...
    def call(self, inputs: Any) -> Any: ...
    data_format: Any
    dilation_rate: Any
    filters: Any
    kernel: Any
    kernel_constraint: Any
    kernel_initializer: Any
    kernel_regularizer: Any
    kernel_size: Any
    padding: Any
    strides: Any
    use_bias: Any

class Dense(Layer):
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension."""
    def __init__(self, units: Any, activation: Any = None, use_bias: Any = True, kernel_initializer: Any = None, bias_initializer: Any = ..., kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: Any = True, name: str | None = None, **kwargs: Any) -> None: ...
    activation: Any
    bias: Any
    bias_constraint: Any
    bias_initializer: Any
    bias_regularizer: Any
    def build(self, input_shape: Any) -> Any: ...
    def call(self, inputs: Any) -> Any: ...
    def compute_output_shape(self, input_shape: Any) -> Any: ...
    kernel: Any
    kernel_constraint: Any
    kernel_initializer: Any
    kernel_regularizer: Any
    units: Any
    use_bias: Any

class Dropout(Layer):
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate."""
    def __init__(self, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, name: str | None = None, **kwargs: Any) -> None: ...
    def call(self, inputs: Any, training: Any = False) -> Any: ...
    noise_shape: Any
    rate: Any
    seed: Any

class Flatten(Layer):
    """Flattens all dimensions but the first."""
    def __init__(self, data_format: Any = 'channels_last', name: str | None = None, **kwargs: Any) -> None: ...
    def call(self, inputs: Any) -> Any: ...
    data_format: Any

class Layer:
    """Base class of layers: a function of tensors with variables."""
    def __call__(self, inputs: Any, *args: Any, scope: Any = None, **kwargs: Any) -> Any:
        """Calls the layer; the first call makes its variables."""
    def __init__(self, trainable: Any = True, name: str | None = None, dtype: Any = None, _reuse: Any = None, _scope: Any = None, activity_regularizer: Any = None) -> None: ...
    def add_loss(self, loss: Any) -> Any:
        """Adds a loss to those of the layer and to the collection REGULARIZATION_LOSSES."""
    def add_update(self, *updates: Any) -> Any:
        """Adds operations that each training step must run to those of the layer and to the collection UPDATE_OPS."""
    def add_variable(self, name: Any, shape: Any, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: Any = True, constraint: Any = None, partitioner: Any = None) -> Any:
        """Makes a variable of this layer, or gets it if the layer reuses variables."""
    def add_weight(self, name: Any, shape: Any, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: Any = True, constraint: Any = None, partitioner: Any = None) -> Any:
        """Makes a variable of this layer, or gets it if the layer reuses variables."""
    def apply(self, inputs: Any, *args: Any, scope: Any = None, **kwargs: Any) -> Any:
        """Calls the layer; the first call makes its variables."""
    def build(self, input_shape: Any) -> Any:
        """Makes the variables."""
    built: Any
    def call(self, inputs: Any) -> Any:
        """Computes the output."""
    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Computes the shape of the output."""
    @property
    def dtype(self) -> Any:
        """Name of the type of the variables; None if it is not known yet."""
    @property
    def losses(self) -> Any:
        """List of the losses that the layer added."""
    @property
    def name(self) -> Any:
        """Name of the layer; that of its variable scope once it has been called."""
    @property
    def non_trainable_variables(self) -> Any:
        """List of the variables that are not trainable."""
    @property
    def non_trainable_weights(self) -> Any:
        """List of the variables that are not trainable."""
    @property
    def scope_name(self) -> Any:
        """Name of the variable scope; ValueError before the first call."""
    trainable: Any
    @property
    def trainable_variables(self) -> Any:
        """List of the trainable variables."""
    @property
    def trainable_weights(self) -> Any:
        """List of the trainable variables."""
    @property
    def updates(self) -> Any:
        """List of the operations that each training step must run."""
    @property
    def variables(self) -> Any:
        """List of the variables, the trainable ones first."""
    @property
    def weights(self) -> Any:
        """List of the variables, the trainable ones first."""

class MaxPooling2D(Layer):
    """Computes the maximum of each window of a batch of images."""
    def __init__(self, pool_size: Any, strides: Any, padding: Any = 'valid', data_format: Any = 'channels_last', name: str | None = None, **kwargs: Any) -> None: ...
    def call(self, inputs: Any) -> Any: ...
    data_format: Any
    padding: Any
    pool_size: Any
    strides: Any

def average_pooling2d(inputs: Any, pool_size: Any, strides: Any, padding: Any = 'valid', data_format: Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def batch_norm(inputs: Any, axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 0.001, center: Any = True, scale: Any = True, beta_initializer: Any = ..., gamma_initializer: Any = ..., moving_mean_initializer: Any = ..., moving_variance_initializer: Any = ..., beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, training: Any = False, trainable: Any = True, name: str | None = None, reuse: Any = None, renorm: Any = False, renorm_clipping: Any = None, renorm_momentum: Any = 0.99, fused: Any = None, virtual_batch_size: Any = None, adjustment: Any = None) -> Tensor:
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""

batch_normalization = batch_norm

def conv2d(inputs: Any, filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = 'valid', data_format: Any = 'channels_last', dilation_rate: Any = (1, 1), activation: Any = None, use_bias: Any = True, kernel_initializer: Any = None, bias_initializer: Any = ..., kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: Any = True, name: str | None = None, reuse: Any = None) -> Tensor:
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias)."""

def dense(inputs: Any, units: Any, activation: Any = None, use_bias: Any = True, kernel_initializer: Any = None, bias_initializer: Any = ..., kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: Any = True, name: str | None = None, reuse: Any = None) -> Tensor:
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension."""

def dropout(inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, training: Any = False, name: str | None = None) -> Tensor:
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate."""

def flatten(inputs: Any, name: str | None = None, data_format: Any = 'channels_last') -> Tensor:
    """Flattens all dimensions but the first."""

fully_connected = dense

def max_pooling2d(inputs: Any, pool_size: Any, strides: Any, padding: Any = 'valid', data_format: Any = 'channels_last', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""
