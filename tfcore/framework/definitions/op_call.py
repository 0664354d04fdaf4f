"""What calling an op definition does: convert inputs, infer and check attributes, add the operation."""

import collections
import contextlib
import functools
import operator

import numpy as np

from tfcore.framework.definitions.op_parts import RENAMED, REQUIRED, FunctionAttr
from tfcore.framework.graph.graph import get_default_graph, graph_of
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_dims
from tfcore.framework.values.conversion import as_reference, convert_to_tensor

# Each output is a Python object: a count in the millions is a mistake, and would exhaust the memory.
_MAX_OUTPUTS = 1 << 20


def compile_call(op_def):
    """Generates the function behind `OpDef.__call__`, whose parameters are the inputs and attributes."""
    names = [arg.name for arg in op_def.inputs] + [attr.name for attr in op_def.explicit_attrs]
    renamed = RENAMED.get(op_def.name, {})
    python_names = [op_def.parameter_name(n) for n in names]
    n_inputs = len(op_def.inputs)
    params = python_names[:n_inputs]
    defaults = {}
    for attr, param in zip(op_def.explicit_attrs, python_names[n_inputs:]):
        if attr.default is REQUIRED:
            params.append(param)
        else:
            defaults[f"_default_{param}"] = attr.default
            params.append(f"{param}=_default_{param}")
    # Attributes that follow from the inputs may be given, too (raw ops allow it).
    inferred = [a for a in op_def.attrs if a not in names]
    params += ["name=None"] + [f"{a}=None" for a in inferred if a != "name"]
    attrs = ", ".join(f"{n!r}: {p}" for n, p in zip(names[n_inputs:], python_names[n_inputs:]))
    given = "".join(f"\n    if {a} is not None: attrs[{a!r}] = {a}" for a in inferred)
    source = (
        f"def {op_def.name}({', '.join(params)}):\n    attrs = {{{attrs}}}{given}\n"
        f"    return _apply(_op_def, ({''.join(p + ', ' for p in python_names[:n_inputs])}), attrs, name)\n"
    )
    scope = {"_apply": _apply, "_op_def": op_def, **defaults}
    exec(compile(source, f"{__file__}<{op_def.name}>", "exec"), scope)  # as in dataclasses: a signature for each op
    call = scope[op_def.name]
    call.__doc__ = op_def.__doc__
    _finish(op_def)
    return _with_original_names(call, renamed) if renamed else call


def _with_original_names(call, renamed):
    @functools.wraps(call)
    def with_original_names(*args, **kwargs):
        for original, name in renamed.items():
            if original in kwargs:
                if name in kwargs:
                    raise TypeError(f"{call.__name__}() got '{original}' and '{name}', which are the same argument")
                kwargs[name] = kwargs.pop(original)
        return call(*args, **kwargs)

    return with_original_names


def _finish(op_def):
    """Determines once what a call returns and whether the fast path for single-tensor inputs applies."""
    op_def.has_references = any(arg.is_ref for arg in op_def.inputs)
    op_def.simple_inputs = not any(arg.is_list or arg.is_ref for arg in op_def.inputs)
    outputs = op_def.outputs
    if not outputs:
        op_def.wrap_outputs = None
    elif len(outputs) == 1:
        op_def.wrap_outputs = list if outputs[0].is_list else operator.itemgetter(0)
    else:
        op_def.wrap_outputs = _namedtuple_wrapper(op_def)


def _namedtuple_wrapper(op_def):
    fields = [arg.name for arg in op_def.outputs]
    result = collections.namedtuple(op_def.name, fields, rename=True)

    def wrap(op_outputs):
        if not any(arg.is_list for arg in op_def.outputs):
            return result._make(op_outputs)
        values, start = [], 0
        op = op_outputs[0].op
        for arg in op_def.outputs:
            if arg.is_list:
                count = op.attrs[arg.number_attr] if arg.number_attr else len(op.attrs[arg.type_list_attr])
                values.append(list(op_outputs[start : start + count]))
                start += count
            else:
                values.append(op_outputs[start])
                start += 1
        return result._make(values)

    return wrap


def _apply(op_def, values, attrs, name):
    graph = get_default_graph()
    if op_def.simple_inputs:
        for value in values:
            if type(value) is not Tensor or value.op.graph is not graph:
                break
        else:
            _infer_types(op_def, values, attrs)
            return _add(graph, op_def, values, attrs, name)
    graph = graph_of(values) or graph
    with graph.as_default(), graph.name_scope(name or op_def.name.lstrip("_")) as scope:
        inputs = _convert_inputs(op_def, values, attrs)
    return _add(graph, op_def, inputs, attrs, scope)


def _infer_types(op_def, tensors, attrs):
    """Infers type attributes from inputs that are all Tensors."""
    for arg, tensor in zip(op_def.inputs, tensors):
        dtype = tensor.dtype.base_dtype
        attr = arg.type_attr
        if attr is None:
            if dtype is not arg.dtype:
                _raise_input_dtype(op_def, arg, dtype, arg.dtype, "expected type")
            continue
        known = attrs.get(attr)
        if known is None:
            allowed = op_def.attrs[attr].allowed
            if allowed is not None and dtype not in allowed:
                _raise_not_allowed(arg, dtype, allowed)
            attrs[attr] = dtype
        elif known is not dtype and dtypes.as_dtype(known) is not dtype:
            _raise_mismatch(op_def, arg, dtype, attrs)
    return None


def _convert_inputs(op_def, values, attrs):
    _adopt_known_types(op_def, values, attrs)
    tensors = []
    for arg, value in zip(op_def.inputs, values):
        if arg.is_list:
            tensors.extend(_convert_list(op_def, arg, value, attrs))
        else:
            tensors.append(_convert_one(op_def, arg, value, attrs, arg.name))
    return tensors


def _adopt_known_types(op_def, values, attrs):
    """Takes types from Tensor arguments, so that they also apply to Python values that precede them."""
    for arg, value in zip(op_def.inputs, values):
        attr = arg.type_attr
        if attr is None or attr in attrs:
            continue
        for item in value if arg.is_list and isinstance(value, (list, tuple)) else (value,):
            dtype = getattr(item, "dtype", None)
            if isinstance(dtype, dtypes.DType) and hasattr(item, "_as_graph_element"):
                attrs[attr] = dtype.base_dtype
                break


def _convert_one(op_def, arg, value, attrs, name):
    attr = arg.type_attr
    dtype = arg.dtype if attr is None else attrs.get(attr)
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    preferred = None
    if attr is not None and dtype is None:
        default = op_def.attrs[attr].default
        preferred = default if isinstance(default, dtypes.DType) else None
        allowed = op_def.attrs[attr].allowed
        if preferred is None and allowed is not None and len(allowed) == 1:
            preferred = allowed[0]
    if arg.is_ref and not isinstance(getattr(value, "dtype", None), dtypes.DType):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'dtype' of a variable")
    try:
        if arg.is_ref:
            tensor = as_reference(value, name)
        else:
            tensor = convert_to_tensor(value, dtype=dtype, name=name, preferred_dtype=preferred)
    except (TypeError, ValueError) as error:
        _explain_conversion(op_def, arg, value, dtype, error)
    found = tensor.dtype.base_dtype
    if arg.is_ref and not tensor.dtype._is_ref_dtype:
        raise TypeError(
            f"'{op_def.name}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)"
        )
    if attr is None:
        if arg.dtype is not found:
            _raise_input_dtype(op_def, arg, found, arg.dtype, "expected type")
        return tensor
    allowed = op_def.attrs[attr].allowed
    if allowed is not None and found not in allowed:
        _raise_not_allowed(arg, found, allowed)
    if dtype is not None and found is not dtype:
        _raise_mismatch(op_def, arg, found, attrs)
    attrs[attr] = found
    return tensor


def _convert_list(op_def, arg, value, attrs):
    if isinstance(value, Tensor) or not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for '{arg.name}' argument to '{op_def.name}' Op, not {value}.")
    if arg.type_list_attr is not None:
        given = attrs.get(arg.type_list_attr)
        wanted = given if given is not None else [None] * len(value)
        tensors = _convert_items(
            op_def, arg, value, lambda i, v: convert_to_tensor(v, dtype=wanted[i], name=f"{arg.name}_{i}")
        )
        attrs[arg.type_list_attr] = [t.dtype.base_dtype for t in tensors]
        _check_minimum(op_def, op_def.attrs[arg.type_list_attr], len(tensors), arg)
        return tensors
    tensors = _convert_items(op_def, arg, value, lambda i, v: _convert_one(op_def, arg, v, attrs, f"{arg.name}_{i}"))
    count = attrs.get(arg.number_attr)
    if count is not None and count != len(tensors):
        raise ValueError(
            f"List argument '{arg.name}' to '{op_def.name}' Op with length {len(tensors)} must match length {count} of "
            "other lists."
        )
    attrs[arg.number_attr] = len(tensors)
    _check_minimum(op_def, op_def.attrs[arg.number_attr], len(tensors), arg)
    return tensors


def _convert_items(op_def, arg, values, convert):
    try:
        return [convert(i, v) for i, v in enumerate(values)]
    except (TypeError, ValueError):
        types = [_type_or_none(v) for v in values]
        if None not in types:
            raise
        types = ", ".join(t or "<NOT CONVERTIBLE TO TENSOR>" for t in types)
        raise TypeError(
            f"Tensors in list passed to '{arg.name}' of '{op_def.name}' Op have types [{types}] that are invalid. "
            f"Tensors: {values}"
        ) from None


def _type_or_none(value):
    try:
        return convert_to_tensor(value).dtype.base_dtype.name
    except (TypeError, ValueError):
        return None


def _check_minimum(op_def, attr, count, arg):
    if attr.minimum is not None and count < attr.minimum:
        raise ValueError(
            f"List argument '{arg.name}' to '{op_def.name}' Op with length {count} shorter than minimum length "
            f"{attr.minimum}."
        )


def _add(graph, op_def, inputs, attrs, name):
    op = add_op(graph, op_def, inputs, attrs, name)
    wrap = op_def.wrap_outputs
    if wrap is None:
        return op
    return wrap(op.outputs) if op.outputs else op


def add_op(graph, op_def, inputs, attrs, name):
    """Checks and completes the attributes, and adds the operation."""
    for attr in op_def.attrs.values():
        value = attrs.get(attr.name)
        if value is not attr.default or value is None:
            attrs[attr.name] = normalize_attr(op_def, attr, value)
    if op_def.stateful and (container := graph.scopes.container) and not attrs.get("container", True):
        attrs["container"] = container.encode()
    types = output_dtypes(op_def, attrs)
    if graph.building_function:
        inputs = [graph.capture(t) for t in inputs]
    if op_def.has_references:
        return _add_beside_references(graph, op_def, list(inputs), attrs, types, name)
    return graph.add_operation(op_def, list(inputs), attrs, types, name)


def _add_beside_references(graph, op_def, inputs, attrs, types, name):
    """Adds an operation that changes variables on their device, whatever the device scopes."""
    with contextlib.ExitStack() as stack:
        for arg, tensor in zip(op_def.inputs, inputs):
            if arg.is_ref:
                stack.enter_context(graph.colocate_with(tensor.op))
        return graph.add_operation(op_def, inputs, attrs, types, name)


def output_dtypes(op_def, attrs):
    """Types of all outputs, lists expanded, for the given attribute values."""
    types = []
    for arg in op_def.outputs:
        if arg.type_list_attr is not None:
            types.extend(attrs[arg.type_list_attr])
            continue
        dtype = arg.dtype if arg.type_attr is None else attrs[arg.type_attr]
        if arg.is_ref:
            dtype = dtype._as_ref
        if arg.number_attr is None:
            types.append(dtype)
            continue
        count = attrs[arg.number_attr]
        if count > _MAX_OUTPUTS:
            raise ValueError(
                f"Attr '{arg.number_attr}' of '{op_def.name}' Op passed {count}: an operation can't have more than "
                f"{_MAX_OUTPUTS} outputs."
            )
        types.extend([dtype] * count)
    return types


def normalize_attr(op_def, attr, value):
    """The value, checked against the definition and in the form that `Operation.get_attr` returns."""
    if value is None and attr.type != "shape":
        if attr.default is REQUIRED:
            raise TypeError(f"No argument for attr '{attr.name}' of op '{op_def.name}'")
        value = attr.default
    kind = attr.type
    try:
        if kind.startswith("list("):
            if not isinstance(value, (list, tuple)):
                raise TypeError
            convert = _CONVERT[kind[5:-1]]
            value = [convert(v) for v in value]
            if attr.minimum is not None and len(value) < attr.minimum:
                raise ValueError(
                    f"Attr '{attr.name}' of '{op_def.name}' Op passed list of length {len(value)} less than minimum "
                    f"{attr.minimum}."
                )
            checked = value
        else:
            value = _CONVERT[kind](value)
            checked = (value,)
    except (TypeError, AttributeError):
        raise TypeError(f"Expected {kind} for argument '{attr.name}' of op '{op_def.name}', not {value!r}.") from None
    except OverflowError:
        raise ValueError(f"Attr '{attr.name}' of '{op_def.name}' Op passed {value!r}, which is out of range.") from None
    if attr.allowed is not None:
        for item in checked:
            if item not in attr.allowed:
                _raise_attr_value(op_def, attr, item)
    if attr.minimum is not None and kind == "int" and value < attr.minimum:
        raise ValueError(f"Attr '{attr.name}' of '{op_def.name}' Op passed {value} less than minimum {attr.minimum}.")
    return value


def _to_bool(value):
    if isinstance(value, bool) or (hasattr(value, "dtype") and value.dtype == "bool"):
        return bool(value)
    raise TypeError


def _to_int(value):
    # A float loses its fraction, as in TensorFlow: programs seed with the time, for example.
    value = int(value) if isinstance(value, (float, np.floating)) else operator.index(value)
    if not -(2**63) <= value < 2**63:
        raise OverflowError
    return value


def _to_float(value):
    if isinstance(value, (str, bytes)):
        raise TypeError
    return float(value)


def _to_bytes(value):
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError
    return bytes(value)


def _to_dims(value):
    if isinstance(value, bool):
        raise TypeError
    return as_dims(value)


def _to_function(value):
    if isinstance(value, FunctionAttr):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(name, str):
        raise TypeError
    if hasattr(value, "add_to_graph"):  # a graph function
        value.add_to_graph(get_default_graph())
    return FunctionAttr(name)


def _unchanged(value):
    return value


_CONVERT = {
    "bool": _to_bool,
    "int": _to_int,
    "float": _to_float,
    "string": _to_bytes,
    "type": lambda value: dtypes.as_dtype(value).base_dtype,
    "shape": _to_dims,
    "tensor": _unchanged,
    "func": _to_function,
}


def _raise_attr_value(op_def, attr, item):
    if attr.type.endswith("string") or attr.type.endswith("string)"):
        allowed = ", ".join(f'"{a.decode()}"' for a in attr.allowed)
        raise ValueError(
            f"Value for attr '{attr.name}' of \"{item.decode(errors='replace')}\" is not in the list of allowed "
            f"values: {allowed}\n\t; NodeDef: {op_def.name}"
        )
    allowed = ", ".join(dtypes.SHORT_NAMES[a] for a in attr.allowed)
    raise TypeError(
        f"Value for attr '{attr.name}' of {dtypes.SHORT_NAMES[item]} is not in the list of allowed values: {allowed}"
        f"\n\t; NodeDef: {op_def.name}"
    )


def _raise_not_allowed(arg, dtype, allowed):
    names = ", ".join(a.name for a in allowed)
    raise TypeError(
        f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of allowed values: {names}"
    )


def _raise_input_dtype(op_def, arg, found, wanted, word):
    raise TypeError(
        f"Input '{arg.name}' of '{op_def.name}' Op has type {found.name} that does not match {word} of {wanted.name}."
    )


def _raise_mismatch(op_def, arg, found, attrs):
    wanted = dtypes.as_dtype(attrs[arg.type_attr]).name
    for other in op_def.inputs:
        if other.type_attr == arg.type_attr and other is not arg:
            raise TypeError(
                f"Input '{arg.name}' of '{op_def.name}' Op has type {found.name} that does not match type {wanted} of "
                f"argument '{other.name}'."
            )
    raise TypeError(
        f"Input '{arg.name}' of '{op_def.name}' Op has type {found.name} that does not match type {wanted}."
    )


def _explain_conversion(op_def, arg, value, dtype, error):
    found = getattr(value, "dtype", None)
    if isinstance(error, ValueError) and isinstance(found, np.dtype):
        found = convert_to_tensor(value).dtype
    if dtype is not None and isinstance(found, dtypes.DType) and found.base_dtype is not dtype.base_dtype:
        attrs = {arg.type_attr: dtype}
        if arg.type_attr is not None:
            _raise_mismatch(op_def, arg, found.base_dtype, attrs)
        _raise_input_dtype(op_def, arg, found.base_dtype, dtype, "expected type")
    raise error
