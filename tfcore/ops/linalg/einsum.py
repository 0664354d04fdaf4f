"""The op Einsum. `tf.einsum` itself is made of other ops: tfcore/ops/linalg/matmul.py."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient

_DOTS = "..."


def _parse(op):
    """Labels of each input, and of the result: lists in which "..." stands for an ellipsis."""
    equation = op.attrs["equation"].decode()
    if equation.count("->") != 1:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    left, right = equation.split("->")
    inputs = left.split(",")
    if len(inputs) > 2:
        raise ValueError(f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(inputs)}")
    if len(inputs) != len(op.inputs):
        raise ValueError(f"Expected {len(inputs)} inputs but got: {len(op.inputs)}")
    return [_labels(subscript) for subscript in inputs], _labels(right)


def _labels(subscript):
    before, dots, after = subscript.partition(_DOTS)
    if "." in before + after:
        raise ValueError(f"Expecting at most one ellipsis (...) in einsum equation: {subscript}")
    return [*before, *([_DOTS] if dots else []), *after]


def _covered(labels, dims):
    """The dimensions that the ellipsis of an input stands for; None if they are unknown."""
    if _DOTS not in labels:
        return ()
    if dims is None:
        return None
    at = labels.index(_DOTS)
    return dims[at : len(dims) - (len(labels) - 1 - at)]


def _sizes_of(labels, dims, number, sizes):
    """Adds what an input says of the sizes of its labels."""
    named = [label for label in labels if label != _DOTS]
    if _DOTS not in labels and len(dims) != len(named):
        raise ValueError(f"Expected input {number} to have rank {len(named)} but got: {len(dims)}")
    if len(dims) < len(named):
        raise ValueError(f"Expected input {number} to have rank at least {len(named)} but got: {len(dims)}")
    at = labels.index(_DOTS) if _DOTS in labels else len(labels)
    rest = len(labels) - at - 1
    for label, size in zip(named, (*dims[:at], *(dims[len(dims) - rest :] if rest > 0 else ()))):
        sizes[label] = shapes.merge_dim(sizes.get(label), size)


def _shape(op):
    inputs, output = _parse(op)
    sizes, batch = {}, ()
    for number, (labels, tensor) in enumerate(zip(inputs, op.inputs)):
        if tensor.dims is not None:
            _sizes_of(labels, tensor.dims, number, sizes)
        batch = shapes.broadcast_dims(batch, _covered(labels, tensor.dims))
    if batch and _DOTS not in output:
        raise ValueError(
            f"Output contains {len(batch)} broadcasting dimension(s) but no ellipsis (...) was found in the output "
            "subscripts."
        )
    for label in output:
        if label != _DOTS and not any(label in labels for labels in inputs):
            raise ValueError(
                f"Einsum output subscripts for equation '{op.attrs['equation'].decode()}' has label '{label}' which is "
                "not present in the input subscripts"
            )
    if batch is None and _DOTS in output:
        return [None]
    dims = [batch if label == _DOTS else (sizes.get(label),) for label in output]
    return [tuple(size for part in dims for size in part)]


Einsum = define_op(
    "Einsum",
    inputs=["inputs: N * T"],
    outputs=["output: T"],
    attrs=["equation: string", "N: int >= 1", "T: type"],
    shape=_shape,
    doc="""Sums of products of the elements of one or two tensors, in Einstein's notation.

    Each label of `equation` names a dimension; a label that the result doesn't have is summed over. "..." stands for
    dimensions that broadcast, a label that an input has twice for its diagonal. `tf.einsum` takes more inputs.""",
)


# ---- Gradients


def _text(labels):
    return "".join(labels)


def _sum_to(grad, labels, tensor, tensor_labels):
    """Sums over the dimensions along which the ellipsis of an input was broadcast.

    Returns: the gradient, whose first dimensions are those of the ellipsis, and its labels.
    """
    covered = _covered(tensor_labels, tensor.dims)
    rest = [label for label in labels if label != _DOTS]
    if covered is not None and None not in covered and grad.dims is not None:
        if _covered(labels, grad.dims) == covered:
            return grad, labels
    grad = Einsum([grad], equation=f"{_text(labels)}->{_DOTS}{_text(rest)}")
    shape, at = array_ops.shape(tensor), tensor_labels.index(_DOTS)
    ellipsis = shape[at : array_ops.size(shape) - (len(tensor_labels) - 1 - at)]
    whole = array_ops.shape(grad)
    split = array_ops.size(whole) - len(rest)
    axes, _ = get_op_def("BroadcastGradientArgs")(ellipsis, whole[:split])
    summed = reduce_ops.reduce_sum(grad, axes)
    return array_ops.reshape(summed, array_join.concat([ellipsis, whole[split:]], 0)), [_DOTS, *rest]


def _spread(grad, labels, tensor, tensor_labels, missing):
    """Repeats the gradient along dimensions that were summed over in the input alone."""
    shape, dots = array_ops.shape(tensor), tensor_labels.index(_DOTS) if _DOTS in tensor_labels else len(tensor_labels)
    places = [tensor_labels.index(label) for label in missing]
    sizes = [shape[i] if i < dots else shape[i - len(tensor_labels)] for i in places]
    ones = constants.ones(array_join.stack(sizes), grad.dtype)
    both = [*labels, *missing]
    return Einsum([grad, ones], equation=f"{_text(labels)},{_text(missing)}->{_text(both)}"), both


def _input_gradient(grad, output, tensor, labels, other=None):
    """The gradient for an input; `other`: the other input and its labels."""
    others = [] if other is None else other[1]
    unique = list(dict.fromkeys(labels))
    found = [label for label in unique if label in output or label in others]
    missing = [label for label in unique if label not in found]
    dots = [_DOTS] if _DOTS in output + others and _DOTS not in found else []  # of the other input only
    if other is None:
        grad = Einsum([grad], equation=f"{_text(output)}->{_text(dots + found)}")
    else:
        factor = get_op_def("Conj")(other[0]) if other[0].dtype.is_complex else other[0]
        equation = f"{_text(output)},{_text(others)}->{_text(dots + found)}"
        grad = Einsum([grad, factor], equation=equation)
    if dots:
        count = array_ops.size(array_ops.shape(grad)) - len(found)
        grad = reduce_ops.reduce_sum(grad, constants.range(count))
    now = found
    if _DOTS in found:
        grad, now = _sum_to(grad, now, tensor, labels)
    if missing:
        grad, now = _spread(grad, now, tensor, labels, missing)
    if now != labels:
        grad = Einsum([grad], equation=f"{_text(now)}->{_text(labels)}")
    if tensor.dims is not None:
        grad.set_shape(tensor.shape)
    return grad


@gradient("Einsum")
def _einsum_grad(op, grad):
    inputs, output = _parse(op)
    if len(set(output)) < len(output):
        once = list(dict.fromkeys(output))  # only a diagonal of the result has values
        grad, output = Einsum([grad], equation=f"{_text(output)}->{_text(once)}"), once
    if len(inputs) == 1:
        return (_input_gradient(grad, output, op.inputs[0], inputs[0]),)
    x, y = zip(op.inputs, inputs)
    return _input_gradient(grad, output, *x, other=y), _input_gradient(grad, output, *y, other=x)
