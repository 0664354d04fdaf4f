"""Ranks that compile steps with different collectives are told at once, and never wait for each other for ever."""

import json
import threading
import time

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import tasks
from tests.distributed.collectives.test_collective import join
from tests.distributed.collectives.test_collective_failure import error_of


def different_graphs(task, case):
    from tfcore.distributed.collectives import consistency as collective_consistency

    collective_consistency.GRACE_S = 0.3
    d = join(task)
    x = tf.ones([2, 3], name="x")
    odd = task.rank == 1
    a = d.allreduce(x, name="a")
    if case == "missing":
        fetches = [a] if odd else [a, d.allreduce(x, name="b")]
    elif case == "disjoint":
        fetches = [d.allreduce(x, name="b")] if odd else [a]
    elif case == "shape":
        fetches = [d.allreduce(tf.ones([4 if odd else 2, 3], name="y"), name="c")]
    else:
        fetches = [d.allreduce(x, group=[0, 1, 2] if odd else [0, 1], name="c")] if task.rank < 2 else []
    with tf.Session() as session:
        result = error_of(lambda: session.run(fetches)) if fetches else ["", ""]
    task.meet()  # nobody leaves before all know
    return result


@pytest.mark.parametrize(
    "case, parts",
    [
        ("missing", ["'b'", "does not have it", "has allreduce (sum) among ranks [0, 1, 2] of float32[2,3] 'x:0'"]),
        ("disjoint", ["wait for each other", "waits in 'a'", "waits in 'b'"]),
        ("shape", ["'c'", "float32[2,3] 'y:0'", "float32[4,3] 'y:0'"]),
        ("group", ["'c'", "among ranks [0, 1] of", "among ranks [0, 1, 2] of"]),
    ],
)
def test_different_graphs(case, parts):
    """All ranks look after the same time; one may hear that another's step has failed before it has looked itself."""
    results = tasks.run(3, different_graphs, case)[: 2 if case == "group" else 3]
    kinds = {kind for kind, _ in results}
    assert "InvalidArgumentError" in kinds and kinds <= {"InvalidArgumentError", "AbortedError"}, results
    for _, text in results:
        for part in [*parts, "(rank 1)"]:
            assert part in text, text


def one_against_many(task):
    """How many threads wait to look again when one rank has compiled a step, and the others another one."""
    from tfcore.distributed.collectives import collective
    from tfcore.distributed.collectives import consistency as collective_consistency

    collective_consistency.GRACE_S = 60.0
    d = join(task)
    a, b = (d.allreduce(tf.ones([2]), name=name) for name in "ab")
    first, second = (b, a) if task.rank else (a, b)
    with tf.Session() as session:
        if task.rank == 0:
            task.meet()
        run = threading.Thread(target=session.run, args=[first])
        run.start()
        while not collective.waits(first.op.name):
            time.sleep(0.01)
        if task.rank:
            task.meet()
        timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
        task.meet()
        result = session.run(second).tolist()
        run.join()
    return [len(timers), result]


def test_one_thread_looks_again_for_all_peers():
    timers, results = zip(*tasks.run(5, one_against_many))
    assert timers == (1, 0, 0, 0, 0) and results == ([5.0, 5.0],) * 5


def unknown_sizes(task):
    """One rank knows the shape when it compiles, the other does not: it turns out to be the same."""
    d = join(task)
    x = tf.placeholder(tf.float32, [None, 3] if task.rank else [2, 3])
    total = d.allreduce(x, name="total")
    with tf.Session() as session:
        for _ in range(3):
            result = session.run(total, {x: np.ones([2, 3])})
    return result.tolist()


def test_sizes_that_are_not_known_are_compared_when_the_step_runs():
    assert tasks.run(2, unknown_sizes) == [[[2.0] * 3] * 2] * 2


def threads_in_any_order(task):
    """Two threads compile their steps in different orders on different ranks."""
    from tfcore.distributed.collectives import consistency as collective_consistency

    collective_consistency.GRACE_S = 0.1
    d = join(task)
    results, begin = {}, threading.Event()

    def work(name, first):
        with tf.Graph().as_default(), tf.Session() as session:
            total = d.allreduce(tf.ones([3]), name=name)
            if not first:
                begin.wait()
            begin.set()
            for _ in range(20):
                results[name] = float(session.run(total)[0])

    threads = [threading.Thread(target=work, args=[name, i == task.rank % 2]) for i, name in enumerate("ab")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def test_threads_in_any_order():
    assert tasks.run(2, threads_in_any_order) == [{"a": 2.0, "b": 2.0}] * 2


def compile_again(task, how):
    """Rank 0 compiles a step again, rank 1 need not. Rank 1 is the first to compile another step with the same sum."""
    from tfcore.client import plan_cache

    plan_cache.MAX_PLANS = 2
    d = join(task)
    v = tf.Variable(1.0)
    total = d.allreduce(v, name="total")
    optimizer = tf.train.GradientDescentOptimizer(tf.constant(0.25) * tf.constant(2.0))
    train = optimizer.apply_gradients([(total, v)])
    both = [train, d.allreduce(tf.ones([3]), name="other")]
    rest = [tf.constant(i) for i in range(2 * plan_cache.MAX_PLANS)]
    alone = task.rank == 0
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(train)
        if alone and how == "dropped":
            for constant in rest:
                session.run(constant)
        options = tf.RunOptions(check_numerics=True) if alone and how == "numerics are checked" else None
        session.run(train, options=options)
        task.meet()
        if task.rank == 1:
            session.make_callable(both)
        task.meet()
        other = session.run(both)[1]
        result = float(session.run(v)), other.tolist()
    task.meet()
    return result


@pytest.mark.parametrize("how", ["dropped", "numerics are checked"])
def test_a_step_that_one_rank_compiles_again(how):
    assert tasks.run(2, compile_again, how) == [[0.0, [2.0] * 3]] * 2


def correct_and_compile_again(task, late):
    """Attempts at one collective: ranks differ, differ otherwise, then agree. The late rank is last each time."""
    d = join(task)
    odd = task.rank == 1

    def attempt(build, x):
        task.meet()
        if task.rank == late:
            time.sleep(0.3)
        with tf.Graph().as_default(), tf.Session() as session:
            return session.run(build(tf.constant(x), name="total"))

    def fails(build, x):
        kind, text = error_of(lambda: attempt(build, x))
        return kind, text

    results = []
    for _ in range(2):
        results.append(fails(d.allreduce, np.ones(3, np.int32 if odd else np.float32)))
        results.append(fails(d.allgather if odd else d.allreduce, np.ones(3, np.float32)))
        for _ in range(3):
            results.append(attempt(d.allreduce, np.ones(3, np.float32)).tolist())
    task.meet()
    return results


@pytest.mark.parametrize("late", range(3))
def test_after_an_error_a_corrected_step_can_be_compiled_under_the_same_names(late):
    for results in tasks.run(3, correct_and_compile_again, late):
        for first, second, *sums in (results[:5], results[5:]):
            assert first[0] == second[0] == "InvalidArgumentError"
            assert "int32[3]" in first[1] and "allgather" in second[1], (first, second)
            assert sums == [[3.0] * 3] * 3


def add_what_was_missing(task, late, lacks):
    """One rank lacks a collective that the others have; then all have it."""
    d = join(task)

    def attempt(names):
        task.meet()
        if task.rank == late:
            time.sleep(0.3)
        with tf.Graph().as_default(), tf.Session() as session:
            ones = tf.ones([3])
            return session.run([d.allreduce(ones * i, name=name) for i, name in enumerate(names, 1)])

    error = error_of(lambda: attempt(["first"] if task.rank == lacks else ["first", "second"]))
    results = [np.array(attempt(["first", "second"])).tolist() for _ in range(2)]
    task.meet()
    return error, results


@pytest.mark.parametrize("late", range(3))
def test_a_collective_that_one_rank_lacked_can_be_added(late):
    for error, sums in tasks.run(3, add_what_was_missing, late, 1):
        assert error[0] in ("InvalidArgumentError", "AbortedError") and "'second'" in error[1], error
        assert sums == [[[3.0] * 3, [6.0] * 3]] * 2


def test_late_news_of_an_attempt_that_is_over_changes_nothing(monkeypatch):
    from tfcore.distributed.collectives import consistency

    monkeypatch.setattr(consistency, "_attempts", {})
    key = "late news"
    assert consistency._begin_attempts([key]) == ({key: 0}, None)
    consistency._fail_attempts({key: 0}, "first")
    assert consistency._begin_attempts([key]) == ({key: 1}, None)
    consistency._fail_attempts({key: 0}, "first, from another rank")
    assert consistency._begin_attempts([key]) == ({key: 1}, None)
    consistency._fail_attempts({key: 3}, "of ranks that are ahead")
    assert consistency._begin_attempts([key]) == ({key: 3}, "of ranks that are ahead")
    assert consistency._begin_attempts([key]) == ({key: 4}, None)


def test_what_was_agreed_is_bounded(monkeypatch):
    from tfcore.distributed.collectives import consistency as collective_consistency

    monkeypatch.setattr(collective_consistency, "KEPT", 3)
    pair = collective_consistency._Pair()
    steps = [{"hash": str(i), "constants": {"rate": "0.1"}, "collectives": {}} for i in range(5)]
    for step in [*steps, steps[2]]:
        pair.mine.append(step)
        pair.agree(step)
    assert not pair.mine and not pair.theirs
    assert [brief["hash"] for brief in pair.agreed] == ["3", "4", "2"]


# ---- Peers that can't be told


def step_of(*keys):
    return {"hash": ",".join(keys), "constants": {}, "collectives": {key: ["sum", [], []] for key in keys}}


@pytest.mark.parametrize("kind", ["CancelledError", "FailedPreconditionError", "AbortedError", "UnknownError"])
def test_a_second_look_without_an_answer_is_no_error(monkeypatch, kind):
    """It runs on a thread of its own, and the program may end meanwhile."""
    from tfcore.distributed.collectives import consistency

    def call(peer, method, payload):
        calls.append(method)
        raise getattr(tf.errors, kind)(None, None, "closed")

    calls, pair = [], consistency._Pair()
    pair.mine.append(step_of("a"))
    monkeypatch.setattr(consistency, "_pairs", {1: pair})
    monkeypatch.setattr(consistency.collective, "waits", lambda key: True)
    monkeypatch.setattr(consistency.fabric, "call", call)
    consistency._look_again({1: step_of("a")})
    assert calls == ["collective_wait"]


def test_all_peers_hear_of_a_step_that_can_not_run(monkeypatch):
    from tfcore.distributed.collectives import consistency

    def call(peer, method, payload):
        if method == "collective_broken":
            told.append(peer)
            raise tf.errors.ResourceExhaustedError(None, None, "OOM when sending")
        return json.dumps([step_of("a", "b")]).encode()

    told = []
    monkeypatch.setattr(consistency, "_pairs", {})
    monkeypatch.setattr(consistency.fabric, "rank", lambda: 0)
    monkeypatch.setattr(consistency.fabric, "size", lambda: 3)
    monkeypatch.setattr(consistency.fabric, "call", call)
    monkeypatch.setattr(consistency.collective, "members", lambda group: [0, 1, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.distributed.allreduce(tf.ones([2]), name="a")
        with pytest.raises(tf.errors.InvalidArgumentError, match="with different collectives: 'a'"):
            session.run(step)
    assert told == [1, 2]
    assert not any(pair.mine or pair.theirs or pair.agreed for pair in consistency._pairs.values())
