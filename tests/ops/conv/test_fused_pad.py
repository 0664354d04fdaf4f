"""Convolutions of mirrored and resized images: the same in several ops, shapes, refusals; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf

R = np.random.default_rng(1)
X = R.normal(size=(2, 5, 6, 3))
F = R.normal(size=(3, 2, 3, 4))
PADS = [[0, 0], [1, 2], [2, 1], [0, 0]]
ONES = [1, 1, 1, 1]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def _pad(x=X, pads=PADS, f=F, mode="REFLECT", strides=ONES, padding="VALID"):
    return tf.raw_ops.FusedPadConv2D(input=x, paddings=pads, filter=f, mode=mode, strides=strides, padding=padding)


def _resize(x=X, size=(7, 8), pads=PADS, f=F, mode="REFLECT", strides=ONES, padding="VALID", align=False):
    return tf.raw_ops.FusedResizeAndPadConv2D(
        input=x, size=size, paddings=pads, filter=f, mode=mode, strides=strides, padding=padding,
        resize_align_corners=align,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_as_several_ops(mode, padding):
    for dtype, tolerance in (("float16", 0.02), ("float32", 1e-5), ("float64", 1e-6)):
        x, f = X.astype(dtype), F.astype(dtype)
        padded = tf.nn.conv2d(tf.pad(x, PADS, mode), f, [1, 2, 1, 1], padding)
        larger = tf.image.resize_bilinear(x, [7, 8])
        resized = tf.nn.conv2d(tf.pad(tf.cast(larger, dtype), PADS, mode), f, ONES, padding)
        pairs = [
            (_pad(x, f=f, mode=mode, strides=[1, 2, 1, 1], padding=padding), padded),
            (_resize(x, f=f, mode=mode, padding=padding), resized),
        ]
        for fused, apart in pairs:
            one, several = run([fused, apart])
            assert one.dtype == dtype and one.shape == several.shape == tuple(fused.shape.as_list())
            np.testing.assert_allclose(one, several, atol=tolerance * 10, rtol=tolerance)


def test_aligned_corners():
    box = np.ones((1, 1, 1, 1), np.float32)
    line = np.float32([0, 6]).reshape(1, 1, 2, 1)
    none = np.zeros((4, 2), int)
    values = [run(_resize(line, (1, 4), none, box, align=align)).ravel().tolist() for align in (False, True)]
    assert values == [[0, 3, 6, 6], [0, 2, 4, 6]]


def test_large_images():
    """On several threads, with many channels."""
    x, f = R.normal(size=(2, 70, 80, 16)).astype(np.float32), R.normal(size=(3, 3, 16, 24)).astype(np.float32)
    pads = [[0, 0], [3, 3], [2, 4], [0, 0]]
    for fused, larger in (
        (_pad(x, pads, f), x),
        (_resize(x, (90, 60), pads, f), tf.image.resize_bilinear(x, [90, 60])),
    ):
        one, several = run([fused, tf.nn.conv2d(tf.pad(larger, pads, "REFLECT"), f, ONES, "VALID")])
        np.testing.assert_allclose(one, several, atol=1e-4 * np.abs(several).max())


def test_shapes():
    x, pads = tf.placeholder(tf.float32, [None, 5, None, 3]), tf.placeholder(tf.int32, [4, 2])
    f = F.astype(np.float32)
    assert _pad(x, f=f).shape.as_list() == [None, 6, None, 4] and _pad(x, pads, f).shape.as_list() == [None] * 3 + [4]
    size = tf.placeholder(tf.int32)
    assert _resize(x, f=f).shape.as_list() == [None, 8, 10, 4]
    assert _resize(x, size, f=f).shape.as_list() == [None] * 3 + [4]
    assert run(_pad(X, pads), {pads: PADS}).shape == (2, 6, 8, 4)


def _rows(row):
    return [[0, 0], row, [2, 1], [0, 0]]


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"pads": [[1, 0], *PADS[1:]]}, "Fused mirror padding only support spatial padding, not batches: 1"),
        ({"pads": [*PADS[:3], [0, 2]]}, "Fused mirror padding only support spatial padding, not channels: 2"),
        ({"pads": _rows([5, 2])}, "paddings must be less than the dimension size: 5, 2 not less than 5"),
        ({"pads": _rows([6, 2]), "mode": "SYMMETRIC"}, "no greater than the dimension size: 6, 2 greater than 5"),
        ({"f": F[:, :, :2]}, "input and filter must have the same depth: 3 vs 2|input depth must be evenly divisible"),
        ({"f": np.ones((9, 2, 3, 4)), "pads": np.zeros((4, 2), int)}, "Computed output size would be negative: -3"),
        ({"x": X[:0]}, "Input tensor can't be empty"),
        ({"f": np.ones((6, 2, 3, 4)), "pads": np.zeros((4, 2), int)}, "Output tensor can't be empty"),
        ({"f": F[:0]}, "filter must not have zero elements"),
    ],
)  # fmt: skip
def test_refusals(changes, text):
    values = {name: changes.get(name, value) for name, value in (("x", X), ("pads", PADS), ("f", F))}
    types = {"x": tf.float64, "pads": tf.int32, "f": tf.float64}
    fed = {name: tf.placeholder(types[name]) for name in values}
    out = _pad(**fed, mode=changes.get("mode", "REFLECT"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(out, {fed[name]: value for name, value in values.items()})


@pytest.mark.parametrize(
    "size, text",
    [
        ([0, 8], "output dimensions must be positive"),
        ([-1, 8], "output dimensions must be positive"),
        ([7, 8, 9], r"shape_t must have two elements\[3\]"),
        ([[7, 8]], r"shape_t must be 1-dimensional\[1,2\]"),
        ([2**31 - 1, 2**31 - 1], "has too many elements"),
    ],
)
def test_wrong_sizes(size, text):
    where = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(_resize(X, where), {where: size})


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"pads": _rows([-1, 2])}, "Paddings must be non-negative"),
        ({"pads": PADS[:3]}, "Dimension 0 in both shapes must be equal, but are 3 and 4"),
        ({"pads": [0, 0, 5, 2]}, "Shape must be rank 2 but is rank 1"),
        ({"x": X[0]}, "Shape must be rank 4 but is rank 3"),
        ({"f": F[0]}, "Shape must be rank 4 but is rank 3"),
        ({"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
        ({"strides": [1, 1, 1]}, "stride attribute to contain 4 values, but got: 3"),
    ],
)
def test_refused_when_built(changes, text):
    with pytest.raises(ValueError, match=text):
        _pad(**changes)


def test_strides_of_the_batch():
    with pytest.raises(tf.errors.UnimplementedError, match="does not yet support strides in the batch and depth"):
        run(_pad(strides=[2, 1, 1, 1]))
