"""Beam search: decodes several sequences for each example and keeps the most likely ones."""

import collections

import numpy as np

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.base import Layer
from tfcore.ops.array import array, constants
from tfcore.ops.array import join as array_join
from tfcore.ops.array.move import tile
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.binary import floordiv, floormod
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.indexing.indexing import gather_nd
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.nn.softmax import log_softmax
from tfcore.ops.reduce.reduce import reduce_all, reduce_max
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.sort import top_k
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import assert_like_rnncell
from tfcore.rnn.dynamic import known_size
from tfcore.rnn.seq2seq.decoder import Decoder

BeamSearchDecoderState = collections.namedtuple(
    "BeamSearchDecoderState", ("cell_state", "log_probs", "finished", "lengths")
)
BeamSearchDecoderOutput = collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))


class FinalBeamSearchDecoderOutput(
    collections.namedtuple("FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))
):
    """predicted_ids: int32 [batch, time, beam], the best first; beam_search_decoder_output: the steps' outputs."""

    __slots__ = ()


def tile_batch(t, multiplier, name=None):
    """Repeats each example of a batch: [batch, ...] becomes [batch * multiplier, ...].

    Args:
      t: A `Tensor` of shape [batch, ...], or a nest of them.
      multiplier: An int: how many copies of an example follow each other.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `t`, or a nest of them.

    Raises:
      ValueError: `t` is a scalar or has unknown rank.

    Example:

    >>> print(sess.run(tf.contrib.seq2seq.tile_batch(tf.constant([1, 2]), multiplier=3)))
    [1 1 1 2 2 2]
    """
    with name_scope(name, "tile_batch"):
        return nest.map_structure(lambda x: _tiled(x, multiplier), t)


def _tiled(x, multiplier):
    x = convert_to_tensor(x, name="t")
    if x.shape.ndims is None:
        raise ValueError("t must have statically known rank")
    if x.shape.ndims == 0:
        raise ValueError("t must have batch dimension")
    shape = array.shape(x)
    repeats = [1, multiplier] + [1] * (x.shape.ndims - 1)
    tiled = array.reshape(
        tile(array.expand_dims(x, 1), repeats), array_join.concat([[shape[0] * multiplier], shape[1:]], 0)
    )
    known = constant_value(multiplier) if isinstance(multiplier, Tensor) else multiplier
    batch = None if known is None or x.shape[0].value is None else x.shape[0].value * int(known)
    tiled.set_shape(TensorShape([batch]).concatenate(x.shape[1:]))
    return tiled


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """Follows the beams of a beam search back from the last step and returns their sequences.

    Args:
      step_ids: An int32 `Tensor` of shape [time, batch, beam]: the id that each step chose.
      parent_ids: An int32 `Tensor` of shape [time, batch, beam]: the beam that it continued.
      max_sequence_lengths: An int32 vector of size batch.
      end_token: An int32 scalar: the id that fills sequences after their end.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int32, shape [time, batch, beam].

    Raises:
      ValueError: The shapes don't fit together.
      TypeError: An argument is not of type int32.
      tf.errors.InvalidArgumentError: When run: a parent or a length is out of range.
    """
    with name_scope(name, "GatherTree", [step_ids, parent_ids]):
        step_ids, parent_ids = _int32(step_ids, "step_ids", 3), _int32(parent_ids, "parent_ids", 3)
        max_sequence_lengths = _int32(max_sequence_lengths, "max_sequence_lengths", 1)
        end_token = _int32(end_token, "end_token", 0)
        step_ids.shape.assert_is_compatible_with(parent_ids.shape)
        steps = array.shape(step_ids)[0]
        beam = tile(constants.range(array.shape(step_ids)[2])[None, :], [array.shape(step_ids)[1], 1])
        ids = TensorArray(step_ids.dtype, size=steps, element_shape=step_ids.shape[1:])

        def back(time, beam, ids):
            """One step towards the beginning; a shorter sequence stays at its last step."""
            inside = tile((time < max_sequence_lengths)[:, None], [1, array.shape(beam)[1]])
            chosen = where(inside, _of_beams(step_ids[time], beam), constants.fill(array.shape(beam), end_token))
            parents = where(inside, _of_beams(parent_ids[time], beam), beam)
            return time - 1, parents, ids.write(time, chosen)

        *_, ids = while_loop(lambda time, *_: time >= 0, back, (steps - 1, beam, ids), back_prop=False)
        ids = ids.stack()
        # Everything after the first end token becomes an end token, too.
        ended = cumsum(cast(equal(ids, end_token), dtypes.int32), axis=0, exclusive=True) > 0
        return where(ended, constants.fill(array.shape(ids), end_token), ids)


def _int32(value, name, rank):
    if not hasattr(value, "dtype"):
        value = convert_to_tensor(value, dtypes.int32, name=name)
    value = convert_to_tensor(value, name=name)
    if value.dtype.base_dtype is not dtypes.int32:
        raise TypeError(f"{name} must be of type int32, but is {value.dtype.name}")
    value.shape.assert_has_rank(rank)
    return value


def _of_beams(x, beam):
    """x[b, beam[b, i], ...] for x [batch, beams, ...] and int32 beam [batch, n]."""
    batch = tile(constants.range(array.shape(beam)[0])[:, None], [1, array.shape(beam)[1]])
    return gather_nd(x, array_join.stack([batch, beam], 2))


class BeamSearchDecoder(Decoder):
    """Decodes the `beam_width` most likely sequences of each example.

    Source: Y. Wu et al., "Google's Neural Machine Translation System", 2016 (length penalty).

    Args:
      cell: The cell, an `RNNCell`.
      embedding: A matrix, or a function of ids, that gives the next inputs.
      start_tokens: An int32 vector of size batch: the first ids.
      end_token: An int32 scalar: the id that ends a sequence.
      initial_state: The initial state of the cell, for batch * beam_width rows (see `tile_batch`).
      beam_width: An int: how many sequences are kept.
      output_layer: A `Layer` for the outputs of the cell.
      length_penalty_weight: A float: 0 scores by the log probability; larger values prefer longer sequences.
      coverage_penalty_weight: Not supported: must be 0.
      reorder_tensor_arrays: Whether `TensorArray`s in the state of the cell are reordered with the beams at the end.

    Raises:
      TypeError: An argument has the wrong type.
      ValueError: The ranks don't fit.
    """

    def __init__(
        self,
        cell,
        embedding,
        start_tokens,
        end_token,
        initial_state,
        beam_width,
        output_layer=None,
        length_penalty_weight=0.0,
        coverage_penalty_weight=0.0,
        reorder_tensor_arrays=True,
    ):
        assert_like_rnncell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        if coverage_penalty_weight:
            raise NotImplementedError("BeamSearchDecoder: coverage_penalty_weight other than 0 is not implemented")
        self._cell, self._output_layer = cell, output_layer
        self._embedding_fn = embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)
        self._start_tokens = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array.size(self._start_tokens)
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._initial_state = nest.map_structure(self._split, initial_state, cell.state_size)
        tokens = tile(array.expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(tokens)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def tracks_own_finished(self):
        return True

    @property
    def output_size(self):
        return BeamSearchDecoderOutput(*[TensorShape([self._beam_width])] * 3)

    @property
    def output_dtype(self):
        return BeamSearchDecoderOutput(nest.flatten(self._initial_state)[0].dtype, dtypes.int32, dtypes.int32)

    def _split(self, x, size):
        """[batch * beam, ...] as [batch, beam, ...]; scalars are unchanged."""
        if isinstance(x, TensorArray):
            raise TypeError(f"TensorArray state is not supported by BeamSearchDecoder: {x.name}")
        if x.shape.ndims is None:
            raise ValueError(f"Expected tensor ({x}) to have known rank, but ndims == None.")
        if x.shape.ndims == 0:
            return x
        split = array.reshape(x, array_join.concat([[self._batch_size, self._beam_width], array.shape(x)[1:]], 0))
        expected = TensorShape([constant_value(self._batch_size), self._beam_width]).concatenate(known_size(size))
        if not split.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                f"{split.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {expected}.  "
                "Perhaps you forgot to create a zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        split.set_shape(expected)
        return split

    def _merge(self, x):
        """[batch, beam, ...] as [batch * beam, ...]; tensors without beams are unchanged."""
        if x.shape.ndims < 2:
            return x
        merged = array.reshape(x, array_join.concat([[self._batch_size * self._beam_width], array.shape(x)[2:]], 0))
        batch = constant_value(self._batch_size)
        merged.set_shape(TensorShape([None if batch is None else batch * self._beam_width]).concatenate(x.shape[2:]))
        return merged

    def initialize(self, name=None):
        dtype = nest.flatten(self._initial_state)[0].dtype
        shape = [self._batch_size, self._beam_width]
        finished = constants.fill(shape, False)
        # Initially all beams are equal: only the first one counts.
        log_probs = one_hot(
            constants.zeros([self._batch_size], dtype=dtypes.int32),
            depth=self._beam_width,
            on_value=constant(0, dtype),
            off_value=constant(-np.inf, dtype),
            dtype=dtype,
        )
        state = BeamSearchDecoderState(
            self._initial_state, log_probs, finished, constants.zeros(shape, dtype=dtypes.int64)
        )
        return finished, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        with name_scope(name, "BeamSearchDecoderStep", [time]):
            cell_state = nest.map_structure(self._merge, state.cell_state)
            outputs, cell_state = self._cell(nest.map_structure(self._merge, inputs), cell_state)
            logits = nest.map_structure(lambda x: self._split(x, x.shape[1:]), outputs)
            cell_state = nest.map_structure(self._split, cell_state, self._cell.state_size)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            output, next_state = self._choose(logits, state, cell_state)
            next_inputs = cond(
                reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, next_state, next_inputs, next_state.finished

    def _choose(self, logits, state, cell_state):
        """The best continuations of the beams."""
        classes = logits.shape[-1].value or array.shape(logits)[-1]
        step = _end_where_finished(log_softmax(logits), self._end_token, state.finished)
        totals = array.expand_dims(state.log_probs, 2) + step
        not_end = one_hot(self._end_token, classes, on_value=0, off_value=1, dtype=dtypes.int64)
        going_on = cast(logical_not(state.finished), dtypes.int64)
        lengths = array.expand_dims(state.lengths, 2) + array.expand_dims(going_on, 2) * not_end
        scores = totals / _length_penalty(lengths, self._length_penalty_weight, totals.dtype)
        best, places = top_k(array.reshape(scores, [self._batch_size, -1]), k=self._beam_width)
        shape = [constant_value(self._batch_size), self._beam_width]
        best.set_shape(shape)
        places.set_shape(shape)
        ids = floormod(places, classes, name="next_beam_word_ids")
        beams = floordiv(places, classes, name="next_beam_parent_ids")
        was_finished = _of_beams(state.finished, beams)
        finished = logical_or(was_finished, equal(ids, self._end_token))
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(lambda x: x if x.shape.ndims < 2 else _reordered(x, beams), cell_state),
            log_probs=_reordered(array.reshape(totals, [self._batch_size, -1]), places),
            finished=_shaped(finished, shape),
            lengths=_reordered(state.lengths, beams) + cast(logical_not(was_finished), dtypes.int64),
        )
        return BeamSearchDecoderOutput(best, ids, beams), next_state

    def finalize(self, outputs, final_state, sequence_lengths):
        longest = cast(reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state


def _shaped(x, shape):
    x.set_shape(shape)
    return x


def _reordered(x, beams):
    return _shaped(_of_beams(x, beams), beams.shape.concatenate(x.shape[2:]))


def _end_where_finished(log_probs, end_token, finished):
    """Makes finished sequences continue with the end token with probability 1."""
    classes = array.shape(log_probs)[2]
    lowest = constant(log_probs.dtype.min, log_probs.dtype)
    end = one_hot(
        end_token, classes, on_value=constants.zeros([], log_probs.dtype), off_value=lowest, dtype=log_probs.dtype
    )
    mask = tile(array.expand_dims(finished, 2), [1, 1, classes])
    return where(mask, constants.zeros_like(log_probs) + end, log_probs)


def _length_penalty(lengths, weight, dtype):
    """((5 + length) / 6) ^ weight."""
    weight = convert_to_tensor(weight, dtype=dtype, name="penalty_factor")
    weight.set_shape(())
    if constant_value(weight) == 0:
        return constants.ones([], dtype)
    return ((5.0 + cast(lengths, dtype)) / 6.0) ** weight
