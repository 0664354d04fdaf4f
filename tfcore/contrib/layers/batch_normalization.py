"""Batch normalization."""

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.framework.variables import model_variable
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.framework.graph.graph import GraphKeys, add_to_collections, control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.normalization import BatchNormalization
from tfcore.ops.array import array
from tfcore.ops.nn import normalization
from tfcore.ops.nn.fused_batch_norm import fused_batch_norm
from tfcore.train.optimizers.moving_averages import assign_moving_average
from tfcore.variables.initializers import Ones, Zeros
from tfcore.variables.variable_scope import get_variable_scope, variable_scope


@add_arg_scope
@documented
def batch_norm(
    inputs,
    decay=0.999,
    center=True,
    scale=False,
    epsilon=0.001,
    activation_fn=None,
    param_initializers=None,
    param_regularizers=None,
    updates_collections=GraphKeys.UPDATE_OPS,
    is_training=True,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    batch_weights=None,
    fused=None,
    data_format="NHWC",
    zero_debias_moving_mean=False,
    scope=None,
    renorm=False,
    renorm_clipping=None,
    renorm_decay=0.99,
    adjustment=None,
):
    """Batch normalization: gives each channel mean 0 and variance 1, then scales by gamma and adds beta.

    In training, mean and variance are those of the batch, and operations in `updates_collections` update their moving
    averages `moving_mean` and `moving_variance`. The training step must run them, as `create_train_op` does. Otherwise
    the moving averages are used.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      inputs: A `Tensor` of rank 2 or more, of a floating-point type.
      decay: A float: the decay of the moving averages.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      epsilon: A small float added to the variance.
      activation_fn: A function of the output; None for none.
      param_initializers: A dict of initializers for "beta", "gamma", "moving_mean" and "moving_variance".
      param_regularizers: A dict of functions that return a loss, for "beta" and "gamma".
      updates_collections: Collections for the updates; None to run them with the layer itself.
      is_training: A bool, or a scalar `Tensor` of type bool: whether to use the statistics of the batch.
      batch_weights: A `Tensor` of shape [batch]: the weight of each example in the statistics (optional).
      fused: False to never use the fused operation.
      data_format: "NHWC" or "NCHW": whether the channels are the last dimension or the second one.
      zero_debias_moving_mean: Whether to correct the moving mean for its initial value 0.
      renorm: Whether to correct the statistics of the batch towards the moving averages in training, too.
      renorm_clipping: A dict with some of "rmin", "rmax", "dmax": scalars that limit this correction.
      renorm_decay: A float: the decay of the averages that the correction uses.
      adjustment: A function of the shape of the inputs that returns (scale, bias): applied to the normalized values in
        training only.
      {bookkeeping}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The rank or the number of channels is unknown, or arguments exclude each other.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = convert_to_tensor(inputs)
    initializers, regularizers = param_initializers or {}, param_regularizers or {}
    plain = batch_weights is None and not renorm and adjustment is None
    # The layer of tf.layers knows neither of these.
    special = zero_debias_moving_mean or updates_collections is not GraphKeys.UPDATE_OPS
    rank = inputs.shape.ndims
    if fused is not False and plain and (rank == 2 or rank == 4 and special):
        make, getter = _fused, None
    else:
        make, getter = (_moments if special or batch_weights is not None else None), utils.variable_getter()
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as scope:
        if make is None:
            layer = BatchNormalization(
                1 if data_format == "NCHW" else -1,
                decay,
                epsilon,
                center,
                scale,
                initializers.get("beta", Zeros()),
                initializers.get("gamma", Ones()),
                initializers.get("moving_mean", Zeros()),
                initializers.get("moving_variance", Ones()),
                regularizers.get("beta"),
                regularizers.get("gamma"),
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                name=scope.name,
                _scope=scope,
                _reuse=reuse,
                fused=fused,
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                if getattr(layer, name) is not None:
                    utils.collect_variable(getattr(layer, name), variables_collections, name)
        else:
            if renorm:
                raise ValueError(
                    "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
                )
            parameters = _Parameters(initializers, regularizers, trainable, variables_collections, center, scale)
            averages = _Averages(decay, zero_debias_moving_mean, updates_collections, is_training)
            outputs = make(inputs, parameters, averages, epsilon, data_format, batch_weights)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


class _Parameters:
    """Creates the variables of the layer."""

    def __init__(self, initializers, regularizers, trainable, collections, center, scale):
        self._initializers = initializers
        self._regularizers = regularizers
        self._trainable = trainable
        self._collections = collections
        self._center = center
        self._scale = scale

    def _add(self, name, shape, dtype, default, trainable, regularizer=None):
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=self._initializers.get(name, default),
            regularizer=regularizer,
            collections=utils.get_variable_collections(self._collections, name),
            trainable=trainable,
        )

    def add(self, shape, dtype):
        """beta, gamma (None for those that are not wanted), moving mean and moving variance"""
        beta = gamma = None
        if self._center:
            beta = self._add("beta", shape, dtype, Zeros(), self._trainable, self._regularizers.get("beta"))
        if self._scale:
            gamma = self._add("gamma", shape, dtype, Ones(), self._trainable, self._regularizers.get("gamma"))
        with variable_scope(get_variable_scope()) as scope:
            scope.set_partitioner(None)  # moving averages are never partitioned
            mean = self._add("moving_mean", shape, dtype, Zeros(), False)
            variance = self._add("moving_variance", shape, dtype, Ones(), False)
        return beta, gamma, mean, variance


class _Averages:
    """Updates the moving averages in training."""

    def __init__(self, decay, zero_debias, collections, is_training):
        self._decay = decay
        self._zero_debias = zero_debias
        self._collections = collections
        self.is_training = is_training

    def update(self, averages, statistics, results):
        """Adds the updates to their collections and returns `results`; without collections the results wait for them.

        Outside of training the averages stay as they are.
        """
        if utils.constant_value(self.is_training) is False:
            return results

        def updates():
            return [
                assign_moving_average(variable, value, self._decay, zero_debias=self._zero_debias and i == 0)
                for i, (variable, value) in enumerate(zip(averages, statistics))
            ]

        if self._collections is None:

            def after_updates():
                with control_dependencies(updates()):
                    return [array.identity(x) for x in results]

            found = utils.smart_cond(self.is_training, after_updates, lambda: results)
            return found if isinstance(found, (list, tuple)) else [found]  # `cond` returns a single one by itself
        if utils.constant_value(self.is_training):
            made = updates()
        else:
            made = utils.smart_cond(
                self.is_training,
                lambda: [array.identity(x) for x in updates()],
                lambda: [convert_to_tensor(v) for v in averages],
            )
        for update in made:
            add_to_collections(self._collections, update)
        return results


def _channels(inputs, data_format):
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    shape = inputs.shape[1:2] if data_format == "NCHW" else inputs.shape[-1:]
    if not shape.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
    return shape


def _fused(inputs, parameters, averages, epsilon, data_format, batch_weights):
    """By the fused operation, for matrices and images."""
    original, is_matrix = inputs, inputs.shape.ndims == 2
    if is_matrix:
        channels = inputs.shape.as_list()[-1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        inputs = array.reshape(inputs, [-1, channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, channels])
    shape = _channels(inputs, data_format)
    # Of float32 for inputs of float16, too: the averages need the precision.
    beta, gamma, moving_mean, moving_variance = parameters.add(shape, dtypes.float32)
    beta = constant(0.0, dtypes.float32, shape) if beta is None else beta
    gamma = constant(1.0, dtypes.float32, shape) if gamma is None else gamma

    def normalize(**arguments):
        return fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=data_format, **arguments)

    outputs, mean, variance = utils.smart_cond(
        averages.is_training,
        normalize,
        lambda: normalize(mean=moving_mean, variance=moving_variance, is_training=False),
    )
    (outputs,) = averages.update((moving_mean, moving_variance), (mean, variance), [outputs])
    outputs.set_shape(inputs.shape)
    return array.reshape(outputs, array.shape(original)) if is_matrix else outputs


def _moments(inputs, parameters, averages, epsilon, data_format, batch_weights):
    """By separate operations: for examples with weights and other ranks."""
    shape, rank = _channels(inputs, data_format), inputs.shape.ndims
    if batch_weights is not None:
        batch_weights = convert_to_tensor(batch_weights)
        inputs.shape[0:1].assert_is_compatible_with(batch_weights.shape)
        batch_weights = array.reshape(batch_weights, [-1] + [1] * (rank - 1))
    beta, gamma, moving_mean, moving_variance = parameters.add(shape, inputs.dtype.base_dtype)
    channel_axis = 1 if data_format == "NCHW" else rank - 1
    axes = [a for a in range(rank) if a != channel_axis]
    mean, variance = moving_mean, moving_variance
    if utils.constant_value(averages.is_training) is not False:
        if batch_weights is None:
            mean, variance = normalization.moments(inputs, axes)
        else:
            mean, variance = normalization.weighted_moments(inputs, axes, batch_weights)
        statistics = averages.update((moving_mean, moving_variance), (mean, variance), [mean, variance])
        mean, variance = utils.smart_cond(
            averages.is_training,
            lambda: statistics,
            lambda: [convert_to_tensor(moving_mean), convert_to_tensor(moving_variance)],
        )
    broadcast = [-1 if a == channel_axis else 1 for a in range(rank)]
    if data_format == "NCHW":
        mean, variance, beta, gamma = (
            None if v is None else array.reshape(v, broadcast) for v in (mean, variance, beta, gamma)
        )
    outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(inputs.shape)
    return outputs
