"""Tables from words to ids and back, with ids for words that are not in the vocabulary."""

import collections
import functools

from tfcore.composed import lookup as tables
from tfcore.composed.lookup import LookupInterface, TextFileIndex
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import alias, size
from tfcore.ops.array.constants import range as number_range
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.strings.convert import as_string
from tfcore.ops.strings.hash import (
    string_to_hash_bucket,
    string_to_hash_bucket_fast,
    string_to_hash_bucket_strong,
)


class HasherSpec(collections.namedtuple("HasherSpec", ["hasher", "key"])):
    """How words that are not in the vocabulary get their ids: "fasthash", "legacy", or "stronghash" with a key."""

    __slots__ = ()


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A hash function whose values can't be foreseen without a key.

    Args:
      key: Two unsigned 64-bit integers.

    Raises:
      ValueError: There are not two. TypeError: They are not integers.
    """

    __slots__ = ()

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError(f"key must have size 2, got {len(key)}.")
        if not all(isinstance(k, int) for k in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


def _bucket_function(spec):
    if not isinstance(spec, HasherSpec):
        raise TypeError(f"hasher_spec must be of type HasherSpec, got {spec}")
    functions = {
        "fasthash": string_to_hash_bucket_fast,
        "legacy": string_to_hash_bucket,
        "stronghash": functools.partial(string_to_hash_bucket_strong, key=spec.key),
    }
    if spec.hasher not in functions:
        raise ValueError(f"Unknown hasher {spec.hasher}")
    return functions[spec.hasher]


class IdTableWithHashBuckets(LookupInterface):
    """A table from keys to ids in which keys that another table lacks get one of some further ids.

    Args:
      table: A table with values of type int64, or None.
      num_oov_buckets: The number of further ids, which follow those of the table.
      hasher_spec: A `HasherSpec`.
      name: Name of the table.
      key_dtype: Type of the keys: an integer type or string.

    Raises:
      TypeError: A type is not supported. ValueError: There are neither a table nor further ids.
    """

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        name = name.rstrip("/") if name else name
        key_dtype = _checked_key_dtype(table, key_dtype)
        if table is None and num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0 if no table is supplied.")
        super().__init__(key_dtype, dtypes.int64)
        self._table, self._num_oov_buckets = table, num_oov_buckets
        self._bucket = _bucket_function(hasher_spec)
        self._name = (name or (table.name if table else "hash_bucket")).split("/")[-1]

    @property
    def name(self):
        """Name of the table."""
        return self._name

    @property
    def resource_handle(self):
        """The handle of the table, or None."""
        return self._table.resource_handle if self._table else None

    @property
    def initializer(self):
        """The `Operation` that fills the table."""
        if self._table:
            return self._table.initializer
        with name_scope(None, "init"):
            return no_op()

    init = initializer

    def size(self, name=None):
        """The number of ids.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int64.
        """
        with name_scope(name, f"{self._name}_Size"):
            known = self._table.size() if self._table else convert_to_tensor(0, dtype=dtypes.int64)
            return known + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The ids of keys.

        Args:
          keys: A `Tensor` or `SparseTensor` of the keys' type.
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type int64 with the shape of `keys`, or a `SparseTensor`.

        Raises:
          TypeError: `keys` has another type.
        """
        return self._look_up(keys, lambda values: self._ids(values, name))

    def _ids(self, values, name):
        if self._table and self._table.key_dtype == dtypes.int64:
            values = cast(values, dtypes.int64)
        if self._num_oov_buckets == 0:
            return self._table.lookup(values, name=name)
        with name_scope(name, f"{self._name}_Lookup"):
            text = values if values.dtype.base_dtype == dtypes.string else as_string(values)
            buckets = self._bucket(text, num_buckets=self._num_oov_buckets, name="hash_bucket")
            if not self._table:
                return buckets
            ids = self._table.lookup(values)
            return where(not_equal(ids, self._table.default_value), ids, buckets + self._table.size())


def _checked_key_dtype(table, key_dtype):
    if table:
        key_dtype = dtypes.as_dtype(key_dtype or table.key_dtype)
        supported = (dtypes.int64, dtypes.string)
        if table.key_dtype not in supported:
            raise TypeError(f"Invalid key dtype, expected one of {supported}, but got {key_dtype}.")
        if table.key_dtype.is_integer != key_dtype.is_integer:
            wanted = "integer" if key_dtype.is_integer else "non-integer"
            raise TypeError(f"Invalid key dtype, expected {wanted} but got {table.key_dtype}.")
        if table.value_dtype != dtypes.int64:
            raise TypeError(f"Invalid value dtype, expected {dtypes.int64} but got {table.value_dtype}.")
    key_dtype = dtypes.as_dtype(key_dtype or dtypes.string)
    if not key_dtype.is_integer and key_dtype != dtypes.string:
        raise TypeError(f"Invalid key_dtype, expected integer or string, got {key_dtype}.")
    return key_dtype


class StaticVocabularyTable(IdTableWithHashBuckets):
    """A table from words to ids in which words that are not in the vocabulary get one of some further ids.

    Args:
      initializer: A table initializer with values of type int64, or None: all words get one of the further ids.
      num_oov_buckets: The number of further ids, which follow those of the vocabulary.
      lookup_key_dtype: Type of the words: an integer type or string.
      name: Name of the table.

    Raises:
      TypeError: A type is not supported. ValueError: `num_oov_buckets` is not positive.
    """

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        table = tables.StaticHashTable(initializer, -1) if initializer else None
        super().__init__(table, num_oov_buckets, FastHashSpec, name, lookup_key_dtype)


# ---- From words to ids


def index_table_from_file(
    vocabulary_file=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    hasher_spec=FastHashSpec,
    key_dtype=dtypes.string,
    name=None,
    key_column_index=TextFileIndex.WHOLE_LINE,
    value_column_index=TextFileIndex.LINE_NUMBER,
    delimiter="\t",
):
    """A table from the words in a file to the numbers of their lines.

    Args:
      vocabulary_file: A string or a scalar `Tensor` of type string.
      num_oov_buckets: The number of ids for other words.
      vocab_size: The number of lines to read. None: all.
      default_value: The id of other words if `num_oov_buckets` is 0.
      hasher_spec: A `HasherSpec`.
      key_dtype: Type of the words: an integer type or string.
      name: Name of the operations.
      key_column_index: The column with the word, or a constant of `TextFileIndex`.
      value_column_index: The column with the id, or a constant of `TextFileIndex`.
      delimiter: A single character between columns.

    Returns:
      A table.

    Raises:
      ValueError: An argument is invalid. TypeError: The type of the words is not supported.
    """
    _check_file(vocabulary_file, vocab_size)
    key_dtype = _checked_words(num_oov_buckets, key_dtype)
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            init = tables.TextFileIdTableInitializer(
                vocabulary_file,
                vocab_size=vocab_size,
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
                name="table_init",
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                delimiter=delimiter,
            )
            table = tables.StaticHashTable(init, default_value)
        return (
            IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, None, key_dtype) if num_oov_buckets else table
        )


def index_table_from_tensor(
    vocabulary_list=None,
    num_oov_buckets=0,
    default_value=-1,
    hasher_spec=FastHashSpec,
    dtype=dtypes.string,
    name=None,
    mapping=None,
):
    """A table from words to their places in a vector.

    Args:
      vocabulary_list: A vector of words.
      num_oov_buckets: The number of ids for other words.
      default_value: The id of other words if `num_oov_buckets` is 0.
      hasher_spec: A `HasherSpec`.
      dtype: Type of the words: an integer type or string.
      name: Name of the operations.
      mapping: `tf.contrib.lookup`'s name of `vocabulary_list`.

    Returns:
      A table.

    Raises:
      ValueError: An argument is invalid. TypeError: The type of the words is not supported.
    """
    vocabulary_list = alias(vocabulary_list, mapping, "vocabulary_list", "mapping")
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    dtype = _checked_words(num_oov_buckets, dtype)
    with name_scope(name, "string_to_index"):
        words = convert_to_tensor(vocabulary_list)
        if words.dtype.is_integer != dtype.is_integer or not dtype.is_integer and words.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {words.dtype}.")
        values = cast(number_range(size(words)), dtypes.int64)
        with name_scope(None, "hash_table"):
            keys = cast(words, dtypes.int64) if words.dtype.is_integer else words
            init = tables.KeyValueTensorInitializer(keys, values, name="table_init")
            table = tables.StaticHashTable(init, default_value)
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, None, dtype) if num_oov_buckets else table


def _check_file(vocabulary_file, vocab_size):
    if vocabulary_file is None or isinstance(vocabulary_file, str) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        where_from = "?" if isinstance(vocabulary_file, Tensor) else vocabulary_file
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size} for vocabulary_file: {where_from}.")


def _checked_words(num_oov_buckets, dtype):
    dtype = dtypes.as_dtype(dtype)
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if not dtype.is_integer and dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")
    return dtype


# ---- From ids to words


def index_to_string_table_from_file(
    vocabulary_file,
    vocab_size=None,
    default_value="UNK",
    name=None,
    key_column_index=TextFileIndex.LINE_NUMBER,
    value_column_index=TextFileIndex.WHOLE_LINE,
    delimiter="\t",
):
    """A table from the numbers of lines in a file to the words in them.

    Args:
      vocabulary_file: A string or a scalar `Tensor` of type string.
      vocab_size: The number of lines to read. None: all.
      default_value: The word for other numbers.
      name: Name of the operations.
      key_column_index: The column with the id, or a constant of `TextFileIndex`.
      value_column_index: The column with the word, or a constant of `TextFileIndex`.
      delimiter: A single character between columns.

    Returns:
      A table.

    Raises:
      ValueError: An argument is invalid.
    """
    _check_file(vocabulary_file, vocab_size)
    with name_scope(name, "index_to_string"):
        init = tables.TextFileStringTableInitializer(
            vocabulary_file,
            vocab_size=vocab_size,
            name="table_init",
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            delimiter=delimiter,
        )
        return tables.StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(vocabulary_list=None, default_value="UNK", name=None, mapping=None):
    """A table from the places of a vector to the words in it.

    Args:
      vocabulary_list: A vector of strings.
      default_value: The word for other places.
      name: Name of the operations.
      mapping: `tf.contrib.lookup`'s name of `vocabulary_list`.

    Returns:
      A table.

    Raises:
      ValueError: There is no list.
    """
    vocabulary_list = alias(vocabulary_list, mapping, "vocabulary_list", "mapping")
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(vocabulary_list, dtypes.string)
        keys = cast(number_range(size(words)), dtypes.int64)
        init = tables.KeyValueTensorInitializer(keys, words, name="table_init")
        return tables.StaticHashTable(init, default_value)
