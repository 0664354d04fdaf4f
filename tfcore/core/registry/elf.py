"""Checks a shared library before the system's loader sees it: a truncated file would crash the loader."""

import os
import struct

_HEADER = struct.Struct("16sHHIQQQIHHHHHH")  # ELF64, in the byte order of this machine
_SEGMENT = struct.Struct("IIQQQQQQ")
_LOAD, _DYNAMIC, _NOTE = 1, 2, 4
_INSIDE = (_DYNAMIC, _NOTE, 0x6474E550, 0x6474E552)  # the last two: unwinding tables, RELRO
_READABLE = 4
_PAGE = 4096
_MOST = 1 << 40  # largest plausible address


def check_complete(path):
    """Raises OSError if the file can't be read, is not a regular file, or is shorter than its ELF header says."""
    if os.path.isdir(path):
        raise OSError(f"{path}: cannot read file data: Is a directory")
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"{path}: not a regular file")
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_HEADER.size)
            if not header.startswith(b"\x7fELF\x02"):
                return  # another format: the loader reports the error
            if len(header) < _HEADER.size:
                raise OSError(f"{path}: file too short")
            _, _, _, _, _, start, _, _, _, entry_size, count, *_ = _HEADER.unpack(header)
            if entry_size != _SEGMENT.size or start + count * entry_size > size:
                raise OSError(f"{path}: file too short")
            file.seek(start)
            segments = list(_SEGMENT.iter_unpack(file.read(count * entry_size)))
            for _, _, offset, _, _, in_file, in_memory, _ in segments:
                if offset + in_file > size or in_file > in_memory:
                    raise OSError(f"{path}: file too short")
            _check_segments(path, segments)
    except FileNotFoundError:
        raise OSError(f"{path}: cannot open shared object file: No such file or directory") from None
    except PermissionError:
        raise OSError(f"{path}: cannot open shared object file: Permission denied") from None


def _check_segments(path, segments):
    """Raises OSError unless loaded segments are in order and contain all that other program headers refer to."""
    loaded = [segment[1:7] for segment in segments if segment[0] == _LOAD]
    unknown = [kind for kind, *_ in segments if 7 < kind < 0x60000000]
    if unknown:
        raise OSError(f"{path}: its program header is damaged (segment of kind {unknown[0]:#x})")
    end = end_in_file = 0
    for mode, offset, at, _, in_file, in_memory in loaded:
        ordered = at >= end and offset >= end_in_file and (at - offset) % _PAGE == 0
        end, end_in_file = at + in_memory, offset + in_file
        if not ordered or not mode & _READABLE or end > _MOST:
            raise OSError(f"{path}: its program header is damaged (segment at {at:#x})")
    for kind, _, offset, at, _, in_file, in_memory, _ in segments:
        inside = any(
            o <= offset
            and offset + in_file <= o + f
            and at - a == offset - o
            and at + in_memory <= -(-(a + m) // _PAGE) * _PAGE
            for _, o, a, _, f, m in loaded
        )
        if kind in _INSIDE and in_file and not inside:
            raise OSError(f"{path}: its program header is damaged (segment of kind {kind:#x} at {at:#x})")
    if not any(kind == _DYNAMIC for kind, *_ in segments):
        raise OSError(f"{path}: no dynamic section: not a shared library")
