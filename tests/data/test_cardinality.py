"""The number of elements, as TensorFlow 2.21 states it."""

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_positions import check_every_position
from tests.data.test_windows import run

Dataset = tf.data.Dataset
UNKNOWN, ENDLESS = tf.data.UNKNOWN_CARDINALITY, tf.data.INFINITE_CARDINALITY


def unknown():
    return Dataset.range(9).filter(lambda x: x > 3)


def endless():
    return Dataset.range(9).repeat()


def total(d):
    return d.scan(np.int64(0), lambda s, x: (s + x, s))


def of_each(change):
    """Of ten elements, of an unknown number, and without an end."""
    return [change(d) for d in (Dataset.range(10), unknown(), endless())]


SAME = [10, UNKNOWN, ENDLESS]
CHANGES = [
    (lambda d: d, SAME),
    (lambda d: d.shuffle(2).prefetch(1).cache(), SAME),
    (lambda d: total(d.map(lambda x: x).map(lambda x: x, 2)), SAME),
    (lambda d: d.take(4), [4, UNKNOWN, 4]),
    (lambda d: d.take(40), [10, UNKNOWN, 40]),
    (lambda d: d.take(-1), SAME),
    (lambda d: d.skip(4), [6, UNKNOWN, ENDLESS]),
    (lambda d: d.skip(40), [0, UNKNOWN, ENDLESS]),
    (lambda d: d.skip(-1), [0, UNKNOWN, ENDLESS]),
    (lambda d: d.repeat(4), [40, UNKNOWN, ENDLESS]),
    (lambda d: d.repeat(0), [0, 0, 0]),
    (lambda d: d.repeat(), [ENDLESS] * 3),
    (lambda d: d.repeat(2**62), [2**63 - 1, UNKNOWN, ENDLESS]),
    (lambda d: d.shard(3, 0), [4, UNKNOWN, ENDLESS]),
    (lambda d: d.shard(3, 1), [3, UNKNOWN, ENDLESS]),
    (lambda d: d.concatenate(Dataset.range(4)), [14, UNKNOWN, ENDLESS]),
    (lambda d: unknown().concatenate(d), [UNKNOWN, UNKNOWN, ENDLESS]),
    (lambda d: Dataset.zip((d, Dataset.range(4))), [4, UNKNOWN, 4]),
    (lambda d: Dataset.zip((d, endless())), SAME),
    (lambda d: d.batch(4), [3, UNKNOWN, ENDLESS]),
    (lambda d: d.batch(4, drop_remainder=True), [2, UNKNOWN, ENDLESS]),
    (lambda d: d.padded_batch(5), [2, UNKNOWN, ENDLESS]),
    (lambda d: d.batch(4).unbatch(), [UNKNOWN, UNKNOWN, ENDLESS]),
    (lambda d: d.flat_map(lambda x: Dataset.range(2)), [UNKNOWN] * 3),
    (lambda d: d.take_while(lambda x: x < 2), [UNKNOWN] * 3),
    (lambda d: d.ignore_errors(), [UNKNOWN] * 3),
    (lambda d: d.unique(), [UNKNOWN] * 3),
    (lambda d: d.group_by_window(lambda x: x, lambda key, w: w, 1), [UNKNOWN, UNKNOWN, ENDLESS]),
    (lambda d: Dataset.choose_from_datasets([d, Dataset.range(4)], Dataset.range(2)), [UNKNOWN, UNKNOWN, ENDLESS]),
    (lambda d: d.window(3), [4, UNKNOWN, ENDLESS]),
    (lambda d: d.window(3, 1, 3), [10, UNKNOWN, ENDLESS]),
    (lambda d: d.window(4, 2, 1, True), [4, UNKNOWN, ENDLESS]),
    (lambda d: d.window(2, 1, 3, True), [7, UNKNOWN, ENDLESS]),
    (lambda d: d.window(20, drop_remainder=True), [0, UNKNOWN, ENDLESS]),
    (lambda d: d.apply(tf.data.experimental.assert_cardinality(7)), [7, 7, 7]),
]


def test_cardinalities_are_tensorflows():
    wanted = [n for _, numbers in CHANGES for n in numbers]
    datasets = [d for change, _ in CHANGES for d in of_each(change)]
    with tf.Session() as sess:
        assert sess.run([d.cardinality() for d in datasets]) == wanted
        sources = [
            (Dataset.range(3, 20, 4), 5),
            (Dataset.range(5, 0, -2), 3),
            (Dataset.range(5, 3), 0),
            (Dataset.range(-(2**63), 2**63 - 1, 2**62), 4),
            (Dataset.from_tensors([1, 2]), 1),
            (Dataset.from_tensor_slices([1, 2, 3]), 3),
            (Dataset.random(), ENDLESS),
            (Dataset.from_generator(lambda: iter([1]), tf.int64, []), UNKNOWN),
            (tf.data.TextLineDataset("x"), UNKNOWN),
            (Dataset.range(5).repeat(0).repeat(), 0),
        ]
        assert sess.run([tf.data.experimental.cardinality(d) for d, _ in sources]) == [n for _, n in sources]
        inner = Dataset.range(5).window(3).map(lambda w: w.cardinality())
        assert sess.run(inner.batch(2).get_single_element()).tolist() == [3, 2]


@pytest.mark.parametrize(
    "n, wanted, text",
    [
        (3, 4, "contain 4 elements but contained only 3 elements."),
        (5, 4, "contain 4 elements but contained at least 5 elements."),
        (0, 1, "contain 1 element but contained only 0 elements."),
        (1, -1, "contain an infinite number of elements but contained only 1 element."),
        (2, 0, "contain 0 elements but contained at least 1 element."),
    ],
)
def test_a_dataset_that_has_another_number_of_elements_fails(n, wanted, text):
    stated = tf.data.experimental.assert_cardinality(wanted)
    with pytest.raises(tf.errors.FailedPreconditionError, match=text):
        run(Dataset.range(n).apply(stated))
    if wanted >= 0:
        assert run(Dataset.range(wanted).apply(stated)) == list(range(wanted))


def test_a_stated_number_is_counted_on_from_a_position():
    check_every_position(lambda: Dataset.range(4).apply(tf.data.experimental.assert_cardinality(4)))


def test_shared_inputs_are_counted_once():
    d = Dataset.range(7)
    for _ in range(60):
        d = Dataset.zip((d, d)).map(lambda a, _: a)
    for _ in range(60):
        d = d.concatenate(d.take(0))
    with tf.Session() as sess:
        assert sess.run(d.cardinality()) == 7
