# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import abs as abs
from tfcore import accumulate_n as accumulate_n
from tfcore import acos as acos
from tfcore import acosh as acosh
from tfcore import add as add
from tfcore import add_n as add_n
from tfcore import angle as angle
from tfcore import approximate_equal as approximate_equal
from tfcore import argmax as argmax
from tfcore import argmin as argmin
from tfcore import asin as asin
from tfcore import asinh as asinh
from tfcore import atan as atan
from tfcore import atan2 as atan2
from tfcore import atanh as atanh
from tfcore import betainc as betainc
from tfcore import bincount as bincount
from tfcore import ceil as ceil
from tfcore import confusion_matrix as confusion_matrix
from tfcore import conj as conj
from tfcore import cos as cos
from tfcore import cosh as cosh
from tfcore import count_nonzero as count_nonzero
from tfcore import cumprod as cumprod
from tfcore import cumsum as cumsum
from tfcore import digamma as digamma
from tfcore import div_no_nan as divide_no_nan
from tfcore import divide as divide
from tfcore import equal as equal
from tfcore import erf as erf
from tfcore import erfc as erfc
from tfcore import exp as exp
from tfcore import expm1 as expm1
from tfcore import floor as floor
from tfcore import floordiv as floordiv
from tfcore import floormod as floormod
from tfcore import floormod as mod
from tfcore import greater as greater
from tfcore import greater_equal as greater_equal
from tfcore import igamma as igamma
from tfcore import igammac as igammac
from tfcore import imag as imag
from tfcore import invert_permutation as invert_permutation
from tfcore import is_finite as is_finite
from tfcore import is_inf as is_inf
from tfcore import is_nan as is_nan
from tfcore import is_non_decreasing as is_non_decreasing
from tfcore import is_strictly_increasing as is_strictly_increasing
from tfcore import lbeta as lbeta
from tfcore import less as less
from tfcore import less_equal as less_equal
from tfcore import lgamma as lgamma
from tfcore import log as log
from tfcore import log1p as log1p
from tfcore import log_sigmoid as log_sigmoid
from tfcore import logical_and as logical_and
from tfcore import logical_not as logical_not
from tfcore import logical_or as logical_or
from tfcore import logical_xor as logical_xor
from tfcore import maximum as maximum
from tfcore import minimum as minimum
from tfcore import multiply as multiply
from tfcore import negative as negative
from tfcore import not_equal as not_equal
from tfcore import polygamma as polygamma
from tfcore import pow as pow
from tfcore import real as real
from tfcore import reciprocal as reciprocal
from tfcore import reduce_all as reduce_all
from tfcore import reduce_any as reduce_any
from tfcore import reduce_logsumexp as reduce_logsumexp
from tfcore import reduce_max as reduce_max
from tfcore import reduce_mean as reduce_mean
from tfcore import reduce_min as reduce_min
from tfcore import reduce_prod as reduce_prod
from tfcore import reduce_sum as reduce_sum
from tfcore import rint as rint
from tfcore import round as round
from tfcore import rsqrt as rsqrt
from tfcore import scalar_mul as scalar_mul
from tfcore import segment_max as segment_max
from tfcore import segment_mean as segment_mean
from tfcore import segment_min as segment_min
from tfcore import segment_prod as segment_prod
from tfcore import segment_sum as segment_sum
from tfcore import sigmoid as sigmoid
from tfcore import sign as sign
from tfcore import sin as sin
from tfcore import sinh as sinh
from tfcore import sqrt as sqrt
from tfcore import square as square
from tfcore import squared_difference as squared_difference
from tfcore import subtract as subtract
from tfcore import tan as tan
from tfcore import tanh as tanh
from tfcore import truediv as truediv
from tfcore import unsorted_segment_max as unsorted_segment_max
from tfcore import unsorted_segment_mean as unsorted_segment_mean
from tfcore import unsorted_segment_min as unsorted_segment_min
from tfcore import unsorted_segment_prod as unsorted_segment_prod
from tfcore import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from tfcore import unsorted_segment_sum as unsorted_segment_sum
from tfcore import zeta as zeta
from tfcore.linalg import l2_normalize as l2_normalize
from tfcore.math import special as special
from typing import Any as _Any

__all__ = [
'abs', 'accumulate_n', 'acos', 'acosh', 'add', 'add_n', 'angle', 'approx_max_k', 'approx_min_k', 'approximate_equal',
'argmax', 'argmin', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e',
'betainc', 'bincount', 'ceil', 'confusion_matrix', 'conj', 'cos', 'cosh', 'count_nonzero', 'cumprod', 'cumsum',
'cumulative_logsumexp', 'digamma', 'divide', 'divide_no_nan', 'equal', 'erf', 'erfc', 'erfcinv', 'erfinv', 'exp',
'expm1', 'floor', 'floordiv', 'floormod', 'greater', 'greater_equal', 'igamma', 'igammac', 'imag', 'in_top_k',
'invert_permutation', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_strictly_increasing', 'l2_normalize',
'lbeta', 'less', 'less_equal', 'lgamma', 'log', 'log1p', 'log_sigmoid', 'log_softmax', 'logical_and', 'logical_not',
'logical_or', 'logical_xor', 'maximum', 'minimum', 'mod', 'multiply', 'multiply_no_nan', 'ndtri', 'negative',
'nextafter', 'not_equal', 'polygamma', 'polyval', 'pow', 'real', 'reciprocal', 'reciprocal_no_nan', 'reduce_all',
'reduce_any', 'reduce_euclidean_norm', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod',
'reduce_std', 'reduce_sum', 'reduce_variance', 'rint', 'round', 'rsqrt', 'scalar_mul', 'segment_max', 'segment_mean',
'segment_min', 'segment_prod', 'segment_sum', 'sigmoid', 'sign', 'sin', 'sinh', 'softmax', 'softplus', 'softsign',
'special', 'sqrt', 'square', 'squared_difference', 'subtract', 'tan', 'tanh', 'top_k', 'truediv',
'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min', 'unsorted_segment_prod',
'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'xdivy', 'xlog1py', 'xlogy', 'zero_fraction', 'zeta'
]

def approx_max_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = 0.95, reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: str | None = None) -> _Any:
    """The k greatest elements along a dimension, and their indices, in descending order."""

def approx_min_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = 0.95, reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: str | None = None) -> _Any:
    """The k least elements along a dimension, and their indices, in ascending order."""

def bessel_i0(x: _Any, name: str | None = None) -> Tensor:
    """Modified Bessel function of the first kind and order 0."""

def bessel_i0e(x: _Any, name: str | None = None) -> Tensor:
    """exp(-|x|) I0(x)."""

def bessel_i1(x: _Any, name: str | None = None) -> Tensor:
    """Modified Bessel function of the first kind and order 1."""

def bessel_i1e(x: _Any, name: str | None = None) -> Tensor:
    """exp(-|x|) I1(x)."""

def cumulative_logsumexp(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: str | None = None) -> Tensor:
    """Logarithms of cumulative sums of exponentials: log(sum(exp(x))) of all elements up to each along `axis`."""

def erfcinv(x: _Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.erfc`."""

def erfinv(x: _Any, name: str | None = None) -> Tensor:
    """Inverse of erf."""

def in_top_k(predictions: _Any, targets: _Any, k: _Any, name: str | None = None) -> Tensor:
    """Whether each row's target is among its k largest predictions; ties count as being among them."""

def log_softmax(logits: _Any, axis: _Any = None, name: str | None = None, dim: _Any = None) -> Tensor:
    """Computes the logarithm of the softmax: logits - log(sum(exp(logits))) along `axis`."""

def multiply_no_nan(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0 even if x is infinite or NaN."""

def ndtri(x: _Any, name: str | None = None) -> Tensor:
    """Quantile of the standard normal distribution."""

def nextafter(x1: _Any, x2: _Any, name: str | None = None) -> Tensor:
    """The next representable number after x1 towards x2."""

def polyval(coeffs: _Any, x: _Any, name: str | None = None) -> Tensor:
    """The value of a polynomial, by Horner's method."""

def reciprocal_no_nan(x: _Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0."""

def reduce_euclidean_norm(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: str | None = None) -> Tensor:
    """The square root of the sum of squares along dimensions."""

def reduce_std(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: str | None = None) -> Tensor:
    """The standard deviation along dimensions."""

def reduce_variance(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: str | None = None) -> Tensor:
    """The variance along dimensions: the mean of squared distances from the mean."""

def softmax(logits: _Any, axis: _Any = None, name: str | None = None, dim: _Any = None) -> Tensor:
    """Turns logits into probabilities: exp(logits) / sum(exp(logits)) along `axis`."""

def softplus(features: _Any, name: str | None = None) -> Tensor:
    """Smooth approximation of relu: log(exp(features) + 1)."""

def softsign(features: _Any, name: str | None = None) -> Tensor:
    """Softsign: features / (abs(features) + 1)."""

def top_k(input: _Any, k: _Any = 1, sorted: _Any = True, index_type: _Any = ..., name: str | None = None) -> _Any:
    """The k largest elements of each row, and their indices."""

def xdivy(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x / y, 0 where x is 0."""

def xlog1py(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x * log1p(y), 0 where x is 0."""

def xlogy(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x * log(y), 0 where x is 0."""

def zero_fraction(value: _Any, name: str | None = None) -> _Any:
    """The fraction of the elements that are zero, a measure of how sparse activations are."""
