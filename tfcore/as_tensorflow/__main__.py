"""Runs a program that imports TensorFlow: python -m tfcore.as_tensorflow [-m] PROGRAM [ARGUMENT ...]"""

import os
import runpy
import sys

from tfcore.as_tensorflow import install

USAGE = """usage: python -m tfcore.as_tensorflow PROGRAM.py [ARGUMENT ...]
       python -m tfcore.as_tensorflow -m MODULE [ARGUMENT ...]

Runs a program in which `import tensorflow` finds tfcore."""


def main(arguments):
    as_module = arguments[:1] == ["-m"]
    arguments = arguments[as_module:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    if not as_module and not os.path.exists(arguments[0]):
        return f"python -m tfcore.as_tensorflow: there is no program {arguments[0]!r}"
    install()
    sys.argv = arguments
    if as_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
