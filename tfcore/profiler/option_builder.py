"""`tf.profiler.ProfileOptionBuilder`: the dicts of options that `tf.profiler.profile` takes."""

import copy

from tfcore.profiler.op_log import TRAINABLE_VARIABLES

_EVERYTHING = [".*"]


def _options(**values):
    return {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": list(_EVERYTHING),
        "start_name_regexes": list(_EVERYTHING),
        "trim_name_regexes": [],
        "show_name_regexes": list(_EVERYTHING),
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "step": -1,
        "output": "stdout",
        **values,
    }


class ProfileOptionBuilder:
    """Builds the options of a profile.

    Args:
      options: A dict of options to begin with (optional).
    """

    def __init__(self, options=None):
        if options is None:
            options = _options(max_depth=100, account_displayed_op_only=False, select=["micros"])
        self._options = copy.deepcopy(options)

    @staticmethod
    def trainable_variables_parameter():
        """Options that show the number of parameters of trainable variables.

        Returns:
          A dict.
        """
        return _options(account_type_regexes=[TRAINABLE_VARIABLES], select=["params"])

    @staticmethod
    def float_operation():
        """Options that show the number of float operations, the most first.

        Returns:
          A dict.
        """
        return _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros=1,
        min_bytes=1,
        min_accelerator_micros=0,
        min_cpu_micros=0,
        min_peak_bytes=0,
        min_residual_bytes=0,
        min_output_bytes=0,
    ):
        """Options that show time and memory, the longest time first.

        Args:
          min_micros: The least time of what is shown, in microseconds.
          min_bytes: The least memory that was requested.
          min_accelerator_micros: The least time on accelerators.
          min_cpu_micros: The least time on the CPU.
          min_peak_bytes: The least memory at the peak.
          min_residual_bytes: The least memory that was kept.
          min_output_bytes: The least size of outputs.

        Returns:
          A dict.
        """
        return _options(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self):
        """The options.

        Returns:
          A dict.
        """
        return copy.deepcopy(self._options)

    def _with(self, **values):
        self._options.update({name: value for name, value in values.items() if value is not None})
        return self

    def with_max_depth(self, max_depth):
        """Shows nodes to this depth of the tree only.

        Args:
          max_depth: The depth.

        Returns:
          The builder.
        """
        return self._with(max_depth=max_depth)

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """Shows only nodes that use this much memory.

        Args:
          min_bytes: The least memory that was requested.
          min_peak_bytes: The least memory at the peak.
          min_residual_bytes: The least memory that was kept.
          min_output_bytes: The least size of outputs.

        Returns:
          The builder.
        """
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        """Shows only nodes that take this long.

        Args:
          min_micros: The least time in all, in microseconds.
          min_accelerator_micros: The least time on accelerators.
          min_cpu_micros: The least time on the CPU.

        Returns:
          The builder.
        """
        return self._with(
            min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros
        )

    def with_min_parameters(self, min_params):
        """Shows only nodes with this many parameters.

        Args:
          min_params: The least number.

        Returns:
          The builder.
        """
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence):
        """Shows only nodes that ran this often.

        Args:
          min_occurrence: The least number.

        Returns:
          The builder.
        """
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops):
        """Shows only nodes with this many float operations.

        Args:
          min_float_ops: The least number.

        Returns:
          The builder.
        """
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes):
        """Counts only nodes of these types: op types, devices, and what an OpLogProto says.

        Args:
          account_type_regexes: A list of regular expressions.

        Returns:
          The builder.
        """
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self, start_name_regexes=None, show_name_regexes=None, hide_name_regexes=None, trim_name_regexes=None
    ):
        """Chooses what is shown by names, with lists of regular expressions for whole names.

        Args:
          start_name_regexes: Shows these nodes and those below them.
          show_name_regexes: Shows these.
          hide_name_regexes: Does not show these.
          trim_name_regexes: Shows nothing below these.

        Returns:
          The builder.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{name: list(value) for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true):
        """Whether sums include only nodes that are shown.

        Args:
          is_true: Whether they do.

        Returns:
          The builder.
        """
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self):
        """Prints nothing.

        Returns:
          The builder.
        """
        return self._with(output="none")

    def with_stdout_output(self):
        """Prints the profile.

        Returns:
          The builder.
        """
        return self._with(output="stdout")

    def with_file_output(self, outfile):
        """Writes the profile to a file.

        Args:
          outfile: Path of the file.

        Returns:
          The builder.
        """
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file):
        """Writes a timeline for ui.perfetto.dev or chrome://tracing.

        Args:
          timeline_file: Path of the file; "_" and the number of the step are appended.

        Returns:
          The builder.
        """
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file):
        """Asks for a file of pprof, which tfcore does not write: `profile` raises UnimplementedError.

        Args:
          pprof_file: Path of the file.

        Returns:
          The builder.
        """
        return self._with(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute):
        """Sorts by an attribute, such as "micros", "bytes", "params", "float_ops" or "name".

        Args:
          attribute: The attribute.

        Returns:
          The builder.
        """
        return self._with(order_by=attribute)

    def select(self, attributes):
        """Shows these attributes.

        Args:
          attributes: A list of their names.

        Returns:
          The builder.
        """
        return self._with(select=copy.copy(attributes))

    def with_step(self, step):
        """Shows one of the steps of a `Profiler`.

        Args:
          step: Its number; -1 for the mean of all.

        Returns:
          The builder.
        """
        return self._with(step=step)
