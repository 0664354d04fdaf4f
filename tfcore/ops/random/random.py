"""Random ops: seeds, uniform and normal numbers, shuffles, samples from distributions.

The values are those of TensorFlow's CPU kernels for the same graph and op seeds.
"""

import operator
import weakref

import ml_dtypes
import numpy as np

from tfcore.framework import errors
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor

# ---- Seeds.

DEFAULT_GRAPH_SEED = 87654321
MAX_SEED = 2**31 - 1
_made_without_seed = weakref.WeakKeyDictionary()  # graph -> count


def set_random_seed(seed):
    """Sets the seed of the default graph.

    With a graph seed, each random op without an op seed gets one that depends on the graph seed and on how many
    such ops were made before it: a program gives the same numbers at each run.

    Args:
      seed: An int, or None to remove the seed.

    Raises:
      TypeError: A random op is made later and `seed` is not an int.

    Example:

    >>> tf.set_random_seed(7)
    >>> x = tf.random_uniform([2])
    >>> print(sess.run(x).shape)
    (2,)
    """
    get_default_graph().seed = seed


def get_seed(op_seed):
    """The seeds for a new random op, made from the graph's and its own.

    Args:
      op_seed: Seed of the op, an int or None.

    Returns:
      A pair of ints, to be passed as `seed` and `seed2` to a random op; (None, None) if neither graph nor op have a
      seed, so that the numbers differ at each run.

    Raises:
      TypeError: `op_seed` is not a number.
    """
    graph = get_default_graph()
    if graph.seed is None:
        if op_seed is None:
            return None, None
        seeds = DEFAULT_GRAPH_SEED, _truncated(op_seed)
    else:
        # Counted, as in tf.compat.v1 of TensorFlow 2. TensorFlow 1 took the number of ops in the graph, so that any
        # change to a program changed all its random numbers.
        if op_seed is None:
            op_seed = _made_without_seed.get(graph, 0)
            _made_without_seed[graph] = op_seed + 1
        seeds = _truncated(graph.seed), _truncated(op_seed)
    # The kernels take (0, 0) for "not repeatable".
    return (0, MAX_SEED) if seeds == (0, 0) else seeds


def _truncated(seed):
    try:
        # A float loses its fraction, as in TensorFlow: programs seed with the time.
        return (int(seed) if isinstance(seed, (float, np.floating)) else operator.index(seed)) % MAX_SEED
    except TypeError:
        raise TypeError(f"A seed must be an int, not {seed!r} of type {type(seed).__name__}") from None


# ---- Op definitions.


def shape_from_first_input(op):
    shapes.with_rank(op.inputs[0].dims, 1)
    return [constant_value_as_shape(op.inputs[0])]


_FLOATS = "{half, bfloat16, float, double}"
SEEDS = ["seed: int = 0", "seed2: int = 0"]


def _define_filling(name, doc):
    return define_op(
        name,
        inputs=["shape: T"],
        outputs=["output: dtype"],
        attrs=[*SEEDS, f"dtype: {_FLOATS}", "T: {int32, int64}"],
        shape=shape_from_first_input,
        stateful=True,
        doc=doc,
    )


def _define_stateless(name, doc):
    return define_op(
        name,
        inputs=["shape: T", "seed: Tseed"],
        outputs=["output: dtype"],
        attrs=[
            f"dtype: {_FLOATS} = DT_FLOAT",
            "T: {int32, int64} = DT_INT32",
            "Tseed: {int32, int64} = DT_INT64",
        ],
        shape=stateless_shape,
        doc=doc,
    )


def stateless_shape(op):
    seed = shapes.with_rank(op.inputs[1].dims, 1)
    if seed[0] not in (2, None):
        raise ValueError(f"seed must have shape [2], not [{seed[0]}]")
    return shape_from_first_input(op)


RandomUniform = _define_filling("RandomUniform", "Numbers of shape `shape`, uniform in [0, 1).")
RandomStandardNormal = _define_filling(
    "RandomStandardNormal", "Normal numbers of shape `shape`, mean 0 and standard deviation 1."
)
TruncatedNormal = _define_filling(
    "TruncatedNormal", "Like RandomStandardNormal, drawn again where the magnitude is 2 or more."
)
StatelessRandomUniform = _define_stateless("StatelessRandomUniform", "Like RandomUniform, a function of `seed` alone.")
StatelessRandomNormal = _define_stateless(
    "StatelessRandomNormal", "Like RandomStandardNormal, a function of `seed` alone."
)
StatelessTruncatedNormal = _define_stateless(
    "StatelessTruncatedNormal", "Like TruncatedNormal, a function of `seed` alone."
)


def _check_range(op, first):
    for tensor in op.inputs[first : first + 2]:
        shapes.with_rank(tensor.dims, 0)


def _uniform_int_shape(op):
    _check_range(op, 1)
    return shape_from_first_input(op)


def _stateless_uniform_int_shape(op):
    _check_range(op, 2)
    return stateless_shape(op)


RandomUniformInt = define_op(
    "RandomUniformInt",
    inputs=["shape: T", "minval: Tout", "maxval: Tout"],
    outputs=["output: Tout"],
    attrs=[*SEEDS, "Tout: {int32, int64}", "T: {int32, int64}"],
    shape=_uniform_int_shape,
    stateful=True,
    doc="Integers of shape `shape`, uniform in [minval, maxval) up to the bias of a remainder.",
)
StatelessRandomUniformInt = define_op(
    "StatelessRandomUniformInt",
    inputs=["shape: T", "seed: Tseed", "minval: dtype", "maxval: dtype"],
    outputs=["output: dtype"],
    attrs=[
        "dtype: {int32, int64}",
        "T: {int32, int64}",
        "Tseed: {int32, int64} = DT_INT64",
    ],
    shape=_stateless_uniform_int_shape,
    doc="Like RandomUniformInt, a function of `seed` alone.",
)


def keyed_shape(op):
    for vector in op.inputs[1:3]:
        shapes.with_rank(vector.dims, 1)
    for scalar in op.inputs[3:]:
        shapes.with_rank(scalar.dims, 0)
    return shape_from_first_input(op)


def _shuffle_shape(op):
    for vector in op.inputs[1:3]:
        shapes.with_rank(vector.dims, 1)
    shapes.with_rank(op.inputs[3].dims, 0)
    return [op.inputs[0].dims]


def _define_keyed(name, dtype, more, doc):
    return define_op(
        name,
        inputs=["shape: Tshape", "key: uint64", "counter: uint64", "alg: int32", *more],
        outputs=["output: dtype"],
        attrs=[f"dtype: {dtype}", "Tshape: {int32, int64} = DT_INT32"],
        shape=keyed_shape,
        doc=doc,
    )


_WORDS = "{int32, int64, uint32, uint64}"
StatelessRandomUniformV2 = _define_keyed(
    "StatelessRandomUniformV2", f"{_FLOATS} = DT_FLOAT", [], "StatelessRandomUniform, a function of key and counter."
)
StatelessRandomNormalV2 = _define_keyed(
    "StatelessRandomNormalV2", f"{_FLOATS} = DT_FLOAT", [], "StatelessRandomNormal, a function of key and counter."
)
StatelessTruncatedNormalV2 = _define_keyed(
    "StatelessTruncatedNormalV2",
    f"{_FLOATS} = DT_FLOAT",
    [],
    "StatelessTruncatedNormal, a function of key and counter.",
)
StatelessRandomUniformIntV2 = _define_keyed(
    "StatelessRandomUniformIntV2",
    _WORDS,
    ["minval: dtype", "maxval: dtype"],
    "StatelessRandomUniformInt, a function of key and counter.",
)
StatelessRandomUniformFullIntV2 = _define_keyed(
    "StatelessRandomUniformFullIntV2",
    f"{_WORDS} = DT_UINT64",
    [],
    "Integers of shape `shape`, uniform over all of their type, a function of key and counter.",
)
StatelessShuffle = define_op(
    "StatelessShuffle",
    inputs=["value: T", "key: uint64", "counter: uint64", "alg: int32"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_shuffle_shape,
    doc="The rows of a tensor in random order, a function of key and counter.",
)
StatelessRandomUniformFullInt = define_op(
    "StatelessRandomUniformFullInt",
    inputs=["shape: T", "seed: Tseed"],
    outputs=["output: dtype"],
    attrs=[
        f"dtype: {_WORDS} = DT_UINT64",
        "T: {int32, int64} = DT_INT32",
        f"Tseed: {_WORDS} = DT_INT64",
    ],
    shape=stateless_shape,
    doc="Integers of shape `shape`, uniform over all of their type, a function of `seed` alone.",
)


def _key_counter_shape(op):
    seed = shapes.with_rank(op.inputs[0].dims, 1)
    if seed[0] not in (2, None):
        raise ValueError(f"seed must have shape [2], not [{seed[0]}]")
    return [(1,), (2,), ()][: len(op.op_def.outputs)]


StatelessRandomGetKeyCounter = define_op(
    "StatelessRandomGetKeyCounter",
    inputs=["seed: Tseed"],
    outputs=["key: uint64", "counter: uint64"],
    attrs=["Tseed: {int32, int64} = DT_INT64"],
    shape=_key_counter_shape,
    doc="The key and the counter that stateless ops make of a seed.",
)
StatelessRandomGetKeyCounterAlg = define_op(
    "StatelessRandomGetKeyCounterAlg",
    inputs=["seed: Tseed"],
    outputs=["key: uint64", "counter: uint64", "alg: int32"],
    attrs=["Tseed: {int32, int64} = DT_INT64"],
    shape=_key_counter_shape,
    doc="The key and the counter that stateless ops make of a seed, and the number of the algorithm.",
)
StatelessRandomGetAlg = define_op(
    "StatelessRandomGetAlg",
    inputs=[],
    outputs=["alg: int32"],
    attrs=[],
    shape=lambda op: [()],
    stateful=True,
    doc="The number of the algorithm of stateless ops: 1, Philox.",
)
RandomShuffle = define_op(
    "RandomShuffle",
    inputs=["value: T"],
    outputs=["output: T"],
    attrs=[*SEEDS, "T: type"],
    shape=shapes.unchanged,
    stateful=True,
    doc="The rows of `value` (along its first dimension) in random order.",
)


not_differentiable(
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
    "RandomUniformInt",
    "StatelessRandomUniform",
    "StatelessRandomNormal",
    "StatelessTruncatedNormal",
    "StatelessRandomUniformInt",
    "StatelessRandomUniformV2",
    "StatelessRandomNormalV2",
    "StatelessTruncatedNormalV2",
    "StatelessRandomUniformIntV2",
    "StatelessRandomUniformFullIntV2",
    "StatelessRandomUniformFullInt",
    "StatelessRandomGetKeyCounter",
    "StatelessRandomGetKeyCounterAlg",
    "StatelessRandomGetAlg",
    "RandomShuffle",
)
undefined_gradient("StatelessShuffle")

# ---- Python functions.


def call(op_type, *inputs, **attrs):
    """Adds an operation of another module, by its type."""
    return get_op_def(op_type)(*inputs, **attrs)


def shape_tensor(shape):
    empty = isinstance(shape, (list, tuple)) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int32 if empty else None, name="shape")


def seeds(seed):
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second}


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Uniformly distributed numbers in [minval, maxval).

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      minval: The lower bound, included: a scalar, or for floating-point types a `Tensor` that broadcasts with the
        result.
      maxval: The upper bound, excluded, as `minval`; 1 by default for floating-point types, needed for integers.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64, int32 or int64.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      ValueError: `dtype` is another type, or an integer type without `maxval`.
      tf.errors.InvalidArgumentError: At run time, integers have an empty range, or a size is negative.

    Example:

    >>> x = sess.run(tf.random_uniform([1000], 5, 10, tf.int32, seed=1))
    >>> print(x.min(), x.max())
    5 9
    """
    dtype = _checked(dtype, dtypes.int32, dtypes.int64)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    zero = isinstance(minval, int) and minval == 0
    one = isinstance(maxval, int) and maxval == 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        if dtype.is_integer:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
            return RandomUniformInt(shape, minval, maxval, name=scope, **seeds(seed))
        if not zero or not one:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        numbers = RandomUniform(shape, dtype=dtype, **seeds(seed))
        if zero:
            return numbers if one else numbers * maxval
        return call("AddV2", numbers * (maxval - minval), minval, name=scope)


def _checked(dtype, *more):
    dtype = dtypes.as_dtype(dtype)
    allowed = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, *more)
    if dtype not in allowed:
        raise ValueError(f"Invalid dtype {dtype!r}")
    return dtype


def _normal(op, default_name, shape, mean, stddev, dtype, seed, name):
    with name_scope(name, default_name, [shape, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        numbers = op(shape, dtype=dtype, **seeds(seed))
        return call("AddV2", numbers * stddev, mean, name=scope)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed numbers.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      mean: Mean, a scalar or a `Tensor` that broadcasts with the result.
      stddev: Standard deviation, a scalar or a `Tensor` that broadcasts with the result.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      TypeError: `dtype` is another type, or `mean` or `stddev` doesn't convert to it.
      tf.errors.InvalidArgumentError: At run time, a size is negative.

    Example:

    >>> x = sess.run(tf.random_normal([10000], mean=3.0, seed=1))
    >>> print(abs(x.mean() - 3.0) < 0.1, abs(x.std() - 1.0) < 0.1)
    True True
    """
    dtype = dtypes.as_dtype(dtype)
    return _normal(RandomStandardNormal, "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed numbers, redrawn where they are more than two standard deviations from the mean.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      mean: Mean before truncation, a scalar or a `Tensor` that broadcasts with the result.
      stddev: Standard deviation before truncation, a scalar or a `Tensor` that broadcasts with the result.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      TypeError: `dtype` is another type, or `mean` or `stddev` doesn't convert to it.
      tf.errors.InvalidArgumentError: At run time, a size is negative.

    Example:

    >>> x = sess.run(tf.truncated_normal([10000], seed=1))
    >>> print(np.abs(x).max() <= 2.0)
    True
    """
    dtype = dtypes.as_dtype(dtype)
    return _normal(TruncatedNormal, "truncated_normal", shape, mean, stddev, dtype, seed, name)


@described(
    RandomShuffle,
    example="""
>>> x = sess.run(tf.random_shuffle([1, 2, 3, 4], seed=1))
>>> print(sorted(x.tolist()))
[1, 2, 3, 4]
""",
    shapes={
        "value": "of rank 1 or more",
        "output": "of the shape of `value`",
    },
)
def random_shuffle(value, seed=None, name=None):
    """The rows of a tensor, along its first dimension, in random order."""
    return RandomShuffle(value, name=name, **seeds(seed))


def random_crop(value, size, seed=None, name=None):
    """A part of a tensor from a random place.

    Args:
      value: A `Tensor` of any type.
      size: Shape of the crop, an int32 vector with one size for each dimension.
      seed: Seed of the op, an int; see `set_random_seed`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `value` and shape `size`.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, `value` is smaller than `size`.
    """
    from tfcore.ops.control_flow import control
    from tfcore.ops.debugging import check as check_ops

    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape = call("Shape", value)
        fits = call("All", call("GreaterEqual", shape, size), _first_axis())
        message = ["Need value.shape >= size, got ", shape, size]
        check = check_ops.Assert(fits, message, summarize=1000)
        shape = control.with_dependencies([check], shape)
        limit = shape - size + 1
        rank = call("Shape", shape)
        numbers = random_uniform(rank, dtype=size.dtype, maxval=size.dtype.max, seed=seed)
        return call("Slice", value, numbers % limit, size, name=scope)


def _first_axis():
    return convert_to_tensor(np.array([0], np.int32), name="Const")


def finfo(dtype):
    return ml_dtypes.finfo(dtype.as_numpy_dtype)


def _check_alg(alg):
    """Raises an exception unless `alg` names the one generator, Philox, by a string or TensorFlow's number."""
    alg = getattr(alg, "value", alg)
    if not isinstance(alg, (str, int)):
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")
    known = alg.strip().lower().replace("-", "").replace("_", "") if isinstance(alg, str) else alg
    if known in ("threefry", 2):
        raise errors.UnimplementedError(None, None, "The generator ThreeFry is not implemented; use alg='philox'.")
    if known not in ("philox", "autoselect", 1, 3):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox (1) for the Philox algorithm and "
            "auto_select (3) for auto-selection."
        )


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Uniformly distributed numbers in [minval, maxval) that depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      minval: The lower bound, included, as for `random_uniform`.
      maxval: The upper bound, excluded, as for `random_uniform`.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64, int32 or int64.
      name: Name of the operation (optional).
      alg: The generator, "philox"; "auto_select" is the same.

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      ValueError: `dtype` is another type, or an integer type without `maxval`, or `alg` is unknown.
      tf.errors.UnimplementedError: `alg` is "threefry".
      tf.errors.InvalidArgumentError: At run time, integers have an empty range.
    """
    _check_alg(alg)
    dtype = _checked(dtype, dtypes.int32, dtypes.int64)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return StatelessRandomUniformInt(shape, seed, minval, maxval, name=scope)
        numbers = StatelessRandomUniform(shape, seed, dtype=dtype)
        return call("AddV2", numbers * (maxval - minval), minval, name=scope)


def _stateless_normal(op, default_name, shape, seed, mean, stddev, dtype, name):
    with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        numbers = op(shape, seed, dtype=dtype)
        return call("AddV2", numbers * stddev, mean, name=scope)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Normally distributed numbers that depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      mean: Mean, a scalar or a `Tensor` that broadcasts with the result.
      stddev: Standard deviation, a scalar or a `Tensor` that broadcasts with the result.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
      name: Name of the operation (optional).
      alg: The generator, "philox"; "auto_select" is the same.

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      TypeError: `dtype` is another type.
      ValueError: `alg` is unknown.
      tf.errors.UnimplementedError: `alg` is "threefry".
    """
    _check_alg(alg)
    default = "stateless_random_normal"
    return _stateless_normal(StatelessRandomNormal, default, shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Truncated normal numbers, as of `truncated_normal`, that depend on `seed` alone: each run gives the same.

    Args:
      shape: Shape of the result, a list of ints or a vector of type int32 or int64.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      mean: Mean, a scalar or a `Tensor` that broadcasts with the result.
      stddev: Standard deviation, a scalar or a `Tensor` that broadcasts with the result.
      dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
      name: Name of the operation (optional).
      alg: The generator, "philox"; "auto_select" is the same.

    Returns:
      A `Tensor` of type `dtype` and shape `shape`.

    Raises:
      TypeError: `dtype` is another type.
      ValueError: `alg` is unknown.
      tf.errors.UnimplementedError: `alg` is "threefry".
    """
    _check_alg(alg)
    default = "stateless_truncated_normal"
    op = StatelessTruncatedNormal
    return _stateless_normal(op, default, shape, seed, mean, stddev, dtype, name)


# The names in tf.random.
uniform = random_uniform
normal = random_normal
shuffle = random_shuffle
