"""Runs tests with a mistake in the runtime: python -m tests.gpu.planted MISTAKE [pytest's arguments]

MISTAKE is a library that takes the place of the module tfcore.core.gpu, or a function below, with its argument after a
colon.
"""

import importlib.machinery
import importlib.util
import os
import sys

import pytest


def replace_module(path):
    """The library of another build becomes tfcore.core.gpu."""
    import tfcore.core

    name = "tfcore.core.gpu"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    module.__file__ = os.path.join(os.path.dirname(tfcore.core.__file__), "gpu.so")  # its neighbours are there
    assert name not in sys.modules
    sys.modules[name] = tfcore.core.gpu = module
    loader.exec_module(module)


def forget_host_args(op_type):
    """The kernels of an operation say of no argument that it is on the host."""
    from tfcore.compiler import compile, memory

    host_arguments = memory.host_arguments

    def forgetful(node, kernel=None):
        return (frozenset(), frozenset()) if node.type == op_type else host_arguments(node, kernel)

    memory.host_arguments = compile.host_arguments = forgetful


def leave_out_copies_to_cpus():
    """What the CPU takes from a GPU's kernel is taken where it lies."""
    from tfcore.compiler import memory

    of_output = memory.Memories.of_output
    memory.Memories.of_output = lambda self, node, index: memory.cpu_of(of_output(self, node, index))


def leave_out_copies_to_gpus():
    """What a GPU's kernel takes from the CPU is taken where it lies."""
    from tfcore.compiler import memory

    of_input = memory.Memories.of_input
    memory.Memories.of_input = lambda self, node, i: memory.cpu_of(of_input(self, node, i))


if __name__ == "__main__":
    mistake, *arguments = sys.argv[1:]
    if os.path.exists(mistake):
        replace_module(mistake)
    else:
        name, *argument = mistake.split(":")
        globals()[name](*argument)
    sys.exit(pytest.main(arguments))
