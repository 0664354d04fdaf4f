# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from tfcore.lookup import StaticHashTable as StaticHashTable
from tfcore.lookup import TextFileIndex as TextFileIndex
from tfcore.lookup import TextFileInitializer as TextFileInitializer
from tfcore.lookup.experimental import DenseHashTable as MutableDenseHashTable
from tfcore.lookup.experimental import MutableHashTable as MutableHashTable
from typing import Any as _Any

__all__ = [
'FastHashSpec', 'HashTable', 'HasherSpec', 'IdTableWithHashBuckets', 'InitializableLookupTableBase',
'KeyValueTensorInitializer', 'LookupInterface', 'MutableDenseHashTable', 'MutableHashTable', 'StrongHashSpec',
'TableInitializerBase', 'TextFileIdTableInitializer', 'TextFileIndex', 'TextFileInitializer',
'TextFileStringTableInitializer', 'index_table_from_file', 'index_table_from_tensor', 'index_to_string_table_from_file',
'index_to_string_table_from_tensor'
]

FastHashSpec: _Any

class HashTable(StaticHashTable):
    """`StaticHashTable` with the arguments of `tf.contrib.lookup.HashTable`."""
    def __init__(self, initializer: _Any, default_value: _Any, shared_name: _Any = None, name: str | None = 'hash_table') -> None: ...

class HasherSpec(builtins.tuple):
    """How words that are not in the vocabulary get their ids: "fasthash", "legacy", or "stronghash" with a key."""
    def __new__(_cls, hasher: _Any, key: _Any) -> HasherSpec:
        """Create new instance of HasherSpec(hasher, key)"""
    hasher: _Any
    key: _Any

class IdTableWithHashBuckets(LookupInterface):
    """A table from keys to ids in which keys that another table lacks get one of some further ids."""
    def __init__(self, table: _Any, num_oov_buckets: _Any, hasher_spec: _Any = ..., name: str | None = None, key_dtype: _Any = None) -> None: ...
    @property
    def init(self) -> Operation:
        """The `Operation` that fills the table."""
    @property
    def initializer(self) -> Operation:
        """The `Operation` that fills the table."""
    def lookup(self, keys: _Any, name: str | None = None) -> Tensor:
        """The ids of keys."""
    @property
    def name(self) -> _Any:
        """Name of the table."""
    @property
    def resource_handle(self) -> _Any:
        """The handle of the table, or None."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of ids."""

class InitializableLookupTableBase(LookupInterface):
    """Base class of tables that an initializer fills."""
    def __init__(self, default_value: _Any, initializer: _Any, handle: _Any) -> None: ...
    @property
    def default_value(self) -> _Any:
        """What the table returns for keys that it lacks."""
    def export(self, name: str | None = None) -> _Any:
        """All entries."""
    @property
    def init(self) -> Operation:
        """The `Operation` that fills the table."""
    @property
    def initializer(self) -> Operation:
        """The `Operation` that fills the table."""
    def lookup(self, keys: _Any, name: str | None = None) -> Tensor:
        """The values of keys; the default value for those that the table lacks."""
    @property
    def name(self) -> _Any:
        """The last part of the name of the operation that makes the handle."""
    @property
    def resource_handle(self) -> _Any:
        """The handle."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""

class LookupInterface:
    """Base class of tables."""
    def __getitem__(self, keys: _Any) -> _Any: ...
    def __init__(self, key_dtype: _Any, value_dtype: _Any) -> None: ...
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
    def lookup(self, keys: _Any, name: str | None = None) -> _Any:
        """The values of keys."""
    @property
    def name(self) -> _Any:
        """Name of the table."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""

class StrongHashSpec(HasherSpec):
    """A hash function whose values can't be foreseen without a key."""
    def __new__(cls, key: _Any) -> StrongHashSpec: ...

class TableInitializerBase:
    """Base class of what fills a static table."""
    def __init__(self, key_dtype: _Any, value_dtype: _Any) -> None: ...
    def initialize(self, table: _Any) -> Operation:
        """Adds the operation that fills a table, also to the collection of table initializers."""
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""

class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a static table from strings to numbers of lines."""
    def __init__(self, filename: _Any, key_column_index: _Any = -2, value_column_index: _Any = -1, vocab_size: _Any = None, delimiter: _Any = '\t', name: str | None = 'text_file_id_table_init', key_dtype: _Any = ...) -> None: ...

class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a static table from numbers of lines to strings."""
    def __init__(self, filename: _Any, key_column_index: _Any = -1, value_column_index: _Any = -2, vocab_size: _Any = None, delimiter: _Any = '\t', name: str | None = 'text_file_string_table_init') -> None: ...

def index_table_from_file(vocabulary_file: _Any = None, num_oov_buckets: _Any = 0, vocab_size: _Any = None, default_value: _Any = -1, hasher_spec: _Any = ..., key_dtype: _Any = ..., name: str | None = None, key_column_index: _Any = -2, value_column_index: _Any = -1, delimiter: _Any = '\t') -> _Any:
    """A table from the words in a file to the numbers of their lines."""

def index_table_from_tensor(vocabulary_list: _Any = None, num_oov_buckets: _Any = 0, default_value: _Any = -1, hasher_spec: _Any = ..., dtype: _Any = ..., name: str | None = None, mapping: _Any = None) -> _Any:
    """A table from words to their places in a vector."""

def index_to_string_table_from_file(vocabulary_file: _Any, vocab_size: _Any = None, default_value: _Any = 'UNK', name: str | None = None, key_column_index: _Any = -1, value_column_index: _Any = -2, delimiter: _Any = '\t') -> _Any:
    """A table from the numbers of lines in a file to the words in them."""

def index_to_string_table_from_tensor(vocabulary_list: _Any = None, default_value: _Any = 'UNK', name: str | None = None, mapping: _Any = None) -> _Any:
    """A table from the places of a vector to the words in it."""
