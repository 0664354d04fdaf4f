"""The scopes of a graph: what `with` blocks of one thread say about the operations that it adds."""

import threading

from tfcore.framework.operation import capture_user_frames


class Scopes:
    """The scopes that one thread has open on one graph.

    Attributes:
      name: the name scope, without a final "/".
      devices: device names and functions, outermost first; None hides those before it.
      controls: the open `control_dependencies` blocks.
      colocations: operations to be placed with; None hides those before it.
      context: the conditional or loop that operations are added to, None outside of all.
      container: for the state of stateful operations.
      gradient_overrides: {op type: name of another gradient function}.
      frames: the user's line that operations carry; None: each finds its own.
      variables: the current variable scope; belongs to tfcore/variables/variable_scope.py.
    """

    __slots__ = (
        "name",
        "devices",
        "controls",
        "colocations",
        "context",
        "container",
        "gradient_overrides",
        "frames",
        "variables",
    )

    def __init__(self):
        for field, value in _OUTERMOST.items():
            setattr(self, field, value)
        self.frames = None
        self.variables = None

    def replaced(self, **fields):
        """A `with` block in which these fields have other values."""
        return _Replaced(self, fields)

    def outermost(self):
        """A `with` block outside of all scopes. Frames and the variable scope stay."""
        return _Replaced(self, _OUTERMOST)

    def with_user_frames(self):
        """A `with` block whose operations all carry the user's present line: found once, not for each of them."""
        return _Replaced(self, {"frames": self.user_frames()})

    def user_frames(self):
        """The user's line that a new operation carries."""
        return self.frames or capture_user_frames()

    def affect_operations(self):
        """Whether an open scope changes more of an operation than its name."""
        return bool(self.devices or self.controls or self.colocations or self.context or self.gradient_overrides)


_OUTERMOST = {
    "name": "",
    "devices": (),
    "controls": (),
    "colocations": (),
    "context": None,
    "container": "",
    "gradient_overrides": {},
}


class _Replaced:
    """Graphs have thousands of such blocks: a generator would take three times as long."""

    __slots__ = ("_scopes", "_fields", "_saved")

    def __init__(self, scopes, fields):
        self._scopes = scopes
        self._fields = fields

    def __enter__(self):
        scopes, self._saved = self._scopes, {}
        for field, value in self._fields.items():
            self._saved[field] = getattr(scopes, field)
            setattr(scopes, field, value)
        return scopes

    def __exit__(self, *exc):
        for field, value in self._saved.items():
            setattr(self._scopes, field, value)


class ThreadScopes(threading.local):
    """`current`: the Scopes of the thread that asks."""

    def __init__(self):
        self.current = Scopes()
