"""Summary operations: the bytes that TensorFlow makes, names and tags, errors."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def values(sess, summary, feeds=None):
    return tf.Summary.FromString(sess.run(summary, feeds)).value


REAL = [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.int64]
REAL += [tf.uint32, tf.uint64]


@pytest.mark.parametrize("dtype", REAL)
def test_scalar(sess, dtype):
    summary = tf.summary.scalar("s", tf.cast(3, dtype))
    assert sess.run(summary) == b"\n\x08\n\x01s\x15\x00\x00@@"
    assert summary.shape == () and tf.get_collection(tf.GraphKeys.SUMMARIES) == [summary]


def test_several_scalars(sess):
    tags, numbers = tf.placeholder(tf.string), tf.placeholder(tf.float32)
    summary = tf.raw_ops.ScalarSummary(tags=tags, values=numbers)
    two = {tags: ["a", "b"], numbers: [0, 2]}  # a zero is written, as it is one of several kinds of values
    assert sess.run(summary, two) == b"\n\x08\n\x01a\x15\x00\x00\x00\x00\n\x08\n\x01b\x15\x00\x00\x00@"
    assert sess.run(summary, {tags: np.empty(0, object), numbers: []}) == b""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"are not the same shape: \[\] != \[2\] \(tag 'a'\)"):
        sess.run(summary, {tags: "a", numbers: [1, 2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"are not the same shape: \[2\] != \[1,2\]\n"):
        sess.run(summary, {tags: ["a", "b"], numbers: [[1, 2]]})


@pytest.mark.parametrize("dtype", REAL)
def test_histogram(sess, dtype):
    summary = tf.summary.histogram("h", tf.cast([[1, 2], [2, 2]], dtype))
    ((tag, histogram),) = [(v.tag, v.histo) for v in values(sess, summary)]
    assert tag == "h" and (histogram.min, histogram.max, histogram.num) == (1, 2, 4)
    assert (histogram.sum, histogram.sum_squares) == (7, 13)
    limits = [0.917246389039776, 1.0089710279437536, 1.9661990955585713, 2.1628190051144287, np.finfo(float).max]
    assert list(histogram.bucket_limit) == limits and list(histogram.bucket) == [0, 1, 0, 3, 0]


def test_histogram_has_tensorflows_bytes(sess):
    expected = (
        b"\nf\n\x01h*a\t\x00\x00\x00\x00\x00\x00\x08@\x11\x00\x00\x00\x00\x00\x00\x08@\x19\x00\x00\x00\x00\x00\x00\xf0?"
        b'!\x00\x00\x00\x00\x00\x00\x08@)\x00\x00\x00\x00\x00\x00"@2\x18h\xbc\x105\x9a\x07\x07@\r\x9c\xc5\xa0)U\t@\xff'
        b"\xff\xff\xff\xff\xff\xef\x7f:\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00"
        b"\x00\x00\x00\x00\x00"
    )
    assert sess.run(tf.summary.histogram("h", [3.0])) == expected
    empty = (
        b"\n+\n\x01h*&\t\xff\xff\xff\xff\xff\xff\xef\x7f\x11\xff\xff\xff\xff\xff\xff\xef\xff2\x08\xff\xff\xff\xff\xff"
        b"\xff\xef\x7f:\x08\x00\x00\x00\x00\x00\x00\x00\x00"
    )
    nothing = tf.raw_ops.HistogramSummary(tag="h", values=tf.zeros([0]))
    assert sess.run(nothing) == empty


def test_histogram_counts_every_value(sess):
    """Beside NumPy, on values of all sizes, zeros and the largest numbers included."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal(5000) * 10.0 ** rng.integers(-20, 25, 5000)
    x[:6] = 0, -0.0, np.finfo(float).max, np.finfo(float).min, 1e-12, -1e-12
    fed = tf.placeholder(tf.float64)
    (value,) = values(sess, tf.summary.histogram("h", fed), {fed: x})
    limits = [-np.inf, *value.histo.bucket_limit]
    limits[-1] = np.inf
    counts, _ = np.histogram(x, limits)
    np.testing.assert_array_equal(counts, value.histo.bucket)
    assert value.histo.num == 5000 and value.histo.min == x.min() and value.histo.max == x.max()


@pytest.mark.parametrize(("number", "text"), [(np.nan, "Nan in summary histogram"), (-np.inf, "Infinity in Histogram")])
def test_histogram_of_no_numbers(sess, number, text):
    summary = tf.summary.histogram("h", tf.constant([1, number]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{text} for: h"):
        sess.run(summary)


def test_histogram_of_several_tags(sess):
    tags = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="tags must be scalar"):
        sess.run(tf.raw_ops.HistogramSummary(tag=tags, values=[1.0]), {tags: ["a"]})


@pytest.mark.parametrize("dtype", [*REAL, tf.bool, tf.complex64, tf.complex128])
def test_tensors(sess, dtype):
    tensor = tf.cast([[1, 0, 1]], dtype)
    (value,) = values(sess, tf.summary.tensor_summary("t", tensor))
    np.testing.assert_array_equal(tf.make_ndarray(value.tensor), sess.run(tensor))
    assert value.tag == "t" and value.HasField("metadata")


def test_text(sess):
    summary = tf.summary.text("t", tf.constant(["hello"]))
    assert sess.run(summary) == b"\n\x1e\n\x01tB\x0f\x08\x07\x12\x04\x12\x02\x08\x01B\x05helloJ\x08\n\x06\n\x04text"
    with pytest.raises(ValueError, match="Expected tensor Const_1:0 to have dtype string, got <dtype: 'int32'>"):
        tf.summary.text("number", tf.constant(1))


def test_strings_in_tensors(sess):
    strings = np.array([b"a", b"", b"\xff\0"], object)
    (value,) = values(sess, tf.summary.tensor_summary("t", tf.constant(strings)))
    assert list(value.tensor.string_val) == list(strings)


def test_metadata(sess):
    given = tf.SummaryMetadata(plugin_data={"plugin_name": "p"}, summary_description="old")
    tensor = tf.constant(1)
    summary = tf.summary.tensor_summary("t", tensor, "what", summary_metadata=given, display_name="shown")
    (value,) = values(sess, summary)
    assert value.metadata.plugin_data.plugin_name == "p" and value.metadata.display_name == "shown"
    assert value.metadata.summary_description == "what" and given.summary_description == "old"
    text = tf.placeholder(tf.string)
    raw = tf.raw_ops.TensorSummaryV2(tag="t", tensor=tensor, serialized_summary_metadata=text)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse serialized_summary_metadata"):
        sess.run(raw, {text: b"\xff"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="serialized_summary_metadata must be scalar"):
        sess.run(raw, {text: [b""]})


@pytest.mark.parametrize(
    "value, expected",
    [
        (np.float32([1, 2]), b'\n\x19:\x03abcB\x12\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'),
        (np.array([b"a", b"bc"]), b"\n\x16:\x03abcB\x0f\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"),
        (np.bool_(True), b'\n\x0e:\x03abcB\x07\x08\n\x12\x00"\x01\x01'),
    ],
)
def test_tensors_under_the_name_of_the_operation(sess, value, expected):
    summary = tf.raw_ops.TensorSummary(tensor=value, description="not written", labels=["x"], name="abc")
    assert sess.run(summary) == expected


def test_merge(sess):
    parts = [tf.summary.scalar("a", 1.0), tf.summary.histogram("b", [1.0, 2.0]), tf.summary.scalar("c", 0)]
    merged = tf.summary.merge(parts, collections=["merged"], name="all of it")
    assert [v.tag for v in values(sess, merged)] == ["a", "b", "c"]
    assert sess.run(merged) == b"".join(sess.run(parts))
    assert tf.get_collection("merged") == [merged] and merged.name == "all_of_it/all_of_it:0"
    several = tf.raw_ops.MergeSummary(inputs=[tf.stack(parts), tf.constant(b"")])
    assert sess.run(several) == sess.run(merged)


def test_merge_refuses_tags_that_occur_twice(sess):
    a, b, fed = tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 1.0), tf.placeholder(tf.string, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
        sess.run(tf.summary.merge([a, b, a]))
    merged = tf.summary.merge([fed, fed])
    without = tf.Summary(value=[tf.Summary.Value(simple_value=1)]).SerializeToString()
    assert sess.run(merged, {fed: without}) == 2 * without
    many = [tf.Summary.Value(tag=str(i), simple_value=i) for i in range(1000)]
    assert len(values(sess, merged, {fed: b""})) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag 0 found"):
        sess.run(merged, {fed: tf.Summary(value=many).SerializeToString()})


@pytest.mark.parametrize("damaged", [b"\xff", b"garbage", b"\n\x05ab", b"\x08\x01", b"\n\x02\n\x05", b"\x0b"])
def test_merge_refuses_what_is_no_summary(sess, damaged):
    fed = tf.placeholder(tf.string, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse one of the summary inputs"):
        sess.run(tf.summary.merge([tf.summary.scalar("a", 1.0), fed]), {fed: damaged})


def test_names_and_tags(sess):
    assert tf.summary.merge_all() is None
    first = tf.summary.scalar("my tag!", 3.0)
    with tf.name_scope("o"):
        second = tf.summary.scalar("m", 3.0)
        third = tf.summary.scalar("m", 3.0, family="fam")
        fourth = tf.summary.histogram("m", [3.0])
        merged = tf.summary.merge_all()
    assert [t.name for t in (first, second, third, fourth)] == ["my_tag_:0", "o/m:0", "o/fam/m:0", "o/m_1:0"]
    assert [v.tag for v in values(sess, merged)] == ["my_tag_", "o/m", "fam/o/fam/m", "o/m_1"]
    assert merged.name == "o/Merge/MergeSummary:0" and list(merged.op.inputs) == [first, second, third, fourth]
    assert list(tf.summary.merge_all(scope="o/fam").op.inputs) == [third]
    other = tf.summary.scalar("x", 1, collections=["others"])
    assert list(tf.summary.merge_all("others").op.inputs) == [other]
    assert other not in tf.get_collection(tf.GraphKeys.SUMMARIES)


def test_summaries_have_no_gradient(sess):
    x = tf.constant(2.0)
    tf.summary.scalar("x", x)
    assert sess.run(tf.gradients(x * x, x)) == [4.0]
