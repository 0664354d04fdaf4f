"""Queues follow a model in Python: random operations, many that wait, with closes and cancellations."""

import collections
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfcore.distributed.status.waits import long_waits

import tfcore as tf
from tfcore.testing.drawing import EFFORT

pytestmark = [pytest.mark.alone, pytest.mark.cpu]

CAPACITY, KEPT = 4, 2  # of the queues; what a RandomShuffleQueue keeps
KINDS = {
    "fifo": lambda: tf.FIFOQueue(CAPACITY, tf.int64, shapes=[()]),
    "padding": lambda: tf.PaddingFIFOQueue(CAPACITY, tf.int64, shapes=[()]),
    "random": lambda: tf.RandomShuffleQueue(CAPACITY, KEPT, tf.int64, shapes=[()]),
    "priority": lambda: tf.PriorityQueue(CAPACITY, tf.int64, shapes=[()]),
}


class Attempt:
    """An operation as the model sees it. result: None while it waits, an error class, or the values it took."""

    def __init__(self, action, count, values=()):
        self.action, self.count, self.values = action, count, list(values)
        self.held, self.result = [], None


class Model:
    """The queue: what is in it, and who waits in the two lines. Elements of a random queue are not told apart."""

    def __init__(self, kind):
        self.kind, self.elements, self.closed = kind, [], False
        self.enqueues, self.dequeues = collections.deque(), collections.deque()

    def start(self, attempt):
        (self.dequeues if "dequeue" in attempt.action else self.enqueues).append(attempt)
        self.serve()

    def cancel(self, attempt):
        attempt.result = tf.errors.DeadlineExceededError
        for line in (self.enqueues, self.dequeues):
            if attempt in line:
                line.remove(attempt)
        self.give_back(attempt)
        self.serve()

    def close_now(self):
        self.closed = True
        for attempt in self.enqueues:
            attempt.result = tf.errors.CancelledError
        self.enqueues.clear()
        self.serve()

    def serve(self):
        changed = True
        while changed:
            changed = False
            for line in (self.enqueues, self.dequeues):
                while line and self.step(line[0]):
                    changed = True
                    if line[0].result is None:
                        break
                    line.popleft()

    def step(self, a):
        """Whether the attempt got on."""
        if "dequeue" in a.action:
            return self.dequeue(a)
        if a.action == "close":
            a.result = tf.errors.CancelledError if self.closed else ()
            self.closed = True
            return True
        if self.closed:
            a.result = tf.errors.CancelledError
            return True
        room = max(0, CAPACITY - len(self.elements))
        moved, a.values = a.values[:room], a.values[room:]
        self.elements += moved
        if self.kind == "priority":
            self.elements.sort()
        if not a.values:
            a.result = ()
        return bool(moved) or a.result is not None

    def dequeue(self, a):
        missing = a.count - len(a.held)
        if self.closed and len(self.elements) < missing:
            self.give_back(a)
            if a.action == "dequeue_up_to" and self.elements:
                missing = len(self.elements)
            else:
                a.result = tf.errors.OutOfRangeError
                return True
        there = len(self.elements) - (KEPT if self.kind == "random" and not self.closed else 0)
        if there <= 0 or self.kind == "priority" and there < missing:
            return False
        n = min(missing, there)
        a.held += self.elements[:n]
        del self.elements[:n]
        if n == missing:
            a.result = a.held
        return True

    def give_back(self, a):
        self.elements[:0] = a.held
        a.held = []


class Runs:
    """The operations of a queue, each run on a thread of its own."""

    def __init__(self, kind, session):
        self.queue, self.session, self.priority = KINDS[kind](), session, kind == "priority"
        self.fed = tf.placeholder(tf.int64, [None])
        self.many = tf.placeholder(tf.int32, [])
        one = [self.fed[0]] * (1 + self.priority)
        rows = [self.fed] * (1 + self.priority)
        q = self.queue
        self.ops = {
            "enqueue": q.enqueue(one),
            "enqueue_many": q.enqueue_many(rows),
            "dequeue": q.dequeue(),
            "dequeue_many": q.dequeue_many(self.many),
            "dequeue_up_to": q.dequeue_up_to(self.many),
            "close": q.close(),
            "close_now": q.close(cancel_pending_enqueues=True),
            "size": q.size(),
        }
        self.threads = {}

    def start(self, attempt, timeout):
        feeds = {self.fed: attempt.values, self.many: attempt.count}
        options = tf.RunOptions(timeout_in_ms=timeout)

        def run():
            try:
                got = self.session.run(self.ops[attempt.action], feeds, options=options)
                got = got[-1] if isinstance(got, list) else got
                found.append([] if got is None else [int(x) for x in got] if got.ndim else [int(got)])
            except tf.errors.OpError as error:
                found.append(type(error))

        found = []
        thread = threading.Thread(target=run)
        self.threads[attempt] = thread, found
        thread.start()

    def result(self, attempt):
        thread, found = self.threads.pop(attempt)
        thread.join(120)
        assert found, f"{attempt.action} hangs"
        return found[0]

    def settle(self, waiting):
        """Returns when no operation is running, and `waiting` of them wait."""
        end = time.monotonic() + 120
        while True:
            alive = sum(t.is_alive() for t, _ in self.threads.values())
            if alive == waiting and len(long_waits(0)) == waiting:
                return
            assert time.monotonic() < end, f"{waiting} operations should wait, {alive} do"
            time.sleep(0.0005)


ACTIONS = st.one_of(
    st.tuples(st.just("enqueue"), st.just(1)),
    st.tuples(st.just("enqueue_many"), st.integers(0, 6)),
    st.tuples(st.just("dequeue"), st.just(1)),
    st.tuples(st.sampled_from(["dequeue_many", "dequeue_up_to"]), st.integers(1, 6)),
    st.tuples(st.sampled_from(["close", "close_now"]), st.integers(0, 2)),
    st.tuples(st.just("cancel"), st.integers(0, 9)),
)


@pytest.mark.parametrize("kind", list(KINDS))
@settings(max_examples=max(1, int(25 * EFFORT)), deadline=None)
@given(actions=st.lists(ACTIONS, max_size=14))
def test_queues_follow_a_model(kind, actions):
    with tf.Graph().as_default(), tf.Session() as session:
        _compare(kind, Model(kind), Runs(kind, session), actions)


def _compare(kind, model, runs, actions):
    number, put, taken, pending = 0, [], [], []
    for action, count in actions:
        if action == "close_now" and count == 0:  # rarely
            runs.session.run(runs.ops["close_now"])
            model.close_now()
        elif action == "close" and count or action == "close_now":
            continue
        elif action == "cancel":
            # It comes last in its line and is cancelled before anybody else comes.
            attempt = Attempt("dequeue_many", 1 + count)
            model.start(attempt)
            runs.start(attempt, timeout=0 if attempt.result is not None else 40)
            if attempt.result is None:
                model.cancel(attempt)
            pending.append(attempt)
        else:
            values = range(number, number + count) if "enqueue" in action else ()
            number += len(values)
            attempt = Attempt(action, count, values)
            put += values
            runs.start(attempt, timeout=0)
            if not (action == "enqueue_many" and count == 0):
                model.start(attempt)
            else:
                attempt.result = ()
            pending.append(attempt)
        runs.settle(sum(a.result is None for a in pending))
        pending = _check_done(kind, runs, pending, taken)
        assert runs.session.run(runs.ops["size"]) == len(model.elements)
    runs.session.run(runs.ops["close_now"])
    model.close_now()
    for attempt in pending:
        assert attempt.result is not None
    assert not _check_done(kind, runs, pending, taken)
    rest = len(model.elements)
    if rest:
        got = runs.session.run(runs.ops["dequeue_many"], {runs.many: rest})
        taken += list(got[-1] if isinstance(got, list) else got)
        if kind != "random":
            assert taken[-rest:] == model.elements
    assert len(set(taken)) == len(taken) and set(taken) <= set(put)


def _check_done(kind, runs, pending, taken):
    for attempt in pending:
        if attempt.result is None:
            continue
        got = runs.result(attempt)
        if isinstance(attempt.result, type):
            assert got is attempt.result
        elif kind == "random":
            assert len(got) == len(attempt.result)
        else:
            assert got == list(attempt.result)
        if "dequeue" in attempt.action and not isinstance(got, type):
            taken += got
    return [a for a in pending if a.result is None]
