"""Figure 9 of the TensorFlow paper: words per second of an LSTM language model with full and sampled softmax.

    python -m bench.language [--data FILE] [--workers 1 2 4] [--servers 1 2] [--seconds 20] [-- arguments of word_lm]

Each number is one run of tfcore.examples.word_lm under mpirun, counted after all workers have made a step. The
embedding, the softmax weights and, with the full softmax, the products with these are divided among the servers. The
first line is one process without a cluster. All tasks share this machine's cores.
"""

import argparse
import re
import subprocess
import sys

from tfcore.run import command

SOFTMAXES = ("full", "sampled")


def call(softmax, servers, workers, seconds, data, more=()):
    """The command of a run; 0 servers: one process without a cluster."""
    program = [sys.executable, "-m", "tfcore.examples.word_lm", "--softmax", softmax]
    program += ["--seconds", str(seconds), "--epochs", "1000000", "--evaluate", "0", *more]
    if data:
        program += ["--data", data]
    return [*command.mpirun(servers + workers), *program, "--ps", str(servers)] if servers else program


def words_a_second(softmax, servers, workers, seconds, data, more=()):
    done = subprocess.run(
        call(softmax, servers, workers, seconds, data, more), capture_output=True, text=True, timeout=seconds + 300
    )
    found = re.search(r"^all workers: (\d+) words/s$", done.stdout, re.MULTILINE)
    if not found:
        raise SystemExit(f"{softmax} softmax, {servers} servers, {workers} workers: {done.stdout}{done.stderr}")
    return int(found[1])


def table(servers, workers, measure):
    """Lines of the table; measure(softmax, servers, workers) is called row by row."""
    yield f"{'servers':>8}{'workers':>8}{'full':>10}{'sampled':>10}{'ratio':>8}   (words/s)"
    for p, w in [(0, 1), *((p, w) for p in servers for w in workers)]:
        full, sampled = (measure(softmax, p, w) for softmax in SOFTMAXES)
        yield f"{p or '-':>8}{w:>8}{full:>10}{sampled:>10}{sampled / full:>8.1f}"


def parse_arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m bench.language", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", metavar="FILE", help="the text (default: this package's source code)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], metavar="W")
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2], metavar="P")
    parser.add_argument("--seconds", type=float, default=20, help="of each run (default 20)")
    parser.add_argument("more", nargs="*", help="after --: passed on to word_lm")
    return parser.parse_args(argv)


def main(argv=None):
    arguments = parse_arguments(argv)

    def measure(*run):
        return words_a_second(*run, arguments.seconds, arguments.data, arguments.more)

    for line in table(arguments.servers, arguments.workers, measure):
        print(line, flush=True)


if __name__ == "__main__":
    main()
