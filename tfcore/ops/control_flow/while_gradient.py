"""The part of a loop's context for gradients: counts iterations, and sums gradients over the iterations.

The backward loop of a loop that ran n times runs n times, from the last iteration to the first. Names of operations are
TensorFlow's: `f_...` belong to the forward loop, `b_...` to the backward loop.
"""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices


def components(value):
    """The tensors that a gradient consists of."""
    if not isinstance(value, IndexedSlices):
        return [value]
    return [value.values, value.indices] + ([] if value.dense_shape is None else [value.dense_shape])


def like(value, tensors):
    """A gradient of the same kind as `value` that consists of `tensors`."""
    return IndexedSlices(*tensors) if isinstance(value, IndexedSlices) else tensors[0]


def next_iteration(value):
    """Passes the gradient `value` to the next iteration."""
    return like(value, [get_op_def("NextIteration")(t) for t in components(value)])


def close_loop(merge, value):
    """Makes the tensor `value` the second input of the Merge with the output `merge`."""
    merge.op._update_input(1, next_iteration(value))


class LoopBackprop:
    """The part of WhileContext that gradients use.

    It uses of the context: Enter, Exit, AddName, ExitResult, outer_context, loop_enters, loop_exits, pivot. It sets
    `_pivot`, `_pivot_for_pred` and `_pivot_for_body` of a backward loop.
    """

    def AddForwardLoopCounter(self, outer_grad_state):  # noqa: N802  TensorFlow's name
        """Makes the loop count its iterations. Called in the context around the loop.

        Returns: the count, outside of the loop, and the counter's value for the next iteration, inside. That waits for
        the pushes of an iteration, so that pushes are in the order of iterations.
        """
        count = convert_to_tensor(0, name="f_count")
        if outer_grad_state is not None:  # pushes of this run of the inner loop precede those of its next run
            count.op._add_control_input(outer_grad_state.forward_index.op.inputs[0].op)
        self.Enter()
        merge = self._loop_variable(count, "f_count")
        switch = get_op_def("Switch")(merge, self.pivot)
        index = next_iteration(get_op_def("Add")(switch.output_true, 1, name="Add"))
        merge.op._update_input(1, index)
        total = self.leave(switch.output_false, "f_count")
        self.Exit()
        return total, index

    def AddBackpropLoopCounter(self, count, outer_grad_state):  # noqa: N802  TensorFlow's name
        """Makes this context a loop of `count` iterations. Called in the context around it.

        Returns: the counter's value for the next iteration, which waits for the pops of an iteration.
        """
        one = convert_to_tensor(1, name="b_count")
        self.Enter()
        merge = self._loop_variable(count, "b_count")
        self._pivot_for_pred = merge
        more = get_op_def("GreaterEqual")(merge, one)
        self._pivot = get_op_def("LoopCond")(more, name="b_count")
        switch = get_op_def("Switch")(merge, self._pivot)
        index = get_op_def("Sub")(switch.output_true, one)
        self._pivot_for_body = index
        following = next_iteration(index)
        merge.op._update_input(1, following)
        final = self.leave(switch.output_false, "b_count")
        if outer_grad_state is not None:  # pops of this run of the inner loop precede those of its next run
            outer_grad_state.grad_sync._add_control_input(final.op)
        self.Exit()
        return following

    def AddBackpropAccumulator(self, op, grad):  # noqa: N802  TensorFlow's name
        """Sums `grad` over all iterations. Called in the context of this backward loop; the sum is outside of it.

        op: the Enter of the loop invariant that `grad` is a gradient for.
        """
        self.Exit()
        zeros = self._zeros_outside(op.inputs[0], grad)
        self.Enter()
        merge = self._loop_variable(zeros, "b_acc")
        switch = get_op_def("Switch")(merge, self.pivot)
        if grad.dtype is dtypes.variant:  # Add does not take variants
            close_loop(merge, get_op_def("AddN")([switch.output_true, grad]))
        else:
            close_loop(merge, get_op_def("Add")(switch.output_true, grad))
        return self.leave(switch.output_false, "b_acc")

    def AddBackpropIndexedSlicesAccumulator(self, op, grad):  # noqa: N802  TensorFlow's name
        """Concatenates the slices of the IndexedSlices `grad` over all iterations, for use outside of this backward
        loop. Called in its context.

        op: the Enter of the loop invariant that `grad` is a gradient for.
        """
        from tfcore.ops.array.constants import zeros
        from tfcore.ops.array.join import concat
        from tfcore.ops.state.resource_variable import gradient_dims

        value = op.inputs[0]
        self.Exit()
        row = self._shape_outside(value, [grad.values.dims, gradient_dims(value)], skip=1)
        dense_shape = None
        if grad.dense_shape is not None:
            dense_shape = self._shape_outside(value, [gradient_dims(value)])
        with _in_context(self.outer_context):
            starts = [zeros(concat([[0], row], 0), grad.values.dtype), zeros([0], grad.indices.dtype)]
            if dense_shape is not None:
                dense_shape = get_op_def("Cast")(dense_shape, DstT=grad.dense_shape.dtype)
        self.Enter()
        dims = grad.values.dims
        known = [None if dims is None else (None, *dims[1:]), (None,)]
        merges = [self._loop_variable(t, "b_acc", d) for t, d in zip(starts, known)]
        switches = [get_op_def("Switch")(m, self.pivot) for m in merges]
        for merge, switch, new in zip(merges, switches, [grad.values, grad.indices]):
            close_loop(merge, concat([switch.output_true, new], 0))
        return IndexedSlices(*[self.leave(s.output_false, "b_acc") for s in switches], dense_shape)

    # ---- Parts

    def _loop_variable(self, start, name, dims=False):
        """The Merge of a new loop variable, whose NextIteration is to be set. Called in this context."""
        self.AddName(start.name)
        enter = self.first_value(start, name)
        if dims is not False:
            enter.dims = dims
        return get_op_def("Merge")([enter, enter], name=name if name == "b_acc" else None).output

    def first_value(self, tensor, name):
        """The tensor, known to this context, as initial value of a loop variable."""
        enter = get_op_def("Enter")(
            tensor, frame_name=self.name, parallel_iterations=self.parallel_iterations, name=name
        )
        enter.dims = tensor.dims
        enter.graph.prevent_feeding(enter)
        self.loop_enters.append(enter)
        return enter

    def leave(self, tensor, name=None):
        """The tensor for use outside of the loop. Called in this context."""
        result = get_op_def("Exit")(tensor, name=name)
        self.loop_exits.append(result)
        self.ExitResult([result])
        return result

    def _zeros_outside(self, value, grad):
        """Zeros in the shape of `value`, an input of the forward loop, for the context around this backward loop."""
        from tfcore.ops.array.constants import zeros
        from tfcore.ops.state.resource_variable import gradient_dims

        if grad.dtype is dtypes.variant:
            return self._zero_list_outside(value)
        shape = self._shape_outside(value, [grad.dims, gradient_dims(value)])
        with _in_context(self.outer_context):
            return zeros(shape, grad.dtype, name="b_acc")

    def _zero_list_outside(self, value):
        """Zeros like a tensor list. Their shapes are those of its elements: the list itself is saved, not a shape."""
        state = self.grad_state.outer_grad_state
        if state is not None:
            history = state.AddForwardAccumulator(value)
        with _in_context(self.outer_context):
            return get_op_def("ZerosLike")(
                value if state is None else state.AddBackpropAccumulatedValue(history, value), name="b_acc"
            )

    def _shape_outside(self, value, known, skip=0):
        """The shape of `value` without its first `skip` dimensions, as ints or a tensor, for the context that encloses
        this backward loop. Uses a static shape in `known` if one is complete."""
        from tfcore.ops.state.resource_variable import gradient_shape

        for dims in known:
            if dims is not None and None not in dims[skip:]:
                return list(dims[skip:])
        state = self.grad_state.outer_grad_state
        if state is None:
            with _in_context(self.outer_context):
                return _without(gradient_shape(value), skip)
        with _in_context(self.grad_state.forward_context.outer_context):
            shape = _without(gradient_shape(value), skip)
        history = state.AddForwardAccumulator(shape)
        with _in_context(self.outer_context):
            return state.AddBackpropAccumulatedValue(history, shape)


def _without(shape, skip):
    return shape[skip:] if skip else shape


class _in_context:  # noqa: N801  used like a function
    """`with _in_context(c):` makes `c` the current context; None: outside of all contexts."""

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        if self._context is not None:
            self._context.Enter()

    def __exit__(self, *exc):
        if self._context is not None:
            self._context.Exit()
