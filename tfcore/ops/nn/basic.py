"""Basic parts of neural networks: linear layers, dropout, l2_loss, in_top_k, zero_fraction; check_numerics."""

import numbers

import tfcore.ops.array.array as array_ops
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.linalg.matmul as matmul
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.nn.bias import bias_add

_FLOATS = "half, bfloat16, float, double"


L2Loss = define_op(
    "L2Loss",
    inputs=["t: T"],
    outputs=["output: T"],
    attrs=[f"T: {{{_FLOATS}}}"],
    shape=shapes.scalar,
    doc="""sum(t ** 2) / 2""",
)
CheckNumerics = define_op(
    "CheckNumerics",
    inputs=["tensor: T"],
    outputs=["output: T"],
    attrs=[f"T: {{{_FLOATS}}}", "message: string"],
    shape=shapes.unchanged,
    stateful=True,
    doc="""The tensor, after a check that it holds no NaN and no infinity.""",
)


def _in_top_k_shape(op):
    predictions, targets = shapes.with_rank(op.inputs[0].dims, 2), shapes.with_rank(op.inputs[1].dims, 1)
    if len(op.inputs) > 2:
        shapes.with_rank(op.inputs[2].dims, 0)
    return [(shapes.merge_dim(predictions[0], targets[0]),)]


InTopK = define_op(
    "InTopK",
    inputs=["predictions: float", "targets: T"],
    outputs=["precision: bool"],
    attrs=["k: int", "T: {int32, int64} = DT_INT32"],
    shape=_in_top_k_shape,
    doc="""Whether each row's target is among the k largest predictions of the row.""",
)
InTopKV2 = define_op(
    "InTopKV2",
    inputs=["predictions: float", "targets: T", "k: T"],
    outputs=["precision: bool"],
    attrs=["T: {int32, int64} = DT_INT32"],
    shape=_in_top_k_shape,
    doc="""Whether each row's target is among the k largest predictions of the row.""",
)

not_differentiable("InTopK", "InTopKV2")


# ---- Gradients.


@gradient("L2Loss")
def _l2_loss_grad(op, grad):
    return op.inputs[0] * grad


@gradient("CheckNumerics")
def _check_numerics_grad(op, grad):
    text = b"Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return CheckNumerics(grad, text + op.get_attr("message"))


# ---- The public functions.


def xw_plus_b(x, weights, biases, name=None):
    """A linear layer: matmul(x, weights) + biases.

    Args:
      x: A `Tensor` of shape [batch, in].
      weights: A `Tensor` of the type of `x` and shape [in, out].
      biases: A `Tensor` of the type of `x` and shape [out].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x` and shape [batch, out].

    Raises:
      TypeError: The types differ.
      ValueError: The static shapes don't fit together.

    Example:

    >>> print(sess.run(tf.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5])))
    [[11.5]]
    """
    return _layer("xw_plus_b", x, weights, biases, name, lambda y, b, scope: bias_add(y, b, name=scope))


def relu_layer(x, weights, biases, name=None):
    """A linear layer with rectifier: relu(matmul(x, weights) + biases).

    Args:
      x: A `Tensor` of shape [batch, in].
      weights: A `Tensor` of the type of `x` and shape [in, out].
      biases: A `Tensor` of the type of `x` and shape [out].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x` and shape [batch, out].

    Raises:
      TypeError: The types differ.
      ValueError: The static shapes don't fit together.
    """
    relu = get_op_def("Relu")
    return _layer("relu_layer", x, weights, biases, name, lambda y, b, scope: relu(bias_add(y, b), name=scope))


def _layer(default_name, x, weights, biases, name, finish):
    with name_scope(name, default_name, [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name="x"), convert_to_tensor(weights, name="weights")
        return finish(matmul.matmul(x, weights), convert_to_tensor(biases, name="biases"), scope)


@described(
    L2Loss,
    example="""
>>> print(sess.run(tf.nn.l2_loss([3.0, 4.0])))
12.5
""",
    shapes={
        "t": "of any shape",
        "output": "a scalar",
    },
)
def l2_loss(t, name=None):
    """Half the squared L2 norm: sum(t ** 2) / 2."""
    return L2Loss(t, name=name)


@described(
    InTopKV2,
    example="""
>>> print(sess.run(tf.nn.in_top_k([[0.1, 0.8, 0.1], [0.6, 0.3, 0.1]], [1, 2], 1)))
[ True False]
""",
    shapes={
        "predictions": "[batch, classes]",
        "targets": "[batch]",
        "k": "a scalar",
        "precision": "[batch]",
    },
)
def in_top_k(predictions, targets, k, name=None):
    """Whether each row's target is among its k largest predictions; ties count as being among them."""
    with name_scope(name, "in_top_k") as scope:
        return InTopKV2(predictions, targets, k, name=scope)


def zero_fraction(value, name=None):
    """The fraction of the elements that are zero, a measure of how sparse activations are.

    Args:
      value: A `Tensor` of a numeric type and any shape.
      name: Name of the scope (optional).

    Returns:
      A float32 scalar; NaN if there are no elements.

    Raises:
      TypeError: The type is not numeric.

    Example:

    >>> print(sess.run(tf.nn.zero_fraction([0.0, 2.0, 0.0, 1.0])))
    0.5
    """
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        size = array_ops.size(value, out_type=dtypes.int64)
        with name_scope("counts_to_fraction"):
            zeros = size - reduce_ops.count_nonzero(value)
            fraction = cast_ops.cast(zeros, dtypes.float32) / cast_ops.cast(size, dtypes.float32)
        return array_ops.identity(fraction, "fraction")


@described(
    CheckNumerics,
    example="""
>>> try:
...     sess.run(tf.check_numerics(float("inf") * tf.ones([2]), "bad input"))
... except tf.errors.InvalidArgumentError as error:
...     print("bad input" in error.message)
True
""",
    shapes={
        "tensor": "of any shape",
        "output": "of the shape of `tensor`",
    },
)
def check_numerics(tensor, message, name=None):
    """The tensor, after a check that it holds no NaN and no infinity.

    Raises:
      tf.errors.InvalidArgumentError: At run time, it does; the error begins with `message`.
    """
    return CheckNumerics(tensor, message, name=name)


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Sets elements to 0 with probability `rate`, and scales the others by 1 / (1 - rate).

    The expected sum stays the same, so no scaling is needed at inference.

    Source: N. Srivastava et al., "Dropout: A simple way to prevent neural networks from overfitting", JMLR 2014.

    Args:
      x: A `Tensor` of a floating-point type.
      keep_prob: The probability that an element is kept: 1 - rate. Old form of `rate`.
      noise_shape: Shape of the random choice, which broadcasts to that of `x`: [batch, 1, 1, channels] keeps or drops
        whole channels.
      seed: Seed of the random numbers, an int.
      name: Name of the scope (optional).
      rate: The probability that an element is dropped, a number in [0, 1) or a scalar `Tensor`.

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: Neither or both of `rate` and `keep_prob` are given, the rate is outside of [0, 1), or `x` is not of a
        floating-point type.

    Example:

    >>> y = sess.run(tf.nn.dropout(tf.ones([1000]), rate=0.5, seed=1))
    >>> print(sorted({float(v) for v in y}))
    [0.0, 2.0]
    """
    if rate is not None and keep_prob is not None and rate is not keep_prob:
        raise ValueError("Cannot specify both `keep_prob` and `rate`")
    if rate is None and keep_prob is None:
        raise ValueError("You must provide a rate to dropout.")
    return dropout_v2(x, rate if keep_prob is None else 1.0 - keep_prob, noise_shape, seed, name)


def dropout_v2(x, rate, noise_shape=None, seed=None, name=None):
    """dropout with `rate`, the probability of being dropped."""
    from tfcore.ops.random.random import random_uniform

    def sample(shape, dtype):
        return random_uniform(shape, seed=seed, dtype=dtype)

    return dropped(x, rate, noise_shape, sample, name, "dropout")


def dropped(x, rate, noise_shape, sample, name, default_name):
    """Dropout with random numbers of `sample(shape=..., dtype=...)`, uniform in [0, 1)."""
    with name_scope(name, default_name, [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor instead."
            )
        if isinstance(rate, numbers.Real):
            if not 0 <= rate < 1:
                raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}")
            if rate == 0:
                return x
            scale = 1.0 / (1.0 - float(rate))
        else:
            rate = convert_to_tensor(rate, dtype=x.dtype, name="rate")
            shapes.merge(rate.dims, ())
            if constant_value(rate) == 0:
                return x
            scale = 1.0 / (1.0 - rate)
        noise = sample(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
        # The noise is uniform in [0, 1), so that an element is dropped with probability `rate` exactly.
        keep = get_op_def("Cast")(noise >= rate, x.dtype)
        result = x * scale * keep
        result.set_shape(x.shape)
        return result


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        return array_ops.shape(x)
    if hasattr(noise_shape, "op"):
        return noise_shape
    dims = list(noise_shape)
    if None in dims:  # take these sizes from x
        if x.dims is None or len(x.dims) != len(dims):
            return noise_shape
        dims = [have if want is None else want for have, want in zip(x.dims, dims)]
    return dims
