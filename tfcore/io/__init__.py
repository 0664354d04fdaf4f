"""The namespace tf.io: graph files, bytes of strings, and tf.io.gfile."""

from tfcore.framework.exchange.graph_io import read_graph, write_graph
from tfcore.framework.lazy import lazy_names as _lazy_names

__all__ = ["read_graph", "write_graph"]

__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        "gfile": "tfcore.platform.io_gfile.",
        "decode_base64": "tfcore.ops.strings.strings",
        "decode_raw": "tfcore.ops.strings.convert",
        "encode_base64": "tfcore.ops.strings.strings",
    },
)
