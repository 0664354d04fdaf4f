"""SavedModels of many kinds that TensorFlow 2 wrote give its values."""

import os
import zipfile

import numpy as np
import pytest

import tfcore as tf

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "tensorflow_2_models")
NAMES = sorted(name.removesuffix(".npz") for name in os.listdir(FOLDER) if name.endswith(".npz"))


def check(found, expected):
    if expected.dtype.kind in "fc":
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    else:
        assert found.tolist() == expected.tolist() and np.shape(found) == expected.shape


@pytest.mark.parametrize("name", NAMES)
def test_models(name, tmp_path):
    zipfile.ZipFile(os.path.join(FOLDER, name + ".zip")).extractall(tmp_path)
    values = np.load(os.path.join(FOLDER, name + ".npz"), allow_pickle=True)
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load(session, ["serve"], tmp_path)
        signature = model.signature_def["serving_default"]
        feeds = {info.name: values[key] for key, info in signature.inputs.items()}
        found = session.run({key: info.name for key, info in signature.outputs.items()}, feeds)
    assert {"output:" + key for key in found} == {key for key in values if key.startswith("output:")}
    for key, value in found.items():
        check(np.asarray(value), values["output:" + key])


def test_all_kinds_are_there():
    assert len(NAMES) >= 20
