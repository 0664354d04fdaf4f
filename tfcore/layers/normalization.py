"""Batch normalization."""

import operator

import numpy as np

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension, TensorShape
from tfcore.framework.values import constant as constant_ops
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers import settings
from tfcore.layers.base import Layer
from tfcore.layers.docs import documented
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.smart_cond import smart_cond, smart_constant_value
from tfcore.ops.cwise import binary as cwise_binary
from tfcore.ops.cwise import unary as cwise_unary
from tfcore.ops.cwise.cast import cast
from tfcore.ops.nn import fused_batch_norm, normalization
from tfcore.ops.nn.activations import relu
from tfcore.ops.reduce.reduce import reduce_mean
from tfcore.ops.state.state import assign
from tfcore.train.optimizers.moving_averages import assign_moving_average
from tfcore.variables.initializers import Ones, Zeros
from tfcore.variables.variables import VariableAggregation, VariableSynchronization

_ZEROS = Zeros()
_ONES = Ones()


@documented
class BatchNormalization(Layer):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta.

    In training, mean and variance are those of the batch, and operations in the collection UPDATE_OPS update their
    moving averages. The training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_step = optimizer.minimize(loss)

    Otherwise the moving averages are used.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      {normalization}
      {kwargs}
    """

    def __init__(
        self,
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer=_ZEROS,
        gamma_initializer=_ONES,
        moving_mean_initializer=_ZEROS,
        moving_variance_initializer=_ONES,
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        renorm=False,
        renorm_clipping=None,
        renorm_momentum=0.99,
        fused=None,
        trainable=True,
        virtual_batch_size=None,
        adjustment=None,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable=trainable, name=name, **kwargs)
        axis = axis.value if isinstance(axis, Dimension) else axis
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        if not isinstance(axis, (int, np.integer, list, tuple)):
            raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}")
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = settings.initializer(beta_initializer)
        self.gamma_initializer = settings.initializer(gamma_initializer)
        self.moving_mean_initializer = settings.initializer(moving_mean_initializer)
        self.moving_variance_initializer = settings.initializer(moving_variance_initializer)
        self.beta_regularizer = settings.regularizer(beta_regularizer)
        self.gamma_regularizer = settings.regularizer(gamma_regularizer)
        self.beta_constraint = settings.constraint(beta_constraint)
        self.gamma_constraint = settings.constraint(gamma_constraint)
        self.renorm = renorm
        self.renorm_clipping = renorm_clipping or {}
        self.renorm_momentum = renorm_momentum
        unknown = set(self.renorm_clipping) - {"rmin", "rmax", "dmax"}
        if renorm and unknown:
            raise ValueError(
                f"Received invalid keys for `renorm_clipping` argument: {renorm_clipping}. Supported values: "
                "['rmax', 'rmin', 'dmax']."
            )
        self.fused = fused is None or fused
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.beta = self.gamma = None

    # ---- Variables

    def build(self, input_shape):
        shape = TensorShape(input_shape)
        rank = shape.ndims
        if rank is None:
            raise ValueError(f"Input has undefined rank. Received: input_shape={shape}.")
        self.axis = self._positive_axes(rank)
        self._check_virtual_batches()
        plain = not (self.renorm or self.virtual_batch_size is not None or self.adjustment is not None)
        narrow = self._dtype in (None, dtypes.float16, dtypes.bfloat16, dtypes.float32)
        self.fused = self.fused and plain and narrow and rank == 4 and self.axis in ([1], [3])
        sizes = {axis: shape.as_list()[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(
                f"Input has undefined `axis` dimension. Received input with shape {shape} and axis={tuple(self.axis)}"
            )
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            self._param_shape = list(sizes.values())
        else:
            self._param_shape = [sizes.get(axis, 1) for axis in range(rank)]
        if self.virtual_batch_size is not None:  # the batch becomes two dimensions
            self._param_shape.insert(1, 1)
            self.axis = [axis + 1 for axis in self.axis]
        self._add_variables()
        self.built = True

    def _positive_axes(self, rank):
        axes = [operator.index(a) for a in (self.axis if isinstance(self.axis, list) else [self.axis])]
        if any(not -rank <= axis < rank for axis in axes):
            raise ValueError(
                f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank={rank}). "
                f"Received: axis={tuple(axes)}"
            )
        axes = [axis % rank for axis in axes]
        if len(set(axes)) != len(axes):
            raise ValueError(f"Duplicate axis: {tuple(axes)}")
        return axes

    def _check_virtual_batches(self):
        size = self.virtual_batch_size
        if size is None:
            return
        if size <= 0:
            raise ValueError(
                "`virtual_batch_size` must be a positive integer that divides the true batch size of the input tensor. "
                f"Received: virtual_batch_size={size}"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis cannot include 0. "
                f"Received axis={self.axis}"
            )
        if self.adjustment is not None:
            raise ValueError("When using `virtual_batch_size`, adjustment cannot be specified")

    def _add_variables(self):
        if self.scale:
            self.gamma = self._add("gamma", self.gamma_initializer, self.gamma_regularizer, self.gamma_constraint)
        if self.center:
            self.beta = self._add("beta", self.beta_initializer, self.beta_regularizer, self.beta_constraint)
        partitioner = None if self._scope is None else self._scope.partitioner
        if partitioner is not None:  # moving averages are never partitioned
            self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._add_average("moving_mean", self.moving_mean_initializer)
            self.moving_variance = self._add_average("moving_variance", self.moving_variance_initializer)
            if self.renorm:
                self.moving_stddev = self._add_average("moving_stddev", self._initial_stddev)
                self.renorm_mean = self._add_average("renorm_mean", self.moving_mean_initializer)
                self.renorm_stddev = self._add_average("renorm_stddev", self._initial_stddev)
        finally:
            if partitioner is not None:
                self._scope.set_partitioner(partitioner)

    @property
    def _param_dtype(self):
        return dtypes.float32 if self._dtype in (None, dtypes.float16, dtypes.bfloat16) else self._dtype

    def _add(self, name, initializer, regularizer, constraint):
        return self.add_weight(
            name, self._param_shape, self._param_dtype, initializer, regularizer, constraint=constraint
        )

    def _add_average(self, name, initializer):
        return self.add_weight(
            name,
            self._param_shape,
            self._param_dtype,
            initializer,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.MEAN,
        )

    def _initial_stddev(self, shape, dtype=None, partition_info=None):
        return cwise_unary.sqrt(self.moving_variance_initializer(shape, dtype=dtype))

    def compute_output_shape(self, input_shape):
        return TensorShape(input_shape)

    # ---- Normalization

    def call(self, inputs, training=False, mask=None):
        training = settings.condition(training)
        if self.fused:
            return self._fused_call(inputs, training)
        if self.virtual_batch_size is not None:
            sizes = concat([[-1], array.shape(inputs)[1:]], 0)
            parts = concat([[self.virtual_batch_size, -1], array.shape(inputs)[1:]], 0)
            static = inputs.shape
            inputs = array.reshape(inputs, parts)
            inputs.set_shape(TensorShape([self.virtual_batch_size, None]).concatenate(static[1:]))
            outputs = array.reshape(self._normalized(inputs, training), sizes)
            outputs.set_shape(static)
            return outputs
        return self._normalized(inputs, training)

    def _fused_call(self, inputs, training):
        """The fused operation for images, which also applies Bessel's correction to the variance of the batch."""
        gamma = constant_ops.constant(1.0, dtypes.float32, self._param_shape) if self.gamma is None else self.gamma
        beta = constant_ops.constant(0.0, dtypes.float32, self._param_shape) if self.beta is None else self.beta

        def normalize(**arguments):
            return fused_batch_norm.fused_batch_norm(
                inputs,
                gamma,
                beta,
                epsilon=self.epsilon,
                data_format="NHWC" if self.axis == [3] else "NCHW",
                **arguments,
            )

        outputs, mean, variance = smart_cond(
            training,
            lambda: normalize(is_training=True),
            lambda: normalize(mean=self.moving_mean, variance=self.moving_variance, is_training=False),
        )
        if smart_constant_value(training) is not False:
            momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0)
            self.add_update(lambda: self._move(self.moving_mean, mean, momentum))
            self.add_update(lambda: self._move(self.moving_variance, variance, momentum))
        return outputs

    def _move(self, variable, value, decay):
        return assign_moving_average(variable, value, decay, zero_debias=False)

    def _normalized(self, inputs, training):
        given, rank = inputs.dtype.base_dtype, inputs.shape.ndims
        if given in (dtypes.float16, dtypes.bfloat16):
            inputs = cast(inputs, dtypes.float32)
        scale, offset = self._broadcast(self.gamma, rank), self._broadcast(self.beta, rank)
        if smart_constant_value(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            mean, variance, scale, offset = self._batch_statistics(inputs, training, scale, offset)
        mean, variance, offset, scale = (
            None if v is None else cast(v, inputs.dtype) for v in (mean, variance, offset, scale)
        )
        outputs = normalization.batch_normalization(
            inputs, self._broadcast(mean, rank), self._broadcast(variance, rank), offset, scale, self.epsilon
        )
        outputs = cast(outputs, given)
        outputs.set_shape(inputs.shape)
        return outputs

    def _reduced(self, rank):
        """The dimensions that statistics are taken over: all others, but each virtual batch by itself."""
        virtual = self.virtual_batch_size is not None
        return [a for a in range(rank) if a not in self.axis and not (virtual and a == 1)]

    def _broadcast(self, value, rank):
        """A parameter with the rank of the inputs, if it has fewer dimensions and they aren't the last ones."""
        if value is None or value.shape.ndims == rank or self.axis == [rank - 1]:
            return value
        return array.reshape(value, [self._param_shape[0] if a == self.axis[0] else 1 for a in range(rank)])

    def _batch_statistics(self, inputs, training, scale, offset):
        """Mean, variance, scale and offset for training; adds the updates of the moving averages."""
        rank = inputs.shape.ndims
        if self.adjustment is not None:
            more, shift = self.adjustment(array.shape(inputs))
            more = smart_cond(training, lambda: more, lambda: ones_like(more))
            shift = smart_cond(training, lambda: shift, lambda: zeros_like(shift))
            scale, offset = _composed(more, shift, scale, offset)
        keep = self.virtual_batch_size is not None or len(self.axis) > 1
        batch_mean, batch_variance = normalization.moments(
            cast(inputs, self._param_dtype), self._reduced(rank), keep_dims=keep
        )
        mean = smart_cond(training, lambda: batch_mean, lambda: convert_to_tensor(self.moving_mean))
        variance = smart_cond(training, lambda: batch_variance, lambda: convert_to_tensor(self.moving_variance))
        new_mean, new_variance = mean, variance
        if self.virtual_batch_size is not None:
            new_mean, new_variance = (reduce_mean(v, axis=1, keepdims=True) for v in (mean, variance))
        if self.renorm:
            r, d, new_mean, new_variance = self._renorm(new_mean, new_variance, training)
            r, d = (self._broadcast(array.stop_gradient(v), rank) for v in (r, d))
            scale, offset = _composed(r, d, scale, offset)
        self._add_updates(new_mean, new_variance, training)
        return mean, variance, scale, offset

    def _add_updates(self, mean, variance, training):
        def move_variance():
            if not self.renorm:
                return self._move(self.moving_variance, variance, self.momentum)
            stddev = self._move(self.moving_stddev, cwise_unary.sqrt(variance + self.epsilon), self.momentum)
            return assign(self.moving_variance, relu(stddev * stddev - self.epsilon))

        def move_mean():
            return self._move(self.moving_mean, mean, self.momentum)

        self.add_update(lambda: _if_training(training, move_mean, self.moving_mean))
        self.add_update(lambda: _if_training(training, move_variance, self.moving_variance))

    def _renorm(self, mean, variance, training):
        """The correction (r, d) towards the moving averages; mean and variance, once the averages have moved."""
        stddev = cwise_unary.sqrt(variance + self.epsilon)
        known_stddev = cwise_binary.maximum(self.renorm_stddev, self.epsilon**0.5)
        r = stddev / known_stddev
        d = (mean - self.renorm_mean) / known_stddev
        with control_dependencies([r, d]):  # before the averages change
            mean, stddev = array.identity(mean), array.identity(stddev)
        clip = self.renorm_clipping
        if clip.get("rmin") is not None:
            r = cwise_binary.maximum(r, clip["rmin"])
        if clip.get("rmax") is not None:
            r = cwise_binary.minimum(r, clip["rmax"])
        if clip.get("dmax") is not None:
            d = cwise_binary.minimum(cwise_binary.maximum(d, -clip["dmax"]), clip["dmax"])
        r = smart_cond(training, lambda: r, lambda: ones_like(r))
        d = smart_cond(training, lambda: d, lambda: zeros_like(d))

        def moved(variable, value):
            return _if_training(training, lambda: self._move(variable, value, self.renorm_momentum), variable)

        with control_dependencies([moved(self.renorm_mean, mean), moved(self.renorm_stddev, stddev)]):
            return r, d, array.identity(mean), array.identity(variance)


def _if_training(training, update, variable):
    """The result of an update of a variable; the variable as it is if this is not training."""
    if smart_constant_value(training):
        return update()
    return smart_cond(training, lambda: array.identity(update()), lambda: convert_to_tensor(variable))


def _composed(scale, offset, then_scale, then_offset):
    """Two linear functions, one after the other, as (scale, offset)."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


@documented
def batch_normalization(
    inputs,
    axis=-1,
    momentum=0.99,
    epsilon=1e-3,
    center=True,
    scale=True,
    beta_initializer=_ZEROS,
    gamma_initializer=_ONES,
    moving_mean_initializer=_ZEROS,
    moving_variance_initializer=_ONES,
    beta_regularizer=None,
    gamma_regularizer=None,
    beta_constraint=None,
    gamma_constraint=None,
    training=False,
    trainable=True,
    name=None,
    reuse=None,
    renorm=False,
    renorm_clipping=None,
    renorm_momentum=0.99,
    fused=None,
    virtual_batch_size=None,
    adjustment=None,
):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta.

    In training, mean and variance are those of the batch, and operations in the collection UPDATE_OPS update their
    moving averages. The training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_step = optimizer.minimize(loss)

    Otherwise the moving averages are used.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      inputs: A `Tensor` of a floating-point type with a known number of channels.
      {normalization}
      training: A bool, or a scalar `Tensor` of type bool: whether to use the statistics of the batch.
      {reuse}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: An argument is out of range, or the rank or the number of channels is unknown.
      TypeError: `axis` is neither an int nor a list of them.

    Example:

    >>> x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    >>> y = tf.layers.batch_normalization(x, training=True)
    >>> sess.run(tf.global_variables_initializer())
    >>> print(np.round(sess.run(y), 2))
    [[-1. -1.]
     [ 1.  1.]]
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
        renorm_clipping, renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name, _reuse=reuse,
        _scope=name,
    )  # fmt: skip
    return layer(inputs, training=training)


batch_norm = batch_normalization
