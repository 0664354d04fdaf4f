"""TensorValue: from and to NumPy and DLPack, for every type."""

import gc
import sys
import weakref

import ml_dtypes
import numpy as np
import pytest
from tfcore.core.memory.tensor import TensorValue

import tfcore as tf

NUMBERS = [
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool", "complex64",
    "complex128",
]  # fmt: skip
SHAPES = [(), (1,), (3,), (0,), (2, 3), (2, 0, 3), (5, 40), (1, 2, 1, 2, 1, 2, 1, 2), (1,) * 8]


def array_of(name, shape):
    dtype = np.dtype(getattr(tf, name).as_numpy_dtype)
    return (np.arange(int(np.prod(shape, dtype=int))) % 5).reshape(shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NUMBERS)
def test_numpy_both_ways(name, shape):
    array = array_of(name, shape)
    value = TensorValue.from_numpy(array)
    assert value.dtype is getattr(tf, name) and value.shape == shape and value.nbytes == array.nbytes
    for back in (value.numpy(), np.asarray(value)):
        assert back.dtype == array.dtype and np.shape(back) == shape
        assert back.tobytes() == array.tobytes()
    assert repr(value) == f"TensorValue(shape={shape}, dtype={name})"


@pytest.mark.parametrize("name", NUMBERS)
def test_layouts(name):
    base = array_of(name, (4, 6))
    swapped = base.astype(base.dtype.newbyteorder(">")) if base.dtype.kind not in "V" and name != "bfloat16" else base
    read_only = base.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(base.dtype).reshape(base.shape)
    for array in (
        base.T,
        base[::-1],
        base[:, ::-2],
        base[1:3, 2:5],
        np.asfortranarray(base),
        swapped,
        read_only,
        unaligned,
        np.broadcast_to(base[0], (3, 6)),
    ):
        got = TensorValue.from_numpy(array).numpy()
        np.testing.assert_array_equal(got, array)
        assert got.dtype == base.dtype and got.flags.c_contiguous


def test_the_copy_is_a_copy():
    array = np.arange(1000.0)
    value = TensorValue.from_numpy(array)
    array[:] = 0
    back = value.numpy()
    assert back[5] == 5
    back[:] = -1
    assert value.numpy()[5] == 5


def test_conversion_on_the_way():
    value = TensorValue.from_numpy(np.array([1.5, 2.5]), tf.bfloat16)
    assert value.dtype is tf.bfloat16 and value.numpy().dtype == ml_dtypes.bfloat16
    assert TensorValue.from_numpy([1, 2], tf.float32).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2), (1,) * 8])
def test_strings(shape):
    array = np.empty(shape, object)
    flat = [b"", b"a\0b", "é", b"x" * 1000][: array.size] + [b"y"] * max(0, array.size - 4)
    array[...] = np.array(flat, object).reshape(shape) if array.size else array
    value = TensorValue.from_numpy(array, tf.string)
    want = [s.encode() if isinstance(s, str) else s for s in array.ravel()]
    assert value.dtype is tf.string and value.shape == shape
    assert np.array(value.numpy(), dtype=object).ravel().tolist() == want


def test_fixed_width_strings():
    assert TensorValue.from_numpy(np.array([b"ab", b"c"])).numpy().tolist() == [b"ab", b"c"]
    assert TensorValue.from_numpy(np.array(["ab", "é"])).numpy().tolist() == [b"ab", "é".encode()]


@pytest.mark.parametrize("bad", [np.array([1, None], object), np.zeros(3, "M8[s]"), np.zeros(2, [("a", "i4")])])
def test_arrays_that_are_no_tensors(bad):
    with pytest.raises((TypeError, ValueError)):
        TensorValue.from_numpy(bad)


def test_rank_21():
    with pytest.raises(tf.errors.UnimplementedError, match="rank 21"):
        TensorValue.from_numpy(np.zeros([1] * 21))


# ---- DLPack


@pytest.mark.parametrize("name", [n for n in NUMBERS if n != "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_export(name, shape):
    array = array_of(name, shape)
    value = TensorValue.from_numpy(array)
    assert value.__dlpack_device__() == (1, 0)
    got = np.from_dlpack(value)
    assert got.dtype == array.dtype and got.shape == shape
    np.testing.assert_array_equal(got, array)
    del value
    gc.collect()
    np.testing.assert_array_equal(got, array)  # the memory lives as long as the view


@pytest.mark.parametrize("name", [n for n in NUMBERS if n != "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_import(name, shape):
    array = array_of(name, shape)
    value = TensorValue.from_dlpack(array)
    assert value.dtype is getattr(tf, name) and value.shape == shape
    np.testing.assert_array_equal(value.numpy(), array)


def test_bfloat16_between_tensor_values():
    value = TensorValue.from_numpy(array_of("bfloat16", (2, 3)))
    again = TensorValue.from_dlpack(value)
    assert again.dtype is tf.bfloat16
    np.testing.assert_array_equal(again.numpy(), value.numpy())


def test_import_shares_memory_and_state_does_not():
    array = np.zeros(1000, np.float32)
    value = TensorValue.from_dlpack(array)
    array[3] = 7
    assert value.numpy()[3] == 7
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        v = tf.Variable(tf.zeros([1000]))
        session.run(tf.assign(v, x), {x: value})
        array[3] = 99
        assert session.run(v)[3] == 7


def test_imported_memory_is_let_go():
    class Array(np.ndarray):
        pass

    array = np.zeros(100, np.float32).view(Array)
    ref = weakref.ref(array)
    value = TensorValue.from_dlpack(array)
    del array
    gc.collect()
    assert value.numpy()[0] == 0
    del value
    gc.collect()
    assert ref() is None


def test_an_unused_capsule_frees_its_tensor():
    from tfcore.core.runtime import memory_stats

    before = memory_stats()["bytes_in_use"]
    for _ in range(50):
        TensorValue.from_numpy(np.zeros(100_000)).__dlpack__()
    gc.collect()
    assert memory_stats()["bytes_in_use"] <= before


def test_what_dlpack_can_not_do():
    with pytest.raises(ValueError, match="string"):
        TensorValue.from_numpy(np.array([b"a"])).__dlpack__()
    with pytest.raises(ValueError, match="not dense in row-major order"):
        TensorValue.from_dlpack(np.zeros([3, 4], np.float32).T)
    for kind, error in [(10, ValueError), (2, tf.errors.InvalidArgumentError)]:

        class OnDevice:
            def __dlpack_device__(self, kind=kind):
                return (kind, 99)

            def __dlpack__(self):
                raise AssertionError

        with pytest.raises(error, match="CUDA device"):
            TensorValue.from_dlpack(OnDevice())
    with pytest.raises((TypeError, ValueError, AttributeError)):
        TensorValue.from_dlpack(object())


def test_versions():
    array = np.arange(6.0).reshape(2, 3)
    array.flags.writeable = False  # which NumPy exports by version 1 only
    value = TensorValue.from_dlpack(array)
    assert value.numpy().tolist() == array.tolist()
    for version in (None, (0, 8), (1, 0), (2, 0)):
        capsule = value.__dlpack__(max_version=version)
        assert ('"dltensor_versioned"' in repr(capsule)) == (version is not None and version[0] >= 1)
        again = TensorValue.from_dlpack(capsule)
        assert again.numpy().tolist() == array.tolist()
        with pytest.raises(ValueError):
            TensorValue.from_dlpack(capsule)
    assert not np.from_dlpack(value).flags.writeable
    references = sys.getrefcount(array)
    del value, again, capsule
    gc.collect()
    assert sys.getrefcount(array) < references


def test_a_capsule_is_used_once():
    capsule = np.arange(3.0).__dlpack__()
    assert TensorValue.from_dlpack(capsule).numpy().tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        TensorValue.from_dlpack(capsule)
