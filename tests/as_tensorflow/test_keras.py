"""tf.keras is the installed package Keras: programs that train by it, each in a process of its own."""

import importlib.util
import os
import textwrap

import pytest

from tests.as_tensorflow.test_programs import environment, run
from tfcore.as_tensorflow import keras

HAS_KERAS = importlib.util.find_spec("keras") is not None
needs_keras = pytest.mark.skipif(not HAS_KERAS, reason="Keras is not installed: pip install 'tfcore[keras]'")


def keras_program(code, folder, install="import tfcore.as_tensorflow as a; a.install()\n"):
    """What a program prints. Keras writes its settings into a folder of the test."""
    return run("-c", install + textwrap.dedent(code), env=environment() | {"KERAS_HOME": str(folder)}, cwd=folder)


@needs_keras
@pytest.mark.slow
def test_all_names_of_a_module_are_one_module(tmp_path):
    code = """
        import sys
        import tfcore
        assert "keras" not in dir(tfcore)
        assert not any(name.partition(".")[0] == "keras" or "as_tensorflow" in name for name in sys.modules)
        from tfcore.keras.layers import Dense
        import keras, tfcore.keras.models, tensorflow as tf, tensorflow.keras.backend as K
        import tensorflow.contrib.keras as ck
        from tensorflow.keras import models, layers
        from tensorflow.python.keras import backend, Model
        from tensorflow.python.keras.engine.training import Model as Same
        from tensorflow.python.keras._impl.keras import layers as older
        assert tfcore.keras is tf.keras is keras is ck and tfcore.keras.models is models is keras.models
        assert Dense is layers.Dense is older.Dense is keras.layers.Dense and Model is Same is keras.models.Model
        assert K is keras.backend and backend.get_session() is K.get_session() and backend.dot is K.dot
        assert "keras.layers" in sys.modules and tf.keras.layers.LSTM.__module__ == "keras.layers.recurrent"
        for code in ("import tensorflow.keras.nothing", "from tensorflow.python.keras.nothing import x"):
            try:
                exec(code)
                assert False
            except ImportError as error:
                assert "nothing" in str(error)
        """
    keras_program(code, tmp_path, install="")


@needs_keras
@pytest.mark.slow
def test_where_keras_is_not_as_tf_keras(tmp_path):
    code = """
        import numpy as np
        import tensorflow as tf
        from tensorflow.keras import backend as K, layers, models

        class Pairs(layers.Layer):  # states no shape of its output
            def call(self, inputs):
                return tf.concat(inputs, -1)

        class Scale(layers.Layer):
            def build(self, input_shape):
                self.w = self.add_weight("w", [int(input_shape[-1])], initializer="ones")
                super().build(input_shape)

            def call(self, inputs):
                return inputs * self.w

        x, i = layers.Input([3, 2]), layers.Input([1], dtype=tf.int32)
        flat = layers.Flatten()(x)
        assert flat.shape.as_list() == [None, 6] and layers.Flatten()(flat).shape.as_list() == [None, 6]
        embedded = layers.Flatten()(layers.Embedding(5, 4)(i))
        both = Pairs()([flat, embedded])
        assert K.int_shape(both) == (None, 10)
        assert K.int_shape(layers.Lambda(lambda t: t)(both)) == (None, 10)
        y = layers.Dense(1, "sigmoid")(Scale()(both))
        model = models.Model([x, i], y)
        model.compile("sgd", "binary_crossentropy")
        values = [np.ones((4, 3, 2)), np.ones((4, 1), np.int32)]
        first = model.train_on_batch(values, np.ones((4, 1)))
        assert model.train_on_batch(values, np.ones((4, 1))) < first
        again = models.model_from_json(model.to_json(), {"Pairs": Pairs, "Scale": Scale})
        assert '"dtype": "int32"' in model.to_json() and again.output_shape == (None, 1)
        try:
            layers.Dense(1, "sigmoid", True, "zeros", "zeros", None, None, None, None, None, 5)
            assert False
        except TypeError:
            pass
        K.set_learning_phase(True)
        assert layers.LSTM(3)(x).shape.as_list() == [None, 3]
        """
    keras_program(code, tmp_path)


@needs_keras
@pytest.mark.slow
def test_layers_in_a_graph_of_tensorflow(tmp_path):
    code = """
        import numpy as np
        import tensorflow as tf
        np.random.seed(0)
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        with tf.variable_scope("net"):
            y = tf.keras.layers.Conv2D(4, 3, activation="relu", name="conv")(x)
            y = tf.keras.layers.Dense(1)(tf.keras.layers.Flatten()(y))
        assert [v.name for v in tf.trainable_variables()][:2] == ["net/conv/kernel:0", "net/conv/bias:0"]
        loss = tf.reduce_mean(tf.square(y - 5.0))
        train = tf.train.AdamOptimizer(0.05).minimize(loss)
        session = tf.keras.backend.get_session()
        data = np.random.rand(16, 8, 8, 1)
        first = session.run(loss, {x: data})
        for _ in range(30):
            session.run(train, {x: data})
        last = session.run(loss, {x: data})
        assert last < first / 2, (first, last)
        with tf.Session() as other:
            other.run(tf.global_variables_initializer())
            assert tf.keras.backend.get_session() is other
        """
    keras_program(code, tmp_path)


@needs_keras
@pytest.mark.slow
def test_a_model_is_trained_saved_and_loaded(tmp_path):
    code = """
        import numpy as np, tensorflow as tf
        from tensorflow import keras
        L = keras.layers
        np.random.seed(0)
        x = np.random.randn(256, 6, 5).astype("float32")
        labels = (x.sum((1, 2)) > 0).astype("int32")
        inputs = L.Input((6, 5))
        y = L.BatchNormalization()(L.LSTM(8)(L.Masking()(inputs)))
        y = L.Dropout(0.1)(L.concatenate([y, L.GRU(4)(inputs), L.GlobalMaxPooling1D()(L.Conv1D(4, 3)(inputs))]))
        model = keras.Model(inputs, [L.Dense(2, activation="softmax", name="label")(y), L.Dense(1, name="sum")(y)])
        model.compile("adam", {"label": "sparse_categorical_crossentropy", "sum": "mse"}, loss_weights=[1, 0.1],
                      metrics={"label": ["acc"]})
        callbacks = [keras.callbacks.ModelCheckpoint("best.h5"), keras.callbacks.EarlyStopping("loss"),
                     keras.callbacks.TensorBoard("logs")]
        history = model.fit(x, [labels, x.sum((1, 2))], 32, 10, verbose=0, validation_split=0.1, callbacks=callbacks)
        losses = history.history["loss"]
        assert losses[-1] < 0.8 * losses[0], losses
        before = model.predict(x)
        assert np.mean(before[0].argmax(1) == labels) > 0.6
        assert len(model.evaluate(x, [labels, x.sum((1, 2))], verbose=0)) == 4
        model.save("model.h5"), model.save_weights("weights.h5")
        keras.backend.clear_session()
        again = keras.models.load_model("model.h5")
        np.testing.assert_allclose(again.predict(x)[0], before[0], rtol=1e-5, atol=1e-6)
        other = keras.Model.from_config(again.get_config())
        other.load_weights("weights.h5")
        np.testing.assert_allclose(other.predict(x)[1], before[1], rtol=1e-5, atol=1e-5)
        again.fit(x, [labels, x.sum((1, 2))], verbose=0)
        import h5py, io
        again.save(stream := io.BytesIO())
        stream.seek(0)
        np.testing.assert_allclose(keras.models.load_model(stream).predict(x)[1], again.predict(x)[1], rtol=1e-5)
        with h5py.File("model.h5") as file:
            assert file.mode == "r"
        """
    keras_program(code, tmp_path)
    assert any("tfevents" in name for name in os.listdir(tmp_path / "logs"))


@needs_keras
@pytest.mark.slow
def test_states_generators_and_losses_of_the_program(tmp_path):
    code = """
        import numpy as np, tensorflow as tf
        keras, K, L = tf.keras, tf.keras.backend, tf.keras.layers
        model = keras.Sequential([L.LSTM(3, stateful=True, batch_input_shape=(2, 4, 1)), L.Dense(1)])
        x = np.ones((2, 4, 1))
        first, second = model.predict(x), model.predict(x)
        assert abs(first - second).max() > 1e-4
        model.reset_states()
        np.testing.assert_allclose(model.predict(x), first, rtol=1e-5)

        def loss(labels, outputs):
            return tf.reduce_mean(tf.abs(labels - outputs), -1)

        model = keras.Sequential([L.Embedding(10, 4, mask_zero=True, input_length=3), L.GRU(4), L.Dense(1)])
        def largest(labels, outputs):
            return K.max(outputs)

        model.compile(tf.train.AdamOptimizer(0.01), loss, metrics=[largest])

        def batches():
            while True:
                words = np.random.randint(10, size=(16, 3))
                yield words, words.sum(1, keepdims=True) / 10.0

        losses = model.fit_generator(batches(), 20, 5, verbose=0).history["loss"]
        assert losses[-1] < losses[0]
        hidden = K.function([model.layers[0].input, K.learning_phase()], [model.layers[1].output])
        assert hidden([np.zeros((2, 3)), 0])[0].tolist() == [[0] * 4] * 2  # all steps are masked
        """
    keras_program(code, tmp_path)


def test_what_is_said_without_keras(monkeypatch):
    monkeypatch.setattr(keras, "_version", lambda: None)
    expected = r"No module named 'tensorflow.keras.layers': tf.keras is Keras .*: pip install 'tfcore\[keras\]'"
    with pytest.raises(ModuleNotFoundError, match=expected):
        keras.module("tensorflow.keras.layers", "keras.layers")
    assert keras.is_module("python.keras.backend") and not keras.is_module("python.keras.layers")
    monkeypatch.setattr(keras, "_version", lambda: "3.4.1")
    with pytest.raises(ImportError, match=r"Installed is 3\.4\.1"):
        keras.module("tensorflow.keras", "keras")
    assert keras.name_in_keras("python.keras.engine.input_spec") is None is keras.name_in_keras("kerasy")


WITHOUT = """
    import sys, types
    import tfcore as tf
    from tfcore.as_tensorflow import estimator, keras
    keras._version, estimator._version = lambda: {version!r}, lambda: {version!r}
    hooks = list(sys.meta_path)

    def error(code, kind):
        try:
            exec(code)
        except kind as error:
            return str(error)
        raise AssertionError(code)
    """


@pytest.mark.parametrize("version", [None, "3.9.0"])
def test_names_without_the_packages(version):
    code = (
        WITHOUT.format(version=version)
        + """
    for package in ("keras", "estimator"):
        assert f"pip install 'tfcore[{package}]'" in error(f"tf.{package}", AttributeError)
        error(f"import tfcore.{package}", ImportError)
    assert sys.meta_path == hooks  # so that `import tensorflow` is not tfcore
    import tfcore.as_tensorflow as a
    a.install()
    import tensorflow as tf
    for name in ("keras", "estimator", "contrib.keras", "python.keras.layers", "python.keras.backend.relu"):
        said = error(f"tf.{name}", AttributeError)
        package = "estimator" if name == "estimator" else "keras"
        assert f"'{name.rpartition('.')[2]}'" in said and f"pip install 'tfcore[{package}]'" in said, said
        parent, _, last = f"tensorflow.{name}".rpartition(".")
        for statement in (f"import tensorflow.{name}", f"from {parent} import {last}"):
            said = error(statement, ImportError)
            assert f"pip install 'tfcore[{package}]'" in said, (statement, said)
    from tensorflow.python.keras.engine import input_spec
    assert input_spec.InputSpec and "keras" not in sys.modules and "tensorflow_estimator" not in sys.modules
    """
    )
    run("-c", textwrap.dedent(code))


def test_names_beside_tensorflow():
    code = (
        WITHOUT.format(version=None)
        + """
    keras.check = estimator.check = lambda fullname: None
    sys.modules["tensorflow"] = types.ModuleType("tensorflow")
    for package in ("keras", "estimator"):
        assert "has imported TensorFlow already" in error(f"tf.{package}", AttributeError)
    assert not hasattr(tf, "keras") and sys.meta_path == hooks
    """
    )
    run("-c", textwrap.dedent(code))
