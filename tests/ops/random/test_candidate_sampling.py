"""Candidate samplers: the samples TensorFlow gives for the same seeds, their distribution, expected counts, errors."""

import itertools
import math
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy import stats

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels

LEVELS = cpu_levels()
TRUE = np.array([[0, 3], [9, 3]], np.int64)
ATTRS = {"num_true": 2, "num_sampled": 6, "range_max": 11, "seed": 12, "seed2": 34}
FIXED = {"unigrams": [float(i) for i in range(1, 11)], "distortion": 0.75, "num_reserved_ids": 1}

# Samples of two runs, and the expected counts of the true classes in the second one, as TensorFlow 2.21 computes them.
LEARNED = {
    True: ([9, 8, 5, 4, 3, 7], [10, 5, 0, 1, 4, 3], [[0.7241527, 0.8657823], [0.7241527, 0.8657823]]),
    False: ([9, 8, 5, 4, 3, 9], [10, 5, 0, 1, 10, 10], [[0.8, 1.2], [0.8, 1.2]]),
}
TENSORFLOW = {
    ("Uniform", True): ([8, 10, 6, 9, 0, 2], [4, 0, 1, 2, 3, 5], [[0.48684186] * 2] * 2),
    ("Uniform", False): ([8, 10, 6, 9, 0, 2], [4, 0, 1, 4, 2, 3], [[0.54545456] * 2] * 2),
    ("LogUniform", True): (
        [0, 2, 1, 4, 3, 8],
        [1, 0, 4, 2, 9, 7],
        [[0.9620076, 0.6097253], [0.3236914, 0.6097253]],
    ),
    ("LogUniform", False): (
        [0, 2, 2, 1, 4, 0],
        [1, 0, 1, 4, 2, 9],
        [[1.6736577, 0.5387974], [0.2301338, 0.5387974]],
    ),
    ("FixedUnigram", True): (
        [7, 4, 8, 6, 9, 10],
        [6, 10, 4, 7, 8, 1],
        [[0, 0.4179619], [0.7252272, 0.4179619]],
    ),
    ("FixedUnigram", False): (
        [7, 4, 8, 6, 9, 7],
        [6, 10, 4, 7, 8, 7],
        [[0, 0.3924885], [0.8946800, 0.3924885]],
    ),
    **{(name, unique): v for name in ("LearnedUnigram", "ThreadUnsafeUnigram") for unique, v in LEARNED.items()},
}


def sampler(name, true_classes=TRUE, **attrs):
    attrs = {**ATTRS, **(FIXED if name == "FixedUnigram" else {}), **attrs}
    return getattr(tf.raw_ops, name + "CandidateSampler")(true_classes=true_classes, **attrs)


def runs(build, count):
    """The values of `count` runs of what `build` makes in a new graph."""
    with tf.Graph().as_default() as graph:
        outputs = build()
    with tf.Session(graph=graph) as session:
        return [session.run(outputs) for _ in range(count)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "unique"), TENSORFLOW)
def test_samples_are_tensorflows(name, unique, level):
    with cpu_level(level):
        first, second = runs(lambda: sampler(name, unique=unique), 2)
    expected_first, expected_second, counts = TENSORFLOW[name, unique]
    assert first[0].dtype == np.int64 and first[0].tolist() == expected_first
    assert second[0].tolist() == expected_second
    assert second[1].dtype == second[2].dtype == np.float32
    np.testing.assert_allclose(second[1], counts, rtol=1e-6)


# The exact probabilities of 11 classes.
CLASSES = np.arange(11)
WEIGHTS = np.array([0, *FIXED["unigrams"]]) ** 0.75
EXACT = {
    "Uniform": np.full(11, 1 / 11),
    "LogUniform": np.log((CLASSES + 2) / (CLASSES + 1)) / math.log(12),
    "FixedUnigram": WEIGHTS / WEIGHTS.sum(),
}


@pytest.mark.parametrize("name", EXACT)
def test_samples_follow_the_probabilities(name):
    n = 40000
    ((sampled, true_counts, counts),) = runs(lambda: sampler(name, num_sampled=n, unique=False), 1)
    p = EXACT[name]
    assert p.sum() == pytest.approx(1)
    possible = p > 0
    found = np.bincount(sampled, minlength=11)
    assert found.sum() == n and not found[~possible].any()
    assert stats.chisquare(found[possible], n * p[possible]).pvalue > 1e-3
    np.testing.assert_allclose(counts, n * p[sampled], rtol=1e-5)
    np.testing.assert_allclose(true_counts, n * p[TRUE], rtol=1e-5)


def test_learned_samples_follow_the_classes_seen():
    n = 40000
    _, _, (sampled, _, counts) = runs(lambda: sampler("LearnedUnigram", num_sampled=n, unique=False), 3)
    p = np.ones(11)
    p[[0, 9]] += 2  # two steps before, with each of them once
    p[3] += 4
    p /= p.sum()
    assert stats.chisquare(np.bincount(sampled, minlength=11), n * p).pvalue > 1e-3
    np.testing.assert_allclose(counts, n * p[sampled], rtol=1e-5)


def included(p, n):
    """The probability of each class to be among n different ones, drawn one after the other."""
    found = np.zeros(len(p))
    for chosen in itertools.permutations(np.flatnonzero(p), n):
        drawn = p[list(chosen)]
        found[list(chosen)] += np.prod(drawn / (1 - np.cumsum(drawn) + drawn))
    return found


@pytest.mark.parametrize("name", [*EXACT, "LearnedUnigram"])
def test_unique_samples_follow_the_probabilities(name):
    rounds, n = 2000, 3
    no_labels = np.zeros((0, 2), np.int64)  # nothing is learned
    seen = np.zeros(11)
    for sampled, _, _ in runs(lambda: sampler(name, no_labels, num_sampled=n, unique=True), rounds):
        assert len(set(sampled.tolist())) == n and 0 <= sampled.min() and sampled.max() < 11
        seen[sampled] += 1
    p = included(EXACT.get(name, EXACT["Uniform"]), n)
    assert p.sum() == pytest.approx(n)
    assert (np.abs(seen - rounds * p) <= 4 * np.sqrt(rounds * p * (1 - p))).all()


def test_expected_counts_are_the_probabilities_to_be_drawn():
    """With unique samples 1 - (1 - p)^tries; as many tries for all classes of a run."""
    true = np.arange(11, dtype=np.int64)[:, None]
    for _, counts, _ in runs(lambda: sampler("LogUniform", true, num_true=1, num_sampled=7, unique=True), 20):
        p = EXACT["LogUniform"]
        if np.allclose(counts[:, 0], 7 * p):  # no class was drawn twice: as without rejections
            continue
        tries = np.round(np.log1p(-float(counts[5, 0])) / np.log1p(-p[5]))
        assert tries > 7
        np.testing.assert_allclose(counts[:, 0], -np.expm1(tries * np.log1p(-p)), rtol=1e-5)


def test_all_classes():
    kw = {"true_classes": TRUE, "num_true": 2, "num_sampled": 10, "unique": True}
    ((sampled, true_counts, counts),) = runs(lambda: tf.raw_ops.AllCandidateSampler(**kw), 1)
    assert sampled.tolist() == list(range(10))
    assert true_counts.tolist() == [[1, 1], [1, 1]] and counts.tolist() == [1] * 10


@pytest.mark.parametrize("name", ["Uniform", "LogUniform", "LearnedUnigram", "FixedUnigram"])
def test_all_classes_can_be_drawn_at_once(name):
    attrs = {"num_reserved_ids": 0, "unigrams": [1.0] * 300} if name == "FixedUnigram" else {}
    ((sampled, _, _),) = runs(lambda: sampler(name, num_sampled=300, range_max=300, unique=True, **attrs), 1)
    assert sorted(sampled.tolist()) == list(range(300))


def test_large_ranges():
    big = 2**62 + 1
    ((sampled, _, _),) = runs(lambda: sampler("Uniform", num_sampled=1000, range_max=big, unique=False), 1)
    assert 0 <= sampled.min() and sampled.max() < big
    assert stats.kstest(sampled / big, "uniform").pvalue > 1e-3
    ((sampled, _, _),) = runs(lambda: sampler("LogUniform", num_sampled=1000, range_max=2**40, unique=False), 1)
    within = np.random.default_rng(1).random(1000)  # a class is an interval of the continuous distribution
    assert stats.kstest(np.log1p(sampled + within) / math.log1p(2**40), "uniform").pvalue > 1e-3
    ((sampled, _, _),) = runs(lambda: sampler("LogUniform", num_sampled=1000, range_max=2**63 - 1, unique=False), 1)
    assert sampled.min() >= 0 and sampled.max() > 2**50
    ((sampled, _, _),) = runs(lambda: sampler("LearnedUnigram", range_max=2**31 - 2, unique=True), 1)
    assert sampled.max() < 2**31 - 1 and len(set(sampled.tolist())) == 6


def test_seeds():
    def build(graph_seed, op_seed):
        tf.set_random_seed(graph_seed)
        return tf.nn.uniform_candidate_sampler([[1]], 1, 20, False, 1000, seed=op_seed)[0]

    def drawn(*seeds):
        return runs(lambda: build(*seeds), 1)[0].tolist()

    assert drawn(1, 2) == drawn(1, 2) != drawn(1, 3)
    assert drawn(1, None) == drawn(1, None) != drawn(2, None)
    assert drawn(None, None) != drawn(None, None)


def test_learned_counts_are_safe_under_threads():
    """Steps of several threads at once: every true class is counted."""
    with tf.Graph().as_default() as graph:
        labels = tf.placeholder(tf.int64, [None, 1])
        true_count = tf.nn.learned_unigram_candidate_sampler(labels, 1, 10, False, 50)[1]
    with tf.Session(graph=graph) as session:
        step = lambda: [session.run(true_count, {labels: np.full((7, 1), 5)}) for _ in range(20)]  # noqa: E731
        threads = [threading.Thread(target=step) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        value = session.run(true_count, {labels: [[5]]})
    seen = 4 * 20 * 7
    assert value[0, 0] == pytest.approx(10 * (1 + seen) / (50 + seen), rel=1e-6)


# ---- Weights from files.


def fixed(true=((1,),), num_sampled=2000, **attrs):
    attrs = {"num_true": 1, "num_sampled": num_sampled, "unique": False, **attrs}
    return tf.nn.fixed_unigram_candidate_sampler(np.array(true, np.int64), **attrs)


def test_vocabulary_file(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("the,50,3\n\nof,1\r\na, 0 \nand,with,commas,4")
    ((sampled, true_counts, _),) = runs(lambda: fixed([[1], [2]], range_max=4, vocab_file=str(path)), 1)
    np.testing.assert_allclose(true_counts, [[2000 / 8], [0]])
    found = np.bincount(sampled, minlength=4)
    assert found[2] == 0
    assert stats.chisquare(found[[0, 1, 3]], [750, 250, 1000]).pvalue > 1e-3


def test_shards_take_every_nth_word():
    weights = [1.0, 2, 3, 4, 5]
    ((_, counts, _),) = runs(
        lambda: fixed([[0], [1], [2]], 10, range_max=3, unigrams=weights, num_reserved_ids=1, num_shards=2), 1
    )
    np.testing.assert_allclose(counts[:, 0], [0, 10 * 2 / 6, 10 * 4 / 6], rtol=1e-6)
    ((_, counts, _),) = runs(
        lambda: fixed([[0], [1], [2]], 10, range_max=3, unigrams=weights, num_reserved_ids=1, num_shards=2, shard=1), 1
    )
    np.testing.assert_allclose(counts[:, 0], [10 * 1 / 9, 10 * 3 / 9, 10 * 5 / 9], rtol=1e-6)


@pytest.mark.parametrize(
    ("attrs", "text"),
    [
        ({}, "Must provide either vocab_file or unigrams."),
        ({"unigrams": [1.0], "vocab_file": "x"}, "Must only provide one of vocab_file and unigrams."),
        ({"unigrams": [1.0] * 12}, "range is 11 must be equal to weights size 12"),
        ({"unigrams": [1.0] * 9, "num_reserved_ids": 1}, "range is 11 must be equal to weights size 10"),
        ({"unigrams": [1.0] * 11, "shard": 3, "num_shards": 2}, "range is 11 must be equal to weights size 0"),
        ({"unigrams": [1.0] * 11, "num_reserved_ids": 10**15}, "range is 11 must be equal to weights size"),
        (
            {"unigrams": [1.0] * 11, "num_reserved_ids": 2**62, "num_shards": 2**61, "shard": 5},
            "range is 11 must be equal to weights size 3",
        ),
        ({"unigrams": [0.0] * 11}, "All 11 weights are 0"),
        ({"unigrams": [-1.0] * 11}, "The weight of word 0 is -1 .*must be finite and not negative"),
        ({"unigrams": [1.0, float("nan")] * 6}, "The weight of word 1 is nan"),
        ({"unigrams": [1e30] * 11, "distortion": 2.0}, "The weight of word 0 is 1e.30 .with distortion 2"),
        (
            {"unigrams": [0.0] * 6 + [1.0] * 5, "unique": True},
            "Sampler's range is too small. 6 different classes of 5 whose weight is not 0",
        ),
    ],
)
def test_wrong_weights(attrs, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        runs(lambda: fixed(num_sampled=6, **{"range_max": 11, **attrs}), 1)


def test_wrong_files(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="missing.csv; No such file or directory"):
        runs(lambda: fixed(range_max=1, vocab_file=str(tmp_path / "missing.csv")), 1)
    path = tmp_path / "words.csv"
    path.write_text("a,1\nb,2.5x\n")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Wrong vocabulary format at line 2 of .*words.csv: b,2.5x"
    ):
        runs(lambda: fixed(range_max=2, vocab_file=str(path)), 1)


# ---- Errors of all samplers.


@pytest.mark.parametrize("name", ["Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram", "FixedUnigram"])
def test_wrong_classes(name):
    with tf.Graph().as_default() as graph:
        labels = tf.placeholder(tf.int64)
        outputs = sampler(name, labels, unique=True)
    with tf.Session(graph=graph) as session:
        for fed, text in [
            (np.zeros(3), r"true_classes must be a matrix, got shape \[3\]"),
            (np.zeros((3, 1)), "true_classes must have num_true columns, expected: 2 was: 1"),
            ([[1, 11]], r"`true_candidate` out of range \[0, 11\), received 11"),
            ([[-1, 1]], r"`true_candidate` out of range \[0, 11\), received -1"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(outputs, {labels: fed})
        sampled, counts, _ = session.run(outputs, {labels: np.zeros((0, 2))})  # and the op still works
        assert len(sampled) == 6 and counts.shape == (0, 2)


@pytest.mark.parametrize("name", ["Uniform", "LogUniform", "LearnedUnigram", "FixedUnigram"])
def test_too_many_different_classes(name):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Sampler's range is too small. 12 different classes of 11"
    ):
        runs(lambda: sampler(name, num_sampled=12, unique=True), 1)


def test_shapes_and_attributes():
    with tf.Graph().as_default():
        sampled, true_count, sampled_count = sampler("Uniform", tf.placeholder(tf.int64, [None, None]), unique=True)
        assert sampled.shape.as_list() == sampled_count.shape.as_list() == [6]
        assert true_count.shape.as_list() == [None, 2]
        with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
            sampler("Uniform", [1, 2], unique=True)
        with pytest.raises(ValueError, match="num_sampled.*0 less than minimum 1"):
            sampler("Uniform", num_sampled=0, unique=True)
        with pytest.raises(ValueError, match="range_max.*too large to handle"):
            tf.nn.learned_unigram_candidate_sampler([[1]], 1, 1, True, 2**31)


def test_a_range_too_large_to_count():
    with pytest.raises(tf.errors.InvalidArgumentError, match="range_max:2147483647 is too large to handle"):
        runs(lambda: sampler("ThreadUnsafeUnigram", range_max=2**31 - 1, unique=True), 1)


def test_drawing_ends_with_the_step():
    """All but one class have next to no weight: drawing two different ones takes for ever."""
    options = tf.RunOptions(timeout_in_ms=50)
    with tf.Graph().as_default() as graph:
        outputs = fixed(num_sampled=2, range_max=2, unigrams=[1e30, 1e-30], unique=True)
    with tf.Session(graph=graph) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(outputs, options=options)


INTERRUPTED = """
import signal, numpy as np, tfcore as tf
labels = tf.placeholder(tf.int64, [None, 1])
samples = tf.nn.learned_unigram_candidate_sampler(labels, 1, 100, True, 100)[0]
session = tf.Session()
# Class 0 was seen so often that drawing the other 99 takes for ever.
session.run(samples, {labels: np.zeros([20_000_000, 1], np.int64)})
def handler(*_):
    try:
        session.run(samples, {labels: [[0]]}, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError:
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    session.run(samples, {labels: [[0]]})
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_handler_may_run_the_sampler_that_it_interrupts():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "interrupted\n"


# ---- Accidental hits.


def test_wrong_hits():
    with tf.Graph().as_default() as graph:
        true, sampled = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
        hits = tf.nn.compute_accidental_hits(true, sampled, 2)
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
            tf.nn.compute_accidental_hits([[1, 2, 3]], [1], 2)
        with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0"):
            tf.nn.compute_accidental_hits([[1, 2]], 1, 2)
    with tf.Session(graph=graph) as session:
        for fed, text in [
            ((np.zeros(3), [1]), r"true_candidates must be a batch_size \* num_true matrix, got shape \[3\]"),
            ((np.zeros((3, 1)), [1]), r"true_candidates must be .* got shape \[3,1\] with num_true = 2"),
            ((np.zeros((3, 2)), [[1]]), r"sampled_candidates must be a vector.*got shape \[1,1\]"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(hits, dict(zip((true, sampled), fed)))


def test_of_equal_candidates_the_last_is_a_hit():
    ((rows, ids, weights),) = runs(lambda: tf.nn.compute_accidental_hits(TRUE, [3, 1, 9, 3, 0], 2), 1)
    assert rows.tolist() == [0, 0, 1, 1] and ids.tolist() == [4, 3, 2, 3]
    assert rows.dtype == np.int32 and ids.dtype == np.int64 and (weights == np.finfo(np.float32).min).all()


def test_names():
    assert tf.random.uniform_candidate_sampler is tf.nn.uniform_candidate_sampler
    assert tf.random.all_candidate_sampler is tf.nn.all_candidate_sampler
    assert not hasattr(tf.random, "compute_accidental_hits")
