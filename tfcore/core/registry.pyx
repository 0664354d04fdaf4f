"""Kernel libraries and the look-up of a kernel by op type, device type and attribute types.

The kernels that come with tfcore exist once for each instruction-set level, in libraries of their own. The level is
chosen when the first kernel is needed: the best one the processor reports, or what TFCORE_CPU says.
"""

import ctypes
import os
import threading

from tfcore.core.runtime cimport *

from tfcore.framework import dtypes, errors
from tfcore.framework.forks import fork_safe

_lock = fork_safe(threading.RLock())
_levels = {}  # level -> {op: [Kernel]}
_user = {}  # op: [Kernel], from load_library; they win over the built-in ones
_current = None
_handles = []  # libraries stay loaded as long as the process

LEVELS = ("baseline", "avx2", "avx512")
_LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lib")


cdef class Kernel:
    """One entry of a library's kernel table."""

    cdef bint serves(self, dict attrs):
        for name, allowed in self.constraints.items():
            value = attrs.get(name)
            if isinstance(value, list):
                if any(t not in allowed for t in value):
                    return False
            elif value not in allowed:
                return False
        return True

    @property
    def flags(self):
        return self.kernel.flags

    def __repr__(self):
        return f"<Kernel {self.op} {self.device} [{self.types}] {self.level}>"


cdef dict _parse_types(str text):
    constraints = {}
    for part in text.split(";") if text else ():
        name, _, types = part.partition("=")
        constraints[name.strip()] = frozenset([dtypes.as_dtype(t.strip()) for t in types.split("|")])
    return constraints


cdef _load(path, level, dict table):
    cdef const tfc_library_def *library
    cdef const tfc_kernel_table *t
    cdef size_t i
    cdef Kernel k
    handle = ctypes.CDLL(path)
    try:
        function = handle.tfc_library
    except AttributeError:
        raise errors.InvalidArgumentError(None, None, f"{path} is not a tfcore kernel library: it has no symbol tfc_library") from None
    function.restype = ctypes.c_void_p
    address = function()
    library = <const tfc_library_def *><size_t>address
    if library.abi_version != TFC_ABI_VERSION:
        raise errors.FailedPreconditionError(
            None, None, f"{path} was built for kernel ABI {library.abi_version}, this is tfcore with ABI {TFC_ABI_VERSION}"
        )
    t = library.begin
    while t != library.end:
        for i in range(t.count):
            k = Kernel.__new__(Kernel)
            k.kernel = &t.kernels[i]
            k.op = k.kernel.op.decode()
            k.device = k.kernel.device.decode()
            k.types = k.kernel.types.decode() if k.kernel.types != NULL else ""
            k.level = level
            k.constraints = None
            table.setdefault(k.op, []).append(k)
        t += 1
    _handles.append(handle)


def load_library(path):
    """Adds the kernels of a user's library. Returns the op types it has kernels for.

    Raises:
      NotFoundError: the file can't be loaded. InvalidArgumentError: it is no kernel library.
    """
    found = {}
    with _lock:
        try:
            _load(os.fspath(path), "user", found)
        except OSError as error:
            raise errors.NotFoundError(None, None, str(error)) from None
        for op, kernels in found.items():
            _user.setdefault(op, [])[:0] = kernels
    return sorted(found)


def available_levels():
    """Levels that are installed and that this processor can run, worst first."""
    supported = _supported()
    return [level for level in LEVELS if level in supported and os.path.exists(_library_path(level))]


def _library_path(level):
    return os.path.join(_LIBRARIES, f"kernels_{level}.so")


def _supported():
    from tfcore.core.cpu import has_avx2, has_avx512

    return {"baseline"} | ({"avx2"} if has_avx2() else set()) | ({"avx512"} if has_avx512() else set())


def cpu_level():
    """The instruction-set level whose kernels new plans use."""
    global _current
    if _current is None:
        wanted = os.environ.get("TFCORE_CPU", "")
        set_cpu_level(wanted or available_levels()[-1])
    return _current


def set_cpu_level(level):
    """Makes new plans use the kernels of another level (`baseline`, `avx2` or `avx512`).

    Raises:
      ValueError: the level does not exist, is not installed, or this processor can't run it.
    """
    global _current
    if level not in _levels and level not in available_levels():
        raise ValueError(f"Instruction-set level {level!r} is not available here; there are: {', '.join(available_levels())}")
    with _lock:
        if level not in _levels:
            table = {}
            _load(_library_path(level), level, table)
            _levels[level] = table
        _current = level


def kernels(level=None, op=None):
    """The kernels of a level (default: the current one) and of users' libraries; all, or those of one op type."""
    level = level or cpu_level()
    if level not in _levels:
        current = cpu_level()
        set_cpu_level(level)
        set_cpu_level(current)
    tables = (_user, _levels[level])
    return [k for table in tables for ks in (table.values() if op is None else (table.get(op, ()),)) for k in ks]


cdef Kernel _search(list candidates, str device, dict attrs):
    cdef Kernel k
    for k in candidates:
        if k.device != device:
            continue
        if k.constraints is None:
            k.constraints = _parse_types(k.types)
        if k.serves(attrs):
            return k
    return None


def find_kernel(str op_type, str device, dict attrs):
    """The kernel for an op type on a device type ("CPU") with these attributes.

    Raises:
      NotFoundError: there is none; the message lists those that exist.
    """
    cdef Kernel found
    level = cpu_level()
    for table in (_user, _levels[level]):
        if op_type in table:
            found = _search(table[op_type], device, attrs)
            if found is not None:
                return found
    candidates = _user.get(op_type, []) + _levels[level].get(op_type, [])
    types = ", ".join(f"{n}={dtypes.SHORT_NAMES[v]}" for n, v in attrs.items() if isinstance(v, dtypes.DType))
    listing = "\n".join(f"  device='{k.device}'; {k.types.replace('|', ', ').replace(';', '; ')}" for k in candidates) or "  <no registered kernels>"
    raise errors.NotFoundError(
        None, None, f"No registered '{op_type}' OpKernel for {device} devices compatible with attributes {{{types}}}. Registered:\n{listing}"
    )
