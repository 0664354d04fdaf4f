"""Many random programs: python -m tests.programs [--examples 1000] [--seed 0] [--depth 3] [--second] [--tf PYTHON]

Each is run in tfcore, in plain Python, and with --tf (an interpreter that has TensorFlow) in TensorFlow.
"""

import argparse
import contextlib

import hypothesis

from tests.differential.peer import TensorFlow
from tests.programs.check import check, check_in, check_second_order
from tests.programs.language import programs


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--depth", type=int, default=3, help="how deep conditionals and loops are in each other")
    parser.add_argument("--second", action="store_true", help="also gradients of second order")
    parser.add_argument("--tf", metavar="PYTHON", help="interpreter that has TensorFlow")
    arguments = parser.parse_args()
    with TensorFlow(arguments.tf) if arguments.tf else contextlib.nullcontext() as peer:

        @hypothesis.settings(
            max_examples=arguments.examples,
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.seed(arguments.seed)
        @hypothesis.given(programs(arguments.depth))
        def each(program):
            check(program)
            if arguments.second:
                check_second_order(program)
            if peer is not None:
                check_in(peer, program)

        each()
    print(f"{arguments.examples} programs: no deviation")


if __name__ == "__main__":
    main()
