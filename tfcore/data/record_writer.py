"""tf.data.experimental.TFRecordWriter: writes the elements of a dataset to a file."""

import os

from tfcore.data.spec import is_dataset
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.io import tf_record
from tfcore.ops.control_flow.control import group
from tfcore.ops.functions.py_func import py_func


class TFRecordWriter:
    """Writes the elements of a dataset to a file of records.

    Args:
      filename: The path of the file, a scalar string.
      compression_type: "", "ZLIB" or "GZIP", a scalar string (optional).

    Example:

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/numbers.tfrecord"
    >>> numbers = tf.data.Dataset.range(3).map(tf.as_string)
    >>> write = tf.data.experimental.TFRecordWriter(path).write(numbers)
    >>> with tf.Session() as sess:
    ...     sess.run(write)
    >>> print(list(tf.python_io.tf_record_iterator(path)))
    [b'0', b'1', b'2']
    """

    def __init__(self, filename, compression_type=None):
        self._filename = convert_to_tensor(filename, dtypes.string, name="filename")
        compression = "" if compression_type is None else compression_type
        self._compression_type = convert_to_tensor(compression, dtypes.string, name="compression_type")

    def write(self, dataset):
        """Writes all elements. What the file had is lost; if the dataset fails, the file has the elements before that.

        Args:
          dataset: A `Dataset` of scalar strings.

        Returns:
          The `Operation` that writes them.

        Raises:
          TypeError: It is not a dataset, or has other elements.
        """
        if not is_dataset(dataset):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != dtypes.string or spec.shape.rank not in (0, None):
            raise TypeError(
                f"`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape {dataset.output_shapes} "
                f"and types {dataset.output_types}"
            )
        files = _Files()
        with name_scope(None, "DatasetToTFRecord", []) as scope:
            path = py_func(files.begin, [self._filename, self._compression_type], dtypes.string)
            path.set_shape([])
            last = dataset.reduce(path, files.write_op)
            return group(py_func(files.end, [last], dtypes.string), name=scope)


class _Files:
    """The files that are being written, by path. One that a failed run has left is closed when the next one begins."""

    def __init__(self):
        self._open = {}

    def begin(self, path, compression):
        self._close(path)
        self._open[path] = tf_record.TFRecordWriter(os.fsdecode(path), compression.decode())
        return path

    def write_op(self, path, record):
        written = py_func(self._write, [path, record], dtypes.string)
        written.set_shape([])
        return written

    def _write(self, path, record):
        self._open[path].write(record)
        return path

    def end(self, path):
        self._close(path)
        return path

    def _close(self, path):
        writer = self._open.pop(path, None)
        if writer is not None:
            writer.close()
