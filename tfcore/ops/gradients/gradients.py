"""Symbolic gradients: adds to the graph the operations that compute d(sum of ys)/d(xs).

Reverse accumulation over the operations between xs and ys (Griewank and Walther, "Evaluating Derivatives", ch. 3), with
the gradient function in each op type's definition.
"""

import collections
import contextlib
import enum

from tfcore.framework.definitions.op_def import gradient_function
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import as_reference, convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.gradients.gates import gate

_LEAVES_LOOP = frozenset(["Exit", "RefExit"])
_SWITCHES = frozenset(["Switch", "RefSwitch"])


class AggregationMethod:
    """How gradients from several users of a tensor are added. Accepted for compatibility: all methods add with AddN."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """The result of `gradients` for an x on which no y depends: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """Adds operations that compute the gradient of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: A `Tensor` or `Variable`, or a list of them.
      xs: A `Tensor` or `Variable`, or a list of them.
      grad_ys: The initial gradient of each y, a `Tensor` of its type, which is broadcast to its shape; ones where None.
      name: Prefix of the names of the operations (optional).
      colocate_gradients_with_ops: Whether gradients are computed on the device of the operation that they belong to.
      gate_gradients: Whether the gradients of an operation are used only when all of them are computed. This matters
        only for exported graphs: here a step reads each variable once, so an update cannot reach the gradients of the
        same step.
      aggregation_method: A constant of `tf.AggregationMethod`; all give the sum.
      stop_gradients: A `Tensor` or a list of them to treat as constants.
      unconnected_gradients: A `tf.UnconnectedGradients`, or "none" or "zero": the result for an x that no y depends on.

    Returns:
      A list with a `Tensor`, `IndexedSlices` or None for each x.

    Raises:
      LookupError: An operation on a path from an x to a y has no gradient; the message shows the path.
      TypeError: A y has a type without gradients, or `grad_ys` has another type than its y.
      ValueError: The lengths or shapes of `ys` and `grad_ys` don't fit together, or `unconnected_gradients` is not
        valid.

    Example:

    >>> x = tf.constant(3.0)
    >>> y = x * x + 2.0 * x
    >>> print(sess.run(tf.gradients(y, x)))
    [np.float32(8.0)]
    """
    ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    stops = [] if stop_gradients is None else stop_gradients
    stops = list(stops) if isinstance(stops, (list, tuple)) else [stops]
    try:
        unconnected_gradients = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}") from None
    grad_ys = (
        [None] * len(ys) if grad_ys is None else list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    )
    if len(grad_ys) != len(ys):
        raise ValueError(f"Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
    with name_scope(name, "gradients", [*ys, *xs, *stops]):
        y_tensors = [_tensor(y) for y in ys]
        x_tensors = [_tensor(x) for x in xs]
        stop_ops = {_tensor(t) for t in stops}
        initial = _initial_gradients(y_tensors, grad_ys, colocate_gradients_with_ops)
        tape = _Backward(y_tensors, x_tensors, stop_ops, colocate_gradients_with_ops, gate_gradients)
        result = tape.run(initial)
        if unconnected_gradients is UnconnectedGradients.ZERO:
            result = [_zeros_for(x) if g is None else g for g, x in zip(result, x_tensors)]
    return result


def _tensor(value):
    """The Tensor whose users are those of `value`; for a variable its reference."""
    if isinstance(value, IndexedSlices):
        value = value.values
    if not isinstance(value, Tensor):
        value = as_reference(value)
    graph = get_default_graph()
    return graph.stand_in(value) if graph.building_function else value


def _value_of(tensor):
    from tfcore.ops.array.array import identity

    return identity(tensor) if tensor.dtype._is_ref_dtype else tensor


def _zeros_for(tensor):
    """A gradient of zeros; for a handle, in the shape of the variable."""
    from tfcore.ops.array.constants import zeros, zeros_like

    if tensor.dtype is dtypes.resource:
        from tfcore.ops.state.resource_variable import gradient_dtype, gradient_shape

        return zeros(gradient_shape(tensor), gradient_dtype(tensor))
    return zeros_like(_value_of(tensor))


def _initial_gradients(ys, grad_ys, colocate):
    from tfcore.ops.array.constants import ones_like

    result = []
    for i, (y, given) in enumerate(zip(ys, grad_ys)):
        if not _differentiable(y.dtype) and not y.dtype.is_integer:  # nothing flows back from integers
            raise TypeError(f"Gradients of tensors must be numbers, but {y.name} has dtype {y.dtype.name}.")
        if given is None:
            if y.dtype.is_complex:
                raise TypeError(f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})")
            with get_default_graph().colocate_with(y.op) if colocate else contextlib.nullcontext():
                result.append(ones_like(_value_of(y), name=f"grad_ys_{i}"))
            continue
        if not isinstance(given, IndexedSlices):
            given = convert_to_tensor(given, preferred_dtype=y.dtype.base_dtype, name=f"grad_ys_{i}")
        if given.dtype.base_dtype is not y.dtype.base_dtype:
            raise TypeError(f"Gradient type {given.dtype.name} generated for tensor {y.name} with dtype {y.dtype.name}")
        if not isinstance(given, IndexedSlices):
            given = _broadcast(given, y)
        result.append(given)
    return result


def _broadcast(grad, y):
    """`grad` in the shape of y, as far as static shapes tell; without leading dimensions of 1 that y does not have."""
    from tfcore.ops.array.array import shape, squeeze
    from tfcore.ops.array.move import broadcast_to

    if grad.dims is not None and y.dims is not None:
        extra = max(len(grad.dims) - len(y.dims), 0)
        if extra and set(grad.dims[:extra]) == {1}:
            grad = squeeze(grad, list(range(extra)))
        if len(grad.dims) < len(y.dims) or any(g == 1 != d for g, d in zip(grad.dims, y.dims)):
            return broadcast_to(grad, shape(_value_of(y)))
    merge(grad.dims, y.dims)
    return grad


def _differentiable(dtype):
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base is dtypes.resource or base is dtypes.variant


class _Backward:
    """One reverse sweep."""

    def __init__(self, ys, xs, stops, colocate, gated):
        self.ys = ys
        self.xs = xs
        self.stops = stops
        self.colocate = colocate
        self.gated = gated
        self.wanted = set(xs)
        self.loops = None  # the loops on the path: see control_flow/gradient_state.py
        self.pushes = {}  # pop of a stack -> the pushes on it
        self.grads = {}  # tensor -> list of its gradients so far
        self._find_path()

    def _find_path(self):
        """Operations on a path from some x to some y, and how many of their users lie on one too."""
        between = set()
        todo = list(self.xs)  # including those to stop at: their users have gradients for them
        reached = set(todo)
        while todo:
            tensor = todo.pop()
            for op in tensor.consumers():
                if op in between:
                    continue
                between.add(op)
                outputs = op.outputs
                if op.type == "StackPushV2":  # of a loop whose gradient is differentiated
                    pops = self._pops_of(op)
                    between.update(pops)
                    outputs = [*outputs, *(pop.outputs[0] for pop in pops)]
                for t in outputs:
                    if t not in self.stops and t not in reached and _differentiable(t.dtype):
                        reached.add(t)
                        todo.append(t)
        self.between = between
        self.pending = collections.Counter()
        todo = [op for op in {y.op for y in self.ys} if op in between]
        seen = set(todo)
        while todo:
            op = todo.pop()
            for producer in self._producers(op):
                if producer in between:
                    self.pending[producer] += 1
                    if producer not in seen:
                        seen.add(producer)
                        todo.append(producer)
        self.needed = seen

    def _pops_of(self, push):
        from tfcore.ops.control_flow.gradient_state import pops_of

        pops = pops_of(push)
        self.pushes.update((pop, push) for pop in pops)
        return pops

    def _producers(self, op):
        """The operations that values of `op` come from; for a pop, the pushes."""
        push = self.pushes.get(op)
        return dict.fromkeys(t.op for t in op.inputs) if push is None else [push]

    def run(self, initial):
        """The gradients of the xs. New operations have the line of the call of gradients(), which is found once."""
        self.scopes = get_default_graph().scopes
        self.outer_frames = self.scopes.frames
        with self.scopes.with_user_frames():
            pushes = {push: None for pop, push in self.pushes.items() if pop in self.needed}
            if pushes or any(op.type in _LEAVES_LOOP for op in self.needed):
                from tfcore.ops.control_flow.gradient_state import ControlFlowState

                ys = {y.op for y in self.ys}
                self.loops = ControlFlowState.of(self.needed, pushes, self.pending, ys, self.colocate)
            return self._sweep(initial)

    def _sweep(self, initial):
        for y, grad in zip(self.ys, initial):
            self.grads.setdefault(y, []).append(grad)
        ready = collections.deque([] if self.loops is None else self.loops.exits_without_gradients(self.grads))
        for op in dict.fromkeys(y.op for y in self.ys):
            if op in self.needed and not self.pending[op]:
                self._enqueue(op, ready)
        while ready:
            op = ready.popleft()
            if self.loops is None:
                self._step(op)
            else:
                with self.loops.entered_for(op):
                    self._step(op)
            for producer in self._producers(op):
                if producer in self.needed:
                    self.pending[producer] -= 1
                    if not self.pending[producer] or op.type in _LEAVES_LOOP:
                        self._enqueue(producer, ready)
        if self.loops is not None:
            self.loops.PostProcessing()
        return [self._total(x) for x in self.xs]

    def _enqueue(self, op, ready):
        """Makes the operation ready; an Exit together with the other Exits of its loop. The Switch before an Exit is
        processed twice: gradients from the body of the loop come later."""
        if op.type in _LEAVES_LOOP:
            ready.extend(self.loops.exit_ready(op, self.grads))
        else:
            ready.append(op)

    def _total(self, tensor):
        """The sum of the gradients of a tensor; None if there are none."""
        parts = self.grads.get(tensor)
        if not parts:
            return None
        if len(parts) > 1:
            self.grads[tensor] = parts = [aggregate(parts)]
        return parts[0]

    def _step(self, op):
        outs = self._totals(op)
        if all(g is None for g in outs):
            return
        if op in self.pushes:
            push = self.pushes[op]
            self.grads.setdefault(push.outputs[0], []).append(self.loops.carry_back(op, push, outs[0]))
            return
        function = gradient_function(op)
        if function is False:
            return
        if op.type in _SWITCHES and op._control_flow_context is not None:
            self._refuse_start_of_loop(op)
        if function is None:
            raise LookupError(self._explain_missing(op))
        graph = get_default_graph()
        with graph.name_scope(op.name + "_grad"), graph._original_op(op):
            outs = [self._fill(op, i, g) for i, g in enumerate(outs)]
            if self.colocate:
                with graph.colocate_with(op):
                    grads = self._call(function, op, outs)
            else:
                grads = self._call(function, op, outs)
            grads = list(grads) if isinstance(grads, (list, tuple)) else [grads]
            if len(grads) != len(op.inputs):
                raise ValueError(
                    f"Num gradients {len(grads)} generated for op {op.name} (type {op.type}) do not match num inputs "
                    f"{len(op.inputs)}"
                )
            grads = [None if g is None else self._checked(op, t, g) for t, g in zip(op.inputs, grads)]
            if self.gated and len(grads) - grads.count(None) > 1:
                grads = gate(grads)
        for tensor, grad in zip(op.inputs, grads):
            if grad is not None:
                self.grads.setdefault(tensor, []).append(grad)

    def _totals(self, op):
        """The gradient of each output. Those of an Exit belong to the context outside of its loop."""
        if op.type in _LEAVES_LOOP:
            context = self.loops.state_of(op).grad_context
            context.Exit()
            with self.loops.entered_for(op, before=True):
                outs = [self._total(t) if t not in self.stops else None for t in op.outputs]
            context.Enter()
            return outs
        return [self._total(t) if t not in self.stops and _differentiable(t.dtype) else None for t in op.outputs]

    def _call(self, function, op, grads):
        if function.__module__.startswith("tfcore.ops.") and "_gradient_op_type" not in op.attrs:
            return function(op, *grads)
        with self.scopes.replaced(frames=self.outer_frames):  # user code runs in between
            return function(op, *grads)

    def _fill(self, op, index, grad):
        """Zeros for an output without a gradient."""
        if grad is not None or not _differentiable(op.outputs[index].dtype) or op.type in _SWITCHES:
            return grad
        if self.loops is not None:
            from tfcore.ops.control_flow.gradient_state import zeros_like

            return zeros_like(op, index)
        return _zeros_for(op.outputs[index])

    def _checked(self, op, tensor, grad):
        """The gradient of an input of `op`, checked and converted; None if it is not needed."""
        from tfcore.ops.state.resource_variable import gradient_dims, gradient_dtype

        if not _differentiable(tensor.dtype):
            return None
        if tensor in self.stops and tensor not in self.wanted:
            return None
        dtype = gradient_dtype(tensor)
        if not isinstance(grad, IndexedSlices):
            if not isinstance(grad, Tensor):
                grad = convert_to_tensor(grad, dtype=dtype)
            dims = gradient_dims(tensor)
            if dims is not None and grad.dims != dims:
                try:
                    grad.dims = merge(grad.dims, dims)
                except ValueError:
                    raise ValueError(
                        "Incompatible shapes between op input and calculated input gradient. Forward operation: "
                        f"{op.name}. Input "
                        f"{tensor.name} has shape {tensor.shape}. Shape of the gradient: {grad.shape}"
                    ) from None
        if dtype is not None and grad.dtype.base_dtype is not dtype:
            raise ValueError(
                f"Gradient type {grad.dtype.name} generated for op {op.name} does not match input type "
                f"{tensor.dtype.name}"
            )
        return grad

    def _refuse_start_of_loop(self, op):
        """Raises for gradients, within the body of a loop, by the initial value of a loop variable."""
        context = op._control_flow_context
        if context.IsWhileContext() and context is get_default_graph()._get_control_flow_context():
            raise ValueError(
                f"Cannot compute gradient inside while loop with respect to op '{self._way_to_x(op)[0].name}'. We do "
                "not support "
                "taking the gradient wrt or through the initial value of a loop variable. Gradients can be computed "
                "through "
                "loop invariants or wrt the input parameters to the loop body."
            )

    def _explain_missing(self, op):
        """The message for an op without a gradient, with the path from an x to it."""
        way = " -> ".join(f"{o.name} ({o.type})" for o in self._way_to_x(op))
        line = f", defined at {op.creation_line}" if op.frames else ""
        return (
            f"No gradient defined for operation '{op.name}' (op type: {op.type}){line}. "
            f"It lies on the path from an x: {way}"
        )

    def _way_to_x(self, op):
        """Operations on a path from an x to `op`."""
        seen, previous = {op}, {}
        todo = collections.deque([op])
        goal = {x.op for x in self.xs}
        while todo:
            current = todo.popleft()
            if current in goal:
                path = [current]
                while path[-1] is not op:
                    path.append(previous[path[-1]])
                return path
            for producer in (t.op for t in current.inputs):
                if producer not in seen and (producer in self.between or producer in goal):
                    seen.add(producer)
                    previous[producer] = current
                    todo.append(producer)
        return [op]


def aggregate(parts):
    """The sum of gradients, sparse if all of them are."""
    from tfcore.ops.array import join as array_join
    from tfcore.ops.cwise.nary import add_n

    if all(isinstance(g, IndexedSlices) for g in parts):
        values = array_join.concat([g.values for g in parts], 0)
        indices = [g.indices for g in parts]
        if len({i.dtype for i in indices}) > 1:
            from tfcore.ops.cwise.cast import cast

            indices = [cast(i, dtypes.int64) for i in indices]
        return IndexedSlices(values, array_join.concat(indices, 0), parts[0].dense_shape)
    # Add on each device first: each device then sends only one tensor.
    by_device = {}
    for part in map(convert_to_tensor, parts):
        by_device.setdefault(part.device, []).append(part)
    graph = get_default_graph()
    sums = []
    for _, members in sorted(by_device.items()):
        with graph.colocate_with(members[0].op, ignore_existing=True):
            sums.append(add_n(members))
    return add_n(sums)


# Rows of a Hessian. Unrolled, they share common subexpressions; in a loop they share the operations.
_MAX_UNROLLED = 32


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """Computes the Hessian of the sum of `ys` with respect to each of `xs`.

    A step runs one reverse sweep for each element of x.

    Args:
      ys: A `Tensor` or a list of them.
      xs: A `Tensor` or `Variable`, or a list of them.
      name: Prefix of the names of the operations (optional).
      colocate_gradients_with_ops: Ignored; kept for compatibility.
      gate_gradients: As for `gradients`.
      aggregation_method: As for `gradients`.

    Returns:
      A list with a `Tensor` of shape x.shape + x.shape for each x.

    Raises:
      ValueError: `ys` do not depend on an x.
      LookupError: An operation between has no gradient.

    Example:

    >>> x = tf.constant([1.0, 2.0])
    >>> [hessian] = tf.hessians(x[0] ** 2 * x[1], x)
    >>> print(sess.run(hessian))
    [[4. 2.]
     [2. 0.]]
    """
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    result = []
    with name_scope(name, "hessians", xs):
        for x, grad in zip(xs, gradients(ys, xs, gate_gradients=gate_gradients, aggregation_method=aggregation_method)):
            if grad is None:
                raise ValueError(f"hessians: ys do not depend on {x}")
            result.append(_hessian(x, convert_to_tensor(grad)))
    return result


def _hessian(x, grad):
    from tfcore.ops.array import array
    from tfcore.ops.array import join as array_join
    from tfcore.ops.state.resource_variable import gradient_dims

    dims = gradient_dims(_tensor(x))
    flat = array.reshape(grad, [-1])

    def row(i):
        return convert_to_tensor(gradients(flat[i], x, unconnected_gradients="zero")[0])

    if dims is not None and None not in dims and flat.dims[0] <= _MAX_UNROLLED:
        return array.reshape(array_join.stack([row(i) for i in range(flat.dims[0])]), [*dims, *dims])
    from tfcore.ops.control_flow.while_loop import while_loop
    from tfcore.ops.state.tensor_array import TensorArray

    rows = TensorArray(grad.dtype, array.size(flat), element_shape=dims)
    _, rows = while_loop(lambda i, _: i < array.size(flat), lambda i, r: (i + 1, r.write(i, row(i))), [0, rows])
    shape = array.shape(grad)
    result = array.reshape(rows.stack(), array_join.concat([shape, shape], 0))
    if dims is not None:
        result.set_shape([*dims, *dims])
    return result
