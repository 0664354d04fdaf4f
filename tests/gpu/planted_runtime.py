"""Runs tests with a mistake planted in the runtime, for `test_planted_runtime.py`.

    python -m tests.gpu.planted_runtime MISTAKE [pytest's arguments]

MISTAKE is the path of a library that takes the place of the module tfcore.core.device.gpu, or the name of a function
below, with its argument after a colon: "forget_host_args:Sum".
"""

import importlib.machinery
import importlib.util
import os
import sys

import pytest


def replace_module(path):
    """Loads the library of another build as tfcore.core.device.gpu."""
    import tfcore.core.device

    name = "tfcore.core.device.gpu"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    # It looks for files beside itself.
    module.__file__ = os.path.join(os.path.dirname(tfcore.core.device.__file__), "gpu.so")
    assert name not in sys.modules
    sys.modules[name] = tfcore.core.device.gpu = module
    loader.exec_module(module)


def forget_host_args(op_type):
    """Kernels of an operation are taken to have no arguments on the host."""
    from tfcore.compiler import argument_memory, compile

    host_arguments = argument_memory.host_arguments

    def forgetful(node, kernel=None):
        return (frozenset(), frozenset()) if node.type == op_type else host_arguments(node, kernel)

    argument_memory.host_arguments = compile.host_arguments = forgetful


def leave_out_copies_to_cpus():
    """What a GPU's kernel makes is taken to be on the host."""
    from tfcore.compiler import argument_memory

    of_output = argument_memory.Memories.of_output
    argument_memory.Memories.of_output = lambda self, node, index: argument_memory.cpu_of(of_output(self, node, index))


def leave_out_copies_to_gpus():
    """What a GPU's kernel takes is taken to be on the host."""
    from tfcore.compiler import argument_memory

    of_input = argument_memory.Memories.of_input
    argument_memory.Memories.of_input = lambda self, node, i: argument_memory.cpu_of(of_input(self, node, i))


if __name__ == "__main__":
    mistake, *arguments = sys.argv[1:]
    if os.path.exists(mistake):
        replace_module(mistake)
    else:
        name, *argument = mistake.split(":")
        globals()[name](*argument)
    sys.exit(pytest.main(arguments))
