"""Ops that make summaries: serialized protocol buffers with values for TensorBoard. Wrappers: `tfcore/summary`."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable

ScalarSummary = define_op(
    "ScalarSummary",
    inputs=["tags: string", "values: T"],
    outputs=["summary: string"],
    attrs=["T: realnumbertype"],
    shape=shapes.scalar,
    doc="A Summary with a number for each tag.",
)
HistogramSummary = define_op(
    "HistogramSummary",
    inputs=["tag: string", "values: T"],
    outputs=["summary: string"],
    attrs=["T: realnumbertype = DT_FLOAT"],
    shape=shapes.scalar,
    doc="A Summary with a histogram of the values, whose bins grow by a tenth.",
)
TensorSummary = define_op(
    "TensorSummary",
    inputs=["tensor: T"],
    outputs=["summary: string"],
    attrs=["T: type", "description: string = ''", "labels: list(string) = []", "display_name: string = ''"],
    shape=shapes.scalar,
    doc="A Summary with a tensor and the name of the operation; the other attributes are for readers of the graph.",
)
TensorSummaryV2 = define_op(
    "TensorSummaryV2",
    inputs=["tag: string", "tensor: T", "serialized_summary_metadata: string"],
    outputs=["summary: string"],
    attrs=["T: type"],
    shape=shapes.scalar,
    doc="A Summary with a tensor, and what a plugin of TensorBoard needs to show it.",
)
MergeSummary = define_op(
    "MergeSummary",
    inputs=["inputs: N * string"],
    outputs=["summary: string"],
    attrs=["N: int >= 1"],
    shape=shapes.scalar,
    doc="A Summary with the values of all of the inputs.",
)
not_differentiable("ScalarSummary", "HistogramSummary", "TensorSummary", "TensorSummaryV2", "MergeSummary")
