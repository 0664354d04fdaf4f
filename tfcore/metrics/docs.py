"""Paragraphs that docstrings of many metrics share: `{name}` on a line of its own stands for one."""

from tfcore.framework.definitions.paragraphs import documented_with

PARAGRAPHS = {
    "booleans": """
      labels: A `Tensor` of any shape; converted to bool.
      predictions: A `Tensor` of the shape of `labels`; converted to bool.
    """,
    "probabilities": """
      labels: A `Tensor` of any shape; converted to bool.
      predictions: A `Tensor` of a floating-point type and the shape of `labels`, with values in [0, 1].
    """,
    "weights": """
      weights: A `Tensor`: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`; a last dimension of
        size 1 may be added or missing. None for equal weights.
    """,
    "weights_of_rows": """
      weights: A `Tensor`: a scalar, or of shape [...], each dimension 1 or as in `labels`. None for equal weights.
    """,
    "names": """
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the variable scope (optional).
    """,
    "count": """
      A pair (value, update) of float32 scalars: the count (or total weight) so far; `update` adds this batch and
      returns the new count.
    """,
    "counts": """
      A pair (value, update) of float32 `Tensor`s of shape [thresholds]: the counts (or total weights) so far; `update`
      adds this batch and returns the new counts.
    """,
    "probability_errors": """
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1], or the weights don't fit.
    """,
    "row_errors": """
      ValueError: The static shapes don't fit together.
      TypeError: The labels are not int64.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together.
    """,
    "k_labels": """
      labels: An int64 `Tensor` or `SparseTensor` of shape [..., labels], or, with one label each, [...]: true classes.
    """,
}

documented = documented_with(PARAGRAPHS)
