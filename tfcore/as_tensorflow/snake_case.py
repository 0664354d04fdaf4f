"""The names of op types in TensorFlow's generated Python modules: `mat_mul` for MatMul."""

import functools
import re

from tfcore.framework.definitions.op_def import registered_ops


def snake_case(name):
    """A capital letter begins a word if a small letter is beside it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z0-9])(?=[A-Z][a-z])", "_", name).lower()


def ends_in_version(name):
    return re.search(r"_v\d+$", name) is not None


@functools.cache
def raw_ops():
    """{name in snake case: op definition}"""
    return {snake_case(op.name): op for op in registered_ops() if not op.name.startswith("_")}
