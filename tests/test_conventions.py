"""What holds for the whole source tree."""

import ast
import functools
import importlib
import os
import re
import shutil
import subprocess
import sys

import pytest

import tfcore as tf
from tests import commits
from tfcore.framework import lazy
from tfcore.framework.definitions.op_def import registered_ops

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("tfcore", "kernels_c", "tests", "bench", "kernels_cuda", "docs")
MAX_LINES = 810  # about 800
MAX_COLUMNS = 120
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "kernels_c")), reason="needs the source tree")


def tracked():
    """Source files, relative to the root; build products and hidden folders left out."""
    found = []
    for top in FOLDERS:
        for folder, subfolders, files in os.walk(os.path.join(ROOT, top)):
            subfolders[:] = [
                s
                for s in subfolders
                if not s.startswith((".", "__pycache__")) and s not in ("build", "lib") and not s.endswith(".egg-info")
            ]
            if os.path.relpath(folder, ROOT).startswith(os.path.join("tfcore", "include")):
                continue
            found += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(found) + [f for f in ("setup.py",) if os.path.exists(os.path.join(ROOT, f))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


SOURCES = [p for p in tracked() if p.endswith((".py", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh"))]
OP_MODULES = sorted(
    p[:-3].replace(os.sep, ".")
    for p in SOURCES
    if p.startswith(os.path.join("tfcore", "ops")) and not p.endswith("__init__.py")
)


def test_there_are_sources():
    assert len(SOURCES) > 100 and len(OP_MODULES) > 10


def test_no_file_is_too_long():
    long = {p: n for p in SOURCES if (n := read(p).count("\n")) > MAX_LINES}
    assert not long


def overlong_lines(path, text):
    """Numbers of the lines that are too wide. Code blocks, tables and links in Markdown may be wider."""
    in_block = False
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".md"):
            if line.lstrip().startswith("```"):
                in_block = not in_block
            if in_block or line.startswith(("    ", "|")) or "](" in line or "://" in line:
                continue
        if len(line) > MAX_COLUMNS:
            found.append(number)
    return found


def test_no_line_is_too_wide():
    texts = [p for p in (*tracked(), "README.md", "CONTRIBUTING.md", "CHANGELOG.md") if p.endswith(".md")]
    assert len(texts) > 30
    assert not {p: found for p in [*SOURCES, *texts] if (found := overlong_lines(p, read(p)))}


@pytest.mark.parametrize(
    "path, text, found",
    [
        ("a.py", "x" * 120 + "\n" + "x" * 121, [2]),
        ("a.pyx", "\n" + "x" * 121 + "\n", [2]),
        ("a.c", "x" * 120 + "\n" + "x" * 121, [2]),
        ("a.md", f"```\n{'x' * 121}\n```\n{'x' * 121}\n", [4]),
        ("a.md", f"    {'x' * 121}\n|{'x' * 121}\n[{'x' * 121}](y)\n- {'x' * 121}\n", [4]),
    ],
)
def test_wide_lines_are_found(path, text, found):
    assert overlong_lines(path, text) == found


def test_every_folder_says_what_lives_in_it():
    folders = {os.path.dirname(p) for p in SOURCES} | {os.path.dirname(os.path.dirname(p)) for p in SOURCES}
    optional = {
        "",
        os.path.join("tfcore", "examples", "tutorials"),
        os.path.join("tfcore", "examples", "tutorials", "mnist"),
    }
    optional |= {
        f for f in folders if f.startswith(("tests" + os.sep, os.path.join("kernels_c", "include")))
    }  # the folder above speaks for them
    missing = [f for f in sorted(folders - optional) if not os.path.exists(os.path.join(ROOT, f, "README.md"))]
    assert not missing


def program(name):
    """The path of a program of the environment that runs the tests."""
    found = shutil.which(name, path=os.path.dirname(sys.executable)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def faults(*command, paths):
    """What a program that checks files prints if it finds something wrong."""
    done = subprocess.run([*command, *paths], cwd=ROOT, capture_output=True, text=True)
    return (done.stdout + done.stderr)[-3000:] if done.returncode else ""


def folders():
    return [f for f in FOLDERS if os.path.exists(os.path.join(ROOT, f))] + ["setup.py"]


def test_ruff_finds_nothing():
    assert not faults(program("ruff"), "check", "--no-cache", paths=folders())


def test_python_files_are_formatted(tmp_path):
    command = [program("ruff"), "format", "--no-cache", "--check"]
    assert not faults(*command, paths=folders())
    (tmp_path / "planted.py").write_text("x = 'a'\n")
    assert "planted.py" in faults(*command, paths=[tmp_path])


def test_c_files_are_formatted(tmp_path):
    command = [program("clang-format"), "--dry-run", "--Werror", f"--style=file:{ROOT}/.clang-format"]
    paths = [p for p in SOURCES if p.endswith((".c", ".h", ".cu", ".cuh"))]
    assert len(paths) > 400 and not faults(*command, paths=paths)
    (tmp_path / "planted.c").write_text("int  x;\n")
    assert "planted.c" in faults(*command, paths=[tmp_path / "planted.c"])


def test_subjects_of_commits_have_one_form():
    found = commits.subjects(ROOT)
    if found is None:
        pytest.skip("needs the history")
    assert not {subject: wrong for subject in found if (wrong := commits.fault(subject))}


@pytest.mark.parametrize(
    "subject, wrong",
    [
        ("queue: refuse elements of another rank", None),
        ("core, tests: one step", None),
        ("kernels_c/nn: softsign is named once", None),
        ("Refuse elements of another rank", "begin"),
        ("queue: " + "x" * 66, "characters"),
        ("queue: refuse elements.", "period"),
    ],
)
def test_subjects_of_another_form_are_found(subject, wrong):
    found = commits.fault(subject)
    assert found is None if wrong is None else wrong in found


@pytest.mark.parametrize("name", OP_MODULES)
def test_op_modules_say_what_they_define(name):
    assert importlib.import_module(name).__doc__


# ---- names.txt


NAMES = [line for line in read("tfcore/names.txt").splitlines() if not line.startswith("#")]
NAME = re.compile(r"tf(\.\w+)+ = (late )?\w+(\.\w+)*(:\w+)?")


def faults_of_names(lines):
    """Lines of another form, names that stand there twice, and the first that is out of order."""
    names = [line.partition(" = ")[0] for line in lines]
    found = [line for line in lines if not NAME.fullmatch(line)]
    found += [f"{name} twice" for name in set(names) if names.count(name) > 1]
    return found + [f"{name} after {before}" for before, name in zip(names, names[1:]) if before > name][:1]


def test_the_list_of_names_is_in_order():
    assert len(NAMES) > 1500 and not faults_of_names(NAMES)


@pytest.mark.parametrize(
    "lines, found",
    [
        (["tf.a = b:c", "tf.a = b:d"], ["tf.a twice"]),
        (["tf.a = late b:c", "tf.a.b = b:c"], []),
        (["tf.b = b:c", "tf.a = b:c"], ["tf.a after tf.b"]),
        (
            ["tf.a = soon b:c", "tf.b= b", "tf.c = b:c.d"],
            ["tf.a = soon b:c", "tf.b= b", "tf.c = b:c.d"],
        ),
    ],
)
def test_faults_of_names_are_found(lines, found):
    assert faults_of_names(lines) == found


@pytest.mark.parametrize("space", lazy.public_names())
def test_public_names_are_what_the_list_says(space):
    """test_docs.py tests that they are documented."""
    own = functools.reduce(getattr, space.split(".")[1:], tf)
    for name, target in lazy.public_names()[space].items():
        path, _, attribute = target.removeprefix("late ").partition(":")
        value = importlib.import_module(f"tfcore.{path}")
        value = getattr(value, attribute) if attribute else value
        assert getattr(own, name) is value, f"{space}.{name}"
        assert name in dir(own) and not name.startswith("_")


def test_late_names_are_not_imported_with_their_namespace():
    code = (
        "import sys, tfcore; from tfcore.framework.lazy import public_names\n"
        "for name, target in public_names()['tf'].items():\n"
        "    assert (name in vars(tfcore)) != target.startswith('late '), name"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_op_says_whether_it_is_differentiable():
    """An op with a floating-point input and output either has a gradient or says that it has none."""
    silent = []
    for op_def in registered_ops():
        if op_def.name.startswith("Test") or not op_def.outputs or op_def.states_gradient:
            continue
        if any(arg.is_ref for arg in op_def.inputs) or any(arg.is_ref for arg in op_def.outputs):
            continue
        if may_be_float(op_def, op_def.inputs) and may_be_float(op_def, op_def.outputs):
            silent.append(op_def.name)
    assert not silent


def may_be_float(op_def, arguments):
    for arg in arguments:
        attr = op_def.attrs.get(arg.type_attr or arg.type_list_attr)
        types = [arg.dtype] if attr is None else attr.allowed
        if types is None or any(t is not None and (t.is_floating or t.is_complex) for t in types):
            return True
    return False


def test_every_op_is_documented():
    assert not [d.name for d in registered_ops() if not d.__doc__ and not d.name.startswith(("Test", "_"))]


def test_core_c_code_knows_nothing_of_python():
    for path in SOURCES:
        if path.endswith((".c", ".h")):
            assert "Python.h" not in read(path), path


def test_no_traces_of_the_machine_it_was_written_on():
    pattern = re.compile(r"/work/|/home/[a-z]+/|/root/")
    own = os.path.relpath(__file__, ROOT)
    for path in tracked():
        if path != own and path.endswith((".py", ".pyx", ".c", ".h", ".md", ".cu")):
            assert not pattern.search(read(path)), path


def test_every_test_has_a_body_that_can_fail():
    """No test without an assertion, an expected error, or a helper that checks."""
    empty = []
    for path in SOURCES:
        if not os.path.basename(path).startswith("test_"):
            continue
        for item in ast.walk(ast.parse(read(path))):
            if isinstance(item, ast.FunctionDef) and item.name.startswith("test"):
                checks = [n for n in ast.walk(item) if isinstance(n, (ast.Assert, ast.Raise, ast.Call))]
                if not checks:
                    empty.append(f"{path}::{item.name}")
    assert not empty
