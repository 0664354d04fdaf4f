"""What holds for the whole source tree."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys

import pytest

import tfcore as tf
from tests import commits
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
def test_public_names_of_an_op_module_exist(name):
    module = importlib.import_module(name)
    assert module.__doc__
    lists = [
        n
        for n in vars(module)
        if n == "__all__" or re.fullmatch(r"__[a-z]+__", n) and isinstance(getattr(module, n), list)
    ]
    assert "__all__" in lists
    for which in lists:
        names = getattr(module, which)
        assert len(set(names)) == len(names), f"{which} names something twice"
        for public in names:
            assert hasattr(module, public), f"{which} names {public}, which does not exist"
            assert not public.startswith("_")


def test_public_names_reach_the_namespace():
    for path in OP_MODULES:
        module = importlib.import_module(path)
        for public in module.__all__:
            assert getattr(tf, public) is getattr(module, public), f"{public} of {path} is hidden by another"


def test_no_public_name_has_two_meanings():
    owners = {}
    for path in OP_MODULES:
        for public in importlib.import_module(path).__all__:
            other = owners.setdefault(public, path)
            assert other == path or getattr(importlib.import_module(other), public) is getattr(
                importlib.import_module(path), public
            ), public


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


def test_every_op_and_public_function_is_documented():
    undocumented = [d.name for d in registered_ops() if not d.__doc__ and not d.name.startswith(("Test", "_"))]
    for path in OP_MODULES:
        module = importlib.import_module(path)
        undocumented += [
            f"{path}.{n}" for n in module.__all__ if callable(getattr(module, n)) and not getattr(module, n).__doc__
        ]
    assert not undocumented


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
