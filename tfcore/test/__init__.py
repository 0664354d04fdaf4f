"""The namespace tf.test: helpers for testing TensorFlow programs.

`TestCase` and what belongs to it is in case.py, assertions.py and messages.py; the rest is imported on first use, too.
"""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.test")
