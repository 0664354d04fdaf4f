"""Base of conditionals and loops: contexts, to which operations made inside of them are added.

A graph under construction has a current context (per thread), entered with `Enter` and left with `Exit`. Every
operation belongs to the context that it was made in; its inputs from outside go through `AddValue`, which makes the
Switch or Enter operations for them. Names of methods are TensorFlow's: gradients in users' programs call them.
"""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import is_loop_exit, output_context
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.operation import Tensor, rewire
from tfcore.framework.types import nest
from tfcore.framework.values.conversion import convert_to_tensor


class ControlFlowContext:
    """A branch of a conditional, or a loop.

    Attributes: `name`; `outer_context`: the enclosing context, or None.
    """

    def __init__(self, name):
        self._name = name
        self.graph = get_default_graph()
        self._outer_context = self.graph._get_control_flow_context()
        self._nested_contexts = []
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._context_stack = []
        self._values = set()  # names of the tensors that are known here
        self._external_values = {}  # name of a tensor from outside -> the tensor that represents it here

    @classmethod
    def with_name(cls, name):
        """A context with only its name and its enclosing context known."""
        self = cls.__new__(cls)
        ControlFlowContext.__init__(self, name)
        return self

    @property
    def name(self):
        return self._name

    @property
    def outer_context(self):
        return self._outer_context

    def __str__(self):
        return self._name

    def Enter(self):  # noqa: N802  TensorFlow's name, like those below
        """Makes this the current context."""
        self._context_stack.append(self.graph._get_control_flow_context())
        self.graph._set_control_flow_context(self)

    def Exit(self):  # noqa: N802
        """Restores the context that was current at `Enter`."""
        self.graph._set_control_flow_context(self._context_stack.pop())

    def AddName(self, name):  # noqa: N802
        """Makes the tensor of this name known as a value of this context."""
        self._values.add(name)

    def ExitResult(self, result):  # noqa: N802
        """Makes tensors (a nested structure of them) known in the outer context."""
        if self._outer_context is not None:
            for tensor in nest.flatten(result, expand_composites=True):
                self._outer_context.AddName(tensor.name)

    def GetWhileContext(self):  # noqa: N802
        """The innermost enclosing loop, or None."""
        return None if self._outer_context is None else self._outer_context.GetWhileContext()

    def GetControlPivot(self):  # noqa: N802
        """The tensor that is live exactly when this context runs: a control input for operations without inputs."""
        return None

    def IsWhileContext(self):  # noqa: N802
        return False

    def IsCondContext(self):  # noqa: N802
        return False

    def AddInnerOp(self, op):  # noqa: N802
        """Called for operations that are added to inner contexts."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def guard(self, op):
        """Keeps values of branches and iterations from being fetched or fed: there may be none, or many."""
        if self._outer_context is not None or not is_loop_exit(op):
            self.graph.prevent_fetching(op)
            for tensor in op.outputs:
                self.graph.prevent_feeding(tensor)

    def _remove_external_control_edges(self, op):
        """Removes and returns the control inputs of a new operation that are not in the same loop."""
        loop = self.GetWhileContext()
        if loop is None or not op.controls:
            return ()
        internal, external = [], []
        for control in op.controls:
            context = output_context(control)
            inside = context is not None and context.GetWhileContext() is loop
            (internal if inside else external).append(control)
        op.controls = tuple(internal)
        return external

    def _wait_for_external(self, op, external):
        """Makes a new operation wait for operations outside of the loop, by a value that enters after them."""
        if not external:
            return
        graph = self.graph
        values = [_value_after(control) for control in external]
        with graph.control_dependencies(None):
            self.Enter()
            try:
                controls = [get_op_def("Identity")(value).op for value in values]
            finally:
                self.Exit()
        add_controls(op, controls)


def _value_after(op):
    """A tensor that is available when `op` has run: its first output, or a constant that waits for it."""
    if op.outputs and not op.outputs[0].dtype._is_ref_dtype:
        return op.outputs[0]
    graph, context = op.graph, output_context(op)
    with graph.control_dependencies(None):
        graph._set_control_flow_context(context)
        with graph.control_dependencies([op]):
            return convert_to_tensor(True, name="done")


def add_controls(op, controls):
    """Adds control inputs to an operation that is in no plan yet."""
    op.controls = tuple(dict.fromkeys((*op.controls, *controls)))


def replace_input(op, index, tensor):
    """Replaces an input of an operation that is in the graph or just being added."""
    if op.graph._nodes_by_name.get(op.name) is op:
        rewire(op, index, tensor)
    else:
        op.inputs[index] = tensor


# ---- Values that enter and leave contexts


def is_tensor_array(value):
    """Whether `value` is a TensorArray, which passes through loops and conditionals as its flow."""
    return hasattr(value, "flow") and hasattr(value, "handle")


def to_flow(value):
    """The flow of a TensorArray; anything else unchanged."""
    return value.flow if is_tensor_array(value) else value


def from_flow(value, tensor):
    """The TensorArray `value` with the flow `tensor`, or just `tensor` if `value` is not one."""
    if not is_tensor_array(value):
        return tensor
    from tfcore.ops.state.tensor_array import build_ta_with_new_flow

    return build_ta_with_new_flow(value, tensor)


def to_tensor_or_composite(value):
    """`value` as a Tensor, SparseTensor or IndexedSlices; references to variables become their values."""
    if isinstance(value, Tensor) or nest.is_composite(value):
        return value
    return convert_to_tensor(value)
