"""Bijectors that are made of other ones, or of functions."""

from tfcore.distributions.bijectors.bijector import Bijector, ConditionalBijector
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.diag import matrix_diag_part, matrix_set_diag


class Invert(ConditionalBijector):
    """The inverse function of another one.

    Args:
      bijector: The `Bijector`.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.

    Raises:
      NotImplementedError: Several values of the other function have the same image.
    """

    def __init__(self, bijector, validate_args=False, name=None):
        if not bijector._is_injective:
            raise NotImplementedError("Invert is not implemented for non-injective bijectors.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self):
        """The other function."""
        return self._bijector

    def _forward_event_shape(self, input_shape):
        return self.bijector.inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape):
        return self.bijector.inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape):
        return self.bijector.forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape):
        return self.bijector.forward_event_shape_tensor(output_shape)

    def _forward(self, x, **kwargs):
        return self.bijector.inverse(x, **kwargs)

    def _inverse(self, y, **kwargs):
        return self.bijector.forward(y, **kwargs)

    def _forward_log_det_jacobian(self, x, **kwargs):
        return self.bijector.inverse_log_det_jacobian(x, self.forward_min_event_ndims, **kwargs)

    def _inverse_log_det_jacobian(self, y, **kwargs):
        return self.bijector.forward_log_det_jacobian(y, self.inverse_min_event_ndims, **kwargs)


class Chain(ConditionalBijector):
    """One function after another: the last one of the list first.

    Args:
      bijectors: A list of `Bijector`s.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The bijectors have different types.
      NotImplementedError: Several values of one of them have the same image.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.Chain([b.Exp(), b.AffineScalar(shift=1.0)]).forward([-1.0])))
    [1.]
    """

    def __init__(self, bijectors=None, validate_args=False, name=None):
        self._bijectors = tuple(bijectors or ())
        if not all(bijector._is_injective for bijector in self._bijectors):
            raise NotImplementedError("Chain is not implemented for non-injective bijectors.")
        types = {bijector.dtype for bijector in self._bijectors} - {None}
        if len(types) > 1:
            raise ValueError(f"incompatible dtypes: {sorted(kind.name for kind in types)}")
        name = name or "_of_".join(["chain", *(b.name for b in self._bijectors)] if self._bijectors else ["identity"])
        super().__init__(
            graph_parents=[parent for b in self._bijectors for parent in b.graph_parents],
            is_constant_jacobian=all(b.is_constant_jacobian for b in self._bijectors),
            validate_args=validate_args,
            dtype=next(iter(types), None),
            forward_min_event_ndims=_fewest(
                (b.forward_min_event_ndims, b.inverse_min_event_ndims) for b in reversed(self._bijectors)
            ),
            inverse_min_event_ndims=_fewest(
                (b.inverse_min_event_ndims, b.forward_min_event_ndims) for b in self._bijectors
            ),
            name=name,
        )

    @property
    def bijectors(self):
        """The functions, a tuple."""
        return self._bijectors

    def _forward_event_shape(self, input_shape):
        for bijector in reversed(self.bijectors):
            input_shape = bijector.forward_event_shape(input_shape)
        return input_shape

    def _forward_event_shape_tensor(self, input_shape):
        for bijector in reversed(self.bijectors):
            input_shape = bijector.forward_event_shape_tensor(input_shape)
        return input_shape

    def _inverse_event_shape(self, output_shape):
        for bijector in self.bijectors:
            output_shape = bijector.inverse_event_shape(output_shape)
        return output_shape

    def _inverse_event_shape_tensor(self, output_shape):
        for bijector in self.bijectors:
            output_shape = bijector.inverse_event_shape_tensor(output_shape)
        return output_shape

    def _forward(self, x, **kwargs):
        for bijector in reversed(self.bijectors):
            x = bijector.forward(x, **kwargs.get(bijector.name, {}))
        return x

    def _inverse(self, y, **kwargs):
        for bijector in self.bijectors:
            y = bijector.inverse(y, **kwargs.get(bijector.name, {}))
        return y

    def _forward_log_det_jacobian(self, x, **kwargs):
        total, ndims = zeros([], dtype=x.dtype), self.forward_min_event_ndims
        for bijector in reversed(self.bijectors):
            more = kwargs.get(bijector.name, {})
            total += bijector.forward_log_det_jacobian(x, ndims, **more)
            ndims += bijector.inverse_min_event_ndims - bijector.forward_min_event_ndims
            x = bijector.forward(x, **more)
        return total

    def _inverse_log_det_jacobian(self, y, **kwargs):
        total, ndims = zeros([], dtype=y.dtype), self.inverse_min_event_ndims
        for bijector in self.bijectors:
            more = kwargs.get(bijector.name, {})
            total += bijector.inverse_log_det_jacobian(y, ndims, **more)
            ndims += bijector.forward_min_event_ndims - bijector.inverse_min_event_ndims
            y = bijector.inverse(y, **more)
        return total


def _fewest(steps):
    """The fewest dimensions that a series of functions takes, from those that each one takes and gives."""
    fewest = change = 0
    for takes, gives in steps:
        fewest = max(fewest, takes - change)
        change += gives - takes
    return fewest


class Inline(Bijector):
    """A bijector made of functions.

    Args:
      forward_fn: The function.
      inverse_fn: Its inverse.
      inverse_log_det_jacobian_fn: The logarithm of the absolute Jacobian determinant of `inverse_fn`.
      forward_log_det_jacobian_fn: That of `forward_fn`.
      forward_event_shape_fn: A function of `TensorShape`s; by default shapes do not change.
      forward_event_shape_tensor_fn: A function of int32 vectors.
      inverse_event_shape_fn: A function of `TensorShape`s.
      inverse_event_shape_tensor_fn: A function of int32 vectors.
      is_constant_jacobian: Whether the Jacobian is the same everywhere.
      validate_args: Accepted for compatibility; has no effect.
      forward_min_event_ndims: The fewest dimensions that `forward_fn` takes.
      inverse_min_event_ndims: The fewest dimensions that `inverse_fn` takes.
      name: Prefix of the names of the operations.

    Raises:
      TypeError: An argument is neither None nor callable.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> double = b.Inline(lambda x: 2 * x, lambda y: y / 2, forward_min_event_ndims=0)
    >>> print(sess.run(double.inverse(3.0)))
    1.5
    """

    def __init__(
        self,
        forward_fn=None,
        inverse_fn=None,
        inverse_log_det_jacobian_fn=None,
        forward_log_det_jacobian_fn=None,
        forward_event_shape_fn=None,
        forward_event_shape_tensor_fn=None,
        inverse_event_shape_fn=None,
        inverse_event_shape_tensor_fn=None,
        is_constant_jacobian=False,
        validate_args=False,
        forward_min_event_ndims=None,
        inverse_min_event_ndims=None,
        name="inline",
    ):
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        given = {
            "forward_event_shape": forward_event_shape_fn,
            "forward_event_shape_tensor": forward_event_shape_tensor_fn,
            "inverse_event_shape": inverse_event_shape_fn,
            "inverse_event_shape_tensor": inverse_event_shape_tensor_fn,
            "forward": forward_fn,
            "inverse": inverse_fn,
            "inverse_log_det_jacobian": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian": forward_log_det_jacobian_fn,
        }
        for method, function in given.items():
            if function is None:
                continue
            if not callable(function):
                raise TypeError(f"`{method}_fn` is not a callable function.")
            setattr(self, f"_{method}", function)


class TransformDiagonal(Bijector):
    """Applies another bijector to the diagonals of matrices.

    Args:
      diag_bijector: The `Bijector` of the diagonals, of numbers or vectors.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.
    """

    def __init__(self, diag_bijector, validate_args=False, name="transform_diagonal"):
        self._diag_bijector = diag_bijector
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x):
        return matrix_set_diag(x, self._diag_bijector.forward(matrix_diag_part(x)))

    def _inverse(self, y):
        return matrix_set_diag(y, self._diag_bijector.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x):
        return self._diag_bijector.forward_log_det_jacobian(matrix_diag_part(x), 1)

    def _inverse_log_det_jacobian(self, y):
        return self._diag_bijector.inverse_log_det_jacobian(matrix_diag_part(y), 1)
