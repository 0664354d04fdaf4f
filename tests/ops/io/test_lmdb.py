"""LMDB databases: LMDBReader and LMDBDataset. LMDB 0.9.36 has written pairs.mdb.gz and deep.mdb.gz in fixtures/."""

import gzip
import pathlib
import random

import pytest

import tfcore as tf

FIXTURE = pathlib.Path(__file__).parents[2] / "fixtures" / "pairs.mdb.gz"
PAIRS = sorted(
    [(b"key %d" % i, b"value %d " % i * (i % 7)) for i in range(300) if i != 7]
    + [(b"large", bytes(range(256)) * 40), (b"empty", b"")]
)


@pytest.fixture(autouse=True)
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.fixture
def database(tmp_path):
    folder = tmp_path / "database"
    folder.mkdir()
    (folder / "data.mdb").write_bytes(gzip.decompress(FIXTURE.read_bytes()))
    return str(folder)


def elements(sess, dataset, following=None):
    following = dataset.make_one_shot_iterator().get_next() if following is None else following
    found = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append(tuple(sess.run(following)))
    return found


def queue_of(sess, *names):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    sess.run(queue.enqueue_many([list(names)]))
    sess.run(queue.close())
    return queue


def test_pairs_in_the_order_of_keys(sess, database):
    read = tf.LMDBReader().read(queue_of(sess, database, f"{database}/data.mdb"))
    assert elements(sess, None, read) == PAIRS * 2


def test_several_at_a_time(sess, database):
    reader = tf.LMDBReader(options=None)
    read = reader.read_up_to(queue_of(sess, database, database), 200)
    keys, values = sess.run(read)
    assert list(zip(keys, values)) == PAIRS[:200]
    assert sess.run([reader.num_records_produced(), reader.num_work_units_completed()]) == [200, 0]
    assert [len(sess.run(read)[0]) for _ in range(3)] == [len(PAIRS) - 200, 200, len(PAIRS) - 200]
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(read)
    assert sess.run([reader.num_records_produced(), reader.num_work_units_completed()]) == [2 * len(PAIRS), 2]


def test_state_and_reset(sess, database):
    reader = tf.LMDBReader()
    read = reader.read(queue_of(sess, database, database))
    for pair in PAIRS[:3]:
        assert tuple(sess.run(read)) == pair
    assert not reader.supports_serialize
    with pytest.raises(tf.errors.UnimplementedError, match="Reader SerializeState of a LMDBReader"):
        sess.run(reader.serialize_state())
    with pytest.raises(tf.errors.UnimplementedError, match="Reader RestoreState of a LMDBReader"):
        sess.run(reader.restore_state(b""))
    sess.run(reader.reset())
    assert sess.run(reader.num_records_produced()) == 0 and tuple(sess.run(read)) == PAIRS[0]


def test_handles_are_references(sess, database):
    assert tf.LMDBReader().reader_ref.dtype == tf.string._as_ref
    old = tf.raw_ops.FIFOQueue(component_types=[tf.string])
    sess.run(tf.raw_ops.QueueEnqueue(handle=old, components=[database]))
    assert tuple(sess.run(tf.LMDBReader().read(old))) == PAIRS[0]


def test_a_dataset_of_pairs(sess, database):
    dataset = tf.contrib.data.LMDBDataset([database, f"{database}/data.mdb"])
    assert dataset.output_types == (tf.string, tf.string) and dataset.output_shapes == ((), ())
    assert elements(sess, dataset) == PAIRS * 2
    assert elements(sess, tf.contrib.data.LMDBDataset(tf.data.Dataset.from_tensors(database))) == PAIRS


def test_the_older_op(sess, database):
    made = tf.raw_ops.ExperimentalLMDBDataset(filenames=database, output_types=[tf.string] * 2, output_shapes=[()] * 2)
    dataset = tf.data.experimental.from_variant(made, (tf.TensorSpec([], tf.string),) * 2)
    iterator = dataset.make_initializable_iterator()
    sess.run(iterator.initializer)
    assert elements(sess, None, iterator.get_next()) == PAIRS


def test_a_position_is_restored(sess, database, tmp_path):
    iterator = tf.contrib.data.LMDBDataset(database).make_initializable_iterator()
    following = iterator.get_next()
    saver = tf.train.Saver([tf.contrib.data.make_saveable_from_iterator(iterator)])
    sess.run(iterator.initializer)
    assert [tuple(sess.run(following)) for _ in range(250)] == PAIRS[:250]
    path = saver.save(sess, str(tmp_path / "m"), write_meta_graph=False)
    sess.run(following)
    saver.restore(sess, path)
    assert tuple(sess.run(following)) == PAIRS[250]


def test_errors_name_the_file(sess, tmp_path):
    (tmp_path / "text").write_text("no database" * 100)
    (tmp_path / "short").write_bytes(gzip.decompress(FIXTURE.read_bytes())[:9000])
    (tmp_path / "empty").mkdir()
    for name, cls, text in (
        ("none", tf.errors.NotFoundError, "none; No such file or directory"),
        ("empty", tf.errors.NotFoundError, "empty/data.mdb; No such file or directory"),
        ("text", tf.errors.InvalidArgumentError, "text; not an LMDB database"),
        ("short", tf.errors.DataLossError, "short; the LMDB database is damaged"),
    ):
        dataset = tf.contrib.data.LMDBDataset(str(tmp_path / name))
        for op in (
            dataset.make_one_shot_iterator().get_next(),
            tf.LMDBReader().read(queue_of(sess, str(tmp_path / name))),
        ):
            with pytest.raises(cls, match=text):
                sess.run(op)
    with pytest.raises(tf.errors.InvalidArgumentError, match="`filenames` must be a scalar or a vector"):
        sess.run(tf.contrib.data.LMDBDataset([["a"]]).make_one_shot_iterator().get_next())


def test_damaged_databases(sess, tmp_path):
    """Whatever a file has, reading it ends, and reads only what is in it."""
    name = tf.placeholder(tf.string, [])
    iterator = tf.contrib.data.LMDBDataset(name).make_initializable_iterator()
    following = iterator.get_next()
    good = gzip.decompress(FIXTURE.read_bytes())
    chance = random.Random(7)
    used = [at for at in range(len(good)) if good[at]]
    classes = set()
    for number in range(300):
        data = bytearray(good)
        for _ in range(chance.choice([1, 3, 30])):
            data[chance.choice(used)] = chance.choice([0, 1, 255, chance.randrange(256)])
        path = tmp_path / f"{number % 2}"
        path.write_bytes(data if number % 5 else data[: chance.randrange(len(data))])
        try:
            sess.run(iterator.initializer, {name: str(path)})
            for _ in range(5000):
                sess.run(following)
        except tf.errors.OpError as error:
            classes.add(type(error))
    assert {tf.errors.DataLossError, tf.errors.OutOfRangeError} <= classes
    assert classes <= {
        *(tf.errors.DataLossError, tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError),
        *(tf.errors.UnimplementedError, tf.errors.ResourceExhaustedError),
    }


def test_a_tree_with_several_levels(sess, tmp_path):
    (tmp_path / "deep").write_bytes(gzip.decompress(FIXTURE.with_name("deep.mdb.gz").read_bytes()))
    pairs = [(b"%03d" % i * 160, b"%d" % i) for i in range(500)]
    assert elements(sess, tf.contrib.data.LMDBDataset(str(tmp_path / "deep"))) == pairs


def test_an_empty_tree(sess, tmp_path):
    data = bytearray(gzip.decompress(FIXTURE.read_bytes()))
    for meta in (0, 4096):
        data[meta + 128 : meta + 136] = b"\xff" * 8  # the page of the second root
    (tmp_path / "empty").write_bytes(data)
    assert elements(sess, tf.contrib.data.LMDBDataset(str(tmp_path / "empty"))) == []


def test_several_values_of_a_key_are_refused(sess, tmp_path):
    data = bytearray(gzip.decompress(FIXTURE.read_bytes()))
    for meta in (0, 4096):
        data[meta + 16 + 24 + 48 + 4] |= 4  # MDB_DUPSORT, in the flags of the second root
    (tmp_path / "several").write_bytes(data)
    with pytest.raises(tf.errors.UnimplementedError, match="several values of a key"):
        sess.run(tf.contrib.data.LMDBDataset(str(tmp_path / "several")).make_one_shot_iterator().get_next())
