"""The global step: an integer variable that counts training steps."""

from tfcore.framework.graph.graph import GraphKeys, colocate_with, control_dependencies, get_default_graph
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.ops.array.array import identity
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_scope import get_variable
from tfcore.variables.variables import Variable, VariableAggregation

_READS = "global_step_read_op_cache"  # TensorFlow's name of the collection, which is in its meta graphs, too


def global_step(sess, global_step_tensor):
    """The value of the global step in a session.

    Args:
      sess: A `Session`.
      global_step_tensor: The global step: a `Variable` or `Tensor`.

    Returns:
      A Python int.

    Raises:
      tf.errors.FailedPreconditionError: The variable is not initialized.
    """
    return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
    """Finds the global step of a graph.

    This is the item of the collection GLOBAL_STEP, or else the tensor "global_step:0".

    Args:
      graph: The `Graph`; the default graph if None.

    Returns:
      A `Variable` or `Tensor`; None if the graph has no global step or the collection has several items.

    Raises:
      TypeError: What was found is not a scalar of integer type.
    """
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
    """Creates the global step of a graph: a non-trainable scalar int64 variable, initially 0.

    Args:
      graph: The `Graph`; the default graph if None.

    Returns:
      A `Variable`.

    Raises:
      ValueError: The graph has a global step already.
    """
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
    """The global step of a graph, created if there is none.

    Args:
      graph: The `Graph`; the default graph if None.

    Returns:
      A `Variable` or `Tensor`.

    Raises:
      TypeError: The existing global step is not a scalar of integer type.

    Example:

    >>> step = tf.train.get_or_create_global_step()
    >>> increment = tf.assign_add(step, 1)
    >>> sess.run(tf.global_variables_initializer())
    >>> int(sess.run(increment))
    1
    >>> tf.train.get_or_create_global_step() is step
    True
    """
    graph = graph or get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def read_of_global_step(graph=None):
    """A read of the global step, which is ready when a step begins; each graph has one.

    So it comes before an increment that waits for the step's updates. No order is kept with one that waits for nothing
    and may run on another thread at the same time.

    Args:
      graph: The `Graph`; the default graph if None. If it is finalized and has no read yet, the result is the variable
        itself, and a variable behind a reference is read when the step ends.

    Returns:
      A `Tensor`; None if the graph has no global step.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(_READS)
    if found:
        return found[0]
    step = get_global_step(graph)
    if step is None or graph.finalized:
        return step
    with graph.as_default(), graph.name_scope(step.op.name + "/"), control_dependencies(None), colocate_with(step.op):
        read = step.read_value() if isinstance(step, Variable) else identity(step)
    graph.add_to_collection(_READS, read)
    return read


def assert_global_step(global_step_tensor):
    """Checks that a value can serve as a global step.

    Args:
      global_step_tensor: The value to check.

    Raises:
      TypeError: It is not a scalar `Variable` or `Tensor` of integer type.
    """
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.get_shape()
    if shape.is_fully_defined() and len(shape) != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
