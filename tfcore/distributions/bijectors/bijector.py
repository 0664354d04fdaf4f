"""The base class of bijectors, and the class of those that take more arguments."""

import contextlib
import re

from tfcore.framework.graph.graph import control_dependencies, get_default_graph, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import rank, shape
from tfcore.ops.array.constants import ones
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_sum


class _Pair:
    """A value, its image, and the log determinants of the inverse's Jacobian there, {event_ndims: Tensor}."""

    __slots__ = ("kwargs", "log_dets", "x", "y")

    def __init__(self, kwargs):
        self.x = self.y = None
        self.log_dets = {}
        self.kwargs = kwargs  # kept, since the pair is found by the identity of their values

    def key(self, tensor):
        return (id(tensor), *((name, id(value)) for name, value in sorted(self.kwargs.items())))


class Bijector:
    """An invertible function y = forward(x) of tensors, with the log determinants of its Jacobian.

    A subclass defines `_forward`, `_inverse`, and `_forward_log_det_jacobian` or `_inverse_log_det_jacobian`, which
    have the logarithm of the absolute determinant of the Jacobian over the fewest dimensions that the function takes;
    and `_forward_event_shape`, `_inverse_event_shape` and their `_tensor` forms if it changes the shape of an event.

    What has been computed is kept: the inverse of a tensor that `forward` returned is the tensor it was given.

    Args:
      graph_parents: A list of the `Tensor`s that it was made of.
      is_constant_jacobian: Whether the Jacobian is the same everywhere.
      validate_args: Whether arguments are checked in each run.
      dtype: The `DType` of values; any by default.
      forward_min_event_ndims: The fewest dimensions that `forward` takes; those of the inverse by default.
      inverse_min_event_ndims: The fewest dimensions that `inverse` takes; those of `forward` by default.
      name: Prefix of the names of the operations; by default that of the class, in lower case.

    Raises:
      ValueError: Neither number of dimensions is given, one is negative, or a graph parent is not a `Tensor`.
    """

    _default_event_ndims = 0  # what a constructor was given as `event_ndims`, in programs written before TensorFlow 1.6

    def __init__(
        self,
        graph_parents=None,
        is_constant_jacobian=False,
        validate_args=False,
        dtype=None,
        forward_min_event_ndims=None,
        inverse_min_event_ndims=None,
        name=None,
    ):
        self._graph_parents = graph_parents or []
        for i, parent in enumerate(self._graph_parents):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError("Must specify at least one of `forward_min_event_ndims` and `inverse_min_event_ndims`.")
        if forward_min_event_ndims is None:
            forward_min_event_ndims = inverse_min_event_ndims
        if inverse_min_event_ndims is None:
            inverse_min_event_ndims = forward_min_event_ndims
        sizes = {"forward": forward_min_event_ndims, "inverse": inverse_min_event_ndims}
        for direction, ndims in sizes.items():
            if ndims < 0:
                raise ValueError(f"{direction}_min_event_ndims must be a non-negative integer.")
        self._forward_min_event_ndims = forward_min_event_ndims
        self._inverse_min_event_ndims = inverse_min_event_ndims
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = dtype
        self._pairs_of_x, self._pairs_of_y = {}, {}
        self._name = name or _snake_case(type(self).__name__.lstrip("_"))

    # ---- What it is made of

    @property
    def graph_parents(self):
        """A list of the `Tensor`s that it was made of."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self):
        """The fewest dimensions that `forward` takes."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self):
        """The fewest dimensions that `inverse` takes."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self):
        """Whether the Jacobian is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self):
        return True

    @property
    def validate_args(self):
        """Whether arguments are checked in each run."""
        return self._validate_args

    @property
    def dtype(self):
        """The `DType` of values, or None."""
        return self._dtype

    @property
    def name(self):
        """Prefix of the names of the operations."""
        return self._name

    # ---- Shapes

    def _forward_event_shape_tensor(self, input_shape):
        return input_shape

    def _forward_event_shape(self, input_shape):
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape):
        return output_shape

    def _inverse_event_shape(self, output_shape):
        return output_shape

    def forward_event_shape_tensor(self, input_shape, name="forward_event_shape_tensor"):
        """The shape of an event of `forward`.

        Args:
          input_shape: The shape of the event that it is given, an int32 vector.
          name: Name of the scope.

        Returns:
          An int32 `Tensor`, a vector.
        """
        with self._name_scope(name, [input_shape]):
            return self._forward_event_shape_tensor(convert_to_tensor(input_shape, dtypes.int32, "input_shape"))

    def forward_event_shape(self, input_shape):
        """The static shape of an event of `forward`.

        Args:
          input_shape: The `TensorShape` of the event that it is given.

        Returns:
          A `TensorShape`.
        """
        return TensorShape(self._forward_event_shape(TensorShape(input_shape)))

    def inverse_event_shape_tensor(self, output_shape, name="inverse_event_shape_tensor"):
        """The shape of an event of `inverse`.

        Args:
          output_shape: The shape of the event that it is given, an int32 vector.
          name: Name of the scope.

        Returns:
          An int32 `Tensor`, a vector.
        """
        with self._name_scope(name, [output_shape]):
            return self._inverse_event_shape_tensor(convert_to_tensor(output_shape, dtypes.int32, "output_shape"))

    def inverse_event_shape(self, output_shape):
        """The static shape of an event of `inverse`.

        Args:
          output_shape: The `TensorShape` of the event that it is given.

        Returns:
          A `TensorShape`.
        """
        return TensorShape(self._inverse_event_shape(TensorShape(output_shape)))

    # ---- The function and its inverse

    def _forward(self, x, **kwargs):
        raise NotImplementedError("forward not implemented.")

    def _inverse(self, y, **kwargs):
        raise NotImplementedError("inverse not implemented")

    def _call_forward(self, x, name, **kwargs):
        with self._name_scope(name, [x]):
            x = self._convert_argument(x, "x")
            if not self._is_injective:
                return self._forward(x, **kwargs)
            pair = self._known_pair(self._pairs_of_x, x, kwargs)
            pair.x = x
            if not _usable(pair.y):
                self._learn_y(pair, self._forward(x, **kwargs))
            return pair.y

    def _call_inverse(self, y, name, **kwargs):
        with self._name_scope(name, [y]):
            y = self._convert_argument(y, "y")
            if not self._is_injective:
                return self._inverse(y, **kwargs)
            pair = self._known_pair(self._pairs_of_y, y, kwargs)
            pair.y = y
            if not _usable(pair.x):
                self._learn_x(pair, self._inverse(y, **kwargs))
            return pair.x

    def forward(self, x, name="forward"):
        """The function.

        Args:
          x: A `Tensor`.
          name: Name of the scope.

        Returns:
          A `Tensor`.

        Raises:
          TypeError: `x` is not of the type `dtype`.
          NotImplementedError: The class lacks it.
        """
        return self._call_forward(x, name)

    def inverse(self, y, name="inverse"):
        """The inverse function.

        Args:
          y: A `Tensor`.
          name: Name of the scope.

        Returns:
          A `Tensor`; a tuple of them if several values have the same image, as those of `AbsoluteValue`.

        Raises:
          TypeError: `y` is not of the type `dtype`.
          NotImplementedError: The class lacks it.
        """
        return self._call_inverse(y, name)

    # ---- Determinants

    def _forward_log_det_jacobian(self, x, **kwargs):
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _inverse_log_det_jacobian(self, y, **kwargs):
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _call_forward_log_det_jacobian(self, x, event_ndims, name, **kwargs):
        if not self._is_injective:
            raise NotImplementedError("forward_log_det_jacobian cannot be implemented for non-injective transforms.")
        fewest = self.forward_min_event_ndims
        event_ndims = max(fewest, self._default_event_ndims) if event_ndims is None else event_ndims
        with self._name_scope(name, [x]):
            x = self._convert_argument(x, "x")
            with control_dependencies(self._check_event_ndims(fewest, event_ndims)):
                pair = self._known_pair(self._pairs_of_x, x, kwargs)
                pair.x = x
                return -self._find_log_det(pair, event_ndims, kwargs, self._log_det_from_x, self._log_det_from_y)

    def _call_inverse_log_det_jacobian(self, y, event_ndims, name, **kwargs):
        fewest = self.inverse_min_event_ndims
        event_ndims = max(fewest, self._default_event_ndims) if event_ndims is None else event_ndims
        with self._name_scope(name, [y]):
            y = self._convert_argument(y, "y")
            with control_dependencies(self._check_event_ndims(fewest, event_ndims)):
                if not self._is_injective:
                    found = self._inverse_log_det_jacobian(y, **kwargs)
                    return tuple(self._sum_over_event(y, one, fewest, event_ndims) for one in found)
                pair = self._known_pair(self._pairs_of_y, y, kwargs)
                pair.y = y
                return self._find_log_det(pair, event_ndims, kwargs, self._log_det_from_y, self._log_det_from_x)

    def _find_log_det(self, pair, event_ndims, kwargs, first, second):
        """The log determinant of the inverse's Jacobian, by the first of two ways that the class has."""
        known = event_ndims if isinstance(event_ndims, int) else None
        if known is not None and _usable(pair.log_dets.get(known)):
            return pair.log_dets[known]
        try:
            found = first(pair, event_ndims, kwargs)
        except NotImplementedError as error:
            try:
                found = second(pair, event_ndims, kwargs)
            except NotImplementedError:
                raise error from None
        if known is not None:
            pair.log_dets[known] = found
        return found

    def _log_det_from_x(self, pair, event_ndims, kwargs):
        if not _usable(pair.x):
            self._learn_x(pair, self._inverse(pair.y, **kwargs))
        found = -self._forward_log_det_jacobian(pair.x, **kwargs)
        return self._sum_over_event(pair.x, found, self.forward_min_event_ndims, event_ndims)

    def _log_det_from_y(self, pair, event_ndims, kwargs):
        if not _usable(pair.y):
            self._learn_y(pair, self._forward(pair.x, **kwargs))
        found = self._inverse_log_det_jacobian(pair.y, **kwargs)
        return self._sum_over_event(pair.y, found, self.inverse_min_event_ndims, event_ndims)

    def forward_log_det_jacobian(self, x, event_ndims=None, name="forward_log_det_jacobian"):
        """The logarithm of the absolute Jacobian determinant of `forward`.

        Args:
          x: A `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event; `forward_min_event_ndims` by
            default, as before TensorFlow 1.7.
          name: Name of the scope.

        Returns:
          A `Tensor` that broadcasts to the shape of `x` without the dimensions of an event.

        Raises:
          ValueError: `event_ndims` is less than `forward_min_event_ndims`.
          NotImplementedError: The class lacks it.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def inverse_log_det_jacobian(self, y, event_ndims=None, name="inverse_log_det_jacobian"):
        """The logarithm of the absolute Jacobian determinant of `inverse`.

        Args:
          y: A `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event; `inverse_min_event_ndims` by
            default, as before TensorFlow 1.7.
          name: Name of the scope.

        Returns:
          A `Tensor` that broadcasts to the shape of `y` without the dimensions of an event; a tuple of them if several
          values have the same image.

        Raises:
          ValueError: `event_ndims` is less than `inverse_min_event_ndims`.
          NotImplementedError: The class lacks it.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    # ---- Helpers

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with name_scope(self.name), name_scope(name, values=[*(values or ()), *self.graph_parents]) as scope:
            yield scope

    def _convert_argument(self, value, name):
        value = convert_to_tensor(value, name=name)
        if self.dtype is not None and dtypes.as_dtype(self.dtype).base_dtype != value.dtype.base_dtype:
            wanted = dtypes.as_dtype(self.dtype).name
            raise TypeError(f"Input had dtype {value.dtype.name} but expected {wanted}.")
        return value

    def _known_pair(self, pairs, tensor, kwargs):
        pair = _Pair(kwargs)
        return pairs.setdefault(pair.key(tensor), pair)

    def _learn_x(self, pair, x):
        pair.x = x
        self._pairs_of_x[pair.key(x)] = pair

    def _learn_y(self, pair, y):
        pair.y = y
        self._pairs_of_y[pair.key(y)] = pair

    def _check_event_ndims(self, fewest, event_ndims):
        event_ndims = convert_to_tensor(event_ndims, name="event_ndims")
        if not event_ndims.dtype.is_integer:
            raise ValueError(f"Expected integer dtype, got dtype {event_ndims.dtype}")
        known = constant_value(event_ndims)
        if known is None:
            return [check.assert_greater_equal(event_ndims, fewest)] if self.validate_args else []
        if known.ndim:
            raise ValueError(f"Expected scalar event_ndims, got shape {event_ndims.shape}")
        if known < fewest:
            raise ValueError(f"event_ndims ({known}) must be larger than min_event_ndims ({fewest})")
        return []

    def _sum_over_event(self, value, log_det, fewest, event_ndims):
        """The log determinant of `fewest` dimensions, summed over the other dimensions of an event of `value`."""
        more = event_ndims - fewest
        if isinstance(event_ndims, int) and not more:
            return log_det
        axes = range_of(-more, 0) if isinstance(more, Tensor) else list(range(-more, 0))
        if self.is_constant_jacobian:  # which may lack dimensions of the value, and counts once for each element
            dims = rank(value) if value.shape.ndims is None else value.shape.ndims
            log_det *= ones(shape(value)[dims - event_ndims : dims - fewest], dtype=log_det.dtype)
        return reduce_sum(log_det, axes)


def _snake_case(name):
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _usable(tensor):
    """Whether a tensor that was computed earlier exists wherever the next operation will be."""
    if not isinstance(tensor, Tensor) or tensor.graph is not get_default_graph():
        return False
    made_in, here = tensor.op._get_control_flow_context(), get_default_graph()._get_control_flow_context()
    while here is not None and here is not made_in:
        here = here.outer_context
    return here is made_in


class ConditionalBijector(Bijector):
    """A bijector whose methods take more arguments by name, which those with an underscore get."""

    def forward(self, x, name="forward", **condition_kwargs):
        """The function.

        Args:
          x: A `Tensor`.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_forward`.

        Returns:
          A `Tensor`.
        """
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y, name="inverse", **condition_kwargs):
        """The inverse function.

        Args:
          y: A `Tensor`.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_inverse`.

        Returns:
          A `Tensor`.
        """
        return self._call_inverse(y, name, **condition_kwargs)

    def forward_log_det_jacobian(self, x, event_ndims=None, name="forward_log_det_jacobian", **condition_kwargs):
        """The logarithm of the absolute Jacobian determinant of `forward`.

        Args:
          x: A `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_forward_log_det_jacobian`.

        Returns:
          A `Tensor` that broadcasts to the shape of `x` without the dimensions of an event.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)

    def inverse_log_det_jacobian(self, y, event_ndims=None, name="inverse_log_det_jacobian", **condition_kwargs):
        """The logarithm of the absolute Jacobian determinant of `inverse`.

        Args:
          y: A `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_inverse_log_det_jacobian`.

        Returns:
          A `Tensor` that broadcasts to the shape of `y` without the dimensions of an event.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)
