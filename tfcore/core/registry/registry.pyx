"""Kernel libraries and the look-up of a kernel by op type, device type and attribute types.

The kernels that come with tfcore exist once for each instruction-set level, in separate libraries. The level is chosen
when the first kernel is needed: the best one that the processor supports, or the value of TFCORE_CPU. Users' libraries
are not trusted: their tables are read and checked completely (`Library`) before anything is registered (`add_library`).
"""

import bisect
import collections
import ctypes
import importlib
import os
import re
import threading

import _ctypes

from tfcore.core.runtime cimport *

from tfcore.core.registry.elf import check_complete
from tfcore.framework.types import dtypes
from tfcore.framework import errors
from tfcore.framework.fork_safety import fork_safe

cdef extern from "registry/remote_files.h" nogil:
    ctypedef struct tfc_file_status:
        int code
        char text[1400]
    ctypedef struct tfc_remote_files:
        pass
    ctypedef struct tfc_remote_hook:
        const tfc_remote_files *(*load)(tfc_file_status *) noexcept nogil

cdef extern from *:
    """
    #define load_files(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define store_files(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
    """
    const tfc_remote_files *load_files(const tfc_remote_files **) nogil
    void store_files(const tfc_remote_files **, const tfc_remote_files *) nogil

cdef extern from "<string.h>":
    size_t strnlen(const char *text, size_t most)
    void *memcpy(void *to, const void *source, size_t size)

_lock = fork_safe(threading.RLock())
_levels = {}  # level -> {op: [Kernel]}
_user = {}  # op: [Kernel], from users' libraries; they override built-in ones, newer override older
_internal = {}  # op: [Kernel], of tfcore's own Cython modules, the same at every level
_device = {}  # op: [Kernel], for devices with memory of their own
_lazy = {}  # op: module that registers internal kernels for it on import
_current = None
_handles = []  # libraries stay loaded until the process ends

LEVELS = ("baseline", "avx2", "avx512")
_LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "lib")
_OP_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
_DEVICE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_MAX_ENTRIES = 100000  # of one table: more means a damaged table
_MAX_KERNELS = 1000  # of one op type
_MAX_TEXT = 1 << 20
_KERNEL_FLAGS = (
    TFC_KERNEL_EXPENSIVE | TFC_KERNEL_ASYNC | TFC_KERNEL_STATEFUL | TFC_KERNEL_BLOCKING | TFC_KERNEL_LEAVES_LOOPS
    | TFC_KERNEL_INTERRUPTIBLE
)
_OP_FLAGS = TFC_OP_STATEFUL | TFC_OP_COMMUTATIVE


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

    @property
    def host_args(self):
        """Names of the arguments that stay in host memory; ["*"]: the kernel works on the host."""
        if self.kernel.host_args == NULL:
            return []
        return [name.strip() for name in self.kernel.host_args.decode().split(",") if name.strip()]

    def __repr__(self):
        return f"<Kernel {self.op} {self.device} [{self.types}] {self.level}>"


cdef dict _parse_types(str text):
    constraints = {}
    for part in text.split(";") if text else ():
        name, _, types = part.partition("=")
        constraints[name.strip()] = frozenset([dtypes.as_dtype(t.strip()) for t in types.split("|")])
    return constraints


cdef const tfc_library_def *_open(path, list handle, memory=None) except NULL:
    """The tables of a library. Appends the loaded library to `handle` and refreshes `memory`, if given."""
    cdef const tfc_library_def *library
    loaded = ctypes.CDLL(path)
    handle.append(loaded)
    try:
        function = loaded.tfc_library
    except AttributeError:
        raise errors.InvalidArgumentError(
            None, None, f"{path} is not a tfcore kernel library: it has no symbol tfc_library (is TFC_LIBRARY missing "
            "in its source?)"
        ) from None
    function.restype = ctypes.c_void_p
    address = function()
    library = <const tfc_library_def *><size_t>(address or 0)
    if library == NULL:
        raise errors.InvalidArgumentError(
            None, None, f"{path} is not a tfcore kernel library: its tfc_library() returns NULL")
    if memory is not None:
        memory.look()
        found = memory.room(<size_t>library) >= sizeof(tfc_library_def)
        _check(found, path, "tfc_library()", "does not return the address of a table")
    if not TFC_ABI_OLDEST <= library.abi_version <= TFC_ABI_VERSION:
        raise errors.FailedPreconditionError(
            None, None, f"{path} was built for kernel ABI {library.abi_version}, this is tfcore with ABI "
            f"{TFC_ABI_VERSION}: build it again with this version's tfcore/kernel.h"
        )
    return library


cdef Kernel _new_kernel(const tfc_kernel_def *entry, level):
    cdef Kernel k = Kernel.__new__(Kernel)
    k.kernel = entry
    k.op = entry.op.decode()
    k.device = entry.device.decode()
    k.types = entry.types.decode() if entry.types != NULL else ""
    k.level = level
    k.constraints = None
    return k


cdef const tfc_remote_files *_remote_files = NULL  # once it has been needed


cdef const tfc_remote_files *_load_remote_files(tfc_file_status *status) noexcept nogil:
    """The functions for files behind schemes, whose module is imported with the first of these files."""
    global _remote_files
    cdef const tfc_remote_files *found = load_files(&_remote_files)
    if found != NULL:
        return found
    with gil:
        try:
            module = importlib.import_module("tfcore.core.registry.remote_files")
            store_files(&_remote_files, <const tfc_remote_files *><size_t>module.address)
        except BaseException as error:
            text = f"no functions for remote files: {type(error).__name__}: {error}".encode(errors="replace")[:1399]
            memcpy(status.text, <const char *>text, len(text) + 1)
            status.code = TFC_INTERNAL
    return load_files(&_remote_files)


cdef void _serve_remote_files(library):
    """Lets kernels of a library use files behind schemes."""
    function = library.tfc_remote_hook_address
    function.restype = ctypes.c_void_p
    (<tfc_remote_hook *><size_t>function()).load = _load_remote_files


cdef _load(path, level, dict table):
    """Registers the kernels of one of tfcore's own libraries."""
    cdef const tfc_kernel_table *t
    cdef size_t i
    cdef const tfc_library_def *library = _open(path, _handles)
    t = library.begin
    while t != library.end:
        for i in range(t.count):
            kernel = _new_kernel(&t.kernels[i], level)
            table.setdefault(kernel.op, []).append(kernel)
        t += 1


cdef void add_internal_kernel(const tfc_kernel_def *entry):
    """Registers a kernel of a Cython module; it lives as long as the process."""
    kernel = _new_kernel(entry, "internal")
    _internal.setdefault(kernel.op, []).append(kernel)


def load_device_library(path, level):
    """Registers tfcore's kernels for a device with memory of its own; `level` is for listings."""
    with _lock:
        _load(path, level, _device)


def kernels_are_in(module, ops):
    """Registers a module that has the internal kernels of these op types; it is imported when one is needed."""
    _lazy.update(dict.fromkeys(ops, module))


def _import_lazy(ops):
    for module in {_lazy[op] for op in ops}:
        importlib.import_module(module)
        for op in [op for op, where in _lazy.items() if where == module]:
            del _lazy[op]


# ---- Users' libraries


class OpSpec:
    """An op definition in a library: strings and flags, not yet parsed."""

    def __init__(self, name, inputs, outputs, attrs, doc, flags):
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.doc = doc
        self.stateful = (flags & TFC_OP_STATEFUL) != 0
        self.commutative = (flags & TFC_OP_COMMUTATIVE) != 0


class Library:
    """A user's library, loaded and checked except for checks that need op definitions.

    Attributes: path; handle, the same number for the same library; kernels: list of Kernel; ops: list of OpSpec.

    Raises:
      NotFoundError: the file can't be loaded. InvalidArgumentError: it is not a kernel library, or its tables are
        wrong. FailedPreconditionError: it was built for another ABI.
    """

    def __init__(self, path):
        cdef const tfc_library_def *library
        self.path = path = os.path.abspath(os.fsdecode(path))
        opened = []
        try:
            check_complete(path)
            memory = _Memory()
            library = _open(path, opened, memory)
            begin, end = <size_t>library.begin, <size_t>library.end
            self.kernels = _read_tables(path, memory, "kernel", begin, end, sizeof(tfc_kernel_def), _read_kernel)
            begin, end = <size_t>library.ops_begin, <size_t>library.ops_end
            self.ops = _read_tables(path, memory, "op", begin, end, sizeof(tfc_op_def), _read_op)
            self._check_entries()
        except OSError as error:
            raise errors.NotFoundError(None, None, str(error)) from None
        except errors.OpError:
            for loaded in opened:
                _ctypes.dlclose(loaded._handle)
            raise
        self.loaded = opened[0]
        self.handle = self.loaded._handle

    def close(self):
        """Unloads the library; only before add_library."""
        _ctypes.dlclose(self.handle)

    def _check_entries(self):
        for name, count in collections.Counter(spec.name for spec in self.ops).items():
            if count > 1:
                raise errors.AlreadyExistsError(None, None, f"{self.path} defines the op type '{name}' twice")
        if not self.kernels and not self.ops:
            raise errors.InvalidArgumentError(None, None, f"{self.path} has neither kernels nor op definitions")
        earlier = collections.defaultdict(list)  # by op type
        for kernel in self.kernels:
            others = earlier[kernel.op]
            _check(len(others) < _MAX_KERNELS, self.path, f"op '{kernel.op}'", f"more than {_MAX_KERNELS} kernels")
            others.append(kernel)
            for other in others[:-1]:
                if _overlap(kernel, other):
                    raise errors.AlreadyExistsError(
                        None, None, f"{self.path} has two kernels for the same types: {kernel!r} and {other!r}"
                    )


cdef bint _overlap(Kernel a, Kernel b):
    if a.op != b.op or a.device != b.device:
        return False
    return all([a.constraints[name] & b.constraints[name] for name in a.constraints if name in b.constraints])


class _Memory:
    """The readable and executable memory of this process: tables of a damaged library may hold any address."""

    def look(self):
        self.readable, self.executable = [], []  # [begin, end], ascending
        try:
            with open("/proc/self/maps") as file:
                for line in file:
                    span, mode = line.split()[:2]
                    begin, end = (int(x, 16) for x in span.split("-"))
                    for ranges, letter in ((self.readable, "r"), (self.executable, "x")):
                        if letter not in mode:
                            continue
                        if ranges and ranges[-1][1] == begin:
                            ranges[-1][1] = end
                        else:
                            ranges.append([begin, end])
        except OSError:  # no /proc: all addresses pass
            self.readable = self.executable = [[1, 2**63 - 1]]

    def room(self, address, ranges=None):
        """How many bytes can be read (or executed) from `address` on."""
        ranges = self.readable if ranges is None else ranges
        i = bisect.bisect_right(ranges, address, key=lambda r: r[0]) - 1
        return max(0, ranges[i][1] - address) if i >= 0 else 0


cdef str _text(path, memory, where, field, const char *text, bint required=False):
    cdef size_t room
    if text == NULL:
        if required:
            raise errors.InvalidArgumentError(None, None, f"{path}: {where}: the field '{field}' is NULL")
        return ""
    room = memory.room(<size_t>text)
    most = min(room, _MAX_TEXT)
    _check(strnlen(text, most) < most, path, where, f"the field '{field}' does not point to a string")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise errors.InvalidArgumentError(
            None, None, f"{path}: {where}: the field '{field}' is not valid UTF-8") from None


def _check(condition, path, where, message):
    if not condition:
        raise errors.InvalidArgumentError(None, None, f"{path}: {where}: {message}")


def _check_table(path, memory, what, size_t begin, size_t end, size_t size):
    """Raises if the bounds of a section of tables are impossible."""
    good = begin == end or (begin != 0 and begin < end and begin % sizeof(void *) == 0 and (end - begin) % size == 0)
    good = good and (end - begin) // size <= _MAX_ENTRIES and memory.room(begin) >= end - begin
    _check(good, path, what, "begin and end do not match")


def _check_entries(path, memory, what, size_t first, size_t count, size_t size):
    """Raises if a table can't have this many entries at this address."""
    good = count <= _MAX_ENTRIES and (not count or memory.room(first) >= count * size)
    _check(good, path, what, f"{count} entries at {first:#x}")


def _check_function(path, memory, where, field, size_t address):
    good = address == 0 or memory.room(address, memory.executable)
    _check(good, path, where, f"the field '{field}' does not point to a function")


cdef struct _Table:  # tfc_kernel_table and tfc_op_table
    const void *entries
    size_t count


def _read_tables(path, memory, kind, size_t begin, size_t end, size_t size, read):
    """All entries of the tables between two addresses.

    kind: "kernel" or "op". size: of an entry. read: function that checks and converts an entry.
    """
    cdef const _Table *t = <const _Table *>begin
    cdef size_t i
    found = []
    _check_table(path, memory, f"{kind} tables", begin, end, sizeof(_Table))
    while <size_t>t != end:
        _check_entries(path, memory, f"{kind} table", <size_t>t.entries, t.count, size)
        for i in range(t.count):
            found.append(read(path, memory, f"{kind} {len(found)}", <size_t>t.entries + i * size))
        t += 1
    return found


def _read_kernel(path, memory, where, size_t address):
    cdef const tfc_kernel_def *entry = <const tfc_kernel_def *>address
    op = _text(path, memory, where, "op", entry.op, True)
    _check(_OP_NAME.fullmatch(op), path, where, f"'{op}' is not an op type: op types are CamelCase")
    where = f"{where} (op '{op}')"
    device = _text(path, memory, where, "device", entry.device, True)
    good = _DEVICE_NAME.fullmatch(device)
    _check(good, path, where, f"'{device}' is not a device type: device types are upper case, like \"CPU\"")
    types = _text(path, memory, where, "types", entry.types)
    _text(path, memory, where, "host_args", entry.host_args)
    _check(entry.compute != NULL, path, where, "the field 'compute' is NULL")
    _check_function(path, memory, where, "compute", <size_t>entry.compute)
    _check_function(path, memory, where, "create", <size_t>entry.create)
    _check_function(path, memory, where, "destroy", <size_t>entry.destroy)
    _check(not entry.flags & ~<uint32_t>_KERNEL_FLAGS, path, where, f"unknown flags {entry.flags:#x}")
    cdef Kernel kernel = _new_kernel(entry, "user")
    for part in types.split(";") if types else ():
        good = re.fullmatch(r"\s*[A-Za-z_]\w*\s*=\s*\w+\s*(\|\s*\w+\s*)*", part)
        _check(good, path, where,
               f"cannot parse {part!r} in types \"{types}\": they look like \"T=float|double;Tidx=int32\"")
        for name in part.partition("=")[2].split("|"):
            try:
                dtypes.as_dtype(name.strip())
            except TypeError:
                _check(False, path, where, f"unknown type '{name.strip()}' in types \"{types}\"")
    kernel.constraints = _parse_types(types)
    return kernel


def _read_op(path, memory, where, size_t address):
    cdef const tfc_op_def *entry = <const tfc_op_def *>address
    name = _text(path, memory, where, "name", entry.name, True)
    _check(_OP_NAME.fullmatch(name), path, where, f"'{name}' is not an op type: op types are CamelCase")
    where = f"{where} (op '{name}')"
    _check(not entry.flags & ~<uint32_t>_OP_FLAGS, path, where, f"unknown flags {entry.flags:#x}")
    inputs = _split(_text(path, memory, where, "inputs", entry.inputs))
    outputs = _split(_text(path, memory, where, "outputs", entry.outputs))
    attrs = _split(_text(path, memory, where, "attrs", entry.attrs))
    return OpSpec(name, inputs, outputs, attrs, _text(path, memory, where, "doc", entry.doc), entry.flags)


def _split(text):
    """The entries of a list separated by ';', except inside quotes."""
    parts = re.findall(r"""(?:[^;'"]|'[^']*'|"[^"]*"|['"])+""", text)
    return [part.strip() for part in parts if part.strip()]


def add_library(library):
    """Registers the kernels of a Library."""
    with _lock:
        _handles.append(library.loaded)
        fresh = {}
        for kernel in library.kernels:
            fresh.setdefault(kernel.op, []).append(kernel)
        for op, kernels in fresh.items():
            _user[op] = kernels + _user.get(op, [])
    return sorted(fresh)


def load_library(path):
    """Adds the kernels of a user's library, for any ops. Returns the op types it has kernels for.

    Raises: see Library.
    """
    return add_library(Library(path))


def has_user_kernels(op_type):
    return op_type in _user


def user_device_types():
    """The device types other than CPU that users' libraries have kernels for, sorted."""
    return sorted({k.device for ks in _user.values() for k in ks} - {"CPU", "GPU"}) if _user else []


def supported_levels():
    """Levels that this processor can run, worst first."""
    from tfcore.core.registry.cpu import has_avx2, has_avx512

    can_run = {"baseline": True, "avx2": has_avx2(), "avx512": has_avx512()}
    return [level for level in LEVELS if can_run[level]]


def available_levels():
    """The supported levels whose kernel library is installed, worst first."""
    return [level for level in supported_levels() if os.path.exists(_library_path(level))]


def _library_path(level):
    return os.path.join(_LIBRARIES, f"kernels_{level}.so")


def cpu_level():
    """The instruction-set level whose kernels new plans use."""
    global _current
    if _current is None:
        wanted = os.environ.get("TFCORE_CPU", "")
        set_cpu_level(wanted or (available_levels() or supported_levels())[-1])
    return _current


def set_cpu_level(level):
    """Makes new plans use the kernels of another level (`baseline`, `avx2` or `avx512`).

    Raises:
      ValueError: the level does not exist, is not installed, or this processor can't run it.
    """
    global _current
    if level not in _levels and level not in available_levels():
        raise ValueError(_unavailable(level))
    with _lock:
        if level not in _levels:
            table = {}
            _load(_library_path(level), level, table)
            _serve_remote_files(_handles[-1])
            _levels[level] = table
        _current = level


def _unavailable(level):
    available = available_levels()
    text = f"Instruction-set level {level!r} is not available here"
    if level in supported_levels():
        text += (
            ": an editable install builds the level of the processor it is made on; "
            "`python setup.py build_levels` adds the others"
        )
    return f"{text}. Available: {', '.join(available) or 'none'}."


def library_function(name):
    """A function of the current level's library that takes no arguments and returns an address."""
    function = getattr(ctypes.CDLL(_library_path(cpu_level())), name)
    function.restype = ctypes.c_void_p
    return function


def kernels(level=None, op=None):
    """The kernels of a level (default: the current one) and of users' libraries; all, or those of one op type."""
    level = level or cpu_level()
    _import_lazy(_lazy)
    if level not in _levels:
        current = cpu_level()
        set_cpu_level(level)
        set_cpu_level(current)
    tables = (_user, _levels[level], _internal, _device)
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
      NotFoundError: there is none; the message lists those of the op type.
    """
    cdef Kernel found
    if op_type in _lazy:
        _import_lazy([op_type])
    tables = (_user, _levels[cpu_level()], _internal, _device)
    for table in tables:
        if op_type in table:
            found = _search(table[op_type], device, attrs)
            if found is not None:
                return found
    candidates = [k for table in tables for k in table.get(op_type, ())]
    types = ", ".join(f"{n}={dtypes.SHORT_NAMES[v]}" for n, v in attrs.items() if isinstance(v, dtypes.DType))
    lines = [f"  device='{k.device}'; {k.types.replace('|', ', ').replace(';', '; ')}" for k in candidates]
    listing = "\n".join(lines) or "  <no registered kernels>"
    raise errors.NotFoundError(
        None, None, f"No registered '{op_type}' OpKernel for {device} devices compatible with attributes {{{types}}}. "
        f"Registered:\n{listing}"
    )
