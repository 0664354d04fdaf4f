"""tf.random.Generator: random numbers whose state is a variable; seeds made from seeds."""

import enum

import numpy as np

from tfcore.framework.graph.default_graph import control_dependencies, get_default_graph
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, size
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.array.join import concat, stack, unstack
from tfcore.ops.array.move import pad
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import bitcast, cast
from tfcore.ops.random import random
from tfcore.ops.random.binomial import StatelessRandomBinomialV2
from tfcore.ops.random.index import random_index_shuffle
from tfcore.ops.reduce.reduce import reduce_prod
from tfcore.variables.resource_variable import ResourceVariable

_INDEX_SEED = 498247692  # TensorFlow's first number of three


class Algorithm(enum.Enum):
    """The algorithms that make random numbers; AUTO_SELECT is PHILOX here, and THREEFRY has no kernels."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": 1, "threefry": 2, "autoselect": 3}
_COUNTER_SIZES = {1: 2, 2: 1, 3: 2}


def _number_of(algorithm):
    if isinstance(algorithm, Algorithm):
        return algorithm.value
    if isinstance(algorithm, (int, np.integer)) and algorithm in _COUNTER_SIZES:
        return int(algorithm)
    if isinstance(algorithm, str):
        number = _NAMES.get(algorithm.strip().lower().replace("-", "").replace("_", ""))
        if number:
            return number
    elif not isinstance(algorithm, (int, np.integer)):
        raise TypeError(f"Can't convert argument `alg` (of value {algorithm} and type {type(algorithm)}) to int.")
    philox, threefry, auto = ("philox", "threefry", "auto_select") if isinstance(algorithm, str) else (1, 2, 3)
    raise ValueError(
        f"Argument `alg` got unsupported value {algorithm}. Supported values are {philox} for the Philox algorithm,"
        f" {threefry} for the ThreeFry algorithm, and {auto} for auto-selection."
    )


def _state_size(algorithm):
    return _COUNTER_SIZES[algorithm] + 1


def _as_int64(value):
    """Integers of which some may be too large for int64: these are taken modulo 2^64."""
    if isinstance(value, (list, tuple)):
        value = [_as_int64(v) for v in value]
    elif isinstance(value, (int, np.unsignedinteger)):
        value = (int(value) + 2**63) % 2**64 - 2**63
    if isinstance(value, int) or (isinstance(value, list) and all(isinstance(v, int) for v in value)):
        return convert_to_tensor(value, dtype=dtypes.int64)
    return cast(value, dtypes.int64)


def create_rng_state(seed, alg):
    """The state of a generator, made from a seed.

    Args:
      seed: An int, or integers, a `Tensor` or a list: the last ones of the state. Zeros precede them if they are few,
        and those that are too many are not used.
      alg: The algorithm: an `Algorithm`, its number or its name.

    Returns:
      An int64 `Tensor` of shape [3] ([2] for THREEFRY).

    Raises:
      TypeError: `alg` is of another type.
      ValueError: `alg` is no algorithm.

    Example:

    >>> print(sess.run(tf.random.create_rng_state([1, 2], "philox")))
    [0 1 2]
    """
    n = _state_size(_number_of(alg))
    if isinstance(seed, int):
        seed = [(seed >> 64 * i) % 2**64 for i in range(n)]
    given = reshape(_as_int64(seed), [-1])[:n]
    given = concat([zeros([maximum(n - size(given), 0)], dtypes.int64), given], 0)
    given.set_shape([n])
    return given


def _keyed(seed, alg):
    number = _number_of("auto_select" if alg is None else alg)
    key, counter = random.StatelessRandomGetKeyCounter(seed)
    return key, counter, number


def split(seed, num=2, alg="auto_select"):
    """Makes several seeds of one, which are as good as independent of it and of each other.

    Args:
      seed: A seed of stateless functions: two integers, a `Tensor` of type int32 or int64 and shape [2].
      num: The number of seeds, an int.
      alg: The algorithm: an `Algorithm`, its number or its name.

    Returns:
      A `Tensor` of the type of `seed` and shape [num, 2], whose rows are seeds.

    Raises:
      ValueError: `alg` is no algorithm.
    """
    seed = convert_to_tensor(seed)
    return random.StatelessRandomUniformFullIntV2(stack([num, 2]), *_keyed(seed, alg), dtype=seed.dtype)


def fold_in(seed, data, alg="auto_select"):
    """Makes a seed of a seed and an integer, such as the number of a step.

    Args:
      seed: A seed of stateless functions: two integers, a `Tensor` of type int32 or int64 and shape [2].
      data: An integer, a scalar `Tensor`.
      alg: The algorithm: an `Algorithm`, its number or its name.

    Returns:
      A `Tensor` of the type of `data` and shape [2].

    Raises:
      ValueError: `alg` is no algorithm.
    """
    data = convert_to_tensor(data)
    none = convert_to_tensor([], dtype=dtypes.int32)
    first = random.StatelessRandomUniformFullIntV2(none, *_keyed(convert_to_tensor(seed), alg), dtype=data.dtype)
    return stack([first, data])


class Generator:
    """A source of random numbers, whose state is a variable: each run of its tensors gives other numbers.

    In a graph, the variable has to be initialized, like others; checkpoints save it, and resetting methods return
    operations.

    Args:
      copy_from: Another generator, whose state it begins with.
      state: The state, three integers, or a variable that has it.
      alg: The algorithm: an `Algorithm`, its number or its name.

    Raises:
      ValueError: The state has another size, or `alg` is no algorithm.

    Example:

    >>> generator = tf.random.Generator.from_seed(1)
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(generator.uniform([2], maxval=5, dtype=tf.int32)))
    [4 4]
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            if alg is not None or state is not None:
                raise ValueError("A generator that is copied takes neither a state nor an algorithm.")
            self._alg = copy_from.algorithm
            initial = copy_from.state
            state = initial.initialized_value() if hasattr(initial, "initialized_value") else initial
        elif alg is None or state is None:
            raise ValueError("A generator needs a state and an algorithm.")
        else:
            self._alg = _number_of(alg)
        if isinstance(state, ResourceVariable) and copy_from is None:
            self._check_shape(state.shape)
            self._state = state
        else:
            state = _as_int64(state)
            self._check_shape(state.shape)
            with name_scope("random_generator"):
                self._state = ResourceVariable(state, trainable=False, name="StateVar")

    def _check_shape(self, found):
        TensorShape(found).assert_is_compatible_with([_state_size(self._alg)])

    @classmethod
    def from_state(cls, state, alg):
        """A generator with a given state.

        Args:
          state: Three integers, a `Tensor` or a list, or a variable.
          alg: The algorithm: an `Algorithm`, its number or its name.

        Returns:
          A `Generator`.

        Raises:
          ValueError: The state has another size, or `alg` is no algorithm.
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator whose state is made from a seed.

        Args:
          seed: As for `create_rng_state`.
          alg: The algorithm, by default PHILOX.

        Returns:
          A `Generator`.

        Raises:
          ValueError: `alg` is no algorithm.
        """
        alg = _number_of(Algorithm.PHILOX if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator whose state is another one each time that its variable is initialized.

        Args:
          alg: The algorithm, by default PHILOX.

        Returns:
          A `Generator`.

        Raises:
          ValueError: `alg` is no algorithm.
        """
        alg = _number_of(Algorithm.PHILOX if alg is None else alg)
        limits = np.iinfo(np.int64)
        state = random.RandomUniformInt([_state_size(alg)], np.int64(limits.min), np.int64(limits.max))
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator with a given key and counter.

        Args:
          key: An integer, a scalar `Tensor`.
          counter: Two integers, a `Tensor` of shape [2].
          alg: The algorithm: an `Algorithm`, its number or its name.

        Returns:
          A `Generator`.

        Raises:
          ValueError: The counter has another size, or `alg` is no algorithm.
        """
        alg = _number_of(alg)
        return cls(state=_joined(key, counter, alg), alg=alg)

    @property
    def state(self):
        """The variable with the state: counter and key."""
        return self._state

    @property
    def algorithm(self):
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self):
        """The key, a scalar `Tensor`."""
        return self._state[-1]

    def reset(self, state):
        """Sets the state.

        Args:
          state: Three integers, a `Tensor` or a list.

        Returns:
          The assignment.

        Raises:
          ValueError: The state has another size.
        """
        state = _as_int64(state)
        self._check_shape(state.shape)
        return self._state.assign(state)

    def reset_from_seed(self, seed):
        """Sets the state to one made from a seed.

        Args:
          seed: As for `create_rng_state`.

        Returns:
          The assignment.
        """
        return self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Sets key and counter.

        Args:
          key: An integer, a scalar `Tensor`.
          counter: Two integers, a `Tensor` of shape [2].

        Returns:
          The assignment.

        Raises:
          ValueError: The counter has another size.
        """
        return self._state.assign(_joined(key, counter, self._alg))

    def skip(self, delta):
        """Advances the state past the numbers that `delta` samples may use.

        Args:
          delta: An integer, a scalar `Tensor`.

        Returns:
          The state before.
        """
        number = cast(self._alg, dtypes.int32)
        return random.call("RngReadAndSkip", self._state.handle, number, cast(delta, dtypes.uint64))

    def _take(self, samples):
        """The key and counter of `samples` samples."""
        before, n = self.skip(samples), _COUNTER_SIZES[self._alg]
        return bitcast(before[n : n + 1], dtypes.uint64), bitcast(before[:n], dtypes.uint64)

    def _draw(self, op, sizes, *more, **attrs):
        key, counter = self._take(reduce_prod(sizes))
        return op(sizes, key, counter, self._alg, *more, **attrs)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers.

        Args:
          shape: Shape of the result, a list of ints or a vector of type int32 or int64.
          mean: Mean, a `Tensor` that broadcasts with the result.
          stddev: Standard deviation, a `Tensor` that broadcasts with the result.
          dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `dtype` and shape `shape`.
        """
        return self._scaled(random.StatelessRandomNormalV2, "stateful_normal", shape, mean, stddev, dtype, name)

    def _scaled(self, op, default_name, sizes, mean, stddev, dtype, name):
        with name_scope(name, default_name, [sizes, mean, stddev]):
            mean = convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            return self._draw(op, random.shape_tensor(sizes), dtype=dtype) * stddev + mean

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers, redrawn where they are more than two standard deviations from the mean.

        Args:
          shape: Shape of the result, a list of ints or a vector of type int32 or int64.
          mean: Mean before truncation, a `Tensor` that broadcasts with the result.
          stddev: Standard deviation before truncation, a `Tensor` that broadcasts with the result.
          dtype: The `DType` of the numbers: float16, bfloat16, float32 or float64.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `dtype` and shape `shape`.
        """
        return self._scaled(random.StatelessTruncatedNormalV2, "truncated_normal", shape, mean, stddev, dtype, name)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """Uniformly distributed numbers in [minval, maxval).

        Args:
          shape: Shape of the result, a list of ints or a vector of type int32 or int64.
          minval: The lower bound, included; None, with `maxval`, for all integers of the type.
          maxval: The upper bound, excluded; by default 1 for floating-point types.
          dtype: The `DType` of the numbers: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `dtype` and shape `shape`.

        Raises:
          ValueError: One of the bounds of integers is None.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype!r}, minval and maxval must be both `None` or both non-`None`; got"
                f" minval={minval} and maxval={maxval}"
            )
        if dtype.is_integer and minval is None:
            return self.uniform_full_int(shape, dtype, name)
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]):
            sizes = random.shape_tensor(shape)
            low = convert_to_tensor(minval, dtype=dtype, name="min")
            high = convert_to_tensor(1 if maxval is None else maxval, dtype=dtype, name="max")
            if dtype.is_integer:
                return self._draw(random.StatelessRandomUniformIntV2, sizes, low, high)
            return self._draw(random.StatelessRandomUniformV2, sizes, dtype=dtype) * (high - low) + low

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Integers, uniformly distributed over all of their type.

        Args:
          shape: Shape of the result, a list of ints or a vector of type int32 or int64.
          dtype: The `DType` of the numbers: int32, int64, uint32 or uint64.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `dtype` and shape `shape`.
        """
        with name_scope(name, "stateful_uniform_full_int", [shape]):
            return self._draw(random.StatelessRandomUniformFullIntV2, random.shape_tensor(shape), dtype=dtype)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """Numbers of successes in `counts` trials.

        Args:
          shape: Shape of the result, a list of ints or a vector of type int32 or int64; it ends with the shape with
            which `counts` and `probs` broadcast.
          counts: The numbers of trials, a `Tensor` of the type of `probs`.
          probs: The probabilities of success, a `Tensor` of type float16, float32 or float64.
          dtype: The `DType` of the samples: float16, float32, float64, int32 or int64.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `dtype` and shape `shape`.
        """
        with name_scope(name, "binomial", [shape, counts, probs]):
            probs = convert_to_tensor(probs, name="probs")
            counts = convert_to_tensor(counts, dtype=probs.dtype, name="counts")
            sizes = random.shape_tensor(shape)
            batches = size(counts + probs, out_type=dtypes.int64)
            samples = cast(reduce_prod(sizes), dtypes.int64) // maximum(batches, 1)
            key, counter = self._take(batches * 200 * (samples + 3) // 4)
            return StatelessRandomBinomialV2(sizes, key, counter, self._alg, counts, probs, dtype=dtype)

    def make_seeds(self, count=1):
        """Seeds for stateless functions.

        Args:
          count: The number of seeds, an int.

        Returns:
          An int64 `Tensor` of shape [2, count], whose columns are seeds.
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count=1):
        """Other generators, which are as good as independent of this one.

        To initialize one of them initializes this one, too, and takes numbers from it.

        Args:
          count: The number of generators, an int.

        Returns:
          A list of `Generator`s.
        """
        with control_dependencies([self._state.initializer]):
            keys = unstack(self.uniform_full_int([count], dtypes.int64), num=count)
        rest = zeros([_COUNTER_SIZES[self._alg]], dtypes.int64)
        return [Generator(state=concat([rest, reshape(key, [1])], 0), alg=self._alg) for key in keys]


def index_shuffle(index, seed, max_index):
    """The place of an index in a random permutation of [0, max_index].

    Args:
      index: A `Tensor` of an integer type: a scalar, or a vector of indices.
      seed: Two integers, a `Tensor` of type int32, uint32, int64 or uint64 and shape [2], or one such row per index.
      max_index: The greatest index, a scalar or a vector.

    Returns:
      A `Tensor` of the type of `index`.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is greater than `max_index`.
    """
    seed = convert_to_tensor(seed)
    before = [[0, 0]] * ((seed.shape.ndims or 1) - 1) + [[1, 0]]  # the op takes three numbers
    return random_index_shuffle(index, pad(seed, before, constant_values=_INDEX_SEED), max_index)


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The rows of a tensor in an order that depends on `seed` alone.

    Args:
      value: A `Tensor` with at least one dimension.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      alg: The generator, "philox"; "auto_select" is the same.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `value`.

    Raises:
      ValueError: There is no such generator.
    """
    with name_scope(name, "stateless_shuffle", [value, seed]) as scope:
        return random.StatelessShuffle(value, *_keyed(seed, alg), name=scope)


def _joined(key, counter, alg):
    key, counter = _as_int64(key), _as_int64(counter)
    counter.shape.assert_is_compatible_with([_COUNTER_SIZES[alg]])
    key.shape.assert_is_compatible_with([])
    return concat([counter, reshape(key, [1])], 0)


_GLOBAL = "_global_generator"  # the collection of a graph


def get_global_generator():
    """The generator that `set_global_generator` has set for the default graph, or else one of random state.

    Returns:
      A `Generator`.
    """
    found = get_default_graph().get_collection_ref(_GLOBAL)
    if not found:
        found.append(Generator.from_non_deterministic_state())
    return found[0]


def set_global_generator(generator):
    """Sets the generator that `get_global_generator` returns for the generator's graph.

    Args:
      generator: A `Generator`.

    Raises:
      TypeError: `generator` is something else.
    """
    if not isinstance(generator, Generator):
        raise TypeError(f"Expected a tf.random.Generator, got {generator!r}")
    generator.state.graph.get_collection_ref(_GLOBAL)[:] = [generator]
