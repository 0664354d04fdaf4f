"""Square roots and logarithms of matrices."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.diag as diag
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.cwise.unary as unary
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.select import where_v2


def _square_shape(op):
    dims = shapes.with_rank_at_least(op.inputs[0].dims, 2)
    if dims is None:
        return [None]
    size = shapes.merge_dim(dims[-2], dims[-1])
    return [(*dims[:-2], size, size)]


MatrixSquareRoot = define_op(
    "MatrixSquareRoot",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: {double, float, half, complex64, complex128}"],
    shape=_square_shape,
    doc="x with x x = input, whose eigenvalues have real parts >= 0; NaN for a matrix that has no such root.",
)
MatrixLogarithm = define_op(
    "MatrixLogarithm",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: {complex64, complex128}"],
    shape=_square_shape,
    doc="x with expm(x) = input, whose eigenvalues have imaginary parts in (-pi, pi]; NaN for a singular matrix.",
)
undefined_gradient("MatrixLogarithm")


@gradient("MatrixSquareRoot")
def _square_root_grad(op, grad):
    """x with r* x + x r* = grad, for the root r: the block on the right of the root of [[a*, grad], [0, a*]]."""
    a = diag.matrix_transpose(op.inputs[0], conjugate=True)
    # Rounding errors are proportional to the largest block.
    sizes = [reduce_ops.reduce_max(unary.abs(x), [-2, -1], keepdims=True) for x in (grad, a)]
    scale = array_ops.stop_gradient(where_v2(sizes[0] > 0, sizes[0] / sizes[1], constants.ones_like(sizes[0])))
    scale = cast_ops.cast(scale, grad.dtype)
    blocks = concat([concat([a, grad / scale], -1), concat([constants.zeros_like(a), a], -1)], -2)
    n = array_ops.shape(a)[-1]
    return scale * MatrixSquareRoot(blocks)[..., :n, n:]


def sqrtm(input, name=None):  # noqa: A002  named as in TensorFlow
    """The principal square roots of matrices: x with matmul(x, x) = input.

    Args:
      input: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`, whose eigenvalues have real parts >= 0. A matrix that has no such
      root gives NaN: one with elements that are not finite, a real one with negative eigenvalues, or one in which 0 is
      an eigenvalue more than once.

    Raises:
      ValueError: The matrices are not square.

    Example:

    >>> print(sess.run(tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])))
    [[2. 0.]
     [0. 3.]]
    """
    return MatrixSquareRoot(input, name=name)


def logm(input, name=None):  # noqa: A002  named as in TensorFlow
    """The principal logarithms of matrices: x with expm(x) = input. It has no gradient.

    Args:
      input: A `Tensor` of type complex64 or complex128 and shape [..., n, n].
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`, whose eigenvalues have imaginary parts in (-pi, pi]; NaN for matrices
      that are singular or have elements that are not finite.

    Raises:
      TypeError: `input` is not complex.
      ValueError: The matrices are not square.
    """
    return MatrixLogarithm(input, name=name)
