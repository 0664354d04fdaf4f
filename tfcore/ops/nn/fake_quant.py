"""Fake quantization: networks that are trained to be quantized round their numbers, but not their gradients."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described

_LEVELS = ["num_bits: int = 8", "narrow_range: bool = false"]
_ARGS = ["min: float = -6.0", "max: float = 6.0", *_LEVELS]
_VARS = ["inputs: float", "min: float", "max: float"]
_BACKPROPS = ["backprops_wrt_input: float", "backprop_wrt_min: float", "backprop_wrt_max: float"]


def _vars_shape(op):
    for end in op.inputs[-2:]:
        shapes.with_rank(end.dims, 0)
    return [op.inputs[0].dims]


def _vars_gradient_shape(op):
    _vars_shape(op)
    return [shapes.merge(op.inputs[0].dims, op.inputs[1].dims), (), ()]


def _merge_channels(dims, op):
    """The dims with what is known of the number of channels from the range, and this number."""
    shapes.with_rank_at_least(dims, 1)
    channels = None if dims is None else dims[-1]
    for end in op.inputs[-2:]:
        channels = shapes.merge_dim(channels, shapes.with_rank(end.dims, 1)[0])
    return dims if dims is None else (*dims[:-1], channels), channels


def _channels_shape(op):
    return [_merge_channels(op.inputs[0].dims, op)[0]]


def _channels_gradient_shape(op):
    for t in op.inputs[:2]:
        shapes.with_rank_at_most(shapes.with_rank_at_least(t.dims, 1), 4)
    dims, channels = _merge_channels(shapes.merge(op.inputs[0].dims, op.inputs[1].dims), op)
    return [dims, (channels,), (channels,)]


FakeQuantWithMinMaxArgs = define_op(
    "FakeQuantWithMinMaxArgs",
    inputs=["inputs: float"],
    outputs=["outputs: float"],
    attrs=_ARGS,
    shape=shapes.unchanged,
    doc="Numbers rounded to the levels of a range.",
)
FakeQuantWithMinMaxArgsGradient = define_op(
    "FakeQuantWithMinMaxArgsGradient",
    inputs=["gradients: float", "inputs: float"],
    outputs=["backprops: float"],
    attrs=_ARGS,
    shape=shapes.unchanged,
    doc="The gradients where inputs are in the range, 0 elsewhere.",
)
FakeQuantWithMinMaxVars = define_op(
    "FakeQuantWithMinMaxVars",
    inputs=_VARS,
    outputs=["outputs: float"],
    attrs=_LEVELS,
    shape=_vars_shape,
    doc="Numbers rounded to the levels of a range.",
)
FakeQuantWithMinMaxVarsGradient = define_op(
    "FakeQuantWithMinMaxVarsGradient",
    inputs=["gradients: float", *_VARS],
    outputs=_BACKPROPS,
    attrs=_LEVELS,
    shape=_vars_gradient_shape,
    doc="The gradients where inputs are in the range, and their sums below and above it.",
)
FakeQuantWithMinMaxVarsPerChannel = define_op(
    "FakeQuantWithMinMaxVarsPerChannel",
    inputs=_VARS,
    outputs=["outputs: float"],
    attrs=_LEVELS,
    shape=_channels_shape,
    doc="Numbers rounded to the levels of a range for each element of the last dimension.",
)
FakeQuantWithMinMaxVarsPerChannelGradient = define_op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    inputs=["gradients: float", *_VARS],
    outputs=_BACKPROPS,
    attrs=_LEVELS,
    shape=_channels_gradient_shape,
    doc="FakeQuantWithMinMaxVarsGradient with a range for each element of the last dimension.",
)
not_differentiable(
    "FakeQuantWithMinMaxArgsGradient", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient"
)


def _attrs(op):
    return {name: op.get_attr(name) for name in op.op_def.attrs}


@gradient("FakeQuantWithMinMaxArgs")
def _args_grad(op, grad):
    return FakeQuantWithMinMaxArgsGradient(grad, op.inputs[0], **_attrs(op))


@gradient("FakeQuantWithMinMaxVars")
def _vars_grad(op, grad):
    return FakeQuantWithMinMaxVarsGradient(grad, *op.inputs, **_attrs(op))


@gradient("FakeQuantWithMinMaxVarsPerChannel")
def _channels_grad(op, grad):
    return FakeQuantWithMinMaxVarsPerChannelGradient(grad, *op.inputs, **_attrs(op))


# ---- Public functions


@described(
    FakeQuantWithMinMaxArgs,
    example="""
>>> print(sess.run(tf.fake_quant_with_min_max_args([-9.0, 0.0, 0.9, 5.0], min=0, max=3, num_bits=2)))
[0. 0. 1. 3.]
""",
)
def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Rounds numbers to the levels of a range, as quantization does, and clips them to it.

    The range has 2**num_bits levels of equal distance, or one less if `narrow_range` is true; it is moved a little so
    that zero is a level. Gradients pass where inputs are in the range. After B. Jacob et al., "Quantization and
    training of neural networks for efficient integer-arithmetic-only inference", CVPR 2018.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `min` is not below `max` or `num_bits` is not in [2, 16].
    """
    return FakeQuantWithMinMaxArgs(inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)


@described(FakeQuantWithMinMaxArgsGradient)
def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """The gradient of `fake_quant_with_min_max_args`: that of its output where inputs are in the range, 0 elsewhere.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the shapes differ, `min` is not below `max` or `num_bits` is not in
        [2, 16].
    """
    return FakeQuantWithMinMaxArgsGradient(
        gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


@described(
    FakeQuantWithMinMaxVars,
    example="""
>>> print(sess.run(tf.fake_quant_with_min_max_vars([-9.0, 0.9, 5.0], tf.constant(0.0), 3.0, num_bits=2)))
[0. 1. 3.]
""",
    shapes={"min": "scalar", "max": "scalar"},
)
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """`fake_quant_with_min_max_args` with a range that can be trained.

    If `min` and `max` are both zero, so is the result, and gradients pass unchanged.

    Raises:
      ValueError: `min` or `max` is not a scalar.
      tf.errors.InvalidArgumentError: At run time, `num_bits` is not in [2, 16].
    """
    return FakeQuantWithMinMaxVars(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)


@described(FakeQuantWithMinMaxVarsGradient, shapes={"min": "scalar", "max": "scalar"})
def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradients of `fake_quant_with_min_max_vars`: for the inputs, and for both ends of the range.

    The gradient of an end is the sum of the gradients of all inputs that are clipped to it.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together or `num_bits` is not in [2, 16].
    """
    return FakeQuantWithMinMaxVarsGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


@described(
    FakeQuantWithMinMaxVarsPerChannel,
    example="""
>>> print(sess.run(tf.fake_quant_with_min_max_vars_per_channel([[0.9, 0.9], [5.0, 5.0]], [0.0, 0.0], [3.0, 6.0], 2)))
[[1. 0.]
 [3. 6.]]
""",
    shapes={"inputs": "[..., channels]", "min": "[channels]", "max": "[channels]"},
)
def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """`fake_quant_with_min_max_vars` with a range for each element of the last dimension.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together or `num_bits` is not in [2, 16].
    """
    return FakeQuantWithMinMaxVarsPerChannel(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)


@described(
    FakeQuantWithMinMaxVarsPerChannelGradient,
    shapes={"inputs": "[..., channels]", "min": "[channels]", "max": "[channels]"},
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """The gradients of `fake_quant_with_min_max_vars_per_channel`, as `fake_quant_with_min_max_vars_gradient` has them.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together or `num_bits` is not in [2, 16].
    """
    return FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )
