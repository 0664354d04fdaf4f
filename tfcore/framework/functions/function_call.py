"""Calls of functions: finding the function that an operation calls, inlining its body, inferring shapes."""

import threading

from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.device import merge_names
from tfcore.framework.graph.new_operation import explain_shapes
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.values.constant import constant_value

_LOCATION = b"loc:@"
_ENTER = ("Enter", "RefEnter")
_MERGE = ("Merge", "RefMerge")
_NEXT_ITERATION = ("NextIteration", "RefNextIteration")
_busy = threading.local()  # the bodies whose shapes this thread is computing


class InlinedOperation(Operation):
    """An operation of a function's body, copied for one call. It is not part of any graph.

    Attributes:
      source: the original operation in the body. call: the operation that calls the function.
    """

    __slots__ = ("source", "call")

    @property
    def creation_line(self):
        own, call = Operation.creation_line.fget(self), self.call.creation_line
        return own if own == call or not call else f"{own}, called at {call}" if own else call


def find_function(op, name):
    """The function that an operation refers to by `name`, or None.

    It is looked up in the graph of the operation, in the graphs around it, and then where the function is called.
    """
    while True:
        graph = op.source.graph if type(op) is InlinedOperation else op.graph
        while graph is not None:
            found = graph._functions.get(name)
            if found is not None:
                return found
            graph = getattr(graph, "outer_graph", None)
        if type(op) is not InlinedOperation:
            return None
        op = op.call


def callee(op):
    """The FunctionAttr of the function that an operation calls, or None."""
    if op.op_def.is_function:
        return FunctionAttr(op.type, op.attrs)
    return op.attrs["f"] if op.type in ("PartitionedCall", "StatefulPartitionedCall") else None


def inline_body(body, args, call, prefix, made=None):
    """Copies the operations of a body for one call.

    Args:
      args: Tensors that replace the body's inputs.
      call: the calling operation.
      prefix: of the names, with "/".
      made: dict from operations of the body that another call has already copied to these copies.

    Returns:
      A dict from operations of the body to InlinedOperations, in the body's order, without `made`.

    Raises:
      ValueError: shapes do not match.
    """
    tensors = dict(zip(body.inputs, args))
    for op, other in (made or {}).items():
        tensors.update(zip(op.outputs, other.outputs))
    groups = {t.op.name: arg.op for t, arg in zip(body.inputs, args)}
    groups.update((op.name, other) for op, other in (made or {}).items())
    result = {}
    for op in body.ops:
        if not made or op not in made:
            new = result[op] = _copy(op, call, prefix)
            tensors.update(zip(op.outputs, new.outputs))
    for op, new in result.items():
        new.inputs = [tensors[t] for t in op.inputs]
        new.controls = tuple((made or result).get(c) or result.get(c) for c in op.controls)
        new.controls = tuple(c for c in new.controls if c is not None)
        if "_class" in op.attrs:
            new.attrs = {**op.attrs, "_class": _renamed(op.attrs["_class"], prefix, groups)}
    _infer_all_shapes(result)
    return result


def _copy(op, call, prefix):
    new = InlinedOperation.__new__(InlinedOperation)
    new.source, new.call = op, call
    new.graph = call.graph
    new._id = 0
    new.name = prefix + op.name
    new.type, new.op_def, new.attrs = op.type, op.op_def, op.attrs
    new.requested_device = merge_names(call.device, op.device) if call.device else op.device
    new.frames = op.frames
    new._control_flow_context = None
    new.outputs = [Tensor(new, i, t.dtype, t.dims) for i, t in enumerate(op.outputs)]
    return new


def _renamed(classes, prefix, groups):
    """Colocation classes of a body at one call: arguments are replaced by what the call passes."""
    result = []
    for name in classes:
        other = groups.get(name[len(_LOCATION) :].decode()) if name.startswith(_LOCATION) else None
        if other is not None:
            result += other.colocation_groups()
        elif name.startswith(_LOCATION):
            result.append(_LOCATION + prefix.encode() + name[len(_LOCATION) :])
        else:
            result.append(name)
    return sorted(set(result))


def _infer_all_shapes(made):
    """Infers shapes, assuming that loop variables keep their initial shapes unless an iteration changes them."""
    loops = {new: new.inputs[0] for op, new in made.items() if op.type in _MERGE and _goes_around(op)}
    kept = {}
    while True:
        for op, new in made.items():
            for tensor, source in zip(new.outputs, op.outputs):
                tensor.dims = source.dims
            if new in loops:
                kept.setdefault(new, new.inputs[0].dims)
                new.outputs[0].dims = _refined(new.outputs[0].dims, kept[new])
            elif op.type in _ENTER:
                new.outputs[0].dims = _refined(op.outputs[0].dims, new.inputs[0].dims)
            else:
                _infer_shapes(op, new)
        changed = {new: common_dims([kept[new], *[t.dims for t in new.inputs]]) for new in loops}
        if changed == kept:
            return
        kept = changed


def _goes_around(op):
    return any(t.op.type in _NEXT_ITERATION for t in op.inputs)


def common_dims(shapes):
    """The dims that all shapes have in common; None for the others."""
    if None in shapes or len({len(dims) for dims in shapes}) > 1:
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes))


def _refined(dims, more):
    """Both shapes merged; if they disagree, `dims`, which holds for every call."""
    try:
        return merge(dims, more)
    except ValueError:
        return dims


def _infer_shapes(op, new):
    """Refines the shapes with what is known about the arguments of this call."""
    shape_fn = op.op_def.shape_fn
    if shape_fn is None or not new.outputs:
        return
    if not any(t.dims != s.dims or _tells_more(t, s) for t, s in zip(new.inputs, op.inputs)):
        return
    try:
        found = shape_fn(new)
    except ValueError as error:
        raise ValueError(explain_shapes(new, error)) from None
    for tensor, dims in zip(new.outputs, found, strict=True):
        tensor.dims = _refined(tensor.dims, dims)


def _tells_more(tensor, source):
    """Whether the value of an integer tensor, such as a shape, is known at this call but not in the body."""
    return tensor.dtype.is_integer and constant_value(tensor) is not None and constant_value(source) is None


# ---- Shapes of calls


def call_shapes(op):
    """Shape function of calls: infers the shapes of the body for the inputs of the call."""
    attr = callee(op)
    function = find_function(op, attr.name)
    if function is None:  # it may be defined later
        return [None] * len(op.outputs)
    return body_shapes(function.body(attr.attrs), op.inputs, op)


def body_shapes(body, args, op):
    """Static shapes of a body's outputs when `op` calls it with these Tensors; unknown while it is being defined."""
    if body is None or len(args) != len(body.inputs):
        return [None] * len(op.outputs)
    busy = _busy.__dict__.setdefault("bodies", set())
    if body in busy:  # it calls itself
        return [t.dims for t in body.outputs]
    key = None
    if not any(t.dtype.is_integer and constant_value(t) is not None for t in args):
        key = tuple(t.dims for t in args)
        if key in body.dims:
            return body.dims[key]
    busy.add(body)
    try:
        made = inline_body(body, args, op, op.name + "/")
    finally:
        busy.discard(body)
    tensors = dict(zip(body.inputs, args))
    for source, new in made.items():
        tensors.update(zip(source.outputs, new.outputs))
    result = [tensors[t].dims for t in body.outputs]
    if key is not None:
        body.dims[key] = result
    return result
