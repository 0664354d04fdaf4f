"""Assertions in the graph: Assert, Print and the tf.assert_* functions.

An assertion whose operands are known when the graph is built is checked then; it fails with the same text as a failing
run.
"""

import numpy as np

from tfcore.framework import errors
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.paragraphs import documented_with
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import shape_of
from tfcore.framework.values.constant import constant_value_without_folding
from tfcore.framework.values.conversion import convert_n_to_tensor, convert_to_tensor
from tfcore.ops.control_flow import control

_AssertOp = define_op(
    "Assert",
    inputs=["condition: bool", "data: T"],
    attrs=["T: list(type)", "summarize: int = 3"],
    stateful=True,
    doc="Fails with the first `summarize` elements of each tensor in `data` unless `condition` holds.",
)
not_differentiable("Assert")


define_op(
    "_CheckBroadcast",
    inputs=["x: Tx", "y: Ty"],
    attrs=["Tx: type", "Ty: type"],
    stateful=True,
    doc="Fails if x and y, of different ranks, would both be repeated by broadcasting: see tf.strict_broadcasting.",
)
not_differentiable("_CheckBroadcast")


_PrintOp = define_op(
    "Print",
    inputs=["input: T", "data: U"],
    outputs=["output: T"],
    attrs=[
        "T: type",
        "U: list(type) >= 0",
        'message: string = ""',
        "first_n: int = -1",
        "summarize: int = 3",
    ],
    shape=shapes.unchanged,
    stateful=True,
    doc="Forwards `input` and prints `data` to standard error, the first `first_n` times.",
)


@gradient("Print")
def _print_grad(op, grad):
    return [grad] + [None] * (len(op.inputs) - 1)


def _call(op_type, *inputs, **attrs):
    """Adds an op of another family."""
    return get_op_def(op_type)(*inputs, **attrs)


def Assert(condition, data, summarize=None, name=None):
    """An operation that fails with InvalidArgumentError unless `condition` is true.

    Args:
      condition: A boolean scalar.
      data: Tensors to print when it fails.
      summarize: How many elements of each to print; 3 by default.
      name: Name of the operation (optional).

    Returns:
      The `Operation` that checks.

    Raises:
      InvalidArgumentError: `condition` is false: raised when the graph is built if it is known then, else by the run.
    """
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
        raise TypeError("values must be a sequence.")
    summarize = 3 if summarize is None else summarize
    with name_scope(name, "Assert", [condition, *data]):
        data = convert_n_to_tensor(data)
        condition = convert_to_tensor(condition, name="Condition")
        return _AssertOp(condition, data, summarize=summarize, name="Assert")


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """Passes `input_` on; when it is evaluated, prints `message` and `data` to standard error.

    Args:
      input_: A `Tensor`.
      data: Tensors to print.
      message: Text to print first.
      first_n: How many times to print; each time by default.
      summarize: How many elements of each to print; 3 by default.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`: `input_`.

    Raises:
      ValueError: `data` is empty.
    """
    message = "" if message is None else message
    first_n = -1 if first_n is None else first_n
    summarize = 3 if summarize is None else summarize
    return _PrintOp(input_, data, message=message, first_n=first_n, summarize=summarize, name=name)


# ---- Comparisons.


def _assert_static(condition, data):
    """Raises if the condition is known to be false; `data` as for the op."""
    if condition is not None and not condition:
        lines = [str(_static(x)) for x in data]
        raise errors.InvalidArgumentError(None, None, "\n".join(lines))


def _static(value):
    known = constant_value_without_folding(value) if isinstance(value, Tensor) else value
    known = value if known is None else known
    return known.decode() if isinstance(known, bytes) else known


documented = documented_with(
    {
        "about_x": """
          Args:
            x: A numeric `Tensor`.
            {text}

          {check}
        """,
        "about_x_and_y": """
          Args:
            x: A numeric `Tensor`.
            y: A `Tensor` of the type of `x`, of a shape that broadcasts with it.
            {text}

          {check}
        """,
        "text": """
          data: Tensors to print when it fails; by default the values and a text.
          summarize: How many elements of each to print; 3 by default.
          message: Beginning of the error text.
          name: Name of the operation (optional).
        """,
        "operation": """
          Returns:
            The `Operation` that checks; run it, or make others depend on it.
        """,
        "check": """
          {operation}

          Raises:
            InvalidArgumentError: It fails: raised when the graph is built if the values are known then, else by the
              run.
        """,
    }
)


def _binary_assert(sign, op_type, static, x, y, data, summarize, message, name):
    default = f"assert_{_NAMES[sign]}"
    with name_scope(name, default, [x, y, *(data or ())]):
        x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
        condition = _call(op_type, x, y)  # refuses types that differ
        if data is None:
            data = [
                f"Condition x {sign} y did not hold element-wise:",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        if message is not None:
            data = [message, *data]
        x_static, y_static = constant_value_without_folding(x), constant_value_without_folding(y)
        if x_static is not None and y_static is not None:
            _assert_static(bool(np.all(static(x_static, y_static))), data)
        return Assert(_all(condition), data, summarize=summarize)


_NAMES = {
    "==": "equal",
    "!=": "none_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


def _convert_pair(x, y):
    """Two tensors of one type; values take the type of the argument that is already a tensor."""
    if isinstance(y, Tensor) and not isinstance(x, Tensor):
        y = convert_to_tensor(y, name="y")
        return convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x"), y
    x = convert_to_tensor(x, name="x")
    return x, convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")


def _all(condition):
    axes = _call("Range", 0, _call("Rank", condition), 1)
    if condition.dims is not None:
        axes = convert_to_tensor(np.arange(len(condition.dims), dtype=np.int32), name="Const")
    return _call("All", condition, axes, name="All")


@documented
def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x == y` holds for all elements.

    {about_x_and_y}

    Example:

    >>> x = tf.placeholder(tf.float32, [2])
    >>> with tf.control_dependencies([tf.assert_equal(x, x)]):
    ...     y = tf.identity(x)
    >>> print(sess.run(y, {x: [1.0, 2.0]}))
    [1. 2.]
    """
    return _binary_assert("==", "Equal", np.equal, x, y, data, summarize, message, name)


@documented
def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x != y` holds for all elements.

    {about_x_and_y}
    """
    return _binary_assert("!=", "NotEqual", np.not_equal, x, y, data, summarize, message, name)


@documented
def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x < y` holds for all elements.

    {about_x_and_y}
    """
    return _binary_assert("<", "Less", np.less, x, y, data, summarize, message, name)


@documented
def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x <= y` holds for all elements.

    {about_x_and_y}
    """
    return _binary_assert("<=", "LessEqual", np.less_equal, x, y, data, summarize, message, name)


@documented
def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x > y` holds for all elements.

    {about_x_and_y}
    """
    return _binary_assert(">", "Greater", np.greater, x, y, data, summarize, message, name)


@documented
def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x >= y` holds for all elements.

    {about_x_and_y}
    """
    op = "GreaterEqual"
    return _binary_assert(">=", op, np.greater_equal, x, y, data, summarize, message, name)


def _sign_assert(sign, assertion, swapped, x, data, summarize, message, name):
    """Compares with zero; `swapped` puts zero on the left, as in TensorFlow's graphs."""
    with name_scope(name, f"assert_{_SIGN_NAMES[sign]}", [x, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        if data is None:
            text = f"Condition x {sign} 0 did not hold element-wise:"
            data = [message or "", text, f"x ({x.name}) = ", x]
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype)
        operands = (zero, x) if swapped else (x, zero)
        return assertion(*operands, data=data, summarize=summarize)


_SIGN_NAMES = {"<": "negative", ">": "positive", ">=": "non_negative", "<=": "non_positive"}


@documented
def assert_negative(x, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless all elements are negative.

    {about_x}
    """
    return _sign_assert("<", assert_less, False, x, data, summarize, message, name)


@documented
def assert_positive(x, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless all elements are positive.

    {about_x}
    """
    return _sign_assert(">", assert_less, True, x, data, summarize, message, name)


@documented
def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless all elements are >= 0.

    {about_x}
    """
    return _sign_assert(">=", assert_less_equal, True, x, data, summarize, message, name)


@documented
def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless all elements are <= 0.

    {about_x}
    """
    return _sign_assert("<=", assert_less_equal, False, x, data, summarize, message, name)


@documented
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless |x - y| < atol + rtol * |y| holds for all elements.

    The default tolerances are ten times the epsilon of the type.

    Args:
      x: A numeric `Tensor`.
      y: A `Tensor` of the type of `x`, of a shape that broadcasts with it.
      rtol: Relative tolerance, a scalar.
      atol: Absolute tolerance, a scalar.
      {text}

    {check}
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol, *(data or ())]):
        x, y = _convert_pair(x, y)
        default = 10 * float(np.finfo(_at_least_16_bits(x.dtype)).eps)
        real = x.dtype.real_dtype.base_dtype
        rtol = convert_to_tensor(default if rtol is None else rtol, name="rtol", dtype=real)
        atol = convert_to_tensor(default if atol is None else atol, name="atol", dtype=real)
        if data is None:
            data = [
                message or "",
                f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        tolerance = atol + rtol * _magnitude(y)
        return Assert(_all(_call("Less", _magnitude(x - y), tolerance)), data, summarize=summarize)


def _at_least_16_bits(dtype):
    return np.float16 if dtype.name == "bfloat16" else dtype.as_numpy_dtype


def _magnitude(x):
    return _call("ComplexAbs", x) if x.dtype.is_complex else _call("Abs", x)


# ---- Ranks, types, shapes.


def _rank_assert(default, words, x, ranks, static_ok, dynamic_ok, data, summarize, message, name):
    """Checks a rank statically if it is known, otherwise in each run.

    words: "have rank", ...; ranks: the tensor with the wanted rank, or several; static_ok(rank, wanted) and
    dynamic_ok(rank tensor, ranks): whether it is right.
    """
    message = message or ""
    x = convert_to_tensor(x, name="x")
    wanted = [constant_value_without_folding(r) for r in ranks]
    rank = None if x.dims is None else len(x.dims)
    if rank is not None and all(w is not None for w in wanted):
        wanted = [int(w) for w in wanted]
        if static_ok(rank, wanted):
            return control.no_op(name="static_checks_determined_all_ok")
        prefix = f"{message}.  " if message else ""
        shown = wanted[0] if default != "assert_rank_in" else tuple(wanted)
        raise ValueError(
            f"{prefix}Tensor {x.name} must {words} {shown}.  Received rank {rank}, shape {shape_of(x.dims)}"
        )
    if data is None:
        prefix = f"{message}.  " if message else ""
        text = f"Tensor {x.name} must {words}"
        data = [prefix, text, *ranks, "Received shape: ", _call("Shape", x)]
    condition = dynamic_ok(_call("Rank", x), ranks)
    return Assert(condition, data, summarize=summarize)


def _rank_tensor(rank, name="rank"):
    """A rank as an int32 scalar tensor, checked if its shape or value is known."""
    rank = convert_to_tensor(rank, name=name)
    assert_type(rank, dtypes.int32)
    if rank.dims is not None and len(rank.dims) != 0:
        raise ValueError("Rank must be a scalar.")
    return rank


@documented
def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x` has the given rank.

    Args:
      x: A `Tensor`.
      rank: A scalar integer.
      {text}

    {operation}

    Raises:
      ValueError: The static rank is another one.
      InvalidArgumentError: The rank at a run is another one.
    """
    with name_scope(name, "assert_rank", [x, *(data or ())]):
        return _rank_assert(
            "assert_rank",
            "have rank",
            x,
            [_rank_tensor(rank)],
            lambda rank, wanted: rank == wanted[0],
            lambda rank, ranks: _call("Equal", rank, ranks[0]),
            data,
            summarize,
            message,
            name,
        )


@documented
def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless `x` has the given rank or a higher one.

    Args:
      x: A `Tensor`.
      rank: A scalar integer.
      {text}

    {operation}

    Raises:
      ValueError: The static rank is another one.
      InvalidArgumentError: The rank at a run is another one.
    """
    with name_scope(name, "assert_rank_at_least", [x, *(data or ())]):
        return _rank_assert(
            "assert_rank_at_least",
            "have rank at least",
            x,
            [_rank_tensor(rank)],
            lambda rank, wanted: rank >= wanted[0],
            lambda rank, ranks: _call("GreaterEqual", rank, ranks[0]),
            data,
            summarize,
            message,
            name,
        )


@documented
def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless the rank of `x` is one of `ranks`.

    Args:
      x: A `Tensor`.
      ranks: A list of scalar integers.
      {text}

    {operation}

    Raises:
      ValueError: The static rank is another one.
      InvalidArgumentError: The rank at a run is another one.
    """
    with name_scope(name, "assert_rank_in", [x, *(data or ())]):
        return _rank_assert(
            "assert_rank_in",
            "have rank in",
            x,
            [_rank_tensor(rank) for rank in ranks],
            lambda rank, wanted: rank in wanted,
            _is_one_of,
            data,
            summarize,
            message,
            name,
        )


def _is_one_of(rank, ranks):
    result = _call("Equal", rank, ranks[0])
    for other in ranks[1:]:
        result = _call("LogicalOr", result, _call("Equal", rank, other))
    return result


def assert_scalar(tensor, name=None, message=None):
    """Checks that a tensor is a scalar, by its static shape.

    Args:
      tensor: A `Tensor` or a value.
      name: Prefix of the names of the operations (optional).
      message: Beginning of the error text.

    Returns:
      The `Tensor`.

    Raises:
      ValueError: Its static shape is not that of a scalar.
    """
    with name_scope(name, "assert_scalar", [tensor]):
        tensor = convert_to_tensor(tensor)
        if tensor.dims != ():
            prefix = f"{message}.  " if message else ""
            raise ValueError(f"{prefix}Expected scalar shape for {tensor.name}, saw shape: {tensor.shape}.")
        return tensor


def assert_type(tensor, tf_type, message=None, name=None):
    """Checks the type of a tensor when the graph is built.

    Args:
      tensor: A `Tensor` or a value.
      tf_type: A `DType`.
      message: Beginning of the error text.
      name: Prefix of the names of the operations (optional).

    Returns:
      The `Operation` no_op.

    Raises:
      TypeError: The tensor has another type.
    """
    tf_type = dtypes.as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        tensor = convert_to_tensor(tensor)
        if tensor.dtype.base_dtype != tf_type:
            prefix = f"{message}  " if message else ""
            raise TypeError(
                f"{prefix}{tensor.name} must be of type tf.{tf_type.name}; got tf.{tensor.dtype.base_dtype.name}"
            )
        return control.no_op("statically_determined_correct_type")


def assert_integer(x, message=None, name=None):
    """Checks that a tensor is of an integer type when the graph is built.

    Args:
      x: A `Tensor` or a value.
      message: Beginning of the error text.
      name: Prefix of the names of the operations (optional).

    Returns:
      The `Operation` no_op.

    Raises:
      TypeError: The tensor is not of an integer type.
    """
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            prefix = f"{message}  " if message else ""
            raise TypeError(f'{prefix}Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype!r}')
        return control.no_op("statically_determined_was_integer")


def assert_proper_iterable(values):
    """Checks that an argument is a list of values, not a single one that happens to be iterable.

    Args:
      values: What should be a list, tuple or other iterable of values.

    Raises:
      TypeError: It is a tensor, an array, a string, or not iterable.
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks that tensors have one floating-point type.

    Args:
      tensors: Tensors; None entries are left out.
      dtype: The `DType` that they should have.

    Returns:
      The `DType`; float32 if nothing says another.

    Raises:
      ValueError: The types differ, or are not floating-point types.
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if dtype is None:
            dtype, first = found, tensor
        elif found != dtype:
            other = f" as that of {first.name}" if first is not None else ""
            raise ValueError(f"{tensor.name}, type={found.name}, must be of the same type ({dtype.name}){other}.")
    dtype = dtypes.float32 if dtype is None else dtype
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype.name}.")
    return dtype


def is_numeric_tensor(tensor):
    """Whether an object is a `Tensor` of numbers.

    Args:
      tensor: Any object.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized


def is_non_decreasing(x, name=None):
    """Whether no element, in row-major order, is less than the one before it.

    Args:
      x: A numeric `Tensor`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor`, a boolean scalar; true for fewer than two elements.

    Raises:
      TypeError: `x` is not numeric.
    """
    with name_scope(name, "is_non_decreasing", [x]):
        differences = _differences(x)
        zero = convert_to_tensor(0, dtype=differences.dtype)
        return _all(_call("LessEqual", zero, differences))


def is_strictly_increasing(x, name=None):
    """Whether each element, in row-major order, exceeds the one before it.

    Args:
      x: A numeric `Tensor`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor`, a boolean scalar; true for fewer than two elements.

    Raises:
      TypeError: `x` is not numeric.
    """
    with name_scope(name, "is_strictly_increasing", [x]):
        differences = _differences(x)
        zero = convert_to_tensor(0, dtype=differences.dtype)
        return _all(_call("Less", zero, differences))


def _differences(x):
    """Each element minus the one before it; empty for fewer than two elements."""
    x = convert_to_tensor(x, name="x")
    if not is_numeric_tensor(x):
        raise TypeError(f'Expected "x" to be numeric, instead found: {x}')
    flat = _call("Reshape", x, [-1])
    size = _call("Size", flat)
    count = _call("Maximum", size - 1, 0)
    start = _call("Minimum", size, 1)
    count = _call("Pack", [count])
    return _call("Slice", flat, _call("Pack", [start]), count) - _call("Slice", flat, [0], count)
