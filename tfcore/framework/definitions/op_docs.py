"""Docstrings of op types, generated from their definitions."""

import inspect

from tfcore.framework.types import dtypes

_KINDS = {
    "bool": ("A bool", "bools"),
    "int": ("An int", "ints"),
    "float": ("A float", "floats"),
    "string": ("A string", "strings"),
    "type": ("A `DType`", "`DType`s"),
    "shape": ("A `TensorShape` or list of ints", "`TensorShape`s or lists of ints"),
    "tensor": ("A constant", "constants"),
    "func": ("A function made by `Defun`", "functions made by `Defun`"),
}

_RAISES = """  TypeError: An argument has a type that is not listed.
  ValueError: Static shapes or attributes don't fit together."""
_FAMILIES = {
    "floating-point": {"float16", "bfloat16", "float32", "float64"},
    "integer": {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
    "complex": {"complex64", "complex128"},
}


def describe(op_def, summary=None, example=None, shapes=None):
    """The docstring of an op type or of a function that only adds such an operation.

    Args:
      op_def: The `OpDef`.
      summary: What it computes; by default the summary of the definition. It may end in a Raises section.
      example: Lines of a doctest, with any indentation.
      shapes: Dict from an input or output to a description of its shape.

    Returns:
      A string: the summary and the example, then Args, Returns and Raises in Google's format.
    """
    shapes = shapes or {}
    text = inspect.cleandoc(summary or op_def.summary or f"Adds an operation of type {op_def.name}.")
    text, _, raised = text.partition("\n\nRaises:\n")
    parts = [text]
    if example:
        parts.append(example.strip("\n"))
    arguments = [
        f"  {op_def.parameter_name(arg.name)}: {_value(op_def, arg, shapes.get(arg.name), True)}"
        for arg in op_def.inputs
    ]
    arguments += [f"  {op_def.parameter_name(attr.name)}: {_attribute(attr)}" for attr in op_def.explicit_attrs]
    arguments.append("  name: Name of the operation (optional).")
    parts.append("Args:\n" + "\n".join(arguments))
    parts.append("Returns:\n" + _returns(op_def, shapes))
    if op_def.inputs or op_def.explicit_attrs:
        parts.append(f"Raises:\n{_RAISES}" + (f"\n{raised}" if raised else ""))
    return "\n\n".join(parts) + "\n"


def _returns(op_def, shapes):
    if not op_def.outputs:
        return "  The `Operation`."
    if len(op_def.outputs) == 1:
        [output] = op_def.outputs
        return f"  {_value(op_def, output, shapes.get(output.name), False)}"
    values = [f"  {arg.name}: {_value(op_def, arg, shapes.get(arg.name), False)}" for arg in op_def.outputs]
    return "  A named tuple:\n\n" + "\n".join(values)


def _value(op_def, arg, shape, is_input):
    if arg.type_list_attr:
        text = "A list of `Tensor`s of any types"
    else:
        noun = "`Tensor`s" if arg.number_attr else "`Tensor`"
        noun = f"mutable {noun}" if arg.is_ref else noun
        text = f"{'A list of' if arg.number_attr else 'A'} {noun} {_type(op_def, arg, is_input)}"
    return f"{text}, {shape}." if shape else f"{text}."


def _type(op_def, arg, is_input):
    if arg.type_attr is None:
        return f"of type {arg.dtype.name}"
    first = next((a for a in op_def.inputs if a.type_attr == arg.type_attr), None)
    if first is not None and first is not arg:
        return f"of the type of `{op_def.parameter_name(first.name)}`"
    if first is None and not is_input:
        return f"of type `{arg.type_attr}`"
    return f"of {_types(op_def.attrs[arg.type_attr].allowed)}"


def _types(allowed):
    if allowed is None:
        return "any type"
    left = {t.name: t for t in allowed if not t.name.startswith(("qint", "quint"))}
    if not left:
        return "a quantized type"
    kinds = []
    for kind, members in _FAMILIES.items():
        if members <= set(left):
            kinds.append(kind)
            left = {name: t for name, t in left.items() if name not in members}
    if not kinds:
        return f"type {_either(left)}"
    return f"any {_either(kinds)} type" + (f", or {_either(left)}" if left else "")


def _either(names):
    names = list(map(str, names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _attribute(attr):
    is_list = attr.type.startswith("list(")
    one, many = _KINDS[attr.type[5:-1] if is_list else attr.type]
    text = f"A list of {many}" if is_list else one
    if attr.allowed and "string" in attr.type:
        text += f", {_either(repr(value.decode()) for value in attr.allowed)}"
    elif attr.allowed:
        text += f": {_either(t.name for t in attr.allowed)}"
    if attr.minimum is not None:
        text += f", at least {attr.minimum} long" if is_list else f", at least {attr.minimum}"
    return f"{text}{_default(attr)}."


def _default(attr):
    if not attr.has_default:
        return ""
    value = attr.default
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, dtypes.DType):
        return f"; {value.name} by default"
    return f"; {value!r} by default"
