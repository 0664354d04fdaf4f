# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import OpError as OpError
from typing import Any as _Any

__all__ = [
'ABORTED', 'ALREADY_EXISTS', 'AbortedError', 'AlreadyExistsError', 'CANCELLED', 'CancelledError', 'DATA_LOSS',
'DEADLINE_EXCEEDED', 'DataLossError', 'DeadlineExceededError', 'FAILED_PRECONDITION', 'FailedPreconditionError',
'INTERNAL', 'INVALID_ARGUMENT', 'InternalError', 'InvalidArgumentError', 'NOT_FOUND', 'NotFoundError', 'OK',
'OUT_OF_RANGE', 'OpError', 'OutOfRangeError', 'PERMISSION_DENIED', 'PermissionDeniedError', 'RESOURCE_EXHAUSTED',
'ResourceExhaustedError', 'UNAUTHENTICATED', 'UNAVAILABLE', 'UNIMPLEMENTED', 'UNKNOWN', 'UnauthenticatedError',
'UnavailableError', 'UnimplementedError', 'UnknownError', 'error_code_from_exception_type',
'exception_type_from_error_code', 'raise_exception_on_not_ok_status'
]

ABORTED: int

ALREADY_EXISTS: int

class AbortedError(OpError):
    """The operation was aborted, mostly by a concurrent action."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class AlreadyExistsError(OpError):
    """What was to be created exists already."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

CANCELLED: int

class CancelledError(OpError):
    """The step or the operation was cancelled."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

DATA_LOSS: int

DEADLINE_EXCEEDED: int

class DataLossError(OpError):
    """Data was lost or is corrupt."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class DeadlineExceededError(OpError):
    """A time limit ran out."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

FAILED_PRECONDITION: int

class FailedPreconditionError(OpError):
    """The state does not allow it, as with an uninitialized variable."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

INTERNAL: int

INVALID_ARGUMENT: int

class InternalError(OpError):
    """An invariant of the runtime is broken."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class InvalidArgumentError(OpError):
    """An operation was given values that it can't work on."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

NOT_FOUND: int

class NotFoundError(OpError):
    """A file, kernel or resource does not exist."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

OK: int

OUT_OF_RANGE: int

class OutOfRangeError(OpError):
    """The end of the input was passed."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

PERMISSION_DENIED: int

class PermissionDeniedError(OpError):
    """The system denied permission."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

RESOURCE_EXHAUSTED: int

class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

UNAUTHENTICATED: int

UNAVAILABLE: int

UNIMPLEMENTED: int

UNKNOWN: int

class UnauthenticatedError(OpError):
    """The caller is not known."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class UnavailableError(OpError):
    """A task of the cluster can't be reached."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class UnimplementedError(OpError):
    """The operation is not implemented for this case."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

class UnknownError(OpError):
    """An error of no other class."""
    def __init__(self, node_def: _Any, op: _Any, message: _Any, *args: _Any) -> None: ...

def error_code_from_exception_type(cls: _Any) -> int:
    """The status code of an exception class."""

def exception_type_from_error_code(error_code: _Any) -> _Any:
    """The exception class of a status code."""

class raise_exception_on_not_ok_status:
    """A context manager that raises the error that its block has put into a status."""
    def __enter__(self) -> raise_exception_on_not_ok_status: ...
    def __exit__(self, kind: _Any, value: _Any, traceback: _Any) -> None: ...
    code: _Any
    message: _Any
