"""Each transformation of datasets."""

import collections

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest

Dataset = tf.data.Dataset


def run(dataset):
    with tf.Session() as sess:
        return rest(sess, dataset.make_one_shot_iterator().get_next())


def values(dataset):
    return [x.tolist() for x in run(dataset)]


# ---- Structures

Point = collections.namedtuple("Point", "x y")


def test_elements_are_nested_structures():
    dataset = Dataset.from_tensor_slices({"b": ([1, 2], Point([1.0, 2.0], [[3, 4], [5, 6]])), "a": ["x", "y"]})
    assert dataset.output_types == {"b": (tf.int32, Point(tf.float32, tf.int32)), "a": tf.string}
    assert dataset.output_shapes["b"][1].y == tf.TensorShape([2])
    found = run(dataset.batch(2))[0]
    assert found["a"].tolist() == [b"x", b"y"] and found["b"][1].y.tolist() == [[3, 4], [5, 6]]
    assert list(found) == ["b", "a"]


def test_a_tuple_becomes_arguments_and_a_dictionary_stays_one():
    pairs = Dataset.zip((Dataset.range(3), Dataset.range(10, 13)))
    assert run(pairs.map(lambda x, y: x + y)) == [10, 12, 14]
    named = pairs.map(lambda x, y: {"x": x, "y": (y, [x, y])})
    assert named.output_shapes == {"x": tf.TensorShape([]), "y": (tf.TensorShape([]), tf.TensorShape([2]))}
    assert run(named.map(lambda d: d["x"] * d["y"][0])) == [0, 11, 24]


def test_rows_must_agree():
    with pytest.raises(ValueError, match="not compatible"):
        Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))
    with pytest.raises(ValueError, match="rank >= 1"):
        Dataset.from_tensor_slices(3)
    one, other = (tf.placeholder_with_default(v, [None]) for v in ([1, 2], [1, 2, 3]))
    iterator = Dataset.from_tensor_slices((one, other)).make_initializable_iterator()
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="component 1 has 3 rows"):
        sess.run(iterator.initializer)


@pytest.mark.parametrize("stop, step, wanted", [(0, -2, [5, 3, 1]), (9, 3, [5, 8]), (5, 1, [])])
def test_ranges(stop, step, wanted):
    assert run(Dataset.range(5, stop, step)) == wanted
    assert run(Dataset.range(5, stop, step, output_type=tf.float32)) == wanted


def test_a_range_may_end_at_the_largest_number():
    most = np.iinfo(np.int64).max
    assert run(Dataset.range(most - 2, most, 2)) == [most - 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="step must be a non-zero integer"):
        run(Dataset.range(0, 3, 0))


def test_concatenated_datasets_may_have_other_shapes():
    one, other = Dataset.from_tensors([1, 2]), Dataset.from_tensors([1, 2, 3])
    both = one.concatenate(other)
    assert both.output_shapes.as_list() == [None] and values(both) == [[1, 2], [1, 2, 3]]
    with pytest.raises(TypeError, match="different types"):
        one.concatenate(Dataset.from_tensors([1.0]))


def test_enumerate_and_apply():
    assert run(Dataset.from_tensor_slices(["a", "b"]).enumerate(5)) == [(5, b"a"), (6, b"b")]
    assert run(Dataset.range(3).apply(lambda d: d.skip(1))) == [1, 2]
    with pytest.raises(TypeError, match="must return a `tf.data.Dataset`"):
        Dataset.range(3).apply(lambda d: 3)


# ---- Batches


def test_a_batch_of_known_size_has_a_static_shape():
    dataset = Dataset.range(7)
    assert dataset.batch(3).output_shapes.as_list() == [None]
    assert dataset.batch(3, drop_remainder=True).output_shapes.as_list() == [3]
    assert values(dataset.batch(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert values(dataset.batch(3, drop_remainder=True)) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("dtype", [tf.string, tf.bool, tf.float64, tf.complex64, tf.bfloat16, tf.uint8])
def test_batches_of_all_types(dtype):
    rows = tf.cast([[0, 1], [1, 0], [1, 1]], dtype) if dtype is not tf.string else [["", "a"], ["bc", ""], ["d", "e"]]
    with tf.Session() as sess:
        wanted = sess.run(tf.convert_to_tensor(rows))
    found = run(Dataset.from_tensor_slices(rows).batch(2).batch(1).unbatch())
    assert [x.tolist() for x in found] == [wanted[:2].tolist(), wanted[2:].tolist()]


def test_elements_of_different_shapes_are_not_batched():
    dataset = Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).batch(3)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"First element had shape \[1\] and element 1 had shape \[2\]"
    ):
        run(dataset)


def test_padded_batches():
    rows = Dataset.range(1, 4).map(lambda x: (tf.fill([x, 1], x), tf.as_string(x)))
    found = run(rows.padded_batch(2, ([None, 2], []), (np.int64(-1), "?")))
    assert found[0][0].tolist() == [[[1, -1], [-1, -1]], [[2, -1], [2, -1]]]
    assert found[1][0].tolist() == [[[3, -1], [3, -1], [3, -1]]] and found[1][1].tolist() == [b"3"]
    assert rows.padded_batch(2, ([None, 2], []), drop_remainder=True).output_shapes[0].as_list() == [2, None, 2]
    strings = Dataset.from_tensor_slices(["a b", "c"]).map(lambda s: tf.string_split([s]).values)
    assert values(strings.padded_batch(2, [3], "-")) == [[[b"a", b"b", b"-"], [b"c", b"-", b"-"]]]


def test_what_does_not_fit_its_padded_shape_is_an_error():
    rows = Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    with pytest.raises(tf.errors.DataLossError, match="size 2 in dimension 0, which is to be padded to 1"):
        run(rows.padded_batch(2, [1]))
    with pytest.raises(ValueError, match="not compatible with the shape"):
        rows.padded_batch(2, [1, 1])
    with pytest.raises(TypeError, match="A padding value of type"):
        rows.padded_batch(2, [None], np.float32(0.5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        run(rows.padded_batch(0, [None]))


def test_rows_of_different_components_must_agree_to_be_unbatched():
    dataset = Dataset.from_tensors((tf.zeros([2]), tf.placeholder_with_default(tf.zeros([3]), [None])))
    iterator = dataset.unbatch().make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="component 1 had size 3"):
            sess.run(iterator.get_next())
    with pytest.raises(ValueError, match="scalar components"):
        Dataset.range(3).unbatch()


# ---- Order


def test_the_order_for_a_seed_is_tensorflows():
    """Computed with TensorFlow 2.21."""
    assert run(Dataset.range(10).shuffle(5, seed=3).repeat(2)) == [
        *(4, 1, 0, 2, 7, 8, 6, 3, 5, 9),
        *(3, 4, 2, 6, 5, 9, 0, 8, 1, 7),
    ]
    once = Dataset.range(10).shuffle(100, seed=3, reshuffle_each_iteration=False)
    assert run(once.repeat(2)) == 2 * [7, 2, 6, 8, 9, 1, 5, 3, 4, 0]


def test_without_a_seed_the_order_differs():
    orders = {tuple(run(Dataset.range(20).shuffle(20))) for _ in range(3)}
    assert len(orders) == 3


def test_a_shard_is_named_wrong_when_it_is_made_or_when_it_runs():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index must be between 0 and 2"):
        Dataset.range(3).shard(3, 3)
    index = tf.placeholder_with_default(np.int64(5), [])
    iterator = Dataset.range(3).shard(3, index).make_initializable_iterator()
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=r"currently index = 5"):
        sess.run(iterator.initializer)


def test_a_cache_computes_elements_once():
    calls = []
    dataset = Dataset.range(3).map(lambda x: tf.py_func(lambda v: calls.append(v) or v, [x], tf.int64)).cache()
    assert run(dataset.repeat(3)) == 3 * [0, 1, 2]
    assert calls == [0, 1, 2]


# ---- Functions


def test_functions_may_have_loops_conditionals_and_functions():
    @tf.Defun(tf.int64)
    def twice(x):
        return 2 * x

    def count(x):
        steps = tf.while_loop(lambda i, _: i < x, lambda i, s: (i + 1, s + i), (tf.constant(0, tf.int64), x))[1]
        return twice(tf.cond(x > 1, lambda: steps, lambda: -x))

    for calls in (None, 2):
        assert run(Dataset.range(5).map(count, calls)) == [0, -2, 6, 12, 20]


def test_the_result_of_a_predicate_is_a_bool_and_of_a_flat_map_a_dataset():
    with pytest.raises(ValueError, match="scalar boolean tensor"):
        Dataset.range(3).filter(lambda x: x)
    with pytest.raises(TypeError, match="must return a `Dataset`"):
        Dataset.range(3).flat_map(lambda x: x)
    with pytest.raises(ValueError, match="None is not a component"):
        Dataset.range(3).map(lambda x: (x, None))


def test_datasets_of_flat_maps_use_the_element():
    dataset = Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: (x, y)))
    assert run(dataset) == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_equal_functions_of_different_shapes_are_two():
    def double(x):
        return x + x

    assert values(Dataset.from_tensors([1]).map(double)) == [[2]]
    assert values(Dataset.from_tensors([1, 2]).map(double)) == [[2, 4]]


def test_functions_of_two_pipelines_have_state_of_their_own():
    """Both bodies have operations of the same names."""
    tf.set_random_seed(1)
    one, other = (
        Dataset.range(4).map(lambda x, n=n: tf.random_uniform([], maxval=n, dtype=tf.int32)).make_one_shot_iterator()
        for n in (10, 1000)
    )
    with tf.Session() as sess:
        pair = one.get_next(), other.get_next()
        found = [sess.run(pair) for _ in range(4)]
    assert max(x for x, _ in found) < 10 < max(y for _, y in found)


def test_counts_below_the_smallest_are_refused():
    for dataset, text in (
        (Dataset.range(3).shuffle(0), "buffer_size must be greater than zero"),
        (Dataset.range(3).prefetch(-2), "buffer_size must be"),
        (Dataset.range(3).map(lambda x: x, 0), "num_parallel_calls must be greater than zero"),
        (Dataset.range(3).interleave(lambda x: Dataset.range(x), 0), "cycle_length must be"),
        (Dataset.range(3).batch(0), "Batch size must be greater than zero"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(dataset)


def test_older_forms_of_ops():
    """As in graphs that TensorFlow 1 wrote."""
    numbers, ops = Dataset.range(5).variant_tensor, tf.raw_ops
    element = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape(None)]}
    batch = ops.BatchDataset(input_dataset=numbers, batch_size=np.int64(3), **element)
    double = Dataset.range(1).batch(1).map(lambda x: 2 * x).variant_tensor.op.get_attr("f")
    doubled = ops.ParallelMapDataset(
        input_dataset=batch, other_arguments=[], num_parallel_calls=2, f=double, Targuments=[], **element
    )
    padded = ops.PaddedBatchDataset(
        input_dataset=doubled,
        batch_size=np.int64(2),
        padded_shapes=[np.array([-1], np.int64)],
        padding_values=[np.int64(7)],
        output_shapes=element["output_shapes"],
    )
    handle = ops.Iterator(shared_name="", container="", **element)
    again = ops.IteratorFromStringHandle(string_handle=ops.IteratorToStringHandle(resource_handle=handle), **element)
    value = ops.IteratorGetNextSync(iterator=again, **element)[0]
    with tf.Session() as sess:
        sess.run(ops.MakeIterator(dataset=padded, iterator=handle))
        assert sess.run(value).tolist() == [[0, 2, 4], [6, 8, 7]]


ELEMENT = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape(None)]}


def run_variant(variant):
    """The elements of the dataset behind a tensor, and their number as far as it is known."""
    handle = tf.raw_ops.IteratorV2(shared_name="", container="", **ELEMENT)
    value = tf.raw_ops.IteratorGetNext(iterator=handle, **ELEMENT)[0]
    with tf.Session() as sess:
        sess.run(tf.raw_ops.MakeIterator(dataset=variant, iterator=handle))
        return rest(sess, value), sess.run(tf.raw_ops.DatasetCardinality(input_dataset=variant))


def test_datasets_around_others_change_nothing():
    ops, numbers = tf.raw_ops, Dataset.range(4).variant_tensor
    for made in (
        ops.OptionsDataset(input_dataset=numbers, serialized_options=b"", **ELEMENT),
        ops.ModelDataset(input_dataset=numbers, algorithm=1, **ELEMENT),
        ops.OptimizeDataset(input_dataset=numbers, optimizations=["map_fusion"], **ELEMENT),
        ops.OptimizeDatasetV2(
            **{"input_dataset": numbers, "optimizations_enabled": ["map_fusion"], "optimizations_disabled": []},
            **{"optimizations_default": [], **ELEMENT},
        ),
        ops.RewriteDataset(input_dataset=numbers, rewrite_name="replicate", **ELEMENT),
    ):
        assert run_variant(made) == ([0, 1, 2, 3], 4)
    iterator = ops.IteratorV2(shared_name="", container="", **ELEMENT)
    no_dataset = ops.SerializeIterator(resource_handle=iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a dataset"), tf.Session() as sess:
        sess.run(ops.ModelDataset(input_dataset=no_dataset, **ELEMENT))


@pytest.mark.parametrize("sloppy", [False, True])
def test_interleaves_of_before(sloppy):
    f = Dataset.range(4).flat_map(lambda x: Dataset.range(x)).variant_tensor.op.get_attr("f")
    wanted = run(Dataset.range(4).interleave(lambda x: Dataset.range(x), 2, 1))

    def made(cycle=2, block=1, buffer=3, ahead=1):
        return tf.raw_ops.ParallelInterleaveDataset(
            **{"input_dataset": Dataset.range(4).variant_tensor, "other_arguments": [], "f": f, "Targuments": []},
            **{"cycle_length": np.int64(cycle), "block_length": np.int64(block), "sloppy": sloppy},
            **{"buffer_output_elements": np.int64(buffer), "prefetch_input_elements": np.int64(ahead), **ELEMENT},
        )

    found, _ = run_variant(made())
    assert (sorted(found) if sloppy else found) == (sorted(wanted) if sloppy else wanted)
    for wrong, text in (
        ({"cycle": 0}, "`cycle_length` must be > 0"),
        ({"block": 0}, "`block_length` must be > 0"),
        ({"buffer": 0}, "`buffer_output_elements` must be `tf.data.AUTOTUNE` or > 0 but is 0"),
        ({"ahead": -2}, "`prefetch_input_elements` must be `tf.data.AUTOTUNE` or >= 0 but is -2"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run_variant(made(**wrong))


@pytest.mark.parametrize("graph_seed", [None, 0, 5])
@pytest.mark.parametrize("seed", [0, 3, 2**31 - 1, 2**40, -1])
def test_a_seed_may_be_a_tensor(graph_seed, seed):
    orders = []
    for given in (seed, np.int64(seed), tf.constant):
        with tf.Graph().as_default():
            tf.set_random_seed(graph_seed)
            given = tf.constant(seed, tf.int64) if given is tf.constant else given
            orders.append(values(Dataset.range(30).shuffle(30, given)))
    assert orders[0] == orders[1] == orders[2] != sorted(orders[0])


def test_a_random_seed_gives_each_call_of_a_function_its_order():
    tf.set_random_seed(1)
    orders = {}
    for name, seed in (("fixed", lambda: 3), ("random", lambda: tf.random_uniform([], 0, 2**31, tf.int64))):
        shuffled = Dataset.range(4).flat_map(lambda _, seed=seed: Dataset.range(20).shuffle(20, seed()).batch(20))
        orders[name] = {tuple(batch) for batch in values(shuffled)}
    assert len(orders["fixed"]) == 1 and len(orders["random"]) == 4


def test_shuffles_that_are_repeated():
    ops, numbers = tf.raw_ops, Dataset.range(6).variant_tensor
    arguments = {"input_dataset": numbers, "buffer_size": np.int64(4), "seed": np.int64(3), "seed2": np.int64(5)}
    generator = ops.DummySeedGenerator()
    once, _ = run_variant(ops.ShuffleDatasetV3(**arguments, seed_generator=generator, **ELEMENT))
    first = {**arguments, "count": np.int64(3), **ELEMENT}
    found, n = run_variant(ops.ShuffleAndRepeatDataset(**first))
    assert n == 18 and found[:6] == once and found[6:12] != once
    assert run_variant(ops.ShuffleAndRepeatDatasetV2(**first, seed_generator=generator)) == (found, 18)
    alike, _ = run_variant(ops.ShuffleAndRepeatDataset(**first, reshuffle_each_iteration=False))
    assert alike == alike[:6] * 3
    for count in (0, -2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="count must be greater than zero or equal to -1"):
            run_variant(ops.ShuffleAndRepeatDataset(**{**first, "count": np.int64(count)}))
    shared = ops.IteratorV2(shared_name="", container="", **ELEMENT)
    for wrong in (
        ops.ShuffleDatasetV3(**arguments, seed_generator=shared, **ELEMENT),
        ops.ShuffleAndRepeatDatasetV2(**first, seed_generator=shared),
        ops.CacheDatasetV2(input_dataset=numbers, filename="", cache=shared, **ELEMENT),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="that is a dummy with the handle of a Iterator"):
            run_variant(wrong)


def test_map_and_batch_as_one():
    f = Dataset.range(4).map(lambda x: x * 2).variant_tensor.op.get_attr("f")

    def made(size=3, calls=2, drop=False):
        return tf.raw_ops.MapAndBatchDataset(
            **{"input_dataset": Dataset.range(5).variant_tensor, "other_arguments": [], "f": f, "Targuments": []},
            **{"batch_size": np.int64(size), "num_parallel_calls": np.int64(calls), "drop_remainder": drop},
            preserve_cardinality=True,
            **ELEMENT,
        )

    found, n = run_variant(made())
    assert [x.tolist() for x in found] == [[0, 2, 4], [6, 8]] and n == 2
    found, n = run_variant(made(drop=True))
    assert [x.tolist() for x in found] == [[0, 2, 4]] and n == 1
    for wrong in ({"size": 0}, {"calls": 0}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
            run_variant(made(**wrong))


@pytest.mark.parametrize("calls", [None, 1, 3, tf.data.AUTOTUNE])
def test_random_numbers_by_the_elements_number_are_those_of_one_thread(calls):
    def noise(i, x):
        return x + tf.random.stateless_uniform([], [7, i], 0, 1 << 30, tf.int64)

    def numbers(calls):
        return run(Dataset.range(50).enumerate().map(noise, calls))

    found = numbers(calls)
    assert found == numbers(None) and len(set(found)) == 50


# ---- State, and names of tf.data.experimental


def test_reductions_and_scans():
    numbers = Dataset.range(1, 5)
    with tf.Session() as sess:
        total = numbers.reduce(np.int64(0), lambda s, x: s + x)
        pair = numbers.reduce((np.int64(0), [0.0]), lambda s, x: (s[0] + x, tf.concat([s[1], [tf.to_float(x)]], 0)))
        assert sess.run(total) == 10
        found = sess.run(pair)
        assert found[0] == 10 and found[1].tolist() == [0, 1, 2, 3, 4] and pair[1].shape.as_list() == [None]
        empty = Dataset.range(0).reduce(np.int64(7), lambda s, x: s + x)
        assert sess.run(empty) == 7
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)Integer division by zero.*<lambda>"):
            sess.run(numbers.reduce(np.int64(0), lambda s, x: s // (x - 2)))
    k = tf.constant(10, tf.int64)
    assert run(numbers.scan(np.int64(0), lambda s, x: (s + x, (s * k, x)))) == [(0, 1), (10, 2), (30, 3), (60, 4)]
    with pytest.raises(TypeError, match="must match the initial state"):
        numbers.reduce(0.0, lambda s, x: x)
    with pytest.raises(TypeError, match="must return a pair"):
        numbers.scan(np.int64(0), lambda s, x: x)


def test_take_while_and_ignored_errors():
    assert run(Dataset.range(9).take_while(lambda x: x < 3)) == [0, 1, 2]
    divided = Dataset.range(5).map(lambda x: 12 // (x - 2))
    assert run(divided.ignore_errors()) == [-6, -12, 12, 6]
    assert run(Dataset.range(5).map(lambda x: 12 // (x - 2), 2).apply(tf.data.experimental.ignore_errors())) == [
        *(-6, -12, 12, 6)
    ]


def test_names_of_the_first_versions():
    """TensorFlow 1.2 and 1.3 had all of tf.data in tf.contrib.data."""
    for name in ("Dataset", "Iterator", "TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset"):
        assert getattr(tf.contrib.data, name) is getattr(tf.data, name)


def test_names_of_experimental():
    e, numbers = tf.data.experimental, Dataset.range(5)
    assert values(numbers.apply(e.map_and_batch(lambda x: 2 * x, 2, drop_remainder=True))) == [[0, 2], [4, 6]]
    assert values(numbers.apply(tf.contrib.data.batch_and_drop_remainder(3))) == [[0, 1, 2]]
    assert sorted(run(numbers.apply(e.shuffle_and_repeat(3, 2, seed=1)))) == sorted(2 * list(range(5)))
    assert run(numbers.batch(2).apply(e.unbatch()).apply(e.enumerate_dataset(1))) == list(enumerate(range(5), 1))
    assert run(e.Counter(3, -2).apply(e.take_while(lambda x: x > -4))) == [3, 1, -1, -3]
    each = e.parallel_interleave(lambda x: Dataset.range(x), 2, 1)
    assert run(Dataset.range(1, 3).apply(each)) == [0, 0, 1]
    assert run(numbers.apply(e.scan(np.int64(0), lambda s, x: (s + x, s)))) == [0, 0, 1, 3, 6]
    with pytest.raises(ValueError, match="only one of"):
        e.map_and_batch(lambda x: x, 2, num_parallel_batches=2, num_parallel_calls=2)
    data = tf.data
    iterator = data.make_initializable_iterator(numbers)
    assert data.get_output_types(iterator) is tf.int64 and data.get_output_shapes(numbers).as_list() == []
    assert data.get_output_classes(numbers) is tf.Tensor
    with tf.Session() as sess:
        assert rest(sess, data.make_one_shot_iterator(numbers).get_next()) == list(range(5))


def test_errors_of_a_part_leave_the_rest():
    """An error in opening the second part, behind a thread."""
    calls = []

    def late():
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("not yet")
        return iter([7])

    parts = Dataset.range(2).concatenate(Dataset.from_generator(late, tf.int64, []))
    for dataset in (parts, parts.prefetch(2)):
        calls.clear()
        iterator = dataset.make_initializable_iterator()
        value = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            assert [sess.run(value) for _ in range(2)] == [0, 1]
            with pytest.raises(tf.errors.InvalidArgumentError, match="not yet"):
                sess.run(value)
            assert rest(sess, value) == [7]


def test_elements_that_fail_are_not_taken():
    divided = Dataset.range(5).map(lambda x: 12 // (x - 2))
    assert run(divided.take(4).ignore_errors()) == [-6, -12, 12, 6]


def test_a_batch_larger_than_the_dataset_takes_no_more_memory():
    assert run(Dataset.range(3).batch(2**40))[0].tolist() == [0, 1, 2]
    rows = run(Dataset.range(3).map(lambda x: tf.fill([5_000_000], x)).batch(4))
    assert rows[0].shape == (3, 5_000_000) and rows[0][:, -1].tolist() == [0, 1, 2]


def test_what_an_assignment_returns_is_a_value():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(np.int64(0), dtype=tf.int64)
        iterator = Dataset.range(1, 4).map(lambda x: tf.assign_add(v, x)).map(lambda y: 2 * y)
        iterator = iterator.make_initializable_iterator()
        sess.run(v.initializer)
        sess.run(iterator.initializer)
        assert rest(sess, iterator.get_next()) == [2, 6, 12]


def odd_ones_fail(x):
    """In a conditional: such a function has an executor that stops by a cancellation of its own when it fails."""
    fails = lambda: tf.py_func(lambda v: [][v], [x], tf.int64)  # noqa: E731
    return tf.cond(tf.equal(x % 2, 1), fails, lambda: tf.identity(x))


@pytest.mark.parametrize("threads", [None, 1, 2, tf.data.AUTOTUNE])
def test_elements_after_an_error_in_a_conditional(threads):
    value = tf.data.Dataset.range(20).map(odd_ones_fail, threads).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for i in range(0, 20, 2):
            assert sess.run(value) == i
            with pytest.raises(tf.errors.OpError, match="IndexError"):
                sess.run(value)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value)


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("ahead", [False, True])
def test_errors_in_conditionals_are_ignored(threads, ahead):
    dataset = tf.data.Dataset.range(20).map(odd_ones_fail, threads)
    dataset = (dataset.prefetch(2) if ahead else dataset).apply(tf.data.experimental.ignore_errors())
    assert values(dataset) == list(range(0, 20, 2))
