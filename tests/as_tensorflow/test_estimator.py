"""tf.estimator is the installed package tensorflow-estimator: programs that train, evaluate, predict and export."""

import importlib.util
import textwrap
import time

import pytest

import tfcore as tf
from tests.as_tensorflow.test_programs import environment, installed, run
from tfcore.as_tensorflow import estimator
from tfcore.as_tensorflow.estimator import export_output, model_utils

HAS_ESTIMATOR = importlib.util.find_spec("tensorflow_estimator") is not None
needs_estimator = pytest.mark.skipif(
    not HAS_ESTIMATOR, reason="tensorflow-estimator is not installed: pip install 'tfcore[estimator]'"
)

# Images of stripes whose direction is the class.
MODEL = """
import os
import numpy as np
import tfcore.as_tensorflow as a
a.install()
import tensorflow as tf
tf.logging.set_verbosity(tf.logging.ERROR)
random = np.random.RandomState(0)
labels = random.randint(2, size=256).astype("int32")
stripes = np.tile(np.arange(8) % 2, (8, 1)).astype("float32")
images = np.stack([stripes.T if label else stripes for label in labels]) + random.randn(256, 8, 8).astype("f") / 4

def model_fn(features, labels, mode, params):
    x = tf.layers.conv2d(features["image"][..., None], params["filters"], 3, activation=tf.nn.relu)
    logits = tf.layers.dense(tf.layers.flatten(x), 2)
    predictions = {"class": tf.argmax(logits, 1), "scores": tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.TRAIN:
        train = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
    accuracy = tf.metrics.accuracy(labels, predictions["class"])
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})

def dataset():
    return tf.data.Dataset.from_tensor_slices(({"image": images}, labels)).shuffle(256).repeat().batch(32)

def estimator(folder="model", **options):
    config = tf.estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=20, keep_checkpoint_max=2)
    return tf.estimator.Estimator(model_fn, folder, config, params={"filters": 4}, **options)

arrays = tf.estimator.inputs.numpy_input_fn({"image": images}, labels, num_epochs=1, shuffle=False)
"""


def program(code, folder):
    return run("-c", MODEL + textwrap.dedent(code), env=environment(), cwd=folder)


@needs_estimator
@pytest.mark.slow
def test_training_evaluation_and_prediction(tmp_path):
    code = """
        class Count(tf.train.SessionRunHook):
            steps = 0
            def after_run(self, run_context, run_values):
                self.steps += 1

        count, model = Count(), estimator()
        model.train(tf.estimator.inputs.numpy_input_fn({"image": images}, labels, 32, None, True), [count], 30)
        assert count.steps == 30 == model.get_variable_value("global_step")
        spec = tf.estimator.TrainSpec(dataset, max_steps=80)
        result, _ = tf.estimator.train_and_evaluate(model, spec, tf.estimator.EvalSpec(arrays, throttle_secs=0))
        assert result["global_step"] == 80 and result["accuracy"] > 0.9 and result["loss"] < 0.5, result
        assert model.latest_checkpoint().endswith("model.ckpt-80") and os.path.isdir("model/eval")
        found = np.stack([p["class"] for p in model.predict(arrays)])
        assert found.shape == labels.shape and np.mean(found == labels) == result["accuracy"]
        again = estimator("other", warm_start_from="model")
        again.train(dataset, max_steps=1)
        assert again.evaluate(arrays)["accuracy"] > 0.9
        stopping = estimator("stopping")
        os.makedirs(stopping.eval_dir())
        hook = tf.estimator.experimental.stop_if_no_decrease_hook(stopping, "loss", 10)
        stopping.train(dataset, max_steps=3, hooks=[hook])
        assert stopping.get_variable_value("global_step") == 3
        """
    program(code, tmp_path)


@needs_estimator
@pytest.mark.slow
def test_exported_models(tmp_path):
    code = """
        model = estimator()
        model.train(dataset, steps=2)
        columns = {"image": tf.FixedLenFeature([8, 8], tf.float32)}
        parsing = tf.estimator.export.build_parsing_serving_input_receiver_fn(columns)
        path = model.export_saved_model("parsing", parsing)
        with tf.Graph().as_default(), tf.Session() as session:
            graph = tf.saved_model.loader.load(session, ["serve"], path.decode())
            signature = graph.signature_def["serving_default"]
            assert signature.method_name == "tensorflow/serving/predict"
            example = tf.train.Example()
            example.features.feature["image"].float_list.value.extend(images[0].ravel())
            feeds = {signature.inputs["examples"].name: [example.SerializeToString()]}
            scores = session.run(signature.outputs["scores"].name, feeds)
        expected = next(iter(model.predict(arrays)))["scores"]
        np.testing.assert_allclose(scores[0], expected, rtol=1e-5)
        images_fed = {"image": tf.placeholder(tf.float32, [None, 8, 8])}
        raw = tf.estimator.export.build_raw_serving_input_receiver_fn(images_fed)
        exporter = tf.estimator.LatestExporter("latest", raw, exports_to_keep=1)
        spec = tf.estimator.EvalSpec(arrays, throttle_secs=0, exporters=exporter)
        _, [path] = tf.estimator.train_and_evaluate(model, tf.estimator.TrainSpec(dataset, max_steps=4), spec)
        assert os.listdir("model/export/latest") == [os.path.basename(path.decode())]
        """
    program(code, tmp_path)


@needs_estimator
def test_names_of_modules(tmp_path):
    code = """
        import tfcore
        assert "estimator" not in dir(tfcore)
        from tfcore.estimator import RunConfig
        import tensorflow as tf, tensorflow_estimator, tensorflow.estimator
        from tensorflow_estimator import estimator
        from tensorflow.python.estimator.estimator import Estimator
        from tensorflow.python.estimator import run_config
        assert tfcore.estimator is tf.estimator is tensorflow.estimator is estimator is tensorflow_estimator.estimator
        assert RunConfig is run_config.RunConfig is tf.estimator.RunConfig and Estimator is tf.estimator.Estimator
        assert "DNNClassifier" in dir(tf.estimator)
        for call, expected in (
            (lambda: tf.estimator.BoostedTreesClassifier, "needs what tfcore lacks: boosted trees"),
            (lambda: tf.estimator.experimental.LinearSDCA, "lacks: stochastic dual coordinate ascent"),
            (lambda: tf.estimator.Estimater, "Did you mean: 'Estimator'?"),
            (lambda: tensorflow_estimator.nothing, "module 'tensorflow_estimator' has no attribute 'nothing'"),
        ):
            try:
                call()
                assert False
            except (ImportError, AttributeError) as error:
                assert expected in str(error), error
        import os
        try:
            os.environ["TF_CONFIG"] = '{"cluster": {"worker": ["a:1"]}}'
            tf.estimator.RunConfig(train_distribute=tf.distribute.OneDeviceStrategy("/cpu:0"))
            assert False
        except tf.errors.UnimplementedError as error:
            assert "RunConfig with a strategy over a cluster" in str(error)
        """
    run("-c", textwrap.dedent(code), env=environment(), cwd=tmp_path)


def test_what_is_said_without_the_package(monkeypatch):
    monkeypatch.setattr(estimator, "_version", lambda: None)
    expected = r"No module named 'tensorflow.estimator': tf.estimator is .*: pip install 'tfcore\[estimator\]'"
    with pytest.raises(ModuleNotFoundError, match=expected):
        estimator.check("tensorflow.estimator")
    assert estimator.is_module("estimator.inputs") and not estimator.is_module("python.estimator.estimator")
    monkeypatch.setattr(estimator, "_version", lambda: "2.15.0")
    with pytest.raises(ImportError, match=r"Installed is 2\.15\.0"):
        estimator.module("tensorflow.python.estimator", "tensorflow_estimator.python.estimator")


def test_a_module_of_the_package_that_needs_more(monkeypatch):
    monkeypatch.setattr(estimator, "_listed", lambda folder: {"Needy": ("json", "nothing")})
    with pytest.raises(ImportError, match="Needy needs what tfcore lacks: module 'json' has no attribute 'nothing'"):
        estimator.Names("estimator")("Needy")
    with pytest.raises(AttributeError):
        estimator.Names("estimator")("other")


# ---- Signatures


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_outputs_of_signatures():
    examples = tf.placeholder(tf.string, [None], "examples")
    floats, text = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.string, [None, 2])
    inputs = {"input": examples}
    signature = export_output.ClassificationOutput(floats, text).as_signature_def(inputs)
    assert signature.method_name == "tensorflow/serving/classify" and {*signature.outputs} == {"scores", "classes"}
    assert export_output.RegressionOutput(floats).as_signature_def(inputs).method_name == "tensorflow/serving/regress"
    assert {*export_output.PredictOutput(floats).as_signature_def({"x": floats}).outputs} == {"output"}
    assert {*export_output.PredictOutput({("a", "b"): floats}).outputs} == {"a/b"}
    for kind, value, expected in (
        (export_output.ClassificationOutput, (), "At least one of scores and classes must be set"),
        (export_output.ClassificationOutput, (text,), "Classification scores must be a float32 Tensor; got"),
        (export_output.ClassificationOutput, (None, floats), "Classification classes must be a string Tensor; got"),
        (export_output.RegressionOutput, (3.0,), "Regression output value must be a float32 Tensor; got 3.0"),
        (export_output.PredictOutput, ({"a": 3},), "Prediction output value must be a Tensor; got 3"),
        (export_output.PredictOutput, ({1: floats},), "Prediction output key must be a string; got 1"),
    ):
        with pytest.raises(ValueError, match=expected):
            kind(*value)
    for tensors in ({"x": floats}, {"a": examples, "b": examples}):
        with pytest.raises(ValueError, match="Classification input must be a single string Tensor; got"):
            export_output.ClassificationOutput(floats).as_signature_def(tensors)


def test_outputs_of_training_and_evaluation():
    x, n = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    metrics = {"mean": tf.metrics.mean(x), ("a", "b"): (x, tf.no_op())}
    output = export_output.EvalOutput(x, {"predictions/x": x, "y": n}, metrics)
    assert {*output.loss} == {"loss"} and {*output.predictions} == {"predictions/x", "predictions/y"}
    assert {*output.metrics} == {
        f"metrics/{name}/{part}" for name in ("mean", "a/b") for part in ("value", "update_op")
    }
    signature = output.as_signature_def({"x": x})
    assert signature.method_name == "tensorflow/supervised/eval" and len(signature.outputs) == 7
    assert {*export_output.TrainOutput(metrics=(x, n)).metrics} == {"metrics/value", "metrics/update_op"}
    with pytest.raises(ValueError, match="m output value must be a Tensor; got 1"):
        export_output.TrainOutput(metrics={"m": (1, n)})
    with pytest.raises(ValueError, match="m update_op must be a Tensor or Operation; got 1"):
        export_output.TrainOutput(metrics={"m": (x, 1)})


def test_all_signatures_of_a_graph():
    examples, x = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None])
    outputs = {"serving_default": export_output.PredictOutput(x), "r": export_output.RegressionOutput(x)}
    assert {*model_utils.build_all_signature_defs(examples, outputs)} == {"serving_default", "r"}
    assert {*model_utils.build_all_signature_defs(x, outputs, {"e": {"a": examples}})} == {
        "serving_default", "e:serving_default", "e:r",
    }  # fmt: skip
    evaluation = model_utils.export_outputs_for_mode("eval", predictions=x, loss=x)
    assert not model_utils.build_all_signature_defs(x, evaluation)
    assert {*model_utils.build_all_signature_defs(x, evaluation, serving_only=False)} == {"eval"}
    assert {*model_utils.export_outputs_for_mode("train", loss=x)} == {"train"}
    assert {*model_utils.export_outputs_for_mode("infer", predictions=x)} == {"serving_default"}
    for arguments, expected in (
        ((x, [1]), "`export_outputs` must be a dict and not"),
        ((x, outputs, [1]), "`receiver_tensors_alternatives` must be a dict and not"),
    ):
        with pytest.raises(ValueError, match=expected):
            model_utils.build_all_signature_defs(*arguments)
    with pytest.raises(ValueError, match="Export output type not found for mode: what"):
        model_utils.export_outputs_for_mode("what")


def test_the_default_signature():
    output = export_output.PredictOutput(tf.zeros([1]))
    assert model_utils.get_export_outputs({"a": output}, None) == {"a": output, "serving_default": output}
    assert model_utils.get_export_outputs({}, None) == {}
    with pytest.raises(ValueError, match="none of them is specified as the default"):
        model_utils.get_export_outputs({"a": output, "b": output}, None)
    with pytest.raises(TypeError, match="export_outputs must be dict, given"):
        model_utils.get_export_outputs([output], None)
    with pytest.raises(TypeError, match="must be ExportOutput objects"):
        model_utils.get_export_outputs({"a": 1}, None)


def test_folders_of_exports(tmp_path, monkeypatch):
    path = model_utils.get_timestamped_export_dir(str(tmp_path))
    assert 0 <= time.time() - int(path.rpartition(b"/")[2]) < 100
    assert (
        model_utils.get_temp_export_dir("a/17") == b"a/temp-17" and model_utils.get_temp_export_dir(b"1") == b"temp-1"
    )
    monkeypatch.setattr(model_utils.time, "time", lambda: 5.0)
    monkeypatch.setattr(model_utils.time, "sleep", lambda seconds: None)
    (tmp_path / "5").mkdir()
    with pytest.raises(RuntimeError, match="Failed to obtain a unique export directory name after 10 attempts"):
        model_utils.get_timestamped_export_dir(bytes(tmp_path))
    assert model_utils.get_variables_path(b"a") == "a/variables/variables"
    assert model_utils.get_assets_dir("a") == "a/assets"


def test_train_ops_in_saved_models(tmp_path):
    v = tf.Variable(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        builder._add_train_op(None)
        with pytest.raises(TypeError, match="train_op needs to be a Tensor or Op"):
            builder._add_train_op("train")
        builder._add_train_op(v.assign_add(1.0))
        builder.add_meta_graph_and_variables(session, ["train"])
        builder.save()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["train"], str(tmp_path / "model"))
        [train] = tf.get_collection("saved_model_train_op")
        assert session.run(train) == 2


def test_the_global_step_is_read_before_it_changes():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.training import training_util
        assert training_util._get_or_create_global_step_read() is None
        try:
            training_util._increment_global_step(1)
            assert False
        except ValueError as error:
            assert "get_or_create_global_step before calling increment" in str(error)
        tf.train.get_or_create_global_step()
        increment = training_util._increment_global_step(2)
        read = training_util._get_or_create_global_step_read()
        assert read is training_util._get_or_create_global_step_read() and read.name == "global_step/add:0"
        with tf.train.MonitoredSession() as session:
            assert [session.run([read, increment]) for _ in range(2)] == [[0, 2], [2, 4]]
        """
    )


def test_runners_of_queues_that_derive_from_ours():
    queue = tf.FIFOQueue(1, tf.int32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)], cancel_op=(own := tf.Variable(0).assign_add(1)))
    coordinator = tf.train.Coordinator()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        coordinator.request_stop()
        runner._close_on_stop(session, own, coordinator)
        assert session.run(tf.global_variables()[0]) == 1


STRATEGIES = """
import numpy as np
import tfcore.as_tensorflow as a
a.install()
import tensorflow as tf
tf.logging.set_verbosity(tf.logging.ERROR)
x = np.random.RandomState(0).randn(64, 2).astype("f")
y = x @ np.array([[1.0], [2.0]], "f")

def model_fn(features, labels, mode):
    predicted = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, predicted)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train = optimizer.minimize(loss, tf.train.get_global_step()) if mode == "train" else None
    metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)

def results(replicas):
    strategy = tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(replicas)]) if replicas else None
    input_fn = lambda: tf.data.Dataset.from_tensor_slices(({"x": x}, y)).batch(16 // max(1, replicas)).repeat()
    session = tf.ConfigProto(device_count={"CPU": max(1, replicas)})
    config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy, session_config=session)
    estimator = tf.estimator.Estimator(model_fn, f"model{replicas}", config)
    estimator.train(input_fn, steps=3)
    return *estimator.get_variable_value("dense/kernel").ravel(), *estimator.evaluate(input_fn, steps=4).values()

np.testing.assert_allclose(results(2), results(0), 1e-5)
"""


@needs_estimator
def test_a_mirrored_strategy_trains_as_no_strategy(tmp_path):
    """Each replica's mean is a part of the mean over the batch: optimizers scale the losses of estimators."""
    run("-c", STRATEGIES, env=environment(), cwd=tmp_path)
