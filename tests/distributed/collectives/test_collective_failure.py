"""Collectives in which ranks disagree, fail, leave or are late: clear errors, no hangs, and the next steps work."""

import threading

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import tasks
from tests.distributed.collectives.test_collective import join, run_op


def error_of(fn):
    """[class, text] of what it raises, or None."""
    try:
        fn()
    except tf.errors.OpError as error:
        return [type(error).__name__, str(error)]
    return None


# ---- Disagreement


def disagree(task):
    """For each case the class and text of the error, and what a step thereafter gives."""
    d = join(task)
    odd = task.rank == 1
    float32, int32 = np.float32, np.int32

    def case_shape():
        run_op(d.allreduce, "float32", np.zeros([2, 4 if odd else 3], float32))

    def case_large_shape():
        run_op(d.allreduce, "float32", np.zeros([70000 if odd else 60000], float32))

    def case_empty():
        run_op(d.allreduce, "float32", np.zeros([0 if odd else 9000], float32))

    def case_rank():
        run_op(d.allreduce, "float32", np.zeros([6] if odd else [2, 3], float32))

    def case_dtype():
        run_op(
            lambda x: d.allreduce(x, name="both"), "int32" if odd else "float32", np.zeros(3, int32 if odd else float32)
        )

    def case_op():
        run_op(lambda x: d.allreduce(x, "max" if odd else "sum"), "float32", np.zeros(3, float32))

    def case_kind():
        run_op(lambda x: (d.allgather if odd else d.allreduce)(x, name="both"), "float32", np.zeros(3, float32))

    def case_list():
        with tf.Graph().as_default(), tf.Session() as session:
            values = [tf.zeros([2], name="first"), tf.zeros([5 if odd else 3], name="second")]
            session.run(d.allreduce(values))

    def case_gather():
        run_op(d.allgather, "float32", np.zeros([2, 5 if odd else 3], float32))

    def case_broadcast():
        run_op(d.broadcast, "float32", np.zeros([5 if odd else 3], float32))

    def case_root():
        run_op(lambda x: d.broadcast(x, root=1 if odd else 0), "float32", np.zeros([3], float32))

    def case_sizes():
        run_op(lambda x: d.reduce_scatter(x, sizes=[0, 4, 0] if odd else [4, 0, 0]), "float32", np.zeros([4], float32))

    results, found = {}, locals()
    for case in CASES:
        error = error_of(found["case_" + case])
        task.meet()
        again = run_op(lambda x: d.allreduce(x, name="afterwards"), "int32", np.int32(1))
        results[case] = [*error, int(again)]
    return results


CASES = {
    "shape": (["float32[2,3]"], ["float32[2,4]"]),
    "large_shape": (["float32[60000]"], ["float32[70000]"]),
    "empty": (["float32[9000]"], ["float32[0]"]),
    "rank": (["float32[2,3]"], ["float32[6]"]),
    "dtype": (["float32[...]"], ["int32[...]"]),
    "op": (["allreduce (sum)"], ["allreduce (max)"]),
    "kind": (["allreduce (sum)"], ["allgather"]),
    "list": (["float32[3] 'second:0'"], ["float32[5] 'second:0'"]),
    "gather": (["float32[*,3]"], ["float32[*,5]"]),
    "broadcast": (["float32[3]"], ["float32[5]"]),
    "root": (["broadcast from 0"], ["broadcast from 1"]),
    "sizes": (["values 4 0 0"], ["values 0 4 0"]),
}


def test_ranks_that_disagree_are_all_told_with_names():
    for results in tasks.run(3, disagree):
        assert results.keys() == CASES.keys()
        for case, (kind, text, again) in results.items():
            assert kind == "InvalidArgumentError" and again == 3, case
            for part in [*CASES[case][0], *CASES[case][1], "(rank 1)", "Ranks ", "collective"]:
                assert part in text, f"{case}: {text}"
            assert "(rank 0)" in text or "(rank 2)" in text, case


# ---- Steps that fail


def failing_step(task):
    """Rank 1 fails between two collectives; then all try again."""
    d = join(task)
    bad = tf.placeholder(tf.bool)
    first = d.allreduce(tf.constant([1.0, 2.0]), name="first")
    with tf.control_dependencies([first]):
        check = tf.Assert(tf.logical_not(bad), ["it went wrong"])
    with tf.control_dependencies([check]):
        middle = tf.identity(first)
    second = d.allreduce(tf.tile(middle, [20000]), name="second")
    third = d.allreduce(second, "max", name="third")
    out = []
    with tf.Session() as session:
        for attempt in range(6):
            fails = attempt in (1, 2, 4) and task.rank == 1 + attempt % 2
            result = []
            error = error_of(lambda: result.append(session.run(third, {bad: fails})))  # noqa: B023
            out.append(error or float(result[0][1]))
    return out


def test_a_step_that_fails_aborts_those_of_other_ranks_and_the_next_works():
    for rank, out in enumerate(tasks.run(3, failing_step)):
        assert [out[i] for i in (0, 3, 5)] == [18.0] * 3
        for attempt in (1, 2, 4):
            culprit = 1 + attempt % 2
            kind, text = out[attempt]
            if rank == culprit:
                assert kind == "InvalidArgumentError" and "it went wrong" in text
            else:
                assert kind == "AbortedError" and f"(rank {culprit})" in text and "it went wrong" in text


def a_long_step_fails(task):
    """It has run the collective before many others did; rank 0's fails after that."""
    d = join(task)
    total = d.allreduce(tf.ones([3]), name="total")
    has_run, go_on = threading.Event(), threading.Event()

    def wait(x):
        has_run.set()
        go_on.wait()
        return np.log(x - 2 - task.rank)  # log(0) at rank 0

    out = []
    with tf.Session() as session:
        checked = tf.check_numerics(tf.py_func(wait, [total], tf.float32), "it went wrong")
        long = threading.Thread(target=lambda: out.append(error_of(lambda: session.run(checked))))
        with np.errstate(all="ignore"):
            long.start()
            has_run.wait()
            for _ in range(20):
                session.run(total)
            go_on.set()
            long.join()
        task.meet()
        out.append(error_of(lambda: session.run(total)))
    return out


def test_a_step_that_fails_long_after_its_collective_aborts_no_other():
    (error, after0), (none, after1) = tasks.run(2, a_long_step_fails)
    assert error[0] == "InvalidArgumentError" and none[0] == "InvalidArgumentError"
    assert after0 is None and after1 is None


def late_rank(task):
    """Rank 0 gives up waiting; rank 1 comes later and is told."""
    d = join(task)
    total = d.allreduce(tf.ones([50000]), name="total")
    out = []
    with tf.Session() as session:
        session.run(total)
        if task.rank == 0:
            out.append(error_of(lambda: session.run(total, options=tf.RunOptions(timeout_in_ms=200))))
        task.meet()
        if task.rank == 1:
            out.append(error_of(lambda: session.run(total)))
        task.meet()
        out.append(float(session.run(total)[0]))
    return out


def test_a_rank_that_gives_up_waiting():
    (first, then0), (second, then1) = tasks.run(2, late_rank)
    assert first[0] == "DeadlineExceededError" and "total" in first[1]
    assert second[0] == "AbortedError" and "(rank 0)" in second[1] and "cancelled" in second[1]
    assert then0 == then1 == 2.0


def closed_session(task):
    d = join(task)
    total = d.allreduce(tf.ones([5]), name="total")
    out = []
    session = tf.Session()
    if task.rank == 0:
        threading.Timer(0.2, session.close).start()
        out.append(error_of(lambda: session.run(total)))
    task.meet()
    with tf.Session() as session:
        if task.rank == 1:
            out.append(error_of(lambda: session.run(total)))
        task.meet()
        out.append(float(session.run(total)[0]))
    return out


def test_a_session_that_is_closed():
    (first, then0), (second, then1) = tasks.run(2, closed_session)
    assert first[0] == "CancelledError" and second[0] == "AbortedError" and then0 == then1 == 2.0


def bad_sizes(task):
    d = join(task)
    sizes = [9, 9] if task.rank == 0 else [2, 2]
    error = error_of(lambda: run_op(lambda x: d.reduce_scatter(x, sizes=sizes), "float32", np.zeros(4, "f4")))
    return [*error, run_op(d.allreduce, "int32", np.int32(1)).item()]


def test_an_input_that_one_rank_finds_wrong():
    (kind0, text0, then0), (kind1, text1, then1) = tasks.run(2, bad_sizes)
    assert kind0 == kind1 == "InvalidArgumentError" and then0 == then1 == 2
    assert "sizes[0] = 9" in text0 and "(rank 0)" in text1


# ---- Processes that end


def leave(task, how):
    """The last rank ends, or is found dead, while the others wait for it."""
    d = join(task)
    from tfcore.distributed.fabric import fabric

    last = task.size - 1
    total = d.allreduce(tf.ones([30000]), name="total")
    others = d.allreduce(tf.ones([3]), group=list(range(last)), name="others")
    with tf.Session() as session:
        session.run(total)
        if task.rank == last:
            if how == "dies":  # the others only say so
                task.meet()
            return None
        if how == "dies":
            threading.Timer(0.2, fabric.fail, [last, "killed"]).start()
        waiting = error_of(lambda: session.run(total))
        later = error_of(lambda: session.run(total))
        result = [waiting, later, float(session.run(others)[0])]
        if how == "dies":
            task.meet()
        return result


@pytest.mark.parametrize("how", ["dies", "leaves"])
def test_a_rank_that_ends_while_others_wait(how):
    *results, none = tasks.run(3, leave, how)
    assert none is None
    for waiting, later, others in results:
        for kind, text in (waiting, later):
            assert kind == "UnavailableError" and "'total'" in text and "(rank 2)" in text
            assert ("killed" if how == "dies" else "ended") in text
        assert others == 2.0


def early_leaver(task):
    """Whoever has what it needs goes; those that come later find what it has left."""
    d = join(task)
    tiny = d.allreduce(tf.constant([task.rank]), name="tiny")
    barrier = d.barrier()
    with tf.Session() as session:
        session.run(barrier)
        return int(session.run(tiny)[0])


def test_ranks_may_leave_when_they_are_done():
    for _ in range(3):
        assert tasks.run(3, early_leaver) == [3] * 3


# ---- At the same time


def overlapping(task):
    """Four threads with sessions of their own, and many collectives in a step that come in any order."""
    d = join(task)
    rng = np.random.default_rng(task.rank)
    problems = []

    def work(name):
        with tf.Graph().as_default(), tf.Session() as session:
            sizes = [3, 700, 5000, 200000]
            inputs = [tf.random_shuffle(tf.fill([n], float(task.rank + 1))) for n in sizes for _ in range(3)]
            sums = [d.allreduce(x, name=f"{name}/{i}") for i, x in enumerate(inputs)]
            rows = d.allgather(tf.fill([1000 + 10 * task.rank], task.rank), name=f"{name}/rows")
            for _ in range(8):
                order = rng.permutation(len(sums))
                got = session.run([rows, *(sums[i] for i in order)])
                want = task.size * (task.size + 1) / 2
                if not all((g == want).all() for g in got[1:]) or len(got[0]) != sum(
                    1000 + 10 * r for r in range(task.size)
                ):
                    problems.append(name)

    threads = [threading.Thread(target=work, args=[f"thread{i}"]) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return problems


@pytest.mark.parametrize("n", [2, 3])
def test_many_at_the_same_time(n):
    assert tasks.run(n, overlapping) == [[]] * n
