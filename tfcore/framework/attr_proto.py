"""Attributes as AttrValue protocol buffers, both ways. The Python forms are those of `Operation.get_attr`."""

import numpy as np

from tfcore.framework import protos
from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.tensor_proto import array_to_proto, proto_to_array
from tfcore.framework.types import dtypes

# AttrValue's field for each kind of attribute. List fields have the same names.
_FIELD_OF = {
    "string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "tensor": "tensor",
    "func": "func",
}  # fmt: skip
_KIND_OF = {field: kind for kind, field in _FIELD_OF.items()}


class AttrError(ValueError):
    """An AttrValue that does not match its definition. The importer adds the name of the node."""


# ---- To protocol buffers


def encode_attr(value, kind=None, into=None):
    """The AttrValue for a Python value. `kind` is as in definitions ("list(int)"), or inferred from the value.

    Args:
      into: the AttrValue to fill; a new one by default.

    Raises:
      TypeError: `value` cannot be an attribute.
    """
    result = protos.AttrValue() if into is None else into
    if kind is None:
        kind = kind_of_value(value)
    if not kind.startswith("list("):
        _encode(result, _FIELD_OF[kind], value)
        return result
    result.list.SetInParent()
    inner = kind[5:-1]
    if value:
        _encode_list(getattr(result.list, _FIELD_OF[inner]), inner, value)
    return result


def _encode(target, field, value):
    if field == "type":
        target.type = value.as_datatype_enum
    elif field == "shape":
        encode_shape(value, target.shape)
    elif field == "tensor":
        target.tensor.CopyFrom(array_to_proto(value))
    elif field == "func":
        _encode_function(value, target.func)
    else:
        setattr(target, field, value.encode() if isinstance(value, str) else value)


def _encode_list(target, kind, values):
    if kind == "type":
        target.extend([v.as_datatype_enum for v in values])
    elif kind == "shape":
        for v in values:
            encode_shape(v, target.add())
    elif kind == "tensor":
        target.extend([array_to_proto(v) for v in values])
    elif kind == "func":
        for v in values:
            _encode_function(v, target.add())
    else:
        target.extend([v.encode() if isinstance(v, str) else v for v in values])


def encode_shape(dims, target):
    """Fills a TensorShapeProto from dims (a tuple of int | None, or None for unknown rank)."""
    target.SetInParent()
    if dims is None:
        target.unknown_rank = True
        return
    for d in dims:
        target.dim.add().size = -1 if d is None else d


def _encode_function(value, target):
    target.name = value.name
    for name, attr in value.attrs.items():
        encode_attr(attr, into=target.attr[name])


def kind_of_value(value):
    """The attribute kind of a Python value, such as "list(type)". An empty list counts as "list(int)"."""
    if isinstance(value, list):
        return f"list({kind_of_value(value[0])})" if value else "list(int)"
    for types, kind in _KINDS:
        if isinstance(value, types):
            return kind
    raise TypeError(f"{value!r} cannot be the value of an attribute")


_KINDS = (
    ((bool, np.bool_), "bool"),
    ((int, np.integer), "int"),
    ((float, np.floating), "float"),
    ((str, bytes), "string"),
    (dtypes.DType, "type"),
    ((tuple, type(None)), "shape"),
    (np.ndarray, "tensor"),
    (FunctionAttr, "func"),
)


# ---- From protocol buffers


def decode_attr(value, kind=None):
    """The Python value of an AttrValue, which must be of the given `kind`, if any.

    Raises:
      AttrError: it holds another kind or nothing, an unknown type number, or a malformed shape or tensor.
    """
    field = value.WhichOneof("value")
    if kind is not None:
        _check_field(value, field, kind)
    elif field is None:
        raise AttrError("AttrValue holds no value")
    if field == "placeholder":
        raise AttrError("AttrValue had value with unexpected type 'placeholder'")
    if field != "list":
        return _decode(_KIND_OF[field], getattr(value, field))
    if kind is not None:
        inner = kind[5:-1]
    else:
        set_fields = value.list.ListFields()
        if not set_fields:
            return []
        inner = _KIND_OF[set_fields[0][0].name]
    items = getattr(value.list, _FIELD_OF[inner])
    return list(items) if inner in ("string", "int", "float", "bool") else [_decode(inner, item) for item in items]


def _check_field(value, field, kind):
    wanted = "list" if kind.startswith("list(") else _FIELD_OF[kind]
    if field is None:
        raise AttrError(f"AttrValue missing value with expected type '{kind}'")
    if field != wanted:
        found = _kind_name(value, field)
        raise AttrError(f"AttrValue had value with type '{found}' when '{kind}' expected")
    if field == "list":
        for descriptor, _ in value.list.ListFields():
            if descriptor.name != _FIELD_OF[kind[5:-1]]:
                found = f"list({_KIND_OF[descriptor.name]})"
                raise AttrError(f"AttrValue had value with type '{found}' when '{kind}' expected")


def _kind_name(value, field):
    if field != "list":
        return _KIND_OF.get(field, field)
    fields = value.list.ListFields()
    return f"list({_KIND_OF[fields[0][0].name]})" if fields else "list"


def _decode(kind, item):
    if kind == "type":
        found = dtypes.BY_ENUM.get(item)
        if found is None:
            raise AttrError(f"AttrValue has an invalid data type: number {item}")
        if found._is_ref_dtype:  # kernels would take the address of a variable for a value, or the reverse
            raise AttrError(f"AttrValue must not have reference type value of {found.name}")
        return found
    if kind == "shape":
        return decode_shape(item)
    if kind == "tensor":
        try:
            return proto_to_array(item)
        except (TypeError, ValueError, MemoryError) as error:
            raise AttrError(f"Cannot parse tensor from proto: {error}") from None
    if kind == "func":
        return FunctionAttr(item.name, {name: decode_attr(v) for name, v in item.attr.items()})
    return item


def decode_shape(shape):
    """The dims of a TensorShapeProto; AttrError if it is malformed."""
    if shape.unknown_rank:
        if len(shape.dim):
            raise AttrError("An unknown shape must not have any dimensions set.")
        return None
    dims = []
    for dim in shape.dim:
        if dim.size < -1:
            raise AttrError(f"Shape {[d.size for d in shape.dim]} has dimensions with values below -1")
        dims.append(None if dim.size == -1 else dim.size)
    return tuple(dims)
