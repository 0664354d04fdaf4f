"""TestCase: tests of programs that build graphs and run sessions."""

import contextlib
import os
import random
import tempfile
import threading
from unittest import mock  # noqa: F401  tf.test.mock

import numpy as np

from tfcore.client.session import Session
from tfcore.framework import protos
from tfcore.framework.exchange.graph_def import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER
from tfcore.framework.graph.default_graph import reset_default_graph
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.types import nest
from tfcore.ops.random.random import DEFAULT_GRAPH_SEED, set_random_seed
from tfcore.test import messages
from tfcore.test.assertions import Assertions
from tfcore.test.environment import get_temp_dir


class TestCase(Assertions):
    """A test case with a fresh default graph and fixed seeds for each test, sessions, and assertions for arrays.

    class SquareTest(tf.test.TestCase):
        def testSquare(self):
            with self.session():
                self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])

    if __name__ == "__main__":
        tf.test.main()
    """

    def __init__(self, methodName="runTest"):  # noqa: N803
        """Makes the case of one test method.

        Args:
          methodName: Name of the method.
        """
        super().__init__(methodName)
        self._threads = []
        self._temp_dir = None
        self._cached = None  # the session of cached_session, and the arguments that it was made with

    def setUp(self):
        super().setUp()
        self._close_cached_session()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        reset_default_graph()
        set_random_seed(DEFAULT_GRAPH_SEED)
        if self.id().endswith(".test_session"):  # the method below, which has the name of a test
            self.skipTest("Not a test.")

    def tearDown(self):
        for thread in self._threads:
            thread.check_termination()
        self._close_cached_session()
        super().tearDown()

    def get_temp_dir(self):
        """A folder for the files of this test.

        Returns:
          A string: the same path at each call.
        """
        if self._temp_dir is None:
            self._temp_dir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._temp_dir

    # ---- Sessions

    def evaluate(self, tensors):
        """Computes tensors in the default session, or in one for this test.

        Args:
          tensors: A `Tensor`, or a structure of `Tensor`s.

        Returns:
          Arrays in the same structure.
        """
        flat = nest.flatten(tensors)
        session = get_default_session()
        if session is not None:
            return nest.pack_sequence_as(tensors, session.run(flat))
        with self.test_session() as session:
            return nest.pack_sequence_as(tensors, session.run(flat))

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """A context manager: a new default session on a graph that is the default graph.

        Args:
          graph: The `Graph`; the default graph if None.
          config: A `tf.ConfigProto` (optional).
          use_gpu: Whether operations may run on a GPU.
          force_gpu: Whether all operations are placed on the first GPU.

        Yields:
          The `Session`.
        """
        with _new_session(graph, config, force_gpu) as session:
            with _as_default(session, use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """A context manager: the same session in all such blocks of a test; it is closed at the end of the test.

        Args:
          graph: The `Graph`; the default graph if None.
          config: A `tf.ConfigProto` (optional).
          use_gpu: Whether operations may run on a GPU.
          force_gpu: Whether all operations are placed on the first GPU.

        Yields:
          The `Session`.

        Raises:
          ValueError: An argument is not the same as in the test's first such block.
        """
        session = self._cached_session(graph, config, force_gpu, check=True)
        with _as_default(session, use_gpu, force_gpu):
            yield session

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """`session` if there is a graph, else `cached_session`, whatever the other arguments are.

        Args:
          graph: The `Graph` (optional).
          config: A `tf.ConfigProto` (optional).
          use_gpu: Whether operations may run on a GPU.
          force_gpu: Whether all operations are placed on the first GPU.

        Yields:
          The `Session`.
        """
        if graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session
            return
        session = self._cached_session(graph, config, force_gpu, check=False)
        with _as_default(session, use_gpu, force_gpu):
            yield session

    def _cached_session(self, graph, config, force_gpu, check):
        given = {"graph": graph, "config": config, "force_gpu value": force_gpu}
        if self._cached is None:
            self._cached = _new_session(graph, config, force_gpu), given
        session, first = self._cached
        for name in given if check else ():
            if given[name] is not first[name]:
                raise ValueError(
                    f"The {name} used to get the cached session is different than the one that was used to create the "
                    "session. Maybe create a new session with self.session()"
                )
        return session

    def _close_cached_session(self):
        if self._cached is not None:
            self._cached[0].close()
            self._cached = None

    # ---- Threads and streams

    def checkedThread(self, target, args=None, kwargs=None):
        """A thread whose error fails the test. The test must start it and join it.

        Args:
          target: A function.
          args: A tuple of its arguments (optional).
          kwargs: A dict of its keyword arguments (optional).

        Returns:
          An object with methods `start`, `join` and `is_alive`.
        """
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    @contextlib.contextmanager
    def captureWritesToStream(self, stream):
        """A context manager that keeps what is written to a stream, also by code that is not Python.

        Args:
          stream: A file with a descriptor, such as `sys.stderr`.

        Yields:
          An object whose method `contents` returns what was written, a string.
        """
        stream.flush()
        descriptor = stream.fileno()
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        original = os.dup(descriptor)
        os.dup2(file, descriptor)
        try:
            yield _Captured(path, stream)
        finally:
            stream.flush()
            os.dup2(original, descriptor)
            os.close(original)
            os.close(file)

    # ---- Protocol buffers

    def assertProtoEquals(self, expected_message_maybe_ascii, validate_message, msg=None, relative_tolerance=None):
        """Asserts that two protocol buffers are equal.

        Args:
          expected_message_maybe_ascii: A message, or its text form.
          validate_message: Another.
          msg: Text of the failure (optional).
          relative_tolerance: By how much floating-point numbers may differ, relative to the larger one (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = messages.parsed(expected, validate_message)
        elif not isinstance(expected, type(validate_message)):
            raise AssertionError(f"Can't compare protos of type {type(expected)} and {type(validate_message)}.")
        texts = messages.difference(expected, validate_message, relative_tolerance)
        if texts is not None:
            self.assertMultiLineEqual(*texts, msg=msg)
            self.fail(msg or "The messages differ")

    def assertProtoEqualsVersion(
        self, expected, actual, producer=GRAPH_DEF_VERSION, min_consumer=GRAPH_DEF_VERSION_MIN_CONSUMER, msg=None
    ):
        """Asserts that a GraphDef has a text form, and certain versions.

        Args:
          expected: The text form without versions.
          actual: A GraphDef.
          producer: The version that has written it.
          min_consumer: The oldest version that can read it.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
        self.assertProtoEquals(versions + expected, actual, msg=msg)


def _new_session(graph, config, force_gpu):
    if config is None:
        config = protos.ConfigProto(allow_soft_placement=not force_gpu)
    return Session(graph=graph, config=config)


@contextlib.contextmanager
def _as_default(session, use_gpu, force_gpu):
    name = "/device:GPU:0" if force_gpu else None if use_gpu else "/device:CPU:0"
    with session.graph.as_default(), session.as_default():
        with session.graph.device(name) if name else contextlib.nullcontext():
            yield session


class _CheckedThread:
    """The thread of `TestCase.checkedThread`."""

    def __init__(self, case, target, args, kwargs):
        self._case = case
        self._call = target, args, kwargs
        self._thread = threading.Thread(target=self._run)
        self._error = None
        self._joined = False

    def _run(self):
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except Exception as error:
            self._error = error

    def start(self):
        self._thread.start()

    def join(self):
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self):
        return self._thread.is_alive()

    def check_termination(self):
        if not self._joined:
            self._case.fail("A checked thread was not joined.")
        if self.is_alive():
            raise RuntimeError("Thread was not joined with main thread, and is still running when the test finished.")


class _Captured:
    """What `captureWritesToStream` yields."""

    def __init__(self, path, stream):
        self._path = path
        self._stream = stream

    def contents(self):
        if not self._stream.closed:
            self._stream.flush()
        with open(self._path) as file:
            return file.read()
