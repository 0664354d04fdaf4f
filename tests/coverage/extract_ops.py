"""Writes ops.json: the op types of TensorFlow 1.0.0, taken from its wheel without importing it.

    pip download tensorflow==1.0.0 --no-deps --python-version 3.6 --platform manylinux1_x86_64 --only-binary=:all:
    python -m tests.coverage.extract_ops tensorflow-1.0.0-cp36-cp36m-manylinux1_x86_64.whl

The wheel's gen_*_ops.py embed the definitions of all op types that its Python layer can create, as text protos (but not
those that only the runtime makes, such as _Send). Gradients are those that python/ops registers. The types of CPU
kernels come from the wheel's native library, which is loaded alone and queried. Needs x86-64 Linux and the extra
`graphdef` (protocol buffers).
"""

import ast
import ctypes
import json
import os
import re
import sys
import tempfile
import zipfile

from tfcore.framework import protos

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops.json")
GENERATED = re.compile(r"tensorflow/python/(?:ops|training)/gen_(\w+)\.py$")
SOURCE = re.compile(r"tensorflow/python/ops/\w+\.py$")
LIBRARY = re.compile(r".*/_pywrap_tensorflow\.so$")
OP_LIST = re.compile(r'op_list_ascii = ("""op \{.*?""")', re.S)
REGISTRATIONS = {"RegisterGradient": True, "NotDifferentiable": False, "NoGradient": False}


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        ops, sources = {}, []
        for name in sorted(archive.namelist()):
            if match := GENERATED.search(name):
                ops.update(op_definitions(archive.read(name).decode(), match.group(1)))
            elif SOURCE.search(name):
                sources.append(archive.read(name).decode())
        (library,) = filter(LIBRARY.match, archive.namelist())
        with tempfile.TemporaryDirectory() as folder:
            kernels_of = kernel_registry(archive.extract(library, folder))
    gradients = registered_gradients(sources)
    for name, op in ops.items():
        op["gradient"] = gradients.get(name)
        op["kernels"] = kernels_of(name)
    with open(TARGET, "w", encoding="utf-8") as file:
        lines = [f"{json.dumps(name)}: {json.dumps(ops[name])}" for name in sorted(ops)]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{TARGET}: {len(ops)} op types")


# ---- Gradients


def registered_gradients(sources):
    """Op type -> True (it has a gradient) or False (none flows through it, as declared or because None is returned)."""
    found = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call):
                found.update((op, has) for op, has in _registration(node) if op not in found)
            elif isinstance(node, ast.FunctionDef) and _returns_nothing(node):
                found.update((op, False) for call in node.decorator_list for op, _ in _registration(call))
    return found


def _registration(call):
    """[(op type, whether it has a gradient)] if this is a call that registers one."""
    if not (isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)):
        return []
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    return [(call.args[0].value, REGISTRATIONS[name])] if name in REGISTRATIONS else []


def _returns_nothing(function):
    """Whether a gradient function always returns None, or Nones."""
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    flat = [e for v in values for e in (v.elts if isinstance(v, ast.List | ast.Tuple) else [v])]
    return all(v is None or isinstance(v, ast.Constant) and v.value is None for v in flat)


# ---- Kernels


def kernel_registry(library):
    """A function: op type -> the type constraints of its CPU kernels, as in kernel.h: ["T=float;Tidx=int32", ...]."""
    tensorflow = ctypes.CDLL(library, mode=os.RTLD_LAZY)
    # std::string KernelsRegisteredForOp(StringPiece). The string, of GCC 4's ABI, is one pointer to its characters.
    registered = tensorflow._ZN10tensorflow22KernelsRegisteredForOpENS_11StringPieceE
    registered.restype = None

    def kernels_of(op):
        text, name = ctypes.c_char_p(), op.encode()
        registered(ctypes.byref(text), ctypes.c_char_p(name), ctypes.c_size_t(len(name)))
        lines = [line.strip() for line in text.value.decode().splitlines()]
        return _merged({_constraint(line) for line in lines if "device='CPU'" in line and "label=" not in line})

    return kernels_of


def _constraint(line):
    """(attribute, type) pairs, by attribute."""
    return tuple(
        sorted((attr, types.strip()[3:].lower()) for attr, types in re.findall(r"(\w+) in \[([^\]]*)\]", line))
    )


def _merged(constraints):
    """Merges constraints that differ only in the type of the last attribute."""
    merged = {}
    for *others, last in filter(None, constraints):
        merged.setdefault((*others, last[0]), []).append(last[1])
    texts = [
        ";".join([*(f"{a}={t}" for a, t in others), f"{attr}={'|'.join(sorted(types))}"])
        for (*others, attr), types in merged.items()
    ]
    return sorted(texts) if () not in constraints else [""]


# ---- Definitions, in the notation of define_op


def op_definitions(source, family):
    from google.protobuf import text_format

    match = OP_LIST.search(source)
    if match is None:
        return {}
    ops = protos.OpList()
    text_format.Parse(ast.literal_eval(match.group(1)), ops)
    return {op.name: _definition(op, family) for op in ops.op}


def _definition(op, family):
    result = {
        "family": family.removesuffix("_ops"),
        "inputs": [_argument(a) for a in op.input_arg],
        "outputs": [_argument(a) for a in op.output_arg],
        "attrs": [_attribute(a) for a in op.attr],
    }
    if op.is_stateful:
        result["stateful"] = True
    if op.HasField("deprecation"):
        result["deprecated"] = op.deprecation.explanation
    return result


def _argument(arg):
    kind = arg.type_list_attr or arg.type_attr or _type_name(arg.type)
    if arg.number_attr:
        kind = f"{arg.number_attr} * {kind}"
    return f"{arg.name}: " + (f"Ref({kind})" if arg.is_ref else kind)


def _type_name(number):
    return protos.DataType.Name(number)[3:].lower()


def _attribute(attr):
    kind = attr.type
    if attr.HasField("allowed_values"):
        allowed = attr.allowed_values.list
        items = [_type_name(t) for t in allowed.type] or [f"'{s.decode()}'" for s in allowed.s]
        plain = "{" + ", ".join(items) + "}"
        kind = f"list({plain})" if kind.startswith("list(") else plain
    text = f"{attr.name}: {kind}"
    if attr.has_minimum:
        text += f" >= {attr.minimum}"
    if attr.HasField("default_value") and attr.type != "tensor":  # one op has such a default, an empty tensor
        text += f" = {_value(attr.type, attr.default_value)}"
    return text


def _value(kind, value):
    if kind.startswith("list("):
        values = value.list
        items = values.s or values.i or values.f or values.b or values.type
        return "[" + ", ".join(_plain(kind[5:-1], item) for item in items) + "]"
    field = {"string": value.s, "int": value.i, "float": value.f, "bool": value.b, "type": value.type}
    if kind == "shape":
        if value.shape.unknown_rank:
            return "{ unknown_rank: true }"
        return "{" + ", ".join(str(d.size) for d in value.shape.dim) + "}"
    return _plain(kind, field[kind])


def _plain(kind, value):
    if kind == "string":
        return f"'{value.decode()}'"
    if kind == "bool":
        return str(value).lower()
    if kind == "type":
        return f"DT_{_type_name(value).upper()}"
    return f"{value:.7g}" if kind == "float" else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
