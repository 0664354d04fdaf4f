"""Calls of ragged tensors give what TensorFlow 2.21 gave for them: values, types, static shapes, classes of errors."""

import json
import os

import pytest

import tfcore as tf
from tests.composed import ragged_calls

_ANSWERS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "fixtures", "ragged_calls.json")
with open(_ANSWERS, encoding="utf-8") as _file:
    ANSWERS = json.load(_file)

# What TensorFlow refuses, or of which it makes a tensor with a dimension too much, and tfcore computes.
MORE = {
    "tf.reverse(P, tf.constant([1]))": [[3, 2, 1], [], [5, 4], [6]],
    "tf.strings.to_number(c([['1'], ['2', '3']]))": [[1], [2, 3]],
    "tf.add(c([[1, 2], [3, 4]]), [10, 20])": [[11, 22], [13, 24]],
    "tf.gather(c([[[1, 2], [3]], [[4], [5, 6]]]), c([[1], [0, 1]]), batch_dims=1)": [[[3]], [[4], [5, 6]]],
    "tf.gather(np.arange(12).reshape(3, 4), c([[0, 1], [3], []]), batch_dims=1)": [[0, 1], [7], []],
    "tf.gather(c([[[1, 2], [3]], [[4], [5, 6]]]), c([[[1], [0]], [[0], [1, 0]]]), batch_dims=2)": [
        [[2], [3]],
        [[4], [6, 5]],
    ],
    "tf.gather_nd(Q, [0])": [[1, 2], [], [3]],
}


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == pytest.approx(b, rel=1e-5, abs=1e-6, nan_ok=True)
    return a == b


def differs(call, found, expected):
    if call in MORE:
        return found.get("value") != MORE[call]
    keys = ("error", "dtype", "splits")
    if any(found.get(key) != expected.get(key) for key in keys) or not same(found.get("value"), expected.get("value")):
        return True
    shape, known = found.get("shape"), expected.get("shape")  # what both know is the same
    return None not in (shape, known) and not tf.TensorShape(shape).is_compatible_with(known)


def test_every_call_is_recorded():
    assert list(ANSWERS) == list(dict.fromkeys(ragged_calls.calls()))


@pytest.mark.parametrize("part", range(8))
def test_calls(part):
    wrong = {}
    for call in list(ANSWERS)[part::8]:
        found = json.loads(json.dumps(ragged_calls.answer(tf, call)))
        if differs(call, found, ANSWERS[call]):
            wrong[call] = found, ANSWERS[call]
    assert not wrong


@pytest.mark.parametrize("key, value", [("value", [[9]]), ("dtype", "int8"), ("splits", "int32"), ("shape", [9, None])])
def test_a_difference_is_found(key, value):
    right = ANSWERS["P[1:3]"]
    assert not differs("P[1:3]", right, right)
    assert differs("P[1:3]", {**right, key: value}, right)
