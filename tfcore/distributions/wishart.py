"""The Wishart distribution of positive definite matrices."""

import math

from tfcore.composed.linear_operators.lower_triangular import LinearOperatorLowerTriangular
from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.diag import matrix_band_part, matrix_diag_part, matrix_set_diag
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.special import digamma, lgamma
from tfcore.ops.cwise.unary import log, sqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.linalg.linalg import cholesky
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.random.random import random_normal
from tfcore.ops.random.sample import random_gamma
from tfcore.ops.reduce.reduce import reduce_sum


class _Wishart(Distribution):
    """The base: the scale is a lower triangle L, with which the scale matrix is L @ L'."""

    def _set_up(self, df, triangle, cholesky_matrices, validate_args, allow_nan_stats, parameters, name):
        self._df = convert_to_tensor(df, dtype=triangle.dtype, name="df")
        self._scale_operator = LinearOperatorLowerTriangular(triangle, is_non_singular=True, is_square=True)
        self._cholesky_input_output_matrices = cholesky_matrices
        known = self._scale_operator.domain_dimension.value
        self._dimension = convert_to_tensor(known, dtype="int32") if known else shape(triangle)[-1]
        least, lowest = cast(self._dimension, triangle.dtype), util.constant_value_of(self._df)
        message = "Degrees of freedom (df = {}) cannot be less than dimension of scale matrix (scale.dimension = {})"
        if known and lowest is not None:
            if (lowest < known).any():
                raise ValueError(message.format(lowest, known))
        elif validate_args:
            check_df = check.assert_less_equal(
                least, self._df, message="Degrees of freedom are less than the dimension"
            )
            self._df = with_dependencies([check_df], self._df)
        super().__init__(
            dtype=triangle.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, triangle],
            name=name,
        )

    @property
    def df(self):
        """The degrees of freedom."""
        return self._df

    def scale(self):
        """The scale matrix, or its Cholesky factor if `cholesky_input_output_matrices` is set.

        Returns:
          A `Tensor` of shape [..., k, k].
        """
        return self._as_output(self.scale_operator.to_dense())

    @property
    def scale_operator(self):
        """The Cholesky factor of the scale matrix, a `LinearOperator`."""
        return self._scale_operator

    @property
    def cholesky_input_output_matrices(self):
        """Whether samples and values are Cholesky factors of matrices."""
        return self._cholesky_input_output_matrices

    @property
    def dimension(self):
        """The number k of rows of a matrix, an int32 scalar."""
        return self._dimension

    def _as_output(self, triangle):
        return triangle if self.cholesky_input_output_matrices else matmul(triangle, triangle, adjoint_b=True)

    def _batch_shape_tensor(self):
        return broadcast_dynamic_shape(shape(self.df), self.scale_operator.batch_shape_tensor())

    def _batch_shape(self):
        return broadcast_static_shape(self.df.shape, self.scale_operator.batch_shape)

    def _event_shape_tensor(self):
        return self.scale_operator.shape_tensor()[-2:]

    def _event_shape(self):
        return TensorShape([self.scale_operator.range_dimension] * 2)

    def _size(self):
        return cast(self.dimension, self.dtype)

    def _halves(self):
        """(df - i) / 2 for each row i, of shape [..., k]."""
        rows = cast(range_of(self.dimension), self.dtype)
        return (expand_dims(self.df, -1) - rows) * 0.5

    def _multi_lgamma(self):
        size = self._size()
        return 0.25 * size * (size - 1.0) * math.log(math.pi) + reduce_sum(lgamma(self._halves()), -1)

    def _multi_digamma(self):
        return reduce_sum(digamma(self._halves()), -1)

    def _for_matrices(self, value):
        return expand_dims(expand_dims(value, -1), -1)

    # ---- Samples and their densities

    def _sample_n(self, n, seed=None):
        # Bartlett's decomposition: normal numbers below a diagonal of roots of chi-squared ones
        batch = self.batch_shape_tensor()
        normal = random_normal(concat([[n], batch, self.event_shape_tensor()], 0), dtype=self.dtype, seed=seed)
        halves = self._halves() * ones(concat([batch, [1]], 0), dtype=self.dtype)
        seed = util.gen_new_seed(seed, "wishart")
        squares = random_gamma([n], halves, convert_to_tensor(0.5, self.dtype), dtype=self.dtype, seed=seed)
        triangle = matrix_set_diag(matrix_band_part(normal, -1, 0), sqrt(squares))
        return self._as_output(self.scale_operator.matmul(triangle))

    def _log_prob(self, x):
        root = x if self.cholesky_input_output_matrices else cholesky(x)
        trace = reduce_sum(square(self.scale_operator.solve(root)), [-2, -1])
        half_log_det = reduce_sum(log(matrix_diag_part(root)), -1)
        return (self.df - self._size() - 1.0) * half_log_det - 0.5 * trace - self.log_normalization()

    def log_normalization(self, name="log_normalization"):
        """The logarithm of the number by which the density is divided.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of the batch shape.
        """
        with self._name_scope(name):
            log_det = self.scale_operator.log_abs_determinant()
            return self.df * log_det + 0.5 * self.df * self._size() * math.log(2.0) + self._multi_lgamma()

    # ---- Statistics

    def mean_log_det(self, name="mean_log_det"):
        """The mean of the logarithm of the determinant.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of the batch shape.
        """
        with self._name_scope(name):
            log_det = self.scale_operator.log_abs_determinant()
            return self._multi_digamma() + self._size() * math.log(2.0) + 2 * log_det

    def _entropy(self):
        size, half = self._size(), 0.5 * self.df
        middle = 0.5 * size + 0.5
        return (
            size * (half + middle * math.log(2.0))
            + 2 * middle * self.scale_operator.log_abs_determinant()
            + self._multi_lgamma()
            + (middle - half) * self._multi_digamma()
        )

    def _mean(self):
        dense = self.scale_operator.to_dense()
        if self.cholesky_input_output_matrices:
            return self._for_matrices(sqrt(self.df)) * dense
        return self._for_matrices(self.df) * matmul(dense, dense, adjoint_b=True)

    def _variance(self):
        dense = self.scale_operator.to_dense()
        product = self._for_matrices(sqrt(self.df)) * matmul(dense, dense, adjoint_b=True)
        diagonal = expand_dims(matrix_diag_part(product), -1)
        variance = square(product) + matmul(diagonal, diagonal, adjoint_b=True)
        return cholesky(variance) if self.cholesky_input_output_matrices else variance

    def _stddev(self):
        if self.cholesky_input_output_matrices:
            raise ValueError("Computing std. dev. when is cholesky_input_output_matrices=True does not make sense.")
        return sqrt(self._variance())

    def _mode(self):
        factor = self.df - self._size() - 1.0
        factor = self._for_matrices(util.nan_where_not(factor >= 0, factor))
        dense = self.scale_operator.to_dense()
        if self.cholesky_input_output_matrices:
            return sqrt(factor) * dense
        return factor * matmul(dense, dense, adjoint_b=True)


class WishartCholesky(_Wishart):
    """The Wishart distribution with a scale matrix given by its Cholesky factor.

    Args:
      df: The degrees of freedom, a floating-point `Tensor`, at least k.
      scale: The Cholesky factor, a `Tensor` of shape [..., k, k] and of the type of `df`.
      cholesky_input_output_matrices: Whether samples and values are Cholesky factors of matrices.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `df` is less than k.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: an element of the diagonal is not positive, or
        matrices are not square.

    Example:

    >>> d = tf.contrib.distributions.WishartCholesky(3.0, [[1.0, 0.0], [1.0, 2.0]])
    >>> print(sess.run(d.mean()).tolist())
    [[3.0, 3.0], [3.0, 15.0]]
    """

    def __init__(
        self,
        df,
        scale,
        cholesky_input_output_matrices=False,
        validate_args=False,
        allow_nan_stats=True,
        name="WishartCholesky",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[df, scale]) as name:
            scale = convert_to_tensor(scale, name="scale")
            if validate_args:
                checks = [
                    check.assert_positive(matrix_diag_part(scale), message="scale must be positive definite"),
                    check.assert_equal(shape(scale)[-1], shape(scale)[-2], message="scale must be square"),
                ]
                scale = with_dependencies(checks, scale)
            self._set_up(df, scale, cholesky_input_output_matrices, validate_args, allow_nan_stats, parameters, name)


class WishartFull(_Wishart):
    """The Wishart distribution with a scale matrix.

    Args:
      df: The degrees of freedom, a floating-point `Tensor`, at least k.
      scale: The scale matrix, a `Tensor` of shape [..., k, k] and of the type of `df`, symmetric and positive definite.
      cholesky_input_output_matrices: Whether samples and values are Cholesky factors of matrices.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `df` is less than k.
      tf.errors.InvalidArgumentError: When run: `scale` is not positive definite.

    Example:

    >>> d = tf.contrib.distributions.WishartFull(3.0, [[2.0, 1.0], [1.0, 2.0]])
    >>> print(sess.run(d.mean()).round(3).tolist())
    [[6.0, 3.0], [3.0, 6.0]]
    """

    def __init__(
        self,
        df,
        scale,
        cholesky_input_output_matrices=False,
        validate_args=False,
        allow_nan_stats=True,
        name="WishartFull",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[df, scale]) as name:
            scale = convert_to_tensor(scale, name="scale")
            triangle = cholesky(scale)
            self._set_up(df, triangle, cholesky_input_output_matrices, validate_args, allow_nan_stats, parameters, name)
