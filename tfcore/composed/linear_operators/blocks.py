"""Arguments of operators that are made of blocks: one tensor, or a list with one for each block."""

from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import broadcast_batches
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, squeeze
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat, split


class BlockOperator(LinearOperator):
    """A base class for operators whose arguments may be lists; `diagonal` are the operators on the diagonal."""

    def _sizes(self, rows):
        """The sizes of blocks of rows or columns, ints where they are known."""
        result = []
        for o in self.diagonal:
            n = (o.range_dimension if rows else o.domain_dimension).value
            tensor = o.range_dimension_tensor if rows else o.domain_dimension_tensor
            result.append(tensor() if n is None else n)
        return result

    def _is_blockwise(self, x):
        """Whether an argument is a list of matrices, not one that is written as a list."""
        blocks = isinstance(x, (list, tuple)) and len(x) == len(self.diagonal)
        return blocks and all(hasattr(block, "shape") and hasattr(block, "dtype") for block in x)

    def _block(self, x, i, rows, axis):
        """Block i of a list, as a tensor that fits; an operator stays one."""
        if isinstance(x, LinearOperator):
            return x
        x = convert_to_tensor(x)
        if x.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {x.dtype} in tensor {x}")
        o = self.diagonal[i]
        if x.shape.ndims is not None:
            size = o.range_dimension if rows else o.domain_dimension
            size.assert_is_compatible_with(x.shape.dims[axis])
        return x

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product of the operator with matrices, with a list of matrices for the blocks, or with an operator.

        Args:
          x: A `Tensor` of the operator's dtype and shape [..., n, k], a list of such tensors, or a `LinearOperator`.
          adjoint: Whether to multiply with the operator's adjoint.
          adjoint_arg: Whether to multiply with the adjoint of `x`.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, k], a list of tensors, or a `LinearOperator`.

        Raises:
          TypeError: `x` has another dtype.
          ValueError: The dimensions do not fit.
        """
        if not self._is_blockwise(x):
            return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg, name=name)
        with self._name_scope(name):
            axis = -1 if adjoint_arg else -2
            x = [self._block(block, i, adjoint, axis) for i, block in enumerate(x)]
            return self._matmul_blocks(_adjoints(x, adjoint_arg), adjoint)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product of the operator with vectors, or with a list of vectors for the blocks.

        Args:
          x: A `Tensor` of the operator's dtype and shape [..., n], or a list of such tensors.
          adjoint: Whether to multiply with the operator's adjoint.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m], or a list of tensors.

        Raises:
          TypeError: `x` has another dtype.
          ValueError: The dimensions do not fit.
        """
        if not self._is_blockwise(x):
            return super().matvec(x, adjoint=adjoint, name=name)
        with self._name_scope(name):
            x = [expand_dims(self._block(block, i, adjoint, -1), -1) for i, block in enumerate(x)]
            return [squeeze(y, [-1]) for y in self._matmul_blocks(x, adjoint)]

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """Solves A x = rhs, where rhs is a batch of matrices, a list of them for the blocks, or an operator.

        Args:
          rhs: A `Tensor` of the operator's dtype and shape [..., m, k], a list of such tensors, or a `LinearOperator`.
          adjoint: Whether to take the operator's adjoint for A.
          adjoint_arg: Whether to take the adjoint of `rhs`.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., n, k], a list of tensors, or a `LinearOperator`.

        Raises:
          NotImplementedError: The operator is not square, or is singular.
          TypeError: `rhs` has another dtype.
          ValueError: The dimensions do not fit.
        """
        if not self._is_blockwise(rhs):
            return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg, name=name)
        self._want_regular()
        with self._name_scope(name):
            axis = -1 if adjoint_arg else -2
            rhs = [self._block(block, i, not adjoint, axis) for i, block in enumerate(rhs)]
            return self._solve_blocks(_adjoints(rhs, adjoint_arg), adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """Solves A x = rhs, where rhs is a batch of vectors or a list of them for the blocks.

        Args:
          rhs: A `Tensor` of the operator's dtype and shape [..., m], or a list of such tensors.
          adjoint: Whether to take the operator's adjoint for A.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., n], or a list of tensors.

        Raises:
          NotImplementedError: The operator is not square, or is singular.
          TypeError: `rhs` has another dtype.
          ValueError: The dimensions do not fit.
        """
        if not self._is_blockwise(rhs):
            return super().solvevec(rhs, adjoint=adjoint, name=name)
        self._want_regular()
        with self._name_scope(name):
            rhs = [expand_dims(self._block(block, i, not adjoint, -1), -1) for i, block in enumerate(rhs)]
            return [squeeze(x, [-1]) for x in self._solve_blocks(rhs, adjoint)]

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        return _joined(self._matmul_blocks(split(x, self._sizes(rows=adjoint), -2), adjoint))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = matrix_transpose(rhs, conjugate=True) if adjoint_arg else rhs
        return _joined(self._solve_blocks(split(rhs, self._sizes(rows=not adjoint), -2), adjoint))


def _adjoints(blocks, wanted):
    if not wanted:
        return blocks
    return [b.adjoint() if isinstance(b, LinearOperator) else matrix_transpose(b, conjugate=True) for b in blocks]


def _joined(blocks):
    return concat(broadcast_batches(blocks), -2)
