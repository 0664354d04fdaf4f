"""Decoders of connectionist temporal classification (CTC): the labels of sequences of logits."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.values.sparse_tensor import SparseTensor


def _batch(op):
    return merge_dim(with_rank(op.inputs[0].dims, 3)[1], with_rank(op.inputs[1].dims, 1)[0])


def _greedy_shape(op):
    return [(None, 2), (None,), (2,), (_batch(op), 1)]


def _beam_shape(op):
    paths = op.get_attr("top_paths")
    return [(None, 2)] * paths + [(None,)] * paths + [(2,)] * paths + [(_batch(op), paths)]


_INPUTS = ["inputs: T", "sequence_length: int32"]
CTCGreedyDecoder = define_op(
    "CTCGreedyDecoder",
    inputs=_INPUTS,
    outputs=["decoded_indices: int64", "decoded_values: int64", "decoded_shape: int64", "log_probability: T"],
    attrs=["merge_repeated: bool = false", "blank_index: int = -1", "T: {float, double} = DT_FLOAT"],
    shape=_greedy_shape,
    doc="The best class of each step, without blanks, and the negative sum of its logits.",
)
CTCBeamSearchDecoder = define_op(
    "CTCBeamSearchDecoder",
    inputs=_INPUTS,
    outputs=[
        "decoded_indices: top_paths * int64",
        "decoded_values: top_paths * int64",
        "decoded_shape: top_paths * int64",
        "log_probability: T",
    ],
    attrs=[
        "beam_width: int >= 1",
        "top_paths: int >= 1",
        "merge_repeated: bool = true",
        "T: {float, double} = DT_FLOAT",
    ],
    shape=_beam_shape,
    doc="The most probable labels, found by a search that keeps the best beam_width prefixes.",
)
not_differentiable("CTCGreedyDecoder", "CTCBeamSearchDecoder")


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """CTC decoding by the best class of each step, without blanks.

    Args:
      inputs: Logits, a `Tensor` of type float32 or float64 and shape [time, batch, classes].
      sequence_length: The steps of each sequence, an int32 `Tensor` [batch].
      merge_repeated: Whether a class in several steps, without a blank between them, is one label.
      blank_index: The class of the blank, an int; a negative one counts from the end. The last class by default.

    Returns:
      A pair: a list of one int64 `SparseTensor` of labels, [batch, most labels]; and the negative sum of the greatest
      logits, a `Tensor` [batch, 1].

    Raises:
      ValueError: The shapes don't fit together.

    Example:

    >>> logits = np.eye(3, dtype=np.float32)[[0, 0, 2, 1, 2], None]
    >>> (decoded,), _ = tf.nn.ctc_greedy_decoder(logits, [5])
    >>> print(sess.run(tf.sparse.to_dense(decoded)))
    [[0 1]]
    """
    blank_index = -1 if blank_index is None else blank_index
    *parts, score = CTCGreedyDecoder(inputs, sequence_length, merge_repeated=merge_repeated, blank_index=blank_index)
    return [SparseTensor(*parts)], score


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """CTC decoding by beam search: the most probable labels. The last class is the blank.

    Args:
      inputs: Logits, a `Tensor` of type float32 or float64 and shape [time, batch, classes].
      sequence_length: The steps of each sequence, an int32 `Tensor` [batch].
      beam_width: How many prefixes the search keeps after each step, an int.
      top_paths: How many results each sequence has, an int up to `beam_width`.
      merge_repeated: Whether adjacent equal labels of a result are merged, even if a blank was between them: rarely
        useful.

    Returns:
      A pair: a list of `top_paths` int64 `SparseTensor`s of labels, [batch, most labels], the most probable first; and
      the logarithms of their probabilities, a `Tensor` [batch, top_paths].

    Raises:
      ValueError: The shapes don't fit together, or a number is not positive.
    """
    indices, values, sizes, scores = CTCBeamSearchDecoder(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=merge_repeated
    )
    return [SparseTensor(*parts) for parts in zip(indices, values, sizes, strict=True)], scores


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    """`ctc_beam_search_decoder` with `merge_repeated=False`.

    Args:
      inputs: Logits, a `Tensor` of type float32 or float64 and shape [time, batch, classes].
      sequence_length: The steps of each sequence, an int32 `Tensor` [batch].
      beam_width: How many prefixes the search keeps after each step, an int.
      top_paths: How many results each sequence has, an int up to `beam_width`.

    Returns:
      A pair: a list of `top_paths` int64 `SparseTensor`s of labels, [batch, most labels], the most probable first; and
      the logarithms of their probabilities, a `Tensor` [batch, top_paths].

    Raises:
      ValueError: The shapes don't fit together, or a number is not positive.
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
