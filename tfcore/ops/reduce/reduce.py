"""Reductions along axes: sums, products, extremes, norms, logic."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.array.move as array_move
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.paragraphs import documented_with
from tfcore.framework.definitions.shapes import num_elements, with_rank_at_most
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_of_array, constant_value
from tfcore.framework.values.conversion import convert_to_tensor


def _static_axes(axes, rank):
    """The axes as a set of non-negative ints, None if unknown."""
    axes = constant_value(axes)
    if axes is None:
        return None
    found = set()
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
        axis = axis + rank if axis < 0 else axis
        found.add(axis)
    return found


def reduction_shape(op):
    dims = op.inputs[0].dims
    with_rank_at_most(op.inputs[1].dims, 1)
    if dims is None:
        return [None]
    axes = _static_axes(op.inputs[1], len(dims))
    keep = op.attrs["keep_dims"]
    if axes is None:
        return [(None,) * len(dims) if keep else None]
    if keep:
        return [tuple([1 if i in axes else d for i, d in enumerate(dims)])]
    if len(axes) == len(dims):
        return [()]
    return [tuple([d for i, d in enumerate(dims) if i not in axes])]


def _define(name, types, doc):
    attrs = ["keep_dims: bool = false", f"T: {types}", "Tidx: {int32, int64} = DT_INT32"]
    return define_op(
        name,
        inputs=["input: T", "reduction_indices: Tidx"],
        outputs=["output: T"],
        attrs=attrs,
        shape=reduction_shape,
        doc=doc,
    )


def _define_logical(name, doc):
    return define_op(
        name,
        inputs=["input: bool", "reduction_indices: Tidx"],
        outputs=["output: bool"],
        attrs=["keep_dims: bool = false", "Tidx: {int32, int64} = DT_INT32"],
        shape=reduction_shape,
        doc=doc,
    )


Sum = _define("Sum", "numbertype", "Sum along axes; 0 of nothing.")
Mean = _define("Mean", "numbertype", "Mean along axes; NaN of nothing. Integers divide towards zero.")
Prod = _define("Prod", "numbertype", "Product along axes; 1 of nothing.")
Max = _define("Max", "{realnumbertype, quantizedtype}", "Maximum along axes; the lowest value of nothing. NaN wins.")
Min = _define("Min", "{realnumbertype, quantizedtype}", "Minimum along axes; the highest value of nothing. NaN wins.")
EuclideanNorm = _define("EuclideanNorm", "numbertype", "Square root of the sum of squared magnitudes along axes.")
All = _define_logical("All", "Logical and along axes.")
Any = _define_logical("Any", "Logical or along axes.")
not_differentiable("All", "Any")


# ---- Gradients


def _kept_shape(op):
    """The shape of the output with reduced dimensions kept as 1: a list, or a tensor if it must be computed."""
    x, axes = op.inputs
    if x.dims is not None:
        reduced = _static_axes(axes, len(x.dims))
        if reduced is not None:
            kept = [1 if i in reduced else -1 if d is None else d for i, d in enumerate(x.dims)]
            if kept.count(-1) == 0 or kept.count(-1) == 1 and 0 not in kept:
                return np.array(kept, np.int32)
    import tfcore.ops.indexing.select as select

    sizes = array_ops.shape(x)
    axes = array_ops.reshape(axes, [-1])
    axes = axes if axes.dtype is dtypes.int32 else get_op_def("Cast")(axes, DstT=dtypes.int32)
    rank = array_ops.size(sizes)
    axes = get_op_def("FloorMod")(axes + rank, rank)
    ones = constants.Fill(array_ops.shape(axes), 1)
    return select.DynamicStitch([constants.range(0, rank), axes], [sizes, ones])


def _spread(op, value, kept=None):
    """Broadcasts a tensor of the output's shape to the shape of the input."""
    x = op.inputs[0]
    if not (op.attrs["keep_dims"] or op.outputs[0].dims == x.dims and x.dims is not None):
        value = array_ops.reshape(value, _kept_shape(op) if kept is None else kept)
    return array_move.BroadcastTo(value, array_ops.shape(x))


@gradient("Sum")
def _sum_grad(op, grad):
    return _spread(op, grad), None


@gradient("Mean")
def _mean_grad(op, grad):
    x, y = op.inputs[0], op.outputs[0]
    count, left = num_elements(x.dims), num_elements(y.dims)
    if count is not None and left is not None:
        factor = convert_to_tensor(np.array(count // max(left, 1), grad.dtype.as_numpy_dtype))
    else:
        known = _reduced_count(op)
        if known is not None:
            factor = convert_to_tensor(np.array(known, grad.dtype.as_numpy_dtype))
        else:
            ratio = get_op_def("FloorDiv")(array_ops.size(x), get_op_def("Maximum")(array_ops.size(y), 1))
            factor = get_op_def("Cast")(ratio, DstT=grad.dtype)
    return _spread(op, get_op_def("RealDiv" if _is_inexact(grad) else "FloorDiv")(grad, factor)), None


def _is_inexact(t):
    return t.dtype.is_floating or t.dtype.is_complex


def _reduced_count(op):
    """The number of elements in each mean, if the reduced sizes are known."""
    dims = op.inputs[0].dims
    axes = None if dims is None else _static_axes(op.inputs[1], len(dims))
    return None if axes is None else num_elements([dims[a] for a in axes])


@gradient("Max", "Min")
def _extreme_grad(op, grad):
    """All elements that equal the extreme share the gradient equally."""
    x, axes = op.inputs
    y = op.outputs[0]
    kept = None
    if not op.attrs["keep_dims"]:
        kept = _kept_shape(op)
        y, grad = array_ops.reshape(y, kept), array_ops.reshape(grad, kept)
    chosen = get_op_def("Cast")(get_op_def("Equal")(y, x), DstT=grad.dtype)
    number = Sum(chosen, axes, keep_dims=True)
    return chosen / number * grad, None


@gradient("Prod")
def _prod_grad(op, grad):
    """The gradient of each element is the product of all others, even if some are zero."""
    import tfcore.ops.reduce.scan as scan
    from tfcore.ops.indexing.indexing import gather

    x, axes = op.inputs
    grad = _spread(op, grad)
    sizes = array_ops.shape(x)
    reduced = None if x.dims is None else _static_axes(axes, len(x.dims))
    if reduced is not None:
        others = [i for i in range(len(x.dims)) if i not in reduced]
        perm = np.array(sorted(reduced) + others, np.int32)
        inverse = np.argsort(perm).astype(np.int32)
        reduced_axes, other_axes = np.array(sorted(reduced), np.int32), np.array(others, np.int32)
    else:
        from tfcore.ops.indexing.unique import setdiff1d

        rank = array_ops.rank(x)
        axes = get_op_def("Cast")(array_ops.reshape(axes, [-1]), DstT=dtypes.int32)
        reduced_axes = get_op_def("FloorMod")(axes + rank, rank)
        other_axes, _ = setdiff1d(constants.range(0, rank), reduced_axes)
        perm = array_join.concat([reduced_axes, other_axes], 0)
        inverse = array_ops.invert_permutation(perm)
    count = reduce_prod(gather(sizes, reduced_axes))
    rest = reduce_prod(gather(sizes, other_axes))
    permuted = array_ops.transpose(x, perm)
    table = array_ops.reshape(permuted, array_join.stack([count, rest]))
    left = scan.cumprod(table, axis=0, exclusive=True)
    right = scan.cumprod(table, axis=0, exclusive=True, reverse=True)
    product = left * right
    if x.dtype.is_complex:
        product = get_op_def("Conj")(product)
    product = array_ops.reshape(product, array_ops.shape(permuted))
    out = grad * array_ops.transpose(product, inverse)
    return array_ops.reshape(out, sizes), None


@gradient("EuclideanNorm")
def _euclidean_norm_grad(op, grad):
    y = op.outputs[0]
    if not op.attrs["keep_dims"]:
        kept = _kept_shape(op)
        y, grad = array_ops.reshape(y, kept), array_ops.reshape(grad, kept)
    if y.dtype.is_complex:  # the norm has no imaginary part to depend on
        grad = (grad + get_op_def("Conj")(grad)) * 0.5
        return op.inputs[0] * (grad / y), None
    return op.inputs[0] / (y / grad), None


# ---- Public functions


def _axes_of(x, axis, old):
    """The reduction axes as given, or all of them."""
    if old is not None:
        axis = array_ops.alias(axis, old, "axis", "reduction_indices")
    if axis is not None:
        return axis
    if x.dims is not None:
        return constant_of_array(np.arange(len(x.dims), dtype=np.int32))
    return constants.range(0, array_ops.rank(x))


def _keep(keepdims, keep_dims):
    keep = array_ops.alias(keepdims, keep_dims, "keepdims", "keep_dims")
    return False if keep is None else bool(keep)


def _reduce(op_def, x, axis, keepdims, name, reduction_indices, keep_dims):
    x = x if isinstance(x, Tensor) else convert_to_tensor(x, op_def.inputs[0].dtype)
    axes, keep = _axes_of(x, axis, reduction_indices), _keep(keepdims, keep_dims)
    result = op_def(x, axes, keep_dims=keep, name=name)
    if x.dims is None and not keep and axis is None and reduction_indices is None:
        result.set_shape([])  # the axes follow from the rank, which is not known: the shape function cannot tell
    return result


documented = documented_with(
    {
        "axes": """
          axis: The dimensions to reduce: an integer or a list of them, negative ones from the end; None: all.
          keepdims: Whether reduced dimensions stay, with size 1.
          name: Name of the operation (optional).
        """,
        "older_names": """
          reduction_indices: Old name of `axis`.
          keep_dims: Old name of `keepdims`.
        """,
        "result": """
          Returns:
            A `Tensor` of the type of `input_tensor`, without the reduced dimensions.

          Raises:
            ValueError: An axis is out of range, or given under both names.
            TypeError: The type is not supported.
        """,
    }
)


@documented
def reduce_sum(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """Sums elements along dimensions.

    Args:
      input_tensor: A `Tensor` of any numeric type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> print(sess.run(tf.reduce_sum(x)), sess.run(tf.reduce_sum(x, axis=0)))
    10 [4 6]
    """
    return _reduce(Sum, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """Averages elements along dimensions. Integer types round towards zero, as in TensorFlow.

    Args:
      input_tensor: A `Tensor` of any numeric type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_mean([[1.0, 2.0], [3.0, 5.0]], axis=1)))
    [1.5 4. ]
    """
    return _reduce(Mean, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_prod(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """Multiplies elements along dimensions.

    Args:
      input_tensor: A `Tensor` of any numeric type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_prod([[1, 2], [3, 4]], axis=1)))
    [ 2 12]
    """
    return _reduce(Prod, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_max(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """The largest elements along dimensions; NaN where there is one.

    Args:
      input_tensor: A `Tensor` of any real type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_max([[1, 2], [3, 0]], axis=1)))
    [2 3]
    """
    return _reduce(Max, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_min(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """The smallest elements along dimensions; NaN where there is one.

    Args:
      input_tensor: A `Tensor` of any real type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_min([[1, 2], [3, 0]], axis=1)))
    [1 0]
    """
    return _reduce(Min, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_all(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """Whether all elements along dimensions are true.

    Args:
      input_tensor: A `Tensor` of type bool.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_all([[True, True], [True, False]], axis=1)))
    [ True False]
    """
    return _reduce(All, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_any(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """Whether any element along dimensions is true.

    Args:
      input_tensor: A `Tensor` of type bool.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(sess.run(tf.reduce_any([[True, False], [False, False]], axis=1)))
    [ True False]
    """
    return _reduce(Any, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@documented
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """The square root of the sum of squares along dimensions.

    Args:
      input_tensor: A `Tensor` of any numeric type.
      {axes}

    {result}
    """
    return _reduce(EuclideanNorm, input_tensor, axis, keepdims, name, None, None)


@documented
def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """log(sum(exp(x))) along dimensions, computed without overflow.

    Args:
      input_tensor: A `Tensor` of any floating-point type.
      {axes}
      {older_names}

    {result}

    Example:

    >>> print(f"{sess.run(tf.reduce_logsumexp([1000.0, 1000.0])):.3f}")  # 1000 + log(2)
    1000.693
    """
    keep = _keep(keepdims, keep_dims)
    axis = array_ops.alias(axis, reduction_indices, "axis", "reduction_indices")
    raw = get_op_def
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        x = convert_to_tensor(input_tensor)
        axes = _axes_of(x, axis, None)
        top = Max(x, axes, keep_dims=True)
        # An infinite maximum would make inf - inf.
        finite = raw("Select")(raw("IsFinite")(top), top, constants.zeros_like(top))
        top = array_ops.stop_gradient(finite)
        total = raw("Log")(Sum(raw("Exp")(raw("Sub")(x, top)), axes, keep_dims=keep))
        if not keep:
            top = array_ops.reshape(top, array_ops.shape(total))
        return raw("Add")(total, top, name=scope)


@documented
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The variance along dimensions: the mean of squared distances from the mean.

    Args:
      input_tensor: A `Tensor` of any floating-point or complex type.
      {axes}

    {result}
    """
    with name_scope(name or "reduce_variance"):
        x = convert_to_tensor(input_tensor)
        if x.dtype.is_integer:
            raise TypeError("Input must be either real or complex")
        distance = x - reduce_mean(x, axis=axis, keepdims=True)
        if x.dtype.is_complex:
            squared = get_op_def("Real")(distance * get_op_def("Conj")(distance))
        else:
            squared = get_op_def("Square")(distance)
        return reduce_mean(squared, axis=axis, keepdims=keepdims)


@documented
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The standard deviation along dimensions.

    Args:
      input_tensor: A `Tensor` of any floating-point or complex type.
      {axes}

    {result}
    """
    with name_scope(name or "reduce_std"):
        return get_op_def("Sqrt")(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


@documented
def count_nonzero(
    input_tensor=None,
    axis=None,
    keepdims=None,
    dtype=dtypes.int64,
    name=None,
    reduction_indices=None,
    keep_dims=None,
    input=None,
):
    """Counts the elements that are not zero (not False, not empty strings).

    Args:
      input_tensor: A `Tensor` of a numeric type, bool or string.
      axis: Dimensions to count along, an int or list of ints; None: all.
      keepdims: Whether to keep them with size 1.
      dtype: The `DType` of the result.
      name: Name of the operation (optional).
      {older_names}
      input: Newer name of `input_tensor`.

    Returns:
      A `Tensor` of type `dtype`.

    Raises:
      ValueError: An axis is out of range, or both names of an argument are given.

    Example:

    >>> print(sess.run(tf.count_nonzero([[0, 1], [2, 3]], 1)))
    [1 2]
    """
    x = array_ops.alias(input_tensor, input, "input_tensor", "input")
    axis = array_ops.alias(axis, reduction_indices, "axis", "reduction_indices")
    with name_scope(name, "count_nonzero", [x]):
        x = convert_to_tensor(x)
        zero = convert_to_tensor("" if x.dtype is dtypes.string else np.zeros((), x.dtype.as_numpy_dtype))
        counted = get_op_def("Cast")(get_op_def("NotEqual")(x, zero), DstT=dtypes.int64)
        total = reduce_sum(counted, axis=axis, keepdims=_keep(keepdims, keep_dims))
        return total if dtype == dtypes.int64 else get_op_def("Cast")(total, DstT=dtype, name="nonzero_count")
