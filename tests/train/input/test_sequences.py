"""Batches of segments of sequences, with states."""

import numpy as np
import pytest

import tfcore as tf

training = tf.contrib.training


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def sequence(n):
    """Sequence n has n steps, n * 100 to n * 101 - 1."""
    length = tf.cast(n, tf.int32)
    return {"x": tf.range(length) + 100 * length, "y": tf.ones([length, 2])}


def segments(batch, *more):
    """All values of each step until the input ends, and the keys of each step."""
    sums = tf.reduce_sum(tf.cast(batch.sequences["x"], tf.float32), 1, keepdims=True)
    save = batch.save_state("sum", batch.state("sum") + sums)
    fetches = [batch.key, batch.next_key, batch.sequences["x"], batch.length, batch.total_length, batch.context["n"]]
    found = []
    with tf.train.MonitoredSession() as sess:
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append(sess.run([*fetches, batch.state("sum"), *more, save])[:-1])
    return found


def make(lengths, num_unroll=3, batch_size=2, **options):
    n = tf.data.Dataset.from_tensor_slices(np.array(lengths, np.int64)).make_one_shot_iterator().get_next()
    options = {"num_threads": 2, **options}
    states = {"sum": tf.zeros([1])}
    return training.batch_sequences_with_states(
        tf.as_string(n), sequence(n), {"n": n}, tf.cast(n, tf.int32), states, num_unroll, batch_size, **options
    )


@pytest.mark.parametrize("batch_size, capacity, threads", [(1, 1, 1), (2, 2, 1), (3, 1000, 3)])
def test_each_segment_begins_with_the_state_of_the_one_before(batch_size, capacity, threads):
    lengths = [3, 1, 7, 0, 9, 4]
    found = segments(make(lengths, batch_size=batch_size, capacity=capacity, num_threads=threads))
    rows = [row for step in found for row in zip(*step)]
    assert len(rows) == sum(-(-n // 3) for n in lengths)
    seen = {}
    for key, next_key, x, length, total, n, state in rows:
        place, _, name = key.decode().partition(":")
        number, count = map(int, place.split("_of_"))
        assert int(name) == n == total and count == -(-n // 3) and number == len(seen.setdefault(name, []))
        assert length == min(3, n - 3 * number)
        last = number + 1 == count
        assert next_key.decode() == (f"STOP:{n}" if last else f"{number + 1:05d}_of_{count:05d}:{n}")
        assert x.tolist() == [100 * n + i if i < n else 0 for i in range(3 * number, 3 * number + 3)]
        assert state == sum(map(sum, seen[name]))
        seen[name].append(x.tolist())
    assert all(len(set(step[0])) == len(step[0]) for step in found)


def test_small_batches_are_left_out():
    found = segments(make([1, 2, 3], allow_small_batch=False))
    assert [len(step[0]) for step in found] == [2]


def test_shapes():
    batch = make([3], allow_small_batch=False)
    assert batch.sequences["x"].shape.as_list() == [2, 3] and batch.sequences["y"].shape.as_list() == [2, 3, 2]
    assert batch.state("sum").shape.as_list() == [2, 1] and batch.length.dtype == tf.int32
    assert batch.insertion_index.dtype == tf.int64 and batch.context["n"].shape.as_list() == [2]


def test_keys_can_be_made_unique():
    batch = make([3, 3, 3], make_keys_unique=True, make_keys_unique_seed=1)
    keys = [key for step in segments(batch) for key in step[0]]
    assert len(set(keys)) == 3 and all(key.startswith(b"00000_of_00001:3/") for key in keys)


def test_an_equal_key_is_an_error():
    n = tf.constant(6)
    saver = training.SequenceQueueingStateSaver(1, 3, n, "key", sequence(n), {}, {"h": tf.zeros([])})
    with tf.Session() as sess:
        sess.run(saver.prefetch_op)
        with pytest.raises(tf.errors.InvalidArgumentError, match="key"):
            sess.run(saver.prefetch_op)
        sess.run(saver.next_batch.key)
        sess.run(saver.close())


def test_sequences_that_do_not_fit():
    for length, other, text in ((4, 4, "a multiple of 3 steps"), (3, 6, "another length than the first")):
        inputs = {"a": tf.zeros([length]), "b": tf.zeros([other])}
        inputs = {key: tf.placeholder_with_default(value, [None]) for key, value in inputs.items()}
        saver = training.SequenceQueueingStateSaver(1, 3, 3, "key", inputs, {}, {"h": tf.zeros([])})
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(saver.prefetch_op)


def test_wrong_arguments():
    x, state = {"x": tf.zeros([3])}, {"h": tf.zeros([2])}
    good = [2, 3, 3, "key", x, {}, state]
    for place, value, cls, text in (
        (1, 0, ValueError, "num_unroll must be a positive integer"),
        (2, [3], ValueError, "input_length must be a scalar"),
        (3, ["key"], ValueError, "input_key must be a scalar"),
        (4, [1], TypeError, "The sequences must be a dictionary"),
        (4, {}, ValueError, "There are no sequences"),
        (6, {}, ValueError, "There are no states"),
        (4, {"x": tf.zeros([])}, ValueError, "Sequence x must have at least one dimension"),
        (6, {"h": tf.placeholder(tf.float32, [None])}, ValueError, "The shape of state h must be fully known"),
    ):
        with pytest.raises(cls, match=text):
            training.SequenceQueueingStateSaver(*good[:place], value, *good[place + 1 :])
    batch = training.SequenceQueueingStateSaver(*good).next_batch
    with pytest.raises(KeyError, match="state was not declared: none"):
        batch.state("none")
    with pytest.raises(KeyError, match="state was not declared: none"):
        batch.save_state("none", 1)
    with pytest.raises(ValueError, match="State h has shape"):
        batch.save_state("h", tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="capacity needs to be >= batch_size"):
        training.batch_sequences_with_states("key", x, {}, 3, state, 3, 8, capacity=4)


def test_a_network_sees_whole_sequences():
    """Pieces with states give what one run over the whole sequence gives."""
    data = np.random.default_rng(0).normal(size=(9, 2)).astype(np.float32)
    cell = tf.nn.rnn_cell.GRUCell(3)
    saver = training.SequenceQueueingStateSaver(1, 3, 9, "key", {"x": data}, {}, {"h": tf.zeros([3])})
    inputs = tf.unstack(saver.next_batch.sequences["x"], axis=1)
    with tf.variable_scope("rnn"):
        outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, saver.next_batch, "h", scope="a")
    with tf.variable_scope("rnn", reuse=True):
        whole, _ = tf.nn.static_rnn(cell, tf.unstack(data[None], axis=1), dtype=tf.float32, scope="a")
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), saver.prefetch_op])
        found = np.concatenate([sess.run(outputs) for _ in range(3)])
        np.testing.assert_allclose(found, sess.run(whole), rtol=1e-5, atol=1e-6)
