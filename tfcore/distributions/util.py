"""What several distributions use: logits and probabilities, checks, the normal distribution function."""

import hashlib
import math

import numpy as np

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.special import erf, erfc, lgamma
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, expm1, floor, log, log1p, sigmoid, square
from tfcore.ops.debugging import check
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.reduce import reduce_sum

# ---- Parameters


def get_logits_and_probs(logits, probs, validate_args, classes):
    """Both logits and probabilities from the one given. With `classes`, the last dimension has those of one event."""
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if logits is not None:
        logits = _floating(logits, "logits")
        if not classes:
            return logits, sigmoid(logits, name="probs")
        logits = check_classes(logits) if validate_args else logits
        return logits, softmax(logits, name="probs")
    probs = _floating(probs, "probs")
    if validate_args:
        probs = _checked_probs(probs, classes)
    with name_scope("logits"):
        return log(probs) if classes else log(probs) - log1p(-probs), probs


def _floating(value, name):
    tensor = convert_to_tensor(value, name=name)
    if not tensor.dtype.is_floating:
        raise TypeError(f"{name} must having floating type.")
    return tensor


def _checked_probs(probs, classes):
    with name_scope("validate_probs"):
        one = convert_to_tensor(1.0, probs.dtype)
        checks = [check.assert_non_negative(probs)]
        if classes:
            probs = check_classes(probs)
            checks.append(check.assert_near(reduce_sum(probs, -1), one, message="probs does not sum to 1."))
        else:
            checks.append(check.assert_less_equal(probs, one, message="probs has components greater than 1."))
        return with_dependencies(checks, probs)


def check_classes(parameter):
    """The parameter, whose last dimension must have at least two classes."""
    parameter = convert_to_tensor(parameter, name="categorical_param")
    if parameter.dims is not None:
        if not parameter.dims:
            raise ValueError("A categorical-distribution parameter must have at least 1 dimension.")
        if parameter.dims[-1] is not None and parameter.dims[-1] < 2:
            raise ValueError("A categorical-distribution parameter must have at least 2 events.")
    return parameter


def check_counts(x):
    """The tensor with checks that its elements are whole numbers from 0."""
    with name_scope("embed_check_nonnegative_integer_form"):
        x = convert_to_tensor(x, name="x")
        checks = [check.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            checks.append(_assert_whole(x, f"'{x}' cannot contain fractional components."))
        return with_dependencies(checks, x)


def check_whole(x, message="value must be whole numbers."):
    """The tensor with a check that its elements are whole numbers."""
    return x if x.dtype.is_integer else with_dependencies([_assert_whole(x, message)], x)


def _assert_whole(x, message):
    return check.assert_equal(x, floor(x), message=message)


def identity_of(value, name, checks=()):
    """A parameter as a tensor of its own, after some checks."""
    with control_dependencies(list(checks)):
        return identity(value, name=name)


def constant_value_of(value):
    """The value of a tensor, an array or a number as an array if it is known without a run, else None."""
    return constant_value(value) if isinstance(value, Tensor) else np.asarray(value)


def of_type(value, dtype):
    """A tensor cast to a type if it has another one."""
    return value if value.dtype.base_dtype == dtype.base_dtype else cast(value, dtype)


def gen_new_seed(seed, salt):
    """A seed that depends on another one, so that two operations of a sample draw different numbers."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


def nan_where_not(defined, values):
    """The values, NaN where they are not defined."""
    return where_v2(defined, values, convert_to_tensor(math.nan, values.dtype))


def log_combinations(n, counts):
    """The logarithm of n! / (counts[0]! ... counts[k]!)."""
    with name_scope("log_combinations"):
        n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        return lgamma(n + 1) - reduce_sum(lgamma(counts + 1), -1)


# ---- Functions


def softplus_inverse(x):
    """log(exp(x) - 1), exact for small and for large numbers."""
    return x + log(-expm1(-x))


def ndtr(x):
    """The distribution function of the standard normal distribution, exact in both tails; float32 or float64."""
    if x.dtype not in (dtypes.float32, dtypes.float64):  # the tails of half precision would be 0
        raise TypeError(f"x.dtype={x.dtype} is not handled, see docstring for supported types.")
    with name_scope("ndtr", values=[x]):
        w = x * convert_to_tensor(math.sqrt(0.5), x.dtype)
        z = abs_of(w)
        tail = erfc(z)
        outside = where_v2(w > 0, 2 - tail, tail)
        return 0.5 * where_v2(z < math.sqrt(0.5), 1 + erf(w), outside)


def log_ndtr(x):
    """log(ndtr(x)): by its asymptotic series far to the left, where ndtr is too small, and by ndtr(-x) to the right,
    where ndtr is too near one."""
    lower = -20.0 if x.dtype is dtypes.float64 else -10.0
    left = _log_ndtr_series(minimum(x, lower))
    middle = log(ndtr(minimum(maximum(x, lower), 0)))
    right = log1p(-ndtr(-maximum(x, 0)))
    return where_v2(x > 0, right, where_v2(x > lower, middle, left))


def _log_ndtr_series(x):
    """Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.12, three terms."""
    inverse = 1 / square(x)
    series = 1 - inverse * (1 - inverse * (3 - inverse * 15))
    return -0.5 * square(x) - log(-x) - 0.5 * math.log(2 * math.pi) + log(series)


def log_cdf_laplace(x):
    """The logarithm of the distribution function of the standard Laplace distribution."""
    # exp only of what is not positive, so that the branch that is not taken has a finite gradient
    return where_v2(x < 0, minimum(x, 0) - math.log(2), log1p(-0.5 * exp(-abs_of(x))))
