"""Records of comma-separated values: random ones against Python, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf

TYPES = [tf.int32, tf.int64, tf.float32, tf.float64, tf.string]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def _numeral(draw, dtype):
    if dtype.is_integer:
        bits = dtype.size * 8 - 1
        return str(draw(st.integers(-(2**bits), 2**bits - 1)))
    if draw(st.booleans()):
        return draw(st.from_regex(r"\A[+-]?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,2})?\Z"))
    return draw(st.sampled_from([repr, "{:.6g}".format, "{:.3f}".format]))(draw(st.floats(allow_nan=False)))


def _value(text, dtype):
    """What a column has for a field: floats round once, from decimal to the type."""
    if dtype == tf.string:
        return text.encode()
    return int(text) if dtype.is_integer else dtype.as_numpy_dtype(text)


def _quoted(field, delim):
    return '"' + field.replace('"', '""') + '"' if set(field) & {delim, '"', "\n"} else field


@settings(max_examples=100)
@given(st.data())
def test_random_records(data):
    draw = data.draw
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=5))
    delim = draw(st.sampled_from(",;\t"))
    text = st.text(st.sampled_from('ab",;\t\n '), min_size=1, max_size=6)
    rows, records = [], []
    for _ in range(draw(st.integers(1, 3))):
        row = [draw(text) if t == tf.string else _numeral(draw, t) for t in types]
        row = [draw(st.sampled_from([field, field, field, "", "NA"])) for field in row]
        if row == [""]:
            row = ["NA"]  # a record without fields
        rows.append(row)
        records.append(delim.join(_quoted(field, delim) for field in row))
    selected = sorted(draw(st.sets(st.sampled_from(range(len(types))), min_size=1)))
    with tf.Graph().as_default():
        defaults = [tf.constant("d" if t == tf.string else 7, t) for t in types]
        columns = tf.decode_csv(records, defaults, delim, na_value="NA")
        chosen = tf.decode_csv(records, [defaults[i] for i in selected], delim, na_value="NA", select_cols=selected)
        columns, chosen = run([columns, chosen])
    for i, dtype in enumerate(types):
        default = b"d" if dtype == tf.string else 7
        with np.errstate(over="ignore"):
            expected = [default if row[i] in ("", "NA") else _value(row[i], dtype) for row in rows]
        assert columns[i].tolist() == np.array(expected, columns[i].dtype).tolist()
    for i, column in zip(selected, chosen):
        assert column.tolist() == columns[i].tolist()


def test_numbers():
    texts = [" 1.5 ", "+2", ".5", "5.", "1e400", "-inf", "0x10", "1e-46", "\t3", "16777217", "0.30000001192092896"]
    (singles,), (doubles,) = run([tf.decode_csv(texts, [tf.constant([], t)]) for t in (tf.float32, tf.float64)])
    expected = [1.5, 2, 0.5, 5, np.inf, -np.inf, 16, 1e-46, 3, 16777217, 0.30000001192092896]
    assert doubles.tolist() == expected
    assert singles.tolist() == np.float32(expected).tolist()
    middle = "1.00000005960464477539062500000000001"  # a float's middle, and a bit
    assert run(tf.decode_csv([middle], [tf.constant([], tf.float32)]))[0][0] == np.float32(1 + 2**-23)


def test_quotes():
    records = ['"a,b","c""d"', '"",x', '\n"e\r\nf",\ng']
    first, second = run(tf.decode_csv(records, [["d"], ["d"]]))
    assert first.tolist() == [b"a,b", b"d", b"e\r\nf"]
    assert second.tolist() == [b'c"d', b"x", b"g"]
    first, second = run(tf.decode_csv(['a"b,""', ","], [["d"], ["d"]], use_quote_delim=False))
    assert (first.tolist(), second.tolist()) == ([b'a"b', b"d"], [b'""', b"d"])


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ("1", "Expect 2 fields but have 1 in record 1"),
        ("", "Expect 2 fields but have 0 in record 1"),
        ("1,a,", "Expect 2 fields but have 3 in record 1"),
        (",a", "Field 0 is required but missing in record 1!"),
        ("x,a", "Field 0 in record 1 is not a valid int32: x"),
        ("2147483648,a", "Field 0 in record 1 is not a valid int32: 2147483648"),
        ("1.0,a", "Field 0 in record 1 is not a valid int32: 1.0"),
        ('1,a"', "Unquoted fields cannot have quotes/CRLFs inside, in record 1"),
        ("1,a\n", "Unquoted fields cannot have quotes/CRLFs inside"),
        ('1,"a"b"', "Quote inside a string has to be escaped by another quote"),
        ('1,"a', "Quoted field has to end with quote followed by delim or end"),
    ],
)
def test_wrong_records(record, text):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.decode_csv(["1,a", record], [tf.constant([], tf.int32), ["d"]]))
    assert text in str(error.value)


def test_wrong_arguments():
    for options, text in (
        ({"select_cols": [1, 0]}, "not strictly increasing"),
        ({"select_cols": [-1, 0]}, "negative"),
        ({"select_cols": [1]}, "do not match"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.decode_csv(["1,2"], [[0], [0]], **options)
    with pytest.raises(tf.errors.InvalidArgumentError, match="field_delim should be only 1 char"):
        run(tf.decode_csv(["1,2"], [[0], [0]], field_delim="--"))
    with pytest.raises(ValueError, match="length-0 or length-1"):
        tf.decode_csv(["1,2"], [[0, 1], [0]])
    fed = tf.placeholder(tf.int32)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="only be 1 default per field"):
        session.run(tf.decode_csv(["1,2"], [fed, [0]]), {fed: [1, 2]})
