"""Arrays of PyCUDA that work of a session reads.

PyCUDA frees memory only in a thread whose current context is the very object in which it was allocated, or that made
that object. A step ends on any thread.
"""

import sys


def lender(source):
    """What has to be kept for the memory of an array to stay: a `Loan` of an array of PyCUDA, or the array itself."""
    arrays = sys.modules.get("pycuda.gpuarray")
    if arrays is None or not isinstance(source, arrays.GPUArray):
        return source
    return Loan(source, arrays.drv.Context)


class Loan:
    """Keeps an array of PyCUDA's. Where it is the last to let go of it, PyCUDA frees the memory.

    contexts: `pycuda.driver.Context`.
    """

    def __init__(self, array, contexts):
        self._array = array
        self._contexts = contexts
        self._context = contexts.get_current()

    def __del__(self):
        if self._context is None:
            return
        self._context.push()
        self._array = None
        self._contexts.pop()
