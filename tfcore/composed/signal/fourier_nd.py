"""Fourier transforms over any dimensions with all arguments, as TensorFlow's ops take them."""

from tfcore.composed.signal import fourier
from tfcore.framework.types import dtypes
from tfcore.ops.cwise.cast import cast


def fftnd(input, fft_length, axes, name=None):  # noqa: A002  named as in TensorFlow
    """The discrete Fourier transform over any dimensions.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      fft_length: The lengths to which the dimensions are cut or padded with zeros, a list of ints or an int32 vector.
      axes: The dimensions, a list of ints.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input`.

    Raises:
      ValueError: `input` is not complex or its rank is unknown, or another argument is not valid.
    """
    return fourier.fftnd(input, fft_length, axes, name=name or "FFTND")


def ifftnd(input, fft_length, axes, name=None):  # noqa: A002  named as in TensorFlow
    """The inverse of `tf.fftnd`.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      fft_length: The lengths to which the dimensions are cut or padded with zeros, a list of ints or an int32 vector.
      axes: The dimensions, a list of ints.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input`.

    Raises:
      ValueError: `input` is not complex or its rank is unknown, or another argument is not valid.
    """
    return fourier.ifftnd(input, fft_length, axes, name=name or "IFFTND")


def rfftnd(input, fft_length, axes, Tcomplex=dtypes.complex64, name=None):  # noqa: A002, N803
    """The Fourier transform of real values over any dimensions.

    Args:
      input: A `Tensor` of type float32 or float64.
      fft_length: The lengths to which the dimensions are cut or padded with zeros, a list of ints or an int32 vector.
      axes: The dimensions, a list of ints. Along the last one there are the frequencies that are not negative.
      Tcomplex: Type of the result, complex64 or complex128.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `Tcomplex` with n // 2 + 1 elements in the last one of `axes`, for its length n.

    Raises:
      ValueError: `input` has another type or an unknown rank, or another argument is not valid.
    """
    return cast(fourier.rfftnd(input, fft_length, axes, name=name or "RFFTND"), Tcomplex)


def irfftnd(input, fft_length, axes, Treal=dtypes.float32, name=None):  # noqa: A002, N803
    """The inverse of `tf.rfftnd`.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      fft_length: The lengths of the result, a list of ints or an int32 vector.
      axes: The dimensions, a list of ints.
      Treal: Type of the result, float32 or float64.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `Treal`.

    Raises:
      ValueError: `input` is not complex or its rank is unknown, or another argument is not valid.
    """
    return cast(fourier.irfftnd(input, fft_length, axes, name=name or "IRFFTND"), Treal)
