"""What sessions return for `tf.get_session_handle`."""

import contextlib

import numpy as np

from tfcore.framework import errors
from tfcore.ops.state import session as session_ops

MANY = 10  # dead handles; they are deleted together


class TensorHandle:
    """A tensor that a session keeps, until nothing refers to the handle any more.

    Args:
      handle: The text that is fed.
      dtype: Type of the tensor.
      session: The Session that keeps it.
    """

    def __init__(self, handle, dtype, session):
        self._handle, self._dtype, self._session = handle, dtype, session
        self._owns = True
        dead = session._dead_handles
        while len(dead) >= MANY:
            _delete(session, dead.pop())

    def __del__(self):
        if self._owns and not self._session._closed:
            self._session._dead_handles.append(self._handle)  # a step must not run here

    def __str__(self):
        return self._handle

    @property
    def handle(self):
        """The text that is fed."""
        return self._handle

    def _check(self):
        if not self._owns:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def eval(self):
        """The value of the tensor.

        Raises:
          TypeError: It was deleted, or its raw handle was given away.
        """
        self._check()
        key = "read", self._dtype, self._handle.rpartition(";")[2]
        holder, value = _ops(self._session, key, lambda: session_ops.get_session_tensor(self._handle, self._dtype))
        return self._session.run(value, {holder: self._handle})

    def __array__(self, dtype=None, copy=None):
        """The value, so that the handle can be fed in place of a tensor.

        Raises:
          TypeError: The tensor was deleted, or its raw handle was given away.
          tf.errors.InvalidArgumentError: It is not of type `dtype`.
        """
        if dtype is not None and np.dtype(dtype) not in (object, self._dtype.as_numpy_dtype):
            raise errors.InvalidArgumentError(
                None, None, f"the tensor with the handle '{self}' is of type {self._dtype.name}, not {dtype}"
            )
        return np.asarray(self.eval(), dtype)

    def delete(self):
        """Makes the session forget the tensor.

        Raises:
          TypeError: It was deleted, or its raw handle was given away.
        """
        self._check()
        self._owns = False
        _delete(self._session, self._handle)

    def get_raw_handle(self):
        """The text that is fed; from now on the tensor is kept until it is deleted explicitly."""
        self._owns = False
        return self._handle


def _delete(session, handle):
    key = "delete", handle.rpartition(";")[2]
    holder, delete = _ops(session, key, lambda: session_ops.delete_session_tensor(handle))
    session.run(delete, {holder: handle})


def _ops(session, key, make):
    """Operations for a session's handles, made once per graph, even if it is finalized: programs do not see them."""
    graph = session.graph
    known = graph.__dict__.setdefault("_handle_ops", {})
    if key not in known:
        with graph._lock, _modifiable(graph):
            if key not in known:
                with graph.as_default(), graph.control_dependencies(None), graph.device(None):
                    known[key] = make()
    return known[key]


@contextlib.contextmanager
def _modifiable(graph):
    finalized = graph.finalized
    graph._unsafe_unfinalize()
    try:
        yield
    finally:
        if finalized:
            graph.finalize()
