"""Diagonals and bands of matrices."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, unchanged, with_rank, with_rank_at_least, with_rank_at_most
from tfcore.framework.graph.graph import constant_value, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor

_TYPES = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"


def _diag_shape(op):
    dims = op.inputs[0].dims
    if dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [None if dims is None else dims + dims]


Diag = define_op(
    "Diag",
    inputs=["diagonal: T"],
    outputs=["output: T"],
    attrs=[_TYPES],
    shape=_diag_shape,
    doc="output[i..., i...] = diagonal[i...], zero elsewhere.",
)


def _diag_part_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    if len(dims) % 2 or not dims:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    half = len(dims) // 2
    return [merge(dims[:half], dims[half:])]


DiagPart = define_op(
    "DiagPart",
    inputs=["input: T"],
    outputs=["diagonal: T"],
    attrs=[_TYPES],
    shape=_diag_part_shape,
    doc="diagonal[i...] = input[i..., i...].",
)


def _matrix_diag_shape(op):
    dims = op.inputs[0].dims
    if dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [None if dims is None else (*dims, dims[-1])]


MatrixDiag = define_op(
    "MatrixDiag",
    inputs=["diagonal: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_matrix_diag_shape,
    doc="Matrices with the given main diagonals, zero elsewhere.",
)


def _part_dims(dims):
    if dims is None:
        return None
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    rows, cols = dims[-2:]
    smaller = None if None in (rows, cols) else min(rows, cols)
    return (*dims[:-2], smaller)


MatrixDiagPart = define_op(
    "MatrixDiagPart",
    inputs=["input: T"],
    outputs=["diagonal: T"],
    attrs=["T: type"],
    shape=lambda op: [_part_dims(op.inputs[0].dims)],
    doc="Main diagonals of matrices.",
)


def _matrix_set_diag_shape(op):
    dims, diagonal = op.inputs[0].dims, op.inputs[1].dims
    part = _part_dims(dims)
    if part is not None and diagonal is not None:
        merge(part, diagonal)
    return [dims]


MatrixSetDiag = define_op(
    "MatrixSetDiag",
    inputs=["input: T", "diagonal: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_matrix_set_diag_shape,
    doc="Matrices with their main diagonals replaced.",
)


# ---- The second and third versions: any diagonals, lower to upper, as rows that are padded to one length.


def _static_band(k):
    """(lower, upper) if the input `k` is known, else None."""
    with_rank_at_most(k.dims, 1)
    value = constant_value(k)
    if value is None:
        return None
    if value.size not in (1, 2):
        raise ValueError(f"diag_index must be a vector with one or two elements. It has {value.size} elements.")
    lower, upper = int(value.flat[0]), int(value.flat[-1])
    if lower > upper:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return lower, upper


def _check_band(rows, cols, band):
    if None in (rows, cols):
        return
    for name, k in zip(("lower", "upper"), band, strict=True):
        if k != 0 and not -rows < k < cols:
            raise ValueError(f"{name}_diag_index is out of bound.")


def _matrix_diag_part_v2_shape(op):
    dims = with_rank_at_least(op.inputs[0].dims, 2)
    band = _static_band(op.inputs[1])
    with_rank(op.inputs[2].dims, 0)
    if dims is None or band is None:
        return [None]
    *batch, rows, cols = dims
    _check_band(rows, cols, band)
    lower, upper = band
    longest = None if None in (rows, cols) else min(rows + min(upper, 0), cols - max(lower, 0))
    return [(*batch, *([upper - lower + 1] if lower < upper else []), longest)]


def _matrix_size(longest, band, rows, cols):
    """Rows and columns. Given sizes are None if unknown, -1 if the diagonals determine them."""
    if longest is None or None in (rows, cols):
        return [n if n is not None and n >= 0 else None for n in (rows, cols)]
    least_rows, least_cols = longest - min(band[1], 0), longest + max(band[0], 0)
    if rows == cols == -1:
        return [max(least_rows, least_cols)] * 2
    rows = least_rows if rows == -1 else rows
    cols = least_cols if cols == -1 else cols
    if rows < least_rows:
        raise ValueError("num_rows is too small")
    if cols < least_cols:
        raise ValueError("num_cols is too small.")
    if rows != least_rows and cols != least_cols:
        raise ValueError(
            "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the "
            f"given diagonals.\nnum_rows = {rows} != min_num_rows = {least_rows}, num_cols = {cols} != min_num_cols = "
            f"{least_cols}"
        )
    return [rows, cols]


def _matrix_diag_v2_shape(op):
    dims = with_rank_at_least(op.inputs[0].dims, 1)
    band = _static_band(op.inputs[1])
    for scalar in op.inputs[2:]:
        with_rank(scalar.dims, 0)
    if dims is None or band is None:
        return [None]
    *batch, longest = dims
    lower, upper = band
    if lower < upper:
        count = batch.pop() if batch else longest
        if count not in (None, upper - lower + 1) or len(dims) < 2:
            raise ValueError(
                "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
                f"`d_upper`.\nnum_diags = {count}, d_lower = {lower}, d_upper = {upper} {len(dims)} {longest}"
            )
    rows, cols = (None if n is None else int(n) for n in map(constant_value, op.inputs[2:4]))
    return [(*batch, *_matrix_size(longest, band, rows, cols))]


def _matrix_set_diag_v2_shape(op):
    dims, diagonal = with_rank_at_least(op.inputs[0].dims, 2), with_rank_at_least(op.inputs[1].dims, 1)
    band = _static_band(op.inputs[2])
    if band is None:
        if dims is not None:
            with_rank_at_most(with_rank_at_least(diagonal, len(dims) - 1), len(dims))
        return [dims]
    of_band = 1 if band[0] == band[1] else 2  # dimensions of the diagonals of one matrix
    if dims is not None:
        diagonal = with_rank(diagonal, len(dims) - 2 + of_band)
        _check_band(*dims[-2:], band)
    return [dims if diagonal is None else merge(dims, (*diagonal[: len(diagonal) - of_band], None, None))]


_ALIGN = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
for _name, _inputs, _output, _shape, _doc in (
    (
        "MatrixDiag",
        ["diagonal: T", "k: int32", "num_rows: int32", "num_cols: int32", "padding_value: T"],
        "output: T",
        _matrix_diag_v2_shape,
        "Matrices with the given diagonals k, or k[0] to k[1], and padding_value elsewhere.",
    ),
    (
        "MatrixDiagPart",
        ["input: T", "k: int32", "padding_value: T"],
        "diagonal: T",
        _matrix_diag_part_v2_shape,
        "Diagonals k, or k[0] to k[1], of matrices; the shorter ones are padded.",
    ),
    (
        "MatrixSetDiag",
        ["input: T", "diagonal: T", "k: int32"],
        "output: T",
        _matrix_set_diag_v2_shape,
        "Matrices with their diagonals k, or k[0] to k[1], replaced.",
    ),
):
    define_op(f"{_name}V2", inputs=_inputs, outputs=[_output], attrs=["T: type"], shape=_shape, doc=_doc)
    _doc += " align says where padding goes above and below the main diagonal."
    define_op(f"{_name}V3", inputs=_inputs, outputs=[_output], attrs=["T: type", _ALIGN], shape=_shape, doc=_doc)
MatrixDiagV3, MatrixDiagPartV3, MatrixSetDiagV3 = map(
    get_op_def, ("MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3")
)


MatrixBandPart = define_op(
    "MatrixBandPart",
    inputs=["input: T", "num_lower: Tindex", "num_upper: Tindex"],
    outputs=["band: T"],
    attrs=["T: type", "Tindex: {int32, int64} = DT_INT64"],
    shape=unchanged,
    doc="Matrices with zeros outside a band around the diagonal; a negative width keeps that triangle.",
)

# The names of the first version.
for _name, _inputs, _output, _shape in (
    ("MatrixDiag", ["diagonal: T"], "output: T", _matrix_diag_shape),
    ("MatrixDiagPart", ["input: T"], "diagonal: T", MatrixDiagPart.shape_fn),
    ("MatrixSetDiag", ["input: T", "diagonal: T"], "output: T", _matrix_set_diag_shape),
    ("MatrixBandPart", ["input: T", "num_lower: int64", "num_upper: int64"], "band: T", unchanged),
):
    _doc = f"The same as {_name}."
    define_op(f"Batch{_name}", inputs=_inputs, outputs=[_output], attrs=["T: type"], shape=_shape, doc=_doc)


@gradient("Diag")
def _diag_grad(op, grad):
    return DiagPart(grad)


@gradient("DiagPart")
def _diag_part_grad(op, grad):
    return Diag(grad)


@gradient("MatrixDiag", "BatchMatrixDiag")
def _matrix_diag_grad(op, grad):
    return MatrixDiagPart(grad)


@gradient("MatrixDiagPart", "BatchMatrixDiagPart")
def _matrix_diag_part_grad(op, grad):
    x = op.inputs[0]
    if x.dims is not None and x.dims[-1] is not None and x.dims[-1] == x.dims[-2]:
        return MatrixDiag(grad)
    return MatrixSetDiag(constants.zeros_like(x), grad)


@gradient("MatrixSetDiag", "BatchMatrixSetDiag")
def _matrix_set_diag_grad(op, grad):
    return MatrixSetDiag(grad, constants.zeros_like(op.inputs[1])), MatrixDiagPart(grad)


def _align(op):
    """How an operation of the second or third version pads its diagonals."""
    return op.get_attr("align") if op.type.endswith("V3") else "LEFT_LEFT"


@gradient("MatrixDiagV2", "MatrixDiagV3")
def _matrix_diag_v2_grad(op, grad):
    return matrix_diag_part(grad, k=op.inputs[1], align=_align(op)), None, None, None, None


@gradient("MatrixDiagPartV2", "MatrixDiagPartV3")
def _matrix_diag_part_v2_grad(op, grad):
    x, k = op.inputs[:2]
    if x.dims is not None and None not in x.dims[-2:]:
        rows, cols = x.dims[-2:]
        return matrix_diag(grad, k=k, num_rows=rows, num_cols=cols, align=_align(op)), None, None
    return matrix_set_diag(constants.zeros_like(x), grad, k=k, align=_align(op)), None, None


@gradient("MatrixSetDiagV2", "MatrixSetDiagV3")
def _matrix_set_diag_v2_grad(op, grad):
    _, diagonal, k = op.inputs
    rest = matrix_set_diag(grad, constants.zeros_like(diagonal), k=k, align=_align(op))
    return rest, matrix_diag_part(grad, k=k, align=_align(op)), None


@gradient("MatrixBandPart", "BatchMatrixBandPart")
def _matrix_band_part_grad(op, grad):
    return MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None


@described(
    Diag,
    example="""
>>> print(sess.run(tf.diag([1, 2])))
[[1 0]
 [0 2]]
""",
    shapes={
        "diagonal": "of rank k",
        "output": "of rank 2k and shape diagonal.shape + diagonal.shape",
    },
)
def diag(diagonal, name=None):
    """A tensor of twice the rank with the given diagonal, zero elsewhere."""
    return Diag(diagonal, name=name)


@described(
    DiagPart,
    example="""
>>> print(sess.run(tf.diag_part([[1, 2], [3, 4]])))
[1 4]
""",
    shapes={
        "input": "of even rank 2k, whose first k sizes are repeated by the last k",
        "diagonal": "of rank k",
    },
)
def diag_part(input, name=None):
    """The diagonal of a tensor of even rank: result[i...] = input[i..., i...]."""
    return DiagPart(input, name=name)


def matrix_diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with the given diagonals.

    Args:
      diagonal: A `Tensor` of any type of shape [..., n], one diagonal for each matrix; for a band of d diagonals of
        shape [..., d, n], the uppermost first.
      name: Name of the operation (optional).
      k: The diagonal, an int32: 0 is the main one, positive numbers are above it. Or a pair, the lowest and the highest
        diagonal of a band.
      num_rows: Number of rows, an int32; -1 takes the least that the diagonals allow.
      num_cols: Number of columns, as `num_rows`; where both are -1 the matrices are square.
      padding_value: The elements outside of the diagonals, a scalar of the type of `diagonal`.
      align: Where the elements of diagonals shorter than n are in their rows, above and below the main diagonal:
        "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
      A `Tensor` of the type of `diagonal` and shape [..., num_rows, num_cols].

    Raises:
      ValueError: The number of diagonals is not that of `k`, or the matrices have no room for them.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.matrix_diag([[1, 2], [3, 4]])))
    [[[1 0]
      [0 2]]
    <BLANKLINE>
     [[3 0]
      [0 4]]]
    >>> print(sess.run(tf.matrix_diag([5, 6], k=1)))
    [[0 5 0]
     [0 0 6]
     [0 0 0]]
    """
    return MatrixDiagV3(diagonal, k, num_rows, num_cols, _padding(diagonal, padding_value), align=align, name=name)


def matrix_diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """Diagonals of matrices.

    Args:
      input: A `Tensor` of any type and shape [..., rows, columns].
      name: Name of the operation (optional).
      k: The diagonal, an int32: 0 is the main one, positive numbers are above it. Or a pair, the lowest and the highest
        diagonal of a band.
      padding_value: Fills up shorter diagonals of a band, a scalar of the type of `input`.
      align: Which side of the row shorter diagonals of a band are aligned to, as for `matrix_diag`.

    Returns:
      A `Tensor` of the type of `input`: [..., n] for one diagonal of n elements; for a band of d diagonals [..., d, n],
      the uppermost first, padded to the length n of the longest.

    Raises:
      ValueError: The matrices don't have such diagonals.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> print(sess.run(tf.matrix_diag_part([[1, 2, 3], [4, 5, 6]])))
    [1 5]
    """
    return MatrixDiagPartV3(input, k, _padding(input, padding_value), align=align, name=name)


def matrix_set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with some of their diagonals replaced.

    Args:
      input: A `Tensor` of any type and shape [..., rows, columns].
      diagonal: A `Tensor` of the type of `input`, shaped as `matrix_diag_part` returns it for this `k`.
      name: Name of the operation (optional).
      k: The diagonal, an int32: 0 is the main one, positive numbers are above it. Or a pair, the lowest and the highest
        diagonal of a band.
      align: Which side of the row shorter diagonals of a band are aligned to, as for `matrix_diag`.

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      ValueError: The matrices don't have such diagonals, or `diagonal` has another rank.
      tf.errors.InvalidArgumentError: The same or another shape of `diagonal`, found at run time.

    Example:

    >>> print(sess.run(tf.matrix_set_diag([[1, 2], [3, 4]], [0, 9])))
    [[0 2]
     [3 9]]
    """
    return MatrixSetDiagV3(input, diagonal, k, align=align, name=name)


def _padding(values, padding_value):
    """The padding value as a bool for bool tensors: the default 0 doesn't convert to one."""
    return bool(padding_value) if getattr(values, "dtype", None) == "bool" else padding_value


@described(
    MatrixBandPart,
    example="""
>>> print(sess.run(tf.matrix_band_part(tf.ones([3, 3]), 0, -1)))
[[1. 1. 1.]
 [0. 1. 1.]
 [0. 0. 1.]]
""",
    shapes={
        "input": "[..., rows, columns]",
        "num_lower": "a scalar, the number of diagonals below the main one to keep; negative: all",
        "num_upper": "a scalar, the number of diagonals above the main one to keep; negative: all",
        "band": "of the shape of `input`",
    },
)
def matrix_band_part(input, num_lower, num_upper, name=None):
    """Matrices with zeros outside a band around the main diagonal."""
    return MatrixBandPart(input, num_lower, num_upper, name=name)


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Transposes matrices: exchanges the last two dimensions.

    Args:
      a: A `Tensor` of any type and shape [..., rows, columns].
      name: Name of the scope (optional).
      conjugate: Whether to conjugate complex elements too.

    Returns:
      A `Tensor` of the type of `a` and shape [..., columns, rows].

    Raises:
      ValueError: `a` has fewer than two dimensions.

    Example:

    >>> print(tf.matrix_transpose(tf.zeros([5, 2, 3])).shape)
    (5, 3, 2)
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        if a.dims is not None:
            n = len(a.dims)
            if n < 2:
                raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {a.shape}")
            perm = [*range(n - 2), n - 1, n - 2]
        else:
            n = array_ops.rank(a)
            two = array_join.stack([n - 1, n - 2])
            perm = array_join.concat([constants.range(0, n - 2, 1), two], 0)
        return array_ops.transpose(a, perm, conjugate=conjugate)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    """An identity matrix, or a batch of them.

    Args:
      num_rows: Number of rows, an int or int32 scalar.
      num_columns: Number of columns; `num_rows` by default.
      batch_shape: Shape of the batch, a list of ints or an int32 vector; by default there is none.
      dtype: The `DType` of the elements.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape batch_shape + [num_rows, num_columns].

    Raises:
      ValueError: A size is negative.

    Example:

    >>> print(sess.run(tf.eye(2, 3)))
    [[1. 0. 0.]
     [0. 1. 0.]]
    """
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]) as scope:
        square = num_columns is None
        num_columns = num_rows if square else num_columns
        if not all(isinstance(n, (int, np.integer, Dimension, Tensor)) for n in (num_rows, num_columns)):
            raise TypeError(
                "Arguments `num_rows` and `num_columns` must be positive integer values. "
                f"Received: num_rows={num_rows}, num_columns={num_columns}"
            )
        batch = [] if batch_shape is None else batch_shape
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            minimum = get_op_def("Minimum")
            smaller = num_rows if square else minimum(num_rows, num_columns)
            ends = [array_ops.expand_dims(smaller, 0)], [array_join.stack([num_rows, num_columns])]
        else:
            ends = [[min(int(num_rows), int(num_columns))]], [[int(num_rows), int(num_columns)]]
        if isinstance(batch, Tensor) or any(isinstance(e[0], Tensor) for e in ends):
            parts = [convert_to_tensor(batch, dtype=dtypes.int32)]
            diagonal, full = (array_join.concat(parts + e, 0) for e in ends)
        else:
            diagonal, full = (list(batch) + e[0] for e in ends)
        ones_on_it = constants.ones(diagonal, dtype)
        if square:
            return matrix_diag(ones_on_it, name=scope)
        return matrix_set_diag(constants.zeros(full, dtype), ones_on_it, name=scope)
