"""Records of the ops of tf.data."""
