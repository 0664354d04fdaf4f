"""The namespace tf.io: graph files (records, readers and data sets come with later versions)."""

from tfcore.framework.graph_io import read_graph, write_graph

__all__ = ["read_graph", "write_graph"]
