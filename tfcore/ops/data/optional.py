"""Optional values: an element, or nothing."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.ops.data.define import ELEMENTS

define_op(
    "OptionalFromValue",
    inputs=["components: Toutput_types"],
    outputs=["optional: variant"],
    attrs=["Toutput_types: list(type) >= 1"],
    shape=shape_functions.scalar,
    doc="An optional value that is an element.",
)
define_op(
    "OptionalNone", outputs=["optional: variant"], shape=shape_functions.scalar, doc="An optional value without one."
)
define_op(
    "OptionalHasValue",
    inputs=["optional: variant"],
    outputs=["has_value: bool"],
    shape=shape_functions.scalar,
    doc="Whether an optional value is an element.",
)
define_op(
    "OptionalGetValue",
    inputs=["optional: variant"],
    outputs=["components: output_types"],
    attrs=ELEMENTS,
    shape=lambda op: list(op.attrs["output_shapes"]),
    doc="The element that an optional value is. Fails with INVALID_ARGUMENT if it is none.",
)
not_differentiable("OptionalFromValue", "OptionalNone", "OptionalHasValue", "OptionalGetValue")
