# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Tensor as Tensor
from tfcore import depth_to_space as depth_to_space
from tfcore import sigmoid as sigmoid
from tfcore import space_to_batch as space_to_batch
from tfcore import space_to_depth as space_to_depth
from tfcore import tanh as tanh
from tfcore.math import in_top_k as in_top_k
from tfcore.math import l2_normalize as l2_normalize
from tfcore.math import log_sigmoid as log_sigmoid
from tfcore.math import log_softmax as log_softmax
from tfcore.math import softmax as softmax
from tfcore.math import softplus as softplus
from tfcore.math import softsign as softsign
from tfcore.math import top_k as top_k
from tfcore.rnn import rnn_cell as rnn_cell

def all_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, seed: Any = None, name: str | None = None) -> Any:
    """Returns all `num_sampled` classes, each once; all expected counts are 1. Meant for tests."""

def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """2-D convolution with filter taps `rate` pixels apart, also called dilated convolution."""

def atrous_conv2d_transpose(value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """The transpose of `atrous_conv2d`."""

def avg_pool(value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None, input: Any = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def avg_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NWC', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of sequences."""

avg_pool2d = avg_pool

def avg_pool_v2(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None) -> Tensor:
    """Computes the mean of each window in one or two spatial dimensions."""

def batch_norm_with_global_normalization(t: Any = None, m: Any = None, v: Any = None, beta: Any = None, gamma: Any = None, variance_epsilon: Any = None, scale_after_normalization: Any = None, name: str | None = None, input: Any = None, mean: Any = None, variance: Any = None) -> Tensor:
    """Batch normalization with the arguments of its oldest form; prefer `batch_normalization`."""

def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None) -> Tensor:
    """Normalizes with a given mean and variance: (x - mean) / sqrt(variance + variance_epsilon) * scale + offset."""

def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Tensor:
    """Adds a vector to each position along the channels."""

def bidirectional_dynamic_rnn(cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: Any = False, time_major: Any = False, scope: Any = None) -> Any:
    """Runs one cell forward and one backward over a sequence."""

def compute_accidental_hits(true_classes: Any, sampled_candidates: Any, num_true: Any, seed: Any = None, name: str | None = None) -> Any:
    """Finds sampled classes that are true classes of an example."""

def conv1d(value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None, use_cudnn_on_gpu: Any = None, data_format: Any = None, name: str | None = None, input: Any = None, dilations: Any = None) -> Tensor:
    """1-D convolution of a batch of sequences with a bank of filters."""

def conv1d_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = 'SAME', data_format: Any = 'NWC', dilations: Any = None, name: str | None = None) -> Tensor:
    """The transpose of `conv1d`."""

def conv2d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: Any = True, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None, filters: Any = None) -> Tensor:
    """2-D convolution of a batch of images with a bank of filters."""

def conv2d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Computes the gradient of `conv2d` with respect to its filter."""

def conv2d_backprop_input(input_sizes: Any, filter: Any = None, out_backprop: Any = None, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: Any = True, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None, filters: Any = None) -> Tensor:
    """Computes the gradient of `conv2d` with respect to its input."""

def conv2d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None, padding: Any = 'SAME', data_format: Any = 'NHWC', name: str | None = None, input: Any = None, filters: Any = None, dilations: Any = None) -> Tensor:
    """The transpose of `conv2d`, also called deconvolution."""

def conv_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = 'SAME', data_format: Any = None, dilations: Any = None, name: str | None = None) -> Tensor:
    """The transpose of `convolution` in one or two spatial dimensions."""

def convolution(input: Any, filter: Any, padding: Any, strides: Any = None, dilation_rate: Any = None, name: str | None = None, data_format: Any = None, filters: Any = None, dilations: Any = None) -> Tensor:
    """Convolution in one or two spatial dimensions."""

def crelu(features: Any, name: str | None = None, axis: Any = -1) -> Tensor:
    """Concatenates relu(features) and relu(-features)."""

def depthwise_conv2d(input: Any, filter: Any, strides: Any, padding: Any, rate: Any = None, name: str | None = None, data_format: Any = None, dilations: Any = None) -> Tensor:
    """2-D convolution of each channel with filters of its own."""

def depthwise_conv2d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Gradient of the depthwise convolution for its filter."""

def depthwise_conv2d_backprop_input(input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Gradient of the depthwise convolution for its input."""

def depthwise_conv2d_native(input: Any, filter: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Depthwise 2-D convolution, all arguments as the op has them."""

depthwise_conv2d_native_backprop_filter = depthwise_conv2d_backprop_filter

depthwise_conv2d_native_backprop_input = depthwise_conv2d_backprop_input

def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: str | None = None, rate: Any = None) -> Tensor:
    """Sets elements to 0 with probability `rate`, and scales the others by 1 / (1 - rate)."""

def dynamic_rnn(cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: Any = False, time_major: Any = False, scope: Any = None) -> Any:
    """Runs a cell over sequences in a loop inside the graph."""

def elu(features: Any, name: str | None = None) -> Tensor:
    """Exponential linear unit: features where positive, else exp(features) - 1."""

def embedding_lookup(params: Any, ids: Any, partition_strategy: Any = 'mod', name: str | None = None, validate_indices: Any = True, max_norm: Any = None) -> Tensor:
    """Rows of an embedding table, which may be split into shards."""

def embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any, partition_strategy: Any = 'mod', name: str | None = None, combiner: Any = None, max_norm: Any = None, allow_fast_lookup: Any = False) -> Tensor:
    """For each row of `sp_ids` one vector: the combined embeddings of the ids there."""

def fixed_unigram_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, vocab_file: Any = '', distortion: Any = 1.0, num_reserved_ids: Any = 0, num_shards: Any = 1, shard: Any = 0, unigrams: Any = (), seed: Any = None, name: str | None = None) -> Any:
    """Draws classes from [0, range_max) with given weights."""

def fused_batch_norm(x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: Any = 0.001, data_format: Any = 'NHWC', is_training: Any = True, name: str | None = None, exponential_avg_factor: Any = 1.0) -> Any:
    """Normalizes the batch in one operation, channel by channel."""

def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the squared L2 norm: sum(t ** 2) / 2."""

def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Leaky rectified linear unit: features where positive, else alpha * features."""

def learned_unigram_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = None, name: str | None = None) -> Any:
    """Draws classes from [0, range_max) with the distribution of the true classes of earlier steps."""

def local_response_normalization(input: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = None) -> Tensor:
    """Divides by a power of the sum of squares over nearby channels: input / (bias + alpha * sum) ** beta."""

def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: Any = False, name: str | None = None) -> Tensor:
    """Negative log-likelihood of `targets` under a Poisson distribution with the logarithm of the mean `log_input`."""

def log_uniform_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = None, name: str | None = None) -> Any:
    """Draws classes from [0, range_max) with an approximately Zipfian distribution."""

lrn = local_response_normalization

def max_pool(value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None, input: Any = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NWC', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of sequences."""

def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pool_v2(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None) -> Tensor:
    """Computes the maximum of each window in one or two spatial dimensions."""

def max_pool_with_argmax(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', Targmax: Any = None, name: str | None = None, output_dtype: Any = None, include_batch_in_index: Any = False) -> Any:
    """Computes the maximum of each window and where it is."""

def moments(x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: Any = None, keepdims: Any = None) -> Any:
    """Computes mean and variance along dimensions."""

def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any, num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = False, partition_strategy: Any = 'mod', name: str | None = 'nce_loss') -> Tensor:
    """Noise-contrastive estimation: logistic regression tells the true classes from sampled ones."""

def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Computes mean and variance from what `sufficient_statistics` returns."""

def nth_element(input: Any, n: Any, reverse: Any = False, name: str | None = None) -> Tensor:
    """The n-th smallest element of each row, or with `reverse` the n-th largest, counted from 0."""

def pool(input: Any, window_shape: Any, pooling_type: Any, padding: Any, dilation_rate: Any = None, strides: Any = None, name: str | None = None, data_format: Any = None, dilations: Any = None) -> Tensor:
    """Pools windows in one or two spatial dimensions."""

def raw_rnn(cell: Any, loop_fn: Any, parallel_iterations: Any = None, swap_memory: Any = False, scope: Any = None) -> Any:
    """Runs a cell in a loop whose inputs, states, outputs and end a function determines."""

def relu(features: Any, name: str | None = None) -> Tensor:
    """Rectified linear unit: max(features, 0)."""

def relu6(features: Any, name: str | None = None) -> Tensor:
    """Rectified linear unit with a ceiling of 6: min(max(features, 0), 6)."""

def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """A linear layer with rectifier: relu(matmul(x, weights) + biases)."""

def sampled_softmax_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any, num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = True, partition_strategy: Any = 'mod', name: str | None = 'sampled_softmax_loss', seed: Any = None) -> Tensor:
    """Softmax cross entropy over the true classes and sampled ones, an estimate of that over all classes."""

def selu(features: Any, name: str | None = None) -> Tensor:
    """Scaled exponential linear unit: scale * (features where positive, else alpha * (exp(features) - 1))."""

def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any, rate: Any = None, name: str | None = None, data_format: Any = None, dilations: Any = None) -> Tensor:
    """A depthwise convolution, then a 1 x 1 convolution that mixes the channels."""

def sigmoid_cross_entropy_with_logits(_sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of independent classes, each with its own probability sigmoid(logits)."""

def softmax_cross_entropy_with_logits(_sentinel: Any = None, labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None) -> Tensor:
    """Cross entropy of softmax(logits) relative to `labels`, with gradients for the logits only."""

def softmax_cross_entropy_with_logits_v2(labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Cross entropy of softmax(logits) relative to `labels`: -sum(labels * log(softmax(logits))) along `axis`."""

def sparse_softmax_cross_entropy_with_logits(_sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of softmax(logits) with one true class for each example."""

def static_bidirectional_rnn(cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None) -> Any:
    """Runs one cell forward and one backward over a list of inputs and concatenates their outputs."""

def static_rnn(cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None) -> Any:
    """Runs a cell over a list of inputs; each step has operations of its own."""

def static_state_saving_rnn(cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None, scope: Any = None) -> Any:
    """Runs `static_rnn` over a part of a sequence, from a saved state on, and saves the final state."""

def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keep_dims: Any = None, name: str | None = None, keepdims: Any = None) -> Any:
    """Computes what mean and variance can be computed from: counts and sums."""

def swish(features: Any) -> Tensor:
    """Computes features * sigmoid(features)."""

def uniform_candidate_sampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = None, name: str | None = None) -> Any:
    """Draws classes from [0, range_max), each with probability 1 / range_max."""

def weighted_cross_entropy_with_logits(labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None) -> Tensor:
    """Cross entropy of independent classes in which positive examples weigh `pos_weight`."""

def weighted_moments(x: Any, axes: Any, frequency_weights: Any, name: str | None = None, keep_dims: Any = None, keepdims: Any = None) -> Any:
    """Computes weighted mean and variance along dimensions, both 0 where the weights add up to 0."""

def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """A linear layer: matmul(x, weights) + biases."""
