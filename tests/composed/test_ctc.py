"""CTC losses with dense labels and any blank, functions of labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.records.nn import ctc_loss as records

R = np.random.default_rng(10)


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def reference(x, rows, steps):
    """The loss, for the last class as blank."""
    losses = np.zeros(len(rows))
    for b, (row, n) in enumerate(zip(rows, steps, strict=True)):
        indices, values = np.array([(0, i) for i in range(len(row) or 1)]), np.array(row or [x.shape[2] - 1])
        if n:
            losses[b] = records.ctc(x[:, b : b + 1], indices, values, [n], False, True, False)[0][0]
    return losses


ROWS = [[1, 2], [1, 1, 3], [2], [], []]
STEPS = [6, 5, 4, 3, 0]


@pytest.mark.parametrize("blank", [None, 0, -1, 1, -2])
@pytest.mark.parametrize("kind", ["dense", "sparse", "batch first"])
def test_blank(blank, kind):
    x = R.normal(size=(6, 5, 5))
    position = (blank or 0) % 5
    rows = [[k + (k >= position) for k in row] for row in ([0 if k == 3 else k for k in row] for row in ROWS)]
    moved = np.concatenate([np.delete(x, position, axis=2), x[:, :, [position]]], axis=2)
    want = reference(moved, [[k - (k > position) for k in row] for row in rows], STEPS)
    dense = np.array([row + [0] * (3 - len(row)) for row in rows], np.int64)
    lengths = [len(row) for row in rows]
    if kind == "dense":
        found = run(lambda: tf.nn.ctc_loss_v2(dense, x, lengths, STEPS, blank_index=blank))
    elif kind == "batch first":
        found = run(lambda: tf.nn.ctc_loss_v2(dense, x.swapaxes(0, 1), lengths, STEPS, False, blank_index=blank))
    else:
        if blank is None:
            blank = 0
        full = [b for b, row in enumerate(rows) if row]
        indices = [(b, i) for b in full for i in range(len(rows[b]))]
        values = np.int32([k for b in full for k in rows[b]])
        found = run(
            lambda: tf.nn.ctc_loss_v2(
                tf.SparseTensor(indices, values, [3, 3]), x[:, :3], None, STEPS[:3], blank_index=blank
            )
        )
        want = want[:3]
    np.testing.assert_allclose(found, want, rtol=1e-10)


def test_gradient_of_absent_sequences():
    """Neither labels nor steps: loss and gradient are 0."""

    def make():
        x = tf.constant(R.normal(size=(4, 2, 3)))
        loss = tf.nn.ctc_loss_v2([[1], [0]], x, [1, 0], [4, 0])
        return loss, tf.gradients(loss, x)[0]

    loss, gradient = run(make)
    assert loss[0] > 0 and loss[1] == 0
    assert gradient[:, 0].any() and not gradient[:, 1].any()


def test_errors():
    x = np.zeros((4, 1, 3), np.float32)
    with pytest.raises(ValueError, match="`blank_index` must be provided"):
        run(lambda: tf.nn.ctc_loss_v2(tf.SparseTensor([[0, 0]], [1], [1, 1]), x, None, [4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="label_length is greater than the number of labels"):
        run(lambda: tf.nn.ctc_loss_v2([[1, 2]], x, [3], [4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not enough time"):
        run(lambda: tf.nn.ctc_loss_v2([[1, 2]], x, [2], [1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Saw a non-null label"):
        run(lambda: tf.nn.ctc_loss_v2([[0, 2]], x, [2], [4]))


@given(st.lists(st.lists(st.integers(-3, 5), min_size=4, max_size=4), min_size=1, max_size=4))
def test_unique_labels(rows):
    different, places = run(lambda: tf.nn.ctc_unique_labels(rows))
    assert different.dtype == np.int64 and places.dtype == np.int32
    for row, values, place in zip(rows, different.tolist(), places.tolist(), strict=True):
        want = list(dict.fromkeys(row))
        assert values == want + [0] * (4 - len(want)) and [want[i] for i in place] == row


@given(st.data())
def test_collapse_repeated(data):
    time = data.draw(st.integers(1, 6))
    rows = st.lists(st.integers(1, 3), min_size=time, max_size=time)
    labels = data.draw(st.lists(rows, min_size=1, max_size=3))
    lengths = [data.draw(st.integers(0, time)) for _ in labels]
    got, found = run(lambda: tf.nn.collapse_repeated(labels, np.int64(lengths)))
    want = [[x for i, x in enumerate(row[:n]) if i == 0 or x != row[i - 1]] for row, n in zip(labels, lengths)]
    assert found.tolist() == [len(w) for w in want] and found.dtype == np.int64
    assert got.tolist() == [w + [0] * (max(map(len, want)) - len(w)) for w in want]
