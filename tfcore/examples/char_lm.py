"""A character-level language model: an LSTM learns to predict the next character of a text.

    python -m tfcore.examples.char_lm --data FILE [--epochs N] [--units N] [--layers N] [--prompt TEXT]

The last tenth of the text is held out for evaluation. Without --data the text is this package's source code. Training
reads the text in parallel streams, `--steps` characters at a time, and carries the state of the LSTM from each piece to
the next. Samples are drawn by a loop inside the graph.
"""

import math
import time

import numpy as np

import tfcore as tf
from tfcore.examples import language

HELD_OUT = 0.1


class Text:
    """A text as character numbers."""

    def __init__(self, text):
        self.characters = sorted(set(text))
        numbers = {c: i for i, c in enumerate(self.characters)}
        ids = np.array([numbers[c] for c in text], np.int32)
        held_out = int(len(ids) * HELD_OUT)
        self.train, self.test = ids[:-held_out], ids[-held_out:]
        self._numbers = numbers

    def encode(self, text):
        unknown = sorted(set(text) - set(self.characters))
        if unknown:
            raise SystemExit(f"The text has no {', '.join(map(repr, unknown))}: choose another --prompt")
        return np.array([self._numbers[c] for c in text], np.int32)

    def decode(self, ids):
        return "".join(self.characters[i] for i in ids)


class Network:
    """The network from character numbers to logits of the next characters."""

    def __init__(self, characters, arguments):
        self.stack = language.Stack(arguments.units, arguments.layers)
        # Values around 1: with the default's small ones, training starts slowly.
        normal = tf.random_normal_initializer()
        self.embedding = tf.get_variable("embedding", [characters, arguments.embed], initializer=normal)
        self.weights = tf.get_variable("softmax_w", [arguments.units, characters])
        self.biases = tf.get_variable("softmax_b", [characters], initializer=tf.zeros_initializer())

    def embed(self, ids):
        return tf.nn.embedding_lookup(self.embedding, ids)

    def logits(self, outputs):
        return tf.matmul(outputs, self.weights) + self.biases

    def loss(self, outputs, targets):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=self.logits(outputs))
        return tf.reduce_mean(losses)

    def reading(self, batch, keep_prob=None):
        return language.Reading(batch, self.stack, self.embed, self.loss, keep_prob)


class Writing:
    """Draws samples with a loop over characters in the graph."""

    def __init__(self, network, samples, length):
        self.prompt = tf.placeholder(tf.int32, [None, samples])
        self.temperature = tf.placeholder(tf.float32, [])
        zero_state = network.stack.zero_state(samples)
        outputs, state = network.stack.run(network.embed(self.prompt), zero_state)
        first = self.draw(network.logits(outputs[-1]))
        written = tf.TensorArray(tf.int32, length).write(0, first)

        def write_one(i, last, state, written):
            output, state = network.stack.step(network.embed(last), state)
            drawn = self.draw(network.logits(output))
            return i + 1, drawn, state, written.write(i, drawn)

        everything = tf.while_loop(lambda i, *_: i < length, write_one, [1, first, state, written])
        self.text = tf.transpose(everything[-1].stack())

    def draw(self, logits):
        """A character for each row; a low temperature prefers probable ones."""
        drawn = tf.multinomial(logits / self.temperature, 1, output_dtype=tf.int32)
        return tf.reshape(drawn, [-1])

    def write(self, sess, prompt, temperature):
        """Samples [samples, length] that continue `prompt` (character numbers)."""
        prompt = np.tile(prompt[:, None], [1, self.prompt.shape[1].value])
        return sess.run(self.text, {self.prompt: prompt, self.temperature: temperature})


def train(sess, reading, minimize, testing, text, arguments):
    """Runs all epochs; returns the loss on the held-out text."""
    test = language.Streams(text.test, testing.batch, 256)
    began = time.perf_counter()
    for epoch in range(1, arguments.epochs + 1):
        # Pieces start at different positions in each epoch.
        streams = language.Streams(text.train[epoch * 29 % arguments.steps :], reading.batch, arguments.steps)
        start = time.perf_counter()
        loss = reading.read(sess, streams, [minimize])
        speed = streams.inputs.size / (time.perf_counter() - start)
        held_out = testing.read(sess, test)
        print(
            f"epoch {epoch}: {loss:.4f} nats per character in training, {held_out:.4f} on held-out text, "
            f"{speed:.0f} characters/s, {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return held_out


def build(characters, steps_in_all, arguments):
    """Builds the default graph; returns (training Reading, training step, testing Reading, Writing)."""
    network = Network(characters, arguments)
    reading = network.reading(arguments.batch, arguments.keep_prob)
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(arguments.rate, global_step, steps_in_all, arguments.rate / 50)
    minimize = language.clipped_training(tf.train.AdamOptimizer(rate), reading.loss, arguments.clip, global_step)
    return reading, minimize, network.reading(16), Writing(network, arguments.samples, arguments.length)


def parse_arguments(argv):
    parser = language.make_parser("char_lm", __doc__, units=512, layers=1, batch=32, steps=64, epochs=10)
    parser.add_argument("--data", metavar="FILE", help="the text, in UTF-8 (default: this package's source code)")
    parser.add_argument("--characters", type=language.at_least_1, help="use only so many characters of the text")
    parser.add_argument("--embed", type=language.at_least_1, default=64, help="size of the embedding of a character")
    parser.add_argument("--keep-prob", type=float, default=0.7, help="keep probability of dropout (default 0.7)")
    parser.add_argument("--rate", type=float, default=3e-3, help="initial learning rate (default 0.003)")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradient (default 1)")
    parser.add_argument("--samples", type=language.at_least_1, default=2, help="samples at the end (default 2)")
    parser.add_argument("--length", type=language.at_least_1, default=400, help="characters per sample (default 400)")
    parser.add_argument("--prompt", default="\n", help="beginning of the samples")
    parser.add_argument("--temperature", type=float, default=0.8, help="temperature of sampling (default 0.8)")
    return parser.parse_args(argv)


def main(argv=None):
    """Trains a model, prints samples, and returns its loss on the held-out text, in nats per character."""
    arguments = parse_arguments(argv)
    text = Text((language.read(arguments.data) if arguments.data else language.own_source())[: arguments.characters])
    prompt = text.encode(arguments.prompt)
    print(
        f"{arguments.data or 'the source code of tfcore'}: {len(text.train)} characters to train on, "
        f"{len(text.test)} held out, {len(text.characters)} different ones",
        flush=True,
    )
    steps = arguments.epochs * len(language.Streams(text.train, arguments.batch, arguments.steps))
    with tf.Graph().as_default():
        tf.set_random_seed(arguments.seed)
        reading, minimize, testing, writing = build(len(text.characters), steps, arguments)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            loss = train(sess, reading, minimize, testing, text, arguments)
            for sample in writing.write(sess, prompt, arguments.temperature):
                print(f"{'-' * 80}\n{arguments.prompt}{text.decode(sample)}")
    print(f"{'-' * 80}\nheld-out text: {loss:.4f} nats per character, {loss / math.log(2):.4f} bits")
    return loss


if __name__ == "__main__":
    main()
