"""LinearOperator: batches of matrices that are defined by their products with vectors, not by their elements.

A kind of operator derives from it and defines `_shape`, `_shape_tensor` and `_matmul`; every other method has a default
that works on the dense matrix. The names of these methods are TensorFlow's, as programs define kinds of their own.
"""

import contextlib

import numpy as np

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.util import (
    broadcast_batches,
    dense_solve,
    shape_tensor,
    warn_of_dense_matrix,
)
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, size, squeeze
from tfcore.ops.array.diag import eye, matrix_diag_part, matrix_transpose
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, log
from tfcore.ops.debugging.check import assert_equal, assert_less, assert_positive
from tfcore.ops.linalg.decompositions import self_adjoint_eigvals, svd
from tfcore.ops.linalg.linalg import cholesky, cholesky_solve, matrix_determinant, slogdet
from tfcore.ops.reduce.reduce import reduce_max, reduce_min, reduce_sum


class LinearOperator:
    """A batch of matrices [..., m, n], known by what they do to vectors.

    Hints say what a program knows of the matrices: True, False, or None where it is not known. They choose methods and
    are not checked; `assert_non_singular` and the others check them in a run.

    Args:
      dtype: The type of the elements.
      graph_parents: Deprecated: a list of tensors.
      is_non_singular: Whether the matrices have inverses.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether the real part of x* A x is positive for all x but 0.
      is_square: Whether m equals n.
      name: The prefix of the names of the operations; by default the name of the class.
      parameters: The arguments of the constructor, as a dict.

    Raises:
      ValueError: The hints contradict each other.
    """

    def __init__(
        self,
        dtype,
        graph_parents=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
        parameters=None,
    ):
        if is_positive_definite:
            is_non_singular = hints.implied(is_non_singular, "A positive definite matrix is always non-singular.")
        if is_non_singular:
            is_square = hints.implied(is_square, "A non-singular matrix is always square.")
        if is_self_adjoint:
            is_square = hints.implied(is_square, "A self-adjoint matrix is always square.")
        for i, t in enumerate(graph_parents or ()):
            if not hasattr(t, "op"):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {t}.")
        self._graph_parents = list(graph_parents or ())
        self._dtype = dtypes.as_dtype(dtype).base_dtype if dtype else dtype
        self._is_square = is_square
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name=None):
        with name_scope(f"{self.name}/{name}" if name else self.name) as scope:
            yield scope

    def __repr__(self):
        return f"<{type(self).__name__} {self.name} of shape {self.shape} and dtype {self.dtype}>"

    # ---- Properties

    @property
    def parameters(self):
        """The arguments of the constructor, as a new dict."""
        return dict(self._parameters)

    @property
    def dtype(self):
        """The type of the elements."""
        return self._dtype

    @property
    def name(self):
        """The prefix of the names of the operations."""
        return self._name

    @property
    def graph_parents(self):
        """Deprecated: the tensors that the constructor was given as such."""
        return self._graph_parents

    @property
    def is_non_singular(self):
        """Whether the matrices have inverses: True, False or None."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self):
        """Whether the matrices equal their adjoints: True, False or None."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self):
        """Whether the matrices are positive definite: True, False or None."""
        return self._is_positive_definite

    @property
    def is_square(self):
        """Whether the matrices are square: True, False or None."""
        equal = self.domain_dimension == self.range_dimension
        if self._is_square is False and equal:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return equal if self._is_square is None else self._is_square

    # ---- Shapes

    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self):
        """The `TensorShape` [..., m, n]."""
        return self._shape()

    def shape_tensor(self, name="shape_tensor"):
        """The shape [..., m, n].

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An int32 `Tensor`.
        """
        with self._name_scope(name):
            static = self.shape
            return shape_tensor(static.as_list()) if static.is_fully_defined() else self._shape_tensor()

    @property
    def batch_shape(self):
        """The `TensorShape` of the batch."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape of the batch.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An int32 `Tensor`.
        """
        with self._name_scope(name):
            static = self.batch_shape
            return shape_tensor(static.as_list()) if static.is_fully_defined() else self.shape_tensor()[:-2]

    @property
    def tensor_rank(self):
        """The number of dimensions of the shape [..., m, n], or None."""
        return self.shape.ndims

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """The number of dimensions of the shape [..., m, n].

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An int32 `Tensor`.
        """
        with self._name_scope(name):
            rank = self.tensor_rank
            return size(self.shape_tensor()) if rank is None else convert_to_tensor(rank)

    @property
    def domain_dimension(self):
        """The `Dimension` n of the vectors that the matrices take."""
        return Dimension(None) if self.shape.ndims is None else self.shape.dims[-1]

    @property
    def range_dimension(self):
        """The `Dimension` m of the vectors that they give."""
        return Dimension(None) if self.shape.ndims is None else self.shape.dims[-2]

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """n.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An int32 `Tensor`.
        """
        with self._name_scope(name):
            n = self.domain_dimension.value
            return self.shape_tensor()[-1] if n is None else convert_to_tensor(n)

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """m.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An int32 `Tensor`.
        """
        with self._name_scope(name):
            m = self.range_dimension.value
            return self.shape_tensor()[-2] if m is None else convert_to_tensor(m)

    # ---- Assertions

    def assert_non_singular(self, name="assert_non_singular"):
        """An operation that fails unless the matrices have inverses, up to rounding errors.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An `Operation`.
        """
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_non_singular(self):
        warn_of_dense_matrix("assert_non_singular")
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, -1) / reduce_min(values, -1)
        most = maximum(maximum(self.range_dimension_tensor(), self.domain_dimension_tensor()), 100)
        limit = 1 / (cast(most, condition.dtype) * np.finfo(self.dtype.as_numpy_dtype).eps)
        return assert_less(condition, limit, message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """An operation that fails unless the matrices are positive definite.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An `Operation`.
        """
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_positive_definite(self):
        warn_of_dense_matrix("assert_positive_definite")
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        diagonal = abs_of(matrix_diag_part(cholesky(self.to_dense())))
        return assert_positive(diagonal, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """An operation that fails unless the matrices equal their adjoints.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An `Operation`.
        """
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _assert_self_adjoint(self):
        warn_of_dense_matrix("assert_self_adjoint")
        dense = self.to_dense()
        adjoint = matrix_transpose(dense, conjugate=True)
        return assert_equal(dense, adjoint, message="Matrix was not equal to its adjoint.")

    def _can_use_cholesky(self):
        return self.is_self_adjoint and self.is_positive_definite

    # ---- Products

    def _argument(self, x, name, own_axis, axis):
        """x as a tensor, whose dimension `axis` fits dimension `own_axis` of the operator."""
        x = convert_to_tensor(x, name=name)
        if x.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {x.dtype} in tensor {x}")
        _dimension(self.shape, own_axis).assert_is_compatible_with(_dimension(x.shape, axis))
        return x

    def _pair(self, other, adjoint, adjoint_arg, name):
        """Both operators, or their adjoints."""
        left, right = self.adjoint() if adjoint else self, other.adjoint() if adjoint_arg else other
        if not left.domain_dimension.is_compatible_with(right.range_dimension):
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {left.domain_dimension} but got"
                f" {right.range_dimension}."
            )
        return left, right

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product of the operator with matrices, or with another operator.

        Args:
          x: A `Tensor` of the operator's dtype and shape [..., n, k], or a `LinearOperator`.
          adjoint: Whether to multiply with the operator's adjoint.
          adjoint_arg: Whether to multiply with the adjoint of `x`.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, k], or a `LinearOperator`.

        Raises:
          TypeError: `x` has another dtype.
          ValueError: The dimensions do not fit.
        """
        if isinstance(x, LinearOperator):
            pair = self._pair(x, adjoint, adjoint_arg, "x")
            with self._name_scope(name):
                return pair[0]._linop_matmul(*pair)
        with self._name_scope(name):
            x = self._argument(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product of the operator with vectors.

        Args:
          x: A `Tensor` of the operator's dtype and shape [..., n].
          adjoint: Whether to multiply with the operator's adjoint.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m].

        Raises:
          TypeError: `x` has another dtype.
          ValueError: The dimensions do not fit.
        """
        with self._name_scope(name):
            return self._matvec(self._argument(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

    def _matvec(self, x, adjoint=False):
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), [-1])

    def _linop_matmul(self, left_operator, right_operator):
        return hints.product(left_operator, right_operator)

    # ---- Determinants

    def determinant(self, name="det"):
        """The determinants.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of the shape of the batch.

        Raises:
          NotImplementedError: The matrices are not square.
        """
        self._want_square("Determinant")
        with self._name_scope(name):
            return self._determinant()

    def _want_square(self, what):
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

    def _determinant(self):
        warn_of_dense_matrix("determinant")
        return exp(self.log_abs_determinant()) if self._can_use_cholesky() else matrix_determinant(self.to_dense())

    def log_abs_determinant(self, name="log_abs_det"):
        """The logarithms of the magnitudes of the determinants.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of the operator's dtype.

        Raises:
          NotImplementedError: The matrices are not square.
        """
        self._want_square("Determinant")
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _log_abs_determinant(self):
        warn_of_dense_matrix("determinant")
        if self._can_use_cholesky():
            return 2 * reduce_sum(log(matrix_diag_part(cholesky(self.to_dense()))), [-1])
        return slogdet(self.to_dense())[1]

    # ---- Systems of equations

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """Solves A x = rhs, where rhs is a batch of matrices or another operator.

        Args:
          rhs: A `Tensor` of the operator's dtype and shape [..., m, k], or a `LinearOperator`.
          adjoint: Whether to take the operator's adjoint for A.
          adjoint_arg: Whether to take the adjoint of `rhs`.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., n, k], or a `LinearOperator`.

        Raises:
          NotImplementedError: The operator is not square, or is singular.
          TypeError: `rhs` has another dtype.
          ValueError: The dimensions do not fit.
        """
        self._want_regular()
        if isinstance(rhs, LinearOperator):
            pair = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            with self._name_scope(name):
                return pair[0]._linop_solve(*pair)
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _want_regular(self):
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        self._want_square("Exact solve")

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        warn_of_dense_matrix("solve")
        rhs = matrix_transpose(rhs, conjugate=True) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return cholesky_solve(*broadcast_batches([cholesky(self.to_dense()), rhs]))
        return dense_solve(self.to_dense(), rhs, adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """Solves A x = rhs, where rhs is a batch of vectors.

        Args:
          rhs: A `Tensor` of the operator's dtype and shape [..., m].
          adjoint: Whether to take the operator's adjoint for A.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., n].

        Raises:
          NotImplementedError: The operator is not square, or is singular.
          TypeError: `rhs` has another dtype.
          ValueError: The dimensions do not fit.
        """
        with self._name_scope(name):
            return self._solvevec(self._argument(rhs, "rhs", -1 if adjoint else -2, -1), adjoint=adjoint)

    def _solvevec(self, rhs, adjoint=False):
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), [-1])

    def _linop_solve(self, left_operator, right_operator):
        return hints.solution(left_operator, right_operator)

    # ---- Other operators

    def adjoint(self, name="adjoint"):
        """The operator of the conjugate transposes; the same one if it is self-adjoint.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `LinearOperator`.
        """
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return self._linop_adjoint()

    H = property(adjoint, None, None, "The operator of the conjugate transposes.")

    def _linop_adjoint(self):
        return hints.adjoint_of(self)

    def inverse(self, name="inverse"):
        """The operator of the inverses.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `LinearOperator`.

        Raises:
          ValueError: The operator is not square, or is singular.
        """
        for hint, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if hint is False:
                raise ValueError(f"Cannot take the Inverse: This operator represents a {what} matrix.")
        with self._name_scope(name):
            return self._linop_inverse()

    def _linop_inverse(self):
        return hints.inverse_of(self)

    def cholesky(self, name="cholesky"):
        """The operator of the lower triangular L with L L* = A.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `LinearOperator`.

        Raises:
          ValueError: The hints do not say that the operator is self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._name_scope(name):
            return self._linop_cholesky()

    def _linop_cholesky(self):
        return hints.lower_triangular(cholesky(self.to_dense()))

    # ---- Dense matrices

    def to_dense(self, name="to_dense"):
        """The matrices.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, n].
        """
        with self._name_scope(name):
            return self._to_dense()

    def _to_dense(self):
        n, batch = self.domain_dimension.value, self.batch_shape
        n = self.domain_dimension_tensor() if n is None else n
        batch = batch.as_list() if batch.is_fully_defined() else self.batch_shape_tensor()
        return self.matmul(eye(n, batch_shape=batch, dtype=self.dtype))

    def diag_part(self, name="diag_part"):
        """The diagonals.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., min(m, n)].
        """
        with self._name_scope(name):
            return self._diag_part()

    def _diag_part(self):
        return matrix_diag_part(self.to_dense())

    def trace(self, name="trace"):
        """The sums of the diagonals.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of the shape of the batch.
        """
        with self._name_scope(name):
            return self._trace()

    def _trace(self):
        return reduce_sum(self.diag_part(), -1)

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum of the operator and a tensor.

        Args:
          x: A `Tensor` of the operator's dtype and a shape that broadcasts with its own.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, n].
        """
        with self._name_scope(name):
            return self._add_to_tensor(self._argument(x, "x", -1, -1))

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def eigvals(self, name="eigvals"):
        """The eigenvalues of a self-adjoint operator.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., n].

        Raises:
          NotImplementedError: The hints do not say that the operator is self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._name_scope(name):
            return self._eigvals()

    def _eigvals(self):
        return self_adjoint_eigvals(self.to_dense())

    def cond(self, name="cond"):
        """The condition numbers.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of the shape of the batch.
        """
        with self._name_scope(name):
            return self._cond()

    def _cond(self):
        values = abs_of(self._eigvals()) if self.is_self_adjoint else svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def __getitem__(self, slices):
        """A part of the batch, as a dense operator."""
        return hints.dense_part(self, slices)


def _dimension(shape, axis):
    return Dimension(None) if shape.ndims is None else shape.dims[axis]
