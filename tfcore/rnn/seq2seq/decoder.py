"""dynamic_decode: runs a decoder in a loop inside the graph until all sequences are finished."""

import abc

from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import fill, zeros_like
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.compare import logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.reduce.reduce import reduce_all
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import zeros_of
from tfcore.rnn.dynamic import transpose_batch_time
from tfcore.rnn.step import cache_variables
from tfcore.variables.variable_scope import variable_scope


class Decoder(abc.ABC):
    """Interface of the decoders that `dynamic_decode` runs.

    `initialize` returns the first inputs and state; each step then returns outputs, the next inputs and the next state.
    """

    @property
    def batch_size(self):
        """The number of sequences that are decoded together: an int32 scalar."""
        raise NotImplementedError

    @property
    def output_size(self):
        """Sizes of the outputs of a step, without the batch: a nest of ints and TensorShapes."""
        raise NotImplementedError

    @property
    def output_dtype(self):
        """Types of the outputs of a step, nested as output_size."""
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name=None):
        """Called before the first step.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple (finished, inputs, state); finished is a bool `Tensor` of shape [batch].
        """

    @abc.abstractmethod
    def step(self, time, inputs, state, name=None):
        """Runs one step.

        Args:
          time: An int32 scalar `Tensor`: the number of the step.
          inputs: The inputs of the step, a nest of `Tensor`s.
          state: The state, a nest of `Tensor`s.
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple (outputs, next_state, next_inputs, finished).
        """

    def finalize(self, outputs, final_state, sequence_lengths):
        """Called after the last step.

        Args:
          outputs: The outputs of all steps, `Tensor`s of shape [time, batch, ...].
          final_state: The last state.
          sequence_lengths: An int32 `Tensor` of shape [batch].

        Returns:
          A tuple (outputs, state).
        """
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        """Whether `finished` of a step replaces that of earlier steps, as sequences may swap places between steps."""
        return False


def dynamic_decode(
    decoder,
    output_time_major=False,
    impute_finished=False,
    maximum_iterations=None,
    parallel_iterations=32,
    swap_memory=False,
    scope=None,
    **kwargs,
):
    """Calls `initialize` of a decoder, then `step` until all sequences are finished.

    Args:
      decoder: A `Decoder`.
      output_time_major: Whether the outputs have the shape [time, batch, ...], not [batch, time, ...].
      impute_finished: Whether finished sequences output zeros and keep their state, so that they get no gradient.
      maximum_iterations: An int32 scalar: the largest number of steps.
      parallel_iterations: As for `tf.while_loop`.
      swap_memory: As for `tf.while_loop`.
      scope: A variable scope or its name; "decoder" by default.
      **kwargs: Further arguments for the decoder's `step`.

    Returns:
      A tuple (outputs, state, lengths): the outputs of all steps and the final state, as `finalize` returns them, and
      an int32 `Tensor` of shape [batch].

    Raises:
      TypeError: `decoder` is not a `Decoder`.
      ValueError: `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as current:
        cache_variables(current)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtype=dtypes.int32, name="maximum_iterations")
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        zeros = nest.map_structure(
            lambda size, dtype: zeros_of(decoder.batch_size, size, dtype), decoder.output_size, decoder.output_dtype
        )
        if maximum_iterations is not None:
            finished = logical_or(finished, maximum_iterations <= 0)
        arrays = nest.map_structure(
            lambda size, dtype: TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=_element_shape(decoder.batch_size, size)
            ),
            decoder.output_size,
            decoder.output_dtype,
        )
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: logical_not(reduce_all(finished)),
            lambda *variables: _step(decoder, kwargs, zeros, impute_finished, *variables),
            (constant(0), arrays, state, inputs, finished, zeros_like(finished, dtype=dtypes.int32)),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, state, lengths


def _element_shape(batch_size, size):
    if not isinstance(size, TensorShape) or size.ndims == 0:
        return TensorShape(None)
    return TensorShape([constant_value(convert_to_tensor(batch_size, name="batch_size"))]).concatenate(size)


def _step(decoder, options, zeros, impute_finished, time, arrays, state, inputs, finished, lengths):
    """The body of the loop."""
    outputs, next_state, next_inputs, now_finished = decoder.step(time, inputs, state, **options)
    next_finished = now_finished if decoder.tracks_own_finished else logical_or(now_finished, finished)
    lengths = where(logical_not(finished), fill(shape(lengths), time + 1), lengths)
    nest.assert_same_structure(state, next_state)
    nest.assert_same_structure(arrays, outputs)
    nest.assert_same_structure(inputs, next_inputs)

    def old_where_finished(new, old):
        if isinstance(old, TensorArray):
            return new
        new.set_shape(old.shape)
        return new if new.shape.ndims == 0 else where(finished, old, new)

    if impute_finished:
        outputs = nest.map_structure(lambda out, zero: where(finished, zero, out), outputs, zeros)
        next_state = nest.map_structure(old_where_finished, next_state, state)
    arrays = nest.map_structure(lambda array, out: array.write(time, out), arrays, outputs)
    return time + 1, arrays, next_state, next_inputs, next_finished, lengths
