"""CheckpointInputPipelineHook: saves the positions of iterators in checkpoints of their own."""

import os

from tfcore.data.iterator import ITERATORS
from tfcore.data.saveable import IteratorSaveable, check_policy
from tfcore.framework.graph.graph import get_collection
from tfcore.platform import io_gfile, tf_logging
from tfcore.train.checkpoints.checkpoint_management import latest_checkpoint
from tfcore.train.checkpoints.saver import Saver
from tfcore.train.hooks.basic_session_run_hooks import global_step_for
from tfcore.train.hooks.hook_timers import SecondOrStepTimer
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook


class CheckpointInputPipelineHook(SessionRunHook):
    """Saves the positions of a graph's iterators every so many steps or seconds, and restores them.

    The checkpoints are in the folder of the model and called "input.ckpt-STEP", or "input_TYPE_ID.ckpt-STEP" if there
    are several workers, each of which has its own. The file "checkpoint_input" (or "checkpoint_input_TYPE_ID") names
    the latest, so that `tf.train.latest_checkpoint` of the folder is still that of the variables. In the first step of
    a session the hook restores the latest positions, or saves the first ones.

    With `make_saveable_from_iterator` positions are in the same checkpoints as the variables, and so always fit them.

    Args:
      estimator: An object that says where and when to save. It has the attributes `model_dir`, `save_checkpoints_secs`,
        `save_checkpoints_steps` (one of these two is None), `num_worker_replicas`, `task_type` and `task_id`, like
        TensorFlow's `RunConfig`; or `model_dir` and `config`, like its `Estimator`. tfcore has neither class: a
        `types.SimpleNamespace` will do.
      external_state_policy: "fail", "warn" or "ignore"; has no effect.

    Raises:
      ValueError: The policy is none of these; both numbers of steps and of seconds are given, or none; when the session
        is made: the graph has no iterators.
      RuntimeError: When the session is made, the graph has no global step.
    """

    def __init__(self, estimator, external_state_policy=None):
        check_policy(external_state_policy)
        config = getattr(estimator, "config", estimator)
        name = "input"
        if config.num_worker_replicas > 1:
            name += f"_{config.task_type}_{config.task_id}"
        self._folder = estimator.model_dir
        self._save_path = os.path.join(self._folder, name + ".ckpt")
        self._latest_filename = "checkpoint_" + name
        self._timer = SecondOrStepTimer(config.save_checkpoints_secs, config.save_checkpoints_steps)
        self._is_first_step = True

    def begin(self):
        io_gfile.makedirs(self._folder)
        self._global_step = global_step_for(self)
        self._saver = Saver([IteratorSaveable(handle) for handle in get_collection(ITERATORS)], sharded=True)

    def after_create_session(self, session, coord):
        self._is_first_step = True

    def before_run(self, run_context):
        # Not when the session is made: a hook that comes later may initialize the iterators then.
        if self._is_first_step:
            self._is_first_step = False
            self._restore_or_save(run_context.session)
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step)
            if self._timer.should_trigger_for_step(step):
                self._save(run_context.session, step)

    def end(self, session):
        step = session.run(self._global_step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)

    def _restore_or_save(self, session):
        latest = latest_checkpoint(self._folder, self._latest_filename)
        if latest:
            self._saver.restore(session, latest)
        else:
            self._save(session, session.run(self._global_step))

    def _save(self, session, step):
        self._timer.update_last_triggered_step(step)
        tf_logging.info("Saving the positions of iterators for %d into %s.", step, self._save_path)
        self._saver.save(session, self._save_path, step, self._latest_filename, write_meta_graph=False)
