"""tensorflow-estimator: a network trains, is evaluated and exported."""

import tempfile

import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)
images = random.rand(512, 28, 28).astype("float32")
labels = np.argmax((images - 0.5).reshape(-1, 784) @ random.randn(784, 10), 1).astype("int32")


def model_fn(features, labels, mode):
    x = tf.layers.conv2d(features["image"][..., None], 8, 5, 2, activation=tf.nn.relu)
    logits = tf.layers.dense(tf.layers.flatten(x), 10)
    predictions = {"class": tf.argmax(logits, 1)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(0.003).minimize(loss, tf.train.get_global_step())
    metrics = {"accuracy": tf.metrics.accuracy(labels, predictions["class"])}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


folder = tempfile.mkdtemp()
model = tf.estimator.Estimator(model_fn, folder)
data = tf.estimator.inputs.numpy_input_fn({"image": images}, labels, 64, num_epochs=None, shuffle=True)
once = tf.estimator.inputs.numpy_input_fn({"image": images}, labels, num_epochs=1, shuffle=False)
specs = tf.estimator.TrainSpec(data, max_steps=300), tf.estimator.EvalSpec(once, throttle_secs=0)
result, _ = tf.estimator.train_and_evaluate(model, *specs)
assert result["accuracy"] > 0.9, result
features = {"image": tf.FixedLenFeature([28, 28], tf.float32)}
path = model.export_saved_model(folder, tf.estimator.export.build_parsing_serving_input_receiver_fn(features))
with tf.Graph().as_default(), tf.Session() as session:
    assert tf.saved_model.loader.load(session, ["serve"], path.decode()).signature_def
