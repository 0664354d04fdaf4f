"""tf.contrib.image against NumPy: moves, rotations, warps, splines, colours."""

import numpy as np
import pytest

import tfcore as tf

image = tf.contrib.image
TYPES = [np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


@pytest.mark.parametrize("type_", TYPES)
def test_quarter_turns_and_moves(type_):
    x = np.arange(2 * 4 * 4 * 3).reshape(2, 4, 4, 3).astype(type_)
    turned = run(image.rotate(x, np.pi / 2))
    np.testing.assert_array_equal(turned, np.rot90(x, axes=(1, 2)))
    turned = run(image.rotate(x, [0.0, np.pi]))
    np.testing.assert_array_equal(turned, [x[0], np.rot90(x[1], 2)])
    moved = run(image.translate(x, [1, -2]))
    expected = np.zeros_like(x)
    expected[:, :2, 1:] = x[:, 2:, :-1]
    np.testing.assert_array_equal(moved, expected)


def test_ranks_and_shapes():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    flat, one = run([image.translate(x, [1, 0]), image.translate(x[..., None], [1, 0])])
    np.testing.assert_array_equal(flat, np.pad(x, [(0, 0), (1, 0)])[:, :-1])
    np.testing.assert_array_equal(one[..., 0], flat)
    sized = image.transform(x, [1, 0, 1, 0, 1, 1, 0, 0], "bilinear", output_shape=[2, 2])
    assert sized.shape == (2, 2)
    np.testing.assert_array_equal(run(sized), x[1:3, 1:3])
    some = tf.placeholder(tf.float32, [None, 5, None, 2])
    assert image.rotate(some, 0.1).shape.as_list() == [None, 5, None, 2]
    assert run(image.rotate(some, 0.0), {some: np.ones((3, 5, 6, 2))}).shape == (3, 5, 6, 2)


def test_projections():
    matrices = np.array([[[2, 0, 4], [0, 2, 6], [0, 0, 2]], [[1, 2, 3], [4, 5, 6], [7, 8, 1]]], np.float32)
    flat = image.matrices_to_flat_transforms(matrices)
    np.testing.assert_allclose(run(flat), [[1, 0, 2, 0, 1, 3, 0, 0], [1, 2, 3, 4, 5, 6, 7, 8]])
    np.testing.assert_allclose(run(image.flat_transforms_to_matrices(flat)), matrices / matrices[:, 2:, 2:])
    moves = image.translations_to_projective_transforms([3.0, 4.0])
    composed = run(image.compose_transforms(image.angles_to_projective_transforms([0.3], 5, 7), moves))
    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.array([[c, -s, 3 - (3 * c - 2 * s)], [s, c, 2 - (3 * s + 2 * c)], [0, 0, 1]])
    expected = turn @ [[1, 0, -3], [0, 1, -4], [0, 0, 1]]
    np.testing.assert_allclose(composed[0], expected.ravel()[:8], rtol=1e-5, atol=1e-6)


def test_what_transform_refuses():
    with pytest.raises(TypeError, match="rank between 2 and 4"):
        image.rotate(np.zeros(3, np.float32), 0.1)
    with pytest.raises(TypeError, match="Invalid dtype"):
        image.rotate(np.zeros((3, 3), np.int16), 0.1)
    with pytest.raises(TypeError, match="Angles should have rank 0 or 1"):
        image.angles_to_projective_transforms([[0.1]], 2, 2)
    with pytest.raises(TypeError, match="Transforms should have rank 1 or 2"):
        image.transform(np.zeros((3, 3), np.float32), 0.1)
    with pytest.raises(TypeError, match="Translations should have rank 1 or 2"):
        image.translate(np.zeros((3, 3), np.float32), 0.1)
    with pytest.raises(ValueError, match="instead got"):
        image.transform(np.zeros((3, 3), np.float32), [1.0, 0, 0, 0, 1, 0, 0, 0], output_shape=[1, 2, 3])
    with pytest.raises(AssertionError, match="cannot be empty"):
        image.compose_transforms()


def warped(x, flow):
    result = np.zeros(x.shape)
    for n, i, j in np.ndindex(x.shape[:3]):
        y, z = (np.clip(at - d, 0, size - 1) for at, d, size in zip((i, j), flow[n, i, j], x.shape[1:3]))
        top, left = min(int(y), x.shape[1] - 2), min(int(z), x.shape[2] - 2)
        dy, dx = y - top, z - left
        corners = x[n, top : top + 2, left : left + 2].astype(float)
        result[n, i, j] = np.einsum("y,x,yxc->c", [1 - dy, dy], [1 - dx, dx], corners)
    return result


def test_dense_image_warp():
    rng = np.random.default_rng(0)
    x, flow = rng.standard_normal((2, 4, 5, 3)), rng.standard_normal((2, 4, 5, 2)) * 3
    np.testing.assert_allclose(run(image.dense_image_warp(x, flow)), warped(x, flow), rtol=1e-10, atol=1e-12)
    feeds = tf.placeholder(tf.float32, [None] * 4), tf.placeholder(tf.float64)
    result = image.dense_image_warp(*feeds)
    np.testing.assert_allclose(run(result, dict(zip(feeds, (x, flow)))), warped(x, flow), atol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="height must be at least 2"):
        run(result, {feeds[0]: x[:, :1], feeds[1]: flow[:, :1]})
    with pytest.raises(ValueError, match="Grid must be 4 dimensional"):
        image.dense_image_warp(x[0], flow[0])


def test_gradients_of_dense_image_warp():
    rng = np.random.default_rng(1)
    x, flow = rng.standard_normal((1, 3, 4, 2)), rng.uniform(0.2, 0.4, (1, 3, 4, 2))
    feeds = tf.placeholder(tf.float64, x.shape), tf.placeholder(tf.float64, flow.shape)
    total = tf.reduce_sum(tf.square(image.dense_image_warp(*feeds)))
    found = run(tf.gradients(total, feeds), dict(zip(feeds, (x, flow))))
    for k, values in enumerate((x, flow)):
        numbers = np.zeros_like(values)
        for place in np.ndindex(values.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [x.copy(), flow.copy()]
                moved[k][place] += step
                ends.append((warped(*moved) ** 2).sum())
            numbers[place] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(found[k], numbers, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_splines(order):
    rng = np.random.default_rng(order)
    points, queries = rng.uniform(-1, 1, (2, 7, 3)), rng.uniform(-1, 1, (2, 5, 3))
    values = rng.standard_normal((2, 7, 2))
    at_points = run(image.interpolate_spline(points, values, points, order))
    np.testing.assert_allclose(at_points, values, atol=1e-6)  # it goes through them
    plane = points @ [[1.0], [-2], [3]] + 4
    on_plane = run(image.interpolate_spline(points, plane, queries, order))
    np.testing.assert_allclose(on_plane, queries @ [[1.0], [-2], [3]] + 4, atol=1e-6)
    smooth = run(image.interpolate_spline(points, values, points, order, regularization_weight=1e6))
    fit = [p @ np.linalg.lstsq(p, v, rcond=None)[0] for p, v in zip(np.insert(points, 3, 1, 2), values)]
    np.testing.assert_allclose(smooth, fit, atol=1e-3)  # the plane of least squares


def test_thin_plates():
    points, values = np.array([[[0.0], [1], [3]]]), np.array([[[1.0], [0], [2]]])
    r2 = (points[0] - points[0].T) ** 2
    a = 0.5 * r2 * np.log(np.maximum(r2, 1e-10))
    b = np.insert(points[0], 1, 1, 1)
    solution = np.linalg.solve(np.block([[a, b], [b.T, np.zeros((2, 2))]]), [1, 0, 2, 0, 0])
    d2 = (2 - points[0, :, 0]) ** 2
    expected = solution[:3] @ (0.5 * d2 * np.log(d2)) + solution[3] * 2 + solution[4]
    found = run(image.interpolate_spline(points, values, np.array([[[2.0]]]), 2))
    np.testing.assert_allclose(found, [[[expected]]])
    with pytest.raises(ValueError, match=r"input points \(d\) must be"):
        image.interpolate_spline(tf.placeholder(tf.float32, [1, 3, None]), values, points, 2)
    with pytest.raises(ValueError, match=r"output values \(k\) must be"):
        image.interpolate_spline(points, tf.placeholder(tf.float64, [1, 3, None]), points, 2)


@pytest.mark.parametrize("boundary", [0, 1, 3])
def test_sparse_image_warp_moves_points(boundary):
    x = np.zeros((2, 9, 9, 1), np.float32)
    source, dest = [[3, 3], [6, 5], [2, 7], [7, 2]], [[4, 3], [6, 6], [2, 6], [7, 2]]
    for y, z in source:
        x[:, y, z] = 10 * y + z
    places = (np.tile(np.array(p, np.float32), (2, 1, 1)) for p in (source, dest))
    result, flow = run(image.sparse_image_warp(x, *places, num_boundary_points=boundary))
    for (y, z), (to_y, to_z) in zip(source, dest):
        np.testing.assert_allclose(result[:, to_y, to_z, 0], 10 * y + z, rtol=1e-2)
        np.testing.assert_allclose(flow[0, to_y, to_z], [to_y - y, to_z - z], atol=1e-3)
    if boundary:
        np.testing.assert_allclose(flow[:, ::8, ::8], 0, atol=1e-3)
    with pytest.raises(ValueError, match="known shape"):
        image.sparse_image_warp(tf.placeholder(tf.float32, [None, 9, 9, 1]), [source], [dest])


def test_colors():
    rng = np.random.default_rng(4)
    x = rng.uniform(0, 1, (2, 3, 3)).astype(np.float32)
    np.testing.assert_allclose(run(image.adjust_hsv_in_yiq(x)), x, atol=1e-5)
    np.testing.assert_allclose(run(image.adjust_hsv_in_yiq(x, scale_value=0.5)), x / 2, atol=1e-5)
    grey = run(image.adjust_hsv_in_yiq(x, 1.0, 0.0))
    np.testing.assert_allclose(grey, np.tile((x @ [0.299, 0.587, 0.114])[..., None], 3), atol=1e-5)
    turned = run(image.adjust_hsv_in_yiq(image.adjust_hsv_in_yiq(x, 1.2, 2.0), -1.2, 0.5))
    np.testing.assert_allclose(turned, x, atol=1e-4)
    yiq = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
    c, s = np.cos(0.7), np.sin(0.7)
    matrix = np.linalg.inv(yiq) @ [[1, 0, 0], [0, c, -s], [0, s, c]] @ yiq
    np.testing.assert_allclose(run(image.adjust_hsv_in_yiq(x, 0.7)), x @ matrix.T, atol=1e-4)
    assert run(image.adjust_hsv_in_yiq((255 * x).astype(np.uint8), 0.7)).dtype == np.uint8
    with pytest.raises(ValueError):
        image.adjust_hsv_in_yiq(x[..., :2])


def test_random_colors():
    x = np.full((4, 4, 3), 0.5, np.float32)
    grey = run(image.random_hsv_in_yiq(x, 1.0, 0.5, 1.5, seed=1))
    np.testing.assert_allclose(grey, x, atol=1e-4)  # grey has no hue
    darker = run(image.random_hsv_in_yiq(x, lower_value=0.2, upper_value=0.4, seed=1))
    assert (darker > 0.09).all() and (darker < 0.21).all()
    for bounds, text in [
        ({"max_delta_hue": -1}, "max_delta must be non-negative"),
        ({"lower_saturation": -1}, "lower_saturation must be non-negative"),
        ({"lower_value": 2}, "lower_value must be < upper_value"),
    ]:
        with pytest.raises(ValueError, match=text):
            image.random_hsv_in_yiq(x, **bounds)
