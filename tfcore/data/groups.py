"""Methods of `Dataset` that make windows and groups of elements."""

import numpy as np

from tfcore.data import elements
from tfcore.data.base import derived, int64
from tfcore.data.functions import TracedFunction
from tfcore.data.spec import DatasetSpec, is_dataset
from tfcore.data.state import trace_with_state
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor


class Groups:
    """Methods of `Dataset` that make windows and groups of elements."""

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of consecutive elements; an element of several components becomes a dataset for each of them.

        Args:
          size: The number of elements in a window.
          shift: How many elements later the next window begins; `size` by default.
          stride: Every `stride`-th element is in a window.
          drop_remainder: Whether smaller windows at the end are left out.
          name: Name of the operation.

        Returns:
          A `Dataset`, whose elements have `Dataset`s as components.

        Raises:
          Nothing.

        Example:

        >>> dataset = tf.data.Dataset.range(5).window(3, shift=1).flat_map(lambda w: w.batch(3))
        >>> value = dataset.make_one_shot_iterator().get_next()
        >>> with tf.Session() as sess:
        ...     sess.run(value), sess.run(value)
        (array([0, 1, 2]), array([1, 2, 3]))
        """
        return derived(
            self,
            "WindowDataset",
            int64(size, "size"),
            int64(size if shift is None else shift, "shift"),
            int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtypes.bool, name="drop_remainder"),
            spec=elements.map_leaves(DatasetSpec, self.element_spec),
            name=name,
        )

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        """Collects elements with the same key in windows, and gives the elements of what a function makes of each.

        Args:
          key_func: A function from an element to a scalar int64, its key.
          reduce_func: A function from a key and a `Dataset` of up to `window_size` elements to a `Dataset`.
          window_size: The number of elements in a window. Smaller ones come at the end, in the order of keys.
          window_size_func: A function from a key to the size of its windows, instead of `window_size`.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: Neither or both of `window_size` and `window_size_func` are given, or a function does not return
            a scalar int64.
          TypeError: `reduce_func` does not return a `Dataset`.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        size_func = window_size_func or (lambda _: window_size)
        key = _traced_int(lambda *args: key_func(*args), self.element_spec, "key_func")
        reduced = TracedFunction(reduce_func, (elements.INT64, DatasetSpec(self.element_spec)))
        if not is_dataset(reduced.result):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return "
                f"type is {elements.spec_of(reduced.result)}."
            )
        size = _traced_int(size_func, elements.INT64, "window_size_func")
        return derived(
            self,
            "GroupByWindowDataset",
            key.captured,
            reduced.captured,
            size.captured,
            key_func=key.function,
            reduce_func=reduced.function,
            window_size_func=size.function,
            spec=reduced.result.element_spec,
            name=name,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes=None,
        padding_values=None,
        pad_to_bucket_boundary=False,
        no_padding=False,
        drop_remainder=False,
        name=None,
    ):
        """Batches of elements of similar lengths, which are padded to the longest of them.

        Args:
          element_length_func: A function from an element to its length, an int32 scalar.
          bucket_boundaries: A list of ints: where the next bucket of lengths begins.
          bucket_batch_sizes: The number of elements of a batch for each bucket, one more than there are boundaries.
          padded_shapes: See `padded_batch`; the shapes of the elements by default.
          padding_values: See `padded_batch`.
          pad_to_bucket_boundary: Whether unknown sizes are padded to the largest of the bucket. No element may be as
            long as the last boundary.
          no_padding: Whether elements are batched as they are.
          drop_remainder: Whether smaller batches at the end are left out.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The numbers of boundaries and batch sizes do not fit.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`."
            )

        def size_of_batch(bucket):
            return _pick(bucket_batch_sizes, bucket)

        def batch(bucket, dataset):
            size = size_of_batch(bucket)
            if no_padding:
                return dataset.batch(size, drop_remainder)
            unknown = _largest_length(bucket_boundaries, bucket) if pad_to_bucket_boundary else None
            spec = dataset.element_spec
            shapes = padded_shapes or elements.shapes_of(spec)
            shapes = [_known_shape(shape, unknown) for shape in elements.shapes_like(spec, shapes)]
            return dataset.padded_batch(size, elements.pack(spec, shapes), padding_values, drop_remainder)

        return self.group_by_window(
            lambda *args: _bucket_of(bucket_boundaries, convert_to_tensor(element_length_func(*args))),
            batch,
            window_size_func=size_of_batch,
            name=name,
        )


def _traced_int(func, spec, name):
    """A TracedFunction whose result is a scalar int64.

    Raises:
      ValueError: it is not.
    """
    traced = TracedFunction(lambda *args: convert_to_tensor(func(*args), dtypes.int64), spec)
    found = elements.spec_of(traced.result)
    if not elements.is_scalar(found, dtypes.int64):
        raise ValueError(
            f"Invalid `{name}`. `{name}` must return a single `tf.int64` scalar tensor but its return type is {found}."
        )
    return traced


def _pick(values, index):
    return get_op_def("GatherV2")(convert_to_tensor(list(values), dtypes.int64), index, convert_to_tensor(0))


def _bucket_of(boundaries, length):
    """The first bucket that a length is in."""
    limits = np.iinfo(np.int32)
    smallest = convert_to_tensor([limits.min, *boundaries], length.dtype)
    above = convert_to_tensor([*boundaries, limits.max], length.dtype)
    inside = get_op_def("LogicalAnd")(get_op_def("LessEqual")(smallest, length), get_op_def("Less")(length, above))
    return get_op_def("Min")(get_op_def("Where")(inside), convert_to_tensor([0, 1]))


def _largest_length(boundaries, bucket):
    last = convert_to_tensor(len(boundaries), dtypes.int64)
    text = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
    check = get_op_def("Assert")(get_op_def("Less")(bucket, last), [text])
    with get_default_graph().control_dependencies([check]):
        return get_op_def("Sub")(_pick(boundaries, bucket), convert_to_tensor(1, dtypes.int64))


def _known_shape(shape, unknown):
    """A padded shape with a Tensor for its unknown sizes; None: the largest of the batch."""
    sizes = TensorShape(shape).as_list()
    if unknown is None or None not in sizes:
        return TensorShape(sizes)
    return get_op_def("Pack")([unknown if size is None else convert_to_tensor(size, dtypes.int64) for size in sizes])


class Reducer:
    """Three functions that make one element of all that have the same key, for `group_by_reducer`.

    Args:
      init_func: A function from a key, a scalar int64, to the first state.
      reduce_func: A function from a state and an element to the next state.
      finalize_func: A function from the last state to an element.

    Raises:
      Nothing.
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    @property
    def init_func(self):
        """The function that makes the first state."""
        return self._init_func

    @property
    def reduce_func(self):
        """The function that makes the next state."""
        return self._reduce_func

    @property
    def finalize_func(self):
        """The function that makes an element."""
        return self._finalize_func


def group_by_reducer(key_func, reducer):
    """One element for each key, for `Dataset.apply`. They come at the end, in the order of keys.

    Args:
      key_func: A function from an element to a scalar int64, its key.
      reducer: A `Reducer`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """

    def apply(dataset):
        spec = dataset.element_spec
        key = _traced_int(lambda *args: key_func(*args), spec, "key_func")
        first = TracedFunction(reducer.init_func, elements.INT64)
        reduced, state = trace_with_state(
            reducer.reduce_func, elements.spec_of(first.result), spec, lambda result: result
        )
        last = TracedFunction(reducer.finalize_func, state)
        return derived(
            dataset,
            "GroupByReducerDataset",
            key.captured,
            first.captured,
            reduced.captured,
            last.captured,
            key_func=key.function,
            init_func=first.function,
            reduce_func=reduced.function,
            finalize_func=last.function,
            spec=elements.spec_of(last.result),
        )

    return apply
