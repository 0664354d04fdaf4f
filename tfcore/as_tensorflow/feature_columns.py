"""tensorflow.python.feature_column: what tf.feature_column has no public name for."""


def is_feature_column_v2(feature_columns):
    """Whether an estimator makes a layer of Keras of columns, instead of calling `InputLayer`: never.

    Args:
      feature_columns: Columns; those here are for both.
    """
    return False
