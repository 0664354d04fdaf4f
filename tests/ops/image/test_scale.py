"""Images scaled and moved: TensorFlow 2.21's values and errors; `tests/records/image/scale.py` tests the values."""

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


# TensorFlow 2.21's, of a ramp of 2 x 8 pixels scaled to 1 x 3.
KNOWN = {
    "box": [36.5, 65.66667175292969, 116.66667175292969],
    "gaussian": [42.4743766784668, 70.14517211914062, 109.64495849609375],
    "keyscubic": [38.36436080932617, 68.07047271728516, 114.73975372314453],
    "lanczos1": [39.254127502441406, 69.17825317382812, 113.56578063964844],
    "lanczos3": [37.693233489990234, 66.73892974853516, 116.49308776855469],
    "lanczos5": [38.73569869995117, 65.90868377685547, 117.19577026367188],
    "mitchellcubic": [40.256996154785156, 68.97049713134766, 112.43238067626953],
    "triangle": [41.04597473144531, 68.9812240600586, 111.760009765625],
}


@pytest.mark.parametrize("kernel", sorted(KNOWN))
def test_known_values(kernel):
    ramp = (np.arange(16, dtype=np.float32) ** 2).reshape(1, 2, 8, 1)
    found = RAW.ScaleAndTranslate(
        images=ramp, size=[1, 3], scale=[0.5, 0.375], translation=[0.0, 0.1], kernel_type=kernel
    )
    np.testing.assert_allclose(run(found)[0, 0, :, 0], KNOWN[kernel], rtol=2e-6)


def test_threads_make_no_difference():
    x = np.random.default_rng(1).integers(0, 256, (3, 50, 60, 3)).astype(np.uint8)
    scaled = RAW.ScaleAndTranslate(images=x, size=[90, 31], scale=[1.7, 0.5], translation=[3.0, -1.5])
    back = RAW.ScaleAndTranslateGrad(grads=scaled, original_image=tf.cast(x, tf.float32), scale=[1.7, 0.5],
                                     translation=[3.0, -1.5])  # fmt: skip
    found = []
    for threads in (1, 4):
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as session:
            found.append(session.run([scaled, back]))
    assert all((a == b).all() for a, b in zip(*found)) and found[0][1].shape == x.shape


def test_nothing_of_the_image():
    """Zeros, also of positions that are not numbers."""
    x = np.ones((1, 4, 4, 1), np.float32)
    for scale, translation in (([1.0, 1.0], [100.0, 0.0]), ([1e-9, 1.0], [0, 0]), ([1, 1], [np.nan, np.inf])):
        scale, translation = np.array(scale, np.float32), np.array(translation, np.float32)
        assert not run(RAW.ScaleAndTranslate(images=x, size=[3, 3], scale=scale, translation=translation)).any()


def test_errors():
    x = np.ones((1, 4, 4, 1), np.float32)

    def refused(text, images=x, size=(2, 2), scale=(1.0, 1.0), translation=(0.0, 0.0), **attrs):
        values = [images, np.array(size, np.int32), np.array(scale, np.float32), np.array(translation, np.float32)]
        values = [tf.placeholder_with_default(v, None) for v in values]
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(RAW.ScaleAndTranslate(**dict(zip(("images", "size", "scale", "translation"), values)), **attrs))

    refused(r"input must be 4-dimensional\[4,4,1\]", images=x[0])
    refused(r"output_shape_t must be 1-dimensional\[\]", size=3)
    refused(r"output_shape_t must have two elements\[3\]", size=[1, 2, 3])
    refused("output dimensions must be positive, got 0 and 1", size=[0, 1])
    refused("image must have at least one channel", images=x[..., :0])
    refused("input image must be of non-zero size", images=x[:, :0])
    refused("Scale must be greater than zero. Got 0 and 1", scale=[0.0, 1.0])
    refused("Scale must be greater than zero. Got 1 and nan", scale=[1.0, np.nan])
    refused(r"t must have two elements\[3\]", scale=[1.0, 1.0, 1.0])
    refused(r"t must be 1-dimensional\[\]", translation=1.0)
    refused("Unrecognized kernel type: lanczos", kernel_type="lanczos")
    with pytest.raises(ValueError, match="Dimension must be 2 but is 3"):
        RAW.ScaleAndTranslate(images=x, size=[1, 2, 3], scale=[1.0, 1.0], translation=[0.0, 0.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input_grad must be 4-dimensional\[4,4,1\]"):
        unknown = tf.placeholder_with_default(x[0], None)
        run(RAW.ScaleAndTranslateGrad(grads=unknown, original_image=x, scale=[1.0, 1.0], translation=[0.0, 0.0]))


def test_gradients_without_pixels():
    x, none = np.ones((1, 4, 4, 1), np.float32), np.ones((1, 0, 4, 1), np.float32)
    for grads, original in ((none, x), (x, none)):
        found = run(
            RAW.ScaleAndTranslateGrad(grads=grads, original_image=original, scale=[1.0, 1], translation=[0.0, 0])
        )
        assert found.shape == original.shape and not found.any()
