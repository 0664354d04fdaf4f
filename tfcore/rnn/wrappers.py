"""Cell wrappers: dropout, residual connections, devices."""

import hashlib
import numbers

from tfcore.framework.graph import graph
from tfcore.framework.types import nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.binary import divide
from tfcore.ops.cwise.unary import floor
from tfcore.ops.nn.basic import dropout
from tfcore.ops.random.random import random_uniform
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import RNNCell, assert_like_rnncell
from tfcore.rnn.cells import LSTMStateTuple


class CellWrapper(RNNCell):
    """A cell that calls another one and has the same sizes, state and variables, and no variable scope."""

    def __init__(self, cell, **kwargs):
        assert_like_rnncell("cell", cell)
        super().__init__(**kwargs)
        self.cell = cell

    @property
    def wrapped_cell(self):
        return self.cell

    @property
    def state_size(self):
        return self.cell.state_size

    @property
    def output_size(self):
        return self.cell.output_size

    def zero_state(self, batch_size, dtype):
        with graph.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    def build(self, inputs_shape):
        self.cell.build(inputs_shape)
        self.built = True

    def call(self, inputs, state):
        return self._around(self.cell.call, inputs, state)

    def __call__(self, inputs, state, scope=None):
        return self._around(self.cell, inputs, state, scope=scope)

    def _around(self, cell, inputs, state, **kwargs):
        """The output and the new state, computed with `cell` (the wrapped one, or its `call`)."""
        raise NotImplementedError

    @property
    def trainable_weights(self):
        return getattr(self.cell, "trainable_weights", [])

    @property
    def non_trainable_weights(self):
        return getattr(self.cell, "non_trainable_weights", [])

    trainable_variables, non_trainable_variables = trainable_weights, non_trainable_weights


class ResidualWrapper(CellWrapper):
    """Adds the inputs of a cell to its outputs.

    Args:
      cell: The cell, an `RNNCell`.
      residual_fn: A function of (inputs, outputs) that returns the new outputs. By default their sum; they must then
        have the same structure and shapes.
      **kwargs: Further arguments of `RNNCell`, such as `name`.
    """

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _around(self, cell, inputs, state, **kwargs):
        outputs, new_state = cell(inputs, state, **kwargs)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new_state
        nest.assert_same_structure(inputs, outputs)
        nest.map_structure(lambda i, o: i.shape.assert_is_compatible_with(o.shape), inputs, outputs)
        return nest.map_structure(lambda i, o: i + o, inputs, outputs), new_state


class DeviceWrapper(CellWrapper):
    """Runs a cell on a device.

    Args:
      cell: The cell, an `RNNCell`.
      device: A device name or a device function.
      **kwargs: Further arguments of `RNNCell`, such as `name`.
    """

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with graph.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]), graph.device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _around(self, cell, inputs, state, **kwargs):
        with graph.device(self._device):
            return cell(inputs, state, **kwargs)


def _all_but_c(state):
    """The default filter: applies dropout to all of a state except c of an LSTM, and TensorArrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


class DropoutWrapper(CellWrapper):
    """Adds dropout to the inputs, outputs and states of a cell.

    Source: Y. Gal and Z. Ghahramani, "A Theoretically Grounded Application of Dropout in Recurrent Neural Networks",
    NIPS 2016.

    Args:
      cell: The cell, an `RNNCell`.
      input_keep_prob: A float or scalar `Tensor`: the fraction of the inputs that is kept; 1 for no dropout.
      output_keep_prob: The fraction of the outputs that is kept, given like `input_keep_prob`.
      state_keep_prob: The fraction of the new states that is kept, given like `input_keep_prob`.
      variational_recurrent: Whether all steps of a run use the same masks.
      input_size: A nest of `TensorShape`s, those of the inputs of one example; needed for a variational mask of the
        inputs.
      dtype: The type of inputs, states and outputs; needed with `variational_recurrent`.
      seed: An int, the seed for drawing the masks.
      dropout_state_filter_visitor: A function of a part of the state that returns a bool, or a structure of bools of
        depth 1: whether to apply dropout to it. By default to all but c of LSTM states and `TensorArray`s.
      **kwargs: Further arguments of `RNNCell`, such as `name`.

    Raises:
      ValueError: A probability is outside of [0, 1], or `variational_recurrent` lacks `dtype` or `input_size`.
      TypeError: `cell` is not a cell, or the filter is not callable.
    """

    def __init__(
        self,
        cell,
        input_keep_prob=1.0,
        output_keep_prob=1.0,
        state_keep_prob=1.0,
        variational_recurrent=False,
        input_size=None,
        dtype=None,
        seed=None,
        dropout_state_filter_visitor=None,
        **kwargs,
    ):
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = dropout_state_filter_visitor or _all_but_c
        with graph.name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability("input_keep_prob", input_keep_prob)
            self._state_keep_prob = _probability("state_keep_prob", state_keep_prob)
            self._output_keep_prob = _probability("output_keep_prob", output_keep_prob)
        self._variational_recurrent = variational_recurrent
        self._seed = seed
        self._input_noise = self._state_noise = self._output_noise = None
        if variational_recurrent:
            self._make_noise(cell, input_size, dtype)

    def _make_noise(self, cell, input_size, dtype):
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")

        def noise(salt, sizes):
            """[1, size] for each size: shared by the batch."""
            flat = [
                random_uniform([1, *TensorShape(size).as_list()], seed=self._seed_of(salt, i), dtype=dtype)
                for i, size in enumerate(nest.flatten(sizes))
            ]
            return nest.pack_sequence_as(sizes, flat)

        if _drops(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
                    "provided"
                )
            self._input_noise = noise("input", input_size)
        self._state_noise = noise("state", cell.state_size)
        self._output_noise = noise("output", cell.output_size)

    def _seed_of(self, salt, index):
        """A separate seed for each tensor, the same in each step."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{salt}_{index}".encode()).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _around(self, cell, inputs, state, **kwargs):
        if _drops(self._input_keep_prob):
            inputs = self._dropout("input", inputs, inputs, self._input_noise, self._input_keep_prob)
        output, new_state = cell(inputs, state, **kwargs)
        if _drops(self._state_keep_prob):
            which = nest.get_traverse_shallow_structure(self._filter, new_state)
            new_state = self._dropout("state", which, new_state, self._state_noise, self._state_keep_prob)
        if _drops(self._output_keep_prob):
            output = self._dropout("output", output, output, self._output_noise, self._output_keep_prob)
        return output, new_state

    def _dropout(self, salt, which, values, noise, keep_prob):
        """Applies dropout to the parts of `values` at the leaves of `which` that are not False."""
        parts = nest.flatten_up_to(which, values)
        noises = nest.flatten_up_to(which, noise) if self._variational_recurrent else [None] * len(parts)
        results = []
        for i, (wanted, value, mask) in enumerate(zip(nest.flatten(which), parts, noises)):
            if wanted is False:
                results.append(value)
            elif self._variational_recurrent:
                results.append(_masked(value, mask, keep_prob))
            else:
                results.append(dropout(value, keep_prob=keep_prob, seed=self._seed_of(salt, i)))
        return nest.pack_sequence_as(which, results)


def _probability(name, value):
    """A float if the value is known, else the tensor."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(known)}")
    return float(known)


def _drops(keep_prob):
    return not isinstance(keep_prob, numbers.Real) or keep_prob < 1


def _masked(value, noise, keep_prob):
    """value / keep_prob where `noise`, uniform in [0, 1), is at least 1 - keep_prob; else 0."""
    result = divide(value, keep_prob) * floor(keep_prob + noise)
    result.set_shape(value.shape)
    return result
