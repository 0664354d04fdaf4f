"""Static methods of Dataset that make datasets of values, files and generators; zip."""

from tfcore.data import elements
from tfcore.data.base import int64
from tfcore.data.spec import dataset_of, is_dataset
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.type_spec import TensorSpec


class Sources:
    """Static methods of `Dataset` that make datasets of values, files and generators; zip."""

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
        flat = elements.flat_tensors(tensors)
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
        rows = TensorShape([None])
        for leaf in elements.flatten(tensors):
            if leaf.shape.rank == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
            if leaf.shape.rank is not None:
                rows = rows.merge_with([leaf.shape[0]])
        flat = elements.flat_rows(tensors)
        spec = elements.map_leaves(elements.row_of, elements.spec_of(tensors))
        shapes = elements.attributes_of(spec)["output_shapes"]
        return dataset_of(get_op_def("TensorSliceDataset")(flat, output_shapes=shapes, name=name), spec)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor):
        """A dataset with an element for each row of a sparse tensor. Old form of `from_tensor_slices`.

        Args:
          sparse_tensor: A `SparseTensor` of at least one dimension, in row-major order.

        Returns:
          A `Dataset` of `SparseTensor`s with one dimension less.

        Raises:
          TypeError: It is not a `SparseTensor`.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(f"`sparse_tensor` must be a `tf.SparseTensor` object. Was {sparse_tensor!r}.")
        return Sources.from_tensor_slices(sparse_tensor)

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
        dataset = Sources.from_tensor_slices(names, name=name)
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
            if not is_dataset(dataset):
                raise TypeError(
                    f"The argument to `Dataset.zip()` must be a nested structure of datasets, not {dataset!r}"
                )
        spec = elements.pack(structure, [d.element_spec for d in flat])
        variant = get_op_def("ZipDataset")([d.variant_tensor for d in flat], name=name, **elements.attributes_of(spec))
        return dataset_of(variant, spec, tuple(flat))
