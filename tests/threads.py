"""Running test functions on many threads at once."""

import threading
import time

from tfcore.framework import errors
from tfcore.testing.drawing import EFFORT


def rounds(n):
    """n, more or fewer with TFCORE_TEST_EFFORT, at least 1."""
    return max(1, round(n * EFFORT))


def in_threads(functions, seconds=120):
    """Runs all at once; raises the first error. A thread that is not out in time fails the test."""
    raised, barrier = [], threading.Barrier(len(functions))

    def call(function):
        try:
            barrier.wait(60)
            function()
        except BaseException as error:  # noqa: BLE001  raised below
            raised.append(error)

    threads = [threading.Thread(target=call, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join(seconds)
        assert not t.is_alive(), "a thread hangs"
    if raised:
        raise raised[0]


def assert_closing_ends(session, fetch, seconds):
    """A step on another thread that does not end by itself is cancelled when the session is closed after `seconds`."""
    failures = []

    def run():
        try:
            session.run(fetch)
        except errors.CancelledError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(seconds)
    session.close()
    thread.join(20)
    assert not thread.is_alive() and len(failures) == 1
