"""The namespace tf.layers.experimental: layers whose variables belong to the object, not to a variable scope."""

import contextlib

__all__ = ["keras_style_scope", "set_keras_style"]

_state = {"keras_style": False}


@contextlib.contextmanager
def keras_style_scope():
    """Layers created in this block create their own variables, outside of variable scopes.

    Such layers share variables only through the object; the arguments `scope` and `reuse` are refused. This also holds
    for recurrent cells.

    Yields:
      None.

    Example:

    >>> with tf.layers.experimental.keras_style_scope():
    ...     first, second = tf.layers.Dense(2, name="dense"), tf.layers.Dense(2, name="dense")
    >>> x = tf.zeros([1, 3])
    >>> y = second(first(x))
    >>> [v.name for v in second.variables]
    ['dense_1/kernel:0', 'dense_1/bias:0']
    """
    before = _state["keras_style"]
    _state["keras_style"] = True
    try:
        yield
    finally:
        _state["keras_style"] = before


def set_keras_style():
    """From now on all layers are as in `keras_style_scope`."""
    _state["keras_style"] = True


def is_keras_style():
    """Whether a new layer creates its own variables."""
    return _state["keras_style"]
