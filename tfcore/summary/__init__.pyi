# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Event as Event
from tfcore import SessionLog as SessionLog
from tfcore import Summary as Summary
from tfcore import Tensor as Tensor
from tfcore import _Message as _Message
from typing import Any as _Any

__all__ = [
'Event', 'FileWriter', 'FileWriterCache', 'SessionLog', 'Summary', 'SummaryDescription', 'TaggedRunMetadata',
'all_v2_summary_ops', 'audio', 'get_summary_description', 'histogram', 'image', 'initialize', 'input_pipeline', 'merge',
'merge_all', 'scalar', 'tensor_summary', 'text'
]

class FileWriter:
    """Writes an event file, which TensorBoard shows."""
    def __enter__(self) -> FileWriter: ...
    def __exit__(self, exception_type: _Any, exception_value: _Any, traceback: _Any) -> None: ...
    def __init__(self, logdir: _Any, graph: _Any = None, max_queue: _Any = 10, flush_secs: _Any = 120, graph_def: _Any = None, filename_suffix: _Any = None, session: _Any = None) -> None: ...
    def add_event(self, event: _Any) -> _Any:
        """Writes an Event. After `close`, nothing is written, with a warning."""
    def add_graph(self, graph: _Any, global_step: _Any = None, graph_def: _Any = None) -> _Any:
        """Writes a graph."""
    def add_meta_graph(self, meta_graph_def: _Any, global_step: _Any = None) -> _Any:
        """Writes a MetaGraphDef."""
    def add_run_metadata(self, run_metadata: _Any, tag: _Any, global_step: _Any = None) -> _Any:
        """Writes what a traced step did."""
    def add_session_log(self, session_log: _Any, global_step: _Any = None) -> _Any:
        """Writes that a session started, stopped, or saved a checkpoint."""
    def add_summary(self, summary: _Any, global_step: _Any = None) -> _Any:
        """Writes a summary."""
    def close(self) -> _Any:
        """Writes the events that wait in memory, and closes the file."""
    def flush(self) -> _Any:
        """Writes the events that wait in memory."""
    def get_logdir(self) -> str:
        """Path of the folder."""
    def reopen(self) -> _Any:
        """Lets a closed writer write again, to another file of the folder."""

class FileWriterCache:
    """One writer for each folder, for those that write to the same one."""
    @staticmethod
    def clear() -> _Any:
        """Closes all writers and forgets them."""
    @staticmethod
    def get(logdir: _Any) -> _Any:
        """The writer of a folder; a new one writes the default graph first."""

class SummaryDescription(_Message):
    """message SummaryDescription {
      string type_hint = 1;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    type_hint: str

class TaggedRunMetadata(_Message):
    """A RunMetadata, serialized, under a name."""
    def __init__(self, **fields: _Any) -> None: ...
    run_metadata: bytes
    tag: str

def all_v2_summary_ops() -> _Any:
    """The summary operations of TensorFlow 2 in the default graph: there are none."""

def audio(name: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> Tensor:
    """Summarizes sounds, as WAV files with 16 bits a sample."""

def get_summary_description(node_def: _Any) -> _Any:
    """What a summary operation says of its summary."""

def histogram(name: _Any, values: _Any, collections: _Any = None, family: _Any = None) -> Tensor:
    """Summarizes how values are distributed."""

def image(name: _Any, tensor: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> Tensor:
    """Summarizes images, as PNG files."""

def initialize(graph: _Any = None, session: _Any = None) -> _Any:
    """Raises an error: only writers of TensorFlow 2 need it. A `FileWriter` takes a graph when it is made."""

def input_pipeline(iterator: _Any, name: str | None = 'iterator', collections: _Any = None) -> _Any:
    """Summarizes how well a `tf.data.Iterator` keeps up with the steps."""

def merge(inputs: _Any, collections: _Any = None, name: str | None = None) -> Tensor:
    """Merges summaries."""

def merge_all(key: _Any = 'summaries', scope: _Any = None, name: str | None = None) -> Tensor:
    """Merges all summaries of a collection of the default graph."""

def scalar(name: _Any, tensor: _Any, collections: _Any = None, family: _Any = None) -> Tensor:
    """Summarizes a number."""

def tensor_summary(name: _Any, tensor: _Any, summary_description: _Any = None, collections: _Any = None, summary_metadata: _Any = None, family: _Any = None, display_name: _Any = None) -> Tensor:
    """Summarizes a tensor for a plugin of TensorBoard."""

def text(name: _Any, tensor: _Any, collections: _Any = None) -> Tensor:
    """Summarizes strings, which TensorBoard shows as Markdown."""
