"""Methods of `Dataset` that make batches."""

from tfcore.data import elements
from tfcore.data.base import derived, int64, rows_of_batch
from tfcore.data.functions import TracedFunction
from tfcore.data.spec import dataset_of
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


class Batches:
    """Methods of `Dataset` that make batches."""

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Stacks elements: a batch has one more dimension, the first.

        Args:
          batch_size: The number of elements.
          drop_remainder: Whether a smaller rest at the end is left out.
          num_parallel_calls: If given, a batch is made ahead of time by another thread.
          deterministic: Accepted for compatibility; has no effect.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        size, drop = int64(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool)
        rows = rows_of_batch(size, drop)
        spec = elements.map_leaves(lambda s: elements.batch_of(s, rows), self.element_spec)
        made = derived(self, "BatchDatasetV2", size, drop, spec=spec, name=name)
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
        shapes, values, spec = padded_inputs(
            self.element_spec, padded_shapes, padding_values, rows_of_batch(size, drop)
        )
        variant = get_op_def("PaddedBatchDatasetV2")(
            self.variant_tensor,
            size,
            shapes,
            values,
            drop,
            output_shapes=elements.attributes_of(spec)["output_shapes"],
            name=name,
        )
        return dataset_of(variant, spec, (self,))

    def unbatch(self, name=None):
        """The rows of the elements as elements.

        Args:
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: A component is a scalar.
        """
        for spec in elements.flatten(self.element_spec):
            if spec.shape.rank == 0:
                raise ValueError("Cannot unbatch an element with scalar components.")
        spec = elements.map_leaves(elements.row_of, self.element_spec)
        return derived(_with_sparse_rows(self), "UnbatchDataset", spec=spec, name=name)


def _with_sparse_rows(dataset):
    """The same elements with a Tensor row for each row of a SparseTensor."""
    if not elements.has_sparse(dataset.element_spec):
        return dataset
    traced = TracedFunction(lambda *element: element, dataset.element_spec, rows=True)
    return derived(dataset, "MapDataset", traced.captured, f=traced.function)
