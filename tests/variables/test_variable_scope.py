"""get_variable and variable_scope: names, sharing, inherited settings, partitions, initializers, regularizers."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


class TestNames:
    def test_scopes_name_variables_and_operations(self):
        with tf.variable_scope("a"):
            with tf.variable_scope("b") as scope:
                v = tf.get_variable("v", [1])
                assert (v.name, tf.constant(1).name, scope.name) == ("a/b/v:0", "a/b/Const:0", "a/b")

    def test_name_scopes_do_not_name_variables(self):
        with tf.name_scope("n"), tf.variable_scope("a"):
            v = tf.get_variable("v", [1])
            assert (v.name, tf.constant(1).name) == ("a/v:0", "n/a/Const:0")

    def test_entering_again_opens_a_new_name_scope(self):
        with tf.variable_scope("a"):
            tf.constant(1)
        with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
            assert tf.get_variable("v", [1]).name == "a/v:0"
            assert tf.constant(1).name == "a_1/Const:0"

    def test_scope_objects_jump(self):
        with tf.variable_scope("a") as a:
            pass
        with tf.variable_scope("b"), tf.variable_scope(a):
            assert tf.get_variable("v", [1]).name == "a/v:0"
            assert tf.constant(1).name == "b/a/Const:0"
        assert a.original_name_scope == "a/"

    def test_default_names_are_made_unique(self):
        names = []
        for _ in range(2):
            with tf.variable_scope(None, "dense"):
                names.append(tf.get_variable("w", [1]).name)
        with tf.variable_scope("outer"):
            for _ in range(2):
                with tf.variable_scope(None, default_name="dense"):
                    names.append(tf.get_variable("w", [1]).name)
        assert names == ["dense/w:0", "dense_1/w:0", "outer/dense/w:0", "outer/dense_1/w:0"]

    def test_default_names_start_again_in_a_scope_entered_again(self):
        names = []
        for reuse in (None, True):
            with tf.variable_scope("net", reuse=reuse):
                for _ in range(2):
                    with tf.variable_scope(None, "dense"):
                        names.append(tf.get_variable("w", [1]).name)
        assert names == ["net/dense/w:0", "net/dense_1/w:0"] * 2

    def test_without_auxiliary_name_scope(self):
        with tf.variable_scope("a") as scope:
            tf.constant(1)
        with tf.variable_scope(scope, auxiliary_name_scope=False):
            with tf.name_scope(scope.original_name_scope):
                assert tf.constant(1).name == "a/Const_1:0"
        with tf.name_scope("n"), tf.variable_scope("a", auxiliary_name_scope=False):
            assert tf.constant(1).name == "n/Const:0"

    def test_the_same_scope_object_twice(self):
        scope = tf.variable_scope("a", reuse=tf.AUTO_REUSE)
        with scope:
            v = tf.get_variable("v", [1])
        with scope:
            assert tf.get_variable("v", [1]) is v

    def test_old_form(self):
        with tf.variable_op_scope([tf.constant(1)], None, "layer"):
            assert tf.get_variable("v", [1]).name == "layer/v:0"


class TestReuse:
    def test_twice_is_an_error_that_shows_the_first_place(self):
        tf.get_variable("x", [1])
        with pytest.raises(ValueError) as error:
            tf.get_variable("x", [1])
        text = str(error.value)
        assert text.startswith(
            "Variable x already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
        assert "Originally defined at:" in text and "test_variable_scope.py" in text

    def test_reuse_gives_the_same_variable(self):
        with tf.variable_scope("a"):
            v = tf.get_variable("v", [1])
        with tf.variable_scope("a", reuse=True):
            assert tf.get_variable("v", [1]) is v
            with tf.variable_scope("b"), pytest.raises(ValueError, match="Variable a/b/v does not exist"):
                tf.get_variable("v", [1])

    def test_missing(self):
        with tf.variable_scope("a", reuse=True):
            with pytest.raises(
                ValueError,
                match=r"Variable a/v does not exist, or was not created with tf.get_variable\(\). Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?",
            ):
                tf.get_variable("v", [1])

    def test_auto_reuse_is_inherited(self):
        made = []
        for _ in range(2):
            with tf.variable_scope("a", reuse=tf.AUTO_REUSE), tf.variable_scope("b"):
                made.append(tf.get_variable("v", [1]))
        assert made[0] is made[1]

    def test_reuse_false_inherits(self):
        with tf.variable_scope("a"):
            v = tf.get_variable("v", [1])
        with tf.variable_scope("a", reuse=True), tf.variable_scope("", reuse=False):
            assert tf.get_variable_scope().reuse is True
        with tf.variable_scope("", reuse=True):
            with tf.variable_scope("a", reuse=False):
                assert tf.get_variable("v", [1]) is v

    def test_reuse_variables(self):
        with tf.variable_scope("a") as scope:
            v = tf.get_variable("v", [1])
            scope.reuse_variables()
            assert tf.get_variable("v", [1]) is v
        assert not tf.get_variable_scope().reuse

    def test_scopes_of_the_root_survive_an_exception(self):
        with pytest.raises(RuntimeError):
            with tf.variable_scope("a"), tf.variable_scope("b"):
                raise RuntimeError
        assert tf.get_variable_scope().name == ""
        assert tf.get_variable("v", [1]).name == "v:0" and tf.constant(1).name == "Const:0"

    @pytest.mark.parametrize(
        "arguments, message",
        [({"shape": [2]}, r"Trying to share variable x, but specified shape \(2,\) and found shape \(1,\)"),
         ({"shape": [1], "dtype": tf.int32}, "Trying to share variable x, but specified dtype int32 and found dtype")],
    )  # fmt: skip
    def test_sharing_what_does_not_fit(self, arguments, message):
        tf.get_variable("x", [1])
        with tf.variable_scope("", reuse=True), pytest.raises(ValueError, match=message):
            tf.get_variable("x", **arguments)

    def test_threads_start_at_the_root(self):
        import threading

        names = []
        graph = tf.get_default_graph()

        def work():
            with graph.as_default():
                names.append(tf.get_variable_scope().name)

        with tf.variable_scope("a"):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert names == [""]

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="The reuse parameter must be True or False or None"):
            tf.variable_scope("a", reuse="yes")
        with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope"):
            tf.variable_scope(3).__enter__()
        with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
            tf.variable_scope(None)
        with pytest.raises(ValueError, match="reuse=True cannot be used without a name_or_scope"):
            tf.variable_scope(None, "a", reuse=True)


class TestSettings:
    def test_inherited_initializer_and_dtype(self):
        with tf.variable_scope("a", initializer=tf.constant_initializer(3.0), dtype=tf.float64):
            with tf.variable_scope("b"):
                v = tf.get_variable("v", [2])
        assert v.dtype.base_dtype == tf.float64
        with tf.Session() as sess:
            sess.run(v.initializer)
            assert sess.run(v).tolist() == [3.0, 3.0]

    def test_default_initializers(self):
        v = tf.get_variable("v", [300, 200])
        i = tf.get_variable("i", [3], tf.int32)
        s = tf.get_variable("s", [2], tf.string)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            value = sess.run(v)
            limit = np.sqrt(6 / 500)
            assert np.abs(value).max() <= limit and np.abs(value).max() > 0.99 * limit
            assert sess.run(i).tolist() == [0, 0, 0] and sess.run(s).tolist() == [b"", b""]

    @pytest.mark.parametrize("value", [[1.0, 2.0], tf.constant])
    def test_initial_value_instead_of_initializer(self, value):
        value = tf.constant([1.0, 2.0]) if callable(value) else value
        assert tf.get_variable("v", initializer=value).shape.as_list() == [2]
        with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
            tf.get_variable("w", [2], initializer=value)

    def test_explicit_dtype_against_the_value(self):
        with pytest.raises(ValueError, match="Initializer type '<dtype: 'float32'>' and explicit dtype"):
            tf.get_variable("v", dtype=tf.int32, initializer=tf.constant([1.0]))

    def test_function_of_no_arguments(self):
        assert tf.get_variable("v", initializer=lambda: tf.constant([[1.0]])).shape.as_list() == [1, 1]

    def test_plain_function(self):
        v = tf.get_variable("v", [2], initializer=lambda shape, dtype=None: tf.fill(shape, tf.cast(2, dtype)))
        with tf.Session() as sess:
            sess.run(v.initializer)
            assert sess.run(v).tolist() == [2.0, 2.0]

    def test_initializer_class(self):
        assert tf.get_variable("v", [2], initializer=tf.ones_initializer).shape.as_list() == [2]

    def test_shape_needed(self):
        with pytest.raises(ValueError, match="v did not get an initializer, so its `shape` argument must be specified"):
            tf.get_variable("v")
        with pytest.raises(ValueError, match="The initializer passed is not valid"):
            tf.get_variable("v", initializer=tf.zeros_initializer())

    def test_regularizer(self):
        with tf.variable_scope("a", regularizer=lambda v: tf.reduce_sum(v) * 2.0):
            v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
            tf.get_variable("w", [3], regularizer=tf.no_regularizer)
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        assert [t.op.name.split("/")[:3] for t in losses] == [["a", "v", "Regularizer"]]
        with tf.Session() as sess:
            sess.run(v.initializer)
            assert sess.run(losses[0]) == 6.0
        with tf.variable_scope("a", reuse=True):
            tf.get_variable("v", [3])
        assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1

    def test_custom_getters_nest(self):
        def suffix(text):
            def getter(getter, name, *args, **kwargs):
                return getter(name + text, *args, **kwargs)

            return getter

        with tf.variable_scope("a", custom_getter=suffix("_outer")):
            with tf.variable_scope("b", custom_getter=suffix("_inner")):
                assert tf.get_variable("v", [1]).name == "a/b/v_inner_outer:0"

    @pytest.mark.parametrize("synchronization", [tf.VariableSynchronization.AUTO, tf.VariableSynchronization.ON_READ])
    def test_custom_getter_gets_whether_it_is_trainable(self, synchronization):
        """True or False, never None: getters of programs test it."""
        seen = []

        def getter(getter, name, **kwargs):
            seen.append(kwargs["trainable"])
            return getter(name, **kwargs)

        with tf.variable_scope("a", custom_getter=getter):
            v = tf.get_variable("v", [1], synchronization=synchronization)
        assert (
            seen == [synchronization is tf.VariableSynchronization.AUTO] and (v in tf.trainable_variables()) == seen[0]
        )

    @pytest.mark.parametrize("none", [0.0, 0, False, ""])
    def test_falsy_regularizers_are_none(self, none):
        with tf.variable_scope("a", regularizer=lambda w: tf.reduce_sum(w)):
            tf.get_variable("v", [1], regularizer=none)
            assert tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == []
            tf.get_variable("w", [1])
            assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
        with pytest.raises(ValueError, match="The regularizer is not callable: 0.5"):
            tf.get_variable("x", [1], regularizer=0.5)

    def test_custom_getter_sees_all_arguments(self):
        seen = {}

        def getter(getter, **kwargs):
            seen.update(kwargs)
            return getter(**kwargs)

        tf.get_variable("v", [1], trainable=False, custom_getter=getter)
        assert seen["name"] == "v" and seen["trainable"] is False and seen["dtype"] == tf.float32
        assert {"shape", "initializer", "regularizer", "reuse", "collections", "caching_device", "partitioner",
                "validate_shape", "use_resource", "constraint", "synchronization",
                "aggregation"} <= set(seen)  # fmt: skip

    def test_constraint(self):
        def keep(value):
            return value

        with tf.variable_scope("a", constraint=keep):
            assert tf.get_variable("v", [1]).constraint is keep

    def test_local_variables(self):
        v = tf.get_local_variable("v", [1])
        assert tf.local_variables() == [v] and not tf.global_variables() and not tf.trainable_variables()

    def test_collections_of_a_scope(self):
        tf.get_variable("v", [1])
        with tf.variable_scope("a") as scope:
            w = tf.get_variable("w", [1])
        assert scope.global_variables() == [w] == scope.trainable_variables()


class TestPartitions:
    def test_parts(self):
        v = tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(3))
        parts = list(v)
        assert [p.name for p in parts] == ["v/part_0:0", "v/part_1:0", "v/part_2:0"]
        assert [p.shape.as_list() for p in parts] == [[2, 2], [2, 2], [1, 2]]
        assert v.shape.as_list() == [5, 2] and v.name == "v" and v.dtype == tf.float32
        assert [p._get_save_slice_info().spec for p in parts] == ["5 2 0,2:0,2", "5 2 2,2:0,2", "5 2 4,1:0,2"]
        assert tf.global_variables() == parts

    def test_value(self):
        value = np.arange(10.0, dtype=np.float32).reshape(5, 2)
        v = tf.get_variable("v", initializer=tf.constant(value), partitioner=tf.fixed_size_partitioner(2))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run(tf.convert_to_tensor(v)), value)
            np.testing.assert_array_equal(sess.run(v + 1.0), value + 1)
            sess.run(v.assign(value * 2))
            np.testing.assert_array_equal(sess.run(v.as_tensor()), value * 2)

    def test_value_after_a_function_waits_for_it(self):
        v = tf.get_variable("v", [3], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))

        @tf.Defun(tf.float32)
        def f(x):
            with tf.control_dependencies([v]):
                return x + 1.0

        y = f(2.0)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(y) == 3
            np.testing.assert_array_equal(sess.run(v), [1, 1, 1])

    def test_reuse(self):
        with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)):
            v = tf.get_variable("v", [4])
        with tf.variable_scope("a", reuse=True):
            assert tf.get_variable("v", [4]) is v
        with pytest.raises(ValueError, match="No partitioner was provided, but a partitioned version"):
            tf.get_variable("a/v", [4])
        with tf.variable_scope("a", reuse=True, partitioner=tf.fixed_size_partitioner(4)):
            with pytest.raises(ValueError, match="but specified partitions"):
                tf.get_variable("v", [4])

    def test_scalars_are_not_partitioned(self):
        with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)):
            assert isinstance(tf.get_variable("v", []), tf.Variable)

    @pytest.mark.parametrize(
        "parts, message",
        [([2, 2], "Can only slice a variable along one dimension"), ([0, 1], "zero partitions"), ([2], "rank"),
         (3, "must return a sequence")],
    )  # fmt: skip
    def test_bad_partitioners(self, parts, message):
        with pytest.raises(ValueError, match=message):
            tf.get_variable("v", [4, 4], partitioner=lambda shape, dtype: parts)

    def test_partitioners(self):
        shape = tf.TensorShape([1000, 100])
        assert tf.variable_axis_size_partitioner(1 << 16)(shape, tf.float32) == [7, 1]
        assert tf.variable_axis_size_partitioner(1 << 16, max_shards=3)(shape, tf.float32) == [3, 1]
        assert tf.min_max_variable_partitioner(8, min_slice_size=100 << 10)(shape, tf.float32) == [4, 1]
        assert tf.fixed_size_partitioner(5, axis=1)(shape) == [1, 5]
        with pytest.raises(ValueError, match="must be positive"):
            tf.variable_axis_size_partitioner(0)

    def test_old_form(self):
        parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer())
        assert [p.name for p in parts] == ["PartitionedVariable/part_0:0", "PartitionedVariable/part_1:0"]

    def test_training(self):
        v = tf.get_variable("v", [4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
        train = tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(v * v))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run(v.as_tensor()), 1 - 0.1 * 2 / np.sqrt(4.1) * np.ones(4), rtol=1e-6)


class TestInitializers:
    def _values(self, initializer, shape, dtype=tf.float32):
        with tf.Session() as sess:
            return sess.run(initializer(shape, dtype=dtype))

    @pytest.mark.parametrize("shape", [[], [3], [50, 40]])
    def test_constants(self, shape):
        assert (self._values(tf.zeros_initializer(), shape) == 0).all()
        assert (self._values(tf.ones_initializer(), shape, tf.int32) == 1).all()
        value = self._values(tf.constant_initializer(2.5), shape, tf.float64)
        assert (value == 2.5).all() and value.shape == tuple(shape)

    def test_constant_list(self):
        assert self._values(tf.constant_initializer([1, 2, 3]), [2, 2]).tolist() == [[1, 2], [3, 3]]
        with pytest.raises(TypeError, match="Invalid type for initial value"):
            tf.constant_initializer(lambda: 1)

    @pytest.mark.parametrize(
        "initializer, stddev, bound",
        [
            (tf.glorot_uniform_initializer(seed=1), np.sqrt(2 / 500), np.sqrt(6 / 500)),
            (tf.glorot_normal_initializer(seed=1), np.sqrt(2 / 500), 2.3 * np.sqrt(2 / 500)),
            (tf.initializers.he_normal(seed=1), np.sqrt(2 / 200), 2.3 * np.sqrt(2 / 200)),
            (tf.initializers.he_uniform(seed=1), np.sqrt(2 / 200), np.sqrt(6 / 200)),
            (tf.initializers.lecun_normal(seed=1), np.sqrt(1 / 200), 2.3 * np.sqrt(1 / 200)),
            (tf.initializers.lecun_uniform(seed=1), np.sqrt(1 / 200), np.sqrt(3 / 200)),
            (tf.uniform_unit_scaling_initializer(1.5, seed=1), 1.5 * np.sqrt(1 / 200), 1.5 * np.sqrt(3 / 200)),
            (tf.random_normal_initializer(0.0, 0.5, seed=1), 0.5, np.inf),
            (tf.truncated_normal_initializer(0.0, 0.5, seed=1), 0.5 * 0.8796, 1.0),
            (tf.random_uniform_initializer(-1.0, 1.0, seed=1), np.sqrt(1 / 3), 1.0),
            (tf.variance_scaling_initializer(3.0, "fan_out", "untruncated_normal", seed=1), 0.1, np.inf),
        ],
        ids=lambda x: type(x).__name__ if callable(x) else None,
    )
    def test_distributions(self, initializer, stddev, bound):
        value = self._values(initializer, [200, 300])
        assert abs(value.mean()) < 0.02 * stddev * 3
        assert abs(value.std() / stddev - 1) < 0.02
        assert np.abs(value).max() <= bound

    def test_fans_of_convolutions(self):
        value = self._values(tf.glorot_uniform_initializer(seed=1), [5, 5, 16, 32])
        assert np.abs(value).max() == pytest.approx(np.sqrt(6 / (25 * 48)), rel=0.01)

    @pytest.mark.parametrize("shape", [[4, 4], [6, 3], [3, 6], [2, 3, 5]])
    def test_orthogonal(self, shape):
        matrix = self._values(tf.orthogonal_initializer(2.0, seed=3), shape, tf.float64).reshape(-1, shape[-1])
        small = matrix.T @ matrix if matrix.shape[0] >= matrix.shape[1] else matrix @ matrix.T
        np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)
        again = self._values(tf.orthogonal_initializer(2.0, seed=3), shape, tf.float64).reshape(-1, shape[-1])
        np.testing.assert_array_equal(matrix, again)

    def test_identity(self):
        assert self._values(tf.initializers.identity(2.0), [2, 3]).tolist() == [[2, 0, 0], [0, 2, 0]]

    def test_identity_in_parts(self):
        v = tf.get_variable(
            "v", [4, 4], initializer=tf.initializers.identity(), partitioner=tf.fixed_size_partitioner(2)
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run(v.as_tensor()), np.eye(4))

    def test_config(self):
        initializer = tf.variance_scaling_initializer(2.0, "fan_out", "uniform", 7)
        assert type(initializer).from_config(initializer.get_config()).get_config() == initializer.get_config()

    @pytest.mark.parametrize(
        "make",
        [
            lambda: tf.variance_scaling_initializer(0.0),
            lambda: tf.variance_scaling_initializer(mode="fan"),
            lambda: tf.variance_scaling_initializer(distribution="cauchy"),
            lambda: tf.random_normal_initializer(dtype=tf.int32),
            lambda: tf.orthogonal_initializer()([3]),
        ],
    )
    def test_bad_arguments(self, make):
        with pytest.raises(ValueError):
            make()


class TestRegularizers:
    def _loss(self, regularizer):
        from tfcore.variables import regularizers

        v = tf.get_variable("v", initializer=tf.constant([1.0, -2.0]), regularizer=regularizer)
        with tf.Session() as sess:
            sess.run(v.initializer)
            return float(sess.run(regularizers.get_regularization_loss()))

    def test_penalties(self):
        from tfcore.variables import regularizers

        assert self._loss(regularizers.l1_regularizer(0.5)) == 1.5

    def test_l2(self):
        from tfcore.variables import regularizers

        assert self._loss(regularizers.l2_regularizer(0.5)) == 1.25

    def test_both(self):
        from tfcore.variables import regularizers

        assert self._loss(regularizers.l1_l2_regularizer(0.5, 0.5)) == 2.75

    def test_none(self):
        from tfcore.variables import regularizers

        assert self._loss(regularizers.l1_regularizer(0.0)) == 0.0

    def test_bad_scales(self):
        from tfcore.variables import regularizers

        with pytest.raises(ValueError, match="scale cannot be an integer"):
            regularizers.l1_regularizer(1)
        with pytest.raises(ValueError, match="less than 0"):
            regularizers.l2_regularizer(-0.5)
