"""Images whose pixels are moved, each by its own vector."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as join
from tfcore.contrib.image.splines import interpolate_spline
from tfcore.framework.graph.default_graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.move import meshgrid
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import floor
from tfcore.ops.debugging.check import assert_greater_equal
from tfcore.ops.indexing.indexing import gather_nd


def dense_image_warp(image, flow, name="dense_image_warp"):
    """Images in which pixel (y, x) shows the place (y - flow[0], x - flow[1]), interpolated between four pixels.

    Places outside of an image are its nearest ones.

    Args:
      image: A `Tensor` of shape [batch, height, width, channels] and a floating-point type.
      flow: A `Tensor` of shape [batch, height, width, 2] and a floating-point type.
      name: Prefix of the operations' names.

    Returns:
      A `Tensor` of the image's type and shape.

    Raises:
      ValueError: `image` does not have rank 4.
      tf.errors.InvalidArgumentError: When run: height or width is less than 2.
    """
    with name_scope(name):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        if image.shape.ndims != 4:
            raise ValueError(f"Grid must be 4 dimensional. Received size: {image.shape}")
        batch, height, width = (array_ops.shape(image)[i] for i in range(3))
        checks = [
            assert_greater_equal(height, 2, message="Grid height must be at least 2"),
            assert_greater_equal(width, 2, message="Grid width must be at least 2"),
        ]
        with control_dependencies(checks):
            image = array_ops.identity(image)
        images, rows, columns = meshgrid(range_of(batch), range_of(height), range_of(width), indexing="ij")
        y, down = _place(cast(rows, flow.dtype) - flow[..., 0], height, image.dtype)
        x, right = _place(cast(columns, flow.dtype) - flow[..., 1], width, image.dtype)
        above, below = (_mix(image, images, row, x, right) for row in (y, y + 1))
        result = down * (below - above) + above
        result.set_shape(image.shape)
        return result


def _place(at, size, dtype):
    """The last pixel before a position, which has one behind it, and the share of that one."""
    before = minimum(maximum(floor(at), 0), cast(size - 2, at.dtype))
    share = minimum(maximum(cast(at - before, dtype), 0), 1)
    return cast(before, dtypes.int32), share[..., None]


def _mix(image, images, y, x, share):
    left, right = (gather_nd(image, join.stack([images, y, column], axis=-1)) for column in (x, x + 1))
    return share * (right - left) + left


def sparse_image_warp(
    image,
    source_control_point_locations,
    dest_control_point_locations,
    interpolation_order=2,
    regularization_weight=0.0,
    num_boundary_points=0,
    name="sparse_image_warp",
):
    """Moves some points of images; `interpolate_spline` says how the pixels between them move.

    Args:
      image: A `Tensor` of shape [batch, height, width, channels], all known, and a floating-point type.
      source_control_point_locations: A `Tensor` of shape [batch, points, 2]: y and x of the points.
      dest_control_point_locations: Where these points are moved to.
      interpolation_order: Order of the spline.
      regularization_weight: How much the moves may deviate in favour of smoothness.
      num_boundary_points: With 1, the corners of the image do not move; with n, neither do n - 1 points between them on
        each edge.
      name: Prefix of the operations' names.

    Returns:
      The warped images, and the flow for `dense_image_warp`.

    Raises:
      ValueError: The shape of `image` is not fully known.
    """
    image = convert_to_tensor(image)
    source, places = (
        convert_to_tensor(points) for points in (source_control_point_locations, dest_control_point_locations)
    )
    if not image.shape.is_fully_defined() or image.shape.ndims != 4:
        raise ValueError(f"sparse_image_warp needs images of known shape and rank 4, got {image.shape}")
    flows = places - source
    with name_scope(name):
        batch, height, width, _ = image.shape.as_list()
        grid = np.stack(np.mgrid[:height, :width], -1).reshape(-1, 2)
        if num_boundary_points > 0:
            still = _edge(height, width, num_boundary_points - 1)
            places = join.concat([places, _for_each(still, batch, places.dtype)], 1)
            flows = join.concat([flows, _for_each(np.zeros_like(still), batch, flows.dtype)], 1)
        queries = _for_each(grid, batch, image.dtype)
        flow = interpolate_spline(places, flows, queries, interpolation_order, regularization_weight)
        flow = array_ops.reshape(flow, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def _for_each(points, batch, dtype):
    return constant(np.tile(points[None], [batch, 1, 1]), dtype)


def _edge(height, width, count):
    """The corners of an image, and `count` points on each edge between them."""
    y, x = np.meshgrid(*(np.linspace(0, size - 1, count + 2) for size in (height, width)), indexing="ij")
    outer = (x == 0) | (x == width - 1) | (y == 0) | (y == height - 1)
    return np.stack([y[outer], x[outer]], axis=-1)
