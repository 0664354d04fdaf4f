"""BasicDecoder: a cell, and a helper that samples from its outputs and chooses its next inputs."""

import collections

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers.base import Layer
from tfcore.rnn.base import assert_like_rnncell
from tfcore.rnn.seq2seq.decoder import Decoder
from tfcore.rnn.seq2seq.helpers import Helper

BasicDecoderOutput = collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))


class BasicDecoder(Decoder):
    """Decodes with one sample in each step.

    Args:
      cell: The cell, an `RNNCell`.
      helper: A `Helper`, which draws samples and makes the next inputs.
      initial_state: The initial state of the cell.
      output_layer: A `Layer` such as `tf.layers.Dense` for the outputs of the cell before they are sampled from.

    Raises:
      TypeError: An argument has the wrong type.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        return BasicDecoderOutput(rnn_output=self._rnn_output_size(), sample_id=self._helper.sample_ids_shape)

    def _rnn_output_size(self):
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        return nest.map_structure(lambda s: output_shape_of(self._output_layer, s), size)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()), self._helper.sample_ids_dtype
        )

    def initialize(self, name=None):
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        with name_scope(name, "BasicDecoderStep", [time]):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=sample_ids
            )
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished


def output_shape_of(layer, size):
    """Shape of a layer's output for one example of shape `size`."""
    return layer.compute_output_shape(TensorShape([None]).concatenate(size))[1:]
