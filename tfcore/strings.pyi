# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import as_string as as_string
from tfcore import reduce_join as reduce_join
from tfcore import regex_replace as regex_replace
from tfcore import string_join as join
from tfcore import string_strip as strip
from tfcore import string_to_hash_bucket as to_hash_bucket
from tfcore import string_to_hash_bucket_fast as to_hash_bucket_fast
from tfcore import string_to_hash_bucket_strong as to_hash_bucket_strong
from tfcore import string_to_number as to_number
from tfcore import substr as substr
from typing import Any as _Any

__all__ = [
'as_string', 'bytes_split', 'format', 'join', 'length', 'lower', 'ngrams', 'reduce_join', 'regex_full_match',
'regex_replace', 'split', 'strip', 'substr', 'to_hash_bucket', 'to_hash_bucket_fast', 'to_hash_bucket_strong',
'to_number', 'unicode_decode', 'unicode_decode_with_offsets', 'unicode_encode', 'unicode_script', 'unicode_split',
'unicode_split_with_offsets', 'unicode_transcode', 'unsorted_segment_join', 'upper'
]

def bytes_split(input: _Any, name: str | None = None) -> _Any:
    """Splits strings into bytes."""

def format(template: _Any, inputs: _Any, placeholder: _Any = '{}', summarize: _Any = 3, name: str | None = None) -> Tensor:
    """Formats tensors as text: replaces each placeholder of `template` by a tensor."""

def length(input: _Any, name: str | None = None, unit: _Any = 'BYTE') -> Tensor:
    """The number of bytes in each string, or of characters if `unit` is "UTF8_CHAR"."""

def lower(input: _Any, encoding: _Any = '', name: str | None = None) -> Tensor:
    """Strings with the letters A to Z replaced by a to z; other bytes stay."""

def ngrams(data: _Any, ngram_width: _Any, separator: _Any = ' ', pad_values: _Any = None, padding_width: _Any = None, preserve_short_sequences: _Any = False, name: str | None = None) -> _Any:
    """All sequences of some numbers of words, joined."""

def regex_full_match(input: _Any, pattern: _Any, name: str | None = None) -> Tensor:
    """Whether a regular expression matches the whole of each string."""

def split(input: _Any = None, sep: _Any = None, maxsplit: _Any = -1, result_type: _Any = 'SparseTensor', source: _Any = None, name: str | None = None) -> _Any:
    """Splits strings at separators, like Python's `str.split`."""

def unicode_decode(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: str | None = None) -> _Any:
    """The code points of strings."""

def unicode_decode_with_offsets(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: str | None = None) -> _Any:
    """The code points of strings, and the byte at which each begins."""

def unicode_encode(input: _Any, output_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: str | None = None) -> _Any:
    """Strings of code points."""

def unicode_script(input: _Any, name: str | None = None) -> Tensor:
    """The scripts of code points: 25 is Latin, 14 Greek, 8 Cyrillic, 17 Han, 0 what several scripts have in common."""

def unicode_split(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: str | None = None) -> _Any:
    """Splits strings into characters, each of them a string in the same encoding."""

def unicode_split_with_offsets(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: str | None = None) -> _Any:
    """Splits strings into characters, and says at which byte each begins."""

def unicode_transcode(input: _Any, input_encoding: _Any, output_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: str | None = None) -> Tensor:
    """Strings in another encoding of Unicode."""

def unsorted_segment_join(inputs: _Any, segment_ids: _Any, num_segments: _Any, separator: _Any = '', name: str | None = None) -> Tensor:
    """Joins the slices of each segment, element by element, in their order."""

def upper(input: _Any, encoding: _Any = '', name: str | None = None) -> Tensor:
    """Strings with the letters a to z replaced by A to Z; other bytes stay."""
