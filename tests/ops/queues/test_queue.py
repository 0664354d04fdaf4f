"""Queues: shapes and types, names, sharing, errors, memory, handles, threads."""

import os
import threading

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.threads import in_threads, rounds
from tfcore.framework.definitions.op_def import get_op_def

pytestmark = pytest.mark.cpu

RAW = tf.raw_ops
SOON = tf.RunOptions(timeout_in_ms=50)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def error_of(sess, op, feeds=None, options=None):
    with pytest.raises(tf.errors.OpError) as caught:
        sess.run(op, feeds, options=options)
    return type(caught.value), caught.value.message


TYPES = [
    tf.float16,
    tf.bfloat16,
    tf.float32,
    tf.float64,
    tf.int8,
    tf.uint16,
    tf.int64,
    tf.bool,
    tf.complex128,
    tf.string,
]


def values_of(dtype, shape):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if dtype is tf.string:
        return np.vectorize(lambda n: b"x" * int(n), otypes=[object])(numbers)
    return numbers.astype(dtype.as_numpy_dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("make", [
    lambda t: tf.FIFOQueue(20, t, shapes=[[2, 3]]),
    lambda t: tf.PaddingFIFOQueue(20, t, shapes=[[None, 3]]),
    lambda t: tf.RandomShuffleQueue(20, 0, t, shapes=[[2, 3]]),
], ids=["fifo", "padding", "random"])  # fmt: skip
def test_types(sess, make, dtype):
    values = values_of(dtype, (6, 2, 3))
    q, fed = make(dtype), tf.placeholder(dtype, [None, 2, 3])
    sess.run(q.enqueue_many(fed), {fed: values})
    sess.run(q.enqueue(fed[0]), {fed: values})
    single, rows = sess.run([q.dequeue()])[0], sess.run(q.dequeue_many(6))
    got = sorted([single.tolist(), *rows.tolist()], key=str)
    assert got == sorted([*values.tolist(), values[0].tolist()], key=str)


@pytest.mark.parametrize("first, second", [(1, 9), (5, 5), (9, 1), (7, 8)])
def test_batches_of_any_size_come_out_in_order(sess, first, second):
    q = tf.FIFOQueue(100, [tf.int32, tf.string], shapes=[[2], []])
    numbers, names = np.arange(40).reshape(20, 2), [str(i) for i in range(20)]
    put = q.enqueue_many([numbers[:10], names[:10]]), q.enqueue_many([numbers[10:], names[10:]])
    for op in put:
        sess.run(op)
    got = [sess.run(q.dequeue_many(n)) for n in (first, second, 20 - first - second)]
    np.testing.assert_array_equal(np.concatenate([g[0] for g in got]), numbers)
    assert [s.decode() for g in got for s in g[1]] == names


def test_padding(sess):
    q = tf.PaddingFIFOQueue(10, [tf.int32, tf.string, tf.float32], shapes=[[None, 2], [None], []])
    sess.run(q.enqueue([[[1, 2], [3, 4]], ["a"], 0.5]))
    sess.run(q.enqueue([np.zeros((0, 2)), ["b", "c"], 1.5]))
    sess.run(q.enqueue_many([[[[5, 6]], [[7, 8]]], [["d"], ["e"]], [2.5, 3.5]]))
    numbers, names, plain = sess.run(q.dequeue_many(4))
    assert numbers.tolist() == [[[1, 2], [3, 4]], [[0, 0], [0, 0]], [[5, 6], [0, 0]], [[7, 8], [0, 0]]]
    assert names.tolist() == [[b"a", b""], [b"b", b"c"], [b"d", b""], [b"e", b""]]
    assert plain.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert [x.shape for x in sess.run(q.dequeue_many(0))] == [(0, 0, 2), (0, 0), (0,)]
    kind, text = error_of(sess, RAW.QueueEnqueueV2(handle=q.queue_ref, components=[[[1]], ["a"], 1.0]))
    assert kind is tf.errors.InvalidArgumentError
    assert "Shape mismatch in tuple component 0. Expected [?,2], got [1,1]" in text


def test_elements_of_any_shape(sess):
    q = tf.FIFOQueue(10, tf.float32)
    for value in (1.0, [[1.0, 2.0]], np.zeros((0, 4))):
        sess.run(q.enqueue(tf.constant(value, tf.float32)))
    assert [np.shape(sess.run(q.dequeue())) for _ in range(3)] == [(), (1, 2), (0, 4)]
    kind, text = error_of(sess, q.dequeue_many(2))
    assert kind is tf.errors.InvalidArgumentError
    assert "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes." in text


def test_priorities(sess):
    q = tf.PriorityQueue(100, [tf.string], shapes=[[]])
    sess.run(q.enqueue_many([[3, -1, 3, 2], ["a", "b", "c", "d"]]))
    sess.run(q.enqueue([3, "e"]))
    priorities, names = sess.run(q.dequeue_many(5))
    assert priorities.tolist() == [-1, 2, 3, 3, 3] and names.tolist() == [b"b", b"d", b"a", b"c", b"e"]
    loose = tf.PriorityQueue(10, tf.float32)
    kind, text = error_of(
        sess, RAW.QueueEnqueueV2(handle=loose.queue_ref, components=[np.int64([1, 2]), np.float32(1)])
    )
    assert kind is tf.errors.InvalidArgumentError
    assert "Expected the priority element to be a scalar, but received shape: [2]" in text


def test_shuffling_follows_the_seed(sess):
    def order(seed, **kwargs):
        q = tf.RandomShuffleQueue(50, 0, tf.int32, shapes=[[]], seed=seed, **kwargs)
        sess.run(q.enqueue_many([np.arange(20)]))
        return sess.run(q.dequeue_many(20)).tolist()

    # TensorFlow's order.
    assert order(7) == ORDER_OF_SEED_7
    assert sorted(order(8)) == list(range(20)) and order(8) != order(9)
    assert order(None) != order(None)


ORDER_OF_SEED_7 = [7, 4, 19, 15, 0, 8, 10, 11, 14, 6, 16, 1, 12, 3, 17, 5, 2, 18, 13, 9]


def test_min_after_dequeue(sess):
    q = tf.RandomShuffleQueue(10, 3, tf.int32, shapes=[[]])
    sess.run(q.enqueue_many([np.arange(5)]))
    sess.run(q.dequeue_many(2))
    assert error_of(sess, q.dequeue(), options=SOON)[0] is tf.errors.DeadlineExceededError
    sess.run(q.close())
    assert sess.run(q.dequeue_many(3)).shape == (3,)


def test_names(sess):
    q = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], []], names=["i", "f"])
    sess.run([q.enqueue({"i": 1, "f": 2.0})])
    sess.run(q.enqueue_many({"f": [4.0], "i": [3]}))
    assert sess.run(q.dequeue()) == {"i": 1, "f": 2.0}
    assert sess.run(q.dequeue_up_to(1)) == {"i": [3], "f": [4.0]}
    with pytest.raises(ValueError, match="You must enqueue a dictionary in a Queue with names"):
        q.enqueue([1, 2.0])
    with pytest.raises(ValueError, match="do not match names of Queue"):
        q.enqueue({"i": 1})
    with pytest.raises(ValueError, match="Queue must have names to enqueue a dictionary"):
        tf.FIFOQueue(10, tf.int32).enqueue({"i": 1})


def test_static_shapes_and_names_of_operations(sess):
    q = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[2], []])
    assert [t.shape.as_list() for t in q.dequeue()] == [[2], []]
    assert [t.shape.as_list() for t in q.dequeue_many(3)] == [[3, 2], [3]]
    assert [t.shape.as_list() for t in q.dequeue_up_to(3)] == [[None, 2], [None]]
    n = tf.placeholder(tf.int32, [])
    assert [t.shape.as_list() for t in q.dequeue_many(n)] == [[None, 2], [None]]
    assert q.name == "fifo_queue" and q.enqueue([[1, 2], 1.0]).name == "fifo_queue_enqueue"
    assert q.size().op.name == "fifo_queue_Size" and q.close().name == "fifo_queue_Close"
    assert q.queue_ref.dtype == tf.resource and q.dtypes == [tf.int32, tf.float32]
    with pytest.raises(ValueError, match="are incompatible"):
        q.enqueue([[1, 2, 3], 1.0])
    with pytest.raises(ValueError, match="must be equal|not compatible|incompatible"):
        q.enqueue_many([[[1, 2]], [1.0, 2.0]])


@pytest.mark.parametrize("arguments, error, text", [
    ({"shapes": [None]}, ValueError, "All shapes must be fully defined"),
    ({"shapes": 3}, TypeError, "shapes must be a TensorShape or a list or tuple"),
    ({"shapes": [[], []]}, ValueError, "Queue shapes must have the same length as dtypes"),
    ({"names": ["a", "b"]}, ValueError, "List of names must have the same length as the list of dtypes"),
])  # fmt: skip
def test_wrong_arguments(arguments, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        tf.FIFOQueue(10, tf.float32, **arguments)


def test_wrong_arguments_of_padding_queues():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="a list of shapes must be provided"):
            tf.PaddingFIFOQueue(10, tf.float32, shapes=[None])
        with pytest.raises(ValueError, match="received 1 dtypes and 2 shapes"):
            tf.PaddingFIFOQueue(10, tf.float32, shapes=[[None], [None]])


@pytest.mark.parametrize("build, text", [
    (lambda q: RAW.QueueEnqueueV2(handle=q, components=[1.0]), "Signature mismatch, have: resource, float-> expected: "
     "resource, int32->"),
    (lambda q: RAW.QueueDequeueV2(handle=q, component_types=[tf.float32]), "Signature mismatch, have: resource->float "
     "expected: resource->int32"),
    (lambda q: RAW.QueueEnqueueV2(handle=q, components=[[1, 2]]), r"Shape mismatch in tuple component 0. Expected [], "
     "got [2]"),
    (lambda q: RAW.QueueDequeueManyV2(handle=q, n=-1, component_types=[tf.int32]), "DequeueManyOp requested -1 < 0"),
    (lambda q: RAW.QueueDequeueUpToV2(handle=q, n=-2, component_types=[tf.int32]), "DequeueUpToOp requested -2 < 0"),
    (lambda q: RAW.RandomShuffleQueueV2(component_types=[tf.int32], capacity=2, min_after_dequeue=2).op,
     "min_after_dequeue 2 must be < capacity 2"),
    (lambda q: RAW.FIFOQueueV2(component_types=[tf.int32], shapes=[[], []]).op, "Different number of component types"),
])  # fmt: skip
def test_errors_of_operations(sess, build, text):
    op = build(tf.FIFOQueue(10, tf.int32, shapes=[[]]).queue_ref)
    kind, message = error_of(sess, op)
    assert kind is tf.errors.InvalidArgumentError and text in message


def test_capacities_have_32_bits(sess):
    assert sess.run(tf.FIFOQueue(2**31 - 1, tf.int32).size()) == 0
    kind, text = error_of(sess, tf.FIFOQueue(2**31, tf.int32).size())
    assert kind is tf.errors.InvalidArgumentError and "capacity has value 2147483648 out of range" in text


def test_a_queue_is_closed_once(sess):
    q = tf.FIFOQueue(3, tf.int32, name="q")
    sess.run(q.close())
    kind, text = error_of(sess, q.close())
    assert kind is tf.errors.CancelledError and "Queue 'q' is already closed." in text
    sess.run(q.close(cancel_pending_enqueues=True))


def test_from_list(sess):
    queues = [tf.FIFOQueue(10, tf.float32, shapes=[[n, 2]]) for n in (1, 3)]
    index = tf.placeholder(tf.int32, [])
    q = tf.QueueBase.from_list(index, queues)
    assert [s.as_list() for s in q.shapes] == [[None, 2]]
    sess.run(q.enqueue(np.ones((3, 2))), {index: 1})
    assert sess.run([x.size() for x in queues]) == [0, 1]
    assert sess.run(q.dequeue(), {index: 1}).shape == (3, 2)
    kind, text = error_of(sess, q.size(), {index: 2})
    assert kind is tf.errors.InvalidArgumentError and "is not in [0, 2)" in text
    for wrong in ([], queues[0], [queues[0], 1]):
        with pytest.raises(TypeError, match="A list of queues expected"):
            tf.QueueBase.from_list(0, wrong)
    with pytest.raises(TypeError, match="matching component dtypes"):
        tf.QueueBase.from_list(0, [queues[0], tf.FIFOQueue(1, tf.int32)])
    with pytest.raises(TypeError, match="matching component names"):
        tf.QueueBase.from_list(0, [queues[0], tf.FIFOQueue(1, tf.float32, names=["x"])])


@pytest.mark.parametrize("make", [
    lambda: tf.FIFOQueue(20, [tf.int64, tf.string], shapes=[[], []]),
    lambda: tf.PaddingFIFOQueue(20, [tf.int64, tf.string], shapes=[[], []]),
    lambda: tf.RandomShuffleQueue(20, 2, [tf.int64, tf.string], shapes=[[], []], seed=3),
    lambda: tf.PriorityQueue(20, tf.string, shapes=[[]]),
], ids=["fifo", "padding", "random", "priority"])  # fmt: skip
def test_saved_elements_make_an_equal_queue(sess, make):
    q, again = make(), make()
    content = get_op_def("_SaveQueue")(q.queue_ref, component_types=q.dtypes)
    assert [len(x) for x in sess.run(content)[1]] == [0, 0]
    sess.run(q.enqueue_many([[5, 3, 3, 8], ["a", "b", "c", "d"]]))
    sess.run(q.enqueue([4, "e"]))
    sess.run(q.dequeue())
    sess.run(q.enqueue([6, "f"]))
    load = _load(again, *sess.run(content))
    assert sess.run(q.size()) == 5
    sess.run(again.enqueue([1, "gone"]))
    for _ in range(2):
        sess.run(load)
    assert sess.run(again.size()) == 5
    taken = [[x.tolist() for x in sess.run(each.dequeue_many(3))] for each in (q, again)]
    assert taken[0] == taken[1]


def _load(q, layout, components):
    return get_op_def("_LoadQueue")(q.queue_ref, layout, components, component_types=q.dtypes)


def test_saved_equal_priorities_keep_their_order(sess):
    q, again = (tf.PriorityQueue(20, tf.int32, shapes=[[]]) for _ in range(2))
    content = get_op_def("_SaveQueue")(q.queue_ref, component_types=q.dtypes)
    sess.run(q.enqueue_many([[1] + [5] * 9, list(range(10))]))
    sess.run(q.dequeue())  # puts the last one to the front of the heap
    sess.run(_load(again, *sess.run(content)))
    assert [sess.run(each.dequeue_many(9))[1].tolist() for each in (q, again)] == [list(range(1, 10))] * 2


def test_elements_of_any_shape_are_saved(sess):
    q, again = (tf.FIFOQueue(20, [tf.float32, tf.string]) for _ in range(2))
    elements = [(np.zeros([2, 0], "f4"), [b"x"]), (np.ones([3], "f4"), b"y"), (np.ones([1, 2, 3], "f4"), [[b"z"] * 2])]
    for number, text in elements:
        sess.run(q.enqueue([tf.constant(number), tf.constant(text)]))
    sess.run(_load(again, *sess.run(get_op_def("_SaveQueue")(q.queue_ref, component_types=q.dtypes))))
    for number, text in elements:
        taken = sess.run(again.dequeue())
        assert (taken[0] == number).all() and taken[0].shape == number.shape
        assert np.array_equal(taken[1], np.array(text, object))


def test_what_waits_for_more_is_saved_too(sess):
    q, again = (tf.FIFOQueue(20, tf.int32, shapes=[[]]) for _ in range(2))
    content = get_op_def("_SaveQueue")(q.queue_ref, component_types=q.dtypes)
    sess.run(q.enqueue_many([[1, 2]]))
    waiting = threading.Thread(target=sess.run, args=(q.dequeue_many(3).op,))
    waiting.start()
    while sess.run(q.size()):
        pass
    layout, components = sess.run(content)
    assert components[0].tolist() == [1, 2]
    sess.run(_load(q, layout, components))  # in place of what it has
    sess.run(q.enqueue_many([[3, 4]]))
    waiting.join()
    assert sess.run(q.dequeue()) == 4
    sess.run(_load(again, layout, components))
    assert sess.run(again.dequeue_many(2)).tolist() == [1, 2]


def test_elements_that_can_not_be_loaded(sess):
    q = tf.FIFOQueue(3, tf.int32, shapes=[[2]], name="q")
    sess.run(q.enqueue_many([[[1, 2], [3, 4]]]))
    layout, (values,) = sess.run(get_op_def("_SaveQueue")(q.queue_ref, component_types=q.dtypes))

    def load(layout, values):
        return error_of(sess, _load(q, np.array(layout, np.int64), [values]))

    head = layout[:10].tolist()
    damaged = tf.errors.DataLossError
    assert load(layout[:5], values)[0] is damaged and load([2, *layout[1:]], values)[0] is damaged
    assert load(layout[:-1], values)[0] is damaged and load([*layout, 1], values)[0] is damaged
    assert load(layout, values[:-1])[0] is damaged and load(layout, np.append(values, 1))[0] is damaged
    assert load([*head, 99, 1], values)[0] is damaged and load([*head, 1, -2], values)[0] is damaged
    assert load([*head, 1, 1 << 62], values)[0] is damaged
    head[1] = 1
    kind, text = load([*head, 1, 4], values)
    assert kind is tf.errors.InvalidArgumentError and "component 0 of shape [2], but one of shape [4]" in text
    head[1] = 4
    kind, text = load([*head, *[1, 2] * 4], np.zeros(8, "i4"))
    assert kind is tf.errors.InvalidArgumentError and "capacity of 3, and 4 elements" in text
    assert sess.run(q.dequeue_many(2)).tolist() == [[1, 2], [3, 4]]


def test_queues_with_one_name_are_one(sess):
    a, b = (tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="both") for _ in range(2))
    sess.run(a.enqueue(7))
    assert sess.run(b.dequeue()) == 7

    def same_name(capacity, dtype, shape):
        return tf.FIFOQueue(capacity, dtype, shapes=[shape], shared_name="both")

    for other, text in (
        (same_name(11, tf.int32, []), "capacity 10 but requested capacity was 11"),
        (same_name(10, tf.float32, []), "component types int32 but requested component types were float"),
        (same_name(10, tf.int32, [1]), "component shapes [[]] but requested component shapes were [[1]]"),
        (tf.PriorityQueue(10, tf.int32, shared_name="both"), "type 'FIFOQueue' that does not match type of Node"),
    ):
        kind, message = error_of(sess, other.size())
        assert kind is tf.errors.InvalidArgumentError and f"Shared queue 'both' has {text}" in message
    with tf.container("another"):
        c = tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="both")
    sess.run(a.enqueue(1))
    assert sess.run([a.size(), c.size()]) == [1, 0]


def test_handles_of_tensorflow_1_0(sess):
    for maker in (RAW.FIFOQueue, RAW.PaddingFIFOQueue, RAW.RandomShuffleQueue):
        handle = maker(component_types=[tf.float32], shapes=[()], capacity=5, shared_name=maker.name)
        assert handle.dtype._is_ref_dtype and handle.shape.as_list() == [2]
        _use_old_handle(sess, handle, [1.0], [[1.0, 1.0]], [tf.float32])
        assert sess.run(handle).tolist() == [b"localhost", maker.name.encode()]
    handle = RAW.PriorityQueue(component_types=[tf.float32], shapes=[()])
    _use_old_handle(sess, handle, [np.int64(1), 1.0], [[1, 2], [1.0, 1.0]], [tf.int64, tf.float32])


def _use_old_handle(sess, handle, one, rows, types):
    forwarded = RAW.RefIdentity(input=handle)
    sess.run(RAW.QueueEnqueue(handle=forwarded, components=one))
    sess.run(RAW.QueueEnqueueMany(handle=handle, components=[tf.constant(r, t) for r, t in zip(rows, types)]))
    assert sess.run(RAW.QueueSize(handle=handle)) == 3
    assert sess.run(RAW.QueueDequeue(handle=handle, component_types=types))[-1] == 1
    assert sess.run(RAW.QueueDequeueMany(handle=handle, n=1, component_types=types))[-1].tolist() == [1]
    assert not sess.run(RAW.QueueIsClosed(handle=handle))
    sess.run(RAW.QueueClose(handle=handle))
    assert sess.run(RAW.QueueIsClosed(handle=handle))
    assert sess.run(RAW.QueueDequeueUpTo(handle=handle, n=9, component_types=types))[-1].tolist() == [1]


def test_elements_do_not_share_the_users_memory(sess):
    q, fed = tf.FIFOQueue(10, tf.float32, shapes=[[4]]), tf.placeholder(tf.float32, [None, 4])
    array = np.ones((3, 4), np.float32)
    sess.run(q.enqueue_many(fed), {fed: array})
    sess.run(q.enqueue(fed[0]), {fed: array})
    array[:] = 5
    np.testing.assert_array_equal(sess.run(q.dequeue_many(4)), np.ones((4, 4)))


def test_elements_do_not_change_with_a_variable(sess):
    v = tf.Variable(tf.ones([3, 4]))
    sess.run(tf.global_variables_initializer())
    q = tf.FIFOQueue(10, tf.float32, shapes=[[4]])
    sess.run(q.enqueue_many(v))
    sess.run(v.assign_add(tf.ones([3, 4])))
    np.testing.assert_array_equal(sess.run(q.dequeue_many(3)), np.ones((3, 4)))


def test_dequeued_rows_do_not_keep_their_neighbours(sess):
    q, fed = tf.FIFOQueue(2000, tf.float32, shapes=[[1024]]), tf.placeholder(tf.float32, [None, 1024])
    put, take = q.enqueue_many(fed), q.dequeue()
    sess.run(put, {fed: np.ones((1000, 1024))})
    before = memory_stats()["bytes_in_use"]
    kept = [sess.run(take) for _ in range(10)]
    sess.run(q.dequeue_many(990))
    assert memory_stats()["bytes_in_use"] < before - 3_000_000
    assert all(k.sum() == 1024 for k in kept)


def test_memory_stays_flat(sess):
    q, fed = tf.FIFOQueue(-1, [tf.float32, tf.string], shapes=[[8], []]), tf.placeholder(tf.float32, [None, 8])
    put, take = q.enqueue_many([fed, tf.fill([tf.shape(fed)[0]], "text")]), q.dequeue_up_to(7)
    rows = np.ones((7, 8))

    def round_trip():
        for _ in range(3):
            sess.run(put, {fed: rows})
        for _ in range(3):
            sess.run(take.__getitem__(0).op)
        error_of(sess, take, options=tf.RunOptions(timeout_in_ms=1))

    round_trip()
    before = memory_stats()["bytes_in_use"]
    for _ in range(rounds(50)):
        round_trip()
    assert memory_stats()["bytes_in_use"] <= before + 4096


def test_closing_a_session_ends_all_who_wait():
    with tf.Graph().as_default():
        sess, q = tf.Session(), tf.FIFOQueue(1, tf.int32, shapes=[[]])
        put, take, pair = q.enqueue_many([[1, 2, 3]]), q.dequeue_many(9), tf.FIFOQueue(1, tf.int32).dequeue()
        failures = []

        def run(op):
            try:
                sess.run(op)
            except tf.errors.CancelledError as error:
                failures.append(error)

        threads = [threading.Thread(target=run, args=(op,)) for op in (put, take, pair)]
        for t in threads:
            t.start()
        sess.close()
        for t in threads:
            t.join(60)
            assert not t.is_alive()
        assert 1 <= len(failures) <= 3  # the enqueue may have ended by itself


def test_two_operations_of_a_step_may_wait_for_each_other(sess):
    q = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    got, _ = sess.run([q.dequeue_many(50), q.enqueue_many([np.arange(50)])])
    assert got.tolist() == list(range(50))


def test_queues_in_loops_and_conditionals(sess):
    q = tf.FIFOQueue(20, tf.int32, shapes=[[]])

    def body(i):
        with tf.control_dependencies([tf.cond(i % 2 > 0, lambda: q.enqueue(i), tf.no_op)]):
            return i + 1

    sess.run(tf.while_loop(lambda i: i < 10, body, [0]))
    assert sess.run(q.dequeue_many(5)).tolist() == [1, 3, 5, 7, 9]


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["fifo", "random", "priority"])
def test_many_threads_lose_and_double_nothing(sess, kind):
    count, threads = rounds(300), 4
    q = {
        "fifo": lambda: tf.FIFOQueue(7, [tf.int64, tf.int64], shapes=[[], []]),
        "random": lambda: tf.RandomShuffleQueue(7, 2, [tf.int64, tf.int64], shapes=[[], []]),
        "priority": lambda: tf.PriorityQueue(7, tf.int64, shapes=[[]]),
    }[kind]()
    fed = tf.placeholder(tf.int64, [None])
    one, many = (
        sess.make_callable(q.enqueue([fed[0], fed[0]]), [fed]),
        sess.make_callable(q.enqueue_many([fed, fed]), [fed]),
    )
    take, take_many = sess.make_callable(q.dequeue()[1]), sess.make_callable(q.dequeue_many(3)[1])
    got, left = [[] for _ in range(threads)], [threads]
    lock = threading.Lock()

    def put(t):
        for i in range(0, count, 3):
            base = (t * count + i) * 10
            many([base, base + 1])
            one([base + 2])
        with lock:
            left[0] -= 1
            if not left[0]:
                sess.run(q.close())

    def take_all(t):
        try:
            while True:
                got[t] += take_many().tolist() if t % 2 else [int(take())]
        except tf.errors.OutOfRangeError:
            pass

    in_threads([*[lambda t=t: put(t) for t in range(threads)], *[lambda t=t: take_all(t) for t in range(threads)]])
    rest = sess.run(q.size())
    values = sorted(sum(got, []) + (sess.run(q.dequeue_many(rest))[1].tolist() if rest else []))
    assert values == sorted(
        (t * count + i) * 10 + k for t in range(threads) for i in range(0, count, 3) for k in range(3)
    )


def test_waiting_needs_no_thread(sess):
    """Many operations of one step wait at once: only the client's thread exists."""
    queues = [tf.FIFOQueue(1, tf.int32, shapes=[[]]) for _ in range(200)]
    waiting = tf.group(*[q.dequeue().op for q in queues])
    put = tf.group(*[q.enqueue(1) for q in queues])
    sess.run(put)
    sess.run(waiting)  # makes the threads of the pool
    before = len(os.listdir("/proc/self/task"))
    thread = threading.Thread(target=lambda: sess.run(waiting))
    thread.start()
    while sum(w == 0 for w in sess.run([q.size() for q in queues])) < len(queues):
        pass
    assert len(os.listdir("/proc/self/task")) <= before + 1
    sess.run(put)
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.alone
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_uses_queues_of_its_own(sess):
    q = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    put, take = q.enqueue_many([[1, 2, 3]]), q.dequeue_many(2)
    sess.run(put)
    child = os.fork()
    if not child:
        code = 1
        try:
            with tf.Session() as own:
                own.run(put)
                code = int(own.run(take).tolist() != [1, 2])
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert sess.run(take).tolist() == [1, 2]
