"""Files of graphs, on this machine or behind a scheme."""

import os

from tfcore.framework.exchange import graph_io
from tfcore.platform.file_system import LOCAL, file_system_of, text_of


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a file, creating the folder if needed.

    Constants of more than a gigabyte in total go to the file `name + ".safetensors"` next to it (needs the
    `safetensors` package), on this machine only. Files are written under a temporary name and renamed, so that readers
    never see incomplete ones.

    Args:
      graph_or_graph_def: A `Graph`, GraphDef or MetaGraphDef.
      logdir: The folder.
      name: Name of the file.
      as_text: Whether the text format is written instead of the binary one.

    Returns:
      A string: the path of the file.

    Raises:
      OSError: The file cannot be written.
      tf.errors.OpError: The same, behind a scheme such as s3://.
      ImportError: There are constants beyond 2 GB, and the package `safetensors` is missing.

    Example:

    >>> import tempfile
    >>> c = tf.constant(2.0, name="c")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tf.train.write_graph(tf.get_default_graph(), folder, "graph.pbtxt")
    ...     graph_def = tf.train.read_graph(path)
    >>> [node.name for node in graph_def.node]
    ['c']
    """
    files = file_system_of(text_of(logdir))
    if files is LOCAL:
        return graph_io.write_graph(graph_or_graph_def, text_of(logdir).removeprefix("file://"), name, as_text)
    path = os.path.join(text_of(logdir), name)
    files.write_whole(path, graph_io.graph_bytes(graph_or_graph_def, as_text))
    return path
