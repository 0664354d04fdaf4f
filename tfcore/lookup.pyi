# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from typing import Any as _Any

class KeyValueTensorInitializer:
    """Fills a static table with given entries."""
    def __init__(self, keys: _Any, values: _Any, key_dtype: _Any = None, value_dtype: _Any = None, name: str | None = None) -> None: ...
    def initialize(self, table: _Any) -> Operation:
        """Adds the operation that fills a table, also to the collection of table initializers."""
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""

class StaticHashTable:
    """A table that is filled once, by its `initializer` or `tf.tables_initializer()`."""
    def __getitem__(self, keys: _Any) -> _Any: ...
    def __init__(self, initializer: _Any, default_value: _Any, name: str | None = None) -> None: ...
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
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
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
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""

class StaticVocabularyTable:
    """A table from words to ids in which words that are not in the vocabulary get one of some further ids."""
    def __getitem__(self, keys: _Any) -> _Any: ...
    def __init__(self, initializer: _Any, num_oov_buckets: _Any, lookup_key_dtype: _Any = None, name: str | None = None) -> None: ...
    @property
    def init(self) -> Operation:
        """The `Operation` that fills the table."""
    @property
    def initializer(self) -> Operation:
        """The `Operation` that fills the table."""
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
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
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""

class TextFileIndex:
    """What part of a line of a file a key or value is, apart from a column."""
    LINE_NUMBER: _Any
    WHOLE_LINE: _Any

class TextFileInitializer:
    """Fills a static table from the lines of a file."""
    def __init__(self, filename: _Any, key_dtype: _Any, key_index: _Any, value_dtype: _Any, value_index: _Any, vocab_size: _Any = None, delimiter: _Any = '\t', name: str | None = None) -> None: ...
    def initialize(self, table: _Any) -> Operation:
        """Adds the operation that fills a table, also to the collection of table initializers."""
    @property
    def key_dtype(self) -> _Any:
        """Type of the keys."""
    @property
    def value_dtype(self) -> _Any:
        """Type of the values."""
