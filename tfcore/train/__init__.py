"""The namespace tf.train: optimizers, learning-rate schedules, moving averages, the global step."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.train import training_util
from tfcore.train.optimizers import allreduce_optimizer, device_setter, learning_rate_decay, moving_averages
from tfcore.train.optimizers import update_rules as optimizers
from tfcore.train.optimizers.allreduce_optimizer import *  # noqa: F403
from tfcore.train.optimizers.device_setter import *  # noqa: F403
from tfcore.train.optimizers.learning_rate_decay import *  # noqa: F403
from tfcore.train.optimizers.moving_averages import *  # noqa: F403
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.optimizers.update_rules import *  # noqa: F403
from tfcore.train.training_util import *  # noqa: F403

__all__ = [
    "Optimizer",
    *allreduce_optimizer.__all__,
    *device_setter.__all__,
    *learning_rate_decay.__all__,
    *moving_averages.__all__,
    *optimizers.__all__,
    *training_util.__all__,
]

_CHECKPOINT_MANAGEMENT = (
    "checkpoint_exists",
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "get_checkpoint_state",
    "latest_checkpoint",
    "remove_checkpoint",
    "update_checkpoint_state",
)
_CHECKPOINT_UTILS = (
    "checkpoints_iterator",
    "init_from_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
)

_HOOKS = (
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
)

# Imported on first use: many programs do without, and some need protocol buffers.
__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        "Checkpoint": "tfcore.train.checkpoints.checkpoint",
        "CheckpointManager": "tfcore.train.checkpoints.checkpoint_manager",
        "ChiefSessionCreator": "tfcore.train.sessions.session_creator",
        **dict.fromkeys(
            (
                "BytesList",
                "ClusterDef",
                "Example",
                "Feature",
                "FeatureList",
                "FeatureLists",
                "Features",
                "FloatList",
                "Int64List",
                "JobDef",
                "SaverDef",
                "SequenceExample",
            ),
            "tfcore.framework.protos",
        ),
        "ClusterSpec": "tfcore.distributed.cluster.cluster",
        "Coordinator": "tfcore.train.threads.coordinator",
        "LooperThread": "tfcore.train.threads.coordinator",
        "Server": "tfcore.distributed.task.server",
        "ServerDef": "tfcore.distributed.cluster.cluster",
        "MonitoredTrainingSession": "tfcore.train.sessions.monitored_training_session",
        "ProfilerHook": "tfcore.train.hooks.profiler_hook",
        "Scaffold": "tfcore.train.sessions.scaffold",
        "SessionCreator": "tfcore.train.sessions.session_creator",
        "SessionManager": "tfcore.train.sessions.session_manager",
        "SessionRunArgs": "tfcore.train.session_run_hook",
        "SessionRunContext": "tfcore.train.session_run_hook",
        "SessionRunHook": "tfcore.train.session_run_hook",
        "SessionRunValues": "tfcore.train.session_run_hook",
        "Supervisor": "tfcore.train.sessions.supervisor",
        "SyncReplicasOptimizer": "tfcore.train.optimizers.sync_replicas_optimizer",
        "WorkerSessionCreator": "tfcore.train.sessions.session_creator",
        "basic_train_loop": "tfcore.train.sessions.supervisor",
        "export_meta_graph": "tfcore.train.checkpoints.saver",
        "import_meta_graph": "tfcore.train.checkpoints.saver",
        "NewCheckpointReader": "tfcore.io.checkpoint_reader",
        "Saver": "tfcore.train.checkpoints.saver",
        **dict.fromkeys(_CHECKPOINT_MANAGEMENT, "tfcore.train.checkpoints.checkpoint_management"),
        **dict.fromkeys(_HOOKS, "tfcore.train.hooks.basic_session_run_hooks"),
        **dict.fromkeys(("CheckpointSaverHook", "CheckpointSaverListener"), "tfcore.train.hooks.checkpoint_saver_hook"),
        **dict.fromkeys(("MonitoredSession", "SingularMonitoredSession"), "tfcore.train.sessions.monitored_session"),
        **dict.fromkeys(("NeverTriggerTimer", "SecondOrStepTimer"), "tfcore.train.hooks.hook_timers"),
        **dict.fromkeys(_CHECKPOINT_UTILS, "tfcore.train.checkpoints.checkpoint_utils"),
        **dict.fromkeys(
            ("checkpoint_to_safetensors", "safetensors_to_checkpoint"), "tfcore.train.checkpoints.safetensors_files"
        ),
        "QueueRunner": "tfcore.train.threads.queue_runner",
        "add_queue_runner": "tfcore.train.threads.queue_runner",
        "queue_runner": "tfcore.train.threads.queue_runner.",
        "start_queue_runners": "tfcore.train.threads.queue_runner",
        **dict.fromkeys(("VocabInfo", "warm_start"), "tfcore.train.checkpoints.warm_starting"),
        "read_graph": "tfcore.framework.exchange.graph_io",
        "write_graph": "tfcore.framework.exchange.graph_io",
    },
)
