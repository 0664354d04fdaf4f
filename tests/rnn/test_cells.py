"""The cells of tf.nn.rnn_cell: values, names, states, errors."""

import copy
import functools

import numpy as np
import pytest

import tfcore as tf
from tests.rnn import reference

rnn_cell = tf.nn.rnn_cell
RANDOM = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def weights_of(session, prefix):
    """Values by the names of variables below `prefix`; parts of a variable are joined."""
    values = {}
    for v in tf.global_variables():
        assert v.name.startswith(prefix), v.name
        name = v.op.name[len(prefix) :]
        base, _, part = name.partition("/part_")
        value = session.run(v)
        values[base] = np.concatenate([values[base], value]) if part and base in values else value
    return values


def random_state(size, batch, dtype):
    if isinstance(size, tuple):
        return type(size)(*[random_state(s, batch, dtype) for s in size])
    return RANDOM.normal(size=(batch, size)).astype(dtype)


CELLS = {
    "basic_rnn": (lambda **k: rnn_cell.BasicRNNCell(5, **k), reference.basic_rnn, "basic_rnn_cell/"),
    "gru": (lambda **k: rnn_cell.GRUCell(5, **k), reference.gru, "gru_cell/"),
    "basic_lstm": (lambda **k: rnn_cell.BasicLSTMCell(5, **k), reference.lstm, "basic_lstm_cell/"),
    "basic_lstm_relu": (
        lambda **k: rnn_cell.BasicLSTMCell(5, forget_bias=0.5, activation="relu", **k),
        functools.partial(reference.lstm, forget_bias=0.5, activation=lambda x: np.maximum(x, 0)),
        "basic_lstm_cell/",
    ),
    "lstm": (lambda **k: rnn_cell.LSTMCell(5, **k), reference.lstm, "lstm_cell/"),
    "lstm_all": (
        lambda **k: rnn_cell.LSTMCell(
            5, use_peepholes=True, cell_clip=0.4, num_proj=3, proj_clip=0.2, num_unit_shards=2, num_proj_shards=2, **k
        ),
        functools.partial(reference.lstm, cell_clip=0.4, proj_clip=0.2),
        "lstm_cell/",
    ),
}


def run_step(make, reference_step, prefix, dtype):
    cell = make(name=None)
    x = RANDOM.normal(size=(3, 4)).astype(dtype)
    state = random_state(cell.state_size, 3, dtype)
    with tf.variable_scope("", initializer=tf.random_normal_initializer(seed=3, dtype=tf.as_dtype(dtype)), dtype=dtype):
        output, new_state = cell(tf.constant(x), tf.nest.map_structure(tf.constant, state))
    for tensor, size in zip(tf.nest.flatten(new_state), tf.nest.flatten(cell.state_size)):
        assert tensor.shape.as_list() == [3, size]
    assert output.shape.as_list() == [3, cell.output_size]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run([output, new_state])
        weights = weights_of(sess, prefix)
    wide = {name: value.astype(np.float64) for name, value in weights.items()}
    as64 = functools.partial(np.asarray, dtype=np.float64)
    expected = reference_step(wide, as64(x), tuple(map(as64, state)) if isinstance(state, tuple) else as64(state))
    return got, expected


@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-13), (np.float32, 2e-5), (np.float16, 2e-2)])
@pytest.mark.parametrize("name", CELLS)
def test_one_step_equals_numpy(name, dtype, tolerance):
    make, step, prefix = CELLS[name]
    (output, state), (expected, expected_state) = run_step(make, step, prefix, dtype)
    assert output.dtype == dtype
    np.testing.assert_allclose(output, expected, rtol=tolerance, atol=tolerance)
    for value, wanted in zip(tf.nest.flatten(state), tf.nest.flatten(expected_state)):
        np.testing.assert_allclose(value, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("make", [rnn_cell.BasicLSTMCell, rnn_cell.LSTMCell], ids=lambda c: c.__name__)
def test_joined_state_is_the_tuple_side_by_side(make):
    x, state = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(2, 8))
    kwargs = {"forget_bias": 0.3, "dtype": tf.float64}
    with tf.variable_scope("net"):
        whole, pair = make(4, state_is_tuple=False, **kwargs), make(4, reuse=True, **kwargs)
        assert whole.state_size == 8
        output, joined = whole(tf.constant(x), tf.constant(state))
        output2, (c, h) = pair(
            tf.constant(x), rnn_cell.LSTMStateTuple(tf.constant(state[:, :4]), tf.constant(state[:, 4:]))
        )
    assert len(tf.global_variables()) == 2
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        a, b = sess.run([[output, joined], [output2, tf.concat([c, h], 1)]])
    np.testing.assert_array_equal(a[0], b[0])
    np.testing.assert_array_equal(a[1], b[1])


def test_initial_biases():
    rnn_cell.GRUCell(2)(tf.zeros([1, 3]), tf.zeros([1, 2]))
    rnn_cell.GRUCell(2, bias_initializer=tf.constant_initializer(7.0), name="own")(tf.zeros([1, 3]), tf.zeros([1, 2]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        biases = {v.op.name: sess.run(v).tolist() for v in tf.global_variables() if "bias" in v.name}
    assert biases == {
        "gru_cell/gates/bias": [1.0] * 4,
        "gru_cell/candidate/bias": [0.0] * 2,
        "own/gates/bias": [7.0] * 4,
        "own/candidate/bias": [7.0] * 2,
    }


class TestNames:
    def test_stacked(self):
        cell = rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(2), rnn_cell.GRUCell(3)])
        tf.nn.static_rnn(cell, [tf.zeros([1, 4])] * 2, dtype=tf.float32)
        assert [v.op.name for v in tf.global_variables()] == [
            "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel",
            "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias",
            "rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel",
            "rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias",
            "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel",
            "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias",
        ]
        assert cell.variables == tf.global_variables() == cell.weights

    def test_later_calls_share_variables_and_name_scope(self):
        cell = rnn_cell.BasicRNNCell(2)
        first, _ = cell(tf.zeros([1, 3]), tf.zeros([1, 2]))
        second, _ = cell(tf.zeros([1, 3]), tf.zeros([1, 2]))
        assert (first.op.name, second.op.name) == ("basic_rnn_cell/Tanh", "basic_rnn_cell/Tanh_1")
        assert [v.op.name for v in cell.variables] == ["basic_rnn_cell/kernel", "basic_rnn_cell/bias"]

    def test_two_cells_of_a_kind(self):
        for _ in range(2):
            rnn_cell.BasicRNNCell(2)(tf.zeros([1, 3]), tf.zeros([1, 2]))
        names = [v.op.name for v in tf.global_variables()]
        assert names == [f"basic_rnn_cell{n}/{v}" for n in ("", "_1") for v in ("kernel", "bias")]

    def test_scope_argument(self):
        rnn_cell.BasicRNNCell(2)(tf.zeros([1, 3]), tf.zeros([1, 2]), scope="mine")
        assert [v.op.name for v in tf.global_variables()] == ["mine/kernel", "mine/bias"]

    def test_own_cell_makes_variables_in_call(self):
        class Adder(rnn_cell.RNNCell):
            state_size = output_size = 2

            def call(self, inputs, state):
                w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
                return inputs + w, state + inputs

        cell = Adder()
        outputs, state = tf.nn.static_rnn(cell, [tf.constant([[1.0, 2.0]])] * 3, dtype=tf.float32)
        (w,) = cell.trainable_variables
        assert w.op.name == "rnn/adder/w"
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = sess.run([outputs[2], state])
        np.testing.assert_array_equal(np.concatenate(values), [[2.0, 3.0], [3.0, 6.0]])


class TestStates:
    def test_zero_state(self):
        cell = rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(2), rnn_cell.GRUCell(3)])
        state = cell.zero_state(tf.placeholder_with_default(4, []), tf.float64)
        assert isinstance(state, tuple) and isinstance(state[0], rnn_cell.LSTMStateTuple)
        assert state[0].c.shape.as_list() == [None, 2] and state[0].dtype == tf.float64
        with tf.Session() as sess:
            values = sess.run(state)
        assert [v.shape for v in tf.nest.flatten(values)] == [(4, 2), (4, 2), (4, 3)]
        assert not any(v.any() for v in tf.nest.flatten(values))

    def test_initial_state_from_inputs(self):
        state = rnn_cell.GRUCell(3).get_initial_state(inputs=tf.zeros([5, 2], tf.float64))
        assert (state.shape.as_list(), state.dtype) == ([5, 3], tf.float64)

    def test_joined_states_of_a_stack(self):
        cells = [rnn_cell.GRUCell(2), rnn_cell.BasicRNNCell(3)]
        cell = rnn_cell.MultiRNNCell(cells, state_is_tuple=False)
        output, state = cell(tf.zeros([1, 4]), cell.zero_state(1, tf.float32))
        assert (cell.state_size, output.shape.as_list(), state.shape.as_list()) == (5, [1, 3], [1, 5])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: rnn_cell.GRUCell(3).get_initial_state(), ValueError,
         "batch_size and dtype cannot be None while constructing initial state: batch_size=None, dtype=None"),
        (lambda: rnn_cell.GRUCell(3).get_initial_state(tf.zeros([2, 1]), 3), ValueError,
         "batch size from input tensor is different from the input param. Input tensor batch: 2, batch_size: 3"),
        (lambda: rnn_cell.GRUCell(3).get_initial_state(tf.zeros([2, 1]), dtype=tf.float64), ValueError,
         "dtype from input tensor is different from the input param."),
        (lambda: rnn_cell.GRUCell(3)(tf.zeros([2, 3, 4]), tf.zeros([2, 3])), ValueError,
         "is incompatible with the layer: expected ndim=2, found ndim=3"),
        (lambda: rnn_cell.GRUCell(3)(tf.placeholder(tf.float32, [2, None]), tf.zeros([2, 3])), ValueError,
         r"Expected inputs.shape\[-1\] to be known, saw shape: \(2, \?\)"),
        (lambda: rnn_cell.BasicLSTMCell(3)(tf.zeros([2, 3], tf.int32), [tf.zeros([2, 3])] * 2), ValueError,
         "RNN cell only supports floating point inputs, but saw dtype"),
        (lambda: rnn_cell.LSTMCell(3, dtype=tf.int64), ValueError, "RNN cell only supports floating point inputs"),
        (lambda: rnn_cell.BasicRNNCell(3, activation="nothing"), ValueError, "Unknown activation function:nothing"),
        (lambda: rnn_cell.MultiRNNCell([]), ValueError, "Must specify at least one cell for MultiRNNCell."),
        (lambda: rnn_cell.MultiRNNCell(rnn_cell.GRUCell(3)), TypeError, "cells must be a list or tuple, but saw: "),
        (lambda: rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(3)], state_is_tuple=False), ValueError,
         "Some cells return tuples of states, but the flag state_is_tuple is not set."),
        (lambda: rnn_cell.MultiRNNCell([rnn_cell.GRUCell(3)])(tf.zeros([1, 2]), tf.zeros([1, 3])), ValueError,
         "Expected state to be a tuple of length 1, but received: "),
        (lambda: rnn_cell.RNNCell().state_size, NotImplementedError, "Abstract method"),
        (lambda: rnn_cell.ResidualWrapper(3), TypeError,
         "The argument 'cell' .3. is not an RNNCell: 'output_size' property is missing"),
        (lambda: rnn_cell.LSTMStateTuple(tf.zeros([1]), tf.zeros([1], tf.float64)).dtype, TypeError,
         "Inconsistent internal state: "),
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_sharing_a_name_needs_reuse():
    rnn_cell.BasicRNNCell(2)(tf.zeros([1, 3]), tf.zeros([1, 2]), scope="mine")
    with pytest.raises(ValueError, match="Variable mine/kernel already exists, disallowed"):
        rnn_cell.BasicRNNCell(2)(tf.zeros([1, 3]), tf.zeros([1, 2]), scope="mine")
    rnn_cell.BasicRNNCell(2, reuse=True)(tf.zeros([1, 3]), tf.zeros([1, 2]), scope="mine")
    assert len(tf.global_variables()) == 2


@pytest.mark.parametrize("name", CELLS)
def test_gradients_are_numeric_ones(name):
    make, _, _ = CELLS[name]
    cell = make(name=None)
    x = tf.constant(RANDOM.normal(size=(2, 3)))
    state = tf.nest.map_structure(tf.constant, random_state(cell.state_size, 2, np.float64))
    with tf.variable_scope("", initializer=tf.random_normal_initializer(seed=5, dtype=tf.float64)):
        output, new_state = cell(x, state)
        output, new_state = cell(output[:, :3], new_state)
    y = output + tf.reduce_sum(tf.nest.flatten(new_state)[0])
    sources = [x, *tf.nest.flatten(state)] + [v for v in tf.global_variables()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for source in sources:
            shape = source.shape.as_list()
            value = sess.run(source)
            tensor = source if isinstance(source, tf.Tensor) else source.value()
            error = tf.test.compute_gradient_error(tensor, shape, y, y.shape.as_list(), x_init_value=value, delta=1e-5)
            assert error < 1e-7, source


def test_a_copy_of_a_cell_has_the_settings_and_no_variables_of_its_own():
    keep = tf.placeholder_with_default(1.0, [])
    cell = rnn_cell.MultiRNNCell([rnn_cell.DropoutWrapper(rnn_cell.GRUCell(3), keep), rnn_cell.BasicLSTMCell(2)])
    made = copy.deepcopy(cell)
    assert made is not cell and made.state_size == cell.state_size
    x = tf.ones([2, 3])
    with tf.variable_scope("first"):
        output, _ = cell(x, cell.zero_state(2, tf.float32))
    variables = tf.global_variables()
    with tf.variable_scope("second"):
        made(x, made.zero_state(2, tf.float32))
    names = [v.name for v in tf.global_variables()[len(variables) :]]
    assert names == [v.name.replace("first/", "second/") for v in variables]
    again = copy.deepcopy(cell)  # of a cell with variables: it shares them
    with tf.variable_scope("first", reuse=True):
        same, _ = again(x, again.zero_state(2, tf.float32))
    assert len(tf.global_variables()) == 2 * len(variables)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        same, output = sess.run([same, output])
    np.testing.assert_array_equal(same, output)
