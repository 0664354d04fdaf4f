"""tf.Variable: what it adds to the graph, how it stands for its value, its collections."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def sess(graph):
    with tf.Session(graph=graph) as session:
        yield session


def _structure(graph):
    return [(op.name, op.type) for op in graph.get_operations()]


class TestCreation:
    def test_operations(self, graph):
        v = tf.Variable([1.0, 2.0], name="w")
        assert _structure(graph) == [
            ("w/initial_value", "Const"), ("w", "VariableV2"), ("w/Assign", "Assign"), ("w/read", "Identity"),
        ]  # fmt: skip
        assert v.name == "w:0" and v.op.name == "w" and v.graph is graph
        assert v.dtype == tf.float32._as_ref and v.dtype.base_dtype == tf.float32
        assert v.shape == tf.TensorShape([2]) == v.get_shape()
        assert v.initializer.name == "w/Assign" and v.initial_value.name == "w/initial_value:0"
        assert graph.get_operation_by_name("w/read").get_attr("_class") == [b"loc:@w"]

    def test_names_are_unique(self, graph):
        names = [tf.Variable(1.0).name, tf.Variable(1.0).name, tf.Variable(1.0, name="a").name]
        with tf.name_scope("s"):
            names += [tf.Variable(1.0).name, tf.Variable(1.0, name="a").name]
        assert names == ["Variable:0", "Variable_1:0", "a:0", "s/Variable:0", "s/a:0"]

    def test_from_a_function(self, graph):
        with tf.device("/gpu:0"):
            v = tf.Variable(lambda: tf.constant([1, 2]), name="w")
        assert "w/Initializer/Const" in dict(_structure(graph))
        made = graph.get_operation_by_name("w/Initializer/Const")
        assert made.device == "" and made.get_attr("_class") == [b"loc:@w"]
        assert v.dtype.base_dtype == tf.int32

    @pytest.mark.parametrize(
        "value, dtype, expected",
        [(1, None, tf.int32), (1.5, None, tf.float32), (1, tf.float64, tf.float64), ("a", None, tf.string),
         (True, None, tf.bool), (np.float64(2), None, tf.float64), ([1, 2], "uint8", tf.uint8)],
    )  # fmt: skip
    def test_types(self, graph, value, dtype, expected):
        assert tf.Variable(value, dtype=dtype).dtype.base_dtype == expected

    def test_of_a_tensor_in_another_graph(self, graph):
        with tf.Graph().as_default() as other:
            value = tf.constant(1.0)
        assert tf.Variable(value).graph is other

    def test_control_dependencies_do_not_reach_it(self, graph):
        with tf.control_dependencies([tf.constant(1.0)]):
            v = tf.Variable(lambda: tf.constant(2.0))
        assert not v.initializer.control_inputs and not v.initial_value.op.control_inputs

    def test_caching_device(self, graph):
        v = tf.Variable(1.0, caching_device="/job:worker/task:0")
        assert v.value().device == "/job:worker/task:0"

    def test_device(self, graph):
        with tf.device("/job:ps"):
            v = tf.Variable(1.0)
        assert v.device == "/job:ps" and v.value().device == "/job:ps"

    def test_shape_argument(self, graph):
        assert tf.Variable([1.0], shape=tf.TensorShape(None)).shape.ndims is None

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({}, "initial_value must be specified"),
            ({"initial_value": 1.0, "collections": "variables"}, "must be a list, tuple, or set"),
            ({"initial_value": 1.0, "constraint": 3}, "`constraint` argument must be a callable"),
            ({"initial_value": 1.0, "variable_def": object()}, "mutually exclusive"),
        ],
    )
    def test_bad_arguments(self, graph, arguments, message):
        with pytest.raises(ValueError, match=message):
            tf.Variable(**arguments)

    def test_unknown_shape(self, graph):
        with pytest.raises(ValueError, match="initial_value must have a shape specified"):
            tf.Variable(tf.placeholder(tf.float32, [None]))
        assert tf.Variable(tf.placeholder(tf.float32, [None]), validate_shape=False).shape.ndims is None


class TestCollections:
    def test_defaults(self, graph):
        a = tf.Variable(1.0, name="a")
        b = tf.Variable(1.0, name="b", trainable=False)
        c = tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        d = tf.Variable(1.0, name="d", collections=["mine"])
        assert tf.global_variables() == [a, b] and tf.all_variables() == [a, b]
        assert tf.trainable_variables() == [a, d]
        assert tf.local_variables() == [c]
        assert tf.get_collection("mine") == [d]
        assert tf.global_variables(scope="b") == [b]
        assert tf.model_variables() == [] and tf.moving_average_variables() == []
        assert a.trainable and not b.trainable

    def test_on_read_variables_are_not_trained(self, graph):
        v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
        assert not v.trainable
        with pytest.raises(ValueError, match="ON_READ only for non-trainable"):
            tf.Variable(1.0, trainable=True, synchronization=tf.VariableSynchronization.ON_READ)


class TestInitializing:
    def test_all(self, sess):
        a, b = tf.Variable(1.0), tf.Variable([2.0])
        c = tf.Variable(3, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        init = tf.global_variables_initializer()
        assert init.name == "init" and init.type == "NoOp"
        sess.run(init)
        sess.run(tf.local_variables_initializer())
        assert sess.run([a, b, c])[0] == 1.0

    def test_old_names(self, sess):
        v = tf.Variable(1.0)
        for make in (tf.initialize_all_variables, tf.initialize_local_variables, lambda: tf.initialize_variables([v])):
            sess.run(make())
        assert sess.run(v) == 1.0

    def test_nothing_to_initialize(self, sess):
        sess.run(tf.global_variables_initializer())
        sess.run(tf.variables_initializer([]))

    def test_variables_that_depend_on_others(self, sess):
        a = tf.Variable(tf.random_normal([3]))
        b = tf.Variable(a * 2.0 + 1.0)
        c = tf.Variable(b.initialized_value() + a)
        sess.run(tf.global_variables_initializer())
        va, vb, vc = sess.run([a, b, c])
        np.testing.assert_allclose(vb, va * 2 + 1, rtol=1e-6)
        np.testing.assert_allclose(vc, vb + va, rtol=1e-6)

    def test_long_chains_of_dependence(self, sess):
        a = tf.Variable(1.0)
        value = a
        for _ in range(2000):
            value = value + 1.0
        b = tf.Variable(value)
        sess.run(tf.global_variables_initializer())
        assert sess.run(b) == 2001.0

    def test_initializing_the_dependent_one_first(self, sess):
        a = tf.Variable(3.0)
        b = tf.Variable(a.initialized_value() * 2.0)
        sess.run(b.initializer)
        assert sess.run(b) == 6.0 and not sess.run(a.is_initialized())
        sess.run(a.assign(5.0))
        sess.run(b.initializer)
        assert sess.run([a, b]) == [5.0, 10.0]

    def test_load(self, sess):
        v = tf.Variable([1.0, 2.0])
        v.load([3.0, 4.0], sess)
        assert sess.run(v).tolist() == [3.0, 4.0]
        with sess.as_default():
            v.load([5.0, 6.0])
            assert v.eval().tolist() == [5.0, 6.0]
        with pytest.raises(ValueError, match=r"into variable 'Variable:0': .* shape \(1,\) for"):
            v.load([7.0], sess)

    def test_load_without_session(self, graph):
        with pytest.raises(ValueError, match="Either session argument should be provided or default session"):
            tf.Variable(1.0).load(2.0)

    def test_reports(self, sess):
        a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
        check = tf.assert_variables_initialized([a, b])
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
            sess.run(check)
        sess.run(a.initializer)
        if hasattr(tf, "boolean_mask"):
            assert sess.run(tf.report_uninitialized_variables()).tolist() == [b"b"]
        sess.run(b.initializer)
        sess.run(check)

    def test_no_variables_to_check(self, graph):
        assert tf.assert_variables_initialized() is None


class TestAsValue:
    def test_operators(self, sess):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        sess.run(v.initializer)
        x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
        for make in (
            lambda v: v + 1.0, lambda v: 1.0 + v, lambda v: v - 2.0, lambda v: 2.0 - v, lambda v: v * 3.0,
            lambda v: 3.0 * v, lambda v: v / 2.0, lambda v: 2.0 / v, lambda v: v**2.0, lambda v: 2.0**v, lambda v: -v,
            lambda v: abs(v), lambda v: v // 2.0, lambda v: v % 2.0, lambda v: v < 2.0, lambda v: v >= 2.0,
            lambda v: v @ v, lambda v: v[0, 1:], lambda v: v + v,
        ):  # fmt: skip
            np.testing.assert_allclose(sess.run(make(v)), make(x), rtol=1e-6)

    def test_conversion(self, graph):
        v = tf.Variable([1.0])
        assert tf.convert_to_tensor(v) is v.value()
        with pytest.raises(ValueError, match="Incompatible type conversion requested to type 'int32' for variable"):
            tf.convert_to_tensor(v, dtype=tf.int32)
        assert graph.as_graph_element(v) is v._ref()

    def test_value_and_read_value(self, graph):
        v = tf.Variable(1.0, name="w")
        assert v.value() is v.value()
        with tf.control_dependencies([tf.constant(1)]):
            read = v.read_value()
        assert read is not v.value() and read.op.control_inputs

    def test_identity_and_hash(self, graph):
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        assert v == v and v != w and len({v, w}) == 2
        assert v.ref() == v.ref() and v.ref() != w.ref() and v.ref().deref() is v
        assert len({v.ref(), v.ref(), w.ref()}) == 2

    def test_not_iterable_and_no_truth(self, graph):
        v = tf.Variable([True])
        with pytest.raises(TypeError, match="not iterable"):
            list(v)
        with pytest.raises(TypeError, match="bool"):
            bool(v)

    def test_text(self, graph):
        assert repr(tf.Variable([[1.0]], name="w")) == "<tf.Variable 'w:0' shape=(1, 1) dtype=float32_ref>"

    def test_numpy_on_the_left(self, sess):
        v = tf.Variable([1.0, 2.0])
        sess.run(v.initializer)
        assert sess.run(np.array([1.0, 1.0], np.float32) + v).tolist() == [2.0, 3.0]

    def test_set_shape(self, graph):
        v = tf.Variable(tf.placeholder(tf.float32), validate_shape=False)
        v.set_shape([3])
        assert v.shape.as_list() == [3] and v.value().shape.as_list() == [3]


class TestMethods:
    def test_assignments(self, sess):
        v = tf.Variable([1.0, 2.0])
        sess.run(v.initializer)
        assert sess.run(v.assign([3.0, 4.0])).tolist() == [3.0, 4.0]
        assert sess.run(v.assign_add([1.0, 1.0])).tolist() == [4.0, 5.0]
        assert sess.run(v.assign_sub([1.0, 1.0])).tolist() == [3.0, 4.0]
        op = v.assign([0.0, 0.0], read_value=False, name="zero")
        assert isinstance(op, tf.Operation) and op.name == "zero"

    @pytest.mark.parametrize(
        "method, expected",
        [("add", [3, 2, 8]), ("sub", [-1, 2, -2]), ("mul", [2, 2, 15]), ("div", [0.5, 2, 0.6]), ("min", [1, 2, 3]),
         ("max", [2, 2, 5]), ("update", [2, 2, 5])],
    )  # fmt: skip
    def test_scatter(self, sess, method, expected):
        v = tf.Variable([1.0, 2.0, 3.0])
        sess.run(v.initializer)
        slices = tf.IndexedSlices(tf.constant([2.0, 5.0]), tf.constant([0, 2]))
        result = sess.run(getattr(v, f"scatter_{method}")(slices))
        np.testing.assert_allclose(result, expected, rtol=1e-6)

    @pytest.mark.parametrize("use_resource", [False, True])
    def test_scatter_in_batches(self, sess, use_resource):
        v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], use_resource=use_resource)
        sess.run(v.initializer)
        slices = tf.IndexedSlices(tf.constant([[7.0], [8.0]]), tf.constant([[0], [2]]))
        for update in (v.batch_scatter_update(slices), tf.batch_scatter_update(v, slices.indices, slices.values)):
            assert sess.run(update).tolist() == [[7, 2, 3], [4, 5, 8]]
            sess.run(v.initializer)
        with pytest.raises(TypeError, match="sparse_delta is not IndexedSlices"):
            v.batch_scatter_update(tf.constant([1.0]))

    def test_scatter_needs_slices(self, graph):
        with pytest.raises(TypeError, match="sparse_delta is not IndexedSlices"):
            tf.Variable([1.0]).scatter_add(tf.constant([1.0]))

    def test_scatter_nd(self, sess):
        v = tf.Variable([1.0, 2.0, 3.0])
        sess.run(v.initializer)
        assert sess.run(v.scatter_nd_add([[0], [0]], [1.0, 2.0])).tolist() == [4.0, 2.0, 3.0]
        assert sess.run(v.scatter_nd_sub([[1]], [1.0])).tolist() == [4.0, 1.0, 3.0]
        assert sess.run(v.scatter_nd_update([[2]], [9.0])).tolist() == [4.0, 1.0, 9.0]


def test_proto_round_trip(graph):
    v = tf.Variable([1.0], name="w", trainable=False)
    proto = v.to_proto()
    again = tf.Variable.from_proto(proto)
    assert again._ref() is v._ref() and again.initializer is v.initializer and again.value() is v.value()
    assert again.name == v.name and not again.trainable and again.initial_value is v.initial_value
    assert v.to_proto(export_scope="other") is None


def test_gradient_with_respect_to_a_variable(sess):
    v = tf.Variable([1.0, 2.0])
    (grad,) = tf.gradients(v * v, [v])
    sess.run(v.initializer)
    assert sess.run(grad).tolist() == [2.0, 4.0]


def test_initializers_of_tables():
    with tf.Graph().as_default(), tf.Session() as sess:
        assert tf.tables_initializer().type == "NoOp" and tf.initialize_all_tables().name == "init_all_tables_1"
        ran = tf.Variable(0)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, ran.assign(1))
        sess.run(tf.initializers.tables_initializer("tables"))
        assert sess.run(ran) == 1


class TestReadsUnderControlDependencies:
    """A value that depends on an update of the variable is computed from its new value."""

    def test_after_an_update(self, sess):
        v = tf.Variable([1.0, 2.0])
        update = tf.assign_add(v, [1.0, 1.0])
        with tf.control_dependencies([update]):
            results = [v * 2.0, tf.add(1.0, v), v[0], v.value(), -v]
        before = v * 2.0
        for i in range(2):
            sess.run(v.initializer)
            wanted = [[4.0, 6.0], [3.0, 4.0], 2.0, [2.0, 3.0], [-2.0, -3.0]][i:]
            for value, array in zip(sess.run(results[i:]), wanted):
                np.testing.assert_array_equal(value, array)
        sess.run(v.initializer)
        assert sess.run(before).tolist() == [2.0, 4.0]

    def test_after_a_training_step(self, sess):
        v = tf.Variable(1.0)
        step = tf.train.GradientDescentOptimizer(0.25).minimize(v * v)
        with tf.control_dependencies([step]):
            loss = tf.square(v)
        sess.run(v.initializer)
        assert sess.run(loss) == 0.25 and sess.run(tf.gradients(loss, v)) == [0.5]

    def test_in_a_loop_and_a_conditional(self, sess):
        v = tf.Variable(0.0)

        def body(i, total):
            with tf.control_dependencies([tf.assign_add(v, 1.0)]):
                return i + 1, total + v

        _, total = tf.while_loop(lambda i, total: i < 3, body, [0, 0.0], parallel_iterations=1)
        once = tf.cond(tf.constant(True), lambda: body(0, 0.0)[1], lambda: 0.0)
        sess.run(v.initializer)
        assert sess.run(total) == 6.0 and sess.run(once) == 4.0

    def test_without_updates_the_read_is_shared(self, graph):
        v = tf.Variable(1.0)
        with tf.control_dependencies([tf.constant(1)]):
            assert tf.convert_to_tensor(v) is v.value() is (v + 1.0).op.inputs[0]
        assert v.value().op.name == "Variable/read"


def test_slices_are_assigned(sess):
    v = tf.Variable(np.zeros([3, 4], np.float32), name="v")
    sess.run(v.initializer)
    part = v[1:, ::2]
    assert part.shape.as_list() == [2, 2]
    changed = part.assign([[1.0, 2.0], [3.0, 4.0]])
    assert changed.op.name == "strided_slice_assign" and changed.dtype == tf.float32._as_ref
    assert sess.run(changed).tolist() == [[0, 0, 0, 0], [1, 0, 2, 0], [3, 0, 4, 0]]
    sess.run(v[0, 1].assign(7.0, name="one"))
    assert sess.run(v).tolist() == [[0, 7, 0, 0], [1, 0, 2, 0], [3, 0, 4, 0]]
    with pytest.raises(tf.errors.UnimplementedError):
        sess.run(v[0].assign(tf.placeholder_with_default([1.0, 2.0], None)))
    assert not hasattr(v[v > 1.0], "assign")
