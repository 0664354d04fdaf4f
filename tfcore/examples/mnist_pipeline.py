"""Handwritten digits from files to a trained model, all in one graph: Figure 2 of the TensorFlow paper.

    python -m tfcore.examples.mnist_pipeline --folder DIR [--data DIR] [--epochs N]
    mpirun -n 4 python -m tfcore.examples.mnist_pipeline --folder DIR --sync replicas --backup 1

It writes the digits to TFRecord files in DIR, unless they are there. Then one graph reads, shuffles, parses and shifts
them, trains a convolutional net, and writes summaries and checkpoints. A checkpoint also holds the position of the
input: kill the program at any moment, run the same command again, and it continues from the last checkpoint with the
digits that come next. A variable counts how often each digit was used. Without --folder each run starts from scratch.

In a cluster the first process has the variables. Workers take shards of the digits, one after another. A checkpoint
then holds which shards are finished, not a position: the job may be started again with more or fewer workers, which
read unfinished shards from the beginning. With --backup B each step applies the first gradients, of all workers but B.
"""

import contextlib
import functools
import os
import tempfile

import numpy as np

import tfcore as tf
from tfcore.examples.mnist import at_least_1, load, make_parser

FILES = 4
SHARDS = 32  # in a cluster; there cannot be more workers
SHIFT = 2  # the most pixels by which a digit is shifted
BUFFER = 10000  # digits from which the next is drawn
RATE, LAST_RATE, MOMENTUM, KEEP = 0.05, 0.0005, 0.9, 0.5


# ---- Files


def write_records(path, digits):
    """Writes digits as TFRecords; the file is complete or not there."""
    writing = f"{path}.{os.getpid()}"
    with tf.python_io.TFRecordWriter(writing) as writer:
        for number, image, label in digits:
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
                "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    os.replace(writing, path)


def prepare(folder, arguments):
    """Writes what is missing; returns the files to train on, the file to test with, and their numbers of digits."""
    mnist, source = load(arguments)
    images = np.concatenate([mnist.train.images, mnist.validation.images])
    labels = np.concatenate([mnist.train.labels, mnist.validation.labels])
    names = [os.path.join(folder, f"train-{i}-of-{FILES}.tfrecord") for i in range(FILES)]
    os.makedirs(folder, exist_ok=True)
    for i, name in enumerate(names):
        if not os.path.exists(name):
            write_records(name, digits(images, labels, range(i, len(images), FILES)))
    test = os.path.join(folder, "test.tfrecord")
    if not os.path.exists(test):
        write_records(test, digits(mnist.test.images, mnist.test.labels, range(len(mnist.test.images))))
    return names, test, len(images), len(mnist.test.images), source


def digits(images, labels, numbers):
    for number in numbers:
        yield number, np.rint(images[number] * 255).astype(np.uint8), int(labels[number].argmax())


# ---- Input


def parse(record):
    """(image, label, number) of a serialized example."""
    features = {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
        "number": tf.FixedLenFeature([], tf.int64),
    }
    example = tf.parse_single_example(record, features)
    image = tf.reshape(tf.decode_raw(example["image"], tf.uint8), [28, 28, 1])
    return tf.cast(image, tf.float32) / 255, example["label"], example["number"]


def shift(image, label, number):
    """The image, shifted by a few pixels."""
    padded = tf.pad(image, [[SHIFT, SHIFT], [SHIFT, SHIFT], [0, 0]])
    return tf.random_crop(padded, [28, 28, 1]), label, number


def training_data(records, batch_size, epochs, seed):
    """Batches of shifted digits, in another order in each epoch."""
    dataset = records.shuffle(BUFFER, seed).repeat(epochs)
    dataset = dataset.map(parse, num_parallel_calls=2).map(shift, num_parallel_calls=2)
    return dataset.batch(batch_size).prefetch(2)


# ---- Model


def network(images, training):
    """Logits of a batch: two convolutions with pooling, two dense layers."""
    with tf.variable_scope("network", reuse=tf.AUTO_REUSE):
        layer = images
        for filters in (32, 64):
            layer = tf.layers.conv2d(layer, filters, 5, padding="same", activation=tf.nn.relu, name=f"conv{filters}")
            layer = tf.layers.max_pooling2d(layer, 2, 2)
        layer = tf.layers.dense(tf.layers.flatten(layer), 512, tf.nn.relu, name="hidden")
        layer = tf.layers.dropout(layer, 1 - KEEP, training=training)
        return tf.layers.dense(layer, 10, name="logits")


def training_op(replica, images, labels, numbers, n_digits, steps):
    """(Training step, global step, counts). It counts the digits that it has seen."""
    seen = tf.get_variable("seen", [n_digits], tf.int32, tf.zeros_initializer(), trainable=False)
    step = tf.train.get_or_create_global_step()
    logits = network(images, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    tf.summary.scalar("loss", loss)
    tf.summary.image("digits", images, max_outputs=4)
    rate = tf.train.polynomial_decay(RATE, step, steps, LAST_RATE)
    optimizer = replica.wrap(tf.train.MomentumOptimizer(rate, MOMENTUM))
    with tf.control_dependencies([tf.scatter_add(seen, numbers, tf.ones_like(numbers, tf.int32))]):
        return optimizer.minimize(loss, step), step, seen


def accuracy_of(images, labels):
    correct = tf.equal(tf.argmax(network(images, training=False), 1), labels)
    return tf.reduce_sum(tf.cast(correct, tf.int32))


# ---- One process, and replicas


class Alone:
    """One process, which sees each digit once in an epoch."""

    index, count, is_chief, target = 0, 1, True, ""
    hooks = ()

    def wrap(self, optimizer):
        return optimizer

    def variables(self):
        return contextlib.nullcontext()

    def iterator(self, files, arguments):
        """The checkpoint holds its position."""
        records = tf.data.TFRecordDataset(files)
        dataset = training_data(records, arguments.batch, arguments.epochs, arguments.seed)
        iterator = dataset.make_initializable_iterator()
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
        return iterator

    def wait_for_others(self):
        """After the training: the chief's last checkpoint needs all workers."""


class Replica(Alone):
    """One of several workers of a cluster with a parameter server."""

    def __init__(self, cluster, server, backup):
        self.cluster, self.server, self.target, self.backup = cluster, server, server.target, backup
        self.index, self.count = cluster.task_index, cluster.num_tasks("worker")
        self.is_chief = self.index == 0

    def wrap(self, optimizer):
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, self.count - self.backup, self.count)
        self.hooks = [optimizer.make_session_run_hook(self.is_chief)]
        return optimizer

    def variables(self):
        worker = f"/job:worker/task:{self.index}"
        return tf.device(tf.train.replica_device_setter(cluster=self.cluster, worker_device=worker))

    def iterator(self, files, arguments):
        """Over the shards that this worker takes. The checkpoint holds the variable that says which are finished."""

        def read(count, index):
            seed = tf.random_uniform([], 0, 2**62, tf.int64)  # another order in each epoch
            return training_data(tf.data.TFRecordDataset(files).shard(count, index), arguments.batch, 1, seed)

        dataset = tf.contrib.data.dynamic_shards(read, SHARDS, self.server, num_epochs=None)
        with tf.device(f"/job:worker/task:{self.index}/cpu:0"):
            return dataset.make_initializable_iterator()

    def wait_for_others(self):
        with tf.Graph().as_default(), tf.Session(self.target) as sess:
            sess.run(tf.distributed.barrier())


def replica_of(arguments):
    """This process's role; None for a parameter server, after the training has ended."""
    if arguments.sync == "none":
        return Alone()
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    if not arguments.backup < cluster.num_tasks("worker"):
        raise SystemExit(f"--backup {arguments.backup} leaves none of {cluster.num_tasks('worker')} workers")
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        server.join()
        return None
    return Replica(cluster, server, arguments.backup)


def run(arguments, replica, folder):
    """Trains, and returns the accuracy on the test set and how often each digit was seen, if this is the chief."""
    files, test, n_digits, n_test, source = prepare(folder, arguments)
    goal = arguments.epochs * n_digits  # digits seen, by all workers and in all runs
    steps = -(-goal // (arguments.batch * replica.count))
    if replica.is_chief:
        print(f"{n_digits} digits of {source}, {arguments.epochs} epochs: {steps} steps, in {folder}", flush=True)
    with tf.Graph().as_default(), replica.variables():
        tf.set_random_seed(arguments.seed)
        iterator = replica.iterator(files, arguments)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        train, step, seen = training_op(replica, *iterator.get_next(), n_digits, steps)
        total = tf.reduce_sum(seen)
        tests = tf.data.TFRecordDataset(test).map(parse).batch(500).make_initializable_iterator()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, tests.initializer)
        correct = accuracy_of(*tests.get_next()[:2])
        with tf.train.MonitoredTrainingSession(
            replica.target,
            replica.is_chief,
            os.path.join(folder, "checkpoints"),
            hooks=replica.hooks,
            save_checkpoint_secs=None,
            save_checkpoint_steps=arguments.save_steps,
        ) as sess:
            # Without hooks: one that writes a summary of the loss would take a batch.
            without_hooks = functools.partial(_run_without_hooks, sess)
            done = without_hooks(step)
            if done and replica.is_chief:
                print(f"continues after step {done}", flush=True)
            n_seen = without_hooks(total)
            with contextlib.suppress(tf.errors.OutOfRangeError):  # all epochs are done
                while n_seen < goal:
                    _, n_seen = sess.run([train, total])
            if not replica.is_chief:
                return None
            return sum(without_hooks(correct) for _ in range(-(-n_test // 500))) / n_test, without_hooks(seen)


def _run_without_hooks(sess, fetches):
    return sess.run_step_fn(lambda step_context: step_context.session.run(fetches))


def parse_arguments(argv):
    parser = make_parser("mnist_pipeline", __doc__)
    parser.add_argument("--folder", help="where files and checkpoints are (default: a new one)")
    parser.add_argument("--epochs", type=at_least_1, default=10, help="how often it sees each digit")
    parser.add_argument("--batch", type=at_least_1, default=64, help="digits per step and worker")
    parser.add_argument("--save-steps", type=at_least_1, default=500, help="steps from one checkpoint to the next")
    parser.add_argument("--sync", choices=["none", "replicas"], default="none", help="one process, or mpirun's")
    parser.add_argument("--backup", type=int, default=0, metavar="B", help="workers whose gradients are not needed")
    arguments = parser.parse_args(argv)
    if arguments.backup < 0 or (arguments.backup and arguments.sync == "none"):
        parser.error("argument --backup: must not be negative, and needs --sync replicas")
    return arguments


def main(argv=None):
    """Trains; returns the accuracy on the test set in the chief's process, None in others."""
    arguments = parse_arguments(argv)
    replica = replica_of(arguments)
    if replica is None:
        return None
    folder = arguments.folder or tempfile.mkdtemp(prefix="mnist_pipeline")
    result = run(arguments, replica, folder)
    replica.wait_for_others()
    if result is None:
        return None
    accuracy, seen = result
    print(f"each digit was seen {seen.min()} to {seen.max()} times", flush=True)
    print(f"test accuracy: {accuracy:.2%}", flush=True)
    return accuracy


if __name__ == "__main__":
    main()
