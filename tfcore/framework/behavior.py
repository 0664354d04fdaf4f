"""Switches between the behaviours of TensorFlow 1 and 2. Here programs always build graphs, as in TensorFlow 1.

What turns TensorFlow 2's behaviour off has no effect; what turns it on is refused.
"""

_resource_variables = False
_log_device_placement = False


def _refuse(name, why):
    raise NotImplementedError(f"tf.{name} is not supported: {why}")


def executing_eagerly():
    """Whether operations run as soon as they are called; they never do.

    Returns:
      A bool: False.
    """
    return False


def executing_eagerly_outside_functions():
    """Whether operations outside of functions run as soon as they are called; they never do.

    Returns:
      A bool: False.
    """
    return False


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Raises an error: programs build a graph and run it in a session.

    Args:
      config: Ignored.
      device_policy: Ignored.
      execution_mode: Ignored.

    Raises:
      NotImplementedError: In any case.
    """
    _refuse("enable_eager_execution", "operations are added to a graph, which a tf.Session runs")


def disable_eager_execution():
    """Does nothing: operations are added to a graph in any case."""


def enable_v2_behavior():
    """Raises an error: programs are written for TensorFlow 1.

    Raises:
      NotImplementedError: In any case.
    """
    _refuse("enable_v2_behavior", "programs are those of TensorFlow 1")


def disable_v2_behavior():
    """Does nothing: programs are those of TensorFlow 1 in any case."""


def enable_v2_tensorshape():
    """Raises an error: the elements of a `TensorShape` are of class `Dimension`.

    Raises:
      NotImplementedError: In any case.
    """
    _refuse("enable_v2_tensorshape", "shape[i] is a tf.Dimension; shape.as_list() has ints")


def disable_v2_tensorshape():
    """Does nothing: the elements of a `TensorShape` are of class `Dimension` in any case."""


def enable_tensor_equality():
    """Raises an error: `==` compares the identity of tensors.

    Raises:
      NotImplementedError: In any case.
    """
    _refuse("enable_tensor_equality", "a == b compares identities; use tf.equal for the values")


def disable_tensor_equality():
    """Does nothing: `==` compares the identity of tensors in any case."""


def enable_control_flow_v2():
    """Raises an error: `tf.cond` and `tf.while_loop` add the operations of TensorFlow 1.

    Raises:
      NotImplementedError: In any case.
    """
    _refuse("enable_control_flow_v2", "tf.cond and tf.while_loop add Switch, Merge, Enter and Exit operations")


def disable_control_flow_v2():
    """Does nothing: `tf.cond` and `tf.while_loop` add the operations of TensorFlow 1 in any case."""


def control_flow_v2_enabled():
    """Whether `tf.cond` and `tf.while_loop` add functional operations; they never do.

    Returns:
      A bool: False.
    """
    return False


def enable_resource_variables():
    """Makes `tf.Variable` and `tf.get_variable` create resource variables unless `use_resource` says otherwise.

    Each use of a resource variable reads it again, in the order of control dependencies.
    """
    global _resource_variables
    _resource_variables = True


def disable_resource_variables():
    """Makes `tf.Variable` and `tf.get_variable` create references again unless `use_resource` says otherwise."""
    global _resource_variables
    _resource_variables = False


def resource_variables_enabled():
    """Whether the program has asked for resource variables by `tf.enable_resource_variables`.

    Returns:
      A bool.
    """
    return _resource_variables


def get_log_device_placement():
    """Whether sessions without a configuration write where operations are placed.

    Returns:
      A bool.
    """
    return _log_device_placement


def set_log_device_placement(enabled):
    """Sets whether new sessions without a `config` log the devices of their operations.

    Args:
      enabled: A bool.

    Raises:
      Nothing.
    """
    global _log_device_placement
    _log_device_placement = bool(enabled)
