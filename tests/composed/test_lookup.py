"""Tables of tf.lookup and tf.contrib.lookup."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.contrib import lookup

pytestmark = pytest.mark.cpu


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("emerson\nlake\npalmer\n")
    return str(path)


def test_static_tables(sess):
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], value_dtype=tf.int64)
    table = tf.lookup.StaticHashTable(init, -1)
    assert table.key_dtype == tf.string and table.value_dtype == tf.int64 and table.name == "hash_table"
    found = table.lookup(tf.constant([["b"], ["x"]]))
    assert found.shape.as_list() == [2, 1]
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        sess.run(found)
    sess.run(tf.tables_initializer())
    assert sess.run(found).tolist() == [[2], [-1]] and sess.run(table.size()) == 2
    assert sess.run(table[tf.constant("a")]) == 1
    sparse = table.lookup(tf.SparseTensor([[0, 1], [1, 0]], ["b", "x"], [2, 2]))
    assert sess.run(sparse).values.tolist() == [2, -1]
    assert [x.tolist() for x in sess.run(table.export())] == [[b"a", b"b"], [1, 2]]
    with pytest.raises(TypeError, match="Keys must be dtype"):
        table.lookup(tf.constant([1]))
    with pytest.raises(ValueError, match="incompatible"):
        tf.lookup.StaticHashTable(init, [1, 2])


def test_tables_of_files(sess, words):
    init = tf.lookup.TextFileInitializer(
        words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    table = tf.lookup.StaticHashTable(init, -1)
    sess.run(table.initializer)
    assert sess.run(table.lookup(tf.constant(["lake", "x"]))).tolist() == [1, -1]
    assert [sess.run(t).decode() for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)] == [words]
    other = lookup.HashTable(lookup.TextFileStringTableInitializer(words, vocab_size=3), "?")
    sess.run(other.init)
    assert sess.run(other.lookup(tf.constant([2, 5], tf.int64))).tolist() == [b"palmer", b"?"]


def test_tables_of_one_file_that_read_it_differently(sess, tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("1,2\t3\n")
    tables = [
        lookup.HashTable(lookup.TextFileInitializer(str(path), tf.string, 0, dtype, 1, delimiter=by), default)
        for dtype, by, default in ((tf.string, ",", "?"), (tf.string, "\t", "?"), (tf.int64, "\t", -1))
    ]
    sess.run(tf.tables_initializer())
    found = [sess.run(table.lookup(tf.constant(["1", "1,2"]))).tolist() for table in tables]
    assert found == [[b"2\t3", b"?"], [b"?", b"3"], [-1, 3]]


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("", tf.string, 0, tf.int64, -1), "Filename required"),
        (("f", tf.string, -3, tf.int64, -1), "Invalid key index -3"),
        (("f", tf.string, -1, tf.int64, -1), "Keys must be dtype"),
        (("f", tf.string, 0, tf.float32, -2), "Values must be integer or string"),
        (("f", tf.string, 0, tf.int64, -1, 0), "Invalid vocab_size 0"),
    ],
)
def test_wrong_files(arguments, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.lookup.TextFileInitializer(*arguments)


def test_words_to_ids(sess, words):
    plain = lookup.index_table_from_file(words, default_value=7)
    hashed = lookup.index_table_from_file(words, num_oov_buckets=2)
    strong = lookup.index_table_from_tensor(["x", "y"], 5, hasher_spec=lookup.StrongHashSpec([1, 2]))
    numbers = lookup.index_table_from_tensor([10, 20], num_oov_buckets=1, dtype=tf.int32)
    vocabulary = tf.lookup.StaticVocabularyTable(
        lookup.KeyValueTensorInitializer(["x", "y"], np.int64([0, 1])), num_oov_buckets=3
    )
    only_hashed = tf.lookup.StaticVocabularyTable(None, num_oov_buckets=4)
    sess.run(tf.tables_initializer())
    asked = tf.constant(["lake", "tarkus", "x", "y"])
    assert sess.run(plain.lookup(asked)).tolist() == [1, 7, 7, 7]
    ids = sess.run(hashed.lookup(asked))
    assert ids[0] == 1 and set(ids[1:]) <= {3, 4} and sess.run(hashed.size()) == 5
    ids = sess.run(strong.lookup(asked))
    assert ids[2:].tolist() == [0, 1] and set(ids[:2]) <= set(range(2, 7))
    assert sess.run(numbers.lookup(tf.constant([20, 30], tf.int32))).tolist() == [1, 2]
    fast = sess.run(tf.strings.to_hash_bucket_fast(asked, 3))
    assert sess.run(vocabulary.lookup(asked)).tolist() == [2 + fast[0], 2 + fast[1], 0, 1]
    sparse = tf.SparseTensor([[0], [3]], ["x", "lake"], [4])
    assert sess.run(vocabulary.lookup(sparse)).values.tolist() == [0, 2 + fast[0]]
    assert sess.run(only_hashed.lookup(asked)).tolist() == sess.run(tf.strings.to_hash_bucket_fast(asked, 4)).tolist()
    sess.run(only_hashed.initializer)
    for call, error in (
        (lambda: lookup.index_table_from_file(""), ValueError),
        (lambda: lookup.index_table_from_file("f", vocab_size=0), ValueError),
        (lambda: lookup.index_table_from_file("f", num_oov_buckets=-1), ValueError),
        (lambda: lookup.index_table_from_tensor(None), ValueError),
        (lambda: lookup.index_table_from_tensor(["a"], dtype=tf.int64), ValueError),
        (lambda: lookup.index_table_from_tensor([1.0], dtype=tf.float32), TypeError),
        (lambda: lookup.StrongHashSpec([1]), ValueError),
        (lambda: lookup.IdTableWithHashBuckets(None, 0), ValueError),
        (lambda: lookup.IdTableWithHashBuckets(plain, 1, hasher_spec="fast"), TypeError),
        (lambda: tf.lookup.StaticVocabularyTable(None, 0), ValueError),
    ):
        with pytest.raises(error):
            call()


def test_ids_to_words(sess, words):
    from_file = lookup.index_to_string_table_from_file(words)
    from_tensor = lookup.index_to_string_table_from_tensor(["x", "y"], default_value="z")
    sess.run(tf.tables_initializer())
    ids = tf.constant([1, 3], tf.int64)
    assert sess.run(from_file.lookup(ids)).tolist() == [b"lake", b"UNK"]
    assert sess.run(from_tensor.lookup(ids)).tolist() == [b"y", b"z"]


@pytest.mark.parametrize("dense", [False, True])
def test_mutable_tables(sess, dense):
    if dense:
        table = lookup.MutableDenseHashTable(tf.int64, tf.float32, [-1.0, -1.0], empty_key=0, deleted_key=-1)
    else:
        table = lookup.MutableHashTable(tf.int64, tf.float32, [-1.0, -1.0])
    sess.run(table.insert([1, 2], [[1, 2], [3, 4]]))
    assert sess.run(table.lookup([2, 3])).tolist() == [[3, 4], [-1, -1]]
    sess.run(table.remove(tf.constant([2], tf.int64)))
    assert sess.run(table.size()) == 1
    assert [x.tolist() for x in sess.run(table.export())] == [[1], [[1, 2]]]
    with pytest.raises(TypeError, match="Keys must be dtype"):
        table.remove(tf.constant(["a"]))


def test_tables_inside_of_conditionals(sess):
    def inside():
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [5]), 0)
        return table.lookup(tf.constant(1))

    value = tf.cond(tf.constant(True), inside, lambda: tf.constant(0))
    sess.run(tf.tables_initializer())
    assert sess.run(value) == 5


def test_old_name_of_vocabularies():
    table = tf.contrib.lookup.index_table_from_tensor(mapping=["a", "b"])
    words = tf.contrib.lookup.index_to_string_table_from_tensor(mapping=tf.constant(["a", "b"]))
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(table.lookup(tf.constant(["b", "c"]))).tolist() == [1, -1]
        assert session.run(words.lookup(tf.constant([1, 2], tf.int64))).tolist() == [b"b", b"UNK"]
    for make in (tf.contrib.lookup.index_table_from_tensor, tf.contrib.lookup.index_to_string_table_from_tensor):
        with pytest.raises(ValueError, match="Cannot specify both 'mapping' and 'vocabulary_list'"):
            make(["a"], mapping=["a"])
        with pytest.raises(ValueError, match="vocabulary_list must be specified"):
            make()
