"""tf.layers.Layer for subclasses: variables, names, losses, updates, input_spec, keras style."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


class Affine(tf.layers.Layer):
    def build(self, input_shape):
        size = input_shape[-1].value
        self.scale = self.add_weight("scale", [size], initializer="ones", regularizer=lambda v: tf.reduce_sum(v))
        self.offset = self.add_variable("offset", shape=[size], initializer=tf.zeros_initializer(), trainable=False)
        super().build(input_shape)

    def call(self, inputs):
        self.add_loss(tf.reduce_sum(inputs), inputs=inputs)
        self.add_update(tf.assign(self.offset, inputs[0]))
        self.add_update(tf.assign_add(self.offset, [1.0, 1.0, 1.0]))
        return inputs * self.scale + self.offset


class TestSubclass:
    def test_variables(self):
        layer = Affine()
        assert (layer.name, layer.built, layer.dtype, layer.graph) == ("affine_1", False, None, None)
        with pytest.raises(ValueError, match="the layer isn't built"):
            layer.count_params()
        with pytest.raises(ValueError, match="No name available for layer scope"):
            _ = layer.scope_name
        y = layer(np.ones((2, 3), np.float32))
        assert (y.op.name, layer.scope_name, layer.dtype) == ("affine/add", "affine", "float32")
        assert layer.weights == [layer.scale, layer.offset] and layer.trainable_weights == [layer.scale]
        assert [v.op.name for v in layer.variables] == ["affine/scale", "affine/offset"]
        assert layer.count_params() == 6 and layer.graph is tf.get_default_graph()
        layer.trainable = False
        assert not layer.trainable_weights and layer.non_trainable_weights == [layer.scale, layer.offset]
        assert not layer.updates

    def test_variables_that_a_call_makes(self):
        class Late(tf.layers.Layer):
            def call(self, inputs):
                self._trainable_weights.append(tf.get_variable("w", []))
                self._non_trainable_weights.append(tf.get_variable("n", [], trainable=False))
                return inputs

        layer = Late()
        layer(tf.ones([1]))
        assert [v.op.name for v in layer.variables] == ["late/w", "late/n"]
        assert [v.op.name for v in layer.trainable_weights] == ["late/w"]

    def test_names_of_regularization_losses(self):
        def renamed(getter, name, *args, **kwargs):
            return getter(name.replace("kernel", "weights"), *args, **kwargs)

        def half(w):
            return tf.reduce_sum(w, name="half") / 2.0

        with tf.variable_scope("a", custom_getter=renamed):
            layer = tf.layers.Dense(2, kernel_regularizer=half, name="d")
            layer(tf.ones([1, 3]))
            again = tf.layers.Dense(2, kernel_regularizer=half, name="d", _reuse=True)
            again(tf.ones([1, 3]))
        assert layer.kernel.op.name == "a/d/weights" and layer.losses[0].op.name == "a/d/kernel/Regularizer/truediv"
        assert tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == layer.losses and not again.losses

    def test_losses_and_updates(self):
        layer, x = Affine(), tf.ones([2, 3])
        layer(x)
        assert len(layer.losses) == 2 and tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == layer.losses
        assert len(layer.updates) == 2 and tf.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates
        assert layer.get_losses_for(x) == layer.losses[1:] and layer.get_losses_for(None) == layer.losses[:1]
        assert layer.get_updates_for(x) == layer.updates[:1] and layer.get_updates_for(None) == layer.updates[1:]
        layer(tf.zeros([1, 3]))
        assert len(layer.losses) == 3 and len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4

    def test_values_of_the_variables(self):
        layer = tf.layers.Dense(2, use_bias=False)
        layer(tf.zeros([1, 2]))
        with pytest.raises(ValueError, match="default session"):
            layer.get_weights()
        with tf.Session():
            layer.set_weights([np.eye(2)])
            assert layer.get_weights()[0].tolist() == [[1, 0], [0, 1]]
            with pytest.raises(ValueError, match="with a weight list of length 2"):
                layer.set_weights([0, 0])
            with pytest.raises(ValueError, match="is not compatible with provided weight shape"):
                layer.set_weights([np.zeros(2)])

    def test_nests_of_inputs(self):
        class Sum(tf.layers.Layer):
            def build(self, shapes):
                self.shapes = [s.as_list() for s in shapes]

            def call(self, inputs, factor=1.0):
                return (inputs[0] + inputs[1]) * factor

        layer = Sum()
        y = layer([tf.constant([1.0]), np.array([2.0], np.float32)], factor=3.0)
        with tf.Session() as sess:
            assert sess.run(y) == [9.0] and layer.shapes == [[1], [1]]

    def test_in_a_variable_scope(self):
        with tf.variable_scope("outer", initializer=tf.ones_initializer()):
            layer = tf.layers.Dense(2, name="mine")
            layer(tf.zeros([1, 3]))
        with tf.variable_scope("elsewhere"):
            layer(tf.zeros([1, 3]))
        assert [v.op.name for v in tf.global_variables()] == ["outer/mine/kernel", "outer/mine/bias"]
        with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
            tf.layers.dense(tf.zeros([1, 3]), 2, name="mine")
        assert len(tf.global_variables()) == 2

    def test_partitioned(self):
        with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
            layer = tf.layers.Dense(3)
            layer(tf.zeros([1, 4]))
        assert [v.shape.as_list() for v in layer.weights] == [[2, 3], [2, 3], [2], [1]]

    def test_activity_regularizer_is_a_mean_over_the_batch(self):
        x = tf.constant([[1.0], [2.0], [6.0]])
        layer = tf.layers.Layer(activity_regularizer=tf.reduce_sum)
        layer(x)
        with tf.Session() as sess:
            assert sess.run(layer.losses) == [3.0]

    @pytest.mark.parametrize(
        "call, error, text",
        [
            (lambda: tf.layers.Layer(size=3), TypeError, "Keyword argument not understood"),
            (lambda: tf.layers.Layer().add_weight("w", [], size=3), TypeError, "Unknown keyword argument"),
            (lambda: tf.layers.dense(tf.zeros([1, 2]), 3, activation="x"), ValueError, "Unknown activation function"),
            (lambda: tf.layers.dense(tf.zeros([1, 2]), -3), ValueError, "invalid value for `units`"),
            (lambda: tf.layers.dense(tf.zeros([1, 2], tf.int32), 3), TypeError, "floating-point dtype"),
            (lambda: tf.layers.dense(tf.zeros([2]), 3), ValueError, "expected min_ndim=2, found ndim=1"),
            (lambda: tf.layers.Dense(2, kernel_initializer=3), ValueError, "Could not interpret initializer"),
            (lambda: setattr(tf.layers.Layer(), "input_spec", 3), TypeError, "must be an instance of InputSpec"),
        ],
    )
    def test_errors(self, call, error, text):
        with pytest.raises(error, match=text):
            call()

    def test_later_calls_must_fit(self):
        layer = tf.layers.Dense(2)
        layer(tf.zeros([1, 3]))
        with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 3"):
            layer(tf.zeros([1, 4]))


class TestInputSpec:
    @pytest.mark.parametrize(
        "spec, text",
        [
            ({"ndim": 3}, "expected ndim=3, found ndim=2"),
            ({"min_ndim": 3}, "expected min_ndim=3, found ndim=2"),
            ({"max_ndim": 1}, "expected max_ndim=1, found ndim=2"),
            ({"dtype": "int32"}, "expected dtype=int32, found dtype=<dtype: 'float32'>"),
            ({"axes": {1: 4}}, "expected axis 1 of input shape to have value 4"),
            ({"shape": [2, 4]}, r"expected shape=\(2, 4\), found shape=\(2, 3\)"),
        ],
    )
    def test_demands(self, spec, text):
        layer = tf.layers.Layer()
        layer.input_spec = tf.layers.InputSpec(**spec)
        with pytest.raises(ValueError, match=text):
            layer(tf.zeros([2, 3]))

    def test_what_fits(self):
        for spec in ({"ndim": 2}, {"axes": {0: None, -1: 3}}, {"shape": [None, 3]}, {"dtype": tf.float32}):
            layer = tf.layers.Layer()
            layer.input_spec = tf.layers.InputSpec(**spec)
            layer(tf.zeros([2, 3]))
            layer(tf.placeholder(tf.float32))
        layer.input_spec = [tf.layers.InputSpec(), None]
        layer([tf.zeros([]), tf.zeros([])])
        with pytest.raises(ValueError, match="expects 2 input"):
            layer(tf.zeros([]))

    def test_itself(self):
        spec = tf.layers.InputSpec(shape=[None, 3], axes={1: 3})
        assert repr(spec) == "InputSpec(shape=(None, 3), ndim=2, axes={1: 3})"
        assert tf.layers.InputSpec.from_config(spec.get_config()).get_config() == spec.get_config()
        with pytest.raises(TypeError, match="must be a dict with integer keys"):
            tf.layers.InputSpec(axes={"a": 1})
        with pytest.raises(ValueError, match="Axis 2 is greater than the maximum allowed value: 1"):
            tf.layers.InputSpec(ndim=2, axes={2: 1})


class TestKerasStyle:
    def test_variables_belong_to_the_object(self):
        with tf.variable_scope("scope"), tf.layers.experimental.keras_style_scope():
            first, second = tf.layers.Dense(2, name="a"), tf.layers.Dense(2, name="a", kernel_regularizer="l2")
        x = tf.zeros([1, 2])
        first(x)
        y, again = second(x), second(x)
        assert [v.op.name for v in tf.global_variables()] == ["a/kernel", "a/bias", "a_1/kernel", "a_1/bias"]
        assert (y.op.name, again.op.name) == ("a_1/BiasAdd", "a_2/BiasAdd")
        assert second.variables == tf.trainable_variables()[2:] and len(second.losses) == 1
        assert tf.layers.Dense(2)._keras_style is False

    def test_scopes_are_refused(self):
        with tf.layers.experimental.keras_style_scope():
            with pytest.raises(ValueError, match="scope argument not allowed"):
                tf.layers.dense(tf.zeros([1, 2]), 2, name="a")
            with pytest.raises(ValueError, match="reuse argument not allowed"):
                tf.layers.dense(tf.zeros([1, 2]), 2, reuse=True)
            with pytest.raises(ValueError, match="scope argument not allowed"):
                tf.layers.Dense(2)(tf.zeros([1, 2]), scope="a")
