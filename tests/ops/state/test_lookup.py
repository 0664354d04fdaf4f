"""Ops of tables: a model, types, shapes, errors, files, threads, memory."""

import resource

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.threads import in_threads, rounds
from tfcore.testing.drawing import EFFORT

pytestmark = pytest.mark.cpu

RAW = tf.raw_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def error_of(sess, op, feeds=None):
    with pytest.raises(tf.errors.OpError) as caught:
        sess.run(op, feeds)
    return type(caught.value), caught.value.message


class Table:
    """The ops of one table."""

    def __init__(self, key, value, maker="MutableHashTable", old=False, value_shape=(), **attrs):
        suffix = "" if old else "V2"
        if maker not in ("HashTable", "MutableHashTable"):
            attrs["value_shape"] = value_shape
        self.handle = getattr(RAW, maker + suffix)(key_dtype=key, value_dtype=value, **attrs)
        self.keys, self.values = tf.placeholder(key), tf.placeholder(value)

        def op(name, **inputs):
            return getattr(RAW, name + suffix)(table_handle=self.handle, **inputs)

        self.find = op("LookupTableFind", keys=self.keys, default_value=self.values)
        self.insert = op("LookupTableInsert", keys=self.keys, values=self.values)
        self.load = op("LookupTableImport", keys=self.keys, values=self.values)
        self.initialize = op("InitializeTable", keys=self.keys, values=self.values)
        self.export = op("LookupTableExport", Tkeys=key, Tvalues=value)
        self.size = op("LookupTableSize")
        if not old:
            self.remove = RAW.LookupTableRemoveV2(table_handle=self.handle, keys=self.keys)

    def run(self, sess, op, keys=None, values=None):
        feeds = {self.keys: keys, self.values: values}
        return sess.run(op, {k: v for k, v in feeds.items() if v is not None})


KEYS = {tf.string: st.binary(max_size=20), tf.int64: st.integers(-5, 5), tf.uint8: st.integers(0, 9)}
VALUES = {tf.string: st.binary(max_size=20), tf.float32: st.integers(-5, 5).map(float), tf.bool: st.booleans()}


@pytest.mark.parametrize("old", [False, True])
@settings(max_examples=max(1, int(60 * EFFORT)), deadline=None)
@given(data=st.data())
def test_tables_follow_a_dictionary(old, data):
    key, value = data.draw(st.sampled_from(list(KEYS))), data.draw(st.sampled_from(list(VALUES)))
    keys, values, model = st.lists(KEYS[key], max_size=30), VALUES[value], {}
    with tf.Graph().as_default(), tf.Session() as sess:
        table = Table(key, value, old=old)
        for _ in range(data.draw(st.integers(0, 8))):
            given_keys = data.draw(keys)
            action = data.draw(st.sampled_from(["insert", "remove", "load", "find"]))
            if action == "remove" and not old:
                table.run(sess, table.remove, _array(given_keys, key))
                for k in given_keys:
                    model.pop(k, None)
            elif action in ("insert", "load"):
                new = [data.draw(values) for _ in given_keys]
                table.run(sess, getattr(table, action), _array(given_keys, key), _array(new, value))
                if action == "load":
                    model.clear()
                model.update(zip(given_keys, new))
            default = data.draw(values)
            found = table.run(sess, table.find, _array(given_keys, key), default)
            assert list(found) == [model.get(k, default) for k in given_keys]
            assert sess.run(table.size) == len(model)
        got = sess.run(table.export)
        assert len(got[0]) == len(model) and dict(zip(got[0].tolist(), got[1].tolist())) == model


def _array(values, dtype):
    return np.array(values, object if dtype is tf.string else dtype.as_numpy_dtype)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("how", ["initialize", "load"])
def test_static_tables(sess, old, how):
    table = Table(tf.string, tf.int64, "HashTable", old)
    kind, text = error_of(sess, table.find, {table.keys: ["a"], table.values: -1})
    assert kind is tf.errors.FailedPreconditionError and "Table not initialized." in text
    assert error_of(sess, table.export)[0] is tf.errors.AbortedError
    assert sess.run(table.size) == 0
    kind, text = error_of(sess, getattr(table, how), {table.keys: ["a", "b", "a"], table.values: [1, 2, 3]})
    assert kind is tf.errors.FailedPreconditionError
    assert "HashTable has different value for same key. Key a has 1 and trying to add value 3" in text
    kind, text = error_of(sess, getattr(table, how), {table.keys: [], table.values: []})
    assert kind is tf.errors.InvalidArgumentError and "keys and values cannot be empty tensors." in text
    table.run(sess, getattr(table, how), ["a", "b", "a"], [1, 2, 1])
    table.run(sess, getattr(table, how), ["b", "a"], [2, 1])  # the same content
    kind, text = error_of(sess, getattr(table, how), {table.keys: ["a"], table.values: [1]})
    assert kind is tf.errors.FailedPreconditionError and "already initialized with different data" in text
    assert table.run(sess, table.find, [["b", "c"], ["a", ""]], -1).tolist() == [[2, -1], [1, -1]]
    assert [x.tolist() for x in sess.run(table.export)] == [[b"a", b"b"], [1, 2]]
    kind, text = error_of(sess, table.insert, {table.keys: ["a"], table.values: [1]})
    assert kind is tf.errors.UnimplementedError and "Insert not supported" in text


def test_static_shapes(sess):
    table = Table(tf.string, tf.int64)
    keys = tf.placeholder(tf.string, [3, None])
    assert RAW.LookupTableFindV2(table_handle=table.handle, keys=keys, default_value=np.int64(0)).shape.as_list() == [
        3,
        None,
    ]
    vectors = Table(tf.string, tf.int64, "MutableHashTableOfTensors", value_shape=[4])
    assert RAW.LookupTableFindV2(
        table_handle=vectors.handle, keys=keys, default_value=np.zeros(4, np.int64)
    ).shape.as_list() == [3, None, 4]
    assert table.handle.shape.as_list() == [] and Table(tf.string, tf.int64, old=True).handle.shape.as_list() == [2]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dtype", [tf.float32, tf.string])
def test_vectors(sess, old, dtype):
    table = Table(tf.int64, dtype, "MutableHashTableOfTensors", old, value_shape=[2])
    rows = np.array([["1", "2"], ["3", "4"], ["5", "6"]], object if dtype is tf.string else np.float32)
    table.run(sess, table.insert, [1, 2, 3], rows)
    found = table.run(sess, table.find, [[3], [9]], rows[0])
    want = rows[[2, 0]].reshape(2, 1, 2)
    assert found.tolist() == [[[x.encode() if dtype is tf.string else x for x in v] for v in row] for row in want]
    assert [x.shape for x in sess.run(table.export)] == [(3,), (3, 2)]
    kind, text = error_of(sess, table.insert, {table.keys: [1], table.values: [rows[0, 0]]})
    assert kind is tf.errors.InvalidArgumentError and "Expected shape [1,2] for value, got [1]" in text
    kind, text = error_of(sess, table.find, {table.keys: [1], table.values: rows[0, 0]})
    assert kind is tf.errors.InvalidArgumentError and "Expected shape [2] for default value, got []" in text


@pytest.mark.parametrize("old", [False, True])
def test_dense_tables(sess, old):
    special = {"empty_key": np.int64([0, 0])} | ({} if old else {"deleted_key": np.int64([0, 1])})
    table = Table(tf.int64, tf.float32, "MutableDenseHashTable", old, **special)
    table.run(sess, table.insert, [[1, 0], [1, 2]], [0.5, 1.5])
    assert table.run(sess, table.find, [[1, 2], [2, 1]], -1).tolist() == [1.5, -1]
    if not old:
        table.run(sess, table.remove, [[1, 2]])
        assert sess.run(table.size) == 1
        kind, text = error_of(sess, table.insert, {table.keys: [[0, 1]], table.values: [1]})
        assert kind is tf.errors.InvalidArgumentError and "Using the deleted_key as a table key" in text
    kind, text = error_of(sess, table.find, {table.keys: [[0, 0]], table.values: 1})
    assert kind is tf.errors.InvalidArgumentError and "Using the empty_key as a table key is not allowed" in text
    kind, text = error_of(sess, table.find, {table.keys: [[1, 0, 0]], table.values: 1})
    assert (
        kind is tf.errors.InvalidArgumentError and "Input key shape [1,3] must end with the table's key shape" in text
    )
    # What TensorFlow exports has empty buckets.
    table.run(sess, table.load, [[0, 0], [5, 5], [0, 0]], [0, 7, 0])
    assert [x.tolist() for x in sess.run(table.export)] == [[[5, 5]], [7]]


def test_wrong_makers(sess):
    key = np.int64(1)
    for make, text in (
        (lambda: Table(tf.int64, tf.float32, "MutableHashTableOfTensors", value_shape=[2, 2]), "must be a vector, got"),
        (
            lambda: Table(tf.int64, tf.float32, "MutableDenseHashTable", empty_key=key, deleted_key=key),
            "Empty and deleted keys cannot be equal",
        ),
        (
            lambda: Table(
                tf.int64, tf.float32, "MutableDenseHashTable", empty_key=key, deleted_key=key + 1, max_load_factor=1.5
            ),
            "max_load_factor must be between 0 and 1, got: 1.5",
        ),
        (
            lambda: Table(
                tf.int64,
                tf.float32,
                "MutableDenseHashTable",
                empty_key=key,
                deleted_key=key + 1,
                initial_num_buckets=12,
            ),
            "Number of buckets must be at least 4 and a power of 2, got: 12",
        ),
    ):
        kind, message = error_of(sess, make().size)
        assert kind is tf.errors.InvalidArgumentError and text in message


def test_types_and_names(sess):
    table = Table(tf.string, tf.int64, shared_name="t")
    again = Table(tf.string, tf.int64, shared_name="t", old=True)
    table.run(sess, table.insert, ["a"], [4])
    assert again.run(sess, again.find, ["a"], 0) == [4]
    kind, text = error_of(sess, Table(tf.string, tf.int32, shared_name="t").size)
    assert kind is tf.errors.InvalidArgumentError
    assert "Conflicting key/value dtypes string->int32 with string-int64 for table t" in text
    wrong = RAW.LookupTableFindV2(table_handle=table.handle, keys=[1], default_value=np.int64(0))
    assert "Conflicting key/value dtypes int32->int64 with string-int64" in error_of(sess, wrong)[1]
    assert "is not the HashTableV2" in error_of(sess, Table(tf.string, tf.int64, "HashTable", shared_name="t").size)[1]
    not_a_table = tf.FIFOQueue(1, tf.int32).queue_ref
    assert "handle of a Queue" in error_of(sess, RAW.LookupTableSizeV2(table_handle=not_a_table))[1]


@pytest.mark.parametrize("old", [False, True])
def test_files(sess, old, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("one\t1\t0.5\ntwo\t 2 \t1.5\nthree\t3\t2.5")

    def table(key, key_index, value, value_index, **attrs):
        made = Table(key, value, "HashTable", old)
        fill = RAW.InitializeTableFromTextFile if old else RAW.InitializeTableFromTextFileV2
        name = tf.constant(attrs.pop("filename", str(path)))
        sess.run(fill(table_handle=made.handle, filename=name, key_index=key_index, value_index=value_index, **attrs))
        return made

    words = table(tf.string, 0, tf.int64, -1)
    assert words.run(sess, words.find, ["two", "three", "four"], -1).tolist() == [1, 2, -1]
    numbers = table(tf.int64, 1, tf.float32, 2)
    assert numbers.run(sess, numbers.find, [3, 2, 1], -1).tolist() == [2.5, 1.5, 0.5]
    lines = table(tf.int64, -1, tf.string, -2, vocab_size=2)
    assert lines.run(sess, lines.find, [0, 2], "none").tolist() == [b"one\t1\t0.5", b"none"]
    shifted = table(tf.string, 0, tf.int64, -1, offset=10)
    assert shifted.run(sess, shifted.find, ["one"], 0).tolist() == [10]
    for arguments, error, text in (
        ((tf.string, 3, tf.int64, -1), "InvalidArgument", "expected at least 4 got 3"),
        ((tf.int64, 0, tf.int64, -1), "InvalidArgument", "Field one in line 0 is not a valid int64."),
        ((tf.string, 0, tf.int64, -1, {"vocab_size": 9}), "InvalidArgument", "expected 9 but got 3"),
        ((tf.string, 0, tf.int64, -1, {"delimiter": "ab"}), "InvalidArgument", "delimiter should be only 1 char"),
        ((tf.string, -1, tf.int64, -1), "InvalidArgument", "requires table key dtype of int64, got string"),
        ((tf.string, 0, tf.float32, -2), "InvalidArgument", "requires string or integer table value, got float"),
        ((tf.string, 0, tf.int64, -1, {"filename": str(path) + ".no"}), "NotFound", "No such file"),
        ((tf.string, 0, tf.int64, -1, {"filename": ""}), "InvalidArgument", "filename cannot be empty"),
        ((tf.string, 0, tf.int64, -1, {"filename": str(path.parent)}), "FailedPrecondition", "Is a directory"),
        ((tf.string, 0, tf.int64, -1, {"filename": str(path / "in")}), "FailedPrecondition", "Not a directory"),
    ):
        *place, attrs = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
        with pytest.raises(getattr(tf.errors, error + "Error"), match=text):
            table(*place, **attrs)
    path.write_bytes(b"one\t1\r\ntwo\t2\r\nthree\t3\r")  # lines of Windows
    for key_index, keys in ((0, ["two", "three"]), (-2, ["two\t2", "three\t3"])):
        words = table(tf.string, key_index, tf.int64, -1)
        assert words.run(sess, words.find, keys, -1).tolist() == [1, 2]
    path.write_text("one\n\ntwo\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty line found"):
        table(tf.string, -2, tf.int64, -1)
    path.write_text("")
    with pytest.raises(tf.errors.OutOfRangeError, match="has no lines"):
        table(tf.string, -2, tf.int64, -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected 2 but got 0"):
        table(tf.string, -2, tf.int64, -1, vocab_size=2)


@pytest.mark.alone
def test_many_threads(sess):
    count = rounds(200)
    table = Table(tf.string, tf.string)
    insert, find = (sess.make_callable(op, [table.keys, table.values]) for op in (table.insert, table.find))
    remove = sess.make_callable(table.remove, [table.keys])

    def change(t):
        for i in range(count):
            keys = [f"{t} {i} {k}" for k in range(20)]
            insert(keys, [k * 3 for k in keys])
            assert [v.decode() for v in find(keys, "none")] == [k * 3 for k in keys]
            remove(keys[1:])

    in_threads([lambda t=t: change(t) for t in range(4)])
    keys, values = sess.run(table.export)
    assert sorted(k.decode() for k in keys) == sorted(f"{t} {i} 0" for t in range(4) for i in range(count))
    assert all(v == k * 3 for k, v in zip(keys, values))


@pytest.mark.alone
def test_removed_entries_take_no_memory(sess):
    table = Table(tf.int64, tf.float32)
    keys = np.arange(50000)

    def fill_and_empty():
        table.run(sess, table.insert, keys, keys.astype(np.float32))
        table.run(sess, table.remove, keys)

    fill_and_empty()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(rounds(20)):
        fill_and_empty()
    assert sess.run(table.size) == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 20_000
