"""tensorflow.python.keras.utils.tf_utils: what Keras 2.3 takes from there, and classes that act as tensors."""

from tfcore.framework.graph.operation import Tensor

_symbolic_types = [Tensor]


def register_symbolic_tensor_type(cls):
    """Makes `is_symbolic_tensor` true for the objects of a class."""
    if cls not in _symbolic_types:
        _symbolic_types.append(cls)


def is_symbolic_tensor(tensor):
    """Whether an object is a tensor of a graph, or acts as one."""
    return isinstance(tensor, tuple(_symbolic_types))


def get_reachable_from_inputs(inputs, targets=None):
    """What depends on some tensors.

    Args:
      inputs: A list of tensors. Ints, such as a fixed learning phase, are skipped: no tensor depends on them.
      targets: A list of tensors: when all are found, the search ends.

    Returns:
      A set of tensors and operations, with `inputs`.
    """
    reachable, queue = set(inputs), [x for x in inputs if not isinstance(x, int)]
    missing = set(targets or ()) - reachable
    while queue and (missing or targets is None):
        x = queue.pop()
        found = x.outputs if hasattr(x, "outputs") else x.consumers()
        new = [y for y in found if y not in reachable]
        reachable.update(new)
        missing.difference_update(new)
        queue += new
    return reachable
