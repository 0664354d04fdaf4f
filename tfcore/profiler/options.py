"""The options of a profile, checked, and the texts that explain them."""

import re

from tfcore.framework import errors, protos

_NUMBERS = (
    "min_bytes min_peak_bytes min_residual_bytes min_output_bytes min_micros min_accelerator_micros min_cpu_micros "
    "min_params min_float_ops min_occurrence"
).split()
_REGEXES = [f"{name}_regexes" for name in "account_type start_name trim_name show_name hide_name".split()]
_OUTPUTS = {"timeline": ["outfile"], "stdout": [], "file": ["outfile"], "pprof": ["outfile"], "none": []}

_COMMANDS = {
    "scope": "scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.",
    "graph": "graph: The nodes in the model graph are organized by their operation input and output.",
    "code": "code: When python trace is available, the nodes are python lines and their are organized by the python "
    "call stack.",
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging to the same type are "
    "aggregated together.",
}
_CPU = (
    "cpu execution time: The time from the start to the end of the operation. It's the sum of actual cpu run time plus "
    "the time that it spends waiting if part of computation is launched asynchronously."
)
_ACCELERATOR = (
    "accelerator execution time: Time spent executing on the accelerator. This is normally measured by the actual "
    "hardware library."
)
_ATTRIBUTES = {  # what `select` may have
    "bytes": "requested bytes: The memory requested by the operation, accumulatively.",
    "micros": "total execution time: Sum of accelerator execution time and cpu execution time.\n"
    f"{_CPU}\n{_ACCELERATOR}",
    "params": "param: Number of parameters (in the Variable).",
    "float_ops": "flops: Number of float operations. Note: Please read the implementation for the math behind it.",
    "tensor_value": "tensor_value: Not supported now.",
    "device": "device: which device is placed on.",
    "op_types": "op_types: The attributes of the operation, includes the Kernel name device placed on and user-defined "
    "strings.",
    "occurrence": "occurrence: The number of times it occurs",
    "input_shapes": "input shape: The shape of input tensors",
    "accelerator_micros": _ACCELERATOR,
    "cpu_micros": _CPU,
    "peak_bytes": "peak bytes: The peak amount of memory that the operation is holding at some point.",
    "residual_bytes": "residual bytes: The memory not de-allocated after the operation finishes.",
    "output_bytes": "output bytes: The memory that is output from the operation (not necessarily allocated by the "
    "operation)",
}


class Options:
    """Options of a profile.

    Attributes: those of an OptionsProto; the regular expressions are compiled. select: a set.
      output_type: "stdout", "file", "timeline" or "none". outfile: the path of a file or timeline.

    Args:
      options: The dict that a user passes.

    Raises:
      InvalidArgumentError: The output, an attribute or a regular expression is invalid.
      UnimplementedError: The output is a file of pprof.
    """

    def __init__(self, options):
        given = protos.OptionsProto(max_depth=10, step=-1, order_by="name", output="stdout")
        known = {name: value for name, value in options.items() if name in given.DESCRIPTOR.fields_by_name}
        given.MergeFrom(protos.OptionsProto(**known))
        for name in ("max_depth", "step"):  # MergeFrom skips zeros
            setattr(given, name, options.get(name, getattr(given, name)))
        for name in ("max_depth", "step", "order_by", "account_displayed_op_only", *_NUMBERS):
            setattr(self, name, getattr(given, name))
        self._given = given
        for name in _REGEXES:
            setattr(self, name, [_compiled(name, text) for text in getattr(given, name)])
        self.select = set(given.select)
        if unknown := sorted(self.select - set(_ATTRIBUTES)):
            raise errors.InvalidArgumentError(None, None, f"Invalid option '-select' value: '{','.join(unknown)}'")
        self.output_type, self.outfile = _output(given)

    def __str__(self):
        given = self._given
        values = {"max_depth": given.max_depth, **{name: getattr(given, name) for name in _NUMBERS}}
        values |= {"step": given.step, "order_by": given.order_by}
        values |= {name: ",".join(getattr(given, name)) for name in _REGEXES}
        values["account_displayed_op_only"] = "true" if given.account_displayed_op_only else "false"
        values["select"] = ",".join(sorted(self.select))
        values["output"] = f"{self.output_type}:" + (f"outfile={self.outfile}" if self.outfile else "")
        return "".join(f"{'-' + name:<28}{value}\n" for name, value in values.items())

    def describe(self, command):
        """What the numbers of a profile mean."""
        texts = [_COMMANDS[command], *(_ATTRIBUTES[name] for name in sorted(self.select))]
        return "\nDoc:\n" + "\n".join(texts) + "\n\n"

    def matches_everything(self, name):
        """Whether a list of regular expressions is [".*"]."""
        return list(getattr(self._given, name)) == [".*"]


def matches(patterns, text):
    """Whether one of the patterns matches the whole text."""
    return any(pattern.fullmatch(text) for pattern in patterns)


def _compiled(name, text):
    try:
        return re.compile(text)
    except re.error as error:
        raise errors.InvalidArgumentError(None, None, f"Invalid option '-{name}' value: '{text}': {error}") from None


def _output(given):
    """(type, outfile)"""
    if given.dump_to_file:
        return "file", given.dump_to_file
    kind, _, details = (given.output or "stdout").partition(":")
    if kind not in _OUTPUTS:
        raise _invalid(f"E.g. Unknown output type: {kind}, Valid types: {','.join(sorted(_OUTPUTS))}")
    values = {}
    for detail in filter(None, details.split(",")):
        name, equals, value = detail.partition("=")
        if not equals:
            raise _invalid("Visualize format: -output timeline:key=value,key=value,...")
        if name not in _OUTPUTS[kind]:
            raise _invalid(f"Unrecognized options {name} for output_type: {kind}")
        values[name] = value
    for name in _OUTPUTS[kind]:
        if name not in values:
            raise _invalid(f"Missing required output_options for {kind}\nE.g. -output {kind}:{name}=...")
    if kind == "pprof":
        raise errors.UnimplementedError(None, None, "tfcore writes no files of pprof: use with_timeline_output")
    return kind, values.get("outfile", "")


def _invalid(message):
    return errors.InvalidArgumentError(None, None, message)
