# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import DType as DType
from tfcore import Tensor as Tensor
from tfcore import TensorShape as TensorShape
from typing import Any as _Any

__all__ = [
'AbsoluteValue', 'Affine', 'AffineLinearOperator', 'AffineScalar', 'BatchNormalization', 'Bijector', 'Chain',
'CholeskyOuterProduct', 'ConditionalBijector', 'Exp', 'FillTriangular', 'Gumbel', 'Identity', 'Inline', 'Invert',
'Kumaraswamy', 'MaskedAutoregressiveFlow', 'MatrixInverseTriL', 'Ordered', 'Permute', 'PowerTransform', 'RealNVP',
'Reshape', 'ScaleTriL', 'Sigmoid', 'SinhArcsinh', 'SoftmaxCentered', 'Softplus', 'Softsign', 'Square',
'TransformDiagonal', 'Weibull', 'masked_autoregressive_default_template', 'masked_dense', 'real_nvp_default_template'
]

class AbsoluteValue(Bijector):
    """y = |x|. Its inverse is the pair -y, y."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'absolute_value') -> None: ...

class Affine(AffineLinearOperator):
    """y = scale @ x + shift, where the scale is a sum of an identity, a diagonal, a triangle and a matrix of low rank."""
    def __init__(self, shift: _Any = None, scale_identity_multiplier: _Any = None, scale_diag: _Any = None, scale_tril: _Any = None, scale_perturb_factor: _Any = None, scale_perturb_diag: _Any = None, validate_args: _Any = False, name: str | None = 'affine', dtype: _Any = None, event_ndims: _Any = 0) -> None: ...

class AffineLinearOperator(Bijector):
    """y = scale @ x + shift, where the scale is a linear operator."""
    def __init__(self, shift: _Any = None, scale: _Any = None, validate_args: _Any = False, name: str | None = 'affine_linear_operator', event_ndims: _Any = 0) -> None: ...
    @property
    def scale(self) -> _Any:
        """The `LinearOperator`, or None."""
    @property
    def shift(self) -> _Any:
        """The vector that is added, or None."""

class AffineScalar(Bijector):
    """y = scale * x + shift."""
    def __init__(self, shift: _Any = None, scale: _Any = None, validate_args: _Any = False, name: str | None = 'affine_scalar') -> None: ...
    @property
    def scale(self) -> _Any:
        """The factor."""
    @property
    def shift(self) -> _Any:
        """The number that is added."""

class BatchNormalization(Bijector):
    """Its inverse normalizes a batch with a layer; `forward` undoes that with the layer's moving averages."""
    def __init__(self, batchnorm_layer: _Any = None, training: _Any = True, validate_args: _Any = False, name: str | None = 'batch_normalization') -> None: ...
    batchnorm: _Any

class Bijector:
    """An invertible function y = forward(x) of tensors, with the log determinants of its Jacobian."""
    def __init__(self, graph_parents: _Any = None, is_constant_jacobian: _Any = False, validate_args: _Any = False, dtype: _Any = None, forward_min_event_ndims: _Any = None, inverse_min_event_ndims: _Any = None, name: str | None = None) -> None: ...
    @property
    def dtype(self) -> DType:
        """The `DType` of values, or None."""
    def forward(self, x: _Any, name: str | None = 'forward') -> Tensor:
        """The function."""
    def forward_event_shape(self, input_shape: _Any) -> TensorShape:
        """The static shape of an event of `forward`."""
    def forward_event_shape_tensor(self, input_shape: _Any, name: str | None = 'forward_event_shape_tensor') -> _Any:
        """The shape of an event of `forward`."""
    def forward_log_det_jacobian(self, x: _Any, event_ndims: _Any = None, name: str | None = 'forward_log_det_jacobian') -> Tensor:
        """The logarithm of the absolute Jacobian determinant of `forward`."""
    @property
    def forward_min_event_ndims(self) -> _Any:
        """The fewest dimensions that `forward` takes."""
    @property
    def graph_parents(self) -> _Any:
        """A list of the `Tensor`s that it was made of."""
    def inverse(self, y: _Any, name: str | None = 'inverse') -> Tensor:
        """The inverse function."""
    def inverse_event_shape(self, output_shape: _Any) -> TensorShape:
        """The static shape of an event of `inverse`."""
    def inverse_event_shape_tensor(self, output_shape: _Any, name: str | None = 'inverse_event_shape_tensor') -> _Any:
        """The shape of an event of `inverse`."""
    def inverse_log_det_jacobian(self, y: _Any, event_ndims: _Any = None, name: str | None = 'inverse_log_det_jacobian') -> Tensor:
        """The logarithm of the absolute Jacobian determinant of `inverse`."""
    @property
    def inverse_min_event_ndims(self) -> _Any:
        """The fewest dimensions that `inverse` takes."""
    @property
    def is_constant_jacobian(self) -> builtins.bool:
        """Whether the Jacobian is the same everywhere."""
    @property
    def name(self) -> _Any:
        """Prefix of the names of the operations."""
    @property
    def validate_args(self) -> builtins.bool:
        """Whether arguments are checked in each run."""

class Chain(ConditionalBijector):
    """One function after another: the last one of the list first."""
    def __init__(self, bijectors: _Any = None, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def bijectors(self) -> _Any:
        """The functions, a tuple."""

class CholeskyOuterProduct(Bijector):
    """y = x @ x', for a lower triangle x with a positive diagonal."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'cholesky_outer_product') -> None: ...

class ConditionalBijector(Bijector):
    """A bijector whose methods take more arguments by name, which those with an underscore get."""
    def forward(self, x: _Any, name: str | None = 'forward', **condition_kwargs: _Any) -> Tensor:
        """The function."""
    def forward_log_det_jacobian(self, x: _Any, event_ndims: _Any = None, name: str | None = 'forward_log_det_jacobian', **condition_kwargs: _Any) -> Tensor:
        """The logarithm of the absolute Jacobian determinant of `forward`."""
    def inverse(self, y: _Any, name: str | None = 'inverse', **condition_kwargs: _Any) -> Tensor:
        """The inverse function."""
    def inverse_log_det_jacobian(self, y: _Any, event_ndims: _Any = None, name: str | None = 'inverse_log_det_jacobian', **condition_kwargs: _Any) -> Tensor:
        """The logarithm of the absolute Jacobian determinant of `inverse`."""

class Exp(PowerTransform):
    """y = exp(x)."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'exp', event_ndims: _Any = 0) -> None: ...

class FillTriangular(Bijector):
    """Puts the elements of a vector into a triangle, see `tf.contrib.distributions.fill_triangular`."""
    def __init__(self, upper: _Any = False, validate_args: _Any = False, name: str | None = 'fill_triangular') -> None: ...

class Gumbel(Bijector):
    """y = exp(-exp(-(x - loc) / scale)), the distribution function of the Gumbel distribution."""
    def __init__(self, loc: _Any = 0.0, scale: _Any = 1.0, validate_args: _Any = False, name: str | None = 'gumbel', event_ndims: _Any = 0) -> None: ...
    @property
    def loc(self) -> _Any:
        """The location."""
    @property
    def scale(self) -> _Any:
        """The scale."""

class Identity(Bijector):
    """y = x."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'identity') -> None: ...

class Inline(Bijector):
    """A bijector made of functions."""
    def __init__(self, forward_fn: _Any = None, inverse_fn: _Any = None, inverse_log_det_jacobian_fn: _Any = None, forward_log_det_jacobian_fn: _Any = None, forward_event_shape_fn: _Any = None, forward_event_shape_tensor_fn: _Any = None, inverse_event_shape_fn: _Any = None, inverse_event_shape_tensor_fn: _Any = None, is_constant_jacobian: _Any = False, validate_args: _Any = False, forward_min_event_ndims: _Any = None, inverse_min_event_ndims: _Any = None, name: str | None = 'inline') -> None: ...

class Invert(ConditionalBijector):
    """The inverse function of another one."""
    def __init__(self, bijector: _Any, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def bijector(self) -> _Any:
        """The other function."""

class Kumaraswamy(Bijector):
    """y = (1 - (1 - x) ** (1 / b)) ** (1 / a): numbers between 0 and 1, uniform ones to those of Kumaraswamy."""
    def __init__(self, concentration1: _Any = None, concentration0: _Any = None, validate_args: _Any = False, name: str | None = 'kumaraswamy') -> None: ...
    @property
    def concentration0(self) -> _Any:
        """The parameter b."""
    @property
    def concentration1(self) -> _Any:
        """The parameter a."""

class MaskedAutoregressiveFlow(ConditionalBijector):
    """y[i] = x[i] * exp(log_scale[i]) + shift[i], where these are a function of y[0], ..., y[i - 1]."""
    def __init__(self, shift_and_log_scale_fn: _Any, is_constant_jacobian: _Any = False, validate_args: _Any = False, unroll_loop: _Any = False, name: str | None = None) -> None: ...

class MatrixInverseTriL(Bijector):
    """y is the inverse of a lower triangle x."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'matrix_inverse_tril') -> None: ...

class Ordered(Bijector):
    """Takes an increasing vector to any vector: the first element, and the logarithms of the differences."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'ordered') -> None: ...

class Permute(Bijector):
    """Permutes a dimension."""
    def __init__(self, permutation: _Any, axis: _Any = -1, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def axis(self) -> _Any:
        """The dimension, a negative int."""
    @property
    def permutation(self) -> _Any:
        """The permutation, an integer vector."""

class PowerTransform(Bijector):
    """y = (1 + x * power) ** (1 / power), or exp(x) for the power 0."""
    def __init__(self, power: _Any = 0.0, validate_args: _Any = False, name: str | None = 'power_transform', event_ndims: _Any = 0) -> None: ...
    @property
    def power(self) -> _Any:
        """The power, a float."""

class RealNVP(ConditionalBijector):
    """Keeps the first num_masked elements; they determine the shift and scale of the others."""
    def __init__(self, num_masked: _Any, shift_and_log_scale_fn: _Any, is_constant_jacobian: _Any = False, validate_args: _Any = False, name: str | None = None) -> None: ...

class Reshape(Bijector):
    """Gives events another shape."""
    def __init__(self, event_shape_out: _Any, event_shape_in: _Any = (-1,), validate_args: _Any = False, name: str | None = None) -> None: ...

class ScaleTriL(Chain):
    """Puts a vector into a lower triangle, and makes its diagonal positive."""
    def __init__(self, diag_bijector: _Any = None, diag_shift: _Any = 1e-05, validate_args: _Any = False, name: str | None = 'scale_tril') -> None: ...

class Sigmoid(Bijector):
    """y = 1 / (1 + exp(-x)), from the real numbers to those between 0 and 1."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'sigmoid') -> None: ...

class SinhArcsinh(Bijector):
    """y = sinh((asinh(x) + skewness) * tailweight)."""
    def __init__(self, skewness: _Any = None, tailweight: _Any = None, validate_args: _Any = False, name: str | None = 'SinhArcsinh', event_ndims: _Any = 0) -> None: ...
    @property
    def skewness(self) -> _Any:
        """What is added."""
    @property
    def tailweight(self) -> _Any:
        """The factor."""

class SoftmaxCentered(Bijector):
    """The softmax of a vector with a zero at its end, which has one element more."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'softmax_centered', event_ndims: _Any = 0) -> None: ...

class Softplus(Bijector):
    """y = log(1 + exp(x)), from the real to the positive numbers."""
    def __init__(self, hinge_softness: _Any = None, validate_args: _Any = False, name: str | None = 'softplus', event_ndims: _Any = 0) -> None: ...
    @property
    def hinge_softness(self) -> _Any:
        """The width of the bend, a `Tensor`, or None for 1."""

class Softsign(Bijector):
    """y = x / (1 + |x|), from the real numbers to those between -1 and 1."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'softsign') -> None: ...

class Square(Bijector):
    """y = x * x, for numbers x that are not negative."""
    def __init__(self, validate_args: _Any = False, name: str | None = 'square') -> None: ...

class TransformDiagonal(Bijector):
    """Applies another bijector to the diagonals of matrices."""
    def __init__(self, diag_bijector: _Any, validate_args: _Any = False, name: str | None = 'transform_diagonal') -> None: ...

class Weibull(Bijector):
    """y = 1 - exp(-((x / scale) ** concentration)), the distribution function of the Weibull distribution."""
    def __init__(self, scale: _Any = 1.0, concentration: _Any = 1.0, validate_args: _Any = False, name: str | None = 'weibull', event_ndims: _Any = 0) -> None: ...
    @property
    def concentration(self) -> _Any:
        """The shape parameter."""
    @property
    def scale(self) -> _Any:
        """The scale."""

def masked_autoregressive_default_template(hidden_layers: _Any, shift_only: _Any = False, activation: _Any = ..., log_scale_min_clip: _Any = -5.0, log_scale_max_clip: _Any = 3.0, log_scale_clip_gradient: _Any = False, name: str | None = None, *args: _Any, **kwargs: _Any) -> _Any:
    """A network of masked dense layers (MADE), as a function for `MaskedAutoregressiveFlow`."""

def masked_dense(inputs: _Any, units: _Any, num_blocks: _Any = None, exclusive: _Any = False, kernel_initializer: _Any = None, reuse: _Any = None, name: str | None = None, *args: _Any, **kwargs: _Any) -> Tensor:
    """A dense layer whose outputs depend on earlier inputs only, as in MADE."""

def real_nvp_default_template(hidden_layers: _Any, shift_only: _Any = False, activation: _Any = ..., name: str | None = None, *args: _Any, **kwargs: _Any) -> _Any:
    """A network of dense layers, as a function for `RealNVP`."""
