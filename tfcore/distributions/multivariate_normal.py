"""Multivariate normal distributions whose scale is a diagonal or a lower triangle."""

import math

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape, squeeze
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.diag import matrix_band_part, matrix_diag, matrix_diag_part, matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, sqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.linalg.linalg import matrix_triangular_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.random.random import random_normal
from tfcore.ops.reduce.reduce import reduce_sum


class _MultivariateNormal(Distribution):
    """loc + scale * z with a vector z of standard normal numbers. A subclass has the products and solutions."""

    _scale_rank = 1  # dimensions of the scale that are not those of the batch

    def _set_up(self, loc, scale, validate_args, allow_nan_stats, parameters, name):
        self._scale = scale
        self._loc = zeros(shape(self._diagonal())[-1:], dtype=scale.dtype, name="loc") if loc is None else loc
        check.assert_same_float_dtype([self._loc, scale])
        super().__init__(
            dtype=scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, scale],
            name=name,
        )

    @property
    def loc(self):
        """The mean."""
        return self._loc

    def _batch_shape_tensor(self):
        return broadcast_dynamic_shape(shape(self.loc)[:-1], shape(self._scale)[: -self._scale_rank])

    def _batch_shape(self):
        return broadcast_static_shape(self.loc.shape[:-1], self._scale.shape[: -self._scale_rank])

    def _event_shape_tensor(self):
        return broadcast_dynamic_shape(shape(self.loc)[-1:], shape(self._scale)[-1:])

    def _event_shape(self):
        return broadcast_static_shape(self.loc.shape[-1:], self._scale.shape[-1:])

    def _full_ones(self):
        return ones(concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0), dtype=self.dtype)

    def _log_det(self):
        """The logarithm of the absolute determinant of the scale."""
        return reduce_sum(log(abs_of(self._diagonal())), -1)

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return self._product(random_normal(sizes, dtype=self.dtype, seed=seed)) + self.loc

    def _size(self):
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _log_prob(self, x):
        z = self._solution(x - self.loc)
        return -0.5 * (reduce_sum(square(z), -1) + self._size() * math.log(2 * math.pi)) - self._log_det()

    def _entropy(self):
        entropy = 0.5 * self._size() * (1 + math.log(2 * math.pi)) + self._log_det()
        return entropy * ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self):
        return self.loc * self._full_ones()

    def _mode(self):
        return self._mean()

    def _covariance(self):
        dense = self._dense()
        batch = ones(concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)
        return matmul(dense, dense, transpose_b=True) * batch

    def _stddev(self):
        return sqrt(self._variance())


class MultivariateNormalDiag(_MultivariateNormal):
    """The multivariate normal distribution of independent elements: loc + scale * z.

    The standard deviations are `scale_diag` plus `scale_identity_multiplier`, or 1 if there is neither.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; zeros by default.
      scale_diag: A `Tensor` of shape [..., k] and of the same type.
      scale_identity_multiplier: A `Tensor` of the shape of the batch and of the same type.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_diag` is given, or the types differ.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a standard deviation is 0.

    Example:

    >>> d = tf.contrib.distributions.MultivariateNormalDiag([1.0, 2.0], [1.0, 3.0])
    >>> print(d.event_shape, sess.run(d.variance()))
    (2,) [1. 9.]
    """

    def __init__(
        self,
        loc=None,
        scale_diag=None,
        scale_identity_multiplier=None,
        validate_args=False,
        allow_nan_stats=True,
        name="MultivariateNormalDiag",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            if loc is None and scale_diag is None:
                raise ValueError("Must specify `loc` or `scale_diag`: the size of an event is not known.")
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            given = loc if scale_diag is None else convert_to_tensor(scale_diag, name="scale_diag")
            scale = given if scale_diag is not None else ones(shape(loc)[-1:], dtype=loc.dtype)
            if scale_identity_multiplier is not None:
                multiplier = convert_to_tensor(scale_identity_multiplier, dtype=given.dtype)
                multiplier = expand_dims(multiplier, -1)
                scale = scale * multiplier if scale_diag is None else scale + multiplier
            checks = [check.assert_none_equal(scale, zeros([], dtype=scale.dtype))] if validate_args else []
            scale = util.identity_of(scale, "scale", checks)
            self._set_up(loc, scale, validate_args, allow_nan_stats, parameters, name)

    def _diagonal(self):
        return self._scale

    def _dense(self):
        return matrix_diag(self._scale)

    def _product(self, z):
        return self._scale * z

    def _solution(self, y):
        return y / self._scale

    def _variance(self):
        return square(self._scale) * self._full_ones()


class MultivariateNormalTriL(_MultivariateNormal):
    """The multivariate normal distribution loc + scale_tril * z, with the covariance scale_tril * scale_tril'.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; zeros by default.
      scale_tril: A `Tensor` of shape [..., k, k] and of the same type, of which the lower triangle is used.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: There is no `scale_tril`, or the types differ.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: an element of the diagonal is 0.

    Example:

    >>> d = tf.contrib.distributions.MultivariateNormalTriL(scale_tril=[[2.0, 0.0], [1.0, 1.0]])
    >>> print(sess.run(d.covariance()).tolist())
    [[4.0, 2.0], [2.0, 2.0]]
    """

    _scale_rank = 2

    def __init__(
        self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalTriL"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_tril]) as name:
            if scale_tril is None:
                raise ValueError("Must specify `scale_tril`.")
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            scale = convert_to_tensor(scale_tril, name="scale_tril")
            diagonal = matrix_diag_part(scale)
            checks = [check.assert_none_equal(diagonal, zeros([], dtype=scale.dtype))] if validate_args else []
            scale = util.identity_of(matrix_band_part(scale, -1, 0), "scale", checks)
            self._set_up(loc, scale, validate_args, allow_nan_stats, parameters, name)

    def _diagonal(self):
        return matrix_diag_part(self._scale)

    def _dense(self):
        return self._scale

    def _product(self, z):
        return reduce_sum(self._scale * expand_dims(z, -2), -1)

    def _solution(self, y):
        batch = broadcast_dynamic_shape(shape(y)[:-1], shape(self._scale)[:-2])
        size = shape(self._scale)[-1:]
        y = y * ones(concat([batch, size], 0), dtype=self.dtype)
        scale = self._scale * ones(concat([batch, size, size], 0), dtype=self.dtype)
        return squeeze(matrix_triangular_solve(scale, expand_dims(y, -1)), [-1])

    def _variance(self):
        return reduce_sum(square(self._scale), -1) * self._full_ones()


@RegisterKL(_MultivariateNormal, _MultivariateNormal)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_mvn", [a.loc, b.loc]):
        distance = reduce_sum(square(b._solution(b.loc - a.loc)), -1)
        if isinstance(a, MultivariateNormalDiag) and isinstance(b, MultivariateNormalDiag):
            ratio = reduce_sum(square(a._scale / b._scale), -1)
        else:
            columns = matrix_transpose(a._dense() * ones(concat([a.batch_shape_tensor(), [1, 1]], 0), dtype=a.dtype))
            wide = MultivariateNormalTriL(scale_tril=expand_dims(b._dense(), -3))
            ratio = reduce_sum(square(wide._solution(columns)), [-2, -1])
        return b._log_det() - a._log_det() + 0.5 * (ratio + distance - a._size())
