"""Static shapes of imported operations, including the cycles of loops."""

from tfcore.framework import errors
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.graph.new_operation import explain_shapes, infer_shapes

# Edges from LOOP_BACK to LOOP_HEAD may close a cycle: the next iteration of a loop.
LOOP_BACK = ("NextIteration", "RefNextIteration")
LOOP_HEAD = ("Merge", "RefMerge")
ENTER = ("Enter", "RefEnter")


def infer_all_shapes(ops):
    """Sets the shapes of all outputs; `ops` are sorted topologically except for the back edges of loops.

    The shape of a back edge depends on that of the loop's head. First it counts as unknown, as in TensorFlow; any
    mismatch then is an error. Then the head is assumed to have the shape that enters the loop, and sizes that an
    iteration changes become unknown, until a fixed point is reached.

    Raises:
      ValueError: shapes that do not fit the operation, or its attribute `_output_shapes`.
    """
    given = {op: op.attrs.pop("_output_shapes") for op in ops if "_output_shapes" in op.attrs}
    for op in ops:
        _infer(op)
        _merge_given(op, given.get(op))
    heads = [op for op in ops if op.type in LOOP_HEAD and any(t.op.type in LOOP_BACK for t in op.inputs)]
    if heads:
        _refine_loops(ops, heads, given)


def _infer(op):
    if op.op_def.shape_fn is None:
        return
    try:
        infer_shapes(op)
    except (ValueError, MemoryError, errors.OpError):
        raise
    except Exception as error:  # attributes that the wrappers would have rejected
        raise ValueError(explain_shapes(op, f"{type(error).__name__}: {error}")) from error


def _merge_given(op, given):
    if given is None:
        return
    if len(given) != len(op.outputs):
        raise ValueError(
            f"Node '{op.name}' has {len(op.outputs)} outputs but the _output_shapes attribute specifies shapes for "
            f"{len(given)} outputs"
        )
    for i, (tensor, dims) in enumerate(zip(op.outputs, given)):
        try:
            tensor.dims = merge(tensor.dims, dims)
        except ValueError as error:
            raise ValueError(
                f"Node '{op.name}' has an _output_shapes attribute inconsistent with the GraphDef for output #{i}: "
                f"{error}"
            ) from None


def _refine_loops(ops, heads, given):
    assumed = {}
    known = {op: [t.dims for t in op.outputs] for op in ops}
    changed = True
    while changed:
        for op in ops:
            _infer_assuming(op, assumed, known[op], given.get(op))
        changed = False
        for head in heads:
            relaxed = assumed[head]
            for tensor in head.inputs:
                relaxed = _common(relaxed, tensor.dims)
            changed = changed or relaxed != assumed[head]
            assumed[head] = relaxed


def _infer_assuming(op, assumed, known, given):
    """Like `_infer`, with assumed shapes for the heads of loops.

    Errors keep the previous shapes: they may be in a branch that is not taken with these shapes.
    """
    if op.type in ENTER:
        op.outputs[0].dims = given[0] if given else op.inputs[0].dims
    elif op.type in LOOP_HEAD and any(t.op.type in LOOP_BACK for t in op.inputs):
        if op not in assumed:
            entering = [t.dims for t in op.inputs if t.op.type not in LOOP_BACK]
            assumed[op] = given[0] if given else entering[0] if entering else None
        op.outputs[0].dims = assumed[op]
    else:
        try:
            _infer(op)
        except (ValueError, errors.OpError):
            for tensor, dims in zip(op.outputs, known):
                tensor.dims = dims
    try:
        _merge_given(op, given)
    except ValueError:
        for tensor, dims in zip(op.outputs, known):
            tensor.dims = dims


def _common(a, b):
    """The dims that both shapes have in common; None for the others."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b))
