"""tf.train.NewCheckpointReader: what it says of TensorFlow's checkpoints."""

import pathlib

import numpy as np
import pytest

import tfcore as tf
from tests.fixtures.checkpoints import values

FIXTURES = pathlib.Path(values.__file__).parent


@pytest.mark.parametrize("name", ["types", "legacy"])
def test_maps(name):
    expected = values.tensors() if name == "types" else values.legacy_tensors()
    reader = tf.train.NewCheckpointReader(str(FIXTURES / name))
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    for key, value in expected.items():
        assert reader.has_tensor(key) and reader.has_tensor(key.encode())
        assert shapes[key] == list(np.shape(value))
        assert types[key] is tf.as_dtype(np.asarray(value).dtype)
    assert shapes.keys() == types.keys() and not reader.has_tensor("missing")


def test_values_and_text():
    reader = tf.train.NewCheckpointReader(str(FIXTURES / "parts"))
    np.testing.assert_array_equal(reader.get_tensor("rows"), values.FULL)
    assert reader.debug_string() == b"columns (DT_FLOAT) [6,10]\nrows (DT_FLOAT) [6,10]\n"
    with pytest.raises(tf.errors.NotFoundError, match="Key none not found in checkpoint .*parts"):
        reader.get_tensor("none")
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.NewCheckpointReader("/none")
