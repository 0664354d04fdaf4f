"""Which stage of an input pipeline holds steps up: from counts, and from pipelines with one slow stage."""

import re
import time

import pytest

import tfcore as tf
from tests.client.test_time_report import check_sums, sess, traced  # noqa: F401
from tfcore.client import input_report, time_report

pytestmark = pytest.mark.cpu

MS = 1_000_000
SLOW_S = 0.02


def stage(kind, depth=0, iterator=1, taking_ms=1000, **counts):
    zero = dict.fromkeys(
        ("capacity", "filled", "workers", "calling", "elements", "empty", "damaged")
        + ("consumer_ns", "room_ns", "input_ns", "function_ns"),
        0,
    )
    return {
        "iterator": iterator,
        "taken": 1,
        "taking_ns": taking_ms * MS,
        "iterator_name": f"it{iterator}",
        "name": f"a/dataset_factory/{kind.lower()}",
        "kind": kind,
        "depth": depth,
        "counts": {**zero, **counts} if counts else None,
    }


def only(after, before=()):
    (found,) = input_report.bottlenecks(before, after)
    return found


def test_a_function_that_takes_the_time(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    busy = {"consumer_ns": 900 * MS, "function_ns": 1800 * MS, "input_ns": 10 * MS}
    pipeline = [
        stage("Prefetch", consumer_ns=950 * MS, input_ns=1000 * MS, workers=1),
        stage("ParallelMap", 1, workers=2, **busy),
        stage("Files", 2),
    ]
    found = only(pipeline)
    assert found.kinds == ["ParallelMap"] and found.names == ["parallelmap"] and found.threads == 2
    assert "more num_parallel_calls may help, there are 4 cores" in found.advice
    assert str(found).startswith("it1 is held up by ParallelMap 'parallelmap', with 2 threads: ")
    pipeline[1]["kind"] = "ParallelInterleave"
    assert "a larger cycle_length" in only(pipeline).advice
    pipeline[1]["kind"], pipeline[1]["counts"]["workers"] = "ParallelMap", 4
    assert "only a cheaper function helps" in only(pipeline).advice


@pytest.mark.parametrize(
    ("below", "advice"),
    [
        (["Batch", "Map", "Files"], "map(..., num_parallel_calls"),
        (["Batch", "Interleave", "Files"], "interleave(..., num_parallel_calls"),
        (["Files"], "several files at the same time"),
        (["Shuffle", "Generator"], "GIL"),
        (["Batch", "Range"], "one after the other"),
    ],
)
def test_stages_on_one_thread(below, advice):
    waits = {"consumer_ns": 900 * MS, "input_ns": 1000 * MS, "workers": 1}
    found = only([stage("Prefetch", **waits), *(stage(kind, i + 1) for i, kind in enumerate(below))])
    assert found.kinds == below and found.threads == 1 and advice in found.advice


def test_stages_on_the_thread_of_the_step():
    found = only([stage("Batch"), stage("Map", 1), stage("Range", 2)])
    assert found.kinds == ["Batch", "Map", "Range"] and found.threads == 0 and found.waited == 1.0
    assert "prefetch" in found.advice and "the thread of the step" in str(found)
    quick = stage("ParallelMap", 1, consumer_ns=100 * MS, function_ns=500 * MS)
    found = only([stage("Batch"), quick, stage("Range", 2)])
    assert found.kinds == ["Batch"] and found.waited == pytest.approx(0.9)


def test_of_several_inputs_the_one_that_was_waited_for():
    pipeline = [
        stage("Prefetch", consumer_ns=900 * MS, input_ns=1000 * MS, workers=1),
        stage("Zip", 1),
        stage("ParallelMap", 2, consumer_ns=50 * MS, function_ns=60 * MS, workers=1),
        stage("Range", 3),
        stage("ParallelMap", 2, consumer_ns=800 * MS, function_ns=900 * MS, workers=3),
        stage("Range", 3),
    ]
    assert only(pipeline).threads == 3


def test_only_what_was_added_counts():
    def pipeline(taking_ms, **counts):
        return [stage("Prefetch", taking_ms=taking_ms, **counts), stage("Map", 1, taking_ms=taking_ms)]

    first = pipeline(5000, consumer_ns=5000 * MS, input_ns=5000 * MS, elements=7)
    then = pipeline(5100, consumer_ns=5100 * MS, input_ns=5200 * MS, elements=8)
    assert only(then, first).waited == pytest.approx(0.1)
    again = pipeline(5200, consumer_ns=100 * MS, input_ns=100 * MS, elements=1)
    assert only(again, then).waited == pytest.approx(0.1)  # it was begun again
    assert input_report.bottlenecks(then, then) == []


def test_the_iterator_that_was_waited_for_longest_is_the_first():
    def pipeline(number, ms):
        waits = {"consumer_ns": ms * MS, "input_ns": ms * MS}
        return [stage("Prefetch", 0, number, ms, **waits), stage("Map", 1, number, ms)]

    found = input_report.bottlenecks([], [*pipeline(1, 10), *pipeline(2, 90)])
    assert [(b.iterator, b.waited) for b in found] == [("it2", pytest.approx(0.09)), ("it1", pytest.approx(0.01))]


# ---- Of steps


def slowly(x):
    def wait(value):
        time.sleep(SLOW_S)
        return value

    return tf.py_func(wait, [x], tf.int64)


def report_of(session, dataset, steps=5):
    value = dataset.make_one_shot_iterator().get_next()
    report = tf.train.TimeReport([traced(session, value) for _ in range(steps)])
    check_sums(report)
    return report


def test_a_slow_function_of_a_map(sess):  # noqa: F811
    dataset = tf.data.Dataset.range(100).map(slowly, num_parallel_calls=1, name="decode").prefetch(1)
    report = report_of(sess, dataset)
    assert report.bound_by_input() > 0.5
    share = report.shares[0]["/job:localhost/replica:0/task:0"]
    assert max(share, key=share.get) == time_report.FOR_INPUT
    (found,) = report.bottlenecks
    assert (found.names, found.kinds, found.threads) == (["decode"], ["ParallelMap"], 1)
    text = str(report)
    assert re.search(r"the input holds the steps up: they wait for it for \d+\.\d% of their time\n", text), text
    assert "OneShotIterator is held up by ParallelMap 'decode', with 1 thread: its function takes the time" in text


def test_a_slow_stage_in_front_of_a_prefetch_and_on_the_thread_of_the_step(sess):  # noqa: F811
    slow = tf.data.Dataset.range(100).map(slowly, name="decode").batch(1)
    report = report_of(sess, slow.prefetch(1))
    assert report.bottlenecks[0].kinds == ["Batch", "Map", "Range"] and report.bottlenecks[0].threads == 1
    report = report_of(sess, slow)
    assert report.bound_by_input() > 0.5
    assert "with the thread of the step: end the dataset with prefetch" in str(report)


def test_a_fast_input_does_not_hold_steps_up(sess):  # noqa: F811
    value = tf.data.Dataset.range(100).prefetch(4).make_one_shot_iterator().get_next()
    sess.run(value)
    report = tf.train.TimeReport([traced(sess, slowly(value)) for _ in range(5)])
    assert report.bound_by_input() < 0.2 and "held up" not in str(report)


def test_a_queue_that_is_filled_slowly(sess):  # noqa: F811
    queue = tf.FIFOQueue(10, tf.int64, [[]])
    closed = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    put = queue.enqueue(slowly(tf.constant(1, tf.int64)))
    runner = tf.train.QueueRunner(queue, [put], queue_closed_exception_types=closed)
    threads = runner.create_threads(sess, start=True, daemon=True)
    value = queue.dequeue(name="take")
    report = tf.train.TimeReport([traced(sess, value) for _ in range(5)])
    sess.run(queue.close(cancel_pending_enqueues=True))
    for thread in threads:
        thread.join()
    assert re.search(r"\ntake waited .*s for elements: more threads that fill its queue may help", str(report))
