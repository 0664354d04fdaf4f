"""Single elements of random permutations."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient


def _index_shape(op):
    index, seed, last = (t.dims for t in op.inputs)
    shapes.with_rank_at_most(index, 1)
    shapes.with_rank_at_most(last, 1)
    shapes.with_rank_at_most(shapes.with_rank_at_least(seed, 1), 2)
    if seed is not None and seed[-1] not in (3, None):
        raise ValueError(f"Seed must have shape [3] or [n, 3] but got {shapes.dims_text(seed)}.")
    if None in (index, seed, last):
        return [None]
    rows = [dims[0] for dims in (index, seed[:-1], last) if dims]
    if not rows:
        return [()]
    number = 1
    for n in rows:
        number = shapes.merge_dim(None if number == 1 else number, n) if n != 1 else number
    return [(number,)]


RandomIndexShuffle = define_op(
    "RandomIndexShuffle",
    inputs=["index: dtype", "seed: Tseed", "max_index: dtype"],
    outputs=["output: dtype"],
    attrs=[
        "rounds: int = 4",
        "dtype: {int32, uint32, int64, uint64}",
        "Tseed: {int32, uint32, int64, uint64}",
    ],
    shape=_index_shape,
    doc="The elements of random permutations at the given indices.",
)
undefined_gradient("RandomIndexShuffle")


def random_index_shuffle(index, seed, max_index, rounds=4, name=None):
    """The element at an index of a random permutation of [0, max_index], which the seed determines.

    The other elements are not computed: the permutation may be of any size.

    Args:
      index: A `Tensor` of type int32, uint32, int64 or uint64: a scalar or of shape [n].
      seed: A `Tensor` of one of these types and shape [3], or [n, 3].
      max_index: A `Tensor` of the type of `index`: the largest index, a scalar or of shape [n].
      rounds: Number of rounds of the cipher that permutes, even and at least 4. More rounds look more random.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `index`, a scalar or of shape [n].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is negative or above `max_index`, the shapes don't fit
        together, or `rounds` is odd or too small.

    Example:

    >>> print(sess.run(tf.random_index_shuffle(tf.range(6), seed=[1, 2, 3], max_index=5)))
    [2 0 3 4 5 1]
    """
    return RandomIndexShuffle(index, seed, max_index, rounds=rounds, name=name)
