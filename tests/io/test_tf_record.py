"""Files of records without a graph: tf.python_io, event files."""

import os

import pytest

import tfcore as tf


def test_options():
    options = tf.python_io.TFRecordOptions
    kinds = tf.python_io.TFRecordCompressionType
    names = [options.get_compression_type_string(o) for o in (None, "", "GZIP", kinds.NONE, kinds.ZLIB, kinds.GZIP)]
    assert names == ["", "", "GZIP", "", "ZLIB", "GZIP"]
    assert options.get_compression_type_string(options(kinds.ZLIB)) == "ZLIB"
    for wrong in ("gzip", 3, kinds):
        with pytest.raises(ValueError, match="Not a valid compression_type: "):
            options(wrong)
    assert tf.io.TFRecordOptions is options and tf.io.TFRecordWriter is tf.python_io.TFRecordWriter


def test_writer(tmp_path):
    name = str(tmp_path / "r")
    writer = tf.python_io.TFRecordWriter(name)
    writer.write(b"one")
    writer.flush()
    assert list(tf.io.tf_record_iterator(name)) == [b"one"]
    writer.write("ä")
    writer.close()
    writer.close()
    assert list(tf.io.tf_record_iterator(name)) == [b"one", "ä".encode()]
    for call in (lambda: writer.write(b""), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Writer not initialized or previously closed"):
            call()
    with tf.python_io.TFRecordWriter(name) as writer, pytest.raises(TypeError):
        writer.write(3)
    assert os.path.getsize(name) == 0 and list(tf.io.tf_record_iterator(name)) == []
    missing = str(tmp_path / "no" / "file")
    with pytest.raises(tf.errors.NotFoundError, match="no/file; No such file or directory"):
        tf.python_io.TFRecordWriter(missing)
    with pytest.raises(tf.errors.NotFoundError, match="no/file; No such file or directory"):
        tf.io.tf_record_iterator(missing)


def test_bytes_are_those_of_tensorflow(tmp_path):
    """A record that TensorFlow wrote."""
    name = str(tmp_path / "r")
    with tf.python_io.TFRecordWriter(name) as writer:
        writer.write(b"one")
    assert open(name, "rb").read() == bytes.fromhex("0300000000000000b099490e6f6e6501405508")


def test_events_are_read(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])
        writer.add_summary(summary, 7)
    (file,) = tmp_path.iterdir()
    first, second = tf.train.summary_iterator(str(file))
    assert first.file_version == "brain.Event:2"
    assert second.step == 7 and second.summary.value[0].simple_value == 0.5


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk():
    writer = tf.python_io.TFRecordWriter("/dev/full")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left on device"):
        for _ in range(1000):
            writer.write(b"x" * 1000)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left on device"):
        writer.close()
