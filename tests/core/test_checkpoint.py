"""Checkpoint files are read as they are: by TensorFlow's fixtures, by checksums, and when they are damaged."""

import os
import pathlib
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tfcore.core.registry.checkpoint import CheckpointFile, crc32c, crc32c_combine

import tfcore as tf
from tests.fixtures.checkpoints import values

FIXTURES = pathlib.Path(values.__file__).parent


def opened(name):
    return CheckpointFile(os.fsencode(FIXTURES / name))


def assert_same(value, expected):
    expected = np.asarray(expected)
    value = np.asarray(value, object if expected.dtype == object else None)
    assert value.dtype == expected.dtype and value.shape == expected.shape
    if expected.dtype == object:
        assert value.tolist() == expected.tolist()
    else:
        assert value.tobytes() == expected.tobytes()


def test_all_types_of_tensorflow():
    file = opened("types")
    expected = values.tensors()
    assert {name for name, *_ in file.tensors()} == {*expected, "bfloat16"}
    for name, value in expected.items():
        assert name in file
        assert_same(file.read(name), value)
    bits = file.read("bfloat16")
    assert bits.dtype == tf.bfloat16.as_numpy_dtype
    assert bits.view(np.uint16).tolist() == values.bfloat16_bits().tolist()


def test_slices_of_tensorflow():
    file = opened("parts")
    assert file.tensors() == [("columns", 1, (6, 10), 2), ("rows", 1, (6, 10), 2)]
    assert_same(file.read("rows"), values.FULL)
    assert_same(file.read("columns"), values.FULL)


def test_first_format_of_tensorflow():
    file = opened("legacy")
    for name, value in values.legacy_tensors().items():
        assert_same(file.read(name), value)
    assert_same(file.read("rows"), values.FULL)


def test_shards_of_tensorflow():
    one, several = opened("trained-3"), opened("sharded")
    with np.load(FIXTURES / "trained.npz") as trained:
        for name, _, _, slices in one.tensors():
            assert_same(one.read(name), several.read(name))
            if not slices:
                assert_same(one.read(name), trained[name])
        parts = [trained[f"model/weights/part_{i}"] for i in range(2)]
    assert_same(one.read("model/weights"), np.concatenate(parts))


def test_no_such_checkpoint(tmp_path):
    path = os.fsencode(tmp_path / "none")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for .*none"):
        CheckpointFile(path)
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs' not implemented"):
        CheckpointFile(b"gs://bucket/model")
    with pytest.raises(tf.errors.InvalidArgumentError, match="null character"):
        CheckpointFile(b"a\0b")
    with pytest.raises(KeyError):
        opened("types").read("missing")


# ---- Damage


def copied(name, folder):
    for path in FIXTURES.glob(name + "*"):
        shutil.copy(path, folder / path.name)
    return os.fsencode(folder / name)


def read_all(prefix):
    file = CheckpointFile(prefix)
    return {name: file.read(name) for name, *_ in file.tensors()}


def flipped(path, at, bit):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


@pytest.mark.parametrize("file", ["types.index", "types.data-00000-of-00001", "legacy", "parts.index"])
def test_every_flipped_bit_is_noticed(file, tmp_path):
    """Each byte of a file counts, except for a few of the footer that mean nothing, and gaps that nobody reads."""
    name = file.partition(".")[0]
    prefix = copied(name, tmp_path)
    expected = read_all(prefix)
    path = tmp_path / file
    original = path.read_bytes()
    unnoticed = []
    for at in range(0, len(original), 3):
        flipped(path, at, at % 8)
        try:
            found = read_all(prefix)
        except tf.errors.OpError as error:
            assert isinstance(error, (tf.errors.DataLossError, tf.errors.NotFoundError)), error
            assert os.fsdecode(prefix) in str(error)
        else:
            unnoticed.append(at)
            for key, value in expected.items():
                assert_same(found[key], value)
        path.write_bytes(original)
    assert len(unnoticed) <= (48 + 13) // 3 + 1, "only in the footer and the metaindex, which means nothing"


@pytest.mark.parametrize("file", ["types.index", "types.data-00000-of-00001", "legacy"])
def test_a_truncated_file_is_an_error(file, tmp_path):
    prefix = copied(file.partition(".")[0], tmp_path)
    path = tmp_path / file
    original = path.read_bytes()
    for size in range(0, len(original), max(1, len(original) // 40)):
        path.write_bytes(original[:size])
        with pytest.raises(tf.errors.DataLossError, match=file):
            read_all(prefix)


def test_errors_of_data_name_file_and_tensor(tmp_path):
    prefix = copied("types", tmp_path)
    data = tmp_path / "types.data-00000-of-00001"
    flipped(data, 2, 3)  # bfloat16 comes first
    with pytest.raises(tf.errors.DataLossError, match=r"types.data-00000-of-00001: tensor 'bfloat16': Checksum"):
        CheckpointFile(prefix).read("bfloat16")
    assert_same(CheckpointFile(prefix).read("scalar"), values.tensors()["scalar"])
    data.unlink()
    with pytest.raises(tf.errors.NotFoundError, match="types.data-00000-of-00001; No such file"):
        CheckpointFile(prefix).read("scalar")


# ---- Checksums


@pytest.mark.parametrize("portable", [False, True])
def test_known_checksums(portable):
    known = {b"": 0, b"123456789": 0xE3069283, bytes(32): 0x8A9136AA, b"\xff" * 32: 0x62A8AB43}
    assert {data: crc32c(data, portable=portable) for data in known} == known


@given(st.integers(0, 2**32 - 1), st.integers(0, 120_000), st.integers(0, 70_000), st.integers(0, 15))
def test_checksums_agree(seed, size, cut, shift):
    data = np.random.default_rng(seed).bytes(size + shift)[shift:]
    whole = crc32c(data)
    assert whole == crc32c(data, portable=True)
    cut = min(cut, size)
    head, tail = data[:cut], data[cut:]
    assert crc32c(tail, crc32c(head)) == crc32c_combine(crc32c(head), crc32c(tail), len(tail)) == whole
