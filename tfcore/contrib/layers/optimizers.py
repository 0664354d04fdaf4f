"""`optimize_loss`: a training step from a loss."""

from tfcore.contrib.training.gradients import change_values
from tfcore.framework.graph.graph import GraphKeys, get_collection
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.clip import clip_by_global_norm
from tfcore.ops.debugging.check import assert_scalar
from tfcore.ops.random.random import truncated_normal
from tfcore.train.optimizers import update_rules as train
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.training_util import assert_global_step, get_global_step
from tfcore.variables.initializers import Constant
from tfcore.variables.variable_collections import trainable_variables
from tfcore.variables.variable_scope import get_variable, variable_scope

OPTIMIZER_CLS_NAMES = {
    "Adagrad": train.AdagradOptimizer,
    "Adam": train.AdamOptimizer,
    "Ftrl": train.FtrlOptimizer,
    "Momentum": lambda learning_rate: train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": train.RMSPropOptimizer,
    "SGD": train.GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


def optimize_loss(
    loss,
    global_step,
    learning_rate,
    optimizer,
    gradient_noise_scale=None,
    gradient_multipliers=None,
    clip_gradients=None,
    learning_rate_decay_fn=None,
    update_ops=None,
    variables=None,
    name=None,
    summaries=None,
    colocate_gradients_with_ops=False,
    increment_global_step=True,
):
    """A training step: runs the updates of UPDATE_OPS, then minimizes the loss.

    Args:
      loss: A scalar `Tensor`.
      global_step: The global step, a `Variable` or `Tensor`; that of the graph if None.
      learning_rate: A float, which becomes the variable `learning_rate`, or a scalar `Tensor`; None if the optimizer
        does not need it.
      optimizer: A name ("SGD", "Adam", "Adagrad", "Ftrl", "Momentum", "RMSProp"), a subclass of `Optimizer`, an
        `Optimizer`, or a function of the learning rate that returns one.
      gradient_noise_scale: A float: the scale of noise to add to the gradients (optional).
      gradient_multipliers: A dict from variables or their names to factors for their gradients (optional).
      clip_gradients: A float, the largest global norm of the gradients; or a function of the list of pairs (gradient,
        variable) that returns such a list (optional).
      learning_rate_decay_fn: A function of (learning rate, global step) that returns the rate to use (optional).
      update_ops: The operations to run before; the collection UPDATE_OPS by default.
      variables: A list of `Variable`s; the trainable ones by default.
      name: Name of the variable scope.
      summaries: Must be None or empty: not supported; use `tf.summary`.
      colocate_gradients_with_ops: Whether gradients are placed with the operations that they belong to.
      increment_global_step: Whether the step increments the global step.

    Returns:
      A `Tensor`: the loss, after the step.

    Raises:
      ValueError: The loss is not a scalar, or an argument is not valid.
      NotImplementedError: Summaries are asked for.

    Example:

    >>> w = tf.Variable(3.0)
    >>> step = tf.contrib.layers.optimize_loss(w * w, tf.train.get_or_create_global_step(), 0.25, "SGD")
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(step), sess.run(w))
    9.0 1.5
    """
    loss = convert_to_tensor(loss)
    assert_scalar(loss)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    values = [loss] if global_step is None else [loss, global_step]
    with variable_scope(name, "OptimizeLoss", values):
        update_ops = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if update_ops:
            loss = with_dependencies(list(dict.fromkeys(update_ops)), loss)
        _check_summaries(summaries)
        rate = _learning_rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
        optimizer = _optimizer(optimizer, rate)
        pairs = optimizer.compute_gradients(
            loss,
            trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers, clip_gradients)
        update = optimizer.apply_gradients(
            pairs, global_step=global_step if increment_global_step else None, name="train"
        )
        return with_dependencies([update], loss)


def _check_summaries(summaries):
    for summary in summaries or ():
        if summary not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {summary}.")
    if summaries:
        raise NotImplementedError("optimize_loss does not write summaries: pass summaries=[] and use tf.summary")


def _learning_rate(rate):
    if rate is None or isinstance(rate, Tensor) and rate.shape.ndims == 0:
        return rate
    if not isinstance(rate, float):
        raise ValueError(f"Learning rate should be 0d Tensor or float. Got {rate} of type {type(rate)}")
    if rate < 0.0:
        raise ValueError("Invalid learning_rate %s.", rate)
    return get_variable("learning_rate", [], trainable=False, initializer=Constant(rate))


def _optimizer(optimizer, rate):
    """The optimizer that a name, class, object or function stands for."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    if isinstance(optimizer, str) or isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        if rate is None:
            what = "string" if isinstance(optimizer, str) else "class"
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is {what} ({optimizer}).")
        if isinstance(optimizer, str) and optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}."
            )
        make = OPTIMIZER_CLS_NAMES[optimizer] if isinstance(optimizer, str) else optimizer
        return make(learning_rate=rate)
    if not callable(optimizer):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or "
            f"function with one argument. Got {optimizer}."
        )
    made = optimizer() if rate is None else optimizer(rate)
    if not isinstance(made, Optimizer):
        raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.")
    return made


def _changed(pairs, noise_scale, multipliers, clip):
    """The pairs (gradient, variable) with noise, factors and limits."""
    if noise_scale is not None:
        pairs = [(_noisy(grad, noise_scale), var) for grad, var in pairs]
    if multipliers is not None:
        pairs = [(_multiplied(grad, var, multipliers), var) for grad, var in pairs]
        if not pairs:
            raise ValueError(
                "Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an improper "
                "value of gradient_multipliers."
            )
    if isinstance(clip, float):
        grads, variables = zip(*pairs)
        return list(zip(clip_by_global_norm(grads, clip)[0], variables))
    if callable(clip):
        return clip(pairs)
    if clip is not None:
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    return pairs


def _noisy(grad, scale):
    if grad is None:
        return None
    shape = grad.dense_shape if isinstance(grad, IndexedSlices) else grad.shape
    return convert_to_tensor(grad) + truncated_normal(shape) * scale


def _multiplied(grad, var, multipliers):
    factor = multipliers.get(var, multipliers.get(var.name))
    if grad is None or factor is None:
        return grad
    return change_values(grad, lambda values: values * cast(factor, values.dtype))
