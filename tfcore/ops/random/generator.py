"""Generators whose state is a variable: what `tf.random.Generator` of TensorFlow 2 writes.

The compiler replaces the ops on handles by those on references.
"""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank


def _shape(op):
    for scalar in op.inputs[1:]:
        with_rank(scalar.dims, 0)
    return [(None,)] * len(op.outputs)


for _prefix, _state in (("", "resource: resource"), ("_", "resource: Ref(int64)")):
    define_op(
        _prefix + "RngReadAndSkip",
        inputs=[_state, "alg: int32", "delta: uint64"],
        outputs=["value: int64"],
        shape=_shape,
        stateful=True,
        doc="Returns the generator's state, then advances it past the random numbers that `delta` samples may use.",
    )
    define_op(
        _prefix + "RngSkip",
        inputs=[_state, "algorithm: int64", "delta: int64"],
        shape=_shape,
        stateful=True,
        doc="Advances a generator past the random numbers that `delta` samples may use.",
    )
    undefined_gradient(_prefix + "RngReadAndSkip", _prefix + "RngSkip")
