"""Prints the table of speeds: tfcore against TensorFlow and PyTorch, in turns, on this machine.

    python -m bench [--tf PYTHON] [--torch PYTHON] [--quick] [--only TEXT] [--json FILE] [--plot FILE.png]

--tf and --torch name the Python interpreters that have these libraries; without them only tfcore runs. Each library
runs in a separate process, and they take turns in short rounds; the table has medians. Results are compared before
anything is timed. Ratios decide whether a row is met, as drift of the machine affects all libraries. Exit status: 0 if
every row is met, 1 if not, 2 if a library is wrong or fails.
"""

import argparse
import sys

from bench import rows, table


def main():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    table.add_arguments(parser, "table")
    return table.run(rows.all_rows(), parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
