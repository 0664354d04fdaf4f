"""Variables: their collections, how to find them by name, and how to set them."""

import functools
import re

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.graph import GraphKeys, add_to_collection, get_collection
from tfcore.framework.graph.graph import device as on_device
from tfcore.framework.types import dtypes
from tfcore.ops.array.constants import placeholder, zeros
from tfcore.ops.control_flow.control import group
from tfcore.ops.state.state import assign
from tfcore.train.training_util import (
    assert_global_step,
    get_global_step,
)
from tfcore.variables.variable_scope import VariableScope, get_variable, get_variable_scope
from tfcore.variables.variables import Variable, VariableAggregation, VariableSynchronization


def zero_initializer(ref, use_locking=True, name="zero_initializer"):
    """Sets a variable to zeros.

    Args:
      ref: A `Variable` of a numeric type.
      use_locking: Accepted for compatibility.
      name: Name of the operation.

    Returns:
      The updated value, a `Tensor`.

    Raises:
      TypeError: `ref` is not a variable.
    """
    return assign(ref, zeros(ref.shape, ref.dtype.base_dtype), use_locking=use_locking, name=name)


def assert_or_get_global_step(graph=None, global_step_tensor=None):
    """The given global step, after a check, or else that of the graph.

    Args:
      graph: The `Graph`; the default graph if None.
      global_step_tensor: A `Variable` or `Tensor`.

    Returns:
      A `Variable` or `Tensor`; None if the graph has none.

    Raises:
      TypeError: `global_step_tensor` is not a scalar of integer type.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


# ---- Creation


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that is local to this process: not trained, in the collection LOCAL_VARIABLES.

    Args:
      initial_value: The initial value.
      validate_shape: Whether the initial value must have a fully known shape.
      name: Name of the variable.
      use_resource: Whether it is a resource variable, see `tf.Variable`.

    Returns:
      A `Variable`.

    Raises:
      ValueError: The shape of the initial value is unknown, and `validate_shape` is True.
    """
    return Variable(
        initial_value, False, [GraphKeys.LOCAL_VARIABLES], validate_shape, name=name, use_resource=use_resource
    )


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that is not trained, in the collection GLOBAL_VARIABLES.

    Args:
      initial_value: The initial value.
      validate_shape: Whether the initial value must have a fully known shape.
      name: Name of the variable.
      use_resource: Whether it is a resource variable, see `tf.Variable`.

    Returns:
      A `Variable`.

    Raises:
      ValueError: The shape of the initial value is unknown, and `validate_shape` is True.
    """
    return Variable(
        initial_value, False, [GraphKeys.GLOBAL_VARIABLES], validate_shape, name=name, use_resource=use_resource
    )


@add_arg_scope
def variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
):
    """`tf.get_variable` with a device.

    Args:
      name: Name within the variable scope.
      shape: The shape.
      dtype: The `DType`.
      initializer: An initializer, or the initial value.
      regularizer: A function of the variable that returns a loss.
      trainable: Whether optimizers train it by default.
      collections: Names of the collections to join; [GLOBAL_VARIABLES] by default.
      caching_device: A device that keeps a copy for reading.
      device: A device, or a function of an `Operation` that returns one.
      partitioner: A function of (shape, dtype) that returns the number of parts in each dimension.
      custom_getter: A function that is called instead of `tf.get_variable`.
      use_resource: Whether it is a resource variable, see `tf.Variable`.
      synchronization: A `VariableSynchronization`.
      aggregation: A `VariableAggregation`.

    Returns:
      A `Variable` or PartitionedVariable.

    Raises:
      ValueError: See `tf.get_variable`.
    """
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(dict.fromkeys(collections))
    getter = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with on_device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
):
    """A variable of the model: `variable` in the collections GLOBAL_VARIABLES and MODEL_VARIABLES.

    Args:
      name: Name within the variable scope.
      shape: The shape.
      dtype: The `DType`.
      initializer: An initializer, or the initial value.
      regularizer: A function of the variable that returns a loss.
      trainable: Whether optimizers train it by default.
      collections: Names of further collections to join.
      caching_device: A device that keeps a copy for reading.
      device: A device, or a function of an `Operation` that returns one.
      partitioner: A function of (shape, dtype) that returns the number of parts in each dimension.
      custom_getter: A function that is called instead of `tf.get_variable`.
      use_resource: Whether it is a resource variable, see `tf.Variable`.
      synchronization: A `VariableSynchronization`.
      aggregation: A `VariableAggregation`.

    Returns:
      A `Variable` or PartitionedVariable.

    Raises:
      ValueError: See `tf.get_variable`.

    Example:

    >>> w = tf.contrib.framework.model_variable("w", [2, 3], initializer=tf.zeros_initializer())
    >>> tf.contrib.framework.get_model_variables()
    [<tf.Variable 'w:0' shape=(2, 3) dtype=float32_ref>]
    """
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def add_model_variable(var):
    """Adds a variable to the collection MODEL_VARIABLES, once.

    Args:
      var: A `Variable`.

    Raises:
      Nothing.
    """
    if all(var is not known for known in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


# ---- Finding variables


def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    """The variables of a collection by scope and end of the name.

    Args:
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).
      suffix: The end of the name (optional).
      collection: Name of the collection.

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    """The variables of the collection MODEL_VARIABLES by scope and end of the name.

    Args:
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).
      suffix: The end of the name (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    """The variables of the collection LOCAL_VARIABLES by scope and end of the name.

    Args:
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).
      suffix: The end of the name (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    """The trainable variables by scope and end of the name.

    Args:
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).
      suffix: The end of the name (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include=None, exclude=None):
    """The variables of some scopes, without those of others.

    Args:
      include: A list of scopes; all variables by default.
      exclude: A list of scopes (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      TypeError: `include` or `exclude` is not a list or tuple.
    """
    for what, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{what} is provided but is not a list or a tuple.")
    found = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    excluded = {v for scope in exclude or () for v in get_variables(scope)}
    return [v for v in found if v not in excluded]


def get_variables_by_suffix(suffix, scope=None):
    """The variables whose names end in `suffix`.

    Args:
      suffix: The end of the name.
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    """The variables of this name in any scope.

    Args:
      given_name: The name without scopes.
      scope: A `VariableScope`, or a regular expression that names match from the start (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name):
    """The variable of this full name.

    Args:
      var_op_name: The name with scopes, without ":0".

    Returns:
      A `Variable`.

    Raises:
      ValueError: There is no variable of this name.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variable_full_name(var):
    """The name of a variable in checkpoints: for a part of a partitioned variable that of the whole.

    Args:
      var: A `Variable`.

    Returns:
      A string.

    Raises:
      AttributeError: `var` is not a variable.
    """
    return var._save_slice_info.full_name if var._save_slice_info else var.op.name


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """The variables whose names match one pattern and none of the others.

    Args:
      var_list: A list of `Variable`s.
      include_patterns: A list of regular expressions; None for all variables.
      exclude_patterns: A list of regular expressions (optional).
      reg_search: Whether a pattern may match anywhere, not only from the start.

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: A pattern is not a regular expression.
    """
    matches = re.search if reg_search else re.match

    def any_matches(patterns, var):
        return any(matches(pattern, var.name) for pattern in patterns)

    return [
        var
        for var in var_list
        if (include_patterns is None or any_matches(include_patterns, var))
        and not any_matches(exclude_patterns or (), var)
    ]


# ---- Setting variables


def assign_from_values(var_names_to_values):
    """An operation that sets variables to the values of a dict.

    Args:
      var_names_to_values: A dict from full names to arrays.

    Returns:
      The `Operation`, and the dict to feed when it runs.

    Raises:
      ValueError: A variable does not exist.
    """
    feeds, updates = {}, []
    for name, value in var_names_to_values.items():
        found = get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        if len(found) > 1:
            found = [v for v in found if v.op.name == name]
            if not found:
                raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
        var = found[0]
        fed = placeholder(var.dtype.base_dtype, var.shape, name="placeholder/" + var.op.name)
        updates.append(var.assign(fed))
        feeds[fed] = value.reshape(var.shape.as_list())
    return group(*updates), feeds


def assign_from_values_fn(var_names_to_values):
    """A function of a session that sets variables to the values of a dict.

    Args:
      var_names_to_values: A dict from full names to arrays.

    Returns:
      A function that takes a `Session`.

    Raises:
      ValueError: A variable does not exist.
    """
    update, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(update, feeds)


class VariableDeviceChooser:
    """A device function that deals operations out to the tasks of a job in turn.

    Args:
      num_tasks: Number of tasks; 0 for no job.
      job_name: Name of the job.
      device_type: Type of the device.
      device_index: Index of the device.
      replica: Index of the replica.
    """

    def __init__(self, num_tasks=0, job_name="ps", device_type="CPU", device_index=0, replica=None):
        self._num_tasks = num_tasks
        self._job_name = job_name
        self._spec = DeviceSpec(replica=replica, device_type=device_type, device_index=device_index)
        self._next_task = 0

    def __call__(self, op):
        if self._num_tasks == 0:
            return self._spec.to_string()
        task, self._next_task = self._next_task, (self._next_task + 1) % self._num_tasks
        return self._spec.replace(job=self._job_name, task=task).to_string()
