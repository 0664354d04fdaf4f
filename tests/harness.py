"""The project's own records: where they are found, and what proves that none is missing.

How to add an op: put one OpRecord for it in the list RECORDS of tests/records/<address>.py, where the address is that
of its definition, such as cwise/unary. That is all: from it,
tests/test_records.py makes, with tfcore.testing,
- a kernel test (check_kernel) for every type the op has a registered CPU kernel for;
- numeric against symbolic gradients (check_gradient) in float64 and complex128, first and second order;
- a completeness test: no kernel without a record, no gradient without a gradient test.
How to write one is told in tfcore/testing/records.py. Run one family with `pytest tests/test_records.py -k
cwise/unary`, one op with `-k Exp`.

What no record can express (side effects, exact error texts, special values) is an ordinary test in
tests/ops/<family>/test_<file>.py. If that is the only test of a kernel or gradient, list it beside RECORDS (a record
whose gradient is tested elsewhere has gradient=0):
    EXPLICIT = {"Assert": "tests/ops/debugging/test_check.py::test_assert_message"}
    EXPLICIT_GRADIENTS = {"Print": "tests/ops/debugging/test_check.py::test_print_gradient"}
"""

import ast
import functools
import importlib
import pathlib
import pkgutil

from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import registered_ops
from tfcore.testing.records import kernel_types

ROOT = pathlib.Path(__file__).resolve().parent.parent


def own_ops():
    """The package's ops: all but those that tests define for themselves, named Test..., in the same process."""
    return [op for op in registered_ops() if not op.name.startswith("Test")]


@functools.cache
def own_kernels():
    """For each op type that the package has a CPU kernel for, its cases: see tfcore.testing.records.kernel_types."""
    types = {op.name: kernel_types(op.name, users=False) for op in own_ops()}
    return {op: cases for op, cases in types.items() if cases}


def own_kernel_table(level=None):
    """What the package registers at a level: a set of (op, device, types)."""
    return {(k.op, k.device, k.types) for k in registry.kernels(level) if k.level != "user"}


@functools.cache
def _record_modules():
    import tests.records as package

    found = pkgutil.walk_packages(package.__path__, "tests.records.")
    return [importlib.import_module(name) for name in sorted(m.name for m in found if not m.ispkg)]


def address_of(module):
    """tests.records.cwise.unary has the records of cwise/unary."""
    return module.__name__.removeprefix("tests.records.").replace(".", "/")


@functools.cache
def all_records():
    """The records of all families."""
    records = []
    for module in _record_modules():
        for record in module.RECORDS:
            record.family = address_of(module)
            records.append(record)
    return records


def explicit_tests(kind):
    """Op type -> test id, gathered from EXPLICIT or EXPLICIT_GRADIENTS of all record modules."""
    result = {}
    for module in _record_modules():
        result.update(getattr(module, kind, {}))
    return result


def test_exists(test_id):
    """Whether "tests/ops/test_x.py::test_y" (or ::TestX::test_y) names a test function."""
    path, *names = test_id.split("::")
    file = ROOT / path
    if not file.is_file() or not names:
        return False
    body = ast.parse(file.read_text()).body
    for name in names:
        found = [n for n in body if getattr(n, "name", None) == name]
        if not found:
            return False
        body = getattr(found[0], "body", [])
    return names[-1].startswith("test_")


test_exists.__test__ = False  # a function about tests, not a test
