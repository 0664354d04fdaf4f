"""`python -m tests.coverage`: the command, its counts, and that definitions are TensorFlow 1.0's."""

import subprocess
import sys

import pytest

from tests.coverage import __main__ as coverage
from tfcore.framework.definitions.op_def import get_op_def, registered_ops

OURS = {op.name for op in registered_ops()} & set(coverage.reference())

# Deviations from TensorFlow 1.0 in its later versions, which read and write the same graphs.
NO_LONGER_ALLOWED = (  # types that made no sense, most of them without a kernel
    "Acos ArgMax ArgMin Asin Atan AvgPool3D AvgPool3DGrad Conv3D Conv3DBackpropFilter Conv3DBackpropFilterV2 "
    "Conv3DBackpropInput Conv3DBackpropInputV2 Elu EluGrad FusedBatchNorm FusedBatchNormGrad L2Loss Max MaxPool3D Min "
    "Softplus SoftplusGrad Softsign SoftsignGrad Tan"
).split()
RENAMED = "InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad".split()  # x, y; inputs go by position
ACCEPTED = {
    **dict.fromkeys(NO_LONGER_ALLOWED, "attribute T does not allow"),
    **dict.fromkeys(RENAMED, "inputs are ['y: T', 'dy: T'], not ['x: T', 'y: T']"),
    "MaxPool3DGrad": ("attribute T does not allow", "attribute T is tf.float32 by default, not required"),
    "MaxPoolWithArgmax": "attribute T is required by default",  # every graph has it
    "MaxPoolGradWithArgmax": "attribute T is required by default",
    "Placeholder": "attribute shape is None by default, not ()",  # a scalar by default meant an unknown shape
}
# Only the two layouts were ever accepted.
LAYOUTS = {"FusedBatchNorm", "FusedBatchNormGrad"}


@pytest.mark.parametrize("name", sorted(OURS))
def test_definitions_are_tensorflows(name):
    found = coverage.deviations(get_op_def(name), coverage.definition(name))
    if name in LAYOUTS:
        found.remove("attribute data_format does not allow any")
    accepted = [d for d in found if name in ACCEPTED and d.startswith(ACCEPTED[name])]
    assert found == accepted
    assert bool(accepted) == (name in ACCEPTED), "an exception that is not needed any more"


def test_deviations_are_seen():
    def seen(**changes):
        theirs = coverage.definition("ConcatV2")
        spec = {**coverage.reference()["ConcatV2"], **changes}
        ours = coverage.OpDef("ConcatV2", spec["inputs"], spec["outputs"], spec["attrs"], None, False, False, None)
        return coverage.deviations(ours, theirs)

    assert seen() == []
    assert seen(inputs=["axis: Tidx", "values: N * T"]) == [
        "inputs are ['axis: Tidx', 'values: N * T'], not ['values: N * T', 'axis: Tidx']"
    ]
    attrs = coverage.reference()["ConcatV2"]["attrs"]
    assert attrs == ["N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"]
    assert seen(attrs=["N: int >= 3", *attrs[1:]]) == ["attribute N is at least 3, not 2"]
    assert seen(attrs=[attrs[0], "T: {float, int32}", attrs[2]]) == ["attribute T does not allow any"]
    assert seen(attrs=[*attrs[:2], "Tidx: {int32} = DT_INT32"]) == ["attribute Tidx does not allow int64"]
    assert seen(attrs=[*attrs[:2], "Tidx: {int32, int64} = DT_INT64"]) == [
        "attribute Tidx is tf.int64 by default, not tf.int32"
    ]
    assert seen(attrs=[*attrs, "more: int"]) == ["attribute more is required"]
    assert seen(attrs=[*attrs, "more: int = 1"]) == []


def test_the_counts_are_those_of_the_rows():
    rows = coverage.rows()
    assert [row.name for row in rows] == sorted(coverage.reference()) and len(rows) == 602
    assert {row.name for row in rows if row.registered} == OURS
    counts = dict(reversed(line.split(None, 1)) for line in list(coverage.report())[-5:])
    complete = [row for row in rows if row.complete]
    assert counts["complete"] == str(len(complete)) and counts["registered"] == str(len(OURS))
    assert all(row.registered and row.tested and row.wanted <= row.present for row in complete)
    listed = [
        line.split(":")[0].strip() for line in coverage.report(missing=True) if line.startswith("    ") and ":" in line
    ]
    assert sorted(listed) == sorted(row.name for row in rows if not row.complete)


def test_what_a_row_says():
    rows = {row.name: row for row in coverage.rows()}
    assert rows["MatMul"].complete and rows["MatMul"].our_gradient and ("T", "complex64") in rows["MatMul"].wanted
    assert not rows["Switch"].complete or rows["Switch"].registered
    assert coverage.part_of("QueueClose") == "queues" and coverage.part_of("MatMul") == "mathematics"
    assert {coverage.part_of(name) for name in coverage.reference()} >= {"images", "strings", "CTC", "control flow"}


def test_handles_of_variables_have_the_types_of_references(monkeypatch):
    rows = {row.name: row for row in coverage.rows()}
    assert len(rows["ResourceGather"].present) >= 17 and rows["ResourceApplyAdam"].complete
    assert rows["VarIsInitializedOp"].present == {()}
    floats = {case for case in coverage._kernels_of("ApplyAdam") if case[0][1].name == "float32"}
    monkeypatch.setattr(coverage, "_kernels_of", lambda op: floats)
    adam = coverage.Row("ResourceApplyAdam", {op.name: op for op in registered_ops()}, {"ResourceApplyAdam"})
    assert adam.lacks == ["kernels for T-float16, T-float64"]


def test_types_that_no_graph_can_have_are_not_wanted():
    rows = {row.name: row for row in coverage.rows()}
    assert ("T", "int32") not in rows["Softplus"].wanted and ("T", "int32") in rows["Abs"].wanted
    assert ("T", "complex64") not in rows["BatchMatrixSolve"].wanted
    assert ("Treal", "float16") not in rows["SparseAdd"].wanted and ("T", "complex128") in rows["SparseAdd"].wanted
    assert rows["AccumulatorTakeGradient"].wanted == {("dtype", f"float{bits}") for bits in (16, 32, 64)}


def test_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "tests.coverage", "--only", "MatMul"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["op", "type", "registered", "types", "gradient", "tested", "complete"]
    assert any(line.split() == ["MatMul", "yes", "6/6", "yes/yes", "yes", "yes"] for line in lines)
    assert lines[-1].endswith("complete")
