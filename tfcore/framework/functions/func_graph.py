"""The graph of a function's body. Tensors of the graphs around it that it uses become its inputs."""

import contextlib

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import Graph, GraphKeys, get_default_graph
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor

_VARIABLE_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
)


_sharing = []


def shares_with_bodies(share):
    """Decorator: registers `share(graph, outer)`, which gives a function's body access to state of the outer graph.

    tfcore.variables registers its store of named variables.
    """
    _sharing.append(share)
    return share


class FuncGraph(Graph):
    """The graph in which a function's body is built.

    Attributes:
      name: of the function. outer_graph: where it was defined.
      inputs: placeholder Tensors for what a call passes: the arguments, then the captured Tensors.
      extra_inputs: the captured Tensors of outer graphs; extra_args: their placeholders here.
      control_captures: operations of outer graphs that the body has to wait for.
    """

    building_function = True
    copied_ops = frozenset()  # types of ops that are copied into the body where others are captured

    def __init__(self, name, outer_graph, capture_by_value=False, allowed_stateful=()):
        super().__init__()
        self.name = name
        self.outer_graph = outer_graph
        self.seed = outer_graph.seed
        self.inputs = []
        self.extra_inputs = []
        self.extra_args = []
        self.control_captures = {}
        self._captured = {}  # Tensor of an outer graph -> Tensor here
        self._by_value = capture_by_value
        self._allowed_stateful = allowed_stateful

    def share_variables(self):
        """Shares the variable collections, and what `shares_with_bodies` registered, with the outer graph."""
        for key in _VARIABLE_COLLECTIONS:
            self._collections[key] = self.outer_graph.get_collection_ref(key)
        for share in _sharing:
            share(self, self.outer_graph)

    # ---- Inputs

    def add_argument(self, name, dtype, dims=None):
        """The placeholder Tensor for a value (for a reference type: a variable) that calls will pass."""
        op_def = get_op_def("_RefArgument" if dtype._is_ref_dtype else "Placeholder")
        with self.scopes.outermost():
            op = super().add_operation(op_def, [], {"dtype": dtype.base_dtype, "shape": dims}, (dtype,), name)
        return op.outputs[0]

    def capture(self, tensor, name=None):
        """The Tensor that represents a Tensor of an outer graph here; Tensors of this graph represent themselves.

        Raises:
          ValueError: the Tensor is not of an enclosing graph, or can't be captured by value.
        """
        if tensor.op.graph is self:
            return tensor
        found = self._captured.get(tensor)
        if found is None:
            self._check_around(tensor)
            copies = self._by_value or tensor.op.type in self.copied_ops
            found = self._copied(tensor) if copies else self._passed(tensor, name)
            self._captured[tensor] = found
        return found

    def stand_in(self, tensor):
        """The captured copy of a Tensor of an outer graph (or of a variable's value), else the Tensor itself."""
        if tensor in self._captured or tensor.op.graph is self:
            return self._captured.get(tensor, tensor)
        reads = (t for t in self._captured if t.op.type == "Identity" and t.op.inputs[0] is tensor)
        return next((self._captured[t] for t in reads), tensor)

    def __repr__(self):
        return f"<the graph of the function '{self.name}' at {id(self):#x}>"

    @property
    def captures(self):
        """Pairs of a Tensor of an outer graph and the Tensor that represents it here."""
        return list(self._captured.items())

    @property
    def extra_vars(self):
        """The variables of outer graphs whose value or reference the body uses."""
        known = {}
        for key in _VARIABLE_COLLECTIONS:
            for variable in self._collections.get(key, ()):
                for tensor in variable._sources():
                    known.setdefault(tensor, variable)
        return list(dict.fromkeys(known[t] for t in self._captured if t in known))

    def _check_around(self, tensor):
        graph = self
        while graph is not tensor.op.graph:
            if not graph.building_function:
                where = tensor.op.graph
                of = f" of the function '{where.name}'" if where.building_function else ""
                raise ValueError(
                    f"{tensor!r}, of another graph{of}, is not an element of this graph, of the function "
                    f"'{self.name}', nor of one around it: a value leaves a function only as its output."
                )
            graph = graph.outer_graph

    def _passed(self, tensor, name):
        name = name or tensor.op.name.strip("_").replace("/", "_")
        argument = self.add_argument(name, tensor.dtype, tensor.dims)
        self.inputs.append(argument)
        self.extra_inputs.append(tensor)
        self.extra_args.append(argument)
        return argument

    def _copied(self, tensor):
        """The Tensor computed again in the body."""
        op = tensor.op
        kind = "placeholder" if op.type in ("Placeholder", "PlaceholderV2") else "stateful node"
        allowed = op in self._allowed_stateful or op.type in self.copied_ops
        if kind == "placeholder" or op.op_def.stateful and not allowed:
            raise ValueError(f"Cannot capture a {kind} (name:{op.name}, type:{op.type}) by value.")
        inputs = [self.capture(t) for t in op.inputs]
        attrs = dict(op.attrs)
        if not attrs.get("shared_name", True):  # the copy is of the same state
            attrs["shared_name"] = op.name.encode()
        copy = super().add_operation(op.op_def, inputs, attrs, [t.dtype for t in op.outputs], op.name)
        self._captured.update(zip(op.outputs, copy.outputs))
        return copy.outputs[tensor.value_index]

    # ---- Adding operations

    def add_operation(self, op_def, inputs, attrs, output_dtypes, name=None):
        return super().add_operation(op_def, [self.capture(t) for t in inputs], attrs, output_dtypes, name)

    def control_dependencies(self, control_inputs):
        """Like `Graph.control_dependencies`; for operations of outer graphs, calls of the function wait."""
        if control_inputs is None:
            return super().control_dependencies(None)
        own = []
        for item in control_inputs:
            element = getattr(item, "_as_graph_element", lambda item=item: item)()
            op = element if isinstance(element, Operation) else getattr(element, "op", None)
            if isinstance(op, Operation) and op.graph is not self:
                self.control_captures[op] = None
            else:
                own.append(item)
        return super().control_dependencies(own)

    def colocate_with(self, op, ignore_existing=False):
        """Like `Graph.colocate_with`; a captured Tensor means the operation whose output the call passes."""
        element = getattr(op, "_as_graph_element", lambda: op)()
        owner = element.op if isinstance(element, Tensor) else element
        if isinstance(owner, Operation) and owner.graph is not self:
            owner = next((self._captured[t].op for t in owner.outputs if t in self._captured), None)
            if owner is None:
                return contextlib.nullcontext()
        return super().colocate_with(owner, ignore_existing)


class Body:
    """What a call executes: the operations of a FuncGraph from `inputs` to `outputs`, and those with effects.

    Attributes:
      graph: the FuncGraph. inputs, outputs: lists of its Tensors.
      ops: the operations in topological order (except for back edges of loops), without the inputs' placeholders.
      gradient: the function that computes the gradients of the inputs, created on first use.
    """

    __slots__ = ("graph", "inputs", "outputs", "ops", "gradient", "dims", "effects")

    def __init__(self, graph, inputs, outputs, ops=None):
        self.graph = graph
        self.inputs = inputs
        self.outputs = outputs
        given = {t.op for t in inputs}
        self.ops = [op for op in (graph.get_operations() if ops is None else ops) if op not in given]
        self.gradient = None
        self.dims = {}  # static shapes of inputs -> those of outputs
        self.effects = None  # found by the compiler


def needed(outputs, inputs):
    """The operations that compute `outputs` from `inputs`, in order of creation."""
    seen = {t.op for t in inputs}
    todo = [t.op for t in outputs]
    found = set()
    while todo:
        op = todo.pop()
        if op not in seen:
            seen.add(op)
            found.add(op)
            todo += [t.op for t in op.inputs]
            todo += op.controls
    return sorted(found, key=lambda op: op._id)


def trace(func, graph, arg_names, arg_types, device=None):
    """Calls `func` with Tensors of these types in a FuncGraph and returns the resulting Body.

    Raises:
      ValueError: it returns None among other values.
    """
    with graph.as_default(), graph.device(device):
        for name, dtype in zip(arg_names, arg_types):
            graph.inputs.append(graph.add_argument(name, dtype))
        outputs = func(*graph.inputs)
        if outputs is None:
            outputs = ()
        elif not isinstance(outputs, (list, tuple)):
            outputs = (outputs,)
        if any(t is None for t in outputs):
            raise ValueError(f"Function {graph.name} can not return None.")
        outputs = [_output(graph, t) for t in outputs]
    return Body(graph, list(graph.inputs), outputs)


def _output(graph, value):
    """Converts a result to a Tensor of the graph; a variable to its value when the function returns."""
    tensor = graph.capture(convert_to_tensor(value))
    return get_op_def("Identity")(tensor) if tensor.dtype._is_ref_dtype else tensor


@contextlib.contextmanager
def init_scope():
    """A context manager that leaves functions, conditionals and loops that are being built.

    Operations added inside go to the outermost graph and have no control dependencies. Initial values of variables are
    created in it.

    Returns:
      A context manager.
    """
    graph = outer = get_default_graph()
    scope = graph.get_name_scope()
    while outer.building_function:
        outer = outer.outer_graph
    with outer.as_default(), outer.name_scope(scope + "/" if scope else None), outer.control_dependencies(None):
        with outer.scopes.replaced(context=None):
            yield


def check_initial_value(graph, initial_value):
    """Raises ValueError if an initial value is computed in a function's body: the variable outlives the calls."""
    while graph.building_function:
        if isinstance(initial_value, Tensor) and initial_value.op.graph is graph:
            raise ValueError(
                f"Initial value {initial_value!r} is from inside the function '{graph.name}'. When creating a variable "
                "inside of a function, use a lambda as the initializer."
            )
        graph = graph.outer_graph


def trainable(dtype):
    """Whether gradients flow to values of a type."""
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base is dtypes.resource or base is dtypes.variant
