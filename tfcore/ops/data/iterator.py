"""Iterators over datasets, which outlive steps."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.ops.data.define import ELEMENTS, define_dataset

_NAMES = ["shared_name: string", "container: string"]
_ANY = ["output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"]


def _element_shapes(op):
    return list(op.attrs["output_shapes"])


for _name in ("Iterator", "IteratorV2"):
    define_op(
        _name,
        outputs=["handle: resource"],
        attrs=[*_NAMES, *ELEMENTS],
        shape=shape_functions.scalar,
        stateful=True,
        doc="The handle of an iterator, which has elements once MakeIterator has run.",
    )
define_op(
    "OneShotIterator",
    outputs=["handle: resource"],
    attrs=["dataset_factory: func", *ELEMENTS, "container: string = ''", "shared_name: string = ''"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="The handle of an iterator over the dataset that `dataset_factory` makes when it is first used.",
)
define_op(
    "MakeIterator",
    inputs=["dataset: variant", "iterator: resource"],
    stateful=True,
    doc="Sets an iterator to the beginning of a dataset.",
)
for _name in ("IteratorGetNext", "IteratorGetNextSync"):
    define_op(
        _name,
        inputs=["iterator: resource"],
        outputs=["components: output_types"],
        attrs=ELEMENTS,
        shape=_element_shapes,
        stateful=True,
        doc="The next element of an iterator. After the last one it fails with OUT_OF_RANGE.",
    )
define_op(
    "IteratorGetNextAsOptional",
    inputs=["iterator: resource"],
    outputs=["optional: variant"],
    attrs=ELEMENTS,
    shape=shape_functions.scalar,
    stateful=True,
    doc="The next element of an iterator as an optional value, without a value after the last one.",
)
not_differentiable("IteratorGetNextAsOptional")
define_op(
    "_IteratorStatistics",
    inputs=["iterator: resource"],
    outputs=["fraction_full: float", "seconds: float"],
    shape=lambda op: [[], []],
    stateful=True,
    doc="How full the buffer nearest to an iterator is, and for how long steps have taken elements so far.",
)
define_op(
    "IteratorToStringHandle",
    inputs=["resource_handle: resource"],
    outputs=["string_handle: string"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="A string that stands for an iterator.",
)
for _name in ("IteratorFromStringHandle", "IteratorFromStringHandleV2"):
    define_op(
        _name,
        inputs=["string_handle: string"],
        outputs=["resource_handle: resource"],
        attrs=_ANY,
        shape=shape_functions.scalar,
        stateful=True,
        doc="The iterator that a string stands for.",
    )
SerializeIterator = define_op(
    "SerializeIterator",
    inputs=["resource_handle: resource"],
    outputs=["serialized: variant"],
    attrs=["external_state_policy: int = 0"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="The position of an iterator, for DeserializeIterator. The policy has no effect.",
)
DeserializeIterator = define_op(
    "DeserializeIterator",
    inputs=["resource_handle: resource", "serialized: variant"],
    stateful=True,
    doc="Moves an iterator to a position. One without a dataset has that position when it gets one.",
)
define_dataset(
    "_RestoredDataset",
    ["input_dataset", "position: N * variant"],
    elements=[*ELEMENTS, "N: int >= 0"],
    after=(),
    doc="The elements from a position of an iterator over this dataset on; without one, all.",
)
not_differentiable("SerializeIterator", "DeserializeIterator")
not_differentiable("Iterator", "IteratorV2", "OneShotIterator", "MakeIterator")
not_differentiable("IteratorGetNext", "IteratorGetNextSync", "_IteratorStatistics")
not_differentiable("IteratorToStringHandle", "IteratorFromStringHandle", "IteratorFromStringHandleV2")
