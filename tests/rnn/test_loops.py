"""Static, dynamic, bidirectional and raw RNNs: values against NumPy and each other, masks, gradients, errors."""

import functools

import numpy as np
import pytest

import tfcore as tf
from tests.rnn import reference
from tests.rnn.test_cells import CELLS, random_state, weights_of

rnn_cell = tf.nn.rnn_cell
RANDOM = np.random.default_rng(11)
BATCH, TIME, DEPTH = 3, 6, 4
LENGTHS = [2, 6, 4]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def data(dtype=np.float64):
    return RANDOM.normal(size=(BATCH, TIME, DEPTH)).astype(dtype)


def scope(seed=3, **kwargs):
    return tf.variable_scope("", initializer=tf.random_normal_initializer(seed=seed, dtype=tf.float64), **kwargs)


def static(cell, x, **kwargs):
    outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), **kwargs)
    return tf.stack(outputs, axis=1), state


def run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds), sess


@pytest.mark.parametrize("lengths", [None, LENGTHS, [0, 3, 1]], ids=str)
@pytest.mark.parametrize("loop", [static, tf.nn.dynamic_rnn], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CELLS)
def test_sequences_equal_numpy(name, loop, lengths):
    make, step, prefix = CELLS[name]
    cell, x = make(name=None), data()
    first = random_state(cell.state_size, BATCH, np.float64)
    with scope():
        outputs, state = loop(
            cell, tf.constant(x), initial_state=tf.nest.map_structure(tf.constant, first), sequence_length=lengths
        )
    assert outputs.shape.as_list() == [BATCH, TIME, cell.output_size]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got, got_state = sess.run([outputs, state])
        weights = weights_of(sess, "rnn/" + prefix)
    first = tuple(first) if isinstance(first, tuple) else first
    expected, last = reference.unrolled(functools.partial(step, weights), np.swapaxes(x, 0, 1), first, lengths)
    np.testing.assert_allclose(got, np.swapaxes(expected, 0, 1), rtol=1e-11, atol=1e-12)
    for value, wanted in zip(tf.nest.flatten(got_state), tf.nest.flatten(last)):
        np.testing.assert_allclose(value, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=str)
@pytest.mark.parametrize("name", ["gru", "lstm_all"])
def test_dynamic_is_static_bit_for_bit(name, lengths):
    """Outputs and states; gradients are sums in another order."""
    make, _, _ = CELLS[name]
    x = tf.constant(data(np.float32))
    found = []
    for i, loop in enumerate([static, tf.nn.dynamic_rnn]):
        with tf.variable_scope("net", reuse=bool(i)):
            cell = make(name=None, reuse=bool(i))
            outputs, state = loop(cell, x, dtype=tf.float32, sequence_length=lengths)
        loss = tf.reduce_sum(tf.square(outputs)) + tf.add_n([tf.reduce_sum(s) for s in tf.nest.flatten(state)])
        found.append([outputs, state, tf.gradients(loss, [x, *tf.trainable_variables()])])
    (values, _) = run(found)
    for a, b in zip(*[tf.nest.flatten(v[:2]) for v in values]):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(*[v[2] for v in values]):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", CELLS)
def test_gradients_of_loops_are_numeric_ones(name):
    make, _, _ = CELLS[name]
    x = tf.constant(data()[:, :3])
    with scope(seed=5):
        outputs, state = tf.nn.dynamic_rnn(make(name=None), x, dtype=tf.float64, sequence_length=[1, 3, 2])
    y = tf.reduce_sum(outputs * outputs, 2) + tf.reduce_sum(tf.nest.flatten(state)[0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for source in [x, *tf.global_variables()]:
            tensor = source if isinstance(source, tf.Tensor) else source.value()
            shape, value = source.shape.as_list(), sess.run(source)
            error = tf.test.compute_gradient_error(tensor, shape, y, [BATCH, 3], x_init_value=value, delta=1e-5)
            assert error < 1e-7, source


def test_past_its_end_a_sequence_has_no_gradient():
    x = tf.constant(data())
    outputs, state = tf.nn.dynamic_rnn(rnn_cell.GRUCell(5), x, sequence_length=LENGTHS, dtype=tf.float64)
    (gradient,) = tf.gradients([outputs, state], x)
    value, _ = run(gradient)
    for row, length in zip(value, LENGTHS):
        assert (row[:length] != 0).all() and (row[length:] == 0).all()


def test_time_major_and_unknown_sizes():
    x = data(np.float32)
    fed = tf.placeholder(tf.float32, [None, None, DEPTH])
    cell = rnn_cell.BasicLSTMCell(5)
    outputs, state = tf.nn.dynamic_rnn(cell, fed, dtype=tf.float32, time_major=True, swap_memory=True)
    usual, usual_state = tf.nn.dynamic_rnn(cell, tf.transpose(fed, [1, 0, 2]), dtype=tf.float32, parallel_iterations=1)
    assert outputs.shape.as_list() == [None, None, 5]
    for part in (x, x[:, :1], x[:0]):
        (a, b), _ = run([[outputs, state], [usual, usual_state]], {fed: np.swapaxes(part, 0, 1)})
        np.testing.assert_array_equal(a[0], np.swapaxes(b[0], 0, 1))
        np.testing.assert_array_equal(a[1], b[1])
        assert a[0].shape == (part.shape[1], part.shape[0], 5)


def test_nested_inputs_and_states():
    class Sum(rnn_cell.RNNCell):
        """Keeps the sums of both inputs; outputs their product and the first."""

        state_size = (2, {"b": tf.TensorShape([3, 2])})
        output_size = (tf.TensorShape([3, 2]), 2)

        def call(self, inputs, state):
            new = (state[0] + inputs["x"], {"b": state[1]["b"] + inputs["y"]})
            return (new[1]["b"] * new[0][:, None, :], new[0]), new

    x, y = RANDOM.normal(size=(BATCH, TIME, 2)), RANDOM.normal(size=(BATCH, TIME, 3, 2))
    inputs = {"x": tf.constant(x), "y": tf.constant(y)}
    outputs, state = tf.nn.dynamic_rnn(Sum(), inputs, dtype=tf.float64, sequence_length=LENGTHS)
    (got, last), _ = run([outputs, state])
    inside = np.arange(TIME)[None, :] < np.array(LENGTHS)[:, None]
    sums = np.cumsum(x, 1), np.cumsum(y, 1)
    np.testing.assert_allclose(got[1], sums[0] * inside[:, :, None])
    np.testing.assert_allclose(got[0], sums[1] * sums[0][:, :, None, :] * inside[:, :, None, None])
    at_end = [np.stack([s[i, n - 1] for i, n in enumerate(LENGTHS)]) for s in sums]
    np.testing.assert_allclose(last[0], at_end[0])
    np.testing.assert_allclose(last[1]["b"], at_end[1])


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=str)
def test_bidirectional(lengths):
    x = data()
    cells = [rnn_cell.GRUCell(5), rnn_cell.BasicRNNCell(2)]
    with scope():
        outputs, states = tf.nn.bidirectional_dynamic_rnn(
            *cells, tf.constant(x), dtype=tf.float64, sequence_length=lengths
        )
    names = [v.op.name for v in tf.global_variables()]
    assert (
        names[0] == "bidirectional_rnn/fw/gru_cell/gates/kernel"
        and names[-1] == "bidirectional_rnn/bw/basic_rnn_cell/bias"
    )
    with tf.variable_scope("", reuse=True):
        again = [type(c)(c.output_size, reuse=True) for c in cells]
        listed, *listed_states = tf.nn.static_bidirectional_rnn(
            *again, tf.unstack(tf.constant(x), axis=1), dtype=tf.float64, sequence_length=lengths
        )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        (forward, backward), states, listed, listed_states = sess.run([outputs, states, listed, listed_states])
        weights = [weights_of_scope(sess, f"bidirectional_rnn/{d}/") for d in ("fw/gru_cell", "bw/basic_rnn_cell")]
    ends = lengths or [TIME] * BATCH
    flipped = np.stack([np.concatenate([row[:n][::-1], row[n:]]) for row, n in zip(x, ends)])
    for inputs, step, w, got, state, units in (
        (x, reference.gru, weights[0], forward, states[0], 5),
        (flipped, reference.basic_rnn, weights[1], backward, states[1], 2),
    ):
        step = functools.partial(step, w)
        expected, last = reference.unrolled(step, np.swapaxes(inputs, 0, 1), np.zeros((BATCH, units)), lengths)
        expected = np.swapaxes(expected, 0, 1)
        if inputs is flipped:
            expected = np.stack([np.concatenate([row[:n][::-1], row[n:]]) for row, n in zip(expected, ends)])
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(state, last, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(np.stack(listed, 1), np.concatenate([forward, backward], 2))
    for a, b in zip(listed_states, states):
        np.testing.assert_array_equal(a, b)


def weights_of_scope(session, prefix):
    return {
        v.op.name[len(prefix) :].lstrip("/"): session.run(v)
        for v in tf.global_variables()
        if v.op.name.startswith(prefix)
    }


class TestRaw:
    def test_equals_dynamic(self):
        x = tf.constant(data(np.float32))
        lengths = tf.constant(LENGTHS)
        array = tf.TensorArray(tf.float32, size=TIME).unstack(tf.transpose(x, [1, 0, 2]))
        cell = rnn_cell.BasicLSTMCell(5)

        def loop_fn(time, output, state, loop_state):
            finished = time >= lengths
            following = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([BATCH, DEPTH]), lambda: array.read(time))
            return finished, following, cell.zero_state(BATCH, tf.float32) if output is None else state, output, None

        emitted, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
        assert loop_state is None
        outputs = tf.transpose(emitted.stack(), [1, 0, 2])
        with tf.variable_scope("", reuse=True):
            expected, last = tf.nn.dynamic_rnn(
                rnn_cell.BasicLSTMCell(5, reuse=True), x, dtype=tf.float32, sequence_length=lengths
            )
        found = [[y, s, tf.gradients(tf.reduce_sum(y * y) + s.c[0, 0], tf.trainable_variables())]
                 for y, s in ((outputs, state), (expected, last))]  # fmt: skip
        (a, b), _ = run(found)
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])
        for p, q in zip(a[2], b[2]):
            np.testing.assert_allclose(p, q, rtol=1e-5, atol=1e-6)

    def test_own_outputs_and_loop_state(self):
        cell = rnn_cell.BasicRNNCell(2)

        def loop_fn(time, output, state, loop_state):
            if output is None:
                emit = {"n": tf.zeros([], tf.int32), "h": tf.zeros([2])}
                return tf.fill([3], False), tf.ones([3, 1]), cell.zero_state(3, tf.float32), emit, tf.constant(10)
            emit = {"n": tf.fill([3], time), "h": output}
            return time >= [1, 2, 4], tf.ones([3, 1]), state, emit, loop_state + time

        emitted, _, loop_state = tf.nn.raw_rnn(cell, loop_fn)
        (counts, total), _ = run([emitted["n"].stack(), loop_state])
        np.testing.assert_array_equal(counts, [[1, 1, 1], [0, 2, 2], [0, 0, 3], [0, 0, 4]])
        assert total == 10 + 1 + 2 + 3 + 4

    def test_loop_fn_must_be_a_function(self):
        with pytest.raises(TypeError, match="Argument `loop_fn` must be a callable. Received: 3."):
            tf.nn.raw_rnn(rnn_cell.GRUCell(2), 3)


def test_state_saving():
    class Saver:
        def __init__(self):
            self.variable = tf.get_variable("saved", [BATCH, 2], initializer=tf.zeros_initializer(), trainable=False)

        def state(self, name):
            assert name == "s"
            return self.variable.value()

        def save_state(self, name, value):
            return tf.assign(self.variable, value)

    cell, x = rnn_cell.GRUCell(2), tf.constant(data(np.float32))
    saver = Saver()
    outputs, state = tf.nn.static_state_saving_rnn(cell, tf.unstack(x[:, :3], axis=1), saver, "s")
    with tf.variable_scope("", reuse=True):
        twice = tf.concat([x[:, :3]] * 2, 1)
        expected, _ = static(rnn_cell.GRUCell(2, reuse=True), twice, dtype=tf.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(state)
        np.testing.assert_array_equal(sess.run(outputs[-1]), sess.run(expected)[:, -1])


@pytest.mark.parametrize("loop", [static, tf.nn.dynamic_rnn], ids=["static", "dynamic"])
def test_wrapped_cells(loop):
    cells = [
        rnn_cell.DropoutWrapper(rnn_cell.GRUCell(DEPTH), output_keep_prob=1.0),
        rnn_cell.ResidualWrapper(rnn_cell.GRUCell(DEPTH)),
        rnn_cell.DeviceWrapper(rnn_cell.GRUCell(DEPTH), "/cpu:0"),
    ]
    x = data()
    outputs, _ = loop(rnn_cell.MultiRNNCell(cells), tf.constant(x), dtype=tf.float64)
    names = [v.op.name for v in tf.global_variables() if "gates/kernel" in v.op.name]
    assert names == [f"rnn/multi_rnn_cell/cell_{i}/gru_cell/gates/kernel" for i in range(3)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run(outputs)
        for i in range(3):
            w = weights_of_scope(sess, f"rnn/multi_rnn_cell/cell_{i}/gru_cell")
            step = functools.partial(reference.gru, w)
            y, _ = reference.unrolled(step, np.swapaxes(x, 0, 1), np.zeros((BATCH, DEPTH)))
            y = np.swapaxes(y, 0, 1)
            x = x + y if i == 1 else y
    np.testing.assert_allclose(got, x, rtol=1e-11, atol=1e-12)


class TestDropout:
    def masks(self, wrapper, loop=tf.nn.dynamic_rnn):
        """Where outputs [2, 50, 100] are zero, in two runs."""
        outputs, _ = loop(wrapper, tf.ones([2, 50, 100]), dtype=tf.float32)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(outputs), sess.run(outputs)

    class Copy(rnn_cell.RNNCell):
        state_size = output_size = 100

        def call(self, inputs, state):
            return inputs, inputs

    def test_each_step_has_its_own_mask(self):
        first, second = self.masks(rnn_cell.DropoutWrapper(self.Copy(), output_keep_prob=0.5))
        assert set(np.unique(first)) == {0.0, 2.0} and 0.45 < (first == 0).mean() < 0.55
        assert (first != second).any() and (first[:, 0] != first[:, 1]).any()

    def test_variational_mask_is_that_of_all_steps(self):
        wrapper = rnn_cell.DropoutWrapper(
            self.Copy(),
            input_keep_prob=0.5,
            variational_recurrent=True,
            input_size=tf.TensorShape([100]),
            dtype=tf.float32,
        )
        first, second = self.masks(wrapper)
        assert set(np.unique(first)) == {0.0, 2.0} and (first != second).any()
        assert (first == first[:1, :1]).all()

    def test_seeds(self):
        values = []
        # Iterations that run at once draw their numbers in any order.
        loop = functools.partial(tf.nn.dynamic_rnn, parallel_iterations=1)
        for _ in range(2):
            with tf.Graph().as_default():
                values.append(self.masks(rnn_cell.DropoutWrapper(self.Copy(), input_keep_prob=0.5, seed=3), loop)[0])
        np.testing.assert_array_equal(*values)

    def test_states_but_not_memories(self):
        cell = rnn_cell.DropoutWrapper(rnn_cell.BasicLSTMCell(50), state_keep_prob=0.5)
        plain = rnn_cell.BasicLSTMCell(50, reuse=True)
        x, state = tf.ones([1, 3]), cell.zero_state(1, tf.float32)
        _, dropped = cell(x, state)
        with tf.variable_scope("", reuse=True):
            _, whole = plain(x, state)
        (a, b), _ = run([dropped, whole])
        np.testing.assert_array_equal(a.c, b.c)
        kept = a.h != 0
        assert 0 < kept.sum() < 50
        np.testing.assert_allclose(a.h[kept], 2 * b.h[kept], rtol=1e-6)

    @pytest.mark.parametrize(
        "kwargs, error, text",
        [
            ({"input_keep_prob": 2.0}, ValueError, "Parameter input_keep_prob must be between 0 and 1: 2"),
            ({"output_keep_prob": -1.0}, ValueError, "Parameter output_keep_prob must be between 0 and 1: -1"),
            ({"variational_recurrent": True}, ValueError, "When variational_recurrent=True, dtype must be provided"),
            ({"variational_recurrent": True, "dtype": tf.float32, "input_keep_prob": 0.5}, ValueError,
             "input_size must be provided"),
            ({"dropout_state_filter_visitor": 3}, TypeError, "dropout_state_filter_visitor must be callable"),
        ],
    )  # fmt: skip
    def test_errors(self, kwargs, error, text):
        with pytest.raises(error, match=text):
            rnn_cell.DropoutWrapper(rnn_cell.GRUCell(2), **kwargs)


def gru():
    return rnn_cell.GRUCell(2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: tf.nn.dynamic_rnn(3, tf.zeros([1, 2, 3])), TypeError, "The argument 'cell' .3. is not an RNNCell"),
        (lambda: tf.nn.dynamic_rnn(gru(), tf.zeros([1, 2, 3])), ValueError,
         "If no initial_state is provided, argument `dtype` must be specified"),
        (lambda: tf.nn.dynamic_rnn(gru(), tf.zeros([5]), dtype=tf.float32), ValueError,
         r"Input tensor should have rank >= 2. Received input=.* of rank 1"),
        (lambda: tf.nn.dynamic_rnn(gru(), tf.placeholder(tf.float32, [1, 2, None]), dtype=tf.float32), ValueError,
         r"Input size \(depth of inputs\) must be accessible via shape inference, but saw value None"),
        (lambda: tf.nn.dynamic_rnn(gru(), (tf.zeros([1, 2, 3]), tf.zeros([1, 4, 3])), dtype=tf.float32), ValueError,
         "Time steps is not the same for all the elements in the input in a batch. Received time steps=4"),
        (lambda: tf.nn.dynamic_rnn(gru(), (tf.zeros([1, 2, 3]), tf.zeros([4, 2, 3])), dtype=tf.float32), ValueError,
         "Batch_size is not the same for all the elements in the input. Received batch size=4"),
        (lambda: tf.nn.dynamic_rnn(gru(), tf.zeros([1, 2, 3]), sequence_length=[[1]], dtype=tf.float32), ValueError,
         "Argument sequence_length must be a vector of length batch_size."),
        (lambda: tf.nn.dynamic_rnn(gru(), tf.zeros([1, 2, 3]), initial_state=tf.zeros([1, 5])), ValueError,
         "must be equal"),
        (lambda: tf.nn.dynamic_rnn(rnn_cell.BasicLSTMCell(2), tf.zeros([1, 2, 3]),
         initial_state=(tf.zeros([1, 2]), tf.zeros([1, 2], tf.float64))), ValueError,
         "tensors of different inferred dtypes"),
        (lambda: tf.nn.bidirectional_dynamic_rnn(gru(), 3, tf.zeros([1, 2, 3])), TypeError,
         "The argument 'cell_bw' .3. is not an RNNCell"),
        (lambda: tf.nn.static_rnn(gru(), tf.zeros([1, 2]), dtype=tf.float32), TypeError,
         "Argument `inputs` must be a sequence. Received: "),
        (lambda: tf.nn.static_rnn(gru(), [], dtype=tf.float32), ValueError, "Argument `inputs` must not be empty."),
        (lambda: tf.nn.static_rnn(gru(), [tf.zeros([1, 2])]), ValueError,
         "If no initial_state is provided, argument `dtype` must be specified"),
        (lambda: tf.nn.static_rnn(gru(), [tf.placeholder(tf.float32, [1, None])], dtype=tf.float32), ValueError,
         r"Input size \(dimension 0 of input .*\) must be accessible via shape inference, but saw value None."),
        (lambda: tf.nn.static_rnn(gru(), [tf.zeros([1, 2]), tf.zeros([3, 2])], dtype=tf.float32), ValueError,
         "Dimensions 1 and 3 are not compatible"),
        (lambda: tf.nn.static_rnn(gru(), [tf.zeros([1, 2])], sequence_length=3, dtype=tf.float32), ValueError,
         "Argument `sequence_length` must be a vector of length 1."),
        (lambda: tf.nn.static_state_saving_rnn(gru(), [tf.zeros([1, 2])], None, ("a",)), ValueError,
         "Argument `state_name` should be the same type as `cell.state_size`"),
        (lambda: tf.nn.static_state_saving_rnn(rnn_cell.BasicLSTMCell(2), [tf.zeros([1, 2])], None, ("a",)),
         ValueError, "Number of elements in argument `state_name` and `cell.state_size` are mismatched"),
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_lengths_of_another_batch_fail_when_they_come():
    lengths = tf.placeholder(tf.int32, [None])
    outputs, _ = tf.nn.dynamic_rnn(gru(), tf.zeros([2, 3, 4]), sequence_length=lengths, dtype=tf.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape for Tensor rnn/sequence_length:0 is "):
            sess.run(outputs, {lengths: [1, 2, 3]})
