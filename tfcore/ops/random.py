"""Random ops: seeds, uniform and normal numbers, shuffles, samples from distributions.

The values are those of TensorFlow's CPU kernels for the same graph and op seeds.
"""

import weakref

import ml_dtypes
import numpy as np

from tfcore.framework import dtypes, shapes
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import get_default_graph, name_scope
from tfcore.framework.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.op_wrappers import described

__all__ = [
    "random_crop",
    "random_normal",
    "random_shuffle",
    "random_uniform",
    "set_random_seed",
    "truncated_normal",
]
__random__ = [
    "get_seed",
    "normal",
    "set_random_seed",
    "shuffle",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]

# ---- Seeds.

DEFAULT_GRAPH_SEED = 87654321
_MAX_SEED = 2**31 - 1
_made_without_seed = weakref.WeakKeyDictionary()  # graph -> count


def set_random_seed(seed):
    """Sets the seed of the default graph.

    With a graph seed, every random op that has no seed of its own gets one that depends on the graph
    seed and on how many such ops were made before it: a program gives the same numbers at each run.
    """
    get_default_graph().seed = seed


def get_seed(op_seed):
    """The pair of seeds (graph's, op's) for a new random op; (None, None): not repeatable."""
    graph = get_default_graph()
    if graph.seed is None:
        if op_seed is None:
            return None, None
        seeds = DEFAULT_GRAPH_SEED, op_seed % _MAX_SEED
    else:
        # As in tf.compat.v1 of TensorFlow 2: by count. TensorFlow 1 took the number of ops in the graph,
        # with which any change of a program changed all its random numbers.
        if op_seed is None:
            op_seed = _made_without_seed.get(graph, 0)
            _made_without_seed[graph] = op_seed + 1
        seeds = graph.seed % _MAX_SEED, op_seed % _MAX_SEED
    # The kernels take (0, 0) for "not repeatable".
    return (0, _MAX_SEED) if seeds == (0, 0) else seeds


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
        shape=_stateless_shape,
        doc=doc,
    )


def _stateless_shape(op):
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
    return _stateless_shape(op)


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
    "RandomShuffle",
)

# ---- Python functions.


def call(op_type, *inputs, **attrs):
    """Adds an op of another family."""
    return get_op_def(op_type)(*inputs, **attrs)


def _shape_tensor(shape):
    empty = isinstance(shape, (list, tuple)) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int32 if empty else None, name="shape")


def seeds(seed):
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second}


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Numbers uniform in [minval, maxval); by default in [0, 1). Integer types need `maxval`.

    Raises:
      ValueError: a type that can't be random, or an integer type without `maxval`.
    """
    dtype = _checked(dtype, dtypes.int32, dtypes.int64)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    zero = isinstance(minval, int) and minval == 0
    one = isinstance(maxval, int) and maxval == 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = _shape_tensor(shape)
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
        shape = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        numbers = op(shape, dtype=dtype, **seeds(seed))
        return call("AddV2", numbers * stddev, mean, name=scope)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal numbers of a shape; `mean` and `stddev` broadcast with it."""
    dtype = dtypes.as_dtype(dtype)
    return _normal(RandomStandardNormal, "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal numbers of which those further than 2 `stddev` from the mean are drawn again."""
    dtype = dtypes.as_dtype(dtype)
    return _normal(TruncatedNormal, "truncated_normal", shape, mean, stddev, dtype, seed, name)


@described(RandomShuffle)
def random_shuffle(value, seed=None, name=None):
    """The rows of `value`, along its first dimension, in random order."""
    return RandomShuffle(value, name=name, **seeds(seed))


def random_crop(value, size, seed=None, name=None):
    """A part of shape `size` from a random place in `value`."""
    from tfcore.ops import check as check_ops
    from tfcore.ops import control

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


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    """Like `random_uniform`, but a function of `seed` (two integers) alone."""
    dtype = _checked(dtype, dtypes.int32, dtypes.int64)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = _shape_tensor(shape)
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return StatelessRandomUniformInt(shape, seed, minval, maxval, name=scope)
        numbers = StatelessRandomUniform(shape, seed, dtype=dtype)
        return call("AddV2", numbers * (maxval - minval), minval, name=scope)


def _stateless_normal(op, default_name, shape, seed, mean, stddev, dtype, name):
    with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        shape = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        numbers = op(shape, seed, dtype=dtype)
        return call("AddV2", numbers * stddev, mean, name=scope)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Like `random_normal`, but a function of `seed` (two integers) alone."""
    default = "stateless_random_normal"
    return _stateless_normal(StatelessRandomNormal, default, shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Like `truncated_normal`, but a function of `seed` (two integers) alone."""
    default = "stateless_truncated_normal"
    op = StatelessTruncatedNormal
    return _stateless_normal(op, default, shape, seed, mean, stddev, dtype, name)


# The names in tf.random.
uniform = random_uniform
normal = random_normal
shuffle = random_shuffle
