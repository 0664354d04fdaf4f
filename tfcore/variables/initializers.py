"""Initializers of variables, such as tf.zeros_initializer().

An initializer is called with a shape, a dtype and, for partitioned variables, information about the part, and returns a
Tensor.
"""

import math

import numpy as np

from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.arrays import make_array
from tfcore.framework.values.constant import constant, constant_of_array
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import Fill
from tfcore.ops.random import random


class Initializer:
    """Base class of all initializers; `get_config` and `from_config` allow copies."""

    _fields = ()

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        """The arguments that recreate the initializer.

        Returns:
          A dict for `from_config`.
        """
        config = {name: getattr(self, name) for name in self._fields}
        if "dtype" in config:
            config["dtype"] = self.dtype.name
        return config

    @classmethod
    def from_config(cls, config):
        """Creates an initializer from the result of `get_config`.

        Args:
          config: A dict of arguments.

        Returns:
          An initializer.
        """
        return cls(**config)


def float_dtype(dtype):
    dtype = dtypes.as_dtype(dtype).base_dtype
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


def dims_of(shape):
    return TensorShape(shape).as_list()


def _filled(dims, value, dtype, name):
    """A Tensor filled with `value`: as in TensorFlow a constant if it is small, else a Fill."""
    if math.prod(dims) < 1000 or dtype is dtypes.string:
        fill = np.full(dims, make_array(value, dtype))
        return constant_of_array(fill, name)
    graph = get_default_graph()
    with graph.name_scope(name) as scope:
        shape = constant_of_array(np.array(dims, np.int32), "shape_as_tensor")
        inputs = [shape, constant_of_array(make_array(value, dtype))]
        return graph.add_operation(Fill, inputs, {"T": dtype, "index_type": dtypes.int32}, (dtype,), scope).outputs[0]


class Zeros(Initializer):
    """Initializes with zeros; empty strings or False for those types.

    Args:
      dtype: The default `DType`, of any type.
    """

    _fields = ("dtype",)

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        return _filled(dims_of(shape), b"" if dtype is dtypes.string else False if dtype.is_bool else 0, dtype, "zeros")


class Ones(Initializer):
    """Initializes with ones; True for bool.

    Args:
      dtype: The default `DType`, of a numeric type or bool.
    """

    _fields = ("dtype",)

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        return _filled(dims_of(shape), True if dtype.is_bool else 1, dtype, "ones")


class Constant(Initializer):
    """Initializes with given values.

    A scalar fills the variable. A list or array is laid out in row-major order; if it has fewer elements than the
    variable, the last one is repeated.

    Args:
      value: A Python scalar, list, tuple or array.
      dtype: The default `DType`, of any type.
      verify_shape: Whether `value` must have exactly the shape of the variable.

    Raises:
      TypeError: `value` is of another type.

    Example:

    >>> v = tf.get_variable("v", [2, 2], initializer=tf.constant_initializer([1, 2, 3]))
    >>> sess.run(v.initializer)
    >>> sess.run(v)
    array([[1., 2.],
           [3., 3.]], dtype=float32)
    """

    _fields = ("value", "dtype")

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value}. Expected Python scalar, list or tuple of values, or "
                f"numpy.ndarray. Received type: {type(value)}"
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        verify = self._verify_shape if verify_shape is None else verify_shape
        if np.isscalar(self.value) and not verify:
            return _filled(dims_of(shape), self.value, dtype, "Const")
        return constant(self.value, dtype, shape, verify_shape=verify)


class RandomUniform(Initializer):
    """Initializes with uniformly distributed values in [minval, maxval).

    Args:
      minval: Lower bound (included).
      maxval: Upper bound (excluded); 1 for floating-point types by default, required for integer types.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, of a floating-point or integer type.
    """

    _fields = ("minval", "maxval", "seed", "dtype")

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=dtypes.float32):
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random.random_uniform(
            shape, self.minval, self.maxval, self.dtype if dtype is None else dtype, seed=self.seed
        )


class RandomNormal(Initializer):
    """Initializes with normally distributed values.

    Args:
      mean: Mean of the distribution.
      stddev: Standard deviation.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("mean", "stddev", "seed", "dtype")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random.random_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class TruncatedNormal(RandomNormal):
    """Initializes from a normal distribution; values beyond two standard deviations from the mean are drawn again.

    Args:
      mean: Mean before truncation.
      stddev: Standard deviation before truncation.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        return random.truncated_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class UniformUnitScaling(Initializer):
    """Initializes uniformly within `factor * sqrt(3 / n)`, where n is the product of all dimensions but the last.

    Outputs of a layer then keep the scale of its inputs.

    Args:
      factor: Scale of the values.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("factor", "seed", "dtype")

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        limit = math.sqrt(3 / max(1.0, math.prod(float(d) for d in dims_of(full)[: len(full) - 1]))) * self.factor
        return random.random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)


class VarianceScaling(Initializer):
    """Initializes with random values of variance `scale / n`, so that activations or gradients keep their scale.

    With `mode` "fan_in", n is the number of inputs of the layer; with "fan_out", the number of outputs; with "fan_avg",
    their mean.

    Source: K. He et al., "Delving Deep into Rectifiers", ICCV 2015.

    Args:
      scale: A positive float.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: An argument has an invalid value.
    """

    _fields = ("scale", "mode", "distribution", "seed", "dtype")

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=dtypes.float32):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = fans(shape if partition_info is None else partition_info.full_shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution in ("normal", "truncated_normal"):
            stddev = math.sqrt(variance) / 0.87962566103423978  # the standard deviation after truncation at 2
            return random.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * variance)
        return random.random_uniform(shape, -limit, limit, dtype, seed=self.seed)


def fans(shape):
    """The numbers of inputs and outputs: the last two dimensions, times the receptive field given by the others."""
    if not len(shape):
        return 1, 1
    dims = dims_of(shape)
    if len(dims) == 1:
        return dims[0], dims[0]
    field = math.prod(dims[:-2])
    return dims[-2] * field, dims[-1] * field


class GlorotUniform(VarianceScaling):
    """Initializes uniformly within `sqrt(6 / (fan_in + fan_out))`: `get_variable`'s default.

    Source: X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    AISTATS 2010.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("seed", "dtype")

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Initializes with a truncated normal distribution of variance `2 / (fan_in + fan_out)`.

    Source: X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    AISTATS 2010.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("seed", "dtype")

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def lecun_normal(seed=None):
    """An initializer: truncated normal distribution of variance `1 / fan_in`.

    Source: Y. LeCun et al., "Efficient BackProp", Neural Networks: Tricks of the Trade, 1998.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).

    Returns:
      An initializer.

    Raises:
      TypeError: When called: `seed` is not an int.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """An initializer: uniform within `sqrt(3 / fan_in)`.

    Source: Y. LeCun et al., "Efficient BackProp", Neural Networks: Tricks of the Trade, 1998.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).

    Returns:
      An initializer.

    Raises:
      TypeError: When called: `seed` is not an int.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed=None):
    """An initializer: truncated normal distribution of variance `2 / fan_in`.

    Source: K. He et al., "Delving Deep into Rectifiers", ICCV 2015.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).

    Returns:
      An initializer.

    Raises:
      TypeError: When called: `seed` is not an int.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """An initializer: uniform within `sqrt(6 / fan_in)`.

    Source: K. He et al., "Delving Deep into Rectifiers", ICCV 2015.

    Args:
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).

    Returns:
      An initializer.

    Raises:
      TypeError: When called: `seed` is not an int.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


class Orthogonal(Initializer):
    """Initializes with a random matrix that has orthonormal rows or columns, times `gain`.

    All dimensions but the last count as rows. The matrix is computed when the graph is built: every run of the
    initializer gives the same values.

    Source: A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", ICLR
    2014.

    Args:
      gain: Factor of the matrix.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("gain", "seed", "dtype")

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain = gain
        self.seed = seed
        self.dtype = float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else float_dtype(dtype)
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        dims = dims_of(shape)
        rows, columns = math.prod(dims[:-1]), dims[-1]
        rng = np.random.default_rng(self._seeds())
        q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
        q *= np.sign(np.diag(r))  # makes the distribution uniform
        if rows < columns:
            q = q.T
        q = np.ascontiguousarray(self.gain * q).reshape(dims)
        return constant_of_array(q.astype(dtype.as_numpy_dtype), "orthogonal")

    def _seeds(self):
        graph = get_default_graph()
        if self.seed is None and graph.seed is None:
            return None
        return [
            0 if s is None else s & 0xFFFFFFFF
            for s in (graph.seed, self.seed if self.seed is not None else graph._last_id)
        ]


class Identity(Initializer):
    """Initializes with the identity matrix, times `gain`.

    Args:
      gain: Factor of the matrix.
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type.
    """

    _fields = ("gain", "dtype")

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        full = dims_of(shape if partition_info is None else partition_info.full_shape)
        if len(full) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        value = np.eye(*full) * self.gain
        if partition_info is not None:
            part = [slice(o, o + s) for o, s in zip(partition_info.var_offset, dims_of(shape))]
            value = value[tuple(part)]
        return convert_to_tensor(value.astype(dtype.as_numpy_dtype))


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
orthogonal_initializer = Orthogonal
