"""ImmutableConst: tensors from the bytes of files."""

import numpy as np
import pytest

import tfcore as tf

NUMBERS = np.arange(6, dtype=np.float32)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "region").write_bytes(NUMBERS.tobytes())
    return str(tmp_path / "region")


def _read(path, dtype=tf.float32, shape=(2, 3)):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.raw_ops.ImmutableConst(dtype=dtype, shape=shape, memory_region_name=path))


def test_the_elements_are_the_bytes_of_the_file(path):
    np.testing.assert_array_equal(_read(path), NUMBERS.reshape(2, 3))
    np.testing.assert_array_equal(_read("file://" + path, shape=[3]), NUMBERS[:3])
    np.testing.assert_array_equal(_read(path, tf.int16, [12]), NUMBERS.view(np.int16))
    assert _read(path, shape=[0]).shape == (0,) and _read(path, shape=None) == 0


def test_the_file_is_read_in_each_run(path):
    first = tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[], memory_region_name=path)
    total = first + 1.0
    with tf.Session() as session:
        assert session.run(total) == 1
        with open(path, "r+b") as file:
            file.write(np.float32(7).tobytes())
        assert session.run(total) == 8


@pytest.mark.parametrize(
    "changes, error, text",
    [
        ({"shape": [2, 4]}, "Internal", r"wrong length \(24\) when allocating 32"),
        ({"shape": [2**40, 2**40]}, "InvalidArgument", "is not fully defined"),
        ({"shape": [None]}, "InvalidArgument", r"Shape \[\?\] is not fully defined"),
        ({"dtype": tf.string}, "Unimplemented", "DT_STRING is not currently supported for ImmutableConstOp."),
        ({"dtype": tf.resource}, "InvalidArgument", "Resource and variant dtypes are invalid for this op."),
        ({"path": "/no/such/file"}, "NotFound", "/no/such/file; No such file or directory"),
        ({"path": "/tmp"}, "NotFound", "/tmp; No such device"),
        ({"path": "a\0b"}, "InvalidArgument", "null character"),
    ],
)
def test_refusals(path, changes, error, text):
    with pytest.raises(getattr(tf.errors, error + "Error"), match=text):
        _read(**{"path": path, **changes})


def test_empty_files(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty; Invalid argument"):
        _read(str(tmp_path / "empty"), shape=[0])
