"""Slices: `tf.slice`, `tf.strided_slice`, and `tensor[...]`."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.constant import constant_of_array, constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor

newaxis = None

# ---- Slice


def _slice_shape(op):
    x, begin, size = op.inputs
    with_rank(begin.dims, 1)
    with_rank(size.dims, 1)
    dims = x.dims
    if dims is None:
        n = begin.dims or size.dims
        return [None if not n or n[0] is None else (None,) * n[0]]
    starts = constant_value(begin)
    sizes = constant_value(size)
    if sizes is None:
        known = constant_value_as_shape(size)
        if known is None or len(known) != len(dims):
            return [(None,) * len(dims)]
        # In a computed vector, -1 and an unknown size are both None.
        return [known]
    if len(sizes) != len(dims) or starts is not None and len(starts) != len(dims):
        raise ValueError(f"Shape must be rank {len(sizes)} but is rank {len(dims)}")
    if starts is None:
        return [tuple([None if s == -1 else s for s in sizes.tolist()])]
    out = []
    for i, (d, b, s) in enumerate(zip(dims, starts.tolist(), sizes.tolist())):
        if s < -1:
            raise ValueError(f"Expected size[{i}] >= -1, but got {s}")
        if s == -1 and d is not None and d < b:
            raise ValueError(f"Negative dimension size caused by subtracting {b} from {d}")
        out.append(s if s != -1 else None if d is None else d - b)  # the run checks the other bounds
    return [tuple(out)]


Slice = define_op(
    "Slice",
    inputs=["input: T", "begin: Index", "size: Index"],
    outputs=["output: T"],
    attrs=["T: type", "Index: {int32, int64}"],
    shape=_slice_shape,
    doc="The box of `size` elements that starts at `begin`; a size of -1 goes to the end.",
)


@gradient("Slice")
def _slice_grad(op, grad):
    import tfcore.ops.array.move as array_move

    x, begin, _ = op.inputs
    starts, sizes = constant_value(begin), op.outputs[0].dims
    if starts is not None and x.dims is not None and sizes is not None and None not in (*x.dims, *sizes):
        before = starts.astype(np.int32)
        after = np.array(x.dims, np.int32) - np.array(sizes, np.int32) - before
        return array_move.Pad(grad, np.stack([before, after], 1)), None, None
    kind = begin.dtype
    column = array_join.stack([array_ops.rank(x), 1])
    rest = array_ops.shape(x, out_type=kind) - array_ops.shape(op.outputs[0], out_type=kind) - begin
    paddings = array_join.concat([array_ops.reshape(begin, column), array_ops.reshape(rest, column)], 1)
    return array_move.Pad(grad, paddings), None, None


def slice(input_, begin, size, name=None):  # noqa: A001  named as in TensorFlow
    """A box of a tensor, given by where it starts and its size.

    Args:
      input_: A `Tensor` of any type.
      begin: Where the box starts, a vector of type int32 or int64.
      size: Its size in each dimension, a vector of the type of `begin`; -1 goes to the end.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input_`.

    Raises:
      ValueError: The box lies outside of `input_`, or the vectors have the wrong length.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1])))
    [[2 3]
     [5 6]]
    """
    return Slice(input_, begin, size, name=name)


# ---- StridedSlice

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_MASK_ATTRS = [f"{mask}: int = 0" for mask in _MASKS]


def _range_size(d, begin, end, stride, begin_masked, end_masked):
    """Number of elements that begin:end:stride selects; begin and end may be unknown (None)."""
    if stride == 0:
        raise ValueError("strides must be non-zero")
    if begin is None and not begin_masked or end is None and not end_masked or stride is None:
        return None
    if d is None:
        # 0:n of an unknown size may have fewer than n elements, so only an empty range is known.
        if begin_masked or end_masked or (begin < 0) != (end < 0):
            return None
        return 0 if (end <= begin if stride > 0 else end >= begin) else None
    low, high = (0, d) if stride > 0 else (-1, d - 1)
    if begin_masked:
        start = low if stride > 0 else high
    else:
        start = min(max(begin + d if begin < 0 else begin, low), high)
    if end_masked:
        stop = high if stride > 0 else low
    else:
        stop = min(max(end + d if end < 0 else end, low), high)
    span = stop - start if stride > 0 else start - stop
    return 0 if span <= 0 else -(-span // abs(stride))


def _known_entries(tensor, n):
    """The elements of a specification vector, None where unknown."""
    value = constant_value(tensor)
    if value is not None:
        return value.tolist()
    if tensor.op.type == "Pack":
        items = [constant_value(t) for t in tensor.op.inputs]
        return [None if v is None else int(v.item()) for v in items]
    return [None] * n


def _region_dims(dims, begin, end, strides, attrs):
    """Dims of a strided slice of a tensor with these dims."""
    sizes = [t.dims for t in (begin, end, strides) if t.dims is not None]
    if any(len(s) != 1 for s in sizes) or len({s[0] for s in sizes} - {None}) > 1:
        raise ValueError(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{begin.shape}, {end.shape}, and {strides.shape} instead."
        )
    value = constant_value(begin)
    n = len(value) if value is not None else (begin.dims[0] if begin.dims else None)
    if n is None:
        return None
    begin_mask, end_mask, ellipsis_mask, new_mask, shrink_mask = (attrs[m] for m in _MASKS)
    if ellipsis_mask & (ellipsis_mask - 1):
        raise ValueError("Multiple ellipses in slice spec not allowed")
    ellipsis = ellipsis_mask.bit_length() - 1 if ellipsis_mask else n
    named = sum(1 for i in range(n) if i != ellipsis and not new_mask >> i & 1)
    if dims is None:
        # Without the rank of the input, that of the result is unknown.
        return None
    if named > len(dims):
        raise ValueError(f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims")
    begins, ends, steps = (_known_entries(t, n) for t in (begin, end, strides))
    out, at = [], 0
    for i in range(n + 1):
        if i == ellipsis:
            skipped = len(dims) - named
            out.extend(dims[at : at + skipped])
            at += skipped
        elif i == n:
            break
        elif new_mask >> i & 1:
            out.append(1)
        else:
            d = dims[at]
            if shrink_mask >> i & 1:
                b = begins[i]
                if steps[i] is not None and steps[i] <= 0:
                    raise ValueError("only stride 1 allowed on non-range indexing.")
                if b is not None and d is not None and not -d <= b < d:
                    raise ValueError(f"slice index {b} of dimension {at} out of bounds.")
            else:
                masked = begin_mask >> i & 1, end_mask >> i & 1
                out.append(_range_size(d, begins[i], ends[i], steps[i], *masked))
            at += 1
    return tuple(out)


def _strided_slice_shape(op):
    x, begin, end, strides = op.inputs
    return [_region_dims(x.dims, begin, end, strides, op.attrs)]


StridedSlice = define_op(
    "StridedSlice",
    inputs=["input: T", "begin: Index", "end: Index", "strides: Index"],
    outputs=["output: T"],
    attrs=["T: type", "Index: {int32, int64}", *_MASK_ATTRS],
    shape=_strided_slice_shape,
    doc="x[begin:end:strides, ...]; bits of the masks say which entries are open, `...`, new or single indices.",
)
StridedSliceGrad = define_op(
    "StridedSliceGrad",
    inputs=["shape: Index", "begin: Index", "end: Index", "strides: Index", "dy: T"],
    outputs=["output: T"],
    attrs=["T: type", "Index: {int32, int64}", *_MASK_ATTRS],
    shape=lambda op: [constant_value_as_shape(op.inputs[0])],
    doc="Zeros of `shape` with `dy` in place of the strided slice.",
)
StridedSliceAssign = define_op(
    "StridedSliceAssign",
    inputs=["ref: Ref(T)", "begin: Index", "end: Index", "strides: Index", "value: T"],
    outputs=["output_ref: Ref(T)"],
    attrs=["T: type", "Index: {int32, int64}", *_MASK_ATTRS],
    shape=lambda op: [op.inputs[0].dims],
    stateful=True,
    doc="Assigns `value` to the strided slice of a variable.",
)
undefined_gradient("StridedSliceAssign")


def _mask_attrs(op):
    return {mask: op.attrs[mask] for mask in _MASKS}


@gradient("StridedSlice")
def _strided_slice_grad(op, grad):
    x, begin, end, strides = op.inputs
    shape = array_ops.shape(x, out_type=begin.dtype)
    return StridedSliceGrad(shape, begin, end, strides, grad, **_mask_attrs(op)), None, None, None


@gradient("StridedSliceGrad")
def _strided_slice_grad_grad(op, grad):
    _, begin, end, strides, _ = op.inputs
    return None, None, None, None, StridedSlice(grad, begin, end, strides, **_mask_attrs(op))


def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
):
    """A slice with steps, as `tensor[begin:end:stride, ...]` makes it.

    The masks are ints; bit i is about entry i.

    Args:
      input_: A `Tensor` of any type.
      begin: First index of each entry, a vector of type int32 or int64.
      end: The index before which each entry ends, a vector of the type of `begin`.
      strides: Steps, a vector of the type of `begin`, not 0; ones by default.
      begin_mask: Bit i: ignore begin[i] and start at the first element.
      end_mask: Bit i: ignore end[i] and go to the last element.
      ellipsis_mask: Bit i: entry i stands for all dimensions that the others leave, as `...`. At most one bit.
      new_axis_mask: Bit i: entry i inserts a dimension of size 1.
      shrink_axis_mask: Bit i: entry i is a single index, and its dimension disappears.
      var: Ignored.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input_`.

    Raises:
      ValueError: A stride is 0, or the entries don't fit the rank.
      tf.errors.InvalidArgumentError: The same, or a single index out of range, found at run time.

    Example:

    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> print(sess.run(tf.strided_slice(x, [0, 0], [2, 3], [1, 2])))
    [[1 3]
     [4 6]]
    >>> print(sess.run(x[:, ::-1]))
    [[3 2 1]
     [6 5 4]]
    """
    if strides is None:
        strides = constants.ones_like(convert_to_tensor(begin))
    return StridedSlice(
        input_,
        begin,
        end,
        strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name,
    )


# ---- tensor[...]

_builtin_slice = type(np.s_[:])
_MAX = 2**63 - 1


def _check_index(index):
    if isinstance(index, Tensor):
        if index.dtype.base_dtype in (dtypes.int32, dtypes.int64) and not index.dims:
            return index
    elif isinstance(index, (int, np.integer)) and not isinstance(index, bool):
        return int(index)
    elif isinstance(index, Dimension):
        return index.value
    elif hasattr(index, "_as_graph_element"):
        return _check_index(convert_to_tensor(index))
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {index!r}"
    )


def _is_mask(key):
    if isinstance(key, (bool, np.bool_)):
        return True
    return getattr(key, "dtype", None) in (dtypes.bool, np.dtype(bool)) and not isinstance(key, type)


def _parse_key(key):
    """Begin, end and stride lists and the five masks for a subscript."""
    begin, end, strides = [], [], []
    begin_mask = end_mask = ellipsis_mask = new_axis_mask = shrink_axis_mask = 0
    for i, item in enumerate(key):
        bit = 1 << i
        first, last, step = 0, 0, 1
        if isinstance(item, _builtin_slice):
            if item.start is None:
                begin_mask |= bit
            else:
                first = _check_index(item.start)
            if item.stop is None or type(item.stop) is int and item.stop == _MAX:
                end_mask |= bit
            else:
                last = _check_index(item.stop)
            if item.step is not None:
                step = _check_index(item.step)
        elif item is Ellipsis:
            ellipsis_mask |= bit
        elif item is None:
            new_axis_mask |= bit
        else:
            first = _check_index(item)
            last = first + 1
            shrink_axis_mask |= bit
        begin.append(first)
        end.append(last)
        strides.append(step)
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    return begin, end, strides, masks


def _pack_entries(lists):
    """The three vectors of a specification: constants where all entries are plain ints."""
    flat = [v for values in lists for v in values]
    tensors = [v for v in flat if isinstance(v, Tensor)]
    wide = any(t.dtype.base_dtype is dtypes.int64 for t in tensors)
    wide = wide or any(not -(2**31) <= v < 2**31 for v in flat if not isinstance(v, Tensor))
    kind = dtypes.int64 if wide else dtypes.int32
    packed = []
    for values in lists:
        if any(isinstance(v, Tensor) for v in values):
            items = []
            for v in values:
                if isinstance(v, Tensor) and v.dtype.base_dtype is not kind:
                    v = get_op_def("Cast")(v, DstT=kind)
                items.append(convert_to_tensor(v, kind))
            packed.append(array_join.Pack(items, name="stack"))
        else:
            packed.append(constant_of_array(np.array(values, kind.as_numpy_dtype), "stack"))
    return packed


def _getitem(tensor, key):
    """`tensor[key]` as NumPy would do it, for ints, slices, `...`, None, scalar tensors, or one boolean mask."""
    if _is_mask(key):
        return boolean_mask(tensor, key)
    if not isinstance(key, (list, tuple)):
        key = (key,)
    graph = tensor.graph
    if graph is not get_default_graph():
        with graph.as_default():
            return _getitem(tensor, key)
    with graph.name_scope("strided_slice") as scope:
        begin, end, strides, masks = _parse_key(key)
        return StridedSlice(tensor, *_pack_entries((begin, end, strides)), *masks, name=scope)


Tensor._override_operator("__getitem__", _getitem)


def slice_of_variable(variable, key):
    """`variable[key]`, a tensor with a method `assign(value, name=None)` that sets this part of the variable."""
    result = _getitem(variable.value(), key)
    if not _is_mask(key):
        default_name = f"{result.op.name}_assign/"

        def assign(value, name=None):
            return assign_slice(variable, key, value, name or default_name)

        result.assign = assign
    return result


def assign_slice(variable, key, value, name=None):
    """Assigns `value` to `variable[key]`; returns the variable's reference after the assignment."""
    begin, end, strides, masks = _parse_key(key if isinstance(key, (list, tuple)) else (key,))
    with name_scope(name, "strided_slice_assign", [value]) as scope:
        packed = _pack_entries((begin, end, strides))
        if not variable.dtype._is_ref_dtype:
            value = convert_to_tensor(value, dtype=variable.dtype)
        return variable._updated(StridedSliceAssign, *packed, value, **dict(zip(_MASKS, masks)), name=scope)


def boolean_mask(tensor, mask, name="boolean_mask", axis=None):
    """The elements, or slices, of a tensor where a mask is true.

    Args:
      tensor: A `Tensor` of any type.
      mask: A `Tensor` of type bool and known rank of at least 1; its shape is that of `tensor` from `axis` on.
      name: Name of the scope (optional).
      axis: The first dimension of `tensor` that the mask covers; 0 by default.

    Returns:
      A `Tensor` of the type of `tensor`; the dimensions of the mask become one, of the number of true elements.

    Raises:
      ValueError: The mask is a scalar or of unknown rank, or the shapes don't fit together.

    Example:

    >>> print(sess.run(tf.boolean_mask([1, 2, 3], [True, False, True])))
    [1 3]
    >>> print(sess.run(tf.boolean_mask([[1, 2], [3, 4]], [False, True])))
    [[3 4]]
    """
    import tfcore.ops.indexing.indexing as indexing
    import tfcore.ops.indexing.select as select
    import tfcore.ops.reduce.reduce as reduce_ops

    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        if mask.dims is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is "
                "ok, but shape=None is not."
            )
        if not mask.dims:
            raise ValueError("mask cannot be scalar.")
        axis = 0 if axis is None else int(axis)
        n = len(mask.dims)
        if tensor.dims is not None:
            if axis < 0:
                axis += len(tensor.dims)
            tensor.shape[axis : axis + n].assert_is_compatible_with(mask.shape)
        if n > 1 or tensor.dims is None:
            sizes = array_ops.shape(tensor)
            count = reduce_ops.reduce_prod(sizes[axis : axis + n], 0, keepdims=True)
            new_shape = array_join.concat([sizes[:axis], count, sizes[axis + n :]], 0)
            tensor = array_ops.reshape(tensor, new_shape)
        places = array_ops.squeeze(select.Where(array_ops.reshape(mask, [-1])), axis=[1])
        return indexing.gather(tensor, places, axis=axis)
