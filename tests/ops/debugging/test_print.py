"""tf.print and tf.strings.format: texts as TensorFlow prints them."""

import sys

import numpy as np
import pytest

import tfcore as tf


def printed(capfd, *inputs, **options):
    with tf.Graph().as_default():
        values = [tf.constant(x) if isinstance(x, np.ndarray) else x for x in inputs]
        op = tf.print(*values, **options)
        with tf.Session() as session:
            assert session.run(op) is None
    return capfd.readouterr().err


CUBE = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("inputs", "options", "text"),
    [
        (("hi", np.array([1, 2, 3]), np.array(2.5), "x", 3), {}, "hi [1 2 3] 2.5 x 3\n"),
        ((np.arange(10),), {"summarize": 2}, "[0 1 ... 8 9]\n"),
        (
            (CUBE,),
            {"summarize": 1},
            "[[[0 ... 3]\n  ...\n  [8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]\n",
        ),
        (
            (CUBE,),
            {"summarize": -1},
            "[[[0 1 2 3]\n  [4 5 6 7]\n  [8 9 10 11]]\n\n [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]\n",
        ),
        ((np.array([b"a", b"b\n"], object), np.array(b"q", object)), {}, '["a" "b\\n"] "q"\n'),
        ((np.array(b'only\n"q', object),), {}, 'only\n"q\n'),
        ((np.array(1), np.array(2)), {"sep": " | ", "end": "END\n"}, "1 | 2END\n"),
        ((np.zeros((0, 3)), np.zeros((2, 0)), np.array([True, False])), {}, "[] [\n ...] [1 0]\n"),
        (("{}", np.array(1)), {}, "{} 1\n"),
        ((), {}, "\n"),
    ],
    ids=str,
)
def test_print(inputs, options, text, capfd):
    assert printed(capfd, *inputs, **options) == text


def test_print_nests(capfd):
    with tf.Graph().as_default():
        one, two, half = tf.constant(1), tf.constant([2, 3]), tf.constant(1.5)
        op = tf.print([one, {"k": two}], (half,), None)
        with tf.Session() as session:
            session.run(op)
    assert capfd.readouterr().err == "[1, {'k': [2 3]}] (1.5,) None\n"


def test_print_streams(capfd, tmp_path):
    path = tmp_path / "log.txt"
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.print("out", output_stream=sys.stdout))
        for _ in range(2):
            session.run(tf.print("line", output_stream=f"file://{path}"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot write to file:///no/such"):
            session.run(tf.print("x", output_stream="file:///no/such/place"))
    assert capfd.readouterr().out == "out\n"
    assert path.read_text() == "line\nline\n"


def test_print_rejects():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Unsupported output stream, logging level, or file.nope"):
            tf.print(1, output_stream="nope")
        with pytest.raises(ValueError, match="Unrecognized keyword arguments for tf.print"):
            tf.print(1, foo=1)


def test_format():
    with tf.Graph().as_default(), tf.Session() as session:
        eight = tf.constant([1, 2, 3, 4, 5, 6, 7, 8])
        text = tf.strings.format("a {} b {}", [eight, tf.constant("s")])
        assert text.shape.as_list() == []
        assert session.run(text) == b'a [1 2 3 ... 6 7 8] b "s"'
        assert session.run(tf.strings.format("a % b", tf.constant(1), placeholder="%")) == b"a 1 b"
        with pytest.raises(ValueError, match="The template expects 1 tensors, but the inputs only has 2"):
            tf.strings.format("a {}", [eight, eight])
        wrong = tf.raw_ops.StringFormat(inputs=[eight], template="none")
        with pytest.raises(tf.errors.InvalidArgumentError, match="must match: 0 vs. 1"):
            session.run(wrong)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected to be scalar, but got \[1\]"):
            session.run(tf.raw_ops.PrintV2(input=["a"]))
