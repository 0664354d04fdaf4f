"""Normalizing flows: bijectors of vectors whose elements shift and scale others, and functions that say how."""

import numpy as np

from tfcore.distributions.bijectors.bijector import ConditionalBijector
from tfcore.framework.graph.graph import name_scope
from tfcore.layers.core import Dense, dense
from tfcore.ops.array.array import reshape, shape, stop_gradient
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.array.join import concat, split, unstack
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.clip import clip_by_value
from tfcore.ops.cwise.unary import exp
from tfcore.ops.nn.activations import relu
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.variables.initializers import glorot_normal_initializer
from tfcore.variables.template import make_template


def _depth(x):
    depth = x.shape.with_rank_at_least(1).as_list()[-1]
    if depth is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    return depth


def _shifted_and_scaled(x, shift, log_scale):
    x = x if log_scale is None else x * exp(log_scale)
    return x if shift is None else x + shift


def _undone(y, shift, log_scale):
    y = y if shift is None else y - shift
    return y if log_scale is None else y * exp(-log_scale)


class MaskedAutoregressiveFlow(ConditionalBijector):
    """y[i] = x[i] * exp(log_scale[i]) + shift[i], where these are a function of y[0], ..., y[i - 1].

    The inverse takes one call of the function, `forward` one for each element.

    Args:
      shift_and_log_scale_fn: A function of y that gives shift and log_scale, either of which may be None; for example
        `masked_autoregressive_default_template`.
      is_constant_jacobian: Whether log_scale is the same everywhere.
      validate_args: Accepted for compatibility; has no effect.
      unroll_loop: Whether the graph of `forward` has a copy of the function for each element instead of a loop.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self, shift_and_log_scale_fn, is_constant_jacobian=False, validate_args=False, unroll_loop=False, name=None
    ):
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _forward(self, x, **condition_kwargs):
        def step(y):
            return _shifted_and_scaled(x, *self._shift_and_log_scale_fn(y, **condition_kwargs))

        size, y = x.shape.with_rank_at_least(1).as_list()[-1], zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if `unroll_loop=True`. "
                    f"`x.shape: {x.shape}`"
                )
            for _ in range(size):
                y = step(y)
            return y
        self._shift_and_log_scale_fn(y, **condition_kwargs)  # makes variables outside of the loop
        count = shape(x)[-1] if size is None else size
        _, y = while_loop(
            lambda i, y: i < count, lambda i, y: (i + 1, step(y)), (0, y), maximum_iterations=size
        )  # fmt: skip
        return y

    def _inverse(self, y, **condition_kwargs):
        return _undone(y, *self._shift_and_log_scale_fn(y, **condition_kwargs))

    def _inverse_log_det_jacobian(self, y, **condition_kwargs):
        log_scale = self._shift_and_log_scale_fn(y, **condition_kwargs)[1]
        return zeros([], dtype=y.dtype, name="ildj") if log_scale is None else -reduce_sum(log_scale, -1)


class RealNVP(ConditionalBijector):
    """Keeps the first num_masked elements; they determine the shift and scale of the others.

    y1 = x1 * exp(log_scale) + shift.

    Args:
      num_masked: How many elements are left as they are, a positive int.
      shift_and_log_scale_fn: A function of these elements and of the number of the others, which gives shift and
        log_scale, either of which may be None; for example `real_nvp_default_template`.
      is_constant_jacobian: Whether log_scale is the same everywhere.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `num_masked` is not positive.
    """

    def __init__(self, num_masked, shift_and_log_scale_fn, is_constant_jacobian=False, validate_args=False, name=None):
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._input_depth = None
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _parts(self, value, condition_kwargs):
        """The elements that are left, the others, and their shift and log_scale."""
        depth = _depth(value)
        if self._input_depth is None:
            if self._num_masked >= depth:
                raise ValueError("Number of masked units must be smaller than the event size.")
            self._input_depth = depth
        left, others = value[..., : self._num_masked], value[..., self._num_masked :]
        return left, others, self._shift_and_log_scale_fn(left, depth - self._num_masked, **condition_kwargs)

    def _forward(self, x, **condition_kwargs):
        left, others, parameters = self._parts(x, condition_kwargs)
        return concat([left, _shifted_and_scaled(others, *parameters)], -1)

    def _inverse(self, y, **condition_kwargs):
        left, others, parameters = self._parts(y, condition_kwargs)
        return concat([left, _undone(others, *parameters)], -1)

    def _forward_log_det_jacobian(self, x, **condition_kwargs):
        _, _, (_, log_scale) = self._parts(x, condition_kwargs)
        return zeros([], dtype=x.dtype, name="fldj") if log_scale is None else reduce_sum(log_scale, -1)

    def _inverse_log_det_jacobian(self, y, **condition_kwargs):
        _, _, (_, log_scale) = self._parts(y, condition_kwargs)
        return zeros([], dtype=y.dtype, name="ildj") if log_scale is None else -reduce_sum(log_scale, -1)


# ---- Functions that give shifts and scales


def _mask(blocks, inputs, outputs, exclusive):
    """Ones where an output may depend on an input: of the blocks before its own, or also of its own."""
    mask = np.zeros([inputs, outputs], np.float32)
    wide, high = inputs // blocks, outputs // blocks
    for i in range(blocks):
        mask[i * wide : (i + 1) * wide, (i + exclusive) * high :] = 1
    return mask


def masked_dense(inputs, units, num_blocks=None, exclusive=False, kernel_initializer=None, reuse=None, name=None,
                 *args, **kwargs):  # fmt: skip
    """A dense layer whose outputs depend on earlier inputs only, as in MADE.

    Args:
      inputs: A floating-point `Tensor` with a last dimension of a known size.
      units: The number of outputs.
      num_blocks: The number of blocks that inputs and outputs are divided into.
      exclusive: Whether an output does not depend on the inputs of its own block.
      kernel_initializer: Initializer of the weights; `tf.glorot_normal_initializer()` by default.
      reuse: Whether variables of an earlier layer of this name are used.
      name: Name of the layer.
      *args: Arguments of `tf.layers.Dense`.
      **kwargs: Arguments of `tf.layers.Dense`.

    Returns:
      A `Tensor`.

    Raises:
      NotImplementedError: The size of the last dimension is not known.
    """
    mask = _mask(num_blocks, _depth(inputs), units, exclusive)
    initializer = glorot_normal_initializer() if kernel_initializer is None else kernel_initializer

    def masked(sizes, dtype=None, partition_info=None):
        values = initializer(sizes, dtype, partition_info)
        return values * mask.astype(values.dtype.as_numpy_dtype)

    with name_scope(name, "masked_dense", values=[inputs]):
        layer = Dense(
            units,
            *args,
            kernel_initializer=masked,
            kernel_constraint=lambda x: x * mask.astype(x.dtype.as_numpy_dtype),
            name=name,
            dtype=inputs.dtype.base_dtype,
            _scope=name,
            _reuse=reuse,
            **kwargs,
        )
        return layer.apply(inputs)


def masked_autoregressive_default_template(hidden_layers, shift_only=False, activation=relu, log_scale_min_clip=-5.0,
                                           log_scale_max_clip=3.0, log_scale_clip_gradient=False, name=None, *args,
                                           **kwargs):  # fmt: skip
    """A network of masked dense layers (MADE), as a function for `MaskedAutoregressiveFlow`.

    Args:
      hidden_layers: The number of units of each hidden layer, a list of ints.
      shift_only: Whether log_scale is None.
      activation: The activation function of hidden layers, or None.
      log_scale_min_clip: The least log_scale.
      log_scale_max_clip: The greatest log_scale.
      log_scale_clip_gradient: Whether gradients are 0 where log_scale is clipped.
      name: Name of the scope.
      *args: Arguments of `tf.layers.Dense`.
      **kwargs: Arguments of `tf.layers.Dense`.

    Returns:
      A function of a `Tensor` that gives shift and log_scale. Its variables are made in the first call.

    Raises:
      NotImplementedError: In a call: the size of the last dimension is not known.
    """

    def network(x):
        depth, sizes = _depth(x), x.shape.as_list() if x.shape.is_fully_defined() else shape(x)
        for i, units in enumerate(hidden_layers):
            x = masked_dense(x, units, depth, i == 0, None, None, None, *args, activation=activation, **kwargs)
        x = masked_dense(x, (1 if shift_only else 2) * depth, depth, not hidden_layers, None, None, None, *args,
                         activation=None, **kwargs)  # fmt: skip
        if shift_only:
            return reshape(x, sizes), None
        shift, log_scale = unstack(reshape(x, concat([sizes, [2]], 0)), num=2, axis=-1)
        clipped = clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        return shift, clipped if log_scale_clip_gradient else log_scale + stop_gradient(clipped - log_scale)

    with name_scope(name, "masked_autoregressive_default_template"):
        return make_template("masked_autoregressive_default_template", network)


def real_nvp_default_template(hidden_layers, shift_only=False, activation=relu, name=None, *args, **kwargs):
    """A network of dense layers, as a function for `RealNVP`.

    Args:
      hidden_layers: The number of units of each hidden layer, a list of ints.
      shift_only: Whether log_scale is None.
      activation: The activation function of hidden layers, or None.
      name: Name of the scope.
      *args: Arguments of `tf.layers.dense`.
      **kwargs: Arguments of `tf.layers.dense`.

    Returns:
      A function of a `Tensor` and a number of units that gives shift and log_scale. Its variables are made in the first
      call.

    Raises:
      NotImplementedError: In a call: more arguments are given by name.
    """

    def network(x, output_units, **condition_kwargs):
        if condition_kwargs:
            raise NotImplementedError("Conditioning not implemented in the default template.")
        vector = x.shape.ndims == 1
        x = x[None] if vector else x
        for units in hidden_layers:
            x = dense(x, units, activation, *args, **kwargs)
        x = dense(x, (1 if shift_only else 2) * output_units, None, *args, **kwargs)
        x = x[0] if vector else x
        return (x, None) if shift_only else tuple(split(x, 2, axis=-1))

    with name_scope(name, "real_nvp_default_template"):
        return make_template("real_nvp_default_template", network)
