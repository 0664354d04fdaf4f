"""`tf.case` and `tf.switch_case`: run one of many branches; made of conditionals."""

import collections
import functools
import warnings

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array import join as array_join
from tfcore.ops.control_flow import cond, control
from tfcore.ops.control_flow.context import from_flow, to_flow
from tfcore.ops.cwise import cast
from tfcore.ops.cwise import compare as cwise_compare
from tfcore.ops.cwise import select as cwise_select
from tfcore.ops.debugging.check import Assert
from tfcore.ops.reduce import reduce as reduce_ops


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Returns the result of the first function whose condition holds, otherwise that of `default`.

    Args:
      pred_fn_pairs: A list of pairs (bool scalar `Tensor`, function), or a dict from such tensors to functions, which
        are tried in the order of the names of the tensors. See `tf.cond` for what the functions may return.
      default: A function for steps in which no condition holds; without it such a step fails.
      exclusive: Whether a step in which more than one condition holds fails.
      strict: Whether a list or tuple of one element is returned as it is, not as its element.
      name: Prefix of the names of the operations (optional).

    Returns:
      The structure that the functions return, with `Tensor`s that have the values of the function chosen.

    Raises:
      TypeError: The pairs are not a list, tuple or dict, a condition is not a bool `Tensor`, or a function is not
        callable.
      ValueError: There are no pairs, or the results differ in structure or types.
      tf.errors.InvalidArgumentError: When run: no condition holds and there is no default, or `exclusive` is set and
        several hold.

    Example:

    >>> x = tf.placeholder(tf.int32, [])
    >>> sign = tf.case([(x < 0, lambda: -1), (x > 0, lambda: 1)], default=lambda: 0)
    >>> print([int(sess.run(sign, {x: value})) for value in (-5, 0, 7)])
    [-1, 0, 1]
    """
    pairs = _checked_pairs(pred_fn_pairs, exclusive, name)
    predicates, actions = zip(*pairs)
    with name_scope(name, "case", [predicates]):
        if default is None:
            default, predicates, actions = _default_action(predicates, actions)
        function = default
        for predicate, action in reversed(list(zip(predicates, actions))):
            function = functools.partial(cond.cond, predicate, true_fn=action, false_fn=function, strict=strict)
        if not exclusive:
            return function()
        with control_dependencies([_assert_at_most(predicates, 1, "Input error: exclusive=True")]):
            return function()


def _checked_pairs(pairs, exclusive, name):
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, collections.OrderedDict):
        pairs = list(pairs.items())
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda item: getattr(item[0], "name", ""))
        if not exclusive:
            warnings.warn(
                f"{name}: An unordered dictionary of predicate/fn pairs was provided, but exclusive=False. The order "
                "of conditional "
                "tests is deterministic but not guaranteed.",
                stacklevel=3,
            )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype.base_dtype is not dtypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate.name} must be callable.")
    if not pairs:
        raise ValueError("'pred_fn_pairs' must have at least one pair.")
    return pairs


def _default_action(predicates, actions):
    """Makes the last action the default; it checks that its condition holds. Returns it and the other pairs."""
    *others, predicate = predicates
    *other_actions, action = actions
    last = len(others)

    def checked_action():
        message = (
            f"Implementation error: selected default action #{last} was called, but some of other predicates are True: "
        )
        none_true = ["Input error: None of conditions evaluated as True:", array_join.stack(predicates, name="preds_c")]
        checks = [_assert_at_most(others, 0, message)] if others else []
        with control_dependencies([*checks, Assert(predicate, none_true)]):
            return nest.map_structure(_made_here, action(), expand_composites=True)

    return checked_action, others, other_actions


def _made_here(value):
    """Passes a result through a new op, so that it waits for the current control dependencies."""
    if isinstance(value, Operation):
        return control.group(value)
    return from_flow(value, array.identity(to_flow(value)))


def _assert_at_most(predicates, count, message):
    """An operation that fails if more than `count` of the conditions hold."""
    stacked = array_join.stack(predicates, name="preds_c")
    number = reduce_ops.reduce_sum(cast.cast(stacked, dtypes.int32), name="num_true_conds")
    fine = cwise_compare.less_equal(number, convert_to_tensor(count, name="n_true_conds"))
    names = ", ".join(p.name for p in predicates)
    data = [f"{message}: more than {count} conditions ({names}) evaluated as True:", stacked]
    return Assert(fine, data, summarize=len(predicates))


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Returns the result of function number `branch_index`, or of `default` for any other number.

    Args:
      branch_index: A scalar `Tensor` of an integer type.
      branch_fns: A list of functions, or a dict or list of pairs with their numbers, 0 to n - 1. See `tf.cond` with
        strict=True for what they may return.
      default: A function for numbers below 0 or above n - 1; by default the function with the highest number.
      name: Prefix of the names of the operations (optional).

    Returns:
      The structure that the functions return, with `Tensor`s that have the values of the function chosen.

    Raises:
      TypeError: `branch_index` is not an integer `Tensor`, or a function is not callable.
      ValueError: There are no functions, their numbers are not 0 to n - 1, or the results differ in structure or types.

    Example:

    >>> index = tf.placeholder(tf.int32, [])
    >>> result = tf.switch_case(index, [lambda: 10, lambda: 20])
    >>> print(sess.run(result, {index: 0}), sess.run(result, {index: 1}))
    10 20
    """
    actions = _checked_branches(branch_index, branch_fns)
    if default is not None:
        if not callable(default):
            raise TypeError("'default' must be callable.")
        actions.append(default)
    with name_scope(name, "case", [branch_index]):
        if len(actions) == 1:
            return nest.map_structure(array.identity, actions[0](), expand_composites=True)
        last = convert_to_tensor(len(actions) - 1, dtype=branch_index.dtype)
        index = cwise_select.where(cwise_compare.less(branch_index, 0), last, branch_index)
        return _choose(index, actions, 0)


def _choose(index, actions, first):
    """Result of the action number `index` (the last for larger numbers), where actions are numbered from `first`."""
    if len(actions) == 1:
        return actions[0]()
    half = len(actions) // 2
    lower = functools.partial(_choose, index, actions[:half], first)
    upper = functools.partial(_choose, index, actions[half:], first + half)
    return cond.cond(cwise_compare.less(index, first + half), lower, upper, strict=True)


def _checked_branches(branch_index, branch_fns):
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if all(callable(function) for function in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found "
            f"{{{','.join(map(str, keys))}}}"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]
