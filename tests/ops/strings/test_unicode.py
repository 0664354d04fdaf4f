"""Strings from and to code points, against Python's codecs."""

import random
import unicodedata

import numpy as np
import pytest

import tfcore as tf

ops = tf.raw_ops
CODECS = {
    "UTF-8": "utf-8",
    "utf8": "utf-8",
    "UTF-16-BE": "utf-16-be",
    "UTF-16LE": "utf-16-le",
    "UTF-32-BE": "utf-32-be",
    "utf_32_le": "utf-32-le",
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
}


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def texts(rng, n):
    def one():
        highest = rng.choice([0x7F, 0x7FF, 0xFFFF, 0x10FFFF])
        return "".join(chr(c) for c in (rng.randrange(highest + 1) for _ in range(6)) if not 0xD800 <= c < 0xE000)

    return [one() for _ in range(n)]


def decode(data, encoding, splits=tf.int64, **attrs):
    return ops.UnicodeDecodeWithOffsets(input=data, input_encoding=encoding, Tsplits=splits, **attrs)


def objects(values):
    result = np.empty(len(values), object)
    result[:] = values
    return result


# ---- Values


@pytest.mark.parametrize("name", CODECS)
def test_decoding(session, name):
    codec = CODECS[name]
    data = [text.encode(codec, "ignore") for text in texts(random.Random(name), 40)]
    splits, codes, starts = session.run(decode(objects(data), name, tf.int32))
    for i, one in enumerate(data):
        text = one.decode(codec)
        assert codes[splits[i] : splits[i + 1]].tolist() == [ord(c) for c in text]
        sizes = [len(c.encode(codec)) for c in text]
        assert starts[splits[i] : splits[i + 1]].tolist() == np.cumsum([0, *sizes])[:-1].tolist()
    assert splits.dtype == np.int32
    alone = session.run(ops.UnicodeDecode(input=objects(data), input_encoding=name))
    assert alone[0].dtype == np.int64 and alone[1].tolist() == codes.tolist()
    assert session.run(decode(np.array([[b"a", b"b"]], object), "UTF-8")[0]).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["UTF-8", "UTF-16-BE", "UTF-16LE", "UTF-32-BE"])
def test_wrong_bytes(session, name):
    """Python and ICU cut wrong bytes in the same way."""
    rng, codec = random.Random(name), CODECS[name]
    data = []
    for text in texts(rng, 300):
        whole = bytearray(text.encode(codec))
        for _ in range(rng.choice([1, 2])):
            place = rng.randrange(len(whole) + 1)
            whole[place : place + rng.randrange(3)] = rng.choice(
                [b"", b"\xff", b"\xe6\x97", b"\xf0\x9f", b"\xd8", b"\xdc\x00"]
            )
        data.append(bytes(whole))
    splits, codes, _ = session.run(decode(objects(data), name))
    kept = session.run(ops.UnicodeTranscode(input=objects(data), input_encoding=name, output_encoding="UTF-8"))
    for i, one in enumerate(data):
        text = one.decode(codec, "replace")
        assert codes[splits[i] : splits[i + 1]].tolist() == [ord(c) for c in text], one
        assert kept[i] == text.encode()


def test_what_happens_to_wrong_bytes(session):
    data = objects([b"a\xffb\x01"])
    for attrs, expected in [
        ({}, [97, 65533, 98, 1]),
        ({"errors": "ignore"}, [97, 98, 1]),
        ({"replacement_char": 63}, [97, 63, 98, 1]),
        ({"replace_control_characters": True}, [97, 65533, 98, 65533]),
        ({"replace_control_characters": True, "errors": "ignore"}, [97, 98]),
    ]:
        assert session.run(decode(data, "UTF-8", **attrs)[1]).tolist() == expected
        transcoded = ops.UnicodeTranscode(input=data, input_encoding="UTF-8", output_encoding="UTF-32-BE", **attrs)
        assert session.run(transcoded)[0] == b"".join(c.to_bytes(4, "big") for c in expected)
    controls = decode(objects([b"\x01"]), "UTF-8", errors="strict", replace_control_characters=True)
    assert session.run(controls[1]).tolist() == [65533]


def test_marks_of_the_order_of_bytes(session):
    for name, data in [
        ("UTF-16", ["a".encode("utf-16-le"), b"\xff\xfea\x00", b"\xfe\xff\x00a", b"\x00a", b""]),
        ("UTF-32", [b"\xff\xfe\x00\x00a\x00\x00\x00", b"\x00\x00\xfe\xff\x00\x00\x00a", b"\x00\x00\x00a"]),
    ]:
        splits, codes, starts = session.run(decode(objects(data), name))
        assert set(codes.tolist()) == ({97, 0x6100} if name == "UTF-16" else {97}) and not starts.any()
    assert session.run(decode(objects([b"\xef\xbb\xbfa"]), "UTF-8")[1]).tolist() == [0xFEFF, 97]


@pytest.mark.parametrize("name", ["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def test_encoding(session, name):
    rows = texts(random.Random(name), 30)
    codes = np.array([ord(c) for row in rows for c in row], np.int32)
    splits = np.cumsum([0, *map(len, rows)])
    found = session.run(ops.UnicodeEncode(input_values=codes, input_splits=splits, output_encoding=name))
    assert found.tolist() == [row.encode(name) for row in rows]


def test_encoding_of_what_is_no_code_point(session):
    for attrs, expected in [
        ({}, "a\ufffd\ufffd\ufffd".encode()),
        ({"errors": "ignore"}, b"a"),
        ({"replacement_char": 63}, b"a???"),
    ]:
        codes = np.int32([97, 0xD800, 0x110000, -1])
        encoded = ops.UnicodeEncode(input_values=codes, input_splits=[0, 4], output_encoding="UTF-8", **attrs)
        assert session.run(encoded).tolist() == [expected]


def test_transcoding(session):
    rows = texts(random.Random(1), 30)
    for name, codec in CODECS.items():
        data = objects([row.encode(codec, "ignore") for row in rows])
        for to in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
            found = session.run(tf.strings.unicode_transcode(data, name, to))
            assert found.tolist() == [one.decode(codec).encode(to) for one in data]
    assert session.run(tf.strings.unicode_transcode(b"\xe9", "latin1", "UTF-8")) == "é".encode()


def test_scripts(session):
    """The first word of a letter's name is its script, in most cases."""
    numbers = {"LATIN": 25, "GREEK": 14, "CYRILLIC": 8, "HEBREW": 19, "ARABIC": 2, "THAI": 38, "HANGUL": 18}
    codes, expected = [], []
    for code in range(0x2000):
        script = unicodedata.name(chr(code), "").split(" ")[0]
        if unicodedata.category(chr(code)) in ("Lu", "Ll") and script in numbers:
            codes.append(code)
            expected.append(numbers[script])
    assert session.run(tf.strings.unicode_script(np.int32(codes))).tolist() == expected and len(codes) > 800
    found = session.run(tf.strings.unicode_script([0x65E5, 48, -1, 0x110000, 0xD800, 0x1F600]))
    assert found.tolist() == [17, 0, -1, -1, 103, 0]


# ---- Errors


def encode(codes, splits, **attrs):
    codes, splits = (tf.placeholder_with_default(x, None) for x in (np.int32(codes), np.int64(splits)))
    return ops.UnicodeEncode(input_values=codes, input_splits=splits, output_encoding="UTF-8", **attrs)


ERRORS = [
    (lambda: decode([b"a\xff"], "UTF-8", errors="strict")[1], "Invalid formatting on input string"),
    (lambda: decode([b"a"], "nope")[1], "Could not create converter for input encoding: nope"),
    (lambda: decode([b"a"], "UTF-8", replacement_char=0x110000)[1], "replacement_char out of unicode codepoint range"),
    (lambda: decode([b"a"], "UTF-8", replacement_char=-1)[1], "replacement_char out of unicode codepoint range"),
    (lambda: tf.strings.unicode_transcode([b"\xff"], "UTF-8", "UTF-8", "strict"), "Invalid formatting on input string"),
    (
        lambda: tf.strings.unicode_transcode([b"\x01"], "UTF-8", "UTF-8", "strict", replace_control_characters=True),
        "Invalid formatting on input string",
    ),
    (lambda: encode([0xD800], [0, 1], errors="strict"), "Code point is out of range for Unicode, or is a surrogate."),
    (lambda: encode([97], [0, 2]), "Last value in input_splits must be equal to length of input_tensor."),
    (lambda: encode([97], [1, 1]), "First value in input_splits must be zero."),
    (lambda: encode([97], [0, -1, 1]), "Values in input_splits must be equal or in ascending order."),
    (lambda: encode([], []), "Input_splits should contain elements, but given input_values has 0 elements"),
    (lambda: encode([[97]], [0, 1]), "Both the input_tensor and input_splits should be of rank 1."),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(session, case):
    build, message = ERRORS[case]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(build())


def ngrams(data, splits, widths=(1,)):
    splits = tf.placeholder_with_default(np.int64(splits), None)
    return ops.StringNGrams(
        data=objects(data), data_splits=splits, separator=" ", ngram_widths=list(widths), left_pad="", right_pad="",
        pad_width=0, preserve_short_sequences=False,
    )[0]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "splits", "widths", "message"),
    [
        ([b"a"], [0, 2], [1], r"Invalid split value 2, must be in \[0, 1\]"),
        ([b"a"], [1, 1], [1], "First split value must be 0, got 1"),
        ([b"a", b"b"], [0, 2, 1], [1], r"Invalid split value 1, must be in \[2, 2\]"),
        ([b"a", b"b"], [0, 1], [1], "Last split value must be data size. Expected 2, got 1"),
        ([b"a"], [0, 1], [0], "ngram_widths must contain positive values"),
    ],
)
def test_errors_of_ngrams(session, data, splits, widths, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(ngrams(data, splits, widths))


def test_ngrams_of_no_width(session):
    op = ops.StringNGrams(
        data=["a"], data_splits=[0, 1], separator="", ngram_widths=[], left_pad="", right_pad="", pad_width=-1,
        preserve_short_sequences=True,
    )  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pad width should be >= 0 when .* provided, got -1"):
        session.run(op.ngrams)


def test_ngrams_without_splits(session):
    assert session.run(ngrams([], [])).tolist() == []


def test_no_splits_are_refused_when_built():
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 1 from 0"):
        tf.raw_ops.UnicodeEncode(input_values=[1], input_splits=tf.placeholder(tf.int64, [0]), output_encoding="UTF-8")
