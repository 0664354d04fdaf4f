"""What the input costs a training step: python -m bench.input_cost [--rounds N] [--steps N]

Trains the convolutional net of `tfcore.examples.mnist_pipeline` on its TFRecord files, which `tf.data` reads, shuffles,
parses, shifts and batches meanwhile, in turns with the same on batches of the same pipeline that are in memory. Prints
milliseconds of wall time and of processor time per step (medians of the turns), and by how much the files are slower.
`--only-input` measures the pipeline alone.
"""

import argparse
import os
import statistics
import tempfile
import time

import tfcore as tf
from tfcore.examples import mnist_pipeline

BATCH, MEMORY, WARM = 64, 64, 4  # digits in a batch, batches in memory, steps of a turn that are not counted


def files(folder):
    arguments = mnist_pipeline.parse_arguments(["--folder", folder])
    return mnist_pipeline.prepare(folder, arguments)[0]


def dataset(names):
    return mnist_pipeline.training_data(tf.data.TFRecordDataset(names), BATCH, None, seed=1)


def batches_in_memory(names):
    with tf.Graph().as_default(), tf.Session() as sess:
        batch = dataset(names).make_one_shot_iterator().get_next()
        return [sess.run(batch) for _ in range(MEMORY)]


class Training:
    """A net that trains; `step` makes one step."""

    def __init__(self, names, batches=None):
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            if batches is None:
                inputs = dataset(names).make_one_shot_iterator().get_next()
            else:
                inputs = [tf.placeholder(x.dtype, x.shape) for x in batches[0]]
            train = mnist_pipeline.training_op(mnist_pipeline.Alone(), *inputs, 60000, 10000)[0]
            sess = tf.Session()
            sess.run(tf.global_variables_initializer())
            if batches is None:
                self.step = sess.make_callable(train)
            else:
                call, turns = sess.make_callable(train, feed_list=inputs), iter(range(1 << 60))
                self.step = lambda: call(*batches[next(turns) % len(batches)])


class Input:
    """The pipeline alone."""

    def __init__(self, names):
        with tf.Graph().as_default():
            self.step = tf.Session().make_callable(tf.group(dataset(names).make_one_shot_iterator().get_next()))


def turn(step, steps):
    """(wall, processor) milliseconds of a step."""
    for _ in range(WARM):
        step()
    start, used = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step()
    return [1e3 * t / steps for t in (time.perf_counter() - start, time.process_time() - used)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each has its turn")
    parser.add_argument("--steps", type=int, default=40, help="of a turn")
    parser.add_argument("--only-input", action="store_true", help="measure the pipeline without training")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names = files(os.path.join(folder, "records"))
        if options.only_input:
            rows = {"input": Input(names)}
        else:
            rows = {"memory": Training(names, batches_in_memory(names)), "files": Training(names)}
        found = {name: [] for name in rows}
        for _ in range(options.rounds):
            for name, row in rows.items():
                found[name].append(turn(row.step, options.steps))
    medians = {name: [statistics.median(t[i] for t in turns) for i in (0, 1)] for name, turns in found.items()}
    print(f"{'ms per step':12} {'wall':>8} {'processor':>10}")
    for name, (wall, used) in medians.items():
        print(f"{name:12} {wall:8.2f} {used:10.2f}")
    if not options.only_input:
        pairs = [[f[i] / m[i] - 1 for m, f in zip(found["memory"], found["files"])] for i in (0, 1)]
        wall, used = (100 * statistics.median(p) for p in pairs)
        print(f"files are slower by {wall:.1f} % of wall time, {used:.1f} % of processor time")


if __name__ == "__main__":
    main()
