"""How fast is a checkpoint, beside a plain write and read of the same bytes, and beside TensorFlow?

`python -m bench.checkpoints` saves and restores variables in `--folder`, a gigabyte in 16 of them by default, in turn
with writing one file of that size and syncing it, and reading it. Before each read the system forgets the file, so that
the disk is measured; `--cached` measures copies from the system's memory instead. With `--tf PYTHON` TensorFlow does
the same; it syncs nothing, so `sync` is called for it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

VARIABLES = 16


def forget(folder):
    for name in os.listdir(folder):
        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def plain(folder, size):
    """A file that is written with `write` in pieces of a megabyte, and read to memory that is there already."""
    path = os.path.join(folder, "plain")
    piece = np.random.default_rng(1).bytes(1 << 20)
    memory = bytearray(size)

    def save():
        with open(path + ".new", "wb", 0) as file:  # as a checkpoint must: the old file stays until then
            for _ in range(size >> 20):
                file.write(piece)
            os.fsync(file.fileno())
        os.replace(path + ".new", path)

    def restore():
        with open(path, "rb", 0) as file:
            view, at = memoryview(memory), 0
            while n := file.readinto(view[at : at + (8 << 20)]):
                at += n

    return save, restore


def graph(tf, folder, size):
    shape = [size // 4 // VARIABLES]
    for i in range(VARIABLES):
        tf.get_variable(f"v{i}", shape, use_resource=False)
    saver = tf.train.Saver(max_to_keep=1)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    path = os.path.join(folder, "model")

    def save():
        saver.save(session, path, write_meta_graph=False)
        if "tensorflow" in sys.modules:
            os.sync()

    return save, lambda: saver.restore(session, path)


def work(library, folder, size, cached):
    """Answers each line of stdin, "save" or "restore", by the seconds that it took."""
    if library == "plain":
        save, restore = plain(folder, size)
    elif library == "tensorflow":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        save, restore = graph(tf, folder, size)
    else:
        import tfcore as tf

        save, restore = graph(tf, folder, size)
    for line in sys.stdin:
        if line.strip() == "restore" and not cached:
            forget(folder)
        start = time.perf_counter()
        {"save": save, "restore": restore}[line.strip()]()
        print(json.dumps(time.perf_counter() - start), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cached", action="store_true", help="restore from the system's memory")
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    size = int(args.gigabytes * (1 << 30)) // (VARIABLES << 20) * (VARIABLES << 20)
    if args.worker:
        return work(args.worker[0], args.worker[1], size, args.cached)
    pythons = {"plain": sys.executable, "tfcore": sys.executable, **({"tensorflow": args.tf} if args.tf else {})}
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        processes = {}
        for library, python in pythons.items():
            own = os.path.join(folder, library)
            os.mkdir(own)
            command = [python, "-m", "bench.checkpoints", "--gigabytes", str(args.gigabytes), "--worker", library, own]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            processes[library] = subprocess.Popen([*command, *["--cached"] * args.cached], text=True, **pipes)
        seconds = {(library, what): [] for library in pythons for what in ("save", "restore")}
        for _ in range(args.rounds + 1):
            for (library, what), times in seconds.items():
                process = processes[library]
                print(what, file=process.stdin, flush=True)
                times.append(json.loads(process.stdout.readline()))
        for process in processes.values():
            process.stdin.close()
            process.wait()
    for (library, what), times in seconds.items():  # the first round warms up
        middle = statistics.median(times[1:])
        share = statistics.median(seconds["plain", what][1:]) / middle
        print(f"{what:8} {library:11} {middle:7.3f} s  {size / middle / 1e9:6.2f} GB/s  {share:5.0%} of plain")


if __name__ == "__main__":
    main()
