"""`create_train_op`: a training step from a loss and an optimizer."""

import warnings

from tfcore.contrib.training.gradients import add_gradients_summaries
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, get_collection, get_collection_ref, name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.control_flow.control import no_op, with_dependencies
from tfcore.ops.nn.basic import check_numerics as checked
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.train.training_util import get_or_create_global_step
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_collections import trainable_variables
from tfcore.variables.variable_scope import get_variable

_USE_GLOBAL_STEP = 0


def create_train_op(
    total_loss,
    optimizer,
    global_step=_USE_GLOBAL_STEP,
    update_ops=None,
    variables_to_train=None,
    transform_grads_fn=None,
    summarize_gradients=False,
    gate_gradients=Optimizer.GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    check_numerics=True,
):
    """A training step: runs the updates of UPDATE_OPS, minimizes the loss, and returns it.

    The step joins the collection TRAIN_OP.

    Args:
      total_loss: A scalar `Tensor`.
      optimizer: An `Optimizer`.
      global_step: The global step to increment, a `Variable`; by default that of the graph, None for none.
      update_ops: A list of operations to run before; the collection UPDATE_OPS by default.
      variables_to_train: A list of `Variable`s; the trainable ones by default.
      transform_grads_fn: A function of a list of pairs (gradient, variable) that returns such a list (optional).
      summarize_gradients: Whether to add summaries of the gradients, see `add_gradients_summaries`.
      gate_gradients: How much runs in parallel: GATE_NONE, GATE_OP or GATE_GRAPH of `Optimizer`.
      aggregation_method: How gradients are added up: a value of `tf.AggregationMethod`.
      colocate_gradients_with_ops: Whether gradients are placed with the operations that they belong to.
      check_numerics: Whether the step fails if the loss is infinite or not a number.

    Returns:
      A `Tensor`: the loss, after the step.

    Raises:
      ValueError: There are no variables or gradients.
      tf.errors.InvalidArgumentError: When run: the loss is infinite or not a number.

    Example:

    >>> w = tf.Variable(3.0)
    >>> step = tf.contrib.training.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(step), sess.run([w, tf.train.get_global_step()]))
    9.0 [np.float32(1.5), np.int64(1)]
    """
    if global_step is _USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    collected = get_collection(GraphKeys.UPDATE_OPS)
    update_ops = list(dict.fromkeys(collected if update_ops is None else update_ops))
    if not set(collected) <= set(update_ops):
        warnings.warn(
            "update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS", stacklevel=2
        )
    if update_ops:
        with control_dependencies(update_ops):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    variables = trainable_variables() if variables_to_train is None else variables_to_train
    if not variables:
        raise ValueError("No variables to train")
    grads = optimizer.compute_gradients(
        total_loss,
        variables,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        grads = transform_grads_fn(grads)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(grads)
    update = optimizer.apply_gradients(grads, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([update], total_loss)
    steps = get_collection_ref(GraphKeys.TRAIN_OP)
    if all(train_op is not step for step in steps):
        steps.append(train_op)
    return train_op


def get_or_create_eval_step():
    """The local variable that counts the steps of an evaluation, created if there is none.

    Returns:
      A `Variable` of type int64, in the collections LOCAL_VARIABLES and EVAL_STEP.

    Raises:
      ValueError: There are several.
    """
    found = get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        GraphKeys.EVAL_STEP,
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )
