"""Datasets of the records of files."""

import gzip
import zlib

import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tfcore.core.registry import statistics


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


# ---- Damage

RECORDS = [b"record %d" % i for i in range(6)]
SIZE = 12 + 8 + 4


def damaged_file(path, *offsets, cut=0, compress=bytes):
    """Writes RECORDS to a file of which some bytes are wrong and the last `cut` ones are missing."""
    with tf.python_io.TFRecordWriter(path) as writer:
        for record in RECORDS:
            writer.write(record)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for offset in offsets:
        data[offset] ^= 1
    with open(path, "wb") as file:
        file.write(compress(bytes(data[: len(data) - cut])))
    return path


DAMAGE = [
    ({}, RECORDS, 0, ""),
    ({"offsets": [14]}, RECORDS[1:], 1, "left out 1 damaged record of file '{}'\n"),
    (
        {"offsets": [SIZE + 21, 2 * SIZE + 12]},
        [RECORDS[0], *RECORDS[3:]],
        2,
        "left out 2 damaged records of file '{}'\n",
    ),
    (
        {"offsets": [SIZE + 12, 3 * SIZE]},
        [RECORDS[0], RECORDS[2]],
        2,
        "left out 2 damaged records of file '{}' and what follows the last one\n",
    ),
    ({"cut": 1}, RECORDS[:5], 1, "left out 1 damaged record of file '{}' and what follows"),
    ({"offsets": [5 * SIZE + 20]}, RECORDS[:5], 1, "left out 1 damaged record of file '{}'\n"),
]


@pytest.mark.parametrize(("damage", "left", "count", "text"), DAMAGE)
def test_damaged_records_are_left_out(tmp_path, capfd, damage, left, count, text):
    path = damaged_file(str(tmp_path / "records"), *damage.get("offsets", []), cut=damage.get("cut", 0))
    value = tf.data.TFRecordDataset([path, path], skip_damaged=True).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert rest(sess, value) == 2 * left
        assert statistics.stages()[0]["counts"]["damaged"] == 2 * count
    err = capfd.readouterr().err
    assert err.count(text.format(path)) == 2 if text else err == ""
    if damage:
        with pytest.raises(tf.errors.DataLossError):
            run(tf.data.TFRecordDataset(path))


def test_damage_of_a_compressed_file_ends_it(tmp_path, capfd):
    path = damaged_file(str(tmp_path / "records"), SIZE + 14, compress=gzip.compress)
    assert run(tf.data.TFRecordDataset(path, "GZIP", skip_damaged=True)) == [RECORDS[0], *RECORDS[2:]]
    with open(path, "r+b") as file:
        file.truncate((tmp_path / "records").stat().st_size - 20)
    left = run(tf.data.TFRecordDataset(path, "GZIP", skip_damaged=True))
    assert left == [RECORDS[0], *RECORDS[2:]][: len(left)] and 0 < len(left) < 5
    assert "and what follows the last one" in capfd.readouterr().err


def test_a_file_that_is_missing_is_an_error_all_the_same():
    with pytest.raises(tf.errors.NotFoundError):
        run(tf.data.TFRecordDataset("missing", skip_damaged=True))


@pytest.mark.parametrize("logs", [False, True])
def test_elements_that_fail_are_counted_and_shown(capfd, logs):
    failing = tf.data.Dataset.range(40).map(lambda x: x // (x // 20))
    value = failing.apply(tf.data.experimental.ignore_errors(log_warning=logs)).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert rest(sess, value) == list(range(20, 40))
        assert statistics.stages()[0]["counts"]["damaged"] == 20
    lines = capfd.readouterr().err.splitlines()
    lines = [line for line in lines if line.startswith("tfcore: left out an element, number ")]
    numbers = [int(line.split()[6]) for line in lines]
    assert numbers == ([1, 2, 3, 4, 5, 6, 7, 8, 16] if logs else [])
    assert all("division by zero" in line for line in lines)
