"""Conditionals that take a branch while the graph is built if the condition is known then."""

from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.constant import constant_value
from tfcore.ops.control_flow.case import case
from tfcore.ops.control_flow.cond import cond


def smart_constant_value(pred):
    """The value of a condition, if it is known while the graph is built.

    Args:
      pred: A bool, 0, 1, or a scalar `Tensor` of type bool.

    Returns:
      A bool; None if it is known only when the graph runs.

    Raises:
      TypeError: `pred` is none of these.
    """
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, (bool, int)) and pred in (0, 1):
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {pred}")


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """`tf.cond`, or only one of the functions if the condition is known while the graph is built.

    Args:
      pred: A bool, 0, 1, or a scalar `Tensor` of type bool.
      true_fn: A function without arguments: the result if `pred` is true.
      false_fn: A function without arguments: the result if it is false.
      name: Prefix of the names of the operations.

    Returns:
      What the function returns.

    Raises:
      TypeError: A function can't be called, or `pred` is not a condition.
    """
    if not callable(true_fn):
        raise TypeError("`true_fn` must be callable.")
    if not callable(false_fn):
        raise TypeError("`false_fn` must be callable.")
    value = smart_constant_value(pred)
    if value is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()


def smart_case(pred_fn_pairs, default=None, exclusive=False, name="smart_case"):
    """`tf.case`, or only one of the functions if the conditions are known while the graph is built.

    Args:
      pred_fn_pairs: A list of pairs (condition, function without arguments), or a dict of them.
      default: A function without arguments: the result if all conditions are false.
      exclusive: Whether at most one condition may be true.
      name: Prefix of the names of the operations.

    Returns:
      What the function returns.

    Raises:
      TypeError: A function can't be called, or `pred_fn_pairs` has the wrong form.
      ValueError: All conditions are false, and there is no default.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    unknown = []
    for pred, function in pairs:
        value = smart_constant_value(pred)
        if value is None:
            unknown.append((pred, function))
        elif value:
            if not unknown:
                return function()
            default = function
            break
    if unknown:
        return case(unknown, default=default, exclusive=exclusive, name=name)
    if default is None:
        raise ValueError("All conditions are false, and there is no `default`.")
    return default()
