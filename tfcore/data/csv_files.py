"""Datasets of the records of CSV files."""

import collections
import csv
import gzip
import itertools

import numpy as np

from tfcore.data.base import AUTOTUNE
from tfcore.data.dataset import Dataset
from tfcore.data.files import TextLineDataset
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.select import where
from tfcore.ops.parsing.csv import decode_csv
from tfcore.platform.gfile import GFile, Glob

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class CsvDataset(Dataset):
    """The records of CSV files: a tuple with a scalar for each column.

    Line ends in quotes are part of a field, as "\\n".

    Args:
      filenames: A string or vector of strings.
      record_defaults: For each column its type if it must not be empty, otherwise a default value. Types: float32,
        float64, int32, int64 or string.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: Bytes that are read at a time; by default as many as are best.
      header: Whether the first line of each file is left out.
      field_delim: The character between fields.
      use_quote_delim: Whether double quotes around a field have a meaning.
      na_value: A further text that stands for an empty field.
      select_cols: Increasing list of the places of the columns, if others are to be left out.
      exclude_cols: Increasing list of the places of columns that are left out, instead of `select_cols`.

    Raises:
      InvalidArgumentError: A record does not fit (when the graph runs). The next one follows.
      ValueError: `select_cols` is not increasing, or there are `exclude_cols`, too.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "numbers.csv")
    >>> _ = path.write_text("1,2.5\\n3,\\n")
    >>> dataset = tf.data.experimental.CsvDataset(str(path), [tf.int32, [0.0]]).batch(2)
    >>> value = dataset.make_one_shot_iterator().get_next()
    >>> with tf.Session() as sess:
    ...     sess.run(value)
    (array([1, 3], dtype=int32), array([2.5, 0. ], dtype=float32))
    """

    def __init__(
        self,
        filenames,
        record_defaults,
        compression_type=None,
        buffer_size=None,
        header=False,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=None,
        exclude_cols=None,
    ):
        if select_cols and exclude_cols:
            raise ValueError("At most one of `select_cols` and `exclude_cols` can be specified.")
        defaults = [_default(value) for value in record_defaults]
        kept = None
        if exclude_cols:
            kept = [i for i in range(len(defaults) + len(exclude_cols)) if i not in set(exclude_cols)]
            defaults = _with_others(defaults, kept, len(defaults) + len(exclude_cols))

        def records(name):
            lines = TextLineDataset(name, compression_type, buffer_size).skip(1 if header else 0)
            return _whole_records(lines) if use_quote_delim else lines

        def fields(record):
            found = decode_csv(record, defaults, field_delim, use_quote_delim, None, na_value, select_cols)
            return tuple(found if kept is None else [found[i] for i in kept])

        names = convert_to_tensor(filenames, dtypes.string, name="filenames")
        names = get_op_def("Reshape")(names, convert_to_tensor([-1]))
        made = Dataset.from_tensor_slices(names).flat_map(records).map(fields)
        self._define(made.variant_tensor, made.element_spec)


def _default(value):
    if not isinstance(value, (Tensor, list, tuple, np.ndarray)) and value in _TYPES:
        return convert_to_tensor(np.array([], object if value == dtypes.string else value.as_numpy_dtype), value)
    return convert_to_tensor(value)


def _with_others(defaults, kept, n):
    """The defaults of all n columns; those that are not kept may be anything."""
    found = dict(zip(kept, defaults))
    return [found.get(i, convert_to_tensor([""])) for i in range(n)]


def _whole_records(lines):
    """Records, of which those that have line ends in quotes come as several lines.

    A line that leaves quotes open is kept until they are closed. What is left at the end is a record, whose error says
    what is wrong.
    """
    end = Dataset.from_tensors((convert_to_tensor(""), convert_to_tensor(True)))
    marked = lines.map(lambda line: (line, convert_to_tensor(False))).concatenate(end)

    def join(state, item):
        (text, is_open), (line, is_end) = state, item
        joined = where(is_open, _join(text, "\n", line), line)
        joined = where(is_end, text, joined)
        quotes = get_op_def("StringLength")(
            get_op_def("RegexReplace")(joined, convert_to_tensor('[^"]'), convert_to_tensor(""))
        )
        odd = get_op_def("Equal")(get_op_def("FloorMod")(quotes, convert_to_tensor(2)), convert_to_tensor(1))
        ready = where(is_end, is_open, get_op_def("LogicalNot")(odd))
        return (joined, odd), (ready, joined)

    begin = (convert_to_tensor(""), convert_to_tensor(False))
    return marked.scan(begin, join).filter(lambda ready, _: ready).map(lambda _, record: record)


def _join(*parts):
    return get_op_def("StringJoin")([convert_to_tensor(part) for part in parts])


# ---- make_csv_dataset


def make_csv_dataset(
    file_pattern,
    batch_size,
    column_names=None,
    column_defaults=None,
    label_name=None,
    select_columns=None,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    header=True,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    num_parallel_reads=None,
    sloppy=False,
    num_rows_for_inference=100,
    compression_type=None,
    ignore_errors=False,
    encoding="utf-8",
):
    """Batches of the records of CSV files: dictionaries of columns, or pairs of a dictionary and labels.

    Args:
      file_pattern: A pattern of names of files, or a list of them.
      batch_size: The number of records of a batch.
      column_names: The names of all columns; those of the header by default.
      column_defaults: See `CsvDataset`; found out from the first records by default. All columns may be empty then.
      label_name: The name of the column that is the second part of each pair.
      select_columns: A list of names or places of columns, if others are to be left out.
      field_delim: The character between fields.
      use_quote_delim: Whether double quotes around a field have a meaning.
      na_value: A further text that stands for an empty field.
      header: Whether files begin with a line of names.
      num_epochs: How often files are read; without an end if it is None.
      shuffle: Whether files and records come in random order.
      shuffle_buffer_size: See `Dataset.shuffle`.
      shuffle_seed: See `Dataset.shuffle`.
      prefetch_buffer_size: How many batches are made ahead of time.
      num_parallel_reads: How many files are read at the same time, ahead of time; by default one after the other.
      sloppy: Whether a file whose records are not there in time is passed over.
      num_rows_for_inference: How many records are looked at to find types; None: all.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: Whether records that are wrong are left out.
      encoding: Of the files that are looked at to find names and types.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: There are no such files or columns, or files have different ones.
    """
    names = file_names(file_pattern)
    columns = _Columns(names, field_delim, use_quote_delim, na_value, header, compression_type, encoding)
    column_names = columns.checked_names(column_names)
    select_columns = _places(select_columns, column_names)
    defaults = column_defaults or columns.defaults(len(column_names), select_columns, num_rows_for_inference)
    if select_columns is not None:
        if len(defaults) != len(select_columns):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` "
                f"has length {len(defaults)}, `select_columns` has length {len(select_columns)}."
            )
        column_names = [column_names[i] for i in select_columns]
    if label_name is not None and label_name not in column_names:
        raise ValueError(f"`label_name` provided must be one of the columns: {column_names}. Received: {label_name}.")

    def records(name):
        options = compression_type, None, header, field_delim, use_quote_delim, na_value, select_columns
        dataset = CsvDataset(name, defaults, *options)
        return dataset.ignore_errors() if ignore_errors else dataset

    def named(*fields):
        features = collections.OrderedDict(zip(column_names, fields))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = interleaved_files(names, records, num_parallel_reads, shuffle, shuffle_seed, sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def file_names(pattern):
    """The names of the files that a pattern, or each of a list, stands for, in alphabetical order.

    Raises:
      ValueError: there are none.
    """
    patterns = list(pattern) if isinstance(pattern, (list, tuple)) else [pattern]
    if not patterns or not all(patterns):
        raise ValueError("Argument `file_pattern` should not be empty.")
    names = sorted(itertools.chain.from_iterable(Glob(p) for p in patterns))
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return names


def interleaved_files(names, records, num_parallel_reads, shuffle, seed, sloppy):
    """The records of files, of several at the same time if `num_parallel_reads` says so."""
    files = Dataset.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), seed)
    return files.interleave(records, num_parallel_reads or 1, 1, num_parallel_reads, not sloppy)


def shuffled_and_repeated(dataset, num_epochs, shuffle, buffer_size, seed):
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


class _Columns:
    """Looks into files for the names and types of their columns."""

    def __init__(self, names, field_delim, use_quote_delim, na_value, header, compression_type, encoding):
        self._names, self._na_value, self._header = names, na_value, header
        self._compression, self._encoding = compression_type, encoding
        self._format = {
            "delimiter": field_delim,
            "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE,
        }

    def _open(self, name):
        compression = self._compression
        if isinstance(compression, Tensor):
            compression = constant_value(compression)
        if isinstance(compression, np.ndarray):
            compression = compression.item()
        compression = compression.decode() if isinstance(compression, bytes) else compression
        if compression == "ZLIB":
            raise ValueError(f"`compression_type` {compression} is not supported for probing columns.")
        if compression == "GZIP":
            return gzip.open(name, "rt", encoding=self._encoding)
        if compression:
            raise ValueError(
                f"Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or  (empty string)."
            )
        return GFile(name, "r") if self._encoding == "utf-8" else open(name, encoding=self._encoding)

    def checked_names(self, names):
        """The names, or those of the headers."""
        if names is None:
            if not self._header:
                raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
            names = self._first_row(self._names[0])
            for other in self._names[1:]:
                if self._first_row(other) != names:
                    raise ValueError(
                        "All input CSV files should have the same column names in the header row. File "
                        f"{other} has different column names."
                    )
        twice = {name for name in names if list(names).count(name) > 1}
        if twice:
            raise ValueError(
                f"Either `column_names` argument or CSV header row contains duplicate column names: {twice}."
            )
        return list(names)

    def _first_row(self, name):
        with self._open(name) as file:
            for row in csv.reader(file, **self._format):
                return row
        raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")

    def _rows(self, n):
        """Those of all files, which have n fields."""
        for name in self._names:
            with self._open(name) as file:
                for number, row in enumerate(csv.reader(file, **self._format), 1):
                    if self._header and number == 1:
                        continue
                    if len(row) != n:
                        raise ValueError(
                            f"Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: {n}."
                        )
                    yield row

    def defaults(self, n, places, limit):
        """Zeros of the types that the first rows have."""
        places = range(n) if places is None else places
        found = [None] * len(places)
        for row in itertools.islice(self._rows(n), limit):
            found = [self._type(row[place], known) for place, known in zip(places, found)]
        return [convert_to_tensor([""] if t in (None, dtypes.string) else [0], t or dtypes.string) for t in found]

    def _type(self, text, known):
        """The first type that has the text and all texts of the type `known`."""
        if text in ("", self._na_value):
            return known
        order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]
        at_least = 0 if known is None else order.index(known)
        return next(t for t in order[at_least:] if t is dtypes.string or _is_number(text, t))


def _is_number(text, dtype):
    try:
        with np.errstate(over="ignore"):
            return bool(dtype.as_numpy_dtype(text) < np.inf)
    except (ValueError, OverflowError):
        return False


def _places(selected, names):
    """The places of columns that are given by names or places, in increasing order; None: all."""
    if selected is None:
        return None
    found = []
    for column in selected:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, which is "
                    "the number of columns."
                )
            found.append(column)
        elif column in names:
            found.append(names.index(column))
        else:
            raise ValueError(f"Column {column} specified in `select_columns` must be of one of the columns: {names}.")
    if len(set(found)) != len(found):
        twice = {names[i] for i in found if found.count(i) > 1}
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(found)
