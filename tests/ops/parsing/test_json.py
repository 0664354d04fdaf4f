"""Examples in JSON: random ones against protobuf's, errors."""

import json

import numpy as np
import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.parsing.examples import fill, values


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def decode(*texts):
    with tf.Session() as session:
        return session.run(tf.decode_json_example(np.array(texts, object)))


_KEYS = st.text(st.characters(codec="utf-8"), max_size=6)


@settings(max_examples=50)
@given(
    st.lists(st.dictionaries(_KEYS, st.tuples(st.sampled_from(list(values)), st.integers(0, 5))), max_size=3), st.data()
)
def test_random_examples(examples, data):
    messages = []
    for features in examples:
        message = tf.train.Example()
        for key, (dtype, count) in features.items():
            fill(message.features.feature[key], dtype, [data.draw(values[dtype]) for _ in range(count)])
        messages.append(message)
    for options in {}, {"indent": None}, {"ensure_ascii": False}, {"preserving_proto_field_name": True}:
        texts = [json_format.MessageToJson(message, **options).encode() for message in messages]
        with tf.Graph().as_default():
            assert [tf.train.Example.FromString(text) for text in decode(*texts)] == messages


def _decoded(kind, text):
    (out,) = decode(json.dumps({"features": {"feature": {"k": {kind: {"value": "?"}}}}}).replace('"?"', text))
    feature = tf.train.Example.FromString(out).features.feature["k"]
    return list(getattr(feature, feature.WhichOneof("kind")).value)


def test_values():
    assert _decoded("int64List", '[1, "-2", 3e2, "1e2", -0, null, 9223372036854775807]') == [
        1,
        -2,
        300,
        100,
        0,
        0,
        2**63 - 1,
    ]
    assert _decoded("floatList", '[1, "2.5", "Infinity", "-Infinity", 1E+2]') == [1, 2.5, np.inf, -np.inf, 100]
    assert np.isnan(_decoded("floatList", '["NaN"]')).tolist() == [True]
    assert _decoded("bytesList", '["YWJj", "YQ==", "YQ", "", "-_8=", "+/8"]') == [
        b"abc",
        b"a",
        b"a",
        b"",
        b"\xfb\xff",
        b"\xfb\xff",
    ]
    assert _decoded("int64List", "5") == [5]
    assert _decoded("int64List", "null") == []


def test_what_is_more_than_json():
    strict = decode('{"features": {"feature": {"a": {"int64List": {"value": [1]}}}}}')
    assert decode("{features: {'feature': {\"a\": {int64_list: {value: [1,],},},},},}") == strict
    assert decode("{}", '{"features": null}', '{"features": {"feature": {}}}').tolist() == [b"", b"", b"\n\0"]
    (out,) = decode('{"features": {"feature": {"\\u00e9\\ud83d\\ude00\\n": {}}}}')
    assert list(tf.train.Example.FromString(out).features.feature) == ["é😀\n"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an object was expected at offset 0 of string 1"),
        ("[]", "an object was expected"),
        ("{} x", "there is text after the object at offset 3"),
        ('{"x": 1}', "no such field in an example"),
        ('{"features": {"feature": {"a": {"x": 1}}}}', "no such field in a feature"),
        ('{"features": {"feature": {"a": {"int64List": {}, "floatList": {}}}}}', "a feature has two lists"),
        ('{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}', "a number is not a 64-bit integer"),
        ('{"features": {"feature": {"a": {"int64List": {"value": [9223372036854775808]}}}}}', "not a 64-bit integer"),
        ('{"features": {"feature": {"a": {"int64List": {"value": [01]}}}}}', "a number was expected"),
        ('{"features": {"feature": {"a": {"floatList": {"value": [1e40]}}}}}', "a number is not a 32-bit float"),
        ('{"features": {"feature": {"a": {"bytesList": {"value": ["Y"]}}}}}', "a string is not base 64"),
        ('{"features": {"feature": {"\\ud83d": {}}}}', "half of a surrogate pair is missing"),
        ('{"features": {"feature": {"a', "the text ends inside a string"),
        (b'{"features": {"feature": {"\xff": {}}}}', "a string is not UTF-8"),
    ],
)
def test_wrong_texts(text, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        decode("{}", text)
    assert "Error while parsing JSON: " in str(error.value)
    assert message in str(error.value)
