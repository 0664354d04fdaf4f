"""Weights of coordinate descent, moved towards 0 by L1 regularization."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable

SdcaShrinkL1 = define_op(
    "SdcaShrinkL1",
    inputs=["weights: Ref(num_features * float)"],
    attrs=["num_features: int >= 0", "l1: float", "l2: float"],
    doc="Moves each weight by l1 / l2 towards 0, at most to 0.",
)
not_differentiable("SdcaShrinkL1")


def sdca_shrink_l1(weights, l1, l2, name=None):
    """Moves weights towards 0 by L1 regularization: each by l1 / l2, at most to 0.

    Args:
      weights: A list of float32 variables.
      l1: Strength of the L1 regularization, a float.
      l2: Strength of the L2 regularization, a float.
      name: Name of the operation (optional).

    Returns:
      The `Operation`.

    Raises:
      TypeError: A weight is not a variable of type float32 by reference.
      tf.errors.FailedPreconditionError: When run: a variable has no value.

    Example:

    >>> w = tf.Variable([1.0, -0.2], use_resource=False)
    >>> sess.run(w.initializer)
    >>> sess.run(tf.train.sdca_shrink_l1([w], l1=0.5, l2=2.0))
    >>> print(sess.run(w))
    [ 0.75 -0.  ]
    """
    return SdcaShrinkL1(weights, l1=l1, l2=l2, name=name)
