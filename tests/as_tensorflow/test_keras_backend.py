"""tensorflow.python.keras.backend, which Keras 2.3 is built on, without Keras; values from NumPy."""

import gc
import textwrap
import weakref

import numpy as np
import pytest
import scipy.sparse

import tfcore as tf
from tests.as_tensorflow.test_programs import run
from tfcore.as_tensorflow.keras import backend as K
from tfcore.as_tensorflow.keras import settings, tf_utils


@pytest.fixture(autouse=True)
def cleared():
    with tf.Graph().as_default():
        yield
    K.clear_session()


def test_settings(monkeypatch):
    for name in ("_floatx", "_epsilon", "_image_data_format"):
        monkeypatch.setattr(settings, name, getattr(settings, name))
    assert (K.floatx(), K.epsilon(), K.image_data_format()) == ("float32", 1e-7, "channels_last")
    K.set_floatx("float64"), K.set_epsilon(1e-3), K.set_image_data_format("channels_first")
    assert (K.floatx(), K.epsilon(), K.image_data_format()) == ("float64", 1e-3, "channels_first")
    assert K.cast_to_floatx([1, 2]).dtype == np.float64 and K.cast_to_floatx(tf.constant(1)).dtype == tf.float64
    assert K.constant(1).dtype == K.placeholder(ndim=2).dtype == K.variable(1).dtype.base_dtype == tf.float64
    with pytest.raises(ValueError, match="Unknown floatx type: int8"):
        K.set_floatx("int8")
    with pytest.raises(ValueError, match="Unknown data_format: NHWC"):
        K.set_image_data_format("NHWC")


def test_names_and_the_learning_phase_belong_to_a_graph():
    assert [K.get_uid("a"), K.get_uid("a"), K.get_uid("b")] == [1, 2, 1]
    with tf.name_scope("scope"), tf.control_dependencies([tf.no_op()]):
        phase = K.learning_phase()
    assert phase is K.learning_phase() and phase.op.name == "keras_learning_phase" and not phase.op.control_inputs
    with tf.Graph().as_default() as other:
        assert K.get_uid("a") == 1 and K.learning_phase().graph is other
        K.set_learning_phase(1)
        assert K.learning_phase() == 1
        with pytest.raises(ValueError, match="Expected learning phase to be 0 or 1"):
            K.set_learning_phase(2)
    assert K.learning_phase() is phase
    K.reset_uids()
    assert K.get_uid("a") == 1
    gone = weakref.ref(other)
    del other
    gc.collect()
    assert gone() is None


def test_the_session_gives_new_variables_their_values():
    v = K.variable([1.0, 2.0])
    session = K.get_session()
    assert session is K.get_session() and session.graph is tf.get_default_graph()
    assert session.run(v).tolist() == [1, 2]
    v.load([5.0, 6.0], session)
    w = tf.Variable(v.initialized_value() * 2)
    assert K.batch_get_value([v, w])[1].tolist() == [10, 12] and K.batch_get_value([]) == []
    with tf.Session() as other:  # variables have no values there yet
        assert K.get_session() is other and other.run(v).tolist() == [1, 2]
    own = tf.Session()
    K.set_session(own)
    K.manual_variable_initialization(True)
    try:
        with pytest.raises(tf.errors.FailedPreconditionError):
            K.get_session().run(v)
    finally:
        K.manual_variable_initialization(False)
    own.graph.finalize()
    assert K.get_session() is own
    with tf.Graph().as_default():
        assert K.get_session() is not own


def test_values_of_variables():
    v, n = K.variable([[1.0, 2.0]], name="v"), K.variable(3, "int32")
    assert v in tf.trainable_variables() and v.op.type == "VarHandleOp" and v.name == "v:0"
    K.batch_set_value([(v, [[3, 4]]), (n, 7.0)])
    K.batch_set_value([])
    size = len(tf.get_default_graph().get_operations())
    K.set_value(v, np.array([[5.0, 6.0]], np.float64))
    assert len(tf.get_default_graph().get_operations()) == size
    assert [x.tolist() for x in K.batch_get_value([v, n])] == [[[5, 6]], 7]
    with pytest.raises(ValueError, match="shape"):
        K.set_value(v, [1.0])
    x = K.variable(scipy.sparse.csr_matrix([[0, 2.0], [3.0, 0]]))
    assert K.get_session().run(tf.sparse.to_dense(x)).tolist() == [[0, 2], [3, 0]]


def test_functions():
    x, y = K.placeholder([2]), K.placeholder(ndim=0)
    v, n = K.variable([1.0, 1.0]), K.variable(0.0)
    f = K.function([x, y], [x * y, v.read_value()], [(v, v + x), tf.assign_add(n, 1.0)], name="f")
    first = f([[1, 2], 3])
    assert first[0].tolist() == [3, 6] and f.name == "f"
    f([tf.constant([1.0, 2.0]) * 2, 1])  # a tensor is computed and then fed
    assert [value.tolist() for value in K.batch_get_value([v, n])] == [[4, 7], 2]
    assert K.function(x, x + 1)(np.array([5, 6])).tolist() == [6, 7]
    z = tf.placeholder_with_default(2.0, [])
    assert K.function([z], [z, v])([None])[0] == 2


def test_outputs_come_before_updates():
    v = K.variable(0.0)
    f = K.function([], [v * 10.0], [(v, v + 1.0)])
    assert [f([])[0] for _ in range(3)] == [0, 10, 20]


def test_functions_with_options():
    x, extra = K.placeholder([]), tf.placeholder(tf.float32, [])
    seen = []
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    product = x * 3.0
    f = K.function([x], [x * extra], feed_dict={extra: 4.0}, fetches=[product], options=options, run_metadata=metadata)
    f.fetch_callbacks[product] = seen.append
    assert f([2]) == [8] and seen == [6] and metadata.step_stats.dev_stats
    with pytest.raises(ValueError, match=r"not supported at this time: \['what'\]"):
        K.function([x], [x], what=1)
    with pytest.raises(ValueError):
        f([1, 2])


def test_functions_of_sparse_matrices():
    x = K.placeholder([None, 2], sparse=True)
    f = K.function([x], [tf.sparse.to_dense(x), x])
    matrix = scipy.sparse.csr_matrix([[0, 2.0], [3.0, 0]])
    for value in (matrix, tf.SparseTensorValue([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])):
        dense, sparse = f([value])
        assert dense.tolist() == [[0, 2], [3, 0]] and sparse.values.tolist() == [2, 3]


# ---- Recurrence

BATCH, TIME, IN, OUT = 3, 5, 2, 4


def values(x):
    return K.get_session().run(x)


def reference(x, state, w, u, mask, constant, backwards, zeros):
    """The loop in NumPy: (last output, outputs, last state)"""
    before, outputs = np.zeros_like(state), []
    for t in reversed(range(TIME)) if backwards else range(TIME):
        new = np.tanh(x[:, t] @ w + state @ u + constant)
        output = 2 * new
        if mask is not None:
            m = mask[:, t, None]
            output = np.where(m, output, 0 if zeros else before)
            new = np.where(m, new, state)
        before, state = output, new
        outputs.append(output)
    return before, np.stack(outputs, 1), state


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("zeros", [False, True])
def test_recurrence(unroll, masked, backwards, zeros):
    random = np.random.RandomState(unroll + 2 * masked + 4 * backwards)
    x, state = random.randn(BATCH, TIME, IN).astype("f"), random.randn(BATCH, OUT).astype("f")
    w, u, constant = (random.randn(n, OUT).astype("f") for n in (IN, OUT, BATCH))
    mask = random.rand(BATCH, TIME) > 0.4 if masked else None
    weights = tf.constant(w)

    def step(inputs, states):
        assert len(states) == 2
        new = tf.tanh(tf.matmul(inputs, weights) + tf.matmul(states[0], u) + states[1])
        return 2 * new, [new]

    options = {"go_backwards": backwards, "unroll": unroll, "zero_output_for_mask": zeros, "input_length": TIME}
    options["constants"] = [tf.constant(constant)]
    feeds = x if unroll else tf.placeholder_with_default(x, [None, None, IN])
    result = K.rnn(step, feeds if not unroll else tf.constant(x), [tf.constant(state)], mask=mask_of(mask), **options)
    last, outputs, states = values(result)
    expected = reference(x, state, w, u, mask, constant, backwards, zeros)
    for got, want in zip((last, outputs, states[0]), expected):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert result[0].shape.as_list() == [BATCH, OUT] and result[1].shape[-1] == OUT
    time_major = K.rnn(
        step,
        tf.constant(x.swapaxes(0, 1)),
        [tf.constant(state)],
        mask=mask_of(None if mask is None else mask.T[..., None]),
        time_major=True,
        **options,
    )
    np.testing.assert_allclose(values(time_major[1]), outputs.swapaxes(0, 1), rtol=1e-5, atol=1e-6)


def mask_of(mask):
    return None if mask is None else tf.constant(mask.astype(np.uint8))


def test_gradients_of_a_masked_loop_are_those_of_the_unrolled_one():
    random = np.random.RandomState(1)
    x, mask = tf.constant(random.randn(BATCH, TIME, OUT).astype("f")), tf.constant(random.rand(BATCH, TIME) > 0.3)
    w = tf.constant(random.randn(OUT, OUT).astype("f"))

    def step(inputs, states):
        new = tf.tanh(tf.matmul(states[0], w) + inputs)
        return new, [new]

    found = []
    for unroll in (False, True):
        _, outputs, _ = K.rnn(step, x, [tf.zeros([BATCH, OUT])], mask=mask, unroll=unroll)
        found.append(values(tf.gradients(outputs**2, [w, x])))
    for one, other in zip(*found):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_recurrence_without_states():
    x = np.arange(12, dtype="f").reshape(2, 3, 2)
    last, outputs, states = K.rnn(lambda inputs, states: (inputs + 1, []), tf.constant(x), [])
    assert values(outputs).tolist() == (x + 1).tolist() and values(last).tolist() == (x[:, -1] + 1).tolist()
    assert states == []
    with pytest.raises(ValueError, match="Unrolling requires a fixed number of timesteps"):
        K.rnn(lambda inputs, states: (inputs, []), tf.placeholder(tf.float32, [2, None, 3]), [], unroll=True)


# ---- Losses


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [-1, 1])
def test_losses_of_distributions(axis):
    random = np.random.RandomState(0)
    x, target = random.randn(2, 3, 4), softmax(random.randn(2, 3, 4), axis)
    expected = -(target * np.log(softmax(x, axis))).sum(axis)
    for output, from_logits in ((x, True), (3 * softmax(x, axis), False)):
        loss = K.categorical_crossentropy(tf.constant(target), tf.constant(output), from_logits, axis)
        np.testing.assert_allclose(values(loss), expected, rtol=1e-6)
    classes = random.randint(x.shape[axis], size=expected.shape)
    expected = -np.log(np.take_along_axis(softmax(x, axis), np.expand_dims(classes, axis), axis)).squeeze(axis)
    for output, from_logits in ((x, True), (softmax(x, axis), False)):
        for target in (classes, np.expand_dims(classes, axis)):
            loss = K.sparse_categorical_crossentropy(tf.constant(target), tf.constant(output), from_logits, axis)
            np.testing.assert_allclose(values(loss), expected, rtol=1e-6)


def test_losses_of_decisions():
    random = np.random.RandomState(0)
    x, target = random.randn(5, 3), random.randint(2, size=(5, 3)).astype(float)
    p = 1 / (1 + np.exp(-x))
    expected = -(target * np.log(p) + (1 - target) * np.log(1 - p))
    for output, from_logits in ((x, True), (p, False)):
        loss = K.binary_crossentropy(tf.constant(target), tf.constant(output), from_logits)
        np.testing.assert_allclose(values(loss), expected, rtol=1e-5)


def test_losses_of_probabilities_are_finite_and_begin_at_the_logits():
    logits = tf.constant([[100.0, -100.0]])
    target, zero = tf.constant([[0.0, 1.0]]), tf.constant([[1.0, 0.0]])
    probabilities = tf.nn.softmax(logits)
    exact = [
        K.categorical_crossentropy(target, probabilities),
        K.sparse_categorical_crossentropy([1], probabilities),
        K.binary_crossentropy(target, tf.sigmoid(logits)),
    ]
    assert [v.max() for v in values(exact)] == [200, 200, 100]
    clipped = [
        K.categorical_crossentropy(target, zero),
        K.sparse_categorical_crossentropy([1], zero),
        K.binary_crossentropy(target, zero),
    ]
    assert all(15 < v.max() < 17 for v in values(clipped))


# ---- Other tensors


def test_random_numbers():
    tensors = [
        K.random_normal([2000], 3.0, 2.0, seed=1),
        K.random_uniform([2000], -1.0, 1.0, "float64"),
        K.truncated_normal([2000]),
        K.random_binomial([2000], 0.25),
    ]
    normal, uniform, truncated, binomial = values(tensors)
    assert abs(normal.mean() - 3) < 0.3 and abs(normal.std() - 2) < 0.3
    assert uniform.dtype == np.float64 and -1 <= uniform.min() < -0.9 and 0.9 < uniform.max() < 1
    assert abs(truncated).max() <= 2 and set(binomial.tolist()) == {0, 1} and abs(binomial.mean() - 0.25) < 0.1
    assert values(K.hard_sigmoid(tf.constant([-3.0, 0.0, 1.0, 3.0]))).tolist() == pytest.approx([0, 0.5, 0.7, 1])


def test_what_depends_on_tensors():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    c = a + 1
    d, e = c * b, b * 2
    reachable = tf_utils.get_reachable_from_inputs([a])
    assert {a, c, d, d.op} <= reachable and not {b, e} & reachable
    assert d not in tf_utils.get_reachable_from_inputs([a], targets=[c])
    assert d in tf_utils.get_reachable_from_inputs([a], targets=[d])
    assert tf_utils.get_reachable_from_inputs([a], targets=[a]) == {a}


def test_a_cleared_session():
    code = """
        import tfcore as tf
        from tfcore.as_tensorflow.keras import backend as K
        before, session = tf.get_default_graph(), K.get_session()
        K.set_learning_phase(1), K.get_uid("a")
        K.clear_session()
        assert tf.get_default_graph() is not before and K.get_session() is not session
        assert K.learning_phase() != 1 and K.get_uid("a") == 1
        """
    run("-c", textwrap.dedent(code))
