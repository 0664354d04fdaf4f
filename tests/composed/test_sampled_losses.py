"""Sampled losses: their values by NumPy, their sparse gradients, their way to the losses over all classes."""

import numpy as np
import pytest
from scipy import special

import tfcore as tf

CLASSES, DIM, BATCH, SAMPLED = 23, 5, 4, 9
RNG = np.random.default_rng(3)
WEIGHTS, BIASES, INPUTS = RNG.normal(size=(CLASSES, DIM)), RNG.normal(size=CLASSES), RNG.normal(size=(BATCH, DIM))
# Labels that are sampled, twice the same, and not sampled.
LABELS = {1: np.array([[1], [1], [7], [22]]), 3: np.array([[1, 5, 20], [2, 2, 2], [0, 0, 3], [22, 21, 20]])}
SAMPLES = np.array([1, 2, 20, 7, 0, 11, 4, 13, 9])
TRUE_COUNTS = {n: RNG.uniform(0.1, 1, labels.shape) for n, labels in LABELS.items()}
COUNTS = RNG.uniform(0.1, 1, SAMPLED)


def shards_of(n, strategy):
    everything = np.arange(CLASSES)
    return [everything[i::n] for i in range(n)] if strategy == "mod" else np.array_split(everything, n)


def sampled_logits(num_true, remove_hits):
    """(logits, labels) of the true and the sampled classes, in float64."""
    labels = LABELS[num_true]
    true = np.einsum("bd,btd->bt", INPUTS, WEIGHTS[labels]) + BIASES[labels] - np.log(TRUE_COUNTS[num_true])
    sampled = INPUTS @ WEIGHTS[SAMPLES].T + BIASES[SAMPLES] - np.log(COUNTS)
    if remove_hits:
        hits = (labels[:, :, None] == SAMPLES).any(1)
        sampled[hits] = -np.inf
    targets = np.concatenate([np.full(labels.shape, 1 / num_true), np.zeros(sampled.shape)], 1)
    return np.concatenate([true, sampled], 1), targets


def softmax_loss(logits, targets):
    log_p = logits - special.logsumexp(logits, 1, keepdims=True)
    return -(targets * np.where(targets > 0, log_p, 0)).sum(1)


def logistic_loss(logits, targets):
    return (np.logaddexp(0, logits) - targets * np.where(targets > 0, logits, 0)).sum(1)


LOSSES = {"sampled_softmax_loss": softmax_loss, "nce_loss": logistic_loss}


def graph_of(name, num_true, shards, strategy, dtype=tf.float32, **kw):
    """Weights, biases, inputs and loss in the default graph, with given samples."""
    rows = shards_of(shards, strategy)
    weights = [tf.Variable(WEIGHTS[r], dtype=dtype) for r in rows]
    biases = [tf.Variable(BIASES[r], dtype=dtype) for r in rows]
    inputs = tf.constant(INPUTS, dtype)
    values = SAMPLES, TRUE_COUNTS[num_true].astype("f"), COUNTS.astype("f")
    kw.setdefault("sampled_values", tuple(map(tf.constant, values)))
    loss = getattr(tf.nn, name)(
        weights,
        biases,
        tf.constant(LABELS[num_true], tf.int32),
        inputs,
        SAMPLED,
        CLASSES,
        num_true,
        partition_strategy=strategy,
        **kw,
    )
    return weights, biases, inputs, loss


def value(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("num_true", [1, 3])
@pytest.mark.parametrize("name", LOSSES)
def test_values_and_gradients(name, num_true, remove, shards, strategy):
    with tf.Graph().as_default():
        weights, biases, inputs, loss = graph_of(
            name, num_true, shards, strategy, tf.float64, remove_accidental_hits=remove
        )
        assert loss.shape.as_list() == [BATCH]
        gradients = tf.gradients(loss, [*weights, *biases, inputs])
        assert all(isinstance(g, tf.IndexedSlices) for g in gradients[:-1])
        found, *gradients = value([loss, *map(tf.convert_to_tensor, gradients)])
    reference = lambda: LOSSES[name](*sampled_logits(num_true, remove))  # noqa: E731
    np.testing.assert_allclose(found, reference(), rtol=1e-6)  # expected counts are float32
    order = np.argsort(np.concatenate(shards_of(shards, strategy)))
    dense = [np.concatenate(gradients[:shards])[order], np.concatenate(gradients[shards:-1])[order], gradients[-1]]
    for gradient, array in zip(dense, (WEIGHTS, BIASES, INPUTS)):
        places = [tuple(RNG.integers(0, n) for n in array.shape) for _ in range(4)] + [(1, 2)[: array.ndim]]
        for place in places:
            kept, step = array[place], 1e-5
            array[place] = kept + step
            above = reference().sum()
            array[place] = kept - step
            below = reference().sum()
            array[place] = kept
            assert gradient[place] == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 0.01), ("bfloat16", 0.1), ("float32", 1e-5)])
@pytest.mark.parametrize("name", LOSSES)
def test_short_types_stay_finite_where_hits_are_removed(name, dtype, tolerance):
    with tf.Graph().as_default():
        weights, biases, inputs, loss = graph_of(name, 3, 1, "mod", tf.as_dtype(dtype), remove_accidental_hits=True)
        gradients = tf.gradients(loss, [*weights, *biases, inputs])
        found, *gradients = value([loss, *map(tf.convert_to_tensor, gradients)])
    assert found.dtype == tf.as_dtype(dtype).as_numpy_dtype
    np.testing.assert_allclose(found.astype(float), LOSSES[name](*sampled_logits(3, True)), rtol=tolerance)
    assert all(np.isfinite(g.astype(float)).all() for g in gradients)


def test_weights_of_another_type_are_cast():
    with tf.Graph().as_default():
        half = tf.Variable(WEIGHTS.astype(np.float16))
        loss = tf.nn.sampled_softmax_loss(
            half, tf.Variable(BIASES), LABELS[1], tf.constant(INPUTS), SAMPLED, CLASSES, seed=1
        )
        gradient = tf.gradients(loss, half)[0]
        assert loss.dtype == tf.float64 and gradient.dtype == tf.float16


@pytest.mark.parametrize("name", LOSSES)
def test_partitioned_variables_are_their_shards(name):
    with tf.Graph().as_default():

        def make(name, array):
            def part(shape, dtype, partition_info):
                first = partition_info.var_offset[0]
                return tf.constant(array[first : first + shape[0]], dtype)

            return tf.get_variable(name, array.shape, initializer=part, partitioner=tf.fixed_size_partitioner(3))

        weights, biases = make("weights", WEIGHTS), make("biases", BIASES)
        values = tuple(map(tf.constant, (SAMPLES, TRUE_COUNTS[1].astype("f"), COUNTS.astype("f"))))
        inputs = tf.constant(INPUTS, tf.float32)
        args = LABELS[1], inputs, SAMPLED, CLASSES, 1, values, True, "div"
        loss = getattr(tf.nn, name)(weights, biases, *args)
        found = value(loss)
    np.testing.assert_allclose(found, LOSSES[name](*sampled_logits(1, True)), rtol=1e-5)


def test_with_all_classes_it_is_the_softmax_loss():
    with tf.Graph().as_default():
        labels, inputs = tf.constant(LABELS[1]), tf.constant(INPUTS)
        values = tf.nn.all_candidate_sampler(labels, 1, CLASSES, True)
        loss = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, labels, inputs, CLASSES, CLASSES, sampled_values=values)
        full = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=LABELS[1][:, 0], logits=tf.matmul(inputs, WEIGHTS, transpose_b=True) + BIASES
        )
        found, expected = value([loss, full])
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_more_samples_come_nearer_to_the_softmax_loss():
    classes = 400
    rng = np.random.default_rng(8)
    weights, inputs = rng.normal(size=(classes, DIM)), rng.normal(size=(BATCH, DIM))
    labels = rng.integers(0, classes, (BATCH, 1))
    errors = []
    with tf.Graph().as_default():
        biases = np.zeros(classes)
        full = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels[:, 0], logits=tf.matmul(inputs, weights, transpose_b=True)
        )
        for sampled in (10, 60, 380):
            loss = tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, sampled, classes, seed=4)
            with tf.Session() as session:
                found = np.mean([session.run(loss) for _ in range(40)], 0)
                errors.append(np.abs(found - session.run(full)).mean())
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.03


def test_default_samples_depend_on_the_seed_alone():
    def loss(seed):
        with tf.Graph().as_default():
            return value(graph_of("sampled_softmax_loss", 1, 1, "mod", sampled_values=None, seed=seed)[-1]).tolist()

    assert loss(1) == loss(1) != loss(2)


def test_samples_have_no_gradient():
    """Also where what they were drawn with could pass one on."""
    with tf.Graph().as_default():
        counts = tf.constant(COUNTS, tf.float32)
        values = tf.constant(SAMPLES), tf.constant(TRUE_COUNTS[1], tf.float32), counts
        *_, loss = graph_of("nce_loss", 1, 1, "mod", sampled_values=values)
        assert tf.gradients(loss, counts) == [None]


def test_wrong_arguments():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Unrecognized partition strategy: other"):
            graph_of("nce_loss", 1, 3, "other")
        with pytest.raises(ValueError, match="Need at least one param"):
            tf.nn.nce_loss([], BIASES, LABELS[1], tf.constant(INPUTS), 9, CLASSES)
        with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
            tf.nn.nce_loss(WEIGHTS, BIASES, LABELS[1][:, 0], tf.constant(INPUTS), 9, CLASSES)
        many = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS[1], tf.constant(INPUTS), CLASSES + 1, CLASSES)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Sampler's range is too small"):
            value(many)
