"""Parses messages tf.train.SequenceExample."""

from tfcore.composed.parsing.example import scalar
from tfcore.composed.parsing.features import FixedLenFeature, FixedLenSequenceFeature, Section, VarLenFeature
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.parsing.sequence_example import ParseSequenceExampleV2


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """Parses a batch of serialized messages `tf.train.SequenceExample`.

    Args:
      serialized: A vector of strings, or a scalar for a single example.
      context_features: A dict from keys to `FixedLenFeature` or `VarLenFeature`: features of a whole example.
      sequence_features: A dict from keys to `FixedLenSequenceFeature` or `VarLenFeature`: features of each step.
      example_names: A `Tensor` of strings like `serialized`: names of the examples in messages of errors (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      Three dicts: from the keys of `context_features` to `Tensor`s and `SparseTensor`s; the same for
      `sequence_features`, with a dimension for steps after that of examples, where shorter examples are padded with 0
      or ""; and the numbers of steps of each `FixedLenSequenceFeature`.

    Raises:
      ValueError: There are no features, or a feature is incomplete.
      tf.errors.InvalidArgumentError: At run time, a string is not a serialized example, lacks a feature, or has values
        of another type or number.

    Example:

    >>> example = tf.train.SequenceExample()
    >>> for word in b"to", b"be":
    ...     example.feature_lists.feature_list["words"].feature.add().bytes_list.value.append(word)
    >>> features = {"words": tf.FixedLenSequenceFeature([], tf.string)}
    >>> _, words, lengths = tf.io.parse_sequence_example([example.SerializeToString()], sequence_features=features)
    >>> print(sess.run([words["words"], lengths["words"]]))
    [array([[b'to', b'be']], dtype=object), array([2])]
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one should have values."
        )
    return _parse(serialized, context_features, sequence_features, example_names, "ParseSequenceExample", name)


def parse_single_sequence_example(
    serialized, context_features=None, sequence_features=None, example_name=None, name=None
):
    """Parses one serialized message `tf.train.SequenceExample`.

    Args:
      serialized: A scalar string.
      context_features: A dict from keys to `FixedLenFeature` or `VarLenFeature`: features of the whole example.
      sequence_features: A dict from keys to `FixedLenSequenceFeature` or `VarLenFeature`: features of each step.
      example_name: A scalar string, the name of the example (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      Two dicts: from the keys of `context_features` to `Tensor`s and `SparseTensor`s, and the same for
      `sequence_features`, whose first dimension is that of steps.

    Raises:
      ValueError: There are no features, a feature is incomplete, or `serialized` is not a scalar.
      tf.errors.InvalidArgumentError: At run time, the string is not a serialized example, lacks a feature, or has
        values of another type or number.

    Example:

    >>> example = tf.train.SequenceExample()
    >>> example.context.feature["length"].int64_list.value.append(1)
    >>> features = {"length": tf.FixedLenFeature([], tf.int64)}
    >>> context, _ = tf.parse_single_sequence_example(example.SerializeToString(), features)
    >>> print(sess.run(context['length']))
    1
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        serialized = scalar(convert_to_tensor(serialized, name="serialized"), "serialized")
        return _parse(serialized, context_features, sequence_features, example_name, "ParseSequenceExample", name)[:2]


def _parse(serialized, context_features, sequence_features, names, scope, name):
    context = Section(context_features, (VarLenFeature, FixedLenFeature))
    lists = Section(sequence_features, (VarLenFeature, FixedLenSequenceFeature))
    for key, feature in lists.dense.items():
        if feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    with name_scope(name, scope, [serialized, names]):
        serialized = convert_to_tensor(serialized, name="serialized")
        out = ParseSequenceExampleV2(
            serialized,
            [] if names is None else names,
            context.sparse_keys(),
            context.dense_keys(),
            [],
            lists.sparse_keys(),
            lists.dense_keys(),
            [],
            [feature.allow_missing for feature in lists.dense.values()],
            context.dense_defaults(),
            Ncontext_sparse=len(context.sparse),
            Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense),
            context_sparse_types=context.sparse_types(),
            feature_list_dense_types=lists.dense_types(),
            feature_list_sparse_types=lists.sparse_types(),
            context_dense_shapes=context.dense_shapes(),
            feature_list_dense_shapes=lists.dense_shapes(),
            name=name,
        )
        return (
            _by_key(
                context,
                out.context_sparse_indices,
                out.context_sparse_values,
                out.context_sparse_shapes,
                out.context_dense_values,
            ),
            _by_key(
                lists,
                out.feature_list_sparse_indices,
                out.feature_list_sparse_values,
                out.feature_list_sparse_shapes,
                out.feature_list_dense_values,
            ),
            dict(zip(lists.dense, out.feature_list_dense_lengths)),
        )


def _by_key(section, indices, values, shapes, dense):
    sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes)]
    return dict(zip([*section.sparse, *section.dense], [*sparse, *dense]))
