"""Constants, placeholders, and tensors made from a few numbers."""

import builtins

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_dims
from tfcore.framework.values.constant import constant, constant_of_array, constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor

_SMALL = 1000  # tensors of fewer elements become constants, as in TensorFlow


# ---- Placeholders


def _placeholder_shape(op):
    return [op.attrs["shape"]]


Const = define_op(
    "Const",
    outputs=["output: dtype"],
    attrs=["value: tensor", "dtype: type"],
    shape=lambda op: [op.attrs["value"].shape],
    doc="A tensor whose value is the attribute `value`.",
)
Placeholder = define_op(
    "Placeholder",
    outputs=["output: dtype"],
    attrs=["dtype: type", "shape: shape = {unknown_rank: true}"],
    shape=_placeholder_shape,
    doc="A value that must be fed. Running it without a feed is an error.",
)
PlaceholderV2 = define_op(
    "PlaceholderV2",
    outputs=["output: dtype"],
    attrs=["dtype: type", "shape: shape"],
    shape=_placeholder_shape,
    doc="A value that must be fed. Running it without a feed is an error.",
)


def _placeholder_with_default_shape(op):
    dims = op.attrs["shape"]
    given = op.inputs[0].dims
    merge(given, dims)
    return [dims]


PlaceholderWithDefault = define_op(
    "PlaceholderWithDefault",
    inputs=["input: dtype"],
    outputs=["output: dtype"],
    attrs=["dtype: type", "shape: shape"],
    shape=_placeholder_with_default_shape,
    doc="The value of `input` unless the output is fed.",
)
Fact = define_op(
    "Fact",
    outputs=["fact: string"],
    shape=shapes.scalar,
    doc="A fact about factorials: TensorFlow's example of a user-defined op.",
)
not_differentiable("Placeholder", "PlaceholderV2")


@gradient("PlaceholderWithDefault")
def _placeholder_with_default_grad(op, grad):
    return grad


def placeholder(dtype, shape=None, name=None):
    """A tensor whose value is fed to each run with `feed_dict`.

    Args:
      dtype: The `DType` of the elements.
      shape: Static shape of what will be fed, with None for sizes that may vary; None: any shape.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` without a value.

    Raises:
      TypeError: `dtype` is not a type.
      tf.errors.InvalidArgumentError: At run time, it is needed and not fed.

    Example:

    >>> x = tf.placeholder(tf.float32, [None])
    >>> print(sess.run(2 * x, {x: [1, 2]}))
    [2. 4.]
    """
    return Placeholder(dtype=dtype, shape=shape, name=name)


@described(
    PlaceholderWithDefault,
    example="""
>>> x = tf.placeholder_with_default(1, [])
>>> print(sess.run(x), sess.run(x, {x: 5}))
1 5
""",
    shapes={
        "input": "of a shape compatible with `shape`",
        "output": "of static shape `shape`",
    },
)
def placeholder_with_default(input, shape, name=None):
    """A tensor that has the value of `input` unless another one is fed."""
    return PlaceholderWithDefault(input, shape=shape, name=name)


# ---- Fill, zeros and ones


def _fill_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    value = op.inputs[1].dims
    if value:
        raise ValueError(f"Shape must be rank 0 but is rank {len(value)}")
    wanted = constant_value(op.inputs[0])
    if wanted is not None:
        for d in wanted:
            if d < 0:
                raise ValueError(f"Fill dimensions must be >= 0, got {d}")
    return [constant_value_as_shape(op.inputs[0])]


Fill = define_op(
    "Fill",
    inputs=["dims: index_type", "value: T"],
    outputs=["output: T"],
    attrs=["T: type", "index_type: {int32, int64} = DT_INT32"],
    shape=_fill_shape,
    doc="A tensor of shape `dims` filled with the scalar `value`.",
)


@gradient("Fill")
def _fill_grad(op, grad):
    import tfcore.ops.reduce.reduce as reduce_ops

    return None, reduce_ops.reduce_sum(grad)


def _same_shape(op):
    return [op.inputs[0].dims]


ZerosLike = define_op(
    "ZerosLike",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: type"],
    shape=_same_shape,
    doc="Zeros (false, empty strings) in the shape and type of `x`.",
)
OnesLike = define_op(
    "OnesLike",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=[
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
        "complex128, bool}"
    ],
    shape=_same_shape,
    doc="Ones in the shape and type of `x`.",
)
not_differentiable("ZerosLike", "OnesLike")


def fill(dims, value, name=None, layout=None):
    """A tensor of shape `dims` with `value` everywhere.

    Args:
      dims: A `Tensor` of type int32 or int64, a vector.
      value: A `Tensor` of any type, a scalar.
      name: Name of the operation (optional).
      layout: Must be None: there are no distributed tensors.

    Returns:
      A `Tensor` of the type of `value` and shape `dims`.

    Raises:
      ValueError: `dims` is not a vector or `value` not a scalar, a size is negative, or a layout is given.
      TypeError: `dims` has another type.

    Example:

    >>> print(sess.run(tf.fill([2, 2], 7)))
    [[7 7]
     [7 7]]
    """
    _no_layout(layout)
    return Fill(dims, value, name=name)


def _no_layout(layout):
    if layout is not None:
        raise ValueError(f"layout must be None, as there are no distributed tensors, but is {layout!r}")


def _filled(shape, value, dtype, name, default_name):
    """Zeros or ones: a constant where the shape is known and small, else a Fill."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    dims = _static_dims(shape)
    if dims is not None:
        size = 1
        for d in dims:
            if d < 0:
                raise ValueError(f"Dimension {d} must be >= 0")
            size *= d
            if d >= 2**63:
                raise ValueError(f"Dimension {d} is too large")
        if size < _SMALL:
            if dtype is dtypes.string:
                return constant(np.full(dims, b"", object), dtypes.string, name=name or default_name)
            return constant_of_array(np.full(dims, value, dtype.as_numpy_dtype), name or default_name)
    with name_scope(name, default_name, [shape]) as scope:
        if dims is not None:
            shape = constant(np.array(dims, np.int32 if max(dims) < 2**31 else np.int64), name="shape_as_tensor")
        else:
            shape = convert_to_tensor(shape, dtype=None if isinstance(shape, Tensor) else dtypes.int32)
            if shape.dims == ():
                shape = array_ops.reshape(shape, [-1])
        element = b"" if dtype is dtypes.string else value
        if dtype is not dtypes.string and dtype.is_numpy_compatible:
            element = np.asarray(value).astype(dtype.as_numpy_dtype)
        return Fill(shape, constant(element, dtype), name=scope)


def _static_dims(shape):
    """A shape argument as a tuple of ints, None if it holds tensors or unknown sizes."""
    if isinstance(shape, TensorShape):
        dims = as_dims(shape)
        return None if dims is None or None in dims else dims
    if isinstance(shape, Tensor):
        return None
    if isinstance(shape, (list, tuple)):
        dims = []
        for d in shape:
            if type(d) is not int:
                d = getattr(d, "value", d)
                if not isinstance(d, (int, np.integer)):
                    return None
            dims.append(int(d))
        return tuple(dims)
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, np.ndarray):
        return tuple(int(d) for d in shape.ravel())
    return None


def zeros(shape, dtype=dtypes.float32, name=None, layout=None):
    """A tensor of zeros (False, empty strings).

    Args:
      shape: A list of ints, a `TensorShape`, or a vector of type int32 or int64.
      dtype: The `DType` of the elements.
      name: Name of the operation (optional).
      layout: Must be None: there are no distributed tensors.

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      ValueError: A size is negative, or a layout is given.
      TypeError: `dtype` is not a type.

    Example:

    >>> print(sess.run(tf.zeros([3])))
    [0. 0. 0.]
    """
    _no_layout(layout)
    return _filled(shape, 0, dtype, name, "zeros")


def ones(shape, dtype=dtypes.float32, name=None, layout=None):
    """A tensor of ones (True).

    Args:
      shape: A list of ints, a `TensorShape`, or a vector of type int32 or int64.
      dtype: The `DType` of the elements.
      name: Name of the operation (optional).
      layout: Must be None: there are no distributed tensors.

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      ValueError: A size is negative, or a layout is given.
      TypeError: `dtype` is not a type.

    Example:

    >>> print(sess.run(tf.ones([3])))
    [1. 1. 1.]
    """
    _no_layout(layout)
    return _filled(shape, 1, dtype, name, "ones")


def zeros_like(tensor, dtype=None, name=None, optimize=True):
    """A tensor of zeros (False, empty strings) with the shape of another.

    Args:
      tensor: A `Tensor` of any type.
      dtype: The `DType` of the elements; that of `tensor` by default.
      name: Name of the operation (optional).
      optimize: Whether the result may be a constant, independent of `tensor`, where its shape is known statically.

    Returns:
      A `Tensor` of the shape of `tensor`.

    Raises:
      TypeError: `dtype` is not a type.

    Example:

    >>> print(sess.run(tf.zeros_like([5, 6])))
    [0 0]
    """
    if type(tensor) is not Tensor:
        tensor = convert_to_tensor(tensor, name="tensor")
    wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
    dims = tensor.dims
    if optimize and dims is not None and None not in dims and wanted not in (dtypes.resource, dtypes.variant):
        return _filled(dims, 0, wanted, name, "zeros_like")
    if wanted is tensor.dtype.base_dtype:
        return ZerosLike(tensor, name=name or "zeros_like")
    with name_scope(name, "zeros_like", [tensor]) as scope:
        result = zeros(array_ops.shape(tensor), wanted, name=scope)
    result.set_shape(tensor.shape)
    return result


def ones_like(tensor, dtype=None, name=None, optimize=True):
    """A tensor of ones (True) with the shape of another.

    Args:
      tensor: A `Tensor` of any type.
      dtype: The `DType` of the elements; that of `tensor` by default.
      name: Name of the operation (optional).
      optimize: Whether the result may be a constant, independent of `tensor`, where its shape is known statically.

    Returns:
      A `Tensor` of the shape of `tensor`.

    Raises:
      TypeError: `dtype` is not a type.

    Example:

    >>> print(sess.run(tf.ones_like([5, 6])))
    [1 1]
    """
    if type(tensor) is not Tensor:
        tensor = convert_to_tensor(tensor, name="tensor")
    wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
    dims = tensor.dims
    if wanted is dtypes.string:
        raise TypeError("Expected string, but got 1 of type 'int'.")
    if optimize and dims is not None and None not in dims:
        return _filled(dims, 1, wanted, name, "ones_like")
    with name_scope(name, "ones_like", [tensor]) as scope:
        result = ones(array_ops.shape(tensor), wanted, name=scope)
    result.set_shape(tensor.shape)
    return result


# ---- Sequences


def _want_scalars(op, names):
    for t, name in zip(op.inputs, names):
        if t.dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(t.dims)} for '{name}'")


def _range_shape(op):
    _want_scalars(op, ("start", "limit", "delta"))
    values = [constant_value(t) for t in op.inputs]
    if any(v is None for v in values):
        return [(None,)]
    start, limit, delta = (v.item() for v in values)
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if start > limit if delta > 0 else start < limit:
        sign = "<= limit when delta > 0" if delta > 0 else ">= limit when delta < 0"
        raise ValueError(f"Requires start {sign}: {start}/{limit}")
    if isinstance(start, int):
        return [(-((limit - start) // -delta),)]
    values = [np.asarray(v).item() for v in values]
    kind = op.inputs[0].dtype.as_numpy_dtype
    if kind is np.float32:  # divide in this type, as the kernel does
        quotient = (np.float32(limit) - np.float32(start)) / np.float32(delta)
    else:
        quotient = (limit - start) / delta
    return [(int(np.ceil(abs(quotient))),)]


Range = define_op(
    "Range",
    inputs=["start: Tidx", "limit: Tidx", "delta: Tidx"],
    outputs=["output: Tidx"],
    attrs=["Tidx: {bfloat16, half, float, double, int32, int64} = DT_INT32"],
    shape=_range_shape,
    doc="start, start + delta, ..., which stops before limit.",
)


def _lin_space_shape(op):
    _want_scalars(op, ("start", "stop", "num"))
    num = constant_value(op.inputs[2])
    if num is None:
        return [(None,)]
    if num <= 0:
        raise ValueError(f"Requires num > 0: {num}")
    return [(int(num),)]


LinSpace = define_op(
    "LinSpace",
    inputs=["start: T", "stop: T", "num: Tidx"],
    outputs=["output: T"],
    attrs=["T: {bfloat16, half, float, double}", "Tidx: {int32, int64} = DT_INT32"],
    shape=_lin_space_shape,
    doc="`num` evenly spaced values from `start` to `stop`, both included.",
)
not_differentiable("Range", "LinSpace")

_RANGE_TYPES = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def range(start, limit=None, delta=1, dtype=None, name="range"):  # noqa: A001  named as in TensorFlow
    """The sequence start, start + delta, ..., which stops before `limit`.

    Args:
      start: A scalar; with one argument it is the limit, and the sequence starts at 0.
      limit: A scalar, which the sequence stops before.
      delta: A scalar, the difference between neighbours, not 0.
      dtype: The `DType` of the elements: int32, int64, float16, bfloat16, float32 or float64. By default the last of
        the arguments' types in this order.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`, a vector.

    Raises:
      TypeError: An argument has another type.
      ValueError: `delta` is 0, or leads away from `limit`.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.range(5)), sess.run(tf.range(3, 10, 3)))
    [0 1 2 3 4] [3 6 9]
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        start = convert_to_tensor(start, dtype=dtype, name="start")
        limit = convert_to_tensor(limit, dtype=dtype, name="limit")
        delta = convert_to_tensor(delta, dtype=dtype, name="delta")
        if dtype is None:
            found = [t.dtype.base_dtype for t in (start, limit, delta)]
            if wrong := set(found).difference(_RANGE_TYPES):
                allowed = ", ".join(t.name for t in _RANGE_TYPES)
                raise TypeError(f"tf.range of type {wrong.pop().name}: its arguments must be of {allowed}")
            if found[0] is not found[1] or found[0] is not found[2]:
                widest = max(found, key=_RANGE_TYPES.index)
                start, limit, delta = (_cast(t, widest) for t in (start, limit, delta))
        return Range(start, limit, delta, name=scope)


def _cast(tensor, dtype):
    return tensor if tensor.dtype.base_dtype is dtype else get_op_def("Cast")(tensor, DstT=dtype)


def linspace(start, stop, num, name=None, axis=0):
    """Evenly spaced values from `start` to `stop`, both included.

    Args:
      start: A `Tensor` of a real type: the first value, or values.
      stop: A `Tensor` of the type of `start` whose shape broadcasts with that of `start`: the last value, or values.
      num: Number of values, an int32 or int64 scalar.
      name: Name of the operation (optional).
      axis: The dimension of the result that has the values, an int.

    Returns:
      A `Tensor` with the broadcast shape of `start` and `stop`, into which `num` is inserted at `axis`: of the type of
      `start`, or float64 where that is an integer type.

    Raises:
      ValueError: The shapes don't fit together, or `axis` is out of range.
      tf.errors.InvalidArgumentError: At run time, `num` is negative.

    Example:

    >>> print(sess.run(tf.linspace(0.0, 1.0, 5)))
    [0.   0.25 0.5  0.75 1.  ]
    >>> print(sess.run(tf.linspace([0.0, 10.0], [1.0, 14.0], 3, axis=-1)))
    [[ 0.   0.5  1. ]
     [10.  12.  14. ]]
    """
    with name_scope(name, "linspace", [start, stop]) as scope:
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, dtype=start.dtype, name="stop")
        num = convert_to_tensor(num, name="num")
        count = constant_value(num)
        scalars = start.dims == () and stop.dims == () and axis in (0, -1)
        if scalars and start.dtype.is_floating and count is not None and count > 0:
            return LinSpace(start, stop, num, name=scope)
        return _linspace_along(start, stop, num, axis, scope)


def _linspace_along(start, stop, num, axis, name):
    """`linspace` for any shapes, for integers, and for numbers of values that may be 0."""
    if not start.dtype.is_floating:
        start, stop = _cast(start, dtypes.float64), _cast(stop, dtypes.float64)
    zeros_of = get_op_def("ZerosLike")
    start, stop = start + zeros_of(stop), stop + zeros_of(start)
    start, stop = array_ops.expand_dims(start, axis), array_ops.expand_dims(stop, axis)
    steps = range(constant(0, num.dtype), num, constant(1, num.dtype))
    if start.dims is not None:
        at = axis % len(start.dims)
        sizes = [-1 if i == at else 1 for i in builtins.range(len(start.dims))]
    else:
        rank = array_ops.rank(start)
        here = get_op_def("Equal")(range(rank), axis if axis >= 0 else axis + rank)
        sizes = get_op_def("Select")(here, -ones_like(range(rank)), ones_like(range(rank)))
    steps = array_ops.reshape(steps, sizes)
    last = get_op_def("Maximum")(num - 1, constant(1, num.dtype))
    values = start + (stop - start) / _cast(last, start.dtype) * _cast(steps, start.dtype)
    # The outer values are `start` and `stop` themselves: without rounding errors, and where the other is infinite.
    values = get_op_def("SelectV2")(get_op_def("Greater")(steps, constant(0, num.dtype)), values, start)
    return get_op_def("SelectV2")(get_op_def("Less")(steps, last), values, stop, name=name)


lin_space = linspace


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """Masks of the first `lengths` positions: mask[..., j] = j < lengths[...].

    Args:
      lengths: A `Tensor` of an integer type.
      maxlen: Size of the new last dimension, a scalar; by default the greatest length.
      dtype: The `DType` of the result.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape lengths.shape + [maxlen].

    Raises:
      ValueError: `maxlen` is not a scalar.

    Example:

    >>> print(sess.run(tf.sequence_mask([1, 3], dtype=tf.int32)))
    [[1 0 0]
     [1 1 1]]
    """
    import tfcore.ops.reduce.reduce as reduce_ops

    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = get_op_def("Maximum")(reduce_ops.reduce_max(lengths), constant(0, lengths.dtype))
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.dims is not None and maxlen.dims != ():
            raise ValueError("maxlen must be scalar for sequence_mask")
        columns = range(constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype))
        rows = _cast(array_ops.expand_dims(lengths, -1), maxlen.dtype)
        result = get_op_def("Less")(columns, rows)
        dtype = dtypes.bool if dtype is None else dtypes.as_dtype(dtype)
        return result if dtype is dtypes.bool else _cast(result, dtype)
