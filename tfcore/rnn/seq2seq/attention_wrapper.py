"""AttentionWrapper: a cell that attends to a memory in each step."""

import collections

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers.core import Dense
from tfcore.ops.array.array import expand_dims, identity, shape, squeeze
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import RNNCell, assert_like_rnncell, zeros_of
from tfcore.rnn.seq2seq.attention import AttentionMechanism
from tfcore.rnn.seq2seq.basic_decoder import output_shape_of


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """State of an AttentionWrapper.

    cell_state: of the wrapped cell. attention: [batch, size], the attention of the last step. time: int32
    scalar. For each mechanism (a tuple, if there is a list of them): alignments [batch, memory time];
    alignment_history: TensorArray of them, or () if it is not kept; attention_state: of the mechanism.
    """

    __slots__ = ()

    def clone(self, **kwargs):
        """Replaces some fields.

        Args:
          **kwargs: The new values by the names of the fields; their shapes must fit.

        Returns:
          An `AttentionWrapperState`.
        """

        def with_same_shape(old, new):
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                new.shape.assert_is_compatible_with(old.shape)
            return new

        new = self._replace(**kwargs)
        return nest.map_structure(with_same_shape, self, new)


def _sequence_or_item(value, as_sequence):
    return tuple(value) if as_sequence else value[0]


def compute_attention(mechanism, cell_output, state, attention_layer):
    """(attention, alignments, next state) of one mechanism."""
    alignments, next_state = mechanism(cell_output, state)
    context = squeeze(matmul(expand_dims(alignments, 1), mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(concat([cell_output, context], 1)), alignments, next_state


class AttentionWrapper(RNNCell):
    """Adds attention to a cell: its input is joined with the attention of the step before.

    Args:
      cell: The cell, an `RNNCell`.
      attention_mechanism: An `AttentionMechanism` or a list of them.
      attention_layer_size: An int (or a list, one for each mechanism): the size of the attention, a product with
        [output, context]. By default the attention is the context itself.
      alignment_history: Whether the state keeps the alignments of all steps.
      cell_input_fn: A function of inputs and attention that returns the input of the cell; both side by side by
        default.
      output_attention: Whether the output is the attention (as in Luong's model), not the output of the cell (as in
        Bahdanau's).
      initial_cell_state: The state of the cell that `zero_state` returns.
      name: Name of the cell and of its variable scope.
      attention_layer: A `Layer` or a list of them, instead of `attention_layer_size`.
      attention_fn: A function of (mechanism, cell output, attention state, attention layer) that returns (attention,
        alignments, next attention state).
      dtype: Type of the variables; that of the inputs by default.

    Raises:
      TypeError: An argument has the wrong type.
      ValueError: The lists have different lengths, or the layers are given twice or don't fit.
    """

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        super().__init__(name=name, dtype=dtype)
        assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                where = (
                    "attention_mechanism must contain only instances of"
                    if self._is_multi
                    else "attention_mechanism must be an"
                )
                raise TypeError(f"{where} AttentionMechanism, saw type: {type(mechanism).__name__}")
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: concat([inputs, attention], -1))
        self._attention_layers = self._layers(attention_layer_size, attention_layer, dtype)
        self._attention_layer_size = sum(
            self._attention_size(*p) for p in zip(self._mechanisms, self._attention_layers)
        )
        self._attention_fn = attention_fn or compute_attention
        self._cell = cell
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                self._initial_cell_state = self._checked_initial_state(initial_cell_state)

    def _layers(self, sizes, layers, dtype):
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        for what, given in (("attention_layer_size", sizes), ("attention_layer", layers)):
            if given is None:
                continue
            given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
            if len(given) != len(self._mechanisms):
                raise ValueError(
                    f"If provided, {what} must contain exactly one integer per attention_mechanism, saw: "
                    f"{len(given)} vs {len(self._mechanisms)}"
                )
            if what == "attention_layer":
                return given
            return tuple(
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype if dtype is None else dtype)
                for size, mechanism in zip(given, self._mechanisms)
            )
        return (None,) * len(self._mechanisms)

    def _attention_size(self, mechanism, layer):
        depth = mechanism.values.shape[-1].value
        if layer is None:
            return depth
        return output_shape_of(layer, [mechanism.keys.shape[-1].value + depth])[-1].value

    def _checked_initial_state(self, state):
        last = nest.flatten(state)[-1]
        batch_size = last.shape[0].value or shape(last)[0]
        text = (
            f"When constructing AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder "
            "output) and initial_cell_state.  Are you using the BeamSearchDecoder?  You may need to tile your initial "
            "state via the tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width."
        )
        with control_dependencies(self._batch_checks(batch_size, text)):
            return nest.map_structure(lambda s: identity(s, name="check_initial_cell_state"), state)

    def _batch_checks(self, batch_size, text):
        return [assert_equal(batch_size, m.batch_size, message=text) for m in self._mechanisms]

    def _item_or_tuple(self, values):
        return _sequence_or_item(list(values), self._is_multi)

    @property
    def output_size(self):
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(m.alignments_size for m in self._mechanisms),
            attention_state=self._item_or_tuple(m.state_size for m in self._mechanisms),
            alignment_history=self._item_or_tuple(
                m.alignments_size if self._alignment_history else () for m in self._mechanisms
            ),
        )

    def zero_state(self, batch_size, dtype):
        """The first state. Its cell_state is `initial_cell_state` if given, else zeros.

        Args:
          batch_size: An int or an int32 scalar `Tensor`.
          dtype: The type of the state.

        Returns:
          An `AttentionWrapperState`.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            text = (
                f"When calling zero_state of AttentionWrapper {self.name}: Non-matching batch sizes between the memory "
                "(encoder output) and the requested batch size.  Are you using the BeamSearchDecoder?  If so, make "
                "sure your encoder output has been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and the "
                "batch_size= argument passed to zero_state is batch_size * beam_width."
            )
            with control_dependencies(self._batch_checks(batch_size, text)):
                cell_state = nest.map_structure(lambda s: identity(s, name="checked_cell_state"), cell_state)
            alignments = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=dtypes.int32),
                attention=zeros_of(batch_size, self._attention_layer_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(m.initial_state(batch_size, dtype) for m in self._mechanisms),
                alignment_history=self._item_or_tuple(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape)
                    if self._alignment_history
                    else ()
                    for a in alignments
                ),
            )

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead."
            )
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        cell_output, cell_state = self._cell(cell_inputs, state.cell_state)
        text = (
            f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder "
            "output) and the query (decoder output).  Are you using the BeamSearchDecoder?  You may need to tile your "
            "memory input via the tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width."
        )
        batch_size = cell_output.shape[0].value or shape(cell_output)[0]
        with control_dependencies(self._batch_checks(batch_size, text)):
            cell_output = identity(cell_output, name="checked_cell_output")
        states, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            states, histories = (states,), (histories,)
        attentions, alignments, next_states, next_histories = [], [], [], []
        for i, mechanism in enumerate(self._mechanisms):
            attention, aligned, next_state = self._attention_fn(
                mechanism, cell_output, states[i], self._attention_layers[i]
            )
            attentions.append(attention)
            alignments.append(aligned)
            next_states.append(next_state)
            next_histories.append(histories[i].write(state.time, aligned) if self._alignment_history else ())
        attention = concat(attentions, 1)
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(next_states),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(next_histories),
        )
        return (attention if self._output_attention else cell_output), next_state
