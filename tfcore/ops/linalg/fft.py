"""Discrete Fourier transforms over the last one, two or three dimensions."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.cwise.cast as cast
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value

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


# ---- Real values


def _length(op, i):
    lengths = constant_value(op.inputs[1])
    if lengths is None:
        return None
    if lengths[i] < 0:
        raise ValueError(f"fft_length[{i}] must >= 0, but got: {lengths[i]}")
    return int(lengths[i])


def _define_real(name, axes):
    inverse = name.startswith("I")

    def shape(op):
        dims = shapes.with_rank_at_least(op.inputs[0].dims, axes)
        given = shapes.with_rank(op.inputs[1].dims, 1)
        shapes.merge_dim(given[0], axes)
        *others, n = (_length(op, i) for i in range(axes))
        if dims is None:
            return [None]
        if not inverse and n:
            n = n // 2 + 1
        return [(*dims[:-axes], *others, n)]

    return define_op(
        name,
        inputs=["input: Tcomplex" if inverse else "input: Treal", "fft_length: int32"],
        outputs=["output: Treal" if inverse else "output: Tcomplex"],
        attrs=["Treal: {float, double} = DT_FLOAT", "Tcomplex: {complex64, complex128} = DT_COMPLEX64"],
        shape=shape,
        doc=(
            f"Real values whose discrete Fourier transform over the last {axes} dimensions is `input`."
            if inverse
            else f"Discrete Fourier transform of real values over the last {axes} dimensions."
        ),
    )


_REAL_AXES = {"RFFT": 1, "RFFT2D": 2, "RFFT3D": 3, "IRFFT": 1, "IRFFT2D": 2, "IRFFT3D": 3}
for _name, _axes in _REAL_AXES.items():
    _define_real(_name, _axes)


def _weights(n, middle, dtype):
    """1 for the frequencies that have no counterpart (0 and n / 2), `middle` for the others."""
    k = constants.range(n // 2 + 1)
    alone = get_op_def("LogicalOr")(get_op_def("Equal")(k, 0), get_op_def("Equal")(2 * k, n))
    one = constants.ones_like(cast.cast(k, dtype.real_dtype))
    return cast.cast(get_op_def("Select")(alone, one, one * middle), dtype)


def _padded_like(grad, x):
    """The gradient of what was cut: 0."""
    if grad.dims == x.dims and grad.dims is not None and None not in grad.dims:
        return grad
    missing = array_ops.shape(x) - array_ops.shape(grad)
    grad = get_op_def("Pad")(grad, get_op_def("Pack")([constants.zeros_like(missing), missing], axis=1))
    grad.set_shape(x.shape)
    return grad


@gradient("RFFT", "RFFT2D", "RFFT3D")
def _rfft_grad(op, grad):
    x, lengths = op.inputs
    grad = grad * _weights(lengths[-1], 0.5, grad.dtype)
    values = get_op_def("I" + op.type)(grad, lengths, Treal=x.dtype)
    return _padded_like(values * cast.cast(reduce_ops.reduce_prod(lengths), x.dtype), x), None


@gradient("IRFFT", "IRFFT2D", "IRFFT3D")
def _irfft_grad(op, grad):
    x, lengths = op.inputs
    spectrum = get_op_def(op.type[1:])(grad, lengths, Tcomplex=x.dtype)
    size = cast.cast(reduce_ops.reduce_prod(lengths), x.dtype)
    return _padded_like(spectrum * _weights(lengths[-1], 2.0, x.dtype) / size, x), None


def rfft_of(x, axes, lengths):
    """The transform of real values over the last dimensions; no length is larger than the size."""
    kind = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
    return get_op_def("RFFT" if axes == 1 else f"RFFT{axes}D")(x, lengths, Tcomplex=kind)


def irfft_of(x, axes, lengths):
    """The inverse transform; no length needs more frequencies than there are."""
    kind = dtypes.float32 if x.dtype is dtypes.complex64 else dtypes.float64
    return get_op_def("IRFFT" if axes == 1 else f"IRFFT{axes}D")(x, lengths, Treal=kind)


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
