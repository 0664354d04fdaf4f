"""Queues of names of files, ranges and slices."""

import collections

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run_all(tensor):
    """All values until the input ends."""
    found = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            found.append(sess.run(tensor))
    return found


def test_epochs_and_order():
    queue = tf.train.range_input_producer(3, num_epochs=2, shuffle=False)
    assert [int(x) for x in run_all(queue.dequeue())] == [0, 1, 2, 0, 1, 2]
    assert [op.name for op in tf.get_default_graph().get_operations() if op.type.startswith("FIFO")] == [
        "input_producer"
    ]
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert runner.queue is queue
    (summary,) = tf.get_collection(tf.GraphKeys.SUMMARIES)
    assert summary.op.name == "input_producer/fraction_of_32_full"


def test_shuffled_in_each_epoch():
    queue = tf.train.string_input_producer([str(i) for i in range(20)], num_epochs=3, seed=1)
    found = [int(x) for x in run_all(queue.dequeue())]
    epochs = [found[i : i + 20] for i in (0, 20, 40)]
    assert all(sorted(epoch) == list(range(20)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2] and epochs[0] != list(range(20))


def test_slices():
    x, y = np.arange(10).reshape(5, 2), np.arange(5) * 100
    a, b = tf.train.slice_input_producer([x, y], num_epochs=1, seed=2)
    found = run_all([a, b])
    assert sorted(int(each[1]) for each in found) == [0, 100, 200, 300, 400]
    for row, value in found:
        np.testing.assert_array_equal(row, x[value // 100])


def test_names_are_found_once(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name + "\n")
    names = tf.train.match_filenames_once([f"{tmp_path}/*.txt", f"{tmp_path}/*.csv"])
    assert names in tf.local_variables() and names not in tf.trainable_variables()
    _, line = tf.TextLineReader().read(tf.train.string_input_producer(names, num_epochs=1, shuffle=False))
    assert run_all(line) == [b"a.txt", b"b.txt", b"c.csv"]
    assert tf.io.match_filenames_once is tf.train.match_filenames_once


def test_limit_epochs():
    limited = tf.train.limit_epochs(tf.constant([1, 2]), 2)
    assert limited.op.name == "limit_epochs"
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError, match="limit_epochs/epochs"):
            sess.run(limited)
        sess.run(tf.local_variables_initializer())
        for _ in range(2):
            assert sess.run(limited).tolist() == [1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(limited)
    same = tf.constant(3)
    assert tf.train.limit_epochs(same) is same


def test_a_queue_of_its_own_shape():
    rows = tf.placeholder_with_default(np.arange(6).reshape(3, 2), [None, None])
    queue = tf.train.input_producer(
        rows, element_shape=[2], num_epochs=1, shuffle=False, capacity=2, shared_name="s", summary_name="full"
    )
    assert queue.shapes[0].as_list() == [2]
    assert [x.tolist() for x in run_all(queue.dequeue())] == [[0, 1], [2, 3], [4, 5]]


def test_wrong_arguments():
    train = tf.train
    for wrong, text in (
        (lambda: train.limit_epochs(tf.constant(1), 0), "num_epochs must be > 0 not 0."),
        (lambda: train.string_input_producer([]), "string_input_producer requires a non-null input tensor"),
        (lambda: train.slice_input_producer([]), r"Expected at least one tensor in slice_input_producer\(\)."),
        (lambda: train.input_producer(tf.placeholder(tf.int32, [3, None])), "Either `input_tensor` must have a fully"),
    ):
        with pytest.raises(ValueError, match=text):
            wrong()


def test_no_files(tmp_path):
    """An empty list of files is an error that says so, and no endless wait."""
    names = tf.train.match_filenames_once(f"{tmp_path}/*.nothing")
    _, line = tf.TextLineReader().read(tf.train.string_input_producer(names))
    batch = tf.train.batch([line], 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="requires a non-null input tensor"):
        with tf.train.MonitoredSession() as sess:
            sess.run(batch)


def test_counts_of_elements_with_several_threads():
    """Each element comes once in each epoch, whatever the threads do."""
    number = tf.train.range_input_producer(500, num_epochs=2, seed=3).dequeue()
    batch = tf.train.batch([number], 7, num_threads=4, allow_smaller_final_batch=True)
    counts = collections.Counter(np.concatenate(run_all(batch)).tolist())
    assert counts == dict.fromkeys(range(500), 2)


def test_the_end_says_why(tmp_path):
    """All epochs have gone before the first batch: the error tells the whole story."""
    (tmp_path / "lines").write_text("a\nb\n")
    _, line = tf.TextLineReader().read(tf.train.string_input_producer([f"{tmp_path}/lines"], num_epochs=1))
    batch = tf.train.shuffle_batch([line], 32, 100, 50)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError) as error:
            sess.run(batch)
        coordinator.request_stop()
        coordinator.join(threads)
    told = [line.split("\n")[0] for line in error.value.message.split("\nThe queue runner of ")]
    assert told == [
        "RandomShuffleQueue 'shuffle_batch/random_shuffle_queue' is closed and has insufficient elements "
        "(requested 32, current size 2)",
        "'shuffle_batch/random_shuffle_queue' has ended: FIFOQueue 'input_producer' is closed and has insufficient "
        "elements (requested 1, current size 0)",
        "'input_producer' has ended: Reached limit of 1",
    ]
