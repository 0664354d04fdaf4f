# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import depth_to_space as depth_to_space
from tfcore import log_sigmoid as log_sigmoid
from tfcore import sigmoid as sigmoid
from tfcore import space_to_batch as space_to_batch
from tfcore import space_to_depth as space_to_depth
from tfcore import tanh as tanh
from tfcore.linalg import l2_normalize as l2_normalize
from tfcore.math import approx_max_k as approx_max_k
from tfcore.math import approx_min_k as approx_min_k
from tfcore.math import in_top_k as in_top_k
from tfcore.math import log_softmax as log_softmax
from tfcore.math import softmax as softmax
from tfcore.math import softplus as softplus
from tfcore.math import softsign as softsign
from tfcore.math import top_k as top_k
from tfcore.math import zero_fraction as zero_fraction
from tfcore.nn import experimental as experimental
from tfcore.rnn import rnn_cell as rnn_cell
from typing import Any as _Any

__all__ = [
'all_candidate_sampler', 'approx_max_k', 'approx_min_k', 'atrous_conv2d', 'atrous_conv2d_transpose', 'avg_pool',
'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'avg_pool_v2', 'batch_norm_with_global_normalization', 'batch_normalization',
'bias_add', 'bidirectional_dynamic_rnn', 'collapse_repeated', 'compute_accidental_hits', 'compute_average_loss',
'conv1d', 'conv1d_transpose', 'conv2d', 'conv2d_backprop_filter', 'conv2d_backprop_input', 'conv2d_transpose', 'conv3d',
'conv3d_backprop_filter', 'conv3d_backprop_filter_v2', 'conv3d_transpose', 'conv_transpose', 'convolution', 'crelu',
'ctc_beam_search_decoder', 'ctc_beam_search_decoder_v2', 'ctc_greedy_decoder', 'ctc_loss', 'ctc_loss_v2',
'ctc_unique_labels', 'depth_to_space', 'depthwise_conv2d', 'depthwise_conv2d_backprop_filter',
'depthwise_conv2d_backprop_input', 'depthwise_conv2d_native', 'depthwise_conv2d_native_backprop_filter',
'depthwise_conv2d_native_backprop_input', 'dilation2d', 'dropout', 'dynamic_rnn', 'elu', 'embedding_lookup',
'embedding_lookup_sparse', 'erosion2d', 'experimental', 'fixed_unigram_candidate_sampler', 'fractional_avg_pool',
'fractional_max_pool', 'fused_batch_norm', 'in_top_k', 'l2_loss', 'l2_normalize', 'leaky_relu',
'learned_unigram_candidate_sampler', 'local_response_normalization', 'log_poisson_loss', 'log_sigmoid', 'log_softmax',
'log_uniform_candidate_sampler', 'lrn', 'max_pool', 'max_pool1d', 'max_pool2d', 'max_pool3d', 'max_pool_v2',
'max_pool_with_argmax', 'moments', 'nce_loss', 'normalize_moments', 'nth_element', 'pool', 'quantized_avg_pool',
'quantized_conv2d', 'quantized_max_pool', 'quantized_relu_x', 'raw_rnn', 'relu', 'relu6', 'relu_layer', 'rnn_cell',
'safe_embedding_lookup_sparse', 'sampled_softmax_loss', 'scale_regularization_loss', 'selu', 'separable_conv2d',
'sigmoid', 'sigmoid_cross_entropy_with_logits', 'silu', 'softmax', 'softmax_cross_entropy_with_logits',
'softmax_cross_entropy_with_logits_v2', 'softplus', 'softsign', 'space_to_batch', 'space_to_depth',
'sparse_softmax_cross_entropy_with_logits', 'static_bidirectional_rnn', 'static_rnn', 'static_state_saving_rnn',
'sufficient_statistics', 'swish', 'tanh', 'top_k', 'uniform_candidate_sampler', 'weighted_cross_entropy_with_logits',
'weighted_moments', 'with_space_to_batch', 'xw_plus_b', 'zero_fraction'
]

def all_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, seed: _Any = None, name: str | None = None) -> _Any:
    """Returns all `num_sampled` classes, each once; all expected counts are 1. Meant for tests."""

def atrous_conv2d(value: _Any, filters: _Any, rate: _Any, padding: _Any, name: str | None = None) -> Tensor:
    """2-D convolution with filter taps `rate` pixels apart, also called dilated convolution."""

def atrous_conv2d_transpose(value: _Any, filters: _Any, output_shape: _Any, rate: _Any, padding: _Any, name: str | None = None) -> Tensor:
    """The transpose of `atrous_conv2d`."""

def avg_pool(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', name: str | None = None, input: _Any = None) -> Tensor:
    """Computes the mean of each window of a batch of images."""

def avg_pool1d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NWC', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of sequences."""

avg_pool2d = avg_pool

def avg_pool3d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', name: str | None = None) -> Tensor:
    """Computes the mean of each window of a batch of volumes."""

def avg_pool_v2(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = None, name: str | None = None) -> Tensor:
    """Computes the mean of each window in one to three spatial dimensions."""

def batch_norm_with_global_normalization(t: _Any = None, m: _Any = None, v: _Any = None, beta: _Any = None, gamma: _Any = None, variance_epsilon: _Any = None, scale_after_normalization: _Any = None, name: str | None = None, input: _Any = None, mean: _Any = None, variance: _Any = None) -> Tensor:
    """Batch normalization with the arguments of its oldest form; prefer `batch_normalization`."""

def batch_normalization(x: _Any, mean: _Any, variance: _Any, offset: _Any, scale: _Any, variance_epsilon: _Any, name: str | None = None) -> Tensor:
    """Normalizes with a given mean and variance: (x - mean) / sqrt(variance + variance_epsilon) * scale + offset."""

def bias_add(value: _Any, bias: _Any, data_format: _Any = None, name: str | None = None) -> Tensor:
    """Adds a vector to each position along the channels."""

def bidirectional_dynamic_rnn(cell_fw: _Any, cell_bw: _Any, inputs: _Any, sequence_length: _Any = None, initial_state_fw: _Any = None, initial_state_bw: _Any = None, dtype: _Any = None, parallel_iterations: _Any = None, swap_memory: _Any = False, time_major: _Any = False, scope: _Any = None) -> _Any:
    """Runs one cell forward and one backward over a sequence."""

def collapse_repeated(labels: _Any, seq_length: _Any, name: str | None = None) -> _Any:
    """Keeps one of each run of equal labels in a sequence."""

def compute_accidental_hits(true_classes: _Any, sampled_candidates: _Any, num_true: _Any, seed: _Any = None, name: str | None = None) -> _Any:
    """Finds sampled classes that are true classes of an example."""

def compute_average_loss(per_example_loss: _Any, sample_weight: _Any = None, global_batch_size: _Any = None) -> Tensor:
    """The sum of the losses of examples, divided by the size of the batch."""

def conv1d(value: _Any = None, filters: _Any = None, stride: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = None, data_format: _Any = None, name: str | None = None, input: _Any = None, dilations: _Any = None) -> Tensor:
    """1-D convolution of a batch of sequences with a bank of filters."""

def conv1d_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = 'NWC', dilations: _Any = None, name: str | None = None) -> Tensor:
    """The transpose of `conv1d`."""

def conv2d(input: _Any, filter: _Any = None, strides: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = True, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None, filters: _Any = None) -> Tensor:
    """2-D convolution of a batch of images with a bank of filters."""

def conv2d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, use_cudnn_on_gpu: _Any = True, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Computes the gradient of `conv2d` with respect to its filter."""

def conv2d_backprop_input(input_sizes: _Any, filter: _Any = None, out_backprop: _Any = None, strides: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = True, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None, filters: _Any = None) -> Tensor:
    """Computes the gradient of `conv2d` with respect to its input."""

def conv2d_transpose(value: _Any = None, filter: _Any = None, output_shape: _Any = None, strides: _Any = None, padding: _Any = 'SAME', data_format: _Any = 'NHWC', name: str | None = None, input: _Any = None, filters: _Any = None, dilations: _Any = None) -> Tensor:
    """The transpose of `conv2d`, also called deconvolution."""

def conv3d(input: _Any, filter: _Any = None, strides: _Any = None, padding: _Any = None, data_format: _Any = 'NDHWC', dilations: _Any = (1, 1, 1, 1, 1), name: str | None = None, filters: _Any = None) -> Tensor:
    """3-D convolution of a batch of volumes with a bank of filters."""

def conv3d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', dilations: _Any = (1, 1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Computes the gradient of `conv3d` with respect to its filter."""

conv3d_backprop_filter_v2 = conv3d_backprop_filter

def conv3d_transpose(value: _Any, filter: _Any = None, output_shape: _Any = None, strides: _Any = None, padding: _Any = 'SAME', data_format: _Any = 'NDHWC', name: str | None = None, input: _Any = None, filters: _Any = None, dilations: _Any = None) -> Tensor:
    """The transpose of `conv3d`, also called deconvolution."""

def conv_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = None, dilations: _Any = None, name: str | None = None) -> Tensor:
    """The transpose of `convolution` in one, two or three spatial dimensions."""

def convolution(input: _Any, filter: _Any, padding: _Any, strides: _Any = None, dilation_rate: _Any = None, name: str | None = None, data_format: _Any = None, filters: _Any = None, dilations: _Any = None) -> Tensor:
    """Convolution in one, two or three spatial dimensions."""

def crelu(features: _Any, name: str | None = None, axis: _Any = -1) -> Tensor:
    """Concatenates relu(features) and relu(-features)."""

def ctc_beam_search_decoder(inputs: _Any, sequence_length: _Any, beam_width: _Any = 100, top_paths: _Any = 1, merge_repeated: _Any = True) -> _Any:
    """CTC decoding by beam search: the most probable labels. The last class is the blank."""

def ctc_beam_search_decoder_v2(inputs: _Any, sequence_length: _Any, beam_width: _Any = 100, top_paths: _Any = 1) -> _Any:
    """`ctc_beam_search_decoder` with `merge_repeated=False`."""

def ctc_greedy_decoder(inputs: _Any, sequence_length: _Any, merge_repeated: _Any = True, blank_index: _Any = None) -> _Any:
    """CTC decoding by the best class of each step, without blanks."""

def ctc_loss(labels: _Any, inputs: _Any = None, sequence_length: _Any = None, preprocess_collapse_repeated: _Any = False, ctc_merge_repeated: _Any = True, ignore_longer_outputs_than_inputs: _Any = False, time_major: _Any = True, logits: _Any = None) -> Tensor:
    """The CTC loss: the negative log probability of labels that are not aligned with the steps."""

def ctc_loss_v2(labels: _Any, logits: _Any, label_length: _Any, logit_length: _Any, logits_time_major: _Any = True, unique: _Any = None, blank_index: _Any = None, name: str | None = None) -> Tensor:
    """The CTC loss as in TensorFlow 2: dense or sparse labels, and any class as the blank."""

def ctc_unique_labels(labels: _Any, name: str | None = None) -> _Any:
    """The different labels of each sequence, in the order in which they appear."""

def depthwise_conv2d(input: _Any, filter: _Any, strides: _Any, padding: _Any, rate: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> Tensor:
    """2-D convolution of each channel with separate filters."""

def depthwise_conv2d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Gradient of the depthwise convolution for its filter."""

def depthwise_conv2d_backprop_input(input_sizes: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Gradient of the depthwise convolution for its input."""

def depthwise_conv2d_native(input: _Any, filter: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """Depthwise 2-D convolution, with the arguments of the op."""

depthwise_conv2d_native_backprop_filter = depthwise_conv2d_backprop_filter

depthwise_conv2d_native_backprop_input = depthwise_conv2d_backprop_input

def dilation2d(input: _Any, filter: _Any = None, strides: _Any = None, rates: _Any = None, padding: _Any = None, name: str | None = None, filters: _Any = None, dilations: _Any = None) -> Tensor:
    """Grayscale dilation: the greatest sum of a pixel and the filter in each window."""

def dropout(x: _Any, keep_prob: _Any = None, noise_shape: _Any = None, seed: _Any = None, name: str | None = None, rate: _Any = None) -> Tensor:
    """Sets elements to 0 with probability `rate`, and scales the others by 1 / (1 - rate)."""

def dynamic_rnn(cell: _Any, inputs: _Any, sequence_length: _Any = None, initial_state: _Any = None, dtype: _Any = None, parallel_iterations: _Any = None, swap_memory: _Any = False, time_major: _Any = False, scope: _Any = None) -> _Any:
    """Runs a cell over sequences in a loop inside the graph."""

def elu(features: _Any, name: str | None = None) -> Tensor:
    """Exponential linear unit: features where positive, else exp(features) - 1."""

def embedding_lookup(params: _Any, ids: _Any, partition_strategy: _Any = 'mod', name: str | None = None, validate_indices: _Any = True, max_norm: _Any = None) -> Tensor:
    """Rows of an embedding table, which may be split into shards."""

def embedding_lookup_sparse(params: _Any, sp_ids: _Any, sp_weights: _Any, partition_strategy: _Any = 'mod', name: str | None = None, combiner: _Any = None, max_norm: _Any = None, allow_fast_lookup: _Any = False) -> Tensor:
    """For each row of `sp_ids` one vector: the combined embeddings of the ids there."""

def erosion2d(value: _Any, kernel: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None) -> Tensor:
    """Grayscale erosion: the least difference of a pixel and the kernel in each window."""

def fixed_unigram_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, vocab_file: _Any = '', distortion: _Any = 1.0, num_reserved_ids: _Any = 0, num_shards: _Any = 1, shard: _Any = 0, unigrams: _Any = (), seed: _Any = None, name: str | None = None) -> _Any:
    """Draws classes from [0, range_max) with given weights."""

def fractional_avg_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Average pooling over regions of random size; see `fractional_max_pool`."""

def fractional_max_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Max pooling over regions of random size: pooling_ratio on average, each floor(pooling_ratio) or one more pixel."""

def fused_batch_norm(x: _Any, scale: _Any, offset: _Any, mean: _Any = None, variance: _Any = None, epsilon: _Any = 0.001, data_format: _Any = 'NHWC', is_training: _Any = True, name: str | None = None, exponential_avg_factor: _Any = 1.0) -> _Any:
    """Normalizes the batch in one operation, channel by channel."""

def l2_loss(t: _Any, name: str | None = None) -> Tensor:
    """Half the squared L2 norm: sum(t ** 2) / 2."""

def leaky_relu(features: _Any, alpha: _Any = 0.2, name: str | None = None) -> Tensor:
    """Leaky rectified linear unit: features where positive, else alpha * features."""

def learned_unigram_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = None, name: str | None = None) -> _Any:
    """Draws classes from [0, range_max) with the distribution of the true classes of earlier steps."""

def local_response_normalization(input: _Any, depth_radius: _Any = 5, bias: _Any = 1.0, alpha: _Any = 1.0, beta: _Any = 0.5, name: str | None = None) -> Tensor:
    """Divides by a power of the sum of squares over nearby channels: input / (bias + alpha * sum) ** beta."""

def log_poisson_loss(targets: _Any, log_input: _Any, compute_full_loss: _Any = False, name: str | None = None) -> Tensor:
    """Negative log-likelihood of `targets` under a Poisson distribution with the logarithm of the mean `log_input`."""

def log_uniform_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = None, name: str | None = None) -> _Any:
    """Draws classes from [0, range_max) with an approximately Zipfian distribution."""

lrn = local_response_normalization

def max_pool(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', name: str | None = None, input: _Any = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pool1d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NWC', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of sequences."""

def max_pool2d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of images."""

def max_pool3d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', name: str | None = None) -> Tensor:
    """Computes the maximum of each window of a batch of volumes."""

def max_pool_v2(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = None, name: str | None = None) -> Tensor:
    """Computes the maximum of each window in one to three spatial dimensions."""

def max_pool_with_argmax(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', Targmax: _Any = None, name: str | None = None, output_dtype: _Any = None, include_batch_in_index: _Any = False) -> _Any:
    """Computes the maximum of each window and where it is."""

def moments(x: _Any, axes: _Any, shift: _Any = None, name: str | None = None, keep_dims: _Any = None, keepdims: _Any = None) -> _Any:
    """Computes mean and variance along dimensions."""

def nce_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: _Any, num_classes: _Any, num_true: _Any = 1, sampled_values: _Any = None, remove_accidental_hits: _Any = False, partition_strategy: _Any = 'mod', name: str | None = 'nce_loss') -> Tensor:
    """Noise-contrastive estimation: logistic regression tells the true classes from sampled ones."""

def normalize_moments(counts: _Any, mean_ss: _Any, variance_ss: _Any, shift: _Any, name: str | None = None) -> _Any:
    """Computes mean and variance from the results of `sufficient_statistics`."""

def nth_element(input: _Any, n: _Any, reverse: _Any = False, name: str | None = None) -> Tensor:
    """The n-th smallest element of each row, or with `reverse` the n-th largest, counted from 0."""

def pool(input: _Any, window_shape: _Any, pooling_type: _Any, padding: _Any, dilation_rate: _Any = None, strides: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> Tensor:
    """Pools windows in one to three spatial dimensions."""

def quantized_avg_pool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any, strides: _Any, padding: _Any, name: str | None = None) -> _Any:
    """Means over windows of quantized images, rounded to the nearest integer, halves to even."""

def quantized_conv2d(input: _Any, filter: _Any, min_input: _Any, max_input: _Any, min_filter: _Any, max_filter: _Any, strides: _Any, padding: _Any, out_type: _Any = ..., dilations: _Any = [1, 1, 1, 1], name: str | None = None) -> _Any:
    """The convolution of quantized images with quantized filters, in 32-bit integers."""

def quantized_max_pool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any, strides: _Any, padding: _Any, name: str | None = None) -> _Any:
    """Maxima over windows of quantized images."""

def quantized_relu_x(features: _Any, max_value: _Any, min_features: _Any, max_features: _Any, out_type: _Any = ..., name: str | None = None) -> _Any:
    """min(max(features, 0), max_value) of quantized numbers."""

def raw_rnn(cell: _Any, loop_fn: _Any, parallel_iterations: _Any = None, swap_memory: _Any = False, scope: _Any = None) -> _Any:
    """Runs a cell in a loop; a function determines its inputs, states, outputs and end."""

def relu(features: _Any, name: str | None = None) -> Tensor:
    """Rectified linear unit: max(features, 0)."""

def relu6(features: _Any, name: str | None = None) -> Tensor:
    """Rectified linear unit with a ceiling of 6: min(max(features, 0), 6)."""

def relu_layer(x: _Any, weights: _Any, biases: _Any, name: str | None = None) -> Tensor:
    """A linear layer with rectifier: relu(matmul(x, weights) + biases)."""

def safe_embedding_lookup_sparse(embedding_weights: _Any, sparse_ids: _Any, sparse_weights: _Any = None, combiner: _Any = 'mean', default_id: _Any = None, name: str | None = None, partition_strategy: _Any = 'div', max_norm: _Any = None, allow_fast_lookup: _Any = False) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` that allows ids to be missing."""

def sampled_softmax_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: _Any, num_classes: _Any, num_true: _Any = 1, sampled_values: _Any = None, remove_accidental_hits: _Any = True, partition_strategy: _Any = 'mod', name: str | None = 'sampled_softmax_loss', seed: _Any = None) -> Tensor:
    """Softmax cross entropy over the true classes and sampled ones, an estimate of that over all classes."""

def scale_regularization_loss(regularization_loss: _Any) -> Tensor:
    """The sum of regularization losses, divided by the number of replicas, which is 1 here."""

def selu(features: _Any, name: str | None = None) -> Tensor:
    """Scaled exponential linear unit: scale * (features where positive, else alpha * (exp(features) - 1))."""

def separable_conv2d(input: _Any, depthwise_filter: _Any, pointwise_filter: _Any, strides: _Any, padding: _Any, rate: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> Tensor:
    """A depthwise convolution, then a 1 x 1 convolution that mixes the channels."""

def sigmoid_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of independent classes, each with its own probability sigmoid(logits)."""

def silu(features: _Any, beta: _Any = 1.0) -> Tensor:
    """Computes features * sigmoid(beta * features)."""

def softmax_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, dim: _Any = -1, name: str | None = None, axis: _Any = None) -> Tensor:
    """Cross entropy of softmax(logits) relative to `labels`, with gradients for the logits only."""

def softmax_cross_entropy_with_logits_v2(labels: _Any, logits: _Any, axis: _Any = None, name: str | None = None, dim: _Any = None) -> Tensor:
    """Cross entropy of softmax(logits) relative to `labels`: -sum(labels * log(softmax(logits))) along `axis`."""

def sparse_softmax_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of softmax(logits) with one true class for each example."""

def static_bidirectional_rnn(cell_fw: _Any, cell_bw: _Any, inputs: _Any, initial_state_fw: _Any = None, initial_state_bw: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """Runs one cell forward and one backward over a list of inputs and concatenates their outputs."""

def static_rnn(cell: _Any, inputs: _Any, initial_state: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """Runs a cell over a list of inputs, unrolled: each step adds its operations to the graph."""

def static_state_saving_rnn(cell: _Any, inputs: _Any, state_saver: _Any, state_name: _Any, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """Runs `static_rnn` over a part of a sequence, starting from a saved state, and saves the final state."""

def sufficient_statistics(x: _Any, axes: _Any, shift: _Any = None, keep_dims: _Any = None, name: str | None = None, keepdims: _Any = None) -> _Any:
    """Computes sufficient statistics for mean and variance: counts and sums."""

swish = silu

def uniform_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = None, name: str | None = None) -> _Any:
    """Draws classes from [0, range_max), each with probability 1 / range_max."""

def weighted_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, pos_weight: _Any = None, name: str | None = None, targets: _Any = None) -> Tensor:
    """Cross entropy of independent classes in which positive examples weigh `pos_weight`."""

def weighted_moments(x: _Any, axes: _Any, frequency_weights: _Any, name: str | None = None, keep_dims: _Any = None, keepdims: _Any = None) -> _Any:
    """Computes weighted mean and variance along dimensions, both 0 where the weights add up to 0."""

def with_space_to_batch(input: _Any, dilation_rate: _Any, padding: _Any, op: _Any, filter_shape: _Any = None, spatial_dims: _Any = None, data_format: _Any = None) -> _Any:
    """Applies an operation with dilation: to each of the grids of pixels that are `dilation_rate` apart."""

def xw_plus_b(x: _Any, weights: _Any, biases: _Any, name: str | None = None) -> Tensor:
    """A linear layer: matmul(x, weights) + biases."""
