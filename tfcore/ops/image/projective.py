"""Projective transforms of images."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as join
import tfcore.ops.linalg.linalg as linalg
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value

# The types of images that TensorFlow differentiates.
_DIFFERENTIABLE = (dtypes.float16, dtypes.float32, dtypes.float64)


def _shape(op):
    batch, _, _, depth = with_rank(op.inputs[0].dims, 4)
    count, numbers = with_rank(op.inputs[1].dims, 2)
    merge_dim(with_rank(op.inputs[2].dims, 1)[0], 2)
    for value in op.inputs[3:]:
        with_rank(value.dims, 0)
    merge_dim(numbers, 8)
    if count not in (None, 1):
        batch = merge_dim(batch, count)
    sides = constant_value(op.inputs[2])
    sides = (None, None) if sides is None else (None if s < 0 else int(s) for s in sides)  # the kernel refuses those
    return [(batch, *sides, depth)]


def _define(name, *fill_value):
    return define_op(
        name,
        inputs=["images: dtype", "transforms: float32", "output_shape: int32", *fill_value],
        outputs=["transformed_images: dtype"],
        attrs=[
            "dtype: {uint8, int32, int64, half, bfloat16, float32, float64}",
            "interpolation: string",
            "fill_mode: string = 'CONSTANT'",
        ],
        shape=_shape,
        doc="Applies a projective transform: output pixel (x, y) is sampled at the transformed (x, y) of the input.",
    )


ImageProjectiveTransformV2 = _define("ImageProjectiveTransformV2")
ImageProjectiveTransformV3 = _define("ImageProjectiveTransformV3", "fill_value: float32")


def flat_transforms_to_matrices(transforms):
    """Matrices [N, 3, 3] of projections, whose last element is 1.

    Args:
      transforms: A `Tensor` with 8 numbers for each projection.

    Returns:
      A `Tensor`.

    Raises:
      ValueError: The number of elements is known, and not a multiple of 8.
    """
    transforms = array_ops.reshape(transforms, [-1, 8])
    ones = constants.ones([array_ops.shape(transforms)[0], 1], transforms.dtype)
    return array_ops.reshape(join.concat([transforms, ones], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices):
    """The 8 numbers of each projection: the matrices divided by their last elements.

    Args:
      transform_matrices: A `Tensor` of matrices 3 x 3.

    Returns:
      A `Tensor` of shape [N, 8].

    Raises:
      ValueError: The number of elements is known, and not a multiple of 9.
    """
    transforms = array_ops.reshape(transform_matrices, [-1, 9])
    return (transforms / transforms[:, 8:9])[:, :8]


@gradient("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def _projective_transform_grad(op, grad):
    """Gradients are transformed by the inverse projections, as in TensorFlow: that is the adjoint only for moves by
    whole pixels."""
    images, transforms = op.inputs[:2]
    if images.dtype not in _DIFFERENTIABLE:
        raise TypeError(f"Invalid dtype {images.dtype!r}.")
    inverse = matrices_to_flat_transforms(linalg.matrix_inverse(flat_transforms_to_matrices(transforms)))
    names = ("interpolation", "fill_mode")
    to_images = ImageProjectiveTransformV2(
        grad, inverse, array_ops.shape(images)[1:3], **{name: op.get_attr(name) for name in names}
    )
    return [to_images] + [None] * (len(op.inputs) - 1)
