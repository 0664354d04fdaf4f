"""Discrete Fourier transforms over the last one, two or three dimensions."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.cwise.cast as cast
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient

_AXES = {"FFT": 1, "FFT2D": 2, "FFT3D": 3, "IFFT": 1, "IFFT2D": 2, "IFFT3D": 3}


def _define(name, axes):
    def shape(op):
        return [shapes.with_rank_at_least(op.inputs[0].dims, axes)]

    what = "Inverse discrete Fourier transform" if name.startswith("I") else "Discrete Fourier transform"
    doc = f"{what} over the last {axes} dimensions."
    define_op(f"Batch{name}", inputs=["input: complex64"], outputs=["output: complex64"], shape=shape, doc=doc)
    return define_op(
        name,
        inputs=["input: Tcomplex"],
        outputs=["output: Tcomplex"],
        attrs=["Tcomplex: {complex64, complex128} = DT_COMPLEX64"],
        shape=shape,
        doc=doc,
    )


for _name, _axes in _AXES.items():
    _define(_name, _axes)


@gradient(*_AXES, *(f"Batch{name}" for name in _AXES))
def _grad(op, grad):
    name = op.type.removeprefix("Batch")
    axes = _AXES[name]
    size = cast.cast(reduce_ops.reduce_prod(array_ops.shape(grad)[-axes:]), grad.dtype)
    if name.startswith("I"):
        return get_op_def(name[1:])(grad) / size
    return get_op_def("I" + name)(grad) * size


def _transform(name, input, label):
    return get_op_def(name)(input, name=label)


def fft(input, name=None):
    """The discrete Fourier transform over the last dimension.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("FFT", input, name)


def ifft(input, name=None):
    """The inverse discrete Fourier transform over the last dimension, scaled by 1 / size.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("IFFT", input, name)


def fft2d(input, name=None):
    """The discrete Fourier transform over the last two dimensions.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("FFT2D", input, name)


def ifft2d(input, name=None):
    """The inverse discrete Fourier transform over the last two dimensions, scaled by 1 / size.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("IFFT2D", input, name)


def fft3d(input, name=None):
    """The discrete Fourier transform over the last three dimensions.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("FFT3D", input, name)


def ifft3d(input, name=None):
    """The inverse discrete Fourier transform over the last three dimensions, scaled by 1 / size.

    Args:
      input: A `Tensor` of type complex64 or complex128.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      TypeError: `input` is not complex.
      ValueError: Its rank is too low.
    """
    return _transform("IFFT3D", input, name)
