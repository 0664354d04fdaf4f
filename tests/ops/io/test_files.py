"""Whole files, and names that match patterns."""

import os

import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize("contents", [b"", b"a\0b\r\n", bytes(range(256)) * 5000])
def test_a_file_is_written_and_read(sess, tmp_path, contents):
    name = str(tmp_path / "new" / "folders" / "file")
    sess.run(tf.write_file(name, contents))
    assert open(name, "rb").read() == contents
    assert sess.run(tf.read_file(name)) == contents
    assert sess.run(tf.io.read_file("file://" + name)) == contents
    sess.run(tf.io.write_file(name, b"shorter"))
    assert sess.run(tf.read_file(name)) == b"shorter"


def test_a_file_is_read_each_time(sess, tmp_path):
    name = str(tmp_path / "file")
    contents = tf.read_file(name)
    for text in (b"one", b"two"):
        open(name, "wb").write(text)
        assert sess.run(contents) == text


def test_errors_name_the_file(sess, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="nothing; No such file or directory"):
        sess.run(tf.read_file(str(tmp_path / "nothing")))
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{tmp_path}; Is a directory"):
        sess.run(tf.read_file(str(tmp_path)))
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{tmp_path}; Is a directory"):
        sess.run(tf.write_file(str(tmp_path), "text"))
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"File system scheme 's3x' not implemented \(file: 's3x://a'"
    ):
        sess.run(tf.read_file("s3x://a"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="null character"):
        sess.run(tf.read_file(b"a\0b"))
    with pytest.raises(tf.errors.NotFoundError, match="; No such file or directory"):
        sess.run(tf.read_file(""))
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.read_file(["a"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="filename tensor must be scalar"):
        sess.run(tf.read_file(tf.placeholder_with_default(["a", "b"], None)))


def test_names_match_as_in_gfile(sess, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt", ".hidden.txt", "sub/c.txt", "sub/deep/d.txt", "other/c.txt", "[x]"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        open(name, "w").close()
    os.symlink("nowhere", "dangling.txt")
    patterns = ["*.txt", "a.txt", "*/c.txt", "*/*/*.txt", "?.txt", "[ab].txt", "[^a].txt", "nothing*", "sub", "s*/deep"]
    patterns += ["no/such/*", "*", "sub//*", r"\[x\]"]
    given = tf.placeholder(tf.string)
    names_of = tf.matching_files(given)
    for pattern in patterns:
        for each in (pattern, f"{tmp_path}/{pattern}"):
            names = sess.run(names_of, {given: each}).tolist()
            assert names == sorted(name.encode() for name in tf.gfile.Glob(each)), each
    assert sess.run(tf.matching_files(["*.txt", "sub/*.txt"])).tolist() == sorted(
        [b".hidden.txt", b"a.txt", b"b.txt", b"dangling.txt", b"sub/c.txt"]
    )
    assert sess.run(tf.io.matching_files("")).shape == (0,)
    with pytest.raises(ValueError, match="Shape must be at most rank 1 but is rank 2"):
        tf.matching_files([["*"]])


def test_a_pattern_of_any_length(sess):
    assert sess.run(tf.matching_files("a" * 10000)).shape == (0,)
    assert sess.run(tf.matching_files("*" + "/a" * 10000)).shape == (0,)
    assert sess.run(tf.matching_files("/" * 10000)).shape == (0,)


@pytest.mark.parametrize("name", ["C://file", "a/b://file", "a-b://file", "1a://file"])
def test_a_path_without_a_scheme_is_one_of_this_machine(sess, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True)
    with tf.python_io.TFRecordWriter(name) as writer:
        writer.write(b"record")
    v = tf.Variable(7)
    sess.run(v.initializer)
    tf.train.Saver().save(sess, f"{name}.ckpt", write_meta_graph=False)
    assert b"record" in sess.run(tf.read_file(name))
    value = tf.data.TFRecordDataset(name).make_one_shot_iterator().get_next()
    assert sess.run(value) == b"record"
    assert tf.train.NewCheckpointReader(f"{name}.ckpt").get_tensor("Variable") == 7
