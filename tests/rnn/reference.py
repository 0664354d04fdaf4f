"""The recurrent cells in float64 NumPy: each is a function of (weights by variable name, x, state), which gives
(output, new state)."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def basic_rnn(w, x, h):
    h = np.tanh(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"])
    return h, h


def gru(w, x, h):
    gates = sigmoid(np.concatenate([x, h], 1) @ w["gates/kernel"] + w["gates/bias"])
    r, u = np.split(gates, 2, 1)
    c = np.tanh(np.concatenate([x, r * h], 1) @ w["candidate/kernel"] + w["candidate/bias"])
    h = u * h + (1 - u) * c
    return h, h


def lstm(w, x, state, forget_bias=1.0, cell_clip=None, proj_clip=None, activation=np.tanh):
    """With peepholes and a projection where there are weights for them."""
    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"], 4, 1)
    f = f + forget_bias + w.get("w_f_diag", 0) * c
    i = i + w.get("w_i_diag", 0) * c
    c = sigmoid(f) * c + sigmoid(i) * activation(j)
    if cell_clip is not None:
        c = np.clip(c, -cell_clip, cell_clip)
    h = sigmoid(o + w.get("w_o_diag", 0) * c) * activation(c)
    if "projection/kernel" in w:
        h = h @ w["projection/kernel"]
        if proj_clip is not None:
            h = np.clip(h, -proj_clip, proj_clip)
    return h, (c, h)


def layer_norm(x, gamma, beta):
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-12) * gamma + beta


def rows_where(finished, old, new):
    """Rows of `old` where finished, else of `new`, through tuples."""
    if isinstance(new, tuple):
        return tuple(rows_where(finished, a, b) for a, b in zip(old, new))
    return np.where(finished[:, None], old, new)


def unrolled(step, xs, state, lengths=None):
    """Outputs [time, batch, size] and the final state of `step` over xs [time, batch, size]."""
    outputs = []
    for time, x in enumerate(xs):
        output, new_state = step(x, state)
        if lengths is not None:
            finished = time >= np.asarray(lengths)
            output = rows_where(finished, np.zeros_like(output), output)
            new_state = rows_where(finished, state, new_state)
        outputs.append(output)
        state = new_state
    return np.stack(outputs), state
