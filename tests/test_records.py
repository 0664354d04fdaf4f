"""The tests that follow from the records in tests/records: see tests/harness.py."""

import pytest

from tests import harness
from tests.unoptimized import unoptimized
from tfcore.compiler import resource_variables
from tfcore.compiler.inlined_bodies import CALLS
from tfcore.testing import cpu_levels
from tfcore.testing.gradients import check_gradient_case
from tfcore.testing.kernels import check_case
from tfcore.testing.records import cases_of, gradient_cases, gradient_order

_RECORDS = harness.all_records()
_CASES = [case for record in _RECORDS for case in cases_of(record)]
_GRADIENTS = [record for record in _RECORDS if gradient_order(record) > 0]
_GRADIENT_CASES = [case for record in _GRADIENTS for case in gradient_cases(record)]
_FLOW = ("control_flow/", "state/stack", "state/tensor_array")  # loops and arrays
_FLOW_CASES = [case for case in _GRADIENT_CASES if case.record.family.startswith(_FLOW)]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: f"{case.record}-{case}")
def test_values(case):
    check_case(case)


@pytest.mark.parametrize("case", _GRADIENT_CASES, ids=lambda case: f"{case.record}-{case}")
def test_gradient(case):
    check_gradient_case(case)


@pytest.mark.parametrize("case", _FLOW_CASES, ids=lambda case: f"{case.record}-{case}")
def test_gradient_without_rewrites(case):
    with unoptimized():
        check_gradient_case(case)


def test_every_record_names_a_kernel():
    missing = [repr(record) for record in _RECORDS if not cases_of(record)]
    assert not missing, f"records without a registered kernel: {missing}"


def test_every_kernel_is_tested():
    """Each registered (op, types) has a record's case or an explicit test that exists."""
    covered = {}
    for case in _CASES:
        covered.setdefault(case.record.op, set()).add(tuple(case.types.items()))
    explicit = harness.explicit_tests("EXPLICIT")
    missing = {
        op: sorted("-".join(t.name for _, t in types) for types in untested)
        for op, cases in harness.own_kernels().items()
        if op not in explicit and (untested := cases - covered.get(op, set()))
    }
    assert not missing, f"kernels without a test: {missing}"


def test_every_kernel_has_an_op():
    defined = {op.name for op in harness.own_ops()}
    unknown = sorted({op for op, _, _ in harness.own_kernel_table()} - defined)
    assert not unknown, f"kernels of ops that are not defined: {unknown}"


def test_all_levels_have_the_same_kernels():
    tables = [harness.own_kernel_table(level) for level in cpu_levels()]
    assert all(table == tables[0] for table in tables)


def test_every_op_has_a_cpu_kernel():
    replaced = {*CALLS, "_RefArgument", "GetSessionHandleV2", *resource_variables.REPLACED}  # by the compiler
    of_users = {"CudaFunc", "CudaFuncStateless", "CudaKernel"}  # what users write for GPUs
    missing = {op.name for op in harness.own_ops()} - harness.own_kernels().keys()
    assert missing == replaced | of_users, f"ops without a CPU kernel: {sorted(missing ^ (replaced | of_users))}"


def test_every_op_states_its_gradient():
    """An op with a floating-point input has a gradient, or says that it has none."""
    undecided = [op.name for op in harness.own_ops() if _may_flow(op) and not op.states_gradient]
    assert not undecided, f"ops with neither gradient nor a word about it: {undecided}"


def _may_flow(op):
    for arg in op.inputs:
        allowed = op.attrs[arg.type_attr].allowed if arg.type_attr else None
        if arg.dtype is not None:
            allowed = (arg.dtype,)
        if allowed is None or any(t.is_floating or t.is_complex for t in allowed):
            return True
    return False


def test_every_gradient_is_tested():
    tested = {case.record.op for case in _GRADIENT_CASES} | set(harness.explicit_tests("EXPLICIT_GRADIENTS"))
    missing = [op.name for op in harness.own_ops() if op.gradient_fn and op.name not in tested]
    assert not missing, f"gradients without a test: {missing}"


@pytest.mark.parametrize("kind", ["EXPLICIT", "EXPLICIT_GRADIENTS"])
def test_explicit_tests_exist(kind):
    wrong = {op: t for op, t in harness.explicit_tests(kind).items() if not harness.test_exists(t)}
    assert not wrong, f"{kind} names tests that do not exist: {wrong}"
