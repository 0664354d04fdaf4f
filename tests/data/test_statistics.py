"""What stages of pipelines count, and how tuned ones grow. What threads do is forced by functions that wait."""

import threading

import pytest
from tfcore.core.runtime import num_threads

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.core.registry import statistics

LIMIT_S = 30 * PATIENCE
PREFETCH, MAP = "Prefetch", "ParallelMap"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as new:
        yield new


def counts_of(kind):
    """The counts of the newest iterator's stage of a kind."""
    found = [s for s in statistics.stages() if s["kind"] == kind]
    return max(found, key=lambda s: s["iterator"])["counts"]


def wait_for(condition):
    end = threading.Event()
    for _ in range(int(LIMIT_S / 0.005)):
        if condition():
            return True
        end.wait(0.005)
    return condition()


def reaches(kind, name, value):
    return wait_for(lambda: bool(statistics.stages()) and counts_of(kind)[name] == value)


def python(function, x):
    return tf.py_func(function, [x], tf.int64, stateful=True)


class Bursts:
    """A function that lets elements through when it is told to, and says how many have come."""

    def __init__(self):
        self.allowed, self.came, self.changed = 0, 0, threading.Condition()

    def __call__(self, x):
        with self.changed:
            self.came += 1
            assert self.changed.wait_for(lambda: self.came <= self.allowed, LIMIT_S)
        return x

    def allow(self, n):
        with self.changed:
            self.allowed += n
            self.changed.notify_all()


def test_counts_of_a_prefetch():
    bursts, first = Bursts(), []
    dataset = tf.data.Dataset.range(10).map(lambda x: python(bursts, x)).prefetch(4)
    value = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        thread = threading.Thread(target=lambda: first.append(sess.run(value)))
        thread.start()
        assert reaches(PREFETCH, "empty", 1)
        bursts.allow(10)
        thread.join()
        assert first == [0] and reaches(PREFETCH, "filled", 4)
        counts = counts_of(PREFETCH)
        assert (counts["capacity"], counts["workers"], counts["elements"]) == (4, 1, 1)
        assert counts["empty"] == 1 and counts["consumer_ns"] > 0
        assert [sess.run(value) for _ in range(9)] == list(range(1, 10))
        assert wait_for(lambda: counts_of(PREFETCH)["room_ns"] > 0 and counts_of(PREFETCH)["workers"] == 0)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value)
        assert counts_of(PREFETCH)["elements"] == 10 and counts_of(PREFETCH)["filled"] == 0
    assert not statistics.stages()


def test_names_and_inputs():
    left = tf.data.Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2, name="add")
    dataset = tf.data.Dataset.zip((left, tf.data.Dataset.range(3))).batch(2, name="pairs")
    iterator = dataset.make_initializable_iterator(shared_name="shared")
    with tf.Session() as sess:
        assert not statistics.stages()
        sess.run(iterator.initializer)
        sess.run(iterator.get_next())
        stages = statistics.stages()
        assert [(s["kind"], s["depth"]) for s in stages] == [
            ("Batch", 0),
            ("Zip", 1),
            (MAP, 2),
            ("Range", 3),
            ("Range", 2),
        ]
        assert (stages[0]["name"], stages[2]["name"]) == ("pairs", "add")
        assert {s["iterator_name"] for s in stages} == {"shared"} and {s["taken"] for s in stages} == {1}
        assert stages[0]["taking_ns"] > 0 and stages[0]["counts"] is None
        assert stages[2]["counts"]["workers"] <= 2 and stages[2]["counts"]["function_ns"] > 0


def test_counts_add_up_over_repetitions():
    value = tf.data.Dataset.range(3).prefetch(2).repeat(4).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(value) for _ in range(12)] == [0, 1, 2] * 4
        counts = counts_of(PREFETCH)
        assert counts["elements"] == 12 and counts["filled"] in (0, 1)  # the last one may say the end


def test_queues_are_listed():
    queue = tf.FIFOQueue(3, tf.int64, [[]], name="numbers")
    put, get = queue.enqueue_many([[1, 2]]), queue.dequeue_many(3)
    with tf.Session() as sess:
        sess.run(put)
        (found,) = [q for q in statistics.queues() if q["name"] == "numbers"]
        assert (found["type"], found["elements"], found["capacity"]) == ("FIFOQueue", 2, 3)
        thread = threading.Thread(target=sess.run, args=[get])
        thread.start()
        waits = lambda: [q["dequeues"] for q in statistics.queues() if q["name"] == "numbers"] == [1]  # noqa: E731
        assert wait_for(waits)
        sess.run(put)
        thread.join()
    assert not [q for q in statistics.queues() if q["name"] == "numbers"]


def test_summaries_of_an_iterator():
    iterator = tf.data.Dataset.range(10).prefetch(4).batch(1).make_initializable_iterator()
    value, summaries = iterator.get_next(), tf.summary.input_pipeline(iterator)
    merged = tf.summary.merge_all()
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == summaries

    def read():
        values = tf.Summary.FromString(sess.run(merged)).value
        return {v.tag: v.simple_value for v in values}

    with tf.Session() as sess:
        assert read() == {"iterator/fraction_full": 0, "iterator/seconds_waited": 0}
        sess.run(iterator.initializer)
        sess.run(value)
        assert wait_for(lambda: read()["iterator/fraction_full"] == 1)
        assert read()["iterator/seconds_waited"] > 0


# ---- Tuned stages


def grown(n_times, monkeypatch, budget=None, then=lambda: None):
    """The capacities of a tuned prefetch whose input comes in bursts: all slots are full, then it is found empty.

    then: is called before its session ends.
    """
    if budget is not None:
        monkeypatch.setenv("TFCORE_AUTOTUNE_BYTES", str(budget))
    bursts, seen, results = Bursts(), [], []
    add = lambda: results.append(sess.run(value))  # noqa: E731
    dataset = tf.data.Dataset.range(1000).map(lambda x: python(bursts, x)).prefetch(tf.data.AUTOTUNE)
    value = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        bursts.allow(1)
        results.append(sess.run(value))
        for _ in range(n_times):
            capacity = counts_of(PREFETCH)["capacity"]
            seen.append(capacity)
            bursts.allow(capacity)
            assert reaches(PREFETCH, "filled", capacity)
            results += [sess.run(value) for _ in range(capacity)]
            empty = counts_of(PREFETCH)["empty"]
            thread = threading.Thread(target=add)
            thread.start()
            assert reaches(PREFETCH, "empty", empty + 1)
            bursts.allow(1)
            thread.join()
        then()
        bursts.allow(1000)
    assert results == list(range(len(results)))
    return seen


def test_a_tuned_prefetch_grows_when_elements_come_in_bursts(monkeypatch):
    assert grown(4, monkeypatch) == [1, 2, 4, 8]


def test_a_tuned_prefetch_keeps_to_the_budget(monkeypatch):
    assert grown(4, monkeypatch, budget=4 * 8) == [1, 2, 4, 4]
    assert grown(2, monkeypatch, budget=0) == [1, 1]


def test_a_tuned_prefetch_does_not_grow_for_a_slow_consumer():
    value = tf.data.Dataset.range(20).prefetch(tf.data.AUTOTUNE).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        sess.run(value)
        for _ in range(10):
            assert reaches(PREFETCH, "filled", 1)
            sess.run(value)
        assert counts_of(PREFETCH)["capacity"] == 1


def concurrent_calls(n, x):
    """A function whose calls return once n of them run at the same time."""
    barrier = threading.Barrier(n)

    def wait(value):
        barrier.wait(LIMIT_S)
        return value

    return python(wait, x)


def test_a_tuned_map_gets_workers_while_its_function_takes_the_time():
    n = num_threads()
    dataset = tf.data.Dataset.range(4 * n).map(lambda x: concurrent_calls(n, x), tf.data.AUTOTUNE)
    value = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(value) for _ in range(4 * n)] == list(range(4 * n))
        assert counts_of(MAP)["capacity"] == 2 * n


def test_a_tuned_map_has_one_worker_if_its_input_is_slow():
    arrived = threading.Semaphore(0)
    slow = lambda x: python(lambda v: (arrived.acquire(timeout=LIMIT_S), v)[1], x)  # noqa: E731
    dataset = tf.data.Dataset.range(6).map(slow).map(lambda x: x + 1, tf.data.AUTOTUNE)
    value = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for i in range(4):
            empty = counts_of(MAP)["empty"] if i else 0
            thread = threading.Thread(target=sess.run, args=[value])
            thread.start()
            assert reaches(MAP, "empty", empty + 1)
            arrived.release()
            thread.join()
        assert counts_of(MAP)["capacity"] == 2 and counts_of(MAP)["workers"] == 1
        arrived.release(10)


# ---- Maps with a quick function: the iterator calls it

QUICK = 2000  # after so many elements it is known as quick, unless the machine is very busy


def quick_but_for_some(slow, n=QUICK):
    """A dataset whose elements are quick, but for the last ones, with which `slow` is called."""
    return tf.data.Dataset.range(n + 20).map(
        lambda x: tf.cond(x < n, lambda: tf.identity(x), lambda: python(slow, x)), num_parallel_calls=2
    )


@pytest.mark.parametrize("calls", [2, tf.data.AUTOTUNE])
def test_a_quick_map_is_not_waited_for(calls):
    value = tf.data.Dataset.range(1 << 40).map(lambda x: x + 1, calls).batch(1000).make_one_shot_iterator().get_next()
    with tf.Session() as sess:

        def no_wait():
            before = counts_of(MAP)["empty"]
            sess.run(value)
            return counts_of(MAP)["empty"] == before

        first = sess.run(value)
        assert wait_for(no_wait)
        last = sess.run(value)
        assert list(first) == list(range(1, 1001)) and list(last) == list(range(last[0], last[0] + 1000))


def test_a_quick_map_whose_call_waits_for_the_next_one():
    """The workers take over: the calls for the last elements return once two run at the same time."""
    barrier = threading.Barrier(2)

    def wait(x):
        barrier.wait(LIMIT_S)
        return x

    value = quick_but_for_some(wait).batch(QUICK + 20).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert list(sess.run(value)) == list(range(QUICK + 20))


def test_a_quick_map_fails_and_goes_on():
    def fail(x):
        if x == QUICK + 3:
            raise ValueError("not this one")
        return x

    value = quick_but_for_some(fail).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(value) for _ in range(QUICK + 3)] == list(range(QUICK + 3))
        with pytest.raises(tf.errors.InvalidArgumentError, match="not this one"):
            sess.run(value)
        assert [sess.run(value) for _ in range(16)] == list(range(QUICK + 4, QUICK + 20))
        for _ in range(2):
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(value)
        # An error counts where a worker hands it over.
        assert counts_of(MAP)["elements"] in (QUICK + 19, QUICK + 20)


def test_a_quick_map_ends_with_its_function():
    def end(x):
        raise tf.errors.OutOfRangeError(None, None, "enough")

    value = quick_but_for_some(end).batch(QUICK).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert list(sess.run(value)) == list(range(QUICK))
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value)


def test_the_budget_is_that_of_all_tuned_stages(monkeypatch):
    """A second pipeline finds a part of it used, which the first one gives back at its end."""
    seen = []

    def run_second():
        with tf.Graph().as_default():
            seen.append(grown(3, monkeypatch))

    assert grown(3, monkeypatch, budget=6 * 8, then=run_second) == [1, 2, 4]
    run_second()
    assert seen == [[1, 2, 2], [1, 2, 4]]


def test_a_budget_that_is_none_is_the_default(monkeypatch):
    for text in ("", "much", "-1"):
        monkeypatch.setenv("TFCORE_AUTOTUNE_BYTES", text)
        assert grown(2, monkeypatch) == [1, 2]


def test_a_quick_map_is_closed_at_once_while_a_worker_watches():
    def made():
        return {stage["iterator"] for stage in statistics.stages()}

    others = made()
    value = tf.data.Dataset.range(100000).map(lambda x: x + 1, 1).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for _ in range(QUICK):
            sess.run(value)
        mine = made() - others
        threading.Event().wait(0.012)  # a worker has seen that the iterator rests
    assert mine and wait_for(lambda: not mine & made())
