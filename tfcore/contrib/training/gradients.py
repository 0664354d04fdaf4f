"""Changes of gradients before they are applied."""

from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.cwise.clip import clip_by_norm, global_norm
from tfcore.platform import tf_logging as logging
from tfcore.summary import summaries


def change_values(grad, change):
    """A gradient after a change of its values."""
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(change(grad.values), grad.indices, grad.dense_shape)
    return change(grad)


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Shortens each gradient whose norm is larger.

    Args:
      gradients_to_variables: A list of pairs (gradient, variable).
      max_norm: A float: the largest norm.

    Returns:
      A list of pairs (gradient, variable).

    Raises:
      TypeError: `max_norm` is not a number.
    """
    return [
        (None if grad is None else change_values(grad, lambda values: clip_by_norm(values, max_norm)), var)
        for grad, var in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm):
    """A function that shortens gradients, for the argument `transform_grads_fn` of `create_train_op`.

    Args:
      max_norm: A float: the largest norm.

    Returns:
      A function of a list of pairs (gradient, variable).

    Raises:
      Nothing.
    """
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Multiplies the gradients of some variables.

    Args:
      grads_and_vars: A list of pairs (gradient, variable).
      gradient_multipliers: A dict from variables or names of their operations to factors.

    Returns:
      A list of pairs (gradient, variable).

    Raises:
      ValueError: An argument is of the wrong type or empty, or a variable has no gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    result = []
    for grad, var in grads_and_vars:
        factor = gradient_multipliers.get(var, gradient_multipliers.get(var.op.name))
        if factor is not None:
            if grad is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = convert_to_tensor(factor, dtype=grad.dtype)
            grad = change_values(grad, lambda values, factor=factor: values * factor)
        result.append((grad, var))
    return result


def add_gradients_summaries(grads_and_vars):
    """Adds a histogram and the norm of each gradient to the summaries.

    Args:
      grads_and_vars: A list of pairs (gradient, variable). Variables whose gradient is None are left out.

    Returns:
      A list of the summaries: string `Tensor`s.

    Raises:
      AttributeError: A variable has no operation.
    """
    found = []
    for grad, var in grads_and_vars:
        if grad is None:
            logging.info("Var %s has no gradient", var.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        found.append(summaries.histogram(f"{var.op.name}_gradient", values))
        found.append(summaries.scalar(f"{var.op.name}_gradient_norm", global_norm([values])))
    return found
