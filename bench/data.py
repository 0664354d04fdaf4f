"""Speed of tf.data: python -m bench.data [--tf PYTHON] [--only TEXT]

PYTHON is an interpreter that has TensorFlow, which then runs the same programs, in turns with tfcore. Prints, for each
pipeline, microseconds of wall time and of processor time per element (median of the turns), and the ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BATCH, IMAGES = 128, 20000


def write_images(tf, np, folder):
    """Files of serialized examples, each with an image of 784 bytes and a label."""
    images = np.random.RandomState(1).randint(0, 256, (IMAGES, 784)).astype(np.uint8)
    for part in range(4):
        with tf.io.TFRecordWriter(f"{folder}/examples-{part}") as writer:
            for i in range(part, IMAGES, 4):
                example = tf.train.Example()
                example.features.feature["image"].bytes_list.value.append(images[i].tobytes())
                example.features.feature["label"].int64_list.value.append(i % 10)
                writer.write(example.SerializeToString())
    with open(f"{folder}/text", "wb") as file:
        file.write(b"".join(b"%099d\n" % i for i in range(200_000)))


def parsed(tf, serialized):
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    found = tf.io.parse_example(serialized, features)
    images = tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), [-1, 784])
    return tf.cast(images, tf.float32) * (1 / 255.0), tf.cast(found["label"], tf.int32)


def examples(tf, folder):
    return tf.data.TFRecordDataset([f"{folder}/examples-{part}" for part in range(4)]).repeat()


def examples_by_queues(tf, folder):
    names = tf.train.string_input_producer([f"{folder}/examples-{part}" for part in range(4)])
    batch = tf.train.shuffle_batch([tf.TFRecordReader().read(names)[1]], BATCH, 4000, 2000, num_threads=2)
    return parsed(tf, batch)


def numbers(tf):
    return tf.data.Dataset.range(1 << 40)


def add_one(x):
    return x + 1


def pipelines(tf, np, folder):
    """{name: (a function that makes the dataset, or tensors, elements of one that is taken)}"""
    pixels = np.random.RandomState(2).rand(10000, 784).astype(np.float32)
    tuned = tf.data.experimental.AUTOTUNE
    rows = tf.data.Dataset.from_tensor_slices
    return {
        "range, map, batch": (lambda: numbers(tf).map(add_one).batch(BATCH), BATCH),
        "range, map": (lambda: numbers(tf).map(add_one), 1),
        "range, tuned map": (lambda: numbers(tf).map(add_one, num_parallel_calls=tuned), 1),
        "range, tuned map, batch": (lambda: numbers(tf).map(add_one, num_parallel_calls=tuned).batch(BATCH), BATCH),
        "range, map by 2, batch": (lambda: numbers(tf).map(add_one, num_parallel_calls=2).batch(BATCH), BATCH),
        "range, map by 4, batch": (lambda: numbers(tf).map(add_one, num_parallel_calls=4).batch(BATCH), BATCH),
        "range, prefetch": (lambda: numbers(tf).prefetch(64), 1),
        "range, prefetch, batch": (lambda: numbers(tf).prefetch(64).batch(BATCH), BATCH),
        "range, map, batch, tuned prefetch": (lambda: numbers(tf).map(add_one).batch(BATCH).prefetch(tuned), BATCH),
        "784 floats, shuffle, batch": (lambda: rows(pixels).repeat().shuffle(4000).batch(BATCH), BATCH),
        "784 floats, map by 2, batch": (
            lambda: rows(pixels).repeat().map(add_one, num_parallel_calls=2).batch(BATCH),
            BATCH,
        ),
        "text lines, batch": (lambda: tf.data.TextLineDataset(f"{folder}/text").repeat().batch(1000), 1000),
        "TFRecord, shuffle, batch, parse": (
            lambda: examples(tf, folder).shuffle(4000).batch(BATCH).map(lambda x: parsed(tf, x)).prefetch(2),
            BATCH,
        ),
        "TFRecord, shuffle, batch, parse by queues": (lambda: examples_by_queues(tf, folder), BATCH),
    }


def measure_row(tf, make, elements, seconds):
    """(wall, processor) time of an element, in microseconds."""
    with tf.Graph().as_default():
        made = make()
        if isinstance(made, tf.data.Dataset):
            made = tf.data.make_one_shot_iterator(made).get_next()
        fetch = tf.group(made)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            run = session.make_callable(fetch)
            for _ in range(20):
                run()
            steps, start, used = 0, time.perf_counter(), time.process_time()
            while time.perf_counter() - start < seconds:
                for _ in range(10):
                    run()
                steps += 10
            wall, used = time.perf_counter() - start, time.process_time() - used
            coordinator.request_stop()
            coordinator.join(threads)
    return [1e6 * t / steps / elements for t in (wall, used)]


def measure(options):
    """{name: (wall, processor)}"""
    import numpy as np

    if options.worker:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    else:
        import tfcore as tf
    if not os.path.exists(f"{options.folder}/text"):
        write_images(tf, np, options.folder)
    rows = pipelines(tf, np, options.folder)
    return {n: measure_row(tf, *row, options.seconds) for n, row in rows.items() if options.only in n}


def turn(python, options, folder, *worker):
    command = [python, "-m", "bench.data", "--folder", folder, "--only", options.only]
    command += ["--seconds", str(options.seconds), "--worker", *worker]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains it")
    parser.add_argument("--rounds", type=int, default=3, help="how often each library has its turn")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a row in a turn")
    parser.add_argument("--worker", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        print(json.dumps(measure(options)))
        return
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            ours.append(turn(sys.executable, options, folder))
            if options.tf:
                theirs.append(turn(options.tf, options, folder, "tensorflow"))
    print(f"{'us per element':42} {'wall':>9} {'processor':>9}   {'TensorFlow':>9} {'processor':>9}  ratios")
    for name in ours[0]:
        own = [statistics.median(found[name][i] for found in ours) for i in (0, 1)]
        line = f"{name:42} {own[0]:9.3f} {own[1]:9.3f}"
        if theirs:
            peer = [statistics.median(found[name][i] for found in theirs) for i in (0, 1)]
            line += f"   {peer[0]:9.3f} {peer[1]:9.3f} {peer[0] / own[0]:6.1f} {peer[1] / own[1]:6.1f}"
        print(line)


if __name__ == "__main__":
    main()
