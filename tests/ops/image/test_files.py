"""Image files: what is read back, formats, options, broken files."""

import io
import random
import struct
import threading
import zlib

import numpy as np
import pytest
from PIL import Image

import tfcore as tf
from tfcore.testing.drawing import EFFORT


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def refused(tensor, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tensor)


def picture(height=45, width=61, channels=3, dtype=np.uint8):
    """A smooth one, which JPEG keeps."""
    y, x, c = np.mgrid[:height, :width, :channels]
    values = 0.5 + 0.25 * np.sin(y / 9 + c) + 0.25 * np.cos(x / 11 - 2 * c)
    return (values * np.iinfo(dtype).max).astype(dtype)


def saved(pixels, kind, mode=None, **options):
    image = Image.fromarray(pixels)
    out = io.BytesIO()
    (image.convert(mode) if mode else image).save(out, kind, **options)
    return out.getvalue()


# ---- JPEG


def test_jpeg_keeps_a_smooth_picture():
    pixels = picture()
    data = run(tf.image.encode_jpeg(pixels, quality=98, chroma_downsampling=False))
    found = run(tf.image.decode_jpeg(data))
    assert found.dtype == np.uint8 and np.abs(found.astype(int) - pixels).max() <= 3
    assert run(tf.image.is_jpeg(data)) and not run(tf.image.is_jpeg(b"\x89PNG"))
    for output_type in (tf.int32, tf.int64):
        assert run(tf.image.extract_jpeg_shape(data, output_type)).tolist() == [45, 61, 3]


def test_jpeg_options_of_the_header():
    data = run(tf.image.encode_jpeg(picture(), density_unit="cm", x_density=72, y_density=301, xmp_metadata="<x/>"))
    assert data[13:18] == bytes([2, 0, 72, 301 >> 8, 301 & 255]) and b"<x/>" in data
    progressive = run(tf.image.encode_jpeg(picture(), progressive=True))
    assert b"\xff\xc2" in progressive and b"\xff\xc2" not in data
    assert len(run(tf.image.encode_jpeg(picture(), optimize_size=True))) < len(run(tf.image.encode_jpeg(picture())))


@pytest.mark.parametrize("ratio", [1, 2, 4, 8])
def test_jpeg_is_decoded_smaller(ratio):
    pixels = picture(47, 64)
    found = run(tf.image.decode_jpeg(saved(pixels, "JPEG", quality=95, subsampling=0), ratio=ratio))
    assert found.shape == (-(-47 // ratio), -(-64 // ratio), 3)
    block = pixels[: 40 // ratio * ratio, : 64 // ratio * ratio].astype(float)
    means = block.reshape(40 // ratio, ratio, -1, ratio, 3).mean((1, 3))
    assert np.abs(found[: len(means)] - means).max() < 8


def test_jpeg_channels():
    color, gray = saved(picture(), "JPEG"), saved(picture(channels=1)[..., 0], "JPEG")
    luminance = np.asarray(Image.open(io.BytesIO(color)).convert("L"), int)
    assert np.abs(run(tf.image.decode_jpeg(color, channels=1))[..., 0] - luminance).max() <= 2
    assert run(tf.image.decode_jpeg(gray)).shape == (45, 61, 1)
    wide = run(tf.image.decode_jpeg(gray, channels=3))
    assert wide.shape == (45, 61, 3) and (wide[..., :1] == wide).all()
    refused(tf.image.decode_jpeg(color, channels=4), "JPEG does not support 4 channels")
    refused(tf.image.decode_jpeg(color, channels=2), "`channels` must be 0, 1, 3 or 4 but got 2")
    cmyk = run(tf.image.decode_jpeg(saved(picture(), "JPEG", "CMYK", quality=98)))
    assert np.abs(cmyk.astype(int) - picture()).max() < 12


def test_a_window_of_a_jpeg():
    data = saved(picture(), "JPEG")
    whole = run(tf.image.decode_jpeg(data))
    assert (run(tf.image.decode_and_crop_jpeg(data, [3, 5, 20, 31])) == whole[3:23, 5:36]).all()
    assert tf.image.decode_and_crop_jpeg(data, [3, 5, 20, 31], channels=3).shape == (20, 31, 3)
    for window in ([0, 0, 46, 1], [-1, 0, 5, 5], [0, 60, 1, 2], [0, 0, 0, 1]):
        refused(tf.image.decode_and_crop_jpeg(data, window), "Invalid JPEG data or crop window")


def test_a_truncated_jpeg():
    data = saved(picture(200, 200), "JPEG")
    whole, half = run(tf.image.decode_jpeg(data)), data[: len(data) // 2]
    refused(tf.image.decode_jpeg(half), f"Invalid JPEG data or crop window. Data size {len(half)}")
    for options in ({"try_recover_truncated": True}, {"acceptable_fraction": 0.2}):
        rest = run(tf.image.decode_jpeg(half, **options))
        assert rest.shape == whole.shape and (rest[:40] == whole[:40]).all()


def test_jpeg_arguments():
    data = saved(picture(), "JPEG")
    refused(tf.image.decode_jpeg(data, ratio=3), "ratio must be 1, 2, 4, or 8, got 3")
    refused(tf.image.decode_jpeg(data, dct_method="x"), "dct_method must be one of")
    refused(tf.image.encode_jpeg(picture(), quality=101), r"quality must be in \[0,100\], got 101")
    refused(tf.image.encode_jpeg(picture(channels=2)), r"image must have 1 or 3 channels, got \[45,61,2\]")
    refused(tf.image.encode_jpeg(picture(), format="grayscale"), "format grayscale expects 1 channels")
    refused(tf.image.extract_jpeg_shape(b"hello"), "Invalid JPEG data, size 5")
    with pytest.raises(tf.errors.InternalError, match="JPEG encoding failed"):
        run(tf.image.encode_jpeg(picture()[:0]))


def test_jpeg_quality_as_an_adjustment():
    pixels = picture().astype(np.float32) / 255
    for quality, most in ((95, 0.05), (5, 0.5)):
        found = run(tf.image.adjust_jpeg_quality(pixels, quality))
        assert found.dtype == np.float32 and 0 < np.abs(found - pixels).max() < most
    assert run(tf.image.random_jpeg_quality(picture(), 50, 60)).shape == (45, 61, 3)
    for limits, text in (((-1, 5), "between 0 and 100"), ((7, 7), "must be less")):
        with pytest.raises(ValueError, match=text):
            tf.image.random_jpeg_quality(pixels, *limits)


# ---- PNG


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_keeps_every_bit(channels, dtype):
    rng = np.random.default_rng(channels)
    pixels = rng.integers(0, np.iinfo(dtype).max, (2, 13, 17, channels), dtype, endpoint=True)
    pixels[1] = picture(13, 17, channels, dtype)
    files = run(tf.image.encode_png(pixels))
    for file, one in zip(files, pixels):
        assert (run(tf.image.decode_png(file, dtype=dtype)) == one).all()
    small = run(tf.image.encode_png(pixels[1], compression=9))
    assert (run(tf.image.decode_png(small, dtype=dtype)) == pixels[1]).all()
    if dtype == np.uint8:
        seen = np.asarray(Image.open(io.BytesIO(small)))
        assert (seen.reshape(13, 17, channels) == pixels[1]).all()


def test_png_channels_and_types():
    pixels = picture(dtype=np.uint16)
    data = run(tf.image.encode_png(pixels))
    assert (run(tf.image.decode_png(data)) == pixels >> 8).all()
    gray = run(tf.image.decode_png(data, channels=1, dtype=tf.uint16))[..., 0].astype(float)
    assert np.abs(gray - pixels @ [0.299, 0.587, 0.114]).max() < 4
    alpha = run(tf.image.decode_png(data, channels=4, dtype=tf.uint16))
    assert (alpha[..., :3] == pixels).all() and (alpha[..., 3] == 65535).all()
    narrow = saved(picture(), "PNG")
    assert (run(tf.image.decode_png(narrow, dtype=tf.uint16)) == picture().astype(np.uint16) * 257).all()
    floats = run(tf.image.decode_image(data, dtype=tf.float32))
    np.testing.assert_allclose(floats, pixels / 65535, rtol=1e-6)


@pytest.mark.parametrize("mode, channels", [("1", 1), ("L", 1), ("LA", 2), ("P", 3), ("RGB", 3), ("RGBA", 4)])
def test_png_modes(mode, channels):
    data = saved(picture(), "PNG", mode)
    expected = np.asarray(Image.open(io.BytesIO(data)).convert({"1": "L", "P": "RGB"}.get(mode, mode)))
    assert (run(tf.image.decode_png(data)) == expected.reshape(45, 61, channels)).all()


def test_png_with_16_bits_and_interlacing():
    """Written by hand: no library of the tests makes such files."""
    pixels = picture(11, 13, 3, np.uint16)
    lines = b""
    for top, left, down, right in [
        (0, 0, 8, 8),
        (0, 4, 8, 8),
        (4, 0, 8, 4),
        (0, 2, 4, 4),
        (2, 0, 4, 2),
        (0, 1, 2, 2),
        (1, 0, 2, 1),
    ]:
        for line in pixels[top::down, left::right]:
            lines += b"\0" + line.astype(">u2").tobytes() if line.size else b""

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (13).to_bytes(4, "big") + (11).to_bytes(4, "big") + bytes([16, 2, 0, 0, 1])
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines)), chunk(b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    assert (run(tf.image.decode_png(data, dtype=tf.uint16)) == pixels).all()


def test_broken_pngs():
    for dtype in (np.uint8, np.uint16):
        data = run(tf.image.encode_png(picture(dtype=dtype)))
        refused(tf.image.decode_png(data[: len(data) // 2], dtype=dtype), "Invalid PNG data, size")
        refused(tf.image.decode_png(data[:20], dtype=dtype), "Invalid PNG. Failed to initialize decoder.")
    # A size that the file cannot fill is not believed.
    huge = data[:16] + (1 << 26).to_bytes(4, "big") * 2 + data[24:]
    refused(tf.image.decode_png(huge, dtype=tf.uint16), "Invalid PNG data, size")
    refused(tf.image.encode_png(np.zeros((2, 2, 5), np.uint8)), "image must have 1, 2, 3, or 4 channels, got 5")
    refused(tf.image.encode_png(picture(), compression=10), r"compression should be in \[-1,9\], got 10")


# ---- GIF, BMP, any file


def animation(frames=3):
    parts = [np.zeros((20, 30, 3), np.uint8)]
    for i in range(1, frames):
        parts.append(parts[-1].copy())
        parts[-1][5 * i : 5 * i + 3, 6:12] = [250, 10 * i, 30]
    images = [Image.fromarray(p) for p in parts]
    out = io.BytesIO()
    images[0].save(out, "GIF", save_all=True, append_images=images[1:])
    return out.getvalue(), np.stack(parts)


def test_gif():
    data, frames = animation()
    assert np.abs(run(tf.image.decode_gif(data)).astype(int) - frames).max() <= 1
    assert run(tf.image.decode_image(data)).shape == (3, 20, 30, 3)
    assert run(tf.image.decode_image(data, expand_animations=False)).shape == (20, 30, 3)
    refused(tf.image.decode_png(data), "Got 3 frames, but animated gifs can only be decoded by")
    refused(tf.image.decode_image(data, channels=1), "channels must be 0 or 3 for GIF, got 1")
    refused(tf.image.decode_gif(data[:60]), "Invalid GIF data")
    assert run(tf.image.decode_gif(saved(picture(), "PNG"))).shape == (1, 45, 61, 3)


def test_bmp():
    color, gray = saved(picture(), "BMP"), saved(picture(channels=1)[..., 0], "BMP")
    assert (run(tf.image.decode_bmp(color)) == picture()).all()
    assert (run(tf.image.decode_bmp(gray)) == picture(channels=1)).all()
    assert (run(tf.image.decode_image(color, channels=4))[..., 3] == 255).all()
    refused(tf.image.decode_bmp(color[:5000]), "they differ by -")
    refused(tf.image.decode_bmp(b"BM"), "Incomplete bmp content, requires at least 32 bytes")
    refused(tf.image.decode_bmp(color, channels=1), "`channels` must be 0, 3 or 4 for BMP, but got 1")
    refused(tf.image.decode_jpeg(color), "Trying to decode BMP format using a wrong op")
    refused(tf.image.decode_bmp(saved(picture(), "PNG")), "Trying to decode PNG format using DecodeBmp op")
    refused(tf.image.decode_bmp(saved(picture(), "BMP", "1")), "must be 1, 3 or 4, was 0")


def test_any_file():
    for kind in ("PNG", "BMP"):
        data = saved(picture(), kind)
        assert (run(tf.io.decode_image(data)) == picture()).all()
        np.testing.assert_allclose(run(tf.io.decode_image(data, dtype=tf.float32)), picture() / 255, rtol=1e-6)
        assert run(tf.io.decode_image(data, dtype=tf.float64)).dtype == np.float64
    refused(tf.io.decode_image(b""), "Input is empty")
    refused(tf.io.decode_image(b"hello world"), "Unknown image file format. One of JPEG, PNG, GIF, BMP required")


def test_several_scalars_are_refused():
    names = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"`contents` must be scalar but got shape\[2\]"):
        run(tf.image.decode_image(names), {names: [b"a", b"b"]})


def test_threads_decode_at_the_same_time():
    contents = tf.placeholder(tf.string, [])
    image = tf.image.decode_image(contents, expand_animations=False)
    files = [saved(picture(40 + i, 50), kind) for i, kind in enumerate(["JPEG", "PNG", "GIF", "BMP"])]
    with tf.Session() as session:
        expected = [session.run(image, {contents: file}) for file in files]
        wrong = []

        def work(i):
            for _ in range(20):
                if (session.run(image, {contents: files[i]}) != expected[i]).any():
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i % 4,)) for i in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert not wrong


def test_damaged_files_are_errors_or_images():
    rng, contents = random.Random(5), tf.placeholder(tf.string, [])
    image = tf.image.decode_image(contents, dtype=tf.uint16)
    wide = run(tf.image.encode_png(picture(dtype=np.uint16)))
    files = [saved(picture(), "JPEG"), saved(picture(), "PNG"), wide, animation()[0], saved(picture(), "BMP")]
    with tf.Session() as session:
        outcomes = set()
        for n in range(max(50, int(400 * EFFORT))):
            data = bytearray(files[n % len(files)])
            for _ in range(rng.choice([1, 3, 20])):
                data[rng.randrange(4, len(data))] = rng.randrange(256)
            data = bytes(data[: rng.choice([len(data), rng.randrange(4, len(data))])])
            try:
                outcomes.add(session.run(image, {contents: data}).dtype)
            except tf.errors.InvalidArgumentError as error:
                outcomes.add(type(error))
    assert outcomes == {np.dtype(np.uint16), tf.errors.InvalidArgumentError}


def test_a_jpeg_that_is_too_large():
    data = bytearray(saved(picture(), "JPEG"))
    at = data.index(b"\xff\xc0") + 5
    for height, width in ((1 << 14, 1 << 14), (65535, 2731)):
        data[at : at + 4] = struct.pack(">HH", height, width)
        refused(tf.image.decode_jpeg(bytes(data)), f"an image of {height} x {width} pixels is too large")
    data[at : at + 4] = struct.pack(">HH", 65535, 2730)
    refused(
        tf.image.decode_jpeg(bytes(data[:-200])), "Invalid JPEG data or crop window. Data size .*: broken data stream"
    )


def test_a_gif_of_more_pixels_than_its_bytes_can_hold():
    data = bytearray(animation()[0])
    data[6:10] = struct.pack("<HH", 60000, 2900)
    refused(
        tf.image.decode_gif(bytes(data)),
        rf"Invalid GIF data \(size {len(data)}\), too little for 2900 x 60000 pixels",
    )


@pytest.mark.parametrize("mode", ["1", "P", "RGBA", "16 bits"])
def test_a_png_of_more_pixels_than_its_bytes_can_hold(mode):
    pixels = picture()
    data = bytearray(
        run(tf.image.encode_png(picture(dtype=np.uint16))) if mode == "16 bits" else saved(pixels, "PNG", mode)
    )
    data[16:24] = struct.pack(">II", 61, 1 << 26)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    refused(
        tf.image.decode_png(bytes(data)), f"Invalid PNG data, size {len(data)}: too little for 67108864 x 61 pixels"
    )


def test_a_png_of_a_size_beyond_all_limits():
    data = bytearray(saved(picture(), "PNG"))
    data[16:24] = struct.pack(">II", 0xFFFFFFFF, 1)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    refused(
        tf.image.decode_png(bytes(data)), f"Invalid PNG data, size {len(data)}: too little for 1 x 4294967295 pixels"
    )
