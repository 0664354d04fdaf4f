"""The base class of layers with a kernel and a bias."""

from tfcore.layers import settings
from tfcore.layers.base import Layer


class KernelLayer(Layer):
    """A layer that applies a kernel, adds a bias and calls an activation function; keeps the settings of these."""

    def __init__(
        self,
        activation,
        use_bias,
        kernel_initializer,
        bias_initializer,
        kernel_regularizer,
        bias_regularizer,
        activity_regularizer,
        kernel_constraint,
        bias_constraint,
        trainable,
        name,
        **kwargs,
    ):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.activation = settings.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = settings.initializer(kernel_initializer)
        self.bias_initializer = settings.initializer(bias_initializer)
        self.kernel_regularizer = settings.regularizer(kernel_regularizer)
        self.bias_regularizer = settings.regularizer(bias_regularizer)
        self.kernel_constraint = settings.constraint(kernel_constraint)
        self.bias_constraint = settings.constraint(bias_constraint)
        self.kernel = self.bias = None

    def _add_kernel(self, shape):
        self.kernel = self.add_weight(
            "kernel", shape, None, self.kernel_initializer, self.kernel_regularizer, constraint=self.kernel_constraint
        )

    def _add_bias(self, size):
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [size], None, self.bias_initializer, self.bias_regularizer, constraint=self.bias_constraint
            )

    def _activated(self, outputs):
        return outputs if self.activation is None else self.activation(outputs)
