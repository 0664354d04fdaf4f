# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.contrib.lookup import IdTableWithHashBuckets as IdTableWithHashBuckets
from tfcore.contrib.lookup import InitializableLookupTableBase as InitializableLookupTableBase
from tfcore.contrib.lookup import TableInitializerBase as TableInitializerBase
from tfcore.lookup import experimental as experimental
from typing import Any as _Any

__all__ = [
'KeyValueTensorInitializer', 'StaticHashTable', 'StaticVocabularyTable', 'TextFileIndex', 'TextFileInitializer',
'experimental'
]

class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a static table with given entries."""
    def __init__(self, keys: _Any, values: _Any, key_dtype: _Any = None, value_dtype: _Any = None, name: str | None = None) -> None: ...

class StaticHashTable(InitializableLookupTableBase):
    """A table that is filled once, by its `initializer` or `tf.tables_initializer()`."""
    def __init__(self, initializer: _Any, default_value: _Any, name: str | None = None) -> None: ...

class StaticVocabularyTable(IdTableWithHashBuckets):
    """A table from words to ids in which words that are not in the vocabulary get one of some further ids."""
    def __init__(self, initializer: _Any, num_oov_buckets: _Any, lookup_key_dtype: _Any = None, name: str | None = None) -> None: ...

class TextFileIndex:
    """What part of a line of a file a key or value is, apart from a column."""
    LINE_NUMBER: _Any
    WHOLE_LINE: _Any

class TextFileInitializer(TableInitializerBase):
    """Fills a static table from the lines of a file."""
    def __init__(self, filename: _Any, key_dtype: _Any, key_index: _Any, value_dtype: _Any, value_index: _Any, vocab_size: _Any = None, delimiter: _Any = '\t', name: str | None = None) -> None: ...
