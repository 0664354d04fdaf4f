"""Prints the speeds of loops: tfcore against TensorFlow (control flow v1) and PyTorch, in turns, on this machine.

    python -m bench.control_flow [--tf PYTHON] [--torch PYTHON] [--quick] [--only TEXT] [--json FILE] [--plot FILE.png]

After the table: the memory of the dynamic LSTM beside the unrolled one, and a loop over two MPI tasks beside raw MPI.
Exit status: 0 if everything is met, 1 if not, 2 if a library is wrong or fails.
"""

import argparse
import sys

from bench import rows, table
from bench.control_flow import memory, two_tasks


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.control_flow", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    table.add_arguments(parser, "control_flow")
    options = parser.parse_args()
    status = table.run(rows.all_rows(rows.CONTROL_FLOW), options)
    if options.only in memory.NAME:
        status = max(status, memory.report())
    if options.only in two_tasks.NAME:
        status = max(status, two_tasks.report(options.quick))
    return status


if __name__ == "__main__":
    sys.exit(main())
