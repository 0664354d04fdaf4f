"""The commands of the debugger's prompt: what they print."""

import argparse
import re
import shlex
import sys

import numpy as np

from tfcore.as_tensorflow.debug.dump import InconvertibleTensorProto
from tfcore.framework.types import nest

MOST_ELEMENTS = 2000  # of a value that is printed in full without -a


class _Parser(argparse.ArgumentParser):
    """A parser that raises ValueError where others end the program. options: {names of an option: what it does}"""

    def __init__(self, name, about):
        self.options = {}
        super().__init__(prog=name, description=about, add_help=False)

    def add_argument(self, *names, **how):
        if "help" in how:
            self.options[names] = how["help"]
        return super().add_argument(*names, **how)

    def error(self, message):
        raise ValueError(f"{self.prog}: {message}")


def _run_parser():
    parser = _Parser("run", "Runs the step, watched, and stops after it")
    parser.add_argument("-n", "--no_debug", action="store_true", help="run it unwatched, and stop before the next one")
    parser.add_argument("-t", "--times", type=int, default=1, help="run so many steps, the last of them watched")
    parser.add_argument("-f", "--till_filter_pass", default="", help="run steps until a tensor passes this filter")
    parser.add_argument("-fenn", "--filter_exclude_node_names", default="", help="nodes that the filter leaves out")
    parser.add_argument("--node_name_filter", default="", help="watch nodes whose names match")
    parser.add_argument("--op_type_filter", default="", help="watch nodes whose types match")
    parser.add_argument("--tensor_dtype_filter", default="", help="watch tensors whose element types match")
    return parser


def _list_tensors_parser():
    parser = _Parser("list_tensors", "Lists the values of the step, in the order of execution")
    parser.add_argument("-f", "--tensor_filter", default="", help="those that pass a filter")
    parser.add_argument("-fenn", "--filter_exclude_node_names", default="", help="nodes that the filter leaves out")
    parser.add_argument("-n", "--node_name_filter", default="", help="of nodes whose names match")
    parser.add_argument("-t", "--op_type_filter", default="", help="of nodes whose types match")
    parser.add_argument("-s", "--sort_by", default="timestamp", choices=list(_ORDERS), help="the order")
    parser.add_argument("-r", "--reverse", action="store_true", help="the other way round")
    return parser


def _print_tensor_parser():
    parser = _Parser("print_tensor", "Prints a value, or a slice of it: pt hidden/Relu:0[0, :]")
    parser.add_argument("tensor_name")
    parser.add_argument("-n", "--number", type=int, default=-1, help="of which execution, from 0")
    parser.add_argument("-a", "--all", action="store_true", help="all elements")
    parser.add_argument("-s", "--numeric_summary", action="store_true", help="how many are NaN, infinite, ...")
    return parser


def _print_feed_parser():
    parser = _print_tensor_parser()
    parser.prog, parser.description = "print_feed", "Prints what is fed to a tensor"
    return parser


def _node_info_parser():
    parser = _Parser("node_info", "Describes a node")
    parser.add_argument("node_name")
    parser.add_argument("-a", "--attributes", action="store_true", help="its attributes")
    parser.add_argument("-d", "--dumps", action="store_true", help="its values")
    parser.add_argument("-t", "--traceback", action="store_true", help="the lines that created it")
    return parser


def _list_inputs_parser(name="list_inputs", about="Lists the inputs of a node"):
    parser = _Parser(name, about)
    parser.add_argument("node_name")
    parser.add_argument("-c", "--control", action="store_true", help="control edges, too")
    parser.add_argument("-r", "--recursive", action="store_true", help="those further away, too")
    parser.add_argument("-d", "--depth", type=int, default=20, help="how far, with -r")
    return parser


def _list_outputs_parser():
    return _list_inputs_parser("list_outputs", "Lists the nodes that use what a node makes")


_PARSERS = {
    "run": _run_parser,
    "list_tensors": _list_tensors_parser,
    "print_tensor": _print_tensor_parser,
    "print_feed": _print_feed_parser,
    "node_info": _node_info_parser,
    "list_inputs": _list_inputs_parser,
    "list_outputs": _list_outputs_parser,
    "run_info": lambda: _Parser("run_info", "Shows fetches, feeds and filters"),
    "help": lambda: _Parser("help", "Lists the commands"),
    "exit": lambda: _Parser("exit", "Ends the program"),
}
_SHORT = {
    "r": "run",
    "lt": "list_tensors",
    "pt": "print_tensor",
    "pf": "print_feed",
    "ni": "node_info",
    "li": "list_inputs",
    "lo": "list_outputs",
    "ri": "run_info",
    "h": "help",
    "quit": "exit",
    "q": "exit",
}
_ORDERS = {
    "timestamp": lambda datum, type_: datum.timestamp,
    "dump_size": lambda datum, type_: datum.dump_size_bytes,
    "op_type": lambda datum, type_: type_,
    "tensor_name": lambda datum, type_: datum.tensor_name,
}


class Commands:
    """The commands of one prompt.

    Args:
      dump: The `DebugDumpDir` of the step; None before it.
      filters: {name: filter}.
      fetches: Of the step.
      feeds: Of the step.
    """

    def __init__(self, dump, filters, fetches, feeds):
        self._dump, self._filters = dump, filters
        self._fetches, self._feeds = nest.flatten(fetches), feeds or {}

    def do(self, line):
        """Does what a line asks for. Returns: the arguments of `run`, if it is that; otherwise None."""
        try:
            words = _words(line)
            if not words:
                return None
            name = _SHORT.get(words[0], words[0])
            if name not in _PARSERS:
                raise ValueError(f'Invalid command prefix "{words[0]}"')
            arguments = _PARSERS[name]().parse_args(words[1:])
            if name == "run":
                return self._checked_run(arguments)
            getattr(self, f"_{name}")(arguments)
        except (ValueError, LookupError, re.error) as error:
            print(f"ERROR: {error}", flush=True)
        return None

    def _checked_run(self, arguments):
        self._filter(arguments.till_filter_pass)
        if arguments.times < 1:
            raise ValueError(f"run: the number of steps must be positive, but got {arguments.times}")
        if arguments.filter_exclude_node_names and not arguments.till_filter_pass:
            raise ValueError(
                "The --filter_exclude_node_names (or -fenn) flag is valid only if the --till_filter_pass (or -f) flag "
                "is used."
            )
        for name in ("filter_exclude_node_names", "node_name_filter", "op_type_filter", "tensor_dtype_filter"):
            re.compile(getattr(arguments, name))
        return arguments

    def _filter(self, name):
        if name and name not in self._filters:
            raise ValueError(f'tensor filter "{name}" does not exist.')
        return self._filters.get(name)

    def _values(self):
        if self._dump is None:
            raise ValueError("There are no values before the step: type `run`.")
        return self._dump

    def _help(self, arguments):
        short = {name: word for word, name in reversed(_SHORT.items())}
        for name, make in _PARSERS.items():
            parser = make()
            print(f"{short[name]}, {name}: {parser.description}")
            for names, about in parser.options.items():
                print(f"    {', '.join(names)}: {about}")

    def _exit(self, arguments):
        print("Note: user exited from debugger CLI: Calling sys.exit(1).", file=sys.stderr)
        sys.exit(1)

    def _run_info(self, arguments):
        print("Fetch(es):", *(f"  {getattr(f, 'name', f)}" for f in self._fetches), sep="\n")
        print("\nFeed dict:", *([f"  {_name(key)}" for key in self._feeds] or ["  (Empty)"]), sep="\n")
        print("\nTensor filter(s):", *(f"  {name}" for name in self._filters), sep="\n")

    # ---- Values

    def _list_tensors(self, arguments):
        dump = self._values()
        wanted = self._filter(arguments.tensor_filter)
        if wanted is None:
            data = dump.dumped_tensor_data
        else:
            data = dump.find(wanted, exclude_node_names=arguments.filter_exclude_node_names or None)
        types = {name: dump.node_op_type(name) for name in dump.nodes()}
        chosen = [
            datum
            for datum in data
            if re.match(arguments.node_name_filter, datum.node_name)
            and re.match(arguments.op_type_filter, types[datum.node_name])
        ]
        order = _ORDERS[arguments.sort_by]
        chosen.sort(key=lambda datum: order(datum, types[datum.node_name]), reverse=arguments.reverse)
        passing = f' passing filter "{arguments.tensor_filter}"' if wanted else ""
        print(f"{len(chosen)} dumped tensor(s){passing}:\n")
        rows = [("t (ms)", "Size (B)", "Op type", "Tensor name")]
        for datum in chosen:
            time = f"[{(datum.timestamp - dump.t0) / 1000:.3f}]"
            rows.append((time, str(datum.dump_size_bytes), types[datum.node_name], datum.tensor_name))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for row in rows:
            print(*(cell.ljust(width) for cell, width in zip(row, widths)), row[3])

    def _print_tensor(self, arguments):
        name, indices = _split_slice(arguments.tensor_name)
        node, _, slot = name.partition(":")
        slot = slot.partition(":")[0] or "0"
        data = self._values().watch_key_to_data(f"{node}:{slot}:DebugIdentity")
        if not data:
            raise ValueError(f'Tensor "{node}:{slot}" has no value in this step.')
        if len(data) > 1 and arguments.number < 0:
            print(f'Tensor "{node}:{slot}" generated {len(data)} dumps; choose one with -n:\n')
            for i, datum in enumerate(data):
                print(f"#{i} [{(datum.timestamp - self._dump.t0) / 1000:.3f} ms] {datum.watch_key}")
            return
        if arguments.number >= len(data):
            raise ValueError(
                f"Specified number ({arguments.number}) exceeds the number of available dumps ({len(data)})"
            )
        _print_value(data[max(arguments.number, 0)].get_tensor(), data[0].watch_key, indices, arguments)

    def _print_feed(self, arguments):
        name, indices = _split_slice(arguments.tensor_name)
        for key, value in self._feeds.items():
            if _name(key) in (name, f"{name}:0"):
                return _print_value(np.asarray(value), f"{_name(key)} (feed)", indices, arguments)
        raise ValueError(f"The feed_dict of the current run does not contain the key {name}")

    # ---- The graph

    def _node_info(self, arguments):
        dump = self._values()
        name = arguments.node_name.partition(":")[0]
        op = dump.python_graph.get_operation_by_name(name)
        devices = {d.node_name: d.device_name for d in dump.dumped_tensor_data}
        print(f"Node {name}\n\n  Op: {op.type}\n  Device: {devices.get(name, op.device)}")
        for what, list_ in (("input", dump.node_inputs), ("recipient", dump.node_recipients)):
            data, control = list_(name), list_(name, is_control=True)
            print(f"\n  {len(data)} {what}(s) + {len(control)} control {what}(s):")
            for kind, names in ((f"{what}(s)", data), (f"control {what}(s)", control)):
                if names:
                    print(f"    {len(names)} {kind}:")
                    for other in names:
                        print(f"      [{dump.node_op_type(other.partition(':')[0])}] {other}")
        if arguments.attributes:
            print("\nNode attributes:")
            for key, value in sorted(op.node_def.attr.items()):
                print(f"  {key}:\n    {str(value).strip()}")
        if arguments.dumps:
            data = [datum for datum in dump.dumped_tensor_data if datum.node_name == name]
            print(f"\n{len(data)} dumped tensor(s):")
            for datum in data:
                print(f"  Slot {datum.output_slot} @ {datum.debug_op} @ {(datum.timestamp - dump.t0) / 1000:.3f} ms")
        if arguments.traceback:
            print("\nTraceback of node construction:")
            for file, line, function, _ in dump.node_traceback(name):
                print(f'  File "{file}", line {line}, in {function}')

    def _list_inputs(self, arguments):
        self._list_tree(arguments, "Inputs to", self._values().node_inputs)

    def _list_outputs(self, arguments):
        self._list_tree(arguments, "Recipients of", self._values().node_recipients)

    def _list_tree(self, arguments, what, list_):
        name = arguments.node_name.partition(":")[0]
        depth = arguments.depth if arguments.recursive else 1
        control = ", control included" if arguments.control else ""
        print(f'{what} node "{name}" (Depth limit = {depth}{control}):')
        stack, seen = [(name, 0)], set()
        while stack:
            at, level = stack.pop()
            if level:
                print(f"{'|  ' * (level - 1)}|- ({level}) [{self._dump.node_op_type(at.partition(':')[0])}] {at}")
            node = at.partition(":")[0]
            if level < depth and node not in seen:  # what is below it is printed once
                seen.add(node)
                found = list_(node) + (list_(node, is_control=True) if arguments.control else [])
                stack += [(other, level + 1) for other in reversed(found)]


def _words(line):
    """The words of a line; a slice may have spaces."""
    try:
        return shlex.split(re.sub(r"\[.*\]", lambda match: match[0].replace(" ", ""), line))
    except ValueError as error:
        raise ValueError(f"Unclosed quote: {error}") from None


def _name(key):
    return key if isinstance(key, str) else getattr(key, "name", str(key))


def _split_slice(text):
    """("x:0", (0, slice(None))) of "x:0[0, :]"; the second is None without a slice."""
    match = re.fullmatch(r"([^\[\]]+)(?:\[([-+\d:,\s.]*)\])?", text)
    if match is None:
        raise ValueError(f"Invalid tensor name or slice: {text}")
    if match[2] is None:
        return match[1], None
    return match[1], tuple(_index(part.strip()) for part in match[2].split(",") if part.strip())


def _index(text):
    if text == "...":
        return ...
    if ":" in text:
        return slice(*(int(part) if part.strip() else None for part in text.split(":")))
    return int(text)


def _print_value(value, title, indices, arguments):
    if indices is not None and not isinstance(value, InconvertibleTensorProto):
        title = f"{title}[{', '.join(map(_index_text, indices))}]"
        value = np.asarray(value[indices])
    print(f'Tensor "{title}":')
    if isinstance(value, InconvertibleTensorProto):
        print(value)
        return
    print(f"  dtype: {value.dtype}\n  shape: {value.shape}\n")
    if arguments.numeric_summary:
        _print_summary(value)
    with np.printoptions(threshold=sys.maxsize if arguments.all else MOST_ELEMENTS):
        print(repr(value))


def _index_text(index):
    if isinstance(index, slice):
        parts = [index.start, index.stop] + ([index.step] if index.step is not None else [])
        return ":".join("" if part is None else str(part) for part in parts)
    return "..." if index is ... else str(index)


def _print_summary(value):
    """How many elements are of which kind, and the range of the finite ones."""
    if value.dtype.kind not in "fiub":
        print("Numeric summary: only of real numbers\n")
        return
    kinds = {
        "nan": np.isnan(value),
        "-inf": np.isneginf(value) if value.dtype.kind == "f" else np.zeros(value.shape, bool),
        "-": value < 0,
        "0": value == 0,
        "+": value > 0,
        "+inf": np.isposinf(value) if value.dtype.kind == "f" else np.zeros(value.shape, bool),
    }
    kinds["-"], kinds["+"] = kinds["-"] & ~kinds["-inf"], kinds["+"] & ~kinds["+inf"]
    counts = {kind: int(np.sum(found)) for kind, found in kinds.items()}
    print("Numeric summary:")
    print("|" + "".join(f" {kind:>7}" for kind in counts) + " |  total |")
    print("|" + "".join(f" {count:>7}" for count in counts.values()) + f" | {value.size:>6} |")
    finite = value[np.isfinite(value)].astype(np.float64)
    if finite.size:
        print(f"|  min {finite.min():g}  max {finite.max():g}  mean {finite.mean():g}  std {finite.std():g} |")
    print()
