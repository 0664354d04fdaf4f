"""Shape functions shared by several op families, and helpers for others.

A shape function gets the Operation and returns one dims entry per output: a tuple of int | None, or None
for unknown rank. It raises ValueError with TensorFlow's message if shapes are incompatible.
"""

from tfcore.framework.definitions import strict


def unknown(op):
    """Nothing is known about any output."""
    return [None] * len(op.outputs)


def scalar(op):
    """All outputs are scalars."""
    return [()] * len(op.outputs)


def scalar_of_scalars(op):
    """All outputs are scalars, and so must be all inputs."""
    for given in op.inputs:
        with_rank(given.dims, 0)
    return scalar(op)


def unchanged(op):
    """Every output has the shape of the first input."""
    return [op.inputs[0].dims] * len(op.outputs)


def same_as_input(index):
    """Every output has the shape of input `index`."""

    def shape(op):
        return [op.inputs[index].dims] * len(op.outputs)

    return shape


def merge_all(op):
    """All inputs and outputs have the same shape."""
    dims = op.inputs[0].dims
    for t in op.inputs[1:]:
        dims = merge(dims, t.dims)
    return [dims] * len(op.outputs)


def broadcast(op):
    """The outputs have the shape that the first two inputs broadcast to."""
    a, b = op.inputs[0].dims, op.inputs[1].dims
    dims = broadcast_dims(a, b)
    if strict.local.enabled:
        strict.check(op, a, b)
    return [dims] * len(op.outputs)


def broadcast_dims(a, b):
    """Dims after broadcasting; ValueError if they are incompatible."""
    if a is b:
        return a
    if a is None or b is None:
        return None
    if a == b and None not in a:
        return a
    if len(a) < len(b):
        a, b = b, a
    pad = len(a) - len(b)
    return a[:pad] + tuple(_broadcast_dim(x, y) for x, y in zip(a[pad:], b))


def _broadcast_dim(x, y):
    if x == y:
        return x
    if x == 1:
        return y
    if y == 1:
        return x
    if x is None:
        return y
    if y is None:
        return x
    raise ValueError(f"Dimensions must be equal, but are {x} and {y}")


def merge_dim(x, y):
    """Merges two sizes that may be unknown; ValueError if they differ."""
    if x is None or x == y:
        return y
    if y is None:
        return x
    raise ValueError(f"Dimensions must be equal, but are {x} and {y}")


def merge(a, b):
    """Merges what is known about two shapes; ValueError if they are incompatible."""
    if a is None or a is b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y and x is not None and y is not None:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. Shapes are {dims_text(a)} and "
                f"{dims_text(b)}."
            )
    return tuple(map(merge_dim, a, b))


def dims_text(dims):
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def with_rank(dims, rank):
    """The dims, checked to have `rank`; an unknown rank becomes unknown dims of that rank."""
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def with_rank_at_least(dims, rank):
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return dims


def with_rank_at_most(dims, rank):
    if dims is not None and len(dims) > rank:
        raise ValueError(f"Shape must be at most rank {rank} but is rank {len(dims)}")
    return dims


def less_one(size):
    """The number of rows of a vector of splits of this size, which may be unknown."""
    if size == 0:
        raise ValueError("Negative dimension size caused by subtracting 1 from 0")
    return None if size is None else size - 1


def multiply(x, y):
    """The product of two sizes that may be unknown."""
    if x is None or y is None:
        return None
    if x * y >= 2**63:
        raise ValueError(f"Negative dimension size caused by overflow when multiplying {x} and {y}")
    return x * y


def add(x, y):
    """The sum of two sizes that may be unknown."""
    if x is None or y is None:
        return None
    if x + y >= 2**63:
        raise ValueError(f"Dimension size overflow when adding {x} and {y}")
    return x + y


def normalize_axis(axis, rank):
    """A non-negative axis; ValueError if it is out of range."""
    if not -rank <= axis < rank:
        raise ValueError(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
    return axis + rank if axis < 0 else axis


def num_elements(dims):
    """The number of elements, None if the shape is not fully known."""
    if dims is None:
        return None
    total = 1
    for d in dims:
        if d is None:
            return None
        total *= d
    return total
