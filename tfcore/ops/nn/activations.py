"""Activation functions of neural networks."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor

_REALS = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
_FLOATS = "half, bfloat16, float, double"
_ALPHA = "alpha: float = 0.2"


def _define(name, types, doc, attrs=()):
    default = " = DT_FLOAT" if attrs else ""
    return define_op(
        name,
        inputs=["features: T"],
        outputs=["activations: T"],
        attrs=[*attrs, f"T: {{{types}}}{default}"],
        shape=shapes.unchanged,
        doc=doc,
    )


def _define_grad(name, types, doc, second="features", attrs=()):
    default = " = DT_FLOAT" if attrs else ""
    return define_op(
        name,
        inputs=["gradients: T", f"{second}: T"],
        outputs=["backprops: T"],
        attrs=[*attrs, f"T: {{{types}}}{default}"],
        shape=shapes.merge_all,
        doc=doc,
    )


Relu = _define("Relu", _REALS, "max(features, 0).")
Relu6 = _define("Relu6", _REALS, "min(max(features, 0), 6).")
LeakyRelu = _define("LeakyRelu", _FLOATS, "features where positive, else alpha * features.", [_ALPHA])
Elu = _define("Elu", _FLOATS, "features where positive, else exp(features) - 1.")
Selu = _define("Selu", _FLOATS, "Scaled elu: scale * (features where positive, else alpha * (exp(features) - 1)).")
Softplus = _define("Softplus", _FLOATS, "log(exp(features) + 1).")
Softsign = _define("Softsign", _FLOATS, "features / (|features| + 1).")
ReluGrad = _define_grad("ReluGrad", _REALS, "gradients where features > 0, else 0.")
Relu6Grad = _define_grad("Relu6Grad", _REALS, "gradients where 0 < features < 6, else 0.")
LeakyReluGrad = _define_grad(
    "LeakyReluGrad", _FLOATS, "gradients where features > 0, else alpha * gradients.", attrs=[_ALPHA]
)
EluGrad = _define_grad("EluGrad", _FLOATS, "gradients * (outputs + 1) where outputs < 0, else gradients.", "outputs")
SeluGrad = _define_grad("SeluGrad", _FLOATS, "The gradient of Selu from its outputs.", "outputs")
SoftplusGrad = _define_grad("SoftplusGrad", _FLOATS, "gradients / (exp(-features) + 1).")
SoftsignGrad = _define_grad("SoftsignGrad", _FLOATS, "gradients / (1 + |features|)^2.")


# ---- Gradients.


def _zeros_like(x):
    return get_op_def("ZerosLike")(x)


@gradient("Relu")
def _relu_grad(op, grad):
    return ReluGrad(grad, op.outputs[0])


@gradient("ReluGrad")
def _relu_grad_grad(op, grad):
    x = op.inputs[1]
    return ReluGrad(grad, x), _zeros_like(x)


@gradient("Relu6")
def _relu6_grad(op, grad):
    return Relu6Grad(grad, op.outputs[0])


@gradient("Relu6Grad")
def _relu6_grad_grad(op, grad):
    x = op.inputs[1]
    return Relu6Grad(grad, x), _zeros_like(x)


@gradient("LeakyRelu")
def _leaky_relu_grad(op, grad):
    return LeakyReluGrad(grad, op.inputs[0], alpha=op.get_attr("alpha"))


@gradient("LeakyReluGrad")
def _leaky_relu_grad_grad(op, grad):
    x = op.inputs[1]
    return LeakyReluGrad(grad, x, alpha=op.get_attr("alpha")), _zeros_like(x)


@gradient("Elu")
def _elu_grad(op, grad):
    return EluGrad(grad, op.outputs[0])


def _grad_where_negative(op, grad):
    """The derivative by outputs of gradients * (outputs + c) where outputs < 0."""
    gradients, outputs = op.inputs
    zeros = _zeros_like(outputs)
    return get_op_def("Select")(outputs < zeros, grad * gradients, zeros)


@gradient("EluGrad")
def _elu_grad_grad(op, grad):
    return EluGrad(grad, op.inputs[1]), _grad_where_negative(op, grad)


@gradient("Selu")
def _selu_grad(op, grad):
    return SeluGrad(grad, op.outputs[0])


@gradient("SeluGrad")
def _selu_grad_grad(op, grad):
    return SeluGrad(grad, op.inputs[1]), _grad_where_negative(op, grad)


@gradient("Softplus")
def _softplus_grad(op, grad):
    return SoftplusGrad(grad, op.inputs[0])


@gradient("SoftplusGrad")
def _softplus_grad_grad(op, grad):
    gradients, x = op.inputs
    y = get_op_def("Sigmoid")(x)
    return SoftplusGrad(grad, x), grad * gradients * y * (1.0 - y)


@gradient("Softsign")
def _softsign_grad(op, grad):
    return SoftsignGrad(grad, op.inputs[0])


@gradient("SoftsignGrad")
def _softsign_grad_grad(op, grad):
    x = op.inputs[1]
    by_x = -2.0 * op.outputs[0] * get_op_def("Sign")(x) / (1.0 + get_op_def("Abs")(x))
    return SoftsignGrad(grad, x), grad * by_x


# ---- The public functions.


@described(
    Relu,
    example="""
    >>> print(sess.run(tf.nn.relu([-2.0, 0.0, 3.0, 8.0])))
    [0. 0. 3. 8.]
    """,
)
def relu(features, name=None):
    """Rectified linear unit: max(features, 0)."""
    return Relu(features, name=name)


@described(
    Relu6,
    example="""
    >>> print(sess.run(tf.nn.relu6([-2.0, 0.0, 3.0, 8.0])))
    [0. 0. 3. 6.]
    """,
)
def relu6(features, name=None):
    """Rectified linear unit with a ceiling of 6: min(max(features, 0), 6)."""
    with name_scope(name, "Relu6", [features]) as scope:
        return Relu6(convert_to_tensor(features, name="features"), name=scope)


def crelu(features, name=None, axis=-1):
    """Concatenates relu(features) and relu(-features).

    Source: W. Shang et al., "Understanding and Improving Convolutional Neural Networks via Concatenated Rectified
    Linear Units", ICML 2016.

    Args:
      features: A `Tensor` of a real numeric type.
      name: Name of the operation (optional).
      axis: The dimension to concatenate along; the last by default.

    Returns:
      A `Tensor` of the type of `features`, twice as large along `axis`.

    Raises:
      TypeError: `features` is not real.
      ValueError: `axis` is out of range.
    """
    with name_scope(name, "CRelu", [features]) as scope:
        from tfcore.ops.array.join import concat

        features = convert_to_tensor(features, name="features")
        return relu(concat([features, -features], axis, name=scope))


@described(
    LeakyRelu,
    example="""
    >>> print(sess.run(tf.nn.leaky_relu([-2.0, 0.0, 3.0], alpha=0.1)))
    [-0.2  0.   3. ]
    """,
)
def leaky_relu(features, alpha=0.2, name=None):
    """Leaky rectified linear unit: features where positive, else alpha * features.

    Integers are cast to float32. `alpha` may also be a `Tensor`; the result is then max(alpha * features, features).

    Source: A. L. Maas et al., "Rectifier Nonlinearities Improve Neural Network Acoustic Models", ICML 2013.
    """
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = get_op_def("Cast")(features, "float32")
        if isinstance(alpha, (int, float)):
            return LeakyRelu(features, alpha=alpha, name=scope)
        alpha = convert_to_tensor(alpha, dtype=features.dtype, name="alpha")
        return get_op_def("Maximum")(alpha * features, features, name=scope)


@described(
    Elu,
    example="""
    >>> print(np.round(sess.run(tf.nn.elu([-2.0, 0.0, 3.0])), 3))
    [-0.865  0.     3.   ]
    """,
)
def elu(features, name=None):
    """Exponential linear unit: features where positive, else exp(features) - 1.

    Source: D.-A. Clevert et al., "Fast and Accurate Deep Network Learning by Exponential Linear Units (ELUs)", ICLR
    2016.
    """
    return Elu(features, name=name)


@described(
    Selu,
    example="""
    >>> print(np.round(sess.run(tf.nn.selu([-2.0, 0.0, 3.0])), 3))
    [-1.52   0.     3.152]
    """,
)
def selu(features, name=None):
    """Scaled exponential linear unit: scale * (features where positive, else alpha * (exp(features) - 1)).

    scale = 1.0507 and alpha = 1.6733 keep activations near mean 0 and variance 1 from layer to layer.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", NIPS 2017.
    """
    return Selu(features, name=name)


@described(
    Softplus,
    example="""
    >>> print(np.round(sess.run(tf.nn.softplus([-2.0, 0.0, 3.0])), 3))
    [0.127 0.693 3.049]
    """,
)
def softplus(features, name=None):
    """Smooth approximation of relu: log(exp(features) + 1)."""
    return Softplus(features, name=name)


@described(Softsign)
def softsign(features, name=None):
    """Softsign: features / (abs(features) + 1)."""
    return Softsign(features, name=name)


def swish(features, beta=1.0):
    """Computes features * sigmoid(beta * features).

    Source: P. Ramachandran et al., "Searching for Activation Functions", 2017. `tf.nn.silu` is another name.

    Args:
      features: A `Tensor` of a floating-point or complex type.
      beta: A number or `Tensor` that broadcasts to `features`.

    Returns:
      A `Tensor` of the type and shape of `features`.

    Raises:
      TypeError: `features` has an integer type.
    """
    features = convert_to_tensor(features, name="features")
    if isinstance(beta, (int, float)) and beta == 1:
        return features * get_op_def("Sigmoid")(features)
    beta = get_op_def("Cast")(beta, DstT=features.dtype)
    return features * get_op_def("Sigmoid")(beta * features)


silu = swish
