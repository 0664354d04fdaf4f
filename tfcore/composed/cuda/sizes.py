"""Sizes as functions of the shapes of inputs: Python functions, traced into texts that kernels evaluate in each step.

`kernels_cuda/functions/size_program.h` has the notation. `trace` calls the function with an `Input` for each tensor,
whose sizes note what is computed with them.
"""

import numbers
import operator


class Size:
    """A size that is known in a step. It can be added, subtracted, multiplied, and divided by // and %."""

    __slots__ = ("text",)
    __hash__ = None

    def __init__(self, text):
        self.text = text

    def _with(self, other, word):
        if not _is_size(other):
            return NotImplemented
        return Size(f"{self.text} {_text(other)} {word}")

    def _behind(self, other, word):
        return Size(f"{_text(other)} {self.text} {word}") if _is_size(other) else NotImplemented

    def __add__(self, other):
        return self._with(other, "+")

    def __radd__(self, other):
        return self._behind(other, "+")

    def __sub__(self, other):
        return self._with(other, "-")

    def __rsub__(self, other):
        return self._behind(other, "-")

    def __mul__(self, other):
        return self._with(other, "*")

    def __rmul__(self, other):
        return self._behind(other, "*")

    def __floordiv__(self, other):
        return self._with(other, "//")

    def __rfloordiv__(self, other):
        return self._behind(other, "//")

    def __mod__(self, other):
        return self._with(other, "%")

    def __rmod__(self, other):
        return self._behind(other, "%")

    def __neg__(self):
        return self._behind(0, "-")

    def ceil_div(self, other):
        """The quotient, rounded up."""
        return self._with(other, "cdiv")

    def min(self, other):
        """The smaller of the two."""
        return self._with(other, "min")

    def max(self, other):
        """The larger of the two."""
        return self._with(other, "max")

    def _refuse(self, *_):
        raise TypeError(
            "a size of an input is known only in a step: compute with + - * // % and its methods ceil_div(n), min(n) "
            "and max(n); comparisons, conversions and functions of other modules need its value now"
        )

    __bool__ = __int__ = __float__ = __index__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __abs__ = __round__ = _refuse


class Dims:
    """Dimensions of an input of unknown rank: one or a slice can be taken, and others added at both ends."""

    __slots__ = ("_parts",)

    def __init__(self, *parts):
        self._parts = parts

    @property
    def text(self):
        """The program that leaves them on the stack."""
        return " ".join(map(_text, self._parts))

    def __getitem__(self, index):
        if len(self._parts) > 1:
            raise TypeError("take dimensions of an input of unknown rank before others are added")
        name, _, _ = self._parts[0].text.partition(".")
        if self._parts[0].text != f"{name}.0:":
            raise TypeError("take a dimension of an input of unknown rank from its shape, not from a slice of that")
        if not isinstance(index, slice):
            return Size(f"{name}.{operator.index(index)}")
        if index.step not in (None, 1):
            raise TypeError("dimensions of an input of unknown rank have slices of step 1 only")
        return Dims(Size(f"{name}.{index.start or 0}:{'' if index.stop is None else index.stop}"))

    def __add__(self, other):
        return Dims(*self._parts, *_parts(other))

    def __radd__(self, other):
        return Dims(*_parts(other), *self._parts)

    def __iter__(self):
        raise TypeError("the rank of this input is not known: use its shape as a whole, slices of it, or set_shape")

    __len__ = __iter__


def _parts(dims):
    return dims._parts if isinstance(dims, Dims) else tuple(dims)


class Input:
    """What a traced function gets for a tensor: `shape`, `size` (the number of elements) and `ndim`, as of an array."""

    __slots__ = ("shape", "size", "ndim")

    def __init__(self, number, rank):
        """rank: None if it is not known."""
        name = f"i{number}"
        self.size = Size(f"{name}.size")
        self.ndim = Size(f"{name}.ndim") if rank is None else rank
        self.shape = Dims(Size(f"{name}.0:")) if rank is None else tuple(Size(f"{name}.{d}") for d in range(rank))


def _is_size(value):
    return isinstance(value, Size) or isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _text(size):
    return size.text if isinstance(size, (Size, Dims)) else str(int(size))


def trace(value, ranks):
    """The text of a program.

    Args:
      value: an integer, a list or tuple of them, or a function that returns such, with sizes of its arguments.
      ranks: of the inputs; None where it is not known.

    Raises:
      TypeError: it is something else, or the function needs a value that is known only in a step.
    """
    if callable(value):
        value = value(*(Input(i, rank) for i, rank in enumerate(ranks)))
    if isinstance(value, Dims):
        return value.text
    found = [value] if _is_size(value) else value
    if not isinstance(found, (list, tuple)) or not all(map(_is_size, found)):
        raise TypeError(f"expected sizes, or a function of the inputs that returns sizes, but got {value!r}")
    return " ".join(map(_text, found))
