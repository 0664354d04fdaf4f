"""`tf.vectorized_map`: a function of the slices of tensors."""

from tfcore.framework.functions.function import function
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import range as number_range
from tfcore.ops.control_flow.functional import map_fn
from tfcore.ops.cwise.select import where
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.reduce.reduce import reduce_max


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies `fn` to each slice of `elems` along the first dimension and stacks the results.

    This is `tf.map_fn` with types that follow from the function, and with broadcasting: it has TensorFlow's results,
    by a loop over the slices.

    Args:
      fn: A function of a slice, in the structure of `elems`, that returns a nest of `Tensor`s. It is traced twice.
      elems: A `Tensor` of shape [n, ...], or a nest of them; where n is 1, all calls get the same slice.
      fallback_to_while_loop: Must be True: each operation is called in a loop.
      warn: Accepted for compatibility; has no effect.

    Returns:
      The structure that `fn` returns, with `Tensor`s of shape [n, ...].

    Raises:
      ValueError: `fallback_to_while_loop` is False, or `elems` has no tensors.

    Example:

    >>> print(sess.run(tf.vectorized_map(lambda x: tf.reduce_sum(x) > 3, tf.constant([[1, 2], [3, 4]]))))
    [False  True]
    """
    if not fallback_to_while_loop:
        raise ValueError("vectorized_map calls operations in a loop, which fallback_to_while_loop=False forbids")
    elems = nest.map_structure(convert_to_tensor, elems)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError(f"elems must be a Tensor or a nest of them, but got {elems!r}")
    with name_scope(None, "vectorized_map", flat):
        sizes = [None if x.dims is None else x.dims[0] for x in flat]
        size = reduce_max([array.shape(x)[0] for x in flat]) if None in sizes else max(sizes)

        def call(i):
            return nest.map_structure(convert_to_tensor, fn(nest.map_structure(lambda x: _slice(x, i), elems)))

        return map_fn(call, number_range(size), _types(call))


def _slice(x, i):
    size = None if x.dims is None else x.dims[0]
    if size == 1:
        return x[0]
    return gather(x, where(array.shape(x)[0] > 1, i, 0) if size is None else i)


def _types(call):
    """The types of what a function of a number returns, in its structure."""
    found = []

    def traced(i):
        found.append(call(i))
        return nest.flatten(found[-1])

    function(traced).get_concrete_function(convert_to_tensor(0)).body()
    return nest.map_structure(lambda tensor: tensor.dtype, found[-1])
