"""What tests ask about the machine, the build and their files."""

import atexit
import functools
import os
import platform
import re
import shutil
import tempfile

from tfcore.client.config import number_of_gpus
from tfcore.framework import protos

_temp_dir = None


def get_temp_dir():
    """A folder for the files of the tests of this process; it is deleted when the process ends.

    Returns:
      A string: the same path at each call.
    """
    global _temp_dir
    if _temp_dir is None:
        _temp_dir = tempfile.mkdtemp(prefix=os.environ.get("TEST_TMPDIR", "tfcore_test_"))
        atexit.register(_delete_temp_dir, _temp_dir, os.getpid())
    return _temp_dir


def _delete_temp_dir(path, owner):
    if os.getpid() == owner:  # a forked process has this path, too, but may end first
        shutil.rmtree(path, ignore_errors=True)


def test_src_dir_path(relative_path):
    """The path of a file among the sources that Bazel gives a test.

    Args:
      relative_path: A path below the folder `tensorflow`.

    Returns:
      A string.

    Raises:
      KeyError: The environment variables TEST_SRCDIR and TEST_WORKSPACE are not set.
    """
    return os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tensorflow", relative_path)


test_src_dir_path.__test__ = False  # pytest collects what begins with `test_`


def is_built_with_cuda():
    """Whether the package can use CUDA; it can, with a card or an emulated GPU.

    Returns:
      A bool: True. `is_gpu_available` says whether there is a GPU.
    """
    return True


def is_built_with_rocm():
    """Whether the package uses ROCm; it does not.

    Returns:
      A bool: False.
    """
    return False


def is_built_with_gpu_support():
    """Whether the package can use GPUs; it can.

    Returns:
      A bool: True. `is_gpu_available` says whether there is one.
    """
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_xla():
    """Whether the package has the compiler XLA; it does not.

    Returns:
      A bool: False.
    """
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether there is a GPU to run on: a card, or an emulated one (`TFCORE_EMULATE_GPUS`).

    Args:
      cuda_only: Ignored: all GPUs are CUDA's.
      min_cuda_compute_capability: A pair (major, minor): whether there is one that has at least this; None: any.

    Returns:
      A bool.

    Raises:
      UnavailableError: The environment asks for emulated GPUs, and they can't be started.
    """
    return any(
        min_cuda_compute_capability is None or _compute_capability(i) >= tuple(min_cuda_compute_capability)
        for i in range(number_of_gpus())
    )


def _compute_capability(index):
    from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

    major, minor = re.search(r"compute capability: (\d+)\.(\d+)", gpu.describe(index)).groups()
    return int(major), int(minor)


def gpu_device_name():
    """The name of the first GPU.

    Returns:
      A string: "/device:GPU:0", or "" if there is none.

    Raises:
      UnavailableError: The environment asks for emulated GPUs, and they can't be started.
    """
    return "/device:GPU:0" if is_gpu_available() else ""


def is_cpu_target_available(target):
    """Whether this package was built for a kind of processor.

    Args:
      target: A string, such as "x86_64" or "aarch64".

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return target == platform.machine()


def disable_with_predicate(pred, skip_message):
    """Decorator: a test method is skipped if a condition holds when it runs.

    Args:
      pred: A function without arguments that returns a bool.
      skip_message: The reason for skipping.

    Returns:
      A decorator.

    Raises:
      Nothing.
    """

    def decorate(test):
        @functools.wraps(test)
        def wrapper(self, *args, **kwargs):
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return wrapper

    return decorate


def with_eager_op_as_function(cls=None, only_as_function=False):
    """Class decorator: leaves a test case as it is, as there is no eager execution.

    Args:
      cls: The class; None if the decorator is called with arguments.
      only_as_function: Ignored.

    Returns:
      `cls`, or a decorator.

    Raises:
      Nothing.
    """
    return cls if cls is not None else lambda decorated: decorated


def benchmark_config():
    """Options of sessions for benchmarks: control dependencies stay as they are written.

    Returns:
      A `tf.ConfigProto`.
    """
    config = protos.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = config.graph_options.rewrite_options.OFF
    return config
