"""Caches in files: written by the first pass, read by later ones and by other processes."""

import errno
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import Input, check_every_position
from tests.data.test_windows import run, values

Dataset = tf.data.Dataset


class Counted:
    """A dataset of n numbers that counts the calls which make them."""

    def __init__(self, n):
        self.n, self.calls = n, 0

    def dataset(self):
        def count(x):
            self.calls += 1
            return x

        return Dataset.range(self.n).map(lambda x: tf.py_func(count, [x], tf.int64))


@pytest.fixture
def name(tmp_path):
    return str(tmp_path / "elements")


def files(name):
    return sorted(os.listdir(os.path.dirname(name)))


def test_the_first_pass_writes_and_later_ones_read(name):
    source = Counted(5)
    assert run(source.dataset().cache(name).repeat(3)) == 3 * list(range(5))
    assert source.calls == 5 and files(name) == ["elements.cache"]
    assert run(source.dataset().cache("file://" + name)) == list(range(5)) and source.calls == 5
    program = (
        "import tfcore as tf\n"
        f"value = tf.data.Dataset.range(0).cache({name!r}).batch(9).make_one_shot_iterator().get_next()\n"
        "print(tf.Session().run(value).tolist())"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[0, 1, 2, 3, 4]"


def test_elements_of_all_kinds(name):
    rows = {
        "half": np.arange(6).reshape(2, 3).astype(np.float16),
        "complex": np.array([1j, 2]),
        "text": np.array([[b"", b"a\0b"], [b"\xff" * 300, b"x"]], object),
        "none": np.zeros([2, 0, 2], np.int8),
        "bool": np.array([True, False]),
    }
    dataset = Dataset.from_tensor_slices(rows)
    np.testing.assert_equal(run(dataset.cache(name)), run(dataset))
    np.testing.assert_equal(run(dataset.cache(name)), run(dataset))
    windows = Dataset.range(5).window(2).cache(name + "2").repeat(2).flat_map(lambda w: w.batch(2))
    assert values(windows) == 2 * [[0, 1], [2, 3], [4]]
    assert run(Dataset.range(0).cache(name + "3").repeat(2)) == []


def test_a_pass_that_ends_early_leaves_nothing(name):
    source = Counted(5)
    assert run(source.dataset().cache(name).take(3)) == [0, 1, 2]
    assert files(name) == []
    assert run(source.dataset().cache(name)) == list(range(5)) and source.calls == 8


def test_another_writer_is_refused_while_one_writes(name):
    one, other = (Dataset.range(3).cache(name).make_initializable_iterator() for _ in range(2))
    first, second = one.get_next(), other.get_next()
    with tf.Session() as sess:
        sess.run([one.initializer, other.initializer])
        assert sess.run(first) == 0 and files(name) == ["elements.cache.partial"]
        for _ in range(2):
            with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent caching iterator running.*elements"):
                sess.run(second)
        assert rest(sess, first) == [1, 2]
        assert rest(sess, second) == [0, 1, 2]  # read


def test_a_killed_process_leaves_no_lock(name):
    program = (
        "import os, tfcore as tf\n"
        f"value = tf.data.Dataset.range(5).cache({name!r}).make_one_shot_iterator().get_next()\n"
        "sess = tf.Session()\n"
        "print(sess.run(value), flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    child = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout == "0\n" and child.returncode == -9 and files(name) == ["elements.cache.partial"]
    assert run(Dataset.range(3).cache(name)) == [0, 1, 2] and files(name) == ["elements.cache"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_the_file_alone(name):
    iterator = Dataset.range(4).cache(name).make_initializable_iterator()
    value = iterator.get_next()
    sess = tf.Session()
    sess.run(iterator.initializer)
    assert sess.run(value) == 0
    child = os.fork()
    if not child:
        status = 1
        try:
            sess.close()
            del sess
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert files(name) == ["elements.cache.partial"]
    assert rest(sess, value) == [1, 2, 3]
    sess.close()
    assert run(Dataset.range(0).cache(name)) == [0, 1, 2, 3]


def test_a_cancelled_element_is_not_missing_from_the_cache(name):
    queue = tf.FIFOQueue(9, [tf.int64], [[]])
    iterator = Dataset.range(3).map(lambda x: x + queue.dequeue()).cache(name).make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(value, options=tf.RunOptions(timeout_in_ms=50))
        sess.run(queue.enqueue_many([np.zeros(9, np.int64)]))
        rest(sess, value)
        assert files(name) == []
        sess.run(iterator.initializer)
        assert rest(sess, value) == [0, 1, 2] and files(name) == ["elements.cache"]


@pytest.mark.parametrize("change", ["cut", "byte", "last", "empty", "other"])
def test_a_damaged_file_is_named(name, change):
    run(Dataset.range(4).cache(name))
    path = name + ".cache"
    data = open(path, "rb").read()
    changed = {
        "cut": data[:-5],
        "byte": data[:60] + bytes([data[60] ^ 1]) + data[61:],
        "last": data[:-18],
        "empty": b"",
        "other": tf_record(b"E" + bytes(20)),
    }[change]
    with open(path, "wb") as file:
        file.write(changed)
    with pytest.raises(tf.errors.DataLossError, match="elements.cache"):
        run(Dataset.range(4).cache(name))


def tf_record(data):
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        with tf.python_io.TFRecordWriter(file.name) as writer:
            writer.write(data)
        return open(file.name, "rb").read()


def test_a_file_of_other_elements_is_refused(name):
    run(Dataset.range(4).cache(name))
    with pytest.raises(tf.errors.InvalidArgumentError, match="has elements of 1 components, but the dataset has 2"):
        run(Dataset.from_tensors((1, 2)).cache(name))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is a int64, but a float is expected"):
        run(Dataset.from_tensors(1.0).cache(name))


def test_what_the_system_says_is_raised(tmp_path, name):
    with pytest.raises(tf.errors.NotFoundError, match="none/elements"):
        run(Dataset.range(3).cache(str(tmp_path / "none" / "elements")))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signals = tf.data.Dataset.range(3).map(lambda x: tf.zeros([10_000])).cache(name)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=os.strerror(errno.EFBIG)):
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limit[1]))
        try:
            run(signals)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert files(name) == []


def test_positions(name):
    run(Dataset.range(4).cache(name))
    check_every_position(lambda: Dataset.range(4).cache(name).repeat(2))
    made = Input(lambda: Dataset.range(4).cache(name + "2").repeat(2))
    with made.session() as sess, made.session() as fresh:
        sess.run(made.iterator.initializer)
        fresh.run(made.iterator.initializer)
        assert [sess.run(made.value) for _ in range(2)] == [0, 1]
        position = sess.run(made.saved)
        fresh.run(made.restore, {made.fed: position})
        assert fresh.run(made.value) == 2  # without writing, as the other one writes
        assert rest(sess, made.value) == [2, 3, 0, 1, 2, 3]
        assert rest(fresh, made.value) == [3, 0, 1, 2, 3]
        fresh.run(made.iterator.initializer)
        fresh.run(made.value)
        position = fresh.run(made.saved)
        os.remove(name + "2.cache")
        with pytest.raises(tf.errors.InvalidArgumentError, match="there is no file of its cache any more"):
            sess.run(made.restore, {made.fed: position})
