# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import SparseTensor as SparseTensor
from tfcore import Tensor as Tensor
from tfcore.layers import Layer as Layer
from typing import Any as _Any

__all__ = [
'GDN', 'OPTIMIZER_CLS_NAMES', 'OPTIMIZER_SUMMARIES', 'RevBlock', 'apply_regularization', 'avg_pool2d', 'avg_pool3d',
'batch_norm', 'bias_add', 'bow_encoder', 'channel_dimension', 'collect_named_outputs', 'constant_value', 'conv1d',
'conv2d', 'conv2d_in_plane', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'convolution', 'convolution1d',
'convolution2d', 'convolution2d_in_plane', 'convolution2d_transpose', 'convolution3d', 'convolution3d_transpose',
'dense_to_sparse', 'dropout', 'elu', 'embed_sequence', 'embedding_lookup_unique', 'flatten', 'fully_connected', 'gdn',
'get_variable_collections', 'group_norm', 'images_to_sequence', 'instance_norm', 'l1_l2_regularizer', 'l1_regularizer',
'l2_regularizer', 'last_dimension', 'layer_norm', 'legacy_fully_connected', 'legacy_linear', 'legacy_relu', 'linear',
'max_pool2d', 'max_pool3d', 'maxout', 'n_positive_integers', 'one_hot_encoding', 'optimize_loss', 'pool',
'recompute_grad', 'relu', 'relu6', 'repeat', 'rev_block', 'safe_embedding_lookup_sparse', 'scale_gradient',
'separable_conv2d', 'separable_convolution2d', 'sequence_to_images', 'smart_cond', 'softmax', 'spatial_softmax',
'stack', 'static_cond', 'sum_regularizer', 'summarize_activation', 'summarize_activations', 'summarize_biases',
'summarize_collection', 'summarize_tensor', 'summarize_tensors', 'summarize_variables', 'summarize_weights',
'two_element_tuple', 'unit_norm', 'variance_scaling_initializer', 'xavier_initializer', 'xavier_initializer_conv2d'
]

class GDN(Layer):
    """Generalized divisive normalization: y[i] = x[i] / sqrt(beta[i] + sum_j(gamma[j, i] * x[j]^2)) over the channels."""
    def __init__(self, inverse: _Any = False, beta_min: _Any = 1e-06, gamma_init: _Any = 0.1, reparam_offset: _Any = 3.814697265625e-06, data_format: _Any = 'channels_last', activity_regularizer: _Any = None, trainable: _Any = True, name: str | None = None, **kwargs: _Any) -> None: ...
    beta: _Any
    def build(self, input_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any) -> _Any: ...
    def compute_output_shape(self, input_shape: _Any) -> _Any: ...
    data_format: _Any
    gamma: _Any
    input_spec: _Any
    inverse: _Any

OPTIMIZER_CLS_NAMES: _Any

OPTIMIZER_SUMMARIES: _Any

class RevBlock(Layer):
    """A block of reversible residual layers: gradients need only its output, from which they compute the rest again."""
    def __init__(self, f: _Any, g: _Any, num_layers: _Any = 1, f_side_input: _Any = None, g_side_input: _Any = None, use_efficient_backprop: _Any = True, name: str | None = 'revblock', **kwargs: _Any) -> None: ...
    def backward(self, y1: _Any, y2: _Any) -> _Any:
        """Computes the inputs from the outputs."""
    def call(self, inputs: _Any, forward: _Any = True) -> _Any: ...
    f: _Any
    f_side_input: _Any
    def forward(self, x1: _Any, x2: _Any) -> _Any:
        """Applies the block."""
    g: _Any
    g_side_input: _Any
    num_layers: _Any

def apply_regularization(regularizer: _Any, weights_list: _Any = None) -> _Any:
    """Adds the sum of the penalties on some weights to the collection REGULARIZATION_LOSSES."""

def avg_pool2d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: _Any = 'VALID', data_format: _Any = 'NHWC', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def avg_pool3d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: _Any = 'VALID', data_format: _Any = 'NDHWC', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Computes the mean of each window of a batch of volumes."""

def batch_norm(inputs: _Any, decay: _Any = 0.999, center: _Any = True, scale: _Any = False, epsilon: _Any = 0.001, activation_fn: _Any = None, param_initializers: _Any = None, param_regularizers: _Any = None, updates_collections: _Any = 'update_ops', is_training: _Any = True, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, batch_weights: _Any = None, fused: _Any = None, data_format: _Any = 'NHWC', zero_debias_moving_mean: _Any = False, scope: _Any = None, renorm: _Any = False, renorm_clipping: _Any = None, renorm_decay: _Any = 0.99, adjustment: _Any = None) -> Tensor:
    """Batch normalization: gives each channel mean 0 and variance 1, then scales by gamma and adds beta."""

def bias_add(inputs: _Any, activation_fn: _Any = None, initializer: _Any = ..., regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, data_format: _Any = 'NHWC', scope: _Any = None) -> Tensor:
    """Adds the variable `biases` to the channels."""

def bow_encoder(ids: _Any, vocab_size: _Any, embed_dim: _Any, sparse_lookup: _Any = True, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, scope: _Any = None, reuse: _Any = None) -> Tensor:
    """The mean of the embeddings of all symbols of each sequence, with the variable `embeddings`."""

def channel_dimension(shape: _Any, data_format: _Any, min_rank: _Any = 1) -> int:
    """The number of channels."""

def collect_named_outputs(collections: _Any, alias: _Any, outputs: _Any) -> _Any:
    """Adds a tensor to collections and notes another name for it."""

def constant_value(value_or_tensor_or_var: _Any, dtype: _Any = None) -> _Any:
    """The value if it is known while the graph is built."""

def conv1d(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """1-D convolution layer with the variables `weights` and `biases`."""

def conv2d(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """2-D convolution layer with the variables `weights` and `biases`."""

def conv2d_in_plane(inputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """2-D convolution of each channel with the same kernel."""

def conv2d_transpose(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = 'NHWC', activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """The transpose of the 2-D convolution layer, with the variables `weights` and `biases`."""

def conv3d(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """3-D convolution layer with the variables `weights` and `biases`."""

def conv3d_transpose(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = 'NDHWC', activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """The transpose of the 3-D convolution layer, with the variables `weights` and `biases`."""

def convolution(inputs: _Any, num_outputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None, conv_dims: _Any = None) -> Tensor:
    """Convolution layer in one to three spatial dimensions, with the variables `weights` and `biases`."""

convolution1d = conv1d

convolution2d = conv2d

convolution2d_in_plane = conv2d_in_plane

convolution2d_transpose = conv2d_transpose

convolution3d = conv3d

convolution3d_transpose = conv3d_transpose

def dense_to_sparse(tensor: _Any, eos_token: _Any = 0, outputs_collections: _Any = None, scope: _Any = None) -> SparseTensor:
    """The elements that differ from a value, as a sparse tensor."""

def dropout(inputs: _Any, keep_prob: _Any = 0.5, noise_shape: _Any = None, is_training: _Any = True, outputs_collections: _Any = None, scope: _Any = None, seed: _Any = None) -> Tensor:
    """Keeps elements with probability `keep_prob` and divides them by it; sets the others to 0."""

def elu(inputs: _Any, num_outputs: _Any, *, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def embed_sequence(ids: _Any, vocab_size: _Any = None, embed_dim: _Any = None, unique: _Any = False, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = True, scope: _Any = None, reuse: _Any = None) -> Tensor:
    """The embeddings of sequences of symbols, with the variable `embeddings`."""

def embedding_lookup_unique(params: _Any, ids: _Any, partition_strategy: _Any = 'mod', name: str | None = None) -> Tensor:
    """`tf.nn.embedding_lookup` that looks each symbol up only once; it pays if the embeddings are far away."""

def flatten(inputs: _Any, outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Flattens all dimensions but the first."""

def fully_connected(inputs: _Any, num_outputs: _Any, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """Fully connected layer over the last dimension, with the variables `weights` and `biases`."""

def gdn(inputs: _Any, inverse: _Any = False, beta_min: _Any = 1e-06, gamma_init: _Any = 0.1, reparam_offset: _Any = 3.814697265625e-06, data_format: _Any = 'channels_last', activity_regularizer: _Any = None, trainable: _Any = True, name: str | None = None, reuse: _Any = None) -> Tensor:
    """Generalized divisive normalization, as a function; see `GDN`."""

def get_variable_collections(variables_collections: _Any, name: _Any) -> _Any:
    """The collections for one kind of variable."""

def group_norm(inputs: _Any, groups: _Any = 32, channels_axis: _Any = -1, reduction_axes: _Any = (-3, -2), center: _Any = True, scale: _Any = True, epsilon: _Any = 1e-06, activation_fn: _Any = None, param_initializers: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None, mean_close_to_zero: _Any = False) -> Tensor:
    """Group normalization: gives each group of channels of each example mean 0 and variance 1, then scales and shifts."""

def images_to_sequence(inputs: _Any, data_format: _Any = 'NHWC', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """The columns of images as steps of sequences."""

def instance_norm(inputs: _Any, center: _Any = True, scale: _Any = True, epsilon: _Any = 1e-06, activation_fn: _Any = None, param_initializers: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, data_format: _Any = 'NHWC', scope: _Any = None) -> Tensor:
    """Instance normalization: gives each channel of each example mean 0 and variance 1, then scales and shifts it."""

def l1_l2_regularizer(scale_l1: _Any = 1.0, scale_l2: _Any = 1.0, scope: _Any = None) -> _Any:
    """The sum of both penalties on weights."""

def l1_regularizer(scale: _Any, scope: _Any = None) -> _Any:
    """A penalty on weights: `scale` times the sum of their absolute values."""

def l2_regularizer(scale: _Any, scope: _Any = None) -> _Any:
    """A penalty on weights: `scale` times half the sum of their squares."""

def last_dimension(shape: _Any, min_rank: _Any = 1) -> int:
    """The size of the last dimension."""

def layer_norm(inputs: _Any, center: _Any = True, scale: _Any = True, activation_fn: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, begin_norm_axis: _Any = 1, begin_params_axis: _Any = -1, scope: _Any = None) -> Tensor:
    """Layer normalization: gives each example mean 0 and variance 1, then scales by gamma and adds beta."""

def legacy_fully_connected(x: _Any, num_output_units: _Any, activation_fn: _Any = None, weight_init: _Any = ..., bias_init: _Any = ..., name: str | None = None, weight_collections: _Any = ('weights',), bias_collections: _Any = ('biases',), output_collections: _Any = ('activations',), trainable: _Any = True, weight_regularizer: _Any = None, bias_regularizer: _Any = None) -> Tensor:
    """Fully connected layer over the last dimension, with the variables `weights` and `bias`."""

def legacy_linear(x: _Any, num_output_units: _Any, *, activation_fn: _Any = None, weight_init: _Any = ..., bias_init: _Any = ..., name: str | None = None, weight_collections: _Any = ('weights',), bias_collections: _Any = ('biases',), output_collections: _Any = ('activations',), trainable: _Any = True, weight_regularizer: _Any = None, bias_regularizer: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def legacy_relu(x: _Any, num_output_units: _Any, *, activation_fn: _Any = ..., weight_init: _Any = ..., bias_init: _Any = ..., name: str | None = None, weight_collections: _Any = ('weights',), bias_collections: _Any = ('biases',), output_collections: _Any = ('activations',), trainable: _Any = True, weight_regularizer: _Any = None, bias_regularizer: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def linear(inputs: _Any, num_outputs: _Any, *, activation_fn: _Any = None, normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def max_pool2d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: _Any = 'VALID', data_format: _Any = 'NHWC', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pool3d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: _Any = 'VALID', data_format: _Any = 'NDHWC', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Computes the maximum of each window of a batch of volumes."""

def maxout(inputs: _Any, num_units: _Any, axis: _Any = -1, scope: _Any = None) -> Tensor:
    """The maximum of each group of features."""

def n_positive_integers(n: _Any, value: _Any) -> _Any:
    """(value, ...) n times for an int; n ints are unchanged."""

def one_hot_encoding(labels: _Any, num_classes: _Any, on_value: _Any = 1.0, off_value: _Any = 0.0, outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Turns labels into vectors with a single `on_value`."""

def optimize_loss(loss: _Any, global_step: _Any, learning_rate: _Any, optimizer: _Any, gradient_noise_scale: _Any = None, gradient_multipliers: _Any = None, clip_gradients: _Any = None, learning_rate_decay_fn: _Any = None, update_ops: _Any = None, variables: _Any = None, name: str | None = None, summaries: _Any = None, colocate_gradients_with_ops: _Any = False, increment_global_step: _Any = True) -> Tensor:
    """A training step: runs the updates of UPDATE_OPS, then minimizes the loss."""

def pool(inputs: _Any, kernel_size: _Any, pooling_type: _Any, padding: _Any = 'VALID', data_format: _Any = None, dilation_rate: _Any = 1, stride: _Any = 1, outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """Computes the mean or maximum of each window in one to three spatial dimensions."""

def recompute_grad(fn: _Any, use_data_dep: _Any = '__rev_block_lib_default', tupleize_grads: _Any = False) -> _Any:
    """Decorator: computes a function again for its gradients, instead of keeping the tensors inside until then."""

def relu(inputs: _Any, num_outputs: _Any, *, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def relu6(inputs: _Any, num_outputs: _Any, *, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def repeat(inputs: _Any, repetitions: _Any, layer: _Any, *args: _Any, **kwargs: _Any) -> Tensor:
    """Applies a layer several times with the same arguments; the scopes get numbers, such as conv_1, conv_2."""

def rev_block(x1: _Any, x2: _Any, f: _Any, g: _Any, num_layers: _Any = 1, f_side_input: _Any = None, g_side_input: _Any = None, is_training: _Any = True) -> _Any:
    """A block of reversible residual layers; see `RevBlock`."""

def safe_embedding_lookup_sparse(embedding_weights: _Any, sparse_ids: _Any, sparse_weights: _Any = None, combiner: _Any = None, default_id: _Any = None, name: str | None = None, partition_strategy: _Any = 'div', max_norm: _Any = None) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` that allows empty rows."""

def scale_gradient(inputs: _Any, gradient_multiplier: _Any) -> Tensor:
    """Returns the inputs unchanged; gradients that flow back through it are multiplied."""

def separable_conv2d(inputs: _Any, num_outputs: _Any, kernel_size: _Any, depth_multiplier: _Any = 1, stride: _Any = 1, padding: _Any = 'SAME', data_format: _Any = 'NHWC', rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., pointwise_initializer: _Any = None, weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: _Any = True, scope: _Any = None) -> Tensor:
    """Depthwise 2-D convolution, then one of size 1 that mixes the channels."""

separable_convolution2d = separable_conv2d

def sequence_to_images(inputs: _Any, height: _Any, output_data_format: _Any = 'channels_last', outputs_collections: _Any = None, scope: _Any = None) -> Tensor:
    """The steps of sequences as columns of images; the inverse of `images_to_sequence`."""

def smart_cond(pred: _Any, fn1: _Any, fn2: _Any, name: str | None = None) -> _Any:
    """`tf.cond`, or only one of the functions if the condition is known while the graph is built."""

def softmax(logits: _Any, scope: _Any = None) -> Tensor:
    """Softmax over the last dimension."""

def spatial_softmax(features: _Any, temperature: _Any = None, name: str | None = None, variables_collections: _Any = None, trainable: _Any = True, data_format: _Any = 'NHWC') -> Tensor:
    """The expected position in an image where each channel is active: the mean position under a softmax."""

def stack(inputs: _Any, layer: _Any, stack_args: _Any, **kwargs: _Any) -> Tensor:
    """Applies a layer with one set of arguments after the other; the scopes get numbers, such as fc_1, fc_2."""

def static_cond(pred: _Any, fn1: _Any, fn2: _Any) -> _Any:
    """Calls one of two functions."""

def sum_regularizer(regularizer_list: _Any, scope: _Any = None) -> _Any:
    """The sum of several penalties on weights."""

def summarize_activation(op: _Any) -> _Any:
    """A summary of the output of a layer; for a ReLU or a softplus also of how many of its inputs are below 0."""

def summarize_activations(name_filter: _Any = None, summarizer: _Any = ...) -> _Any:
    """Summaries of the tensors in the collection ACTIVATIONS."""

def summarize_biases(name_filter: _Any = None, summarizer: _Any = ...) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def summarize_collection(collection: _Any, name_filter: _Any = None, summarizer: _Any = ...) -> _Any:
    """Summaries of the tensors in a collection of the default graph."""

def summarize_tensor(tensor: _Any, tag: _Any = None) -> str:
    """A summary of a tensor: of its value for a scalar, else a histogram."""

def summarize_tensors(tensors: _Any, summarizer: _Any = ...) -> _Any:
    """Summaries of several tensors."""

def summarize_variables(name_filter: _Any = None, summarizer: _Any = ...) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def summarize_weights(name_filter: _Any = None, summarizer: _Any = ...) -> _Any:
    """partial(func, *args, **keywords) - new function with partial application
    of the given arguments and keywords."""

def two_element_tuple(int_or_tuple: _Any) -> _Any:
    """(n, n) for an int; two ints are unchanged."""

def unit_norm(inputs: _Any, dim: _Any, epsilon: _Any = 1e-07, scope: _Any = None) -> Tensor:
    """Divides each vector along a dimension by its Euclidean length."""

def variance_scaling_initializer(factor: _Any = 2.0, mode: _Any = 'FAN_IN', uniform: _Any = False, seed: _Any = None, dtype: _Any = ...) -> _Any:
    """An initializer whose variance is `factor` / n, where n is the number of inputs or outputs of a unit."""

def xavier_initializer(uniform: _Any = True, seed: _Any = None, dtype: _Any = ...) -> _Any:
    """The initializer that keeps the variance of activations and of gradients about equal in all layers."""

xavier_initializer_conv2d = xavier_initializer
