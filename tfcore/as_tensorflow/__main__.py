"""Runs a program that imports TensorFlow: python -m tfcore.as_tensorflow [--old-code] [-m] PROGRAM [ARGUMENT ...]"""

import os
import runpy
import sys

from tfcore.as_tensorflow import install, old_code

USAGE = """usage: python -m tfcore.as_tensorflow [--old-code] PROGRAM.py [ARGUMENT ...]
       python -m tfcore.as_tensorflow [--old-code] -m MODULE [ARGUMENT ...]

Runs a program in which `import tensorflow` finds tfcore. With --old-code it also finds what Python and libraries
such as NumPy took away since 2016."""


def main(arguments):
    is_old = arguments[:1] == ["--old-code"]
    arguments = arguments[is_old:]
    as_module = arguments[:1] == ["-m"]
    arguments = arguments[as_module:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    if not as_module and not os.path.exists(arguments[0]):
        return f"python -m tfcore.as_tensorflow: there is no program {arguments[0]!r}"
    install(old_code=is_old)
    sys.argv = arguments
    sys.path.insert(0, os.getcwd() if as_module else os.path.dirname(os.path.abspath(arguments[0])))
    try:
        if as_module:
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(arguments[0], run_name="__main__")
    except Exception as error:
        old_code.explain(error)
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
