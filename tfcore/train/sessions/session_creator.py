"""Session creators: how a monitored session gets its sessions, the first one and those that replace it."""

import abc

from tfcore.framework.graph.graph import get_default_graph
from tfcore.train.sessions.scaffold import Scaffold
from tfcore.train.sessions.session_manager import SessionManager


class SessionCreator(abc.ABC):
    """Base class of what makes the sessions of a `MonitoredSession`."""

    @abc.abstractmethod
    def create_session(self):
        """Makes a session; called again when one has failed.

        Returns:
          A `Session`, ready to be used.
        """


class _ScaffoldSessionCreator(SessionCreator):
    """Has a scaffold, and the session manager for its operations."""

    def __init__(self, scaffold, master, config):
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._session_manager = None

    def _get_session_manager(self):
        """The session manager; the operations are made when it is first needed."""
        if self._session_manager is None:
            scaffold = self._scaffold.finalize()
            self._session_manager = SessionManager(
                local_init_op=scaffold.local_init_op,
                local_init_feed_dict=scaffold.local_init_feed_dict,
                ready_op=scaffold.ready_op,
                ready_for_local_init_op=scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_ScaffoldSessionCreator):
    """Makes the sessions of the task that initializes or restores the variables.

    Args:
      scaffold: A `Scaffold` (optional).
      master: Target of the sessions: "" or that of a `tf.train.Server`.
      config: A `ConfigProto` (optional).
      checkpoint_dir: Folder whose latest checkpoint is restored, if there is one (optional).
      checkpoint_filename_with_path: Prefix of the checkpoint to restore instead (optional).
    """

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self):
        """Makes a session whose variables are restored, or else initialized.

        Returns:
          A `Session`.

        Raises:
          RuntimeError: The model was not ready afterwards.
          tf.errors.OpError: An operation failed.
        """
        manager = self._get_session_manager()
        return manager.prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


class WorkerSessionCreator(_ScaffoldSessionCreator):
    """Makes the sessions of the other tasks, which wait for the chief.

    Args:
      scaffold: A `Scaffold` (optional).
      master: Target of the sessions: that of a `tf.train.Server`.
      config: A `ConfigProto` (optional).
      max_wait_secs: Seconds to wait for the chief, at most.
    """

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60):
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self):
        """Makes a session when the variables are initialized.

        Returns:
          A `Session`.

        Raises:
          tf.errors.DeadlineExceededError: The chief has not initialized them in time.
          tf.errors.OpError: An operation failed.
        """
        manager = self._get_session_manager()
        return manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)
