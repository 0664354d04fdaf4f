"""RunMetadata: the records of a traced step. Protocol buffers are made on demand."""

from tfcore.framework import dtypes


class RunMetadata:
    """Filled by `Session.run(..., options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=...)`.

    step_stats, cost_graph, partition_graphs: TensorFlow's messages (made on first access).
    memory_report(): memory by operation and line. write_timeline(path): the step as a file for a browser.
    """

    def __init__(self):
        self._observer = None
        self._partitions = ()
        self._elsewhere = ()
        self._made = {}

    def _fill(self, observer, partitions=(), elsewhere=()):
        """observer: a core Observer after its step, or None. partitions: functions returning GraphDefs.

        elsewhere: bytes of the StepStats of other tasks.
        """
        self._observer = observer
        self._partitions = partitions
        self._elsewhere = elsewhere
        self._made = {}

    def _message(self, field, make):
        if field not in self._made:
            self._made[field] = make()
        return self._made[field]

    @property
    def step_stats(self):
        """StepStats: when and on which thread each operation ran, and the memory it used."""
        from tfcore.client.step_stats import make_step_stats

        return self._message("step_stats", lambda: make_step_stats(self._observer, self._elsewhere))

    @property
    def cost_graph(self):
        """CostGraphDef: operations with their sizes and times, as edges of the graph that ran."""
        from tfcore.client.step_stats import make_cost_graph

        return self._message("cost_graph", lambda: make_cost_graph(self._observer))

    @property
    def partition_graphs(self):
        """List of GraphDef: what ran on each device, if RunOptions.output_partition_graphs was set."""
        return self._message("partition_graphs", lambda: [make() for make in self._partitions])

    @property
    def function_graphs(self):
        """The graphs of functions; empty, as calls are inlined."""
        return []

    def to_proto(self):
        """The metadata as a protocol buffer of the `tensorboard` package.

        Returns:
          A RunMetadata message.
        """
        from tensorboard.compat.proto import config_pb2

        message = config_pb2.RunMetadata()
        if self._observer is not None:
            message.step_stats.CopyFrom(self.step_stats)
            message.cost_graph.CopyFrom(self.cost_graph)
        message.partition_graphs.extend(self.partition_graphs)
        return message

    def SerializeToString(self):  # noqa: N802  the protocol buffers' name
        """The protocol buffer in binary format.

        Returns:
          A bytes object.
        """
        return self.to_proto().SerializeToString()

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

    def __repr__(self):
        return (
            f"<RunMetadata of {len(self._observer.nodes())} operations>" if self._observer else "<RunMetadata, empty>"
        )


def type_name(number):
    """The name of a dtype number, references included."""
    return dtypes.as_dtype(number % 100).name
