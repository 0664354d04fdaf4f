"""tf.config: the options of sessions without a ConfigProto, and the devices of this process."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.client import process_options

pytestmark = pytest.mark.cpu

CPU = tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
config = tf.config


@pytest.fixture(autouse=True)
def state(monkeypatch):
    """What a test sets is not there for the next one."""
    monkeypatch.setattr(process_options, "state", process_options.ProcessOptions())
    with tf.Graph().as_default():
        yield


def test_devices_of_a_process_without_gpus():
    assert config.list_physical_devices() == config.get_visible_devices() == [CPU]
    assert config.list_physical_devices("CPU") == config.experimental.list_physical_devices("CPU") == [CPU]
    assert config.list_physical_devices("GPU") == config.list_logical_devices("GPU") == []
    assert config.list_logical_devices() == [config.LogicalDevice("/device:CPU:0", "CPU")]
    assert repr(CPU) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert config.experimental.get_device_details(CPU) == {}
    assert config.get_logical_device_configuration(CPU) is None


def test_threads_of_sessions_without_a_configuration():
    assert config.threading.get_inter_op_parallelism_threads() == 0
    assert config.threading.get_intra_op_parallelism_threads() == 0
    config.threading.set_inter_op_parallelism_threads(1)
    config.threading.set_intra_op_parallelism_threads(np.int64(3))
    assert config.threading.get_inter_op_parallelism_threads() == 1
    assert config.threading.get_intra_op_parallelism_threads() == 3
    with tf.Session() as sess, tf.Session(config=tf.ConfigProto()) as configured:
        assert (sess._inter_op, sess._threads) == (1, 3)
        assert (configured._inter_op, configured._threads) == (0, 0)
    with pytest.raises(TypeError, match="num_threads must be an integer, but got 'two'"):
        config.threading.set_intra_op_parallelism_threads("two")
    for number in (2**40, 2**31, -(2**31) - 1):
        for change in (
            config.threading.set_inter_op_parallelism_threads,
            config.threading.set_intra_op_parallelism_threads,
        ):
            with pytest.raises(ValueError, match=f"^Value out of range: {number}$"):
                change(number)
    assert config.threading.get_intra_op_parallelism_threads() == 3


def test_nothing_can_change_after_logical_devices_were_listed():
    config.threading.set_inter_op_parallelism_threads(2)
    config.list_logical_devices()
    config.threading.set_inter_op_parallelism_threads(2)
    with pytest.raises(RuntimeError, match="^Inter op parallelism cannot be modified after initialization.$"):
        config.threading.set_inter_op_parallelism_threads(1)
    with pytest.raises(RuntimeError, match="^Intra op parallelism cannot be modified after initialization.$"):
        config.threading.set_intra_op_parallelism_threads(1)
    with pytest.raises(RuntimeError, match="^Visible devices cannot be modified after being initialized$"):
        config.set_visible_devices([])
    with pytest.raises(RuntimeError, match="^Virtual devices cannot be modified after being initialized$"):
        config.set_logical_device_configuration(CPU, [config.LogicalDeviceConfiguration()] * 2)
    config.set_visible_devices(CPU)
    config.set_soft_device_placement(True)
    assert config.get_soft_device_placement()


def test_soft_placement():
    assert config.get_soft_device_placement() is False
    with tf.device("/cpu:1"):
        x = tf.constant(2.0) * 3.0
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="CPU:1"):
        sess.run(x)
    config.set_soft_device_placement(True)
    assert tf.Session().run(x) == 6.0
    with tf.Session(config=tf.ConfigProto()) as sess, pytest.raises(tf.errors.InvalidArgumentError, match="CPU:1"):
        sess.run(x)


def test_several_devices_of_the_cpu():
    two = [config.LogicalDeviceConfiguration(), config.LogicalDeviceConfiguration()]
    config.experimental.set_virtual_device_configuration(CPU, two)
    assert config.get_logical_device_configuration(CPU) == two
    two.append(config.LogicalDeviceConfiguration())
    config.get_logical_device_configuration(CPU).clear()
    assert len(config.get_logical_device_configuration(CPU)) == 2
    with pytest.raises(tf.errors.NotFoundError, match="^No CPU devices are available in this process$"):
        config.set_logical_device_configuration(CPU, [])
    with tf.device("/cpu:1"):
        x = tf.constant(2.0) * 3.0
    with tf.Session() as sess:
        assert [d.name[-5:] for d in sess.list_devices()] == ["CPU:0", "CPU:1"]
        assert sess.run(x) == 6.0
    assert [d.name for d in config.list_logical_devices("CPU")] == ["/device:CPU:0", "/device:CPU:1"]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: config.set_visible_devices("a"), ValueError, "Unrecognized device: 'a'"),
        (lambda: config.set_visible_devices([CPU], "GPU"), ValueError, r"Unrecognized device: PhysicalDevice\("),
        (lambda: config.set_visible_devices([]), tf.errors.UnimplementedError, "every session has a CPU device"),
        (lambda: config.experimental.get_memory_growth("x"), ValueError, "Unrecognized device: 'x'"),
        (lambda: config.experimental.get_memory_growth(CPU), KeyError, "CPU:0"),
        (lambda: config.experimental.set_memory_growth(CPU, True), ValueError, "Cannot set memory growth on non-GPU"),
        (
            lambda: config.set_logical_device_configuration(CPU, [config.LogicalDeviceConfiguration(memory_limit=1)]),
            ValueError,
            "Setting memory limit on CPU virtual devices is currently not supported",
        ),
        (lambda: config.experimental.get_device_details(3), ValueError, "must be a tf.config.PhysicalDevice, but got"),
        (lambda: config.experimental.get_memory_info("GPU"), ValueError, "Failed parsing device name: 'GPU'"),
        (lambda: config.experimental.get_memory_info("GPU:0"), ValueError, "No matching devices found for 'GPU:0'"),
        (lambda: config.experimental.reset_memory_stats("CPU:0"), tf.errors.UnimplementedError, "memory_report"),
        (lambda: config.run_functions_eagerly(True), tf.errors.UnimplementedError, "added to a graph"),
        (lambda: config.experimental.set_synchronous_execution(False), tf.errors.UnimplementedError, "no eager"),
        (lambda: config.experimental.set_device_policy("x"), ValueError, "Invalid argument `device_policy`: 'x'"),
        (lambda: config.experimental.set_device_policy("warn"), tf.errors.UnimplementedError, "log_device_placement"),
        (lambda: config.experimental.enable_mlir_bridge(), tf.errors.UnimplementedError, "own compiler"),
        (
            lambda: config.experimental.enable_tensor_float_32_execution(True),
            tf.errors.UnimplementedError,
            "computed in float32",
        ),
        (lambda: config.experimental.enable_tensor_float_32_execution("a"), TypeError, "must be a bool, but got 'a'"),
        (lambda: config.experimental_connect_to_host(), ValueError, "Must provide at least one remote_host"),
        (lambda: config.experimental_connect_to_host("a:1"), tf.errors.UnimplementedError, "server.target"),
        (lambda: config.experimental_connect_to_cluster(None), tf.errors.UnimplementedError, "server.target"),
        (lambda: config.experimental.ClusterDeviceFilters(), tf.errors.UnimplementedError, "device_filters="),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_switches_that_are_as_they_are():
    config.run_functions_eagerly(False)
    config.experimental.set_synchronous_execution(None)
    config.experimental.set_device_policy("silent")
    config.experimental.disable_mlir_bridge()
    config.experimental.enable_tensor_float_32_execution(False)
    assert config.functions_run_eagerly() is False
    assert config.experimental.get_synchronous_execution() is True
    assert config.experimental.get_device_policy() == "silent"
    assert config.experimental.tensor_float_32_execution_enabled() is False


def test_memory_of_the_cpu():
    x = tf.get_variable("x", initializer=np.zeros(1 << 20, np.float32))
    with tf.Session() as sess:
        sess.run(x.initializer)
        found = config.experimental.get_memory_info("/job:localhost/device:CPU:0")
        assert found["current"] >= 4 << 20 and found["peak"] >= found["current"]


def test_rewrites_of_sessions_without_a_configuration():
    options = config.optimizer.get_experimental_options
    assert options() == {"disable_model_pruning": False, "disable_meta_optimizer": False}
    config.optimizer.set_experimental_options({"constant_folding": False, "layout_optimizer": 1, "unknown": True})
    assert options() == {
        "constant_folding": False,
        "layout_optimizer": True,
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
    }
    rewrites = tf.Session()._options.rewrites
    assert "constant_folding" not in rewrites and "fusion" in rewrites
    config.optimizer.set_experimental_options({"constant_folding": True})
    assert "constant_folding" in tf.Session()._options.rewrites
    config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    assert tf.Session()._options.rewrites == ()
    with pytest.raises(tf.errors.UnimplementedError, match="'auto_mixed_precision': True.* is not implemented: cast"):
        config.optimizer.set_experimental_options({"auto_mixed_precision": True, "remapping": False})
    assert "remapping" not in options()


def test_compilation_is_noted():
    assert config.optimizer.get_jit() == ""
    config.optimizer.set_jit(True)
    assert config.optimizer.get_jit() == "autoclustering"
    config.optimizer.set_jit("other")
    assert config.optimizer.get_jit() == ""


def test_checks_of_all_steps():
    x = tf.placeholder(tf.float32, [2])
    y = tf.log(x, name="y")
    tf.debugging.enable_check_numerics()
    with tf.Session() as checked:
        tf.debugging.disable_check_numerics()
        for run in (lambda v: checked.run(y, {x: v}), checked.make_callable(y, [x])):
            assert run([1.0, 1.0]).tolist() == [0.0, 0.0]
            with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 : Tensor had Inf values"):
                run([1.0, 0.0])
        with pytest.raises(tf.errors.UnimplementedError, match="partial_run_setup with .*enable_check_numerics"):
            checked.partial_run_setup([y], [x])
    assert tf.Session().run(y, {x: [1.0, 0.0]})[1] == -np.inf


def test_filtering_of_tracebacks_is_noted():
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.experimental.disable_dump_debug_info()
    with pytest.raises(tf.errors.UnimplementedError, match="enable_dump_debug_info is not implemented"):
        tf.debugging.experimental.enable_dump_debug_info("folder")
