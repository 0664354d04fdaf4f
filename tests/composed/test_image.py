"""`tf.image` over other operations, against NumPy: geometry, adjustments, colours, similarity."""

import colorsys

import numpy as np
import pytest

import tfcore as tf

IMAGES = np.random.default_rng(3).integers(0, 255, (2, 13, 17, 3), np.uint8, endpoint=True)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def same(function, reference, result_shape_known=True):
    """Whether a function gives the same for an image, a batch, and shapes that only the run knows."""
    for images in (IMAGES, IMAGES[0]):
        expected = reference(images)
        result = function(tf.constant(images))
        assert not result_shape_known or result.shape.as_list() == list(expected.shape)
        np.testing.assert_array_equal(run(result), expected)
        for shape in ([None] * images.ndim, None):
            if shape is None and images.ndim == 4:
                continue  # an image of unknown rank counts as one image
            unknown = tf.placeholder(tf.uint8, shape)
            np.testing.assert_array_equal(run(function(unknown), {unknown: images}), expected)


# ---- Geometry


def test_flips_and_transposes():
    same(tf.image.flip_left_right, lambda x: x[..., ::-1, :])
    same(tf.image.flip_up_down, lambda x: x[..., ::-1, :, :])
    same(tf.image.transpose, lambda x: np.swapaxes(x, -3, -2))
    for k in (-1, 0, 1, 2, 3, 6):
        same(lambda x, k=k: tf.image.rot90(x, k), lambda x, k=k: np.rot90(x, k, (-3, -2)))
    k = tf.placeholder_with_default(7, [])
    same(lambda x: tf.image.rot90(x, k), lambda x: np.rot90(x, 3, (-3, -2)), False)


def test_random_flips_flip_half_of_the_images():
    many = np.broadcast_to(IMAGES[:1], (200, 13, 17, 3))
    for flip, axis in ((tf.image.random_flip_left_right, 2), (tf.image.random_flip_up_down, 1)):
        found = run(flip(many, seed=1))
        flipped = (found == np.flip(many, axis)).all((1, 2, 3))
        assert (flipped | (found == many).all((1, 2, 3))).all() and 60 < flipped.sum() < 140
        one = flip(IMAGES[0], seed=1)
        with tf.Session() as session:
            seen = {(session.run(one) == IMAGES[0]).all() for _ in range(30)}
        assert seen == {True, False}


def test_crops_and_pads():
    unknown = tf.placeholder(tf.uint8, [None] * 3)
    for fraction in (0.5, tf.placeholder_with_default(0.5, [])):
        assert (run(tf.image.central_crop(IMAGES, fraction)) == IMAGES[:, 3:10, 4:13]).all()
        found = run(tf.image.central_crop(unknown, fraction), {unknown: IMAGES[0]})
        assert (found == IMAGES[0, 3:10, 4:13]).all()
    assert tf.image.central_crop(IMAGES, 0.5).shape.as_list() == [2, 7, 9, 3]
    same(lambda x: tf.image.crop_to_bounding_box(x, 2, 3, 5, 7), lambda x: x[..., 2:7, 3:10, :])
    before = lambda x: [(0, 0)] * (x.ndim - 3)  # noqa: E731
    same(
        lambda x: tf.image.pad_to_bounding_box(x, 2, 3, 20, 30),
        lambda x: np.pad(x, [*before(x), (2, 5), (3, 10), (0, 0)]),
    )
    same(
        lambda x: tf.image.resize_image_with_crop_or_pad(x, 8, 20),
        lambda x: np.pad(x[..., 2:10, :, :], [*before(x), (0, 0), (1, 2), (0, 0)]),
    )
    size = tf.placeholder_with_default(8, [])
    same(
        lambda x: tf.image.resize_image_with_crop_or_pad(x, size, 20),
        lambda x: np.pad(x[..., 2:10, :, :], [*before(x), (0, 0), (1, 2), (0, 0)]),
        False,
    )


@pytest.mark.parametrize(
    "box, text",
    [
        ((-1, 0, 3, 3), "offset_height must be >= 0."),
        ((0, -1, 3, 3), "offset_width must be >= 0."),
        ((0, 0, 0, 3), "target_height must be > 0."),
        ((0, 0, 3, 0), "target_width must be > 0."),
        ((9, 0, 5, 3), "height must be >= target"),
        ((0, 9, 3, 9), "width must be >= target"),
    ],
)
def test_boxes_that_leave_the_image(box, text):
    with pytest.raises(ValueError, match=text):
        tf.image.crop_to_bounding_box(IMAGES, *box)
    unknown = tf.placeholder(tf.uint8)
    sides = [tf.placeholder(tf.int32, []) for _ in box]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.image.crop_to_bounding_box(unknown, *sides), {unknown: IMAGES[0], **dict(zip(sides, box))})


def test_wrong_ranks():
    for function in (tf.image.flip_up_down, tf.image.transpose, tf.image.rot90, tf.image.random_flip_up_down):
        with pytest.raises(ValueError, match="must be at least three-dimensional"):
            function(IMAGES[0, 0])
        with pytest.raises(ValueError, match="must have either 3 or 4 dimensions"):
            function(IMAGES[None])
    with pytest.raises(ValueError, match=r"central_fraction must be within \(0, 1\]"):
        tf.image.central_crop(IMAGES, 0)
    with pytest.raises(ValueError, match="must have either 3 or 4 dimensions"):
        tf.image.resize_images(IMAGES[None], [2, 2])
    with pytest.raises(ValueError, match="contains no shape"):
        tf.image.resize_images(tf.placeholder(tf.uint8), [2, 2])
    with pytest.raises(ValueError, match="inner 3 dims of 'image.shape' must be > 0"):
        tf.image.flip_up_down(IMAGES[:, :0])


def test_resizing():
    for method in range(4):
        found = tf.image.resize_images(IMAGES[0], [7, 9], method)
        batch = tf.image.resize(IMAGES, [7, 9], ["bilinear", "nearest", "bicubic", "area"][method])
        one, several = run([found, batch])
        assert one.shape == (7, 9, 3) and (several[0] == one).all()
    constant = tf.constant(IMAGES)
    assert tf.image.resize_images(constant, [13, 17]) is constant
    kept = tf.image.resize_images(IMAGES, [26, 20], preserve_aspect_ratio=True)
    assert run(kept).shape == (2, 15, 20, 3)
    padded = run(tf.image.resize_image_with_pad(IMAGES, 26, 20))
    assert padded.shape == (2, 26, 20, 3)
    assert (padded[:, :5] == 0).all() and (padded[:, 20:] == 0).all() and (padded[:, 5:20] != 0).any((1, 2, 3)).all()
    with pytest.raises(ValueError, match="Resize method is not implemented: 4"):
        tf.image.resize_images(IMAGES, [7, 9], 4)
    with pytest.raises(ValueError, match="'size' must be a 1-D Tensor of 2 elements"):
        tf.image.resize_images(IMAGES, [7, 9, 1])


# ---- Values


@pytest.mark.parametrize("source", ["uint8", "int16", "uint16", "int32", "float32", "float64"])
@pytest.mark.parametrize("target", ["uint8", "int16", "uint16", "int32", "float32", "float64"])
def test_types_keep_the_brightness(source, target):
    most = 1.0 if source.startswith("float") else np.iinfo(source).max
    values = (np.linspace(0, 1, 9) * most).astype(source)
    found = run(tf.image.convert_image_dtype(values, target, saturate=True))
    limit = 1.0 if target.startswith("float") else np.iinfo(target).max
    assert found.dtype == target
    np.testing.assert_allclose(found / limit, values / most, atol=1 / 120)


def test_types_that_are_not_numbers():
    with pytest.raises(AttributeError, match="dtype must be either floating point or integer"):
        tf.image.convert_image_dtype(IMAGES, tf.string)


def near(found, expected, dtype):
    """Within one level of bytes."""
    assert found.dtype == dtype
    np.testing.assert_allclose(found / (255 if dtype == np.uint8 else 1), expected, atol=1.01 / 255)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_adjustments(dtype):
    x = IMAGES if dtype == np.uint8 else (IMAGES / 255).astype(dtype)
    unit = IMAGES / 255
    clip = (lambda v: np.clip(v, 0, 1)) if dtype == np.uint8 else (lambda v: v)
    near(run(tf.image.adjust_brightness(x, 0.2)), clip(unit + 0.2), dtype)
    mean = unit.mean((1, 2), keepdims=True)
    near(run(tf.image.adjust_contrast(x, 1.6)), clip((unit - mean) * 1.6 + mean), dtype)
    near(run(tf.image.adjust_gamma(x, 0.7, 1.2)), clip(1.2 * unit**0.7), dtype)

    def by_pixel(change):
        pixels = [colorsys.hsv_to_rgb(*change(*colorsys.rgb_to_hsv(*p))) for p in unit.reshape(-1, 3)]
        return np.reshape(pixels, unit.shape)

    near(run(tf.image.adjust_hue(x, -0.3)), by_pixel(lambda h, s, v: ((h - 0.3) % 1, s, v)), dtype)
    near(run(tf.image.adjust_saturation(x, 1.5)), by_pixel(lambda h, s, v: (h, min(1, 1.5 * s), v)), dtype)


def test_gamma_is_not_negative():
    with pytest.raises(ValueError, match="Gamma should be a non-negative real number."):
        tf.image.adjust_gamma(IMAGES, -1)
    gamma = tf.placeholder(tf.float32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Gamma should be a non-negative"):
        run(tf.image.adjust_gamma(IMAGES, gamma), {gamma: -1})


def test_standardization():
    found = run(tf.image.per_image_standardization(IMAGES))
    np.testing.assert_allclose(found.mean((1, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(found.std((1, 2, 3)), 1, rtol=1e-5)
    assert (run(tf.image.per_image_standardization(np.full((3, 3, 1), 7, np.uint8))) == 0).all()


def test_random_adjustments_stay_within_their_limits():
    x = (IMAGES / 255).astype(np.float32)
    with tf.Session() as session:
        brighter = tf.image.random_brightness(x, 0.3, seed=1) - x
        deltas = [session.run(brighter).mean() for _ in range(50)]
        assert -0.3 <= min(deltas) < -0.1 and 0.1 < max(deltas) <= 0.3
    assert run(tf.image.random_contrast(x, 0.3, 0.6, seed=1)).std() < 0.7 * x.std()
    gray = run(tf.image.random_saturation(x, 0.0, 1e-6, seed=1))
    np.testing.assert_allclose(gray, np.broadcast_to(x.max(-1, keepdims=True), x.shape), atol=1e-5)
    turned = run(tf.image.random_hue(x, 0.4, seed=1))
    np.testing.assert_allclose(turned.max(-1), x.max(-1), atol=1e-6)
    for call in (
        lambda: tf.image.random_brightness(x, -1),
        lambda: tf.image.random_contrast(x, 2, 1),
        lambda: tf.image.random_contrast(x, -2, 1),
        lambda: tf.image.random_saturation(x, 2, 1),
        lambda: tf.image.random_hue(x, 0.6),
        lambda: tf.image.random_hue(x, -0.1),
    ):
        with pytest.raises(ValueError, match="must be"):
            call()


def test_color_spaces():
    gray = run(tf.image.rgb_to_grayscale(IMAGES))
    assert gray.shape == (2, 13, 17, 1)
    assert np.abs(gray[..., 0] - IMAGES @ [0.2989, 0.5870, 0.1140]).max() <= 1
    same_gray = run(tf.image.grayscale_to_rgb(gray))
    assert (same_gray == gray).all() and same_gray.shape == IMAGES.shape
    with pytest.raises(ValueError, match="Last dimension of a grayscale image should be size 1."):
        tf.image.grayscale_to_rgb(IMAGES)
    x = IMAGES / 255
    for there, back in (("rgb_to_yiq", "yiq_to_rgb"), ("rgb_to_yuv", "yuv_to_rgb")):
        other = getattr(tf.image, there)(x)
        again = getattr(tf.image, back)(other)
        other, again = run([other, again])
        np.testing.assert_allclose(other[..., 0], x @ [0.299, 0.587, 0.114], atol=1e-6)
        np.testing.assert_allclose(again, x, atol=1e-4)


# ---- Quality


def test_psnr_and_similarity():
    x = np.kron(IMAGES, np.ones((1, 14, 12, 1), np.uint8))
    noisy = np.clip(x.astype(int) + np.random.default_rng(1).integers(-9, 9, x.shape), 0, 255).astype(np.uint8)
    error = ((x / 255 - noisy / 255) ** 2).mean((1, 2, 3))
    np.testing.assert_allclose(run(tf.image.psnr(x, noisy, 255)), -10 * np.log10(error), rtol=1e-5)
    for similarity in (tf.image.ssim, tf.image.ssim_multiscale):
        equal, less = run([similarity(x, x, 255), similarity(x, noisy, 255)])
        np.testing.assert_allclose(equal, 1, atol=1e-5)
        assert less.shape == (2,) and (less < 0.999).all() and (less > 0.5).all()
    assert run(tf.image.ssim(x, noisy, 255, return_index_map=True)).shape == (2, 172, 194)
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 11 from 5"):
        tf.image.ssim(x[:, :5], x[:, :5], 255)
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.image.psnr(x, x[:, :5], 255)


def test_similarity_by_its_definition():
    rng = np.random.default_rng(2)
    x, y = rng.random((2, 12, 14, 1)).astype(np.float32)
    at = np.arange(11) - 5
    window = np.exp(-(at[:, None] ** 2 + at**2) / (2 * 1.5**2))
    window /= window.sum()
    values = []
    for top in range(2):
        for left in range(4):
            a, b = x[top : top + 11, left : left + 11, 0], y[top : top + 11, left : left + 11, 0]
            p, q = (window * a).sum(), (window * b).sum()
            pp, qq, pq = (window * a * a).sum() - p * p, (window * b * b).sum() - q * q, (window * a * b).sum() - p * q
            values.append((2 * p * q + 1e-4) * (2 * pq + 9e-4) / ((p * p + q * q + 1e-4) * (pp + qq + 9e-4)))
    np.testing.assert_allclose(run(tf.image.ssim(x, y, 1.0)), np.mean(values), rtol=1e-4)


def test_variation_and_edges():
    x = IMAGES.astype(np.float32)
    expected = np.abs(np.diff(x, axis=1)).sum((1, 2, 3)) + np.abs(np.diff(x, axis=2)).sum((1, 2, 3))
    np.testing.assert_allclose(run(tf.image.total_variation(tf.constant(x))), expected, rtol=1e-5)
    np.testing.assert_allclose(run(tf.image.total_variation(tf.constant(x[0]))), expected[0], rtol=1e-5)
    dy, dx = run(tf.image.image_gradients(tf.constant(x)))
    assert (dy[:, :-1] == np.diff(x, axis=1)).all() and (dy[:, -1] == 0).all()
    assert (dx[:, :, :-1] == np.diff(x, axis=2)).all() and (dx[:, :, -1] == 0).all()
    edges = run(tf.image.sobel_edges(tf.constant(x)))
    inside = x[:, 2:, :-2] + 2 * x[:, 2:, 1:-1] + x[:, 2:, 2:] - x[:, :-2, :-2] - 2 * x[:, :-2, 1:-1] - x[:, :-2, 2:]
    np.testing.assert_allclose(edges[:, 1:-1, 1:-1, :, 0], inside, atol=1e-3)
    with pytest.raises(ValueError, match="either 3 or 4-dimensional"):
        tf.image.total_variation(x[0, 0])
    with pytest.raises(ValueError, match="expects a 4D tensor"):
        tf.image.image_gradients(tf.constant(x[0]))
