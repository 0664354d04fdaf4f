"""Ragged tensors: sessions, placeholders, gradients, control flow, specifications, and what importing them does."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf

rows = st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=5)


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@given(rows)
def test_there_and_back(lists):
    value = run(lambda: tf.ragged.constant(lists, tf.int32, ragged_rank=1))
    assert value.to_list() == lists and value.row_splits.tolist() == np.cumsum([0, *map(len, lists)]).tolist()
    dense = run(lambda: tf.ragged.constant(lists, tf.int32, ragged_rank=1).to_tensor(-1))
    assert dense.tolist() == [row + [-1] * (max(map(len, lists)) - len(row)) for row in lists]


@given(rows)
def test_known_shapes_of_columns(lists):
    """What has one element for each column: of a constant as many as the longest row has; all agree with the values."""
    width = max(map(len, lists))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.ragged.constant(lists, tf.int32, ragged_rank=1)
        for made in (tf.reduce_sum(x, axis=0), tf.strings.reduce_join(tf.as_string(x), axis=0)):
            assert made.shape.as_list() == [width] and sess.run(made).shape == (width,)
        assert tf.reduce_max(x, axis=0, keepdims=True).shape.as_list() == [1, width]
        x = tf.ragged.placeholder(tf.int32, 1, [])
        assert tf.reduce_sum(x, axis=0).shape.as_list() == [None]


def test_known_rows_of_pieces():
    with tf.Graph().as_default():
        for rows in (2, None):
            x = tf.placeholder(tf.string, [rows])
            assert tf.string_split(x, result_type="RaggedTensor").shape.as_list() == [rows, None]
            assert tf.strings.split(x, result_type="RaggedTensor").shape.as_list() == [rows, None]


@settings(max_examples=25)
@given(rows)
def test_reductions_and_broadcasts_of_rows(lists):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.ragged.placeholder(tf.int32, 1, [])
        column = tf.placeholder(tf.int32, [None, 1])
        fetches = tf.reduce_sum(x, 1), x + column, x[:, ::-1], tf.concat([x, x], 1), tf.gather(x, [0, 0])
        value = tf.ragged.constant_value(lists, np.int32, ragged_rank=1)
        sums, moved, turned, twice, first = sess.run(fetches, {x: value, column: np.arange(len(lists))[:, None]})
        assert sums.tolist() == [sum(row) for row in lists]
        assert moved.to_list() == [[item + i for item in row] for i, row in enumerate(lists)]
        assert turned.to_list() == [row[::-1] for row in lists]
        assert twice.to_list() == [row + row for row in lists]
        assert first.to_list() == [lists[0]] * 2


def test_feeds(sess):
    x = tf.ragged.placeholder(tf.float32, 2, value_shape=[2])
    assert x.shape.as_list() == [None, None, None, 2]
    value = tf.ragged.constant_value([[[[1.0, 2]], []]], np.float32, ragged_rank=2, inner_shape=(2,))
    assert sess.run(x * 2, {x: value}).to_list() == [[[[2, 4]], []]]
    assert sess.run({"x": [x, x.nrows()]}, {x: value})["x"][1] == 1
    with pytest.raises(TypeError, match="must be a RaggedTensorValue"):
        sess.run(x, {x: [[1]]})
    with pytest.raises(ValueError, match="of ragged_rank 2 has ragged_rank 1"):
        sess.run(x, {x: tf.ragged.constant_value([[1.0]], np.float32)})
    with pytest.raises(TypeError, match="not a RaggedTensor: list its components"):
        sess.make_callable(x, [x])
    call = sess.make_callable(x, [x.flat_values, *x.nested_row_splits])
    assert call(value.flat_values, *value.nested_row_splits).to_list() == value.to_list()


def test_unknown_rank(sess):
    x = tf.ragged.placeholder(tf.int32, 1)
    value, column = tf.ragged.constant_value([[1, 2], [], [3]], np.int32), [[5], [6], [7]]
    cases = {
        tf.gather(x, [0, 0]): [[1, 2], [1, 2]],
        tf.gather_nd(x, [[2]]): [[3]],
        tf.concat([x, x], 0): [[1, 2], [], [3], [1, 2], [], [3]],
        tf.concat([x, column], 1): [[1, 2, 5], [6], [3, 7]],
        tf.stack([x, x], 0): [[[1, 2], [], [3]]] * 2,
        tf.stack([x, x], 1): [[[1, 2]] * 2, [[], []], [[3]] * 2],
        tf.add_n([x, x]): [[2, 4], [], [6]],
        tf.dynamic_partition(x, [1, 0, 1], 2)[1]: [[1, 2], [3]],
    }
    for result, expected in cases.items():
        assert sess.run(result, {x: value}).to_list() == expected
    with pytest.raises(ValueError, match="statically known"):
        tf.concat([x, x], -1)


def test_structures(sess, capfd):
    x = tf.ragged.constant([[1, 2], [3]])
    assert sess.run(tf.map_fn(lambda item: tf.reduce_sum(item["a"]), {"a": x}, dtype=tf.int32)).tolist() == [3, 3]
    sess.run([tf.print({"b": 1, "a": x}, [x, tf.constant(5)], "end", x)])
    assert capfd.readouterr().err == "{'a': [[1, 2], [3]], 'b': 1} [[[1, 2], [3]], 5] end [[1, 2], [3]]\n"


def test_order(sess):
    x = tf.ragged.constant([[1, 2], [3]])
    with tf.control_dependencies([x, tf.no_op("before")]):
        y = tf.constant(1)
    parts = {part.op for part in x.components()}
    assert {*y.op.control_inputs} == {*parts, sess.graph.get_operation_by_name("before")}
    assert {*tf.group({"x": [x]}, name="all").control_inputs} == parts


def test_partial_runs(sess):
    x = tf.ragged.placeholder(tf.int32, 1, [])
    y, z = tf.reduce_sum(x), tf.reduce_max(x, 1)
    handle = sess.partial_run_setup([y, z], [x])
    value = tf.ragged.constant_value([[1, 2], [3]], np.int32)
    assert sess.partial_run(handle, y, {x: value}) == 6
    assert sess.partial_run(handle, z).tolist() == [2, 3]


def test_gradients(sess):
    x = tf.ragged.constant([[1.0, 2], [], [3]])
    (own,) = tf.gradients(tf.reduce_sum(x * x, axis=1) * [1.0, 10, 100], x)
    assert sess.run(own).to_list() == [[2, 4], [], [600]]
    column = tf.constant([[1.0], [2], [3]])
    (other,) = tf.gradients(x * column, column)
    assert sess.run(other).tolist() == [[3], [0], [3]]
    (own,) = tf.gradients(tf.gather(x, [2, 2, 0]).to_tensor() * 2, x)
    assert sess.run(own).to_list() == [[2, 2], [], [4]]
    assert tf.gradients(tf.constant(1.0), x) == [None]
    (own,) = tf.gradients(x * 2, x, x)
    assert sess.run(own).to_list() == [[2, 4], [], [6]]
    (own,) = tf.gradients(x * tf.stop_gradient(x), x)
    assert sess.run(own).to_list() == [[1, 2], [], [3]]


def test_loops_keep_their_kind(sess):
    x = tf.ragged.constant([[1, 2], [3]])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (0, x))
    assert sess.run(y).to_list() == [[8, 16], [24]]
    doubled = tf.map_fn(lambda row: tf.concat([row, row], 0), x)
    assert sess.run(doubled).to_list() == [[1, 2, 1, 2], [3, 3]]
    with pytest.raises(TypeError, match="callable"):
        tf.map_fn(3, x)
    with pytest.raises(ValueError, match="does not match ragged rank of type 1"):
        tf.map_fn(lambda row: row, x, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32))


def test_row_splits_of_both_types(sess):
    x = tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.int32)
    for y in (x + 1, x[::-1], tf.tile(x, [2, 2]), tf.concat([x, x], 1), tf.expand_dims(x, 0)):
        assert y.row_splits.dtype == tf.int32
        sess.run(y)
    blocks = tf.ragged.constant([[[1, 2]], []], ragged_rank=1, row_splits_dtype=tf.int32)
    assert sess.run(tf.strings.format("{}", blocks)) == b"[[[1, 2]], []]"
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        x + tf.ragged.constant([[1, 2], [3]])


def test_specs(sess):
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    x = tf.ragged.constant([[1, 2], [3]])
    assert tf.type_spec_from_value(x) == spec and spec.is_compatible_with(x) and hash(spec) == hash(spec)
    assert tf.is_tensor(x) and not tf.is_tensor(spec)
    assert not tf.RaggedTensorSpec([3, None], tf.int32).is_compatible_with(x)
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert repr(spec).startswith("RaggedTensorSpec(")
    back = spec.from_tensors(spec.to_tensors(x))
    assert sess.run(back).to_list() == [[1, 2], [3]] and back.shape.as_list() == [2, None]
    for arguments in ({}, {"shape": [None], "ragged_rank": 1}, {"shape": [2], "dtype": None}):
        with pytest.raises(ValueError):
            tf.RaggedTensorSpec(**arguments)
    with pytest.raises(TypeError):
        tf.RaggedTensorSpec([None, None], ragged_rank=1.0)


def test_values():
    value = tf.ragged.constant_value([[[1, 2]], []])
    assert value.ragged_rank == 2 and value.shape == (2, None, None) and value.dtype == np.int64
    assert str(value) == "<tf.RaggedTensorValue [[[1, 2]], []]>"
    assert "row_splits=array" in repr(value) and len(value.nested_row_splits) == 2
    for values, splits, error in (([1], [0, 1], TypeError), (np.ones(1), [0, 1], TypeError)):
        with pytest.raises(error):
            tf.ragged.RaggedTensorValue(values, splits)
    with pytest.raises(ValueError, match="same dtype"):
        tf.ragged.RaggedTensorValue(value, np.array([0, 2], np.int32))


def test_functions_that_take_none():
    with tf.Graph().as_default():
        x = tf.ragged.constant([[1.0], []])
        with pytest.raises(TypeError, match="takes none"):
            tf.matrix_inverse(x)
        with pytest.raises(TypeError, match="may not be used as a boolean"):
            bool(x)
        with pytest.raises(ValueError, match="constructor is private"):
            tf.RaggedTensor(x, x)


def child(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True).stdout


def test_what_is_loaded_and_replaced():
    code = """
import sys, pickle
import tfcore as tf
assert not any(name.startswith("tfcore.composed.ragged") for name in sys.modules)
tf.string_split(["a b"]), tf.strings.split(["a b"])
assert not any(name.startswith("tfcore.composed.ragged") for name in sys.modules)
held = tf.reduce_sum
x = tf.ragged.constant([[1, 2], [3]])
assert tf.reduce_sum is tf.math.reduce_sum is held
assert pickle.loads(pickle.dumps(tf.reduce_sum)) is tf.reduce_sum
with tf.Session() as sess:
    print(sess.run([held([1, 2]), held(x)]), sess.run(tf.constant([[1], [2]]) < x).to_list())
"""
    assert child(code) == "[np.int32(3), np.int32(6)] [[False, True], [True]]\n"


def test_first_expression_of_a_program():
    code = """
import inspect
import tfcore as tf
functions = tf.concat, tf.reduce_sum, tf.erf, tf.print, tf.zeros_like
signatures = [(inspect.signature(f), f.__doc__, f.__module__, f.__qualname__) for f in functions]
arguments = inspect.getfullargspec(tf.concat)
sums = tf.reduce_sum(tf.ragged.constant([[1, 2], [3]]), axis=1)
assert signatures == [(inspect.signature(f), f.__doc__, f.__module__, f.__qualname__) for f in functions]
assert arguments == inspect.getfullargspec(tf.concat) and "def concat" in inspect.getsource(tf.concat)
for call in (lambda: tf.erf(), lambda: tf.concat([1], 0, other=2)):
    try:
        call()
        raise AssertionError
    except TypeError as error:
        assert "erf" in str(error) or "other" in str(error), error
with tf.Session() as sess:
    print(sess.run([sums, tf.concat([[1], [2]], axis=0)]))
"""
    assert child(code) == "[array([3, 3], dtype=int32), array([1, 2], dtype=int32)]\n"


@pytest.mark.parametrize(
    "call",
    [
        "tf.ragged.constant([[1]])",
        "tf.RaggedTensor",
        'tf.strings.split(["a b"], result_type="RaggedTensor")',
        'tf.io.parse_example([b""], {"a": tf.io.RaggedFeature(tf.int64)})',
    ],
)
def test_first_use_in_several_threads(call):
    code = f"""
import sys, threading
import tfcore as tf
sys.setswitchinterval(1e-5)
graph, barrier, done = tf.Graph(), threading.Barrier(6), []

def use(i):
    barrier.wait()
    with graph.as_default():
        tf.ragged.range if i % 2 else {call}
        tf.reduce_sum(tf.ragged.constant([[1, 2], [3]]), axis=1)
    done.append(i)

threads = [threading.Thread(target=use, args=[i]) for i in range(6)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(len(done))
"""
    assert child(code) == "6\n"


def test_calls_while_the_functions_change():
    code = """
import sys, threading
import tfcore as tf
sys.setswitchinterval(1e-6)
calls, faults, changed = [0] * 3, [], threading.Event()

def use(i):
    with tf.Graph().as_default():
        while not changed.is_set() or not faults and calls[i] < 10:
            calls[i] += 1
            try:
                tf.reduce_sum([1.0, 2.0]), tf.concat([[1], [2]], axis=0), tf.erf(1.0), tf.print("x", end="")
            except Exception as fault:
                faults.append(fault)

threads = [threading.Thread(target=use, args=[i]) for i in range(3)]
[thread.start() for thread in threads]
tf.ragged.constant
changed.set()
[thread.join() for thread in threads]
print(min(calls) > 0, faults)
"""
    assert child(code) == "True []\n"


def test_interrupted_imports():
    code = """
import inspect, itertools, types
import tfcore as tf
signature = inspect.signature
calls = itertools.count()

def interrupted(function):
    if next(calls) == stop:
        raise KeyboardInterrupt
    return signature(function)

interrupts = 0
inspect.signature = interrupted
for stop in (0, 90, 200, 300):
    calls = itertools.count()
    try:
        tf.ragged.constant
    except KeyboardInterrupt:
        interrupts += 1
inspect.signature = signature
x = tf.ragged.constant([[1, 2], [3]])
plain = tf.reduce_sum.__wrapped__
assert not hasattr(plain, "__wrapped__") and tf.add.__wrapped__.__code__.co_name == "add"
with tf.Session() as sess:
    print(interrupts, sess.run(tf.reduce_sum(x + 1)), sess.run(tf.constant([[1], [2]]) < x).to_list())
"""
    assert child(code) == "3 9 [[False, True], [True]]\n"


def test_modules_of_tensorflow():
    code = """
import tfcore.as_tensorflow; tfcore.as_tensorflow.install()
from tensorflow.python.ops import math_ops
from tensorflow.python.ops.ragged import ragged_factory_ops, ragged_tensor
from tensorflow import reduce_sum
math_ops.add
x = ragged_factory_ops.constant([[1, 2], [3]])
assert isinstance(math_ops.add(x, 1), ragged_tensor.RaggedTensor)
reduce_sum(x, axis=1)
"""
    child(code)
