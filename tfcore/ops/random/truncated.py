"""Numbers of normal distributions between bounds."""

import math

import numpy as np

from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.shapes import with_rank_at_most
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.broadcast import unbroadcast
from tfcore.ops.random.random import SEEDS, call, shape_from_first_input, shape_tensor, stateless_shape


def _truncated_shape(op):
    for parameter in op.inputs[1:]:
        with_rank_at_most(parameter.dims, 1)
    return shape_from_first_input(op)


ParameterizedTruncatedNormal = define_op(
    "ParameterizedTruncatedNormal",
    inputs=["shape: T", "means: dtype", "stdevs: dtype", "minvals: dtype", "maxvals: dtype"],
    outputs=["output: dtype"],
    attrs=[*SEEDS, "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"],
    shape=_truncated_shape,
    stateful=True,
    doc="Random numbers of normal distributions, between bounds; each row may have other parameters.",
)
not_differentiable("ParameterizedTruncatedNormal")
StatelessParameterizedTruncatedNormal = define_op(
    "StatelessParameterizedTruncatedNormal",
    inputs=["shape: S", "seed: Tseed", "means: dtype", "stddevs: dtype", "minvals: dtype", "maxvals: dtype"],
    outputs=["output: dtype"],
    attrs=["S: {int32, int64}", "Tseed: {int32, int64} = DT_INT64", "dtype: {half, float, double}"],
    shape=stateless_shape,
    doc="ParameterizedTruncatedNormal, a function of `seed` alone; parameters broadcast with each other.",
)


def _below(x):
    """The part of a normal distribution below x."""
    return 0.5 * call("Erfc", x * -math.sqrt(0.5))


@gradient("StatelessParameterizedTruncatedNormal")
def _stateless_truncated_grad(op, grad):
    """TensorFlow's: bounds move a number by its place between them, means as if they moved the bounds with them."""
    mean, deviation, low, high = op.inputs[2:]
    z, z_low, z_high = ((x - mean) / deviation for x in (op.outputs[0], low, high))
    place = (_below(z) - _below(z_low)) / (_below(z_high) - _below(z_low))
    limits = np.finfo(grad.dtype.as_numpy_dtype)
    place = call("Minimum", call("Maximum", place, limits.tiny), 1 - limits.eps)
    of_high = call("Exp", 0.5 * (z * z - z_high * z_high) + call("Log", place))
    of_low = call("Exp", 0.5 * (z * z - z_low * z_low) + call("Log1p", -place))
    parts = [grad, grad * z, grad * of_low, grad * of_high]
    return [None, None, *(unbroadcast(x, part, part, part)[0] for x, part in zip(op.inputs[2:], parts))]


def stateless_parameterized_truncated_normal(shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, name=None):
    """Numbers of normal distributions between bounds; they depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64; it ends with the shape with which
        the parameters broadcast.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      means: Means before truncation, a `Tensor` of type float16, float32 or float64.
      stddevs: Standard deviations before truncation, a `Tensor` of the same type.
      minvals: The smallest numbers, a `Tensor` of the same type.
      maxvals: The largest numbers, a `Tensor` of the same type.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `means` and shape `shape`.

    Raises:
      TypeError: The types of the parameters differ.
      tf.errors.InvalidArgumentError: At run time, the shapes do not fit, a standard deviation is not positive, or
        bounds are empty.
    """
    with name_scope(name, "stateless_parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
        parameters = [convert_to_tensor(x) for x in (means, stddevs, minvals, maxvals)]
        return StatelessParameterizedTruncatedNormal(shape_tensor(shape), seed, *parameters)
