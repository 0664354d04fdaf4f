"""Reads event files."""

from tfcore.framework import protos
from tfcore.io.tf_record import tf_record_iterator


def summary_iterator(path):
    """Iterates over the events of a file.

    Args:
      path: Path of an event file, as `tf.summary.FileWriter` makes them.

    Yields:
      `tf.Event` protocol buffers.

    Raises:
      tf.errors.NotFoundError: There is no such file.
      tf.errors.DataLossError: It is damaged, or its last event has not been written to its end yet.
    """
    for record in tf_record_iterator(path):
        yield protos.Event.FromString(record)
