"""TFRecordWriter of tf.data."""

import pytest

import tfcore as tf

TFRecordWriter = tf.data.experimental.TFRecordWriter


@pytest.fixture(autouse=True)
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def read(path, compression="NONE"):
    kind = getattr(tf.python_io.TFRecordCompressionType, compression)
    return list(tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(kind)))


@pytest.mark.parametrize("compression", [None, "", "ZLIB", "GZIP"])
def test_elements_become_records(sess, tmp_path, compression):
    path = str(tmp_path / "file")
    values = [b"", b"\0\xff", b"x" * 5000]
    write = TFRecordWriter(path, compression).write(tf.data.Dataset.from_tensor_slices(values))
    assert isinstance(write, tf.Operation)
    for _ in range(2):  # each run writes the whole file again
        assert sess.run(write) is None
        assert read(path, compression or "NONE") == values


def test_an_empty_dataset(sess, tmp_path):
    path = str(tmp_path / "file")
    sess.run(TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a"]).take(0)))
    assert read(path) == []


def test_the_path_may_be_fed(sess, tmp_path):
    path, kind = tf.placeholder(tf.string, []), tf.placeholder(tf.string, [])
    write = TFRecordWriter(path, kind).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    for name, compression in (("one", ""), ("two", "GZIP")):
        sess.run(write, {path: str(tmp_path / name), kind: compression})
        assert read(str(tmp_path / name), compression or "NONE") == [b"a", b"b"]


def test_a_dataset_that_fails(sess, tmp_path):
    path = str(tmp_path / "file")
    fed = tf.placeholder(tf.bool, [])

    def check(x):
        return tf.as_string(tf.cond(tf.logical_or(x < 2, fed), lambda: x, lambda: x // 0))

    write = TFRecordWriter(path).write(tf.data.Dataset.range(4).map(check))
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(write, {fed: False})
    sess.run(write, {fed: True})
    assert read(path) == [b"0", b"1", b"2", b"3"]


def test_wrong_arguments(sess, tmp_path):
    writer = TFRecordWriter(str(tmp_path / "no" / "file"))
    with pytest.raises(TypeError, match="`dataset` must be a `tf.data.Dataset` object."):
        writer.write(tf.constant("a"))
    for dataset in (
        tf.data.Dataset.range(3),
        tf.data.Dataset.from_tensors(["a"]),
        tf.data.Dataset.from_tensors(("a", "b")),
    ):
        with pytest.raises(TypeError, match="must produce scalar `DT_STRING` tensors"):
            writer.write(dataset)
    with pytest.raises(tf.errors.NotFoundError, match="no/file; No such file or directory"):
        sess.run(writer.write(tf.data.Dataset.from_tensors("a")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="SNAPPY"):
        sess.run(TFRecordWriter(str(tmp_path / "x"), "SNAPPY").write(tf.data.Dataset.from_tensors("a")))
