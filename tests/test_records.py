"""The tests that follow from the records in tests/records: see tests/harness.py."""

import pytest

from tests import harness

_RECORDS = harness.all_records()
_CASES = [case for record in _RECORDS for case in harness.cases_of(record)]
_GRADIENTS = [record for record in _RECORDS if harness.gradient_order(record) > 0]
_GRADIENT_CASES = [case for record in _GRADIENTS for case in harness.gradient_cases(record)]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: f"{case.record}-{case}")
def test_values(case):
    harness.run_values(case)


@pytest.mark.parametrize("case", _GRADIENT_CASES, ids=lambda case: f"{case.record}-{case}")
def test_gradient(case):
    harness.run_gradient(case)


def test_every_record_names_a_kernel():
    missing = [repr(record) for record in _RECORDS if not harness.cases_of(record)]
    assert not missing, f"records without a registered kernel: {missing}"


def test_every_kernel_is_tested():
    """Each registered (op, types) has a record's case or an explicit test that exists."""
    covered = {}
    for case in _CASES:
        covered.setdefault(case.record.op, set()).add(tuple(case.types.items()))
    explicit = harness.explicit_tests("EXPLICIT")
    missing = {
        op: sorted("-".join(t.name for _, t in types) for types in untested)
        for op, cases in harness.kernel_types().items()
        if op not in explicit and (untested := cases - covered.get(op, set()))
    }
    assert not missing, f"kernels without a test: {missing}"


def test_every_kernel_has_an_op():
    _, registry, op_def = harness._modules()
    defined = {op.name for op in op_def.registered_ops()}
    unknown = sorted({k.op for k in registry.kernels() if k.level != "user"} - defined)
    assert not unknown, f"kernels of ops that are not defined: {unknown}"


def test_all_levels_have_the_same_kernels():
    _, registry, _ = harness._modules()
    tables = [
        {(k.op, k.device, k.types) for k in registry.kernels(level) if k.level != "user"}
        for level in harness.cpu_levels()
    ]
    assert all(table == tables[0] for table in tables)


def _own_ops():
    """All ops but those that tests define for themselves, named Test..., in the same process."""
    _, _, op_def = harness._modules()
    return [op for op in op_def.registered_ops() if not op.name.startswith("Test")]


def test_every_op_has_a_cpu_kernel():
    missing = [op.name for op in _own_ops() if op.name not in harness.kernel_types()]
    assert not missing, f"ops without a CPU kernel: {missing}"


def test_every_op_states_its_gradient():
    """An op with a floating-point input has a gradient or is declared not differentiable."""
    undecided = [op.name for op in _own_ops() if _may_flow(op) and op.gradient_fn is None]
    assert not undecided, f"ops with neither gradient nor not_differentiable: {undecided}"


def _may_flow(op):
    for arg in op.inputs:
        allowed = op.attrs[arg.type_attr].allowed if arg.type_attr else None
        if arg.dtype is not None:
            allowed = (arg.dtype,)
        if allowed is None or any(t.is_floating or t.is_complex for t in allowed):
            return True
    return False


def test_every_gradient_is_tested():
    _, _, op_def = harness._modules()
    tested = {case.record.op for case in _GRADIENT_CASES} | set(harness.explicit_tests("EXPLICIT_GRADIENTS"))
    missing = [op.name for op in op_def.registered_ops() if op.gradient_fn and op.name not in tested]
    assert not missing, f"gradients without a test: {missing}"


@pytest.mark.parametrize("kind", ["EXPLICIT", "EXPLICIT_GRADIENTS"])
def test_explicit_tests_exist(kind):
    wrong = {op: t for op, t in harness.explicit_tests(kind).items() if not harness.test_exists(t)}
    assert not wrong, f"{kind} names tests that do not exist: {wrong}"
