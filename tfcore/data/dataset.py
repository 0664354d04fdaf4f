"""tf.data.Dataset: elements that a graph makes, one after the other."""

import numpy as np

from tfcore.data import elements
from tfcore.data.functions import TracedFunction, make_factory
from tfcore.data.iterator import iterator_of
from tfcore.data.state import reduced, scan_parts
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.ops.random.random import get_seed

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def int64(value, name):
    """A Tensor for an argument of an op; None: -1."""
    return convert_to_tensor(-1 if value is None else value, dtypes.int64, name=name)


class Dataset:
    """A potentially large set of elements, which a pipeline of operations makes one after the other.

    An element is a nested structure of tensors: tuples, named tuples and dictionaries. Functions of elements, such as
    that of `map`, get a tuple's components as arguments. They become functions of the graph, which run without Python.

    Raises:
      TypeError: It is not made by one of its methods.

    Example:

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> value = dataset.make_one_shot_iterator().get_next()
    >>> with tf.Session() as sess:
    ...     sess.run(value), sess.run(value), sess.run(value)
    (array([0, 1]), array([4, 9]), array([16]))
    """

    def __init__(self):
        raise TypeError("Datasets are made by methods such as tf.data.Dataset.from_tensor_slices().")

    def __repr__(self):
        return f"<Dataset shapes: {self.output_shapes}, types: {self.output_types}>"

    __str__ = __repr__

    def __bool__(self):
        return True

    def __iter__(self):
        raise RuntimeError("A dataset is iterated over in a graph: use make_one_shot_iterator().get_next().")

    # ---- Its elements

    @property
    def element_spec(self):
        """The structure of an element, with `TensorSpec`s as leaves."""
        return self._spec

    @property
    def output_types(self):
        """The structure of an element, with `DType`s as leaves."""
        return elements.types_of(self._spec)

    @property
    def output_shapes(self):
        """The structure of an element, with `TensorShape`s as leaves."""
        return elements.shapes_of(self._spec)

    @property
    def output_classes(self):
        """The structure of an element, with classes of values as leaves."""
        from tfcore.framework.graph.operation import Tensor

        return elements.map_leaves(lambda _: Tensor, self._spec)

    # ---- Sources

    @staticmethod
    def from_tensors(tensors, name=None):
        """A dataset with one element.

        Args:
          tensors: The element.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A leaf does not convert to a `Tensor`.
        """
        with name_scope("tensors"):
            tensors = elements.to_tensors(tensors)
        spec = elements.spec_of(tensors)
        flat = elements.flatten(tensors)
        shapes = elements.attributes_of(spec)["output_shapes"]
        return dataset_of(get_op_def("TensorDataset")(flat, output_shapes=shapes, name=name), spec)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """A dataset with an element for each row of the tensors: their slices along the first dimension.

        Args:
          tensors: A structure of values with equal first dimensions.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: A tensor is a scalar, or first dimensions differ.
          TypeError: A leaf does not convert to a `Tensor`.
        """
        with name_scope("tensors"):
            tensors = elements.to_tensors(tensors)
        flat = elements.flatten(tensors)
        rows = TensorShape([None])
        for tensor in flat:
            if tensor.shape.rank == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
            if tensor.shape.rank is not None:
                rows = rows.merge_with([tensor.shape[0]])
        spec = elements.map_leaves(lambda t: TensorSpec(_rows_shape(t.shape), t.dtype), tensors)
        shapes = elements.attributes_of(spec)["output_shapes"]
        return dataset_of(get_op_def("TensorSliceDataset")(flat, output_shapes=shapes, name=name), spec)

    @staticmethod
    def range(*args, **kwargs):
        """A dataset of numbers.

        Args:
          *args: `(stop)`, `(start, stop)` or `(start, stop, step)`, like the arguments of Python's `range`.
          **kwargs: `output_type`: the `DType` of the numbers, int64 by default; `name` of the operation.

        Returns:
          A `Dataset` of scalars.

        Raises:
          ValueError: There are none or more than three arguments, or unknown keywords.
        """
        dtype = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
        name = kwargs.pop("name", None)
        if kwargs or not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`: {args} {kwargs}. The length of `args` should be between 1 and 3.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        spec = TensorSpec([], dtype)
        variant = get_op_def("RangeDataset")(
            int64(start, "start"), int64(stop, "stop"), int64(step, "step"), name=name, **elements.attributes_of(spec)
        )
        return dataset_of(variant, spec)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        """A dataset of what a Python function yields. It runs anew for each iteration.

        Args:
          generator: A function that returns an object with `iter()`, whose items have the structure of an element.
          output_types: The structure of an element, with `DType`s as leaves.
          output_shapes: The same with shapes; unknown by default.
          args: Values that are passed to `generator`, as NumPy arrays.
          output_signature: The structure with `TensorSpec`s, instead of types and shapes.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: `generator` is not callable, or there are types and a signature, or neither.
        """
        from tfcore.data.generator import from_generator

        return dataset_of(*from_generator(generator, output_types, output_shapes, args, output_signature, name))

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """The names of the files that match a pattern.

        Args:
          file_pattern: A string, or several: `*`, `?` and `[a-z]` stand for characters in a part of a path.
          shuffle: Whether they come in random order, the default, or in alphabetical order.
          seed: An int, see `shuffle`.
          name: Name of the operation.

        Returns:
          A `Dataset` of scalar strings.

        Raises:
          InvalidArgumentError: No file matches (when the iterator begins).
        """
        pattern = convert_to_tensor(file_pattern, dtypes.string, name="file_pattern")
        names = get_op_def("MatchingFiles")(pattern)
        count = get_op_def("Size")(names)
        found = get_op_def("Assert")(
            get_op_def("Greater")(count, convert_to_tensor(0)), ["No files matched pattern: ", pattern]
        )
        with get_default_graph().control_dependencies([found]):
            names = get_op_def("Identity")(names)
        dataset = Dataset.from_tensor_slices(names, name=name)
        if shuffle is None or shuffle:
            many = get_op_def("Maximum")(get_op_def("Cast")(count, DstT=dtypes.int64), int64(1, "one"))
            dataset = dataset.shuffle(many, seed=seed)
        return dataset

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """A dataset of tuples with an element of each dataset. It ends with the shortest.

        Args:
          *args: A nested structure of `Dataset`s, or several arguments.
          datasets: The same, by its name in TensorFlow 1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: There is no dataset, or something is not one.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        flat = elements.flatten(structure)
        for dataset in flat:
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    f"The argument to `Dataset.zip()` must be a nested structure of datasets, not {dataset!r}"
                )
        spec = elements.pack(structure, [d.element_spec for d in flat])
        variant = get_op_def("ZipDataset")([d.variant_tensor for d in flat], name=name, **elements.attributes_of(spec))
        return dataset_of(variant, spec)

    # ---- Elements of others

    def _derived(self, op_type, *inputs, spec=None, name=None, **attrs):
        """The dataset that an op makes of this one."""
        spec = self._spec if spec is None else spec
        attrs = {**attrs, **elements.attributes_of(spec)}
        return dataset_of(get_op_def(op_type)(self.variant_tensor, *inputs, name=name, **attrs), spec)

    def concatenate(self, dataset, name=None):
        """The elements of this dataset, then those of another one.

        Args:
          dataset: A `Dataset` of elements of the same types.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The types differ.
        """
        elements.check_same_types(self._spec, dataset.element_spec, "Two datasets to concatenate")
        spec = elements.common_spec(self._spec, dataset.element_spec)
        return self._derived("ConcatenateDataset", dataset.variant_tensor, spec=spec, name=name)

    def repeat(self, count=None, name=None):
        """The elements, several times.

        Args:
          count: How often; without an end if it is None or -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("RepeatDataset", int64(count, "count"), name=name)

    def take(self, count, name=None):
        """The first elements.

        Args:
          count: How many; all if it is -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("TakeDataset", int64(count, "count"), name=name)

    def skip(self, count, name=None):
        """All but the first elements.

        Args:
          count: How many are left out; all if it is -1.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("SkipDataset", int64(count, "count"), name=name)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`-th element, beginning with element `index`: one worker's part.

        Args:
          num_shards: The number of parts.
          index: Which part, from 0.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          InvalidArgumentError: `index` is not one of the parts. (If the values are only known when the graph runs, it
            is raised then.)
        """
        shards, at = int64(num_shards, "num_shards"), int64(index, "index")
        known = constant_value(shards), constant_value(at)
        if known[0] is not None and known[0] < 1:
            raise errors.InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = {known[0]})."
            )
        if None not in known and not 0 <= known[1] < known[0]:
            raise errors.InvalidArgumentError(
                None, None, f"Index must be between 0 and {known[0] - 1} (currently index = {known[1]})."
            )
        return self._derived("ShardDataset", shards, at, name=name)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """The elements in random order: each is taken from a buffer of the next ones.

        Args:
          buffer_size: Size of the buffer. For a uniform order it has to be as large as the dataset.
          seed: An int; with `tf.set_random_seed` it makes the order repeatable. The order for given seeds is that of
            TensorFlow.
          reshuffle_each_iteration: Whether each repetition by `repeat` has an order of its own.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        seeds = get_seed(seed)
        seeds = (0, 0) if seeds == (None, None) else seeds
        reshuffles = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        return self._derived(
            "ShuffleDataset",
            int64(buffer_size, "buffer_size"),
            int64(seeds[0], "seed"),
            int64(seeds[1], "seed2"),
            reshuffle_each_iteration=reshuffles,
            name=name,
        )

    def cache(self, filename="", name=None):
        """The elements, which are computed once and then kept in memory.

        Args:
          filename: Must be empty: there is no cache in files.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("CacheDataset", convert_to_tensor(filename, dtypes.string, name="filename"), name=name)

    def prefetch(self, buffer_size, name=None):
        """The elements, of which some are made ahead of time by another thread.

        Args:
          buffer_size: How many are made ahead at most; -1 (`tf.data.AUTOTUNE`): 8.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("PrefetchDataset", int64(buffer_size, "buffer_size"), name=name)

    # ---- Functions of elements

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ):
        """What a function returns for each element.

        Args:
          map_func: A function from an element to a structure of tensors.
          num_parallel_calls: How many calls run at the same time, on threads of their own; -1
            (`tf.data.AUTOTUNE`): one for each core. By default elements are made when they are asked for.
          deterministic: Has no effect: elements always come in order.
          synchronous: Has no effect.
          use_unbounded_threadpool: Has no effect.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result does not convert to a `Tensor`.
        """
        traced = TracedFunction(map_func, self._spec)
        inputs, op_type = [traced.captured], "MapDataset"
        if num_parallel_calls is not None:
            inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
            op_type = "ParallelMapDatasetV2"
        spec = _result_spec(traced)
        return self._derived(op_type, *inputs, spec=spec, f=traced.function, name=name)

    def map_with_legacy_function(
        self, map_func, num_parallel_calls=None, deterministic=None, use_unbounded_threadpool=False
    ):
        """`map`, by the name that TensorFlow has for functions which create state.

        Args:
          map_func: A function from an element to a structure of tensors.
          num_parallel_calls: See `map`.
          deterministic: See `map`.
          use_unbounded_threadpool: See `map`.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result does not convert to a `Tensor`.
        """
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that a function makes of the elements, one dataset after the other.

        Args:
          map_func: A function from an element to a `Dataset`.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result is not a `Dataset`.
        """
        traced = self._traced_dataset(map_func, "flat_map")
        return self._derived(
            "FlatMapDataset", traced.captured, spec=traced.result.element_spec, f=traced.function, name=name
        )

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ):
        """The elements of the datasets that a function makes of the elements, a few of each in turn.

        Args:
          map_func: A function from an element to a `Dataset`.
          cycle_length: How many datasets take turns; by default, or if it is -1, as many as there are cores.
          block_length: How many elements of a dataset come one after the other; 1 by default.
          num_parallel_calls: If given, elements are made ahead of time by another thread, up to 2 for each dataset
            of the cycle.
          deterministic: Has no effect: elements always come in the same order.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result is not a `Dataset`.
        """
        from tfcore.core.runtime import num_threads

        traced = self._traced_dataset(map_func, "interleave")
        if cycle_length is None or cycle_length == AUTOTUNE:
            cycle_length = num_threads() if num_parallel_calls in (None, AUTOTUNE) else num_parallel_calls
        made = self._derived(
            "InterleaveDataset",
            traced.captured,
            int64(cycle_length, "cycle_length"),
            int64(1 if block_length is None else block_length, "block_length"),
            spec=traced.result.element_spec,
            f=traced.function,
            name=name,
        )
        return made if num_parallel_calls is None else made.prefetch(2 * cycle_length)

    def _traced_dataset(self, map_func, method):
        traced = TracedFunction(map_func, self._spec)
        if not isinstance(traced.result, Dataset):
            raise TypeError(f"The `map_func` of {method} must return a `Dataset` object. Got {traced.result!r}")
        return traced

    def filter(self, predicate, name=None):
        """The elements for which a function returns true.

        Args:
          predicate: A function from an element to a scalar bool.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        traced = self._traced_predicate(predicate)
        return self._derived("FilterDataset", traced.captured, predicate=traced.function, name=name)

    def _traced_predicate(self, predicate):
        traced = TracedFunction(predicate, self._spec)
        result = None if isinstance(traced.result, Dataset) else elements.spec_of(traced.result)
        if not elements.is_scalar(result, dtypes.bool):
            raise ValueError(f"`predicate` return type must be convertible to a scalar boolean tensor. Was {result}.")
        return traced

    def filter_with_legacy_function(self, predicate):
        """`filter`, by the name that TensorFlow has for functions which create state.

        Args:
          predicate: A function from an element to a scalar bool.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        return self.filter(predicate)

    def take_while(self, predicate, name=None):
        """The elements up to, but without, the first for which a function returns false.

        Args:
          predicate: A function from an element to a scalar bool.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        traced = self._traced_predicate(predicate)
        return self._derived("TakeWhileDataset", traced.captured, predicate=traced.function, name=name)

    def scan(self, initial_state, scan_func, name=None):
        """What a function makes of each element and of a state.

        Args:
          initial_state: A structure of values: the first state.
          scan_func: A function from a state and an element to the next state and an element.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The function does not return a pair, or the state changes its types.
        """
        state, traced, spec = scan_parts(self, initial_state, scan_func)
        return self._derived("ScanDataset", state, traced.captured, spec=spec, f=traced.function, name=name)

    def reduce(self, initial_state, reduce_func, name=None):
        """What a function makes of all elements: it gets a state and an element, and returns the next state.

        Args:
          initial_state: A structure of values: the first state.
          reduce_func: A function from a state and an element to a state.
          name: Name of the operation.

        Returns:
          A structure of `Tensor`s: the last state.

        Raises:
          TypeError: The state changes its types.
        """
        return reduced(self, initial_state, reduce_func, name)

    def ignore_errors(self, log_warning=False, name=None):
        """The elements without those at which the dataset fails, for example because a file is damaged.

        Args:
          log_warning: Has no effect.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return self._derived("IgnoreErrorsDataset", log_warning=log_warning, name=name)

    def enumerate(self, start=0, name=None):
        """Pairs of a number and an element.

        Args:
          start: The first number.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        return Dataset.zip((Dataset.range(start, np.iinfo(np.int64).max), self), name=name)

    def apply(self, transformation_func):
        """What a function makes of this dataset.

        Args:
          transformation_func: A function from a `Dataset` to a `Dataset`.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The result is not a `Dataset`.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset

    # ---- Batches

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Stacks elements: a batch has one more dimension, the first.

        Args:
          batch_size: The number of elements.
          drop_remainder: Whether a smaller rest at the end is left out.
          num_parallel_calls: If given, a batch is made ahead of time by another thread.
          deterministic: Has no effect.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        size, drop = int64(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool)
        rows = _rows_of_batch(size, drop)
        spec = elements.map_leaves(lambda s: TensorSpec(TensorShape([rows]).concatenate(s.shape), s.dtype), self._spec)
        made = self._derived("BatchDatasetV2", size, drop, spec=spec, name=name)
        return made if num_parallel_calls is None else made.prefetch(1)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        """Stacks elements of different sizes: smaller ones are padded at the end of each dimension.

        Args:
          batch_size: The number of elements.
          padded_shapes: For each component a shape, as a list, `TensorShape` or int64 vector. None and -1 stand for
            the largest size in the batch. By default the shape of the component, whose rank must be known.
          padding_values: For each component a scalar: zero, false or "" by default. One value may stand for all.
          drop_remainder: Whether a smaller rest at the end is left out.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: A rank is unknown, or shapes or values do not fit the components.
          TypeError: A padding value has another type than its component.
        """
        from tfcore.data.padding import padded_inputs

        size, drop = int64(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool)
        shapes, values, spec = padded_inputs(self._spec, padded_shapes, padding_values, _rows_of_batch(size, drop))
        variant = get_op_def("PaddedBatchDatasetV2")(
            self.variant_tensor,
            size,
            shapes,
            values,
            drop,
            output_shapes=elements.attributes_of(spec)["output_shapes"],
            name=name,
        )
        return dataset_of(variant, spec)

    def unbatch(self, name=None):
        """The rows of the elements as elements.

        Args:
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: A component is a scalar.
        """
        for spec in elements.flatten(self._spec):
            if spec.shape.rank == 0:
                raise ValueError("Cannot unbatch an element with scalar components.")
        spec = elements.map_leaves(lambda s: TensorSpec(_rows_shape(s.shape), s.dtype), self._spec)
        return self._derived("UnbatchDataset", spec=spec, name=name)

    # ---- Iterators

    def make_one_shot_iterator(self):
        """An iterator that needs no initialization.

        Args:
          None.

        Returns:
          An `Iterator`.

        Raises:
          ValueError: The dataset depends on state or a placeholder: use `make_initializable_iterator`.
        """
        try:
            factory = make_factory(lambda: self.variant_tensor)
        except ValueError as error:
            raise ValueError(
                f"A one-shot iterator can't be made of this dataset: {error} If it depends on a placeholder or on "
                "state, use Dataset.make_initializable_iterator()."
            ) from None
        handle = get_op_def("OneShotIterator")(dataset_factory=factory, **elements.attributes_of(self._spec))
        return iterator_of(handle, None, self._spec)

    def make_initializable_iterator(self, shared_name=None):
        """An iterator that has elements once its initializer has run.

        Args:
          shared_name: Name by which sessions of one task share it.

        Returns:
          An `Iterator`.

        Raises:
          Nothing.
        """
        handle = get_op_def("IteratorV2")(
            shared_name=shared_name or "", container="", **elements.attributes_of(self._spec)
        )
        initializer = get_op_def("MakeIterator")(self.variant_tensor, handle)
        return iterator_of(handle, initializer, self._spec)


class _DatasetOfTensor(Dataset):
    def __init__(self, variant_tensor, spec):
        self.variant_tensor, self._spec = variant_tensor, spec


def dataset_of(variant_tensor, spec):
    """The Dataset that a Tensor of type variant stands for."""
    return _DatasetOfTensor(variant_tensor, spec)


def _rows_shape(shape):
    return TensorShape(None) if shape.rank is None else shape[1:]


def _rows_of_batch(size, drop):
    """The static number of rows of batches: known only if no batch is smaller."""
    known = constant_value(size), constant_value(drop)
    return int(known[0]) if known[0] is not None and known[1] else None


def _result_spec(traced):
    if isinstance(traced.result, Dataset):
        raise TypeError("A map function can't return a dataset: use flat_map or interleave.")
    return elements.spec_of(traced.result)
