"""A tree-LSTM evaluates nested expressions: a network whose structure differs for each example, in one graph.

    python -m tfcore.examples.tree_lstm [--steps N] [--units N] [--leaves N] [--seed N]

Examples are random trees of expressions such as max(3, mod(add(2, 9), 4)), whose value, a digit, is to be predicted.
The network computes the state of each node from those of its children (Tai, Socher and Manning, 2015), and the value
from the root's state. The structure of the trees of a batch is fed. A loop in the graph processes the trees level by
level from the leaves to the roots; a TensorArray holds the states of all nodes. For comparison, a bag of leaves is
trained on the same symbols without the structure.
"""

import argparse
import time

import numpy as np

import tfcore as tf

DIGITS = 10
OPERATIONS = {
    "max": max,
    "min": min,
    "add": lambda a, b: (a + b) % DIGITS,
    "first": lambda a, b: a,
    "minus": lambda a, b: (a - b) % DIGITS,
}
NAMES = list(OPERATIONS)
SYMBOLS = DIGITS + len(NAMES)  # a node is a digit or an operation


# ---- Trees: a leaf is a digit, any other node a tuple (number of its operation, left, right)


def draw_tree(rng, leaves):
    """A random tree with so many leaves."""
    if leaves == 1:
        return int(rng.integers(DIGITS))
    left = int(rng.integers(1, leaves))
    return int(rng.integers(len(NAMES))), draw_tree(rng, left), draw_tree(rng, leaves - left)


def draw_trees(rng, count, most_leaves):
    return [draw_tree(rng, int(rng.integers(2, most_leaves + 1))) for _ in range(count)]


def value_of(tree):
    if isinstance(tree, int):
        return tree
    operation, left, right = tree
    return OPERATIONS[NAMES[operation]](value_of(left), value_of(right))


def text_of(tree):
    if isinstance(tree, int):
        return str(tree)
    operation, left, right = tree
    return f"{NAMES[operation]}({text_of(left)}, {text_of(right)})"


class Forest:
    """The nodes of many trees, ordered by level with the leaves first, so that children precede their parents.

    symbols, left, right, tree: for each node its symbol, the indices of its children, and the tree it belongs to.
    starts: the first node of each level, and the number of nodes. roots, values: of each tree.
    """

    def __init__(self, trees):
        levels = []
        roots = [self._enter(tree, levels, number) for number, tree in enumerate(trees)]
        self.starts = np.cumsum([0, *map(len, levels)]).astype(np.int32)
        nodes = [node for level in levels for node in level]
        self.symbols = np.array([symbol for symbol, _, _, _ in nodes], np.int32)
        self.left = np.array([self._place(left) for _, left, _, _ in nodes], np.int32)
        self.right = np.array([self._place(right) for _, _, right, _ in nodes], np.int32)
        self.tree = np.array([tree for _, _, _, tree in nodes], np.int32)
        self.roots = np.array([self._place(root) for root in roots], np.int32)
        self.values = np.array([value_of(tree) for tree in trees], np.int32)

    def _enter(self, tree, levels, number):
        """Adds the nodes of a tree to the lists of their levels; returns (level, index in it) of the root."""
        if isinstance(tree, int):
            level, node = 0, (tree, (0, 0), (0, 0), number)
        else:
            operation, left, right = tree
            left, right = (self._enter(child, levels, number) for child in (left, right))
            level, node = 1 + max(left[0], right[0]), (DIGITS + operation, left, right, number)
        if level == len(levels):
            levels.append([])
        levels[level].append(node)
        return level, len(levels[level]) - 1

    def _place(self, node):
        level, place = node
        return self.starts[level] + place


# ---- Networks


class Inputs:
    """Placeholders for a Forest."""

    names = ("symbols", "left", "right", "tree", "starts", "roots", "values")

    def __init__(self):
        for name in self.names:
            setattr(self, name, tf.placeholder(tf.int32, [None], name=name))

    def feed(self, forest):
        return {getattr(self, name): getattr(forest, name) for name in self.names}


def dense(x, units, name, activation=None):
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [x.shape.as_list()[-1], units])
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        y = tf.matmul(x, weights) + biases
    return activation(y) if activation else y


def embed(symbols, units):
    table = tf.get_variable("symbols", [SYMBOLS, units], initializer=tf.random_normal_initializer())
    return tf.nn.embedding_lookup(table, symbols)


def compose(x, left, right, units):
    """The state [h, c] of nodes with symbols x [nodes, units] from those of their children."""
    (h_left, c_left), (h_right, c_right) = (tf.split(state, 2, axis=1) for state in (left, right))
    inputs = dense(tf.concat([x, h_left, h_right], 1), 2 * units, "inputs", tf.nn.relu)
    i, keep_left, keep_right, o, new = tf.split(dense(inputs, 5 * units, "gates"), 5, axis=1)
    c = tf.sigmoid(i) * tf.tanh(new) + tf.sigmoid(keep_left) * c_left + tf.sigmoid(keep_right) * c_right
    return tf.concat([tf.sigmoid(o) * tf.tanh(c), c], 1)


def tree_lstm(inputs, units):
    """The states h [trees, units] of the roots."""
    count = tf.size(inputs.symbols)
    symbols = tf.TensorArray(tf.float32, count, element_shape=[units]).unstack(embed(inputs.symbols, units))
    states = tf.TensorArray(tf.float32, count, element_shape=[2 * units], clear_after_read=False)
    leaves = tf.range(inputs.starts[1])
    states = states.scatter(leaves, dense(symbols.gather(leaves), 2 * units, "leaves"))

    def one_level(level, states):
        nodes = tf.range(inputs.starts[level], inputs.starts[level + 1])
        left, right = (states.gather(tf.gather(child, nodes)) for child in (inputs.left, inputs.right))
        return level + 1, states.scatter(nodes, compose(symbols.gather(nodes), left, right, units))

    levels = tf.size(inputs.starts) - 1
    _, states = tf.while_loop(lambda level, _: level < levels, one_level, (tf.constant(1), states))
    return states.gather(inputs.roots)[:, :units]


def bag_of_leaves(inputs, units):
    """Features of the trees [trees, units] that depend only on their symbols."""
    bag = tf.unsorted_segment_sum(embed(inputs.symbols, units), inputs.tree, tf.size(inputs.roots))
    return dense(dense(bag, 4 * units, "hidden_1", tf.nn.relu), units, "hidden_2", tf.nn.relu)


class Model:
    """A network in training: loss, accuracy and the training step."""

    def __init__(self, name, network, inputs, arguments):
        self.name = name
        with tf.variable_scope(name):
            logits = dense(network(inputs, arguments.units), DIGITS, "logits")
        self.answers = tf.argmax(logits, 1, output_type=tf.int32)
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(self.answers, inputs.values), tf.float32))
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=inputs.values, logits=logits))
        step = tf.Variable(0, trainable=False)
        rate = tf.train.polynomial_decay(arguments.rate, step, arguments.steps, arguments.rate / 50)
        optimizer = tf.train.AdamOptimizer(rate)
        gradients, variables = zip(*optimizer.compute_gradients(self.loss, tf.trainable_variables(name)))
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        self.train = optimizer.apply_gradients(zip(gradients, variables), global_step=step)


def train(session, models, inputs, arguments):
    """Trains all models on the same trees. Each tree is used only once."""
    rng = np.random.default_rng(arguments.seed)
    begin = time.perf_counter()
    for step in range(1, arguments.steps + 1):
        # A curriculum: small trees first, from which the operations are learnt.
        most = min(arguments.leaves, 2 + 2 * arguments.leaves * step // arguments.steps)
        feed = inputs.feed(Forest(draw_trees(rng, arguments.batch, most)))
        session.run([model.train for model in models], feed)
        if step % max(arguments.steps // 10, 1) == 0 or step == arguments.steps:
            losses = session.run([(model.loss, model.accuracy) for model in models], feed)
            shown = ", ".join(f"{m.name} {loss:.3f} ({a:.0%})" for m, (loss, a) in zip(models, losses))
            speed = step * arguments.batch / (time.perf_counter() - begin)
            print(f"step {step:5}, up to {most:2} leaves: {shown}, {speed:.0f} trees/s", flush=True)


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(prog="tree_lstm", description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=64, help="trees per step (default 64)")
    parser.add_argument("--units", type=int, default=64, help="units of a node's state (default 64)")
    parser.add_argument("--leaves", type=int, default=12, help="leaves of the largest trees (default 12)")
    parser.add_argument("--rate", type=float, default=3e-3, help="initial learning rate (default 0.003)")
    parser.add_argument("--test", type=int, default=2000, help="trees to test with (default 2000)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def main(argv=None):
    """Trains both models; returns {name: accuracy} on held-out trees."""
    arguments = parse_arguments(argv)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(arguments.seed)
        inputs = Inputs()
        models = [
            Model("tree_lstm", tree_lstm, inputs, arguments),
            Model("bag_of_leaves", bag_of_leaves, inputs, arguments),
        ]
        session.run(tf.global_variables_initializer())
        train(session, models, inputs, arguments)
        rng = np.random.default_rng(arguments.seed + 10**6)
        trees, larger = (draw_trees(rng, arguments.test, most) for most in (arguments.leaves, 2 * arguments.leaves))
        answers = session.run({m.name: m.answers for m in models}, inputs.feed(Forest(trees)))
        accuracies = session.run({m.name: m.accuracy for m in models}, inputs.feed(Forest(trees)))
        beyond = session.run({m.name: m.accuracy for m in models}, inputs.feed(Forest(larger)))
    for i, tree in enumerate(trees[:5]):
        said = ", ".join(f"{name} says {given[i]}" for name, given in answers.items())
        print(f"{text_of(tree)} = {value_of(tree)}: {said}")
    print(
        f"Accuracy on {arguments.test} other trees of up to {arguments.leaves} leaves, and of up to "
        f"{2 * arguments.leaves}:"
    )
    for name, accuracy in accuracies.items():
        print(f"{name}: {accuracy:.1%}, {beyond[name]:.1%}")
    return {name: float(accuracy) for name, accuracy in accuracies.items()}


if __name__ == "__main__":
    main()
