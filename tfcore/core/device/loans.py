"""Arrays of PyCUDA that work of a session reads.

PyCUDA frees memory only in a thread whose current context is the very object in which it was allocated, or that made
that object. A step ends on any thread.
"""

import atexit
import sys
import threading

from tfcore.framework.fork_safety import fork_safe

streams = {}  # ordinal of a device -> PyCUDA's stream in its primary context
_contexts = {}  # ordinal of a device -> its primary context, PyCUDA's object
_lock = fork_safe(threading.Lock())


def context_of(device):
    """PyCUDA's object for the primary context of a Gpu: that of pycuda.autoprimaryctx if it has the same device."""
    from pycuda.driver import Device

    with _lock:
        found = _contexts.get(device.ordinal)
        if found is None:
            if not _contexts:
                atexit.register(_let_go)
            auto, cuda_device = sys.modules.get("pycuda.autoprimaryctx"), Device(device.ordinal)
            is_shared = getattr(auto, "context", None) is not None and auto.device == cuda_device
            found = _contexts[device.ordinal] = auto.context if is_shared else cuda_device.retain_primary_context()
        return found


def _let_go():
    """Frees what PyCUDA keeps in the contexts while they still work."""
    from pycuda import driver, tools

    for ordinal, context in list(_contexts.items()):
        context.push()
        streams.pop(ordinal, None)
        tools.clear_context_caches()
        driver.Context.pop()


def lender(source, device):
    """What has to be kept for the memory of an array to stay: a `Loan` of an array of PyCUDA, or the array itself.

    Args:
      device: the Gpu in whose memory it is.
    """
    arrays = sys.modules.get("pycuda.gpuarray")
    if arrays is None or not isinstance(source, arrays.GPUArray):
        return source
    # A thread that only feeds may have no context of PyCUDA's.
    return Loan(source, arrays.drv.Context.get_current() or context_of(device))


class Loan:
    """Keeps an array of PyCUDA's. Where it is the last to let go of it, PyCUDA frees the memory in the context."""

    def __init__(self, array, context):
        self._array, self._context = array, context

    def __del__(self):
        self._context.push()
        self._array = None
        self._context.pop()
