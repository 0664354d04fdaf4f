"""The namespace tf.train: optimizers, learning-rate schedules, moving averages, the global step."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.train import (
    allreduce_optimizer,
    device_setter,
    learning_rate_decay,
    moving_averages,
    optimizers,
    training_util,
)
from tfcore.train.allreduce_optimizer import *  # noqa: F403
from tfcore.train.device_setter import *  # noqa: F403
from tfcore.train.learning_rate_decay import *  # noqa: F403
from tfcore.train.moving_averages import *  # noqa: F403
from tfcore.train.optimizer import Optimizer
from tfcore.train.optimizers import *  # noqa: F403
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
        "Checkpoint": "tfcore.train.checkpoint",
        "CheckpointManager": "tfcore.train.checkpoint_manager",
        "ChiefSessionCreator": "tfcore.train.session_creator",
        "ClusterDef": "tfcore.framework.proto",
        "ClusterSpec": "tfcore.distributed.cluster",
        "Coordinator": "tfcore.train.coordinator",
        "JobDef": "tfcore.framework.proto",
        "SaverDef": "tfcore.framework.proto",
        "LooperThread": "tfcore.train.coordinator",
        "Server": "tfcore.distributed.server",
        "ServerDef": "tfcore.distributed.cluster",
        "MonitoredTrainingSession": "tfcore.train.monitored_training_session",
        "ProfilerHook": "tfcore.train.profiler_hook",
        "Scaffold": "tfcore.train.scaffold",
        "SessionCreator": "tfcore.train.session_creator",
        "SessionManager": "tfcore.train.session_manager",
        "SessionRunArgs": "tfcore.train.session_run_hook",
        "SessionRunContext": "tfcore.train.session_run_hook",
        "SessionRunHook": "tfcore.train.session_run_hook",
        "SessionRunValues": "tfcore.train.session_run_hook",
        "Supervisor": "tfcore.train.supervisor",
        "SyncReplicasOptimizer": "tfcore.train.sync_replicas_optimizer",
        "WorkerSessionCreator": "tfcore.train.session_creator",
        "basic_train_loop": "tfcore.train.supervisor",
        "export_meta_graph": "tfcore.train.saver",
        "import_meta_graph": "tfcore.train.saver",
        "NewCheckpointReader": "tfcore.io.checkpoint_reader",
        "Saver": "tfcore.train.saver",
        **dict.fromkeys(_CHECKPOINT_MANAGEMENT, "tfcore.train.checkpoint_management"),
        **dict.fromkeys(_HOOKS, "tfcore.train.basic_session_run_hooks"),
        **dict.fromkeys(("CheckpointSaverHook", "CheckpointSaverListener"), "tfcore.train.checkpoint_saver_hook"),
        **dict.fromkeys(("MonitoredSession", "SingularMonitoredSession"), "tfcore.train.monitored_session"),
        **dict.fromkeys(("NeverTriggerTimer", "SecondOrStepTimer"), "tfcore.train.hook_timers"),
        **dict.fromkeys(_CHECKPOINT_UTILS, "tfcore.train.checkpoint_utils"),
        **dict.fromkeys(("checkpoint_to_safetensors", "safetensors_to_checkpoint"), "tfcore.train.safetensors_files"),
        "QueueRunner": "tfcore.train.queue_runner",
        "add_queue_runner": "tfcore.train.queue_runner",
        "queue_runner": "tfcore.train.queue_runner.",
        "start_queue_runners": "tfcore.train.queue_runner",
        **dict.fromkeys(("VocabInfo", "warm_start"), "tfcore.train.warm_starting"),
        "read_graph": "tfcore.framework.graph_io",
        "write_graph": "tfcore.framework.graph_io",
    },
)
