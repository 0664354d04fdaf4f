"""The namespace tf.test: helpers for tests of TensorFlow programs."""

import contextlib
import tempfile
import unittest

import numpy as np

from tfcore.client.session import Session
from tfcore.framework.graph import Graph, reset_default_graph
from tfcore.testing.gradient_checker import compute_gradient, compute_gradient_error

__all__ = [
    "TestCase",
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "is_built_with_cuda",
    "is_gpu_available",
    "main",
]


def main(argv=None):
    """Runs the tests of the main module."""
    unittest.main(argv=argv)


def get_temp_dir():
    """A new directory for files of one test."""
    return tempfile.mkdtemp(prefix="tfcore_test_")


def is_built_with_cuda():
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    return False


class TestCase(unittest.TestCase):
    """unittest.TestCase with a fresh default graph for each test and assertions for arrays."""

    def setUp(self):  # noqa: N802
        super().setUp()
        reset_default_graph()

    def get_temp_dir(self):
        return get_temp_dir()

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session that is the default session and whose graph is the default graph."""
        graph = graph or Graph()
        with graph.as_default(), Session(graph=graph, config=config) as session:
            yield session

    def assertAllEqual(self, a, b, msg=None):  # noqa: N802
        np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):  # noqa: N802
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=msg or "")

    def assertNear(self, a, b, err, msg=None):  # noqa: N802
        self.assertTrue(abs(a - b) <= err, msg or f"{a} is not within {err} of {b}")

    def assertShapeEqual(self, array, tensor):  # noqa: N802
        self.assertEqual(list(array.shape), tensor.get_shape().as_list())

    @contextlib.contextmanager
    def assertRaisesOpError(self, text):  # noqa: N802
        from tfcore.framework.errors import OpError

        with self.assertRaisesRegex(OpError, text):
            yield
