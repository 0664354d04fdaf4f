"""Signal handlers may run a step at any line of the compilation of another one. A tracer stands for the handler."""

import pathlib
import sys
import threading

import pytest

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.client import growth
from tfcore.compiler.compile import Compiler

_FOLDERS = tuple(str(pathlib.Path(tf.__file__).parent / name) + "/" for name in ("client", "compiler"))


def run_traced(function, trace):
    """Runs a function on a thread with a tracer; what it returns."""
    result = []

    def run():
        sys.settrace(trace)
        result.append(function())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60 * PATIENCE)
    assert not thread.is_alive(), "the step hangs"
    return result[0]


def test_steps_at_any_place_of_a_compilation():
    met, seen = set(), []
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        numbers = [tf.constant(i) + 1 for i in range(4000)]
        v = tf.Variable(1.0)
        with tf.device("/cpu:1"):
            w = tf.Variable([2.0, 3.0], use_resource=True)
        total = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + v * w), [0, tf.zeros([2])])[1]
        update = tf.assign(v, tf.cond(v > 1, lambda: v, lambda: v + 1))
        sess.run(tf.global_variables_initializer())

        def handle(frame, event, arg):
            if not frame.f_code.co_filename.startswith(_FOLDERS):
                return None
            place = frame.f_code, frame.f_lineno
            if event == "line" and place not in met:
                met.add(place)
                seen.append(sess.run(numbers[len(seen)]))
            return handle

        first, second = run_traced(lambda: (sess.run(total), sess.run([update, w + update])), handle)
    assert list(first) == [10, 15] and second[0] == 2 and list(second[1]) == [4, 5]
    assert len(seen) > 500 and seen == [i + 1 for i in range(len(seen))]


@pytest.mark.parametrize("line", sorted({line for _, _, line in Compiler._kernel.__code__.co_lines() if line}))
def test_a_step_that_makes_a_queue_while_another_one_does(line):
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
        ours, theirs = queue.enqueue(1), queue.enqueue(2)
        done = []

        def handle(frame, event, arg):
            if frame.f_code is not Compiler._kernel.__code__:
                return handle
            if frame.f_lineno == line and frame.f_locals["node"].op is queue.queue_ref.op and not done:
                done.append(sess.run(theirs))
            return handle

        run_traced(lambda: sess.run(ours), handle)
        assert sorted(sess.run(queue.dequeue_many(1 + len(done)))) == [1, 2][: 1 + len(done)]


@pytest.mark.parametrize("line", range(1, 6))
def test_a_handler_that_warns_of_a_growing_graph(line):
    """The handler interrupts a count of the graph's operations, which then continues."""
    with tf.Graph().as_default() as graph:
        tf.constant(0)
        growth.watch(graph)
        lines = []  # of `look`, when the limit is near

        def handle(frame, event, arg):
            if frame.f_code is growth._Growth.look.__code__ and event == "line":
                if len(graph.get_operations()) > growth.LIMIT:
                    lines.append(frame.f_lineno)
                    if len(lines) == line:
                        growth.watch(graph)
            return handle

        def grow():
            for _ in range(growth.LIMIT + 1):
                with graph.as_default():
                    tf.constant(1)
                growth.watch(graph)
            return True

        with pytest.warns(tf.GraphGrowthWarning):
            assert run_traced(grow, handle)
        assert len(lines) > line
