"""The variables of a graph by collection, their initializers, and which of them have no value yet."""

from tfcore.framework import dtypes
from tfcore.framework.constant import constant
from tfcore.framework.graph import GraphKeys, colocate_with, device, get_collection, get_default_graph, name_scope
from tfcore.ops import control
from tfcore.ops.array import Identity
from tfcore.ops.array_join import stack
from tfcore.ops.array_slice import boolean_mask
from tfcore.ops.cwise_unary import logical_not
from tfcore.ops.state import IsVariableInitialized

__all__ = [
    "all_variables",
    "assert_variables_initialized",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "local_variables",
    "local_variables_initializer",
    "model_variables",
    "moving_average_variables",
    "report_uninitialized_variables",
    "trainable_variables",
    "variables_initializer",
]


def global_variables(scope=None):
    """Variables shared by all tasks: those of collection GLOBAL_VARIABLES, whose names match `scope` if given."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables():
    """Old name of `tf.global_variables`."""
    return global_variables()


def local_variables(scope=None):
    """Variables of this process only: collection LOCAL_VARIABLES."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    """Variables of collection MODEL_VARIABLES."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope=None):
    """Variables made with `trainable=True`."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope=None):
    """Variables that an ExponentialMovingAverage follows."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# ---- Initializing


def variables_initializer(var_list, name="init"):
    """An operation that runs the initializers of all variables in the list."""
    return control.group(*[v.initializer for v in var_list], name=name) if var_list else control.no_op(name=name)


def initialize_variables(var_list, name="init"):
    """Old name of `tf.variables_initializer`."""
    return variables_initializer(var_list, name=name)


def global_variables_initializer():
    """An operation that initializes all global variables."""
    return variables_initializer(global_variables())


def initialize_all_variables():
    """Old name of `tf.global_variables_initializer`."""
    return global_variables_initializer()


def local_variables_initializer():
    """An operation that initializes all local variables."""
    return variables_initializer(local_variables())


def initialize_local_variables():
    """Old name of `tf.local_variables_initializer`."""
    return local_variables_initializer()


def _variables_or_all(var_list):
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        ops = get_default_graph().get_operations()
        var_list = [op.outputs[0] for op in ops if op.type in ("Variable", "VariableV2")]
    return var_list


def assert_variables_initialized(var_list=None):
    """An operation that fails with FailedPreconditionError if one of the variables has no value; None without any.

    Old; see `report_uninitialized_variables`.
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
    """A string vector: names of the variables (default: all global and local ones) that have no value."""
    var_list = _variables_or_all(var_list)
    with name_scope(name):
        with device("/cpu:0"):
            if not var_list:
                return constant([], dtypes.string)
            initialized = stack([IsVariableInitialized(v) for v in var_list])
            names = constant([v.op.name for v in var_list])
            return boolean_mask(names, logical_not(initialized))
