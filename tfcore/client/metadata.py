"""RunMetadata: the records of a traced step. Its parts are made on demand."""

import threading

from tfcore.framework import protos
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.types import dtypes

_making = fork_safe(threading.RLock())  # another thread that reads a part waits until it is whole


class _MessageType(type):
    """Gives the class the attributes of the message's: DESCRIPTOR, FunctionGraphs, ..."""

    def __getattr__(cls, name):
        return getattr(protos.RunMetadata, name)


class RunMetadata(metaclass=_MessageType):
    """Filled by `Session.run(..., options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=...)`.

    TensorFlow's message. step_stats: when and on which thread each operation ran, and the memory it used. cost_graph:
    operations with their sizes and times, as edges of the graph that ran. partition_graphs: what ran on each device, if
    RunOptions.output_partition_graphs was set. function_graphs: empty, as calls are inlined. These are made on first
    access.

    memory_report(): memory by operation and line. time_report(): time by operation and line, and what was waited for.
    write_timeline(path): the step as a file for a browser.

    Args:
      **values: Values of fields (optional).
    """

    __slots__ = ("_message", "_makers", "trace")

    def __init__(self, **values):
        self._reset(protos.RunMetadata(**values))

    def _reset(self, message, trace=None, makers=()):
        for name, value in (("_message", message), ("trace", trace), ("_makers", dict(makers))):
            object.__setattr__(self, name, value)

    def _fill(self, trace, partitions=()):
        """trace: a Trace (step_stats.py), or None. partitions: functions returning GraphDefs."""
        from tfcore.client.step_stats import make_cost_graph, make_step_stats

        makers = {}  # field -> function that makes its value on first access
        if trace is not None:
            makers["step_stats"] = lambda: make_step_stats(trace.observer, trace.elsewhere)
            makers["cost_graph"] = lambda: make_cost_graph(trace.observer)
        if partitions:
            makers["partition_graphs"] = lambda: [make() for make in partitions]
        self._reset(protos.RunMetadata(), trace, makers)

    def _make(self, name):
        with _making:
            if maker := self._makers.get(name):
                made = maker()  # if it fails, the next access fails too, instead of finding nothing
                getattr(self._message, name).MergeFrom(made)
                self._makers.pop(name, None)

    def to_proto(self):
        """The metadata as a plain message.

        Returns:
          A RunMetadata message, with all parts.
        """
        for name in list(self._makers):
            self._make(name)
        return self._message

    # ---- The interface of messages, whose other methods are those of the plain one

    def __getattr__(self, name):
        if name in self._makers:
            self._make(name)
        is_field = name in protos.RunMetadata.DESCRIPTOR.fields_by_name
        return getattr(self._message if is_field else self.to_proto(), name)

    def __setattr__(self, name, value):
        setattr(self._message, name, value)  # no field of it can be assigned: the message's error

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(self._message)})

    @classmethod
    def FromString(cls, s):
        """The message that bytes stand for.

        Args:
          s: The bytes.

        Returns:
          A `RunMetadata`.

        Raises:
          google.protobuf.message.DecodeError: The bytes are not a RunMetadata.
        """
        result = cls()
        result.ParseFromString(s)
        return result

    def ParseFromString(self, serialized):
        """Becomes the message that bytes stand for.

        Args:
          serialized: The bytes.

        Returns:
          Their number.

        Raises:
          google.protobuf.message.DecodeError: The bytes are not a RunMetadata.
        """
        self.Clear()
        return self._message.ParseFromString(serialized)

    def MergeFrom(self, other_msg):
        """Takes over the fields that are set in another message; lists are appended.

        Args:
          other_msg: A `RunMetadata`.

        Raises:
          TypeError: It is something else.
        """
        self.to_proto().MergeFrom(_plain(other_msg))

    def CopyFrom(self, other_msg):
        """Becomes equal to another message.

        Args:
          other_msg: A `RunMetadata`.

        Raises:
          TypeError: It is something else.
        """
        if other_msg is not self:
            copy = protos.RunMetadata()
            copy.CopyFrom(_plain(other_msg))
            self._reset(copy)

    def ClearField(self, field_name):
        """Resets a field to its default.

        Args:
          field_name: The name of the field.

        Raises:
          ValueError: There is no such field.
        """
        self._makers.pop(field_name, None)
        self._message.ClearField(field_name)

    def Clear(self):
        """Resets all fields, and forgets the trace."""
        self._reset(protos.RunMetadata())

    def __eq__(self, other):
        if not isinstance(other, RunMetadata):
            return NotImplemented
        return self.to_proto() == other.to_proto()

    __hash__ = None

    def __str__(self):
        return str(self.to_proto())

    __repr__ = __str__

    def __deepcopy__(self, memo):
        return type(self).FromString(self.SerializeToString())

    def __copy__(self):
        return self.__deepcopy__({})

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)

    def _observed(self):
        if self.trace is None:
            raise ValueError(
                "This RunMetadata has no trace: pass it to Session.run with "
                "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)."
            )
        return self.trace.observer

    def memory_report(self):
        """Which operations allocated how much memory, and what was live at the peak.

        Returns:
          A `MemoryReport`.

        Raises:
          ValueError: No step was traced.
        """
        from tfcore.client.memory_report import MemoryReport

        return MemoryReport(self._observed())

    def time_report(self):
        """Which operations, types and lines took how much time, and what the step waited for.

        Returns:
          A `tf.train.TimeReport`.

        Raises:
          ValueError: No step was traced.
        """
        from tfcore.client.time_report import TimeReport

        return TimeReport([self])

    def write_timeline(self, path, show_dataflow=True, show_memory=True):
        """Writes the step to a file for ui.perfetto.dev or chrome://tracing.

        Args:
          path: Path of the file.
          show_dataflow: Whether arrows show which operations use a value.
          show_memory: Whether a counter shows the memory in use.

        Raises:
          ValueError: No step was traced.
        """
        from tfcore.client.timeline import Timeline

        self._observed()
        text = Timeline(self.step_stats).generate_chrome_trace_format(show_dataflow, show_memory)
        with open(path, "w") as file:
            file.write(text)


def _plain(message):
    """A RunMetadata of any class as one of `protos`."""
    return message.to_proto() if isinstance(message, RunMetadata) else protos.as_message(protos.RunMetadata, message)


def type_name(number):
    """The name of a dtype number, references included."""
    return dtypes.as_dtype(number).base_dtype.name
