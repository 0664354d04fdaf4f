"""tf.debugging.assert_shapes."""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array.array import shape
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.compare import equal
from tfcore.ops.debugging import check


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks the shapes of several tensors, in which a symbol means the same size everywhere.

    Args:
      shapes: A list of pairs (`Tensor`, shape), or a dict. A shape is a sequence of sizes: ints, symbols such as "N",
        and None or "." for any size. `...` or "*" as its first entry stands for any number of dimensions. A single
        size also fits a scalar, as if that had one dimension of size 1; a shape of None is not checked.
      data: Tensors to show in the error message, instead of the default ones.
      summarize: Number of elements of each to show.
      message: Beginning of the error message.
      name: Name of the scope (optional).

    Returns:
      An `Operation` that does the checks which need a run.

    Raises:
      ValueError: A static shape is wrong, or a shape is not a sequence.
      tf.errors.InvalidArgumentError: When run: a shape is wrong.

    Example:

    >>> x, y = tf.zeros([2, 3]), tf.zeros([3, 4])
    >>> sess.run(tf.debugging.assert_shapes([(x, ("N", "M")), (y, ("M", 4))]))
    """
    prefix = "" if message is None else f"{message}.  "
    shown = {"data": data, "summarize": summarize}
    with name_scope(name, "assert_shapes"):
        sizes = {}  # symbol -> (size, the text that says where it comes from)
        checks = []
        for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
            if wanted is None:
                continue
            x = x if isinstance(x, SparseTensor) else convert_to_tensor(x)
            text = x.name if not isinstance(x, SparseTensor) else x.values.name
            symbols = _symbols(wanted, prefix, text)
            more = bool(symbols) and symbols[0] in (..., "*")
            symbols = symbols[more:]
            checks += _rank_checks(x, symbols, more, message, shown)
            for i, symbol in enumerate(symbols):
                if symbol in (None, "."):
                    continue
                at = i - len(symbols) if more else i
                found = _size(x, i - len(symbols))
                if not isinstance(symbol, int) and symbol not in sizes:
                    sizes[symbol] = found, f"Specified by tensor {text} dimension {at}"
                    continue
                size, origin = (symbol, "Specified explicitly") if isinstance(symbol, int) else sizes[symbol]
                checks += _equal(found, size, f"{prefix}{origin}.  Tensor {text} dimension {at}", x, shown)
        return group(*checks)


def _symbols(wanted, prefix, text):
    try:
        symbols = [s.value if isinstance(s, Dimension) else s for s in wanted]
    except TypeError:
        raise ValueError(
            f"{prefix}Tensor {text}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` "
            f"or `__getitem__`.  Received specified shape: {wanted}"
        ) from None
    return [int(s) if isinstance(s, str) and s.isdigit() else s for s in symbols]


def _rank_checks(x, symbols, more, message, shown):
    if isinstance(x, SparseTensor):
        return []
    if more:
        least = len(symbols) if len(symbols) > 1 else 0  # one size also fits a scalar
        return [check.assert_rank_at_least(x, least, message=message, **shown)]
    if len(symbols) <= 1:
        return [check.assert_rank_in(x, [0, 1], message=message, **shown)]
    return [check.assert_rank(x, len(symbols), message=message, **shown)]


def _size(x, at):
    """The size of a dimension, counted from the end: an int where it is known. A scalar has the size 1."""
    dims = x.shape.dims
    if dims is not None and not dims:
        return 1
    if dims is not None and dims[at].value is not None:
        return dims[at].value
    return (x.dense_shape if isinstance(x, SparseTensor) else shape(x))[at]


def _equal(found, size, text, x, shown):
    if isinstance(found, int) and isinstance(size, int):
        if found != size:
            raise ValueError(f"{text} must have size {size}.  Received size {found}, shape {x.shape}")
        return []
    default = [f"{text} must have size", size, "Received size", found]
    return [check.Assert(equal(found, size), shown["data"] or default, shown["summarize"])]
