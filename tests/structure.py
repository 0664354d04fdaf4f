"""The layers of the package, read from its README, and what its files import, read from their sources."""

import ast
import functools
import os
import re

from tfcore.framework.lazy import read_names

SOURCE = (".py", ".pyx", ".pxi", ".pxd")
NAMESPACE = "__init__"  # the public namespace, `import tfcore`
NAMES = "tfcore/names.txt"  # the list of public names, a part of it

_LAYER = re.compile(r"^\d+\. `(\w+)`", re.M)
_NAME = re.compile(r"(tfcore(?:\.\w+)*)(?::\w+)?")
_TRIPLE = re.compile(r'"""[\s\S]*?"""')
_CYTHON = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n(]+)|c?import[ \t]+([\w., \t]+?)[ \t]*(?:#.*)?$)",
    re.M,
)


def layers(readme):
    """The layers that a README states, the lowest first: the numbered lines that begin with a name."""
    return _LAYER.findall(readme)


def read_tree(root):
    """{path below `root`: text} of the sources of a package, without build products, and of the list of its names."""
    with open(os.path.join(root, NAMES), encoding="utf-8") as file:
        sources = {NAMES: file.read()}
    for folder, subfolders, files in os.walk(os.path.join(root, "tfcore")):
        subfolders[:] = [s for s in subfolders if s not in ("__pycache__", "build", "lib", "include")]
        for name in files:
            if name.endswith(SOURCE):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    sources[os.path.relpath(path, root).replace(os.sep, "/")] = file.read()
    return sources


def module_of(path):
    """`tfcore/ops/array/array.py` is tfcore.ops.array.array."""
    if path == NAMES:
        return "tfcore"
    return os.path.splitext(path)[0].replace("/", ".").removesuffix(".__init__")


def layer_of(module):
    """The layer that a module belongs to: the package or module right below `tfcore`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else NAMESPACE


def imports(sources):
    """[(path, line, module)] of all imports of tfcore's modules: of the module level, in functions, under conditions.

    A string that is the name of a module, or of something in it, counts as an import: importlib and `lazy_names` get
    such strings. What the list of public names says of a namespace is imported by the module that publishes it.
    """
    names = _public_names(sources[NAMES])
    sources = {path: text for path, text in sources.items() if path != NAMES}
    modules = {module_of(path) for path in sources}
    packages = {m.rsplit(".", n)[0] for m in modules for n in range(1, m.count(".") + 1)}
    known = modules | packages
    found = []
    for path, text in sorted(sources.items()):
        for line, name, parts in _imports_of_file(text, path):
            for part in parts or ("",):
                module = f"{name}.{part}" if f"{name}.{part}" in known else name
                if module in known and module != module_of(path):
                    found.append((path, line, module))
    files = {module_of(path): path for path in sources}
    for name, module in names.items():
        path = files[_publisher(name, names)]
        if module != module_of(path):
            found.append((path, name, module))
    return found


def _public_names(text):
    """{public name: the module that it is, or is in} of the list of public names."""
    return {
        f"{space}.{name}": "tfcore." + target.removeprefix("late ").partition(":")[0]
        for space, targets in read_names(text.splitlines()).items()
        for name, target in targets.items()
    }


def _publisher(name, names):
    """The module that publishes a name: its namespace's, or that of the nearest one around it that has a module.

    The package gpu is below most of what tf.gpu has, and data below the hook of tf.data.experimental. All of that is
    late: the program that uses a name imports it.
    """
    space = name.rpartition(".")[0]
    if space == "tf.gpu" or name == "tf.data.experimental.CheckpointInputPipelineHook":
        return "tfcore"
    while space != "tf" and space not in names:
        space = space.rpartition(".")[0]
    return names.get(space, "tfcore")


def parse(text):
    """ast.parse, which fails in CPython 3.11 if another thread parses at the same time, such as for a traceback."""
    while True:
        try:
            return ast.parse(text)
        except SystemError as error:
            if "recursion depth mismatch" not in str(error):
                raise


@functools.cache
def _imports_of_file(text, path):
    """[(line, module, names that may be modules in it)]"""
    return list((_python_imports if path.endswith(".py") else _cython_imports)(text, path))


def _python_imports(text, path):
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.split("/")[: -node.level] if node.level else []
            yield node.lineno, ".".join([*package, *filter(None, [node.module])]), [a.name for a in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (name := _NAME.fullmatch(node.value)):
            if name[1] != "tfcore":
                yield node.lineno, name[1], ()


def _cython_imports(text, path):
    text = _TRIPLE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in _CYTHON.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match[1]:
            package = match[1]
            if package.startswith("."):
                level = len(package) - len(package.lstrip("."))
                package = ".".join([*path.split("/")[:-level], *filter(None, [package.lstrip(".")])])
            yield line, package, re.findall(r"\w+", re.sub(r"#.*|\bas\s+\w+", "", match[2]))
        else:
            yield from ((line, name.split()[0], ()) for name in match[3].split(",") if name.strip())
    for match in re.finditer(r"""(["'])(tfcore\.[\w.]+)\1""", text):
        yield text.count("\n", 0, match.start()) + 1, match[2].rstrip("."), ()


def upward_imports(sources, order):
    """Imports of a module in a higher layer, as `path:line imports module`; and of layers that the order lacks."""
    height = {layer: i for i, layer in enumerate(order)}
    wrong = []
    for path, line, module in imports(sources):
        here, there = layer_of(module_of(path)), layer_of(module)
        if here not in height or there not in height or height[there] > height[here]:
            wrong.append(f"{path}:{line} imports {module}")
    return wrong


def imported_layers(sources):
    """{layer: the other layers that it imports}"""
    found = {layer_of(module_of(path)): set() for path in sources}
    for path, _, module in imports(sources):
        here, there = layer_of(module_of(path)), layer_of(module)
        if here != there:
            found[here].add(there)
    return found


def import_cycles_between_layers(sources):
    """The cycles of imports between modules of more than one layer, as sorted lists of the modules."""
    return [cycle for cycle in import_cycles(sources) if len({layer_of(m) for m in cycle}) > 1]


def import_cycles(sources):
    """The cycles of imports, also of those in functions, as sorted lists of the modules."""
    graph = {}
    for path, _, module in imports(sources):
        graph.setdefault(module_of(path), set()).add(module)
    reach = {module: _reachable(graph, module) for module in graph}
    cycles = {
        tuple(sorted(other for other in found if module in reach.get(other, ())))
        for module, found in reach.items()
        if module in found
    }
    return sorted(list(c) for c in cycles)


def _reachable(graph, start):
    seen, todo = set(), list(graph[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(graph.get(module, ()))
    return seen


# ---- Private names

_TEXT = re.compile(r"""(['"])(?:\\.|(?!\1)[^\\\n])*\1|#.*""")
_CYTHON_USE = re.compile(r"(\w+|[)\]])\.(_(?!_)\w+)")
_CYTHON_OWN = re.compile(r"\b(?:self|cls)\.(_\w+)|^[ \t]+(?:def|cdef|cpdef) .*?\b(_\w+)", re.M)


def private_uses(sources):
    """[(path, line, name)] of uses of names with a leading underscore that the file itself does not define.

    Uses are `x._name`, unless x is the object itself, and imports. A file defines the methods and variables of its
    classes, and the attributes that it sets on `self` and `cls`.
    """
    found = []
    for path, text in sorted(sources.items()):
        if path != NAMES:
            uses, own = (_python_names if path.endswith(".py") else _cython_names)(text)
            found += [(path, line, name) for line, name in uses if name not in own]
    return found


@functools.cache
def _python_names(text):
    """The private names that a file uses, as [(line, name)], and the set of those that it defines."""
    uses, own = [], set()
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.ClassDef):
            own.update(getattr(item, "name", None) for item in node.body)
            own.update(t.id for item in node.body for t in getattr(item, "targets", ()) if isinstance(t, ast.Name))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tfcore"):
            uses += [(node.lineno, alias.name) for alias in node.names if alias.name.startswith("_")]
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            if ast.unparse(node.value) not in ("self", "cls", "super()"):
                uses.append((node.lineno, node.attr))
            elif isinstance(node.ctx, ast.Store):
                own.add(node.attr)
    return uses, own


@functools.cache
def _cython_names(text):
    text = _TRIPLE.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = _TEXT.sub('""', text)
    own = {name for names in _CYTHON_OWN.findall(text) for name in names}
    uses = [m for m in _CYTHON_USE.finditer(text) if m[1] not in ("self", "cls")]
    return [(text.count("\n", 0, m.start()) + 1, m[2]) for m in uses], own


# ---- Rooms

_ROOM = re.compile(r"^\| \[(\w+)\]\(\1/README\.md\)", re.M)


def rooms(readme):
    """The rooms of a package that its README lists, the lowest first."""
    return _ROOM.findall(readme)


def room_of(module):
    """`tfcore.train.hooks.basic` is in the room `hooks`; modules of the package's own folder are in none."""
    parts = module.split(".")
    return parts[2] if len(parts) > 3 else None


def imports_of_higher_rooms(sources, package, order, stated):
    """Imports of a package's rooms that its order of rooms forbids, as `path:line imports module`.

    Files in the package's own folder count as the lowest room; `__init__`, the public interface, may import all.

    Args:
      stated: {path: the higher room that it may import}
    """
    height = {room: i for i, room in enumerate(order)}
    wrong = []
    for path, line, module in imports(sources):
        here, there = room_of(module_of(path)), room_of(module)
        if not path.startswith(f"tfcore/{package}/") or path.endswith(f"tfcore/{package}/__init__.py"):
            continue
        if layer_of(module) != package or there is None or stated.get(path) == there:
            continue
        if height[there] > height.get(here, -1):
            wrong.append(f"{path}:{line} imports {module}")
    return wrong


# ---- READMEs


def unnamed_files(files, readme):
    """Those of a folder's source files that its README does not name.

    `__init__.py` is the folder itself. A header or a .pxd is named with the file of the same name that implements it.
    """
    named = set(re.findall(r"[\w.]+", readme))
    stems = {os.path.splitext(f)[0] for f in files if f in named and f.endswith((".c", ".pyx", ".cu"))}

    def is_named(file):
        stem, kind = os.path.splitext(file)
        return file in named or kind in (".h", ".pxd", ".cuh") and stem in stems

    return [f for f in sorted(files) if f != "__init__.py" and not is_named(f)]


def stated_imports(readme):
    """The layers in a README's one sentence `Imports: framework, core.`; None without exactly one such sentence."""
    lines = re.findall(r"^Imports: ([^.]*)\.$", readme, re.M)
    if len(lines) != 1:
        return None
    return set() if lines[0] == "nothing" else {name.strip() for name in lines[0].split(",")}
