"""ConfigProto and its parts as plain objects with TensorFlow's field names and defaults."""


class _Message:
    """Fields with defaults, set by keyword or attribute; a field that does not exist is an error."""

    _fields = {}

    def __init__(self, **values):
        for name, default in self._fields.items():
            object.__setattr__(self, name, default() if callable(default) else default)
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        object.__setattr__(self, name, value)

    def CopyFrom(self, other):  # noqa: N802  the protocol buffers' name
        for name in self._fields:
            object.__setattr__(self, name, getattr(other, name))

    def __eq__(self, other):
        return type(self) is type(other) and all(getattr(self, n) == getattr(other, n) for n in self._fields)

    __hash__ = None

    def __repr__(self):
        changed = [f"{n}={getattr(self, n)!r}" for n in self._fields if getattr(self, n) != type(self)._default(n)]
        return f"{type(self).__name__}({', '.join(changed)})"

    @classmethod
    def _default(cls, name):
        default = cls._fields[name]
        return default() if callable(default) else default


class OptimizerOptions(_Message):
    """Whole-graph switches: `opt_level=L0` turns every rewrite off."""

    L1 = 0
    L0 = -1
    DEFAULT = 0
    OFF = 1
    ON_1 = 1
    ON_2 = 2
    _fields = {
        "do_common_subexpression_elimination": False,
        "do_constant_folding": False,
        "do_function_inlining": False,
        "opt_level": 0,
        "global_jit_level": 0,
        "max_folded_constant_in_bytes": 0,
    }


class RewriterConfig(_Message):
    """Switches for single rewrites: DEFAULT and ON apply them, OFF does not."""

    DEFAULT = 0
    ON = 1
    OFF = 2
    AGGRESSIVE = 3
    NO_MEM_OPT = 1
    _fields = {
        "disable_meta_optimizer": False,
        "constant_folding": 0,
        "arithmetic_optimization": 0,
        "common_subgraph_elimination": 0,
        "remapping": 0,
        "dependency_optimization": 0,
        "memory_optimization": 0,
        "layout_optimizer": 0,
        "shape_optimization": 0,
        "function_optimization": 0,
        "loop_optimization": 0,
        "meta_optimizer_iterations": 0,
    }


class GraphOptions(_Message):
    """Options for rewriting and placing graphs: see `OptimizerOptions`, `RewriterConfig` and `ConfigProto`."""

    _fields = {
        "optimizer_options": OptimizerOptions,
        "rewrite_options": RewriterConfig,
        "enable_recv_scheduling": False,
        "infer_shapes": False,
        "place_pruned_graph": False,
        "build_cost_model": 0,
        "build_cost_model_after": 0,
    }


class GPUOptions(_Message):
    """Options for GPUs, accepted for compatibility."""

    _fields = {
        "per_process_gpu_memory_fraction": 0.0,
        "allow_growth": False,
        "allocator_type": "",
        "visible_device_list": "",
    }


class ConfigProto(_Message):
    """Options of a Session.

    intra_op_parallelism_threads: threads that one operation may use (0: one per core). inter_op_parallelism_threads: 1
    keeps independent operations from running at the same time, except in runs with operations that wait (collectives,
    transfers between devices, your own kernels that suspend or block). operation_timeout_in_ms: time limit of each run
    that sets none itself (0: none). device_count: {"CPU": n} makes n CPU devices, to test programs written for several.
    graph_options.build_cost_model: n > 0 places operations without a device name by cost: first by estimates, after n
    runs by measured times. memory_limit_in_bytes: limit on the memory for tensors of this process while the session is
    open; ResourceExhaustedError beyond it. The allocator belongs to the process, so the smallest limit of all open
    sessions counts.
    """

    _fields = {
        "device_count": dict,
        "intra_op_parallelism_threads": 0,
        "inter_op_parallelism_threads": 0,
        "use_per_session_threads": False,
        "allow_soft_placement": False,
        "log_device_placement": False,
        "gpu_options": GPUOptions,
        "graph_options": GraphOptions,
        "operation_timeout_in_ms": 0,
        "memory_limit_in_bytes": 0,
        "isolate_session_state": False,
        "device_filters": list,
        "placement_period": 0,
    }


class RunOptions(_Message):
    """Options of one run.

    trace_level: other than NO_TRACE fills the run's RunMetadata; all levels record the same.
    timeout_in_ms: time limit, then DeadlineExceededError (0: the session's limit).
    inter_op_thread_pool: -1 keeps independent operations from running at the same time, as
    ConfigProto.inter_op_parallelism_threads=1 does.
    output_partition_graphs: stores the graph that was run in RunMetadata.
    report_tensor_allocations_upon_oom: ignored: the report is always made, at no cost before the error.
    check_numerics: InvalidArgumentError for a fed NaN, and for the first operation that makes NaN or infinity from
    finite inputs. Runs the graph as written, without rewrites, in serial order.
    """

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3
    _fields = {
        "trace_level": 0,
        "timeout_in_ms": 0,
        "inter_op_thread_pool": 0,
        "output_partition_graphs": False,
        "report_tensor_allocations_upon_oom": False,
        "check_numerics": False,
    }


def rewrites_of(config):
    """Names of the compiler's rewrites that are on in a ConfigProto."""
    options = config.graph_options
    single = options.rewrite_options
    if options.optimizer_options.opt_level == OptimizerOptions.L0 or single.disable_meta_optimizer:
        return ()
    switches = {
        "gates": single.dependency_optimization,
        "constant_folding": single.constant_folding,
        "simplification": single.arithmetic_optimization,
        "common_subexpressions": single.common_subgraph_elimination,
        "fusion": single.remapping,
        "loops": single.loop_optimization,
    }
    return tuple(name for name, switch in switches.items() if switch != RewriterConfig.OFF)


def cost_placer_of(config):
    """The CostPlacer for a ConfigProto, or None."""
    if config.graph_options.build_cost_model <= 0:
        return None
    from tfcore.compiler.cost import CostPlacer

    return CostPlacer()
