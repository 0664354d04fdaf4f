"""Functions that make the first values of variables: tf.zeros_initializer() and its kin.

An initializer is called with a shape and a dtype (and, for a part of a partitioned variable, which part it is)
and returns a Tensor.
"""

import math

import numpy as np

from tfcore.framework import dtypes
from tfcore.framework.constant import constant, constant_of_array, make_array
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import get_default_graph
from tfcore.framework.tensor_shape import TensorShape
from tfcore.ops import random
from tfcore.ops.constants import Fill

__all__ = [
    "constant_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "ones_initializer",
    "orthogonal_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "uniform_unit_scaling_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]


class Initializer:
    """Base of all initializers; `get_config` and `from_config` copy one."""

    _fields = ()

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        config = {name: getattr(self, name) for name in self._fields}
        if "dtype" in config:
            config["dtype"] = self.dtype.name
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _float_dtype(dtype):
    dtype = dtypes.as_dtype(dtype)._base
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


def _dims(shape):
    return TensorShape(shape).as_list()


def _filled(dims, value, dtype, name):
    """`value` everywhere, written as TensorFlow does: a constant if it is small, else a Fill."""
    if math.prod(dims) < 1000 or dtype is dtypes.string:
        fill = np.full(dims, make_array(value, dtype))
        return constant_of_array(fill, name)
    graph = get_default_graph()
    with graph.name_scope(name) as scope:
        shape = constant_of_array(np.array(dims, np.int32), "shape_as_tensor")
        inputs = [shape, constant_of_array(make_array(value, dtype))]
        return graph.add_operation(Fill, inputs, {"T": dtype, "index_type": dtypes.int32}, (dtype,), scope).outputs[0]


class Zeros(Initializer):
    """All zeros (empty strings, False)."""

    _fields = ("dtype",)

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype)._base
        return _filled(_dims(shape), b"" if dtype is dtypes.string else False if dtype.is_bool else 0, dtype, "zeros")


class Ones(Initializer):
    """All ones (True)."""

    _fields = ("dtype",)

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype)._base
        return _filled(_dims(shape), True if dtype.is_bool else 1, dtype, "ones")


class Constant(Initializer):
    """A number everywhere, or the values of a list or array in order (the last one is repeated)."""

    _fields = ("value", "dtype")

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value}. Expected Python scalar, list or tuple of values, or numpy.ndarray. "
                f"Received type: {type(value)}"
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype)._base
        verify = self._verify_shape if verify_shape is None else verify_shape
        if np.isscalar(self.value) and not verify:
            return _filled(_dims(shape), self.value, dtype, "Const")
        return constant(self.value, dtype, shape, verify_shape=verify)


class RandomUniform(Initializer):
    """Uniform in [minval, maxval); whole numbers for integer types."""

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
    """Normal distribution."""

    _fields = ("mean", "stddev", "seed", "dtype")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random.random_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class TruncatedNormal(RandomNormal):
    """Normal distribution without what is more than two standard deviations from the mean."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return random.truncated_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class UniformUnitScaling(Initializer):
    """Uniform within factor * sqrt(3 / n), where n is the product of all dimensions but the last."""

    _fields = ("factor", "seed", "dtype")

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        limit = math.sqrt(3 / max(1.0, math.prod(float(d) for d in _dims(full)[:-1]))) * self.factor
        return random.random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)


class VarianceScaling(Initializer):
    """Random values whose variance is scale / n: n inputs, outputs, or their average, by `mode`."""

    _fields = ("scale", "mode", "distribution", "seed", "dtype")

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=dtypes.float32):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', 'untruncated_normal'). "
                f"Received: {distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = _fans(shape if partition_info is None else partition_info.full_shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution in ("normal", "truncated_normal"):
            stddev = math.sqrt(variance) / 0.87962566103423978  # what truncation at 2 leaves of the deviation
            return random.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * variance)
        return random.random_uniform(shape, -limit, limit, dtype, seed=self.seed)


def _fans(shape):
    """Inputs and outputs of a weight: the last two dimensions, times the receptive field before them."""
    dims = _dims(shape)
    if not dims:
        return 1, 1
    if len(dims) == 1:
        return dims[0], dims[0]
    field = math.prod(dims[:-2])
    return dims[-2] * field, dims[-1] * field


class GlorotUniform(VarianceScaling):
    """Uniform within sqrt(6 / (inputs + outputs))."""

    _fields = ("seed", "dtype")

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Truncated normal of variance 2 / (inputs + outputs)."""

    _fields = ("seed", "dtype")

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def lecun_normal(seed=None):
    """Truncated normal of variance 1 / inputs."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """Uniform within sqrt(3 / inputs)."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed=None):
    """Truncated normal of variance 2 / inputs."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """Uniform within sqrt(6 / inputs)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


class Orthogonal(Initializer):
    """A random matrix (all dimensions but the last are its rows) with orthonormal rows or columns, times `gain`.

    It is computed when the graph is built: every run of the initializer gives the same values.
    """

    _fields = ("gain", "seed", "dtype")

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain = gain
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else _float_dtype(dtype)
        dims = _dims(shape)
        if len(dims) < 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(dims[:-1]), dims[-1]
        rng = np.random.default_rng(self._seeds())
        q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
        q *= np.sign(np.diag(r))  # makes the distribution uniform
        if rows < columns:
            q = q.T
        return constant_of_array(np.ascontiguousarray(self.gain * q).reshape(dims).astype(dtype._np), "orthogonal")

    def _seeds(self):
        graph = get_default_graph()
        if self.seed is None and graph.seed is None:
            return None
        return [
            0 if s is None else s & 0xFFFFFFFF
            for s in (graph.seed, self.seed if self.seed is not None else graph._last_id)
        ]


class Identity(Initializer):
    """The identity matrix, times `gain`."""

    _fields = ("gain", "dtype")

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype)._base
        full = _dims(shape if partition_info is None else partition_info.full_shape)
        if len(full) != 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}"
            )
        value = np.eye(*full) * self.gain
        if partition_info is not None:
            part = [slice(o, o + s) for o, s in zip(partition_info.var_offset, _dims(shape))]
            value = value[tuple(part)]
        return convert_to_tensor(value.astype(dtype._np))


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
