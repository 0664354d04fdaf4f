"""Affine functions of vectors: y = scale @ x + shift."""

from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.distributions import scales
from tfcore.distributions.bijectors.bijector import Bijector
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, identity, shape
from tfcore.ops.array.constants import zeros
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log
from tfcore.ops.debugging import check


class AffineLinearOperator(Bijector):
    """y = scale @ x + shift, where the scale is a linear operator.

    Args:
      shift: A floating-point `Tensor` of shape [..., k]; 0 by default.
      scale: A `LinearOperator` of shape [..., k, k] and of the same type; the identity by default.
      validate_args: Whether it is checked in each run that the scale has an inverse.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      TypeError: `scale` is not a `LinearOperator`, or its type is another than that of `shift`.
      ValueError: `scale` may not have an inverse.
    """

    def __init__(self, shift=None, scale=None, validate_args=False, name="affine_linear_operator", event_ndims=0):
        self._default_event_ndims = event_ndims
        parents, dtype = [], None
        with name_scope(name, values=[shift]):
            if shift is not None:
                shift = convert_to_tensor(shift, name="shift")
                parents, dtype = [shift], shift.dtype.base_dtype
            if scale is not None:
                if not isinstance(scale, LinearOperator):
                    raise TypeError(f"scale is not an instance of tf.LinearOperator: {scale}")
                if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
                    raise TypeError(f"shift.dtype({shift.dtype}) is incompatible with scale.dtype({scale.dtype}).")
                if not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
                parents, dtype = parents + scale.graph_parents, scale.dtype.base_dtype
            self._shift, self._scale = shift, scale
        super().__init__(
            graph_parents=parents,
            is_constant_jacobian=True,
            validate_args=validate_args,
            dtype=dtype,
            forward_min_event_ndims=1,
            name=name,
        )

    @property
    def shift(self):
        """The vector that is added, or None."""
        return self._shift

    @property
    def scale(self):
        """The `LinearOperator`, or None."""
        return self._scale

    def _checked(self, value):
        if not self.validate_args or self.scale is None:
            return value
        return with_dependencies([self.scale.assert_non_singular()], value)

    def _forward(self, x):
        y = identity(x) if self.scale is None else self._checked(self.scale.matvec(x))
        return y if self.shift is None else y + self.shift

    def _inverse(self, y):
        x = identity(y) if self.shift is None else y - self.shift
        return x if self.scale is None else self._checked(self.scale.solvevec(x))

    def _forward_log_det_jacobian(self, x):
        return zeros([], dtype=x.dtype) if self.scale is None else self._checked(self.scale.log_abs_determinant())


class Affine(AffineLinearOperator):
    """y = scale @ x + shift, where the scale is a sum of an identity, a diagonal, a triangle and a matrix of low rank.

    Args:
      shift: A floating-point `Tensor` of shape [..., k]; 0 by default.
      scale_identity_multiplier: A `Tensor` of the shape of the batch: the factor of the identity.
      scale_diag: A `Tensor` of shape [..., k]: a diagonal.
      scale_tril: A `Tensor` of shape [..., k, k], of which the lower triangle is used.
      scale_perturb_factor: A `Tensor` V of shape [..., k, r]: V @ diag(scale_perturb_diag) @ V' is added.
      scale_perturb_diag: A `Tensor` of shape [..., r]; 1 by default.
      validate_args: Whether it is checked in each run that the scale has an inverse.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.
      dtype: The `DType` of values; by default that of the other arguments.

    Raises:
      TypeError: The arguments have different types.
      ValueError: `scale_perturb_diag` is given without `scale_perturb_factor`.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.Affine(shift=[1.0, 0.0], scale_diag=[2.0, 3.0]).forward([1.0, 1.0])))
    [3. 3.]
    """

    def __init__(
        self,
        shift=None,
        scale_identity_multiplier=None,
        scale_diag=None,
        scale_tril=None,
        scale_perturb_factor=None,
        scale_perturb_diag=None,
        validate_args=False,
        name="affine",
        dtype=None,
        event_ndims=0,
    ):
        given = [shift, scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_factor, scale_perturb_diag]
        with name_scope("init", values=given):
            dtype = scales.common_type(given, dtype)
            names = "shift scale_identity_multiplier scale_diag scale_tril scale_perturb_factor scale_perturb_diag"
            given = [
                None if value is None else convert_to_tensor(value, dtype=dtype, name=own)
                for value, own in zip(given, names.split())
            ]
            shift, multiplier, diag, tril, factor, perturb_diag = given
            if factor is None and perturb_diag is not None:
                raise ValueError("Cannot specify scale_perturb_diag without scale_perturb_factor.")
            self._multiplier = multiplier if diag is None and tril is None and factor is None else None
            scale = None
            if tril is not None:
                scale = scales.triangular_scale(tril, diag, multiplier, validate_args)
            elif diag is not None or factor is not None:
                size_of = factor[..., 0] if factor is not None else None
                scale = scales.diagonal_scale(size_of, diag, multiplier, validate_args)
            if factor is not None:
                scale = scales.updated_scale(scale, factor, perturb_diag)
        super().__init__(shift, scale, validate_args, name, event_ndims)

    # A multiple of the identity alone does not say how long vectors are.

    def _factor(self, multiplier):
        if not self.validate_args:
            return multiplier
        zero = zeros([], dtype=multiplier.dtype)
        return with_dependencies([check.assert_none_equal(multiplier, zero)], multiplier)

    def _forward(self, x):
        if self._multiplier is None:
            return super()._forward(x)
        y = x * expand_dims(self._factor(self._multiplier), -1)
        return y if self.shift is None else y + self.shift

    def _inverse(self, y):
        if self._multiplier is None:
            return super()._inverse(y)
        x = y if self.shift is None else y - self.shift
        return x / expand_dims(self._factor(self._multiplier), -1)

    def _forward_log_det_jacobian(self, x):
        if self._multiplier is None:
            return super()._forward_log_det_jacobian(x)
        return log(abs_of(self._factor(self._multiplier))) * cast(shape(x)[-1], x.dtype)
