"""Datasets of the rows that a database gives for a query."""

import numpy as np

from tfcore.data import elements
from tfcore.data.dataset import Dataset
from tfcore.framework import errors
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor

_CASTS = {dtypes.string: "TEXT", dtypes.double: "REAL"}  # in SQLite's names; the other types are INTEGER
_TYPES = (
    *(dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.bool, dtypes.double),
)
_NATIVE = {"TEXT": bytes, "REAL": float, "INTEGER": int}
_NOTHING = {"TEXT": b"", "REAL": 0.0, "INTEGER": 0}


class SqlDataset(Dataset):
    """The rows of the result of a query, as tuples, from a database of SQLite.

    Values of other types are converted as SQLite does it; NULL becomes 0 or an empty string.

    Args:
      driver_name: A scalar string: "sqlite".
      data_source_name: A scalar string: the path of the file. It is only read.
      query: A scalar string: the query, in SQL.
      output_types: A tuple of the types of the columns: string, int8, int16, int32, int64, uint8, uint16, bool, double.

    Raises:
      tf.errors.InvalidArgumentError: There is another type.

    Example:

    >>> import sqlite3, tempfile
    >>> path = tempfile.mkdtemp() + "/people.db"
    >>> with sqlite3.connect(path) as database:
    ...     _ = database.execute("CREATE TABLE people (name TEXT, age INTEGER)")
    ...     _ = database.execute("INSERT INTO people VALUES ('Ada', 36)")
    >>> rows = tf.data.experimental.SqlDataset("sqlite", path, "SELECT name, age FROM people", (tf.string, tf.int32))
    >>> with tf.Session() as sess:
    ...     name, age = sess.run(rows.make_one_shot_iterator().get_next())
    >>> print(name, age)
    b'Ada' 36
    """

    def __init__(self, driver_name, data_source_name, query, output_types):
        types = elements.map_leaves(dtypes.as_dtype, output_types)
        if any(dtype not in _TYPES for dtype in elements.flatten(types)):
            names = ", ".join(f"DT_{dtype.name.replace('float64', 'double').upper()}" for dtype in _TYPES)
            raise errors.InvalidArgumentError(None, None, f"Each element of `output_types_` must be one of: {names}")
        args = [
            convert_to_tensor(value, dtypes.string, name=name)
            for name, value in (("driver_name", driver_name), ("data_source_name", data_source_name), ("query", query))
        ]
        for tensor, name in zip(args, ("driver_name", "data_source_name", "query")):
            if tensor.shape.rank not in (0, None):
                raise ValueError(f"{name} must be a scalar, but has shape {tensor.shape}")
        shapes = elements.map_leaves(lambda _: (), types)
        made = Dataset.from_generator(lambda *values: _rows(types, *values), types, shapes, args)
        self._define(made.variant_tensor, made.element_spec)


def _rows(types, driver, path, query):
    """Generates the rows. Rows of a failed query are an error of the database."""
    import sqlite3
    import urllib.parse

    if driver != b"sqlite":
        text = f"The database type, {driver.decode(errors='replace')}, is not supported by SqlDataset. "
        raise errors.InvalidArgumentError(None, None, text + "The set of supported databases are: {'sqlite'}.")
    name = path.decode(errors="surrogateescape")
    flat = elements.flatten(types)
    try:
        database = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro", uri=True, check_same_thread=False)
    except sqlite3.Error as error:
        raise errors.InvalidArgumentError(None, None, f"Sqlite::Open({name}) failed: {error}") from error
    try:
        database.text_factory = bytes
        result = _execute(database, query.decode(errors="replace"))
        n = len(result.description or ())
        if n != len(flat):
            text = (
                f"The number of columns in query ({n}) must match the number of elements in output_types ({len(flat)})."
            )
            raise errors.InvalidArgumentError(None, None, text)
        yield from _converted(database, result, types, flat)
    finally:
        database.close()


def _execute(database, query):
    import sqlite3

    try:
        return database.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:  # a warning: there are several statements
        raise errors.UnknownError(None, None, f"Prepare() failed: {error}: {query}") from error


def _converted(database, result, types, flat):
    import sqlite3

    while True:
        try:
            row = result.fetchone()
        except sqlite3.Error as error:
            raise errors.UnknownError(None, None, f"Step() failed: {error}") from error
        if row is None:
            return
        yield elements.pack(types, [_convert(database, value, dtype) for value, dtype in zip(row, flat)])


def _convert(database, value, dtype):
    kind = _CASTS.get(dtype, "INTEGER")
    if value is None:
        value = _NOTHING[kind]
    elif not isinstance(value, _NATIVE[kind]):
        (value,) = database.execute(f"SELECT CAST(? AS {kind})", (value,)).fetchone()
    if dtype is dtypes.string:
        return value
    if kind == "INTEGER" and dtype is not dtypes.bool:  # numbers that are too large lose their upper bits
        return np.int64(value).astype(dtype.as_numpy_dtype)
    return dtype.as_numpy_dtype(value)
