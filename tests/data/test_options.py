"""Options of datasets: kept, merged and checked as in TensorFlow 2.21."""

import copy

import pytest

import tfcore as tf
from tests.data.test_windows import run

Dataset, Options = tf.data.Dataset, tf.data.Options
experimental = tf.data.experimental


def stated(**values):
    options = Options()
    for name, value in values.items():
        setattr(options, name, value)
    return options


def test_values_are_checked():
    options = Options()
    assert options.deterministic is None and options.experimental_slack is None
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options."):
        options.foo = 1
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        _ = options.foo
    for name, value in (("deterministic", 1), ("deterministic", None), ("experimental_optimization", 3)):
        with pytest.raises(TypeError, match=f'Property "{name}" must be of type .*, got: {value}'):
            setattr(options, name, value)
    options.experimental_deterministic = False
    assert options.deterministic is False
    options.experimental_threading.private_threadpool_size = 3
    assert options.threading.private_threadpool_size == 3
    assert options.experimental_distribute.auto_shard_policy is experimental.AutoShardPolicy.AUTO
    options.experimental_distribute.auto_shard_policy = experimental.AutoShardPolicy.OFF
    options.experimental_external_state_policy = experimental.ExternalStatePolicy.IGNORE
    options.experimental_optimization.map_fusion = True
    options.autotune.autotune_algorithm = experimental.AutotuneAlgorithm.STAGE_BASED
    options.threading = tf.data.ThreadingOptions()
    assert options.threading.private_threadpool_size is None and "merge" in dir(options)


def test_options_are_merged():
    one, other = stated(deterministic=True, experimental_slack=True), stated(deterministic=False)
    one.threading.private_threadpool_size = 3
    other.threading.max_intra_op_parallelism = 2
    both = one.merge(other)
    assert (both.deterministic, both.experimental_slack) == (False, True)
    assert (both.threading.private_threadpool_size, both.threading.max_intra_op_parallelism) == (3, 2)
    assert one.deterministic and one.threading.max_intra_op_parallelism is None
    copied = copy.copy(one)
    assert copied == one and one != other and Options() == Options() and one != 1
    copied.threading.private_threadpool_size = 4
    assert one.threading.private_threadpool_size == 3 and copied != one
    _ = other.autotune.enabled  # reading is not setting
    assert other == other.merge(Options())
    with pytest.raises(TypeError, match="Could not merge incompatible options"):
        one.merge(3)


def test_a_dataset_has_the_options_of_those_it_is_made_from():
    options = stated(deterministic=True)
    options.threading.private_threadpool_size = 3
    dataset = Dataset.range(3).with_options(options)
    options.deterministic = False  # no effect any more
    plain = Dataset.range(3)
    made = [
        dataset.map(lambda x: x).batch(2).padded_batch(1).unbatch(),
        Dataset.zip((plain, dataset)),
        plain.concatenate(dataset),
        Dataset.choose_from_datasets([plain, dataset], Dataset.range(2)),
        dataset.window(2).flat_map(lambda w: w).unique().cache().prefetch(1),
        dataset.filter(lambda x: x > 0).scan(0, lambda s, x: (s, x)),
    ]
    assert all(d.options().deterministic and d.options().threading.private_threadpool_size == 3 for d in made)
    assert plain.options() == Options() and run(dataset.take(2)) == [0, 1]
    changed = made[0].with_options(stated(deterministic=False))
    assert changed.options().deterministic is False and changed.options().threading.private_threadpool_size == 3
    for change in (
        lambda: setattr(dataset.options(), "deterministic", False),
        lambda: setattr(dataset.options().threading, "private_threadpool_size", 1),
        lambda: setattr(dataset.options().autotune, "enabled", True),
    ):
        with pytest.raises(ValueError, match="has no effect. Use"):
            change()
    with pytest.raises(TypeError):
        dataset.with_options(3)


def test_variants_and_structures():
    dataset = Dataset.range(4).window(2)
    spec = experimental.get_structure(dataset)
    assert spec == tf.data.DatasetSpec(experimental.TensorStructure([], tf.int64)) and spec == dataset.element_spec
    assert experimental.get_structure(dataset.make_one_shot_iterator()) == spec
    same = experimental.from_variant(experimental.to_variant(dataset), spec)
    assert run(same.flat_map(lambda w: w)) == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="Invalid `dataset_or_iterator`"):
        experimental.get_structure(3)
