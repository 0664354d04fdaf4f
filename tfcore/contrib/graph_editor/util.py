"""Lists of operations and tensors, control outputs, and placeholders of the graph editor."""

import collections.abc

from tfcore.framework.graph.graph import Graph, GraphKeys
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.ops.array.constants import placeholder


def is_iterable(obj):
    """Whether it is a collection. Operations, tensors, graphs and texts are not.

    Args:
      obj: Any object.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return isinstance(obj, collections.abc.Iterable) and not isinstance(obj, (Operation, Tensor, Graph, str, bytes))


def concatenate_unique(la, lb):
    """Appends to a list what it does not have yet.

    Args:
      la: The list.
      lb: The elements.

    Returns:
      The list `la`.

    Raises:
      TypeError: An element cannot be a member of a set.
    """
    known = set(la)
    for element in lb:
        if element not in known:
            la.append(element)
            known.add(element)
    return la


def flatten_tree(tree, leaves=None):
    """The leaves of nested collections.

    Args:
      tree: A leaf or a collection; of a dict, the values.
      leaves: A list to append to (optional).

    Returns:
      A list.

    Raises:
      RecursionError: A collection contains itself.
    """
    leaves = [] if leaves is None else leaves
    if is_iterable(tree):
        for child in tree.values() if isinstance(tree, dict) else tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree, fn, iterable_type=tuple):
    """Applies a function to the leaves of nested collections.

    Args:
      tree: A leaf or a collection.
      fn: The function.
      iterable_type: The type of what iterators become.

    Returns:
      A leaf or a collection of the same structure.

    Raises:
      RecursionError: A collection contains itself.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())
    children = [transform_tree(child, fn) for child in tree]
    if hasattr(tree, "_fields"):
        return type(tree)(*children)
    return type(tree)(children) if isinstance(tree, (list, tuple)) else iterable_type(children)


def check_graphs(*args):
    """Checks that views belong to one graph.

    Args:
      *args: Objects with an attribute `graph`.

    Raises:
      ValueError: They have several graphs.
    """
    graph = None
    for i, view in enumerate(args):
        if graph is not None and view.graph not in (None, graph):
            raise ValueError(f"Argument[{i}]: Wrong graph!")
        graph = graph or view.graph


def get_unique_graph(tops, check_types=None, none_if_empty=False):
    """The graph of operations and tensors.

    Args:
      tops: A collection of them, or the graph.
      check_types: The allowed type or types; operations and tensors by default.
      none_if_empty: Whether an empty collection is allowed, which has no graph.

    Returns:
      The `Graph`, or None.

    Raises:
      TypeError: An element has another type.
      ValueError: There are several graphs, or none.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    kinds = check_types or (Operation, Tensor)
    graph = None
    for element in tops:
        if not isinstance(element, kinds):
            names = ", ".join(str(kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
            raise TypeError(f"Expected a type in ({names}), got: {type(element)}")
        if graph not in (None, element.graph):
            raise ValueError(f"Operation {element} does not belong to given graph")
        graph = element.graph
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def make_list_of_op(ops, check_graph=True, allow_graph=True, ignore_ts=False):
    """Operations as a list.

    Args:
      ops: An `Operation`, a collection of them, or a `Graph`.
      check_graph: Whether they must belong to one graph.
      allow_graph: Whether `ops` may be a graph.
      ignore_ts: Whether tensors are left out.

    Returns:
      A new list.

    Raises:
      TypeError: An element has another type.
      ValueError: There are several graphs.
    """
    return _listed(ops, Operation, Graph.get_operations, check_graph, allow_graph, ignore_ts)


def make_list_of_t(ts, check_graph=True, allow_graph=True, ignore_ops=False):
    """Tensors as a list.

    Args:
      ts: A `Tensor`, a collection of them, or a `Graph`.
      check_graph: Whether they must belong to one graph.
      allow_graph: Whether `ts` may be a graph.
      ignore_ops: Whether operations are left out.

    Returns:
      A new list.

    Raises:
      TypeError: An element has another type.
      ValueError: There are several graphs.
    """
    return _listed(ts, Tensor, get_tensors, check_graph, allow_graph, ignore_ops)


def _listed(values, kind, of_graph, check_graph, allow_graph, ignore_others):
    if isinstance(values, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return of_graph(values)
    values = list(values) if is_iterable(values) else [values]
    if values and check_graph:
        get_unique_graph(values, check_types=None if ignore_others else kind)
    return [value for value in values if isinstance(value, kind)]


def get_tensors(graph):
    """All tensors of a graph.

    Args:
      graph: The `Graph`.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: `graph` is not a graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts):
    """The operations that make some tensors.

    Args:
      ts: A `Tensor` or a collection of them.

    Returns:
      A list of `Operation`s, one for each tensor.

    Raises:
      TypeError: An element is not a tensor.
    """
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts):
    """The operations that have one of some tensors as an input.

    Args:
      ts: A `Tensor` or a collection of them.

    Returns:
      A list of different `Operation`s.

    Raises:
      TypeError: An element is not a tensor.
    """
    return list(dict.fromkeys(op for t in make_list_of_t(ts, allow_graph=False) for op in t.consumers()))


class ControlOutputs:
    """Which operations of a graph wait for each of its operations."""

    def __init__(self, graph):
        """Reads a graph.

        Args:
          graph: The `Graph`.

        Raises:
          TypeError: `graph` is not a graph.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._read()

    def update(self):
        """Reads the graph again if it has changed.

        Returns:
          The object.
        """
        if self._version != self._current_version():
            self._read()
        return self

    def _current_version(self):
        return self._graph.version, self._graph.mutation_version

    def _read(self):
        self._version = self._current_version()
        self._outputs = {}
        for op in self._graph.get_operations():
            for before in op.control_inputs:
                self._outputs.setdefault(before, []).append(op)

    def get_all(self):
        """All of them.

        Returns:
          A dict from `Operation`s to lists of those that wait for them.
        """
        return self._outputs

    def get(self, op):
        """The operations that wait for one.

        Args:
          op: The `Operation`.

        Returns:
          A sequence of `Operation`s.
        """
        return self._outputs.get(op, ())

    @property
    def graph(self):
        """The graph."""
        return self._graph


def scope_finalize(scope):
    """The name of a scope, with "/" at its end.

    Args:
      scope: The name; "" stays.

    Returns:
      A string.

    Raises:
      TypeError: `scope` is not a string.
    """
    return f"{scope}/" if scope and scope[-1] != "/" else scope


def placeholder_name(t=None, scope=None):
    """The name of a placeholder that stands for a tensor; all begin with "geph".

    Args:
      t: The `Tensor` (optional).
      scope: Its scope; by default that of the tensor.

    Returns:
      A string.

    Raises:
      TypeError: `t` is not a tensor.
    """
    scope = None if scope is None else scope_finalize(scope)
    if t is None:
        return (scope or "") + "geph"
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    folder, _, name = t.op.name.rpartition("/")
    if not name.startswith("geph__"):
        name = f"geph__{name}_{t.value_index}"
    return (scope_finalize(folder) if scope is None else scope) + name


def make_placeholder_from_tensor(t, scope=None):
    """A placeholder of a tensor's type and shape, in the default graph.

    Args:
      t: The `Tensor`.
      scope: Scope of its name; by default that of the tensor.

    Returns:
      A `Tensor`.

    Raises:
      TypeError: `t` is not a tensor.
    """
    return placeholder(t.dtype, t.shape, name=placeholder_name(t, scope))


def make_placeholder_from_dtype_and_shape(dtype, shape=None, scope=None):
    """A placeholder named "geph", in the default graph.

    Args:
      dtype: Its type.
      shape: Its shape (optional).
      scope: Scope of its name (optional).

    Returns:
      A `Tensor`.

    Raises:
      TypeError: `dtype` is not a type.
    """
    return placeholder(dtype, shape, name=placeholder_name(scope=scope))


def get_predefined_collection_names():
    """The names of the collections in `tf.GraphKeys`.

    Returns:
      A list of strings.
    """
    return [getattr(GraphKeys, key) for key in dir(GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target, dst_graph, dst_scope="", src_scope=""):
    """The operation or tensor of another graph that has the same name.

    Args:
      target: An `Operation` or `Tensor`.
      dst_graph: The other `Graph`.
      dst_scope: What its name begins with there.
      src_scope: What the name of `target` begins with, instead.

    Returns:
      An `Operation` or `Tensor`.

    Raises:
      ValueError: The name of `target` does not begin with `src_scope`.
      TypeError: `target` is neither an operation nor a tensor.
      KeyError: The other graph has none of this name.
    """
    source = scope_finalize(src_scope)
    if not isinstance(target, (Operation, Tensor)):
        raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")
    if not target.name.startswith(source):
        raise ValueError(f"{target.name} does not start with {source}")
    name = scope_finalize(dst_scope) + target.name[len(source) :]
    return dst_graph.as_graph_element(name, isinstance(target, Tensor), isinstance(target, Operation))


def find_corresponding(targets, dst_graph, dst_scope="", src_scope=""):
    """The operations and tensors of another graph that have the same names.

    Args:
      targets: An `Operation` or `Tensor`, or nested collections of them.
      dst_graph: The other `Graph`.
      dst_scope: What names begin with there.
      src_scope: What the names of `targets` begin with, instead.

    Returns:
      The same structure, of the other graph.

    Raises:
      ValueError: A name does not begin with `src_scope`.
      TypeError: A target is neither an operation nor a tensor.
      KeyError: The other graph has none of a name.
    """
    return transform_tree(targets, lambda target: find_corresponding_elem(target, dst_graph, dst_scope, src_scope))
