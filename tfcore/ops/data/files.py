"""Datasets of the records of files."""

from tfcore.ops.data.define import define_dataset

_NAMES, _COMPRESSION, _BUFFER = "filenames: string", "compression_type: string", "buffer_size: int64"
_BYTES = ["header_bytes: int64", "record_bytes: int64", "footer_bytes: int64"]

for _name, _inputs, _what in (
    ("TextLineDataset", [_NAMES, _COMPRESSION, _BUFFER], "The lines of files, without line ends."),
    ("TFRecordDataset", [_NAMES, _COMPRESSION, _BUFFER], "The records of files in TensorFlow's format."),
    ("_UndamagedTFRecordDataset", [_NAMES, _COMPRESSION, _BUFFER], "The records of such files that are not damaged."),
    ("FixedLengthRecordDataset", [_NAMES, *_BYTES, _BUFFER], "Pieces of `record_bytes` bytes of files."),
    (
        "FixedLengthRecordDatasetV2",
        [_NAMES, *_BYTES, _BUFFER, _COMPRESSION],
        "Pieces of `record_bytes` bytes of files.",
    ),
):
    define_dataset(_name, _inputs, elements=(), stateful=True, doc=_what)
for _name in ("LMDBDataset", "ExperimentalLMDBDataset"):
    define_dataset(_name, [_NAMES], after=(), stateful=True, doc="The pairs (key, value) of LMDB databases.")
