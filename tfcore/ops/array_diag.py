"""Diagonals and bands of matrices."""

import tfcore.ops.array as array_ops
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.op_def import define_op, gradient
from tfcore.framework.shapes import merge

__all__ = [
    "diag", "diag_part", "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag", "matrix_transpose",
]  # fmt: skip
__linalg__ = {
    "band_part": "matrix_band_part",
    "diag": "matrix_diag",
    "diag_part": "matrix_diag_part",
    "set_diag": "matrix_set_diag",
    "tensor_diag": "diag",
    "tensor_diag_part": "diag_part",
    "matrix_transpose": "matrix_transpose",
}

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


def _band_shape(op):
    _part_dims(op.inputs[0].dims)
    return [op.inputs[0].dims]


MatrixBandPart = define_op(
    "MatrixBandPart",
    inputs=["input: T", "num_lower: Tindex", "num_upper: Tindex"],
    outputs=["band: T"],
    attrs=["T: type", "Tindex: {int32, int64} = DT_INT64"],
    shape=_band_shape,
    doc="Matrices with zeros outside a band around the diagonal; a negative width keeps that triangle.",
)

# The first version's names.
for _name, _inputs, _output, _shape in (
    ("MatrixDiag", ["diagonal: T"], "output: T", _matrix_diag_shape),
    ("MatrixDiagPart", ["input: T"], "diagonal: T", MatrixDiagPart.shape_fn),
    ("MatrixSetDiag", ["input: T", "diagonal: T"], "output: T", _matrix_set_diag_shape),
    ("MatrixBandPart", ["input: T", "num_lower: int64", "num_upper: int64"], "band: T", _band_shape),
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
    import tfcore.ops.constants as constants

    x = op.inputs[0]
    if x.dims is not None and x.dims[-1] is not None and x.dims[-1] == x.dims[-2]:
        return MatrixDiag(grad)
    return MatrixSetDiag(constants.zeros_like(x), grad)


@gradient("MatrixSetDiag", "BatchMatrixSetDiag")
def _matrix_set_diag_grad(op, grad):
    import tfcore.ops.constants as constants

    return MatrixSetDiag(grad, constants.zeros_like(op.inputs[1])), MatrixDiagPart(grad)


@gradient("MatrixBandPart", "BatchMatrixBandPart")
def _matrix_band_part_grad(op, grad):
    return MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None


def diag(diagonal, name=None):
    """A tensor of twice the rank with the given diagonal, zero elsewhere."""
    return Diag(diagonal, name=name)


def diag_part(input, name=None):
    """The diagonal of a tensor of even rank: result[i...] = input[i..., i...]."""
    return DiagPart(input, name=name)


def matrix_diag(diagonal, name=None):
    """Matrices with the given main diagonals, zero elsewhere."""
    return MatrixDiag(diagonal, name=name or "MatrixDiag")


def matrix_diag_part(input, name=None):
    """Main diagonals of matrices."""
    return MatrixDiagPart(input, name=name or "MatrixDiagPart")


def matrix_set_diag(input, diagonal, name=None):
    """Matrices with their main diagonals replaced."""
    return MatrixSetDiag(input, diagonal, name=name or "MatrixSetDiag")


def matrix_band_part(input, num_lower, num_upper, name=None):
    """Matrices with zeros outside a band around the diagonal; a negative width keeps that triangle."""
    return MatrixBandPart(input, num_lower, num_upper, name=name)


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Exchanges the last two dimensions."""
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        if a.dims is not None:
            n = len(a.dims)
            if n < 2:
                raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {a.shape}")
            perm = [*range(n - 2), n - 1, n - 2]
        else:
            import tfcore.ops.constants as constants

            n = array_ops.rank(a)
            two = array_ops.stack([n - 1, n - 2])
            perm = array_ops.concat([constants.range(0, n - 2, 1), two], 0)
        return array_ops.transpose(a, perm, conjugate=conjugate)
