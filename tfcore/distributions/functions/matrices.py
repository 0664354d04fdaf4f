"""Functions of triangles and diagonals."""

import math

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.diag import matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import pad, reverse
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import round as round_of
from tfcore.ops.cwise.unary import sqrt


def fill_triangular(x, upper=False, name=None):
    """Triangular matrices of the elements of vectors, in a clockwise spiral from the last row (or the first one).

    Args:
      x: A `Tensor` of shape [..., n * (n + 1) / 2].
      upper: Whether matrices are upper triangles.
      name: Name of the scope.

    Returns:
      A `Tensor` of shape [..., n, n].

    Raises:
      ValueError: No triangle has as many elements.

    Example:

    >>> print(sess.run(tf.contrib.distributions.fill_triangular([1, 2, 3, 4, 5, 6])).tolist())
    [[4, 0, 0], [6, 5, 0], [3, 2, 1]]
    """
    with name_scope(name, "fill_triangular", values=[x]):
        x = convert_to_tensor(x, name="x")
        known = x.shape.with_rank_at_least(1).as_list()[-1] if x.shape.ndims is not None else None
        if known is None:
            n = cast(round_of(sqrt(0.25 + 2 * cast(shape(x)[-1], "float64")) - 0.5), "int32")
        else:
            n = (math.isqrt(8 * known + 1) - 1) // 2
            if n * (n + 1) // 2 != known:
                raise ValueError(f"Input right-most shape ({known}) does not correspond to a triangular matrix.")
        rest = reverse(x[..., n:], [-1]) if upper else x[..., n:]
        rows = concat([x, rest] if upper else [rest, reverse(x, [-1])], -1)
        rows = reshape(rows, concat([shape(x)[:-1], [n, n]], 0))
        if x.shape.ndims is not None:
            rows.set_shape([*x.shape.as_list()[:-1], *([n, n] if known is not None else [None, None])])
        return matrix_band_part(rows, 0 if upper else -1, -1 if upper else 0)


def fill_triangular_inverse(x, upper=False, name=None):
    """The vectors of which `fill_triangular` makes matrices.

    Args:
      x: A `Tensor` of shape [..., n, n], of which one triangle is used.
      upper: Whether that is the upper triangle.
      name: Name of the scope.

    Returns:
      A `Tensor` of shape [..., n * (n + 1) / 2].

    Raises:
      ValueError: `x` has less than two dimensions.
    """
    with name_scope(name, "fill_triangular_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        known = x.shape.with_rank_at_least(2).as_list()[-1] if x.shape.ndims is not None else None
        n = shape(x)[-1] if known is None else known
        count = n * (n + 1) // 2
        triangle = matrix_band_part(x, 0 if upper else -1, -1 if upper else 0)
        ahead = reshape(triangle, concat([shape(x)[:-2], [n * n]], 0))
        back = reverse(ahead, [-1])
        # fill_triangular put elements from the n-th on in two places, one of them outside of the triangle
        whole, part = (ahead, back) if upper else (back, ahead)
        part = concat([zeros_like(part[..., :n]), part[..., : count - n]], -1)
        result = whole[..., :count] + part
        if x.shape.ndims is not None:
            result.set_shape([*x.shape.as_list()[:-2], count if known is not None else None])
        return result


def matrix_diag_transform(matrix, transform=None, name=None):
    """Matrices with a function applied to their diagonals.

    Args:
      matrix: A `Tensor` of shape [..., n, n].
      transform: A function of a `Tensor` of shape [..., n]; the identity by default.
      name: Name of the scope.

    Returns:
      A `Tensor` of the shape of `matrix`.

    Raises:
      ValueError: `matrix` has less than two dimensions.

    Example:

    >>> print(sess.run(tf.contrib.distributions.matrix_diag_transform([[1.0, 2.0], [3.0, 4.0]], tf.sqrt)).tolist())
    [[1.0, 2.0], [3.0, 2.0]]
    """
    with name_scope(name, "matrix_diag_transform", values=[matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        return matrix if transform is None else matrix_set_diag(matrix, transform(matrix_diag_part(matrix)))


def tridiag(below=None, diag=None, above=None, name=None):
    """Matrices of three diagonals.

    Args:
      below: The elements below the diagonal, a `Tensor` of shape [..., n - 1].
      diag: The diagonal, a `Tensor` of shape [..., n].
      above: The elements above the diagonal, of the shape of `below`.
      name: Name of the scope.

    Returns:
      A `Tensor` of shape [..., n, n].

    Raises:
      ValueError: All diagonals are None.

    Example:

    >>> print(sess.run(tf.contrib.distributions.tridiag([1], [2, 3], [4])).tolist())
    [[2, 4], [1, 3]]
    """
    if below is None and diag is None and above is None:
        raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
    with name_scope(name, "tridiag", values=[below, diag, above]):
        total = None
        for given, rows, columns in ((below, [1, 0], [0, 1]), (diag, [0, 0], [0, 0]), (above, [0, 1], [1, 0])):
            if given is None:
                continue
            matrix = matrix_diag(given)
            if given is not diag:
                matrix = pad(matrix, [*[[0, 0]] * (matrix.shape.ndims - 2), rows, columns])
            total = matrix if total is None else total + matrix
        return total
