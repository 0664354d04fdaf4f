"""Normal numbers between bounds: TensorFlow's values, distributions, parameters of rows, refusals."""

import math

import numpy as np
import pytest

import tfcore as tf

INF = math.inf


def _numbers(shape, *parameters, dtype=tf.float32, seed=1, seed2=2, runs=1, threads=0):
    names = ("means", "stdevs", "minvals", "maxvals")
    values = {name: np.array(value, dtype.as_numpy_dtype) for name, value in zip(names, parameters, strict=True)}
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        out = tf.raw_ops.ParameterizedTruncatedNormal(shape=shape, seed=seed, seed2=seed2, **values)
        return [session.run(out) for _ in range(runs)]


# The first four numbers of TensorFlow 2.21 in two runs: for each way to sample, mirrored and not.
KNOWN = [
    ((0, 1, -2, 2), [-1.0467792749404907, 0.8397045731544495, 1.235836386680603, 0.3037427067756653],
     [-1.3694567680358887, 0.3164469599723816, 1.6462761163711548, -1.4914352893829346]),
    ((1, 2, -20, 3), [-1.0935585498809814, 2.6794090270996094, 1.6074854135513306, 1.960385799407959],
     [-1.7389135360717773, 1.6328939199447632, -1.9828705787658691, 0.9278924465179443]),
    ((0, 1, 1, 1.01), [1.0040639638900757, 1.0085760354995728, 1.0005539655685425, 1.0008586645126343],
     [1.0037240982055664, 1.0008481740951538, 1.0036715269088745, 1.0049010515213013]),
    ((0, 1, 3, 4), [3.2726268768310547, 3.8760058879852295, 3.2683680057525635, 3.127089023590088],
     [3.299074411392212, 3.7470390796661377, 3.064359426498413, 3.2159178256988525]),
    ((0, 1, 2, INF), [2.3729684352874756, 3.1984236240386963, 2.3671419620513916, 2.1738648414611816],
     [2.4091498851776123, 3.0219900608062744, 2.0880472660064697, 2.2953872680664062]),
]  # fmt: skip
KNOWN_DOUBLES = [
    ((0, 1, -2, 2), [0.58105877128258, -1.557429113677359, 1.555896998265924, -0.07539950171215416]),
    ((0, 1, 1, 1.01), [1.0025117449808418, 1.0044316677020093, 1.0095271811828432, 1.0082916879139474]),
    ((0, 1, 2, INF), [2.572280510490156, 2.5025447193010923, 2.0200629320361636, 2.250117807528924]),
]


@pytest.mark.parametrize("parameters, first, second", KNOWN)
def test_values_are_tensorflows(parameters, first, second):
    np.testing.assert_allclose(_numbers([4], *parameters, runs=2), [first, second], rtol=2e-6)
    mean, deviation, low, high = parameters
    mirrored = _numbers([4], -mean, deviation, -high, -low, runs=2)
    if high < INF and low > mean:  # both bounds on one side
        np.testing.assert_allclose(mirrored, [-np.array(first), -np.array(second)], rtol=2e-6)


@pytest.mark.parametrize("parameters, first", KNOWN_DOUBLES)
def test_doubles_are_tensorflows(parameters, first):
    np.testing.assert_allclose(_numbers([4], *parameters, dtype=tf.float64)[0], first, rtol=1e-14)


def _cdf(x):
    return 0.5 * (1 + np.vectorize(math.erf)(np.asarray(x, np.float64) / math.sqrt(2)))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("bounds", [(-1, 2), (0.5, 0.75), (1, INF), (-INF, -0.5), (-0.5, 0.25), (-3, -1)])
def test_distribution(bounds, dtype):
    """Kolmogorov and Smirnov's distance: above 1.95 / sqrt(n) with a probability of 0.1 %; the seeds are fixed."""
    n, (low, high) = 5000, (np.clip(b, -30, 30) for b in bounds)
    mean, deviation = 2.0, 0.5
    limits = [mean + deviation * b for b in bounds]
    (numbers,) = _numbers([n], mean, deviation, *limits, dtype=dtype)
    numbers = np.sort(numbers.astype(np.float64))
    assert limits[0] <= numbers[0] and numbers[-1] <= limits[1]
    found = (_cdf((numbers - mean) / deviation) - _cdf(low)) / (_cdf(high) - _cdf(low))
    rounding = 0.05 if dtype in (tf.float16, tf.bfloat16) else 0
    assert np.abs(found - (np.arange(n) + 0.5) / n).max() < 1.95 / math.sqrt(n) + rounding


def test_rows_have_parameters():
    rows = _numbers([3, 200], [0.0, 10.0, -5.0], [1.0, 2.0, 0.5], [-2.0, 5.0, -5.1], [2.0, 12.0, -4.9])[0]
    assert rows.shape == (3, 200)
    assert [np.abs(row - middle).max() <= width for row, middle, width in zip(rows, (0, 8.5, -5), (2, 3.5, 0.11))] == [
        True
    ] * 3
    one = _numbers([2, 5], 0.0, [1.0], [-1.0, -1.0], 1.0)[0]
    assert len(set(one.ravel().tolist())) == 10


def test_threads_change_nothing():
    for shape, parameters in (([5000], (0, 1, -2, 2)), ([40, 300], (np.arange(40), 1, -INF, 50))):
        one, four = (_numbers(shape, *parameters, threads=n)[0] for n in (1, 4))
        np.testing.assert_array_equal(one, four)


def test_empty():
    assert _numbers([0, 3], 0, 1, -1, 1)[0].shape == (0, 3)
    assert _numbers([3, 0], 0, 1, [-1.0], 1)[0].shape == (3, 0)


@pytest.mark.parametrize(
    "parameters, text",
    [
        ((0, 0, -2, 2), "Invalid parameters"),
        ((0, -1, -2, 2), "Invalid parameters"),
        ((0, 1, 2, 1), "Invalid parameters"),
        ((0, 1, 1, 1), "Invalid parameters"),
        ((0, 1, -INF, INF), "Invalid parameters"),
        ((0, math.nan, -1, 1), "Invalid parameters"),
        ((0, 1, math.nan, 1), "Invalid parameters"),
        (([0.0, 1, 2], 1, -2, 2), r"Input means should have length 1 or shape\[0\], got shape: \[3\]"),
        ((0, 1, -2, [2.0, 2, 2]), r"Input maxvals should have length 1 or shape\[0\], got shape: \[3\]"),
    ],
)
def test_refusals(parameters, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _numbers([2, 5], *parameters)


def test_wrong_shapes():
    with pytest.raises(ValueError, match="Shape must be at most rank 1 but is rank 2"):
        _numbers([2], [[0.0]], 1, -2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape tensor must not be empty"):
        _numbers(np.zeros(0, np.int32), 0, 1, -2, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        mean = tf.placeholder(tf.float32)
        out = tf.raw_ops.ParameterizedTruncatedNormal(shape=[2], means=mean, stdevs=1.0, minvals=-1.0, maxvals=1.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"should be a scalar or vector, got shape: \[1,1\]"):
            session.run(out, {mean: [[0.0]]})
