"""tf.contrib.cudnn_rnn against NumPy: layers, directions, lengths, gradients; cells with the same arithmetic."""

import numpy as np
import pytest

import tfcore as tf

cudnn = tf.contrib.cudnn_rnn
TIME, BATCH, DEPTH, UNITS = 5, 3, 4, 6
CLASSES = {"lstm": "CudnnLSTM", "gru": "CudnnGRU", "rnn_tanh": "CudnnRNNTanh", "rnn_relu": "CudnnRNNRelu"}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, x, h, c, w, r, bw, br):
    """The new h and c; w, r, bw and br have one entry for each gate."""
    gates = [x @ a.T + b for a, b in zip(w, bw)], [h @ a.T + b for a, b in zip(r, br)]
    if mode == "gru":
        (r_x, u_x, n_x), (r_h, u_h, n_h) = gates
        u = sigmoid(u_x + u_h)
        return (1 - u) * np.tanh(n_x + sigmoid(r_x + r_h) * n_h) + u * h, c
    total = [a + b for a, b in zip(*gates)]
    if mode == "lstm":
        i, f, new, o = total
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        return sigmoid(o) * np.tanh(c), c
    return (np.tanh(total[0]) if mode == "rnn_tanh" else np.maximum(total[0], 0)), c


def reference(layer, kernel, x, h, c, lengths):
    shapes, gates = layer.canonical_weight_shapes, layer._gates
    sizes = [int(np.prod(s)) for s in shapes + layer.canonical_bias_shapes]
    parts = np.split(kernel, np.cumsum(sizes)[:-1])
    assert sum(sizes) == len(kernel)
    weights, biases = [p.reshape(s) for p, s in zip(parts, shapes)], parts[len(shapes) :]
    h, c = h.copy(), c.copy()
    for i in range(layer.num_layers):
        outputs = []
        for direction in range(layer.num_dirs):
            k = i * layer.num_dirs + direction
            w, b = (p[2 * gates * k : 2 * gates * (k + 1)] for p in (weights, biases))
            out = np.zeros((TIME, BATCH, UNITS))
            for n in range(BATCH):
                times = range(lengths[n])
                for t in reversed(times) if direction else times:
                    h[k, n], c[k, n] = step(
                        layer.rnn_mode, x[t, n], h[k, n], c[k, n], w[:gates], w[gates:], b[:gates], b[gates:]
                    )
                    out[t, n] = h[k, n]
            outputs.append(out)
        x = np.concatenate(outputs, 2)
    return x, h, c


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("mode", CLASSES)
def test_values(mode, direction):
    rng = np.random.default_rng(0)
    layer = getattr(cudnn, CLASSES[mode])(2, UNITS, direction=direction, dtype=tf.float64, seed=1)
    x = rng.standard_normal((TIME, BATCH, DEPTH))
    states = layer.state_shape(BATCH)
    h, c = rng.standard_normal((2, *states[0]))
    given = (h, c)[: len(states)]
    lengths = np.array([5, 2, 4])
    found = [
        layer(x, given),
        layer(x, given, sequence_lengths=lengths),
        layer(x.transpose(1, 0, 2), tuple(s.transpose(1, 0, 2) for s in given), lengths, time_major=False),
        layer(x),
    ]
    assert [v.op.name for v in layer.trainable_variables] == [f"cudnn_{mode}/opaque_kernel"]
    assert layer.input_size == DEPTH and layer.rnn_mode == mode and len(found[0][1]) == len(states)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        kernel = rng.standard_normal(layer.kernel.shape.as_list()) / 2
        layer.kernel.load(kernel, session)
        values = session.run(found)
    all_times = [TIME] * BATCH
    expected = [
        reference(layer, kernel, x, h, c, all_times),
        reference(layer, kernel, x, h, c, lengths),
        [v.transpose(1, 0, 2) for v in reference(layer, kernel, x, h, c, lengths)],
        reference(layer, kernel, x, 0 * h, 0 * c, all_times),
    ]
    for (outputs, state), (wanted, *wanted_state) in zip(values, expected):
        np.testing.assert_allclose(outputs, wanted, rtol=1e-9, atol=1e-12)
        for part, wanted_part in zip(state, wanted_state):
            np.testing.assert_allclose(part, wanted_part, rtol=1e-9, atol=1e-12)


def test_gradients():
    rng = np.random.default_rng(1)
    layer = cudnn.CudnnGRU(2, UNITS, direction="bidirectional", dtype=tf.float64)
    x = rng.standard_normal((TIME, BATCH, DEPTH))
    outputs, _ = layer(x)
    weights = rng.standard_normal((TIME, BATCH, 2 * UNITS))
    (slope,) = tf.gradients(outputs, layer.kernel, weights)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        kernel = rng.standard_normal(layer.kernel.shape.as_list()) / 2
        layer.kernel.load(kernel, session)
        found = session.run(slope)
    zero = np.zeros(layer.state_shape(BATCH)[0])
    for place in rng.choice(len(kernel), 12, replace=False):
        ends = []
        for move in (1e-6, -1e-6):
            moved = kernel.copy()
            moved[place] += move
            ends.append((weights * reference(layer, moved, x, zero, zero, [TIME] * BATCH)[0]).sum())
        np.testing.assert_allclose(found[place], (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_compatible_cells(mode):
    """A cell computes what a layer of the network does, with the weights in its own variables."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((TIME, BATCH, DEPTH)).astype(np.float32)
    layer = getattr(cudnn, CLASSES[mode])(1, UNITS)
    cell = (cudnn.CudnnCompatibleLSTMCell if mode == "lstm" else cudnn.CudnnCompatibleGRUCell)(UNITS)
    both = layer(x)[0], tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, time_major=True)[0]
    names = sorted(v.op.name for v in cell.trainable_variables)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        kernel = rng.standard_normal(layer.kernel.shape.as_list()) / 2
        layer.kernel.load(kernel, session)
        shapes = layer.canonical_weight_shapes + layer.canonical_bias_shapes
        parts = np.split(kernel, np.cumsum([int(np.prod(s)) for s in shapes])[:-1])
        parts = [p.reshape(s).T for p, s in zip(parts, shapes)]
        if mode == "lstm":  # the cell's gates are i, new, f, o
            order = [0, 2, 1, 3]
            w, r, bw, br = (parts[4 * k : 4 * k + 4] for k in range(4))
            values = [sum_of(bw, br, order), np.vstack([np.hstack([p[k] for k in order]) for p in (w, r)])]
            assert names == ["rnn/cudnn_compatible_lstm_cell/bias", "rnn/cudnn_compatible_lstm_cell/kernel"]
        else:
            w, r, bw, br = (parts[3 * k : 3 * k + 3] for k in range(4))
            kernel_of_gates = np.vstack([np.hstack(p[:2]) for p in (w, r)])
            values = [br[2], r[2], bw[2], w[2], sum_of(bw, br, [0, 1]), kernel_of_gates]
            scope = "rnn/cudnn_compatible_gru_cell/"
            assert names[0] == scope + "candidate/hidden_projection/bias" and names[-1] == scope + "gates/kernel"
        for variable in cell.trainable_variables:
            variable.load(values[names.index(variable.op.name)], session)
        np.testing.assert_allclose(*session.run(both), rtol=1e-5, atol=1e-6)


def sum_of(a, b, order):
    return np.concatenate([a[k] + b[k] for k in order])


def test_dropout_between_layers_while_training():
    layer = cudnn.CudnnRNNTanh(2, 50, dropout=0.5, seed=3)
    x = np.ones((2, 1, DEPTH), np.float32)
    trained, used = layer(x, training=True)[0], layer(x, training=False)[0]
    assert len([op for op in x_ops(trained) if op.type == "RandomUniform"]) == 1
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b = session.run([trained, used])
    assert np.abs(a - b).max() > 0.01


def x_ops(tensor):
    return tf.contrib.graph_editor.get_backward_walk_ops(tensor)[:-1]


def test_errors():
    with pytest.raises(ValueError, match="Invalid direction: both"):
        cudnn.CudnnLSTM(1, 2, direction="both")
    with pytest.raises(ValueError, match="Invalid input_mode: skip"):
        cudnn.CudnnLSTM(1, 2, input_mode="skip")
    with pytest.raises(NotImplementedError, match="skip_input"):
        cudnn.CudnnLSTM(1, 2, input_mode="skip_input")
    with pytest.raises(NotImplementedError, match="auto_select"):
        cudnn.CudnnLSTM(1, 2, input_mode="auto_select")(np.zeros((1, 1, 2), np.float32))
    with pytest.raises(ValueError, match="Only support float16"):
        cudnn.CudnnGRU(1, 2, dtype=tf.int32)
    layer = cudnn.CudnnLSTM(1, 2)
    with pytest.raises(ValueError, match="'input_size' is unknown"):
        layer.canonical_weight_shapes  # noqa: B018  a property
    with pytest.raises(ValueError, match="Found `None`"):
        layer(tf.placeholder(tf.float32, [1, 1, None]))
    with pytest.raises(ValueError, match="3 dims, got 2"):
        layer.build([1, 2])
    with pytest.raises(TypeError, match="Invalid initial_state type"):
        cudnn.CudnnGRU(1, 2)(np.zeros((1, 1, 2), np.float32), np.zeros((1, 1, 2), np.float32))
