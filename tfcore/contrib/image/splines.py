"""Polyharmonic splines."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as join
from tfcore.framework.graph.default_graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.diag import eye, matrix_transpose
from tfcore.ops.cwise.binary import maximum, pow  # noqa: A004  named as in TensorFlow
from tfcore.ops.cwise.unary import log, sqrt, square
from tfcore.ops.linalg.linalg import matrix_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_sum

_LEAST = 1e-10  # logarithms and slopes of roots are finite from here on


def interpolate_spline(
    train_points, train_values, query_points, order, regularization_weight=0.0, name="interpolate_spline"
):
    """Values between points, by polyharmonic splines: weighted functions of the distance to each point, and a plane.

    Args:
      train_points: A `Tensor` of shape [batch, n, d], d known: places.
      train_values: A `Tensor` of shape [batch, n, k], k known: the values there.
      query_points: A `Tensor` of shape [batch, m, d]: other places.
      order: 1 for distances, 2 for thin plates (r^2 log r), 3 for cubes of distances, and so on.
      regularization_weight: How much the values may deviate in favour of smoothness.
      name: Prefix of the operations' names.

    Returns:
      A `Tensor` of shape [batch, m, k]: the values at the other places.

    Raises:
      ValueError: d or k is unknown.
    """
    with name_scope(name):
        points, values, queries = (convert_to_tensor(x) for x in (train_points, train_values, query_points))
        weights, plane = _solve(points, values, order, regularization_weight)
        bent = matmul(_function(_squared_distances(queries, points), order), weights)
        return bent + matmul(_with_ones(queries), plane)


def _solve(points, values, order, regularization_weight):
    """The weights of the points, and the plane: what gives the values at the points, with weights that cancel out."""
    count, d, k = array_ops.shape(points)[1], points.shape[-1].value, values.shape[-1].value
    if d is None:
        raise ValueError("The dimensionality of the input points (d) must be statically-inferrable.")
    if k is None:
        raise ValueError("The dimensionality of the output values (k) must be statically-inferrable.")
    a, b = _function(_squared_distances(points, points), order), _with_ones(points)
    if regularization_weight > 0:
        a += regularization_weight * eye(count, dtype=points.dtype)[None]
    batch = array_ops.shape(points)[0]
    corner = constants.zeros([batch, d + 1, d + 1], points.dtype)
    left = join.concat([join.concat([a, matrix_transpose(b)], 1), join.concat([b, corner], 1)], 2)
    right = join.concat([values, constants.zeros([batch, d + 1, k], points.dtype)], 1)
    solution = matrix_solve(left, right)
    return solution[:, :count], solution[:, count:]


def _squared_distances(x, y):
    squares = [reduce_sum(square(z), 2) for z in (x, y)]
    return squares[0][:, :, None] - 2 * matmul(x, y, transpose_b=True) + squares[1][:, None, :]


def _with_ones(points):
    return join.concat([points, constants.ones_like(points[..., :1])], 2)


def _function(squared, order):
    """What the spline has of a distance."""
    limited = maximum(squared, _LEAST)
    if order == 1:
        return sqrt(limited)
    if order == 2:
        return 0.5 * squared * log(limited)
    if order == 4:
        return 0.5 * square(squared) * log(limited)
    power = pow(limited, 0.5 * order)
    return power if order % 2 else 0.5 * power * log(limited)
