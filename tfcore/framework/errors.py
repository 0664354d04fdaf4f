"""TensorFlow's exception classes, one for each status code, and the format of operations in error messages."""

import re

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "INTERNAL",
    "INVALID_ARGUMENT", "NOT_FOUND", "OK", "OUT_OF_RANGE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED",
    "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN",
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError",
    "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError",
    "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError",
    "UnknownError", "error_code_from_exception_type", "exception_type_from_error_code",
    "raise_exception_on_not_ok_status",
]  # fmt: skip

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """A step failed. Subclasses say why.

    Args:
      node_def: The NodeDef of the operation that failed, or None.
      op: The `Operation` that failed, or None.
      message: The text of the error.
      error_code: The status code; subclasses have their own and no such argument.
      *args: A dict of further details (optional).
    """

    _code = UNKNOWN

    def __init__(self, node_def, op, message, error_code, *args):
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = args[0] if args else {}

    def __reduce__(self):
        # Operations cannot be pickled: only texts and the code travel between processes.
        return _unpickle, (type(self), self._message, self._error_code, self._experimental_payloads)

    @property
    def message(self):
        """The text of the error."""
        return self._message

    @property
    def op(self):
        """The `Operation` that failed, or None."""
        return self._op

    @property
    def error_code(self):
        """The status code, an int."""
        return self._error_code

    @property
    def experimental_payloads(self):
        """A dict of further details, empty by default."""
        return self._experimental_payloads

    @property
    def node_def(self):
        """The NodeDef of the operation that failed, or None."""
        if self._node_def is None and self._op is not None:
            return self._op.node_def
        return self._node_def

    def __str__(self):
        return self._message


def _unpickle(cls, message, code, payloads):
    error = cls.__new__(cls)
    OpError.__init__(error, None, None, message, code, payloads)
    return error


def _error(name, code, doc):
    def __init__(self, node_def, op, message, *args):  # noqa: N807
        OpError.__init__(self, node_def, op, message, code, *args)

    return type(name, (OpError,), {"_code": code, "__doc__": doc, "__init__": __init__, "__module__": __name__})


CancelledError = _error("CancelledError", CANCELLED, "The step or the operation was cancelled.")
UnknownError = _error("UnknownError", UNKNOWN, "An error of no other class.")
InvalidArgumentError = _error(
    "InvalidArgumentError", INVALID_ARGUMENT, "An operation was given values that it can't work on."
)
DeadlineExceededError = _error("DeadlineExceededError", DEADLINE_EXCEEDED, "A time limit ran out.")
NotFoundError = _error("NotFoundError", NOT_FOUND, "A file, kernel or resource does not exist.")
AlreadyExistsError = _error("AlreadyExistsError", ALREADY_EXISTS, "What was to be created exists already.")
PermissionDeniedError = _error("PermissionDeniedError", PERMISSION_DENIED, "The system denied permission.")
UnauthenticatedError = _error("UnauthenticatedError", UNAUTHENTICATED, "The caller is not known.")
ResourceExhaustedError = _error("ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory or another resource ran out.")
FailedPreconditionError = _error(
    "FailedPreconditionError", FAILED_PRECONDITION, "The state does not allow it, as with an uninitialized variable."
)
AbortedError = _error("AbortedError", ABORTED, "The operation was aborted, mostly by a concurrent action.")
OutOfRangeError = _error("OutOfRangeError", OUT_OF_RANGE, "The end of the input was passed.")
UnimplementedError = _error("UnimplementedError", UNIMPLEMENTED, "The operation is not implemented for this case.")
InternalError = _error("InternalError", INTERNAL, "An invariant of the runtime is broken.")
UnavailableError = _error("UnavailableError", UNAVAILABLE, "A task of the cluster can't be reached.")
DataLossError = _error("DataLossError", DATA_LOSS, "Data was lost or is corrupt.")

_BY_CODE = {
    cls._code: cls
    for cls in list(globals().values())
    if isinstance(cls, type) and issubclass(cls, OpError) and cls is not OpError
}


_causes = {}  # step -> {node: (exception that a Python function raised in it, text for the step's error)}


def note_cause(step_id, node, exception, text):
    """Keeps the exception of a Python kernel until its step's error is made."""
    _causes.setdefault(step_id, {})[node] = exception, text


def take_cause(step_id, node):
    """(exception, text) of the Python kernel at which a step failed, or (None, ""). All others of the step are dropped.

    KeyboardInterrupt and the like take precedence, whichever kernel raised them.
    """
    causes = _causes.pop(step_id, {})
    interrupts = [c for c in causes.values() if not isinstance(c[0], Exception)]
    return interrupts[0] if interrupts else causes.get(node, (None, ""))


# ---- Operations in error messages


def named(op):
    """The name, type and source line of an Operation or node."""
    line, user = op.creation_line, getattr(op, "op", op)
    kind = user.type if user.name == op.name else op.type  # the compiler may have replaced the type
    return f"{op.name} (op: {kind})" + (f" (defined at {line})" if line else "")


def location(op):
    """The last line of an error message, which names the operation that failed."""
    return f"\n\t [[node {named(op)}]]"


_LOCATION = re.compile(r"\[\[node (\S+) \(op: ")


def name_in(message):
    """The name of the operation that `location` wrote into an error message, or None."""
    found = _LOCATION.search(message)
    return None if found is None else found[1]


# ---- Status codes


def exception_type_from_error_code(error_code):
    """The exception class of a status code.

    Args:
      error_code: An int, such as `tf.errors.NOT_FOUND`.

    Returns:
      A subclass of `OpError`.

    Raises:
      KeyError: There is no class for the code.
    """
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls):
    """The status code of an exception class.

    Args:
      cls: A subclass of `OpError`.

    Returns:
      An int.

    Raises:
      AttributeError: It is not a subclass of `OpError`.
    """
    return cls._code


class raise_exception_on_not_ok_status:  # noqa: N801  used like a function
    """A context manager that raises the error that its block has put into a status.

    It yields an object with attributes `code`, which is `tf.errors.OK` at first, and `message`.

    Example:

    >>> with tf.errors.raise_exception_on_not_ok_status() as status:
    ...     status.code, status.message = tf.errors.NOT_FOUND, "no such table"
    Traceback (most recent call last):
    tfcore.framework.errors.NotFoundError: no such table
    """

    code = OK
    message = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None and self.code != OK:
            raise from_code(self.code, None, self.message)


def from_code(code, op, message):
    """The exception for a status code of the runtime."""
    return _BY_CODE.get(code, UnknownError)(None, op, message)
