"""Strings split into pieces, as sparse or ragged tensors."""

from tfcore.ops.array.array import alias
from tfcore.ops.strings import split


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """Splits strings at certain bytes.

    Args:
      source: A `Tensor` of type string, a vector.
      sep: The bytes at which to split, a string; empty: between all bytes. A space by default.
      skip_empty: Whether to leave out empty pieces.
      delimiter: Old name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: Prefix of the operations' names (optional).

    Returns:
      A `SparseTensor` or `RaggedTensor` of type string and rank 2: row i has the pieces of string i. An empty string
      has none.

    Raises:
      ValueError: `source` is not a vector, `sep` not a scalar or given under both names, or the result type unknown.
      TypeError: `source` or `sep` is not of type string.

    Example:

    >>> print(sess.run(tf.string_split(["hello world", "a b c"]).values))
    [b'hello' b'world' b'a' b'b' b'c']
    """
    pieces = split.string_split(source, sep, skip_empty, delimiter, name)
    if result_type == "SparseTensor":
        return pieces
    _check_result_type(result_type)
    from tfcore.composed.ragged import strings  # here, because few programs need it; the package first

    return strings.rows_of_pieces(pieces.indices, pieces.values, pieces.dense_shape[0])


def strings_split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):  # noqa: A002
    """Splits strings at separators, like Python's `str.split`.

    Args:
      input: A `Tensor` or `RaggedTensor` of type string. If nothing is known of its rank, it is a vector.
      sep: The separator, a string. None or empty: white space of any length, and none at the ends.
      maxsplit: How often to split a string, if not negative. The rest is the last piece.
      result_type: "SparseTensor" or "RaggedTensor".
      source: Old name of `input`.
      name: Prefix of the operations' names (optional).

    Returns:
      A `SparseTensor` or `RaggedTensor` of type string, of one dimension more than `input`: the last dimension has a
      string's pieces. Of a scalar as if it were a vector of one string.

    Raises:
      ValueError: `input` is None or given under both names, `sep` is not a scalar, or the result type unknown.
      TypeError: `input` or `sep` is not of type string.

    Example:

    >>> sess.run(tf.strings.split(["a b", "c"], result_type="RaggedTensor")).to_list()
    [[b'a', b'b'], [b'c']]
    """
    input = alias(input, source, "input", "source")
    if result_type != "SparseTensor":
        _check_result_type(result_type)
    elif not hasattr(input, "nested_row_splits"):
        return split.strings_split(input, sep, maxsplit, name)
    from tfcore.composed.ragged import strings  # here, because few programs need it; the package first

    pieces = strings.words(input, sep, maxsplit, name)
    return pieces.to_sparse() if result_type == "SparseTensor" else pieces


def _check_result_type(result_type):
    if result_type != "RaggedTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
