"""The README and the pages of docs/: programs run, links lead somewhere, the table of variables is complete."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tests import pages
from tests.distributed import PATIENCE, mpi

pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(pages.ROOT, "docs")), reason="needs the source tree")
PAGES = pages.files(".md")
SOURCES = pages.files(".py", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh", ".toml", ".md")
DOCUMENTS = [path for path in PAGES if path in ("README.md", "CONTRIBUTING.md") or path.startswith("docs" + os.sep)]
VARIABLE = re.compile(r"""["'](TFCORE_[A-Z_]+)["'=]""")


def all_programs():
    for path in DOCUMENTS:
        for i, (variables, command, program) in enumerate(pages.programs(pages.read(path))):
            marks = [pytest.mark.alone] if "tfcore.run" in command else []
            if "import pycuda" in program and importlib.util.find_spec("pycuda") is None:
                marks.append(pytest.mark.skip(reason="PyCUDA is not installed"))
            yield pytest.param(variables, command, program, id=f"{path}:{i}", marks=marks)


@pytest.mark.parametrize("variables, command, program", list(all_programs()))
def test_programs_run(tmp_path, variables, command, program):
    if "tfcore.run" in command:
        mpi.require()
    if command[-1].endswith(".py"):
        (tmp_path / command[-1]).write_text(program)
    environment = {**os.environ, **variables, "PYTHONPATH": pages.ROOT}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=(600 if variables else 120) * PATIENCE,  # on an emulated GPU, kernels may have to be compiled first
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_programs_are_found():
    assert len(list(all_programs())) >= 8
    assert pages.programs("```python\n# python -m tfcore.run --ps 1 train.py\nx\n```\n```\ny\n```\n") == [
        ({}, ["-m", "tfcore.run", "--ps", "1", "train.py"], "# python -m tfcore.run --ps 1 train.py\nx\n")
    ]
    assert pages.programs("```bash\nA=1 B=2 python -m z -n 3\n```\n")[0][:2] == (
        {"A": "1", "B": "2"},
        "-m z -n 3".split(),
    )
    assert pages.programs("```python\n# A=1 python one.py\n```\n")[0][:2] == ({"A": "1"}, ["one.py"])
    assert pages.programs("```python\nx\n```\n") == [({}, ["program.py"], "x\n")]


def test_links_lead_somewhere():
    assert len(PAGES) > 60
    assert {path: dead for path in PAGES if (dead := pages.dead_links(path, pages.read(path)))} == {}


def test_pages_that_sources_name_exist():
    assert len(SOURCES) > 1000
    own = {os.path.relpath(__file__, pages.ROOT)}
    assert {p: dead for p in SOURCES if p not in own and (dead := pages.dead_mentions(p, pages.read(p)))} == {}


@pytest.mark.parametrize(
    "text, dead",
    [
        ("see [a](nothing.md)", ["nothing.md"]),
        ("see [a\nb](docs/README.md#nothing)", ["docs/README.md#nothing"]),
        ("see [a](#nothing)\n\n# Something", ["#nothing"]),
        ("- a\n  - b\n    [c](nothing.md)", ["nothing.md"]),
        ("# A\n# A\n# A\n[a](#a) [a](#a-1) [a](#a-2) [a](#a-3)", ["#a-3"]),
        ("# A `b` (c), d\n[a](#a-b-c-d) [b](docs/README.md) [c](https://example.org/nothing)", []),
        ("`[a](nothing.md)`\n\n    [a](nothing.md)\n\n```\n[a](nothing.md)\n```\n", []),
    ],
)
def test_dead_links_are_found(text, dead):
    assert pages.dead_links("README.md", text) == dead


def test_dead_mentions_are_found():
    text = "see core/README.md, tfcore/core/README.md, docs/nothing.md and [this](a/b.md)"
    assert pages.dead_mentions("tfcore/a.md", text) == ["docs/nothing.md"]
    assert pages.dead_mentions("tfcore/a.c", "/* see tfcore/nothing/README.md */") == ["tfcore/nothing/README.md"]


def test_every_document_is_linked_from_the_index():
    index = pages.read(os.path.join("docs", "README.md"))
    linked = {
        os.path.normpath(os.path.join("docs", link.partition("#")[0])) for link in re.findall(r"\]\((.*?)\)", index)
    }
    assert set(DOCUMENTS) - linked == {os.path.join("docs", "README.md")}


def test_modules_that_pages_run_exist():
    named = {module: path for path in PAGES for module in pages.commands(pages.read(path))}
    assert len(named) > 20
    assert {m: path for m, path in named.items() if importlib.util.find_spec(m) is None} == {}


def test_the_table_of_variables_is_complete():
    read = {name for path in SOURCES if not path.endswith(".md") for name in VARIABLE.findall(pages.read(path))}
    table = re.findall(r"^\| `(TFCORE_[A-Z_]+)` \|", pages.read(os.path.join("docs", "environment.md")), re.M)
    assert len(set(table)) == len(table) > 40
    assert set(table) == read
    named = {name for path in PAGES for name in re.findall(r"\bTFCORE_[A-Z_]*[A-Z]\b", pages.read(path))}
    assert named <= read


def test_the_readme_is_short():
    assert pages.read("README.md").count("\n") <= 150
