"""Samples from distributions whose parameters are tensors: multinomial, gamma, Poisson."""

import numpy as np

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable, undefined_gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.random import random


def _multinomial_shape(op):
    batch = shapes.with_rank(op.inputs[0].dims, 2)[0]
    shapes.with_rank(op.inputs[1].dims, 0)
    samples = constant_value(op.inputs[1])
    if samples is not None and samples < 0:
        raise ValueError(f"num_samples should be nonnegative, got {int(samples)}")
    return [(batch, None if samples is None else int(samples))]


Multinomial = define_op(
    "Multinomial",
    inputs=["logits: T", "num_samples: int32"],
    outputs=["output: output_dtype"],
    attrs=[*random.SEEDS, "T: realnumbertype", "output_dtype: {int32, int64} = DT_INT64"],
    shape=_multinomial_shape,
    stateful=True,
    doc="`num_samples` class numbers for each row of unnormalised log-probabilities.",
)


def _stateless_multinomial_shape(op):
    seed = shapes.with_rank(op.inputs[2].dims, 1)
    if seed[0] not in (2, None):
        raise ValueError(f"seed must have shape [2], not [{seed[0]}]")
    return _multinomial_shape(op)


StatelessMultinomial = define_op(
    "StatelessMultinomial",
    inputs=["logits: T", "num_samples: int32", "seed: Tseed"],
    outputs=["output: output_dtype"],
    attrs=["T: realnumbertype", "Tseed: {int32, int64} = DT_INT64", "output_dtype: {int32, int64} = DT_INT64"],
    shape=_stateless_multinomial_shape,
    doc="Like Multinomial, a function of `seed` alone.",
)


def _parameter_shape(op):
    """The given shape followed by that of the parameter tensor."""
    first, parameter = random.shape_from_first_input(op)[0], op.inputs[1].dims
    return [None if first is None or parameter is None else first + parameter]


_SAMPLED = "{half, float, double, int32, int64}"


RandomGamma = define_op(
    "RandomGamma",
    inputs=["shape: S", "alpha: T"],
    outputs=["output: T"],
    attrs=[*random.SEEDS, "S: {int32, int64}", "T: {half, float, double}"],
    shape=_parameter_shape,
    stateful=True,
    doc="Samples of shape `shape` from a gamma distribution of scale 1 for each element of `alpha`.",
)


RandomPoisson = define_op(
    "RandomPoisson",
    inputs=["shape: S", "rate: dtype"],
    outputs=["output: dtype"],
    attrs=[*random.SEEDS, "S: {int32, int64}", "dtype: {half, float, double}"],
    shape=_parameter_shape,
    stateful=True,
    doc="The older form of RandomPoissonV2.",
)


RandomPoissonV2 = define_op(
    "RandomPoissonV2",
    inputs=["shape: S", "rate: R"],
    outputs=["output: dtype"],
    attrs=[
        *random.SEEDS,
        "S: {int32, int64}",
        f"R: {_SAMPLED} = DT_DOUBLE",
        f"dtype: {_SAMPLED} = DT_INT64",
    ],
    shape=_parameter_shape,
    stateful=True,
    doc="Samples of shape `shape` from a Poisson distribution for each element of `rate`.",
)


def _keyed_parameter_shape(op):
    for i, rank in enumerate((1, 1, 0)):
        shapes.with_rank(op.inputs[1 + i].dims, rank)
    return random.shape_from_first_input(op)


StatelessRandomGammaV2 = define_op(
    "StatelessRandomGammaV2",
    inputs=["shape: T", "seed: Tseed", "alpha: dtype"],
    outputs=["output: dtype"],
    attrs=["dtype: {half, float, double}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"],
    shape=random.stateless_shape,
    doc="RandomGamma, a function of `seed` alone; `shape` ends with the shape of `alpha`.",
)
StatelessRandomGammaV3 = define_op(
    "StatelessRandomGammaV3",
    inputs=["shape: shape_dtype", "key: uint64", "counter: uint64", "alg: int32", "alpha: dtype"],
    outputs=["output: dtype"],
    attrs=["dtype: {half, float, double}", "shape_dtype: {int32, int64} = DT_INT32"],
    shape=_keyed_parameter_shape,
    doc="StatelessRandomGammaV2, a function of key and counter.",
)
StatelessRandomPoisson = define_op(
    "StatelessRandomPoisson",
    inputs=["shape: T", "seed: Tseed", "lam: Rtype"],
    outputs=["output: dtype"],
    attrs=[f"Rtype: {_SAMPLED}", f"dtype: {_SAMPLED}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"],
    shape=random.stateless_shape,
    doc="RandomPoissonV2, a function of `seed` alone; `shape` ends with the shape of `lam`.",
)


not_differentiable("Multinomial", "StatelessMultinomial")
undefined_gradient("RandomPoisson", "RandomPoissonV2", "StatelessRandomPoisson")


@gradient("StatelessRandomGammaV2", "StatelessRandomGammaV3")
def _stateless_gamma_grad(op, grad):
    alpha, samples = op.inputs[-1], op.outputs[0]
    derivative = random.call("RandomGammaGrad", alpha, samples)
    leading = random.call("Range", 0, random.call("Rank", samples) - random.call("Rank", alpha), 1)
    return [None] * (len(op.inputs) - 1) + [random.call("Sum", grad * derivative, leading)]


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Samples classes by their unnormalised log-probabilities.

    Args:
      logits: A `Tensor` of a floating-point type and shape [batch, classes].
      num_samples: Number of samples of each row, an int32 scalar.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the scope (optional).
      output_dtype: Type of the result, int32 or int64 (default).

    Returns:
      A `Tensor` of shape [batch, num_samples], class numbers.

    Raises:
      ValueError: The static shapes don't fit.
      TypeError: A type is not allowed.
    """
    with name_scope(name, "multinomial", [logits]):
        return _sample_classes(logits, num_samples, output_dtype, seed)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Samples classes by their unnormalised log-probabilities.

    Args:
      logits: A `Tensor` of a floating-point type and shape [batch, classes].
      num_samples: Number of samples of each row, an int32 scalar.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the scope (optional).
      dtype: Type of the result, int32 or int64 (default).

    Returns:
      A `Tensor` of shape [batch, num_samples], class numbers.

    Raises:
      ValueError: The static shapes don't fit.
      TypeError: A type is not allowed.
    """
    with name_scope(name, "categorical", [logits]):
        return _sample_classes(logits, num_samples, dtype, seed)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    """Samples classes by their unnormalised log-probabilities; they depend on `seed` alone: each run gives the same.

    Args:
      logits: A `Tensor` of a floating-point type and shape [batch, classes].
      num_samples: Number of samples of each row, an int32 scalar.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      dtype: Type of the result, int32 or int64 (default).
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of shape [batch, num_samples], class numbers.

    Raises:
      ValueError: The static shapes don't fit, or `dtype` is another type.
    """
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return _stateless_classes(logits, num_samples, seed, dtype)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    """`stateless_categorical` by its older name.

    Args:
      logits: A `Tensor` of a floating-point type and shape [batch, classes].
      num_samples: Number of samples of each row, an int32 scalar.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      output_dtype: Type of the result, int32 or int64 (default).
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of shape [batch, num_samples], class numbers.

    Raises:
      ValueError: The static shapes don't fit, or `output_dtype` is another type.
    """
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        return _stateless_classes(logits, num_samples, seed, output_dtype)


def _stateless_classes(logits, num_samples, seed, dtype):
    logits = convert_to_tensor(logits, name="logits")
    dtype = dtypes.as_dtype(dtype) if dtype else dtypes.int64
    accepted = (dtypes.int32, dtypes.int64)
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
    return StatelessMultinomial(logits, num_samples, seed, output_dtype=dtype)


def _sample_classes(logits, num_samples, dtype, seed):
    logits = convert_to_tensor(logits, name="logits")
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return Multinomial(logits, num_samples, output_dtype=dtype, **random.seeds(seed))


def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    """Samples of gamma distributions.

    Args:
      shape: Shape of the samples for each pair of parameters, an int32 vector.
      alpha: Shape parameter, a `Tensor` of type `dtype`.
      beta: Inverse scale, a `Tensor` of type `dtype` that broadcasts with `alpha`; 1 by default.
      dtype: The `DType` of the samples: float16, float32 or float64.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape` + broadcast(alpha, beta).

    Raises:
      TypeError: `dtype` is another type.
      ValueError: `alpha` and `beta` don't broadcast.
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        ones = random.call("Fill", random.call("Shape", beta), convert_to_tensor(1, dtype=dtype))
        samples = RandomGamma(shape, alpha * ones, **random.seeds(seed))
        tiny = np.asarray(random.finfo(alpha.dtype).tiny, alpha.dtype.as_numpy_dtype)
        return random.call("Maximum", tiny, samples / beta)


def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
    """Samples of Poisson distributions.

    Args:
      lam: The rate, a `Tensor` of a real type.
      shape: Shape of the samples for each rate, an int32 vector.
      dtype: The `DType` of the samples: float16, float32, float64, int32 or int64.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape` + lam.shape.

    Raises:
      TypeError: A type is not allowed.
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        return RandomPoissonV2(shape, lam, dtype=dtype, **random.seeds(seed))


gamma = random_gamma


poisson = random_poisson


@gradient("RandomGamma")
def _random_gamma_grad(op, grad):
    """By implicit reparametrisation. The output has the sample shape before alpha's: sum over it."""
    leading = random.call("Range", 0, random.call("Size", op.inputs[0]), 1)
    derivative = random.call("RandomGammaGrad", op.inputs[1], op.outputs[0])
    return None, random.call("Sum", grad * derivative, leading)


def stateless_gamma(shape, seed, alpha, beta=None, dtype=dtypes.float32, name=None):
    """Samples of gamma distributions; they depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64; it ends with the shape with which
        `alpha` and `beta` broadcast.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      alpha: The shape parameter, a `Tensor` of type `dtype`.
      beta: The inverse scale, a `Tensor` of type `dtype`; 1 by default.
      dtype: The `DType` of the samples: float16, float32 or float64.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape`. It has gradients with respect to `alpha` and `beta`.

    Raises:
      TypeError: A type is not allowed.
      tf.errors.InvalidArgumentError: At run time, the shapes do not fit.
    """
    with name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
        common = random.call("BroadcastArgs", random.call("Shape", alpha), random.call("Shape", beta))
        key, counter = random.call("StatelessRandomGetKeyCounter", seed)
        spread = random.call("BroadcastTo", alpha, common)
        samples = StatelessRandomGammaV3(random.shape_tensor(shape), key, counter, 1, spread)
        least = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        return random.call("Maximum", least, samples / beta)


def stateless_poisson(shape, seed, lam, dtype=dtypes.int32, name=None):
    """Samples of Poisson distributions; they depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64; it ends with the shape of `lam`.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      lam: The rates, a `Tensor` of type float16, float32, float64, int32 or int64.
      dtype: The `DType` of the samples, one of the same.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      TypeError: A type is not allowed.
      tf.errors.InvalidArgumentError: At run time, the shapes do not fit.
    """
    with name_scope(name, "stateless_random_poisson", [shape, seed, lam]):
        return StatelessRandomPoisson(random.shape_tensor(shape), seed, lam, dtype=dtype)
