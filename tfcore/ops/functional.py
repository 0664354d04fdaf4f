"""Functions applied to the elements of tensors along their first dimension, in a loop: tf.map_fn, scan, foldl, foldr.

Each is one tf.while_loop that reads its elements from TensorArrays, which are views of the rows, and writes what it makes to
others, which are put together at the end.
"""

from tfcore.framework import dtypes, nest
from tfcore.framework.constant import constant
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.sparse_tensor import SparseTensor
from tfcore.framework.tensor_shape import TensorShape, dimension_value
from tfcore.ops.tensor_array import TensorArray
from tfcore.ops.while_loop import while_loop

__all__ = ["foldl", "foldr", "map_fn", "scan"]


class _Elements:
    """A nest of tensors as the sequence of what lies at the same place of their first dimensions.

    n: how many, an int if that is known and else a scalar Tensor. count: the TensorShape [n].
    """

    def __init__(self, elems):
        self._structure = elems
        tensors = [convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        self.count = TensorShape([None])
        for t in tensors:
            if t.shape.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
            count = t.shape.with_rank_at_least(1)[:1]
            if not count.is_compatible_with(self.count):
                raise ValueError(f"Dimensions {self.count[0]} and {count[0]} are not compatible")
            self.count = self.count.merge_with(count)
        self.n = dimension_value(self.count[0])
        if self.n is None:
            from tfcore.ops.array import shape

            self.n = shape(tensors[0])[0]
        self.dtypes = [t.dtype.base_dtype for t in tensors]
        self._arrays = [TensorArray(t.dtype, self.n, element_shape=t.shape[1:]).unstack(t) for t in tensors]

    def read(self, i):
        return self.pack([array.read(i) for array in self._arrays])

    def pack(self, flat):
        return nest.pack_sequence_as(self._structure, flat)


def _check_callable(fn):
    if not callable(fn):
        raise TypeError("fn must be callable.")


def _check_elems(elems):
    if isinstance(elems, SparseTensor):
        raise TypeError(
            "To perform a map over the values of a sparse tensor use either "
            " SparseTensor(input.indices, fn(input.values), input.dense_shape) or "
            " SparseTensor(input.indices, map_fn(fn, input.values), input.dense_shape)"
        )
    if not nest.flatten(elems):
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )


def _stacked(arrays, count):
    """The elements of arrays as tensors, whose first dimension is that of TensorShape `count`."""
    results = [array.stack() for array in arrays]
    for r in results:
        r.set_shape(count.concatenate(r.shape[1:]))
    return results


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """What `fn` makes of each element of `elems`, stacked.

    Args:
      fn: function of an element, with the structure of `elems`, to a nest of Tensors.
      elems: a Tensor [n, ...], or a nest of such.
      dtype: the dtypes of what `fn` returns, in its structure; by default those of `elems`.
      parallel_iterations: how many elements may be worked on at a time (10).
      back_prop, swap_memory: as in tf.while_loop.
      infer_shape: whether all results have one shape.
      fn_output_signature: as `dtype`; its entries may also be objects with a dtype and a shape.

    Returns: the structure that `fn` returns, with Tensors [n, ...].

    Raises:
      TypeError: `fn` can't be called; it returns another structure.
      ValueError: `elems` has no Tensors, or some of them without a first dimension or of another length.
    """
    _check_callable(fn)
    _check_elems(elems)
    signature = dtype if fn_output_signature is None else fn_output_signature
    with name_scope(name, "map", nest.flatten(elems)):
        elements = _Elements(elems)
        n = elements.n
        structure = elems if signature is None else signature
        kinds = elements.dtypes if signature is None else nest.flatten(signature)
        arrays = [_result_array(kind, n, infer_shape) for kind in kinds]

        def body(i, arrays):
            result = fn(elements.read(i))
            nest.assert_same_structure(structure, result)
            return i + 1, [array.write(i, r) for array, r in zip(arrays, nest.flatten(result))]

        _, arrays = while_loop(
            lambda i, _: i < n,
            body,
            (constant(0), arrays),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        return nest.pack_sequence_as(structure, _stacked(arrays, elements.count))


def _result_array(kind, n, infer_shape):
    """kind: a dtype, or what has a dtype and a shape."""
    shape = None
    if not isinstance(kind, (dtypes.DType, str, type)) and hasattr(kind, "shape"):
        kind, shape = kind.dtype, kind.shape
    return TensorArray(kind, n, infer_shape=infer_shape, element_shape=shape)


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """All intermediate values of a fold: a[i] = fn(a[i - 1], elems[i]), with a[-1] = initializer.

    Args:
      fn: function of what it returned for the element before, and an element.
      elems: a Tensor [n, ...], or a nest of such.
      initializer: the first argument of `fn` for the first element, a Tensor or a nest of Tensors. None: the first element is
        the first result, and `fn` is called from the second on.
      parallel_iterations, back_prop, swap_memory: as in tf.while_loop.
      infer_shape: whether all results have one shape.
      reverse: whether to go from the last element to the first.

    Returns: the structure that `fn` returns, with Tensors [n, ...]; result i belongs to element i, also in reverse.

    Raises:
      TypeError: `fn` can't be called; it returns another structure than that of `initializer` (or `elems`).
      ValueError: elems without a first dimension, or with different ones; structures of other lengths.
    """
    _check_callable(fn)
    with name_scope(name, "scan", nest.flatten(elems)):
        elements = _Elements(elems)
        n = elements.n
        first, step = (n - 1, -1) if reverse else (0, 1)
        start = elements.read(first) if initializer is None else initializer
        values = [convert_to_tensor(v) for v in nest.flatten(start)]
        arrays = [
            TensorArray(v.dtype.base_dtype, n, element_shape=v.shape if infer_shape else None, infer_shape=infer_shape)
            for v in values
        ]
        if initializer is None:
            arrays = [array.write(first, v) for array, v in zip(arrays, values)]
            first = first + step

        def body(i, values, arrays):
            result = fn(nest.pack_sequence_as(start, values), elements.read(i))
            nest.assert_same_structure(start, result)
            values = nest.flatten(result)
            return i + step, values, [array.write(i, v) for array, v in zip(arrays, values)]

        _, _, arrays = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < n),
            body,
            (convert_to_tensor(first), values, arrays),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        return nest.pack_sequence_as(start, _stacked(arrays, elements.count))


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The elements of `elems` combined from the first to the last: a = fn(a, elems[i]) for each i.

    Args:
      fn: function of what was combined so far, and an element.
      elems: a Tensor [n, ...], or a nest of such.
      initializer: what to begin with, a Tensor or a nest of Tensors; by default the first element.
      parallel_iterations, back_prop, swap_memory: as in tf.while_loop.

    Returns: what `fn` returned last (initializer, if there are no elements).

    Raises:
      TypeError: `fn` can't be called, or returns another structure.
      ValueError: elems without a first dimension, or with different ones.
    """
    return _fold(fn, elems, initializer, (parallel_iterations, back_prop, swap_memory), name or "foldl", False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """`foldl` from the last element to the first; by default the last element is the one to begin with."""
    return _fold(fn, elems, initializer, (parallel_iterations, back_prop, swap_memory), name or "foldr", True)


def _fold(fn, elems, initializer, loop_options, name, reverse):
    _check_callable(fn)
    parallel_iterations, back_prop, swap_memory = loop_options
    with name_scope(name, values=nest.flatten(elems)):
        elements = _Elements(elems)
        n = elements.n
        first, step = (n - 1, -1) if reverse else (0, 1)
        start = initializer
        if initializer is None:
            start = elements.read(first)
            first = first + step
        _, result = while_loop(
            (lambda i, _: i >= 0) if reverse else (lambda i, _: i < n),
            lambda i, a: (i + step, fn(a, elements.read(i))),
            (convert_to_tensor(first), start),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        return result
