"""tensorflow.python.keras.utils.tf_utils: what Keras 2.3 takes from there."""


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
