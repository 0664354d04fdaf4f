"""Shared by the language models: texts as streams of numbers, and LSTM layers with state carried along the text."""

import argparse
import pathlib

import tfcore as tf


def read(path):
    """The text of a file; exits if it cannot be read."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SystemExit(f"{type(error).__name__}: {error}") from None


def own_source():
    """The source code of this package, a text that is always available."""
    files = sorted(pathlib.Path(tf.__file__).parent.rglob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


class Streams:
    """A text (a vector of numbers) as `batch` streams that are read in parallel, `steps` numbers at a time."""

    def __init__(self, ids, batch, steps):
        self.steps, self.length = steps, (len(ids) - 1) // batch
        if self.length < 1:
            raise SystemExit(f"A text of {len(ids)} numbers is too short for {batch} streams")
        size = batch * self.length
        self.inputs = ids[:size].reshape(batch, -1).T
        self.targets = ids[1 : size + 1].reshape(batch, -1).T  # the next number of each

    def __len__(self):
        return -(-self.length // self.steps)

    def __iter__(self):
        """Pairs (inputs, targets) of shape [steps, batch]; the last one may be shorter."""
        for start in range(0, self.length, self.steps):
            piece = slice(start, start + self.steps)
            yield self.inputs[piece], self.targets[piece]


class Stack:
    """Stacked LSTM layers with dropout between and after them. The first use creates the weights."""

    def __init__(self, units, layers):
        self.units = units
        self.cells = [tf.nn.rnn_cell.LSTMCell(units, name=f"lstm_{i}") for i in range(layers)]

    def zero_state(self, batch):
        return [cell.zero_state(batch, tf.float32) for cell in self.cells]

    def run(self, x, state, keep_prob=None):
        """Outputs [time, batch, units] for x [time, batch, size], and the state after them."""
        after = []
        for cell, before in zip(self.cells, state):
            x, new = tf.nn.dynamic_rnn(cell, x, initial_state=before, time_major=True)
            after.append(new)
            if keep_prob is not None:
                x = tf.nn.dropout(x, keep_prob)
        return x, after

    def step(self, x, state):
        """Outputs [batch, units] for x [batch, size] at one point in time, and the state after it."""
        after = []
        for cell, before in zip(self.cells, state):
            x, new = cell(x, before)
            after.append(new)
        return x, after


class Carried:
    """The state of a stack in variables, which carry it from one training step to the next."""

    def __init__(self, stack, batch):
        zero = stack.zero_state(batch)
        local = {"trainable": False, "collections": [tf.GraphKeys.LOCAL_VARIABLES]}
        self._variables = [tf.Variable(part, **local) for part in tf.nest.flatten(zero)]
        self.state = tf.nest.pack_sequence_as(zero, [tf.identity(v) for v in self._variables])
        self.reset = tf.variables_initializer(self._variables)

    def keep(self, state):
        """An operation that saves `state` for the next step."""
        return tf.group(*[tf.assign(v, part) for v, part in zip(self._variables, tf.nest.flatten(state))])


class Reading:
    """Reads streams with a network: placeholders, the mean loss per number, and the carried state.

    embed: function from numbers [time, batch] to vectors [time, batch, size].
    loss: function from outputs [time * batch, units] and the next numbers [time * batch] to the mean loss.
    """

    def __init__(self, batch, stack, embed, loss, keep_prob=None):
        self.batch = batch
        self.inputs = tf.placeholder(tf.int32, [None, batch], "inputs")
        self.targets = tf.placeholder(tf.int32, [None, batch], "targets")
        carried = Carried(stack, batch)
        outputs, state = stack.run(embed(self.inputs), carried.state, keep_prob)
        self.loss = loss(tf.reshape(outputs, [-1, stack.units]), tf.reshape(self.targets, [-1]))
        self.reset, self.keep = carried.reset, carried.keep(state)

    def feed(self, piece):
        return dict(zip((self.inputs, self.targets), piece))

    def read(self, sess, streams, also=()):
        """Reads streams from the beginning, running `also` with each piece; returns the mean loss."""
        sess.run(self.reset)
        total = 0.0
        for piece in streams:
            loss, *_ = sess.run([self.loss, self.keep, *also], self.feed(piece))
            total += float(loss) * piece[1].size
        return total / streams.inputs.size


def clipped_training(optimizer, loss, limit, global_step):
    """An operation that minimizes `loss` with gradients scaled down to a global norm of at most `limit`."""
    gradients, variables = zip(*optimizer.compute_gradients(loss, colocate_gradients_with_ops=True))
    gradients, _ = tf.clip_by_global_norm(gradients, limit)
    return optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)


def at_least_1(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def make_parser(name, doc, **defaults):
    """A parser with the common arguments of both programs."""
    parser = argparse.ArgumentParser(prog=f"python -m tfcore.examples.{name}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for option, help_text in [
        ("units", "units of an LSTM layer"),
        ("layers", "LSTM layers"),
        ("batch", "streams that are read in parallel"),
        ("steps", "numbers of each stream per step, over which gradients are propagated"),
        ("epochs", "passes over the text"),
    ]:
        default = defaults[option]
        parser.add_argument(f"--{option}", type=at_least_1, default=default, help=f"{help_text} (default {default})")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, dropout and samples")
    return parser
