"""The collections that hold the losses of a graph, and their sum."""

from tfcore.framework.graph.graph import GraphKeys, add_to_collection, get_collection
from tfcore.framework.values.constant import constant
from tfcore.ops.cwise.nary import add_n


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Adds a loss to a collection of the default graph.

    Args:
      loss: A `Tensor`.
      loss_collection: Name of the collection; None or "" for none.

    Raises:
      TypeError: The name cannot be the key of a collection.
    """
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    """The losses in a collection of the default graph.

    Args:
      scope: A regular expression; only losses whose names match it from the start are returned (optional).
      loss_collection: Name of the collection.

    Returns:
      A list of `Tensor`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """The losses that regularizers of variables and layers added.

    Args:
      scope: A regular expression; only losses whose names match it from the start are returned (optional).

    Returns:
      A list of `Tensor`s.

    Raises:
      re.error: `scope` is not a regular expression.
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """The sum of the losses that regularizers added.

    Args:
      scope: A regular expression; only losses whose names match it from the start are added (optional).
      name: Name of the sum.

    Returns:
      A scalar `Tensor`, 0.0 if there are no such losses.

    Raises:
      ValueError: The losses differ in type or shape.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """The sum of the losses in the collection LOSSES and, by default, of those that regularizers added.

    Args:
      add_regularization_losses: Whether to add the losses of regularizers.
      name: Name of the sum.
      scope: A regular expression; only losses whose names match it from the start are added (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: There are no losses, or they differ in type or shape.

    Example:

    >>> error = tf.losses.mean_squared_error(labels=[1.0], predictions=[3.0])
    >>> tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
    >>> print(sess.run(tf.losses.get_total_loss()))
    4.5
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return add_n(losses, name=name)
