"""Lets a loop that assigns to a variable read what it has assigned.

In a graph the value of a variable, read once outside of the loop, enters it as a constant. TensorFlow's value shares
memory with the variable, so that each iteration sees the assignments that ran before. Here the reference enters in its
place: an operation that uses the value reads the variable when it runs.
"""

from tfcore.compiler.ir import variables_behind
from tfcore.framework.definitions.op_def import get_op_def


def read_in_loops(program):
    """Makes references of the values of variables that enter a loop which assigns to them."""
    if not any(n.type in ("RefEnter", "RefNextIteration") for n in program.nodes):
        return
    _read_at_the_end_of_iterations(program)
    written = _written(program)
    consumers = program.consumers()
    for node in program.nodes:
        if node.type == "Enter" and node.attrs["is_constant"]:
            reference = _what_it_reads(node.inputs[0][0])
            if reference and not variables_behind(reference).isdisjoint(written.get(node.out_frame, ())):
                _refer(node, reference, consumers)
    program.prune()


def _read_at_the_end_of_iterations(program):
    """A reference that becomes the next value of a loop variable is read where it leaves its iteration."""
    for node in program.nodes:
        if node.type == "Merge":
            for source, _ in node.inputs:
                if source.type == "RefNextIteration":
                    source.type, source.op_def = "NextIteration", get_op_def("NextIteration")
                    source.dtypes = [source.dtypes[0].base_dtype]


def _written(program):
    """Maps each Frame to the variables that operations in it, or in loops inside of it, assign to."""
    found = {}
    for node in program.nodes:
        if node.writes():
            variables, frame = variables_behind(node), node.frame
            while frame is not None:
                found.setdefault(frame, set()).update(variables)
                frame = frame.parent
    return found


def _what_it_reads(node):
    """The node whose reference an Identity reads at no fixed time; None: it is something else."""
    if node.is_feed or node.op.type != "Identity" or node.type != "Identity" or node.controls:
        return None  # the handle of a resource variable is read by a ReadVariableOp, whose value never changes
    source, index = node.inputs[0]
    return source if source.dtypes[index]._is_ref_dtype else None


def _refer(enter, reference, consumers):
    """Lets a reference enter in place of a value, and go where that went."""
    enter.inputs = [(reference, 0)]
    todo = [enter]
    while todo:
        node = todo.pop()
        source, index = node.inputs[0]
        dtype = source.dtypes[index]
        node.type = "Ref" + node.type
        node.op_def = get_op_def(node.type)
        node.device = source.device
        node.dtypes = [dtype] * len(node.dtypes)
        for i in range(len(node.dtypes)):
            for user in consumers.get((node, i), ()):
                enters = user.type == "Enter" and user.attrs["is_constant"]
                if enters or user.type == "Switch" and user.inputs[0] == (node, i):
                    todo.append(user)
