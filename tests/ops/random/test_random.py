"""Random ops: the values TensorFlow gives for the same seeds, their distribution, seeds, errors."""

import numpy as np
import pytest
from scipy import stats

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels, strategies
from tfcore.testing.oracle import epsilon

LEVELS = cpu_levels()
FLOATS = ("float16", "bfloat16", "float32", "float64")

# First three and last of 3,000 numbers of a run, and first two and last of the next run, as TensorFlow
# 2.21 computes them on a CPU.
TENSORFLOW = {
    ("RandomUniform", "float16"): (
        [0.5820312, 0.08203125, 0.3310547, 0.6113281],
        [0.4248047, 0.5332031, 0.6787109],
    ),
    ("RandomUniform", "bfloat16"): (
        [0.65625, 0.65625, 0.6484375, 0.890625],
        [0.3984375, 0.265625, 0.4296875],
    ),
    ("RandomUniform", "float32"): (
        [0.2964578, 0.3765969, 0.4720863, 0.5373061],
        [0.0829376, 0.5613444, 0.04939926],
    ),
    ("RandomUniform", "float64"): (
        [0.3716631, 0.7766906, 0.5577695, 0.1418378],
        [0.6635013, 0.8831608, 0.2429184],
    ),
    ("RandomStandardNormal", "float16"): (
        [0.8286133, 1.291016, -0.8046875, 0.703125],
        [-0.07568359, 1.532227, -0.8217773],
    ),
    ("RandomStandardNormal", "bfloat16"): (
        [0.828125, 1.289062, -0.8046875, 0.703125],
        [-0.07568359, 1.53125, -0.8203125],
    ),
    ("RandomStandardNormal", "float32"): (
        [0.8284942, 1.290936, -0.8046324, 0.7028906],
        [-0.07570297, 1.532042, -0.8216753],
    ),
    ("RandomStandardNormal", "float64"): (
        [-0.8801389, 0.8651132, 0.6490982, -1.651474],
        [-1.217398, 0.202028, 0.3157168],
    ),
    ("TruncatedNormal", "float16"): (
        [0.3972168, -0.5166016, -0.2988281, 0.6025391],
        [0.05871582, -0.07104492, -0.5283203],
    ),
    ("TruncatedNormal", "bfloat16"): (
        [0.3964844, -0.515625, -0.2988281, 0.6015625],
        [0.05883789, -0.07128906, -0.5273438],
    ),
    ("TruncatedNormal", "float32"): (
        [0.3970962, -0.5164264, -0.2987492, 0.6023784],
        [0.05871935, -0.07107275, -0.5281142],
    ),
    ("TruncatedNormal", "float64"): (
        [0.3475375, -1.177797, 1.088148, -0.3834927],
        [0.2393184, -0.1084149, -0.6737255],
    ),
    ("StatelessRandomUniform", "float32"): (
        [0.7949641, 0.4507669, 0.1566565, 0.8184835],
        [0.7949641, 0.4507669, 0.8184835],
    ),
    ("StatelessRandomUniform", "float64"): (
        [0.3597132, 0.2532528, 0.285898, 0.9973597],
        [0.3597132, 0.2532528, 0.9973597],
    ),
    ("StatelessRandomNormal", "float32"): (
        [0.2062316, -0.6452792, 1.735332, 0.4818974],
        [0.2062316, -0.6452792, 0.4818974],
    ),
    ("StatelessRandomNormal", "float64"): (
        [1.4297, -0.02922446, 0.3820419, 1.003745],
        [1.4297, -0.02922446, 1.003745],
    ),
    ("StatelessTruncatedNormal", "float32"): (
        [0.2062316, -0.6452792, 1.735332, -1.036458],
        [0.2062316, -0.6452792, -1.036458],
    ),
    ("StatelessTruncatedNormal", "float64"): (
        [1.4297, -0.02922446, -1.113048, -0.2390971],
        [1.4297, -0.02922446, -0.2390971],
    ),
}
SEEDS = {
    "RandomUniform": {"seed": 12, "seed2": 99999999999},
    "RandomStandardNormal": {"seed": -12, "seed2": 99},
    "TruncatedNormal": {"seed": 12, "seed2": 99},
}


def run_twice(build, level=None, **config):
    """The values of two runs of what `build` makes in a new graph."""
    with tf.Graph().as_default() as graph:
        tensor = build()
    with cpu_level(level or LEVELS[-1]):
        with tf.Session(graph=graph, config=tf.ConfigProto(**config)) as session:
            return session.run(tensor), session.run(tensor)


def fill(op, dtype, count=3000):
    op = getattr(tf.raw_ops, op)
    if op.name.startswith("Stateless"):
        return op(shape=[count], seed=[3, -1], dtype=dtype)
    return op(shape=[count], dtype=dtype, **SEEDS[op.name])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("op", "dtype"), TENSORFLOW)
def test_values_are_tensorflows(op, dtype, level):
    first, second = run_twice(lambda: fill(op, dtype), level)
    assert first.dtype == tf.as_dtype(dtype).as_numpy_dtype
    tolerance = 2 * epsilon(first.dtype) + 1e-6
    expected_first, expected_second = TENSORFLOW[op, dtype]
    chosen = first.astype(np.float64)[[0, 1, 2, -1]]
    np.testing.assert_allclose(chosen, expected_first, rtol=tolerance, atol=tolerance)
    chosen = second.astype(np.float64)[[0, 1, -1]]
    np.testing.assert_allclose(chosen, expected_second, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("dtype", "small", "stateless", "full"),
    [
        (
            "int32",
            [8594, 10110, 9947, 7232],
            [8585, 294, 5989, 4301],
            [1731462351, 216909267, -1090054346, 2043360239],
        ),
        (
            "int64",
            [10384, 9961, 9282, 3054],
            [5439, 2423, 9862, 12057],
            [931618211843278031, -8499702220021360842, 6558560826674168179, -6414267100740718899],
        ),
    ],
)
def test_integers_are_tensorflows(dtype, small, stateless, full, level):
    dtype = tf.as_dtype(dtype)
    low, high = np.array(-5, dtype.as_numpy_dtype), np.array(12345, dtype.as_numpy_dtype)
    least = np.array(dtype.min, dtype.as_numpy_dtype)
    most = np.array(dtype.max, dtype.as_numpy_dtype)
    ops = tf.raw_ops
    chosen = [0, 1, 2, -1]

    def build():
        seeds = {"seed": 1, "seed2": 2}
        return [
            ops.RandomUniformInt(shape=[1000], minval=low, maxval=high, **seeds),
            ops.RandomUniformInt(shape=[1000], minval=least, maxval=most, **seeds),
            ops.StatelessRandomUniformInt(shape=[1000], seed=[1, 2], minval=low, maxval=high),
        ]

    values, _ = run_twice(build, level)
    for value, expected in zip(values, [small, full, stateless], strict=True):
        assert value.dtype == dtype.as_numpy_dtype
        assert value[chosen].tolist() == expected


def test_range_of_one_integer():
    values, _ = run_twice(lambda: tf.random_uniform([100], 7, 8, tf.int32))
    assert values.tolist() == [7] * 100


@pytest.mark.parametrize("dtype", strategies.TYPES, ids=lambda t: t.name)
def test_shuffle_is_tensorflows(dtype):
    order = [21, 28, 2, 10, 19, 30], [15, 0, 18]
    rows = np.arange(37).astype(str).astype(object) if dtype == tf.string else np.arange(37)
    rows = rows if dtype == tf.string else rows.astype(dtype.as_numpy_dtype)
    value = np.stack([rows, rows], axis=1)

    def build():
        constant = tf.constant(value, dtype=dtype)
        vector = tf.constant(rows, dtype=dtype)
        seeds = {"seed": 4, "seed2": 5}
        return [
            tf.raw_ops.RandomShuffle(value=constant, **seeds),
            tf.raw_ops.RandomShuffle(value=vector, **seeds),
        ]

    known = tf.constant(rows, dtype=dtype)
    with tf.Session(graph=known.graph) as session:
        rows = session.run(known)
    (first, vector), (second, _) = run_twice(build)
    assert first.shape == (37, 2)
    assert first[:6, 0].tolist() == rows[order[0]].tolist()
    assert second[:3, 1].tolist() == rows[order[1]].tolist()
    assert vector.tolist() == first[:, 0].tolist()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 3), (3, 0), (1, 4)])
def test_shuffle_of_nothing_to_shuffle(shape):
    value = np.ones(shape, np.float32)
    first, _ = run_twice(lambda: tf.random_shuffle(tf.constant(value), seed=1))
    assert first.shape == shape


# ---- Distributions.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("op", "distribution"),
    [
        ("RandomUniform", stats.uniform()),
        ("RandomStandardNormal", stats.norm()),
        ("TruncatedNormal", stats.truncnorm(-2, 2)),
        ("StatelessRandomUniform", stats.uniform()),
        ("StatelessRandomNormal", stats.norm()),
        ("StatelessTruncatedNormal", stats.truncnorm(-2, 2)),
    ],
)
def test_distribution(op, distribution, dtype):
    values, _ = run_twice(lambda: fill(op, dtype, 20001))
    values = values.astype(np.float64)
    # Half precision has few distinct values: spread each over the gap to the next.
    gap = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0)
    rng = np.random.default_rng(0)
    size = 1 if "Uniform" in op else np.abs(values)
    shift = 0 if "Uniform" in op else -0.5
    values = values + gap * size * (rng.uniform(0, 1, values.shape) + shift)
    assert stats.kstest(values, distribution.cdf).pvalue > 1e-4


@pytest.mark.parametrize("op", ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_do_not_change_values(op, dtype):
    one, _ = run_twice(lambda: fill(op, dtype, 300001), intra_op_parallelism_threads=1)
    many, _ = run_twice(lambda: fill(op, dtype, 300001), intra_op_parallelism_threads=4)
    assert np.array_equal(one, many)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 1023, 1024, 1025, 2047])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", SEEDS)
def test_a_shorter_run_is_a_prefix(op, dtype, count):
    longer, _ = run_twice(lambda: fill(op, dtype, 3000))
    shorter, _ = run_twice(lambda: fill(op, dtype, count))
    assert np.array_equal(shorter, longer[:count])


# ---- Seeds.


def test_graph_seed_gives_tensorflows_values():
    def build():
        tf.set_random_seed(7)
        uniform, normal = tf.random_uniform([3]), tf.random_normal([3], 2.0, 3.0)
        return [
            uniform,
            normal,
            tf.truncated_normal([3]),
            tf.random_uniform([3], -1, 1, seed=5),
            tf.random_uniform([3], 0, 10, tf.int32),
            tf.random_shuffle(np.arange(5)),
        ]

    (uniform, normal, truncated, seeded, integers, shuffled), _ = run_twice(build)
    np.testing.assert_allclose(uniform, [0.7537285, 0.0779376, 0.45880914], rtol=1e-6)
    np.testing.assert_allclose(normal, [0.37758374, 5.366099, 5.522522], rtol=1e-5)
    np.testing.assert_allclose(truncated, [-1.4716817, -0.61645555, -0.3706751], rtol=1e-5)
    np.testing.assert_allclose(seeded, [0.73386216, -0.99566483, 0.8389039], rtol=1e-5)
    assert integers.tolist() == [3, 8, 0]
    assert shuffled.tolist() == [0, 2, 4, 1, 3]


def test_op_seed_gives_tensorflows_values():
    def build():
        return [tf.random_uniform([3], seed=5), tf.random_normal([3], seed=6)]

    (uniform, normal), _ = run_twice(build)
    np.testing.assert_allclose(uniform, [0.38831127, 0.6636828, 0.19191074], rtol=1e-6)
    np.testing.assert_allclose(normal, [0.65751404, 0.67078364, 0.36795083], rtol=1e-5)


def test_seeds_of_ops():
    with tf.Graph().as_default():
        assert tf.random.get_seed(None) == (None, None)
        assert tf.random.get_seed(3) == (87654321, 3)
        tf.set_random_seed(0)
        assert tf.random.get_seed(0) == (0, 2**31 - 1)
        assert tf.random.get_seed(None) == (0, 2**31 - 1)
        assert tf.random.get_seed(None) == (0, 1)
        assert tf.random.get_seed(None) == (0, 2)
        assert tf.random.get_seed(2**31 + 5) == (0, 6)


def test_without_seeds_nothing_repeats():
    def build():
        return [tf.random_uniform([4]), tf.random_uniform([4])]

    (a, b), (c, _) = run_twice(build)
    (d, _), _ = run_twice(build)
    distinct = {tuple(v) for v in (a, b, c, d)}
    assert len(distinct) == 4


def test_with_a_graph_seed_ops_differ_and_sessions_agree():
    def build():
        tf.set_random_seed(1)
        return [tf.random_uniform([4]), tf.random_uniform([4])]

    (a, b), _ = run_twice(build)
    (c, d), _ = run_twice(build)
    assert np.array_equal(a, c)
    assert np.array_equal(b, d)
    assert not np.array_equal(a, b)


# ---- Python functions.


def test_uniform_range_and_types():
    def build():
        return [
            tf.random_uniform([1000], -3, 5, seed=1),
            tf.random_uniform([1000], 0, 2.5, tf.float64, seed=1),
            tf.random_uniform([], maxval=10, dtype=tf.int64, seed=1),
            tf.random_uniform(tf.constant([2, 3]), seed=1),
        ]

    (a, b, c, d), _ = run_twice(build)
    assert (a.dtype, b.dtype, c.dtype) == (np.float32, np.float64, np.int64)
    assert -3 <= a.min() < -2.5
    assert 4.5 < a.max() < 5
    assert 0 <= b.min()
    assert 2 < b.max() < 2.5
    assert c.shape == ()
    assert d.shape == (2, 3)


def test_normal_parameters_broadcast():
    def build():
        mean, stddev = tf.constant([0.0, 100.0]), tf.constant([1.0, 10.0])
        return [
            tf.random_normal([5000, 2], mean, stddev, seed=2),
            tf.truncated_normal([5000, 2], mean, stddev, seed=2),
        ]

    (normal, truncated), _ = run_twice(build)
    np.testing.assert_allclose(normal.mean(0), [0, 100], atol=0.6)
    np.testing.assert_allclose(normal.std(0), [1, 10], rtol=0.05)
    assert np.all(np.abs(truncated - [0, 100]) <= [2, 20])


def test_crop_is_a_part():
    value = np.arange(60).reshape(5, 4, 3)

    def build():
        return tf.random_crop(tf.constant(value), [2, 3, 3], seed=3)

    for crop in run_twice(build):
        assert crop.shape == (2, 3, 3)
        i, j, k = np.argwhere(value == crop[0, 0, 0])[0]
        assert k == 0
        assert np.array_equal(crop, value[i : i + 2, j : j + 3])


def test_crop_larger_than_the_value():
    with tf.Graph().as_default():
        crop = tf.random_crop(tf.placeholder(tf.float32, [None]), [4])
        with tf.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Need value.shape >= size"):
                session.run(crop, {crop.op.inputs[0]: [1.0, 2.0]})


def test_stateless_functions():
    def build():
        return [
            tf.random.stateless_uniform([1000], [1, 2], minval=2.0, maxval=4.0),
            tf.random.stateless_uniform([1000], [1, 2], minval=2, maxval=4, dtype=tf.int32),
            tf.random.stateless_normal([1000], [1, 2], mean=10.0),
            tf.random.stateless_truncated_normal([1000], tf.constant([1, 2], tf.int32), stddev=3.0),
        ]

    first, second = run_twice(build)
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)
    uniform, integers, normal, truncated = first
    assert 2 <= uniform.min() < uniform.max() < 4
    assert set(integers.tolist()) == {2, 3}
    assert abs(normal.mean() - 10) < 0.2
    assert 4 < np.abs(truncated).max() <= 6


# ---- Static shapes, errors, gradients.


def test_static_shapes():
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.int32, [2])
        assert tf.random_uniform([2, 3]).shape.as_list() == [2, 3]
        assert tf.random_normal(unknown).shape.as_list() == [None, None]
        assert tf.random_shuffle(tf.zeros([3, 2])).shape.as_list() == [3, 2]
        assert tf.multinomial(tf.zeros([3, 2]), 7).shape.as_list() == [3, 7]
        gamma = tf.raw_ops.RandomGamma(shape=[4], alpha=tf.zeros([2, 3]))
        assert gamma.shape.as_list() == [4, 2, 3]
        poisson = tf.raw_ops.RandomPoissonV2(shape=tf.placeholder(tf.int32), rate=[1.0])
        assert poisson.shape.ndims is None
        with pytest.raises(ValueError, match="rank 1 but is rank 0"):
            tf.raw_ops.RandomUniform(shape=3, dtype=tf.float32)
        with pytest.raises(ValueError, match="rank 2 but is rank 1"):
            tf.multinomial([1.0], 2)


@pytest.mark.parametrize(
    ("build", "feed", "message"),
    [
        (lambda p: tf.random_uniform(p), [-1], "Dimension -1 must be >= 0"),
        (lambda p: tf.random_uniform(p), 3, "shape must be a vector of {int32,int64}, got shape"),
        (lambda p: tf.random_normal(p), [2**31 - 1] * 3, "too many elements"),
        (lambda p: tf.random_normal(p), [1] * 21, "at most 20"),
        (lambda p: tf.random_uniform([2], p, 5, tf.int32), 5, "Need minval < maxval, got 5 >= 5"),
        (lambda p: tf.multinomial([[1.0]], p), -1, "num_samples should be nonnegative, got -1"),
        (lambda p: tf.multinomial([[1.0]], p), [1], "num_samples should be a scalar"),
        (lambda p: tf.multinomial(tf.cast(p, tf.float32), 1), [1], "logits should be a matrix"),
        (lambda p: tf.multinomial(tf.zeros(p), 1), [2, 0], "num_classes should be positive, got 0"),
    ],
)
def test_bad_values(build, feed, message):
    with tf.Graph().as_default():
        placeholder = tf.placeholder(tf.int32)
        tensor = build(placeholder)
        with tf.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(tensor, {placeholder: feed})
    assert message in str(caught.value)


def test_bad_types():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Invalid dtype"):
            tf.random_uniform([1], dtype=tf.int8)
        with pytest.raises(ValueError, match="Must specify maxval for integer dtype"):
            tf.random_uniform([1], dtype=tf.int32)


def test_gradients_pass_by_random_numbers():
    with tf.Graph().as_default():
        scale = tf.constant(2.0)
        loss = tf.reduce_sum(tf.random_normal([3], stddev=scale, seed=1))
        (gradient,) = tf.gradients(loss, [scale])
        with tf.Session() as session:
            total, derivative = session.run([loss, gradient])
    np.testing.assert_allclose(derivative, total / 2, rtol=1e-5)


def test_an_integer_array_may_be_a_seed():
    one, other = (tf.random_uniform([3], seed=seed) for seed in (7, np.array(7)))
    with tf.Session() as sess:
        assert sess.run(one).tolist() == sess.run(other).tolist()


def test_the_algorithm_of_stateless_numbers():
    with tf.Graph().as_default(), tf.Session() as sess:
        same = [sess.run(tf.random.stateless_uniform([3], [1, 2], alg=a)) for a in ("auto_select", "Philox", 1, 3)]
        assert all((x == same[0]).all() for x in same)
        for function in (tf.random.stateless_normal, tf.random.stateless_truncated_normal):
            with pytest.raises(ValueError, match="Argument `alg` got unsupported value x"):
                function([3], [1, 2], alg="x")
            with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
                function([3], [1, 2], alg="threefry")
        with pytest.raises(TypeError, match="Can't convert argument `alg`"):
            tf.random.stateless_uniform([3], [1, 2], alg=2.5)
