"""Fully connected layers."""

import functools

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.contrib.layers.initializers import xavier_initializer
from tfcore.framework.graph.graph import GraphKeys, add_to_collections
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.core import Dense
from tfcore.ops.array import array
from tfcore.ops.array.join import stack, unstack
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn import activations
from tfcore.ops.nn.basic import bias_add
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_scope import get_variable, variable_scope


@add_arg_scope
@documented
def fully_connected(
    inputs,
    num_outputs,
    activation_fn=activations.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=xavier_initializer(),  # noqa: B008  TensorFlow's signature
    weights_regularizer=None,
    biases_initializer=Zeros(),  # noqa: B008
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Fully connected layer over the last dimension, with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [..., size] of a floating-point type, rank 2 or more.
      num_outputs: An int: size of the last dimension of the output.
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type of `inputs`, shape [..., num_outputs].

    Raises:
      ValueError: The rank is less than 2, the last dimension is not known, or `num_outputs` is not an int.

    Example:

    >>> x = tf.zeros([8, 784])
    >>> y = tf.contrib.layers.fully_connected(x, 10, activation_fn=None, scope="logits")
    >>> print(y.shape, [v.op.name for v in tf.trainable_variables()])
    (8, 10) ['logits/weights', 'logits/biases']
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of {[int]}, got {type(num_outputs)}.")
    getter = utils.variable_getter({"bias": "biases", "kernel": "weights"})
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as scope:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            units=num_outputs,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=scope.name,
            dtype=inputs.dtype.base_dtype,
            _scope=scope,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        utils.collect_variable(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            utils.collect_variable(layer.bias, variables_collections, "biases")
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def legacy_fully_connected(
    x,
    num_output_units,
    activation_fn=None,
    weight_init=xavier_initializer(),  # noqa: B008  TensorFlow's signature
    bias_init=Zeros(),  # noqa: B008
    name=None,
    weight_collections=(GraphKeys.WEIGHTS,),
    bias_collections=(GraphKeys.BIASES,),
    output_collections=(GraphKeys.ACTIVATIONS,),
    trainable=True,
    weight_regularizer=None,
    bias_regularizer=None,
):
    """Fully connected layer over the last dimension, with the variables `weights` and `bias`.

    Args:
      x: A `Tensor` of shape [..., size] of a floating-point type, rank 2 or more.
      num_output_units: An int: size of the last dimension of the output.
      activation_fn: A function of the output; None for none.
      weight_init: Initializer of the weights; Xavier's by default.
      bias_init: Initializer of the bias; zeros by default, None for no bias.
      name: Name of the variable scope.
      weight_collections: Collections for the weights, besides GLOBAL_VARIABLES.
      bias_collections: Collections for the bias, besides GLOBAL_VARIABLES.
      output_collections: Collections for the output, besides ACTIVATIONS.
      trainable: Whether the variables are added to the trainable ones.
      weight_regularizer: A function of the weights that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.

    Returns:
      A `Tensor` of the type of `x`, shape [..., num_output_units].

    Raises:
      ValueError: The rank is less than 2, or the last dimension is not known.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        dims = x.shape.as_list() if x.shape.ndims is not None else None
        if dims is None:
            raise ValueError("dims of x must be known but is None")
        if len(dims) < 2:
            raise ValueError(f"rank of x must be at least 2 not: {len(dims)}")
        if dims[-1] is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(name, shape, initializer, collections, regularizer):
            collections = dict.fromkeys([*(collections or ()), GraphKeys.GLOBAL_VARIABLES])
            return get_variable(
                name, shape, x.dtype.base_dtype, initializer, regularizer, trainable, collections=list(collections)
            )

        shape = [dims[-1], num_output_units]
        weights = variable("weights", shape, weight_init, weight_collections, weight_regularizer)
        y = matmul(x if len(dims) == 2 else array.reshape(x, [-1, dims[-1]]), weights)
        if bias_init is not None:
            y = bias_add(y, variable("bias", [num_output_units], bias_init, bias_collections, bias_regularizer))
        if len(dims) > 2:
            y = array.reshape(y, stack([*unstack(array.shape(x))[:-1], num_output_units]))
            y.set_shape([*dims[:-1], num_output_units])
        y = y if activation_fn is None else activation_fn(y)
        add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], y)
        return y


elu = functools.partial(fully_connected, activation_fn=activations.elu)
relu = functools.partial(fully_connected, activation_fn=activations.relu)
relu6 = functools.partial(fully_connected, activation_fn=activations.relu6)
linear = functools.partial(fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=activations.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
