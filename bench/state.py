"""Runs the benchmarks of queues, checkpoints, synchronous replication and recovery; with --tf beside TensorFlow.

    python -m bench.state [--tf PYTHON] [--only queues,checkpoints,replicas,recovery]

PYTHON is an interpreter that has TensorFlow, which then takes turns with tfcore. Each part is a program of its own:
bench.queues, bench.checkpoints, bench.distributed.replicas, bench.recovery.
"""

import argparse
import subprocess
import sys

PARTS = {
    "queues": "bench.queues",
    "checkpoints": "bench.checkpoints",
    "replicas": "bench.distributed.replicas",
    "recovery": "bench.recovery",
}


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.state", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if not PARTS.keys() >= set(chosen):
        parser.error(f"argument --only: of {', '.join(PARTS)}")
    failed = 0
    for part in chosen:
        print(f"---- {part}", flush=True)
        more = ["--tf", options.tf] if options.tf else []
        failed |= subprocess.run([sys.executable, "-m", PARTS[part], *more]).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
