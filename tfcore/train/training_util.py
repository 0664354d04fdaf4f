"""The global step: an integer variable that counts training steps."""

from tfcore.framework import dtypes
from tfcore.framework.graph import GraphKeys, get_default_graph
from tfcore.framework.operation import Tensor
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_scope import get_variable
from tfcore.variables.variables import Variable, VariableAggregation

__all__ = [
    "assert_global_step",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
]


def global_step(sess, global_step_tensor):
    """The value of the global step in a session, a Python int."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
    """The global step of the graph: what is in the collection GLOBAL_STEP, or the tensor "global_step:0"; or None."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph=None):
    """Makes the global step, an int64 variable; ValueError if there is one."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph=None):
    """The global step of the graph, made if there is none."""
    graph = graph or get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor):
    """TypeError unless it is a scalar integer variable or tensor."""
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype._base.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.get_shape()
    if shape.is_fully_defined() and len(shape) != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
