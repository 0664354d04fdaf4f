"""tf.linalg.experimental.conjugate_gradient: systems of equations without the matrix."""

import collections

from tfcore.composed.norms import norm
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.broadcast import broadcast_dynamic_shape
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.compare import logical_and
from tfcore.ops.cwise.complex import conj
from tfcore.ops.reduce.reduce import reduce_any, reduce_sum

CGState = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(operator, rhs, preconditioner=None, x=None, tol=1e-5, max_iter=20, name="conjugate_gradient"):
    """Solves `A x = rhs` for a self-adjoint, positive definite matrix by conjugate gradients.

    It ends after `max_iter` steps, or when the norm of the residual is at most `tol` times that of `rhs`.

    Args:
      operator: A `LinearOperator`, the matrix.
      rhs: A vector, or a batch of them.
      preconditioner: A `LinearOperator` that approximates the inverse of the matrix (optional).
      x: The initial guess; zeros by default.
      tol: The tolerance, a float.
      max_iter: The greatest number of steps, an int.
      name: Name of the scope.

    Returns:
      A named tuple: the number of steps `i`, the solution `x`, the residual `r`, the last direction `p` and `gamma`,
      the squared norm of the residual.

    Raises:
      ValueError: The operator is not known to be self-adjoint and positive definite.

    Example:

    >>> facts = {"is_self_adjoint": True, "is_positive_definite": True}
    >>> a = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], **facts)
    >>> print(sess.run(tf.linalg.experimental.conjugate_gradient(a, [1.0, 2.0]).x).round(4))
    [0.0909 0.6364]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")

    with name_scope(name):
        rhs = convert_to_tensor(rhs, name="rhs")
        batch = broadcast_dynamic_shape(array.shape(rhs)[:-1], operator.batch_shape_tensor())
        if preconditioner is not None:
            batch = broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
        full = concat([batch, array.shape(rhs)[-1:]], axis=-1)
        residual = broadcast_to(rhs, full)
        limit = tol * norm(residual, axis=-1)
        if x is None:
            x = zeros(full, dtype=rhs.dtype.base_dtype)
        else:
            x = convert_to_tensor(x, name="x")
            residual = rhs - operator.matvec(x)
        direction = residual if preconditioner is None else preconditioner.matvec(residual)
        first = CGState(constant(0, dtypes.int32), x, residual, direction, _dot(residual, direction))

        def is_needed(*state):
            state = CGState(*state)
            return logical_and(state.i < max_iter, reduce_any(norm(state.r, axis=-1) > limit))

        def step(*state):
            return _step(operator, preconditioner, CGState(*state))

        return CGState(*while_loop(is_needed, step, list(first)))


def _step(operator, preconditioner, state):
    changed = operator.matvec(state.p)
    alpha = (state.gamma / _dot(state.p, changed))[..., None]
    r = state.r - alpha * changed
    q = r if preconditioner is None else preconditioner.matvec(r)
    gamma = _dot(r, q)
    return [state.i + 1, state.x + alpha * state.p, r, q + (gamma / state.gamma)[..., None] * state.p, gamma]


def _dot(x, y):
    return reduce_sum(conj(x) * y, axis=-1)
