"""Matrix products: MatMul, batched products, and tensordot, einsum and matvec in terms of them."""

import re

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework import errors
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

_TYPES = "bfloat16, half, float, double, int32, int64, "
_MORE_TYPES = "uint8, uint16, uint32, uint64, complex64, complex128"


# ---- Shapes


def _product_dims(a, b, transpose_a, transpose_b):
    """(rows, columns) of a product; a and b are pairs."""
    rows, inner_a = reversed(a) if transpose_a else a
    inner_b, columns = reversed(b) if transpose_b else b
    shapes.merge_dim(inner_a, inner_b)
    return rows, columns


def _matmul_shape(op):
    a, b = (shapes.with_rank(t.dims, 2) for t in op.inputs[:2])
    return [_product_dims(a, b, op.get_attr("transpose_a"), op.get_attr("transpose_b"))]


def _batch_shape(op, batch_dims):
    x, y = (shapes.with_rank_at_least(t.dims, 2) for t in op.inputs)
    adj_x, adj_y = op.get_attr("adj_x"), op.get_attr("adj_y")
    if x is not None and y is not None:
        return [(*batch_dims(x[:-2], y[:-2]), *_product_dims(x[-2:], y[-2:], adj_x, adj_y))]
    return [None]


def _batch_matmul_shape(op):
    return _batch_shape(op, _merge_batch)


def _merge_batch(x, y):
    if len(x) == len(y):
        for i, (dx, dy) in enumerate(zip(x, y)):
            if dx is not None and dy is not None and dx != dy:
                shown = [str(list(d)).replace("None", "?").replace(" ", "") for d in (x, y)]
                raise ValueError(
                    f"Dimension {i} in both shapes must be equal, but are {dx} and {dy}. "
                    f"Shapes are {shown[0]} and {shown[1]}."
                )
    return shapes.merge(x, y)


def _batch_matmul_v2_shape(op):
    return _batch_shape(op, shapes.broadcast_dims)


# ---- Definitions

MatMul = define_op(
    "MatMul",
    inputs=["a: T", "b: T"],
    outputs=["product: T"],
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "T: {" + _TYPES + _MORE_TYPES + "}",
        "grad_a: bool = false",
        "grad_b: bool = false",
    ],
    shape=_matmul_shape,
    doc="""Matrix product of a and b, each transposed first where asked.

    grad_a and grad_b are hints of TensorFlow 2 that change nothing.""",
)

_BATCH_ATTRS = ["adj_x: bool = false", "adj_y: bool = false", "grad_x: bool = false", "grad_y: bool = false"]
_BATCH_DOC = """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked.

    grad_x and grad_y are hints of TensorFlow 2 that change nothing."""

BatchMatMul = define_op(
    "BatchMatMul",
    inputs=["x: T", "y: T"],
    outputs=["output: T"],
    attrs=["T: {" + _TYPES + "complex64, complex128}", *_BATCH_ATTRS],
    shape=_batch_matmul_shape,
    doc=_BATCH_DOC,
)

BatchMatMulV2 = define_op(
    "BatchMatMulV2",
    inputs=["x: T", "y: T"],
    outputs=["output: T"],
    attrs=["T: {" + _TYPES + "int16, " + _MORE_TYPES + "}", *_BATCH_ATTRS],
    shape=_batch_matmul_v2_shape,
    doc=_BATCH_DOC + " Batch dimensions broadcast.",
)

_MIXED = "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}"
BatchMatMulV3 = define_op(
    "BatchMatMulV3",
    inputs=["x: Ta", "y: Tb"],
    outputs=["output: Tout"],
    attrs=[
        f"Ta: {_MIXED}",
        f"Tb: {_MIXED}",
        "Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}",
        *_BATCH_ATTRS,
    ],
    shape=_batch_matmul_v2_shape,
    doc=_BATCH_DOC + " Batch dimensions broadcast; int8 and uint8 give int32, or bfloat16 with bfloat16.",
)

_FusedMatMul = define_op(
    "_FusedMatMul",
    inputs=["a: T", "b: T", "args: num_args * T"],
    outputs=["product: T"],
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "T: {bfloat16, half, float, double}",
        "num_args: int >= 0",
        "fused_ops: list(string) = []",
        "epsilon: float = 0.0001",
        "leakyrelu_alpha: float = 0.2",
    ],
    shape=_matmul_shape,
    doc="""MatMul and the operations after it: made by the compiler.

    fused_ops: nothing, or BiasAdd (adds args[0], a vector, to each row), or an activation (Relu, Relu6, Elu,
    LeakyRelu, Tanh, Sigmoid), or BiasAdd and an activation.""",
)


def _matmul_add_n_shape(op):
    half, dims = len(op.inputs) // 2, None
    for a, b in zip(op.inputs[:half], op.inputs[half:]):
        pair = (shapes.with_rank(a.dims, 2), shapes.with_rank(b.dims, 2))
        product = _product_dims(*pair, op.get_attr("transpose_a"), op.get_attr("transpose_b"))
        dims = product if dims is None else shapes.merge(dims, product)
    return [dims]


_MatMulAddN = define_op(
    "_MatMulAddN",
    inputs=["a: N * T", "b: N * T"],
    outputs=["sum: T"],
    attrs=["transpose_a: bool = false", "transpose_b: bool = false", "T: {float, double}", "N: int >= 1"],
    shape=_matmul_add_n_shape,
    doc="Sum of the products MatMul(a[i], b[i]), added in this order, like AddN: made by the compiler.",
)


def _matmul_columns_shape(op):
    ((rows, _),) = _matmul_shape(op)
    return [(rows, op.get_attr("size"))]


_MatMulColumns = define_op(
    "_MatMulColumns",
    inputs=["a: T", "b: T"],
    outputs=["columns: T"],
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "T: {float, double}",
        "begin: int >= 0",
        "size: int >= 0",
    ],
    shape=_matmul_columns_shape,
    doc="The columns begin..begin+size-1 of MatMul(a, b), like those of Split: made by the compiler.",
)


# ---- Gradients

# For C = op(A) op(B): by (transpose of A, transpose of B), the factors of the gradients of A and B. "g" is the
# gradient of C; a quote marks a transposed operand.
_PRODUCT_GRADIENTS = {
    (False, False): ("gb'", "a'g"),
    (False, True): ("gb", "g'a"),
    (True, False): ("bg'", "ag"),
    (True, True): ("b'g'", "g'a'"),
}


def _product_gradients(multiply, operands, transpose_a, transpose_b):
    """Both gradients; multiply(x, y, transpose_x, transpose_y), operands: dict of a, b and g."""
    for product in _PRODUCT_GRADIENTS[bool(transpose_a), bool(transpose_b)]:
        (x, tx), (y, ty) = re.findall(r"(\w)('?)", product)
        yield multiply(operands[x], operands[y], bool(tx), bool(ty))


def _conj(x):
    return get_op_def("Conj")(x) if x.dtype.is_complex else x


@gradient("MatMul")
def _matmul_grad(op, grad):
    operands = {"a": _conj(op.inputs[0]), "b": _conj(op.inputs[1]), "g": grad}

    def multiply(x, y, tx, ty):
        # MatMul only transposes, so the conjugate of a transposed gradient is never needed.
        return MatMul(x, y, transpose_a=tx, transpose_b=ty)

    return tuple(_product_gradients(multiply, operands, op.get_attr("transpose_a"), op.get_attr("transpose_b")))


def _batch_gradients(op, grad, op_def):
    adj_x, adj_y = op.get_attr("adj_x"), op.get_attr("adj_y")

    def multiply(x, y, tx, ty):
        return op_def(x, y, adj_x=tx, adj_y=ty)

    return tuple(_product_gradients(multiply, {"a": op.inputs[0], "b": op.inputs[1], "g": grad}, adj_x, adj_y))


@gradient("BatchMatMul")
def _batch_matmul_grad(op, grad):
    return _batch_gradients(op, grad, BatchMatMul)


@gradient("BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul_v2_grad(op, grad):
    x, y = op.inputs
    grad_x, grad_y = _batch_gradients(op, grad, BatchMatMulV2)
    if x.dims is not None and y.dims is not None and x.dims[:-2] == y.dims[:-2] and None not in x.dims[:-2]:
        return grad_x, grad_y  # nothing was broadcast
    x_shape, y_shape = array_ops.shape(x), array_ops.shape(y)
    axes_x, axes_y = get_op_def("BroadcastGradientArgs")(x_shape[:-2], y_shape[:-2])
    return (
        array_ops.reshape(reduce_ops.reduce_sum(grad_x, axes_x), x_shape),
        array_ops.reshape(reduce_ops.reduce_sum(grad_y, axes_y), y_shape),
    )


@gradient("_FusedMatMul")
def _fused_matmul_grad(op, grad):
    """Rebuilds the unfused gradient. Only tests get here: the compiler fuses after gradients are taken."""
    a, b = op.inputs[:2]
    fused = [f.decode() if isinstance(f, bytes) else f for f in op.get_attr("fused_ops")]
    transpose = {t: op.get_attr(t) for t in ("transpose_a", "transpose_b")}
    bias = list(op.inputs[2:])
    if fused and fused[-1] != "BiasAdd":
        y = op.outputs[0]
        if fused[-1] in ("Relu", "Relu6", "Elu", "Tanh", "Sigmoid"):
            # The gradients of these functions are computed from their results.
            of_result = {"Tanh": "TanhGrad", "Sigmoid": "SigmoidGrad"}.get(fused[-1])
            grad = get_op_def(of_result)(y, grad) if of_result else get_op_def(f"{fused[-1]}Grad")(grad, y)
        else:
            alpha = op.get_attr("leakyrelu_alpha")
            inner = _FusedMatMul(a, b, bias, fused_ops=fused[:-1], **transpose)
            grad = get_op_def("LeakyReluGrad")(grad, inner, alpha=alpha)

    def multiply(x, y, tx, ty):
        return MatMul(x, y, transpose_a=tx, transpose_b=ty)

    products = _product_gradients(multiply, {"a": a, "b": b, "g": grad}, *transpose.values())
    return (*products, *[reduce_ops.reduce_sum(grad, [0]) for _ in bias])


@gradient("_MatMulColumns")
def _matmul_columns_grad(op, grad):
    """Only tests get here: the compiler makes this op after gradients are taken."""
    a, b = op.inputs
    transpose = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    begin, size = op.get_attr("begin"), op.get_attr("size")
    after = array_ops.shape(b)[0 if transpose[1] else 1] - begin - size
    whole = get_op_def("Pad")(grad, [[0, 0], [begin, after]])

    def multiply(x, y, tx, ty):
        return MatMul(x, y, transpose_a=tx, transpose_b=ty)

    return tuple(_product_gradients(multiply, {"a": a, "b": b, "g": whole}, *transpose))


@gradient("_MatMulAddN")
def _matmul_add_n_grad(op, grad):
    """Only tests get here: the compiler makes this op after gradients are taken."""
    half = len(op.inputs) // 2
    transpose = op.get_attr("transpose_a"), op.get_attr("transpose_b")

    def multiply(x, y, tx, ty):
        return MatMul(x, y, transpose_a=tx, transpose_b=ty)

    pairs = [
        tuple(_product_gradients(multiply, {"a": a, "b": b, "g": grad}, *transpose))
        for a, b in zip(op.inputs[:half], op.inputs[half:])
    ]
    return (*[a for a, _ in pairs], *[b for _, b in pairs])


# ---- Public functions


def _convert_operands(a, b):
    """Both as tensors; if possible, b takes the type of a."""
    a = convert_to_tensor(a, name="a")
    return a, convert_to_tensor(b, name="b", preferred_dtype=a.dtype.base_dtype)


def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
):
    """The product of two matrices, or of batches of them, whose leading dimensions broadcast.

    Args:
      a: A `Tensor` of a numeric type and shape [..., m, n].
      b: A `Tensor` of the type of `a` and shape [..., n, k].
      transpose_a: Whether to transpose `a` first.
      transpose_b: Whether to transpose `b` first.
      adjoint_a: Whether to transpose and conjugate `a` first.
      adjoint_b: Whether to transpose and conjugate `b` first.
      a_is_sparse: Hint that `a` has many zeros; ignored, as dense products are faster on all but extreme data.
      b_is_sparse: Hint that `b` has many zeros; ignored, as dense products are faster on all but extreme data.
      output_type: Type of the result: that of `a`, or int32 for int8 and uint8, which may be mixed then.
      grad_a: Hint that `a` is a gradient; only recorded.
      grad_b: Hint that `b` is a gradient; only recorded.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `output_type`, by default that of `a`, and of shape [..., m, k].

    Raises:
      ValueError: The static shapes don't fit together, or an argument is to be both transposed and adjoint.
      TypeError: The types differ.
      tf.errors.UnimplementedError: There is no product of this `output_type`.
      tf.errors.InvalidArgumentError: The shapes don't fit together at run time.

    Example:

    >>> print(sess.run(tf.matmul([[1, 2], [3, 4]], [[5], [6]])))
    [[17]
     [39]]
    """
    with name_scope(name, "MatMul", [a, b]) as name:
        if transpose_a and adjoint_a:
            raise ValueError(
                f"Only one of `transpose_a` and `adjoint_a` can be True. "
                f"Received `transpose_a`={transpose_a}, `adjoint_a`={adjoint_a}."
            )
        if transpose_b and adjoint_b:
            raise ValueError(
                f"Only one of `transpose_b` and `adjoint_b` can be True. "
                f"Received `transpose_b`={transpose_b}, `adjoint_b`={adjoint_b}."
            )
        a, b = _convert_operands(a, b)
        if output_type is not None:
            a, b = _widened(a, b, dtypes.as_dtype(output_type))
        turned_a, turned_b = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
        if any(t.dims is None or len(t.dims) > 2 for t in (a, b)):
            # The batch op can't just transpose: conjugate, then take the adjoint.
            a, b = _conj(a) if transpose_a else a, _conj(b) if transpose_b else b
            return BatchMatMulV2(a, b, adj_x=turned_a, adj_y=turned_b, grad_x=grad_a, grad_y=grad_b, name=name)
        a, b = _conj(a) if adjoint_a else a, _conj(b) if adjoint_b else b
        return MatMul(a, b, transpose_a=turned_a, transpose_b=turned_b, grad_a=grad_a, grad_b=grad_b, name=name)


def _widened(a, b, dtype):
    """The operands of a product of type `dtype`."""
    narrow = (dtypes.int8, dtypes.uint8)
    if dtype is dtypes.int32 and a.dtype in narrow and b.dtype in narrow:
        cast = get_op_def("Cast")
        return cast(a, DstT=dtype), cast(b, DstT=dtype)
    if a.dtype is not dtype or b.dtype is not dtype:
        raise errors.UnimplementedError(
            None, None, f"No product of {a.dtype.name} and {b.dtype.name} has the type {dtype.name}."
        )
    return a, b


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """The product of a matrix and a vector, or of batches of them.

    Args:
      a: A `Tensor` of a numeric type and shape [..., m, n].
      b: A `Tensor` of the type of `a` and shape [..., n].
      transpose_a: Whether to transpose `a` first.
      adjoint_a: Whether to transpose and conjugate `a` first.
      a_is_sparse: Hint that `a` has many zeros; ignored, as dense products are faster on all but extreme data.
      b_is_sparse: Hint that `b` has many zeros; ignored, as dense products are faster on all but extreme data.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `a` and shape [..., m].

    Raises:
      ValueError: The static shapes don't fit together.
      TypeError: The types differ.

    Example:

    >>> print(sess.run(tf.linalg.matvec([[1, 2], [3, 4]], [5, 6])))
    [17 39]
    """
    with name_scope(name, "MatVec", [a, b]) as name:
        column = array_ops.expand_dims(b, axis=-1)
        product = matmul(a, column, transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse)
        return array_ops.squeeze(product, axis=[-1], name=name)


# ---- tensordot


def _sizes(x):
    """The size of each dimension of x, which has known rank: an int where known, else a scalar tensor."""
    if None not in x.dims:
        return list(x.dims)
    shape = array_ops.shape(x)
    return [shape[i] if d is None else d for i, d in enumerate(x.dims)]


def _count(sizes):
    """Product of sizes: an int where all are."""
    known, unknown = 1, None
    for s in sizes:
        if isinstance(s, Tensor):
            unknown = s if unknown is None else unknown * s
        else:
            known *= s
    if unknown is None:
        return known
    return unknown if known == 1 else unknown * known


def _reshape(x, sizes, name=None):
    """Reshapes if that changes anything, with a constant shape where possible."""
    sizes = list(sizes)
    unknown = [i for i, s in enumerate(sizes) if isinstance(s, Tensor)]
    if not unknown and x.dims == tuple(sizes):
        return x
    if len(unknown) == 1 and 0 not in sizes:
        sizes[unknown[0]] = -1
        unknown = []
    return array_ops.reshape(x, array_join.stack(sizes) if unknown else sizes, name=name)


def _transpose(x, perm):
    return x if list(perm) == list(range(len(perm))) else array_ops.transpose(x, perm)


def _axes_pair(a, b, axes):
    """tensordot's axes as two lists of non-negative numbers."""
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > len(a.dims):
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {len(a.dims)}."
            )
        return list(range(len(a.dims) - axes, len(a.dims))), list(range(axes))
    if not isinstance(axes, (list, tuple)):
        axes = constant_value(convert_to_tensor(axes, dtypes.int32, name="axes"))
        if axes is None or not axes.ndim:
            raise ValueError("Attempting to slice scalar input: `axes` must be an integer or a pair known statically.")
        axes = axes.tolist()
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    pair = [[int(x)] if _is_number(x) else [int(i) for i in x] for x in axes]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(pair[0])} != {len(pair[1])}.")
    result = []
    for x, t in zip(pair, (a, b)):
        rank = len(t.dims)
        if any(not -rank <= i < rank for i in x):
            raise ValueError(f"`axes` out of range for {t}, which has {rank} dimensions: {x}")
        result.append([i % rank for i in x])
        if len(set(result[-1])) != len(x):
            raise ValueError(f"`axes` must be unique; received {x} for {t}")
    return result


def _is_number(x):
    return not hasattr(x, "__len__") and not hasattr(x, "__iter__")


def _as_matrix(x, inner, free):
    """x as [free, inner], or as [inner, free] where that needs no transposition; and which of the two."""
    sizes = _sizes(x)
    matrix = [_count([sizes[i] for i in free]), _count([sizes[i] for i in inner])]
    if inner + free == list(range(len(sizes))):
        return _reshape(x, matrix[::-1]), True
    return _reshape(_transpose(x, free + inner), matrix), False


def tensordot(a, b, axes, name=None):
    """Sums products of elements over some dimensions of two tensors.

    Args:
      a: A `Tensor` of a numeric type.
      b: A `Tensor` of the type of `a`.
      axes: A number N for the last N dimensions of `a` and the first N of `b`; or a pair of dimensions, or lists of
        dimensions, of `a` and `b`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `a`, with the other dimensions of `a`, then those of `b`.

    Raises:
      ValueError: The axes or shapes don't fit together.
      TypeError: The types differ.

    Example:

    >>> print(sess.run(tf.tensordot([1, 2, 3], [4, 5, 6], 1)))
    32
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as name:
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        if a.dims is None or b.dims is None:
            return _tensordot_of_unknown_rank(a, b, axes, name)
        inner_a, inner_b = _axes_pair(a, b, axes)
        for i, j in zip(inner_a, inner_b):
            shapes.merge_dim(a.dims[i], b.dims[j])
        free_a = [i for i in range(len(a.dims)) if i not in inner_a]
        free_b = [i for i in range(len(b.dims)) if i not in inner_b]
        matrix_a, a_transposed = _as_matrix(a, inner_a, free_a)
        matrix_b, b_transposed = _as_matrix(b, inner_b, free_b)
        product = MatMul(matrix_a, matrix_b, transpose_a=a_transposed, transpose_b=not b_transposed)
        sizes_a, sizes_b = _sizes(a), _sizes(b)
        return _reshape(product, [sizes_a[i] for i in free_a] + [sizes_b[i] for i in free_b], name=name)


def _tensordot_of_unknown_rank(a, b, axes, name):
    """The same with axes, permutations and shapes that are computed when the graph runs."""
    import tfcore.ops.array.constants as constants
    import tfcore.ops.indexing.indexing as indexing
    import tfcore.ops.indexing.unique as sets

    rank_a, rank_b = array_ops.rank(a), array_ops.rank(b)
    if isinstance(axes, (int, np.integer)):
        inner_a, inner_b = constants.range(rank_a - axes, rank_a), constants.range(axes)
    else:
        pair = convert_to_tensor(axes, dtypes.int32, name="axes")
        floormod = get_op_def("FloorMod")
        inner_a, inner_b = (floormod(array_ops.reshape(pair[i], [-1]), r) for i, r in enumerate((rank_a, rank_b)))

    def as_matrix(x, rank, inner):
        """x as [free, inner], and the sizes of its free dimensions."""
        free = sets.setdiff1d(constants.range(rank), inner).out
        sizes = array_ops.shape(x)
        order = array_join.concat([free, inner], 0)
        free_sizes = indexing.gather(sizes, free)
        inner_size = reduce_ops.reduce_prod(indexing.gather(sizes, inner))
        rows = reduce_ops.reduce_prod(free_sizes)
        return array_ops.reshape(array_ops.transpose(x, order), array_join.stack([rows, inner_size])), free_sizes

    matrix_a, sizes_a = as_matrix(a, rank_a, inner_a)
    matrix_b, sizes_b = as_matrix(b, rank_b, inner_b)
    product = MatMul(matrix_a, matrix_b, transpose_b=True)
    return array_ops.reshape(product, array_join.concat([sizes_a, sizes_b], 0), name=name)


# ---- einsum


class _Operand:
    """A tensor and the label of each of its dimensions."""

    def __init__(self, tensor, labels):
        self.tensor = tensor
        self.labels = list(labels)

    def size(self, label):
        return _sizes(self.tensor)[self.labels.index(label)]

    def arrange(self, labels):
        """The tensor with its dimensions in the order of `labels`."""
        return _transpose(self.tensor, [self.labels.index(x) for x in labels])


def _parse_equation(equation, n):
    """Subscripts of the inputs and of the output (None if implicit)."""
    text = equation.replace(" ", "")
    if not re.match(r"^(,?([a-zA-Z]|\.\.\.)*)*(->([a-zA-Z]|\.\.\.)*)?$", text):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != n:
        raise ValueError(f'Got {n} inputs for equation "{equation}", expecting {len(inputs)}')
    for part in (*inputs, right):
        if part.count("...") > 1:
            raise ValueError(f"Subscripts have more than one ellipsis: {equation}")
    return inputs, right if arrow else None


def _labels(subscript, rank, equation, position):
    """One label for each dimension; those of an ellipsis are (distance from the end,)."""
    named = subscript.replace("...", "")
    if "..." not in subscript:
        if rank != len(named):
            raise ValueError(
                f"Shape must be rank {len(named)} but is rank {rank}\n\t "
                f"for {position}th input and equation: {equation}"
            )
        return list(named)
    if rank < len(named):
        raise ValueError(
            f"Shape must be at least rank {len(named)} but is rank {rank}\n\t "
            f"for {position}th input and equation: {equation}"
        )
    before, after = subscript.split("...")
    covered = rank - len(named)
    return [*before, *((covered - i,) for i in range(covered)), *after]


def _output_labels(subscript, operands):
    """Labels of the result: explicit, or by NumPy's rule the ellipsis and then, sorted, those that occur once."""
    used = [label for o in operands for label in o.labels]
    ellipsis = sorted({x for x in used if isinstance(x, tuple)}, reverse=True)
    if subscript is None:
        return ellipsis + sorted(x for x in set(used) if isinstance(x, str) and used.count(x) == 1)
    result = []
    for part in re.findall(r"\.\.\.|[a-zA-Z]", subscript):
        result.extend(ellipsis if part == "..." else [part])
    for label in result:
        if label not in used:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
        if result.count(label) > 1:
            raise ValueError(f"Output subscripts contain a label appearing more than once: {subscript}")
    if ellipsis and "..." not in subscript:
        raise ValueError(f"The inputs have dimensions of an ellipsis, the output subscripts have none: {subscript}")
    return result


def _check_sizes(operands):
    sizes = {}
    for o in operands:
        for label, d in zip(o.labels, o.tensor.dims):
            if d is None or isinstance(label, tuple) and d == 1:
                continue
            sizes[label] = shapes.merge_dim(sizes.get(label), d)
    return sizes


def _take_diagonals(o):
    """Makes repeated labels one, by taking the diagonal."""
    for label in dict.fromkeys(o.labels):
        while o.labels.count(label) > 1:
            i = o.labels.index(label)
            j = o.labels.index(label, i + 1)
            rest = [x for x in range(len(o.labels)) if x not in (i, j)]
            sizes = _sizes(o.tensor)
            moved = _transpose(o.tensor, [i, j, *rest])
            flat = _reshape(moved, [_count([sizes[i], sizes[j]]), *(sizes[x] for x in rest)])
            o.tensor = flat[:: sizes[i] + 1]
            o.labels = [label, *(o.labels[x] for x in rest)]


def _sum_out(o, keep):
    """Sums over the dimensions whose labels are not in `keep`."""
    axes = [i for i, label in enumerate(o.labels) if label not in keep]
    if axes:
        o.tensor = reduce_ops.reduce_sum(o.tensor, axes)
        o.labels = [x for x in o.labels if x in keep]


def _drop_ones(o, sizes):
    """Removes dimensions of an ellipsis that are 1 here and larger elsewhere: they broadcast."""
    axes = [
        i for i, x in enumerate(o.labels) if isinstance(x, tuple) and o.tensor.dims[i] == 1 and sizes.get(x, 1) != 1
    ]
    if axes:
        o.tensor = array_ops.squeeze(o.tensor, axes)
        o.labels = [x for i, x in enumerate(o.labels) if i not in axes]


def _contract(x, y, keep):
    """The product of two operands, summed over common labels that are not in `keep`."""
    common = [label for label in x.labels if label in y.labels]
    batch = [label for label in common if label in keep]
    inner = [label for label in common if label not in keep]
    only_x = [label for label in x.labels if label not in common]
    only_y = [label for label in y.labels if label not in common]
    if not inner or not only_x and not only_y:
        result = _broadcast_product(x, y, batch + inner, only_x, only_y)
        _sum_out(result, keep)
        return result
    sizes = {label: x.size(label) for label in x.labels} | {label: y.size(label) for label in only_y}

    def count(labels):
        return _count([sizes[label] for label in labels])

    batch_sizes = [sizes[label] for label in batch]
    left = _reshape(x.arrange(batch + only_x + inner), [*batch_sizes, count(only_x), count(inner)])
    # Where the inner labels of B come last, the product transposes it.
    adjoint = y.labels == batch + only_y + inner
    order = [only_y, inner] if adjoint else [inner, only_y]
    right = _reshape(y.arrange(batch + order[0] + order[1]), [*batch_sizes, *map(count, order)])
    product = matmul(left, right, transpose_b=adjoint)
    labels = batch + only_x + only_y
    return _Operand(_reshape(product, [sizes[label] for label in labels]), labels)


def _broadcast_product(x, y, common, only_x, only_y):
    """All products of elements, with dimensions [common, only_x, only_y]."""
    left, right = x.arrange(common + only_x), y.arrange(common + only_y)
    if only_y:
        sizes = _sizes(left)
        left = _reshape(left, sizes + [1] * len(only_y))
    if only_x:
        sizes = _sizes(right)
        right = _reshape(right, sizes[: len(common)] + [1] * len(only_x) + sizes[len(common) :])
    return _Operand(get_op_def("Mul")(left, right), common + only_x + only_y)


def einsum(equation, *inputs, **kwargs):
    """Sums of products of elements, in Einstein's notation.

    Args:
      equation: A str: the labels of each input's dimensions, and after "->" those of the result. Without "->" the
        result has the labels that occur once, in alphabetical order. "..." stands for dimensions that broadcast; a
        repeated label in an input takes the diagonal.
      *inputs: `Tensor`s of one numeric type and known rank; they are multiplied from left to right.
      **kwargs: `name`: name of the operation. `optimize` is ignored.

    Returns:
      A `Tensor` of the type of the inputs.

    Raises:
      ValueError: The equation is malformed or doesn't fit the inputs.
      TypeError: There is another keyword argument, or the types differ.

    Example:

    >>> print(sess.run(tf.einsum("ij,jk->ik", [[1, 2], [3, 4]], [[5], [6]])))
    [[17]
     [39]]
    >>> print(sess.run(tf.einsum("ii", [[1, 2], [3, 4]])))
    5
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Expected: name.")
    with name_scope(name, "einsum", [equation, inputs]) as name:
        subscripts, output = _parse_equation(equation, len(inputs))
        tensors = [convert_to_tensor(x, name="input") for x in inputs]
        for t in tensors:
            if t.dims is None:
                raise ValueError(f"einsum needs tensors of known rank, got {t}")
        operands = [
            _Operand(t, _labels(s, len(t.dims), equation, i)) for i, (s, t) in enumerate(zip(subscripts, tensors))
        ]
        sizes = _check_sizes(operands)
        wanted = _output_labels(output, operands)
        for i, o in enumerate(operands):
            others = {label for other in operands[:i] + operands[i + 1 :] for label in other.labels}
            _take_diagonals(o)
            _drop_ones(o, sizes)
            _sum_out(o, others.union(wanted))
        result = operands[0]
        for i, o in enumerate(operands[1:], 2):
            later = {label for other in operands[i:] for label in other.labels}
            result = _contract(result, o, later.union(wanted))
        return array_ops.identity(result.arrange(wanted), name=name)
