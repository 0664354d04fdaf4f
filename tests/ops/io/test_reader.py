"""Readers: records of each kind, counts and states, damaged files, and how kernels wait for names of files."""

import gzip
import os
import threading
import time
import zlib

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import tfcore as tf
from tests.data.test_files import DAMAGE, damaged_file


@pytest.fixture(autouse=True)
def graph(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default():
        yield


def written(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def records(name, values, options=None):
    with tf.python_io.TFRecordWriter(name, options) as writer:
        for value in values:
            writer.write(value)
    return name


def queue_of(sess, *names, close=True):
    queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
    if names:
        sess.run(queue.enqueue_many([list(names)]))
    if close:
        sess.run(queue.close())
    return queue


def read_all(sess, reader, *names):
    """All pairs until OutOfRangeError."""
    read, found = reader.read(queue_of(sess, *names)), []
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        while True:
            found.append(tuple(sess.run(read)))
    return found


def test_lines():
    written("a", b"x\ry\r\nline2\n\r\nlast")
    written("empty", b"")
    written("ended", b"one\n\n")
    with tf.Session() as sess:
        assert read_all(sess, tf.TextLineReader(), "a", "empty", "ended") == [
            *((b"a:1", b"x\ry"), (b"a:2", b"line2"), (b"a:3", b""), (b"a:4", b"last")),
            *((b"ended:1", b"one"), (b"ended:2", b"")),
        ]
        assert read_all(sess, tf.TextLineReader(skip_header_lines=3), "a", "ended", "a") == [(b"a:4", b"last")] * 2


@hypothesis.given(st.lists(st.binary(max_size=40).map(lambda s: s.replace(b"\n", b"")), max_size=30), st.integers(0, 9))
@hypothesis.example([b"a", b"b\r"], 0)
@hypothesis.example([b"a\r\r", b"\r"], 0)
@hypothesis.settings(max_examples=20, suppress_health_check=list(hypothesis.HealthCheck))
def test_lines_are_those_of_python(lines, factor):
    """Lines of all lengths, those longer than a buffer included."""
    lines = [line * (factor * 3000 if i % 7 == 0 else 1) for i, line in enumerate(lines)]
    data = b"\n".join(lines)
    expected = data.split(b"\n")
    expected = [line.removesuffix(b"\r") for line in expected]
    if not expected[-1]:
        expected.pop()
    written("lines", data)
    with tf.Graph().as_default(), tf.Session() as sess:
        keys, values = (
            sess.run(tf.TextLineReader().read_up_to(queue_of(sess, "lines", close=False), 1000))
            if expected
            else ([], [])
        )
        assert list(values) == expected
        assert list(keys) == [f"lines:{i + 1}".encode() for i in range(len(expected))]


def test_records_of_a_fixed_length():
    data = bytes(range(18))
    written("a", data)
    with tf.Session() as sess:
        assert read_all(sess, tf.FixedLengthRecordReader(4), "a") == [
            (f"a:{i}".encode(), data[4 * i : 4 * i + 4]) for i in range(4)
        ]
        assert [value for _, value in read_all(sess, tf.FixedLengthRecordReader(4, 1, 2, 6), "a", "a")] == [
            *(data[1:5], data[7:11], data[1:5], data[7:11])
        ]
        assert [value for _, value in read_all(sess, tf.FixedLengthRecordReader(4, 1, 2, 2), "a")] == [
            data[i : i + 4] for i in range(1, 13, 2)
        ]
        for encoding, compressed in (("ZLIB", zlib.compress(data)), ("GZIP", gzip.compress(data))):
            written("c", compressed)
            reader = tf.FixedLengthRecordReader(5, 2, 3, encoding=encoding)
            assert [value for _, value in read_all(sess, reader, "c")] == [data[2:7], data[7:12]]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="file 'a' has 18 bytes, fewer than its header of 19 b"
        ):
            sess.run(tf.FixedLengthRecordReader(4, 19).read(queue_of(sess, "a")))
        for arguments, text in (
            ((0,), "record_bytes must be >= 1 not 0"),
            ((4, -1), "header_bytes must be >= 0 not -1"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                sess.run(tf.FixedLengthRecordReader(*arguments).read(queue_of(sess, "a")))
        with pytest.raises(tf.errors.InvalidArgumentError, match="encoding must be '', 'ZLIB' or 'GZIP' not 'LZ'"):
            sess.run(tf.FixedLengthRecordReader(4, encoding="LZ").read(queue_of(sess, "a")))
        huge = tf.FixedLengthRecordReader(2**63 - 1, footer_bytes=2**63 - 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="records of 9223372036854775807 bytes"):
            sess.run(huge.read(queue_of(sess, "a")))
        assert read_all(sess, tf.FixedLengthRecordReader(2**62), "a") == []


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_records(kind):
    values = [b"one", b"", b"x" * 1_000_000, os.urandom(300_000), *(str(i).encode() for i in range(1000))]
    records("r", values, tf.python_io.TFRecordOptions(kind))
    with tf.Session() as sess:
        reader = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(kind))
        found = read_all(sess, reader, "r", "r")
        assert [value for _, value in found] == values * 2
        offset = 0
        for (key, _), value in zip(found, values):
            assert key == f"r:{offset}".encode()
            offset += len(value) + 16
    if kind == "GZIP":
        written("two", open("r", "rb").read() * 2)
        assert list(tf.python_io.tf_record_iterator("two", "GZIP")) == values * 2


def damaged(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "data, text",
    [
        (lambda d: d[:-3], "truncated record at 19 in file 'r'"),
        (lambda d: d[:25], "truncated record at 19 in file 'r'"),
        (lambda d: damaged(d, 31), "corrupted record at 31 in file 'r'"),
        (lambda d: damaged(d, 36), "corrupted record at 31 in file 'r'"),
        (lambda d: damaged(d, 19), r"corrupted record at 19 \(Is this even a TFRecord file\?\) in file 'r'"),
    ],
)
def test_damaged_records(data, text):
    records("r", [b"one", b"two"])
    written("r", data(open("r", "rb").read()))
    with tf.Session() as sess:
        reader = tf.TFRecordReader()
        read = reader.read(queue_of(sess, "r"))
        assert sess.run(read)[1] == b"one"
        for _ in range(2):  # the reader stays where it is
            with pytest.raises(tf.errors.DataLossError, match=text):
                sess.run(read)
        # Those before a damaged one are not lost.
        many = tf.TFRecordReader().read_up_to(queue_of(sess, "r"), 10)
        assert sess.run(many)[1].tolist() == [b"one"]
        with pytest.raises(tf.errors.DataLossError, match=text):
            sess.run(many)
    iterator = tf.python_io.tf_record_iterator("r")
    assert next(iterator) == b"one"
    with pytest.raises(tf.errors.DataLossError, match=text):
        next(iterator)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(("damage", "left", "count", "text"), DAMAGE)
def test_damaged_records_are_left_out(tmp_path, capfd, many, damage, left, count, text):
    path = damaged_file(str(tmp_path / "records"), *damage.get("offsets", []), cut=damage.get("cut", 0))
    reader, found = tf.TFRecordReader(skip_damaged=True), []
    with tf.Session() as sess:
        queue = queue_of(sess, path, path)
        read = (reader.read_up_to(queue, 4) if many else reader.read(queue))[1]
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found += list(sess.run(read)) if many else [sess.run(read)]
        assert found == 2 * left
        assert sess.run([reader.num_records_produced(), reader.num_records_damaged()]) == [2 * len(left), 2 * count]
    assert capfd.readouterr().err.count(text.format(path)) == 2 or not text


def test_a_length_that_lies_allocates_nothing():
    length = (2**62).to_bytes(8, "little")
    record = length + tf_checksum(length) + b"x"
    written("r", record)
    with tf.Session() as sess, pytest.raises(tf.errors.DataLossError, match="truncated record at 0 in file 'r'"):
        sess.run(tf.TFRecordReader().read(queue_of(sess, "r")))


def tf_checksum(data):
    from tfcore.core.registry.checkpoint import crc32c

    crc = crc32c(data)
    return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_damaged_compression(kind):
    """Each byte of a compressed file matters, but for a few of gzip's header."""
    records("r", [b"one" * 50, b"two"], kind)
    good = open("r", "rb").read()
    for at in range(2, len(good)):
        for data in (good[:at], damaged(good, at)):
            if kind == "GZIP" and 3 <= at < 10 and len(data) == len(good):
                continue
            written("r", data)
            with pytest.raises(tf.errors.DataLossError, match=r"in file 'r'|of what file 'r' expands to"):
                list(tf.python_io.tf_record_iterator("r", kind))
    written("r", b"plain text")
    text = f"inflate.. failed: the data does not begin with a header of {kind.lower()}, at byte 0 of what file 'r' exp"
    with pytest.raises(tf.errors.DataLossError, match=text):
        list(tf.python_io.tf_record_iterator("r", kind))


@hypothesis.given(st.data())
@hypothesis.settings(max_examples=40, suppress_health_check=list(hypothesis.HealthCheck))
def test_expands_what_zlib_compresses(data):
    pieces = st.one_of(st.binary(max_size=300), st.integers(1, 70000).map(lambda n: b"ab\n" * n))
    values = data.draw(st.lists(pieces, max_size=5))
    kind = data.draw(st.sampled_from(["ZLIB", "GZIP"]))
    options = tf.python_io.TFRecordOptions(
        kind,
        compression_level=data.draw(st.integers(0, 9)),
        window_bits=data.draw(st.integers(9, 15)),
        mem_level=data.draw(st.integers(1, 9)),
        compression_strategy=data.draw(st.integers(0, 4)),
    )
    with tf.python_io.TFRecordWriter("z", options) as writer:
        for i, value in enumerate(values):
            writer.write(value)
            writer.flush()
            assert os.path.getsize("z") > i
    assert list(tf.python_io.tf_record_iterator("z", options)) == values


def test_state_is_that_of_tensorflow():
    written("a", b"text")
    written("b", b"")
    states = {}
    with tf.Session() as sess:
        for reader in (tf.WholeFileReader(), tf.IdentityReader()):
            assert reader.supports_serialize
            read, state = reader.read(queue_of(sess, "a", "b")), reader.serialize_state()
            assert sess.run(state) == b""
            value = b"text" if isinstance(reader, tf.WholeFileReader) else b"a"
            assert tuple(sess.run(read)) == (b"a", value)
            states[reader] = sess.run(state)
            assert states[reader] == b'\x08\x01\x10\x01\x18\x01"\x01a'
            sess.run(read)
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(read)
            assert sess.run(state) == b"\x08\x02\x10\x02\x18\x02"
            sess.run(reader.restore_state(states[reader]))
            assert sess.run(state) == states[reader]
            name = f"{type(reader).__name__} '{reader.reader_ref.op.name}': "
            for wrong, text in (
                (b"\x08\x05junk", rf"Could not parse state for {name}\\010\\005junk"),
                (
                    b"\x08\x05\x10\x04",
                    f"Inconsistent work started vs. finished when restoring in {name}5 units started, 4",
                ),
                (
                    b"\x08" + b"\xff" * 9 + b"\x01",
                    f"Unexpected negative value when restoring in {name}-1 units started",
                ),
            ):
                with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                    sess.run(reader.restore_state(wrong))
        for reader in (tf.TextLineReader(), tf.TFRecordReader(), tf.FixedLengthRecordReader(3)):
            assert not reader.supports_serialize
            with pytest.raises(
                tf.errors.UnimplementedError, match=f"Reader SerializeState of a {type(reader).__name__}"
            ):
                sess.run(reader.serialize_state())
            with pytest.raises(tf.errors.UnimplementedError, match="Reader RestoreState"):
                sess.run(reader.restore_state(b""))


def test_read_up_to_ends_with_a_file():
    written("a", b"1\n2\n3\n4\n")
    written("b", b"5\n")
    with tf.Session() as sess:
        reader, count = tf.TextLineReader(), tf.placeholder(tf.int64, [])
        read = reader.read_up_to(queue_of(sess, "a", "b"), count)
        assert [t.shape.as_list() for t in read] == [[None], [None]]
        keys, values = sess.run(read, {count: 3})
        assert keys.tolist() == [b"a:1", b"a:2", b"a:3"] and values.tolist() == [b"1", b"2", b"3"]
        assert sess.run(read, {count: 0})[0].shape == (0,)
        assert sess.run(read, {count: 10})[1].tolist() == [b"4"]
        assert sess.run(read, {count: 10})[1].tolist() == [b"5"]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(read, {count: 10})
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_records must be >= 0 not -1"):
            sess.run(read, {count: -1})


def test_counts_and_reset():
    written("a", b"1\n2\n")
    with tf.Session() as sess:
        reader = tf.TextLineReader()
        read = reader.read(queue_of(sess, "a", "a"))
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        seen = []
        for _ in range(3):
            sess.run(read)
            seen.append(sess.run(counts))
        assert seen == [[1, 0], [2, 0], [3, 1]]
        sess.run(reader.reset())
        assert sess.run(counts) == [0, 0]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(read)


def test_a_missing_file_is_left_out():
    written("a", b"1\n")
    with tf.Session() as sess:
        read = tf.TextLineReader().read(queue_of(sess, "nothing", "a"))
        with pytest.raises(tf.errors.NotFoundError, match="nothing; No such file or directory"):
            sess.run(read)
        assert sess.run(read)[1] == b"1"


def test_queues_of_other_things():
    with tf.Session() as sess:
        for queue, text in (
            (tf.FIFOQueue(9, [tf.string, tf.string]), "Expected single component queue"),
            (tf.FIFOQueue(9, tf.int32), "Expected queue with single string component"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                sess.run(tf.IdentityReader().read(queue))
        queue = tf.FIFOQueue(9, tf.string)
        sess.run(queue.enqueue([["a", "b"]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected to dequeue a one-element string tensor"):
            sess.run(tf.IdentityReader().read(queue))
        with pytest.raises(tf.errors.InvalidArgumentError, match="kind Reader with the handle of a Queue"):
            sess.run(tf.ReaderBase(queue.queue_ref).read(queue))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shared reader 'r' has type"):
            handles = [tf.raw_ops.IdentityReaderV2(shared_name="r"), tf.raw_ops.TextLineReaderV2(shared_name="r")]
            sess.run([tf.ReaderBase(handle).num_records_produced() for handle in handles])


def test_handles_of_tensorflow_1_0():
    written("a", b"12\n34\n")
    records("r", [b"one"])
    raw = tf.raw_ops
    made = {
        "a": raw.WholeFileReader(),
        "l": raw.TextLineReader(skip_header_lines=1),
        "f": raw.FixedLengthRecordReader(record_bytes=3),
        "i": raw.IdentityReader(),
        "r": raw.TFRecordReader(),
    }
    values = {"a": b"12\n34\n", "l": b"34", "f": b"12\n", "i": b"a", "r": b"one"}
    with tf.Session() as sess:
        for name, handle in made.items():
            assert handle.dtype._is_ref_dtype
            reader = tf.ReaderBase(handle)
            queue = raw.FIFOQueue(component_types=[tf.string], shapes=[[]])
            for _ in range(2):
                sess.run(raw.QueueEnqueue(handle=queue, components=["r" if name == "r" else "a"]))
            assert sess.run(reader.read(queue))[1] == values[name]
            assert sess.run(reader.num_records_produced()) == 1
            assert sess.run(reader.num_work_units_completed()) in (0, 1)
            assert sess.run(reader.read_up_to(queue, 1))[1].shape == (1,)
            sess.run(reader.reset())
            if name in "ai":
                sess.run(reader.restore_state(b"\x08\x02\x10\x02"))
                assert sess.run(reader.serialize_state()) == b"\x08\x02\x10\x02"


# ---- Waiting


def started(count, function):
    threads = [threading.Thread(target=function) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_readers_wait_without_threads():
    """More reads wait than there are threads; each file is taken only when it is needed."""
    written("a", b"".join(b"%d\n" % i for i in range(50)))
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf.Session(config=config) as sess:
        queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
        reads = [tf.TextLineReader().read(queue)[1] for _ in range(8)]
        one = tf.TextLineReader().read(queue)[1]
        found = []
        threads = started(1, lambda: found.append(sess.run(reads)))
        threads += started(50, lambda: found.append(sess.run(one)))
        for _ in range(9):
            sess.run(queue.enqueue("a"))
        for thread in threads:
            thread.join(60)
        assert sess.run(queue.size()) == 0
        lists = [each for each in found if isinstance(each, list)]
        assert lists == [[b"0"] * 8]
        assert sorted(int(each) for each in found if not isinstance(each, list)) == list(range(50))


def test_a_wait_is_cancelled():
    written("a", b"1\n2\n")
    with tf.Session() as sess:
        queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
        reader = tf.TextLineReader()
        read = reader.read(queue)[1]
        for _ in range(3):
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(read, options=tf.RunOptions(timeout_in_ms=20))
        found = []
        threads = started(2, lambda: found.append(sess.run(read)))
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(read, options=tf.RunOptions(timeout_in_ms=20))
        sess.run(queue.enqueue("a"))  # those that were cancelled take nothing
        for thread in threads:
            thread.join(60)
        assert sorted(found) == [b"1", b"2"]


def test_the_end_of_the_queue_ends_all_who_wait():
    with tf.Session() as sess:
        queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
        read = tf.IdentityReader().read(queue)[1]
        ends = []

        def run():
            try:
                ends.append(sess.run(read))
            except tf.errors.OutOfRangeError as error:
                ends.append(error)

        threads = started(6, run)
        sess.run(queue.enqueue("a"))
        wait_until(lambda: b"a" in ends)
        sess.run(queue.close())
        for thread in threads:
            thread.join(60)
        assert len(ends) == 6 and sum(isinstance(end, tf.errors.OutOfRangeError) for end in ends) == 5


def opened(pipe, writers):
    """Whether somebody reads a pipe; then `writers` gets its other end."""
    try:
        writers.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def test_what_needs_no_file_does_not_wait_for_one_that_hangs(tmp_path):
    """The file is a pipe that nobody writes to: one step reads it, and all others can be cancelled."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    soon = tf.RunOptions(timeout_in_ms=30)
    with tf.Session() as sess:
        queue = tf.FIFOQueue(100, tf.string, shapes=[[]])
        reader = tf.TextLineReader()
        read, reset = reader.read(queue)[1], reader.reset()
        produced = reader.num_records_produced()
        sess.run(queue.enqueue(pipe))
        found, writers = [], []
        threads = started(1, lambda: found.append(sess.run(read)))
        wait_until(lambda: opened(pipe, writers))  # from here on it is in `read`
        for _ in range(3):
            for waits in (read, reset):
                with pytest.raises(tf.errors.DeadlineExceededError):
                    sess.run(waits, options=soon)
        assert sess.run(produced) == 0 and not found
        threads += started(3, lambda: found.append(sess.run(read)))
        os.write(writers[0], b"1\n2\n3\n4\n")
        os.close(writers[0])
        for thread in threads:
            thread.join(60)
        assert sorted(found) == [b"1", b"2", b"3", b"4"] and sess.run(produced) == 4
        sess.run(reset)
        assert sess.run(produced) == 0


def test_many_empty_files():
    """Names that come at once are taken in a loop, not by recursion."""
    written("empty", b"")
    written("a", b"1\n")
    with tf.Session() as sess:
        queue = tf.FIFOQueue(100001, tf.string, shapes=[[]])
        sess.run(queue.enqueue_many([np.array(["empty"] * 20000 + ["a"], object)]))
        reader = tf.TextLineReader()
        assert sess.run(reader.read(queue)[1]) == b"1"
        assert sess.run(reader.num_work_units_completed()) == 20000


def test_cancelled_closed_and_read_at_random():
    """Each element is read once or stays, whatever is cancelled."""
    total = 300
    with tf.Session() as sess:
        queue = tf.FIFOQueue(5, tf.string, shapes=[[]])
        name = tf.placeholder(tf.string, [])
        enqueue, read = queue.enqueue(name), tf.IdentityReader().read(queue)[1]
        found, lock = [], threading.Lock()
        run = sess.make_callable(enqueue, [name])

        def consume(seed):
            random = np.random.RandomState(seed)
            while True:
                try:
                    timeout = tf.RunOptions(timeout_in_ms=int(random.randint(1, 3))) if random.rand() < 0.5 else None
                    value = sess.run(read, options=timeout)
                except tf.errors.DeadlineExceededError:
                    continue
                except tf.errors.OutOfRangeError:
                    return
                with lock:
                    found.append(int(value))

        threads = [threading.Thread(target=consume, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for i in range(total):
            run(str(i))
            if i % 20 == 0:
                time.sleep(0.002)
        sess.run(queue.close())
        for thread in threads:
            thread.join(60)
    # A step that was cancelled after it had read loses what it read, as in TensorFlow.
    assert len(set(found)) == len(found) and set(found) <= set(range(total)) and len(found) > total / 2


def test_a_line_ends_before_a_carriage_return_at_the_end_too(tmp_path):
    for contents, lines in ((b"a\r\nb\r", [b"a", b"b"]), (b"a\n\r", [b"a"])):
        (tmp_path / "lines").write_bytes(contents)
        value = tf.data.TextLineDataset(str(tmp_path / "lines")).make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as sess:
            for _ in lines:
                found.append(sess.run(value))
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(value)
        assert found == lines


def test_a_folder_is_an_error_each_time_it_is_read(tmp_path):
    records = tf.python_io.tf_record_iterator(str(tmp_path), "GZIP")
    for _ in range(2):
        with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
            next(records)


def test_a_writer_that_is_dropped_is_closed(tmp_path):
    path = str(tmp_path / "records")
    tf.python_io.TFRecordWriter(path, "GZIP").write(b"one")
    assert list(tf.python_io.tf_record_iterator(path, "GZIP")) == [b"one"]
