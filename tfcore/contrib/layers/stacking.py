"""Several layers of a kind, one after the other."""

from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.variables.variable_scope import variable_scope


def _name_of(layer, default):
    function = layer if hasattr(layer, "__name__") else getattr(layer, "func", None)  # of functools.partial
    return getattr(function, "__name__", default)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Applies a layer several times with the same arguments; the scopes get numbers, such as conv_1, conv_2.

    Args:
      inputs: A `Tensor`.
      repetitions: An int.
      layer: A function that takes a tensor and `scope`, such as `tf.contrib.layers.conv2d`.
      *args: Further arguments of the layer.
      **kwargs: Further arguments of the layer. `scope` is the name of all of them, by default that of the function.

    Returns:
      A `Tensor`: the output of the last layer.

    Raises:
      ValueError: As the layer.
    """
    return _in_sequence(inputs, layer, [args] * repetitions, kwargs, "Repeat")


def stack(inputs, layer, stack_args, **kwargs):
    """Applies a layer with one set of arguments after the other; the scopes get numbers, such as fc_1, fc_2.

    Args:
      inputs: A `Tensor`.
      layer: A function that takes a tensor and `scope`, such as `tf.contrib.layers.fully_connected`.
      stack_args: A list of the arguments of each layer: an argument or a list of them.
      **kwargs: Arguments that are the same for all. `scope` is the name of all layers, by default that of the function.

    Returns:
      A `Tensor`: the output of the last layer.

    Raises:
      ValueError: `stack_args` is not a list or tuple.

    Example:

    >>> layers = tf.contrib.layers
    >>> y = layers.stack(tf.zeros([8, 100]), layers.fully_connected, [32, 64, 10], scope="fc")
    >>> print(y.shape, [v.op.name for v in tf.trainable_variables()][:2])
    (8, 10) ['fc/fc_1/weights', 'fc/fc_1/biases']
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    each = [args if isinstance(args, (list, tuple)) else [args] for args in stack_args]
    return _in_sequence(inputs, layer, each, kwargs, "Stack")


def _in_sequence(inputs, layer, each, kwargs, default_name):
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default_name, [inputs]):
        outputs = convert_to_tensor(inputs)
        name = _name_of(layer, default_name.lower()) if scope is None else scope
        for i, args in enumerate(each, 1):
            outputs = layer(outputs, *args, **kwargs, scope=f"{name}_{i}")
        return outputs
