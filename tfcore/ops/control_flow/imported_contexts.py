"""The contexts of conditionals and loops that were imported from a GraphDef, which does not have them.

A loop is its frame: Enter operations have its name, and what depends on them is in it until an Exit. A branch is what
depends on one output of Switch operations with the same condition, until a Merge.
"""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import (
    is_loop_constant_enter,
    is_loop_enter,
    is_loop_exit,
    is_loop_switch,
    is_merge,
    is_switch,
    output_context,
)
from tfcore.framework.graph.graph import control_dependencies
from tfcore.ops.control_flow.cond import CondContext
from tfcore.ops.control_flow.while_loop import WhileContext


def rebuild_contexts(graph):
    """Gives each operation of a graph that has no context, but is in a branch or loop, its context."""
    here = graph._get_control_flow_context()
    try:
        _Contexts(graph).run()
    finally:
        graph._set_control_flow_context(here)


class _Contexts:
    def __init__(self, graph):
        self.graph = graph
        self.loops = {}  # name of a frame -> its WhileContext
        self.branches = {}  # (condition, side, enclosing context) -> CondContext

    def run(self):
        # Operations follow their inputs, except that the Merge of a loop precedes its NextIteration.
        for op in self.graph.get_operations():
            if op._control_flow_context is not None:
                continue
            context = self._context_of(op)
            if context is None:
                continue
            op._set_control_flow_context(context)
            known = output_context(op)
            while known is not None:
                known._values.update([t.name for t in op.outputs])
                known = known.outer_context
            if context.IsWhileContext():
                self._note(context, op)

    def _context_of(self, op):
        around = self._around(op)
        if is_loop_enter(op):
            return self._loop(op, around)
        if is_merge(op) and around is not None and around.IsCondContext():
            return around.outer_context
        if is_switch(op) and not self._is_of_loop(op, around):
            sides = [side for side in (0, 1) if op.outputs[side].consumers()]
            if len(sides) == 1:  # else it only has the condition, or is not made by tf.cond
                return self._branch(op, sides[0], around)
        return around

    @staticmethod
    def _is_of_loop(switch, around):
        return around is not None and around.IsWhileContext() and switch.inputs[1] is around.pivot

    def _around(self, op):
        """The innermost context of what the operation takes or waits for."""
        inputs = op.inputs[:1] if is_merge(op) and is_loop_enter(op.inputs[0].op) else op.inputs
        found = [self._context_at(t, op) for t in inputs] + [output_context(c) for c in op.control_inputs]
        return max(found, key=_depth, default=None)

    def _context_at(self, tensor, op):
        """The context of a value: a Switch without a context of its own branches to two."""
        source = tensor.op
        around = output_context(source)
        if not is_switch(source) or self._is_of_loop(source, around):
            return around
        if around is not None and around.IsCondContext() and around.pred is source.inputs[1]:
            return around
        return self._branch(source, tensor.value_index, around)

    def _loop(self, enter, around):
        name = enter.get_attr("frame_name")
        loop = self.loops.get(name)
        if loop is None:
            self.graph._set_control_flow_context(around)
            loop = self.loops[name] = WhileContext.with_name(name.decode())
            loop._maximum_iterations = loop._grad_state = None
            loop._parallel_iterations = enter.get_attr("parallel_iterations")
            loop._back_prop, loop._swap_memory = True, False
            loop._pivot_for_pred = loop._pivot_for_body = loop._pivot = None
            loop._loop_enters, loop._loop_exits = [], []
        return loop

    def _note(self, loop, op):
        """Records an operation that its loop needs to know."""
        if is_loop_enter(op):
            if is_loop_constant_enter(op):
                loop._external_values[op.inputs[0].name] = op.outputs[0]
                loop._values.add(op.inputs[0].name)
            else:
                loop._loop_enters.append(op.outputs[0])
        elif is_loop_exit(op):
            loop._loop_exits.append(op.outputs[0])
        elif is_merge(op) and loop._pivot_for_pred is None:
            loop._pivot_for_pred = op.outputs[0]
        elif op.type == "LoopCond":
            loop._pivot = op.outputs[0]
        elif is_loop_switch(op) and loop._pivot_for_body is None:
            loop._pivot_for_body = self._pivot(op.outputs[1], loop)

    def _branch(self, switch, side, around):
        condition = switch.inputs[1]
        branch = self.branches.get((condition, side, around))
        if branch is None:
            pivot = self._pivot(switch.outputs[side], around)
            self.graph._set_control_flow_context(around)
            branch = CondContext(condition, pivot, side, pivot.op.name)
            self.branches[condition, side, around] = branch
        return branch

    def _pivot(self, live, context):
        """A tensor that is live when `live`, an output of a Switch, is: only a value can be dead, not a Switch."""
        if context is not None:
            context._values.add(live.name)
        with control_dependencies(None), self.graph.colocate_with(live.op):
            self.graph._set_control_flow_context(context)
            kind = "RefIdentity" if live.dtype._is_ref_dtype else "Identity"
            return get_op_def(kind)(live, name=f"{live.op.name}_pivot")


def _depth(context):
    depth = 0
    while context is not None:
        depth, context = depth + 1, context.outer_context
    return depth
