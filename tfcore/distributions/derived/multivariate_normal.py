"""Multivariate normal distributions: loc + scale @ z, with a vector z of standard normal numbers."""

from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.distributions import scales
from tfcore.distributions.derived.vectors import VectorOfScaled
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.normal import Normal
from tfcore.framework.graph.graph import name_scope
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import square
from tfcore.ops.debugging import check
from tfcore.ops.linalg.linalg import cholesky
from tfcore.ops.nn.activations import softplus
from tfcore.ops.reduce.reduce import reduce_sum


class MultivariateNormal(VectorOfScaled):
    """The base of multivariate normal distributions."""

    def _set_up_normal(self, loc, scale, validate_args, allow_nan_stats, parameters, name):
        zero, one = zeros([], dtype=scale.dtype), ones([], dtype=scale.dtype)
        base = Normal(zero, one, allow_nan_stats=allow_nan_stats)
        self._set_up(base, loc, scale, validate_args, parameters, name)

    def _mode(self):
        return self._mean()


class MultivariateNormalDiag(MultivariateNormal):
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
            loc, diag, multiplier = scales.convert_to_common_type(
                loc=loc, scale_diag=scale_diag, scale_identity_multiplier=scale_identity_multiplier
            )
            scale = scales.diagonal_scale(loc, diag, multiplier, validate_args)
            self._set_up_normal(loc, scale, validate_args, allow_nan_stats, parameters, name)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag with the standard deviations softplus(scale_diag).

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k].
      scale_diag: A `Tensor` of shape [..., k] and of the same type.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self,
        loc,
        scale_diag,
        validate_args=False,
        allow_nan_stats=True,
        name="MultivariateNormalDiagWithSoftplusScale",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[scale_diag]) as name:
            super().__init__(
                loc, softplus(scale_diag), validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name
            )
        self._parameters = parameters


class MultivariateNormalDiagPlusLowRank(MultivariateNormal):
    """The multivariate normal distribution whose scale is a diagonal plus V @ diag(d) @ V'.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; zeros by default.
      scale_diag: A `Tensor` of shape [..., k] and of the same type.
      scale_identity_multiplier: A `Tensor` of the shape of the batch, which is added to the diagonal.
      scale_perturb_factor: V, a `Tensor` of shape [..., k, r].
      scale_perturb_diag: d, a `Tensor` of shape [..., r]; 1 by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_diag` is given, or `scale_perturb_diag` without `scale_perturb_factor`.

    Example:

    >>> ds = tf.contrib.distributions
    >>> d = ds.MultivariateNormalDiagPlusLowRank([0.0, 0.0], [1.0, 1.0], scale_perturb_factor=[[1.0], [1.0]])
    >>> print(sess.run(d.covariance()).tolist())
    [[5.0, 4.0], [4.0, 5.0]]
    """

    def __init__(
        self,
        loc=None,
        scale_diag=None,
        scale_identity_multiplier=None,
        scale_perturb_factor=None,
        scale_perturb_diag=None,
        validate_args=False,
        allow_nan_stats=True,
        name="MultivariateNormalDiagPlusLowRank",
    ):
        parameters = dict(locals())
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("Cannot specify scale_perturb_diag without scale_perturb_factor.")
        given = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor, scale_perturb_diag]
        with name_scope(name, values=given) as name:
            loc, diag, multiplier, factor, perturb_diag = scales.convert_to_common_type(
                loc=loc,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                scale_perturb_factor=scale_perturb_factor,
                scale_perturb_diag=scale_perturb_diag,
            )
            scale = scales.diagonal_scale(loc, diag, multiplier, validate_args)
            if factor is not None:
                scale = scales.updated_scale(scale, factor, perturb_diag, is_positive_definite=True)
            self._set_up_normal(loc, scale, validate_args, allow_nan_stats, parameters, name)


class MultivariateNormalTriL(MultivariateNormal):
    """The multivariate normal distribution loc + scale_tril @ z, with the covariance scale_tril @ scale_tril'.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; zeros by default.
      scale_tril: A `Tensor` of shape [..., k, k] and of the same type, whose lower triangle is used; the identity by
        default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_tril` is given, or the types differ.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: an element of the diagonal is 0.

    Example:

    >>> d = tf.contrib.distributions.MultivariateNormalTriL(scale_tril=[[2.0, 0.0], [1.0, 1.0]])
    >>> print(sess.run(d.covariance()).tolist())
    [[4.0, 2.0], [2.0, 2.0]]
    """

    def __init__(
        self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalTriL"
    ):
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with name_scope(name, values=[loc, scale_tril]) as name:
            loc, tril = scales.convert_to_common_type(loc=loc, scale_tril=scale_tril)
            if tril is None:
                scale = scales.diagonal_scale(loc, validate_args=validate_args)
            else:
                scale = scales.triangular_scale(tril, validate_args=validate_args)
            self._set_up_normal(loc, scale, validate_args, allow_nan_stats, parameters, name)


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The multivariate normal distribution with a mean and a covariance matrix.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; zeros by default.
      covariance_matrix: A `Tensor` of shape [..., k, k] and of the same type, symmetric and positive definite; the
        identity by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `covariance_matrix` is given, or the types differ.
      tf.errors.InvalidArgumentError: When run: the matrix is not positive definite; with `validate_args`, it is not
        symmetric.

    Example:

    >>> d = tf.contrib.distributions.MultivariateNormalFullCovariance([1.0, 2.0], [[2.0, 1.0], [1.0, 2.0]])
    >>> print(sess.run(d.mean()))
    [1. 2.]
    """

    def __init__(
        self,
        loc=None,
        covariance_matrix=None,
        validate_args=False,
        allow_nan_stats=True,
        name="MultivariateNormalFullCovariance",
    ):
        parameters = dict(locals())
        if loc is None and covariance_matrix is None:
            raise ValueError("Must specify one or both of `loc`, `covariance_matrix`.")
        with name_scope(name, values=[loc, covariance_matrix]) as name:
            loc, matrix = scales.convert_to_common_type(loc=loc, covariance_matrix=covariance_matrix)
            tril = None
            if matrix is not None:
                if validate_args:
                    message = "Matrix was not symmetric."
                    matrix = with_dependencies(
                        [check.assert_near(matrix, matrix_transpose(matrix), message=message)], matrix
                    )
                tril = cholesky(matrix)
            super().__init__(loc, tril, validate_args, allow_nan_stats, name)
        self._parameters = parameters


@RegisterKL(MultivariateNormal, MultivariateNormal)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_mvn", [a.loc, b.loc]):
        distance = reduce_sum(square(b.scale.solvevec(b.mean() - a.mean())), -1)
        if isinstance(a.scale, LinearOperatorDiag) and isinstance(b.scale, LinearOperatorDiag):
            ratio = reduce_sum(square(a.scale.diag_part() / b.scale.diag_part()), -1)
        else:
            ratio = reduce_sum(square(b.scale.solve(a.scale.to_dense())), [-2, -1])
        size = cast(a.scale.domain_dimension_tensor(), a.dtype)
        return b.scale.log_abs_determinant() - a.scale.log_abs_determinant() + 0.5 * (ratio + distance - size)
