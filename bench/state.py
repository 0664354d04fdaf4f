"""Runs the benchmarks of queues, checkpoints, synchronous replication and recovery; with --tf beside TensorFlow.

    python -m bench.state [--tf PYTHON] [--only queues,checkpoints,saving,replicas,ps_replicas,recovery] [--quick]

PYTHON is an interpreter that has TensorFlow, which then takes turns with tfcore. Each part is a program of its own:
bench.queues, bench.checkpoints, bench.saving, bench.distributed.replicas, bench.distributed.ps_replicas,
bench.recovery. --quick gives a rough picture.
"""

import argparse
import subprocess
import sys

PARTS = {
    "queues": "bench.queues",
    "checkpoints": "bench.checkpoints",
    "saving": "bench.saving",
    "replicas": "bench.distributed.replicas",
    "ps_replicas": "bench.distributed.ps_replicas",
    "recovery": "bench.recovery",
}
QUICK = {
    "queues": ["--runs", "2000"],
    "checkpoints": ["--gigabytes", "0.25", "--rounds", "2"],
    "saving": ["--gigabytes", "0.25", "--rounds", "2"],
    "replicas": ["--rounds", "2", "--seconds", "1"],
    "recovery": ["--rounds", "1"],
}


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.state", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and less data")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if not PARTS.keys() >= set(chosen):
        parser.error(f"argument --only: of {', '.join(PARTS)}")
    failed = 0
    for part in chosen:
        print(f"---- {part}", flush=True)
        more = (["--tf", options.tf] if options.tf else []) + (QUICK[part] if options.quick else [])
        failed |= subprocess.run([sys.executable, "-m", PARTS[part], *more]).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
