"""Readers, which give out the records of files whose names they take from a queue.

The ops with "V2" in their names take handles of type resource, the others TensorFlow 1.0's, which are references to
strings; the kernels are the same (`compiler/handles.py`).
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes

# ---- Operations

_NAMES = ["container: string = ''", "shared_name: string = ''"]
_SIZES = ["header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0", "hop_bytes: int = 0"]


def _names_shape(op):
    return [(2,)]


def _vectors(op):
    shapes.with_rank(op.inputs[2].dims, 0)
    return [(None,)] * 2


define_op(
    "_UndamagedTFRecordReader",
    outputs=["reader_handle: resource"],
    attrs=[*_NAMES, "compression_type: string = ''"],
    shape=shapes.scalar,
    stateful=True,
    doc="The handle of a reader of TensorFlow's records that leaves out damaged ones.",
)
define_op(
    "_ReaderNumRecordsDamaged",
    inputs=["reader_handle: resource"],
    outputs=["records_damaged: int64"],
    shape=shapes.scalar,
    stateful=True,
    doc="How many damaged records a reader has left out.",
)
not_differentiable("_UndamagedTFRecordReader", "_ReaderNumRecordsDamaged")
for _suffix, _type, _handle_shape in (("V2", "resource", shapes.scalar), ("", "Ref(string)", _names_shape)):
    for _name, _attrs, _doc in (
        ("WholeFileReader", _NAMES, "A record is a whole file."),
        ("TextLineReader", ["skip_header_lines: int = 0", *_NAMES], "A record is a line."),
        (
            "FixedLengthRecordReader",
            [*_SIZES, *_NAMES, *(["encoding: string = ''"] if _suffix else [])],
            "A record has a fixed number of bytes.",
        ),
        ("TFRecordReader", [*_NAMES, "compression_type: string = ''"], "It reads files of TensorFlow's records."),
        ("IdentityReader", _NAMES, "A record is what the queue has, as key and as value."),
    ):
        define_op(
            _name + _suffix,
            outputs=[f"reader_handle: {_type}"],
            attrs=_attrs,
            shape=_handle_shape,
            stateful=True,
            doc=f"The handle of a reader, made when it is first needed. {_doc}",
        )
        not_differentiable(_name + _suffix)
    _queue = f"queue_handle: {_type}"
    for _name, _inputs, _outputs, _shape, _doc in (
        ("Read", [_queue], ["key: string", "value: string"], shapes.scalar, "The next record."),
        (
            "ReadUpTo",
            [_queue, "num_records: int64"],
            ["keys: string", "values: string"],
            _vectors,
            "The next records of a file, at most `num_records`, at least one.",
        ),
        ("NumRecordsProduced", [], ["records_produced: int64"], shapes.scalar, "How many records were read."),
        (
            "NumWorkUnitsCompleted",
            [],
            ["units_completed: int64"],
            shapes.scalar,
            "How many files were read to the end.",
        ),
        ("SerializeState", [], ["state: string"], shapes.scalar, "The state of a reader, as a string."),
        ("RestoreState", ["state: string"], [], None, "Gives a reader a state."),
        ("Reset", [], [], None, "The reader forgets its file and all counts."),
    ):
        define_op(
            f"Reader{_name}{_suffix}",
            inputs=[f"reader_handle: {_type}", *_inputs],
            outputs=_outputs,
            shape=_shape,
            stateful=bool(_suffix),
            doc=_doc,
        )
        not_differentiable(f"Reader{_name}{_suffix}")


define_op(
    "LMDBReader",
    outputs=["reader_handle: Ref(string)"],
    attrs=_NAMES,
    shape=_names_shape,
    stateful=True,
    doc="The handle of a reader, made when it is first needed. A record is a pair of an LMDB database.",
)
define_op(
    "FakeQueue",
    inputs=["resource: resource"],
    outputs=["handle: Ref(string)"],
    shape=_names_shape,
    stateful=True,
    doc="The handle of a queue, as readers take it whose own handle is a reference.",
)
not_differentiable("LMDBReader", "FakeQueue")


# ---- The readers


class ReaderBase:
    """Base class of readers, which give out the records of files, as pairs (key, value).

    A reader takes the name of a file from a queue when it needs one. Reading waits until the queue has a name, and
    fails with OutOfRangeError when the queue is closed and empty.

    Args:
      reader_ref: A `Tensor`: the handle of the reader.
      supports_serialize: Whether the state of the reader can be saved.
    """

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize
        self._suffix = "V2" if reader_ref.dtype == dtypes.resource else ""

    @property
    def reader_ref(self):
        """The handle of the reader, a `Tensor`."""
        return self._reader_ref

    @property
    def supports_serialize(self):
        """Whether the state of the reader can be saved."""
        return self._supports_serialize

    def _op(self, kind, *inputs, name):
        return get_op_def(f"Reader{kind}{self._suffix}")(self._reader_ref, *inputs, name=name)

    def _queue(self, queue):
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        if self._suffix or handle.dtype != dtypes.resource:
            return handle
        return get_op_def("FakeQueue")(handle)

    def read(self, queue, name=None):
        """The next record.

        Args:
          queue: A queue of names of files, or its handle.
          name: A name for the operation (optional).

        Returns:
          Scalar string `Tensor`s (key, value).
        """
        return self._op("Read", self._queue(queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """The next records, all of one file: `num_records` of them, or those that are left.

        Args:
          queue: A queue of names of files, or its handle.
          num_records: An int64 scalar: at most how many.
          name: A name for the operation (optional).

        Returns:
          Vectors of strings (keys, values).
        """
        return self._op("ReadUpTo", self._queue(queue), num_records, name=name)

    def num_records_produced(self, name=None):
        """How many records were read.

        Args:
          name: A name for the operation (optional).

        Returns:
          A scalar int64 `Tensor`.
        """
        return self._op("NumRecordsProduced", name=name)

    def num_work_units_completed(self, name=None):
        """How many files were read to their ends.

        Args:
          name: A name for the operation (optional).

        Returns:
          A scalar int64 `Tensor`.
        """
        return self._op("NumWorkUnitsCompleted", name=name)

    def serialize_state(self, name=None):
        """The state of the reader. The operation fails with UnimplementedError unless `supports_serialize`.

        Args:
          name: A name for the operation (optional).

        Returns:
          A scalar string `Tensor`.
        """
        return self._op("SerializeState", name=name)

    def restore_state(self, state, name=None):
        """Gives the reader a state.

        Args:
          state: A scalar string: what `serialize_state` has returned.
          name: A name for the operation (optional).

        Returns:
          The `Operation`. It fails with InvalidArgumentError if `state` is not a state.
        """
        return self._op("RestoreState", state, name=name)

    def reset(self, name=None):
        """Makes the reader forget its file and all counts.

        Args:
          name: A name for the operation (optional).

        Returns:
          The `Operation`.
        """
        return self._op("Reset", name=name)


class WholeFileReader(ReaderBase):
    """A reader whose records are whole files: the key is the name of the file, the value what it has.

    Args:
      name: A name for the operation (optional).
    """

    def __init__(self, name=None):
        super().__init__(get_op_def("WholeFileReaderV2")(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    r"""A reader whose records are lines, without their ends, "\n" or "\r\n". Keys are "file:number", from 1.

    Args:
      skip_header_lines: How many lines to leave out at the beginning of each file.
      name: A name for the operation (optional).
    """

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(get_op_def("TextLineReaderV2")(skip_header_lines=skip_header_lines or 0, name=name))


class FixedLengthRecordReader(ReaderBase):
    """A reader whose records have a fixed number of bytes. Keys are "file:number", from 0.

    Args:
      record_bytes: The size of a record.
      header_bytes: How many bytes to leave out at the beginning of each file.
      footer_bytes: How many bytes to leave out at its end.
      hop_bytes: How many bytes there are from the beginning of a record to that of the next; 0: `record_bytes`.
      name: A name for the operation (optional).
      encoding: How files are compressed: "" (not at all), "ZLIB" or "GZIP". Sizes are those of the expanded data.
    """

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        handle = get_op_def("FixedLengthRecordReaderV2")(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(handle)


class TFRecordReader(ReaderBase):
    """A reader of files of TensorFlow's records. Keys are "file:offset".

    Args:
      name: A name for the operation (optional).
      options: A `tf.python_io.TFRecordOptions`: how files are compressed (optional).
      skip_damaged: Whether damaged records are left out instead of being errors, see `tf.data.TFRecordDataset`.
    """

    def __init__(self, name=None, options=None, *, skip_damaged=False):
        from tfcore.platform.record_options import TFRecordOptions  # here: few programs need it

        compression = TFRecordOptions.get_compression_type_string(options)
        op = get_op_def("_UndamagedTFRecordReader" if skip_damaged else "TFRecordReaderV2")
        super().__init__(op(compression_type=compression, name=name))

    def num_records_damaged(self, name=None):
        """How many damaged records were left out.

        Args:
          name: A name for the operation (optional).

        Returns:
          A scalar int64 `Tensor`.
        """
        return get_op_def("_ReaderNumRecordsDamaged")(self._reader_ref, name=name)


class LMDBReader(ReaderBase):
    """A reader of LMDB databases: files, or folders with a file "data.mdb". Keys and values are those of the database.

    Nobody may write to a database while it is read.

    Args:
      name: A name for the operation (optional).
      options: Accepted, but has no effect.
    """

    def __init__(self, name=None, options=None):
        super().__init__(get_op_def("LMDBReader")(name=name))


class IdentityReader(ReaderBase):
    """A reader that gives out what the queue has, as key and as value.

    Args:
      name: A name for the operation (optional).
    """

    def __init__(self, name=None):
        super().__init__(get_op_def("IdentityReaderV2")(name=name), supports_serialize=True)
