"""What tensorflow.contrib.graph_editor has here: walks through a graph."""

from tfcore.framework.graph.operation import Operation, Tensor


def get_backward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_inputs=False
):
    """The operations on which some depend.

    Args:
      seed_ops: Operations or tensors, or a list of them.
      inclusive: Whether the result has the operations of `seed_ops`, too.
      within_ops: The operations to which the walk is limited, or one of them.
      within_ops_fn: A function of an operation, which is false for those where the walk ends.
      stop_at_ts: Tensors at which the walk ends, or one of them.
      control_inputs: Whether it also follows control dependencies.

    Returns:
      A list of operations.
    """
    start = dict.fromkeys(x if isinstance(x, Operation) else x.op for x in _listed(seed_ops))
    stops, within = set(_listed(stop_at_ts)), None if within_ops is None else set(_listed(within_ops))
    found, queue = dict(start), list(start)
    while queue:
        op = queue.pop()
        before = [t.op for t in op.inputs if t not in stops] + (op.control_inputs if control_inputs else [])
        for other in before:
            inside = (within is None or other in within) and (within_ops_fn is None or within_ops_fn(other))
            if inside and other not in found:
                found[other] = None
                queue.append(other)
    return [op for op in found if inclusive or op not in start]


def _listed(values):
    return [values] if isinstance(values, (Operation, Tensor)) else list(values)
