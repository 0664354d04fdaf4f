"""CTC losses with any blank and dense labels, and functions of labels."""

from tfcore.composed.sizes import size_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array.array import expand_dims, reshape, shape
from tfcore.ops.array.constants import fill, ones_like, sequence_mask, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.control_flow.functional import map_fn
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less, logical_and, not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging import check
from tfcore.ops.indexing.indexing import scatter_nd
from tfcore.ops.indexing.unique import unique as unique_values
from tfcore.ops.nn.ctc_loss import ctc_loss
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum


def ctc_loss_v2(
    labels,
    logits,
    label_length,
    logit_length,
    logits_time_major=True,
    unique=None,
    blank_index=None,
    name=None,
):
    """The CTC loss as in TensorFlow 2: dense or sparse labels, and any class as the blank.

    Args:
      labels: Labels, an integer `Tensor` [batch, most labels] or an int32 `SparseTensor` of this shape.
      logits: A `Tensor` of a floating-point type and shape [time, batch, classes].
      label_length: The labels of each sequence, an integer `Tensor` [batch]; None for a `SparseTensor`.
      logit_length: The steps of each sequence, an integer `Tensor` [batch], at least as many as it has labels.
      logits_time_major: Whether the first dimension of `logits` is the time, not the batch.
      unique: What `ctc_unique_labels` returned: without effect here.
      blank_index: The class of the blank, an int; a negative one counts from the end. Required for a `SparseTensor`;
        otherwise 0 by default.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `logits` and shape [batch].

    Raises:
      ValueError: The shapes don't fit together, or `blank_index` is missing.

    Example:

    >>> logits = np.zeros([4, 1, 3], np.float32)
    >>> print(sess.run(tf.nn.ctc_loss_v2([[1, 2]], logits, [2], [4])))
    [1.686399]
    """
    sparse = isinstance(labels, (SparseTensor, SparseTensorValue))
    if sparse and blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
    with name_scope(name, "ctc_loss_dense", [labels, logits, label_length, logit_length]):
        logits = convert_to_tensor(logits, name="logits")
        classes = size_of(logits, 2)
        blank = 0 if blank_index is None else blank_index
        blank = blank + classes if blank < 0 else blank
        logits = concat([logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]], 2)
        steps = cast(convert_to_tensor(logit_length, name="logit_length"), dtypes.int32)
        if sparse:
            labels = SparseTensor.from_value(labels)
            labels = SparseTensor(labels.indices, _blank_last(labels.values, blank, classes), labels.dense_shape)
            return ctc_loss(labels, logits, steps, time_major=logits_time_major)
        labels = _blank_last(convert_to_tensor(labels, name="labels"), blank, classes)
        lengths = cast(convert_to_tensor(label_length, name="label_length"), dtypes.int32)
        # Sequences without labels get a blank, which is no label, and a step for it.
        silent = equal(lengths, 0)
        absent = logical_and(silent, equal(steps, 0))
        steps = where(absent, ones_like(steps), steps)
        loss = ctc_loss(_to_sparse(labels, lengths, classes), logits, steps, time_major=logits_time_major)
        return where(absent, zeros_like(loss), loss)


def _blank_last(labels, blank, classes):
    """Labels as int32 after the blank has become the last class."""
    labels = cast(labels, dtypes.int32)
    moved = where(less(labels, blank), labels, labels - 1)
    return where(equal(labels, blank), zeros_like(labels) + (classes - 1), moved)


def _to_sparse(labels, lengths, classes):
    """A sparse tensor of the labels; rows without any get the last class."""
    sizes = shape(labels)
    fits = check.assert_less_equal(lengths, sizes[1], message="label_length is greater than the number of labels.")
    lengths = with_dependencies([fits], lengths)
    labels = concat([labels, fill([sizes[0], 1], classes - 1)], 1)
    given = sequence_mask(lengths, sizes[1] + 1)
    kept = sequence_mask(maximum(lengths, 1), sizes[1] + 1)
    labels = where(given, labels, zeros_like(labels) + (classes - 1))
    return SparseTensor(where(kept), boolean_mask(labels, kept), cast(sizes, dtypes.int64) + [0, 1])


def ctc_unique_labels(labels, name=None):
    """The different labels of each sequence, in the order in which they appear.

    Args:
      labels: A `Tensor` of integers, [batch, most labels].
      name: Prefix of the names of the operations (optional).

    Returns:
      A pair of `Tensor`s of the shape of `labels`: the different labels, int64, with zeros at the ends; and the place
      of each label among them, int32.

    Raises:
      ValueError: `labels` is not a matrix.

    Example:

    >>> different, places = sess.run(tf.nn.ctc_unique_labels([[3, 4, 4, 3]]))
    >>> print(different, places)
    [[3 4 0 0]] [[0 1 1 0]]
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")
        labels.shape.assert_has_rank(2)

        def of_row(row):
            different, places = unique_values(row)
            indices = expand_dims(where(ones_like(different, dtype=dtypes.bool))[:, 0], 1)
            size = cast(shape(row), dtypes.int64)
            return scatter_nd(indices, cast(different, dtypes.int64), size), places

        return tuple(map_fn(of_row, labels, dtype=(dtypes.int64, dtypes.int32)))


def collapse_repeated(labels, seq_length, name=None):
    """Keeps one of each run of equal labels in a sequence.

    Args:
      labels: A `Tensor` of shape [batch, time].
      seq_length: The lengths of the sequences, an integer `Tensor` of shape [batch].
      name: Prefix of the names of the operations (optional).

    Returns:
      A pair of `Tensor`s: the labels, of shape [batch, greatest new length] with zeros at the ends, and the new
      lengths.

    Raises:
      ValueError: The shapes don't fit together.
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = ones_like(labels[:, :1], dtype=dtypes.bool)
        kept = concat([first, not_equal(labels[:, 1:], labels[:, :-1])], 1)
        kept = logical_and(kept, sequence_mask(seq_length, shape(labels)[1]))
        lengths = reduce_sum(cast(kept, dtypes.int32), 1)
        longest = reduce_max(lengths)
        rows = cast(where(sequence_mask(lengths, longest)), dtypes.int32)
        sizes = concat([shape(labels)[:1], reshape(longest, [1])], 0)
        return scatter_nd(rows, boolean_mask(labels, kept), sizes), cast(lengths, seq_length.dtype)
