"""Choices between datasets, resampling, random numbers, elements without repetitions, the only element."""

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import check_every_position

Dataset = tf.data.Dataset


def run(dataset):
    with tf.Session() as sess:
        return rest(sess, dataset.make_one_shot_iterator().get_next())


def values(dataset):
    return [x.tolist() for x in run(dataset)]


def three():
    return [Dataset.range(3), Dataset.range(10, 14), Dataset.range(100, 105)]


# ---- Choices


def test_a_dataset_chooses_between_others():
    choice = Dataset.from_tensor_slices(np.array([1, 1, 0, 2, 0, 0, 0, 2, 1], np.int64))
    chosen = [10, 11, 0, 100, 1, 2]
    assert run(Dataset.choose_from_datasets(three(), choice)) == chosen
    assert run(Dataset.choose_from_datasets(three(), choice, False)) == [*chosen, 101, 12]
    assert run(tf.data.experimental.choose_from_datasets(three(), choice)) == [*chosen, 101, 12]
    all_of_two = Dataset.choose_from_datasets(three()[:2], Dataset.range(2).repeat(), False)
    assert run(all_of_two) == [0, 10, 1, 11, 2, 12, 13]
    shapes = [Dataset.from_tensors(([1, 2], "a")), Dataset.from_tensors(([1], "b"))]
    both = Dataset.choose_from_datasets(shapes, Dataset.range(2))
    assert both.output_shapes[0].as_list() == [None] and [s for _, s in run(both)] == [b"a", b"b"]


def test_choices_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="`datasets` should not be empty"):
        Dataset.choose_from_datasets([], Dataset.range(1))
    with pytest.raises(TypeError, match="should be a `tf.data.Dataset` but is <class 'int'>"):
        Dataset.choose_from_datasets(three(), 3)
    with pytest.raises(TypeError, match="must be scalar `tf.int64` tensors"):
        Dataset.choose_from_datasets(three(), Dataset.from_tensors(1))
    with pytest.raises(TypeError, match="must have compatible element specs"):
        Dataset.choose_from_datasets([Dataset.range(2), Dataset.from_tensors(1.0)], Dataset.range(1))
    for number in (3, -1):
        choice = Dataset.from_tensors(np.int64(number))
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Selector index out of range: {number} >= 3"):
            run(Dataset.choose_from_datasets(three(), choice))


def test_an_endless_choice_among_empty_datasets_ends():
    empty = [Dataset.range(0), Dataset.range(0)]
    assert run(Dataset.choose_from_datasets(empty, Dataset.range(2).repeat(), False)) == []
    never = Dataset.choose_from_datasets([Dataset.range(0), Dataset.range(3)], Dataset.range(1).repeat(), False)
    iterator = never.make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(iterator.get_next(), options=tf.RunOptions(timeout_in_ms=100))


@pytest.mark.parametrize(
    "weights, wanted, n_to_first_end",
    [
        (None, [10, 0, 100, 1, 11, 12, 13, 101, 2, 102, 103, 104], 12),
        ([0.2, 0.3, 0.5], [100, 0, 101, 10, 11, 102, 103, 104, 1, 12, 2, 13], 9),
        ([0.0, 1.0, 1.0], [100, 10, 101, 11, 12, 102, 103, 104, 13], 9),
        ("dataset", [10, 0, 100, 1, 2, 11, 12, 101, 102, 103, 104, 13], 8),
        ([0.0, 0.0, 0.0], [], 0),
    ],
    ids=["equal", "weighted", "zero", "dataset", "none"],
)
def test_samples_are_tensorflows(weights, wanted, n_to_first_end):
    """Computed with TensorFlow 2.21."""
    if weights == "dataset":
        weights = Dataset.from_tensors([0.5, 0.25, 0.25]).repeat()
    assert run(Dataset.sample_from_datasets(three(), weights, seed=7)) == wanted
    stopped = tf.data.experimental.sample_from_datasets(three(), weights, 7, stop_on_empty_dataset=True)
    assert run(stopped) == wanted[:n_to_first_end]


def test_weights_may_be_a_tensor():
    weights = tf.placeholder_with_default(np.array([0.0, 0.0, 1.0]), [3])
    iterator = Dataset.sample_from_datasets(three(), weights, stop_on_empty_dataset=True).make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert rest(sess, iterator.get_next()) == list(range(100, 105))
    assert run(Dataset.sample_from_datasets(three()[:1])) == [0, 1, 2]


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="`datasets` should not be empty"):
        Dataset.sample_from_datasets([])
    with pytest.raises(ValueError, match=r"`len\(weights\)=2` vs. `len\(datasets\)=3`"):
        Dataset.sample_from_datasets(three(), [0.5, 0.5])
    with pytest.raises(ValueError, match="The shape of `weights`"):
        Dataset.sample_from_datasets(three(), tf.zeros([2]))
    with pytest.raises(TypeError, match="must be either `tf.float32` or `tf.float64` but is <dtype: 'int32'>"):
        Dataset.sample_from_datasets(three(), [1, 2, 3])


def test_random_numbers_are_tensorflows():
    """Computed with TensorFlow 2.21."""
    wanted = [3128586565, 2023892699, 452966358, 4293674553, 1485036815]
    assert run(Dataset.random(seed=4).take(5)) == wanted
    assert run(tf.data.experimental.RandomDataset(4).take(3).repeat(2)) == 2 * wanted[:3]
    assert run(Dataset.random().take(3)) != run(Dataset.random().take(3))


def test_random_numbers_that_are_others_each_time():
    """Computed with TensorFlow 2.21."""

    def made():
        return Dataset.random(4, rerandomize_each_iteration=True).take(3).repeat(3)

    wanted = [
        1905554911,
        4215726141,
        1283758208,
        1683472663,
        2279948892,
        2709632186,
        3140632116,
        4291497019,
        3066576932,
    ]
    assert run(made()) == wanted
    check_every_position(made)
    ends = [Dataset.range(5), Dataset.range(10, 15)]
    sampled = Dataset.sample_from_datasets(ends, [0.3, 0.7], seed=3, rerandomize_each_iteration=True)
    assert run(sampled.repeat(2)) == [0, 1, 2, 10, 11, 3, 12, 13, 14, 4, 10, 11, 0, 1, 12, 13, 14, 2, 3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="that is a dummy with the handle of a Iterator"):
        element = {"output_types": [tf.int64], "output_shapes": [[]]}
        shared = tf.raw_ops.IteratorV2(shared_name="", container="", **element)
        variant = tf.raw_ops.RandomDatasetV2(seed=np.int64(1), seed2=np.int64(2), seed_generator=shared, **element)
        with tf.Session() as sess:
            sess.run(tf.raw_ops.DatasetCardinality(input_dataset=variant))


# ---- Without repetitions


@pytest.mark.parametrize("dtype", ["int32", "int64", "string"])
def test_unique_elements(dtype):
    numbers = np.random.default_rng(3).integers(0, 500, 2000)
    items = [f"{i}" for i in numbers] if dtype == "string" else numbers.astype(dtype)
    found = run(Dataset.from_tensor_slices(items).unique())
    assert [int(x) for x in found] == list(dict.fromkeys(numbers.tolist()))
    rows = [["a", "bc"], ["ab", "c"], ["a", "bc"]] if dtype == "string" else np.array([[1, 2], [2, 1], [1, 2]], dtype)
    assert len(run(Dataset.from_tensor_slices(rows).apply(tf.data.experimental.unique()))) == 2


def test_the_shape_and_long_strings_make_elements_differ():
    rows = Dataset.range(4).map(lambda x: tf.zeros(tf.cond(x % 2 > 0, lambda: [2, 3], lambda: [3, 2]), tf.int32))
    assert [x.shape for x in run(rows.unique())] == [(3, 2), (2, 3)]
    texts = ["", "x" * 100, "x" * 99 + "y", "", "x" * 100]
    assert [len(x) for x in run(Dataset.from_tensor_slices(texts).unique())] == [0, 100, 100]


def test_unique_refuses_other_types():
    with pytest.raises(TypeError, match="does not support type <dtype: 'float32'>"):
        Dataset.from_tensors(1.5).unique()
    with pytest.raises(tf.errors.InvalidArgumentError, match="only supports inputs with a single component"):
        run(Dataset.from_tensors((1, 2)).unique())


# ---- The only element


def test_the_only_element():
    one = Dataset.range(8).window(4).take(1).flat_map(lambda w: w.batch(4)).map(lambda x: {"x": x, "y": x + 1})
    with tf.Session() as sess:
        found = sess.run(one.get_single_element())
        assert found["x"].tolist() == [0, 1, 2, 3] and found["y"].tolist() == [1, 2, 3, 4]
        only = tf.data.experimental.get_single_element
        for n, text in ((0, "Dataset was empty."), (2, "Dataset had more than one element.")):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                sess.run(only(Dataset.range(n)))
        inner = only(Dataset.range(8).window(8))
        assert sess.run(inner.reduce(np.int64(0), lambda s, x: s + x)) == 28
        k = tf.placeholder(tf.int64, [])
        doubled = Dataset.range(1, 2).map(lambda x: x * k).get_single_element()
        assert sess.run(doubled, {k: 21}) == 21
    with pytest.raises(TypeError, match="Expected a `tf.data.Dataset` object"):
        only(3)


# ---- Resampling


@pytest.mark.parametrize(
    "initial, target, wanted, n",
    [
        ([0.6, 0.4], [0.5, 0.5], [8, 6, 5, 8, 6, 2, 3, 0, 0, 0, 1, 8, 6, 9, 5, 6, 9, 7, 6, 5], 2371),
        ([0.6, 0.4], [1.0, 0.0], [5, 2, 3, 0, 0, 0, 1, 5, 5, 5, 2, 0, 3, 5, 0, 1, 0, 0, 5, 0], 1176),
        (None, [0.2, 0.8], [8, 6, 5, 8, 6, 2, 8, 6, 3, 0, 9, 6, 9, 7, 6, 9, 8, 0, 6, 8], 1322),
        ([0.5, 0.5], [0.5, 0.5], [8, 6, 5, 2, 3, 0, 0, 0, 1, 8, 6, 9, 5, 6, 9, 7, 6, 5, 5, 9], 2000),
        ("fed", [0.2, 0.8], [8, 6, 5, 8, 6, 2, 8, 6, 3, 0, 9, 6, 9, 7, 6, 9, 8, 0, 6, 8], 1322),
    ],
    ids=["both", "rejected", "estimated", "unchanged", "fed"],
)
def test_resampled_classes_are_tensorflows(initial, target, wanted, n):
    """Computed with TensorFlow 2.21."""
    numbers = np.random.default_rng(0).integers(0, 10, 2000).astype(np.int32)
    if initial == "fed":
        initial, target = None, tf.placeholder_with_default(np.float32(target), [None])
    dataset = Dataset.from_tensor_slices(numbers).apply(
        tf.data.experimental.rejection_resample(lambda x: tf.cast(x >= 6, tf.int32), target, initial, seed=5)
    )
    iterator = dataset.make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        found = rest(sess, iterator.get_next())
    assert [x for _, x in found[:20]] == wanted and len(found) == n
    assert all(c == (x >= 6) for c, x in found)


def test_resampled_elements_may_be_tuples():
    pairs = Dataset.from_tensor_slices((np.arange(40) % 2, np.arange(40)))
    found = run(pairs.rejection_resample(lambda c, _: tf.cast(c, tf.int32), [0.0, 1.0], [0.5, 0.5], seed=1))
    assert [number for _, (_, number) in found] == list(range(1, 40, 2))
