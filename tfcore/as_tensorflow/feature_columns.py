"""tensorflow.python.feature_column: what tf.feature_column has no public name for."""


def is_feature_column_v2(feature_columns):
    """Always False: an estimator then calls `InputLayer`, not a Keras layer.

    Args:
      feature_columns: Columns; tfcore's work with both of TensorFlow's protocols.
    """
    return False
