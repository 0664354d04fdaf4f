"""A sparse and a dense tensor element by element: SparseTensorDenseAdd, SparseDenseCwiseMul and others."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.shapes import same_as_input, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor

SparseTensorDenseAdd = define_op(
    "SparseTensorDenseAdd",
    inputs=["a_indices: Tindices", "a_values: T", "a_shape: Tindices", "b: T"],
    outputs=["output: T"],
    attrs=["T: numbertype", "Tindices: {int32, int64}"],
    shape=same_as_input(3),
    doc="The sum of a sparse and a dense tensor, dense.",
)


@gradient("SparseTensorDenseAdd")
def _dense_add_grad(op, grad):
    return None, get_op_def("GatherNd")(grad, op.inputs[0]), None, grad


def _cwise_shape(op):
    return [with_rank(op.inputs[0].dims, 2)[:1]]


def _define(name, doc):
    return define_op(
        name,
        inputs=["sp_indices: int64", "sp_values: T", "sp_shape: int64", "dense: T"],
        outputs=["output: T"],
        attrs=["T: numbertype"],
        shape=_cwise_shape,
        doc=f"{doc} of a sparse tensor's elements and the dense ones at their places; the dense tensor is broadcast.",
    )


SparseDenseCwiseAdd = _define("SparseDenseCwiseAdd", "The sum")
SparseDenseCwiseMul = _define("SparseDenseCwiseMul", "The product")
SparseDenseCwiseDiv = _define("SparseDenseCwiseDiv", "The quotient")


@gradient("SparseDenseCwiseAdd")
def _cwise_add_grad(op, _):
    raise NotImplementedError("Gradient for SparseDenseCwiseAdd is not implemented.")


def _dense_places(op):
    """The dense shape with the sparse tensor's rank, and the indices there: 0 where an element is repeated."""
    indices, _, shape, dense = op.inputs
    raw = get_op_def
    sizes = array_ops.shape(dense, out_type=dtypes.int64)
    more = array_ops.expand_dims(array_ops.size(shape) - array_ops.size(sizes), 0)
    ones = constants.Fill(more, constants.ones([], dtypes.int64))
    sizes = array_join.concat([ones, sizes], 0)
    return indices * raw("Cast")(raw("Equal")(sizes, shape), DstT=dtypes.int64), sizes


@gradient("SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def _cwise_grad(op, grad):
    """For x y: dx = y dz, dy = x dz; for x / y: dx = dz / y, dy = -x dz / y^2; repeated elements of y add up."""
    raw = get_op_def
    _, x, _, dense = op.inputs
    places, sizes = _dense_places(op)
    y = raw("GatherNd")(array_ops.reshape(dense, sizes), places)
    if op.type == "SparseDenseCwiseMul":
        of_x, of_y = grad * y, grad * x
    else:
        of_x = grad / y
        of_y = -x * of_x / y
    total = raw("ScatterNd")(places, of_y, sizes)
    return None, of_x, None, array_ops.reshape(total, array_ops.shape(dense))


# ---- Operators of SparseTensor: with a dense operand, which is broadcast


def _values(op_def, x, y, name):
    return SparseTensor(x.indices, op_def(*x.components(), y, name=name), x.dense_shape)


def _multiply(x, y):
    with name_scope(None, "mul", [*x.components(), y]) as scope:
        return _values(SparseDenseCwiseMul, x, convert_to_tensor(y, x.dtype.base_dtype, name="y"), scope)


def _multiply_reversed(y, x):
    return _multiply(y, x) if isinstance(x, Tensor) else NotImplemented


def _divide(x, y):
    with name_scope(None, "div", [*x.components(), y]) as scope:
        return _values(SparseDenseCwiseDiv, x, convert_to_tensor(y, x.dtype.base_dtype, name="y"), scope)


def _true_divide(x, y):
    """Integers are divided as float32, or as float64 if they have 32 bits or more."""
    with name_scope(None, "truediv", [*x.components(), y]) as scope:
        y = convert_to_tensor(y, x.dtype.base_dtype, name="y")
        if x.dtype.is_integer:
            wide = dtypes.float64 if x.dtype.size >= 4 else dtypes.float32
            x, y = x.with_values(get_op_def("Cast")(x.values, DstT=wide)), get_op_def("Cast")(y, DstT=wide)
        return _values(SparseDenseCwiseDiv, x, y, scope)


def _install_operators():
    SparseTensor.__mul__ = _multiply
    SparseTensor.__rmul__ = _multiply_reversed
    SparseTensor.__div__ = _divide
    SparseTensor.__truediv__ = _true_divide


_install_operators()
