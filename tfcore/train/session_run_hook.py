"""Hooks: what runs before and after each step of a session, and what is passed to them."""

import collections


class SessionRunHook:
    """Base class of hooks, whose methods are called around the steps of a session. Here they do nothing.

    Example:

    >>> class CountSteps(tf.train.SessionRunHook):
    ...     steps = 0
    ...     def after_run(self, run_context, run_values):
    ...         self.steps += 1
    """

    def begin(self):
        """Called once, before there is a session. Operations may be added to the default graph only here."""

    def after_create_session(self, session, coord):
        """Called when a session has been created, also when one has replaced a session that failed.

        Args:
          session: The `Session`. Its graph is finalized.
          coord: The coordinator of the threads of the program.
        """

    def before_run(self, run_context):
        """Called before each step.

        Args:
          run_context: A `SessionRunContext`: what the program passed to `run`, and the session.

        Returns:
          A `SessionRunArgs` with what the step shall compute besides, or None.
        """
        return None

    def after_run(self, run_context, run_values):
        """Called after each step, unless it raised an error.

        Args:
          run_context: The `SessionRunContext` that `before_run` got. Its `request_stop` ends the loop.
          run_values: A `SessionRunValues`, with the values of what `before_run` asked for.
        """

    def end(self, session):
        """Called before the session is closed, unless a step raised an error other than one for the end of the input.

        Args:
          session: The `Session`.
        """


class CleanUpHook(SessionRunHook):
    """A hook that is also told when a session has ended with an error, as TensorFlow's are not."""

    def clean_up(self):
        """Called when a session has been closed, or could not be created."""


class SessionRunArgs(collections.namedtuple("SessionRunArgs", "fetches feed_dict options", defaults=(None, None))):
    """What a step computes: the arguments of `Session.run`.

    Args:
      fetches: What to compute: a `Tensor`, `Operation`, or a nested structure of them.
      feed_dict: Values for placeholders and other tensors (optional).
      options: A `RunOptions` (optional).
    """

    __slots__ = ()


class SessionRunContext:
    """What a hook learns about a step.

    Args:
      original_args: A `SessionRunArgs`: what the program passed to `run`.
      session: The `Session`.
    """

    def __init__(self, original_args, session):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        """The `SessionRunArgs` that the program passed to `run`, without what hooks have added."""
        return self._original_args

    @property
    def session(self):
        """The `Session` that runs the step."""
        return self._session

    @property
    def stop_requested(self):
        """Whether a hook has asked for the end of the loop."""
        return self._stop_requested

    def request_stop(self):
        """Asks for the end of the loop after this step."""
        self._stop_requested = True


class SessionRunValues(collections.namedtuple("SessionRunValues", "results options run_metadata")):
    """What a step has computed for a hook.

    Args:
      results: The values of the hook's fetches, in the same structure.
      options: The `RunOptions` of the step.
      run_metadata: The `RunMetadata` of the step.
    """

    __slots__ = ()
