"""Tensor arrays of TensorFlow before 1.0, whose handles were strings or references to strings."""

import numpy as np
import pytest

import tfcore as tf

R = tf.raw_ops
_INVALID = tf.errors.InvalidArgumentError


class Old:
    """The operations of one old version, by their names."""

    def __init__(self, version):
        self._version = version

    def __getattr__(self, kind):
        return getattr(R, f"TensorArray{kind}{self._version}")

    def make(self, size, **options):
        return getattr(R, "TensorArray" + self._version)(size=size, dtype=tf.float64, **options)


@pytest.mark.parametrize("version", ["", "V2"])
def test_arrays_of_the_first_releases(version):
    old = Old(version)
    with tf.Graph().as_default(), tf.Session() as session:
        h = old.make(3, clear_after_read=False, tensor_array_name="box")
        assert h.dtype.base_dtype is tf.string and h.shape.as_list() == [2]
        f = old.Write(handle=h, index=0, value=np.array([1.0, 2.0]), flow_in=0.0)
        f = old.Scatter(handle=h, indices=[2, 1], value=np.array([[5.0, 6.0], [3.0, 4.0]]), flow_in=f)
        parts = [
            old.Read(handle=h, index=1, flow_in=f, dtype=tf.float64),
            old.Gather(handle=h, indices=[2, 0], flow_in=f, dtype=tf.float64),
            old.Concat(handle=h, flow_in=f, dtype=tf.float64).value,
            old.Size(handle=h, flow_in=f),
        ]
        read, rows, joined, size = session.run(parts)
        assert read.tolist() == [3, 4] and rows.tolist() == [[5, 6], [1, 2]] and size == 3
        assert joined.tolist() == [1, 2, 3, 4, 5, 6]
        other = old.make(2)
        f = old.Split(handle=other, value=joined, lengths=np.array([2, 4]), flow_in=0.0)
        assert session.run(old.Read(handle=other, index=1, flow_in=f, dtype=tf.float64)).tolist() == [3, 4, 5, 6]
        with (
            tf.control_dependencies([old.Close(handle=h)]),
            pytest.raises(_INVALID, match=r"box_\d+ has already been closed"),
        ):
            session.run(old.Size(handle=h, flow_in=0.0))
        if not version:
            third = old.make(3)
            f = R.TensorArrayUnpack(handle=third, value=rows[:, :1].repeat(2, 1)[[0, 1, 1]], flow_in=0.0)
            packed = R.TensorArrayPack(handle=third, flow_in=f, dtype=tf.float64)
            assert session.run(packed).tolist() == [[5, 5], [1, 1], [1, 1]]


@pytest.mark.parametrize("version", ["", "V2"])
def test_gradients_of_arrays_of_the_first_releases(version):
    """Through each kind of operation, and one array in a loop, to which its handle goes as an invariant."""
    old = Old(version)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [3, 2])
        a, b, c = (old.make(3, clear_after_read=False) for _ in range(3))
        f = old.Scatter(handle=a, indices=[0, 1, 2], value=x, flow_in=0.0)

        def body(i, f_b):
            row = old.Read(handle=a, index=i, flow_in=f, dtype=tf.float64)
            return i + 1, old.Write(handle=b, index=i, value=row * row, flow_in=f_b)

        _, f = tf.while_loop(lambda i, _: i < 3, body, (0, tf.constant(0.0)))
        rows = old.Gather(handle=b, indices=[2, 1, 0], flow_in=f, dtype=tf.float64)
        f = old.Split(handle=c, value=rows, lengths=np.array([1, 0, 2]), flow_in=0.0)
        y = old.Concat(handle=c, flow_in=f, dtype=tf.float64).value * np.array([[1.0], [2.0], [3.0]])
        value = np.arange(6.0).reshape(3, 2)
        got, dx = session.run([y, tf.gradients(y, x)[0]], {x: value})
        weights = np.array([[3.0], [2.0], [1.0]])
        np.testing.assert_allclose(got, (value**2 * weights)[::-1])
        np.testing.assert_allclose(dx, 2 * value * weights)


def test_handles_that_were_strings_are_none_here():
    with tf.Graph().as_default(), tf.Session() as session:
        handle = Old("V2").make(3)
        with pytest.raises(_INVALID, match="can only be used by operations of TensorArrays"):
            session.run(handle)
        with pytest.raises(_INVALID, match=r"can only be used by operations of TensorArrays, not by StringJoin"):
            session.run(tf.string_join([handle, handle]))
