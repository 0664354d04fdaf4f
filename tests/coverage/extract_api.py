"""Prints the public names of TensorFlow 1's API with their signatures, as api.json records them.

    pip download tensorflow==1.15.5 --no-deps --python-version 3.7 --only-binary=:all:
    TF_USE_LEGACY_KERAS=1 PYTHON extract_api.py tensorflow-1.15.5-cp37-cp37m-manylinux2010_x86_64.whl > api.json

PYTHON has TensorFlow 2.21 and tf_keras (for tf.layers). The source in the wheel of TensorFlow 1.15 is read, not run,
for tf.contrib, which later versions don't have; without a wheel tf.contrib is left out.
"""

import ast
import enum
import inspect
import json
import re
import sys
import zipfile

# Namespaces of TensorFlow 2's programming model or of other systems. raw_ops is in ops.json.
LEFT_OUT = (
    "autograph estimator experimental feature_column keras lite mixed_precision mlir raw_ops tpu types v1 v2 xla"
).split()
LEAKED = {"Any", "Dict", "inspect", "tf_decorator"}  # modules that TensorFlow itself imports
# Parts of tf.contrib, and where the wheel has their sources.
CONTRIB = ("layers", "framework", "training", "metrics", "rnn", "seq2seq")
OTHER = "..."  # stands for a default that is not a plain value or an element type


# ---- What runs: tf.compat.v1


def entries(module, path, found, seen):
    """Fills in `found`: a namespace's path -> its names -> what each is."""
    names = found[path] = {}
    for name in sorted(dir(module)):
        if name.startswith("_") or name in LEAKED:
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        if inspect.ismodule(value):
            names[name] = {"kind": "module"}
            deeper = f"{path}.{name}"
            known = value.__name__.startswith("tensorflow") or "keras" in value.__name__
            if known and id(value) not in seen and name not in LEFT_OUT:
                entries(value, deeper, found, {*seen, id(value)})
        else:
            names[name] = entry(value)


def entry(value):
    if inspect.isclass(value):
        if hasattr(value, "DESCRIPTOR"):
            return {"kind": "message"}
        if issubclass(value, enum.Enum):
            return {"kind": "enum", "values": [v.name for v in value]}
        return {"kind": "class", "signature": signature(value), "methods": methods(value)}
    if callable(value):
        return {"kind": "function", "signature": signature(value)}
    if isinstance(value, (str, int, float, bool)):
        return {"kind": "constant", "value": value}
    return {"kind": "value", "type": type(value).__name__}


def methods(cls):
    found = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith(("tensorflow", "tf_keras", "keras", "absl")):
            continue
        for name, value in vars(base).items():
            if name.startswith("_"):
                continue
            if isinstance(value, property):
                found[name] = "property"
            elif callable(value) or isinstance(value, (staticmethod, classmethod)):
                found[name] = signature(getattr(cls, name), bound=not isinstance(value, (staticmethod, classmethod)))
    return found


def signature(value, bound=False):
    """The parameters as text, without annotations, or None where Python cannot tell."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    return ", ".join(_written(parameters[1:] if bound else parameters))


def _written(parameters):
    star = False
    for p in parameters:
        if p.kind == p.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        star |= p.kind == p.VAR_POSITIONAL
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        yield prefix + p.name + ("" if p.default is p.empty else "=" + default(p.default))


def default(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(default(v) for v in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    return getattr(value, "name", None) if type(value).__name__ == "DType" else OTHER


# ---- What is read: tf.contrib of 1.15


def contrib(wheel):
    """The public names of parts of tf.contrib: those that __all__, `allowed` or the docstring of the part lists."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        files = [f for f in archive.namelist() if f.endswith(".py")]
        for part in CONTRIB:
            folder = f"tensorflow_core/contrib/{part}/"
            own = {f: ast.parse(archive.read(f)) for f in files if f.startswith(folder) and "_test" not in f}
            names = listed(own[folder + "__init__.py"])
            for tree in own.values():
                names |= listed(tree, docstring=False) if part in ("layers", "metrics") else set()
            definitions = {}
            for tree in own.values():
                for node in tree.body:
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                        definitions.setdefault(node.name, node)
            found[f"tf.contrib.{part}"] = {name: read(definitions.get(name)) for name in sorted(names)}
    return found


def listed(tree, docstring=True):
    names = set(re.findall(r"@@(\w+)", ast.get_docstring(tree) or "")) if docstring else set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("__all__", "_allowed_symbols"):
            if isinstance(node.value, (ast.List, ast.Tuple)):
                names |= {element.value for element in node.value.elts if isinstance(element, ast.Constant)}
    return names


def read(node):
    if node is None:
        return {"kind": "value", "type": "alias"}
    if isinstance(node, ast.FunctionDef):
        return {"kind": "function", "signature": parameters_read(node.args)}
    own = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    init = parameters_read(own["__init__"].args, bound=True) if "__init__" in own else None
    public = {
        name: "property" if any(getattr(d, "id", "") == "property" for d in f.decorator_list)
        else parameters_read(f.args, bound=not any(getattr(d, "id", "") == "staticmethod" for d in f.decorator_list))
        for name, f in own.items()
        if not name.startswith("_")
    }  # fmt: skip
    return {"kind": "class", "signature": init, "methods": public}


def parameters_read(args, bound=False):
    names = [a.arg for a in args.args]
    defaults = [None] * (len(names) - len(args.defaults)) + args.defaults
    parts = [name if d is None else f"{name}={default_read(d)}" for name, d in zip(names, defaults)]
    parts = parts[1:] if bound else parts
    parts += [f"*{args.vararg.arg}"] if args.vararg else ["*"] if args.kwonlyargs else []
    parts += [a.arg if d is None else f"{a.arg}={default_read(d)}" for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    return ", ".join(parts + ([f"**{args.kwarg.arg}"] if args.kwarg else []))


def default_read(node):
    try:
        return default(ast.literal_eval(node))
    except ValueError:
        text = ast.unparse(node)
        return text.removeprefix("dtypes.") if text.startswith("dtypes.") else OTHER


def lines(names):
    return [f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in names.items()]


def main(wheel=None):
    import tensorflow.compat.v1 as tf

    found = {}
    entries(tf, "tf", found, {id(tf)})
    if wheel:
        found.update(contrib(wheel))
    spaces = (json.dumps(path) + ": {\n" + ",\n".join(lines(names)) + "}" for path, names in found.items())
    print("{\n" + ",\n".join(spaces) + "}")


if __name__ == "__main__":
    main(*sys.argv[1:])
