"""What happens to an operation when it becomes part of a graph."""

from tfcore.framework import errors
from tfcore.framework.device import canonical_name, merge_names
from tfcore.framework.graph.operation import add_consumer

MAX_RANK = 20  # TFC_MAX_RANK of the kernels


def insert(op):
    """Adds an Operation with a free name to its graph. The caller holds the graph's lock."""
    graph = op.graph
    add_consumer(op, op.inputs)
    graph._nodes_by_name[op.name] = op
    graph.ops.append(op)
    op._id = len(graph.ops)


def add_to_context(op, context):
    """Adds an operation to a conditional or loop, which may add others in its name scope (as in TensorFlow)."""
    if op.type == "Const":
        context.AddOp(op)
        return
    with op.graph.scopes.replaced(name=op.name):
        context.AddOp(op)


def infer_shapes(op):
    """Gives the outputs of an operation the shapes that its shape function computes, if it has one."""
    if op.op_def.shape_fn is None:
        return
    outputs = op.outputs
    try:
        dims = op.op_def.shape_fn(op)
    except ValueError as error:
        raise ValueError(explain_shapes(op, error)) from None
    if len(outputs) == len(dims) == 1:
        outputs[0].dims = dims = dims[0]
        if dims is not None and len(dims) > MAX_RANK:
            _refuse_rank(op, dims)
        return
    for tensor, d in zip(outputs, dims, strict=True):
        tensor.dims = d
        if d is not None and len(d) > MAX_RANK:
            _refuse_rank(op, d)


def _refuse_rank(op, dims):
    shape = _shape_text(dims)
    text = f"Tensors of rank {len(dims)} are not supported (at most {MAX_RANK}): an output has shape {shape}"
    raise errors.UnimplementedError(None, None, explain_shapes(op, text))


def explain_shapes(op, error):
    """The text of an error about shapes, with those of the inputs and the user's line."""
    shapes = ", ".join(_shape_text(t.dims) for t in op.inputs)
    text = f"{error} for '{op.name}' (op: '{op.type}') with input shapes: {shapes}."
    return f"{text}\n  defined at {op.creation_line}" if op.frames else text


def apply_devices(op, device=""):
    """Places an operation by the open `device` blocks, which fill in what `device` leaves open."""
    op.requested_device = device
    for device in devices_of_blocks(op.graph, op):
        op.requested_device = device


def devices_of_blocks(graph, op):
    """Yields the name that each open `device` block makes of `op.device`, which the caller sets before it goes on."""
    for spec in reversed(graph.scopes.devices):  # innermost first: outer scopes only fill in what is missing
        if spec is None:
            break
        yield canonical_name(spec(op)) if callable(spec) else merge_names(spec, op.device or "")


def _shape_text(dims):
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"
