"""ConfigProto, RunOptions and their parts: TensorFlow's messages, with fields of tfcore's own."""

from tfcore.framework.message import Enum, Message
from tfcore.gpu import driver as gpu_driver


class OptimizerOptions(Message):
    """Whole-graph switches: `opt_level=L0` turns every rewrite off."""

    Level = Enum("OptimizerOptions.Level", L1=0, L0=-1)
    GlobalJitLevel = Enum("OptimizerOptions.GlobalJitLevel", DEFAULT=0, OFF=-1, ON_1=1, ON_2=2)
    _schema = """
        bool do_common_subexpression_elimination = 1
        bool do_constant_folding = 2
        Level opt_level = 3
        bool do_function_inlining = 4
        GlobalJitLevel global_jit_level = 5
        int64 max_folded_constant_in_bytes = 6
        bool cpu_global_jit = 7
    """


class AutoParallelOptions(Message):
    """Accepted for compatibility."""

    _schema = """
        bool enable = 1
        int32 num_replicas = 2
    """


class ScopedAllocatorOptions(Message):
    """Accepted for compatibility."""

    _schema = "repeated string enable_op = 1"


class VerifierConfig(Message):
    """Accepted for compatibility."""

    Toggle = Enum("VerifierConfig.Toggle", DEFAULT=0, ON=1, OFF=2)
    _schema = """
        int64 verification_timeout_in_ms = 1
        Toggle structure_verifier = 2
    """


class RewriterConfig(Message):
    """Switches for single rewrites: DEFAULT and ON apply them, OFF does not. Read are those in `rewrites_of`."""

    Toggle = Enum(
        "RewriterConfig.Toggle", DEFAULT=0, ON=1, OFF=2, AGGRESSIVE=3, EXPERIMENTAL_MLIR=4, EXPERIMENTAL_BOTH=5
    )
    CpuLayout = Enum("RewriterConfig.CpuLayout", NO_CONVERSION_ON_CPU=0, NCHW_TO_NHWC=1, NHWC_TO_NCHW=2)
    NumIterationsType = Enum("RewriterConfig.NumIterationsType", DEFAULT_NUM_ITERS=0, ONE=1, TWO=2)
    MemOptType = Enum(
        "RewriterConfig.MemOptType",
        DEFAULT_MEM_OPT=0,
        NO_MEM_OPT=1,
        MANUAL=2,
        SWAPPING_HEURISTICS=4,
        RECOMPUTATION_HEURISTICS=5,
        SCHEDULING_HEURISTICS=6,
        HEURISTICS=3,
    )

    class CustomGraphOptimizer(Message):
        """Accepted for compatibility."""

        _schema = """
            string name = 1
            map<string, AttrValue> parameter_map = 2
        """

    _schema = """
        Toggle layout_optimizer = 1
        bool disable_model_pruning = 2
        Toggle constant_folding = 3
        MemOptType memory_optimization = 4
        AutoParallelOptions auto_parallel = 5
        string memory_optimizer_target_node_name_scope = 6
        Toggle arithmetic_optimization = 7
        Toggle dependency_optimization = 8
        Toggle loop_optimization = 9
        Toggle function_optimization = 10
        Toggle debug_stripper = 11
        NumIterationsType meta_optimizer_iterations = 12
        Toggle shape_optimization = 13
        Toggle remapping = 14
        Toggle scoped_allocator_optimization = 15
        ScopedAllocatorOptions scoped_allocator_opts = 16
        int32 min_graph_nodes = 17
        Toggle pin_to_host_optimization = 18
        bool disable_meta_optimizer = 19
        int64 meta_optimizer_timeout_ms = 20
        bool fail_on_optimizer_errors = 21
        Toggle implementation_selector = 22
        Toggle auto_mixed_precision = 23
        Toggle common_subgraph_elimination = 24
        Toggle auto_mixed_precision_mkl = 25
        bool experimental_disable_compressed_tensor_optimization = 26
        bool experimental_disable_folding_quantization_emulation = 27
        Toggle use_plugin_optimizers = 28
        Toggle auto_mixed_precision_cpu = 29
        Toggle experimental_conditional_code_motion = 30
        Toggle auto_mixed_precision_onednn_bfloat16 = 31
        bool disable_tfg_optimizer = 32
        CpuLayout cpu_layout_conversion = 50
        repeated string optimizers = 100
        repeated CustomGraphOptimizer custom_optimizers = 200
        VerifierConfig inter_optimizer_verifier_config = 300
        VerifierConfig post_optimization_verifier_config = 301
    """


class GraphOptions(Message):
    """Options for rewriting and placing graphs: see `OptimizerOptions`, `RewriterConfig` and `ConfigProto`."""

    _schema = """
        bool enable_recv_scheduling = 2
        OptimizerOptions optimizer_options = 3
        int64 build_cost_model = 4
        bool infer_shapes = 5
        bool place_pruned_graph = 6
        bool enable_bfloat16_sendrecv = 7
        int32 timeline_step = 8
        int64 build_cost_model_after = 9
        RewriterConfig rewrite_options = 10
    """


class GPUOptions(Message):
    """Options for GPUs; those of the first session that uses one, or of the server, hold for the process.

    per_process_gpu_memory_fraction: how much of a GPU's memory may be used; it is reserved when the GPU is first used,
    or with allow_growth as it is needed. 0: all may be used, and is reserved as it is needed. visible_device_list: the
    GPUs to use and their order, e.g. "1,0". disable_cuda_graphs, which only tfcore has, holds for one session: by
    default, what a run does on a GPU is recorded as a CUDA graph once the run has been repeated with feeds of the same
    shapes, and replayed from then on; its memory stays reserved. The others are accepted for compatibility.
    """

    class Experimental(Message):
        """Accepted for compatibility."""

        class VirtualDevices(Message):
            """Accepted for compatibility."""

            _schema = """
                repeated float memory_limit_mb = 1
                repeated int32 priority = 2
                repeated int32 device_ordinal = 3
            """

        class StreamMergeOptions(Message):
            """Accepted for compatibility."""

            _schema = """
                bool merge_host_to_device_stream = 1
                bool merge_device_to_host_stream = 2
                bool merge_device_to_device_stream = 3
            """

        _schema = """
            repeated VirtualDevices virtual_devices = 1
            bool use_unified_memory = 2
            int32 num_dev_to_dev_copy_streams = 3
            string collective_ring_order = 4
            bool timestamped_allocator = 5
            int32 kernel_tracker_max_interval = 7
            int32 kernel_tracker_max_bytes = 8
            int32 kernel_tracker_max_pending = 9
            double internal_fragmentation_fraction = 10
            bool use_cuda_malloc_async = 11
            bool disallow_retry_on_allocation_failure = 12
            float gpu_host_mem_limit_in_mb = 13
            bool gpu_host_mem_disallow_growth = 14
            int32 num_virtual_devices_per_gpu = 15
            int32 gpu_system_memory_size_in_mb = 16
            bool populate_pjrt_gpu_client_creation_info = 17
            int32 node_id = 18
            StreamMergeOptions stream_merge_options = 19
        """

    _schema = """
        double per_process_gpu_memory_fraction = 1
        string allocator_type = 2
        int64 deferred_deletion_bytes = 3
        bool allow_growth = 4
        string visible_device_list = 5
        int32 polling_active_delay_usecs = 6
        int32 polling_inactive_delay_msecs = 7
        bool force_gpu_compatible = 8
        Experimental experimental = 9
        bool disable_cuda_graphs = 100001
    """


class ThreadPoolOptionProto(Message):
    """Accepted for compatibility."""

    _schema = """
        int32 num_threads = 1
        string global_name = 2
    """


class RPCOptions(Message):
    """Accepted for compatibility."""

    _schema = """
        bool use_rpc_for_inprocess_master = 1
        string compression_algorithm = 2
        int32 compression_level = 3
        bool cache_rpc_response = 4
        bool disable_session_connection_sharing = 5
        int32 num_channels_per_target = 6
    """


class SessionMetadata(Message):
    """The name and version of what a session runs, for the user's own records."""

    _schema = """
        string name = 1
        int64 version = 2
    """


class CoordinatedJob(Message):
    """Accepted for compatibility."""

    _schema = """
        string name = 1
        int32 num_tasks = 2
    """


class CoordinationServiceConfig(Message):
    """Accepted for compatibility."""

    _schema = """
        string service_type = 1
        string service_leader = 2
        bool enable_health_check = 3
        int64 cluster_register_timeout_in_ms = 4
        int64 heartbeat_timeout_in_ms = 5
        int64 shutdown_barrier_timeout_in_ms = 7
        bool agent_destruction_without_shutdown = 8
        repeated string recoverable_jobs = 9
        repeated CoordinatedJob coordinated_job_list = 10
        bool allow_new_incarnation_to_reconnect = 11
        bool force_disable = 12
        bool poll_for_error_from_service_at_startup = 13
        bool cluster_register_with_barrier = 14
    """


class ConfigProto(Message):
    """Options of a Session.

    intra_op_parallelism_threads: threads that one operation may use (0: one per core). inter_op_parallelism_threads: 1
    keeps independent operations from running at the same time, except in runs with operations that wait (collectives,
    transfers between devices, your own kernels that suspend or block). operation_timeout_in_ms: time limit of each run
    that sets none itself (0: none). device_count: {"CPU": n} makes n CPU devices, to test programs written for several.
    graph_options.build_cost_model: n > 0 places operations without a device name by cost: first by estimates, after n
    runs by measured times. memory_limit_in_bytes, which TensorFlow lacks: limit on the memory for tensors of this
    process while the session is open; ResourceExhaustedError beyond it. The allocator belongs to the process, so the
    smallest limit of all open sessions counts.
    """

    class Experimental(Message):
        """Accepted for compatibility."""

        MlirBridgeRollout = Enum(
            "ConfigProto.Experimental.MlirBridgeRollout",
            MLIR_BRIDGE_ROLLOUT_UNSPECIFIED=0,
            MLIR_BRIDGE_ROLLOUT_ENABLED=1,
            MLIR_BRIDGE_ROLLOUT_DISABLED=2,
        )
        _schema = """
            string collective_group_leader = 1
            string executor_type = 3
            int32 recv_buf_max_chunk = 4
            bool use_numa_affinity = 5
            bool collective_deterministic_sequential_execution = 6
            bool collective_nccl = 7
            bool share_session_state_in_clusterspec_propagation = 8
            bool disable_thread_spinning = 9
            bool share_cluster_devices_in_session = 10
            SessionMetadata session_metadata = 11
            bool optimize_for_static_graph = 12
            bool enable_mlir_bridge = 13
            bool disable_output_partition_graphs = 14
            int64 xla_fusion_autotuner_thresh = 15
            bool enable_mlir_graph_optimization = 16
            MlirBridgeRollout mlir_bridge_rollout = 17
            bool use_tfrt = 18
            bool disable_functional_ops_lowering = 21
            bool xla_prefer_single_graph_cluster = 22
            CoordinationServiceConfig coordination_config = 23
            bool disable_optimize_for_static_graph = 24
            bool disable_eager_executor_streaming_enqueue = 26
            bool enable_multi_host = 27
            int32 backend_server_port = 28
            bool target_tpu = 29
            bool target_gpu = 30
            int32 stream_merge_threshold = 31
            bool tfrt_use_ifrt = 32
            bool finalize_function_library_runtime = 33
            bool finalize_resource_manager = 34
            string tf2xla_dump_dir = 35
            bool online_cost_analysis = 36
        """

    _schema = """
        map<string, int32> device_count = 1
        int32 intra_op_parallelism_threads = 2
        int32 placement_period = 3
        repeated string device_filters = 4
        int32 inter_op_parallelism_threads = 5
        GPUOptions gpu_options = 6
        bool allow_soft_placement = 7
        bool log_device_placement = 8
        bool use_per_session_threads = 9
        GraphOptions graph_options = 10
        int64 operation_timeout_in_ms = 11
        repeated ThreadPoolOptionProto session_inter_op_thread_pool = 12
        RPCOptions rpc_options = 13
        ClusterDef cluster_def = 14
        bool isolate_session_state = 15
        Experimental experimental = 16
        bool share_cluster_devices_in_session = 17
        GPUOptions pluggable_device_options = 18
        int64 memory_limit_in_bytes = 100001
    """


class DebugTensorWatch(Message):
    """Accepted for compatibility."""

    _schema = """
        string node_name = 1
        int32 output_slot = 2
        repeated string debug_ops = 3
        repeated string debug_urls = 4
        bool tolerate_debug_op_creation_failures = 5
    """


class DebugOptions(Message):
    """Accepted for compatibility."""

    _schema = """
        repeated DebugTensorWatch debug_tensor_watch_opts = 4
        int64 global_step = 10
        bool reset_disk_byte_usage = 11
    """


class RunOptions(Message):
    """Options of one run.

    trace_level: other than NO_TRACE fills the run's RunMetadata; all levels record the same.
    timeout_in_ms: time limit, then DeadlineExceededError (0: the session's limit).
    inter_op_thread_pool: -1 keeps independent operations from running at the same time, as
    ConfigProto.inter_op_parallelism_threads=1 does.
    output_partition_graphs: stores the graph that was run in RunMetadata.
    report_tensor_allocations_upon_oom: ignored: the report is always made, at no cost before the error.
    check_numerics, which TensorFlow lacks: InvalidArgumentError for a fed NaN, and for the first operation that makes
    NaN or infinity from finite inputs. Runs the graph as written, without rewrites, in serial order.
    """

    TraceLevel = Enum("RunOptions.TraceLevel", NO_TRACE=0, SOFTWARE_TRACE=1, HARDWARE_TRACE=2, FULL_TRACE=3)

    class Experimental(Message):
        """The priority in run_handler_pool_options; the rest is accepted for compatibility."""

        class RunHandlerPoolOptions(Message):
            """priority: below 0, operations that take long and can, as saving does, leave the machine to other runs."""

            _schema = "int64 priority = 1"

        _schema = """
            int64 collective_graph_key = 1
            bool use_run_handler_pool = 2
            RunHandlerPoolOptions run_handler_pool_options = 3
        """

    _schema = """
        TraceLevel trace_level = 1
        int64 timeout_in_ms = 2
        int32 inter_op_thread_pool = 3
        bool output_partition_graphs = 5
        DebugOptions debug_options = 6
        bool report_tensor_allocations_upon_oom = 7
        Experimental experimental = 8
        bool check_numerics = 100001
    """


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


def number_of_gpus(config=None):
    """How many GPUs a session with this ConfigProto has; None: how many this process has."""
    most = 64 if config is None else config.device_count.get("GPU", 64)
    if not most or not gpu_driver.may_be_there():
        return 0
    from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

    if config is None:
        return gpu.count()
    options = config.gpu_options
    gpu.configure(options.visible_device_list, options.per_process_gpu_memory_fraction, options.allow_growth)
    return min(most, gpu.count())


def cost_placer_of(config):
    """The CostPlacer for a ConfigProto, or None."""
    if config.graph_options.build_cost_model <= 0:
        return None
    from tfcore.compiler.cost import CostPlacer

    return CostPlacer()
