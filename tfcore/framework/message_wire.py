"""The binary format of messages: fields as a tag, which is number * 8 + wire type, and a value.

Source: "Encoding", the documentation of protocol buffers.
"""

import struct

_VARINT, _FIXED64, _BYTES, _GROUP, _END, _FIXED32 = 0, 1, 2, 3, 4, 5
_DEPTH = 100  # of groups within groups, as in protocol buffers
_WIRE = {"double": _FIXED64, "float": _FIXED32, "string": _BYTES, "bytes": _BYTES, "message": _BYTES}
_FLOATS = {"double": "<d", "float": "<f"}


# ---- Writing


def _varint(value):
    value &= 2**64 - 1  # negative numbers in two's complement
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _tag(number, wire):
    return _varint(number << 3 | wire)


def _sized(data):
    return _varint(len(data)) + data


def _value(kind, value, deterministic):
    if kind in _FLOATS:
        return struct.pack(_FLOATS[kind], value)
    if kind == "string":
        return _sized(value.encode())
    if kind == "bytes":
        return _sized(value)
    if kind == "message":
        return _sized(value.SerializeToString(deterministic=deterministic))
    return _varint(value)


def encode(message, deterministic):
    """The bytes of a message; with `deterministic`, maps are sorted by key."""
    out = []
    for field in message._present():
        value, kind = getattr(message, field.name), field.kind
        wire = _WIRE.get(kind, _VARINT)
        if field.key is not None:
            key_wire = _WIRE.get(field.key, _VARINT)
            for key in sorted(value) if deterministic else value:
                entry = _tag(1, key_wire) + _value(field.key, key, deterministic)
                entry += _tag(2, wire) + _value(kind, value[key], deterministic)
                out.append(_tag(field.number, _BYTES) + _sized(entry))
        elif not field.repeated:
            out.append(_tag(field.number, wire) + _value(kind, value, deterministic))
        elif wire == _BYTES:
            out += [_tag(field.number, wire) + _value(kind, v, deterministic) for v in value]
        else:
            out.append(_tag(field.number, _BYTES) + _sized(b"".join(_value(kind, v, deterministic) for v in value)))
    return b"".join(out) + message._unknown


# ---- Reading


class _CorruptError(Exception):
    pass


def decode(message, data):
    """Merges the fields that bytes stand for into a message."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"expected bytes, {type(data).__name__} found")
    try:
        _decode(message, bytes(data))
    except (_CorruptError, UnicodeDecodeError):
        name = message.DESCRIPTOR.full_name
        raise _decode_error(f"Error parsing message with type '{name}': Wire format was corrupt") from None


def _decode_error(text):
    try:
        from google.protobuf.message import DecodeError
    except ImportError:  # nobody can catch its class then
        DecodeError = ValueError  # noqa: N806
    return DecodeError(text)


def _decode(message, data):
    by_number = {f.number: f for f in message._table().values()}
    at = 0
    unknown = []  # joined at the end: a message may consist of millions of them
    while at < len(data):
        start = at
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 2**29:
            raise _CorruptError
        if wire == _GROUP:  # nothing here is one
            raw, at = None, _end_of_group(data, at, number, _DEPTH)
        else:
            raw, at = _read_raw(data, at, wire)
        field = by_number.get(number)
        if field is None or not _merge(message, field, wire, raw):
            unknown.append(data[start:at])
    message.__dict__["_unknown"] += b"".join(unknown)


def _end_of_group(data, at, number, depth):
    """Where a group ends: fields between a tag that opens it and one that closes it."""
    if depth == 0:
        raise _CorruptError
    while True:
        tag, at = _read_varint(data, at)
        if tag & 7 == _END:
            if tag >> 3 != number:
                raise _CorruptError
            return at
        if tag & 7 == _GROUP:
            at = _end_of_group(data, at, tag >> 3, depth - 1)
        else:
            _, at = _read_raw(data, at, tag & 7)


def _read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift >= 70:
            raise _CorruptError
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value & (2**64 - 1), at


def _read_raw(data, at, wire):
    """The value of a wire type, an int or bytes, and where it ends."""
    if wire == _VARINT:
        return _read_varint(data, at)
    if wire == _BYTES:
        size, at = _read_varint(data, at)
    elif wire in (_FIXED32, _FIXED64):
        size = 4 if wire == _FIXED32 else 8
    else:
        raise _CorruptError
    if at + size > len(data):
        raise _CorruptError
    return data[at : at + size], at + size


def _scalar(kind, raw):
    if kind in _FLOATS:
        return struct.unpack(_FLOATS[kind], raw)[0]
    if kind == "string":
        return raw.decode()
    if kind == "bytes":
        return raw
    if kind == "bool":
        return raw != 0
    if kind in ("int32", "enum"):
        raw &= 2**32 - 1
        return raw - 2**32 if raw >= 2**31 else raw
    if kind == "int64":
        return raw - 2**64 if raw >= 2**63 else raw
    return raw & (2**32 - 1) if kind == "uint32" else raw


def _merge(message, field, wire, raw):
    """Puts a value into its field; False if the wire type does not fit."""
    wanted = _WIRE.get(field.kind, _VARINT)
    if field.key is not None:
        return wire == _BYTES and _merge_entry(getattr(message, field.name), field, raw)
    if field.repeated and wire == _BYTES and wanted != _BYTES:
        _merge_packed(getattr(message, field.name), field.kind, wanted, raw)
        return True
    if wire != wanted:
        return False
    if field.kind == "message":
        target = getattr(message, field.name)
        (target.add() if field.repeated else target).MergeFromString(raw)
    elif field.repeated:
        getattr(message, field.name).append(_scalar(field.kind, raw))
    else:
        message.__dict__[field.name] = _scalar(field.kind, raw)
    return True


def _merge_packed(target, kind, wire, raw):
    at, values = 0, []
    while at < len(raw):
        value, at = _read_raw(raw, at, wire)
        values.append(_scalar(kind, value))
    target.extend(values)


def _merge_entry(target, field, raw):
    entry = target.GetEntryClass()()
    _decode(entry, raw)
    if field.kind == "message":
        target[entry.key].CopyFrom(entry.value)
    else:
        target[entry.key] = entry.value
    return True
