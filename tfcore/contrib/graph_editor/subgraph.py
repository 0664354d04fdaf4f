"""Views of parts of a graph."""

import copy

from tfcore.contrib.graph_editor.select import (
    compute_boundary_ts,
    get_name_scope_ops,
    get_walks_union_ops,
    select_ops_and_ts,
)
from tfcore.contrib.graph_editor.util import get_unique_graph, make_list_of_op, make_list_of_t
from tfcore.framework.graph.graph import Graph


class SubGraphView:
    """A part of a graph, seen as a function: operations, the tensors that enter, and the tensors that leave them.

    A view does not follow changes of the graph, but for those by functions that get the view. Inputs and outputs may be
    left out and put into another order by `remap`. Tensors that no operation of the view uses or makes pass through it.

    Attributes:
      ops: The operations, a list.
      inputs: The tensors that enter, a list.
      outputs: The tensors that leave, a list.
      passthroughs: Those that pass through, a list.
      graph: The graph; None for an empty view.
    """

    def __init__(self, inside_ops=(), passthrough_ts=()):
        """Makes a view.

        Args:
          inside_ops: Operations, or a graph.
          passthrough_ts: Tensors that pass through; those that the operations use or make are left out.

        Raises:
          TypeError: An element has another type.
          ValueError: There are several graphs.
        """
        self.ops, through = make_list_of_op(inside_ops), make_list_of_t(passthrough_ts)
        self.graph = get_unique_graph(self.ops + through, none_if_empty=True)
        edges = compute_boundary_ts(self.ops)
        used = {t for tensors in edges for t in tensors}
        self.passthroughs = [t for t in through if t not in used]
        self.inputs, self.outputs = (tensors + self.passthroughs for tensors in edges[:2])

    def __copy__(self):
        made = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(made, name, list(value) if isinstance(value, list) else value)
        return made

    def assign_from(self, other):
        """Makes the view the same as another one.

        Args:
          other: The other `SubGraphView`.

        Raises:
          TypeError: It is not a view.
        """
        if not isinstance(other, SubGraphView):
            raise TypeError(f"Expected SubGraphView, got: {type(other)}")
        vars(self).update(vars(copy.copy(other)))

    def copy(self):
        """Another view of the same operations.

        Returns:
          A `SubGraphView`.
        """
        return copy.copy(self)

    def remap_default(self, remove_input_map=True, remove_output_map=True):
        """A view with all inputs and outputs again.

        Args:
          remove_input_map: Whether all inputs are wanted.
          remove_output_map: Whether all outputs are wanted.

        Returns:
          A `SubGraphView`.
        """
        made, (inputs, outputs, _) = self.copy(), compute_boundary_ts(self.ops)
        if remove_input_map:
            made.inputs = inputs + self.passthroughs
        if remove_output_map:
            made.outputs = outputs + self.passthroughs
        return made

    def remap_inputs(self, new_input_indices):
        """A view with some of the inputs.

        Args:
          new_input_indices: Their places, each at most once.

        Returns:
          A `SubGraphView`.

        Raises:
          ValueError: A place does not exist, or is repeated.
        """
        return self.remap(new_input_indices)

    def remap_outputs(self, new_output_indices):
        """A view with some of the outputs.

        Args:
          new_output_indices: Their places, which may be repeated.

        Returns:
          A `SubGraphView`.

        Raises:
          ValueError: A place does not exist.
        """
        return self.remap(None, new_output_indices)

    def remap(self, new_input_indices=None, new_output_indices=None):
        """A view with some of the inputs and outputs.

        Args:
          new_input_indices: The places of the inputs, each at most once; all by default.
          new_output_indices: The places of the outputs, which may be repeated; all by default.

        Returns:
          A `SubGraphView`.

        Raises:
          ValueError: A place does not exist, or is repeated.
        """
        made = self.copy()
        if new_input_indices is not None:
            made.inputs = _chosen(self.inputs, new_input_indices, repetition=False)
        if new_output_indices is not None:
            made.outputs = _chosen(self.outputs, new_output_indices, repetition=True)
        return made

    def remap_outputs_make_unique(self):
        """A view in which each output stands once.

        Returns:
          A `SubGraphView`.
        """
        made = self.copy()
        made.outputs = list(dict.fromkeys(self.outputs))
        return made

    def remap_outputs_to_consumers(self):
        """A view in which each output stands once for each of its consumers.

        Returns:
          A `SubGraphView`.
        """
        made = self.copy()
        made.outputs = [t for t in dict.fromkeys(self.outputs) for _ in t.consumers()]
        return made

    def remove_unused_ops(self, control_inputs=True):
        """A view without the operations that neither use an input nor are needed for an output.

        Args:
          control_inputs: Whether operations are needed that others wait for.

        Returns:
          A `SubGraphView`.
        """
        made = self.copy()
        used = set(
            get_walks_union_ops(
                self.connected_inputs, self.connected_outputs, within_ops=self.ops, control_inputs=control_inputs
            )
        )
        made.ops = [op for op in self.ops if op in used]
        return made

    def find_op_by_name(self, op_name):
        """The operation of a name.

        Args:
          op_name: The name.

        Returns:
          An `Operation`.

        Raises:
          ValueError: The view has none.
        """
        for op in self.ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __str__(self):
        if not self:
            return "SubGraphView: empty"
        lines = [f"SubGraphView (graphid={id(self.graph)}):"]
        for name, elements in (("ops", self.ops), ("inputs", self.inputs), ("outputs", self.outputs)):
            lines.append(f"** {name}[{len(elements)}]:" if elements else f"** {name}: empty")
            lines += [f"{x.name} *" if x in self.passthroughs else x.name for x in elements]
        return "\n".join(lines) + "\n"

    @property
    def connected_inputs(self):
        """The inputs that do not pass through."""
        return [t for t in self.inputs if t not in self.passthroughs]

    @property
    def connected_outputs(self):
        """The outputs that do not pass through."""
        return [t for t in self.outputs if t not in self.passthroughs]

    def __bool__(self):
        return self.graph is not None

    def op(self, op_id):
        """An operation.

        Args:
          op_id: Its place in `ops`.

        Returns:
          An `Operation`.
        """
        return self.ops[op_id]

    def is_passthrough(self, t):
        """Whether a tensor passes through.

        Args:
          t: The `Tensor`.

        Returns:
          A bool.
        """
        return t in self.passthroughs

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def input_index(self, t):
        """The place of an input.

        Args:
          t: The `Tensor`.

        Returns:
          An int.

        Raises:
          ValueError: It is not an input.
        """
        return _place(self.inputs, t, "inputs")

    def output_index(self, t):
        """The first place of an output.

        Args:
          t: The `Tensor`.

        Returns:
          An int.

        Raises:
          ValueError: It is not an output.
        """
        return _place(self.outputs, t, "outputs")

    def consumers(self):
        """The operations that use the outputs.

        Returns:
          A list of different `Operation`s.
        """
        return list(dict.fromkeys(op for t in self.outputs for op in t.consumers()))


def _chosen(tensors, places, repetition):
    places = list(places)
    for i in places:
        if not 0 <= i < len(tensors):
            raise ValueError(f"Out of [0, {len(tensors)}[ range: {i}")
    if not repetition and len(set(places)) != len(places):
        raise ValueError(f"Found repetition in mapping: {places}")
    return [tensors[i] for i in places]


def _place(tensors, t, what):
    if t not in tensors:
        raise ValueError(f"Can't find {t.name} in {what} of the subgraph.")
    return tensors.index(t)


def make_view(*args, **kwargs):
    """A view of what is selected; a view stays the same.

    Args:
      *args: A `SubGraphView`; or regular expressions, operations, tensors and collections of them, see
        `select_ops_and_ts`. Tensors pass through.
      **kwargs: `graph`: the graph in which regular expressions are looked for, and to which the view must belong.

    Returns:
      A `SubGraphView`.

    Raises:
      TypeError: An argument has another type.
      ValueError: There is a regular expression, but no graph; another graph; or another keyword.
    """
    graph = kwargs.get("graph")
    is_view = len(args) == 1 and isinstance(args[0], SubGraphView)
    view = args[0] if is_view else SubGraphView(*select_ops_and_ts(*args, **kwargs))
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    if graph is not None and view.graph not in (None, graph):
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope, graph):
    """A view of the operations in a name scope.

    Args:
      scope: The name of the scope.
      graph: The `Graph`.

    Returns:
      A `SubGraphView`.

    Raises:
      TypeError: `graph` is not a graph.
    """
    return SubGraphView(get_name_scope_ops(graph, scope))
