"""Memory of sessions' GPUs, for tests."""

import gc
import time

from tfcore.core.device import gpu


def in_use(index=0):
    """The bytes that tensors take on a GPU."""
    return gpu.gpu(index).memory_stats()["bytes_in_use"]


def settles(condition):
    """Whether a condition holds, now or soon: memory is let go of on other threads."""
    for _ in range(500):
        gc.collect()
        if condition():
            return True
        time.sleep(0.01)
    return False
