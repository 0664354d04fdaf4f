"""Summaries of images: the files as Pillow reads them, TensorFlow's scaling, tags, errors."""

import io
import time

import numpy as np
import pytest
from PIL import Image

import tfcore as tf

MODES = {1: "L", 3: "RGB", 4: "RGBA"}


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def images(sess, summary, feeds=None):
    """[(tag, array)] of a summary."""
    found = []
    for value in tf.Summary.FromString(sess.run(summary, feeds)).value:
        with Image.open(io.BytesIO(value.image.encoded_image_string)) as file:
            file.load()
            assert file.format == "PNG" and file.mode == MODES[value.image.colorspace]
            assert (file.height, file.width) == (value.image.height, value.image.width)
            found.append((value.tag, np.asarray(file).reshape(file.height, file.width, -1)))
    return found


def one(sess, pixels, **attrs):
    ((_, array),) = images(sess, tf.raw_ops.ImageSummary(tag="x", tensor=tf.constant(pixels[None]), **attrs))
    return array


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (300, 200)])
def test_bytes(sess, channels, size):
    rng = np.random.default_rng(channels)
    pixels = rng.integers(0, 256, (3, *size, channels)).astype(np.uint8)
    pixels[1] //= 64  # repetitive
    pixels[2] = 7
    found = images(sess, tf.summary.image("x", tf.constant(pixels)))
    assert [tag for tag, _ in found] == ["x/image/0", "x/image/1", "x/image/2"]
    assert all(np.array_equal(array, p) for (_, array), p in zip(found, pixels))


def test_files_are_compressed(sess):
    ramp = np.tile(np.arange(256, dtype=np.uint8), (1, 256, 1)).reshape(1, 256, 256, 1)
    value = tf.Summary.FromString(sess.run(tf.summary.image("x", tf.constant(ramp)))).value[0]
    assert len(value.image.encoded_image_string) < 2000


@pytest.mark.parametrize("seed", range(8))
def test_files_of_many_kinds_of_data(sess, seed):
    """Runs of all lengths, and repetitions at all distances up to that of the window and beyond."""
    rng = np.random.default_rng(seed)
    parts, total = [], 0
    while total < 120 * 500:
        if parts and rng.random() < 0.6:
            whole = np.concatenate(parts[-40:])
            at = rng.integers(len(whole))
            part = whole[at : at + rng.integers(1, 600)]
        else:
            part = rng.integers(0, rng.choice([2, 256]), rng.integers(1, 2000)).astype(np.uint8)
        parts.append(part)
        total += len(part)
    pixels = np.concatenate(parts)[: 120 * 500].reshape(120, 500)
    pixels = np.cumsum(pixels, axis=0, dtype=np.uint8)[:, :, None]  # the differences from row to row are what is packed
    assert np.array_equal(one(sess, pixels), pixels)


def test_tags(sess):
    pixels = tf.placeholder(tf.uint8, [None, None, None, 1])
    batch = {pixels: np.zeros((4, 2, 2, 1))}
    assert [t for t, _ in images(sess, tf.summary.image("a", pixels, max_outputs=1), batch)] == ["a/image"]
    assert [t for t, _ in images(sess, tf.summary.image("b", pixels, 2), batch)] == ["b/image/0", "b/image/1"]
    assert len(images(sess, tf.summary.image("c", pixels, 9), batch)) == 4
    with tf.name_scope("scope"):
        summary = tf.summary.image("d", pixels, family="f", collections=["mine"])
    assert [t for t, _ in images(sess, summary, {pixels: np.zeros((1, 2, 2, 1))})] == ["f/scope/f/d/image/0"]
    assert tf.get_collection("mine") == [summary] and len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 3
    assert images(sess, summary, {pixels: np.zeros((0, 2, 2, 1))}) == []


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scaling(sess, dtype):
    positive = np.array([[[0], [0.5]], [[1], [2]]], dtype)
    assert one(sess, positive).reshape(-1).tolist() == [0, 63, 127, 255]
    both = np.array([[[-2], [0]], [[1], [0.5]]], dtype)
    assert one(sess, both).reshape(-1).tolist() == [1, 128, 191, 159]
    tiny = np.full((1, 2, 1), 1e-7, dtype)
    assert one(sess, tiny).reshape(-1).tolist() == [0, 0] and one(sess, -tiny).reshape(-1).tolist() == [128, 128]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_pixels_that_are_not_finite(sess, bad):
    pixels = np.array([[[1, 2, 4], [1, bad, 0]]], np.float32)
    assert one(sess, pixels).reshape(-1).tolist() == [63, 127, 255, 255, 0, 0]
    color = np.array([1, 2, 3], np.uint8)
    assert one(sess, pixels, bad_color=color).reshape(-1).tolist() == [63, 127, 255, 1, 2, 3]
    assert one(sess, np.full((1, 1, 4), bad)).reshape(-1).tolist() == [255, 0, 0, 255]


def test_errors(sess):
    x, tag = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    summary = tf.raw_ops.ImageSummary(tag=tag, tensor=x)
    for shape, text in (
        ((2, 2, 1), r"Tensor must be 4-D with last dim 1, 3, or 4, not \[2,2,1\]"),
        ((1, 2, 2, 2), r"Tensor must be 4-D with last dim 1, 3, or 4, not \[1,2,2,2\]"),
        ((1, 0, 2, 1), r"input tensor must have non-zero dims. Found: \[1, 0, 2, 1\]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(summary, {x: np.zeros(shape), tag: "a"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tags must be a scalar"):
        sess.run(summary, {x: np.zeros((1, 1, 1, 1)), tag: ["a", "b"]})
    short = tf.raw_ops.ImageSummary(tag="a", tensor=x, bad_color=np.array([1], np.uint8))
    with pytest.raises(tf.errors.InvalidArgumentError, match="got depth = 3, bad_color.size = 1"):
        sess.run(short, {x: np.zeros((1, 1, 1, 3))})
    for color, text in (
        (np.float32([1]), "bad_color must be uint8, got float"),
        (np.uint8(1), "bad_color must be a vec"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(tf.raw_ops.ImageSummary(tag="a", tensor=x, bad_color=color), {x: np.zeros((1, 1, 1, 1))})
    with pytest.raises(ValueError, match="max_images"):
        tf.summary.image("a", x, max_outputs=0)


def test_the_default_color_is_in_the_graph(sess):
    x = tf.placeholder(tf.float32, [1, 1, 1, 1], name="x")
    summary = tf.summary.image("y", x)
    graph_def = sess.graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        (copy,) = tf.import_graph_def(graph_def, return_elements=[summary.name], name="")
        ((_, array),) = images(session, copy, {"x:0": [[[[np.nan]]]]})
    assert array.reshape(-1).tolist() == [255]


def test_a_large_image_is_cancelled_while_it_is_encoded(sess):
    """It takes little time of the processor then, whatever else the machine does."""
    pixels = tf.Variable(tf.random_uniform([1, 3000, 4000, 1]))
    sess.run(pixels.initializer)
    summary = tf.summary.image("x", pixels)

    def seconds(run):
        began = time.process_time()
        run()
        return time.process_time() - began

    def cancelled():
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(summary, options=tf.RunOptions(timeout_in_ms=1))

    assert min(seconds(cancelled) for _ in range(3)) < 0.5 * seconds(lambda: sess.run(summary))
