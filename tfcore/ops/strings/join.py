"""Joining the strings of one tensor."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_of_array, constant_value
from tfcore.framework.values.conversion import convert_to_tensor

ReduceJoin = define_op(
    "ReduceJoin",
    inputs=["inputs: string", "reduction_indices: int32"],
    outputs=["output: string"],
    attrs=["keep_dims: bool = false", "separator: string = ''"],
    shape=reduce_ops.reduction_shape,
    doc="Joins strings along axes, along the first one first.",
)
not_differentiable("ReduceJoin")


def _segment_join_shape(op):
    data, ids = (t.dims for t in op.inputs[:2])
    shapes.with_rank(op.inputs[2].dims, 0)
    number = constant_value(op.inputs[2])
    if number is not None and number < 0:
        raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {number}")
    if data is None or ids is None:
        return [None]
    shapes.merge(shapes.with_rank_at_least(data, len(ids))[: len(ids)], ids)
    return [(None if number is None else int(number), *data[len(ids) :])]


UnsortedSegmentJoin = define_op(
    "UnsortedSegmentJoin",
    inputs=["inputs: string", "segment_ids: Tindices", "num_segments: Tnumsegments"],
    outputs=["output: string"],
    attrs=["separator: string = ''", "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = DT_INT32"],
    shape=_segment_join_shape,
    doc="Joins the slices of each segment, element by element.",
)
undefined_gradient("UnsortedSegmentJoin")


def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    """Joins strings along dimensions.

    Args:
      inputs: A `Tensor` of type string.
      axis: The dimensions along which to join, an integer or a list of them: first along the first. Negative ones count
        from the end. None: all, along the last one first, so that the strings keep their order.
      keep_dims: Old name of `keepdims`.
      separator: What to put between two strings.
      name: Name of the operation (optional).
      reduction_indices: Old name of `axis`.
      keepdims: Whether reduced dimensions stay, with size 1.

    Returns:
      A `Tensor` of type string, without the reduced dimensions.

    Raises:
      ValueError: An axis is out of range, or given under both names.
      TypeError: `inputs` is not of type string.
      tf.errors.InvalidArgumentError: At run time, an axis is given twice.

    Example:

    >>> x = [["a", "b"], ["c", "d"]]
    >>> print(sess.run(tf.reduce_join(x)), sess.run(tf.reduce_join(x, 0)), sess.run(tf.reduce_join(x, [0, 1])))
    b'abcd' [b'ac' b'bd'] b'acbd'
    """
    keep = array_ops.alias(keepdims, keep_dims, "keepdims", "keep_dims")
    keep = False if keep is None else keep
    axis = array_ops.alias(axis, reduction_indices, "axis", "reduction_indices")
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        inputs = convert_to_tensor(inputs)
        if axis is None:
            axis = _all_axes(inputs)
        return ReduceJoin(inputs, axis, keep_dims=keep, separator=separator, name=name)


def _all_axes(x):
    """The axes of a tensor from the last to the first."""
    if x.dims is not None:
        return constant_of_array(np.arange(len(x.dims), dtype=np.int32)[::-1].copy())
    import tfcore.ops.array.constants as constants

    return constants.range(array_ops.rank(x) - 1, -1, -1)


@described(
    UnsortedSegmentJoin,
    example="""
>>> print(sess.run(tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, "-")))
[b'b' b'a-c']
""",
    shapes={
        "segment_ids": "the first dimensions of `inputs`",
        "num_segments": "a scalar",
        "output": "[num_segments] and the other dimensions of `inputs`",
    },
)
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """Joins the slices of each segment, element by element, in their order.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an id is negative or not below `num_segments`, or the shapes don't
        fit together.
    """
    return UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator, name=name)
