"""Parses messages tf.train.Example."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    Section,
    SparseFeature,
    VarLenFeature,
    index_keys,
)
from tfcore.composed.sparse.values import sparse_merge
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.cwise.compare import equal
from tfcore.ops.debugging.check import Assert
from tfcore.ops.parsing.example import ParseExampleV2

_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


def parse_example(serialized, features, name=None, example_names=None):
    """Parses a batch of serialized messages `tf.train.Example`.

    Args:
      serialized: A vector of strings, or a scalar for a single example.
      features: A dict from keys to `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature` or
        `RaggedFeature`.
      name: Prefix of the names of the operations (optional).
      example_names: A `Tensor` of strings like `serialized`: names of the examples in messages of errors (optional).

    Returns:
      A dict from the same keys to `Tensor`s, `SparseTensor`s and `RaggedTensor`s, whose first dimension is that of
      `serialized`. If a key occurs several times in an example, the last one counts.

    Raises:
      ValueError: `features` is empty, or a feature is incomplete.
      tf.errors.InvalidArgumentError: At run time, a string is not a serialized example, lacks a feature without a
        default, or has values of another type or number.

    Example:

    >>> example = tf.train.Example()
    >>> example.features.feature["age"].int64_list.value.append(29)
    >>> features = {"age": tf.FixedLenFeature([], tf.int64)}
    >>> print(sess.run(tf.parse_example([example.SerializeToString()], features)))
    {'age': array([29])}
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    section = Section(_with_rows(features), _KINDS)
    with name_scope(name, "ParseExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, name="serialized")
        if section.ragged and serialized.shape.ndims is None:
            raise ValueError("serialized must have statically-known rank to parse ragged features.")
        indices, values, shapes, dense, *ragged = ParseExampleV2(
            serialized,
            [] if example_names is None else example_names,
            section.sparse_keys(),
            section.dense_keys(),
            list(section.ragged),
            section.dense_defaults(),
            num_sparse=len(section.sparse),
            sparse_types=section.sparse_types(),
            ragged_value_types=[dtype for dtype, _ in section.ragged.values()],
            ragged_split_types=[splits for _, splits in section.ragged.values()],
            dense_shapes=section.dense_shapes(),
            name=name,
        )
        sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes)]
        parsed = dict(zip([*section.sparse, *section.dense], [*sparse, *dense]))
        if section.ragged:
            parsed |= dict(zip(section.ragged, _rows(*ragged, serialized.shape.ndims)))
        return _merged(features, parsed)


def _rows(values, row_splits, ndims):
    from tfcore.composed.parsing.ragged import rows_of_examples  # here, because few programs need it

    return [rows_of_examples(*parts, ndims) for parts in zip(values, row_splits)]


def parse_single_example(serialized, features, name=None, example_names=None):
    """Parses one serialized message `tf.train.Example`.

    Args:
      serialized: A scalar string.
      features: A dict from keys to `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature` or
        `RaggedFeature`.
      name: Prefix of the names of the operations (optional).
      example_names: A scalar string, the name of the example (optional).

    Returns:
      A dict from the same keys to `Tensor`s, `SparseTensor`s and `RaggedTensor`s, without a dimension for a batch.

    Raises:
      ValueError: `features` is empty, a feature is incomplete, or `serialized` is not a scalar.
      tf.errors.InvalidArgumentError: At run time, the string is not a serialized example, lacks a feature without a
        default, or has values of another type or number.

    Example:

    >>> example = tf.train.Example()
    >>> example.features.feature["words"].bytes_list.value.extend([b"a", b"b"])
    >>> features = {"words": tf.FixedLenFeature([2], tf.string)}
    >>> print(sess.run(tf.parse_single_example(example.SerializeToString(), features)))
    {'words': array([b'a', b'b'], dtype=object)}
    """
    if not features:
        raise ValueError(f"Invalid argument: features cannot be {'None' if features is None else 'empty'}.")
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        serialized = scalar(convert_to_tensor(serialized, name="serialized"), "serialized")
        return parse_example(serialized, features, name, example_names)


def scalar(value, name):
    """A tensor, which is checked to be a scalar, now or when it is known."""
    if value.shape.ndims is None:
        message = f"Input {name} must be a scalar"
        check = Assert(equal(array_ops.rank(value), 0), [message], name=f"{name.capitalize()}IsScalar")
        with control_dependencies([check]):
            value = array_ops.identity(value, name=f"{name.capitalize()}Dependencies")
        value.set_shape([])
    elif value.shape.ndims:
        raise ValueError(f"Input {name} must be a scalar")
    return value


def _with_rows(features):
    """The features; sequences with a first dimension for their rows."""
    features = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            features[key] = feature._replace(shape=[None, *feature.shape])
    return features


def _merged(features, parsed):
    """What was parsed, by the keys that the program asked for."""
    out = {}
    for key, feature in sorted(features.items()):
        if isinstance(feature, SparseFeature):
            ids = [parsed[index] for index in index_keys(feature)]
            single = isinstance(feature.index_key, str)
            out[key] = sparse_merge(
                ids[0] if single else ids,
                parsed[feature.value_key],
                vocab_size=feature.size,
                already_sorted=feature.already_sorted,
            )
        elif isinstance(feature, RaggedFeature):
            from tfcore.composed.parsing.ragged import composed_feature

            out[key] = composed_feature(key, feature, parsed)
        else:
            out[key] = parsed[key]
    return out
