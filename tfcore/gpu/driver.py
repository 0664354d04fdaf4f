"""The CUDA driver API from Python, for tests and tools: of libcuda.so.1, or of the emulated GPUs.

With TFCORE_EMULATE_GPUS=N in the environment, `load()` gives the emulator with N devices. Functions are called by the
names of the library, such as `cuMemAlloc_v2`; integers and ctypes objects are the arguments. A result other than
CUDA_SUCCESS is raised as `DriverError`.
"""

import ctypes
import os

EMULATOR = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib", "libtfcore_emulated_cuda.so"
)
PARAMETER_END, PARAMETER_BUFFER, PARAMETER_SIZE = 0, 1, 2  # CU_LAUNCH_PARAM_*


class DriverError(RuntimeError):
    """A call of the driver failed; `code` is its CUresult."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Driver:
    """A loaded driver library. Handles and device pointers are integers."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(path)
        except OSError as e:
            raise DriverError(f"No CUDA driver: {e}", None) from None
        self.is_emulated = hasattr(self.library, "tfcEmulatedReport")

    def name_of(self, code):
        """The name and the explanation of a CUresult."""
        texts = []
        for function in ("cuGetErrorName", "cuGetErrorString"):
            text = ctypes.c_char_p()
            getattr(self.library, function)(code, ctypes.byref(text))
            texts.append(text.value.decode() if text.value else "unknown")
        return tuple(texts)

    def try_call(self, function, *arguments):
        """Calls a function; returns the CUresult."""
        converted = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        return getattr(self.library, function)(*converted)

    def call(self, function, *arguments):
        """Calls a function; raises DriverError if it fails."""
        code = self.try_call(function, *arguments)
        if code:
            name, text = self.name_of(code)
            report = self.report(self.current_device())
            raise DriverError(f"{function}: {name} ({text})" + (f": {report}" if report else ""), code)

    def get(self, function, *arguments, kind=ctypes.c_uint64):
        """Calls a function whose first parameter is where it puts its result; returns the result."""
        result = kind()
        self.call(function, ctypes.byref(result), *arguments)
        return result.value

    def current_device(self):
        """The number of the device whose context is current in this thread; 0 if none is."""
        number = ctypes.c_int()
        return 0 if self.library.cuCtxGetDevice(ctypes.byref(number)) else number.value

    def report(self, device=0):
        """What the emulator says of the error that made a device fail; empty for a card."""
        if not self.is_emulated:
            return ""
        text = ctypes.create_string_buffer(1024)
        self.library.tfcEmulatedReport(device, text, len(text))
        return text.value.decode(errors="replace")

    def launch(self, function, grid, block, parameters, stream=0, shared_bytes=0):
        """Launches a kernel; `parameters` are the bytes of its struct, or a ctypes structure."""
        buffer = bytes(parameters)
        size = ctypes.c_size_t(len(buffer))
        extra = (ctypes.c_void_p * 5)(
            PARAMETER_BUFFER,
            ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p),
            PARAMETER_SIZE,
            ctypes.cast(ctypes.byref(size), ctypes.c_void_p),
            PARAMETER_END,
        )
        geometry = (*grid, *(1,) * (3 - len(grid)), *block, *(1,) * (3 - len(block)))
        self.call("cuLaunchKernel", function, *geometry, shared_bytes, stream, None, extra)


def emulation_is_wanted():
    """Whether the environment asks for emulated GPUs."""
    return os.environ.get("TFCORE_EMULATE_GPUS", "") not in ("", "0")


def checks_are_wanted():
    """Whether the environment asks for emulated GPUs that check each access of memory."""
    return os.environ.get("TFCORE_EMULATE_CHECKED", "0") != "0"


def may_be_there():
    """Whether looking for devices may find some: emulated ones are wanted, or the system has a driver of NVIDIA's."""
    if emulation_is_wanted():
        return True
    return any(map(os.path.exists, ("/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg")))


def load():
    """The driver: the emulator's if the environment asks for it, else that of the system's cards; initialised."""
    driver = Driver(EMULATOR if emulation_is_wanted() else "libcuda.so.1")
    driver.call("cuInit", 0)
    return driver
