"""Generalized divisive normalization."""

from tfcore.framework.definitions.op_def import RegisterGradient
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.base import Layer
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones
from tfcore.ops.array.diag import eye
from tfcore.ops.conv.conv import conv2d
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import logical_or
from tfcore.ops.cwise.unary import sqrt, square
from tfcore.ops.nn.basic import bias_add


@RegisterGradient("GDNLowerBound")
def _lower_bound_grad(op, grad):
    """Lets gradients through that lead back above the bound."""
    inputs, bound = op.inputs
    passes = logical_or(inputs >= bound, grad < 0)
    return [cast(passes, grad.dtype) * grad, None]


def _lower_bound(inputs, bound):
    with name_scope(None, "GDNLowerBound", [inputs, bound]) as scope:
        with get_default_graph().gradient_override_map({"Maximum": "GDNLowerBound"}):
            return maximum(inputs, bound, name=scope)


class GDN(Layer):
    """Generalized divisive normalization: y[i] = x[i] / sqrt(beta[i] + sum_j(gamma[j, i] * x[j]^2)) over the channels.

    Source: J. Balle, V. Laparra and E. P. Simoncelli, "Density Modeling of Images using a Generalized Normalization
    Transformation", ICLR 2016.

    Args:
      inverse: Whether to multiply instead of dividing.
      beta_min: A float: the least value of beta, which keeps the result finite.
      gamma_init: A float: the initial value of the diagonal of gamma.
      reparam_offset: A small float that keeps gradients from vanishing: the variables are the square roots of beta and
        gamma, plus its square.
      data_format: "channels_last" or "channels_first".
      activity_regularizer: A function of the output that returns a loss.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `tf.layers.Layer`, such as `dtype`.
    """

    def __init__(
        self,
        inverse=False,
        beta_min=1e-6,
        gamma_init=0.1,
        reparam_offset=2**-18,
        data_format="channels_last",
        activity_regularizer=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.inverse = inverse
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._reparam_offset = reparam_offset
        self.data_format = data_format
        if data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self._channel_axis = 1 if data_format == "channels_first" else -1
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def build(self, input_shape):
        shape = TensorShape(input_shape)
        channels = shape.as_list()[self._channel_axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self.input_spec = InputSpec(ndim=shape.ndims, axes={self._channel_axis: channels})
        pedestal = self._reparam_offset**2
        beta = self.add_weight(
            "reparam_beta", [channels], initializer=lambda shape, dtype=None: sqrt(ones(shape, dtype) + pedestal)
        )
        gamma = self.add_weight(
            "reparam_gamma",
            [channels, channels],
            initializer=lambda shape, dtype=None: sqrt(self._gamma_init * eye(shape[0], dtype=dtype) + pedestal),
        )
        beta_bound = constant((self._beta_min + pedestal) ** 0.5, self._dtype)
        self.beta = square(_lower_bound(beta, beta_bound)) - pedestal
        self.gamma = square(_lower_bound(gamma, constant(self._reparam_offset, self._dtype))) - pedestal
        self.built = True

    def call(self, inputs):
        channels = self.beta.shape.as_list()[0]
        sizes = array.shape(inputs)
        if self._channel_axis == 1:  # all images as one column
            image, layout = array.reshape(square(inputs), [sizes[0], channels, -1, 1]), "NCHW"
        else:
            image, layout = array.reshape(square(inputs), [-1, 1, 1, channels]), "NHWC"
        kernel = array.reshape(self.gamma, [1, 1, channels, channels])
        sums = conv2d(image, kernel, strides=[1, 1, 1, 1], padding="VALID", data_format=layout)
        norm = array.reshape(sqrt(bias_add(sums, self.beta, data_format=layout)), sizes)
        outputs = inputs * norm if self.inverse else inputs / norm
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape):
        shape = TensorShape(input_shape)
        if shape.ndims is None or not 3 <= shape.ndims <= 5:
            raise ValueError("`input_shape` must be of rank 3 to 5, inclusive.")
        if shape.as_list()[self._channel_axis] is None:
            raise ValueError("The channel dimension of `input_shape` must be defined.")
        return shape


def gdn(
    inputs,
    inverse=False,
    beta_min=1e-6,
    gamma_init=0.1,
    reparam_offset=2**-18,
    data_format="channels_last",
    activity_regularizer=None,
    trainable=True,
    name=None,
    reuse=None,
):
    """Generalized divisive normalization, as a function; see `GDN`.

    Args:
      inputs: A `Tensor` of rank 3 to 5, of a floating-point type.
      inverse: Whether to multiply instead of dividing.
      beta_min: A float: the least value of beta, which keeps the result finite.
      gamma_init: A float: the initial value of the diagonal of gamma.
      reparam_offset: A small float that keeps gradients from vanishing.
      data_format: "channels_last" or "channels_first".
      activity_regularizer: A function of the output that returns a loss.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      reuse: Whether to reuse existing variables of that name.

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The rank does not fit, the number of channels is not known, or `data_format` is not valid.
    """
    inputs = convert_to_tensor(inputs)
    layer = GDN(
        inverse, beta_min, gamma_init, reparam_offset, data_format, activity_regularizer, trainable, name,
        dtype=inputs.dtype.base_dtype, _scope=name, _reuse=reuse,
    )  # fmt: skip
    return layer.apply(inputs)
