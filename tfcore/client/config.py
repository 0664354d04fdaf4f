"""What sessions read of a ConfigProto; `framework/protos/protobuf/config.proto` describes its fields."""

import typing

from tfcore.framework import protos
from tfcore.gpu import driver as gpu_driver

# The rewrites of compiler/compile.py, and the switches of a RewriterConfig that turn them off.
_SWITCHES = {
    "gates": "dependency_optimization",
    "constant_folding": "constant_folding",
    "simplification": "arithmetic_optimization",
    "common_subexpressions": "common_subgraph_elimination",
    "fusion": "remapping",
    "loops": "loop_optimization",
}


class SessionOptions(typing.NamedTuple):
    """The options of a session, read once: a step reads no message, and a session without a ConfigProto loads none.

    `gpus` is the greatest number of them. rewrites: names of the compiler's rewrites that are on. The others are fields
    of ConfigProto, or of messages in it, with their defaults.
    """

    cpus: int = 1
    gpus: int = 64
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    operation_timeout_in_ms: int = 0
    memory_limit_in_bytes: int = 0
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    build_cost_model: int = 0
    rewrites: tuple = tuple(_SWITCHES)
    visible_device_list: str = ""
    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    disable_cuda_graphs: bool = False
    device_filters: tuple = ()

    @classmethod
    def of(cls, config):
        """Those that a ConfigProto gives; the defaults for None.

        Raises:
          TypeError: It is something else.
        """
        if config is None:
            return cls()
        message = protos.as_message(protos.ConfigProto, config)
        if not isinstance(message, protos.ConfigProto):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        return cls(
            cpus=message.device_count.get("CPU", 1),
            gpus=message.device_count.get("GPU", 64),
            intra_op_parallelism_threads=message.intra_op_parallelism_threads,
            inter_op_parallelism_threads=message.inter_op_parallelism_threads,
            operation_timeout_in_ms=message.operation_timeout_in_ms,
            memory_limit_in_bytes=message.memory_limit_in_bytes,
            allow_soft_placement=message.allow_soft_placement,
            log_device_placement=message.log_device_placement,
            build_cost_model=message.graph_options.build_cost_model,
            rewrites=_rewrites_of(message.graph_options),
            visible_device_list=message.gpu_options.visible_device_list,
            per_process_gpu_memory_fraction=message.gpu_options.per_process_gpu_memory_fraction,
            allow_growth=message.gpu_options.allow_growth,
            disable_cuda_graphs=message.gpu_options.disable_cuda_graphs,
            device_filters=tuple(message.device_filters),
        )


def rewrites_without(switches):
    """The rewrites that are on if these fields of a RewriterConfig turn them off."""
    return tuple(name for name, switch in _SWITCHES.items() if switch not in switches)


def _rewrites_of(graph_options):
    single = graph_options.rewrite_options
    if graph_options.optimizer_options.opt_level == protos.OptimizerOptions.L0 or single.disable_meta_optimizer:
        return ()
    return tuple(name for name, switch in _SWITCHES.items() if getattr(single, switch) != single.OFF)


def number_of_gpus(options=None):
    """How many GPUs a session with these SessionOptions has; None: how many this process has."""
    most = 64 if options is None else options.gpus
    if not most or not gpu_driver.may_be_there():
        return 0
    from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

    if options is None:
        return gpu.count()
    gpu.configure(options.visible_device_list, options.per_process_gpu_memory_fraction, options.allow_growth)
    return min(most, gpu.count())


def cost_placer_of(options):
    """The CostPlacer for SessionOptions, or None."""
    if options.build_cost_model <= 0:
        return None
    from tfcore.compiler.cost import CostPlacer

    return CostPlacer()
