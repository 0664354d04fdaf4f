"""Samplers have no reference but TensorFlow's samples and their distribution: ordinary tests."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_TESTS = "tests/ops/random/test_candidate_sampling.py::"


def _hits_inputs(draw, case):
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    classes = draw(st.integers(1, 40))
    num_true = draw(st.integers(0, 4))
    true = rng.integers(0, classes, (draw(st.integers(0, 8)), num_true))
    return [true, rng.permutation(classes)[: draw(st.integers(0, classes))]], {"num_true": num_true}


def _hits(true_classes, sampled, num_true):
    places = {int(c): i for i, c in enumerate(sampled)}
    found = [(row, places[int(c)]) for row, labels in enumerate(true_classes) for c in labels if int(c) in places]
    rows, ids = np.array(found, np.int64).reshape(-1, 2).T
    return [rows.astype(np.int32), ids, np.full(len(found), np.finfo(np.float32).min)]


RECORDS = [OpRecord("ComputeAccidentalHits", _hits, _hits_inputs, examples=20)]

EXPLICIT = {
    "UniformCandidateSampler": _TESTS + "test_samples_are_tensorflows",
    "LogUniformCandidateSampler": _TESTS + "test_samples_are_tensorflows",
    "LearnedUnigramCandidateSampler": _TESTS + "test_samples_are_tensorflows",
    "ThreadUnsafeUnigramCandidateSampler": _TESTS + "test_samples_are_tensorflows",
    "FixedUnigramCandidateSampler": _TESTS + "test_samples_are_tensorflows",
    "AllCandidateSampler": _TESTS + "test_all_classes",
}
