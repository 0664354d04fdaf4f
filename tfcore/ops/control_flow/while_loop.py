"""`tf.while_loop`: repeats operations within a step while a condition holds."""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import (
    containing_while_context,
    is_loop_constant_enter,
    is_loop_exit,
    output_context,
    while_context,
)
from tfcore.framework.graph.graph import GraphKeys, get_default_graph, name_scope
from tfcore.framework.graph.operation import Tensor, rewire
from tfcore.framework.types import nest
from tfcore.framework.types.tensor_shape import TensorShape, as_dims
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.control_flow.cond import switch_ref_or_tensor
from tfcore.ops.control_flow.context import (
    ControlFlowContext,
    add_controls,
    from_flow,
    is_tensor_array,
    replace_input,
    to_flow,
    to_tensor_or_composite,
)
from tfcore.ops.control_flow.while_gradient import LoopBackprop

_SHAPE_OPS = frozenset(["Shape", "Size", "Rank"])


class WhileContext(LoopBackprop, ControlFlowContext):
    """A loop.

    Attributes: `loop_enters`, `loop_exits`: the loop variables' tensors at the start and after the end; `pivot`: the
    output of LoopCond; `parallel_iterations`, `back_prop`, `swap_memory`, `maximum_iterations`: as given; `grad_state`:
    of a loop that computes gradients, else None.
    """

    def __init__(
        self,
        maximum_iterations=None,
        parallel_iterations=10,
        back_prop=True,
        swap_memory=False,
        name="while_context",
        grad_state=None,
    ):
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(f"'parallel_iterations' must be a positive integer: {parallel_iterations}")
        super().__init__(get_default_graph().unique_name(name))
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._grad_state = grad_state
        # Control inputs of constants: those in the condition run once more than those in the body.
        self._pivot_for_pred = None
        self._pivot_for_body = None
        self._pivot = None
        self._loop_enters = []
        self._loop_exits = []

    @property
    def maximum_iterations(self):
        return self._maximum_iterations

    @property
    def parallel_iterations(self):
        return self._parallel_iterations

    @property
    def back_prop(self):
        return self._back_prop

    @property
    def swap_memory(self):
        return self._swap_memory

    @property
    def pivot(self):
        return self._pivot

    @property
    def pivot_for_pred(self):
        return self._pivot_for_pred

    @property
    def pivot_for_body(self):
        return self._pivot_for_body

    @property
    def loop_enters(self):
        return self._loop_enters

    @property
    def loop_exits(self):
        return self._loop_exits

    @property
    def grad_state(self):
        return self._grad_state

    def IsWhileContext(self):  # noqa: N802  TensorFlow's name, like those below
        return True

    def GetWhileContext(self):  # noqa: N802
        return self

    def GetControlPivot(self):  # noqa: N802
        return self._pivot_for_pred if self._pivot_for_body is None else self._pivot_for_body

    # ---- Values that enter

    def AddValue(self, val):  # noqa: N802
        """The tensor for `val` in this loop: a constant Enter if `val` is from outside."""
        # A loop that is being imported inside this one has operations whose outputs are not known yet.
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        saved = self._saved_forward_value(val)
        if saved is not None:
            self._external_values[val.name] = saved
            return saved
        result = val if self._outer_context is None else self._outer_context.AddValue(val)
        with self.graph.control_dependencies(None):
            enter = self._enter(result, is_constant=True)
        enter.dims = result.dims
        self._fix_enters([enter])
        self._values.add(enter.name)
        self._external_values[val.name] = enter
        return enter

    def _saved_forward_value(self, val):
        """In a loop that computes gradients: the value of `val` in the matching iteration of the forward loop."""
        current = containing_while_context(self.graph._get_control_flow_context())
        if current is None or current.grad_state is None:
            return None
        forward = while_context(val.op)
        if is_loop_exit(val.op) and forward is not None:
            forward = containing_while_context(forward.outer_context)
        if forward is not current.grad_state.forward_context:
            return None
        return current.grad_state.GetRealValue(val)

    def _enter(self, tensor, is_constant=False, name=None):
        """The Enter of a tensor that is known in the enclosing context; made outside of all contexts."""
        kind = "RefEnter" if tensor.dtype._is_ref_dtype else "Enter"
        enter = get_op_def(kind)(
            tensor, self._name, is_constant=is_constant, parallel_iterations=self._parallel_iterations, name=name
        )
        self.graph.prevent_feeding(enter)
        self.graph.prevent_fetching(enter.op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(enter.op)
        return enter

    def _fix_enters(self, enters):
        """Puts new Enters into this loop, with those current control dependencies that they can have."""
        graph = self.graph
        for enter in enters:
            controls = graph._control_dependencies_for_inputs([enter.op.inputs[0].op])
            enter.op._set_control_flow_context(self)
            add_controls(enter.op, [op for op in controls if self._is_in_surroundings(output_context(op))])
            graph._record_op_seen_by_control_dependencies(enter.op)

    def _is_in_surroundings(self, context):
        """Whether operations of a context run in the same iterations of the enclosing loop as this loop's Enters."""
        outer = self._outer_context
        outer_loop = containing_while_context(outer)
        while outer is not context:
            if outer is None or outer is outer_loop:
                return False
            outer = outer.outer_context
        return True

    def AddOp(self, op):  # noqa: N802
        """Adds an operation that was made in this loop; routes its inputs from outside through an Enter."""
        # The shape of a value of the forward loop is computed there, so that only the shape is saved.
        if op.type in _SHAPE_OPS:
            current = containing_while_context(self.graph._get_control_flow_context())
            if current is not None and current.grad_state is not None:
                source = op.inputs[0].op
                if while_context(source) is current.grad_state.forward_context:
                    context = source._control_flow_context
                    op._set_control_flow_context(context)
                    (context._add_op if context.IsWhileContext() else context.AddOp)(op)
                    return
        self._add_op(op)

    def _add_op(self, op):
        if not op.inputs:
            external = self._remove_external_control_edges(op)
            if not op.controls:
                add_controls(op, [self.GetControlPivot().op])
        else:
            for index, tensor in enumerate(op.inputs):
                real = self.AddValue(tensor)
                if real is not tensor:
                    replace_input(op, index, real)
            external = self._remove_external_control_edges(op)
            # With loop invariants only, it would otherwise also run if its loop does not.
            if not op.controls and all(is_loop_constant_enter(t.op) for t in op.inputs):
                add_controls(op, [self.GetControlPivot().op])
        self._values.update([t.name for t in op.outputs])
        self._wait_for_external(op, external)
        self.guard(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    # ---- Building

    def BuildLoop(self, pred, body, loop_vars, shape_invariants, return_same_structure):  # noqa: N802
        """Adds the loop; returns the loop variables after its end."""
        flat_originals = nest.flatten(loop_vars, expand_composites=True)
        loop_vars = nest.map_structure(lambda v: v if is_tensor_array(v) else to_tensor_or_composite(v), loop_vars)
        flat_vars = [to_flow(v) for v in nest.flatten(loop_vars, expand_composites=True)]
        variables = nest.flatten(loop_vars)
        if shape_invariants is None:
            given = [None] * len(variables)
        else:
            nest.assert_same_structure(loop_vars, shape_invariants)
            given = nest.flatten(shape_invariants)
        invariants = [shape for variable, g in zip(variables, given) for shape in _shapes_of(variable, g)]
        self.Enter()
        try:
            result, exits = self._build(pred, body, flat_originals, flat_vars, invariants, loop_vars)
        finally:
            self.Exit()
        flat = [from_flow(o, e) for o, e in zip(nest.flatten(result, expand_composites=True), exits)]
        packed = nest.pack_sequence_as(result, flat, expand_composites=True)
        return packed[0] if len(exits) == 1 and not return_same_structure else packed

    def _build(self, pred, body, flat_originals, flat_vars, invariants, structure):
        merges = self._add_merges(flat_vars, invariants)

        def packed(tensors):
            flat = [from_flow(o, t) for o, t in zip(flat_originals, tensors)]
            return nest.pack_sequence_as(structure, flat, expand_composites=True)

        condition = convert_to_tensor(pred(*packed(merges)))
        self._pivot = get_op_def("LoopCond")(condition, name="LoopCond")
        switches = [switch_ref_or_tensor(m, self._pivot) for m in merges]
        in_body = [_identity(s[1]) for s in switches]
        self._pivot_for_body = in_body[0]
        arguments = packed(in_body)
        result = body(*arguments)
        if not nest.is_nested(result):
            result = [result]
        # Early versions of TensorFlow took any kind of sequence at the top level.
        nest.assert_same_structure(list(arguments), list(result), expand_composites=True)
        flat_result = nest.flatten(result, expand_composites=True)
        for merge, value in zip(merges, [convert_to_tensor(to_flow(v)) for v in flat_result], strict=True):
            _add_back_edge(merge, value)
        self._loop_exits = [_exit(s[0]) for s in switches]
        self.ExitResult(self._loop_exits)
        return result, self._loop_exits

    def _add_merges(self, flat_vars, invariants):
        """Adds Enter and Merge of each loop variable."""
        self._values = {v.name for v in flat_vars}
        outer = self._outer_context
        real_vars = flat_vars if outer is None else [outer.AddValue(v) for v in flat_vars]
        enters = []
        with self.graph.control_dependencies(None):
            for var, invariant in zip(real_vars, invariants):
                if not _is_no_more_general(var.shape, invariant):
                    raise ValueError(
                        f"The shape invariant specified for {var.name} is not compatible with the initial shape of "
                        "the loop "
                        f"variable. It enters the loop with shape {var.shape}, but the specified shape invariant is "
                        f"{invariant}."
                    )
                enter = self._enter(var)
                enter.dims = as_dims(invariant)
                enters.append(enter)
        pivot = None
        while outer is not None and pivot is None:
            pivot, outer = outer.GetControlPivot(), outer.outer_context
        if pivot is not None:  # starts from invariants of the enclosing loop: once per iteration of it
            for enter in enters:
                if is_loop_constant_enter(enter.op.inputs[0].op):
                    add_controls(enter.op, [pivot.op])
        self._fix_enters(enters)
        self._values = {e.name for e in enters}
        self._loop_enters = enters
        merges = [_merge(e) for e in enters]
        self._pivot_for_pred = merges[0]
        return merges


# ---- Primitives, for tensors and references


def _primitive(kind, tensor):
    return get_op_def("Ref" + kind if tensor.dtype._is_ref_dtype else kind)(tensor)


def _identity(tensor):
    return _primitive("Identity", tensor)


def _exit(tensor):
    return _primitive("Exit", tensor)


def _merge(enter):
    """The Merge of a loop variable, whose second input will become the value of the next iteration."""
    return get_op_def("RefMerge" if enter.dtype._is_ref_dtype else "Merge")([enter, enter])[0]


def _add_back_edge(merge, value):
    """Connects the value at the end of an iteration to the Merge."""
    enter = merge.op.inputs[0].op
    start = enter.inputs[0]
    if value.dtype.base_dtype is not merge.dtype.base_dtype:
        raise TypeError(
            f"Loop variable '{start.name}' enters the loop with dtype {merge.dtype.base_dtype.name}, but has dtype "
            f"{value.dtype.base_dtype.name} after one iteration (tensor '{value.name}'): "
            "a loop variable keeps its dtype."
        )
    following = _primitive("NextIteration", value)
    if not _is_no_more_general(following.shape, merge.shape):
        raise ValueError(
            f"Input tensor '{start.name}' enters the loop with shape {start.shape}, but has shape {following.shape} "
            "after one "
            "iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument of "
            "tf.while_loop to "
            "specify a less-specific shape."
        )
    rewire(merge.op, 1, following)


# ---- Shape invariants


def _is_no_more_general(shape, invariant):
    """Whether each known size of the invariant equals that of the shape."""
    dims, bound = as_dims(shape), as_dims(invariant)
    if bound is None:
        return True
    return dims is not None and len(dims) == len(bound) and all(b is None or b == d for d, b in zip(dims, bound))


def _shapes_of(var, given):
    """Invariants of the tensors of a loop variable, from its given invariant (None: its own shape)."""
    var = to_flow(var)
    parts = var.components() if nest.is_composite(var) else [var]
    if given is not None and not isinstance(given, TensorShape):
        raise TypeError(f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(given)}")
    if isinstance(var, SparseTensor):  # the number of elements may always change
        rank = (var.dense_shape.shape if given is None else given).with_rank(1)[0].value
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if given is None:
        return [p.shape for p in parts]
    if isinstance(var, IndexedSlices):
        return [given, given[:1], TensorShape([given.rank])][: len(parts)]
    return [given]


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
    maximum_iterations=None,
    return_same_structure=False,
):
    """Repeats `body` while `cond` is true.

    Both functions are called once, when the graph is built, with tensors that represent the loop variables. The
    operations that they make run in each iteration; tensors made outside have the same value in all iterations.

    Args:
      cond: A function of the loop variables that returns a scalar `Tensor` of type bool.
      body: A function of the loop variables that returns their next values, in the same structure.
      loop_vars: A list, tuple or namedtuple, possibly nested, of `Tensor`s (or what converts to them), `TensorArray`s,
        `SparseTensor`s or `IndexedSlices`.
      shape_invariants: `TensorShape`s in the same structure: the shapes that hold in all iterations. None, for
        all or for one, means the shape at the start. It is the shape [rank] of the dense shape for a `SparseTensor`,
        the shape of the values for `IndexedSlices`.
      parallel_iterations: An int: how many iterations may run at the same time. With 1, each iteration sees the
        variables as the one before has left them; with more, iterations that assign to one have no order.
      back_prop: Whether `tf.gradients` may go through the loop.
      swap_memory: Whether values that a long loop saves for its gradient may be moved to slower memory.
      name: Prefix of the names of the operations (optional).
      maximum_iterations: A scalar of an integer type: the loop ends after that many iterations.
      return_same_structure: Whether a single loop variable is returned in the structure of `loop_vars`, not bare.

    Returns:
      The structure that `body` returns, with the last values as `Tensor`s.

    Raises:
      TypeError: A function is not callable, the kinds of sequences differ, or a variable changes its dtype.
      ValueError: There are no loop variables, the structures differ, or a shape does not match its invariant.

    Example:

    >>> i, power = tf.while_loop(lambda i, power: i < 10, lambda i, power: (i + 1, 2 * power), [0, 1])
    >>> print(sess.run([i, power]))
    [np.int32(10), np.int32(1024)]
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    with name_scope(name, "while", nest.flatten(loop_vars, expand_composites=True)):
        if not nest.is_nested(loop_vars) and (isinstance(loop_vars, Tensor) or loop_vars):
            raise TypeError(f"object of type '{type(loop_vars).__name__}' has no len(): 'loop_vars' must be a list.")
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, name="maximum_iterations")
            cond, body, loop_vars, shape_invariants = _bounded(
                cond, body, loop_vars, shape_invariants, maximum_iterations, return_same_structure
            )
        context = WhileContext(maximum_iterations, parallel_iterations, back_prop, swap_memory)
        result = context.BuildLoop(cond, body, loop_vars, shape_invariants, return_same_structure)
        if context.outer_context is None:  # nested contexts are written with their outer ones
            context.graph.add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        return result if maximum_iterations is None else result[1]


def _bounded(cond, body, loop_vars, shape_invariants, limit, return_same_structure):
    """The same loop with two variables: a counter, and the original loop variables."""
    if limit.shape.ndims != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    from tfcore.ops.cwise.compare import logical_and

    counter = convert_to_tensor(0, dtype=limit.dtype, name="iteration_counter")
    single = len(loop_vars) == 1 and not return_same_structure
    if shape_invariants is not None:
        shape_invariants = (TensorShape([]), shape_invariants[0] if single else shape_invariants)
    if single:
        loop_vars = (counter, loop_vars[0])
        bounded_cond = lambda i, lv: logical_and(i < limit, cond(lv))  # noqa: E731
        bounded_body = lambda i, lv: (i + 1, body(lv))  # noqa: E731
    else:
        loop_vars = (counter, loop_vars)
        bounded_cond = lambda i, lv: logical_and(i < limit, cond(*lv))  # noqa: E731
        bounded_body = lambda i, lv: (i + 1, _in_kind_of(lv, body(*lv)))  # noqa: E731
    return bounded_cond, bounded_body, loop_vars, shape_invariants


def _in_kind_of(loop_vars, result):
    """`result` as a sequence like `loop_vars`: as in loops without a limit, the body may return any kind."""
    if not nest.is_nested(result):
        result = [result]
    return type(loop_vars)(result) if {type(loop_vars), type(result)} == {list, tuple} else result
