"""What `layers.utils` and `ops.rnn_cell_impl` of TensorFlow have besides public names."""

from tfcore.framework.types import nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value as _constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import transpose
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.rnn import contrib_cells
from tfcore.rnn.base import joined_shape, static_shape

# ---- layers.utils


def convert_data_format(data_format, ndim):
    """ "channels_last" and 4 dimensions are "NHWC"."""
    channels_last = {3: "NWC", 4: "NHWC", 5: "NDHWC"}
    channels_first = {3: "NCW", 4: "NCHW", 5: "NCDHW"}
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if ndim not in channels_last:
        raise ValueError(f"Input rank not supported: {ndim}")
    return (channels_last if data_format == "channels_last" else channels_first)[ndim]


def normalize_tuple(value, n, name):
    """An int, or an iterable of n ints, as a tuple of n ints."""
    if isinstance(value, int):
        return (value,) * n
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(f"Argument `{name}` must be a tuple of {n} integers. Received: {value}") from None
    if len(values) != n:
        raise ValueError(f"Argument `{name}` must be a tuple of {n} integers. Received: {value}")
    for one in values:
        try:
            int(one)
        except (TypeError, ValueError):
            raise ValueError(
                f"Argument `{name}` must be a tuple of {n} integers. Received: {value} including element {one} of type "
                f"{type(one)}"
            ) from None
    return values


def normalize_data_format(value):
    found = value.lower()
    if found not in ("channels_first", "channels_last"):
        raise ValueError(f"Argument `data_format` must be one of 'channels_first', 'channels_last'. Received: {value}")
    return found


def normalize_padding(value):
    found = value.lower()
    if found not in ("valid", "same"):
        raise ValueError(f"Argument `padding` must be one of 'valid', 'same'. Received: {value}")
    return found


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The size of a convolution's output along one dimension; None if that of the input is None."""
    if input_length is None:
        return None
    assert padding in ("same", "valid", "full")
    wide = filter_size + (filter_size - 1) * (dilation - 1)
    length = input_length + {"same": 0, "valid": 1 - wide, "full": wide - 1}[padding]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    """The size of a convolution's input along one dimension; None if that of the output is None."""
    if output_length is None:
        return None
    assert padding in ("same", "valid", "full")
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length, filter_size, padding, stride):
    """The size of a transposed convolution's output along one dimension; None if that of the input is None."""
    if input_length is None:
        return None
    length = input_length * stride
    if padding == "valid":
        length += max(filter_size - stride, 0)
    elif padding == "full":
        length -= stride + filter_size - 2
    return length


def constant_value(pred):
    """True or False, if a predicate is known when the graph is built, else None."""
    if isinstance(pred, bool):
        return pred
    if pred in (0, 1):
        return bool(pred)
    found = _constant_value(convert_to_tensor(pred))
    return None if found is None else bool(found)


# ---- rnn_cell_impl


def zero_state_tensors(state_size, batch_size, dtype):
    """Zeros of [batch_size, *size] for each size of a structure."""
    known = _constant_value(convert_to_tensor(batch_size))

    def zero(size):
        dims = TensorShape([size] if isinstance(size, int) else size).as_list()
        if known is not None:
            return zeros([int(known), *dims], dtype)
        state = zeros(concat([[batch_size], dims], 0), dtype)
        state.set_shape([None, *dims])
        return state

    return nest.map_structure(zero, state_size)


def concat_shapes(prefix, suffix, static=False):
    """The shape [prefix, suffix]: a list of what is known with `static`, else a tensor."""
    return static_shape(prefix, suffix).as_list() if static else joined_shape(prefix, suffix)


class Linear(contrib_cells.Linear):
    """concat(args) * weights, with a bias if it is built."""

    def __init__(self, args, output_size, build_bias, bias_initializer=None, kernel_initializer=None):
        super().__init__(args, output_size, build_bias, bias_initializer, kernel_initializer)


def linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
    """concat(args) * kernel, with a bias if there is one, in variables of the current scope."""
    return contrib_cells.linear(args, output_size, bias, bias_initializer, kernel_initializer)


def transpose_batch_time(x):
    """A tensor with its first two dimensions exchanged; one of a smaller rank as it is."""
    x = convert_to_tensor(x)
    if x.shape.ndims is not None and x.shape.ndims < 2:
        return x
    if x.shape.ndims is None:
        raise ValueError(f"The rank of {x.name} must be known")
    return transpose(x, [1, 0, *range(2, x.shape.ndims)])


def assert_like_rnncell(cell_name, cell):
    """TypeError if the object is not like an RNNCell."""
    lacks = [
        text
        for found, text in (
            (hasattr(cell, "output_size"), "'output_size' property is missing"),
            (hasattr(cell, "state_size"), "'state_size' property is missing"),
            (
                hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state"),
                "either 'zero_state' or 'get_initial_state' method is required",
            ),
            (callable(cell), "is not callable"),
        )
        if not found
    ]
    if lacks:
        raise TypeError(f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(lacks)}.")


def like_rnncell(cell):
    """Whether an object is like an RNNCell."""
    try:
        assert_like_rnncell("cell", cell)
    except TypeError:
        return False
    return True
