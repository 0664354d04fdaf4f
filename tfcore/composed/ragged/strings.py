"""Strings split into ragged tensors: characters, words, n-grams."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.arguments import map_flat_values
from tfcore.composed.ragged.tensor import RaggedTensor, convert
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import concat as dense_concat
from tfcore.ops.strings.ngrams import StringNGrams
from tfcore.ops.strings.split import StringSplit, StringSplitV2
from tfcore.ops.strings.unicode import UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode

_UNKNOWN = 65533  # the code point that stands for what cannot be decoded


def bytes_split(input, name=None):  # noqa: A002  named as in TensorFlow
    """Splits strings into bytes.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` of one dimension more; for a scalar a vector.

    Raises:
      ValueError: The rank of `input` is not known.

    Example:

    >>> sess.run(tf.strings.bytes_split(["hi", "", "abc"])).to_list()
    [[b'h', b'i'], [], [b'a', b'b', b'c']]
    """
    with name_scope(name, "StringsByteSplit", []):
        x = convert(input, name="input")
        if x.shape.ndims is None:
            raise ValueError("input must have a statically-known rank.")
        return _pieces(x, lambda flat: StringSplit(flat, "", skip_empty=False))


def _pieces(x, split):
    """The pieces of each string, as rows of one more dimension."""
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(_pieces(x.flat_values, split))
    ndims = x.shape.ndims
    if ndims == 0:
        return _pieces(array_ops.reshape(x, [1]), split)[0]
    if ndims not in (None, 1):
        return _pieces(RaggedTensor.from_tensor(x), split)
    indices, values, shape = split(x)
    rows = shape[0] if x.dims is None or x.dims[0] is None else x.dims[0]
    return rows_of_pieces(indices, values, rows)


def words(input, sep, maxsplit, name):  # noqa: A002  named as in TensorFlow
    """The pieces of strings between separators, a `RaggedTensor`: what `tf.strings.split` does."""
    with name_scope(name, "StringSplit", []):
        x = convert(input, dtypes.string, name="input")
        sep = convert_to_tensor("" if sep is None else sep, dtypes.string)
        if x.shape.ndims == 0:
            x = array_ops.reshape(x, [1])
        return _pieces(x, lambda flat: StringSplitV2(flat, sep, maxsplit=maxsplit))


def rows_of_pieces(indices, values, rows):
    """The pieces of strings, a sparse matrix without gaps, as a ragged tensor."""
    return RaggedTensor.from_value_rowids(values, indices[:, 0], rows, validate=False)


# ---- Unicode


def unicode_encode(input, output_encoding, errors="replace", replacement_char=_UNKNOWN, name=None):  # noqa: A002
    """Strings of code points.

    Args:
      input: A `RaggedTensor` or `Tensor` of type int32, whose innermost dimension has the code points of a string.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What to do with numbers that are no code points: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` or `Tensor` of type string, of one dimension less.

    Raises:
      ValueError: The rank of `input` is 0 or not known, or there is no such encoding.
      tf.errors.InvalidArgumentError: At run time, with "strict", a number is no code point.

    Example:

    >>> print(sess.run(tf.strings.unicode_encode(tf.ragged.constant([[72, 105], [8364]]), "UTF-8")))
    [b'Hi' b'\\xe2\\x82\\xac']
    """
    with name_scope(name, "UnicodeEncode", []):
        x = convert(input)
        if x.shape.ndims is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if x.shape.ndims == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        options = {"output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char}
        return _encoded(x, options)


def _encoded(x, options):
    if isinstance(x, RaggedTensor):
        if x.flat_values.shape.ndims > 1:
            return x.with_flat_values(_encoded(x.flat_values, options))
        if x.ragged_rank > 1:
            return x.with_values(_encoded(x.values, options))
        return UnicodeEncode(x.values, x.row_splits, **options)
    ndims = x.shape.ndims
    rows = x if ndims == 2 else array_ops.reshape(x, dense_concat([[-1], array_ops.shape(x)[-1:]], 0))
    if ndims == 1:
        rows = array_ops.expand_dims(x, 0)
    strings = _encoded(RaggedTensor.from_tensor(rows), options)
    if ndims == 2:
        return strings
    return array_ops.reshape(strings, array_ops.shape(x)[:-1])


def unicode_decode(
    input,  # noqa: A002  named as in TensorFlow
    input_encoding,
    errors="replace",
    replacement_char=_UNKNOWN,
    replace_control_characters=False,
    name=None,
):
    """The code points of strings.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string.
      input_encoding: Its encoding, a str: "UTF-8", "UTF-16-BE", "UTF-32-LE", "US-ASCII", "ISO-8859-1" or similar.
      errors: What to do with bytes that stand for no code point: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      replace_control_characters: Whether the first 32 code points count as errors.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` of type int32, of one dimension more; for a scalar a vector.

    Raises:
      ValueError: The rank of `input` is not known, or there is no such way to handle errors.
      tf.errors.InvalidArgumentError: The encoding is not known, or at run time, a string is not valid.

    Example:

    >>> sess.run(tf.strings.unicode_decode(["Hi", "\\u20ac"], "UTF-8")).to_list()
    [[72, 105], [8364]]
    """
    with name_scope(name, "UnicodeDecode", []):
        return _decoded(UnicodeDecode, input, input_encoding, errors, replacement_char, replace_control_characters)[0]


def unicode_decode_with_offsets(
    input,  # noqa: A002  named as in TensorFlow
    input_encoding,
    errors="replace",
    replacement_char=_UNKNOWN,
    replace_control_characters=False,
    name=None,
):
    """The code points of strings, and the byte at which each begins.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string.
      input_encoding: Its encoding, a str: "UTF-8", "UTF-16-BE", "UTF-32-LE", "US-ASCII", "ISO-8859-1" or similar.
      errors: What to do with bytes that stand for no code point: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      replace_control_characters: Whether the first 32 code points count as errors.
      name: Prefix of the names of the operations (optional).

    Returns:
      A tuple of two `RaggedTensor`s of one dimension more, of types int32 and int64; for a scalar of vectors.

    Raises:
      ValueError: The rank of `input` is not known, or there is no such way to handle errors.
      tf.errors.InvalidArgumentError: The encoding is not known, or at run time, a string is not valid.

    Example:

    >>> points, offsets = tf.strings.unicode_decode_with_offsets(["\\u20aca"], "UTF-8")
    >>> sess.run(points).to_list(), sess.run(offsets).to_list()
    ([[8364, 97]], [[0, 3]])
    """
    with name_scope(name, "UnicodeDecodeWithOffsets", []):
        arguments = input, input_encoding, errors, replacement_char, replace_control_characters
        return _decoded(UnicodeDecodeWithOffsets, *arguments)


def unicode_split(input, input_encoding, errors="replace", replacement_char=_UNKNOWN, name=None):  # noqa: A002
    """Splits strings into characters, each of them a string in the same encoding.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string.
      input_encoding: Its encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What to do with bytes that stand for no code point: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` of type string, of one dimension more; for a scalar a vector.

    Raises:
      ValueError: The rank of `input` is not known, or there is no such encoding or way to handle errors.
      tf.errors.InvalidArgumentError: At run time, with "strict", a string is not valid.

    Example:

    >>> sess.run(tf.strings.unicode_split(["Hi", "\\u20ac"], "UTF-8")).to_list()
    [[b'H', b'i'], [b'\\xe2\\x82\\xac']]
    """
    with name_scope(name, "UnicodeSplit", []):
        (points,) = _decoded(UnicodeDecode, input, input_encoding, errors, replacement_char, False)
        return _characters(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input,  # noqa: A002  named as in TensorFlow
    input_encoding,
    errors="replace",
    replacement_char=_UNKNOWN,
    name=None,
):
    """Splits strings into characters, and says at which byte each begins.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string.
      input_encoding: Its encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What to do with bytes that stand for no code point: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      name: Prefix of the names of the operations (optional).

    Returns:
      A tuple of two `RaggedTensor`s of one dimension more, of types string and int64; for a scalar of vectors.

    Raises:
      ValueError: The rank of `input` is not known, or there is no such encoding or way to handle errors.
      tf.errors.InvalidArgumentError: At run time, with "strict", a string is not valid.
    """
    with name_scope(name, "UnicodeSplitWithOffsets", []):
        arguments = input, input_encoding, errors, replacement_char, False
        points, offsets = _decoded(UnicodeDecodeWithOffsets, *arguments)
        return _characters(points, input_encoding, errors, replacement_char), offsets


def _characters(points, encoding, errors, replacement):
    options = {"output_encoding": encoding, "errors": errors, "replacement_char": replacement}
    return map_flat_values(lambda flat: _encoded(array_ops.expand_dims(flat, 1), options), points)


def _decoded(op, x, encoding, errors, replacement, replace_control):
    """What an op gives besides splits, as ragged tensors of one more dimension than x."""
    x = convert(x, name="input")
    ndims = x.shape.ndims
    if ndims is None:
        raise ValueError("Rank of `input` must be statically known.")
    own = x.ragged_rank if isinstance(x, RaggedTensor) else 0
    if ndims > 1 and own < ndims - 1:
        flat = RaggedTensor.from_tensor(x.flat_values if own else x, ragged_rank=ndims - own - 1)
        x = x.with_flat_values(flat) if own else flat
    flat = x.flat_values if isinstance(x, RaggedTensor) else array_ops.reshape(x, [-1])
    splits, *parts = op(
        flat,
        input_encoding=encoding,
        errors=errors,
        replacement_char=replacement,
        replace_control_characters=replace_control,
    )
    if ndims == 0:
        return tuple(parts)
    parts = [RaggedTensor.from_row_splits(part, splits, validate=False) for part in parts]
    return tuple(x.with_flat_values(part) if isinstance(x, RaggedTensor) else part for part in parts)


# ---- n-grams


def ngrams(
    data,
    ngram_width,
    separator=" ",
    pad_values=None,
    padding_width=None,
    preserve_short_sequences=False,
    name=None,
):
    """All sequences of some numbers of words, joined.

    Args:
      data: A `RaggedTensor` or `Tensor` of type string, whose innermost dimension has the words of a row.
      ngram_width: How many words are joined: an int, or a list of them.
      separator: A str between words.
      pad_values: What stands before and after the words of a row: a str, or a tuple of two (optional).
      padding_width: How many times it stands there, at most; as often as an n-gram has room for by default.
      preserve_short_sequences: Whether a row that is too short for all widths gives all its words as one n-gram.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` of the rank of `data`; a `Tensor` if `data` is one.

    Raises:
      TypeError: `pad_values` is of another type.
      ValueError: The rank of `data` is 0 or not known, or a width is less than 1.

    Example:

    >>> print(sess.run(tf.strings.ngrams(["a", "b", "c"], 2)))
    [b'a b' b'b c']
    """
    with name_scope(name, "StringNGrams", []):
        left, right = _paddings(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        options = {
            "separator": separator,
            "ngram_widths": widths,
            "left_pad": left,
            "right_pad": right,
            "pad_width": 0 if pad_values is None else -1 if padding_width is None else padding_width,
            "preserve_short_sequences": preserve_short_sequences,
        }
        return _joined_words(convert(data, dtypes.string, name="data"), options)


def _paddings(values):
    pair = tuple(values[:2]) if isinstance(values, (list, tuple)) else (values, values)
    if values is None:
        return "", ""
    if not all(isinstance(value, (str, bytes)) for value in pair):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pair


def _joined_words(data, options):
    if isinstance(data, RaggedTensor):
        if data.ragged_rank > 1:
            return data.with_values(_joined_words(data.values, options))
        values, splits = StringNGrams(data.flat_values, data.row_splits, **options)
        return RaggedTensor.from_row_splits(values, splits, validate=False)
    ndims = data.shape.ndims
    if ndims is None:
        raise ValueError("Rank of data must be known.")
    if ndims == 0:
        raise ValueError("Data must have rank>0")
    rows = array_ops.reshape(data, dense_concat([[-1], array_ops.shape(data)[-1:]], 0))
    words = _joined_words(RaggedTensor.from_tensor(rows), options).values
    if ndims == 1:
        return words
    return array_ops.reshape(words, dense_concat([array_ops.shape(data)[:-1], [-1]], 0))
