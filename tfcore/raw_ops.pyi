# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor

def Abs(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Absolute value."""

def AccumulateNV2(inputs: Any, shape: Any, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """Sum of tensors of one shape."""

def Acos(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse cosine."""

def Acosh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def Add(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x + y; strings are concatenated."""

def AddN(inputs: Any, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """Sum of tensors of one shape."""

def AddV2(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x + y."""

def All(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, Tidx: Any = None) -> Tensor:
    """Logical and along axes."""

def AllCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Every class once."""

def Angle(input: Any, Tout: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Argument, in (-pi, pi]."""

def Any(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, Tidx: Any = None) -> Tensor:
    """Logical or along axes."""

def ApplyAdaMax(var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """m as in ApplyAdam; v = max(beta2 * v, abs(grad)); var -= lr / (1 - beta1_power) * m / (v + epsilon)"""

def ApplyAdadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """accum = rho * accum + (1 - rho) * grad ** 2
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update
    accum_update = rho * accum_update + (1 - rho) * update ** 2"""

def ApplyAdagrad(var: Any, accum: Any, lr: Any, grad: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None, T: Any = None) -> Tensor:
    """accum += grad ** 2; var -= lr * grad / sqrt(accum)"""

def ApplyAdagradDA(var: Any, gradient_accumulator: Any, gradient_squared_accumulator: Any, grad: Any, lr: Any, l1: Any, l2: Any, global_step: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """g += grad; gg += grad ** 2 (the accumulators)
    var = -sign(g) * lr * max(abs(g) - l1 * global_step, 0) / (l2 * global_step * lr + sqrt(gg))"""

def ApplyAdagradV2(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None, T: Any = None) -> Tensor:
    """accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)"""

def ApplyAdam(var: Any, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m += (grad - m) * (1 - beta1); v += (grad ** 2 - v) * (1 - beta2)
    var -= lr_t * m / (sqrt(v) + epsilon) (Nesterov: m * beta1 + grad * (1 - beta1) for m)"""

def ApplyAddSign(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """m = beta * m + (1 - beta) * grad
    var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad"""

def ApplyCenteredRMSProp(var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """ApplyRMSProp with the variance ms - mg ** 2 in place of ms, where mg is the moving average of grad."""

def ApplyFtrl(var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, use_locking: Any = False, multiply_linear_by_lr: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """linear += grad - (accum_new ** -lr_power - accum ** -lr_power) / lr * var; accum_new = accum + grad ** 2
    var = 0 if abs(linear) <= l1 else (sign(linear) * l1 - linear) / (accum_new ** -lr_power / lr + 2 * l2)"""

def ApplyFtrlV2(var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, use_locking: Any = False, multiply_linear_by_lr: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """ApplyFtrl, with grad + 2 * l2_shrinkage * var for the first grad."""

def ApplyGradientDescent(var: Any, alpha: Any, delta: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """var -= alpha * delta"""

def ApplyMomentum(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """accum = accum * momentum + grad; var -= lr * accum (Nesterov: lr * (grad + momentum * accum))"""

def ApplyPowerSign(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """m = beta * m + (1 - beta) * grad
    var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad"""

def ApplyProximalAdagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """accum += grad ** 2; rate = lr / sqrt(accum); v = var - rate * grad
    var = sign(v) / (1 + rate * l2) * max(abs(v) - rate * l1, 0)"""

def ApplyProximalGradientDescent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """v = var - alpha * delta; var = sign(v) / (1 + alpha * l2) * max(abs(v) - alpha * l1, 0)"""

def ApplyRMSProp(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """ms += (grad ** 2 - ms) * (1 - rho); mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    var -= mom"""

def ApproximateEqual(x: Any, y: Any, tolerance: Any = 1e-05, name: str | None = None, T: Any = None) -> Tensor:
    """Where |x - y| <= tolerance; x and y have the same shape."""

def ArgMax(input: Any, dimension: Any, output_type: Any = ..., name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Position of the first maximum along a dimension."""

def ArgMin(input: Any, dimension: Any, output_type: Any = ..., name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Position of the first minimum along a dimension."""

def Asin(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse sine."""

def Asinh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse hyperbolic sine."""

def Assert(condition: Any, data: Any, summarize: Any = 3, name: str | None = None, T: Any = None) -> Operation:
    """Fails with the first `summarize` elements of each tensor in `data` unless `condition` holds."""

def Assign(ref: Any, value: Any, validate_shape: Any = True, use_locking: Any = True, name: str | None = None, T: Any = None) -> Tensor:
    """Makes `value` the variable's value. With validate_shape the shape may not change."""

def AssignAdd(ref: Any, value: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Adds `value` to the variable; exact under concurrent steps."""

def AssignSub(ref: Any, value: Any, use_locking: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Subtracts `value` from the variable; exact under concurrent steps."""

def Atan(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse tangent."""

def Atan2(y: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Angle of the point (x, y)."""

def Atanh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse hyperbolic tangent."""

def AvgPool(value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Mean of each window; padding does not count."""

def AvgPoolGrad(orig_input_shape: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of AvgPool."""

def BatchCholesky(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Lower triangular L with L L* = input; only its lower triangle is read."""

def BatchCholeskyGrad(l: Any, grad: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of Cholesky: l is its output, grad the gradient with respect to it."""

def BatchFFT(input: Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 1 dimensions."""

def BatchFFT2D(input: Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 2 dimensions."""

def BatchFFT3D(input: Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 3 dimensions."""

def BatchIFFT(input: Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 1 dimensions."""

def BatchIFFT2D(input: Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 2 dimensions."""

def BatchIFFT3D(input: Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 3 dimensions."""

def BatchMatMul(x: Any, y: Any, adj_x: Any = False, adj_y: Any = False, grad_x: Any = False, grad_y: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked."""

def BatchMatMulV2(x: Any, y: Any, adj_x: Any = False, adj_y: Any = False, grad_x: Any = False, grad_y: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked."""

def BatchMatrixBandPart(input: Any, num_lower: Any, num_upper: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same as MatrixBandPart."""

def BatchMatrixDeterminant(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Determinants of matrices."""

def BatchMatrixDiag(diagonal: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same as MatrixDiag."""

def BatchMatrixDiagPart(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same as MatrixDiagPart."""

def BatchMatrixInverse(input: Any, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Inverses of matrices, or of their adjoints."""

def BatchMatrixSetDiag(input: Any, diagonal: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same as MatrixSetDiag."""

def BatchMatrixSolve(matrix: Any, rhs: Any, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """x with matrix x = rhs, or adjoint(matrix) x = rhs."""

def BatchMatrixTriangularSolve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """x with matrix x = rhs; of the matrix only the lower (upper) triangle is read."""

def BatchNormWithGlobalNormalization(t: Any, m: Any, v: Any, beta: Any, gamma: Any, variance_epsilon: Any, scale_after_normalization: Any, name: str | None = None, T: Any = None) -> Tensor:
    """(t - m) / sqrt(v + variance_epsilon) * gamma + beta; gamma only if scale_after_normalization."""

def BatchNormWithGlobalNormalizationGrad(t: Any, m: Any, v: Any, gamma: Any, backprop: Any, variance_epsilon: Any, scale_after_normalization: Any, name: str | None = None, T: Any = None) -> Any:
    """Gradient of BatchNormWithGlobalNormalization."""

def BatchToSpace(input: Any, crops: Any, block_size: Any, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """BatchToSpaceND for images and square blocks."""

def BatchToSpaceND(input: Any, block_shape: Any, crops: Any, name: str | None = None, T: Any = None, Tblock_shape: Any = None, Tcrops: Any = None) -> Tensor:
    """Moves the batch dimension back into blocks, then crops."""

def BesselI0e(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """exp(-|x|) I0(x)."""

def BesselI1e(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """exp(-|x|) I1(x)."""

def Betainc(a: Any, b: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Regularised incomplete beta function I_x(a, b); scalars stand for all elements."""

def BiasAdd(value: Any, bias: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """value + bias, where bias has one element for each channel (last dimension; NCHW: the second)."""

def BiasAddGrad(out_backprop: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Sum of out_backprop over all dimensions except the channels."""

def BiasAddV1(value: Any, bias: Any, name: str | None = None, T: Any = None) -> Tensor:
    """value + bias along the last dimension."""

def Bincount(arr: Any, size: Any, weights: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The count, or total weight, of each number below `size`."""

def Bitcast(input: Any, type: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same bytes with another type; where sizes differ, a last dimension comes or goes."""

def BitwiseAnd(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Bits that are set in both."""

def BitwiseOr(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Bits that are set in either."""

def BitwiseXor(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Bits that differ."""

def BroadcastArgs(s0: Any, s1: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The shape that shapes s0 and s1 broadcast to."""

def BroadcastGradientArgs(s0: Any, s1: Any, name: str | None = None, T: Any = None) -> Any:
    """The axes over which gradients of a broadcast result are summed for operands of shapes s0 and s1."""

def BroadcastTo(input: Any, shape: Any, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Repeats dimensions of size 1 and adds leading dimensions to reach `shape`."""

def Case(branch_index: Any, input: Any, Tout: Any, branches: Any, output_shapes: Any = [], name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """What branch number branch_index gives for `input`; the last one if there is no such branch."""

def Cast(x: Any, DstT: Any, Truncate: Any = False, name: str | None = None, SrcT: Any = None) -> Tensor:
    """x with its elements converted. Truncate: towards zero instead of to the nearest, between floats."""

def Ceil(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Smallest integer not below x."""

def CheckNumerics(tensor: Any, message: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def Cholesky(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Lower triangular L with L L* = input; only its lower triangle is read."""

def CholeskyGrad(l: Any, grad: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of Cholesky: l is its output, grad the gradient with respect to it."""

def ClipByValue(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None, T: Any = None) -> Tensor:
    """max(min(t, clip_value_max), clip_value_min); each limit is a scalar or has the shape of t."""

def Complex(real: Any, imag: Any, Tout: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Complex numbers from their real and imaginary parts."""

def ComplexAbs(x: Any, Tout: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Modulus."""

def ComputeAccidentalHits(true_classes: Any, sampled_candidates: Any, num_true: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Finds the sampled classes that are true classes of a row."""

def Concat(concat_dim: Any, values: Any, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """Joins tensors along a dimension."""

def ConcatOffset(concat_dim: Any, shape: Any, name: str | None = None, N: Any = None, shape_type: Any = None) -> list[Tensor]:
    """The offset of each tensor in the concatenation of tensors of these shapes."""

def ConcatV2(values: Any, axis: Any, name: str | None = None, N: Any = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Joins tensors along a dimension."""

def Conj(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Complex conjugate."""

def ConjugateTranspose(x: Any, perm: Any, name: str | None = None, T: Any = None, Tperm: Any = None) -> Tensor:
    """Permutes dimensions and conjugates complex elements."""

def Const(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """A tensor whose value is the attribute `value`."""

def ControlTrigger(name: str | None = None) -> Operation:
    """Does nothing, also when control inputs are dead: dead tokens end here."""

def Conv2D(input: Any, filter: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Convolution of images with filters of shape [height, width, in_channels, out_channels]:
    output[b, y, x, o] = sum over i, j, c of
    input[b, sy * y + dy * i - pad, sx * x + dx * j - pad, c] * filter[i, j, c, o]."""

def Conv2DBackpropFilter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of Conv2D for its filter, whose shape is `filter_sizes`."""

def Conv2DBackpropInput(input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of Conv2D for its input, whose shape is `input_sizes`; also known as deconvolution."""

def Copy(input: Any, tensor_name: Any = b'', debug_ops_spec: Any = [], name: str | None = None, T: Any = None) -> Tensor:
    """A copy in memory of its own, for debuggers."""

def CopyHost(input: Any, tensor_name: Any = b'', debug_ops_spec: Any = [], name: str | None = None, T: Any = None) -> Tensor:
    """A copy in memory of its own, for debuggers."""

def Cos(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Cosine."""

def Cosh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hyperbolic cosine."""

def CountUpTo(ref: Any, limit: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`."""

def Cross(a: Any, b: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Cross products of the vectors along the last dimension, of size 3."""

def Cumprod(x: Any, axis: Any, exclusive: Any = False, reverse: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Products of all elements up to each, along a dimension."""

def Cumsum(x: Any, axis: Any, exclusive: Any = False, reverse: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Sums of all elements up to each, along a dimension."""

def DecodeBase64(input: Any, name: str | None = None) -> Tensor:
    """Decodes strings that EncodeBase64 made."""

def DeepCopy(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """A copy in memory of its own."""

def DepthToSpace(input: Any, block_size: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Moves channels into blocks of block_size x block_size pixels."""

def DepthwiseConv2dNative(input: Any, filter: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Convolution of each channel with its own filters, of shape [height, width, channels, multiplier]; output
    channel c * multiplier + m belongs to input channel c."""

def DepthwiseConv2dNativeBackpropFilter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of DepthwiseConv2dNative for its filter, whose shape is `filter_sizes`."""

def DepthwiseConv2dNativeBackpropInput(input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = b'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of DepthwiseConv2dNative for its input, whose shape is `input_sizes`."""

def Diag(diagonal: Any, name: str | None = None, T: Any = None) -> Tensor:
    """output[i..., i...] = diagonal[i...], zero elsewhere."""

def DiagPart(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """diagonal[i...] = input[i..., i...]."""

def Digamma(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Derivative of lgamma."""

def Div(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y; integers truncate."""

def DivNoNan(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y, 0 where y is 0."""

def DynamicPartition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None, T: Any = None) -> list[Tensor]:
    """Distributes slices of `data` to outputs: slice i goes to output partitions[i]."""

def DynamicStitch(indices: Any, data: Any, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """merged[indices[m][i...], :] = data[m][i..., :]; of equal indices the last counts."""

def Elu(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """features where positive, else exp(features) - 1."""

def EluGrad(gradients: Any, outputs: Any, name: str | None = None, T: Any = None) -> Tensor:
    """gradients * (outputs + 1) where outputs < 0, else gradients."""

def EncodeBase64(input: Any, pad: Any = False, name: str | None = None) -> Tensor:
    """Strings in base 64 with - and _, as in web addresses."""

def EnsureShape(input: Any, shape: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same value, after a check that it has the given shape."""

def Enter(data: Any, frame_name: Any, is_constant: Any = False, parallel_iterations: Any = 10, name: str | None = None, T: Any = None) -> Tensor:
    """Makes `data` a value of iteration 0 (if is_constant, of every iteration) of the child frame `frame_name`, of which at most parallel_iterations iterations run at a time."""

def Equal(x: Any, y: Any, incompatible_shape_error: Any = True, name: str | None = None, T: Any = None) -> Tensor:
    """Where x == y."""

def Erf(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Gauss error function."""

def Erfc(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """1 - erf(x), accurate for large x."""

def Erfinv(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Inverse of erf."""

def EuclideanNorm(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Square root of the sum of squared magnitudes along axes."""

def Exit(data: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hands `data` to the parent frame."""

def Exp(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """e to the power x."""

def ExpandDims(input: Any, axis: Any, name: str | None = None, T: Any = None, Tdim: Any = None) -> Tensor:
    """Inserts a dimension of size 1 before dimension `dim`."""

def Expm1(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """exp(x) - 1, accurate near 0."""

def FFT(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Discrete Fourier transform over the last 1 dimensions."""

def FFT2D(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Discrete Fourier transform over the last 2 dimensions."""

def FFT3D(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Discrete Fourier transform over the last 3 dimensions."""

def Fill(dims: Any, value: Any, name: str | None = None, T: Any = None, index_type: Any = None) -> Tensor:
    """A tensor of shape `dims` filled with the scalar `value`."""

def FixedUnigramCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, vocab_file: Any = b'', distortion: Any = 1.0, num_reserved_ids: Any = 0, num_shards: Any = 1, shard: Any = 0, unigrams: Any = [], seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Draws classes with given weights."""

def Floor(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Largest integer not above x."""

def FloorDiv(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y rounded down."""

def FloorMod(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Remainder of flooring division: it has the sign of y."""

def FusedBatchNorm(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001, exponential_avg_factor: Any = 1.0, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def FusedBatchNormGrad(y_backprop: Any, x: Any, scale: Any, reserve_space_1: Any, reserve_space_2: Any, epsilon: Any = 0.0001, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None) -> Any:
    """Gradient of FusedBatchNorm."""

def FusedBatchNormGradV2(y_backprop: Any, x: Any, scale: Any, reserve_space_1: Any, reserve_space_2: Any, epsilon: Any = 0.0001, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None, U: Any = None) -> Any:
    """Gradient of FusedBatchNormV2."""

def FusedBatchNormGradV3(y_backprop: Any, x: Any, scale: Any, reserve_space_1: Any, reserve_space_2: Any, reserve_space_3: Any, epsilon: Any = 0.0001, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None, U: Any = None) -> Any:
    """Gradient of FusedBatchNormV3."""

def FusedBatchNormV2(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001, exponential_avg_factor: Any = 1.0, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None, U: Any = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def FusedBatchNormV3(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001, exponential_avg_factor: Any = 1.0, data_format: Any = b'NHWC', is_training: Any = True, name: str | None = None, T: Any = None, U: Any = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def Gather(params: Any, indices: Any, validate_indices: Any = True, name: str | None = None, Tparams: Any = None, Tindices: Any = None) -> Tensor:
    """Rows of `params`: output[i..., :] = params[indices[i...], :]."""

def GatherNd(params: Any, indices: Any, name: str | None = None, Tparams: Any = None, Tindices: Any = None) -> Tensor:
    """output[i..., :] = params[indices[i..., 0], indices[i..., 1], ..., :]."""

def GatherV2(params: Any, indices: Any, axis: Any, batch_dims: Any = 0, name: str | None = None, Tparams: Any = None, Tindices: Any = None, Taxis: Any = None) -> Tensor:
    """Slices of `params` along `axis`, chosen by `indices`; the leading batch_dims dimensions are shared."""

def Greater(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Where x > y."""

def GreaterEqual(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Where x >= y."""

def GroupAllgather(input: Any, group: Any = [], job: Any = b'', instance_key: Any = b'', name: str | None = None, T: Any = None) -> Any:
    """The rows of all ranks in the order of the ranks, and how many rows each had. A scalar counts as one row."""

def GroupAllreduce(input: Any, merge_op: Any, final_op: Any = b'Id', group: Any = [], job: Any = b'', instance_key: Any = b'', labels: Any = [], name: str | None = None, N: Any = None, T: Any = None) -> list[Tensor]:
    """Combines each input with those of the other ranks, element by element, in the order of the ranks."""

def GroupBarrier(group: Any = [], job: Any = b'', instance_key: Any = b'', name: str | None = None) -> Operation:
    """Ends when all ranks of the group have come to it."""

def GroupBroadcast(input: Any, root: Any = 0, group: Any = [], job: Any = b'', instance_key: Any = b'', name: str | None = None, T: Any = None) -> Tensor:
    """The value that the rank `root` has; the others give one of the same type and shape."""

def GroupCheckEqual(input: Any, group: Any = [], job: Any = b'', instance_key: Any = b'', labels: Any = [], name: str | None = None, T: Any = None) -> Operation:
    """Fails where the ranks have different values, and names the first input that differs."""

def GroupReduceScatter(input: Any, sizes: Any, merge_op: Any, final_op: Any = b'Id', group: Any = [], job: Any = b'', instance_key: Any = b'', name: str | None = None, T: Any = None) -> Tensor:
    """Combines the inputs as GroupAllreduce does; each rank gets its rows. Empty `sizes` mean equal shares."""

def HistogramFixedWidth(values: Any, value_range: Any, nbins: Any, dtype: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Number of values in each of `nbins` equal bins; values outside count for the outer bins."""

def IFFT(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 1 dimensions."""

def IFFT2D(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 2 dimensions."""

def IFFT3D(input: Any, name: str | None = None, Tcomplex: Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 3 dimensions."""

def Identity(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same value."""

def IdentityN(input: Any, name: str | None = None, T: Any = None) -> list[Tensor]:
    """The same values."""

def If(cond: Any, input: Any, Tout: Any, then_branch: Any, else_branch: Any, output_shapes: Any = [], name: str | None = None, Tcond: Any = None, Tin: Any = None) -> list[Tensor]:
    """What then_branch, or else_branch if `cond` is false, gives for `input`."""

def Igamma(a: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Lower regularised incomplete gamma function P(a, x)."""

def IgammaGradA(a: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Derivative of igamma(a, x) by a."""

def Igammac(a: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Upper regularised incomplete gamma function Q(a, x)."""

def Imag(input: Any, Tout: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Imaginary part."""

def InTopK(predictions: Any, targets: Any, k: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Whether each row's target is among the k largest predictions of the row."""

def InTopKV2(predictions: Any, targets: Any, k: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Whether each row's target is among the k largest predictions of the row."""

def Inv(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """1 / x (the old name of Reciprocal)."""

def InvGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """-dy * y * y: the gradient of y = 1 / x."""

def Invert(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Flips all bits."""

def InvertPermutation(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The inverse of a permutation: y[x[i]] = i."""

def IsFinite(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Which elements are finite."""

def IsInf(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Which elements are infinite."""

def IsNan(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Which elements are NaN."""

def IsVariableInitialized(ref: Any, name: str | None = None, dtype: Any = None) -> Tensor:
    """Whether the variable has a value."""

def L2Loss(t: Any, name: str | None = None, T: Any = None) -> Tensor:
    """sum(t ** 2) / 2"""

def LRN(input: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = None, T: Any = None) -> Tensor:
    """input / (bias + alpha * sum of input^2 over the channels within depth_radius) ^ beta."""

def LRNGrad(input_grads: Any, input_image: Any, output_image: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of LRN."""

def LeakyRelu(features: Any, alpha: Any = 0.2, name: str | None = None, T: Any = None) -> Tensor:
    """features where positive, else alpha * features."""

def LeakyReluGrad(gradients: Any, features: Any, alpha: Any = 0.2, name: str | None = None, T: Any = None) -> Tensor:
    """gradients where features > 0, else alpha * gradients."""

def LearnedUnigramCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Draws classes with the distribution of the true classes so far."""

def LeftShift(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def Less(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Where x < y."""

def LessEqual(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Where x <= y."""

def Lgamma(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """log(|gamma(x)|)."""

def LinSpace(start: Any, stop: Any, num: Any, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included."""

def ListDiff(x: Any, y: Any, out_idx: Any = ..., name: str | None = None, T: Any = None) -> Any:
    """The elements of x that are not in y, and their indices in x."""

def Log(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Natural logarithm."""

def Log1p(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """log(1 + x), accurate near 0."""

def LogSoftmax(logits: Any, name: str | None = None, T: Any = None) -> Tensor:
    """logits - log(sum(exp(logits))) along the last dimension."""

def LogUniformCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Draws classes with an approximately Zipfian distribution."""

def LogicalAnd(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where both are true."""

def LogicalNot(x: Any, name: str | None = None) -> Tensor:
    """Logical not."""

def LogicalOr(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where either is true."""

def LoopCond(input: Any, name: str | None = None) -> Tensor:
    """Forwards the condition of a loop: marks what the `Switch` nodes of the loop's variables take."""

def LowerBound(sorted_inputs: Any, values: Any, out_type: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """First place in the sorted row where each value could be inserted."""

def MatMul(a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, grad_a: Any = False, grad_b: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Matrix product of a and b, each transposed first where asked."""

def MatrixBandPart(input: Any, num_lower: Any, num_upper: Any, name: str | None = None, T: Any = None, Tindex: Any = None) -> Tensor:
    """Matrices with zeros outside a band around the diagonal; a negative width keeps that triangle."""

def MatrixDeterminant(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Determinants of matrices."""

def MatrixDiag(diagonal: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with the given main diagonals, zero elsewhere."""

def MatrixDiagPart(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Main diagonals of matrices."""

def MatrixDiagPartV2(input: Any, k: Any, padding_value: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Diagonals k, or k[0] to k[1], of matrices; the shorter ones are padded."""

def MatrixDiagPartV3(input: Any, k: Any, padding_value: Any, align: Any = b'RIGHT_LEFT', name: str | None = None, T: Any = None) -> Tensor:
    """Diagonals k, or k[0] to k[1], of matrices; the shorter ones are padded. align says where padding goes above and below the main diagonal."""

def MatrixDiagV2(diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with the given diagonals k, or k[0] to k[1], and padding_value elsewhere."""

def MatrixDiagV3(diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, align: Any = b'RIGHT_LEFT', name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with the given diagonals k, or k[0] to k[1], and padding_value elsewhere. align says where padding goes above and below the main diagonal."""

def MatrixInverse(input: Any, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Inverses of matrices, or of their adjoints."""

def MatrixSetDiag(input: Any, diagonal: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with their main diagonals replaced."""

def MatrixSetDiagV2(input: Any, diagonal: Any, k: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with their diagonals k, or k[0] to k[1], replaced."""

def MatrixSetDiagV3(input: Any, diagonal: Any, k: Any, align: Any = b'RIGHT_LEFT', name: str | None = None, T: Any = None) -> Tensor:
    """Matrices with their diagonals k, or k[0] to k[1], replaced. align says where padding goes above and below the main diagonal."""

def MatrixSolve(matrix: Any, rhs: Any, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """x with matrix x = rhs, or adjoint(matrix) x = rhs."""

def MatrixTriangularSolve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """x with matrix x = rhs; of the matrix only the lower (upper) triangle is read."""

def Max(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Maximum along axes; the lowest value of nothing. NaN wins."""

def MaxPool(input: Any, ksize: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Maximum of each window. NaN is skipped."""

def MaxPoolGrad(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of MaxPool: the first maximum of each window gets what came back for it."""

def MaxPoolGradGrad(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Gradient of MaxPoolGrad: `grad` at the first maximum of each window."""

def MaxPoolGradGradV2(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """MaxPoolGradGrad with the window as inputs."""

def MaxPoolGradGradWithArgmax(input: Any, grad: Any, argmax: Any, ksize: Any, strides: Any, padding: Any, include_batch_in_index: Any = False, name: str | None = None, Targmax: Any = None, T: Any = None) -> Tensor:
    """Gradient of MaxPoolGradWithArgmax: `grad` at the indices."""

def MaxPoolGradV2(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """MaxPoolGrad with the window as inputs."""

def MaxPoolGradWithArgmax(input: Any, grad: Any, argmax: Any, ksize: Any, strides: Any, padding: Any, include_batch_in_index: Any = False, name: str | None = None, Targmax: Any = None, T: Any = None) -> Tensor:
    """Gradient of MaxPoolWithArgmax."""

def MaxPoolV2(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """MaxPool with the window as inputs."""

def MaxPoolWithArgmax(input: Any, ksize: Any, strides: Any, padding: Any, Targmax: Any = ..., include_batch_in_index: Any = False, name: str | None = None, T: Any = None) -> Any:
    """Maximum of each window and its index in the flattened image, or in the whole batch."""

def Maximum(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The larger of x and y; NaN if either is."""

def Mean(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Mean along axes; NaN of nothing. Integers divide towards zero."""

def Merge(inputs: Any, name: str | None = None, T: Any = None, N: Any = None) -> Any:
    """Forwards the first of its inputs that comes alive, and tells which; dead only if all of them are."""

def Min(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Minimum along axes; the highest value of nothing. NaN wins."""

def Minimum(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The smaller of x and y; NaN if either is."""

def MirrorPad(input: Any, paddings: Any, mode: Any, name: str | None = None, T: Any = None, Tpaddings: Any = None) -> Tensor:
    """Pads with mirrored elements, including (SYMMETRIC) or excluding (REFLECT) the edge."""

def MirrorPadGrad(input: Any, paddings: Any, mode: Any, name: str | None = None, T: Any = None, Tpaddings: Any = None) -> Tensor:
    """The gradient of MirrorPad: adds the mirrored elements to their sources."""

def Mod(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Remainder of truncating division."""

def Mul(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x * y."""

def MulNoNan(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x * y, 0 where y is 0 even if x is infinite or NaN."""

def Multinomial(logits: Any, num_samples: Any, seed: Any = 0, seed2: Any = 0, output_dtype: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """`num_samples` class numbers for each row of unnormalised log-probabilities."""

def Ndtri(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Quantile of the standard normal distribution."""

def Neg(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Numerical negative value."""

def NextAfter(x1: Any, x2: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The next representable number after x1 towards x2."""

def NextIteration(data: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hands `data` to the next iteration."""

def NoOp(name: str | None = None) -> Operation:
    """Does nothing; its control inputs run before it."""

def NotEqual(x: Any, y: Any, incompatible_shape_error: Any = True, name: str | None = None, T: Any = None) -> Tensor:
    """Where x != y."""

def NthElement(input: Any, n: Any, reverse: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """The n-th smallest (with `reverse`: largest) element of each row, counted from 0."""

def OneHot(indices: Any, depth: Any, on_value: Any, off_value: Any, axis: Any = -1, name: str | None = None, T: Any = None, TI: Any = None) -> Tensor:
    """One-hot vectors along `axis`: on_value at the index, off_value elsewhere."""

def OnesLike(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Ones in the shape and type of `x`."""

def Pack(values: Any, axis: Any = 0, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """Joins tensors of one shape along a new dimension."""

def Pad(input: Any, paddings: Any, name: str | None = None, T: Any = None, Tpaddings: Any = None) -> Tensor:
    """Adds paddings[d, 0] zeros before and paddings[d, 1] after, in each dimension d."""

def PadV2(input: Any, paddings: Any, constant_values: Any, name: str | None = None, T: Any = None, Tpaddings: Any = None) -> Tensor:
    """Like Pad, with a given scalar instead of zero."""

def ParallelDynamicStitch(indices: Any, data: Any, name: str | None = None, N: Any = None, T: Any = None) -> Tensor:
    """merged[indices[m][i...], :] = data[m][i..., :]; of equal indices the last counts."""

def PartitionedCall(args: Any, Tout: Any, f: Any, config: Any = b'', config_proto: Any = b'', executor_type: Any = b'', name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """Calls function `f`. Its operations are placed each by itself, as those of all calls are."""

def Placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A value that must be fed. Running it without a feed is an error."""

def PlaceholderV2(dtype: Any, shape: Any, name: str | None = None) -> Tensor:
    """A value that must be fed. Running it without a feed is an error."""

def PlaceholderWithDefault(input: Any, shape: Any, name: str | None = None, dtype: Any = None) -> Tensor:
    """The value of `input` unless the output is fed."""

def Polygamma(a: Any, x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The a-th derivative of digamma."""

def PopulationCount(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Number of bits that are set."""

def Pow(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x to the power y."""

def PreventGradient(input: Any, message: Any = b'', name: str | None = None, T: Any = None) -> Tensor:
    """The same value; differentiating through it is an error with this message."""

def Print(input: Any, data: Any, message: Any = b'', first_n: Any = -1, summarize: Any = 3, name: str | None = None, T: Any = None, U: Any = None) -> Tensor:
    """Passes `input` on and prints `data` to standard error, the first `first_n` times."""

def PrintV2(input: Any, output_stream: Any = b'stderr', end: Any = b'\n', name: str | None = None) -> Operation:
    """Writes a string and `end` to a stream: stdout, stderr, log(info) or file://path."""

def Prod(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Product along axes; 1 of nothing."""

def PyFunc(input: Any, token: Any, Tout: Any, name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`."""

def PyFuncStateless(input: Any, token: Any, Tout: Any, name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`, which has no side effects."""

def RandomGamma(shape: Any, alpha: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, S: Any = None, T: Any = None) -> Tensor:
    """Samples of shape `shape` from a gamma distribution of scale 1 for each element of `alpha`."""

def RandomGammaGrad(alpha: Any, sample: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Derivative of a sample of the gamma distribution by its parameter alpha, at a fixed probability."""

def RandomPoisson(shape: Any, rate: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, S: Any = None, dtype: Any = None) -> Tensor:
    """The older form of RandomPoissonV2."""

def RandomPoissonV2(shape: Any, rate: Any, seed: Any = 0, seed2: Any = 0, dtype: Any = ..., name: str | None = None, S: Any = None, R: Any = None) -> Tensor:
    """Samples of shape `shape` from a Poisson distribution for each element of `rate`."""

def RandomShuffle(value: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, T: Any = None) -> Tensor:
    """The rows of `value` (along its first dimension) in random order."""

def RandomStandardNormal(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, T: Any = None) -> Tensor:
    """Normal numbers of shape `shape`, mean 0 and standard deviation 1."""

def RandomUniform(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, T: Any = None) -> Tensor:
    """Numbers of shape `shape`, uniform in [0, 1)."""

def RandomUniformInt(shape: Any, minval: Any, maxval: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, Tout: Any = None, T: Any = None) -> Tensor:
    """Integers of shape `shape`, uniform in [minval, maxval) up to the bias of a remainder."""

def Range(start: Any, limit: Any, delta: Any, name: str | None = None, Tidx: Any = None) -> Tensor:
    """start, start + delta, ..., which stops before limit."""

def Rank(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The number of dimensions."""

def Real(input: Any, Tout: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Real part."""

def RealDiv(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y for real types."""

def Reciprocal(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """1 / x."""

def ReciprocalGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """-dy * y * y: the gradient of y = 1 / x."""

def RefEnter(data: Any, frame_name: Any, is_constant: Any = False, parallel_iterations: Any = 10, name: str | None = None, T: Any = None) -> Tensor:
    """Makes `data` a value of iteration 0 (if is_constant, of every iteration) of the child frame `frame_name`, of which at most parallel_iterations iterations run at a time."""

def RefExit(data: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hands `data` to the parent frame."""

def RefIdentity(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same reference."""

def RefMerge(inputs: Any, name: str | None = None, T: Any = None, N: Any = None) -> Any:
    """Forwards the first of its inputs that comes alive, and tells which; dead only if all of them are."""

def RefNextIteration(data: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hands `data` to the next iteration."""

def RefSwitch(data: Any, pred: Any, name: str | None = None, T: Any = None) -> Any:
    """Forwards `data` to output_true if `pred`, else to output_false; the other output is dead."""

def Relu(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """max(features, 0)."""

def Relu6(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """min(max(features, 0), 6)."""

def Relu6Grad(gradients: Any, features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """gradients where 0 < features < 6, else 0."""

def ReluGrad(gradients: Any, features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """gradients where features > 0, else 0."""

def Reshape(tensor: Any, shape: Any, name: str | None = None, T: Any = None, Tshape: Any = None) -> Tensor:
    """Gives the elements another shape; a size of -1 is computed."""

def Reverse(tensor: Any, dims: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Reverses the dimensions for which `dims` is true."""

def ReverseSequence(input: Any, seq_lengths: Any, seq_dim: Any, batch_dim: Any = 0, name: str | None = None, T: Any = None, Tlen: Any = None) -> Tensor:
    """Reverses the first seq_lengths[i] elements along seq_dim for each index i of batch_dim."""

def ReverseV2(tensor: Any, axis: Any, name: str | None = None, Tidx: Any = None, T: Any = None) -> Tensor:
    """Reverses the dimensions listed in `axis`."""

def RightShift(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def Rint(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def Roll(input: Any, shift: Any, axis: Any, name: str | None = None, T: Any = None, Tshift: Any = None, Taxis: Any = None) -> Tensor:
    """Rotates elements along axes; those that leave at the end enter at the start."""

def Round(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def Rsqrt(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """1 / sqrt(x)."""

def RsqrtGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """dy * -0.5 * y^3: the gradient of y = 1 / sqrt(x)."""

def ScatterAdd(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] += updates; duplicates add up."""

def ScatterDiv(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] /= updates; duplicates divide again."""

def ScatterMax(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] = max(ref[indices], updates)."""

def ScatterMin(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] = min(ref[indices], updates)."""

def ScatterMul(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] *= updates; duplicates multiply."""

def ScatterNd(indices: Any, updates: Any, shape: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Zeros of `shape` with updates added at indices."""

def ScatterNdAdd(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Adds updates to slices of ref; duplicates add up."""

def ScatterNdMax(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Maximum of slices of ref and updates."""

def ScatterNdMin(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Minimum of slices of ref and updates."""

def ScatterNdSub(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Subtracts updates from slices of ref."""

def ScatterNdUpdate(ref: Any, indices: Any, updates: Any, use_locking: Any = True, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Sets slices of ref at the positions in indices."""

def ScatterSub(ref: Any, indices: Any, updates: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] -= updates; duplicates add up."""

def ScatterUpdate(ref: Any, indices: Any, updates: Any, use_locking: Any = True, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ref[indices] = updates; the last of duplicates stays."""

def SegmentMax(data: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Maximum of the rows of each segment; segment_ids must be sorted."""

def SegmentMean(data: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Mean of the rows of each segment; segment_ids must be sorted."""

def SegmentMin(data: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Minimum of the rows of each segment; segment_ids must be sorted."""

def SegmentProd(data: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Product of the rows of each segment; segment_ids must be sorted."""

def SegmentSum(data: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """Sum of the rows of each segment; segment_ids must be sorted."""

def Select(condition: Any, x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """t where condition, else e. condition has the shape of t, or is a scalar or a vector that chooses rows."""

def SelectV2(condition: Any, t: Any, e: Any, name: str | None = None, T: Any = None) -> Tensor:
    """t where condition, else e; all three broadcast."""

def Selu(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Scaled elu: scale * (features where positive, else alpha * (exp(features) - 1))."""

def SeluGrad(gradients: Any, outputs: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The gradient of Selu from its outputs."""

def Shape(input: Any, out_type: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """The shape of a tensor, as a vector."""

def ShapeN(input: Any, out_type: Any = ..., name: str | None = None, N: Any = None, T: Any = None) -> list[Tensor]:
    """The shapes of several tensors."""

def Sigmoid(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """1 / (1 + exp(-x))."""

def SigmoidGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """dy * y * (1 - y): the gradient of y = sigmoid(x)."""

def Sign(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN; x / |x| for complex numbers."""

def Sin(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Sine."""

def Sinh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hyperbolic sine."""

def Size(input: Any, out_type: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """The number of elements."""

def Slice(input: Any, begin: Any, size: Any, name: str | None = None, T: Any = None, Index: Any = None) -> Tensor:
    """The box of `size` elements that starts at `begin`; a size of -1 goes to the end."""

def Snapshot(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The value that the input has when this op runs."""

def Softmax(logits: Any, name: str | None = None, T: Any = None) -> Tensor:
    """exp(logits) / sum(exp(logits)) along the last dimension."""

def SoftmaxCrossEntropyWithLogits(features: Any, labels: Any, name: str | None = None, T: Any = None) -> Any:
    """Cross entropy of each row's softmax with its labels, and its gradient by the logits `features`."""

def Softplus(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """log(exp(features) + 1)."""

def SoftplusGrad(gradients: Any, features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """gradients / (exp(-features) + 1)."""

def Softsign(features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """features / (|features| + 1)."""

def SoftsignGrad(gradients: Any, features: Any, name: str | None = None, T: Any = None) -> Tensor:
    """gradients / (1 + |features|)^2."""

def SpaceToBatch(input: Any, paddings: Any, block_size: Any, name: str | None = None, T: Any = None, Tpaddings: Any = None) -> Tensor:
    """SpaceToBatchND for images and square blocks."""

def SpaceToBatchND(input: Any, block_shape: Any, paddings: Any, name: str | None = None, T: Any = None, Tblock_shape: Any = None, Tpaddings: Any = None) -> Tensor:
    """Pads with zeros, then moves the positions within each block into the batch dimension."""

def SpaceToDepth(input: Any, block_size: Any, data_format: Any = b'NHWC', name: str | None = None, T: Any = None) -> Tensor:
    """Moves blocks of block_size x block_size pixels into the channels."""

def SparseApplyAdadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyAdadelta for rows of var."""

def SparseApplyAdagrad(var: Any, accum: Any, lr: Any, grad: Any, indices: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyAdagrad for rows of var."""

def SparseApplyAdagradDA(var: Any, gradient_accumulator: Any, gradient_squared_accumulator: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, global_step: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyAdagradDA for rows of var."""

def SparseApplyAdagradV2(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyAdagradV2 for rows of var."""

def SparseApplyCenteredRMSProp(var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyCenteredRMSProp for rows of var."""

def SparseApplyFtrl(var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, use_locking: Any = False, multiply_linear_by_lr: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyFtrl for rows of var."""

def SparseApplyFtrlV2(var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, use_locking: Any = False, multiply_linear_by_lr: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyFtrlV2 for rows of var."""

def SparseApplyMomentum(var: Any, accum: Any, lr: Any, grad: Any, indices: Any, momentum: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyMomentum for the rows of var that indices name."""

def SparseApplyProximalAdagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyProximalAdagrad for rows of var."""

def SparseApplyProximalGradientDescent(var: Any, alpha: Any, l1: Any, l2: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyProximalGradientDescent for rows of var."""

def SparseApplyRMSProp(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """ApplyRMSProp for rows of var."""

def SparseSegmentMean(data: Any, indices: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """Mean of the rows of `data` that `indices` names for each segment."""

def SparseSegmentMeanGrad(grad: Any, indices: Any, segment_ids: Any, output_dim0: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """The gradient of SparseSegmentMean for its data."""

def SparseSegmentMeanWithNumSegments(data: Any, indices: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Mean of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSqrtN(data: Any, indices: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """Sum, divided by the square root of the number, of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSqrtNGrad(grad: Any, indices: Any, segment_ids: Any, output_dim0: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """The gradient of SparseSegmentSqrtN for its data."""

def SparseSegmentSqrtNWithNumSegments(data: Any, indices: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Sum, divided by the square root of the number, of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSum(data: Any, indices: Any, segment_ids: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """Sum of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSumGrad(grad: Any, indices: Any, segment_ids: Any, output_dim0: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None) -> Tensor:
    """The gradient of SparseSegmentSum for its data."""

def SparseSegmentSumWithNumSegments(data: Any, indices: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tidx: Any = None, Tsegmentids: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Sum of the rows of `data` that `indices` names for each segment."""

def SparseSoftmaxCrossEntropyWithLogits(features: Any, labels: Any, name: str | None = None, T: Any = None, Tlabels: Any = None) -> Any:
    """Like SoftmaxCrossEntropyWithLogits for labels that are class numbers."""

def SparseToDense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, validate_indices: Any = True, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """`default_value` everywhere but at the indices, where `sparse_values` are."""

def Split(axis: Any, value: Any, num_split: Any, name: str | None = None, T: Any = None) -> list[Tensor]:
    """Cuts a tensor into equal pieces along a dimension."""

def SplitV(value: Any, size_splits: Any, axis: Any, num_split: Any, name: str | None = None, T: Any = None, Tlen: Any = None) -> list[Tensor]:
    """Cuts a tensor into pieces of the given sizes along a dimension; one size may be -1."""

def Sqrt(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Square root."""

def SqrtGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """dy * 0.5 / y: the gradient of y = sqrt(x)."""

def Square(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x * x."""

def SquaredDifference(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """(x - y)(x - y)"""

def Squeeze(input: Any, axis: Any = [], name: str | None = None, T: Any = None) -> Tensor:
    """Removes dimensions of size 1: those of `squeeze_dims`, or all."""

def Stack(elem_type: Any, stack_name: Any = b'', name: str | None = None) -> Tensor:
    """A new stack for tensors of one type, of at most `max_size` of them if that is not negative."""

def StackClose(handle: Any, name: str | None = None) -> Operation:
    """Drops what is on a stack; using it afterwards is an error."""

def StackCloseV2(handle: Any, name: str | None = None) -> Operation:
    """Drops what is on a stack; using it afterwards is an error."""

def StackPop(handle: Any, elem_type: Any, name: str | None = None) -> Tensor:
    """Takes the value off the stack that was pushed last."""

def StackPopV2(handle: Any, elem_type: Any, name: str | None = None) -> Tensor:
    """Takes the value off the stack that was pushed last."""

def StackPush(handle: Any, elem: Any, swap_memory: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Pushes `elem` on a stack and returns it. With swap_memory it may wait outside of memory for its pop."""

def StackPushV2(handle: Any, elem: Any, swap_memory: Any = False, name: str | None = None, T: Any = None) -> Tensor:
    """Pushes `elem` on a stack and returns it. With swap_memory it may wait outside of memory for its pop."""

def StackV2(max_size: Any, elem_type: Any, stack_name: Any = b'', name: str | None = None) -> Tensor:
    """A new stack for tensors of one type, of at most `max_size` of them if that is not negative."""

def StatefulPartitionedCall(args: Any, Tout: Any, f: Any, config: Any = b'', config_proto: Any = b'', executor_type: Any = b'', name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """Calls function `f`. Its operations are placed each by itself, as those of all calls are."""

def StatelessCase(branch_index: Any, input: Any, Tout: Any, branches: Any, output_shapes: Any = [], name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """What branch number branch_index gives for `input`; the last one if there is no such branch."""

def StatelessIf(cond: Any, input: Any, Tout: Any, then_branch: Any, else_branch: Any, output_shapes: Any = [], name: str | None = None, Tcond: Any = None, Tin: Any = None) -> list[Tensor]:
    """What then_branch, or else_branch if `cond` is false, gives for `input`."""

def StatelessRandomNormal(shape: Any, seed: Any, dtype: Any = ..., name: str | None = None, T: Any = None, Tseed: Any = None) -> Tensor:
    """Like RandomStandardNormal, a function of `seed` alone."""

def StatelessRandomUniform(shape: Any, seed: Any, dtype: Any = ..., name: str | None = None, T: Any = None, Tseed: Any = None) -> Tensor:
    """Like RandomUniform, a function of `seed` alone."""

def StatelessRandomUniformInt(shape: Any, seed: Any, minval: Any, maxval: Any, name: str | None = None, dtype: Any = None, T: Any = None, Tseed: Any = None) -> Tensor:
    """Like RandomUniformInt, a function of `seed` alone."""

def StatelessTruncatedNormal(shape: Any, seed: Any, dtype: Any = ..., name: str | None = None, T: Any = None, Tseed: Any = None) -> Tensor:
    """Like TruncatedNormal, a function of `seed` alone."""

def StatelessWhile(input: Any, cond: Any, body: Any, output_shapes: Any = [], parallel_iterations: Any = 10, name: str | None = None, T: Any = None) -> list[Tensor]:
    """Replaces its values by what `body` gives for them as long as `cond` of them is true."""

def StopGradient(input: Any, name: str | None = None, T: Any = None) -> Tensor:
    """The same value; gradients don't flow through it."""

def StridedSlice(input: Any, begin: Any, end: Any, strides: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, name: str | None = None, T: Any = None, Index: Any = None) -> Tensor:
    """x[begin:end:strides, ...]; bits of the masks say which entries are open, `...`, new or single indices."""

def StridedSliceAssign(ref: Any, begin: Any, end: Any, strides: Any, value: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, name: str | None = None, T: Any = None, Index: Any = None) -> Tensor:
    """Assigns `value` to the strided slice of a variable."""

def StridedSliceGrad(shape: Any, begin: Any, end: Any, strides: Any, dy: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, name: str | None = None, T: Any = None, Index: Any = None) -> Tensor:
    """Zeros of `shape` with `dy` in place of the strided slice."""

def StringFormat(inputs: Any, template: Any = b'%s', placeholder: Any = b'%s', summarize: Any = 3, name: str | None = None, T: Any = None) -> Tensor:
    """The template with each placeholder replaced by an input, its first and last elements."""

def StringJoin(inputs: Any, separator: Any = b'', name: str | None = None, N: Any = None) -> Tensor:
    """Joins strings element by element; a scalar is joined to every element."""

def StringToNumber(string_tensor: Any, out_type: Any = ..., name: str | None = None) -> Tensor:
    """The numbers that strings spell."""

def Sub(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x - y."""

def Substr(input: Any, pos: Any, len: Any, unit: Any = b'BYTE', name: str | None = None, T: Any = None) -> Tensor:
    """Up to len bytes of each string from its byte pos on; a negative pos counts from the end."""

def Sum(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None, T: Any = None, Tidx: Any = None) -> Tensor:
    """Sum along axes; 0 of nothing."""

def Switch(data: Any, pred: Any, name: str | None = None, T: Any = None) -> Any:
    """Forwards `data` to output_true if `pred`, else to output_false; the other output is dead."""

def SymbolicGradient(input: Any, Tout: Any, f: Any, name: str | None = None, Tin: Any = None) -> list[Tensor]:
    """The gradients of the inputs of function `f`, given its inputs and the gradients of its outputs."""

def Tan(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Tangent."""

def Tanh(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hyperbolic tangent."""

def TanhGrad(y: Any, dy: Any, name: str | None = None, T: Any = None) -> Tensor:
    """dy * (1 - y * y): the gradient of y = tanh(x)."""

def TensorArray(size: Any, dtype: Any, dynamic_size: Any = False, clear_after_read: Any = True, tensor_array_name: Any = b'', element_shape: Any = None, name: str | None = None) -> Tensor:
    """TensorArrayV3 for handles as they were before."""

def TensorArrayClose(handle: Any, name: str | None = None) -> Operation:
    """TensorArrayCloseV3 for handles as they were before."""

def TensorArrayCloseV2(handle: Any, name: str | None = None) -> Operation:
    """TensorArrayCloseV3 for handles as they were before."""

def TensorArrayCloseV3(handle: Any, name: str | None = None) -> Operation:
    """Forgets all elements; the array can't be used any more."""

def TensorArrayConcat(handle: Any, flow_in: Any, dtype: Any, element_shape_except0: Any = None, name: str | None = None) -> Any:
    """TensorArrayConcatV3 for handles as they were before."""

def TensorArrayConcatV2(handle: Any, flow_in: Any, dtype: Any, element_shape_except0: Any = None, name: str | None = None) -> Any:
    """TensorArrayConcatV3 for handles as they were before."""

def TensorArrayConcatV3(handle: Any, flow_in: Any, dtype: Any, element_shape_except0: Any = None, name: str | None = None) -> Any:
    """Reads all elements, joined along their first dimensions, which may differ: `lengths`."""

def TensorArrayGather(handle: Any, indices: Any, flow_in: Any, dtype: Any, element_shape: Any = None, name: str | None = None) -> Tensor:
    """TensorArrayGatherV3 for handles as they were before."""

def TensorArrayGatherV2(handle: Any, indices: Any, flow_in: Any, dtype: Any, element_shape: Any = None, name: str | None = None) -> Tensor:
    """TensorArrayGatherV3 for handles as they were before."""

def TensorArrayGatherV3(handle: Any, indices: Any, flow_in: Any, dtype: Any, element_shape: Any = None, name: str | None = None) -> Tensor:
    """Reads the elements at `indices`, all of one shape, as the rows of one tensor."""

def TensorArrayGrad(handle: Any, flow_in: Any, source: Any, name: str | None = None) -> Tensor:
    """TensorArrayGradV3 for handles as they were before."""

def TensorArrayGradV2(handle: Any, flow_in: Any, source: Any, name: str | None = None) -> Tensor:
    """TensorArrayGradV3 for handles as they were before."""

def TensorArrayGradV3(handle: Any, flow_in: Any, source: Any, name: str | None = None) -> Any:
    """The gradient array named `source` of an array, made at the first request, with the size that the array has by
    then (and keeps), zero where the array was written. What is written to one of its elements twice is added."""

def TensorArrayGradWithShape(handle: Any, flow_in: Any, shape_to_prepend: Any, source: Any, name: str | None = None) -> Any:
    """TensorArrayGradV3 whose elements have further dimensions in front of those of the array's."""

def TensorArrayPack(handle: Any, flow_in: Any, dtype: Any, element_shape: Any = None, name: str | None = None) -> Tensor:
    """All elements as the rows of one tensor."""

def TensorArrayRead(handle: Any, index: Any, flow_in: Any, dtype: Any, name: str | None = None) -> Tensor:
    """TensorArrayReadV3 for handles as they were before."""

def TensorArrayReadV2(handle: Any, index: Any, flow_in: Any, dtype: Any, name: str | None = None) -> Tensor:
    """TensorArrayReadV3 for handles as they were before."""

def TensorArrayReadV3(handle: Any, index: Any, flow_in: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Reads an element, and frees it if the array clears after reading. Unwritten ones of known shape are zeros."""

def TensorArrayScatter(handle: Any, indices: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArrayScatterV3 for handles as they were before."""

def TensorArrayScatterV2(handle: Any, indices: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArrayScatterV3 for handles as they were before."""

def TensorArrayScatterV3(handle: Any, indices: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Writes the rows of `value` to the elements at `indices`. They stay views of it."""

def TensorArraySize(handle: Any, flow_in: Any, name: str | None = None) -> Tensor:
    """TensorArraySizeV3 for handles as they were before."""

def TensorArraySizeV2(handle: Any, flow_in: Any, name: str | None = None) -> Tensor:
    """TensorArraySizeV3 for handles as they were before."""

def TensorArraySizeV3(handle: Any, flow_in: Any, name: str | None = None) -> Tensor:
    """The number of elements now."""

def TensorArraySplit(handle: Any, value: Any, lengths: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArraySplitV3 for handles as they were before."""

def TensorArraySplitV2(handle: Any, value: Any, lengths: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArraySplitV3 for handles as they were before."""

def TensorArraySplitV3(handle: Any, value: Any, lengths: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Writes `value`, cut along its first dimension into pieces of these lengths, to the elements in order."""

def TensorArrayUnpack(handle: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Writes the rows of `value` to the elements in order."""

def TensorArrayV2(size: Any, dtype: Any, element_shape: Any = None, dynamic_size: Any = False, clear_after_read: Any = True, tensor_array_name: Any = b'', name: str | None = None) -> Tensor:
    """TensorArrayV3 for handles as they were before."""

def TensorArrayV3(size: Any, dtype: Any, element_shape: Any = None, dynamic_size: Any = False, clear_after_read: Any = True, identical_element_shapes: Any = False, tensor_array_name: Any = b'', name: str | None = None) -> Any:
    """Makes an array of `size` unwritten elements; it lives as long as something refers to its handle."""

def TensorArrayWrite(handle: Any, index: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArrayWriteV3 for handles as they were before."""

def TensorArrayWriteV2(handle: Any, index: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """TensorArrayWriteV3 for handles as they were before."""

def TensorArrayWriteV3(handle: Any, index: Any, value: Any, flow_in: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Writes an element, which shares the memory of `value`. Each may be written once."""

def TensorScatterAdd(tensor: Any, indices: Any, updates: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """A copy of `tensor` with updates added at indices."""

def TensorScatterMax(tensor: Any, indices: Any, updates: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """A copy of `tensor` with the maximum taken at indices."""

def TensorScatterMin(tensor: Any, indices: Any, updates: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """A copy of `tensor` with the minimum taken at indices."""

def TensorScatterSub(tensor: Any, indices: Any, updates: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """A copy of `tensor` with updates subtracted at indices."""

def TensorScatterUpdate(tensor: Any, indices: Any, updates: Any, name: str | None = None, T: Any = None, Tindices: Any = None) -> Tensor:
    """A copy of `tensor` with updates put at indices."""

def ThreadUnsafeUnigramCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """The same as LearnedUnigramCandidateSampler."""

def Tile(input: Any, multiples: Any, name: str | None = None, T: Any = None, Tmultiples: Any = None) -> Tensor:
    """Repeats a tensor multiples[d] times in each dimension d."""

def TopK(input: Any, k: Any, sorted: Any = True, name: str | None = None, T: Any = None) -> Any:
    """The k largest elements of each row and their indices; of equal ones the first."""

def TopKV2(input: Any, k: Any, sorted: Any = True, name: str | None = None, T: Any = None) -> Any:
    """The k largest elements of each row and their indices; of equal ones the first."""

def Transpose(x: Any, perm: Any, name: str | None = None, T: Any = None, Tperm: Any = None) -> Tensor:
    """Permutes dimensions: dimension i of the output is dimension perm[i] of the input."""

def TruncateDiv(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y rounded towards zero."""

def TruncateMod(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Remainder of truncating division."""

def TruncatedNormal(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None, T: Any = None) -> Tensor:
    """Like RandomStandardNormal, drawn again where the magnitude is 2 or more."""

def UniformCandidateSampler(true_classes: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """Draws classes uniformly."""

def Unique(x: Any, out_idx: Any = ..., name: str | None = None, T: Any = None) -> Any:
    """The distinct values of a vector in order of appearance, and the index of each element's value."""

def UniqueWithCounts(x: Any, out_idx: Any = ..., name: str | None = None, T: Any = None) -> Any:
    """Unique, and how often each value occurs."""

def Unpack(value: Any, num: Any, axis: Any = 0, name: str | None = None, T: Any = None) -> list[Tensor]:
    """Takes a tensor apart along a dimension, which disappears."""

def UnsortedSegmentMax(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tindices: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Maximum of the slices of each segment; negative ids are left out."""

def UnsortedSegmentMin(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tindices: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Minimum of the slices of each segment; negative ids are left out."""

def UnsortedSegmentProd(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tindices: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Product of the slices of each segment; negative ids are left out."""

def UnsortedSegmentSum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None, T: Any = None, Tindices: Any = None, Tnumsegments: Any = None) -> Tensor:
    """Sum of the slices of each segment; negative ids are left out."""

def UpperBound(sorted_inputs: Any, values: Any, out_type: Any = ..., name: str | None = None, T: Any = None) -> Tensor:
    """Last place in the sorted row where each value could be inserted."""

def Variable(shape: Any, dtype: Any, container: Any = b'', shared_name: Any = b'', name: str | None = None) -> Tensor:
    """VariableV2 as old graphs write it."""

def VariableV2(shape: Any, dtype: Any, container: Any = b'', shared_name: Any = b'', name: str | None = None) -> Tensor:
    """A reference to a variable, which keeps its value between steps."""

def Where(condition: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Coordinates of all elements that are true (not zero), in row-major order."""

def While(input: Any, cond: Any, body: Any, output_shapes: Any = [], parallel_iterations: Any = 10, name: str | None = None, T: Any = None) -> list[Tensor]:
    """Replaces its values by what `body` gives for them as long as `cond` of them is true."""

def Xdivy(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x / y, 0 where x is 0."""

def Xlog1py(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x * log1p(y), 0 where x is 0."""

def Xlogy(x: Any, y: Any, name: str | None = None, T: Any = None) -> Tensor:
    """x * log(y), 0 where x is 0."""

def ZerosLike(x: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Zeros (false, empty strings) in the shape and type of `x`."""

def Zeta(x: Any, q: Any, name: str | None = None, T: Any = None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x."""
