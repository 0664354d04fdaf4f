"""What records of state ops can't say: errors, types, concurrency, snapshots."""

import threading

import numpy as np
import pytest

import tfcore as tf

ALL_TYPES = [
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16,
    tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string,
]  # fmt: skip


@pytest.fixture
def sess():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


def _variable(sess, value, **kwargs):
    variable = tf.Variable(value, **kwargs)
    sess.run(variable.initializer)
    return variable


def test_use_before_initialization(sess):
    w = tf.Variable([1.0], name="W")
    for use in (w, w.value(), w + 1.0, tf.assign_add(w, [1.0]), tf.scatter_add(w, [0], [1.0]), w.read_value()):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value W"):
            sess.run(use)
    assert not sess.run(tf.is_variable_initialized(w))
    sess.run(w.initializer)
    assert sess.run(tf.is_variable_initialized(w))


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=lambda d: d.name)
def test_every_type_is_kept(sess, dtype):
    value = np.array([[b"a", b""]], object) if dtype == tf.string else np.array([[1, 0]]).astype(dtype.as_numpy_dtype)
    v = _variable(sess, tf.constant(value, dtype))
    assert sess.run(v).dtype == value.dtype
    assert sess.run(v).tolist() == value.tolist()
    assert sess.run(tf.assign(v, value[:, ::-1].copy())).tolist() == value[:, ::-1].tolist()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_empty_variables(sess, shape):
    v = _variable(sess, np.zeros(shape, np.float32))
    assert sess.run(v).shape == shape
    assert sess.run(tf.assign_add(v, np.ones(shape, np.float32))).shape == shape
    assert sess.run(tf.is_variable_initialized(v))
    indices = np.zeros(0, np.int32)
    assert sess.run(tf.scatter_add(v, indices, np.ones((0, *shape[1:]), np.float32))).shape == shape


class TestAssign:
    def test_static_shape_mismatch(self, sess):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(
            ValueError, match=r"Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are \[2\] and \[3\]"
        ):
            tf.assign(v, [1.0, 2.0, 3.0])

    def test_shape_mismatch_when_running(self, sess):
        v = _variable(sess, [1.0, 2.0])
        x = tf.placeholder(tf.float32)
        assign = tf.assign(v, x)
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Assign requires shapes of both tensors to match. lhs shape= \[2\] rhs shape= \[2,1\]",
        ):
            sess.run(assign, {x: [[1.0], [2.0]]})
        assert sess.run(v).tolist() == [1.0, 2.0]

    def test_shape_may_change_without_validation(self, sess):
        x = tf.placeholder(tf.float32)
        v = tf.Variable(x, validate_shape=False)
        assert v.shape.ndims is None
        sess.run(v.initializer, {x: [1.0]})
        assign = tf.assign(v, x, validate_shape=False)
        assert sess.run(assign, {x: [[1.0, 2.0]]}).shape == (1, 2)
        assert sess.run(v).shape == (1, 2)

    def test_wrong_type(self, sess):
        v = tf.Variable([1.0])
        with pytest.raises(TypeError, match="int32"):
            tf.assign(v, tf.constant([1]))

    def test_needs_a_variable(self, sess):
        for update in (tf.assign, tf.assign_add, tf.assign_sub):
            with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{update.__name__}'"):
                update(tf.constant([1.0]), [2.0])

    def test_fed_memory_is_copied(self, sess):
        v = _variable(sess, np.zeros(100, np.float32))
        x = tf.placeholder(tf.float32, [100])
        mine = np.ones(100, np.float32)
        sess.run(tf.assign(v, x).op, {x: mine})
        mine[:] = 7
        assert sess.run(v).tolist() == [1.0] * 100

    def test_assign_add_of_other_shape(self, sess):
        v = _variable(sess, [1.0, 2.0])
        x = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Parameters and update must be the same size"):
            sess.run(tf.assign_add(v, x), {x: 1.0})

    def test_integers_wrap(self, sess):
        v = _variable(sess, np.array([127, -128], np.int8))
        assert sess.run(tf.assign_add(v, np.array([1, -1], np.int8))).tolist() == [-128, 127]


def test_fetched_values_never_change(sess):
    v = _variable(sess, np.zeros(1000, np.float32))
    add = tf.assign_add(v, np.ones(1000, np.float32))
    first = sess.run(v)
    second = sess.run(add)
    sess.run(add)
    assert first.tolist() == [0.0] * 1000
    assert second.tolist() == [1.0] * 1000


def test_reads_are_snapshots(sess):
    """A value read before an update is not changed by it, though the update is in place."""
    v = _variable(sess, np.zeros(5000, np.float32))
    before = v.read_value()
    with tf.control_dependencies([before]):
        update = tf.assign_add(v, np.ones(5000, np.float32))
    with tf.control_dependencies([update]):
        after = before * 1.0
    assert sess.run(after).tolist() == [0.0] * 5000


def test_old_variable_op_and_shared_names(sess):
    a = tf.raw_ops.Variable(shape=[2], dtype=tf.float32, shared_name="both")
    b = tf.raw_ops.VariableV2(shape=[2], dtype=tf.float32, shared_name="both")
    sess.run(tf.assign(a, [1.0, 2.0]))
    assert sess.run(b).tolist() == [1.0, 2.0]


def test_ref_identity(sess):
    v = _variable(sess, [1.0])
    again = tf.raw_ops.RefIdentity(input=v._ref())
    assert sess.run(tf.assign_add(again, [2.0])).tolist() == [3.0]
    assert sess.run(v).tolist() == [3.0]
    (grad,) = tf.gradients(again * again, [v._ref()])
    assert sess.run(grad).tolist() == [6.0]


def test_ref_select(sess):
    v, w = _variable(sess, [1.0]), _variable(sess, [2.0])
    index = tf.placeholder(tf.int32, [])
    chosen = tf.raw_ops.RefSelect(index=index, inputs=[v._ref(), w._ref()])
    add = tf.assign_add(chosen, [10.0])
    assert sess.run(add, {index: 1}).tolist() == [12.0]
    assert sess.run(add, {index: 0}).tolist() == [11.0]
    assert [a.tolist() for a in sess.run([v, w])] == [[11.0], [12.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Index must be in the range \[0, 2\) but got 2"):
        sess.run(add, {index: 2})


class TestCountUpTo:
    def test_counts(self, sess):
        v = _variable(sess, tf.constant(0, tf.int64))
        op = tf.count_up_to(v, 3)
        assert [sess.run(op) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            sess.run(op)
        assert sess.run(v) == 3

    def test_needs_a_scalar(self, sess):
        v = _variable(sess, [0, 1])
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            sess.run(v.count_up_to(3))


def _run_in_threads(threads, function):
    errors = []

    def work():
        try:
            function()
        except Exception as error:  # noqa: BLE001  shown by the assertion below
            errors.append(error)

    started = [threading.Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert not errors


def test_concurrent_assign_add_is_exact(sess):
    v = _variable(sess, np.zeros(300, np.int64))
    add = tf.assign_add(v, np.ones(300, np.int64)).op
    _run_in_threads(8, lambda: [sess.run(add) for _ in range(250)])
    assert sess.run(v).tolist() == [2000] * 300


def test_concurrent_steps_see_whole_values(sess):
    """Readers between writers never see a value half written."""
    v = _variable(sess, np.zeros(20000, np.int32))
    add = tf.assign_add(v, np.ones(20000, np.int32)).op
    read = v.read_value()

    def work():
        for _ in range(60):
            sess.run(add)
            value = sess.run(read)
            assert (value == value[0]).all()

    _run_in_threads(6, work)
    assert (sess.run(v) == 360).all()


def test_counters_give_each_number_once(sess):
    v = _variable(sess, 0)
    op = v.count_up_to(2000)
    seen = []

    def work():
        while True:
            try:
                seen.append(int(sess.run(op)))
            except tf.errors.OutOfRangeError:
                return

    _run_in_threads(6, work)
    assert sorted(seen) == list(range(2000))
