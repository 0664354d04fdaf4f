"""tensorflow.python.keras.backend.rnn: a function at each step of a sequence."""

import tfcore as tf


def rnn(
    step_function,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=None,
    unroll=False,
    input_length=None,
    time_major=False,
    zero_output_for_mask=False,
):
    """Calls a function for each step of a sequence.

    Args:
      step_function: A function of (inputs of the step, states and constants) that returns (output, new states).
      inputs: A tensor [batch, time, ...].
      initial_states: A list of the states before the first step, each [batch, ...].
      go_backwards: Whether the last step comes first.
      mask: A tensor [batch, time], or [batch, time, 1]: where it is false, a step's output is the one before, zero at
        the first step, and the states stay.
      constants: A list of what each step gets after the states.
      unroll: Whether the graph has each step, rather than a loop.
      input_length: How many steps there are, if this is known.
      time_major: Whether `inputs`, `mask` and the outputs are [time, batch, ...].
      zero_output_for_mask: Whether the output is zero where the mask is false.

    Returns:
      (the last output, all outputs [batch, time, ...], a list of the last states)

    Raises:
      ValueError: `unroll`, and the number of steps is not known.
    """
    steps = _Steps(step_function, tuple(constants or ()), zero_output_for_mask)
    if mask is not None:
        mask = tf.cast(mask, tf.bool)
        mask = mask if mask.shape.ndims != 2 else tf.expand_dims(mask, -1)
    if not time_major:
        inputs, mask = _swapped(inputs), _swapped(mask)
    if go_backwards:
        inputs, mask = tf.reverse(inputs, [0]), None if mask is None else tf.reverse(mask, [0])
    if unroll:
        last, outputs, states = _unrolled(steps, inputs, mask, list(initial_states))
    else:
        last, outputs, states = _looped(steps, inputs, mask, list(initial_states), input_length)
    return last, outputs if time_major else _swapped(outputs), states


class _Steps:
    """The function of a step with masks."""

    def __init__(self, function, constants, zero_outputs):
        self._function = function
        self._constants = constants
        self._zero_outputs = zero_outputs

    def __call__(self, inputs, mask, before, states):
        """(output, states) after a step; `before` is the output before it, None for zeros."""
        output, new = self._function(inputs, (*states, *self._constants))
        new = list(new)
        if mask is not None:
            before = tf.zeros_like(output) if before is None or self._zero_outputs else before
            output = _where(mask, output, before)
            new = [_where(mask, after, state) for after, state in zip(new, states, strict=True)]
        for after, state in zip(new, states, strict=True):
            after.set_shape(state.shape)
        return output, new


def _unrolled(steps, inputs, mask, states):
    if inputs.shape.ndims is None or inputs.shape[0].value is None:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    n = inputs.shape[0].value
    masks = [None] * n if mask is None else tf.unstack(mask, n)
    outputs = []
    for x, m in zip(tf.unstack(inputs, n), masks, strict=True):
        output, states = steps(x, m, outputs[-1] if outputs else None, states)
        outputs.append(output)
    return outputs[-1], tf.stack(outputs), states


def _looped(steps, inputs, mask, states, input_length):
    n = tf.shape(inputs)[0]
    # A call outside of the loop shows the shape and type of the outputs; nothing of it runs.
    first, _ = steps(inputs[0], None, None, states)
    xs = tf.TensorArray(inputs.dtype, n).unstack(inputs)
    masks = None if mask is None else tf.TensorArray(tf.bool, n).unstack(mask)
    before = [] if mask is None else [tf.zeros_like(first)]

    def body(time, outputs, before, states):
        m = None if masks is None else masks.read(time)
        output, states = steps(xs.read(time), m, before[0] if before else None, states)
        output.set_shape(first.shape)
        return time + 1, outputs.write(time, output), [output] if before else [], states

    _, outputs, _, states = tf.while_loop(
        lambda time, *_: time < n,
        body,
        (tf.constant(0), tf.TensorArray(first.dtype, n), before, states),
        parallel_iterations=32,
        swap_memory=True,
        maximum_iterations=input_length,
    )
    outputs = outputs.stack()
    outputs.set_shape([inputs.shape[0], *first.shape])
    return outputs[-1], outputs, states


def _swapped(x):
    """A tensor with its first two dimensions exchanged; None for None."""
    return None if x is None else tf.transpose(x, [1, 0, *range(2, x.shape.ndims)])


def _where(mask, x, y):
    """x where a mask [batch, 1] is true, and y elsewhere."""
    mask = tf.reshape(mask, tf.concat([tf.shape(mask)[:1], tf.ones([x.shape.ndims - 1], tf.int32)], 0))
    return tf.where(tf.logical_and(mask, tf.ones_like(x, tf.bool)), x, y)
