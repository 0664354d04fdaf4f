"""tensorflow.python.framework.test_util: decorators and helpers of TensorFlow's own tests, besides tf.test.

There is only graph mode, without XLA and without GPUs: what selects a mode runs the test once, in a graph.
"""

import contextlib
import functools
import unittest

from absl.testing import absltest

from tfcore.framework import protos
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.graph.default_graph import device as _device
from tfcore.ops.array.array import transpose
from tfcore.test.case import TestCase
from tfcore.test.environment import disable_with_predicate, is_gpu_available

PlainTestCase = absltest.TestCase
TensorFlowTestCase = TestCase


def _identity_decorator(*args, **kwargs):
    """A decorator, with arguments or without, that leaves a test as it is."""
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]
    return lambda decorated: decorated


also_run_as_tf_function = build_as_function_and_v1_graph = deprecated_graph_mode_only = _identity_decorator
disable_all_xla = disable_asan = disable_cudnn_autotune = disable_eager_op_as_function = _identity_decorator
disable_mlir_bridge = disable_msan = disable_tfrt = disable_tsan = disable_ubsan = disable_xla = _identity_decorator
disable_control_flow_v2 = enable_c_shapes = enable_control_flow_v2 = no_xla_auto_jit = _identity_decorator
enable_eager_op_as_function = enable_output_all_intermediates = enable_tf_xla_constant_folding = _identity_decorator
run_all_in_deprecated_graph_mode_only = run_deprecated_v1 = run_v1_only = _identity_decorator
run_all_without_tensor_float_32 = run_without_tensor_float_32 = _identity_decorator
with_c_shapes = with_control_flow_v2 = xla_allow_fallback = run_in_v1_v2 = _identity_decorator
assert_no_garbage_created = assert_no_new_pyobjects_executing_eagerly = _identity_decorator


def run_in_graph_and_eager_modes(
    func=None, config=None, use_gpu=True, assert_no_eager_garbage=False, reset_test=True, **kwargs
):
    """Decorator: runs a test in a session."""

    def decorate(test):
        if isinstance(test, type):
            raise ValueError("`run_in_graph_and_eager_modes` only supports test methods.")

        @functools.wraps(test)
        def wrapper(self, *args, **kwargs):
            with self.test_session(use_gpu=use_gpu, config=config):
                return test(self, *args, **kwargs)

        return wrapper

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls):
    """Decorator: runs each test of a class in a session."""
    for name in dir(cls):
        if name.startswith("test") and name != "test_session" and callable(getattr(cls, name)):
            setattr(cls, name, run_in_graph_and_eager_modes(getattr(cls, name)))
    return cls


run_in_async_and_sync_mode = run_in_graph_and_eager_modes


def _skip(reason):
    def skip(func=None, *args, **kwargs):
        decorate = unittest.skip(reason)
        return decorate(func) if callable(func) else decorate

    return skip


run_v2_only = _skip("Test is only compatible with TensorFlow 2")


def _skip_without_gpu(reason):
    def skip(func=None):
        decorate = disable_with_predicate(lambda: not is_gpu_available(), reason)
        return decorate(func) if callable(func) else decorate

    return skip


run_gpu_only = run_gpu_or_tpu = _skip_without_gpu("Test requires GPU")
run_cuda_only = _skip_without_gpu("Test requires CUDA GPU")


def skip_if(condition):
    """Decorator: skips a test if a condition holds, which may be a function."""

    def decorate(test):
        @functools.wraps(test)
        def wrapper(self, *args, **kwargs):
            if condition() if callable(condition) else condition:
                self.skipTest("The condition for skipping holds")
            return test(self, *args, **kwargs)

        return wrapper

    return decorate


@contextlib.contextmanager
def skip_if_error(test_obj, error_type, messages=None):
    """A context manager: skips the test if its block raises an error, with one of some messages."""
    messages = [messages] if isinstance(messages, str) else messages
    try:
        yield
    except error_type as error:
        if messages and not any(message in str(error) for message in messages):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def for_all_test_methods(decorator, *args, **kwargs):
    """Class decorator: decorates all methods whose names begin with `test`."""

    def decorate(cls):
        for name in dir(cls):
            value = getattr(cls, name)
            if callable(value) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorate


def assert_no_new_tensors(f):
    """Decorator: leaves a test as it is; tensors belong to graphs, which are freed as a whole."""
    return f


def assert_ops_in_graph(expected_ops, graph):
    """Checks that a graph has operations: a dict from their names to their types. Returns the NodeDefs found."""
    found = {op.name: op for op in graph.get_operations() if op.name in expected_ops}
    for name, op in found.items():
        if op.type != expected_ops[name]:
            raise ValueError(f"Expected op for node {name} is different. Got {op.type}, expected {expected_ops[name]}")
    if len(found) != len(expected_ops):
        raise ValueError(f"Not all expected ops are present. Expected {expected_ops.keys()}, found {found.keys()}")
    return {name: op.node_def for name, op in found.items()}


def get_node_def_from_graph(node_name, graph_def):
    """The NodeDef of a name in a GraphDef, None if there is none."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def set_producer_version(graph, producer_version):
    """Makes a graph count as written by an older version of TensorFlow."""
    graph_def = protos.GraphDef()
    graph_def.versions.producer = producer_version
    with graph.as_default():
        import_graph_def(graph_def)


# ---- Devices


def device(use_gpu):
    """A context manager: operations go to the processor, as there are no GPUs."""
    return _device("/device:CPU:0")


use_gpu = force_gpu = device


def force_cpu():
    """A context manager: operations go to the processor."""
    return device(use_gpu=False)


def IsGoogleCudaEnabled():  # noqa: N802
    """Whether the package uses CUDA."""
    return False


CudaSupportsHalfMatMulAndConv = GpuSupportsHalfMatMulAndConv = IsBuiltWithNvcc = IsBuiltWithROCm = IsGoogleCudaEnabled
IsBuiltWithXLA = IsMklEnabled = InstallStackTraceHandler = is_mlir_bridge_enabled = is_xla_enabled = IsGoogleCudaEnabled
is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = IsGoogleCudaEnabled


# ---- Layouts of images


def _permuted(value, order):
    """A shape, a list of ints, or a tensor with its dimensions in another order."""
    if isinstance(value, (list, tuple)):
        return [value[i] for i in order]
    return transpose(value, order)


def _rank(value):
    return len(value) if isinstance(value, (list, tuple)) else value.shape.ndims


def NHWCToNCHW(input_tensor):  # noqa: N802
    """A shape or tensor of images with the channels moved from the end to the front."""
    rank = _rank(input_tensor)
    return _permuted(input_tensor, [0, rank - 1, *range(1, rank - 1)])


def NCHWToNHWC(input_tensor):  # noqa: N802
    """A shape or tensor of images with the channels moved from the front to the end."""
    return _permuted(input_tensor, [0, *range(2, _rank(input_tensor)), 1])
