"""Finds the Python functions that may wait for another node of their step.

The thread that runs a step calls a Python function itself, where Ctrl-C reaches the function. But a function may wait
for another one, for a queue or for another task. If it takes long, the rest of the step must run meanwhile, and later
steps give it a thread of its own at once (`core/step/dynamic.c`).
"""

from tfcore.compiler.frames import before
from tfcore.core.registry.kernel import WAITS

_MESSAGES = frozenset(["_Send", "_Recv", "_RunPartition"])
PYTHON_ON_GPUS = frozenset(["CudaFunc", "CudaFuncStateless"])
PYTHON = PYTHON_ON_GPUS.union(["PyFunc", "PyFuncStateless"])


def unordered_functions(made, has_frames):
    """The Python functions that no path orders with another one, or with a node that waits or may be waited for.

    Among them are all functions in loops whose iterations may run at the same time: a path from one iteration to the
    next may order them, but that is not looked for.

    Args:
      made: {node: its PlanNode}, where a node comes after those that it needs. has_frames: whether the nodes have them.

    Returns: the PlanNodes of the functions.
    """
    if not any(node.type in PYTHON for node in made):
        return []
    seen = []  # the functions, and the nodes that wait
    ended = {}  # node -> a bit for each of `seen` that has ended when the node ends
    unordered = 0  # a bit for each of `seen`
    for node, plan_node in made.items():
        done = 0
        for source in before(node):
            done |= ended.get(source, 0)
        if node.type in PYTHON or node.type in _MESSAGES or plan_node.flags & WAITS:
            me = 1 << len(seen)
            beside = me - 1 & ~done
            if beside or has_frames and node.frame.iterations_overlap:
                unordered |= beside | me
            done |= me
            seen.append(node)
        ended[node] = done
    return [made[node] for i, node in enumerate(seen) if node.type in PYTHON and unordered >> i & 1]
