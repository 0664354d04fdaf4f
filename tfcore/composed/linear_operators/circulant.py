"""The operators of circulant matrices, and of those with circulant blocks."""

import numpy as np

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import assert_no_zeros, assert_real
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, shape
from tfcore.ops.array.constants import ones, zeros_like
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import complex as complex_of
from tfcore.ops.cwise.complex import conj, imag, real
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log
from tfcore.ops.debugging.check import assert_less, assert_positive
from tfcore.ops.linalg.fft import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tfcore.ops.reduce.reduce import reduce_max, reduce_min, reduce_prod, reduce_sum

_FFT, _IFFT = {1: fft, 2: fft2d, 3: fft3d}, {1: ifft, 2: ifft2d, 3: ifft3d}


class _Circulant(LinearOperator):
    """What the three kinds share: A = F^-1 diag(spectrum) F, with the Fourier transform F of `block_depth` axes."""

    _depth = None

    def __init__(self, spectrum, input_output_dtype, given, is_square, name, parameters):
        self._spectrum = convert_to_tensor(spectrum, name="spectrum")
        rank = self._spectrum.shape.ndims
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {self._spectrum}."
            )
        if not self._spectrum.dtype.is_complex:
            given["is_self_adjoint"] = hints.implied(
                given["is_self_adjoint"],
                "A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to"
                f" be True when `spectrum.dtype.is_complex` = True. Received: {given['is_self_adjoint']}.",
            )
        hints.implied(
            is_square,
            "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True."
            f" Received: {is_square}.",
        )
        dtype = dtypes.as_dtype(input_output_dtype)
        super().__init__(dtype, **given, is_square=True, name=name, parameters=parameters)

    @property
    def block_depth(self):
        """The number of axes of the Fourier transform."""
        return self._depth

    @property
    def block_shape(self):
        """The `TensorShape` of those axes."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self):
        """Their shape as an int32 `Tensor`."""
        return shape(self._spectrum)[-self._depth :]

    @property
    def spectrum(self):
        """The eigenvalues, a `Tensor` with the axes of the Fourier transform."""
        return self._spectrum

    def _axes(self):
        return list(range(-self._depth, 0))

    def _complex_spectrum(self):
        if self._spectrum.dtype.is_complex:
            return self._spectrum
        wide = self._spectrum.dtype == dtypes.float64
        return cast(self._spectrum, dtypes.complex128 if wide else dtypes.complex64)

    def convolution_kernel(self, name="convolution_kernel"):
        """The inverse Fourier transform of the spectrum: with which products convolve.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of the operator's dtype and the shape of the spectrum.
        """
        with self._name_scope(name):
            return cast(_IFFT[self._depth](self._complex_spectrum()), self.dtype)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """An operation that fails unless the convolution kernel is real.

        Args:
          name: Prefix of the names of the operations.

        Returns:
          An `Operation`.
        """
        with self._name_scope(name):
            eps = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
            most = cast(self.domain_dimension_tensor(), self.dtype.real_dtype) * eps
            kernel = _IFFT[self._depth](self._complex_spectrum())
            part = cast(abs_of(imag(kernel)), most.dtype)
            return assert_less(part, most, message="Spectrum was not Hermitian")

    def _shape(self):
        block = self.block_shape
        n = int(np.prod(block.as_list())) if block.is_fully_defined() else None
        return self._spectrum.shape[: -self._depth].concatenate([n, n])

    def _shape_tensor(self):
        dims = shape(self._spectrum)
        n = reduce_prod(dims[-self._depth :])
        return concat([dims[: -self._depth], [n, n]], 0)

    def _assert_non_singular(self):
        return assert_no_zeros(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self):
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self):
        return assert_real(self._spectrum, "Not self-adjoint:  The spectrum contained non-zero imaginary part.")

    def _like(self, spectrum, **given):
        return type(self)(spectrum, input_output_dtype=self.dtype, **given)

    def _linop_adjoint(self):
        spectrum = conj(self._spectrum) if self._spectrum.dtype.is_complex else self._spectrum
        return self._like(spectrum, **hints.of(self))

    def _linop_inverse(self):
        return self._like(1.0 / self._spectrum, **hints.of(self))

    def _linop_matmul(self, left_operator, right_operator):
        if type(left_operator) is not type(right_operator):
            return super()._linop_matmul(left_operator, right_operator)
        spectra = _of_one_type(left_operator.spectrum, right_operator.spectrum)
        return self._like(spectra[0] * spectra[1], **hints.of_commuting_product(left_operator, right_operator))

    def _linop_solve(self, left_operator, right_operator):
        if type(left_operator) is not type(right_operator):
            return super()._linop_solve(left_operator, right_operator)
        spectra = _of_one_type(left_operator.spectrum, right_operator.spectrum)
        return self._like(spectra[1] / spectra[0], **hints.of_commuting_product(left_operator, right_operator))

    def _transformed(self, x, adjoint, adjoint_arg, inverse):
        """The columns of x, multiplied with the spectrum or its inverse."""
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        spectrum = self._complex_spectrum()
        spectrum = conj(spectrum) if adjoint else spectrum
        columns = cast(matrix_transpose(x), spectrum.dtype)
        lead = shape(columns)[:-1]
        columns = reshape(columns, concat([lead, self.block_shape_tensor()], 0))
        spectrum = expand_dims(spectrum, -self._depth - 1)
        result = _FFT[self._depth](columns) * (1.0 / spectrum if inverse else spectrum)
        result = _IFFT[self._depth](result)
        result = reshape(result, concat([shape(result)[: -self._depth], [-1]], 0))
        result = cast(matrix_transpose(result), self.dtype)
        if x.shape.ndims is not None and self.shape.ndims is not None:
            result.set_shape([*[None] * (result.shape.ndims - 2), self.shape[-1], x.shape[-1]])
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._transformed(x, adjoint, adjoint_arg, inverse=False)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._transformed(rhs, adjoint, adjoint_arg, inverse=True)

    def _determinant(self):
        return cast(reduce_prod(self._spectrum, self._axes()), self.dtype)

    def _log_abs_determinant(self):
        return cast(reduce_sum(log(abs_of(self._spectrum)), self._axes()), self.dtype)

    def _trace(self):
        total = reduce_sum(real(self._spectrum), self._axes())
        if self.dtype.is_complex:
            complex_spectrum = self._spectrum.dtype.is_complex and not self.is_self_adjoint
            rest = reduce_sum(imag(self._spectrum), self._axes()) if complex_spectrum else zeros_like(total)
            total = complex_of(total, rest)
        return cast(total, self.dtype)

    def _diag_part(self):
        n = cast(self.domain_dimension_tensor(), self.dtype)
        return expand_dims(self.trace() / n, -1) * ones(self.shape_tensor()[:-1], self.dtype)

    def _eigvals(self):
        return reshape(self._spectrum, self.shape_tensor()[:-1])

    def _cond(self):
        sizes = abs_of(self._spectrum)
        return reduce_max(sizes, self._axes()) / reduce_min(sizes, self._axes())


def _of_one_type(a, b):
    """Spectra of one type: if one is complex, both are."""
    dtype = a.dtype if a.dtype.is_complex else b.dtype
    return cast(a, dtype), cast(b, dtype)


class LinearOperatorCirculant(_Circulant):
    """Circulant matrices, which commute with shifts of vectors.

    Args:
      spectrum: A `Tensor` of shape [..., n], the eigenvalues: the Fourier transform of the convolution kernel.
      input_output_dtype: The type of arguments and results.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `spectrum` has too few dimensions, or a hint contradicts it.
    """

    _depth = 1

    def __init__(
        self,
        spectrum,
        input_output_dtype=dtypes.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant",
    ):
        parameters = hints.arguments(locals())
        given = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        super().__init__(spectrum, input_output_dtype, given, is_square, name, parameters)


class LinearOperatorCirculant2D(_Circulant):
    """Circulant matrices, which commute with shifts of images, whose rows and columns it shifts.

    Args:
      spectrum: A `Tensor` of shape [..., n0, n1], the eigenvalues: the Fourier transform of the convolution kernel.
      input_output_dtype: The type of arguments and results.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `spectrum` has too few dimensions, or a hint contradicts it.
    """

    _depth = 2

    def __init__(
        self,
        spectrum,
        input_output_dtype=dtypes.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant2D",
    ):
        parameters = hints.arguments(locals())
        given = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        super().__init__(spectrum, input_output_dtype, given, is_square, name, parameters)


class LinearOperatorCirculant3D(_Circulant):
    """Circulant matrices, which commute with shifts of volumes, which it shifts along three axes.

    Args:
      spectrum: A `Tensor` of shape [..., n0, n1, n2], the eigenvalues: the Fourier transform of the convolution kernel.
      input_output_dtype: The type of arguments and results.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `spectrum` has too few dimensions, or a hint contradicts it.
    """

    _depth = 3

    def __init__(
        self,
        spectrum,
        input_output_dtype=dtypes.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant3D",
    ):
        parameters = hints.arguments(locals())
        given = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        super().__init__(spectrum, input_output_dtype, given, is_square, name, parameters)
