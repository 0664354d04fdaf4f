"""The stack of default sessions, which `Tensor.eval` and `Operation.run` use unless they are given a session."""

import threading

_thread = threading.local()


def default_sessions():
    """The default sessions of this thread, the innermost last."""
    stack = getattr(_thread, "sessions", None)
    if stack is None:
        stack = _thread.sessions = []
    return stack


def get_default_session():
    """The innermost default session of this thread: the one that `Tensor.eval` and `Operation.run` use.

    Returns:
      A `Session`, or None.
    """
    stack = default_sessions()
    return stack[-1] if stack else None


class DefaultSession:
    """A `with` block in which a session is the thread's default."""

    def __init__(self, session):
        self._session = session

    def __enter__(self):
        default_sessions().append(self._session)
        return self._session

    def __exit__(self, *exc):
        stack = default_sessions()
        if not stack or stack[-1] is not self._session:
            raise AssertionError("Nesting violated for default stack of sessions")
        stack.pop()


def eval_in_session(verb, element, feed_dict, session, graph):
    """The implementation of Tensor.eval and Operation.run; `verb` is "eval" or "run"."""
    if session is None:
        session = get_default_session()
        what = "evaluate tensor using `eval()`" if verb == "eval" else "execute operation using `run()`"
        if session is None:
            raise ValueError(
                f"Cannot {what}: No default session is registered. Use `with sess.as_default()` or pass an explicit "
                f"session to `{verb}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {what.split(' using')[0]}: the {what.split()[1]}'s graph is "
                f"different from the session's graph. Pass an explicit session to `{verb}(session=sess)`."
            )
    elif session.graph is not graph:
        what = "evaluate tensor: the tensor's" if verb == "eval" else "execute operation: the operation's"
        raise ValueError(f"Cannot use the given session to {what} graph is different from the session's graph.")
    return session.run(element, feed_dict)
