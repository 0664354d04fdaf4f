"""Softmax and the losses built on it."""

import functools

import numpy as np

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.broadcast import unbroadcast

_FLOATS = "half, bfloat16, float, double"


def _softmax_shape(op):
    return [shapes.with_rank_at_least(op.inputs[0].dims, 1)]


def _cross_entropy_shape(op):
    features, labels = (t.dims for t in op.inputs)
    dims = shapes.broadcast_dims(features, labels)
    dims = shapes.with_rank(dims, 2)
    return [dims[:1], dims]


def _sparse_cross_entropy_shape(op):
    features = shapes.with_rank(op.inputs[0].dims, 2)
    labels = shapes.with_rank(op.inputs[1].dims, 1)
    batch = shapes.merge_dim(features[0], labels[0])
    return [(batch,), (batch, features[1])]


Softmax = define_op(
    "Softmax",
    inputs=["logits: T"],
    outputs=["softmax: T"],
    attrs=[f"T: {{{_FLOATS}}}"],
    shape=_softmax_shape,
    doc="""exp(logits) / sum(exp(logits)) along the last dimension.""",
)
LogSoftmax = define_op(
    "LogSoftmax",
    inputs=["logits: T"],
    outputs=["logsoftmax: T"],
    attrs=[f"T: {{{_FLOATS}}}"],
    shape=_softmax_shape,
    doc="""logits - log(sum(exp(logits))) along the last dimension.""",
)
SoftmaxCrossEntropyWithLogits = define_op(
    "SoftmaxCrossEntropyWithLogits",
    inputs=["features: T", "labels: T"],
    outputs=["loss: T", "backprop: T"],
    attrs=[f"T: {{{_FLOATS}}}"],
    shape=_cross_entropy_shape,
    doc="""Cross entropy of each row's softmax with its labels, and its gradient by the logits `features`.""",
)
SparseSoftmaxCrossEntropyWithLogits = define_op(
    "SparseSoftmaxCrossEntropyWithLogits",
    inputs=["features: T", "labels: Tlabels"],
    outputs=["loss: T", "backprop: T"],
    attrs=[f"T: {{{_FLOATS}}}", "Tlabels: {int32, int64} = DT_INT64"],
    shape=_sparse_cross_entropy_shape,
    doc="""Like SoftmaxCrossEntropyWithLogits for labels that are class numbers.""",
)


# ---- Gradients.


def _row_sum(x):
    return get_op_def("Sum")(x, -1, keep_dims=True)


@gradient("Softmax")
def _softmax_grad(op, grad):
    y = op.outputs[0]
    return (grad - _row_sum(grad * y)) * y


@gradient("LogSoftmax")
def _log_softmax_grad(op, grad):
    return grad - _row_sum(grad) * get_op_def("Exp")(op.outputs[0])


def _by_row(vector, matrix):
    return get_op_def("ExpandDims")(vector, -1) * matrix


def _is_zero(tensor):
    if tensor is None or tensor.op.type in ("ZerosLike", "Zeros"):
        return True
    value = constant_value(tensor)
    return value is not None and not value.any()


def _logits_grad(op, grad_loss, grad_backprop):
    """Gradient by the logits: of the loss and, for second order, of backprop = softmax - labels."""
    total = _by_row(grad_loss, op.outputs[1])
    if _is_zero(grad_backprop):
        return total
    y = Softmax(op.inputs[0])
    return total + (grad_backprop - _row_sum(grad_backprop * y)) * y


@gradient("SoftmaxCrossEntropyWithLogits")
def _cross_entropy_grad(op, grad_loss, grad_backprop):
    by_logits = _logits_grad(op, grad_loss, grad_backprop)
    by_labels = _by_row(grad_loss, -LogSoftmax(op.inputs[0]))
    if not _is_zero(grad_backprop):
        by_labels = by_labels - grad_backprop
    return unbroadcast(*op.inputs, by_logits, by_labels)


@gradient("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy_grad(op, grad_loss, grad_backprop):
    return _logits_grad(op, grad_loss, grad_backprop), None


# ---- The public functions.


def _along_axis(op_def, logits, axis, name):
    """Softmax along any axis: the axis is moved to the end and back."""
    logits = convert_to_tensor(logits)
    rank = None if logits.dims is None else len(logits.dims)
    if axis == -1 or (rank is not None and axis == rank - 1):
        return op_def(logits, name=name)
    if rank is None:
        raise ValueError("The rank of logits must be known where axis is not the last one.")
    if not -rank <= axis < rank:
        raise _axis_error(axis, rank)
    axis %= rank
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    transpose = get_op_def("Transpose")
    result = transpose(op_def(transpose(logits, order)), order, name=name)
    result.set_shape(logits.shape)
    return result


def _axis_error(axis, rank):
    from tfcore.framework.errors import InvalidArgumentError

    return InvalidArgumentError(
        None,
        None,
        f"Dimension ({axis}) must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the "
        "input.",
    )


def _axis(axis, dim, default=-1):
    if None not in (axis, dim):
        raise ValueError("Cannot specify both 'axis' and 'dim'")
    axis = dim if axis is None else axis
    if isinstance(axis, (float, np.floating, Dimension)):
        raise ValueError(f"Dimension must be an int, not {axis!r}.")
    return default if axis is None else axis


def softmax(logits, axis=None, name=None, dim=None):
    """Turns logits into probabilities: exp(logits) / sum(exp(logits)) along `axis`.

    Args:
      logits: A `Tensor` of rank 1 or more, float16, bfloat16, float32 or float64.
      axis: The dimension of the classes; the last by default.
      name: Name of the operation (optional).
      dim: Old name of `axis`.

    Returns:
      A `Tensor` of the type and shape of `logits`.

    Raises:
      ValueError: `logits` is a scalar, its rank is unknown where `axis` is not the last, or both `axis` and `dim` are
        given.
      TypeError: `logits` has a type that is not listed.
      tf.errors.InvalidArgumentError: `axis` is out of range.

    Example:

    >>> print(np.round(sess.run(tf.nn.softmax([1.0, 2.0, 3.0])), 3))
    [0.09  0.245 0.665]
    """
    return _along_axis(Softmax, logits, _axis(axis, dim), name)


def log_softmax(logits, axis=None, name=None, dim=None):
    """Computes the logarithm of the softmax: logits - log(sum(exp(logits))) along `axis`.

    Args:
      logits: A `Tensor` of rank 1 or more, float16, bfloat16, float32 or float64.
      axis: The dimension of the classes; the last by default.
      name: Name of the operation (optional).
      dim: Old name of `axis`.

    Returns:
      A `Tensor` of the type and shape of `logits`.

    Raises:
      ValueError: `logits` is a scalar, its rank is unknown where `axis` is not the last, or both `axis` and `dim` are
        given.
      TypeError: `logits` has a type that is not listed.
      tf.errors.InvalidArgumentError: `axis` is out of range.

    Example:

    >>> print(np.round(sess.run(tf.nn.log_softmax([1.0, 2.0, 3.0])), 3))
    [-2.408 -1.408 -0.408]
    """
    return _along_axis(LogSoftmax, logits, _axis(axis, dim), name)


def _by_name(function):
    """Decorator: labels and logits, which the first releases took in the other order, must be given by name."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        if args:
            raise ValueError(f"Only call `{function.__name__}` with named arguments (labels=..., logits=..., ...)")
        if kwargs.get("labels") is None or kwargs.get("logits") is None:
            raise ValueError(f"Both `labels` and `logits` must be provided for {function.__name__}.")
        return function(**kwargs)

    return checked


@_by_name
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """Cross entropy of softmax(logits) relative to `labels`, with gradients for the logits only.

    Labels and logits must be given by name. Prefer `softmax_cross_entropy_with_logits_v2`.

    Args:
      labels: The probability of each class, a `Tensor` of the shape of `logits`; it is cast to the type of `logits`.
      logits: Unscaled log probabilities, a `Tensor` of rank 1 or more, float16, bfloat16, float32 or float64.
      dim: Old name of `axis`; the last dimension by default.
      name: Name of the operation (optional).
      axis: The dimension of the classes.

    Returns:
      A `Tensor` of the type of `logits`, and of its shape without `axis`: the loss of each example.

    Raises:
      ValueError: Labels or logits are missing or not given by name, or the shapes don't fit together.
      TypeError: `logits` has a type that is not listed.
    """
    axis = _axis(axis, None if axis is not None else dim)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = get_op_def("StopGradient")(labels, name="labels_stop_gradient")
        return _dense_cross_entropy(labels, logits, axis, scope)


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """Cross entropy of softmax(logits) relative to `labels`: -sum(labels * log(softmax(logits))) along `axis`.

    Gradients reach both the logits and the labels; apply `tf.stop_gradient` to labels that must not have any.
    float16 and bfloat16 are computed in float32.

    Args:
      labels: The probability of each class, a `Tensor` of the shape of `logits`; it is cast to the type of `logits`.
      logits: Unscaled log probabilities, a `Tensor` of rank 1 or more, float16, bfloat16, float32 or float64.
      axis: The dimension of the classes; the last by default.
      name: Name of the operation (optional).
      dim: Old name of `axis`.

    Returns:
      A `Tensor` of the type of `logits`, and of its shape without `axis`: the loss of each example.

    Raises:
      ValueError: `logits` is a scalar, the axis is out of range, or the shapes don't fit together.
      TypeError: `logits` has a type that is not listed.

    Example:

    >>> logits = tf.constant([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    >>> labels = tf.constant([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    >>> print(np.round(sess.run(tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits)), 3))
    [0.408 1.099]
    """
    return _dense_cross_entropy(labels, logits, _axis(axis, dim), name)


def _dense_cross_entropy(labels, logits, axis, name):
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        cast = get_op_def("Cast")
        narrow = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if narrow else logits
        if labels.dtype is not precise.dtype:
            labels = cast(labels, precise.dtype)
        loss = _flat_cross_entropy(labels, precise, axis, scope)
        return cast(loss, logits.dtype) if narrow else loss


def _flat_cross_entropy(labels, logits, axis, name):
    """The op takes matrices: folds labels and logits into rows, each by its own shape, and unfolds the losses."""
    rank = None if logits.dims is None else len(logits.dims)
    if rank:
        axis = shapes.normalize_axis(axis, rank) - rank
    if axis != -1:
        order = _order_with_last(axis, get_op_def("Rank")(logits) if rank is None else rank)
        logits, labels = (get_op_def("Transpose")(t, order) for t in (logits, labels))
    if rank == 2:
        return SoftmaxCrossEntropyWithLogits(_rows(logits), _rows(labels), name=name).loss
    loss = SoftmaxCrossEntropyWithLogits(_rows(logits), _rows(labels)).loss
    reshape, shape = get_op_def("Reshape"), get_op_def("Shape")
    outer = None if logits.dims is None else logits.dims[:-1]
    if outer is not None and None not in outer:
        return reshape(loss, list(outer) or convert_to_tensor([], dtype=dtypes.int32), name=name)
    whole = shape(logits)
    outer_shape = get_op_def("StridedSlice")(whole, [0], [-1], [1], begin_mask=1)
    loss = reshape(loss, outer_shape, name=name)
    if outer is not None:
        loss.set_shape(outer)
    return loss


def _order_with_last(axis, rank):
    """The permutation of `rank` (an int or a Tensor) dimensions that moves `axis` to the end."""
    if isinstance(rank, int):
        order = list(range(rank))
        order.append(order.pop(axis))
        return order
    axis = rank + axis if axis < 0 else convert_to_tensor(axis)
    order = get_op_def("Range")(0, rank, 1)
    before = get_op_def("StridedSlice")(order, [0], [axis], [1])
    after = get_op_def("StridedSlice")(order, [axis + 1], [rank], [1])
    return get_op_def("ConcatV2")([before, after, [axis]], 0)


def _rows(tensor):
    """`tensor` as a matrix: all dimensions but the last are folded into one."""
    dims = tensor.dims
    if dims == ():
        raise IndexError("list index out of range: shape must be at least rank 1 but is rank 0")
    if dims is not None and len(dims) == 2:
        return tensor
    known = dims and dims[-1] is not None
    return get_op_def("Reshape")(tensor, [-1, dims[-1]] if known else _rows_shape(tensor))


def _rows_shape(logits):
    """[-1, number of classes] where the latter is not known statically."""
    last = get_op_def("StridedSlice")(get_op_def("Shape")(logits), [-1], [0], [1], end_mask=1)
    return get_op_def("ConcatV2")([[-1], last], 0)


@_by_name
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Cross entropy of softmax(logits) with one true class for each example.

    The loss is -log(softmax(logits)[label]). Labels and logits must be given by name. A label outside of [0, classes)
    is an error at run time.

    Args:
      labels: The number of the true class, an int32 or int64 `Tensor` of the shape of `logits` without its last
        dimension.
      logits: Unscaled log probabilities, a `Tensor` of shape [..., classes], float16, bfloat16, float32 or float64.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `logits` and of the shape of `labels`: the loss of each example.

    Raises:
      ValueError: Labels or logits are missing or not given by name, or the shapes don't fit together.
      TypeError: `logits` has a type that is not listed.
      tf.errors.InvalidArgumentError: When run: a label is out of range.

    Example:

    >>> logits = tf.constant([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=logits)
    >>> print(np.round(sess.run(loss), 3))
    [0.408 1.099]
    """
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]) as scope:
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        cast = get_op_def("Cast")
        narrow = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if narrow else logits
        if logits.dims is not None and labels.dims is not None:
            _check_sparse_shapes(labels, logits)
        if logits.dims is not None and len(logits.dims) == 2:
            loss = SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=scope).loss
        else:
            reshape = get_op_def("Reshape")
            loss = SparseSoftmaxCrossEntropyWithLogits(_rows(precise), reshape(labels, [-1])).loss
            loss = reshape(loss, get_op_def("Shape")(labels), name=scope)
            loss.set_shape(labels.shape)
        return cast(loss, logits.dtype) if narrow else loss


def _check_sparse_shapes(labels, logits):
    if len(logits.dims) == 0:
        raise ValueError(f"Logits cannot be scalars - received shape {logits.shape}.")
    if len(labels.dims) != len(logits.dims) - 1:
        raise ValueError(
            f"Rank mismatch: Rank of labels (received {len(labels.dims)}) should equal rank of logits minus 1 "
            f"(received {len(logits.dims)})."
        )
    if not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            "Shape mismatch: The shape of labels (received "
            f"{labels.shape}) should equal the shape of logits except for the last dimension (received {logits.shape})."
        )


@_by_name
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Cross entropy of independent classes, each with its own probability sigmoid(logits).

    The loss is -z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x)) with x = logits and z = labels, computed as
    max(x, 0) - x * z + log(1 + exp(-abs(x))), which does not overflow. Labels and logits must be given by name.

    Args:
      labels: A `Tensor` of the type and shape of `logits`, from 0 to 1.
      logits: A `Tensor` of a floating-point type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `logits`: the loss of each element.

    Raises:
      ValueError: Labels or logits are missing or not given by name, or the shapes don't fit together.
      TypeError: The types differ.

    Example:

    >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[2.0, 2.0])
    >>> print(np.round(sess.run(loss), 3))
    [0.127 2.127]
    """
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(f"logits and labels must have the same shape ({logits.shape} vs {labels.shape})")
        # max(x, 0) and |x| by Select, so that the gradient at 0 is right too.
        zeros = get_op_def("ZerosLike")(logits)
        select = get_op_def("Select")
        positive = logits >= zeros
        relu, negative_abs = select(positive, logits, zeros), select(positive, -logits, logits)
        log1p = get_op_def("Log1p")(get_op_def("Exp")(negative_abs))
        return get_op_def("Add")(relu - logits * labels, log1p, name=scope)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """Cross entropy of independent classes in which positive examples weigh `pos_weight`.

    The loss is -pos_weight * z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x)) with x = logits and z = labels.

    Args:
      labels: A `Tensor` of the type and shape of `logits`, from 0 to 1.
      logits: A `Tensor` of a floating-point type.
      pos_weight: A number or a `Tensor` that broadcasts to `logits`: above 1 for fewer false negatives, below for fewer
        false positives.
      name: Name of the operation (optional).
      targets: Old name of `labels`.

    Returns:
      A `Tensor` of the type and shape of `logits`: the loss of each element.

    Raises:
      ValueError: The shapes don't fit together.
      TypeError: The types differ.
    """
    labels = targets if labels is None else labels
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(f"logits and targets must have the same shape ({logits.shape} vs {labels.shape})")
        # (1 - z) x + (1 + (q - 1) z) (log(1 + exp(-|x|)) + max(-x, 0))
        weight = 1.0 + (pos_weight - 1.0) * labels
        softplus = get_op_def("Log1p")(get_op_def("Exp")(-get_op_def("Abs")(logits)))
        return get_op_def("Add")((1.0 - labels) * logits, weight * (softplus + get_op_def("Relu")(-logits)), name=scope)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """Negative log-likelihood of `targets` under a Poisson distribution with the logarithm of the mean `log_input`.

    The loss is exp(c) - z * c with c = log_input and z = targets. It leaves out log(z!), which the model has no
    influence on.

    Args:
      targets: A `Tensor` of the type and shape of `log_input`.
      log_input: A `Tensor` of a floating-point type.
      compute_full_loss: Whether to add log(z!), by Stirling's approximation; 0 where z is from 0 to 1.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `log_input`.

    Raises:
      ValueError: The shapes don't fit together.
      TypeError: The types differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        if not targets.shape.is_compatible_with(log_input.shape):
            raise ValueError(f"log_input and targets must have the same shape ({log_input.shape} vs {targets.shape})")
        loss = get_op_def("Exp")(log_input) - log_input * targets
        if not compute_full_loss:
            return loss
        log = get_op_def("Log")
        stirling = targets * log(targets) - targets + 0.5 * log(6.283185307179586 * targets)
        zeros, ones = get_op_def("ZerosLike")(targets), get_op_def("OnesLike")(targets)
        inside = get_op_def("LogicalAnd")(targets >= zeros, targets <= ones)
        return loss + get_op_def("Select")(inside, zeros, stirling)
