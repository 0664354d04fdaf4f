"""Staging areas with keys: keys, parts, limits, waiting, errors; and random operations against a model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.ops.queues.test_stage import SOON, background
from tests.threads import in_threads, rounds
from tfcore.testing.drawing import EFFORT

MapStagingArea = tf.contrib.staging.MapStagingArea
pytestmark = pytest.mark.cpu


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


@pytest.fixture(params=[False, True])
def ordered(request):
    return request.param


def test_tuples_are_found_by_key(sess, ordered):
    area = MapStagingArea([tf.float32, tf.string], shapes=[[None], []], ordered=ordered)
    x, key = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [])
    put = area.put(key, [x, tf.as_string(key)], [0, 1])
    asked, get = area.get(key)
    assert asked is key and [t.shape.as_list() for t in get] == [[None], []]
    for k in (2, -1, 2**40):
        sess.run(put, {x: np.full(2, k), key: k})
    assert sess.run([area.size(), area.incomplete_size()]) == [3, 0]
    for k in (2**40, -1):
        values, text = sess.run(get, {key: k})
        assert values.tolist() == [k, k] and text == str(k).encode()
    join = background(sess, area.get(7)[1])
    sess.run(put, {x: np.ones(7), key: 7})
    assert join()[0][1] == b"7" and sess.run(area.size()) == 1
    assert put.type == ("OrderedMapStage" if ordered else "MapStage")


def test_any_key(sess, ordered):
    area = MapStagingArea([tf.int32], ordered=ordered)
    key, values = area.get()
    keys = [5, -3, 8, 0, 7, 6]
    for k in keys:
        sess.run(area.put(k, [10 * k], [0]))
    got = [sess.run([key, values[0]]) for _ in keys]
    assert sorted(map(tuple, got)) == [(k, 10 * k) for k in sorted(keys)] and key.dtype == tf.int64
    assert not ordered or got == sorted(got)
    join = background(sess, [key, values[0]])
    sess.run(area.put(1, 2, [0]))
    assert join() == [[1, 2]]


def test_parts(sess, ordered):
    area = MapStagingArea([tf.int32, tf.float32, tf.string], names=["a", "b", "c"], ordered=ordered)
    sess.run(area.put(1, {"c": "x", "a": 3}))
    sess.run(area.put(2, {"b": 0.5}))
    assert sess.run([area.size(), area.incomplete_size()]) == [0, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index '2' for key '1' was already initialized '3'"):
        sess.run(area.put(1, {"b": 1.5, "c": "y"}))
    join = background(sess, area.peek(1)["b"])
    sess.run(area.put(1, {"b": 1.5}))
    assert join() == [1.5] and sess.run([area.size(), area.incomplete_size()]) == [1, 1]
    assert sess.run(area.get(1, ["a", "c"])[1]) == {"a": 3, "c": b"x"}
    with pytest.raises(tf.errors.InvalidArgumentError, match="index '0' for key '1' has already been removed"):
        sess.run(area.get(1)[1])
    assert sess.run(area.size()) == 1
    assert sess.run(area.get(indices=[1])) == (1, {"b": 1.5})
    assert sess.run([area.size(), area.incomplete_size()]) == [0, 1]


def test_a_key_that_is_there_keeps_its_tuple(sess, ordered):
    area = MapStagingArea([tf.int32, tf.int32], ordered=ordered, memory_limit=16)
    for value in (1, 2):
        sess.run(area.put(0, [value, value], [0, 1]))
    sess.run(area.put(0, [3], [0]))
    sess.run(area.put(0, [3], [1]))
    assert sess.run([area.size(), area.incomplete_size()]) == [1, 0]
    sess.run(area.put(1, [4, 4], [0, 1]))  # what was left out takes no memory
    assert sess.run([area.get(0)[1], area.get(1)[1]]) == [[1, 1], [4, 4]]


def test_capacity(sess, ordered):
    area = MapStagingArea([tf.int32, tf.int32], ordered=ordered, capacity=2)
    sess.run(area.put(0, [0, 0], [0, 1]))
    sess.run(area.put(1, [1, 1], [0, 1]))
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(area.put(9, [9, 9], [0, 1]), options=SOON)
    join = background(sess, area.put(2, [2, 2], [0, 1]), area.put(3, [3, 3], [0, 1]))
    sess.run(area.put(5, [5], [1]))  # a part needs no room
    sess.run(area.put(5, [5], [0]))
    assert sess.run(area.size()) == 3
    assert sess.run(area.get(0, [0])[1]) == [0]  # makes no room yet
    assert sess.run(area.get(1)[1]) == [1, 1] and sess.run(area.size()) == 2
    assert sess.run(area.get(0, [1])[1]) == [0]
    assert [sess.run(area.get(key)[1]) for key in (2, 5, 3)] == [[2, 2], [5, 5], [3, 3]]
    join()


def test_memory_limit(sess, ordered):
    area = MapStagingArea([tf.float32, tf.string], ordered=ordered, memory_limit=100)
    x, key = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64)
    put = area.put(key, [x], [0])
    with pytest.raises(tf.errors.ResourceExhaustedError, match="combined size of '104' bytes .* limit of '100'"):
        sess.run(put, {x: np.ones(26), key: 1})
    sess.run(put, {x: np.ones(15), key: 1})
    join = background(sess, area.put(2, [tf.ones([11])], [0]))
    sess.run(area.put(1, ["four"], [1]))  # passes by
    assert sess.run(area.peek(1)[1]) == b"four"
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(put, {x: np.ones(25), key: 3}, options=SOON)
    sess.run(area.get(1, [0])[1])
    join()
    assert sess.run(area.incomplete_size()) == 1


def test_peek(sess, ordered):
    area = MapStagingArea([tf.int32, tf.int32], ordered=ordered)
    join = background(sess, area.peek(1), area.peek(0, [1]))
    sess.run(area.put(0, [5, 6], [0, 1]))
    sess.run(area.put(1, [7, 8], [0, 1]))
    assert join() == [[7, 8], [6]] and sess.run(area.size()) == 2


def test_clearing_makes_room(sess, ordered):
    area = MapStagingArea([tf.int32, tf.int32], ordered=ordered, capacity=1)
    sess.run(area.put(5, [5, 5], [0, 1]))
    sess.run(area.put(7, [5], [0]))
    join = background(sess, area.put(6, [6, 6], [0, 1]))
    sess.run(area.clear())
    join()
    assert sess.run([area.size(), area.incomplete_size()]) == [1, 0]
    assert sess.run(area.get()[1]) == [6, 6]


def test_ordered_and_other_areas_have_their_own_names(sess):
    areas = [MapStagingArea([tf.int32], shared_name="x", ordered=o) for o in (False, True)]
    sess.run(areas[0].put(1, 1, [0]))
    assert sess.run([a.size() for a in areas]) == [1, 0]
    assert sess.run(MapStagingArea([tf.int32], shared_name="x").get()[1]) == [1]


def test_errors_when_running(sess, ordered):
    area = MapStagingArea([tf.int32, tf.int32], ordered=ordered, shared_name="x")
    sess.run(area.put(1, [1, 2], [0, 1]))
    prefix = "Ordered" if ordered else ""
    key, indices = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
    raw = {"shared_name": "x"}
    take = getattr(tf.raw_ops, f"{prefix}MapUnstage")(key=key, indices=indices, dtypes=[tf.int32], **raw)
    put = getattr(tf.raw_ops, f"{prefix}MapStage")(
        key=key, indices=indices, values=[1, 2], dtypes=[tf.int32, tf.int32], **raw
    )
    other = getattr(tf.raw_ops, f"{prefix}MapStage")(key=2, indices=[0], values=[1], dtypes=[tf.int32] * 3, **raw)
    for op, k, i, text in (
        (take, 1, [], "Indices are empty"),
        (take, 1, [0, 1], "Mismatch stage/unstage: 2 vs. 1"),
        (take, 1, [2], "Index '2' for key '1' was out of bounds '2'"),
        (take, 1, [-1], "Index '-1' for key '1' was out of bounds '2'"),
        (take, [1, 2], [0], r"key must be an int64 scalar, got tensor with shape: \[2\]"),
        (put, 1, [0], "Number of indices '1' doesn't match number of values '2'"),
        (put, 2, [1, 0], "Indices are not strictly ordered"),
        (put, 2, [0, 0], "Indices are not strictly ordered"),
        (put, 2, [1, 2], "Index '2' for key '2' was out of bounds '2'"),
        (other, 2, [0], "Tuples of this staging area have 2 tensors, not 3"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(op, {key: k, indices: i})
    assert sess.run([area.size(), area.incomplete_size()]) == [1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor 0 is of type int32, not float"):
        sess.run(MapStagingArea([tf.float32, tf.int32], shared_name="x", ordered=ordered).get(1)[1])


def test_errors_when_building(sess):
    area, named = MapStagingArea([tf.int32, tf.int32]), MapStagingArea([tf.int32, tf.int32], names=["a", "b"])
    for call, text in (
        (lambda: area.put(1, [1, 2]), "Indices must be supplied"),
        (lambda: area.put(1, [1, 2], [0]), "Number of indices 1 doesn't match number of values 2"),
        (lambda: area.put(1, [1, 2, 3], [0, 1, 2]), "Unexpected number of inputs 3 vs 2"),
        (lambda: area.put(1, [1], [2]), "Index 2 is out of bounds"),
        (lambda: area.put(1, [], []), "Empty tuple"),
        (lambda: area.put(1, [1.0], [0]), "Datatypes do not match"),
        (lambda: area.put(1, {"a": 1}), "must have names"),
        (lambda: named.put(1, [1], [0]), "You must enqueue a dictionary"),
        (lambda: named.put(1, {"c": 1}), "do not match names"),
        (lambda: area.get(1, []), "Empty indices"),
        (lambda: area.get(1, ["a"]), "was not created with names"),
        (lambda: named.peek(1, ["c"]), "Named index 'c' not in"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    for indices, text in ((3, "Invalid indices type"), ([0, "a"], "Mixed types in indices")):
        with pytest.raises(TypeError, match=text):
            named.get(1, indices)


def test_the_users_memory(sess):
    area, fed = MapStagingArea([tf.float32]), tf.placeholder(tf.float32, [2])
    array = np.ones(2, np.float32)
    sess.run(area.put(0, [fed], [0]), {fed: array})
    array[:] = 9
    assert sess.run(area.get(0)[1])[0].tolist() == [1, 1]


@settings(deadline=None, max_examples=int(25 * EFFORT) or 5)
@given(st.data())
def test_a_model(data):
    """Random puts of parts, takes and peeks that need not wait, against dictionaries."""
    ordered = data.draw(st.booleans())
    complete, parts = {}, {}
    keys, places = st.integers(-4, 4), st.sets(st.integers(0, 2), min_size=1).map(sorted)
    with tf.Graph().as_default(), tf.Session() as sess:
        area = MapStagingArea([tf.int32] * 3, ordered=ordered)
        for value in range(data.draw(st.integers(5, 30))):
            key, indices = data.draw(keys), data.draw(places)
            if data.draw(st.booleans()):
                taken = parts.setdefault(key, {}) if len(indices) < 3 else {}
                wrong = any(i in taken for i in indices)
                op = area.put(key, [value] * len(indices), indices)
                if not wrong:
                    taken.update((i, value) for i in indices)
                if len(taken) == 3:
                    if len(indices) < 3:
                        del parts[key]
                    complete.setdefault(key, taken)
                parts = {k: v for k, v in parts.items() if v}
            else:
                any_key = bool(complete) and data.draw(st.booleans())
                key = min(complete) if any_key else key
                if key not in complete:
                    continue
                wrong = any(i not in complete[key] for i in indices)
                peeks = not any_key and data.draw(st.booleans())
                wanted = [complete[key].get(i) for i in indices]
                if peeks:
                    op = area.peek(key, indices)
                else:
                    op = area.get(None if any_key and ordered else key, indices)[1]
                if not peeks and not wrong:
                    for i in indices:
                        del complete[key][i]
                    complete = {k: v for k, v in complete.items() if v}
            if wrong:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    sess.run(op)
            else:
                found = sess.run(op)
                assert found is None or found == wanted
            assert sess.run([area.size(), area.incomplete_size()]) == [len(complete), len(parts)]


@pytest.mark.alone
def test_many_threads(sess, ordered):
    count = rounds(300)
    area, key = MapStagingArea([tf.int64, tf.int64], ordered=ordered, capacity=3), tf.placeholder(tf.int64, [])
    first, second = (sess.make_callable(area.put(key, [key], [i]), [key]) for i in range(2))
    whole = sess.make_callable(area.put(key, [key, key], [0, 1]), [key])
    get, get_any = sess.make_callable(area.get(key)[1], [key]), sess.make_callable(area.get())
    got = [[] for _ in range(2)]

    def take(t):
        for i in range(count):
            a, b = get(4 * i + t)
            assert a == b == 4 * i + t
            got[t].append(int(a))

    in_threads(
        [
            lambda: [whole(4 * i) for i in range(count)],
            lambda: [first(4 * i + 1) for i in range(count)],
            lambda: [second(4 * i + 1) for i in range(count)],
            lambda: take(0),
            lambda: take(1),
        ]
    )
    assert got == [[4 * i + t for i in range(count)] for t in range(2)]
    before = memory_stats()["bytes_in_use"]
    for i in range(count):
        whole(i)
        assert get_any() == (i, [i, i])
    assert memory_stats()["bytes_in_use"] <= before + 1024
