"""Glimpses: noise, TensorFlow 2.21's errors, places far away; `tests/records/image/glimpse.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf

RAW = tf.raw_ops


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def image():
    return np.random.default_rng(3).normal(5, 2, (2, 6, 5, 3)).astype(np.float32)


def test_the_wrapper():
    x = image()
    found = tf.image.extract_glimpse(x, [2, 3], [[0.0, 0.0], [0.25, -0.25]])
    assert found.op.type == "ExtractGlimpse" and found.shape == (2, 2, 3, 3)
    first, second = run(found)
    assert (first == x[0, 2:4, 1:4]).all() and (second == x[1, 2:4, 0:3]).all()
    assert tf.gradients(found, found.op.inputs[0]) == [None]


@pytest.mark.parametrize("options", [{"noise": "uniform", "uniform_noise": True}, {"noise": "uniform"}, {"noise": ""}])
def test_noise_of_a_place_far_away(options):
    """Uniform in the range of the image, or, of old graphs, normal with the moments of each channel."""
    x = image()
    options = {"uniform_noise": False} | options
    glimpse = RAW.ExtractGlimpseV2(input=x, size=[200, 100], offsets=np.full((2, 2), 1e9, np.float32), **options)
    found, again = run(glimpse), run(glimpse)
    assert (found != again).any()
    for pixels, noise in zip(x, found):
        assert noise.min() >= pixels.min() and noise.max() <= pixels.max()
        if options["noise"]:
            middle, spread = (pixels.min() + pixels.max()) / 2, np.ptp(pixels)
            assert noise.mean() == pytest.approx(middle, abs=float(0.02 * spread))
            assert noise.std() == pytest.approx(spread / 12**0.5, rel=0.03)
        else:
            channels, noise = pixels.reshape(-1, 3), noise.reshape(-1, 3)
            clipped = np.clip(np.random.default_rng(1).normal(size=(20000, 3)), *_limits(channels))
            np.testing.assert_allclose(noise.mean(0), channels.mean(0) + clipped.mean(0) * channels.std(0), atol=0.1)
            np.testing.assert_allclose(noise.std(0), clipped.std(0) * channels.std(0), rtol=0.05)


def _limits(channels):
    return [(f(channels, 0) - channels.mean(0)) / channels.std(0) for f in (np.min, np.max)]


def test_noise_is_around_the_image():
    x = image()
    glimpse = RAW.ExtractGlimpseV2(input=x, size=[10, 9], offsets=np.zeros((2, 2), np.float32), noise="gaussian",
                                   uniform_noise=False)  # fmt: skip
    found = run(glimpse)
    assert (found[:, 2:8, 2:7] == x).all() and len(np.unique(found[:, :2])) > 100


def test_places_that_are_not_near():
    x = image()
    for at in (np.nan, np.inf, -np.inf, 3e38, -3e38):
        offsets = np.full((2, 2), at, np.float32)
        assert not run(
            RAW.ExtractGlimpse(input=x, size=[3, 3], offsets=offsets, noise="zero", uniform_noise=False)
        ).any()


def test_errors():
    x, offsets = image(), np.zeros((2, 2), np.float32)

    def refused(text, x=x, size=(2, 3), offsets=offsets, error=tf.errors.InvalidArgumentError, **attrs):
        anything = [tf.placeholder_with_default(v, None) for v in (x, np.array(size, np.int32), offsets)]
        with pytest.raises(error, match=text):
            run(RAW.ExtractGlimpseV2(input=anything[0], size=anything[1], offsets=anything[2], **attrs))

    refused(r"input must be 4-dimensional \(batch_size, height, width, depth\)\[6,5,3\]", x=x[0])
    refused(r"input must be a vector of size 2 \(height, width\)\[3\]", size=[1, 2, 3])
    refused("Expected a non-negative size, got -1", size=[-1, 2])
    refused(r"input must be a matrix\[2\]", offsets=offsets[0])
    refused(r"first dimension should be batch\[1,2\]", offsets=offsets[:1])
    refused(r"second dimension should be of size 2 \(y,x\)\[2,1\]", offsets=offsets[:, :1])
    refused("The noise could only be uniform, gaussian, or zero, got x", noise="x", uniform_noise=False)
    refused("noise takes its values from the image, which has no pixels", x=x[:, :0])
    refused("uniform_noise should not be True when noise is not uniform", noise="zero", error=ValueError)
    for wrong in ({"size": [1, 2, 3]}, {"offsets": offsets[:1]}, {"offsets": offsets[:, :1]}, {"input": x[0]}):
        with pytest.raises(ValueError, match="Dimension|rank"):
            RAW.ExtractGlimpse(**{"input": x, "size": [2, 3], "offsets": offsets} | wrong)
