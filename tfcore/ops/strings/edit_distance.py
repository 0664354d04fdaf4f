"""Levenshtein distances between sequences."""

import tfcore.ops.sparse.sets as sets
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue


def _distance_shape(op):
    ranks = [sets.sparse_rank(*op.inputs[:3]), sets.sparse_rank(*op.inputs[3:])]
    sizes = [constant_value(op.inputs[i]) for i in (2, 5)]
    if None in ranks or any(size is None for size in sizes):
        return [None]
    for rank, name in zip(ranks, ("hypothesis", "truth")):
        if rank < 2:
            raise ValueError(
                f"Input {name.title()} SparseTensors must have rank at least 2, but {name}_shape rank is: {rank}"
            )
    if ranks[0] != ranks[1]:
        raise ValueError(f"Num elements of hypothesis_shape does not match truth_shape: {ranks[0]} vs. {ranks[1]}")
    return [tuple(max(pair) if min(pair) >= 0 else None for pair in zip(*(size[:-1].tolist() for size in sizes)))]


EditDistance = define_op(
    "EditDistance",
    inputs=[
        "hypothesis_indices: int64", "hypothesis_values: T", "hypothesis_shape: int64",
        "truth_indices: int64", "truth_values: T", "truth_shape: int64",
    ],
    outputs=["output: float"],
    attrs=["normalize: bool = true", "T: type"],
    shape=_distance_shape,
    doc="The Levenshtein distances between the sequences in the rows of two sparse tensors.",
)  # fmt: skip
not_differentiable("EditDistance")


def _sparse(value, name):
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"{name} must be a SparseTensor.")
    return SparseTensor.from_value(value).components()


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """The Levenshtein distances between sequences.

    It is the least number of insertions, deletions and changes of one element that turn one sequence into another. The
    sequences are the rows of sparse tensors along their last dimension, in the order in which their values are given.

    Args:
      hypothesis: A `SparseTensor` of any type, of rank 2 or more; its rows in row-major order.
      truth: A `SparseTensor` of the type and rank of `hypothesis`.
      normalize: Whether to divide each distance by the length of the sequence in `truth`. Infinite if that is empty and
        the other one is not.
      name: Name of the operation.

    Returns:
      A float32 `Tensor` of the shape of the tensors without their last dimension; of the larger one's, where the sizes
      differ.

    Raises:
      TypeError: An argument is not sparse, or the types differ.
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together, or rows are out of order.
      tf.errors.InternalError: At run time, an index lies outside of the result.

    Example:

    >>> def letters(word):
    ...     return tf.SparseTensor([[0, i] for i in range(len(word))], list(word), [1, len(word)])
    >>> print(sess.run(tf.edit_distance(letters("kitten"), letters("sitting"), normalize=False)))
    [3.]
    """
    hypothesis, truth = _sparse(hypothesis, "Hypothesis"), _sparse(truth, "Truth")
    return EditDistance(*hypothesis, *truth, normalize=normalize, name=name)
