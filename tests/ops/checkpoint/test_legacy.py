"""Files of the first format: values, slices, several files by a pattern, errors."""

import os

import numpy as np
import pytest

import tfcore as tf
from tests.fixtures.checkpoints import values
from tests.ops.checkpoint.test_checkpoint import FOLDER, assert_same, run, type_of


def save(path, pairs, specs=None):
    names, given = [name for name, _ in pairs], [tf.constant(value) for _, value in pairs]
    if specs is None:
        return tf.raw_ops.Save(filename=str(path), tensor_names=names, data=given)
    return tf.raw_ops.SaveSlices(filename=str(path), tensor_names=names, shapes_and_slices=specs, data=given)


def restore(path, name, dtype, spec=None):
    if spec is None:
        return run(lambda: tf.raw_ops.Restore(file_pattern=str(path), tensor_name=name, dt=dtype))
    return run(
        lambda: tf.raw_ops.RestoreSlice(file_pattern=str(path), tensor_name=name, shape_and_slice=spec, dt=dtype)
    )


def test_values_come_back(tmp_path):
    pairs = sorted(values.legacy_tensors().items())
    run(lambda: save(tmp_path / "m", pairs))
    assert os.listdir(tmp_path) == ["m"]
    for name, value in pairs:
        assert_same(restore(tmp_path / "m", name, type_of(value)), value)


def test_tensorflow_s_file_is_restored():
    for name, value in values.legacy_tensors().items():
        assert_same(restore(f"{FOLDER}/legacy", name, type_of(value)), value)


def test_slices(tmp_path):
    """In two files, which a pattern finds."""
    pieces = [("m-00000-of-00002", values.FULL[:2], "0,2"), ("m-00001-of-00002", values.FULL[2:], "2,4")]
    for file, value, rows in pieces:
        run(lambda: save(tmp_path / file, [("x", value)], [f"6 10 {rows}:-"]))  # noqa: B023
    assert_same(restore(tmp_path / "m-?????-of-00002", "x", tf.float32), values.FULL)
    part = restore(tmp_path / "m-?????-of-00002", "x", tf.float32, "6 10 1,3:4,2")
    assert_same(part, values.FULL[1:4, 4:6])
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor 'x': Does not have sufficient slices"):
        restore(tmp_path / "m-00000-of-00002", "x", tf.float32)
    assert_same(restore(tmp_path / "m-00000-of-00002", "x", tf.float32, "6 10 0,1:-"), values.FULL[:1])


def test_a_slice_as_long_as_a_piece_elsewhere(tmp_path):
    """What is asked for has the size of the second piece, and only a part of its elements."""
    for text in (False, True):
        whole = np.array([b"a", b"", b"c\0", b"d" * 300], object) if text else np.arange(4, dtype=np.float32)
        cuts = [(0, 1), (1, 3), (3, 4)]
        pairs = [("x", whole[a:b]) for a, b in cuts]
        run(lambda: save(tmp_path / "m", pairs, [f"4 {a},{b - a}" for a, b in cuts]))  # noqa: B023
        for first in range(3):
            part = restore(tmp_path / "m", "x", type_of(whole), f"4 {first},2")
            assert_same(part, whole[first : first + 2])


def test_errors(tmp_path):
    run(lambda: save(tmp_path / "m", [("x", np.float32(1))]))
    with pytest.raises(tf.errors.NotFoundError, match='Tensor name "y" not found in checkpoint files .*m'):
        restore(tmp_path / "m", "y", tf.float32)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for .*none"):
        restore(tmp_path / "none", "x", tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype flo"):
        restore(tmp_path / "m", "x", tf.int32)
    with pytest.raises(tf.errors.UnimplementedError, match="Saving data type uint64 not yet supported"):
        run(lambda: save(tmp_path / "n", [("x", np.uint64(1))]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Adding duplicate key: x"):
        run(lambda: save(tmp_path / "n", [("x", np.float32(1)), ("x", np.float32(2))]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="contains 1 names, but received 4 inputs"):
        run(
            lambda: tf.raw_ops.Save(
                filename=f"{tmp_path}/n", tensor_names=tf.placeholder_with_default(["x"], None), data=[1.0, 2.0]
            )
        )
    assert os.listdir(tmp_path) == ["m"]
