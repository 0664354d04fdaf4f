"""Signatures that differ from TensorFlow's on purpose, with the reason."""

DIFFERENCES = {
    "tf.Tensor": "operations make tensors; TensorFlow hides its constructor's parameters",
}
