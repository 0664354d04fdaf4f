"""The other cells of tf.contrib.rnn beside NumPy, with the names and shapes of TensorFlow 1.15's variables."""

import numpy as np
import pytest

import tfcore as tf

rnn = tf.contrib.rnn


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(cell, inputs, state):
    """One step with random variables: (output, new state, {name: value}), in float64."""
    as_tensors = tf.contrib.framework.nest.map_structure(tf.constant, (inputs, state))
    output, new_state = cell(*as_tensors)
    random = np.random.default_rng(3)
    values = {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            value = 0.5 * random.standard_normal(v.shape.as_list())
            if v.op.name.split("/")[-1] in ("period", "phase", "ratio_on"):
                value = np.abs(value) + 0.2
            v.load(value, session)
            values[v.op.name.partition("/")[2]] = value
        output, new_state = session.run((output, new_state))
    return output, new_state, values


def draw(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape)


X, H, C = draw(2, 3), draw(2, 4), draw(2, 4, 1)[..., 0]
STATE = rnn.LSTMStateTuple(C, H)


def shapes(values):
    return {name: value.shape for name, value in values.items()}


def test_ugrnn():
    output, state, v = step(rnn.UGRNNCell(4), X, H)
    assert shapes(v) == {"kernel": (7, 8), "bias": (8,)}
    g, c = np.split(np.concatenate([X, H], 1) @ v["kernel"] + v["bias"], 2, axis=1)
    expected = sigmoid(g + 1) * H + (1 - sigmoid(g + 1)) * np.tanh(c)
    np.testing.assert_allclose(output, expected)
    np.testing.assert_allclose(state, expected)


def test_intersection():
    output, state, v = step(rnn.IntersectionRNNCell(4, num_in_proj=4), X, H)
    names = {"in_projection/kernel": (3, 4), "in_projection/bias": (4,), "kernel": (8, 16), "bias": (16,)}
    assert shapes(v) == names
    x = X @ v["in_projection/kernel"] + v["in_projection/bias"]
    gh, h, gy, y = np.split(np.concatenate([x, H], 1) @ v["kernel"] + v["bias"], 4, axis=1)
    np.testing.assert_allclose(state, sigmoid(gh + 1) * H + (1 - sigmoid(gh + 1)) * np.tanh(h))
    np.testing.assert_allclose(output, sigmoid(gy + 1) * x + (1 - sigmoid(gy + 1)) * np.maximum(y, 0))
    with pytest.raises(ValueError, match="num_in_proj should be set to num_units"):
        rnn.IntersectionRNNCell(4)(tf.constant(X), tf.constant(H))


@pytest.mark.parametrize("projected", [None, 4])
def test_nas(projected):
    cell = rnn.NASCell(4, num_proj=projected, use_bias=True)
    output, state, v = step(cell, X, STATE)
    names = {"kernel": (3, 32), "recurrent_kernel": (4, 32), "bias": (32,)}
    assert shapes(v) == names | ({"projection_weights": (4, 4)} if projected else {})
    a, b = np.split(X @ v["kernel"], 8, axis=1), np.split(H @ v["recurrent_kernel"] + v["bias"], 8, axis=1)
    s, t, r = sigmoid, np.tanh, lambda x: np.maximum(x, 0)
    leaves = [s, r, s, None, t, s, t, s]
    out = [f(p + q) if f else r(p * q) for f, p, q in zip(leaves, a, b, strict=True)]
    c = t(t(out[0] * out[1]) + C) * t(out[2] + out[3])
    m = t(c * t(t(out[4] * out[5]) + s(out[6] + out[7])))
    np.testing.assert_allclose(state.c, c)
    np.testing.assert_allclose(output, m @ v["projection_weights"] if projected else m)


@pytest.mark.parametrize("is_tuple", [True, False])
def test_coupled_gates(is_tuple):
    cell = rnn.CoupledInputForgetGateLSTMCell(
        4, use_peepholes=True, num_proj=4, proj_clip=0.5, num_unit_shards=2, state_is_tuple=is_tuple
    )
    output, state, v = step(cell, X, STATE if is_tuple else np.concatenate(STATE, 1))
    names = {"W_0": (4, 12), "W_1": (3, 12), "B": (12,), "W_F_diag": (4,), "W_O_diag": (4,), "W_P_0": (4, 4)}
    assert shapes(v) == names
    kernel = np.concatenate([v["W_0"], v["W_1"]])
    j, f, o = np.split(np.concatenate([X, H], 1) @ kernel + v["B"], 3, axis=1)
    kept = sigmoid(f + 1 + v["W_F_diag"] * C)
    c = kept * C + (1 - kept) * np.tanh(j)
    m = np.clip((sigmoid(o + v["W_O_diag"] * c) * np.tanh(c)) @ v["W_P_0"], -0.5, 0.5)
    np.testing.assert_allclose(output, m)
    np.testing.assert_allclose(np.concatenate(state, 1) if is_tuple else state, np.concatenate([c, m], 1))


def test_coupled_gates_with_layer_norm():
    _, _, v = step(rnn.CoupledInputForgetGateLSTMCell(4, layer_norm=True), X, STATE)
    norms = {
        f"{gate}/{name}": (4,) for gate in ("transform", "forget", "output", "state") for name in ("gamma", "beta")
    }
    assert shapes(v) == {"W_0": (7, 12), "B": (12,)} | norms


def test_phased():
    times = np.array([[3.0], [7.5]])
    x, h, c = (value.astype(np.float32) for value in (X, H, C))
    cell = rnn.PhasedLSTMCell(4, use_peepholes=True, leak=0.1)
    output, state, v = step(cell, (times, x), rnn.LSTMStateTuple(c, h))
    assert shapes(v) == {
        **{"mask_gates/kernel": (11, 8), "mask_gates/bias": (8,), "new_input/kernel": (7, 4), "new_input/bias": (4,)},
        **{"output_gate/kernel": (11, 4), "output_gate/bias": (4,), "period": (4,), "phase": (4,), "ratio_on": (4,)},
    }

    def linear(scope, *args):
        return np.concatenate(args, 1) @ v[scope + "/kernel"] + v[scope + "/bias"]

    i, f = np.split(sigmoid(linear("mask_gates", X, H, C)), 2, axis=1)
    new_c = C * f + i * np.tanh(linear("new_input", X, H))
    new_h = np.tanh(new_c) * sigmoid(linear("output_gate", X, H, new_c))
    cycle = np.mod(times - v["phase"], v["period"]) / v["period"]
    rising = 2 * cycle / v["ratio_on"]
    k = np.where(cycle < v["ratio_on"] / 2, rising, np.where(cycle < v["ratio_on"], 2 - rising, 0.1 * cycle))
    np.testing.assert_allclose(state.c, k * new_c + (1 - k) * C, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, k * new_h + (1 - k) * H, rtol=1e-4, atol=1e-5)


def test_independent_units():
    output, _, v = step(rnn.IndRNNCell(4), X, H)
    assert shapes(v) == {"kernel_w": (3, 4), "kernel_u": (4,), "bias": (4,)}
    np.testing.assert_allclose(output, np.tanh(X @ v["kernel_w"] + H * v["kernel_u"] + v["bias"]))


def test_independent_gru():
    output, _, v = step(rnn.IndyGRUCell(4), X, H)
    assert {name: n for name, (*_, n) in shapes(v).items()} == {
        f"{part}/{name}": n for part, n in (("gates", 8), ("candidate", 4)) for name in ("kernel_w", "kernel_u", "bias")
    }
    gates = X @ v["gates/kernel_w"] + np.tile(H, 2) * v["gates/kernel_u"] + v["gates/bias"]
    reset, update = np.split(sigmoid(gates), 2, axis=1)
    candidate = X @ v["candidate/kernel_w"] + reset * H * v["candidate/kernel_u"] + v["candidate/bias"]
    np.testing.assert_allclose(output, update * H + (1 - update) * np.tanh(candidate))


def test_independent_lstm():
    output, state, v = step(rnn.IndyLSTMCell(4), X, STATE)
    assert shapes(v) == {"kernel_w": (3, 16), "kernel_u": (16,), "bias": (16,)}
    i, j, f, o = np.split(X @ v["kernel_w"] + np.tile(H, 4) * v["kernel_u"] + v["bias"], 4, axis=1)
    c = C * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(state.c, c)
    np.testing.assert_allclose(output, np.tanh(c) * sigmoid(o))


def test_sru():
    output, state, v = step(rnn.SRUCell(4), X, H)
    assert shapes(v) == {"kernel": (3, 16), "bias": (8,)}
    x, f, r, passed = np.split(X @ v["kernel"], 4, axis=1)
    f, r = sigmoid(f + v["bias"][:4]), sigmoid(r + v["bias"][4:])
    np.testing.assert_allclose(state, f * H + (1 - f) * x)
    np.testing.assert_allclose(output, r * np.tanh(state) + (1 - r) * passed)


@pytest.mark.parametrize("coupled", [True, False])
def test_highway(coupled):
    x = tf.constant(draw(2, 4).astype(np.float32))
    wrapper = rnn.HighwayWrapper(rnn.UGRNNCell(4), couple_carry_transform_gates=coupled)
    output, state = wrapper(x, wrapper.zero_state(2, tf.float32))
    values = {v.op.name: v for v in tf.global_variables()}
    names = {"carry_w", "carry_b"} | (set() if coupled else {"transform_w", "transform_b"})
    assert set(values) == names | {"ugrnn_cell/kernel", "ugrnn_cell/bias"}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        output, inner, x, v = session.run((output, state, x, values))
    carry = sigmoid(x @ v["carry_w"] + 1)
    transform = 1 - carry if coupled else sigmoid(x @ v["transform_w"] - 1)
    np.testing.assert_allclose(output, x * carry + inner * transform, rtol=1e-5)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_convolutional(dimensions):
    """A kernel of size 1 makes each position an LSTM of its own."""
    space = [3, 2, 4][:dimensions]
    cell = getattr(rnn, f"Conv{dimensions}DLSTMCell")(
        input_shape=[*space, 3], output_channels=4, kernel_shape=[1] * dimensions, skip_connection=True
    )
    x, h, c = draw(2, *space, 3), draw(2, *space, 4), 2 * draw(2, *space, 4)
    output, state, v = step(cell, x, rnn.LSTMStateTuple(c, h))
    assert shapes(v) == {"kernel": (*[1] * dimensions, 7, 16), "biases": (16,)}
    assert cell.output_size.as_list() == [*space, 7] and cell.state_size.c.as_list() == [*space, 4]
    gates = np.concatenate([x, h], -1) @ v["kernel"].reshape(7, 16) + v["biases"]
    i, j, f, o = np.split(gates, 4, axis=-1)
    new_c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(state.c, new_c)
    np.testing.assert_allclose(state.h, np.tanh(new_c) * sigmoid(o))
    np.testing.assert_allclose(output, np.concatenate([state.h, x], -1))
    with pytest.raises(ValueError, match=r"Invalid input_shape \[5\] for conv_ndims=2"):
        rnn.ConvLSTMCell(2, [5], 1, [1, 1])


def test_a_convolutional_cell_runs_in_a_loop_and_trains():
    cell = rnn.Conv2DLSTMCell(input_shape=[5, 6, 2], output_channels=3, kernel_shape=[3, 3])
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(draw(2, 4, 5, 6, 2)), dtype=tf.float64)
    assert outputs.shape.as_list() == [2, 4, 5, 6, 3]
    loss = tf.reduce_mean(tf.square(outputs - 0.3))
    train = tf.train.AdamOptimizer(0.03).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(30):
            session.run(train)
        assert session.run(loss) < before / 2
