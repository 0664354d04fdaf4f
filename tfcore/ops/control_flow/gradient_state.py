"""Gradients through loops: pairs each loop with its backward loop, and passes values between them.

The backward loop of a loop runs its iterations in reverse. A value of the loop that a gradient needs is pushed on a
stack in each iteration and popped in the matching backward iteration. Constants and loop invariants need no stack; if
only the shape of a tensor matters, the shape is pushed. Pushes and pops keep the order of the iterations because the
loop counters wait for them.

Gradients of gradients go through backward loops. The gradient of a value that a backward loop popped is pushed in turn,
and popped in the second backward loop of the loop that pushed the value.

Source: Yu et al., "Dynamic control flow in large-scale machine learning", EuroSys 2018, section 5.
"""

import contextlib

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import (
    constant_enter_of,
    enclosing_while_context,
    is_containing_context,
    is_loop_exit,
    is_loop_switch,
    is_switch,
    output_context,
    while_context,
)
from tfcore.framework.graph.graph import control_dependencies, get_default_graph
from tfcore.framework.types import dtypes

_HANDS_ON = frozenset(["Enter", "Identity", "Switch"])  # handles of stacks


class GradLoopState:
    """One loop and its backward loop, while the gradient graph is built.

    Attributes:
      forward_context, grad_context: the two WhileContexts. outer_grad_state: the state of the enclosing loop, or None.
      forward_index, grad_index: the values of their counters for the next iteration.
      history_map: name of a value of the forward loop -> the same value in the backward loop.
      switch_map: Switch of a forward loop variable -> the Merge that receives its gradient in the backward loop.
      exits: the Exits of loop variables that get gradients. waiting: how many of them still wait for theirs.
      goes_through_saved: whether there are gradients for values that the forward loop has saved for an earlier
        gradient.
    """

    def __init__(self, forward_context, outer_grad_state):
        self.forward_context = forward_context
        self.outer_grad_state = outer_grad_state
        self.history_map = {}
        self.switch_map = {}
        self.exits = []
        self.waiting = 0
        self.goes_through_saved = False
        self._forward_sync = self._grad_sync = None
        outer = forward_context.outer_context
        with entered(outer):
            count, self.forward_index = forward_context.AddForwardLoopCounter(outer_grad_state)
        if outer_grad_state is None:
            with entered(outer):
                self._add_backward_loop(count)
        else:
            history = outer_grad_state.AddForwardAccumulator(count)
            with entered(outer_grad_state.grad_context):
                self._add_backward_loop(count, history)

    def _add_backward_loop(self, count, history=None):
        forward = self.forward_context
        self.grad_context = type(forward)(
            maximum_iterations=forward.maximum_iterations,
            parallel_iterations=forward.parallel_iterations,
            back_prop=forward.back_prop,
            swap_memory=forward.swap_memory,
            name=forward.name,
            grad_state=self,
        )
        if history is not None:
            count = self.outer_grad_state.AddBackpropAccumulatedValue(history, count)
        self.grad_index = self.grad_context.AddBackpropLoopCounter(count, self.outer_grad_state)

    def chain(self):
        """This state and those of the enclosing loops."""
        state = self
        while state is not None:
            yield state
            state = state.outer_grad_state

    @property
    def forward_sync(self):
        """An operation that waits for the pushes in conditionals of an iteration, run or not."""
        if self._forward_sync is None:
            self._forward_sync = _trigger("f_sync", self.forward_context)
            self.forward_index.op._add_control_input(self._forward_sync)
        return self._forward_sync

    @property
    def grad_sync(self):
        """An operation that waits for the pops in a backward iteration."""
        if self._grad_sync is None:
            self._grad_sync = _trigger("b_sync", self.grad_context)
            self.grad_index.op._add_control_input(self._grad_sync)
            if self.grad_context.outer_context is not None:
                self.grad_context.outer_context.AddInnerOp(self._grad_sync)
        return self._grad_sync

    def AddForwardAccumulator(self, value, dead_branch=False):  # noqa: N802  TensorFlow's name
        """Makes the forward loop push `value` on a new stack in each iteration. Called in the context of gradients().

        Args:
          value: a tensor of the forward loop or of a conditional in it.
          dead_branch: whether `value` is the shape of an input of the branch that is not taken.

        Returns: the stack's handle.

        Raises:
          TypeError: `value` is of a loop inside of this one.
        """
        graph = get_default_graph()
        context = graph._get_control_flow_context()
        with control_dependencies(None):
            with entered(context), graph.colocate_with(value.op):
                stack = get_op_def("StackV2")(-1, elem_type=value.dtype.base_dtype, name="f_acc")
            handle = self.forward_context.AddValue(stack)
            context = output_context(value.op)
            with entered(context.outer_context if dead_branch else context):
                push = get_op_def("StackPushV2")(handle, value, swap_memory=self.forward_context.swap_memory).op
            if context is self.forward_context:
                self.forward_index.op._add_control_input(push)
            elif context.IsCondContext():
                push._control_flow_context = context
                self.forward_sync._add_control_input(push)
            else:
                raise TypeError(f"{value.name} is a value of a different loop than the one whose gradient needs it")
            push._add_control_input(self.forward_index.op.inputs[0].op)
        return stack

    def AddBackpropAccumulatedValue(self, history_value, value, dead_branch=False):  # noqa: N802  TensorFlow's name
        """The top of the stack `history_value` of AddForwardAccumulator, popped in each iteration of the backward loop.

        The pop has the same condition as the push of `value`.
        """
        switch = get_op_def("Switch")
        branch = self._branch_between(value.op._control_flow_context, history_value.op._control_flow_context)
        with control_dependencies(None), entered(self.grad_context):
            if branch is not None:
                side = 1 - branch.branch if dead_branch else branch.branch
                history_value = switch(history_value, self.saved_predicate(branch))[side]
            pop = get_op_def("StackPopV2")(history_value, elem_type=value.dtype.base_dtype)
            pop.dims = value.dims
        if self.grad_context.parallel_iterations > 1:
            self.grad_sync._add_control_input(pop.op)
        return pop

    @staticmethod
    def _branch_between(context, outer):
        """The innermost conditional that contains a value but not its stack."""
        while context is not None and context is not outer:
            if context.IsCondContext():
                return context
            context = context.outer_context
        return None

    def saved_predicate(self, branch):
        """The predicate of a CondContext as saved for the backward loops, else the predicate itself."""
        found = (state.history_map.get(branch.pred.name) for state in self.chain())
        return next((pred for pred in found if pred is not None), branch.pred)

    def GetRealValue(self, value):  # noqa: N802  TensorFlow's name
        """A value of the forward loop in the iteration that matches the current backward iteration.

        Called in the backward loop's context.
        """
        found = self.history_map.get(value.name)
        if found is None:
            found = self.history_map[value.name] = self._real_value(_source(value))
        return found

    def _real_value(self, value):
        found = self.history_map.get(value.name)
        if found is not None:
            return found
        state = self
        while True:
            invariant = constant_enter_of(value)
            if invariant is None:
                break
            value, state = invariant.inputs[0], state.outer_grad_state
            if state is None:
                return self.grad_context.AddValue(value)
        if state is self and _counts_iterations(value):
            return self.grad_context.GetControlPivot()  # the number of remaining iterations is the same
        if value.op.type == "Const":
            from tfcore.framework.values.constant import constant_of_array

            return constant_of_array(value.op.get_attr("value"))
        self.grad_context.Exit()
        history = state.AddForwardAccumulator(value)
        self.grad_context.Enter()
        result = state.AddBackpropAccumulatedValue(history, value)
        return result if state is self else self.grad_context.AddValue(result)

    def zeros_like(self, op, index):
        """Zeros for an output, without users, of an operation of the forward loop. Called in the backward loop's
        context. Zeros for the branch that a conditional does not take are made only if it is not taken."""
        from tfcore.ops.array.constants import zeros
        from tfcore.ops.state.resource_variable import gradient_dims, gradient_dtype
        from tfcore.ops.state.resource_variable import gradient_shape as shape

        value, context = op.outputs[index], op._control_flow_context
        dead_branch = is_switch(op)
        known, dtype = gradient_dims(value), gradient_dtype(value)
        if dtype is dtypes.variant:
            return self._zero_list_like(op, index)
        if known is not None and None not in known:
            result = zeros(known, dtype)
            if not dead_branch:
                return result
            return get_op_def("Switch")(result, self.saved_predicate(context))[1 - context.branch]
        if dead_branch:
            with entered(context.outer_context):
                other = get_op_def("Switch")(op.inputs[0], context.pred)[1 - context.branch]
                dims = shape(other)
            other.op._control_flow_context = dims.op._control_flow_context = context
        else:
            with entered(context):
                dims = shape(value)
        self.grad_context.Exit()
        history = self.AddForwardAccumulator(dims, dead_branch)
        self.grad_context.Enter()
        return zeros(self.AddBackpropAccumulatedValue(history, dims, dead_branch), dtype)

    def _zero_list_like(self, op, index):
        """Zeros like a tensor list. Their shapes are those of its elements: the list itself is saved, not a shape."""
        value, context = op.outputs[index], op._control_flow_context
        dead_branch = is_switch(op)
        if dead_branch:
            with entered(context.outer_context):
                value = get_op_def("Switch")(op.inputs[0], context.pred)[1 - context.branch]
            value.op._control_flow_context = context
        self.grad_context.Exit()
        history = self.AddForwardAccumulator(value, dead_branch)
        self.grad_context.Enter()
        return get_op_def("ZerosLike")(self.AddBackpropAccumulatedValue(history, value, dead_branch))


def _source(value):
    """A tensor equal to `value` in the same iteration and branch, so that it is not saved twice."""
    while value.op.type == "Identity":
        source = value.op.inputs[0]
        if output_context(source.op) is not value.op._control_flow_context or source.dtype._is_ref_dtype:
            break
        value = source
    return value


def _counts_iterations(value):
    """Whether a value in the body of a loop is an int32 variable that starts at 0 and is incremented by 1."""
    switch = value.op
    if value.dtype is not dtypes.int32 or not is_loop_switch(switch) or value.value_index != 1:
        return False
    merge = switch.inputs[0].op
    if merge.type != "Merge" or len(merge.inputs) != 2 or merge.inputs[0].op.type != "Enter":
        return False
    start, following = (t.op.inputs[0] for t in merge.inputs)
    if not _is_constant(start, 0) or merge.inputs[1].op.type != "NextIteration":
        return False
    following = _source(following).op
    if following.type not in ("Add", "AddV2"):
        return False
    return any(_source(a) is value and _is_constant(b, 1) for a, b in (following.inputs, following.inputs[::-1]))


def _is_constant(tensor, number):
    return tensor.op.type == "Const" and tensor.dims == () and tensor.op.get_attr("value") == number


def _trigger(name, context):
    with control_dependencies(None):
        op = get_op_def("ControlTrigger")(name=name)
    op._control_flow_context = context
    return op


class ControlFlowState:
    """The loops that one call of gradients() differentiates."""

    def __init__(self):
        self._states = {}  # WhileContext of a forward loop -> GradLoopState

    @classmethod
    def of(cls, between, pushes, pending, ys, colocate):
        """The state for a reverse sweep, None if it meets no loop. Called in the context of gradients().

        Args:
          between: the set of operations to differentiate. Adds all Exits of its loops that may need a gradient.
          pushes: those of them that push values whose pops may get gradients.
          pending: for each of them the number of its users in the set.
          ys: operations with initial gradients. colocate: whether backward loops go to the devices of the loops.
        """
        exits = sorted((op for op in between if is_loop_exit(op)), key=lambda op: op._id)
        if any(op._control_flow_context is None for op in exits):
            from tfcore.ops.control_flow.imported_contexts import rebuild_contexts

            rebuild_contexts(get_default_graph())
        for op in exits:
            context = op._control_flow_context
            if not (context.IsWhileContext() and op.outputs[0] in context.loop_exits):
                raise ValueError(
                    f"Failed to call gradients on {op.name}: its loop was imported from a GraphDef inside of a "
                    f"conditional or loop ({context}). Import it outside, or from a MetaGraphDef."
                )
        if not exits and not pushes:
            return None
        self = cls()
        for op in [op for op in between if is_loop_switch(op) and not op.outputs[0].consumers()]:
            with entered(op._control_flow_context):  # of a backward loop: its final value is not needed
                op._control_flow_context.leave(op.outputs[0])
        places = {op._control_flow_context: op for op in exits}
        saving = {loop: op for op in pushes for loop in self._loops_around(op)}
        places.update(saving)
        for context, op in places.items():
            self._add(context, places, op if colocate else None)
        for context, state in self._states.items():
            state.goes_through_saved = context in saving
            state.waiting = self._collect_exits(state, between, pending, ys)
        return self

    @staticmethod
    def _loops_around(op):
        """The loops that contain `op` but not the call of gradients()."""
        here = get_default_graph()._get_control_flow_context()
        loop = while_context(op)
        while loop is not None and not is_containing_context(here, loop):
            yield loop
            loop = enclosing_while_context(loop)

    def _add(self, context, on_the_way, colocated):
        if context in self._states:
            return
        outer = enclosing_while_context(context)
        if outer in on_the_way:
            self._add(outer, on_the_way, colocated)
        exits = list(context.loop_exits)  # before that of the counter is added
        with get_default_graph().colocate_with(colocated) if colocated else contextlib.nullcontext():
            state = self._states[context] = GradLoopState(context, self._states.get(outer))
        state.exits = [e.op for e in exits]

    @staticmethod
    def _collect_exits(state, between, pending, ys):
        """Keeps the Exits whose loop variables are on a path to some x; returns how many will get a gradient."""
        state.exits = [op for op in state.exits if op.inputs[0].op in between]
        waiting = 0
        for op in state.exits:
            if op in between:
                waiting += bool(pending[op]) or op in ys
            else:
                between.add(op)
                pending[op.inputs[0].op] += 1
        return waiting

    def state_of(self, op, before=False):
        """The GradLoopState of the loop around `op`; with `before`, around its outputs."""
        context = while_context(op)
        if before and context is not None and is_loop_exit(op):
            context = enclosing_while_context(context)
        return self._states.get(context)

    def entered_for(self, op, before=False):
        """A `with` block in the context in which gradients of `op` (`before`: of its outputs) are computed."""
        state = self.state_of(op, before)
        return entered(None if state is None else state.grad_context)

    def exit_ready(self, op, grads):
        """Called when an Exit has all its gradients. Returns the Exits to process now: all of the loop's, or none yet.

        If some variable of the loop gets a gradient, those without one get zeros: its final value may not matter, but
        its earlier values may.
        """
        state = self._states[op._control_flow_context]
        state.waiting -= 1
        if state.waiting:
            return []
        exits = [e.outputs[0] for e in state.exits]
        if state.goes_through_saved or any(grads.get(t) for t in exits):
            for t in exits:
                if not grads.get(t):
                    grads[t] = [self.ZerosLikeForExit(t)]
        return state.exits

    def exits_without_gradients(self, grads):
        """The Exits of loops whose results have no gradients, but whose saved values have."""
        found = []
        for state in self._states.values():
            if not state.waiting:
                state.waiting = 1
                found += self.exit_ready(state.exits[0], grads) if state.exits else []
        return found

    def carry_back(self, pop, push, grad):
        """Passes on the gradient of a popped value. It is computed in the backward loop of a backward loop, and goes to
        the second backward loop of the loop that pushed the value. Called in the former's context."""
        source, target = grad_state(), self.state_of(push)
        graph, context = get_default_graph(), source.grad_context
        context.Exit()
        with control_dependencies(None):
            with entered(graph._get_control_flow_context()), graph.colocate_with(pop):
                stack = get_op_def("StackV2")(-1, elem_type=grad.dtype.base_dtype, name="g_acc")
            handle = context.AddValue(stack)
            with entered(context):
                saved = get_op_def("StackPushV2")(handle, grad, swap_memory=context.swap_memory).op
            saved._add_control_input(source.grad_index.op.inputs[0].op)
            source.grad_index.op._add_control_input(saved)
        self._run_after(target, source)
        result = target.AddBackpropAccumulatedValue(stack, push.inputs[1])
        context.Enter()
        return result

    @staticmethod
    def _run_after(late, early):
        """Makes a backward loop wait until another one, or the outermost differing loops, has done all its pushes."""
        lates, earlies = list(late.chain()), list(early.chain())
        while len(lates) > 1 and len(earlies) > 1 and lates[-1] is earlies[-1]:
            lates.pop()
            earlies.pop()
        # The counters of backward loops are their first variables.
        lates[-1].grad_context.loop_enters[0].op._add_control_input(earlies[-1].grad_context.loop_exits[0].op)

    def ZerosLikeForExit(self, val):  # noqa: N802  TensorFlow's name
        """Zeros for an unused result of a loop. Called in the context of gradients()."""
        from tfcore.ops.array.array import shape
        from tfcore.ops.array.constants import zeros, zeros_like

        forward = val.op._control_flow_context
        outer = self._states.get(enclosing_while_context(forward))
        if outer is None:
            return zeros_like(val)
        if val.dtype is dtypes.variant:
            history = outer.AddForwardAccumulator(val)
            with entered(outer.grad_context):
                return zeros_like(outer.AddBackpropAccumulatedValue(history, val))
        if val.dims is not None and None not in val.dims:
            with entered(outer.grad_context):
                return zeros(val.dims, val.dtype)
        with entered(forward.outer_context):
            dims = shape(val)
        history = outer.AddForwardAccumulator(dims)
        with entered(outer.grad_context):
            return zeros(outer.AddBackpropAccumulatedValue(history, dims), val.dtype)

    def PostProcessing(self):  # noqa: N802  TensorFlow's name
        """Finishes the backward loops. A loop variable whose next value does not depend on its current one gets zeros
        for all iterations but the last: until now the Merge of its gradient has the value from outside as both
        inputs."""
        from tfcore.ops.array.array import shape
        from tfcore.ops.array.constants import zeros, zeros_like
        from tfcore.ops.control_flow.while_gradient import close_loop, components

        for state in self._states.values():
            for value in state.switch_map.values():
                for merge in components(value):
                    if merge.op.inputs[0] is not merge.op.inputs[1]:
                        continue
                    dims = merge.dims
                    if merge.dtype is dtypes.variant:
                        with entered(state.grad_context.outer_context):
                            start = zeros_like(merge.op.inputs[0].op.inputs[0])
                        with entered(state.grad_context):
                            close_loop(merge, start)
                    elif dims is None or None in dims:
                        with entered(state.grad_context.outer_context):
                            dims = shape(merge.op.inputs[0].op.inputs[0])
                            start = zeros(dims, merge.dtype)
                        with entered(state.grad_context):
                            close_loop(merge, start)
                    else:
                        with entered(state.grad_context):
                            close_loop(merge, zeros(dims, merge.dtype))


def zeros_like(op, index):
    """Zeros for an unused output of `op`. Called in the context of the gradient of `op`.

    Zeros for the branch that a conditional does not take are made only if it is not taken.
    """
    from tfcore.ops.array.array import identity
    from tfcore.ops.array.constants import zeros, zeros_like
    from tfcore.ops.state.resource_variable import gradient_dtype, gradient_shape

    state, loop = grad_state(), while_context(op)
    if state is not None and loop is state.forward_context:
        return state.zeros_like(op, index)
    value, context = op.outputs[index], op._control_flow_context
    if not is_switch(op) or context is None:
        if value.dtype is dtypes.resource:
            return zeros(gradient_shape(value), gradient_dtype(value))
        return zeros_like(identity(value) if value.dtype._is_ref_dtype else value)
    other = get_op_def("Switch")(op.inputs[0], context.pred)[1 - context.branch]
    if other.dtype is dtypes.variant:
        return zeros_like(other)
    with control_dependencies([identity(other)]):
        return zeros(gradient_shape(other), gradient_dtype(other))


def grad_state():
    """The GradLoopState of the backward loop that is the current context, or None."""
    context = get_default_graph()._get_control_flow_context()
    context = None if context is None else context.GetWhileContext()
    return None if context is None else context.grad_state


def pops_of(push):
    """The operations in backward loops that pop the values pushed by `push`."""
    handle, loop = push.inputs[0], while_context(push)
    while handle.op.type in _HANDS_ON:
        handle = handle.op.inputs[0]
    found, todo = [], [handle]
    while todo and loop is not None:
        for op in todo.pop().consumers():
            backward = while_context(op)
            if op.type in _HANDS_ON:
                todo += op.outputs
            elif op.type == "StackPopV2" and backward is not None and backward.grad_state is not None:
                found.append(op)
    return found


class entered:  # noqa: N801  used like a function
    """`with entered(c):` makes `c` the current context; None leaves it unchanged."""

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        if self._context is not None:
            self._context.Enter()

    def __exit__(self, *exc):
        if self._context is not None:
            self._context.Exit()
