"""What programs learn of the GPUs that there are."""

import pytest

import tfcore as tf
from tfcore.as_tensorflow import context, framework, test_util
from tfcore.core.device import gpu


@pytest.fixture(autouse=True)
def graph():
    """None of its own: a TestCase resets the default graph."""


def test_programs_see_the_gpus():
    assert tf.test.is_gpu_available() and tf.test.is_gpu_available(cuda_only=True)
    assert tf.test.gpu_device_name() == "/device:GPU:0"
    count = gpu.count()
    assert context.num_gpus() == context.context().num_gpus() == count
    local = framework.list_local_devices()
    assert [d.name for d in local] == ["/device:CPU:0", *(f"/device:GPU:{i}" for i in range(count))]


def test_a_compute_capability_may_be_asked_for():
    assert tf.test.is_gpu_available(min_cuda_compute_capability=(3, 5))
    assert not tf.test.is_gpu_available(min_cuda_compute_capability=(99, 0))


def test_tests_for_gpus_run():
    class Case(tf.test.TestCase):
        @test_util.run_gpu_only
        def test_values(self):
            with self.session(force_gpu=True):
                self.assertAllEqual(tf.square([1.0, 3.0]), [1.0, 9.0])

    result = Case("test_values").run()
    assert result.wasSuccessful() and not result.skipped
