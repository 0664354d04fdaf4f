"""Random ops in the functions of stages with threads: their values depend on seeds alone, not on threads."""

import base64

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import Input, check_every_position, everything, same

# A position from before calls had numbers, after four elements of `without_draws`.
OLD = (
    "CBUSAHrDAQoYdGZjb3JlOjpJdGVyYXRvclBvc2l0aW9uEqYBElBhcmFsbGVsSW50ZXJsZWF2ZQACAAAAAgIAAAAOCAkSACIIAgAA"
    "AAAAAAAAAQACAgAAAA4ICRIAIggFAAAAAAAAAAABAAtQYXJhbGxlbE1hcAAABAAAAA4ICRIAIggGAAAAAAAAAAAAAA4ICRIAIggJ"
    "AAAAAAAAAAAAAA4ICRIAIggMAAAAAAAAAAAAAA4ICRIAIggPAAAAAAAAAAVSYW5nZQAGAA=="
)

Dataset = tf.data.Dataset
IMAGE = np.random.RandomState(0).rand(8, 9, 3).astype(np.float32)


def uniform(x):
    return tf.random.uniform([], seed=1) + tf.cast(x, tf.float32)


def distorted(_):
    image = tf.image.random_flip_left_right(IMAGE, seed=3)
    image = tf.random_crop(tf.image.random_brightness(image, 0.3, seed=4), [4, 4, 3], seed=5)
    begin, size, _ = tf.image.sample_distorted_bounding_box([8, 9, 3], [[[0.0, 0, 1, 1]]], seed=6)
    return tf.reduce_sum(image), begin, size, tf.random.shuffle([1, 2, 3], seed=7)


def sometimes(x):
    return tf.cond(tf.equal(x % 3, 0), lambda: 0.0, lambda: tf.random.uniform([], seed=1))


def repeatedly(x):
    def body(i, total):
        return i + 1, total + tf.random.normal([], seed=4)

    return tf.while_loop(lambda i, _: i < x % 4, body, [np.int64(0), 0.0])[1]


def of_any_size(x):
    return tf.reduce_sum(tf.random.uniform([x % 5], seed=1))


def reduced(x):
    return Dataset.range(3).reduce(tf.cast(x, tf.float32), lambda s, _: s * 10 + tf.random.uniform([], seed=2))


def mapped(f, n=14):
    return lambda calls: Dataset.range(n).map(f, calls)


def interleaved(inner):
    return lambda calls: Dataset.range(6).interleave(inner, 3, 2, calls)


# Those that one call after the other gives, too.
LIKE_SEQUENTIAL = {
    "map": mapped(uniform),
    "images": mapped(distorted, 6),
    "two ops": mapped(lambda x: (tf.random.normal([2], seed=2), tf.random.uniform([3], 0, 9, tf.int32, seed=3))),
    "epochs that are left early": lambda calls: mapped(uniform)(calls).take(3).repeat(4),
    "map_and_batch": lambda calls: Dataset.range(11).apply(
        tf.data.experimental.map_and_batch(uniform, 3, num_parallel_calls=calls)
    ),
    "two maps": lambda calls: mapped(uniform)(calls).map(lambda x: x * 10 + tf.random.uniform([], seed=2), calls),
    "maps one after the other": lambda calls: Dataset.range(3).flat_map(lambda x: Dataset.range(3).map(uniform, calls)),
    "a function that makes datasets": interleaved(lambda x: Dataset.from_tensors(uniform(x)).repeat(2)),
}
OTHERS = {
    "draws in a branch": mapped(sometimes),
    "draws in a loop": mapped(repeatedly),
    "draws of any size": mapped(of_any_size),
    "a reduction": mapped(reduced),
    "two iterators": lambda calls: Dataset.zip((mapped(uniform)(calls),) * 2),
    "interleave": interleaved(lambda x: Dataset.range(4).map(uniform)),
    "interleave with filters": interleaved(
        lambda x: Dataset.range(9).filter(lambda y: tf.random.uniform([], seed=9) < 0.5).map(uniform)
    ),
    "interleave of parallel maps": interleaved(lambda x: Dataset.range(4).map(uniform, 2)),
    "interleave of prefetches": interleaved(lambda x: Dataset.range(4).map(uniform).prefetch(2)),
    "interleave of interleaves": interleaved(
        lambda x: Dataset.range(2).interleave(lambda y: Dataset.range(2).map(uniform), 2, 1, 2)
    ),
}
ALL = {**LIKE_SEQUENTIAL, **OTHERS}


@pytest.mark.parametrize("name", ALL)
def test_threads_change_nothing(name):
    expected = everything(lambda: ALL[name](1))
    assert expected
    for calls in (1, 2, 3, 3):
        same(everything(lambda calls=calls: ALL[name](calls)), expected)
    if name in LIKE_SEQUENTIAL:
        same(everything(lambda: ALL[name](None)), expected)


@pytest.mark.parametrize("name", ["interleave", "interleave of parallel maps", "two iterators", "a reduction"])
def test_calls_differ(name):
    found = np.ravel(everything(lambda: ALL[name](3)))
    fractions = np.round(found * 1e4) % 10000
    assert len(set(fractions)) == len(found)


@pytest.mark.parametrize("name", ALL)
def test_restored_positions_draw_the_same(name):
    check_every_position(lambda: ALL[name](3), lambda: ALL[name](2))


def test_epochs_go_on():
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = mapped(uniform, 5)(2).make_initializable_iterator()
        value = iterator.get_next()
        epochs = []
        for _ in range(2):
            sess.run(iterator.initializer)
            epochs.append([sess.run(value) for _ in range(5)])
    expected = everything(lambda: mapped(uniform, 5)(None).repeat(2))
    same([e for epoch in epochs for e in epoch], expected)


def test_without_seeds_values_differ_from_run_to_run():
    found = [everything(lambda: mapped(lambda x: tf.random.uniform([]))(2)) for _ in range(2)]
    assert len({float(v) for run in found for v in run}) == 28


def test_functions_keep_their_attributes():
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        sess.run(mapped(uniform)(2).make_one_shot_iterator().get_next())
        assert "_always_alike" not in str(graph.as_graph_def())


def without_draws():
    tripled = Dataset.range(8).map(lambda x: x * 3, 2)
    return tripled.interleave(lambda x: Dataset.range(x, x + 3), 2, 1, 2)


def test_old_positions_have_no_numbers():
    made = Input(without_draws)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        sess.run(made.restore, {made.fed: base64.b64decode(OLD)})
        same(rest(sess, made.value), everything(without_draws)[4:])
