"""How much of TensorFlow 1.0 is there? Lists its 602 op types and what tfcore has of each.

    python -m tests.coverage [--missing] [--only TEXT]
    python -m tests.coverage --api [--missing] [--only TEXT] [--tf PYTHON]

One line per op type: whether it is registered; how many of the types with CPU kernels in TensorFlow 1.0 have kernels
here; whether TensorFlow 1.0 and tfcore have a gradient; whether a property test exists; whether it is complete. Totals
follow. `--missing` lists the incomplete op types by part of the system, with what they lack. Needs the source tree (the
records of the property tests are in tests/).

Complete means: defined with TensorFlow's signature, a CPU kernel for every type that has one in TensorFlow 1.0, a
gradient where TensorFlow 1.0 has one, and a property test. Not counted: quantized types, and types that the definition
of TensorFlow 1.0, or that of TensorFlow 2.21, refuses. The reference, ops.json, was extracted from the wheel: see
extract_ops.py.

Operations on handles of variables, and calls of functions, have no kernels: the compiler replaces them. They have the
types of the kernels that they become.
"""

import argparse
import functools
import itertools
import json
import os
import re

from tests import harness
from tests.coverage import api
from tfcore.compiler.inlined_bodies import CALLS
from tfcore.compiler.resource_variables import REPLACED, form_by_reference
from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import OpDef, get_op_def, registered_ops
from tfcore.framework.definitions.op_parts import REQUIRED
from tfcore.framework.types.dtypes import as_dtype
from tfcore.testing.records import kernel_types
from tfcore.testing.strategies import TYPES

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops.json")

# Parts of the system; the first match counts: (part, pattern of the family, pattern of the name).
PARTS = [
    ("quantization", "", "Quantize|Dequantize|Requantiz"),
    ("control flow", "control_flow", ""),
    ("tensor arrays and stacks", "data_flow", "TensorArray|Stack"),
    ("barriers, accumulators, staging", "data_flow", "Barrier|Accumulator|Stage|Session"),
    ("queues", "data_flow", "Queue"),
    ("hash tables", "data_flow", "Table|Initialize"),
    ("readers, files, checkpoints", "io", ""),
    ("images", "image", ""),
    ("decoding of records", "parsing", ""),
    ("strings", "string", ""),
    ("sparse tensors", "sparse|set", ""),
    ("CTC", "ctc", ""),
    ("candidate sampling", "candidate_sampling", ""),
    ("linear algebra", "linalg", ""),
    ("Fourier transforms", "", "FFT"),
    ("summaries", "logging", ""),
    ("Python functions", "script|functional", ""),
    ("resource variables", "resource_variable", ""),
    ("coordinate descent", "sdca", ""),
    ("cloud", "cloud", ""),
]


# Kernels that TensorFlow 1.0 registers for all types although they refuse most of them, or can't be reached.
_CASTABLE = "bool|uint8|int8|uint16|int16|int32|int64|half|float|double|complex64|complex128"
_KINDS = ("Accumulator", "SparseAccumulator")
_ACCUMULATED = ["dtype=half|float|double"]  # no accumulator of another type can be made
ONLY = {
    "Cast": [f"SrcT={_CASTABLE};DstT={_CASTABLE}"],
    "FusedBatchNorm": ["T=float"],
    "FusedBatchNormGrad": ["T=float"],
    "SparseAdd": [  # the threshold is read as the type of magnitudes, whatever it is
        *(f"T={t};Treal={t}" for t in "double|float|int16|int32|int64|int8".split("|")),
        "T=complex64;Treal=float",
        "T=complex128;Treal=double",
    ],
    "TileGrad": ["T=half|float|double|uint8|int16|int32|int64|complex64|complex128"],
    **{f"{kind}{action}Gradient": _ACCUMULATED for kind in _KINDS for action in ("Apply", "Take")},
}


@functools.cache
def reference():
    """Op type -> its entry in ops.json."""
    with open(REFERENCE, encoding="utf-8") as file:
        return json.load(file)


def definition(name):
    """TensorFlow 1.0's definition of an op type, as an OpDef that is not registered."""
    op = reference()[name]
    return OpDef(name, op["inputs"], op["outputs"], op["attrs"], None, op.get("stateful", False), False, None)


def part_of(name):
    family = reference()[name]["family"]
    for part, families, names in PARTS:
        if re.fullmatch(families or ".*", family) and re.search(names, name):
            return part
    return {"math": "mathematics", "nn": "neural networks", "array": "arrays", "data_flow": "data flow"}.get(
        family, family
    )


# ---- Comparison


class Row:
    """One op type of TensorFlow 1.0."""

    def __init__(self, name, ours, tested):
        theirs = definition(name)
        self.name = name
        self.registered = name in ours
        self.wanted = wanted_cases(name, theirs)
        self.present = served_cases(name, theirs) if self.registered else set()
        self.their_gradient = reference()[name]["gradient"] is True
        self.our_gradient = self.registered and bool(ours[name].gradient_fn)
        self.tested = name in tested
        self.lacks = self._lacks()

    def _lacks(self):
        if not self.registered:
            return ["everything"]
        lacks = [] if self.present else ["any kernel"]
        if untyped := sorted(self.wanted - self.present):
            lacks.append("kernels for " + ", ".join("-".join(case) or "it" for case in untyped))
        if self.their_gradient and not self.our_gradient:
            lacks.append("its gradient")
        if not self.tested:
            lacks.append("a property test")
        return lacks

    @property
    def complete(self):
        return not self.lacks

    def __str__(self):
        types = f"{len(self.wanted & self.present)}/{len(self.wanted)}"
        gradient = f"{_yes(self.their_gradient)}/{_yes(self.our_gradient)}"
        cells = [_yes(self.registered), types, gradient, _yes(self.tested), _yes(self.complete)]
        return f"{self.name:40}" + "".join(f"{cell:>12}" for cell in cells)


def _yes(value):
    return "yes" if value else "-"


def wanted_cases(name, theirs):
    """The values of type attributes with CPU kernels in TensorFlow 1.0: {(attr, type name)}.

    An op without such attributes has one case, the empty one; an op without CPU kernels has none.
    """
    cases = set()
    for constraint in ONLY.get(name) or reference()[name]["kernels"]:
        given = dict(part.split("=") for part in constraint.split(";") if part)
        for attr in theirs.attrs.values():
            if attr.type == "type":
                types = map(as_dtype, given[attr.name].split("|")) if attr.name in given else TYPES
                cases.update((attr.name, t.name) for t in types if t in _allowed(name, attr))
    return cases if _type_attrs(theirs) or not reference()[name]["kernels"] else {()}


def _allowed(name, attr):
    """Types that an attribute allows, in TensorFlow 1.0 and still in our definition, which is TensorFlow 2.21's."""
    own = next((op.attrs[attr.name].allowed for op in registered_ops() if op.name == name), None)
    return set(TYPES).intersection(attr.allowed or TYPES, own or TYPES)


def served_cases(name, theirs):
    """The wanted_cases that have a kernel here."""
    if name in CALLS:
        return {()}
    if name in REPLACED:
        return _replaced_cases(name, theirs)
    types = kernel_types(name, users=False)
    if not _type_attrs(theirs):
        return {()} if types else set()
    return {(attr, t.name) for case in types for attr, t in case}


def _replaced_cases(name, theirs):
    """The types for which the op that replaces one on handles of variables has a kernel."""
    attrs = [attr.name for attr in _type_attrs(theirs)]
    choices = [attr.allowed or TYPES for attr in _type_attrs(theirs)] or [TYPES]
    defaults = {attr.name: attr.default for attr in get_op_def(name).attrs.values()}
    found = set()
    for types in itertools.product(*choices):
        given = dict(zip(attrs, types))
        dtype = given.get("dtype", given.get("T", types[0]))
        becomes, form = form_by_reference(name, {**defaults, **given}, dtype)
        if tuple((a.name, form[a.name]) for a in _type_attrs(get_op_def(becomes))) in _kernels_of(becomes):
            found.update((attr, t.name) for attr, t in given.items())
            found.update([()] if not attrs else ())
    return found


@functools.cache
def _kernels_of(op):
    return kernel_types(op, users=False)


def _type_attrs(op):
    return [attr for attr in op.attrs.values() if attr.type == "type"]


@functools.cache
def rows():
    ours = {op.name: op for op in registered_ops()}
    tested = {record.op for record in harness.all_records()} | set(harness.explicit_tests("EXPLICIT"))
    registry.cpu_level()  # loads the kernels
    return [Row(name, ours, tested) for name in sorted(reference())]


# ---- Whether definitions agree, as they must for graphs to be exchanged


def deviations(ours, theirs):
    """Differences from TensorFlow 1.0's definition that keep one side from reading the other's graphs.

    Attributes (with defaults), types and outputs' type attributes that later versions of TensorFlow added don't count.
    """
    found = []
    for kind in ("inputs", "outputs"):
        a, b = ([_argument(op, arg) for arg in getattr(op, kind)] for op in (ours, theirs))
        if a != b:
            found.append(f"{kind} are {a}, not {b}")
    for attr in theirs.attrs.values():
        own = ours.attrs.get(attr.name)
        if own is None:
            found.append(f"attribute {attr.name} is missing")
            continue
        if own.type != attr.type:
            found.append(f"attribute {attr.name} is {own.type}, not {attr.type}")
        if own.allowed and (attr.allowed is None or set(attr.allowed) - set(own.allowed)):
            missing = "any" if attr.allowed is None else _names(set(attr.allowed) - set(own.allowed))
            found.append(f"attribute {attr.name} does not allow {missing}")
        if (own.minimum or 0) > (attr.minimum or 0):
            found.append(f"attribute {attr.name} is at least {own.minimum}, not {attr.minimum}")
        if attr.type != "tensor" and own.default != attr.default:
            found.append(f"attribute {attr.name} is {_text(own.default)} by default, not {_text(attr.default)}")
    for attr in ours.attrs.values():
        if attr.name not in theirs.attrs and attr.default is REQUIRED:
            found.append(f"attribute {attr.name} is required")
    return found


def _argument(op, arg):
    kind = arg.type_list_attr or arg.type_attr or arg.dtype.name
    added = op.attrs.get(arg.type_attr)  # "output_type: {int32, int64} = DT_INT64" where it was int64 before
    if added and added.default is not REQUIRED and arg.type_attr not in reference()[op.name]["attrs"]:
        own = {spec.partition(":")[0] for spec in reference()[op.name]["attrs"]}
        kind = kind if arg.type_attr in own else added.default.name
    kind = f"{arg.number_attr} * {kind}" if arg.number_attr else kind
    return f"{arg.name}: " + (f"Ref({kind})" if arg.is_ref else kind)


def _names(values):
    return ", ".join(sorted(v.decode() if isinstance(v, bytes) else v.name for v in values))


def _text(default):
    return "required" if default is REQUIRED else repr(default)


# ---- The report


def report(only="", missing=False):
    """The lines that the command prints."""
    shown = [row for row in rows() if only in row.name]
    if missing:
        parts = {}
        for row in shown:
            if not row.complete:
                parts.setdefault(part_of(row.name), []).append(row)
        for part in sorted(parts):
            yield f"{part}: {len(parts[part])}"
            yield from (f"    {row.name}: {'; '.join(row.lacks)}" for row in parts[part])
    else:
        yield f"{'op type':40}" + "".join(
            f"{head:>12}" for head in ("registered", "types", "gradient", "tested", "complete")
        )
        yield from map(str, shown)
    counts = {
        "op types of TensorFlow 1.0": len(shown),
        "registered": sum(row.registered for row in shown),
        "with the gradient TensorFlow 1.0 has": sum(row.their_gradient and row.our_gradient for row in shown),
        "with a property test": sum(row.registered and row.tested for row in shown),
        "complete": sum(row.complete for row in shown),
    }
    yield ""
    yield from (f"{count:5} {what}" for what, count in counts.items())


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--missing", action="store_true", help="also what is missing or not complete")
    parser.add_argument("--only", default="", metavar="TEXT", help="op types, or namespaces, whose name contains it")
    parser.add_argument("--api", action="store_true", help="names and signatures instead of op types")
    parser.add_argument("--tf", metavar="PYTHON", help="with --api: ask this interpreter's TensorFlow, not the record")
    arguments = parser.parse_args()
    if arguments.api:
        lines = api.report(arguments.only, arguments.missing, arguments.tf)
    else:
        lines = report(arguments.only, arguments.missing)
    for line in lines:
        print(line)


if __name__ == "__main__":
    main()
