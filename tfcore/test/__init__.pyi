# Written by python -m tfcore.tools.stubs: do not edit.

import absl.testing.absltest
import builtins
from typing import Any as _Any
from unittest import mock as mock

__all__ = [
'Benchmark', 'StubOutForTesting', 'TestCase', 'assert_equal_graph_def', 'benchmark_config', 'compute_gradient',
'compute_gradient_error', 'create_local_cluster', 'disable_with_predicate', 'get_temp_dir', 'gpu_device_name',
'is_built_with_cuda', 'is_built_with_gpu_support', 'is_built_with_rocm', 'is_built_with_xla', 'is_cpu_target_available',
'is_gpu_available', 'main', 'mock', 'test_src_dir_path', 'with_eager_op_as_function'
]

class Benchmark:
    """Base class of benchmarks: methods whose names begin with `benchmark`."""
    def evaluate(self, tensors: _Any) -> _Any:
        """Computes tensors in the default session, or in a new one."""
    @classmethod
    def is_abstract(cls) -> builtins.bool:
        """Whether this is the base class itself, not one with benchmarks."""
    def report_benchmark(self, iters: _Any = None, cpu_time: _Any = None, wall_time: _Any = None, throughput: _Any = None, extras: _Any = None, name: str | None = None, metrics: _Any = None) -> _Any:
        """Prints a result in the text form of TensorFlow's BenchmarkEntries."""
    def run_op_benchmark(self, sess: _Any, op_or_tensor: _Any, feed_dict: _Any = None, burn_iters: _Any = 2, min_iters: _Any = 10, store_trace: _Any = False, store_memory_usage: _Any = True, name: str | None = None, extras: _Any = None, mbs: _Any = 0) -> _Any:
        """Times runs of an operation and reports the median."""

class StubOutForTesting:
    """Replaces attributes of modules, classes and objects, and puts them back. Also a context manager."""
    def CleanUp(self) -> _Any:
        """Puts back all that was replaced."""
    def Set(self, parent: _Any, child_name: _Any, new_child: _Any) -> _Any:
        """Replaces an attribute of a module, class or object itself."""
    def SmartSet(self, obj: _Any, attr_name: _Any, new_attr: _Any) -> _Any:
        """Replaces an attribute where it is defined: for that of an object's class, in the class."""
    def SmartUnsetAll(self) -> _Any:
        """Puts back what `SmartSet` has replaced."""
    def UnsetAll(self) -> _Any:
        """Puts back what `Set` has replaced."""
    def __enter__(self) -> StubOutForTesting: ...
    def __exit__(self, *exc: _Any) -> None: ...
    def __init__(self) -> None: ...

class TestCase(absl.testing.absltest.TestCase):
    """A test case with a fresh default graph and fixed seeds for each test, sessions, and assertions for arrays."""
    def __init__(self, methodName: _Any = 'runTest') -> None:
        """Makes the case of one test method."""
    def assertAllClose(self, a: _Any, b: _Any, rtol: _Any = 1e-06, atol: _Any = 1e-06, msg: _Any = None) -> _Any:
        """Asserts that `|a - b| <= atol + rtol * |b|` for all elements of two structures of arrays. NaNs are equal."""
    def assertAllCloseAccordingToType(self, a: _Any, b: _Any, rtol: _Any = 1e-06, atol: _Any = 1e-06, float_rtol: _Any = 1e-06, float_atol: _Any = 1e-06, half_rtol: _Any = 0.001, half_atol: _Any = 0.001, bfloat16_rtol: _Any = 0.01, bfloat16_atol: _Any = 0.01, msg: _Any = None) -> _Any:
        """`assertAllClose` with tolerances of the less precise of the two types."""
    def assertAllEqual(self, a: _Any, b: _Any, msg: _Any = None) -> _Any:
        """Asserts that two arrays have equal shapes and elements. NaNs are equal."""
    def assertAllGreater(self, a: _Any, comparison_target: _Any) -> _Any:
        """Asserts that all elements are greater than a number."""
    def assertAllGreaterEqual(self, a: _Any, comparison_target: _Any) -> _Any:
        """Asserts that all elements are at least a number."""
    def assertAllInRange(self, target: _Any, lower_bound: _Any, upper_bound: _Any, open_lower_bound: _Any = False, open_upper_bound: _Any = False) -> _Any:
        """Asserts that all elements are in a range and none is NaN."""
    def assertAllInSet(self, target: _Any, expected_set: _Any) -> _Any:
        """Asserts that all elements belong to a set."""
    def assertAllLess(self, a: _Any, comparison_target: _Any) -> _Any:
        """Asserts that all elements are less than a number."""
    def assertAllLessEqual(self, a: _Any, comparison_target: _Any) -> _Any:
        """Asserts that all elements are at most a number."""
    def assertArrayNear(self, farray1: _Any, farray2: _Any, err: _Any, msg: _Any = None) -> _Any:
        """Asserts that the elements of two lists differ by at most `err`."""
    def assertDTypeEqual(self, target: _Any, expected_dtype: _Any) -> _Any:
        """Asserts that an array is of a type."""
    def assertDeviceEqual(self, device1: _Any, device2: _Any, msg: _Any = None) -> _Any:
        """Asserts that two device names mean the same."""
    def assertDictEqual(self, a: _Any, b: _Any, msg: _Any = None) -> _Any:
        """Asserts that two dicts are equal; floating-point arrays in them may be merely close."""
    def assertNDArrayNear(self, ndarray1: _Any, ndarray2: _Any, err: _Any, msg: _Any = None) -> _Any:
        """Asserts that the norm of the difference of two arrays is below `err`."""
    def assertNear(self, f1: _Any, f2: _Any, err: _Any, msg: _Any = None) -> _Any:
        """Asserts that two numbers differ by at most `err`."""
    def assertNotAllClose(self, a: _Any, b: _Any, rtol: _Any = 1e-06, atol: _Any = 1e-06, msg: _Any = None) -> _Any:
        """Asserts that `assertAllClose` fails."""
    def assertNotAllEqual(self, a: _Any, b: _Any, msg: _Any = None) -> _Any:
        """Asserts that two arrays differ in an element."""
    def assertProtoEquals(self, expected_message_maybe_ascii: _Any, validate_message: _Any, msg: _Any = None, relative_tolerance: _Any = None) -> _Any:
        """Asserts that two protocol buffers are equal."""
    def assertProtoEqualsVersion(self, expected: _Any, actual: _Any, producer: _Any = 134, min_consumer: _Any = 0, msg: _Any = None) -> _Any:
        """Asserts that a GraphDef has a text form, and certain versions."""
    def assertRaisesIncompatibleShapesError(self, exception_type: _Any = ...) -> _Any:
        """A context manager that asserts that its block raises an error about shapes."""
    def assertRaisesOpError(self, expected_err_re_or_predicate: _Any) -> _Any:
        """A context manager that asserts that its block raises a `tf.errors.OpError`."""
    def assertRaisesWithPredicateMatch(self, exception_type: _Any, expected_err_re_or_predicate: _Any) -> _Any:
        """A context manager that asserts that its block raises an error."""
    def assertShapeEqual(self, input_a: _Any, input_b: _Any, msg: _Any = None) -> _Any:
        """Asserts that two arrays or tensors have the same (static) shape."""
    def cached_session(self, graph: _Any = None, config: _Any = None, use_gpu: _Any = True, force_gpu: _Any = False) -> _Any:
        """A context manager: the same session in all such blocks of a test; it is closed at the end of the test."""
    def captureWritesToStream(self, stream: _Any) -> _Any:
        """A context manager that keeps what is written to a stream, also by code that is not Python."""
    def checkedThread(self, target: _Any, args: _Any = None, kwargs: _Any = None) -> _Any:
        """A thread whose error fails the test. The test must start it and join it."""
    def evaluate(self, tensors: _Any) -> _Any:
        """Computes tensors in the default session, or in one for this test."""
    def evaluate_if_both_tensors(self, a: _Any, b: _Any) -> _Any:
        """Computes two tensors in one step, so that they belong together; other values are returned as they are."""
    def get_temp_dir(self) -> str:
        """A folder for the files of this test."""
    def session(self, graph: _Any = None, config: _Any = None, use_gpu: _Any = True, force_gpu: _Any = False) -> _Any:
        """A context manager: a new default session on a graph that is the default graph."""
    def setUp(self) -> _Any: ...
    def tearDown(self) -> _Any: ...
    def test_session(self, graph: _Any = None, config: _Any = None, use_gpu: _Any = True, force_gpu: _Any = False) -> _Any:
        """`session` if there is a graph, else `cached_session`, whatever the other arguments are."""

def assert_equal_graph_def(actual: _Any, expected: _Any, checkpoint_v2: _Any = False, hash_table_shared_name: _Any = False) -> _Any:
    """Asserts that two GraphDefs have the same nodes, in any order, and the same functions; versions may differ."""

def benchmark_config() -> _Any:
    """Options of sessions for benchmarks: control dependencies stay as they are written."""

def compute_gradient(x: _Any, x_shape: _Any, y: _Any, y_shape: _Any, x_init_value: _Any = None, delta: _Any = 0.001, init_targets: _Any = None, extra_feed_dict: _Any = None) -> _Any:
    """The symbolic and the numerical Jacobian of `y` with respect to `x`, in the default session."""

def compute_gradient_error(x: _Any, x_shape: _Any, y: _Any, y_shape: _Any, x_init_value: _Any = None, delta: _Any = 0.001, init_targets: _Any = None, extra_feed_dict: _Any = None) -> _Any:
    """The largest absolute difference between the symbolic and the numerical Jacobian."""

def create_local_cluster(num_workers: _Any, num_ps: _Any, protocol: _Any = 'grpc', worker_config: _Any = None, ps_config: _Any = None) -> _Any:
    """Starts a cluster of one task in this process, for tests: /job:worker/task:0 or /job:ps/task:0."""

def disable_with_predicate(pred: _Any, skip_message: _Any) -> _Any:
    """Decorator: a test method is skipped if a condition holds when it runs."""

def get_temp_dir() -> str:
    """A folder for the files of the tests of this process; it is deleted when the process ends."""

def gpu_device_name() -> str:
    """The name of the first GPU."""

def is_built_with_cuda() -> builtins.bool:
    """Whether the package can use CUDA; it can, with a card or an emulated GPU."""

def is_built_with_gpu_support() -> builtins.bool:
    """Whether the package can use GPUs; it can."""

def is_built_with_rocm() -> builtins.bool:
    """Whether the package uses ROCm; it does not."""

def is_built_with_xla() -> builtins.bool:
    """Whether the package has the compiler XLA; it does not."""

def is_cpu_target_available(target: _Any) -> builtins.bool:
    """Whether this package was built for a kind of processor."""

def is_gpu_available(cuda_only: _Any = False, min_cuda_compute_capability: _Any = None) -> builtins.bool:
    """Whether there is a GPU to run on: a card, or an emulated one (`TFCORE_EMULATE_GPUS`)."""

def main(argv: _Any = None) -> _Any:
    """Runs the tests of the main module, or with the flag `--benchmark_filter=REGEX` its benchmarks."""

def test_src_dir_path(relative_path: _Any) -> str:
    """The path of a file among the sources that Bazel gives a test."""

def with_eager_op_as_function(cls: _Any = None, only_as_function: _Any = False) -> _Any:
    """Class decorator: leaves a test case as it is, as there is no eager execution."""
