"""The default graph of a thread, and the scopes and collections of that graph."""

import contextlib
import threading

from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.graph.graph import Graph, default_stack, default_stacks
from tfcore.framework.graph.operation import definition

_global_default = None
_global_lock = fork_safe(threading.Lock())


class GraphKeys:
    """Names of the standard collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


def get_default_graph():
    """The graph that new operations are added to.

    This is the graph of the innermost `with graph.as_default():` block of this thread, otherwise one graph that all
    threads share.

    Returns:
      A `Graph`.

    Example:

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     print(tf.get_default_graph() is graph)
    True
    """
    stack = getattr(default_stacks, "graphs", None)
    if stack:
        return stack[-1]
    global _global_default
    if _global_default is None:
        with _global_lock:
            if _global_default is None:
                _global_default = Graph()
    return _global_default


def reset_default_graph():
    """Replaces the shared default graph by an empty one. Sessions and tensors of the old graph stay with the old one.

    Raises:
      AssertionError: Called inside a `with graph.as_default():` block.

    Example:

    >>> def build():
    ...     tf.reset_default_graph()
    ...     return tf.constant(1.0).name
    >>> import threading
    >>> names = []
    >>> thread = threading.Thread(target=lambda: names.append(build()))
    >>> thread.start(); thread.join()
    >>> names
    ['Const:0']
    """
    if default_stack():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    global _global_default
    with _global_lock:
        _global_default = Graph()


def graph_of(values):
    """The one graph that all graph elements among `values` (nested lists too) belong to, or None.

    While a function's body is being built, the result is the graph of the body.

    Raises:
      ValueError: they belong to different graphs.
    """
    found = None
    default = get_default_graph()
    if default.building_function:
        return default  # it captures tensors of other graphs
    for value in values:
        if isinstance(value, (list, tuple)):
            graph = graph_of(value)
        else:
            graph = getattr(value, "graph", None) if hasattr(value, "_as_graph_element") else None
        if graph is None:
            continue
        if found is None:
            found, first = graph, value
        elif graph is not found:
            text = f"{value!r} must be from the same graph as {first!r}."
            raise ValueError(text + definition(value) + definition(first))
    return found


class name_scope:  # noqa: N801  named as in TensorFlow
    """A context manager that prefixes the names of new operations. See `tf.Graph.name_scope`.

    Functions that add several operations use it so that all of them appear under one name.

    Args:
      name: Name of the scope; None: `default_name`.
      default_name: Name to use if `name` is None.
      values: A list of `Tensor`s: their graph becomes the default graph in the block (optional).

    Raises:
      TypeError: Both names are None but `values` is given.
      ValueError: `values` belong to different graphs, or the name is invalid.

    Example:

    >>> with tf.name_scope("layer") as scope:
    ...     x = tf.constant(1.0, name="x")
    >>> scope, x.name
    ('layer/', 'layer/x:0')
    """

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        if name is None and default_name is None and values is not None:
            raise TypeError("At least one of name (None) and default_name (None) must be provided.")
        self._values = values

    @property
    def name(self):
        """The requested name, before it is made unique."""
        return self._name

    def __enter__(self):
        default = get_default_graph()
        graph = (graph_of(self._values) if self._values else None) or default
        if graph is not default:
            with contextlib.ExitStack() as stack:
                stack.enter_context(graph.as_default())
                scope = stack.enter_context(graph.name_scope(self._name))
                self._exit = stack.pop_all()
            return scope
        self._exit = graph.name_scope(self._name)
        return self._exit.__enter__()

    def __exit__(self, *exc):
        return self._exit.__exit__(*exc)


def op_scope(values, name, default_name=None):
    """A context manager that prefixes the names of operations: `tf.name_scope` with another order of arguments.

    Args:
      values: Tensors whose graph becomes the default graph, or None.
      name: Name of the scope, or None.
      default_name: Name used if `name` is None.

    Returns:
      A context manager that yields the prefix.

    Raises:
      TypeError: There is no name.
      ValueError: The name is invalid, or `values` belong to several graphs.
    """
    return name_scope(name, default_name, values)


def device(device_name_or_function):
    """A context manager that requests a device for new operations. See `tf.Graph.device`.

    Args:
      device_name_or_function: A device name, possibly partial; a `DeviceSpec`; a function of an `Operation` that
        returns one; or None to ignore outer blocks.

    Returns:
      A context manager.

    Raises:
      ValueError: The name is malformed.

    Example:

    >>> with tf.device("/job:worker/task:1"):
    ...     with tf.device("/cpu:0"):
    ...         a = tf.constant(1.0)
    >>> a.device
    '/job:worker/task:1/device:CPU:0'
    """
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs):
    """A context manager that makes new operations run after others. See `tf.Graph.control_dependencies`.

    Args:
      control_inputs: A list of `Operation`s, `Tensor`s or `Variable`s that run first; None clears the outer blocks and
        leaves conditionals and loops.

    Returns:
      A context manager.

    Raises:
      TypeError: An element is not an operation or tensor.
      ValueError: An element belongs to another graph.

    Example:

    >>> x = tf.Variable(1.0)
    >>> add = tf.assign_add(x, 1.0)
    >>> with tf.control_dependencies([add]):
    ...     y = x.read_value() * 10
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y))
    20.0
    """
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op, ignore_existing=False):
    """A context manager that places new operations on the device of another. See `tf.Graph.colocate_with`.

    Args:
      op: The `Operation` or `Tensor` to follow; None drops the constraints of outer blocks.
      ignore_existing: Whether the constraints of outer blocks are dropped.

    Returns:
      A context manager.

    Raises:
      ValueError: `op` belongs to another graph.
    """
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name):
    """A context manager: new stateful operations keep their state in the given container of their device.

    Args:
      container_name: Name of the container, see `tf.Session.reset`.

    Returns:
      A context manager that yields the name.

    Raises:
      Nothing.
    """
    return get_default_graph().container(container_name)


def add_to_collection(name, value):
    """Adds a value to a collection of the default graph.

    Args:
      name: Name of the collection; see `tf.GraphKeys` for the standard ones.
      value: Any object.

    Raises:
      RuntimeError: The graph is finalized.
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    """Adds a value to several collections of the default graph.

    Args:
      names: Names of the collections; repeated names count once.
      value: Any object.

    Raises:
      RuntimeError: The graph is finalized.
    """
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    """A copy of a collection of the default graph.

    Args:
      key: Name of the collection; see `tf.GraphKeys` for the standard ones.
      scope: A regular expression; only items whose attribute `name` matches it from the start are returned (optional).

    Returns:
      A list; empty if there is no such collection.

    Raises:
      re.error: `scope` is not a regular expression.

    Example:

    >>> tf.add_to_collection("losses", tf.constant(1.0, name="l2"))
    >>> tf.get_collection("losses")
    [<tf.Tensor 'l2:0' shape=() dtype=float32>]
    >>> tf.get_collection("nothing")
    []
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    """The list that holds a collection of the default graph. Changes to it change the collection.

    Args:
      key: Name of the collection; see `tf.GraphKeys` for the standard ones.

    Returns:
      A list.

    Raises:
      TypeError: `key` is not hashable.
    """
    return get_default_graph().get_collection_ref(key)
