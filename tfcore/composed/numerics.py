"""Checks for NaN and infinity over tensors and whole graphs."""

from tfcore.framework.graph.graph import colocate_with, control_dependencies, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.control_flow import control
from tfcore.ops.nn import basic as nn_basic

_CHECKED = (dtypes.float16, dtypes.float32, dtypes.float64)


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """The tensor, after a check that it holds no NaN and no infinity.

    Args:
      t: A `Tensor` of a floating-point type.
      msg: Text of the error.
      name: Name of the operation (optional).
      x: Newer name of `t`.
      message: Newer name of `msg`.

    Returns:
      A `Tensor` with the value of `t`.

    Raises:
      ValueError: An argument is missing or given under both names.
      tf.errors.InvalidArgumentError: At run time, an element is NaN or infinite.
    """
    tensor = _one_of("t", t, "x", x)
    text = _one_of("msg", msg, "message", message)
    with name_scope(name, "VerifyFinite", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="t")
        with colocate_with(tensor):
            check = nn_basic.check_numerics(tensor, message=text)
            return control.with_dependencies([check], tensor, name=scope)


def _one_of(old_name, old, new_name, new):
    if old is not None and new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return new if old is None else old


def add_check_numerics_ops():
    """An operation that checks every floating-point tensor of the default graph, in the order of computation.

    Running it raises `tf.errors.InvalidArgumentError` naming the first tensor that holds a NaN or an infinity.
    It needs all placeholders to be fed. RunOptions can do the same for any run, without extra operations.

    Returns:
      The `Operation` that makes all checks.

    Raises:
      ValueError: The graph has control flow such as `tf.cond` or `tf.while_loop`.
    """
    last = []
    # Operations are in order of creation: producers come before consumers.
    for op in list(get_default_graph().get_operations()):
        for output in op.outputs:
            if output.dtype not in _CHECKED:
                continue
            if op._control_flow_context is not None:
                raise ValueError(
                    "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such as "
                    "`tf.cond()` or `tf.while_loop()`."
                )
            with control_dependencies(last):
                last = [nn_basic.check_numerics(output, message=f"{op.name}:{output.value_index}")]
    return control.group(*last)
