"""A look at a shared library before the system's loader, which a file that was cut off would crash."""

import os
import struct

_HEADER = struct.Struct("16sHHIQQQIHHHHHH")  # ELF64, in the byte order of this machine
_SEGMENT = struct.Struct("IIQQQQQQ")


def check_complete(path):
    """Raises OSError if the file can't be read, is no file, or ends before what its ELF header promises."""
    if os.path.isdir(path):
        raise OSError(f"{path}: cannot read file data: Is a directory")
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"{path}: not a regular file")
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_HEADER.size)
            if not header.startswith(b"\x7fELF\x02"):
                return  # another format: the loader says what is wrong with it
            if len(header) < _HEADER.size:
                raise OSError(f"{path}: file too short")
            _, _, _, _, _, start, _, _, _, entry_size, count, *_ = _HEADER.unpack(header)
            if entry_size != _SEGMENT.size or start + count * entry_size > size:
                raise OSError(f"{path}: file too short")
            file.seek(start)
            for _, _, offset, _, _, in_file, in_memory, _ in _SEGMENT.iter_unpack(file.read(count * entry_size)):
                if offset + in_file > size or in_file > in_memory:
                    raise OSError(f"{path}: file too short")
    except FileNotFoundError:
        raise OSError(f"{path}: cannot open shared object file: No such file or directory") from None
    except PermissionError:
        raise OSError(f"{path}: cannot open shared object file: Permission denied") from None
