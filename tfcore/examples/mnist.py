"""Handwritten digits: the models of TensorFlow's first tutorials.

    python -m tfcore.examples.mnist [--model softmax|mlp|conv] [--device cpu|gpu] [--steps N] [--data DIR]
        [--plot FILE.png]

Without --data it trains on the sample in the package; with --download it fetches the full set to DIR first.
"""

import argparse
import time

import numpy as np
from tqdm import tqdm

import tfcore as tf
from tfcore.examples.tutorials.mnist import input_data


class Model:
    """A model for the training loop: placeholders, loss, accuracy, the training step and the step count."""

    def __init__(self, x, y_, y, loss, train_step, global_step, keep_prob=None):
        self.x, self.y_, self.loss, self.train_step, self.global_step = x, y_, loss, train_step, global_step
        self.keep_prob = keep_prob  # placeholder of the dropout layers, or None
        correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
        self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

    def feed(self, images, labels, keep_prob=1.0):
        feeds = {self.x: images, self.y_: labels}
        if self.keep_prob is not None:
            feeds[self.keep_prob] = keep_prob
        return feeds


# A model is built for a number of steps. Its loss is a mean over the batch, so that replicas can share a batch; they
# pass `wrap`, which wraps the optimizer.


def softmax(steps, wrap=lambda opt: opt):
    """Softmax regression."""
    x = tf.placeholder("float", shape=[None, 784])
    W = tf.Variable(tf.zeros([784, 10]))
    b = tf.Variable(tf.zeros([10]))
    y = tf.nn.softmax(tf.matmul(x, W) + b)
    y_ = tf.placeholder(tf.float32, [None, 10])
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), 1))
    global_step = tf.Variable(0, trainable=False)
    rate = tf.train.polynomial_decay(0.5, global_step, steps, 0.02)
    opt = tf.train.GradientDescentOptimizer(rate)
    train_step = wrap(opt).minimize(cross_entropy, global_step=global_step)
    return Model(x, y_, y, cross_entropy, train_step, global_step)


def weights(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=(2.0 / np.prod(shape[:-1])) ** 0.5))


def biases(size):
    return tf.Variable(tf.zeros([size]))


def mlp(steps, wrap=lambda opt: opt):
    """A perceptron with two hidden layers of 512 units, Adam and dropout."""
    x = tf.placeholder(tf.float32, [None, 784])
    y_ = tf.placeholder(tf.float32, [None, 10])
    keep_prob = tf.placeholder(tf.float32)
    hidden = tf.nn.relu(tf.matmul(x, weights([784, 512])) + biases(512))
    hidden = tf.nn.dropout(hidden, keep_prob)
    hidden = tf.nn.relu(tf.matmul(hidden, weights([512, 512])) + biases(512))
    hidden = tf.nn.dropout(hidden, keep_prob)
    logits = tf.matmul(hidden, weights([512, 10])) + biases(10)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
    global_step = tf.Variable(0, trainable=False)
    rate = tf.train.polynomial_decay(1e-3, global_step, steps, 1e-5)
    train_step = wrap(tf.train.AdamOptimizer(rate)).minimize(loss, global_step=global_step)
    return Model(x, y_, logits, loss, train_step, global_step, keep_prob)


def conv(steps, wrap=lambda opt: opt):
    """Two convolutions with pooling and two dense layers, momentum and dropout."""
    x = tf.placeholder(tf.float32, [None, 784])
    y_ = tf.placeholder(tf.float32, [None, 10])
    keep_prob = tf.placeholder(tf.float32)
    layer = tf.reshape(x, [-1, 28, 28, 1])
    for shape in ([5, 5, 1, 32], [5, 5, 32, 64]):
        layer = tf.nn.conv2d(layer, weights(shape), strides=[1, 1, 1, 1], padding="SAME")
        layer = tf.nn.relu(layer + biases(shape[-1]))
        layer = tf.nn.max_pool(layer, [1, 2, 2, 1], [1, 2, 2, 1], padding="SAME")
    layer = tf.reshape(layer, [-1, 7 * 7 * 64])
    layer = tf.nn.relu(tf.matmul(layer, weights([7 * 7 * 64, 512])) + biases(512))
    layer = tf.nn.dropout(layer, keep_prob)
    logits = tf.matmul(layer, weights([512, 10])) + biases(10)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
    global_step = tf.Variable(0, trainable=False)
    rate = tf.train.polynomial_decay(0.05, global_step, steps, 0.0005)
    train_step = wrap(tf.train.MomentumOptimizer(rate, 0.9)).minimize(loss, global_step=global_step)
    return Model(x, y_, logits, loss, train_step, global_step, keep_prob)


# Model: (function, steps, batch size, probability to keep a unit).
MODELS = {
    "softmax": (softmax, 10000, 100, 1.0),
    "mlp": (mlp, 6000, 128, 0.7),
    "conv": (conv, 6000, 64, 0.5),
}


def evaluate(sess, model, data, batch_size=500):
    """Accuracy over a whole data set."""
    total = 0.0
    for start in range(0, data.num_examples, batch_size):
        images = data.images[start : start + batch_size]
        labels = data.labels[start : start + batch_size]
        total += len(images) * sess.run(model.accuracy, feed_dict=model.feed(images, labels))
    return total / data.num_examples


def train(sess, model, mnist, steps, batch_size, keep_prob, record_every):
    """The training loop; returns (step, loss, validation accuracy) for every `record_every` steps."""
    history = []
    start = time.perf_counter()
    bar = tqdm(range(1, steps + 1), unit="step", mininterval=0.5, dynamic_ncols=True)
    for step in bar:
        batch_xs, batch_ys = mnist.train.next_batch(batch_size)
        feed = model.feed(batch_xs, batch_ys, keep_prob)
        if step % 100 and step != steps:
            sess.run(model.train_step, feed_dict=feed)
            continue
        _, loss = sess.run([model.train_step, model.loss], feed_dict=feed)
        rate = step / (time.perf_counter() - start)
        bar.set_postfix(loss=f"{loss:.4f}", steps_per_s=f"{rate:.0f}", refresh=False)
        if record_every and (step % record_every == 0 or step == steps):
            history.append((step, float(loss), evaluate(sess, model, mnist.validation)))
    return history


def plot(history, title, path):
    """Loss and validation accuracy over the steps, as an image file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    steps, losses, accuracies = zip(*history)
    figure, left = pyplot.subplots(figsize=(7, 4), constrained_layout=True)
    left.plot(steps, losses, color="tab:red")
    left.set_xlabel("step")
    left.set_ylabel("loss", color="tab:red")
    left.set_yscale("log")
    right = left.twinx()
    right.plot(steps, [100 * a for a in accuracies], color="tab:blue")
    right.set_ylabel("validation accuracy, %", color="tab:blue")
    left.set_title(title)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def make_parser(name, doc):
    """A parser with the common arguments of the MNIST programs."""
    parser = argparse.ArgumentParser(prog=f"python -m tfcore.examples.{name}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", metavar="DIR", help="directory with the four MNIST files")
    parser.add_argument("--download", action="store_true", help="fetch the full set to DIR first")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, dropout and batches")
    return parser


def add_model(parser):
    parser.add_argument("--model", choices=MODELS, default="softmax")
    parser.add_argument("--steps", type=at_least_1, help="training steps (default: enough for the model)")


def at_least_1(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def parse_arguments(argv):
    parser = make_parser("mnist", __doc__)
    add_model(parser)
    parser.add_argument("--batch", type=at_least_1, help="images per step")
    parser.add_argument("--plot", metavar="FILE.png", help="draw loss and accuracy")
    parser.add_argument("--device", choices=["cpu", "gpu"], help="where to train (default: on a GPU if there is one)")
    return parser.parse_args(argv)


def load(arguments):
    """The data sets and their description. Exits if there are none."""
    directory = arguments.data
    try:
        if arguments.download:
            directory = directory or "MNIST_data"
            input_data.download(directory)
        validation_size = 1000 if directory is None else 5000
        mnist = input_data.read_data_sets(directory, one_hot=True, validation_size=validation_size, seed=arguments.seed)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{type(error).__name__}: {error}") from None
    return mnist, directory or "the sample in the package"


def require(sess, device):
    """Exits if a device was asked for that is not there: soft placement would take another one."""
    if device == "gpu" and not any(d.device_type == "GPU" for d in sess.list_devices()):
        with tf.device("/gpu:0"):
            probe = tf.constant(0.0)
        try:
            tf.Session(graph=probe.graph).run(probe)
        except tf.errors.InvalidArgumentError as error:
            raise SystemExit(error.message) from None


def main(argv=None):
    """Trains a model and returns its accuracy on the test set."""
    arguments = parse_arguments(argv)
    build, steps, batch_size, keep_prob = MODELS[arguments.model]
    steps = arguments.steps or steps
    batch_size = arguments.batch or batch_size
    mnist, source = load(arguments)
    print(f"{arguments.model} on {source}: {mnist.train.num_examples} training images")
    with tf.Graph().as_default():
        tf.set_random_seed(arguments.seed)
        with tf.device(f"/{arguments.device}:0" if arguments.device else None):
            model = build(steps)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            require(sess, arguments.device)
            sess.run(tf.initialize_all_variables())
            record_every = max(steps // 40 // 100 * 100, 100) if arguments.plot else 0
            history = train(sess, model, mnist, steps, batch_size, keep_prob, record_every)
            accuracy = evaluate(sess, model, mnist.test)
    if arguments.plot:
        plot(history, f"{arguments.model}: test accuracy {accuracy:.2%}", arguments.plot)
        print(f"plot: {arguments.plot}")
    print(f"test accuracy: {accuracy:.2%}")
    return accuracy


if __name__ == "__main__":
    main()
