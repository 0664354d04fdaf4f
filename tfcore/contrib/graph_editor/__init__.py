"""tf.contrib.graph_editor: selects parts of a graph, copies and reconnects them."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.graph_editor")
