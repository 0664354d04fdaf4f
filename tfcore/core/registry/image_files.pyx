"""The kernels of image files, in Python: `image_codecs.py`.

A step runs without the GIL; these kernels take it, and Pillow and zlib release it while they decode and encode.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t

from tfcore.core.memory.tensor cimport tensor_from_numpy, tensor_to_numpy
from tfcore.core.registry.py_func cimport report
from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.runtime cimport *

import numpy

from tfcore.core.registry import image_codecs
from tfcore.core.registry.py_func import code_of
from tfcore.framework import errors
from tfcore.framework.types import dtypes


def unfilter(uint8_t[:, ::1] lines, int pixel):
    """Undoes the filters of a PNG file's lines, each of which begins with the number of its filter.

    Args:
      lines: bytes, [lines, 1 + bytes of a line], changed in place.
      pixel: the bytes of a pixel.

    Returns: whether all filters exist.
    """
    cdef Py_ssize_t y, x, n = lines.shape[1]
    cdef int left, above, corner, guess, a, b, c, kind
    cdef bint exist = True
    with nogil:
        for y in range(lines.shape[0]):
            kind = lines[y, 0]
            exist = exist and kind <= 4
            for x in range(1, n):
                left = lines[y, x - pixel] if x > pixel else 0
                above = lines[y - 1, x] if y else 0
                if kind == 4:
                    corner = lines[y - 1, x - pixel] if y and x > pixel else 0
                    a, b, c = abs(above - corner), abs(left - corner), abs(above + left - 2 * corner)
                    guess = left if a <= b and a <= c else above if b <= c else corner
                else:
                    guess = 0 if kind == 0 else left if kind == 1 else above if kind == 2 else (left + above) >> 1
                lines[y, x] = <uint8_t>(lines[y, x] + guess)
    return exist


cdef class Settings:
    """What a kernel calls: a function of `image_codecs`, with the op's attributes."""

    cdef object function
    cdef dict attributes


cdef object attribute(tfc_construction *c, bytes name, str kind):
    cdef tfc_bool flag = False
    cdef int64_t number = 0
    cdef double real = 0
    cdef int32_t dtype = 0
    cdef const char *data = NULL
    cdef size_t size = 0
    if kind == "bool":
        c.api.attr_bool(c, name, &flag)
        return flag != 0
    if kind == "int":
        c.api.attr_int(c, name, &number)
        return number
    if kind == "float":
        c.api.attr_float(c, name, &real)
        return real
    if kind == "type":
        c.api.attr_type(c, name, &dtype)
        return numpy.dtype(dtypes.as_dtype(dtype).as_numpy_dtype)
    c.api.attr_string(c, name, &data, &size)
    return PyBytes_FromStringAndSize(data, size).decode(errors="replace")


_JPEG = {
    "channels": "int",
    "ratio": "int",
    "try_recover_truncated": "bool",
    "acceptable_fraction": "float",
    "dct_method": "string",
}
_OPS = {
    "DecodeJpeg": (image_codecs.decode_jpeg, _JPEG),
    "DecodeAndCropJpeg": (image_codecs.decode_and_crop_jpeg, _JPEG),
    "DecodePng": (image_codecs.decode_png, {"channels": "int", "dtype": "type"}),
    "DecodeGif": (image_codecs.decode_gif, {}),
    "DecodeBmp": (image_codecs.decode_bmp, {"channels": "int"}),
    "DecodeImage": (
        image_codecs.decode_image,
        {"channels": "int", "dtype": "type", "expand_animations": "bool"},
    ),
    "ExtractJpegShape": (image_codecs.extract_jpeg_shape, {"output_type": "type"}),
    "EncodeJpeg": (
        image_codecs.encode_jpeg,
        {
            "format": "string",
            "quality": "int",
            "progressive": "bool",
            "optimize_size": "bool",
            "chroma_downsampling": "bool",
            "density_unit": "string",
            "x_density": "int",
            "y_density": "int",
            "xmp_metadata": "string",
        },
    ),
    "EncodeJpegVariableQuality": (image_codecs.encode_jpeg_variable_quality, {}),
    "EncodePng": (image_codecs.encode_png, {"compression": "int"}),
}


cdef object argument(const tfc_tensor *t):
    """A string as bytes, else an array."""
    cdef const tfc_string *s
    if t.dtype != TFC_STRING:
        return numpy.asarray(tensor_to_numpy(<tfc_tensor *>t, False))
    if t.rank:
        dims = ",".join([str(t.dims[i]) for i in range(t.rank)])
        raise errors.InvalidArgumentError(None, None, f"`contents` must be scalar but got shape[{dims}]")
    s = <const tfc_string *>t.data
    return PyBytes_FromStringAndSize(s.data, s.size)


cdef int run(tfc_context *ctx, Settings settings) except -1:
    cdef tfc_tensor *out = &ctx.outputs[0]
    cdef int dtype = out.dtype
    arguments = [argument(ctx.inputs[i]) for i in range(ctx.n_inputs)]
    result = settings.function(*arguments, **settings.attributes)
    if dtype == TFC_STRING:
        result = numpy.asarray(result, dtype=object)
    tfc_tensor_clear(out)
    tensor_from_numpy(result, dtype, out, True)
    return TFC_OK


cdef int compute(tfc_context *ctx) noexcept nogil:
    with gil:
        try:
            return run(ctx, <Settings>ctx.state)
        except (errors.InvalidArgumentError, errors.InternalError) as error:
            text = str(error).encode(errors="replace")
            return tfc_error(ctx, code_of(error), b"%s", <char *>text)
        except BaseException as error:
            return report(ctx, error)


cdef int create(tfc_construction *c, void **state) noexcept:
    cdef Settings settings = Settings()
    try:
        settings.function, attributes = _OPS[c.op_type.decode()]
        settings.attributes = {name: attribute(c, name.encode(), kind) for name, kind in attributes.items()}
    except BaseException as error:
        text = (str(error) or type(error).__name__).encode(errors="replace")
        return c.api.error(c, code_of(error), b"%s", <char *>text)
    Py_INCREF(settings)
    state[0] = <void *>settings
    return TFC_OK


cdef void destroy(void *state) noexcept:
    Py_DECREF(<object>state)


cdef tfc_kernel_def kernels[10]
cdef int _i
_names = [name.encode() for name in _OPS]
for _i in range(10):
    kernels[_i].op = _names[_i]
    kernels[_i].device = "CPU"
    kernels[_i].types = ""
    kernels[_i].compute = compute
    kernels[_i].create = create
    kernels[_i].destroy = destroy
    kernels[_i].flags = 0
    kernels[_i].host_args = NULL
    add_internal_kernel(&kernels[_i])
