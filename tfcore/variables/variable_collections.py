"""The variables of a graph by collection, their initializers, and which ones have no value yet."""

from tfcore.framework.graph.graph import GraphKeys, colocate_with, device, get_collection, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.ops.array.array import Identity
from tfcore.ops.array.join import stack
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.control_flow import control
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.state.state import is_variable_initialized


def global_variables(scope=None):
    """The global variables of the default graph: the collection GLOBAL_VARIABLES, shared by all tasks of a cluster.

    Args:
      scope: A regular expression; only variables whose names match it from the start are returned (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.

    Example:

    >>> v = tf.Variable(1.0, name="v")
    >>> tf.global_variables()
    [<tf.Variable 'v:0' shape=() dtype=float32_ref>]
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables():
    """Old name of `tf.global_variables`.

    Returns:
      A list of `Variable`s.
    """
    return global_variables()


def local_variables(scope=None):
    """The variables that are local to this process: the collection LOCAL_VARIABLES.

    Args:
      scope: A regular expression; only variables whose names match it from the start are returned (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    """The variables of the collection MODEL_VARIABLES.

    Args:
      scope: A regular expression; only variables whose names match it from the start are returned (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope=None):
    """The variables that optimizers train: those created with `trainable=True`.

    Args:
      scope: A regular expression; only variables whose names match it from the start are returned (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.

    Example:

    >>> w = tf.Variable(1.0, name="w")
    >>> step = tf.Variable(0, trainable=False, name="step")
    >>> [v.name for v in tf.trainable_variables()]
    ['w:0']
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope=None):
    """The variables that a `tf.train.ExponentialMovingAverage` follows.

    Args:
      scope: A regular expression; only variables whose names match it from the start are returned (optional).

    Returns:
      A list of `Variable`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# ---- Initializing


def variables_initializer(var_list, name="init"):
    """An operation that initializes variables.

    Args:
      var_list: A list of `Variable`s.
      name: Name of the operation.

    Returns:
      An `Operation` that runs all initializers; it does nothing if the list is empty.

    Raises:
      AttributeError: An element is not a variable.
    """
    return control.group(*[v.initializer for v in var_list], name=name) if var_list else control.no_op(name=name)


def initialize_variables(var_list, name="init"):
    """Old name of `tf.variables_initializer`.

    Args:
      var_list: A list of `Variable`s.
      name: Name of the operation.

    Returns:
      An `Operation`.

    Raises:
      AttributeError: An element is not a variable.
    """
    return variables_initializer(var_list, name=name)


def global_variables_initializer():
    """An operation that initializes all global variables.

    Returns:
      An `Operation`.

    Example:

    >>> v = tf.Variable([1.0, 2.0])
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(v)
    array([1., 2.], dtype=float32)
    """
    return variables_initializer(global_variables())


def initialize_all_variables():
    """Old name of `tf.global_variables_initializer`.

    Returns:
      An `Operation`.
    """
    return global_variables_initializer()


def local_variables_initializer():
    """An operation that initializes all local variables.

    Returns:
      An `Operation`.
    """
    return variables_initializer(local_variables())


def initialize_local_variables():
    """Old name of `tf.local_variables_initializer`.

    Returns:
      An `Operation`.
    """
    return local_variables_initializer()


def _variables_or_all(var_list):
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        ops = get_default_graph().get_operations()
        var_list = [op.outputs[0] for op in ops if op.type in ("Variable", "VariableV2")]
    return var_list


def assert_variables_initialized(var_list=None):
    """Checks that variables are initialized. Deprecated: use `report_uninitialized_variables`.

    Args:
      var_list: A list of `Variable`s; all global and local ones by default.

    Returns:
      An `Operation`; None if there are no variables.

    Raises:
      tf.errors.FailedPreconditionError: When run: a variable is not initialized.
    """
    var_list = _variables_or_all(var_list)
    if not var_list:
        return None
    reads = []
    for variable in var_list:
        with colocate_with(variable.op):
            reads.append(Identity(variable._as_graph_element()))
    return control.group(*reads, name="assert_variables_initialized")


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the variables that are not initialized.

    Args:
      var_list: A list of `Variable`s; all global and local ones by default.
      name: Prefix of the names of the operations.

    Returns:
      A `Tensor` of type string, of shape [number of uninitialized variables].

    Raises:
      TypeError: An element is not a variable.

    Example:

    >>> v = tf.Variable(1.0, name="v")
    >>> report = tf.report_uninitialized_variables()
    >>> sess.run(report)
    array([b'v'], dtype=object)
    >>> sess.run(v.initializer)
    >>> sess.run(report)
    array([], dtype=object)
    """
    if var_list is None:
        var_list = _variables_or_all(None)
    with name_scope(name):
        with device("/cpu:0"):
            if not var_list:
                return constant([], dtypes.string)
            initialized = stack([is_variable_initialized(v) for v in var_list])
            names = constant([v.op.name for v in var_list])
            return boolean_mask(names, logical_not(initialized))


def tables_initializer(name="init_all_tables"):
    """An operation that runs the initializers of all lookup tables: the collection TABLE_INITIALIZERS.

    Args:
      name: Name of the operation (optional).

    Returns:
      An `Operation`; it does nothing if there are no tables.
    """
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return control.group(*initializers, name=name) if initializers else control.no_op(name=name)


def initialize_all_tables(name="init_all_tables"):
    """Old name of `tf.tables_initializer`.

    Args:
      name: Name of the operation (optional).

    Returns:
      An `Operation`.
    """
    return tables_initializer(name)
