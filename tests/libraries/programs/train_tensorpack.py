"""tensorpack: a trainer with callbacks fits a line."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorpack import (
    BatchData,
    DataFromList,
    InferenceRunner,
    ModelDesc,
    ModelSaver,
    RepeatedData,
    ScalarStats,
    SimpleTrainer,
    TrainConfig,
    launch_train_with_config,
)
from tensorpack.utils import logger

random = np.random.RandomState(0)
x = random.randn(256, 3).astype("float32")
y = x @ np.array([[1.0], [-2.0], [3.0]], "float32")


class Model(ModelDesc):
    def inputs(self):
        return [tf.TensorSpec((None, 3), tf.float32, "x"), tf.TensorSpec((None, 1), tf.float32, "y")]

    def build_graph(self, x, y):
        found = tf.layers.dense(x, 1, name="line")
        return tf.reduce_mean(tf.squared_difference(found, y), name="loss")

    def optimizer(self):
        return tf.train.AdamOptimizer(0.05)


def data():
    return BatchData(DataFromList([list(pair) for pair in zip(x, y)], shuffle=False), 32)


logger.set_logger_dir(tempfile.mkdtemp(), action="d")
statistics = InferenceRunner(data(), [ScalarStats("loss")])
config = TrainConfig(
    model=Model(),
    dataflow=RepeatedData(data(), -1),
    callbacks=[ModelSaver(), statistics],
    steps_per_epoch=40,
    max_epoch=4,
)
trainer = SimpleTrainer()
launch_train_with_config(config, trainer)
assert trainer.monitors.get_latest("validation_loss") < 0.05
