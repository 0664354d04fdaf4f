"""The base class of readers. The op types of readers do not exist yet."""

from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


class ReaderBase:
    """An operation that reads records, as pairs (key, value), from the files in a queue.

    Args:
      reader_ref: A `Tensor`: the handle of the reader.
      supports_serialize: Whether the reader can save its state.

    Raises:
      RuntimeError: From the methods: there is no such op type yet.
    """

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self):
        """The handle of the reader, a `Tensor`."""
        return self._reader_ref

    @property
    def supports_serialize(self):
        """Whether the reader can save its state."""
        return self._supports_serialize

    def read(self, queue, name=None):
        """The next record; takes a file from the queue if the last one has ended.

        Args:
          queue: A queue, or its handle, of names of files.
          name: A name for the operation (optional).

        Returns:
          Scalar string `Tensor`s (key, value).
        """
        return self._add("ReaderRead", [_handle(queue)], name).outputs

    def read_up_to(self, queue, num_records, name=None):
        """The next records.

        Args:
          queue: A queue, or its handle, of names of files.
          num_records: An int64 scalar: at most how many.
          name: A name for the operation (optional).

        Returns:
          Vectors of strings (keys, values).
        """
        inputs = [_handle(queue), convert_to_tensor(num_records, dtypes.int64)]
        return self._add("ReaderReadUpTo", inputs, name).outputs

    def num_records_produced(self, name=None):
        """The number of records read, an int64 scalar `Tensor`."""
        return self._add("ReaderNumRecordsProduced", [], name).outputs[0]

    def num_work_units_completed(self, name=None):
        """The number of files read to their ends, an int64 scalar `Tensor`."""
        return self._add("ReaderNumWorkUnitsCompleted", [], name).outputs[0]

    def serialize_state(self, name=None):
        """The state of the reader, a scalar string `Tensor`."""
        return self._add("ReaderSerializeState", [], name).outputs[0]

    def restore_state(self, state, name=None):
        """Restores a state.

        Args:
          state: A scalar string: what `serialize_state` has returned.
          name: A name for the operation (optional).

        Returns:
          An `Operation`.
        """
        return self._add("ReaderRestoreState", [convert_to_tensor(state, dtypes.string)], name)

    def reset(self, name=None):
        """An `Operation` that makes the reader forget what it has read."""
        return self._add("ReaderReset", [], name)

    def _add(self, op_type, inputs, name):
        """Adds an operation on the reader; with a resource handle its second version."""
        if self._reader_ref.dtype == dtypes.resource:
            op_type += "V2"
        return self._reader_ref.graph.create_op(op_type, [self._reader_ref, *inputs], name=name)


def _handle(queue):
    return queue if isinstance(queue, Tensor) else queue.queue_ref
