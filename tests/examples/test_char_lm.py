"""The language model of characters: how a text is read, that it learns, and what it writes."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples import char_lm, language

SMALL = ["--units", "32", "--embed", "8", "--batch", "8", "--steps", "16", "--samples", "3"]


def test_streams_are_read_side_by_side():
    streams = language.Streams(np.arange(24), batch=3, steps=3)
    pieces = list(streams)
    assert len(pieces) == len(streams) == 3
    np.testing.assert_array_equal(pieces[0][0], [[0, 7, 14], [1, 8, 15], [2, 9, 16]])
    assert [len(inputs) for inputs, _ in pieces] == [3, 3, 1]
    inputs, targets = (np.concatenate(parts) for parts in zip(*pieces))
    np.testing.assert_array_equal(inputs.T.ravel(), np.arange(21))
    np.testing.assert_array_equal(targets, inputs + 1)


def test_the_end_of_a_text_is_held_out():
    text = char_lm.Text("abcdefghi" * 10 + "zyzyzyzyzy")
    assert text.decode(text.test) == "zyzyzyzyzy" and text.decode(text.train) == "abcdefghi" * 10
    np.testing.assert_array_equal(text.encode("cab"), [2, 0, 1])
    with pytest.raises(SystemExit, match="The text has no '!', 'A': choose another --prompt"):
        text.encode("a!A!")


def test_the_state_goes_on_from_piece_to_piece():
    """Read in pieces, a text has the loss that it has when read as a whole; after a reset it starts again."""
    ids = np.random.default_rng(0).integers(0, 7, 41).astype(np.int32)
    with tf.Graph().as_default(), tf.Session() as sess:
        network = char_lm.Network(7, char_lm.parse_arguments(["--layers", "2", *SMALL]))
        reading = network.reading(2)
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        whole = reading.read(sess, language.Streams(ids, 2, 20))
        assert reading.read(sess, language.Streams(ids, 2, 7)) == pytest.approx(whole, rel=1e-5)
        piece = next(iter(language.Streams(ids, 2, 20)))
        assert sess.run(reading.loss, reading.feed(piece)) != pytest.approx(whole, rel=1e-5)  # behind the text


def test_it_learns_and_writes(tmp_path, capsys):
    """A text that repeats itself is known after a while, and a cold sample is the text."""
    path = tmp_path / "text"
    path.write_text("the loop is in the graph. " * 300)
    arguments = ["--data", str(path), *SMALL, "--layers", "2", "--epochs", "12", "--rate", "0.02", "--keep-prob", "0.9"]
    loss = char_lm.main([*arguments, "--prompt", "graph. ", "--length", "60", "--temperature", "0.1"])
    printed = capsys.readouterr().out
    assert loss < 0.1 and f"held-out text: {loss:.4f} nats per character" in printed
    assert printed.count("\ngraph. the loop is in the graph. the loop is in the graph. the loop\n") == 3
    losses = [float(line.split()[2]) for line in printed.splitlines() if line.startswith("epoch")]
    assert len(losses) == 12 and losses[-1] < losses[0] / 5


def test_equal_seeds_write_the_same(capsys):
    written = []
    for seed in ("1", "1", "2"):
        char_lm.main(["--characters", "3000", "--epochs", "1", "--length", "50", "--seed", seed, *SMALL])
        written.append(capsys.readouterr().out.split("-" * 80)[1:])
    assert len(written[0]) == 4 and written[0] == written[1] != written[2]
    assert written[0][0] != written[0][1]  # samples differ


def test_wrong_arguments(tmp_path, capsys):
    with pytest.raises(SystemExit, match="FileNotFoundError: .*no such text"):
        char_lm.main(["--data", str(tmp_path / "no such text")])
    with pytest.raises(SystemExit, match="too short for 8 streams"):
        char_lm.main(["--characters", "9", "--prompt", "t", *SMALL])
    with pytest.raises(SystemExit):
        char_lm.main(["--epochs", "0"])
    assert "argument --epochs: must be at least 1" in capsys.readouterr().err
