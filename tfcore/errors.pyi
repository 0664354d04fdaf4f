# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Operation as Operation
from typing import Any as _Any

ABORTED: int

ALREADY_EXISTS: int

class AbortedError(OpError):
    """The operation was aborted, mostly by a concurrent action."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class AlreadyExistsError(OpError):
    """What was to be created exists already."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

CANCELLED: int

class CancelledError(OpError):
    """The step or the operation was cancelled."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

DATA_LOSS: int

DEADLINE_EXCEEDED: int

class DataLossError(OpError):
    """Data was lost or is corrupt."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class DeadlineExceededError(OpError):
    """A time limit ran out."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

FAILED_PRECONDITION: int

class FailedPreconditionError(OpError):
    """The state does not allow it, as with an uninitialized variable."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

INTERNAL: int

INVALID_ARGUMENT: int

class InternalError(OpError):
    """An invariant of the runtime is broken."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class InvalidArgumentError(OpError):
    """An operation was given values that it can't work on."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

NOT_FOUND: int

class NotFoundError(OpError):
    """A file, kernel or resource does not exist."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

OK: int

OUT_OF_RANGE: int

class OpError(builtins.Exception):
    """A step failed. Subclasses say why."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...
    @property
    def error_code(self) -> _Any:
        """The status code, an int."""
    @property
    def message(self) -> _Any:
        """The text of the error."""
    @property
    def node_def(self) -> _Any:
        """The NodeDef of the operation that failed, or None."""
    @property
    def op(self) -> Operation:
        """The `Operation` that failed, or None."""

class OutOfRangeError(OpError):
    """The end of the input was passed."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

PERMISSION_DENIED: int

class PermissionDeniedError(OpError):
    """The system denied permission."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

RESOURCE_EXHAUSTED: int

class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

UNAUTHENTICATED: int

UNAVAILABLE: int

UNIMPLEMENTED: int

UNKNOWN: int

class UnauthenticatedError(OpError):
    """The caller is not known."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class UnavailableError(OpError):
    """A task of the cluster can't be reached."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class UnimplementedError(OpError):
    """The operation is not implemented for this case."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

class UnknownError(OpError):
    """An error of no other class."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, error_code: _Any = None) -> None: ...

def error_code_from_exception_type(cls: _Any) -> int:
    """The status code of an exception class."""

def exception_type_from_error_code(code: _Any) -> _Any:
    """The exception class of a status code."""

def from_code(code: _Any, op: _Any, message: _Any) -> _Any:
    """The exception for a status code of the runtime."""

def location(op: _Any) -> _Any:
    """The last line of an error message, which names the operation that failed."""

def name_in(message: _Any) -> _Any:
    """The name of the operation that `location` wrote into an error message, or None."""

def named(op: _Any) -> _Any:
    """The name, type and source line of an Operation or node."""

def note_cause(step_id: _Any, node: _Any, exception: _Any, text: _Any) -> _Any:
    """Keeps the exception of a Python kernel until its step's error is made."""

def take_cause(step_id: _Any, node: _Any) -> _Any:
    """(exception, text) of the Python kernel at which a step failed, or (None, ""). All others of the step are dropped."""
