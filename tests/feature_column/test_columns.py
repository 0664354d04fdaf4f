"""The features of columns, as numbers, counts of ids and embeddings."""

import numpy as np
import pytest

import tfcore as tf
from tests.feature_column.helpers import NUMBERS, WORDS, dense_input, evaluate, fc, one_hot


def identity(key="ids", size=4, **options):
    return fc.categorical_column_with_identity(key, size, **options)


def sparse_ids():
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])


def sparse_weights(values=(0.5, -2.0, 3.0)):
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant(values), [3, 2])


def test_numbers():
    columns = [fc.numeric_column("y", normalizer_fn=lambda y: y * 10), fc.numeric_column("x", shape=2)]
    found = dense_input(lambda: {"x": NUMBERS, "y": tf.constant([1, 2, 3])}, *columns)
    np.testing.assert_array_equal(found, np.column_stack([NUMBERS, [10, 20, 30]]))
    assert found.dtype == np.float32


def test_numbers_of_higher_rank():
    x = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(dense_input(lambda: {"x": x}, fc.numeric_column("x", shape=(2, 2))), x.reshape(3, 4))


@pytest.mark.parametrize("as_ids", [False, True])
def test_buckets(as_ids):
    boundaries = [0.0, 1.0, 3.0]
    column = fc.bucketized_column(fc.numeric_column("x", shape=2), boundaries)
    buckets = [[sum(x >= b for b in boundaries) for x in row] for row in NUMBERS]
    expected = np.array(one_hot([[a, b + 4] for a, b in buckets], 8))
    found = dense_input(lambda: {"x": NUMBERS}, fc.indicator_column(column) if as_ids else column)
    np.testing.assert_array_equal(found, expected)
    assert column.num_buckets == 8 and column.variable_shape.as_list() == [2, 4]


def test_identity():
    ids = [[1, -1], [3, 2], [0, 0]]
    found = dense_input(lambda: {"ids": ids}, fc.indicator_column(identity()))
    np.testing.assert_array_equal(found, one_hot(ids, 4))


def test_identity_out_of_range():
    features = {"ids": [[1, 9], [-1, 2]]}
    found = dense_input(lambda: features, fc.indicator_column(identity(default_value=3)))
    np.testing.assert_array_equal(found, one_hot([[1, 3], [None, 2]], 4))
    with pytest.raises(tf.errors.InvalidArgumentError, match="9"):
        dense_input(lambda: features, fc.embedding_column(identity(), 2))


@pytest.mark.parametrize(
    "options, other, size",
    [({}, None, 3), ({"default_value": 1}, 1, 3), ({"num_oov_buckets": 1}, 3, 4)],
)
@pytest.mark.parametrize("kind", ["list", "file", "part of a file"])
def test_vocabularies(kind, options, other, size, tmp_path):
    words = ["a", "b", "c"]
    if kind == "list":
        column = fc.categorical_column_with_vocabulary_list("w", words, **options)
    else:
        path = tmp_path / "words.txt"
        path.write_text("".join(word + "\n" for word in words + ["zz"] * (kind != "file")))
        column = fc.categorical_column_with_vocabulary_file("w", str(path), None if kind == "file" else 3, **options)
    ids = [[0, 1], [2, None], [other, 0]]
    assert column.num_buckets == size
    np.testing.assert_array_equal(dense_input(lambda: {"w": WORDS}, fc.indicator_column(column)), one_hot(ids, size))


def test_vocabulary_of_integers():
    column = fc.categorical_column_with_vocabulary_list("w", [7, 5, 9])
    found = dense_input(lambda: {"w": tf.constant([[5, 7], [9, 5], [-1, 7]])}, fc.indicator_column(column))
    np.testing.assert_array_equal(found, one_hot([[1, 0], [2, 1], [None, 0]], 3))


def test_vocabulary_in_a_loop():
    column = fc.indicator_column(fc.categorical_column_with_vocabulary_list("w", ["a", "b"]))

    def build():
        return tf.map_fn(lambda row: fc.input_layer({"w": row[None]}, [column])[0], tf.constant(WORDS), tf.float32)

    np.testing.assert_array_equal(evaluate(build)[0], one_hot([[0, 1], [None], [None, 0]], 2))


@pytest.mark.parametrize("dtype", [tf.string, tf.int64, tf.int32])
def test_hash_buckets(dtype):
    given = [["a", "b"], ["c", ""]] if dtype == tf.string else [[7, -4], [8, -1]]
    words = [[str(word) for word in row if word not in ("", -1)] for row in given]
    with tf.Session(graph=tf.Graph()) as sess, sess.graph.as_default():
        ids = [sess.run(tf.string_to_hash_bucket_fast(row, 5)).tolist() for row in words]
    column = fc.categorical_column_with_hash_bucket("w", 5, dtype)
    found = dense_input(lambda: {"w": tf.constant(given, dtype)}, fc.indicator_column(column))
    np.testing.assert_array_equal(found, one_hot(ids, 5))


def test_weights():
    column = fc.indicator_column(fc.weighted_categorical_column(identity(), "v"))
    features = {"ids": sparse_ids, "v": sparse_weights}
    found = dense_input(lambda: {key: make() for key, make in features.items()}, column)
    np.testing.assert_array_equal(found, [[0, 0.5, 0, -2], [0, 0, 0, 0], [0, 0, 3, 0]])


def test_dense_weights_of_integers():
    column = fc.indicator_column(fc.weighted_categorical_column(identity(), "v", dtype=tf.int32))
    found = dense_input(lambda: {"ids": [[1, 2], [0, -1]], "v": [[3, 2], [5, 0]]}, column)
    np.testing.assert_array_equal(found, [[0, 3, 2, 0], [5, 0, 0, 0]])


def test_crossed():
    buckets = fc.bucketized_column(fc.numeric_column("x", shape=2), [0.0, 3.0])
    crossed = fc.crossed_column([fc.crossed_column(["w", buckets], 7), identity()], 11, hash_key=5)
    features = {"w": WORDS, "x": NUMBERS, "ids": [[1], [2], [3]]}

    def expected():
        # Dense inputs come last; strings are crossed as they are, "" too.
        inputs = [tf.SparseTensor(tf.constant(at, tf.int64), tf.constant(values, tf.int64), [3, 2]) for at, values in (
            ([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]], [1, 4, 2, 3, 1, 5]),
            ([[0, 0], [1, 0], [2, 0]], [1, 2, 3]),
        )]  # fmt: skip
        return tf.sparse.cross_hashed([*inputs, tf.constant(WORDS)], 11, hash_key=5)

    assert crossed.name == "ids_X_w_X_x_bucketized"
    found = dense_input(lambda: features, fc.indicator_column(crossed))
    crosses, _ = evaluate(expected)
    counts = np.zeros((3, 11))
    np.add.at(counts, (crosses.indices[:, 0], crosses.values), 1)
    np.testing.assert_array_equal(found, counts)


@pytest.mark.parametrize("rows", [3, None])
def test_known_shapes_of_indicators(rows):
    with tf.Graph().as_default():
        w, v = tf.placeholder(tf.string, [rows, 2]), tf.placeholder(tf.float32, [rows, 2])
        for column, size in (
            (fc.crossed_column(["w", "x"], 9), 9),
            (fc.crossed_column([fc.categorical_column_with_vocabulary_list("w", ["a"]), "x"], 9), 9),
            (fc.weighted_categorical_column(fc.categorical_column_with_vocabulary_list("w", ["a", "b"]), "v"), 2),
        ):
            made = fc.input_layer({"w": w, "x": w, "v": v}, [fc.indicator_column(column)])
            assert made.shape.as_list() == [rows, size]


COMBINE = {
    "sum": lambda rows, w: w @ rows,
    "mean": lambda rows, w: w @ rows / w.sum(),
    "sqrtn": lambda rows, w: w @ rows / np.sqrt((w * w).sum()),
}


@pytest.mark.parametrize("combiner", COMBINE)
@pytest.mark.parametrize("weighted", [False, True])
def test_embeddings(combiner, weighted):
    column = identity()
    column = fc.weighted_categorical_column(column, "v") if weighted else column
    column = fc.embedding_column(column, 3, combiner=combiner)
    features = {"ids": sparse_ids, "v": lambda: sparse_weights((0.5, 2.0, 3.0))}
    found, variables = evaluate(lambda: fc.input_layer({key: make() for key, make in features.items()}, [column]))
    [(name, table)] = variables.items()
    assert name == f"input_layer/{column.name}/embedding_weights" and table.shape == (4, 3)
    w = np.array([0.5, 2.0, 3.0] if weighted else [1.0, 1.0, 1.0])
    expected = [COMBINE[combiner](table[[1, 3]], w[:2]), [0, 0, 0], COMBINE[combiner](table[[2]], w[2:])]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_embeddings_of_bounded_norm():
    column = fc.embedding_column(identity(), 3, max_norm=0.25)
    found, variables = evaluate(lambda: fc.input_layer({"ids": [[1], [2]]}, [column]))
    [table] = variables.values()
    expected = table[[1, 2]] * np.minimum(1, 0.25 / np.linalg.norm(table[[1, 2]], axis=1))[:, None]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_shared_embeddings():
    def build():
        columns = fc.shared_embedding_columns([identity("b"), identity("a")], 2)
        assert [column.name for column in columns] == ["b_shared_embedding", "a_shared_embedding"]
        features = {"b": [[1, 2], [3, 0]], "a": [[0], [1]]}
        return [fc.input_layer(features, columns), fc.input_layer(features, columns[:1])]

    (both, again), variables = evaluate(build)
    [(name, table)] = variables.items()
    assert name == "input_layer/a_b_shared_embedding/embedding_weights"
    of_b = np.stack([table[[1, 2]].mean(0), table[[3, 0]].mean(0)])
    np.testing.assert_allclose(both, np.column_stack([table[[0, 1]], of_b]), rtol=1e-6)
    np.testing.assert_allclose(again, of_b, rtol=1e-6)


def test_embeddings_of_a_checkpoint(tmp_path):
    table = np.arange(8, dtype=np.float32).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as sess:
        saved = tf.Variable(table, name="old/table")
        sess.run(saved.initializer)
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    column = fc.embedding_column(identity(), 2, ckpt_to_load_from=path, tensor_name_in_ckpt="old/table")
    with tf.Graph().as_default(), tf.Session() as sess:
        y = fc.input_layer({"ids": [[2], [0]]}, [column])
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(y), table[[2, 0]])


def test_gradients_reach_the_table():
    def build():
        y = fc.input_layer({"ids": [[1, 2], [1, -1]]}, [fc.embedding_column(identity(), 2, combiner="sum")])
        return tf.convert_to_tensor(tf.gradients(y, tf.trainable_variables())[0])

    np.testing.assert_array_equal(evaluate(build)[0], [[0, 0], [2, 2], [1, 1], [0, 0]])


@pytest.mark.parametrize("value", [np.array([1.0, 2.0], np.float32), np.array([[1.0], [2.0]], np.float32)])
def test_numbers_of_unknown_rank(value):
    found = dense_input(lambda: {"x": tf.placeholder_with_default(value, None)}, fc.numeric_column("x"))
    np.testing.assert_array_equal(found, [[1], [2]])


def test_scalars_of_unknown_rank():
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot have rank 0"):
        dense_input(lambda: {"x": tf.placeholder_with_default(1.0, None)}, fc.numeric_column("x"))


def test_parsed_examples():
    columns = [
        fc.numeric_column("x", shape=2, default_value=[1.0, 5.0]),
        fc.indicator_column(fc.weighted_categorical_column(identity(), "v")),
        fc.indicator_column(fc.crossed_column(["w", "u"], 3)),
    ]
    spec = fc.make_parse_example_spec(columns)
    assert spec == {
        "x": tf.FixedLenFeature((2,), tf.float32, (1.0, 5.0)),
        "ids": tf.VarLenFeature(tf.int64),
        "v": tf.VarLenFeature(tf.float32),
        "w": tf.VarLenFeature(tf.string),
        "u": tf.VarLenFeature(tf.string),
    }
    example = tf.train.Example()
    example.features.feature["ids"].int64_list.value.extend([3, 1])
    example.features.feature["v"].float_list.value.extend([0.5, 0.25])
    found = dense_input(lambda: tf.io.parse_example([example.SerializeToString()], spec), *columns)
    np.testing.assert_array_equal(found, [[0, 0.25, 0, 0.5] + [0, 0, 0] + [1, 5]])
