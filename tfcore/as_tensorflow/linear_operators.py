"""Names of modules of tensorflow.python.ops.linalg: products, solutions and sums with batches that broadcast."""

import functools

from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.composed.linear_operators.full_matrix import LinearOperatorFullMatrix
from tfcore.composed.linear_operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tfcore.composed.linear_operators.lower_triangular import LinearOperatorLowerTriangular
from tfcore.composed.linear_operators.util import assert_no_zeros, assert_real, broadcast_batches
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.binary import add
from tfcore.ops.linalg.linalg import cholesky_solve, matrix_solve, matrix_triangular_solve
from tfcore.ops.linalg.matmul import matmul


def broadcast_matrix_batch_dims(batch_matrices, name=None):
    """Matrices whose batches have one shape, as a list."""
    with name_scope(name, "broadcast_matrix_batch_dims", batch_matrices):
        return broadcast_batches([convert_to_tensor(matrix) for matrix in batch_matrices])


def matmul_with_broadcast(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The product of matrices whose batches broadcast."""
    with name_scope(name, "MatMulWithBroadcast", [a, b]):
        a, b = broadcast_matrix_batch_dims([a, b])
        return matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b)


def matrix_solve_with_broadcast(matrix, rhs, adjoint=False, name=None):
    """Solutions of systems of linear equations whose batches broadcast."""
    with name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_solve(matrix, rhs, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solutions of systems with triangular matrices whose batches broadcast."""
    with name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve_with_broadcast(chol, rhs, name=None):
    """Solutions of systems of which the Cholesky factors are given, whose batches broadcast."""
    with name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        return cholesky_solve(*broadcast_matrix_batch_dims([chol, rhs]))


def assert_no_entries_with_modulus_zero(x, message=None, name="assert_no_entries_with_modulus_zero"):
    """An operation that fails if an element is zero."""
    with name_scope(name, values=[x]):
        return assert_no_zeros(convert_to_tensor(x), message)


def assert_zero_imag_part(x, message=None, name="assert_zero_imag_part"):
    """An operation that fails if an element of a complex tensor is not real."""
    with name_scope(name, values=[x]):
        return assert_real(convert_to_tensor(x), message)


def add_operators(operators, operator_name=None, addition_tiers=None, name=None):
    """The sum of operators as one of the simplest kind that holds it, in a list: linear_operator_addition has this.

    Raises:
      NotImplementedError: `addition_tiers` is given.
      ValueError: There are no operators.
    """
    if addition_tiers is not None:
        raise NotImplementedError("add_operators does not support addition_tiers")
    if not operators:
        raise ValueError("Argument operators must not be empty")
    with name_scope(name, "add_operators"):
        total = functools.reduce(_sum, operators)
        if operator_name is not None and len(operators) > 1:
            total = _sum_of_kind(type(total), [total], operator_name)
        return [total]


# From the simplest to the one that holds all
_KINDS = (LinearOperatorScaledIdentity, LinearOperatorDiag, LinearOperatorLowerTriangular, LinearOperatorFullMatrix)


def _sum(a, b):
    kinds = [LinearOperatorScaledIdentity if isinstance(x, LinearOperatorIdentity) else type(x) for x in (a, b)]
    places = [_KINDS.index(kind) if kind in _KINDS else len(_KINDS) - 1 for kind in kinds]
    return _sum_of_kind(_KINDS[max(places)], [a, b], f"Add/{a.name}__{b.name}/")


def _sum_of_kind(kind, operators, name):
    hints = {
        "is_non_singular": all(x.is_positive_definite for x in operators) or None,
        "is_self_adjoint": all(x.is_self_adjoint for x in operators) or None,
        "is_positive_definite": all(x.is_positive_definite for x in operators) or None,
        "name": name,
    }
    if kind is LinearOperatorScaledIdentity:
        factors = [getattr(x, "multiplier", constant(1.0, x.dtype)) for x in operators]
        return kind(operators[0].domain_dimension_tensor(), _total(factors), **hints)
    if kind is LinearOperatorDiag:
        return kind(_total([x.diag_part() for x in operators]), **hints)
    return kind(_total([x.to_dense() for x in operators]), **hints)


def _total(tensors):
    """The sum of tensors that broadcast."""
    return functools.reduce(add, tensors)
