"""RunMetadata: the records of a traced step. Its parts are made on demand."""

from tfcore.framework.message import Message
from tfcore.framework.types import dtypes


class RunMetadata(Message):
    """Filled by `Session.run(..., options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=...)`.

    TensorFlow's message. step_stats: when and on which thread each operation ran, and the memory it used. cost_graph:
    operations with their sizes and times, as edges of the graph that ran. partition_graphs: what ran on each device, if
    RunOptions.output_partition_graphs was set. function_graphs: empty, as calls are inlined. These are made on first
    access.

    memory_report(): memory by operation and line. write_timeline(path): the step as a file for a browser.
    """

    class FunctionGraphs(Message):
        """Accepted for compatibility."""

        _schema = """
            repeated GraphDef partition_graphs = 1
            GraphDef pre_optimization_graph = 2
            GraphDef post_optimization_graph = 3
        """

    _schema = """
        StepStats step_stats = 1
        CostGraphDef cost_graph = 2
        repeated GraphDef partition_graphs = 3
        repeated FunctionGraphs function_graphs = 4
        SessionMetadata session_metadata = 5
    """

    _observer = None
    _makers = {}  # field -> function that makes its value on first access

    def _fill(self, observer, partitions=(), elsewhere=()):
        """observer: a core Observer after its step, or None. partitions: functions returning GraphDefs.

        elsewhere: bytes of the StepStats of other tasks.
        """
        from tfcore.client.step_stats import make_cost_graph, make_step_stats

        self.Clear()
        makers = {}
        if observer is not None:
            makers["step_stats"] = lambda: make_step_stats(observer, elsewhere)
            makers["cost_graph"] = lambda: make_cost_graph(observer)
        if partitions:
            makers["partition_graphs"] = lambda: [make() for make in partitions]
        self.__dict__.update(_observer=observer, _makers=makers)

    def __getattr__(self, name):
        make = self._makers.get(name)
        made = None if make is None else make()  # if it fails, the next access fails too, instead of finding nothing
        value = super().__getattr__(name)
        if made is not None and self._makers.pop(name, None) is not None:
            value.MergeFrom(made)
        return value

    def _present(self):
        for name in list(self._makers):
            getattr(self, name)
        return super()._present()

    def ClearField(self, field_name):  # noqa: N802  the protocol buffers' names
        self._makers.pop(field_name, None)
        super().ClearField(field_name)

    def Clear(self):  # noqa: N802
        super().Clear()
        self.__dict__["_observer"] = None

    def to_proto(self):
        """The metadata as a protocol buffer of the `tensorboard` package.

        Returns:
          A RunMetadata message.
        """
        from tensorboard.compat.proto import config_pb2

        return config_pb2.RunMetadata.FromString(self.SerializeToString())

    def _observed(self):
        if self._observer is None:
            raise ValueError(
                "This RunMetadata has no trace: pass it to Session.run with "
                "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)."
            )
        return self._observer

    def memory_report(self):
        """Which operations allocated how much memory, and what was live at the peak.

        Returns:
          A `MemoryReport`.

        Raises:
          ValueError: No step was traced.
        """
        from tfcore.client.memory_report import MemoryReport

        return MemoryReport(self._observed())

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


def type_name(number):
    """The name of a dtype number, references included."""
    return dtypes.as_dtype(number % 100).name
