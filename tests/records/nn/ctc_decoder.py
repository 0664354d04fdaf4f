"""Records of CTC decoders. The beam search is compared with all paths, which a wide beam keeps."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _steps(draw, time, batch):
    return np.array([draw(st.integers(0, time)) for _ in range(batch)], np.int32)


def _greedy_inputs(draw, case):
    time, batch = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    classes = draw(st.sampled_from([1, 2, 3, 7]))
    attrs = {"merge_repeated": draw(st.booleans()), "blank_index": draw(st.integers(-classes, classes - 1))}
    return [draw(case.array((time, batch, classes))), _steps(draw, time, batch)], attrs


def _sparse(rows):
    indices = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    values = [label for row in rows for label in row]
    return [
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), max(map(len, rows))], np.int64),
    ]


def _greedy(x, steps, merge_repeated, blank_index):
    rows, scores = [], []
    for b, n in enumerate(steps):
        best = x[:n, b].argmax(axis=-1).tolist()
        kept = [k for t, k in enumerate(best) if not (merge_repeated and t and k == best[t - 1])]
        rows.append([k for k in kept if k != blank_index % x.shape[2]])
        scores.append([-x[:n, b].max(axis=-1, initial=-np.inf).sum() if n else 0.0])
    return [*_sparse(rows), np.array(scores)]


def _greedy_scale(x, steps, **attrs):
    return [np.zeros(())] * 3 + [np.abs(x).max(axis=-1).sum(axis=0)[:, None]]


def _beam_inputs(draw, case):
    """Few steps and classes, so that all labels fit into the beam."""
    time, batch, classes = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    attrs = {"merge_repeated": draw(st.booleans()), "beam_width": 1000, "top_paths": draw(st.integers(1, 2))}
    x = draw(case.array((time, batch, classes), domain=(-3, 3)))
    return [x, np.maximum(_steps(draw, time, batch), 1)], attrs


def all_labels(x):
    """The probability of each sequence of labels, from all paths; the last class is the blank."""
    time, classes = x.shape
    probabilities = np.exp(x - x.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    found = {}
    for path in itertools.product(range(classes), repeat=time):
        labels = tuple(k for k, _ in itertools.groupby(path) if k != classes - 1)
        found[labels] = found.get(labels, 0) + np.prod(probabilities[np.arange(time), path])
    return found


def _beam(x, steps, merge_repeated, beam_width, top_paths):
    rows = [[] for _ in range(top_paths)]
    scores = np.zeros((x.shape[1], top_paths))
    for b, n in enumerate(steps):
        found = sorted(all_labels(x[:n, b]).items(), key=lambda item: -item[1])
        for p, (labels, probability) in enumerate(found[:top_paths]):
            rows[p].append([k for k, _ in itertools.groupby(labels)] if merge_repeated else list(labels))
            scores[b, p] = np.log(probability)
    parts = [_sparse(row) for row in rows]
    return [part[i] for i in range(3) for part in parts] + [scores]


RECORDS = [
    OpRecord("CTCGreedyDecoder", _greedy, _greedy_inputs, scale=_greedy_scale, ulps=8),
    OpRecord(
        "CTCBeamSearchDecoder",
        _beam,
        _beam_inputs,
        scale=lambda x, steps, **attrs: [np.zeros(())] * 3 * attrs["top_paths"] + [np.full((x.shape[1], 1), 8.0)],
    ),
]
