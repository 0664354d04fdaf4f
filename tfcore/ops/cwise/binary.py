"""Element-wise functions of two tensors that broadcast, and the arithmetic operators of Tensor."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.broadcast import unbroadcast

_FLOATS = "bfloat16, half, float, double"
_COMPLEX = "complex64, complex128"
_INTEGERS = "uint8, int8, uint16, int16, int32, int64, uint32, uint64"
_ALL = f"{_FLOATS}, {_INTEGERS}, {_COMPLEX}"


def _define(name, types, doc, commutative=False, inputs=("x: T", "y: T")):
    return define_op(
        name,
        inputs=list(inputs),
        outputs=["z: T"],
        attrs=[f"T: {{{types}}}"],
        shape=shapes.broadcast,
        commutative=commutative,
        doc=doc,
    )


_FC = f"{_FLOATS}, {_COMPLEX}"
Add = _define(
    "Add",
    "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string",
    "x + y; strings are concatenated.",
)
AddV2 = _define("AddV2", _ALL, "x + y.", commutative=True)
Sub = _define("Sub", _ALL, "x - y.")
Mul = _define("Mul", _ALL, "x * y.", commutative=True)
MulNoNan = _define("MulNoNan", _FC, "x * y, 0 where y is 0 even if x is infinite or NaN.")
Div = _define("Div", _ALL, "x / y; integers truncate.")
DivNoNan = _define("DivNoNan", _FC, "x / y, 0 where y is 0.")
RealDiv = _define("RealDiv", _ALL, "x / y for real types.")
TruncateDiv = _define("TruncateDiv", _ALL, "x / y rounded towards zero.")
FloorDiv = _define("FloorDiv", _ALL, "x / y rounded down.")
Mod = _define("Mod", "int32, int64, half, bfloat16, float, double", "Remainder of truncating division.")
TruncateMod = _define("TruncateMod", "int32, int64, bfloat16, half, float, double", "Remainder of truncating division.")
FloorMod = _define("FloorMod", f"{_INTEGERS}, {_FLOATS}", "Remainder of flooring division: it has the sign of y.")
Maximum = _define("Maximum", f"{_FLOATS}, {_INTEGERS}", "The larger of x and y; NaN if either is.")
Minimum = _define("Minimum", f"{_FLOATS}, {_INTEGERS}", "The smaller of x and y; NaN if either is.")
Pow = _define("Pow", f"{_FLOATS}, int8, int16, int32, int64, {_COMPLEX}", "x to the power y.")
SquaredDifference = _define(
    "SquaredDifference", f"{_FLOATS}, int32, int64, {_COMPLEX}", "(x - y)(x - y)", commutative=True
)
Atan2 = _define("Atan2", _FLOATS, "Angle of the point (x, y).", inputs=("y: T", "x: T"))
Xlogy = _define("Xlogy", _FC, "x * log(y), 0 where x is 0.")
Xlog1py = _define("Xlog1py", _FC, "x * log1p(y), 0 where x is 0.")
Xdivy = _define("Xdivy", _FC, "x / y, 0 where x is 0.")

not_differentiable("FloorDiv", "TruncateDiv")


# ---- Gradients: in the broadcast shape first, then summed to the shapes of x and y.


def _conj_both(op):
    x, y = op.inputs
    if x.dtype.is_complex:
        conj = get_op_def("Conj")
        return conj(x), conj(y)
    return x, y


@gradient("Add", "AddV2")
def _add_grad(op, grad):
    return unbroadcast(*op.inputs, grad, grad)


@gradient("Sub")
def _sub_grad(op, grad):
    return unbroadcast(*op.inputs, grad, -grad)


@gradient("Mul")
def _mul_grad(op, grad):
    x, y = _conj_both(op)
    return unbroadcast(*op.inputs, Mul(grad, y), Mul(x, grad))


@gradient("MulNoNan")
def _mul_no_nan_grad(op, grad):
    x, y = _conj_both(op)
    return unbroadcast(*op.inputs, MulNoNan(grad, y), MulNoNan(x, grad))


@gradient("Div", "RealDiv")
def _div_grad(op, grad):
    x, y = _conj_both(op)
    divide = get_op_def(op.type)
    by_x = divide(grad, y)
    return unbroadcast(*op.inputs, by_x, Mul(grad, divide(divide(-x, y), y)))


@gradient("DivNoNan")
def _div_no_nan_grad(op, grad):
    x, y = _conj_both(op)
    return unbroadcast(*op.inputs, DivNoNan(grad, y), Mul(grad, DivNoNan(DivNoNan(-x, y), y)))


@gradient("Xdivy")
def _xdivy_grad(op, grad):
    x, y = _conj_both(op)
    not_zero = _not_zero(x)
    return unbroadcast(*op.inputs, Mul(grad, Xdivy(not_zero, y)), Mul(grad, Xdivy(-x, Mul(y, y))))


@gradient("Xlogy")
def _xlogy_grad(op, grad):
    x, y = _conj_both(op)
    return unbroadcast(*op.inputs, Mul(grad, Xlogy(_not_zero(x), y)), Mul(grad, Xdivy(x, y)))


@gradient("Xlog1py")
def _xlog1py_grad(op, grad):
    x, y = _conj_both(op)
    return unbroadcast(*op.inputs, Mul(grad, Xlog1py(_not_zero(x), y)), Mul(grad, Xdivy(x, y + 1.0)))


def _not_zero(x):
    """1 where x is not 0, else 0."""
    return get_op_def("Cast")(get_op_def("NotEqual")(x, get_op_def("ZerosLike")(x)), x.dtype)


@gradient("FloorMod")
def _floor_mod_grad(op, grad):
    x, y = op.inputs
    return unbroadcast(x, y, grad, -Mul(grad, FloorDiv(x, y)))


@gradient("Mod", "TruncateMod")
def _truncate_mod_grad(op, grad):
    x, y = op.inputs
    return unbroadcast(x, y, grad, -Mul(grad, TruncateDiv(x, y)))


def _choose_grad(op, grad, mask):
    zeros = get_op_def("ZerosLike")(grad)
    select = get_op_def("Select")
    return unbroadcast(*op.inputs, select(mask, grad, zeros), select(mask, zeros, grad))


@gradient("Maximum")
def _maximum_grad(op, grad):
    return _choose_grad(op, grad, get_op_def("GreaterEqual")(*op.inputs))


@gradient("Minimum")
def _minimum_grad(op, grad):
    return _choose_grad(op, grad, get_op_def("LessEqual")(*op.inputs))


@gradient("SquaredDifference")
def _squared_difference_grad(op, grad):
    x, y = op.inputs
    if grad.dtype.is_complex:  # the result, |x - y|^2, has no imaginary part to depend on
        twice = AddV2(grad, get_op_def("Conj")(grad))
    else:
        twice = Mul(convert_to_tensor(2, dtype=grad.dtype), grad)
    by_x = Mul(twice, Sub(x, y))
    return unbroadcast(x, y, by_x, -by_x)


@gradient("Pow")
def _pow_grad(op, grad):
    x, y = _conj_both(op)
    z = op.outputs[0]
    if z.dtype.is_complex:
        z = get_op_def("Conj")(z)
    by_x = Mul(Mul(grad, y), Pow(x, Sub(y, convert_to_tensor(1, dtype=y.dtype))))
    # Where the logarithm is undefined, x ** y has no derivative by y: pass 0.
    zeros, ones = get_op_def("ZerosLike")(x), get_op_def("OnesLike")(x)
    defined = get_op_def("NotEqual" if x.dtype.is_complex else "Greater")(x, zeros)
    select, log = get_op_def("Select"), get_op_def("Log")
    log_x = select(defined, log(select(defined, x, ones)), zeros)
    return unbroadcast(*op.inputs, by_x, Mul(Mul(grad, z), log_x))


@gradient("Atan2")
def _atan2_grad(op, grad):
    y, x = op.inputs
    scaled = RealDiv(grad, AddV2(Mul(x, x), Mul(y, y)))
    return unbroadcast(y, x, Mul(x, scaled), Mul(-y, scaled))


# ---- The public functions.


@described(
    Add,
    example="""
>>> print(sess.run(tf.add([1, 2], 10)))
[11 12]
""",
)
def add(x, y, name=None):
    """x + y, element by element with broadcasting; also concatenates strings."""
    return Add(x, y, name=name)


@described(
    Sub,
    example="""
>>> print(sess.run(tf.subtract([1, 2], 1)))
[0 1]
""",
)
def subtract(x, y, name=None):
    """x - y, element by element with broadcasting."""
    return Sub(x, y, name=name)


@described(
    Mul,
    example="""
>>> print(sess.run(tf.multiply([1, 2], [3, 4])))
[3 8]
""",
)
def multiply(x, y, name=None):
    """x * y, element by element with broadcasting."""
    return Mul(x, y, name=name)


def scalar_mul(scalar, x, name=None):
    """A scalar times a tensor; sparse gradients remain sparse.

    Args:
      scalar: A scalar of the type of `x`.
      x: A `Tensor` or `IndexedSlices`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` (or `IndexedSlices`) of the type and shape of `x`.

    Raises:
      ValueError: `scalar` is not a scalar.
      AttributeError: `x` has no dtype.

    Example:

    >>> print(sess.run(tf.scalar_mul(2.0, tf.constant([1.0, 2.0]))))
    [2. 4.]
    """
    scalar = convert_to_tensor(scalar, dtype=dtypes.as_dtype(x.dtype).base_dtype, name="scalar")
    if scalar.dims is not None and len(scalar.dims) != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(Mul(scalar, x.values, name=name), x.indices, x.dense_shape)
    return Mul(scalar, x, name=name)


def truediv(x, y, name=None):
    """x / y as Python 3 divides: integers are converted to floating point first.

    Args:
      x: A `Tensor` of a floating-point, integer or complex type.
      y: A `Tensor` of the type of `x`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`: of the type of `x` if that is not an integer, float32 for integers of up to 16 bits, else float64.

    Raises:
      TypeError: `x` and `y` have different types.
      ValueError: Their static shapes don't broadcast.

    Example:

    >>> print(sess.run(tf.truediv([1, 2], 2)))
    [0.5 1. ]
    """
    with name_scope(name, "truediv", [x, y]) as scope:
        x, y = _same_type(x, y)
        target = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
        if target is not None:
            cast = get_op_def("Cast")
            x, y = cast(x, target), cast(y, target)
        return RealDiv(x, y, name=scope)


_TRUEDIV_TYPES = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


def _same_type(x, y):
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y", preferred_dtype=x.dtype.base_dtype)
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError(f"x and y must have the same dtype, got {x.dtype!r} != {y.dtype!r}")
    return x, y


def divide(x, y, name=None):
    """x / y as Python 3 divides: integers are converted to floating point first.

    Args:
      x: A `Tensor` of a floating-point, integer or complex type.
      y: A `Tensor` of the type of `x`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`: of the type of `x` if that is not an integer, float32 for integers of up to 16 bits, else float64.

    Raises:
      TypeError: `x` and `y` have different types.
      ValueError: Their static shapes don't broadcast.

    Example:

    >>> print(sess.run(tf.divide([1, 2], 2)))
    [0.5 1. ]
    """
    if name is not None or not (hasattr(x, "dtype") and hasattr(x, "op")):
        return truediv(x, y, name=name)
    return x / y


def div(x, y, name=None):
    """x / y as Python 2 divides: integers are rounded towards negative infinity.

    Deprecated: use `divide` or `floordiv`.

    Args:
      x: A `Tensor` of a floating-point, integer or complex type.
      y: A `Tensor` of the type of `x`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      TypeError: `x` and `y` have different types.
      ValueError: Their static shapes don't broadcast.
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.

    Example:

    >>> print(sess.run(tf.div([7, -7], 2)), sess.run(tf.div([1.0], 2.0)))
    [ 3 -4] [0.5]
    """
    with name_scope(name, "div", [x, y]) as scope:
        x, y = _same_type(x, y)
        if x.dtype.is_floating or x.dtype.is_complex:
            return RealDiv(x, y, name=scope)
        return FloorDiv(x, y, name=scope)


@described(
    DivNoNan,
    example="""
>>> print(sess.run(tf.div_no_nan([1.0, 2.0], [0.0, 4.0])))
[0.  0.5]
""",
)
def div_no_nan(x, y, name=None):
    """x / y, and 0 where y is 0."""
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        x, y = _same_type(x, y)
        return DivNoNan(x, y, name=scope)


divide_no_nan = div_no_nan


@described(MulNoNan)
def multiply_no_nan(x, y, name=None):
    """x * y, and 0 where y is 0 even if x is infinite or NaN."""
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x, y = _same_type(x, y)
        return MulNoNan(x, y, name=scope)


@described(
    FloorDiv,
    example="""
>>> print(sess.run(tf.floordiv([7, -7], 2)))
[ 3 -4]
""",
)
def floordiv(x, y, name=None):
    """x // y as in Python: rounded towards negative infinity.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.
    """
    with name_scope(name, "floordiv", [x, y]) as scope:
        return FloorDiv(x, y, name=scope)


@described(FloorDiv)
def floor_div(x, y, name=None):
    """x // y as in Python: rounded towards negative infinity.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.
    """
    return FloorDiv(x, y, name=name)


@described(
    RealDiv,
    example="""
>>> print(sess.run(tf.realdiv([1.0, 2.0], 2.0)))
[0.5 1. ]
""",
)
def realdiv(x, y, name=None):
    """x / y, element by element with broadcasting."""
    return RealDiv(x, y, name=name)


@described(TruncateDiv)
def truncatediv(x, y, name=None):
    """x / y, rounded towards zero as in C.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.
    """
    return TruncateDiv(x, y, name=name)


@described(TruncateMod)
def truncatemod(x, y, name=None):
    """The remainder of `truncatediv`, with the sign of x.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.
    """
    return TruncateMod(x, y, name=name)


@described(
    FloorMod,
    example="""
>>> print(sess.run(tf.floormod([7, -7], 3)))
[1 2]
""",
)
def floormod(x, y, name=None):
    """x % y as in Python: the result has the sign of y.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer is divided by 0.
    """
    return FloorMod(x, y, name=name)


mod = floormod


@described(
    Maximum,
    example="""
>>> print(sess.run(tf.maximum([1, 5], 3)))
[3 5]
""",
)
def maximum(x, y, name=None):
    """The larger of x and y, element by element; NaN if either is."""
    return Maximum(x, y, name=name)


@described(
    Minimum,
    example="""
>>> print(sess.run(tf.minimum([1, 5], 3)))
[1 3]
""",
)
def minimum(x, y, name=None):
    """The smaller of x and y, element by element; NaN if either is."""
    return Minimum(x, y, name=name)


@described(
    Pow,
    example="""
>>> print(sess.run(tf.pow([2, 3], 3)))
[ 8 27]
""",
)
def pow(x, y, name=None):  # noqa: A001  named as in TensorFlow
    """x ** y, element by element with broadcasting.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an integer has a negative exponent.
    """
    with name_scope(name, "Pow", [x]) as scope:
        return Pow(x, y, name=scope)


@described(
    SquaredDifference,
    example="""
>>> print(sess.run(tf.squared_difference([1, 5], 3)))
[4 4]
""",
)
def squared_difference(x, y, name=None):
    """(x - y) ** 2, element by element; complex numbers: (x - y) conj(x - y)."""
    return SquaredDifference(x, y, name=name)


@described(Atan2)
def atan2(y, x, name=None):
    """The angle of the point (x, y) in (-pi, pi]."""
    return Atan2(y, x, name=name)


@described(Xlogy)
def xlogy(x, y, name=None):
    """x * log(y), 0 where x is 0."""
    return Xlogy(x, y, name=name)


@described(Xlog1py)
def xlog1py(x, y, name=None):
    """x * log1p(y), 0 where x is 0."""
    return Xlog1py(x, y, name=name)


@described(Xdivy)
def xdivy(x, y, name=None):
    """x / y, 0 where x is 0."""
    return Xdivy(x, y, name=name)


# ---- Operators of Tensor. Python values take the tensor's type where they can.


def _add_any(x, y, name):
    return (Add if x.dtype.base_dtype is dtypes.string else AddV2)(x, y, name=name)


def install_binary_operator(symbol, name, function):
    """Makes Tensor's `__symbol__` and `__rsymbol__` from function(x, y, name)."""

    def operator(x, y):
        if type(y) is Tensor:
            return function(x, y, name)
        with name_scope(None, name, [x, y]) as scope:
            try:
                y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name="y")
            except TypeError:
                if hasattr(type(y), f"__r{symbol}__"):
                    return NotImplemented
                raise
            return function(x, y, scope)

    def reversed_operator(y, x):
        with name_scope(None, name, [x, y]) as scope:
            return function(convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x"), y, scope)

    Tensor._override_operator(f"__{symbol}__", operator)
    Tensor._override_operator(f"__r{symbol}__", reversed_operator)


def _install_operators():
    install_binary_operator("add", "add", _add_any)
    install_binary_operator("sub", "sub", lambda x, y, name: Sub(x, y, name=name))
    install_binary_operator("mul", "mul", lambda x, y, name: Mul(x, y, name=name))
    install_binary_operator("div", "div", div)
    install_binary_operator("truediv", "truediv", truediv)
    install_binary_operator("floordiv", "floordiv", lambda x, y, name: FloorDiv(x, y, name=name))
    install_binary_operator("mod", "mod", lambda x, y, name: FloorMod(x, y, name=name))
    install_binary_operator("pow", "pow", lambda x, y, name: Pow(x, y, name=name))
    install_binary_operator("matmul", "matmul", _matmul)


def _matmul(x, y, name):
    from tfcore.ops.linalg.matmul import matmul

    return matmul(x, y, name=name)


_install_operators()
