"""tf.config: the options of sessions without a ConfigProto, and switches that are fixed here.

`physical_devices.py` has the functions of tf.config that are about devices, `debug_options.py` those of tf.debugging.
"""

import operator

from tfcore.client.config import rewrites_without
from tfcore.framework import errors

# The switches of tf.config.optimizer.set_experimental_options that change the speed of a graph only.
_SPEED = (
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization dependency_optimization "
    "loop_optimization function_optimization scoped_allocator_optimization pin_to_host_optimization "
    "implementation_selector use_plugin_optimizers disable_model_pruning disable_meta_optimizer min_graph_nodes"
).split()
# Those that change what a graph computes: how to get that otherwise.
_REFUSED = {
    "debug_stripper": "make the graph without tf.Assert, tf.Print and tf.debugging.check_numerics",
    "auto_mixed_precision": "cast tensors to tf.float16 where the model should compute in it",
    "auto_mixed_precision_onednn_bfloat16": "cast tensors to tf.bfloat16 where the model should compute in it",
    "auto_mixed_precision_mkl": "cast tensors to tf.bfloat16 where the model should compute in it",
    "auto_parallel": "use tf.distribute.MirroredStrategy",
}
_BOOLS = ("disable_model_pruning", "disable_meta_optimizer")


class ProcessOptions:
    """The options for sessions without a ConfigProto.

    Attributes:
      values: {field of SessionOptions: value}, of those that the program has set.
      optimizer: {option of tf.config.optimizer: value}, of those that the program has set.
      jit: Whether the program has asked for compilation.
      checks_numerics: Whether new sessions fail where a NaN or an infinity appears.
      filters_tracebacks: What the program has noted about tracebacks, which changes nothing.
      devices: What the program has chosen of devices (`physical_devices.py`), None if nothing.
      is_initialized: Whether logical devices were listed: from then on, devices and threads stay as they are.
    """

    def __init__(self):
        self.values = {}
        self.optimizer = {}
        self.jit = False
        self.checks_numerics = False
        self.filters_tracebacks = True
        self.devices = None
        self.is_initialized = False

    def set(self, name, value, what):
        """Sets a field of SessionOptions, unless devices and threads must stay as they are."""
        if self.values.get(name) == value:
            return
        if self.is_initialized:
            raise RuntimeError(f"{what} cannot be modified after initialization.")
        self.values[name] = value

    def of_new_session(self):
        """The fields of SessionOptions that are set.

        Raises:
          ValueError, UnimplementedError: GPUs must be alike in what the program has set for them, and are not.
        """
        if self.devices is not None:
            self.devices.check()
        return self.values


state = ProcessOptions()


def refuse(name, instead):
    """Raises the error of a function that has no meaning here.

    Args:
      name: What is refused, such as "tf.config.run_functions_eagerly(True)".
      instead: A sentence that says why, and what to use instead.
    """
    raise errors.UnimplementedError(None, None, f"{name} is not implemented: {instead}")


def _number_of_threads(num_threads):
    try:
        number = operator.index(num_threads)
    except TypeError:
        raise TypeError(f"num_threads must be an integer, but got {num_threads!r}") from None
    if not -(2**31) <= number < 2**31:  # as a field of ConfigProto
        raise ValueError(f"Value out of range: {number}")
    return number


# ---- Threads


def get_intra_op_parallelism_threads():
    """The number of threads for one operation, in sessions without a configuration.

    Returns:
      An int; 0: as many as there are cores.
    """
    return state.values.get("intra_op_parallelism_threads", 0)


def set_intra_op_parallelism_threads(num_threads):
    """Sets the number of threads for one operation, in new sessions without a configuration.

    Args:
      num_threads: An int; 0: as many as there are cores.

    Raises:
      TypeError: It is not an integer.
      ValueError: It does not fit 32 bits.
      RuntimeError: The logical devices have been listed, and the number would change.
    """
    state.set("intra_op_parallelism_threads", _number_of_threads(num_threads), "Intra op parallelism")


def get_inter_op_parallelism_threads():
    """The number of operations that run at once, in sessions without a configuration.

    Returns:
      An int; 0: the runtime chooses.
    """
    return state.values.get("inter_op_parallelism_threads", 0)


def set_inter_op_parallelism_threads(num_threads):
    """Sets the number of operations that run at once, in new sessions without a configuration.

    Args:
      num_threads: An int; 0: the runtime chooses.

    Raises:
      TypeError: It is not an integer.
      ValueError: It does not fit 32 bits.
      RuntimeError: The logical devices have been listed, and the number would change.
    """
    state.set("inter_op_parallelism_threads", _number_of_threads(num_threads), "Inter op parallelism")


# ---- Placement


def get_soft_device_placement():
    """Whether sessions without a configuration may place operations on other devices than those asked for.

    Returns:
      A bool.
    """
    return state.values.get("allow_soft_placement", False)


def set_soft_device_placement(enabled):
    """Sets whether new sessions without a configuration may place operations on other devices than those asked for.

    Args:
      enabled: A bool.

    Raises:
      Nothing.
    """
    state.values["allow_soft_placement"] = bool(enabled)


# ---- Rewrites of graphs


def get_jit():
    """What `set_jit` has asked for.

    Returns:
      "autoclustering" or "".
    """
    return "autoclustering" if state.jit else ""


def set_jit(enabled):
    """Notes that graphs should be compiled. All sessions compile their graphs, so results and speed stay the same.

    Args:
      enabled: "autoclustering", True or False.

    Raises:
      Nothing.
    """
    state.jit = enabled in (True, "autoclustering")


def get_experimental_options():
    """The options that `set_experimental_options` has set.

    Returns:
      A dict from names to values.
    """
    return {**dict.fromkeys(_BOOLS, False), **state.optimizer}


def set_experimental_options(options):
    """Turns rewrites of graphs on or off, in new sessions without a configuration.

    Args:
      options: A dict from names, such as "constant_folding", to bools. Rewrites that TensorFlow has and this compiler
        lacks change nothing but speed. TensorFlow ignores unknown names, and so does this function.

    Raises:
      UnimplementedError: A rewrite that changes what a graph computes, such as "auto_mixed_precision", is turned on.
    """
    for name, value in options.items():
        if name in _REFUSED and value:
            refuse(f"tf.config.optimizer.set_experimental_options({{{name!r}: {value!r}}})", _REFUSED[name] + ".")
    for name, value in options.items():
        if name in _SPEED or name in _REFUSED:
            state.optimizer[name] = value if name == "min_graph_nodes" else bool(value)
    off = [name for name, value in state.optimizer.items() if not value and name not in _BOOLS]
    state.values["rewrites"] = () if state.optimizer.get("disable_meta_optimizer") else rewrites_without(off)


def enable_mlir_bridge():
    """Raises an error: there is no MLIR here.

    Raises:
      UnimplementedError: In any case.
    """
    refuse("tf.config.experimental.enable_mlir_bridge", "graphs are compiled by the package's own compiler.")


def disable_mlir_bridge():
    """Does nothing: there is no MLIR here."""


def tensor_float_32_execution_enabled():
    """Whether GPUs round the factors of matrix products to 10 bits; they never do.

    Returns:
      A bool: False.
    """
    return False


def enable_tensor_float_32_execution(enabled):
    """Refuses to round the factors of matrix products to 10 bits.

    Args:
      enabled: A bool.

    Raises:
      TypeError: `enabled` is not a bool.
      UnimplementedError: `enabled` is True.
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool, but got {enabled!r}")
    if enabled:
        name = "tf.config.experimental.enable_tensor_float_32_execution(True)"
        refuse(name, "products of float32 are computed in float32; cast the factors to tf.float16 or tf.bfloat16.")


# ---- Eager execution


def functions_run_eagerly():
    """Whether functions run without a graph; they never do.

    Returns:
      A bool: False.
    """
    return False


def run_functions_eagerly(run_eagerly):
    """Refuses to run functions without a graph.

    Args:
      run_eagerly: A bool.

    Raises:
      UnimplementedError: `run_eagerly` is True.
    """
    if run_eagerly:
        why = "operations are added to a graph, which a tf.Session runs. Use tf.py_func to run Python in a step."
        refuse("tf.config.run_functions_eagerly(True)", why)


def get_synchronous_execution():
    """Whether an operation has run when its call returns. This is about eager execution, which does not exist here.

    Returns:
      A bool: True, TensorFlow's default.
    """
    return True


def set_synchronous_execution(enable):
    """Refuses asynchronous eager execution.

    Args:
      enable: True, or None for the default, which is True.

    Raises:
      UnimplementedError: `enable` is False.
    """
    if enable is not None and not enable:
        refuse("tf.config.experimental.set_synchronous_execution(False)", "there is no eager execution.")


def get_device_policy():
    """What happens to inputs on other devices: they are copied.

    Returns:
      The string "silent".
    """
    return "silent"


def set_device_policy(device_policy):
    """Refuses policies other than that inputs on other devices are copied.

    Args:
      device_policy: "silent", or None for the default, which is "silent".

    Raises:
      ValueError: There is no such policy.
      UnimplementedError: The policy is another one.
    """
    if device_policy not in (None, "silent", "silent_for_int32", "warn", "explicit"):
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}.")
    if device_policy not in (None, "silent"):
        name = f"tf.config.experimental.set_device_policy({device_policy!r})"
        refuse(name, "sessions copy inputs between devices. tf.ConfigProto(log_device_placement=True) shows them.")


# ---- Clusters


def experimental_connect_to_host(remote_host=None, job_name="worker"):
    """Raises an error: programs reach other processes by a server.

    Args:
      remote_host: One address or several.
      job_name: Name of their job.

    Raises:
      ValueError: No address is given.
      UnimplementedError: In any other case.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    refuse("tf.config.experimental_connect_to_host", _SERVER)


def experimental_connect_to_cluster(
    cluster_spec_or_resolver,
    job_name="localhost",
    task_index=0,
    protocol=None,
    make_master_device_default=True,
    cluster_device_filters=None,
):
    """Raises an error: programs reach other processes by a server.

    Args:
      cluster_spec_or_resolver: A `ClusterSpec` or `ClusterResolver`.
      job_name: Name of this process's job.
      task_index: Its number.
      protocol: Name of a protocol.
      make_master_device_default: A bool.
      cluster_device_filters: Which devices each task sees.

    Raises:
      UnimplementedError: In any case.
    """
    refuse("tf.config.experimental_connect_to_cluster", _SERVER)


_SERVER = (
    "it is for eager execution. Make server = tf.train.Server(cluster, job_name=..., task_index=...) in each process "
    "and pass server.target to tf.Session."
)


class ClusterDeviceFilters:
    """Refuses to be made: it is for `tf.config.experimental_connect_to_cluster`.

    Raises:
      UnimplementedError: In any case.
    """

    def __init__(self):
        name = "tf.config.experimental.ClusterDeviceFilters"
        refuse(name, "use tf.ConfigProto(device_filters=['/job:ps', ...]) in each task's session.")

    def set_device_filters(self, job_name, task_index, device_filters):
        """Never called: there are no objects of this class.

        Args:
          job_name: Name of a job.
          task_index: Number of a task.
          device_filters: Patterns of devices that the task sees.

        Raises:
          UnimplementedError: In any case.
        """
        refuse("ClusterDeviceFilters.set_device_filters", "see tf.ConfigProto(device_filters=...).")
