"""The namespace tf.gpu: kernels and functions of users, and work of PyCUDA beside sessions."""

from tfcore.framework.lazy import publish as _publish
from tfcore.gpu import driver as driver  # before _publish: later imports of it do not look for a public name

_publish(globals(), "tf.gpu")
