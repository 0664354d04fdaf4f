# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import _Message as _Message
from typing import Any as _Any

__all__ = [
'AdviceProto', 'GraphNodeProto', 'MultiGraphNodeProto', 'OpLogProto', 'ProfileOptionBuilder', 'Profiler', 'advise',
'profile', 'write_op_log'
]

class AdviceProto(_Message):
    """What tf.profiler.advise reports, by checker."""
    def __init__(self, **fields: _Any) -> None: ...
    Checker: _Any
    checkers: _Any

class GraphNodeProto(_Message):
    """A node of a graph, or a name scope. Fields without `total_` are its own, the others include its children."""
    def __init__(self, **fields: _Any) -> None: ...
    accelerator_exec_micros: int
    children: _Any
    cpu_exec_micros: int
    devices: _Any
    exec_micros: int
    float_ops: int
    input_shapes: _Any
    name: str
    output_bytes: int
    parameters: int
    peak_bytes: int
    requested_bytes: int
    residual_bytes: int
    run_count: int
    shapes: _Any
    tensor_value: _Any
    total_accelerator_exec_micros: int
    total_cpu_exec_micros: int
    total_definition_count: int
    total_exec_micros: int
    total_float_ops: int
    total_output_bytes: int
    total_parameters: int
    total_peak_bytes: int
    total_requested_bytes: int
    total_residual_bytes: int
    total_run_count: int

class MultiGraphNodeProto(_Message):
    """The nodes of an op type, or of a line of a program."""
    def __init__(self, **fields: _Any) -> None: ...
    accelerator_exec_micros: int
    children: _Any
    cpu_exec_micros: int
    exec_micros: int
    float_ops: int
    graph_nodes: _Any
    name: str
    output_bytes: int
    parameters: int
    peak_bytes: int
    requested_bytes: int
    residual_bytes: int
    total_accelerator_exec_micros: int
    total_cpu_exec_micros: int
    total_exec_micros: int
    total_float_ops: int
    total_output_bytes: int
    total_parameters: int
    total_peak_bytes: int
    total_requested_bytes: int
    total_residual_bytes: int

class OpLogProto(_Message):
    """message OpLogProto {
      repeated OpLogEntry log_entries = 1;
      map<int64, string> id_to_string = 2;
    }"""
    def __init__(self, **fields: _Any) -> None: ...
    id_to_string: _Any
    log_entries: _Any

class ProfileOptionBuilder:
    """Builds the options of a profile."""
    def __init__(self, options: _Any = None) -> None: ...
    def account_displayed_op_only(self, is_true: _Any) -> _Any:
        """Whether sums include only nodes that are shown."""
    def build(self) -> _Any:
        """The options."""
    @staticmethod
    def float_operation() -> _Any:
        """Options that show the number of float operations, the most first."""
    def order_by(self, attribute: _Any) -> _Any:
        """Sorts by an attribute, such as "micros", "bytes", "params", "float_ops" or "name"."""
    def select(self, attributes: _Any) -> _Any:
        """Shows these attributes."""
    @staticmethod
    def time_and_memory(min_micros: _Any = 1, min_bytes: _Any = 1, min_accelerator_micros: _Any = 0, min_cpu_micros: _Any = 0, min_peak_bytes: _Any = 0, min_residual_bytes: _Any = 0, min_output_bytes: _Any = 0) -> _Any:
        """Options that show time and memory, the longest time first."""
    @staticmethod
    def trainable_variables_parameter() -> _Any:
        """Options that show the number of parameters of trainable variables."""
    def with_accounted_types(self, account_type_regexes: _Any) -> _Any:
        """Counts only nodes of these types: op types, devices, and what an OpLogProto says."""
    def with_empty_output(self) -> _Any:
        """Prints nothing."""
    def with_file_output(self, outfile: _Any) -> _Any:
        """Writes the profile to a file."""
    def with_max_depth(self, max_depth: _Any) -> _Any:
        """Shows nodes to this depth of the tree only."""
    def with_min_execution_time(self, min_micros: _Any = 0, min_accelerator_micros: _Any = 0, min_cpu_micros: _Any = 0) -> _Any:
        """Shows only nodes that take this long."""
    def with_min_float_operations(self, min_float_ops: _Any) -> _Any:
        """Shows only nodes with this many float operations."""
    def with_min_memory(self, min_bytes: _Any = 0, min_peak_bytes: _Any = 0, min_residual_bytes: _Any = 0, min_output_bytes: _Any = 0) -> _Any:
        """Shows only nodes that use this much memory."""
    def with_min_occurrence(self, min_occurrence: _Any) -> _Any:
        """Shows only nodes that ran this often."""
    def with_min_parameters(self, min_params: _Any) -> _Any:
        """Shows only nodes with this many parameters."""
    def with_node_names(self, start_name_regexes: _Any = None, show_name_regexes: _Any = None, hide_name_regexes: _Any = None, trim_name_regexes: _Any = None) -> _Any:
        """Chooses what is shown by names, with lists of regular expressions for whole names."""
    def with_pprof_output(self, pprof_file: _Any) -> _Any:
        """Asks for a file of pprof, which tfcore does not write: `profile` raises UnimplementedError."""
    def with_stdout_output(self) -> _Any:
        """Prints the profile."""
    def with_step(self, step: _Any) -> _Any:
        """Shows one of the steps of a `Profiler`."""
    def with_timeline_output(self, timeline_file: _Any) -> _Any:
        """Writes a timeline for ui.perfetto.dev or chrome://tracing."""

class Profiler:
    """Profiles several steps of a graph."""
    def __init__(self, graph: _Any = None, op_log: _Any = None) -> None: ...
    def add_step(self, step: _Any, run_meta: _Any) -> _Any:
        """Adds a traced step."""
    def advise(self, options: _Any) -> _Any:
        """Reports what is expensive."""
    def profile_graph(self, options: _Any) -> _Any:
        """Shows what the operations cost, their inputs below them."""
    def profile_name_scope(self, options: _Any) -> _Any:
        """Shows what the name scopes cost."""
    def profile_operations(self, options: _Any) -> _Any:
        """Shows what the op types cost."""
    def profile_python(self, options: _Any) -> _Any:
        """Shows what the lines of the program cost."""
    def serialize_to_string(self) -> _Any:
        """The profile as bytes."""

def advise(graph: _Any = None, run_meta: _Any = None, options: _Any = 0) -> _Any:
    """Reports the most expensive operations, idle GPUs, and operations for which there are faster ones."""

def profile(graph: _Any = None, run_meta: _Any = None, op_log: _Any = None, cmd: _Any = 'scope', options: _Any = 0) -> _Any:
    """Shows what the operations of a graph cost: parameters, float operations, and with a traced step time and memory."""

def write_op_log(graph: _Any, log_dir: _Any, op_log: _Any = None, run_meta: _Any = None, add_trace: _Any = True) -> _Any:
    """Writes what a graph tells of its operations to the file "tfprof_log" of a folder."""
