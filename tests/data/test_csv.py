"""Records of CSV files, and batches of examples. The values are TensorFlow 2.21's."""

import gzip

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_positions import check_every_position
from tests.data.test_windows import run

FILES = {
    "a": 'i,f,s,e\n1,1.5,abc,\n2,,"q ""x"", y",7\n3,2.25,"two\nlines",8\n',
    "b": "i,f,s,e\n4,4.5,d,\n5,5,e,9",
    "bad": '1,2\n\n3,4,5\nx,6\n7,8\n"9,1\n',
    "other": 'i,g\r\n2,"b\r\nc"\r\n',
    "empty": "",
}
experimental = tf.data.experimental
CsvDataset, make_csv_dataset = experimental.CsvDataset, experimental.make_csv_dataset


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


@pytest.fixture
def both(folder):
    return [str(folder / "a"), str(folder / "b")]


def lists(found):
    if isinstance(found, dict):
        return {key: value.tolist() for key, value in found.items()}
    return tuple(lists(part) for part in found) if isinstance(found, tuple) else found.tolist()


def batches(dataset):
    return [lists(found) for found in run(dataset)]


def attempts(dataset):
    """The elements; texts of errors instead of those that fail."""
    found, value = [], dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(value))
            except tf.errors.InvalidArgumentError as error:
                found.append(error.message.splitlines()[0])
            except tf.errors.OutOfRangeError:
                return found


# ---- CsvDataset


def test_records_have_quotes_line_ends_and_defaults(both):
    dataset = CsvDataset(both, [tf.int32, [0.5], tf.string, [7]], header=True)
    assert dataset.output_types == (tf.int32, tf.float32, tf.string, tf.int32)
    assert run(dataset) == [
        *((1, 1.5, b"abc", 7), (2, 0.5, b'q "x", y', 7), (3, 2.25, b"two\nlines", 8)),
        *((4, 4.5, b"d", 7), (5, 5.0, b"e", 9)),
    ]
    some = [(1.5, b"abc"), (0.0, b'q "x", y'), (2.25, b"two\nlines")]
    assert run(CsvDataset(both[0], [[0.0], [""]], header=True, select_cols=[1, 2])) == some
    assert run(CsvDataset(both[0], [[0.0], [""]], header=True, exclude_cols=[0, 3])) == some
    named = CsvDataset(both[1], [[0], [0.0], [""], [""]], header=True, na_value="d")
    assert run(named) == [(4, 4.5, b"", b""), (5, 5.0, b"e", b"9")]
    check_every_position(lambda: CsvDataset(both, [tf.int32, [0.5], tf.string, [7]], header=True))


def test_records_that_are_wrong_are_errors_of_their_own(folder):
    found = attempts(CsvDataset(str(folder / "bad"), [tf.int32, tf.int32]))
    assert [f for f in found if isinstance(f, tuple)] == [(1, 2), (7, 8)] and len(found) == 6
    assert found[1:4] == [
        "Expect 2 fields but have 0 in record 0",
        "Expect 2 fields but have 3 in record 0",
        "Field 0 in record 0 is not a valid int32: x",
    ]
    assert "Quoted field has to end" in found[5]
    found = attempts(CsvDataset(str(folder / "a"), [tf.float32], header=True, select_cols=[1]))
    assert found == [(1.5,), "Field 0 is required but missing in record 0!", (2.25,)]
    plain = attempts(CsvDataset(str(folder / "other"), [tf.string, [""]], use_quote_delim=False))
    assert plain[:2] == [(b"i", b"g"), (b"2", b'"b')] and plain[2].startswith("Expect 2 fields")
    with pytest.raises(ValueError, match="At most one of"):
        CsvDataset("x", [[0]], select_cols=[0], exclude_cols=[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 3 fields but have 4"):
        run(CsvDataset(str(folder / "b"), [[""], [""]], header=True, exclude_cols=[0]))


# ---- make_csv_dataset


def test_names_and_types_come_from_the_files(folder, both):
    dataset = make_csv_dataset(str(folder / "[ab]"), 2, num_epochs=1, shuffle=False)
    assert list(dataset.output_types) == ["i", "f", "s", "e"]
    assert batches(dataset) == [
        {"i": [1, 2], "f": [1.5, 0.0], "s": [b"abc", b'q "x", y'], "e": [0, 7]},
        {"i": [3, 4], "f": [2.25, 4.5], "s": [b"two\nlines", b"d"], "e": [8, 0]},
        {"i": [5], "f": [5.0], "s": [b"e"], "e": [9]},
    ]
    labelled = make_csv_dataset(both, 2, label_name="s", num_epochs=1, shuffle=False, select_columns=["s", 0])
    assert batches(labelled) == [
        *(({"i": [1, 2]}, [b"abc", b'q "x", y']), ({"i": [3, 4]}, [b"two\nlines", b"d"]), ({"i": [5]}, [b"e"])),
    ]
    in_turn = make_csv_dataset(both, 1, num_epochs=1, shuffle=False, num_parallel_reads=2, select_columns=["i"])
    assert [d["i"] for d in batches(in_turn)] == [[1], [4], [2], [5], [3]]


@pytest.mark.parametrize(
    "texts, dtype",
    [
        (["1", "", "-3"], tf.int32),
        (["1", "3000000000"], tf.int64),
        (["3000000000", "1"], tf.int64),
        (["1", "1e3"], tf.float32),
        (["1.5", "1e300"], tf.float64),
        (["1", "1e400"], tf.string),
        (["1.5", "x", "2"], tf.string),
        (["", "none"], tf.string),
    ],
)
def test_the_type_of_a_column_is_the_narrowest(tmp_path, texts, dtype):
    path = tmp_path / "column"
    path.write_text("\n".join(["name,other", *(f"{text},1" for text in texts)]))
    dataset = make_csv_dataset(str(path), 1, na_value="none")
    assert dataset.output_types == {"name": dtype, "other": tf.int32}


def test_only_the_first_records_are_looked_at(tmp_path):
    path = tmp_path / "column"
    path.write_text("n\n1\nx\n")
    for rows, dtype in ((1, tf.int32), (2, tf.string), (None, tf.string)):
        assert make_csv_dataset(str(path), 1, num_rows_for_inference=rows).output_types == {"n": dtype}


def test_the_order_for_a_seed_is_tensorflows(both):
    once = make_csv_dataset(both, 2, num_epochs=1, shuffle_seed=3)
    assert [d["i"] for d in batches(once)] == [[5, 4], [3, 2], [1]]
    endless = make_csv_dataset(both, 3, shuffle_seed=3)
    assert endless.output_shapes["i"].as_list() == [3]
    assert [d["i"] for d in batches(endless.take(3))] == [[5, 4, 3], [2, 1, 4], [5, 2, 3]]


def test_compressed_files_and_wrong_records(folder):
    (folder / "a.gz").write_bytes(gzip.compress(FILES["a"].encode()))
    dataset = make_csv_dataset(
        str(folder / "a.gz"), 9, num_epochs=1, shuffle=False, compression_type="GZIP", select_columns=["i"]
    )
    assert batches(dataset) == [{"i": [1, 2, 3]}]
    columns = {"column_names": ["a", "b"], "column_defaults": [tf.int32, tf.int32], "header": False}
    left = make_csv_dataset(str(folder / "bad"), 2, num_epochs=1, shuffle=False, ignore_errors=True, **columns)
    assert batches(left) == [{"a": [1, 7], "b": [2, 8]}]


@pytest.mark.parametrize(
    "names, options, text",
    [
        ("nothing*", {}, "No files match `file_pattern`"),
        ([], {}, "`file_pattern` should not be empty"),
        ("a", {"header": False}, "Expected `column_names` or `header` arguments"),
        ("a", {"label_name": "zz"}, r"must be one of the columns: \['i', 'f', 's', 'e'\]. Received: zz"),
        ("a", {"select_columns": ["zz"]}, "Column zz specified in `select_columns`"),
        ("a", {"select_columns": [9]}, "Column index 9 specified in `select_columns`"),
        ("a", {"select_columns": [1, "f"]}, "contains duplicate columns: {'f'}"),
        ("a", {"column_names": ["a", "a", "b", "c"]}, "contains duplicate column names: {'a'}"),
        (["a", "other"], {}, "should have the same column names"),
        ("empty", {}, "Is it an empty file?"),
        ("bad", {"column_names": ["a", "b"], "header": False}, "CSV row 2 has 0 number of fields. Expected: 2"),
        ("a", {"select_columns": [1], "column_defaults": [tf.int32, tf.int32]}, "must have the same length"),
        ("a", {"compression_type": "ZLIB"}, "`compression_type` ZLIB is not supported for probing"),
        ("a", {"compression_type": "LZ"}, "Received unknown `compression_type` LZ"),
    ],
)
def test_columns_that_do_not_fit_are_refused(folder, names, options, text):
    paths = [str(folder / n) for n in names] if isinstance(names, list) else str(folder / names)
    with pytest.raises(ValueError, match=text):
        make_csv_dataset(paths, 2, **options)


# ---- Examples


@pytest.fixture
def examples(tmp_path):
    path = str(tmp_path / "examples")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(5):
            example = tf.train.Example()
            example.features.feature["x"].int64_list.value.extend([i, 2 * i])
            example.features.feature["y"].float_list.value.append(i / 2)
            writer.write(example.SerializeToString())
    return path


FEATURES = {"x": tf.io.FixedLenFeature([2], tf.int64), "y": tf.io.FixedLenFeature([], tf.float32)}


def test_batches_of_features(examples):
    make = experimental.make_batched_features_dataset
    labelled = make(examples, 2, FEATURES, num_epochs=1, shuffle=False, label_key="y")
    assert batches(labelled) == [
        *(({"x": [[0, 0], [1, 2]]}, [0.0, 0.5]), ({"x": [[2, 4], [3, 6]]}, [1.0, 1.5]), ({"x": [[4, 8]]}, [2.0])),
    ]
    twice = make(examples, 2, FEATURES, num_epochs=2, shuffle_seed=4)
    assert [d["y"] for d in batches(twice)] == [[0.5, 1.0], [2.0, 1.5], [0.0, 1.5], [0.5, 2.0], [1.0, 0.0]]

    def pairs(name, count):
        return tf.data.TFRecordDataset(name).take(count).map(lambda record: (name, record))

    read = make(
        examples, 2, FEATURES, reader=pairs, reader_args=[3], num_epochs=1, shuffle=False, drop_final_batch=True
    )
    assert [d["y"] for d in batches(read)] == [[0.0, 0.5]]
    with pytest.raises(ValueError, match=r"The `label_key` provided \(z\) must be one of the `features` keys"):
        make(examples, 2, FEATURES, label_key="z")


def test_parsed_batches(examples):
    records = tf.data.TFRecordDataset(examples)
    parsed = records.batch(3).apply(experimental.parse_example_dataset(FEATURES, 2))
    assert [d["x"].shape for d in run(parsed)] == [(3, 2), (2, 2)]
    with pytest.raises(TypeError, match="should be a dataset of vectors of strings"):
        records.apply(experimental.parse_example_dataset(FEATURES))
    with pytest.raises(ValueError, match="`features` is required"):
        experimental.parse_example_dataset(None)
    sparse = run(records.batch(5).apply(experimental.parse_example_dataset({"x": tf.io.VarLenFeature(tf.int64)})))
    assert sparse[0]["x"].values.tolist() == [0, 0, 1, 2, 2, 4, 3, 6, 4, 8]
    assert sparse[0]["x"].dense_shape.tolist() == [5, 2]
    assert np.isclose(run(parsed)[1]["y"], [1.5, 2.0]).all()
