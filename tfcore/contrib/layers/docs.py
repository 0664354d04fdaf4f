"""Paragraphs that docstrings of many layers share."""

from tfcore.framework.definitions.paragraphs import documented_with

PARAGRAPHS = {
    "normalizer": """
      activation_fn: A function of the output, `tf.nn.relu` by default; None for none.
      normalizer_fn: A function to normalize the output with, such as `batch_norm`, instead of adding biases; None for
        none.
      normalizer_params: A dict of arguments of `normalizer_fn`.
    """,
    "weights": """
      weights_initializer: Initializer of the weights; Xavier's by default.
      weights_regularizer: A function of the weights that returns a loss.
      biases_initializer: Initializer of the biases; zeros by default, None for no biases.
      biases_regularizer: A function of the biases that returns a loss.
    """,
    "bookkeeping": """
      reuse: Whether the variables must exist already; `scope` must then be given.
      variables_collections: A list of collections for all variables, or a dict from kinds of variables to such lists.
      outputs_collections: A collection or a list of them, which the output joins.
      trainable: Whether the variables are added to the trainable ones.
      scope: A variable scope or its name.
    """,
    "outputs": """
      outputs_collections: A collection or a list of them, which the output joins.
      scope: A variable scope or its name.
    """,
}

documented = documented_with(PARAGRAPHS)
