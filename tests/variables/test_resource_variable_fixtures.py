"""Programs with resource variables that TensorFlow wrote are imported, restored and trained here with its results."""

import os

import numpy as np
import pytest

import tfcore as tf
from tfcore.variables.resource_variable import is_resource_variable

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "resource_variables")


@pytest.mark.parametrize("name", ["dense", "embedding", "loop", "functional"])
def test_programs_of_tensorflow(name, tmp_path):
    with np.load(os.path.join(FOLDER, name + ".npz")) as data:
        losses = data["losses"]
        values = {k.partition(":")[2]: data[k] for k in data.files if k.startswith("value:")}
        feeds = {k: data[k] for k in data.files if k.endswith(":0") and not k.startswith("value:")}
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(FOLDER, name + ".meta"))
        variables = {v.op.name: v for v in tf.global_variables()}
        assert set(variables) == set(values) and all(map(is_resource_variable, variables.values()))
        (loss,), (train,) = tf.get_collection("loss"), tf.get_collection("train")
        saver.restore(session, os.path.join(FOLDER, name))
        found = []
        for _ in losses:
            found.append(session.run(loss, feeds))
            session.run(train, feeds)
        np.testing.assert_allclose(found, losses, rtol=1e-5)
        for key, variable in variables.items():
            np.testing.assert_allclose(session.run(variable), values[key], rtol=2e-5, atol=1e-6, err_msg=key)
        path = saver.save(session, str(tmp_path / "again"))
    again = tf.train.NewCheckpointReader(path)
    assert set(again.get_variable_to_shape_map()) == set(values)
