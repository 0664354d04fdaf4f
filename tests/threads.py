"""Running test functions on many threads at once."""

import threading

from tfcore.testing.drawing import EFFORT


def rounds(n):
    """n, more or fewer with TFCORE_TEST_EFFORT, at least 1."""
    return max(1, round(n * EFFORT))


def in_threads(functions, seconds=120):
    """Runs all at once; raises the first error. A thread that is not out in time fails the test."""
    errors, barrier = [], threading.Barrier(len(functions))

    def call(function):
        try:
            barrier.wait(60)
            function()
        except BaseException as error:  # noqa: BLE001  raised below
            errors.append(error)

    threads = [threading.Thread(target=call, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join(seconds)
        assert not t.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
