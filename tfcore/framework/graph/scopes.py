"""The scopes of a graph: the state of one thread's `with` blocks, which applies to the operations that it adds."""

import re
import threading

from tfcore.framework.graph.operation import capture_user_frames

VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class Scopes:
    """The scopes that one thread has open on one graph.

    Attributes:
      name: the name scope, without a final "/".
      devices: device names and functions, outermost first; None hides those before it.
      controls: the open `control_dependencies` blocks.
      colocations: operations to colocate with; None hides those before it.
      context: the innermost conditional or loop, or None.
      container: for the state of stateful operations.
      gradient_overrides: {op type: name of another gradient function}.
      original_op: the operation whose gradient new operations belong to, or None.
      frames: the user's frames for new operations; None: captured for each operation.
      creators: functions that create variables, outermost first; belongs to tfcore/variables/creators.py.
      variables: the current variable scope; belongs to tfcore/variables/variable_scope.py.
      strategy_mode: the strategy and replica that this thread is in, or None: tfcore/distribute/replica_context.py.
    """

    __slots__ = (
        "name",
        "devices",
        "controls",
        "colocations",
        "context",
        "container",
        "gradient_overrides",
        "original_op",
        "creators",
        "frames",
        "variables",
        "strategy_mode",
    )

    def __init__(self):
        for field, value in _OUTERMOST.items():
            setattr(self, field, value)
        self.frames = None
        self.variables = None
        self.creators = ()
        self.strategy_mode = None

    def replaced(self, **fields):
        """A context manager that sets these fields and restores them at the end."""
        return _Replaced(self, fields)

    def outermost(self):
        """A context manager that leaves all scopes, except for `frames` and the variable scope."""
        return _Replaced(self, _OUTERMOST)

    def with_user_frames(self):
        """A context manager that captures the user's current frames once, for all operations in the block."""
        return _Replaced(self, {"frames": self.user_frames()})

    def user_frames(self):
        """The user's frames for a new operation."""
        return self.frames or capture_user_frames()

    def affect_operations(self):
        """Whether an open scope affects more than the names of operations."""
        return bool(self.devices or self.controls or self.colocations or self.context or self.gradient_overrides)


_OUTERMOST = {
    "name": "",
    "devices": (),
    "controls": (),
    "colocations": (),
    "context": None,
    "container": "",
    "gradient_overrides": {},
    "original_op": None,
}


class _Replaced:
    """The context manager of `Scopes.replaced`. A class, as a generator would take three times as long."""

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
    """`current` is the Scopes of the calling thread."""

    def __init__(self):
        self.current = Scopes()


class ControlDependencies:
    """One `with graph.control_dependencies(...)` block."""

    __slots__ = ("graph", "ops", "clear", "saved", "saved_context", "seen")

    def __init__(self, graph, ops, clear):
        self.graph = graph
        self.ops = ops
        self.clear = clear
        self.seen = set()  # operations added inside the block, which already carry the dependency

    def __enter__(self):
        scopes = self.graph.scopes
        self.saved = scopes.controls
        if self.clear:
            self.saved_context = scopes.context
            scopes.controls, scopes.context = (), None
        else:
            scopes.controls = (*self.saved, self)
        return self

    def __exit__(self, *exc):
        scopes = self.graph.scopes
        scopes.controls = self.saved
        if self.clear:
            scopes.context = self.saved_context


class NameScope:
    """One `with graph.name_scope(...)` block. A class, as a generator would take three times as long."""

    __slots__ = ("graph", "name", "saved")

    def __init__(self, graph, name):
        self.graph = graph
        self.name = name

    def __enter__(self):
        name, scopes = self.name, self.graph.scopes
        self.saved = saved = scopes.name
        if not name:
            scopes.name = ""
            return ""
        if name[-1] == "/":
            scopes.name = name[:-1]
            return name if len(name) > 1 else ""
        if not (_VALID_SCOPE_NAME if saved else VALID_OP_NAME).match(name):
            raise ValueError(f"'{name}' is not a valid scope name")
        scopes.name = new = self.graph.unique_name(name)
        return new + "/"

    def __exit__(self, *exc):
        self.graph.scopes.name = self.saved
