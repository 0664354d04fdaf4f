"""Functions applied to the elements of tensors along their first dimension, in a loop: tf.map_fn, scan, foldl, foldr.

Each is one tf.while_loop that reads its elements from TensorArrays, which are views of the rows, and writes its results
to other TensorArrays, which are stacked at the end.
"""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape, dimension_value
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.state.tensor_array import TensorArray


class _Elements:
    """A nest of tensors as a sequence: element i holds row i of each tensor.

    n: the number of elements, an int if known, else a scalar Tensor. count: the TensorShape [n].
    """

    def __init__(self, elems, scalar_error=IndexError):
        self._structure = elems
        tensors = [convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        self.count = TensorShape([None])
        for t in tensors:
            if t.shape.rank == 0:
                raise scalar_error("Elements in elems must be 1+ dimensional Tensors, not scalars")
            count = t.shape.with_rank_at_least(1)[:1]
            if not count.is_compatible_with(self.count):
                raise ValueError(f"Dimensions {self.count[0]} and {count[0]} are not compatible")
            self.count = self.count.merge_with(count)
        self.n = dimension_value(self.count[0])
        if self.n is None:
            from tfcore.ops.array.array import shape

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
    """Stacks each array; `count` is the TensorShape of the first dimension."""
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
    """Applies `fn` to each element of `elems` along the first dimension and stacks the results.

    Args:
      fn: A function of an element, in the structure of `elems`, that returns a nest of `Tensor`s.
      elems: A `Tensor` of shape [n, ...], or a nest of them.
      dtype: The dtypes of what `fn` returns, in its structure; those of `elems` by default.
      parallel_iterations: An int: how many iterations may run at the same time. 10 by default.
      back_prop: Whether `tf.gradients` may go through the loop.
      swap_memory: As for `tf.while_loop`.
      infer_shape: Whether all results have the same shape.
      name: Prefix of the names of the operations (optional).
      fn_output_signature: Other name of `dtype`; entries may also be objects with a dtype and a shape.

    Returns:
      The structure that `fn` returns, with `Tensor`s of shape [n, ...].

    Raises:
      TypeError: `fn` is not callable, or the kinds of sequences differ.
      ValueError: `elems` has no tensors, or tensors without a first dimension or with different ones; or structures
        differ.

    Example:

    >>> print(sess.run(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))))
    [1 4 9]
    """
    _check_callable(fn)
    _check_elems(elems)
    signature = dtype if fn_output_signature is None else fn_output_signature
    with name_scope(name, "map", nest.flatten(elems)):
        elements = _Elements(elems, ValueError)
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
    """The array for results of `kind`: a dtype, or an object with a dtype and a shape."""
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
    """Folds `elems` from the first to the last and returns all intermediate values.

    a[i] = fn(a[i - 1], elems[i]), with a[-1] = initializer.

    Args:
      fn: A function of the previous result and an element, that returns the next result.
      elems: A `Tensor` of shape [n, ...], or a nest of them.
      initializer: The first argument of the first call, a `Tensor` or a nest of them. Without it the first element is
        the first result, and `fn` is called from the second element on.
      parallel_iterations: An int: how many iterations may run at the same time.
      back_prop: Whether `tf.gradients` may go through the loop.
      swap_memory: As for `tf.while_loop`.
      infer_shape: Whether all results have the same shape.
      reverse: Whether to go from the last element to the first.
      name: Prefix of the names of the operations (optional).

    Returns:
      The structure that `fn` returns, with `Tensor`s of shape [n, ...]; result i belongs to element i, also in reverse.

    Raises:
      TypeError: `fn` is not callable, or the kinds of sequences differ.
      ValueError: `elems` has no tensors, or tensors without a first dimension or with different ones; or structures
        differ.

    Example:

    >>> print(sess.run(tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3, 4]))))
    [ 1  3  6 10]
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
    """Combines the elements of `elems` from the first to the last: a = fn(a, elems[i]) for each i.

    Args:
      fn: A function of the previous result and an element, that returns the next result.
      elems: A `Tensor` of shape [n, ...], or a nest of them.
      initializer: The first argument of the first call, a `Tensor` or a nest of them; the first element by default.
      parallel_iterations: An int: how many iterations may run at the same time.
      back_prop: Whether `tf.gradients` may go through the loop.
      swap_memory: As for `tf.while_loop`.
      name: Prefix of the names of the operations (optional).

    Returns:
      The last result of `fn`, in its structure of `Tensor`s; `initializer` if there are no elements.

    Raises:
      TypeError: `fn` is not callable, or the kinds of sequences differ.
      ValueError: `elems` has no tensors, or tensors without a first dimension or with different ones; or structures
        differ.

    Example:

    >>> print(sess.run(tf.foldl(lambda a, x: 10 * a + x, tf.constant([1, 2, 3]))))
    123
    """
    return _fold(fn, elems, initializer, (parallel_iterations, back_prop, swap_memory), name or "foldl", False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combines the elements of `elems` from the last to the first: a = fn(a, elems[i]) for each i.

    Args:
      fn: A function of the previous result and an element, that returns the next result.
      elems: A `Tensor` of shape [n, ...], or a nest of them.
      initializer: The first argument of the first call, a `Tensor` or a nest of them; the last element by default.
      parallel_iterations: An int: how many iterations may run at the same time.
      back_prop: Whether `tf.gradients` may go through the loop.
      swap_memory: As for `tf.while_loop`.
      name: Prefix of the names of the operations (optional).

    Returns:
      The last result of `fn`, in its structure of `Tensor`s; `initializer` if there are no elements.

    Raises:
      TypeError: `fn` is not callable, or the kinds of sequences differ.
      ValueError: `elems` has no tensors, or tensors without a first dimension or with different ones; or structures
        differ.

    Example:

    >>> print(sess.run(tf.foldr(lambda a, x: 10 * a + x, tf.constant([1, 2, 3]))))
    321
    """
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
