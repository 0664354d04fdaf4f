"""Ragged tensors, `tf.RaggedTensor` and `tf.ragged`. With the package, functions of `tf` learn to take them."""

import tfcore.composed.ragged.dispatch  # noqa: F401
