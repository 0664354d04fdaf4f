"""The table of speeds in one command: tfcore against TensorFlow and PyTorch, in turns, on this machine.

    python -m bench [--tf PYTHON] [--torch PYTHON] [--quick] [--only TEXT] [--json FILE] [--plot FILE.png]

--tf and --torch name the Python interpreters that have the peers; without them only tfcore runs. Each library runs in
a process of its own, and they take turns in short rounds; the table has medians. What they compute is compared before
anything is timed. The ratios decide whether a row is met: machines drift, and they drift for all. Exit status: 0 if
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
