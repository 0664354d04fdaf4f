"""`Graph.create_op`: adds an operation by the name of its type, with inputs and attributes as in a NodeDef."""

from tfcore.framework.definitions.op_call import add_op
from tfcore.framework.definitions.op_def import get_op_def, is_registered
from tfcore.framework.definitions.op_parts import REQUIRED
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


def create_op(graph, op_type, inputs, input_types, name, attrs):
    for i, tensor in enumerate(inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Input #{i} is not a tensor: {tensor}")
    graph._check_not_finalized()
    if not is_registered(op_type):
        raise RuntimeError(
            f"Op type not registered '{op_type}'. Make sure the Op and Kernel are registered in this process."
        )
    op_def = get_op_def(op_type)
    op_def.prepare()
    name = name or op_type
    found = [tensor.dtype.base_dtype for tensor in inputs]
    if input_types is not None:
        wanted = [dtypes.as_dtype(t) for t in input_types]
        if len(wanted) != len(found) or not all(w.is_compatible_with(f) for w, f in zip(wanted, found)):
            raise TypeError(f"In op '{name}', input types ({found}) are not compatible with expected types ({wanted})")
    inputs = [convert_to_tensor(tensor) for tensor in inputs]  # ValueError if one is of another graph
    attrs = {key: _decoded(value) for key, value in attrs.items()}
    for key in attrs:
        if key not in op_def.attrs and not key.startswith("_"):
            raise ValueError(
                f"NodeDef mentions attr '{key}' not in Op<{op_def.signature()}>; NodeDef: {{{{node {name}}}}}"
            )
    _infer_attrs(op_def, found, attrs, name)
    missing = [a.name for a in op_def.attrs.values() if a.default is REQUIRED and a.name not in attrs]
    if missing:
        raise ValueError(
            f"NodeDef missing attr '{missing[0]}' from Op<{op_def.signature()}>; NodeDef: {{{{node {name}}}}}"
        )
    return add_op(graph, op_def, inputs, attrs, name)


def _decoded(value):
    if not hasattr(value, "WhichOneof"):
        return value
    from tfcore.framework.attr_proto import decode_attr  # needs protocol buffers

    return decode_attr(value)


def _infer_attrs(op_def, found, attrs, name):
    """Adds the attributes that the types of the inputs imply, and compares the others with them."""
    where = f"while building NodeDef '{name}' using Op<{op_def.signature()}>"
    start = 0
    for arg in op_def.inputs:
        count = 1
        if arg.type_list_attr is not None:
            count = len(attrs.setdefault(arg.type_list_attr, found[start:]))
        elif arg.number_attr is not None:
            count = attrs.setdefault(arg.number_attr, len(found) - start)
        part = found[start : start + count]
        start += count
        if len(part) < count:
            raise ValueError(f"Op '{op_def.name}' needs more than {len(found)} inputs {where}")
        for i, dtype in enumerate(part):
            if arg.type_list_attr is not None:
                wanted = attrs[arg.type_list_attr][i]
            else:
                wanted = arg.dtype if arg.type_attr is None else attrs.setdefault(arg.type_attr, dtype)
            wanted = dtypes.as_dtype(wanted).base_dtype
            if wanted is not dtype:
                attr = arg.type_attr or arg.type_list_attr or arg.name
                raise ValueError(
                    f"Inconsistent values for attr '{attr}' {_enum_name(wanted)} vs. {_enum_name(dtype)} {where}"
                )
    if start < len(found):
        raise ValueError(f"Op '{op_def.name}' has {start} inputs, not {len(found)}, {where}")


def _enum_name(dtype):
    return f"DT_{dtypes.SHORT_NAMES[dtype].upper()}"
