"""The models that come with tensorflow-estimator: they train, evaluate, predict, export and start from others."""

import textwrap

import pytest

from tests.as_tensorflow.test_estimator import needs_estimator
from tests.as_tensorflow.test_programs import environment, run

# Two numbers and a word; a class, and a value, that follow from them.
DATA = """
import numpy as np
import tfcore.as_tensorflow as a
a.install()
import tensorflow as tf
tf.logging.set_verbosity(tf.logging.ERROR)
random = np.random.RandomState(0)
x, word = random.randn(256, 2).astype("f"), random.choice(["a", "b", "c"], 256)
value = (x @ [2, -1] + 3 * (word == "b")).astype("f")
label = (value > 0.5).astype("int64")
features = {"x": x, "word": word}
columns = tf.feature_column
numbers = columns.numeric_column("x", shape=2)
words = columns.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
embedded, counted = columns.embedding_column(words, 2), columns.indicator_column(words)
crossed = columns.crossed_column(["word", columns.bucketized_column(numbers, [0.0])], 20)
config = tf.estimator.RunConfig(tf_random_seed=1)

def arrays(labels=None, epochs=1):
    return tf.estimator.inputs.numpy_input_fn(features, labels, 64, epochs, shuffle=epochs is None)

def dataset():
    return tf.data.Dataset.from_tensor_slices((features, label)).repeat().batch(64)

def names(model, *endings):
    return [n for n in model.get_variable_names() if n.endswith(endings)]

def trained(model, labels, steps=40, **options):
    model = model(model_dir=model.__name__, config=config, **options)
    model.train(arrays(labels, None), steps=steps)
    return model, model.evaluate(arrays(labels))
"""


def program(code, folder):
    return run("-c", DATA + textwrap.dedent(code), env=environment(), cwd=folder)


@needs_estimator
@pytest.mark.slow
def test_classifiers(tmp_path):
    code = """
        model, result = trained(tf.estimator.LinearClassifier, label, feature_columns=[numbers, words, crossed])
        assert result["accuracy"] > 0.9 and result["auc"] > 0.95, result
        linear = "linear/linear_model"
        assert names(model, "weights") == [f"{linear}/{n}" for n in (
            "bias_weights", "word/weights", "word_X_x_bucketized/weights", "x/weights")]
        found = [p["class_ids"][0] for p in model.predict(arrays())]
        assert abs(np.mean(found == label) - result["accuracy"]) < 1e-6

        model, result = trained(tf.estimator.DNNClassifier, label, feature_columns=[numbers, embedded],
                                hidden_units=[16, 8], optimizer="Adam", dropout=0.1, batch_norm=True)
        table = "dnn/input_from_feature_columns/input_layer/word_embedding/embedding_weights"
        # Not the accuracy: the moving averages of 40 steps are still far from the statistics of the data.
        assert result["auc"] > 0.7 and model.get_variable_value(table).shape == (3, 2), result
        assert names(model, "kernel") == ["dnn/hiddenlayer_0/kernel", "dnn/hiddenlayer_1/kernel", "dnn/logits/kernel"]

        again = tf.estimator.DNNClassifier([16, 8], [numbers, embedded], warm_start_from=tf.estimator.WarmStartSettings(
            "DNNClassifier", vars_to_warm_start=".*input_layer.*"), optimizer=tf.train.GradientDescentOptimizer(0.0))
        again.train(dataset, steps=1)
        np.testing.assert_array_equal(again.get_variable_value(table), model.get_variable_value(table))

        model, result = trained(tf.estimator.DNNLinearCombinedClassifier, label, linear_feature_columns=[words],
                                dnn_feature_columns=[numbers, embedded], dnn_hidden_units=[8],
                                linear_optimizer=tf.train.FtrlOptimizer(0.5))
        assert names(model, "weights") == [table, f"{linear}/bias_weights", f"{linear}/word/weights"]
        assert result["loss"] < trained(tf.estimator.BaselineClassifier, label)[1]["loss"]
        """
    program(code, tmp_path)


@needs_estimator
@pytest.mark.slow
def test_regressors_and_heads(tmp_path):
    code = """
        from tensorflow.python.estimator.canned import head

        loss = {}
        for model, options in (
            (tf.estimator.LinearRegressor, {"feature_columns": [numbers, words]}),
            (tf.estimator.DNNRegressor, {"feature_columns": [numbers, counted], "hidden_units": [8]}),
            (tf.estimator.DNNLinearCombinedRegressor, {"linear_feature_columns": [words], "dnn_hidden_units": [8],
                "dnn_feature_columns": [numbers], "linear_optimizer": tf.train.FtrlOptimizer(0.5)}),
            (tf.estimator.BaselineRegressor, {}),
            (tf.estimator.LinearEstimator, {"head": head._regression_head(), "feature_columns": [numbers]}),
            (tf.estimator.DNNEstimator, {"head": head._regression_head(), "feature_columns": [numbers, embedded],
                                         "hidden_units": [8]}),
        ):
            loss[model.__name__] = trained(model, value, **options)[1]["average_loss"]
        assert all(loss[name] < loss["BaselineRegressor"] for name in loss if name != "BaselineRegressor"), loss
        """
    program(code, tmp_path)


@needs_estimator
@pytest.mark.slow
def test_export(tmp_path):
    code = """
        model, _ = trained(tf.estimator.DNNClassifier, word, steps=20, feature_columns=[numbers, embedded],
                           hidden_units=[4], n_classes=3, label_vocabulary=["a", "b", "c"])
        spec = columns.make_parse_example_spec([numbers, embedded])
        assert tf.estimator.classifier_parse_example_spec([numbers, embedded], "l") == {
            **spec, "l": tf.FixedLenFeature((1,), tf.int64)}
        path = model.export_saved_model("export", tf.estimator.export.build_parsing_serving_input_receiver_fn(spec))
        with tf.Graph().as_default(), tf.Session() as session:
            graph = tf.saved_model.loader.load(session, ["serve"], path.decode())
            signature = graph.signature_def["serving_default"]
            assert signature.method_name == "tensorflow/serving/classify"
            example = tf.train.Example()
            example.features.feature["x"].float_list.value.extend(x[0])
            example.features.feature["word"].bytes_list.value.append(word[0].encode())
            feeds = {signature.inputs["inputs"].name: [example.SerializeToString()]}
            scores = session.run(signature.outputs["scores"].name, feeds)
        np.testing.assert_allclose(scores[0], next(iter(model.predict(arrays())))["probabilities"], rtol=1e-5)
        """
    program(code, tmp_path)


@needs_estimator
@pytest.mark.slow
def test_partitions_and_shared_tables_without_keras(tmp_path):
    code = """
        import sys

        from tfcore.as_tensorflow import keras
        keras._version = lambda: None  # as if it were not installed
        others = columns.categorical_column_with_vocabulary_list("other", ["a", "b", "c"])
        shared = columns.shared_embedding_columns([words, others], 2)
        features["other"] = word[::-1]
        split = tf.fixed_size_partitioner(2)
        model, _ = trained(tf.estimator.DNNClassifier, label, steps=3, feature_columns=[numbers, *shared],
                           hidden_units=[4], input_layer_partitioner=split)
        table = "dnn/input_from_feature_columns/input_layer/other_word_shared_embedding/embedding_weights"
        assert names(model, "embedding_weights") == [table] and model.get_variable_value(table).shape == (3, 2)
        features["weight"] = np.ones(256, "f")
        model, _ = trained(tf.estimator.LinearClassifier, label, steps=3, feature_columns=[numbers, words],
                           partitioner=split, weight_column="weight")
        assert names(model, "/weights") == ["linear/linear_model/word/weights", "linear/linear_model/x/weights"]
        assert not [m for m in sys.modules if m.partition(".")[0] == "keras"]
        """
    program(code, tmp_path)
