"""A word-level language model on one or several processes: Figure 9 of the TensorFlow paper on a small scale.

    python -m tfcore.examples.word_lm --data FILE [--held-out FILE] [--softmax full|sampled]
    mpirun -n 3 python -m tfcore.examples.word_lm --ps 1 --data FILE ...

Embedding and softmax weights are sharded over the parameter servers. Each worker reads its share of the text and
updates the shared weights asynchronously. With the full softmax, servers multiply by their shards and compute the
gradients of these, so that only outputs of the LSTM and their gradients are sent. With a sampled softmax, the rows of
the true words and of the samples are sent, and their gradients.

Without --held-out, the last tenth of the text is held out. Without --data, the text is this package's source code.
"""

import collections
import math
import time

import numpy as np

import tfcore as tf
from tfcore.examples import language

UNKNOWN = "<unk>"
TEST_BATCH = 16


class Vocabulary:
    """The words of a text by decreasing frequency (as required by `tf.nn.log_uniform_candidate_sampler`)."""

    def __init__(self, words, limit=None):
        counts = collections.Counter(words)
        counts.setdefault(UNKNOWN, 0)
        most = sorted(counts, key=lambda word: (word != UNKNOWN, -counts[word], word))[:limit]
        self.words = sorted(most, key=lambda word: (-counts[word], word))
        self._numbers = {word: i for i, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, words):
        unknown = self._numbers[UNKNOWN]
        return np.array([self._numbers.get(word, unknown) for word in words], np.int32)


def split(text):
    return text.replace("\n", " <eos> ").split()


def load(arguments):
    """(vocabulary, word numbers to train on, held-out word numbers)."""
    words = split(language.read(arguments.data) if arguments.data else language.own_source())
    if arguments.held_out:
        held_out = split(language.read(arguments.held_out))
    else:
        tenth = len(words) // 10
        words, held_out = words[:-tenth], words[-tenth:]
    vocabulary = Vocabulary(words, arguments.vocabulary)
    return vocabulary, vocabulary.encode(words), vocabulary.encode(held_out[: arguments.evaluate])


# ---- The network


def shards(name, rows, width, count, **options):
    """A table in shards: row i is in shard i % count, so that frequent words are spread evenly."""
    tails = [] if width is None else [width]
    return [tf.get_variable(f"{name}_{i}", [len(range(i, rows, count)), *tails], **options) for i in range(count)]


class Network:
    """The network from word numbers to the loss of the next words; tables have a shard for each server."""

    def __init__(self, words, arguments, servers):
        self.words, self.samples = words, arguments.samples
        self.stack = language.Stack(arguments.units, arguments.layers)
        small = tf.random_uniform_initializer(-0.1, 0.1)
        self.embedding = shards("embedding", words, arguments.units, servers, initializer=small)
        self.weights = shards("softmax_w", words, arguments.units, servers, initializer=small)
        self.biases = shards("softmax_b", words, None, servers, initializer=tf.zeros_initializer())

    def embed(self, ids):
        return tf.nn.embedding_lookup(self.embedding, ids)

    def sampled_loss(self, outputs, targets):
        labels = tf.reshape(targets, [-1, 1])
        return tf.reduce_mean(
            tf.nn.sampled_softmax_loss(self.weights, self.biases, labels, outputs, self.samples, self.words)
        )

    def full_loss(self, outputs, targets):
        """The mean softmax cross-entropy over all words. Tensors with a column for each word stay with their shard."""
        parts = [self._logits(i, outputs) for i in range(len(self.weights))]
        if len(parts) == 1:
            with tf.colocate_with(parts[0]):
                return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=parts[0]))
        highest = tf.stop_gradient(tf.reduce_max(tf.stack([self._highest(p) for p in parts]), 0))
        sums = tf.add_n([self._sum_of_exponentials(p, highest) for p in parts])
        true = tf.add_n([self._sum_of_true_logits(i, p, targets) for i, p in enumerate(parts)])
        return tf.reduce_mean(tf.log(sums) + highest) - true / tf.cast(tf.size(targets), tf.float32)

    def _logits(self, i, outputs):
        with tf.colocate_with(self.weights[i]):
            return tf.matmul(outputs, self.weights[i], transpose_b=True) + self.biases[i]

    def _highest(self, logits):
        with tf.colocate_with(logits):
            return tf.reduce_max(logits, 1)

    def _sum_of_exponentials(self, logits, highest):
        with tf.colocate_with(logits):
            return tf.reduce_sum(tf.exp(logits - tf.expand_dims(highest, 1)), 1)

    def _sum_of_true_logits(self, i, logits, targets):
        """The sum of the logits of the targets in shard i."""
        with tf.colocate_with(logits):
            rows = tf.where(tf.equal(targets % len(self.weights), i))
            columns = tf.cast(tf.gather_nd(targets, rows) // len(self.weights), tf.int64)
            return tf.reduce_sum(tf.gather_nd(logits, tf.concat([rows, tf.expand_dims(columns, 1)], 1)))


# ---- Training


class Training:
    """The graph of a worker, one of `workers`. `read` counts the words that all have trained on."""

    def __init__(self, words, arguments, servers, workers):
        network = Network(words, arguments, servers)
        loss = network.sampled_loss if arguments.softmax == "sampled" else network.full_loss
        self.reading = language.Reading(arguments.batch, network.stack, network.embed, loss, arguments.keep_prob)
        self.testing = language.Reading(TEST_BATCH, network.stack, network.embed, network.full_loss)
        counter = {"dtype": tf.int64, "initializer": tf.zeros_initializer(), "trainable": False}
        self.read, self.ready = tf.get_variable("read", [], **counter), tf.get_variable("ready", [], **counter)
        self.be_ready = tf.assign_add(self.ready, 1)
        self.workers, self.all_live = workers, self._all_live(workers)
        minimize = language.clipped_training(
            tf.train.AdagradOptimizer(arguments.rate), self.reading.loss, arguments.clip, None
        )
        with tf.control_dependencies([minimize, self.reading.keep]):
            self.step = tf.assign_add(self.read, tf.size(self.reading.targets, out_type=tf.int64))

    @staticmethod
    def _all_live(workers):
        """An operation in which all workers take part, so that it fails if one has failed."""
        parts = []
        for i in range(workers if workers > 1 else 0):
            with tf.device(f"/job:worker/task:{i}"):
                parts.append(tf.no_op())
        return tf.group(*parts)

    def start(self, sess, is_chief):
        """Returns when all variables are initialized."""
        sess.run(tf.local_variables_initializer())
        if is_chief:
            sess.run(tf.global_variables_initializer())
        missing = tf.report_uninitialized_variables()
        while sess.run(missing).size:  # until the chief has initialized them
            time.sleep(0.02)

    def run(self, sess, streams, goal, seconds):
        """Trains until all workers together have read `goal` words, or for `seconds` seconds.

        Returns (words read by this worker, words read by all, seconds) since all workers have made a step.
        Raises UnavailableError if a worker fails before that.
        """
        mine, first, began = 0, 0, None
        while True:
            sess.run(self.reading.reset)
            for piece in streams:
                read = sess.run(self.step, self.reading.feed(piece))
                if began is None:
                    sess.run(self.be_ready)
                    self._await_all(sess)
                    first, began = sess.run(self.read), time.perf_counter()
                    continue
                mine += piece[1].size
                elapsed = time.perf_counter() - began
                if read >= goal or elapsed > seconds:
                    return mine, int(read - first), elapsed

    def _await_all(self, sess):
        """Returns when all workers are ready. Raises UnavailableError if one fails before."""
        while sess.run(self.ready) < self.workers:
            time.sleep(0.02)
            try:
                sess.run(self.all_live)
            except tf.errors.UnavailableError:
                if sess.run(self.ready) < self.workers:  # else one has been ready, and has finished since
                    raise


def work(arguments, index=0, workers=1, servers=1, target="", device=None):
    """Trains as worker `index`; the chief returns the perplexity on the held-out text."""
    vocabulary, ids, held_out = load(arguments)
    if index == 0:
        print(
            f"{len(ids)} words to train on, {len(held_out)} held out, {len(vocabulary)} different ones; "
            f"{arguments.softmax} softmax, {workers} worker{'s' * (workers > 1)}",
            flush=True,
        )
    parts = [language.Streams(part, arguments.batch, arguments.steps) for part in np.array_split(ids, workers)]
    test = language.Streams(held_out, TEST_BATCH, 32) if len(held_out) else None
    with tf.Graph().as_default(), tf.device(device):
        tf.set_random_seed(arguments.seed + index)  # different dropout and samples; initial values are the chief's
        training = Training(len(vocabulary), arguments, servers, workers)
        with tf.Session(target) as sess:
            training.start(sess, index == 0)
            goal, limit = arguments.epochs * len(ids), arguments.seconds or math.inf
            mine, read, seconds = training.run(sess, parts[index], goal, limit)
            print(f"worker {index}: {mine / seconds:.0f} words/s", flush=True)
            if index > 0:
                return None
            print(f"all workers: {read / seconds:.0f} words/s", flush=True)
            if test is None:
                return None
            loss = training.testing.read(sess, test)
    print(f"held-out text: {loss:.4f} nats per word, perplexity {math.exp(loss):.1f}", flush=True)
    return math.exp(loss)


def parse_arguments(argv):
    parser = language.make_parser("word_lm", __doc__, units=512, layers=1, batch=32, steps=20, epochs=5)
    parser.add_argument("--data", metavar="FILE", help="text to train on, words separated by blanks")
    parser.add_argument("--held-out", metavar="FILE", help="text to evaluate the model on")
    parser.add_argument("--softmax", choices=["full", "sampled"], default="sampled")
    parser.add_argument("--samples", type=language.at_least_1, default=512, help="sampled words (default 512)")
    parser.add_argument("--vocabulary", type=language.at_least_1, metavar="N", help="the N most frequent words only")
    parser.add_argument("--keep-prob", type=float, default=0.7, help="keep probability of dropout (default 0.7)")
    parser.add_argument("--rate", type=float, default=0.2, help="learning rate of Adagrad (default 0.2)")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradient (default 1)")
    parser.add_argument("--seconds", type=float, help="maximum training time")
    parser.add_argument("--evaluate", type=int, metavar="N", help="read only N words of the held-out text")
    parser.add_argument("--ps", type=int, metavar="P", help="number of parameter servers among the processes")
    return parser.parse_args(argv)


def main(argv=None):
    """Runs this process; returns the perplexity on the held-out text in the chief's process."""
    arguments = parse_arguments(argv)
    cluster = tf.train.ClusterSpec.from_mpi(ps=arguments.ps)
    workers = cluster.num_tasks("worker")
    if cluster.jobs == ["worker"] and workers == 1:
        return work(arguments)
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        server.join()
    if "ps" not in cluster.jobs:
        raise SystemExit("workers need a parameter server: --ps 1")
    task = f"/job:worker/task:{cluster.task_index}"
    device = tf.train.replica_device_setter(cluster=cluster, worker_device=task)
    return work(arguments, cluster.task_index, workers, cluster.num_tasks("ps"), server.target, device)


if __name__ == "__main__":
    main()
