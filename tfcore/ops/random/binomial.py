"""Samples of binomial distributions."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.random.random import shape_from_first_input, shape_tensor, stateless_shape

_SAMPLED = "{half, float, double, int32, int64}"
_ATTRS = ["S: {int32, int64}", f"T: {_SAMPLED} = DT_DOUBLE", f"dtype: {_SAMPLED} = DT_INT64"]


def _keyed_shape(op):
    for i, rank in enumerate((1, 1, 0)):
        shapes.with_rank(op.inputs[1 + i].dims, rank)
    return shape_from_first_input(op)


StatelessRandomBinomial = define_op(
    "StatelessRandomBinomial",
    inputs=["shape: S", "seed: Tseed", "counts: T", "probs: T"],
    outputs=["output: dtype"],
    attrs=[_ATTRS[0], "Tseed: {int32, int64} = DT_INT64", *_ATTRS[1:]],
    shape=stateless_shape,
    doc="Numbers of successes in `counts` trials, a function of `seed` alone; `shape` ends with the parameters' shape.",
)
StatelessRandomBinomialV2 = define_op(
    "_StatelessRandomBinomialV2",
    inputs=["shape: S", "key: uint64", "counter: uint64", "alg: int32", "counts: T", "probs: T"],
    outputs=["output: dtype"],
    attrs=_ATTRS,
    shape=_keyed_shape,
    doc="StatelessRandomBinomial, a function of key and counter: for `tf.random.Generator`.",
)
undefined_gradient("StatelessRandomBinomial", "_StatelessRandomBinomialV2")


def stateless_binomial(shape, seed, counts, probs, output_dtype=dtypes.int32, name=None):
    """Samples of binomial distributions; they depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64; it ends with the shape with which
        `counts` and `probs` broadcast.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      counts: The numbers of trials, a `Tensor` of the type of `probs`.
      probs: The probabilities of success, a `Tensor` of type float16, float32 or float64.
      output_dtype: The `DType` of the samples: float16, float32, float64, int32 or int64.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `output_dtype` and shape `shape`; NaN (0 in integers) where a probability is NaN.

    Raises:
      TypeError: A type is not allowed.
      tf.errors.InvalidArgumentError: At run time, the shapes do not fit.
    """
    with name_scope(name, "stateless_random_binomial", [shape, seed, counts, probs]):
        probs = convert_to_tensor(probs, preferred_dtype=dtypes.float32, name="probs")
        counts = convert_to_tensor(counts, preferred_dtype=probs.dtype, name="counts")
        return StatelessRandomBinomial(shape_tensor(shape), seed, counts, probs, dtype=output_dtype)
