"""What the definitions of datasets share."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable

ELEMENTS = ("output_types: list(type) >= 1", "output_shapes: list(shape) >= 1")
CALLS = ("f: func", "Targuments: list(type) >= 0")
METADATA = "metadata: string = ''"


def define_dataset(name, inputs, attrs=(), elements=ELEMENTS, after=(METADATA,), stateful=False, doc=None):
    """Defines an op whose output is a dataset.

    Args:
      inputs: specifications of the inputs; "input_dataset" stands for one of type variant.
      attrs: those before the element's types and shapes. after: those after them.
    """
    define_op(
        name,
        inputs=["input_dataset: variant" if i == "input_dataset" else i for i in inputs],
        outputs=["handle: variant"],
        attrs=[*attrs, *elements, *after],
        shape=shape_functions.scalar,
        stateful=stateful,
        doc=doc,
    )
    not_differentiable(name)


def define_unshared(name, doc):
    """Defines an op that makes a handle for what datasets may share, but do not."""
    define_op(name, outputs=["handle: resource"], shape=shape_functions.scalar, stateful=True, doc=doc)
    not_differentiable(name)
