"""Records of the CTC loss: sums over all states, in float64."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _labels(draw, steps, classes):
    """The indices and values of labels, at most as many as a sequence has steps; blanks only at the ends."""
    indices, values = [], []
    for b, most in enumerate(steps):
        count = draw(st.integers(1, most))
        # TensorFlow writes outside of its memory for rows of blanks only: test_ctc.py has those.
        blanks = draw(st.integers(0, min(1, count - 1)))
        for i in range(count):
            indices.append((b, 2 * i))  # numbers may be left out
            values.append(classes - 1 if i >= count - blanks else draw(st.integers(0, classes - 2)))
    return np.array(indices, np.int64), np.array(values, np.int32)


def _inputs(draw, case):
    time, batch = draw(st.integers(1, 4 if case.smooth else 12)), draw(st.integers(1, 2 if case.smooth else 5))
    classes = draw(st.sampled_from([2, 3] if case.smooth else [2, 3, 5, 16, 19, 40]))
    x = draw(case.array((time, batch, classes), domain=(-4, 4)))
    steps = [draw(st.integers(1, time)) for _ in range(batch)]
    attrs = {name: draw(st.booleans()) for name in ("preprocess_collapse_repeated", "ctc_merge_repeated")}
    attrs["ignore_longer_outputs_than_inputs"] = draw(st.booleans())
    indices, values = _labels(draw, steps, classes)
    if attrs["ignore_longer_outputs_than_inputs"] and draw(st.booleans()):
        steps[0] = 0
    return [x, indices, values, np.array(steps, np.int32)], attrs


def path_sums(log_probabilities, labels, merge):
    """alpha, beta [time, states] and which class each state has, by plain loops over states."""
    time, classes = log_probabilities.shape
    states = [classes - 1]
    for label in labels:
        states += [label, classes - 1]

    def comes_before(s):
        """The states of the step before, from which a path can go to state s."""
        label = s % 2 == 1
        found = [] if label and not merge else [s]
        found += [s - 1] if s else []
        if label and s > 1 and not (merge and states[s] == states[s - 2]):
            found.append(s - 2)
        return found

    alpha, beta = np.full((2, time, len(states)), -np.inf)
    alpha[0, :2] = log_probabilities[0, states[:2]]
    beta[-1, -2:] = 0
    for t in range(1, time):
        for s, k in enumerate(states):
            alpha[t, s] = np.logaddexp.reduce(alpha[t - 1, comes_before(s)]) + log_probabilities[t, k]
    for t in range(time - 2, -1, -1):
        for s, k in enumerate(states):
            for before in comes_before(s):
                beta[t, before] = np.logaddexp(beta[t, before], beta[t + 1, s] + log_probabilities[t + 1, k])
    return alpha, beta, states


def _row(x, labels, merge):
    shifted = x - x.max(axis=-1, keepdims=True)
    log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    alpha, beta, states = path_sums(log_probabilities, labels, merge)
    total = np.logaddexp.reduce(alpha[-1, -2:])
    gradient = np.exp(log_probabilities)
    if np.isfinite(total):
        for s, k in enumerate(states):
            gradient[:, k] -= np.exp(alpha[:, s] + beta[:, s] - total)
    return -total, gradient


def ctc(x, indices, values, steps, preprocess_collapse_repeated, ctc_merge_repeated, ignore_longer_outputs_than_inputs):
    loss, gradient = np.zeros(x.shape[1]), np.zeros(x.shape)
    for b, n in enumerate(steps):
        given = values[indices[:, 0] == b].tolist()
        if len(given) > n:
            assert ignore_longer_outputs_than_inputs
            continue
        labels = [v for i, v in enumerate(given) if not (preprocess_collapse_repeated and i and v == given[i - 1])]
        labels = [v for v in labels if v < x.shape[2] - 1]
        loss[b], gradient[:n, b] = _row(x[:n, b], labels, ctc_merge_repeated)
    return [loss, gradient]


def _scale(x, indices, values, steps, **attrs):
    """The gradient is the exponential of a sum of logarithms of probabilities, which are as large as the loss."""
    magnitude = 16.0 + 8 * x.shape[0]
    return [np.full(x.shape[1], magnitude), np.full(x.shape, magnitude)]


RECORDS = [
    OpRecord("CTCLoss", ctc, _inputs, scale=_scale, ulps=2, gradient=0),
]
_TESTS = "tests/ops/nn/test_ctc_loss.py::"
EXPLICIT_GRADIENTS = {"CTCLoss": _TESTS + "test_gradient"}
