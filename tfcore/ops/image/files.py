"""Image files: JPEG, PNG, GIF, BMP."""

from tfcore.core.registry.registry import kernels_are_in
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank, with_rank_at_least
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

# ---- Shapes


def _channels(op):
    channels = op.attrs.get("channels", 0)
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return channels or None


def _decoded_shape(op):
    with_rank(op.inputs[0].dims, 0)
    return [(None, None, _channels(op))]


def _cropped_shape(op):
    with_rank(op.inputs[0].dims, 0)
    window = with_rank(op.inputs[1].dims, 1)
    if window[0] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {window[0]}")
    value = constant_value(op.inputs[1])
    height, width = (None, None) if value is None else (int(v) if v >= 0 else None for v in value[2:])
    return [(height, width, _channels(op))]


def _frames_shape(op):
    with_rank(op.inputs[0].dims, 0)
    return [(None, None, None, 3)]


def _any_file_shape(op):
    with_rank(op.inputs[0].dims, 0)
    _channels(op)
    return [None]


def _jpeg_shape_shape(op):
    with_rank(op.inputs[0].dims, 0)
    return [(3,)]


def _encoded_shape(op):
    with_rank(op.inputs[0].dims, 3)
    return [()]


def _encoded_with_quality_shape(op):
    with_rank(op.inputs[0].dims, 3)
    with_rank(op.inputs[1].dims, 0)
    return [()]


def _encoded_batch_shape(op):
    dims = with_rank_at_least(op.inputs[0].dims, 3)
    return [None if dims is None else dims[:-3]]


# ---- Ops

_JPEG_ATTRS = [
    "channels: int = 0",
    "ratio: int = 1",
    "fancy_upscaling: bool = true",
    "try_recover_truncated: bool = false",
    "acceptable_fraction: float = 1",
    "dct_method: string = ''",
]


def _define(name, shape, doc, inputs=("contents: string",), outputs=("image: uint8",), attrs=()):
    return define_op(name, inputs=list(inputs), outputs=list(outputs), attrs=list(attrs), shape=shape, doc=doc)


DecodeJpeg = _define("DecodeJpeg", _decoded_shape, "The pixels of a JPEG file.", attrs=_JPEG_ATTRS)
DecodeAndCropJpeg = _define(
    "DecodeAndCropJpeg",
    _cropped_shape,
    "The pixels of a JPEG file within a window: top, left, height, width.",
    ["contents: string", "crop_window: int32"],
    attrs=_JPEG_ATTRS,
)
DecodePng = _define(
    "DecodePng",
    _decoded_shape,
    "The pixels of a PNG file.",
    outputs=["image: dtype"],
    attrs=["channels: int = 0", "dtype: {uint8, uint16} = DT_UINT8"],
)
DecodeGif = _define("DecodeGif", _frames_shape, "The frames of a GIF file.")
DecodeBmp = _define("DecodeBmp", _decoded_shape, "The pixels of a BMP file.", attrs=["channels: int = 0"])
DecodeImage = _define(
    "DecodeImage",
    _any_file_shape,
    "The pixels of a JPEG, PNG, GIF or BMP file.",
    outputs=["image: dtype"],
    attrs=["channels: int = 0", "dtype: {uint8, uint16, float} = DT_UINT8", "expand_animations: bool = true"],
)
ExtractJpegShape = _define(
    "ExtractJpegShape",
    _jpeg_shape_shape,
    "Height, width and channels of a JPEG file, from its header.",
    outputs=["image_shape: output_type"],
    attrs=["output_type: {int32, int64} = DT_INT32"],
)
EncodeJpeg = _define(
    "EncodeJpeg",
    _encoded_shape,
    "An image as a JPEG file.",
    ["image: uint8"],
    ["contents: string"],
    [
        "format: {'', 'grayscale', 'rgb'} = ''",
        "quality: int = 95",
        "progressive: bool = false",
        "optimize_size: bool = false",
        "chroma_downsampling: bool = true",
        "density_unit: {'in', 'cm'} = 'in'",
        "x_density: int = 300",
        "y_density: int = 300",
        "xmp_metadata: string = ''",
    ],
)
EncodeJpegVariableQuality = _define(
    "EncodeJpegVariableQuality",
    _encoded_with_quality_shape,
    "An image as a JPEG file of a quality in [0, 100].",
    ["images: uint8", "quality: int32"],
    ["contents: string"],
)
EncodePng = _define(
    "EncodePng",
    _encoded_batch_shape,
    "Images as PNG files.",
    ["image: T"],
    ["contents: string"],
    ["compression: int = -1", "T: {uint8, uint16} = DT_UINT8"],
)
_OPS = (
    "DecodeJpeg",
    "DecodeAndCropJpeg",
    "DecodePng",
    "DecodeGif",
    "DecodeBmp",
    "DecodeImage",
    "ExtractJpegShape",
    "EncodeJpeg",
    "EncodeJpegVariableQuality",
    "EncodePng",
)
undefined_gradient(*_OPS)
kernels_are_in("tfcore.core.registry.image_files", _OPS)  # Pillow is loaded with the first of them


# ---- Wrappers


@described(DecodeJpeg)
def decode_jpeg(
    contents,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
    name=None,
):
    """Decodes a JPEG file, a PNG file or a GIF file with one frame; the other arguments are for JPEG."""
    return DecodeJpeg(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@described(DecodeAndCropJpeg)
def decode_and_crop_jpeg(
    contents,
    crop_window,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
    name=None,
):
    """Decodes a window of a JPEG file."""
    return DecodeAndCropJpeg(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@described(DecodePng)
def decode_png(contents, channels=0, dtype=dtypes.uint8, name=None):
    """Decodes a PNG file, a JPEG file or a GIF file with one frame."""
    return DecodePng(contents, channels=channels, dtype=dtype, name=name)


@described(DecodeGif)
def decode_gif(contents, name=None):
    """Decodes all frames of a GIF file; a file of another format is one frame."""
    return DecodeGif(contents, name=name)


@described(DecodeBmp)
def decode_bmp(contents, channels=0, name=None):
    """Decodes a BMP file."""
    return DecodeBmp(contents, channels=channels, name=name)


@described(ExtractJpegShape)
def extract_jpeg_shape(contents, output_type=dtypes.int32, name=None):
    """Reads the shape of a JPEG file without decoding it."""
    return ExtractJpegShape(contents, output_type=output_type, name=name)


@described(EncodeJpeg)
def encode_jpeg(
    image,
    format="",  # noqa: A002  named as in TensorFlow
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
    name=None,
):
    """Encodes an image as JPEG."""
    return EncodeJpeg(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


@described(EncodePng)
def encode_png(image, compression=-1, name=None):
    """Encodes images as PNG."""
    return EncodePng(convert_to_tensor(image), compression=compression, name=name)


def is_jpeg(contents, name=None):
    """Whether a file begins as JPEG files do.

    Args:
      contents: The bytes of the file, a string scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type bool.

    Raises:
      TypeError: `contents` is not a string.
    """
    from tfcore.ops.cwise.compare import equal
    from tfcore.ops.strings.strings import substr

    with name_scope(name, "is_jpeg"):
        return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)
