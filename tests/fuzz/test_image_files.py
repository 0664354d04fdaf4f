"""Damaged files of images are decoded, or refused, without harm: JPEG, PNG, GIF, BMP."""

import io
import os
import random
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

import tfcore as tf

ROUNDS = int(200 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))  # of each format; 50 times the effort: 10^4
REFUSED = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)


def _saved(kind, mode, **options):
    pixels = np.random.default_rng(1).integers(0, 256, (24, 31, 3)).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(out, kind, **options)
    return out.getvalue()


def _animation():
    first, *rest = (Image.new("P", (20, 15), i * 40) for i in range(4))
    out = io.BytesIO()
    first.save(out, "GIF", save_all=True, append_images=rest)
    return out.getvalue()


def _files(kind):
    if kind == "JPEG":
        return [_saved(kind, mode, **o) for mode in ("L", "RGB", "CMYK") for o in ({}, {"progressive": True})]
    if kind == "PNG":
        with tf.Graph().as_default(), tf.Session() as session:
            wide = session.run(tf.image.encode_png(np.full((9, 7, 3), 513, np.uint16)))
        return [wide, *(_saved(kind, mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA"))]
    return [_saved(kind, "P"), _animation()] if kind == "GIF" else [_saved(kind, mode) for mode in ("L", "RGB")]


def damaged(draw, data):
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data))
        change = draw.randrange(4)
        if change == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif change == 1:
            # Sizes and kinds are at the beginning.
            data[draw.randrange(min(len(data), 60))] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        elif change == 2:
            del data[max(at, 4) :]
        else:
            data[at:at] = data[: draw.randrange(1, 40)]
    return bytes(data)


def repaired(data):
    """The bytes of a PNG file with checksums that agree, as far as its chunks are whole."""
    data, at = bytearray(data), 8
    while at + 12 <= len(data):
        end = at + 8 + struct.unpack_from(">I", data, at)[0]
        if end + 4 > len(data):
            break
        struct.pack_into(">I", data, end, zlib.crc32(data[at + 4 : end]))
        at = end + 4
    return bytes(data)


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "BMP"])
def test_damaged_files(kind):
    draw, files, decoded, refused = random.Random(kind), _files(kind), 0, 0
    with tf.Graph().as_default():
        contents = tf.placeholder(tf.string, [])
        images = [tf.image.decode_image(contents), tf.image.decode_image(contents, 3, tf.float32)]
        if kind == "JPEG":
            images.append(tf.image.decode_jpeg(contents, ratio=2, try_recover_truncated=True))
            images.append(tf.image.extract_jpeg_shape(contents))
        with tf.Session() as session:
            for _ in range(ROUNDS):
                data = damaged(draw, draw.choice(files))
                if kind == "PNG" and draw.randrange(4):
                    data = repaired(data)
                try:
                    found = session.run(draw.choice(images), {contents: data})
                    decoded += 1
                    assert found.size
                except REFUSED as error:
                    refused += 1
                    assert len(str(error)) > 20
    assert decoded > ROUNDS / 100 and refused > ROUNDS / 20  # pixels of PNG files have checksums
