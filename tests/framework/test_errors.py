"""Error classes and their codes."""

import pickle

import pytest

import tfcore as tf

CODES = {
    "CancelledError": 1, "UnknownError": 2, "InvalidArgumentError": 3, "DeadlineExceededError": 4, "NotFoundError": 5,
    "AlreadyExistsError": 6, "PermissionDeniedError": 7, "ResourceExhaustedError": 8, "FailedPreconditionError": 9,
    "AbortedError": 10, "OutOfRangeError": 11, "UnimplementedError": 12, "InternalError": 13, "UnavailableError": 14,
    "DataLossError": 15, "UnauthenticatedError": 16,
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_classes(name):
    cls = getattr(tf.errors, name)
    assert issubclass(cls, tf.errors.OpError) and issubclass(cls, Exception)
    with tf.Graph().as_default():
        op = tf.no_op()
    error = cls(None, op, "what happened")
    assert (error.op, error.message, error.error_code) == (op, "what happened", CODES[name])
    assert "what happened" in str(error)
    assert tf.errors.exception_type_from_error_code(CODES[name]) is cls
    assert tf.errors.error_code_from_exception_type(cls) == CODES[name]
    constant = "".join("_" + c if c.isupper() else c for c in name[: -len("Error")]).strip("_").upper()
    assert getattr(tf.errors, constant) == CODES[name]


def test_errors_can_be_pickled():
    with tf.Graph().as_default():
        op = tf.no_op()
    copy = pickle.loads(pickle.dumps(tf.errors.OutOfRangeError(None, op, "end")))
    assert type(copy) is tf.errors.OutOfRangeError
    assert copy.message == "end" and copy.op is None and copy.error_code == 11


def test_an_error_without_an_op():
    error = tf.errors.NotFoundError(None, None, "nothing")
    assert error.op is None and error.node_def is None


def test_unknown_codes():
    with pytest.raises(KeyError):
        tf.errors.exception_type_from_error_code(12345)


def test_op_error_takes_any_code():
    assert tf.errors.OpError(None, None, "text", 99).error_code == 99
