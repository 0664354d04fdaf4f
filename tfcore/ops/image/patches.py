"""Patches of images and volumes."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as join
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.types import dtypes

# ---- Shapes


def _check_attrs(op, names, rank):
    for name in names:
        values = op.attrs[name]
        if len(values) != rank:
            found = len(values)
            raise ValueError(f"{op.type} requires the {name} attribute to contain {rank} values, but got: {found}")
        if wrong := [v for v in values if not -(1 << 31) <= v < 1 << 31]:
            raise ValueError(f"Attr {name} has value {wrong[0]} out of range for an int32")


def _shape(op):
    from tfcore.ops.conv.conv import window_size

    rank = 4 if op.type == "ExtractImagePatches" else 5
    names = ("ksizes", "strides", "rates") if rank == 4 else ("ksizes", "strides")
    batch, *space, depth = with_rank(op.inputs[0].dims, rank)
    _check_attrs(op, names, rank)
    for size in op.attrs["ksizes"][1:-1]:
        if depth is not None:
            if depth * size < 0:
                raise ValueError(f"Negative dimension size caused by overflow when multiplying {depth} and {size}")
            depth *= size
    rates = op.attrs["rates"] if "rates" in names else [1] * rank
    windows = zip(space, *(values[1:-1] for values in (op.attrs["ksizes"], op.attrs["strides"], rates)))
    # The kernel refuses rates below 1.
    return [(batch, *(window_size(*sizes, max(rate, 1), op.attrs["padding"]) for *sizes, rate in windows), depth)]


# ---- Ops

_PADDING = "padding: {'SAME', 'VALID'}"

ExtractImagePatches = define_op(
    "ExtractImagePatches",
    inputs=["images: T"],
    outputs=["patches: T"],
    attrs=[
        "ksizes: list(int) >= 4",
        "strides: list(int) >= 4",
        "rates: list(int) >= 4",
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
        "complex128, bool}",
        _PADDING,
    ],
    shape=_shape,
    doc="Patches of images, in the last dimension.",
)
ExtractVolumePatches = define_op(
    "ExtractVolumePatches",
    inputs=["input: T"],
    outputs=["patches: T"],
    attrs=[
        "ksizes: list(int) >= 5",
        "strides: list(int) >= 5",
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
        _PADDING,
    ],
    shape=_shape,
    doc="What windows of volumes see, in the last dimension.",
)


# ---- Gradients


def _add_up(op, grad, numbers_seen):
    """Adds what patches got to the pixels that they saw; `numbers_seen` makes patches of an int64 Tensor."""
    from tfcore.ops.reduce.reduce import reduce_prod
    from tfcore.ops.reduce.segment import unsorted_segment_sum

    dims = array_ops.shape(op.inputs[0], out_type=dtypes.int64)
    batch, space, depth = dims[0], dims[1:-1], dims[-1]
    count = reduce_prod(space)
    numbers = array_ops.reshape(constants.range(1, count + 1, dtype=dtypes.int64), join.concat([[1], space, [1]], 0))
    seen = array_ops.reshape(numbers_seen(numbers), [-1])  # 0: outside
    n = array_ops.size(seen, out_type=dtypes.int64)
    by_pixel = array_ops.transpose(array_ops.reshape(grad, join.stack([batch, n, depth])), [1, 0, 2])
    rows = array_ops.reshape(by_pixel, join.stack([n, batch * depth]))
    sums = unsorted_segment_sum(rows, seen - 1, count)
    back = array_ops.transpose(array_ops.reshape(sums, join.stack([count, batch, depth])), [1, 0, 2])
    return [array_ops.reshape(back, dims)]


def _attrs(op, *names):
    return {name: op.get_attr(name) for name in ("ksizes", "strides", "padding", *names)}


@gradient("ExtractImagePatches")
def _image_grad(op, grad):
    return _add_up(op, grad, lambda numbers: ExtractImagePatches(numbers, **_attrs(op, "rates")))


@gradient("ExtractVolumePatches")
def _volume_grad(op, grad):
    return _add_up(op, grad, lambda numbers: ExtractVolumePatches(numbers, **_attrs(op)))


# ---- Wrappers


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """The patches of images around each position, with their elements in the last dimension.

    Args:
      images: A `Tensor` of a numeric type and shape [batch, rows, columns, depth].
      ksizes: The size of patches, a list [1, rows, columns, 1].
      strides: The distance between patches, a list [1, rows, columns, 1].
      rates: The distance between the pixels of a patch, a list [1, rows, columns, 1].
      padding: "VALID" for patches within the image, "SAME" for zeros around it.
      name: Name of the operation (optional).
      sizes: Newer name of `ksizes`.

    Returns:
      A `Tensor` of shape [batch, rows, columns, size_rows * size_columns * depth].

    Raises:
      ValueError: An argument is not of this form.
    """
    if sizes is not None and ksizes is not None:
        raise ValueError("Cannot specify both 'sizes' and 'ksizes'.")
    ksizes = ksizes if sizes is None else sizes
    return ExtractImagePatches(images, ksizes=ksizes, strides=strides, rates=rates, padding=padding, name=name)


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """The patches of images around each position, with their elements in the last dimension.

    Args:
      images: A `Tensor` of a numeric type and shape [batch, rows, columns, depth].
      sizes: The size of patches, a list [1, rows, columns, 1].
      strides: The distance between patches, a list [1, rows, columns, 1].
      rates: The distance between the pixels of a patch, a list [1, rows, columns, 1].
      padding: "VALID" for patches within the image, "SAME" for zeros around it.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of shape [batch, rows, columns, size_rows * size_columns * depth].

    Raises:
      ValueError: An argument is not of this form.
    """
    return ExtractImagePatches(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


@described(ExtractVolumePatches)
def extract_volume_patches(input, ksizes, strides, padding, name=None):  # noqa: A002  named as in TensorFlow
    """The patches of volumes around each position, with their elements in the last dimension."""
    return ExtractVolumePatches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)
