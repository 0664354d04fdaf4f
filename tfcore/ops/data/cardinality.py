"""The number of elements of datasets."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.ops.data.define import define_dataset

define_op(
    "DatasetCardinality",
    inputs=["input_dataset: variant"],
    outputs=["cardinality: int64"],
    attrs=["cardinality_options: string = ''"],
    shape=shape_functions.scalar,
    doc="The number of elements; -1: there is no end; -2: it is not known.",
)
not_differentiable("DatasetCardinality")
define_dataset(
    "AssertCardinalityDataset",
    ["input_dataset", "cardinality: int64"],
    after=(),
    doc="The elements, after which there is an error if they are not `cardinality`.",
)
