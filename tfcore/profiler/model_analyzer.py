"""`tf.profiler.profile`, `Profiler` and `advise`; and `print_model_analysis`, as they were called before."""

from tfcore.framework import errors
from tfcore.framework.graph.default_graph import get_default_graph
from tfcore.profiler.advice import ALL_ADVICE, advice_of
from tfcore.profiler.nodes import Profile
from tfcore.profiler.op_log import GraphOfStep, merge_default_with_oplog
from tfcore.profiler.option_builder import ProfileOptionBuilder
from tfcore.profiler.options import Options
from tfcore.profiler.views import VIEWS

__all__ = ["ALL_ADVICE", "Profiler", "advise", "print_model_analysis", "profile"]
__all__ += ["FLOAT_OPS_OPTIONS", "PRINT_ALL_TIMING_MEMORY", "TRAINABLE_VARS_PARAMS_STAT_OPTIONS"]

_DEFAULT_PROFILE_OPTIONS = 0
_DEFAULT_ADVISE_OPTIONS = 0

# As options of tf.contrib.tfprof; those of a builder are equal.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder.time_and_memory()

_MISSING_STREAM = (
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\nIt's likely a gpu tracing issue rather "
    "than tf-profiler issue.\n\n"
)


def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=_DEFAULT_PROFILE_OPTIONS):
    """Shows what the operations of a graph cost: parameters, float operations, and with a traced step time and memory.

    Args:
      graph: The `Graph`; the default graph if None.
      run_meta: The `RunMetadata` of a traced step (optional).
      op_log: An OpLogProto with types and float operations of operations (optional).
      cmd: "scope", "graph", "op" or "code": by name scopes, by inputs, by op types, or by lines of the program.
      options: A dict of options, see `tf.profiler.ProfileOptionBuilder`; parameters of variables by default.

    Returns:
      A GraphNodeProto for "scope" and "graph", a MultiGraphNodeProto for "op" and "code", with the sums in its fields
      `total_parameters`, `total_float_ops` and others, and the nodes in `children`.

    Raises:
      InvalidArgumentError: The command or an option is invalid.
      NotFoundError: The folder of the output does not exist.
    """
    if options == _DEFAULT_PROFILE_OPTIONS:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    _check_command(cmd)
    found = _profile_of(graph or get_default_graph(), run_meta, op_log, cmd == "code")
    return _show(found, cmd, options)


def print_model_analysis(
    graph, run_meta=None, op_log=None, tfprof_cmd="scope", tfprof_options=TRAINABLE_VARS_PARAMS_STAT_OPTIONS
):
    """`tf.profiler.profile`, as `tf.contrib.tfprof.model_analyzer` has it.

    Args:
      graph: The `Graph`.
      run_meta: The `RunMetadata` of a traced step (optional).
      op_log: An OpLogProto (optional).
      tfprof_cmd: "scope", "graph", "op" or "code".
      tfprof_options: A dict of options.

    Returns:
      A GraphNodeProto or MultiGraphNodeProto.

    Raises:
      InvalidArgumentError: The command or an option is invalid.
      NotFoundError: The folder of the output does not exist.
    """
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def advise(graph=None, run_meta=None, options=_DEFAULT_ADVISE_OPTIONS):
    """Reports the most expensive operations, idle GPUs, and operations for which there are faster ones.

    Args:
      graph: The `Graph`; the default graph if None.
      run_meta: The `RunMetadata` of a traced step (optional).
      options: A dict whose keys are the checkers to run; all by default.

    Returns:
      An AdviceProto.

    Raises:
      TypeError: `run_meta` is not a RunMetadata.
    """
    if options == _DEFAULT_ADVISE_OPTIONS:
        options = ALL_ADVICE
    return advice_of(_profile_of(graph or get_default_graph(), run_meta, None, True), options)


class Profiler:
    """Profiles several steps of a graph.

    Args:
      graph: The `Graph`; the default graph if None.
      op_log: An OpLogProto with types and float operations of operations (optional).
    """

    def __init__(self, graph=None, op_log=None):
        self._graph = graph or get_default_graph()
        self._profile = _profile_of(self._graph, None, op_log, True)

    def add_step(self, step, run_meta):
        """Adds a traced step.

        Args:
          step: A number for it; the option "step" chooses it. Steps of the same number add up.
          run_meta: Its `RunMetadata`.
        """
        log = merge_default_with_oplog(self._graph, run_meta=run_meta)
        self._profile.add_graph(GraphOfStep(self._graph, run_meta).as_graph_def())
        self._profile.add_step(step, run_meta)
        self._profile.add_op_log(log)

    def profile_python(self, options):
        """Shows what the lines of the program cost.

        Args:
          options: A dict of options, see `tf.profiler.ProfileOptionBuilder`.

        Returns:
          A MultiGraphNodeProto.
        """
        return _show(self._profile, "code", options)

    def profile_operations(self, options):
        """Shows what the op types cost.

        Args:
          options: A dict of options, see `tf.profiler.ProfileOptionBuilder`.

        Returns:
          A MultiGraphNodeProto.
        """
        return _show(self._profile, "op", options)

    def profile_name_scope(self, options):
        """Shows what the name scopes cost.

        Args:
          options: A dict of options, see `tf.profiler.ProfileOptionBuilder`.

        Returns:
          A GraphNodeProto.
        """
        return _show(self._profile, "scope", options)

    def profile_graph(self, options):
        """Shows what the operations cost, their inputs below them.

        Args:
          options: A dict of options, see `tf.profiler.ProfileOptionBuilder`.

        Returns:
          A GraphNodeProto.
        """
        return _show(self._profile, "graph", options)

    def advise(self, options):
        """Reports what is expensive.

        Args:
          options: A dict whose keys are the checkers to run.

        Returns:
          An AdviceProto.
        """
        return advice_of(self._profile, options or {})

    def serialize_to_string(self):
        """The profile as bytes.

        Returns:
          A ProfileProto, serialized.
        """
        return self._profile.message().SerializeToString(deterministic=True)


def _profile_of(graph, run_meta, op_log, add_trace):
    log = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    shapes = GraphOfStep(graph, run_meta) if run_meta else None
    found = Profile(shapes.as_graph_def() if shapes else graph.as_graph_def(add_shapes=True), log)
    if run_meta and run_meta.HasField("step_stats"):
        found.add_step(0, run_meta)
    return found


def _check_command(command):
    if command not in VIEWS:
        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {command}\n")


def _show(found, command, options):
    """Prints or writes a profile, and returns its message."""
    options = Options(options)
    if options.step >= 0 and options.step not in found.step_stats:
        steps = " ".join(map(str, sorted(found.step_stats)))
        message = f"Options -step={options.step} not found.\nAvailable steps: {steps}"
        raise errors.InvalidArgumentError(None, None, message)
    message, text = VIEWS[command](found).show(options)
    prefix = _MISSING_STREAM if found.misses_streams else ""
    text = f"{prefix}{options.describe(command)}Profile:\n{text}"
    if options.output_type == "stdout":
        print("\n=========================Options=============================")
        print(options, end="")
        print("\n==================Model Analysis Report======================")
        print(text, end="")
        print("\n======================End of Report==========================", flush=True)
    elif options.output_type == "file":
        _write(options.outfile, text)
    elif options.output_type == "timeline":
        _write_timelines(found, options)
    return message


def _write(path, text):
    from tfcore.platform import gfile

    with gfile.Open(path, "w") as file:
        file.write(text)


def _write_timelines(found, options):
    from tfcore.client.timeline import Timeline

    steps = [options.step] if options.step >= 0 else sorted(found.step_stats)
    if not steps:
        raise errors.InvalidArgumentError(None, None, "A timeline needs the run_meta of a traced step.")
    for step in steps:
        path = f"{options.outfile}_{step}"
        _write(path, Timeline(found.step_stats[step]).generate_chrome_trace_format())
        print(f"Timeline file is written to {path}.")
