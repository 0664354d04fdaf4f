"""Files behind schemes, which kernels read and write through fsspec."""

import builtins
import io
import threading

import pytest

import tfcore as tf
from tests.data.test_pipelines import rest

fsspec = pytest.importorskip("fsspec")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402

ROOT = "memory://remote"


class Faulty(MemoryFileSystem):
    """Files in memory; the test says what happens when one is opened and read."""

    protocol = "faulty"
    store = {}
    pseudo_dirs = [""]
    cachable = False
    opened = closed = 0
    on_open = on_read = None

    def _open(self, path, mode="rb", **options):
        if type(self).on_open and mode == "rb":
            type(self).on_open()
        file = super()._open(path, mode, **options)
        # fsspec's readers of one file in memory share their position.
        return Watched(io.BytesIO(file.getvalue()), type(self)) if mode == "rb" else file


class Watched:
    def __init__(self, file, system):
        self.file, self.system = file, system
        system.opened += 1

    def read(self, size=-1):
        if self.system.on_read:
            self.system.on_read(self.file.tell())
        return self.file.read(min(size, 1000) if size >= 0 else size)

    def seek(self, *place):
        return self.file.seek(*place)

    def close(self):
        self.system.closed += 1


@pytest.fixture
def faulty():
    fsspec.register_implementation("faulty", Faulty, clobber=True)
    Faulty.opened = Faulty.closed = 0
    yield Faulty
    Faulty.on_open = Faulty.on_read = None
    Faulty.store.clear()


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.fixture(autouse=True)
def empty():
    yield
    if tf.io.gfile.exists(ROOT):
        tf.io.gfile.rmtree(ROOT)


def elements(sess, dataset):
    return rest(sess, dataset.make_one_shot_iterator().get_next())


def records(name, n, compression=""):
    with tf.python_io.TFRecordWriter(name, compression) as writer:
        for i in range(n):
            writer.write(b"%d " % i * i)
    return [b"%d " % i * i for i in range(n)]


def test_whole_files(sess):
    contents = bytes(range(256)) * 5000
    sess.run(tf.write_file(ROOT + "/new/folder/file", contents))
    assert tf.io.gfile.GFile(ROOT + "/new/folder/file", "rb").read() == contents
    assert sess.run(tf.read_file(ROOT + "/new/folder/file")) == contents
    sess.run(tf.write_file(ROOT + "/new/folder/file", ""))
    assert sess.run(tf.read_file(ROOT + "/new/folder/file")) == b""


def test_names_that_match(sess, tmp_path):
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        sess.run(tf.write_file(f"{ROOT}/{name}", name))
    (tmp_path / "here.txt").write_text("")
    patterns = [ROOT + "/*.txt", str(tmp_path / "*"), ROOT + "/*/c.txt", ROOT + "/none*"]
    expected = [f"{tmp_path}/here.txt", ROOT + "/a.txt", ROOT + "/b.txt", ROOT + "/sub/c.txt"]
    assert [name.decode() for name in sess.run(tf.matching_files(patterns))] == sorted(expected)
    found = elements(sess, tf.data.Dataset.list_files(ROOT + "/*.txt", shuffle=False))
    assert found == [(ROOT + "/a.txt").encode(), (ROOT + "/b.txt").encode()]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records(sess, compression):
    expected = records(ROOT + "/r", 300, compression)
    names = [ROOT + "/r"] * 2
    assert elements(sess, tf.data.TFRecordDataset(names, compression)) == expected * 2
    kind = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, compression or "NONE"))
    assert list(tf.python_io.tf_record_iterator(ROOT + "/r", kind)) == expected


def test_lines_and_pieces(sess):
    sess.run(tf.write_file(ROOT + "/l", "one\ntwo\r\n3333"))
    assert elements(sess, tf.data.TextLineDataset(ROOT + "/l")) == [b"one", b"two", b"3333"]
    assert elements(sess, tf.data.FixedLengthRecordDataset(ROOT + "/l", 5, 1, 2)) == [b"ne\ntw", b"o\r\n33"]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="has body length 13 bytes, which is not an exact multiple"
    ):
        sess.run(tf.data.FixedLengthRecordDataset(ROOT + "/l", 4).make_one_shot_iterator().get_next())


def test_a_position_in_a_remote_file_is_restored(sess, tmp_path):
    expected = records(ROOT + "/r", 50)
    iterator = tf.data.TFRecordDataset(ROOT + "/r").make_initializable_iterator()
    following = iterator.get_next()
    saver = tf.train.Saver([tf.contrib.data.make_saveable_from_iterator(iterator)])
    sess.run(iterator.initializer)
    assert [sess.run(following) for _ in range(20)] == expected[:20]
    path = saver.save(sess, str(tmp_path / "m"), write_meta_graph=False)
    assert sess.run(following) == expected[20]
    saver.restore(sess, path)
    assert sess.run(following) == expected[20]


@pytest.mark.parametrize("make", [tf.TextLineReader, tf.WholeFileReader, tf.TFRecordReader])
def test_readers_of_queues(sess, make):
    expected = records(ROOT + "/r", 3)
    if make is not tf.TFRecordReader:
        sess.run(tf.write_file(ROOT + "/r", "one\ntwo\n"))
        expected = [b"one", b"two"] if make is tf.TextLineReader else [b"one\ntwo\n"]
    queue = tf.FIFOQueue(2, tf.string)
    sess.run(queue.enqueue(ROOT + "/r"))
    _, value = make().read(queue)
    assert [sess.run(value) for _ in expected] == expected


def test_tables_and_vocabularies(sess):
    sess.run(tf.write_file(ROOT + "/words", "one\ntwo\n"))
    table = tf.contrib.lookup.index_table_from_file(ROOT + "/words")
    sess.run(tf.tables_initializer())
    assert sess.run(table.lookup(tf.constant(["two", "none"]))).tolist() == [1, -1]
    sess.run(tf.write_file(ROOT + "/weights", "a,1\nb,0\n"))
    sampler = tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 4, False, 2, vocab_file=ROOT + "/weights")
    assert sess.run(sampler[0]).tolist() == [0] * 4


# ---- What goes wrong


def reads(name):
    yield tf.read_file(name)
    for dataset in (tf.data.TextLineDataset(name), tf.data.TFRecordDataset(name)):
        yield dataset.make_one_shot_iterator().get_next()


@pytest.mark.parametrize(
    "error, cls, text",
    [
        (FileNotFoundError("none"), tf.errors.NotFoundError, "faulty://x; No such file or directory"),
        (PermissionError("none"), tf.errors.PermissionDeniedError, "faulty://x; Permission denied"),
        (TimeoutError("late"), tf.errors.DeadlineExceededError, "faulty://x; Connection timed out"),
        (ConnectionRefusedError(111, "no"), tf.errors.UnavailableError, "faulty://x; Connection refused"),
        (RuntimeError("broken"), tf.errors.UnknownError, "faulty://x; RuntimeError: broken"),
        (NotImplementedError("no"), tf.errors.UnimplementedError, "faulty://x; NotImplementedError: no"),
    ],
)
def test_errors_of_the_file_system(sess, faulty, error, cls, text):
    def fail(*place):
        raise error

    sess.run(tf.write_file("faulty://x", "one\n"))
    for faulty.on_open, faulty.on_read in ((fail, None), (None, fail)):
        for read in reads("faulty://x"):
            with pytest.raises(cls, match=text):
                sess.run(read)
    assert faulty.opened > 0


def test_a_read_that_fails_is_tried_again(sess, faulty):
    """A reader stays where it is after an error, so what it gives next follows what it gave."""
    sess.run(tf.write_file("faulty://x", "a" * 1500 + "\n" + "b" * 10))
    fails = [1000]

    def fail(place):
        if place in fails:
            fails.remove(place)
            raise ConnectionResetError(104, "no")

    faulty.on_read = fail
    queue = tf.FIFOQueue(2, tf.string)
    sess.run(queue.enqueue("faulty://x"))
    _, value = tf.TextLineReader().read(queue)
    with pytest.raises(tf.errors.UnavailableError, match="faulty://x"):
        sess.run(value)
    assert sess.run(value) == b"a" * 1500 and sess.run(value) == b"b" * 10


def test_files_are_closed(sess, faulty):
    sess.run(tf.write_file("faulty://x", "one\n" * 1000))
    read = tf.read_file("faulty://x")
    for _ in range(41):  # the last ones are closed when the next is opened, or by the main thread
        assert len(sess.run(read)) == 4000
    assert faulty.opened == 41 and faulty.closed >= 40


def test_another_step_runs_while_a_read_hangs(sess, faulty):
    sess.run(tf.write_file("faulty://x", "one\n"))
    begun, go = threading.Event(), threading.Event()
    faulty.on_read = lambda place: (begun.set(), go.wait(60))
    read = tf.read_file("faulty://x")
    result = []
    thread = threading.Thread(target=lambda: result.append(sess.run(read)))
    thread.start()
    assert begun.wait(60)
    assert sess.run(tf.add(1, 2)) == 3 and not result
    go.set()
    thread.join(60)
    assert result == [b"one\n"]


def test_a_queue_reader_that_hangs_can_be_cancelled_around(sess, faulty):
    """Reads of a reader that is busy with a remote file end with their deadline."""
    sess.run(tf.write_file("faulty://x", "one\n"))
    begun, go = threading.Event(), threading.Event()
    faulty.on_read = lambda place: (begun.set(), go.wait(60))
    queue = tf.FIFOQueue(2, tf.string)
    sess.run(queue.enqueue("faulty://x"))
    _, value = tf.TextLineReader().read(queue)
    result = []
    thread = threading.Thread(target=lambda: result.append(sess.run(value)))
    thread.start()
    assert begun.wait(60)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(value, options=tf.RunOptions(timeout_in_ms=50))
    go.set()
    thread.join(60)
    assert result == [b"one"]


def test_many_threads(sess, faulty):
    expected = records("faulty://r", 100)
    files = tf.data.Dataset.from_tensors("faulty://r").repeat(8)
    dataset = files.interleave(tf.data.TFRecordDataset, 4, num_parallel_calls=4).prefetch(4)
    assert sorted(elements(sess, dataset)) == sorted(expected * 8)


def test_without_fsspec(sess, monkeypatch):
    real = builtins.__import__

    def no_fsspec(name, *rest):
        if name.partition(".")[0] == "fsspec":
            raise ImportError(name)
        return real(name, *rest)

    text = r"File system scheme 'gs' not implemented .file: 'gs://b/.'.: it needs fsspec. Install it with: pip install"
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "__import__", no_fsspec)
        for op in (*reads("gs://b/x"), tf.write_file("gs://b/x", ""), tf.matching_files("gs://b/*")):
            with pytest.raises(tf.errors.UnimplementedError, match=text):
                sess.run(op)


def test_caches_are_on_this_machine(sess):
    dataset = tf.data.Dataset.range(3).cache(ROOT + "/c")
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'memory' not implemented for caches"):
        sess.run(dataset.make_one_shot_iterator().get_next())
