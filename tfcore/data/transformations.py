"""tf.data.experimental and tf.contrib.data: functions for `Dataset.apply`, and datasets by other names."""

from tfcore.data import elements
from tfcore.data.base import AUTOTUNE, derived, int64
from tfcore.data.dataset import Dataset
from tfcore.data.groups import Reducer
from tfcore.data.spec import dataset_of, is_dataset
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.ops.array.array import ensure_shape, reshape, shape
from tfcore.ops.array.constants import ones_like
from tfcore.ops.cwise.compare import less, less_equal, logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import Assert
from tfcore.ops.reduce.reduce import reduce_all


def batch_and_drop_remainder(batch_size):
    """Batches without a smaller rest, for `Dataset.apply`.

    Args:
      batch_size: The number of elements.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """`map`, then `batch`, for `Dataset.apply`.

    Args:
      map_func: A function from an element to a structure of tensors.
      batch_size: The number of elements.
      num_parallel_batches: How many batches' worth of calls run at the same time.
      drop_remainder: Whether a smaller rest at the end is left out.
      num_parallel_calls: How many calls run at the same time.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: Both numbers of calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set."
        )
    calls = num_parallel_batches * batch_size if num_parallel_batches is not None else num_parallel_calls
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder).prefetch(1)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """`shuffle`, then `repeat`, for `Dataset.apply`.

    Args:
      buffer_size: Size of the buffer.
      count: How often; without an end if it is None or -1.
      seed: An int, see `Dataset.shuffle`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(
    map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
    """`interleave` with elements that are made ahead of time, for `Dataset.apply`.

    Args:
      map_func: A function from an element to a `Dataset`.
      cycle_length: How many datasets take turns.
      block_length: How many elements of a dataset come one after the other.
      sloppy: Whether a dataset whose elements are not there in time is passed over.
      buffer_output_elements: Accepted for compatibility; has no effect: as many as are best.
      prefetch_input_elements: Accepted for compatibility; has no effect.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, not sloppy)


def unbatch():
    """The rows of the elements as elements, for `Dataset.apply`.

    Args:
      None.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.unbatch()


def ignore_errors(log_warning=False):
    """Leaves out the elements at which a dataset fails, for `Dataset.apply`.

    Args:
      log_warning: Whether their errors are shown on standard error, numbered: the first ones, then fewer and fewer.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def enumerate_dataset(start=0):
    """Pairs of a number and an element, for `Dataset.apply`.

    Args:
      start: The first number.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state, scan_func):
    """What a function makes of each element and of a state, for `Dataset.apply`.

    Args:
      initial_state: A structure of values: the first state.
      scan_func: A function from a state and an element to the next state and an element.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate):
    """The elements up to, but without, the first for which a function returns false, for `Dataset.apply`.

    Args:
      predicate: A function from an element to a scalar bool.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.take_while(predicate)


def Counter(start=0, step=1, dtype=dtypes.int64):  # noqa: N802
    """A dataset of numbers without an end.

    Args:
      start: The first number.
      step: The difference between two numbers.
      dtype: The `DType` of the numbers.

    Returns:
      A `Dataset` of scalars.

    Raises:
      Nothing.
    """
    most = (2**63 - 1) * (1 if step >= 0 else -1)
    return Dataset.range(start, most, step, output_type=dtype)


def RandomDataset(seed=None, rerandomize_each_iteration=None, name=None):  # noqa: N802
    """Random numbers from 0 to 2**32 - 1, without an end, see `Dataset.random`.

    Args:
      seed: An int; with `tf.set_random_seed` it makes the numbers repeatable.
      rerandomize_each_iteration: Whether each iteration has different numbers.
      name: Name of the operation.

    Returns:
      A `Dataset` of scalars of type int64.

    Raises:
      Nothing.
    """
    return Dataset.random(seed, rerandomize_each_iteration, name)


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """Elements of datasets that are chosen at random, see `Dataset.sample_from_datasets`.

    Args:
      datasets: A list of `Dataset`s whose elements have the same types.
      weights: The probability of each dataset: a list or `Tensor` of floats, or a `Dataset` of such vectors.
      seed: An int; with `tf.set_random_seed` it makes the choices repeatable.
      stop_on_empty_dataset: Whether it ends when a dataset that has ended is chosen.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: There are no datasets, or another number of weights.
      TypeError: The datasets' types differ, or weights are neither float32 nor float64.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """Elements of datasets that a dataset of numbers chooses, see `Dataset.choose_from_datasets`.

    Args:
      datasets: A list of `Dataset`s whose elements have the same types.
      choice_dataset: A `Dataset` of int64 scalars: the dataset that is next, from 0.
      stop_on_empty_dataset: Whether it ends when a dataset that has ended is chosen.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: There are no datasets.
      TypeError: The datasets' types differ, or `choice_dataset` has other elements.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """What a function makes of windows of elements with the same key, for `Dataset.apply`.

    Args:
      key_func: A function from an element to a scalar int64, its key.
      reduce_func: A function from a key and a `Dataset` of up to `window_size` elements to a `Dataset`.
      window_size: The number of elements in a window.
      window_size_func: A function from a key to the size of its windows, instead of `window_size`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: Neither or both of `window_size` and `window_size_func` are given.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either `window_size` or `window_size_func`, but not both.")
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(
    element_length_func,
    bucket_boundaries,
    bucket_batch_sizes,
    padded_shapes=None,
    padding_values=None,
    pad_to_bucket_boundary=False,
    no_padding=False,
    drop_remainder=False,
):
    """Batches of elements of similar lengths, for `Dataset.apply`; see `Dataset.bucket_by_sequence_length`.

    Args:
      element_length_func: A function from an element to its length, an int32 scalar.
      bucket_boundaries: A list of ints: where the next bucket of lengths begins.
      bucket_batch_sizes: The number of elements of a batch for each bucket.
      padded_shapes: See `Dataset.padded_batch`.
      padding_values: See `Dataset.padded_batch`.
      pad_to_bucket_boundary: Whether unknown sizes are padded to the largest of the bucket.
      no_padding: Whether elements are batched as they are.
      drop_remainder: Whether smaller batches at the end are left out.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def unique():
    """The distinct elements, in the order in which each first occurs, for `Dataset.apply`.

    Args:
      None.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.unique()


def get_single_element(dataset):
    """The only element of a dataset, see `Dataset.get_single_element`.

    Args:
      dataset: A `Dataset`.

    Returns:
      A structure of `Tensor`s and `Dataset`s.

    Raises:
      TypeError: `dataset` is not a `Dataset`.
    """
    if not is_dataset(dataset):
        raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.")
    return dataset.get_single_element()


def cardinality(dataset):
    """The number of elements, see `Dataset.cardinality`.

    Args:
      dataset: A `Dataset`.

    Returns:
      A scalar `Tensor` of type int64.

    Raises:
      Nothing.
    """
    return dataset.cardinality()


def assert_cardinality(expected_cardinality):
    """States the number of elements, for `Dataset.apply`. Another number is a `FailedPreconditionError` at run time.

    Args:
      expected_cardinality: The number, or `tf.data.INFINITE_CARDINALITY`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    number = int64(expected_cardinality, "expected_cardinality")
    return lambda dataset: derived(dataset, "AssertCardinalityDataset", number)


def get_structure(dataset_or_iterator):
    """The structure of an element.

    Args:
      dataset_or_iterator: A `Dataset` or `Iterator`.

    Returns:
      A structure with `TensorSpec`s and `DatasetSpec`s as leaves.

    Raises:
      TypeError: It is something else.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. Expected a `tf.data.Dataset` or `tf.data.Iterator` object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


def to_variant(dataset):
    """The tensor that stands for a dataset.

    Args:
      dataset: A `Dataset`.

    Returns:
      A scalar `Tensor` of type variant.

    Raises:
      Nothing.
    """
    return dataset.variant_tensor


def from_variant(variant, structure):
    """The dataset that a tensor stands for.

    Args:
      variant: A scalar `Tensor` of type variant.
      structure: The structure of an element, with `TensorSpec`s and `DatasetSpec`s as leaves.

    Returns:
      A `Dataset`.

    Raises:
      Nothing.
    """
    return dataset_of(variant, structure)


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """Leaves out or repeats elements until classes have given frequencies, for `Dataset.apply`.

    Args:
      class_func: A function from an element to its class, an int32 scalar below the number of classes.
      target_dist: A vector of floats: the frequencies wanted.
      initial_dist: Those of the dataset; estimated from the elements so far by default.
      seed: An int; with `tf.set_random_seed` it makes the choices repeatable.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def dense_to_sparse_batch(batch_size, row_shape):
    """Batches of tensors of different shapes as `SparseTensor`s, for `Dataset.apply`.

    All values of a tensor are in the batch, zeros, too.

    Args:
      batch_size: The number of elements.
      row_shape: The dense shape of a row: a `TensorShape` or list; -1 or None: as large as the largest of a batch.

    Returns:
      A function from a `Dataset` of single tensors to a `Dataset`. An element larger than a row is an error.

    Raises:
      TypeError: From the function: elements are not single tensors.
      ValueError: From the function: elements have another rank than `row_shape`.
    """
    sizes = row_shape.as_list() if isinstance(row_shape, TensorShape) else row_shape
    row = [-1 if size is None else int(size) for size in sizes]

    def sparse(value):
        found, known = shape(value, out_type=dtypes.int64), constant(row, dtypes.int64)
        free = less(known, constant(0, dtypes.int64))
        fits = reduce_all(logical_or(free, less_equal(found, known)))
        text = f"Input element has a shape that is incompatible with the row shape {row}:"
        with control_dependencies([Assert(fits, [text, found])]):
            positions = where(ones_like(value, dtypes.bool))
        return SparseTensor(positions, reshape(value, [-1]), where(free, found, known))

    def apply(dataset):
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"`dense_to_sparse_batch` needs elements that are single tensors, not {spec}")
        if spec.shape.rank not in (None, len(row)):
            raise ValueError(f"Elements have shape {spec.shape}, which does not fit the row shape {row}")
        return dataset.map(sparse).batch(batch_size)

    return apply


def prefetch_to_device(device, buffer_size=None):
    """Makes elements ahead of time, for `Dataset.apply`; a step copies them to the device that uses them.

    Args:
      device: The name of a device. Elements are made on the CPU, and a step copies them to where they are used.
      buffer_size: How many elements to make ahead of time; chosen by the program by default.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: There can be no such device.
    """
    DeviceSpec.from_string(device)
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device, source_device="/cpu:0"):
    """A dataset with the same elements, for `Dataset.apply`: a step copies them to where they are used.

    Args:
      target_device: The name of a device.
      source_device: The name of the device of the dataset.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: There can be no such devices.
    """
    DeviceSpec.from_string(target_device)
    DeviceSpec.from_string(source_device)
    return lambda dataset: dataset


def bytes_produced_stats(tag):
    """A dataset with the same elements, for `Dataset.apply`. Nothing is recorded: see `tf.summary.input_pipeline`.

    Args:
      tag: A string.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """Padded batches without a smaller last one, for `Dataset.apply`.

    Args:
      batch_size: The number of elements.
      padded_shapes: As in `Dataset.padded_batch`.
      padding_values: As in `Dataset.padded_batch`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
    """Batches that begin every `window_shift` elements, for `Dataset.apply`.

    Args:
      window_size: The number of elements of a batch.
      stride: Another name of `window_shift`.
      window_shift: From the beginning of a batch to that of the next; 1 by default.
      window_stride: From one element of a batch to the next.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: Both names are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `window_shift` and `stride`")
    shift = next((value for value in (stride, window_shift) if value is not None), 1)

    def rows(*windows):
        value = windows[0] if len(windows) == 1 else windows
        if is_dataset(value):
            return value.batch(window_size)
        return Dataset.zip(elements.map_leaves(lambda window: window.batch(window_size), value))

    return lambda dataset: dataset.window(window_size, shift, window_stride, drop_remainder=True).flat_map(rows)


def sloppy_interleave(map_func, cycle_length, block_length=1):
    """`parallel_interleave` whose order is not fixed, for `Dataset.apply`.

    Args:
      map_func: A function from an element to a `Dataset`.
      cycle_length: From how many datasets elements are taken in turn.
      block_length: How many elements are taken from one before the next has its turn.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def reduce_dataset(dataset, reducer):
    """What a `Reducer` makes of all elements.

    Args:
      dataset: A `Dataset`.
      reducer: A `Reducer`.

    Returns:
      A structure of tensors.

    Raises:
      TypeError: `reducer` is not a `Reducer`.
    """
    if not isinstance(reducer, Reducer):
        raise TypeError("`reducer` must be a `Reducer`.")
    initial = reducer.init_func(constant(0, dtypes.int64))
    last = dataset.reduce(initial, reducer.reduce_func)
    return reducer.finalize_func(*(last if isinstance(last, tuple) else (last,)))


def assert_element_shape(expected_shapes):
    """Checks that elements have these shapes, for `Dataset.apply`.

    Args:
      expected_shapes: The structure of an element, with shapes as leaves, which may be unknown in part.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: From the function: the shapes can't be those of elements.
    """

    def check(*leaves):
        value = leaves[0] if len(leaves) == 1 else leaves
        shapes = elements.shapes_like(value, expected_shapes)
        return elements.pack(value, map(ensure_shape, elements.flatten(value), shapes))

    return lambda dataset: dataset.map(check)
