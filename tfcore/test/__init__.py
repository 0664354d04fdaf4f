"""The namespace tf.test: helpers for testing TensorFlow programs.

`TestCase` and what belongs to it is in case.py, assertions.py and messages.py; the rest is imported on first use, too.
"""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.test.environment import (
    benchmark_config,
    disable_with_predicate,
    get_temp_dir,
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
    is_cpu_target_available,
    is_gpu_available,
    test_src_dir_path,
    with_eager_op_as_function,
)

_LATE = {
    "Benchmark": "tfcore.test.benchmark",
    "StubOutForTesting": "tfcore.test.stubs",
    "TestCase": "tfcore.test.case",
    "assert_equal_graph_def": "tfcore.test.messages",
    "compute_gradient": "tfcore.test.gradient_checker",
    "compute_gradient_error": "tfcore.test.gradient_checker",
    "main": "tfcore.test.benchmark",
    "mock": "unittest.mock.",
}

__all__ = [
    "benchmark_config",
    "disable_with_predicate",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "test_src_dir_path",
    "with_eager_op_as_function",
    *_LATE,
]

__getattr__, __dir__ = _lazy_names(globals(), _LATE)
