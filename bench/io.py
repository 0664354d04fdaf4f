"""Speed of data in: python -m bench.io [--tf PYTHON]

PYTHON is an interpreter that has TensorFlow, which then runs the same programs, in turns with tfcore. Prints thousand
examples per second of images of 784 bytes from files of records, decoded, shuffled and batched through queues, by two
threads; of records alone; and megabytes per second of lines of text.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = 128
EXAMPLES, LINES, LINE = 20000, 200_000, 100


def write_inputs(folder, tf, np):
    """The files that all libraries read."""
    images = np.random.RandomState(1).randint(0, 256, (EXAMPLES, 785)).astype(np.uint8)
    for part in range(4):
        with tf.python_io.TFRecordWriter(f"{folder}/images-{part}") as writer:
            for image in images[part::4]:
                writer.write(image.tobytes())
    with open(f"{folder}/text", "wb") as file:
        file.write(b"".join(b"%099d\n" % i for i in range(LINES)))


def steps_per_second(tf, fetch, seconds):
    """How often a fetch of an input pipeline runs per second, while its queue runners run."""
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        run = sess.make_callable(fetch)
        for _ in range(20):
            run()
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            run()
            count += 1
        rate = count / (time.perf_counter() - start)
        coordinator.request_stop()
        coordinator.join(threads)
    return rate


def files_of(tf, folder, name):
    return tf.train.string_input_producer([f"{folder}/{each}" for each in sorted(os.listdir(folder)) if name in each])


def shuffled_images(tf, folder):
    _, record = tf.TFRecordReader().read(files_of(tf, folder, "images"))
    data = tf.reshape(tf.decode_raw(record, tf.uint8), [785])
    image, label = tf.cast(data[1:], tf.float32) * (1 / 255.0), tf.cast(data[0], tf.int32)
    return tf.train.shuffle_batch([image, label], BATCH, 4000, 2000, num_threads=2)


def records(tf, folder):
    return tf.TFRecordReader().read_up_to(files_of(tf, folder, "images"), BATCH)[1].op


def lines(tf, folder):
    return tf.TextLineReader().read_up_to(files_of(tf, folder, "text"), 1000)[1].op


ROWS = {
    "TFRecord + shuffle_batch, thousand/s": (shuffled_images, BATCH / 1e3),
    "TFRecord alone, thousand/s": (records, BATCH / 1e3),
    "text lines, MB/s": (lines, 1000 * LINE / 1e6),
}


def measure(tf, folder, seconds):
    """A dict of the rows."""
    found = {}
    for name, (build, factor) in ROWS.items():
        with tf.Graph().as_default():
            found[name] = steps_per_second(tf, build(tf, folder), seconds) * factor
    return found


PEER = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
sys.path.append(sys.argv[1])
import io_rows
print(json.dumps(io_rows.measure(tf, sys.argv[2], float(sys.argv[3]))))
"""


def measure_peer(python, folder, seconds):
    """The same by another interpreter. `io` is a module of Python, so this file has another name there."""
    with tempfile.TemporaryDirectory() as modules:
        os.symlink(os.path.abspath(__file__), f"{modules}/io_rows.py")
        command = [python, "-c", PEER, modules, folder, str(seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tf", help="an interpreter that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=3, help="how often each library has its turn")
    parser.add_argument("--seconds", type=float, default=2.0, help="of a row in a round")
    options = parser.parse_args()
    import numpy as np

    import tfcore as tf

    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder, tf, np)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(measure(tf, folder, options.seconds))
            if options.tf:
                theirs.append(measure_peer(options.tf, folder, options.seconds))
    for name in ROWS:
        own = statistics.median(found[name] for found in ours)
        peer = statistics.median(found[name] for found in theirs) if theirs else 0
        print(f"{name:40} {own:10.1f}" + (f"   TensorFlow {peer:10.1f}   x {own / peer:.1f}" if peer else ""))


if __name__ == "__main__":
    sys.exit(main())
