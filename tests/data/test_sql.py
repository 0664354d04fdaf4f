"""SqlDataset. The values are those that TensorFlow 2.21 gives for the same tables."""

import os
import sqlite3

import pytest

import tfcore as tf

SqlDataset = tf.data.experimental.SqlDataset


@pytest.fixture(autouse=True)
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "a b?.db")
    with sqlite3.connect(path) as database:
        database.execute("create table t (a int, b text, c real)")
        database.execute("insert into t values (1, 'x', 1.5)")
        database.execute("insert into t values (300, NULL, 2)")
        database.execute("insert into t values (NULL, '12abc', NULL)")
        database.execute("insert into t values ('7z', x'610062', 1e20)")
    database.close()
    return path


def rows(sess, path, query, types, driver="sqlite"):
    following = SqlDataset(driver, path, query, types).make_one_shot_iterator().get_next()
    found = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append(sess.run(following))
    return found


LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    "query, types, expected",
    [
        (
            "select a, b, c from t",
            (tf.int32, tf.string, tf.double),
            [(1, b"x", 1.5), (300, b"", 2.0), (0, b"12abc", 0.0), (7, b"a\0b", 1e20)],
        ),
        (
            "select a, b, c from t",
            (tf.int8, tf.int64, tf.string),
            [(1, 0, b"1.5"), (44, 0, b"2.0"), (0, 12, b""), (7, 0, b"1.0e+20")],
        ),
        (
            "select c, b, a from t",
            (tf.int32, tf.double, tf.bool),
            [(1, 0.0, True), (2, 0.0, True), (0, 12.0, False), (-1, 0.0, True)],
        ),
        (
            "select c, c, a from t",
            (tf.uint8, tf.int64, tf.uint16),
            [(1, 1, 1), (2, 2, 300), (0, 0, 0), (255, LARGEST, 7)],
        ),
        ("select a from t where b = 'none'", (tf.int16,), []),
        ("select a, c, b from t limit 1", (tf.int16, (tf.double, tf.string)), [(1, (1.5, b"x"))]),
    ],
)
def test_rows(sess, path, query, types, expected):
    assert rows(sess, path, query, types) == expected
    spec = SqlDataset("sqlite", path, query, types).element_spec
    assert tf.contrib.framework.nest.map_structure(lambda one: one.dtype, spec) == types


def test_what_is_asked_may_be_fed(sess, path):
    query = tf.placeholder(tf.string, [])
    iterator = SqlDataset("sqlite", path, query, (tf.int32,)).make_initializable_iterator()
    following = iterator.get_next()
    for text, value in (("select a from t", 1), ("select 2 * a from t", 2)):
        sess.run(iterator.initializer, {query: text})
        assert sess.run(following) == (value,)


@pytest.mark.parametrize(
    "driver, query, cls, text",
    [
        ("mysql", "", tf.errors.InvalidArgumentError, "The database type, mysql, is not supported by SqlDataset."),
        ("sqlite", "select a, b from t", tf.errors.InvalidArgumentError, r"columns in query \(2\) must match .* \(1\)"),
        ("sqlite", "selec", tf.errors.UnknownError, r"Prepare\(\) failed: .*syntax error: selec"),
        ("sqlite", "select a from none", tf.errors.UnknownError, r"Prepare\(\) failed: .*no such table: none"),
        ("sqlite", "insert into t values (1, 2, 3)", tf.errors.UnknownError, "readonly database"),
        ("sqlite", "select a from t; select b from t", tf.errors.UnknownError, r"Prepare\(\) failed: .*one statement"),
    ],
)
def test_errors(sess, path, driver, query, cls, text):
    with pytest.raises(cls, match=text):
        rows(sess, path, query, (tf.int32,), driver)


def test_files_that_are_no_databases(sess, tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Sqlite::Open\(.*none.db\) failed: unable to open"):
        rows(sess, str(tmp_path / "none.db"), "select 1", (tf.int32,))
    assert os.listdir(tmp_path) == []
    (tmp_path / "text").write_text("no database" * 1000)
    with pytest.raises(tf.errors.UnknownError, match="file is not a database"):
        rows(sess, str(tmp_path / "text"), "select a from t", (tf.int32,))


def test_wrong_arguments():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Each element of `output_types_` must be one of: DT_STRING"
    ):
        SqlDataset("sqlite", "a", "select 1", (tf.float32,))
    with pytest.raises(ValueError, match="data_source_name must be a scalar"):
        SqlDataset("sqlite", ["a"], "select 1", (tf.int32,))
