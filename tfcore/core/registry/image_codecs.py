"""Pictures from and to JPEG, PNG, GIF and BMP files.

Pillow decodes and encodes, without the GIL in its loops. Not by it: PNG with 16 bits, of which Pillow keeps 8 where
there are colours, and BMP, whose pixels TensorFlow takes as they are.
"""

import io
import struct
import zlib

import numpy as np
from PIL import Image, JpegImagePlugin, PngImagePlugin
from PIL.GifImagePlugin import GifImageFile

from tfcore.framework import errors

_JPEG, _PNG, _GIF, _BMP = "JPEG", "PNG", "GIF", "BMP"
_MAGIC = [(b"\xff\xd8\xff", _JPEG), (b"\x89PNG\r\n\x1a\n", _PNG), (b"GIF8", _GIF), (b"BM", _BMP)]
_PILLOW_FAILS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    struct.error,
    Image.DecompressionBombError,
    zlib.error,
)
_LUMINANCE = np.array([9798, 19235, 3735], np.uint32)  # of 32768, as in libpng


def _refuse(text):
    raise errors.InvalidArgumentError(None, None, text)


def _dims(array):
    return "[" + ",".join(map(str, array.shape)) + "]"


def _format_of(contents):
    if not contents:
        _refuse("Input is empty.")
    for magic, name in _MAGIC:
        if contents.startswith(magic):
            return name
    _refuse(
        f"Unknown image file format. One of JPEG, PNG, GIF, BMP required. The {len(contents)} bytes begin with"
        f" {contents[:8]!r}."
    )


# ---- Channels and types


def _with_channels(pixels, channels):
    """An array [height, width, 1 to 4] with another number of channels; 0: as it is."""
    found, most = pixels.shape[2], np.iinfo(pixels.dtype).max
    if channels in (0, found):
        return pixels
    colors, alpha = (pixels[..., :-1], pixels[..., -1:]) if found in (2, 4) else (pixels, None)
    if channels < 3 and colors.shape[2] == 3:
        gray = colors.astype(np.uint32) @ _LUMINANCE
        colors = (gray >> 15).astype(pixels.dtype)[..., None]
    elif channels >= 3 and colors.shape[2] == 1:
        colors = np.repeat(colors, 3, 2)
    if channels in (1, 3):
        return colors
    return np.concatenate([colors, np.full_like(colors[..., :1], most) if alpha is None else alpha], 2)


def _with_type(pixels, dtype):
    """uint8 or uint16 as uint8, uint16 or float32 in [0, 1]. TensorFlow shifts bytes to make them wider."""
    if pixels.dtype == dtype:
        return pixels
    if dtype == np.float32:
        return pixels * np.float32(1 / np.iinfo(pixels.dtype).max)
    return pixels.astype(np.uint16) << 8


# ---- JPEG

_LARGEST_JPEG = 1 << 29  # samples, as in TensorFlow


def _open_jpeg(contents):
    """The opened file, or None."""
    try:
        return JpegImagePlugin.JpegImageFile(io.BytesIO(contents))
    except _PILLOW_FAILS:
        return None


def _decode_jpeg(contents, channels, crop=None, ratio=1, recover=False):
    """Pixels [height, width, 1 or 3]; `crop`: (top, left, height, width)."""
    if channels == 4:
        _refuse("JPEG does not support 4 channels")
    failed = f"jpeg::Uncompress failed. Invalid JPEG data or crop window. Data size {len(contents)}"
    if recover:
        contents += b"\xff\xd9"  # the end, behind which the rest is gray
    image = _open_jpeg(contents)
    if image is None or (image.mode == "CMYK" and channels == 1):
        _refuse(failed)
    samples = len(image.getbands())
    smallest = (max(1, image.width // ratio), max(1, image.height // ratio))
    image.draft("L" if channels == 1 else None, smallest)
    if image.width * image.height * samples >= _LARGEST_JPEG:
        _refuse(f"{failed}: an image of {image.height} x {image.width} pixels is too large")
    if crop is not None:
        top, left, height, width = crop
        if min(crop) < 0 or not height or not width or top + height > image.height or left + width > image.width:
            _refuse(f"{failed}, crop window {list(crop)}, image of {image.height} x {image.width} pixels")
    try:
        image.load()
    except _PILLOW_FAILS as error:
        _refuse(f"{failed}: {error}")
    if crop is not None:
        image = image.crop((left, top, left + width, top + height))
    pixels = np.asarray(image)
    if image.mode == "CMYK":
        light = 255 - pixels.astype(np.uint16)
        pixels = (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    return _with_channels(pixels, channels)


# ---- PNG

_SAMPLES = {0: 1, 2: 3, 4: 2, 6: 4}  # by type of colour, without palettes
_ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def _chunks(contents):
    """(type, data) of the chunks, up to the end of the file or of what is whole."""
    at = 8
    while at + 12 <= len(contents):
        size, kind = struct.unpack_from(">I4s", contents, at)
        if at + 12 + size > len(contents):
            return
        yield kind, contents[at + 8 : at + 8 + size]
        at += 12 + size


def _decode_png_16(contents, width, height, samples, interlaced):
    """Pixels with 16 bits, [height, width, samples]."""
    from tfcore.core.registry.image_files import unfilter

    unpack = zlib.decompressobj()
    passes = _ADAM7 if interlaced else [(0, 0, 1, 1)]
    sizes = [(-(-(height - top) // down), -(-(width - left) // right)) for top, left, down, right in passes]
    sizes = [(rows, columns) if rows > 0 and columns > 0 else (0, 0) for rows, columns in sizes]
    total = sum(rows * (1 + columns * samples * 2) for rows, columns in sizes)
    packed = b"".join(data for kind, data in _chunks(contents) if kind == b"IDAT")
    data = unpack.decompress(packed, total)
    if len(data) != total:
        _refuse(f"Invalid PNG data, size {len(contents)}")
    pixels, at = np.empty((height, width, samples), np.uint16), 0
    for (top, left, down, right), (rows, columns) in zip(passes, sizes):
        length = 1 + columns * samples * 2
        lines = np.frombuffer(bytearray(data[at : at + rows * length]), np.uint8).reshape(rows, length)
        at += rows * length
        if not rows:
            continue
        if not unfilter(lines, 2 * samples):
            _refuse(f"Invalid PNG data, size {len(contents)}")
        part = np.ascontiguousarray(lines[:, 1:]).view(">u2").reshape(rows, columns, samples)
        pixels[top::down, left::right] = part
    return pixels


def _decode_png_8(contents):
    image = PngImagePlugin.PngImageFile(io.BytesIO(contents))
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    pixels = np.asarray(image)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _decode_png(contents, channels, wide):
    """Pixels; `wide`: with 16 bits, whatever the file has, else with 8."""
    if len(contents) < 33 or contents[12:16] != b"IHDR":
        _refuse("Invalid PNG. Failed to initialize decoder.")
    width, height, bits, kind, _, _, interlaced = struct.unpack_from(">IIBBBBB", contents, 16)
    if width * height * bits * _SAMPLES.get(kind, 1) // 8 > 1100 * (len(contents) + 1):  # more than can be packed
        _refuse(f"Invalid PNG data, size {len(contents)}: too little for {height} x {width} pixels")
    try:
        if bits == 16 and kind in _SAMPLES and 0 < width < 1 << 27 and 0 < height < 1 << 27:
            pixels = _decode_png_16(contents, width, height, _SAMPLES[kind], interlaced)
        else:
            pixels = _decode_png_8(contents)
    except _PILLOW_FAILS as error:
        _refuse(f"Invalid PNG data, size {len(contents)}: {error}")
    if not wide and pixels.dtype == np.uint16:
        pixels = (pixels >> 8).astype(np.uint8)
    pixels = _with_channels(pixels, channels)
    return pixels.astype(np.uint16) * 257 if wide and pixels.dtype == np.uint8 else pixels


# ---- GIF and BMP

_GIF_PIXELS = 4096 * 8 // 3  # of a byte: codes have at least 3 bits, and stand for at most 4096 pixels each


def _decode_gif(contents, channels, op, expand):
    """Pixels [frames, height, width, 3], or without the first dimension."""
    if channels not in (0, 3):
        _refuse(f"channels must be 0 or 3 for GIF, got {channels}")
    try:
        image = GifImageFile(io.BytesIO(contents))
        if image.width * image.height > _GIF_PIXELS * len(contents):
            _refuse(f"Invalid GIF data (size {len(contents)}), too little for {image.height} x {image.width} pixels")
        count = image.n_frames
        if op not in ("DecodeGif", "DecodeImage") and count > 1:
            _refuse(
                f"Got {count} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image"
            )
        pixels = np.empty((count if expand else 1, image.height, image.width, 3), np.uint8)
        for i in range(len(pixels)):
            image.seek(i)
            pixels[i] = np.asarray(image.convert("RGB"))
    except _PILLOW_FAILS as error:
        _refuse(f"Invalid GIF data (size {len(contents)}), {error}")
    return pixels if expand else pixels[0]


def _decode_bmp(contents, channels, op):
    if channels not in (0, 3, 4):
        _refuse(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if op not in ("DecodeBmp", "DecodeImage"):
        _refuse(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: " + op
        )
    if len(contents) < 32:
        _refuse(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got"
            f" {len(contents)} bytes"
        )
    start, _, width, height, _, bits = struct.unpack_from("<iiiihh", contents, 10)
    found = bits // 8
    if found not in (1, 3, 4):
        _refuse(f"Number of channels inherent in the image must be 1, 3 or 4, was {found}")
    rows, length = abs(height), -(-found * width // 4) * 4
    if width <= 0 or not rows or start < 0:
        _refuse(f"image size {width} x {height}, or the header size {start}, is not possible")
    if (rest := len(contents) - start - length * rows) < 0:
        _refuse(f"Input size should match (header_size + row_size * abs_height) but they differ by {rest}")
    lines = np.frombuffer(contents, np.uint8, length * rows, start).reshape(rows, length)
    pixels = lines[:: -1 if height > 0 else 1, : width * found].reshape(rows, width, found)
    if found > 1:
        pixels = pixels[..., [2, 1, 0, 3][:found]]
    return _with_channels(pixels, channels)


# ---- The kernels. Arguments are those of the op: inputs, then attributes.


def _decode(op, contents, channels, dtype=np.uint8, expand=True, **jpeg):
    if channels not in (0, 1, 3, 4):
        _refuse(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    kind = _format_of(contents)
    if op == "DecodeBmp" and kind != _BMP:
        _refuse(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or `decode_image` instead."
        )
    if kind == _JPEG:
        pixels = _decode_jpeg(contents, channels, **jpeg)
    elif kind == _PNG:
        pixels = _decode_png(contents, channels, dtype != np.uint8)
    elif kind == _GIF:
        pixels = _decode_gif(contents, channels, op, expand and op in ("DecodeGif", "DecodeImage"))
    else:
        pixels = _decode_bmp(contents, channels, op)
    if op == "DecodeGif" and pixels.ndim == 3:
        pixels = pixels[None]
    return np.ascontiguousarray(_with_type(pixels, dtype))


def _jpeg_options(ratio, try_recover_truncated, acceptable_fraction, dct_method):
    if ratio not in (1, 2, 4, 8):
        _refuse(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        _refuse("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    return {"ratio": ratio, "recover": try_recover_truncated or acceptable_fraction < 1}


def decode_jpeg(contents, *, channels, ratio, try_recover_truncated, acceptable_fraction, dct_method):
    options = _jpeg_options(ratio, try_recover_truncated, acceptable_fraction, dct_method)
    return _decode("DecodeJpeg", contents, channels, **options)


def decode_and_crop_jpeg(
    contents, crop_window, *, channels, ratio, try_recover_truncated, acceptable_fraction, dct_method
):
    if crop_window.ndim != 1:
        _refuse(f"crop_window must be 1-D, got shape {_dims(crop_window)}")
    if crop_window.size != 4:
        _refuse(f"crop_size must have four elements {_dims(crop_window)}")
    options = _jpeg_options(ratio, try_recover_truncated, acceptable_fraction, dct_method)
    return _decode("DecodeAndCropJpeg", contents, channels, crop=crop_window.tolist(), **options)


def decode_png(contents, *, channels, dtype):
    return _decode("DecodePng", contents, channels, dtype)


def decode_gif(contents):
    return _decode("DecodeGif", contents, 3)


def decode_bmp(contents, *, channels):
    return _decode("DecodeBmp", contents, channels)


def decode_image(contents, *, channels, dtype, expand_animations):
    return _decode("DecodeImage", contents, channels, dtype, expand_animations)


def extract_jpeg_shape(contents, *, output_type):
    image = _open_jpeg(contents)
    if image is None:
        _refuse(f"Invalid JPEG data, size {len(contents)}")
    return np.array([image.height, image.width, 1 if image.mode == "L" else 3], output_type)


def encode_jpeg(
    image,
    *,
    format,  # noqa: A002  named as in TensorFlow
    quality,
    progressive,
    optimize_size,
    chroma_downsampling,
    density_unit,
    x_density,
    y_density,
    xmp_metadata,
):
    if image.ndim != 3:
        _refuse(f"image must be 3-dimensional{_dims(image)}")
    if not 0 <= quality <= 100:
        _refuse(f"quality must be in [0,100], got {quality}")
    channels = {"": image.shape[2], "grayscale": 1, "rgb": 3}[format]
    if channels not in (1, 3):
        _refuse(f"image must have 1 or 3 channels, got {_dims(image)}")
    if image.shape[2] != channels:
        _refuse(f"format {format} expects {channels} channels, got {_dims(image)}")
    if 0 in image.shape or max(image.shape) >= 1 << 16:
        raise errors.InternalError(None, None, f"JPEG encoding failed: the image has shape {_dims(image)}")
    out = io.BytesIO()
    Image.fromarray(image[..., 0] if channels == 1 else image).save(
        out,
        _JPEG,
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling="4:2:0" if chroma_downsampling else "4:4:4",
        dpi=(1, 1),
        **({"xmp": xmp_metadata.encode()} if xmp_metadata else {}),
    )
    data = bytearray(out.getvalue())
    struct.pack_into(">BHH", data, 13, 1 + (density_unit == "cm"), x_density & 0xFFFF, y_density & 0xFFFF)
    return bytes(data)


def encode_jpeg_variable_quality(images, quality):
    if quality.ndim:
        _refuse(f"quality must be scalar: {_dims(quality)}")
    return encode_jpeg(
        images,
        format="",
        quality=int(quality),
        progressive=False,
        optimize_size=False,
        chroma_downsampling=True,
        density_unit="in",
        x_density=300,
        y_density=300,
        xmp_metadata="",
    )


# ---- Writing PNG


def _filtered(lines, pixel):
    """Lines of bytes, each by the filter that makes its bytes smallest, as libpng chooses."""
    lines = lines.astype(np.int16)
    left = np.pad(lines, ((0, 0), (pixel, 0)))[:, :-pixel]
    above = np.pad(lines, ((1, 0), (0, 0)))[:-1]
    corner = np.pad(left, ((1, 0), (0, 0)))[:-1]
    to_left, to_above = np.abs(above - corner), np.abs(left - corner)
    to_corner = np.abs(above + left - 2 * corner)
    paeth = np.where(
        (to_left <= to_above) & (to_left <= to_corner), left, np.where(to_above <= to_corner, above, corner)
    )
    guesses = [np.zeros_like(lines), left, above, (left + above) >> 1, paeth]
    tries = np.stack([(lines - guess).astype(np.uint8) for guess in guesses])
    sizes = np.abs(tries.view(np.int8).astype(np.int16)).sum(2, dtype=np.int64)
    best = sizes.argmin(0)
    chosen = tries[best, np.arange(len(lines))]
    return np.concatenate([best.astype(np.uint8)[:, None], chosen], 1)


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _encode_one_png(image, compression):
    height, width, channels = image.shape
    kind = [0, 4, 2, 6][channels - 1]
    size = image.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, 8 * size, kind, 0, 0, 0)
    lines = np.frombuffer(image.astype(image.dtype.newbyteorder(">")).tobytes(), np.uint8).reshape(height, -1)
    data = zlib.compress(_filtered(lines, size * channels), compression)
    parts = [_chunk(b"IDAT", data[i : i + (1 << 30)]) for i in range(0, len(data), 1 << 30)]
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(b"IHDR", header), *parts, _chunk(b"IEND", b"")])


def encode_png(image, *, compression):
    if not -1 <= compression <= 9:
        _refuse(f"compression should be in [-1,9], got {compression}")
    if image.ndim < 3:
        _refuse(f"images must be at least rank 3{_dims(image)}")
    if not 1 <= image.shape[-1] <= 4:
        _refuse(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if 0 in image.shape[-3:-1] or max(image.shape[-3:-1]) >= 1 << 31:
        raise errors.InternalError(None, None, f"PNG encoding failed: images have shape {_dims(image)}")
    batch = image.reshape(-1, *image.shape[-3:])
    files = np.empty(len(batch), object)
    for i, one in enumerate(batch):
        files[i] = _encode_one_png(one, compression)
    return files.reshape(image.shape[:-3])
