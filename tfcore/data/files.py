"""Datasets of the records of files."""

from tfcore.data.base import int64
from tfcore.data.dataset import Dataset
from tfcore.data.spec import is_dataset
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec

_TEXT = TensorSpec([], dtypes.string)


class _Files(Dataset):
    """Reads one file after the other, or several at the same time."""

    def __init__(self, filenames, num_parallel_reads, read, spec=_TEXT):
        """read: a function from names of files to the Tensor that stands for the dataset of their records."""
        if is_dataset(filenames):
            files = filenames
        elif num_parallel_reads is None:
            self._define(read(convert_to_tensor(filenames, dtypes.string, name="filenames")), spec)
            return
        else:
            names = convert_to_tensor(filenames, dtypes.string, name="filenames")
            files = Dataset.from_tensor_slices(names if names.shape.rank else [names])
        each = files.interleave(
            lambda name: _Files(name, None, read, spec),
            cycle_length=num_parallel_reads or 1,
            num_parallel_calls=num_parallel_reads,
        )
        self._define(each.variant_tensor, spec, (each,))


def _compression(compression_type):
    return convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")


def _buffer(buffer_size):
    return int64(0 if buffer_size is None else buffer_size, "buffer_size")


class TextLineDataset(_Files):
    """The lines of text files, without line ends.

    Args:
      filenames: A string or vector of strings, or a `Dataset` of scalar strings.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: Bytes that are read at a time; 0 or None: as many as are best.
      num_parallel_reads: How many files are read in turn, ahead of time; by default one after the other.
      name: Name of the operation.

    Raises:
      TypeError: `filenames` are not strings.
    """

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        def read(names):
            return get_op_def("TextLineDataset")(names, _compression(compression_type), _buffer(buffer_size), name=name)

        super().__init__(filenames, num_parallel_reads, read)


class TFRecordDataset(_Files):
    """The records of TFRecord files.

    Args:
      filenames: A string or vector of strings, or a `Dataset` of scalar strings.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: Bytes that are read at a time; 0 or None: as many as are best.
      num_parallel_reads: How many files are read in turn, ahead of time; by default one after the other.
      name: Name of the operation.
      skip_damaged: Whether damaged records are left out instead of being errors. After one whose length is damaged its
        file ends, as nobody knows where the next one begins. At the end of each file a line on standard error says how
        many were left out.

    Raises:
      TypeError: `filenames` are not strings.
    """

    def __init__(
        self,
        filenames,
        compression_type=None,
        buffer_size=None,
        num_parallel_reads=None,
        name=None,
        *,
        skip_damaged=False,
    ):
        def read(names):
            op = get_op_def("_UndamagedTFRecordDataset" if skip_damaged else "TFRecordDataset")
            return op(names, _compression(compression_type), _buffer(buffer_size), name=name)

        super().__init__(filenames, num_parallel_reads, read)


class FixedLengthRecordDataset(_Files):
    """Pieces of files that have the same number of bytes.

    Args:
      filenames: A string or vector of strings, or a `Dataset` of scalar strings.
      record_bytes: The number of bytes of a record.
      header_bytes: Bytes at the beginning of a file that are left out.
      footer_bytes: Bytes at the end of a file that are left out.
      buffer_size: Bytes that are read at a time; 0 or None: as many as are best.
      compression_type: "", "ZLIB" or "GZIP".
      num_parallel_reads: How many files are read in turn, ahead of time; by default one after the other.
      name: Name of the operation.

    Raises:
      TypeError: `filenames` are not strings.
    """

    def __init__(
        self,
        filenames,
        record_bytes,
        header_bytes=None,
        footer_bytes=None,
        buffer_size=None,
        compression_type=None,
        num_parallel_reads=None,
        name=None,
    ):
        def read(names):
            return get_op_def("FixedLengthRecordDatasetV2")(
                names,
                int64(header_bytes or 0, "header_bytes"),
                int64(record_bytes, "record_bytes"),
                int64(footer_bytes or 0, "footer_bytes"),
                _buffer(buffer_size),
                _compression(compression_type),
                name=name,
            )

        super().__init__(filenames, num_parallel_reads, read)


class LMDBDataset(_Files):
    """The pairs (key, value) of LMDB databases, in the order of the keys. Nobody may write to them meanwhile.

    Args:
      filenames: A string or vector of strings, or a `Dataset` of scalar strings: files, or folders with a file
        "data.mdb".

    Raises:
      TypeError: `filenames` are not strings.
    """

    def __init__(self, filenames):
        def read(names):
            return get_op_def("LMDBDataset")(names, output_types=[dtypes.string] * 2, output_shapes=[()] * 2)

        super().__init__(filenames, None, read, (_TEXT, _TEXT))
