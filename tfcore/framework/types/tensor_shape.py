"""Static shapes: Dimension and TensorShape, which behave as in TensorFlow 1.

A TensorShape wraps one attribute, `_dims`: None when even the rank is unknown, otherwise a tuple with
an int or None for each dimension. Internal code works on such tuples directly (`shape_of`
wraps one without checking it again); these classes are the public interface.
"""

import math


class Dimension:
    """The size of one dimension of a tensor: a non-negative int, or None if it is unknown.

    Arithmetic with an unknown dimension yields an unknown dimension, comparison yields None.

    Args:
      value: An int, a `Dimension`, or None.

    Raises:
      TypeError: The value is not an integer.
      ValueError: The value is negative or not whole.
    """

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = _dimension_value(value)

    @property
    def value(self):
        """The size as an int, or None if it is unknown."""
        return self._value

    def __repr__(self):
        return f"Dimension({self._value!r})"

    def __str__(self):
        return "?" if self._value is None else str(self._value)

    def __bool__(self):
        return bool(self._value)

    def __int__(self):
        return self._value

    def __index__(self):
        # int and operator.index raise TypeError for an unknown size.
        return self._value

    __hash__ = None  # equality is three-valued, so a Dimension cannot be a dictionary key

    def __reduce__(self):
        return Dimension, (self._value,)

    def is_compatible_with(self, other):
        """Whether two sizes are equal or at least one is unknown.

        Args:
          other: A `Dimension`, int or None.

        Returns:
          A bool.
        """
        other = _dimension_value(other)
        return self._value is None or other is None or self._value == other

    def assert_is_compatible_with(self, other):
        """Checks that two sizes are compatible.

        Args:
          other: A `Dimension`, int or None.

        Raises:
          ValueError: Both sizes are known and differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other):
        """Combines what is known about two compatible sizes.

        Args:
          other: A `Dimension`, int or None.

        Returns:
          A `Dimension`.

        Raises:
          ValueError: Both sizes are known and differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else Dimension(self._value)

    def _arithmetic(self, other, function, swapped=False):
        try:
            other = _dimension_value(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return Dimension(None)
        return Dimension(function(other, self._value) if swapped else function(self._value, other))

    def __add__(self, other):
        return self._arithmetic(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self._arithmetic(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._arithmetic(other, lambda a, b: a - b, swapped=True)

    def __mul__(self, other):
        return self._arithmetic(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return self._arithmetic(other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._arithmetic(other, lambda a, b: a // b, swapped=True)

    def __mod__(self, other):
        return self._arithmetic(other, lambda a, b: a % b)

    def __rmod__(self, other):
        return self._arithmetic(other, lambda a, b: a % b, swapped=True)

    def __truediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def _comparison(self, other, function):
        try:
            other = _dimension_value(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return None
        return function(self._value, other)

    def __eq__(self, other):
        return self._comparison(other, lambda a, b: a == b)

    def __ne__(self, other):
        return self._comparison(other, lambda a, b: a != b)

    def __lt__(self, other):
        return self._comparison(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._comparison(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._comparison(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._comparison(other, lambda a, b: a >= b)


def _dimension_value(value):
    """Converts `value` to the size of a dimension: an int or None."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    if type(value) is not int:
        value = _integer(value)
    if value < 0:
        raise ValueError(f"Dimension {value} must be >= 0")
    return value


def _integer(value):
    """Converts what programs pass as integers: NumPy integers and, as in TensorFlow 1, whole floats and digits."""
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        pass
    try:
        result = int(value)
        if isinstance(value, (str, bytes)) or result == value:
            return result
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(
        "Dimension value must be integer or None or have an __index__ method, "
        f"got value '{value!r}' with type '{type(value)!r}'"
    )


def as_dimension(value):
    """`value` itself if it is a Dimension, otherwise a Dimension of that size."""
    return value if isinstance(value, Dimension) else Dimension(value)


class TensorShape:
    """What is known about the shape of a tensor before it is computed.

    - fully known: `TensorShape([16, 256])`
    - partly known: `TensorShape([None, 256])`
    - of unknown rank: `TensorShape(None)`

    Args:
      dims: A list of ints, `Dimension`s and Nones; a single size; a `TensorShape` or TensorShapeProto; or None if the
        rank is unknown.

    Raises:
      TypeError: A size is not an integer.
      ValueError: A size is negative or not whole.

    Example:

    >>> shape = tf.TensorShape([None, 256])
    >>> shape.merge_with([32, None])
    TensorShape([Dimension(32), Dimension(256)])
    >>> shape.is_compatible_with([32, 128])
    False
    """

    __slots__ = ("_dims",)

    def __init__(self, dims):
        if dims is None:
            self._dims = None
        elif isinstance(dims, (tuple, list)):
            self._dims = tuple([_dimension_value(d) for d in dims])
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto
            self._dims = None if dims.unknown_rank else tuple([None if d.size < 0 else int(d.size) for d in dims.dim])
        else:
            self._dims = _dims_of_other(dims)

    # ---- Parts.

    @property
    def rank(self):
        """The number of dimensions, or None if it is unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self):
        """A list of Dimension objects, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self):
        """The sizes as a list.

        Returns:
          A list with an int or None for each dimension.

        Raises:
          ValueError: The rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self):
        """The number of elements.

        Returns:
          An int, or None if the shape is not fully known.
        """
        return math.prod(self._dims) if self.is_fully_defined() else None

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        """True if the rank is known."""
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key):
        """A Dimension for an index, a TensorShape for a slice."""
        if not isinstance(key, slice):
            return Dimension(None if self._dims is None else self._dims[key])
        if self._dims is not None:
            return shape_of(self._dims[key])
        start = 0 if key.start is None else key.start
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        if key.stop is None or start < 0 or key.stop < 0:
            return unknown_shape()
        return unknown_shape(max(key.stop - start, 0))

    def __repr__(self):
        return f"TensorShape({self.dims})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        sizes = ["?" if d is None else str(d) for d in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __reduce__(self):
        return TensorShape, (self._dims,)

    # ---- Equality of what is known, which differs from is_compatible_with.

    def __eq__(self, other):
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __ne__(self, other):
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._dims is None or other._dims is None:
            raise ValueError("The inequality of unknown TensorShapes is undefined.")
        return self._dims != other._dims

    def __hash__(self):
        return hash(self._dims)

    # ---- Combination with other shapes.

    def is_compatible_with(self, other):
        """Whether some fully known shape agrees with both shapes.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Returns:
          A bool.
        """
        ours, theirs = self._dims, as_dims(other)
        if ours is None or theirs is None:
            return True
        return len(ours) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(ours, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other):
        """Checks that some fully known shape agrees with both shapes.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Raises:
          ValueError: The shapes are incompatible.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def merge_with(self, other):
        """Combines what is known about two compatible shapes.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Returns:
          A `TensorShape`.

        Raises:
          ValueError: The shapes are incompatible.
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return shape_of(tuple([b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)]))

    def most_specific_compatible_shape(self, other):
        """The most specific shape that is compatible with all tensors of either shape.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Returns:
          A `TensorShape`.
        """
        ours, theirs = self._dims, as_dims(other)
        if ours is None or theirs is None or len(ours) != len(theirs):
            return unknown_shape()
        return shape_of(tuple([a if a == b else None for a, b in zip(ours, theirs, strict=True)]))

    def concatenate(self, other):
        """The dimensions of this shape followed by those of another.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Returns:
          A `TensorShape`; of unknown rank if either rank is unknown.
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return shape_of(self._dims + other._dims)

    __add__ = concatenate

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    # ---- Assertions.

    def assert_same_rank(self, other):
        """Checks that two ranks agree as far as they are known.

        Args:
          other: A `TensorShape` or a value that converts to one.

        Raises:
          ValueError: Both ranks are known and differ.
        """
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank):
        """Checks the rank as far as it is known.

        Args:
          rank: An int.

        Raises:
          ValueError: The rank is known and differs.
        """
        if None not in (self.rank, rank) and self.rank != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank):
        """This shape with a given rank.

        Args:
          rank: An int.

        Returns:
          A `TensorShape`: this one, or one of that rank if the rank was unknown.

        Raises:
          ValueError: The rank is known and differs.
        """
        wanted = unknown_shape(rank)
        self.assert_has_rank(rank)
        return wanted if self._dims is None else self

    def with_rank_at_least(self, rank):
        """This shape, checked to have at least a given rank.

        Args:
          rank: An int.

        Returns:
          A `TensorShape`: this one.

        Raises:
          ValueError: The rank is known and smaller.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank):
        """This shape, checked to have at most a given rank.

        Args:
          rank: An int.

        Returns:
          A `TensorShape`: this one.

        Raises:
          ValueError: The rank is known and larger.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_fully_defined(self):
        """Whether every dimension is known.

        Returns:
          A bool.
        """
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        """Checks that every dimension is known.

        Raises:
          ValueError: A dimension or the rank is unknown.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_proto(self):
        """This shape as a protocol buffer.

        Returns:
          A TensorShapeProto.
        """
        from tfcore.framework.protos import TensorShapeProto

        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        sizes = [-1 if d is None else d for d in self._dims]
        return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _dims_of_other(dims):
    """The dims tuple of an object that is not a list: an iterable of sizes, or a single size."""
    try:
        sizes = list(dims)
    except TypeError:
        return (_dimension_value(dims),)
    result = []
    for size in sizes:
        try:
            result.append(_dimension_value(size))
        except TypeError as error:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{size!r}' could not be converted to a "
                "dimension. A shape should either be single dimension (e.g. 10), or an iterable of "
                "dimensions (e.g. [1, 10, None])."
            ) from error
    return tuple(result)


def as_shape(shape):
    """`shape` itself if it is a TensorShape, otherwise a TensorShape made from it."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def shape_of(dims):
    """The TensorShape of None or a tuple of int and None, without a check."""
    shape = TensorShape.__new__(TensorShape)
    shape._dims = dims
    return shape


def as_dims(shape):
    """None or the tuple of int and None of what is or converts to a TensorShape."""
    return as_shape(shape)._dims


def unknown_shape(rank=None, ndims=None):
    """A shape of unknown dimensions, possibly of known rank."""
    rank = ndims if rank is None else rank
    return shape_of(None if rank is None else (None,) * rank)


def dimension_value(dimension):
    """The size in a `Dimension`; anything else is returned as it is. For programs that may get either.

    Args:
      dimension: A `Dimension`, an int, or None.

    Returns:
      An int, or None if the size is unknown.

    Raises:
      Nothing.

    Example:

    >>> tf.dimension_value(tf.TensorShape([None, 3])[1])
    3
    """
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    """The `Dimension` at an index of a shape, which may be of unknown rank.

    Args:
      shape: A `TensorShape` or a value that converts to one.
      index: An int.

    Returns:
      A `Dimension`, of unknown size if the rank is unknown.

    Raises:
      IndexError: The shape has no such dimension.
    """
    return as_shape(shape)[index]
