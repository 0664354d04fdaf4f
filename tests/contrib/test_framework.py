"""tf.contrib.framework: arg_scope, variables by name, checks of tensors."""

import logging

import numpy as np
import pytest

import tfcore as tf

framework = tf.contrib.framework


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@framework.add_arg_scope
def joined(a, b="b", c="c", **more):
    """Joins."""
    return (a, b, c, *sorted(more.items()))


@framework.add_arg_scope
def other(a, b=1):
    return a, b


class TestArgScope:
    def test_calls_override_inner_blocks_and_these_outer_ones(self):
        assert joined(1) == (1, "b", "c")
        with framework.arg_scope([joined], b=2, c=3):
            assert joined(1) == (1, 2, 3)
            with framework.arg_scope([joined, other], b=4):
                assert joined(1) == (1, 4, 3) and other(0) == (0, 4)
                assert joined(1, c=5) == (1, 4, 5)
            assert joined(1) == (1, 2, 3) and other(0) == (0, 1)
        assert joined(1) == (1, "b", "c")

    def test_a_scope_can_be_used_again(self):
        with framework.arg_scope([joined], b=2) as scope:
            pass
        with framework.arg_scope([joined], c=9), framework.arg_scope(scope) as again:
            assert joined(1) == (1, 2, "c") and again == scope == framework.current_arg_scope()

    def test_it_ends_with_an_error(self):
        with pytest.raises(KeyError), framework.arg_scope([joined], b=2):
            raise KeyError
        assert joined(1) == (1, "b", "c")

    def test_what_it_knows_of_a_function(self):
        assert framework.has_arg_scope(joined) and not framework.has_arg_scope(len)
        assert framework.arg_scoped_arguments(joined) == ("b", "c")
        assert joined.__name__ == "joined" and joined.__doc__ == "Joins."

    @pytest.mark.parametrize(
        "arguments, options, error, text",
        [
            (({},), {"b": 1}, ValueError, "kwargs must be empty"),
            ((joined,), {}, TypeError, "list_ops_or_scope must either be a list/tuple or reused scope"),
            (([len],), {}, ValueError, "is not decorated with @add_arg_scope"),
        ],
    )
    def test_errors(self, arguments, options, error, text):
        with pytest.raises(error, match=text), framework.arg_scope(*arguments, **options):
            pass


class TestVariables:
    def test_collections(self):
        model = framework.model_variable("m", [2], initializer=tf.zeros_initializer(), collections=["mine"])
        plain = framework.variable("v", [], collections=["mine"], trainable=False)
        local = framework.local_variable(1.0, name="l")
        constant = framework.global_variable(1.0, name="g")
        assert tf.get_collection("mine") == [model, plain]
        assert framework.get_model_variables() == [model]
        assert framework.get_local_variables() == [local]
        assert framework.get_variables() == [model, constant]  # given collections replace the usual one
        assert framework.get_trainable_variables() == [model]
        framework.add_model_variable(plain)
        framework.add_model_variable(plain)
        assert framework.get_model_variables() == [model, plain]

    def test_found_by_name(self):
        with tf.variable_scope("a") as scope:
            w, bias = tf.get_variable("w", []), tf.get_variable("b", [])
        with tf.variable_scope("ab"):
            v = tf.get_variable("w", [])
        assert framework.get_variables(scope) == [w, bias, v] == framework.get_variables("a")
        assert framework.get_variables("a/") == [w, bias]
        assert framework.get_variables_by_suffix("w") == framework.get_variables_by_name("w") == [w, v]
        assert framework.get_variables_by_name("w", "ab") == [v]
        assert framework.get_unique_variable("a/w") is w
        assert framework.get_variable_full_name(w) == "a/w"
        assert framework.get_variables_to_restore(["a/"], ["a/b"]) == [w]
        assert framework.filter_variables([w, bias, v], ["w"], ["^ab/"]) == [w]
        assert framework.filter_variables([w, bias, v], ["w"], reg_search=False) == []
        with pytest.raises(ValueError, match="Couldn't find variable x"):
            framework.get_unique_variable("x")
        with pytest.raises(ValueError, match="Variable a does not uniquely identify a variable"):
            framework.get_unique_variable("a")
        with pytest.raises(TypeError, match="include is provided but is not a list or a tuple."):
            framework.get_variables_to_restore("a")

    def test_set_from_values(self):
        w, v = tf.get_variable("w", [2, 2]), tf.get_variable("v", [])
        assign = framework.assign_from_values_fn({"w": np.arange(4.0), "v": np.array(7.0)})
        with tf.Session() as sess:
            assign(sess)
            assert sess.run(w).tolist() == [[0, 1], [2, 3]] and sess.run(v) == 7
            assert sess.run(framework.zero_initializer(w)).tolist() == [[0, 0], [0, 0]]
        with pytest.raises(ValueError, match="Variable x wasn't found"):
            framework.assign_from_values({"x": np.zeros(1)})

    def test_devices(self):
        v = framework.model_variable("v", [], device="/cpu:0")
        assert v.device == "/device:CPU:0"
        with tf.device(framework.VariableDeviceChooser(num_tasks=2)):
            devices = [tf.get_variable(f"v{i}", []).device for i in range(3)]
        assert devices == [f"/job:ps/task:{i}/device:CPU:0" for i in (0, 1, 0)]

    def test_step(self):
        step = framework.get_or_create_global_step()
        assert framework.get_global_step() is step is framework.assert_or_get_global_step()
        with pytest.raises(TypeError):
            framework.assert_or_get_global_step(global_step_tensor=tf.constant(1.5))


class TestShapes:
    @pytest.mark.parametrize("known", [True, False])
    @pytest.mark.parametrize("expected", [[2, 3], (2, 3), np.array([2, 3], np.int32), tf.TensorShape([2, 3])])
    def test_right(self, known, expected):
        x = tf.constant(np.zeros((2, 3), np.float32)) if known else tf.placeholder(tf.float32)
        y = framework.with_shape(expected, x)
        assert y.shape.as_list() == [2, 3] and (y is x) == known
        with tf.Session() as sess:
            assert sess.run(y, {x: np.zeros((2, 3))}).shape == (2, 3)

    def test_wrong(self):
        with pytest.raises(ValueError, match="Invalid shape for tensor Const:0, expected"):
            framework.with_shape([3], tf.constant([1, 2]))
        x = tf.placeholder(tf.float32, [None])
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape for Placeholder:0"):
            sess.run(framework.with_shape([3], x), {x: [1, 2]})
        with pytest.raises(ValueError, match="Invalid rank 2 for shape"):
            framework.with_shape([[3]], x)
        with pytest.raises(ValueError, match="Invalid dtype"):
            framework.with_shape([3.5], x)

    def test_same(self):
        fed, known = tf.placeholder(tf.float32), tf.constant([1.0, 2.0])
        y = framework.with_same_shape(known, fed)
        z = framework.with_same_shape(fed, known)
        with tf.Session() as sess:
            assert sess.run([y, z], {fed: [3, 4]})[1].tolist() == [1, 2]
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(z, {fed: [3, 4, 5]})

    def test_one_element_becomes_a_scalar(self):
        assert framework.with_shape([], tf.constant([5.0])).shape.as_list() == []

    @pytest.mark.parametrize("ranks", [(2, 1), (1, 2), (1, 1)])
    @pytest.mark.parametrize("known", [True, False])
    def test_squeezable(self, ranks, known):
        values = [np.arange(3.0).reshape([3, 1][:rank]) for rank in ranks]
        given = [tf.constant(v) if known else tf.placeholder(tf.float64) for v in values]
        both = framework.remove_squeezable_dimensions(*given)
        with tf.Session() as sess:
            assert [v.shape for v in sess.run(both, dict(zip(given, values)))] == [(3,), (3,)]


def test_small_functions():
    x = tf.placeholder(tf.float32, name="x")
    assert framework.is_tensor(x) and framework.is_tensor(tf.Variable(1)) and not framework.is_tensor(1)
    assert framework.get_placeholders(tf.get_default_graph()) == [x]
    assert framework.get_graph_from_inputs([x]) is tf.get_default_graph()
    with pytest.raises(ValueError, match="is not from the passed-in graph"):
        framework.get_graph_from_inputs([x], tf.Graph())
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        assert framework.get_graph_from_inputs([x]) is x.graph and framework.get_graph_from_inputs([]) is y.graph
    with pytest.raises(ValueError, match="must be from the same graph"):
        framework.get_graph_from_inputs([x, y])
    with pytest.raises(ValueError, match="is not from the passed-in graph"):
        framework.get_graph_from_inputs([x, y], x.graph)
    with pytest.raises(TypeError, match="Input graph needs to be a Graph"):
        framework.get_graph_from_inputs([x], "graph")
    with pytest.raises(ValueError, match="Expected integer type for x:0"):
        framework.assert_scalar_int(x)
    with tf.name_scope("a"):
        assert framework.get_name_scope() == "a"
    assert framework.strip_name_scope("^a/b/c", "a") == "^b/c"
    assert framework.strip_name_scope("axb/c", "a.b") == "axb/c"  # not a regular expression
    assert framework.prepend_name_scope("loc:@b", "a/") == "loc:@a/b"
    total = framework.reduce_sum_n([tf.constant([1.0, 2.0]), tf.constant([[3.0]])])
    with tf.Session() as sess:
        assert sess.run(total) == 6


def test_py_func_takes_and_returns_nests():
    def function(a, b, c):
        return {"sum": a + b, "c": (c["x"],)}

    types = {"sum": tf.float32, "c": (tf.int32,)}
    result = framework.py_func(
        function, [tf.constant(1.0), tf.constant(2.0)], {"c": {"x": tf.constant(3)}}, types, {"sum": [], "c": ([],)}
    )
    assert result["sum"].shape.as_list() == []
    with tf.Session() as sess:
        assert sess.run(result) == {"sum": 3.0, "c": (3,)}
    with pytest.raises(TypeError, match="args must be list"):
        framework.py_func(function, 3)


class TestSmart:
    def test_known_conditions_add_nothing(self):
        assert framework.smart_cond(True, lambda: 1, lambda: 2) == 1
        assert framework.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
        assert framework.smart_case([(False, lambda: 1), (True, lambda: 2)]) == 2
        assert framework.smart_case([(False, lambda: 1)], default=lambda: 3) == 3
        with pytest.raises(TypeError, match="`pred` must be a Tensor, or a Python bool"):
            framework.smart_cond("a", lambda: 1, lambda: 2)
        with pytest.raises(TypeError, match="`true_fn` must be callable"):
            framework.smart_cond(True, 1, lambda: 2)

    def test_unknown_conditions(self):
        p = tf.placeholder(tf.bool, [])
        y = framework.smart_cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
        z = framework.smart_case([(p, lambda: tf.constant(1)), (True, lambda: tf.constant(5))])
        with tf.Session() as sess:
            assert sess.run([y, z], {p: True}) == [1, 1] and sess.run([y, z], {p: False}) == [2, 5]


def test_deprecation(caplog):
    @framework.deprecated(None, "Use that.")
    def old():
        return 1

    @framework.deprecated_args("2030-01-01", "Leave it.", "a", ("b", None))
    def arguments(a=0, b=0):
        return a, b

    @framework.deprecated_arg_values(None, "Leave it.", a=7)
    def values(a=0):
        return a

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert old() == old() == 1
        assert len(caplog.records) == 1 and "Use that." in caplog.text
        assert arguments(b=None) == (0, None) and len(caplog.records) == 1
        assert arguments(1, 2) == (1, 2) and len(caplog.records) == 3 and "after 2030-01-01" in caplog.text
        assert values(1) == 1 and len(caplog.records) == 3
        assert values(7) == 7 and len(caplog.records) == 4
    with pytest.raises(ValueError, match="Date must be in format YYYY-MM-DD"):
        framework.deprecated("soon", "Use that.")
    with pytest.raises(ValueError, match="deprecated arguments are not present"):
        framework.deprecated_args(None, "Leave it.", "c")(lambda a: a)


class TestCheckpoints:
    @pytest.fixture
    def path(self, tmp_path):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.get_variable("a", initializer=[1.0, 2.0])
            tf.get_variable("b", initializer=np.arange(6.0).reshape(3, 2))
            sess.run(tf.global_variables_initializer())
            yield tf.train.Saver().save(sess, str(tmp_path / "model"))

    def test_values_are_assigned(self, path):
        with tf.Graph().as_default(), tf.Session() as sess:
            mine = tf.Variable([0.0, 0.0])
            partitioner = tf.fixed_size_partitioner(2)
            parts = list(tf.get_variable("b", [3, 2], tf.float64, partitioner=partitioner))
            a = tf.get_variable("a", [2])
            for variables, changed in (({"a": mine, "b": parts}, mine), ([a, *parts], a)):
                update, feeds = tf.contrib.framework.assign_from_checkpoint(path, variables)
                sess.run(tf.global_variables_initializer())
                sess.run(update, feeds)
                assert sess.run(changed).tolist() == [1, 2]
                assert np.concatenate(sess.run(parts)).tolist() == [[0, 1], [2, 3], [4, 5]]

    def test_function_of_a_session(self, path):
        assign_from_checkpoint_fn = tf.contrib.framework.assign_from_checkpoint_fn
        with tf.Graph().as_default(), tf.Session() as sess:
            a, c = tf.get_variable("a", [1, 2]), tf.get_variable("c", [])
            assign = assign_from_checkpoint_fn(path, [a, c], ignore_missing_vars=True, reshape_variables=True)
            assign(sess)
            assert sess.run(a).tolist() == [[1, 2]] and assign_from_checkpoint_fn(path, [c], True) is None
            with pytest.raises(ValueError, match="var_list cannot be empty"):
                assign_from_checkpoint_fn(path, [])
            with pytest.raises(tf.errors.NotFoundError):
                assign_from_checkpoint_fn(path, [c])(sess)

    def test_missing_variables_and_other_shapes(self, path):
        assign_from_checkpoint = tf.contrib.framework.assign_from_checkpoint
        with tf.Graph().as_default():
            a, c = tf.get_variable("a", [3]), tf.get_variable("c", [])
            with pytest.raises(ValueError, match=r"Checkpoint is missing variable \[c\]"):
                assign_from_checkpoint(path, [c])
            assert assign_from_checkpoint(path, [c], ignore_missing_vars=True)[1] == {}
            with pytest.raises(ValueError, match="Total size of new array must be unchanged for a"):
                assign_from_checkpoint(path, [a])

    def test_names_in_common_with_train(self, path):
        assert tf.contrib.framework.list_variables(path) == [("a", [2]), ("b", [3, 2])]
        assert tf.contrib.framework.load_variable(path, "a").tolist() == [1, 2]
        assert tf.contrib.framework.load_checkpoint(path).has_tensor("b")
        v = tf.get_variable("v", [2])
        tf.contrib.framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"a": v})
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(v).tolist() == [1, 2]
