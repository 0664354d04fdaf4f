"""Datasets of the records of files."""

import gzip
import zlib

import pytest

import tfcore as tf
from tests.data.test_pipelines import rest


def run(dataset):
    with tf.Session() as sess:
        return rest(sess, dataset.make_one_shot_iterator().get_next())


@pytest.fixture
def names(tmp_path):
    """Two files of lines; the second one without a line end."""
    contents = {"a": b"one\r\ntwo\n\n", "b": b"three\nfour"}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    return [str(tmp_path / name) for name in contents]


LINES = [b"one", b"two", b"", b"three", b"four"]


def test_lines(names):
    assert run(tf.data.TextLineDataset(names)) == LINES
    assert run(tf.data.TextLineDataset(names[1])) == LINES[3:]
    assert run(tf.data.TextLineDataset([n + ".gz" for n in names], "GZIP", buffer_size=7)) == LINES
    assert run(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(names))) == LINES
    assert run(tf.data.TextLineDataset(names, num_parallel_reads=2)) == [b"one", b"three", b"two", b"four", b""]


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_records(tmp_path, kind):
    path, records = str(tmp_path / "records"), [b"", b"x", bytes(100_000)]
    with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(kind)) as writer:
        for record in records:
            writer.write(record)
    assert run(tf.data.TFRecordDataset([path, path], kind)) == 2 * records


def test_pieces(tmp_path):
    path = tmp_path / "pieces"
    path.write_bytes(b"HEADaabbccFOO")
    (tmp_path / "pieces.z").write_bytes(zlib.compress(b"HEADaabbccFOO"))
    assert run(tf.data.FixedLengthRecordDataset(str(path), 2, 4, 3)) == [b"aa", b"bb", b"cc"]
    assert run(tf.data.FixedLengthRecordDataset(f"{path}.z", 2, 4, 3, compression_type="ZLIB")) == [b"aa", b"bb", b"cc"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="body length 6 bytes, which is not an exact multiple"):
        run(tf.data.FixedLengthRecordDataset(str(path), 4, 4, 3))
    old = tf.raw_ops.FixedLengthRecordDataset(
        filenames=str(path), header_bytes=4, record_bytes=3, footer_bytes=3, buffer_size=0
    )
    element = {"output_types": [tf.string], "output_shapes": [tf.TensorShape([])]}
    handle = tf.raw_ops.IteratorV2(shared_name="", container="", **element)
    value = tf.raw_ops.IteratorGetNext(iterator=handle, **element)[0]
    with tf.Session() as sess:
        sess.run(tf.raw_ops.MakeIterator(dataset=old, iterator=handle))
        assert rest(sess, value) == [b"aab", b"bcc"]


def test_after_a_broken_record_comes_the_next_file(tmp_path):
    path = tmp_path / "records"
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        writer.write(b"one")
        writer.write(b"two")
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    broken = tmp_path / "broken"
    broken.write_bytes(data)
    value = tf.data.TFRecordDataset([str(broken), str(path)]).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert sess.run(value) == b"one"
        with pytest.raises(tf.errors.DataLossError, match="broken"):
            sess.run(value)
        assert rest(sess, value) == [b"one", b"two"]


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="missing"):
        run(tf.data.TextLineDataset(str(tmp_path / "missing")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type: BZIP"):
        run(tf.data.TextLineDataset(str(tmp_path / "missing"), "BZIP"))


def test_files_that_match(tmp_path, names):
    found = tf.data.Dataset.list_files(str(tmp_path / "?"), shuffle=False)
    assert [n.decode() for n in run(found)] == names
    mixed = tf.data.Dataset.list_files(str(tmp_path / "*"), seed=1)
    assert sorted(run(mixed)) == sorted(f"{n}{end}".encode() for n in names for end in ("", ".gz"))
    iterator = tf.data.Dataset.list_files(str(tmp_path / "none*")).make_initializable_iterator()
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        sess.run(iterator.initializer)
