"""Tensors that a session keeps from step to step, under handles that a program feeds."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.graph.graph import colocate_with, device
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.ops.array.constants import placeholder


def _handle_shape(op):
    shape_functions.with_rank(op.inputs[0].dims, 0)
    return shape_functions.unknown(op)


GetSessionHandle = define_op(
    "GetSessionHandle",
    inputs=["value: T"],
    outputs=["handle: string"],
    attrs=["T: type"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="Keeps a tensor in the session, and returns its handle.",
)
GetSessionHandleV2 = define_op(
    "GetSessionHandleV2",
    inputs=["value: T"],
    outputs=["handle: resource"],
    attrs=["T: type"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="Keeps a tensor in the session, and returns its handle, which can only be fetched.",
)
GetSessionTensor = define_op(
    "GetSessionTensor",
    inputs=["handle: string"],
    outputs=["value: dtype"],
    attrs=["dtype: type"],
    shape=_handle_shape,
    stateful=True,
    doc="The tensor that was kept under a handle.",
)
DeleteSessionTensor = define_op(
    "DeleteSessionTensor",
    inputs=["handle: string"],
    shape=_handle_shape,
    stateful=True,
    doc="Forgets the tensor that was kept under a handle.",
)
not_differentiable("GetSessionHandle", "GetSessionHandleV2", "GetSessionTensor", "DeleteSessionTensor")


def get_session_handle(data, name=None):
    """Keeps a tensor in the session that runs this.

    Args:
      data: A `Tensor`.
      name: Name of the operation (optional).

    Returns:
      A scalar `Tensor` of type string. What a session returns for it is a `TensorHandle`: its `handle` is fed to the
      placeholder of `get_session_tensor`, its `eval()` returns the value. Fed itself in place of a tensor of the same
      type, it is that value, copied. The tensor is kept until the handle is deleted, or is no longer referred to.

    Raises:
      TypeError: `data` is not a Tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with colocate_with(data):
        return GetSessionHandle(data, name=name)


def _placed(handle):
    """Scope for operations on the device that keeps the tensor."""
    return device(str(handle).rpartition(";")[2] or None)


def get_session_tensor(handle, dtype, name=None):
    """A tensor that was kept in an earlier run.

    Args:
      handle: The `handle` of a `TensorHandle`. It only tells on which device the operation runs: the handle of any
        tensor of this type that is kept there may be fed.
      dtype: Type of the tensor.
      name: Name of the operation (optional).

    Returns:
      A tuple of the placeholder, a string scalar to which a handle has to be fed, and the `Tensor`. The operation fails
      with InvalidArgumentError if the session keeps no such tensor.

    Raises:
      ValueError: `handle` names no device.
    """
    with _placed(handle):
        holder = placeholder(dtypes.string, [])
        return holder, GetSessionTensor(holder, dtype=dtype, name=name)


def delete_session_tensor(handle, name=None):
    """Forgets a tensor that was kept in an earlier run.

    Args:
      handle: The `handle` of a `TensorHandle`. It only tells on which device the operation runs, as for
        `get_session_tensor`.
      name: Name of the operation (optional).

    Returns:
      A tuple of the placeholder, a string scalar to which a handle has to be fed, and the `Operation`.

    Raises:
      ValueError: `handle` names no device.
    """
    with _placed(handle):
        holder = placeholder(dtypes.string, [])
        return holder, DeleteSessionTensor(holder, name=name)
