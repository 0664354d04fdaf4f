"""Gives operations other inputs."""

import enum

from tfcore.contrib.graph_editor.subgraph import make_view
from tfcore.contrib.graph_editor.util import check_graphs, get_consuming_ops, make_list_of_op, make_list_of_t
from tfcore.framework.graph.operation import Operation


class _Mode(enum.Enum):
    """Which consumers get another input: those of both tensors, or of the second one."""

    SWAP = "swap"
    REPLACE = "replace"


def _reroute_ts(ts0, ts1, mode, can_modify=None, cannot_modify=None):
    """The number of inputs that have changed."""
    ts0, ts1 = make_list_of_t(ts0), make_list_of_t(ts1)
    _check_compatible(ts0, ts1)
    may = None if can_modify is None else set(make_list_of_op(can_modify))
    may_not = set() if cannot_modify is None else set(make_list_of_op(cannot_modify))
    changes = []  # all of them are known before the first one
    for a, b in zip(ts0, ts1):
        for new, old in [(a, b), (b, a)] if mode is _Mode.SWAP else [(a, b)]:
            for op in dict.fromkeys(old.consumers()):
                if old is not new and (may is None or op in may) and op not in may_not:
                    changes += [(op, i, new) for i, t in enumerate(op.inputs) if t is old]
    for op, i, new in changes:
        op._update_input(i, new)
    return len(changes)


def _check_compatible(ts0, ts1):
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for a, b in zip(ts0, ts1):
        if not a.dtype.is_compatible_with(b.dtype):
            raise ValueError(f"Dtypes {a.dtype!r} and {b.dtype!r} are not compatible.")
        if not a.shape.is_compatible_with(b.shape):
            raise ValueError(f"Shapes {a.shape} and {b.shape} are not compatible.")


def swap_ts(ts0, ts1, can_modify=None, cannot_modify=None):
    """Gives the consumers of each tensor its counterpart.

    Args:
      ts0: A `Tensor` or a collection of them.
      ts1: Their counterparts.
      can_modify: The operations that may change; all by default.
      cannot_modify: Operations that may not.

    Returns:
      The number of inputs that have changed.

    Raises:
      TypeError: An element has another type.
      ValueError: Tensors have different types or shapes.
    """
    return _reroute_ts(ts0, ts1, _Mode.SWAP, can_modify, cannot_modify)


def reroute_ts(ts0, ts1, can_modify=None, cannot_modify=None):
    """Gives the consumers of the tensors `ts1` those of `ts0` instead.

    Args:
      ts0: A `Tensor` or a collection of them.
      ts1: As many, which then have no consumers.
      can_modify: The operations that may change; all by default.
      cannot_modify: Operations that may not.

    Returns:
      The number of inputs that have changed.

    Raises:
      TypeError: An element has another type.
      ValueError: Tensors have different types or shapes.
    """
    return _reroute_ts(ts0, ts1, _Mode.REPLACE, can_modify, cannot_modify)


def _reroute_inputs(sgv0, sgv1, mode):
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    check_graphs(sgv0, sgv1)
    may = sgv0.ops + sgv1.ops + get_consuming_ops(sgv0.passthroughs + sgv1.passthroughs)
    _reroute_ts(sgv0.inputs, sgv1.inputs, mode, can_modify=may)
    before = sgv0.copy(), sgv1.copy()
    _follow(sgv1, before[1], before[0])
    if mode is _Mode.SWAP:
        _follow(sgv0, before[0], before[1])
    return sgv0, sgv1


def _follow(view, before, other):
    """Gives a view the inputs of another one; what passes through is then an output."""
    view.inputs, view.passthroughs = list(other.inputs), list(other.passthroughs)
    through = {t: other.inputs[before.inputs.index(t)] for t in before.passthroughs if t in before.inputs}
    view.outputs = [through.get(t, t) for t in before.outputs]


def _reroute_outputs(sgv0, sgv1, mode):
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    check_graphs(sgv0, sgv1)
    _reroute_ts(sgv0.outputs, sgv1.outputs, mode, cannot_modify=sgv0.ops + sgv1.ops)
    return sgv0, sgv1


def swap_inputs(sgv0, sgv1):
    """Gives each of two views the inputs of the other one.

    Args:
      sgv0: What `make_view` takes; a view changes with its graph.
      sgv1: Another one, with as many inputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of inputs differ.
    """
    return _reroute_inputs(sgv0, sgv1, _Mode.SWAP)


def reroute_inputs(sgv0, sgv1):
    """Gives a view the inputs of another one.

    Args:
      sgv0: The other one: what `make_view` takes.
      sgv1: The one that changes, with as many inputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of inputs differ.
    """
    return _reroute_inputs(sgv0, sgv1, _Mode.REPLACE)


def swap_outputs(sgv0, sgv1):
    """Gives the consumers of each of two views the outputs of the other one.

    Args:
      sgv0: What `make_view` takes.
      sgv1: Another one, with as many outputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of outputs differ.
    """
    return _reroute_outputs(sgv0, sgv1, _Mode.SWAP)


def reroute_outputs(sgv0, sgv1):
    """Gives the consumers of a view the outputs of another one.

    Args:
      sgv0: The other one: what `make_view` takes.
      sgv1: The one whose consumers change, with as many outputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of outputs differ.
    """
    return _reroute_outputs(sgv0, sgv1, _Mode.REPLACE)


def swap_ios(sgv0, sgv1):
    """Puts each of two views into the place of the other one.

    Args:
      sgv0: What `make_view` takes; a view changes with its graph.
      sgv1: Another one, with as many inputs and outputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of inputs or outputs differ.
    """
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, _Mode.SWAP), _Mode.SWAP)


def reroute_ios(sgv0, sgv1):
    """Gives a view the inputs, and its consumers the outputs, of another one.

    Args:
      sgv0: The other one: what `make_view` takes.
      sgv1: The one that changes, with as many inputs and outputs.

    Returns:
      Both views.

    Raises:
      ValueError: Numbers, types or shapes of inputs or outputs differ.
    """
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, _Mode.REPLACE), _Mode.REPLACE)


def _checked(op, cops):
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op, cops):
    """Takes control dependencies away.

    Args:
      op: The `Operation` that waits.
      cops: The operations for which it no longer waits.

    Raises:
      TypeError: An argument has another type.
      ValueError: It does not wait for one of them.
    """
    cops = _checked(op, cops)
    for other in cops:
        if other not in op.control_inputs:
            raise ValueError(f"{other.name} is not a control_input of {op.name}")
    kept = [other for other in op.control_inputs if other not in cops]
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


def add_control_inputs(op, cops):
    """Adds control dependencies.

    Args:
      op: The `Operation` that waits.
      cops: The operations for which it waits.

    Raises:
      TypeError: An argument has another type.
      ValueError: It already waits for one of them.
    """
    cops = _checked(op, cops)
    for other in cops:
        if other in op.control_inputs:
            raise ValueError(f"{other.name} is already a control_input of {op.name}")
    op._add_control_inputs(cops)
