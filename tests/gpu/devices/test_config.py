"""tf.config with GPUs."""

import subprocess
import sys

import pytest

import tfcore as tf
from tfcore.core.device import gpu

ORDER_AND_LIMIT = """
import tfcore as tf
config = tf.config
gpus = config.list_physical_devices("GPU")
config.set_visible_devices(gpus[1:], "GPU")
config.set_logical_device_configuration(gpus[1], [config.LogicalDeviceConfiguration(memory_limit=16)])
assert config.get_visible_devices() == [*config.list_physical_devices("CPU"), gpus[1]]
try:
    config.experimental.set_memory_growth(gpus[1], True)
except ValueError as error:
    assert "when virtual devices configured" in str(error)
devices = tf.Session().list_devices()
assert [d.device_type for d in devices] == ["CPU", "GPU"] and devices[1].memory_limit_bytes == 16 << 20
try:
    config.set_visible_devices(gpus, "GPU")
except RuntimeError as error:
    assert str(error) == "Visible devices cannot be modified after being initialized"
else:
    raise AssertionError
assert config.list_logical_devices("GPU") == [config.LogicalDevice("/device:GPU:0", "GPU")]
"""
GROWTH = """
import tfcore as tf
gpus = tf.config.list_physical_devices("GPU")
tf.config.experimental.set_memory_growth(gpus[0], True)
assert tf.config.experimental.get_memory_growth(gpus[0])
try:
    tf.Session()
except ValueError as error:
    assert str(error) == "Memory growth cannot differ between GPU devices"
else:
    raise AssertionError
tf.config.experimental.set_memory_growth(gpus[1], True)
assert tf.Session()._options.allow_growth
"""


WRONG_LIMITS = """
import tfcore as tf
config = tf.config
gpu = config.list_physical_devices("GPU")[0]
wrong = {"x": TypeError, (1,): TypeError, 0: ValueError, -5: ValueError, float("nan"): ValueError}
for limit, wanted in {**wrong, 10**400: OverflowError}.items():
    try:
        config.set_logical_device_configuration(gpu, [config.LogicalDeviceConfiguration(memory_limit=limit)])
    except wanted as error:
        assert limit == 10**400 or "memory_limit must be a" in str(error) and repr(limit) in str(error), error
    else:
        raise AssertionError(limit)
assert config.get_logical_device_configuration(gpu) is None
devices = tf.Session().list_devices()
assert [d.device_type for d in devices] == ["CPU", "GPU", "GPU"]
"""


def test_the_gpus_are_listed():
    gpus = tf.config.list_physical_devices("GPU")
    assert [device.name for device in gpus] == [f"/physical_device:GPU:{i}" for i in range(gpu.number_on_machine())]
    details = tf.config.experimental.get_device_details(gpus[0])
    assert details["device_name"] and len(details["compute_capability"]) == 2


@pytest.mark.two_gpus
@pytest.mark.parametrize("program", [ORDER_AND_LIMIT, GROWTH, WRONG_LIMITS])
def test_what_sessions_get(program):  # in a process of its own, as the first session's options hold for the process
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_a_gpu_cannot_be():
    device = tf.config.list_physical_devices("GPU")[0]
    one = tf.config.LogicalDeviceConfiguration(memory_limit=8)
    with pytest.raises(ValueError, match="Setting memory limit is required for GPU virtual devices"):
        tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()])
    with pytest.raises(
        (tf.errors.UnimplementedError, RuntimeError), match="2 devices on a GPU|after being initialized"
    ):
        tf.config.set_logical_device_configuration(device, [one, one])
