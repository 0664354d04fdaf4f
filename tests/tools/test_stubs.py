"""The type stubs say what the package has."""

import ast
import functools
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

import tfcore as tf
from tests import pages
from tfcore.framework import lazy
from tfcore.tools import stubs

PACKAGE = pathlib.Path(tf.__file__).parent
ROOT = PACKAGE.parent
CHECKER = next(
    (
        found
        for name in ("basedpyright", "pyright")
        for folder in (os.path.dirname(sys.executable), None)
        if (found := shutil.which(name, path=folder))
    ),
    None,
)


def read(path):
    return pathlib.Path(stubs.file_of(path)).read_text()


def declared(text):
    """The names that a stub declares; where ast cannot read it, this raises."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.add(node.targets[0].id)
    return names


def function(text, name):
    return next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)


def test_the_stubs_are_up_to_date():
    command = [sys.executable, "-m", "tfcore.tools.stubs", "--check"]  # in a process where no test has defined ops
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_signature_is_seen(monkeypatch):
    def relu(features, name=None, slope=0.5): ...

    before = stubs.stubs()
    assert before == stubs.stubs()
    monkeypatch.setattr(tf.nn, "relu", relu)
    after = stubs.stubs()
    assert [file for file in after if after[file] != before[file]] == [stubs.file_of("nn")]
    assert (
        "def relu(features: _Any, name: str | None = None, slope: _Any = 0.5) -> _Any: ..."
        in after[stubs.file_of("nn")]
    )


def test_a_file_that_differs_is_stale(tmp_path):
    fresh, old = tmp_path / "fresh.pyi", tmp_path / "old.pyi"
    fresh.write_text("a: int\n")
    old.write_text("a: str\n")
    missing = tmp_path / "missing.pyi"
    texts = dict.fromkeys(map(str, (fresh, old, missing)), "a: int\n")
    assert stubs.stale(texts) == [str(old), str(missing)]


@pytest.mark.parametrize("path", [p for p in stubs.NAMESPACES if p != "raw_ops"])  # tests define ops
def test_every_public_name_is_in_its_stub(path):
    assert set(stubs.public_names(path)) <= declared(read(path))


def test_every_op_is_in_its_stub():
    assert len(declared(read("raw_ops"))) > 400


def test_a_module_of_the_namespace_is_public_or_a_layer():
    layers = set(re.findall(r"^\d+\. `(\w+)`", (PACKAGE / "README.md").read_text(), re.M))
    modules = {n for n in dir(tf) if isinstance(getattr(tf, n), type(tf.nn)) and not n.startswith("_")}
    assert modules - {"tfcore"} <= {*stubs.public_names(""), *layers}


def test_types_and_defaults():
    root = read("")
    matmul = function(root, "matmul")
    assert ast.unparse(matmul.returns) == "Tensor"
    assert [a.arg for a in matmul.args.args][:3] == ["a", "b", "transpose_a"]
    assert ast.unparse(matmul.args.defaults[0]) == "False"
    classes = {n.name: {m.name: m for m in n.body if isinstance(m, ast.FunctionDef)}
               for n in ast.parse(root).body if isinstance(n, ast.ClassDef)}  # fmt: skip
    for cls in ("Tensor", "Variable"):
        for operator in ("__add__", "__rmul__", "__matmul__", "__neg__", "__getitem__", "__lt__"):
            assert ast.unparse(classes[cls][operator].returns) == "Tensor"
    assert ast.unparse(classes["Session"]["__enter__"].returns) == "Session"
    assert re.search(r"^bool: DType$", root, re.M)
    assert not re.search(r"-> bool\b", root)
    assert ast.unparse(function(read("raw_ops"), "MatMul").returns) == "Tensor"


def test_the_package_does_not_import_the_tool():
    code = "import sys, tfcore; assert not [m for m in sys.modules if m.startswith('tfcore.tools')]"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def programs():
    """{where: program}: the Python programs of the pages; the blocks of other READMEs continue each other."""
    found = {}
    for page in pages.files(".md"):
        every = [
            program
            for _, command, program in pages.programs(pages.read(page))
            if any(word.endswith(".py") for word in command)  # not a line for a shell
        ]
        if page in ("README.md", "CONTRIBUTING.md") or page.startswith("docs" + os.sep):
            found |= {f"{page}:{i}": program for i, program in enumerate(every)}
        elif page == os.path.join("tfcore", "testing", "README.md"):
            found[page] = "\n".join(every)
    return found


def every_public_name():
    """A program with each name of each namespace on a line."""
    found = ["import tfcore as tf"]
    for path in lazy.namespaces():
        space = functools.reduce(getattr, path.split(".")[1:], tf)
        found += [f"{path}.{name}" for name in lazy.public_names().get(path) or getattr(space, "__all__", ())]
    return "\n".join(found)


def errors(folder, programs):
    """{where: the errors that basedpyright reports of the program, if any} for {where: program}."""
    files = {f"program_{i}.py": where for i, where in enumerate(programs)}
    for file, where in files.items():
        (folder / file).write_text(programs[where])
    settings = {"typeCheckingMode": "basic", "include": ["*.py"], "extraPaths": [str(ROOT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [CHECKER, "-p", str(folder), "--pythonpath", sys.executable, "--level", "error", "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True)
    result = json.loads(done.stdout)
    assert result["summary"]["filesAnalyzed"] == len(programs)
    found = {}
    for error in result["generalDiagnostics"]:
        where = files[os.path.basename(error["file"])]
        found.setdefault(where, []).append(f"{error['range']['start']['line'] + 1}: {error['message']}")
    return found


needs_checker = pytest.mark.skipif(CHECKER is None, reason="no type checker: pip install -e '.[typing]'")


@needs_checker
def test_the_programs_of_the_pages_are_accepted(tmp_path):
    assert len(programs()) >= 8
    assert errors(tmp_path, programs()) == {}


@needs_checker
def test_the_type_checker_finds_mistakes(tmp_path):
    wrong = """
        import tfcore as tf
        tf.nn.nothing
        tf.reduce_sum(1.0, axes=3)
        tf.train.ClusterSpec({})
        tf.summary.FileWriter("a").adds()
        class Test(tf.test.TestCase):
            def test(self):
                self.assertAllClosed(1, 1)
        tf.saved_model.builder.SavedModelBuilder("a").saves()
    """
    (found,) = errors(tmp_path, {"wrong": textwrap.dedent(wrong)}).values()
    wanted = ["nothing", "axes", "adds", "assertAllClosed", "saves"]
    assert len(found) == len(wanted) and all(word in error for word, error in zip(wanted, found)), found


@needs_checker
def test_the_type_checker_knows_every_public_name(tmp_path):
    names = every_public_name()
    assert names.count("\n") > 1500
    assert errors(tmp_path, {"names": names}) == {}


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no type checker: pip install -e '.[typing]'")
def test_mypy_knows_every_public_name(tmp_path):
    (tmp_path / "names.py").write_text(every_public_name() + "\ntf.nothing\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "names.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    found = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(found) == 1 and '"nothing"' in found[0], done.stdout + done.stderr


def test_an_editable_install_is_a_path():
    """Type checkers follow a path, not the finder that setuptools makes of other layouts."""
    # The tree itself counts as a distribution, too: it has tfcore.egg-info.
    installed = [d for d in importlib.metadata.distributions(name="tfcore") if d.read_text("direct_url.json")]
    if not installed or not json.loads(installed[0].read_text("direct_url.json"))["dir_info"].get("editable"):
        pytest.skip("tfcore is not installed in editable mode")
    found = installed[0]
    (path,) = [file for file in found.files if file.name.endswith(".pth")]
    assert os.path.isdir(path.read_text().strip()), "an older install: pip install -e . again"
