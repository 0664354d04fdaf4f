"""What tensorflow.contrib.graph_editor has here: walks through a graph."""

from tfcore.framework.graph.operation import Operation


def get_backward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_inputs=False
):
    """The operations on which some depend.

    Args:
      seed_ops: Operations or tensors, or a list of them.
      inclusive: Whether the result has the operations of `seed_ops`, too.
      within_ops: The operations to which the walk is limited.
      within_ops_fn: A function of an operation, which is false for those where the walk ends.
      stop_at_ts: Tensors at which the walk ends.
      control_inputs: Whether it also follows control dependencies.

    Returns:
      A list of operations.
    """
    seeds = seed_ops if isinstance(seed_ops, (list, tuple, set, frozenset)) else [seed_ops]
    start = dict.fromkeys(x if isinstance(x, Operation) else x.op for x in seeds)
    stops, within = set(stop_at_ts), None if within_ops is None else set(within_ops)
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
