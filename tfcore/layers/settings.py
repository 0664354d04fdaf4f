"""What arguments of layers may be: names of functions, sizes for each dimension, layouts."""

import operator

import numpy as np

from tfcore.framework.graph.operation import is_dense_tensor_like
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.cwise import unary as cwise_unary
from tfcore.ops.nn import activations
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.variables import initializers

ACTIVATIONS = {
    "elu": activations.elu,
    "exponential": cwise_unary.exp,
    "linear": array.identity,
    "relu": activations.relu,
    "relu6": activations.relu6,
    "selu": activations.selu,
    "sigmoid": cwise_unary.sigmoid,
    "softmax": softmax,
    "softplus": activations.softplus,
    "softsign": activations.softsign,
    "tanh": cwise_unary.tanh,
}

# Keras' names. Its random distributions are narrower than those of tf.random_normal_initializer.
_INITIALIZERS = {
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "identity": initializers.Identity,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "ones": initializers.Ones,
    "orthogonal": initializers.Orthogonal,
    "random_normal": lambda: initializers.RandomNormal(stddev=0.05),
    "random_uniform": lambda: initializers.RandomUniform(-0.05, 0.05),
    "truncated_normal": lambda: initializers.TruncatedNormal(stddev=0.05),
    "zeros": initializers.Zeros,
}

_REGULARIZERS = {
    "l1": lambda weights: 0.01 * reduce_sum(cwise_unary.abs(weights)),
    "l2": lambda weights: 0.01 * reduce_sum(cwise_unary.square(weights)),
}


def _function(value, names, what):
    """A function given as such or by its name; None stays None."""
    if value is None or callable(value):
        return value
    if isinstance(value, str) and value in names:
        return names[value]
    raise ValueError(f"Could not interpret {what} identifier: {value}")


def activation(value):
    """An activation function, given as such or by its name."""
    if isinstance(value, str) and value not in ACTIVATIONS:
        raise ValueError(f"Unknown activation function: {value!r}.")
    return _function(value, ACTIVATIONS, "activation function")


def initializer(value):
    """An initializer, given as such or by its name."""
    found = _function(value, _INITIALIZERS, "initializer")
    return found() if isinstance(value, str) else found


def regularizer(value):
    """A regularizer, given as such or by its name."""
    return _function(value, _REGULARIZERS, "regularizer")


def constraint(value):
    """A constraint, which has to be a function."""
    return _function(value, {}, "constraint function")


def sizes(value, n, name, least=1):
    """(value, ...) n times for an integer; n integers are unchanged. They may be of any type, such as np.int64."""
    text = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
        found = tuple(value)
    except TypeError:
        found = (value,) * n
    if len(found) != n:
        raise ValueError(text)
    try:
        found = tuple([operator.index(size) for size in found])
    except TypeError:
        raise ValueError(text) from None
    wrong = {size for size in found if size < least}
    if wrong:
        raise ValueError(f"{text} including {wrong} that does not satisfy the requirement `>= {least}`.")
    return found


def condition(training):
    """Whether a layer trains: a bool or scalar `Tensor`, from a value that programs pass. None means False."""
    if training is None:
        return False
    if is_dense_tensor_like(training):
        return convert_to_tensor(training)
    if isinstance(training, (bool, int, float, np.generic)) and training in (0, 1):
        return bool(training)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Received: training={training!r}")


def layout(data_format, n):
    """For images (n = 2): NHWC for channels_last, NCHW for channels_first."""
    space = "DHW"[3 - n :]
    layouts = {"channels_last": f"N{space}C", "channels_first": f"NC{space}"}
    try:
        return layouts[data_format.lower()]
    except (KeyError, AttributeError):
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {data_format}'
        ) from None


def padding(value, known=("valid", "same")):
    """ "VALID" or "SAME"; also "CAUSAL" where that is known."""
    if not isinstance(value, str) or value.lower() not in known:
        names = " or ".join(f'"{name}"' for name in known)
        raise ValueError(f"The `padding` argument must be one of {names}. Received: {value}")
    return value.upper()


def in_layout(window, layout):
    """The sizes of a window for all dimensions: 1 for batch and channels."""
    return [1, *window, 1] if layout.endswith("C") else [1, 1, *window]
