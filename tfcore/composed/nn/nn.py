"""Functions of tf.nn: the average loss of a global batch, space to batch."""

from tfcore.composed.sizes import size_of
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape, squeeze
from tfcore.ops.array.blocks import batch_to_space_nd, required_space_to_batch_paddings, space_to_batch_nd
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import div_no_nan
from tfcore.ops.cwise.cast import cast
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_sum


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of the losses of examples, divided by the size of the batch.

    Args:
      per_example_loss: A floating-point `Tensor`, one loss for each example in the first dimension.
      sample_weight: Weights of the examples, which broadcast (optional).
      global_batch_size: The number of examples, an int; by default the first dimension.

    Returns:
      A `Tensor` of the type of `per_example_loss`, a scalar; 0 for an empty batch.

    Raises:
      ValueError: `global_batch_size` is not a scalar.
      TypeError: It is not an integer.
    """
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        weights = cast(convert_to_tensor(sample_weight), losses.dtype)
        if weights.shape.ndims is not None and losses.shape.ndims is not None:
            if weights.shape.ndims == losses.shape.ndims + 1:
                weights = squeeze(weights, [-1])
            elif weights.shape.ndims and weights.shape.ndims == losses.shape.ndims - 1:
                weights = expand_dims(weights, -1)
        losses = losses * weights
    if global_batch_size is None:
        size = shape(losses)[0]
    else:
        size = convert_to_tensor(global_batch_size)
        check.assert_scalar(size, message="global_batch_size must be scalar.")
        check.assert_integer(size, message="global_batch_size must be an integer.")
        checked = check.assert_non_negative(size, message="global_batch_size must be non-negative.")
        size = with_dependencies([checked], size)
    return div_no_nan(reduce_sum(losses), cast(size, losses.dtype))


def scale_regularization_loss(regularization_loss):
    """The sum of regularization losses, divided by the number of replicas, which is 1 here.

    Args:
      regularization_loss: A floating-point `Tensor`.

    Returns:
      A `Tensor` of the same type, a scalar.

    Raises:
      TypeError: The argument is not a tensor of numbers.
    """
    return reduce_sum(convert_to_tensor(regularization_loss))


def with_space_to_batch(
    input,  # noqa: A002  named as in TensorFlow
    dilation_rate,
    padding,
    op,
    filter_shape=None,
    spatial_dims=None,
    data_format=None,
):
    """Applies an operation with dilation: to each of the grids of pixels that are `dilation_rate` apart.

    Args:
      input: A `Tensor` of rank n + 2 or more, for n spatial dimensions.
      dilation_rate: The distance of neighbours in each spatial dimension, a list of ints.
      padding: "VALID" or "SAME".
      op: A function (input, number of spatial dimensions, padding) that keeps the batch and spatial dimensions apart.
      filter_shape: The sizes of the window, needed for padding "SAME": ints or an int32 vector.
      spatial_dims: The spatial dimensions, increasing; 1, ..., n by default, or from 2 where channels come first.
      data_format: Such as "NCHW" for channels before the spatial dimensions (optional).

    Returns:
      What `op` returns.

    Raises:
      ValueError: An argument is not valid.
    """
    input = convert_to_tensor(input, name="input")  # noqa: A001
    rates = [int(r) for r in constant_value(convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate"))]
    count = len(rates)
    if any(r < 1 for r in rates):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = sorted(spatial_dims) if spatial_dims is not None else list(range(first, first + count))
    if len(dims) != count or dims[0] < 1 or sorted(set(dims)) != dims:
        raise ValueError("spatial_dims must be a monotonically increasing sequence of positive integers")
    if all(r == 1 for r in rates):
        return op(input, count, padding)
    base = [[0, 0]] * count
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError(
                "`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None and "
                f"padding={padding}"
            )
        sizes = constant_value(convert_to_tensor(filter_shape))
        if sizes is None:
            raise ValueError("filter_shape must be known statically")
        spread = [(int(s) - 1) * r for s, r in zip(sizes, rates)]
        base = [[s // 2, s - s // 2] for s in spread]
    elif padding != "VALID":
        raise ValueError(f"Invalid padding method {padding!r}")
    sizes = [size_of(input, d) for d in dims]
    sizes, rates, base = (convert_to_tensor(x, dtypes.int32) for x in (sizes, rates, base))
    pads, crops = required_space_to_batch_paddings(sizes, rates, base)
    blocks, pads, crops = _between(dims, rates, pads, crops)
    return batch_to_space_nd(op(space_to_batch_nd(input, blocks, pads), count, "VALID"), blocks, crops)


def _between(dims, rates, pads, crops):
    """The arguments for all dimensions up to the last spatial one; those that are not spatial stay as they are."""
    if dims == list(range(1, len(dims) + 1)):
        return rates, pads, crops
    pads, crops = cast(pads, dtypes.int32), cast(crops, dtypes.int32)
    blocks, all_pads, all_crops = [], [], []
    for d in range(1, dims[-1] + 1):
        i = dims.index(d) if d in dims else None
        blocks.append(1 if i is None else rates[i])
        all_pads.append([0, 0] if i is None else pads[i])
        all_crops.append([0, 0] if i is None else crops[i])
    return [convert_to_tensor(x, dtypes.int32) for x in (blocks, all_pads, all_crops)]
