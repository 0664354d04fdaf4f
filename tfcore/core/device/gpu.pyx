"""The GPUs of this process: NVIDIA cards, or emulated ones with TFCORE_EMULATE_GPUS=N in the environment.

The driver is loaded when a session asks for the number of devices; a device is opened when a kernel is made for it.
Modules are the families of `kernels_cuda`, compiled when first needed unless they were when tfcore was installed.
"""

import os
import threading
from typing import NamedTuple

from libc.stdint cimport int64_t

from tfcore.core.runtime cimport *

from tfcore.core.registry import registry
from tfcore.core.threads import progress
from tfcore.framework import errors
from tfcore.framework.fork_safety import fork_safe
from tfcore.gpu import driver

cdef extern from "device/cuda/gpu.h" nogil:
    ctypedef void *CUmodule
    ctypedef struct tfc_gpu_stats:
        int64_t bytes_in_use
        int64_t peak_bytes_in_use
        int64_t bytes_reserved
        int64_t bytes_limit
        int64_t num_allocs
    bint tfc_driver_load(const char *, char *, size_t)
    int tfc_driver_count()
    int64_t tfc_driver_memory(int)
    void tfc_driver_describe(int, char *, size_t)
    tfc_gpu *tfc_gpu_open(int, const char *, const char *, char *, size_t)
    CUmodule tfc_gpu_load(tfc_gpu *, const char *, char *, size_t)
    tfc_function *tfc_gpu_function(tfc_gpu *, CUmodule, const char *, bool, char *, size_t)
    void tfc_gpu_set_limit(tfc_gpu *, int64_t, bool)
    void tfc_gpu_memory_stats(tfc_gpu *, tfc_gpu_stats *)
    int64_t tfc_gpu_bytes_of_others(tfc_gpu *)
    int tfc_gpu_order(tfc_gpu *, void *, void *, char *, size_t)
    bint tfc_gpu_has_context_of(const tfc_gpu *, size_t)
    int tfc_gpu_current_ordinal()
    bint tfc_gpu_is_current(const tfc_gpu *)
    int tfc_gpu_wait(tfc_gpu *, char *, size_t)
    int tfc_gpu_ordinal_of(size_t)
    tfc_buffer *tfc_gpu_borrow(tfc_gpu *, void *, size_t, void *, void (*)(void *) noexcept nogil)
    int tfc_gpu_make_dense(tfc_gpu *, const tfc_function *, tfc_tensor *, const int64_t *, char *, size_t)
    void tfc_gpu_retire(tfc_gpu *, tfc_tensor *)
    void tfc_gpu_graph_stats(tfc_gpu *, int64_t *, int64_t *)

_LAUNCHERS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "lib", "launchers_gpu.so")
_lock = fork_safe(threading.RLock())
_compiling = fork_safe(threading.Lock())  # held for seconds: threads that need no new kernel do not wait for it
_count = None  # of the driver's devices; None: not asked for yet
_missing = ""  # why there is none
_gpus = {}  # index -> Gpu
_configured = False  # by the first session that has GPUs
_task = "/job:localhost/replica:0/task:0"  # of this process, in the names of its GPUs
_has_kernels = False  # the kernels for GPUs are registered
_visible = None  # ordinals of the driver, in the order in which sessions see them; None: all
_fraction = 0.0  # of a device's memory that may be used; 0: all
_grows = False  # whether that is reserved as it is needed


def count():
    """The number of GPUs. Loads the driver.

    Raises:
      UnavailableError: the emulator was asked for and can't be loaded.
    """
    global _count, _missing
    cdef char text[1024]
    with _lock:
        if _count is None:
            path = (driver.EMULATOR if driver.emulation_is_wanted() else "libcuda.so.1").encode()
            if tfc_driver_load(path, text, sizeof(text)):
                _count = tfc_driver_count()
                _missing = "" if _count else "the CUDA driver finds no device"
            else:
                _count, _missing = 0, text.decode(errors="replace")
            if _count:
                load_kernels()
            elif driver.emulation_is_wanted():
                raise errors.UnavailableError(None, None, f"No emulated GPU: {_missing}")
        return _count if _visible is None else len(_visible)


def number_on_machine():
    """The number of GPUs that the driver has, whichever of them sessions see. Loads the driver."""
    count()
    return _count


def is_configured():
    """Whether a session with GPUs has fixed their options for the process."""
    return _configured


def total_memory(int ordinal):
    """The bytes of memory of the GPU with this number of the driver."""
    return tfc_driver_memory(ordinal)


def load_kernels():
    """Registers the kernels for GPUs. Processes without a GPU need them, too, to place operations on other tasks."""
    global _has_kernels
    with _lock:
        if not _has_kernels:
            registry.load_device_library(_LAUNCHERS, "gpu")
            _has_kernels = True


def set_task(name):
    """Sets the task, such as "/job:ps/replica:0/task:0", in the names of GPUs that are opened from now on."""
    global _task
    _task = name


def is_here(name):
    """Whether the full name of a device is that of one in this process."""
    return name.startswith(f"{_task}/")


def missing():
    """Why there is no GPU; empty if there is one, or nobody has asked."""
    return _missing


def configure(visible, double fraction, bint grows):
    """Options of the first session that has GPUs: they hold for the process.

    Args:
      visible: `visible_device_list`, e.g. "1,0"; empty: all.
      fraction: of each device's memory that may be used; 0: all of it, as it is needed.
      grows: reserve that fraction as it is needed. Otherwise all of it is reserved at the device's first allocation.

    Raises:
      InvalidArgumentError: no such device, or twice; or a device that is in use already would get another number.
    """
    global _configured, _visible, _fraction, _grows
    cdef Gpu opened
    with _lock:
        if _configured or not count():
            return
        wanted = _parse(visible) if visible else None
        for opened in _gpus.values():  # by tf.gpu.allocator, before any session
            if wanted is not None and wanted[opened.ordinal:opened.ordinal + 1] != [opened.ordinal]:
                raise errors.InvalidArgumentError(
                    None, None, f"visible_device_list is '{visible}', but tf.gpu.allocator has put arrays on device "
                    f"{opened.ordinal} as GPU:{opened.ordinal} before. Create the session first")
        _visible, _fraction, _grows = wanted, fraction, grows
        for opened in _gpus.values():
            opened.limit_memory()
        _configured = True


def _parse(visible):
    found = []
    for part in visible.split(","):
        try:
            ordinal = int(part)
        except ValueError:
            raise errors.InvalidArgumentError(
                None, None, f"Could not parse entry in 'visible_device_list': '{part}'. visible_device_list = {visible}"
            ) from None
        if not 0 <= ordinal < _count:
            raise errors.InvalidArgumentError(
                None, None,
                f"'visible_device_list' listed an invalid GPU id '{ordinal}' but visible device count is {_count}")
        if ordinal in found:
            raise errors.InvalidArgumentError(
                None, None, f"visible_device_list contained a duplicate entry: {visible}")
        found.append(ordinal)
    return found


def gpu(int index):
    """The GPU of that number; opens it.

    Raises:
      UnavailableError: it can't be opened.
    """
    with _lock:
        found = _gpus.get(index)
        if found is None:
            if not 0 <= index < count():  # loads the driver
                raise errors.UnavailableError(None, None, f"GPU:{index} can't be opened: {_missing or 'no such GPU'}")
            found = _gpus[index] = Gpu(index, index if _visible is None else _visible[index])
        return found


def ordinals():
    """The driver's numbers of the GPUs that sessions of this process have."""
    here = count() if driver.may_be_there() else 0
    with _lock:
        return list(range(here)) if _visible is None else _visible


def with_ordinal(int ordinal):
    """The GPU with this number of the driver, by which other libraries know it.

    Raises:
      InvalidArgumentError: sessions of this process do not have it.
    """
    numbers = ordinals()
    if ordinal in numbers:
        return gpu(numbers.index(ordinal))
    have = f"the sessions of this process have {', '.join(map(str, numbers))}" if numbers else (
        "this process has no GPU" + (f": {_missing}" if _missing else ""))
    raise errors.InvalidArgumentError(
        None, None, f"The array is in the memory of CUDA device {ordinal}, but {have}. Copy it to the host first.")


def with_memory(size_t address):
    """The GPU in whose memory an address is.

    Raises:
      InvalidArgumentError: it is in no device's memory, or in that of one that sessions of this process do not have.
    """
    cdef int ordinal
    here = count() if driver.may_be_there() else 0
    ordinal = tfc_gpu_ordinal_of(address) if here else 0
    if ordinal < 0:
        raise errors.InvalidArgumentError(
            None, None, f"No CUDA device has memory at the array's address, {address:#x}.")
    return with_ordinal(ordinal)


def current():
    """The GPU whose primary context is the current one of this thread.

    Raises:
      InvalidArgumentError: the current context is another one, or there is none.
    """
    cdef int ordinal = tfc_gpu_current_ordinal() if driver.may_be_there() and count() else -1
    if ordinal >= 0 and ordinal in ordinals():
        found = with_ordinal(ordinal)
        if found.is_current():
            return found
    raise errors.InvalidArgumentError(
        None, None,
        "The primary context of a GPU must be the current one of this thread, but "
        + ("another context is" if ordinal >= 0 else "none is")
        + ". `import pycuda.autoprimaryctx` makes it so; within tf.gpu.cuda_func it is.")


def with_pointer(size_t pointer):
    """The GPU whose tfc_device has this address."""
    return next(g for g in _gpus.values() if g.pointer == pointer)


def describe(int index):
    """A line about a device, as TensorFlow's device mapping has them: its name, bus and compute capability."""
    with _lock:
        ordinal = index if _visible is None else _visible[index]
    return f"device: {ordinal}, {describe_ordinal(ordinal)}"


def describe_ordinal(int ordinal):
    """The name, bus and compute capability of the GPU with this number of the driver."""
    cdef char text[512]
    tfc_driver_describe(ordinal, text, sizeof(text))
    return text.decode(errors="replace")


def memory_limit(int index):
    """The bytes of a device's memory that tensors may take."""
    with _lock:
        ordinal = index if _visible is None else _visible[index]
        opened = _gpus.get(index)
    limit = opened.memory_stats()["bytes_limit"] if opened else 0
    total = tfc_driver_memory(ordinal)
    return limit or (<int64_t>(_fraction * total) if _fraction > 0 else total)


class Source(NamedTuple):
    """A module of a user's: CUDA C++, the function that it is compiled for, which names it in messages, and options."""

    text: str
    function: str
    options: tuple

    def __str__(self):
        return f"the source of {self.function}"


def _error(module, problem):
    if isinstance(module, Source):
        return errors.InvalidArgumentError(None, None, f"The source of {module.function} {problem}")
    return errors.InternalError(None, None, f"Module {module} {problem}")


cdef class Gpu:
    """A device. It stays open until the process ends, as do its modules.

    pointer: the address of its tfc_device. ordinal: its number in the driver. name: in full.
    """

    def __cinit__(self, int index, int ordinal):
        cdef char text[1024]
        self.name = f"{_task}/device:GPU:{index}"
        self.ordinal = ordinal
        allocator = f"GPU_{index}_bfc".encode()
        self.gpu = tfc_gpu_open(ordinal, self.name.encode(), allocator, text, sizeof(text))
        if self.gpu == NULL:
            raise errors.UnavailableError(None, None, f"GPU:{index} can't be opened: {text.decode(errors='replace')}")
        self.pointer = <size_t>self.gpu
        self.modules, self.functions = {}, {}
        self.limit_memory()

    cdef void limit_memory(self) noexcept:
        """As the session's options say."""
        if _fraction > 0:
            tfc_gpu_set_limit(self.gpu, <int64_t>(_fraction * tfc_driver_memory(self.ordinal)), not _grows)

    def function(self, module, name):
        """The address of a function of a module: a family of `kernels_cuda`, or a Source.

        Raises:
          InternalError: the module can't be compiled or loaded, or has no such function.
          InvalidArgumentError: the same, of a Source.
        """
        cdef char text[1024]
        cdef tfc_function *found
        if (module, name) in self.functions:
            return self.functions[module, name]
        with _compiling:
            address = self.functions.get((module, name))
            if address is None:
                if module not in self.modules:
                    self.modules[module] = self._load(module)
                found = tfc_gpu_function(
                    self.gpu, <CUmodule><size_t>self.modules[module], name.encode(), isinstance(module, Source), text,
                    sizeof(text))
                if found == NULL:
                    raise _error(module, f"has no function {name}: {text.decode(errors='replace')}")
                address = self.functions[module, name] = <size_t>found
            return address

    def source_function(self, text, name, options):
        """The address of a function of a user's CUDA source; raises as `function` does."""
        return self.function(Source(text, name, options), name)

    def _load(self, module):
        from tfcore.gpu import build

        cdef char text[1024]
        place = " for the emulated GPU" if driver.emulation_is_wanted() else ""
        try:
            with progress.work(f"compiling the CUDA kernels of {module}{place}"):
                path = self._compile(module)
        except build.BuildError as error:
            raise _error(module, f"can't be compiled: {error}") from None
        found = tfc_gpu_load(self.gpu, path.encode(), text, sizeof(text))
        if found == NULL:
            raise _error(module, f"can't be loaded: {text.decode(errors='replace')}")
        return <size_t>found

    def _compile(self, module):
        from tfcore.gpu import build, host_build, user_source  # here: they take long to import

        if isinstance(module, Source):
            return user_source.compile_source(module.text, module.function, module.options, self.gpu.capability)
        if driver.emulation_is_wanted():
            return host_build.compile_family(module, checked=driver.checks_are_wanted())
        return build.compile_family(module).fatbin

    def memory_stats(self):
        """Bytes in use, their peak, bytes held from the driver, the limit (0: none), allocations so far."""
        cdef tfc_gpu_stats stats
        tfc_gpu_memory_stats(self.gpu, &stats)
        return dict(stats)

    def bytes_of_others(self):
        """The bytes of the device's memory that sessions do not hold, but others do; 0 if that is not known."""
        return tfc_gpu_bytes_of_others(self.gpu)

    def graph_stats(self):
        """A dict: how many CUDA graphs were made, and how often one was replayed."""
        cdef int64_t made, replays
        tfc_gpu_graph_stats(self.gpu, &made, &replays)
        return {"made": made, "replays": replays}

    def set_memory_limit(self, int64_t limit):
        """Makes allocations fail that need more than `limit` bytes of the device's memory; 0 removes the limit."""
        tfc_gpu_set_limit(self.gpu, limit, False)

    # ---- For arrays of other libraries

    @property
    def stream(self):
        """Its queue: the handle of a CUstream."""
        return <size_t>self.gpu.compute

    cdef int order(self, size_t first, size_t then) except -1:
        """Makes the stream `then` wait for the work that is in the stream `first` now."""
        cdef char text[1200]
        cdef int code = tfc_gpu_order(self.gpu, <void *>first, <void *>then, text, sizeof(text))
        if code:
            raise errors.from_code(code, None, text.decode(errors="replace"))
        return 0

    def is_current(self):
        """Whether the primary context, in which sessions work, is the current one of this thread."""
        return tfc_gpu_is_current(self.gpu)

    def lead(self, size_t stream):
        """Makes a stream, by its handle, wait for the work that is in the queue now."""
        self.order(self.stream, stream)

    cdef void follow(self, size_t stream) noexcept:
        """Makes the queue wait for the work that is in a stream now. If the device is lost, nothing waits."""
        cdef char text[1200]
        tfc_gpu_order(self.gpu, <void *>stream, self.gpu.compute, text, sizeof(text))

    cdef bint owns(self, size_t address) noexcept:
        """Whether memory of the device belongs to the context of its sessions."""
        return tfc_gpu_has_context_of(self.gpu, address)

    cdef bint allocate(self, tfc_tensor *t, int64_t n) noexcept:
        """Gives a tensor without shape memory for n elements. False: there is none."""
        with nogil:
            return tfc_tensor_new_on(<tfc_device *>self.gpu, t, 1, &n)

    cdef int wait(self) except -1:
        """Waits for the work in its queue."""
        cdef char text[1200]
        cdef int code
        with nogil:
            code = tfc_gpu_wait(self.gpu, text, sizeof(text))
        if code:
            raise errors.from_code(code, None, text.decode(errors="replace"))
        return 0

    cdef tfc_buffer *borrow(self, void *data, size_t size, void *owner,
                            void (*let_go)(void *) noexcept nogil) except NULL:
        """A buffer for another library's memory; `let_go` is called when the work that uses it is done."""
        cdef tfc_buffer *buffer = tfc_gpu_borrow(self.gpu, data, size, owner, let_go)
        if buffer == NULL:
            raise MemoryError()
        return buffer

    cdef int make_dense(self, tfc_tensor *t, const int64_t *strides) except -1:
        """Replaces a tensor whose memory has strides, in elements, by a dense copy."""
        cdef char text[1200]
        cdef size_t function = self.function("array/copy", f"Copy_bytes{tfc_dtype_size(t.dtype)}")
        cdef int code
        with nogil:
            code = tfc_gpu_make_dense(self.gpu, <const tfc_function *>function, t, strides, text, sizeof(text))
        if code:
            raise errors.from_code(code, None, text.decode(errors="replace"))
        return 0

    cdef void retire(self, tfc_tensor *t) noexcept:
        """Drops a tensor's reference when the work of all streams of the device is done."""
        with nogil:
            tfc_gpu_retire(self.gpu, t)
