"""The namespace tf.summary: what a program computes, for TensorBoard."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.summary import summaries
from tfcore.summary.summaries import *  # noqa: F403

__all__ = [*summaries.__all__]

__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        **dict.fromkeys(
            ("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata"), "tfcore.framework.protos"
        ),
        "FileWriter": "tfcore.summary.file_writer",
        "FileWriterCache": "tfcore.summary.file_writer",
    },
)
