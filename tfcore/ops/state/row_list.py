"""Rows that loops append to: ops that only the compiler makes (tfcore/compiler/accumulators.py)."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable


def _handle_shape(op):
    return [()]


for _name, _inputs, _output, _shape, _doc in (
    (
        "_RowList",
        ["start: T"],
        "rows: resource",
        _handle_shape,
        "A new list of rows that starts with those of `start`.",
    ),
    (
        "_RowListAdd",
        ["rows: resource", "more: T"],
        "result: resource",
        _handle_shape,
        "Appends rows and gives the list.",
    ),
    (
        "_RowListValue",
        ["rows: resource"],
        "value: T",
        shapes.unknown,
        "All rows of the list, as ConcatV2 would give them.",
    ),
):
    define_op(_name, inputs=_inputs, outputs=[_output], attrs=["T: type"], shape=_shape, stateful=True, doc=_doc)
    not_differentiable(_name)
