"""`tf.cond`: runs one of two branches, chosen by a value that the step computes."""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import is_containing_context
from tfcore.framework.graph.graph import GraphKeys, get_default_graph, name_scope
from tfcore.framework.graph.operation import Operation
from tfcore.framework.types import dtypes, nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.context import (
    ControlFlowContext,
    add_controls,
    from_flow,
    replace_input,
    to_flow,
)
from tfcore.ops.cwise import cast


class CondContext(ControlFlowContext):
    """A branch of a conditional.

    Attributes: `pred`, the condition; `branch`, 1 for true, 0 for false; `pivot`, a tensor that is live when the branch
    is taken.
    """

    def __init__(self, pred, pivot, branch, name="cond_text"):
        super().__init__(get_default_graph().unique_name(name))
        self._pred = pred
        self._pivot = pivot
        self._branch = branch
        self._values.add(pred.name)
        self._external_values[pred.name] = pred
        self._values.add(pivot.name)
        pivot.op._set_control_flow_context(self)

    @property
    def pred(self):
        return self._pred

    @property
    def pivot(self):
        return self._pivot

    @property
    def branch(self):
        return self._branch

    @property
    def grad_state(self):
        loop = self.GetWhileContext()
        return None if loop is None else loop.grad_state

    @property
    def back_prop(self):
        loop = self.GetWhileContext()
        return loop is not None and loop.back_prop

    def IsCondContext(self):  # noqa: N802  TensorFlow's name, like those below
        return True

    def GetControlPivot(self):  # noqa: N802
        return self._pivot

    def AddValue(self, val):  # noqa: N802
        """The tensor for `val` in this branch: the output of a Switch if `val` is from outside."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        result = self._known_outside(val)
        with self.graph.control_dependencies(None):
            result = switch_ref_or_tensor(result, self._pred)[self._branch]
        op = result.op
        self.graph.prevent_fetching(op)
        op._set_control_flow_context(self)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)
        self._mark_known([result.name])
        self._external_values[val.name] = result
        return result

    def _known_outside(self, val):
        """The tensor for `val` in the enclosing context."""
        self._values.add(val.name)
        if self._outer_context is None:
            return val
        result = self._outer_context.AddValue(val)
        self._values.add(result.name)
        self._external_values[result.name] = result
        return result

    def _mark_known(self, names):
        """Makes tensors known here and in all enclosing contexts."""
        context = self
        while context is not None:
            context._values.update(names)
            context = context.outer_context

    def AddOp(self, op):  # noqa: N802
        """Adds an operation that was made in this branch; routes its inputs from outside through a Switch."""
        if not op.inputs:
            external = self._remove_external_control_edges(op)
            self._wait_for_external(op, external)
            if not any(is_containing_context(c._control_flow_context, self) for c in op.controls):
                add_controls(op, [self._pivot.op])
        else:
            for index, tensor in enumerate(op.inputs):
                # A loop that is being imported: the source of the back edge is added later.
                if op.type == "Merge" and tensor.op.type == "NextIteration":
                    continue
                real = self.AddValue(tensor)
                if real is not tensor:
                    replace_input(op, index, real)
            self._wait_for_external(op, self._remove_external_control_edges(op))
        self._mark_known([t.name for t in op.outputs])
        self.guard(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def BuildCondBranch(self, fn):  # noqa: N802
        """Calls `fn` in this branch. Returns its result, unchanged and as a structure of tensors."""
        original = fn()
        if original is None:
            return None, None
        result = nest.map_structure(self._result_tensor, original, expand_composites=True)
        return original, result if isinstance(result, (list, tuple)) else [result]

    def _result_tensor(self, value):
        if isinstance(value, Operation):  # the pivot, after the operation
            from tfcore.ops.control_flow.control import with_dependencies

            return with_dependencies([value], self._pivot)
        tensor = convert_to_tensor(to_flow(value))
        if tensor.name in self._values:
            return self._external_values.get(tensor.name, tensor)
        result = switch_ref_or_tensor(self._known_outside(tensor), self._pred)[self._branch]
        self._external_values[tensor.name] = result
        return result


def switch_ref_or_tensor(data, pred):
    """The (false, true) outputs of a Switch colocated with `data`; of a RefSwitch for a reference."""
    graph = get_default_graph()
    with graph.colocate_with(data.op, ignore_existing=True):
        kind = "RefSwitch" if data.dtype._is_ref_dtype else "Switch"
        return get_op_def(kind)(data, pred, name="Switch")


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """Returns the result of `true_fn()` in steps where `pred` is true, otherwise that of `false_fn()`.

    Both functions are called once, when the graph is built. The operations that they make run only in steps that take
    their branch; operations made outside run in any case. A side effect in a branch happens only if something fetched
    depends on it: return the operation, or a tensor with a control dependency on it.

    Args:
      pred: A scalar `Tensor` of type bool.
      true_fn: A function without arguments. It returns a `Tensor` (or what converts to one), `TensorArray`,
        `SparseTensor`, `IndexedSlices` or `Operation`, or a nest of them.
      false_fn: A function that returns the same structure of the same types.
      strict: Whether a list or tuple of one element is returned as it is, not as its element.
      name: Prefix of the names of the operations (optional).
      fn1: Old name of `true_fn`.
      fn2: Old name of `false_fn`.

    Returns:
      The structure that the functions return, with `Tensor`s that have the values of the branch taken; a bool `Tensor`
      for an `Operation`.

    Raises:
      TypeError: A function is missing or not callable, `pred` is a Python bool, or the kinds of sequences differ.
      ValueError: A function returns nothing, or the structures or types differ.

    Example:

    >>> x = tf.placeholder(tf.float32, [])
    >>> magnitude = tf.cond(x < 0, lambda: -x, lambda: x)
    >>> print(sess.run(magnitude, {x: -3.0}), sess.run(magnitude, {x: 2.0}))
    3.0 2.0
    """
    true_fn = _one_of("true_fn", true_fn, "fn1", fn1)
    false_fn = _one_of("false_fn", false_fn, "fn2", fn2)
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        identity = get_op_def("Identity")
        with name_scope(None, "Switch") as scope:
            pred = convert_to_tensor(pred, name="data")
            pivot_false, pivot_true = get_op_def("Switch")(pred, pred, name=scope)
        switch_op = pivot_true.op
        pivot_true, pivot_false = identity(pivot_true, name="switch_t"), identity(pivot_false, name="switch_f")
        pred = identity(pred, name="pred_id")
        for op in (switch_op, pivot_true.op, pivot_false.op, pred.op):
            op.graph.prevent_fetching(op)
        context_true, original_true, true = _branch(pred, pivot_true, 1, true_fn, "true_fn")
        context_false, original_false, false = _branch(pred, pivot_false, 0, false_fn, "false_fn")
        if not strict:
            original_true, original_false = _unpack_singleton(original_true), _unpack_singleton(original_false)
        true, false = _checked_results(original_true, true, original_false, false)
        merged = [_merge(f, t) for f, t in zip(false, true)]
        merged = [from_flow(o, m) for o, m in zip(nest.flatten(original_true, expand_composites=True), merged)]
        if context_true.outer_context is None:
            for context in (context_true, context_false):
                context.graph.add_to_collection(GraphKeys.COND_CONTEXT, context)
        result = nest.pack_sequence_as(original_true, merged, expand_composites=True)
        return result if strict else _unpack_singleton(result)


def _merge(false, true):
    """The value of the branch taken; a reference if both branches give one, as loops over references need."""
    both = false.dtype._is_ref_dtype and true.dtype._is_ref_dtype
    return get_op_def("RefMerge" if both else "Merge")([false, true], name="Merge")[0]


def _one_of(name, function, old_name, old):
    if old is not None:
        if function is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        function = old
    elif function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")
    return function


def _branch(pred, pivot, branch, function, what):
    context = CondContext(pred, pivot, branch)
    context.Enter()
    try:
        original, result = context.BuildCondBranch(function)
        if original is None:
            raise ValueError(f"'{what}' must have a return value.")
        context.ExitResult(result)
    finally:
        context.Exit()
    return context, original, result


def _unpack_singleton(result):
    return result[0] if isinstance(result, (list, tuple)) and len(result) == 1 else result


def _checked_results(original_true, true, original_false, false):
    """The flat lists of both branches' tensors; raises if the results differ in structure or types."""
    nest.assert_same_structure(original_true, original_false, expand_composites=True)
    for t, f in zip(nest.flatten(true), nest.flatten(false)):
        if isinstance(t, IndexedSlices) and t.indices.dtype is not f.indices.dtype:
            for slices in (t, f):
                slices._indices = cast.cast(slices.indices, dtypes.int64)
    true, false = (nest.flatten(r, expand_composites=True) for r in (true, false))
    if not true:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    for t, f in zip(true, false):
        if t.dtype.base_dtype is not f.dtype.base_dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{t.dtype.name} from 'true_fn' and {f.dtype.name} from 'false_fn'."
            )
    return true, false
